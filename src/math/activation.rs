//! Activation functions: name, value and derivative, one row each.
//!
//! Bipolar definitions of Picbreeder and FER (METHODS §1): `sigmoid = 2/(1+e^-z) - 1`,
//! `gaussian = 2 e^(-z²) - 1`. The f64 form here is the reference; the vectorised f32 form of the
//! kernel is tested against it. To add an activation, add a row to the table below and its
//! vector form in `math::lanes`.

use super::names::names;
use super::real;
use serde::{Deserialize, Serialize};

macro_rules! activations {
    ($( $(#[$doc:meta])* $variant:ident $name:literal, |$z:ident| $value:expr, |$dz:ident, $a:ident| $slope:expr; )*) => {
        /// An activation function. The order is alphabetical by name: the order of an arch string.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(rename_all = "lowercase")]
        pub enum Activation { $( $(#[$doc])* $variant, )* }

        impl Activation {
            /// a = f(z), in f64 (the reference).
            pub fn value(self, z: f64) -> f64 {
                match self { $( Activation::$variant => { let $z = z; $value } )* }
            }

            /// f'(z), in f64 (the reference). At a kink (relu at 0) the left derivative.
            pub fn derivative(self, z: f64) -> f64 {
                let a = self.value(z);
                match self { $( Activation::$variant => { let ($dz, $a) = (z, a); let _ = ($dz, $a); $slope } )* }
            }
        }

        names! { Activation, "activation": $($variant $name),* }
    };
}

activations! {
    /// Identity used as a relay: made by layerizing to carry a value to a later layer (FER's word).
    Cache "cache", |z| z, |z, a| 1.0;
    /// cos(z), range [-1, 1].
    Cos "cos", |z| real::cos(z), |z, a| -real::sin(z);
    /// 2 e^(-z²) - 1, range (-1, 1], maximum at 0.
    Gaussian "gaussian", |z| 2.0 * real::exp(-z * z) - 1.0, |z, a| -4.0 * z * real::exp(-z * z);
    /// z.
    Identity "identity", |z| z, |z, a| 1.0;
    /// max(z, 0).
    Relu "relu", |z| if z > 0.0 { z } else { 0.0 }, |z, a| if z > 0.0 { 1.0 } else { 0.0 };
    /// 2/(1 + e^-z) - 1 = tanh(z/2), range (-1, 1).
    Sigmoid "sigmoid", |z| real::tanh(0.5 * z), |z, a| 0.5 * (1.0 - a * a);
    /// sin(z), range [-1, 1].
    Sin "sin", |z| real::sin(z), |z, a| real::cos(z);
    /// tanh(z), range (-1, 1).
    Tanh "tanh", |z| real::tanh(z), |z, a| 1.0 - a * a;
}

impl Activation {
    /// True for the two linear activations, `identity` and `cache`.
    pub fn is_linear(self) -> bool {
        matches!(self, Activation::Identity | Activation::Cache)
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
