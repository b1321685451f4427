//! A score, weight by weight: the page shows each changed picture as it is judged.

use crate::state::{Answer, Answered, Desk, Scoring};
use picloom_engine::network::Model;
use picloom_engine::page::{NetworkRequest, Shelf};
use picloom_engine::probe::{Delta, Selection, WeightSweep};
use picloom_engine::score::{DlJudge, Exhibit, Judge, score};
use serde::{Deserialize, Serialize};

/// Weights that are judged in one answer.
const AT_ONCE: usize = 2;
/// Most weights of a score.
const MOST: usize = 400;

/// A request for a score.
#[derive(Deserialize)]
pub(crate) struct BeginScore {
    samples: usize,
    effect: f64,
}

/// Begins a score: the weights that are going to be moved.
pub(crate) fn begin(desk: &mut Desk, of: &NetworkRequest, wanted: &BeginScore) -> Answered {
    if !(0.01..=0.5).contains(&wanted.effect) || !(1..=MOST).contains(&wanted.samples) {
        return Err(format!(
            "expected 1 to {MOST} weights and an effect from 0.01 to 0.5, found {} and {}",
            wanted.samples, wanted.effect
        ));
    }
    let loaded = desk.network(of)?;
    let exhibit = Exhibit::new(&loaded.model, 64, loaded.coords, None);
    let links =
        Selection::Sample(wanted.samples).links(&loaded.model, 0).map_err(|e| e.to_string())?;
    let job = desk.scorings.keys().last().map_or(1, |last| last + 1);
    let base = exhibit.view().picture().to_rgba();
    let answer = serde_json::json!({ "job": job, "links": links, "size": exhibit.view().size() });
    let (judge, delta) = (DlJudge::default(), Delta::Effect(wanted.effect));
    // One at a time: an earlier one was left.
    desk.scorings.clear();
    desk.scorings.insert(job, Scoring { exhibit, judge, delta, links, done: 0, swept: Vec::new() });
    Answer::with(&answer, base)
}

#[derive(Serialize)]
struct Seen {
    link: usize,
    delta: f64,
    effect: f64,
    silent: bool,
    call: Option<String>,
    p: Option<f64>,
}

#[derive(Serialize)]
struct Progress {
    done: usize,
    of: usize,
    seen: Vec<Seen>,
    score: Option<Scored>,
}

#[derive(Serialize)]
struct Scored {
    score: Option<f64>,
    low: Option<f64>,
    high: Option<f64>,
    clean_share: Option<f64>,
    clean: usize,
    unclear: usize,
    damaged: usize,
    silent: usize,
}

/// Judges some more weights; their changed pictures follow. After the last, the score.
pub(crate) fn next(desk: &mut Desk, job: usize) -> Answered {
    let gone = "this page does not have the score any more; begin it again";
    let Scoring { exhibit, judge, delta, links, done, swept } =
        desk.scorings.get_mut(&job).ok_or(gone)?;
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
                Some(reading.judge(&picture).map_err(|e| e.to_string())?)
            }
        };
        let call = verdict.as_ref().and_then(|v| serde_json::to_value(v.call).ok());
        seen.push(Seen {
            link: p.link,
            delta: p.delta,
            effect: p.rmse,
            silent: p.silent,
            call: call.and_then(|call| Some(call.as_str()?.to_string())),
            p: verdict.map(|v| v.p_damaged),
        });
    }
    *done += some.len();
    swept.extend(sweep.perturbations);
    let finished = *done == links.len();
    let scored = match finished {
        false => None,
        true => {
            let Model { weights, .. } = view.model();
            let non_zero = weights.0.iter().filter(|w| **w != 0.0).count();
            swept.sort_by(|a, b| a.link.cmp(&b.link).then(a.delta.total_cmp(&b.delta)));
            let (perturbations, size) = (swept.clone(), view.size());
            let sweep = WeightSweep {
                delta: delta.to_string(),
                non_zero,
                weights: links.len(),
                size,
                perturbations,
            };
            let (found, _) = score(exhibit, &sweep, judge).map_err(|e| e.to_string())?;
            Some(Scored {
                score: found.score,
                low: found.interval.map(|i| i.0),
                high: found.interval.map(|i| i.1),
                clean_share: found.clean_share,
                clean: found.clean,
                unclear: found.unclear,
                damaged: found.damaged,
                silent: found.silent,
            })
        }
    };
    Answer::with(&Progress { done: *done, of: links.len(), seen, score: scored }, bytes)
}
