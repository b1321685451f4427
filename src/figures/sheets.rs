//! Sheets of pictures: contact sheets, rows of a sweep, feature maps layer by layer.
//!
//! As SVG, with crisp text, each row of pictures being one embedded PNG; and, for sheets of
//! thousands, as bare pixels without words ([`mosaic`]).

pub use super::style::signed_colour;

use super::fonts::{text_width, wrapped};
use super::page::{HEADING, LINE, PLAIN, Page, Raster};
use super::style::{self, Colour, size};
use super::svg::Anchor;
use crate::network::{Network, Picture};

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

/// Pictures under a heading.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PaneGroup {
    /// The heading; may be empty.
    pub heading: String,
    /// The pictures, row by row.
    pub panes: Vec<Pane>,
}

/// A contact sheet.
#[derive(Clone, Debug, PartialEq)]
pub struct Sheet {
    /// Title; may be empty.
    pub title: String,
    /// A second line in grey; may be empty.
    pub subtitle: String,
    /// What border colours mean: shown as a legend.
    pub legend: Vec<(Colour, String)>,
    /// The pictures, in groups.
    pub groups: Vec<PaneGroup>,
    /// Pictures a row. Default: 8.
    pub columns: usize,
    /// Pixels of a picture's side. Default: 96.
    pub pane: u32,
}

impl Default for Sheet {
    fn default() -> Self {
        Sheet {
            title: String::new(),
            subtitle: String::new(),
            legend: Vec::new(),
            groups: Vec::new(),
            columns: 8,
            pane: 96,
        }
    }
}

/// A row of a sweep.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Strip {
    /// What was swept: `weight 217`.
    pub label: String,
    /// More about it, in grey: `layer 3, sin → gaussian`; may be empty.
    pub sub: String,
    /// The pictures, first to last step.
    pub panes: Vec<Pane>,
}

/// Rows of sweeps under shared column heads.
#[derive(Clone, Debug, PartialEq)]
pub struct Strips {
    /// Title; may be empty.
    pub title: String,
    /// A second line in grey; may be empty.
    pub subtitle: String,
    /// Heads of the columns: `w − 1`, …, `w`, …, `w + 1`; may be empty.
    pub heads: Vec<String>,
    /// What border colours mean.
    pub legend: Vec<(Colour, String)>,
    /// The rows.
    pub rows: Vec<Strip>,
    /// Pixels of a picture's side. Default: 96.
    pub pane: u32,
}

impl Default for Strips {
    fn default() -> Self {
        Strips {
            title: String::new(),
            subtitle: String::new(),
            heads: Vec::new(),
            legend: Vec::new(),
            rows: Vec::new(),
            pane: 96,
        }
    }
}

/// Feature maps of a network.
#[derive(Clone, Copy, Debug)]
pub struct FeatureSheet<'a> {
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

const MARGIN: f64 = 18.0;
const GAP: f64 = 10.0;
/// Lines of frames: of a verdict, and of a map.
const BROAD: f64 = 3.0;
const THIN: f64 = 1.0;

/// A feature map, (P,) values, as a picture: red −1, white 0, blue +1.
///
/// # Panics
/// If `map` has not size² values.
pub fn signed_picture(map: &[f32], size: usize) -> Picture {
    assert_eq!(map.len(), size * size, "size² values a map");
    Picture {
        width: size,
        height: size,
        rgb: map
            .iter()
            .flat_map(|&v| {
                let Colour(r, g, b) = signed_colour(v);
                [r, g, b].map(|c| f32::from(c) / 255.0)
            })
            .collect(),
    }
}

