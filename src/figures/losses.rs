//! Loss curves of runs, with a published curve beside them where there is one.

use super::axis::Axis;
use super::charts::{Frame, Plot, Series, plot};
use super::style::Colour;
use crate::train::LogLine;

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
                let log = chunk.iter().map(|l| crate::math::real::ln(l.loss)).sum::<f64>() / n;
                (step, crate::math::real::exp(log))
            })
            .collect();
        LossCurve { name: name.to_string(), colour, points }
    }
}

/// The curves on a logarithmic loss axis.
pub fn losses(title: &str, subtitle: &str, note: &str, curves: &[LossCurve]) -> String {
    plot(&Plot {
        frame: Frame::new(title).subtitle(subtitle).note(note).sized(860, 420),
        x: Axis::new("step"),
        y: Axis::new("mean squared error").log(),
        series: curves
            .iter()
            .map(|c| Series::line(c.name.clone(), c.colour, c.points.iter().copied()))
            .collect(),
        ..Plot::default()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figures::style;

    #[test]
    fn long_runs_are_thinned_to_their_geometric_mean_and_old_attempts_left_out() {
        let line = |attempt, step, loss| LogLine {
            attempt,
            step,
            loss,
            grad_norm: 1.0,
            lr: 1e-3,
            evaluations: 0,
            seconds: 0.0,
        };
        let lines = [
            line(0, 0, 9.0),
            line(1, 0, 1.0),
            line(1, 10, 0.01),
            line(1, 20, 4.0),
            line(1, 30, 1.0),
        ];
        let curve = LossCurve::of_run("run", style::INK, &lines, 2);
        assert_eq!(curve.points.len(), 2);
        assert!((curve.points[0].0 - 5.0).abs() < 1e-12 && (curve.points[0].1 - 0.1).abs() < 1e-12);
        assert!((curve.points[1].1 - 2.0).abs() < 1e-12);
        let svg = losses("t", "s", "", &[curve]);
        assert!(svg.contains("<svg") && svg.contains("mean squared error"));
    }
}
