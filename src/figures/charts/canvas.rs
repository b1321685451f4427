//! The paper charts are drawn on: plotters' drawing area over an SVG backend of our own.
//!
//! plotters counts in whole units: one is a tenth of a pixel here, so that curves keep a tenth of a
//! pixel. plotters' own SVG backend would write `dy="0.5ex"`, about which browsers and resvg
//! disagree, and knows no text of several lines.

use crate::figures::fonts::{FAMILY, register};
use crate::figures::style::{Colour, Marker, PAPER};
use crate::figures::svg::{document, escaped, n};
use plotters::coord::Shift;
use plotters::element::DashedPathElement;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters_backend::{
    BackendColor, BackendCoord, BackendStyle, BackendTextStyle, DrawingErrorKind,
    FontStyle as Weight, FontTransform as Turn,
};
use std::convert::Infallible;
use std::fmt::Write;

/// Drawing units a pixel.
const FINE: f64 = 10.0;

/// Lines of a text are this many em apart.
pub(super) const LINE: f64 = 1.25;

/// A pixel count in drawing units.
pub(super) fn fine(pixels: f64) -> i32 {
    (pixels * FINE).round() as i32
}

/// A count of drawing units in pixels, as it is written.
fn px(units: i32) -> String {
    n(f64::from(units) / FINE)
}

/// plotters' backend: every shape becomes one element of the SVG, a line around what was just filled being said
/// at the same; those of one paint in a row share it.
pub(super) struct Paper<'a> {
    body: &'a mut String,
    size: (u32, u32),
    /// Shapes since the last text, not written yet.
    shapes: Vec<Shape>,
}

/// `<shape fill stroke/>`
struct Shape {
    shape: String,
    /// `none`: it is a line.
    fill: String,
    stroke: String,
    /// What can be seen through shares its paint with nothing: laid over each other they are another colour.
    pale: bool,
}

impl Shape {
    fn paint(&self) -> String {
        format!("fill=\"{}\"{}", self.fill, self.stroke)
    }
}

type Drawn = Result<(), DrawingErrorKind<Infallible>>;

impl Paper<'_> {
    /// A filled shape or its line; nothing in a colour that cannot be seen.
    fn shape<S: BackendStyle>(&mut self, shape: &str, style: &S, fill: bool) -> Drawn {
        let BackendColor { alpha, rgb: (r, g, b) } = style.color();
        if alpha == 0.0 {
            return Ok(());
        }
        let (shape, colour, pale) = (shape.to_string(), Colour(r, g, b).hex(), alpha < 1.0);
        let mut stroke = String::new();
        if !fill {
            let width = px(style.stroke_width() as i32);
            stroke = format!(" stroke=\"{colour}\" stroke-width=\"{width}\"");
        }
        if pale {
            stroke += &format!(" opacity=\"{}\"", n(alpha));
        }
        match self.shapes.last_mut() {
            Some(last) if !fill && !pale && last.shape == shape && last.stroke.is_empty() => {
                last.stroke = stroke;
            }
            _ => {
                let fill = if fill { colour } else { "none".into() };
                self.shapes.push(Shape { shape, fill, stroke, pale });
            }
        }
        Ok(())
    }

    /// Writes the shapes so far.
    fn write(&mut self) {
        let shapes = std::mem::take(&mut self.shapes);
        for alike in shapes.chunk_by(|a, b| !a.pale && !b.pale && a.paint() == b.paint()) {
            let paint = alike[0].paint();
            if let [alone] = alike {
                let _ = writeln!(self.body, "<{} {paint}/>", alone.shape);
                continue;
            }
            let _ = writeln!(self.body, "<g {paint}>");
            for Shape { shape, .. } in alike {
                let _ = writeln!(self.body, "<{shape}/>");
            }
            self.body.push_str("</g>\n");
        }
    }
}

impl Drop for Paper<'_> {
    fn drop(&mut self) {
        self.write();
    }
}

/// Corners as SVG writes them.
fn points(path: impl IntoIterator<Item = BackendCoord>) -> String {
    let pairs: Vec<String> =
        path.into_iter().map(|(x, y)| format!("{},{}", px(x), px(y))).collect();
    pairs.join(" ")
}

