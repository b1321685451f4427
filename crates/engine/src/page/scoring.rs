//! A score, weight by weight: the page shows each changed picture as it is judged.

use super::shelf::{Answered, NetworkRequest, PageNetwork, Shelf, WatchedAnswer, answer, bad};
use crate::network::Model;
use crate::probe::{Delta, Perturbation, Selection, WeightSweep};
use crate::score::card::main_measures;
use crate::score::{Call, CompositionalScore, DlJudge, Exhibit, Judge, Measurement, ScoreRecord};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// Weights that are judged in one answer.
const AT_ONCE: usize = 2;
/// Most weights of a score.
const MOST: usize = 400;
/// Largest side of the judged pictures in pixels: that of the committed studies.
const LARGEST: usize = 128;

/// A request for a score.
#[derive(Deserialize)]
pub(super) struct BeginScore {
    samples: usize,
    effect: f64,
    /// Side of the judged pictures in pixels, at most 128; where it is not said 64, and no fit is taken.
    #[serde(default)]
    size: usize,
}

/// A score that is being taken.
pub struct Scoring {
    of: NetworkRequest,
    exhibit: Exhibit,
    judge: DlJudge,
    delta: Delta,
    selection: Selection,
    links: Vec<usize>,
    done: usize,
    swept: Vec<Perturbation>,
    /// Once all weights are judged.
    found: Option<Measurement>,
}

#[derive(Serialize)]
struct Seen {
    link: usize,
    delta: f64,
    effect: f64,
    silent: bool,
    call: Option<Call>,
    p: Option<f64>,
}

#[derive(Serialize)]
struct Progress<'a> {
    done: usize,
    of: usize,
    seen: Vec<Seen>,
    score: Option<Scored<'a>>,
}

#[derive(Serialize)]
struct Scored<'a> {
    low: Option<f64>,
    high: Option<f64>,
    #[serde(flatten)]
    score: &'a CompositionalScore,
}

impl Scoring {
    /// Begins a score.
    pub(super) fn begin<S: Shelf>(
        shelf: &mut S,
        of: &NetworkRequest,
        &BeginScore { samples, effect, size }: &BeginScore,
    ) -> Answered<Self> {
        if !(0.01..=0.5).contains(&effect) || !(1..=MOST).contains(&samples) {
            return Err(bad(format!(
                "expected 1 to {MOST} weights and an effect from 0.01 to 0.5, found {samples} and {effect}"
            )));
        }
        let network = shelf.network(of)?;
        let PageNetwork { model, coords, .. } = S::parts(&network);
        if size > LARGEST {
            return Err(bad(format!("size: expected at most {LARGEST} pixels, found {size}")));
        }
        // A conditional network is judged where its factors are 0, which is none of the pictures that it learned.
        let learned = match model.network.factors() {
            0 if size > 0 => shelf.target(&network, None, size)?,
            _ => None,
        };
        let target = learned.as_ref().map(|(_, picture)| picture);
        let exhibit = Exhibit::fitting(model, size, coords, target)?;
        let selection = match samples >= model.non_zero() {
            true => Selection::All,
            false => Selection::Sample(samples),
        };
        let links = selection.links(model, 0).map_err(bad)?;
        let (judge, delta, of) = (DlJudge::default(), Delta::Effect(effect), of.clone());
        let (done, swept, found) = (0, Vec::new(), None);
        Ok(Scoring { of, exhibit, judge, delta, selection, links, done, swept, found })
    }

    /// The weights that are going to be moved, and the picture as it is.
    pub(super) fn begun(&self, job: usize) -> Answered<WatchedAnswer> {
        let view = self.exhibit.view();
        let begun = json!({ "job": job, "links": self.links, "size": view.size() });
        answer(&begun, view.picture().to_rgba())
    }

    /// Judges some more weights; their changed pictures follow. After the last, the score.
    pub(super) fn next(&mut self) -> Answered<WatchedAnswer> {
        let Scoring { exhibit, judge, delta, links, done, swept, .. } = self;
        let view = exhibit.view();
        let some = &links[*done..(*done + AT_ONCE).min(links.len())];
        let sweep = view.sweep(some, *delta, &|_| {});
        let reading = judge.read_base(view.picture());
        let (mut seen, mut bytes) = (Vec::new(), Vec::new());
        for p in &sweep.perturbations {
            let verdict = match p.silent {
                true => None,
                false => {
                    let picture = view.picture_with(p);
                    bytes.extend(picture.to_rgba());
                    Some(reading.judge(&picture).map_err(bad)?)
                }
            };
            seen.push(Seen {
                link: p.link,
                delta: p.delta,
                effect: p.rmse,
                silent: p.silent,
                call: verdict.as_ref().map(|verdict| verdict.call),
                p: verdict.map(|verdict| verdict.p_damaged),
            });
        }
        *done += some.len();
        swept.extend(sweep.perturbations);
        if *done == links.len() {
            swept.sort_by(|a, b| a.link.cmp(&b.link).then(a.delta.total_cmp(&b.delta)));
            let sweep = WeightSweep {
                delta: delta.to_string(),
                non_zero: view.model().non_zero(),
                weights: links.len(),
                size: view.size(),
                perturbations: swept.clone(),
            };
            self.found = Some(Measurement::of(exhibit, sweep, judge).map_err(bad)?);
        }
        let score = self.found.as_ref().map(|Measurement { score, .. }| {
            let (low, high) = score.interval.unzip();
            Scored { low, high, score }
        });
        answer(&Progress { done: self.done, of: self.links.len(), seen, score }, bytes)
    }

    /// The network that it is of.
    pub fn of(&self) -> &NetworkRequest {
        &self.of
    }

    /// The record of a score that is taken whole, with the main measures beside it. `model` is the network as it stands,
    /// `behind` the evolved one behind it.
    ///
    /// # Errors
    /// Weights are left to be judged, or the network has changed.
    pub fn record(&self, model: &Model, behind: Option<&Model>) -> Answered<Value> {
        let view = self.exhibit.view();
        let Some(found) = self.found.as_ref().filter(|_| view.model().weights == model.weights)
        else {
            return Err(bad(
                "expected a whole score of a network that has not changed; begin it again",
            ));
        };
        let record = ScoreRecord {
            judge_model_sha256: self.judge.identity().sha256,
            ..ScoreRecord::of(&self.of.id, &self.exhibit, found, &self.selection, 0)
        };
        let measures = main_measures(view, &record, &self.judge, behind).map_err(bad)?;
        let mut record = serde_json::to_value(&record).map_err(bad)?;
        record["measures"] = json!(measures);
        Ok(record)
    }
}
