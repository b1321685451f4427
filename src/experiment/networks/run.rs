//! A networks study as cells: a chain each.

use super::arm::ArmSpec;
use super::chain::{Missing, left, networks, row, run_chain};
use super::plan::{Chain, NetworksStudy};
use super::record::{NetworkRow, NetworksRecord, Views};
use super::spec::{NetworksSpec, VariantSpec};
use super::views::{LARGEST, changes_beside};
use crate::base::files::{LARGEST_CONFIG, create_folder, read_plain, write_atomic};
use crate::base::hash::{json_id, short_id};
use crate::base::process;
use crate::base::table::Table;
use crate::experiment::changes::COLUMNS;
use crate::prune::Method;
use crate::run::Manifest;
use crate::score::dl::{DlJudge, labelled_by};
use crate::study::cells::CellStudy;
use crate::study::record::{Head, Record, RecordError, damaged};
use crate::study::workers::Ask;
use crate::train::TrainConfig;
use serde_json::{Map, Value, json};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// How a PNG begins.
const PNG: &[u8] = b"\x89PNG\r\n\x1a\n";

impl CellStudy for NetworksStudy {
    type Cell = Chain;
    type Outcome = Vec<NetworkRow>;
    type Record = NetworksRecord;

    const CELLS: &'static str = "chains";

    fn name(&self) -> &str {
        &self.spec.name
    }

    fn profile(&self) -> &str {
        &self.profile
    }

    fn count(&self) -> usize {
        self.chains.len()
    }

    fn left_out(&self) -> &[String] {
        &self.left_out
    }

