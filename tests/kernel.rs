//! The fast kernel against the plain f64 reference.

use nalgebra::DMatrix;
use picloom::math::SimRng;
use picloom::network::kernel::{Objective, Perturber, feature_maps, render};
use picloom::network::{Arch, Coords, Mask, PixelInputs, Weights, reference};

#[test]
fn one_small_network_agrees_with_the_reference() {
    let network = "3;cache:2,cos:1,gaussian:2,identity:1,relu:1,sigmoid:1,sin:1,tanh:1"
        .parse::<Arch>()
        .unwrap()
        .network();
    let mut rng = SimRng::new(3, "test", 0);
    let weights = Weights(
        (0..network.weight_count())
            .map(|_| 0.4 * rng.normal() as f32)
            .collect(),
    );
    let inputs = PixelInputs::full(17, Coords::Fer);
    let target: Vec<f32> = (0..3 * inputs.pixels())
        .map(|_| rng.uniform() as f32)
        .collect();
    let wide: Vec<f64> = weights.0.iter().map(|&w| f64::from(w)).collect();
    let picture = reference::render(&network, &wide, &inputs);
    let drawn = render(&network, &weights, &inputs);
    for (a, b) in drawn.iter().zip(picture.iter()) {
        assert!((f64::from(*a) - b).abs() < 2e-5);
    }
    let maps = feature_maps(&network, &weights, &inputs);
    let expected = reference::forward(&network, &wide, &inputs);
    for u in 0..maps.units {
        for (a, b) in maps.unit(u).iter().zip(expected.column(u).iter()) {
            assert!((f64::from(*a) - b).abs() < 2e-5);
        }
    }
    let wide_target = DMatrix::from_iterator(3, inputs.pixels(), target.iter().map(|&t| t.into()));
    let (loss, gradient) = reference::loss_and_gradient(&network, &wide, &inputs, &wide_target);
    let mut objective = Objective::new(
        &network,
        &Mask::all(network.weight_count()),
        &inputs,
        &target,
    );
    let mut found = vec![0.0; gradient.len()];
    let fast = objective.loss_and_gradient(&weights.0, &mut found);
    assert!((fast - loss).abs() < 1e-5 * loss, "{fast} against {loss}");
    let norm = gradient.iter().map(|g| g * g).sum::<f64>().sqrt();
    let error = gradient
        .iter()
        .zip(&found)
        .map(|(g, f)| (g - f64::from(*f)).powi(2))
        .sum::<f64>()
        .sqrt();
    assert!(error < 1e-4 * norm, "error {error}, norm {norm}");

    let perturber = Perturber::new(&network, &weights, &inputs);
    let mut changed = weights.clone();
    changed.0[20] = -0.7;
    let mut out = vec![0.0; drawn.len()];
    let mut scratch = perturber.scratch();
    perturber.with_weight(&mut scratch, 20, -0.7, &mut out);
    assert_eq!(out, render(&network, &changed, &inputs));
    assert_eq!(perturber.base(), drawn);
}
