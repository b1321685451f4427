//! The study's spec, the records, and the ledger made of them.

use super::effects::Effect;
use super::verdicts::{CLAIMS, Outcome};
use crate::regime::rules::{MARGIN, Ruling};
use crate::structural::StructuralRecord;
use crate::theory::record::TheoryRecord;
use crate::training::TrainingRecord;
use picloom::experiment::finding::Verdict;
use picloom::experiment::networks::NetworksRecord;
use picloom::experiment::record::{Record, RecordError, STUDY, study_of};
use picloom::experiment::spec::{Problem, Spec, SpecError, check_name, read_spec};
use picloom::network::files::read_text;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The whole study: its parts and the rules of its claims (`experiments/study.toml`).
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StudySpec {
    /// Its name.
    pub name: String,
    /// What is asked, in one sentence.
    pub question: String,
    /// Specs of the parts, in the order they are run; relative to the folder that holds the spec's.
    pub parts: Vec<PathBuf>,
    /// The smallest effect that matters, in units of the score.
    pub margin: f64,
    /// Two R² closer than this are called equal.
    pub equivalence: f64,
    /// The claims and their rules, written before the runs.
    pub claims: Vec<ClaimText>,
}

/// A claim as the spec states it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClaimText {
    /// C1 to C15.
    pub id: String,
    /// What is claimed.
    pub says: String,
    /// By whom.
    pub source: String,
    /// When it is supported, and when it is not.
    pub rule: String,
    /// True if the paper does not claim it: the ledger lists it apart.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub apart: bool,
    /// The word shown in place of the verdict, where the rule decides something else than the claim.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub word: Option<String>,
    /// What a reader must know before the verdict.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub note: Option<String>,
}

impl StudySpec {
    /// Reads and verifies the spec.
    ///
    /// # Errors
    /// Not readable, of another kind, unknown keys, a claim that is not C1 to C15 in order.
    pub fn read(path: &Path) -> Result<Self, SpecError> {
        Ok(read_spec(path, None)?.0)
    }
}

impl Spec for StudySpec {
    const KIND: &'static str = "study";

    fn check(&self) -> Result<(), Problem> {
        check_name("name", &self.name)?;
        let ids: Vec<&str> = self.claims.iter().map(|c| c.id.as_str()).collect();
        let known: Vec<&str> = CLAIMS.iter().map(|c| c.0).collect();
        Problem::unless(ids == known, "claims", known.join(", "), ids.join(", "))?;
        Problem::unless(!self.parts.is_empty(), "parts", "at least one", "none")?;
        let above = self.margin >= 0.0 && self.equivalence > 0.0;
        let found = format!("{}, {}", self.margin, self.equivalence);
        Problem::unless(above, "margin, equivalence", "numbers above 0", found)
    }
}

/// Parts of the study that are studies of networks and that a rule reads.
const NETWORKS: [&str; 9] = [
    "wirings",
    "depth",
    "pruning",
    "controls",
    "regime",
    "rewinding",
    "out_of_domain",
    "optimizer_scores",
    "replication",
];

/// The others that a rule reads.
const OTHERS: [&str; 3] = ["optimizers", "theory", "structural"];

/// Records of the study's parts; none where a part has not been run.
#[derive(Clone, Debug, Default)]
pub struct Records {
    /// Folder they were read from.
    pub folder: PathBuf,
    /// Studies of networks, by part.
    pub networks: BTreeMap<String, NetworksRecord>,
    /// Every optimizer.
    pub optimizers: Option<TrainingRecord>,
    /// Volume ratios.
    pub theory: Option<TheoryRecord>,
    /// Parts in subnetworks.
    pub structural: Option<StructuralRecord>,
}

