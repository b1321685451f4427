//! The regime map of a picture: the score by depth and kept share (METHODS §8).
//!
//! In: the record of a networks study whose arms were pruned level by level at several depths. Out: every
//! network's place on the map and its scores, and the place that a picture's own map recommends.
//!
//! | file | in → out |
//! |---|---|
//! | [`points`] | record → every network's place and what may be compared of it |
//! | [`own`] | the record of one picture → the place that its map recommends |

pub mod own;
pub mod points;
