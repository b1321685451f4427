//! A study that is made of others: its parts, one after the other.

use super::output::Output;
use super::progress::duration;
use super::study::{BatchProgress, Said, StudyArgs, collect_one, preview_one, run_one, status_one};
use crate::experiment::kinds::{Kind, decided_by, read_study, read_undecided};
use crate::experiment::whole::WholeSpec;
use crate::network::lock::FolderLock;
use crate::run::folder::FolderKind;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::path::Path;

/// The parts of a study, each with the study's profile and run store; all of them can be read.
fn parts(spec: &WholeSpec, args: &StudyArgs, kinds: &[Kind]) -> anyhow::Result<Vec<StudyArgs>> {
    let (mut parts, mut names) = (Vec::new(), BTreeSet::new());
    for path in spec.part_paths(&args.spec) {
        let part = StudyArgs::new(path, args.profile.clone(), args.runs.clone());
        let (file, profile) = (part.file()?, args.profile.as_deref());
        let study = match decided_by(file, profile)? {
            Some(_) => read_undecided(file, profile)?,
            None => read_study(kinds, file, profile, &args.runs)?,
        };
        if !names.insert(study.name().to_string()) {
            let (spec, name) = (args.spec.display(), study.name());
            anyhow::bail!("{spec}: parts: expected each study once, found {name} again");
        }
        parts.push(part);
    }
    Ok(parts)
}

pub fn status(args: &StudyArgs, kinds: &[Kind]) -> anyhow::Result<Said> {
    let (study, rows, text) = each(args, kinds, status_one)?;
    Ok((json!({ "study": study, "parts": rows }), text))
}

/// The study's name and what is said of each part; one that needs another's record cannot be counted
/// before that is there.
fn each(
    args: &StudyArgs,
    kinds: &[Kind],
    ask: impl Fn(&StudyArgs, &[Kind]) -> anyhow::Result<Said>,
) -> anyhow::Result<(String, Vec<Value>, String)> {
    let spec = WholeSpec::of(args.file()?)?;
    let (mut rows, mut text) = (Vec::new(), String::new());
    for part in parts(&spec, args, kinds)? {
        match ask(&part, kinds) {
            Ok((json, said)) => {
                text += &format!("{}\n", said.trim_end());
                rows.push(json);
            }
            Err(error) => {
                text += &format!("{}: not yet: {error}\n", part.spec.display());
                rows.push(json!({ "spec": part.spec, "problem": error.to_string() }));
            }
        }
    }
    Ok((spec.name, rows, text))
}

/// Writes the table and `study.json` of every part, with the pictures beside them, into `FOLDER/PART`.
pub fn collect(
    args: &StudyArgs,
    kinds: &[Kind],
    folder: &Path,
    so_far: bool,
) -> anyhow::Result<Said> {
    let spec = WholeSpec::of(args.file()?)?;
    FolderKind::WholeStudy.ensure(folder)?;
    let (mut rows, mut text) = (Vec::new(), String::new());
    for part in parts(&spec, args, kinds)? {
        let name = part.spec.file_stem().unwrap_or_default();
        let to = folder.join(name);
        let (json, said) = collect_one(&part, kinds, &to, so_far)?;
        text += &format!("{said}\n");
        rows.push(json);
    }
    Ok((json!({ "study": spec.name, "parts": rows }), text))
}

/// What running the study would do, part by part.
pub fn preview(args: &StudyArgs, kinds: &[Kind]) -> anyhow::Result<Said> {
    let (study, rows, text) = each(args, kinds, preview_one)?;
    let seconds: f64 = rows.iter().filter_map(|row| row["seconds"].as_f64()).sum();
    let is_least = rows.iter().any(|row| row.get("problem").is_some());
    let about = format!("{}about {}", if is_least { "at least " } else { "" }, duration(seconds));
    let text = format!("{text}in all {about}");
    Ok((json!({ "study": study, "parts": rows, "seconds": seconds }), text))
}

/// Seconds of one core that the cells take which are not finished; 0 where that cannot be said yet,
/// of a part that needs another's record.
fn core_seconds(part: &StudyArgs, kinds: &[Kind]) -> f64 {
    preview_one(part, kinds).map_or(0.0, |(json, _)| json["core_seconds"].as_f64().unwrap_or(0.0))
}

/// Runs the parts that are not finished; with the name of the study, what each of them says.
pub fn run(args: &StudyArgs, kinds: &[Kind], out: &Output) -> anyhow::Result<Said> {
    let spec = WholeSpec::of(args.file()?)?;
    FolderKind::WholeStudy.ensure(&args.runs)?;
    let _lock = FolderLock::take(&args.runs)?;
    let (mut rows, mut text) = (Vec::new(), String::new());
    let mut failed = 0;
    let parts = parts(&spec, args, kinds)?;
    FolderKind::WholeStudy.mark(&args.runs)?;
    let costs: Vec<f64> = parts.iter().map(|part| core_seconds(part, kinds)).collect();
    let total = costs.iter().sum();
    for (k, part) in parts.iter().enumerate() {
        let ahead = costs[k + 1..].iter().sum();
        out.note(&format!("part {} of {}: {}", k + 1, parts.len(), part.spec.display()));
        let (json, said) = run_one(part, kinds, Some(&BatchProgress { total, ahead }), out)?;
        failed += json["failed"].as_u64().unwrap_or(0);
        text += &format!("{}\n\n", said.trim_end());
        rows.push(json);
    }
    Ok((json!({ "study": spec.name, "parts": rows, "failed": failed }), text))
}
