//! `picloom figures`: draws figures from committed records, never from runs.

use super::output::Output;
use super::source::Usage;
use crate::experiment::study::StudyRecord;
use crate::figures::studies::{FIGURES, StudyFigure, figure};
use crate::figures::{Provenance, save};
use clap::Args;
use serde_json::json;
use std::path::PathBuf;

#[derive(Args)]
pub struct FiguresArgs {
    /// Names of figures (default: all)
    names: Vec<String>,
    /// Folder of the records, FOLDER/STUDY/record.json; the figures are written beside them
    #[arg(long, default_value = "figures", value_name = "FOLDER")]
    records: PathBuf,
    /// Only list what can be drawn
    #[arg(long)]
    list: bool,
}

pub fn run(args: FiguresArgs, out: &Output) -> anyhow::Result<()> {
    let mut chosen: Vec<&StudyFigure> = FIGURES.iter().collect();
    if !args.names.is_empty() {
        chosen.clear();
        for name in &args.names {
            chosen.push(figure(name).ok_or_else(|| {
                let names: Vec<_> = FIGURES.iter().map(|f| f.name).collect();
                Usage(format!(
                    "figure: expected one of {}, found {name:?}",
                    names.join(", ")
                ))
            })?);
        }
    }
    let (mut rows, mut text) = (Vec::new(), String::new());
    for f in chosen {
        let folder = args.records.join(f.study);
        let record_path = folder.join("record.json");
        if !args.list {
            let record = StudyRecord::read(&record_path)?;
            let facts = Provenance::none()
                .with("command", format!("picloom figures {}", f.name))
                .with("record", format!("{}/record.json", f.study))
                .with("profile", &record.profile);
            save(&(f.draw)(&record), &folder.join(f.name), &facts)?;
        }
        text += &format!(
            "{}  (paper's figure {}): {}\n",
            folder.join(f.name).display(),
            f.paper,
            f.shows
        );
        rows.push(
            json!({ "name": f.name, "paper": f.paper, "shows": f.shows, "record": record_path }),
        );
    }
    out.result(&rows, &text)
}
