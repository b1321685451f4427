//! Claim C11's statistics on losses whose exponent is known.

use picloom::base::real;
use picloom::experiment::curve::Curve;
use picloom::train::StopReason;
use picloom_experiments::finding::Verdict;
use picloom_experiments::training::newton_schulz::newton_schulz;
use picloom_experiments::training::{RowResult, RunKey, RunRow, TrainingRecord};
use serde_json::Map;
use std::collections::BTreeMap;

/// Loss 2^(−n_log·fall)·(1 + seed/10), exact polar at half the loss of 20 steps.
fn record(fall: impl Fn(u64) -> f64) -> TrainingRecord {
    let mut runs = Vec::new();
    for seed in 0..3 {
        for arm in ["muon:steps=1", "muon:steps=4", "muon", "muon:orthogonalizer=exact-polar"] {
            let log_n = match arm {
                "muon:steps=1" => 0.0,
                "muon:steps=4" => 2.0,
                _ => real::ln(5.0) / std::f64::consts::LN_2,
            };
            let half = if arm.contains("exact") { 1.0 } else { 0.0 };
            let late_loss = real::exp(std::f64::consts::LN_2 * (fall(seed) * log_n - half));
            let key = RunKey {
                run_id: String::new(),
                target: "t".into(),
                wiring: "dense".into(),
                optimizer: arm.into(),
                lr: Some(1e-3),
                seed,
            };
            runs.push(RunRow {
                key,
                result: Some(RowResult {
                    reason: StopReason::StepLimit,
                    kept: 1,
                    steps: 1,
                    evaluations: 1,
                    final_loss: late_loss,
                    late_loss,
                    r2: 0.0,
                    collapses: 0,
                    curve: Curve { step: vec![], evaluations: None, loss: vec![] },
                }),
                error: None,
            });
        }
    }
    TrainingRecord {
        format: String::new(),
        study: String::new(),
        question: String::new(),
        rules: BTreeMap::new(),
        profile: String::new(),
        notes: Map::new(),
        rows: runs,
    }
}

#[test]
fn a_power_law_gives_its_exponent_and_the_verdict_follows_its_interval() {
    let falling = newton_schulz(&record(|seed| -0.2 - 0.01 * seed as f64)).unwrap();
    assert!((falling.slope.estimate + 0.21).abs() < 1e-12, "{falling:?}");
    assert_eq!((falling.units, falling.finding), (3, Verdict::Supported));
    assert!((falling.exact_over_most.estimate + 1.0).abs() < 1e-12);
    assert_eq!(falling.most_over_five.estimate, 0.0);
    assert_eq!(falling.slope_same_start, Some(falling.slope));
    let mut restarted = record(|seed| -0.2 - 0.01 * seed as f64);
    restarted.rows[0].result.as_mut().unwrap().collapses = 1;
    let restarted = newton_schulz(&restarted).unwrap();
    assert_eq!(restarted.slope, falling.slope);
    let same = restarted.slope_same_start.unwrap().estimate;
    assert!((same + 0.215).abs() < 1e-12, "{same}");
    let rising = newton_schulz(&record(|seed| 0.2 + 0.01 * seed as f64)).unwrap();
    assert_eq!(rising.finding, Verdict::NotSupported);
    let unclear = newton_schulz(&record(|seed| 0.1 * (seed as f64 - 1.0))).unwrap();
    assert_eq!(unclear.finding, Verdict::Inconclusive);
}

#[test]
fn a_record_without_muon_has_no_statistics() {
    let mut none = record(|_| 0.0);
    none.rows.retain(|row| !row.optimizer.starts_with("muon"));
    assert!(newton_schulz(&none).is_err());
}
