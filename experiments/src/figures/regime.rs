//! The regime map: score by depth and kept share, target by target, SP against its controls, and what
//! networks of neighbouring depths draw.

use super::data::{self, FEWEST, distinct, look, sorted, what};
use super::pictures::{self, Pictured, pictured};
use super::{DrawError, Drawing, Sources, some};
use crate::claims::effects::{Effect, Group};
use crate::regime::arms::{CONTROLS, CRITERIA, MapLevels, RETRAINED, REWOUND};
use crate::regime::contrasts::over_arms;
use crate::regime::rules::{MARGIN, parting, rulings};
use picloom::experiment::regime::points::{
    Basis, LAYER_COUNTS, Networks, Place, Points, SP, Scores,
};
use picloom::figures::Marker;
use picloom::figures::axis::Axis;
use picloom::figures::charts::{
    Bars, Estimate, Frame, Group as Bin, Heatmap, Rule, Tones, bars, heatmap,
};
use picloom::figures::drawers::{Multiples, Spread, course, matrix, panel, rows};
use picloom::figures::networks::{Level, levels, regime_map_of};
use picloom::figures::style;
use picloom::math::stats::mean;
use std::collections::BTreeMap;

const STUDY: &str = "regime";
/// The study of its criteria, retrained from the initial weights.
const REWINDING: &str = "rewinding";

/// SP's choice the other way round.
const INVERTED: &[&[&str]] = &[&["sp-inverted"]];

pub(super) fn maps(sources: &Sources) -> Result<Drawing, DrawError> {
    Ok(regime_map_of(&*sources.networks(STUDY)?)?)
}

/// SP less random links with its counts over all targets, at equal fit.
pub(super) fn pooled(sources: &Sources) -> Result<Drawing, DrawError> {
    let record = sources.networks(STUDY)?;
    let points = Points::of(&record);
    let rival = points.arm(LAYER_COUNTS).ok_or_else(|| DrawError::Nothing {
        study: STUDY.into(),
        expected: "random links with SP's counts".into(),
    })?;
    let offsets =
        distinct(sorted(record.rows.iter().filter(|r| r.seed.is_some()).map(|r| r.offset)));
    let columns: Vec<(String, i64)> =
        offsets.into_iter().map(|offset| (style::signed(offset), offset)).collect();
    let rows: Vec<Level> = levels(&record).into_iter().filter(|row| row.1.1 > 0).collect();
    let effect = |level: usize, offset: i64| {
        let place = |arm: &str| Place { offset, arm: arm.into(), level };
        less(&points, "SP − random", &(place(SP), place(rival)))
    };
    let map = matrix(&rows, &columns, |(_, level), offset| effect(*level, *offset).estimate);
    let count = points.targets.len().max(1) as f64;
    let bars = matrix(&rows, &columns, |(_, level), offset| {
        Some(effect(*level, *offset).targets.len() as f64 / count)
    });
    if map.values.iter().flatten().all(|value| value.is_nan()) {
        let expected = "pairs of networks that reached the same R²".into();
        return Err(DrawError::Nothing { study: STUDY.into(), expected });
    }
    // At least to twice the margin: a scale that ends at the largest value makes much of nothing.
    let most =
        map.values.iter().flatten().filter(|v| v.is_finite()).fold(0.0f64, |m, v| m.max(v.abs()));
    let most = most.max(2.0 * MARGIN);
    let found = rulings(&record, MARGIN);
    // What decides, and where a fixed δ parts from it; the rest stands in the ledger.
    let primary = found.iter().filter(|ruling| ruling.protocol == Basis::EqualFit.text());
    let says: Vec<String> = primary.map(|ruling| ruling.text()).chain(parting(&found)).collect();
    let note = "Mean over targets of paired scores at the R² that both networks reached on their way. Bars: share of the targets with such a pair; grey: none.";
    let svg = heatmap(&Heatmap {
        frame: Frame::new("SP less random links with its counts, by depth and kept share")
            .subtitle(what(&record))
            .note(note)
            .sized(760, 200 + 56 * rows.len() as u32),
        x: "hidden layers, off the reference".into(),
        y: "links kept".into(),
        value: Axis::new("score, SP − random").range(-most, most),
        tones: Tones::Signed,
        decimals: Some(2),
        bars: bars.values,
        ..map
    });
    Ok(Drawing { svg, says: says.join(". ") })
}

