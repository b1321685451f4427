//! `picloom export`: a network for other programs.

use super::genome::require_extension;
use super::names::one_of;
use super::output::Output;
use super::source::{NetworkArgs, Usage};
use crate::base::files::write_atomic;
use crate::base::refusal::Refusal;
use crate::genome::{Palette, to_dot};
use crate::network::Wiring;
use crate::network::export::{Format, export};
use clap::Args;
use serde_json::json;
use std::path::PathBuf;

#[derive(Args)]
pub(super) struct ExportArgs {
    #[command(flatten)]
    source: NetworkArgs,
    /// Format [default: the extension of --out]
    #[arg(long, value_parser = one_of::<Format>())]
    format: Option<Format>,
    /// The file to write
    #[arg(long)]
    out: PathBuf,
}

pub(super) fn run(args: ExportArgs, out: &Output) -> anyhow::Result<()> {
    let format = match args.format {
        Some(format) => {
            require_extension(&args.out, &[format.name()])?;
            format
        }
        None => {
            let names: Vec<&str> = Format::ALL.iter().map(|format| format.name()).collect();
            require_extension(&args.out, &names)?;
            let extension = args.out.extension().unwrap_or_default();
            extension.to_string_lossy().parse().map_err(|e| Usage(format!("{e}")))?
        }
    };
    let source = args.source.load_whole()?;
    let bytes = match &source.genome {
        // A genome knows more than its network: labels, disabled links.
        Some(genome)
            if format == Format::Dot
                && !source.trained
                && args.source.wiring() == Wiring::Graph =>
        {
            to_dot(genome).into_bytes()
        }
        _ if format == Format::Onnx && source.palette() != Palette::Free => {
            let found = format!("a genome in the palette {}", source.palette());
            return Err(Usage(
                Refusal::new("--format onnx", "a network without a palette", found)
                    .advising("export a shader, which draws in its palette, or --format npz")
                    .to_string(),
            )
            .into());
        }
        _ => export(&source.model, source.coords, source.palette(), format),
    };
    write_atomic(&args.out, &bytes)?;
    let (network, written) = (&source.name, args.out.display());
    let json = json!({
        "network": network, "format": format, "coords": source.coords,
        "non_zero": source.model.non_zero(), "bytes": bytes.len(), "written": args.out.to_string_lossy(),
    });
    out.result(&json, &format!("{network} as {format}, {} bytes\nwrote {written}", bytes.len()))
}
