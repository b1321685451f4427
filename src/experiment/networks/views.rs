//! Pictures of a network that figures show: changed weights, and the map of every unit.

use super::record::{Change, Maps, Views};
use crate::network::files::{WriteError, create_folder, write_atomic};
use crate::network::kernel::{FeatureMaps, Perturber};
use crate::network::picture::encode_png;
use crate::network::{Mask, Network, Picture, Weights};
use crate::prune::alive;
use crate::score::{Judged, Label};
use std::path::Path;

/// Changed weights shown of each network.
const SHOWN: usize = 12;
/// Side of a shown map in pixels.
const SIDE: usize = 24;
/// Maps in a row of their picture.
const PER_ROW: usize = 24;
/// Side of a shown picture in pixels, at most.
pub(super) const LARGEST: usize = 64;

/// A network that was scored.
pub struct Scored<'a> {
    /// Its topology.
    pub network: &'a Network,
    /// Its links.
    pub mask: &'a Mask,
    /// Its weights.
    pub weights: &'a Weights,
    /// Its pictures.
    pub perturber: &'a Perturber,
    /// The verdicts.
    pub judged: &'a [Judged],
    /// Side of its pictures.
    pub size: usize,
}

/// Writes `views/NAME.png`, and with `maps` also `views/NAME-maps.png`, into `folder`.
///
/// # Errors
/// The folder cannot be written.
pub fn write_views(
    folder: &Path,
    name: &str,
    scored: &Scored<'_>,
    maps: Option<&FeatureMaps>,
) -> Result<Views, WriteError> {
    create_folder(&folder.join("views"))?;
    let side = scored.size.min(LARGEST);
    let picture = |rgb: Vec<f32>| {
        let whole = Picture { width: scored.size, height: scored.size, rgb };
        whole.resized(side).to_bytes()
    };
    let mut tiles = vec![picture(scored.perturber.base().to_vec())];
    let heard: Vec<&Judged> = scored.judged.iter().filter(|j| j.verdict.is_some()).collect();
    let shown = heard.len().min(SHOWN);
    let mut scratch = scored.perturber.scratch();
    let mut changes = Vec::with_capacity(shown);
    for k in 0..shown {
        let Judged { perturbation: p, verdict } = heard[k * heard.len() / shown];
        let value = f64::from(scored.weights.0[p.link]) + p.delta;
        let mut rgb = vec![0.0; 3 * scored.size * scored.size];
        let (perturber, link) = (scored.perturber, p.link);
        perturber.with_weight(&mut scratch, link, value as f32, &mut rgb);
        tiles.push(picture(rgb));
        changes.push(Change {
            link: p.link,
            layer: p.layer,
            delta: p.delta,
            coherent: verdict.as_ref().is_some_and(|v| v.label == Label::Coherent),
        });
    }
    let sweep = format!("views/{name}.png");
    write_atomic(&folder.join(&sweep), &side_by_side(&tiles, side, tiles.len()))?;
    let maps = match maps {
        None => None,
        Some(maps) => Some(write_maps(folder, name, scored, maps)?),
    };
    Ok(Views { sweep, changes, maps })
}

fn write_maps(
    folder: &Path,
    name: &str,
    scored: &Scored<'_>,
    maps: &FeatureMaps,
) -> Result<Maps, WriteError> {
    let network = scored.network;
    let living = alive(network, scored.mask);
    let mut lives = vec![false; network.units.len()];
    for (link, _) in network.links.iter().zip(&living.0).filter(|(_, a)| **a) {
        lives[link.source] = true;
        lives[link.target] = true;
    }
    let tiles: Vec<Vec<u8>> = (0..maps.units)
        .map(|u| {
            let grey = maps.unit(u).iter().map(|v| (v.clamp(-1.0, 1.0) + 1.0) / 2.0);
            let whole = Picture {
                width: scored.size,
                height: scored.size,
                rgb: grey.flat_map(|v| [v; 3]).collect(),
            };
            whole.resized(SIDE).to_bytes()
        })
        .collect();
    let file = format!("views/{name}-maps.png");
    write_atomic(&folder.join(&file), &side_by_side(&tiles, SIDE, PER_ROW))?;
    let units = &network.units;
    Ok(Maps {
        file,
        side: SIDE,
        per_row: PER_ROW,
        layer: units.iter().map(|u| u.layer).collect(),
        activation: units.iter().map(|u| u.activation.to_string()).collect(),
        alive: lives,
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
    encode_png(width, height, &rgb, &[("command", "picloom experiment run")])
}
