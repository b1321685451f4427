//! Where title, legend, panels and note stand; axes and mesh of a panel.

use super::model::{Figure, Height, Line, Panel, Point, Series, Spread};
use super::paint::{
    Area, Canvas, Face, LABEL, LINE, PANEL, SUBTITLE, TEXT_GAP, TICK, TITLE, View, draw, drawn,
    fine, rgb, stroke,
};
use super::{heat, marks};
use crate::axis::{Axis, Laid, Scale};
use crate::fonts::{pieces, text_width, wrapped};
use crate::style::{self, Colour};
use plotters::prelude::*;
use plotters::style::text_anchor::HPos;

const MARGIN: f64 = 18.0;
/// Between panels.
const GAP: f64 = 14.0;
/// Width of the sign of a legend entry.
const SIGN: f64 = 30.0;
/// Length of a tick mark; plotters puts labels twice as far from the axis.
const TICK_MARK: f64 = 4.5;
const NAME_MARK: f64 = 3.0;
/// Names on the x axis are turned rather than written smaller than this.
const SMALL_NAME: f64 = 10.5;
/// Most pixels a line of a name on the y axis may take.
const NAME: f64 = 230.0;
/// Most pixels a line of a turned name on the x axis may take.
const TURNED: f64 = 200.0;
/// Grid lines between decades.
const FAINT: Colour = Colour(242, 244, 246);

type Values = (Vec<f64>, Vec<f64>);

impl Panel {
    /// The x and the y of everything it shows.
    fn values(&self) -> Values {
        let (mut xs, mut ys) = (Vec::new(), Vec::new());
        for series in &self.series {
            let whole = |p: &&Point| p.x.is_finite() && p.y.is_finite();
            for p in series.points.iter().filter(whole) {
                xs.push(p.x);
                ys.push(p.y);
                xs.extend(p.x_interval.iter().flat_map(|i| [i.0, i.1]));
                if series.spread != Spread::None {
                    ys.extend(p.y_interval.iter().flat_map(|i| [i.0, i.1]));
                }
                let lying = self.slots.as_ref().is_some_and(|slots| slots.lying);
                if lying { &mut xs } else { &mut ys }.extend(p.observations());
            }
        }
        if !xs.is_empty() {
            xs.extend(self.x_rules.iter().map(|r| r.at));
            ys.extend(self.y_rules.iter().map(|r| r.at));
        }
        (xs, ys)
    }

    /// Its axes over these values in an area of about this size; `None` if nothing is to be shown.
    fn lay(&self, (mut xs, mut ys): Values, width: f64, height: f64) -> Option<(Laid, Laid)> {
        let any = |values: &[f64], axis: &Axis| {
            values.iter().any(|v| v.is_finite() && (axis.scale == Scale::Linear || *v > 0.0))
        };
        let cells = self.heat.as_ref().is_some_and(|heat| !heat.is_empty());
        let series = any(&xs, &self.x) && any(&ys, &self.y);
        if !(cells || series) {
            return None;
        }
        let (mut wide, mut high) = ((width - 70.0) / 68.0, height / 56.0);
        if self.diagonal {
            // One range for both, so that the diagonal is the diagonal.
            xs.append(&mut ys);
            ys.clone_from(&xs);
            wide = wide.min(high);
            high = wide;
        }
        // A decade's label needs less room than a number's.
        if self.y.scale == Scale::Log {
            high *= 1.6;
        }
        Some((self.x.over(xs, wide), self.y.over(ys, high)))
    }

