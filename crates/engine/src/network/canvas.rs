//! Pictures of any size, aspect and part of the plane, drawn band by band (METHODS §1).
//!
//! In: a network, its weights, a [`Canvas`]. Out: rows of colours, as many at a time as are asked for: memory is
//! bounded whatever the size. It does not know about files.

use super::kernel::Renderer;
use super::{Coords, PixelInputs};
use crate::base::memory;
use crate::base::refusal::Refusal;
use crate::base::settings::{Value, settings, text_in_files};
use crate::genome::Palette;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::ops::Range;
use std::str::FromStr;

/// Longest side of a picture in pixels: 22 m at 300 pixels an inch.
pub(crate) const LONGEST_SIDE: usize = 1 << 18;

/// Samples of a band that is drawn at once, and non-zero links times samples, about: a quarter of a second of one core.
const BAND: usize = 1 << 20;
const BAND_WORK: usize = 1 << 30;
/// Samples of one task, at least: fewer leave vector lanes empty.
const TASK: usize = 1 << 13;
/// Bytes that one sample takes while it is drawn: its coordinates in both precisions, its tile, its colour.
const SAMPLE: usize = 80;

/// Width and height of a picture in pixels: `512` for a square, or `6000x4000`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Size {
    /// Columns.
    pub width: usize,
    /// Rows.
    pub height: usize,
}

text_in_files!(Size, Point);

impl Size {
    /// A square.
    pub fn square(side: usize) -> Self {
        Size { width: side, height: side }
    }

    /// Number of pixels, P.
    pub fn pixels(self) -> usize {
        self.width.saturating_mul(self.height)
    }
}

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.width == self.height {
            true => self.width.fmt(f),
            false => write!(f, "{}x{}", self.width, self.height),
        }
    }
}

impl FromStr for Size {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let side = |text: &str| -> Option<usize> {
            text.trim().parse().ok().filter(|side| (2..=LONGEST_SIDE).contains(side))
        };
        let read = match text.split_once(['x', '×']) {
            None => side(text).map(Size::square),
            Some((width, height)) => {
                side(width).zip(side(height)).map(|(width, height)| Size { width, height })
            }
        };
        read.ok_or_else(|| {
            format!("expected 2 to {LONGEST_SIDE} pixels, or WIDTHxHEIGHT of as many, found {text}")
        })
    }
}

impl Value for Size {
    fn python() -> String {
        "int | str | Sequence[int]".into()
    }

    fn parse(text: &str) -> Result<Self, String> {
        text.parse()
    }

    fn of(value: &toml::Value) -> Result<Self, String> {
        match value {
            toml::Value::String(text) => text.parse(),
            toml::Value::Array(sides) if sides.len() == 2 => {
                format!("{}x{}", sides[0], sides[1]).parse()
            }
            other => other.to_string().parse(),
        }
    }

    fn toml(&self) -> Option<toml::Value> {
        Some(toml::Value::String(self.to_string()))
    }

    fn text(&self) -> Option<String> {
        Some(self.to_string())
    }
}

/// A point of the plane: `0.25,-0.5`. Rows run down, so a positive y is below the middle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Point {
    /// To the right.
    pub x: f64,
    /// Down.
    pub y: f64,
}

impl fmt::Display for Point {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{},{}", self.x, self.y)
    }
}

impl FromStr for Point {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let number = |text: &str| -> Option<f64> {
            text.trim().parse().ok().filter(|n: &f64| n.is_finite() && n.abs() <= 1e9)
        };
        let read = text.split_once(',').and_then(|(x, y)| number(x).zip(number(y)));
        read.map(|(x, y)| Point { x, y })
            .ok_or_else(|| format!("expected two numbers, X,Y, found {text}"))
    }
}

impl Value for Point {
    fn python() -> String {
        "str | Sequence[float]".into()
    }

    fn parse(text: &str) -> Result<Self, String> {
        text.parse()
    }

    fn of(value: &toml::Value) -> Result<Self, String> {
        match value {
            toml::Value::String(text) => text.parse(),
            toml::Value::Array(two) if two.len() == 2 => format!("{},{}", two[0], two[1]).parse(),
            other => other.to_string().parse(),
        }
    }

    fn toml(&self) -> Option<toml::Value> {
        Some(toml::Value::String(self.to_string()))
    }

    fn text(&self) -> Option<String> {
        Some(self.to_string())
    }
}

settings! {
    /// Which part of the plane is drawn, and how finely.
    #[derive(Clone, Debug, PartialEq)]
    #[serde(deny_unknown_fields, default)]
    pub struct Framing: flags "The picture" {
        /// Pixels: one number for a square, or WIDTHxHEIGHT. The shorter side shows −1 to 1.
        size: Option<Size>, value: "N|WxH", unless: "the network's own";
        /// The point in the middle.
        center: Point = Point::default(), value: "X,Y", source: "ours";
        /// How many times larger things are: 1 shows the whole picture, 2 half of it each way.
        zoom: f64 = 1.0, range: Range::between(1e-3, 1e9), source: "ours";
        /// Samples along each side of a pixel, whose colours are averaged: smooth edges from 2 on.
        supersample: usize = 1, value: "K", range: Range::between(1.0, 8.0), source: "ours";
    }
}

