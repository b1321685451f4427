//! What surrounds a chart: title, subtitle, legend, note.

use super::canvas::{Area, Canvas, Face, stroke};
use crate::figures::fonts::{text_width, wrapped};
use crate::figures::style::{self, Colour, Marker, size};
use plotters::style::text_anchor::HPos;

/// Title, texts and size of a figure.
#[derive(Clone, Debug, PartialEq)]
pub struct Frame {
    /// What the figure shows, in a few words. May be empty.
    pub title: String,
    /// A second line in grey. May be empty.
    pub subtitle: String,
    /// Under the chart, in grey: what the intervals are, what was left out. May be empty.
    pub note: String,
    /// Width in pixels. Default: 860.
    pub width: u32,
    /// Height in pixels. Default: 560.
    pub height: u32,
}

impl Default for Frame {
    fn default() -> Self {
        Frame {
            title: String::new(),
            subtitle: String::new(),
            note: String::new(),
            width: size::CHART.0,
            height: size::CHART.1,
        }
    }
}

impl Frame {
    /// A frame of the usual size with this title.
    pub fn new(title: impl Into<String>) -> Self {
        Frame { title: title.into(), ..Frame::default() }
    }

    /// With a line under the title.
    pub fn subtitle(mut self, text: impl Into<String>) -> Self {
        self.subtitle = text.into();
        self
    }

    /// With a note under the chart.
    pub fn note(mut self, text: impl Into<String>) -> Self {
        self.note = text.into();
        self
    }

    /// With another size in pixels, each at least 160.
    pub fn sized(mut self, width: u32, height: u32) -> Self {
        (self.width, self.height) = (width, height);
        self
    }

    /// The size, kept within reason.
    pub(super) fn pixels(&self) -> (f64, f64) {
        (f64::from(self.width.clamp(160, 20_000)), f64::from(self.height.clamp(160, 20_000)))
    }
}

/// How a legend entry is drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Sign {
    /// A line, perhaps dashed, perhaps with a marker.
    Line { dashed: bool, marker: Option<Marker> },
    /// A marker alone.
    Dot(Marker),
    /// A filled square.
    Box,
}

/// One legend entry.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Key {
    pub name: String,
    pub colour: Colour,
    pub sign: Sign,
}

const MARGIN: f64 = 18.0;
const SIGN: f64 = 30.0;

pub(super) const TITLE: Face = Face { em: size::TITLE, bold: true, colour: style::INK };
pub(super) const LABEL: Face = Face { em: size::LABEL, bold: false, colour: style::INK };
pub(super) const SUBTITLE: Face = Face { em: size::SUBTITLE, bold: false, colour: style::GREY };
pub(super) const TICK: Face = Face { em: size::TICK, bold: false, colour: style::GREY };

/// Draws title, subtitle, legend and note; returns what is left for the chart.
pub(super) fn surround(canvas: &Canvas<'_>, frame: &Frame, keys: &[Key]) -> Area {
    let (width, height) = frame.pixels();
    let text = width - 2.0 * MARGIN;
    let mut top = MARGIN;
    for (words, face, lines, leading) in
        [(&frame.title, TITLE, 2, 1.3), (&frame.subtitle, SUBTITLE, 3, 1.35)]
    {
        for line in wrapped(words, face.em, face.bold, text, lines) {
            canvas.text((MARGIN, top + 0.5 * face.em), &line, face, HPos::Left);
            top += leading * face.em;
        }
    }
    if top > MARGIN {
        top += 4.0;
    }
    if !keys.is_empty() {
        top = legend(canvas, keys, top, text) + 6.0;
    }
    let note = wrapped(&frame.note, size::TICK, false, text, 30);
    let mut bottom = height - 12.0;
    for line in note.iter().rev() {
        canvas.text((MARGIN, bottom - 0.5 * TICK.em), line, TICK, HPos::Left);
        bottom -= 1.35 * TICK.em;
    }
    if !note.is_empty() {
        bottom -= 4.0;
    }
    Area {
        x: MARGIN - 6.0,
        y: top,
        width: width - 2.0 * MARGIN + 6.0,
        height: (bottom - top).max(40.0),
    }
}

/// Draws the legend in rows from `top`; returns where it ends.
fn legend(canvas: &Canvas<'_>, keys: &[Key], top: f64, width: f64) -> f64 {
    let line = 1.55 * LABEL.em;
    let (mut x, mut y) = (MARGIN, top);
    for key in keys {
        let wide = SIGN + 8.0 + text_width(&key.name, LABEL.em, false);
        if x > MARGIN && x + wide > MARGIN + width {
            (x, y) = (MARGIN, y + line);
        }
        let middle = y + line / 2.0;
        match key.sign {
            Sign::Line { dashed, marker } => {
                let style = stroke(key.colour, 2.4);
                let ends = ((x, middle), (x + SIGN, middle));
                if dashed {
                    canvas.dashes(ends.0, ends.1, style);
                } else {
                    canvas.line(ends.0, ends.1, style);
                }
                if let Some(marker) = marker {
                    canvas.marker((x + SIGN / 2.0, middle), marker, key.colour, 9.0, false);
                }
            }
            Sign::Dot(marker) => {
                canvas.marker((x + SIGN / 2.0, middle), marker, key.colour, 11.0, false);
            }
            Sign::Box => {
                let square = Area { x: x + 10.0, y: middle - 7.0, width: 14.0, height: 14.0 };
                canvas.fill(square, key.colour);
            }
        }
        canvas.text((x + SIGN + 8.0, middle), &key.name, LABEL, HPos::Left);
        x += wide + 22.0;
    }
    y + line
}

/// Says that there is nothing to draw.
pub(super) fn nothing(canvas: &Canvas<'_>, area: Area) {
    canvas.outline(area, style::GRID, 1.0);
    canvas.text(area.middle(), "no data", SUBTITLE, HPos::Center);
}
