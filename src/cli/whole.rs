//! A study, or one that is made of others: its parts, one after the other.

use super::output::Output;
use super::progress::duration;
use super::study::{
    BatchProgress, Said, StudyArgs, WorkerArgs, collect_one, preview_one, run_one, status_one,
};
use crate::base::folder::FolderKind;
use crate::study::kinds::Kind;
use crate::study::shard::Shard;
use crate::study::whole::{self, WholeSpec};
use serde_json::json;
use std::path::Path;

/// The parts of a study, each with the study's profile and run store, and what a worker with this shard takes of it; all of
/// them can be read.
fn parts(
    args: &StudyArgs,
    kinds: &[Kind],
    shard: Shard,
) -> anyhow::Result<Vec<(StudyArgs, Shard)>> {
    let parts = whole::parts(kinds, &args.spec, args.profile.as_deref(), &args.store)?;
    let of = |part: whole::Part| (part.shard(shard), part.file);
    Ok(parts.into_iter().map(of).map(|(shard, file)| (args.part(file), shard)).collect())
}

/// Asks about a study, or about each part of one that is made of others. A part that needs another's record is not counted
/// before that is there.
fn each(
    args: &StudyArgs,
    kinds: &[Kind],
    ask: impl Fn(&StudyArgs, &[Kind]) -> anyhow::Result<Said>,
) -> anyhow::Result<Said> {
    if !args.is_whole()? {
        return ask(args, kinds);
    }
    let spec = WholeSpec::of(args.file()?)?;
    let (mut rows, mut text) = (Vec::new(), String::new());
    for (part, _) in parts(args, kinds, Shard::ALL)? {
        match ask(&part, kinds) {
            Ok((json, said)) => {
                text += &format!("{}\n", said.trim_end());
                rows.push(json);
            }
            Err(error) => {
                text += &format!("{}: not yet: {error}\n", part.spec.display());
                rows.push(
                    json!({ "spec": part.spec.to_string_lossy(), "problem": error.to_string() }),
                );
            }
        }
    }
    Ok((json!({ "study": spec.name, "parts": rows }), text))
}

pub(super) fn status(args: &StudyArgs, kinds: &[Kind]) -> anyhow::Result<Said> {
    each(args, kinds, status_one)
}

/// Writes the table and `study.json` of a study, with the pictures beside them; of every part into `FOLDER/PART`, or into
/// the parts' folders of the store. A part that needs another's record is left out before that is there.
pub(super) fn collect(
    args: &StudyArgs,
    kinds: &[Kind],
    folder: Option<&Path>,
    columns: &[String],
) -> anyhow::Result<Said> {
    let is_whole = args.is_whole()?;
    if let Some(folder) = folder.filter(|_| is_whole) {
        FolderKind::WholeStudy.ensure(folder)?;
    }
    each(args, kinds, |part, kinds| {
        let name = part.spec.file_stem().unwrap_or_default();
        let of_part = |folder: &Path| if is_whole { folder.join(name) } else { folder.into() };
        collect_one(part, kinds, folder.map(of_part).as_deref(), columns)
    })
}

/// Previews a run of the study, part by part.
pub(super) fn preview(args: &StudyArgs, kinds: &[Kind]) -> anyhow::Result<Said> {
    let (mut json, mut text) = each(args, kinds, preview_one)?;
    let Some(parts) = json["parts"].as_array() else { return Ok((json, text)) };
    let seconds: f64 = parts.iter().filter_map(|row| row["seconds"].as_f64()).sum();
    let is_least = parts.iter().any(|row| row.get("problem").is_some());
    let about = format!("{}about {}", if is_least { "at least " } else { "" }, duration(seconds));
    text += &format!("in all {about}");
    json["seconds"] = json!(seconds);
    Ok((json, text))
}

/// Seconds of one core that the cells take which are not finished; 0 where that cannot be said yet,
/// of a part that needs another's record.
fn core_seconds(part: &StudyArgs, kinds: &[Kind]) -> f64 {
    preview_one(part, kinds).map_or(0.0, |(json, _)| json["core_seconds"].as_f64().unwrap_or(0.0))
}

/// Works through a study, or through its parts, one after the other; with the name of the study, what each of them says.
pub(super) fn run(
    args: &StudyArgs,
    kinds: &[Kind],
    worker: WorkerArgs,
    out: &Output,
) -> anyhow::Result<Said> {
    if !args.is_whole()? {
        return run_one(args, kinds, worker, None, out);
    }
    let spec = WholeSpec::of(args.file()?)?;
    FolderKind::WholeStudy.ensure(&args.store)?;
    let (mut rows, mut text) = (Vec::new(), String::new());
    let (mut failed, mut missing) = (0, 0);
    let parts = parts(args, kinds, worker.shard)?;
    FolderKind::WholeStudy.mark(&args.store)?;
    let costs: Vec<f64> = parts.iter().map(|(part, _)| core_seconds(part, kinds)).collect();
    let total = costs.iter().sum();
    for (k, (part, shard)) in parts.iter().enumerate() {
        let ahead = costs[k + 1..].iter().sum();
        out.note(&format!("part {} of {}: {}", k + 1, parts.len(), part.spec.display()));
        let (worker, whole) =
            (WorkerArgs { shard: *shard, ..worker }, BatchProgress { total, ahead });
        let (json, said) = run_one(part, kinds, worker, Some(&whole), out)?;
        failed += json["failed"].as_u64().unwrap_or(0);
        missing += json["missing"].as_u64().unwrap_or(0);
        text += &format!("{}\n\n", said.trim_end());
        rows.push(json);
    }
    let json = json!({
        "study": spec.name, "parts": rows, "failed": failed, "missing": missing,
    });
    Ok((json, text))
}
