//! `picloom experiment figures` and `report`: the figures of a spec from its table of results, and a page of the study.

use super::decide::{ResultsArgs, remarks};
use super::study::Said;
use crate::base::files::{LARGEST_CONFIG, read_text, write_atomic};
use crate::base::names::did_you_mean;
use crate::base::refusal::Refusal;
use crate::base::text::{portable, word};
use crate::figures::methods::{self, Methods, citation};
use crate::figures::of_spec::{draw_of_study, of_spec};
use crate::figures::plot::{Drawing, FigureSpec, Format, save_drawing};
use crate::figures::study_report::{Report, arms_section};
use crate::figures::usual::{arms_of, usual_figures};
use crate::figures::{Provenance, save};
use crate::study::analysis::Analysis;
use crate::study::contrast::{Tables, decide};
use crate::study::record::{Head, MACHINE, ROWS, STUDY};
use crate::study::spec::{SpecFile, Title};
use clap::Args;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

#[derive(Args)]
pub(super) struct FiguresArgs {
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
}

#[derive(Args)]
pub(super) struct ReportArgs {
    #[command(flatten)]
    results: ResultsArgs,
    /// Where to write the page [default: report.html beside the table]
    #[arg(long, value_name = "FILE.html")]
    out: Option<PathBuf>,
}

/// A study whose figures are drawn.
struct Drawn {
    file: SpecFile,
    title: Title,
    analysis: Analysis,
    tables: Tables,
    /// Folder of its table.
    beside: PathBuf,
    /// Each with its drawing, or why there is none.
    figures: Vec<(FigureSpec, Result<Drawing, Refusal>)>,
}

impl Drawn {
    /// Draws the figures of a spec that have these names, or all; the usual ones where it has none.
    fn of(results: &ResultsArgs, named: &[String]) -> anyhow::Result<Self> {
        let spec = results.spec.display();
        let file = SpecFile::read(&results.spec)?;
        let analysis = file.analysis()?;
        let mut figures = of_spec(&analysis).map_err(|refusal| refusal.in_file(&results.spec))?;
        let mut tables = results.tables_of_run(&analysis.study)?;
        let table = tables.of(&analysis.study).map_err(|refusal| refusal.within(&spec))?;
        if figures.is_empty() {
            figures = usual_figures(&table, !analysis.contrasts.is_empty());
        }
        let names: Vec<String> = figures.iter().map(|figure| figure.name.clone()).collect();
        if let Some(name) = named.iter().find(|name| !names.contains(name)) {
            let found = format!("{name:?}{}", did_you_mean(name, names.iter().map(String::as_str)));
            let expected = format!("one of {}", names.join(", "));
            return Err(Refusal::new("--figure", expected, found).into());
        }
        if !named.is_empty() {
            figures.retain(|figure| named.contains(&figure.name));
        }
        let draw = |figure: FigureSpec| {
            let drawing = draw_of_study(&figure, &analysis, &tables);
            (figure, drawing)
        };
        let figures = figures.into_iter().map(draw).collect();
        let beside = tables.folder(&analysis.study).unwrap_or_default();
        Ok(Drawn { title: file.title(), file, analysis, tables, beside, figures })
    }

    /// Why figures were not drawn.
    fn problems(&self) -> Vec<String> {
        self.figures.iter().filter_map(|(_, d)| Some(d.as_ref().err()?.to_string())).collect()
    }

    /// Writes the report to `path`; with a `machine` it says how long the trainings took there.
    fn report(
        &mut self,
        results: &ResultsArgs,
        path: &Path,
        machine: Option<&Value>,
    ) -> anyhow::Result<()> {
        let study = &self.analysis.study;
        let decisions = decide(study, &self.analysis.contrasts, &mut self.tables)?;
        let table =
            self.tables.of(study).map_err(|refusal| refusal.within(results.spec.display()))?;
        let labels = labels(&self.analysis);
        let arms = arms_of(&table, &labels)?;
        let (mut facts, mut how) = (Vec::new(), String::new());
        if let Ok(head) = Head::read(&self.beside.join(STUDY)) {
            let head = &head;
            how = Methods { head, machine, labels: &labels, decisions: &decisions }.text();
            facts = methods::facts(head, &table);
        }
        let spec = word(portable(&results.spec));
        let is_own = |profile: &String| self.title.profiles.contains(profile);
        let profile = facts.iter().find(|(name, value)| name == "profile" && is_own(value));
        let profile = profile.map_or(String::new(), |(_, value)| format!(" --profile {value}"));
        let folder = |option: &str| match &results.results {
            Some(folder) => format!(" --{option} {}", word(portable(folder))),
            None => String::new(),
        };
        let (store, from) = (folder("store"), folder("results"));
        let command = format!(
            "picloom experiment run {spec}{profile}{store}\npicloom experiment report {spec}{from}"
        );
        let missing =
            self.problems().iter().map(|problem| format!("not drawn: {problem}")).collect();
        let drawings: Vec<Drawing> =
            self.figures.iter().filter_map(|(_, drawing)| drawing.clone().ok()).collect();
        let report = Report {
            study,
            question: &self.title.question,
            facts,
            sections: arms.iter().map(arms_section).collect(),
            methods: how,
            citation: citation(),
            remarks: [remarks(&self.beside, &self.file, &self.analysis), missing].concat(),
            decisions: &decisions,
            figures: &drawings,
            command: &command,
        };
        Ok(write_atomic(path, report.render().as_bytes())?)
    }
}

