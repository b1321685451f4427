//! `picloom render`: any size, aspect and part of the plane; PNG, JPEG, TIFF; bounded memory; whole or not at all.

use crate::PROGRAM;
use crate::line::Place;
use picloom::genome;
use picloom::network::kernel::Renderer;
use picloom::network::{Canvas, Coords, Model, Picture, Point, Size, Wiring};
use std::path::Path;

pub(crate) fn moth() -> Model {
    let genome = genome::read(Path::new("genomes/bred_moth.json")).unwrap();
    Model::of_genome(&genome, Wiring::Graph)
}

/// Draws the moth into a file of this name with more options; its bytes.
#[track_caller]
fn rendered(place: &Place, name: &str, more: &str) -> Vec<u8> {
    place.done(&format!("render --genome bred_moth --out {name} {more}"));
    place.bytes(name)
}

pub(crate) fn drawn(model: &Model, canvas: Canvas) -> Picture {
    let Size { width, height } = canvas.size;
    let renderer = Renderer::new(&model.network, &model.weights);
    Picture { width, height, rgb: canvas.draw(&renderer, 0..height) }
}

fn rgb8(bytes: &[u8]) -> Vec<u8> {
    image::load_from_memory(bytes).unwrap().to_rgb8().into_raw()
}

#[test]
fn a_square_png_has_the_networks_own_bits_at_any_thread_count() {
    let place = Place::new();
    let own = moth().picture(64, Coords::Fer).to_bytes();
    let files = [1, 2, 5]
        .map(|threads| rendered(&place, "moth.png", &format!("--size 64 --threads {threads}")));
    assert_eq!(rgb8(&files[0]), own);
    assert!(files.iter().all(|file| *file == files[0]));
    // Many bands, samples and a size that fills no tile.
    let files = [1, 3].map(|threads| {
        let more = format!("--size 1501x1203 --supersample 2 --threads {threads}");
        rendered(&place, "moth.png", &more)
    });
    assert!(files[0] == files[1]);
}

#[test]
fn any_aspect_and_part_of_the_plane_is_drawn() {
    let place = Place::new();
    let options = "--size 90x60 --center -0.25,0.5 --zoom 3 --supersample 3";
    let found = rgb8(&rendered(&place, "a.png", options));
    let canvas = Canvas {
        center: Point { x: -0.25, y: 0.5 },
        zoom: 3.0,
        samples: 3,
        ..Canvas::whole(Size { width: 90, height: 60 }, Coords::Fer)
    };
    assert_eq!(found, drawn(&moth(), canvas).to_bytes());
    // The same through `genome render`.
    place.done(&format!("genome render bred_moth {options} --out b.png"));
    assert_eq!(rgb8(&place.bytes("b.png")), found);
}

#[test]
fn sixteen_bits_keep_what_eight_lose() {
    let place = Place::new();
    let file = rendered(&place, "a.png", "--size 40x30 --bits 16 --dpi 300");
    let mut reader = png::Decoder::new(std::io::Cursor::new(file)).read_info().unwrap();
    assert_eq!(reader.info().bit_depth, png::BitDepth::Sixteen);
    assert_eq!(reader.info().pixel_dims.unwrap().xppu, 11_811);
    let mut bytes = vec![0; reader.output_buffer_size().unwrap()];
    reader.next_frame(&mut bytes).unwrap();
    let expected = Canvas::whole(Size { width: 40, height: 30 }, Coords::Fer);
    let expected = drawn(&moth(), expected).rgb;
    let expected = expected.iter().flat_map(|v| ((v * 65535.0).round() as u16).to_be_bytes());
    assert!(bytes.iter().copied().eq(expected));
}

#[test]
fn a_tiff_has_the_pixels_of_the_png() {
    let place = Place::new();
    let png = rgb8(&rendered(&place, "a.png", "--size 301x200"));
    let tiff = |bits: usize| {
        let more = format!("--size 301x200 --bits {bits} --dpi 300");
        image::load_from_memory(&rendered(&place, "a.tiff", &more)).unwrap()
    };
    let image::DynamicImage::ImageRgb8(eight) = tiff(8) else { panic!("other samples") };
    assert!(eight.into_raw() == png);
    let image::DynamicImage::ImageRgb16(sixteen) = tiff(16) else { panic!("other samples") };
    let high = sixteen.iter().map(|sample| (sample >> 8) as u8);
    assert!(high.zip(&png).all(|(high, byte)| high.abs_diff(*byte) <= 1));
}

#[test]
fn a_jpeg_is_like_the_picture_and_quality_makes_it_more_so() {
    let place = Place::new();
    // Bands and blocks end in the middle of the picture.
    let exact = rgb8(&rendered(&place, "a.png", "--size 1233x901"));
    let off = |quality: u32| {
        let file = rendered(&place, "a.jpg", &format!("--size 1233x901 --quality {quality}"));
        let found = rgb8(&file);
        let squares = found.iter().zip(&exact).map(|(a, b)| f64::from(a.abs_diff(*b)).powi(2));
        ((squares.sum::<f64>() / exact.len() as f64).sqrt(), file.len())
    };
    let ((fine, large), (coarse, small)) = (off(95), off(30));
    assert!(fine < 3.0 && coarse < 12.0 && fine < coarse, "{fine} {coarse}");
    assert!(small < large && large < exact.len() / 4);
}

/// The moth at this size into a file, by a shell that limits the program: its exit code and words.
#[cfg(target_os = "linux")]
fn limited(place: &Place, limit: &str, size: u32, name: &str) -> (Option<i32>, String) {
    let line = format!("render --genome bred_moth --size {size} --threads 2 --out {name}");
    let line = format!("ulimit {limit}; exec {PROGRAM} {line}");
    let mut shell = std::process::Command::new("sh");
    let done = shell.args(["-c", &line]).current_dir(place.path()).output().unwrap();
    (done.status.code(), String::from_utf8_lossy(&done.stderr).into_owned())
}

#[test]
#[ignore = "slow: cargo test -- --include-ignored"]
#[cfg(target_os = "linux")]
fn a_large_picture_is_never_held_whole() {
    let place = Place::new();
    for name in ["a.png", "a.jpg", "a.tif"] {
        // 64 million pixels are 768 MB as floats.
        let (code, said) = limited(&place, "-v 600000", 8000, name);
        assert_eq!(code, Some(0), "{said}");
        assert!(place.at(name).metadata().unwrap().len() > 100_000);
    }
}

#[test]
#[cfg(target_os = "linux")]
fn a_full_disk_leaves_the_old_file_and_nothing_else() {
    for name in ["a.png", "a.jpg", "a.tif"] {
        let place = Place::new();
        place.write(name, "as it was");
        let (code, said) = limited(&place, "-f 64", 2000, name);
        assert_eq!(code, Some(1), "{said}");
        assert!(said.contains(&format!("{name}: cannot write")), "{said}");
        assert_eq!((place.text(name).as_str(), place.count("")), ("as it was", 1));
    }
}
