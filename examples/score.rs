//! Scores an evolved network and a dense one trained on its picture: after how many changes of
//! one weight is the picture still clean? Draws the picture, and one that was judged damaged.
//!
//! `cargo run --release --example score [OUT.png]`

use picloom::genome::from_json;
use picloom::math::SimRng;
use picloom::network::kernel::{self, Perturber};
use picloom::network::{Coords, Mask, Network, Picture, PixelInputs, Weights, compile, layerize};
use picloom::probe::{Delta, Selection, sweep};
use picloom::score::{DlJudge, JudgeError, Label, score};
use picloom::train::{Problem, TrainConfig, Trainer};
use std::path::PathBuf;

const SIZE: usize = 48;

/// Prints the score of a network on a sample of its weights. Returns the picture of the first change
/// that was judged damaged.
fn told(
    name: &str,
    network: &Network,
    weights: &Weights,
    target: &Picture,
) -> Result<Option<Picture>, JudgeError> {
    let perturber = Perturber::new(network, weights, &PixelInputs::full(SIZE, Coords::Fer));
    let links = Selection::Sample(24).links(network, weights, &mut SimRng::new(0, "sample", 0));
    let swept = sweep(network, weights, &perturber, SIZE, &links, Delta::default(), &|_| {});
    let judge = DlJudge::default();
    let (score, judged) = score(network, weights, &perturber, &swept, &judge, Some(target))?;
    let (low, high) = score.interval.unwrap_or((0.0, 1.0));
    println!(
        "{name}: {} changes leave it clean, {} damage it, {} do nothing: score {:.2} [{low:.2}, {high:.2}]{}",
        score.coherent,
        score.fractured,
        score.silent,
        score.score.unwrap_or(f64::NAN),
        if score.counts { "" } else { ", which does not count: it has not learned its picture" },
    );
    let damaged = |label: Label| label == Label::Fractured;
    let first = judged.iter().find(|j| j.verdict.as_ref().is_some_and(|v| damaged(v.label)));
    Ok(first.map(|j| {
        let mut changed = weights.clone();
        changed.0[j.perturbation.link] += j.perturbation.delta as f32;
        kernel::picture(network, &changed, 256, Coords::Fer)
    }))
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let out = std::env::args_os()
        .nth(1)
        .map_or_else(|| std::env::temp_dir().join("picloom-score.png"), PathBuf::from);
    let genome = from_json(include_str!("../genomes/mask.json"))?;
    let (evolved, weights) = compile(&genome);
    let target = kernel::picture(&evolved, &weights, SIZE, Coords::Fer);
    told("evolved", &evolved, &weights, &target)?;

    let dense = layerize(&genome).network;
    let problem = Problem {
        mask: Mask::all(dense.weight_count()),
        network: dense.clone(),
        inputs: PixelInputs::full(SIZE, Coords::Fer),
        target: target.clone(),
        start: None,
    };
    let config = TrainConfig { steps: 800, ..TrainConfig::default() };
    let mut trainer = Trainer::new(problem, config)?;
    trainer.run(&mut ());
    if let Some(damaged) = told("trained", &dense, &trainer.state().weights, &target)? {
        std::fs::write(&out, damaged.to_png(&[]))?;
        println!("a damaged picture of the trained network is in {}", out.display());
    }
    Ok(())
}