    fn cell(&self, number: usize) -> Cow<'_, Chain> {
        Cow::Borrowed(&self.chains[number])
    }

    fn id(&self, chain: &Chain) -> String {
        chain.id(&self.judged_by())
    }

    fn label(&self, chain: &Chain) -> String {
        chain.label()
    }

    fn cost(&self, chain: &Chain) -> f64 {
        chain.cost()
    }

    fn left(&self, chain: &Chain, folder: &Path) -> (usize, f64) {
        left(chain, folder)
    }

    fn at_a_time(&self) -> usize {
        self.at_a_time
    }

    /// Trainings are run folders of the study: chains with the same training share it.
    fn compute(
        &self,
        chain: &Chain,
        folder: &Path,
        ask: Ask<'_>,
    ) -> Result<Option<Vec<NetworkRow>>, String> {
        let source = chain.source.load().map_err(|error| error.to_string())?;
        Ok(run_chain((chain, &source), folder, &*self.judge, ask))
    }

    /// A row a network of the chain, in order.
    fn check_outcome(&self, chain: &Chain, rows: &Vec<NetworkRow>) -> Result<(), String> {
        let key = &chain.key;
        let of_chain = |row: &NetworkRow| {
            row.target == key.target.name && row.offset == key.offset && row.seed == key.seed
        };
        let found: Vec<_> = rows.iter().map(|row| (row.arm.as_str(), row.level)).collect();
        let made: Vec<_> =
            networks(chain).into_iter().map(|(arm, level)| (arm.name.as_str(), level)).collect();
        match found == made && rows.iter().all(of_chain) {
            true => Ok(()),
            false => Err(format!("{} rows of other networks than its {}", rows.len(), made.len())),
        }
    }

    /// The arms that failed.
    fn flaw(&self, rows: &Vec<NetworkRow>) -> Option<String> {
        let mut errors: Vec<String> = Vec::new();
        for row in rows {
            let Some(error) = &row.error else { continue };
            let error = format!("{}: {error}", row.arm);
            if !errors.contains(&error) {
                errors.push(error);
            }
        }
        (!errors.is_empty()).then(|| errors.join("; "))
    }

    fn record(&self, outcomes: Vec<Result<Vec<NetworkRow>, String>>) -> NetworksRecord {
        let spec = &self.spec;
        let rows = self.chains.iter().zip(outcomes).flat_map(|(chain, outcome)| {
            outcome.unwrap_or_else(|error| {
                let about = chain.source.load().ok().map(|source| source.about(&chain.key.target));
                let failed = |(arm, level): (&ArmSpec, usize)| {
                    let error = Missing::Failed(error.clone());
                    row((chain, about), arm.name.clone(), level, Err(error))
                };
                networks(chain).into_iter().map(failed).collect()
            })
        });
        NetworksRecord {
            format: NetworksRecord::FORMAT.into(),
            study: spec.name.clone(),
            question: spec.question.clone(),
            profile: self.profile.clone(),
            size: spec.size,
            steps: spec.steps,
            sample: spec.own.sample,
            effect: spec.own.effect,
            target_r2: spec.own.target_r2,
            checkpoints: spec.recipe().checkpoints,
            fixed_delta: spec.own.fixed_delta,
            judge: self.judged_by(),
            left_out: self.left_out.clone(),
            predicted: self.predicted,
            constant: self.constant,
            settings: self.settings(),
            png_ratio: self.png_ratio.clone(),
            rules: (!self.analysis.contrasts.is_empty()).then(|| self.analysis.rules()),
            contrast_defaults: self.analysis.contrast_defaults.clone(),
            rows: rows.collect(),
        }
    }

    fn made(&self) -> Map<String, Value> {
        let spec = &self.spec;
        let archs = self
            .chains
            .iter()
            .map(|chain| (chain.key.target.name.as_str(), chain.source.arch.to_string()));
        let recipe = spec.recipe();
        let sets =
            labelled_by(&self.judge.name()).map(|_| DlJudge::default().model.provenance.sets);
        let train = TrainConfig { steps: spec.steps, log_every: spec.own.log_every, ..recipe };
        let made = json!({
            "seeds": spec.seeds, "arms": spec.arms, "variants": spec.variants,
            "optimizer": train.optimizer.to_string(), "train": train,
            "arch": archs.collect::<BTreeMap<_, _>>(),
            "judge": { "identity": self.judge.identity(), "trained_on": sets },
        });
        let Value::Object(mut made) = made else { unreachable!("it is written as one") };
        // The seeds stand above.
        made.get_mut("train").and_then(Value::as_object_mut).and_then(|train| train.remove("seed"));
        if !self.resolved.is_empty() {
            made.insert("spec".into(), json!(self.resolved));
        }
        made
    }

    fn machine(&self, record: &NetworksRecord, folder: &Path) -> Option<Value> {
        let results = record.rows.iter().filter_map(|row| row.result.as_deref());
        let paths = results.filter_map(|result| result.path.as_deref()?.split('/').next());
        let runs: BTreeSet<&str> = paths.collect();
        // Cells of an earlier version do not say where their runs lie.
        if runs.is_empty() {
            return None;
        }
        let seconds: f64 = runs.into_iter().map(|run| seconds_of(&folder.join(run))).sum();
        Some(json!({
            "processor": process::processor(), "threads": rayon::current_num_threads(),
            "seconds": (10.0 * seconds).round() / 10.0,
        }))
    }

    /// `views/TARGET-target.png` of every target but those of the archive, and the pictures of networks that are shown.
    fn pictures(&self, record: &NetworksRecord, from: &Path, to: &Path) -> Result<(), RecordError> {
        let mut drawn = BTreeSet::new();
        for chain in self.chains.iter().filter(|chain| !chain.key.target.is_archived()) {
            if !drawn.insert(&chain.key.target.name) {
                continue;
            }
            // Where its files have changed meanwhile, its rows say so.
            let Ok(source) = chain.source.load() else { continue };
            let picture = &source.target.picture;
            let picture = picture.resized(picture.width.min(LARGEST));
            let png = picture.to_png(&[("command", "picloom experiment run")]);
            let name = format!("{}-target.png", chain.key.target.name);
            create_folder(&to.join("views"))?;
            write_atomic(&to.join("views").join(name), &png)?;
        }
        let views = record.rows.iter().filter_map(|row| row.result.as_ref()?.views.as_ref());
        for file in views.flat_map(Views::files).filter(|_| from != to) {
            let no_picture =
                |found| damaged(&from.join(file), "a picture that the record names", found);
            let bytes = read_plain(&from.join(file), LARGEST_CONFIG);
            let bytes = bytes.map_err(|e| no_picture(e.to_string()))?;
            // The table goes to others: a link in the place of a picture takes no other file along.
            if !bytes.starts_with(PNG) {
                return Err(no_picture("no PNG".into()));
            }
            create_folder(&to.join("views"))?;
            write_atomic(&to.join(file), &bytes)?;
            let changes = changes_beside(file);
            let path = from.join(&changes);
            if path.exists() {
                let wrong = |found| damaged(&path, "a table of changed weights", found);
                let table = Table::read(&path).map_err(|refusal| wrong(refusal.found))?;
                let columns = table.columns().iter().map(|column| column.name());
                if !columns.eq(COLUMNS.map(|(name, _)| name)) {
                    return Err(wrong("other columns".into()));
                }
                table.write(&to.join(&changes))?;
            }
        }
        Ok(())
    }
}

