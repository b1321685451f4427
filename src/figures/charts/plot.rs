//! Lines and scatter: series of points, with interval bands, error bars, labels and rules.

use super::cartesian::{Cartesian, Chart};
use super::frame::{Frame, Key, SUBTITLE, Sign, TICK, nothing, surround};
use crate::figures::axis::{Axis, Laid};
use crate::figures::canvas::{Area, Canvas, Face, Stand, draw, drawn, fine, rgb, stroke};
use crate::figures::fonts::text_width;
use crate::figures::style::{self, Colour, Marker};
use plotters::element::DashedPathElement;
use plotters::prelude::*;

/// How the points of a series are joined.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Line {
    #[default]
    Solid,
    Dashed,
    /// Points only.
    None,
}

/// One point.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Point {
    /// Place on the x axis.
    pub x: f64,
    /// Place on the y axis. NaN breaks the line.
    pub y: f64,
    /// Interval of x, drawn as a horizontal whisker.
    pub x_interval: Option<(f64, f64)>,
    /// Interval of y, drawn as a vertical whisker.
    pub y_interval: Option<(f64, f64)>,
    /// Written beside the point, where it collides with nothing; may be empty.
    pub label: String,
}

impl Point {
    /// A bare point.
    pub fn new(x: f64, y: f64) -> Self {
        Point { x, y, ..Point::default() }
    }

    /// With a label.
    pub fn label(mut self, label: impl Into<String>) -> Self {
        self.label = label.into();
        self
    }

    /// With an interval of y.
    pub fn between(mut self, low: f64, high: f64) -> Self {
        self.y_interval = Some((low, high));
        self
    }

    /// With an interval of x.
    pub fn x_between(mut self, low: f64, high: f64) -> Self {
        self.x_interval = Some((low, high));
        self
    }
}

/// One series: a line, or a cloud.
#[derive(Clone, Debug, PartialEq)]
pub struct Series {
    /// Name in the legend; empty: not in the legend.
    pub name: String,
    /// Its colour.
    pub colour: Colour,
    /// Marker at each point; `None`: none.
    pub marker: Option<Marker>,
    /// How the points are joined, in the order given.
    pub line: Line,
    /// Width of the line in pixels. Default: 2.4.
    pub width: f64,
    /// The points.
    pub points: Vec<Point>,
    /// Interval band: (x, low, high), in the order of x; drawn as a pale area.
    pub band: Vec<(f64, f64, f64)>,
    /// Markers drawn hollow: values that do not count (unfit networks). Default: false.
    pub hollow: bool,
}

impl Series {
    /// A line through these points.
    pub fn line(
        name: impl Into<String>,
        colour: Colour,
        points: impl IntoIterator<Item = (f64, f64)>,
    ) -> Self {
        Series {
            name: name.into(),
            colour,
            marker: None,
            line: Line::Solid,
            width: 2.4,
            points: points.into_iter().map(|(x, y)| Point::new(x, y)).collect(),
            band: Vec::new(),
            hollow: false,
        }
    }

    /// A cloud of points.
    pub fn cloud(
        name: impl Into<String>,
        colour: Colour,
        marker: Marker,
        points: impl IntoIterator<Item = Point>,
    ) -> Self {
        Series {
            marker: Some(marker),
            line: Line::None,
            points: points.into_iter().collect(),
            ..Series::line(name, colour, [])
        }
    }

    /// With a marker at each point.
    pub fn marked(mut self, marker: Marker) -> Self {
        self.marker = Some(marker);
        self
    }

    /// With hollow markers: values that do not count.
    pub fn hollow(mut self) -> Self {
        self.hollow = true;
        self
    }

    /// With a broken line.
    pub fn dashed(mut self) -> Self {
        self.line = Line::Dashed;
        self
    }

    /// With an interval band of (x, low, high).
    pub fn band(mut self, band: impl IntoIterator<Item = (f64, f64, f64)>) -> Self {
        self.band = band.into_iter().collect();
        self
    }

    fn key(&self) -> Option<Key> {
        (!self.name.is_empty()).then(|| Key {
            name: self.name.clone(),
            colour: self.colour,
            sign: match (self.line, self.marker) {
                (Line::None, marker) => Sign::Dot(marker.unwrap_or_default()),
                (line, marker) => Sign::Line { dashed: line == Line::Dashed, marker },
            },
        })
    }
}

