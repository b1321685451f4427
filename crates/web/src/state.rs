//! The state of a page, and the types that its answers share.

use crate::held::{Held, Loaded, genome_from, short, stem};
use picloom_engine::evolve::{Breeding, Session};
use picloom_engine::genome::{Genome, Provenance, to_json};
use picloom_engine::network::{Mask, Weights};
use picloom_engine::page::{About, Learned, NetworkRequest, PageNetwork, Shelf};
use picloom_engine::probe::{Delta, Perturbation, View};
use picloom_engine::score::{DlJudge, Exhibit};
use picloom_engine::train::{TrainConfig, Trainer};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;

/// Most pictures on a sheet.
pub(crate) const LARGEST_GRID: usize = 60;
/// Most steps of a session in a link.
const MOST_STEPS: usize = 400;
/// The beginning of a session's text.
const FORMAT: &str = "picloom-web-session/1";

/// An answer, or why there is none, in words.
pub(crate) type Answered = Result<Answer, String>;

/// JSON, and bytes where there are pictures.
pub(crate) struct Answer {
    /// The JSON.
    pub json: String,
    /// The bytes.
    pub bytes: Vec<u8>,
}

impl Answer {
    /// Plain data.
    pub(crate) fn of(value: &impl Serialize) -> Answered {
        Answer::with(value, Vec::new())
    }

    /// Plain data and bytes.
    pub(crate) fn with(value: &impl Serialize, bytes: Vec<u8>) -> Answered {
        let json = serde_json::to_string(value).map_err(|e| e.to_string())?;
        Ok(Answer { json, bytes })
    }
}

/// Everything that a page works with.
#[derive(Default)]
pub(crate) struct Desk {
    /// Networks by id.
    pub held: Held,
    /// Breeding sessions by number.
    pub sessions: Sessions,
    /// Trainings by number.
    pub trainings: Trainings,
    /// Scores that are being taken.
    pub scorings: Scorings,
}

impl Desk {
    /// The network of an id; one on a sheet is held from then on.
    pub(crate) fn load(&mut self, request: &NetworkRequest) -> Result<Rc<Loaded>, String> {
        let id = &request.id;
        if !self.held.is_kept(id)
            && let Some(genome) = genome_of(self, id)?
        {
            self.held.hold(id, &to_json(&genome))?;
        }
        self.held.load(request)
    }
}

impl Shelf for Desk {
    type Refusal = String;
    type Network = Rc<Loaded>;
    const MADE_BY: &'static str = "picloom web";

    fn network(&mut self, request: &NetworkRequest) -> Result<Rc<Loaded>, String> {
        self.load(request)
    }

    fn parts(network: &Rc<Loaded>) -> PageNetwork<'_> {
        let Loaded { model, genome, coords, size, learned, .. } = &**network;
        let genome = genome.as_ref();
        PageNetwork { model, genome, coords: *coords, size: *size, trained: learned.is_some() }
    }

    fn about(&mut self, _: &str, network: &Rc<Loaded>) -> About {
        let Loaded { name, what, learned, .. } = &**network;
        let learned = learned.as_ref().map(|(target, r2)| Learned {
            picture: if target.is_empty() { name.clone() } else { short(stem(target), 40) },
            target: Some(target.clone()).filter(|target| !target.is_empty()),
            r2: *r2,
            ..Learned::default()
        });
        About { name: name.clone(), what: what.clone(), learned }
    }

    fn view(&mut self, network: &Rc<Loaded>, size: usize) -> Result<Arc<View>, String> {
        self.held.view(network, size)
    }
}

/// A score that is being taken.
pub(crate) struct Scoring {
    pub(crate) exhibit: Exhibit,
    pub(crate) judge: DlJudge,
    pub(crate) delta: Delta,
    pub(crate) links: Vec<usize>,
    pub(crate) done: usize,
    pub(crate) swept: Vec<Perturbation>,
}

/// Scores by number.
pub(crate) type Scorings = BTreeMap<usize, Scoring>;

/// A training.
pub(crate) struct Training {
    pub(crate) trainer: Trainer,
    pub(crate) config: TrainConfig,
    /// The network, its name, what it learns. Its weights are those it began with.
    pub(crate) loaded: Loaded,
    /// (W,) links that there are at most.
    pub(crate) most: Mask,
    /// (W,) weights of links that were pruned, as they were before.
    pub(crate) before: Weights,
    pub(crate) target_id: String,
    pub(crate) variance: f64,
    /// Steps made before the links were last changed.
    pub(crate) steps: u64,
    pub(crate) why: Option<String>,
}

