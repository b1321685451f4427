//! `picloom experiment decide`: the contrasts of a spec on the tables of results.

use super::contrast::told;
use super::output::Output;
use super::study::{SMOKE_RUNS, Said};
use crate::base::files::write_atomic;
use crate::base::names::did_you_mean;
use crate::base::refusal::Refusal;
use crate::experiment::networks::spec::{NetworksSpec, Variances};
use crate::study::analysis::Analysis;
use crate::study::contrast::{ContrastSpec, Decision, Tables, Variation, decide, power};
use crate::study::record::{Head, ROWS, STUDY};
use crate::study::spec::{SMOKE, STANDARD, Spec, SpecFile};
use clap::Args;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// Where results are.
#[derive(Args)]
pub struct ResultsArgs {
    /// Spec of the study (.toml)
    pub spec: PathBuf,
    /// Profile that the result must be of [default: any]
    #[arg(long)]
    pub profile: Option<String>,
    /// Folder of results, FOLDER/STUDY/rows.csv.gz [default: runs, then figures; profile smoke: runs/smoke]
    #[arg(
        long,
        alias = "store",
        value_name = "FOLDER",
        default_value_if("profile", SMOKE, SMOKE_RUNS)
    )]
    pub results: Option<PathBuf>,
}

impl ResultsArgs {
    /// The tables in the folders in which results are looked for.
    ///
    /// # Errors
    /// That of `study` is of another profile.
    pub(crate) fn tables(&self, study: &str) -> Result<Tables, Refusal> {
        let default = || vec![PathBuf::from("runs"), PathBuf::from("figures")];
        let tables =
            Tables::below(self.results.clone().map_or_else(default, |folder| vec![folder]));
        if let (Some(profile), Some(folder)) = (&self.profile, tables.folder(study)) {
            let (at, found) = (folder.join(ROWS), profile_of(&folder));
            let expected = format!("a result of profile {profile}");
            Refusal::unless(found == *profile, at.display(), expected, format!("one of {found}"))?;
        }
        Ok(tables)
    }

    /// The same, of a study that has been run.
    ///
    /// # Errors
    /// As there; there is a smoke run only.
    pub(super) fn tables_of_run(&self, study: &str) -> Result<Tables, Refusal> {
        let tables = self.tables(study)?;
        let has_smoke = || Path::new(SMOKE_RUNS).join(study).join(ROWS).exists();
        if self.results.is_none() && tables.folder(study).is_none() && has_smoke() {
            let refusal = Refusal::new(study, "its result", "only that of a smoke run");
            return Err(refusal.as_failure().advising("run the study, or add --profile smoke"));
        }
        Ok(tables)
    }
}

