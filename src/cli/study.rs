//! `picloom experiment run` on the whole study: its parts, then figures, claims and the report.

use super::claims;
use super::experiment::{Said, StudyArgs, Whole, collect_one, preview_one, run_one, status_one};
use super::figures;
use super::output::Output;
use super::progress::duration;
use crate::experiment::claims::{Records, StudySpec};
use crate::experiment::folder::Holding;
use crate::experiment::kinds::{decided_by, read_study, read_undecided};
use crate::math::text::word;
use crate::network::lock::FolderLock;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::path::Path;

/// The parts of a study, each with the study's profile and run store; all of them can be read.
fn parts(spec: &StudySpec, args: &StudyArgs) -> anyhow::Result<Vec<StudyArgs>> {
    let folder = args.spec.parent().unwrap_or(Path::new(""));
    let (mut parts, mut names) = (Vec::new(), BTreeSet::new());
    for part in &spec.parts {
        let path = folder.join(part);
        let (profile, runs) = (args.profile.as_deref(), &args.runs);
        let study = match decided_by(&path, profile)? {
            Some(_) => read_undecided(&path, profile)?,
            None => read_study(&path, profile, runs)?,
        };
        if !names.insert(study.name().to_string()) {
            let (spec, name) = (args.spec.display(), study.name());
            anyhow::bail!("{spec}: parts: expected each study once, found {name} again");
        }
        parts.push(StudyArgs { spec: path, profile: args.profile.clone(), runs: runs.clone() });
    }
    Ok(parts)
}

pub fn status(args: &StudyArgs) -> anyhow::Result<Said> {
    let (study, rows, text) = each(args, status_one)?;
    Ok((json!({ "study": study, "parts": rows }), text))
}

/// The study's name and what is said of each part; one that needs another's record cannot be counted
/// before that is there.
fn each(
    args: &StudyArgs,
    ask: impl Fn(&StudyArgs) -> anyhow::Result<Said>,
) -> anyhow::Result<(String, Vec<Value>, String)> {
    let spec = StudySpec::read(&args.spec)?;
    let (mut rows, mut text) = (Vec::new(), String::new());
    for part in parts(&spec, args)? {
        match ask(&part) {
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
pub fn collect(args: &StudyArgs, folder: &Path, so_far: bool) -> anyhow::Result<Said> {
    let spec = StudySpec::read(&args.spec)?;
    Holding::WholeStudy.ask(folder)?;
    let (mut rows, mut text) = (Vec::new(), String::new());
    for part in parts(&spec, args)? {
        let name = part.spec.file_stem().unwrap_or_default();
        let to = folder.join(name);
        let (json, said) = collect_one(&part, &to, so_far)?;
        text += &format!("{said}\n");
        rows.push(json);
    }
    Ok((json!({ "study": spec.name, "parts": rows }), text))
}

/// What running the study would do, part by part.
pub fn preview(args: &StudyArgs) -> anyhow::Result<Said> {
    let (study, rows, text) = each(args, preview_one)?;
    let seconds: f64 = rows.iter().filter_map(|row| row["seconds"].as_f64()).sum();
    let is_least = rows.iter().any(|row| row.get("problem").is_some());
    let about = format!("{}about {}", if is_least { "at least " } else { "" }, duration(seconds));
    let text = format!("{text}in all {about}");
    Ok((json!({ "study": study, "parts": rows, "seconds": seconds }), text))
}

/// Seconds of one core that the cells take which are not finished; 0 where that cannot be said yet,
/// of a part that needs another's record.
fn core_seconds(part: &StudyArgs) -> f64 {
    preview_one(part).map_or(0.0, |(json, _)| json["core_seconds"].as_f64().unwrap_or(0.0))
}

fn command_line(args: &StudyArgs) -> String {
    let profile = args.profile.as_ref().map(|name| format!(" --profile {name}"));
    let (spec, profile) = (word(args.spec.display()), profile.unwrap_or_default());
    format!("picloom experiment run {spec}{profile} --runs {}", word(args.runs.display()))
}

pub fn run(args: &StudyArgs, out: &Output) -> anyhow::Result<Said> {
    let spec = StudySpec::read(&args.spec)?;
    Holding::WholeStudy.ask(&args.runs)?;
    let _lock = FolderLock::take(&args.runs)?;
    let (mut rows, mut text) = (Vec::new(), String::new());
    let mut failed = 0;
    let parts = parts(&spec, args)?;
    let costs: Vec<f64> = parts.iter().map(core_seconds).collect();
    let total = costs.iter().sum();
    for (k, part) in parts.iter().enumerate() {
        let ahead = costs[k + 1..].iter().sum();
        out.note(&format!("part {} of {}: {}", k + 1, parts.len(), part.spec.display()));
        let (json, said) = run_one(part, Some(&Whole { total, ahead }), out)?;
        failed += json["failed"].as_u64().unwrap_or(0);
        text += &format!("{}\n\n", said.trim_end());
        rows.push(json);
    }
    let (ledger, said) = claims::write(&spec, &args.runs, &Records::read(&args.runs)?)?;
    let drawn = figures::draw_all(&args.runs, &command_line(args))?;
    text += &said;
    let report = args.runs.join("report.html");
    text += &format!("{} figures, {}", drawn.len(), report.display());
    let json = json!({
        "study": spec.name, "parts": rows, "failed": failed,
        "figures": drawn, "report": report, "claims": ledger.claims,
    });
    Ok((json, text))
}
