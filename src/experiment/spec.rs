//! Specs of studies: TOML files with a kind, a question, and profiles that change them.
//!
//! In: `experiments/NAME.toml`. Out: its values in one profile, verified. A profile is what stands
//! under `[profiles.NAME]`, laid over the rest: tables key by key, arrays whole; where the spec has a
//! list of named tables, a profile's list of names says which of them are kept, and its table of names lays
//! changes over those.

use super::analysis::{Analysis, KEYS};
use crate::base::memory;
use crate::base::names::did_you_mean;
use crate::base::refusal::Refusal;
use crate::base::settings::Settings;
use crate::base::text::{path_text_if_any, portable};
use crate::genome::builtin;
use crate::network::family::{Conditions, Family, Support};
use crate::network::{Arch, Squaring};
use crate::run::RunError;
use crate::train::TrainConfig;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use toml::Spanned;
use toml::de::{DeArray, DeString, DeTable, DeValue};

/// The profile that is the spec's own values.
pub const STANDARD: &str = "standard";

/// The spec of one kind of study.
pub trait Spec: DeserializeOwned {
    /// Its `kind`.
    const KIND: &'static str;

    /// Adapts the spec to a profile's `changes`, beyond laying them over it. Default: does nothing.
    fn adapt(_spec: &mut DeTable<'_>, _changes: &DeTable<'_>) {}

    /// Moves keys into the tables that they are read from. Default: every key stays.
    fn sort(_spec: &mut DeTable<'_>) {}

    /// Rewrites the reader's message about a key in the words of whoever wrote the spec: the tables
    /// of [`sort`](Self::sort) are not theirs. Default: leaves it.
    fn unsorted(said: &str) -> String {
        said.into()
    }

    /// Verifies the values.
    ///
    /// # Errors
    /// The first value outside its range.
    fn check(&self) -> Result<(), Refusal>;

    /// Verifies what it names, given the spec in `all` of its profiles, this one among them: a name that means
    /// nothing here may mean something in another. Default: nothing is named.
    ///
    /// # Errors
    /// The first name that means nothing anywhere.
    fn check_names(&self, _all: &[&Self]) -> Result<(), Refusal> {
        Ok(())
    }

    /// Verifies what its contrasts name, given the spec in `all` of its profiles. Default: the table will say.
    ///
    /// # Errors
    /// The first name that no row of the table will have.
    fn check_asked(_all: &[&Self], _asked: &Analysis) -> Result<(), Refusal> {
        Ok(())
    }
}

/// Why a spec cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum SpecError {
    /// The file cannot be read.
    #[error("{path}: cannot read: {source}")]
    Read {
        /// The spec.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// Not TOML, unknown keys, values of the wrong type.
    #[error("{path}: expected a study, found: {problem}")]
    Toml {
        /// The spec.
        path: PathBuf,
        /// The error, with its place.
        problem: String,
    },
    /// A value outside its range.
    #[error("{0}")]
    Value(#[from] Refusal),
    /// A target or genome cannot be loaded.
    #[error("{path}: target {target}: {source}")]
    Target {
        /// The spec.
        path: PathBuf,
        /// Name of the target.
        target: String,
        /// Why.
        source: Box<RunError>,
    },
}

impl SpecError {
    /// Why the target `target` of the spec at `path` cannot be loaded.
    pub fn of_target<E: Into<RunError>>(path: &Path, target: &str) -> impl FnOnce(E) -> Self {
        let (path, target) = (path.to_path_buf(), target.to_string());
        |error| SpecError::Target { path, target, source: Box::new(error.into()) }
    }
}

/// The head of every spec.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Title {
    /// The file.
    pub spec: PathBuf,
    /// Its kind of study.
    pub kind: String,
    /// The question, in one sentence.
    pub question: String,
    /// Names of its profiles beside `standard`.
    pub profiles: Vec<String>,
}

impl Title {
    /// Reads kind, question and profiles, and leaves the rest unread.
    ///
    /// # Errors
    /// Not readable, no TOML, no kind.
    pub fn read(path: &Path) -> Result<Self, SpecError> {
        Ok(SpecFile::parse(path, &read(path)?)?.title())
    }
}

/// The spec at `path` in a profile, `None` for `standard`, and the profile's name. What the other
/// profiles make of it is verified too.
///
/// # Errors
/// Not readable, of another kind, no such profile, unknown keys, values outside their range.
pub fn read_spec<T: Spec>(path: &Path, profile: Option<&str>) -> Result<(T, String), SpecError> {
    read_text(path, &read(path)?, profile)
}

/// [`read_spec`] of a text; `path` is for messages.
///
/// # Errors
/// As there.
pub fn read_text<T: Spec>(
    path: &Path,
    text: &str,
    profile: Option<&str>,
) -> Result<(T, String), SpecError> {
    SpecFile::parse(path, text)?.spec(profile)
}

/// A spec, parsed once: its values know their lines.
#[derive(Clone, Debug)]
pub struct SpecFile<'a> {
    path: PathBuf,
    text: &'a str,
    kind: String,
    spec: Spanned<DeTable<'a>>,
    /// Its keys of contrasts and figures.
    asked: DeTable<'a>,
    profiles: DeTable<'a>,
}

