//! Overlaps of effects by hand.

use picloom_experiments::measures::unified::{WINDOW, mirrored, overlap};

#[test]
fn equal_effects_are_one_and_disjoint_ones_nothing() {
    assert_eq!(overlap(&[1.0, 2.0], &[1.0, 2.0]), 1.0);
    assert_eq!(overlap(&[1.0, 0.0], &[0.0, 3.0]), 0.0);
    assert_eq!(overlap(&[2.0, 1.0], &[1.0, 1.0]), 2.0 / 3.0);
    assert_eq!(overlap(&[0.0], &[0.0]), 0.0);
    let window: Vec<f64> = (0..3 * WINDOW * WINDOW).map(|i| i as f64).collect();
    assert_eq!(mirrored(&mirrored(&window)), window);
    assert_eq!(mirrored(&window)[..3], [21.0, 22.0, 23.0]);
}
