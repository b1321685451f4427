//! `picloom export`: every format of every kind of network. What other programs make of the files is
//! `crates/python/tests/interop.py`'s to say.

use assert_cmd::Command;
use picloom::network::weight_files::read_weights;
use picloom::network::{Model, Wiring, read_genome};
use std::path::Path;

fn export(arguments: &[&str]) -> std::process::Output {
    Command::cargo_bin("picloom").unwrap().arg("export").args(arguments).output().unwrap()
}

#[test]
fn a_genome_is_exported_in_every_format_and_twice_the_same() {
    let genome = Path::new(env!("CARGO_MANIFEST_DIR")).join("genomes/bred_moth.json");
    let work = tempfile::tempdir().unwrap();
    let path = |name: &str| work.path().join(name).to_str().unwrap().to_string();
    for wiring in ["graph", "layerized"] {
        let model = Model::of_genome(
            &read_genome(&genome, Wiring::Graph).unwrap(),
            wiring.parse().unwrap(),
        );
        for format in ["safetensors", "npz", "onnx", "glsl", "dot"] {
            let file = path(&format!("{wiring}.{format}"));
            let from = ["--genome", genome.to_str().unwrap(), "--wiring", wiring, "--out", &file];
            let said = export(&[&from[..], &["--format", format, "--json"]].concat());
            assert!(said.status.success(), "{}", String::from_utf8_lossy(&said.stderr));
            let said: serde_json::Value = serde_json::from_slice(&said.stdout).unwrap();
            let bytes = std::fs::read(&file).unwrap();
            assert_eq!((&said["format"], &said["bytes"]), (&format.into(), &bytes.len().into()));
            // The extension says as much as the option.
            std::fs::remove_file(&file).unwrap();
            assert!(export(&from).status.success());
            assert_eq!(std::fs::read(&file).unwrap(), bytes);
            if format == "npz" || format == "safetensors" {
                let read = read_weights(Path::new(&file), &model.network).unwrap();
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
    let work = tempfile::tempdir().unwrap();
    let path = |name: &str| work.path().join(name).to_str().unwrap().to_string();
    let genome = Path::new(env!("CARGO_MANIFEST_DIR")).join("genomes/bred_butterfly.json");
    let free = read_genome(&genome, Wiring::Graph).unwrap();
    let mut ocean = free.clone();
    ocean.palette = "ocean".parse().unwrap();
    let shader = |genome: &picloom::genome::Genome, name: &str| {
        std::fs::write(path(name), picloom::genome::to_json(genome)).unwrap();
        let out = path(&format!("{name}.glsl"));
        assert!(export(&["--genome", &path(name), "--out", &out]).status.success());
        std::fs::read_to_string(out).unwrap()
    };
    assert_ne!(shader(&free, "free.json"), shader(&ocean, "ocean.json"));
    let said = export(&["--genome", &path("ocean.json"), "--out", &path("ocean.onnx")]);
    let error = String::from_utf8_lossy(&said.stderr);
    assert_eq!(said.status.code(), Some(2), "{error}");
    assert!(error.contains("a genome in the palette ocean"), "{error}");
    assert!(!Path::new(&path("ocean.onnx")).exists());
}
