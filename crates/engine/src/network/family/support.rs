//! Which combinations of factors are seen in training, and which are held out.
//!
//! Every factor takes v values, evenly from −1 to 1; all their combinations are the family's conditions. Training sees every
//! value of every factor, but not every combination of them (METHODS §11). `value` alone holds out a value: what is new to
//! a network then, and can be learned afterwards.
//!
//! | text | seen | of 5 × 5 |
//! |---|---|---|
//! | `random:S` | a share S of the combinations, drawn until every value is among them | S |
//! | `connected` | the band about the diagonal: places of any two factors differ by at most one | 13 |
//! | `minimal` | the cross through the middle: at most one factor is off its middle value | 9 |
//! | `disconnected` | all factors in their lower half, or all in their upper half; the negative control | 13 |
//! | `value` | all but those with the last value of the first factor | 20 |
//!
//! Of an odd v the middle value belongs to the upper half. `[ours]`

use crate::base::SimRng;
use crate::base::refusal::Refusal;
use crate::base::settings::{Value, text_in_files};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// Which combinations are seen. In files and on the command line a text, see the [module](self).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum Support {
    /// This share of them, in (0, 1), at random.
    Random(f64),
    /// The band about the diagonal.
    Connected,
    /// The cross through the middle.
    Minimal,
    /// Two halves without a bridge.
    Disconnected,
    /// All but the last value of the first factor.
    Value,
}

impl FromStr for Support {
    type Err = Refusal;

    fn from_str(text: &str) -> Result<Self, Refusal> {
        let share = text.strip_prefix("random:").map(str::parse::<f64>);
        match (text, share) {
            (_, Some(Ok(share))) if (0.2..=0.9).contains(&share) => Ok(Support::Random(share)),
            ("connected", _) => Ok(Support::Connected),
            ("minimal", _) => Ok(Support::Minimal),
            ("disconnected", _) => Ok(Support::Disconnected),
            ("value", _) => Ok(Support::Value),
            _ => {
                let expected =
                    "random:SHARE (0.2 to 0.9), connected, minimal, disconnected or value";
                Err(Refusal::new("", expected, format!("{text:?}")))
            }
        }
    }
}

impl fmt::Display for Support {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Support::Random(share) => write!(f, "random:{share}"),
            Support::Connected => f.write_str("connected"),
            Support::Minimal => f.write_str("minimal"),
            Support::Disconnected => f.write_str("disconnected"),
            Support::Value => f.write_str("value"),
        }
    }
}

text_in_files!(Support);

impl Value for Support {
    fn python() -> String {
        "str".into()
    }

    fn parse(text: &str) -> Result<Self, String> {
        text.parse().map_err(|error: Refusal| error.to_string())
    }

    fn of(value: &toml::Value) -> Result<Self, String> {
        value
            .as_str()
            .ok_or_else(|| format!("expected a text, found {value}"))
            .and_then(Self::parse)
    }

    fn toml(&self) -> Option<toml::Value> {
        Some(self.to_string().into())
    }

    fn text(&self) -> Option<String> {
        Some(self.to_string())
    }
}

/// Conditions of a family: one value a factor each.
#[derive(Clone, Debug, PartialEq)]
pub struct Conditions {
    /// Seen in training; the one nearest to the middle first.
    pub seen: Vec<Vec<f64>>,
    /// Held out.
    pub held_out: Vec<Vec<f64>>,
}

/// Value `place` of `values`.
fn value(place: usize, values: usize) -> f64 {
    2.0 * place as f64 / (values - 1) as f64 - 1.0
}

/// Places of all combinations, the last factor fastest.
fn places(factors: usize, values: usize) -> Vec<Vec<usize>> {
    let count = values.pow(factors as u32);
    let place = |i: usize, k: usize| i / values.pow((factors - 1 - k) as u32) % values;
    (0..count).map(|i| (0..factors).map(|k| place(i, k)).collect()).collect()
}

impl Support {
    /// Every combination of `values` values of each factor.
    ///
    /// # Panics
    /// Fewer than two values.
    pub fn combinations(factors: usize, values: usize) -> Vec<Vec<f64>> {
        let of = |at: Vec<usize>| at.into_iter().map(|place| value(place, values)).collect();
        places(factors, values).into_iter().map(of).collect()
    }

