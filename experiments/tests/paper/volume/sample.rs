//! Both estimators against exact values.

use crate::volume::exact::probability;
use crate::volume::sample::{direct, karp_luby};
use picloom::base::stats::Interval;

/// Four standard errors: a right estimator fails one time in 16 000.
fn agrees(found: Interval, truth: f64) -> bool {
    let half = (found.high - found.low) / 2.0;
    (found.estimate - truth).abs() <= half / 1.96 * 4.0
}

#[test]
fn both_estimators_hold_the_exact_value_of_small_cases() {
    for (w, l, k, p) in [(3, 2, 2, 0.3), (2, 3, 2, 0.3), (3, 2, 3, 0.3), (3, 3, 2, 0.3)] {
        let truth = probability(w, l, k, p).unwrap();
        let plain = direct(w, l, k, p, 40_000, 1).unwrap();
        let clever = karp_luby(w, l, k, p, 40_000, 1).unwrap();
        assert!(agrees(plain.probability, truth), "{truth} {plain:?}");
        assert!(agrees(clever.probability, truth), "{truth} {clever:?}");
    }
}

#[test]
fn karp_luby_reaches_a_rare_event_with_few_samples() {
    // Direct sampling would need millions of masks for one hit.
    let truth = probability(5, 5, 3, 0.6).unwrap();
    let found = karp_luby(5, 5, 3, 0.6, 20_000, 5).unwrap().probability;
    assert!(truth < 1e-6 && agrees(found, truth), "{truth} {found:?}");
    assert!((found.high - found.low) / truth < 0.05, "{found:?}");
}

#[test]
fn thread_counts_do_not_move_a_bit() {
    let run = |threads| {
        rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(|| {
            (direct(4, 4, 2, 0.3, 5000, 9).unwrap(), karp_luby(4, 4, 2, 0.3, 5000, 9).unwrap())
        })
    };
    assert_eq!(run(1), run(2));
    assert_eq!(run(1), run(8));
    assert_ne!(run(1).0, direct(4, 4, 2, 0.3, 5000, 10).unwrap());
}

#[test]
fn impossible_requests_are_refused_or_zero() {
    assert!(direct(3, 2, 2, 0.3, 0, 1).is_err());
    assert!(karp_luby(3, 2, 2, 0.3, 0, 1).is_err());
    assert_eq!(karp_luby(2, 2, 3, 0.3, 10, 1).unwrap().probability.high, 0.0);
    assert_eq!(karp_luby(3, 2, 2, 1.0, 10, 1).unwrap().probability.high, 0.0);
    let sure = karp_luby(3, 4, 1, 0.5, 10, 1).unwrap().probability;
    assert_eq!((sure.low, sure.high), (1.0, 1.0));
}
