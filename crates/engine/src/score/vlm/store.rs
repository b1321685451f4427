//! Answers on disk, one file a question, and the log of every exchange.

use super::fault::VlmError;
use crate::base::files::{LARGEST_CONFIG, create_folder, open_shared_log, read_text, write_atomic};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

const FORMAT: &str = "picloom-vlm/1";

/// An answer as it is kept.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Kept {
    format: String,
    /// SHA-256 of the question.
    pub key: String,
    /// The question, pictures by their hashes.
    pub question: Value,
    /// The model's text, which was valid when it was kept.
    pub answer: String,
    /// Tokens the server counted for the question.
    pub prompt_tokens: u64,
    /// Tokens it counted for the answer.
    pub completion_tokens: u64,
    /// Seconds the attempt took.
    pub seconds: f64,
}

/// The folder of answers and the log.
pub(super) struct Store {
    folder: PathBuf,
    log: Mutex<File>,
}

impl Store {
    /// Opens or creates the folder; the log is continued.
    pub(super) fn open(folder: &Path) -> Result<Self, VlmError> {
        let fail =
            |path: &Path, problem: String| VlmError::Cache { path: path.to_path_buf(), problem };
        create_folder(folder).map_err(|e| fail(folder, e.to_string()))?;
        let path = folder.join("exchanges.jsonl");
        let log = open_shared_log(&path).map_err(|e| fail(&path, format!("cannot write: {e}")))?;
        Ok(Store { folder: folder.to_path_buf(), log: Mutex::new(log) })
    }

    fn path(&self, key: &str) -> PathBuf {
        self.folder.join(&key[..2]).join(format!("{key}.json"))
    }

    /// The answer to a question, if it was kept.
    ///
    /// # Errors
    /// A file is there but is no kept answer to this question: it is not thrown away in silence.
    pub(super) fn kept(&self, key: &str) -> Result<Option<Kept>, VlmError> {
        let path = self.path(key);
        let fail = |problem: String| VlmError::Cache {
            path: path.clone(),
            problem: format!("expected a kept answer ({FORMAT}), found {problem}"),
        };
        let text = match read_text(&path, LARGEST_CONFIG) {
            Ok(text) => text,
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(e) => return Err(fail(e.to_string())),
        };
        let kept: Kept = serde_json::from_str(&text).map_err(|e| fail(e.to_string()))?;
        if kept.format != FORMAT || kept.key != key {
            return Err(fail(format!("{} for {}", kept.format, kept.key)));
        }
        Ok(Some(kept))
    }

    /// Keeps an answer.
    pub(super) fn keep(
        &self,
        key: &str,
        question: Value,
        answer: &str,
        (prompt_tokens, completion_tokens): (u64, u64),
        seconds: f64,
    ) -> Result<(), VlmError> {
        let path = self.path(key);
        let kept = Kept {
            format: FORMAT.to_string(),
            key: key.to_string(),
            question,
            answer: answer.to_string(),
            prompt_tokens,
            completion_tokens,
            seconds,
        };
        let json = serde_json::to_string_pretty(&kept).expect("plain data");
        let folder = path.parent().expect("a file in a folder");
        create_folder(folder)
            .and_then(|()| write_atomic(&path, json.as_bytes()))
            .map_err(|e| VlmError::Cache { path: path.clone(), problem: e.to_string() })
    }

    /// Appends one exchange to the log.
    pub(super) fn log(&self, exchange: &Value) -> Result<(), VlmError> {
        let line = format!("{exchange}\n");
        let mut log = self.log.lock().unwrap_or_else(PoisonError::into_inner);
        log.write_all(line.as_bytes()).map_err(|e| VlmError::Cache {
            path: self.folder.join("exchanges.jsonl"),
            problem: format!("cannot write: {e}"),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_spoilt_answer_is_refused_with_its_path() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(folder.path()).unwrap();
        assert!(store.kept("abcd").unwrap().is_none());
        store.keep("abcd", Value::Null, "{}", (1, 2), 0.5).unwrap();
        let kept = store.kept("abcd").unwrap().unwrap();
        assert_eq!((kept.prompt_tokens, kept.completion_tokens), (1, 2));
        std::fs::write(folder.path().join("ab/abcd.json"), "{\"format\"").unwrap();
        let error = store.kept("abcd").unwrap_err().to_string();
        assert!(error.contains("abcd.json") && error.contains("expected a kept answer"));
    }
}
