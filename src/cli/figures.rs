//! `picloom figures`: draws figures from records, never from runs.

use super::output::Output;
use super::source::Usage;
use crate::experiment::read_metrics;
use crate::figures::losses::{LossCurve, losses};
use crate::figures::study::{DrawError, FIGURES, Figure, Sources, figure};
use crate::figures::style::{self, Colour};
use crate::figures::{Provenance, save, save_small, study_report};
use crate::math::UnknownName;
use crate::math::text::word;
use crate::network::files::write_atomic;
use clap::Args;
use serde_json::json;
use std::path::{Path, PathBuf};

#[derive(Args)]
pub struct FiguresArgs {
    /// Names of figures (default: all)
    names: Vec<String>,
    /// Folder of the records, FOLDER/STUDY/rows.csv.gz; the figures are written beside them
    #[arg(long, default_value = "figures", value_name = "FOLDER")]
    records: PathBuf,
    /// Charts also as PNG (sheets of pictures are PNG alone)
    #[arg(long)]
    png: bool,
    /// Only list what can be drawn
    #[arg(long)]
    list: bool,
    /// Write all of them into one page instead
    #[arg(long, value_name = "OUT.html", conflicts_with_all = ["names", "png", "list", "losses"])]
    report: Option<PathBuf>,
    /// Draw the loss curves of these run folders, or CSVs with the columns step and mse, instead
    #[arg(long, value_name = "RUN|CSV", num_args = 1.., requires = "out")]
    losses: Vec<PathBuf>,
    /// A published curve to lay over them: CSV with the columns step and mse
    #[arg(long, value_name = "CSV", requires = "losses")]
    over: Option<PathBuf>,
    /// Where to write the loss curves: OUT.svg and OUT.png
    #[arg(long, requires = "losses")]
    out: Option<PathBuf>,
}

pub fn run(args: FiguresArgs, out: &Output) -> anyhow::Result<()> {
    if let Some(path) = &args.out {
        return draw_losses(&args.losses, args.over.as_deref(), path, out);
    }
    if let Some(path) = &args.report {
        let command = format!(
            "picloom figures --records {} --report {}",
            word(args.records.display()),
            word(path.display())
        );
        write_atomic(path, study_report(&args.records, &command).as_bytes())?;
        let text = format!("wrote {}", path.display());
        return out.result(&json!({ "written": [path] }), &text);
    }
    let mut chosen: Vec<&Figure> = FIGURES.iter().collect();
    if !args.names.is_empty() {
        chosen.clear();
        for name in &args.names {
            chosen.push(figure(name).ok_or_else(|| {
                let names = FIGURES.iter().map(|f| f.name);
                Usage(UnknownName::new("figure", names, name).to_string())
            })?);
        }
    }
    let sources = Sources::new(&args.records);
    let (mut rows, mut text, mut missing) = (Vec::new(), String::new(), Vec::new());
    for f in chosen {
        let drawn = (f.draw)(&sources);
        let path = args.records.join(f.path());
        let facts = format!("(paper's figure {}): {}", f.paper, f.shows);
        let problem = match drawn {
            Ok(drawing) => {
                if !args.list {
                    save_small(&drawing.svg, &path, &provenance(f, &sources), args.png)?;
                }
                text += &format!("{}  {facts}\n", path.display());
                None
            }
            Err(error) => {
                missing.push(format!("{}  {facts}\n    {error}\n", f.name));
                Some(error.to_string())
            }
        };
        rows.push(json!({
            "name": f.name,
            "paper": f.paper,
            "claims": f.claims,
            "shows": f.shows,
            "records": f.records(),
            "files": path,
            "problem": problem,
        }));
    }
    let count = missing.len();
    if count > 0 {
        text += &format!("not drawn, {count} of {}:\n", rows.len());
        text += &missing.concat();
    }
    out.result(&rows, &text)?;
    // Who names figures wants all of them; who names none wants what there is.
    let wanted = !args.names.is_empty() || count == rows.len();
    match count > 0 && wanted && !args.list {
        true => anyhow::bail!("{count} of {} figures not drawn", rows.len()),
        false => Ok(()),
    }
}

fn provenance(figure: &Figure, sources: &Sources) -> Provenance {
    Provenance::none()
        .with("command", format!("picloom figures {}", figure.name))
        .with("record", figure.records().join(", "))
        .with("profile", sources.profile(figure))
}

/// Draws every figure whose records lie under `records`, and `report.html`, which says that `command`
/// wrote it; returns the paths of the figures, without extension.
pub(super) fn draw_all(records: &Path, command: &str) -> anyhow::Result<Vec<PathBuf>> {
    let sources = Sources::new(records);
    let mut paths = Vec::new();
    for figure in FIGURES {
        match (figure.draw)(&sources) {
            Ok(drawing) => {
                let path = records.join(figure.path());
                save_small(&drawing.svg, &path, &provenance(figure, &sources), false)?;
                paths.push(path);
            }
            Err(DrawError::Missing { .. } | DrawError::Nothing { .. }) => {}
            Err(error) => return Err(error.into()),
        }
    }
    let report = study_report(records, command);
    write_atomic(&records.join("report.html"), report.as_bytes())?;
    Ok(paths)
}

/// Points of a drawn curve at the most.
const MOST_POINTS: usize = 400;

fn draw_losses(
    runs: &[PathBuf],
    over: Option<&Path>,
    path: &Path,
    out: &Output,
) -> anyhow::Result<()> {
    let mut curves = Vec::new();
    if let Some(csv) = over {
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
    let facts = Provenance::none().with("command", "picloom figures --losses");
    let (svg, png) = save(&svg, path, &facts)?;
    let text = format!("wrote {}\n      {}", svg.display(), png.display());
    out.result(&json!({ "written": [svg, png] }), &text)
}

/// A curve from a CSV with the columns `step` and `mse`.
fn curve_of_csv(path: &Path, name: &str, colour: Colour) -> anyhow::Result<LossCurve> {
    let fail = |problem: String| anyhow::anyhow!("{}: {problem}", path.display());
    let mut reader = csv::Reader::from_path(path).map_err(|e| fail(e.to_string()))?;
    let expected = || fail("expected a CSV with the columns step and mse, both numbers".into());
    let points: Vec<(f64, f64)> =
        reader.deserialize().collect::<Result<_, _>>().map_err(|_| expected())?;
    Ok(LossCurve { name: name.into(), colour, points })
}
