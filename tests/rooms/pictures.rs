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

/// A JPEG that is `wide` as it is stored, white above and black below, with an EXIF orientation.
fn jpeg(wide: u32, high: u32, orientation: u8) -> Vec<u8> {
    let stored = image::RgbImage::from_fn(wide, high, |_, y| {
        image::Rgb(if y < high / 2 { [255; 3] } else { [0; 3] })
    });
    let mut bytes = Vec::new();
    let encoder = image::codecs::jpeg::JpegEncoder::new_with_quality(&mut bytes, 100);
    stored.write_with_encoder(encoder).unwrap();
    // One entry of a big-endian TIFF directory: tag 0x0112, type 3, one value.
    let head = b"MM\0\x2a\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0";
    let tiff = [&head[..], &[orientation], &[0; 6]].concat();
    let segment = [&b"Exif\0\0"[..], &tiff].concat();
    let length = (segment.len() as u16 + 2).to_be_bytes();
    [&bytes[..2], &[0xff, 0xe1], &length, &segment, &bytes[2..]].concat()
}

#[test]
fn a_jpeg_is_turned_as_its_exif_says() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("phone.jpg");
    let read = |orientation: u8| {
        std::fs::write(&path, jpeg(32, 16, orientation)).unwrap();
        let picture = Picture::read(&path).unwrap();
        let at = |x: usize, y: usize| picture.rgb[3 * (y * picture.width + x)] > 0.5;
        let (right, low) = (picture.width - 1, picture.height - 1);
        ((picture.width, picture.height), [at(0, 0), at(right, 0), at(0, low), at(right, low)])
    };
    assert_eq!(read(1), ((32, 16), [true, true, false, false]));
    assert_eq!(read(3), ((32, 16), [false, false, true, true]));
    // Stored sideways: what is above as stored is on the right.
    assert_eq!(read(6), ((16, 32), [false, true, false, true]));
}

#[test]
fn a_jpeg_that_is_cut_off_is_refused_and_one_without_its_end_mark_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("cut.jpg");
    let whole = jpeg(64, 64, 1);
    for (bytes, is_whole) in [
        (&whole[..], true),
        // What stands behind the end does not matter, though it looks like a scan.
        (&[&whole[..], b"film\xff\xda"].concat(), true),
        (&whole[..1], false),
        (&whole[..3], false),
        (&whole[..whole.len() - 2], true),
        (&whole[..whole.len() - 1], true),
        (&whole[..whole.len() * 3 / 4], false),
    ] {
        std::fs::write(&path, bytes).unwrap();
        let read = Picture::read(&path);
        assert_eq!(read.is_ok(), is_whole, "{read:?}");
        if let Err(error) = read {
            assert!(error.expected.starts_with("a PNG"), "{error}");
        }
    }
    let noise =
        image::RgbImage::from_fn(48, 48, |x, y| image::Rgb([(x * 37 + y * y * 11) as u8; 3]));
    let mut bytes = std::io::Cursor::new(Vec::new());
    noise.write_to(&mut bytes, image::ImageFormat::Jpeg).unwrap();
    let bytes = bytes.into_inner();
    for (lost, is_whole) in [(0, true), (2, true), (12, false), (200, false)] {
        std::fs::write(&path, &bytes[..bytes.len() - lost]).unwrap();
        assert_eq!(Picture::read(&path).is_ok(), is_whole, "{lost}");
    }
}

#[test]
fn tiff_and_bmp_are_read_and_what_is_refused_says_the_limit_and_helps() {
    use image::ImageFormat::{Bmp, Png, Tiff};
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str| folder.path().join(name);
    let image = image::RgbImage::from_fn(9, 7, |x, y| image::Rgb([x as u8, y as u8, 99]));
    let read = |name: &str| Picture::read(&file(name));
    for (name, format) in [("a.tif", Tiff), ("a.bmp", Bmp)] {
        image.save_with_format(file(name), format).unwrap();
        assert_eq!(&read(name).unwrap().to_bytes(), image.as_raw(), "{name}");
    }
    let float = image::Rgb32FImage::from_fn(3, 3, |x, _| image::Rgb([x as f32 - 0.5; 3]));
    image::DynamicImage::ImageRgb32F(float).save_with_format(file("f.tif"), Tiff).unwrap();
    assert_eq!(read("f.tif").unwrap().rgb[..9], [0.0, 0.0, 0.0, 0.5, 0.5, 0.5, 1.0, 1.0, 1.0]);
    let nan = image::Rgb32FImage::from_fn(3, 3, |_, _| image::Rgb([f32::NAN; 3]));
    image::DynamicImage::ImageRgb32F(nan).save_with_format(file("nan.tif"), Tiff).unwrap();
    image::RgbImage::new(8193, 2).save_with_format(file("wide.png"), Png).unwrap();
    for name in ["a.heic", "a.pickle"] {
        std::fs::write(file(name), "text").unwrap();
    }
    for (name, expected, advice) in [
        ("nan.tif", "no numbers", false),
        ("wide.png", "at most 8192 pixels a side, found 8193 × 2; make it smaller", false),
        ("a.heic", "another format", true),
        ("a.pickle", "a file that is none of them", false),
    ] {
        let error = read(name).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
        assert_eq!(error.contains("save it as PNG"), advice, "{error}");
    }
}

#[test]
fn an_svg_of_shapes_is_read_and_other_files_and_letters_are_not() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.svg");
    let read = |inside: &str| {
        let svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"20\" height=\"10\">{inside}</svg>"
        );
        std::fs::write(&path, svg).unwrap();
        picloom::run::read_picture(&path)
    };
    let picture = read("<rect x=\"10\" width=\"10\" height=\"10\" fill=\"red\"/>").unwrap();
    assert_eq!((picture.width, picture.height), (1024, 512));
    assert_eq!([picture.at(9, 9), picture.at(500, 1000)], [[1.0; 3], [1.0, 0.0, 0.0]]);
    for (inside, expected) in [
        ("<text>letters</text>", "found <text>; turn it into paths"),
        ("<g><image href=\"a.png\"/></g>", "found <image>"),
        ("<g>", "expected an SVG of shapes"),
    ] {
        let error = read(inside).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    }
}