    /// Room for labels at the left, the right and below, in pixels.
    fn sides(&self, (x, y): &(Laid, Laid), width: f64, height: f64) -> (f64, f64, f64) {
        let widest = |laid: &Laid| laid.labels().map(tick_width).fold(0.0, f64::max);
        let title =
            |axis: &Axis, room: f64| if axis.label.is_empty() { 0.0 } else { room * LABEL.em };
        let named = if self.y.is_named() { name_room(width) } else { f64::INFINITY };
        let left = title(&self.y, 1.7)
            + more_lines(&self.y, height + TITLE_OVER)
            + widest(y).min(named)
            + 2.0 * mark(&self.y)
            + 2.0;
        let last = x.labels().last().filter(|_| !self.x.is_named());
        let right = last.map_or(6.0, |l| (tick_width(l) / 2.0).clamp(8.0, 40.0));
        let texts = self.series.iter().flat_map(|s| &s.points).map(|p| tick_width(&p.label));
        let right = match &self.slots {
            Some(slots) if slots.texts_right => right.max(TEXT_GAP + texts.fold(0.0, f64::max)),
            Some(slots) if slots.lying => right.max(self.beyond(x, width - left)),
            _ => right,
        };
        let lines = match self.x.is_named() {
            false => LINE * TICK.em,
            true => match names(x, width - left - right) {
                Some((em, names)) => {
                    names.iter().map(|n| n.1.len()).max().unwrap_or(0) as f64 * LINE * em
                }
                None => widest(x).min(TURNED),
            },
        };
        (left, right, 2.0 * mark(&self.x) + lines + title(&self.x, 1.3) + 5.0)
    }

    /// How far labels at the ends of lying groups reach to the right of a plotting area, which gives way to them.
    fn beyond(&self, x: &Laid, width: f64) -> f64 {
        let points = self.series.iter().flat_map(|s| &s.points).filter(|p| !p.label.is_empty());
        let beyond = points.map(|p| {
            let share = (marks::farthest(p, x, true) - x.low) / (x.high - x.low);
            let over = marks::END + tick_width(&p.label) + 2.0 - (1.0 - share) * width;
            over / share.max(0.1) - (GAP - 2.0)
        });
        beyond.fold(0.0, f64::max)
    }

    /// Least height of a plotting area beside which the names of the rows stand in as many lines as they need, and the
    /// titles of its axis and of its colours in a few.
    fn least_height(&self, width: f64) -> f64 {
        let names = self.y.names.iter().filter(|_| self.y.is_named());
        let lines = names.map(|name| name_lines(&name.1, name_room(width)).len()).max();
        let line = LINE * TICK.em;
        let names = match lines.unwrap_or(0) {
            0 | 1 => 0.0,
            lines => self.y.names.len() as f64 * (lines as f64 * line + 6.0),
        };
        let title = 0.4 * text_width(&self.y.label, LABEL.em, false) - TITLE_OVER;
        let scale = self.heat.as_ref().map_or(0.0, |heat| heat.least_height());
        names.max(title).max(scale)
    }
}

/// How much longer than its plotting area the title of an axis may be.
const TITLE_OVER: f64 = 40.0;

/// The lines of an axis's title.
fn title_lines(axis: &Axis, room: f64) -> Vec<String> {
    wrapped(&axis.label, LABEL.em, false, room, 6)
}

/// Room for the lines of a title after the first.
fn more_lines(axis: &Axis, room: f64) -> f64 {
    LINE * LABEL.em * title_lines(axis, room).len().saturating_sub(1) as f64
}

/// Room for names of rows in a panel this wide.
fn name_room(width: f64) -> f64 {
    NAME.min(0.4 * width)
}

/// The lines of the name of a row, which may reach a little into the margin.
fn name_lines(name: &str, room: f64) -> Vec<String> {
    wrapped(name, TICK.em, false, room + 8.0, 4)
}

fn tick_width(label: &str) -> f64 {
    text_width(label, TICK.em, false)
}

fn mark(axis: &Axis) -> f64 {
    if axis.is_named() { NAME_MARK } else { TICK_MARK }
}

/// Places of names, and their lines.
type Names = Vec<(f64, Vec<String>)>;

/// Names under a plotting area this wide: their size, and each with its place in lines; `None` if
/// they must be turned to be readable.
fn names(x: &Laid, width: f64) -> Option<(f64, Names)> {
    let whole = x.high - x.low;
    let pairs = x.ticks.windows(2).map(|pair| (pair[1].0 - pair[0].0).abs());
    let slot = (width * pairs.fold(whole, f64::min) / whole - 6.0).max(4.0);
    let words = x.labels().flat_map(pieces);
    let longest = words.map(|w| tick_width(w.trim_start())).fold(1.0, f64::max);
    let em = TICK.em.min(TICK.em * slot / longest - 0.05);
    let broken = x.ticks.iter().map(|(at, name)| (*at, wrapped(name, em, false, slot, 9)));
    let broken: Vec<_> = broken.collect();
    (em >= SMALL_NAME && broken.iter().all(|name| name.1.len() <= 3)).then_some((em, broken))
}

