//! Whole files to begin from: the repository's own, or made here.

use crate::{RUN, Stop, as_file, folder, job, search_job, small, text};
use picloom::experiment::evolution::evolve;
use picloom::genome::{self, Genome};
use picloom::network::kernel::picture;
use picloom::network::weight_files::write_weights;
use picloom::network::{Coords, Weights, compile};
use picloom::run::train_run;
use std::path::Path;
use tempfile::TempDir;

fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}

fn read(path: impl AsRef<Path>) -> Vec<u8> {
    std::fs::read(path).expect("a file of the repository")
}

/// Files with this ending in a folder of the repository.
fn files(folder: &str, ending: &str) -> Vec<Vec<u8>> {
    let entries = std::fs::read_dir(root().join(folder)).expect("a folder of the repository");
    let mut paths: Vec<_> = entries.map(|e| e.expect("readable").path()).collect();
    paths.retain(|p| p.extension().is_some_and(|e| e == ending));
    paths.sort();
    paths.iter().map(read).collect()
}

/// Our genomes; the small ones, so that damage hits something.
pub(crate) fn genomes() -> Vec<Vec<u8>> {
    let mut found = files("genomes", "json");
    found.sort_by_key(Vec::len);
    found.truncate(6);
    found
}

/// Ours, and others' by the schemas of their programs.
pub(crate) fn genomes_of_all() -> Vec<Vec<u8>> {
    let vlm: Vec<String> =
        accepted().iter().filter_map(|genome| genome::to_vlm_json(genome).ok()).collect();
    let many = format!("{{\"first\": {0}, \"second\": {0}}}", vlm[0].trim());
    let unit = |key: i64| {
        format!(
            r#"{{"key":{key},"activation":"gauss","aggregation":"sum","bias":0.5,"response":1.0}}"#
        )
    };
    let nodes = [0, 1, 2, 3].map(unit).join(",");
    let links = [(-1, 3), (-3, 3), (3, 0), (3, 1), (3, 2)]
        .map(|(from, to)| format!(r#"{{"from":{from},"to":{to},"weight":1.5,"enabled":true}}"#));
    let links = links.join(",");
    let network = format!(
        r#"{{"network_type":"feedforward","topology":{{"input_keys":[-1,-2,-3],"output_keys":[0,1,2]}},"nodes":[{nodes}],"connections":[{links}]}}"#
    );
    let session = format!(
        r#"{{"output_encoding":"HSB","selected":1,"genomes":[{{"key":1,"nodes":[{nodes}],"connections":[{links}]}}]}}"#
    );
    let graph_node = |(id, label): (usize, &&str)| {
        format!(r#"{{"id":"{id}","label":"{label}","activation":"sin"}}"#)
    };
    let labels = ["x", "y", "d", "bias", "ink"];
    let graph = format!(
        r#"{{"format":"fer_picbreeder_graph_v1","name":"g","nodes":[{}],"links":[{{"source":"0","target":"4","weight":2.0}}]}}"#,
        labels.iter().enumerate().map(graph_node).collect::<Vec<_>>().join(",")
    );
    let others = vlm.into_iter().chain([many, network, session, graph]).map(String::into_bytes);
    genomes().into_iter().chain(others).collect()
}

fn accepted() -> Vec<Genome> {
    let read = |bytes: &Vec<u8>| genome::from_json(text(bytes)?).ok();
    genomes().iter().filter_map(read).collect()
}

pub(crate) fn xmls() -> Vec<Vec<u8>> {
    let texts = accepted().into_iter().filter_map(|g| genome::to_picbreeder_xml(&g).ok());
    texts.map(String::into_bytes).collect()
}

pub(crate) fn zips() -> Vec<Vec<u8>> {
    accepted().iter().filter_map(|g| genome::to_picbreeder_zip(g).ok()).collect()
}

pub(crate) fn weights(name: &str) -> Vec<u8> {
    let network = small();
    let weights = (0..network.weight_count()).map(|i| 0.1 * i as f32 - 1.0).collect();
    let mut bytes = Vec::new();
    as_file(name, b"", |path| {
        write_weights(path, &network, &Weights(weights)).expect("room");
        bytes = read(path);
    });
    bytes
}

/// One picture in every format that is read.
pub(crate) fn pictures() -> Vec<Vec<u8>> {
    let (network, weights) = compile(&accepted()[0]);
    let drawn = picture(&network, &weights, 24, Coords::Fer);
    let mut found = vec![drawn.to_png(&[("command", "fuzz")])];
    let pixels = image::RgbImage::from_raw(24, 24, drawn.to_bytes()).expect("24² pixels");
    use image::ImageFormat::{Bmp, Gif, Jpeg, Tiff, WebP};
    for format in [Jpeg, Gif, WebP, Tiff, Bmp] {
        let mut bytes = std::io::Cursor::new(Vec::new());
        let whole = image::DynamicImage::ImageRgb8(pixels.clone());
        whole.write_to(&mut bytes, format).expect("memory");
        found.push(bytes.into_inner());
    }
    found
}

/// A file of the finished run.
pub(crate) fn run_file(name: &str) -> Vec<u8> {
    read(RUN.path().join(name))
}

/// An interrupted training, and its checkpoint.
pub(crate) fn begun() -> (TempDir, Vec<u8>) {
    let folder = folder();
    train_run(folder.path(), job(50), false, &mut Stop).expect("a run");
    let bytes = read(folder.path().join("checkpoint.json"));
    (folder, bytes)
}

pub(crate) fn checkpoint() -> Vec<u8> {
    begun().1
}

/// An interrupted search, and its checkpoint.
pub(crate) fn searched() -> (TempDir, Vec<u8>) {
    let folder = folder();
    evolve(&search_job(), folder.path(), false, &mut Stop).expect("a search");
    let bytes = read(folder.path().join("checkpoint.json"));
    (folder, bytes)
}

pub(crate) fn search_checkpoint() -> Vec<u8> {
    searched().1
}

pub(crate) fn specs() -> Vec<Vec<u8>> {
    files("experiments", "toml")
}

pub(crate) fn records() -> Vec<Vec<u8>> {
    vec![read(root().join("figures/wirings/study.json"))]
}

pub(crate) fn labels() -> Vec<Vec<u8>> {
    let cut = |name: &str| {
        let whole = read(root().join("experiments/labels/first").join(name));
        let lines: Vec<&[u8]> = whole.split_inclusive(|b| *b == b'\n').take(8).collect();
        lines.concat()
    };
    let model = read(root().join("crates/engine/src/score/dl/model.json"));
    vec![cut("labels.csv"), cut("answers.csv"), cut("key.csv"), model]
}

pub(crate) fn answers() -> Vec<Vec<u8>> {
    let vote = r#"{"reason":"r","answer":"fractured","confidence":0.5}"#;
    let choice = r#"{"reason":"r","action":"select","pictures":[4,1]}"#;
    let around = |content: &str| {
        let content = content.replace('"', "\\\"");
        format!(
            r#"{{"choices":[{{"message":{{"content":"{content}","refusal":null}},"finish_reason":"stop"}}],"usage":{{"prompt_tokens":7,"completion_tokens":3}}}}"#
        )
    };
    [vote.into(), choice.into(), around(vote), around(choice)].map(String::into_bytes).to_vec()
}

pub(crate) fn texts() -> Vec<Vec<u8>> {
    [
        "12;cache:15,gaussian:4,identity:2,sin:1",
        "muon:steps=20,matrices=hidden",
        "sam:rho=0.05",
        "wanda:scope=layer,sequential=false",
        "dl-threshold:threshold=0.2",
        "format = \"picloom-session/1\"\nseed = 7\n[config.start]\ncolour = false\n[[step]]\nchosen = [3, 8]\nslider = 0.4\n",
    ]
    .map(|text| text.as_bytes().to_vec())
    .to_vec()
}
