//! Interactive evolution: a sheet of pictures, a selection, the next sheet. A pure state machine
//! with undo; a session file replays to the same bits.
//!
//! Reference: Secretan et al. 2008 (Picbreeder). It neither draws the sheet nor asks anybody: the
//! script interface and the studio do.

use super::population::first_brood;
use super::{Birth, Breeder, Brood, EvolveConfig, Parent, Parts, Preset};
use crate::genome::Genome;
use crate::math::SimRng;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// What a person chose on one sheet.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Selection {
    /// Places on the sheet, from 0, row by row; at least one, none twice.
    pub chosen: Vec<usize>,
    /// Mutation slider s ∈ [0, 1] for the children; the config's if not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slider: Option<f64>,
    /// 0; another number draws other children from the same selection ("once more").
    #[serde(default, skip_serializing_if = "is_zero")]
    pub roll: u64,
    /// What of the children may change. Default: everything.
    #[serde(default, skip_serializing_if = "Parts::is_both")]
    pub parts: Parts,
    /// In a session's file: the step whose sheet it was made on, 0 for the first sheet; none: the step
    /// before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<usize>,
    /// What the chooser saw or wanted; kept, not read.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub why: String,
}

fn is_zero(roll: &u64) -> bool {
    *roll == 0
}

impl Selection {
    /// These places, with the config's slider.
    pub fn of(chosen: &[usize]) -> Self {
        Selection {
            chosen: chosen.to_vec(),
            slider: None,
            roll: 0,
            parts: Parts::Both,
            after: None,
            why: String::new(),
        }
    }
}

/// Why a selection was refused. The state is unchanged.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum BreedingError {
    /// Nothing was chosen.
    #[error("expected at least one chosen picture, found none")]
    NothingChosen,
    /// A place that is not on the sheet.
    #[error("expected places 0 to {last}, found {found}")]
    NotOnSheet {
        /// The last place.
        last: usize,
        /// The place as given.
        found: usize,
    },
    /// A place was chosen twice.
    #[error("place {0} is chosen twice: expected each at most once")]
    Twice(usize),
    /// Only colour may change, and the chosen have none.
    #[error("expected colour genomes to change the colour of, found a grey one at place {0}")]
    Grey(usize),
    /// A sheet that is not there.
    #[error("expected sheets 0 to {last}, found {found}")]
    NoSheet {
        /// The last sheet.
        last: usize,
        /// The number as given.
        found: usize,
    },
    /// A roll that the streams of random numbers have no room for.
    #[error("expected a roll below {MOST_ROLLS}, found {0}")]
    Roll(u64),
    /// The slider is off its scale.
    #[error("expected a slider in [0, 1], found {0}")]
    Slider(f64),
}

/// Rolls of one selection: 24 bits of the 64 that name a stream of random numbers.
const MOST_ROLLS: u64 = 1 << 24;

/// A breeding session in memory.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Breeding {
    pub(super) breeder: Breeder,
    pub(super) sheet: Brood,
    steps: Vec<Selection>,
    recorded: BTreeSet<u64>,
    past: Vec<Snapshot>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Snapshot {
    breeder: Breeder,
    sheet: Brood,
    recorded: BTreeSet<u64>,
}

impl Breeding {
    /// The first sheet: founders, or the ancestors and their children.
    pub fn new(config: EvolveConfig, seed: u64, ancestors: &[Genome]) -> Self {
        let mut breeder = Breeder::new(config, seed, ancestors);
        let sheet = first_brood(&mut breeder, ancestors);
        Breeding { breeder, sheet, steps: Vec::new(), recorded: BTreeSet::new(), past: Vec::new() }
    }

    /// The sheet to choose from, (N,).
    pub fn genomes(&self) -> &[Genome] {
        &self.sheet.genomes
    }

    /// Its births, (N,).
    pub fn births(&self) -> &[Birth] {
        &self.sheet.births
    }

    /// Selections made so far (undone ones forgotten).
    pub fn steps(&self) -> &[Selection] {
        &self.steps
    }

