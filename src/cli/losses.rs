//! `picloom losses`: draws loss curves of runs.

use super::output::Output;
use crate::figures::losses::{LossCurve, losses};
use crate::figures::style::{self, Colour};
use crate::figures::{Provenance, save};
use crate::network::files::{LARGEST_STATE, read_plain};
use crate::run::read_metrics;
use clap::Args;
use serde_json::json;
use std::path::{Path, PathBuf};

#[derive(Args)]
pub struct LossesArgs {
    /// Run folders, or CSVs with the columns step and mse
    #[arg(required = true, value_name = "RUN|CSV")]
    runs: Vec<PathBuf>,
    /// A published curve to lay over them: CSV with the columns step and mse
    #[arg(long, value_name = "CSV")]
    over: Option<PathBuf>,
    /// Where to write the curves: OUT.svg and OUT.png
    #[arg(long)]
    out: PathBuf,
}

/// Points of a drawn curve at the most.
const MOST_POINTS: usize = 400;

pub fn run(LossesArgs { runs, over, out: path }: LossesArgs, out: &Output) -> anyhow::Result<()> {
    let mut curves = Vec::new();
    if let Some(csv) = &over {
        curves.push(curve_of_csv(csv, "published", style::GREY)?);
    }
    for (i, run) in runs.iter().enumerate() {
        if run.extension().is_some_and(|e| e == "csv") {
            // FOLDER/losses.csv is called after its folder.
            let folder = run.parent().and_then(Path::file_name);
            let name = folder.or(run.file_stem()).unwrap_or_default();
            curves.push(curve_of_csv(run, &name.to_string_lossy(), style::colour(i))?);
            continue;
        }
        let name = run.file_name().map_or("run".into(), |n| n.to_string_lossy().into_owned());
        let lines = read_metrics(run)?;
        curves.push(LossCurve::of_run(&name, style::colour(i), &lines, MOST_POINTS));
    }
    let note = "Plain mean squared error; geometric means of neighbouring logged steps.";
    let svg = losses("Training loss", "", note, &curves);
    let facts = Provenance::none().with("command", "picloom losses");
    let (svg, png) = save(&svg, &path, &facts)?;
    let text = format!("wrote {}\n      {}", svg.display(), png.display());
    out.result(&json!({ "written": [svg.to_string_lossy(), png.to_string_lossy()] }), &text)
}

/// A curve from a CSV with the columns `step` and `mse`.
fn curve_of_csv(path: &Path, name: &str, colour: Colour) -> anyhow::Result<LossCurve> {
    let fail = |problem: String| anyhow::anyhow!("{}: {problem}", path.display());
    let bytes = read_plain(path, LARGEST_STATE).map_err(|e| fail(e.to_string()))?;
    let mut reader = csv::Reader::from_reader(bytes.as_slice());
    let expected = || fail("expected a CSV with the columns step and mse, both numbers".into());
    let points: Vec<(f64, f64)> =
        reader.deserialize().collect::<Result<_, _>>().map_err(|_| expected())?;
    Ok(LossCurve { name: name.into(), colour, points })
}
