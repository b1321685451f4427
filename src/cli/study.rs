//! `picloom experiment run` on the whole study: its parts, then figures, claims and the report.

use super::claims;
use super::experiment::{Said, StudyArgs, collect_one, run_one, status_one};
use super::figures;
use super::output::Output;
use crate::experiment::claims::StudySpec;
use crate::network::files::create_folder;
use crate::network::lock::FolderLock;
use serde_json::json;
use std::path::{Path, PathBuf};

/// The parts of a study, each with the study's profile and run store.
fn parts(spec: &StudySpec, args: &StudyArgs) -> Vec<StudyArgs> {
    let folder = args.spec.parent().unwrap_or(Path::new(""));
    let part = |part: &PathBuf| StudyArgs {
        spec: folder.join(part),
        profile: args.profile.clone(),
        runs: args.runs.clone(),
    };
    spec.parts.iter().map(part).collect()
}

pub fn status(args: &StudyArgs) -> anyhow::Result<Said> {
    let spec = StudySpec::read(&args.spec)?;
    let (mut rows, mut text) = (Vec::new(), String::new());
    for part in parts(&spec, args) {
        // A part that needs another's record cannot be counted before that is there.
        match status_one(&part) {
            Ok((json, said)) => {
                text += &format!("{}\n", said.trim_end());
                rows.push(json);
            }
            Err(error) => {
                text += &format!("{}: not yet: {error:#}\n", part.spec.display());
                rows.push(json!({ "spec": part.spec, "problem": error.to_string() }));
            }
        }
    }
    Ok((json!({ "study": spec.name, "parts": rows }), text))
}

/// Writes `FOLDER/PART/record.json` and `rows.csv` of every part, with the pictures beside them.
pub fn collect(args: &StudyArgs, folder: &Path) -> anyhow::Result<Said> {
    let spec = StudySpec::read(&args.spec)?;
    let (mut rows, mut text) = (Vec::new(), String::new());
    for part in parts(&spec, args) {
        let name = part.spec.file_stem().unwrap_or_default();
        let to = folder.join(name);
        create_folder(&to)?;
        let (json, said) = collect_one(&part, &to.join("rows.csv"), Some(&to.join("record.json")))?;
        text += &format!("{said}\n");
        rows.push(json);
    }
    Ok((json!({ "study": spec.name, "parts": rows }), text))
}

pub fn run(args: &StudyArgs, out: &Output) -> anyhow::Result<Said> {
    let spec = StudySpec::read(&args.spec)?;
    let _lock = FolderLock::take(&args.runs)?;
    let (mut rows, mut text) = (Vec::new(), String::new());
    let mut failed = 0;
    for (k, part) in parts(&spec, args).iter().enumerate() {
        let (number, of) = (k + 1, spec.parts.len());
        eprintln!("part {number} of {of}: {}", part.spec.display());
        let (json, said) = run_one(part, out)?;
        failed += json["failed"].as_u64().unwrap_or(0);
        text += &format!("{}\n\n", said.trim_end());
        rows.push(json);
    }
    let (ledger, said) = claims::write(&spec, &args.runs)?;
    let drawn = figures::draw_all(&args.runs)?;
    text += &said;
    let report = args.runs.join("report.html");
    text += &format!("{} figures, {}", drawn.len(), report.display());
    let json = json!({
        "study": spec.name, "parts": rows, "failed": failed,
        "figures": drawn, "report": report, "claims": ledger.claims,
    });
    Ok((json, text))
}
