//! `picloom render`: any size, aspect and part of the plane; PNG, JPEG, TIFF; bounded memory; whole or not at all.

use crate::line::{json, refused, text};
use picloom::genome;
use picloom::network::kernel::Renderer;
use picloom::network::{Canvas, Coords, Model, Picture, Point, Size, Wiring};
use std::path::{Path, PathBuf};
use std::process::Command;

const MOTH: &str = "genomes/bred_moth.json";

fn moth() -> Model {
    Model::of_genome(&genome::read(Path::new(MOTH)).unwrap(), Wiring::Graph)
}

/// Draws the moth into a file of this name with more options.
#[track_caller]
fn rendered(folder: &Path, name: &str, more: &str) -> PathBuf {
    let path = folder.join(name);
    let args = ["render", "--genome", MOTH, "--out", text(&path)];
    let more: Vec<&str> = more.split_whitespace().collect();
    json(&[&args[..], &more[..]].concat());
    path
}

fn drawn(canvas: Canvas) -> Picture {
    let model = moth();
    let Size { width, height } = canvas.size;
    let renderer = Renderer::new(&model.network, &model.weights);
    Picture { width, height, rgb: canvas.draw(&renderer, 0..height) }
}

fn rgb8(path: &Path) -> Vec<u8> {
    image::open(path).unwrap().to_rgb8().into_raw()
}

#[test]
fn a_square_png_has_the_networks_own_bits_at_any_thread_count() {
    let work = tempfile::tempdir().unwrap();
    let own = moth().picture(64, Coords::Fer).to_bytes();
    let files = ["1", "2", "5"].map(|threads| {
        let more = format!("--size 64 --threads {threads}");
        std::fs::read(rendered(work.path(), "moth.png", &more)).unwrap()
    });
    assert_eq!(rgb8(&work.path().join("moth.png")), own);
    assert!(files.iter().all(|file| *file == files[0]));
    // Many bands, samples and a size that fills no tile.
    let files = ["1", "3"].map(|threads| {
        let more = format!("--size 1501x1203 --supersample 2 --threads {threads}");
        std::fs::read(rendered(work.path(), "moth.png", &more)).unwrap()
    });
    assert!(files[0] == files[1]);
}

#[test]
fn any_aspect_and_part_of_the_plane_is_drawn() {
    let work = tempfile::tempdir().unwrap();
    let path =
        rendered(work.path(), "a.png", "--size 90x60 --center -0.25,0.5 --zoom 3 --supersample 3");
    let canvas = Canvas {
        center: Point { x: -0.25, y: 0.5 },
        zoom: 3.0,
        samples: 3,
        ..Canvas::whole(Size { width: 90, height: 60 }, Coords::Fer)
    };
    assert_eq!(rgb8(&path), drawn(canvas).to_bytes());
    // The same through `genome render`.
    let other = work.path().join("b.png");
    let line =
        ["genome", "render", MOTH, "--size", "90x60", "--center", "-0.25,0.5", "--zoom", "3"];
    json(&[&line[..], &["--supersample", "3", "--out", text(&other)]].concat());
    assert_eq!(rgb8(&other), rgb8(&path));
}

#[test]
fn sixteen_bits_keep_what_eight_lose() {
    let work = tempfile::tempdir().unwrap();
    let path = rendered(work.path(), "a.png", "--size 40x30 --bits 16 --dpi 300");
    let mut reader = png::Decoder::new(std::io::BufReader::new(std::fs::File::open(path).unwrap()))
        .read_info()
        .unwrap();
    assert_eq!(reader.info().bit_depth, png::BitDepth::Sixteen);
    assert_eq!(reader.info().pixel_dims.unwrap().xppu, 11_811);
    let mut bytes = vec![0; reader.output_buffer_size().unwrap()];
    reader.next_frame(&mut bytes).unwrap();
    let expected = drawn(Canvas::whole(Size { width: 40, height: 30 }, Coords::Fer)).rgb;
    let expected = expected.iter().flat_map(|v| ((v * 65535.0).round() as u16).to_be_bytes());
    assert!(bytes.iter().copied().eq(expected));
}

/// The samples of an uncompressed RGB TIFF, as its directory says where they are.
fn samples(bytes: &[u8]) -> (Vec<u8>, u16) {
    assert_eq!(&bytes[..4], b"MM\0*");
    let long = |at: usize| u32::from_be_bytes(bytes[at..at + 4].try_into().unwrap()) as usize;
    let short = |at: usize| u16::from_be_bytes(bytes[at..at + 2].try_into().unwrap());
    let directory = long(4);
    let field = |tag: u16| {
        let mut all = (0..usize::from(short(directory))).map(|i| directory + 2 + 12 * i);
        all.find(|&at| short(at) == tag).unwrap()
    };
    let list = |tag: u16| {
        let (at, count) = (field(tag), long(field(tag) + 4));
        let begin = if count == 1 { at + 8 } else { long(at + 8) };
        (0..count).map(|i| long(begin + 4 * i)).collect::<Vec<_>>()
    };
    let strips = list(273).into_iter().zip(list(279));
    let pixels = strips.flat_map(|(at, length)| bytes[at..at + length].to_vec()).collect();
    (pixels, short(long(field(258) + 8)))
}

