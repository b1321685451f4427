//! A pruning method that is somebody's program: it reads the network from files and answers with scores or links
//! (docs/PLUGINS.md).
//!
//! In `round.json`, `maps.npz`; out `answer.json`. What is kept, the guards and the count are the round's, as for
//! every other method.

use crate::base::SimRng;
use crate::base::command::{Command, CommandError, read_answer};
use crate::base::refusal::Refusal;
use crate::network::Arrays;
use crate::network::npz::write_npz;
use crate::prune::context::{EdgeContext, EdgeScores, PruneError};
use crate::prune::round::{Prunes, Round};
use crate::prune::select::Rule;
use serde::{Deserialize, Serialize};
use std::path::Path;

/// What a method of one's own is asked: `round.json`. Dimension letters: U units, W links.
#[derive(Serialize)]
pub struct Question<'a> {
    protocol: &'static str,
    /// How many links stay: `budget:400`, `threshold:0.3`, ….
    rule: String,
    /// The same as a number; `None` for other rules.
    budget: Option<usize>,
    threshold: Option<f64>,
    /// For what is drawn at random; another in every round.
    seed: u32,
    #[serde(flatten)]
    network: Arrays,
    /// (W,) dL/dw of the mean squared error.
    gradient: &'a [f32],
}

impl<'a> Question<'a> {
    /// Asks the `method` of a round which links stay.
    ///
    /// # Errors
    /// The round has no gradient.
    pub fn of(
        method: &'static str,
        context: &EdgeContext<'a>,
        rule: Rule,
        rng: &mut SimRng,
    ) -> Result<Self, PruneError> {
        let network = context.network;
        let weights = (0..network.weight_count()).map(|link| context.weight(link)).collect();
        Ok(Question {
            protocol: "picloom-prune/1",
            rule: rule.to_string(),
            budget: match rule {
                Rule::Budget(budget) => Some(budget),
                _ => None,
            },
            threshold: match rule {
                Rule::Threshold(threshold) => Some(threshold),
                _ => None,
            },
            seed: rng.next_u32(),
            network: Arrays::of(network, weights, context.mask.0.clone()),
            gradient: context
                .gradient
                .ok_or_else(|| PruneError::missing(method, "the gradient of the loss"))?,
        })
    }
}

/// `answer.json`: one of the two.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Answer {
    /// (W,) larger: stays.
    scores: Option<Vec<f64>>,
    /// Numbers of the links that stay.
    keep: Option<Vec<usize>>,
}

impl Prunes for Command {
    fn scores(&self, round: &Round, rng: &mut SimRng) -> Result<EdgeScores, PruneError> {
        let (context, maps) = (&round.context, round.maps()?);
        let links = context.network.weight_count();
        let asked = Question::of(round.name, context, round.rule, rng)?;
        let fill = |folder: &Path| {
            let maps = ("maps".to_string(), vec![maps.units, maps.pixels], maps.values.clone());
            std::fs::write(folder.join("maps.npz"), write_npz(&[maps]))?;
            std::fs::write(folder.join("round.json"), serde_json::to_vec(&asked)?)
        };
        let scores = self.run(fill, |folder| read(folder, round, links))?;
        Ok(EdgeScores::of(context.mask, |link| scores[link]))
    }
}

/// (W,) scores of the answer in a folder. Of links that stay: 1, of the others 0, on both sides of a threshold.
fn read(folder: &Path, round: &Round, links: usize) -> Result<Vec<f64>, Refusal> {
    let expected = "answer.json with scores, one number a link, or keep, numbers of links";
    match read_answer(&folder.join("answer.json"), links, expected)? {
        Answer { scores: Some(scores), keep: None } => {
            let found = format!("{} scores", scores.len());
            Refusal::unless(
                scores.len() == links,
                "answer.json",
                format!("{links} scores"),
                found,
            )?;
            Ok(scores)
        }
        Answer { scores: None, keep: Some(keep) } => {
            let (above, below) = match round.rule {
                Rule::Threshold(threshold) => (threshold.max(1.0), (threshold - 1.0).min(0.0)),
                _ => (1.0, 0.0),
            };
            let mut scores = vec![below; links];
            for link in keep {
                let is_there = round.context.mask.0.get(link) == Some(&true);
                let expected = format!("numbers of living links, below {links}, each once");
                let once = is_there && scores[link] != above;
                Refusal::unless(once, "answer.json: keep", expected, link)?;
                scores[link] = above;
            }
            if let Rule::Budget(budget) = round.rule {
                let kept = scores.iter().filter(|score| **score == above).count();
                let at = "answer.json: keep";
                Refusal::unless(kept == budget, at, format!("{budget} links"), kept)?;
            }
            Ok(scores)
        }
        Answer { scores: Some(_), keep: Some(_) } => Err(Refusal::new("", expected, "both")),
        Answer { scores: None, keep: None } => Err(Refusal::new("", expected, "neither")),
    }
}

impl From<CommandError> for PruneError {
    fn from(error: CommandError) -> Self {
        PruneError::Command(error)
    }
}
