//! Groups of bars or dots with intervals, upright or lying.

use super::cartesian::Cartesian;
use super::frame::{Frame, Key, Sign, TICK, nothing, surround};
use super::plot::Rule;
use crate::figures::axis::Axis;
use crate::figures::canvas::{Area, Canvas, Face, Stand, draw, stroke};
use crate::figures::fonts::text_width;
use crate::figures::style::{self, Arm, Colour, Marker};

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
}

impl Bars {
    /// The series of these arms, in their fixed colours.
    pub fn arms<'a>(arms: impl IntoIterator<Item = &'a Arm>) -> Vec<(String, Colour, Marker)> {
        arms.into_iter().map(|a| (a.label.to_string(), a.colour, a.marker)).collect()
    }
}

/// Draws groups of bars or dots.
pub fn bars(bars: &Bars) -> String {
    let (width, height) = bars.frame.pixels();
    let keys = bars.keys();
    let keys = if keys.len() > 1 { keys } else { Vec::new() };
    draw(width, height, &bars.frame.title, |canvas| {
        let area = surround(canvas, &bars.frame, &keys);
        let Some(axes) = bars.lay(area, String::new(), None) else {
            return nothing(canvas, area);
        };
        let inner = axes.sides(area).inside(area);
        bars.paint(canvas, &axes, inner, (true, true));
        axes.paint_y_title(canvas, inner, area.x);
    })
}

