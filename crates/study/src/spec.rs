//! Specs of studies: TOML files with a kind, a question, and profiles that change them.
//!
//! In: a file. Out: its values in one profile, verified. First each list of tables is expanded (`expand.rs`), then the
//! spec is laid over the one that it extends, then the profile, `[profiles.NAME]`, over both (`layers.rs`).

use super::analysis::{Analysis, KEYS};
use super::expand::{expand, files};
use super::layers::lay_over;
pub use super::layers::sort_settings;
use picloom_base::files::LARGEST_CONFIG;
use picloom_base::names::did_you_mean;
use picloom_base::refusal::Refusal;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::error::Error as StdError;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// The key of a spec whose keys it begins with.
const EXTENDS: &str = "extends";

/// The profile that is the spec's own values.
pub const STANDARD: &str = "standard";

/// The profile whose numbers mean nothing: it only shows that everything runs. Its results lie apart.
pub const SMOKE: &str = "smoke";

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
    fn strip_hidden_table(said: &str) -> String {
        said.into()
    }

    /// Keys that [`sort`](Self::sort) moves, for "did you mean". Default: none.
    fn other_keys() -> Vec<&'static str> {
        Vec::new()
    }

    /// Puts what files hold in the place of their names, which the spec at `path` says. Default: does nothing.
    ///
    /// # Errors
    /// A file is damaged.
    fn spread(&mut self, _path: &Path) -> Result<(), SpecError> {
        Ok(())
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
    /// The file cannot be read, is no TOML, or has an unknown key or a value of the wrong type or outside its range.
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
        source: Box<dyn StdError + Send + Sync>,
    },
}

impl SpecError {
    /// Why the target `target` of the spec at `path` cannot be loaded.
    pub fn of_target<E>(path: &Path, target: &str) -> impl FnOnce(E) -> Self
    where
        E: Into<Box<dyn StdError + Send + Sync>>,
    {
        let (path, target) = (path.to_path_buf(), target.to_string());
        |error| SpecError::Target { path, target, source: error.into() }
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
pub struct SpecFile {
    path: PathBuf,
    parsed: Arc<Parsed>,
}

self_cell::self_cell!(
    /// The texts of a spec and what they say.
    struct Parsed {
        owner: Texts,
        #[covariant]
        dependent: Document,
    }

    impl {Debug}
);

/// A spec's text behind those that it extends, the first of them first. Each begins with as many spaces as those before
/// it have bytes, so that a place in any of them is a place in one only.
#[derive(Debug)]
struct Texts(Vec<(PathBuf, String)>);

/// Specs that extend one another, at most.
const MOST_EXTENDED: usize = 8;

impl Texts {
    fn gather(path: &Path, text: String) -> Result<Self, SpecError> {
        let mut all = vec![(path.to_path_buf(), text)];
        loop {
            let (path, text) = all.last().expect("at least one");
            let table = DeTable::parse(text)
                .map_err(|e| Texts::alone(path, text).fault(&e, e.message(), &[]))?;
            let Some(base) = table.get_ref().get(EXTENDS) else { break };
            let refuse = |expected: &str, found: &str| {
                SpecError::from(Refusal::new(EXTENDS, expected, found).in_file(path))
            };
            let Some(base) = base.get_ref().as_str() else {
                return Err(refuse("the file of a spec", base.get_ref().type_str()));
            };
            if all.len() == MOST_EXTENDED {
                let expected =
                    format!("at most {MOST_EXTENDED} specs, each of which extends the next");
                return Err(refuse(&expected, "more"));
            }
            let base = path.parent().unwrap_or(Path::new("")).join(base);
            let text = read(&base)?;
            let size = all.iter().map(|(_, text)| text.len()).sum::<usize>() + text.len();
            if size as u64 > LARGEST_CONFIG {
                return Err(refuse("specs of at most 64 MB together", "more"));
            }
            all.push((base, text));
        }
        all.reverse();
        let mut before = 0;
        for (_, text) in &mut all {
            text.insert_str(0, &" ".repeat(before));
            before = text.len();
        }
        Ok(Texts(all))
    }

    fn alone(path: &Path, text: &str) -> Self {
        Texts(vec![(path.to_path_buf(), text.to_string())])
    }

    /// Makes an error with the text `said` of an error of TOML's reader, and its line.
    fn fault(&self, error: &toml::de::Error, said: &str, others: &[&str]) -> SpecError {
        let start = error.span().map(|span| span.start);
        let at = |(_, text): &&(PathBuf, String)| start.is_none_or(|start| start < text.len());
        let (path, text) = self.0.iter().find(at).or(self.0.last()).expect("at least one");
        let line = start.map_or(String::new(), |start| {
            let before = &text.as_bytes()[..start.min(text.len())];
            format!(", line {}", 1 + before.iter().filter(|b| **b == b'\n').count())
        });
        let error = format!("{}{}", said.replace('\n', " "), nearest_key(said, others));
        let refusal = Refusal::other_text("a study", error).as_failure();
        refusal.within(format!("{}{line}", path.display())).into()
    }
}

#[derive(Debug)]
struct Document<'a> {
    kind: String,
    /// The keys of the kind.
    spec: Spanned<DeTable<'a>>,
    /// The keys of contrasts and figures.
    asked: DeTable<'a>,
    profiles: DeTable<'a>,
}

/// The text of the spec at a path.
pub(crate) fn read(path: &Path) -> Result<String, SpecError> {
    picloom_base::files::read_text(path, LARGEST_CONFIG)
        .map_err(|error| Refusal::unreadable(path, "a spec", &error).into())
}

/// Reads the contrasts and figures of the spec at `path`, verified.
///
/// # Errors
/// The file cannot be read, has unknown keys in a contrast, or a figure or contrast that is no
/// table.
pub fn read_analysis(path: &Path) -> Result<Analysis, SpecError> {
    SpecFile::parse(path, &read(path)?)?.analysis()
}

impl SpecFile {
    /// Reads and parses the spec at a path.
    ///
    /// # Errors
    /// Not readable, no TOML, no kind.
    pub fn read(path: &Path) -> Result<Self, SpecError> {
        Self::parse(path, &read(path)?)
    }

