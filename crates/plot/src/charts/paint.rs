//! Shapes and text in pixels, through plotters' SVG backend.
//!
//! plotters counts in whole units: one is a tenth of a pixel here, so that curves keep a tenth of a
//! pixel.

use super::model::Slots;
use crate::axis::Laid;
use crate::fonts::{FAMILY, register};
use crate::style::{self, Colour, Marker, PAPER, size};
use crate::svg::{document, visible};
use plotters::coord::Shift;
use plotters::element::DashedPathElement;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

/// Drawing units a pixel.
const FINE: f64 = 10.0;

/// plotters writes a font's size divided by this.
const FONT_SCALE: f64 = 1.24;

/// Lines of a text are this many em apart.
pub(super) const LINE: f64 = 1.25;

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
    pub(super) fn right(&self) -> f64 {
        self.x + self.width
    }

    pub(super) fn bottom(&self) -> f64 {
        self.y + self.height
    }

    /// The rectangle between two corners.
    pub(super) fn between(a: (f64, f64), b: (f64, f64)) -> Area {
        let (width, height) = ((a.0 - b.0).abs(), (a.1 - b.1).abs());
        Area { x: a.0.min(b.0), y: a.1.min(b.1), width, height }
    }

    /// Its centre.
    pub(super) fn middle(&self) -> (f64, f64) {
        (self.x + self.width / 2.0, self.y + self.height / 2.0)
    }

    /// True if another shares some of it.
    pub(super) fn touches(&self, other: &Area) -> bool {
        self.x < other.right()
            && other.x < self.right()
            && self.y < other.bottom()
            && other.y < self.bottom()
    }

    /// Smaller on every side; never smaller than a pixel.
    pub(super) fn inset(&self, by: f64) -> Area {
        let less = |length: f64| (length - 2.0 * by).max(1.0);
        Area { x: self.x + by, y: self.y + by, width: less(self.width), height: less(self.height) }
    }

    fn corners(&self) -> [(i32, i32); 2] {
        [units((self.x, self.y)), units((self.right(), self.bottom()))]
    }
}

/// A plotting area and the axes laid over it.
pub(super) struct View<'a> {
    pub inner: Area,
    pub x: &'a Laid,
    pub y: &'a Laid,
}

impl View<'_> {
    /// Pixel of a place in axis units.
    pub(super) fn pixel(&self, (x, y): (f64, f64)) -> (f64, f64) {
        let share = |laid: &Laid, place: f64| (place - laid.low) / (laid.high - laid.low);
        let (right, up) = (share(self.x, x), share(self.y, y));
        (self.inner.x + right * self.inner.width, self.inner.bottom() - up * self.inner.height)
    }

    /// Pixel of a place on the category axis and one on the axis of values.
    pub(super) fn slot(&self, slots: &Slots, category: f64, value: f64) -> (f64, f64) {
        self.pixel(if slots.lying { (value, category) } else { (category, value) })
    }
}

/// Between a plotting area and the texts at its right, in pixels.
pub(super) const TEXT_GAP: f64 = 10.0;

/// Size, weight and colour of a text.
#[derive(Clone, Copy, Debug)]
pub(super) struct Face {
    pub em: f64,
    pub bold: bool,
    pub colour: Colour,
}

const fn face(em: f64, bold: bool, colour: Colour) -> Face {
    Face { em, bold, colour }
}

pub(super) const TITLE: Face = face(size::TITLE, true, style::INK);
pub(super) const LABEL: Face = face(size::LABEL, false, style::INK);
pub(super) const PANEL: Face = face(size::LABEL, true, style::INK);
pub(super) const SUBTITLE: Face = face(size::SUBTITLE, false, style::GREY);
pub(super) const TICK: Face = face(size::TICK, false, style::GREY);

impl Face {
    /// plotters' style of a text in this face.
    pub(super) fn style(self, h: HPos) -> TextStyle<'static> {
        let weight = if self.bold { FontStyle::Bold } else { FontStyle::Normal };
        let font: FontDesc = (FAMILY, self.em * FINE * FONT_SCALE, weight).into();
        font.color(&rgb(self.colour)).pos(Pos::new(h, VPos::Top))
    }
}

