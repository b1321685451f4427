//! `picloom animate`: films between genomes, along lineages, of a weight, and zooms.

use crate::line::{json, picloom, refused, text};
use image::AnimationDecoder;
use image::codecs::gif::GifDecoder;
use picloom::experiment::evolution::ancestry;
use picloom::genome::{self, Genome, to_json};
use picloom::network::{Coords, Model, Picture, Wiring};
use serde_json::Value;
use std::io::BufReader;
use std::path::Path;

const MOTH: &str = "genomes/bred_moth.json";
const SKULL: &str = "genomes/bred_skull.json";

#[track_caller]
fn filmed(line: &str, out: &Path) -> Value {
    let mut args: Vec<&str> = line.split_whitespace().collect();
    args.extend(["--out", text(out)]);
    json(&[&["animate"], &args[..]].concat())
}

fn drawn(genome: &Genome, size: usize) -> Picture {
    Model::of_genome(genome, Wiring::Graph).picture(size, Coords::Fer)
}

/// The frames of an APNG, and how often it plays.
fn frames(path: &Path) -> (Vec<Vec<u8>>, u32) {
    let file = BufReader::new(std::fs::File::open(path).unwrap());
    let mut reader = png::Decoder::new(file).read_info().unwrap();
    let control = reader.info().animation_control.unwrap();
    let mut frames = Vec::new();
    for _ in 0..control.num_frames {
        let mut bytes = vec![0; reader.output_buffer_size().unwrap()];
        reader.next_frame(&mut bytes).unwrap();
        frames.push(bytes);
    }
    (frames, control.num_plays)
}

fn off(a: &[u8], b: &[u8]) -> f64 {
    let squares = a.iter().zip(b).map(|(a, b)| f64::from(a.abs_diff(*b)).powi(2));
    (squares.sum::<f64>() / a.len() as f64).sqrt()
}

#[test]
fn a_morph_goes_from_genome_to_genome_without_a_jump() {
    let work = tempfile::tempdir().unwrap();
    let path = work.path().join("morph.png");
    let said =
        filmed(&format!("morph {MOTH} {SKULL} {MOTH} --size 48 --fps 50 --seconds 3"), &path);
    assert_eq!((said["frames"].as_u64(), said["fps"].as_u64()), (Some(150), Some(50)));
    let (frames, plays) = frames(&path);
    assert_eq!((frames.len(), plays), (150, 0));
    let read = |path: &str| genome::read(Path::new(path)).unwrap();
    let ends = [read(MOTH), read(SKULL)].map(|genome| drawn(&genome, 48).to_bytes());
    assert!(frames[0] == ends[0] && frames[149] == ends[0]);
    let nearest = frames.iter().map(|frame| off(frame, &ends[1])).fold(f64::INFINITY, f64::min);
    assert!(nearest < 4.0, "{nearest}");
    let apart = off(&ends[0], &ends[1]);
    let jump = frames.windows(2).map(|two| off(&two[0], &two[1])).fold(0.0, f64::max);
    assert!(jump < apart / 2.0, "{jump} of {apart}");
}

#[test]
fn films_have_the_same_bytes_at_any_thread_count() {
    let work = tempfile::tempdir().unwrap();
    for name in ["a.gif", "a.png"] {
        let path = work.path().join(name);
        let bytes = ["1", "3"].map(|threads| {
            let line = format!("morph {MOTH} {SKULL} --size 80x60 --seconds 0.4 --supersample 2 --threads {threads}");
            filmed(&line, &path);
            std::fs::read(&path).unwrap()
        });
        assert!(bytes[0] == bytes[1], "{name}");
    }
}

#[test]
fn a_gif_is_like_the_film_and_takes_its_time() {
    let work = tempfile::tempdir().unwrap();
    let (gif, png) = (work.path().join("a.gif"), work.path().join("a.png"));
    let line = format!("morph {MOTH} {SKULL} --size 96 --fps 30 --seconds 1 --back --ease linear");
    filmed(&line, &gif);
    filmed(&format!("{line} --once"), &png);
    let (exact, plays) = frames(&png);
    assert_eq!((exact.len(), plays), (58, 1));
    let decoder = GifDecoder::new(BufReader::new(std::fs::File::open(&gif).unwrap())).unwrap();
    let found = decoder.into_frames().collect_frames().unwrap();
    assert_eq!(found.len(), 58);
    let mut milliseconds = 0;
    for (frame, exact) in found.iter().zip(&exact) {
        let rgba = frame.buffer().as_raw();
        let rgb: Vec<u8> = rgba.chunks(4).flat_map(|p| [p[0], p[1], p[2]]).collect();
        assert!(off(&rgb, exact) < 9.0, "{}", off(&rgb, exact));
        let (numerator, denominator) = frame.delay().numer_denom_ms();
        milliseconds += numerator / denominator;
    }
    // 58 frames of a thirtieth of a second.
    assert_eq!(milliseconds, 1930);
    // Browsers show shorter delays than 20 ms as 100.
    let said = filmed(&format!("morph {MOTH} {SKULL} --size 8 --fps 60 --seconds 1"), &gif);
    assert_eq!((said["frames"].as_u64(), said["fps"].as_u64()), (Some(50), Some(50)));
    let decoder = GifDecoder::new(BufReader::new(std::fs::File::open(&gif).unwrap())).unwrap();
    let delay = |frame: &image::Frame| frame.delay().numer_denom_ms();
    assert!(decoder.into_frames().all(|frame| delay(&frame.unwrap()) == (20, 1)));
}

