//! Where a page's networks and sessions are kept, and why there may be no answer.

use super::networks::{NetworkRequest, PageNetwork};
use super::sessions::Shown;
use crate::base::refusal::Refusal;
use crate::evolve::{Breeding, Session};
use crate::genome::Genome;
use crate::probe::View;
use std::sync::Arc;

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
    /// A session has changed since the page saw it; with how it stands now.
    #[error("{0}")]
    Stale(String, Box<Shown>),
    /// Nobody waits for the answer any more.
    #[error("whoever asked has left")]
    Left,
}

impl From<Refusal> for PageError {
    fn from(refusal: Refusal) -> Self {
        PageError::Bad(refusal.to_string())
    }
}

impl From<PageError> for String {
    fn from(error: PageError) -> Self {
        error.to_string()
    }
}

/// The store behind a page: files for the studio, memory for the browser. The answers of the page are written once,
/// over this.
pub trait Shelf {
    /// A refusal as the store answers it.
    type Refusal: From<PageError>;
    /// A network ready to be looked at.
    type Network;
    /// The program that its genomes say they were made by.
    const MADE_BY: &'static str;

    /// The network of an id.
    ///
    /// # Errors
    /// There is none, or it is damaged.
    fn network(&mut self, request: &NetworkRequest) -> Result<Self::Network, Self::Refusal>;

    /// Its parts.
    fn parts(network: &Self::Network) -> PageNetwork<'_>;

    /// Its names, for people.
    fn about(&mut self, id: &str, network: &Self::Network) -> About;

    /// A view of a network at `size`².
    ///
    /// # Errors
    /// It needs more memory than there is.
    fn view(&mut self, network: &Self::Network, size: usize) -> Result<Arc<View>, Self::Refusal>;

    /// True once nobody waits for the answer any more.
    fn has_left(&self) -> bool {
        false
    }

    /// Keeps a new session, and the genomes that it begins from under the names that it is going to have for them;
    /// its key.
    ///
    /// # Errors
    /// It cannot be bred, or not be kept.
    fn begin(
        &mut self,
        name: &str,
        session: Session,
        ancestors: &[Genome],
    ) -> Result<String, Self::Refusal>;

    /// The sheets of the session with this key.
    ///
    /// # Errors
    /// There is none, or it is damaged.
    fn tree(&mut self, session: &str) -> Result<Breeding, Self::Refusal>;

    /// Keeps a session as it has become, if it still is as the page has seen it; what is done `meanwhile`.
    ///
    /// # Errors
    /// It cannot be kept, or has changed.
    fn keep<T>(
        &mut self,
        session: &str,
        seen: &str,
        tree: &Breeding,
        meanwhile: impl FnOnce() -> T,
    ) -> Result<T, Self::Refusal>;

    /// The names of a session.
    ///
    /// # Errors
    /// There is none.
    fn label(&mut self, session: &str) -> Result<Label, Self::Refusal>;

    /// Ids of the genomes that were published from the session with this id.
    fn published(&self, _id: &str) -> Vec<String> {
        Vec::new()
    }

    /// Milliseconds since some moment; 0 where there is no clock.
    fn milliseconds() -> f64 {
        0.0
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

/// What people know of a network.
pub struct About {
    /// Its name.
    pub name: String,
    /// Its kind, in words.
    pub what: String,
    /// Its training; `None` for a network that was not trained.
    pub learned: Option<Learned>,
}

/// What a network was trained on, and how well it learned.
#[derive(Default)]
pub struct Learned {
    /// Name of the picture.
    pub picture: String,
    /// Id of the picture, where the page has it.
    pub target: Option<String>,
    /// R² of the picture, if it is known.
    pub r2: Option<f64>,
    /// The seed of the training, if it is known.
    pub seed: Option<u64>,
    /// Values of the factors in the first picture that it learned.
    pub at: Option<Vec<f64>>,
}
