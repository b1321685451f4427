//! The inputs of a method, its scores, and its errors.

use crate::base::command::CommandError;
use crate::base::refusal::Refusal;
use crate::network::kernel::FeatureMaps;
use crate::network::{Mask, Network, Weights};
use serde::{Deserialize, Serialize};

/// Everything a method may read. All of it describes the network *before* this round.
#[derive(Clone, Copy, Debug)]
pub struct EdgeContext<'a> {
    /// The topology, W links.
    pub network: &'a Network,
    /// (W,) trained weights; those of removed links count as 0.
    pub weights: &'a Weights,
    /// (W,) links kept so far. Pass [`super::Pruned::mask`] of the round before; a method reads those of them that are
    /// alive, on which the maps are those of the network ([`super::Pruned::live`]), and never keeps another
    /// (`sp-merge` may reopen one, see [`super::merge`]).
    pub mask: &'a Mask,
    /// (U, P) post-activation maps of the trained network.
    pub maps: Option<&'a FeatureMaps>,
    /// (W,) ∂L/∂w of the training loss, not normalised, L = mean squared error.
    pub gradient: Option<&'a [f32]>,
    /// (U, P) maps of the same topology before training.
    pub untrained_maps: Option<&'a FeatureMaps>,
    /// (W,) non-zero weights of the layerized evolved network.
    pub evolved: Option<&'a Mask>,
    /// The masks of another arm of the same network.
    pub pattern: Option<Pattern<'a>>,
}

/// The masks another arm of the same network was left with, round by round, which a control copies in
/// part.
#[derive(Clone, Copy, Debug)]
pub struct Pattern<'a> {
    /// (W,) of every round of that arm, each within the one before.
    pub masks: &'a [Mask],
    /// The round, from 0, that this one copies.
    pub round: usize,
    /// Seed of what a control draws once for all rounds.
    pub seed: u64,
}

impl<'a> EdgeContext<'a> {
    /// A context with nothing but weights: enough for methods that read nothing else.
    pub fn new(network: &'a Network, weights: &'a Weights, mask: &'a Mask) -> Self {
        EdgeContext {
            network,
            weights,
            mask,
            maps: None,
            gradient: None,
            untrained_maps: None,
            evolved: None,
            pattern: None,
        }
    }

    /// With the feature maps of the trained network.
    pub fn with_maps(self, maps: &'a FeatureMaps) -> Self {
        EdgeContext { maps: Some(maps), ..self }
    }

    /// With the gradient of the loss.
    pub fn with_gradient(self, gradient: &'a [f32]) -> Self {
        EdgeContext { gradient: Some(gradient), ..self }
    }

    /// With the feature maps of the untrained network.
    pub fn with_untrained_maps(self, maps: &'a FeatureMaps) -> Self {
        EdgeContext { untrained_maps: Some(maps), ..self }
    }

    /// With the evolved mask.
    pub fn with_evolved(self, mask: &'a Mask) -> Self {
        EdgeContext { evolved: Some(mask), ..self }
    }

    /// With the masks of another arm.
    pub fn with_pattern(self, pattern: Pattern<'a>) -> Self {
        EdgeContext { pattern: Some(pattern), ..self }
    }

    /// Refuses parts that do not belong to the network.
    pub(super) fn check(&self) -> Result<(), PruneError> {
        let links = self.network.weight_count();
        let units = self.network.units.len();
        let length = |what, expected, found| {
            if expected == found {
                Ok(())
            } else {
                Err(PruneError::wrong_length(what, expected, found))
            }
        };
        length("weights", links, self.weights.0.len())?;
        length("flags of the mask", links, self.mask.0.len())?;
        if let Some(gradient) = self.gradient {
            length("entries of the gradient", links, gradient.len())?;
        }
        if let Some(evolved) = self.evolved {
            length("flags of the evolved mask", links, evolved.0.len())?;
        }
        for mask in self.pattern.iter().flat_map(|pattern| pattern.masks) {
            length("flags of the other arm's mask", links, mask.0.len())?;
        }
        for (what, values, maps) in [
            ("feature maps", "values of the feature maps", self.maps),
            ("untrained feature maps", "values of the untrained feature maps", self.untrained_maps),
        ] {
            if let Some(maps) = maps {
                length(what, units, maps.units)?;
                length(values, maps.units * maps.pixels, maps.values.len())?;
            }
        }
        Ok(())
    }

