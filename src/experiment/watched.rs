//! A training inside of a study.

use crate::study::workers::{Ask, News};
use crate::train::{TrainObserver, TrainState};

/// Lets the observer of a study look on at a training.
pub struct Watched<'a>(pub Ask<'a>);

/// Steps between two questions.
const ASK_EVERY: u64 = 8;

impl TrainObserver for Watched<'_> {
    fn step_done(&mut self, state: &TrainState) -> bool {
        !state.step.is_multiple_of(ASK_EVERY) || self.0.tell(News::Steps(state.step))
    }

    fn may_write(&mut self) -> bool {
        self.0.may_write()
    }
}
