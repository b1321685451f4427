//! `picloom experiment figures`: the figures of a spec from its table of results, and a report of the study.

use super::decide::ResultsArgs;
use super::study::Said;
use crate::experiment::analysis::Analysis;
use crate::experiment::contrast::{Tables, decide};
use crate::experiment::record::{Head, ROWS, STUDY};
use crate::experiment::spec::{SpecFile, Title};
use crate::figures::Provenance;
use crate::figures::compare::judged_by;
use crate::figures::plot::{Drawing, Format, draw_of_study, of_spec, save_drawing};
use crate::figures::study_report::Report;
use crate::math::names::did_you_mean;
use crate::math::refusal::Refusal;
use crate::math::text::{portable, word};
use crate::network::files::write_atomic;
use clap::Args;
use serde_json::{Value, json};
use std::path::PathBuf;

#[derive(Args)]
pub struct FiguresArgs {
    #[command(flatten)]
    results: ResultsArgs,
    /// Figures to draw [default: all]
    #[arg(long, value_name = "NAME")]
    figure: Vec<String>,
    /// Folder to write to [default: beside the table]
    #[arg(long, value_name = "FOLDER")]
    out: Option<PathBuf>,
    /// svg, png or pdf; may be given several times [default: what each figure says, else svg]
    #[arg(long, value_name = "FORM")]
    format: Vec<String>,
    /// Resolution of a PNG in dots an inch
    #[arg(long, default_value_t = 300.0)]
    dpi: f64,
    /// Also write a report with every contrast and figure into one page
    #[arg(long, value_name = "FILE.html")]
    report: Option<PathBuf>,
}

/// Draws every figure of the spec.
pub(super) fn run(args: &FiguresArgs) -> anyhow::Result<Said> {
    let spec = args.results.spec.display();
    let file = SpecFile::read(&args.results.spec)?;
    let analysis = file.analysis()?;
    let mut figures = of_spec(&analysis).map_err(|refusal| refusal.within(&spec))?;
    if figures.is_empty() && args.report.is_none() {
        let advice = "docs/PLOTS.md shows how to write one";
        return Err(Refusal::new(spec, "[[figures]]", "none").advising(advice).into());
    }
    let names: Vec<String> = figures.iter().map(|figure| figure.name.clone()).collect();
    if let Some(name) = args.figure.iter().find(|name| !names.contains(name)) {
        let found = format!("{name:?}{}", did_you_mean(name, names.iter().map(String::as_str)));
        return Err(Refusal::new("--figure", format!("one of {}", names.join(", ")), found).into());
    }
    if !args.figure.is_empty() {
        figures.retain(|figure| args.figure.contains(&figure.name));
    }
    let mut tables = args.results.tables();
    tables.of(&analysis.study).map_err(|refusal| refusal.within(&spec))?;
    let beside = tables.folder(&analysis.study).unwrap_or_default();
    let out = args.out.clone().unwrap_or_else(|| beside.clone());
    let (mut drawings, mut json, mut text) = (Vec::new(), Vec::new(), String::new());
    let mut problems: Vec<Refusal> = Vec::new();
    for figure in &figures {
        let drawing = match draw_of_study(figure, &analysis, &tables) {
            Ok(drawing) => drawing,
            Err(refusal) => {
                text += &format!("not drawn: {refusal}\n");
                problems.push(refusal);
                continue;
            }
        };
        let forms = if args.format.is_empty() { &figure.formats } else { &args.format };
        let plain = ["svg".to_string()];
        for form in if forms.is_empty() { &plain[..] } else { forms } {
            let path = out.join(format!("{}.{form}", figure.name));
            Format::of(&path)?;
            let facts = Provenance::none()
                .with(
                    "command",
                    format!("picloom experiment figures {}", word(portable(&args.results.spec))),
                )
                .with("rows", portable(&beside.join(ROWS)));
            save_drawing(&drawing, &path, args.dpi, &facts)?;
            text += &format!("{}\n", path.display());
            json.push(json!({ "path": path.to_string_lossy(), "figure": drawing }));
        }
        drawings.push(drawing);
    }
    if let (true, Some(problem)) = (drawings.is_empty(), problems.first()) {
        return Err(problem.clone().within(&spec).into());
    }
    let problems: Vec<String> = problems.iter().map(ToString::to_string).collect();
    let mut report = Value::Null;
    if let Some(path) = &args.report {
        write_atomic(
            path,
            page(args, &file.title(), &analysis, &mut tables, &drawings)?.as_bytes(),
        )?;
        text += &format!("{}\n", path.display());
        report = json!(path.to_string_lossy());
    }
    Ok((
        json!({
            "study": analysis.study, "figures": json, "not_drawn": problems, "report": report,
        }),
        text,
    ))
}

/// The report.
fn page(
    args: &FiguresArgs,
    title: &Title,
    analysis: &Analysis,
    tables: &mut Tables,
    figures: &[Drawing],
) -> anyhow::Result<String> {
    let decisions = decide(&analysis.study, &analysis.contrasts, tables)?;
    let folder = tables.folder(&analysis.study).unwrap_or_default();
    let mut facts = Vec::new();
    if let Ok(head) = Head::read(&folder.join(STUDY)) {
        for name in ["profile", "size", "steps", "judge"] {
            if let Some(value) = head.fields.get(name) {
                let value = value.as_str().map_or_else(|| value.to_string(), str::to_string);
                let value = if name == "judge" { judged_by(&value) } else { value };
                facts.push((name.to_string(), value));
            }
        }
        facts.push(("rows".into(), head.rows.to_string()));
    }
    let spec = word(portable(&args.results.spec));
    let command = format!(
        "picloom experiment run {spec}\npicloom experiment figures {spec} --report report.html"
    );
    let report = Report {
        study: &analysis.study,
        question: &title.question,
        facts,
        decisions: &decisions,
        figures,
        command: &command,
    };
    Ok(report.render())
}