    /// Number of this sheet, from 0.
    pub fn generation(&self) -> u64 {
        self.breeder.generation()
    }

    /// Breeds the next sheet: the chosen parents first (if `keep_parents`), then children, each of
    /// one parent drawn uniformly among the chosen, or of two with `crossover.rate`. Where only a part
    /// may change, each has one parent: a cross mixes everything.
    ///
    /// Returns the births of the chosen not returned before.
    ///
    /// # Errors
    /// The selection cannot be; nothing changes.
    pub fn select(&mut self, selection: Selection) -> Result<Vec<Birth>, BreedingError> {
        let n = self.sheet.len();
        let slider = selection.slider.unwrap_or(self.breeder.config.mutation.slider);
        if selection.chosen.is_empty() {
            return Err(BreedingError::NothingChosen);
        }
        if !(0.0..=1.0).contains(&slider) {
            return Err(BreedingError::Slider(slider));
        }
        if selection.roll >= MOST_ROLLS {
            return Err(BreedingError::Roll(selection.roll));
        }
        let mut seen = BTreeSet::new();
        for &place in &selection.chosen {
            if place >= n {
                return Err(BreedingError::NotOnSheet { last: n - 1, found: place });
            }
            if !seen.insert(place) {
                return Err(BreedingError::Twice(place));
            }
            if selection.parts == Parts::Colour && !self.sheet.genomes[place].is_colour() {
                return Err(BreedingError::Grey(place));
            }
        }

        self.past.push(Snapshot {
            breeder: self.breeder.clone(),
            sheet: self.sheet.clone(),
            recorded: self.recorded.clone(),
        });
        let generation = self.breeder.generation();
        let mut rng = SimRng::new(self.breeder.seed, "select", generation | (selection.roll << 32));
        self.breeder.begin_generation();
        let old = std::mem::take(&mut self.sheet);
        let parent = |place: usize| Parent {
            genome: &old.genomes[place],
            id: old.births[place].id,
            fitness: 0.0,
        };
        let mut next = Brood::default();
        if self.breeder.config.reproduction.keep_parents {
            // At least one place is left for a child.
            for &place in selection.chosen.iter().take(n - 1) {
                next.push((old.genomes[place].clone(), old.births[place].clone()));
            }
        }
        while next.len() < n {
            let mother = *rng.choose(&selection.chosen).expect("checked above");
            let mut parents = vec![parent(mother)];
            let may_cross = selection.chosen.len() > 1 && selection.parts.is_both();
            if may_cross && rng.chance(self.breeder.config.crossover.rate) {
                let others: Vec<usize> =
                    selection.chosen.iter().copied().filter(|&p| p != mother).collect();
                parents.push(parent(*rng.choose(&others).expect("two are chosen")));
            }
            let stream = (selection.roll << 40) | rng.next_u64() >> 24;
            next.push(self.breeder.child(&parents, slider, selection.parts, Some(stream)));
        }
        let mut survivors: Vec<Birth> = selection
            .chosen
            .iter()
            .map(|&p| old.births[p].clone())
            .filter(|b| self.recorded.insert(b.id))
            .collect();
        survivors.sort_by_key(|b| b.id);
        self.sheet = next;
        self.steps.push(selection);
        Ok(survivors)
    }

    /// Takes back the last selection and returns it; `None` on the first sheet.
    pub fn undo(&mut self) -> Option<Selection> {
        let snapshot = self.past.pop()?;
        self.breeder = snapshot.breeder;
        self.sheet = snapshot.sheet;
        self.recorded = snapshot.recorded;
        self.steps.pop()
    }

    /// This sheet without the way to it.
    pub(super) fn without_past(&self) -> Breeding {
        Breeding { past: Vec::new(), steps: Vec::new(), ..self.clone() }
    }

    /// The session as a file to be: [`Session::replay`] leads back to this sheet.
    ///
    /// `ancestors` names the files of the genomes given to [`Breeding::new`].
    pub fn session(&self, ancestors: Vec<String>) -> Session {
        Session {
            format: SESSION_FORMAT.to_string(),
            seed: self.breeder.seed,
            ancestors,
            at: None,
            step: self.steps.clone(),
            config: self.breeder.config.clone(),
        }
    }
}

