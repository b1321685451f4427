//! A small picture of anything that the library lists.

use super::SESSIONS;
use super::answer::{Answer, Refusal};
use super::networks::Asked;
use super::pixels::{checked, is_picture_file, picture_file, pixels, side_by_side};
use super::sessions::draw;
use super::state::Studio;
use crate::network::{Picture, Wiring};
use rayon::prelude::*;
use serde::Deserialize;
use std::path::{Path, PathBuf};

/// What is asked of a small picture.
#[derive(Deserialize)]
pub struct AskedThumb {
    id: String,
    #[serde(default = "small")]
    size: usize,
}

fn small() -> usize {
    96
}

/// `/api/thumb`: a small picture of anything in the library.
pub fn thumb(studio: &Studio, AskedThumb { id, size }: AskedThumb) -> Answer {
    let size = checked(size, 512)?;
    let path = studio.root.path(&id)?;
    if is_picture_file(&path) {
        return Ok(pixels(&picture_file(&path, size)?, false));
    }
    if path.is_dir() && !path.join("config.toml").exists() {
        return Ok(pixels(&picture_file(&picture_in(&id, &path)?, size)?, false));
    }
    if let Some(name) = id.strip_prefix(SESSIONS).and_then(|name| name.strip_suffix(".toml")) {
        return of_session(studio, name.trim_start_matches('/'), size);
    }
    let source = &studio.network(&Asked { id, wiring: Wiring::Graph })?.source;
    Ok(pixels(&source.model.picture(size, source.coords), false))
}

/// The first picture that lies in a folder.
fn picture_in(id: &str, folder: &Path) -> Result<PathBuf, Refusal> {
    let entries = std::fs::read_dir(folder).map_err(Refusal::failed)?.flatten();
    let pictures = entries.map(|entry| entry.path()).filter(|path| is_picture_file(path));
    pictures.min().ok_or_else(|| Refusal::none(format!("{id}: expected a picture, found none")))
}

/// The first pictures of the sheet that a session is on, as one small picture.
fn of_session(studio: &Studio, name: &str, size: usize) -> Answer {
    let genomes = studio.session(name, |_, bred| {
        let genomes = bred.tree.now().genomes();
        Ok(genomes[..genomes.len().min(4)].to_vec())
    })?;
    let side = (size / 2).max(1);
    let drawn: Vec<Picture> = genomes.par_iter().map(|genome| draw(genome, side)).collect();
    Ok(pixels(&side_by_side(&drawn, 2, side), false))
}
