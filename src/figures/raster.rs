//! Pictures of networks on a page.

use super::page::Page;
use super::style::{self, Colour};
use crate::base::png::encode_png;
use crate::network::Picture;

/// Pixels of an embedded picture for each pixel of the SVG.
const SHARP: usize = 2;

/// Square pictures side by side, `pitch` apart, as one embedded PNG; an empty place is pale.
pub fn pictures(page: &mut Page, at: (f64, f64), side: f64, pitch: f64, all: &[Option<&Picture>]) {
    let (cell, step) = (SHARP * side.round() as usize, (SHARP as f64 * pitch).round() as usize);
    let Some(width) = (all.len() * step).checked_sub(step - cell) else { return };
    let mut raster = Raster::new(width, cell);
    for (i, picture) in all.iter().enumerate() {
        match picture {
            Some(picture) => raster.paste(i * step, 0, &picture.resized(cell)),
            None => raster.block(i * step, 0, cell, cell, style::BLANK),
        }
    }
    let extent = (width as f64 / SHARP as f64, cell as f64 / SHARP as f64);
    page.svg.image(at, extent, &raster.png(), false);
}

/// RGB bytes to paste pictures into, white at first.
pub(crate) struct Raster {
    width: usize,
    /// Three bytes a pixel, row by row.
    pub bytes: Vec<u8>,
}

impl Raster {
    /// A white one.
    pub(crate) fn new(width: usize, height: usize) -> Self {
        Raster { width, bytes: vec![255; 3 * width * height] }
    }

    /// Pastes a picture with its corner at (x, y).
    pub(crate) fn paste(&mut self, x: usize, y: usize, picture: &Picture) {
        let bytes = picture.to_bytes();
        for (row, line) in bytes.chunks_exact(3 * picture.width).enumerate() {
            let at = 3 * ((y + row) * self.width + x);
            self.bytes[at..at + line.len()].copy_from_slice(line);
        }
    }

    /// Fills a rectangle.
    pub(crate) fn block(
        &mut self,
        x: usize,
        y: usize,
        width: usize,
        height: usize,
        colour: Colour,
    ) {
        for row in y..y + height {
            let at = 3 * (row * self.width + x);
            for pixel in self.bytes[at..at + 3 * width].chunks_exact_mut(3) {
                pixel.copy_from_slice(&[colour.0, colour.1, colour.2]);
            }
        }
    }

    fn png(&self) -> Vec<u8> {
        encode_png(self.width, self.bytes.len() / (3 * self.width), &self.bytes, &[])
    }
}
