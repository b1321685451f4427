//! Self-contained HTML reports: one file, no link out of it, readable on screens (light and dark)
//! and on paper.
//!
//! Every text is escaped. Paragraphs, captions, callouts and list items know three marks:
//! `` `code` ``, `**strong**` and `[words](#section)` for links inside the report. Figures and
//! tables are numbered in the order they stand.

use super::fonts;
use super::style::Colour;
use super::svg::{data_uri, escaped};
use crate::network::Picture;
use std::fmt::Write;

/// A report.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Page {
    /// What was asked, in a few words.
    pub title: String,
    /// The answer, or how it was sought, in a sentence.
    pub subtitle: String,
    /// Small facts under the title: (name, value).
    pub facts: Vec<(String, String)>,
    /// The chapters.
    pub sections: Vec<Section>,
    /// Last line: what wrote this, and from what.
    pub footer: String,
}

/// A chapter: a heading, and blocks under it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Section {
    /// The heading, also in the navigation bar.
    pub title: String,
    /// Paragraphs, figures, tables, in order.
    pub blocks: Vec<Block>,
}

/// What a callout says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Kind {
    #[default]
    Note,
    Good,
    Warning,
    Bad,
}

/// A picture with words under it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Shot {
    /// PNG bytes.
    pub png: Vec<u8>,
    /// Pixels of the PNG across.
    pub width: usize,
    /// Under the picture, bold.
    pub label: String,
    /// Under the label, grey: a number or two.
    pub sub: String,
    /// A frame around it.
    pub frame: Option<Colour>,
}

impl Shot {
    /// A picture with a label.
    pub fn new(picture: &Picture, label: impl Into<String>) -> Self {
        Shot {
            png: picture.to_png(&[]),
            width: picture.width,
            label: label.into(),
            ..Shot::default()
        }
    }

    /// With a second line.
    pub fn second_line(mut self, text: impl Into<String>) -> Self {
        self.sub = text.into();
        self
    }

    /// With a frame.
    pub fn framed(mut self, colour: Colour) -> Self {
        self.frame = Some(colour);
        self
    }
}

/// A number worth a large print.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tile {
    /// The number.
    pub value: String,
    /// What it is.
    pub what: String,
    /// Interval, count, comparison; may be empty.
    pub more: String,
    /// Colour of its edge: an arm's.
    pub tone: Option<Colour>,
}

/// How a column stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Align {
    #[default]
    Left,
    Middle,
    /// Numbers.
    Right,
}

/// A table cell.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Cell {
    /// Its text.
    pub text: String,
    /// The best of its column: bold, on a pale ground.
    pub strong: bool,
    /// Does not count (an unfit network): grey, slanted.
    pub faint: bool,
    /// A small square of this colour before the text: an arm's.
    pub swatch: Option<Colour>,
    /// Number of a footnote, from 1.
    pub note: Option<usize>,
}

impl<T: Into<String>> From<T> for Cell {
    fn from(text: T) -> Self {
        Cell { text: text.into(), ..Cell::default() }
    }
}

impl Cell {
    /// A plain cell.
    pub fn new(text: impl Into<String>) -> Self {
        text.into().into()
    }

    /// The best of its column, if so.
    pub fn strong(mut self, strong: bool) -> Self {
        self.strong = strong;
        self
    }

    /// Does not count, if so.
    pub fn faint(mut self, faint: bool) -> Self {
        self.faint = faint;
        self
    }

    /// With a square of colour.
    pub fn swatch(mut self, colour: Colour) -> Self {
        self.swatch = Some(colour);
        self
    }

    /// With a footnote's number, from 1.
    pub fn note(mut self, note: usize) -> Self {
        self.note = Some(note);
        self
    }
}

/// A table.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Table {
    /// What it shows.
    pub caption: String,
    /// Column heads.
    pub headers: Vec<String>,
    /// How each column stands; missing ones: left.
    pub align: Vec<Align>,
    /// Rows of cells.
    pub rows: Vec<Vec<Cell>>,
    /// Notes under the table, numbered from 1.
    pub notes: Vec<String>,
}

