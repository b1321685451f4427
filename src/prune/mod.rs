//! Room `prune` (not opened yet).