impl Records {
    /// Reads the record in `FOLDER/PART` of every part that is there.
    ///
    /// # Errors
    /// A record is there and cannot be read.
    pub fn read(folder: &Path) -> Result<Self, RecordError> {
        /// The record of one part, if it is there.
        fn part<R: Record>(folder: &Path, name: &str) -> Result<Option<R>, RecordError> {
            let path = folder.join(name);
            if !path.join(STUDY).exists() {
                return Ok(None);
            }
            // A study of one's own may take a part's place, another part may not.
            let is_part = |other: &str| NETWORKS.contains(&other) || OTHERS.contains(&other);
            match study_of(&path).filter(|other| other != name && is_part(other)) {
                Some(other) => Err(RecordError::Damaged {
                    path,
                    expected: format!("a record of {name}"),
                    found: format!("one of {other}"),
                }),
                None => R::read(&path).map(Some),
            }
        }
        let mut networks = BTreeMap::new();
        for name in NETWORKS {
            networks.extend(part(folder, name)?.map(|record| (name.to_string(), record)));
        }
        Ok(Records {
            folder: folder.to_path_buf(),
            networks,
            optimizers: part(folder, "optimizers")?,
            theory: part(folder, "theory")?,
            structural: part(folder, "structural")?,
        })
    }

    /// True if no part has a record.
    pub fn is_empty(&self) -> bool {
        self.missing().len() == NETWORKS.len() + OTHERS.len()
    }

    /// Parts without a record.
    pub fn missing(&self) -> Vec<&'static str> {
        let (optimizers, theory) = (self.optimizers.is_some(), self.theory.is_some());
        let there = [optimizers, theory, self.structural.is_some()];
        let others = OTHERS.into_iter().zip(there).filter(|(_, there)| !there);
        let networks = NETWORKS.into_iter().filter(|name| !self.networks.contains_key(*name));
        networks.chain(others.map(|(name, _)| name)).collect()
    }

    /// The record of a part that is a study of networks.
    pub fn networks(&self, part: &str) -> Option<&NetworksRecord> {
        self.networks.get(part)
    }

    /// With this record of a part that is a study of networks, or with none.
    pub fn with(mut self, part: &str, record: impl Into<Option<NetworksRecord>>) -> Self {
        match record.into() {
            Some(record) => self.networks.insert(part.into(), record),
            None => self.networks.remove(part),
        };
        self
    }
}

/// A claim and what our runs say on it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ClaimRow {
    /// What is claimed, by whom, and the rule.
    #[serde(flatten)]
    pub text: ClaimText,
    /// What is measured.
    pub statistic: String,
    /// The effects the rule is applied to.
    pub effects: Vec<Effect>,
    /// What else might explain them.
    pub controls: Vec<Effect>,
    /// The rule applied.
    pub verdict: Verdict,
    /// What a reader must know.
    pub notes: Vec<String>,
    /// Seeds of every effect, at the least over its targets; none if it has no seeds.
    pub seeds: Option<usize>,
    /// The rule under each protocol, where it is decided on the regime map.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub rulings: Vec<Ruling>,
    /// Records it was read from, relative to the ledger: `wirings/rows.csv.gz`.
    pub records: Vec<String>,
}

impl ClaimRow {
    /// The verdict as readers see it: the word of the spec, if it has one, else that of the rule.
    pub fn word(&self) -> &str {
        self.text.word.as_deref().unwrap_or(self.verdict.text())
    }

    /// What is claimed, and whether the paper claims it.
    pub fn says(&self) -> String {
        let whose = if self.text.apart { " (Not the paper's claim.)" } else { "" };
        format!("{}{whose}", self.text.says)
    }

    /// `C12 (not the paper's)`.
    fn named(&self) -> String {
        let whose = if self.text.apart { " (not the paper's)" } else { "" };
        format!("{}{whose}", self.text.id)
    }
}

/// `claims.json`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Ledger {
    /// `picloom-claims/1`.
    pub format: String,
    /// The smallest effect that matters.
    pub margin: f64,
    /// One row a claim.
    pub claims: Vec<ClaimRow>,
}

const FORMAT: &str = "picloom-claims/1";

/// Where the rule of a claim stands that is decided on the regime map.
const REGIME_RULE: &str =
    "The rule of experiments/regime.md, margin .10, at equal fit; a fixed δ and no gate beside it.";