const SESSION_FORMAT: &str = "picloom-session/1";

/// A breeding session as a TOML file: seed, config, and one `[[step]]` a sheet.
///
/// ```
/// use picloom::evolve::Session;
/// let session = Session::from_toml(r#"
/// format = "picloom-session/1"
/// seed = 7
/// [config.start]
/// colour = false
/// [[step]]
/// chosen = [3, 8]
/// slider = 0.4
/// "#).unwrap();
/// let breeding = session.replay(&[]).unwrap();
/// assert_eq!(breeding.generation(), 1);
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
    /// The step whose sheet one is on, 0 for the first sheet; none: the last step.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<usize>,
    /// The selections, in order. Where one was made on an older sheet than that of the step before, the
    /// steps are a tree ([`BreedingTree`](super::BreedingTree)).
    #[serde(default)]
    pub step: Vec<Selection>,
    /// The numbers of evolution. In a hand-written file only what differs from the preset named
    /// in `config.preset` (picbreeder if none).
    pub config: EvolveConfig,
}

/// Why a session file cannot be replayed.
#[derive(Debug, thiserror::Error)]
pub enum SessionError {
    /// Not TOML, or not of this shape.
    #[error("expected a {SESSION_FORMAT} document, found: {0}")]
    Syntax(String),
    /// Another format or version.
    #[error("expected format {SESSION_FORMAT:?}, found {0:?}")]
    Format(String),
    /// An impossible number.
    #[error(transparent)]
    Config(#[from] crate::math::refusal::Refusal),
    /// A step that cannot be.
    #[error("step {step}: {error}")]
    Step {
        /// Number of the step, from 1.
        step: usize,
        /// What is wrong.
        error: BreedingError,
    },
    /// A step of a sheet, or a place to be, that is not there.
    #[error("expected sheets 0 to {last}, found {found}")]
    Sheet {
        /// The last sheet there is by then.
        last: usize,
        /// The number as given.
        found: usize,
    },
}

impl Session {
    /// A session without steps.
    pub fn new(config: EvolveConfig, seed: u64, ancestors: Vec<String>) -> Self {
        Session {
            format: SESSION_FORMAT.to_string(),
            seed,
            ancestors,
            at: None,
            step: Vec::new(),
            config,
        }
    }

    /// A session from TOML text; `config` is laid over its preset.
    ///
    /// # Errors
    /// Not TOML, unknown keys, another format, impossible numbers.
    pub fn from_toml(text: &str) -> Result<Session, SessionError> {
        let syntax = |e: &dyn std::fmt::Display| SessionError::Syntax(e.to_string());
        let mut table: toml::Table = text.parse().map_err(|e| syntax(&e))?;
        let overrides = match table.remove("config") {
            None => toml::Table::new(),
            Some(toml::Value::Table(t)) => t,
            Some(other) => return Err(syntax(&format!("config = {other}"))),
        };
        let config = EvolveConfig::over_preset(Preset::Picbreeder, overrides)
            .map_err(SessionError::Syntax)?;
        let config = toml::Value::try_from(config).map_err(|e| syntax(&e))?;
        table.insert("config".into(), config);
        let session: Session = table.try_into().map_err(|e| syntax(&e))?;
        if session.format != SESSION_FORMAT {
            return Err(SessionError::Format(session.format));
        }
        session.config.validate()?;
        Ok(session)
    }

    /// The session as TOML text, every number written out.
    pub fn to_toml(&self) -> String {
        toml::to_string(self).expect("a session is plain data")
    }

    /// True if it is more than a line of selections that ends where one is.
    pub fn is_tree(&self) -> bool {
        self.at.is_some() || self.step.iter().any(|step| step.after.is_some())
    }

