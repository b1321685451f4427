//! A study as data: from a TOML spec to verdicts. It knows no network: the page of [`grid`] has a whole study
//! of another field, from its TOML to its verdict.
//!
//! A [`spec`] is read and checked → its [`cells`] are worked through, by as many [`workers`] on as many machines as
//! there are, each cell under a [`lease`]; [`shard`] and [`emit`] hand parts to a scheduler → one [`record`]: a
//! [`Table`], a row a result, and its head → [`contrast`]s decide it by rules that stood in the spec before the first
//! cell was computed.
//!
//! The central types: [`SpecFile`](spec::SpecFile), [`CellStudy`](cells::CellStudy) or the shorter
//! [`Grid`](grid::Grid), [`Record`], [`ContrastSpec`](contrast::ContrastSpec).
//! What a contrast does not say is as studies of pictures have it: the number `score`, the unit `target`, pairs by
//! `target` and `seed`; `[contrast_defaults]` says others. Of the columns of a table it knows `fit` (only rows where that is
//! true are compared), `at` (rows on the way, empty at the end), and `study`, `target`, `variant`, `offset`, `arm`, `level`
//! and `seed`, which tell rows apart. A run in another profile replaces the table; the cells of both stay.
//! A program needs `picloom-base` and `serde` beside it.
//! It draws nothing, and asks no scheduler and no database.
//!
//! [`Table`]: picloom_base::table::Table
#![warn(missing_docs)]

pub mod analysis;
pub mod cells;
pub mod contrast;
pub mod emit;
mod expand;
pub mod grid;
pub mod kinds;
mod layers;
pub mod lease;
pub mod record;
pub mod shard;
pub mod spec;
pub mod whole;
pub mod workers;

pub use record::Record;
