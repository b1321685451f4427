//! Studies made of small cells on the command line: run, status, collect.

use super::experiment::{Said, Watch};
use super::output::Output;
use crate::experiment::cells::{
    CellOutcome, CellRecord, CellStudy, cell_id, collect_cells, run_cells, state, study_folder,
};
use crate::experiment::structural::StructuralStudy;
use crate::experiment::theory::study::TheoryStudy;
use crate::network::files::write_atomic;
use serde_json::json;
use std::path::Path;

/// Runs the study of cells at `spec`; none if its kind is another.
pub(super) fn run(
    kind: Option<&str>,
    spec: &Path,
    profile: Option<&str>,
    runs: &Path,
    out: &Output,
) -> anyhow::Result<Option<Said>> {
    Ok(Some(match kind {
        Some("theory") => run_study(&TheoryStudy::read(spec, profile)?, runs, out)?,
        Some("structural") => run_study(&StructuralStudy::read(spec, profile)?, runs, out)?,
        _ => return Ok(None),
    }))
}

/// What is asked of a study that is not run.
#[derive(Clone, Copy)]
pub(super) enum Action<'a> {
    Status,
    Collect { csv: &'a Path, record: Option<&'a Path> },
}

/// Acts on the study of cells at `spec`; none if its kind is another.
pub(super) fn act(
    kind: Option<&str>,
    spec: &Path,
    profile: Option<&str>,
    runs: &Path,
    action: Action,
) -> anyhow::Result<Option<Said>> {
    Ok(Some(match kind {
        Some("theory") => on(&TheoryStudy::read(spec, profile)?, runs, action)?,
        Some("structural") => on(&StructuralStudy::read(spec, profile)?, runs, action)?,
        _ => return Ok(None),
    }))
}

fn on<S: CellStudy>(study: &S, runs: &Path, action: Action) -> anyhow::Result<Said> {
    match action {
        Action::Status => status(study, runs),
        Action::Collect { csv, record } => {
            let collected = collect_cells(study, runs)?;
            write_atomic(csv, collected.to_csv().as_bytes())?;
            let mut text = format!("table: {}", csv.display());
            if let Some(path) = record {
                write_atomic(path, collected.to_json().as_bytes())?;
                text += &format!("\nrecord: {}", path.display());
            }
            Ok((json!({ "csv": csv, "record": record }), text))
        }
    }
}

fn run_study<S: CellStudy>(study: &S, runs: &Path, out: &Output) -> anyhow::Result<Said> {
    let total = study.cells().len();
    let mut watch = Watch::new(out, total, "cells");
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
    Ok((json, format!("{}\nrecord: {}", record.summary(), path.display())))
}

fn status<S: CellStudy>(study: &S, runs: &Path) -> anyhow::Result<Said> {
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
    Ok((json, text))
}
