//! The rooms math to score: what each promises, held to oracles, invariants and other implementations.

#[path = "../common/answers.rs"]
mod answers;
#[path = "../common/files.rs"]
mod files;
#[path = "../common/genomes.rs"]
mod genomes;
#[cfg(feature = "vlm")]
#[path = "../common/model_server.rs"]
mod model_server;
#[path = "../common/refusals.rs"]
mod refusals;
#[path = "../common/repository.rs"]
mod repository;
#[path = "../common/whole.rs"]
mod whole;

mod determinism;
mod determinism_evolve;
mod evolve;
mod evolve_choices;
mod evolve_genomes;
mod evolve_parts;
mod foreign;
mod hostile;
mod judge_dl;
mod kernel;
mod measures_oracle;
mod methods_page;
mod networks;
mod optimizers;
#[path = "../common/oracle.rs"]
mod oracle;
#[path = "../common/organised.rs"]
mod organised;
mod orthogonal;
mod own_files;
mod penalties;
mod pictures;
mod plots;
mod prune;
mod prune_invariants;
mod prune_oracle;
mod prune_swarm;
mod recombination;
#[path = "../common/said.rs"]
mod said;
mod score;
mod settings;
#[path = "../common/specs.rs"]
mod specs;
mod stats_oracle;
#[path = "../common/stop.rs"]
mod stop;
#[path = "../common/svg.rs"]
mod svg;
mod targets;
#[path = "../common/tiny.rs"]
mod tiny;
mod trainer;
#[cfg(feature = "vlm")]
mod vlm;