/// A line across the chart at one value.
#[derive(Clone, Debug, PartialEq)]
pub struct Rule {
    /// The value.
    pub at: f64,
    /// Written at its end; may be empty.
    pub label: String,
    /// Its colour. Default: grey.
    pub colour: Colour,
}

impl Rule {
    /// A grey rule.
    pub fn new(at: f64, label: impl Into<String>) -> Self {
        Rule { at, label: label.into(), colour: style::GREY }
    }

    /// In a colour.
    pub fn coloured(mut self, colour: Colour) -> Self {
        self.colour = colour;
        self
    }
}

/// A chart of series over two axes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Plot {
    /// Title, texts, size.
    pub frame: Frame,
    /// Horizontal axis.
    pub x: Axis,
    /// Vertical axis.
    pub y: Axis,
    /// Later series are drawn over earlier ones.
    pub series: Vec<Series>,
    /// Vertical rules.
    pub x_rules: Vec<Rule>,
    /// Horizontal rules.
    pub y_rules: Vec<Rule>,
    /// Draw the line y = x.
    pub diagonal: bool,
}

/// Draws a chart of lines or points.
///
/// ```
/// use picloom::figures::axis::Axis;
/// use picloom::figures::charts::{Frame, Plot, Series, plot};
/// let svg = plot(&Plot {
///     frame: Frame::new("Loss while training"),
///     x: Axis::new("step"),
///     y: Axis::new("loss").unit("MSE").log(),
///     series: vec![Series::line("dense", picloom::figures::style::colour(1), [(0.0, 0.2), (10.0, 0.01)])],
///     ..Plot::default()
/// });
/// assert!(svg.starts_with("<svg"));
/// ```
pub fn plot(plot: &Plot) -> String {
    let (width, height) = plot.frame.pixels();
    let keys = plot.keys();
    let keys = if keys.len() > 1 { keys } else { Vec::new() };
    draw(width, height, &plot.frame.title, |canvas| {
        let area = surround(canvas, &plot.frame, &keys);
        let Some(axes) = plot.lay(area, String::new(), None) else {
            return nothing(canvas, area);
        };
        let inner = axes.sides(area).inside(area);
        plot.paint(canvas, &axes, inner, (true, true));
        axes.paint_y_title(canvas, inner, area.x);
    })
}

impl Plot {
    pub(super) fn keys(&self) -> Vec<Key> {
        self.series.iter().filter_map(Series::key).collect()
    }

    /// Every x and y that should be in view.
    pub(super) fn values(&self) -> (Vec<f64>, Vec<f64>) {
        let (mut xs, mut ys) = (Vec::new(), Vec::new());
        for series in &self.series {
            for p in &series.points {
                if p.x.is_finite() && p.y.is_finite() {
                    xs.push(p.x);
                    ys.push(p.y);
                    xs.extend(p.x_interval.iter().flat_map(|i| [i.0, i.1]));
                    ys.extend(p.y_interval.iter().flat_map(|i| [i.0, i.1]));
                }
            }
            for &(x, low, high) in &series.band {
                xs.push(x);
                ys.extend([low, high]);
            }
        }
        if !xs.is_empty() {
            xs.extend(self.x_rules.iter().map(|r| r.at));
            ys.extend(self.y_rules.iter().map(|r| r.at));
        }
        (xs, ys)
    }

    /// The axes in a panel of this size; `None` if there is nothing to show. `shared` replaces the
    /// values the ranges are taken from.
    pub(super) fn lay(
        &self,
        area: Area,
        title: String,
        shared: Option<&(Vec<f64>, Vec<f64>)>,
    ) -> Option<Cartesian> {
        let own = self.values();
        // Among panels of one range, an empty one keeps its axes.
        let (xs, ys) = shared.unwrap_or(&own);
        let any = |values: &[f64], axis: &Axis| {
            let log = axis.scale == crate::figures::axis::Scale::Log;
            values.iter().any(|v| v.is_finite() && (!log || *v > 0.0))
        };
        if !any(xs, &self.x) || !any(ys, &self.y) {
            return None;
        }
        let (mut xs, mut ys) = (xs.clone(), ys.clone());
        if self.diagonal {
            // One range for both, so that the diagonal is the diagonal.
            xs.append(&mut ys.clone());
            ys.clone_from(&xs);
        }
        let (mut wide, mut high) = ((area.width - 70.0) / 68.0, (area.height - 50.0) / 56.0);
        if self.diagonal {
            wide = wide.min(high);
            high = wide;
        }
        // A decade's label needs less room than a number's.
        if self.y.scale == crate::figures::axis::Scale::Log {
            high *= 1.6;
        }
        Some(Cartesian {
            x: self.x.over(xs, wide, 1.0),
            y: self.y.over(ys, high, 1.0),
            x_title: self.x.title(),
            y_title: self.y.title(),
            x_named: !self.x.names.is_empty(),
            y_named: !self.y.names.is_empty(),
            grid: (self.x.names.is_empty(), true),
            lines: (true, true),
            title,
        })
    }

