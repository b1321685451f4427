//! Changes the weights of an evolved network one at a time, each as far as it takes to change the
//! picture by the same amount, and draws what comes of it: a row a weight, from less to more.
//!
//! `cargo run --release --example sweep [OUT.png]`

use picloom::genome::from_json;
use picloom::network::{Coords, Model, Picture, Wiring};
use picloom::probe::{Delta, Selection, View};
use std::path::PathBuf;

/// Pictures of one size, `columns` a row.
fn mosaic(pictures: &[Picture], columns: usize) -> Picture {
    let (width, height) = (pictures[0].width, pictures[0].height);
    let rows = pictures.len().div_ceil(columns);
    let mut all = Picture::filled(columns * width, rows * height, [1.0; 3]);
    for (k, picture) in pictures.iter().enumerate() {
        all.paste(picture, k % columns * width, k / columns * height);
    }
    all
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let out = std::env::args_os()
        .nth(1)
        .map_or_else(|| std::env::temp_dir().join("picloom-sweep.png"), PathBuf::from);
    const SIZE: usize = 64;
    const STEPS: usize = 7;
    let genome = from_json(include_str!("../genomes/bred_moth.json"))?;
    let view = View::new(&Model::of_genome(&genome, Wiring::Graph), SIZE, Coords::Fer);
    let links = Selection::Sample(6).links(view.model(), 1)?;
    let swept = view.sweep(&links, Delta::Effect(0.18), &|_| {});

    let mut pictures = Vec::new();
    for pair in swept.perturbations.chunks_exact(2) {
        let (down, up) = (&pair[0], &pair[1]);
        println!(
            "link {:2}: {:+.3} changes the picture by {:.3}, {:+.3} by {:.3}{}",
            down.link,
            down.delta,
            down.rmse,
            up.delta,
            up.rmse,
            if down.silent && up.silent { " (silent)" } else { "" }
        );
        let span = down.delta.abs().max(up.delta.abs());
        pictures.extend(view.strip(down.link, span, STEPS));
    }
    std::fs::write(&out, mosaic(&pictures, STEPS).to_png(&[]))?;
    println!("{} rows are in {}", swept.weights, out.display());
    Ok(())
}
