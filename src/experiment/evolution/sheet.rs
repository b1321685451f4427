//! Sheets: many pictures on one PNG, numbered so that a chooser can name them.

use crate::genome::Genome;
use crate::network::{Coords, Picture, compile, kernel};
use rayon::prelude::*;

const GAP: usize = 6;
const BAR: usize = 16;
/// 3 × 5 digits, rows top to bottom, bit 2 = left.
const DIGITS: [[u8; 5]; 10] = [
    [7, 5, 5, 5, 7],
    [2, 6, 2, 2, 7],
    [7, 1, 7, 4, 7],
    [7, 1, 3, 1, 7],
    [5, 5, 7, 1, 1],
    [7, 4, 7, 1, 7],
    [7, 4, 7, 5, 7],
    [7, 1, 2, 2, 2],
    [7, 5, 7, 5, 7],
    [7, 5, 7, 1, 7],
];

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

/// A grid of elites: axis 0 to the right, axis 1 upwards; empty cells stay dark. Further axes are
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
    for ((at, _), picture) in cells.iter().zip(&drawn) {
        let block = at.iter().zip(shape).skip(2).fold(0, |block, (i, n)| block * n + i);
        let row = height - 1 - at.get(1).copied().unwrap_or(0);
        place(&mut sheet, picture, row, block * width + at[0], None);
    }
    sheet
}

/// The side of so many cells in a picture that can be made, at most `cell`; none if there is none.
pub fn side_of(cells: usize, cell: usize) -> Option<usize> {
    // With the room between them.
    let pixels = |side: usize| cells.saturating_mul((side + GAP) * (side + BAR + GAP));
    [cell, 48, 24, 12, 6, 3, 1]
        .into_iter()
        .find(|side| *side <= cell && pixels(*side) <= MOST_PIXELS)
}

/// One genome at `size`².
pub fn draw(genome: &Genome, size: usize, coords: Coords) -> Picture {
    let (network, weights) = compile(genome);
    kernel::picture(&network, &weights, size, coords)
}

fn blank(columns: usize, rows: usize, cell: usize) -> Picture {
    let width = GAP + columns * (cell + GAP);
    let height = GAP + rows * (cell + BAR + GAP);
    Picture::filled(width, height, [0.16, 0.16, 0.18])
}

fn place(sheet: &mut Picture, picture: &Picture, row: usize, column: usize, number: Option<usize>) {
    let cell = picture.width;
    let left = GAP + column * (cell + GAP);
    let top = GAP + row * (cell + BAR + GAP);
    if let Some(number) = number {
        for (k, digit) in number.to_string().bytes().enumerate() {
            stamp(sheet, top + 1, left + 1 + 9 * k, usize::from(digit - b'0'));
        }
    }
    for y in 0..cell {
        let to = 3 * ((top + BAR + y) * sheet.width + left);
        sheet.rgb[to..to + 3 * cell]
            .copy_from_slice(&picture.rgb[3 * y * cell..3 * (y + 1) * cell]);
    }
}

fn stamp(sheet: &mut Picture, top: usize, left: usize, digit: usize) {
    for (y, bits) in DIGITS[digit].iter().enumerate() {
        for x in (0..3).filter(|x| bits >> (2 - x) & 1 == 1) {
            for (dy, dx) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
                let at = 3 * ((top + 2 * y + dy) * sheet.width + left + 2 * x + dx);
                sheet.rgb[at..at + 3].fill(1.0);
            }
        }
    }
}
