//! Room `score` (not opened yet).
