//! A panel: plotters' chart with grid, axes and labels over a plotting area.
//!
//! plotters draws them; what it is told is what it cannot know: the ticks ([`Laid`]), how much room
//! the labels need (so that panels align), and how long names are broken or turned.

use super::canvas::{Area, Canvas, Face, LINE, Paper, drawn, fine, rgb, stroke, written};
use super::frame::{LABEL, TICK};
use crate::figures::axis::Laid;
use crate::figures::fonts::{ellipsized, pieces, text_width, wrapped};
use crate::figures::style::{self, Colour};
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, VPos};

/// Both axes of a panel, laid over its data, and how to draw them.
#[derive(Clone, Debug)]
pub(super) struct Cartesian {
    pub x: Laid,
    pub y: Laid,
    pub x_title: String,
    pub y_title: String,
    /// Ticks are names: wrapped under their slot.
    pub x_named: bool,
    /// Ticks are names.
    pub y_named: bool,
    /// Grid lines across x (vertical) and across y (horizontal).
    pub grid: (bool, bool),
    /// Axis lines, with their tick marks, at the bottom and at the left.
    pub lines: (bool, bool),
    /// Room at the right for what is written there, in pixels.
    pub beside: f64,
}

/// Room needed around a plotting area, in pixels.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Sides {
    pub left: f64,
    pub top: f64,
    pub right: f64,
    pub bottom: f64,
}

/// Where a panel stands on the figure.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    /// The plotting area.
    pub inner: Area,
    /// Room for labels at its left and below it, in pixels.
    pub room: (f64, f64),
    /// Whether labels are written below it and at its left.
    pub labelled: (bool, bool),
}

/// Length of a tick mark; plotters puts labels twice as far from the axis.
const TICK_MARK: f64 = 4.5;
const NAME_MARK: f64 = 3.0;
/// Names on the x axis are turned rather than written smaller than this.
const SMALL_NAME: f64 = 10.5;
/// Most pixels a name on the y axis may take.
const NAME: f64 = 230.0;

const PANEL: Face = Face { em: 15.0, bold: true, colour: style::INK };

/// Room above a plotting area for its title.
pub(super) fn title_room(title: &str) -> f64 {
    if title.is_empty() { 8.0 } else { 1.7 * PANEL.em }
}

/// The title of a panel, bold above its plotting area.
pub(super) fn panel_title(canvas: &Canvas<'_>, title: &str, inner: Area) {
    let title = ellipsized(title, PANEL.em, true, inner.width);
    let at = (inner.x, inner.y - 0.85 * PANEL.em);
    canvas.text(at, &title, PANEL, HPos::Left);
}

fn mark(named: bool) -> f64 {
    if named { NAME_MARK } else { TICK_MARK }
}

impl Cartesian {
    /// The room the labels take when the whole panel is `area`.
    pub fn sides(&self, area: Area) -> Sides {
        let widest = self.y.labels().map(|l| text_width(l, TICK.em, false)).fold(0.0, f64::max);
        let widest = if self.y_named { widest.min(NAME.min(0.4 * area.width)) } else { widest };
        let title = |text: &str, room: f64| if text.is_empty() { 0.0 } else { room * LABEL.em };
        let left = title(&self.y_title, 1.7) + widest + 2.0 * mark(self.y_named) + 2.0;
        let last = self.x.labels().last().filter(|_| !self.x_named);
        let right = last.map_or(6.0, |l| (text_width(l, TICK.em, false) / 2.0).clamp(8.0, 40.0));
        let lines = match self.x.labels().next() {
            None => 0.0,
            Some(_) if !self.x_named => LINE * TICK.em,
            Some(_) => {
                let slot = self.slot(area.width - left - right);
                match self.name_em(slot) {
                    None => self.tallest(area.height),
                    Some(em) => {
                        let lines = self.x.labels().map(|l| wrapped(l, em, false, slot, 3).len());
                        lines.max().unwrap_or(0) as f64 * LINE * em
                    }
                }
            }
        };
        let marks = if lines > 0.0 { 2.0 * mark(self.x_named) } else { 0.0 };
        let right = right.max(self.beside);
        Sides { left, right, top: 8.0, bottom: marks + lines + title(&self.x_title, 1.3) + 5.0 }
    }

    /// Pixels a named x tick has for itself.
    fn slot(&self, width: f64) -> f64 {
        let whole = self.x.high - self.x.low;
        let pairs = self.x.ticks.windows(2).map(|pair| (pair[1].0 - pair[0].0).abs());
        (width * pairs.fold(whole, f64::min) / whole - 6.0).max(4.0)
    }

    /// Size of names under slots this wide; `None` if they must be turned to be read.
    fn name_em(&self, slot: f64) -> Option<f64> {
        let words = self.x.labels().flat_map(pieces);
        let longest = words.map(|w| text_width(w.trim_start(), TICK.em, false)).fold(0.0, f64::max);
        let em = TICK.em.min(TICK.em * slot / longest.max(1.0) - 0.05);
        let fits = |l: &str| wrapped(l, em, false, slot, 9).len() <= 3;
        (em >= SMALL_NAME && self.x.labels().all(fits)).then_some(em)
    }

    fn tallest(&self, height: f64) -> f64 {
        self.x.labels().map(|l| text_width(l, TICK.em, false)).fold(0.0, f64::max).min(0.4 * height)
    }

