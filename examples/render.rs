//! Draws a genome three ways: as the graph it is, as the layered network with the same picture, and
//! by the slow reference in double precision. Then writes it large: a network has no resolution.
//!
//! `cargo run --release --example render [OUT.png]`

use picloom::genome::from_json;
use picloom::network::{Coords, Model, PixelInputs, Wiring, reference};
use std::path::PathBuf;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let out = std::env::args_os()
        .nth(1)
        .map_or_else(|| std::env::temp_dir().join("picloom-render.png"), PathBuf::from);
    let genome = from_json(include_str!("../genomes/bred_moth.json"))?;
    let graph = Model::of_genome(&genome, Wiring::Graph);
    let twin = Model::of_genome(&genome, Wiring::Layerized);
    for (name, model) in [("graph", &graph), ("layered", &twin)] {
        println!(
            "{name}: {} units, {} weights, {} of them not zero",
            model.network.units.len(),
            model.network.weight_count(),
            model.non_zero()
        );
    }

    let drawn = graph.picture(64, Coords::Fer);
    let apart = drawn.mse(&twin.picture(64, Coords::Fer));
    println!("layered against graph: mean squared error {apart:.1e}");
    let wide: Vec<f64> = graph.weights.0.iter().map(|&w| f64::from(w)).collect();
    let inputs = PixelInputs::full(64, Coords::Fer);
    let exact = reference::render(&graph.network, &wide, &inputs);
    let farthest =
        exact.iter().zip(&drawn.rgb).map(|(a, &b)| (a - f64::from(b)).abs()).fold(0.0, f64::max);
    println!("single against double precision: at most {farthest:.1e} apart");

    let large = graph.picture(512, Coords::Fer);
    std::fs::write(&out, large.to_png(&[]))?;
    println!("512 × 512 pixels are in {}", out.display());
    Ok(())
}
