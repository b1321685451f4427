//! Groups of bars or dots with intervals, upright or lying.

use super::canvas::{Area, Canvas, Face, stroke};
use super::cartesian::{Cartesian, Place};
use super::chart::{Chart, Values};
use super::frame::{Frame, Key, Sign, TICK};
use super::plot::Rule;
use crate::figures::axis::{Axis, Laid};
use crate::figures::fonts::text_width;
use crate::figures::style::{self, Arm, Colour, Marker};
use plotters::style::text_anchor::HPos;

/// An estimate and what is known of its uncertainty.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Estimate {
    /// The value; NaN: not drawn.
    pub value: f64,
    /// Its interval, drawn as a whisker.
    pub interval: Option<(f64, f64)>,
    /// Single observations behind it (seeds), drawn as small dots.
    pub seeds: Vec<f64>,
    /// Drawn hollow: a value that does not count (an unfit network).
    pub faint: bool,
    /// Another colour than its series'.
    pub colour: Option<Colour>,
    /// Written at its end; empty: nothing.
    pub text: String,
}

impl Estimate {
    /// A bare value.
    pub fn new(value: f64) -> Self {
        Estimate { value, ..Estimate::default() }
    }

    /// With an interval.
    pub fn between(mut self, low: f64, high: f64) -> Self {
        self.interval = Some((low, high));
        self
    }

    /// With the observations behind it.
    pub fn seeds(mut self, seeds: impl IntoIterator<Item = f64>) -> Self {
        self.seeds = seeds.into_iter().collect();
        self
    }

    /// Hollow.
    pub fn faint(mut self, faint: bool) -> Self {
        self.faint = faint;
        self
    }

    /// In its own colour.
    pub fn coloured(mut self, colour: Colour) -> Self {
        self.colour = Some(colour);
        self
    }

    /// With a text at its end.
    pub fn text(mut self, text: impl Into<String>) -> Self {
        self.text = text.into();
        self
    }
}

/// A group: one place on the category axis.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Group {
    /// Its name.
    pub name: String,
    /// One estimate a series, in the order of [`Bars::series`]; `None` leaves the place empty.
    pub estimates: Vec<Option<Estimate>>,
}

/// Bars from a baseline, or dots.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mark {
    /// Bars from 0.
    #[default]
    Bar,
    /// Dots: for values that have no meaningful 0.
    Dot,
}

/// Groups × series of estimates.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Bars {
    /// Title, texts, size.
    pub frame: Frame,
    /// The axis of the values.
    pub value: Axis,
    /// Title of the category axis; may be empty.
    pub category: String,
    /// Name, colour and marker of each series; named in the legend if there are several.
    pub series: Vec<(String, Colour, Marker)>,
    /// The groups, first to last (left to right, or top to bottom).
    pub groups: Vec<Group>,
    /// Bars or dots.
    pub mark: Mark,
    /// Values run to the right and groups down: for long names.
    pub lying: bool,
    /// Rules across the values.
    pub rules: Vec<Rule>,
    /// Texts of lying groups stand in a column from this value on, rather than at their ends.
    pub texts_at: Option<f64>,
    /// Texts of lying groups stand in a column to the right of the plotting area.
    pub texts_right: bool,
    /// The groups' names are not written: those of a chart beside it count for this one too.
    pub unnamed: bool,
    /// A range of values behind each group, shaded; may be shorter than the groups.
    pub shades: Vec<Option<(f64, f64)>>,
}

impl Bars {
    /// The series of these arms, in their fixed colours.
    pub fn arms<'a>(arms: impl IntoIterator<Item = &'a Arm>) -> Vec<(String, Colour, Marker)> {
        arms.into_iter().map(|a| (a.label.to_string(), a.colour, a.marker)).collect()
    }
}

impl Chart for Bars {
    fn frame(&self) -> &Frame {
        &self.frame
    }

    fn keys(&self) -> Vec<Key> {
        let named = self.series.iter().filter(|(name, _, _)| !name.is_empty());
        named
            .map(|(name, colour, marker)| Key {
                name: name.clone(),
                colour: *colour,
                sign: match self.mark {
                    Mark::Bar => Sign::Box,
                    Mark::Dot => Sign::Dot(*marker),
                },
            })
            .collect()
    }

    fn values(&self) -> Values {
        let mut values = Vec::new();
        for e in self.groups.iter().flat_map(|g| g.estimates.iter().flatten()) {
            if e.value.is_finite() {
                values.push(e.value);
                values.extend(e.interval.iter().flat_map(|i| [i.0, i.1]));
                values.extend(&e.seeds);
            }
        }
        if !values.is_empty() {
            values.extend(self.rules.iter().map(|r| r.at));
        }
        (Vec::new(), values)
    }

