//! Figures on disk: as SVG, as PNG or as both, with their provenance, whole or not at all.

use super::svg::{escaped, width_of};
use super::{fonts, style};
use crate::base::files::{WriteError, create_folder, write_atomic};
use crate::network::palette::encode_small_png;
use crate::network::picture::encode_png;
use image::ExtendedColorType;
use image::codecs::jpeg::JpegEncoder;
use std::path::{Path, PathBuf};

/// Where a figure comes from. Written into the SVG as `<metadata>` and into the PNG as iTXt.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Provenance(pub Vec<(String, String)>);

impl Provenance {
    /// Nothing known.
    pub fn none() -> Self {
        Provenance::default()
    }

    /// With one more fact: `command`, `seed`, `record`, `version`, … A keyword is 1 to 79
    /// printable ASCII letters (PNG's rule, and XML's sanity); others are dropped from it.
    pub fn with(mut self, keyword: &str, text: impl ToString) -> Self {
        let keyword: String =
            keyword.chars().filter(|c| c.is_ascii_graphic() || *c == ' ').take(79).collect();
        let keyword = keyword.trim();
        if !keyword.is_empty() {
            self.0.push((keyword.to_string(), text.to_string()));
        }
        self
    }

    /// The facts as PNG texts.
    pub fn texts(&self) -> Vec<(&str, &str)> {
        self.0.iter().map(|(k, t)| (k.as_str(), t.as_str())).collect()
    }
}

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
/// A PNG larger than this is drawn at a smaller scale.
const MOST_PIXELS: f32 = 60e6;

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

/// The SVG with the provenance as its `<metadata>`.
pub fn with_metadata(svg: &str, provenance: &Provenance) -> String {
    let Some(end) = svg.rfind("</svg>").filter(|_| !provenance.0.is_empty()) else {
        return svg.to_string();
    };
    let mut out = svg[..end].to_string();
    out.push_str("<metadata>");
    for (keyword, text) in &provenance.0 {
        out.push_str(&escaped(&format!("\n{keyword}: {text}")));
    }
    out.push_str("\n</metadata>\n");
    out.push_str(&svg[end..]);
    out
}

/// The SVG as an 8-bit RGB PNG on white, `scale` pixels a pixel (less if it would exceed 60 million
/// pixels).
///
/// # Errors
/// If the SVG is damaged, with a description.
pub fn svg_to_png(svg: &str, scale: f32, provenance: &Provenance) -> Result<Vec<u8>, String> {
    let (width, height, rgb) = svg_to_rgb(svg, scale)?;
    Ok(encode_png(width, height, &rgb, &provenance.texts()))
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

/// The SVG as pixels: (width, height, RGB bytes), on white.
///
/// # Errors
/// If the SVG is damaged, with a description.
pub fn svg_to_rgb(svg: &str, scale: f32) -> Result<(usize, usize, Vec<u8>), String> {
    use resvg::{tiny_skia, usvg};
    let tree = usvg::Tree::from_str(svg, &fonts::options()).map_err(|e| e.to_string())?;
    let size = tree.size();
    let most = (MOST_PIXELS / (size.width() * size.height())).sqrt();
    let scale = scale.min(most);
    let pixels = |length: f32| ((length * scale).round() as u32).max(1);
    let (width, height) = (pixels(size.width()), pixels(size.height()));
    let mut map = tiny_skia::Pixmap::new(width, height)
        .ok_or_else(|| format!("a figure of {width} × {height} pixels"))?;
    let paper = style::PAPER;
    map.fill(tiny_skia::Color::from_rgba8(paper.0, paper.1, paper.2, 255));
    resvg::render(
        &tree,
        tiny_skia::Transform::from_scale(
            width as f32 / size.width(),
            height as f32 / size.height(),
        ),
        &mut map.as_mut(),
    );
    let mut rgb = Vec::with_capacity(width as usize * height as usize * 3);
    for pixel in map.data().chunks_exact(4) {
        rgb.extend_from_slice(&pixel[..3]);
    }
    Ok((width as usize, height as usize, rgb))
}
