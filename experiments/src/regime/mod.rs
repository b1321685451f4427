//! The regime map: the score by depth and kept share, and whether the claims on it hold (METHODS §8).
//!
//! In: the record of a networks study whose arms were pruned level by level at several depths
//! (`experiments/regime.toml`). Out: contrasts of scores at equal fit and with a fixed δ and no gate,
//! verdicts with what they exclude, and before the runs the power of the rules.
//!
//! | file | in → out |
//! |---|---|
//! | [`picloom::experiment::regime::points`] | record → what a rule may read of every network |
//! | [`arms`] | the arms of the map, and which levels and seeds the rules read |
//! | [`contrasts`] | points → differences within targets and seeds, their mean with interval and p |
//! | [`rules`] | contrasts → verdicts on C3 to C6 and "narrow", C4 for every reading of SP, under both protocols |
//! | [`power`] | a design and variances → how often each rule finds an effect |
//! | `orders` | a design and a pilot → the same for the order of depths |

pub mod arms;
pub mod contrasts;
mod orders;
pub mod power;
pub mod rules;

use picloom::experiment::regime::points;
