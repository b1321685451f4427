//! A matrix of values as coloured cells, with the numbers in them.

use super::model::{Heat, Panel, Tones};
use super::paint::{Area, Canvas, Face, LINE, TICK, View, stroke};
use crate::axis::{Axis, Format};
use crate::fonts::{pieces, text_width, wrapped};
use crate::style::{self, Colour};
use plotters::style::text_anchor::HPos;

/// Room for the colour scale, in pixels.
pub(super) const SCALE: f64 = 96.0;
/// Of it, for the words under the scale.
const TITLE_ROOM: f64 = 84.0;

/// Stops of the sequential scale, pale to dark (blues of even steps in brightness).
const AMOUNT: [Colour; 5] = [
    Colour(240, 244, 249),
    Colour(189, 213, 234),
    Colour(109, 168, 212),
    Colour(38, 111, 176),
    Colour(10, 51, 106),
];

impl Tones {
    /// Colour of a value at t in [0, 1] of the range (signed: −1 … 1 mapped to 0 … 1).
    fn at(self, t: f64) -> Colour {
        match self {
            Tones::Signed if t < 0.5 => style::PAPER.mix(style::NEGATIVE, 1.0 - 2.0 * t),
            Tones::Signed => style::PAPER.mix(style::POSITIVE, 2.0 * t - 1.0),
            Tones::Amount => {
                let place = t.clamp(0.0, 1.0) * (AMOUNT.len() - 1) as f64;
                let i = (place as usize).min(AMOUNT.len() - 2);
                AMOUNT[i].mix(AMOUNT[i + 1], place - i as f64)
            }
        }
    }
}

/// Values of the palest and the darkest colour of a figure: those that its first matrix gives, or the ends of all.
pub(super) fn range(panels: &[Panel]) -> (f64, f64) {
    let all = || panels.iter().filter_map(|panel| panel.heat.as_ref());
    let Some(first) = all().find(|heat| !heat.is_empty()) else { return (0.0, 1.0) };
    if let Some((a, b)) = first.value.range {
        return (a.min(b), a.max(b));
    }
    let values = all().flat_map(|heat| heat.values.iter().flatten()).filter(|v| v.is_finite());
    let ends = (f64::INFINITY, f64::NEG_INFINITY);
    let (low, high) = values.fold(ends, |(a, b), v| (a.min(*v), b.max(*v)));
    match first.tones {
        Tones::Signed => {
            let most = low.abs().max(high.abs()).max(1e-12);
            (-most, most)
        }
        Tones::Amount if low == high => (low - 0.5, high + 0.5),
        Tones::Amount => (low, high),
    }
}

impl Heat {
    /// The panel; `x` and `y` are the titles of columns and rows.
    pub fn panel(self, title: impl Into<String>, x: &str, y: &str) -> Panel {
        let count = self.rows.len() as f64;
        let at = |i: usize| i as f64 + 0.5;
        let columns = self.columns.iter().enumerate().map(|(i, name)| (at(i), name.clone()));
        let rows = self.rows.iter().enumerate().map(|(i, name)| (count - at(i), name.clone()));
        let axis = |title: &str, count: f64| Axis::new(title).range(0.0, count.max(1.0));
        let x = axis(x, self.columns.len() as f64).named(columns);
        let y = axis(y, count).named(rows);
        Panel { title: title.into(), x, y, heat: Some(self), ..Panel::default() }
    }

    /// Whether it has a cell with a value: only then a scale is drawn.
    pub(super) fn has_values(&self) -> bool {
        !self.columns.is_empty() && self.values.iter().flatten().any(|v| v.is_finite())
    }

    /// Whether it has nothing to show.
    pub(super) fn is_empty(&self) -> bool {
        !self.has_values() && self.hatched.is_empty()
    }

    /// The number in a cell, if its text fits.
    fn number(&self, value: f64, full: Area) -> Option<(String, f64)> {
        let decimals = self.decimals?;
        let text = match self.value.format {
            Format::Percent => style::percent(value, decimals),
            _ => style::fixed(value, decimals),
        };
        // Smaller where it is too wide, down to two thirds.
        let fits = TICK.em * (full.width - 4.0) / text_width(&text, TICK.em, false);
        let em = if fits > TICK.em { TICK.em } else { 0.99 * fits };
        let em = em.min(0.62 * full.height);
        (em >= 7.0 && fits >= 0.66 * TICK.em).then_some((text, em))
    }

