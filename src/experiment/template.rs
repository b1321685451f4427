//! Comparison, depth sweep, regime map and distillation of one picture or genome: networks studies of one target.
//!
//! In: a [`Template`] (`assets/*.toml`), a [`Subject`] and the [`Changes`] that options make. Out: the spec as text,
//! which `picloom experiment run` runs as it is, and the study that it says: both have the same cells.

use super::depth::{DepthModel, png_ratio};
use super::networks::arm::{ArmSpec, ArmWiring};
use super::networks::plan::{NetworksStudy, judge};
use super::networks::source::Source;
use super::networks::spec::NetworksSpec;
use crate::base::files::{LARGEST_CONFIG, WriteError, create_folder, read_plain, write_atomic};
use crate::base::folder::ensure_file;
use crate::base::hash::{sha256_hex, sha256_of_floats};
use crate::base::refusal::Refusal;
use crate::base::text::{leads_down, portable};
use crate::experiment::target_spec::{TargetSpec, places_of};
use crate::genome::{Genome, picked, to_json};
use crate::network::{Arch, Coords, Model, Squaring, Wiring, layerize, read_genome};
use crate::run::{RunError, Target, is_genome_file, load_target};
use crate::study::spec::{STANDARD, SpecError, SpecFile};
use serde::Serialize;
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// A study that is done with one picture or genome.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Template {
    /// One genome's evolved network against networks trained on its picture; of a picture the trained ones.
    Compare,
    /// Networks of several depths, dense and pruned once by similarity.
    DepthSweep,
    /// The score by depth and kept share, at and around the predicted depth.
    Regime,
    /// Networks pruned with an L1 penalty, down to those that no longer learn the picture.
    Distil,
}

/// Changes to a template; each `None` leaves the template's value.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Changes {
    /// The profile, one of the template's.
    #[serde(skip)]
    pub profile: Option<String>,
    /// Side of the picture in pixels.
    pub size: Option<usize>,
    /// Optimizer steps of each training and retraining.
    pub steps: Option<u64>,
    /// Seeds of the trainings.
    pub seeds: Option<Vec<u64>>,
    /// [`StudySettings`](super::networks::spec::StudySettings), by their keys in files.
    #[serde(flatten)]
    pub own: toml::Table,
    /// Numbers of hidden layers of a depth sweep, each ≥ 1.
    #[serde(skip)]
    pub depths: Option<Vec<usize>>,
    /// The first so many arms alone.
    #[serde(skip)]
    pub arms: Option<usize>,
}

/// The picture or genome that a study is done with.
#[derive(Clone, Debug)]
pub struct Subject {
    /// Its path, as records name it.
    pub path: PathBuf,
    /// Its title, for people.
    pub title: String,
    /// The genome; `None` for a picture that no genome draws.
    pub genome: Option<Genome>,
    /// How to make the picture square, if it is not.
    pub fit: Option<Squaring>,
    /// PNG bytes / raw bytes of the picture, at the size that depths are predicted from.
    pub png_ratio: f64,
    /// A hash of the genome or picture.
    pub(super) sha256: String,
    /// The copy that specs name; `None` if they can name its path.
    copy: Option<BesideSpec>,
}

/// A subject's file as it lies beside specs that cannot name its own place: it would be this machine's alone, or no text.
#[derive(Clone, Debug)]
struct BesideSpec {
    /// Its path from the spec.
    path: PathBuf,
    bytes: Vec<u8>,
}

/// The file of the spec in the folder of its results.
pub(crate) const SPEC: &str = "spec.toml";

/// Folder of such copies.
const COPIES: &str = "subjects";

/// A study of one subject, and the spec that says it.
pub struct Single {
    /// Its subject.
    pub subject: Subject,
    /// The study.
    pub study: NetworksStudy,
    /// Its spec, in TOML.
    pub spec: String,
    /// Steps of the template's profile.
    pub usual_steps: u64,
}

