//! The paper under every figure that is made of pictures: sheets, boards, cards. It is written from
//! the top down, and its height is known when all is placed.

use super::fonts::{ellipsized, text_width, wrapped};
use super::style::{self, Colour, signed_colour, size};
use super::svg::{Anchor, Svg};

/// Height of a line of text, in em.
pub const LINE: f64 = 1.3;

/// A page being written.
pub struct Page {
    /// Its drawing.
    pub svg: Svg,
    /// Its width.
    pub width: f64,
    /// White on either side and at the top.
    pub margin: f64,
    /// Where it goes on.
    pub y: f64,
}

/// How a text looks: its size in em, bold or not, its colour.
pub type Look = (f64, bool, Colour);

/// The title of a page.
pub(crate) const TITLE: Look = (size::TITLE, true, style::INK);
/// The line under it.
pub const SUBTITLE: Look = (size::SUBTITLE, false, style::GREY);
/// The heading of a part.
pub const HEADING: Look = (size::LABEL, true, style::INK);
/// The name of a row.
pub const NAME: Look = (size::TICK, true, style::INK);
/// Plain text.
pub const PLAIN: Look = (size::TICK, false, style::INK);
/// A note.
pub const NOTE: Look = (size::TICK, false, style::GREY);
/// The look of text under a picture.
pub const CAPTION: Look = (size::CAPTION, false, style::GREY);

impl Page {
    /// An empty page.
    pub fn new(width: f64, margin: f64) -> Self {
        // The height is put right at the end.
        Page { svg: Svg::new(width, 0.0), width, margin, y: margin }
    }

    /// Width between the margins.
    pub(crate) fn room(&self) -> f64 {
        self.width - 2.0 * self.margin
    }

    /// A line of text whose baseline is at `at`.
    pub fn text(&mut self, at: (f64, f64), text: &str, (em, bold, colour): Look, anchor: Anchor) {
        if !text.is_empty() {
            self.svg.text(at, text, em, bold, colour, anchor);
        }
    }

    /// The same, cut where it is wider than `room`.
    pub fn cut(&mut self, at: (f64, f64), text: &str, look: Look, anchor: Anchor, room: f64) {
        self.text(at, &ellipsized(text, look.0, look.1, room), look, anchor);
    }

    /// Words under what is there, in at most `lines` lines over the whole width.
    pub fn words(&mut self, text: &str, look: Look, lines: usize) {
        for line in wrapped(text, look.0, look.1, self.room(), lines) {
            self.text((self.margin, self.y + 0.95 * look.0), &line, look, Anchor::Start);
            self.y += LINE * look.0;
        }
    }

    /// Title, second line, and what the colours of frames mean.
    pub fn head(&mut self, title: &str, subtitle: &str, legend: &[(Colour, String)]) {
        self.words(title, TITLE, 3);
        self.words(subtitle, SUBTITLE, 6);
        if self.y > self.margin {
            self.y += 8.0;
        }
        if legend.is_empty() {
            return;
        }
        let mut x = self.margin;
        for (colour, name) in legend {
            let wide = 22.0 + text_width(name, size::TICK, false);
            if x > self.margin && x + wide > self.width - self.margin {
                x = self.margin;
                self.y += 1.5 * size::TICK;
            }
            self.frame((x + 3.0, self.y + 4.0), 8.0, *colour, 3.0);
            self.text((x + 22.0, self.y + 13.0), name, PLAIN, Anchor::Start);
            x += wide + 22.0;
        }
        self.y += 1.5 * size::TICK + 8.0;
    }

    /// Instead of pictures, where there are none.
    pub fn nothing(&mut self) {
        self.words("no pictures", SUBTITLE, 1);
    }

    /// A bar from red −1 over white 0 to blue +1.
    pub fn signed_scale(&mut self) {
        const STEPS: usize = 40;
        let (x, step) = (self.margin + 24.0, 4.0);
        for i in 0..STEPS {
            let value = (i as f32 + 0.5) / STEPS as f32 * 2.0 - 1.0;
            let at = (x + step * i as f64, self.y + 2.0);
            self.fill(at, (step + 0.3, 10.0), signed_colour(value));
        }
        let y = self.y + 12.0;
        self.text((x - 6.0, y), "−1", NOTE, Anchor::End);
        let right = (x + step * STEPS as f64 + 6.0, y);
        self.text(right, "+1, value of the unit at each pixel", NOTE, Anchor::Start);
        self.y += 28.0;
    }

    /// A filled rectangle.
    pub fn fill(&mut self, at: (f64, f64), extent: (f64, f64), colour: Colour) {
        self.svg.rect(at.0, at.1, extent.0, extent.1, Some(colour), None);
    }

    /// A frame around the square of this side at `at`.
    pub fn frame(&mut self, at: (f64, f64), side: f64, colour: Colour, line: f64) {
        let side = side + 2.0 * line;
        self.svg.rect(at.0 - line, at.1 - line, side, side, None, Some((colour, line)));
    }

    /// The document; `below` is the white under what is there.
    pub fn finish(self, below: f64, title: &str) -> String {
        self.svg.finish_at(self.y + below, title)
    }
}
