//! Sheets of pictures: rows under headings, with names at the left and heads above, as all pictures,
//! sweeps and feature maps are shown.
//!
//! As SVG, with crisp text, each row of pictures being one embedded PNG; and, for sheets of
//! thousands, as bare pixels without words ([`mosaic`]).

pub use super::style::signed_colour;

use super::fonts::{text_width, wrapped};
use super::page::{CAPTION, HEADING, LINE, NOTE, Page};
use super::raster::{Raster, pictures};
use super::style::{self, Colour, size};
use super::svg::Anchor;
use crate::network::{Network, Picture};
pub use crate::page::signed_picture;

/// One picture of a sheet.
#[derive(Clone, Debug, PartialEq)]
pub struct Pane {
    /// The picture; shown as a square.
    pub picture: Picture,
    /// Under it; may be empty. Two lines at most.
    pub caption: String,
    /// A border in this colour, for example a verdict's.
    pub border: Option<Colour>,
}

impl Pane {
    /// A picture with a caption.
    pub fn new(picture: Picture, caption: impl Into<String>) -> Self {
        Pane { picture, caption: caption.into(), border: None }
    }

    /// With a border.
    pub fn bordered(mut self, colour: Colour) -> Self {
        self.border = Some(colour);
        self
    }
}

/// A row of pictures.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Row {
    /// At its left: `weight 217`; may be empty.
    pub label: String,
    /// More about it, in grey: `layer 3, sin → gaussian`; may be empty.
    pub sub: String,
    /// Colour of the label. Default: ink.
    pub tone: Option<Colour>,
    /// The pictures; `None` leaves a place empty.
    pub panes: Vec<Option<Pane>>,
}

impl Row {
    /// A row of these pictures.
    pub(crate) fn new(
        label: impl Into<String>,
        sub: impl Into<String>,
        panes: impl IntoIterator<Item = Pane>,
    ) -> Self {
        let panes = panes.into_iter().map(Some).collect();
        Row { label: label.into(), sub: sub.into(), tone: None, panes }
    }
}

/// Rows under a heading.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Block {
    /// The heading; may be empty.
    pub heading: String,
    /// The rows.
    pub rows: Vec<Row>,
}

impl Block {
    /// Pictures one after the other, `columns` in a row.
    pub fn of_panes(heading: impl Into<String>, panes: &[Pane], columns: usize) -> Self {
        let rows = panes.chunks(columns.max(1)).map(|panes| Row::new("", "", panes.to_vec()));
        Block { heading: heading.into(), rows: rows.collect() }
    }
}

/// A sheet of pictures.
#[derive(Clone, Debug, PartialEq)]
pub struct Sheet {
    /// Title; may be empty.
    pub title: String,
    /// A second line in grey; may be empty.
    pub subtitle: String,
    /// Under the pictures; may be empty.
    pub note: String,
    /// Border colours and their meaning, for the legend.
    pub legend: Vec<(Colour, String)>,
    /// Shows what red and blue mean in pictures of signed values.
    pub signed: bool,
    /// Heads of the columns: how many columns each is over, words.
    pub heads: Vec<(usize, String)>,
    /// The pictures.
    pub blocks: Vec<Block>,
    /// Pixels of a picture's side. Default: 96.
    pub pane: u32,
    /// Columns before which there is a wider gap.
    pub apart: Vec<usize>,
    /// Width of the borders in pixels. Default: 3.
    pub border: f64,
}

impl Default for Sheet {
    fn default() -> Self {
        Sheet {
            title: String::new(),
            subtitle: String::new(),
            note: String::new(),
            legend: Vec::new(),
            signed: false,
            heads: Vec::new(),
            blocks: Vec::new(),
            pane: 96,
            apart: Vec::new(),
            border: 3.0,
        }
    }
}

/// Feature maps of a network.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FeatureSheet<'a> {
    /// Title; may be empty.
    pub title: &'a str,
    /// A second line in grey; may be empty.
    pub subtitle: &'a str,
    /// Whose units they are.
    pub network: &'a Network,
    /// (U, P) values after the activation, unit by unit, P = size².
    pub maps: &'a [f32],
    /// Side of a map in pixels.
    pub size: usize,
    /// Units without influence on the picture are drawn pale. `None`: none are.
    pub alive: Option<&'a [bool]>,
    /// Pixels of a map's side in the sheet.
    pub pane: u32,
}

