//! Trains a dense network, keeps a third of its links by similarity and as many by magnitude,
//! trains both on, and compares what they draw.
//!
//! `cargo run --release --example prune [OUT.png]`

use picloom::genome::from_json;
use picloom::math::SimRng;
use picloom::network::{
    Coords, Mask, Network, Picture, PixelInputs, Weights, compile, kernel, layerize,
};
use picloom::prune::{EdgeContext, Orphans, Rule, prune};
use picloom::score::Fit;
use picloom::train::{Problem, TrainConfig, TrainError, Trainer};
use std::path::PathBuf;

const SIZE: usize = 32;

/// The weights after 400 steps from `start`, or from random ones.
fn trained(
    network: &Network,
    mask: &Mask,
    target: &Picture,
    start: Option<Weights>,
) -> Result<Weights, TrainError> {
    let problem = Problem {
        network: network.clone(),
        mask: mask.clone(),
        inputs: PixelInputs::full(SIZE, Coords::Fer),
        target: target.clone(),
        start,
    };
    let config = TrainConfig { steps: 400, ..TrainConfig::default() };
    let mut trainer = Trainer::new(problem, config)?;
    trainer.run(&mut ());
    Ok(trainer.state().weights.clone())
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let out = std::env::args_os()
        .nth(1)
        .map_or_else(|| std::env::temp_dir().join("picloom-prune.png"), PathBuf::from);
    let genome = from_json(include_str!("../genomes/mask.json"))?;
    let (evolved, weights) = compile(&genome);
    let target = kernel::picture(&evolved, &weights, SIZE, Coords::Fer);
    let network = layerize(&genome).network;
    let all = Mask::all(network.weight_count());
    let dense = trained(&network, &all, &target, None)?;
    let fit = |weights: &Weights| {
        Fit::of(&kernel::picture(&network, weights, SIZE, Coords::Fer), &target).r2
    };
    println!("dense:     {} links, R² {:.3}", all.kept(), fit(&dense));

    let maps = kernel::feature_maps(&network, &dense, &PixelInputs::full(SIZE, Coords::Fer));
    let context = EdgeContext::new(&network, &dense, &all).with_maps(&maps);
    let rule = Rule::Budget(all.kept() / 3);
    for name in ["sp", "magnitude"] {
        let mut rng = SimRng::new(0, "example", 0);
        let pruned = prune(name.parse()?, rule, Orphans::Refill, &context, &mut rng)?;
        let after = trained(&network, &pruned.live, &target, Some(pruned.weights.clone()))?;
        println!(
            "{:<10} {} links, R² {:.3} at once, {:.3} after training on",
            format!("{name}:"),
            pruned.kept,
            fit(&pruned.weights),
            fit(&after)
        );
        if name == "sp" {
            let large = kernel::picture(&network, &after, 256, Coords::Fer);
            std::fs::write(&out, large.to_png(&[]))?;
        }
    }
    println!("what the network pruned by similarity draws is in {}", out.display());
    Ok(())
}
