//! The ancestors of a genome: read from its breeding session, or evolved again.
//!
//! A session breeds every genome again by itself. A run of a search keeps only who descends from whom: its
//! generations are evolved once more, to the same bits, as far as the last ancestor was born.

use super::inputs::ancestor_file;
use super::interactive::{SESSION_FILE, open};
use super::job::{EvolutionError, EvolutionJob, read_config};
use super::judge::PictureJudge;
use crate::base::files::{LARGEST_STATE, of_json_lines, read_text};
use crate::base::refusal::Refusal;
use crate::evolve::Birth;
use crate::genome::{self, Genome};
use std::collections::BTreeMap;
use std::path::Path;

/// A genome of a session or of a run, and before it its mother, her mother, and so on from the first one.
///
/// `path` is a session (its file, or the folder that it lies in), a run's folder, which means its best genome, or a
/// genome in it. `sheet` and `place` choose in a session: where one is, and the first that was chosen last.
/// `go_on` is told the generations that are evolved again, and of how many; false stops it.
///
/// # Errors
/// There is none.
pub fn ancestry(
    path: &Path,
    (sheet, place): (Option<usize>, Option<usize>),
    go_on: &mut dyn FnMut(u64, u64) -> bool,
) -> Result<Vec<Genome>, EvolutionError> {
    let inside = path.join(SESSION_FILE);
    let session = if inside.is_file() { &inside } else { path };
    if session.extension().is_some_and(|end| end == "toml") {
        let (tree, _) = open(session, |name| ancestor_file(session, name))?;
        // On the sheet that was bred last nothing is chosen yet.
        let chosen = tree.selection(tree.at()).and_then(|step| step.chosen.first().copied());
        let (sheet, place) = match (sheet, place, tree.parent(tree.at()).zip(chosen)) {
            (None, None, Some((parent, chosen))) => (parent, chosen),
            (sheet, place, _) => (sheet.unwrap_or(tree.at()), place.unwrap_or(0)),
        };
        let line = tree.ancestry(sheet, place)?;
        return Ok(line.into_iter().cloned().collect());
    }
    if let Some(option) = sheet.map(|_| "--sheet").or(place.map(|_| "--place")) {
        let found = path.display().to_string();
        return Err(Refusal::new(option, "a breeding session with it", found).into());
    }
    let file = if path.is_dir() { path.join("genomes/000.json") } else { path.to_path_buf() };
    let genome = genome::read(&file)?;
    let folder = file.parent().and_then(Path::parent).unwrap_or(Path::new("."));
    let config = folder.join("config.toml");
    let is_of_run = genome.provenance.notes.contains_key("birth") && config.is_file();
    if !is_of_run {
        let expected =
            "a breeding session, the folder of an evolution run, or a genome in its genomes/";
        return Err(Refusal::new(path.display(), expected, "none of them").into());
    }
    // The lineage holds whoever survived; the genome itself may be too young for that.
    let mother = genome.provenance.parents.first().and_then(|name| name.strip_prefix("birth "));
    let mother = mother.and_then(|id| id.parse().ok());
    let mut line = evolved_again(folder, &config, mother, go_on)?;
    line.push(genome);
    Ok(line)
}

/// The genome of the birth `mother` and her ancestors, the first one first.
fn evolved_again(
    folder: &Path,
    config: &Path,
    mother: Option<u64>,
    go_on: &mut dyn FnMut(u64, u64) -> bool,
) -> Result<Vec<Genome>, EvolutionError> {
    let births = births(&folder.join("lineage.jsonl"))?;
    let before = |id: &u64| births.get(id)?.parents.first().copied();
    let wanted: Vec<&Birth> =
        std::iter::successors(mother, before).filter_map(|id| births.get(&id)).collect();
    let last = wanted.iter().map(|birth| birth.generation).max();
    let job = EvolutionJob::new(read_config(config, Default::default())?)?;
    let judge = PictureJudge::new(&job.config, job.target.as_ref());
    let (mut search, mut found) = (job.search(), BTreeMap::new());
    while last.is_some_and(|last| search.generation() <= last) {
        if !go_on(search.generation(), last.unwrap_or(0) + 1) {
            return Err(EvolutionError::Stopped);
        }
        let judged = judge.judge(search.ask());
        for ((genome, birth), judged) in search.ask().iter().zip(search.births()).zip(&judged) {
            if wanted.iter().any(|wanted| wanted.id == birth.id) {
                let mut genome = genome.clone();
                for &(innovation, weight) in judged.learned.iter().flatten() {
                    genome.set_weight(innovation, weight).expect("learned weights are its links'");
                }
                found.entry(birth.id).or_insert(genome);
            }
        }
        search.tell(judged)?;
    }
    let line = wanted.iter().rev().map(|birth| found.remove(&birth.id));
    line.collect::<Option<_>>().ok_or_else(|| {
        let expected = "the births that its config leads to";
        Refusal::new(folder.display(), expected, "others").as_failure().into()
    })
}

/// The births of a run by their ids.
fn births(path: &Path) -> Result<BTreeMap<u64, Birth>, EvolutionError> {
    let text = read_text(path, LARGEST_STATE)
        .map_err(|error| Refusal::unreadable(path, "a lineage", &error))?;
    let births: Vec<Birth> =
        of_json_lines(&text, "a birth").map_err(|refusal| refusal.in_file(path))?;
    Ok(births.into_iter().map(|birth| (birth.id, birth)).collect())
}
