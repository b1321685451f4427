//! Files dropped on the page: kept in `studio/opened/` by their content, once they are known to be what
//! they say they are.

use super::OPENED;
use super::answer::{Answer, Rejection, made};
use super::names::HASH;
use super::pixels::{is_picture_file, is_weights_file};
use super::state::Studio;
use crate::base::files::write_atomic;
use crate::base::hash::short_id;
use crate::genome::map_of_genomes;
use crate::network::Arch;
use crate::page::NetworkRequest;
use crate::run::{is_genome_file, read_picture};
use axum::body::Bytes;
use serde::Deserialize;
use serde_json::json;
use std::path::Path;

/// The page's description of a file.
#[derive(Deserialize)]
pub(super) struct Named {
    name: String,
    /// Of weights that do not name theirs (`.npz`).
    arch: Option<String>,
}

/// Reads a file by its ending, and keeps it.
pub(super) fn open(studio: &Studio, Named { name, arch }: Named, bytes: &Bytes) -> Answer {
    let named = Path::new(&name);
    let is_packed = name.to_ascii_lowercase().ends_with(".json.gz");
    let end = named.extension().and_then(|e| e.to_str()).unwrap_or("").to_ascii_lowercase();
    let end = if is_packed { "json.gz".into() } else { end };
    let kind = match named {
        path if is_genome_file(path) => "genome",
        path if is_weights_file(path) => "weights",
        path if is_picture_file(path) => "picture",
        _ => {
            let expected =
                "a genome (.json, .zip, .xml), weights (.npz, .safetensors) or a picture";
            return Err(Rejection::bad(format!("{name:?}: expected {expected}, found {end:?}")));
        }
    };
    let file = named.file_name().unwrap_or_default().to_string_lossy();
    let ending = if end.is_empty() { 0 } else { end.len() + 1 };
    let stem: String = file[..file.len() - ending]
        .chars()
        .take(40)
        .map(|c| if c.is_alphanumeric() || c == '-' || c == '_' { c } else { '_' })
        .collect();
    // The same weights with another arch are another network.
    let content = [bytes, arch.as_deref().unwrap_or("").as_bytes()].concat();
    let stem = format!("{}-{}", stem.trim_matches('_'), &short_id(content)[..HASH]);
    let stem = stem.trim_start_matches('-');
    let folder = studio.root.made(OPENED)?;
    let (id, path) = (format!("{OPENED}/{stem}.{end}"), folder.join(format!("{stem}.{end}")));
    let beside = path.with_extension("arch");
    let was_there = path.exists();
    if let Some(arch) = &arch {
        arch.parse::<Arch>().map_err(|e| Rejection::bad(format!("arch: {e}")))?;
        write_atomic(&beside, arch.as_bytes()).map_err(Rejection::unwritten)?;
    }
    write_atomic(&path, bytes).map_err(Rejection::unwritten)?;
    let kind = match map_of_genomes(&path, 1) {
        Ok(Some(_)) => "collection",
        _ => kind,
    };
    let read = match kind {
        "collection" => Ok(()),
        "picture" => read_picture(&path).map(drop).map_err(Rejection::bad),
        _ => studio.network(&NetworkRequest::graph(id.clone())).map(drop),
    };
    if let Err(refusal) = read {
        if !was_there {
            let _ = std::fs::remove_file(&path);
            let _ = std::fs::remove_file(&beside);
        }
        return Err(refusal);
    }
    made(&json!({ "id": id, "kind": kind }))
}
