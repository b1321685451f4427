//! Trainings and scores that somebody looks on at: a few steps or weights an answer, with pictures. Both live in
//! memory, by number.

use super::scoring::Scoring;
use super::shelf::{Answered, PageError, Shelf};
use super::training::Training;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::sync::{Arc, Mutex, PoisonError};

/// Trainings and scores that are kept. A new one takes the place of the one that nobody has asked for the longest.
const MOST: usize = 8;

/// Trainings and scores that pages look on at.
#[derive(Default)]
pub struct Watched(Mutex<Works>);

#[derive(Default)]
struct Works {
    begun: usize,
    /// By number. The one that was asked for last comes last.
    kept: Vec<(usize, Arc<Mutex<Work>>)>,
}

enum Work {
    Training(Box<Training>),
    Scoring(Box<Scoring>),
}

/// An answer in JSON, and the bytes that follow it.
pub type WatchedAnswer = (String, Vec<u8>);

/// Writes an answer.
pub(super) fn answer(value: &impl Serialize, bytes: Vec<u8>) -> Answered<WatchedAnswer> {
    let json = serde_json::to_string(value).map_err(|e| PageError::Failed(e.to_string()))?;
    Ok((json, bytes))
}

/// The number of a training or a score.
#[derive(Deserialize)]
struct Job {
    job: usize,
}

/// The fields of a request that `T` names.
fn read<T: DeserializeOwned>(json: &[u8]) -> Answered<T> {
    serde_json::from_slice(json)
        .map_err(|e| PageError::Bad(format!("expected the parameters of this address, found: {e}")))
}

impl Watched {
    /// Makes room for one more; its number.
    fn next(&self) -> usize {
        let mut works = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        works.begun += 1;
        let too_many = (works.kept.len() + 1).saturating_sub(MOST);
        works.kept.drain(..too_many);
        works.begun
    }

    fn put(&self, job: usize, work: Work) {
        let mut works = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        works.kept.push((job, Arc::new(Mutex::new(work))));
    }

    /// Takes one out of the list.
    fn take(&self, job: usize) -> Option<Arc<Mutex<Work>>> {
        let mut works = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let at = works.kept.iter().position(|(known, _)| *known == job)?;
        Some(works.kept.remove(at).1)
    }

    /// The work of a request, as the one that was asked for last.
    fn at<T>(&self, json: &[u8], act: impl FnOnce(&mut Work) -> Answered<T>) -> Answered<T> {
        let Job { job } = read(json)?;
        let gone = "it is not kept any more; begin it again";
        let work = self.take(job).ok_or_else(|| PageError::Missing(gone.into()))?;
        let mut works = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        works.kept.push((job, work.clone()));
        drop(works);
        let mut work = work.lock().unwrap_or_else(PoisonError::into_inner);
        act(&mut work)
    }

    /// Acts on the training of a request.
    ///
    /// # Errors
    /// It is not kept any more, or `act` fails.
    pub fn training<T>(
        &self,
        json: &[u8],
        act: impl FnOnce(&mut Training) -> Answered<T>,
    ) -> Answered<T> {
        self.at(json, |work| match work {
            Work::Training(training) => act(training),
            Work::Scoring(_) => {
                Err(PageError::Bad("job: expected a training, found a score".into()))
            }
        })
    }

    /// Acts on the score of a request.
    ///
    /// # Errors
    /// It is not kept any more, or `act` fails.
    pub fn scoring<T>(
        &self,
        json: &[u8],
        act: impl FnOnce(&mut Scoring) -> Answered<T>,
    ) -> Answered<T> {
        self.at(json, |work| match work {
            Work::Scoring(scoring) => act(scoring),
            Work::Training(_) => {
                Err(PageError::Bad("job: expected a score, found a training".into()))
            }
        })
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
    match ask {
        // A training: begun, some steps on, with so many links, at another rate, as text, let go.
        "train" => {
            let training = Training::begin(shelf, &read(json)?, &read(json)?, bytes)?;
            let job = watched.next();
            let begun = training.begun(job)?;
            watched.put(job, Work::Training(Box::new(training)));
            Ok(begun)
        }
        "train-step" => {
            let step = read(json)?;
            watched.training(json, |training| training.step(&step, &|| shelf.has_left()))
        }
        "train-prune" => {
            let pruning = read(json)?;
            watched.training(json, |training| training.prune(&pruning))
        }
        "train-rate" => {
            let rate = read(json)?;
            watched.training(json, |training| training.rate(&rate))
        }
        "train-text" => watched.training(json, |training| training.text()),
        "train-end" => {
            let Job { job } = read(json)?;
            watched.take(job);
            answer(&job, Vec::new())
        }
        // A score: begun, some more weights judged.
        "score" => {
            let scoring = Scoring::begin(shelf, &read(json)?, &read(json)?)?;
            let job = watched.next();
            let begun = scoring.begun(job)?;
            watched.put(job, Work::Scoring(Box::new(scoring)));
            Ok(begun)
        }
        "score-next" => watched.scoring(json, Scoring::next),
        _ => {
            let ask: String = ask.chars().take(80).collect();
            Err(PageError::Missing(format!("{ask:?}: expected an address of this page")))
        }
    }
}
