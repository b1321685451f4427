//! Where a page's networks are kept, and why there may be no answer.

use super::networks::{NetworkRequest, PageNetwork};
use crate::base::refusal::Refusal;
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
