//! A sweep that goes on where it was stopped: what it has found is kept beside its result until that
//! is written.

use super::{RunError, json_of};
use crate::base::files::{LARGEST_STATE, read_text, write_json};
use crate::base::hash::{json_id, sha256_of_floats};
use crate::network::Model;
use crate::probe::{Delta, Perturbation, View, WeightSweep};
use serde::{Deserialize, Serialize};
use std::io::ErrorKind;
use std::path::Path;
use std::time::{Duration, Instant};

/// Links swept between two looks at the clock.
const CHUNK: usize = 64;

/// Wall time between two writes.
const KEEP_EVERY: Duration = Duration::from_secs(5);

/// A partial sweep: the perturbations of the first links.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Part {
    format: String,
    /// Hash of all that decides the sweep.
    sweep: String,
    perturbations: Vec<Perturbation>,
}

const FORMAT: &str = "picloom-sweep-part/1";

/// [`View::sweep`], keeping its progress in the file `part`, which the caller removes once the
/// result is written. What is there of another sweep is begun anew. `progress` is told of links done.
///
/// # Errors
/// The file cannot be written, or is no part of a sweep.
pub fn resumable_sweep(
    view: &View,
    links: &[usize],
    delta: Delta,
    part: &Path,
    progress: &(dyn Fn(usize) + Sync),
) -> Result<WeightSweep, RunError> {
    let whole = resumable_sweep_until(view, links, delta, part, progress, &|| false)?;
    Ok(whole.expect("nobody asks it to stop"))
}

/// The same, stopped once `stop` says so, which is asked now and then: none then, and what was found is in
/// `part`.
///
/// # Errors
/// As [`resumable_sweep`].
pub fn resumable_sweep_until(
    view: &View,
    links: &[usize],
    delta: Delta,
    part: &Path,
    progress: &(dyn Fn(usize) + Sync),
    stop: &dyn Fn() -> bool,
) -> Result<Option<WeightSweep>, RunError> {
    let sweep = sweep_id(view, links, delta);
    let mut found = match read_text(part, LARGEST_STATE) {
        Ok(text) => match json_of::<Part>(part, &text)? {
            kept if kept.format == FORMAT && kept.sweep == sweep => kept,
            _ => Part { format: FORMAT.into(), sweep, perturbations: Vec::new() },
        },
        Err(e) if e.kind() == ErrorKind::NotFound => {
            Part { format: FORMAT.into(), sweep, perturbations: Vec::new() }
        }
        Err(e) => return Err(RunError::reading(part)(e)),
    };
    // Two of every link, downwards and upwards.
    let done = (found.perturbations.len() / 2).min(links.len());
    progress(done);
    let mut kept = Instant::now();
    for chunk in links[done..].chunks(CHUNK) {
        found.perturbations.extend(view.sweep(chunk, delta, &|_| progress(1)).perturbations);
        let stopped = stop();
        if stopped || kept.elapsed() >= KEEP_EVERY {
            write_json(part, &found)?;
            kept = Instant::now();
        }
        if stopped {
            return Ok(None);
        }
    }
    Ok(Some(WeightSweep {
        delta: delta.to_string(),
        non_zero: view.model().non_zero(),
        weights: links.len(),
        size: view.size(),
        perturbations: found.perturbations,
    }))
}

/// Hash of all that decides a sweep.
fn sweep_id(view: &View, links: &[usize], delta: Delta) -> String {
    let Model { network, weights, .. } = view.model();
    let weights = sha256_of_floats(&weights.0);
    json_id(&(network, weights, view.size(), view.coords(), delta.to_string(), links))
}
