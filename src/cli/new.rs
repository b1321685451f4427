//! `picloom experiment new`: a commented spec to begin a study from.

use super::study::Said;
use crate::experiment::spec::{Places, check_name};
use crate::math::refusal::Refusal;
use crate::math::text::word_of;
use crate::network::files::write_atomic;
use clap::Args;
use serde_json::json;
use std::path::{Path, PathBuf};

/// The spec, with `NAME` and `TARGETS` to be filled in.
const SPEC: &str = include_str!("../../assets/new-study.toml");

/// A genome of the program's repository, the target where none is given.
const MOTH: &str = "genomes/bred_moth.json";

#[derive(Args)]
pub struct NewArgs {
    /// Where to write the spec (.toml); its name is the study's
    spec: PathBuf,
    /// Pictures and genomes of the study, a target each [default: genomes/bred_moth.json]
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
    if args.spec.exists() {
        let found = "a file that is there already";
        let refusal = Refusal::new(args.spec.display(), "a new file", found);
        return Err(refusal.advising("choose another name").into());
    }
    let mut targets = String::new();
    for path in &args.targets {
        let stem = path.file_stem().and_then(|name| name.to_str()).unwrap_or_default();
        let plain = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '_' };
        let key =
            if path.extension().is_some_and(|end| ["json", "zip", "xml"].iter().any(|e| end == *e))
            {
                "genome"
            } else {
                "picture"
            };
        if !path.exists() {
            return Err(Refusal::new(
                "--targets",
                "pictures or genomes",
                path.display().to_string(),
            )
            .advising("the file is not there")
            .into());
        }
        // A spec's paths are looked for beside it, then in the folder above: a path that is found from there stays short.
        let full = std::fs::canonicalize(path)?;
        let found = std::fs::canonicalize(Places::of(&args.spec).file(path));
        let is_found = path.is_relative() && found.is_ok_and(|found| found == full);
        let place = if is_found { path } else { &full };
        let Some(place) = place.to_str() else {
            let (expected, found) =
                ("paths of UTF-8, as a spec is text", word_of(place.as_os_str()));
            return Err(Refusal::new("--targets", expected, found).advising("rename it").into());
        };
        let place = toml::Value::from(place);
        let name: String = stem.chars().map(plain).collect();
        targets += &format!("[[targets]]\nname = \"{name}\"\n{key} = {place}\n");
        if key == "picture" {
            targets += "arch = \"6;cache:2,cos:2,gaussian:2,identity:1,sigmoid:2,sin:2,tanh:2\"\n";
        }
        targets += "\n";
    }
    if targets.is_empty() {
        let places = [PathBuf::from(MOTH), PathBuf::from("..").join(MOTH)];
        let beside = args.spec.parent().unwrap_or(Path::new(""));
        if !places.iter().any(|place| beside.join(place).exists()) {
            let advice = "name pictures or genomes with --targets";
            return Err(Refusal::new("targets", format!("{MOTH} beside the spec"), "none")
                .advising(advice)
                .into());
        }
        targets = format!("[[targets]]\nname = \"moth\"\ngenome = \"{MOTH}\"\n\n");
    }
    let text = SPEC.replace("NAME", name).replace("# TARGETS\n", &targets);
    write_atomic(&args.spec, text.as_bytes())?;
    let path = args.spec.display();
    let said = format!(
        "{path}\nnext: picloom experiment run {path} --profile smoke   seconds: does everything run?\n      picloom experiment run {path} --dry-run          how long does it take?\n      picloom experiment run {path}\n      picloom experiment decide {path}\n      picloom experiment figures {path} --report report.html"
    );
    Ok((json!({ "spec": args.spec.to_string_lossy() }), said))
}
