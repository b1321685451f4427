//! Axes, grid and labels about a plotting area, and plotters' coordinates inside it.

use super::frame::{LABEL, TICK};
use crate::figures::axis::Laid;
use crate::figures::canvas::{Area, Canvas, Face, Stand, drawn, fine, stroke};
use crate::figures::fonts::{ellipsized, pieces, text_width, wrapped};
use crate::figures::style;
use plotters::coord::types::RangedCoordf64;
use plotters::prelude::*;

/// plotters' chart over the plotting area, in axis units.
pub(super) type Chart<'c, 'a> =
    ChartContext<'c, SVGBackend<'a>, Cartesian2d<RangedCoordf64, RangedCoordf64>>;

/// Both axes of a panel, laid over its data, and how to draw them.
#[derive(Clone, Debug)]
pub(super) struct Cartesian {
    pub x: Laid,
    pub y: Laid,
    pub x_title: String,
    pub y_title: String,
    /// Ticks are names: wrapped under their slot, no tick marks.
    pub x_named: bool,
    /// Ticks are names.
    pub y_named: bool,
    /// Grid lines across x (vertical) and across y (horizontal).
    pub grid: (bool, bool),
    /// Axis lines at the bottom and at the left.
    pub lines: (bool, bool),
    /// Panel title, bold above the plotting area.
    pub title: String,
}

/// Room needed around a plotting area, in pixels.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Sides {
    pub left: f64,
    pub top: f64,
    pub right: f64,
    pub bottom: f64,
}

impl Sides {
    pub fn inside(self, area: Area) -> Area {
        area.inset(self.left, self.top, self.right, self.bottom)
    }
}

const LINE: f64 = 1.25;
const TICK_MARK: f64 = 5.0;
/// Names on the x axis are turned rather than written smaller than this.
const SMALL_NAME: f64 = 10.5;
/// Most pixels a name on the y axis may take.
const NAME: f64 = 230.0;

const PANEL: Face = Face { em: 15.0, bold: true, colour: style::INK };

/// The title of a panel, bold above its plotting area.
pub(super) fn panel_title(canvas: &Canvas<'_>, title: &str, inner: Area) {
    let title = ellipsized(title, PANEL.em, true, inner.width);
    let at = (inner.x, inner.y - 0.85 * PANEL.em);
    canvas.text(at, &title, PANEL, Stand::Left);
}

impl Cartesian {
    /// The room the labels take when the whole panel is `area`.
    pub fn sides(&self, area: Area) -> Sides {
        let widest = self.y.labels().map(|l| text_width(l, TICK.em, false)).fold(0.0, f64::max);
        let widest = if self.y_named { widest.min(NAME.min(0.4 * area.width)) } else { widest };
        let title = |text: &str| if text.is_empty() { 0.0 } else { 1.7 * LABEL.em };
        let left = title(&self.y_title) + widest + TICK_MARK + 6.0;
        let right = if self.x_named {
            6.0
        } else {
            self.x
                .labels()
                .last()
                .map_or(0.0, |l| text_width(l, TICK.em, false) / 2.0)
                .clamp(8.0, 40.0)
        };
        let below = if self.x.labels().next().is_none() {
            0.0
        } else if self.x_named {
            let slot = self.slot(area.width - left - right);
            match self.name_em(slot) {
                None => 6.0 + self.tallest(area.height),
                Some(em) => {
                    let lines = self.x.labels().map(|l| wrapped(l, em, false, slot, 3).len()).max();
                    6.0 + lines.unwrap_or(0) as f64 * LINE * em
                }
            }
        } else {
            TICK_MARK + 3.0 + LINE * TICK.em
        };
        Sides {
            left,
            right,
            top: if self.title.is_empty() { 8.0 } else { 1.7 * PANEL.em },
            bottom: below + title(&self.x_title) + 2.0,
        }
    }

    /// Pixels a named x tick has for itself.
    fn slot(&self, width: f64) -> f64 {
        let mut apart = self.x.high - self.x.low;
        for pair in self.x.ticks.windows(2) {
            apart = apart.min((pair[1].at - pair[0].at).abs());
        }
        (width * apart / (self.x.high - self.x.low) - 6.0).max(4.0)
    }

    /// Size of names under slots this wide; `None` if they must be turned to be read.
    fn name_em(&self, slot: f64) -> Option<f64> {
        let longest = self
            .x
            .labels()
            .flat_map(pieces)
            .map(|w| text_width(w.trim_start(), TICK.em, false))
            .fold(0.0, f64::max);
        let em = TICK.em.min(TICK.em * slot / longest.max(1.0) - 0.05);
        let fits = |l: &str| wrapped(l, em, false, slot, 9).len() <= 3;
        (em >= SMALL_NAME && self.x.labels().all(fits)).then_some(em)
    }

    fn tallest(&self, height: f64) -> f64 {
        self.x.labels().map(|l| text_width(l, TICK.em, false)).fold(0.0, f64::max).min(0.4 * height)
    }

    /// Pixel of a place on x.
    pub fn px(&self, inner: Area, place: f64) -> f64 {
        inner.x + inner.width * (place - self.x.low) / (self.x.high - self.x.low)
    }

    /// Pixel of a place on y (upwards).
    pub fn py(&self, inner: Area, place: f64) -> f64 {
        inner.bottom() - inner.height * (place - self.y.low) / (self.y.high - self.y.low)
    }

