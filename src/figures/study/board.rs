//! Boards of small pictures: rows of arms, columns of changes, verdicts as borders; and the tiles
//! they are made of, cut out of the pictures beside a record.

use super::{DrawError, Sources};
use crate::experiment::networks::record::{Maps, Views};
use crate::figures::fonts::{ellipsized, text_width, wrapped};
use crate::figures::sheets::signed_colour;
use crate::figures::style::{self, Colour, size};
use crate::figures::svg::{Anchor, Svg};
use crate::network::Picture;
use crate::network::picture::encode_png;

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
const LINE: f64 = 1.3;

/// What the borders of changed pictures mean.
pub(super) fn verdicts() -> Vec<(Colour, String)> {
    vec![
        (style::COHERENT, "one weight changed, judged coherent".into()),
        (style::FRACTURED, "one weight changed, judged fractured".into()),
    ]
}

/// What stands on a board, drawn when its height is known.
type Items = Vec<Box<dyn Fn(&mut Svg)>>;

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
        let mut items: Items = Vec::new();
        let mut y = MARGIN;
        let room = width - 2.0 * MARGIN;
        let words =
            |items: &mut Items, y: &mut f64, text: &str, em: f64, bold: bool, colour: Colour| {
                for line in wrapped(text, em, bold, room, 6) {
                    let at = (MARGIN, *y + 0.95 * em);
                    items.push(Box::new(move |svg| {
                        svg.text(at, &line, em, bold, colour, Anchor::Start);
                    }));
                    *y += LINE * em;
                }
            };
        words(&mut items, &mut y, &self.title, size::TITLE, true, style::INK);
        words(&mut items, &mut y, &self.subtitle, size::SUBTITLE, false, style::GREY);
        y += 8.0;
        if !self.legend.is_empty() {
            let mut x = MARGIN;
            for (colour, name) in &self.legend {
                let wide = 22.0 + text_width(name, size::TICK, false);
                if x > MARGIN && x + wide > width - MARGIN {
                    x = MARGIN;
                    y += 1.5 * size::TICK;
                }
                let (at, colour, name) = ((x, y), *colour, name.clone());
                items.push(Box::new(move |svg| {
                    svg.rect(at.0, at.1 + 1.0, 14.0, 14.0, None, Some((colour, 3.0)));
                    let place = (at.0 + 22.0, at.1 + 13.0);
                    svg.text(place, &name, size::TICK, false, style::INK, Anchor::Start);
                }));
                x += wide + 22.0;
            }
            y += 1.5 * size::TICK + 8.0;
        }
        if !self.heads.is_empty() {
            for (first, count, head) in &self.heads {
                let (a, b) = (self.x(*first), self.x(first + count - 1) + self.pane);
                let head = ellipsized(head, size::TICK, false, b - a + APART);
                let at = (left + (a + b) / 2.0, y + size::TICK);
                items.push(Box::new(move |svg| {
                    svg.text(at, &head, size::TICK, false, style::GREY, Anchor::Middle);
                }));
            }
            y += LINE * size::TICK + 6.0;
        }
        if rows().next().is_none() {
            words(&mut items, &mut y, "no pictures", size::SUBTITLE, false, style::GREY);
        }
        for block in self.blocks.iter().filter(|b| !b.rows.is_empty()) {
            if !block.heading.is_empty() {
                y += 4.0;
                words(&mut items, &mut y, &block.heading, size::LABEL, true, style::INK);
                y += 5.0;
            }
            for row in &block.rows {
                let middle = y + self.pane / 2.0;
                let lift = if row.sub.is_empty() { -5.0 } else { 3.0 };
                let label_text = ellipsized(&row.label, size::TICK, true, label);
                let sub = ellipsized(&row.sub, size::CAPTION, false, label);
                let tone = row.tone.unwrap_or(style::INK);
                items.push(Box::new(move |svg| {
                    let at = (MARGIN, middle - lift);
                    svg.text(at, &label_text, size::TICK, true, tone, Anchor::Start);
                    let at = (MARGIN, middle + 13.0);
                    svg.text(at, &sub, size::CAPTION, false, style::GREY, Anchor::Start);
                }));
                for (k, tile) in row.tiles.iter().enumerate() {
                    let Some(tile) = tile else { continue };
                    let (at, pane) = ((left + self.x(k), y), self.pane);
                    let side = tile.picture.width.min(2 * pane as usize).max(1);
                    let small = tile.picture.resized(side);
                    let png = encode_png(small.width, small.height, &small.to_bytes(), &[]);
                    let border = tile.border;
                    items.push(Box::new(move |svg| {
                        svg.image(at, (pane, pane), &png, small.width < 24);
                        if let Some(colour) = border {
                            let side = pane + 4.0;
                            let line = Some((colour, 3.0));
                            svg.rect(at.0 - 2.0, at.1 - 2.0, side, side, None, line);
                        }
                    }));
                }
                y += self.pane + GAP + 2.0;
            }
            y += 6.0;
        }
        y += 2.0;
        words(&mut items, &mut y, &self.note, size::TICK, false, style::GREY);
        let mut svg = Svg::new(width, y + MARGIN - 6.0);
        for item in &items {
            item(&mut svg);
        }
        svg.finish(&self.title)
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
        let border = match views.changes[i].coherent {
            true => style::COHERENT,
            false => style::FRACTURED,
        };
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
    Ok(MapSheet { side: maps.side, layers })
}

