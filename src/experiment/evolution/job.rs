//! A run that is ready to begin, and the reasons that it cannot.

use super::config::EvolutionConfig;
use super::differs::first_difference;
use super::family::ShownFamily;
use super::inputs::{Ancestors, ancestor_file, kept_target};
use super::kind::SearchKind;
use crate::base::files::{LARGEST_CONFIG, WriteError, read_text};
use crate::base::folder::{FolderKind, Marker};
use crate::base::hash::sha256_of_floats;
use crate::base::refusal::Refusal;
use crate::base::text::portable;
use crate::evolve::{Preset, Search};
use crate::network::Picture;
use crate::run::{RunError, Target, load_target, write_target};
use crate::score::JudgeError;
use std::path::Path;

/// Why a run, a session or an ancestry could not begin, or ended. The last checkpoint and the session's file stand.
#[derive(Debug, thiserror::Error)]
pub enum EvolutionError {
    /// The target cannot be read.
    #[error(transparent)]
    Target(#[from] RunError),
    /// A file cannot be written (full disk, no permission).
    #[error(transparent)]
    Write(#[from] WriteError),
    /// An impossible value, a file that cannot be read, or a file or folder that holds something else.
    #[error("{0}")]
    Refused(#[from] Refusal),
    /// The breeder could not be asked, or gave no usable answer.
    #[error(transparent)]
    Breeder(Box<JudgeError>),
    /// It was stopped.
    #[error("stopped")]
    Stopped,
}

impl EvolutionError {
    /// A file that holds something else.
    pub(super) fn file(path: &Path, expected: impl Into<String>, found: impl ToString) -> Self {
        Refusal::new("", expected, found.to_string()).in_file(path).into()
    }

    /// A folder that holds a run already.
    pub(super) fn occupied(folder: &Path) -> Self {
        let refusal = Refusal::new("", "a folder without a run", "one").in_file(folder);
        refusal.advising("resume it (--resume) or choose another folder").into()
    }

    /// A folder that holds a run of another config, by the run's file.
    pub(super) fn other_config(
        path: &Path,
        ours: &EvolutionConfig,
        theirs: &EvolutionConfig,
    ) -> Self {
        let table = |config: &EvolutionConfig| {
            let config = EvolutionConfig { generations: 1, budget: None, ..config.clone() };
            toml::Table::try_from(config).expect("a config is plain data")
        };
        let difference = first_difference("", &table(ours), &table(theirs))
            .unwrap_or_else(|| "made by another version".to_string());
        Self::file(path, "a run of the same config", format!("another: {difference}"))
    }
}

impl From<JudgeError> for EvolutionError {
    fn from(error: JudgeError) -> Self {
        EvolutionError::Breeder(Box::new(error))
    }
}

/// A run that is ready to begin.
#[derive(Clone, Debug)]
pub struct EvolutionJob {
    /// The resolved config.
    pub config: EvolutionConfig,
    /// The target at the config's size.
    pub target: Option<Picture>,
    /// The genomes that generation 0 begins from.
    pub ancestors: Ancestors,
}

impl EvolutionJob {
    /// Validates the config, reads its target and ancestors, and notes the target's hash.
    ///
    /// # Errors
    /// An impossible value, or a file that cannot be read; the machine has no memory for it.
    pub fn new(config: EvolutionConfig) -> Result<Self, EvolutionError> {
        Self::of_file(config, Path::new(""))
    }

    /// The same of a config that was read from `file`: what a run keeps of its beginning is looked for beside it.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn of_file(mut config: EvolutionConfig, file: &Path) -> Result<Self, EvolutionError> {
        config.validate()?;
        let beside = file.parent().unwrap_or(Path::new(""));
        let family = ShownFamily::of(&config)?;
        let kept = kept_target(&config, beside, family.as_ref());
        let target = match (&config.target, kept) {
            (None, _) => None,
            (Some(path), Some(kept)) => Some(Target::of_picture(portable(Path::new(path)), kept)),
            (Some(path), None) => Some(match &family {
                Some(family) => Target::of_picture(path.clone(), family.seen(&config).pictures),
                None => {
                    let (size, coords) = (config.size, config.coords);
                    load_target(Path::new(path), size, coords, config.target_fit)?
                }
            }),
        };
        config.target_sha256 = target.as_ref().map(|t| sha256_of_floats(&t.picture.rgb));
        config.target = target.as_ref().map(|t| t.name.clone());
        let target = target.map(|target| target.picture);
        let ancestors = Ancestors::read(&config.ancestors, |name| ancestor_file(file, name))?;
        config.ancestors.clone_from(&ancestors.names);
        if let Some(family) = &family {
            family.add_factors(&mut config, &ancestors.genomes)?;
        }
        config.check_memory(&ancestors.genomes)?;
        Ok(EvolutionJob { config, target, ancestors })
    }

    /// Writes the beginning of the run into its `folder`: what its config names is found there, then the config.
    pub(super) fn begin(&self, folder: &Path) -> Result<(), WriteError> {
        let name = self.config.search.name();
        Marker::new(FolderKind::Evolution).about(self.config.hash(), name).write(folder)?;
        if let Some(target) = &self.target {
            write_target(folder, target)?;
        }
        self.ancestors.keep(folder)?;
        self.config.write(folder)
    }

    /// Generation 0 of the config's search.
    ///
    /// # Panics
    /// For searches that somebody looks at: see [`breed`](super::breed) and [`breed_by_eye`](super::breed_by_eye).
    pub(crate) fn search(&self) -> Search {
        self.config.search.stored().begin(&self.config, &self.ancestors.genomes)
    }
}

/// Reads a config file over the defaults of `preset`; of the preset of the file's search where none is given. A preset
/// that the file names comes first.
///
/// # Errors
/// The file cannot be read, is not TOML, has unknown keys or values of the wrong type.
pub fn read_config(path: &Path, preset: Option<Preset>) -> Result<EvolutionConfig, EvolutionError> {
    let fail = |expected: &str, found: String| {
        Refusal::other_text(expected, found.trim().replace('\n', " ")).in_file(path)
    };
    let text =
        read_text(path, LARGEST_CONFIG).map_err(|e| Refusal::unreadable(path, "a config", &e))?;
    let table: toml::Table =
        text.parse().map_err(|e: toml::de::Error| fail("TOML", e.to_string()))?;
    let search = table.get("search").and_then(toml::Value::as_str);
    let search = search.and_then(|name| name.parse::<SearchKind>().ok()).unwrap_or_default();
    let preset = preset.unwrap_or(search.stored().preset());
    EvolutionConfig::over_defaults(preset, table)
        .map_err(|e| fail("settings of a search", e).into())
}