/// The text of the spec at a path.
pub(super) fn read(path: &Path) -> Result<String, SpecError> {
    use crate::base::files::{LARGEST_CONFIG, read_text};
    read_text(path, LARGEST_CONFIG)
        .map_err(|source| SpecError::Read { path: path.to_path_buf(), source })
}

impl SpecFile<'static> {
    /// Reads and parses the spec at a path. Its text stays in memory until the program ends: for commands, which read
    /// each spec once.
    ///
    /// # Errors
    /// Not readable, no TOML, no kind.
    pub fn read(path: &Path) -> Result<Self, SpecError> {
        Self::parse(path, Box::leak(read(path)?.into_boxed_str()))
    }
}

/// Reads the contrasts and figures of the spec at `path`, verified.
///
/// # Errors
/// The file cannot be read, has unknown keys in a contrast, or a figure or contrast that is no
/// table.
pub fn read_analysis(path: &Path) -> Result<Analysis, SpecError> {
    SpecFile::parse(path, &read(path)?)?.analysis()
}

impl<'a> SpecFile<'a> {
    /// Where it stands.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Its kind of study.
    pub fn kind(&self) -> &str {
        &self.kind
    }

    /// Kind, question and profiles; the rest is left unread.
    pub fn title(&self) -> Title {
        let question = self.spec.get_ref().get("question").and_then(|q| q.get_ref().as_str());
        Title {
            spec: self.path.clone(),
            question: question.unwrap_or_default().to_string(),
            profiles: self.profiles.keys().map(|name| name.get_ref().to_string()).collect(),
            kind: self.kind.clone(),
        }
    }

    /// The spec in a profile, `None` for `standard`, and the profile's name. What the other profiles make of it is
    /// verified too.
    ///
    /// # Errors
    /// Of another kind, no such profile, unknown keys, values outside their range.
    pub fn spec<T: Spec>(&self, profile: Option<&str>) -> Result<(T, String), SpecError> {
        let analysis = self.analysis()?;
        let at = |problem: Refusal| problem.in_file(&self.path);
        let expected = format!("{:?}", T::KIND);
        Refusal::unless(self.kind == T::KIND, "kind", expected, format!("{:?}", self.kind))
            .map_err(at)?;
        let mut specs: Vec<(&str, T)> = vec![(STANDARD, self.with(None)?)];
        for (key, changes) in &self.profiles {
            let key = key.get_ref().as_ref();
            let part = format!("profile {key}");
            let other = "another name: standard is the study's own";
            Refusal::unless(key != STANDARD, &part, other, key).map_err(at)?;
            let DeValue::Table(changes) = changes.get_ref() else {
                return Err(at(Refusal::new(part, "a table", "none")).into());
            };
            specs.push((key, self.with(Some((key, changes)))?));
        }
        let all: Vec<&T> = specs.iter().map(|(_, spec)| spec).collect();
        for (key, spec) in &specs {
            let part = |problem: Refusal| match *key {
                STANDARD => problem,
                _ => Refusal { at: format!("profile {key}, {}", problem.at), ..problem },
            };
            spec.check_names(&all).map_err(part).map_err(at)?;
        }
        T::check_asked(&all, &analysis).map_err(at)?;
        let name = profile.unwrap_or(STANDARD);
        let chosen = specs.iter().position(|(key, _)| *key == name);
        let known: Vec<&str> = self.profiles.keys().map(|k| k.get_ref().as_ref()).collect();
        let expected = if known.is_empty() {
            format!("{STANDARD}, the only one")
        } else {
            format!("{STANDARD} or one of {}", known.join(", "))
        };
        let found = format!("{name:?}{}", did_you_mean(name, known));
        Refusal::unless(chosen.is_some(), "profile", expected, found).map_err(at)?;
        let chosen = chosen.expect("verified: there is such a profile");
        Ok((specs.swap_remove(chosen).1, name.to_string()))
    }

