//! The kinds of figures that rows of the table are made of: courses along an axis, small multiples, heat
//! maps. They know nothing of records: what is drawn comes through selectors.

use crate::figures::axis::Axis;
use crate::figures::charts::{Estimate, Frame, Grid, Heatmap, Panel, Point, Series};
use crate::figures::charts::{Plot, grid};
use crate::figures::style::{Colour, Marker};
use crate::math::real;
use std::collections::BTreeSet;

/// Label, colour and marker of a series.
pub type Look = (String, Colour, Marker);

/// How the uncertainty along a course is drawn.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Spread {
    /// A band along the course.
    Band,
    /// A whisker at each mark.
    Whiskers,
    /// Not at all.
    None,
}

/// Estimates along an axis as series: a marked line over those that count, hollow marks for those
/// that do not; dots for single values where an interval was asked for and they are too few for one.
pub fn course(
    (label, colour, marker): Look,
    estimates: impl IntoIterator<Item = (f64, Estimate)>,
    spread: Spread,
) -> Vec<Series> {
    let (mut points, mut band, mut hollow) = (Vec::new(), Vec::new(), Vec::new());
    let mut dots = Vec::new();
    for (x, e) in estimates {
        let point = Point::new(x, e.value);
        if !e.faint && e.interval.is_none() && spread != Spread::None && e.seeds.len() > 1 {
            dots.extend(e.seeds.iter().map(|value| Point::new(x, *value)));
        }
        let (low, high) = e.interval.unwrap_or((e.value, e.value));
        match (e.faint, spread) {
            (true, _) => {
                hollow.push(point);
                continue;
            }
            // NaN ends the band before a value without an interval.
            (_, Spread::Band) if e.interval.is_none() => band.push((x, f64::NAN, f64::NAN)),
            (_, Spread::Band) => band.push((x, low, high)),
            (_, Spread::Whiskers) if e.interval.is_some() => {
                points.push(point.between(low, high));
                continue;
            }
            _ => {}
        }
        points.push(point);
    }
    let mut series = Vec::new();
    if !hollow.is_empty() {
        series.push(Series::cloud("", colour, marker, hollow).hollow());
    }
    if !dots.is_empty() {
        series.push(Series { diameter: 4.6, ..Series::cloud("", colour, Marker::Ring, dots) });
    }
    // Also without a point: the legend names every arm.
    series.push(Series { points, ..Series::line(label, colour, []).marked(marker).band(band) });
    series
}

/// The geometric mean of several loss curves, from where they begin on average, at the places (steps or
/// evaluations) of the one that ends last. Of each curve counts its last point up to there: one that ends early (its
/// run stopped or collapsed) stays at its last loss, one that begins late counts with its first.
pub fn geometric_mean(curves: &[Vec<(u64, f64)>]) -> Vec<(f64, f64)> {
    let curves: Vec<_> = curves.iter().filter(|curve| !curve.is_empty()).collect();
    let longest = curves.iter().max_by_key(|curve| curve.last().map(|point| point.0));
    let held = |curve: &[(u64, f64)], x: u64| {
        let up_to = curve.partition_point(|point| point.0 <= x);
        real::ln(curve[up_to.saturating_sub(1)].1.max(1e-12))
    };
    let begin = |curve: &&Vec<(u64, f64)>| curve[0].0;
    let begins = curves.iter().map(begin).sum::<u64>() / curves.len().max(1) as u64;
    let late = longest.map_or(0, begin);
    let before =
        curves.iter().flat_map(|curve| curve.iter().map(|point| point.0)).filter(|x| *x < late);
    let places = longest.into_iter().flat_map(|curve| curve.iter().map(|point| point.0));
    let places: BTreeSet<u64> =
        before.chain(places).filter(|x| *x >= begins).chain(longest.map(|_| begins)).collect();
    places
        .into_iter()
        .map(|x| {
            let sum: f64 = curves.iter().map(|curve| held(curve, x)).sum();
            (x as f64, real::exp(sum / curves.len() as f64))
        })
        .collect()
}

/// A panel of series.
pub fn panel(title: impl Into<String>, x: Axis, y: Axis, series: Vec<Series>) -> Panel {
    Panel::Plot(Plot { frame: Frame::new(title), x, y, series, ..Plot::default() })
}

