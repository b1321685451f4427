//! Finished runs side by side: each measured in the same way on the picture it was trained on.
//!
//! In: run folders. Out: a [`RunsRecord`], and what a page shows of each run. Nothing is trained.

use super::compare::{CompareError, SHOWN};
use super::record::Record;
use crate::math::hash::short_id;
use crate::network::Picture;
use crate::probe::View;
use crate::run::folder::{FolderKind, Marker};
use crate::run::{LoadedRun, load_run, read_metrics};
use crate::score::{CompositionalScore, Fit, Judge, JudgeChoice, JudgeError, Judged, Protocol};
use crate::train::{LogLine, TrainReport};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// How the runs are measured.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunsConfig {
    /// Weights perturbed in each network, sampled within layers; none: all.
    pub sample: Option<usize>,
    /// Seed of the sample.
    pub seed: u64,
    /// Wanted effect of a perturbation, RMSE.
    pub effect: f64,
    /// Who judges.
    pub judge: JudgeChoice,
}

/// One run of the comparison.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunRow {
    /// Name of its folder, or the path where two have the same name.
    pub name: String,
    /// Its id.
    pub run_id: String,
    /// What it is.
    pub arm: String,
    /// Path of its picture as its config has it.
    pub target: String,
    /// Side of the picture in pixels.
    pub size: usize,
    /// Arch of a layered network; none for a graph.
    pub arch: Option<String>,
    /// Seed of its training.
    pub seed: u64,
    /// Links of the topology, W.
    pub links: usize,
    /// Links that may be non-zero.
    pub kept: usize,
    /// Kept links on a path from an input to an output.
    pub alive: usize,
    /// Fit to its picture.
    pub fit: Fit,
    /// How training ended.
    pub train: TrainReport,
    /// The compositional score.
    pub score: CompositionalScore,
}

/// The record of a comparison of runs. Equal runs and settings give equal bytes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunsRecord {
    /// `picloom-runs/1`.
    pub format: String,
    /// Version of this crate.
    pub version: String,
    /// The settings.
    pub config: RunsConfig,
    /// A row a run, as they were named.
    pub runs: Vec<RunRow>,
}

impl RunsRecord {
    /// True if all runs draw the same picture at the same size.
    pub fn same_picture(&self) -> bool {
        let same = |a: &RunRow, b: &RunRow| a.target == b.target && a.size == b.size;
        self.runs.windows(2).all(|pair| same(&pair[0], &pair[1]))
    }
}

impl Record for RunsRecord {
    const FORMAT: &'static str = "picloom-runs/1";

    const LISTS: &'static [&'static str] = &["runs"];

    const COLUMNS: &'static [(&'static str, &'static str)] = &[
        ("name", "Name of the run's folder."),
        ("run_id", "Its id."),
        ("arm", "What it is."),
        ("target", "Its picture."),
        ("size", "Side of the picture in pixels."),
        ("seed", "Seed of its training."),
        ("links", "W, links of the topology."),
        ("kept", "Links that may be non-zero."),
        ("alive", "Kept links on a path from an input to an output."),
    ];

    fn summary(&self) -> String {
        let width = self.runs.iter().map(|run| run.name.chars().count()).max().unwrap_or(0).max(4);
        let mut text = format!(
            "{:<width$} {:>6} {:>8} {:>10}  score (95 % interval)\n",
            "run", "kept", "R²", "loss"
        );
        for run in &self.runs {
            let score = match (run.score.score, run.score.interval) {
                (Some(s), Some((low, high))) => format!("{s:.3} ({low:.3} to {high:.3})"),
                _ => "none".into(),
            };
            let unfit = if run.score.counts { "" } else { "  UNFIT: does not count" };
            text += &format!(
                "{:<width$} {:>6} {:>8.4} {:>10.3e}  {score}{unfit}\n",
                run.name, run.kept, run.fit.r2, run.train.final_loss
            );
        }
        text
    }
}

/// What is shown of one run.
pub struct RunView {
    /// Its network, ready to be looked at.
    pub view: View,
    /// The picture it was trained on.
    pub target: Picture,
    /// Some perturbed pictures with their verdicts, spread over the layers.
    pub perturbed: Vec<(Judged, Picture)>,
    /// Logged losses of training.
    pub curve: Vec<LogLine>,
}

/// Runs compared.
pub struct RunsComparison {
    /// The numbers.
    pub record: RunsRecord,
    /// One view a run, in the order of the record.
    pub views: Vec<RunView>,
}

/// Loads the runs, claims `out` for their comparison, and measures them one after the other; `begin`
/// is told the name of each before it is measured.
///
/// # Errors
/// A folder is no finished run, `out` holds something else, the judge gave no answer.
pub fn compare_runs(
    folders: &[PathBuf],
    config: &RunsConfig,
    out: &Path,
    begin: &mut dyn FnMut(&str),
) -> Result<RunsComparison, CompareError> {
    FolderKind::Comparison.ensure(out)?;
    let judge = config.judge.build()?;
    let runs: Vec<LoadedRun> = folders.iter().map(|f| load_run(f)).collect::<Result<_, _>>()?;
    let names = names(folders);
    let mut ids: Vec<&str> = runs.iter().map(|run| run.result.run_id.as_str()).collect();
    ids.sort_unstable();
    let id = short_id(ids.join("\n"));
    let marker = Marker::new(FolderKind::Comparison).about(id, names.join(", "));
    marker.ensure(out)?;
    marker.write(out)?;
    let (mut rows, mut views) = (Vec::new(), Vec::new());
    for ((folder, run), name) in folders.iter().zip(runs).zip(names) {
        begin(&name);
        let curve = read_metrics(folder)?;
        let (row, view) = measure(name, run, curve, config, judge.as_ref())?;
        rows.push(row);
        views.push(view);
    }
    let record = RunsRecord {
        format: RunsRecord::FORMAT.into(),
        version: env!("CARGO_PKG_VERSION").into(),
        config: config.clone(),
        runs: rows,
    };
    Ok(RunsComparison { record, views })
}

fn measure(
    name: String,
    run: LoadedRun,
    curve: Vec<LogLine>,
    config: &RunsConfig,
    judge: &dyn Judge,
) -> Result<(RunRow, RunView), JudgeError> {
    let LoadedRun { config: made, result, model, target, .. } = run;
    let view = View::new(&model, made.size, made.coords);
    let protocol = Protocol::sampled(config.sample, config.effect, config.seed);
    let found = protocol.measure(&view, judge, Some(&target))?;
    let perturbed = found.shown_pictures(&view, SHOWN);
    let row = RunRow {
        name,
        run_id: result.run_id,
        arm: made.arm,
        target: made.target,
        size: made.size,
        arch: made.arch.map(|arch| arch.to_string()),
        seed: made.train.seed,
        links: found.links,
        kept: made.pruned.as_ref().map_or(found.kept, |pruned| pruned.kept),
        alive: found.alive,
        fit: Fit::of(view.picture(), &target),
        train: result.train,
        score: found.score,
    };
    Ok((row, RunView { view, target, perturbed, curve }))
}

/// Names of the folders; where two have the same, the paths.
fn names(folders: &[PathBuf]) -> Vec<String> {
    let short = |path: &PathBuf| path.file_name().map(|name| name.to_string_lossy().into_owned());
    let all: Vec<Option<String>> = folders.iter().map(short).collect();
    let name = |(path, name): (&PathBuf, &Option<String>)| match name {
        Some(name) if all.iter().flatten().filter(|other| *other == name).count() == 1 => {
            name.clone()
        }
        _ => path.display().to_string(),
    };
    folders.iter().zip(&all).map(name).collect()
}
