//! The regime map: score by depth and kept share, target by target, SP against its controls, and what
//! networks of neighbouring depths draw.

use super::data::{self, FEWEST, Group, distinct, look, on_average, sorted, what};
use super::pictures::{self, Pictured, pictured};
use super::{DrawError, Drawing, Sources, some};
use picloom::experiment::contrast::{Basis as Compared, Found};
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

/// Networks of as many links as SP's that differ from them only in which.
pub(super) const CONTROLS: &[&[&str]] = &[LAYER_COUNTS, &["rewired", "sp-permuted"]];
/// Kept shares that the claims are decided at: levels of pruning.
const LEVELS: [usize; 2] = [2, 3];
/// Half of the smallest range of an axis: twice the margin of the map. A scale that ends at the largest value makes
/// much of nothing.
const LEAST: f64 = 0.2;

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
        less(&points, &(place(SP), place(rival)))
    };
    let map = matrix(&rows, &columns, |(_, level), offset| mean(&effect(*level, *offset)).ok());
    let count = points.targets.len().max(1) as f64;
    let bars = matrix(&rows, &columns, |(_, level), offset| {
        Some(effect(*level, *offset).len() as f64 / count)
    });
    if map.values.iter().flatten().all(|value| value.is_nan()) {
        let expected = "pairs of networks that reached the same R²".into();
        return Err(DrawError::Nothing { study: STUDY.into(), expected });
    }
    let most =
        map.values.iter().flatten().filter(|v| v.is_finite()).fold(0.0f64, |m, v| m.max(v.abs()));
    let most = most.max(LEAST);
    let says = sources.said(STUDY, &["C4", "C4-beside-the-reference"]);
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
    Ok(Drawing { svg, says: says.join("; ") })
}

/// SP less every other criterion and both controls, at equal fit and with a fixed δ.
pub(super) fn criteria(sources: &Sources) -> Result<Drawing, DrawError> {
    let record = sources.networks(STUDY)?;
    let on = |basis: &Compared| -> Result<Vec<Found>, DrawError> {
        let contrasts = ["C3", "C4-inverted", "C4"];
        let found = contrasts.map(|id| sources.found(STUDY, id, Some(basis)));
        Ok(found.into_iter().collect::<Result<Vec<_>, _>>()?.concat())
    };
    let (fit, fixed) = (on(&Compared::EqualFit(None))?, on(&Compared::FixedDelta)?);
    let of_rival = |fit: Found| {
        let rival = fit.name.rsplit(" − ").next().unwrap_or_default().to_string();
        let fixed = fixed.iter().find(|fixed| fixed.name == fit.name);
        fit.estimate.map(|_| (rival, [Some(fit), fixed.cloned()]))
    };
    let mut found: Vec<(String, [Option<Found>; 2])> =
        fit.into_iter().filter_map(of_rival).collect();
    let least = |row: &(String, [Option<Found>; 2])| row.1[0].as_ref().and_then(|f| f.estimate);
    found.sort_by(|a, b| least(a).partial_cmp(&least(b)).expect("numbers"));
    let found =
        some(found, STUDY, "networks pruned by other criteria that reached the R² of SP's")?;
    let values = found.iter().flat_map(|row| row.1.iter().flatten());
    let values = values.flat_map(|found| [found.low, found.high, found.estimate]);
    let end = 1.1 * values.flatten().fold(LEAST, |most, value| most.max(value.abs()));
    let estimate = |found: &Option<Found>| {
        let found = found.as_ref()?;
        let mut mark = Estimate::new(found.estimate?);
        mark.interval = found.low.zip(found.high);
        Some(mark)
    };
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
    let said = found.iter().flat_map(|(_, [fit, fixed])| {
        let fixed = fixed.as_ref().and_then(|f| Some((f.estimate?, f.low?, f.high?)));
        let fixed = fixed
            .map(|(e, l, h)| format!(", fixed δ {}", style::interval(e, l, h, 2)))
            .unwrap_or_default();
        fit.as_ref().map(|fit| format!("{}{fixed}", data::says(fit)))
    });
    Ok(Drawing { svg, says: format!("{}.", said.collect::<Vec<_>>().join("; ")) })
}

