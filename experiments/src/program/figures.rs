//! `picloom-experiments figures` and `report`: figures and their page from records, never from runs.

use crate::figures::report::study_report;
use crate::figures::{DrawError, FIGURES, Figure, Sources, figure};
use clap::Args;
use picloom::base::files::write_atomic;
use picloom::base::names::unknown_name;
use picloom::base::text::{portable, word};
use picloom::cli::{Output, Usage};
use picloom::figures::{Provenance, save_small};
use serde_json::json;
use std::path::{Path, PathBuf};

/// Which figures are drawn.
#[derive(Args)]
pub(super) struct FiguresArgs {
    /// Names of figures (default: all)
    names: Vec<String>,
    /// Folder of the records, FOLDER/STUDY/rows.csv.gz; the figures are written beside them
    #[arg(long, default_value = "figures", value_name = "FOLDER")]
    records: PathBuf,
    /// Charts also as PNG (sheets of pictures are PNG alone)
    #[arg(long)]
    png: bool,
    /// Only list what can be drawn
    #[arg(long)]
    list: bool,
}

/// Where the report is written.
#[derive(Args)]
pub(super) struct ReportArgs {
    /// Folder of the records, FOLDER/STUDY/rows.csv.gz
    #[arg(long, default_value = "figures", value_name = "FOLDER")]
    records: PathBuf,
    /// The page
    #[arg(long, value_name = "OUT.html", default_value = "report.html")]
    out: PathBuf,
}

/// Writes every figure into one page.
pub(super) fn report(args: &ReportArgs, out: &Output) -> anyhow::Result<()> {
    let command = format!(
        "picloom-experiments report --records {} --out {}",
        word(portable(&args.records)),
        word(portable(&args.out))
    );
    write_atomic(&args.out, study_report(&args.records, &command).as_bytes())?;
    out.result(
        &json!({ "written": [args.out.to_string_lossy()] }),
        &format!("wrote {}", args.out.display()),
    )
}

/// Draws figures.
pub(super) fn run(args: FiguresArgs, out: &Output) -> anyhow::Result<()> {
    let mut chosen: Vec<&Figure> = FIGURES.iter().collect();
    if !args.names.is_empty() {
        chosen.clear();
        for name in &args.names {
            chosen.push(figure(name).ok_or_else(|| {
                let names = FIGURES.iter().map(|f| f.name);
                Usage(unknown_name("figure", names, name).to_string())
            })?);
        }
    }
    let sources = Sources::new(&args.records);
    let (mut rows, mut text, mut missing) = (Vec::new(), String::new(), Vec::new());
    for f in chosen {
        let drawn = (f.draw)(&sources);
        let path = args.records.join(f.path());
        let facts = format!("(paper's figure {}): {}", f.paper, f.shows);
        let problem = match drawn {
            Ok(drawing) => {
                if !args.list {
                    save_small(&drawing.svg, &path, &provenance(f, &sources), args.png)?;
                }
                text += &format!("{}  {facts}\n", path.display());
                None
            }
            Err(error) => {
                missing.push(format!("{}  {facts}\n    {error}\n", f.name));
                Some(error.to_string())
            }
        };
        rows.push(json!({
            "name": f.name,
            "paper": f.paper,
            "claims": f.claims,
            "shows": f.shows,
            "records": f.records(),
            "files": path.to_string_lossy(),
            "problem": problem,
        }));
    }
    let count = missing.len();
    if count > 0 {
        text += &format!("not drawn, {count} of {}:\n", rows.len());
        text += &missing.concat();
    }
    out.result(&rows, &text)?;
    // Who names figures wants all of them; who names none wants what there is.
    let wanted = !args.names.is_empty() || count == rows.len();
    if count > 0 && wanted && !args.list {
        anyhow::bail!("{count} of {} figures not drawn", rows.len())
    } else {
        Ok(())
    }
}

fn provenance(figure: &Figure, sources: &Sources) -> Provenance {
    Provenance::none()
        .with("command", format!("picloom-experiments figures {}", figure.name))
        .with("record", figure.records().join(", "))
        .with("profile", sources.profile(figure))
}

/// Draws every figure whose records lie under `records`, and `report.html`, which says that `command`
/// wrote it; returns the paths of the figures, without extension.
pub(super) fn draw_all(records: &Path, command: &str) -> anyhow::Result<Vec<PathBuf>> {
    let sources = Sources::new(records);
    let mut paths = Vec::new();
    for figure in FIGURES.iter() {
        match (figure.draw)(&sources) {
            Ok(drawing) => {
                let path = records.join(figure.path());
                save_small(&drawing.svg, &path, &provenance(figure, &sources), false)?;
                paths.push(path);
            }
            Err(DrawError::Missing { .. } | DrawError::Nothing { .. }) => {}
            Err(error) => return Err(error.into()),
        }
    }
    let report = study_report(records, command);
    write_atomic(&records.join("report.html"), report.as_bytes())?;
    Ok(paths)
}
