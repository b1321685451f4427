//! A worker's way through its share of a plan, and the records at the end.

use super::files::INPUTS;
use super::{Part, Plan, PlanError, Share};
use crate::experiment::cells::{Pass, Patience, Worker};
use crate::experiment::kinds::{Finished, Kind, Study};
use crate::experiment::record::STUDY;
use crate::experiment::workers::StudyObserver;
use crate::network::files::{WriteError, create_folder, remove_leftovers, write_atomic};
use crate::run::folder::FolderKind;
use serde_json::{Value, json};
use std::path::Path;

/// How a worker's way ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ended {
    /// The observer stopped it.
    pub is_stopped: bool,
    /// Cells that this worker computed.
    pub done: usize,
    /// Cells of its share that were set aside, by it or another.
    pub aside: usize,
}

/// A part of the plan as a worker sees it.
struct Piece<'a> {
    part: &'a Part,
    /// Place of its first cell in the plan.
    begins: usize,
    study: Option<Box<dyn Study>>,
    /// Cells that are not over yet; none before the study is there.
    left: Option<Vec<usize>>,
    aside: usize,
}

impl Piece<'_> {
    fn is_over(&self) -> bool {
        self.left.as_ref().is_some_and(Vec::is_empty)
    }
}

/// Works through a share of the plan in `store`: until each of its cells is finished or set aside, by this
/// worker or another. Cells that others have are waited for, and where its own wait for the record of
/// another study, it helps with that study's.
///
/// # Errors
/// The store holds cells of another plan or version, or a file cannot be written: then this worker has no
/// cell any more.
pub fn work(
    kinds: &[Kind],
    plan: &Plan,
    store: &Path,
    share: Share,
    worker: &Worker,
    observer: &mut dyn StudyObserver,
) -> Result<Ended, PlanError> {
    let mut begins = 0;
    let mut pieces = Vec::new();
    for part in &plan.parts {
        claim(plan, part, store)?;
        pieces.push(Piece { part, begins, study: None, left: None, aside: 0 });
        begins += part.cells;
    }
    let mut ended = Ended::default();
    let mut patience = Patience::default();
    loop {
        let before = ended.done;
        let mut failed = 0;
        for k in 0..pieces.len() {
            if pieces[k].is_over() {
                continue;
            }
            let piece = &mut pieces[k];
            if piece.study.is_none() {
                piece.study = plan.study(kinds, piece.part, store)?;
            }
            let Some(study) = &piece.study else {
                // Cells of its own wait for a record: everybody's business.
                let decider = piece.part.after.clone();
                let over = help(
                    (kinds, plan),
                    &mut pieces,
                    decider.as_deref(),
                    (store, worker),
                    observer,
                )?;
                ended.done += over.done;
                ended.is_stopped |= over.is_stopped;
                if ended.is_stopped {
                    return Ok(ended);
                }
                continue;
            };
            let left = match piece.left.take() {
                Some(left) => left,
                None => share.within(piece.begins, study.count()),
            };
            let went = study.pass(store, &left, worker, observer)?;
            ended.done += went.done;
            failed += went.failed.len();
            piece.aside += went.aside;
            piece.left = Some([went.elsewhere, went.failed].concat());
            if went.is_stopped {
                ended.is_stopped = true;
                return Ok(ended);
            }
        }
        ended.aside = pieces.iter().map(|piece| piece.aside).sum();
        if pieces.iter().all(Piece::is_over) {
            return Ok(ended);
        }
        if ended.done > before || failed > 0 {
            patience = Patience::default();
        } else if !patience.wait(observer) {
            ended.is_stopped = true;
            return Ok(ended);
        }
    }
}

/// Goes through all cells of the study whose record is waited for, and writes the record once they are over.
fn help(
    (kinds, plan): (&[Kind], &Plan),
    pieces: &mut [Piece<'_>],
    decider: Option<&str>,
    (store, worker): (&Path, &Worker),
    observer: &mut dyn StudyObserver,
) -> Result<Pass, PlanError> {
    let piece = pieces.iter_mut().find(|piece| Some(piece.part.study.as_str()) == decider);
    let Some(piece) = piece else { return Ok(Pass::default()) };
    if piece.study.is_none() {
        piece.study = plan.study(kinds, piece.part, store)?;
    }
    let Some(study) = &piece.study else { return Ok(Pass::default()) };
    let all: Vec<usize> = (0..study.count()).collect();
    let went = study.pass(store, &all, worker, observer)?;
    if !went.is_stopped && went.elsewhere.is_empty() && went.failed.is_empty() {
        study.finish(store)?;
    }
    Ok(went)
}

/// Marks the folder of a part as this plan's, and refuses one that is another's.
fn claim(plan: &Plan, part: &Part, store: &Path) -> Result<(), PlanError> {
    let folder = store.join(&part.study);
    let path = folder.join("plan.json");
    let mark = json!({
        "version": plan.version, "study": part.study, "profile": part.profile,
        "cells": part.cells, "sha256": part.sha256,
    });
    let says = |mark: &Value| {
        let text = |key: &str| mark[key].as_str().unwrap_or("?").to_string();
        let (cells, hash) = (&mark["cells"], text("sha256"));
        let short = hash.get(..8).unwrap_or(&hash);
        let (profile, version) = (text("profile"), text("version"));
        format!("the {cells} cells {short} of profile {profile}, version {version}")
    };
    if let Ok(bytes) = std::fs::read(&path) {
        let found: Value = serde_json::from_slice(&bytes).unwrap_or_default();
        if found != mark {
            let found = format!("{}; choose another --store for this plan", says(&found));
            return Err(PlanError::refused(&folder, says(&mark), found));
        }
        return Ok(());
    }
    FolderKind::Study.ensure(&folder).map_err(|e| PlanError::Record(e.into()))?;
    create_folder(&folder)?;
    let mut text = serde_json::to_vec(&mark).expect("a mark is plain data");
    text.push(b'\n');
    write_atomic(&path, &text)?;
    Ok(())
}

impl Plan {
    /// Forgets how often its cells failed, so that those set aside are tried again.
    ///
    /// # Errors
    /// The store holds cells of another plan or version, or cannot be written.
    pub fn try_again(&self, store: &Path) -> Result<(), PlanError> {
        for part in &self.parts {
            claim(self, part, store)?;
            let path = store.join(&part.study).join("failed");
            match std::fs::remove_dir_all(&path) {
                Err(source) if source.kind() != std::io::ErrorKind::NotFound => {
                    return Err(WriteError { path, source }.into());
                }
                _ => {}
            }
        }
        Ok(())
    }
}

/// Writes record and table of every study of the plan into its folder, as a run on one machine does.
///
/// # Errors
/// A cell is neither finished nor failed; files cannot be written.
pub fn collect(
    kinds: &[Kind],
    plan: &Plan,
    store: &Path,
) -> Result<Vec<(String, Finished)>, PlanError> {
    let mut all = Vec::new();
    for part in &plan.parts {
        claim(plan, part, store)?;
        let Some(study) = plan.study(kinds, part, store)? else {
            let decider = part.after.as_deref().unwrap_or_default();
            let found = format!("none: `picloom run` gets to study {} after it", part.study);
            let path = store.join(decider).join(STUDY);
            return Err(PlanError::refused(&path, "a record", found));
        };
        all.push((part.study.clone(), study.finish(store)?));
        // Of workers that were killed while they wrote.
        remove_leftovers(&store.join(&part.study), &|_| false);
    }
    remove_leftovers(&store.join(INPUTS), &|_| false);
    Ok(all)
}
