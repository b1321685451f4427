//! The judges by name: what `--judge`, specs and programs choose from. A new one is a file here with its options
//! (`Judges`) and what it says (`Judge`), and a row below.

mod command;
pub mod dl_threshold;
pub(crate) mod server;

use super::dl::{DlJudge, DlModel};
use super::judge::{Judge, MockJudge};
use crate::base::choice::{choices, options};
use crate::base::command::Command;
use crate::base::refusal::Refusal;
pub use command::verdicts;
use dl_threshold::DlThreshold;
pub use server::Vlm;
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
    /// A program of one's own.
    Cmd(Command) "cmd" { says: "a program of your own, as in cmd:./judge.py (docs/PLUGINS.md)" }
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
    #[error("{0}")]
    Model(#[from] Refusal),
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
        for choice in JudgeChoice::all().into_iter().filter(|c| !["vlm", "cmd"].contains(&c.name()))
        {
            let judge = choice.build().unwrap();
            assert!(judge.name().starts_with(&format!("{}/", choice.name())), "{}", judge.name());
            assert_eq!(choice.name().parse(), Ok(choice));
        }
        assert!("vlm".parse::<JudgeChoice>().unwrap().build().is_err(), "it has no model");
        assert!("cmd".parse::<JudgeChoice>().unwrap().build().is_err(), "it has no command");
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
        for choice in JudgeChoice::all().into_iter().filter(|c| !["vlm", "cmd"].contains(&c.name()))
        {
            let judge = choice.build().unwrap();
            let reading = judge.read_base(&base);
            assert!(reading.judge(&base).is_ok());
            assert!(matches!(reading.judge(&other), Err(JudgeError::Refused(_))), "{choice}");
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