impl DrawingBackend for Paper<'_> {
    type ErrorType = Infallible;

    fn get_size(&self) -> (u32, u32) {
        self.size
    }

    fn ensure_prepared(&mut self) -> Drawn {
        Ok(())
    }

    fn present(&mut self) -> Drawn {
        Ok(())
    }

    fn draw_pixel(&mut self, (x, y): BackendCoord, colour: BackendColor) -> Drawn {
        self.draw_rect((x, y), (x + 1, y + 1), &colour, true)
    }

    fn draw_line<S: BackendStyle>(&mut self, a: BackendCoord, b: BackendCoord, s: &S) -> Drawn {
        let [x1, y1, x2, y2] = [a.0, a.1, b.0, b.1].map(px);
        let shape = format!("line x1=\"{x1}\" y1=\"{y1}\" x2=\"{x2}\" y2=\"{y2}\"");
        self.shape(&shape, s, false)
    }

    fn draw_rect<S: BackendStyle>(
        &mut self,
        a: BackendCoord,
        b: BackendCoord,
        style: &S,
        fill: bool,
    ) -> Drawn {
        let [x, y] = [a.0.min(b.0), a.1.min(b.1)].map(px);
        let [width, height] = [(b.0 - a.0).abs(), (b.1 - a.1).abs()].map(px);
        let shape = format!("rect x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\"");
        self.shape(&shape, style, fill)
    }

    fn draw_path<S: BackendStyle, I: IntoIterator<Item = BackendCoord>>(
        &mut self,
        path: I,
        style: &S,
    ) -> Drawn {
        self.shape(&format!("polyline points=\"{}\"", points(path)), style, false)
    }

    fn fill_polygon<S: BackendStyle, I: IntoIterator<Item = BackendCoord>>(
        &mut self,
        path: I,
        style: &S,
    ) -> Drawn {
        self.shape(&format!("polygon points=\"{}\"", points(path)), style, true)
    }

    fn draw_circle<S: BackendStyle>(
        &mut self,
        (x, y): BackendCoord,
        radius: u32,
        style: &S,
        fill: bool,
    ) -> Drawn {
        let [x, y, r] = [x, y, radius as i32].map(px);
        self.shape(&format!("circle cx=\"{x}\" cy=\"{y}\" r=\"{r}\""), style, fill)
    }

    /// Lines are parted by `\n`; the anchor is that of the whole block.
    fn draw_text<S: BackendTextStyle>(
        &mut self,
        text: &str,
        style: &S,
        (x, y): BackendCoord,
    ) -> Drawn {
        self.write();
        let BackendColor { rgb: (r, g, b), .. } = style.color();
        let (em, colour) = (style.size() / FINE, Colour(r, g, b).hex());
        let anchor = match style.anchor().h_pos {
            HPos::Left => "",
            HPos::Center => " text-anchor=\"middle\"",
            HPos::Right => " text-anchor=\"end\"",
        };
        let weight =
            if matches!(style.style(), Weight::Bold) { " font-weight=\"bold\"" } else { "" };
        let (left, top) = (f64::from(x) / FINE, f64::from(y) / FINE);
        let turn = match style.transform() {
            Turn::Rotate270 => format!(" transform=\"rotate(-90 {} {})\"", n(left), n(top)),
            _ => String::new(),
        };
        // The first baseline: half a capital below the middle, a whole one below the top.
        let more = text.lines().count().saturating_sub(1) as f64 * LINE;
        let first = match style.anchor().v_pos {
            VPos::Top => 0.73,
            VPos::Center => 0.36 - 0.5 * more,
            VPos::Bottom => -more,
        };
        for (i, line) in text.lines().enumerate().filter(|l| !l.1.is_empty()) {
            let baseline = n(top + (first + LINE * i as f64) * em);
            let _ = writeln!(
                self.body,
                "<text x=\"{}\" y=\"{baseline}\" font-size=\"{}\" fill=\"{colour}\"{anchor}{weight}{turn}>{}</text>",
                n(left),
                n(em),
                escaped(line)
            );
        }
        Ok(())
    }
}

/// A rectangle in pixels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Area {
    pub x: f64,
    pub y: f64,
    pub width: f64,
    pub height: f64,
}

impl Area {
    pub fn right(&self) -> f64 {
        self.x + self.width
    }

    pub fn bottom(&self) -> f64 {
        self.y + self.height
    }

    /// The rectangle between two corners.
    pub fn between(a: (f64, f64), b: (f64, f64)) -> Area {
        let (width, height) = ((a.0 - b.0).abs(), (a.1 - b.1).abs());
        Area { x: a.0.min(b.0), y: a.1.min(b.1), width, height }
    }

    /// Its centre.
    pub fn middle(&self) -> (f64, f64) {
        (self.x + self.width / 2.0, self.y + self.height / 2.0)
    }

    /// True if another is less than `gap` pixels away.
    pub fn touches(&self, other: Area, gap: f64) -> bool {
        self.x < other.right() + gap
            && other.x < self.right() + gap
            && self.y < other.bottom() + gap
            && other.y < self.bottom() + gap
    }

