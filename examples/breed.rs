//! Breeds pictures with a stand-in for the eye: of every sheet it chooses the two whose light and
//! dark are most unlike, and draws the last sheet.
//!
//! `cargo run --release --example breed [OUT.png]`

use picloom::evolve::{Breeding, EvolveConfig, Preset, Selection, Session};
use picloom::experiment::evolution::{draw, genome_sheet};
use picloom::network::Coords;
use std::path::PathBuf;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let out = std::env::args_os()
        .nth(1)
        .map_or_else(|| std::env::temp_dir().join("picloom-breed.png"), PathBuf::from);
    let session = Session::new(EvolveConfig::preset(Preset::Picbreeder), 4, Vec::new());
    let mut breeding = Breeding::new(session, &[])?;
    for _ in 0..12 {
        let sheet = breeding.now().genomes();
        let contrast: Vec<f64> =
            sheet.iter().map(|genome| draw(genome, 32, Coords::Fer).variance()).collect();
        let mut places: Vec<usize> = (0..sheet.len()).collect();
        places.sort_by(|&a, &b| contrast[b].total_cmp(&contrast[a]));
        println!(
            "sheet {:2}: choosing pictures {} and {}, contrast {:.3} and {:.3}",
            breeding.at(),
            places[0],
            places[1],
            contrast[places[0]],
            contrast[places[1]],
        );
        breeding.select(Selection::of(&places[..2]))?;
    }
    let sheet = genome_sheet(breeding.now().genomes(), 5, 96, Coords::Fer);
    std::fs::write(&out, sheet.to_png(&[]))?;
    println!("sheet {} is in {}", breeding.at(), out.display());
    Ok(())
}
