//! Evolution of genomes: operators, species, three searches behind one `ask`/`tell`, and breeding by eye.
//!
//! In: a config, a seed, and what the outside world thinks of the genomes asked. Out: the next
//! genomes to judge, and the lineage of those that survived. It does not know how to draw: fitness
//! and descriptors are computed from pictures by `experiment::evolution`, selections come from a
//! person, a model, a script or the studio.
//!
//! Every child is bred from its own random stream, keyed by (seed, `"child"`, birth number), so a
//! run is a pure function of its config, its seed and what it was told.
//!
//! References: Stanley & Miikkulainen 2002 (NEAT), Secretan et al. 2008 (Picbreeder), Lehman &
//! Stanley 2011 (novelty search), Mouret & Clune 2015 (MAP-Elites); METHODS §2.

mod breed;
mod breeding;
mod changes;
mod config;
mod crossover;
mod distance;
mod innovation;
mod lineage;
mod map_elites;
mod mutation;
mod novelty;
mod origin;
mod parts;
mod population;
mod search;
mod session;
mod sheet;
mod sketch;
mod species;
mod start;
mod state;
mod stored;

pub use breed::Breeder;
pub(crate) use breed::Parent;
pub use breeding::Breeding;
pub use changes::changes;
pub use config::preset_of;
pub use config::{
    Background, CrossoverConfig, EvolveConfig, MutationConfig, MutationScheme, Perturbation,
    Preset, ReproductionConfig, SpeciesConfig, StartConfig, Symmetry,
};
pub(crate) use config::{CrossoverKind, SplitRule};
pub use crossover::{crossover_aligned, crossover_union};
pub use distance::{Alignment, align, compatibility_distance};
pub use innovation::InnovationTracker;
pub use lineage::{Birth, Brood};
pub use map_elites::{Axis, Elite, MapElites};
pub use mutation::{Mutation, NoMutation, add_link, add_node, mutate};
pub use novelty::{Archived, Novelty, NoveltyConfig};
pub use parts::{Open, Parts};
pub use population::Population;
pub use search::Search;
pub use session::Session;
pub use sheet::{Selection, Sheet, not_on_sheet};
pub use sketch::{DISTINCT, Sketch};
pub use species::Species;
pub(crate) use species::speciate;
pub use start::first_genome;
pub use state::{Judged, Ranked, SearchState};
