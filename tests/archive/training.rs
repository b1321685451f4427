//! The reference path against a float64 JAX/optax trace and against FER's trained networks.

use crate::reference_step::evaluate;
use nalgebra::DMatrix;
use picloom::genome;
use picloom::network::kernel::Objective;
use picloom::network::npz::{Array, read_npz};
use picloom::network::weight_files::{read_weights, read_weights_under};
use picloom::network::{
    Coords, DenseBlock, Mask, Network, Picture, PixelInputs, layerize, reference,
};
use picloom::train::optimizer::Scalar;
use picloom::train::{GradientRule, Layout, Optimizer, OptimizerConfig};
use std::collections::BTreeMap;
use std::path::Path;

fn network_of(archive: &Path, name: &str) -> Network {
    layerize(&genome::read(&archive.join(format!("fer/{name}.zip"))).unwrap()).network
}

/// A published trace: its network, its arrays, and the picture that it was trained on.
struct Trace {
    network: Network,
    arrays: BTreeMap<String, Array>,
    inputs: PixelInputs,
    target: DMatrix<f64>,
}

impl Trace {
    fn of(archive: &Path, name: &str) -> Self {
        let bytes = std::fs::read(archive.join(format!("fer/{name}_adam_trace_64.npz"))).unwrap();
        let arrays = read_npz(&bytes).unwrap();
        let target = DMatrix::from_column_slice(3, 4096, &arrays["target"].values);
        let (network, inputs) = (network_of(archive, name), PixelInputs::full(64, Coords::Fer));
        Trace { network, arrays, inputs, target }
    }

    /// float64 kernels, straight from the arrays: reading them as `Weights` would round them.
    fn kernels(&self, prefix: &str) -> Vec<f64> {
        let of = |(i, block): (usize, &DenseBlock)| {
            let kernel = &self.arrays[&format!("{prefix}.Dense_{i}.kernel")];
            assert_eq!(kernel.shape, [block.sources.len(), block.targets.len()]);
            let matrix = DMatrix::from_row_slice(kernel.shape[0], kernel.shape[1], &kernel.values);
            matrix.as_slice().to_vec()
        };
        self.network.blocks.iter().enumerate().flat_map(of).collect()
    }
}

fn norm(values: impl Iterator<Item = f64>) -> f64 {
    values.map(|g| g * g).sum::<f64>().sqrt()
}

fn wide(weights: &[f32]) -> Vec<f64> {
    weights.iter().map(|&w| f64::from(w)).collect()
}

pub(crate) fn trained_networks_have_the_published_errors(archive: &Path) {
    for (name, against_png, against_float) in
        [("skull", 4.2941e-4, 4.2102e-4), ("butterfly", 2.3714e-4, 1.9358e-4)]
    {
        let network = network_of(archive, name);
        let weights = read_weights(&archive.join(format!("fer/{name}_sgd.npz")), &network).unwrap();
        let evolved =
            read_weights(&archive.join(format!("fer/{name}_picbreeder.npz")), &network).unwrap();
        let inputs = PixelInputs::full(256, Coords::Fer);
        let drawn = reference::render(&network, &wide(&weights.0), &inputs);
        let target = reference::render(&network, &wide(&evolved.0), &inputs);
        let float = (&drawn - &target).norm_squared() / drawn.len() as f64;
        let png = Picture::read(&archive.join(format!("fer/{name}_picbreeder.png"))).unwrap();
        let png = DMatrix::from_iterator(3, 256 * 256, png.rgb.iter().map(|&v| f64::from(v)));
        let eight_bit = (&drawn - &png).norm_squared() / drawn.len() as f64;
        assert!((float / against_float - 1.0).abs() < 0.01, "{name}: {float}");
        assert!((eight_bit / against_png - 1.0).abs() < 0.01, "{name}: {eight_bit}");
    }
}