impl Ledger {
    /// Applies every rule of `spec` to `records`.
    pub fn of(spec: &StudySpec, records: &Records) -> Self {
        let claims = spec.claims.iter().zip(CLAIMS).map(|(text, (_, decide))| {
            let outcome = decide.apply(records, spec);
            let Outcome { statistic, effects, controls, verdict, notes, seeds, records, rulings } =
                outcome;
            let mut text = text.clone();
            if !rulings.is_empty() {
                text.rule = REGIME_RULE.into();
            }
            ClaimRow { text, rulings, statistic, effects, controls, verdict, notes, seeds, records }
        });
        Ledger { format: FORMAT.into(), margin: spec.margin, claims: claims.collect() }
    }

    /// JSON.
    pub fn to_json(&self) -> String {
        let rows = self.claims.iter().map(serde_json::to_string).collect::<Result<Vec<_>, _>>();
        let rows = rows.expect("a ledger is plain data").join(",\n");
        let Ledger { format, margin, .. } = self;
        format!(
            "{{\n\"format\": {format:?},\n\"margin\": {margin},\n\"claims\": [\n{rows}\n]\n}}\n"
        )
    }

    /// Reads a ledger.
    ///
    /// # Errors
    /// Not readable, or of another format.
    pub fn read(path: &Path) -> Result<Self, RecordError> {
        let fail = |found: String| RecordError::Damaged {
            path: path.to_path_buf(),
            expected: "a ledger of claims".into(),
            found,
        };
        let text = read_text(path).map_err(|e| fail(e.to_string()))?;
        let ledger: Self = serde_json::from_str(&text).map_err(|e| fail(e.to_string()))?;
        match ledger.format == FORMAT {
            true => Ok(ledger),
            false => Err(fail(format!("format {:?}", ledger.format))),
        }
    }

    /// What holds, what does not, what is open with what the design could have seen and what more would
    /// cost, and what no rule can decide: a sentence each.
    pub fn sentences(&self) -> [String; 4] {
        let has_own = |claim: &&ClaimRow| claim.text.word.is_some();
        let of = |verdict: Verdict| {
            self.claims.iter().filter(move |c| c.verdict == verdict && !has_own(c))
        };
        let plain = |verdict: Verdict| {
            let each = |claim: &ClaimRow| {
                format!("{}, {}", claim.named(), claim.text.says.trim_end_matches('.'))
            };
            listed(of(verdict).map(each).collect())
        };
        let own = |claim: &ClaimRow| format!("{} ({})", claim.text.id, claim.word());
        let (mut seen, mut unseen) = (Vec::new(), Vec::new());
        for claim in of(Verdict::Inconclusive) {
            let margin = if claim.rulings.is_empty() { self.margin } else { MARGIN };
            let id = claim.text.id.as_str();
            // Of several effects that it hangs on the one that is known least.
            let open = || claim.effects.iter().filter(|effect| !effect.settled);
            let visible = open().filter_map(|effect| Some((effect.visible()?, effect)));
            let Some((visible, effect)) = visible.max_by(|a, b| a.0.total_cmp(&b.0)) else {
                // Where nothing could be compared, a note says why; of what is no mean over targets, the interval.
                let why = claim.notes.first().filter(|_| claim.effects.is_empty()).cloned();
                let holds_0 = |e: &&Effect| {
                    e.low.is_some_and(|l| l <= 0.0) && e.high.is_some_and(|h| h >= 0.0)
                };
                // … the widest, with what the design could have seen of its measure itself.
                let wide = |e: &&Effect| e.low.zip(e.high).map_or(0.0, |(low, high)| high - low);
                let measure = |e: &Effect| {
                    let is_its = |c: &&Effect| {
                        c.name.split_once(':').is_some_and(|(measure, _)| e.name.contains(measure))
                    };
                    let control = claim.controls.iter().find(is_its)?;
                    let (visible, targets) = (control.visible()?, control.targets.len());
                    Some(format!("; of the measure from {visible:.2} on with {targets} targets"))
                };
                let interval = || {
                    let open = open().filter(holds_0).max_by(|a, b| wide(a).total_cmp(&wide(b)));
                    open.map(|e| {
                        format!("{}: {}{}", e.name, e.text(), measure(e).unwrap_or_default())
                    })
                };
                match why.or_else(interval) {
                    Some(why) => seen.push(format!("{id} ({why})")),
                    None => unseen.push(id),
                }
                continue;
            };
            let now = effect.targets.len();
            let takes = effect.targets_for(margin).map_or("over 10 000".into(), |m| m.to_string());
            seen.push(format!(
                "{id} (from {visible:.2} on with {now} targets; ± {margin} takes {takes})"
            ));
        }
        if !unseen.is_empty() {
            seen.push(format!("{} (too few units to tell)", unseen.join(", ")));
        }
        [
            format!("Holds in these runs: {}.", plain(Verdict::Supported)),
            format!("Does not hold: {}.", plain(Verdict::NotSupported)),
            format!(
                "Open, with the smallest effect that four of five such studies would have found, and the targets as various as these that an interval within the margin takes: {}.",
                listed(seen)
            ),
            format!(
                "Not decided, whatever a rule says: {}.",
                listed(self.claims.iter().filter(has_own).map(own).collect())
            ),
        ]
    }

