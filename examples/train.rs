//! Trains the dense twin of an evolved network on its picture, from random weights, and says how
//! the loss falls.
//!
//! `cargo run --release --example train [OUT.png]`

use picloom::genome::from_json;
use picloom::network::{Coords, Mask, PixelInputs, compile, kernel, layerize};
use picloom::score::Fit;
use picloom::train::{LogLine, Problem, TrainConfig, TrainObserver, Trainer};
use std::path::PathBuf;

/// Prints every logged step.
struct Told;

impl TrainObserver for Told {
    fn logged(&mut self, line: &LogLine) {
        println!("step {:4}: loss {:.5}, slope {:.4}", line.step, line.loss, line.grad_norm);
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let out = std::env::args_os()
        .nth(1)
        .map_or_else(|| std::env::temp_dir().join("picloom-train.png"), PathBuf::from);
    const SIZE: usize = 32;
    let genome = from_json(include_str!("../genomes/mask.json"))?;
    let (evolved, weights) = compile(&genome);
    let target = kernel::picture(&evolved, &weights, SIZE, Coords::Fer);
    let network = layerize(&genome).network;
    println!("{} weights to learn a picture of {SIZE} × {SIZE}", network.weight_count());

    let problem = Problem {
        mask: Mask::all(network.weight_count()),
        network: network.clone(),
        inputs: PixelInputs::full(SIZE, Coords::Fer),
        target: target.clone(),
        start: None,
    };
    let config = TrainConfig { steps: 600, log_every: 100, ..TrainConfig::default() };
    let mut trainer = Trainer::new(problem, config)?;
    let report = trainer.run(&mut Told);
    let learned = kernel::picture(&network, &trainer.state().weights, SIZE, Coords::Fer);
    println!(
        "{:?} after {} steps: loss {:.5}, {:.1} % of the picture's variance explained",
        report.stop,
        report.steps,
        report.final_loss,
        100.0 * Fit::of(&learned, &target).r2
    );
    let large = kernel::picture(&network, &trainer.state().weights, 256, Coords::Fer);
    std::fs::write(&out, large.to_png(&[]))?;
    println!("what it draws is in {}", out.display());
    Ok(())
}