    /// Parses a text; `path` is for messages.
    ///
    /// # Errors
    /// No TOML, no kind.
    pub fn parse(path: &Path, text: &'a str) -> Result<Self, SpecError> {
        let mut spec = DeTable::parse(text).map_err(|e| fault(path, text, &e, e.message()))?;
        let kind = spec.get_mut().remove("kind");
        let kind = kind.as_ref().and_then(|kind| kind.get_ref().as_str());
        let none = || Refusal::new("kind", "text", "none").in_file(path);
        let kind = kind.ok_or_else(none)?.to_string();
        let profiles = match spec.get_mut().remove("profiles").map(Spanned::into_inner) {
            Some(DeValue::Table(profiles)) => profiles,
            Some(_) => {
                let expected = "tables, one a profile";
                return Err(Refusal::new("profiles", expected, "another value")
                    .in_file(path)
                    .into());
            }
            None => DeTable::new(),
        };
        let mut asked = DeTable::new();
        for key in KEYS {
            if let Some((key, value)) = spec.get_mut().remove_entry(key) {
                asked.insert(key, value);
            }
        }
        let path = path.to_path_buf();
        Ok(SpecFile { path, text, kind, spec, asked, profiles })
    }

    /// The spec's contrasts and figures, verified.
    ///
    /// # Errors
    /// An unknown key, a value of the wrong type.
    pub fn analysis(&self) -> Result<Analysis, SpecError> {
        let table = Spanned::new(0..0, self.asked.clone());
        let values = toml::Table::deserialize(toml::Deserializer::from(table));
        let values = values.map_err(|e| fault(&self.path, self.text, &e, e.message()))?;
        let name = self.spec.get_ref().get("name").and_then(|name| name.get_ref().as_str());
        Analysis::of(name.unwrap_or_default(), values)
            .map_err(|refusal| refusal.in_file(&self.path).into())
    }

    /// The spec with a profile's changes, verified.
    fn with<T: Spec>(&self, profile: Option<(&str, &DeTable<'a>)>) -> Result<T, SpecError> {
        let mut table = self.spec.clone();
        let part = |problem: Refusal| match profile {
            None => problem.in_file(&self.path),
            Some((name, _)) => {
                let at = format!("profile {name}, {}", problem.at);
                Refusal { at, ..problem }.in_file(&self.path)
            }
        };
        if let Some((_, changes)) = profile {
            lay_over(table.get_mut(), changes).map_err(part)?;
            T::adapt(table.get_mut(), changes);
        }
        T::sort(table.get_mut());
        let spec = T::deserialize(toml::Deserializer::from(table));
        let spec = spec.map_err(|e| fault(&self.path, self.text, &e, &T::unsorted(e.message())))?;
        spec.check().map_err(part)?;
        Ok(spec)
    }
}

/// Makes an error with the text `said` of an error of TOML's reader, and its line.
fn fault(path: &Path, text: &str, error: &toml::de::Error, said: &str) -> SpecError {
    let line = error.span().map_or(String::new(), |span| {
        let before = &text.as_bytes()[..span.start.min(text.len())];
        format!("line {}: ", 1 + before.iter().filter(|b| **b == b'\n').count())
    });
    SpecError::Toml {
        path: path.to_path_buf(),
        problem: format!("{line}{}{}", said.replace('\n', " "), nearest_key(said)),
    }
}

/// `; did you mean "lr"?` where TOML's reader `said` that a key is unknown: of those it expected, and those that are read
/// apart from it.
fn nearest_key(said: &str) -> String {
    let Some(found) = said.strip_prefix("unknown field `").and_then(|rest| rest.split('`').next())
    else {
        return String::new();
    };
    let expected = said.split('`').skip(3).step_by(2);
    let settings = TrainConfig::settings();
    let settings = settings.iter().map(|row| row.name);
    did_you_mean(found, expected.chain(KEYS).chain(["profiles"]).chain(settings))
}

/// Moves the keys of a table that are names of settings into its table `into`; `own` are its own keys.
pub(super) fn sort_settings(
    table: &mut DeTable<'_>,
    into: &'static str,
    names: &[&str],
    own: &[&str],
) {
    let keys: Vec<String> = table.keys().map(|key| key.get_ref().to_string()).collect();
    for key in keys.iter().map(String::as_str) {
        if !names.contains(&key) || own.contains(&key) {
            continue;
        }
        let Some((key, value)) = table.remove_entry(key) else { continue };
        let none = || Spanned::new(value.span(), DeValue::Table(DeTable::new()));
        let at: Spanned<DeString<'_>> = Spanned::new(key.span(), into.into());
        if let DeValue::Table(inner) = table.entry(at).or_insert_with(none).get_mut() {
            inner.insert(key, value);
        }
    }
}

fn lay_over<'a>(spec: &mut DeTable<'a>, changes: &DeTable<'a>) -> Result<(), Refusal> {
    for (key, change) in changes {
        let name: &str = key.get_ref();
        match (spec.get_mut(name).map(Spanned::get_mut), change.get_ref()) {
            (Some(DeValue::Table(old)), DeValue::Table(new)) => lay_over(old, new)?,
            (Some(DeValue::Array(tables)), DeValue::Array(names))
                if named(tables) && are_names(names) =>
            {
                *tables = keep(name, tables, names)?;
            }
            (Some(DeValue::Array(tables)), DeValue::Table(of)) if named(tables) => {
                change_named(name, tables, of)?;
            }
            _ => {
                spec.insert(key.clone(), change.clone());
            }
        }
    }
    Ok(())
}

