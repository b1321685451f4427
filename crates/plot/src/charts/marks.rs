//! Series, rules and labels in a panel.

use super::model::{Line, Panel, Point, Rule, Series, Slots, Spread};
use super::paint::{Area, Canvas, Face, TEXT_GAP, TICK, View, stroke};
use crate::axis::{Laid, Scale};
use crate::fonts::text_width;
use crate::style::{self, Marker};
use plotters::style::text_anchor::HPos;

/// Between the end of a lying group's mark and its label.
pub(super) const END: f64 = 9.0;
/// Height of a line of ticks' size, in pixels.
const HIGH: f64 = TICK.em;
/// Room between a mark and its label.
const R: f64 = 8.0;
/// Distances at which a label without room beside its point is tried, joined to it by a line.
const AWAY: [f64; 5] = [22.0, 36.0, 52.0, 70.0, 90.0];

/// Draws the layer behind grid and axes.
pub(super) fn behind(canvas: &Canvas<'_>, panel: &Panel, view: &View<'_>) {
    let Some(slots) = &panel.slots else { return };
    // A stripe of the category axis between two values, or over the whole area.
    let stripe = |centre: f64, range: Option<(f64, f64)>| {
        let along = if slots.lying { view.x } else { view.y };
        let ends = range.map(|(low, high)| (along.clamped(low), along.clamped(high)));
        let (low, high) = ends.unwrap_or((along.low, along.high));
        let corner = |place: f64, value: f64| view.slot(slots, place, value);
        Area::between(corner(centre - 0.5, low), corner(centre + 0.5, high))
    };
    if !slots.bars && slots.count > 2 {
        // Every second group on a pale ground: the eye keeps groups apart.
        for i in (1..slots.count).step_by(2) {
            let i = if slots.lying { slots.count - 1 - i } else { i };
            let pale = style::BLANK.mix(style::PAPER, 0.55);
            canvas.fill(stripe(i as f64 + 0.5, None), pale);
        }
    }
    for (centre, range) in &slots.shades {
        canvas.fill(stripe(*centre, Some(*range)), style::GRID);
    }
}

/// Everything else of a panel without cells.
pub(super) fn paint(canvas: &Canvas<'_>, panel: &Panel, view: &View<'_>) {
    for series in panel.series.iter().filter(|series| series.spread == Spread::Band) {
        band(canvas, view, series);
    }
    if panel.diagonal {
        let ends = [view.x.low.max(view.y.low), view.x.high.min(view.y.high)];
        canvas.dashes(ends.map(|v| view.pixel((v, v))), stroke(style::SILVER, 1.4));
    }
    rules(canvas, panel, view);
    for series in &panel.series {
        for run in runs(view, series) {
            let (run, style) = (
                run.into_iter().map(|place| view.pixel(place)),
                stroke(series.colour, series.width),
            );
            match series.line {
                Line::Dashed => canvas.dashes(run, style),
                _ => canvas.path(run, style),
            }
        }
    }
    let mut taken = Vec::new();
    for series in &panel.series {
        for (at, point) in seen(view, series) {
            mark(canvas, panel, view, series, (at, point), &mut taken);
        }
    }
    if let Some(slots) = panel.slots.as_ref().filter(|slots| slots.bars) {
        // Bars stand on a line.
        let along = if slots.lying { view.x } else { view.y };
        if let Some(zero) = along.shown(0.0) {
            let end = |place: f64| view.slot(slots, place, zero);
            canvas.line(end(0.0), end(slots.count as f64), stroke(style::GREY, 1.2));
        }
    }
    for series in &panel.series {
        for (at, point) in seen(view, series).into_iter().filter(|s| !s.1.label.is_empty()) {
            match &panel.slots {
                Some(slots) => end_label(canvas, slots, view, (at, point)),
                None => label(canvas, view, series, (at, point), &mut taken),
            }
        }
    }
}

/// The points of a series that are in view: place in pixels, and the point.
fn seen<'s>(view: &View<'_>, series: &'s Series) -> Vec<((f64, f64), &'s Point)> {
    // A bar beyond the axis is drawn up to its end.
    let x = |p: &Point| view.x.place(p.x).and(view.x.shown(p.x));
    let y = |p: &Point| view.y.place(p.y).and(view.y.shown(p.y));
    series.points.iter().filter_map(|p| Some((view.pixel((x(p)?, y(p)?)), p))).collect()
}

