//! The f64 reference path as what an optimizer asks.

use nalgebra::DMatrix;
use picloom::network::{Network, PixelInputs, reference};
use picloom::train::optimizer::Scalar;

/// The f64 reference as an `Evaluate`, whatever the weights are stored in.
pub(crate) fn evaluate<T: Scalar>(
    network: &Network,
    weights: &[T],
    inputs: &PixelInputs,
    target: &DMatrix<f64>,
    gradient: &mut [T],
) -> f64 {
    let weights: Vec<f64> = weights.iter().map(|w| w.wide()).collect();
    let (loss, g) = reference::loss_and_gradient(network, &weights, inputs, target);
    gradient.iter_mut().zip(g).for_each(|(to, g)| *to = T::narrow(g));
    loss
}
