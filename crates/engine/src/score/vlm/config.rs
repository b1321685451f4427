//! How a vision-language server is reached, and the key that is never shown.

use super::fault::VlmError;
use crate::score::judges::server::Vlm;
use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

/// The judge's fixed prompt (METHODS §6.4) and the form of the answer.
pub(crate) const JUDGE_PROMPT: &str = include_str!("../../../assets/prompts/judge.txt");
/// The breeder's fixed prompt.
pub(crate) const CHOOSE_PROMPT: &str = include_str!("../../../assets/prompts/choose.txt");

/// A secret from an environment variable. It is sent as `Authorization: Bearer …` and appears in
/// no message, log or file; printing it shows the variable's name.
#[derive(Clone, PartialEq, Eq)]
pub struct ApiKey {
    variable: String,
    value: String,
}

impl ApiKey {
    /// The key in `variable`; `None` if it is not set or empty.
    pub(crate) fn from_env(variable: &str) -> Option<Self> {
        let value = std::env::var(variable).ok()?.trim().to_string();
        (!value.is_empty()).then(|| ApiKey { variable: variable.to_string(), value })
    }

    /// The variable it came from.
    pub(crate) fn variable(&self) -> &str {
        &self.variable
    }

    pub(super) fn header(&self) -> String {
        format!("Bearer {}", self.value)
    }

    /// `text` without the key, should a server have repeated it.
    pub(super) fn hidden_in(&self, text: &str) -> String {
        text.replace(&self.value, "[key]")
    }
}

impl fmt::Debug for ApiKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ApiKey(from {})", self.variable)
    }
}

/// A server, a model and how patient to be with them.
#[derive(Clone, Debug, PartialEq)]
pub struct VlmConfig {
    /// Base URL of an OpenAI-compatible server, with or without `/v1`. Defaults here are those of [`Vlm`].
    pub url: String,
    /// Name of the model, as the server knows it.
    pub model: String,
    /// Key, if the server wants one. Default: none.
    pub key: Option<ApiKey>,
    /// Votes a picture; every other one with the order of the pictures swapped.
    pub votes: usize,
    /// Sampling temperature; `None` leaves it to the server (some models take no other).
    pub temperature: Option<f64>,
    /// Most tokens of an answer; `None`, the default, leaves it to the server.
    pub answer_tokens: Option<u32>,
    /// Requests under way at once.
    pub at_a_time: usize,
    /// Attempts a question before giving up, ≥ 1.
    pub attempts: u32,
    /// Longest time for one attempt, the answer's last byte included.
    pub timeout: Duration,
    /// Wait before the second attempt; doubled for every further one. Default: 1 s.
    pub first_wait: Duration,
    /// Longest wait between attempts. A server that asks (`Retry-After`) for more is an error
    /// that says so. Default: 120 s.
    pub longest_wait: Duration,
    /// Pictures with a shorter side are enlarged by a whole number until they have it (each pixel
    /// repeated): models see little in small pictures. Default: 224.
    pub least_side: usize,
    /// Folder of the answers, one file a question, and of the log `exchanges.jsonl`.
    pub cache: PathBuf,
    /// The prompt. Default: `JUDGE_PROMPT`.
    pub prompt: String,
}

impl VlmConfig {
    /// The defaults, for `model`, with answers kept in `cache`.
    pub fn new(model: &str, cache: impl Into<PathBuf>) -> Self {
        VlmConfig { cache: cache.into(), ..VlmConfig::of(&Vlm::default(), model) }
    }

    /// The configuration from these options, for `model`; without a key.
    pub(in crate::score) fn of(options: &Vlm, model: &str) -> Self {
        VlmConfig {
            url: options.url.clone(),
            model: model.to_string(),
            key: None,
            votes: options.votes,
            temperature: options.temperature.number(),
            answer_tokens: None,
            at_a_time: options.at_a_time,
            attempts: options.attempts,
            timeout: Duration::from_secs_f64(options.timeout),
            first_wait: Duration::from_secs(1),
            longest_wait: Duration::from_secs(120),
            least_side: 224,
            cache: options.cache.clone(),
            prompt: JUDGE_PROMPT.to_string(),
        }
    }