#[test]
fn a_tiff_has_the_pixels_of_the_png() {
    let work = tempfile::tempdir().unwrap();
    for (bits, wide) in [("8", 1), ("16", 2)] {
        let more = format!("--size 301x200 --bits {bits} --dpi 300");
        let tiff = std::fs::read(rendered(work.path(), "a.tiff", &more)).unwrap();
        let (pixels, said) = samples(&tiff);
        assert_eq!((pixels.len(), said), (301 * 200 * 3 * wide, 8 * wide as u16));
        let png = rgb8(&rendered(work.path(), "a.png", "--size 301x200"));
        if wide == 1 {
            assert!(pixels == png);
        } else {
            assert!(pixels.chunks(2).zip(&png).all(|(pair, byte)| pair[0].abs_diff(*byte) <= 1));
        }
    }
}

#[test]
fn a_jpeg_is_like_the_picture_and_quality_makes_it_more_so() {
    let work = tempfile::tempdir().unwrap();
    // Bands and blocks end in the middle of the picture.
    let exact = rgb8(&rendered(work.path(), "a.png", "--size 1233x901"));
    let off = |more: &str| {
        let path = rendered(work.path(), "a.jpg", &format!("--size 1233x901 {more}"));
        let found = rgb8(&path);
        let squares = found.iter().zip(&exact).map(|(a, b)| f64::from(a.abs_diff(*b)).powi(2));
        ((squares.sum::<f64>() / exact.len() as f64).sqrt(), path.metadata().unwrap().len())
    };
    let (fine, large) = off("--quality 95");
    let (coarse, small) = off("--quality 30");
    assert!(fine < 3.0 && coarse < 12.0 && fine < coarse, "{fine} {coarse}");
    assert!(small < large && large < exact.len() as u64 / 4);
}

#[test]
fn what_no_file_can_be_is_refused() {
    for (more, expected) in [
        ("--out a.bmp", "a.bmp: expected a picture file ending in .png, .jpg"),
        ("--out a", "a: expected a picture file ending in .png"),
        ("--out a.jpg --bits 16", "--bits: expected 8 for a JPEG, found 16"),
        ("--out a.jpg --size 70000x20", "--size: expected at most 65535 pixels a side for a JPEG"),
        ("--out a.png --size 1", "expected 2 to 262144 pixels, or WIDTHxHEIGHT"),
        ("--out a.png --size 6000x", "expected 2 to 262144 pixels, or WIDTHxHEIGHT"),
        ("--out a.png --center 3", "expected two numbers, X,Y, found 3"),
        ("--out a.png --supersample 9", "expected 1 to 8, found 9"),
        ("--out a.png --zoom 0", "zoom"),
    ] {
        let args: Vec<&str> = more.split_whitespace().collect();
        let error = refused(&[&["render", "--genome", MOTH], &args[..]].concat(), 2);
        assert!(error.contains(expected), "{more}: {error}");
    }
}

/// A shell line that limits the program, and its exit code and words.
#[cfg(unix)]
fn limited(limit: &str, line: &str) -> (Option<i32>, String) {
    let program = env!("CARGO_BIN_EXE_picloom");
    let line = format!("ulimit {limit}; exec {program} {line}");
    let done = Command::new("sh").args(["-c", &line]).output().unwrap();
    (done.status.code(), String::from_utf8_lossy(&done.stderr).into_owned())
}

#[test]
#[ignore = "slow: cargo test -- --include-ignored"]
#[cfg(target_os = "linux")]
fn a_large_picture_is_never_held_whole() {
    let work = tempfile::tempdir().unwrap();
    for name in ["a.png", "a.jpg", "a.tif"] {
        let path = work.path().join(name);
        // 64 million pixels are 768 MB as floats.
        let line =
            format!("render --genome {MOTH} --size 8000 --threads 2 --out {}", path.display());
        let (code, said) = limited("-v 600000", &line);
        assert_eq!(code, Some(0), "{said}");
        assert!(path.metadata().unwrap().len() > 100_000);
        std::fs::remove_file(&path).unwrap();
    }
}

#[test]
#[cfg(target_os = "linux")]
fn a_full_disk_leaves_the_old_file_and_nothing_else() {
    let work = tempfile::tempdir().unwrap();
    for name in ["a.png", "a.jpg", "a.tif"] {
        let path = work.path().join(name);
        std::fs::write(&path, "as it was").unwrap();
        let line = format!("render --genome {MOTH} --size 2000 --out {}", path.display());
        let (code, said) = limited("-f 64", &line);
        assert_eq!(code, Some(1), "{said}");
        assert!(said.contains(&format!("{name}: cannot write")), "{said}");
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "as it was");
        std::fs::remove_file(&path).unwrap();
        assert_eq!(std::fs::read_dir(work.path()).unwrap().count(), 0, "{name}");
    }
}