/// Trainings by number.
pub(crate) type Trainings = BTreeMap<usize, Training>;

/// A session, and the genomes that it began from.
pub(crate) struct Kept {
    /// Its name, for people.
    pub name: String,
    pub(crate) tree: Breeding,
    pub(crate) ancestors: Vec<String>,
}

/// Sessions by number.
#[derive(Default)]
pub(crate) struct Sessions {
    kept: BTreeMap<usize, Kept>,
}

/// A session as text: what a link carries.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct SessionText {
    format: String,
    name: String,
    /// As in the session's file.
    session: Session,
    /// The genomes that it began from.
    ancestors: Vec<String>,
}

/// The session of a text; `None` if the text is something else.
pub(crate) fn from_text(text: &str) -> Result<Option<Kept>, String> {
    if !text.contains(FORMAT) {
        return Ok(None);
    }
    let text: SessionText = serde_json::from_str(text)
        .map_err(|e| format!("expected a {FORMAT} document, found: {e}"))?;
    let session = text.session;
    session.config.validate().map_err(|e| e.to_string())?;
    let (steps, grid) = (session.step.len(), session.config.reproduction.population);
    if steps > MOST_STEPS || grid > LARGEST_GRID || text.ancestors.len() > LARGEST_GRID {
        return Err(format!(
            "expected a session of at most {MOST_STEPS} steps and {LARGEST_GRID} pictures a sheet, found {steps} and {grid}; breed it with the command picloom"
        ));
    }
    let genomes =
        text.ancestors.iter().map(|text| genome_from(text)).collect::<Result<Vec<_>, _>>()?;
    let tree = Breeding::new(session, &genomes).map_err(|e| e.to_string())?;
    let name = text.name.chars().take(60).collect();
    Ok(Some(Kept { name, tree, ancestors: text.ancestors }))
}

impl Sessions {
    /// Keeps a session: its number.
    pub(crate) fn add(&mut self, kept: Kept) -> usize {
        let number = self.kept.keys().last().map_or(1, |last| last + 1);
        self.kept.insert(number, kept);
        number
    }

    pub(crate) fn get(&mut self, number: usize) -> Result<&mut Kept, String> {
        let gone = "this page does not have the session any more; open its link again";
        self.kept.get_mut(&number).ok_or_else(|| gone.into())
    }

    /// The text of a session.
    pub(crate) fn text(&mut self, number: usize) -> Result<String, String> {
        let Kept { name, tree, ancestors } = self.get(number)?;
        let text = SessionText {
            format: FORMAT.into(),
            name: name.clone(),
            session: tree.session().clone(),
            ancestors: ancestors.clone(),
        };
        serde_json::to_string(&text).map_err(|e| e.to_string())
    }
}

/// The genome at `bred/SESSION/SHEET/PLACE`; none for an id of another kind.
pub(crate) fn genome_of(desk: &mut Desk, id: &str) -> Result<Option<Genome>, String> {
    let Some(rest) = id.strip_prefix("bred/") else { return Ok(None) };
    let numbers: Vec<usize> = rest.split('/').filter_map(|n| n.parse().ok()).collect();
    let [number, sheet, place] = numbers[..] else {
        return Err("expected a session, a sheet and a place, found another id".into());
    };
    placed(desk.sessions.get(number)?, Some(sheet), place).map(Some)
}

/// The genome at a place of a sheet, saying how it was bred.
pub(crate) fn placed(kept: &Kept, node: Option<usize>, place: usize) -> Result<Genome, String> {
    let node = node.unwrap_or(kept.tree.at());
    let line = kept.tree.ancestry(node, place).map_err(|e| e.to_string())?;
    let mut genome =
        line.last().map(|genome| (*genome).clone()).ok_or("expected a genome, found none")?;
    let birth = &kept.tree.sheet(node).map_err(|e| e.to_string())?.births()[place];
    let notes = [("sheet", node.to_string()), ("place", place.to_string())];
    genome.provenance = Provenance {
        name: format!("{}, picture {}", kept.name, place + 1),
        made_by: "picloom web".into(),
        parents: birth.parents.iter().map(u64::to_string).collect(),
        notes: notes.map(|(name, value)| (name.to_string(), value)).into(),
        ..Provenance::default()
    };
    Ok(genome)
}
