//! A matrix of values as coloured cells, with the numbers in them.

use super::canvas::{Area, Canvas, Face, LINE, stroke};
use super::cartesian::{Cartesian, Place};
use super::chart::{Chart, Values};
use super::frame::{Frame, Key, TICK};
use crate::figures::axis::{Axis, Format};
use crate::figures::fonts::{pieces, text_width, wrapped};
use crate::figures::style::{self, Colour};
use plotters::style::text_anchor::HPos;

/// How values become colours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tones {
    /// Pale to dark blue: amounts.
    #[default]
    Amount,
    /// Red for negative, white for 0, blue for positive: differences, correlations.
    Signed,
}

/// A matrix.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Heatmap {
    /// Title, texts, size.
    pub frame: Frame,
    /// Title of the columns.
    pub x: String,
    /// Title of the rows.
    pub y: String,
    /// Names of the columns.
    pub columns: Vec<String>,
    /// Names of the rows, top to bottom.
    pub rows: Vec<String>,
    /// `values[row][column]`; NaN: grey, no number.
    pub values: Vec<Vec<f64>>,
    /// What the colour means, written beside the scale.
    pub value: Axis,
    /// Colours.
    pub tones: Tones,
    /// Decimals of the numbers in the cells; `None`: no numbers.
    pub decimals: Option<usize>,
    /// Shares in [0, 1], `bars[row][column]`, each drawn as a bar along the lower edge of its cell, whole
    /// width = 1; empty: none.
    pub bars: Vec<Vec<f64>>,
    /// Cells that count for little: (row, column), hatched.
    pub hatched: Vec<(usize, usize)>,
    /// The names of the rows are not written: those of a chart beside it count for this one too.
    pub unnamed: bool,
    /// Cells to outline: (row, column), for example the best of each row.
    pub outlined: Vec<(usize, usize)>,
}

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

impl Heatmap {
    /// Values of the palest and the darkest colour over these.
    fn range(&self, values: &[f64]) -> (f64, f64) {
        if let Some((a, b)) = self.value.range {
            return (a.min(b), a.max(b));
        }
        let ends = (f64::INFINITY, f64::NEG_INFINITY);
        let (low, high) = values.iter().fold(ends, |(a, b), v| (a.min(*v), b.max(*v)));
        if self.tones == Tones::Signed {
            let most = low.abs().max(high.abs()).max(1e-12);
            return (-most, most);
        }
        if low == high { (low - 0.5, high + 0.5) } else { (low, high) }
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

    /// The colour scale to the right of the panels.
    pub(super) fn scale(&self, canvas: &Canvas<'_>, panels: Area, values: &Values) {
        // A long word is written smaller rather than cut.
        let title = self.value.title();
        let words = pieces(&title);
        let wide = |word: &String| text_width(word.trim_start(), TICK.em, false);
        let longest = words.iter().map(wide).fold(1.0, f64::max);
        let em = TICK.em * (TITLE_ROOM / longest).clamp(0.7, 1.0);
        let title = wrapped(&title, em, false, TITLE_ROOM + 0.5, 6);
        // Its lines reach no lower than the labels of the columns.
        let over = title.len() as f64 * LINE * em - 3.0 * LINE * TICK.em;
        let height = (panels.height - over.max(0.0)).clamp(40.0, 260.0);
        let x = panels.right() + 18.0;
        let bar = Area { x, y: panels.y, width: 14.0, height };
        const STEPS: usize = 48;
        for i in 0..STEPS {
            let t = (i as f64 + 0.5) / STEPS as f64;
            let strip = Area {
                y: bar.bottom() - bar.height * (i + 1) as f64 / STEPS as f64,
                height: bar.height / STEPS as f64 + 0.3,
                ..bar
            };
            canvas.fill(strip, self.tones.at(t));
        }
        canvas.outline(bar, style::GRID, 0.8);
        let axis = Axis { range: Some(self.range(&values.1)), ..self.value.clone() };
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

impl Chart for Heatmap {
    fn frame(&self) -> &Frame {
        &self.frame
    }

    fn keys(&self) -> Vec<Key> {
        Vec::new()
    }

    fn values(&self) -> Values {
        let all = self.values.iter().flatten().copied();
        (Vec::new(), all.filter(|v| v.is_finite()).collect())
    }

    fn lay(&self, _: Area, _: &Values) -> Option<Cartesian> {
        if self.rows.is_empty() || self.columns.is_empty() || self.values().1.is_empty() {
            return None;
        }
        let names = |names: &[String], down: bool| {
            let count = names.len() as f64;
            let places = names.iter().enumerate().map(|(i, name)| {
                let at = i as f64 + 0.5;
                (if down { count - at } else { at }, name.clone())
            });
            Axis::new("").range(0.0, count).names(places).over([], 1.0)
        };
        let mut y = names(&self.rows, true);
        if self.unnamed {
            y.ticks.clear();
        }
        Some(Cartesian {
            x: names(&self.columns, false),
            y,
            x_title: self.x.clone(),
            y_title: if self.unnamed { String::new() } else { self.y.clone() },
            x_named: true,
            y_named: true,
            grid: (false, false),
            lines: (false, false),
            beside: 0.0,
        })
    }

    fn paint(&self, canvas: &Canvas<'_>, axes: &Cartesian, place: Place, values: &Values) {
        let opened = axes.open(canvas, place);
        let (low, high) = self.range(&values.1);
        let (rows, columns) = (self.rows.len(), self.columns.len());
        let cell = |row: usize, column: usize| {
            let corner =
                |row: usize, column: usize| opened.pixel((column as f64, (rows - row) as f64));
            Area::between(corner(row, column), corner(row + 1, column + 1))
        };
        let gap = if rows * columns > 1500 { 0.0 } else { 0.8 };
        for (row, column) in (0..rows).flat_map(|r| (0..columns).map(move |c| (r, c))) {
            let value = self.values.get(row).and_then(|r| r.get(column)).copied();
            let full = cell(row, column);
            let area = full.inset(gap, gap, gap, gap);
            let Some(value) = value.filter(|v| !v.is_nan()) else {
                canvas.fill(area, style::BLANK);
                continue;
            };
            let colour = self.tones.at(((value - low) / (high - low)).clamp(0.0, 1.0));
            canvas.fill(area, colour);
            if self.hatched.contains(&(row, column)) {
                hatch(canvas, area, colour.mix(colour.text_on(), 0.35));
            }
            if let Some(share) = self.bars.get(row).and_then(|bars| bars.get(column)) {
                let (height, ink) = (0.12 * area.height, colour.text_on());
                let bar = Area {
                    x: area.x,
                    y: area.bottom() - height,
                    width: area.width * share.clamp(0.0, 1.0),
                    height,
                };
                canvas.fill(bar, colour.mix(ink, 0.65));
            }
            if let Some((text, em)) = self.number(value, full) {
                if self.hatched.contains(&(row, column)) {
                    let half = text_width(&text, em, false) / 2.0 + 2.0;
                    let (x, y) = full.middle();
                    let ground = Area::between((x - half, y - 0.6 * em), (x + half, y + 0.6 * em));
                    canvas.fill(ground, colour);
                }
                let bold = self.outlined.contains(&(row, column));
                let face = Face { em, bold, colour: colour.text_on() };
                canvas.text(full.middle(), &text, face, HPos::Center);
            }
        }
        for &(row, column) in &self.outlined {
            if row < rows && column < columns {
                canvas.outline(cell(row, column), style::INK, 2.0);
            }
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
