//! Pictures made square: what is cut, what is added, and that a square one is left alone.

use picloom::network::{Picture, Squaring};

/// The row and column of every pixel, as colours.
fn numbered(width: usize, height: usize) -> Picture {
    let mut picture = Picture::filled(width, height, [0.0; 3]);
    for (i, pixel) in picture.rgb.chunks_exact_mut(3).enumerate() {
        pixel.copy_from_slice(&[(i / width) as f32 / 64.0, (i % width) as f32 / 64.0, 0.0]);
    }
    picture
}

const ALL: [Squaring; 3] = [Squaring::Crop, Squaring::Pad, Squaring::Squash];

#[test]
fn a_square_picture_is_the_same_whatever_is_chosen() {
    let picture = numbered(17, 17);
    for size in [5, 17, 40] {
        for how in ALL {
            assert_eq!(picture.squared(size, how), picture.resized(size), "{how:?} to {size}");
        }
    }
}

#[test]
fn cropping_cuts_both_ends_alike_and_padding_keeps_every_pixel() {
    for (width, height) in [(9, 4), (4, 9), (12, 4)] {
        let picture = numbered(width, height);
        let (short, long) = (width.min(height), width.max(height));
        let cut = picture.squared(short, Squaring::Crop);
        let (top, left) = ((height - short) / 2, (width - short) / 2);
        for (row, column) in [(0, 0), (0, short - 1), (short - 1, 0), (short - 1, short - 1)] {
            assert_eq!(cut.at(row, column), picture.at(top + row, left + column));
        }
        let padded = picture.squared(long, Squaring::Pad);
        let (top, left) = ((long - height) / 2, (long - width) / 2);
        for row in 0..long {
            for column in 0..long {
                let inside =
                    (top..top + height).contains(&row) && (left..left + width).contains(&column);
                let wanted = if inside { picture.at(row - top, column - left) } else { [1.0; 3] };
                assert_eq!(padded.at(row, column), wanted, "{row}, {column}");
            }
        }
    }
}

#[test]
fn the_thinnest_picture_is_still_a_picture() {
    for how in ALL {
        let line = numbered(60, 1).squared(16, how);
        assert_eq!((line.width, line.height, line.rgb.len()), (16, 16, 3 * 256));
    }
    assert_eq!(numbered(60, 1).squared(16, Squaring::Pad).at(0, 0), [1.0; 3]);
}
