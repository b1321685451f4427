//! A pruning method of one's own, without a fork: a type that scores links, known by a name. Prunes a trained network by
//! it and by magnitude, trains both on, and compares what they draw.
//!
//! `cargo run --release --example own_method [OUT.png]`
//!
//! A program that calls `picloom::cli::run(std::env::args_os())` after [`add_method`] is the whole command with this
//! method in it: `--method own:far-from-mean` and, in specs, `method = "own:far-from-mean"`.

use picloom::base::SimRng;
use picloom::base::refusal::Refusal;
use picloom::genome::from_json;
use picloom::network::{Coords, Model, Picture, PixelInputs, Weights, Wiring};
use picloom::prune::{EdgeContext, LinkScorer, Orphans, Rule, add_method, prune};
use picloom::score::Fit;
use picloom::train::{Problem, TrainConfig, Trainer};
use std::path::PathBuf;

/// Keeps the links whose weights are farthest from the mean weight of their layer.
pub(crate) struct FarFromMean;

impl LinkScorer for FarFromMean {
    fn scores(&self, round: &EdgeContext<'_>, _: Rule, _: &mut SimRng) -> Result<Vec<f64>, String> {
        let (network, weights) = (round.network, &round.weights.0);
        let layer = |link: usize| network.units[network.links[link].target].layer;
        let mut sums = vec![(0.0, 0.0); network.depth() + 1];
        for link in (0..weights.len()).filter(|&link| round.mask.0[link]) {
            let (sum, count) = &mut sums[layer(link)];
            *sum += f64::from(weights[link]);
            *count += 1.0;
        }
        let mean = |link: usize| sums[layer(link)].0 / f64::max(sums[layer(link)].1, 1.0);
        Ok((0..weights.len()).map(|i| (f64::from(weights[i]) - mean(i)).abs()).collect())
    }
}

const SIZE: usize = 48;

/// `model` after 2000 steps on the links of its mask, from `start` or from random weights.
fn trained(model: &Model, target: &Picture, start: Option<Weights>) -> Result<Model, Refusal> {
    let problem = Problem {
        network: model.network.clone(),
        mask: model.mask.clone(),
        inputs: PixelInputs::full(SIZE, Coords::Fer),
        target: target.clone(),
        start,
    };
    let config = TrainConfig { steps: 2000, ..TrainConfig::default() };
    let mut trainer = Trainer::new(problem, config)?;
    trainer.run(&mut ());
    Ok(Model { weights: trainer.state().weights.clone(), ..model.clone() })
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let out = std::env::args_os()
        .nth(1)
        .map_or_else(|| std::env::temp_dir().join("picloom-own-method.png"), PathBuf::from);
    add_method("far-from-mean", FarFromMean)?;
    let genome = from_json(include_str!("../genomes/bred_moth.json"))?;
    let target = Model::of_genome(&genome, Wiring::Graph).picture(SIZE, Coords::Fer);
    let dense = trained(&Model::of_genome(&genome, Wiring::Dense), &target, None)?;

    // Every method of a program's own has maps and gradient to look at.
    let maps = dense.maps(SIZE, Coords::Fer);
    let context = EdgeContext::new(&dense.network, &dense.weights, &dense.mask).with_maps(&maps);
    let rule = Rule::Budget(dense.mask.kept() / 2);
    for name in ["own:far-from-mean", "magnitude"] {
        let mut rng = SimRng::new(0, "example", 0);
        let pruned = prune(name.parse()?, rule, Orphans::Refill, &context, &mut rng)?;
        let model = Model { mask: pruned.live, weights: pruned.weights, ..dense.clone() };
        let after = trained(&model, &target, Some(model.weights.clone()))?;
        let r2 = Fit::of(&after.picture(SIZE, Coords::Fer), &target).r2;
        println!("{name:<18} {} links, R² {r2:.3} after training on", pruned.kept);
        if name != "magnitude" {
            std::fs::write(&out, after.picture(256, Coords::Fer).to_png(&[]))?;
        }
    }
    println!("what the network pruned by the own method draws is in {}", out.display());
    Ok(())
}
