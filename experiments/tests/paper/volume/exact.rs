//! The exact probability against an enumeration of all masks.

use crate::volume::exact::{by_enumeration, probability};
use crate::volume::moment::expected_labellings;

#[test]
fn unit_values_of_the_methods_page_hold() {
    for (w, l, k, p, expected) in
        [(3, 2, 2, 0.3, 0.789_365), (2, 3, 2, 0.3, 0.547_452), (3, 2, 3, 0.3, 0.348_476)]
    {
        let listed = by_enumeration(w, l, k, p).unwrap();
        let found = probability(w, l, k, p).unwrap();
        assert!((listed - expected).abs() < 5e-7, "({w},{l},{k}): {listed}");
        assert!((found - listed).abs() < 1e-13, "({w},{l},{k}): {found}");
    }
}

#[test]
fn the_rare_cases_of_the_methods_page_are_close_to_its_monte_carlo() {
    // METHODS gives ≈ .55 and ≈ 1.9e-4, both sampled; these are exact.
    let three = probability(3, 3, 2, 0.3).unwrap();
    assert!((three - 0.544_018_715).abs() < 1e-9, "{three}");
    let six = probability(6, 6, 3, 0.25).unwrap();
    assert!((six - 2.251_264_796e-4).abs() < 1e-12, "{six}");
}

#[test]
fn the_layer_walk_agrees_with_the_enumeration_of_all_masks() {
    for (w, l) in [(1, 4), (2, 2), (2, 5), (3, 2), (3, 3), (4, 2)] {
        for parts in 1..=w {
            for p in [0.0, 0.1, 0.5, 0.9, 1.0] {
                let found = probability(w, l, parts, p).unwrap();
                let listed = by_enumeration(w, l, parts, p).unwrap();
                assert!((found - listed).abs() < 1e-12, "({w},{l},{parts},{p})");
            }
        }
    }
}

#[test]
fn the_expected_number_is_an_upper_bound() {
    for (w, l, k, p) in [(5, 4, 2, 0.3), (5, 5, 3, 0.2), (5, 3, 4, 0.25)] {
        let pr = probability(w, l, k, p).unwrap();
        let expected = expected_labellings(w, l, k, p).unwrap();
        assert!(pr > 0.0 && pr <= expected.min(1.0), "{pr} {expected}");
    }
    assert!(probability(8, 2, 2, 0.1).is_err());
    assert!(by_enumeration(5, 3, 2, 0.1).is_err());
    assert_eq!(probability(2, 2, 3, 0.1), Ok(0.0));
}
