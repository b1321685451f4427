//! Pictures as they are sent: PNG or raw bytes; files that hold one.

use super::answer::{Rejection, of_bytes};
use crate::network::{Picture, Squaring};
use crate::run::read_picture;
use axum::response::Response;
use std::path::Path;

/// A picture as it was asked for: raw RGBA, or PNG.
pub(super) fn pixels(picture: &Picture, raw: bool) -> Response {
    match raw {
        true => of_bytes("application/octet-stream", picture.to_rgba()),
        false => of_bytes("image/png", picture.to_png(&[])),
    }
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
pub(super) fn picture_file(path: &Path, size: usize) -> Result<Picture, Rejection> {
    Ok(read_picture(path).map_err(Rejection::bad)?.squared(size, Squaring::Crop))
}