pub(crate) fn the_reference_follows_the_traces(archive: &Path) {
    for name in ["skull", "butterfly"] {
        let trace = Trace::of(archive, name);
        let Trace { network, arrays, inputs, target } = &trace;
        let (loss, gradient) =
            reference::loss_and_gradient(network, &trace.kernels("init"), inputs, target);
        assert!((loss / arrays["losses"].values[0] - 1.0).abs() < 1e-5, "{name}: loss {loss}");
        let off = norm(gradient.iter().zip(trace.kernels("grad0")).map(|(a, b)| a - b));
        let error = off / norm(gradient.iter().copied());
        assert!(error < 1e-10, "{name}: gradient error {error:e} of its norm");
    }
}

pub(crate) fn the_fast_path_starts_like_the_traces(archive: &Path) {
    for name in ["skull", "butterfly"] {
        let trace = Trace::of(archive, name);
        let Trace { network, arrays, inputs, target } = &trace;
        let path = archive.join(format!("fer/{name}_adam_trace_64.npz"));
        let [mut weights, expected] =
            ["init.", "grad0."].map(|prefix| read_weights_under(&path, network, prefix).unwrap().0);
        let target: Vec<f32> = target.iter().map(|&v| v as f32).collect();
        let mask = Mask::all(network.weight_count());
        let mut objective = Objective::new(network, &mask, inputs, &target);

        let mut gradient = vec![0.0; network.weight_count()];
        objective.loss_and_gradient(&weights, &mut gradient);
        let difference = norm(gradient.iter().zip(&expected).map(|(a, b)| f64::from(a - b)));
        let error = difference / norm(expected.iter().map(|&g| f64::from(g)));
        assert!(error < 1e-4, "{name}: gradient error {error:e} of its norm");

        let config = OptimizerConfig::default();
        let mut adam = Optimizer::new(&config, &Layout::of(network)).unwrap();
        for (step, expected) in arrays["losses"].values.iter().take(3).enumerate() {
            let rule = GradientRule::Normalize;
            let loss = adam
                .step(&mut weights, &mask, 3e-3, rule, &mut |w, g| {
                    objective.loss_and_gradient(w, g)
                })
                .loss;
            let relative = (loss / expected - 1.0).abs();
            assert!(relative < 1e-4, "{name} step {step}: {loss} against {expected}");
        }
    }
}

/// Losses of the first steps of the `fer` recipe on an archive trace.
fn fer_losses<T: Scalar>(archive: &Path, name: &str, steps: usize) -> Vec<(f64, f64)> {
    let trace = Trace::of(archive, name);
    let Trace { network, arrays, inputs, target } = &trace;
    let mut weights: Vec<T> = trace.kernels("init").into_iter().map(T::narrow).collect();
    let adam = OptimizerConfig::default();
    let mut optimizer = Optimizer::<T>::new(&adam, &Layout::of(network)).unwrap();
    let mask = Mask::all(weights.len());
    arrays["losses"].values[..steps]
        .iter()
        .map(|&expected| {
            let rule = GradientRule::Normalize;
            let step = optimizer.step(&mut weights, &mask, 3e-3, rule, &mut |w, g| {
                evaluate(network, w, inputs, target, g)
            });
            (step.loss, expected)
        })
        .collect()
}

pub(crate) fn the_fer_recipe_follows_the_float64_traces(archive: &Path) {
    for name in ["skull", "butterfly"] {
        for (step, (loss, expected)) in fer_losses::<f64>(archive, name, 20).iter().enumerate() {
            let error = (loss / expected - 1.0).abs();
            assert!(error < 1e-5, "{name} step {step}: {loss} {expected}");
        }
        for (step, (loss, expected)) in fer_losses::<f32>(archive, name, 3).iter().enumerate() {
            let error = (loss / expected - 1.0).abs();
            assert!(error < 1e-4, "{name} f32 step {step}: {loss} {expected}");
        }
    }
}
