//! `picloom experiment new`: a commented spec to begin a study from.

use super::study::Said;
use crate::base::files::write_new;
use crate::base::refusal::Refusal;
use crate::base::text::word_of;
use crate::experiment::networks::NetworksSpec;
use crate::experiment::target_spec::places_of;
use crate::genome::{builtin, picked};
use crate::run::is_genome_file;
use crate::study::spec::{Spec, check_name};
use clap::Args;
use serde_json::json;
use std::collections::BTreeSet;
use std::io::ErrorKind;
use std::path::PathBuf;

/// The spec, with `NAME` and `TARGETS` to be filled in.
const SPEC: &str = include_str!("../../assets/new-study.toml");

/// Genomes that come with the program, the targets where none is given, and what the targets are called.
/// Pruned networks learn most of them, so that there is something to compare.
const GENOMES: [(&str, &str); 4] = [
    ("cat", "bred_cat"),
    ("eye", "novelty_eye"),
    ("goggles", "novelty_goggles"),
    ("ember", "elite_ember"),
];

/// The arm that needs a genome.
const EVOLVED: &str = "[[arms]]\nname = \"evolved\"\nwiring = \"evolved\"\n\n";

#[derive(Args)]
pub(super) struct NewArgs {
    /// Where to write the spec (.toml); its name is the study's
    spec: PathBuf,
    /// Kind of the study
    #[arg(long, default_value = NetworksSpec::KIND, value_parser = [NetworksSpec::KIND])]
    kind: String,
    /// Pictures and genomes of the study, a target each [default: four genomes of the program]
    #[arg(long, value_name = "PICTURE|GENOME", num_args = 1..)]
    targets: Vec<PathBuf>,
}

/// Writes the spec, unless a file is there already.
pub(super) fn run(args: &NewArgs) -> anyhow::Result<Said> {
    let name = args.spec.file_stem().and_then(|name| name.to_str()).unwrap_or_default();
    let is_toml = args.spec.extension().is_some_and(|end| end == "toml");
    if !is_toml || check_name("name", name).is_err() {
        let expected = "NAME.toml, the name of small letters, digits, - and _";
        return Err(Refusal::new("SPEC", expected, format!("{:?}", args.spec)).into());
    }
    let (mut targets, mut names) = (String::new(), BTreeSet::new());
    for path in &args.targets {
        let key = if is_genome_file(path) { "genome" } else { "picture" };
        if let (false, Some((genome, _))) = (path.exists(), builtin(path)) {
            let name = own_name(genome, &mut names);
            targets += &format!("[[targets]]\nname = \"{name}\"\ngenome = \"{genome}\"\n\n");
            continue;
        }
        let (file, pick) = picked(path);
        if !file.is_file() {
            let why = if file.exists() { "it is no plain file" } else { "the file is not there" };
            let found = path.display().to_string();
            return Err(Refusal::new("--targets", "pictures or genomes", found)
                .advising(why)
                .into());
        }
        // A spec's paths are looked for beside it, then in the folder above: a path that is found from there stays short.
        let full = std::fs::canonicalize(file)?;
        let found = std::fs::canonicalize(places_of(&args.spec).file(file));
        let is_found = path.is_relative() && found.is_ok_and(|found| found == full);
        let place = if is_found { file } else { &full };
        let Some(place) = place.to_str() else {
            let (expected, found) =
                ("paths of UTF-8, as a spec is text", word_of(place.as_os_str()));
            return Err(Refusal::new("--targets", expected, found).advising("rename it").into());
        };
        let pick = pick.map_or_else(String::new, |pick| format!("#{pick}"));
        let place = toml::Value::from(format!("{place}{pick}"));
        let stem = path.file_stem().unwrap_or_default().to_string_lossy();
        let name = own_name(&stem, &mut names);
        targets += &format!("[[targets]]\nname = \"{name}\"\n{key} = {place}\n");
        if key == "picture" {
            targets += "arch = \"6;cache:2,cos:2,gaussian:2,identity:1,sigmoid:2,sin:2,tanh:2\"\n";
        }
        targets += "\n";
    }
    let mut has_genome = args.targets.iter().any(|path| is_genome_file(path));
    if targets.is_empty() {
        has_genome = true;
        for (name, genome) in GENOMES {
            targets += &format!("[[targets]]\nname = \"{name}\"\ngenome = \"{genome}\"\n\n");
        }
    }
    let text =
        SPEC.replace("KIND", &args.kind).replace("NAME", name).replace("# TARGETS\n", &targets);
    let text = text.replace("# ARMS\n", if has_genome { EVOLVED } else { "" });
    write_new(&args.spec, text.as_bytes()).map_err(|error| match error.source.kind() {
        ErrorKind::AlreadyExists => {
            let found = "a file that is there already";
            let refusal = Refusal::new(args.spec.display(), "a new file", found);
            anyhow::Error::from(refusal.advising("choose another name"))
        }
        _ => error.into(),
    })?;
    let path = args.spec.display();
    let said = format!(
        "{path}\nnext: picloom experiment run {path}\n      picloom experiment decide {path}\n      picloom experiment report {path}"
    );
    Ok((json!({ "spec": args.spec.to_string_lossy() }), said))
}

/// A name of a–z, 0–9 and _ like this one, which none of `names` is; it is added to them.
fn own_name(like: &str, names: &mut BTreeSet<String>) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '_' };
    let folded: String = like.chars().map(plain).take(60).collect();
    let is_said = folded.contains(|c| c != '_');
    let stem = if is_said { folded } else { "target".into() };
    let numbered = (2..).map(|n| format!("{stem}_{n}"));
    let mut all = std::iter::once(stem.clone()).chain(numbered);
    let name = all.find(|name| !names.contains(name)).expect("numbers do not end");
    names.insert(name.clone());
    name
}
