//! Loss curves thinned for records.

use crate::train::{LogLine, TrainReport};
use serde::{Deserialize, Serialize};

/// A loss curve of a few points, four significant digits.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Curve {
    /// Steps made.
    pub step: Vec<u64>,
    /// Gradient evaluations made, with those of attempts before; `None` if they equal the steps.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub evaluations: Option<Vec<u64>>,
    /// Plain MSE there.
    pub loss: Vec<f64>,
}

impl Curve {
    /// True without points.
    pub(crate) fn is_empty(&self) -> bool {
        self.step.is_empty()
    }

    /// (gradient evaluations, loss) of every point.
    pub fn by_evaluations(&self) -> impl Iterator<Item = (u64, f64)> + '_ {
        let at = self.evaluations.as_ref().unwrap_or(&self.step);
        at.iter().copied().zip(self.loss.iter().copied())
    }

    /// `points` evenly chosen points of the logged losses of one attempt, then the final one, if it is a number.
    pub fn of(lines: &[LogLine], train: &TrainReport, points: usize) -> Self {
        let count = lines.len().min(points);
        let chosen = (0..count).map(|i| {
            let at = i * lines.len().saturating_sub(1) / count.saturating_sub(1).max(1);
            (lines[at].step, lines[at].evaluations, lines[at].loss)
        });
        let points: Vec<(u64, u64, f64)> = chosen
            .filter(|p| p.0 < train.steps)
            .chain([(train.steps, train.evaluations, train.final_loss)])
            .filter(|p| p.2.is_finite())
            .collect();
        let by = |f: fn(&(u64, u64, f64)) -> u64| points.iter().map(f).collect::<Vec<_>>();
        let (step, evaluations) = (by(|p| p.0), by(|p| p.1));
        Curve {
            evaluations: (evaluations != step).then_some(evaluations),
            step,
            loss: points.iter().map(|p| four_digits(p.2)).collect(),
        }
    }

    /// The same curve when `earlier` evaluations had been made before it.
    pub fn after(self, earlier: u64) -> Self {
        if earlier == 0 {
            return self;
        }
        let own = self.evaluations.unwrap_or_else(|| self.step.clone());
        Curve { evaluations: Some(own.into_iter().map(|e| e + earlier).collect()), ..self }
    }

    /// (steps, loss) of every point.
    pub fn by_steps(&self) -> impl Iterator<Item = (u64, f64)> + '_ {
        self.step.iter().copied().zip(self.loss.iter().copied())
    }
}

/// The logged losses of the last attempt that are numbers.
pub fn surviving(lines: &[LogLine]) -> Vec<LogLine> {
    let attempt = lines.last().map_or(0, |line| line.attempt);
    lines.iter().filter(|line| line.attempt == attempt && line.loss.is_finite()).copied().collect()
}

/// The nearest number of four significant decimal digits.
fn four_digits(value: f64) -> f64 {
    format!("{value:.3e}").parse().unwrap_or(value)
}
