//! Self-contained HTML reports: one file, no link out of it, readable on screens (light and dark)
//! and on paper.
//!
//! Every text is escaped, by maud. Paragraphs, captions, callouts and list items know three marks:
//! `` `code` ``, `**strong**` and `[words](#section)` for links inside the report. Figures and
//! tables are numbered in the order they stand.

use super::files::WIDE;
use super::fonts;
use super::style::Colour;
use super::svg::{data_uri, visible, width_of};
use super::words::meaning;
use crate::network::Picture;
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use maud::{DOCTYPE, Markup, PreEscaped, html};
use sha2::{Digest, Sha256};

/// A report.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Page {
    /// The title: the question, in a few words.
    pub title: String,
    /// The answer, or how it was sought, in a sentence.
    pub subtitle: String,
    /// Small facts under the title: (name, value).
    pub facts: Vec<(String, String)>,
    /// A warning before anything else: a kind, a few bold words, a text.
    pub banner: Option<(Kind, String, String)>,
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

/// The kind of a callout.
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
    pub(crate) fn framed(mut self, colour: Colour) -> Self {
        self.frame = Some(colour);
        self
    }
}

/// A number worth a large print.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tile {
    /// The number.
    pub value: String,
    /// The name of the number.
    pub what: String,
    /// The word of the page's table that says what the number means; may be empty.
    pub means: &'static str,
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
    pub(crate) fn faint(mut self, faint: bool) -> Self {
        self.faint = faint;
        self
    }

    /// With a square of colour.
    pub fn swatch(mut self, colour: Colour) -> Self {
        self.swatch = Some(colour);
        self
    }
}

/// A table.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Table {
    /// Its caption.
    pub caption: String,
    /// Column heads.
    pub headers: Vec<String>,
    /// How each column stands; missing ones: left.
    pub align: Vec<Align>,
    /// Rows of cells.
    pub rows: Vec<Vec<Cell>>,
}

/// A piece of a section.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs)]
pub enum Block {
    Heading(String),
    Paragraph(String),
    List(Vec<String>),
    /// SVG text of this program (not escaped), caption.
    Figure(String, String),
    /// A large picture (PNG or JPEG): bytes, its width in pixels, caption.
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
        self.push(Block::Figure(svg.into(), caption.into()))
    }

    /// A large picture (bytes of a PNG or JPEG), `width` pixels wide.
    pub(crate) fn sheet(self, image: Vec<u8>, width: usize, caption: impl Into<String>) -> Self {
        self.push(Block::Sheet(image, width, caption.into()))
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

    /// With a remark above all chapters.
    pub fn banner(mut self, kind: Kind, heading: &str, text: impl Into<String>) -> Self {
        self.banner = Some((kind, heading.into(), text.into()));
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
        let ids = self.ids();
        let mut writer = Writer::default();
        let sections: Vec<Markup> =
            self.sections.iter().map(|s| writer.blocks(&s.blocks)).collect();
        let page = html! {
            (DOCTYPE)
            html lang="en" {
                head {
                    meta charset="utf-8";
                    meta name="viewport" content="width=device-width, initial-scale=1";
                    meta http-equiv="Content-Security-Policy" content=(policy());
                    title { (self.title) }
                    style { (PreEscaped(CSS)) @if writer.svg { (PreEscaped(font_faces())) } }
                }
                body #top {
                    nav { div {
                        a.home href="#top" { "Picloom" }
                        @for (section, id) in self.sections.iter().zip(&ids) {
                            a href={ "#" (id) } { (section.title) }
                        }
                    } }
                    header {
                        h1 { (self.title) }
                        p.subtitle { (inline(&self.subtitle)) }
                        @if !self.facts.is_empty() {
                            dl.facts { @for (name, value) in &self.facts {
                                div { dt title=[meaning(name)] { (name) } dd { (inline(value)) } }
                            } }
                        }
                    }
                    @if let Some((kind, heading, text)) = &self.banner {
                        div.banner { (callout(*kind, heading, text)) }
                    }
                    main { @for ((section, id), blocks) in self.sections.iter().zip(&ids).zip(&sections) {
                        section { h2 id=(id) { (section.title) } (blocks) }
                    } }
                    @if !self.footer.is_empty() { footer { (inline(&self.footer)) } }
                    script { (PreEscaped(SCRIPT)) }
                }
            }
        };
        visible(&page.into_string())
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
/// Sorts tables and saves figures; the only script of a page, known to the browser by its hash.
pub(crate) const SCRIPT: &str = include_str!("../../assets/report.js");

/// Nothing is fetched, not even by mistake, and no other script runs.
fn policy() -> String {
    format!(
        "default-src 'none'; img-src data:; font-src data:; style-src 'unsafe-inline'; \
         script-src 'sha256-{}'",
        BASE64_STANDARD.encode(Sha256::digest(SCRIPT))
    )
}

/// The id a section with this title gets (if it is the first of that name): for links to it.
pub(crate) fn slug(title: &str) -> String {
    let words: String = title
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { ' ' })
        .collect();
    let slug = words.split_whitespace().collect::<Vec<_>>().join("-");
    if slug.is_empty() { "section".into() } else { slug }
}

