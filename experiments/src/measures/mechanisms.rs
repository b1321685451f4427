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

use picloom::base::SimRng;
use picloom::base::stats::{mean, standard_error};
use picloom::network::kernel::{Objective, render};
use picloom::network::{Mask, Model, Picture, PixelInputs};
use picloom::score::JudgeError;
use picloom::score::measures::own::{Column, Measures, Numbers, Subject};
use std::collections::BTreeMap;

/// Length of the step of sharpness, as a share of the weights' own (ρ of Kwon et al. 2021).
pub(crate) const RHO: f64 = 0.1;
/// Random pictures behind the trace of the curvature.
const SIGNS: usize = 48;
/// Batches behind the noise of the gradient.
const BATCHES: usize = 32;

/// The three mechanisms at one network.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Mechanisms {
    /// MSE to the target over all pixels.
    pub loss: f64,
    /// Flatness: rise of the loss at the end of the step of length [`RHO`] that raises it most to first
    /// order, each unit's incoming weights in units of their norm. Does not change if a unit's weights are
    /// measured in another unit.
    pub sharpness: f64,
    /// Flatness: trace of the loss's Hessian over the living weights (Hutchinson).
    pub hessian_trace: f64,
    /// Its standard error over directions.
    pub hessian_error: f64,
    /// Noise: trace of the covariance, over pixels, of a pixel's gradient. Descent on batches of B pixels
    /// at rate η has η/B times this as its noise; on all pixels (FER's recipe) it has none.
    pub gradient_variance: f64,
    /// Norm: sum of squares of the living weights.
    pub norm: f64,
}

impl Mechanisms {
    /// Of a model that is to draw `target`, (S, S). Directions and batches are drawn from `rng`; does not
    /// depend on the number of threads.
    ///
    /// # Panics
    /// If the target has not as many pixels as `inputs`.
    pub(crate) fn of(
        model: &Model,
        inputs: &PixelInputs,
        target: &Picture,
        rng: &mut SimRng,
    ) -> Self {
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

    /// Of the numbers that a record keeps, without `mechanisms_` before their names; NaN for one that it lacks.
    pub(crate) fn of_record(numbers: &BTreeMap<String, Option<f64>>) -> Self {
        let of = |name: &str| numbers.get(name).copied().flatten().unwrap_or(f64::NAN);
        Mechanisms {
            loss: of("loss"),
            sharpness: of("sharpness"),
            hessian_trace: of("hessian_trace"),
            hessian_error: of("hessian_error"),
            gradient_variance: of("gradient_variance"),
            norm: of("norm"),
        }
    }

    /// √(‖w‖² tr H): up to a constant the least PAC-Bayes bound over Gaussians about the weights, in which
    /// flatness and norm are exchanged (prior N(0, s²), any s).
    pub(crate) fn pac_bayes(&self) -> f64 {
        (self.norm * self.hessian_trace.max(0.0)).sqrt()
    }
}

/// The mechanisms at a network that a study measures.
pub(crate) struct OfDescent;

const fn column(name: &'static str, label: &'static str, says: &'static str) -> Column {
    Column { name, label, says, before: Some("modules_density") }
}

impl Measures for OfDescent {
    fn key(&self) -> &'static str {
        "mechanisms"
    }

    fn columns(&self) -> &[Column] {
        const COLUMNS: [Column; 6] = [
            column(
                "mechanisms_gradient_variance",
                "mechanisms gradient variance",
                "Trace of the covariance, over pixels, of a pixel's gradient: the noise of minibatches.",
            ),
            column(
                "mechanisms_hessian_error",
                "mechanisms hessian error",
                "Standard error of `mechanisms_hessian_trace` over directions.",
            ),
            column(
                "mechanisms_hessian_trace",
                "mechanisms hessian trace",
                "Trace of the loss's Hessian over the living weights (Hutchinson): flatness.",
            ),
            column(
                "mechanisms_loss",
                "mechanisms loss",
                "Mean squared error to the target where the mechanisms were measured.",
            ),
            column("mechanisms_norm", "mechanisms norm", "Sum of squares of the living weights."),
            column(
                "mechanisms_sharpness",
                "mechanisms sharpness",
                "Rise of the loss at the end of the short step that raises it most, weights in units of each unit's norm: flatness.",
            ),
        ];
        &COLUMNS
    }

    fn of(&self, network: &Subject<'_>) -> Result<Numbers, JudgeError> {
        let inputs = PixelInputs::full(network.target.width, network.view.coords());
        let mut rng = SimRng::new(network.seed, "mechanisms", 0);
        let found = Mechanisms::of(network.model, &inputs, network.target, &mut rng);
        let all = vec![
            ("mechanisms_loss", found.loss),
            ("mechanisms_sharpness", found.sharpness),
            ("mechanisms_hessian_trace", found.hessian_trace),
            ("mechanisms_hessian_error", found.hessian_error),
            ("mechanisms_gradient_variance", found.gradient_variance),
            ("mechanisms_norm", found.norm),
        ];
        Ok(all.into_iter().filter(|(_, value)| value.is_finite()).collect())
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
