//! A judge that is somebody's program: pictures in files, verdicts out (docs/PLUGINS.md).

use super::{BuildJudgeError, Judges};
use crate::base::command::{Command, read_answer};
use crate::base::refusal::Refusal;
use crate::network::Picture;
use crate::network::npz::write_npz;
use crate::score::judge::{BaseReading, Judge, JudgeError, JudgeIdentity, Verdict, check_size};
use serde::{Deserialize, Serialize};
use std::path::Path;

impl Judges for Command {
    fn build(&self) -> Result<Box<dyn Judge>, BuildJudgeError> {
        let found =
            self.found().map_err(|refusal| BuildJudgeError::Options(refusal.to_string()))?;
        Ok(Box::new(found))
    }
}

impl Judge for Command {
    fn name(&self) -> String {
        format!("cmd/{}", self.command)
    }

    fn identity(&self) -> JudgeIdentity {
        let sha256 = Some(self.sha256.text().to_string()).filter(|hash| !hash.is_empty());
        JudgeIdentity { name: self.name(), sha256 }
    }

    fn read_base<'a>(&'a self, base: &'a Picture) -> Box<dyn BaseReading + 'a> {
        Box::new(Reading { command: *self, base })
    }

    fn takes_many(&self) -> bool {
        true
    }
}

struct Reading<'a> {
    command: Command,
    base: &'a Picture,
}

/// `task.json`.
#[derive(Serialize)]
struct Task {
    protocol: &'static str,
    pictures: usize,
    width: usize,
    height: usize,
}

/// `verdicts.json`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Verdicts {
    /// P(damaged) of each picture, in [0, 1]; `fractured`, the paper's word, is read too.
    #[serde(alias = "fractured")]
    damaged: Vec<f64>,
}

impl BaseReading for Reading<'_> {
    fn judge(&self, perturbed: &Picture) -> Result<Verdict, JudgeError> {
        let mut all = self.judge_many(std::slice::from_ref(perturbed))?;
        Ok(all.remove(0))
    }

    fn judge_many(&self, pictures: &[Picture]) -> Result<Vec<Verdict>, JudgeError> {
        let (width, height) = (self.base.width, self.base.height);
        pictures.iter().try_for_each(|picture| check_size((width, height), picture))?;
        let count = pictures.len();
        let task = Task { protocol: "picloom-judge/1", pictures: count, width, height };
        let fill = |folder: &Path| {
            let all = pictures.iter().flat_map(|picture| picture.rgb.iter().copied()).collect();
            let arrays = [
                ("base".to_string(), vec![height, width, 3], self.base.rgb.clone()),
                ("pictures".to_string(), vec![count, height, width, 3], all),
            ];
            std::fs::write(folder.join("pictures.npz"), write_npz(&arrays))?;
            std::fs::write(folder.join("task.json"), serde_json::to_vec(&task)?)
        };
        Ok(self.command.run(fill, |folder| read(folder, count))?)
    }
}

/// The verdicts in a folder, of `count` pictures.
fn read(folder: &Path, count: usize) -> Result<Vec<Verdict>, Refusal> {
    let expected = "verdicts.json with damaged, one number a picture";
    let found: Verdicts = read_answer(&folder.join("verdicts.json"), count, expected)?;
    verdicts("verdicts.json: damaged", found.damaged, count)
}

/// The verdicts on `count` pictures, from probabilities that they are damaged; `at` is where those were found.
///
/// # Errors
/// Another count, or one that is no probability.
pub fn verdicts(at: &str, damaged: Vec<f64>, count: usize) -> Result<Vec<Verdict>, Refusal> {
    Refusal::unless(damaged.len() == count, at, format!("{count} numbers"), damaged.len())?;
    let outside = damaged.iter().find(|p| !(0.0..=1.0).contains(*p));
    let expected = "probabilities from 0 to 1";
    Refusal::unless(outside.is_none(), at, expected, outside.unwrap_or(&0.0))?;
    Ok(damaged.into_iter().map(Verdict::from_probability).collect())
}
