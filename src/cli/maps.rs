//! `picloom maps`: what every unit of a network draws, or the components that units share.

use super::output::Output;
use super::source::SourceArgs;
use crate::figures::sheets::{
    FeatureSheet, Pane, Strip, Strips, feature_sheet, signed_picture, strips,
};
use crate::figures::style;
use crate::figures::{Provenance, svg_to_png};
use crate::network::files::write_atomic;
use crate::probe::{Pca, PcaRecord, layer_pca};
use clap::Args;
use serde::Serialize;
use std::path::{Path, PathBuf};

#[derive(Args)]
pub struct MapsArgs {
    #[command(flatten)]
    source: SourceArgs,
    /// Instead of the units: this many principal components of the maps of each layer
    #[arg(long, value_name = "K")]
    pca: Option<usize>,
    /// The picture to write (.png or .svg)
    #[arg(long)]
    out: PathBuf,
}

#[derive(Serialize)]
struct Summary {
    network: String,
    units: usize,
    layers: usize,
    /// Components of each layer after the inputs, with --pca.
    #[serde(skip_serializing_if = "Option::is_none")]
    components: Option<Vec<PcaRecord>>,
    written: String,
}

pub fn run(args: MapsArgs, out: &Output) -> anyhow::Result<()> {
    let source = args.source.load()?;
    let (network, view) = (&source.model.network, source.view());
    let found = match args.pca {
        Some(0) => {
            let message = "--pca: expected at least 1 component, found 0";
            return Err(super::source::Usage(message.into()).into());
        }
        Some(count) => Some(layer_pca(&view, count)),
        None => None,
    };
    let svg = match &found {
        Some(layers) => component_sheet(&source.name, layers, source.size),
        None => feature_sheet(&FeatureSheet {
            title: &source.name,
            subtitle: "feature maps, one square a unit: red −1, white 0, blue +1; pale units do not reach the picture",
            network,
            maps: &view.maps().values,
            size: source.size,
            alive: Some(&view.alive_units()),
            pane: 64,
        }),
    };
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
        components: found
            .as_ref()
            .map(|layers| layers.iter().map(|(l, pca)| pca.record(*l)).collect()),
        written: args.out.display().to_string(),
    };
    let mut text = format!("{} units in {} layers\n", summary.units, summary.layers);
    for layer in summary.components.iter().flatten() {
        let shares: Vec<String> =
            layer.shares.iter().map(|s| format!("{:.1} %", 100.0 * s)).collect();
        text += &format!("layer {}: {} maps, {}\n", layer.layer, layer.maps, shares.join(", "));
    }
    text += &format!("wrote {}", summary.written);
    out.result(&summary, &text)
}

/// One row a layer, its components from left to right, each scaled so that its largest value is
/// ±1.
fn component_sheet(name: &str, layers: &[(usize, Pca)], size: usize) -> String {
    let across = layers.iter().map(|(_, p)| p.components.len()).max();
    let rows = layers
        .iter()
        .filter(|(_, pca)| !pca.components.is_empty())
        .map(|(layer, pca)| {
            let panes = pca.components.iter().map(|c| {
                let most = c.map.iter().fold(0.0f32, |m, v| m.max(v.abs()));
                let scaled: Vec<f32> = c.map.iter().map(|v| v / most).collect();
                Pane::new(signed_picture(&scaled, size), style::percent(c.share, 1))
            });
            Strip {
                label: format!("layer {layer}"),
                sub: match pca.maps {
                    1 => "1 map".to_string(),
                    maps => format!("{maps} maps"),
                },
                panes: panes.collect(),
            }
        })
        .collect();
    let short = Path::new(name).file_name().map_or(name.into(), |n| n.to_string_lossy());
    strips(&Strips {
        title: format!("{short}: components of the feature maps"),
        subtitle: "of each layer's units that reach the picture; share of their variance under each component, whose largest value is full red or blue".into(),
        heads: (1..=across.unwrap_or(0)).map(|k| k.to_string()).collect(),
        rows,
        pane: 96,
        ..Strips::default()
    })
}
