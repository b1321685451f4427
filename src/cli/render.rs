//! `picloom render`: what a network draws, at any size.

use super::genome::require_extension;
use super::output::Output;
use super::source::{SourceArgs, Usage, check_size};
use crate::network::files::write_atomic;
use clap::Args;
use serde_json::json;
use std::path::PathBuf;

#[derive(Args)]
pub struct RenderArgs {
    #[command(flatten)]
    source: SourceArgs,
    /// The PNG to write
    #[arg(long)]
    out: PathBuf,
}

pub fn run(mut args: RenderArgs, out: &Output) -> anyhow::Result<()> {
    require_extension(&args.out, &["png"])?;
    if args.source.target.is_some() {
        let text =
            "--target: a network draws what it draws; `picloom eval` compares it with a target";
        return Err(Usage(text.into()).into());
    }
    // A run's own target is not needed at the size of the picture.
    let size = args.source.size.take().map(check_size).transpose()?;
    let source = args.source.load()?;
    let size = size.unwrap_or(source.size);
    let picture = source.shown(size);
    let texts = [("command", "picloom render"), ("network", source.name.as_str())];
    write_atomic(&args.out, &picture.to_png(&texts))?;
    let (network, written) = (&source.name, args.out.display());
    let json = json!({ "network": network, "size": size, "written": args.out.to_string_lossy() });
    out.result(&json, &format!("{network} at {size}²\nwrote {written}"))
}
