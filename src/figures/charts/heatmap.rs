//! A matrix of values as coloured cells, with the numbers in them.

use super::cartesian::Cartesian;
use super::frame::{Frame, TICK, nothing, surround};
use crate::figures::axis::Axis;
use crate::figures::canvas::{Area, Canvas, Face, Stand, draw};
use crate::figures::fonts::text_width;
use crate::figures::style::{self, Colour};

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
    /// Cells to outline: (row, column), for example the best of each row.
    pub outlined: Vec<(usize, usize)>,
}

/// Room for the colour scale, in pixels.
pub(super) const SCALE: f64 = 96.0;

/// Draws a matrix.
pub fn heatmap(heatmap: &Heatmap) -> String {
    let (width, height) = heatmap.frame.pixels();
    draw(width, height, &heatmap.frame.title, |canvas| {
        let area = surround(canvas, &heatmap.frame, &[]);
        let Some(axes) = heatmap.lay(area, String::new()) else {
            return nothing(canvas, area);
        };
        let inner = axes.sides(area).inside(area.inset(0.0, 0.0, SCALE, 0.0));
        heatmap.paint(canvas, &axes, inner, (true, true), None);
        axes.paint_y_title(canvas, inner, area.x);
        heatmap.scale(canvas, inner, heatmap.range());
    })
}

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
    fn finite(&self) -> impl Iterator<Item = f64> {
        self.values.iter().flatten().copied().filter(|v| v.is_finite())
    }

    /// Values of the palest and the darkest colour.
    pub(super) fn range(&self) -> (f64, f64) {
        if let Some((a, b)) = self.value.range {
            return (a.min(b), a.max(b));
        }
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        for v in self.finite() {
            (low, high) = (low.min(v), high.max(v));
        }
        if self.tones == Tones::Signed {
            let most = low.abs().max(high.abs()).max(1e-12);
            return (-most, most);
        }
        if low == high { (low - 0.5, high + 0.5) } else { (low, high) }
    }

    pub(super) fn lay(&self, area: Area, title: String) -> Option<Cartesian> {
        let (rows, columns) = (self.rows.len(), self.columns.len());
        if rows == 0 || columns == 0 || self.finite().next().is_none() {
            return None;
        }
        let names = |names: &[String], down: bool| {
            let count = names.len() as f64;
            let places = names.iter().enumerate().map(|(i, name)| {
                let at = i as f64 + 0.5;
                (if down { count - at } else { at }, name.clone())
            });
            let places: Vec<_> = places.collect();
            Axis::new("").range(0.0, count).names(places)
        };
        Some(Cartesian {
            x: names(&self.columns, false).over([], area.width, 1.0),
            y: names(&self.rows, true).over([], area.height, 1.0),
            x_title: self.x.clone(),
            y_title: self.y.clone(),
            x_named: true,
            y_named: true,
            grid: (false, false),
            lines: (false, false),
            title,
        })
    }

    pub(super) fn paint(
        &self,
        canvas: &Canvas<'_>,
        axes: &Cartesian,
        inner: Area,
        labelled: (bool, bool),
        shared: Option<(f64, f64)>,
    ) {
        axes.paint_under(canvas, inner);
        let (low, high) = shared.unwrap_or_else(|| self.range());
        let (rows, columns) = (self.rows.len(), self.columns.len());
        let cell = |row: usize, column: usize| Area {
            x: inner.x + inner.width * column as f64 / columns as f64,
            y: inner.y + inner.height * row as f64 / rows as f64,
            width: inner.width / columns as f64,
            height: inner.height / rows as f64,
        };
        let gap = if rows * columns > 1500 { 0.0 } else { 0.8 };
        for row in 0..rows {
            for column in 0..columns {
                let value =
                    self.values.get(row).and_then(|r| r.get(column)).copied().unwrap_or(f64::NAN);
                let full = cell(row, column);
                let area = full.inset(gap, gap, gap, gap);
                if value.is_nan() {
                    canvas.fill(area, style::BLANK);
                    continue;
                }
                let colour = self.tones.at(((value - low) / (high - low)).clamp(0.0, 1.0));
                canvas.fill(area, colour);
                let Some(decimals) = self.decimals else {
                    continue;
                };
                let text = match self.value.format {
                    crate::figures::axis::Format::Percent => style::percent(value, decimals),
                    _ => style::fixed(value, decimals),
                };
                let em = TICK.em.min(0.62 * full.height);
                if em >= 7.0 && text_width(&text, em, false) < full.width - 4.0 {
                    let face = Face {
                        em,
                        bold: self.outlined.contains(&(row, column)),
                        colour: colour.text_on(),
                    };
                    let at = (full.x + full.width / 2.0, full.y + full.height / 2.0);
                    canvas.text(at, &text, face, Stand::Middle);
                }
            }
        }
        for &(row, column) in &self.outlined {
            if row < rows && column < columns {
                canvas.outline(cell(row, column), style::INK, 2.0);
            }
        }
        axes.paint_axes(canvas, inner, labelled);
    }

    /// The colour scale to the right of `inner`.
    pub(super) fn scale(&self, canvas: &Canvas<'_>, inner: Area, (low, high): (f64, f64)) {
        let bar = Area {
            x: inner.right() + 18.0,
            y: inner.y,
            width: 14.0,
            height: inner.height.min(260.0),
        };
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
        let axis = Axis { range: Some((low, high)), ..self.value.clone() };
        let laid = axis.over([], bar.height, 40.0);
        for tick in &laid.ticks {
            let y = bar.bottom() - bar.height * (tick.at - laid.low) / (laid.high - laid.low);
            canvas.line(
                (bar.right(), y),
                (bar.right() + 4.0, y),
                crate::figures::canvas::stroke(style::GREY, 1.0),
            );
            let label = tick.label.as_deref().unwrap_or("");
            canvas.text((bar.right() + 8.0, y), label, TICK, Stand::Left);
        }
        let title = self.value.title();
        if !title.is_empty() {
            let lines = crate::figures::fonts::wrapped(&title, TICK.em, false, 84.0, 3);
            for (i, line) in lines.iter().enumerate() {
                let y = bar.bottom() + 18.0 + i as f64 * 1.25 * TICK.em;
                canvas.text((bar.x, y), line, TICK, Stand::Left);
            }
        }
    }
}
