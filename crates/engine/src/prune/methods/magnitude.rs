//! |w|: magnitude pruning and the lottery ticket, which differ in rounds and rewinding only.

use crate::base::SimRng;
use crate::base::choice::options;
use crate::prune::context::{EdgeScores, PruneError};
use crate::prune::round::{Prunes, Round};

options! {
    /// `magnitude`: no options.
    #[derive(Copy)]
    pub struct Magnitude {}
}

impl Prunes for Magnitude {
    fn scores(&self, round: &Round, _: &mut SimRng) -> Result<EdgeScores, PruneError> {
        Ok(EdgeScores::of(round.context.mask, |i| round.context.weight(i).abs()))
    }
}

options! {
    /// `imp`: no options.
    #[derive(Copy)]
    pub struct Imp {}
}

impl Prunes for Imp {
    fn scores(&self, round: &Round, rng: &mut SimRng) -> Result<EdgeScores, PruneError> {
        Magnitude {}.scores(round, rng)
    }
}
