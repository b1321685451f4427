//! The parts of a card: its data, its measures on the page, its headings.

use crate::figures::fonts::{text_width, wrapped};
use crate::figures::page::{NOTE, Page};
use crate::figures::style::{self, size};
use crate::figures::svg::Anchor;
use crate::network::{Network, Picture, Weights};
use crate::probe::SampledShare;
use crate::score::measures::Measure;
use crate::score::{Call, CompositionalScore};

/// A picture of the network after one weight was changed.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Changed {
    /// Its picture then.
    pub picture: Picture,
    /// The judge's call.
    pub call: Call,
    /// Under it: `layer 2, w7 +0.31`.
    pub caption: String,
}

/// All that a card shows.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Card<'a> {
    /// The network's name.
    pub title: &'a str,
    /// How it was measured.
    pub subtitle: &'a str,
    /// Its picture.
    pub drawn: &'a Picture,
    /// Its target.
    pub target: Option<&'a Picture>,
    /// Its score.
    pub score: &'a CompositionalScore,
    /// The score of all weights as estimated from a sample of them.
    pub sampled: Option<&'a SampledShare>,
    /// Some of its changed pictures.
    pub changed: &'a [Changed],
    /// Its further measures.
    pub measures: &'a [Measure],
    /// A word on how they were taken.
    pub measures_note: &'a str,
    /// Its topology.
    pub network: &'a Network,
    /// Its weights.
    pub weights: &'a Weights,
    /// Its feature maps, (U, P) unit by unit, and their side in pixels.
    pub maps: (&'a [f32], usize),
    /// Units with influence on the picture, (U,); the others are drawn pale.
    pub alive: &'a [bool],
}

pub(super) const WIDTH: f64 = 1180.0;
pub(super) const MARGIN: f64 = 28.0;
pub(super) const ROOM: f64 = WIDTH - 2.0 * MARGIN;
pub(super) const SHOT: f64 = 212.0;
pub(super) const GAP: f64 = 26.0;
/// Changed pictures a row, their side, and the room between them.
pub(super) const ACROSS: usize = 12;
pub(super) const PANE: f64 = 82.0;
/// Tallest a row of maps and wiring may be.
pub(super) const TALLEST: f64 = 1400.0;

/// A heading over the whole width with a grey line beside it.
pub(super) fn heading(page: &mut Page, name: &str, more: &str) {
    page.fill((MARGIN, page.y), (ROOM, 1.0), style::GRID);
    heading_at(page, MARGIN, name, more, ROOM);
}

pub(super) fn heading_at(page: &mut Page, x: f64, name: &str, more: &str, room: f64) {
    page.y += 12.0;
    let em = 1.1 * size::LABEL;
    let base = page.y + em;
    page.text((x, base), name, (em, true, style::INK), Anchor::Start);
    let at = text_width(name, em, true) + 14.0;
    let words = wrapped(more, size::TICK, false, (room - at).max(120.0), 2);
    for (i, line) in words.iter().enumerate() {
        page.text((x + at, base + 18.0 * i as f64), line, NOTE, Anchor::Start);
    }
    page.y = base + 18.0 * words.len().saturating_sub(1) as f64 + 14.0;
}
