//! Plain data → SVG, PNG and HTML. Draws what it is given; never recomputes, and knows nothing of
//! runs.
//!
//! | file | draws |
//! |---|---|
//! | [`style`] | the palette, the arms' fixed colours and order, sizes, number formats |
//! | [`fonts`] | the embedded font: registered with plotters, given to resvg, measured |
//! | [`axis`] | ranges, ticks and their labels, linear and logarithmic |
//! | [`charts`] | figures of panels: lines, scatter, bars and dots with intervals, heatmaps (plotters) |
//! | [`sheets`] | rows of pictures: contact sheets, sweeps, feature maps |
//! | [`clip`], [`film`] | ways between genomes, a weight's travel, a zoom; GIF, APNG, MP4, WebM |
//! | [`card`] | one network on one page: picture, score, changed weights, measures, maps, wiring |
//! | [`losses`] | loss curves of runs |
//! | [`plot`] | figures that a spec describes: dots, lines, heatmaps, forests, sheets; SVG, PNG, PDF |
//! | [`wiring`] | the network itself, layer by layer |
//! | [`html`] | self-contained reports |
//! | [`files`] | `save`, `save_small`: SVG, PNG or both with provenance, whole or not at all |
//!
//! Every drawing function returns the same text for the same input, on every machine: coordinates
//! are rounded to a fixed step, text is measured with the embedded font.

pub mod axis;
pub mod card;
pub mod charts;
pub mod clip;
pub mod compare;
pub mod files;
pub mod film;
pub mod fonts;
pub mod html;
pub mod judge;
pub mod losses;
pub mod methods;
pub mod page;
pub mod plot;
pub mod sheets;
pub mod study_report;
pub mod style;
pub mod svg;
pub mod views;
pub mod wiring;
pub mod words;

pub use files::{Provenance, SaveError, save, save_small, svg_to_png};
pub use style::{Arm, Colour, Marker, arm};
