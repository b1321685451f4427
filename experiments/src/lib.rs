//! The paper: Do, Le, Shah, Liu, *Compositionality Emerges in a Narrow Depth-Connectivity Regime* (arXiv
//! 2606.19941), re-examined with [`picloom`]. Here is what the specs beside this folder cannot say as data.
//!
//! | module | what it has |
//! |---|---|
//! | `claims` | which studies decide the fifteen claims, and the ledger of what our results say on each |
//! | `theory`, `volume` | how large is the volume of networks that can be compositional, and where that meets trained ones |
//! | [`measures`] | measures that only its studies ask for |
//! | `targets` | the pictures drawn by code that its studies learn, with their parts |
//! | `structural` | do parts of a picture live in subnetworks of their own? |
//! | `training` | every optimizer at every rate, and Muon by its Newton–Schulz steps |
//! | `xor` | NEAT's classic check, by the published numbers |
//! | `finding` | a statistic with its interval and what a rule makes of it |
//! | `judge` | the embedded judge fitted to labelled pictures, and reports on judges |
//! | `figures` | the paper's figures, each drawn from records only, and the report |
//! | [`program`] | the command `picloom-experiments` |

mod claims;
mod figures;
mod finding;
mod judge;
pub mod measures;
pub mod program;
mod structural;
mod targets;
mod theory;
mod training;
mod volume;
mod xor;

#[cfg(test)]
#[path = "../tests/paper/main.rs"]
mod paper;

use picloom::figures::style;
use picloom::study::grid::kind;
use picloom::study::kinds::{self, Kind};

/// The kinds of study that are the paper's own.
const OWN: [Kind; 4] = [
    kind::<training::Training>(),
    kind::<theory::Theory>(),
    kind::<structural::Structural>(),
    kind::<xor::Xor>(),
];

/// Every kind of study: those of the instrument, and the paper's own. Adds the paper's measures, which they may ask
/// for, and how its arms look.
pub fn kinds() -> Vec<Kind> {
    measures::add();
    style::add_arms(&figures::arms::OWN);
    [&picloom::experiment::kinds::KINDS[..], &OWN[..]].concat()
}