/// Lays changes over the tables that they name.
fn change_named<'a>(key: &str, tables: &mut DeArray<'a>, of: &DeTable<'a>) -> Result<(), Refusal> {
    known(key, tables, of.keys().map(|name| name.get_ref().as_ref()))?;
    for (name, changes) in of {
        let (name, changes): (&str, _) = (name.get_ref(), changes.get_ref());
        let changes = changes.as_table().ok_or_else(|| {
            let expected = "a table for each name";
            Refusal::new(key, expected, changes.type_str())
        })?;
        for table in tables.iter_mut().map(Spanned::get_mut) {
            let wanted = name_of(table) == Some(name);
            if let (true, DeValue::Table(table)) = (wanted, table) {
                lay_over(table, changes)?;
            }
        }
    }
    Ok(())
}

fn name_of<'a>(table: &'a DeValue<'_>) -> Option<&'a str> {
    table.as_table()?.get("name")?.get_ref().as_str()
}

fn named(tables: &DeArray<'_>) -> bool {
    tables.iter().any(|table| name_of(table.get_ref()).is_some())
}

fn are_names(values: &DeArray<'_>) -> bool {
    values.iter().all(|value| value.get_ref().is_str())
}

/// Names of some of the tables, each once.
fn known<'n>(
    key: &str,
    tables: &DeArray<'_>,
    names: impl Iterator<Item = &'n str>,
) -> Result<BTreeSet<&'n str>, Refusal> {
    let known: Vec<&str> = tables.iter().filter_map(|t| name_of(t.get_ref())).collect();
    names
        .map(|name| {
            Refusal::unless(known.contains(&name), key, format!("some of {known:?}"), name)?;
            Ok(name)
        })
        .collect()
}

/// The tables with these names, in the spec's order.
fn keep<'a>(key: &str, tables: &DeArray<'a>, names: &DeArray<'_>) -> Result<DeArray<'a>, Refusal> {
    let wanted = known(key, tables, names.iter().filter_map(|name| name.get_ref().as_str()))?;
    let kept = tables.iter().filter(|t| name_of(t.get_ref()).is_some_and(|n| wanted.contains(n)));
    Ok(kept.cloned().collect())
}

/// A family of pictures to draw, and which of its combinations of factors training sees.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FamilySpec {
    /// Which family (`picloom family`); default: what the target's genome draws, which then has factors.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub name: Option<Family>,
    /// Which combinations are seen: random:SHARE, connected, minimal, disconnected or value.
    pub support: Support,
    /// Values of each factor, evenly from −1 to 1, 2 to 16. Default 5.
    #[serde(default = "five")]
    pub values: usize,
    /// Seed of a random support. Default 0.
    #[serde(default)]
    pub seed: u64,
}

fn five() -> usize {
    5
}

