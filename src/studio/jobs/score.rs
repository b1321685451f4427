//! Scoring, and the scores that are kept: `studio/scores/HASH.json`, a record as `picloom score --out`
//! writes it, named by what the network is.

use super::job::{Job, Work};
use crate::base::files::write_json;
use crate::base::hash::{json_id, sha256_of_floats};
use crate::page::NetworkRequest;
use crate::probe::{Delta, Selection};
use crate::run::resumable_sweep_until;
use crate::score::card::main_measures;
use crate::score::{DlJudge, Exhibit, FIT_GATE, Judge, Measurement, ScoreRecord};
use crate::studio::answer::{Answer, Refusal, json_of};
use crate::studio::state::{Loaded, Studio};
use serde_json::{Value, json};
use std::path::Path;
use std::sync::Arc;

/// Where they lie, as an id.
const SCORES: &str = "studio/scores";
/// Largest side of the pictures that are judged: that of the committed studies.
const LARGEST: usize = 128;

/// The content of a network as a short hash.
pub(super) fn content(loaded: &Loaded) -> String {
    let model = &loaded.source.model;
    json_id(&(&model.network, loaded.source.coords, sha256_of_floats(&model.weights.0)))
}

/// The file of a network's score, without its folder.
fn file(loaded: &Loaded) -> String {
    format!("{}.json", content(loaded))
}

impl Studio {
    /// The record of a network's score, if one is kept.
    pub(crate) fn score_record(&self, asked: &NetworkRequest) -> Result<Option<Value>, Refusal> {
        // Nothing is read where nothing is kept.
        let Ok(folder) = self.root.path(SCORES) else { return Ok(None) };
        let path = folder.join(file(&*self.network(asked)?));
        Ok(self.root.text(&path)?.and_then(|text| serde_json::from_str(&text).ok()))
    }

    /// The kept score that this work would come to.
    pub(super) fn score_of(&self, work: &Work) -> Option<Value> {
        let Work::Score { samples, effect, .. } = work else { return None };
        let record = self.score_record(&work.network()).ok().flatten()?;
        let (selection, delta) = asked_for(*samples, *effect);
        let same =
            record["samples"] == selection.to_string() && record["delta"] == delta.to_string();
        same.then_some(record)
    }
}

fn asked_for(samples: Option<usize>, effect: Option<f64>) -> (Selection, Delta) {
    let selection = samples.map_or(Selection::All, Selection::Sample);
    (selection, effect.map_or_else(Delta::default, Delta::Effect))
}

/// The number alone, of the finished run in `folder`, for the library: it reads a network once.
pub(crate) fn kept_score(studio: &Studio, id: &str, folder: &Path) -> Option<f64> {
    let scores = studio.root.path(SCORES).ok()?;
    let content = studio.known.contents.get(id, &folder.join("result.json"), || {
        let asked = NetworkRequest::graph(id);
        Some(content(&*studio.network(&asked).ok()?))
    });
    let record = studio.root.text(&scores.join(format!("{}.json", content?))).ok()??;
    serde_json::from_str::<Value>(&record).ok()?["score"].as_f64()
}

/// `/api/score`: the kept score of a network with its judged changes; null if none is kept.
pub(crate) fn score(studio: &Studio, asked: NetworkRequest) -> Answer {
    studio.network(&asked)?;
    json_of(&studio.score_record(&asked)?.as_ref().map(shown))
}

/// A record as the page has it.
pub(crate) fn shown(record: &Value) -> Value {
    let judged = record["perturbations"].as_array().into_iter().flatten().map(|p| {
        json!({
            "link": p["link"],
            "delta": p["delta"],
            "effect": p["rmse"],
            "silent": p["silent"],
            "p": p["verdict"]["p_damaged"],
            "call": p["verdict"]["label"],
        })
    });
    json!({
        "score": record["score"],
        "fit": record["fit"]["r2"].as_f64().map(|r2| r2 >= FIT_GATE),
        "low": record["interval"][0],
        "high": record["interval"][1],
        "clean_share": record["clean_share"],
        "judge": record["judge"],
        "delta": record["delta"],
        "samples": record["samples"],
        "clean": record["clean"],
        "unclear": record["unclear"],
        "damaged": record["damaged"],
        "silent": record["silent"],
        "measures": record["measures"],
        "judged": judged.collect::<Vec<_>>(),
    })
}

/// Sweeps and judges; what is swept is kept, and a stopped score goes on from it.
pub(super) fn run(studio: &Studio, job: &Job) -> Result<bool, String> {
    let Work::Score { samples, effect, .. } = &job.work else {
        return Err("expected a score".into());
    };
    let loaded: Arc<Loaded> = studio.network(&job.work.network()).map_err(|e| e.why())?;
    let source = &loaded.source;
    let size = source.size.min(LARGEST);
    // A conditional network is judged where its factors are 0, which is none of the pictures that it learned.
    let target = source.target.as_ref().filter(|_| source.model.network.factors() == 0);
    let target = target.map(|target| target.resized(size));
    let exhibit = Exhibit::fitting(&source.model, size, source.coords, target.as_ref())
        .map_err(|e| Refusal::large(e).why())?;
    let (selection, delta) = asked_for(*samples, *effect);
    let links = selection.links(&source.model, 0).map_err(|e| e.to_string())?;
    {
        let mut state = job.state();
        (state.step, state.steps) = (0, links.len() as u64);
    }
    let folder = studio.root.made(SCORES).map_err(|e| e.why())?;
    let path = folder.join(file(&loaded));
    let part = folder.join(format!("{}.part", job.name));
    let progress = |done: usize| job.state().step += done as u64;
    let stop = || job.is_stopped();
    let swept = resumable_sweep_until(exhibit.view(), &links, delta, &part, &progress, &stop)
        .map_err(|e| e.to_string())?;
    let Some(swept) = swept else { return Ok(false) };
    let judge = DlJudge::default();
    let found = Measurement::of(&exhibit, swept, &judge).map_err(|e| e.to_string())?;
    let record = ScoreRecord {
        judge_model_sha256: judge.identity().sha256,
        ..ScoreRecord::of(job.work.id(), &exhibit, &found, &selection, 0)
    };
    let view = exhibit.view();
    let behind = source.behind();
    let measures = main_measures(view, &record, &judge, behind.as_ref());
    let measures = measures.map_err(|e| e.to_string())?;
    let mut record = serde_json::to_value(&record).map_err(|e| e.to_string())?;
    record["measures"] = json!(measures);
    write_json(&path, &record).map_err(|e| e.to_string())?;
    let _ = std::fs::remove_file(&part);
    Ok(true)
}
