//! A scene: a ground and parts before it, each a shape of one colour with a soft edge.

use crate::base::real;
use crate::genome::Input;
use crate::math::color::hsv_to_rgb;
use crate::network::{Coords, Picture, PixelInputs};

/// Width of an edge, in units of the picture's half width.
const EDGE: f64 = 0.06;

/// The outline of a part. Lengths in units of the picture's half width, angles in turns.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Shape {
    /// Everything below a height (y grows downwards).
    Below(f64),
    /// An ellipse: middle, half axes.
    Ellipse([f64; 2], [f64; 2]),
    /// A rectangle: middle, half sides.
    Rectangle([f64; 2], [f64; 2]),
    /// A triangle that stands on its base: middle of the base, half its width, height.
    Gable([f64; 2], f64, f64),
    /// Petals about a middle: how many, their length.
    Petals([f64; 2], usize, f64),
    /// Rings about a middle: how many in a half width.
    Rings([f64; 2], f64),
    /// Stripes across (columns) or down (rows): how many in a half width.
    Stripes {
        /// Columns, not rows.
        across: bool,
        /// Pairs of stripes in a half width.
        often: f64,
    },
}

impl Shape {
    /// How far inside the outline a point is, about, in half widths; negative outside.
    fn depth(self, x: f64, y: f64) -> f64 {
        let ellipse = |[cx, cy]: [f64; 2], [rx, ry]: [f64; 2]| {
            let [u, v] = [(x - cx) / rx, (y - cy) / ry];
            (1.0 - length(u, v)) * rx.min(ry)
        };
        match self {
            Shape::Below(height) => y - height,
            Shape::Ellipse(middle, axes) => ellipse(middle, axes),
            Shape::Rectangle([cx, cy], [w, h]) => (w - (x - cx).abs()).min(h - (y - cy).abs()),
            Shape::Gable([cx, base], half, height) => {
                let side = (half - (x - cx).abs()) * height - (base - y) * half;
                (side / length(height, half)).min(base - y)
            }
            Shape::Petals([cx, cy], count, reach) => {
                let [u, v] = [x - cx, y - cy];
                let wave = real::cos(count as f64 * real::atan2(v, u));
                reach * (0.65 + 0.35 * wave) - length(u, v)
            }
            Shape::Rings([cx, cy], often) => wave(length(x - cx, y - cy), often),
            Shape::Stripes { across, often } => wave(if across { x } else { y }, often),
        }
    }
}

/// The system's `hypot` differs between platforms.
fn length(x: f64, y: f64) -> f64 {
    (x * x + y * y).sqrt()
}

/// Depth in a wave of `often` turns a unit: above 0 in its half about 0.
fn wave(at: f64, often: f64) -> f64 {
    real::cos(std::f64::consts::TAU * often * at) / (4.0 * often)
}

/// A part of a scene.
#[derive(Clone, Debug, PartialEq)]
pub struct Part {
    /// Its name.
    pub name: &'static str,
    /// Its outlines; together they are the part.
    pub shapes: Vec<Shape>,
    /// Hue, saturation and brightness.
    pub colour: [f64; 3],
    /// How much of it is there, 0 to 1.
    pub presence: f64,
}

/// The drawing of a family at one combination of its factors.
#[derive(Clone, Debug, PartialEq)]
pub struct Scene {
    /// Hue, saturation and brightness of what is behind all parts.
    pub ground: [f64; 3],
    /// Parts, those in front last.
    pub parts: Vec<Part>,
}

fn rgb([h, s, v]: [f64; 3]) -> [f64; 3] {
    hsv_to_rgb(h, s, v)
}

impl Part {
    /// How much of a point's colour is its own, 0 to 1.
    fn cover(&self, x: f64, y: f64) -> f64 {
        self.presence * self.inside(x, y)
    }

    /// How much of a point is inside, 0 to 1.
    fn inside(&self, x: f64, y: f64) -> f64 {
        let depth = self.shapes.iter().map(|shape| shape.depth(x, y)).fold(f64::MIN, f64::max);
        let t = (0.5 + depth / EDGE).clamp(0.0, 1.0);
        t * t * (3.0 - 2.0 * t)
    }
}

impl Scene {
    /// Colour at a point.
    fn at(&self, x: f64, y: f64) -> [f64; 3] {
        self.parts.iter().fold(rgb(self.ground), |behind, part| {
            let (cover, colour) = (part.cover(x, y), rgb(part.colour));
            std::array::from_fn(|c| behind[c] + cover * (colour[c] - behind[c]))
        })
    }

    /// Points of a (size, size) picture, row by row.
    fn points(size: usize, coords: Coords) -> Vec<(f64, f64)> {
        let inputs = PixelInputs::full(size, coords);
        let [x, y] =
            [Input::X, Input::Y].map(|input| inputs.exact_plane(input).expect("a coordinate"));
        x.iter().copied().zip(y.iter().copied()).collect()
    }

    /// The (size, size, 3) picture.
    pub(crate) fn picture(&self, size: usize, coords: Coords) -> Picture {
        let points = Self::points(size, coords).into_iter();
        let rgb = points.flat_map(|(x, y)| self.at(x, y).map(|v| v as f32)).collect();
        Picture { width: size, height: size, rgb }
    }

    /// Each part's name and the (P,) pixels that are inside of it and not behind another part.
    pub fn masks(&self, size: usize, coords: Coords) -> Vec<(&'static str, Vec<bool>)> {
        let points = Self::points(size, coords);
        let mask = |i: usize| {
            let seen = |&(x, y): &(f64, f64)| {
                let hidden = self.parts[i + 1..].iter().any(|part| part.cover(x, y) > 0.5);
                self.parts[i].presence > 0.0 && !hidden && self.parts[i].inside(x, y) > 0.5
            };
            (self.parts[i].name, points.iter().map(seen).collect())
        };
        (0..self.parts.len()).map(mask).collect()
    }
}
