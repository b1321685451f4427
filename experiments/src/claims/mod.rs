//! The claims ledger (METHODS §10): which published claims our own results support.
//!
//! In: `experiments/study.toml`, which says which studies decide each claim, the contrasts in the specs of those
//! studies, written before the runs, and the tables of results. Out: a [`Ledger`] with a row for each claim. A claim
//! that our runs do not support is a result. A new claim is a table in `study.toml` and a contrast in a spec.
//!
//! | file | in → out |
//! |---|---|
//! | [`spec`] | `study.toml` and the contrasts of its studies |
//! | `decide` | contrasts and tables → decisions, a verdict, notes |
//! | [`special`] | findings that no contrast can give: theory, Newton–Schulz steps, ablatable parts |
//! | [`ledger`] | the rows, `claims.json`, four sentences |
//! | `page` | `claims.md` |

mod decide;
pub mod ledger;
mod page;
pub mod spec;
pub mod special;

pub use decide::{LedgerError, Results};
pub use ledger::{ClaimRow, Earlier, Ledger};
pub use spec::{ClaimText, StudySpec};
pub use special::{Special, trained_points};
