//! The expected number of labellings, by hand and by the numbers of the methods page.

use crate::volume::VolumeError;
use crate::volume::moment::{expected_labellings, ln_expected_labellings};

#[test]
fn unit_values_of_the_methods_page_hold() {
    for (w, l, k, p, expected) in
        [(3, 2, 2, 0.3, 3.673_530), (2, 3, 2, 0.3, 0.960_400), (3, 2, 3, 0.3, 0.705_894)]
    {
        let found = expected_labellings(w, l, k, p).unwrap();
        assert!((found - expected).abs() < 1e-12, "({w},{l},{k},{p}): {found}");
    }
}

#[test]
fn closed_forms_hold() {
    // P = W: each label one unit a layer: (W!)^(L−1)·q^((W²−W)(L−1)) matchings.
    let q: f64 = 0.6;
    let expected = 6.0 * 6.0 * 6.0 * (0..18).map(|_| q).product::<f64>();
    let found = expected_labellings(3, 4, 3, 0.4).unwrap();
    assert!((found / expected - 1.0).abs() < 1e-12);
    // One layer: Stirling numbers of the second kind, S(5, 3) = 25. P = 1: always one.
    assert!((expected_labellings(5, 1, 3, 0.4).unwrap() - 25.0).abs() < 1e-11);
    assert_eq!(expected_labellings(5, 7, 1, 1.0).unwrap(), 1.0);
    // No edges: (2⁴ − 2)³/2 = 1372; all edges: none.
    assert!((expected_labellings(4, 3, 2, 0.0).unwrap() - 1372.0).abs() < 1e-9);
    assert_eq!(expected_labellings(4, 3, 2, 1.0).unwrap(), 0.0);
    assert_eq!(expected_labellings(2, 3, 3, 0.3).unwrap(), 0.0);
}

#[test]
fn wide_cases_stay_finite_and_impossible_ones_are_refused() {
    let ln = ln_expected_labellings(48, 9, 3, 0.3).unwrap();
    assert!(ln.is_finite() && ln < 0.0);
    assert!(matches!(ln_expected_labellings(192, 9, 6, 0.3), Err(VolumeError::TooLarge { .. })));
    assert!(ln_expected_labellings(3, 2, 2, 1.5).is_err());
    assert!(ln_expected_labellings(3, 0, 2, 0.5).is_err());
    assert!(ln_expected_labellings(3, 2, 9, 0.5).is_err());
}
