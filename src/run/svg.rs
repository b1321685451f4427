//! SVG pictures as targets, drawn by resvg on white. They hold shapes alone: letters need fonts that machines have or
//! have not, and other files are never read.

use crate::base::files::read_text;
use crate::base::refusal::Refusal;
use crate::network::Picture;
use std::path::Path;

/// Largest SVG that is read, in bytes.
const LARGEST: u64 = 16 << 20;

/// Reads a picture file of any kind.
///
/// # Errors
/// As [`Picture::read`]; an SVG is damaged, or holds more than shapes.
pub fn read_picture(path: &Path) -> Result<Picture, Refusal> {
    if !path.extension().is_some_and(|end| end.eq_ignore_ascii_case("svg")) {
        return Picture::read(path);
    }
    let text = read_text(path, LARGEST).map_err(|e| Refusal::unreadable(path, "a picture", &e))?;
    drawn(&text).map_err(|found| Refusal::new("", "an SVG of shapes", found).in_file(path))
}

#[cfg(feature = "figures")]
fn drawn(text: &str) -> Result<Picture, String> {
    use resvg::{tiny_skia, usvg};
    /// Longest side of what is drawn, in pixels: training takes it at its own size.
    const SIDE: f32 = 1024.0;
    /// Elements that are no shapes.
    const NO_SHAPES: [&str; 3] = ["text", "image", "foreignObject"];
    let mut options = roxmltree::ParsingOptions::default();
    (options.allow_dtd, options.nodes_limit) = (true, 1_000_000);
    let document =
        roxmltree::Document::parse_with_options(text, options).map_err(|e| e.to_string())?;
    let mut names = document.descendants().map(|node| node.tag_name().name());
    if let Some(name) = names.find(|name| NO_SHAPES.contains(name)) {
        return Err(format!("<{name}>; turn it into paths, or save it as PNG"));
    }
    let tree = usvg::Tree::from_str(text, &usvg::Options::default()).map_err(|e| e.to_string())?;
    let (width, height) = (tree.size().width(), tree.size().height());
    let scale = SIDE / width.max(height);
    let side = |length: f32| ((length * scale).round() as u32).max(1);
    let mut map = tiny_skia::Pixmap::new(side(width), side(height)).ok_or("no pixels")?;
    map.fill(tiny_skia::Color::WHITE);
    let scaled =
        tiny_skia::Transform::from_scale(map.width() as f32 / width, map.height() as f32 / height);
    resvg::render(&tree, scaled, &mut map.as_mut());
    let rgb = map.data().chunks_exact(4).flat_map(|p| [p[0], p[1], p[2]]);
    let rgb = rgb.map(|value| f32::from(value) / 255.0).collect();
    Ok(Picture { width: map.width() as usize, height: map.height() as usize, rgb })
}

#[cfg(not(feature = "figures"))]
fn drawn(_text: &str) -> Result<Picture, String> {
    Err("a build without figures".into())
}
