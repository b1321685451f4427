//! Names of networks on the page: by their kind and the picture that they draw, never by a hash.

use super::OPENED;
use super::root::place_of;
use crate::figures::style::arm;
use crate::network::Wiring;
use crate::run::RunConfig;

/// Hex digits of the hash in the name of an opened file.
pub(super) const HASH: usize = 10;

/// The name of a file or folder: its own without the ending, of an opened file without its hash.
pub(super) fn of_file(id: &str) -> String {
    if let Some((session, sheet, place)) = place_of(id) {
        return format!("{session}, sheet {sheet}, picture {place}");
    }
    let file = id.rsplit('/').next().unwrap_or_default();
    let stem = file.rsplit_once('.').map_or(file, |(stem, _)| stem);
    let is_hash = |end: &str| end.len() == HASH && end.bytes().all(|b| b.is_ascii_hexdigit());
    match stem.rsplit_once('-') {
        Some((name, end)) if id.starts_with(OPENED) && is_hash(end) => name.into(),
        _ => stem.into(),
    }
}

/// The name of a genome: that of its file if it was opened here or is Picbreeder's, whose own names
/// are numbers; else its own.
pub(super) fn of_genome(id: &str, own: impl FnOnce() -> String) -> String {
    let is_one_of_many = id.contains(".json#") || id.contains(".json.gz#");
    let is_opened = id.starts_with(OPENED) && !is_one_of_many;
    let is_files = is_opened || id.ends_with(".xml") || id.ends_with(".zip");
    let stem = of_file(id);
    match is_files && !is_copy(id) && !stem.is_empty() {
        true => stem,
        false => own(),
    }
}

/// True for a genome that was copied for a session, which has its hash for a name.
pub(super) fn is_copy(id: &str) -> bool {
    let stem = of_file(id);
    id.starts_with(OPENED) && stem.len() >= HASH && stem.bytes().all(|b| b.is_ascii_hexdigit())
}

/// The label of a genome in a wiring.
pub(super) fn of_wiring(wiring: Wiring) -> &'static str {
    match wiring {
        Wiring::Graph => "evolved network",
        _ => "evolved network, in layers",
    }
}

/// The label of a run: its arm as in figures, the method that pruned it.
pub(super) fn of_run(config: &RunConfig) -> String {
    let method = config.pruned.as_ref().map(|pruned| {
        let name = pruned.method.split(':').next().unwrap_or_default();
        arm(name).map_or(format!("pruned by {name}"), |(_, arm)| arm.label.into())
    });
    let label = |key: &str| match key {
        "retrained" => "trained anew".into(),
        key => arm(key).map_or(key.to_string(), |(_, arm)| arm.label.into()),
    };
    method.unwrap_or_else(|| label(&config.arm))
}

/// The picture that a run learned.
pub(super) fn of_target(config: &RunConfig) -> String {
    of_file(&config.target)
}

/// The name of a run: its picture, what it is, and the seed if that is not the first.
pub(super) fn of_run_and_picture(config: &RunConfig) -> String {
    let seed = match config.train.seed {
        0 => String::new(),
        seed => format!(", seed {seed}"),
    };
    let round = match &config.pruned {
        Some(pruned) if pruned.round > 1 => format!(", round {}", pruned.round),
        _ => String::new(),
    };
    format!("{}: {}{round}{seed}", of_target(config), of_run(config))
}
