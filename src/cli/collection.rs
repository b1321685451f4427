//! Commands on a file of many genomes. `picloom score` is a networks study with one arm, the evolved network of each.

use super::interrupt;
use super::output::Output;
use super::source::NetworkArgs;
use super::study::run_study;
use crate::base::files::{LARGEST_CONFIG, read_text, write_atomic};
use crate::base::refusal::Refusal;
use crate::experiment::networks::NetworksStudy;
use crate::experiment::template::SPEC;
use crate::genome::map_of_genomes;
use crate::probe::{Delta, Selection};
use crate::score::{JudgeChoice, Protocol};
use crate::study::cells::claim;
use crate::study::spec::SpecFile;
use std::path::{Component, Path, PathBuf};

/// The file that is named, and the ids of its genomes, where it holds many.
pub(super) fn named(network: &NetworkArgs) -> anyhow::Result<Option<(&Path, Vec<String>)>> {
    let named = network.genome.as_deref().or(network.run.as_deref());
    let Some(file) = named.filter(|path| path.is_file()) else { return Ok(None) };
    Ok(map_of_genomes(file, usize::MAX)?.map(|many| (file, many.ids)))
}

/// Refuses options, each with whether it is given, that a file of many genomes cannot use.
pub(super) fn refuse(given: &[(&str, bool)]) -> anyhow::Result<()> {
    match given.iter().find(|(_, is_given)| *is_given) {
        None => Ok(()),
        Some((option, _)) => {
            let refusal = Refusal::new(*option, "one genome", "a file of many");
            Err(refusal.advising("name one: FILE#ID; or write a study").into())
        }
    }
}

/// Scores each genome of `file` at `size`, and writes the table of rows below `store`. A second call goes on.
pub(super) fn score(
    file: &Path,
    size: usize,
    (protocol, judge): (&Protocol, &JudgeChoice),
    store: Option<&PathBuf>,
    out: &Output,
) -> anyhow::Result<()> {
    let refuse = |at: &str, expected: &str, found: String| {
        Refusal::new(at, expected, found).advising("of one genome alone: FILE#ID")
    };
    let Some(store) = store.filter(|path| !is_score_file(path)) else {
        let found = store.map_or("none".into(), |path| path.display().to_string());
        return Err(
            refuse("--out", "a folder for the rows of a file of many genomes", found).into()
        );
    };
    let sample: toml::Value = match protocol.samples {
        Selection::All => "all".into(),
        Selection::Sample(count) => toml::Value::Integer(i64::try_from(count)?),
        Selection::Links(_) => {
            return Err(refuse("--samples", "all or a number", "link numbers".into()).into());
        }
    };
    let Delta::Effect(effect) = protocol.delta else {
        return Err(refuse("--delta", "effect:E", protocol.delta.to_string()).into());
    };
    let whole = file.canonicalize()?;
    // A spec reads these letters as a pattern.
    let is_plain = |path: &str| !path.contains(['*', '?', '[']);
    if !whole.to_str().is_some_and(is_plain) {
        let refusal =
            Refusal::new("--genome", "a path of UTF-8 without * ? [", format!("{file:?}"));
        return Err(refusal.advising("rename it").into());
    }
    let stem = file.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
    let stem = stem.trim_end_matches(".gz").trim_end_matches(".json");
    let letter = |c: char| if c.is_ascii_alphanumeric() { c } else { '-' };
    let name = format!("score-{}", stem.chars().map(letter).take(40).collect::<String>());
    let mut spec: toml::Table = include_str!("../../assets/score.toml").parse()?;
    let folder = claim(store, &name)?;
    let path = folder.join(SPEC);
    let place = from(&folder.canonicalize()?, &whole);
    let place = place.to_str().expect("checked");
    let mut target = toml::Table::new();
    target.insert("genomes".into(), vec![place].into());
    let settings: [(&str, toml::Value); 6] = [
        ("name", name.as_str().into()),
        ("size", i64::try_from(size)?.into()),
        ("sample", sample),
        ("effect", effect.into()),
        ("judge", judge.to_string().into()),
        ("targets", vec![target].into()),
    ];
    spec.extend(settings.map(|(key, value)| (key.into(), value)));
    let text = spec.to_string();
    if read_text(&path, LARGEST_CONFIG).is_ok_and(|before| before != text) {
        let expected = "the scores of this file by these settings";
        let refusal = Refusal::new(folder.display(), expected, "those of others");
        return Err(refusal.advising("choose another --out").into());
    }
    let study = NetworksStudy::of(&SpecFile::parse(&path, &text)?, None, store)?;
    write_atomic(&path, text.as_bytes())?;
    out.note("each genome is scored in layers, as in studies; one alone: score FILE#ID --wiring layerized");
    interrupt::saves();
    super::experiment::tell(&run_study(&study, store, None, out)?, "picloom experiment", out)
}

/// True for the name of a file that the score of one network is written to.
pub(super) fn is_score_file(path: &Path) -> bool {
    path.extension().is_some_and(|end| end == "csv" || end == "json")
}

/// The way from a folder to a file; both are whole paths.
fn from(folder: &Path, file: &Path) -> PathBuf {
    let shared = folder.components().zip(file.components()).take_while(|(a, b)| a == b).count();
    let up = folder.components().skip(shared).map(|_| Component::ParentDir);
    up.chain(file.components().skip(shared)).collect()
}
