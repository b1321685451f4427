//! Activation functions, one row each: name, value and derivative, and what figures, shaders and ONNX make of it.
//!
//! Bipolar definitions of Picbreeder and FER (METHODS §1): `sigmoid = 2/(1+e^-z) - 1`,
//! `gaussian = 2 e^(-z²) - 1`. The f64 form here is the reference; the vectorised f32 form of the
//! kernel is tested against it. A new activation is a row of the
//! table below, its vector form in `math::lanes` and its name in `network/kernel/tile.rs`.

use crate::base::names::names;
use crate::base::real;
use serde::{Deserialize, Serialize};

macro_rules! activations {
    ($( $(#[$doc:meta])* $variant:ident $name:literal, |$z:ident| $value:expr, |$dz:ident, $a:ident| $slope:expr, $colour:expr, $glsl:literal, $onnx:expr; )*) => {
        /// An activation function. The order is alphabetical by name: the order of an arch string.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(rename_all = "lowercase")]
        pub enum Activation { $( $(#[$doc])* $variant, )* }

        impl Activation {
            /// a = f(z), in f64 (the reference).
            pub(crate) fn value(self, z: f64) -> f64 {
                match self { $( Activation::$variant => { let $z = z; $value } )* }
            }

            /// f'(z), in f64 (the reference). At a kink (relu and abs at 0) the left derivative.
            pub(crate) fn derivative(self, z: f64) -> f64 {
                let a = self.value(z);
                match self { $( Activation::$variant => { let ($dz, $a) = (z, a); let _ = ($dz, $a); $slope } )* }
            }

            /// Its colour in drawings of wirings: red, green, blue.
            pub fn colour(self) -> [u8; 3] {
                match self { $( Activation::$variant => $colour, )* }
            }

            /// f(z) in GLSL, as an expression of `z`.
            pub(crate) fn glsl(self) -> &'static str {
                match self { $( Activation::$variant => $glsl, )* }
            }

            /// f(z) as operators of ONNX, each applied to the result of the one before.
            pub(crate) fn onnx(self) -> &'static [OnnxStep] {
                use OnnxStep::{By, Op, Squared};
                match self { $( Activation::$variant => &$onnx, )* }
            }
        }

        names! { Activation, "activation": $($variant $name),* }
    };
}

/// One operator of ONNX on the way from z to f(z).
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum OnnxStep {
    /// An operator of one input.
    Op(&'static str),
    /// An operator of two inputs, the second a constant.
    By(&'static str, f32),
    /// The product with itself.
    Squared,
}

activations! {
    /// |z|, with a kink at 0.
    Abs "abs", |z| z.abs(), |z, a| if z > 0.0 { 1.0 } else { -1.0 }, [204, 121, 167], "abs(z)", [Op("Abs")];
    /// Identity used as a relay: made by layerizing to carry a value to a later layer (FER's word).
    Cache "cache", |z| z, |z, a| 1.0, [176, 182, 190], "z", [];
    /// cos(z), range [-1, 1].
    Cos "cos", |z| real::cos(z), |z, a| -real::sin(z), [86, 180, 233], "cos(z)", [Op("Cos")];
    /// 2 e^(-z²) - 1, range (-1, 1], maximum at 0.
    Gaussian "gaussian", |z| 2.0 * real::exp(-z * z) - 1.0, |z, a| -4.0 * z * real::exp(-z * z),
        [230, 159, 0], "2.0 * exp(-z * z) - 1.0", [Squared, Op("Neg"), Op("Exp"), By("Mul", 2.0), By("Sub", 1.0)];
    /// z.
    Identity "identity", |z| z, |z, a| 1.0, [110, 118, 128], "z", [];
    /// max(z, 0).
    Relu "relu", |z| if z > 0.0 { z } else { 0.0 }, |z, a| if z > 0.0 { 1.0 } else { 0.0 },
        [31, 35, 40], "max(z, 0.0)", [Op("Relu")];
    /// 2/(1 + e^-z) - 1 = tanh(z/2), range (-1, 1).
    Sigmoid "sigmoid", |z| real::tanh(0.5 * z), |z, a| 0.5 * (1.0 - a * a),
        [0, 158, 115], "squash(0.5 * z)", [By("Mul", 0.5), Op("Tanh")];
    /// sin(z), range [-1, 1].
    Sin "sin", |z| real::sin(z), |z, a| real::cos(z), [0, 114, 178], "sin(z)", [Op("Sin")];
    /// z².
    Square "square", |z| z * z, |z, a| 2.0 * z, [213, 94, 0], "z * z", [Squared];
    /// tanh(z), range (-1, 1).
    Tanh "tanh", |z| real::tanh(z), |z, a| 1.0 - a * a, [136, 34, 85], "squash(z)", [Op("Tanh")];
}

impl Activation {
    /// True for the two linear activations, `identity` and `cache`.
    pub fn is_linear(self) -> bool {
        matches!(self, Activation::Identity | Activation::Cache)
    }

    /// True if all its values lie in [-1, 1].
    pub(crate) fn is_bounded(self) -> bool {
        !(self.is_linear()
            || matches!(self, Activation::Abs | Activation::Relu | Activation::Square))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn derivatives_match_central_differences() {
        let h = 1e-6;
        for &activation in Activation::ALL {
            for k in -40..=40 {
                let z = k as f64 * 0.1 + 0.013;
                let numeric = (activation.value(z + h) - activation.value(z - h)) / (2.0 * h);
                let error = (numeric - activation.derivative(z)).abs();
                assert!(error < 1e-8, "{activation} at {z}: error {error}");
            }
        }
    }

    #[test]
    fn names_are_alphabetical_and_parse_back() {
        let names: Vec<_> = Activation::ALL.iter().map(|a| a.name()).collect();
        assert!(names.is_sorted());
        for &a in Activation::ALL {
            assert_eq!(a.name().parse::<Activation>(), Ok(a));
        }
        assert!("gauss".parse::<Activation>().unwrap_err().to_string().contains("found \"gauss\""));
    }
}
