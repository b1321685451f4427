//! Gradient descent on a genome's weights: what a generation may learn before it is judged.

use super::config::RefineConfig;
use crate::genome::{Genome, InnovationId};
use crate::network::kernel::Objective;
use crate::network::{Mask, PixelInputs, compile};
use crate::train::optimizer::{GradientRule, Layout, Optimizer, OptimizerConfig};

/// A genome with learned weights, and which they are.
#[derive(Clone, Debug)]
pub struct Refined {
    /// The genome with the best weights met on the way.
    pub genome: Genome,
    /// The weights that changed.
    pub learned: Vec<(InnovationId, f64)>,
    /// MSE before and after.
    pub loss: (f64, f64),
}

/// `steps` of Adam on the normalised gradient of the MSE to `target` (P, 3), from the genome's own
/// weights; weights stay within ±`limit`. Keeps the best weights seen, so the loss never rises.
/// A gradient of zero or a loss that is not finite ends it early.
///
/// # Panics
/// If `target` is not the rgb of every pixel of `inputs`.
pub fn refine(
    genome: &Genome,
    config: &RefineConfig,
    limit: f64,
    inputs: &PixelInputs,
    target: &[f32],
) -> Refined {
    let (network, weights) = compile(genome);
    let owners = owners(genome);
    let mask = Mask::all(weights.0.len());
    let mut objective = Objective::new(&network, &mask, inputs, target);
    let layout = Layout::vector(weights.0.len());
    let mut optimizer: Optimizer<f32> =
        Optimizer::new(&OptimizerConfig::default(), &layout).expect("Adam's defaults are possible");
    let limit = limit as f32;
    let mut w = weights.0.clone();
    let (mut first, mut best, mut best_w) = (f64::NAN, f64::INFINITY, w.clone());
    for step in 0..config.steps {
        let before = w.clone();
        let seen = optimizer.step(
            &mut w,
            &mask,
            config.learning_rate,
            GradientRule::Normalize,
            &mut |w, g| objective.loss_and_gradient(w, g),
        );
        if step == 0 {
            first = seen.loss;
        }
        if seen.loss < best {
            (best, best_w) = (seen.loss, before);
        }
        if !seen.is_finite() || seen.gradient_norm == 0.0 {
            break;
        }
        w.iter_mut().for_each(|w| *w = w.clamp(-limit, limit));
    }
    let last = objective.loss(&w);
    if last < best {
        (best, best_w) = (last, w);
    }
    let mut refined = genome.clone();
    let mut learned = Vec::new();
    for ((&innovation, &new), &old) in owners.iter().zip(&best_w).zip(&weights.0) {
        if new != old {
            let weight = f64::from(new);
            refined
                .set_weight(innovation, weight)
                .expect("a finite weight of a link that is there");
            learned.push((innovation, weight));
        }
    }
    Refined { genome: refined, learned, loss: (first, best) }
}

/// For each weight of the compiled genome, the connection it comes from, (W,).
///
/// Compiles a copy whose weights are the places of its connections: exact in f32 below 2²⁴.
fn owners(genome: &Genome) -> Vec<InnovationId> {
    let ids: Vec<InnovationId> = genome.connections().map(|c| c.innovation).collect();
    let mut tagged = genome.clone();
    for (place, &id) in ids.iter().enumerate() {
        tagged.set_weight(id, place as f64).expect("a finite weight of a link that is there");
    }
    let (_, tags) = compile(&tagged);
    tags.0.iter().map(|&tag| ids[tag as usize]).collect()
}
