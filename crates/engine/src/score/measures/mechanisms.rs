//! Three mechanisms that may bias gradient descent, measured at a network's weights.
//!
//! Do et al. (arXiv 2606.19941) name them without a formula; their references suggest flatness (Keskar et al. 2017;
//! Foret et al. 2021; Kwon et al. 2021), gradient noise (Smith & Le 2018; McCandlish et al. 2018) and norms
//! in PAC-Bayes bounds (Neyshabur et al. 2017). Which formulas is **\[ours\]**. All depend on the loss, so
//! networks are compared at equal R².
//!
//! Sharpness: L(w + ρT²g/‖Tg‖) − L(w), ρ = .1, T the norm of each unit's incoming weights. Trace of the Hessian in its
//! Gauss–Newton form: (2/3P)·E‖Jᵀu‖², 48 random signs u (3P,). Noise: trace of the covariance of a pixel's gradient,
//! from 32 batches. Norm: ‖w‖². Sharpness is any number, the others are at least 0.
//!
//! In: a model, inputs and target of P pixels. Out: a number each.
//! Cost: 49 gradients over P pixels, one more in batches, two drawings.
//!
//! None of them says whether parts of a network mean something.

use crate::base::SimRng;
use crate::base::stats::{mean, standard_error};
use crate::base::text::{nan, number_or_null};
use crate::network::kernel::{Objective, render};
use crate::network::{Mask, Model, Picture, PixelInputs};
use serde::{Deserialize, Serialize};

/// Length of the step of sharpness, as a share of the weights' own (ρ of Kwon et al. 2021).
pub const RHO: f64 = 0.1;
/// Random pictures behind the trace of the curvature.
const SIGNS: usize = 48;
/// Batches behind the noise of the gradient.
const BATCHES: usize = 32;

/// The three mechanisms at one network.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Mechanisms {
    /// MSE to the target over all pixels.
    #[serde(deserialize_with = "number_or_null", default = "nan")]
    pub loss: f64,
    /// Flatness: rise of the loss at the end of the step of length [`RHO`] that raises it most to first
    /// order, each unit's incoming weights in units of their norm. Does not change if a unit's weights are
    /// measured in another unit.
    #[serde(deserialize_with = "number_or_null", default = "nan")]
    pub sharpness: f64,
    /// Flatness: trace of the loss's Hessian over the living weights (Hutchinson).
    #[serde(deserialize_with = "number_or_null", default = "nan")]
    pub hessian_trace: f64,
    /// Its standard error over directions.
    #[serde(deserialize_with = "number_or_null", default = "nan")]
    pub hessian_error: f64,
    /// Noise: trace of the covariance, over pixels, of a pixel's gradient. Descent on batches of B pixels
    /// at rate η has η/B times this as its noise; on all pixels (FER's recipe) it has none.
    #[serde(deserialize_with = "number_or_null", default = "nan")]
    pub gradient_variance: f64,
    /// Norm: sum of squares of the living weights.
    #[serde(deserialize_with = "number_or_null", default = "nan")]
    pub norm: f64,
}

impl Mechanisms {
    /// Of a model that is to draw `target`, (S, S). Directions and batches are drawn from `rng`; does not
    /// depend on the number of threads.
    ///
    /// # Panics
    /// If the target has not as many pixels as `inputs`.
    pub fn of(model: &Model, inputs: &PixelInputs, target: &Picture, rng: &mut SimRng) -> Self {
        let mask = Mask::non_zero(&model.weights);
        let mut objective = Objective::new(&model.network, &mask, inputs, &target.rgb);
        let weights = &model.weights.0;
        let mut gradient = vec![0.0; weights.len()];
        let loss = objective.loss_and_gradient(weights, &mut gradient);
        let at = filter_step(model, &gradient);
        let sharpness = objective.loss(&at) - loss;
        let (hessian_trace, hessian_error) = trace(model, &mask, inputs, rng);
        let gradient_variance = variance(&mut objective, inputs.pixels(), weights, &gradient, rng);
        Mechanisms {
            loss,
            sharpness,
            hessian_trace,
            hessian_error,
            gradient_variance,
            norm: squares(weights),
        }
    }

