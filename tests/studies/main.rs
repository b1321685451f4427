//! Run folders, studies, records and figures.

#[path = "../common/answers.rs"]
mod answers;
#[path = "../common/hostile.rs"]
mod hostile;
#[path = "../common/refusals.rs"]
mod refusals;
#[path = "../common/repository.rs"]
mod repository;
#[path = "../common/said.rs"]
mod said;
#[path = "../common/specs.rs"]
mod spec_folder;
#[path = "../common/whole.rs"]
mod whole;

mod asked;
mod cells;
mod collections;
mod compare;
mod contrasts;
mod depth;
mod drawing;
mod escaping;
mod evolution;
mod figures;
mod gate;
mod ids;
#[path = "../../examples/own_method.rs"]
#[allow(dead_code)]
mod own_method;
mod prune_runs;
mod records;
mod reports;
mod shares;
mod sources;
mod spec_page;
mod specs;
mod tables;
#[path = "../common/tiny.rs"]
mod tiny;
