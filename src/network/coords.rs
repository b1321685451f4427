//! Pixel coordinates: what the four inputs of a CPPN are at each pixel.

use crate::genome::Input;
use crate::math::names::names;
use serde::{Deserialize, Serialize};

/// Coordinate convention (METHODS §1). Row = y, top row y = −1; column = x.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Coords {
    /// x, y = linspace(−1, 1, S) inclusive; d = 1.4·√(x² + y²). The default, as in FER.
    #[default]
    Fer,
    /// Pixel centres (2i − (S − 1))/S; d = √2·√(x² + y²), as in Picbreeder.
    Picbreeder,
}

names! { Coords, "coordinate convention": Fer "fer", Picbreeder "picbreeder" }

impl Coords {
    /// (x, y, d, bias) of the pixel in `row`, `column` of a `size`² picture.
    pub fn at(self, size: usize, row: usize, column: usize) -> [f64; 4] {
        let place = |i: usize| {
            let (i, s) = (i as f64, size as f64);
            match self {
                Coords::Fer if size == 1 => 0.0,
                Coords::Fer => i / (s - 1.0) - (1.0 - i / (s - 1.0)),
                Coords::Picbreeder => (2.0 * i - (s - 1.0)) / s,
            }
        };
        let (x, y) = (place(column), place(row));
        let scale = match self {
            Coords::Fer => 1.4,
            Coords::Picbreeder => std::f64::consts::SQRT_2,
        };
        [x, y, scale * (x * x + y * y).sqrt(), 1.0]
    }
}

/// The inputs of a set of P pixels, one plane an input, in the order x, y, d, bias.
#[derive(Clone, Debug, PartialEq)]
pub struct PixelInputs {
    exact: [Vec<f64>; 4],
    planes: [Vec<f32>; 4],
}

impl PixelInputs {
    /// Every pixel of a `size`² picture, row by row: P = size².
    pub fn full(size: usize, coords: Coords) -> Self {
        Self::of_pixels(size, coords, 0..size * size)
    }

    /// Chosen pixels (row-major indices) of a `size`² picture, in the order given.
    pub fn of_pixels(size: usize, coords: Coords, pixels: impl IntoIterator<Item = usize>) -> Self {
        let mut exact: [Vec<f64>; 4] = Default::default();
        for pixel in pixels {
            for (plane, value) in exact.iter_mut().zip(coords.at(size, pixel / size, pixel % size))
            {
                plane.push(value);
            }
        }
        let planes = exact.each_ref().map(|plane| plane.iter().map(|&v| v as f32).collect());
        PixelInputs { exact, planes }
    }

    /// Number of pixels, P.
    pub fn pixels(&self) -> usize {
        self.exact[0].len()
    }

    /// The inputs of some of these pixels, by index, in the order given.
    pub fn gather(&self, pixels: &[u32]) -> Self {
        let pick = |plane: &Vec<f64>| pixels.iter().map(|&p| plane[p as usize]).collect();
        let exact: [Vec<f64>; 4] = self.exact.each_ref().map(pick);
        let planes = exact.each_ref().map(|plane| plane.iter().map(|&v| v as f32).collect());
        PixelInputs { exact, planes }
    }

    /// (P,) values of one input, rounded to f32.
    pub fn plane(&self, input: Input) -> &[f32] {
        &self.planes[input as usize]
    }

    /// (P,) values of one input in f64, for the reference path.
    pub fn exact_plane(&self, input: Input) -> &[f64] {
        &self.exact[input as usize]
    }
}
