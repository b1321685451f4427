//! A study is a table of cells: each is a config named by a hash of itself, is computed alone in the
//! study's folder, leaves what it found whole or not at all, and is never computed again.
//!
//! In: a [`CellStudy`] (its cells and how one is computed). Out: `RUNS/STUDY/cells/ID.json` of every
//! cell, `RUNS/STUDY/failed/ID.json` of those that could not be computed, `study.json` and `rows.csv.gz`. A cell's
//! name depends on its config alone: copying `cells/` takes results over. Cells are started in the study's order, as many at a time as there are worker
//! threads; what comes out does not depend on how many, nor on interruptions. A cell that failed
//! does not stop the others and is tried again by the next run.
//!
//! The engine is `work`: it goes through a shard of the cells and does those that are not
//! finished and that no other worker has ([`super::lease`]), on this machine or another. A study on one machine
//! ([`run_cells`]) has one worker, whose shard is everything.

mod collect;
mod pass;
mod study;

pub(super) use collect::save;
pub use collect::{FailedCell, HeldCell, Status, collect_cells, so_far, status};
pub(crate) use pass::work;
pub use pass::{Worked, Worker, run_cells};
pub(super) use study::hashed_id;
pub(crate) use study::work_folder;
pub use study::{CellState, CellStudy, claim, study_folder, without_path};
