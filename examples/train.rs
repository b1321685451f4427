//! Trains the dense twin of an evolved network on its picture, from random weights, and says how
//! the loss falls.
//!
//! `cargo run --release --example train [OUT.png]`

use picloom::genome::from_json;
use picloom::network::{Coords, Model, PixelInputs, Wiring};
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
    const SIZE: usize = 48;
    let genome = from_json(include_str!("../genomes/bred_moth.json"))?;
    let target = Model::of_genome(&genome, Wiring::Graph).picture(SIZE, Coords::Fer);
    let mut model = Model::of_genome(&genome, Wiring::Dense);
    println!("{} weights to learn a picture of {SIZE} × {SIZE}", model.network.weight_count());

    let problem = Problem {
        network: model.network.clone(),
        mask: model.mask.clone(),
        inputs: PixelInputs::full(SIZE, Coords::Fer),
        target: target.clone(),
        start: None,
    };
    let config = TrainConfig { steps: 4000, log_every: 500, ..TrainConfig::default() };
    let mut trainer = Trainer::new(problem, config)?;
    let report = trainer.run(&mut Told);
    model.weights = trainer.state().weights.clone();
    println!(
        "{:?} after {} steps: loss {:.5}, {:.1} % of the picture's variance explained",
        report.stop,
        report.steps,
        report.final_loss,
        100.0 * Fit::of(&model.picture(SIZE, Coords::Fer), &target).r2
    );
    std::fs::write(&out, model.picture(256, Coords::Fer).to_png(&[]))?;
    println!("what it draws is in {}", out.display());
    Ok(())
}