    /// √(‖w‖² tr H): up to a constant the least PAC-Bayes bound over Gaussians about the weights, in which
    /// flatness and norm are exchanged (prior N(0, s²), any s).
    pub fn pac_bayes(&self) -> f64 {
        (self.norm * self.hessian_trace.max(0.0)).sqrt()
    }
}

fn squares(values: &[f32]) -> f64 {
    values.iter().map(|&v| f64::from(v).powi(2)).sum()
}

/// The weights after the step ρ T²g/‖Tg‖, T the norm of each unit's incoming weights.
fn filter_step(model: &Model, gradient: &[f32]) -> Vec<f32> {
    let mut norms = vec![0.0; gradient.len()];
    for unit in &model.network.units {
        let norm = squares(&model.weights.0[unit.links.clone()]).sqrt();
        norms[unit.links.clone()].fill(norm);
    }
    let scaled: f64 =
        norms.iter().zip(gradient).map(|(t, &g)| (t * f64::from(g)).powi(2)).sum::<f64>().sqrt();
    if scaled == 0.0 {
        return model.weights.0.clone();
    }
    let moved = model.weights.0.iter().zip(gradient).zip(&norms);
    moved.map(|((&w, &g), t)| (f64::from(w) + RHO * t * t * f64::from(g) / scaled) as f32).collect()
}

/// (2/3P)·E‖Jᵀu‖² over random signs u of pixels and channels, with its standard error. The gradient of the
/// loss to the target y − u, y the picture, is (2/3P)·Jᵀu.
fn trace(model: &Model, mask: &Mask, inputs: &PixelInputs, rng: &mut SimRng) -> (f64, f64) {
    let drawn = render(&model.network, &model.weights, inputs);
    let mut gradient = vec![0.0; model.weights.0.len()];
    let found: Vec<f64> = (0..SIGNS)
        .map(|_| {
            let shifted = |y: &f32| if rng.chance(0.5) { y - 1.0 } else { y + 1.0 };
            let target: Vec<f32> = drawn.iter().map(shifted).collect();
            let mut objective = Objective::new(&model.network, mask, inputs, &target);
            objective.loss_and_gradient(&model.weights.0, &mut gradient);
            0.5 * drawn.len() as f64 * squares(&gradient)
        })
        .collect();
    (mean(&found).unwrap_or(0.0), standard_error(&found).unwrap_or(0.0))
}