/// A piece of a section.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs)]
pub enum Block {
    Heading(String),
    Paragraph(String),
    List(Vec<String>),
    /// SVG text of this program (not escaped), caption, wide: scroll instead of shrinking.
    Figure(String, String, bool),
    /// A large PNG (a sheet): bytes, shown width in pixels, caption.
    Sheet(Vec<u8>, usize, String),
    /// Pictures side by side: pictures, shown width of each in pixels, caption.
    Pictures(Vec<Shot>, usize, String),
    Tiles(Vec<Tile>),
    Table(Table),
    /// Kind, heading, text.
    Callout(Kind, String, String),
    Code(String),
    /// Blocks behind a summary, opened by the reader.
    Details(String, Vec<Block>),
}

impl Section {
    /// An empty section.
    pub fn new(title: impl Into<String>) -> Self {
        Section { title: title.into(), blocks: Vec::new() }
    }

    fn push(mut self, block: Block) -> Self {
        self.blocks.push(block);
        self
    }

    /// A smaller heading.
    pub fn heading(self, text: impl Into<String>) -> Self {
        self.push(Block::Heading(text.into()))
    }

    /// A paragraph.
    pub fn paragraph(self, text: impl Into<String>) -> Self {
        self.push(Block::Paragraph(text.into()))
    }

    /// A list.
    pub fn list<T: Into<String>>(self, items: impl IntoIterator<Item = T>) -> Self {
        self.push(Block::List(items.into_iter().map(Into::into).collect()))
    }

    /// A figure drawn by this room (its SVG goes in as it is).
    pub fn figure(self, svg: impl Into<String>, caption: impl Into<String>) -> Self {
        self.push(Block::Figure(svg.into(), caption.into(), false))
    }

    /// A figure too large for the page: it scrolls sideways instead of shrinking.
    pub fn wide_figure(self, svg: impl Into<String>, caption: impl Into<String>) -> Self {
        self.push(Block::Figure(svg.into(), caption.into(), true))
    }

    /// A large picture (PNG bytes) shown `width` pixels wide.
    pub fn sheet(self, png: Vec<u8>, width: usize, caption: impl Into<String>) -> Self {
        self.push(Block::Sheet(png, width, caption.into()))
    }

    /// Pictures side by side, each shown `width` pixels wide.
    pub fn pictures(
        self,
        shots: impl IntoIterator<Item = Shot>,
        width: usize,
        caption: impl Into<String>,
    ) -> Self {
        self.push(Block::Pictures(shots.into_iter().collect(), width, caption.into()))
    }

    /// Large numbers side by side.
    pub fn tiles(self, tiles: impl IntoIterator<Item = Tile>) -> Self {
        self.push(Block::Tiles(tiles.into_iter().collect()))
    }

    /// A table.
    pub fn table(self, table: Table) -> Self {
        self.push(Block::Table(table))
    }

    /// A remark set apart: a kind, a few bold words, a text.
    pub fn callout(self, kind: Kind, heading: impl Into<String>, text: impl Into<String>) -> Self {
        self.push(Block::Callout(kind, heading.into(), text.into()))
    }

    /// Commands or code, as they are.
    pub fn code(self, text: impl Into<String>) -> Self {
        self.push(Block::Code(text.into()))
    }

    /// The blocks of another section, folded away under a summary.
    pub fn details(self, summary: impl Into<String>, inside: Section) -> Self {
        self.push(Block::Details(summary.into(), inside.blocks))
    }
}

impl Page {
    /// An empty report.
    pub fn new(title: impl Into<String>, subtitle: impl Into<String>) -> Self {
        Page { title: title.into(), subtitle: subtitle.into(), ..Page::default() }
    }

    /// With one more small fact.
    pub fn fact(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.facts.push((name.into(), value.into()));
        self
    }

    /// With one more section.
    pub fn section(mut self, section: Section) -> Self {
        self.sections.push(section);
        self
    }

    /// With a last line.
    pub fn footer(mut self, text: impl Into<String>) -> Self {
        self.footer = text.into();
        self
    }