    /// The conditions of a family with so many factors, each of `values` values; `seed` draws a random support.
    ///
    /// # Panics
    /// Fewer than two values.
    pub fn conditions(self, factors: usize, values: usize, seed: u64) -> Conditions {
        let all = places(factors, values);
        let seen: Vec<bool> = match self {
            Support::Random(share) => drawn(&all, values, share, seed),
            _ => all.iter().map(|at| self.sees(at, values)).collect(),
        };
        let of = |at: &Vec<usize>| at.iter().map(|&place| value(place, values)).collect();
        let part = |wanted: bool| {
            all.iter().zip(&seen).filter(|(_, s)| **s == wanted).map(|(at, _)| of(at)).collect()
        };
        let [mut seen, held_out]: [Vec<Vec<f64>>; 2] = [part(true), part(false)];
        let off = |z: &[f64]| z.iter().map(|v| v * v).sum::<f64>();
        let middle = (0..seen.len()).min_by(|&a, &b| off(&seen[a]).total_cmp(&off(&seen[b])));
        let first = seen.remove(middle.expect("every support sees something"));
        seen.insert(0, first);
        Conditions { seen, held_out }
    }

    fn sees(self, at: &[usize], values: usize) -> bool {
        let (low, high) = (at.iter().min(), at.iter().max());
        match self {
            Support::Random(_) => true,
            Support::Connected => high.zip(low).is_some_and(|(high, low)| high - low <= 1),
            Support::Minimal => at.iter().filter(|place| **place != values / 2).count() <= 1,
            Support::Disconnected => {
                let upper = at.iter().filter(|place| **place >= values / 2).count();
                upper == 0 || upper == at.len()
            }
            Support::Value => at[0] + 1 < values,
        }
    }
}

/// A share of the combinations in which every value of every factor stands.
fn drawn(all: &[Vec<usize>], values: usize, share: f64, seed: u64) -> Vec<bool> {
    let factors = all[0].len();
    let count = ((share * all.len() as f64).round() as usize).clamp(values, all.len() - 1);
    let mut rng = SimRng::new(seed, "support", 0);
    // A Latin diagonal of random orders has every value; the rest is drawn.
    let orders: Vec<Vec<usize>> = (0..factors)
        .map(|_| {
            let mut order: Vec<usize> = (0..values).collect();
            rng.shuffle(&mut order);
            order
        })
        .collect();
    let on = |at: &[usize]| (0..values).any(|i| (0..factors).all(|k| orders[k][i] == at[k]));
    let mut seen: Vec<bool> = all.iter().map(|at| on(at)).collect();
    let mut rest: Vec<usize> = (0..all.len()).filter(|&i| !seen[i]).collect();
    rng.shuffle(&mut rest);
    rest.into_iter().take(count - values).for_each(|i| seen[i] = true);
    seen
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn supports_hold_out_combinations_and_no_value() {
        for text in ["random:0.6", "random:0.2", "connected", "minimal", "disconnected"] {
            let support: Support = text.parse().unwrap();
            assert_eq!(support.to_string(), text);
            for (factors, values) in [(2, 5), (2, 4), (3, 3), (3, 4)] {
                let Conditions { seen, held_out } = support.conditions(factors, values, 7);
                assert_eq!(seen.len() + held_out.len(), values.pow(factors as u32));
                assert!(!held_out.is_empty());
                assert!(seen.iter().all(|z| !held_out.contains(z)));
                for k in 0..factors {
                    for place in 0..values {
                        let v = value(place, values);
                        assert!(seen.iter().any(|z| z[k] == v), "{text} {factors} {values} {k}");
                    }
                }
            }
        }
        let counts = ["random:0.6", "connected", "minimal", "disconnected"]
            .map(|text| text.parse::<Support>().unwrap().conditions(2, 5, 0).seen.len());
        assert_eq!(counts, [15, 13, 9, 13]);
        let cross = Support::Minimal.conditions(3, 3, 0);
        assert_eq!((cross.seen.len(), &cross.seen[0]), (7, &vec![0.0; 3]));
        let value = Support::Value.conditions(2, 5, 0);
        assert!(value.held_out.len() == 5 && value.held_out.iter().all(|z| z[0] == 1.0));
        assert!(value.seen.len() == 20 && value.seen.iter().all(|z| z[0] < 1.0));
        let drawn = |seed| Support::Random(0.6).conditions(2, 5, seed).seen;
        assert_eq!(drawn(1), drawn(1));
        assert_ne!(drawn(1), drawn(2));
        for text in ["random", "random:1", "random:x", "cross", ""] {
            assert!(text.parse::<Support>().is_err(), "{text}");
        }
    }
}
