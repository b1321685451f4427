//! The scores that are kept: `studio/scores/HASH.json`, a record as `picloom score --out`
//! writes it, named by what the network is.

use crate::base::hash::{json_id, sha256_of_floats};
use crate::page::NetworkRequest;
use crate::score::FIT_GATE;
use crate::studio::answer::{Answer, Rejection, json_of};
use crate::studio::state::{Loaded, Studio};
use serde_json::{Value, json};
use std::path::Path;

/// Where they lie, as an id.
pub(crate) const SCORES: &str = "studio/scores";

/// The content of a network as a short hash.
pub(super) fn content(loaded: &Loaded) -> String {
    let model = &loaded.source.model;
    json_id(&(&model.network, loaded.source.coords, sha256_of_floats(&model.weights.0)))
}

/// The file of a network's score, without its folder.
pub(crate) fn file(loaded: &Loaded) -> String {
    format!("{}.json", content(loaded))
}

impl Studio {
    /// The record of a network's score, if one is kept.
    pub(crate) fn score_record(&self, asked: &NetworkRequest) -> Result<Option<Value>, Rejection> {
        // Nothing is read where nothing is kept.
        let Ok(folder) = self.root.path(SCORES) else { return Ok(None) };
        let path = folder.join(file(&*self.network(asked)?));
        Ok(self.root.text(&path)?.and_then(|text| serde_json::from_str(&text).ok()))
    }
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
