//! Room `cli` (not opened yet).
