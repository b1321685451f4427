//! Claim C11's statistics on losses whose exponent is known.

use crate::finding::Verdict;
use crate::paper::root;
use crate::training::TrainingRecord;
use crate::training::newton_schulz::newton_schulz;
use picloom::base::real;
use picloom::study::Record;

/// The committed trainings, with rows of their first: three seeds of four arms whose loss is N^fall after N Newton–Schulz
/// steps, and half of that with the exact polar factor.
fn record(fall: impl Fn(u64) -> f64) -> TrainingRecord {
    let mut record = TrainingRecord::read(&root().join("figures/optimizers")).unwrap();
    let mut template = record.rows.remove(0);
    record.rows.clear();
    let key = &mut template.key;
    (key.target, key.wiring, key.lr) = ("t".into(), "dense".into(), Some(1e-3));
    for seed in 0..3 {
        for (arm, steps) in [
            ("muon:steps=1", 1.0),
            ("muon:steps=4", 4.0),
            ("muon", 5.0),
            ("muon:orthogonalizer=exact-polar", 5.0),
        ] {
            let half = if arm.contains("exact") { 0.5 } else { 1.0 };
            let mut row = template.clone();
            (row.key.optimizer, row.key.seed) = (arm.into(), seed);
            let result = row.result.as_mut().unwrap();
            result.late_loss = half * real::pow(steps, fall(seed));
            (result.final_loss, result.collapses) = (result.late_loss, 0);
            record.rows.push(row);
        }
    }
    record
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