fn font_faces() -> String {
    let face = |(weight, bytes)| {
        format!(
            "@font-face {{ font-family: \"{}\"; font-weight: {weight}; \
             src: url(data:font/ttf;base64,{}) format(\"truetype\"); }}\n",
            fonts::FACE,
            BASE64_STANDARD.encode(bytes)
        )
    };
    [("normal", fonts::REGULAR), ("bold", fonts::BOLD)].map(face).concat()
}

/// Escaped text with `code`, **strong** and [links](#inside).
fn inline(text: &str) -> Markup {
    // A number and its sign of percent stay on one line.
    let text = text.replace(" %", "\u{a0}%");
    let (mut out, mut rest) = (String::new(), text.as_str());
    while let Some(at) = rest.find(['`', '*', '[']) {
        let (plain, marked) = rest.split_at(at);
        let (piece, length) = mark(marked).unwrap_or_else(|| (html! { (marked[..1]) }, 1));
        out += &html! { (plain) (piece) }.0;
        rest = &marked[length..];
    }
    PreEscaped(out + &html! { (rest) }.0)
}

/// The mark that the text begins with, and how long it is.
fn mark(text: &str) -> Option<(Markup, usize)> {
    if let Some((inner, length)) = wrapped_in(text, "`", "`") {
        return Some((html! { code { (inner) } }, length));
    }
    if let Some((inner, length)) = wrapped_in(text, "**", "**") {
        return Some((html! { b { (inline(inner)) } }, length));
    }
    // Only links inside the report are links.
    let (words, start) = wrapped_in(text, "[", "](#").filter(|(w, _)| !w.contains(['[', ']']))?;
    let end = start + text[start..].find(')')?;
    Some((html! { a href={ "#" (text[start..end]) } { (words) } }, end + 1))
}

/// The text between `open` at the start and the next `close`, and the length of all.
fn wrapped_in<'a>(text: &'a str, open: &str, close: &str) -> Option<(&'a str, usize)> {
    let inner = text.strip_prefix(open)?;
    let end = inner.find(close).filter(|&end| end > 0)?;
    Some((&inner[..end], open.len() + end + close.len()))
}

/// Pixels of a page's column, and between pictures of a row (as in the style sheet).
const PAGE: usize = 944;
const ROW_GAP: usize = 16;

/// Counts figures and tables as they are written.
#[derive(Default)]
struct Writer {
    figures: usize,
    tables: usize,
    svg: bool,
}

impl Writer {
    fn blocks(&mut self, blocks: &[Block]) -> Markup {
        html! { @for block in blocks { (self.block(block)) "\n" } }
    }

    fn block(&mut self, block: &Block) -> Markup {
        match block {
            Block::Heading(text) => html! { h3 { (text) } },
            Block::Paragraph(text) => html! { p { (inline(text)) } },
            Block::List(items) => html! { ul { @for item in items { li { (inline(item)) } } } },
            Block::Figure(svg, caption) => {
                self.svg = true;
                let svg = svg.trim_start_matches(|c| c != '<');
                self.figure(sheet(width_of(svg), html! { (PreEscaped(svg)) }), caption)
            }
            Block::Sheet(image, width, caption) => {
                let image = html! { img src=(data_uri(image)) width=(width) alt=(caption); };
                self.figure(sheet(Some(*width), image), caption)
            }
            Block::Pictures(shots, width, caption) => self.figure(row(shots, *width), caption),
            Block::Tiles(all) => html! { div.tiles { @for tile in all {
                div style=[tile.tone.map(|c| format!("--tone:{}", c.hex()))] {
                    div.value title=[meaning(tile.means)] { (tile.value) }
                    div.what { (inline(&tile.what)) }
                    @if !tile.more.is_empty() { div.more { (inline(&tile.more)) } }
                }
            } } },
            Block::Table(table) => self.table(table),
            Block::Callout(kind, heading, text) => callout(*kind, heading, text),
            Block::Code(text) => html! { pre { code { (text) } } },
            Block::Details(summary, inside) => html! {
                details { summary { (inline(summary)) } (self.blocks(inside)) }
            },
        }
    }

