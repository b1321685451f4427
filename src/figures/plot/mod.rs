//! Figures as data: a `[[figures]]` of a spec and tables of results → an SVG, and from it a PNG or a PDF.
//!
//! In: a [`FigureSpec`], tables with one row per measured network, the spec's contrasts. Out: a [`Drawing`]. Nothing is
//! computed here but means over units and their intervals; differences come from [`contrast`](crate::experiment::contrast).
//! What each key means stands in `docs/PLOTS.md`.
//!
//! | file | role |
//! |---|---|
//! | `spec` | the keys, their defaults, what each kind uses |
//! | `words` | what columns and values are called, their colours |
//! | `data` | rows in groups, means over units |
//! | `dots`, `lines`, `scatter`, `heatmap`, `forest`, `pictures` | the kinds |
//! | `drawing` | from panels to a figure of a size in mm |
//! | `output`, `pdf` | SVG, PNG and PDF files |

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
mod spec;
mod words;

pub use drawing::{Drawing, DrawnSeries};
pub use output::{Format, encode, save_drawing};
pub use spec::{Caption, FigureSpec, Hex, Kind, Numbers, Spread, Which};

use crate::experiment::contrast::ContrastSpec;
use crate::experiment::table::Table;
use crate::math::refusal::Refusal;
use data::Selected;
use std::path::{Path, PathBuf};

/// A table and the folder that its pictures are relative to.
#[derive(Clone, Debug, Default)]
pub struct Source {
    /// The rows.
    pub table: Table,
    /// Folder of its file.
    pub folder: PathBuf,
}

impl Source {
    /// Reads `rows.csv` or `rows.csv.gz`.
    ///
    /// # Errors
    /// The file is no table.
    pub fn read(path: &Path) -> Result<Self, Refusal> {
        let folder = path.parent().unwrap_or(Path::new("")).to_path_buf();
        Ok(Source { table: Table::read(path)?, folder })
    }

    /// The name of its study, where the table does not say.
    fn study(&self) -> String {
        let name = self.folder.file_name().map(|name| name.to_string_lossy().into_owned());
        name.unwrap_or_else(|| "table".into())
    }
}

/// Draws a figure of the rows of all tables.
///
/// ```
/// use picloom::experiment::table::Table;
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
/// contrast cannot be evaluated.
pub fn draw(
    spec: &FigureSpec,
    tables: &[Source],
    contrasts: &[ContrastSpec],
) -> Result<Drawing, Refusal> {
    spec.check()?;
    let at = |refusal: Refusal| refusal.within(format!("figure {}", spec.name));
    drawing::check_width(spec).map_err(at)?;
    let table = together(tables);
    let drawn = match spec.kind {
        Kind::Forest => {
            forest::draw(spec, &table, contrasts).and_then(|content| content.finish(spec))
        }
        Kind::Pictures if spec.picture.is_none() => pictures::of_files(spec, tables),
        _ => Selected::of(spec, &table).and_then(|selected| match spec.kind {
            Kind::Dots => dots::draw(&selected)?.finish(spec),
            Kind::Lines => lines::draw(&selected)?.finish(spec),
            Kind::Scatter => scatter::draw(&selected)?.finish(spec),
            Kind::Heatmap => heatmap::draw(&selected, contrasts)?.finish(spec),
            Kind::Pictures | Kind::Forest => pictures::draw(&selected, tables),
        }),
    };
    drawn.map_err(at)
}

/// The rows of all tables, with the column `study` if there are several.
fn together(tables: &[Source]) -> Table {
    let named = tables.iter().map(|source| {
        let table = source.table.clone();
        match tables.len() > 1 && table.get("study").is_none() {
            true => table.with_constant("study", &source.study()),
            false => table,
        }
    });
    Table::concat(&named.collect::<Vec<_>>())
}