/// Why there is no study, or no spec of it.
#[derive(Debug, thiserror::Error)]
pub enum SingleError {
    /// A setting is outside its range.
    #[error(transparent)]
    Settings(#[from] SpecError),
    /// The picture or genome cannot be read, or not be used; a file cannot be written.
    #[error(transparent)]
    Run(#[from] RunError),
    /// The spec would be written over something else.
    #[error(transparent)]
    Other(#[from] Refusal),
}

impl Subject {
    /// The picture or genome in a file; `fit` says what becomes of a picture that is not square.
    ///
    /// # Errors
    /// It cannot be read, is not square, or of one colour.
    pub fn read(path: &Path, fit: Option<Squaring>) -> Result<Self, RunError> {
        if is_genome_file(path) {
            return Self::of_genome(read_genome(path, Wiring::Dense)?, path);
        }
        let title = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let (path, sha256, copy) = (path.into(), String::new(), None);
        Self::new(Subject { path, title, genome: None, fit, png_ratio: f64::NAN, sha256, copy })
    }

    /// A genome; records say `path` for it.
    ///
    /// # Errors
    /// It draws one colour.
    pub fn of_genome(genome: Genome, path: &Path) -> Result<Self, RunError> {
        let title = genome.provenance.title(path);
        let (path, sha256) = (path.into(), sha256_hex(to_json(&genome)));
        let (genome, fit, png_ratio, copy) = (Some(genome), None, f64::NAN, None);
        Self::new(Subject { path, title, genome, fit, png_ratio, sha256, copy })
    }

    fn new(mut subject: Self) -> Result<Self, RunError> {
        let picture = subject.target(DepthModel::shipped().size)?.picture;
        subject.png_ratio = png_ratio(&picture);
        if subject.genome.is_none() {
            subject.sha256 = sha256_of_floats(&picture.rgb);
        }
        let is_picked = picked(&subject.path).1.is_some();
        if is_picked || !leads_down(&subject.path) || subject.path.to_str().is_none() {
            subject.copy = Some(subject.copied()?);
        }
        Ok(subject)
    }

    /// Its copy, of a genome in our own format. The name says what is in it.
    fn copied(&self) -> Result<BesideSpec, RunError> {
        let (bytes, end) = match &self.genome {
            Some(genome) => (to_json(genome).into_bytes(), "json"),
            None => {
                let bytes = read_plain(&self.path, LARGEST_CONFIG)
                    .map_err(|e| Refusal::unreadable(&self.path, "a picture", &e))?;
                let end = self.path.extension().and_then(OsStr::to_str).unwrap_or_default();
                let plain = end.len() < 8 && end.chars().all(|c| c.is_ascii_alphanumeric());
                (bytes, if plain { end } else { "" })
            }
        };
        let name = format!("{}-{}", self.folder_name(), &sha256_hex(&bytes)[..8]);
        Ok(BesideSpec { path: Path::new(COPIES).join(name).with_extension(end), bytes })
    }

    /// The path that a spec names it by.
    fn spec_path(&self) -> &Path {
        self.copy.as_ref().map_or(&self.path, |copy| &copy.path)
    }

    /// Hidden layers that the picture's ratio predicts.
    pub fn predicted_layers(&self) -> usize {
        DepthModel::shipped().layers(self.png_ratio)
    }

    /// Its picture at a size.
    fn target(&self, size: usize) -> Result<Target, RunError> {
        let Some(genome) = &self.genome else {
            return load_target(&self.path, size, Coords::default(), self.fit);
        };
        let picture = Model::of_genome(genome, Wiring::Graph).picture(size, Coords::default());
        let name = portable(&self.path);
        Target::of_picture(name, picture).of_colours(&self.path)
    }

    /// The file's name in letters that folders have.
    fn folder_name(&self) -> String {
        let stem = self.path.file_stem().unwrap_or_default().to_string_lossy().to_lowercase();
        let plain = |c: char| if c.is_ascii_alphanumeric() || c == '_' { c } else { '-' };
        let name: String = stem.chars().map(plain).take(40).collect();
        if name.is_empty() { "picture".into() } else { name }
    }
}

/// Links of the dense networks that `distil` begins with, at most: a larger block of a genome gives way to the template's.
const LARGEST_DISTILLED: usize = 6_000;

/// Where a setting of these studies stands, for messages.
const OPTIONS: &str = "options";

impl Template {
    /// The spec itself, as TOML: of a picture that stands for the subject's.
    pub fn text(self) -> &'static str {
        match self {
            Template::Compare => include_str!("../../assets/compare.toml"),
            Template::DepthSweep => include_str!("../../assets/depth-sweep.toml"),
            Template::Regime => include_str!("../../assets/regime.toml"),
            Template::Distil => include_str!("../../assets/distil.toml"),
        }
    }

    /// Names of its profiles.
    pub fn profiles(self) -> &'static [&'static str] {
        match self {
            Template::Compare => &["quick", "standard", "paper"],
            Template::DepthSweep => &[STANDARD],
            Template::Regime => &["smoke", "quick", "standard"],
            Template::Distil => &["smoke", STANDARD],
        }
    }

    /// Whether the evolved network of a genome takes part, and not its picture alone.
    fn has_evolved(self) -> bool {
        matches!(self, Template::Compare | Template::Distil)
    }

    /// The template with these changes, of a picture that stands for the subject's.
    ///
    /// # Errors
    /// There is no such profile, a setting is outside its range.
    pub fn spec(self, changes: &Changes) -> Result<NetworksSpec, SpecError> {
        parsed(&self.laid(changes)?.to_string())
    }

    /// Its text with the changes laid over, profiles left out.
    fn laid(self, changes: &Changes) -> Result<toml::Table, SpecError> {
        let mut spec: toml::Table = self.text().parse().expect("the embedded spec is sound");
        let profiles = spec.remove("profiles");
        if let Some(name) = changes.profile.as_deref().filter(|name| *name != STANDARD) {
            let profile = profiles.as_ref().and_then(|all| all.get(name)?.as_table());
            let expected = format!("one of {}", self.profiles().join(", "));
            let none = || Refusal::new("profile", expected, format!("{name:?}"));
            spec.extend(profile.ok_or_else(|| none().in_file(Path::new(OPTIONS)))?.clone());
        }
        let changes = toml::Table::try_from(changes).map_err(|error| {
            let expected = "numbers of at most 2^63 - 1";
            let found = error.to_string();
            Refusal::new("seeds, steps", expected, found).in_file(Path::new(OPTIONS))
        })?;
        spec.extend(changes);
        Ok(spec)
    }

    /// The study of a subject. Its name is the template's, the file's, and eight digits of the picture's hash: each
    /// picture has a folder of its own.
    ///
    /// # Errors
    /// A setting outside its range, a picture that cannot be read, a judge that cannot be asked.
    pub fn of(self, subject: Subject, changes: &Changes) -> Result<Single, SingleError> {
        let (mut table, mut spec) = (self.laid(changes)?, self.spec(changes)?);
        let mut target = spec.targets.remove(0);
        let usual = target.arch.take().expect("the template has an arch");
        let drawn = subject.target(spec.size)?;
        let block = subject.genome.as_ref().map(|genome| layerize(genome).arch().clone());
        let layers = match self {
            Template::Regime => DepthModel::shipped().layers(png_ratio(&drawn.picture)),
            // A genome's own depth, its longest path, says little of what descent needs.
            Template::Distil => match &block {
                Some(own) => subject.predicted_layers().min(own.layers).max(usual.layers),
                None => usual.layers,
            },
            _ => usual.layers,
        };
        let own = block.map(|block| Arch { layers, ..block });
        let fits =
            |arch: &Arch| self != Template::Distil || arch.dense_params() <= LARGEST_DISTILLED;
        let arch = own.filter(fits).unwrap_or(Arch { layers, ..usual });
        let (name, path) = (subject.folder_name(), Some(subject.spec_path().to_path_buf()));
        let (target, source) = match &subject.genome {
            Some(genome) if self.has_evolved() => {
                let arch_said = (self == Template::Distil).then_some(arch);
                let target = TargetSpec {
                    name,
                    genome: path,
                    picture: None,
                    arch: arch_said.clone(),
                    ..target
                };
                let source = Source::of(genome.clone(), drawn);
                let arch = arch_said.unwrap_or_else(|| source.arch.clone());
                (target, Source { arch, ..source })
            }
            _ => {
                let (fit, arch_said) = (subject.fit, Some(arch.clone()));
                let target = TargetSpec { name, picture: path, fit, arch: arch_said, ..target };
                (target, Source::of_arch(arch, drawn))
            }
        };
        if self == Template::Distil {
            spec.arms.truncate(changes.arms.unwrap_or(usize::MAX));
            if source.evolved.is_none() {
                spec.arms.retain(|arm| arm.wiring != Some(ArmWiring::Evolved));
            }
            table.insert("arms".into(), value(&spec.arms));
        }
        if self == Template::Compare {
            let arms = arms(spec.arms, source.evolved.is_some());
            let names: Vec<&String> = arms.iter().map(|arm| &arm.name).collect();
            let show = [("arms", value(&names)), ("changes", value(&spec.show.changes))];
            table.insert("show".into(), value(&BTreeMap::from(show)));
            table.insert("arms".into(), value(&arms));
        }
        if let Some(depths) = &changes.depths {
            let mut sorted = depths.clone();
            sorted.sort_unstable();
            sorted.dedup();
            let fits = (1..=1000).contains(sorted.first().unwrap_or(&0))
                && sorted.last().is_some_and(|deepest| *deepest <= 1000);
            Refusal::unless(fits, "depths", "numbers from 1 to 1000", format!("{depths:?}"))
                .map_err(|refusal| refusal.in_file(&subject.path))?;
            let offsets: Vec<i64> = sorted.iter().map(|&d| d as i64 - layers as i64).collect();
            table.insert("offsets".into(), value(&offsets));
        }
        let hash = sha256_of_floats(&source.target.picture.rgb);
        let name = format!("{}-{}-{}", spec.name, target.name, &hash[..8]);
        table.insert("name".into(), value(&name));
        table.insert("targets".into(), value(&[&target]));
        let spec = format!("# Run it with `picloom experiment run`.\n{table}");
        let mut resolved = parsed(&spec)?;
        let judge = judge(&mut resolved, Path::new(OPTIONS))?;
        let profile = changes.profile.clone().unwrap_or_else(|| STANDARD.into());
        let mut study = NetworksStudy::new(resolved, profile.clone(), judge);
        study.add(&target, source);
        let usual = Changes { profile: Some(profile), ..Changes::default() };
        Ok(Single { subject, study, spec, usual_steps: self.spec(&usual)?.steps })
    }
}

/// The arms of a comparison that can be made: those by a genome need one.
fn arms(all: Vec<ArmSpec>, has_genome: bool) -> Vec<ArmSpec> {
    let possible =
        |arm: &ArmSpec| has_genome || matches!(arm.wiring, None | Some(ArmWiring::DENSE));
    all.into_iter().filter(possible).collect()
}

fn value(data: &impl Serialize) -> toml::Value {
    toml::Value::try_from(data).expect("a spec is plain data")
}

/// The spec that a text says.
fn parsed(text: &str) -> Result<NetworksSpec, SpecError> {
    Ok(SpecFile::parse(Path::new(OPTIONS), text)?.spec(None)?.0)
}

impl Single {
    /// Writes the spec to `path`.
    ///
    /// # Errors
    /// Seen from there, the subject is not at its path; another file is there; it cannot be written.
    pub(crate) fn write(&self, path: &Path) -> Result<(), SingleError> {
        ensure_file(path, "an earlier spec", "kind = \"networks\"")?;
        let subject = &self.subject.path;
        if self.subject.copy.is_some() {
            return Ok(self.write_both(path).map_err(RunError::from)?);
        }
        let found = places_of(path).file(subject);
        if std::fs::canonicalize(&found).ok() != std::fs::canonicalize(subject).ok() {
            let expected = format!("a path from which {} is found", subject.display());
            let found = "another place: write the spec into this folder or one below";
            return Err(
                SpecError::from(Refusal::new("--spec", expected, found).in_file(path)).into()
            );
        }
        Ok(self.write_both(path).map_err(RunError::from)?)
    }

    /// Writes the spec into the folder of its results.
    ///
    /// # Errors
    /// It cannot be written.
    pub(crate) fn write_into(&self, folder: &Path) -> Result<(), WriteError> {
        self.write_both(&folder.join(SPEC))
    }

    /// Writes the copy of the subject that the spec names, if it names one, and the spec.
    fn write_both(&self, spec: &Path) -> Result<(), WriteError> {
        if let Some(copy) = &self.subject.copy {
            let path = spec.parent().unwrap_or(Path::new("")).join(&copy.path);
            create_folder(path.parent().expect("a file in a folder"))?;
            write_atomic(&path, &copy.bytes)?;
        }
        write_atomic(spec, self.spec.as_bytes())
    }
}
