//! Categories with an estimate for each series: dots or bars, upright or lying.

use super::model::{Line, Look, Panel, Point, Rule, Series, Slots};
use crate::axis::Axis;
use crate::house::Arm;
use crate::style::{self, Marker};

/// A group: one place on the category axis.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Group {
    /// Its name.
    pub name: String,
    /// One estimate a series, in the order of [`Dots::series`]; `None` leaves the place empty.
    pub estimates: Vec<Option<Point>>,
}

/// Groups × series of estimates; [`panel`](Self::panel) makes a panel of them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Dots {
    /// Above the plotting area. May be empty.
    pub title: String,
    /// The axis of the values.
    pub value: Axis,
    /// Title of the category axis; may be empty.
    pub category: String,
    /// Name, colour and marker of each series; named in the legend if there are several.
    pub series: Vec<Look>,
    /// The groups, first to last (left to right, or top to bottom).
    pub groups: Vec<Group>,
    /// Bars from 0 instead of dots.
    pub bars: bool,
    /// Values run to the right and groups down: for long names.
    pub lying: bool,
    /// Rules across the values.
    pub rules: Vec<Rule>,
    /// Labels of lying groups stand in a column to the right of the plotting area.
    pub texts_right: bool,
    /// A range of values behind each group, shaded; may be shorter than the groups.
    pub shades: Vec<Option<(f64, f64)>>,
}

impl Dots {
    /// The series of these arms, in their fixed colours.
    pub fn arms<'a>(arms: impl IntoIterator<Item = &'a Arm>) -> Vec<Look> {
        arms.into_iter().map(|a| (a.label.to_string(), a.colour, a.marker)).collect()
    }

    /// Place of a group on the category axis: left to right, or top to bottom.
    fn centre(&self, group: usize) -> f64 {
        if self.lying { self.groups.len() as f64 - 0.5 - group as f64 } else { group as f64 + 0.5 }
    }

    /// The panel.
    pub fn panel(self) -> Panel {
        let members = self.groups.iter().map(|g| g.estimates.len()).max().unwrap_or(0).max(1);
        let (count, step) = (self.groups.len(), 0.82 / members as f64);
        let series = (0..members).map(|k| {
            let offset = (k as f64 - (members as f64 - 1.0) / 2.0) * step;
            let offset = if self.lying { -offset } else { offset };
            let own = self.groups.iter().enumerate();
            let own = own.filter_map(|(i, g)| Some((self.centre(i), g.estimates.get(k)?.clone()?)));
            let points = own.map(|(centre, estimate)| match self.lying {
                true => Point {
                    x: estimate.y,
                    y: centre + offset,
                    x_interval: estimate.y_interval,
                    y_interval: None,
                    ..estimate
                },
                false => Point { x: centre + offset, ..estimate },
            });
            let next = || (String::new(), style::colour(k), Marker::Circle);
            let (name, colour, marker) = self.series.get(k).cloned().unwrap_or_else(next);
            let marker = Some(marker).filter(|_| !self.bars);
            let points = points.collect();
            let line = Series::line(name, colour, []);
            Series { marker, points, line: Line::None, diameter: 11.0, ..line }
        });
        let series = series.collect();
        let places = self.groups.iter().enumerate().map(|(i, g)| (self.centre(i), g.name.clone()));
        let category =
            Axis::new(self.category.clone()).range(0.0, count.max(1) as f64).named(places);
        let mut value = self.value.clone();
        if self.bars && value.include.is_none() {
            value.include = Some(0.0);
        }
        let shades = self.shades.iter().enumerate();
        let shades = shades.filter_map(|(i, shade)| Some((self.centre(i), (*shade)?))).collect();
        let (lying, bars, texts_right) = (self.lying, self.bars, self.texts_right);
        let slots = Some(Slots { lying, bars, texts_right, count, step, shades });
        let (x, y) = if lying { (value, category) } else { (category, value) };
        let (x_rules, y_rules) =
            if lying { (self.rules, Vec::new()) } else { (Vec::new(), self.rules) };
        Panel { title: self.title, x, y, series, x_rules, y_rules, slots, ..Panel::default() }
    }
}
