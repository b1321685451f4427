//! Pictures as they are sent: sizes, PNG, raw bytes, squares side by side.

use super::answer::{Refusal, of_bytes};
use super::workers::HasLeft;
use crate::network::kernel::render;
use crate::network::{Coords, Frame, Network, Picture, PixelInputs, Squaring, Weights};
use crate::run::read_picture;
use axum::response::Response;
use std::path::Path;

/// A size of at most `largest`.
pub(super) fn checked(size: usize, largest: usize) -> Result<usize, Refusal> {
    match (1..=largest).contains(&size) {
        true => Ok(size),
        false => Err(Refusal::bad(format!("size: expected 1 to {largest} pixels, found {size}"))),
    }
}

/// Most pixels of all pictures of one answer together.
pub(super) const MOST_VALUES: usize = 1 << 24;
/// Most non-zero links times pixels of one picture: half a minute of one core.
const MOST_WORK: usize = 1 << 37;
/// Links times pixels, and pixels, that are drawn between two looks whether anybody still waits.
const WORK_AT_ONCE: usize = 1 << 27;
const PIXELS_AT_ONCE: usize = 1 << 20;

/// Draws a network with these weights where its factors are `z`, rows by rows; given up once the
/// client has left.
///
/// # Errors
/// If it is too much to draw, or nobody waits for it.
pub(super) fn draw_rows(
    (network, weights): (&Network, &Weights),
    size: usize,
    (coords, frame, z): (Coords, Frame, &[f64]),
    has_left: HasLeft<'_>,
) -> Result<Picture, Refusal> {
    let links = weights.0.iter().filter(|weight| **weight != 0.0).count().max(1);
    if links.saturating_mul(size * size) > MOST_WORK {
        let most = ((MOST_WORK / links) as f64).sqrt() as usize;
        return Err(Refusal::large(format!(
            "size: expected at most {most} pixels for a network of {links} non-zero links, found {size}"
        )));
    }
    let at_once = (WORK_AT_ONCE / links).min(PIXELS_AT_ONCE);
    let rows = (at_once / size).max(1);
    let mut rgb = Vec::with_capacity(3 * size * size);
    for first in (0..size).step_by(rows) {
        if has_left() {
            return Err(Refusal::left());
        }
        let rows = first..(first + rows).min(size);
        let inputs = PixelInputs::framed_rows(size, coords, frame, rows).where_factors_are(z);
        rgb.extend(render(network, weights, &inputs));
    }
    Ok(Picture { width: size, height: size, rgb })
}

/// A picture as it was asked for: raw RGBA, or PNG.
pub(super) fn pixels(picture: &Picture, raw: bool) -> Response {
    match raw {
        true => of_bytes("application/octet-stream", picture.to_rgba()),
        false => of_bytes("image/png", picture.to_png(&[])),
    }
}

/// Squares of one size as one picture, `columns` a row.
pub(super) fn side_by_side(pictures: &[Picture], columns: usize, size: usize) -> Picture {
    let (width, height) = (columns * size, pictures.len().div_ceil(columns) * size);
    let mut atlas = Picture::filled(width, height, [1.0; 3]);
    for (i, picture) in pictures.iter().enumerate() {
        let (left, top) = (i % columns * size, i / columns * size);
        for (row, line) in picture.rgb.chunks_exact(3 * size).enumerate() {
            let at = 3 * ((top + row) * width + left);
            atlas.rgb[at..at + 3 * size].copy_from_slice(line);
        }
    }
    atlas
}

/// True if the name of this file is that of a picture.
pub(super) fn is_picture_file(path: &Path) -> bool {
    let end = path.extension().and_then(|e| e.to_str()).unwrap_or("").to_ascii_lowercase();
    ["png", "jpg", "jpeg", "gif", "webp", "tif", "tiff", "bmp", "svg"].contains(&end.as_str())
}

/// True if the name of this file is that of weights.
pub(super) fn is_weights_file(path: &Path) -> bool {
    let end = path.extension().unwrap_or_default().to_ascii_lowercase();
    end == "npz" || end == "safetensors"
}

/// A picture file as a square.
///
/// # Errors
/// It is none.
pub(super) fn picture_file(path: &Path, size: usize) -> Result<Picture, Refusal> {
    Ok(read_picture(path).map_err(Refusal::bad)?.squared(size, Squaring::Crop))
}
