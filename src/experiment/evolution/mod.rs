//! An evolution run: genomes rendered and judged on all cores, generation by generation, saved
//! after each, resumed to the same bits.
//!
//! In: an [`EvolutionConfig`], a target picture if the search has one, a folder. Out: the folder:
//! `config.toml`, `target.npz` and `ancestors/` (what it begins from), `metrics.jsonl` (a [`GenerationRecord`] a line),
//! `lineage.jsonl` (the births of all survivors), `checkpoint.json`, now and then `best.json` and `best.png`, the best
//! genome so far and its picture, and at the end `gallery.png`, `genomes/*.json`, `result.json`. It prints nothing; an
//! [`EvolutionObserver`] is told.

mod ancestry;
mod config;
mod decision;
mod descriptors;
mod differs;
mod family;
mod fitness;
mod inputs;
mod interactive;
mod job;
mod judge;
mod kind;
mod map_elites;
mod measured;
mod novelty;
mod record;
mod refine;
mod result;
mod run;
mod search;
mod sheet;
mod speed;
mod store;
mod stored;
mod target;
mod vlm;

pub use ancestry::ancestry;
pub(crate) use config::BreederKind;
pub use config::{
    EvolutionConfig, FitnessConfig, MapElitesSection, Measure, NoveltySection, RefineConfig,
    RefineMode, VlmSection,
};
pub use decision::DecisionRecord;
pub use descriptors::{Descriptor, describe};
pub use fitness::{Likeness, ssim};
pub use inputs::{Ancestors, ancestor_file};
pub use interactive::{BreedRequest, SESSION_FILE, Shown, open, save};
pub(crate) use interactive::{breed, read_session};

pub use job::{EvolutionError, EvolutionJob, read_config};
pub use kind::SearchKind;
pub use measured::evolve;
pub use record::{EvolutionObserver, GenerationRecord, Unwatched};
pub use refine::{Refined, refine};
pub use result::{EvolutionResult, StopCause};

pub use sheet::{draw, genome_sheet, grid_sheet, side_of};
pub(crate) use speed::bench_evolve;
pub use stored::StoredSearch;
pub(crate) use vlm::{EyeResult, breed_by_eye};
