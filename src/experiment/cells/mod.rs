//! A study is a table of cells: each is a config named by a hash of itself, is computed alone in the
//! study's folder, leaves what it found whole or not at all, and is never computed again.
//!
//! In: a [`CellStudy`] (its cells and how one is computed). Out: `RUNS/STUDY/cells/ID.json` of every
//! cell, `RUNS/STUDY/failed/ID.json` of those that could not be computed, `study.json` and `rows.csv.gz`. A cell's
//! name depends on its config alone: copying `cells/` takes results over. Cells are started in the study's order, as many at a time as there are worker
//! threads; what comes out does not depend on how many, nor on interruptions. A cell that failed
//! does not stop the others and is tried again by the next run.
//!
//! The engine is [`pass()`]: it goes once through a share of the cells and does those that are not
//! finished and that no other worker has ([`super::lease`]), on this machine or another. A whole study
//! on one machine ([`run_cells`]) and the shares of a plan on many ([`super::plan`]) are passes.

mod collect;
mod pass;
mod study;

pub use collect::{FailedCell, Status, collect_cells, so_far, status, write_record};
pub(super) use pass::Patience;
pub use pass::{DEATHS, Pass, TRIES, Worker, pass, run_cells};
pub use study::{
    CellState, CellStudy, lease_folder, study_folder, unfinished, without_path, work_folder,
};
pub(super) use study::{hashed_id, names, read_cell};
