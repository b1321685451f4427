//! The judges by name: what `--judge`, specs and programs choose from. A new one is a file here with its options
//! (`Judges`) and what it says (`Judge`), and a row below.

pub mod dl_threshold;

use super::dl::{DlJudge, DlModel, ModelError};
use super::judge::{Judge, MockJudge};
use crate::math::choice::{choices, options};
use crate::math::settings::{Range, Value, settings};
use dl_threshold::DlThreshold;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// A row of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JudgeRow {
    /// Name in files and on the command line.
    pub name: &'static str,
    /// Who it is, for people.
    pub says: &'static str,
}

choices! {
    /// A judge, with its options; every option has a default.
    ///
    /// As text `dl-threshold:threshold=0.2`, in files `{ name = "dl-threshold", threshold = 0.2 }`.
    pub enum JudgeChoice, "judge", does Judges, rows JudgeRow;

    /// The embedded judge.
    Dl(Dl) "dl" { says: "embedded: measures of corners, edges and colours, and a logistic model" }
    /// The baseline.
    DlThreshold(DlThreshold) "dl-threshold" { says: "embedded: one threshold on the PNG size, a baseline" }
    /// A vision-language model.
    Vlm(Vlm) "vlm" { says: "a vision-language model on an OpenAI-compatible server (docs/JUDGES.md)" }
    /// Coin tosses.
    Mock(MockJudge) "mock" { says: "seeded coin tosses, to test the plumbing" }
}

impl Default for JudgeChoice {
    /// The embedded judge with the shipped model.
    fn default() -> Self {
        JudgeChoice::Dl(Dl::default())
    }
}

impl JudgeChoice {
    /// The judge.
    ///
    /// # Errors
    /// Its model or its server is not as it should be, or this build has no such judge.
    pub fn build(&self) -> Result<Box<dyn Judge>, BuildJudgeError> {
        self.check().map_err(|e| BuildJudgeError::Options(e.to_string()))?;
        self.options().build()
    }
}

/// Why there is no judge.
#[derive(Debug, thiserror::Error)]
pub enum BuildJudgeError {
    /// The model file of `dl`.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// The server of `vlm`.
    #[cfg(feature = "vlm")]
    #[error(transparent)]
    Vlm(#[from] super::vlm::VlmError),
    /// Options that make no judge.
    #[error("{0}")]
    Options(String),
}

/// Options that make a judge.
trait Judges {
    fn build(&self) -> Result<Box<dyn Judge>, BuildJudgeError>;
}

options! {
    /// Options of `dl`.
    pub struct Dl {
        /// Model file, from `picloom-experiments judge fit`.
        model: Option<PathBuf> = None, unless: "the shipped one";
    }
}

impl Judges for Dl {
    fn build(&self) -> Result<Box<dyn Judge>, BuildJudgeError> {
        let model = self.model.as_ref().map_or(Ok(DlModel::shipped()), |path| DlModel::read(path));
        Ok(Box::new(DlJudge { model: model? }))
    }
}

impl Judges for DlThreshold {
    fn build(&self) -> Result<Box<dyn Judge>, BuildJudgeError> {
        Ok(Box::new(*self))
    }
}

/// Sampling temperature of a model on a server.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged, expecting = "expected a number in [0, 2] or \"server\"")]
pub enum Temperature {
    /// This one.
    At(f64),
    /// The server's own.
    Server(ServersOwn),
}

/// The word for what a server chooses.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ServersOwn {
    /// `server`.
    Server,
}

impl Temperature {
    /// The number to send; none for the server's own.
    pub fn number(self) -> Option<f64> {
        match self {
            Temperature::At(number) => Some(number),
            Temperature::Server(_) => None,
        }
    }
}

impl Value for Temperature {
    fn python() -> String {
        "float | str".into()
    }

    fn range(range: &Range) -> String {
        format!("{} or server", f64::range(range))
    }

    fn parse(text: &str) -> Result<Self, String> {
        match text {
            "server" => Ok(Temperature::Server(ServersOwn::Server)),
            _ => f64::parse(text).map(Temperature::At),
        }
    }

    fn toml(&self) -> Option<toml::Value> {
        toml::Value::try_from(self).ok()
    }

    fn text(&self) -> Option<String> {
        Some(self.number().map_or("server".into(), |number| number.to_string()))
    }

    fn outside(&self, range: &Range) -> Option<String> {
        self.number()?.outside(range)
    }
}