    /// Smaller by these margins: left, top, right, bottom. Never smaller than a pixel.
    pub fn inset(&self, left: f64, top: f64, right: f64, bottom: f64) -> Area {
        Area {
            x: self.x + left,
            y: self.y + top,
            width: (self.width - left - right).max(1.0),
            height: (self.height - top - bottom).max(1.0),
        }
    }
}

/// Size, face and colour of a text.
#[derive(Clone, Copy, Debug)]
pub(super) struct Face {
    pub em: f64,
    pub bold: bool,
    pub colour: Colour,
}

/// plotters' drawing area over the SVG, measured in pixels.
pub(super) struct Canvas<'a> {
    pub area: DrawingArea<Paper<'a>, Shift>,
}

/// plotters writing to a string cannot fail, and the font is registered before anything is drawn.
pub(super) fn drawn<T>(result: Result<T, DrawingAreaErrorKind<Infallible>>) -> T {
    match result {
        Ok(value) => value,
        Err(e) => unreachable!("SVG in memory, font registered: {e}"),
    }
}

/// Draws on a fresh white canvas of `width × height` pixels and returns the SVG.
pub(super) fn draw(
    width: f64,
    height: f64,
    title: &str,
    paint: impl FnOnce(&Canvas<'_>),
) -> String {
    register();
    let mut body = String::new();
    let size = (fine(width) as u32, fine(height) as u32);
    let canvas =
        Canvas { area: Paper { body: &mut body, size, shapes: Vec::new() }.into_drawing_area() };
    drawn(canvas.area.fill(&rgb(PAPER)));
    paint(&canvas);
    drop(canvas);
    document((width, height), (width, height), title, &body)
}

/// plotters' colour.
pub(super) fn rgb(colour: Colour) -> RGBColor {
    RGBColor(colour.0, colour.1, colour.2)
}

/// A line's style; width in pixels.
pub(super) fn stroke(colour: Colour, width: f64) -> ShapeStyle {
    ShapeStyle { stroke_width: fine(width).max(1) as u32, ..rgb(colour).into() }
}

/// plotters' style of a text.
pub(super) fn written(face: Face, h: HPos, v: VPos) -> TextStyle<'static> {
    let weight = if face.bold { FontStyle::Bold } else { FontStyle::Normal };
    let font: FontDesc = (FAMILY, face.em * FINE, weight).into();
    let colour = BackendColor { alpha: 1.0, rgb: (face.colour.0, face.colour.1, face.colour.2) };
    TextStyle { font, color: colour, pos: Pos::new(h, v) }
}

