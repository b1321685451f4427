//! `picloom export`: every format of every kind of network. What other programs make of the files is
//! `crates/python/tests/interop.py`'s to say.

use crate::line::Place;
use picloom::network::weight_files::read_weights;
use picloom::network::{Model, Wiring, read_genome};
use std::path::Path;

#[test]
fn a_genome_is_exported_in_every_format_and_twice_the_same() {
    let place = Place::new();
    let genome = read_genome(Path::new("genomes/bred_moth.json"), Wiring::Graph).unwrap();
    for wiring in ["graph", "layerized"] {
        let model = Model::of_genome(&genome, wiring.parse().unwrap());
        for format in ["safetensors", "npz", "onnx", "glsl", "dot"] {
            let file = format!("{wiring}.{format}");
            let line = format!("export --genome bred_moth --wiring {wiring} --out {file}");
            let said = place.json(&format!("{line} --format {format}"));
            let bytes = place.bytes(&file);
            assert_eq!((&said["format"], &said["bytes"]), (&format.into(), &bytes.len().into()));
            // The extension says as much as the option.
            std::fs::remove_file(place.at(&file)).unwrap();
            place.done(&line);
            assert_eq!(place.bytes(&file), bytes);
            if format == "npz" || format == "safetensors" {
                let read = read_weights(&place.at(&file), &model.network).unwrap();
                assert_eq!(read, model.weights);
            }
            let text = String::from_utf8_lossy(&bytes);
            match format {
                "glsl" => assert!(
                    text.starts_with("#version 300 es\n") && text.contains("vec3 picture(vec2 xy)")
                ),
                "dot" => assert!(text.starts_with("digraph ") && text.ends_with("}\n")),
                "onnx" => assert!(text.contains("picloom") && text.contains("rgb")),
                _ => {}
            }
        }
    }
}

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