    pub(super) fn paint(
        &self,
        canvas: &Canvas<'_>,
        axes: &Cartesian,
        inner: Area,
        labelled: (bool, bool),
    ) {
        axes.paint_under(canvas, inner);
        axes.paint_axes(canvas, inner, labelled);
        if self.values().0.is_empty() {
            let middle = (inner.x + inner.width / 2.0, inner.y + inner.height / 2.0);
            return canvas.text(middle, "no data", SUBTITLE, Stand::Middle);
        }
        let mut chart = axes.chart(canvas, inner);
        for series in &self.series {
            band(&mut chart, axes, series);
        }
        if self.diagonal {
            let low = axes.x.low.max(axes.y.low);
            let high = axes.x.high.min(axes.y.high);
            let ends = [low, high].map(|v| (axes.px(inner, v), axes.py(inner, v)));
            canvas.dashes(ends[0], ends[1], stroke(style::UNJUDGED, 1.4));
        }
        self.rules(canvas, axes, inner);
        for series in &self.series {
            lines(&mut chart, axes, series);
        }
        let mut taken = Vec::new();
        for series in &self.series {
            points(canvas, axes, inner, series, &mut taken);
        }
        labels(canvas, axes, inner, &self.series, &mut taken);
    }

    fn rules(&self, canvas: &Canvas<'_>, axes: &Cartesian, inner: Area) {
        let mut places = Vec::new();
        for rule in &self.x_rules {
            if let Some(place) = axes.x.place(rule.at).filter(|p| axes.x.shows(*p)) {
                let x = axes.px(inner, place);
                canvas.dashes((x, inner.bottom()), (x, inner.y), stroke(rule.colour, 1.6));
                places.push(x);
            }
        }
        for rule in &self.y_rules {
            if let Some(place) = axes.y.place(rule.at).filter(|p| axes.y.shows(*p)) {
                let y = axes.py(inner, place);
                canvas.dashes((inner.x, y), (inner.right(), y), stroke(rule.colour, 1.6));
            }
        }
        let (high, mut taken) = (1.35 * TICK.em, Vec::<Area>::new());
        let mut label = |text: &str, colour: Colour, mut at: Area, step: f64| {
            if text.is_empty() {
                return;
            }
            for _ in 0..6 {
                if taken.iter().any(|t| touches(*t, at, 2.0)) {
                    at.y += step;
                }
            }
            taken.push(at);
            let face = Face { colour, ..TICK };
            let middle = at.y + at.height / 2.0;
            drawn(canvas.area.draw(&Rectangle::new(
                [(fine(at.x), fine(at.y)), (fine(at.right()), fine(at.bottom()))],
                rgb(style::PAPER).mix(0.82).filled(),
            )));
            canvas.text((at.x + 3.0, middle), text, face, Stand::Left);
        };
        for rule in &self.x_rules {
            let Some(place) = axes.x.place(rule.at).filter(|p| axes.x.shows(*p)) else {
                continue;
            };
            let x = axes.px(inner, place);
            let wide = text_width(&rule.label, TICK.em, false) + 6.0;
            let right = x + 4.0 + wide;
            let crossed = |from: f64, to: f64| places.iter().any(|p| *p > from && *p < to);
            let left = if right > inner.right()
                || (crossed(x + 1.0, right)
                    && !crossed(x - 4.0 - wide, x - 1.0)
                    && x - 4.0 - wide > inner.x)
            {
                x - 4.0 - wide
            } else {
                x + 4.0
            };
            let at = Area { x: left, y: inner.y + 3.0, width: wide, height: high };
            label(&rule.label, rule.colour, at, high + 2.0);
        }
        for rule in &self.y_rules {
            let Some(place) = axes.y.place(rule.at).filter(|p| axes.y.shows(*p)) else {
                continue;
            };
            let y = axes.py(inner, place);
            let wide = text_width(&rule.label, TICK.em, false) + 6.0;
            let above = y - high - 2.0;
            let at = Area {
                x: inner.right() - wide - 2.0,
                y: if above < inner.y { y + 2.0 } else { above },
                width: wide,
                height: high,
            };
            label(&rule.label, rule.colour, at, -(high + 2.0));
        }
    }
}

