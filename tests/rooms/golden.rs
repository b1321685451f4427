//! The gallery, as text: what every committed genome draws, so that a change of a pixel is seen as a
//! picture in a diff. `UPDATE_GOLDEN=1 cargo test --test rooms golden` writes the file anew.

use picloom::genome;
use picloom::network::{Coords, Picture, compile, kernel};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// From dark to light.
const TONES: &[u8] = b" .:-=+*#%@";

/// The genome files, sorted.
fn genomes() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("genomes");
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<PathBuf> =
        entries.filter(|path| path.extension().is_some_and(|e| e == "json")).collect();
    files.sort();
    files
}

/// Brightness of 32 × 16 cells of two pixels each, after a line with the mean colour.
fn as_text(picture: &Picture) -> String {
    let mut mean = [0.0f64; 3];
    for pixel in picture.rgb.chunks_exact(3) {
        for (mean, &channel) in mean.iter_mut().zip(pixel) {
            *mean += 255.0 * f64::from(channel) / picture.pixels() as f64;
        }
    }
    let [r, g, b] = mean.map(|m| m.round() as u8);
    let mut text = format!("mean colour #{r:02x}{g:02x}{b:02x}\n");
    for row in (0..picture.height).step_by(2) {
        let tone = |column: usize| {
            let cell = [picture.at(row, column), picture.at(row + 1, column)];
            let light = cell.iter().flatten().sum::<f32>() / 6.0;
            char::from(TONES[((light * TONES.len() as f32) as usize).min(TONES.len() - 1)])
        };
        let line: String = (0..picture.width).map(tone).collect();
        writeln!(text, "|{line}|").unwrap();
    }
    text
}

#[test]
fn every_genome_of_the_gallery_draws_what_it_drew() {
    let mut found = String::new();
    for path in genomes() {
        let (network, weights) = compile(&genome::read(&path).unwrap());
        let picture = kernel::picture(&network, &weights, 32, Coords::Fer);
        let name = path.file_stem().unwrap().to_str().unwrap();
        writeln!(found, "{name}: {}", as_text(&picture)).unwrap();
    }
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/genomes.txt");
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(&golden, &found).unwrap();
    }
    let wanted = std::fs::read_to_string(&golden).unwrap();
    for (found, wanted) in found.split("\n\n").zip(wanted.split("\n\n")) {
        assert!(found == wanted, "it drew\n{wanted}\nand now draws\n{found}");
    }
    assert_eq!(found.len(), wanted.len(), "genomes were added or taken away");
}
