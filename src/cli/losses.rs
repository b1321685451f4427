//! `picloom losses`: draws loss curves of runs.

use super::output::Output;
use super::plot::KeyArgs;
use super::source::Usage;
use crate::base::files::{LARGEST_STATE, read_plain};
use crate::base::names::did_you_mean;
use crate::base::refusal::Refusal;
use crate::base::settings::Settings;
use crate::figures::Provenance;
use crate::figures::losses::LossCurve;
use crate::figures::plot::{FigureSpec, Format, Kind, draw_losses, save_drawing};
use crate::figures::style::{self, Colour};
use crate::run::read_metrics;
use clap::{Arg, Args};
use serde_json::json;
use std::path::{Path, PathBuf};

#[derive(Args)]
#[command(mut_args(of_curves))]
pub(super) struct LossesArgs {
    /// Run folders, or CSVs with the columns step and mse
    #[arg(required = true, value_name = "RUN|CSV")]
    runs: Vec<PathBuf>,
    /// A published curve to lay over them: CSV with the columns step and mse
    #[arg(long, value_name = "CSV")]
    over: Option<PathBuf>,
    /// Where to write the curves: FILE.svg, FILE.png or FILE.pdf; a name without an ending: both .svg and .png
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    #[command(flatten)]
    keys: KeyArgs,
}

/// Hides the keys of other kinds of figure.
fn of_curves(option: Arg) -> Arg {
    let is_other = FigureSpec::settings().iter().any(|row| option.get_id() == row.name)
        && !Kind::Curves.keys().any(|key| option.get_id() == key);
    option.hide(is_other)
}

/// Points of a drawn curve at the most.
const MOST_POINTS: usize = 400;

pub(super) fn run(
    LossesArgs { runs, over, out: path, keys: given }: LossesArgs,
    out: &Output,
) -> anyhow::Result<()> {
    // A name with an ending is a file of that form, or refused.
    let has_ending = path.extension().is_some();
    if has_ending {
        Format::of(&path)?;
    }
    let mut keys = given.keys()?;
    keys.insert("name".into(), json!("losses"));
    keys.insert("kind".into(), json!("curves"));
    let spec: FigureSpec =
        serde_json::from_value(keys.into()).map_err(|error| Usage(error.to_string()))?;
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
    let known: Vec<&str> = curves.iter().map(|curve| curve.name.as_str()).collect();
    let named = spec.labels.keys().chain(spec.colours.keys()).chain(&spec.order);
    if let Some(name) = named.into_iter().find(|name| !known.contains(&name.as_str())) {
        let found = format!("{name:?}{}", did_you_mean(name, known.iter().copied()));
        let expected = format!("names of curves: {}", known.join(", "));
        return Err(Refusal::new("--labels, --colours, --order", expected, found).into());
    }
    let drawing = draw_losses(&spec, &curves)?;
    let facts = Provenance::none().with("command", "picloom losses");
    let ending = |end: &str| {
        let mut name = path.clone().into_os_string();
        name.push(end);
        PathBuf::from(name)
    };
    let files = match has_ending {
        true => vec![path.clone()],
        false => vec![ending(".svg"), ending(".png")],
    };
    let mut text = String::new();
    for file in &files {
        save_drawing(&drawing, file, given.dpi, &facts)?;
        text += &format!("wrote {}\n", file.display());
    }
    let written: Vec<_> = files.iter().map(|file| file.to_string_lossy()).collect();
    out.result(&json!({ "written": written, "figure": drawing }), &text)
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
