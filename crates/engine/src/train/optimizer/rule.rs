//! The rule that changes the gradient before an optimizer uses it.

use super::step::Scalar;
use crate::base::refusal::Refusal;
use crate::base::settings::texts;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;
use std::str::FromStr;

/// A rule applied to the masked gradient g before the optimizer uses it. In files and on the
/// command line the text `raw`, `normalize` or `clip-norm:C`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum GradientRule {
    /// g.
    Raw,
    /// g/‖g‖, the L2 norm over all weights: the `fer` recipe's. Default.
    #[default]
    Normalize,
    /// g·min(1, C/‖g‖), C > 0.
    ClipNorm(f64),
}

impl GradientRule {
    /// Applies itself to `gradient`, (W,), whose L2 norm is `norm`. False if the gradient has no
    /// direction to normalise (norm 0): nothing should move then.
    pub(super) fn apply<T: Scalar>(self, gradient: &mut [T], norm: f64) -> bool {
        let divisor = match self {
            GradientRule::Raw => return true,
            GradientRule::Normalize if norm == 0.0 => return false,
            GradientRule::Normalize => norm,
            GradientRule::ClipNorm(limit) if norm > limit => norm / limit,
            GradientRule::ClipNorm(_) => return true,
        };
        for g in gradient {
            *g = T::narrow(g.wide() / divisor);
        }
        true
    }
}

texts!(GradientRule);

impl fmt::Display for GradientRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            GradientRule::Raw => f.write_str("raw"),
            GradientRule::Normalize => f.write_str("normalize"),
            GradientRule::ClipNorm(limit) => write!(f, "clip-norm:{limit}"),
        }
    }
}

impl FromStr for GradientRule {
    type Err = Refusal;

    fn from_str(text: &str) -> Result<Self, Refusal> {
        let fail = || {
            let expected = "raw, normalize or clip-norm:C with C > 0";
            Refusal::new("gradient rule", expected, format!("{text:?}"))
        };
        match (text, text.strip_prefix("clip-norm:")) {
            ("raw", _) => Ok(GradientRule::Raw),
            ("normalize", _) => Ok(GradientRule::Normalize),
            (_, Some(limit)) => match limit.parse::<f64>() {
                Ok(limit) if limit > 0.0 && limit.is_finite() => Ok(GradientRule::ClipNorm(limit)),
                _ => Err(fail()),
            },
            _ => Err(fail()),
        }
    }
}

impl Serialize for GradientRule {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for GradientRule {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_scale_by_hand() {
        let with = |rule: GradientRule| {
            let mut g = [3.0f64, 4.0];
            assert!(rule.apply(&mut g, 5.0));
            g
        };
        assert_eq!(with(GradientRule::Raw), [3.0, 4.0]);
        assert_eq!(with(GradientRule::ClipNorm(6.0)), [3.0, 4.0]);
        let clipped = with(GradientRule::ClipNorm(1.0));
        let normal = with(GradientRule::Normalize);
        for g in [clipped, normal] {
            assert!((g[0] - 0.6).abs() < 1e-15 && (g[1] - 0.8).abs() < 1e-15);
        }
        assert!(!GradientRule::Normalize.apply(&mut [0.0f64], 0.0));
    }

    #[test]
    fn text_parses_back_and_wrong_text_is_refused() {
        for rule in [GradientRule::Raw, GradientRule::Normalize, GradientRule::ClipNorm(0.25)] {
            assert_eq!(rule.to_string().parse(), Ok(rule));
            let json = serde_json::to_string(&rule).unwrap();
            assert_eq!(serde_json::from_str::<GradientRule>(&json).unwrap(), rule);
        }
        for text in ["", "clip-norm", "clip-norm:0", "clip-norm:-1", "clip-norm:NaN", "normalise"] {
            let error = text.parse::<GradientRule>().unwrap_err().to_string();
            assert!(error.contains(&format!("found {text:?}")), "{error}");
        }
    }
}
