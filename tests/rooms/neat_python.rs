//! Genomes of neat-python and automated-picbreeder: files made here by their schemas.

use picloom::base::real;
use picloom::genome::{Role, collection, read};
use picloom::network::kernel::picture;
use picloom::network::reference::forward;
use picloom::network::{Coords, Model, PixelInputs, Wiring};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use tempfile::TempDir;

fn written(folder: &TempDir, text: &Value) -> PathBuf {
    let path = folder.path().join("session.json");
    std::fs::write(&path, text.to_string()).unwrap();
    path
}

fn of(path: &Path, pick: &str) -> PathBuf {
    format!("{}#{pick}", path.display()).into()
}

fn unit(key: i64, activation: &str, bias: f64, response: f64) -> Value {
    json!({ "key": key, "activation": activation, "aggregation": "sum", "bias": bias, "response": response })
}

fn link(from: i64, to: i64, weight: f64) -> Value {
    json!({ "key": [from, to], "innovation": 1, "weight": weight, "enabled": true })
}

/// With a disabled link, a unit that hears nothing, and an output that another reads.
fn session() -> Value {
    let units = [
        unit(0, "sigmoid", -0.2, 1.5),
        unit(1, "tanh", 0.1, 1.0),
        unit(2, "gauss", 0.3, -0.7),
        unit(5, "sin", 0.25, 0.5),
        unit(6, "sigmoid", -0.4, 1.0),
        unit(7, "relu", 0.6, 1.0),
    ];
    let mut links = [
        link(-1, 5, 0.8),
        link(-3, 5, -1.1),
        link(5, 6, 0.9),
        link(-2, 6, 0.7),
        link(6, 0, 1.3),
        link(6, 1, -0.6),
        link(7, 1, 0.2),
        link(6, 2, 1.2),
        link(0, 2, 0.5),
        link(-1, 2, 5.0),
    ];
    links[9]["enabled"] = false.into();
    json!({
        "format_version": 2, "output_encoding": "HSB", "selected": 11,
        "genomes": [{ "key": 11, "nodes": units, "connections": links, "parent": null }],
    })
}

/// Hue, saturation and brightness as neat-python computes them.
fn computed(x: f64, y: f64) -> [f64; 3] {
    let distance = (x * x + y * y).sqrt();
    let sigmoid = |z: f64| 1.0 / (1.0 + real::exp(-5.0 * z));
    let five = real::sin(5.0 * (0.25 + 0.5 * (0.8 * x - 1.1 * distance)));
    let six = sigmoid(-0.4 + 0.9 * five + 0.7 * y);
    let hue = sigmoid(-0.2 + 1.5 * 1.3 * six);
    let saturation = real::tanh(2.5 * (0.1 - 0.6 * six + 0.2 * 0.6));
    let last = 0.3 - 0.7 * (1.2 * six + 0.5 * hue);
    [hue, saturation, real::exp(-5.0 * last * last)]
}

#[test]
fn a_genome_of_neat_python_computes_what_it_computes_there() {
    let folder = TempDir::new().unwrap();
    let path = written(&folder, &session());
    assert_eq!(collection(&path).unwrap().unwrap().ids, ["11"]);
    let genome = read(&of(&path, "11")).unwrap();
    let Model { network, weights, .. } = Model::of_genome(&genome, Wiring::Graph);
    let weights: Vec<f64> = weights.0.iter().map(|weight| f64::from(*weight)).collect();
    let values = forward(&network, &weights, &PixelInputs::full(9, Coords::Fer));
    for pixel in 0..81 {
        let [x, y, ..] = Coords::Fer.at(9, pixel / 9, pixel % 9);
        let shown = network.outputs.map(|unit| values[(pixel, unit.unwrap())]);
        for (found, there) in shown.into_iter().zip(computed(x, y)) {
            assert!((found - there).abs() < 1e-5, "pixel {pixel}: {found}, there {there}");
        }
    }
}

#[test]
fn what_neat_python_has_and_genomes_here_have_not_is_refused() {
    let folder = TempDir::new().unwrap();
    let refusal = |text: &Value, pick: &str| {
        read(&of(&written(&folder, text), pick)).unwrap_err().to_string()
    };
    for (pointer, value, said) in [
        ("/genomes/0/nodes/3/activation", json!("abs"), "activation \"abs\""),
        ("/genomes/0/nodes/3/aggregation", json!("product"), "aggregation sum"),
        ("/genomes/0/connections/2/key", json!([5, 9]), "connection 5 to 9"),
        ("/genomes/0/connections/2/key", json!([6, 6]), "that can be drawn"),
        ("/genomes/0/nodes/3/key", json!(6), "each key once"),
        ("/output_encoding", json!("RGB"), "output_encoding"),
        ("/genomes/0/nodes/0/bias", json!("none"), "a file of neat-python"),
    ] {
        let mut text = session();
        *text.pointer_mut(pointer).unwrap() = value;
        let found = refusal(&text, "11");
        assert!(found.contains(said), "{pointer}: {found}");
    }
    let none = read(&written(&folder, &session())).unwrap_err().to_string();
    assert!(none.contains("FILE#11"), "{none}");
    let other = refusal(&session(), "2");
    assert!(other.contains("a key or a number from 1 to 1"), "{other}");
}

#[test]
fn a_graph_of_automated_picbreeder_is_the_genome() {
    let moth = read("bred_moth".as_ref()).unwrap();
    let nodes = moth.nodes().map(|node| {
        let label = match node.role {
            Role::Input(input) => format!("{input:?}").to_lowercase(),
            Role::Output(output) => format!("{output:?}").to_lowercase(),
            Role::Hidden => String::new(),
        };
        json!({ "id": node.id.to_string(), "label": label, "activation": node.activation.name() })
    });
    let links = moth.connections().filter(|link| link.enabled).map(|link| {
        let (source, target) = (link.source.to_string(), link.target.to_string());
        json!({ "source": source, "target": target, "weight": link.weight })
    });
    let text = json!({
        "format": "fer_picbreeder_graph_v1", "name": "moth",
        "nodes": nodes.collect::<Vec<_>>(), "links": links.collect::<Vec<_>>(),
    });
    let folder = TempDir::new().unwrap();
    let graph = read(&written(&folder, &text)).unwrap();
    assert_eq!(graph.provenance.name, "moth");
    let drawn = |genome| {
        let Model { network, weights, .. } = Model::of_genome(genome, Wiring::Graph);
        picture(&network, &weights, 32, Coords::Fer)
    };
    assert_eq!(drawn(&graph), drawn(&moth));
}
