//! A small SVG writer for what plotters does not draw: pictures inside figures, and wirings.
//!
//! Coordinates are rounded to a hundredth of a pixel, so the text is short and the same everywhere.

use super::fonts::FAMILY;
use super::style::{Colour, PAPER};
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use std::fmt::Write;

/// Which part of a text stands at its x.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Anchor {
    /// Its beginning.
    Start,
    /// Its middle.
    Middle,
    /// Its end.
    End,
}

/// An SVG being written, of a fixed size in pixels.
pub struct Svg {
    width: f64,
    height: f64,
    body: String,
}

impl Svg {
    /// White paper.
    pub fn new(width: f64, height: f64) -> Self {
        Svg { width, height, body: String::new() }
    }

    /// A rectangle, filled, outlined (colour, width; the line lies inside), or both.
    pub fn rect(
        &mut self,
        x: f64,
        y: f64,
        width: f64,
        height: f64,
        fill: Option<Colour>,
        line: Option<(Colour, f64)>,
    ) {
        let inset = line.map_or(0.0, |(_, w)| w / 2.0);
        let _ = write!(
            self.body,
            "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"{}\"",
            n(x + inset),
            n(y + inset),
            n(width - 2.0 * inset),
            n(height - 2.0 * inset),
            fill.map_or("none".into(), Colour::hex)
        );
        if let Some((colour, width)) = line {
            let _ = write!(self.body, " stroke=\"{}\" stroke-width=\"{}\"", colour.hex(), n(width));
        }
        self.body.push_str("/>\n");
    }

    /// A filled circle with an optional outline.
    pub fn circle(
        &mut self,
        centre: (f64, f64),
        radius: f64,
        fill: Colour,
        line: Option<(Colour, f64)>,
    ) {
        let _ = write!(
            self.body,
            "<circle cx=\"{}\" cy=\"{}\" r=\"{}\" fill=\"{}\"",
            n(centre.0),
            n(centre.1),
            n(radius),
            fill.hex()
        );
        if let Some((colour, width)) = line {
            let _ = write!(self.body, " stroke=\"{}\" stroke-width=\"{}\"", colour.hex(), n(width));
        }
        self.body.push_str("/>\n");
    }

    /// The head of an arrow whose point is at `tip`, to the right (1) or to the left (−1).
    pub fn arrow(&mut self, (x, y): (f64, f64), way: f64, fill: Colour) {
        let back = x - 9.0 * way;
        let points = [(x, y), (back, y - 4.5), (back, y + 4.5)];
        let points = points.map(|(x, y)| format!("{},{}", n(x), n(y))).join(" ");
        let _ = writeln!(self.body, "<polygon points=\"{points}\" fill=\"{}\"/>", fill.hex());
    }

    /// A line of text whose baseline is at `y`.
    pub fn text(
        &mut self,
        (x, y): (f64, f64),
        text: &str,
        em: f64,
        bold: bool,
        colour: Colour,
        anchor: Anchor,
    ) {
        let anchor = match anchor {
            Anchor::Start => "",
            Anchor::Middle => " text-anchor=\"middle\"",
            Anchor::End => " text-anchor=\"end\"",
        };
        let weight = if bold { " font-weight=\"bold\"" } else { "" };
        let _ = writeln!(
            self.body,
            "<text x=\"{}\" y=\"{}\" font-size=\"{}\" fill=\"{}\"{anchor}{weight}>{}</text>",
            n(x),
            n(y),
            n(em),
            colour.hex(),
            escaped(text)
        );
    }

    /// A PNG (its bytes) over a rectangle; `pixelated` keeps enlarged pixels square.
    pub fn image(
        &mut self,
        (x, y): (f64, f64),
        (width, height): (f64, f64),
        png: &[u8],
        pixelated: bool,
    ) {
        let _ = writeln!(
            self.body,
            "<image x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" preserveAspectRatio=\"none\"{} href=\"{}\"/>",
            n(x),
            n(y),
            n(width),
            n(height),
            if pixelated { " style=\"image-rendering:pixelated\"" } else { "" },
            data_uri(png)
        );
    }

    /// SVG of one's own making.
    pub fn raw(&mut self, text: &str) {
        self.body.push_str(text);
    }

    /// Opens a group: what is drawn until it is closed has this tooltip.
    pub fn open(&mut self, says: &str) {
        let _ = writeln!(self.body, "<g><title>{}</title>", escaped(says));
    }

    /// Closes a group.
    pub fn close(&mut self) {
        self.body.push_str("</g>\n");
    }

    /// The whole document. `title` is what a screen reader says.
    pub fn finish(self, title: &str) -> String {
        let height = self.height;
        self.finish_at(height, title)
    }

    /// The same, of a height that was not known before.
    pub(crate) fn finish_at(self, height: f64, title: &str) -> String {
        let mut whole = Svg::new(self.width, height);
        whole.rect(0.0, 0.0, self.width, height, Some(PAPER), None);
        whole.raw(&self.body);
        document((self.width, height), (self.width, height), title, &whole.body)
    }
}

/// An SVG document of `size` pixels whose body is drawn in a `view` of other units.
pub(crate) fn document(size: (f64, f64), view: (f64, f64), title: &str, body: &str) -> String {
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{}\" height=\"{}\" viewBox=\"0 0 {} {}\" \
         font-family=\"{FAMILY}\" stroke-linejoin=\"round\" role=\"img\">\n<title>{}</title>\n{body}</svg>\n",
        n(size.0),
        n(size.1),
        n(view.0),
        n(view.1),
        escaped(title)
    )
}

/// A coordinate, rounded to a hundredth, without useless zeros; 0 for NaN.
pub fn n(value: f64) -> String {
    if !value.is_finite() {
        return "0".into();
    }
    let text = format!("{value:.2}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" { "0".into() } else { text.into() }
}

/// Text made safe for XML and HTML, in content and in quoted attributes; see also [`visible`].
pub fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in visible(text).chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c => out.push(c),
        }
    }
    out
}

/// The text with U+FFFD for what cannot be seen: control characters but for line ends and tabs (XML
/// forbids most of them), signs that turn the direction of what follows, and no characters at all.
pub fn visible(text: &str) -> String {
    let hidden = |c: char| match c {
        '\t' | '\n' | '\r' => false,
        '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{fffe}' | '\u{ffff}' => true,
        c => c.is_control(),
    };
    text.replace(hidden, "\u{fffd}")
}

/// `data:image/png;base64,…`, or of a JPEG.
pub fn data_uri(image: &[u8]) -> String {
    let kind = if image.starts_with(&[0xff, 0xd8]) { "jpeg" } else { "png" };
    format!("data:image/{kind};base64,{}", BASE64_STANDARD.encode(image))
}

/// The width an SVG says it has, in whole pixels.
pub fn width_of(svg: &str) -> Option<usize> {
    let (_, rest) = svg[..svg.find('>')?].split_once(" width=\"")?;
    let digits = rest.find(|c: char| !c.is_ascii_digit())?;
    rest[..digits].parse().ok()
}
