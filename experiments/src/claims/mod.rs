//! The claims ledger (METHODS §10): which published claims our own results support.
//!
//! In: `experiments/study.toml`, which says which studies decide each claim, the contrasts in the specs of those
//! studies, written before the runs, and the tables of results. Out: a [`Ledger`] with a row for each claim. A claim
//! that our runs do not support is a result. A new claim is a table in `study.toml` and a contrast in a spec.
//!
//! | file | in → out |
//! |---|---|
//! | [`spec`] | `study.toml` and the contrasts of its studies |
//! | `results` | the tables of a folder, each read once |
//! | `decide` | contrasts and tables → decisions, a verdict, notes |
//! | [`special`] | findings that no contrast can give: theory, Newton–Schulz steps, ablatable parts |
//! | `claim_row`, [`ledger`] | the rows, `claims.json`, four sentences |
//! | `page` | `claims.md` |

mod claim_row;
mod decide;
pub(crate) mod ledger;
mod page;
mod results;
pub(crate) mod spec;
pub(crate) mod special;

pub(crate) use claim_row::{ClaimRow, named};
pub(crate) use ledger::Ledger;
pub(crate) use results::{Results, Valued};
pub(crate) use spec::StudySpec;
pub(crate) use special::Special;
pub(crate) use special::trained_points;
