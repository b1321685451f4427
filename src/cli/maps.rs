//! `picloom maps`: what every unit of a network draws.

use super::output::Output;
use super::source::SourceArgs;
use crate::figures::sheets::{FeatureSheet, feature_sheet};
use crate::figures::{Provenance, svg_to_png};
use crate::network::PixelInputs;
use crate::network::files::write_atomic;
use crate::network::kernel::feature_maps;
use crate::prune::guard;
use clap::Args;
use serde::Serialize;
use std::path::PathBuf;

#[derive(Args)]
pub struct MapsArgs {
    #[command(flatten)]
    source: SourceArgs,
    /// The picture to write (.png or .svg)
    #[arg(long)]
    out: PathBuf,
}

#[derive(Serialize)]
struct Summary {
    network: String,
    units: usize,
    layers: usize,
    written: String,
}

pub fn run(args: MapsArgs, out: &Output) -> anyhow::Result<()> {
    let source = args.source.load()?;
    let network = &source.network;
    let maps = feature_maps(
        network,
        &source.weights,
        &PixelInputs::full(source.size, source.coords),
    );
    let non_zero: Vec<bool> = source.weights.0.iter().map(|&w| w != 0.0).collect();
    let reach = guard::reach(network, &non_zero);
    let alive: Vec<bool> = reach
        .from_input
        .iter()
        .zip(&reach.to_output)
        .map(|(a, b)| *a && *b)
        .collect();
    let svg = feature_sheet(&FeatureSheet {
        title: &source.name,
        subtitle: "feature maps, one square a unit: red −1, white 0, blue +1; pale units do not reach the picture",
        network,
        maps: &maps.values,
        size: source.size,
        alive: Some(&alive),
        pane: 64,
    });
    let provenance = Provenance(vec![
        ("command".into(), "picloom maps".into()),
        ("network".into(), source.name.clone()),
    ]);
    let bytes = match args.out.extension().and_then(|e| e.to_str()) {
        Some("svg") => svg.into_bytes(),
        Some("png") => svg_to_png(&svg, 1.0, &provenance).map_err(anyhow::Error::msg)?,
        _ => {
            return Err(super::source::Usage(format!(
                "{}: expected an output ending in .png or .svg",
                args.out.display()
            ))
            .into());
        }
    };
    write_atomic(&args.out, &bytes)?;
    let summary = Summary {
        network: source.name,
        units: network.units.len(),
        layers: network.depth(),
        written: args.out.display().to_string(),
    };
    let text = format!(
        "{} units in {} layers\nwrote {}",
        summary.units, summary.layers, summary.written
    );
    out.result(&summary, &text)
}
