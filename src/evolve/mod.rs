//! Room `evolve` (not opened yet).