/// plotters' drawing area over the SVG, measured in pixels.
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
    (width, height): (f64, f64),
    title: &str,
    paint: impl FnOnce(&Canvas<'_>),
) -> String {
    register();
    let mut svg = String::new();
    let size = (fine(width) as u32, fine(height) as u32);
    {
        let area = SVGBackend::with_string(&mut svg, size).into_drawing_area();
        let canvas = Canvas { area };
        drawn(canvas.area.fill(&rgb(PAPER)));
        paint(&canvas);
        drawn(canvas.area.present());
    }
    // Without what every element repeats, and with a text on one line.
    let family = format!(" font-family=\"{FAMILY}\"");
    let mut svg = visible(&svg);
    for (long, short) in [
        (family.as_str(), ""),
        (" opacity=\"1\"", ""),
        (" stroke=\"none\"", ""),
        (" stroke-width=\"1\"", ""),
        (" text-anchor=\"start\"", ""),
        (" \"/>", "\"/>"),
        ("\">\n", "\">"),
        ("\n</text>", "</text>"),
    ] {
        svg = svg.replace(long, short);
    }
    let body = svg.split_once('>').map_or("", |(_, body)| body);
    let body = ringed(body.trim_end().trim_end_matches("</svg>"));
    document((width, height), (width * FINE, height * FINE), title, &body)
}

/// The same with each disc and the ring around it as one element.
fn ringed(body: &str) -> String {
    let mut lines: Vec<String> = Vec::new();
    for line in body.lines() {
        let ring = line.split_once(" fill=\"none\"").filter(|_| line.starts_with("<circle"));
        match (ring, lines.last_mut()) {
            (Some((shape, edge)), Some(disc))
                if disc.starts_with(shape) && !disc.contains("stroke") =>
            {
                disc.truncate(disc.len() - "/>".len());
                disc.push_str(edge);
            }
            _ => lines.push(line.to_string()),
        }
    }
    lines.push(String::new());
    lines.join("\n")
}

/// plotters' colour.
pub(super) fn rgb(colour: Colour) -> RGBColor {
    RGBColor(colour.0, colour.1, colour.2)
}

/// A line's style; width in pixels.
pub(super) fn stroke(colour: Colour, width: f64) -> ShapeStyle {
    rgb(colour).stroke_width(fine(width).max(1) as u32)
}

fn units((x, y): (f64, f64)) -> (i32, i32) {
    (fine(x), fine(y))
}

