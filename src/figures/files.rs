//! Figures on disk: as SVG, as PNG or as both, with their provenance, whole or not at all.

use crate::base::files::{WriteError, create_folder, write_atomic};
use crate::base::png::encode_png;
use crate::network::palette::encode_small_png;
use image::ExtendedColorType;
use image::codecs::jpeg::JpegEncoder;
use picloom_plot::svg::width_of;
use std::path::{Path, PathBuf};

pub use picloom_plot::files::*;

/// Why a figure could not be saved.
#[derive(Debug, thiserror::Error)]
pub enum SaveError {
    /// The folder or file cannot be written.
    #[error(transparent)]
    Write(#[from] WriteError),
    /// The text is no SVG, or one too large to make a PNG of.
    #[error("{path}: expected an SVG that can be drawn, found: {problem}")]
    Draw {
        /// The file.
        path: PathBuf,
        /// The error in it.
        problem: String,
    },
}

/// Pixels of the PNG for each pixel of the SVG.
pub(crate) const PNG_SCALE: f32 = 2.0;
/// The same of a sheet of pictures, which has no finer lines than its words.
const SHEET_SCALE: f32 = 1.5;
/// Colours of a sheet of pictures: with twice as many it is a quarter larger and looks the same.
const SHEET_COLOURS: usize = 128;
/// Writes `{path}.svg` and `{path}.png` (the extension is added to the whole name) and returns
/// both paths. Folders are made. The PNG is twice the SVG's size, drawn by resvg with the embedded
/// font.
///
/// # Errors
/// The folder cannot be written; `svg` is not an SVG.
pub fn save(
    svg: &str,
    path: &Path,
    provenance: &Provenance,
) -> Result<(PathBuf, PathBuf), SaveError> {
    let (svg_path, png_path) = (named(path, ".svg"), named(path, ".png"));
    let (width, height, rgb) = pixels(svg, PNG_SCALE, &png_path)?;
    write(&svg_path, with_metadata(svg, provenance).as_bytes())?;
    write(&png_path, &encode_png(width, height, &rgb, &provenance.texts()))?;
    Ok((svg_path, png_path))
}

/// Writes a figure in the one form that suits it: a chart as `{path}.svg` (with `png`, also as
/// `{path}.png`), a sheet of pictures as `{path}.png`, whose SVG would be the same pictures in a
/// third more bytes. The PNGs have a palette of 256 colours. Returns the paths.
///
/// # Errors
/// The folder cannot be written; `svg` is not an SVG.
pub fn save_small(
    svg: &str,
    path: &Path,
    provenance: &Provenance,
    png: bool,
) -> Result<Vec<PathBuf>, SaveError> {
    let sheet = svg.contains("<image ");
    let mut written = Vec::new();
    if sheet || png {
        let path = named(path, ".png");
        let (scale, colours) = if sheet { (SHEET_SCALE, SHEET_COLOURS) } else { (PNG_SCALE, 256) };
        let (width, height, rgb) = pixels(svg, scale, &path)?;
        write(&path, &encode_small_png(width, height, &rgb, colours, &provenance.texts()))?;
        written.push(path);
    }
    if !sheet {
        let path = named(path, ".svg");
        write(&path, with_metadata(svg, provenance).as_bytes())?;
        written.push(path);
    }
    Ok(written)
}

fn named(path: &Path, extension: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(extension);
    PathBuf::from(name)
}

fn pixels(svg: &str, scale: f32, path: &Path) -> Result<(usize, usize, Vec<u8>), SaveError> {
    svg_to_rgb(svg, scale).map_err(|problem| SaveError::Draw { path: path.into(), problem })
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), WriteError> {
    if let Some(folder) = path.parent().filter(|p| !p.as_os_str().is_empty()) {
        create_folder(folder)?;
    }
    write_atomic(path, bytes)
}

/// Pixels across beyond which a figure is illegible in a page's column.
pub(super) const WIDE: usize = 1400;

/// The SVG as a JPEG on white, and the SVG's width: a small part of the PNG's bytes where there are many pictures on it.
///
/// # Errors
/// The SVG cannot be drawn.
pub(crate) fn svg_to_jpeg(svg: &str) -> Result<(Vec<u8>, usize), String> {
    /// Words stay sharp, and a map keeps its shades.
    const QUALITY: u8 = 68;
    /// No window shows a wide sheet at its full size.
    const SCALE: f32 = 0.65;
    let whole = width_of(svg).ok_or("an SVG without a width")?;
    let scale = if whole > WIDE { SCALE } else { 1.0 };
    let (width, height, rgb) = svg_to_rgb(svg, scale)?;
    let mut bytes = Vec::new();
    JpegEncoder::new_with_quality(&mut bytes, QUALITY)
        .encode(&rgb, width as u32, height as u32, ExtendedColorType::Rgb8)
        .map_err(|e| e.to_string())?;
    Ok((bytes, whole))
}