/// Maps of a network, layer by layer.
pub(super) struct MapSheet {
    pub side: usize,
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

/// Words on a page: (place, text, em, bold, colour, anchor).
type Words = ((f64, f64), String, f64, bool, Colour, Anchor);

/// A picture on a page: (place, extent, PNG).
type Image = ((f64, f64), (f64, f64), Vec<u8>);

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
const MAP: f64 = 23.0;
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
        let mut texts: Vec<Words> = Vec::new();
        let mut images: Vec<Image> = Vec::new();
        let mut y = MARGIN;
        let room = width - 2.0 * MARGIN;
        for (text, em, bold, colour) in [
            (&self.title, size::TITLE, true, style::INK),
            (&self.subtitle, size::SUBTITLE, false, style::GREY),
        ] {
            for line in wrapped(text, em, bold, room, 4) {
                texts.push(((MARGIN, y + 0.95 * em), line, em, bold, colour, Anchor::Start));
                y += LINE * em;
            }
        }
        y += 8.0;
        let scale = y;
        y += 22.0;
        for (heading, panels) in &self.rows {
            let em = size::LABEL;
            let at = (MARGIN, y + 0.95 * em);
            texts.push((at, heading.clone(), em, true, style::INK, Anchor::Start));
            y += LINE * em + 4.0;
            let mut deepest = 0.0f64;
            for (i, (name, sub, colour, sheet)) in panels.iter().enumerate() {
                let left = MARGIN + i as f64 * (panel + 18.0);
                let mut top = y;
                for (text, em, bold, colour) in
                    [(name, size::TICK, true, *colour), (sub, size::CAPTION, false, style::GREY)]
                {
                    let text = ellipsized(text, em, bold, panel);
                    texts.push(((left, top + em), text, em, bold, colour, Anchor::Start));
                    top += LINE * em;
                }
                top += 4.0;
                for layer in &sheet.layers {
                    let (png, pixels) = row_of_maps(layer, sheet.side, self.most);
                    if pixels > 0 {
                        let wide = pixels as f64 * (MAP + MAP_GAP) / (sheet.side + 2) as f64;
                        images.push(((left, top), (wide, MAP), png));
                    }
                    let count = format!("{}/{}", layer.alive, layer.units);
                    let at = (left + panel - 4.0, top + 0.5 * MAP + 4.0);
                    texts.push((at, count, size::CAPTION, false, style::GREY, Anchor::End));
                    top += MAP + MAP_GAP;
                }
                deepest = deepest.max(top);
            }
            y = deepest.max(y) + 14.0;
        }
        if self.rows.is_empty() {
            let at = (MARGIN, y + 15.0);
            let text = "no pictures".to_string();
            texts.push((at, text, size::SUBTITLE, false, style::GREY, Anchor::Start));
            y += 24.0;
        }
        for line in wrapped(&self.note, size::TICK, false, room, 6) {
            let at = (MARGIN, y + 0.95 * size::TICK);
            texts.push((at, line, size::TICK, false, style::GREY, Anchor::Start));
            y += LINE * size::TICK;
        }
        let mut svg = Svg::new(width, y + MARGIN - 4.0);
        for step in 0..40 {
            let value = (step as f32 + 0.5) / 20.0 - 1.0;
            let x = MARGIN + 24.0 + 4.0 * step as f64;
            svg.rect(x, scale, 4.3, 10.0, Some(signed_colour(value)), None);
        }
        let words = "+1, value of the unit at each pixel";
        let (a, b) = ((MARGIN + 18.0, scale + 10.0), (MARGIN + 191.0, scale + 10.0));
        svg.text(a, "−1", size::TICK, false, style::GREY, Anchor::End);
        svg.text(b, words, size::TICK, false, style::GREY, Anchor::Start);
        for (at, extent, png) in &images {
            svg.image(*at, *extent, png, false);
        }
        for (at, text, em, bold, colour, anchor) in &texts {
            svg.text(*at, text, *em, *bold, *colour, *anchor);
        }
        svg.finish(&self.title)
    }
}

/// A layer's maps side by side as a PNG, and its width in pixels.
fn row_of_maps(layer: &MapLayer, side: usize, most: usize) -> (Vec<u8>, usize) {
    let count = layer.units.min(most);
    let pitch = side + 2;
    let (width, height) = (count * pitch, side);
    let mut rgb = vec![255u8; 3 * width * height];
    for k in 0..count {
        let bytes = layer.pictures.get(k).map(Picture::to_bytes);
        for row in 0..side {
            let at = 3 * (row * width + k * pitch);
            let line = &mut rgb[at..at + 3 * side];
            match &bytes {
                Some(bytes) => line.copy_from_slice(&bytes[3 * row * side..3 * (row + 1) * side]),
                None => {
                    for pixel in line.chunks_exact_mut(3) {
                        pixel.copy_from_slice(&[style::BLANK.0, style::BLANK.1, style::BLANK.2]);
                    }
                }
            }
        }
    }
    if width == 0 {
        return (Vec::new(), 0);
    }
    (encode_png(width, height, &rgb, &[]), width)
}
