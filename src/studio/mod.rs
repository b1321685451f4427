//! Room `studio` (not opened yet).
