//! Interactions by hand.

use picloom_experiments::measures::interaction::of_changes;

#[test]
fn changes_that_add_up_do_not_interact() {
    assert_eq!(of_changes(&[1.0, 2.0], &[1.0, 0.0], &[0.0, 2.0]), 0.0);
    // The second undoes the first.
    assert_eq!(of_changes(&[0.0, 0.0], &[1.0, 0.0], &[1.0, 0.0]), 1.0);
}