    /// Where it stands.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Its kind of study.
    pub fn kind(&self) -> &str {
        &self.document().kind
    }

    /// Kind, question and profiles; the rest is left unread.
    pub fn title(&self) -> Title {
        let Document { kind, spec, profiles, .. } = self.document();
        let question = spec.get_ref().get("question").and_then(|q| q.get_ref().as_str());
        Title {
            spec: self.path.clone(),
            question: question.unwrap_or_default().to_string(),
            profiles: profiles.keys().map(|name| name.get_ref().to_string()).collect(),
            kind: kind.clone(),
        }
    }

    /// The spec in a profile, `None` for `standard`, and the profile's name. What the other profiles make of it is
    /// verified too.
    ///
    /// # Errors
    /// Of another kind, no such profile, unknown keys, values outside their range.
    pub fn spec<T: Spec>(&self, profile: Option<&str>) -> Result<(T, String), SpecError> {
        let analysis = self.analysis()?;
        let Document { kind, profiles, .. } = self.document();
        let at = |problem: Refusal| problem.in_file(&self.path);
        let (expected, found) = (format!("{:?}", T::KIND), format!("{kind:?}"));
        Refusal::unless(kind == T::KIND, "kind", expected, found).map_err(at)?;
        let mut specs: Vec<(&str, T)> = vec![(STANDARD, self.with(None)?)];
        for (key, changes) in profiles {
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
        let known: Vec<&str> = profiles.keys().map(|k| k.get_ref().as_ref()).collect();
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
    pub fn parse(path: &Path, text: &str) -> Result<Self, SpecError> {
        let texts = Texts::gather(path, text.to_string())?;
        let parsed = Parsed::try_new(texts, |texts| Document::parse(path, texts))?;
        Ok(SpecFile { path: path.to_path_buf(), parsed: Arc::new(parsed) })
    }

    fn document(&self) -> &Document<'_> {
        self.parsed.borrow_dependent()
    }

    fn texts(&self) -> &Texts {
        self.parsed.borrow_owner()
    }

    /// The spec's contrasts and figures, verified.
    ///
    /// # Errors
    /// An unknown key, a value of the wrong type.
    pub fn analysis(&self) -> Result<Analysis, SpecError> {
        let table = Spanned::new(0..0, self.document().asked.clone());
        let values = toml::Table::deserialize(toml::Deserializer::from(table));
        let values = values.map_err(|e| self.texts().fault(&e, e.message(), &[]))?;
        let name =
            self.document().spec.get_ref().get("name").and_then(|name| name.get_ref().as_str());
        Analysis::of(name.unwrap_or_default(), values)
            .map_err(|refusal| refusal.in_file(&self.path).into())
    }

    /// The spec in a profile: with those that it extends, the profile's changes, its contrasts and figures.
    ///
    /// # Errors
    /// The profile's changes do not go with it.
    pub fn resolved<T: Spec>(&self, profile: &str) -> Result<toml::Table, SpecError> {
        let Document { kind, asked, profiles, .. } = self.document();
        let changes = profiles.iter().find(|(name, _)| name.get_ref().as_ref() == profile);
        let changes = changes.and_then(|(_, changes)| match changes.get_ref() {
            DeValue::Table(changes) => Some((profile, changes)),
            _ => None,
        });
        let mut table = self.laid::<T>(changes).map_err(|refusal| refusal.in_file(&self.path))?;
        table.get_mut().extend(asked.clone());
        let values = toml::Table::deserialize(toml::Deserializer::from(table));
        let mut values = values.map_err(|e| self.texts().fault(&e, e.message(), &[]))?;
        values.insert("kind".into(), kind.as_str().into());
        Ok(values)
    }

    /// The spec with a profile's changes laid over it.
    fn laid<'a, T: Spec>(
        &'a self,
        profile: Option<(&str, &DeTable<'a>)>,
    ) -> Result<Spanned<DeTable<'a>>, Refusal> {
        let mut table = self.document().spec.clone();
        if let Some((_, changes)) = profile {
            lay_over(table.get_mut(), changes)?;
            T::adapt(table.get_mut(), changes);
        }
        Ok(table)
    }

