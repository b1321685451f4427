//! A small picture of anything that the library lists.

use super::SESSIONS;
use super::answer::{Answer, Rejection, of_bytes};
use super::jobs;
use super::pixels::{is_picture_file, picture_file, pixels};
use super::root::place_of;
use super::state::Studio;
use super::study::{figure_file, runs};
use crate::network::Picture;
use crate::page::{NetworkRequest, draw, ensure_side, side_by_side};
use crate::run::{load_checkpoint, load_run};
use rayon::prelude::*;
use serde::Deserialize;
use std::path::{Path, PathBuf};

/// A request for a small picture.
#[derive(Deserialize)]
pub(super) struct AskedThumb {
    id: String,
    #[serde(default = "small")]
    size: usize,
}

fn small() -> usize {
    96
}

/// `/api/thumb`: a small picture of anything in the library; a word where there is none.
pub(super) fn thumb(studio: &Studio, AskedThumb { id, size }: AskedThumb) -> Answer {
    let size = ensure_side(size, 512)?;
    let own = |name: &str| Some(name.strip_suffix(".toml")?.trim_start_matches('/').to_string());
    if place_of(&id).is_none() && studio.builtin(&id).is_none() {
        let path = studio.root.path(&id)?;
        if is_picture_file(&path) {
            return Ok(pixels(&picture_file(&path, size)?, false));
        }
        if let Some(name) = id.strip_prefix(SESSIONS).and_then(own) {
            return of_session(studio, &name, size).or_else(|_| tile("cannot be replayed"));
        }
        if let Some(drawn) = jobs::drawn_now(studio, &id, size) {
            return Ok(pixels(&drawn, false));
        }
        if path.is_dir() {
            return match studio.root.marker(&path) {
                Some(marker) if marker.kind.is_run() => of_run(studio, id, &path, size),
                _ => of_folder(studio, &id, &path, size),
            };
        }
    }
    let source = &studio.network(&NetworkRequest::graph(id))?.source;
    Ok(pixels(&source.shown(size), false))
}

/// Draws the network of a run; one that is not finished, as in its checkpoint.
fn of_run(studio: &Studio, id: String, path: &Path, size: usize) -> Answer {
    let (drawn, word) = if path.join("result.json").exists() {
        let run = studio.network(&NetworkRequest::graph(id)).ok();
        (run.map(|run| run.source.still().picture(size, run.source.coords)), "damaged")
    } else {
        let kept = || load_checkpoint(&studio.root.whole(&id).ok()?).ok();
        let kept = || kept().map(|(model, config)| model.picture(size, config.coords));
        (kept(), "not finished")
    };
    drawn.map_or_else(|| tile(word), |picture| Ok(pixels(&picture, false)))
}

/// A plain tile with a word on it.
fn tile(word: &str) -> Answer {
    let svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 96 96\" width=\"96\" height=\"96\">\
        <rect width=\"96\" height=\"96\" fill=\"#eceeef\"/>\
        <text x=\"48\" y=\"51\" font-family=\"system-ui, sans-serif\" font-size=\"10\" \
        text-anchor=\"middle\" fill=\"#5b626c\">{word}</text></svg>"
    );
    Ok(of_bytes("image/svg+xml", svg.into_bytes()))
}

/// The first figure or picture that lies in a folder.
fn of_folder(studio: &Studio, id: &str, folder: &Path, size: usize) -> Answer {
    let entries = studio.root.entries(folder).into_iter();
    // Not where links lead out of the root.
    let inside =
        |path: &PathBuf| studio.root.id(path).is_some_and(|id| studio.root.path(&id).is_ok());
    let files: Vec<PathBuf> = entries.map(|entry| entry.path()).filter(inside).collect();
    let first = |is: fn(&Path) -> bool| files.iter().filter(|path| is(path)).min();
    match first(|path| path.extension().is_some_and(|e| e == "svg")) {
        Some(figure) => figure_file(figure),
        None => match first(is_picture_file) {
            Some(picture) => Ok(pixels(&picture_file(picture, size)?, false)),
            None if studio.root.marker(folder).is_some() => of_study(studio, folder, size),
            None => Err(Rejection::none(format!("{id}: expected a picture, found none"))),
        },
    }
}

/// Some of the networks of a study, twice as wide as high.
fn of_study(studio: &Studio, folder: &Path, size: usize) -> Answer {
    let side = (size / 2).max(1);
    let all = runs(studio, folder);
    let drawn: Vec<Picture> = all
        .values()
        .step_by((all.len() / 8).max(1))
        .filter_map(|id| load_run(&studio.root.whole(id).ok()?).ok())
        .map(|run| run.model.picture(side, run.config.coords))
        .take(8)
        .collect();
    match drawn.is_empty() {
        true => tile("nothing yet"),
        false => Ok(pixels(&side_by_side(&drawn, 4, side), false)),
    }
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
