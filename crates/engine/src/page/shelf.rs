//! Where a page's networks and sessions are kept, and why there may be no answer.

use super::tree::Shown;
use crate::base::refusal::Refusal;
use crate::evolve::{Breeding, Session};
use crate::genome::{Genome, Palette};
use crate::network::{Coords, Model, Picture, Wiring};
use crate::probe::View;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// The request is not as it must be, for this reason.
pub(super) fn bad(error: impl ToString) -> PageError {
    PageError::Bad(error.to_string())
}

/// Why a page gets no answer.
#[derive(Debug, thiserror::Error)]
pub enum PageError {
    /// The request is not as it must be.
    #[error("{0}")]
    Bad(String),
    /// There is no such thing.
    #[error("{0}")]
    Missing(String),
    /// More than is drawn.
    #[error("{0}")]
    Large(String),
    /// It has changed since the page saw it, or another writes it; with how a session stands now.
    #[error("{0}")]
    Stale(String, Option<Box<Shown>>),
    /// Nobody waits for the answer any more.
    #[error("whoever asked has left")]
    Left,
    /// The store fails.
    #[error("{0}")]
    Failed(String),
}

impl From<Refusal> for PageError {
    fn from(refusal: Refusal) -> Self {
        PageError::Bad(refusal.to_string())
    }
}

impl From<String> for PageError {
    fn from(why: String) -> Self {
        PageError::Bad(why)
    }
}

impl From<PageError> for String {
    fn from(error: PageError) -> Self {
        error.to_string()
    }
}

/// An answer, or why there is none.
pub type Answered<T> = Result<T, PageError>;

/// An answer in JSON, and the bytes that follow it.
pub type WatchedAnswer = (String, Vec<u8>);

/// Writes an answer.
pub(super) fn answer(value: &impl Serialize, bytes: Vec<u8>) -> Answered<WatchedAnswer> {
    let json = serde_json::to_string(value).map_err(|e| PageError::Failed(e.to_string()))?;
    Ok((json, bytes))
}

/// The store behind a page: files for the studio, memory for the browser. The answers of the page are written once,
/// over this.
pub trait Shelf {
    /// A network ready to be looked at.
    type Network;
    /// The program that its genomes say they were made by.
    const MADE_BY: &'static str;

    /// The network of an id.
    ///
    /// # Errors
    /// There is none, or it is damaged.
    fn network(&mut self, request: &NetworkRequest) -> Answered<Self::Network>;

    /// Its parts.
    fn parts(network: &Self::Network) -> PageNetwork<'_>;

    /// Its names, for people.
    fn about(&mut self, id: &str, network: &Self::Network) -> About;

    /// The picture that a training of a network learns, and its id: the one with the id `wanted`, else the one that
    /// the network learned. `None` if it was not trained.
    ///
    /// # Errors
    /// There is no such picture.
    fn target(
        &mut self,
        network: &Self::Network,
        wanted: Option<&str>,
        size: usize,
    ) -> Answered<Option<(String, Picture)>>;

    /// A view of a network at `size`².
    ///
    /// # Errors
    /// It needs more memory than there is.
    fn view(&mut self, network: &Self::Network, size: usize) -> Answered<Arc<View>>;

    /// True once nobody waits for the answer any more.
    fn has_left(&self) -> bool {
        false
    }

    /// Keeps a new session and the genomes that it begins from, by names of its own choice. Returns the key of the
    /// session.
    ///
    /// # Errors
    /// It cannot be bred, or not be kept.
    fn begin(&mut self, name: &str, session: Session, ancestors: &[Genome]) -> Answered<String>;

    /// The sheets of the session with this key.
    ///
    /// # Errors
    /// There is none, or it is damaged.
    fn tree(&mut self, session: &str) -> Answered<Breeding>;

    /// Keeps a session as it has become, if it still is as the page has seen it. Returns the result of `meanwhile`.
    ///
    /// # Errors
    /// It cannot be kept, or has changed.
    fn keep<T>(
        &mut self,
        session: &str,
        seen: &str,
        tree: &Breeding,
        meanwhile: impl FnOnce() -> T,
    ) -> Answered<T>;

    /// The names of a session.
    ///
    /// # Errors
    /// There is none.
    fn label(&mut self, session: &str) -> Answered<Label>;

    /// Ids of the genomes that were published from the session with this id.
    fn published(&self, _id: &str) -> Vec<String> {
        Vec::new()
    }

    /// Milliseconds since some moment; 0 where there is no clock.
    fn milliseconds() -> f64 {
        0.0
    }
}

/// The address of a network.
#[derive(Clone, Debug, Deserialize)]
pub struct NetworkRequest {
    /// Id of the network: the shelf knows what it names.
    pub id: String,
    /// How a genome is wired.
    #[serde(default)]
    pub wiring: Wiring,
}

impl NetworkRequest {
    /// The network with this id, a genome as it was evolved.
    pub fn graph(id: impl Into<String>) -> Self {
        NetworkRequest { id: id.into(), wiring: Wiring::Graph }
    }
}

/// The parts of a network that its pictures follow from.
pub struct PageNetwork<'a> {
    /// The network.
    pub model: &'a Model,
    /// Its genome, or the one whose graph was trained.
    pub genome: Option<&'a Genome>,
    /// Coordinate convention.
    pub coords: Coords,
    /// Pixels along its picture.
    pub size: usize,
    /// Whether its weights were trained.
    pub trained: bool,
    /// The colours that its picture is shown in. A trained network has those of the genome whose picture it learned, so
    /// that both look alike; what is trained and measured has every colour.
    pub palette: Palette,
}

impl<'a> PageNetwork<'a> {
    /// The genome whose weights these are.
    pub(super) fn own(&self) -> Option<&'a Genome> {
        self.genome.filter(|_| !self.trained)
    }
}

/// The names of a session.
pub struct Label {
    /// Its id; that of a picture has the numbers of sheet and place behind it, between slashes.
    pub id: String,
    /// Its name, for people.
    pub name: String,
    /// The origin that a genome bred in it notes.
    pub origin: String,
}

/// The facts about a network, for people.
#[derive(Serialize)]
pub struct About {
    /// Its name.
    pub name: String,
    /// Its kind, in words.
    pub what: String,
    /// Name of the picture that it draws.
    pub picture: String,
    /// Id of the picture that it learned, where the page has it.
    pub target: Option<String>,
    /// R² of the picture that it learned.
    pub r2: Option<f64>,
    /// Seed of its training.
    pub seed: Option<u64>,
    /// Values of the factors that the picture begins with: the first that a run learned. Empty: 0 each.
    pub at: Vec<f64>,
    /// Whether it is a genome in a file of its owner, who may rename and remove it.
    pub own: bool,
}
