//! `picloom animate`: films between genomes, along lineages, of a weight, and zooms.

use crate::line::{Place, assert_has, plain};
use image::AnimationDecoder;
use image::codecs::gif::GifDecoder;
use picloom::experiment::evolution::ancestry;
use picloom::genome::{self, Genome};
use picloom::network::{Coords, Model, Picture, Wiring};
use serde_json::json;
use std::io::Cursor;
use std::path::Path;

fn gene(name: &str) -> Genome {
    genome::read(Path::new(name)).unwrap()
}

fn drawn(genome: &Genome, size: usize) -> Picture {
    Model::of_genome(genome, Wiring::Graph).picture(size, Coords::Fer)
}

/// The frames of an APNG, and how often it plays.
fn frames(apng: Vec<u8>) -> (Vec<Vec<u8>>, u32) {
    let mut reader = png::Decoder::new(Cursor::new(apng)).read_info().unwrap();
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

/// The frames of a film to an APNG.
#[track_caller]
fn filmed(place: &Place, line: &str) -> Vec<Vec<u8>> {
    place.done(&format!("animate {line} --out a.png"));
    frames(place.bytes("a.png")).0
}

#[test]
fn a_morph_goes_from_genome_to_genome_without_a_jump() {
    let place = Place::new();
    let line = "animate morph bred_moth bred_skull bred_moth --size 48 --fps 50 --seconds 3";
    let said = place.json(&format!("{line} --out a.png"));
    assert_has(&said, json!({ "frames": 150, "fps": 50 }));
    let (frames, plays) = frames(place.bytes("a.png"));
    assert_eq!((frames.len(), plays), (150, 0));
    let ends = ["bred_moth", "bred_skull"].map(|name| drawn(&gene(name), 48).to_bytes());
    assert!(frames[0] == ends[0] && frames[149] == ends[0]);
    let nearest = frames.iter().map(|frame| off(frame, &ends[1])).fold(f64::INFINITY, f64::min);
    assert!(nearest < 4.0, "{nearest}");
    let apart = off(&ends[0], &ends[1]);
    let jump = frames.windows(2).map(|two| off(&two[0], &two[1])).fold(0.0, f64::max);
    assert!(jump < apart / 2.0, "{jump} of {apart}");
}

#[test]
fn films_have_the_same_bytes_at_any_thread_count() {
    let place = Place::new();
    for name in ["a.gif", "a.png"] {
        let line = "animate morph bred_moth bred_skull --size 80x60 --seconds 0.4 --supersample 2";
        let bytes = [1, 3].map(|threads| {
            place.done(&format!("{line} --threads {threads} --out {name}"));
            place.bytes(name)
        });
        assert!(bytes[0] == bytes[1], "{name}");
    }
}

#[test]
fn a_gif_is_like_the_film_and_takes_its_time() {
    let place = Place::new();
    let line = "animate morph bred_moth bred_skull";
    let film = "--size 96 --fps 30 --seconds 1 --back --ease linear";
    place.done(&format!("{line} {film} --out a.gif"));
    place.done(&format!("{line} {film} --once --out a.png"));
    let (exact, plays) = frames(place.bytes("a.png"));
    assert_eq!((exact.len(), plays), (58, 1));
    let decoded = || GifDecoder::new(Cursor::new(place.bytes("a.gif"))).unwrap().into_frames();
    let found = decoded().collect_frames().unwrap();
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
    let said = place.json(&format!("{line} --size 8 --fps 60 --seconds 1 --out a.gif"));
    assert_has(&said, json!({ "frames": 50, "fps": 50 }));
    assert!(decoded().all(|frame| frame.unwrap().delay().numer_denom_ms() == (20, 1)));
}

#[test]
fn a_weight_goes_from_a_value_to_another() {
    let place = Place::new();
    let model = Model::of_genome(&gene("bred_moth"), Wiring::Graph);
    let at = |weight: f32| {
        let mut moved = model.clone();
        moved.weights.0[3] = weight;
        moved.picture(40, Coords::Fer).to_bytes()
    };
    let line = "weight --genome bred_moth --link 3 --seconds 0.4";
    let found = filmed(&place, &format!("{line} --from -1.5 --to 2 --size 40"));
    assert!(found[0] == at(-1.5) && found[9] == at(2.0));
    // Without ends, as far as the picture changes by 0.18 both ways.
    let found = filmed(&place, &format!("{line} --size 64"));
    let own = model.picture(64, Coords::Fer).to_bytes();
    for end in [&found[0], &found[9]] {
        let effect = off(end, &own) / 255.0;
        assert!((0.15..0.22).contains(&effect), "{effect}");
    }
}

#[test]
fn a_zoom_ends_where_render_draws() {
    let place = Place::new();
    let end = "--genome bred_moth --size 60x40 --center -0.4,0.2 --zoom 12";
    let found = filmed(&place, &format!("zoom {end} --seconds 0.4"));
    let rendered = |line: &str| {
        place.done(&format!("render {line} --out still.png"));
        image::load_from_memory(&place.bytes("still.png")).unwrap().to_rgb8().into_raw()
    };
    assert!(off(&found[9], &rendered(end)) < 1e-2);
    assert!(found[0] == rendered("--genome bred_moth --size 60x40"));
}

#[test]
fn a_lineage_goes_along_the_choices_of_a_session() {
    let place = Place::new();
    for chosen in [3, 8, 2] {
        let line = "evolve --search interactive --seed 7 --cell 16 --out bred --select";
        place.done(&format!("{line} {chosen}"));
    }
    let found = filmed(&place, "lineage bred --size 32 --seconds 1");
    let folder = place.at("bred");
    let line = ancestry(&folder, (None, None), &mut |_, _| true).unwrap();
    // The kept parent is its own child: three choices, no more genomes than that.
    assert!((2..=3).contains(&line.len()), "{}", line.len());
    assert!(found[0] == drawn(&line[0], 32).to_bytes());
    assert!(*found.last().unwrap() == drawn(line.last().unwrap(), 32).to_bytes());
    let asked = ancestry(&folder, (Some(3), Some(9)), &mut |_, _| true).unwrap();
    let child = genome::read(&folder.join("genomes/09.json")).unwrap();
    assert_eq!(plain(asked.last().unwrap()), plain(&child));
    assert!(asked.len() >= 3);
}

#[test]
fn a_lineage_of_a_run_is_evolved_again() {
    let place = Place::new();
    let small = "--preset neat --population 12 --generations 8 --size 16 --seed 2";
    let refined = "--refine lamarck --refine-steps 3";
    place.done(&format!("evolve --target bred_moth {small} {refined} --out run"));
    let best = ancestry(&place.at("run"), (None, None), &mut |_, _| true).unwrap();
    assert!(best.len() > 1, "an ancestor at least");
    // Every one is the first of its line.
    let file = place.at("run/genomes/001.json");
    let other = ancestry(&file, (None, None), &mut |_, _| true).unwrap();
    assert_eq!(*other.last().unwrap(), genome::read(&file).unwrap());
    place.done("animate lineage run --size 32 --seconds 0.4 --out a.gif");
    assert!(place.at("a.gif").is_file());
}

/// Films a morph to a video, with only this program called ffmpeg on PATH.
#[cfg(unix)]
#[test]
fn ffmpeg_is_given_every_frame_and_a_video_is_whole_or_not_there() {
    use std::os::unix::fs::PermissionsExt;
    let place = Place::new();
    let line = "morph bred_moth bred_skull --size 32x24 --seconds 0.4";
    let begins = "#!/bin/sh\n[ \"$1\" = -version ] && exit 0\n";
    for (script, code, parts) in [
        (None, 1, &["expected the program ffmpeg on PATH", ".gif or .png"][..]),
        (Some("echo no such codec >&2\nexit 1\n"), 1, &["no such codec"]),
        // The last argument is the file.
        (Some("for last; do :; done\nexec /bin/cat > \"$last\"\n"), 0, &[]),
    ] {
        std::fs::create_dir_all(place.at("bin")).unwrap();
        if let Some(script) = script {
            let executable = std::fs::Permissions::from_mode(0o755);
            place.write("bin/ffmpeg", format!("{begins}{script}"));
            std::fs::set_permissions(place.at("bin/ffmpeg"), executable).unwrap();
        }
        let mut command = place.command(&format!("animate {line} --out a.mp4"));
        let done = command.env("PATH", place.at("bin")).output().unwrap();
        let said = String::from_utf8_lossy(&done.stderr);
        assert_eq!(done.status.code(), Some(code), "{said}");
        assert!(parts.iter().all(|part| said.contains(part)), "{said}");
        assert_eq!(place.count(""), if code == 0 { 2 } else { 1 }, "no file is left");
    }
    let video = place.bytes("a.mp4");
    assert_eq!(video.len(), 10 * 32 * 24 * 3);
    assert!(video == filmed(&place, line).concat());
}
