//! Errors between us and a vision-language server.

use crate::score::judge::JudgeError;
use std::path::PathBuf;
use std::time::Duration;

/// Why a question has no answer.
#[derive(Debug, thiserror::Error)]
pub enum VlmError {
    /// The configuration.
    #[error("vlm: expected {expected}, found {found}")]
    Config {
        /// The values that are allowed.
        expected: &'static str,
        /// The value that was given.
        found: String,
    },
    /// The folder of answers.
    #[error("{path}: {problem}")]
    Cache {
        /// The file or folder.
        path: PathBuf,
        /// The error there.
        problem: String,
    },
    /// The server, after all attempts.
    #[error(
        "vlm: no usable answer from {endpoint} after {attempts} attempt(s): {fault} \
         (answers received so far are kept; run again to ask only for the rest)"
    )]
    NoAnswer {
        /// Where it was asked.
        endpoint: String,
        /// How often.
        attempts: u32,
        /// The last attempt's fault.
        fault: Fault,
    },
}

impl From<VlmError> for JudgeError {
    fn from(error: VlmError) -> Self {
        JudgeError::Other(Box::new(error))
    }
}

/// What went wrong with one attempt.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Fault {
    /// It took too long.
    #[error("no complete answer within {0:?}")]
    Timeout(Duration),
    /// It could not be reached, or broke off.
    #[error("the connection failed: {0}")]
    Connection(String),
    /// It answered with an error status.
    #[error("HTTP status {status}{}: {body}", wait_text(.retry_after))]
    Status {
        /// The status.
        status: u16,
        /// The beginning of its message.
        body: String,
        /// The wait it asked for.
        retry_after: Option<Duration>,
    },
    /// It did not accept the key.
    #[error("HTTP status {status}: the server wants a valid key; {hint}")]
    Key {
        /// 401 or 403.
        status: u16,
        /// Which variable was read.
        hint: String,
    },
    /// It answered with something else than a chat completion.
    #[error("expected a chat completion, found {0}")]
    Envelope(String),
    /// The model answered, but not what it was asked for.
    #[error("expected an answer by the schema, found {0}")]
    Answer(String),
    /// The model would not answer.
    #[error("the model refused to answer: {0}")]
    Refusal(String),
}

fn wait_text(wait: &Option<Duration>) -> String {
    wait.map_or(String::new(), |w| format!(" (asked to wait {} s)", w.as_secs()))
}

impl Fault {
    /// True if another attempt may go better.
    pub(super) fn may_pass(&self, longest_wait: Duration) -> bool {
        match self {
            Fault::Status { status, retry_after, .. } => {
                let passing = matches!(status, 408 | 409 | 425 | 429 | 500..);
                passing && retry_after.is_none_or(|wait| wait <= longest_wait)
            }
            Fault::Key { .. } => false,
            _ => true,
        }
    }

    /// The wait the server asked for.
    pub(super) fn retry_after(&self) -> Option<Duration> {
        match self {
            Fault::Status { retry_after, .. } => *retry_after,
            _ => None,
        }
    }

    /// One word for the log.
    pub(super) fn kind(&self) -> &'static str {
        match self {
            Fault::Timeout(_) => "timeout",
            Fault::Connection(_) => "connection",
            Fault::Status { .. } => "status",
            Fault::Key { .. } => "key",
            Fault::Envelope(_) => "envelope",
            Fault::Answer(_) => "answer",
            Fault::Refusal(_) => "refusal",
        }
    }
}

/// The beginning of a text, for messages.
pub(super) fn beginning(text: &str) -> String {
    const LONGEST: usize = 300;
    let mut short: String = text.trim().chars().take(LONGEST).collect();
    if short.len() < text.trim().len() {
        short.push('…');
    }
    short
}
