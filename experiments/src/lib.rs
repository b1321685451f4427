//! The paper: Do, Le, Shah, Liu, *Compositionality Emerges in a Narrow Depth-Connectivity Regime* (arXiv
//! 2606.19941), re-examined with [`picloom`]. Here is what the specs beside this folder cannot say as data.
//!
//! | module | what it has |
//! |---|---|
//! | [`reevolution`] | can a search with a target find again what was found without one? |
//! | [`xor`] | NEAT's classic check, by the published numbers |
//! | [`program`] | the command `picloom-experiments` |

pub mod program;
pub mod reevolution;
pub mod xor;

use picloom::experiment::kinds::{self, Kind};
use picloom::experiment::spec::Spec;
use reevolution::{ReevolutionSpec, ReevolutionStudy};
use xor::{XorSpec, XorStudy};

/// The kinds of study that are the paper's own.
const OWN: [Kind; 2] = [
    (XorSpec::KIND, |path, profile, _| Ok(Box::new(XorStudy::read(path, profile)?))),
    (ReevolutionSpec::KIND, |path, profile, _| {
        Ok(Box::new(ReevolutionStudy::read(path, profile)?))
    }),
];

/// Every kind of study: those of the instrument, and the paper's own.
pub fn kinds() -> Vec<Kind> {
    [&kinds::KINDS[..], &OWN[..]].concat()
}
