//! Judges: base picture, perturbed picture → clean, unclear or damaged, with a probability.
//!
//! The paper calls a clean picture coherent and a damaged one fractured. Files of labels and answers of
//! vision-language models may use its two words; here *fractured* is a word for networks only.

use crate::base::SimRng;
use crate::base::choice::options;
use crate::base::command::CommandError;
use crate::base::refusal::Refusal;
use crate::network::Picture;
use crate::probe::Perturbation;
use serde::{Deserialize, Serialize};

/// The label of a perturbed picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Label {
    /// Still a clean picture: itself or a meaningful variation.
    #[serde(alias = "coherent")]
    Clean,
    /// Damaged: smears, blotches, ghost edges, noise, broken symmetry.
    #[serde(alias = "fractured")]
    Damaged,
}

impl Label {
    /// Reads a label: `clean` or `damaged`, or the paper's words `coherent` and `fractured`.
    pub(crate) fn from_word(word: &str) -> Option<Self> {
        match word {
            "clean" | "coherent" => Some(Label::Clean),
            "damaged" | "fractured" => Some(Label::Damaged),
            _ => None,
        }
    }
}

/// A judge's call on a picture. A viewer has to decide ([`Label`]), a judge need not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Call {
    /// Clean.
    Clean,
    /// P(damaged) within [`UNCLEAR`].
    Unclear,
    /// Damaged.
    Damaged,
}

/// P(damaged) of pictures that are unclear, ends included \[ours\].
pub const UNCLEAR: std::ops::RangeInclusive<f64> = 0.25..=0.75;

/// A judge's answer about one picture.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Verdict {
    /// Clean, unclear or damaged.
    #[serde(rename = "label")]
    pub call: Call,
    /// P(damaged), in [0, 1].
    pub p_damaged: f64,
    /// The judge's own number behind it; within one judge, larger = more damaged. P(damaged)
    /// for `dl`, the mean vote for `vlm`, the logarithm of the length ratio for `dl-threshold`.
    pub evidence: f64,
}

impl Verdict {
    /// The verdict of a judge that gives P(damaged), in [0, 1]. No number at all, as of a picture with
    /// values that are none, is as damaged as can be.
    pub fn from_probability(damaged: f64) -> Self {
        let p = if damaged.is_nan() { 1.0 } else { damaged };
        let call = match p {
            p if UNCLEAR.contains(&p) => Call::Unclear,
            p if p < 0.5 => Call::Clean,
            _ => Call::Damaged,
        };
        Verdict { call, p_damaged: p, evidence: p }
    }

    /// The likelier of the two: damaged if P is above ½.
    pub fn likelier(&self) -> Label {
        if self.p_damaged > 0.5 { Label::Damaged } else { Label::Clean }
    }
}

/// One judged perturbation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Judged {
    /// The change.
    #[serde(flatten)]
    pub perturbation: Perturbation,
    /// The judge's verdict; `None` for silent weights.
    pub verdict: Option<Verdict>,
}

/// Why a picture could not be judged.
#[derive(Debug, thiserror::Error)]
pub enum JudgeError {
    /// Base and picture differ in size, or labels cannot be used.
    #[error("{0}")]
    Refused(#[from] Refusal),
    /// The program that judges gave no answer.
    #[error(transparent)]
    Command(#[from] CommandError),
    /// A judge's own reason, of its own type.
    #[error(transparent)]
    Other(Box<dyn std::error::Error + Send + Sync>),
}

/// The usage of a judge that works through a server.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct JudgeUsage {
    /// Questions: pictures × votes.
    pub questions: usize,
    /// Of these, answered from the cache.
    pub from_cache: usize,
    /// Requests sent, failed ones included.
    pub requests: usize,
    /// Requests without a usable answer.
    pub failed: usize,
    /// Tokens the server counted for questions, failed requests included.
    pub prompt_tokens: u64,
    /// Tokens it counted for answers.
    pub completion_tokens: u64,
    /// Median seconds of a good answer; `None` if all came from the cache.
    pub median_seconds: Option<f64>,
    /// Longest seconds of a good answer.
    pub longest_seconds: Option<f64>,
}

/// Which judge it was, for records.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct JudgeIdentity {
    /// [`Judge::name`].
    pub name: String,
    /// SHA-256 of the fitted numbers behind it; `None` if its name determines it.
    pub sha256: Option<String>,
}

