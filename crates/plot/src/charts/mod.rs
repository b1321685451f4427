//! Charts, drawn with plotters: a [`Figure`] of one or more [`Panel`]s, and what stands in them.
//!
//! plotters draws axes, mesh and marks and writes the SVG. Here is what it cannot know: the ticks
//! ([`Axis`](super::axis::Axis)), the room that labels need, so that panels align, and how long names are broken or
//! turned. A panel without a value that can be shown says "no data" instead of drawing empty axes.
//!
//! | file | role |
//! |---|---|
//! | `dots` | categories with dots or bars, as a panel |
//! | `heat` | cells of a matrix and their scale |
//! | `model` | figures, panels, series, points, rules as data |
//! | `layout` | title, legend, note; where panels and their labels stand |
//! | `marks` | series, rules and labels in a panel |
//! | `paint` | shapes and text in pixels, through plotters' SVG backend |

mod dots;
mod heat;
mod layout;
mod marks;
mod model;
mod paint;

pub use dots::{Dots, Group};
pub use model::{
    Figure, Heat, Height, Line, Look, Panel, Point, Rule, Series, Slots, Spread, Tones,
};
