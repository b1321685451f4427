//! Networks from wherever they are kept, and sweeps that go on.

use crate::refusals::refusal_of;
use picloom::genome::from_json;
use picloom::network::weight_files::write_weights;
use picloom::network::{Coords, Model, Wiring};
use picloom::probe::{Delta, Selection, View};
use picloom::run::{
    LoadOptions, NetworkPath, RunError, Source, resumable_sweep, resumable_sweep_until,
};
use serde_json::Value;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

#[test]
fn a_genome_and_the_weights_of_its_twin_load_alike_and_wishes_are_kept() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("genomes/bred_moth.json");
    let wanted = LoadOptions { size: Some(16), target: Some(&path), ..LoadOptions::default() };
    let twin = Source::load(NetworkPath::Genome(&path, Wiring::Layerized), wanted).unwrap();
    assert_eq!((twin.short_name().as_str(), twin.trained), ("bred_moth", false));
    let (picture, target) = (twin.view().unwrap().picture().clone(), twin.target.unwrap());
    assert_eq!((picture.width, target.width), (16, 16));
    assert!(picture.mse(&target) < 1e-9);

    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("twin.npz");
    write_weights(&file, &twin.model.network, &twin.model.weights).unwrap();
    let arch = twin.model.network.arch.clone().unwrap();
    let read = Source::load(NetworkPath::Weights(&arch, &file), LoadOptions::default()).unwrap();
    assert_eq!(read.model, twin.model);
    assert_eq!((read.size, read.target), (128, None));

    let none = Source::load(NetworkPath::Run(folder.path()), LoadOptions::default()).unwrap_err();
    assert!(matches!(&none, RunError::Other(refusal) if refusal.found == "a folder without one"));
}

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
    let begin = || resumable_sweep_until(&view, &links, delta, &path, &|_| {}, &|| true).unwrap();
    begin();
    let mut half: Value = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
    half["perturbations"].as_array_mut().unwrap().truncate(20);
    std::fs::write(&path, half.to_string()).unwrap();
    let told = AtomicUsize::new(0);
    let count = |done: usize| {
        told.fetch_add(usize::from(done == 1), Ordering::Relaxed);
    };
    assert_eq!(resumable_sweep(&view, &links, delta, &path, &count).unwrap(), whole);
    assert_eq!(told.into_inner(), links.len() - 10);

    // Stopped after the first chunk, the rest follows; stopped at once where all is there, it is whole.
    std::fs::remove_file(&path).unwrap();
    assert_eq!((begin(), path.exists()), (None, true));
    assert_eq!(resumable_sweep(&view, &links, delta, &path, &|_| {}).unwrap(), whole);

    // Of another sweep it is no part; and a file that is none is not overwritten.
    let other = resumable_sweep(&view, &links, Delta::Fixed(0.5), &path, &|_| {}).unwrap();
    assert_eq!(other, view.sweep(&links, Delta::Fixed(0.5), &|_| {}));
    std::fs::write(&path, "mine").unwrap();
    let error = resumable_sweep(&view, &links, delta, &path, &|_| {}).unwrap_err();
    assert_eq!(refusal_of(&error).at, path.display().to_string(), "{error}");
    assert_eq!(std::fs::read(&path).unwrap(), b"mine");
}
