//! A breeding session as a file: settings, and the selections of all its sheets.

use super::{EvolveConfig, Preset, Selection};
use crate::base::hash::short_id;
use crate::base::memory;
use crate::base::refusal::Refusal;
use serde::{Deserialize, Serialize};

/// Bytes of a small genome, its graph and its ids.
const GENOME: usize = 4096;

const SESSION_FORMAT: &str = "picloom-session/1";

/// A breeding session as TOML: seed, config, and one `[[step]]` per sheet after the first. A
/// [`Breeding`](super::Breeding) has its sheets.
///
/// ```
/// use picloom_engine::evolve::{Breeding, Session};
/// let session = Session::from_toml(r#"
/// format = "picloom-session/1"
/// seed = 7
/// [config.start]
/// colour = false
/// [[step]]
/// chosen = [3, 8]
/// slider = 0.4
/// "#).unwrap();
/// let breeding = Breeding::new(session.clone(), &[]).unwrap();
/// assert_eq!(breeding.now().generation(), 1);
/// assert_eq!(Session::from_toml(&session.to_toml()).unwrap(), session);
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Session {
    /// `picloom-session/1`.
    pub format: String,
    /// Seed of the run.
    pub seed: u64,
    /// Files of the genomes it began from; empty: founders.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ancestors: Vec<String>,
    /// The least distance of a child's picture from its parents' and those before it on the sheet; nearer ones are drawn
    /// again. `None`: pictures may repeat. A new session has [`DISTINCT`](super::DISTINCT).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub distinct: Option<f64>,
    /// The step whose sheet is shown, 0 for the first sheet; `None` for the last step.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<usize>,
    /// The selections, in the order in which they were made: step `n`, from 1, bred sheet `n`.
    #[serde(default)]
    pub step: Vec<Selection>,
    /// The numbers of evolution. In a hand-written file only what differs from the preset named
    /// in `config.preset` (picbreeder if none).
    pub config: EvolveConfig,
}

impl Session {
    /// A session without steps.
    pub fn new(config: EvolveConfig, seed: u64, ancestors: Vec<String>) -> Self {
        Session {
            format: SESSION_FORMAT.to_string(),
            seed,
            ancestors,
            distinct: Some(super::DISTINCT),
            at: None,
            step: Vec::new(),
            config,
        }
    }

    /// A session from TOML text; `config` is laid over its preset.
    ///
    /// # Errors
    /// Not TOML, unknown keys, another format, impossible numbers, sheets that are not there.
    pub fn from_toml(text: &str) -> Result<Session, Refusal> {
        let expected = format!("a {SESSION_FORMAT} document");
        let syntax = |e: &dyn std::fmt::Display| Refusal::other_text(&*expected, e);
        let mut table: toml::Table = text.parse().map_err(|e| syntax(&e))?;
        let overrides = match table.remove("config") {
            None => toml::Table::new(),
            Some(toml::Value::Table(t)) => t,
            Some(other) => return Err(syntax(&format!("config = {other}"))),
        };
        let config =
            EvolveConfig::over_preset(Preset::Picbreeder, overrides).map_err(|e| syntax(&e))?;
        let config = toml::Value::try_from(config).map_err(|e| syntax(&e))?;
        table.insert("config".into(), config);
        let session: Session = table.try_into().map_err(|e| syntax(&e))?;
        if session.format != SESSION_FORMAT {
            let expected = format!("{SESSION_FORMAT:?}");
            return Err(Refusal::new("format", expected, format!("{:?}", session.format)));
        }
        session.config.validate()?;
        session.check()?;
        Ok(session)
    }

    /// The session as TOML text, every number written out.
    pub fn to_toml(&self) -> String {
        toml::to_string(self).expect("a session is plain data")
    }

    /// Hash of what it was begun with: config, seed and ancestors.
    pub fn settings_hash(&self) -> String {
        short_id(Session { step: Vec::new(), at: None, ..self.clone() }.to_toml())
    }

    /// The sheet that step `n` (from 1) was chosen on.
    pub(super) fn before(&self, n: usize) -> Option<usize> {
        let step = self.step.get(n.checked_sub(1)?)?;
        Some(step.after.unwrap_or(n - 1))
    }

    /// Number of selections that lead from the first sheet to the one that one is on.
    pub fn generation(&self) -> usize {
        let before = |&n: &usize| self.before(n).filter(|parent| *parent < n);
        std::iter::successors(Some(self.at.unwrap_or(self.step.len())), before).count() - 1
    }

    /// Refuses a session whose sheets the machine has no memory for.
    pub(super) fn check_memory(&self) -> Result<(), Refusal> {
        let sheets = self.step.len() + 1;
        let factors = [(sheets, "sheets"), (self.config.reproduction.population, "genomes")];
        memory::ensure("reproduction.population", &factors, GENOME)
    }

    /// Refuses steps of sheets, and a place to be, that are not there.
    pub(super) fn check(&self) -> Result<(), Refusal> {
        let distinct = self.distinct.unwrap_or_default();
        let expected = "a distance in [0, 1]";
        Refusal::unless((0.0..=1.0).contains(&distinct), "distinct", expected, distinct)?;
        let start = &self.config.start;
        let begins = !start.symmetry.is_none() || !start.background.is_free();
        Refusal::unless(
            self.ancestors.is_empty() || !begins,
            "start.symmetry, start.background",
            "neither where a session begins from genomes: they say how first genomes are made",
            format!("{} and {}", start.symmetry, start.background),
        )?;
        let places = self.step.iter().map(|step| step.after).chain([self.at]).enumerate();
        for (last, place) in places {
            if let Some(found) = place.filter(|place| *place > last) {
                return Err(Refusal::new("", format!("sheets 0 to {last}"), found.to_string()));
            }
        }
        Ok(())
    }
}
