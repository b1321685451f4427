//! Localities by hand.

use picloom_experiments::measures::locality::of_map;

#[test]
fn everywhere_is_not_local_and_one_pixel_is() {
    assert!(of_map(&[0.3; 16]).abs() < 1e-12);
    let mut one = [0.0; 16];
    one[3] = 2.0;
    assert!((of_map(&one) - 15.0 / 16.0).abs() < 1e-12);
}