/// Wall seconds of the trainings in a run's folder and in those of its rounds.
fn seconds_of(run: &Path) -> f64 {
    let entries = std::fs::read_dir(run).into_iter().flatten().flatten();
    let rounds = entries.filter(|e| e.file_name().to_string_lossy().starts_with("round-"));
    let folders = rounds.map(|entry| entry.path()).chain([run.to_path_buf()]);
    let manifest = |folder: PathBuf| {
        let text = read_plain(&folder.join("manifest.json"), LARGEST_CONFIG).ok()?;
        Some(serde_json::from_slice::<Manifest>(&text).ok()?.seconds)
    };
    folders.filter_map(manifest).sum()
}

impl NetworksSpec {
    /// Hashes of what the networks of a target follow from.
    fn settings(&self) -> impl Iterator<Item = (String, String)> {
        let variants = self.variants.iter().map(|variant| {
            let variant = VariantSpec { offsets: None, ..variant.clone() };
            (format!("variant {}", variant.name), json_id(&variant))
        });
        let arms = self.arms.iter().map(|arm| {
            // Where it is made is the profile's.
            let arm = ArmSpec { offsets: None, variants: None, targets: None, ..arm.clone() };
            (format!("arm {}", arm.name), json_id(&arm))
        });
        let recipe = self.recipe();
        let own = [("retry_lr", json_id(&recipe.retry_lr)), ("train", json_id(&recipe))];
        variants.chain(arms).chain(own.map(|(name, id)| (name.to_string(), id)))
    }

    /// Names of settings, arms and variants that differ from those behind a result with this head,
    /// or are missing there.
    pub(crate) fn changed_since(&self, head: &Head) -> Vec<String> {
        let same = |name: &str, now: Value| head.fields.get(name).is_none_or(|then| *then == now);
        let numbers = [
            ("size", json!(self.size)),
            ("steps", json!(self.steps)),
            ("sample", json!(self.own.sample)),
            ("effect", json!(self.own.effect)),
        ];
        let numbers = numbers.into_iter().filter(|(name, now)| !same(name, now.clone()));
        let mut changed: Vec<String> = numbers.map(|(name, _)| name.to_string()).collect();
        if head.made.get("seeds").is_some_and(|then| *then != json!(self.seeds)) {
            changed.push("seeds".into());
        }
        let Some(Value::Object(then)) = head.fields.get("settings") else { return changed };
        let is_there = |name: &&String| {
            let target = name.strip_prefix("target ");
            target.is_none_or(|name| self.targets.iter().any(|target| target.name == name))
        };
        changed.extend(then.keys().filter(|name| !is_there(name)).cloned());
        // What a program is, is known once it is looked for.
        let spec = self.clone().resolved();
        let is_program = |name: &str| {
            let arm = spec.arms.iter().find(|arm| name.strip_prefix("arm ") == Some(&arm.name));
            arm.is_some_and(|arm| matches!(arm.method, Some(Method::Cmd(_) | Method::Own(_))))
        };
        let differs = |(name, now): &(String, String)| match then.get(name).and_then(Value::as_str)
        {
            Some(then) => then != now && !is_program(name),
            None => name.starts_with("arm "),
        };
        changed.extend(spec.settings().filter(differs).map(|(name, _)| name));
        changed
    }
}

impl NetworksStudy {
    /// [`NetworksRecord::settings`] of its records.
    fn settings(&self) -> BTreeMap<String, String> {
        let targets = self.chains.iter().map(|chain| {
            (format!("target {}", chain.key.target.name), short_id(&chain.key.sha256))
        });
        targets.chain(self.spec.settings()).collect()
    }
}
