//! Studies from their specs, of whatever kinds a program has: run, counted, collected, listed.

use super::interrupt::{self, Interrupted};
use super::output::Output;
use super::progress::{Bar, duration};
use crate::base::folder::FolderKind;
use crate::base::refusal::Refusal;
use crate::base::table::Table;
use crate::experiment::cost::pace;
use crate::experiment::networks::{NetworksRecord, NetworksSpec};
use crate::figures::of_spec::of_spec;
use crate::study::cells::Worker;
use crate::study::kinds::{Kind, Study, begin, read_study};
use crate::study::lease::{BEAT, LONGEST_BEAT, Leases};
use crate::study::record::ROWS;
use crate::study::shard::Shard;
use crate::study::spec::{SMOKE, Spec, SpecError, SpecFile, Title, left_out};
use crate::study::whole::WholeSpec;
use crate::study::workers::{News, Progress, StudyObserver};
use clap::Args;
use serde_json::json;
use std::cell::OnceCell;
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock};
use std::time::Duration;

/// The store of the profile [`SMOKE`], unless another is named.
pub(super) const SMOKE_RUNS: &str = "runs/smoke";

/// A study: its spec in a profile, and the store of its runs.
#[derive(Args, Clone, Debug)]
pub struct StudyArgs {
    /// Spec (.toml)
    pub spec: PathBuf,
    /// Profile: standard, or one of the spec's
    #[arg(long)]
    pub profile: Option<String>,
    /// Folder of the run store; all workers of a study share it [profile smoke: runs/smoke]
    #[arg(long, default_value = "runs", default_value_if("profile", SMOKE, SMOKE_RUNS))]
    pub store: PathBuf,
    /// The spec, once it is parsed.
    #[arg(skip)]
    file: OnceCell<SpecFile>,
}

impl StudyArgs {
    /// A part of it, by its spec.
    pub(super) fn part(&self, file: SpecFile) -> Self {
        StudyArgs { spec: file.path().into(), file: file.into(), ..self.clone() }
    }

    /// The spec, which is parsed once.
    ///
    /// # Errors
    /// It cannot be read, or is no TOML.
    pub(crate) fn file(&self) -> Result<&SpecFile, SpecError> {
        if self.file.get().is_none() {
            let _ = self.file.set(SpecFile::read(&self.spec)?);
        }
        Ok(self.file.get().expect("just set"))
    }

    fn study(&self, kinds: &[Kind]) -> Result<Box<dyn Study>, SpecError> {
        read_study(kinds, self.file()?, self.profile.as_deref(), &self.store)
    }

    /// True for a study that is made of others.
    ///
    /// # Errors
    /// The spec cannot be read.
    pub fn is_whole(&self) -> Result<bool, SpecError> {
        Ok(self.file()?.kind() == WholeSpec::KIND)
    }
}

/// How a process works on a study.
#[derive(Args, Clone, Copy, Debug)]
pub struct WorkerArgs {
    /// Only share I of N of the cells, from 1/N to N/N
    #[arg(long, value_name = "I/N", default_value = "1/1", hide_default_value = true)]
    pub shard: Shard,
    /// Seconds between two signs of life; after six that do not come, another worker takes the cell over
    #[arg(long, value_name = "SECONDS", default_value_t = BEAT.as_secs_f64(), value_parser = beat)]
    pub beat: f64,
}

impl WorkerArgs {
    /// One that takes any cell.
    const ALONE: WorkerArgs = WorkerArgs { shard: Shard::ALL, beat: BEAT.as_secs() as f64 };

    fn worker(self) -> Worker {
        let leases = Arc::new(Leases::new(Duration::from_secs_f64(self.beat)));
        Worker { leases, shard: self.shard }
    }
}

/// Reads `--beat`.
fn beat(text: &str) -> Result<f64, String> {
    let range = 0.01..=LONGEST_BEAT.as_secs_f64();
    let seconds = text.parse().ok().filter(|seconds| range.contains(seconds));
    seconds.ok_or_else(|| {
        format!("expected {} to {} seconds, found {text:?}", range.start(), range.end())
    })
}

