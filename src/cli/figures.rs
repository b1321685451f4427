//! `picloom figures`: draws figures from committed records, never from runs.

use super::output::Output;
use super::source::Usage;
use crate::experiment::read_metrics;
use crate::experiment::structural::StructuralRecord;
use crate::experiment::study::StudyRecord;
use crate::experiment::theory::study::TheoryRecord;
use crate::figures::losses::{LossCurve, losses};
use crate::figures::structural::{self, StructuralFigure};
use crate::figures::studies::{self, StudyFigure};
use crate::figures::theory::{self, TheoryFigure};
use crate::figures::{Provenance, save, style};
use clap::Args;
use serde_json::json;
use std::path::{Path, PathBuf};

#[derive(Args)]
pub struct FiguresArgs {
    /// Names of figures (default: all)
    names: Vec<String>,
    /// Folder of the records, FOLDER/STUDY/record.json; the figures are written beside them
    #[arg(long, default_value = "figures", value_name = "FOLDER")]
    records: PathBuf,
    /// Only list what can be drawn
    #[arg(long)]
    list: bool,
    /// Draw the loss curves of these run folders instead
    #[arg(long, value_name = "RUN", num_args = 1.., requires = "out")]
    losses: Vec<PathBuf>,
    /// A published curve to lay over them: CSV with the columns step and mse
    #[arg(long, value_name = "CSV", requires = "losses")]
    over: Option<PathBuf>,
    /// Where to write the loss curves: OUT.svg and OUT.png
    #[arg(long, requires = "losses")]
    out: Option<PathBuf>,
}

/// A figure of any kind of study.
enum Figure {
    Training(&'static StudyFigure),
    Theory(&'static TheoryFigure),
    Structural(&'static StructuralFigure),
}

/// What every figure has.
struct Facts {
    name: &'static str,
    study: &'static str,
    shows: &'static str,
    paper: &'static str,
}

impl Figure {
    /// Every figure, in the order of the tables.
    fn all() -> Vec<Figure> {
        let training = studies::FIGURES.iter().map(Figure::Training);
        let theory = theory::FIGURES.iter().map(Figure::Theory);
        let structural = structural::FIGURES.iter().map(Figure::Structural);
        training.chain(theory).chain(structural).collect()
    }

    fn facts(&self) -> Facts {
        macro_rules! facts {
            ($f:expr) => {
                Facts {
                    name: $f.name,
                    study: $f.study,
                    shows: $f.shows,
                    paper: $f.paper,
                }
            };
        }
        match self {
            Figure::Training(f) => facts!(f),
            Figure::Theory(f) => facts!(f),
            Figure::Structural(f) => facts!(f),
        }
    }

    /// Draws it beside its record; returns its path without extension.
    fn save(&self, records: &Path) -> anyhow::Result<PathBuf> {
        let f = self.facts();
        let folder = records.join(f.study);
        let (svg, profile) = self.draw(&folder.join("record.json"))?;
        let facts = Provenance::none()
            .with("command", format!("picloom figures {}", f.name))
            .with("record", format!("{}/record.json", f.study))
            .with("profile", &profile);
        let path = folder.join(f.name);
        save(&svg, &path, &facts)?;
        Ok(path)
    }

    /// The figure as SVG, and the profile of the record it was drawn from.
    fn draw(&self, record: &Path) -> anyhow::Result<(String, String)> {
        Ok(match self {
            Figure::Training(f) => {
                let record = StudyRecord::read(record)?;
                ((f.draw)(&record), record.profile)
            }
            Figure::Theory(f) => {
                let record = TheoryRecord::read(record)?;
                ((f.draw)(&record), record.profile)
            }
            Figure::Structural(f) => {
                let record = StructuralRecord::read(record)?;
                ((f.draw)(&record), record.profile)
            }
        })
    }
}

pub fn run(args: FiguresArgs, out: &Output) -> anyhow::Result<()> {
    if let Some(path) = &args.out {
        return draw_losses(&args.losses, args.over.as_deref(), path, out);
    }
    let mut chosen = Figure::all();
    if !args.names.is_empty() {
        let known: Vec<&str> = chosen.iter().map(|f| f.facts().name).collect();
        if let Some(name) = args.names.iter().find(|n| !known.contains(&n.as_str())) {
            let expected = known.join(", ");
            return Err(Usage(format!(
                "figure: expected one of {expected}, found {name:?}"
            ))
            .into());
        }
        chosen.retain(|f| args.names.iter().any(|n| n == f.facts().name));
    }
    let (mut rows, mut text) = (Vec::new(), String::new());
    for figure in chosen {
        let f = figure.facts();
        let folder = args.records.join(f.study);
        let record_path = folder.join("record.json");
        if !args.list {
            figure.save(&args.records)?;
        }
        text += &format!(
            "{}  (paper's figure {}): {}\n",
            folder.join(f.name).display(),
            f.paper,
            f.shows
        );
        rows.push(
            json!({ "name": f.name, "paper": f.paper, "shows": f.shows, "record": record_path }),
        );
    }
    out.result(&rows, &text)
}

/// Draws every figure whose record lies under `records`; returns their paths without extension.
pub(super) fn draw_all(records: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let there = |f: &Figure| records.join(f.facts().study).join("record.json").exists();
    let figures = Figure::all().into_iter().filter(there);
    figures.map(|figure| figure.save(records)).collect()
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
        curves.push(published(csv)?);
    }
    for (i, run) in runs.iter().enumerate() {
        let name = run
            .file_name()
            .map_or("run".into(), |n| n.to_string_lossy().into_owned());
        let lines = read_metrics(run)?;
        curves.push(LossCurve::of_run(
            &name,
            style::colour(i),
            &lines,
            MOST_POINTS,
        ));
    }
    let note = "Plain mean squared error; geometric means of neighbouring logged steps.";
    let svg = losses("Training loss", "", note, &curves);
    let facts = Provenance::none().with("command", "picloom figures --losses");
    let (svg, png) = save(&svg, path, &facts)?;
    let text = format!("wrote {}\n      {}", svg.display(), png.display());
    out.result(&json!({ "written": [svg, png] }), &text)
}

/// A curve from a CSV with the columns `step` and `mse`.
fn published(path: &Path) -> anyhow::Result<LossCurve> {
    let fail = |problem: String| anyhow::anyhow!("{}: {problem}", path.display());
    let mut reader = csv::Reader::from_path(path).map_err(|e| fail(e.to_string()))?;
    let expected = || fail("expected a CSV with the columns step and mse, both numbers".into());
    let points: Vec<(f64, f64)> = reader
        .deserialize()
        .collect::<Result<_, _>>()
        .map_err(|_| expected())?;
    Ok(LossCurve {
        name: "published".into(),
        colour: style::GREY,
        points,
    })
}