/// The pictures of a sheet as bare pixels: squares of `pane` pixels, `columns` a row, 2 pixels
/// apart on white, borders 2 pixels wide; groups follow each other, each on new rows; no words.
pub fn mosaic(sheet: &Sheet) -> Picture {
    let pane = (sheet.pane as usize).max(1);
    let columns = sheet.columns.max(1);
    let rows: Vec<&[Pane]> = sheet.groups.iter().flat_map(|g| g.panes.chunks(columns)).collect();
    let across = rows.iter().map(|r| r.len()).max().unwrap_or(0).max(1);
    let pitch = pane + 6;
    let (width, height) = (across * pitch + 2, rows.len().max(1) * pitch + 2);
    let mut out = Raster::new(width, height);
    for (r, row) in rows.iter().enumerate() {
        for (c, one) in row.iter().enumerate() {
            let (x, y) = (4 + c * pitch, 4 + r * pitch);
            if let Some(colour) = one.border {
                out.block(x - 2, y - 2, pane + 4, pane + 4, colour);
            }
            out.paste(x, y, &one.picture.resized(pane));
        }
    }
    Picture { width, height, rgb: out.bytes.iter().map(|&b| f32::from(b) / 255.0).collect() }
}

/// Draws a contact sheet.
pub fn contact_sheet(sheet: &Sheet) -> String {
    let pane = f64::from(sheet.pane.max(8));
    let columns = sheet.columns.max(1);
    let across =
        sheet.groups.iter().map(|g| g.panes.len().min(columns)).max().unwrap_or(0).max(1) as f64;
    let width = (2.0 * MARGIN + across * (pane + GAP) - GAP).max(420.0);
    let mut page = Page::new(width, MARGIN);
    page.head(&sheet.title, &sheet.subtitle, &sheet.legend);
    if sheet.groups.iter().all(|g| g.panes.is_empty()) {
        page.nothing();
    }
    for group in sheet.groups.iter().filter(|g| !g.panes.is_empty()) {
        if !group.heading.is_empty() {
            page.y += 6.0;
            page.words(&group.heading, HEADING, 1);
            page.y += 8.0;
        }
        for panes in group.panes.chunks(columns) {
            row(&mut page, MARGIN, pane, panes, BROAD);
        }
    }
    page.finish(MARGIN - GAP, &sheet.title)
}

/// Draws rows of sweeps.
pub fn strips(strips: &Strips) -> String {
    let pane = f64::from(strips.pane.max(8));
    let widest = strips
        .rows
        .iter()
        .flat_map(|r| {
            [text_width(&r.label, size::TICK, true), text_width(&r.sub, size::CAPTION, false)]
        })
        .fold(0.0, f64::max);
    let label = if widest > 0.0 { widest.min(240.0) + 14.0 } else { 0.0 };
    let across = strips.rows.iter().map(|r| r.panes.len()).max().unwrap_or(0);
    let left = MARGIN + label;
    let width = (left + across.max(1) as f64 * (pane + GAP) - GAP + MARGIN).max(420.0);
    let mut page = Page::new(width, MARGIN);
    page.head(&strips.title, &strips.subtitle, &strips.legend);
    if across == 0 {
        page.nothing();
    }
    if strips.heads.iter().any(|h| !h.is_empty()) && across > 0 {
        let middle = |i: usize| left + i as f64 * (pane + GAP) + pane / 2.0;
        let heads = strips.heads.iter().take(across).enumerate();
        page.column_heads(heads.map(|(i, head)| (middle(i), pane + GAP, head.clone())));
    }
    for strip in strips.rows.iter().filter(|r| !r.panes.is_empty()) {
        let middle = page.y + pane / 2.0;
        page.row_label(middle, &strip.label, &strip.sub, style::INK, label - 14.0);
        row(&mut page, left, pane, &strip.panes, BROAD);
    }
    page.finish(MARGIN - GAP, &strips.title)
}

