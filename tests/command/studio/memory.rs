//! The caches of the studio, and when it empties them.

use picloom::studio::{MOST_GENES, Sessions};
use std::sync::atomic::Ordering;

#[test]
fn sessions_that_are_not_used_are_let_go_the_oldest_first() {
    let sessions = Sessions::default();
    for name in ["a", "b", "c"] {
        sessions.slot(name).genes.store(MOST_GENES / 2, Ordering::Relaxed);
    }
    sessions.slot("a");
    sessions.let_go();
    assert_eq!(sessions.names(), ["c", "a"]);
    // Neither the one that was used last goes, however large, nor one that somebody works with.
    let held = sessions.slot("c");
    sessions.slot("d").genes.store(2 * MOST_GENES, Ordering::Relaxed);
    sessions.let_go();
    assert_eq!(sessions.names(), ["c", "d"]);
    drop(held);
    sessions.let_go();
    assert_eq!(sessions.names(), ["d"]);
}