    /// The whole file.
    pub fn render(&self) -> String {
        let mut out = Writer::default();
        let ids = self.ids();
        for (section, id) in self.sections.iter().zip(&ids) {
            let _ =
                writeln!(out.text, "<section>\n<h2 id=\"{id}\">{}</h2>", escaped(&section.title));
            out.blocks(&section.blocks);
            out.text.push_str("</section>\n");
        }
        let mut nav = String::from("<a class=\"home\" href=\"#top\">Picloom</a>");
        for (section, id) in self.sections.iter().zip(&ids) {
            let _ = write!(nav, "<a href=\"#{id}\">{}</a>", escaped(&section.title));
        }
        let mut facts = String::new();
        for (name, value) in &self.facts {
            let _ =
                write!(facts, "<div><dt>{}</dt><dd>{}</dd></div>", escaped(name), inline(value));
        }
        if !facts.is_empty() {
            facts = format!("<dl class=\"facts\">{facts}</dl>\n");
        }
        let footer = if self.footer.is_empty() {
            String::new()
        } else {
            format!("<footer>{}</footer>\n", inline(&self.footer))
        };
        let faces = if out.svg { font_faces() } else { String::new() };
        format!(
            "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; \
             img-src data:; font-src data:; style-src 'unsafe-inline'\">\n\
             <title>{title}</title>\n<style>\n{css}{faces}</style>\n</head>\n<body id=\"top\">\n\
             <nav><div>{nav}</div></nav>\n<header>\n<h1>{title}</h1>\n\
             <p class=\"subtitle\">{subtitle}</p>\n{facts}</header>\n<main>\n{body}</main>\n{footer}\
             </body>\n</html>\n",
            title = escaped(&self.title),
            subtitle = inline(&self.subtitle),
            css = CSS,
            body = out.text,
        )
    }

    /// An id for each section: its title in lower case, joined by hyphens, made unique.
    fn ids(&self) -> Vec<String> {
        let mut ids: Vec<String> = Vec::new();
        for section in &self.sections {
            let slug = slug(&section.title);
            let mut id = slug.clone();
            let mut n = 2;
            while ids.contains(&id) || id == "top" {
                id = format!("{slug}-{n}");
                n += 1;
            }
            ids.push(id);
        }
        ids
    }
}

const CSS: &str = include_str!("../../assets/report.css");

/// The id a section with this title gets (if it is the first of that name): for links to it.
pub fn slug(title: &str) -> String {
    let words: String = title
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { ' ' })
        .collect();
    let slug = words.split_whitespace().collect::<Vec<_>>().join("-");
    if slug.is_empty() { "section".into() } else { slug }
}

fn font_faces() -> String {
    let mut faces = String::new();
    for (weight, bytes) in [("normal", fonts::REGULAR), ("bold", fonts::BOLD)] {
        let _ = writeln!(
            faces,
            "@font-face {{ font-family: \"{}\"; font-weight: {weight}; \
             src: url(data:font/ttf;base64,{}) format(\"truetype\"); }}",
            fonts::FACE,
            crate::network::base64::base64(bytes)
        );
    }
    faces
}

/// Escaped text with `code`, **strong** and [links](#inside).
fn inline(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(['`', '*', '[']) {
        out.push_str(&escaped(&rest[..at]));
        rest = &rest[at..];
        let taken = wrapped_in(rest, "`", "`")
            .map(|(inner, n)| (format!("<code>{}</code>", escaped(inner)), n))
            .or_else(|| {
                wrapped_in(rest, "**", "**")
                    .map(|(inner, n)| (format!("<b>{}</b>", inline(inner)), n))
            })
            .or_else(|| link(rest));
        match taken {
            Some((html, length)) => {
                out.push_str(&html);
                rest = &rest[length..];
            }
            None => {
                out.push_str(&escaped(&rest[..1]));
                rest = &rest[1..];
            }
        }
    }
    // A number and its sign of percent stay on one line.
    (out + &escaped(rest)).replace(" %", "\u{a0}%")
}

/// What stands between `open` at the start and the next `close`, and the length of all.
fn wrapped_in<'a>(text: &'a str, open: &str, close: &str) -> Option<(&'a str, usize)> {
    let inner = text.strip_prefix(open)?;
    let end = inner.find(close).filter(|&end| end > 0)?;
    Some((&inner[..end], open.len() + end + close.len()))
}