/// The report of a command: for programs, and for people.
pub(crate) type Said = (serde_json::Value, String);

/// The specs of a folder.
///
/// # Errors
/// The folder cannot be read.
pub(super) fn list(folder: &Path) -> anyhow::Result<Said> {
    let entries = std::fs::read_dir(folder).map_err(|e| {
        anyhow::anyhow!(
            "{}: expected a folder of specs (name one, or call this in a clone): {e}",
            folder.display()
        )
    })?;
    let mut paths = Vec::new();
    for entry in entries {
        let path = entry?.path();
        let is_package = path.file_name().is_some_and(|name| name == "Cargo.toml");
        if path.extension().is_some_and(|e| e == "toml") && !is_package {
            paths.push(path);
        }
    }
    paths.sort();
    let (mut rows, mut text) = (Vec::new(), String::new());
    if paths.is_empty() {
        text = format!("no spec (.toml) in {}\n", folder.display());
    }
    for path in paths {
        let title = match Title::read(&path) {
            Ok(title) => title,
            Err(problem) => {
                text += &format!("{problem}\n");
                rows.push(
                    json!({ "spec": path.to_string_lossy(), "problem": problem.to_string() }),
                );
                continue;
            }
        };
        text += &format!("{} ({})\n  {}\n", path.display(), title.kind, title.question);
        rows.push(json!({
            "spec": path.to_string_lossy(), "kind": title.kind, "about": title.question, "profiles": title.profiles,
        }));
    }
    Ok((rows.into(), text))
}

/// Wall seconds of so many seconds of one core, by all threads of this machine as busy as it is now.
pub(super) fn wall(core_seconds: f64) -> f64 {
    static PACE: LazyLock<f64> = LazyLock::new(pace);
    core_seconds * *PACE
}

/// Previews a run of a study.
pub(super) fn preview_one(args: &StudyArgs, kinds: &[Kind]) -> anyhow::Result<Said> {
    let study = args.study(kinds)?;
    check_figures(args)?;
    let status = study.status(&args.store)?;
    let (to_do, seconds) = (status.total - status.done, wall(status.core_seconds_left));
    let networks = match status.to_make {
        _ if args.file()?.kind() != NetworksSpec::KIND => String::new(),
        1 => ", 1 network to train".into(),
        networks => format!(", {networks} networks to train"),
    };
    let text = format!(
        "{} ({}): {to_do} of {} {} to run{networks}, about {} on {} threads",
        status.study,
        status.profile,
        status.total,
        status.cells,
        duration(seconds),
        rayon::current_num_threads()
    );
    let json = json!({
        "study": status.study, "profile": status.profile, "cells": status.total,
        "to_run": to_do, "to_make": status.to_make, "core_seconds": status.core_seconds_left, "seconds": seconds,
        "left_out": study.left_out(),
    });
    Ok((json, with_left_out(text, study.as_ref())))
}

/// A text, and below it which targets are not here.
fn with_left_out(text: String, study: &dyn Study) -> String {
    format!("{}\n{}", text.trim_end(), left_out(study.left_out())).trim_end().into()
}

/// Works through a worker's shard of one study, of whatever kind; `whole` is the study that it is a part of.
pub(super) fn run_one(
    args: &StudyArgs,
    kinds: &[Kind],
    worker: WorkerArgs,
    whole: Option<&BatchProgress>,
    out: &Output,
) -> anyhow::Result<Said> {
    let study = args.study(kinds)?;
    check_figures(args)?;
    begin(study.as_ref(), &args.file()?.analysis()?, &args.store)?;
    work_through(study.as_ref(), &args.store, worker, whole, out)
}

