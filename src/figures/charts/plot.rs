//! Lines and scatter: series of points, with interval bands, error bars, labels and rules.

use super::canvas::{Area, Canvas, Face, drawn, fine, rgb, stroke};
use super::cartesian::{Cartesian, Chart as Opened, Place};
use super::chart::{Chart, Values};
use super::frame::{Frame, Key, SUBTITLE, Sign, TICK};
use crate::figures::axis::{Axis, Laid, Scale};
use crate::figures::fonts::text_width;
use crate::figures::style::{self, Colour, Marker};
use plotters::prelude::*;
use plotters::style::text_anchor::HPos;

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
    /// Diameter of the markers in pixels. Default: 9.5.
    pub diameter: f64,
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
            diameter: 9.5,
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

/// Whether an axis can show any of these values.
fn any(values: &[f64], axis: &Axis) -> bool {
    values.iter().any(|v| v.is_finite() && (axis.scale == Scale::Linear || *v > 0.0))
}

impl Chart for Plot {
    fn frame(&self) -> &Frame {
        &self.frame
    }

    fn keys(&self) -> Vec<Key> {
        self.series.iter().filter_map(Series::key).collect()
    }

    fn values(&self) -> Values {
        let (mut xs, mut ys) = (Vec::new(), Vec::new());
        for series in &self.series {
            for p in series.points.iter().filter(|p| p.x.is_finite() && p.y.is_finite()) {
                xs.push(p.x);
                ys.push(p.y);
                xs.extend(p.x_interval.iter().flat_map(|i| [i.0, i.1]));
                ys.extend(p.y_interval.iter().flat_map(|i| [i.0, i.1]));
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

    fn lay(&self, area: Area, values: &Values) -> Option<Cartesian> {
        let (mut xs, mut ys) = values.clone();
        // Among panels of one range, an empty one keeps its axes.
        if !any(&xs, &self.x) || !any(&ys, &self.y) {
            return None;
        }
        let (mut wide, mut high) = ((area.width - 70.0) / 68.0, (area.height - 50.0) / 56.0);
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
        Some(Cartesian {
            x: self.x.over(xs, wide),
            y: self.y.over(ys, high),
            x_title: self.x.title(),
            y_title: self.y.title(),
            x_named: !self.x.names.is_empty(),
            y_named: !self.y.names.is_empty(),
            grid: (self.x.names.is_empty(), true),
            lines: (true, true),
            beside: 0.0,
        })
    }

    fn paint(&self, canvas: &Canvas<'_>, axes: &Cartesian, place: Place, _: &Values) {
        let mut chart = axes.open(canvas, place);
        let inner = place.inner;
        if self.values().0.is_empty() {
            return canvas.text(inner.middle(), "no data", SUBTITLE, HPos::Center);
        }
        for series in &self.series {
            band(&mut chart, axes, series);
        }
        if self.diagonal {
            let ends = [axes.x.low.max(axes.y.low), axes.x.high.min(axes.y.high)];
            let [a, b] = ends.map(|v| chart.pixel((v, v)));
            canvas.dashes(a, b, stroke(style::UNJUDGED, 1.4));
        }
        self.rules(canvas, axes, &chart);
        for series in &self.series {
            lines(&mut chart, axes, series);
        }
        let mut taken = Vec::new();
        for series in &self.series {
            points(canvas, axes, &chart, series, &mut taken);
        }
        labels(canvas, axes, &chart, &self.series, &mut taken);
    }
}

impl Plot {
    /// Lines across the chart, and their labels where nothing stands yet: upright lines have theirs
    /// at the top, to the right or left of the line; level ones at the right, above or below it.
    fn rules(&self, canvas: &Canvas<'_>, axes: &Cartesian, chart: &Opened<'_, '_>) {
        let (inner, high) = (chart.inner, 1.35 * TICK.em);
        let (mut written, mut taken) = (Vec::new(), Vec::new());
        let wide = |rule: &Rule| text_width(&rule.label, TICK.em, false) + 6.0;
        for rule in &self.x_rules {
            let Some(place) = axes.x.shown(rule.at) else { continue };
            let (x, _) = chart.pixel((place, axes.y.low));
            canvas.dashes((x, inner.bottom()), (x, inner.y), stroke(rule.colour, 1.6));
            taken.push(Area { x, y: inner.y, width: 0.0, height: inner.height });
            let wide = wide(rule);
            let sides = [x + 4.0, x - 4.0 - wide];
            let inside = move |x: &f64| *x > inner.x && x + wide <= inner.right();
            let rows = (0..6).map(|row| inner.y + 3.0 + f64::from(row) * (high + 2.0));
            let places = rows.flat_map(move |y| {
                let all = sides.into_iter().filter(inside);
                all.map(move |x| Area { x, y, width: wide, height: high })
            });
            written.push((rule, places.collect::<Vec<_>>()));
        }
        for rule in &self.y_rules {
            let Some(place) = axes.y.shown(rule.at) else { continue };
            let (_, y) = chart.pixel((axes.x.low, place));
            canvas.dashes((inner.x, y), (inner.right(), y), stroke(rule.colour, 1.6));
            let (x, above) = (inner.right() - wide(rule) - 2.0, y - high - 2.0);
            let first = if above < inner.y { y + 2.0 } else { above };
            let rows = (0..6).map(|row| first - f64::from(row) * (high + 2.0));
            let places = rows.map(|y| Area { x, y, width: wide(rule), height: high });
            written.push((rule, places.collect()));
        }
        for (rule, places) in written.iter().filter(|w| !w.0.label.is_empty()) {
            let free = |at: &&Area| !taken.iter().any(|t: &Area| t.touches(**at, 0.0));
            let Some(&at) = places.iter().find(free).or(places.first()) else { continue };
            taken.push(at);
            let ground = Rectangle::new(
                [(at.x, at.y), (at.right(), at.bottom())].map(|(x, y)| (fine(x), fine(y))),
                rgb(style::PAPER).mix(0.82).filled(),
            );
            drawn(canvas.area.draw(&ground));
            let face = Face { colour: rule.colour, ..TICK };
            canvas.text((at.x + 3.0, at.middle().1), &rule.label, face, HPos::Left);
        }
    }
}

fn band(chart: &mut Opened<'_, '_>, axes: &Cartesian, series: &Series) {
    let mut runs: Vec<Vec<(f64, f64, f64)>> = vec![Vec::new()];
    for &(x, low, high) in &series.band {
        // A missing lower edge ends a band on a linear axis (NaN); on a log axis it may just be ≤ 0.
        let known = axes.y.place(low).is_some() || axes.y.scale == Scale::Log;
        match (axes.x.shown(x), axes.y.place(high)) {
            (Some(x), Some(_)) if known => {
                let one = (x, axes.y.clamped(low), axes.y.clamped(high));
                runs.last_mut().expect("begins with one").push(one);
            }
            _ => runs.push(Vec::new()),
        }
    }
    for run in runs.iter().filter(|r| r.len() > 1) {
        let low = run.iter().map(|p| (p.0, p.1));
        let outline: Vec<(f64, f64)> = low.chain(run.iter().rev().map(|p| (p.0, p.2))).collect();
        let area = Polygon::new(outline, rgb(series.colour).mix(0.18).filled());
        drawn(chart.chart.draw_series([area]));
    }
}

fn lines(chart: &mut Opened<'_, '_>, axes: &Cartesian, series: &Series) {
    let style = stroke(series.colour, series.width);
    let runs = if series.line == Line::None { Vec::new() } else { runs(axes, series) };
    for run in runs {
        match series.line {
            Line::Dashed => {
                let dashes = DashedLineSeries::new(run, fine(7.0), fine(4.5), style);
                drawn(chart.chart.draw_series(dashes));
            }
            _ => {
                drawn(chart.chart.draw_series(LineSeries::new(run, style)));
            }
        }
    }
}

/// The line in axis units: broken at NaN, cut at the edges of the range.
fn runs(axes: &Cartesian, series: &Series) -> Vec<Vec<(f64, f64)>> {
    let places: Vec<Option<(f64, f64)>> =
        series.points.iter().map(|p| axes.x.place(p.x).zip(axes.y.place(p.y))).collect();
    let mut runs: Vec<Vec<(f64, f64)>> = Vec::new();
    for pair in places.windows(2) {
        let cut = pair[0].zip(pair[1]).and_then(|(a, b)| clipped(axes, a, b));
        let Some((from, to)) = cut else { continue };
        match runs.last_mut() {
            Some(run) if run.last() == Some(&from) => run.push(to),
            _ => runs.push(vec![from, to]),
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
        match p {
            0.0 if q < 0.0 => return None,
            0.0 => {}
            p if p < 0.0 => enter = enter.max(q / p),
            p => leave = leave.min(q / p),
        }
    }
    let at = |t: f64| match t {
        0.0 => a,
        1.0 => b,
        t => (a.0 + t * dx, a.1 + t * dy),
    };
    (enter <= leave).then(|| (at(enter), at(leave)))
}

/// The points of a series that are in view: place in pixels, and the point.
fn seen<'s>(
    axes: &Cartesian,
    chart: &Opened<'_, '_>,
    series: &'s Series,
) -> Vec<((f64, f64), &'s Point)> {
    let place = |p: &Point| Some(chart.pixel((axes.x.shown(p.x)?, axes.y.shown(p.y)?)));
    series.points.iter().filter_map(|p| Some((place(p)?, p))).collect()
}

/// The ends of an interval on an axis, cut at its ends, and whether they are; none without a high end.
fn ends(laid: &Laid, interval: Option<(f64, f64)>) -> Option<[(f64, bool); 2]> {
    let (low, high) = interval?;
    let end = |value| (laid.clamped(value), laid.beyond(value));
    laid.place(high).map(|_| [end(low), end(high)])
}

fn points(
    canvas: &Canvas<'_>,
    axes: &Cartesian,
    chart: &Opened<'_, '_>,
    series: &Series,
    taken: &mut Vec<Area>,
) {
    let line = stroke(series.colour, 1.6);
    for (at, p) in seen(axes, chart, series) {
        if let Some(ends) = ends(&axes.y, p.y_interval) {
            let ends = ends.map(|(y, cut)| ((at.0, chart.pixel((axes.x.low, y)).1), cut));
            canvas.whisker(ends, (3.5, 0.0), line);
            let [a, b] = ends.map(|end| end.0);
            taken.push(Area::between((at.0 - 3.0, a.1), (at.0 + 3.0, b.1)));
        }
        if let Some(ends) = ends(&axes.x, p.x_interval) {
            let ends = ends.map(|(x, cut)| ((chart.pixel((x, axes.y.low)).0, at.1), cut));
            canvas.whisker(ends, (0.0, 3.5), line);
            let [a, b] = ends.map(|end| end.0);
            taken.push(Area::between((a.0, at.1 - 3.0), (b.0, at.1 + 3.0)));
        }
        if let Some(marker) = series.marker {
            let size = series.diameter;
            canvas.marker(at, marker, series.colour, size, series.hollow);
            let half = size / 2.0 + 0.25;
            let (x, y) = (at.0 - half, at.1 - half);
            taken.push(Area { x, y, width: 2.0 * half, height: 2.0 * half });
        }
    }
}

/// Distances in pixels at which a label without room beside its point is tried, joined to it by a line.
const AWAY: [f64; 5] = [22.0, 36.0, 52.0, 70.0, 90.0];

/// Writes each label at the first place about its point that is free, or farther away with a line to
/// the point. One without room anywhere would cover another: it is left out, its point stays.
fn labels(
    canvas: &Canvas<'_>,
    axes: &Cartesian,
    chart: &Opened<'_, '_>,
    series: &[Series],
    taken: &mut Vec<Area>,
) {
    let (inner, high, r) = (chart.inner, TICK.em, 8.0);
    for series in series {
        let face = Face { colour: series.colour.mix(style::INK, 0.45), ..TICK };
        for (at, p) in seen(axes, chart, series).into_iter().filter(|s| !s.1.label.is_empty()) {
            let wide = text_width(&p.label, TICK.em, false);
            // Beyond the whiskers, if there are any.
            let end = |value: Option<f64>, otherwise: f64| {
                let value = value.filter(|v| axes.y.place(*v).is_some());
                value.map_or(otherwise, |v| chart.pixel((axes.x.low, axes.y.clamped(v))).1 - at.1)
            };
            let above = end(p.y_interval.map(|i| i.1), -r) - high - 4.0;
            let below = end(p.y_interval.map(|i| i.0), r) + 4.0;
            let places = [
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
            ]
            .map(|(dx, dy)| Area {
                x: at.0 + dx,
                y: at.1 + dy,
                width: wide,
                height: high,
            });
            let is_free = |place: &Area| {
                place.x >= inner.x
                    && place.right() <= inner.right() + 10.0
                    && place.y >= inner.y - 6.0
                    && place.bottom() <= inner.bottom()
                    && !taken.iter().any(|t| t.touches(*place, 0.0))
            };
            let mut away = AWAY.iter().flat_map(|&far| {
                [(0.8, -0.6), (0.8, 0.6), (-0.8, -0.6), (-0.8, 0.6), (0.3, -1.0), (0.3, 1.0)].map(
                    |(dx, dy)| {
                        let x = at.0 + far * dx - if dx < 0.0 { wide } else { 0.0 };
                        let y = at.1 + far * dy - 0.5 * high;
                        Area { x, y, width: wide, height: high }
                    },
                )
            });
            let near = places.into_iter().find(is_free);
            if let Some(place) = near.or_else(|| away.find(is_free)) {
                if near.is_none() {
                    let end = if place.x > at.0 { place.x - 3.0 } else { place.right() + 3.0 };
                    canvas.line(at, (end, place.middle().1), stroke(style::UNJUDGED, 0.9));
                }
                canvas.text((place.x, place.middle().1), &p.label, face, HPos::Left);
                taken.push(place);
            }
        }
    }
}
