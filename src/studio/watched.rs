//! Trainings and scores that a page looks on at. They live in memory; a training can be kept as a run.

use super::HELD;
use super::answer::{Answer, Rejection, json_of, made, of_bytes, with_number};
use super::jobs::{RUNS, SCORES, file, shown, target_of};
use super::networks::{Files, keep};
use super::state::{Loaded, Studio};
use super::workers::HasLeft;
use crate::base::files::write_json;
use crate::base::hash::json_id;
use crate::base::lock::FolderLock;
use crate::network::{Model, Wiring};
use crate::page::{CarriedNetwork, PageError, Training, watch};
use crate::run::{Source, Target, TrainJob, train_run};
use crate::score::Fit;
use crate::train::TrainConfig;
use serde::Deserialize;
use serde_json::json;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Time that one answer trains for at most.
const LONGEST: Duration = Duration::from_secs(2);
/// Most letters of the id of a network that a page has handed over.
const LONGEST_ID: usize = 80;

/// `POST /api/watched/ASK`.
pub(super) fn answer(studio: &Studio, ask: &str, json: &[u8], has_left: HasLeft<'_>) -> Answer {
    match ask {
        "hold" => hold(studio, json),
        "keep" => keep_run(studio, json),
        "keep-score" => keep_score(studio, json),
        _ => {
            let began = Instant::now();
            let has_left = || has_left() || began.elapsed() > LONGEST;
            let files = &mut Files { studio, has_left: &has_left };
            let (json, mut bytes) = watch(files, &studio.watched, ask, json, &[])?;
            let (end, took) = (bytes.len(), began.elapsed().as_millis() as usize);
            bytes.extend_from_slice(json.as_bytes());
            let answer = of_bytes("application/octet-stream", bytes);
            Ok(with_number(with_number(answer, "x-json", end), "x-took", took))
        }
    }
}

/// A network as text, to be looked at under an id.
#[derive(Deserialize)]
struct Text {
    id: String,
    text: String,
}

/// Takes a network from a page.
fn hold(studio: &Studio, json: &[u8]) -> Answer {
    let Text { id, text } = serde_json::from_slice(json).map_err(Rejection::bad)?;
    if !id.starts_with(HELD) || id.len() > LONGEST_ID {
        let expected = format!("{HELD}… of at most {LONGEST_ID} letters");
        return Err(Rejection::bad(format!("id: expected {expected}, found {id:?}")));
    }
    let carried = CarriedNetwork::read(&text).map_err(Rejection::bad)?;
    let (model, genome) = carried.model().map_err(Rejection::bad)?;
    let CarriedNetwork { name, target, coords, size, .. } = carried;
    let target = target_of(studio, &target, size, coords).ok();
    let drawn = model.picture(size, coords);
    let fit = target.as_ref().map(|target| Fit::of(&drawn, &target.picture));
    let (evolved, target) = target.map_or((None, None), |t| (t.genome, Some(t.picture)));
    let (trained, config, unfinished) = (true, None, None);
    let source = Source {
        name,
        model,
        target,
        config,
        size,
        coords,
        genome,
        evolved,
        trained,
        fit,
        unfinished,
    };
    let loaded = Loaded { id: id.clone(), wiring: Wiring::Graph, changed: None, source };
    keep(&studio.networks.held, Arc::new(loaded));
    json_of(&id)
}

/// Keeps a training as it stands: a run that begins from its weights and takes no step.
fn keep_run(studio: &Studio, json: &[u8]) -> Answer {
    let bad = |error: String| PageError::Bad(error);
    let id = studio.watched.trainings.at(json, |training| {
        let Training { coords, target_id, .. } = &*training;
        let Model { network, mask, weights } = training.model();
        let picture = training.trainer.problem().target.clone();
        let evolved = target_of(studio, target_id, picture.width, *coords).ok();
        let target = Target {
            genome: evolved.and_then(|evolved| evolved.genome),
            ..Target::of_picture(target_id.clone(), picture)
        };
        let genome = training.genome.as_ref().filter(|_| network.arch.is_none());
        let train = TrainConfig { steps: 0, ..training.config.clone() };
        let (wiring, start) = ((network, mask), Some(weights));
        let job = TrainJob::new(training.arm, &target, *coords, wiring, start, genome, train);
        let id = format!("{RUNS}/kept-{}", &json_id(&job.config)[..10]);
        let folder = studio.root.made(&id).and_then(|_| studio.root.whole(&id))?;
        let _lock = FolderLock::take(&folder).map_err(|e| bad(e.to_string()))?;
        train_run(&folder, job, true, &mut ()).map_err(|e| bad(e.to_string()))?;
        Ok(id)
    })?;
    made(&json!({ "id": id }))
}

/// Keeps a score that is taken whole, beside the measures of its network.
fn keep_score(studio: &Studio, json: &[u8]) -> Answer {
    let record = studio.watched.scores.at(json, |scoring| {
        let loaded = studio.network(scoring.of())?;
        let behind = loaded.source.behind();
        let record = scoring.record(&loaded.source.model, behind.as_ref())?;
        let path = studio.root.made(SCORES)?.join(file(&loaded));
        write_json(&path, &record).map_err(Rejection::unwritten)?;
        Ok(record)
    })?;
    json_of(&shown(&record))
}
