//! Scores by target and arm.

use super::data::{self, Group as Networks, cell, fit_score, look, over_targets, spoken, what};
use super::{DrawError, Drawing, Sources, some};
use picloom::experiment::networks::record::NetworksRecord;
use picloom::figures::axis::Axis;
use picloom::figures::charts::{Bars, Estimate, Frame, Group, Mark, bars};
use picloom::figures::style;

/// An axis of scores that ends at `end`, beyond 1 to leave room for words.
pub(super) fn score_axis(end: f64) -> Axis {
    let ticks = [0.0, 0.2, 0.4, 0.6, 0.8, 1.0].map(|v| (v, style::fixed(v, 1)));
    Axis::new("compositional score").range(0.0, end).names(ticks)
}

/// A network without seeds: the interval of its own score.
fn over_perturbations(
    record: &NetworksRecord,
    target: &str,
    arm: Networks<'_>,
) -> Option<(f64, f64)> {
    let row = data::rows(record, target, arm).find(|row| row.seed.is_none())?;
    row.result.as_ref()?.interval()
}

/// Groups of targets, then their mean, for these arms at one level and depth.
pub(super) fn score_bars(record: &NetworksRecord, arms: &[Networks<'_>], frame: Frame) -> Bars {
    let group = |name: String, estimate: &dyn Fn(Networks<'_>) -> Option<Estimate>| Group {
        name,
        estimates: arms.iter().map(|arm| estimate(*arm)).collect(),
    };
    let of_target = |target: &str| {
        group(spoken(target), &|arm| {
            let estimate = cell(record, target, arm, |r| r.score()).estimate()?;
            Some(match over_perturbations(record, target, arm) {
                Some((low, high)) => estimate.between(low, high).seeds([]),
                None => estimate,
            })
        })
    };
    let mut groups: Vec<Group> = record.targets().into_iter().map(of_target).collect();
    if groups.len() > 1 {
        groups.push(group("mean".into(), &|arm| {
            // Too few targets for an interval: they are rings.
            let mean = over_targets(record, arm, fit_score)?;
            Some(if mean.interval.is_some() { mean.seeds([]) } else { mean })
        }));
    }
    Bars {
        frame,
        value: score_axis(1.14),
        series: arms.iter().map(|arm| look(arm.arm)).collect(),
        groups,
        mark: Mark::Dot,
        ..Bars::default()
    }
}

/// What the parts of a [`score_bars`] chart mean.
pub(super) const SCORE_NOTE: &str = "Marks: mean over the seeds that learned the picture (R² ≥ 0.95); rings: seeds, without an interval where they are three or fewer. Whiskers: of the evolved network 95 % intervals over its perturbations and the judge's error, under “mean” t-intervals over targets, cut at 0 and 1 (rings there: targets, if three or fewer). Hollow: no seed learned it; the score does not count. n/m: n of m seeds learned it.";

/// An arm at a level of pruning; 0: not pruned.
pub(super) type Level = (&'static str, usize);

/// Scores of these arms by target; in numbers what the ledger says of some contrasts, and how many of the trained
/// networks learned their picture.
pub(super) fn by_arm(
    sources: &Sources,
    study: &str,
    title: &str,
    arms: &[Level],
    contrasts: &[&str],
) -> Result<Drawing, DrawError> {
    let record = sources.networks(study)?;
    let of = |(arm, level): Level| Networks::of(arm, level);
    let there = arms.iter().map(|arm| of(*arm)).filter(|g| data::exists(&record, *g));
    let names: Vec<&str> = arms.iter().map(|arm| arm.0).collect();
    let there = some(there.collect(), study, &format!("one of the arms {}", names.join(", ")))?;
    let frame = Frame::new(title)
        .subtitle(what(&record))
        .note(format!("{SCORE_NOTE} {}", data::kin(&record).unwrap_or_default()))
        .sized(if arms.len() > 2 { 1000 } else { 860 }, 580);
    let trained = arms.iter().filter(|arm| arm.0 != "evolved");
    let learned = trained.map(|arm| {
        let (fit, asked) = data::learned(&record, of(*arm));
        format!("{} {fit} of {asked}", look(arm.0).0)
    });
    let mut said = sources.said(study, contrasts);
    let learned = learned.collect::<Vec<_>>().join(", ");
    said.push(format!("learned their picture: {learned}."));
    let says = said.join("; ");
    Ok(Drawing { svg: bars(&score_bars(&record, &there, frame)), says })
}
