//! A drawing as a file: SVG, PNG or PDF, by its extension.

use super::drawing::Drawing;
use crate::files::{Provenance, svg_to_png, with_metadata};
use crate::fonts::lacking;
use picloom_base::files::{create_folder, write_atomic};
use picloom_base::refusal::Refusal;
use std::path::Path;

/// A form of file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Format {
    Svg,
    Png,
    Pdf,
}

impl Format {
    /// The form that a path's extension asks for.
    ///
    /// # Errors
    /// It is none of these, or this program was built without PDF.
    pub fn of(path: &Path) -> Result<Self, Refusal> {
        let extension = path.extension().and_then(|e| e.to_str()).map(str::to_ascii_lowercase);
        match extension.as_deref() {
            Some("svg") => Ok(Format::Svg),
            Some("png") => Ok(Format::Png),
            Some("pdf") if cfg!(feature = "pdf") => Ok(Format::Pdf),
            Some("pdf") => {
                let advice = "build with the feature `pdf`";
                Err(Refusal::new(path.display(), ".svg or .png", ".pdf").advising(advice))
            }
            other => {
                let found = other.map_or("no extension".into(), |e| format!(".{e}"));
                Err(Refusal::new(path.display(), "a file that ends in .svg, .png or .pdf", found))
            }
        }
    }
}

impl Drawing {
    /// Says which letters a PNG or PDF of it draws as boxes; `None` if it has them all.
    pub fn boxes(&self, format: Format) -> Option<String> {
        let letters = if format == Format::Svg { String::new() } else { lacking(&self.svg) };
        let says = "the font has no letters for";
        let advice = "boxes stand in their place; write an .svg, or other `labels`";
        (!letters.is_empty()).then(|| format!("{}: {says} {letters}: {advice}", self.name))
    }
}

/// The bytes of a drawing. A PNG has `dpi` pixels an inch of its width in mm.
///
/// # Errors
/// The SVG cannot be drawn, which a [`Drawing`] of [`draw`](super::draw) always can.
pub fn encode(
    drawing: &Drawing,
    format: Format,
    dpi: f64,
    facts: &Provenance,
) -> Result<Vec<u8>, Refusal> {
    let fail = |problem: String| Refusal::new(&drawing.name, "a figure that can be drawn", problem);
    match format {
        Format::Svg => Ok(with_metadata(&drawing.svg, facts).into_bytes()),
        // A pixel of CSS is 1/96 inch.
        Format::Png => svg_to_png(&drawing.svg, (dpi / 96.0) as f32, facts).map_err(fail),
        #[cfg(feature = "pdf")]
        Format::Pdf => super::pdf::of_svg(&drawing.svg, &drawing.name).map_err(fail),
        #[cfg(not(feature = "pdf"))]
        Format::Pdf => Err(fail("this program was built without PDF".into())),
    }
}

/// Writes a drawing in the form of the path's extension, whole or not at all. Folders are made.
///
/// # Errors
/// The extension is not known, or the file cannot be written.
pub fn save_drawing(
    drawing: &Drawing,
    path: &Path,
    dpi: f64,
    facts: &Provenance,
) -> Result<(), Refusal> {
    let bytes = encode(drawing, Format::of(path)?, dpi, facts)?;
    let fail = |e: &dyn std::fmt::Display| {
        Refusal::new(path.display(), "a place to write to", e.to_string())
    };
    if let Some(folder) = path.parent().filter(|p| !p.as_os_str().is_empty()) {
        create_folder(folder).map_err(|e| fail(&e))?;
    }
    write_atomic(path, &bytes).map_err(|e| fail(&e))
}
