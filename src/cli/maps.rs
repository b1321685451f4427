//! `picloom maps`: what every unit of a network draws, or the components that units share.

use super::output::Output;
use super::source::SourceArgs;
use crate::base::files::write_atomic;
use crate::base::memory;
use crate::figures::files::with_metadata;
use crate::figures::{Provenance, svg_to_png, views};
use crate::probe::{PcaRecord, layer_pca};
use clap::Args;
use serde_json::json;
use std::path::PathBuf;

#[derive(Args)]
pub(super) struct MapsArgs {
    #[command(flatten)]
    source: SourceArgs,
    /// Instead of the units: this many principal components of the maps of each layer
    #[arg(long, value_name = "K")]
    pca: Option<usize>,
    /// The picture to write (.png or .svg)
    #[arg(long)]
    out: PathBuf,
}

pub(super) fn run(args: MapsArgs, out: &Output) -> anyhow::Result<()> {
    super::genome::require_extension(&args.out, &["png", "svg"])?;
    let source = args.source.load()?;
    // The maps, those of the sheet, and a picture of each.
    let (pixels, units) = (source.size * source.size, source.model.network.units.len());
    memory::ensure("--size", &[(pixels, "pixels"), (units, "units")], 12)?;
    let (network, view) = (&source.model.network, source.view()?);
    let found = match args.pca {
        Some(0) => {
            let message = "--pca: expected at least 1 component, found 0";
            return Err(super::source::Usage(message.into()).into());
        }
        Some(count) => Some(layer_pca(&view, count)),
        None => None,
    };
    let sheet = match &found {
        Some(layers) => views::component_sheet(&source.short_name(), layers, source.size),
        None => views::unit_sheet(&source.short_name(), &view),
    };
    let provenance = Provenance(vec![
        ("command".into(), "picloom maps".into()),
        ("network".into(), source.name.clone()),
    ]);
    let bytes = if args.out.extension().is_some_and(|e| e == "png") {
        svg_to_png(&sheet, 1.0, &provenance).map_err(anyhow::Error::msg)?
    } else {
        with_metadata(&sheet, &provenance).into_bytes()
    };
    write_atomic(&args.out, &bytes)?;
    let (layers, written) = (network.depth(), args.out.display().to_string());
    let mut json =
        json!({ "network": source.name, "units": units, "layers": layers, "written": written });
    let components: Option<Vec<PcaRecord>> =
        found.map(|layers| layers.iter().map(|(layer, pca)| pca.record(*layer)).collect());
    if let Some(components) = &components {
        json["components"] = json!(components);
    }
    let mut text = format!("{units} units in {layers} layers\n");
    for layer in components.iter().flatten() {
        let shares: Vec<String> =
            layer.shares.iter().map(|s| format!("{:.1} %", 100.0 * s)).collect();
        text += &format!("layer {}: {} maps, {}\n", layer.layer, layer.maps, shares.join(", "));
    }
    text += &format!("wrote {written}");
    out.result(&json, &text)
}
