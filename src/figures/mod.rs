//! Networks, tables and loss curves → SVG, PNG and HTML. Draws what it is given; never recomputes.
//!
//! | file | draws |
//! |---|---|
//! | [`plot`] | charts, and figures that a spec describes: the package `picloom-plot` |
//! | [`style`] | the house: arms' fixed colours and order, what columns are called |
//! | [`of_spec`], [`usual`] | the figures of a study's spec; those of a spec without any |
//! | [`sheets`], [`raster`] | rows of pictures: contact sheets, sweeps, feature maps |
//! | `clip`, [`film`] | ways between genomes, a weight's travel, a zoom; GIF, APNG, MP4, WebM |
//! | `card` | one network on one page: picture, score, changed weights, measures, maps, wiring |
//! | [`losses`] | runs as a table of loss curves |
//! | [`wiring`] | the network itself, layer by layer |
//! | [`html`] | self-contained reports |
//! | [`files`] | `save`, `save_small`: SVG, PNG or both with provenance, whole or not at all |
//!
//! Every drawing function returns the same text for the same input, on every machine: coordinates
//! are rounded to a fixed step, text is measured with the embedded font.

pub(crate) mod card;
pub(crate) mod clip;
pub mod compare;
mod effects;
pub mod files;
pub mod film;
pub mod html;
pub(crate) mod judge;
pub mod losses;
pub(crate) mod methods;
pub mod of_spec;
pub mod raster;
pub mod sheets;
pub(crate) mod study_report;
pub mod style;
pub mod usual;
pub mod views;
pub mod wiring;
pub(crate) mod words;

pub use files::{Provenance, SaveError, save, save_small, svg_to_png};
#[doc(no_inline)]
pub use picloom_plot::{self as plot, axis, charts, fonts, page, svg};
pub use style::{Arm, Colour, Marker, arm};