#[test]
fn a_weight_goes_from_a_value_to_another() {
    let work = tempfile::tempdir().unwrap();
    let path = work.path().join("a.png");
    let genome = genome::read(Path::new(MOTH)).unwrap();
    let model = Model::of_genome(&genome, Wiring::Graph);
    let at = |weight: f32| {
        let mut moved = model.clone();
        moved.weights.0[3] = weight;
        moved.picture(40, Coords::Fer).to_bytes()
    };
    filmed(
        &format!("weight --genome {MOTH} --link 3 --from -1.5 --to 2 --size 40 --seconds 0.4"),
        &path,
    );
    let (found, _) = frames(&path);
    assert!(found[0] == at(-1.5) && found[9] == at(2.0));
    // Without ends, as far as the picture changes by 0.18 both ways.
    filmed(&format!("weight --genome {MOTH} --link 3 --size 64 --seconds 0.4"), &path);
    let (found, _) = frames(&path);
    let own = model.picture(64, Coords::Fer).to_bytes();
    for end in [&found[0], &found[9]] {
        let effect = off(end, &own) / 255.0;
        assert!((0.15..0.22).contains(&effect), "{effect}");
    }
    let error =
        refused(&["animate", "weight", "--genome", MOTH, "--link", "9999", "--out", "a.gif"], 2);
    assert!(error.contains("--link: expected a number below"), "{error}");
}

#[test]
fn a_zoom_ends_where_render_draws() {
    let work = tempfile::tempdir().unwrap();
    let (film, end) = (work.path().join("a.png"), work.path().join("end.png"));
    filmed(
        &format!("zoom --genome {MOTH} --center -0.4,0.2 --zoom 12 --size 60x40 --seconds 0.4"),
        &film,
    );
    json(&[
        "render",
        "--genome",
        MOTH,
        "--center",
        "-0.4,0.2",
        "--zoom",
        "12",
        "--size",
        "60x40",
        "--out",
        text(&end),
    ]);
    let (frames, _) = frames(&film);
    let end = image::open(&end).unwrap().to_rgb8().into_raw();
    assert!(off(&frames[9], &end) < 1e-2);
    let begin = work.path().join("begin.png");
    json(&["render", "--genome", MOTH, "--size", "60x40", "--out", text(&begin)]);
    assert!(frames[0] == image::open(&begin).unwrap().to_rgb8().into_raw());
}

#[test]
fn a_lineage_goes_along_the_choices_of_a_session() {
    let work = tempfile::tempdir().unwrap();
    let (folder, path) = (work.path().join("bred"), work.path().join("a.png"));
    let breed = |more: &[&str]| {
        let line = [
            "evolve",
            "--search",
            "interactive",
            "--seed",
            "7",
            "--cell",
            "16",
            "--out",
            text(&folder),
        ];
        json(&[&line[..], more].concat())
    };
    breed(&["--select", "3"]);
    breed(&["--select", "8"]);
    breed(&["--select", "2"]);
    filmed(&format!("lineage {} --size 32 --seconds 1", folder.display()), &path);
    let line = ancestry(&folder, (None, None), &mut |_, _| true).unwrap();
    // The kept parent is its own child: three choices, no more genomes than that.
    assert!((2..=3).contains(&line.len()), "{}", line.len());
    let (found, _) = frames(&path);
    assert!(found[0] == drawn(&line[0], 32).to_bytes());
    assert!(*found.last().unwrap() == drawn(line.last().unwrap(), 32).to_bytes());
    let asked = ancestry(&folder, (Some(3), Some(9)), &mut |_, _| true).unwrap();
    let child = genome::read(&folder.join("genomes/09.json")).unwrap();
    let plain = |genome: &Genome| {
        let mut genome = genome.clone();
        genome.provenance = Default::default();
        to_json(&genome)
    };
    assert_eq!(plain(asked.last().unwrap()), plain(&child));
    assert!(asked.len() >= 3);
}