/// Every criterion fine-tuned and retrained from the initial weights, less the dense parent, at equal fit.
pub(super) fn retraining(sources: &Sources) -> Result<Drawing, DrawError> {
    let (record, rewound) = (sources.networks(STUDY)?, sources.networks(REWINDING)?);
    let (points, again) = (Points::of(&record), Points::of(&rewound));
    // A network of one of the two studies less the dense parent, which is the map's; seeds that both have.
    let less_dense = |of: &Points, arm: &str| -> Vec<f64> {
        let at = |arm: &str, level| Place { offset: 0, arm: arm.into(), level };
        let of_target = |(target, seeds): &(String, BTreeMap<u64, Networks>)| {
            let both = |points: &'_ Points| points.targets.iter().find(|t| t.0 == *target).cloned();
            let (own, second) = (both(of)?.1, both(&again)?.1);
            let of_seed = |(seed, networks): (&u64, &Networks)| {
                second.get(seed)?;
                let dense = networks.get(&at("dense", 0))?;
                let of_level = |&level: &usize| {
                    let pair = [own.get(seed)?.get(&at(arm, level))?, dense];
                    Scores::compared(&pair, Basis::EqualFit).map(|scores| scores[0] - scores[1])
                };
                mean(&LEVELS.iter().filter_map(of_level).collect::<Vec<_>>()).ok()
            };
            mean(&seeds.iter().filter_map(of_seed).collect::<Vec<_>>()).ok()
        };
        points.targets.iter().filter_map(of_target).collect()
    };
    let arms = [("random", "random"), (SP, SP), ("wanda", "wanda"), ("taylor", "taylor")];
    let found = arms
        .into_iter()
        .map(|(tuned, rewound)| (tuned, [less_dense(&points, tuned), less_dense(&again, rewound)]));
    // Magnitude rewound is the lottery ticket, which the map has.
    let magnitude = ["magnitude", "imp"].map(|arm| less_dense(&points, arm));
    let found: Vec<(&str, [Vec<f64>; 2])> = found
        .chain([("magnitude", magnitude)])
        .filter(|(_, targets)| targets.iter().all(|targets| !targets.is_empty()))
        .collect();
    let found = some(
        found,
        REWINDING,
        "networks of both retrainings that reached the R² of the dense parent",
    )?;
    let marks: Vec<Vec<Option<Estimate>>> =
        found.iter().map(|row| row.1.iter().map(|targets| mark(targets)).collect()).collect();
    let ends = marks.iter().flatten().flatten();
    let ends = ends.flat_map(|mark| mark.interval.map_or([mark.value; 2], |(a, b)| [a, b]));
    let end = 1.1 * ends.fold(LEAST, |most, value| most.max(value.abs()));
    let groups =
        found.iter().zip(marks).map(|((arm, _), estimates)| Bin { name: look(arm).0, estimates });
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
    let said = found.iter().map(|(arm, [tuned, rewound])| {
        let tuned = on_average(&format!("{arm} − dense"), tuned);
        format!("{tuned}, {}", on_average("rewound", rewound))
    });
    Ok(Drawing { svg, says: format!("{}.", said.collect::<Vec<_>>().join("; ")) })
}

/// A mean over targets with its t-interval, without the targets.
fn mark(targets: &[f64]) -> Option<Estimate> {
    data::estimate(targets).map(|mark| mark.seeds([]))
}

/// Score of a network less that of another of the same target and seed, at equal fit: the mean of every target that has
/// such a pair.
fn less(points: &Points, (one, other): &(Place, Place)) -> Vec<f64> {
    let of_seed = |networks: &Networks| {
        let pair = [networks.get(one)?, networks.get(other)?];
        Scores::compared(&pair, Basis::EqualFit).map(|scores| scores[0] - scores[1])
    };
    let of_target = |seeds: &BTreeMap<u64, Networks>| {
        mean(&seeds.values().filter_map(of_seed).collect::<Vec<_>>()).ok()
    };
    points.targets.iter().filter_map(|(_, seeds)| of_target(seeds)).collect()
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
            on_average(&format!("{} − dense", look(arm).0), &less(&points, &pair))
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