/// `[words](#id)`: only links inside the report are links.
fn link(text: &str) -> Option<(String, usize)> {
    let (words, n) = wrapped_in(text, "[", "](#")?;
    let end = text[n..].find(')')?;
    let id = &text[n..n + end];
    let html = format!("<a href=\"#{}\">{}</a>", escaped(id), escaped(words));
    Some((html, n + end + 1))
}

/// Pixels of a page's column, and between pictures of a row (as in the style sheet).
const PAGE: usize = 944;
const ROW_GAP: usize = 16;

#[derive(Default)]
struct Writer {
    text: String,
    figures: usize,
    tables: usize,
    svg: bool,
}

impl Writer {
    fn blocks(&mut self, blocks: &[Block]) {
        for block in blocks {
            self.block(block);
        }
    }

    fn block(&mut self, block: &Block) {
        match block {
            Block::Heading(text) => self.line(&format!("<h3>{}</h3>", escaped(text))),
            Block::Paragraph(text) => self.line(&format!("<p>{}</p>", inline(text))),
            Block::List(items) => {
                let items: String =
                    items.iter().map(|i| format!("<li>{}</li>", inline(i))).collect();
                self.line(&format!("<ul>{items}</ul>"));
            }
            Block::Figure(svg, caption, wide) => {
                self.svg = true;
                let svg = svg.trim_start_matches(|c| c != '<');
                let class = if *wide { "sheet wide" } else { "sheet" };
                self.figure(&format!("<div class=\"{class}\">{svg}</div>"), caption);
            }
            Block::Sheet(png, width, caption) => {
                let image = format!(
                    "<div class=\"sheet\"><img src=\"{}\" width=\"{width}\" alt=\"{}\"></div>",
                    data_uri(png),
                    escaped(caption)
                );
                self.figure(&image, caption);
            }
            Block::Pictures(shots, width, caption) => self.pictures(shots, *width, caption),
            Block::Tiles(tiles) => self.tiles(tiles),
            Block::Table(table) => self.table(table),
            Block::Callout(kind, heading, text) => {
                let class = match kind {
                    Kind::Note => "note",
                    Kind::Good => "good",
                    Kind::Warning => "warning",
                    Kind::Bad => "bad",
                };
                self.line(&format!(
                    "<aside class=\"{class}\"><div class=\"kind\">{}</div><p>{}</p></aside>",
                    escaped(heading),
                    inline(text)
                ));
            }
            Block::Code(text) => {
                self.line(&format!("<pre><code>{}</code></pre>", escaped(text)));
            }
            Block::Details(summary, inside) => {
                self.line(&format!("<details><summary>{}</summary>", inline(summary)));
                self.blocks(inside);
                self.line("</details>");
            }
        }
    }

    fn line(&mut self, html: &str) {
        self.text.push_str(html);
        self.text.push('\n');
    }

    /// A numbered figure; without a caption, a figure without a number.
    fn figure(&mut self, content: &str, caption: &str) {
        if caption.is_empty() {
            return self.line(&format!("<figure>{content}</figure>"));
        }
        self.figures += 1;
        self.line(&format!(
            "<figure>{content}<figcaption><b>Figure {}.</b> {}</figcaption></figure>",
            self.figures,
            inline(caption)
        ));
    }

    fn pictures(&mut self, shots: &[Shot], width: usize, caption: &str) {
        // A row that nearly fits is made to fit.
        let count = shots.len().max(1);
        let fitting = (PAGE + ROW_GAP) / count - ROW_GAP.min((PAGE + ROW_GAP) / count);
        let width = if 4 * fitting >= 3 * width { width.min(fitting) } else { width };
        let mut row = format!("<div class=\"row\" style=\"--size:{width}px\">");
        for shot in shots {
            let mut class = Vec::new();
            // On screens with two pixels a pixel, even a picture of full size is enlarged.
            if shot.width < 2 * width {
                class.push("pixelated");
            }
            let mut frame = String::new();
            if let Some(colour) = shot.frame {
                class.push("framed");
                frame = format!(" style=\"--frame:{}\"", colour.hex());
            }
            let _ = write!(
                row,
                "<div><img class=\"{}\"{frame} src=\"{}\" alt=\"{}\">",
                class.join(" "),
                data_uri(&shot.png),
                escaped(&shot.label)
            );
            if !shot.label.is_empty() {
                let _ = write!(row, "<div class=\"label\">{}</div>", escaped(&shot.label));
            }
            if !shot.sub.is_empty() {
                let _ = write!(row, "<div class=\"sub\">{}</div>", inline(&shot.sub));
            }
            row.push_str("</div>");
        }
        row.push_str("</div>");
        self.figure(&row, caption);
    }

