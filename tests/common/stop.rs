//! Who stops a training, and the threads that it runs on.

use picloom::train::{TrainObserver, TrainState};

/// Stops at a step.
pub(crate) struct StopAt(pub(crate) u64);

impl TrainObserver for StopAt {
    fn step_done(&mut self, state: &TrainState) -> bool {
        state.step < self.0
    }
}

/// What the work gives on so many threads.
pub(crate) fn on_threads<T: Send>(threads: usize, work: impl FnOnce() -> T + Send) -> T {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(work)
}