/// SP less every other criterion and both controls, at equal fit and with a fixed δ.
pub(super) fn criteria(sources: &Sources) -> Result<Drawing, DrawError> {
    let record = sources.networks(STUDY)?;
    let points = Points::of(&record);
    let rivals = CRITERIA.iter().chain(INVERTED).chain(CONTROLS);
    let contrast = |rival, basis| over_arms(&points, (SP, rival), &points.levels(), basis).effect;
    let mut found: Vec<(&str, [Effect; 2])> = rivals
        .filter_map(|names| points.arm(names))
        .map(|rival| (rival, [Basis::EqualFit, Basis::FixedDelta].map(|b| contrast(rival, b))))
        .filter(|(_, [fit, _])| fit.estimate.is_some())
        .collect();
    found.sort_by(|a, b| a.1[0].estimate.partial_cmp(&b.1[0].estimate).expect("numbers"));
    let found =
        some(found, STUDY, "networks pruned by other criteria that reached the R² of SP's")?;
    let values = found.iter().flat_map(|row| &row.1).flat_map(|e| [e.low, e.high, e.estimate]);
    let end = 1.1 * values.flatten().fold(2.0 * MARGIN, |most, value| most.max(value.abs()));
    let groups = found.iter().map(|(rival, effects)| Bin {
        name: look(rival).0,
        estimates: effects.iter().map(estimate).collect(),
    });
    let (_, colour, marker) = look(SP);
    let series = vec![
        ("at each R² that both reached".into(), colour, marker),
        ("fixed δ, no gate".into(), style::GREY, Marker::Diamond),
    ];
    let svg = bars(&Bars {
        frame: Frame::new("SP less other ways of choosing links, under both protocols")
            .subtitle(what(&record))
            .note("Difference of compositional scores at the reference depth, mean over a quarter and an eighth of the links, paired by target and seed; to the right: SP is higher. Whiskers: 95 % intervals, targets at random. Every criterion goes through the same rounds and retraining; IMP begins each again from the initial weights.")
            .sized(860, 200 + 44 * found.len() as u32),
        groups: groups.collect(),
        rules: vec![Rule::new(0.0, "").coloured(style::INK)],
        ..rows("", Axis::new("score of SP less that of the other").range(-end, end), series)
    });
    let said = found.iter().map(|(rival, [fit, fixed])| {
        let name = format!("SP − {}", look(rival).0);
        let fixed = match (fixed.estimate, fixed.low, fixed.high) {
            (Some(e), Some(l), Some(h)) => format!(", fixed δ {}", style::interval(e, l, h, 2)),
            _ => String::new(),
        };
        format!("{}{fixed}", data::says(&Effect { name, ..fit.clone() }))
    });
    Ok(Drawing { svg, says: format!("{}.", said.collect::<Vec<_>>().join("; ")) })
}

