//! Charts, drawn with plotters: lines and scatter ([`plot`]), bars and dots with intervals
//! ([`bars`]), matrices ([`heatmap`]), and grids of any of these ([`grid`]).
//!
//! Each takes a plain description and returns the SVG as text. A chart without a single value that
//! can be shown says "no data" instead of drawing empty axes.

mod bars;
mod canvas;
mod cartesian;
mod chart;
mod frame;
mod grid;
mod heatmap;
mod plot;

pub use bars::{Bars, Estimate, Group, Mark};
pub use frame::Frame;
pub(in crate::figures) use grid::grid_of_height;
pub use grid::{Grid, Panel, bars, grid, heatmap, plot};
pub use heatmap::{Heatmap, Tones};
pub use plot::{Line, Plot, Point, Rule, Series};
