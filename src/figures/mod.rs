//! Room `figures` (not opened yet).
