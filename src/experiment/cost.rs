//! About how long work takes, in seconds of one core \[ours\]: for estimates, on which no result
//! depends. How many seconds of a clock that is here and now, [`pace`] tells.

use super::bench::Workload;
use crate::network::kernel::Isa;
use crate::train::TrainConfig;
use std::time::{Duration, Instant};

/// A training step or a picture, a link and pixel: measured on a core with AVX-512 (docs/BENCHMARKS.md).
const LINK: f64 = 3e-11;

/// The cost of a pixel beside its links (inputs, colours, loss), in links.
const PIXEL: f64 = 90.0;

/// Measures beside the score, a link and pixel.
const MEASURED: f64 = 1e-8;

/// Whole pictures drawn, in parts, until a weight's change has the wanted effect.
const PICTURES: f64 = 1.0;

/// Judging a picture, whatever its size.
const JUDGED: f64 = 1e-4;

/// Attempts that collapse, for each hidden layer \[measured: 1216 dense networks of the committed results\].
const COLLAPSES: f64 = 0.02;

/// A training of so many steps of a network of `links` links on a picture of `size`² pixels.
pub fn training(steps: f64, links: usize, size: usize) -> f64 {
    steps * (size * size) as f64 * (links as f64 + PIXEL) * LINK
}

/// Steps of attempts that collapse, on average: each is noticed some time after it happens.
pub fn lost_steps(layers: usize, train: &TrainConfig) -> f64 {
    let attempts = (COLLAPSES * layers as f64).min(f64::from(train.restarts));
    attempts * (2 * train.collapse_after).min(train.steps) as f64
}

/// The measures beside a score.
pub fn measures(links: usize, size: usize) -> f64 {
    (size * size) as f64 * links as f64 * MEASURED
}

/// A score: `weights` weights of a network of `links` links changed both ways.
pub fn scoring(weights: usize, links: usize, size: usize) -> f64 {
    let picture = PICTURES * (size * size) as f64 * (links as f64 + PIXEL) * LINK + JUDGED;
    2.0 * weights as f64 * picture
}

/// A search: breeding a genome, and drawing and judging its picture of so many pixels.
pub fn search(generations: u64, population: usize, pixels: usize) -> f64 {
    (generations * population as u64) as f64 * (1e-5 + pixels as f64 * 6e-8)
}

/// Seconds of a clock for a second of one core, on all threads of this machine with whatever else it has to do now:
/// training steps are timed for a tenth of a second.
pub fn pace() -> f64 {
    const SIZE: usize = 128;
    let case = Workload::dense("pace", "4;gaussian:8,sin:8");
    let weights = &case.model.weights.0;
    let (mut objective, mut gradient) =
        (case.objective(SIZE, Isa::best()), vec![0.0; weights.len()]);
    let (begun, mut steps) = (Instant::now(), 0.0);
    while begun.elapsed() < Duration::from_millis(100) {
        objective.loss_and_gradient(weights, &mut gradient);
        steps += 1.0;
    }
    begun.elapsed().as_secs_f64() / training(steps, weights.len(), SIZE)
}