/// Decides every contrast of the spec and writes `verdicts.json` beside the table.
pub(super) fn run(args: &ResultsArgs, out: &Output) -> anyhow::Result<Said> {
    let file = SpecFile::read(&args.spec)?;
    let analysis = file.analysis()?;
    if analysis.contrasts.is_empty() {
        return Err(no_contrasts(&args.spec).into());
    }
    let mut tables = args.tables_of_run(&analysis.study)?;
    let decisions = decide(&analysis.study, &analysis.contrasts, &mut tables)
        .map_err(|refusal| refusal.within(args.spec.display()))?;
    let folder = tables.folder(&analysis.study);
    let remarks =
        folder.as_deref().map(|folder| remarks(folder, &file, &analysis)).unwrap_or_default();
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

fn no_contrasts(spec: &Path) -> Refusal {
    Refusal::new(spec.display(), "[[contrasts]]", "none")
        .advising("docs/SPEC.md shows how to write one")
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

/// Remarks for a reader of the result in a folder: a profile that is not the study's own, settings
/// of the spec that it was not made with, contrasts that were changed after its first run.
pub(super) fn remarks(folder: &Path, file: &SpecFile, analysis: &Analysis) -> Vec<String> {
    let Ok(head) = Head::read(&folder.join(STUDY)) else { return Vec::new() };
    let profile = head.fields.get("profile").and_then(Value::as_str).unwrap_or(STANDARD);
    let mut remarks = Vec::new();
    // The spec of one picture is that of its profile.
    if file.title().profiles.iter().any(|own| own == profile) {
        let rows = folder.join(ROWS);
        remarks.push(format!("the table {} is of profile {profile}", rows.display()));
    }
    if let (true, Ok((spec, _))) =
        (file.kind() == NetworksSpec::KIND, file.spec::<NetworksSpec>(Some(profile)))
    {
        let changed = spec.changed_since(&head);
        if !changed.is_empty() {
            remarks.push(format!(
                "the spec has changed since this result was made: {}; run it to bring the result up to date",
                changed.join(", ")
            ));
        }
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
        // With the defaults laid under it: what a contrast inherits is easily overlooked.
        if !contrast.rows.is_empty() {
            text += &format!("where {}\n", contrast.rows);
        }
        text += &format!("{}\n", told(found));
    }
    text
}

/// Options of a simulation of power.
#[derive(Args)]
pub(super) struct PowerArgs {
    #[command(flatten)]
    pub results: ResultsArgs,
    /// Contrast [default: all of the spec]
    #[arg(long)]
    pub contrast: Vec<String>,
    /// Independent units of the planned study [default: as many as the earlier one, or the spec, has]
    #[arg(long)]
    pub units: Option<usize>,
    /// Seeds of each unit [default: as many as the earlier one, or the spec, has]
    #[arg(long)]
    pub seeds: Option<usize>,
    /// True effects, in units of the measure
    #[arg(long, value_delimiter = ',', default_value = "0,0.05,0.1,0.15,0.2")]
    pub effects: Vec<f64>,
}

/// The design of a spec, before anything was run.
struct Design {
    units: usize,
    seeds: usize,
    power: Variances,
    samples: usize,
}

impl Design {
    /// Reads it from a networks study; `None` for a study of another kind.
    fn of(file: &SpecFile) -> anyhow::Result<Option<Self>> {
        if file.kind() != NetworksSpec::KIND {
            return Ok(None);
        }
        let (spec, _) = file.spec::<NetworksSpec>(None)?;
        let samples = spec.own.sample.unwrap_or(usize::MAX);
        let (units, seeds) = (spec.targets.len(), spec.seeds.len());
        Ok(Some(Design { units, seeds, power: spec.power, samples }))
    }

    /// How the differences of a contrast are assumed to vary.
    fn assumed(&self, of: &ContrastSpec) -> Result<Variation, Refusal> {
        self.power.variation(of, self.samples).ok_or_else(|| {
            let expected = "an earlier result, or a contrast of differences of scores";
            Refusal::new(format!("contrast {}", of.id), expected, format!("one of {}", of.of))
                .advising("run a pilot first: [power] says only how scores differ")
        })
    }
}

/// Simulates how often the contrasts of a spec would find an effect: with units and seeds as various as in an earlier
/// result, or as the spec assumes where there is none.
pub(super) fn simulate(args: &PowerArgs) -> anyhow::Result<Said> {
    let file = SpecFile::read(&args.results.spec)?;
    let (analysis, design) = (file.analysis()?, Design::of(&file)?);
    if analysis.contrasts.is_empty() {
        return Err(no_contrasts(&args.results.spec).into());
    }
    args.check()?;
    for id in &args.contrast {
        let ids: Vec<&str> = analysis.contrasts.iter().map(|one| one.id.as_str()).collect();
        if analysis.contrasts.iter().all(|one| !one.is_called(id)) {
            let found = format!("{id:?}{}", did_you_mean(id, ids.iter().copied()));
            let expected = format!("ids of [[contrasts]]: {}", ids.join(", "));
            return Err(Refusal::new("--contrast", expected, found).into());
        }
    }
    let wanted = |one: &&ContrastSpec| {
        args.contrast.is_empty() || args.contrast.iter().any(|id| one.is_called(id))
    };
    let contrasts: Vec<_> = analysis.contrasts.iter().filter(wanted).cloned().collect();
    let mut tables = args.results.tables(&analysis.study)?;
    // What a smoke run varies by says nothing of the study.
    let folder = tables.folder(&analysis.study);
    let (pilot, table) = match folder.map(|folder| (profile_of(&folder), folder.join(ROWS))) {
        Some((profile, rows)) if profile == STANDARD => (true, rows.display().to_string()),
        Some((profile, rows)) => (false, format!("{} is of profile {profile}", rows.display())),
        None => (false, "no table yet".into()),
    };
    let earlier_text = format!("as in {table}");
    let assumed_text = format!("as various as [power] of the spec assumes ({table})");
    let (mut rows, mut text) = (Vec::new(), String::new());
    // Contrasts that nobody named and that nothing tells how to simulate.
    let mut left_out: Vec<Refusal> = Vec::new();
    let mut tell = |of: &ContrastSpec, name: &str, units, seeds, varies: Variation, from: &str| {
        let plural = if seeds == 1 { "" } else { "s" };
        text += &format!("{}, {name}: {units} units, {seeds} seed{plural}; {from}\n", of.id);
        for &effect in &args.effects {
            let power = power(of, varies, (units, seeds), effect, 0);
            text += &format!(
                "  effect {effect:.2}: supported {:.2}, excluded {:.2}\n",
                power.supported, power.excluded
            );
            rows.push(json!({
                "contrast": of.id, "name": name, "units": units, "seeds": seeds, "power": power, "from": from,
            }));
        }
    };
    if !pilot && design.is_none() && table != "no table yet" {
        let expected = "a table of profile standard";
        return Err(Refusal::new(args.results.spec.display(), expected, table).into());
    }
    if let (false, Some(design)) = (pilot, &design) {
        let (units, seeds) =
            (args.units.unwrap_or(design.units), args.seeds.unwrap_or(design.seeds));
        for contrast in &contrasts {
            match design.assumed(contrast) {
                Ok(varies) => {
                    tell(contrast, &contrast.says, units, seeds, varies, &assumed_text);
                }
                Err(refusal) if args.contrast.is_empty() => left_out.push(refusal),
                Err(refusal) => return Err(refusal.into()),
            }
        }
    } else {
        let decisions = decide(&analysis.study, &contrasts, &mut tables)
            .map_err(|refusal| refusal.within(args.results.spec.display()))?;
        for decision in &decisions {
            for found in decision.primary() {
                // Seeds whose networks did not learn are seeds of the earlier study, too.
                let compared = found.units.iter().map(|unit| unit.count).max().unwrap_or(1);
                let most = design.as_ref().map_or(compared, |own| own.seeds.max(compared));
                let units = args.units.unwrap_or(found.units.len() + found.without.len());
                let seeds = args.seeds.unwrap_or(most);
                let earlier = Variation::of(found, most).map(|varies| (varies, &earlier_text));
                let (varies, from) = match (earlier, &design) {
                    (Some(earlier), _) => earlier,
                    (None, Some(design)) => (design.assumed(&decision.contrast)?, &assumed_text),
                    (None, None) => {
                        let expected = "at least two units in the earlier result";
                        let found_units = found.units.len().to_string();
                        return Err(Refusal::new(&found.id, expected, found_units).into());
                    }
                };
                tell(&decision.contrast, &found.name, units, seeds, varies, from);
            }
        }
    }
    if rows.is_empty() && !left_out.is_empty() {
        return Err(left_out.swap_remove(0).into());
    }
    let left_out: Vec<String> = left_out.iter().map(|of| format!("left out: {of}")).collect();
    text += &left_out.iter().map(|line| format!("{line}\n")).collect::<String>();
    text += "supported: share of such studies that find it; excluded: share that exclude an effect of the margin";
    Ok((json!({ "study": analysis.study, "power": rows, "left_out": left_out }), text))
}

/// The profile of the result in a folder.
fn profile_of(folder: &Path) -> String {
    let head = Head::read(&folder.join(STUDY)).ok();
    let profile = head.and_then(|head| Some(head.fields.get("profile")?.as_str()?.to_string()));
    profile.unwrap_or_else(|| STANDARD.into())
}

/// Effects that are simulated one by one, at most.
const MOST_EFFECTS: usize = 1000;

impl PowerArgs {
    /// Refuses a design that cannot be simulated.
    fn check(&self) -> Result<(), Refusal> {
        let most = 1_000_000;
        let (units, seeds) = (self.units.unwrap_or(2), self.seeds.unwrap_or(1));
        Refusal::unless(units >= 2, "--units", "at least 2", units)?;
        Refusal::unless(seeds >= 1, "--seeds", "at least 1", seeds)?;
        let fits = units.checked_mul(seeds).is_some_and(|networks| networks <= most);
        let expected = format!("at most {most} networks of each group");
        Refusal::unless(fits, "--units × --seeds", expected, format!("{units} × {seeds}"))?;
        let count = self.effects.len();
        Refusal::unless(
            count <= MOST_EFFECTS,
            "--effects",
            format!("at most {MOST_EFFECTS}"),
            count,
        )?;
        let finite = self.effects.iter().all(|effect| effect.is_finite());
        Refusal::unless(finite, "--effects", "finite numbers", format!("{:?}", self.effects))
    }
}
