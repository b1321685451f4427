//! Charts, drawn with plotters: lines and scatter ([`plot`]), bars and dots with intervals
//! ([`bars`]), matrices ([`heatmap`]), and grids of any of these ([`grid`]).
//!
//! Each takes a plain description and returns the SVG as text. A chart without a single value that
//! can be shown says "no data" instead of drawing empty axes.

mod bars;
mod cartesian;
mod frame;
mod grid;
mod heatmap;
mod plot;

pub use bars::{Bars, Estimate, Group, Mark, bars};
pub use frame::Frame;
pub use grid::{Grid, Panel, grid};
pub use heatmap::{Heatmap, Tones, heatmap};
pub use plot::{Line, Plot, Point, Rule, Series, plot};