fn touches(a: Area, b: Area, gap: f64) -> bool {
    a.x < b.right() + gap
        && b.x < a.right() + gap
        && a.y < b.bottom() + gap
        && b.y < a.bottom() + gap
}

fn band(chart: &mut Chart<'_, '_>, axes: &Cartesian, series: &Series) {
    let mut runs: Vec<Vec<(f64, f64, f64)>> = vec![Vec::new()];
    for &(x, low, high) in &series.band {
        let places = (axes.x.place(x), axes.y.place(low), axes.y.place(high));
        let (low_edge, high_edge) = (axes.y.low, axes.y.high);
        match places {
            (Some(x), low, Some(high)) if axes.x.shows(x) && !series_nan(series, low, axes) => {
                // Below the range, or nothing on a log axis: to the edge.
                let low = low.unwrap_or(low_edge).clamp(low_edge, high_edge);
                let high = high.clamp(low_edge, high_edge);
                runs.last_mut().expect("begins with one").push((x, low, high));
            }
            _ => runs.push(Vec::new()),
        }
    }
    for run in runs.iter().filter(|r| r.len() > 1) {
        let outline: Vec<(f64, f64)> =
            run.iter().map(|p| (p.0, p.1)).chain(run.iter().rev().map(|p| (p.0, p.2))).collect();
        let area = Polygon::new(outline, rgb(series.colour).mix(0.18).filled());
        drawn(chart.draw_series(std::iter::once(area)));
    }
}

/// A missing lower edge ends a band on a linear axis (NaN); on a log axis it may just be ≤ 0.
fn series_nan(_: &Series, low: Option<f64>, axes: &Cartesian) -> bool {
    low.is_none() && axes.y.scale == crate::figures::axis::Scale::Linear
}

fn lines(chart: &mut Chart<'_, '_>, axes: &Cartesian, series: &Series) {
    if series.line == Line::None {
        return;
    }
    let style = stroke(series.colour, series.width);
    for run in runs(axes, series) {
        match series.line {
            Line::Solid | Line::None => {
                let path = PathElement::new(run, style);
                drawn(chart.draw_series(std::iter::once(path)));
            }
            Line::Dashed => {
                let path = DashedPathElement::new(run, fine(7.0), fine(4.5), style);
                drawn(chart.draw_series(std::iter::once(path)));
            }
        }
    }
}

/// The line in axis units: broken at NaN, cut at the edges of the range.
fn runs(axes: &Cartesian, series: &Series) -> Vec<Vec<(f64, f64)>> {
    let places: Vec<Option<(f64, f64)>> =
        series.points.iter().map(|p| axes.x.place(p.x).zip(axes.y.place(p.y))).collect();
    let mut runs: Vec<Vec<(f64, f64)>> = Vec::new();
    let mut open = false;
    for pair in places.windows(2) {
        let cut = match (pair[0], pair[1]) {
            (Some(a), Some(b)) => clipped(axes, a, b).map(|(p, q)| (p, q, q == b)),
            _ => None,
        };
        match cut {
            Some((p, q, whole)) => {
                match runs.last_mut().filter(|_| open) {
                    Some(run) if run.last() == Some(&p) => run.push(q),
                    _ => runs.push(vec![p, q]),
                }
                open = whole;
            }
            None => open = false,
        }
    }
    runs
}

/// The part of a segment inside the axes' ranges (Liang and Barsky 1984).
fn clipped(axes: &Cartesian, a: (f64, f64), b: (f64, f64)) -> Option<((f64, f64), (f64, f64))> {
    let (dx, dy) = (b.0 - a.0, b.1 - a.1);
    let (mut enter, mut leave) = (0.0f64, 1.0f64);
    for (p, q) in [
        (-dx, a.0 - axes.x.low),
        (dx, axes.x.high - a.0),
        (-dy, a.1 - axes.y.low),
        (dy, axes.y.high - a.1),
    ] {
        if p == 0.0 {
            if q < 0.0 {
                return None;
            }
        } else if p < 0.0 {
            enter = enter.max(q / p);
        } else {
            leave = leave.min(q / p);
        }
    }
    if enter > leave {
        return None;
    }
    let at = |t: f64| match t {
        0.0 => a,
        1.0 => b,
        t => (a.0 + t * dx, a.1 + t * dy),
    };
    Some((at(enter), at(leave)))
}

