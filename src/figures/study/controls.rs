//! Do depth and pruning matter under other ways of training?

use super::data::{distinct, look, over_targets, says, sorted, spoken, unfit_over_targets, what};
use super::drawers::{Multiples, Spread, course, panel, rows};
use super::{DrawError, Drawing, Sources, some};
use crate::experiment::claims::effects::{Effect, Group as Networks, fit_score};
use crate::experiment::networks::record::NetworksRecord;
use crate::figures::axis::Axis;
use crate::figures::charts::{Bars, Estimate, Frame, Group, Rule, bars};
use crate::figures::style;

const STUDY: &str = "controls";

/// The ways of training, in the record's order.
fn variants(record: &NetworksRecord) -> Vec<&str> {
    distinct(record.rows.iter().map(|row| row.variant.as_str()))
}

fn offsets(record: &NetworksRecord) -> Vec<i64> {
    sorted(record.rows.iter().map(|row| row.offset))
}

fn name(variant: &str) -> String {
    match variant {
        "base" => "the recipe".into(),
        other => spoken(other),
    }
}

pub(super) fn depth(sources: &Sources) -> Result<Drawing, DrawError> {
    let record = sources.networks(STUDY)?;
    let offsets = offsets(&record);
    let ticks: Vec<_> = offsets.iter().map(|&o| (o as f64, style::signed(o))).collect();
    let mut panels = Vec::new();
    for variant in variants(&record) {
        let mut series = Vec::new();
        for (arm, level) in [("dense", 0), ("sp", 1)] {
            let points = offsets.iter().filter_map(|&offset| {
                let group = Networks { arm, level, variant, offset };
                let found = over_targets(&record, group, fit_score)
                    .or_else(|| unfit_over_targets(&record, group, |r| r.score()));
                Some((offset as f64, found?))
            });
            series.extend(course(look(arm), points, Spread::Band));
        }
        let x = Axis::new("depth offset").unit("layers").names(ticks.clone());
        panels.push(panel(name(variant), x, Axis::new("score").range(0.0, 1.0), series));
    }
    let panels = some(panels, STUDY, "networks")?;
    let frame = Frame::new("Score by depth under other ways of training")
        .subtitle(what(&record))
        .note("Means over targets (seeds averaged within each, networks that learned their picture), bands 95 % t-intervals over targets, cut at 0 and 1. Hollow: no network learned its picture.");
    let columns = if panels.len() > 8 { 5 } else { 4 };
    let size = Multiples { columns, width: 1000, height: (140, 230), share: (true, true) };
    Ok(size.draw(frame, panels).into())
}

pub(super) fn pruning(sources: &Sources) -> Result<Drawing, DrawError> {
    let record = sources.networks(STUDY)?;
    let group = |arm, variant, offset| Networks { arm, level: 1, variant, offset };
    // The same pairs as the ledger's: all depths.
    let effects: Vec<Effect> = variants(&record)
        .into_iter()
        .map(|variant| {
            let pairs: Vec<_> = offsets(&record)
                .into_iter()
                .map(|o| (group("sp", variant, o), group("sp-layer-counts", variant, o)))
                .collect();
            Effect::paired(name(variant), &record, &pairs, fit_score)
        })
        .collect();
    let effects = some(effects, STUDY, "networks")?;
    // As far to both sides as the farthest interval, and room for words.
    let reach = effects.iter().flat_map(|e| {
        let parts = e.targets.iter().map(|t| t.value);
        parts.chain(e.low).chain(e.high)
    });
    let end = reach.fold(0.05f64, |a, v| a.max(v.abs())).min(1.0);
    let groups = effects.iter().map(|effect| Group {
        name: effect.name.clone(),
        estimates: vec![effect.estimate.map(|value| {
            let mut e = Estimate::new(value).seeds(effect.targets.iter().map(|t| t.value));
            let ends = effect.low.zip(effect.high);
            e.interval = ends.map(|(low, high)| (low.max(-end), high.min(end)));
            let pairs: usize = effect.targets.iter().map(|t| t.pairs).sum();
            e.text(format!("{pairs} pairs"))
        })],
    });
    let (_, colour, marker) = look("sp");
    let value = Axis::new("score, SP − random links with its counts").range(-end, 1.3 * end);
    let svg = bars(&Bars {
        frame: Frame::new("SP against random links with its counts, under other ways of training")
            .subtitle(what(&record))
            .note("Difference of compositional scores, paired by target, depth and seed, both networks fit; above 0: SP is higher. Marks: means over targets, whiskers 95 % t-intervals over targets, cut at ±1; rings targets. No mark: no pair of networks that learned their picture.")
            .sized(860, 190 + 34 * effects.len() as u32),
        groups: groups.collect(),
        rules: vec![Rule::new(0.0, "").coloured(style::INK)],
        texts_at: Some(end * 1.04),
        ..rows("", value, vec![("".into(), colour, marker)])
    });
    let parts: Vec<String> = effects.iter().map(says).collect();
    Ok(Drawing { svg, says: format!("{}.", parts.join("; ")) })
}