/// Lines of words at the top or the bottom.
fn words(
    text: &str,
    face: Face,
    width: f64,
    lines: usize,
    leading: f64,
) -> Vec<(String, Face, f64)> {
    let lines = wrapped(text, face.em, face.bold, width, lines).into_iter();
    lines.map(|line| (line, face, leading * face.em)).collect()
}

/// An entry of the legend: place, series, whether it is drawn as bars, the lines of its name.
type Key<'a> = (f64, f64, &'a Series, bool, Vec<String>);

/// Entries of the legend: each name once, or no entry if there is a single name; with their places
/// and the height of all.
fn legend(panels: &[Panel], width: f64) -> (Vec<Key<'_>>, f64) {
    let mut keys: Vec<Key<'_>> = Vec::new();
    let line = 1.55 * LABEL.em;
    let (mut x, mut y) = (0.0, 0.0);
    for panel in panels {
        let bars = panel.slots.as_ref().is_some_and(|slots| slots.bars);
        for series in panel.series.iter().filter(|s| !s.name.is_empty()) {
            if keys.iter().any(|key| key.2.name == series.name) {
                continue;
            }
            let name = wrapped(&series.name, LABEL.em, false, width - SIGN - 8.0, 4);
            let wide = SIGN + 8.0 + text_width(&series.name, LABEL.em, false);
            if x > 0.0 && x + wide > width {
                (x, y) = (0.0, y + line);
            }
            let more = LINE * LABEL.em * name.len().saturating_sub(1) as f64;
            keys.push((x, y + line / 2.0, series, bars, name));
            x += wide + 22.0;
            y += more;
        }
    }
    match keys.len() {
        0 | 1 => (Vec::new(), 0.0),
        _ => (keys, y + line + 6.0),
    }
}

fn sign(canvas: &Canvas<'_>, (x, y): (f64, f64), (_, _, series, bars, name): &Key<'_>) {
    if *bars {
        canvas.fill(Area { x: x + 10.0, y: y - 7.0, width: 14.0, height: 14.0 }, series.colour);
    }
    let (ends, style) = ([(x, y), (x + SIGN, y)], stroke(series.colour, 2.4));
    match series.line {
        Line::Solid => canvas.path(ends, style),
        Line::Dashed => canvas.dashes(ends, style),
        Line::None => {}
    }
    if let Some(marker) = series.marker {
        canvas.marker((x + SIGN / 2.0, y), marker, series.colour, 9.5, false);
    }
    for (i, line) in name.iter().enumerate() {
        let y = y + LINE * LABEL.em * i as f64;
        canvas.text((x + SIGN + 8.0, y), line, LABEL, HPos::Left);
    }
}

/// Says that there is nothing to draw.
fn nothing(canvas: &Canvas<'_>, area: Area) {
    canvas.outline(area, style::GRID, 1.0);
    canvas.text(area.middle(), "no data", SUBTITLE, HPos::Center);
}