impl Canvas<'_> {
    /// A line of text centred on `y` (through the middle of its capitals).
    pub fn text(&self, (x, y): (f64, f64), text: &str, face: Face, stand: HPos) {
        let style = written(face, stand, VPos::Center);
        drawn(self.area.draw_text(text, &style, (fine(x), fine(y))));
    }

    /// A line of text read from below, centred on its point.
    pub fn text_up(&self, (x, y): (f64, f64), text: &str, face: Face) {
        let style = written(face, HPos::Center, VPos::Center).transform(FontTransform::Rotate270);
        drawn(self.area.draw_text(text, &style, (fine(x), fine(y))));
    }

    /// A straight line.
    pub fn line(&self, from: (f64, f64), to: (f64, f64), style: ShapeStyle) {
        let points = [from, to].map(|(x, y)| (fine(x), fine(y)));
        drawn(self.area.draw(&PathElement::new(points, style)));
    }

    /// An interval between two ends: a line with caps, `cap` pixels to both sides, or with the head of
    /// an arrow where the interval goes on beyond its end (`true`).
    pub fn whisker(&self, ends: [((f64, f64), bool); 2], cap: (f64, f64), style: ShapeStyle) {
        let [(a, _), (b, _)] = ends;
        self.line(a, b, style);
        for ((end, beyond), (other, _)) in ends.into_iter().zip([ends[1], ends[0]]) {
            let (x, y) = end;
            if !beyond {
                self.line((x - cap.0, y - cap.1), (x + cap.0, y + cap.1), style);
                continue;
            }
            let way = |from: f64, to: f64| if to == from { 0.0 } else { (to - from).signum() };
            let (dx, dy) = (way(other.0, x), way(other.1, y));
            let back = (x - 7.0 * dx, y - 7.0 * dy);
            let head = [
                (x, y),
                (back.0 - 4.0 * dy, back.1 - 4.0 * dx),
                (back.0 + 4.0 * dy, back.1 + 4.0 * dx),
            ];
            let head: Vec<(i32, i32)> = head.iter().map(|p| (fine(p.0), fine(p.1))).collect();
            drawn(self.area.draw(&Polygon::new(head, style.color.filled())));
        }
    }

    /// A broken line.
    pub fn dashes(&self, from: (f64, f64), to: (f64, f64), style: ShapeStyle) {
        let points = [from, to].map(|(x, y)| (fine(x), fine(y)));
        let dashes = DashedPathElement::new(points, fine(5.0), fine(4.0), style);
        drawn(self.area.draw(&dashes));
    }

    /// A filled rectangle.
    pub fn fill(&self, area: Area, colour: Colour) {
        drawn(self.area.draw(&Rectangle::new(corners(area), rgb(colour).filled())));
    }

    /// The outline of a rectangle, one pixel wide, inside it.
    pub fn outline(&self, area: Area, colour: Colour, width: f64) {
        let i = width / 2.0;
        let a = area.inset(i, i, i, i);
        let path = [
            (a.x, a.y),
            (a.right(), a.y),
            (a.right(), a.bottom()),
            (a.x, a.bottom()),
            (a.x, a.y),
            (a.right(), a.y),
        ]
        .map(|(x, y)| (fine(x), fine(y)));
        drawn(self.area.draw(&PathElement::new(path, stroke(colour, width))));
    }

    /// A marker `diameter` pixels wide.
    pub fn marker(
        &self,
        at: (f64, f64),
        marker: Marker,
        colour: Colour,
        diameter: f64,
        hollow: bool,
    ) {
        let (x, y) = (fine(at.0), fine(at.1));
        let r = diameter / 2.0;
        let polygon = |points: &[(f64, f64)]| {
            let points: Vec<(i32, i32)> =
                points.iter().map(|&(px, py)| (x + fine(px * r), y + fine(py * r))).collect();
            let fill = if hollow { PAPER } else { colour };
            drawn(self.area.draw(&Polygon::new(points.clone(), rgb(fill).filled())));
            let mut ring = points;
            ring.extend_from_within(..2);
            let edge = if hollow { (colour, 1.8) } else { (PAPER, 0.8) };
            drawn(self.area.draw(&PathElement::new(ring, stroke(edge.0, edge.1))));
        };
        let cross = |points: [(f64, f64); 4]| {
            // A cross has no inside: a hollow one stands in a ring.
            let (points, widths) = if hollow {
                let ring = |style| Circle::new((x, y), fine(r), style);
                drawn(self.area.draw(&ring(rgb(PAPER).filled())));
                drawn(self.area.draw(&ring(stroke(colour, 1.4))));
                (points.map(|(px, py)| (0.55 * px, 0.55 * py)), [2.6, 1.3])
            } else {
                (points, [4.2, 2.4])
            };
            for (style, width) in [(PAPER, widths[0]), (colour, widths[1])] {
                for pair in points.chunks(2) {
                    let ends: Vec<(i32, i32)> =
                        pair.iter().map(|&(px, py)| (x + fine(px * r), y + fine(py * r))).collect();
                    drawn(self.area.draw(&PathElement::new(ends, stroke(style, width))));
                }
            }
        };
        match marker {
            Marker::Circle | Marker::Ring => {
                let open = hollow || marker == Marker::Ring;
                let fill = if open { PAPER } else { colour };
                let edge = if open { colour } else { PAPER };
                drawn(self.area.draw(&Circle::new((x, y), fine(r), rgb(fill).filled())));
                let width = if open { 1.8 } else { 0.8 };
                drawn(self.area.draw(&Circle::new((x, y), fine(r), stroke(edge, width))));
            }
            Marker::Square => polygon(&[(-0.9, -0.9), (0.9, -0.9), (0.9, 0.9), (-0.9, 0.9)]),
            Marker::Diamond => polygon(&[(0.0, -1.25), (1.25, 0.0), (0.0, 1.25), (-1.25, 0.0)]),
            Marker::Triangle => polygon(&[(0.0, -1.2), (1.1, 0.8), (-1.1, 0.8)]),
            Marker::TriangleDown => polygon(&[(0.0, 1.2), (1.1, -0.8), (-1.1, -0.8)]),
            Marker::Plus => cross([(-1.1, 0.0), (1.1, 0.0), (0.0, -1.1), (0.0, 1.1)]),
            Marker::Cross => cross([(-0.9, -0.9), (0.9, 0.9), (-0.9, 0.9), (0.9, -0.9)]),
        }
    }
}

fn corners(area: Area) -> [(i32, i32); 2] {
    [(fine(area.x), fine(area.y)), (fine(area.right()), fine(area.bottom()))]
}