    fn lay(&self, area: Area, values: &Values) -> Option<Cartesian> {
        if self.values().1.is_empty() {
            return None;
        }
        let mut value = self.value.clone();
        if self.mark == Mark::Bar && value.include.is_none() {
            value.include = Some(0.0);
        }
        let (length, apart) = if self.lying { (area.width, 84.0) } else { (area.height, 58.0) };
        let values = value.over(values.1.iter().copied(), (length - 60.0) / apart);
        let places = self.groups.iter().enumerate().map(|(i, g)| (self.centre(i), g.name.clone()));
        let mut categories =
            Axis::new("").range(0.0, self.groups.len() as f64).names(places).over([], 1.0);
        // A lone unnamed group is no category.
        categories.ticks.retain(|(_, name)| !name.is_empty() && !self.unnamed);
        let category = if self.unnamed { String::new() } else { self.category.clone() };
        let value = self.value.title();
        let (x, y) = if self.lying { (values, categories) } else { (categories, values) };
        let (x_title, y_title) = if self.lying { (value, category) } else { (category, value) };
        // Bars stand on a line of their own, at 0.
        let dots = self.mark == Mark::Dot;
        Some(Cartesian {
            x,
            y,
            x_title,
            y_title,
            x_named: !self.lying,
            y_named: self.lying,
            grid: (self.lying, !self.lying),
            lines: (dots && !self.lying, dots && self.lying),
            beside: if self.texts_right { self.widest_text() + TEXT_GAP } else { 0.0 },
        })
    }

    fn paint(&self, canvas: &Canvas<'_>, axes: &Cartesian, place: Place, _: &Values) {
        let (inner, count) = (place.inner, self.groups.len() as f64);
        if self.mark == Mark::Dot && self.groups.len() > 2 {
            // Every second group on a pale ground: the eye keeps groups apart.
            for i in (1..self.groups.len()).step_by(2).map(|i| i as f64 / count) {
                let ground = match self.lying {
                    true => Area {
                        y: inner.y + i * inner.height,
                        height: inner.height / count,
                        ..inner
                    },
                    false => {
                        Area { x: inner.x + i * inner.width, width: inner.width / count, ..inner }
                    }
                };
                canvas.fill(ground, style::BLANK.mix(style::PAPER, 0.55));
            }
        }
        let chart = axes.open(canvas, place);
        let values = if self.lying { &axes.x } else { &axes.y };
        for (i, (low, high)) in self.shades.iter().enumerate().filter_map(|(i, s)| Some((i, (*s)?)))
        {
            let (low, high) = (values.clamped(low), values.clamped(high));
            let (from, to) = (self.centre(i) - 0.5, self.centre(i) + 0.5);
            let ends = match self.lying {
                true => (chart.pixel((low, from)), chart.pixel((high, to))),
                false => (chart.pixel((from, low)), chart.pixel((to, high))),
            };
            canvas.fill(Area::between(ends.0, ends.1), style::GRID);
        }
        // Pixel of (category place, value place).
        let pixel = |category: f64, value: f64| match self.lying {
            true => chart.pixel((value, category)),
            false => chart.pixel((category, value)),
        };
        for rule in &self.rules {
            let Some(place) = values.shown(rule.at) else { continue };
            let (mut a, mut b) = (pixel(0.0, place), pixel(count, place));
            if self.lying {
                (a.1, b.1) = (inner.bottom(), inner.y);
            }
            canvas.dashes(a, b, stroke(rule.colour, 1.6));
            let (at, stand) = match self.lying {
                true => ((b.0 + 4.0, b.1 + 9.0), HPos::Left),
                false => ((b.0 - 3.0, b.1 - 9.0), HPos::Right),
            };
            canvas.text(at, &rule.label, Face { colour: rule.colour, ..TICK }, stand);
        }
        for (i, group) in self.groups.iter().enumerate() {
            let members = group.estimates.len().max(1) as f64;
            let step = 0.82 / members;
            let slot = step * if self.lying { inner.height } else { inner.width } / count;
            for (k, estimate) in group.estimates.iter().enumerate() {
                let Some(e) = estimate.as_ref().filter(|e| e.value.is_finite()) else {
                    continue;
                };
                let offset = (k as f64 - (members - 1.0) / 2.0) * step;
                let at = self.centre(i) + if self.lying { -offset } else { offset };
                let look = self.series.get(k).map(|(_, colour, marker)| (*colour, *marker));
                let (colour, marker) = look.unwrap_or((style::colour(k), Marker::Circle));
                let look = (e.colour.unwrap_or(colour), marker);
                self.one(canvas, values, &pixel, (at, slot), e, look);
            }
        }
        if self.mark == Mark::Bar
            && let Some(zero) = values.shown(0.0)
        {
            canvas.line(pixel(0.0, zero), pixel(count, zero), stroke(style::GREY, 1.2));
        }
    }
}