impl Framing {
    /// The canvas that these settings name; `own` is the side of a network's own picture.
    pub fn canvas(&self, own: usize, coords: Coords) -> Canvas {
        let size = self.size.unwrap_or(Size::square(own));
        let Framing { center, zoom, supersample: samples, .. } = *self;
        Canvas { size, coords, center, zoom, samples, palette: Palette::Free }
    }
}

/// Pixels on a part of the plane.
///
/// Pixels are square and the shorter side shows −1 to 1, divided by `zoom`, about `center`. A square canvas without
/// zoom has the coordinates of [`Coords::at`], to the bit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Canvas {
    /// Columns and rows.
    pub size: Size,
    /// Coordinate convention.
    pub coords: Coords,
    /// The point in the middle.
    pub center: Point,
    /// How many times larger things are than in the whole picture.
    pub zoom: f64,
    /// Samples along each side of a pixel.
    pub samples: usize,
    /// The palette of the genome that is drawn.
    pub palette: Palette,
}

impl Canvas {
    /// The same in this palette.
    pub fn in_palette(self, palette: Palette) -> Self {
        Canvas { palette, ..self }
    }

    /// The whole picture, one sample a pixel.
    pub fn whole(size: Size, coords: Coords) -> Self {
        let palette = Palette::Free;
        Canvas { size, coords, center: Point::default(), zoom: 1.0, samples: 1, palette }
    }

    /// (x, y, d, bias) at a place in pixels from the middle of the first one.
    #[inline]
    fn at(&self, row: f64, column: f64) -> [f64; 4] {
        let Size { width, height } = self.size;
        let short = width.min(height) as f64;
        let place = |u: f64, pixels: usize| match self.coords {
            // As t − (r − t): what `Coords::at` computes, r being 1 there.
            Coords::Fer => {
                let steps = (short - 1.0).max(1.0);
                let (t, r) = (u / steps, (pixels as f64 - 1.0) / steps);
                t - (r - t)
            }
            Coords::Picbreeder => (2.0 * u - (pixels as f64 - 1.0)) / short,
        };
        let x = self.center.x + place(column, width) / self.zoom;
        let y = self.center.y + place(row, height) / self.zoom;
        self.coords.inputs_at(x, y)
    }

    /// The samples of line `line` of each of some rows of pixels, from left to right.
    fn inputs(&self, rows: Range<usize>, line: usize) -> PixelInputs {
        let (k, width) = (self.samples, self.size.width);
        // 0 for one sample.
        let within = |j: usize| (j as f64 + 0.5) / k as f64 - 0.5;
        let columns = (0..width * k).map(|i| (i / k) as f64 + within(i % k));
        let columns: Vec<f64> = columns.collect();
        let places = rows.flat_map(|row| columns.iter().map(move |column| (row, *column)));
        PixelInputs::of(places, |(row, column)| self.at(row as f64 + within(line), column))
    }

    /// Rows that are drawn at once of a network with so many non-zero links.
    pub(crate) fn band(&self, links: usize) -> usize {
        let row = self.size.width * self.samples * self.samples;
        let samples = BAND.min(BAND_WORK / links.max(1));
        // Whole blocks of a JPEG.
        (samples / row).max(1).next_multiple_of(8)
    }

    /// Refuses a canvas of which one band, drawn and encoded, does not fit the memory.
    ///
    /// # Errors
    /// It does not.
    pub fn ensure(&self, at: &str) -> Result<(), Refusal> {
        let pixels = self.band(1) * self.size.width;
        // Two bands, as floats and as bytes; and the samples that each thread has at once.
        memory::ensure(at, &[(pixels, "pixels of a band"), (2, "bands")], 12 + 6)?;
        let lines = self.task() * self.size.width * self.samples;
        let threads = rayon::current_num_threads();
        memory::ensure(at, &[(lines, "samples"), (threads, "threads")], SAMPLE)
    }

    /// Rows of one task.
    fn task(&self) -> usize {
        (TASK / (self.size.width * self.samples)).max(1)
    }