impl std::fmt::Display for JudgeIdentity {
    /// The name, and the first 16 digits of the hash.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.sha256 {
            Some(hash) => write!(f, "{} {}", self.name, &hash[..16.min(hash.len())]),
            None => f.write_str(&self.name),
        }
    }
}

/// Decides whether perturbed pictures still make sense.
pub trait Judge: Send + Sync {
    /// Name and version for records, e.g. `dl/1`.
    fn name(&self) -> String;

    /// Name, and the hash of its numbers.
    fn identity(&self) -> JudgeIdentity {
        JudgeIdentity { name: self.name(), sha256: None }
    }

    /// Reads the unperturbed picture once; the answer judges pictures against it.
    fn read_base<'a>(&'a self, base: &'a Picture) -> Box<dyn BaseReading + 'a>;

    /// How far its mean P(clean) over a network is off what a viewer says of all the pictures, as a
    /// standard deviation between networks; 0 where nobody measured it.
    fn score_error(&self) -> f64 {
        0.0
    }

    /// How many pictures to hand it at a time; `None` for as many as there are cores. A judge that
    /// waits for a server wants more.
    fn at_a_time(&self) -> Option<usize> {
        None
    }

    /// Whether it is handed many pictures at once ([`BaseReading::judge_many`]), as one that starts a program wants.
    fn takes_many(&self) -> bool {
        false
    }

    /// Requests, tokens and seconds so far; `None` for judges that use no server.
    fn usage(&self) -> Option<JudgeUsage> {
        None
    }
}

/// A judge that has seen the base picture.
pub trait BaseReading: Sync {
    /// Judges a perturbed picture of the same size as the base.
    ///
    /// # Errors
    /// The sizes differ; a judge that asks a server got no answer it could use.
    fn judge(&self, perturbed: &Picture) -> Result<Verdict, JudgeError>;

    /// Judges perturbed pictures, in order. Default: one by one.
    ///
    /// # Errors
    /// As [`judge`](Self::judge).
    fn judge_many(&self, perturbed: &[Picture]) -> Result<Vec<Verdict>, JudgeError> {
        perturbed.iter().map(|picture| self.judge(picture)).collect()
    }
}

/// Refuses a picture of another size than the base's (width, height).
pub(super) fn check_size(expected: (usize, usize), picture: &Picture) -> Result<(), JudgeError> {
    let found = (picture.width, picture.height);
    let sides = |(width, height): (usize, usize)| format!("{width}×{height}");
    let words = format!("a picture of the size of the base, {}", sides(expected));
    Refusal::unless(found == expected, "", words, sides(found)).map_err(|r| r.as_failure().into())
}

options! {
    /// Seeded coin tosses, for tests of the plumbing. The toss depends on the picture only. These are the options of
    /// `mock`, too.
    #[derive(Copy)]
    pub struct MockJudge {
        /// Seed of the tosses.
        seed: u64 = 0;
    }
}

impl Judge for MockJudge {
    fn name(&self) -> String {
        format!("mock/{}", self.seed)
    }

    fn read_base<'a>(&'a self, base: &'a Picture) -> Box<dyn BaseReading + 'a> {
        Box::new(MockReading { seed: self.seed, size: (base.width, base.height) })
    }
}

struct MockReading {
    seed: u64,
    size: (usize, usize),
}

impl BaseReading for MockReading {
    fn judge(&self, perturbed: &Picture) -> Result<Verdict, JudgeError> {
        check_size(self.size, perturbed)?;
        let hash =
            perturbed.to_bytes().iter().fold(0u64, |h, &b| h.wrapping_mul(31) ^ u64::from(b));
        let toss = SimRng::new(self.seed, "mock-judge", hash).uniform();
        Ok(Verdict::from_probability(toss))
    }
}