fn band(canvas: &Canvas<'_>, view: &View<'_>, series: &Series) {
    let mut runs: Vec<Vec<(f64, f64, f64)>> = vec![Vec::new()];
    for point in series.points.iter().filter(|p| !p.hollow) {
        let (low, high) = point.y_interval.unwrap_or((f64::NAN, f64::NAN));
        // A lower edge may lie below every place of a log axis.
        let known = view.y.place(low).is_some() || view.y.scale == Scale::Log && low.is_finite();
        match (view.x.shown(point.x), view.y.place(high)) {
            (Some(x), Some(_)) if known => {
                let one = (x, view.y.clamped(low), view.y.clamped(high));
                runs.last_mut().expect("begins with one").push(one);
            }
            _ => runs.push(Vec::new()),
        }
    }
    for run in runs.iter().filter(|r| r.len() > 1) {
        let low = run.iter().map(|p| (p.0, p.1));
        let outline = low.chain(run.iter().rev().map(|p| (p.0, p.2)));
        canvas.polygon(outline.map(|place| view.pixel(place)), series.colour, 0.18);
    }
}

/// The line in axis units: broken at NaN, cut at the edges of the range.
fn runs(view: &View<'_>, series: &Series) -> Vec<Vec<(f64, f64)>> {
    let mut runs: Vec<Vec<(f64, f64)>> = Vec::new();
    if series.line == Line::None {
        return runs;
    }
    let counted = series.points.iter().filter(|p| !p.hollow);
    let places: Vec<_> = counted.map(|p| view.x.place(p.x).zip(view.y.place(p.y))).collect();
    for pair in places.windows(2) {
        let cut = pair[0].zip(pair[1]).and_then(|(a, b)| clipped(view, a, b));
        let Some((from, to)) = cut else { continue };
        match runs.last_mut() {
            Some(run) if run.last() == Some(&from) => run.push(to),
            _ => runs.push(vec![from, to]),
        }
    }
    runs
}

