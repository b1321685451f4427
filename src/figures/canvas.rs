//! Drawing with plotters at a tenth of a pixel.
//!
//! plotters' SVG backend takes whole numbers only. Charts are therefore drawn ten times as large
//! and shown through a `viewBox`: curves keep a tenth of a pixel. The backend's text sizes and
//! baselines are put right here, once.

use super::fonts::{FAMILY, PLOTTERS_EM, register};
use super::style::{Colour, Marker, PAPER};
use super::svg;
use plotters::coord::Shift;
use plotters::element::DashedPathElement;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

/// Drawing units a pixel.
pub(super) const FINE: f64 = 10.0;

/// A pixel count in drawing units.
pub(super) fn fine(pixels: f64) -> i32 {
    (pixels * FINE).round() as i32
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

/// plotters' drawing area over an SVG text, measured in pixels.
pub(super) struct Canvas<'a> {
    pub area: DrawingArea<SVGBackend<'a>, Shift>,
}

/// plotters writing to a string cannot fail, and the font is registered before anything is drawn.
pub(super) fn drawn<T, E: std::error::Error + Send + Sync>(
    result: Result<T, DrawingAreaErrorKind<E>>,
) -> T {
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
    let mut text = String::new();
    {
        let size = (fine(width) as u32, fine(height) as u32);
        let area = SVGBackend::with_string(&mut text, size).into_drawing_area();
        drawn(area.fill(&rgb(PAPER)));
        let canvas = Canvas { area };
        paint(&canvas);
        drawn(canvas.area.present());
    }
    let body = text
        .split_once('\n')
        .and_then(|(_, body)| body.strip_suffix("</svg>\n"))
        .expect("plotters writes one <svg> around everything");
    // Half a capital below the middle, a whole one below the top; browsers disagree about `ex`.
    let body = body
        .replace(" dy=\"0.5ex\"", " dy=\"0.36em\"")
        .replace(" dy=\"0.76em\"", " dy=\"0.73em\"")
        .replace(" dy=\"-0.5ex\"", "")
        .replace(&format!(" font-family=\"{FAMILY}\""), "")
        .replace(" opacity=\"1\"", "");
    svg::document((width, height), (fine(width).into(), fine(height).into()), title, &body)
}

/// plotters' colour.
pub(super) fn rgb(colour: Colour) -> RGBColor {
    RGBColor(colour.0, colour.1, colour.2)
}

/// A line's style; width in pixels.
pub(super) fn stroke(colour: Colour, width: f64) -> ShapeStyle {
    rgb(colour).stroke_width(fine(width).max(1) as u32)
}

/// Where a text stands about its point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stand {
    Left,
    Middle,
    Right,
}

impl Canvas<'_> {
    /// A line of text centred on `y` (through the middle of its capitals).
    pub fn text(&self, at: (f64, f64), text: &str, face: Face, stand: Stand) {
        self.turned(at, text, face, stand, FontTransform::None);
    }

    /// A line of text read from below, centred on its point.
    pub fn text_up(&self, at: (f64, f64), text: &str, face: Face) {
        self.turned(at, text, face, Stand::Middle, FontTransform::Rotate270);
    }

    fn turned(
        &self,
        (x, y): (f64, f64),
        text: &str,
        face: Face,
        stand: Stand,
        turn: FontTransform,
    ) {
        let h = match stand {
            Stand::Left => HPos::Left,
            Stand::Middle => HPos::Center,
            Stand::Right => HPos::Right,
        };
        let weight = if face.bold { FontStyle::Bold } else { FontStyle::Normal };
        let colour = rgb(face.colour);
        let style = (FAMILY, face.em * FINE * PLOTTERS_EM, weight)
            .into_font()
            .transform(turn)
            .into_text_style(&self.area)
            .color(&colour)
            .pos(Pos::new(h, VPos::Center));
        drawn(self.area.draw_text(text, &style, (fine(x), fine(y))));
    }

    /// A straight line.
    pub fn line(&self, from: (f64, f64), to: (f64, f64), style: ShapeStyle) {
        let points = [from, to].map(|(x, y)| (fine(x), fine(y)));
        drawn(self.area.draw(&PathElement::new(points, style)));
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
