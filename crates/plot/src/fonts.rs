//! The one font of every figure: a subset of DejaVu Sans, regular and bold, inside the program.
//!
//! No font of the system is ever read: the same figure comes out on every machine. The subset
//! (ASCII, Latin, Greek, mathematics, arrows) is cut by `fonts/subset.py`; its licence is
//! beside it.

use plotters::style::{FontStyle, IntoFont, register_font};
use std::collections::BTreeSet;
use std::sync::{Arc, LazyLock, Once};

/// The regular face.
pub const REGULAR: &[u8] = include_bytes!("../fonts/DejaVuSans-subset.ttf");
/// The bold face.
pub const BOLD: &[u8] = include_bytes!("../fonts/DejaVuSans-Bold-subset.ttf");

/// The `font-family` written into SVG. DejaVu Sans is what we draw and measure with; Verdana has
/// nearly the same widths where an SVG is opened on a machine without it.
pub(crate) const FAMILY: &str = "DejaVu Sans, Verdana, sans-serif";

/// The name of the face inside the font files.
pub const FACE: &str = "DejaVu Sans";

/// ab_glyph scales a font so that ascent − descent = size; for DejaVu that is 2384/2048 em.
const ASCENT_TO_DESCENT: f64 = 2384.0 / 2048.0;

/// Registers the font with plotters; later calls do nothing.
pub(crate) fn register() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        for (style, bytes) in [(FontStyle::Normal, REGULAR), (FontStyle::Bold, BOLD)] {
            if register_font(FAMILY, style, bytes).is_err() {
                unreachable!("the embedded font is a font: a unit test reads it");
            }
        }
    });
}

/// How an SVG is read: with our two faces and nothing else.
pub(super) fn options() -> resvg::usvg::Options<'static> {
    resvg::usvg::Options {
        fontdb: database(),
        font_family: FACE.into(),
        ..resvg::usvg::Options::default()
    }
}

/// The font database given to resvg.
fn database() -> Arc<resvg::usvg::fontdb::Database> {
    static DATABASE: LazyLock<Arc<resvg::usvg::fontdb::Database>> = LazyLock::new(|| {
        let mut database = resvg::usvg::fontdb::Database::new();
        database.load_font_data(REGULAR.to_vec());
        database.load_font_data(BOLD.to_vec());
        database.set_sans_serif_family(FACE);
        database.set_serif_family(FACE);
        database.set_monospace_family(FACE);
        Arc::new(database)
    });
    DATABASE.clone()
}

/// The letters of a text that the font lacks, each once: boxes are drawn in their place.
pub(crate) fn lacking(text: &str) -> String {
    let face = ttf_parser::Face::parse(REGULAR, 0).expect("the embedded font is a font");
    let mut known = BTreeSet::new();
    let lacks = |letter: &char| !letter.is_control() && face.glyph_index(*letter).is_none();
    text.chars().filter(lacks).filter(|letter| known.insert(*letter)).collect()
}

/// Width of a line of text, in pixels, at `em` pixels a em.
pub fn text_width(text: &str, em: f64, bold: bool) -> f64 {
    register();
    // Measured large, because plotters rounds to whole pixels.
    const LARGE: f64 = 2000.0;
    let style = if bold { FontStyle::Bold } else { FontStyle::Normal };
    let font = (FAMILY, LARGE, style).into_font();
    let width = font.box_size(text).map_or(0, |(width, _)| width);
    f64::from(width) * em * ASCENT_TO_DESCENT / LARGE
}

/// The text, cut and ended with `…` if it is wider than `width` pixels.
pub fn ellipsized(text: &str, em: f64, bold: bool, width: f64) -> String {
    if text_width(text, em, bold) <= width {
        return text.to_string();
    }
    let ends: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
    let cut = |end: usize| format!("{}…", text[..end].trim_end());
    let fitting = ends.partition_point(|&end| text_width(&cut(end), em, bold) <= width);
    cut(ends.get(fitting.saturating_sub(1)).copied().unwrap_or(0))
}

/// The text broken at spaces and after hyphens into lines no wider than `width` pixels and at most `lines` of them;
/// what does not fit is cut with `…`.
pub fn wrapped(text: &str, em: f64, bold: bool, width: f64, lines: usize) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    let mut words = pieces(text).into_iter().peekable();
    while let Some(word) = words.next() {
        let mut line = word.trim_start().to_string();
        if out.len() + 1 >= lines.max(1) {
            for word in words.by_ref() {
                line.push_str(&word);
            }
        } else {
            while let Some(next) = words.peek() {
                let longer = format!("{line}{next}");
                if text_width(&longer, em, bold) > width {
                    break;
                }
                line = longer;
                words.next();
            }
        }
        out.push(ellipsized(&line, em, bold, width));
    }
    out
}

/// The text in pieces between which a line may break: before a space, after a hyphen. A piece that
/// followed a space begins with one.
pub(super) fn pieces(text: &str) -> Vec<String> {
    let mut out = Vec::new();
    for word in text.split(' ').filter(|w| !w.is_empty()) {
        for (i, part) in word.split_inclusive('-').enumerate() {
            let space = if i == 0 && !out.is_empty() { " " } else { "" };
            out.push(format!("{space}{part}"));
        }
    }
    out
}
