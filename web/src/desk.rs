//! What can be asked, and who answers it.

use crate::held::Held;
use crate::networks::{self, AskedLink, AskedNetwork, AskedPicture};
use crate::scoring::{self, Scorings};
use crate::sessions::{self, Begin, Choice, Move, Placed, Sessions, Sheet};
use crate::training::{self, BeginTraining, Pruning, Step, Trainings};
use serde::{Deserialize, Serialize};

/// An answer, or why there is none, in words.
pub type Answered = Result<Answer, String>;

/// JSON, and bytes where there are pictures.
pub struct Answer {
    /// The JSON.
    pub json: String,
    /// The bytes.
    pub bytes: Vec<u8>,
}

impl Answer {
    /// Plain data.
    pub fn of(value: &impl Serialize) -> Answered {
        Answer::with(value, Vec::new())
    }

    /// Plain data and bytes.
    pub fn with(value: &impl Serialize, bytes: Vec<u8>) -> Answered {
        let json = serde_json::to_string(value).map_err(|e| e.to_string())?;
        Ok(Answer { json, bytes })
    }
}

/// What a page has at hand.
#[derive(Default)]
pub struct Desk {
    /// Networks by id.
    pub held: Held,
    /// Breeding sessions by number.
    pub sessions: Sessions,
    /// Trainings by number.
    pub trainings: Trainings,
    /// Scores that are being taken.
    pub scorings: Scorings,
}

/// A request. Names and fields are those of the studio's addresses where it has them.
#[derive(Deserialize)]
#[serde(tag = "ask", rename_all = "kebab-case")]
enum Question {
    /// The genomes and the trained network that come with the program.
    Library,
    /// Keeps a genome, a trained network or a session, as text, under an id.
    Hold { id: String, text: String },
    /// The text that `hold` takes again.
    Text { id: String },
    /// Everything to draw a network by itself.
    Network(AskedNetwork),
    /// What it draws.
    Picture(AskedPicture),
    /// What every unit draws.
    Maps(AskedPicture),
    /// How far a weight must move.
    Matched(AskedLink),
    /// Weights by how far they must move.
    Ranked(AskedNetwork),
    /// A genome as a file, some weights set.
    Genome(AskedPicture),
    /// Begins a session.
    Sessions(Begin),
    /// A session on a sheet.
    Session(Sheet),
    /// The pictures of a sheet.
    Sheet(Sheet),
    /// The next sheet.
    Breed(Choice),
    /// Its pictures, before it is asked for.
    Foresee(Choice),
    /// To the sheet before.
    Undo(Move),
    /// To the sheet after.
    Redo(Move),
    /// To any sheet.
    Goto(Move),
    /// One picture of a sheet.
    SessionPicture(Placed),
    /// One genome of a sheet.
    SessionGenome(Placed),
    /// Begins a training.
    Train(BeginTraining),
    /// Trains on, and shows it.
    TrainStep(Step),
    /// Keeps so many links of a training.
    TrainPrune(Pruning),
    /// Trains at another rate.
    TrainRate { job: usize, lr: f64 },
    /// What a training has come to, as the text of a network.
    TrainText { job: usize },
    /// Lets a training go.
    TrainEnd { job: usize },
    /// Begins a score.
    Score(scoring::BeginScore),
    /// Judges some more weights.
    ScoreNext { job: usize },
}

/// Answers a request.
pub fn answer(desk: &mut Desk, json: &[u8], bytes: &[u8]) -> Answered {
    let question: Question = serde_json::from_slice(json)
        .map_err(|e| format!("the page asked for what the engine does not know: {e}"))?;
    match question {
        Question::Library => networks::library(),
        Question::Hold { id, text } => hold(desk, &id, &text),
        Question::Text { id } => text(desk, &id),
        Question::Network(asked) => networks::network(desk, &asked),
        Question::Picture(asked) => networks::picture(desk, &asked),
        Question::Maps(asked) => networks::maps(desk, &asked),
        Question::Matched(asked) => networks::matched(desk, &asked),
        Question::Ranked(asked) => networks::ranked(desk, &asked),
        Question::Genome(asked) => networks::genome(desk, &asked),
        Question::Sessions(wanted) => sessions::begin(desk, wanted),
        Question::Session(asked) => sessions::session(desk, &asked),
        Question::Sheet(asked) => sessions::sheet(desk, &asked),
        Question::Breed(choice) => sessions::breed(desk, &choice),
        Question::Foresee(choice) => sessions::foresee(desk, &choice),
        Question::Undo(way) => sessions::undo(desk, &way),
        Question::Redo(way) => sessions::redo(desk, &way),
        Question::Goto(way) => sessions::go_to(desk, &way),
        Question::SessionPicture(asked) => sessions::picture(desk, &asked),
        Question::SessionGenome(asked) => sessions::genome(desk, &asked),
        Question::Train(wanted) => training::begin(desk, wanted, bytes),
        Question::TrainStep(step) => training::step(desk, &step),
        Question::TrainPrune(pruning) => training::prune(desk, &pruning),
        Question::TrainRate { job, lr } => training::rate(desk, job, lr),
        Question::TrainText { job } => training::text(desk, job),
        Question::TrainEnd { job } => training::end(desk, job),
        Question::Score(wanted) => scoring::begin(desk, &wanted),
        Question::ScoreNext { job } => scoring::next(desk, job),
    }
}

#[derive(Serialize)]
struct Taken {
    kind: &'static str,
    name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    session: Option<usize>,
}

fn hold(desk: &mut Desk, id: &str, text: &str) -> Answered {
    if let Some(kept) = sessions::from_text(text)? {
        let name = kept.name.clone();
        let session = desk.sessions.add(kept);
        return Answer::of(&Taken { kind: "session", name, session: Some(session) });
    }
    let (kind, name) = desk.held.hold(id, text)?;
    Answer::of(&Taken { kind, name, session: None })
}

#[derive(Serialize)]
struct Text {
    text: String,
}

fn text(desk: &mut Desk, id: &str) -> Answered {
    let text = match id.strip_prefix("session/").and_then(|n| n.parse().ok()) {
        Some(n) => desk.sessions.text(n)?,
        None => match sessions::genome_of(desk, id)? {
            Some(genome) => picloom_engine::genome::to_json(&genome),
            None => desk.held.text(id)?,
        },
    };
    Answer::of(&Text { text })
}
