//! Sheets of numbered pairs of pictures, to label without knowing who drew them.

use super::style::{GREY, INK};
use super::svg::{Anchor, Svg};
use super::{Provenance, SaveError, svg_to_png};
use crate::network::Picture;
use crate::network::files::{create_folder, write_atomic};
use crate::score::labels::NumberedPairs;
use std::path::Path;

/// A base picture and its perturbed copy under a number.
#[derive(Clone, Debug, PartialEq)]
pub struct NumberedPair {
    /// The number.
    pub number: usize,
    /// Shown left.
    pub base: Picture,
    /// Shown right.
    pub perturbed: Picture,
}

/// Pairs a row of a sheet.
pub const PAIR_COLUMNS: usize = 4;

/// A sheet of numbered pairs, A left and B right; `pane` is the side of a picture in pixels. It
/// says nothing of where a pair comes from.
pub fn pair_sheet(pairs: &[NumberedPair], pane: usize) -> String {
    const CAPTION: f64 = 18.0;
    const GAP: f64 = 3.0;
    const APART: f64 = 18.0;
    let side = pane as f64;
    let (cell_width, cell_height) = (2.0 * side + GAP + APART, side + CAPTION + APART / 2.0);
    let rows = pairs.len().div_ceil(PAIR_COLUMNS);
    let mut svg =
        Svg::new(PAIR_COLUMNS as f64 * cell_width + APART, rows as f64 * cell_height + APART);
    for (i, pair) in pairs.iter().enumerate() {
        let x = APART + (i % PAIR_COLUMNS) as f64 * cell_width;
        let y = APART / 2.0 + (i / PAIR_COLUMNS) as f64 * cell_height;
        let text = pair.number.to_string();
        svg.text((x, y + CAPTION - 5.0), &text, 14.0, true, INK, Anchor::Start);
        for (k, picture) in [&pair.base, &pair.perturbed].into_iter().enumerate() {
            let left = x + k as f64 * (side + GAP);
            let at = (left, y + CAPTION);
            svg.image(at, (side, side), &picture.to_png(&[]), false);
            svg.rect(left, at.1, side, side, None, Some((GREY, 0.6)));
        }
    }
    svg.finish("numbered pairs of pictures: left before, right after one weight was changed")
}

/// Side of a picture on a saved sheet, in pixels.
const PANE: usize = 168;

/// Writes the pairs into `folder`, `page` of them on a sheet: `sheet_01.png` and on. Returns the
/// number of sheets.
///
/// # Errors
/// The folder cannot be written.
pub fn save_pair_sheets(
    all: &NumberedPairs,
    page: usize,
    folder: &Path,
) -> Result<usize, SaveError> {
    create_folder(folder)?;
    let pages = all.pairs.chunks(page.max(1));
    let sheets = pages.len();
    for (s, pairs) in pages.enumerate() {
        let pairs: Vec<NumberedPair> = pairs
            .iter()
            .enumerate()
            .map(|(k, pair)| NumberedPair {
                number: s * page + k + 1,
                base: all.bases[pair.network].clone(),
                perturbed: pair.picture.clone(),
            })
            .collect();
        let path = folder.join(format!("sheet_{:02}.png", s + 1));
        let png = svg_to_png(&pair_sheet(&pairs, PANE), 1.0, &Provenance::none())
            .map_err(|problem| SaveError::Draw { path: path.clone(), problem })?;
        write_atomic(&path, &png)?;
    }
    Ok(sheets)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sheets_carry_numbers_and_two_pictures_a_pair() {
        let picture = Picture::filled(8, 8, [0.2; 3]);
        let pairs: Vec<NumberedPair> = (17..22)
            .map(|number| NumberedPair {
                number,
                base: picture.clone(),
                perturbed: picture.clone(),
            })
            .collect();
        let svg = pair_sheet(&pairs, 40);
        assert_eq!(svg.matches("<image").count(), 10);
        assert!(svg.contains(">17</text>") && svg.contains(">21</text>"));
        assert!(crate::figures::svg_to_png(&svg, 1.0, &super::super::Provenance::none()).is_ok());
    }
}