    /// (rows, width, 3) colours of some rows, each the mean of its samples. The same bits whatever rows are drawn
    /// together, at any thread count.
    pub fn draw(&self, renderer: &Renderer<'_>, rows: Range<usize>) -> Vec<f32> {
        let (k, width) = (self.samples, self.size.width);
        let mut rgb = vec![0.0f32; 3 * width * rows.len()];
        let first = rows.start;
        let task = self.task();
        rgb.par_chunks_mut(3 * width * task).enumerate().for_each(|(i, out)| {
            let top = first + i * task;
            let rows = top..top + out.len() / (3 * width);
            for line in 0..k {
                let mut drawn = renderer.render(&self.inputs(rows.clone(), line));
                self.palette.recolour(&mut drawn);
                if k == 1 {
                    return out.copy_from_slice(&drawn);
                }
                for (pixel, samples) in out.chunks_exact_mut(3).zip(drawn.chunks_exact(3 * k)) {
                    for sample in samples.chunks_exact(3) {
                        for (sum, value) in pixel.iter_mut().zip(sample) {
                            *sum += value;
                        }
                    }
                }
            }
            let count = (k * k) as f32;
            out.iter_mut().for_each(|sum| *sum /= count);
        });
        rgb
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::genome::{Input, from_json};
    use crate::network::{Model, Picture, Wiring};

    fn moth() -> Model {
        let genome = from_json(include_str!("../../../../genomes/bred_moth.json")).unwrap();
        Model::of_genome(&genome, Wiring::Graph)
    }

    fn drawn(model: &Model, canvas: Canvas) -> Picture {
        let renderer = Renderer::new(&model.network, &model.weights);
        let Size { width, height } = canvas.size;
        Picture { width, height, rgb: canvas.draw(&renderer, 0..height) }
    }

    #[test]
    fn a_square_canvas_has_the_bits_of_the_networks_own_picture() {
        let model = moth();
        for coords in [Coords::Fer, Coords::Picbreeder] {
            for side in [2, 33, 64] {
                let canvas = Canvas::whole(Size::square(side), coords);
                assert_eq!(canvas.inputs(0..side, 0), PixelInputs::full(side, coords));
                assert_eq!(drawn(&model, canvas), model.picture(side, coords));
            }
        }
    }

    #[test]
    fn the_shorter_side_shows_the_picture_and_pixels_are_square() {
        for coords in [Coords::Fer, Coords::Picbreeder] {
            let size = Size { width: 120, height: 40 };
            let canvas = Canvas::whole(size, coords);
            let inputs = canvas.inputs(0..40, 0);
            let [x, y] = [Input::X, Input::Y].map(|input| inputs.exact_plane(input).unwrap());
            let square = PixelInputs::full(40, coords);
            // The middle of it is the square picture.
            for row in 0..40 {
                for column in 0..40 {
                    let (wide, own) = (row * 120 + column + 40, row * 40 + column);
                    assert!((x[wide] - square.exact_plane(Input::X).unwrap()[own]).abs() < 1e-12);
                    assert!((y[wide] - square.exact_plane(Input::Y).unwrap()[own]).abs() < 1e-12);
                }
            }
            assert!((x[0] + x[119]).abs() < 1e-12 && x[119] > 2.9);
            // Nearer by two about a point.
            let near = Canvas { center: Point { x: 0.5, y: -0.25 }, zoom: 2.0, ..canvas };
            let near = near.inputs(0..40, 0);
            for (i, (x, y)) in x.iter().zip(&*y).enumerate() {
                assert!((near.exact_plane(Input::X).unwrap()[i] - (0.5 + x / 2.0)).abs() < 1e-12);
                assert!((near.exact_plane(Input::Y).unwrap()[i] - (y / 2.0 - 0.25)).abs() < 1e-12);
            }
        }
    }

    #[test]
    fn the_bits_do_not_depend_on_the_rows_that_are_drawn_together() {
        let model = moth();
        let renderer = Renderer::new(&model.network, &model.weights);
        for samples in [1, 3] {
            let size = Size { width: 61, height: 37 };
            let canvas = Canvas { samples, ..Canvas::whole(size, Coords::Fer) };
            let whole = canvas.draw(&renderer, 0..37);
            for step in [1, 5, 36] {
                let bands = (0..37).step_by(step);
                let bands = bands.flat_map(|top| canvas.draw(&renderer, top..(top + step).min(37)));
                assert!(bands.eq(whole.iter().copied()), "{samples} samples, {step} rows");
            }
        }
    }

    #[test]
    fn a_pixel_is_the_mean_of_its_samples() {
        // By pixel centres, three samples a side are the pixels of a picture of three times the size.
        let model = moth();
        let canvas = Canvas::whole(Size { width: 30, height: 20 }, Coords::Picbreeder);
        let fine = Canvas { size: Size { width: 90, height: 60 }, ..canvas };
        let fine = drawn(&model, fine);
        let mean = drawn(&model, Canvas { samples: 3, ..canvas });
        for row in 0..20 {
            for column in 0..30 {
                let found = mean.at(row, column);
                for (channel, found) in found.into_iter().enumerate() {
                    let samples = (0..9).map(|i| fine.at(3 * row + i / 3, 3 * column + i % 3));
                    let expected = samples.map(|colour| colour[channel]).sum::<f32>() / 9.0;
                    assert!((found - expected).abs() < 1e-4, "{row} {column}");
                }
            }
        }
    }

    #[test]
    fn sizes_and_points_are_read_as_they_are_written() {
        for text in ["512", "6000x4000", "2x262144"] {
            assert_eq!(text.parse::<Size>().unwrap().to_string(), text);
        }
        for text in ["1", "0x5", "x", "5x", "262145", "-3", "3x4x5", "4.5"] {
            let refused = text.parse::<Size>().unwrap_err();
            assert!(refused.starts_with("expected 2 to 262144 pixels"), "{refused}");
        }
        assert_eq!("-0.5, 2".parse(), Ok(Point { x: -0.5, y: 2.0 }));
        assert!(["1", "1,", "nan,0", "1,2,3"].iter().all(|text| text.parse::<Point>().is_err()));
    }
}
