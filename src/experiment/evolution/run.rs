//! The loop of every search that runs in a folder by itself.

use super::job::EvolutionError;
use super::record::EvolutionObserver;
use super::result::StopCause;

/// A run under way in its folder.
pub(super) trait Run {
    /// Its result.
    type Result;

    /// The generation to judge, from 0.
    fn generation(&self) -> u64;

    /// Why it ends before its last generation; `None` if it goes on.
    fn cause(&self) -> Option<StopCause>;

    /// Asks for the genomes of a generation, has them judged, tells the search, and records it.
    fn step(&mut self, observer: &mut dyn EvolutionObserver) -> Result<(), EvolutionError>;

    /// Leaves what the run found, if it was not interrupted, and returns its result.
    fn finish(&mut self, cause: StopCause) -> Result<Self::Result, EvolutionError>;
}

/// Runs to the last of the generations, to an earlier cause, or until the observer stops it.
pub(super) fn to_end<R: Run>(
    mut run: R,
    generations: u64,
    observer: &mut dyn EvolutionObserver,
) -> Result<R::Result, EvolutionError> {
    while run.cause().is_none() && run.generation() < generations {
        run.step(observer)?;
        if run.cause().is_none() && observer.stop() {
            return run.finish(StopCause::Interrupted);
        }
    }
    let cause = run.cause().unwrap_or(StopCause::Generations);
    run.finish(cause)
}