impl Canvas<'_> {
    /// A line of text centred on `y` (through the middle of its capitals).
    pub(super) fn text(&self, (x, y): (f64, f64), text: &str, face: Face, stand: HPos) {
        if !text.is_empty() {
            let at = units((x, y - 0.4 * face.em));
            drawn(self.area.draw_text(text, &face.style(stand), at));
        }
    }

    /// A line of text read from below, centred on its point.
    pub(super) fn text_up(&self, (x, y): (f64, f64), text: &str, face: Face) {
        let style = face.style(HPos::Center).transform(FontTransform::Rotate270);
        drawn(self.area.draw_text(text, &style, units((x - 0.4 * face.em, y))));
    }

    /// A line through these points.
    pub(super) fn path(&self, points: impl IntoIterator<Item = (f64, f64)>, style: ShapeStyle) {
        let points: Vec<(i32, i32)> = points.into_iter().map(units).collect();
        drawn(self.area.draw(&PathElement::new(points, style)));
    }

    /// A straight line.
    pub(super) fn line(&self, from: (f64, f64), to: (f64, f64), style: ShapeStyle) {
        self.path([from, to], style);
    }

    /// A broken line.
    pub(super) fn dashes(&self, points: impl IntoIterator<Item = (f64, f64)>, style: ShapeStyle) {
        let points: Vec<(i32, i32)> = points.into_iter().map(units).collect();
        drawn(self.area.draw(&DashedPathElement::new(points, fine(6.0), fine(4.0), style)));
    }

    /// A filled polygon; `opacity` from 0 to 1.
    pub(super) fn polygon(
        &self,
        points: impl IntoIterator<Item = (f64, f64)>,
        colour: Colour,
        opacity: f64,
    ) {
        let points: Vec<(i32, i32)> = points.into_iter().map(units).collect();
        drawn(self.area.draw(&Polygon::new(points, rgb(colour).mix(opacity).filled())));
    }

    /// A filled rectangle.
    pub(super) fn fill(&self, area: Area, colour: Colour) {
        drawn(self.area.draw(&Rectangle::new(area.corners(), rgb(colour).filled())));
    }

    /// The outline of a rectangle, inside it.
    pub(super) fn outline(&self, area: Area, colour: Colour, width: f64) {
        let a = area.inset(width / 2.0);
        let (right, bottom) = (a.right(), a.bottom());
        let corners = [(a.x, a.y), (right, a.y), (right, bottom), (a.x, bottom)];
        let closed = corners.into_iter().chain([corners[0], corners[1]]);
        self.path(closed, stroke(colour, width));
    }

    /// An interval between two ends: a line with caps, `cap` pixels to both sides, or with the head of
    /// an arrow where the interval goes on beyond its end (`true`).
    pub(super) fn whisker(
        &self,
        ends: [((f64, f64), bool); 2],
        cap: (f64, f64),
        style: ShapeStyle,
    ) {
        self.line(ends[0].0, ends[1].0, style);
        for (((x, y), beyond), (other, _)) in ends.into_iter().zip([ends[1], ends[0]]) {
            if !beyond {
                self.line((x - cap.0, y - cap.1), (x + cap.0, y + cap.1), style);
                continue;
            }
            let way = |from: f64, to: f64| if to == from { 0.0 } else { (to - from).signum() };
            let (dx, dy) = (way(other.0, x), way(other.1, y));
            let back = (x - 7.0 * dx, y - 7.0 * dy);
            let wing = |side: f64| (back.0 + 4.0 * side * dy, back.1 + 4.0 * side * dx);
            let head = [(x, y), wing(-1.0), wing(1.0)].map(units).to_vec();
            drawn(self.area.draw(&Polygon::new(head, style.color.filled())));
        }
    }

    /// A marker `diameter` pixels wide.
    pub(super) fn marker(
        &self,
        (x, y): (f64, f64),
        marker: Marker,
        colour: Colour,
        diameter: f64,
        hollow: bool,
    ) {
        let r = diameter / 2.0;
        let at = |&(px, py): &(f64, f64)| (x + px * r, y + py * r);
        let hollow = hollow || marker == Marker::Ring;
        let (fill, edge, width) = if hollow { (PAPER, colour, 1.8) } else { (colour, PAPER, 0.8) };
        let circle = |fill, edge, width| {
            let circle = |style| Circle::new(units((x, y)), fine(r), style);
            drawn(self.area.draw(&circle(rgb(fill).filled())));
            drawn(self.area.draw(&circle(stroke(edge, width))));
        };
        let corners: &[(f64, f64)] = match marker {
            Marker::Circle | Marker::Ring => return circle(fill, edge, width),
            Marker::Square => &[(-0.9, -0.9), (0.9, -0.9), (0.9, 0.9), (-0.9, 0.9)],
            Marker::Diamond => &[(0.0, -1.25), (1.25, 0.0), (0.0, 1.25), (-1.25, 0.0)],
            Marker::Triangle => &[(0.0, -1.2), (1.1, 0.8), (-1.1, 0.8)],
            Marker::TriangleDown => &[(0.0, 1.2), (1.1, -0.8), (-1.1, -0.8)],
            Marker::Plus => &[(-1.1, 0.0), (1.1, 0.0), (0.0, -1.1), (0.0, 1.1)],
            Marker::Cross => &[(-0.9, -0.9), (0.9, 0.9), (-0.9, 0.9), (0.9, -0.9)],
        };
        if !matches!(marker, Marker::Plus | Marker::Cross) {
            self.polygon(corners.iter().map(at), fill, 1.0);
            let closed = corners.iter().chain(&corners[..2]);
            return self.path(closed.map(at), stroke(edge, width));
        }
        // A cross has no inside: a hollow one stands in a ring.
        let (shrink, widths) = if hollow { (0.55, [2.6, 1.3]) } else { (1.0, [4.2, 2.4]) };
        if hollow {
            circle(PAPER, colour, 1.4);
        }
        for (colour, width) in [(PAPER, widths[0]), (colour, widths[1])] {
            for pair in corners.chunks(2) {
                let ends = pair.iter().map(|&(px, py)| at(&(shrink * px, shrink * py)));
                self.path(ends, stroke(colour, width));
            }
        }
    }
}
