//! The common language of all optimizers: the type that stores a weight, the weights that form
//! matrices, the record of a step, and the effect of a mask on it.

use crate::network::{Mask, Network};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use std::ops::Range;

/// The type that stores a weight: f32, or f64 for the reference path.
pub trait Scalar:
    Copy + Default + PartialEq + std::fmt::Debug + Send + Sync + Serialize + DeserializeOwned + 'static
{
    /// The same number in f64.
    fn wide(self) -> f64;
    /// The nearest number of this type.
    fn narrow(value: f64) -> Self;
}

impl Scalar for f32 {
    fn wide(self) -> f64 {
        f64::from(self)
    }
    fn narrow(value: f64) -> f32 {
        value as f32
    }
}

impl Scalar for f64 {
    fn wide(self) -> f64 {
        self
    }
    fn narrow(value: f64) -> f64 {
        value
    }
}

/// The loss that an optimizer lowers, as a function of the weights.
pub(crate) trait Evaluate<T> {
    /// Loss at the weights (W,), forward only.
    fn loss(&mut self, weights: &[T]) -> f64;

    /// Loss at the weights (W,), writing the whole gradient (W,) into `gradient`.
    fn loss_and_gradient(&mut self, weights: &[T], gradient: &mut [T]) -> f64;
}

/// A function that gives both as an [`Evaluate`]; where only the loss is asked for, its gradient is dropped.
pub(super) struct Closure<'a, T> {
    call: &'a mut dyn FnMut(&[T], &mut [T]) -> f64,
    dropped: Vec<T>,
}

impl<'a, T> Closure<'a, T> {
    pub(super) fn new(call: &'a mut dyn FnMut(&[T], &mut [T]) -> f64) -> Self {
        Closure { call, dropped: Vec::new() }
    }
}

impl<T: Scalar> Evaluate<T> for Closure<'_, T> {
    fn loss(&mut self, weights: &[T]) -> f64 {
        self.dropped.resize(weights.len(), T::default());
        (self.call)(weights, &mut self.dropped)
    }

    fn loss_and_gradient(&mut self, weights: &[T], gradient: &mut [T]) -> f64 {
        (self.call)(weights, gradient)
    }
}

/// A weight matrix inside the flat weight vector: (rows, cols) = (out, in), row-major.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MatrixShape {
    /// First weight.
    pub offset: usize,
    /// Units it feeds.
    pub rows: usize,
    /// Units it reads.
    pub cols: usize,
}

impl MatrixShape {
    /// Its weights, a range of the flat vector.
    pub(crate) fn weights(&self) -> Range<usize> {
        self.offset..self.offset + self.rows * self.cols
    }
}

/// How many weights there are, and which form matrices.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Layout {
    /// W.
    pub weights: usize,
    /// One for each layer, first to head, in order of `offset`, without overlap; empty for graphs.
    pub matrices: Vec<MatrixShape>,
}

impl Layout {
    /// The layout of a network: one matrix for each dense block.
    pub fn of(network: &Network) -> Self {
        let matrices = network.blocks.iter().map(|block| MatrixShape {
            offset: block.offset,
            rows: block.targets.len(),
            cols: block.sources.len(),
        });
        Layout { weights: network.weight_count(), matrices: matrices.collect() }
    }

    /// `weights` weights without any matrix.
    pub fn vector(weights: usize) -> Self {
        Layout { weights, matrices: Vec::new() }
    }
}

/// The loss, gradient and cost of a step.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Step {
    /// Loss at the weights before the step.
    pub loss: f64,
    /// L2 norm there of the masked gradient, before any gradient rule. Of an evolution strategy, which
    /// sees no gradient, that of the direction it found; 0 where all candidates had the same loss.
    pub gradient_norm: f64,
    /// Loss-and-gradient evaluations this step asked for (0 is possible for L-BFGS, which keeps
    /// the last one of its line search). Those of an evolution strategy are losses only, forward passes,
    /// at about a third of the cost.
    pub evaluations: usize,
    /// True when the weights stayed and every later step would do the same: no trial of L-BFGS's
    /// searches lowered the loss.
    pub stuck: bool,
}

impl Step {
    /// False once the loss or the gradient has left the finite numbers.
    pub fn is_finite(&self) -> bool {
        self.loss.is_finite() && self.gradient_norm.is_finite()
    }
}

/// Sets the removed links' gradient to 0; returns the L2 norm of the rest.
pub(super) fn mask_and_norm<T: Scalar>(gradient: &mut [T], mask: &Mask) -> f64 {
    let mut sum = 0.0;
    for (g, &keep) in gradient.iter_mut().zip(&mask.0) {
        if !keep {
            *g = T::default();
        }
        sum += g.wide() * g.wide();
    }
    sum.sqrt()
}

/// Sets the removed weights to exactly 0.
pub(super) fn settle<T: Scalar>(weights: &mut [T], mask: &Mask) {
    for (w, &keep) in weights.iter_mut().zip(&mask.0) {
        if !keep {
            *w = T::default();
        }
    }
}
