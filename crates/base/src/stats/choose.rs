//! The one-standard-error rule: the simplest candidate that is not clearly worse than the best.

use super::checked;
use crate::refusal::Refusal;
use serde::{Deserialize, Serialize};

/// One candidate of a sweep: its mean score and the standard error of that mean.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Candidate {
    /// Mean score; larger is better.
    pub mean: f64,
    /// Standard error of the mean, ≥ 0.
    pub standard_error: f64,
}

/// (argmax, chosen): the index of the largest mean (the first of equals), and the first index
/// whose mean is at least that mean minus *its* standard error. Candidates come simplest first
/// (for depth: shallowest first), so chosen ≤ argmax.
///
/// Source: Breiman, Friedman, Olshen & Stone, *CART*, 1984, §3.4.3; Hastie et al., *ESL*, §7.10.
///
/// # Errors
/// No candidates, a NaN or an infinity, a negative standard error.
pub fn one_standard_error(candidates: &[Candidate]) -> Result<(usize, usize), Refusal> {
    let means: Vec<f64> = candidates.iter().map(|c| c.mean).collect();
    let errors: Vec<f64> = candidates.iter().map(|c| c.standard_error).collect();
    checked("one-standard-error rule", &means, 1)?;
    checked("one-standard-error rule", &errors, 1)?;
    if let Some(&found) = errors.iter().find(|&&e| e < 0.0) {
        return Err(Refusal::new("standard error", "0 or more", found.to_string()));
    }
    let mut best = 0;
    for (i, &m) in means.iter().enumerate() {
        if m > means[best] {
            best = i;
        }
    }
    let bar = means[best] - errors[best];
    let chosen = means.iter().position(|&m| m >= bar).unwrap_or(best);
    Ok((best, chosen))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sweep(rows: &[(f64, f64)]) -> Vec<Candidate> {
        rows.iter().map(|&(mean, standard_error)| Candidate { mean, standard_error }).collect()
    }

    #[test]
    fn the_shallowest_depth_within_one_error_of_the_best_wins() {
        let depths = sweep(&[(0.50, 0.3), (0.71, 0.02), (0.74, 0.01), (0.75, 0.05)]);
        // Best .75 with error .05: the bar is .70; a candidate's own error does not matter.
        assert_eq!(one_standard_error(&depths), Ok((3, 1)));
        let sharp = sweep(&[(0.50, 0.0), (0.75, 0.0), (0.75, 0.0)]);
        assert_eq!(one_standard_error(&sharp), Ok((1, 1)));
        assert!(one_standard_error(&[]).is_err());
        assert!(one_standard_error(&sweep(&[(0.5, -0.1)])).is_err());
    }
}
