//! Comparison, depth sweep and regime map of one picture or genome, as specs: what `compare`, `experiment
//! depth-sweep` and `regime` do at once can so be planned for many machines.
//!
//! In: `kind`, `question`, `subject` (a picture or genome) and `settings`, those of the command that differ from its
//! defaults. Out: the command's own study with the command's own ids: in a store where its cells are
//! finished, the command computes nothing and draws.

use super::compare::{CompareConfig, CompareStudy, Profile};
use super::depth_sweep::DepthSweep;
use super::networks::NetworksStudy;
use super::regime::own;
use super::spec::{Places, STANDARD, Spec, SpecError, SpecFile};
use crate::math::names::did_you_mean;
use crate::math::refusal::Refusal;
use crate::network::Squaring;
use crate::network::files::{WriteError, write_atomic};
use crate::run::folder::ensure_file;
use crate::score::JudgeChoice;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::fmt::Display;
use std::path::{Path, PathBuf};

/// The settings of a study of one picture or genome.
pub trait Settings: Serialize + DeserializeOwned + Default {
    /// Its `kind` in specs.
    const KIND: &'static str;

    /// What it asks, in one sentence.
    const QUESTION: &'static str;

    /// Names of its profiles.
    const PROFILES: &'static [&'static str];

    /// The study.
    type Study;

    /// The study of the file at `path` in one of its profiles, that of the settings if none is named; its
    /// records say `called` for the path.
    ///
    /// # Errors
    /// The file cannot be read, a setting is outside its range, in words.
    fn study(
        &self,
        path: &Path,
        called: &Path,
        profile: Option<&str>,
    ) -> Result<Self::Study, String>;
}

/// The spec of a study of one picture or genome.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields, bound = "S: Settings")]
pub struct SingleSpec<S> {
    #[serde(default)]
    question: String,
    subject: PathBuf,
    #[serde(default)]
    settings: S,
}

impl<S: Settings> Spec for SingleSpec<S> {
    const KIND: &'static str = S::KIND;

    fn check(&self) -> Result<(), Refusal> {
        Ok(())
    }
}

/// The study of a spec in a profile.
///
/// # Errors
/// Of another kind, no such profile, or what the settings say of its subject.
pub fn single<S: Settings>(
    file: &SpecFile<'_>,
    profile: Option<&str>,
) -> Result<S::Study, SpecError> {
    let (spec, _): (SingleSpec<S>, _) = file.spec(None)?;
    let path = file.path();
    if let Some(name) = profile.filter(|name| !S::PROFILES.contains(name)) {
        let expected = format!("one of {}", S::PROFILES.join(", "));
        let found = format!("{name:?}{}", did_you_mean(name, S::PROFILES.iter().copied()));
        return Err(Refusal::new("profile", expected, found).in_file(path).into());
    }
    let file = Places::of(path).file(&spec.subject);
    spec.settings.study(&file, &spec.subject, profile).map_err(|found| {
        let at = format!("subject {}", spec.subject.display());
        Refusal::new(at, "a picture or genome that can be studied", found).in_file(path).into()
    })
}

/// Writes the spec of such a study to `path`.
///
/// # Errors
/// The study cannot be made; seen from there, the subject is not at its path; the file cannot be written.
pub fn write_single<S: Settings>(
    subject: &Path,
    settings: S,
    path: &Path,
) -> Result<(), WriteSpecError> {
    ensure_file(path, "an earlier spec", &format!("kind = {:?}", S::KIND))?;
    let found = Places::of(path).file(subject);
    if std::fs::canonicalize(&found).ok() != std::fs::canonicalize(subject).ok() {
        return Err(WriteSpecError::Elsewhere { path: path.into(), subject: subject.into() });
    }
    settings.study(subject, subject, None).map_err(WriteSpecError::Study)?;
    let spec = SingleSpec { question: S::QUESTION.into(), subject: subject.into(), settings };
    let text = toml::to_string(&spec).expect("a spec is plain data");
    Ok(write_atomic(path, format!("kind = {:?}\n{text}", S::KIND).as_bytes())?)
}