    /// The spec with a profile's changes, verified.
    fn with<'a, T: Spec>(&'a self, profile: Option<(&str, &DeTable<'a>)>) -> Result<T, SpecError> {
        let part = |problem: Refusal| match profile {
            None => problem.in_file(&self.path),
            Some((name, _)) => {
                let at = format!("profile {name}, {}", problem.at);
                Refusal { at, ..problem }.in_file(&self.path)
            }
        };
        let mut table = self.laid::<T>(profile).map_err(part)?;
        T::sort(table.get_mut());
        let spec = T::deserialize(toml::Deserializer::from(table));
        let mut spec = spec.map_err(|e| {
            let said = T::strip_hidden_table(e.message());
            self.texts().fault(&e, &said, &T::other_keys())
        })?;
        spec.spread(&self.path)?;
        spec.check().map_err(part)?;
        Ok(spec)
    }
}

impl<'a> Document<'a> {
    fn parse(path: &Path, texts: &'a Texts) -> Result<Self, SpecError> {
        let mut spec: Option<Spanned<DeTable<'a>>> = None;
        for (path, text) in &texts.0 {
            let mut own = DeTable::parse(text).map_err(|e| texts.fault(&e, e.message(), &[]))?;
            let extends = own.get_mut().remove(EXTENDS).is_some();
            let places = Places::of(path);
            expand(own.get_mut(), extends, &|pattern| places.matching(pattern))
                .map_err(|refusal| refusal.in_file(path))?;
            match &mut spec {
                None => spec = Some(own),
                Some(spec) => lay_over(spec.get_mut(), own.get_ref())
                    .map_err(|refusal| refusal.in_file(path))?,
            }
        }
        let mut spec = spec.expect("at least one text");
        let kind = spec.get_mut().remove("kind");
        let kind = kind.as_ref().and_then(|kind| kind.get_ref().as_str());
        let none = || Refusal::new("kind", "text", "none").in_file(path);
        let kind = kind.ok_or_else(none)?.to_string();
        let profiles = match spec.get_mut().remove("profiles").map(Spanned::into_inner) {
            Some(DeValue::Table(profiles)) => profiles,
            Some(_) => {
                let expected = "tables, one a profile";
                let refusal = Refusal::new("profiles", expected, "another value");
                return Err(refusal.in_file(path).into());
            }
            None => DeTable::new(),
        };
        let mut asked = DeTable::new();
        for key in KEYS {
            if let Some((key, value)) = spec.get_mut().remove_entry(key) {
                asked.insert(key, value);
            }
        }
        Ok(Document { kind, spec, asked, profiles })
    }
}

/// `; did you mean "lr"?` where TOML's reader `said` that a key is unknown: of those it expected, and those that are read
/// apart from it.
fn nearest_key(said: &str, others: &[&str]) -> String {
    let Some(found) = said.strip_prefix("unknown field `").and_then(|rest| rest.split('`').next())
    else {
        return String::new();
    };
    let expected = said.split('`').skip(3).step_by(2);
    did_you_mean(found, expected.chain(KEYS).chain(["profiles"]).chain(others.iter().copied()))
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
    let mut different = BTreeSet::new();
    let twice = names.iter().find(|name| !different.insert(**name));
    let found = twice.map_or("none".into(), |name| format!("{name:?} twice"));
    let fits = !names.is_empty() && twice.is_none();
    Refusal::unless(fits, key, "at least one, with names of their own", found)
}

/// Most seeds of a list.
const MOST_SEEDS: u64 = 100_000;

/// Reads seeds: a list of numbers and of ranges with both ends, `[7, "9100..9163"]`, or one range.
///
/// # Errors
/// Another value, a range that is empty or too long.
pub fn seeds<'de, D: serde::Deserializer<'de>>(from: D) -> Result<Vec<u64>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum One {
        Seed(u64),
        Range(String),
    }
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum All {
        Range(String),
        List(Vec<One>),
    }
    let wrong = |found: &str| {
        serde::de::Error::custom(format!("expected seeds, [0, 1] or \"0..1\", found {found:?}"))
    };
    let range = |text: &str| {
        let (first, last) = text.split_once("..").ok_or_else(|| wrong(text))?;
        let number = |text: &str| text.trim().parse::<u64>().map_err(|_| wrong(text));
        let (first, last) = (number(first)?, number(last)?);
        let fits = first <= last && last - first < MOST_SEEDS;
        if fits { Ok(first..=last) } else { Err(wrong(text)) }
    };
    let all = match All::deserialize(from) {
        Ok(All::Range(text)) => return Ok(range(&text)?.collect()),
        Ok(All::List(all)) => all,
        Err(_) => return Err(wrong("another value")),
    };
    let mut seeds = Vec::new();
    for one in all {
        match one {
            One::Seed(seed) => seeds.push(seed),
            One::Range(text) => seeds.extend(range(&text)?),
        }
    }
    Ok(seeds)
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

/// The beginning of a path into other people's data, which lies below `PICLOOM_ARCHIVE`.
pub const ARCHIVE: &str = "archive:";

/// As many targets are named that are left out.
const NAMED: usize = 5;

/// Which targets have no cells, and why, for people: a line, or nothing.
pub fn left_out(targets: &[String]) -> String {
    let (first, more) = targets.split_at(targets.len().min(NAMED));
    match (first, more.len()) {
        ([], _) => String::new(),
        (first, 0) => format!("left out: {}\n", first.join(", ")),
        (first, more) => format!("left out: {} and {more} more\n", first.join(", ")),
    }
}

/// Where the paths of a spec lead: `archive:…` into `PICLOOM_ARCHIVE`, others from the spec's folder
/// or, where nothing is there, from the folder above.
#[derive(Clone, Debug)]
pub struct Places {
    beside: PathBuf,
    /// The folder above the spec's.
    pub above: PathBuf,
    /// Whether a path names something that comes with the program.
    lies_nowhere: fn(&Path) -> bool,
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
        Places { beside, above, lies_nowhere: |_| false }
    }

