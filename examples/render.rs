//! Draws a genome three ways: as the graph it is, as the layered network with the same picture, and
//! by the slow reference in double precision. Then writes it large: a network has no resolution.
//!
//! `cargo run --release --example render [OUT.png]`

use picloom::genome::from_json;
use picloom::network::{Coords, PixelInputs, compile, kernel, layerize, reference};
use std::path::PathBuf;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let out = std::env::args_os()
        .nth(1)
        .map_or_else(|| std::env::temp_dir().join("picloom-render.png"), PathBuf::from);
    let genome = from_json(include_str!("../genomes/bred_moth.json"))?;
    let (graph, weights) = compile(&genome);
    let twin = layerize(&genome);
    println!("graph:   {} units, {} links", graph.units.len(), graph.weight_count());
    println!(
        "layered: {} units, {} weights ({} not zero), arch {}",
        twin.network.units.len(),
        twin.network.weight_count(),
        twin.nonzero(),
        twin.arch()
    );

    let inputs = PixelInputs::full(64, Coords::Fer);
    let drawn = kernel::picture(&graph, &weights, 64, Coords::Fer);
    let same = kernel::picture(&twin.network, &twin.weights, 64, Coords::Fer);
    let wide: Vec<f64> = weights.0.iter().map(|&w| f64::from(w)).collect();
    let exact = reference::render(&graph, &wide, &inputs);
    let farthest =
        exact.iter().zip(&drawn.rgb).map(|(a, &b)| (a - f64::from(b)).abs()).fold(0.0, f64::max);
    println!("layered against graph: mean squared error {:.1e}", drawn.mse(&same));
    println!("single against double precision: at most {farthest:.1e} apart");

    let large = kernel::picture(&graph, &weights, 512, Coords::Fer);
    std::fs::write(&out, large.to_png(&[]))?;
    println!("512 × 512 pixels are in {}", out.display());
    Ok(())
}