#[test]
fn a_lineage_of_a_run_is_evolved_again() {
    let work = tempfile::tempdir().unwrap();
    let (folder, path) = (work.path().join("run"), work.path().join("a.gif"));
    let line = format!(
        "evolve --target {MOTH} --preset neat --population 12 --generations 8 --size 16 --seed 2 --refine lamarck --refine-steps 3 --out {}",
        folder.display()
    );
    json(&line.split_whitespace().collect::<Vec<_>>());
    let best = ancestry(&folder, (None, None), &mut |_, _| true).unwrap();
    assert!(best.len() > 1, "an ancestor at least");
    // Every one is the first of its line.
    let file = folder.join("genomes/001.json");
    let other = ancestry(&file, (None, None), &mut |_, _| true).unwrap();
    assert_eq!(*other.last().unwrap(), genome::read(&file).unwrap());
    filmed(&format!("lineage {} --size 32 --seconds 0.4", folder.display()), &path);
    assert!(path.is_file());
    let error = refused(&["animate", "lineage", MOTH, "--out", text(&path)], 2);
    assert!(
        error.contains("expected a breeding session, the folder of an evolution run"),
        "{error}"
    );
}

#[test]
fn a_name_of_no_film_is_refused_and_so_is_an_odd_size_of_a_video() {
    for (more, expected) in [
        ("--out a.avi", "a.avi: expected a film file ending in .gif, .png or .apng, .mp4 or .webm"),
        (
            "--out a.mp4 --size 33",
            "--size: expected an even width and height for .mp4, found 33x33",
        ),
        ("--out a.gif --fps 0", "expected 1 to 100, found 0"),
        ("--out a.gif --seconds 0", "seconds"),
    ] {
        let args: Vec<&str> = more.split_whitespace().collect();
        let error = refused(&[&["animate", "morph", MOTH, SKULL], &args[..]].concat(), 2);
        assert!(error.contains(expected), "{more}: {error}");
    }
    assert!(!picloom(&["animate", "morph", MOTH, "--out", "a.gif"]).status.success());
}

#[cfg(unix)]
mod video {
    use super::*;
    use std::os::unix::fs::PermissionsExt;
    use std::process::Command;

    /// Films the moth's morph to a video, with only this program called ffmpeg on PATH.
    fn with_ffmpeg(script: Option<&str>, work: &Path) -> (Option<i32>, String) {
        let tools = work.join("bin");
        std::fs::create_dir_all(&tools).unwrap();
        let ffmpeg = tools.join("ffmpeg");
        let _ = std::fs::remove_file(&ffmpeg);
        if let Some(script) = script {
            std::fs::write(&ffmpeg, format!("#!/bin/sh\n{script}\n")).unwrap();
            std::fs::set_permissions(&ffmpeg, std::fs::Permissions::from_mode(0o755)).unwrap();
        }
        let done = Command::new(env!("CARGO_BIN_EXE_picloom"))
            .env("PATH", &tools)
            .args(["animate", "morph", MOTH, SKULL, "--size", "32x24", "--seconds", "0.4"])
            .args(["--out", text(&work.join("a.mp4"))])
            .output()
            .unwrap();
        (done.status.code(), String::from_utf8_lossy(&done.stderr).into_owned())
    }

    #[test]
    fn ffmpeg_is_given_every_frame_and_its_file_is_put_in_place_whole() {
        let work = tempfile::tempdir().unwrap();
        // The last argument is the file.
        let script =
            "[ \"$1\" = -version ] && exit 0\nfor last; do :; done\nexec /bin/cat > \"$last\"";
        let (code, said) = with_ffmpeg(Some(script), work.path());
        assert_eq!(code, Some(0), "{said}");
        let frames = std::fs::read(work.path().join("a.mp4")).unwrap();
        assert_eq!(frames.len(), 10 * 32 * 24 * 3);
        let png = work.path().join("a.png");
        filmed(&format!("morph {MOTH} {SKULL} --size 32x24 --seconds 0.4"), &png);
        assert!(frames == super::frames(&png).0.concat());
    }

    #[test]
    fn without_ffmpeg_the_formats_that_need_none_are_named() {
        let work = tempfile::tempdir().unwrap();
        let (code, said) = with_ffmpeg(None, work.path());
        assert_eq!(code, Some(1), "{said}");
        assert!(
            said.contains("expected the program ffmpeg on PATH") && said.contains(".gif or .png"),
            "{said}"
        );
    }

    #[test]
    fn what_ffmpeg_says_is_told_and_no_file_is_left() {
        let work = tempfile::tempdir().unwrap();
        let script = "[ \"$1\" = -version ] && exit 0\necho no such codec >&2\nexit 1";
        let (code, said) = with_ffmpeg(Some(script), work.path());
        assert_eq!(code, Some(1), "{said}");
        assert!(said.contains("no such codec"), "{said}");
        let left = std::fs::read_dir(work.path())
            .unwrap()
            .filter(|e| e.as_ref().unwrap().path().is_file());
        assert_eq!(left.count(), 0);
    }
}
