//! The command line as people and scripts use it; the README, word for word.

#[path = "../common/answers.rs"]
mod answers;
#[path = "../common/files.rs"]
mod files;
#[path = "../common/genomes.rs"]
mod genomes;
#[path = "../common/line.rs"]
mod line;
#[cfg(feature = "vlm")]
#[allow(dead_code, reason = "the judge is tested in the rooms")]
#[path = "../common/model_server.rs"]
mod model_server;
#[path = "../common/said.rs"]
mod said;
#[path = "../common/whole.rs"]
mod whole;

const PROGRAM: &str = env!("CARGO_BIN_EXE_picloom");

pub(crate) fn program() -> &'static str {
    PROGRAM
}

pub(crate) const ROOT: &str = env!("CARGO_MANIFEST_DIR");

mod cases;
mod cli;
#[cfg_attr(not(feature = "studio"), allow(dead_code, reason = "a client of the studio"))]
mod client;
mod contrast;
mod distil;
mod docs;
mod escaping;
mod evolve_cli;
#[cfg(feature = "vlm")]
mod evolve_vlm;
mod export;
mod films;
mod folders;
mod going_on;
mod judges;
mod labelled_scores;
mod manners;
mod memory;
mod messages;
mod output;
mod own_pictures;
mod page;
mod plot;
#[cfg(unix)]
mod plugins;
mod prints;
mod prune_cli;
#[cfg(target_os = "linux")]
mod signals;
#[cfg(unix)]
mod strangers;
#[cfg(feature = "studio")]
mod studio;
mod workers;