settings! {
    /// Options of `vlm`: how a vision-language server is reached.
    #[derive(Clone, Debug, PartialEq)]
    #[serde(default, deny_unknown_fields)]
    pub struct Vlm: keys "A vision-language model" {
        /// Base URL of an OpenAI-compatible server, with or without /v1.
        url as "vlm_url": String = "http://localhost:11434/v1".into(), source: "Ollama on this machine";
        /// Its model, by the server's name for it; without one there is no judge.
        model as "vlm_model": Option<String> = None, value: "NAME", unless: "none";
        /// Environment variable that holds the server's key, if it wants one.
        key as "vlm_key": String = "PICLOOM_VLM_KEY".into(), value: "VARIABLE";
        /// Votes a picture, every other one with the pictures swapped.
        ///
        /// More than two need a temperature above 0, or the same question gets the same answer.
        votes as "vlm_votes": usize = 2, range: Range::at_least(1.0), value: "N", source: "ours";
        /// Sampling temperature, or server for the server's own.
        temperature as "vlm_temperature": Temperature = Temperature::At(0.0), range: Range::between(0.0, 2.0), value: "T", source: "ours";
        /// Requests under way at once.
        at_a_time as "vlm_at_a_time": usize = 4, range: Range::at_least(1.0), value: "N", source: "ours";
        /// Attempts a question.
        attempts as "vlm_attempts": u32 = 5, range: Range::at_least(1.0), value: "N", source: "ours";
        /// Seconds an attempt may take, the answer's last byte included.
        timeout as "vlm_timeout": f64 = 120.0, range: Range::positive_to(1e9), value: "SECONDS", source: "ours";
        /// Folder of the answers and of the log exchanges.jsonl.
        cache as "vlm_cache": PathBuf = "runs/vlm".into(), value: "DIR";
    }
}

#[cfg(feature = "vlm")]
impl Vlm {
    /// The configuration of a client.
    ///
    /// # Errors
    /// No model.
    pub fn config(&self) -> Result<super::vlm::VlmConfig, BuildJudgeError> {
        use super::vlm::{ApiKey, VlmConfig};
        let model = self.model.as_ref().ok_or_else(|| {
            BuildJudgeError::Options("judge vlm: expected a model, found none".into())
        })?;
        Ok(VlmConfig { key: ApiKey::from_env(&self.key), ..VlmConfig::of(self, model) })
    }
}

impl Judges for Vlm {
    #[cfg(feature = "vlm")]
    fn build(&self) -> Result<Box<dyn Judge>, BuildJudgeError> {
        Ok(Box::new(super::vlm::VlmJudge::new(self.config()?)?))
    }

    #[cfg(not(feature = "vlm"))]
    fn build(&self) -> Result<Box<dyn Judge>, BuildJudgeError> {
        let text = "this build has no vlm judge: build it with --features vlm";
        Err(BuildJudgeError::Options(text.into()))
    }
}

impl Judges for MockJudge {
    fn build(&self) -> Result<Box<dyn Judge>, BuildJudgeError> {
        Ok(Box::new(*self))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::network::Picture;
    use crate::score::JudgeError;

    #[test]
    fn every_judge_that_needs_no_server_is_built_under_its_name() {
        for choice in JudgeChoice::all().into_iter().filter(|c| c.name() != "vlm") {
            let judge = choice.build().unwrap();
            assert!(judge.name().starts_with(&format!("{}/", choice.name())), "{}", judge.name());
            assert_eq!(choice.name().parse(), Ok(choice));
        }
        assert!("vlm".parse::<JudgeChoice>().unwrap().build().is_err(), "it has no model");
        // A word that looks like a number is a word where one is asked for.
        let vlm: JudgeChoice = "vlm:model=4,votes=3,cache=7".parse().unwrap();
        let JudgeChoice::Vlm(options) = &vlm else { panic!("a vlm") };
        assert_eq!((options.model.as_deref(), options.votes), (Some("4"), 3));
        assert_eq!(vlm.to_string().parse(), Ok(vlm));
        let many: Vec<String> = (0..99).map(|k| format!("x{k}=1")).collect();
        assert!(format!("vlm:{}", many.join(",")).parse::<JudgeChoice>().is_err());
        assert!("vlm:model=4,votes=many".parse::<JudgeChoice>().is_err());
        let choice: JudgeChoice = "mock:seed=7".parse().unwrap();
        assert_eq!(choice.build().unwrap().name(), "mock/7");
    }

    #[test]
    fn a_picture_of_another_size_than_the_base_is_refused() {
        let [base, other] = [16, 32].map(|size| Picture::filled(size, size, [0.5; 3]));
        for choice in JudgeChoice::all().into_iter().filter(|c| c.name() != "vlm") {
            let judge = choice.build().unwrap();
            let reading = judge.read_base(&base);
            assert!(reading.judge(&base).is_ok());
            assert!(matches!(reading.judge(&other), Err(JudgeError::Size { .. })), "{choice}");
        }
    }

    #[test]
    fn the_embedded_judge_is_known_by_its_numbers() {
        let shipped = JudgeChoice::default().build().unwrap().identity();
        // Committed records name it.
        let known = "dl/4 fitted 2026-11-22 on labels.csv+labels2.csv+labels3.csv f8eec2be32925441";
        assert_eq!(shipped.to_string(), known);
        let mut changed = DlModel::shipped();
        changed.intercept += 1e-9;
        let changed = DlJudge { model: changed }.identity();
        assert_eq!(shipped.name, changed.name);
        assert!(shipped.sha256.is_some() && shipped.sha256 != changed.sha256);
        assert_eq!(MockJudge { seed: 0 }.identity().sha256, None);
    }
}
