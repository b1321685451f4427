//! Golden pictures of the gallery, small and in ASCII, so that the diff shows the picture.
//!
//! `UPDATE_GOLDEN=1 cargo test --test studies figures` writes them anew. A picture is 64 × 48 cells
//! of 16 greys; the last bit of a floating point number cannot move it, for a cell may differ by one
//! level, and a cell in a hundred by more.

use picloom::figures::files::svg_to_rgb;
use picloom::figures::{Provenance, svg_to_png};
use std::fmt::Write;
use std::path::{Path, PathBuf};

const COLUMNS: usize = 64;
const ROWS: usize = 48;
/// White to black.
const GREYS: &[u8; 16] = b" .,:;-~^+*oxX#%@";

/// The mean brightness of each cell, as a letter.
fn ascii(svg: &str) -> String {
    let (width, height, rgb) = svg_to_rgb(svg, 1.0).unwrap();
    let mut text = String::new();
    for row in 0..ROWS {
        text.push('|');
        for column in 0..COLUMNS {
            let (mut sum, mut count) = (0usize, 0usize);
            for y in row * height / ROWS..((row + 1) * height / ROWS).max(row * height / ROWS + 1) {
                for x in column * width / COLUMNS..(column + 1) * width / COLUMNS {
                    let at = 3 * (y.min(height - 1) * width + x);
                    sum += rgb[at..at + 3].iter().map(|v| usize::from(*v)).sum::<usize>();
                    count += 3 * 255;
                }
            }
            let ink = 1.0 - sum as f64 / count.max(1) as f64;
            // Thin lines on white are most of a chart: the pale greys are told apart best.
            text.push(GREYS[(15.0 * ink.clamp(0.0, 1.0).sqrt()).round() as usize] as char);
        }
        text.push_str("|\n");
    }
    text
}

/// Whether two pictures are the same but for rounding.
fn alike(a: &str, b: &str) -> bool {
    let level = |c: char| GREYS.iter().position(|g| *g as char == c).unwrap_or(99);
    let apart = a.chars().zip(b.chars()).filter(|(a, b)| level(*a).abs_diff(level(*b)) > 1);
    a.len() == b.len() && apart.count() * 100 <= COLUMNS * ROWS
}

/// Holds every picture to its golden one.
pub fn hold(pictures: &[(&str, String)]) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let file = root.join("tests/golden/figures.txt");
    let mut found = String::new();
    // Pictures of other people's genomes are drawn where these are, but not kept.
    let pictures: Vec<_> = pictures.iter().filter(|(name, _)| !name.starts_with("skull")).collect();
    for (name, svg) in &pictures {
        let _ = write!(found, "== {name} ==\n{}", ascii(svg));
    }
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(&file, &found).unwrap();
    }
    let golden = std::fs::read_to_string(&file).unwrap();
    let of = |text: &str, name: &str| -> Option<String> {
        let (_, rest) = text.split_once(&format!("== {name} ==\n"))?;
        Some(rest.split("== ").next().unwrap_or("").to_string())
    };
    let folder: PathBuf = root.join("target/golden");
    let mut differ = Vec::new();
    for (name, svg) in pictures {
        let (new, old) = (of(&found, name).unwrap(), of(&golden, name).unwrap_or_default());
        if !alike(&new, &old) {
            std::fs::create_dir_all(&folder).unwrap();
            let png = svg_to_png(svg, 1.0, &Provenance::none()).unwrap();
            std::fs::write(folder.join(format!("{name}.png")), png).unwrap();
            differ.push(format!("{name}, now\n{new}{name}, golden\n{old}"));
        }
    }
    assert!(
        differ.is_empty(),
        "pictures in {} differ from the golden ones (UPDATE_GOLDEN=1 takes them as they are):\n{}",
        folder.display(),
        differ.join("\n")
    );
}
