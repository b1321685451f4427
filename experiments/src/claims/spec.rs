//! `experiments/study.toml`: the parts of the study, its claims, and what decides each of them.

use super::special::SPECIAL;
use picloom::base::refusal::Refusal;
use picloom::study::contrast::ContrastSpec;
use picloom::study::spec::read_analysis;
use picloom::study::spec::{Spec, SpecError, check_name, read_spec};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The whole study: its parts and its claims.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct StudySpec {
    /// Its name.
    pub name: String,
    /// The question, in one sentence.
    pub question: String,
    /// Specs of the parts, in the order they are run; relative to the folder of this spec.
    pub parts: Vec<PathBuf>,
    /// The claims and their rules, written before the runs.
    pub claims: Vec<ClaimText>,
    /// The contrasts of the studies that the claims name, by study.
    #[serde(skip)]
    contrasts: BTreeMap<String, Vec<ContrastSpec>>,
}

/// A claim as the spec states it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ClaimText {
    /// C1 to C15.
    pub id: String,
    /// The statement.
    pub says: String,
    /// By whom.
    pub source: String,
    /// When it is supported, and when it is not.
    pub rule: String,
    /// True if the paper does not claim it: the ledger lists it apart.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub apart: bool,
    /// The word shown in place of the verdict, where the rule decides something else than the claim.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub word: Option<String>,
    /// A note for the reader before the verdict.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub note: Option<String>,
    /// Studies whose contrasts for this claim decide it: the first; where it leaves the claim open, the next one that
    /// is there in the same profile, a later study that was declared before it was run.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub decided_by: Vec<String>,
    /// Studies whose contrasts for this claim, or for the study itself, stand beside the verdict.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub beside: Vec<String>,
    /// A finding that no contrast can give, one of `SPECIAL`. With `decided_by` the claim needs both.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub special: Option<String>,
    /// The claim is asked only where the earlier one of this id is supported.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub after: Option<String>,
}

impl StudySpec {
    /// Reads and verifies the spec, and the contrasts of every study that a claim names.
    ///
    /// # Errors
    /// A file is not readable or of another kind, has unknown keys, or a study has no contrast for its claim.
    pub(crate) fn read(path: &Path) -> Result<Self, SpecError> {
        let (mut spec, _): (Self, _) = read_spec(path, None)?;
        let folder = path.parent().unwrap_or(Path::new(""));
        for claim in &spec.claims {
            for study in claim.decided_by.iter().chain(&claim.beside) {
                if !spec.contrasts.contains_key(study) {
                    let analysis = read_analysis(&folder.join(format!("{study}.toml")))?;
                    spec.contrasts.insert(study.clone(), analysis.contrasts);
                }
            }
        }
        for claim in &spec.claims {
            let none = |study: &&String| !spec.of_claim(study, &claim.id).any(|c| !c.beside);
            if let Some(study) = claim.decided_by.iter().find(none) {
                let expected = format!("a study with [[contrasts]] that decide {}", claim.id);
                let found = format!("{study}.toml without one");
                return Err(Refusal::new("decided_by", expected, found).in_file(path).into());
            }
        }
        Ok(spec)
    }

    /// The contrasts of a study for a claim.
    pub(crate) fn of_claim(&self, study: &str, claim: &str) -> impl Iterator<Item = &ContrastSpec> {
        let all = self.contrasts.get(study).into_iter().flatten();
        all.filter(move |c| c.claim.as_deref().unwrap_or(&c.id) == claim)
    }

    /// The names of the parts.
    pub(crate) fn studies(&self) -> Vec<String> {
        let stem = |part: &PathBuf| Some(part.file_stem()?.to_str()?.to_string());
        self.parts.iter().filter_map(stem).collect()
    }
}

impl Spec for StudySpec {
    const KIND: &'static str = "study";

    fn check(&self) -> Result<(), Refusal> {
        check_name("name", &self.name)?;
        Refusal::unless(!self.parts.is_empty(), "parts", "at least one", "none")?;
        let studies = self.studies();
        for (number, claim) in self.claims.iter().enumerate() {
            let (id, key) = (&claim.id, |key| format!("claim {}, {key}", claim.id));
            let earlier = || self.claims[..number].iter();
            Refusal::unless(earlier().all(|other| other.id != *id), "claims", "each once", id)?;
            let decides = claim.decided_by.len() + usize::from(claim.special.is_some());
            let is_asked = decides > 0 || claim.after.is_some();
            Refusal::unless(is_asked, key("decided_by"), "a study, or special, or after", "none")?;
            for study in claim.decided_by.iter().chain(&claim.beside) {
                Refusal::unless(studies.contains(study), key("decided_by"), "a part", study)?;
            }
            if let Some(name) = &claim.special {
                let known = SPECIAL.iter().map(|one| one.0).collect::<Vec<_>>();
                let is_known = known.contains(&name.as_str());
                Refusal::unless(is_known, key("special"), known.join(", "), name)?;
            }
            if let Some(after) = &claim.after {
                let is_earlier = earlier().any(|other| other.id == *after);
                Refusal::unless(is_earlier, key("after"), "the id of an earlier claim", after)?;
            }
        }
        Ok(())
    }
}
