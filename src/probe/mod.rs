//! Room `probe` (not opened yet).