fn points(
    canvas: &Canvas<'_>,
    axes: &Cartesian,
    inner: Area,
    series: &Series,
    taken: &mut Vec<Area>,
) {
    let whisker = stroke(series.colour, 1.6);
    for p in &series.points {
        let Some((x, y)) = axes.x.place(p.x).zip(axes.y.place(p.y)) else {
            continue;
        };
        if !axes.x.shows(x) || !axes.y.shows(y) {
            continue;
        }
        let at = (axes.px(inner, x), axes.py(inner, y));
        let ends = |laid: &Laid, interval: (f64, f64)| {
            let low = laid.place(interval.0).unwrap_or(laid.low);
            laid.place(interval.1).map(|high| [low, high].map(|v| v.clamp(laid.low, laid.high)))
        };
        if let Some([low, high]) = p.y_interval.and_then(|i| ends(&axes.y, i)) {
            let (a, b) = (axes.py(inner, low), axes.py(inner, high));
            canvas.line((at.0, a), (at.0, b), whisker);
            taken.push(Area { x: at.0 - 3.0, y: b, width: 6.0, height: a - b });
            for y in [a, b] {
                canvas.line((at.0 - 3.5, y), (at.0 + 3.5, y), whisker);
            }
        }
        if let Some([low, high]) = p.x_interval.and_then(|i| ends(&axes.x, i)) {
            let (a, b) = (axes.px(inner, low), axes.px(inner, high));
            canvas.line((a, at.1), (b, at.1), whisker);
            taken.push(Area { x: a, y: at.1 - 3.0, width: b - a, height: 6.0 });
            for x in [a, b] {
                canvas.line((x, at.1 - 3.5), (x, at.1 + 3.5), whisker);
            }
        }
        if let Some(marker) = series.marker {
            canvas.marker(at, marker, series.colour, 9.5, series.hollow);
            taken.push(Area { x: at.0 - 5.0, y: at.1 - 5.0, width: 10.0, height: 10.0 });
        }
    }
}

/// Writes each label at the first place about its point that is free.
fn labels(
    canvas: &Canvas<'_>,
    axes: &Cartesian,
    inner: Area,
    series: &[Series],
    taken: &mut Vec<Area>,
) {
    for series in series {
        let face = Face { colour: series.colour.mix(style::INK, 0.45), ..TICK };
        for p in series.points.iter().filter(|p| !p.label.is_empty()) {
            let Some((x, y)) = axes.x.place(p.x).zip(axes.y.place(p.y)) else {
                continue;
            };
            if !axes.x.shows(x) || !axes.y.shows(y) {
                continue;
            }
            let at = (axes.px(inner, x), axes.py(inner, y));
            let (wide, high) = (text_width(&p.label, TICK.em, false), TICK.em);
            let (r, mut placed) = (8.0, None);
            // Beyond the whiskers, if there are any.
            let end = |v: Option<f64>, otherwise: f64| {
                v.and_then(|v| axes.y.place(v))
                    .map_or(otherwise, |v| axes.py(inner, v.clamp(axes.y.low, axes.y.high)) - at.1)
            };
            let above = end(p.y_interval.map(|i| i.1), -r) - high - 4.0;
            let below = end(p.y_interval.map(|i| i.0), r) + 4.0;
            for (dx, dy) in [
                (r, -0.5 * high),
                (-r - wide, -0.5 * high),
                (-0.5 * wide, -r - high),
                (-0.5 * wide, r),
                (r, -r - 0.5 * high),
                (r, r - 0.5 * high),
                (-r - wide, -r - 0.5 * high),
                (-r - wide, r - 0.5 * high),
                (-0.5 * wide, above),
                (-0.5 * wide, below),
                (5.0 - wide, above),
                (5.0 - wide, below),
                (-5.0, above),
                (-5.0, below),
                (r + 6.0, -2.0 * r - high),
                (r + 6.0, 2.0 * r),
            ] {
                let place = Area { x: at.0 + dx, y: at.1 + dy, width: wide, height: high };
                let inside = place.x >= inner.x
                    && place.right() <= inner.right() + 10.0
                    && place.y >= inner.y - 6.0
                    && place.bottom() <= inner.bottom();
                if inside && !taken.iter().any(|t| touches(*t, place, 0.0)) {
                    placed = Some(place);
                    break;
                }
            }
            // A label without room would cover another: it is left out, its point stays.
            if let Some(place) = placed {
                canvas.text((place.x, place.y + high / 2.0), &p.label, face, Stand::Left);
                taken.push(place);
            }
        }
    }
}