    /// Grid and panel title, under the data; `inner` is the plotting area.
    pub fn paint_under(&self, canvas: &Canvas<'_>, inner: Area) {
        let grid = stroke(style::GRID, 1.0);
        for tick in self.x.ticks.iter().filter(|t| t.label.is_some()) {
            if self.grid.0 {
                let x = self.px(inner, tick.at);
                canvas.line((x, inner.y), (x, inner.bottom()), grid);
            }
        }
        for tick in self.y.ticks.iter().filter(|t| t.label.is_some()) {
            if self.grid.1 {
                let y = self.py(inner, tick.at);
                canvas.line((inner.x, y), (inner.right(), y), grid);
            }
        }
        panel_title(canvas, &self.title, inner);
    }

    /// Axis lines and ticks; labels and title where `labelled` (below, at the left) says so.
    pub fn paint_axes(&self, canvas: &Canvas<'_>, inner: Area, labelled: (bool, bool)) {
        let axis = stroke(style::GREY, 1.2);
        let (left, bottom) = (inner.x, inner.bottom());
        if self.lines.0 {
            canvas.line((left, bottom), (inner.right(), bottom), axis);
        }
        if self.lines.1 {
            canvas.line((left, inner.y), (left, bottom), axis);
        }
        let mut below = bottom + 6.0;
        if labelled.0 {
            below = self.paint_x(canvas, inner);
        }
        if labelled.1 {
            self.paint_y(canvas, inner);
        }
        if labelled.0 && !self.x_title.is_empty() {
            let at = (inner.x + inner.width / 2.0, below + 0.85 * LABEL.em);
            let title = ellipsized(&self.x_title, LABEL.em, false, inner.width + 60.0);
            canvas.text(at, &title, LABEL, Stand::Middle);
        }
    }

    /// The y title, centred on the plotting area at the left edge `x`.
    pub fn paint_y_title(&self, canvas: &Canvas<'_>, inner: Area, x: f64) {
        if !self.y_title.is_empty() {
            let title = ellipsized(&self.y_title, LABEL.em, false, inner.height + 40.0);
            let at = (x + 0.6 * LABEL.em, inner.y + inner.height / 2.0);
            canvas.text_up(at, &title, LABEL);
        }
    }

    fn paint_x(&self, canvas: &Canvas<'_>, inner: Area) -> f64 {
        let bottom = inner.bottom();
        let mark = stroke(style::GREY, 1.2);
        if self.x_named {
            let slot = self.slot(inner.width);
            let em = self.name_em(slot);
            let mut deepest = bottom + 6.0;
            for tick in &self.x.ticks {
                let (x, name) = (self.px(inner, tick.at), tick.label.as_deref().unwrap_or(""));
                let Some(em) = em else {
                    let name = ellipsized(name, TICK.em, false, 200.0);
                    let length = text_width(&name, TICK.em, false);
                    canvas.text_up((x, bottom + 6.0 + length / 2.0), &name, TICK);
                    deepest = deepest.max(bottom + 6.0 + length);
                    continue;
                };
                let face = Face { em, ..TICK };
                let mut y = bottom + 6.0;
                for line in wrapped(name, em, false, slot, 3) {
                    canvas.text((x, y + 0.6 * em), &line, face, Stand::Middle);
                    y += LINE * em;
                }
                deepest = deepest.max(y);
            }
            return deepest;
        }
        let mut free = f64::NEG_INFINITY;
        for tick in &self.x.ticks {
            let x = self.px(inner, tick.at);
            let length = if tick.label.is_some() { TICK_MARK } else { 0.6 * TICK_MARK };
            canvas.line((x, bottom), (x, bottom + length), mark);
            let Some(label) = &tick.label else { continue };
            let half = text_width(label, TICK.em, false) / 2.0;
            // A label that would touch its neighbour is left out; its mark stays.
            if x - half < free + 6.0 {
                continue;
            }
            free = x + half;
            let y = bottom + TICK_MARK + 3.0 + 0.55 * TICK.em;
            canvas.text((x, y), label, TICK, Stand::Middle);
        }
        bottom + TICK_MARK + 3.0 + LINE * TICK.em
    }

    fn paint_y(&self, canvas: &Canvas<'_>, inner: Area) {
        let mark = stroke(style::GREY, 1.2);
        for tick in &self.y.ticks {
            let y = self.py(inner, tick.at);
            if !self.y_named {
                let length = if tick.label.is_some() { TICK_MARK } else { 0.6 * TICK_MARK };
                canvas.line((inner.x - length, y), (inner.x, y), mark);
            }
            let Some(label) = &tick.label else { continue };
            let x = inner.x - TICK_MARK - 4.0;
            if self.y_named {
                let room = (x - 4.0).min(NAME);
                let pitch = inner.height / self.y.ticks.len().max(1) as f64;
                let face =
                    Face { colour: style::INK, em: TICK.em.min(0.82 * pitch).max(6.0), ..TICK };
                let label = ellipsized(label, face.em, false, room);
                canvas.text((x, y), &label, face, Stand::Right);
            } else {
                canvas.text((x, y), label, TICK, Stand::Right);
            }
        }
    }

    /// plotters' chart over the plotting area.
    pub fn chart<'c, 'a>(&self, canvas: &'c Canvas<'a>, inner: Area) -> Chart<'c, 'a> {
        let area = canvas
            .area
            .clone()
            .shrink((fine(inner.x), fine(inner.y)), (fine(inner.width), fine(inner.height)));
        drawn(
            ChartBuilder::on(&area)
                .build_cartesian_2d(self.x.low..self.x.high, self.y.low..self.y.high),
        )
    }
}