impl Figure {
    /// Draws the panels, row by row, and returns the SVG.
    ///
    /// ```
    /// use picloom_plot::axis::Axis;
    /// use picloom_plot::charts::{Figure, Panel, Series};
    /// let loss = Series::line("dense", picloom_plot::style::colour(1), [(0.0, 0.2), (10.0, 0.01)]);
    /// let axes = (Axis::new("step"), Axis::new("loss (MSE)").log());
    /// let svg = Figure::new("Loss while training").draw(&[Panel::new("", axes.0, axes.1, vec![loss])]);
    /// assert!(svg.starts_with("<svg"));
    /// ```
    pub fn draw(&self, panels: &[Panel]) -> String {
        let width = f64::from(self.width.clamp(160, 20_000));
        let text = width - 2.0 * MARGIN;
        let mut head = words(&self.title, TITLE, text, 2, 1.3);
        head.extend(words(&self.subtitle, SUBTITLE, text, 3, 1.35));
        let note = words(&self.note, TICK, text, 30, 1.35);
        let (keys, keys_height) = legend(panels, text);
        let high = |lines: &[(String, Face, f64)]| {
            let high: f64 = lines.iter().map(|line| line.2).sum();
            if lines.is_empty() { 0.0 } else { high + 4.0 }
        };
        let (top, below) = (MARGIN + high(&head) + keys_height, 12.0 + high(&note));
        let heat = panels.iter().find_map(|panel| panel.heat.as_ref().filter(|h| h.has_values()));
        let scale = if heat.is_some() { heat::SCALE } else { 0.0 };

        let columns = self.columns.clamp(1, panels.len().max(1));
        let rows = panels.len().div_ceil(columns).max(1);
        let (n, m) = (columns as f64, rows as f64);
        let room = Area { x: MARGIN - 6.0, y: top, width: text + 6.0 - scale, height: 0.0 };
        // About the size of a panel: its ticks depend on it.
        let rough = room.width / n;
        let each = match self.height {
            Height::Each(each) => panels.iter().map(|p| p.least_height(rough)).fold(each, f64::max),
            Height::Whole(whole) => (whole - top - below) / m - 60.0,
        };
        let all: Vec<Values> = panels.iter().map(Panel::values).collect();
        let pick = |i: usize, shared: bool, of: fn(&Values) -> &Vec<f64>| match shared {
            true => all.iter().flat_map(|values| of(values).iter().copied()).collect(),
            false => of(&all[i]).clone(),
        };
        let laid: Vec<Option<(Laid, Laid)>> = (panels.iter().enumerate())
            .map(|(i, panel)| {
                let (x, y) = self.share;
                panel.lay((pick(i, x, |v| &v.0), pick(i, y, |v| &v.1)), rough, each)
            })
            .collect();
        // Where a range is shared, only the outer panels carry its labels.
        let labelled = |i: usize| {
            let below = laid.get(i + columns).is_some_and(Option::is_some);
            let left = i.is_multiple_of(columns) || !self.share.1 || panels[i].y.is_named();
            (!(self.share.0 && below), left)
        };
        // One column has one left margin, one row one lower margin: plotting areas align and are
        // all of one size.
        let (mut lefts, mut bottoms) = (vec![6.0f64; columns], vec![6.0f64; rows]);
        let (mut above, mut right) = (8.0f64, 0.0f64);
        for (i, axes) in laid.iter().enumerate() {
            let Some(axes) = axes else { continue };
            let sides = panels[i].sides(axes, rough, each);
            if labelled(i).1 {
                lefts[i % columns] = lefts[i % columns].max(sides.0);
            }
            right = right.max(sides.1);
        }
        let total = |margins: &[f64]| margins.iter().sum::<f64>();
        let inner_width = (room.width - total(&lefts) - (right + GAP) * n + GAP) / n;
        let x_title = inner_width + (2.0 * (right + MARGIN - 2.0)).min(60.0);
        let title = |panel: &Panel| wrapped(&panel.title, PANEL.em, true, inner_width, 4);
        let below_of = |i: usize, axes| {
            panels[i].sides(axes, rough, each).2 + more_lines(&panels[i].x, x_title)
        };
        for (i, axes) in laid.iter().enumerate() {
            let row = i / columns;
            if !panels[i].title.is_empty() {
                let more = LINE * title(&panels[i]).len().saturating_sub(1) as f64;
                above = above.max((1.7 + more) * PANEL.em);
            }
            let Some(axes) = axes else { continue };
            // The panel above a free place may write into it.
            if labelled(i).0 && (i + columns < panels.len() || row + 1 == rows) {
                bottoms[row] = bottoms[row].max(below_of(i, axes));
            }
        }
        let spent = total(&bottoms) + above * m + GAP * (m - 1.0);
        let (height, inner_height) = match self.height {
            Height::Whole(whole) => (whole.max(160.0), (whole - top - below - spent) / m),
            Height::Each(_) => ((top + below + spent + each * m).ceil(), each),
        };
        let inner = |i: usize| {
            let (column, row) = (i % columns, i / columns);
            Area {
                x: room.x + total(&lefts[..=column]) + (inner_width + right + GAP) * column as f64,
                y: room.y
                    + above
                    + total(&bottoms[..row])
                    + (inner_height + above + GAP) * row as f64,
                width: inner_width.max(10.0),
                height: inner_height.max(10.0),
            }
        };
        draw((width, height), &self.title, |canvas| {
            let mut y = MARGIN;
            for (line, face, leading) in &head {
                canvas.text((MARGIN, y + 0.5 * face.em), line, *face, HPos::Left);
                y += leading;
            }
            for key in &keys {
                sign(canvas, (MARGIN + key.0, top - keys_height + key.1), key);
            }
            let mut y = height - below + 4.0;
            for (line, face, leading) in &note {
                y += leading;
                canvas.text((MARGIN, y - 0.5 * face.em), line, *face, HPos::Left);
            }
            if laid.len() < 2 && laid.iter().all(Option::is_none) {
                let height = (height - top - below).max(40.0);
                return nothing(canvas, Area { height, ..room });
            }
            for (i, (panel, axes)) in panels.iter().zip(&laid).enumerate() {
                let inner = inner(i);
                for (i, line) in title(panel).iter().rev().enumerate() {
                    let y = inner.y - (0.85 + LINE * i as f64) * PANEL.em;
                    canvas.text((inner.x, y), line, PANEL, HPos::Left);
                }
                let Some(axes) = axes else {
                    nothing(canvas, inner);
                    continue;
                };
                // A panel above a free place has the room its own labels need.
                let below = bottoms[i / columns].max(below_of(i, axes));
                let view = View { inner, x: &axes.0, y: &axes.1 };
                marks::behind(canvas, panel, &view);
                let titles =
                    [title_lines(&panel.x, x_title), title_lines(&panel.y, each + TITLE_OVER)];
                let room = (lefts[i % columns], below - 5.0);
                mesh(canvas, panel, &view, room, labelled(i), (titles, name_room(rough)));
                match &panel.heat {
                    Some(heat) => heat.paint(canvas, &view, heat::range(panels)),
                    None if panel.values().0.is_empty() => {
                        canvas.text(inner.middle(), "no data", SUBTITLE, HPos::Center);
                    }
                    None => marks::paint(canvas, panel, &view),
                }
            }
            if let Some(heat) = heat {
                let (first, last) = (inner(0), inner(columns * rows - 1));
                let corners = ((first.x, first.y), (last.right(), last.bottom()));
                let area = Area::between(corners.0, corners.1);
                heat.scale(canvas, area, height - area.bottom(), heat::range(panels));
            }
        })
    }
}

