//! Figures as data: a `[[figures]]` of a spec and tables of results → an SVG, and from it a PNG or a PDF.
//!
//! In: a [`FigureSpec`], tables with one row per measured network, the spec's contrasts. Out: a [`Drawing`]. Nothing is
//! computed here but means over units and their intervals; differences come from [`contrast`](crate::study::contrast).
//! `docs/PLOTS.md` explains each key.
//!
//! | file | role |
//! |---|---|
//! | `spec` | the keys, their defaults, what each kind uses |
//! | `source` | tables and the folders of their pictures |
//! | `study`, `usual` | the figures of a spec, from the tables of its studies; those of a spec without any |
//! | `words` | what columns and values are called, their colours |
//! | `data` | rows in groups, means over units |
//! | `dots`, `lines`, `scatter`, `heatmap`, `forest`, `verdicts`, `curves`, `pictures` | the kinds |
//! | `drawing` | from panels to a figure of a size in mm |
//! | `output`, `pdf` | SVG, PNG and PDF files |

mod curves;
mod data;
mod dots;
mod drawing;
mod forest;
mod heatmap;
mod lines;
mod output;
#[cfg(feature = "pdf")]
mod pdf;
mod pictures;
mod scatter;
mod source;
mod spec;
mod study;
mod usual;
mod verdicts;
mod words;

pub use curves::draw_losses;
pub use drawing::{Drawing, DrawnSeries};
pub use output::{Format, encode, save_drawing};
pub use source::Source;
pub use spec::{Caption, FigureSpec, Group, Hex, Kind, Length, Which};
pub use study::{draw_of_study, of_spec, tables_of};
pub use usual::{ArmRow, Arms, arms_of, usual_figures};

use crate::base::refusal::Refusal;
use crate::study::contrast::ContrastSpec;
use crate::study::table::{Filter, Table};
use data::Selected;

/// Draws a figure of the rows of all tables.
///
/// ```
/// use picloom::study::table::Table;
/// use picloom::figures::plot::{FigureSpec, Source, draw};
/// let mut table = Table::new(["target", "arm", "score"]);
/// for (target, arm, score) in [("moth", "sp", "0.4"), ("moth", "dense", "0.2"), ("cat", "sp", "0.5")] {
///     table.push(&[target, arm, score]);
/// }
/// let spec: FigureSpec = toml::from_str(
///     "name = \"score\"\nkind = \"dots\"\nx = \"arm\"\ny = \"score\"\nwidth = 85",
/// )?;
/// let drawing = draw(&spec, &[Source { table, ..Source::default() }], &[])?;
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
    contrasts: &[ContrastSpec],
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
    drawing::whole(&asked, |spec| drawn(spec, &table, tables, contrasts)).map_err(at)
}

/// Refuses labels and colours that name nothing in the tables: for a person's own figure. A study's figures are drawn of
/// profiles that lack some values.
///
/// # Errors
/// The first of them, with a name that is near.
pub fn check_labels(
    spec: &FigureSpec,
    tables: &[Source],
    contrasts: &[ContrastSpec],
) -> Result<(), Refusal> {
    let at = |refusal: Refusal| refusal.within(format!("figure {}", spec.name));
    words::check_labels(spec, &source::together(tables), contrasts).map_err(at)
}

/// Draws a figure of this width, whatever is cut.
fn drawn(
    spec: &FigureSpec,
    table: &Table,
    tables: &[Source],
    contrasts: &[ContrastSpec],
) -> Result<Drawing, Refusal> {
    let content = match spec.kind {
        Kind::Forest => forest::draw(spec, table, contrasts),
        Kind::Verdicts => verdicts::draw(spec, table, contrasts),
        Kind::Pictures if spec.picture.is_none() => {
            return pictures::of_files(spec, tables);
        }
        Kind::Pictures => return pictures::draw(&Selected::of(spec, table)?, tables),
        kind => Selected::of(spec, table).and_then(|selected| match kind {
            Kind::Dots => dots::draw(&selected),
            Kind::Lines => lines::draw(&selected),
            Kind::Scatter => scatter::draw(&selected),
            Kind::Curves => curves::draw(&selected),
            _ => heatmap::draw(&selected, contrasts),
        }),
    };
    let subtitle = tables.first().filter(|_| spec.subtitle).map(|source| source.facts.as_str());
    content?.finish(spec, subtitle.unwrap_or_default())
}
