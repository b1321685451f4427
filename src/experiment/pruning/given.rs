//! Weights that came without a run, as the run that pruning begins from.

use crate::experiment::run::{LoadedRun, RunResult, Target, TrainJob};
use crate::network::kernel::render;
use crate::network::{Coords, Mask, Model, Network, Picture, PixelInputs, Weights};
use crate::score::Fit;
use crate::train::{StopReason, TrainConfig, TrainReport};

/// Trained (W,) weights of a layered network as a finished run of no steps, arm `given`. Its id is a
/// hash of network, mask, weights and target.
///
/// `initial` are the weights before their training: without them there is nothing to rewind to, and
/// `sp-untrained` and `sparse-training` refuse.
pub fn given_run(
    (network, mask): (Network, Mask),
    weights: Weights,
    initial: Option<Weights>,
    target: &Target,
    coords: Coords,
) -> LoadedRun {
    let job = TrainJob::new(
        "given",
        target,
        coords,
        (network, mask),
        Some(weights.clone()),
        None,
        TrainConfig { steps: 0, ..TrainConfig::default() },
    );
    let (config, problem) = (job.config, job.problem);
    let picture = &target.picture;
    let inputs = PixelInputs::full(config.size, coords);
    let drawn = Picture {
        width: picture.width,
        height: picture.height,
        rgb: render(&problem.network, &weights, &inputs),
    };
    let result = RunResult {
        run_id: config.run_id(),
        arm: config.arm.clone(),
        kept: problem.mask.kept(),
        links: problem.mask.0.len(),
        train: TrainReport {
            stop: StopReason::StepLimit,
            steps: 0,
            evaluations: 0,
            final_loss: drawn.mse(picture),
            collapses: Vec::new(),
            note: None,
        },
        fit: Fit::of(&drawn, picture),
    };
    LoadedRun {
        config,
        result,
        model: Model { network: problem.network, mask: problem.mask, weights },
        start: initial,
        target: picture.clone(),
        genome: None,
    }
}