/// Pixels between the plotting area and the texts at its right.
const TEXT_GAP: f64 = 10.0;

impl Bars {
    fn widest_text(&self) -> f64 {
        let all = self.groups.iter().flat_map(|group| group.estimates.iter().flatten());
        all.map(|e| text_width(&e.text, TICK.em, false)).fold(0.0, f64::max)
    }

    /// Place of a group on the category axis: left to right, or top to bottom.
    fn centre(&self, group: usize) -> f64 {
        if self.lying { self.groups.len() as f64 - 0.5 - group as f64 } else { group as f64 + 0.5 }
    }

    fn one(
        &self,
        canvas: &Canvas<'_>,
        values: &Laid,
        pixel: &dyn Fn(f64, f64) -> (f64, f64),
        (at, slot): (f64, f64),
        e: &Estimate,
        (colour, marker): (Colour, Marker),
    ) {
        if values.place(e.value).is_none() {
            return;
        }
        let centre = pixel(at, values.clamped(e.value));
        let across = |p: (f64, f64), by: f64| match self.lying {
            true => (p.0, p.1 + by),
            false => (p.0 + by, p.1),
        };
        // The end farthest from the baseline, where texts stand.
        let farther = |a: (f64, f64), b: (f64, f64)| match self.lying {
            true => (a.0.max(b.0), a.1),
            false => (a.0, a.1.min(b.1)),
        };
        let half = half_width(slot);
        if self.mark == Mark::Bar {
            let base = pixel(at, values.clamped(0.0));
            let bar = Area::between(across(base, -half), across(centre, half));
            match e.faint {
                true => {
                    canvas.fill(bar, style::PAPER.mix(colour, 0.14));
                    canvas.outline(bar, colour, 1.6);
                }
                false => canvas.fill(bar, colour),
            }
        }
        let mut end = centre;
        if let Some((low, high)) = e.interval.filter(|i| values.place(i.1).is_some()) {
            let end_of = |value| (pixel(at, values.clamped(value)), values.beyond(value));
            let line = match self.mark {
                Mark::Bar => stroke(style::INK, 1.6),
                Mark::Dot => stroke(colour, 2.0),
            };
            let cap = (0.18 * slot).clamp(2.0, 5.0);
            canvas.whisker([end_of(low), end_of(high)], across((0.0, 0.0), cap), line);
            end = farther(end, end_of(high).0);
        }
        // Seeds stand in a column beside the middle, spread so that equal ones are all seen.
        let n = e.seeds.len() as f64;
        for (s, seed) in e.seeds.iter().enumerate() {
            let Some(place) = values.shown(*seed) else { continue };
            let apart = (0.6 * half / n).min(7.0);
            let p = across(pixel(at, place), 0.5 * half + (s as f64 - (n - 1.0) / 2.0) * apart);
            let tone = match self.mark {
                Mark::Bar if !e.faint => colour.mix(style::INK, 0.5),
                _ => colour,
            };
            canvas.marker(p, Marker::Circle, tone, 4.6, true);
            end = farther(end, p);
        }
        if self.mark == Mark::Dot {
            canvas.marker(centre, marker, colour, 11.0, e.faint);
        }
        if e.text.is_empty() {
            return;
        }
        let face = Face { colour: style::INK, ..TICK };
        match (self.lying, self.texts_at) {
            (true, _) if self.texts_right => {
                let right = pixel(at, values.high).0 + TEXT_GAP;
                canvas.text((right, centre.1), &e.text, face, HPos::Left);
            }
            (true, Some(column)) => {
                canvas.text(pixel(at, values.clamped(column)), &e.text, face, HPos::Left);
            }
            (true, None) => canvas.text((end.0 + 9.0, end.1), &e.text, face, HPos::Left),
            (false, _) if text_width(&e.text, face.em, false) < slot.max(30.0) + 14.0 => {
                canvas.text((end.0, end.1 - 13.0), &e.text, face, HPos::Center);
            }
            (false, _) => {}
        }
    }
}

/// Half the width of a bar in a slot of this many pixels.
fn half_width(slot: f64) -> f64 {
    (0.43 * slot).min(34.0)
}
