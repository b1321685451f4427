//! `picloom experiment decide`: the contrasts of a spec on the tables of results.

use super::contrast::told;
use super::output::Output;
use super::study::Said;
use crate::experiment::analysis::Analysis;
use crate::experiment::contrast::{Decision, Tables, decide, power};
use crate::experiment::record::{Head, ROWS, STUDY};
use crate::experiment::spec::STANDARD;
use crate::experiment::spec::read_analysis;
use crate::math::refusal::Refusal;
use crate::network::files::write_atomic;
use clap::Args;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// Where results are.
#[derive(Args)]
pub struct ResultsArgs {
    /// Spec of the study (.toml)
    pub spec: PathBuf,
    /// Folder of results, FOLDER/STUDY/rows.csv.gz [default: runs, then figures]
    #[arg(long, value_name = "FOLDER")]
    pub results: Option<PathBuf>,
}

impl ResultsArgs {
    /// The folders in which results are looked for.
    pub fn tables(&self) -> Tables {
        let default = || vec![PathBuf::from("runs"), PathBuf::from("figures")];
        Tables::below(self.results.clone().map_or_else(default, |folder| vec![folder]))
    }
}

/// Decides every contrast of the spec and writes `verdicts.json` beside the table.
pub(super) fn run(args: &ResultsArgs, out: &Output) -> anyhow::Result<Said> {
    let analysis = read_analysis(&args.spec)?;
    if analysis.contrasts.is_empty() {
        let at = args.spec.display();
        let advice = "docs/SPEC.md shows how to write one";
        return Err(Refusal::new(at, "[[contrasts]]", "none").advising(advice).into());
    }
    let mut tables = args.tables();
    let decisions = decide(&analysis.study, &analysis.contrasts, &mut tables)
        .map_err(|refusal| refusal.within(args.spec.display()))?;
    let folder = tables.folder(&analysis.study);
    let remarks = folder.as_deref().map(|folder| remarks(folder, &analysis)).unwrap_or_default();
    remarks.iter().for_each(|remark| out.note(remark));
    let json = json!({
        "study": analysis.study, "rules": analysis.rules(), "remarks": remarks,
        "decisions": decisions,
    });
    let mut text = text(&decisions);
    if let Some(folder) = folder {
        let path = folder.join("verdicts.json");
        write_atomic(&path, lines(&analysis, &decisions)?.as_bytes())?;
        text += &format!("\nwritten: {}", path.display());
    }
    Ok((json, text))
}

/// `verdicts.json`: one result a line.
fn lines(analysis: &Analysis, decisions: &[Decision]) -> Result<String, serde_json::Error> {
    let head = |value: &str| serde_json::to_string(value);
    let mut text = format!(
        "{{\n\"study\": {},\n\"rules\": {},\n\"decisions\": [\n",
        head(&analysis.study)?,
        head(&analysis.rules())?
    );
    for (k, Decision { contrast, asked, verdict, found }) in decisions.iter().enumerate() {
        let found: Vec<String> =
            found.iter().map(serde_json::to_string).collect::<Result<_, _>>()?;
        text += &format!(
            "{}{{\"contrast\": {},\n\"asked\": {asked}, \"verdict\": {}, \"found\": [\n{}\n]}}",
            if k > 0 { ",\n" } else { "" },
            serde_json::to_string(contrast)?,
            serde_json::to_string(verdict)?,
            found.join(",\n")
        );
    }
    Ok(text + "\n]\n}\n")
}

/// What a reader must know of the result in a folder: a profile that is not the study's own, contrasts that were changed
/// after its first run.
pub(super) fn remarks(folder: &Path, analysis: &Analysis) -> Vec<String> {
    let Ok(head) = Head::read(&folder.join(STUDY)) else { return Vec::new() };
    let profile = head.fields.get("profile").and_then(Value::as_str).unwrap_or(STANDARD);
    let mut remarks = Vec::new();
    if profile != STANDARD {
        let rows = folder.join(ROWS);
        remarks.push(format!("the table {} is of profile {profile}", rows.display()));
    }
    match analysis.changed_since(folder, profile) {
        Some(changed) if changed.is_empty() => {}
        Some(changed) => remarks.push(format!(
            "changed after the first run, so not declared before it: {}",
            changed.join(", ")
        )),
        None => {}
    }
    remarks
}

/// Decisions for people.
fn text(decisions: &[Decision]) -> String {
    let mut text = String::new();
    for decision in decisions {
        let Decision { contrast, asked, verdict, found } = decision;
        let said = match (asked, contrast.beside) {
            (false, _) => {
                let after = contrast.after.as_deref().unwrap_or_default();
                format!("not asked, for {after} is not supported")
            }
            (true, true) => format!("{} (beside the verdict)", verdict.text()),
            (true, false) => verdict.text().into(),
        };
        text += &format!("{}: {said}\n", contrast.id);
        if !contrast.says.is_empty() {
            text += &format!("{}\n", contrast.says);
        }
        text += &format!("{}\n", told(found));
    }
    text
}

/// Options of a simulation of power.
#[derive(Args)]
pub struct PowerArgs {
    #[command(flatten)]
    pub results: ResultsArgs,
    /// Contrast [default: all of the spec]
    #[arg(long)]
    pub contrast: Vec<String>,
    /// Independent units of the planned study [default: as many as the earlier one]
    #[arg(long)]
    pub units: Option<usize>,
    /// Seeds of each unit [default: as many as the earlier one]
    #[arg(long)]
    pub seeds: Option<usize>,
    /// True effects, in units of the measure
    #[arg(long, value_delimiter = ',', default_value = "0,0.05,0.1,0.15,0.2")]
    pub effects: Vec<f64>,
}

/// Simulates how often the contrasts of a spec would find an effect, with units and seeds as various as in an earlier
/// result.
pub(super) fn simulate(args: &PowerArgs) -> anyhow::Result<Said> {
    let analysis = read_analysis(&args.results.spec)?;
    let wanted = |id: &String| args.contrast.is_empty() || args.contrast.contains(id);
    let contrasts: Vec<_> =
        analysis.contrasts.iter().filter(|contrast| wanted(&contrast.id)).cloned().collect();
    let mut tables = args.results.tables();
    let decisions = decide(&analysis.study, &contrasts, &mut tables)
        .map_err(|refusal| refusal.within(args.results.spec.display()))?;
    let (mut rows, mut text) = (Vec::new(), String::new());
    for decision in &decisions {
        for found in decision.primary() {
            let most = found.units.iter().map(|unit| unit.count).max().unwrap_or(1);
            let units = args.units.unwrap_or(found.units.len() + found.without.len());
            let seeds = args.seeds.unwrap_or(most);
            text += &format!("{}, {}: {units} units, {seeds} seeds\n", found.id, found.name);
            for &effect in &args.effects {
                let Some(power) = power(&decision.contrast, found, (units, seeds), effect, 0)
                else {
                    text += "  too few units in the earlier result to simulate from\n";
                    break;
                };
                text += &format!(
                    "  effect {effect:.2}: supported {:.2}, excluded {:.2}\n",
                    power.supported, power.excluded
                );
                rows.push(json!({
                    "contrast": found.id, "name": found.name, "units": units, "seeds": seeds,
                    "power": power,
                }));
            }
        }
    }
    Ok((json!({ "study": analysis.study, "power": rows }), text))
}
