//! Sheets of numbered pairs of pictures, to label without knowing who drew them.

use super::style::{GREY, INK};
use super::svg::{Anchor, Svg};
use super::{Provenance, SaveError, svg_to_png};
use crate::base::files::{create_folder, write_atomic};
use crate::network::Picture;
use crate::score::labels::NumberedPairs;
use std::path::Path;

/// Pairs a row of a sheet.
const COLUMNS: usize = 4;
/// Side of a picture on a sheet, in pixels.
const PANE: f64 = 168.0;

/// A sheet of pairs, base left and changed picture right, numbered from `first` on. It says nothing of
/// where a pair comes from.
pub(crate) fn pair_sheet(first: usize, pairs: &[[&Picture; 2]]) -> String {
    const CAPTION: f64 = 18.0;
    const GAP: f64 = 3.0;
    const APART: f64 = 18.0;
    let (cell_width, cell_height) = (2.0 * PANE + GAP + APART, PANE + CAPTION + APART / 2.0);
    let rows = pairs.len().div_ceil(COLUMNS);
    let mut svg = Svg::new(COLUMNS as f64 * cell_width + APART, rows as f64 * cell_height + APART);
    for (i, pair) in pairs.iter().enumerate() {
        let x = APART + (i % COLUMNS) as f64 * cell_width;
        let y = APART / 2.0 + (i / COLUMNS) as f64 * cell_height;
        let text = (first + i).to_string();
        svg.text((x, y + CAPTION - 5.0), &text, 14.0, true, INK, Anchor::Start);
        for (k, picture) in pair.iter().enumerate() {
            let at = (x + k as f64 * (PANE + GAP), y + CAPTION);
            svg.image(at, (PANE, PANE), &picture.to_png(&[]), false);
            svg.rect(at.0, at.1, PANE, PANE, None, Some((GREY, 0.6)));
        }
    }
    svg.finish("numbered pairs of pictures: left before, right after one weight was changed")
}

/// Writes the pairs into `folder`, `page` of them on a sheet: `sheet_01.png` and on. Returns the
/// number of sheets.
///
/// # Errors
/// The folder cannot be written.
pub(crate) fn save_pair_sheets(
    all: &NumberedPairs,
    page: usize,
    folder: &Path,
) -> Result<usize, SaveError> {
    create_folder(folder)?;
    let pairs: Vec<[&Picture; 2]> =
        all.pairs.iter().map(|pair| [&all.bases[pair.network], &pair.picture]).collect();
    let pages = pairs.chunks(page.max(1));
    let sheets = pages.len();
    for (s, pairs) in pages.enumerate() {
        let path = folder.join(format!("sheet_{:02}.png", s + 1));
        let png = svg_to_png(&pair_sheet(s * page + 1, pairs), 1.0, &Provenance::none())
            .map_err(|problem| SaveError::Draw { path: path.clone(), problem })?;
        write_atomic(&path, &png)?;
    }
    Ok(sheets)
}