/// Every criterion fine-tuned and retrained from the initial weights, less the dense parent, at equal fit.
pub(super) fn retraining(sources: &Sources) -> Result<Drawing, DrawError> {
    let (record, rewound) = (sources.networks(STUDY)?, sources.networks(REWINDING)?);
    let points = Points::of(&record).with_rewound(&Points::of(&rewound));
    let levels = points.levels();
    let less_dense = |arm: &str| {
        let at = |arm: &str, level| Place { offset: 0, arm: arm.into(), level };
        let of_seed = |networks: &Networks| {
            let dense = networks.get(&at("dense", 0))?;
            let of_level = |&level: &usize| {
                let pair = [networks.get(&at(arm, level))?, dense];
                Scores::compared(&pair, Basis::EqualFit).map(|scores| scores[0] - scores[1])
            };
            mean(&levels.iter().filter_map(of_level).collect::<Vec<_>>()).ok()
        };
        let of_target = |(target, seeds): &(String, BTreeMap<u64, Networks>)| {
            (target.clone(), seeds.values().filter_map(of_seed).collect())
        };
        Effect::of(
            format!("{} − dense", arm.replace('-', " ")),
            points.targets.iter().map(of_target).collect(),
        )
    };
    let pairs = [("random", "random-rewound"), (SP, REWOUND.0)].iter().chain(RETRAINED);
    let found: Vec<(&str, [Effect; 2])> = pairs
        .map(|(tuned, rewound)| (*tuned, [*tuned, *rewound].map(less_dense)))
        .filter(|(_, effects)| effects.iter().all(|effect| effect.estimate.is_some()))
        .collect();
    let found = some(
        found,
        REWINDING,
        "networks of both retrainings that reached the R² of the dense parent",
    )?;
    let values = found.iter().flat_map(|row| &row.1).flat_map(|e| [e.low, e.high, e.estimate]);
    let end = 1.1 * values.flatten().fold(2.0 * MARGIN, |most, value| most.max(value.abs()));
    let groups = found.iter().map(|(arm, effects)| Bin {
        name: look(arm).0,
        estimates: effects.iter().map(estimate).collect(),
    });
    let (_, colour, marker) = look(SP);
    let series = vec![
        ("fine-tuned: the dense network's weights stay".into(), style::GREY, Marker::Diamond),
        ("rewound: initial weights, the same rounds".into(), colour, marker),
    ];
    let svg = bars(&Bars {
        frame: Frame::new("Criterion and retraining: score less that of the dense parent")
            .subtitle(what(&rewound))
            .note("At each R² that both reached, mean over a quarter and an eighth of the links, paired by target and seed; seeds of the second study. Whiskers: 95 % intervals (Student's t over targets). Magnitude rewound is the lottery ticket, IMP. Deciding: rewound less fine-tuned of Taylor, Wanda and magnitude (ledger, C3).")
            .sized(860, 200 + 44 * found.len() as u32),
        groups: groups.collect(),
        rules: vec![Rule::new(0.0, "").coloured(style::INK)],
        ..rows("", Axis::new("score less that of the dense parent").range(-end, end), series)
    });
    let said = found.iter().flat_map(|(_, effects)| effects).map(data::says);
    Ok(Drawing { svg, says: format!("{}.", said.collect::<Vec<_>>().join("; ")) })
}

/// An effect as a mark with its interval.
fn estimate(effect: &Effect) -> Option<Estimate> {
    let mut mark = Estimate::new(effect.estimate?);
    mark.interval = effect.low.zip(effect.high);
    Some(mark)
}

/// Score of a network less that of another of the same target and seed, at equal fit.
fn less(points: &Points, name: &str, (one, other): &(Place, Place)) -> Effect {
    let of_seed = |networks: &Networks| {
        let pair = [networks.get(one)?, networks.get(other)?];
        Scores::compared(&pair, Basis::EqualFit).map(|scores| scores[0] - scores[1])
    };
    let of_target = |(target, seeds): &(String, BTreeMap<u64, Networks>)| {
        (target.clone(), seeds.values().filter_map(of_seed).collect())
    };
    Effect::of(name, points.targets.iter().map(of_target).collect())
}

