//! `picloom eval`: how well a network draws a picture.

use super::output::Output;
use super::source::{SourceArgs, Usage};
use crate::run::RunConfig;
use crate::score::Fit;
use clap::Args;
use serde_json::json;

#[derive(Args)]
pub(super) struct EvalArgs {
    #[command(flatten)]
    source: SourceArgs,
}

pub(super) fn run(args: EvalArgs, out: &Output) -> anyhow::Result<()> {
    let source = args.source.load_so_far()?;
    let target = source.target.as_ref().ok_or_else(|| {
        let lost = match &source.config {
            Some(RunConfig { target, .. }) => {
                format!("; {target}, the run's own, was drawn in other coordinates")
            }
            None => String::new(),
        };
        Usage(format!("expected --target IMG or --target GENOME, found none{lost}"))
    })?;
    let fit = Fit::of(&source.model.picture(source.size, source.coords), target);
    if !fit.mse.is_finite() {
        anyhow::bail!(
            "{}: expected a picture of finite numbers, found NaN: has its training diverged?",
            source.name
        );
    }
    let (mse, psnr, r2) = (fit.mse, fit.psnr(), fit.r2);
    let mut json = json!({
        "network": source.name, "size": source.size, "mse": mse, "psnr": psnr, "r2": r2,
    });
    let mut text = format!("mse  {mse:.6e}\npsnr {psnr:.2} dB\nr2   {r2:.6}");
    // Where its training stands, if that is not finished.
    if let Some(at) = source.unfinished {
        json["unfinished"] = json!(at);
        text = format!("at   {at}, not finished\n{text}");
    }
    out.result(&json, &text)
}