/// The part of a segment inside the axes' ranges (Liang and Barsky 1984).
fn clipped(view: &View<'_>, a: (f64, f64), b: (f64, f64)) -> Option<((f64, f64), (f64, f64))> {
    let (dx, dy) = (b.0 - a.0, b.1 - a.1);
    let (mut enter, mut leave) = (0.0f64, 1.0f64);
    for (p, q) in [
        (-dx, a.0 - view.x.low),
        (dx, view.x.high - a.0),
        (-dy, a.1 - view.y.low),
        (dy, view.y.high - a.1),
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

/// Lines across the chart, and their labels where nothing stands yet: upright lines have theirs at the
/// top, to the right or left of the line; level ones at the right, above or below it.
fn rules(canvas: &Canvas<'_>, panel: &Panel, view: &View<'_>) {
    let (inner, high) = (view.inner, 1.35 * HIGH);
    let wide = |rule: &Rule| text_width(&rule.label, TICK.em, false) + 6.0;
    let (mut written, mut taken): (Vec<(&Rule, Vec<Area>)>, Vec<Area>) = Default::default();
    for rule in &panel.x_rules {
        let Some(place) = view.x.shown(rule.at) else { continue };
        let ((x, _), width) = (view.pixel((place, view.y.low)), wide(rule));
        canvas.dashes([(x, inner.bottom()), (x, inner.y)], stroke(rule.colour, 1.6));
        taken.push(Area { x: x - 0.1, width: 0.2, ..inner });
        let places = (0..12).map(|i| {
            let x = if i % 2 == 0 { x + 4.0 } else { x - 4.0 - width };
            Area { x, y: inner.y + 3.0 + f64::from(i / 2) * (high + 2.0), width, height: high }
        });
        let inside = |place: &Area| place.x > inner.x && place.right() <= inner.right();
        written.push((rule, places.filter(inside).collect()));
    }
    for rule in &panel.y_rules {
        let Some(place) = view.y.shown(rule.at) else { continue };
        let (_, y) = view.pixel((view.x.low, place));
        canvas.dashes([(inner.x, y), (inner.right(), y)], stroke(rule.colour, 1.6));
        let (x, above) = (inner.right() - wide(rule) - 2.0, y - high - 2.0);
        let first = if above < inner.y { y + 2.0 } else { above };
        let places = (0..6).map(|row| {
            let y = first - f64::from(row) * (high + 2.0);
            Area { x, y, width: wide(rule), height: high }
        });
        written.push((rule, places.collect()));
    }
    for (rule, places) in written.iter().filter(|w| !w.0.label.is_empty()) {
        let free = |at: &&Area| !taken.iter().any(|t| t.touches(at));
        let Some(&at) = places.iter().find(free).or(places.first()) else { continue };
        taken.push(at);
        let corners =
            [(at.x, at.y), (at.right(), at.y), (at.right(), at.bottom()), (at.x, at.bottom())];
        canvas.polygon(corners, style::PAPER, 0.82);
        let face = Face { colour: rule.colour, ..TICK };
        canvas.text((at.x + 3.0, at.middle().1), &rule.label, face, HPos::Left);
    }
}

/// The ends of an interval, cut at the axis's ends, and whether they are; `None` without a high
/// end.
fn ends(laid: &Laid, interval: Option<(f64, f64)>) -> Option<[(f64, bool); 2]> {
    let (low, high) = interval?;
    let end = |value| (laid.clamped(value), laid.beyond(value));
    laid.place(high).map(|_| [end(low), end(high)])
}

/// A point with its whiskers, its bar and the values behind it.
fn mark(
    canvas: &Canvas<'_>,
    panel: &Panel,
    view: &View<'_>,
    series: &Series,
    (at, p): ((f64, f64), &Point),
    taken: &mut Vec<Area>,
) {
    let colour = p.colour.unwrap_or(series.colour);
    let bars = panel.slots.as_ref().filter(|slots| slots.bars);
    let lying = panel.slots.as_ref().is_some_and(|slots| slots.lying);
    // Pixels that a mark has for itself on the category axis.
    let half = panel.slots.as_ref().map_or(0.0, |slots| {
        let (a, b) = (view.slot(slots, 0.0, 0.0), view.slot(slots, slots.step, 0.0));
        (0.43 * (a.0 - b.0).abs().max((a.1 - b.1).abs())).min(34.0)
    });
    let across = |(x, y): (f64, f64), by: f64| if lying { (x, y + by) } else { (x + by, y) };
    if bars.is_some() {
        let base = match lying {
            true => (view.pixel((view.x.clamped(0.0), 0.0)).0, at.1),
            false => (at.0, view.pixel((0.0, view.y.clamped(0.0))).1),
        };
        let bar = Area::between(across(base, -half), across(at, half));
        match p.hollow {
            true => {
                canvas.fill(bar, style::PAPER.mix(colour, 0.14));
                canvas.outline(bar, colour, 1.6);
            }
            false => canvas.fill(bar, colour),
        }
    }
    let line = stroke(if bars.is_some() { style::INK } else { colour }, 1.6);
    let y_interval = p.y_interval.filter(|_| series.spread == Spread::Whiskers);
    if let Some(ends) = ends(view.y, y_interval) {
        let ends = ends.map(|(y, cut)| ((at.0, view.pixel((view.x.low, y)).1), cut));
        canvas.whisker(ends, (3.5, 0.0), line);
        let [a, b] = ends.map(|end| end.0);
        taken.push(Area::between((at.0 - 3.0, a.1), (at.0 + 3.0, b.1)));
    }
    if let Some(ends) = ends(view.x, p.x_interval) {
        let ends = ends.map(|(x, cut)| ((view.pixel((x, view.y.low)).0, at.1), cut));
        canvas.whisker(ends, (0.0, 3.5), line);
        let [a, b] = ends.map(|end| end.0);
        taken.push(Area::between((a.0, at.1 - 3.0), (b.0, at.1 + 3.0)));
    }
    // Values behind an estimate stand beside it, spread so that equal ones are all seen.
    let n = p.observations().count() as f64;
    for (s, seed) in p.observations().enumerate() {
        let along = if lying { view.x } else { view.y };
        let Some(place) = along.shown(seed) else { continue };
        let by = 0.5 * half + (s as f64 - (n - 1.0) / 2.0) * (0.6 * half / n).min(7.0);
        let on = match lying {
            true => (view.pixel((place, 0.0)).0, at.1),
            false => (at.0, view.pixel((0.0, place)).1),
        };
        let tone = if bars.is_some() && !p.hollow { colour.mix(style::INK, 0.5) } else { colour };
        let (size, ring) = match p.apart {
            Some(_) => (6.4, s >= p.seeds.len()),
            None => (4.6, true),
        };
        canvas.marker(across(on, by), Marker::Circle, tone, size, ring);
    }
    if let Some(marker) = series.marker {
        canvas.marker(at, marker, colour, series.diameter, p.hollow);
        let half = series.diameter / 2.0 + 0.25;
        taken.push(Area::between((at.0 - half, at.1 - half), (at.0 + half, at.1 + half)));
    }
}

/// A label of a mark of groups: at its end farthest from the baseline, or in the column at the right.
fn end_label(canvas: &Canvas<'_>, slots: &Slots, view: &View<'_>, (at, p): ((f64, f64), &Point)) {
    let face = Face { colour: style::INK, ..TICK };
    let far = farthest(p, if slots.lying { view.x } else { view.y }, slots.lying);
    if slots.lying {
        let end = view.pixel((far, 0.0)).0 + END;
        let x = if slots.texts_right { view.inner.right() + TEXT_GAP } else { end };
        canvas.text((x, at.1), &p.label, face, HPos::Left);
    } else {
        // Smaller rather than over its neighbours.
        let room = view.pixel((slots.step, 0.0)).0 - view.pixel((0.0, 0.0)).0;
        let fits = (room.max(30.0) + 14.0) / text_width(&p.label, face.em, false);
        let face = Face { em: face.em * fits.min(1.0), ..face };
        let end = view.pixel((0.0, far)).1;
        canvas.text((at.0, end - 13.0), &p.label, face, HPos::Center);
    }
}

/// The last place of a mark, its interval and the values behind it, in view.
pub(super) fn farthest(p: &Point, along: &Laid, lying: bool) -> f64 {
    let (value, interval) = if lying { (p.x, p.x_interval) } else { (p.y, p.y_interval) };
    let all = interval.map(|i| i.1).into_iter().chain(p.observations()).chain([value]);
    let far = all.filter(|v| along.place(*v).is_some()).fold(f64::NEG_INFINITY, f64::max);
    if far.is_finite() { along.clamped(far) } else { along.low }
}

/// Writes a label at the first place about its point that is free, or farther away with a line to the
/// point. One without room anywhere would cover another: it is left out, its point stays.
fn label(
    canvas: &Canvas<'_>,
    view: &View<'_>,
    series: &Series,
    (at, p): ((f64, f64), &Point),
    taken: &mut Vec<Area>,
) {
    let (inner, width) = (view.inner, text_width(&p.label, TICK.em, false));
    let face = Face { colour: series.colour.mix(style::INK, 0.45), ..TICK };
    // (dx, dy): the label's middle from the point, in units of its half width and of its height.
    let place = |far: f64, (dx, dy): (f64, f64)| Area {
        x: at.0 + dx * (far + 0.5 * width) - 0.5 * width,
        y: at.1 + dy * (far + 0.5 * HIGH) - 0.5 * HIGH,
        width,
        height: HIGH,
    };
    // Beyond the whiskers, if there are any.
    let end = |value: Option<f64>| {
        let value = value.filter(|v| view.y.place(*v).is_some());
        value.map_or(0.0, |v| (view.pixel((view.x.low, view.y.clamped(v))).1 - at.1).abs() + 4.0)
    };
    let (above, below) = (end(p.y_interval.map(|i| i.1)), end(p.y_interval.map(|i| i.0)));
    let sides = [(1.0, 0.0), (-1.0, 0.0), (0.0, -1.0), (0.0, 1.0)];
    let corners = [(1.0, -0.8), (1.0, 0.8), (-1.0, -0.8), (-1.0, 0.8)];
    let beyond = [
        (0.0, -1.0, above),
        (0.0, 1.0, below),
        (-0.9, -1.0, above),
        (-0.9, 1.0, below),
        (0.9, -1.0, above),
        (0.9, 1.0, below),
    ];
    let near = sides.into_iter().chain(corners).map(|way| place(R, way));
    let beyond = beyond.into_iter().map(|(dx, dy, far)| {
        let area = place(far, (0.0, dy));
        Area { x: area.x + dx * 0.5 * width, ..area }
    });
    let ring = [(0.8, -0.6), (0.8, 0.6), (-0.8, -0.6), (-0.8, 0.6), (0.3, -1.0), (0.3, 1.0)];
    let away = AWAY.iter().flat_map(|&far| {
        ring.map(|(dx, dy)| {
            let x = at.0 + far * dx - if dx < 0.0 { width } else { 0.0 };
            Area { x, y: at.1 + far * dy - 0.5 * HIGH, width, height: HIGH }
        })
    });
    let is_free = |place: &Area| {
        place.x >= inner.x
            && place.right() <= inner.right() + 10.0
            && place.y >= inner.y - 6.0
            && place.bottom() <= inner.bottom()
            && !taken.iter().any(|t| t.touches(place))
    };
    let near: Vec<Area> = near.chain(beyond).collect();
    let joined = !near.iter().any(is_free);
    let Some(place) = near.into_iter().chain(away).find(is_free) else { return };
    if joined {
        let end = if place.x > at.0 { place.x - 3.0 } else { place.right() + 3.0 };
        canvas.line(at, (end, place.middle().1), stroke(style::SILVER, 0.9));
    }
    canvas.text((place.x, place.middle().1), &p.label, face, HPos::Left);
    taken.push(place);
}
