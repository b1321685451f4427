//! `picloom export`: palettes. What other programs make of its files is `crates/python/tests/interop.py`'s and
//! `tests/formats/run`'s to say.

use crate::line::Place;
use picloom::network::{Wiring, read_genome};
use std::path::Path;

#[test]
fn a_shader_draws_in_the_palette_of_its_genome_and_onnx_has_none() {
    let place = Place::new();
    let mut genome = read_genome(Path::new("genomes/bred_butterfly.json"), Wiring::Graph).unwrap();
    let shaders = ["free", "ocean"].map(|palette| {
        genome.palette = palette.parse().unwrap_or(genome.palette);
        place.write(&format!("{palette}.json"), picloom::genome::to_json(&genome));
        place.done(&format!("export --genome {palette}.json --out {palette}.glsl"));
        place.text(&format!("{palette}.glsl"))
    });
    assert_ne!(shaders[0], shaders[1]);
    let onnx = "export --genome ocean.json --out ocean.onnx";
    place.refused(onnx, 2, &["a genome in the palette ocean"]);
    assert!(!place.at("ocean.onnx").exists());
}
