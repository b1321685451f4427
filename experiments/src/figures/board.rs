//! Boards of small pictures: rows of arms, columns of changes, verdicts as borders; and the tiles
//! they are made of, cut out of the pictures beside a record.

use super::{DrawError, Sources};
use picloom::experiment::networks::record::{Maps, Views};
use picloom::figures::fonts::text_width;
use picloom::figures::page::{CAPTION, HEADING, LINE, NOTE, Page};
use picloom::figures::sheets::signed_colour;
use picloom::figures::style::{self, Colour, size};
use picloom::figures::svg::Anchor;
use picloom::network::Picture;

/// A picture with a verdict.
#[derive(Clone, Debug)]
pub(super) struct Tile {
    pub picture: Picture,
    pub border: Option<Colour>,
}

/// A row: who, and what it draws.
#[derive(Clone, Debug, Default)]
pub(super) struct Row {
    pub label: String,
    pub sub: String,
    pub tone: Option<Colour>,
    /// `None` leaves a place empty.
    pub tiles: Vec<Option<Tile>>,
}

/// Rows under a heading.
#[derive(Clone, Debug, Default)]
pub(super) struct Block {
    pub heading: String,
    pub rows: Vec<Row>,
}

/// A page of pictures.
#[derive(Clone, Debug, Default)]
pub(super) struct Board {
    pub title: String,
    pub subtitle: String,
    pub note: String,
    pub legend: Vec<(Colour, String)>,
    /// Heads of the columns: (first column, columns, words).
    pub heads: Vec<(usize, usize, String)>,
    pub blocks: Vec<Block>,
    /// Side of a picture in pixels.
    pub pane: f64,
    /// Columns before which there is a wider gap.
    pub apart: Vec<usize>,
}

const MARGIN: f64 = 18.0;
const GAP: f64 = 7.0;
const APART: f64 = 14.0;

/// What the borders of changed pictures mean.
pub(super) fn verdicts() -> Vec<(Colour, String)> {
    vec![
        (style::COHERENT, "one weight changed, judged coherent".into()),
        (style::UNCLEAR, "unclear".into()),
        (style::FRACTURED, "judged fractured".into()),
    ]
}

impl Board {
    fn x(&self, column: usize) -> f64 {
        let wide = self.apart.iter().filter(|c| **c <= column).count() as f64;
        column as f64 * (self.pane + GAP) + wide * APART
    }

    /// The SVG.
    pub fn draw(&self) -> String {
        let rows = || self.blocks.iter().flat_map(|b| &b.rows);
        let columns = rows().map(|r| r.tiles.len()).max().unwrap_or(0).max(1);
        let names = rows().flat_map(|r| {
            [text_width(&r.label, size::TICK, true), text_width(&r.sub, size::CAPTION, false)]
        });
        let label = names.fold(0.0, f64::max).min(230.0);
        let left = MARGIN + if label > 0.0 { label + 14.0 } else { 0.0 };
        let width = (left + self.x(columns - 1) + self.pane + MARGIN).max(480.0);
        let mut page = Page::new(width, MARGIN);
        page.head(&self.title, &self.subtitle, &self.legend);
        if !self.heads.is_empty() {
            page.column_heads(self.heads.iter().map(|(first, count, head)| {
                let (a, b) = (self.x(*first), self.x(first + count - 1) + self.pane);
                (left + (a + b) / 2.0, b - a + APART, head.clone())
            }));
        }
        if rows().next().is_none() {
            page.nothing();
        }
        for block in self.blocks.iter().filter(|b| !b.rows.is_empty()) {
            if !block.heading.is_empty() {
                page.y += 4.0;
                page.words(&block.heading, HEADING, 6);
                page.y += 5.0;
            }
            for row in &block.rows {
                let tone = row.tone.unwrap_or(style::INK);
                page.row_label(page.y + self.pane / 2.0, &row.label, &row.sub, tone, label);
                for (k, tile) in row.tiles.iter().enumerate() {
                    if let Some(tile) = tile {
                        self.tile(&mut page, left + self.x(k), tile);
                    }
                }
                page.y += self.pane + GAP + 2.0;
            }
            page.y += 6.0;
        }
        page.y += 2.0;
        page.words(&self.note, NOTE, 6);
        page.finish(MARGIN - 6.0, &self.title)
    }

    /// A picture as it is, or smaller; enlarged pixels of a very small one stay square.
    fn tile(&self, page: &mut Page, x: f64, tile: &Tile) {
        let (at, pane) = ((x, page.y), self.pane);
        let side = tile.picture.width.min(2 * pane as usize).max(1);
        let png = tile.picture.resized(side).to_png(&[]);
        page.svg.image(at, (pane, pane), &png, side < 24);
        if let Some(colour) = tile.border {
            page.frame((at.0 + 1.0, at.1 + 1.0), pane - 2.0, colour, 3.0);
        }
    }
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

/// What a network draws, then what it draws after at most `most` of its changes, spread over them.
pub(super) fn sweep(
    sources: &Sources,
    study: &str,
    views: &Views,
    most: usize,
) -> Result<Vec<Option<Tile>>, DrawError> {
    let whole = sources.picture(study, &views.sweep)?;
    let side = whole.height;
    let base = crop(&whole, side, 0, 0).map(|picture| Tile { picture, border: None });
    let mut tiles = vec![base];
    let (count, shown) = (views.changes.len(), views.changes.len().min(most));
    for k in 0..shown {
        let i = k * count / shown;
        let border = style::called(views.changes[i].call());
        tiles.push(
            crop(&whole, side, 0, i + 1).map(|picture| Tile { picture, border: Some(border) }),
        );
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
    pub fn draw(&self) -> String {
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
            page.pictures((left, page.y), MAP, MAP + MAP_GAP, &maps);
            let count = format!("{}/{}", layer.alive, layer.units);
            page.text((left + wide - 4.0, page.y + 0.5 * MAP + 4.0), &count, CAPTION, Anchor::End);
            page.y += MAP + MAP_GAP;
        }
    }
}
