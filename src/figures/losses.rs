//! Loss curves of runs, with a published curve beside them where there is one.

use super::style::Colour;
use crate::base::real;
use crate::train::LogLine;
use std::collections::BTreeSet;

/// A run's curve.
#[derive(Clone, Debug, PartialEq)]
pub struct LossCurve {
    /// Name in the legend.
    pub name: String,
    /// Its colour.
    pub colour: Colour,
    /// (step, mean squared error).
    pub points: Vec<(f64, f64)>,
}

impl LossCurve {
    /// The last attempt of a logged run. With more than `most` lines, each point is the geometric
    /// mean of equally many neighbours: a recipe that bounces is drawn by its trend.
    pub fn of_run(name: &str, colour: Colour, lines: &[LogLine], most: usize) -> Self {
        let attempt = lines.last().map_or(0, |l| l.attempt);
        let lines: Vec<&LogLine> = lines
            .iter()
            .filter(|l| l.attempt == attempt && l.loss > 0.0 && l.loss.is_finite())
            .collect();
        let group = lines.len().div_ceil(most.max(1)).max(1);
        let points = lines
            .chunks(group)
            .map(|chunk| {
                let n = chunk.len() as f64;
                let step = chunk.iter().map(|l| l.step as f64).sum::<f64>() / n;
                let log = chunk.iter().map(|l| real::ln(l.loss)).sum::<f64>() / n;
                (step, real::exp(log))
            })
            .collect();
        LossCurve { name: name.to_string(), colour, points }
    }
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
