//! The caption at its word, by hand, and where its gated ratio is largest.

use crate::volume::literal::{Reading, gate, gated, ratio};

#[test]
fn small_ratios_by_hand() {
    // C(4, 2)/C(12, 2) = 6/66; ((4·3)/16)³ = 27/64.
    assert!((ratio(Reading::Choices, 4, 3, 2) - 6.0 / 66.0).abs() < 1e-12);
    assert_eq!(ratio(Reading::Distinct, 4, 3, 2), 27.0 / 64.0);
    assert_eq!(ratio(Reading::Choices, 2, 3, 3), 0.0);
    assert_eq!(ratio(Reading::Distinct, 2, 3, 3), 0.0);
    assert_eq!(gate(5, 5.0), 0.5);
    assert!((gate(4, 5.0) - 0.119_202_922_022_117_55).abs() < 1e-15);
}

fn peak(reading: Reading, width: usize, needed: usize) -> usize {
    let value = |l| gated(reading, width, l, 3, needed as f64);
    (1..=14).max_by(|&a, &b| value(a).total_cmp(&value(b))).unwrap()
}

#[test]
fn the_gated_ratio_peaks_near_the_needed_depth() {
    for width in [8, 24, 96, 192] {
        for needed in 4..=9 {
            let choices = peak(Reading::Choices, width, needed);
            assert!((needed..=needed + 1).contains(&choices), "W {width} D {needed}");
            let distinct = peak(Reading::Distinct, width, needed);
            let over = if width < 96 { 1 } else { 2 };
            assert_eq!(distinct, needed + over, "W {width} D {needed}");
        }
    }
    assert_eq!(peak(Reading::Choices, 24, 2), 1);
    assert_eq!(peak(Reading::Distinct, 3, 5), 4);
    // Without the gate the shallowest network always wins.
    for reading in [Reading::Choices, Reading::Distinct] {
        assert!(ratio(reading, 8, 1, 3) > ratio(reading, 8, 2, 3));
    }
}
