//! A sweep over the weights, every picture judged, against the plain way of finding the changes.

use super::Workload;
use crate::network::Coords;
use crate::probe::{Delta, Perturbation, View, spread};
use crate::score::{DlJudge, Exhibit, Judge, JudgeError, score};
use serde::Serialize;
use std::time::Instant;

/// Most pictures that are judged one by one to time the judge alone.
const JUDGED: usize = 64;

/// How a sweep is timed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct ScoreBench {
    /// Side of the pictures in pixels; smaller ones are drawn as they are judged, at 64.
    pub size: usize,
    /// How far weights are moved.
    pub delta: Delta,
    /// Weights that are swept by both programs, this one and the plain one.
    pub compared: usize,
}

/// The times of one network's sweep and score.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct ScoreTiming {
    /// Name of the network.
    pub case: String,
    /// Weights swept, both signs.
    pub weights: usize,
    /// Of the perturbations, those that had no effect.
    pub silent: usize,
    /// Median drawings that finding the matched effect takes for a perturbation.
    pub drawings: f64,
    /// Wall-clock seconds of the sweep, all threads.
    pub sweep_s: f64,
    /// Wall-clock seconds of drawing and judging every perturbation that had an effect.
    pub score_s: f64,
    /// Sweep and score, in milliseconds a perturbation.
    pub perturbation_ms: f64,
    /// Weights of the comparison, evenly spread.
    pub compared: usize,
    /// Seconds of their sweep.
    pub incremental_s: f64,
    /// Seconds of the same sweep the plain way: every picture drawn afresh, effects found by doubling and
    /// halving.
    pub afresh_s: f64,
    /// `afresh_s / incremental_s`.
    pub ratio: f64,
    /// Milliseconds of the embedded judge, one thread, median picture; `None` if all are silent.
    pub judge_ms: Option<f64>,
}

/// Times sweeping `links` of a network and judging every picture. `progress` is called with the
/// number of links done.
///
/// # Errors
/// The judge could not judge a picture.
///
/// # Panics
/// If there is no such link.
pub(crate) fn time_score(
    case: &Workload,
    links: &[usize],
    bench: &ScoreBench,
    judge: &DlJudge,
    progress: &(dyn Fn(usize) + Sync),
) -> Result<ScoreTiming, JudgeError> {
    let exhibit = Exhibit::new(&case.model, bench.size, Coords::Fer, None);
    let view = exhibit.view();
    let few: Vec<usize> = spread(links, bench.compared).copied().collect();
    let start = Instant::now();
    std::hint::black_box(view.sweep(&few, bench.delta, &|_| {}));
    let incremental_s = start.elapsed().as_secs_f64();
    let start = Instant::now();
    std::hint::black_box(view.sweep_plainly(&few, bench.delta));
    let afresh_s = start.elapsed().as_secs_f64();

    let start = Instant::now();
    let swept = view.sweep(links, bench.delta, progress);
    let sweep_s = start.elapsed().as_secs_f64();
    let start = Instant::now();
    score(&exhibit, &swept, judge)?;
    let score_s = start.elapsed().as_secs_f64();
    let mut drawings = view.drawings(&few, bench.delta);
    drawings.sort_unstable();
    let loud: Vec<&Perturbation> = swept.perturbations.iter().filter(|p| !p.silent).collect();
    Ok(ScoreTiming {
        case: case.name.clone(),
        weights: links.len(),
        silent: swept.perturbations.len() - loud.len(),
        drawings: drawings.get(drawings.len() / 2).map_or(0.0, |&both| both as f64 / 2.0),
        sweep_s,
        score_s,
        perturbation_ms: (sweep_s + score_s) * 1e3 / swept.perturbations.len() as f64,
        compared: few.len(),
        incremental_s,
        afresh_s,
        ratio: afresh_s / incremental_s,
        judge_ms: judge_ms(view, &loud, judge)?,
    })
}

/// Median milliseconds of one verdict, over pictures evenly spread.
fn judge_ms(
    view: &View,
    loud: &[&Perturbation],
    judge: &DlJudge,
) -> Result<Option<f64>, JudgeError> {
    let reading = judge.read_base(view.picture());
    let mut painter = view.painter();
    let mut calls = Vec::new();
    for p in spread(loud, JUDGED) {
        let picture = painter.draw(*p);
        let start = Instant::now();
        std::hint::black_box(reading.judge(picture)?);
        calls.push(start.elapsed().as_secs_f64() * 1e3);
    }
    calls.sort_by(f64::total_cmp);
    Ok(calls.get(calls.len() / 2).copied())
}