    /// The cells.
    pub(super) fn paint(&self, canvas: &Canvas<'_>, view: &View<'_>, (low, high): (f64, f64)) {
        let (rows, columns) = (self.rows.len(), self.columns.len());
        let corner = |row: usize, column: usize| view.pixel((column as f64, (rows - row) as f64));
        let cell = |row, column| Area::between(corner(row, column), corner(row + 1, column + 1));
        let gap = if rows * columns > 1500 { 0.0 } else { 0.8 };
        for (row, column) in (0..rows).flat_map(|r| (0..columns).map(move |c| (r, c))) {
            let (full, place) = (cell(row, column), (row, column));
            let area = full.inset(gap);
            let value = self.values.get(row).and_then(|r| r.get(column)).filter(|v| !v.is_nan());
            let Some(&value) = value else {
                canvas.fill(area, style::BLANK);
                if self.hatched.contains(&place) {
                    hatch(canvas, area, style::BLANK.mix(style::INK, 0.22));
                }
                continue;
            };
            let colour = self.tones.at(((value - low) / (high - low)).clamp(0.0, 1.0));
            let ink = colour.text_on();
            canvas.fill(area, colour);
            if self.hatched.contains(&place) {
                hatch(canvas, area, colour.mix(ink, 0.35));
            }
            if let Some(share) = self.bars.get(row).and_then(|bars| bars.get(column)) {
                let (height, width) = (0.12 * area.height, area.width * share.clamp(0.0, 1.0));
                let bar = Area { y: area.bottom() - height, width, height, ..area };
                canvas.fill(bar, colour.mix(ink, 0.65));
            }
            let Some((text, em)) = self.number(value, full) else { continue };
            let (x, y) = full.middle();
            if self.hatched.contains(&place) {
                let half = text_width(&text, em, false) / 2.0 + 2.0;
                canvas.fill(
                    Area::between((x - half, y - 0.6 * em), (x + half, y + 0.6 * em)),
                    colour,
                );
            }
            let face = Face { em, bold: self.outlined.contains(&place), colour: ink };
            canvas.text((x, y), &text, face, HPos::Center);
        }
        for &(row, column) in self.outlined.iter().filter(|p| p.0 < rows && p.1 < columns) {
            canvas.outline(cell(row, column), style::INK, 2.0);
        }
    }

    /// The lines under the colour scale, and their size.
    fn scale_title(&self) -> (Vec<String>, f64) {
        // A long word is written smaller rather than cut.
        let words = pieces(&self.value.label);
        let wide = |word: &String| text_width(word.trim_start(), TICK.em, false);
        let longest = words.iter().map(wide).fold(1.0, f64::max);
        let em = TICK.em * (TITLE_ROOM / longest).clamp(0.7, 1.0);
        (wrapped(&self.value.label, em, false, TITLE_ROOM + 0.5, 6), em)
    }

    /// Least height of the panels beside which the scale and its title have room.
    pub(super) fn least_height(&self) -> f64 {
        let (title, em) = self.scale_title();
        40.0 + title.len() as f64 * LINE * em - 22.0
    }

    /// The colour scale to the right of the panels, below which there is so much room.
    pub(super) fn scale(&self, canvas: &Canvas<'_>, panels: Area, below: f64, range: (f64, f64)) {
        let (title, em) = self.scale_title();
        // Its lines reach no lower than the labels of the columns.
        let lines = title.len() as f64 * LINE * em;
        let over = (lines - 3.0 * LINE * TICK.em).max(lines + 12.0 - below);
        let height = (panels.height - over.max(0.0)).clamp(40.0, 260.0);
        let bar = Area { x: panels.right() + 18.0, y: panels.y, width: 14.0, height };
        const STEPS: usize = 48;
        for i in 0..STEPS {
            let y = bar.bottom() - bar.height * (i + 1) as f64 / STEPS as f64;
            let strip = Area { y, height: bar.height / STEPS as f64 + 0.3, ..bar };
            canvas.fill(strip, self.tones.at((i as f64 + 0.5) / STEPS as f64));
        }
        canvas.outline(bar, style::GRID, 0.8);
        let axis = Axis { range: Some(range), ..self.value.clone() };
        let laid = axis.over([], bar.height / 40.0);
        for (at, label) in &laid.ticks {
            let y = bar.bottom() - bar.height * (at - laid.low) / (laid.high - laid.low);
            canvas.line((bar.right(), y), (bar.right() + 4.0, y), stroke(style::GREY, 1.0));
            canvas.text((bar.right() + 8.0, y), label, TICK, HPos::Left);
        }
        for (i, line) in title.iter().enumerate() {
            let y = bar.bottom() + 18.0 + i as f64 * LINE * em;
            canvas.text((bar.x, y), line, Face { em, ..TICK }, HPos::Left);
        }
    }
}

/// Diagonal lines over a cell.
fn hatch(canvas: &Canvas<'_>, area: Area, colour: Colour) {
    const APART: f64 = 7.0;
    let lines = ((area.width + area.height) / APART).ceil() as usize;
    for k in 1..lines {
        // From the left or lower edge up to the upper or right one.
        let far = k as f64 * APART;
        let (left, right) = ((far - area.height).max(0.0), far.min(area.width));
        let point = |x: f64| (area.x + x, area.y + far - x);
        if right > left {
            canvas.line(point(left), point(right), stroke(colour, 1.0));
        }
    }
}
