//! `edge_scores` and `prune`: the one door to every method.

use super::context::{EdgeContext, EdgeScores, PruneError};
use super::guard::{Orphans, alive};
use super::methods::Method;
use super::round::{Pruned, Round};
use super::select::Rule;
use crate::base::SimRng;

/// A score for every kept link; higher = keep. `rule` matters only to methods that select while
/// they score (`wanda` in sequence) or score whole units.
///
/// # Errors
/// A part of the context is missing, or belongs to another network; a score is not finite.
pub fn edge_scores(
    method: Method,
    rule: Rule,
    context: &EdgeContext,
    rng: &mut SimRng,
) -> Result<EdgeScores, PruneError> {
    in_round(method, rule, Orphans::Drop, context, |round| {
        let scores = method.does().scores(round, rng)?;
        scores.dense(round.name)?;
        Ok(scores)
    })
}

/// One round: scores, selection by `rule`, guards.
///
/// Budgets are exact for every method that is not structured; a structured one meets them from
/// below and reports the count in [`Pruned::kept`]. Masks are functions of their inputs and do not
/// depend on threads.
///
/// # Errors
/// See [`PruneError`].
pub fn prune(
    method: Method,
    rule: Rule,
    orphans: Orphans,
    context: &EdgeContext,
    rng: &mut SimRng,
) -> Result<Pruned, PruneError> {
    in_round(method, rule, orphans, context, |round| method.does().prune(round, rng))
}

/// Checks options and context, and hands `act` the round on what is alive.
fn in_round<T>(
    method: Method,
    rule: Rule,
    orphans: Orphans,
    context: &EdgeContext,
    act: impl FnOnce(&Round) -> Result<T, PruneError>,
) -> Result<T, PruneError> {
    method.check()?;
    context.check()?;
    let live = alive(context.network, context.mask);
    act(&Round {
        name: method.name(),
        context: EdgeContext { mask: &live, ..*context },
        candidates: context.mask,
        rule,
        orphans,
    })
}