/// Below this side, in pixels, captions are small and of one line.
const SMALL: u32 = 60;
const MARGIN: f64 = 18.0;
const GAP: f64 = 10.0;
/// More of a gap before a column that stands apart.
const APART: f64 = 12.0;

/// The pictures of a sheet as bare pixels: squares of `pane` pixels, 2 pixels apart on
/// white, borders 2 pixels wide, row after row; no words.
pub fn mosaic(sheet: &Sheet) -> Picture {
    let pane = (sheet.pane as usize).max(1);
    let rows: Vec<&Row> = sheet.blocks.iter().flat_map(|block| &block.rows).collect();
    let across = rows.iter().map(|row| row.panes.len()).max().unwrap_or(0).max(1);
    let pitch = pane + 6;
    let (width, height) = (across * pitch + 2, rows.len().max(1) * pitch + 2);
    let mut out = Raster::new(width, height);
    for (r, row) in rows.iter().enumerate() {
        for (c, one) in row.panes.iter().enumerate() {
            let Some(one) = one else { continue };
            let (x, y) = (4 + c * pitch, 4 + r * pitch);
            if let Some(colour) = one.border {
                out.block(x - 2, y - 2, pane + 4, pane + 4, colour);
            }
            out.paste(x, y, &one.picture.resized(pane));
        }
    }
    Picture { width, height, rgb: out.bytes.iter().map(|&b| f32::from(b) / 255.0).collect() }
}

impl Sheet {
    /// Left edge of a column, from that of the first.
    fn x(&self, column: usize) -> f64 {
        let apart = self.apart.iter().filter(|place| **place <= column).count() as f64;
        column as f64 * (f64::from(self.pane.max(8)) + GAP) + apart * APART
    }

    /// The SVG.
    pub fn draw(&self) -> String {
        let pane = f64::from(self.pane.max(8));
        let rows = || self.blocks.iter().flat_map(|b| &b.rows).filter(|r| !r.panes.is_empty());
        let across = rows().map(|row| row.panes.len()).max().unwrap_or(0).max(1);
        let names = rows().flat_map(|r| {
            [text_width(&r.label, size::TICK, true), text_width(&r.sub, size::CAPTION, false)]
        });
        let label = names.fold(0.0, f64::max).min(240.0);
        let left = MARGIN + if label > 0.0 { label + 14.0 } else { 0.0 };
        let width = (left + self.x(across - 1) + pane + MARGIN).max(460.0);
        let mut page = Page::new(width, MARGIN);
        page.head(&self.title, &self.subtitle, &self.legend);
        if self.signed {
            page.signed_scale();
        }
        if rows().next().is_none() {
            page.nothing();
        } else if !self.heads.is_empty() {
            let mut first = 0;
            let heads = self.heads.iter().map(|(columns, head)| {
                let (from, to) = (self.x(first), self.x(first + columns - 1) + pane);
                first += columns;
                (left + (from + to) / 2.0, to - from + GAP, head)
            });
            for (x, room, head) in heads {
                page.cut((x, page.y + size::TICK), head, NOTE, Anchor::Middle, room);
            }
            page.y += LINE * size::TICK + 6.0;
        }
        for block in &self.blocks {
            if !block.heading.is_empty() && !block.rows.is_empty() {
                page.y += 6.0;
                page.words(&block.heading, HEADING, 6);
                page.y += 6.0;
            }
            for row in block.rows.iter().filter(|row| !row.panes.is_empty()) {
                let name = (size::TICK, true, row.tone.unwrap_or(style::INK));
                let middle = page.y + pane / 2.0;
                let base = middle + if row.sub.is_empty() { 5.0 } else { -3.0 };
                page.cut((MARGIN, base), &row.label, name, Anchor::Start, label);
                page.cut((MARGIN, middle + 13.0), &row.sub, CAPTION, Anchor::Start, label);
                self.row(&mut page, left, &row.panes);
            }
        }
        page.words(&self.note, NOTE, 6);
        page.finish(if self.note.is_empty() { MARGIN - GAP } else { MARGIN - 6.0 }, &self.title)
    }