/// The study's own names of values: those of all its figures.
fn labels(analysis: &Analysis) -> BTreeMap<String, String> {
    let figures = std::iter::once(&analysis.figure_defaults).chain(&analysis.figures);
    let tables = figures.filter_map(|figure| figure.get("labels")?.as_table());
    let text = |(key, label): (&String, &toml::Value)| Some((key.clone(), label.as_str()?.into()));
    tables.flatten().filter_map(text).collect()
}

/// Writes the report of a study.
pub(super) fn report(args: &ReportArgs) -> anyhow::Result<Said> {
    let mut drawn = Drawn::of(&args.results, &[])?;
    let path = args.out.clone().unwrap_or_else(|| drawn.beside.join("report.html"));
    let is_page = path.extension().is_some_and(|end| end == "html");
    Refusal::unless(is_page, "--out", "a file that ends in .html", path.display())?;
    let machine = read_text(&drawn.beside.join(MACHINE), LARGEST_CONFIG).ok();
    let machine: Option<Value> = machine.and_then(|text| serde_json::from_str(&text).ok());
    drawn.report(&args.results, &path, machine.as_ref())?;
    let problems = drawn.problems();
    let missing = problems.iter().map(|problem| format!("not drawn: {problem}\n"));
    let text = missing.collect::<String>() + &path.display().to_string();
    let report = path.to_string_lossy();
    Ok((json!({ "study": drawn.analysis.study, "report": report, "not_drawn": problems }), text))
}

/// Draws every figure of a study of one picture that can be drawn, as SVG and PNG, and writes its report, all beside its
/// table. Returns the paths of the figures, why others are not drawn, and the path of the report.
pub(super) fn draw_beside(
    results: &ResultsArgs,
) -> anyhow::Result<(Vec<PathBuf>, Vec<String>, PathBuf)> {
    let mut drawn = Drawn::of(results, &[])?;
    let facts = Provenance::none()
        .with("command", format!("picloom experiment figures {}", word(portable(&results.spec))));
    let mut paths = Vec::new();
    for (figure, drawing) in &drawn.figures {
        let Ok(drawing) = drawing else { continue };
        let (svg, png) = save(&drawing.svg, &drawn.beside.join(&figure.name), &facts)?;
        paths.extend([svg, png]);
    }
    let report = drawn.beside.join("report.html");
    // The same command gives the same bytes.
    drawn.report(results, &report, None)?;
    Ok((paths, drawn.problems(), report))
}

/// Draws every figure of the spec.
pub(super) fn run(args: &FiguresArgs) -> anyhow::Result<Said> {
    let spec = args.results.spec.display();
    let drawn = Drawn::of(&args.results, &args.figure)?;
    if drawn.figures.is_empty() {
        let advice = "docs/PLOTS.md shows how to write one";
        return Err(Refusal::new(spec, "[[figures]]", "none").advising(advice).into());
    }
    let out = args.out.clone().unwrap_or_else(|| drawn.beside.clone());
    let (mut json, mut text) = (Vec::new(), String::new());
    for (figure, drawing) in &drawn.figures {
        let drawing = match drawing {
            Ok(drawing) => drawing,
            Err(refusal) => {
                text += &format!("not drawn: {refusal}\n");
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
                .with("rows", portable(&drawn.beside.join(ROWS)));
            save_drawing(drawing, &path, args.dpi, &facts)?;
            text += &format!("{}\n", path.display());
            drawing
                .boxes(Format::of(&path)?)
                .into_iter()
                .for_each(|says| text += &format!("  {says}\n"));
            json.push(json!({ "path": path.to_string_lossy(), "figure": drawing }));
        }
    }
    let first = drawn.figures.iter().find_map(|(_, drawing)| drawing.as_ref().err());
    if let (true, Some(problem)) = (json.is_empty(), first) {
        return Err(problem.clone().in_file(&args.results.spec).into());
    }
    let problems = drawn.problems();
    Ok((
        json!({
            "study": drawn.analysis.study, "figures": json, "not_drawn": problems,
        }),
        text,
    ))
}