/// Draws the feature maps of a network: one row a layer, one square a unit, its activation under
/// it; red −1, white 0, blue +1.
///
/// # Panics
/// If `maps` has not U·size² values, or `alive` not U.
pub fn feature_sheet(sheet: &FeatureSheet<'_>) -> String {
    let units = sheet.network.units.len();
    let pixels = sheet.size * sheet.size;
    assert_eq!(sheet.maps.len(), units * pixels, "U·P values");
    assert!(sheet.alive.is_none_or(|a| a.len() == units), "U flags");
    let rows = layers(sheet.network);
    let pane = f64::from(sheet.pane.max(8));
    let widest = rows.iter().map(|(_, r)| r.len()).max().unwrap_or(1) as f64;
    let label =
        rows.iter().map(|(name, _)| text_width(name, size::TICK, false)).fold(0.0, f64::max) + 14.0;
    let left = MARGIN + label;
    let width = (left + widest * (pane + GAP) - GAP + MARGIN).max(480.0);
    let mut page = Page::new(width, MARGIN);
    page.head(sheet.title, sheet.subtitle, &[]);
    page.signed_scale();
    for (name, units) in &rows {
        let middle = page.y + pane / 2.0 + 5.0;
        page.text((left - 14.0, middle), name, PLAIN, Anchor::End);
        let panes: Vec<Pane> = units
            .iter()
            .map(|&u| {
                let mut picture =
                    signed_picture(&sheet.maps[u * pixels..(u + 1) * pixels], sheet.size);
                let alive = sheet.alive.is_none_or(|a| a[u]);
                if !alive {
                    for v in &mut picture.rgb {
                        *v = 0.92 - 0.25 * (1.0 - *v);
                    }
                }
                let border = if alive { style::UNJUDGED } else { style::GRID };
                Pane { picture, caption: unit_name(sheet.network, u), border: Some(border) }
            })
            .collect();
        row(&mut page, left, pane, &panes, THIN);
    }
    page.finish(MARGIN - GAP, sheet.title)
}

/// A row of pictures from `left`, with frames and captions.
fn row(page: &mut Page, left: f64, pane: f64, panes: &[Pane], line: f64) {
    let pictures: Vec<Option<&Picture>> = panes.iter().map(|p| Some(&p.picture)).collect();
    page.pictures((left, page.y), pane, pane.round() + GAP, &pictures);
    // Small panes: small captions, on one line.
    let (em, most) = if pane < 60.0 { (9.0, 1) } else { (size::CAPTION, 2) };
    let mut lines = 0;
    for (i, one) in panes.iter().enumerate() {
        let x = left + i as f64 * (pane + GAP);
        if let Some(colour) = one.border {
            page.frame((x, page.y), pane, colour, line);
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

/// What a unit is called: its input, its output, or its activation.
///
/// # Panics
/// If there is no such unit.
pub fn unit_name(network: &Network, unit: usize) -> String {
    use crate::genome::Input;
    if unit < 4 {
        return match network.inputs[unit] {
            Input::X => "x",
            Input::Y => "y",
            Input::D => "d",
            Input::Bias => "bias",
        }
        .into();
    }
    for (o, name) in ["hue", "saturation", "brightness"].into_iter().enumerate() {
        if network.outputs[o] == Some(unit) {
            return name.into();
        }
    }
    network.units[unit].activation.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signed_maps_are_red_white_and_blue() {
        assert_eq!(signed_colour(-1.0), style::NEGATIVE);
        assert_eq!(signed_colour(-7.0), style::NEGATIVE);
        assert_eq!(signed_colour(0.0), style::PAPER);
        assert_eq!(signed_colour(1.0), style::POSITIVE);
        assert_eq!(signed_colour(f32::NAN), style::BLANK);
    }

    #[test]
    fn a_mosaic_has_its_pictures_where_they_belong() {
        let red = Picture::filled(4, 4, [1.0, 0.0, 0.0]);
        let sheet = Sheet {
            groups: vec![PaneGroup {
                heading: String::new(),
                panes: vec![
                    Pane::new(red.clone(), ""),
                    Pane::new(red.clone(), "").bordered(Colour(0, 0, 255)),
                    Pane::new(red, ""),
                ],
            }],
            columns: 2,
            pane: 10,
            ..Sheet::default()
        };
        let picture = mosaic(&sheet);
        assert_eq!((picture.width, picture.height), (34, 34));
        assert_eq!(picture.at(4, 4), [1.0, 0.0, 0.0]);
        assert_eq!(picture.at(3, 4), [1.0, 1.0, 1.0]);
        assert_eq!(picture.at(3, 20), [0.0, 0.0, 1.0]);
        assert_eq!(picture.at(20, 20), [1.0, 1.0, 1.0]);
        assert_eq!(picture.at(29, 13), [1.0, 0.0, 0.0]);
    }
}
