//! Do depth and pruning matter under other ways of training?

use super::data::{cut, look, says, spoken, t_interval, what};
use super::{DrawError, Drawing, Sources, some};
use crate::experiment::claims::effects::{Effect, Group as Networks, fit_score};
use crate::experiment::networks::record::NetworksRecord;
use crate::figures::axis::Axis;
use crate::figures::charts::{
    Bars, Estimate, Frame, Grid, Group, Mark, Panel, Plot, Point, Rule, Series, bars, grid,
};
use crate::figures::style;
use crate::math::stats::mean;

const STUDY: &str = "controls";

/// The ways of training, in the record's order.
fn variants(record: &NetworksRecord) -> Vec<&str> {
    let mut found: Vec<&str> = Vec::new();
    for row in &record.rows {
        if !found.contains(&row.variant.as_str()) {
            found.push(&row.variant);
        }
    }
    found
}

fn offsets(record: &NetworksRecord) -> Vec<i64> {
    let found: std::collections::BTreeSet<i64> = record.rows.iter().map(|r| r.offset).collect();
    found.into_iter().collect()
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
    let ticks = offsets.iter().map(|&o| (o as f64, style::signed(o)));
    let ticks: Vec<(f64, String)> = ticks.collect();
    let mut panels = Vec::new();
    for variant in variants(&record) {
        let mut series = Vec::new();
        for (arm, level) in [("dense", 0), ("sp", 1)] {
            let (label, colour, marker) = look(arm);
            let (mut line, mut band, mut hollow) = (Vec::new(), Vec::new(), Vec::new());
            for &offset in &offsets {
                let group = Networks { arm, level, variant, offset };
                let x = offset as f64;
                let fit: Vec<f64> = super::data::by_target(&record, group, fit_score)
                    .into_iter()
                    .map(|t| t.1)
                    .collect();
                if let Ok(y) = mean(&fit) {
                    let (low, high) = t_interval(&fit).map_or((y, y), cut);
                    line.push((x, y));
                    band.push((x, low, high));
                    continue;
                }
                let all = record
                    .targets()
                    .into_iter()
                    .flat_map(|t| super::data::cell(&record, t, group, |r| r.score()).unfit);
                if let Ok(y) = mean(&all.collect::<Vec<_>>()) {
                    hollow.push(Point::new(x, y));
                }
            }
            if !hollow.is_empty() {
                series.push(Series::cloud("", colour, marker, hollow).hollow());
            }
            series.push(Series::line(label, colour, line).marked(marker).band(band));
        }
        panels.push(Panel::Plot(Plot {
            frame: Frame::new(name(variant)),
            x: Axis::new("depth offset").unit("layers").names(ticks.clone()),
            y: Axis::new("score").range(0.0, 1.0),
            series,
            ..Plot::default()
        }));
    }
    let panels = some(panels, STUDY, "networks")?;
    let columns = if panels.len() > 8 { 5 } else { panels.len().clamp(1, 4) };
    let rows = panels.len().div_ceil(columns) as u32;
    let svg = grid(&Grid {
        frame: Frame::new("Score by depth under other ways of training")
            .subtitle(what(&record))
            .note("Means over targets (seeds averaged within each, networks that learned their picture), bands 95 % t-intervals over targets, cut at 0 and 1. Hollow: no network learned its picture.")
            .sized(1000, 140 + 230 * rows),
        columns,
        panels,
        share_x: true,
        share_y: true,
    });
    Ok(svg.into())
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
    let svg = bars(&Bars {
        frame: Frame::new("SP against random links with its counts, under other ways of training")
            .subtitle(what(&record))
            .note("Difference of compositional scores, paired by target, depth and seed, both networks fit; above 0: SP is higher. Marks: means over targets, whiskers 95 % t-intervals over targets, cut at ±1; rings targets. No mark: no pair of networks that learned their picture.")
            .sized(860, 190 + 34 * effects.len() as u32),
        value: Axis::new("score, SP − random links with its counts").range(-end, 1.3 * end),
        series: vec![("".into(), colour, marker)],
        groups: groups.collect(),
        mark: Mark::Dot,
        lying: true,
        rules: vec![Rule::new(0.0, "").coloured(style::INK)],
        texts_at: Some(end * 1.04),
        ..Bars::default()
    });
    let parts: Vec<String> = effects.iter().map(says).collect();
    Ok(Drawing { svg, says: format!("{}.", parts.join("; ")) })
}
