//! Trains a dense network, keeps half of its links by similarity and as many by magnitude,
//! trains both on, and compares what they draw.
//!
//! `cargo run --release --example prune [OUT.png]`

use picloom::base::SimRng;
use picloom::base::refusal::Refusal;
use picloom::genome::from_json;
use picloom::network::{Coords, Model, Picture, PixelInputs, Weights, Wiring};
use picloom::prune::{EdgeContext, Orphans, Rule, prune};
use picloom::score::Fit;
use picloom::train::{Problem, TrainConfig, Trainer};
use std::path::PathBuf;

const SIZE: usize = 48;

/// `model` after 4000 steps on the links of its mask, from `start` or from random weights.
fn trained(model: &Model, target: &Picture, start: Option<Weights>) -> Result<Model, Refusal> {
    let problem = Problem {
        network: model.network.clone(),
        mask: model.mask.clone(),
        inputs: PixelInputs::full(SIZE, Coords::Fer),
        target: target.clone(),
        start,
    };
    let config = TrainConfig { steps: 4000, ..TrainConfig::default() };
    let mut trainer = Trainer::new(problem, config)?;
    trainer.run(&mut ());
    Ok(Model { weights: trainer.state().weights.clone(), ..model.clone() })
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let out = std::env::args_os()
        .nth(1)
        .map_or_else(|| std::env::temp_dir().join("picloom-prune.png"), PathBuf::from);
    let genome = from_json(include_str!("../genomes/bred_moth.json"))?;
    let target = Model::of_genome(&genome, Wiring::Graph).picture(SIZE, Coords::Fer);
    let fit = |model: &Model| Fit::of(&model.picture(SIZE, Coords::Fer), &target).r2;
    let dense = trained(&Model::of_genome(&genome, Wiring::Dense), &target, None)?;
    println!("dense:     {} links, R² {:.3}", dense.mask.kept(), fit(&dense));

    let maps = dense.maps(SIZE, Coords::Fer);
    let context = EdgeContext::new(&dense.network, &dense.weights, &dense.mask).with_maps(&maps);
    let rule = Rule::Budget(dense.mask.kept() / 2);
    for name in ["sp", "magnitude"] {
        let mut rng = SimRng::new(0, "example", 0);
        let pruned = prune(name.parse()?, rule, Orphans::Refill, &context, &mut rng)?;
        let model = Model { mask: pruned.live, weights: pruned.weights, ..dense.clone() };
        let after = trained(&model, &target, Some(model.weights.clone()))?;
        println!(
            "{:<10} {} links, R² {:.3} at once, {:.3} after training on",
            format!("{name}:"),
            pruned.kept,
            fit(&model),
            fit(&after)
        );
        if name == "sp" {
            std::fs::write(&out, after.picture(256, Coords::Fer).to_png(&[]))?;
        }
    }
    println!("what the network pruned by similarity draws is in {}", out.display());
    Ok(())
}
