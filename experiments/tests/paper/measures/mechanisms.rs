//! Flatness, noise and norm against the reference's derivatives.

use crate::measures::mechanisms::{Mechanisms, RHO};
use picloom::base::SimRng;
use picloom::base::stats::{mean, standard_error};
use picloom::network::kernel::Objective;
use picloom::network::{Arch, Coords, Mask, Model, Picture, PixelInputs, Weights, reference};

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
    let at = |weights: &[f64]| reference::loss_and_gradient(&model.network, weights, &inputs, &rgb);
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
