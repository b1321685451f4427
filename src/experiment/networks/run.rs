//! Works through a networks study and keeps its record.

use super::chain::run_chain;
use super::plan::{Chain, NetworksPlan};
use super::record::{NetworkRow, NetworksRecord};
use super::views::LARGEST;
use crate::experiment::workers::{Cell, Outcome, StudyObserver, WorkError, work_through};
use crate::network::files::{WriteError, create_folder, write_atomic};
use crate::score::Judge;
use std::path::{Path, PathBuf};

/// Why a networks study has no record.
#[derive(Debug, thiserror::Error)]
pub enum NetworksError {
    /// A file cannot be written.
    #[error(transparent)]
    Write(#[from] WriteError),
    /// The chains cannot be worked through.
    #[error(transparent)]
    Work(#[from] WorkError),
    /// A finished chain's file is damaged.
    #[error("{path}: expected the rows of a finished chain, found: {problem}")]
    CellFile {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        problem: String,
    },
    /// Some chains are not finished.
    #[error(
        "study {study}, profile {profile}: expected {total} finished chains in {folder}, found {done}; go on with `picloom experiment run`"
    )]
    Unfinished {
        /// Name of the study.
        study: String,
        /// The profile.
        profile: String,
        /// Folder of its runs.
        folder: PathBuf,
        /// Chains.
        total: usize,
        /// Chains finished.
        done: usize,
    },
}

/// The folder of a study's runs.
pub fn study_folder(plan: &NetworksPlan, runs: &Path) -> PathBuf {
    runs.join(&plan.spec.name)
}

fn cell_path(folder: &Path, chain: &Chain, judge: &str) -> PathBuf {
    folder.join("cells").join(format!("{}.json", chain.id(judge)))
}

/// Chains of `plan` with a finished file under `runs`.
pub fn finished(plan: &NetworksPlan, runs: &Path, judge: &str) -> usize {
    let folder = study_folder(plan, runs);
    let chains = plan.chains.iter();
    chains.filter(|chain| cell_path(&folder, chain, judge).exists()).count()
}

/// Runs every chain of `plan` that is not finished under `runs`; `None` if the observer stopped it.
/// A chain with a failed arm is finished; its rows say what failed.
///
/// Writes `RUNS/STUDY/record.json` and `RUNS/STUDY/rows.csv` at the end.
///
/// # Errors
/// Files cannot be written, threads not started.
pub fn run_networks(
    plan: &NetworksPlan,
    runs: &Path,
    judge: &dyn Judge,
    observer: &mut dyn StudyObserver,
) -> Result<Option<NetworksRecord>, NetworksError> {
    let folder = study_folder(plan, runs);
    create_folder(&folder.join("cells"))?;
    let name = judge.name();
    let is_done = |chain: &&Chain| cell_path(&folder, chain, &name).exists();
    let (found, waiting): (Vec<&Chain>, Vec<&Chain>) = plan.chains.iter().partition(is_done);
    let work = |chain: &Chain, ask: &mut crate::experiment::workers::Ask<'_, '_>| {
        let Some(rows) = run_chain(chain, &folder, judge, ask) else {
            return Ok(Outcome::Interrupted);
        };
        let failed = rows.iter().find_map(|row| row.error.clone());
        let json = serde_json::to_vec(&rows).expect("rows are plain data");
        write_atomic(&cell_path(&folder, chain, &name), &json)?;
        Ok(match failed {
            None => Outcome::Done,
            Some(error) => Outcome::Failed(format!("{}: {error}", chain.label())),
        })
    };
    if !work_through(&found, &waiting, work, observer)? {
        return Ok(None);
    }
    write_targets(plan, &folder)?;
    let record = collect(plan, runs, &name)?;
    write_atomic(&folder.join("record.json"), record.to_json().as_bytes())?;
    write_atomic(&folder.join("rows.csv"), record.to_csv().as_bytes())?;
    Ok(Some(record))
}

/// Writes `views/TARGET-target.png` of every target of which pictures are shown into `folder`.
///
/// # Errors
/// The folder cannot be written.
pub fn write_targets(plan: &NetworksPlan, folder: &Path) -> Result<(), WriteError> {
    let shown = plan.chains.iter().filter(|c| !c.key.show.is_empty());
    for chain in shown {
        let picture = &chain.source.target.picture;
        let picture = picture.resized(picture.width.min(LARGEST));
        let png = picture.to_png(&[("command", "picloom experiment run")]);
        let name = format!("{}-target.png", chain.key.target.name);
        create_folder(&folder.join("views"))?;
        write_atomic(&folder.join("views").join(name), &png)?;
    }
    Ok(())
}

/// The record of a study whose chains are all finished.
///
/// # Errors
/// Some are not, or a file is damaged.
pub fn collect(
    plan: &NetworksPlan,
    runs: &Path,
    judge: &str,
) -> Result<NetworksRecord, NetworksError> {
    let folder = study_folder(plan, runs);
    let mut record = NetworksRecord::empty(&plan.spec, &plan.profile, judge.to_string());
    record.left_out.clone_from(&plan.left_out);
    record.predicted = plan.predicted;
    record.png_ratio.clone_from(&plan.png_ratio);
    let done = finished(plan, runs, judge);
    if done < plan.chains.len() {
        return Err(NetworksError::Unfinished {
            study: plan.spec.name.clone(),
            profile: plan.profile.clone(),
            folder,
            total: plan.chains.len(),
            done,
        });
    }
    for chain in &plan.chains {
        let path = cell_path(&folder, chain, judge);
        let fail = |problem: String| NetworksError::CellFile { path: path.clone(), problem };
        let text = std::fs::read_to_string(&path).map_err(|e| fail(e.to_string()))?;
        let rows: Vec<NetworkRow> = serde_json::from_str(&text).map_err(|e| fail(e.to_string()))?;
        record.rows.extend(rows);
    }
    Ok(record)
}