/// A matrix: a value for each row and column, each with its name; grey where there is none.
pub fn matrix<R, C>(
    rows: &[(String, R)],
    columns: &[(String, C)],
    value: impl Fn(&R, &C) -> Option<f64>,
) -> Heatmap {
    let cells = |row: &R| columns.iter().map(|(_, c)| value(row, c).unwrap_or(f64::NAN)).collect();
    Heatmap {
        rows: rows.iter().map(|(name, _)| name.clone()).collect(),
        columns: columns.iter().map(|(name, _)| name.clone()).collect(),
        values: rows.iter().map(|(_, row)| cells(row)).collect(),
        ..Heatmap::default()
    }
}

/// Small multiples of one size a panel.
pub struct Multiples {
    /// Panels a row, at most.
    pub columns: usize,
    /// Width of the figure in pixels.
    pub width: u32,
    /// Height in pixels of what is above and below the panels, and of a row of them.
    pub height: (u32, u32),
    /// One x range, one y range for all panels.
    pub share: (bool, bool),
}

impl Multiples {
    /// Draws them.
    pub fn draw(&self, frame: Frame, panels: Vec<Panel>) -> String {
        let columns = panels.len().clamp(1, self.columns);
        let rows = panels.len().div_ceil(columns).max(1) as u32;
        grid(&Grid {
            frame: frame.sized(self.width, self.height.0 + self.height.1 * rows),
            columns,
            panels,
            share_x: self.share.0,
            share_y: self.share.1,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn curves_are_averaged_geometrically_and_a_short_one_stays_at_its_last_loss() {
        let curve = |x: &[u64], loss: &[f64]| -> Vec<(u64, f64)> {
            x.iter().copied().zip(loss.iter().copied()).collect()
        };
        for (short, long, mean) in
            [(&[0, 1], &[0, 1, 2], [2.0, 6.0, 2.0]), (&[0, 3], &[0, 2, 5], [2.0, 3.0, 2.0])]
        {
            let found = geometric_mean(&[curve(short, &[1.0, 4.0]), curve(long, &[4.0, 9.0, 1.0])]);
            assert_eq!(found.len(), 3);
            for ((f, x), y) in found.iter().zip(long).zip(mean) {
                assert!(f.0 == *x as f64 && (f.1 - y).abs() < 1e-12, "{f:?}: {x}, {y}");
            }
        }
        // The longest in steps, however many points another has.
        let found = geometric_mean(&[curve(&[0, 1, 2], &[1.0; 3]), curve(&[0, 9], &[4.0; 2])]);
        assert_eq!(found.iter().map(|point| point.0).collect::<Vec<_>>(), [0.0, 9.0]);
        // From where they begin on average, the latest one's first loss until it begins.
        let found = geometric_mean(&[curve(&[0, 2, 4], &[1.0; 3]), curve(&[8, 12], &[4.0, 9.0])]);
        assert_eq!(found.iter().map(|point| point.0).collect::<Vec<_>>(), [4.0, 8.0, 12.0]);
        assert!((found[0].1 - 2.0).abs() < 1e-12 && (found[2].1 - 3.0).abs() < 1e-12);
        assert!(geometric_mean(&[]).is_empty());
    }

    #[test]
    fn what_does_not_count_is_hollow_and_not_on_the_line() {
        let estimates = [
            (1.0, Estimate::new(0.5).between(0.4, 0.6)),
            (2.0, Estimate::new(0.7).faint(true)),
            (3.0, Estimate::new(0.9)),
        ];
        let look = ("arm".to_string(), Colour(0, 0, 0), Marker::Circle);
        let series = course(look, estimates, Spread::Band);
        assert!(series[0].hollow && series[0].points.len() == 1);
        assert_eq!(series[1].band[0], (1.0, 0.4, 0.6));
        assert!(series[1].band[1].1.is_nan());
        assert_eq!(series[1].points.len(), 2);
    }

    #[test]
    fn values_too_few_for_an_interval_are_dots() {
        let estimates = [(1.0, Estimate::new(0.5).seeds([0.3, 0.5, 0.7]))];
        let look = || ("arm".to_string(), Colour(0, 0, 0), Marker::Circle);
        let series = course(look(), estimates.clone(), Spread::Band);
        assert_eq!((series[0].points.len(), series[0].marker), (3, Some(Marker::Ring)));
        assert!(series[1].band[0].2.is_nan() && series[1].points.len() == 1);
        assert_eq!(course(look(), estimates, Spread::None).len(), 1);
    }
}
