//! The learning rate of each step: constant or cosine, after an optional linear warm-up.

use crate::base::names::names;
use crate::base::real;
use crate::base::settings::settings;
use serde::{Deserialize, Serialize};

settings! {
    /// A learning-rate schedule over `total` steps.
    #[derive(Clone, Copy, Debug, PartialEq)]
    #[serde(default, deny_unknown_fields)]
    pub struct Schedule: flags "Learning rate" {
        /// Learning rate, at its top.
        ///
        /// FER: 3e-3 (apple 3e-4).
        lr: f64 = 3e-3, range: Range::POSITIVE, source: "FER";
        /// Learning-rate schedule after the warm-up.
        shape as "schedule": Shape = Shape::Constant, source: "FER";
        /// Steps of linear warm-up.
        ///
        /// Step k < n has lr·(k+1)/(n+1): no step is wasted on rate 0, and step n is the first at the top.
        warm_up: usize = 0, value: "STEPS";
        /// Where the cosine ends, as a share of --lr.
        floor: f64 = 0.0, range: Range::SHARE, value: "SHARE";
    }
}

/// The course of a [`Schedule`] after its warm-up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Shape {
    /// lr.
    #[default]
    Constant,
    /// lr·(floor + (1 - floor)·(1 + cos πx)/2), x from 0 to 1 [Loshchilov & Hutter 2017, no restarts].
    Cosine,
}

impl Schedule {
    /// The same rate for every step.
    pub fn constant(lr: f64) -> Self {
        Schedule { lr, shape: Shape::Constant, warm_up: 0, floor: 0.0 }
    }

    /// True if the rate of a step depends on how many steps there are in all: the steps of a shorter training are then
    /// not the first of a longer one.
    pub fn needs_total(&self) -> bool {
        self.shape == Shape::Cosine
    }

    /// The rate of step `step` (from 0) of `total`; past the end it stays at the last value.
    ///
    /// ```
    /// # use picloom_engine::train::schedule::{Schedule, Shape};
    /// let schedule = Schedule { lr: 1.0, shape: Shape::Cosine, warm_up: 1, floor: 0.0 };
    /// let rates: Vec<f64> = (0..4).map(|k| schedule.lr(k, 3)).collect();
    /// assert!(rates.iter().zip([0.5, 1.0, 0.5, 0.0]).all(|(a, b)| (a - b).abs() < 1e-15));
    /// ```
    pub fn lr(&self, step: usize, total: usize) -> f64 {
        if step < self.warm_up {
            return self.lr * (step + 1) as f64 / (self.warm_up + 1) as f64;
        }
        match self.shape {
            Shape::Constant => self.lr,
            Shape::Cosine => {
                let length = total.saturating_sub(self.warm_up).max(1);
                let x = ((step - self.warm_up) as f64 / length as f64).min(1.0);
                let fall = 0.5 * (1.0 + real::cos(std::f64::consts::PI * x));
                self.lr * (self.floor + (1.0 - self.floor) * fall)
            }
        }
    }
}

names! { Shape, "learning-rate schedule": Constant "constant", Cosine "cosine" }

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::settings::Settings;

    #[test]
    fn the_warm_up_rises_in_equal_steps_to_the_top() {
        let schedule = Schedule { warm_up: 3, ..Schedule::constant(0.4) };
        for (step, expected) in [(0, 0.1), (1, 0.2), (2, 0.3), (3, 0.4), (99, 0.4)] {
            assert!((schedule.lr(step, 100) - expected).abs() < 1e-15, "{step}");
        }
    }

    #[test]
    fn the_cosine_falls_from_the_top_to_the_floor_and_stays() {
        let schedule = Schedule { lr: 2.0, shape: Shape::Cosine, warm_up: 0, floor: 0.1 };
        assert_eq!(schedule.lr(0, 10), 2.0);
        assert!((schedule.lr(5, 10) - 1.1).abs() < 1e-15);
        assert!((schedule.lr(10, 10) - 0.2).abs() < 1e-15);
        assert!((schedule.lr(50, 10) - 0.2).abs() < 1e-15);
        // A run as short as its warm-up has a rate all the same.
        let short = Schedule { warm_up: 10, ..schedule };
        assert!((short.lr(10, 10) - 2.0).abs() < 1e-15);
    }

    #[test]
    fn wrong_schedules_are_refused() {
        for (lr, floor) in [(0.0, 0.0), (-1.0, 0.0), (f64::NAN, 0.0), (1.0, 1.5)] {
            let schedule = Schedule { floor, ..Schedule::constant(lr) };
            assert!(schedule.check_ranges().is_err(), "{lr} {floor}");
        }
        assert_eq!(Schedule::default().check_ranges(), Ok(()));
        let error = "linear".parse::<Shape>().unwrap_err().to_string();
        assert!(error.contains("found \"linear\""), "{error}");
        assert!(serde_json::from_str::<Schedule>(r#"{"warmup": 3}"#).is_err());
    }
}
