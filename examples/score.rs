//! Scores an evolved network and a dense one trained on its picture: after how many changes of
//! one weight is the picture still clean? Draws the picture, and one that was judged damaged.
//!
//! `cargo run --release --example score [OUT.png]`

use picloom::genome::from_json;
use picloom::network::{Coords, Model, Picture, PixelInputs, Wiring};
use picloom::probe::{Delta, Selection, View};
use picloom::score::{Call, DlJudge, Exhibit, JudgeError, Judged, Measurement, Protocol};
use picloom::train::{Problem, TrainConfig, Trainer};
use std::path::PathBuf;

const SIZE: usize = 48;

/// Prints the score of a network on a sample of its weights. Returns the picture of the first change
/// that was judged damaged.
fn told(name: &str, model: &Model, target: &Picture) -> Result<Option<Picture>, JudgeError> {
    let exhibit = Exhibit::new(model, SIZE, Coords::Fer, Some(target));
    let protocol = Protocol { samples: Selection::Sample(24), delta: Delta::default(), seed: 0 };
    let Measurement { score, judged, .. } = protocol.measure(&exhibit, &DlJudge::default())?;
    let (low, high) = score.interval.unwrap_or((0.0, 1.0));
    println!(
        "{name}: {} changes leave it clean, {} damage it, {} are unclear, {} do nothing: score {:.2} [{low:.2}, {high:.2}]{}",
        score.clean,
        score.damaged,
        score.unclear,
        score.silent,
        score.score.unwrap_or(f64::NAN),
        if score.counts { "" } else { ", which does not count: it has not learned its picture" },
    );
    let damaged = |j: &&Judged| j.verdict.as_ref().is_some_and(|v| v.call == Call::Damaged);
    let first = judged.iter().find(damaged);
    Ok(first.map(|j| View::new(model, 256, Coords::Fer).picture_with(j.perturbation)))
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let out = std::env::args_os()
        .nth(1)
        .map_or_else(|| std::env::temp_dir().join("picloom-score.png"), PathBuf::from);
    let genome = from_json(include_str!("../genomes/bred_moth.json"))?;
    let evolved = Model::of_genome(&genome, Wiring::Graph);
    let target = evolved.picture(SIZE, Coords::Fer);
    told("evolved", &evolved, &target)?;

    let mut dense = Model::of_genome(&genome, Wiring::Dense);
    let problem = Problem {
        mask: dense.mask.clone(),
        network: dense.network.clone(),
        inputs: PixelInputs::full(SIZE, Coords::Fer),
        target: target.clone(),
        start: None,
    };
    let config = TrainConfig { steps: 4000, ..TrainConfig::default() };
    let mut trainer = Trainer::new(problem, config)?;
    trainer.run(&mut ());
    dense.weights = trainer.state().weights.clone();
    if let Some(damaged) = told("trained", &dense, &target)? {
        std::fs::write(&out, damaged.to_png(&[]))?;
        println!("a damaged picture of the trained network is in {}", out.display());
    }
    Ok(())
}
