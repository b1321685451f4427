//! How far a plan is, told by names of files: none of the results is read.

use super::{Part, Plan, PlanError};
use crate::experiment::cells::{TRIES, lease_folder, names};
use crate::experiment::kinds::{Kind, Line};
use crate::experiment::lease::Holder;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::io::{BufRead, BufReader};
use std::path::Path;

/// How far a plan is.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct PlanStatus {
    /// Cells; of a part that another's record decided those it has since.
    pub cells: usize,
    /// Finished.
    pub done: usize,
    /// Worked on.
    pub running: Vec<Running>,
    /// Failed, with the reasons.
    pub failed: Vec<Failed>,
    /// Neither begun, nor failed: to be worked on.
    pub waiting: usize,
    /// About how long what is not finished takes, in seconds of one core.
    pub core_seconds_left: f64,
    /// The same in seconds of time, with as many cells at a time as are worked on now.
    pub seconds_left: Option<f64>,
}

/// A cell that a worker has.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Running {
    /// The study.
    pub study: String,
    /// The cell in a few words.
    pub cell: String,
    /// The machine.
    pub host: String,
    /// Number of the process there.
    pub process: u32,
    /// True if it is certainly dead; another worker takes over.
    pub is_dead: bool,
}

/// A cell that failed.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Failed {
    /// The study.
    pub study: String,
    /// The cell in a few words.
    pub cell: String,
    /// Its id.
    pub id: String,
    /// Why.
    pub error: String,
    /// Times it was tried.
    pub tries: u32,
    /// True if it is not tried again.
    pub is_set_aside: bool,
}

/// What is read of a plan's line.
#[derive(Deserialize)]
struct Cell {
    study: String,
    cell: Option<String>,
    label: String,
    core_seconds: f64,
}

#[derive(Deserialize)]
struct Failure {
    error: String,
    #[serde(default)]
    tries: u32,
}

/// The names in a part's folder.
struct Names<'a> {
    part: &'a Part,
    cells: BTreeSet<String>,
    failed: BTreeSet<String>,
    leased: BTreeSet<String>,
    /// Its cells, where the plan could not say them and another's record has decided them since.
    decided: Option<Vec<Cell>>,
}

/// How far the plan at `path`, whose studies are of these kinds, is in `store`. Nothing is written there.
///
/// # Errors
/// The plan cannot be read.
pub fn status(
    kinds: &[Kind],
    plan: &Plan,
    path: &Path,
    store: &Path,
) -> Result<PlanStatus, PlanError> {
    let refused = |found: String| PlanError::refused(path, "the lines of a plan", found);
    let mut all = Vec::new();
    for part in &plan.parts {
        let at = |name: &str| names(&store.join(&part.study).join(name));
        let [cells, failed, leased] = ["cells", "failed", "leases"].map(at);
        let mut decided = None;
        if part.after.is_some()
            && let Some(study) = plan.study(kinds, part, store)?
        {
            let cells: &mut Vec<Cell> = decided.insert(Vec::new());
            study.lines(&mut |line| {
                let Line { study, cell, label, core_seconds, .. } = line;
                cells.push(Cell { study, cell, label, core_seconds });
            });
        }
        all.push(Names { part, cells, failed, leased, decided });
    }
    let file = std::fs::File::open(path).map_err(|e| refused(e.to_string()))?;
    let (mut status, mut read) = (PlanStatus::default(), 0);
    for line in BufReader::new(file).lines().skip(1) {
        let line = line.map_err(|e| refused(e.to_string()))?;
        let cell: Cell = serde_json::from_str(&line).map_err(|e| refused(e.to_string()))?;
        let Some(names) = all.iter().find(|names| names.part.study == cell.study) else {
            return Err(refused(format!("a cell of study {}, which is no part", cell.study)));
        };
        read += 1;
        if names.decided.is_none() {
            status.count(names, cell, store);
        }
    }
    if read != plan.cells {
        return Err(refused(format!("{read} of {} cells: it is cut off", plan.cells)));
    }
    for names in &mut all {
        for cell in names.decided.take().into_iter().flatten() {
            status.count(names, cell, store);
        }
    }
    let living = status.running.iter().filter(|cell| !cell.is_dead).count();
    status.seconds_left = (living > 0).then(|| status.core_seconds_left / living as f64);
    Ok(status)
}

impl PlanStatus {
    fn count(&mut self, names: &Names<'_>, cell: Cell, store: &Path) {
        self.cells += 1;
        let folder = store.join(&cell.study);
        let Some(id) = cell.cell else {
            self.waiting += 1;
            self.core_seconds_left += cell.core_seconds;
            return;
        };
        let failed = names.failed.contains(&format!("{id}.json"));
        // A training's result is in its run folder.
        let left = names.cells.contains(&format!("{id}.json"))
            || folder.join(&id).join("result.json").exists();
        if left && !failed {
            self.done += 1;
            return;
        }
        self.core_seconds_left += cell.core_seconds;
        let lease = names.leased.contains(&id).then(|| lease_folder(&folder, &id));
        if let Some(holder) = lease.and_then(|lease| Holder::of(&lease)) {
            self.running.push(Running {
                study: cell.study,
                cell: cell.label,
                is_dead: holder.is_gone(),
                host: holder.host,
                process: holder.process,
            });
        } else if failed {
            let path = folder.join("failed").join(format!("{id}.json"));
            let failure = std::fs::read(path).ok().and_then(|b| serde_json::from_slice(&b).ok());
            let Failure { error, tries } =
                failure.unwrap_or(Failure { error: "its file cannot be read".into(), tries: 0 });
            let is_set_aside = tries >= TRIES;
            self.failed.push(Failed {
                study: cell.study,
                cell: cell.label,
                id,
                error,
                tries,
                is_set_aside,
            });
        } else {
            self.waiting += 1;
        }
    }
}