/// plotters' mesh, axes and labels of a panel; `room` at its left and below it, the lines of its titles and the room
/// for the names of its rows.
fn mesh(
    canvas: &Canvas<'_>,
    panel: &Panel,
    view: &View<'_>,
    room: (f64, f64),
    labelled: (bool, bool),
    (titles, named): ([Vec<String>; 2], f64),
) {
    let inner = view.inner;
    // An axis without labels keeps its line and its marks.
    let left = if labelled.1 { room.0 } else { TICK_MARK };
    let below = if labelled.0 { room.1 } else { TICK_MARK };
    let whole = canvas.area.clone().shrink(
        (fine(inner.x - left), fine(inner.y)),
        (fine(inner.width + left), fine(inner.height + below)),
    );
    let mut chart = drawn(
        ChartBuilder::on(&whole)
            .x_label_area_size(fine(below))
            .y_label_area_size(fine(left))
            .build_cartesian_2d(view.x.clone(), view.y.clone()),
    );
    // A label that would touch its neighbour is left out; its mark stays.
    let (mut free, mut kept) = (f64::NEG_INFINITY, Vec::new());
    for (at, label) in &view.x.ticks {
        let (x, _) = view.pixel((*at, view.y.low));
        let half = tick_width(label) / 2.0;
        if x - half >= free + 6.0 {
            free = x + half;
            kept.push(*at);
        }
    }
    let x_label = |at: &f64| match view.x.label(*at) {
        Some(label) if labelled.0 && !panel.x.is_named() && kept.contains(at) => label.into(),
        _ => String::new(),
    };
    let pitch = inner.height / view.y.ticks.len().max(1) as f64;
    let names = view.y.ticks.iter().filter(|_| labelled.1 && panel.y.is_named());
    let names: Vec<_> = names.map(|(at, name)| (*at, name_lines(name, named))).collect();
    let most = names.iter().map(|name| name.1.len()).max().unwrap_or(1).max(1) as f64;
    let high = if most > 1.0 { pitch / (LINE * most) } else { 0.82 * pitch };
    let y_face = match panel.y.is_named() {
        true => Face { colour: style::INK, em: TICK.em.min(high).max(6.0), ..TICK },
        false => TICK,
    };
    let y_label = |at: &f64| match view.y.label(*at) {
        Some(_) if most > 1.0 => String::new(),
        Some(label) if labelled.1 => label.to_string(),
        _ => String::new(),
    };
    // Cells need no lines, but the labels beside them.
    let axis = rgb(style::GREY).mix(if panel.heat.is_some() { 0.0 } else { 1.0 });
    let mut mesh = chart.configure_mesh();
    if panel.x.is_named() {
        mesh.disable_x_mesh();
    }
    if panel.y.is_named() {
        mesh.disable_y_mesh();
    }
    let [x_title, y_title] = &titles;
    if let ([line], true) = (x_title.as_slice(), labelled.0) {
        mesh.x_desc(line);
    }
    if let ([line], true) = (y_title.as_slice(), labelled.1) {
        mesh.y_desc(line);
    }
    drawn(
        mesh.bold_line_style(stroke(style::GRID, 1.0))
            .light_line_style(stroke(FAINT, 0.6))
            .axis_style(axis.stroke_width(fine(1.2) as u32))
            .set_tick_mark_size(LabelAreaPosition::Bottom, fine(mark(&panel.x)))
            .set_tick_mark_size(LabelAreaPosition::Left, fine(mark(&panel.y)))
            .x_label_style(TICK.style(HPos::Center))
            .y_label_style(y_face.style(HPos::Right))
            // plotters centres a text a little above the middle of its capitals.
            .y_label_offset(fine(0.11 * y_face.em))
            .axis_desc_style(LABEL.style(HPos::Center))
            .x_label_formatter(&x_label)
            .y_label_formatter(&y_label)
            .draw(),
    );
    if labelled.0 && panel.x.is_named() {
        under(canvas, view);
    }
    // plotters writes one line.
    let (middle, line) = (inner.middle(), LINE * LABEL.em);
    let place = |lines: &[String], i: usize| (i as f64 + 0.5 - lines.len() as f64) * line;
    for (i, text) in x_title.iter().enumerate().filter(|_| labelled.0 && x_title.len() > 1) {
        let y = inner.bottom() + below + place(x_title, i);
        canvas.text((middle.0, y), text, LABEL, HPos::Center);
    }
    for (i, text) in y_title.iter().enumerate().filter(|_| labelled.1 && y_title.len() > 1) {
        let x = inner.x - left + y_title.len() as f64 * line + place(y_title, i);
        canvas.text_up((x, middle.1), text, LABEL);
    }
    for (at, lines) in names.iter().filter(|_| most > 1.0) {
        let (x, y) = view.pixel((view.x.low, *at));
        for (i, text) in lines.iter().enumerate() {
            let down = (i as f64 - (lines.len() as f64 - 1.0) / 2.0) * LINE * y_face.em;
            canvas.text((x - 2.0 * NAME_MARK, y + down), text, y_face, HPos::Right);
        }
    }
}

/// Names under a plotting area, broken into lines or turned.
fn under(canvas: &Canvas<'_>, view: &View<'_>) {
    let top = view.inner.bottom() + 2.0 * NAME_MARK;
    let x = |at: f64| view.pixel((at, view.y.low)).0;
    match names(view.x, view.inner.width) {
        Some((em, names)) => {
            for (at, lines) in names {
                for (i, line) in lines.iter().enumerate() {
                    let y = top + (0.4 + LINE * i as f64) * em;
                    canvas.text((x(at), y), line, Face { em, ..TICK }, HPos::Center);
                }
            }
        }
        None => {
            for (at, name) in &view.x.ticks {
                let lines = wrapped(name, TICK.em, false, TURNED, 3);
                for (i, line) in lines.iter().enumerate() {
                    let by = (i as f64 - (lines.len() as f64 - 1.0) / 2.0) * LINE * TICK.em;
                    canvas.text_up((x(*at) + by, top + tick_width(line) / 2.0), line, TICK);
                }
            }
        }
    }
}
