//! From which weights a pruned network trains on, and what a round changed.

use super::context::PruneError;
use crate::base::settings::Value;
use crate::network::{Mask, Weights};
use serde::{Deserialize, Serialize};

/// Where retraining starts. Optimizer moments start at zero in every mode.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Retrain {
    /// From the pruned weights (refitted or folded ones included). The default.
    #[default]
    Finetune,
    /// From the weights of the first training at this step: 0 is its init (the lottery ticket),
    /// later is late rewinding (Frankle et al. 2020).
    Rewind {
        /// Step of the first training.
        step: u64,
    },
    /// From a fresh random init.
    Reinit,
}

impl Value for Retrain {
    fn python() -> String {
        "str".into()
    }

    fn parse(text: &str) -> Result<Self, String> {
        text.parse()
    }

    fn of(value: &toml::Value) -> Result<Self, String> {
        match value {
            toml::Value::String(text) => text.parse(),
            other => other.clone().try_into().map_err(|error: toml::de::Error| error.to_string()),
        }
    }

    fn toml(&self) -> Option<toml::Value> {
        toml::Value::try_from(self).ok()
    }

    fn text(&self) -> Option<String> {
        Some(self.to_string())
    }
}

impl std::fmt::Display for Retrain {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Retrain::Finetune => f.write_str("finetune"),
            Retrain::Rewind { step } => write!(f, "rewind:{step}"),
            Retrain::Reinit => f.write_str("reinit"),
        }
    }
}

impl std::str::FromStr for Retrain {
    type Err = String;

    /// `finetune`, `reinit`, `rewind` (to step 0) or `rewind:STEP`.
    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "finetune" => Some(Retrain::Finetune),
            "reinit" => Some(Retrain::Reinit),
            "rewind" => Some(Retrain::Rewind { step: 0 }),
            _ => text
                .strip_prefix("rewind:")
                .and_then(|step| step.parse().ok())
                .map(|step| Retrain::Rewind { step }),
        }
        .ok_or_else(|| format!("expected finetune, rewind, rewind:STEP or reinit, found {text:?}"))
    }
}

impl Retrain {
    /// The (W,) start of retraining on `mask`: `pruned` for [`Retrain::Finetune`], else `other`: the
    /// saved weights to rewind to, or the fresh init. Removed links are 0.
    ///
    /// # Errors
    /// `other` is missing or of another network.
    pub(crate) fn weights(
        self,
        pruned: &Weights,
        other: Option<&Weights>,
        mask: &Mask,
    ) -> Result<Weights, PruneError> {
        let mut start = match self {
            Retrain::Finetune => pruned.clone(),
            Retrain::Rewind { .. } => other
                .ok_or_else(|| {
                    PruneError::missing("rewinding", "the weights saved in the first training")
                })?
                .clone(),
            Retrain::Reinit => {
                other.ok_or_else(|| PruneError::missing("reinitialising", "a fresh init"))?.clone()
            }
        };
        if start.0.len() != mask.0.len() {
            return Err(PruneError::wrong_length(
                "weights to start from",
                mask.0.len(),
                start.0.len(),
            ));
        }
        mask.apply(&mut start);
        Ok(start)
    }
}

/// The difference between the masks of two rounds.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MaskChange {
    /// Links removed, ascending.
    pub removed: Vec<usize>,
    /// Links reopened (only `sp-merge` and training that regrows do this), ascending.
    pub reopened: Vec<usize>,
}

impl MaskChange {
    /// The change from `before` to `after`.
    ///
    /// # Errors
    /// If the masks are of two networks.
    pub(crate) fn between(before: &Mask, after: &Mask) -> Result<Self, PruneError> {
        if before.0.len() != after.0.len() {
            return Err(PruneError::wrong_length(
                "flags of the later mask",
                before.0.len(),
                after.0.len(),
            ));
        }
        let where_ =
            |from: &Mask, to: &Mask| (0..from.0.len()).filter(|&i| from.0[i] && !to.0[i]).collect();
        Ok(MaskChange { removed: where_(before, after), reopened: where_(after, before) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn retraining_starts_where_its_mode_says_and_keeps_removed_links_at_zero() {
        let mask = Mask(vec![true, false]);
        let (pruned, other) = (Weights(vec![1.0, 2.0]), Weights(vec![3.0, 4.0]));
        let start = |mode: Retrain| mode.weights(&pruned, Some(&other), &mask).unwrap().0;
        assert_eq!(start(Retrain::Finetune), [1.0, 0.0]);
        assert_eq!(start(Retrain::Rewind { step: 500 }), [3.0, 0.0]);
        assert_eq!(start(Retrain::Reinit), [3.0, 0.0]);
        let error = Retrain::Rewind { step: 0 }.weights(&pruned, None, &mask).unwrap_err();
        assert!(error.to_string().starts_with("rewinding: expected the weights"));
        let short = Weights(vec![1.0]);
        assert!(Retrain::Reinit.weights(&pruned, Some(&short), &mask).is_err());
    }

    #[test]
    fn a_mode_is_written_and_read_back() {
        for mode in [
            Retrain::Finetune,
            Retrain::Rewind { step: 0 },
            Retrain::Rewind { step: 500 },
            Retrain::Reinit,
        ] {
            assert_eq!(mode.to_string().parse(), Ok(mode));
        }
        assert_eq!("rewind".parse(), Ok(Retrain::Rewind { step: 0 }));
        for text in ["rewind:", "rewind:-1", "rewound", ""] {
            let error = text.parse::<Retrain>().unwrap_err();
            assert!(error.contains("expected finetune") && error.contains(&format!("{text:?}")));
        }
    }

    #[test]
    fn a_change_lists_what_went_and_what_came_back() {
        let change =
            MaskChange::between(&Mask(vec![true, true, false]), &Mask(vec![false, true, true]))
                .unwrap();
        assert_eq!((change.removed, change.reopened), (vec![0], vec![2]));
    }
}