/// Why a spec was not written.
#[derive(Debug, thiserror::Error)]
pub enum WriteSpecError {
    /// The file.
    #[error(transparent)]
    Write(#[from] WriteError),
    /// It is something else.
    #[error(transparent)]
    Other(#[from] Refusal),
    /// There is no such study.
    #[error("{0}")]
    Study(String),
    /// The subject's path leads elsewhere from the spec's folder.
    #[error(
        "{path}: expected a place from which {subject} is found, in this folder or one below; found another"
    )]
    Elsewhere {
        /// The spec.
        path: PathBuf,
        /// The subject.
        subject: PathBuf,
    },
}

fn words(error: impl Display) -> String {
    error.to_string()
}

/// Settings of `picloom compare`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Compare {
    /// The profile. Default: standard.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub profile: Option<Profile>,
    /// Optimizer steps of each training. Default: the profile's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub steps: Option<u64>,
    /// Seeds of the trainings. Default: the profile's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seeds: Option<Vec<u64>>,
    /// What becomes of a picture that is not square. Default: it is refused.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fit: Option<Squaring>,
    /// Who judges. Default: the shipped judge.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub judge: Option<JudgeChoice>,
}

impl Compare {
    /// The comparison's config in these settings.
    pub fn config(&self) -> CompareConfig {
        let mut config = CompareConfig::of(self.profile.unwrap_or(Profile::Standard));
        config.steps = self.steps.unwrap_or(config.steps);
        config.judge = self.judge.clone().unwrap_or(config.judge);
        if let Some(seeds) = &self.seeds {
            config.seeds.clone_from(seeds);
        }
        config
    }
}

impl Settings for Compare {
    const KIND: &'static str = "compare";
    const QUESTION: &'static str = "Do the parts of an evolved network mean more than those of networks trained on its picture?";
    const PROFILES: &'static [&'static str] = &["quick", "standard", "paper"];
    type Study = CompareStudy;

    fn study(
        &self,
        path: &Path,
        called: &Path,
        profile: Option<&str>,
    ) -> Result<CompareStudy, String> {
        let profile = profile.map(str::parse).transpose().map_err(words)?.or(self.profile);
        let config = Compare { profile, ..self.clone() }.config();
        CompareStudy::of(path, called, self.fit, &config).map_err(words)
    }
}

impl Settings for DepthSweep {
    const KIND: &'static str = "depth-sweep";
    const QUESTION: &'static str = "At how many hidden layers do a network's parts mean most?";
    // The name that its records have.
    const PROFILES: &'static [&'static str] = &["sweep", STANDARD];
    type Study = NetworksStudy;

    fn study(
        &self,
        path: &Path,
        called: &Path,
        _profile: Option<&str>,
    ) -> Result<NetworksStudy, String> {
        DepthSweep::study(self, path, called).map_err(words)
    }
}

/// Settings of `picloom regime`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Regime {
    /// The profile. Default: standard.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub profile: Option<own::Profile>,
    /// What becomes of a picture that is not square. Default: it is refused.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fit: Option<Squaring>,
}

impl Settings for Regime {
    const KIND: &'static str = "regime";
    const QUESTION: &'static str =
        "At which depth and with how many links do a network's parts mean most?";
    const PROFILES: &'static [&'static str] = &["smoke", "quick", "standard"];
    type Study = NetworksStudy;

    fn study(
        &self,
        path: &Path,
        called: &Path,
        profile: Option<&str>,
    ) -> Result<NetworksStudy, String> {
        let profile = profile.map(str::parse).transpose().map_err(words)?.or(self.profile);
        let profile = profile.unwrap_or(own::Profile::Standard);
        own::study(path, called, profile, self.fit).map_err(words)
    }
}
