//! Do depth and pruning matter under other ways of training?

use super::data::{
    FEWEST, Group as Networks, cell, cut, distinct, estimate, fit_score, look, says, sorted,
    spoken, unfit_over_targets, what,
};
use super::{DrawError, Drawing, Sources, some};
use picloom::experiment::contrast::Found;
use picloom::experiment::networks::record::NetworksRecord;
use picloom::figures::axis::Axis;
use picloom::figures::charts::{Bars, Estimate, Frame, Group, Rule, Series, bars};
use picloom::figures::drawers::{Multiples, Spread, course, panel, rows};
use picloom::figures::style;
use picloom::math::stats::mean;

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
            let group = |offset: i64| Networks { arm, level, variant, offset };
            // Each target's mean at each depth, where a network of it learned it.
            let of_target = |target: &&str| -> Vec<Option<f64>> {
                let cells = offsets.iter().map(|o| cell(&record, target, group(*o), fit_score));
                cells.map(|cell| mean(&cell.fit).ok()).collect()
            };
            let courses: Vec<Vec<Option<f64>>> = record.targets().iter().map(of_target).collect();
            let (label, colour, marker) = look(arm);
            series.extend(courses.iter().map(|course| {
                let points = offsets.iter().zip(course);
                let points = points.map(|(o, y)| (*o as f64, y.unwrap_or(f64::NAN)));
                Series { width: 1.0, ..Series::line("", colour.mix(style::PAPER, 0.45), points) }
            }));
            // Depths are compared on the same targets: those that count at every depth.
            let whole: Vec<Vec<f64>> =
                courses.iter().filter_map(|c| c.iter().copied().collect()).collect();
            let points = offsets.iter().enumerate().filter_map(|(i, &offset)| {
                let values: Vec<f64> = whole.iter().map(|course| course[i]).collect();
                let none = courses.iter().all(|course| course[i].is_none());
                let unfit = || unfit_over_targets(&record, group(offset), |r| r.score());
                let found = estimate(&values).map(cut);
                Some((offset as f64, found.or_else(|| none.then(unfit).flatten())?))
            });
            series.extend(course((label, colour, marker), points, Spread::Band));
        }
        let x = Axis::new("depth offset").unit("layers").names(ticks.clone());
        panels.push(panel(name(variant), x, Axis::new("score").range(0.0, 1.0), series));
    }
    let panels = some(panels, STUDY, "networks")?;
    let frame = Frame::new("Score by depth under other ways of training")
        .subtitle(what(&record))
        .note("Thin lines: one target each (seeds averaged, networks that learned their picture). Marked lines: mean over the targets that count at every depth, so that depths are compared on the same pictures (rings: these targets). Hollow: no network learned its picture at that depth.");
    let columns = if panels.len() > 8 { 5 } else { 4 };
    let size = Multiples { columns, width: 1000, height: (140, 230), share: (true, true) };
    Ok(size.draw(frame, panels).into())
}

pub(super) fn pruning(sources: &Sources) -> Result<Drawing, DrawError> {
    let record = sources.networks(STUDY)?;
    let mut effects: Vec<Found> = sources.found(STUDY, "C15", None)?;
    effects.extend(sources.found(STUDY, "C15-recipes", None)?);
    for (number, effect) in effects.iter_mut().enumerate() {
        // The first is the recipe's, the others begin with their own name.
        let variant = effect.name.split_once(": ").filter(|_| number > 0).map_or("base", |n| n.0);
        effect.name = name(variant);
    }
    let effects = some(effects, STUDY, "networks")?;
    // As far to both sides as the farthest target, and room for words; longer intervals are cut.
    let reach = effects.iter().flat_map(|e| &e.units).map(|t| t.value.abs());
    let end = 1.1 * reach.fold(0.05f64, f64::max);
    let groups = effects.iter().map(|effect| Group {
        name: effect.name.clone(),
        estimates: vec![effect.estimate.map(|value| {
            let mut e = Estimate::new(value).seeds(effect.units.iter().map(|t| t.value));
            let ends = effect.low.zip(effect.high);
            e.interval = ends.filter(|_| effect.units.len() >= FEWEST);
            let pairs: usize = effect.units.iter().map(|t| t.count).sum();
            e.text(format!("{pairs} pairs"))
        })],
    });
    let (_, colour, marker) = look("sp");
    let value = Axis::new("score, SP − random links with its counts").range(-end, 1.3 * end);
    let svg = bars(&Bars {
        frame: Frame::new("SP against random links with its counts, under other ways of training")
            .subtitle(what(&record))
            .note("Difference of compositional scores, paired by target, depth and seed, both networks fit; above 0: SP is higher. Marks: means over targets; rings: targets; whiskers: 95 % t-intervals over four targets or more. No mark: no pair of networks that learned their picture.")
            .sized(860, 190 + 34 * effects.len() as u32),
        groups: groups.collect(),
        rules: vec![Rule::new(0.0, "").coloured(style::INK)],
        texts_at: Some(end * 1.04),
        ..rows("", value, vec![("".into(), colour, marker)])
    });
    let parts: Vec<String> = effects.iter().map(says).collect();
    Ok(Drawing { svg, says: format!("{}.", parts.join("; ")) })
}