    /// The steps that lead from the first sheet to where one is, by number from 1.
    ///
    /// # Errors
    /// A sheet that is not there.
    pub fn way(&self) -> Result<Vec<usize>, SessionError> {
        for (i, step) in self.step.iter().enumerate() {
            if let Some(found) = step.after.filter(|after| *after > i) {
                return Err(SessionError::Sheet { last: i, found });
            }
        }
        let (last, mut at) = (self.step.len(), self.at.unwrap_or(self.step.len()));
        if at > last {
            return Err(SessionError::Sheet { last, found: at });
        }
        let mut way = Vec::new();
        while at > 0 {
            way.push(at);
            at = self.step[at - 1].after.unwrap_or(at - 1);
        }
        way.reverse();
        Ok(way)
    }

    /// Replays the steps that lead from the first sheet to where one is. `ancestors` are the genomes of
    /// the named files.
    ///
    /// # Errors
    /// The first step that cannot be.
    pub fn replay(&self, ancestors: &[Genome]) -> Result<Breeding, SessionError> {
        let way = self.way()?;
        let mut breeding = Breeding::new(self.config.clone(), self.seed, ancestors);
        for step in way {
            let selection = Selection { after: None, ..self.step[step - 1].clone() };
            breeding.select(selection).map_err(|error| SessionError::Step { step, error })?;
        }
        Ok(breeding)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::genome::to_json;

    fn texts(breeding: &Breeding) -> Vec<String> {
        breeding.genomes().iter().map(to_json).collect()
    }

    fn picbreeder(seed: u64) -> Breeding {
        Breeding::new(EvolveConfig::preset(Preset::Picbreeder), seed, &[])
    }

    #[test]
    fn undo_leads_back_to_the_same_sheet_and_forward_again() {
        let mut breeding = picbreeder(3);
        let first = breeding.clone();
        breeding.select(Selection::of(&[2, 9])).unwrap();
        let second = texts(&breeding);
        assert_eq!(breeding.undo(), Some(Selection::of(&[2, 9])));
        assert_eq!(breeding, first);
        assert_eq!(breeding.undo(), None);
        breeding.select(Selection::of(&[2, 9])).unwrap();
        assert_eq!(texts(&breeding), second);
        breeding.undo();
        let once_more = Selection { roll: 1, ..Selection::of(&[2, 9]) };
        breeding.select(once_more).unwrap();
        let other = texts(&breeding);
        assert_eq!(other[..2], second[..2], "parents stay");
        assert_ne!(other[2..], second[2..], "another roll draws other children");
    }

    #[test]
    fn a_session_file_replays_to_the_same_bits() {
        let mut breeding = picbreeder(11);
        for step in 0..30 {
            breeding.select(Selection::of(&[step % 15, (step + 4) % 15])).unwrap();
        }
        let text = breeding.session(Vec::new()).to_toml();
        let again = Session::from_toml(&text).unwrap().replay(&[]).unwrap();
        assert_eq!(texts(&again), texts(&breeding));
        assert_eq!(again.births(), breeding.births());
    }

    #[test]
    fn impossible_selections_change_nothing() {
        let mut breeding = picbreeder(3);
        let before = breeding.clone();
        let sliding = |slider| Selection { slider: Some(slider), ..Selection::of(&[1]) };
        assert_eq!(breeding.select(Selection::of(&[])), Err(BreedingError::NothingChosen));
        assert_eq!(
            breeding.select(Selection::of(&[15])).unwrap_err().to_string(),
            "expected places 0 to 14, found 15"
        );
        assert_eq!(breeding.select(Selection::of(&[4, 4])), Err(BreedingError::Twice(4)));
        assert_eq!(breeding.select(sliding(1.5)), Err(BreedingError::Slider(1.5)));
        assert_eq!(breeding, before);
        let bad = "format = \"picloom-session/1\"\nseed = 1\ncolour = 3\n";
        assert!(Session::from_toml(bad).unwrap_err().to_string().contains("colour"));
        let bad = "format = \"picloom-session/1\"\nseed = 1\n[[step]]\nchosen = [99]\n";
        let error = Session::from_toml(bad).unwrap().replay(&[]).unwrap_err();
        assert_eq!(error.to_string(), "step 1: expected places 0 to 14, found 99");
    }
}
