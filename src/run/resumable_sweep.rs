//! A sweep that goes on where it was stopped: what it has found is kept beside its result until that
//! is written.

use super::{RunError, json_of, to_json};
use crate::math::hash::{json_id, sha256_of_floats};
use crate::network::Model;
use crate::network::files::{LARGEST_STATE, read_text, write_atomic};
use crate::probe::{Delta, Perturbation, View, WeightSweep};
use serde::{Deserialize, Serialize};
use std::io::ErrorKind;
use std::path::Path;
use std::time::{Duration, Instant};

/// Links swept between two looks at the clock.
const CHUNK: usize = 64;

/// Wall time between two writes.
const KEEP_EVERY: Duration = Duration::from_secs(5);

/// What is kept: the perturbations of the first links.
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
        Err(e) => return Err(RunError::folder(part, format!("cannot read: {e}"))),
    };
    // Two of every link, downwards and upwards.
    let done = (found.perturbations.len() / 2).min(links.len());
    progress(done);
    let mut kept = Instant::now();
    for chunk in links[done..].chunks(CHUNK) {
        found.perturbations.extend(view.sweep(chunk, delta, &|_| progress(1)).perturbations);
        let stopped = stop();
        if stopped || kept.elapsed() >= KEEP_EVERY {
            write_atomic(part, &to_json(&found))?;
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::genome::from_json;
    use crate::network::{Coords, Wiring};
    use crate::probe::Selection;
    use std::sync::atomic::{AtomicUsize, Ordering};

    #[test]
    fn a_sweep_goes_on_from_what_is_kept_to_the_same_bits() {
        let genome = from_json(include_str!("../../genomes/bred_moth.json")).unwrap();
        let view = View::new(&Model::of_genome(&genome, Wiring::Layerized), 16, Coords::Fer);
        let links = Selection::All.links(view.model(), 0).unwrap();
        let delta = Delta::Effect(0.18);
        let whole = view.sweep(&links, delta, &|_| {});
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("part");
        assert_eq!(resumable_sweep(&view, &links, delta, &path, &|_| {}).unwrap(), whole);

        // Half of it is there: only the rest is swept.
        let half = Part {
            format: FORMAT.into(),
            sweep: sweep_id(&view, &links, delta),
            perturbations: whole.perturbations[..20].to_vec(),
        };
        write_atomic(&path, &to_json(&half)).unwrap();
        let told = AtomicUsize::new(0);
        let count = |done: usize| {
            told.fetch_add(usize::from(done == 1), Ordering::Relaxed);
        };
        assert_eq!(resumable_sweep(&view, &links, delta, &path, &count).unwrap(), whole);
        assert_eq!(told.into_inner(), links.len() - 10);

        // Stopped after the first chunk, the rest follows; stopped at once where all is there, it is whole.
        std::fs::remove_file(&path).unwrap();
        let begun = resumable_sweep_until(&view, &links, delta, &path, &|_| {}, &|| true).unwrap();
        assert_eq!((begun, path.exists()), (None, true));
        assert_eq!(resumable_sweep(&view, &links, delta, &path, &|_| {}).unwrap(), whole);

        // Of another sweep it is no part; and a file that is none is not overwritten.
        let other = resumable_sweep(&view, &links, Delta::Fixed(0.5), &path, &|_| {}).unwrap();
        assert_eq!(other, view.sweep(&links, Delta::Fixed(0.5), &|_| {}));
        std::fs::write(&path, "mine").unwrap();
        let error = resumable_sweep(&view, &links, delta, &path, &|_| {}).unwrap_err().to_string();
        assert!(error.contains("part: expected a file of this program"), "{error}");
    }
}
