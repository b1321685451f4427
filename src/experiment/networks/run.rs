//! A networks study as cells: a chain each.

use super::chain::{networks, row, run_chain};
use super::plan::{Chain, NetworksStudy};
use super::record::{NetworkRow, NetworksRecord, Views};
use super::spec::{ArmSpec, VariantSpec};
use super::views::LARGEST;
use crate::experiment::cells::{CellStudy, Known, UNFINISHED, taken};
use crate::experiment::record::{Record, RecordError};
use crate::experiment::workers::Ask;
use crate::math::hash::{json_id, short_id};
use crate::network::files::{create_folder, write_atomic};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::Path;

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

    fn step_cost(&self, chain: &Chain) -> Option<f64> {
        chain.step_cost()
    }

    fn at_a_time(&self) -> usize {
        self.at_a_time
    }

    /// Trainings are run folders of the study: chains with the same training share it. Networks that were taken
    /// over are made again only if others are pruned from them or match them.
    fn compute(
        &self,
        chain: &Chain,
        folder: &Path,
        ask: Ask<'_>,
    ) -> Result<Option<Vec<NetworkRow>>, String> {
        let known = taken(self, chain, folder).map_err(|e| e.to_string())?.unwrap_or_default();
        Ok(run_chain(chain, folder, &*self.judge, known, ask))
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

    fn is_of(&self, record: &NetworksRecord) -> Result<(), (String, String)> {
        let (own, found) = (head(&self.record(Vec::new())), head(record));
        if own != found {
            return Err((own, found));
        }
        let other = |(what, hash): &(&String, &String)| {
            record.settings.get(*what).is_some_and(|found| found != *hash)
        };
        let own = self.settings();
        match own.iter().find(other) {
            _ if record.settings.is_empty() => {
                Err(("hashes of its settings".into(), "none: it is older than they are".into()))
            }
            Some((what, _)) => Err((format!("{what} as the spec has it"), "another".into())),
            None => Ok(()),
        }
    }

    /// Its rows that did not fail.
    fn known(
        &self,
        chain: &Chain,
        taken: Option<Vec<NetworkRow>>,
        records: &[NetworksRecord],
    ) -> Known<Vec<NetworkRow>> {
        let key = &chain.key;
        let of_chain = |row: &&NetworkRow| {
            (row.target.as_str(), row.variant.as_str(), row.offset, row.layers, row.seed)
                == (&key.target.name, &key.variant.name, key.offset, key.layers, key.seed)
        };
        // Of what several have, the first's.
        let rows = taken.iter().flatten().chain(records.iter().flat_map(|record| &record.rows));
        let rows: Vec<&NetworkRow> =
            rows.filter(of_chain).filter(|row| row.result.is_some()).collect();
        let all = networks(chain);
        let known = all.iter().filter_map(|(arm, level)| {
            let links = chain.layered_links(arm);
            let is_it = |row: &&&NetworkRow| {
                let result = row.result.as_ref().expect("of those with one");
                row.arm == arm.name
                    && row.level == *level
                    && links.is_none_or(|links| links == result.links)
                    && (result.mechanisms.is_some() || !key.mechanisms)
            };
            rows.iter().find(is_it)
        });
        let known: Vec<NetworkRow> = known.map(|row| (*row).clone()).collect();
        match known.len() {
            0 => Known::Nothing,
            found if found < all.len() => Known::Part(known),
            _ => Known::Whole(known),
        }
    }

    /// Its rows, those to come as failed.
    fn begun(&self, chain: &Chain, taken: Vec<NetworkRow>) -> Option<Vec<NetworkRow>> {
        let rows = networks(chain).into_iter().map(|(arm, level)| {
            let known = taken.iter().find(|row| row.arm == arm.name && row.level == level);
            let to_come = || row(chain, arm.name.clone(), level, Err(UNFINISHED.into()));
            known.cloned().unwrap_or_else(to_come)
        });
        Some(rows.collect())
    }

    fn record(&self, outcomes: Vec<Result<Vec<NetworkRow>, String>>) -> NetworksRecord {
        let spec = &self.spec;
        let rows = self.chains.iter().zip(outcomes).flat_map(|(chain, outcome)| {
            outcome.unwrap_or_else(|error| {
                let failed = |(arm, level): (&ArmSpec, usize)| {
                    row(chain, arm.name.clone(), level, Err(error.clone()))
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
            sample: spec.sample,
            effect: spec.effect,
            target_r2: spec.target_r2,
            checkpoints: spec.checkpoints.clone(),
            fixed_delta: spec.fixed_delta,
            judge: self.judged_by(),
            left_out: self.left_out.clone(),
            predicted: self.predicted,
            constant: self.constant,
            settings: self.settings(),
            png_ratio: self.png_ratio.clone(),
            rows: rows.collect(),
        }
    }

    /// `views/TARGET-target.png` of every target of which pictures are shown, and the pictures of
    /// its networks.
    fn pictures(&self, record: &NetworksRecord, from: &Path, to: &Path) -> Result<(), RecordError> {
        for chain in self.chains.iter().filter(|c| !c.key.show.is_empty()) {
            let picture = &chain.source.target.picture;
            let picture = picture.resized(picture.width.min(LARGEST));
            let png = picture.to_png(&[("command", "picloom experiment run")]);
            let name = format!("{}-target.png", chain.key.target.name);
            create_folder(&to.join("views"))?;
            write_atomic(&to.join("views").join(name), &png)?;
        }
        let views = record.rows.iter().filter_map(|row| row.result.as_ref()?.views.as_ref());
        for file in views.flat_map(Views::files).filter(|_| from != to) {
            let bytes = std::fs::read(from.join(file)).map_err(|e| RecordError::Damaged {
                path: from.join(file),
                expected: "a picture that the record names".into(),
                found: e.to_string(),
            })?;
            create_folder(&to.join("views"))?;
            write_atomic(&to.join(file), &bytes)?;
        }
        Ok(())
    }
}

impl NetworksStudy {
    /// [`NetworksRecord::settings`] of its records.
    fn settings(&self) -> BTreeMap<String, String> {
        let targets = self.chains.iter().map(|chain| {
            (format!("target {}", chain.key.target.name), short_id(&chain.key.sha256))
        });
        let variants = self.spec.variants.iter().map(|variant| {
            let variant = VariantSpec { offsets: None, ..variant.clone() };
            (format!("variant {}", variant.name), json_id(&variant))
        });
        let arms = self.spec.arms.iter().map(|arm| {
            // Where it is made is the profile's.
            let arm = ArmSpec { offsets: None, variants: None, targets: None, ..arm.clone() };
            (format!("arm {}", arm.name), json_id(&arm))
        });
        let retry = ("retry_lr".to_string(), json_id(&self.spec.retry_lr));
        targets.chain(variants).chain(arms).chain([retry]).collect()
    }
}

/// How the networks of a record were made and measured, for people.
fn head(record: &NetworksRecord) -> String {
    format!(
        "study {}, size {}, steps {}, sample {:?}, effect {}, target R² {:?}, checkpoints {:?}, δ {:?}, judge {}",
        record.study,
        record.size,
        record.steps,
        record.sample,
        record.effect,
        record.target_r2,
        record.checkpoints,
        record.fixed_delta,
        record.judge
    )
}