    /// The page: four sentences, a table of verdicts, then each claim with its numbers.
    pub fn to_markdown(&self) -> String {
        let mut page = String::from(
            "# Claims\n\nWritten by `picloom-experiments claims` from the records beside it; the rules are those of `experiments/study.toml` and, on the\nregime map, of `experiments/regime.md`, each fixed before the runs that it decides (what was changed after earlier ones: the audit in\n`experiments/study.md`). The unit of an interval is a target (seeds are averaged within it) unless the claim says otherwise; intervals are 95 %\nStudent-t intervals.\nA claim that is not supported here is a result of these runs, at their sizes and step budgets, and no more than that.\n\n",
        );
        for sentence in self.sentences() {
            page += &format!("- {sentence}\n");
        }
        for (apart, whose) in
            [(false, "The paper's claims"), (true, "Claims that are not the paper's")]
        {
            page +=
                &format!("\n{whose}:\n\n| claim | says | effect | verdict |\n|---|---|---|---|\n");
            for claim in self.claims.iter().filter(|claim| claim.text.apart == apart) {
                let effect = claim.effects.first().map_or("-".into(), Effect::text);
                let (id, says) = (&claim.text.id, &claim.text.says);
                page += &format!("| {id} | {says} | {effect} | {} |\n", claim.word());
            }
        }
        for claim in &self.claims {
            let ClaimRow { text, .. } = claim;
            page += &format!("\n## {}: {}\n\n{}\n\n", claim.named(), claim.word(), text.says);
            if let Some(note) = &text.note {
                page += &format!("{note}\n\n");
            }
            if text.word.is_some() {
                page += &format!("The rule, applied to its numbers: {}.\n\n", claim.verdict.text());
            }
            page += &format!(
                "- Source: {}\n- Statistic: {}\n- Rule: {}\n",
                text.source, claim.statistic, text.rule
            );
            for (kind, effects) in [("Effect", &claim.effects), ("Control", &claim.controls)] {
                for effect in effects {
                    page += &format!("- {kind}: {}: {}", effect.name, effect.text());
                    let parts: Vec<String> = effect
                        .targets
                        .iter()
                        .map(|t| format!("{} {:.3} ({})", t.target, t.value, t.pairs))
                        .collect();
                    if !parts.is_empty() {
                        page += &format!("; by target (pairs): {}", parts.join(", "));
                    }
                    if !effect.without.is_empty() {
                        page += &format!("; no pair that counts: {}", effect.without.join(", "));
                    }
                    page += "\n";
                }
            }
            for ruling in &claim.rulings {
                page += &format!("- Ruling: {}\n", ruling.text());
            }
            for note in &claim.notes {
                page += &format!("- Note: {note}\n");
            }
            if !claim.records.is_empty() {
                let links = claim.records.iter().map(|r| format!("[{r}]({r})"));
                page += &format!("- Records: {}\n", links.collect::<Vec<_>>().join(", "));
            }
        }
        page
    }
}

fn listed(all: Vec<String>) -> String {
    if all.is_empty() { "nothing".into() } else { all.join("; ") }
}
