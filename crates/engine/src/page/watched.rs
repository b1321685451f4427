//! Trainings and scores that somebody looks on at: a few steps or weights an answer, with pictures. Both live in
//! memory, by number.

use super::scoring::Scoring;
use super::shelf::{Answered, PageError, Shelf, WatchedAnswer, answer};
use super::training::Training;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use std::sync::{Arc, Mutex, PoisonError};

/// Trainings, and scores, that are kept at most. A new one takes the place of the one that nobody has asked for the longest.
const MOST: usize = 8;

/// Trainings and scores that pages look on at.
#[derive(Default)]
pub struct Watched {
    /// Trainings by number.
    pub trainings: Works<Training>,
    /// Scores by number.
    pub scores: Works<Scoring>,
}

/// Work of a kind by number. The one that was asked for last comes last.
pub struct Works<W>(Mutex<(usize, Numbered<W>)>);

type Numbered<W> = Vec<(usize, Arc<Mutex<W>>)>;

impl<W> Default for Works<W> {
    fn default() -> Self {
        Works(Mutex::default())
    }
}

/// The number of a training or a score.
#[derive(Deserialize)]
struct Job {
    job: usize,
}

/// The fields of a request that `T` names.
fn read<T: DeserializeOwned>(json: &[u8]) -> Answered<T> {
    serde_json::from_slice(json).map_err(|e| {
        PageError::Bad(format!("expected the parameters of this address, found other text: {e}"))
    })
}

fn gone() -> PageError {
    PageError::Missing("it is not kept any more; begin it again".into())
}

impl<W> Works<W> {
    /// Keeps one more. Returns what `begun` says of its number.
    fn begin<T>(&self, work: W, begun: impl FnOnce(&W, usize) -> Answered<T>) -> Answered<T> {
        let mut works = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (count, kept) = &mut *works;
        *count += 1;
        let answer = begun(&work, *count)?;
        kept.drain(..(kept.len() + 1).saturating_sub(MOST));
        kept.push((*count, Arc::new(Mutex::new(work))));
        Ok(answer)
    }

    /// Lets the work of a request go; returns its number.
    fn end(&self, json: &[u8]) -> Answered<usize> {
        let Job { job } = read(json)?;
        let kept = &mut self.0.lock().unwrap_or_else(PoisonError::into_inner).1;
        let at = kept.iter().position(|(known, _)| *known == job).ok_or_else(gone)?;
        Ok(kept.remove(at).0)
    }

    /// Acts on the work of a request.
    ///
    /// # Errors
    /// It is not kept any more, or `act` fails.
    pub fn at<T>(&self, json: &[u8], act: impl FnOnce(&mut W) -> Answered<T>) -> Answered<T> {
        let Job { job } = read(json)?;
        let work = {
            let kept = &mut self.0.lock().unwrap_or_else(PoisonError::into_inner).1;
            let at = kept.iter().position(|(known, _)| *known == job).ok_or_else(gone)?;
            kept[at..].rotate_left(1);
            kept[kept.len() - 1].1.clone()
        };
        act(&mut work.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// Answers a request about a training or a score. `bytes` is the picture that a training learns, where the page
/// brings it: RGB.
///
/// # Errors
/// The request is not as it must be, or there is no such network, training or score.
pub fn watch<S: Shelf>(
    shelf: &mut S,
    watched: &Watched,
    ask: &str,
    json: &[u8],
    bytes: &[u8],
) -> Answered<WatchedAnswer> {
    let Watched { trainings, scores } = watched;
    match ask {
        // A training: begun, some steps on, with so many links, at another rate, as text, let go.
        "train" => {
            let training = Training::begin(shelf, &read(json)?, &read(json)?, bytes)?;
            trainings.begin(training, Training::begun)
        }
        "train-step" => {
            let step = read(json)?;
            trainings.at(json, |training| training.step(&step, &|| shelf.has_left()))
        }
        "train-prune" => {
            let pruning = read(json)?;
            trainings.at(json, |training| training.prune(&pruning))
        }
        "train-rate" => {
            let rate = read(json)?;
            trainings.at(json, |training| training.rate(&rate))
        }
        "train-text" => trainings.at(json, |training| training.text()),
        "train-end" => answer(&trainings.end(json)?, Vec::new()),
        // A score: begun, some more weights judged.
        "score" => {
            let scoring = Scoring::begin(shelf, &read(json)?, &read(json)?)?;
            scores.begin(scoring, Scoring::begun)
        }
        "score-next" => scores.at(json, Scoring::next),
        _ => {
            let ask: String = ask.chars().take(80).collect();
            Err(PageError::Missing(format!("{ask:?}: expected an address of this page")))
        }
    }
}
