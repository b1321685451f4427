//! A model that breeds: it looks at the sheet of a generation and chooses parents, publishes a
//! picture or stops, and says why (as in picbreeder-vlm, arXiv 2605.23908; prompt ours).

use super::client::Client;
use super::config::{CHOOSE_PROMPT, VlmConfig};
use super::fault::VlmError;
use super::question::{Part, Png, Question};
use crate::network::Picture;
use crate::score::breeder::{Breeder, Choice, Decision};
use crate::score::judge::{JudgeError, JudgeUsage};
use serde::Deserialize;
use serde_json::{Value, json};

/// A breeder behind the same client as the judge.
pub struct VlmBreeder {
    client: Client,
}

impl VlmBreeder {
    /// A breeder with the fixed prompt (`assets/prompts/choose.txt`) in place of the judge's;
    /// nothing is sent yet.
    ///
    /// # Errors
    /// The configuration is wrong, or the cache folder cannot be used.
    pub fn new(config: VlmConfig) -> Result<Self, VlmError> {
        Ok(VlmBreeder {
            client: Client::new(VlmConfig { prompt: CHOOSE_PROMPT.to_string(), ..config })?,
        })
    }
}

impl Breeder for VlmBreeder {
    fn usage(&self) -> Option<JudgeUsage> {
        Some(self.client.usage())
    }

    fn name(&self) -> String {
        let config = self.client.config();
        let prompt = crate::base::hash::sha256_hex(config.prompt.as_bytes());
        format!("vlm/1 {} prompt {}", config.model, &prompt[..12])
    }

    fn choose(
        &self,
        sheet: &Picture,
        count: usize,
        generation: usize,
        before: &[Choice],
    ) -> Result<Choice, JudgeError> {
        let config = self.client.config();
        let sheet = Png::of(sheet, config.least_side);
        let mut parts = vec![Part::Text(config.prompt.clone())];
        if let Some(last) = before.last() {
            parts.push(Part::Text(format!("Your last choice was made because: {}", last.reason)));
        }
        parts.push(Part::Text(format!(
            "Generation {generation}, pictures 0 to {}:",
            count.saturating_sub(1)
        )));
        parts.push(Part::Picture(&sheet));
        let question = Question { parts, schema_name: "choice", schema: schema(), vote: 0 };
        Ok(self.client.ask(&question, |text| read_choice(text, count))?)
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Answer {
    reason: String,
    action: Action,
    pictures: Vec<usize>,
}

#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum Action {
    Select,
    Publish,
    Stop,
}

fn schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "reason": {"type": "string"},
            "action": {"type": "string", "enum": ["select", "publish", "stop"]},
            "pictures": {"type": "array", "items": {"type": "integer"}},
        },
        "required": ["reason", "action", "pictures"],
        "additionalProperties": false,
    })
}

/// A choice among `count` pictures, from the model's text.
///
/// # Errors
/// If the text is not exactly the JSON of an answer: a description of it.
pub fn read_choice(text: &str, count: usize) -> Result<Choice, String> {
    let mut answer: Answer = serde_json::from_str(text).map_err(|e| format!("{e} in {text}"))?;
    answer.pictures.sort_unstable();
    answer.pictures.dedup();
    if answer.pictures.iter().any(|&p| p >= count) {
        return Err(format!("a picture beyond {} in {text}", count.saturating_sub(1)));
    }
    let decision = match (answer.action, answer.pictures.as_slice()) {
        (Action::Select, [_, ..]) => Decision::Select(answer.pictures),
        (Action::Publish, &[picture]) => Decision::Publish(picture),
        (Action::Stop, []) => Decision::Stop,
        _ => {
            return Err(format!("a number of pictures that does not fit the action in {text}"));
        }
    };
    Ok(Choice { decision, reason: answer.reason })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn choices_are_read_strictly() {
        let good =
            read_choice(r#"{"reason":"r","action":"select","pictures":[4,1,4]}"#, 15).unwrap();
        assert_eq!(good.decision, Decision::Select(vec![1, 4]));
        let good = read_choice(r#"{"reason":"r","action":"publish","pictures":[14]}"#, 15).unwrap();
        assert_eq!(good.decision, Decision::Publish(14));
        for bad in [
            r#"{"reason":"r","action":"select","pictures":[]}"#,
            r#"{"reason":"r","action":"select","pictures":[15]}"#,
            r#"{"reason":"r","action":"publish","pictures":[1,2]}"#,
            r#"{"reason":"r","action":"stop","pictures":[1]}"#,
            r#"{"reason":"r","action":"rest","pictures":[]}"#,
            r#"{"reason":"r","action":"select","pictures":[-1]}"#,
        ] {
            assert!(read_choice(bad, 15).is_err(), "{bad}");
        }
    }
}