    /// A row of pictures from `left`, with borders and captions.
    fn row(&self, page: &mut Page, left: f64, panes: &[Option<Pane>]) {
        let pane = f64::from(self.pane.max(8));
        // Neighbours are one picture, up to a column that stands apart or an empty place.
        let mut first = 0;
        let columns: Vec<(usize, &Option<Pane>)> = panes.iter().enumerate().collect();
        for run in
            columns.chunk_by(|a, b| a.1.is_some() == b.1.is_some() && !self.apart.contains(&b.0))
        {
            let shown: Option<Vec<&Picture>> =
                run.iter().map(|(_, pane)| pane.as_ref().map(|pane| &pane.picture)).collect();
            if let Some(shown) = shown {
                let shown: Vec<Option<&Picture>> = shown.into_iter().map(Some).collect();
                pictures(page, (left + self.x(first), page.y), pane, pane + GAP, &shown);
            }
            first += run.len();
        }
        // Small panes: small captions, on one line.
        let (em, most) = if self.pane < SMALL { (9.0, 1) } else { (size::CAPTION, 2) };
        let mut lines = 0;
        for (i, one) in columns {
            let (Some(one), x) = (one, left + self.x(i)) else { continue };
            if let Some(colour) = one.border {
                page.frame((x, page.y), pane, colour, self.border);
            }
            let caption = wrapped(&one.caption, em, false, pane + GAP - 2.0, most);
            for (k, line) in caption.iter().enumerate() {
                let at = (x + pane / 2.0, page.y + pane + 3.0 + em + k as f64 * LINE * em);
                page.text(at, line, (em, false, style::GREY), Anchor::Middle);
            }
            lines = lines.max(caption.len());
        }
        page.y += pane + GAP + lines as f64 * LINE * em + if lines > 0 { 4.0 } else { 0.0 };
    }
}

/// Draws the feature maps of a network: one row a layer, one square a unit, its activation under
/// it; red −1, white 0, blue +1.
///
/// # Panics
/// If `maps` has not U·size² values, or `alive` not U.
pub(crate) fn feature_sheet(sheet: &FeatureSheet<'_>) -> String {
    let units = sheet.network.units.len();
    let pixels = sheet.size * sheet.size;
    assert_eq!(sheet.maps.len(), units * pixels, "U·P values");
    assert!(sheet.alive.is_none_or(|a| a.len() == units), "U flags");
    let rows = layers(sheet.network).into_iter().map(|(name, units)| {
        let panes = units.into_iter().map(|u| {
            let mut picture = signed_picture(&sheet.maps[u * pixels..(u + 1) * pixels], sheet.size);
            let alive = sheet.alive.is_none_or(|a| a[u]);
            if !alive {
                for v in &mut picture.rgb {
                    *v = 0.92 - 0.25 * (1.0 - *v);
                }
            }
            let border = if alive { style::SILVER } else { style::GRID };
            // Under a small square the long names of outputs have no place.
            let name = match unit_name(sheet.network, u) {
                name if sheet.pane >= SMALL => name,
                name => name.replace("saturation", "sat.").replace("brightness", "bright."),
            };
            Pane::new(picture, name).bordered(border)
        });
        Row::new(name, "", panes)
    });
    let block = Block { heading: String::new(), rows: rows.collect() };
    let sheet = Sheet {
        title: sheet.title.into(),
        subtitle: sheet.subtitle.into(),
        signed: true,
        blocks: vec![block],
        pane: sheet.pane,
        border: 1.0,
        ..Sheet::default()
    };
    sheet.draw()
}

/// Units by layer, with the names of the layers: inputs, layer 1, …, outputs.
pub(super) fn layers(network: &Network) -> Vec<(String, Vec<usize>)> {
    let depth = network.depth();
    let mut rows: Vec<(String, Vec<usize>)> = (0..=depth)
        .map(|layer| {
            let name = match layer {
                0 => "inputs".to_string(),
                l if l == depth && network.is_layered() => "h, s, v".to_string(),
                l => format!("layer {l}"),
            };
            (name, Vec::new())
        })
        .collect();
    for (u, unit) in network.units.iter().enumerate() {
        rows[unit.layer].1.push(u);
    }
    rows.retain(|(_, units)| !units.is_empty());
    rows
}

/// The label of a unit: its input, its output, or its activation.
///
/// # Panics
/// If there is no such unit.
pub(crate) fn unit_name(network: &Network, unit: usize) -> String {
    if unit < network.inputs.len() {
        return network.inputs[unit].to_string();
    }
    for (o, name) in ["hue", "saturation", "brightness"].into_iter().enumerate() {
        if network.outputs[o] == Some(unit) {
            return name.into();
        }
    }
    network.units[unit].activation.to_string()
}
