//! The parts of sheets of networks, cut out of the pictures beside a record; sheets of maps side by
//! side.

use super::{DrawError, Sources};
use picloom::experiment::networks::record::{Maps, Views};
use picloom::figures::page::{CAPTION, HEADING, LINE, NOTE, Page};
use picloom::figures::raster::pictures;
use picloom::figures::sheets::{Pane, signed_colour};
use picloom::figures::style::{self, Colour, size};
use picloom::figures::svg::Anchor;
use picloom::network::Picture;

const MARGIN: f64 = 18.0;

/// The legend of the borders of changed pictures.
pub(super) fn verdicts() -> Vec<(Colour, String)> {
    vec![
        (style::CLEAN, "one weight changed, judged clean".into()),
        (style::UNCLEAR, "unclear".into()),
        (style::DAMAGED, "judged damaged".into()),
    ]
}

/// The square of side `side` at (row, column) of a picture made of such squares.
fn crop(whole: &Picture, side: usize, row: usize, column: usize) -> Option<Picture> {
    if side == 0 || (row + 1) * side > whole.height || (column + 1) * side > whole.width {
        return None;
    }
    let mut rgb = Vec::with_capacity(3 * side * side);
    for y in row * side..(row + 1) * side {
        let at = 3 * (y * whole.width + column * side);
        rgb.extend_from_slice(&whole.rgb[at..at + 3 * side]);
    }
    Some(Picture { width: side, height: side, rgb })
}

/// A network's picture, then at most `most` of its changed ones, spread over its changes.
pub(super) fn sweep(
    sources: &Sources,
    study: &str,
    views: &Views,
    most: usize,
) -> Result<Vec<Option<Pane>>, DrawError> {
    let whole = sources.picture(study, &views.sweep)?;
    let side = whole.height;
    let base = crop(&whole, side, 0, 0).map(|picture| Pane::new(picture, ""));
    let mut tiles = vec![base];
    let (count, shown) = (views.changes.len(), views.changes.len().min(most));
    for k in 0..shown {
        let i = k * count / shown;
        let border = style::called(views.changes[i].call());
        let changed = crop(&whole, side, 0, i + 1);
        tiles.push(changed.map(|picture| Pane::new(picture, "").bordered(border)));
    }
    Ok(tiles)
}

/// The maps of a network's alive units as one picture: rows are layers, inputs left out, at most
/// `most` units each; dead places are pale. Red −1, white 0, blue +1.
pub(super) fn map_sheet(
    sources: &Sources,
    study: &str,
    maps: &Maps,
    most: usize,
) -> Result<MapSheet, DrawError> {
    let whole = sources.picture(study, &maps.file)?;
    let deepest = maps.layer.iter().copied().max().unwrap_or(0);
    let mut layers = Vec::new();
    for layer in 1..=deepest {
        let units: Vec<usize> = (0..maps.layer.len()).filter(|&u| maps.layer[u] == layer).collect();
        let alive: Vec<usize> = units
            .iter()
            .copied()
            .filter(|&u| maps.alive.get(u).copied().unwrap_or(false))
            .collect();
        let pictures = alive
            .iter()
            .take(most)
            .filter_map(|&u| {
                let per_row = maps.per_row.max(1);
                crop(&whole, maps.side, u / per_row, u % per_row)
            })
            .map(|mut map| {
                for pixel in map.rgb.chunks_exact_mut(3) {
                    let Colour(r, g, b) = signed_colour(2.0 * pixel[0] - 1.0);
                    pixel.copy_from_slice(&[r, g, b].map(|c| f32::from(c) / 255.0));
                }
                map
            })
            .collect();
        layers.push(MapLayer { pictures, alive: alive.len(), units: units.len() });
    }
    Ok(MapSheet { layers })
}

/// Maps of a network, layer by layer.
pub(super) struct MapSheet {
    pub layers: Vec<MapLayer>,
}

/// One layer.
pub(super) struct MapLayer {
    pub pictures: Vec<Picture>,
    pub alive: usize,
    pub units: usize,
}

/// A network's maps: (name, second line, colour, maps).
pub(super) type MapPanel = (String, String, Colour, MapSheet);

/// Sheets of maps side by side: rows of panels under a heading.
pub(super) struct MapBoard {
    pub title: String,
    pub subtitle: String,
    pub note: String,
    /// (heading, panels).
    pub rows: Vec<(String, Vec<MapPanel>)>,
    /// Units shown of a layer at most.
    pub most: usize,
}

/// Side of a map in a [`MapBoard`], pixels.
const MAP: f64 = 24.0;
const MAP_GAP: f64 = 2.0;
const COUNT: f64 = 40.0;

impl MapBoard {
    /// The SVG.
    pub(super) fn draw(&self) -> String {
        let across = self.rows.iter().map(|r| r.1.len()).max().unwrap_or(0);
        let across = across.max(1) as f64;
        let most = self.rows.iter().flat_map(|r| &r.1).flat_map(|p| {
            let layers = p.3.layers.iter();
            layers.map(|l| l.units.min(self.most))
        });
        let most = most.max().unwrap_or(self.most).max(4) as f64;
        let panel = (most * (MAP + MAP_GAP) + COUNT).max(190.0);
        let width = (2.0 * MARGIN + across * panel + (across - 1.0) * 18.0).max(480.0);
        let mut page = Page::new(width, MARGIN);
        page.head(&self.title, &self.subtitle, &[]);
        page.signed_scale();
        for (heading, panels) in &self.rows {
            page.words(heading, HEADING, 1);
            page.y += 4.0;
            let top = page.y;
            let mut deepest = top;
            for (i, one) in panels.iter().enumerate() {
                page.y = top;
                self.panel(&mut page, MARGIN + i as f64 * (panel + 18.0), panel, one);
                deepest = deepest.max(page.y);
            }
            page.y = deepest + 14.0;
        }
        if self.rows.is_empty() {
            page.nothing();
        }
        page.words(&self.note, NOTE, 6);
        page.finish(MARGIN - 4.0, &self.title)
    }

    /// The maps of a network, a row a layer, with counts of units alive and in all.
    fn panel(&self, page: &mut Page, left: f64, wide: f64, (name, sub, colour, sheet): &MapPanel) {
        for (text, look) in [(name, (size::TICK, true, *colour)), (sub, CAPTION)] {
            page.cut((left, page.y + look.0), text, look, Anchor::Start, wide);
            page.y += LINE * look.0;
        }
        page.y += 4.0;
        for layer in &sheet.layers {
            let places = 0..layer.units.min(self.most);
            let maps: Vec<Option<&Picture>> = places.map(|k| layer.pictures.get(k)).collect();
            pictures(page, (left, page.y), MAP, MAP + MAP_GAP, &maps);
            let count = format!("{}/{}", layer.alive, layer.units);
            page.text((left + wide - 4.0, page.y + 0.5 * MAP + 4.0), &count, CAPTION, Anchor::End);
            page.y += MAP + MAP_GAP;
        }
    }
}
