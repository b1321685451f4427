//! Room `experiment` (not opened yet).
