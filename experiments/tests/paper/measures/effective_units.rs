//! Gini coefficients by hand.

use picloom_experiments::measures::effective_units::gini;

#[test]
fn equal_numbers_have_no_gini_and_one_of_many_has_nearly_all() {
    assert!(gini(&mut [2.0, 2.0, 2.0]).abs() < 1e-12);
    assert!((gini(&mut [0.0, 0.0, 0.0, 5.0]) - 0.75).abs() < 1e-12);
    assert!((gini(&mut [3.0, 1.0]) - 0.25).abs() < 1e-12);
}