/// Refuses figures that could not be drawn, before anything is trained.
fn check_figures(args: &StudyArgs) -> anyhow::Result<()> {
    let file = args.file()?;
    let figures = of_spec(&file.analysis()?).map_err(|refusal| refusal.in_file(&args.spec))?;
    if file.kind() != NetworksSpec::KIND {
        return Ok(());
    }
    let (spec, _) = file.spec::<NetworksSpec>(None)?;
    let planned = NetworksSpec::planned(&[&spec]);
    for figure in figures.iter().filter(|figure| figure.tables.is_empty()) {
        let place = format!("figure {}", figure.name);
        let columns = || {
            for (key, name) in figure.columns() {
                let measured = spec.own.measure.is_some();
                NetworksRecord::check_column(format!("{place}: {key}"), name, measured)?;
            }
            planned.check_figure(&place, &figure.rows)?;
            let named = figure.labels.keys().chain(figure.colours.keys()).chain(&figure.order);
            let at = || format!("{place}: labels, colours, order");
            named.into_iter().try_for_each(|name| planned.check_label(at(), name))
        };
        columns().map_err(|refusal: Refusal| refusal.in_file(&args.spec))?;
    }
    Ok(())
}

/// Runs a study that has been read.
pub(super) fn run_study(
    study: &dyn Study,
    runs: &Path,
    whole: Option<&BatchProgress>,
    out: &Output,
) -> anyhow::Result<Said> {
    work_through(study, runs, WorkerArgs::ALONE, whole, out)
}

/// Works through a shard of a study that has been read, beside other workers.
fn work_through(
    study: &dyn Study,
    runs: &Path,
    worker: WorkerArgs,
    whole: Option<&BatchProgress>,
    out: &Output,
) -> anyhow::Result<Said> {
    let (shard, worker) = (worker.shard, worker.worker());
    let leases = Arc::clone(&worker.leases);
    interrupt::saves_and(move || leases.release_all());
    let mut watch = Watch::new(out, study.count(), study.called(), whole.cloned());
    let worked = study.work(runs, &worker, &mut watch);
    watch.bar.finish_and_clear();
    let Some(worked) = worked? else {
        return Err(Interrupted.into());
    };
    let mut json = json!({
        "study": study.name(), "profile": study.profile(), "cells": study.count(),
        "done": worked.done, "failed": worked.failed, "missing": worked.missing,
    });
    let Some(found) = worked.record else {
        let text = format!(
            "{} ({}), shard {shard}: {} {} done here, {} failed; {} of other shards are missing",
            study.name(),
            study.profile(),
            worked.done,
            study.called(),
            worked.failed,
            worked.missing
        );
        return Ok((json, text));
    };
    let path = runs.join(study.name()).join(ROWS);
    json["rows"] = json!(path.to_string_lossy());
    if let (Some(all), serde_json::Value::Object(more)) = (json.as_object_mut(), found.findings) {
        all.extend(more);
    }
    Ok((json, format!("{}\nrows: {}", found.summary, path.display())))
}

/// Writes the table of one study, and `study.json`, into a folder or into its own of the store.
pub(super) fn collect_one(
    args: &StudyArgs,
    kinds: &[Kind],
    to: Option<&Path>,
    columns: &[String],
) -> anyhow::Result<Said> {
    let study = args.study(kinds)?;
    let own = args.store.join(study.name());
    match to {
        Some(to) => FolderKind::Study.ensure(to)?,
        None => FolderKind::ensure_study(&own)?,
    }
    let to = to.unwrap_or(&own);
    if !args.store.exists() {
        let advice = "run the study, or name the folder that it was run with";
        let at = format!("--store {}", args.store.display());
        let refusal = Refusal::new(at, "a folder with runs", "none");
        return Err(refusal.advising(advice).as_failure().into());
    }
    let missing = study.collect(&args.store, to)?;
    // The study goes on in its own folder of the store.
    if to == own {
        FolderKind::Study.mark(to)?;
    }
    let rows = to.join(ROWS);
    if !columns.is_empty() {
        Table::read(&rows)?.with_only(columns)?.write(&rows)?;
    }
    let mut text = format!("{}: {}", study.name(), rows.display());
    if missing > 0 {
        let (all, cells) = (study.count(), study.called());
        text += &format!("\n{missing} of {all} {cells} are missing: to look at, not to decide on");
    }
    let json = json!({
        "cells": study.count(), "missing": missing, "rows": rows.to_string_lossy(), "left_out": study.left_out(),
    });
    Ok((json, with_left_out(text, study.as_ref())))
}

