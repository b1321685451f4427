//! `picloom experiment` on studies of networks.

use super::experiment::{Said, StudyArgs, Watch};
use super::output::Output;
use crate::experiment::networks::run::{finished, study_folder, write_targets};
use crate::experiment::networks::{NetworksPlan, NetworksRecord, collect, run_networks};
use crate::network::files::{create_folder, write_atomic};
use crate::score::{DlJudge, Judge};
use serde_json::json;
use std::path::Path;

fn plan(args: &StudyArgs) -> anyhow::Result<NetworksPlan> {
    let profile = args.profile.as_deref();
    Ok(NetworksPlan::read(&args.spec, profile, &args.runs)?)
}

/// Runs what is not finished; returns what to say, for programs and for people.
pub fn run(args: &StudyArgs, out: &Output) -> anyhow::Result<Said> {
    let plan = plan(args)?;
    let mut watch = Watch::new(out, plan.chains.len(), "chains");
    let ran = run_networks(&plan, &args.runs, &DlJudge::default(), &mut watch);
    watch.bar.finish_and_clear();
    let folder = study_folder(&plan, &args.runs);
    let Some(record) = ran? else {
        anyhow::bail!(
            "interrupted; the same command goes on from the checkpoints in {}",
            folder.display()
        );
    };
    let failed = record.rows.iter().filter(|r| r.result.is_none()).count();
    let mut text = summary(&record);
    if !record.left_out.is_empty() {
        let names = record.left_out.join(", ");
        text += &format!("left out, PICLOOM_ARCHIVE is not set: {names}\n");
    }
    let path = folder.join("record.json");
    text += &format!("record: {}", path.display());
    let json = json!({
        "study": record.study, "profile": record.profile, "networks": record.rows.len(),
        "failed": failed, "left_out": record.left_out, "record": path,
    });
    Ok((json, text))
}

/// Mean scores over seeds, fit networks only.
fn summary(record: &NetworksRecord) -> String {
    let mut groups: Vec<(String, Vec<f64>, usize, usize, f64)> = Vec::new();
    for row in &record.rows {
        let level = match row.level {
            0 => String::new(),
            level => format!("-{level}"),
        };
        let name = format!(
            "{:<16} {:<14} {:>2} {:<22}",
            row.target,
            row.variant,
            row.layers,
            format!("{}{level}", row.arm)
        );
        let at = groups.iter().position(|g| g.0 == name).unwrap_or_else(|| {
            groups.push((name, Vec::new(), 0, 0, 0.0));
            groups.len() - 1
        });
        let group = &mut groups[at];
        group.2 += 1;
        if let Some(result) = &row.result {
            group.4 += result.r2;
            group.3 += result.alive;
            if result.fit {
                group.1.extend(result.score());
            }
        }
    }
    let mut text = format!(
        "{:<16} {:<14} {:>2} {:<22} {:>6} {:>7} {:>8} {:>6}\n",
        "target", "training", "L", "network", "score", "fit", "alive", "R²"
    );
    for (name, scores, all, alive, r2) in groups {
        let score = crate::math::stats::mean(&scores).map_or("-".into(), |s| format!("{s:.2}"));
        let fit = format!("{}/{all}", scores.len());
        let (alive, r2) = (alive as f64 / all as f64, r2 / all as f64);
        text += &format!("{name} {score:>6} {fit:>7} {alive:>8.0} {r2:>6.3}\n");
    }
    text
}

pub fn status(args: &StudyArgs) -> anyhow::Result<Said> {
    let plan = plan(args)?;
    let done = finished(&plan, &args.runs, &DlJudge::default().name());
    let total = plan.chains.len();
    let text = format!("{} ({}): {done} of {total} chains finished", plan.spec.name, plan.profile);
    let json = json!({
        "study": plan.spec.name, "profile": plan.profile, "total": total, "done": done,
        "left_out": plan.left_out,
    });
    Ok((json, text))
}

pub fn collected(args: &StudyArgs, csv: &Path, record_path: Option<&Path>) -> anyhow::Result<Said> {
    let plan = plan(args)?;
    let record = collect(&plan, &args.runs, &DlJudge::default().name())?;
    write_atomic(csv, record.to_csv().as_bytes())?;
    let mut text = format!("{} networks: {}", record.rows.len(), csv.display());
    if let Some(path) = record_path {
        let to = path.parent().unwrap_or(Path::new("."));
        copy_views(&record, &study_folder(&plan, &args.runs), to)?;
        write_targets(&plan, to)?;
        write_atomic(path, record.to_json().as_bytes())?;
        text += &format!("\nrecord: {}", path.display());
    }
    let json = json!({ "networks": record.rows.len(), "csv": csv, "record": record_path });
    Ok((json, text))
}

/// Copies the pictures a record names from folder to folder.
fn copy_views(record: &NetworksRecord, from: &Path, to: &Path) -> anyhow::Result<()> {
    create_folder(&to.join("views"))?;
    for row in &record.rows {
        let views = row.result.as_ref().and_then(|r| r.views.as_ref());
        let files = views
            .into_iter()
            .flat_map(|v| [Some(&v.sweep), v.maps.as_ref().map(|m| &m.file)].into_iter().flatten());
        for file in files {
            let path = from.join(file);
            let bytes = std::fs::read(&path)
                .map_err(|e| anyhow::anyhow!("{}: cannot read: {e}", path.display()))?;
            write_atomic(&to.join(file), &bytes)?;
        }
    }
    Ok(())
}