    /// A numbered figure; without a caption, a figure without a number.
    fn figure(&mut self, content: Markup, caption: &str) -> Markup {
        self.figures += usize::from(!caption.is_empty());
        html! { figure {
            (content)
            @if !caption.is_empty() {
                figcaption { b { "Figure " (self.figures) "." } " " (inline(caption)) }
            }
        } }
    }

    fn table(&mut self, table: &Table) -> Markup {
        let align = |column: usize| match table.align.get(column) {
            Some(Align::Right) => Some("right"),
            Some(Align::Middle) => Some("middle"),
            _ => None,
        };
        self.tables += usize::from(!table.caption.is_empty());
        html! { div.table {
            table {
                @if !table.caption.is_empty() {
                    caption { b { "Table " (self.tables) "." } " " (inline(&table.caption)) }
                }
                thead { tr { @for (i, header) in table.headers.iter().enumerate() {
                    th scope="col" class=[align(i)] title=[meaning(header)] { (inline(header)) }
                } } }
                tbody { @for row in &table.rows {
                    // On a narrow screen a row is a list, and every cell says what it is.
                    tr { @for (i, cell) in row.iter().enumerate() {
                        td data-head=[table.headers.get(i)] class=[classes([
                            align(i),
                            cell.strong.then_some("strong"),
                            cell.faint.then_some("faint"),
                            cell.swatch.map(|_| "key"),
                        ])] {
                            @if let Some(colour) = cell.swatch {
                                i.swatch style={ "background:" (colour.hex()) } {}
                            }
                            (inline(&cell.text))
                        }
                    } }
                } }
            }
        } }
    }
}

/// The ground of a figure. The style sheet needs the figure's width in pixels: it keeps the words legible, and lets the
/// reader push the figure sideways on a narrow screen. A figure wider than [`WIDE`] takes the whole window.
fn sheet(width: Option<usize>, inside: Markup) -> Markup {
    let style = width.map(|width| format!("--wide:{width}px"));
    let wide = width.filter(|&width| width > WIDE).map(|_| "wide");
    html! { div class=[classes([Some("sheet"), wide])] tabindex="0" style=[style] { (inside) } }
}

/// A remark set apart, a paragraph a line.
fn callout(kind: Kind, heading: &str, text: &str) -> Markup {
    let class = match kind {
        Kind::Note => "note",
        Kind::Good => "good",
        Kind::Warning => "warning",
        Kind::Bad => "bad",
    };
    html! { aside class=(class) { div.kind { (heading) } @for line in text.lines() { p { (inline(line)) } } } }
}

/// Pictures side by side; a row that nearly fits is made to fit.
fn row(shots: &[Shot], width: usize) -> Markup {
    let fitting = ((PAGE + ROW_GAP) / shots.len().max(1)).saturating_sub(ROW_GAP);
    let width = if 4 * fitting >= 3 * width { width.min(fitting) } else { width };
    html! { div.row style={ "--size:" (width) "px" } { @for shot in shots { div {
        // On screens with two pixels a pixel, even a picture of full size is enlarged.
        img class=[classes([
                (shot.width < 2 * width).then_some("pixelated"),
                shot.frame.map(|_| "framed"),
            ])]
            style=[shot.frame.map(|c| format!("--frame:{}", c.hex()))]
            src=(data_uri(&shot.png)) alt=(shot.label);
        @if !shot.label.is_empty() { div.label { (shot.label) } }
        @if !shot.sub.is_empty() { div.sub { (inline(&shot.sub)) } }
    } } } }
}

/// The value of `class`, if there is any.
fn classes<const N: usize>(names: [Option<&str>; N]) -> Option<String> {
    let names: Vec<&str> = names.into_iter().flatten().collect();
    (!names.is_empty()).then(|| names.join(" "))
}