impl FamilySpec {
    /// Refuses a number of values that is none; `key` says where it stands.
    pub(super) fn check(&self, key: &str) -> Result<(), Refusal> {
        let fits = (2..=16).contains(&self.values);
        Refusal::unless(
            fits,
            format!("{key}, values"),
            "2 to 16 values of each factor",
            self.values,
        )
    }

    /// Refuses more pictures of `size`² than there is memory for; `key` says where it stands.
    pub(super) fn ensure_memory(
        &self,
        key: &str,
        factors: usize,
        size: usize,
    ) -> Result<(), Refusal> {
        let pictures = self.values.checked_pow(factors as u32).unwrap_or(usize::MAX);
        let counts = [(size, "pixels"), (size, "pixels"), (pictures, "pictures")];
        // Colours, and the inputs in both precisions.
        memory::ensure(key, &counts, 3 * 4 + (4 + factors) * (8 + 4))
    }

    /// Its conditions, of a family or genome with so many factors.
    pub fn conditions(&self, factors: usize) -> Conditions {
        self.support.conditions(factors, self.values, self.seed)
    }
}

/// A picture to draw and the network that is to draw it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TargetSpec {
    /// Its name in records and figures.
    pub name: String,
    /// A family of pictures instead of one; its networks have the factors as inputs.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub family: Option<FamilySpec>,
    /// Picture file, or a genome rendered in float. Default: the genome.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "path_text_if_any")]
    pub picture: Option<PathBuf>,
    /// How to make a picture square: crop, pad or squash. Default: refuse one that is not square.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fit: Option<Squaring>,
    /// Genome whose wirings are trained; this, `arch` or both.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "path_text_if_any")]
    pub genome: Option<PathBuf>,
    /// Arch of the dense network. Default: that of the genome's layered network.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub arch: Option<Arch>,
    /// Pictures or genomes that few weights are to lead to, its relatives in a breeding session; with `organisation`.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub relatives: Vec<PathBuf>,
}

impl TargetSpec {
    /// Refuses a target that is not said, or said twice.
    pub fn check(&self) -> Result<(), Refusal> {
        let key = format!("target {}", self.name);
        let wired = self.genome.is_some() || self.arch.is_some();
        Refusal::unless(wired, &key, "a genome or an arch", "neither")?;
        let twice = self.genome.is_some() && self.arch.is_some() && self.family.is_some();
        Refusal::unless(!twice, &key, "a family with a genome or an arch", "both")?;
        let of_code = self.family.as_ref().is_some_and(|family| family.name.is_some());
        let drawn = self.genome.is_some() || self.picture.is_some() || of_code;
        Refusal::unless(drawn, &key, "a picture or a family with an arch", "none")?;
        if let Some(family) = &self.family {
            let alone = self.picture.is_none() && (of_code || self.genome.is_some());
            let expected = "a family by name, or a genome's own, and no picture";
            Refusal::unless(alone, &key, expected, "another choice")?;
            family.check(&format!("{key}, family"))?;
        }
        let alone = self.relatives.is_empty() || self.family.is_none();
        Refusal::unless(alone, &key, "relatives of one picture", "a family")?;
        let used = self.fit.is_none() || self.picture.is_some();
        Refusal::unless(used, &key, "fit with a picture", "fit without one")
    }

    /// The same for ids: where its files lie on this machine alone is no part of what is computed.
    pub fn portable(&self) -> TargetSpec {
        let named = |path: &Option<PathBuf>| path.as_deref().map(|path| portable(path).into());
        let (picture, genome) = (named(&self.picture), named(&self.genome));
        let relatives = self.relatives.iter().map(|path| portable(path).into()).collect();
        TargetSpec { picture, genome, relatives, ..self.clone() }
    }

    /// Whether its picture or its genome is other people's data: its pictures are not kept.
    pub fn is_archived(&self) -> bool {
        let mut files = [&self.picture, &self.genome].into_iter().flatten();
        files.any(|path| path.to_string_lossy().starts_with(ARCHIVE))
    }

    /// The file of what is drawn, if it is not a family by name.
    pub fn drawn(&self) -> Option<&Path> {
        self.picture.as_deref().or(self.genome.as_deref())
    }
}

/// Longest name, in letters: a file's name is made of up to three of them, and has 255 at most.
const LONGEST_NAME: usize = 80;

