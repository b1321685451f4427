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

/// float64 kernels, straight from the arrays: reading them as `Weights` would round them.
fn kernels(arrays: &BTreeMap<String, Array>, network: &Network, prefix: &str) -> Vec<f64> {
    let of = |(i, block): (usize, &DenseBlock)| {
        let kernel = &arrays[&format!("{prefix}.Dense_{i}.kernel")];
        assert_eq!(kernel.shape, [block.sources.len(), block.targets.len()]);
        let matrix = DMatrix::from_row_slice(kernel.shape[0], kernel.shape[1], &kernel.values);
        matrix.as_slice().to_vec()
    };
    network.blocks.iter().enumerate().flat_map(of).collect()
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
        let network = network_of(archive, name);
        let path = archive.join(format!("fer/{name}_adam_trace_64.npz"));
        let arrays = read_npz(&std::fs::read(&path).unwrap()).unwrap();
        let exact = |prefix: &str| kernels(&arrays, &network, prefix);
        let inputs = PixelInputs::full(64, Coords::Fer);
        let target = DMatrix::from_column_slice(3, 4096, &arrays["target"].values);
        let (loss, gradient) =
            reference::loss_and_gradient(&network, &exact("init"), &inputs, &target);
        assert!((loss / arrays["losses"].values[0] - 1.0).abs() < 1e-5, "{name}: loss {loss}");
        let norm = |v: &mut dyn Iterator<Item = f64>| v.map(|g| g * g).sum::<f64>().sqrt();
        let off = norm(&mut gradient.iter().zip(exact("grad0")).map(|(a, b)| a - b));
        let error = off / norm(&mut gradient.iter().copied());
        assert!(error < 1e-10, "{name}: gradient error {error:e} of its norm");
    }
}

pub(crate) fn the_fast_path_starts_like_the_traces(archive: &Path) {
    for name in ["skull", "butterfly"] {
        let network = network_of(archive, name);
        let path = archive.join(format!("fer/{name}_adam_trace_64.npz"));
        let arrays = read_npz(&std::fs::read(&path).unwrap()).unwrap();
        let mut weights = read_weights_under(&path, &network, "init.").unwrap();
        let expected = read_weights_under(&path, &network, "grad0.").unwrap();
        let target: Vec<f32> = arrays["target"].values.iter().map(|&v| v as f32).collect();
        let inputs = PixelInputs::full(64, Coords::Fer);
        let mask = Mask::all(network.weight_count());
        let mut objective = Objective::new(&network, &mask, &inputs, &target);

        let mut gradient = vec![0.0; network.weight_count()];
        objective.loss_and_gradient(&weights.0, &mut gradient);
        let norm = |v: &mut dyn Iterator<Item = f64>| v.map(|g| g * g).sum::<f64>().sqrt();
        let difference = norm(&mut gradient.iter().zip(&expected.0).map(|(a, b)| f64::from(a - b)));
        let error = difference / norm(&mut expected.0.iter().map(|&g| f64::from(g)));
        assert!(error < 1e-4, "{name}: gradient error {error:e} of its norm");

        let config = OptimizerConfig::default();
        let mut adam = Optimizer::new(&config, &Layout::of(&network)).unwrap();
        for (step, expected) in arrays["losses"].values.iter().take(3).enumerate() {
            let loss = adam
                .step(&mut weights.0, &mask, 3e-3, GradientRule::Normalize, &mut |w, g| {
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
    let genome = genome::read(&archive.join(format!("fer/{name}.zip"))).unwrap();
    let network = layerize(&genome).network;
    let bytes = std::fs::read(archive.join(format!("fer/{name}_adam_trace_64.npz"))).unwrap();
    let arrays = read_npz(&bytes).unwrap();
    let init = kernels(&arrays, &network, "init");
    let mut weights: Vec<T> = init.into_iter().map(T::narrow).collect();
    let inputs = PixelInputs::full(64, Coords::Fer);
    let target = DMatrix::from_column_slice(3, 4096, &arrays["target"].values);
    let adam = OptimizerConfig::default();
    let mut optimizer = Optimizer::<T>::new(&adam, &Layout::of(&network)).unwrap();
    let mask = Mask::all(weights.len());
    arrays["losses"].values[..steps]
        .iter()
        .map(|&expected| {
            let rule = GradientRule::Normalize;
            let step = optimizer.step(&mut weights, &mask, 3e-3, rule, &mut |w, g| {
                evaluate(&network, w, &inputs, &target, g)
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