    /// The weight of a kept link, 0 of a removed one.
    pub(super) fn weight(&self, link: usize) -> f64 {
        if self.mask.0[link] { f64::from(self.weights.0[link]) } else { 0.0 }
    }
}

/// The rank of a kept link that is not alive: below every score.
pub(super) const LAST: f64 = f64::MIN;

/// One score a link, higher = keep; `None` where the link was removed before this round, or is kept
/// but on no path from an input to an output (those rank below all others).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct EdgeScores(pub Vec<Option<f64>>);

impl EdgeScores {
    /// Scores of the links of `mask`, from a score for every link.
    pub(super) fn of(mask: &Mask, score: impl Fn(usize) -> f64) -> Self {
        EdgeScores(
            mask.0.iter().enumerate().map(|(link, &kept)| kept.then(|| score(link))).collect(),
        )
    }

    /// Every score changed by `f`.
    pub(super) fn map(self, f: impl Fn(f64) -> f64) -> Self {
        EdgeScores(self.0.into_iter().map(|score| score.map(&f)).collect())
    }

    /// (W,) scores with [`LAST`] for links without one; refuses NaN and infinite ones.
    pub(super) fn dense(&self, method: &'static str) -> Result<Vec<f64>, PruneError> {
        self.0
            .iter()
            .enumerate()
            .map(|(link, score)| match score {
                None => Ok(LAST),
                Some(s) if s.is_finite() => Ok(*s),
                Some(s) => Err(PruneError::NotFinite { method, link, found: *s }),
            })
            .collect()
    }
}

/// Why nothing was pruned.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum PruneError {
    /// The request is impossible: a number of the rule or an option is out of its range, the budget is above what is
    /// left, the method has no such rule, or the context lacks what it needs or belongs to another network. Of rounds
    /// also: there is none, a training cannot begin or be gone back to, a swarm cannot move.
    #[error("{0}")]
    Rule(#[from] Refusal),
    /// No fewer links than these can stay: the outputs or the method's own rule need them, or a structured method has
    /// nothing left to remove.
    #[error("{refusal}")]
    Unreachable {
        /// The fewest links it reaches.
        reached: usize,
        /// The message.
        #[source]
        refusal: Refusal,
    },
    /// The program that chooses gave no answer.
    #[error(transparent)]
    Command(CommandError),
    /// A weight, map or gradient is NaN or infinite, so a score is.
    #[error("{method}: expected a finite score of link {link}, found {found}")]
    NotFinite {
        /// The method.
        method: &'static str,
        /// The link.
        link: usize,
        /// Its score.
        found: f64,
    },
}

impl PruneError {
    /// A part of the context belongs to another network.
    pub(super) fn wrong_length(what: &str, expected: usize, found: usize) -> Self {
        let refusal =
            Refusal::new("", format!("{expected} {what} for this network"), found.to_string());
        refusal.advising("is it of another arch?").as_failure().into()
    }

    /// The method needs something that the context does not hold.
    pub(super) fn missing(method: &str, what: &str) -> Self {
        Refusal::new(method, what, "none").as_failure().into()
    }

    /// A structured method reaches so many links and no fewer.
    pub(super) fn unreachable(method: &str, reached: usize, budget: usize) -> Self {
        let at = format!("{method} removes whole units and cannot go below {reached} links here");
        let refusal = Refusal::new(at, "a budget of at least that", budget.to_string());
        PruneError::Unreachable { reached, refusal }
    }
}

/// More links are asked for than are left.
pub(super) fn budget_above(kept: usize, budget: usize) -> PruneError {
    let expected = format!("a budget of at most the {kept} links still kept");
    Refusal::new("", expected, budget.to_string()).into()
}

/// Fewer links are asked for than the outputs, or the method's own rule, need.
pub(super) fn budget_below(needed: usize, why: &str, budget: usize) -> PruneError {
    let expected = format!("a budget of at least {needed} links ({why})");
    let refusal = Refusal::new("", expected, budget.to_string());
    PruneError::Unreachable { reached: needed, refusal }
}

/// No link reaches the threshold.
pub(super) fn threshold_above(scores: &[f64], candidates: &[bool], tau: f64) -> PruneError {
    let left = scores.iter().zip(candidates).filter(|(_, is_left)| **is_left);
    let highest = left.map(|(score, _)| *score).fold(f64::NEG_INFINITY, f64::max);
    let expected = format!("a threshold of at most {highest:.4}, the highest score of a link");
    Refusal::new("", expected, tau.to_string()).into()
}