    /// Draws grid, axes and labels, and opens plotters' chart for the data.
    pub fn open<'c, 'a>(&self, canvas: &'c Canvas<'a>, place: Place) -> Chart<'c, 'a> {
        let Place { inner, room, labelled } = place;
        // An axis without labels keeps its line and its marks.
        let below = if labelled.0 { room.1 - 5.0 } else { TICK_MARK };
        let left = if labelled.1 { room.0 } else { TICK_MARK };
        let whole = canvas.area.clone().shrink(
            (fine(inner.x - left), fine(inner.y)),
            (fine(inner.width + left), fine(inner.height + below)),
        );
        let mut chart = drawn(
            ChartBuilder::on(&whole)
                .x_label_area_size(fine(below))
                .y_label_area_size(fine(left))
                .build_cartesian_2d(self.x.clone(), self.y.clone()),
        );
        // The grid first: it lies under the axis lines.
        let mut mesh = chart.configure_mesh();
        if !self.grid.0 {
            mesh.disable_x_mesh();
        }
        if !self.grid.1 {
            mesh.disable_y_mesh();
        }
        let (bold, light) = (stroke(style::GRID, 1.0), stroke(FAINT, 0.6));
        drawn(mesh.disable_axes().bold_line_style(bold).light_line_style(light).draw());
        self.below(&mut chart, canvas, inner, labelled.0);
        self.beside(&mut chart, inner, labelled.1);
        Chart { chart, inner }
    }

    /// Line and tick marks of an axis; those not drawn still keep their labels at a distance.
    fn axis_style(drawn: bool) -> ShapeStyle {
        let colour = rgb(style::GREY).mix(if drawn { 1.0 } else { 0.0 });
        colour.stroke_width(fine(1.2) as u32)
    }

    fn below(&self, chart: &mut Context<'_, '_>, canvas: &Canvas<'_>, inner: Area, labelled: bool) {
        let slot = self.slot(inner.width);
        let em = if self.x_named { self.name_em(slot) } else { Some(TICK.em) };
        // A label that would touch its neighbour is left out; its mark stays.
        let (mut free, mut kept) = (f64::NEG_INFINITY, Vec::new());
        for (at, label) in &self.x.ticks {
            let x = inner.width * (at - self.x.low) / (self.x.high - self.x.low);
            let half = text_width(label, TICK.em, false) / 2.0;
            if self.x_named || x - half >= free + 6.0 {
                free = x + half;
                kept.push((*at, label));
            }
        }
        let label = |at: &f64| match (kept.iter().find(|k| k.0 == *at), em) {
            (Some((_, label)), Some(em)) if labelled && self.x_named => {
                wrapped(label, em, false, slot, 3).join("\n")
            }
            (Some((_, label)), Some(_)) if labelled => label.to_string(),
            _ => String::new(),
        };
        let face = Face { em: em.unwrap_or(TICK.em), ..TICK };
        let mut mesh = chart.configure_mesh();
        if labelled && !self.x_title.is_empty() {
            mesh.x_desc(ellipsized(&self.x_title, LABEL.em, false, inner.width + 60.0));
        }
        drawn(
            mesh.disable_mesh()
                .disable_y_axis()
                .axis_style(Self::axis_style(self.lines.0))
                .set_tick_mark_size(LabelAreaPosition::Bottom, fine(mark(self.x_named)))
                .x_label_style(written(face, HPos::Center, VPos::Top))
                .axis_desc_style(written(LABEL, HPos::Center, VPos::Bottom))
                .x_label_formatter(&label)
                .draw(),
        );
        // plotters cannot hang a turned label from its end.
        for (at, name) in self.x.ticks.iter().filter(|_| em.is_none() && labelled) {
            let name = ellipsized(name, TICK.em, false, 200.0);
            let x = inner.x + inner.width * (at - self.x.low) / (self.x.high - self.x.low);
            let y = inner.bottom() + 6.0 + text_width(&name, TICK.em, false) / 2.0;
            canvas.text_up((x, y), &name, TICK);
        }
    }

    fn beside(&self, chart: &mut Context<'_, '_>, inner: Area, labelled: bool) {
        let pitch = inner.height / self.y.ticks.len().max(1) as f64;
        let face = match self.y_named {
            true => Face { colour: style::INK, em: TICK.em.min(0.82 * pitch).max(6.0), ..TICK },
            false => TICK,
        };
        let label = |at: &f64| match self.y.label(*at) {
            Some(label) if labelled && self.y_named => {
                ellipsized(label, face.em, false, NAME.min(inner.x - 12.0))
            }
            Some(label) if labelled => label.to_string(),
            _ => String::new(),
        };
        let mut mesh = chart.configure_mesh();
        if labelled && !self.y_title.is_empty() {
            mesh.y_desc(ellipsized(&self.y_title, LABEL.em, false, inner.height + 40.0));
        }
        drawn(
            mesh.disable_mesh()
                .disable_x_axis()
                .axis_style(Self::axis_style(self.lines.1))
                .set_tick_mark_size(LabelAreaPosition::Left, fine(mark(self.y_named)))
                .y_label_style(written(face, HPos::Right, VPos::Center))
                .axis_desc_style(written(LABEL, HPos::Center, VPos::Top))
                .y_label_formatter(&label)
                .draw(),
        );
    }
}

/// Grid lines between decades.
const FAINT: Colour = Colour(242, 244, 246);

type Context<'c, 'a> = ChartContext<'c, Paper<'a>, Cartesian2d<Laid, Laid>>;

/// plotters' chart over a plotting area, in axis units.
pub(super) struct Chart<'c, 'a> {
    pub chart: Context<'c, 'a>,
    pub inner: Area,
}

impl Chart<'_, '_> {
    /// Pixel of a place in axis units.
    pub fn pixel(&self, place: (f64, f64)) -> (f64, f64) {
        let (x, y) = self.chart.backend_coord(&place);
        (f64::from(x) / f64::from(fine(1.0)), f64::from(y) / f64::from(fine(1.0)))
    }
}
