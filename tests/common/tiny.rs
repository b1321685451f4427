//! Small trainings.

use picloom::network::{Arch, Coords, Mask, Picture};
use picloom::run::{Target, TrainJob};
use picloom::train::TrainConfig;

/// A square of colour ramps, the same bits everywhere.
pub(crate) fn ramps(size: usize) -> Target {
    let pixels = (0..size * size).map(|p| [(p % size) as f32, (p / size) as f32, 1.0]);
    let rgb = pixels.flatten().map(|v| v / size as f32).collect();
    Target::of_picture("ramps".into(), Picture { width: size, height: size, rgb })
}

/// A training of every link of an arch on the ramps.
pub(crate) fn dense(arch: &str, size: usize, train: TrainConfig) -> TrainJob {
    let network = arch.parse::<Arch>().unwrap().network();
    let wired = (network.clone(), Mask::all(network.weight_count()));
    TrainJob::new("dense", &ramps(size), Coords::Fer, wired, None, None, train)
}
