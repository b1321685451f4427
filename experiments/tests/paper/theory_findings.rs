//! The theory's rules on points whose answer is known, and how its figures compare them.

use crate::figures::theory::{Seen, within_targets};
use crate::finding::Verdict;
use crate::theory::findings::{TrainedPoint, counterpart, holds, prediction, standard_errors};
use crate::volume::sample::Estimate;
use picloom::base::stats::Interval;

fn point(target: &str, layers: usize, density: f64, score: f64) -> TrainedPoint {
    TrainedPoint {
        target: target.into(),
        arm: "sp".into(),
        seed: 0,
        width: 6,
        layers,
        density,
        least_touching: 3,
        spanning: 1,
        score,
    }
}

#[test]
fn scores_that_follow_the_theory_support_it_and_reversed_ones_do_not() {
    let depths = [2, 3, 4, 5, 6];
    let with = |sign: f64| -> Vec<TrainedPoint> {
        ["a", "b", "c"]
            .iter()
            .flat_map(|t| {
                depths.map(|l| {
                    let ln = counterpart(6, l, 0.3, 3).unwrap().unwrap();
                    point(t, l, 0.3, sign * ln)
                })
            })
            .collect()
    };
    let found = prediction(&with(1.0), 3).unwrap();
    assert_eq!((found.verdict, found.units), (Verdict::Supported, 3));
    assert_eq!(found.effect, Some(1.0));
    assert!(found.notes[1].contains("3 of 3 units"), "{found:?}");
    assert_eq!(prediction(&with(-1.0), 3).unwrap().verdict, Verdict::NotSupported);
    // Two targets are too few; a full density says nothing.
    let two = prediction(&with(1.0)[..10], 3).unwrap();
    assert_eq!((two.verdict, two.units), (Verdict::Inconclusive, 2));
    let dense: Vec<_> = depths.map(|l| point("a", l, 1.0, 0.5)).into();
    assert_eq!(prediction(&dense, 3).unwrap().units, 0);
    assert!(prediction(&[point("a", 3, 1.5, 0.0)], 3).is_err());
}

#[test]
fn distances_are_counted_in_standard_errors() {
    let estimate = Estimate {
        probability: Interval {
            estimate: 0.5,
            low: 0.5 - 1.959_964 * 0.01,
            high: 0.5 + 1.959_964 * 0.01,
        },
        samples: 2500,
    };
    assert!((standard_errors(&estimate, 0.47) - 3.0).abs() < 1e-4);
    assert!(holds(&estimate, 0.51) && !holds(&estimate, 0.53));
    assert_eq!(standard_errors(&estimate, 0.5), 0.0);
}

#[test]
fn a_depth_at_which_only_an_easy_picture_was_learned_does_not_score_higher_for_it() {
    // Both lose .1 a layer; the hard picture was learned at two depths, the easy one also deeper.
    let one = |target, offset: f64, value| Seen { target, arm: "sp", offset, value };
    let all = [
        one("hard", 0.0, 0.2),
        one("hard", 0.0, 0.4),
        one("hard", 1.0, 0.2),
        one("easy", 0.0, 0.9),
        one("easy", 1.0, 0.8),
        one("easy", 2.0, 0.7),
    ];
    let found = within_targets(&all, true);
    let at = |offset: f64| -> f64 {
        let values: Vec<f64> = found.iter().filter(|p| p.1 == offset).map(|p| p.2).collect();
        values.iter().sum::<f64>() / values.len() as f64
    };
    assert_eq!(found.len(), 5, "a point a target and depth");
    assert!(at(0.0) > at(1.0) && at(1.0) > at(2.0), "{found:?}");
    assert!(found.iter().map(|p| p.2).sum::<f64>().abs() < 1e-12);
}