/// Counts the cells of one study.
pub(super) fn status_one(args: &StudyArgs, kinds: &[Kind]) -> anyhow::Result<Said> {
    let study = args.study(kinds)?;
    let status = study.status(&args.store)?;
    let mut text = format!(
        "{} ({}): {} of {} {} done, {} failed, {} held, {} free; about {} left on {} threads\n",
        status.study,
        status.profile,
        status.done,
        status.total,
        status.cells,
        status.failed.len(),
        status.held.len(),
        status.free,
        duration(wall(status.core_seconds_left)),
        rayon::current_num_threads()
    );
    if !args.store.exists() {
        text += &format!("there is no folder {} yet\n", args.store.display());
    }
    for held in &status.held {
        let dead = if held.is_dead { ", which is dead: another worker takes over" } else { "" };
        let (cell, host, process) = (&held.cell, &held.host, held.process);
        text += &format!("held: {cell}: by process {process} on {host}{dead}\n");
    }
    for failed in &status.failed {
        text += &format!("failed: {} ({})\n  {}\n", failed.cell, failed.id, failed.error);
    }
    let mut json = json!(status);
    json["left_out"] = json!(study.left_out());
    Ok((json, with_left_out(text, study.as_ref())))
}

/// How far the study is that a study is a part of, in seconds of one core that its parts were thought
/// to take before it began.
#[derive(Clone, Debug, Default)]
pub(super) struct BatchProgress {
    /// All its parts.
    pub(super) total: f64,
    /// The parts after this one.
    pub(super) ahead: f64,
}

/// Shows how far a study is, or a worker with the study it is at.
pub(super) struct Watch {
    pub(super) bar: Bar,
    whole: Option<BatchProgress>,
    /// The cell that was finished last, or what began since.
    label: String,
}

impl Watch {
    pub(super) fn new(
        out: &Output,
        cells: usize,
        what: &'static str,
        whole: Option<BatchProgress>,
    ) -> Self {
        let bar = out.progress(cells as u64, what).without_estimate();
        Watch { bar, whole, label: String::new() }
    }

    /// `about 12 min left; of the study 31 %, about 2 h 5 min left`.
    fn left(&self, progress: &Progress) -> String {
        let Some(pace) = progress.pace else { return String::new() };
        let left = progress.seconds_left.unwrap_or(0.0);
        let mut text = match progress.seconds_left {
            Some(left) => format!(", about {} left", duration(left)),
            None => String::new(),
        };
        if let Some(whole) = self.whole.as_ref().filter(|whole| whole.total > 0.0) {
            let ahead = left / pace + whole.ahead;
            let share = 100.0 * (1.0 - ahead / whole.total).clamp(0.0, 1.0);
            let left = duration(left + pace * whole.ahead);
            text += &format!("; of the study {share:.0} %, about {left} left");
        }
        text
    }
}

impl StudyObserver for Watch {
    fn cell(&mut self, progress: &Progress, label: &str, error: Option<&str>) {
        self.label = label.into();
        self.part(progress);
        if let Some(error) = error {
            self.bar.say(&format!("failed: {label}: {error}"));
        }
    }

    fn part(&mut self, progress: &Progress) {
        let done = (progress.done + progress.failed) as u64;
        let message = format!("{}{}", self.label, self.left(progress));
        self.bar.set(done, progress.total as u64, message.trim_start_matches(", "));
    }

    fn news(&mut self, news: News<'_>) {
        if let News::Begins(what) = news {
            self.label = what.into();
            self.bar.set_message(what);
        }
    }

    fn waits(&mut self, cells: usize) {
        self.bar.set_message(format!("waiting for {cells} that other workers hold"));
    }

    fn going_on(&mut self) -> bool {
        !interrupt::asked()
    }
}
