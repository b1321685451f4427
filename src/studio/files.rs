//! Things of one's own that are renamed or put aside. Nothing is deleted: what is removed lies in `studio/removed/`.

use super::REMOVED;
use super::answer::{Answer, Rejection, json_of};
use super::jobs;
use super::pixels::is_weights_file;
use super::sessions::new_file;
use super::state::Studio;
use crate::base::files::read_plain;
use crate::genome::{from_json, to_json};
use serde::Deserialize;
use serde_json::json;
use std::path::{Path, PathBuf};

/// Largest file that is renamed, in bytes.
const LARGEST: u64 = 64 << 20;

/// A thing, and its new name.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Renaming {
    id: String,
    name: String,
}

/// A thing to be put aside.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Removal {
    id: String,
}

/// The arch that lies beside weights which do not name theirs.
fn arch_of(path: &Path) -> Option<PathBuf> {
    Some(path.with_extension("arch")).filter(|arch| is_weights_file(path) && arch.exists())
}

/// `POST /api/rename`: the thing under a new name, and with it in a genome's own file. Its id.
pub(super) fn rename(studio: &Studio, Renaming { id, name }: Renaming) -> Answer {
    let path = studio.own_file(&id)?;
    let mut bytes = read_plain(&path, LARGEST).map_err(Rejection::failed)?;
    let text = std::str::from_utf8(&bytes).ok();
    if let Some(mut genome) = text.and_then(|text| from_json(text).ok()) {
        genome.provenance.name = name.trim().chars().take(200).collect();
        bytes = to_json(&genome).into_bytes();
    }
    let file = path.file_name().unwrap_or_default().to_string_lossy();
    let packed = ".json.gz";
    let end = match file.rsplit_once('.') {
        _ if file.ends_with(packed) => &packed[1..],
        Some((_, end)) => end,
        None => "",
    };
    let folder = path.parent().expect("a file lies in a folder");
    let new = new_file(folder, &name, end, &bytes)?;
    std::fs::remove_file(&path).map_err(Rejection::failed)?;
    if let Some(arch) = arch_of(&path) {
        std::fs::rename(arch, new.with_extension("arch")).map_err(Rejection::failed)?;
    }
    json_of(&json!({ "id": studio.root.id(&new) }))
}

/// `POST /api/remove`: a session, a genome, an opened file, or a job that stands still, with its run. The folder that it is put into.
pub(super) fn remove(studio: &Studio, Removal { id }: Removal) -> Answer {
    let folder = studio.root.made(REMOVED)?;
    let paths = match jobs::let_go(studio, &id)? {
        Some(paths) => paths,
        None => {
            let path = studio.own_file(&id)?;
            arch_of(&path).into_iter().chain([path]).collect()
        }
    };
    for path in paths.iter().filter(|path| path.exists()) {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let names = (1..).map(|n| if n == 1 { name.clone() } else { format!("{n}-{name}") });
        let mut places = names.map(|name| folder.join(name));
        let place = places.find(|place| !place.exists()).expect("numbers do not end");
        std::fs::rename(path, place).map_err(Rejection::failed)?;
    }
    json_of(&json!({ "in": REMOVED }))
}