impl Bars {
    pub(super) fn keys(&self) -> Vec<Key> {
        self.series
            .iter()
            .filter(|(name, _, _)| !name.is_empty())
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

    fn estimates(&self) -> impl Iterator<Item = &Estimate> {
        self.groups
            .iter()
            .flat_map(|g| g.estimates.iter().flatten())
            .filter(|e| e.value.is_finite())
    }

    /// Every value that should be in view.
    pub(super) fn values(&self) -> Vec<f64> {
        let mut values: Vec<f64> = self
            .estimates()
            .flat_map(|e| {
                [e.value]
                    .into_iter()
                    .chain(e.interval.iter().flat_map(|i| [i.0, i.1]))
                    .chain(e.seeds.iter().copied())
            })
            .collect();
        if !values.is_empty() {
            values.extend(self.rules.iter().map(|r| r.at));
        }
        values
    }

    pub(super) fn lay(
        &self,
        area: Area,
        title: String,
        shared: Option<&[f64]>,
    ) -> Option<Cartesian> {
        let own = self.values();
        if own.is_empty() {
            return None;
        }
        let count = self.groups.len() as f64;
        let mut value = self.value.clone();
        if self.mark == Mark::Bar && value.include.is_none() {
            value.include = Some(0.0);
        }
        let length = if self.lying { area.width } else { area.height };
        let apart = if self.lying { 84.0 } else { 58.0 };
        let values = value.over(shared.unwrap_or(&own).iter().copied(), length - 60.0, apart);
        let places = self.groups.iter().enumerate().map(|(i, g)| {
            let at = if self.lying { count - 0.5 - i as f64 } else { i as f64 + 0.5 };
            (at, g.name.clone())
        });
        let mut category = Axis::new("").range(0.0, count).names(places);
        // A lone unnamed group is no category.
        category.names.retain(|(_, name)| !name.is_empty());
        let mut categories = category.over([], length, 1.0);
        if category.names.is_empty() {
            categories.ticks.clear();
        }
        let title_of = |lying: bool| {
            if lying { self.value.title() } else { self.category.clone() }
        };
        let (x, y) = if self.lying { (values, categories) } else { (categories, values) };
        Some(Cartesian {
            x,
            y,
            x_title: title_of(self.lying),
            y_title: title_of(!self.lying),
            x_named: !self.lying,
            y_named: self.lying,
            grid: (self.lying, !self.lying),
            // Bars stand on a line of their own, at 0.
            lines: match self.mark {
                Mark::Bar => (false, false),
                Mark::Dot => (!self.lying, self.lying),
            },
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
        let values = if self.lying { &axes.x } else { &axes.y };
        // Pixel of (category place, value place).
        let pixel = |category: f64, value: f64| {
            if self.lying {
                (axes.px(inner, value), axes.py(inner, category))
            } else {
                (axes.px(inner, category), axes.py(inner, value))
            }
        };
        for (i, group) in self.groups.iter().enumerate().skip(1).step_by(2) {
            // Every second group on a pale ground: the eye keeps groups apart.
            if self.mark == Mark::Dot && self.groups.len() > 2 {
                let at = self.centre(i);
                let (a, b) = (pixel(at - 0.5, values.low), pixel(at + 0.5, values.high));
                let ground = Area {
                    x: a.0.min(b.0),
                    y: a.1.min(b.1),
                    width: (a.0 - b.0).abs(),
                    height: (a.1 - b.1).abs(),
                };
                debug_assert!(group.estimates.len() <= self.series.len().max(1));
                canvas.fill(ground, style::BLANK.mix(style::PAPER, 0.55));
            }
        }
        if self.mark == Mark::Dot {
            self.grid_again(canvas, axes, inner);
        }
        for rule in &self.rules {
            let Some(place) = values.place(rule.at).filter(|p| values.shows(*p)) else {
                continue;
            };
            let (a, b) = if self.lying {
                let x = axes.px(inner, place);
                ((x, inner.bottom()), (x, inner.y))
            } else {
                let y = axes.py(inner, place);
                ((inner.x, y), (inner.right(), y))
            };
            canvas.dashes(a, b, stroke(rule.colour, 1.6));
            let face = Face { colour: rule.colour, ..TICK };
            let (at, stand) = if self.lying {
                ((b.0 + 4.0, b.1 + 9.0), Stand::Left)
            } else {
                ((b.0 - 3.0, b.1 - 9.0), Stand::Right)
            };
            canvas.text(at, &rule.label, face, stand);
        }
        for (i, group) in self.groups.iter().enumerate() {
            let count = group.estimates.len().max(1) as f64;
            let step = 0.82 / count;
            for (k, estimate) in group.estimates.iter().enumerate() {
                let Some(e) = estimate.as_ref().filter(|e| e.value.is_finite()) else {
                    continue;
                };
                let offset = (k as f64 - (count - 1.0) / 2.0) * step;
                let at = self.centre(i) + if self.lying { -offset } else { offset };
                let (_, colour, marker) = self.series.get(k).cloned().unwrap_or((
                    String::new(),
                    style::colour(k),
                    Marker::Circle,
                ));
                let colour = e.colour.unwrap_or(colour);
                let slot = step * if self.lying { inner.height } else { inner.width }
                    / self.groups.len() as f64;
                self.one(canvas, values, &pixel, (at, slot), e, (colour, marker));
            }
        }
        axes.paint_axes(canvas, inner, labelled);
        if self.mark == Mark::Bar
            && let Some(zero) = values.place(0.0).filter(|z| values.shows(*z))
        {
            let count = self.groups.len() as f64;
            let line = stroke(style::GREY, 1.2);
            canvas.line(pixel(0.0, zero), pixel(count, zero), line);
        }
    }

    /// The grid lines that grounds have covered.
    fn grid_again(&self, canvas: &Canvas<'_>, axes: &Cartesian, inner: Area) {
        let untitled = Cartesian { title: String::new(), ..axes.clone() };
        untitled.paint_under(canvas, inner);
    }

    fn centre(&self, group: usize) -> f64 {
        if self.lying { self.groups.len() as f64 - 0.5 - group as f64 } else { group as f64 + 0.5 }
    }

    fn one(
        &self,
        canvas: &Canvas<'_>,
        values: &crate::figures::axis::Laid,
        pixel: &dyn Fn(f64, f64) -> (f64, f64),
        (at, slot): (f64, f64),
        e: &Estimate,
        (colour, marker): (Colour, Marker),
    ) {
        let Some(value) = values.place(e.value) else {
            return;
        };
        let clamp = |v: f64| v.clamp(values.low, values.high);
        let centre = pixel(at, clamp(value));
        let across = |p: (f64, f64), by: f64| {
            if self.lying { (p.0, p.1 + by) } else { (p.0 + by, p.1) }
        };
        if self.mark == Mark::Bar {
            let base = pixel(at, clamp(values.place(0.0).unwrap_or(values.low)));
            let half = half_width(slot);
            let (a, b) = (across(base, -half), across(centre, half));
            let bar = Area {
                x: a.0.min(b.0),
                y: a.1.min(b.1),
                width: (a.0 - b.0).abs(),
                height: (a.1 - b.1).abs(),
            };
            if e.faint {
                canvas.fill(bar, style::PAPER.mix(colour, 0.14));
                canvas.outline(bar, colour, 1.6);
            } else {
                canvas.fill(bar, colour);
            }
        }
        let mut end = centre;
        if let Some((low, high)) = e.interval
            && let Some(high) = values.place(high)
        {
            let low = values.place(low).unwrap_or(values.low);
            let (a, b) = (pixel(at, clamp(low)), pixel(at, clamp(high)));
            let whisker = match self.mark {
                Mark::Bar => stroke(style::INK, 1.6),
                Mark::Dot => stroke(colour, 2.0),
            };
            canvas.line(a, b, whisker);
            let cap = (0.18 * slot).clamp(2.0, 5.0);
            for p in [a, b] {
                canvas.line(across(p, -cap), across(p, cap), whisker);
            }
            end = if self.lying { (end.0.max(b.0), end.1) } else { (end.0, end.1.min(b.1)) };
        }
        // Seeds stand in a column beside the middle, spread so that equal ones are all seen.
        let n = e.seeds.len() as f64;
        for (s, seed) in e.seeds.iter().enumerate() {
            let Some(place) = values.place(*seed).filter(|p| values.shows(*p)) else {
                continue;
            };
            let width = half_width(slot);
            let spread = 0.5 * width + (s as f64 - (n - 1.0) / 2.0) * (0.6 * width / n).min(7.0);
            let p = across(pixel(at, place), spread);
            let tone = match self.mark {
                Mark::Bar if !e.faint => colour.mix(style::INK, 0.5),
                _ => colour,
            };
            canvas.marker(p, Marker::Circle, tone, 4.6, true);
            end = if self.lying { (end.0.max(p.0), end.1) } else { (end.0, end.1.min(p.1)) };
        }
        if self.mark == Mark::Dot {
            canvas.marker(centre, marker, colour, 11.0, e.faint);
        }
        if !e.text.is_empty() {
            let face = Face { colour: style::INK, ..TICK };
            let column = self.texts_at.and_then(|v| values.place(v));
            if let Some(place) = column.filter(|_| self.lying) {
                canvas.text(pixel(at, clamp(place)), &e.text, face, Stand::Left);
            } else if self.lying {
                canvas.text((end.0 + 9.0, end.1), &e.text, face, Stand::Left);
            } else if text_width(&e.text, face.em, false) < slot.max(30.0) + 14.0 {
                canvas.text((end.0, end.1 - 13.0), &e.text, face, Stand::Middle);
            }
        }
    }
}

/// Half the width of a bar in a slot of this many pixels.
fn half_width(slot: f64) -> f64 {
    (0.43 * slot).min(34.0)
}
