//! Pixel coordinates: what the inputs of a CPPN are at each pixel.

use crate::base::names::names;
use crate::genome::Input;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::ops::Range;

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
    #[inline]
    pub fn at(self, size: usize, row: usize, column: usize) -> [f64; 4] {
        let place = |i: usize| {
            let (i, s) = (i as f64, size as f64);
            match self {
                Coords::Fer if size == 1 => 0.0,
                Coords::Fer => i / (s - 1.0) - (1.0 - i / (s - 1.0)),
                Coords::Picbreeder => (2.0 * i - (s - 1.0)) / s,
            }
        };
        self.inputs_at(place(column), place(row))
    }

    /// (x, y, d, bias) of the pixel in `row`, `column` of a `size`² picture of another part of the plane.
    ///
    /// Pixels lie in `frame` as they lie in the square of [`at`](Self::at): from edge to edge, or in the
    /// middles of `size` equal parts.
    #[inline]
    pub(crate) fn at_within(
        self,
        frame: Frame,
        size: usize,
        row: usize,
        column: usize,
    ) -> [f64; 4] {
        let share = |i: usize| match self {
            Coords::Fer => i as f64 / (size as f64 - 1.0).max(1.0),
            Coords::Picbreeder => (i as f64 + 0.5) / size as f64,
        };
        self.inputs_at(frame.x + frame.width * share(column), frame.y + frame.height * share(row))
    }

    /// (x, y, d, bias) of a point.
    #[inline]
    pub(super) fn inputs_at(self, x: f64, y: f64) -> [f64; 4] {
        let scale = match self {
            Coords::Fer => 1.4,
            Coords::Picbreeder => std::f64::consts::SQRT_2,
        };
        [x, y, scale * (x * x + y * y).sqrt(), 1.0]
    }
}

/// A part of the plane: a network is a function of a point, so it draws beyond its picture, and at any
/// scale.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Frame {
    /// Left edge; that of the picture is −1.
    pub x: f64,
    /// Upper edge; that of the picture is −1.
    pub y: f64,
    /// Width; that of the picture is 2.
    pub width: f64,
    /// Height; that of the picture is 2.
    pub height: f64,
}

impl Frame {
    /// The picture's own.
    pub(crate) const PICTURE: Frame = Frame { x: -1.0, y: -1.0, width: 2.0, height: 2.0 };
}

/// The inputs of a set of P pixels, one plane an input, in the order x, y, d, bias, factors.
///
/// A factor without a plane is 0 everywhere: what a conditional network draws unless somebody says otherwise.
#[derive(Clone, Debug, PartialEq)]
pub struct PixelInputs {
    exact: Vec<Vec<f64>>,
    planes: Vec<Vec<f32>>,
}

fn rounded(exact: &[Vec<f64>]) -> Vec<Vec<f32>> {
    exact.iter().map(|plane| plane.iter().map(|&v| v as f32).collect()).collect()
}

impl PixelInputs {
    /// Every pixel of a `size`² picture, row by row: P = size².
    pub fn full(size: usize, coords: Coords) -> Self {
        Self::of_pixels(size, coords, 0..size * size)
    }

    /// Chosen pixels (row-major indices) of a `size`² picture, in the order given.
    pub(crate) fn of_pixels(
        size: usize,
        coords: Coords,
        pixels: impl IntoIterator<Item = usize>,
    ) -> Self {
        Self::of(pixels, |pixel| coords.at(size, pixel / size, pixel % size))
    }

    /// Every pixel of a `size`² picture of a part of the plane, row by row; of `Frame::PICTURE` the bits
    /// of [`full`](Self::full).
    pub fn framed(size: usize, coords: Coords, frame: Frame) -> Self {
        Self::framed_rows(size, coords, frame, 0..size)
    }

    /// Some rows of [`framed`](Self::framed), with its bits.
    pub(crate) fn framed_rows(
        size: usize,
        coords: Coords,
        frame: Frame,
        rows: Range<usize>,
    ) -> Self {
        let pixels = rows.start * size..rows.end * size;
        match frame == Frame::PICTURE {
            true => Self::of_pixels(size, coords, pixels),
            false => {
                Self::of(pixels, |pixel| coords.at_within(frame, size, pixel / size, pixel % size))
            }
        }
    }

