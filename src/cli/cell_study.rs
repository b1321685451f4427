//! Studies made of small cells on the command line: run, status, collect.

use super::interrupt;
use super::output::Output;
use crate::experiment::cells::{
    CellObserver, CellOutcome, CellRecord, CellStudy, cell_id, collect_cells, run_cells, state,
    study_folder,
};
use crate::experiment::structural::StructuralStudy;
use crate::experiment::study::Progress;
use crate::experiment::theory::study::TheoryStudy;
use crate::network::files::write_atomic;
use indicatif::ProgressBar;
use serde_json::json;
use std::path::{Path, PathBuf};

/// What is done with a study.
pub(super) enum Action<'a> {
    Run,
    Status,
    Collect {
        csv: &'a Path,
        record: Option<&'a PathBuf>,
    },
}

/// Acts on the study at `spec` if its kind is one made of cells; false if it is of another kind.
pub(super) fn act(
    kind: Option<&str>,
    spec: &Path,
    profile: Option<&str>,
    runs: &Path,
    action: &Action,
    out: &Output,
) -> anyhow::Result<bool> {
    match kind {
        Some("theory") => on(&TheoryStudy::read(spec, profile)?, runs, action, out)?,
        Some("structural") => on(&StructuralStudy::read(spec, profile)?, runs, action, out)?,
        _ => return Ok(false),
    }
    Ok(true)
}

fn on<S: CellStudy>(study: &S, runs: &Path, action: &Action, out: &Output) -> anyhow::Result<()> {
    match action {
        Action::Run => run(study, runs, out),
        Action::Status => status(study, runs, out),
        Action::Collect { csv, record } => {
            let collected = collect_cells(study, runs)?;
            write_atomic(csv, collected.to_csv().as_bytes())?;
            let mut text = format!("table: {}", csv.display());
            if let Some(path) = record {
                write_atomic(path, collected.to_json().as_bytes())?;
                text += &format!("\nrecord: {}", path.display());
            }
            out.result(&json!({ "csv": csv, "record": record }), &text)
        }
    }
}

fn run<S: CellStudy>(study: &S, runs: &Path, out: &Output) -> anyhow::Result<()> {
    interrupt::listen();
    let total = study.cells().len();
    let mut watch = Watch {
        bar: out.progress(total as u64, "cells"),
        every: (total / 20).max(1),
        failed: 0,
    };
    let ran = run_cells(study, runs, &mut watch);
    watch.bar.finish_and_clear();
    let folder = study_folder(study, runs);
    let Some(record) = ran? else {
        anyhow::bail!(
            "interrupted; the same command goes on from the finished cells in {}",
            folder.display()
        );
    };
    let path = folder.join("record.json");
    let json = json!({
        "study": study.name(), "profile": study.profile(), "cells": total,
        "failed": watch.failed, "record": path,
    });
    let text = format!("{}\nrecord: {}", record.summary(), path.display());
    out.result(&json, &text)?;
    if watch.failed > 0 {
        anyhow::bail!(
            "{} of {total} cells failed; `picloom experiment status` says why",
            watch.failed
        );
    }
    Ok(())
}

fn status<S: CellStudy>(study: &S, runs: &Path, out: &Output) -> anyhow::Result<()> {
    let cells = study.cells();
    let (mut done, mut waiting) = (0, 0);
    let (mut failed, mut failures) = (Vec::new(), String::new());
    for cell in &cells {
        match state(study, runs, cell)? {
            CellOutcome::Done(_) => done += 1,
            CellOutcome::Waiting => waiting += 1,
            CellOutcome::Failed(error) => {
                let (label, id) = (study.label(cell), cell_id::<S>(cell));
                failures += &format!("failed: {label} ({id})\n  {error}\n");
                failed.push(json!({ "cell": label, "id": id, "error": error }));
            }
        }
    }
    let text = format!(
        "{} ({}): {done} of {} cells finished, {} failed, {waiting} waiting\n{failures}",
        study.name(),
        study.profile(),
        cells.len(),
        failed.len()
    );
    let json = json!({
        "study": study.name(), "profile": study.profile(), "total": cells.len(),
        "done": done, "waiting": waiting, "failed": failed,
    });
    out.result(&json, &text)
}

struct Watch {
    bar: ProgressBar,
    every: usize,
    failed: usize,
}

impl CellObserver for Watch {
    fn cell(&mut self, progress: &Progress, label: &str, error: Option<&str>) {
        let over = progress.done + progress.failed;
        let left = progress.seconds_left.map_or(String::new(), |seconds| {
            format!(", about {seconds:.0} s left")
        });
        self.bar.set_length(progress.total as u64);
        self.bar.set_position(over as u64);
        self.bar.set_message(format!("{label}{left}"));
        if let Some(error) = error {
            self.failed += 1;
            self.bar.suspend(|| eprintln!("failed: {label}: {error}"));
        }
        if self.bar.is_hidden() && over.is_multiple_of(self.every) && progress.done > progress.found
        {
            eprintln!("{over}/{} cells{left}", progress.total);
        }
    }

    fn going_on(&mut self) -> bool {
        !interrupt::asked()
    }
}
