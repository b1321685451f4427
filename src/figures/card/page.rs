//! The paper a card is drawn on: marks placed from the top down.

use super::{MARGIN, ROOM, SHARP, WIDTH};
use crate::figures::fonts::{text_width, wrapped};
use crate::figures::sheets::Raster;
use crate::figures::style::{self, Colour, size};
use crate::figures::svg::{Anchor, Svg};
use crate::network::{Picture, picture::encode_png};

/// A page whose height is known when all is placed.
pub(super) struct Page {
    pub(super) y: f64,
    pub(super) marks: Vec<Mark>,
}

pub(super) enum Mark {
    Text((f64, f64), f64, String, bool, Colour, Anchor),
    Fill((f64, f64), (f64, f64), Colour),
    Frame((f64, f64), f64, Colour, f64),
    Image((f64, f64), f64, Vec<u8>),
    Raw(String),
}

impl Page {
    pub(super) fn text(
        &mut self,
        at: (f64, f64),
        em: f64,
        text: &str,
        bold: bool,
        colour: Colour,
        anchor: Anchor,
    ) {
        self.marks.push(Mark::Text(at, em, text.to_string(), bold, colour, anchor));
    }

    /// A line under what is there.
    pub(super) fn words(&mut self, x: f64, em: f64, text: &str, bold: bool, colour: Colour) {
        let at = (x, self.y + 0.95 * em);
        self.text(at, em, text, bold, colour, Anchor::Start);
        self.y += 1.3 * em;
    }

    pub(super) fn fill(&mut self, at: (f64, f64), extent: (f64, f64), colour: Colour) {
        self.marks.push(Mark::Fill(at, extent, colour));
    }

    /// A picture of this side with a frame around it.
    pub(super) fn picture(
        &mut self,
        at: (f64, f64),
        side: f64,
        picture: &Picture,
        colour: Colour,
        line: f64,
    ) {
        let pixels = (SHARP * side).round() as usize;
        let mut raster = Raster::new(pixels, pixels);
        raster.paste(0, 0, &picture.resized(pixels));
        let png = encode_png(pixels, pixels, &raster.bytes, &[]);
        self.marks.push(Mark::Image(at, side, png));
        let corner = (at.0 - line, at.1 - line);
        self.marks.push(Mark::Frame(corner, side + 2.0 * line, colour, line));
    }

    /// A heading over the whole width with a grey line beside it.
    pub(super) fn heading(&mut self, name: &str, more: &str) {
        self.fill((MARGIN, self.y), (ROOM, 1.0), style::GRID);
        self.heading_at(MARGIN, name, more, ROOM);
    }

    pub(super) fn heading_at(&mut self, x: f64, name: &str, more: &str, room: f64) {
        self.y += 12.0;
        let em = 1.1 * size::LABEL;
        let base = self.y + em;
        self.text((x, base), em, name, true, style::INK, Anchor::Start);
        let at = text_width(name, em, true) + 14.0;
        let words = wrapped(more, size::TICK, false, (room - at).max(120.0), 2);
        for (i, line) in words.iter().enumerate() {
            let y = base + 18.0 * i as f64;
            self.text((x + at, y), size::TICK, line, false, style::GREY, Anchor::Start);
        }
        self.y = base + 18.0 * words.len().saturating_sub(1) as f64 + 14.0;
    }

    pub(super) fn finish(self, title: &str) -> String {
        let mut svg = Svg::new(WIDTH, self.y + MARGIN);
        for mark in &self.marks {
            match mark {
                Mark::Text(at, em, text, bold, colour, anchor) => {
                    svg.text(*at, text, *em, *bold, *colour, *anchor);
                }
                Mark::Fill(at, extent, colour) => {
                    svg.rect(at.0, at.1, extent.0, extent.1, Some(*colour), None);
                }
                Mark::Frame(at, side, colour, line) => {
                    svg.rect(at.0, at.1, *side, *side, None, Some((*colour, *line)));
                }
                Mark::Image(at, side, png) => svg.image(*at, (*side, *side), png, false),
                Mark::Raw(text) => svg.raw(text),
            }
        }
        svg.finish(title)
    }
}