    /// The same, where some paths name things that come with the program and lie in no folder.
    pub fn or(self, lies_nowhere: fn(&Path) -> bool) -> Self {
        Places { lies_nowhere, ..self }
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

    /// The files that a pattern names, with a `*` in its last part or without; as they are written in a spec.
    ///
    /// # Errors
    /// None matches, or they are in an archive that is not there.
    pub(crate) fn matching(&self, pattern: &str) -> Result<Vec<PathBuf>, Refusal> {
        if !pattern.contains('*') {
            return Ok(vec![pattern.into()]);
        }
        let Some(rest) = pattern.strip_prefix(ARCHIVE) else {
            return files(&self.beside, pattern).or_else(|_| files(&self.above, pattern));
        };
        let archive = std::env::var_os("PICLOOM_ARCHIVE").ok_or_else(|| {
            Refusal::new(pattern, "an archive to look for files in", "PICLOOM_ARCHIVE is not set")
        })?;
        let found = files(Path::new(&archive), rest)?;
        Ok(found.iter().map(|path| format!("{ARCHIVE}{}", path.display()).into()).collect())
    }

    /// The file, which is in no archive.
    pub fn file(&self, path: &Path) -> PathBuf {
        let (beside, above) = (self.beside.join(path), self.above.join(path));
        // Of a file of many, `FILE#PART` is there if the file is.
        let exists = |path: &Path| {
            let text = path.to_string_lossy();
            let mut cuts = text.match_indices('#').map(|(at, _)| Path::new(&text[..at]));
            path.exists() || cuts.any(Path::is_file)
        };
        match (exists(&beside), exists(&above)) {
            (true, _) => beside,
            (_, true) => above,
            _ if (self.lies_nowhere)(path) => path.to_path_buf(),
            _ => beside,
        }
    }
}