    /// The inputs of places, in the order given.
    pub(super) fn of<P>(places: impl IntoIterator<Item = P>, at: impl Fn(P) -> [f64; 4]) -> Self {
        let mut exact = vec![Vec::new(); 4];
        for place in places {
            for (plane, value) in exact.iter_mut().zip(at(place)) {
                plane.push(value);
            }
        }
        PixelInputs { planes: rounded(&exact), exact }
    }

    /// These pixels once for each of C conditions, one after the other: C × P pixels. A condition has one value a
    /// factor, −1 to 1.
    ///
    /// # Panics
    /// Conditions of different lengths, or none.
    pub fn under(&self, conditions: &[Vec<f64>]) -> Self {
        let (factors, pixels) = (conditions[0].len(), self.pixels());
        assert!(conditions.iter().all(|z| z.len() == factors), "one value a factor");
        let own = self.exact[..4].iter().map(|plane| plane.repeat(conditions.len()));
        let factor = |k: usize| conditions.iter().flat_map(move |z| vec![z[k]; pixels]).collect();
        let exact: Vec<Vec<f64>> = own.chain((0..factors).map(factor)).collect();
        PixelInputs { planes: rounded(&exact), exact }
    }

    /// These pixels for a network with factors that have these values; as they are for one without.
    pub(crate) fn where_factors_are(self, z: &[f64]) -> Self {
        if z.is_empty() { self } else { self.under(&[z.to_vec()]) }
    }

    /// Number of pixels, P.
    pub fn pixels(&self) -> usize {
        self.exact[0].len()
    }

    /// The inputs of some of these pixels, by index, in the order given.
    pub fn gather(&self, pixels: &[u32]) -> Self {
        let pick = |plane: &Vec<f64>| pixels.iter().map(|&p| plane[p as usize]).collect();
        let exact: Vec<Vec<f64>> = self.exact.iter().map(pick).collect();
        PixelInputs { planes: rounded(&exact), exact }
    }

    /// (P,) values of one input, rounded to f32; `None` for a factor that is 0 everywhere.
    pub fn plane(&self, input: Input) -> Option<Cow<'_, [f32]>> {
        match input.place() {
            Some(place) => self.planes.get(place).map(|plane| Cow::Borrowed(plane.as_slice())),
            None => Some(self.values(input).map(|value| value as f32).collect()),
        }
    }

    /// The same in f64, for the reference path.
    pub(crate) fn exact_plane(&self, input: Input) -> Option<Cow<'_, [f64]>> {
        match input.place() {
            Some(place) => self.exact.get(place).map(|plane| Cow::Borrowed(plane.as_slice())),
            None => Some(self.values(input).collect()),
        }
    }

    /// A function of x, y and d at each pixel.
    fn values(&self, input: Input) -> impl Iterator<Item = f64> + '_ {
        (0..self.pixels()).map(move |p| input.value([0, 1, 2, 3].map(|i| self.exact[i][p])))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frame_is_a_part_of_the_plane_and_the_pictures_own_changes_no_bit() {
        for coords in [Coords::Fer, Coords::Picbreeder] {
            let whole = PixelInputs::full(9, coords);
            assert_eq!(PixelInputs::framed(9, coords, Frame::PICTURE), whole);
            // By the formula it is the same to a rounding.
            for pixel in 0..81 {
                let within = coords.at_within(Frame::PICTURE, 9, pixel / 9, pixel % 9);
                let at = coords.at(9, pixel / 9, pixel % 9);
                assert!(within.iter().zip(at).all(|(a, b)| (a - b).abs() < 1e-12));
            }
            // Twice as far out, everything is twice as far from the centre.
            let far = Frame { x: -2.0, y: -2.0, width: 4.0, height: 4.0 };
            let far = PixelInputs::framed(9, coords, far);
            for input in [Input::X, Input::Y, Input::D] {
                let [far, near] = [&far, &whole].map(|inputs| inputs.exact_plane(input).unwrap());
                for (far, near) in far.iter().zip(&*near) {
                    assert!((far - 2.0 * near).abs() < 1e-12);
                }
            }
        }
    }
}