    fn tiles(&mut self, tiles: &[Tile]) {
        let mut out = String::from("<div class=\"tiles\">");
        for tile in tiles {
            let tone =
                tile.tone.map_or(String::new(), |c| format!(" style=\"--tone:{}\"", c.hex()));
            let _ = write!(
                out,
                "<div{tone}><div class=\"value\">{}</div><div class=\"what\">{}</div>",
                escaped(&tile.value),
                inline(&tile.what)
            );
            if !tile.more.is_empty() {
                let _ = write!(out, "<div class=\"more\">{}</div>", inline(&tile.more));
            }
            out.push_str("</div>");
        }
        self.line(&(out + "</div>"));
    }

    fn table(&mut self, table: &Table) {
        let class = |column: usize| match table.align.get(column) {
            Some(Align::Right) => "right",
            Some(Align::Middle) => "middle",
            _ => "",
        };
        let mut out = String::from("<div class=\"table\"><table>");
        if !table.caption.is_empty() {
            self.tables += 1;
            let _ = write!(
                out,
                "<caption><b>Table {}.</b> {}</caption>",
                self.tables,
                inline(&table.caption)
            );
        }
        out.push_str("<thead><tr>");
        for (i, header) in table.headers.iter().enumerate() {
            let _ =
                write!(out, "<th scope=\"col\"{}>{}</th>", classes(&[class(i)]), inline(header));
        }
        out.push_str("</tr></thead>\n<tbody>");
        for row in &table.rows {
            out.push_str("<tr>");
            for (i, cell) in row.iter().enumerate() {
                let strong = if cell.strong { "strong" } else { "" };
                let faint = if cell.faint { "faint" } else { "" };
                let swatch = cell.swatch.map_or(String::new(), |c| {
                    format!("<i class=\"swatch\" style=\"background:{}\"></i>", c.hex())
                });
                let note = cell.note.map_or(String::new(), |n| format!("<sup>{n}</sup>"));
                let _ = write!(
                    out,
                    "<td{}>{swatch}{}{note}</td>",
                    classes(&[class(i), strong, faint]),
                    inline(&cell.text)
                );
            }
            out.push_str("</tr>\n");
        }
        out.push_str("</tbody></table>");
        if !table.notes.is_empty() {
            out.push_str("<ol class=\"notes\">");
            for note in &table.notes {
                let _ = write!(out, "<li>{}</li>", inline(note));
            }
            out.push_str("</ol>");
        }
        self.line(&(out + "</div>"));
    }
}

/// ` class="…"`, or nothing.
fn classes(names: &[&str]) -> String {
    let names: Vec<&str> = names.iter().filter(|n| !n.is_empty()).copied().collect();
    if names.is_empty() { String::new() } else { format!(" class=\"{}\"", names.join(" ")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inline_marks_are_understood_and_everything_else_is_escaped() {
        assert_eq!(
            inline("a `x<y` **b & `c`** [d](#e) * 2 < 3"),
            "a <code>x&lt;y</code> <b>b &amp; <code>c</code></b> <a href=\"#e\">d</a> * 2 &lt; 3"
        );
        assert_eq!(
            inline("[out](http://x) <script>alert('`')</script>"),
            "[out](http://x) &lt;script&gt;alert(&#39;`&#39;)&lt;/script&gt;"
        );
        assert_eq!(inline("unclosed ` and ** and [ é"), "unclosed ` and ** and [ é");
    }

    #[test]
    fn sections_get_ids_of_their_own() {
        let page = Page::new("t", "")
            .section(Section::new("What, then?"))
            .section(Section::new("What then"))
            .section(Section::new("∑"));
        assert_eq!(page.ids(), ["what-then", "what-then-2", "section"]);
    }
}
