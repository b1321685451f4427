//! A depth sweep of one picture without a spec of its own: the embedded study (`assets/depth-sweep.toml`)
//! with the caller's picture, depths and seeds.

use super::networks::plan::{NetworksStudy, Source};
use super::networks::spec::{NetworksSpec, sample};
use super::spec::{Spec, SpecError, read_text};
use crate::genome::ReadGenomeError;
use crate::math::hash::sha256_of_floats;
use crate::math::refusal::Refusal;
use crate::network::{Coords, Squaring, Wiring, read_genome};
use crate::run::{RunError, Target, is_genome_file, load_target};
use crate::score::JudgeChoice;
use crate::score::judges::BuildJudgeError;
use serde::{Deserialize, Serialize, Serializer};
use std::path::Path;

/// What is swept. Default: the embedded study's numbers at depths 2, 4, … 12.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct DepthSweep {
    /// Numbers of hidden layers, each ≥ 1.
    pub depths: Vec<usize>,
    /// Seeds of the trainings.
    pub seeds: Vec<u64>,
    /// Optimizer steps of each training and retraining.
    pub steps: u64,
    /// Side of the picture in pixels.
    pub size: usize,
    /// Weights perturbed in each network; none, or "all": all.
    #[serde(serialize_with = "sampled", deserialize_with = "sample")]
    pub sample: Option<usize>,
    /// Who judges.
    pub judge: JudgeChoice,
    /// What becomes of a picture that is not square; none: it is refused.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fit: Option<Squaring>,
}

fn sampled<S: Serializer>(sample: &Option<usize>, to: S) -> Result<S::Ok, S::Error> {
    match sample {
        Some(weights) => weights.serialize(to),
        None => to.serialize_str("all"),
    }
}

/// The embedded spec.
fn embedded() -> NetworksSpec {
    let (path, text) = ("assets/depth-sweep.toml", include_str!("../../assets/depth-sweep.toml"));
    read_text(Path::new(path), text, None).expect("the embedded spec is sound").0
}

impl Default for DepthSweep {
    fn default() -> Self {
        let NetworksSpec { seeds, steps, size, sample, judge, .. } = embedded();
        let depths = vec![2, 4, 6, 8, 10, 12];
        DepthSweep { depths, seeds, steps, size, sample, judge, fit: None }
    }
}

/// Why there is no sweep.
#[derive(Debug, thiserror::Error)]
pub enum DepthSweepError {
    /// A number outside its range.
    #[error(transparent)]
    Settings(#[from] SpecError),
    /// The picture cannot be read.
    #[error(transparent)]
    Picture(#[from] RunError),
    /// The genome cannot be read.
    #[error(transparent)]
    Genome(#[from] ReadGenomeError),
    /// The judge cannot be asked.
    #[error(transparent)]
    Judge(#[from] BuildJudgeError),
}

impl DepthSweep {
    /// The study of the picture (or genome) at `path`: the block of its layers is the genome's, or that
    /// of the study's drawings. Its name is the file's with eight digits of the picture's hash, so that
    /// each picture has a folder of its own. Records say `called` for the path.
    ///
    /// # Errors
    /// A number outside its range, a file that cannot be read, a judge that cannot be asked.
    pub fn study(&self, path: &Path, called: &Path) -> Result<NetworksStudy, DepthSweepError> {
        let mut spec = embedded();
        (spec.seeds, spec.steps, spec.size) = (self.seeds.clone(), self.steps, self.size);
        (spec.sample, spec.judge) = (self.sample, self.judge.clone());
        let bounds = (1..=1000).contains(self.depths.iter().min().unwrap_or(&0))
            && self.depths.iter().all(|depth| *depth <= 1000);
        let found = format!("{:?}", self.depths);
        Refusal::unless(bounds, "depths", "numbers from 1 to 1000", found)
            .and_then(|()| spec.check())
            .map_err(|problem| SpecError::from(problem.in_file(path)))?;
        let mut depths = self.depths.clone();
        depths.sort_unstable();
        depths.dedup();
        study_of("depth", (spec, "sweep".into()), [path, called], self.fit, |spec, source| {
            let layers = source.arch.layers as i64;
            spec.offsets = depths.iter().map(|&depth| depth as i64 - layers).collect();
        })
    }
}

/// An embedded study, of the picture (or genome) at `path`; records say `called` for it. The block of a layer
/// is the genome's, or that of the study's drawings; `change` may change depths. Its name is `kind`, the
/// file's, and eight digits of the picture's hash: each picture has a folder of its own.
///
/// # Errors
/// A file that cannot be read, a judge that cannot be asked.
pub(in crate::experiment) fn study_of(
    kind: &str,
    (mut spec, profile): (NetworksSpec, String),
    [path, called]: [&Path; 2],
    fit: Option<Squaring>,
    change: impl FnOnce(&mut NetworksSpec, &mut Source),
) -> Result<NetworksStudy, DepthSweepError> {
    let picture = load_target(path, spec.size, Coords::default(), fit)?;
    let picture = Target { name: called.display().to_string(), ..picture };
    let mut target = spec.targets[0].clone();
    let mut source = match is_genome_file(path) {
        true => {
            (target.genome, target.picture, target.arch) = (Some(called.into()), None, None);
            Source::of(read_genome(path, Wiring::Dense)?, picture)
        }
        false => {
            (target.picture, target.fit) = (Some(called.into()), fit);
            let arch = target.arch.clone().expect("the embedded spec has an arch");
            Source { target: picture, evolved: None, arch }
        }
    };
    change(&mut spec, &mut source);
    target.name = name_of(path);
    let hash = sha256_of_floats(&source.target.picture.rgb);
    spec.name = format!("{kind}-{}-{}", target.name, &hash[..8]);
    spec.targets = vec![target.clone()];
    let judge = spec.judge.build()?;
    let mut study = NetworksStudy::new(spec, profile, judge);
    study.add(&target, source);
    Ok(study)
}

/// The file's name in letters that folders have.
fn name_of(path: &Path) -> String {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy().to_lowercase();
    let plain = |c: char| if c.is_ascii_alphanumeric() || c == '_' { c } else { '-' };
    let name: String = stem.chars().map(plain).take(40).collect();
    if name.is_empty() { "picture".into() } else { name }
}
