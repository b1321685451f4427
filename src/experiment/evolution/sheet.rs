//! Sheets: many pictures on one PNG, numbered so that a chooser can name them.

use crate::base::tone::BLANK;
use crate::genome::Genome;
use crate::network::{Coords, Picture, compile, kernel};
use rayon::prelude::*;

const GAP: usize = 6;
const BAR: usize = 16;
/// Paper and ink of the charts (`figures::style`), which this room cannot see.
const PAPER: f32 = 1.0;
const INK: [f32; 3] = [31.0 / 255.0, 35.0 / 255.0, 40.0 / 255.0];
/// Digits of the charts' font at 12 pixels: 9 rows from the top, 8 pixels a row, the share of ink in sixteenths.
#[rustfmt::skip]
const DIGITS: [[u32; 9]; 10] = [
    [0x009ed700, 0x08b12d50, 0x0d3006b0, 0x1f0003d0, 0x2f0002e0, 0x1f0003d0, 0x0d3006b0, 0x08b11d50, 0x009ed700],
    [0x1ade0000, 0x164e0000, 0x002e0000, 0x002e0000, 0x002e0000, 0x002e0000, 0x002e0000, 0x002e0000, 0x0fffff00],
    [0x08ced800, 0x07201a90, 0x000003d0, 0x000007b0, 0x00004e20, 0x0004d300, 0x005d3000, 0x06e30000, 0x0feeeed0],
    [0x04ceda20, 0x011006b0, 0x000006e0, 0x002eee60, 0x00001830, 0x000003c0, 0x000003e0, 0x04201ba0, 0x06ded910],
    [0x0000be00, 0x0006be00, 0x001c3e00, 0x00952e00, 0x04b02e00, 0x0c202e00, 0x2edddfd3, 0x01113e10, 0x00002e00],
    [0x02feee50, 0x02e00000, 0x02e00000, 0x02fdd800, 0x00201b80, 0x000003d0, 0x000003d0, 0x03101b80, 0x07ded800],
    [0x005ced40, 0x04c20120, 0x0c400000, 0x0e6dd800, 0x2f901b80, 0x1f1003d0, 0x0d0003d0, 0x07801a80, 0x008ed900],
    [0x0eeeeee0, 0x00000b80, 0x00002e20, 0x00007c00, 0x0000d600, 0x0004e000, 0x000a9000, 0x001e3000, 0x007c0000],
    [0x03beda10, 0x0e6009b0, 0x1f0003d0, 0x09700990, 0x04defb00, 0x0e700990, 0x1f0003d0, 0x0d6009b0, 0x02beda10],
    [0x01aed600, 0x0b801b50, 0x1f0003a0, 0x1f1003d0, 0x0b901be0, 0x01adc7d0, 0x00000690, 0x02004d20, 0x06deb300],
];
/// Pixels from a digit to the next.
const PITCH: usize = 8;

/// Genomes drawn at `cell`² pixels, `columns` a row, each under its place (from 0).
pub fn genome_sheet(genomes: &[Genome], columns: usize, cell: usize, coords: Coords) -> Picture {
    let pictures: Vec<Picture> = genomes.par_iter().map(|g| draw(g, cell, coords)).collect();
    let rows = pictures.len().div_ceil(columns).max(1);
    let mut sheet = blank(columns, rows, cell);
    for (i, picture) in pictures.iter().enumerate() {
        place(&mut sheet, picture, i / columns, i % columns, Some(i));
    }
    sheet
}

/// Pixels of a grid at most.
const MOST_PIXELS: usize = 1 << 25;

/// A grid of elites: axis 0 to the right, axis 1 upwards; empty cells are grey. Further axes are
/// laid side by side as blocks of columns. Cells are smaller than `cell` where there are very many, and a grid that has
/// no room for cells of one pixel is left blank.
pub fn grid_sheet(
    cells: &[(Vec<usize>, &Genome)],
    shape: &[usize],
    cell: usize,
    coords: Coords,
) -> Picture {
    let width = shape[0];
    let height = shape.get(1).copied().unwrap_or(1);
    let blocks: usize = shape.iter().skip(2).product();
    let Some(cell) = side_of(shape.iter().product(), cell) else {
        return blank(1, 1, cell);
    };
    let drawn: Vec<Picture> = cells.par_iter().map(|(_, g)| draw(g, cell, coords)).collect();
    let mut sheet = blank(width * blocks, height, cell);
    let empty = Picture::filled(cell, cell, BLANK.map(|channel| f32::from(channel) / 255.0));
    for place_of in 0..width * blocks * height {
        place(&mut sheet, &empty, place_of / (width * blocks), place_of % (width * blocks), None);
    }
    for ((at, _), picture) in cells.iter().zip(&drawn) {
        let block = at.iter().zip(shape).skip(2).fold(0, |block, (i, n)| block * n + i);
        let row = height - 1 - at.get(1).copied().unwrap_or(0);
        place(&mut sheet, picture, row, block * width + at[0], None);
    }
    sheet
}

/// The side of so many cells in a picture, at most `cell`; `None` if no side is small enough.
pub fn side_of(cells: usize, cell: usize) -> Option<usize> {
    // With the room between them.
    let pixels = |side: usize| cells.saturating_mul((side + GAP) * (side + BAR + GAP));
    [cell, 48, 24, 12, 6, 3, 1]
        .into_iter()
        .find(|side| *side <= cell && pixels(*side) <= MOST_PIXELS)
}

/// One genome at `size`², in its palette.
pub fn draw(genome: &Genome, size: usize, coords: Coords) -> Picture {
    let (network, weights) = compile(genome);
    let mut picture = kernel::picture(&network, &weights, size, coords);
    genome.palette.recolour(&mut picture.rgb);
    picture
}

fn blank(columns: usize, rows: usize, cell: usize) -> Picture {
    let width = GAP + columns * (cell + GAP);
    let height = GAP + rows * (cell + BAR + GAP);
    Picture::filled(width, height, [PAPER; 3])
}

fn place(sheet: &mut Picture, picture: &Picture, row: usize, column: usize, number: Option<usize>) {
    let cell = picture.width;
    let left = GAP + column * (cell + GAP);
    let top = GAP + row * (cell + BAR + GAP);
    if let Some(number) = number {
        for (k, digit) in number.to_string().bytes().enumerate() {
            stamp(sheet, top + 4, left + 1 + PITCH * k, usize::from(digit - b'0'));
        }
    }
    sheet.paste(picture, left, top + BAR);
}

fn stamp(sheet: &mut Picture, top: usize, left: usize, digit: usize) {
    for (y, row) in DIGITS[digit].iter().enumerate() {
        for x in 0..8 {
            let ink = (row >> (28 - 4 * x) & 15) as f32 / 15.0;
            let at = 3 * ((top + y) * sheet.width + left + x);
            if ink > 0.0 && left + x < sheet.width {
                for (channel, full) in sheet.rgb[at..at + 3].iter_mut().zip(INK) {
                    *channel += ink * (full - *channel);
                }
            }
        }
    }
}