/// Refuses names that could not be those of folders.
///
/// # Errors
/// The name.
pub fn check_name(key: &str, name: &str) -> Result<(), Refusal> {
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-' || c == '_';
    if name.len() > LONGEST_NAME {
        let expected = format!("at most {LONGEST_NAME} letters");
        return Err(Refusal::new(key, expected, format!("{} letters", name.len())));
    }
    let fits = !name.is_empty() && name.chars().all(plain);
    Refusal::unless(fits, key, "a folder name of a–z, 0–9, - and _", format!("{name:?}"))
}

/// Refuses an empty list, and names that stand twice.
///
/// # Errors
/// The names.
pub fn check_names(key: &str, names: &[&String]) -> Result<(), Refusal> {
    let different: BTreeSet<_> = names.iter().collect();
    let fits = !names.is_empty() && different.len() == names.len();
    Refusal::unless(fits, key, "at least one, with names of their own", format!("{names:?}"))
}

/// Refuses no seeds, and one that stands twice: its networks would count as different ones.
///
/// # Errors
/// The seeds.
pub fn check_seeds(key: impl std::fmt::Display, seeds: &[u64]) -> Result<(), Refusal> {
    let mut seen = BTreeSet::new();
    let found = match seeds.iter().find(|seed| !seen.insert(**seed)) {
        Some(seed) => format!("{seed} twice"),
        None if seeds.is_empty() => "none".into(),
        None => return Ok(()),
    };
    Err(Refusal::new(key, "at least one, and each once", found))
}

/// Cells of one study at most.
const MOST_CELLS: u64 = 1_000_000;

/// Refuses more cells than a study can have, before they are made. `factors` are the lengths of the axes, with what
/// is counted.
///
/// # Errors
/// The product.
pub fn check_cells(key: impl std::fmt::Display, factors: &[(u64, &str)]) -> Result<(), Refusal> {
    let cells = factors.iter().fold(1u64, |product, (n, _)| product.saturating_mul(*n));
    let product: Vec<String> = factors.iter().map(|(n, what)| format!("{n} {what}")).collect();
    let expected = format!("at most {MOST_CELLS} cells");
    Refusal::unless(cells <= MOST_CELLS, key, expected, product.join(" × "))
}

/// Refuses a side that no picture has.
///
/// # Errors
/// The size.
pub fn check_size(size: usize) -> Result<(), Refusal> {
    Refusal::unless((2..=4096).contains(&size), "size", "2 to 4096 pixels", size.to_string())
}

const ARCHIVE: &str = "archive:";

/// Which targets have no cells, for people: a line, or nothing.
pub fn left_out(targets: &[String]) -> String {
    match targets {
        [] => String::new(),
        names => format!("left out, PICLOOM_ARCHIVE is not set: {}\n", names.join(", ")),
    }
}

/// Where the paths of a spec lead: `archive:…` into `PICLOOM_ARCHIVE`, others from the spec's folder
/// or, where nothing is there, from the folder above.
#[derive(Clone, Debug)]
pub struct Places {
    beside: PathBuf,
    /// The folder above the spec's.
    pub above: PathBuf,
}

impl Places {
    /// Those of the spec at `path`.
    pub fn of(path: &Path) -> Self {
        let beside = match path.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder.to_path_buf(),
            _ => PathBuf::from("."),
        };
        let above = match beside.parent() {
            Some(above) if !above.as_os_str().is_empty() => above.to_path_buf(),
            _ if beside.as_os_str() == "." => PathBuf::from(".."),
            _ => PathBuf::from("."),
        };
        Places { beside, above }
    }

    /// The folders in which files are looked for, in order.
    pub fn folders(&self) -> [&Path; 2] {
        [&self.beside, &self.above]
    }

    /// The file; `None` if it is in an archive that is not there.
    pub fn find(&self, path: &Path) -> Option<PathBuf> {
        match path.to_string_lossy().strip_prefix(ARCHIVE) {
            Some(rest) => std::env::var_os("PICLOOM_ARCHIVE").map(|a| Path::new(&a).join(rest)),
            None => Some(self.file(path)),
        }
    }

    /// The file, which is in no archive.
    pub fn file(&self, path: &Path) -> PathBuf {
        let (beside, above) = (self.beside.join(path), self.above.join(path));
        match (beside.exists(), above.exists()) {
            (true, _) => beside,
            (_, true) => above,
            // A genome that comes with the program lies nowhere.
            _ if builtin(path).is_some() => path.to_path_buf(),
            _ => beside,
        }
    }
}
