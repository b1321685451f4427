//! Figures as data: a table and a figure's TOML become an SVG, and from it a PNG or a PDF, the same on every machine.
//!
//! In: a [`FigureSpec`], tables with one row per thing that was measured ([`Source`]), the names and looks of a
//! [`House`]. Out: a [`Drawing`], which [`save_drawing`] writes. Means are taken over units, each averaged first;
//! effects of contrasts come from the caller ([`Contrasts`]). `docs/PLOTS.md` explains each key.
//!
//! Below it are the parts, for figures that no key describes: [`charts`] of panels with [`axis`], drawn with plotters;
//! a [`page`] of pictures and words; the [`svg`] writer, the [`style`], and the embedded [`fonts`].
//! The same input gives the same text: coordinates are rounded to a fixed step, and text is measured with the embedded
//! font. No font of the system is read.
//!
//! It computes no statistics but means and their intervals, knows no study and no network, and shows nothing on a
//! screen.
//!
//! | file | role |
//! |---|---|
//! | `spec` | the keys, their defaults, what each kind uses |
//! | `source` | tables and the folders of their pictures |
//! | `house`, `words` | what columns and values are called, their colours |
//! | `data` | rows in groups, means over units |
//! | `effects` | what the caller computes for forests, verdicts and heatmaps |
//! | `dots`, `lines`, `scatter`, `heatmap`, `forest`, `verdicts`, `curves`, `pictures` | the kinds |
//! | `drawing` | from panels to a figure of a size in mm |
//! | `files`, `output`, `pdf` | SVG, PNG and PDF files |
#![warn(missing_docs)]

pub mod axis;
pub mod charts;
mod curves;
mod data;
mod dots;
mod drawing;
mod effects;
pub mod files;
pub mod fonts;
mod forest;
mod heatmap;
mod house;
mod lines;
mod output;
pub mod page;
#[cfg(feature = "pdf")]
mod pdf;
mod pictures;
mod scatter;
mod source;
mod spec;
pub mod style;
pub mod svg;
mod verdicts;
mod words;

pub use curves::geometric_mean;
pub use data::{Selected, Summary};
pub use drawing::{Drawing, DrawnSeries};
pub use effects::{Contrasts, Effect, Estimate};
pub use house::{Arm, House, Numbers, row};
pub use output::{Format, encode, save_drawing};
pub use source::Source;
pub use spec::{FigureSpec, Group, Hex, Kind};
pub use words::Words;

use picloom_base::refusal::Refusal;
use picloom_base::table::{Filter, Table};

/// Draws a figure of the rows of all tables.
///
/// ```
/// use picloom_base::table::Table;
/// use picloom_plot::{FigureSpec, House, Source, draw};
/// let mut table = Table::new(["target", "arm", "score"]);
/// for (target, arm, score) in [("moth", "sp", "0.4"), ("moth", "dense", "0.2"), ("cat", "sp", "0.5")] {
///     table.push(&[target, arm, score]);
/// }
/// let spec: FigureSpec = toml::from_str(
///     "name = \"score\"\nkind = \"dots\"\nx = \"arm\"\ny = \"score\"\nwidth = 85",
/// )?;
/// let drawing = draw(&spec, &[Source { table, ..Source::default() }], &House::default(), &())?;
/// assert!(drawing.svg.contains("width=\"85mm\""));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// The figure is not valid, names a column that the tables lack, or has no row to draw; a picture cannot be read; a
/// contrast cannot be evaluated; a text does not fit at its width.
pub fn draw(
    spec: &FigureSpec,
    tables: &[Source],
    house: &House,
    contrasts: &dyn Contrasts,
) -> Result<Drawing, Refusal> {
    spec.check()?;
    let at = |refusal: Refusal| refusal.within(format!("figure {}", spec.name));
    drawing::check_width(spec).map_err(at)?;
    let mut table = source::together(tables);
    let mut asked = std::borrow::Cow::Borrowed(spec);
    if let Some(fewest) = &spec.fewest {
        table = table.fewest(fewest, &spec.rows).map_err(at)?;
        asked = std::borrow::Cow::Owned(FigureSpec { rows: Filter::default(), ..spec.clone() });
    }
    drawing::whole(&asked, |spec| drawn(Words { spec, house }, &table, tables, contrasts))
        .map_err(at)
}

/// Refuses labels and colours that name nothing in the tables: for a person's own figure. A study's figures are drawn of
/// profiles that lack some values.
///
/// # Errors
/// The first of them, with a name that is near.
pub fn check_labels(
    spec: &FigureSpec,
    tables: &[Source],
    house: &House,
    contrasts: &dyn Contrasts,
) -> Result<(), Refusal> {
    let at = |refusal: Refusal| refusal.within(format!("figure {}", spec.name));
    words::check_labels(Words { spec, house }, &source::together(tables), &contrasts.names())
        .map_err(at)
}

/// Draws a figure of this width, whatever is cut.
fn drawn(
    words: Words<'_>,
    table: &Table,
    tables: &[Source],
    contrasts: &dyn Contrasts,
) -> Result<Drawing, Refusal> {
    let spec = words.spec;
    let effects = || contrasts.effects(&words, table, &spec.rows);
    let selected = || Selected::of(spec, table, words.house);
    let content = match spec.kind {
        Kind::Forest => forest::draw(spec, &effects()?),
        Kind::Verdicts => verdicts::draw(spec, &effects()?),
        Kind::Pictures if spec.picture.is_none() => return pictures::of_files(words, tables),
        Kind::Pictures => return pictures::draw(&selected()?, tables),
        Kind::Dots => dots::draw(&selected()?),
        Kind::Lines => lines::draw(&selected()?),
        Kind::Scatter => scatter::draw(&selected()?),
        Kind::Curves => curves::draw(&selected()?),
        Kind::Heatmap => heatmap::draw(&selected()?, contrasts),
    };
    content?.finish(spec, facts(spec, tables))
}

/// What stands below the title.
fn facts<'a>(spec: &FigureSpec, tables: &'a [Source]) -> &'a str {
    tables.first().filter(|_| spec.subtitle).map_or("", |source| &source.facts)
}
