//! The vision-language judge `vlm` (METHODS §6.4): any OpenAI-compatible `/v1/chat/completions`
//! server looks at base and perturbed picture under a fixed prompt.
//!
//! In: two pictures. Out: the mean of k votes, every other one with the order of the pictures
//! swapped. Answers are checked here, kept on disk by a hash of the question, and every exchange
//! is logged without the key. The fixed prompt is `assets/prompts/judge.txt`; its hash is part of
//! the judge's name. How to reach a server: docs/JUDGES.md.

mod choose;
mod client;
mod config;
mod fault;
mod question;
mod store;

pub use choose::{VlmBreeder, read_choice};
pub(crate) use client::Client;
pub use client::read_completion;
pub use config::{ApiKey, VlmConfig};
pub use fault::{Fault, VlmError};
pub use question::{Part, Png, Question};

use super::judge::{BaseReading, Judge, JudgeError, JudgeUsage, Label, Verdict, check_size};
use crate::base::hash::sha256_hex;
use crate::network::Picture;
use serde::Deserialize;
use serde_json::{Value, json};

/// The vision-language judge.
pub struct VlmJudge {
    client: Client,
}

impl VlmJudge {
    /// A judge; nothing is sent yet.
    ///
    /// # Errors
    /// The configuration is wrong, or the cache folder cannot be used.
    pub fn new(config: VlmConfig) -> Result<Self, VlmError> {
        Ok(VlmJudge { client: Client::new(config)? })
    }
}

impl Judge for VlmJudge {
    fn name(&self) -> String {
        let config = self.client.config();
        let prompt = sha256_hex(config.prompt.as_bytes());
        let temperature = match config.temperature {
            Some(t) => t.to_string(),
            None => "default".to_string(),
        };
        format!(
            "vlm/1 {} prompt {} votes {} temperature {temperature}",
            config.model,
            &prompt[..12],
            config.votes
        )
    }

    fn read_base<'a>(&'a self, base: &'a Picture) -> Box<dyn BaseReading + 'a> {
        Box::new(Reading {
            client: &self.client,
            size: (base.width, base.height),
            base: Png::of(base, self.client.config().least_side),
        })
    }

    fn at_a_time(&self) -> Option<usize> {
        Some(self.client.config().at_a_time)
    }

    fn usage(&self) -> Option<JudgeUsage> {
        Some(self.client.usage())
    }
}

struct Reading<'a> {
    client: &'a Client,
    size: (usize, usize),
    base: Png,
}

impl BaseReading for Reading<'_> {
    fn judge(&self, perturbed: &Picture) -> Result<Verdict, JudgeError> {
        check_size(self.size, perturbed)?;
        let config = self.client.config();
        let perturbed = Png::of(perturbed, config.least_side);
        let mut sum = 0.0;
        for vote in 0..config.votes {
            let question = ask_about(&config.prompt, &self.base, &perturbed, vote);
            sum += self.client.ask(&question, read_vote)?;
        }
        Ok(Verdict::from_probability(sum / config.votes as f64))
    }
}

/// The question of one vote: the prompt, then A and B, or for odd votes B and A, each with its
/// name before it, so that the prompt stays true.
fn ask_about<'a>(prompt: &str, base: &'a Png, perturbed: &'a Png, vote: usize) -> Question<'a> {
    let mut pictures = [("Picture A:", base), ("Picture B:", perturbed)];
    if vote % 2 == 1 {
        pictures.reverse();
    }
    let mut parts = vec![Part::Text(prompt.to_string())];
    for (name, picture) in pictures {
        parts.push(Part::Text(name.to_string()));
        parts.push(Part::Picture(picture));
    }
    Question { parts, schema_name: "verdict", schema: vote_schema(), vote }
}

/// One vote, exactly as the schema has it.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
struct Vote {
    // Asked for first, so that the model looks before it answers; it stays in the cache and log.
    #[serde(rename = "reason")]
    _reason: String,
    answer: Label,
    confidence: f64,
}

impl Vote {
    /// ½ ± confidence/2: a guess is ½.
    fn probability(&self) -> f64 {
        match self.answer {
            Label::Damaged => 0.5 + 0.5 * self.confidence,
            Label::Clean => 0.5 - 0.5 * self.confidence,
        }
    }
}

fn vote_schema() -> Value {
    // No bounds on the number: strict modes of some servers refuse them. They are checked here.
    json!({
        "type": "object",
        "properties": {
            "reason": {"type": "string"},
            "answer": {"type": "string", "enum": ["coherent", "fractured"]},
            "confidence": {"type": "number"},
        },
        "required": ["reason", "answer", "confidence"],
        "additionalProperties": false,
    })
}

/// P(damaged) of one vote, in \[0, 1\], from the model's text.
///
/// # Errors
/// If the text is not exactly the JSON of a vote: a description of it.
pub fn read_vote(text: &str) -> Result<f64, String> {
    let vote: Vote = serde_json::from_str(text).map_err(|e| format!("{e} in {text}"))?;
    if (0.0..=1.0).contains(&vote.confidence) {
        Ok(vote.probability())
    } else {
        Err(format!("a confidence outside 0 to 1 in {text}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn votes_are_read_strictly() {
        let vote = read_vote(r#"{"reason":"r","answer":"fractured","confidence":0.5}"#).unwrap();
        assert_eq!(vote, 0.75);
        for bad in [
            r#"{"answer":"fractured","confidence":0.5}"#,
            r#"{"reason":"r","answer":"broken","confidence":0.5}"#,
            r#"{"reason":"r","answer":"coherent","confidence":1.5}"#,
            r#"{"reason":"r","answer":"coherent","confidence":"high"}"#,
            r#"{"reason":"r","answer":"coherent","confidence":1,"extra":0}"#,
            r#"```json {"reason":"r","answer":"coherent","confidence":1}```"#,
            "coherent",
            "",
        ] {
            assert!(read_vote(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn odd_votes_swap_the_order_but_not_the_names() {
        let a = Png::of(&Picture::filled(2, 2, [0.0; 3]), 1);
        let b = Png::of(&Picture::filled(2, 2, [1.0; 3]), 1);
        let shown = |vote| {
            let config = VlmConfig::new("m", "c");
            ask_about("prompt", &a, &b, vote).shown(&config)["messages"][0]["content"].clone()
        };
        let (first, second) = (shown(0), shown(1));
        assert_eq!(first[1]["text"], "Picture A:");
        assert_eq!(second[1]["text"], "Picture B:");
        assert_eq!(first[2], second[4]);
        assert_eq!(first[4], second[2]);
    }
}