/// SP and its controls at each R² on their way, at the reference depth, a panel a kept share.
pub(super) fn by_fit(sources: &Sources) -> Result<Drawing, DrawError> {
    let record = sources.networks(STUDY)?;
    let points = Points::of(&record);
    let controls: Vec<&str> = CONTROLS.iter().filter_map(|names| points.arm(names)).collect();
    if controls.is_empty() || record.checkpoints.is_empty() {
        let expected = "networks on their way of SP and its controls".into();
        return Err(DrawError::Nothing { study: STUDY.into(), expected });
    }
    let arms: Vec<&str> = ["dense", SP].into_iter().chain(controls).collect();
    // Few targets come far: a mean over one or two is no course. A study of few shows what it has.
    let fewest = FEWEST.min(points.targets.len());
    let place = |arm: &str, level: usize| {
        let level = if arm == "dense" { 0 } else { level };
        Place { offset: 0, arm: arm.into(), level }
    };
    // Of every target: mean over the seeds in which all arms came as far, arm by arm.
    let at = |level: usize, r2: f64| -> Vec<Vec<f64>> {
        let of_target = points.targets.iter().filter_map(|(_, seeds)| {
            let seeds = seeds.values().filter_map(|networks| {
                let of = |arm: &&str| {
                    let reached = &networks.get(&place(arm, level))?.reached;
                    reached.iter().find(|at| at.0 == r2).map(|at| at.1)
                };
                arms.iter().map(of).collect::<Option<Vec<f64>>>()
            });
            let seeds: Vec<Vec<f64>> = seeds.collect();
            let of_arm = |k: usize| mean(&seeds.iter().map(|s| s[k]).collect::<Vec<_>>()).ok();
            (0..arms.len()).map(of_arm).collect::<Option<Vec<f64>>>()
        });
        of_target.collect()
    };
    let ticks: Vec<(f64, String)> =
        (0..).zip(&record.checkpoints).map(|(i, r2)| (f64::from(i), format!("{r2:.2}"))).collect();
    let (mut panels, mut says) = (Vec::new(), Vec::new());
    for (name, (_, level)) in levels(&record).into_iter().filter(|row| row.1.1 > 0) {
        let found: Vec<Vec<Vec<f64>>> =
            record.checkpoints.iter().map(|&r2| at(level, r2)).collect();
        let mut series = Vec::new();
        for (k, arm) in arms.iter().enumerate() {
            let points = (0..).zip(&found).filter_map(|(i, targets)| {
                let values: Vec<f64> = targets.iter().map(|target| target[k]).collect();
                (values.len() >= fewest).then_some(())?;
                Some((f64::from(i), data::estimate(&values)?))
            });
            series.extend(course(look(arm), points, Spread::None));
        }
        let counts: Vec<String> = found.iter().map(|targets| targets.len().to_string()).collect();
        let more = arms[1..].iter().map(|arm| {
            let pair = (place(arm, level), place("dense", 0));
            data::says(&less(&points, &format!("{} − dense", look(arm).0), &pair))
        });
        let more = more.collect::<Vec<_>>().join(", ");
        says.push(format!("{name}: {more} (targets by R²: {})", counts.join(", ")));
        let x = Axis::new("R² first reached").names(ticks.clone());
        let score = Axis::new("score").range(0.0, 1.0);
        panels.push(panel(format!("{name} of the links"), x, score, series));
    }
    let panels = some(panels, STUDY, "networks pruned by SP")?;
    let frame = Frame::new("Which links, or how many? Scores at equal fit")
        .subtitle(what(&record))
        .note("At the reference depth; mean over targets of the seeds in which all these networks came to that R². Other targets come to other R²: compare within a column. Intervals of the differences stand in the ledger (C4).");
    let size = Multiples { columns: 2, width: 1000, height: (150, 270), share: (true, true) };
    let says = format!("At each R² that both reached: {}.", says.join("; "));
    Ok(Drawing { svg: size.draw(frame, panels), says })
}

/// SP's networks at about a quarter of the links, one layer fewer than the reference, as many, one more:
/// those whose pictures were kept.
fn neighbours(sources: &Sources, target: &str) -> Vec<Pictured> {
    let networks = [-1, 0, 1].into_iter().filter_map(|offset| {
        let group = Group { offset, ..Group::of(SP, QUARTER) };
        let one = pictured(sources, STUDY, target, group)?;
        Some(Pictured { label: format!("n = {}, L {}", style::signed(offset), one.layers), ..one })
    });
    networks.collect()
}

/// The level of pruning that keeps about a quarter.
const QUARTER: usize = 2;

/// What SP's networks of three neighbouring depths draw, and what with one weight changed.
pub(super) fn neighbours_changed(sources: &Sources) -> Result<Drawing, DrawError> {
    let record = sources.networks(STUDY)?;
    let title = "Neighbouring depths: what SP's networks draw with one weight changed";
    let note = "n: hidden layers more than the reference. About a quarter of the links.";
    pictures::changed(sources, &record, title, note, &|target| neighbours(sources, target))
}

/// Maps of the units of SP's networks of three neighbouring depths, side by side.
pub(super) fn neighbours_maps(sources: &Sources) -> Result<Drawing, DrawError> {
    let record = sources.networks(STUDY)?;
    let title =
        "Neighbouring depths: units of SP's networks with one layer fewer, as many, one more";
    pictures::maps(sources, &record, title, 8, &|target| neighbours(sources, target))
}
