//! Room `train` (not opened yet).
