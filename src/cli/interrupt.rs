//! Ctrl-C asks running work to stop at a checkpoint; a second one ends the program.

use std::sync::Once;
use std::sync::atomic::{AtomicBool, Ordering};

static ASKED: AtomicBool = AtomicBool::new(false);
static INSTALL: Once = Once::new();

/// Listens for Ctrl-C (and SIGTERM) from now on.
pub fn listen() {
    INSTALL.call_once(|| {
        // Without a handler Ctrl-C just ends the program: files are still whole, only work since
        // the last checkpoint is lost.
        let _ = ctrlc::set_handler(|| {
            if ASKED.swap(true, Ordering::SeqCst) {
                std::process::exit(130);
            }
            eprintln!("stopping at the next checkpoint (Ctrl-C again to stop at once)");
        });
    });
}

/// True once somebody asked to stop.
pub fn asked() -> bool {
    ASKED.load(Ordering::SeqCst)
}
