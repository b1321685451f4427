//! `picloom experiment run` on the whole study: its parts, then figures, claims and the report.

use super::claims;
use super::experiment::{Said, StudyArgs, run_one};
use super::figures;
use super::output::Output;
use crate::experiment::claims::StudySpec;
use serde_json::json;
use std::path::Path;

pub fn run(args: &StudyArgs, out: &Output) -> anyhow::Result<Said> {
    let spec = StudySpec::read(&args.spec)?;
    let folder = args.spec.parent().unwrap_or(Path::new(""));
    let (mut parts, mut text) = (Vec::new(), String::new());
    let mut failed = 0;
    for (k, part) in spec.parts.iter().enumerate() {
        eprintln!("part {} of {}: {}", k + 1, spec.parts.len(), part.display());
        let of_part = StudyArgs {
            spec: folder.join(part),
            profile: args.profile.clone(),
            runs: args.runs.clone(),
        };
        let (json, said) = run_one(&of_part, out)?;
        failed += json["failed"].as_u64().unwrap_or(0);
        text += &format!("{}\n\n", said.trim_end());
        parts.push(json);
    }
    let (ledger, said) = claims::write(&spec, &args.runs)?;
    let drawn = figures::draw_all(&args.runs)?;
    text += &said;
    let report = args.runs.join("report.html");
    text += &format!("{} figures, {}", drawn.len(), report.display());
    let json = json!({
        "study": spec.name, "parts": parts, "failed": failed,
        "figures": drawn, "report": report, "claims": ledger.claims,
    });
    Ok((json, text))
}