    /// `…/v1/chat/completions` of the base URL.
    ///
    /// # Errors
    /// Not an http(s) URL, https in a build without TLS, no model, or a number out of range.
    pub(super) fn endpoint(&self) -> Result<String, VlmError> {
        let wrong = |expected: &'static str, found: String| VlmError::Config { expected, found };
        let url = self.url.trim_end_matches('/');
        if !url.starts_with("http://") && !url.starts_with("https://") {
            return Err(wrong("a URL such as http://localhost:11434/v1", self.url.clone()));
        }
        if url.starts_with("https://") && !cfg!(feature = "tls") {
            return Err(wrong(
                "an http:// URL, or a build with TLS (cargo install --features tls)",
                self.url.clone(),
            ));
        }
        if self.model.trim().is_empty() {
            return Err(wrong("the name of a model", "none".into()));
        }
        if self.votes == 0 || self.attempts == 0 || self.at_a_time == 0 {
            let found = format!("{}, {}, {}", self.votes, self.attempts, self.at_a_time);
            return Err(wrong("votes, attempts and requests at a time of 1 or more", found));
        }
        if self.votes > 2 && self.temperature == Some(0.0) {
            return Err(wrong(
                "a temperature above 0 for more than two votes (there are two orders)",
                format!("{} votes at temperature 0", self.votes),
            ));
        }
        Ok(if url.ends_with("/chat/completions") {
            url.to_string()
        } else if url.ends_with("/v1") {
            format!("{url}/chat/completions")
        } else {
            format!("{url}/v1/chat/completions")
        })
    }

    /// True if the server is on this machine: no proxy is asked for it.
    pub(super) fn is_local(&self) -> bool {
        let host = self.url.split("://").nth(1).unwrap_or("");
        ["localhost", "127.", "[::1]"].iter().any(|l| host.starts_with(l))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base_urls_lead_to_the_chat_endpoint_or_are_refused() {
        let with = |url: &str| VlmConfig { url: url.to_string(), ..VlmConfig::new("m", "cache") };
        for url in [
            "http://a:1",
            "http://a:1/",
            "http://a:1/v1",
            "http://a:1/v1/",
            "http://a:1/v1/chat/completions",
        ] {
            assert_eq!(with(url).endpoint().unwrap(), "http://a:1/v1/chat/completions");
        }
        for url in ["localhost:11434", "", "ftp://a"] {
            let error = with(url).endpoint().unwrap_err().to_string();
            assert!(error.contains("expected a URL"), "{error}");
        }
        assert_eq!(with("https://a").endpoint().is_ok(), cfg!(feature = "tls"));
        assert!(with("http://127.0.0.1:9/v1").is_local() && !with("http://host/v1").is_local());
    }

    #[test]
    fn three_votes_at_temperature_zero_are_refused() {
        let mut config = VlmConfig::new("m", "cache");
        config.votes = 3;
        assert!(config.endpoint().is_err());
        config.temperature = Some(0.7);
        assert!(config.endpoint().is_ok());
    }

    #[test]
    fn a_key_is_not_shown() {
        let key = ApiKey { variable: "NAME".into(), value: "s3cret".into() };
        assert_eq!(format!("{key:?}"), "ApiKey(from NAME)");
        assert_eq!(key.hidden_in("bad key s3cret!"), "bad key [key]!");
        assert!(ApiKey::from_env("PICLOOM_NO_SUCH_VARIABLE").is_none());
    }

    #[test]
    fn the_fixed_prompt_is_the_published_one() {
        assert!(JUDGE_PROMPT.starts_with("Picture A is a drawing made by a small network."));
        assert!(JUDGE_PROMPT.contains("broken symmetry? Answer coherent or fractured.\n"));
    }
}