/// Σ over weights of the variance of a pixel's gradient, from batches drawn without replacement.
fn variance(
    objective: &mut Objective,
    pixels: usize,
    weights: &[f32],
    gradient: &[f32],
    rng: &mut SimRng,
) -> f64 {
    let batch = (pixels / BATCHES).max(1);
    let mut order: Vec<u32> = (0..pixels as u32).collect();
    rng.shuffle(&mut order);
    let mut own = gradient.to_vec();
    let apart: Vec<f64> = order
        .chunks_exact(batch)
        .take(BATCHES)
        .map(|chunk| {
            objective.select(Some(chunk));
            objective.loss_and_gradient(weights, &mut own);
            own.iter().zip(gradient).map(|(a, b)| f64::from(a - b).powi(2)).sum()
        })
        .collect();
    objective.select(None);
    // A mean of n of N values drawn without replacement has (N − n)/(n(N − 1)) of their variance.
    let (n, all) = (batch as f64, pixels as f64);
    mean(&apart).unwrap_or(0.0) * n * (all - 1.0) / (all - n).max(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::network::{Arch, Coords, Weights, reference};

    /// Random weights and a target that they do not draw.
    fn small() -> (Model, PixelInputs, Picture) {
        let network = "2;gaussian:2,sin:1".parse::<Arch>().unwrap().network();
        let mut rng = SimRng::new(3, "test", 0);
        let weights = (0..network.weight_count()).map(|_| 0.5 * rng.normal() as f32).collect();
        let inputs = PixelInputs::full(16, Coords::Fer);
        let rgb = (0..3 * 256).map(|i| (i % 7) as f32 / 7.0).collect();
        (Model::new(network, Weights(weights)), inputs, Picture { width: 16, height: 16, rgb })
    }

    fn moved(weights: &[f64], k: usize, by: f64) -> Vec<f64> {
        let mut weights = weights.to_vec();
        weights[k] += by;
        weights
    }

    #[test]
    fn the_trace_is_that_of_the_references_jacobian() {
        let (model, inputs, target) = small();
        let weights: Vec<f64> = model.weights.0.iter().map(|&w| f64::from(w)).collect();
        let drawn = |k, by| reference::render(&model.network, &moved(&weights, k, by), &inputs);
        let squared = |k| ((drawn(k, 1e-6) - drawn(k, -1e-6)) / 2e-6).norm_squared();
        let exact = 2.0 / 768.0 * (0..weights.len()).map(squared).sum::<f64>();
        let found = Mechanisms::of(&model, &inputs, &target, &mut SimRng::new(1, "test", 0));
        let gap = (found.hessian_trace - exact).abs();
        assert!(found.hessian_error > 0.0 && gap < 4.0 * found.hessian_error, "{found:?} {exact}");
        // And the error is small enough to tell.
        assert!(found.hessian_error < 0.2 * exact, "{found:?} {exact}");
    }

    #[test]
    fn sharpness_is_the_rise_at_the_step_that_the_reference_takes() {
        let (model, inputs, target) = small();
        let found = Mechanisms::of(&model, &inputs, &target, &mut SimRng::new(1, "test", 0));
        let weights: Vec<f64> = model.weights.0.iter().map(|&w| f64::from(w)).collect();
        let rgb = nalgebra::DMatrix::from_fn(3, 256, |c, p| f64::from(target.rgb[3 * p + c]));
        let at =
            |weights: &[f64]| reference::loss_and_gradient(&model.network, weights, &inputs, &rgb);
        let (loss, gradient) = at(&weights);
        let (mut step, mut scaled) = (vec![0.0; weights.len()], 0.0);
        for unit in &model.network.units {
            let norm: f64 = weights[unit.links.clone()].iter().map(|w| w * w).sum();
            for k in unit.links.clone() {
                step[k] = norm * gradient[k];
                scaled += norm * gradient[k] * gradient[k];
            }
        }
        let there: Vec<f64> =
            weights.iter().zip(&step).map(|(w, s)| w + RHO * s / scaled.sqrt()).collect();
        let rise = at(&there).0 - loss;
        assert!((found.sharpness - rise).abs() < 1e-5, "{} {rise}", found.sharpness);
        assert!(rise > 0.0 && found.pac_bayes() > 0.0 && found.norm > 0.0);
    }

    #[test]
    fn the_noise_is_the_variance_of_single_pixels() {
        let (model, inputs, target) = small();
        let mask = Mask::non_zero(&model.weights);
        let mut objective = Objective::new(&model.network, &mask, &inputs, &target.rgb);
        let weights = &model.weights.0;
        let mut whole = vec![0.0; weights.len()];
        objective.loss_and_gradient(weights, &mut whole);
        let mut exact = 0.0;
        for pixel in 0..256u32 {
            let mut own = whole.clone();
            objective.select(Some(&[pixel]));
            objective.loss_and_gradient(weights, &mut own);
            exact += own.iter().zip(&whole).map(|(a, b)| f64::from(a - b).powi(2)).sum::<f64>();
        }
        exact /= 256.0;
        let drawn: Vec<f64> = (0..40)
            .map(|k| Mechanisms::of(&model, &inputs, &target, &mut SimRng::new(k, "test", 0)))
            .map(|found| found.gradient_variance)
            .collect();
        let (found, error) = (mean(&drawn).unwrap(), standard_error(&drawn).unwrap());
        assert!((found - exact).abs() < 4.0 * error && error < 0.1 * exact, "{found} {exact}");
    }
}
