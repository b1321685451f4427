//! The options of a vision-language server.

use crate::base::settings::{Range, Value, settings};
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// Sampling temperature of a model on a server.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged, expecting = "expected a number in [0, 2] or \"server\"")]
pub(crate) enum Temperature {
    /// This one.
    At(f64),
    /// The server's own.
    Server(ServersOwn),
}

/// The word for what a server chooses.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum ServersOwn {
    /// `server`.
    Server,
}

impl Temperature {
    /// The number to send; `None` for the server's own.
    pub(crate) fn number(self) -> Option<f64> {
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
