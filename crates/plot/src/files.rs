//! An SVG with where it comes from, and its pixels.

use crate::{fonts, style, svg::escaped};
use picloom_base::png::encode_png;

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

/// A PNG larger than this is drawn at a smaller scale.
const MOST_PIXELS: f32 = 60e6;

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
