//! Pictures of a network that figures show: changed weights, and the map of every unit.

use super::record::{Change, Maps, Views};
use crate::base::files::{create_folder, write_atomic};
use crate::experiment::changes::table_of;
use crate::network::Picture;
use crate::network::palette::encode_small_png;
use crate::probe::View;
use crate::run::RunError;
use crate::score::{Call, Judged, Measurement};
use crate::study::workers::Ask;
use std::path::Path;

/// Side of a shown map in pixels.
const SIDE: usize = 24;
/// Colours of the pictures of one network at most.
const COLOURS: usize = 128;
/// Maps in a row of their picture.
const PER_ROW: usize = 24;
/// Side of a shown picture in pixels, at most.
pub(super) const LARGEST: usize = 64;

/// The table of all changed weights beside a picture of some, `views/NAME.csv.gz`.
pub(in crate::experiment) fn changes_beside(sweep: &str) -> String {
    format!("{}.csv.gz", sweep.trim_end_matches(".png"))
}

/// Writes into `folder` what a measured view shows: `views/NAME.png` with so many `changes`, `views/NAME.csv.gz` with all
/// of them, and with `with_maps` `views/NAME-maps.png`.
///
/// # Errors
/// The folder cannot be written; another worker has taken the work over.
pub(crate) fn write_views(
    (folder, name): (&Path, &str),
    (arm, view, found): (&str, &View, &Measurement),
    (changes, with_maps): (usize, bool),
    ask: Ask<'_>,
) -> Result<Views, RunError> {
    let side = view.size().min(LARGEST);
    let tile = |picture: &Picture| picture.resized(side).to_bytes();
    let mut painter = view.painter();
    let shown = found.shown(changes);
    let changed = shown.iter().map(|j| tile(painter.draw(j.perturbation)));
    let tiles: Vec<Vec<u8>> = std::iter::once(tile(view.picture())).chain(changed).collect();
    let sweep = format!("views/{name}.png");
    write(folder, &sweep, &side_by_side(&tiles, side, tiles.len()), ask)?;
    let all = table_of(arm, &found.judged).packed();
    write(folder, &changes_beside(&sweep), &all, ask)?;
    let changes = shown
        .iter()
        .map(|Judged { perturbation: p, verdict }| Change {
            link: p.link,
            layer: p.layer,
            delta: p.delta,
            clean: verdict.as_ref().is_some_and(|v| v.call == Call::Clean),
            unclear: verdict.as_ref().is_some_and(|v| v.call == Call::Unclear),
        })
        .collect();
    let maps = if with_maps { Some(write_maps(folder, name, view, ask)?) } else { None };
    Ok(Views { sweep, changes, maps })
}

/// Writes a file, if it may be.
fn write(folder: &Path, file: &str, bytes: &[u8], ask: Ask<'_>) -> Result<(), RunError> {
    if !ask.may_write() {
        return Err(RunError::TakenOver(folder.to_path_buf()));
    }
    create_folder(&folder.join("views"))?;
    Ok(write_atomic(&folder.join(file), bytes)?)
}

fn write_maps(folder: &Path, name: &str, view: &View, ask: Ask<'_>) -> Result<Maps, RunError> {
    let (maps, size) = (view.maps(), view.size());
    let tiles: Vec<Vec<u8>> = (0..maps.units)
        .map(|u| {
            let grey = maps.unit(u).iter().map(|v| (v.clamp(-1.0, 1.0) + 1.0) / 2.0);
            let rgb = grey.flat_map(|v| [v; 3]).collect();
            Picture { width: size, height: size, rgb }.resized(SIDE).to_bytes()
        })
        .collect();
    let file = format!("views/{name}-maps.png");
    write(folder, &file, &side_by_side(&tiles, SIDE, PER_ROW), ask)?;
    let units = &view.model().network.units;
    Ok(Maps {
        file,
        side: SIDE,
        per_row: PER_ROW,
        layer: units.iter().map(|u| u.layer).collect(),
        activation: units.iter().map(|u| u.activation.to_string()).collect(),
        alive: view.alive_units(),
    })
}

/// PNG of square RGB tiles, left to right, top to bottom.
fn side_by_side(tiles: &[Vec<u8>], side: usize, per_row: usize) -> Vec<u8> {
    let columns = tiles.len().min(per_row).max(1);
    let (width, height) = (columns * side, tiles.len().div_ceil(columns) * side);
    let mut rgb = vec![255; 3 * width * height];
    for (k, tile) in tiles.iter().enumerate() {
        let (top, left) = (k / columns * side, k % columns * side);
        for (row, line) in tile.chunks_exact(3 * side).enumerate() {
            let at = 3 * ((top + row) * width + left);
            rgb[at..at + 3 * side].copy_from_slice(line);
        }
    }
    encode_small_png(width, height, &rgb, COLOURS, &[("command", "picloom experiment run")])
}
