//! `picloom eval`: how well a network draws a picture.

use super::output::Output;
use super::source::{SourceArgs, Usage};
use crate::run::RunConfig;
use crate::score::Fit;
use crate::train::Unfinished;
use clap::Args;
use serde::Serialize;

#[derive(Args)]
pub(super) struct EvalArgs {
    #[command(flatten)]
    source: SourceArgs,
}

#[derive(Serialize)]
struct Evaluation {
    network: String,
    /// Where its training stands, if that is not finished.
    #[serde(skip_serializing_if = "Option::is_none")]
    unfinished: Option<Unfinished>,
    size: usize,
    mse: f64,
    psnr: f64,
    r2: f64,
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
    let evaluation = Evaluation {
        network: source.name,
        unfinished: source.unfinished,
        size: source.size,
        mse: fit.mse,
        psnr: fit.psnr(),
        r2: fit.r2,
    };
    let stands = source.unfinished.map(|at| format!("at   {at}, not finished\n"));
    let stands = stands.unwrap_or_default();
    let text =
        format!("{stands}mse  {:.6e}\npsnr {:.2} dB\nr2   {:.6}", fit.mse, fit.psnr(), fit.r2);
    out.result(&evaluation, &text)
}
