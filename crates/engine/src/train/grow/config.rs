//! What decides a growth, beside the settings of its trainings.

use crate::base::names::names;
use crate::base::refusal::Refusal;
use crate::base::settings::{Settings, settings};
use crate::math::Activation;
use crate::train::TrainConfig;
use crate::train::schedule::{Schedule, Shape};
use serde::{Deserialize, Serialize};

/// Links of the first network: four inputs to three outputs.
pub const FIRST_LINKS: usize = 12;

/// What chooses the place of a new link or unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum GrowBy {
    /// The gradient proposes places, and a short training of each decides.
    Gradient,
    /// Chance: the control. Its counts are those of the growth by gradient of the same seed, stage by stage.
    Random,
}

names! { GrowBy, "way to grow": Gradient "gradient", Random "random" }

settings! {
    /// Settings of a growth (METHODS §8b).
    #[derive(Clone, Debug, PartialEq)]
    #[serde(deny_unknown_fields, default)]
    pub struct GrowConfig: flags "Growth" {
        /// What chooses the place of a new link or unit: gradient, or random, its control.
        by: GrowBy = GrowBy::Gradient;
        /// Growth ends at this R².
        until_r2: f64 = 0.97, range: Range::INSIDE, value: "R2", source: "ours";
        /// Growth ends before it has more links than these.
        ///
        /// The first network has [`FIRST_LINKS`].
        most_links: usize = 100, range: Range::at_least(FIRST_LINKS as f64), value: "LINKS", source: "ours";
        /// Optimizer steps of each stage; every stage begins with a new optimizer.
        steps: u64 = 500, range: Range::at_least(1.0), source: "ours";
        /// Steps that each proposal is trained to be compared with the others.
        trial_steps: u64 = 200, range: Range::at_least(1.0), value: "STEPS", source: "ours";
        /// Links, and drawn units, that are tried in a stage: those with the largest gradients.
        tries: usize = 8, range: Range::at_least(1.0), value: "N", source: "ours";
        /// Units with random inputs whose gradients are looked at in a stage.
        draws: usize = 128, range: Range::at_least(1.0), value: "N", source: "ours";
        /// What new units may compute.
        unit_activations: Vec<Activation> = USUAL.to_vec(), value: "NAMES", source: "ours";
    }
}

/// Activations of new units: those of evolved pictures.
const USUAL: [Activation; 6] = [
    Activation::Cos,
    Activation::Gaussian,
    Activation::Identity,
    Activation::Sigmoid,
    Activation::Sin,
    Activation::Tanh,
];

impl GrowConfig {
    /// The usual training of a stage: Adam, its rate falling from .03 as a cosine \[ours\].
    pub fn recipe() -> TrainConfig {
        TrainConfig {
            steps: GrowConfig::default().steps,
            log_every: 50,
            schedule: Schedule { lr: 0.03, shape: Shape::Cosine, ..Schedule::default() },
            ..TrainConfig::default()
        }
    }

    /// Verifies these settings and those of the trainings; `pixels` is P of the target.
    ///
    /// # Errors
    /// The first setting outside its range, or one of `train` that a growth has no use for.
    pub fn check(&self, train: &TrainConfig, pixels: usize) -> Result<(), Refusal> {
        self.check_ranges().map_err(|refusal| refusal.prefixed("growth setting "))?;
        let made = self.unit_activations.iter().any(|a| !a.is_linear())
            && !self.unit_activations.contains(&Activation::Cache);
        let expected = "an activation that is not linear, and no cache, which layerizing makes";
        let names: Vec<_> = self.unit_activations.iter().map(|a| a.name()).collect();
        Refusal::unless(made, "growth setting unit_activations", expected, names.join(", "))?;
        for (name, given) in [
            ("target_loss", train.target_loss.is_some()),
            ("checkpoints", !train.checkpoints.is_empty()),
            ("subsample", train.subsample.is_some()),
        ] {
            let at = format!("training setting {name}");
            Refusal::unless(!given, at, "none in a growth", "one")?;
        }
        train.check(pixels)
    }
}
