//! Every pruning method, most of them at equal counts.

use super::board::{Block, Board, Row, sweep, verdicts};
use super::data::{
    self, Group as Networks, arms, differences, fit_score, look, named, on_average, over_targets,
    sorted, spoken, unfit_over_targets, what,
};
use super::pictures::{self, Pictured, pictured};
use super::scores::score_axis;
use super::{DrawError, Drawing, Sources, some};
use picloom::experiment::networks::record::NetworksRecord;
use picloom::figures::axis::Axis;
use picloom::figures::charts::{
    Bars, Estimate, Frame, Grid, Group, Heatmap, Line, Panel, Point, Rule, Series, grid, heatmap,
};
use picloom::figures::drawers::{Multiples, Spread, course, matrix, panel, rows};
use picloom::figures::style::{self, Colour, Marker, fixed, number};
use picloom::math::stats::mean;

const STUDY: &str = "pruning";

/// The methods whose lines and clouds are drawn; the others are in the score's figure.
const RIVALS: [&str; 9] =
    ["evolved", "dense", "sp", "imp", "wanda", "taylor", "magnitude", "random", "sp-layer-counts"];

/// Small multiples of the study: a panel a target.
const PANELS: Multiples =
    Multiples { columns: 3, width: 1000, height: (190, 290), share: (false, true) };

/// Mean kept and alive links of a group over all its networks, in whole links.
fn links(record: &NetworksRecord, group: Networks<'_>) -> Option<(f64, f64)> {
    let targets = record.targets();
    let results: Vec<_> = targets
        .iter()
        .flat_map(|t| data::rows(record, t, group))
        .filter_map(|row| row.result.as_ref())
        .collect();
    let kept = mean(&results.iter().map(|r| r.kept as f64).collect::<Vec<_>>()).ok()?;
    let alive = mean(&results.iter().map(|r| r.alive as f64).collect::<Vec<_>>()).ok()?;
    Some((kept, alive))
}

/// What a star after an arm's name means.
pub(super) const STAR: &str =
    "* keeps another number of links than SP; evolved and dense are not pruned.";

/// Whether each network of a group keeps as many links as SP's of the same target and seed.
fn counts_of_sp(record: &NetworksRecord, group: Networks<'_>) -> bool {
    let kept = |group: Networks<'_>| -> Vec<(String, Option<u64>, usize)> {
        let targets = record.targets().into_iter();
        let rows = targets.flat_map(|target| data::rows(record, target, group).collect::<Vec<_>>());
        rows.filter_map(|r| Some((r.target.clone(), r.seed, r.result.as_ref()?.kept))).collect()
    };
    let sp = kept(Networks { arm: "sp", ..group });
    kept(group).iter().all(|one| {
        let twin = sp.iter().find(|twin| (&twin.0, twin.1) == (&one.0, one.1));
        twin.is_none_or(|twin| twin.2 == one.2)
    })
}

/// Lying rows of arms, a panel a level of pruning; arms that are not pruned are in every panel. A star
/// stands after the name of one that keeps another number of links than SP ([`STAR`]).
/// `size`: width of a panel, height of the frame and of a row, in pixels. `estimates` of one arm at
/// one level, in the colour of the arm.
pub(super) fn by_level(
    record: &NetworksRecord,
    frame: Frame,
    (width, height, row): (u32, u32, u32),
    template: &Bars,
    estimates: &dyn Fn(Networks<'_>, Colour) -> Vec<Option<Estimate>>,
) -> Result<String, DrawError> {
    let arms = arms(record);
    let levels = sorted(arms.iter().map(|a| a.1).filter(|level| *level > 0));
    let (mut panels, mut most) = (Vec::new(), 0);
    for level in some(levels, STUDY, "pruned networks")? {
        let there = arms.iter().filter(|a| a.1 == 0 || a.1 == level);
        let groups = there.map(|(arm, at)| {
            let (mut name, colour, _) = look(arm);
            let networks = Networks::of(arm, *at);
            if *at > 0 && !counts_of_sp(record, networks) {
                name += " *";
            }
            Group { name, estimates: estimates(networks, colour) }
        });
        let groups: Vec<Group> = groups.collect();
        most = most.max(groups.len());
        let frame = Frame::new(format!("level {level}"));
        panels.push(Panel::Bars(Bars { frame, groups, ..template.clone() }));
    }
    let columns = panels.len();
    Ok(grid(&Grid {
        frame: frame.sized(width * columns.min(3) as u32, height + row * most as u32),
        columns,
        panels,
        share_x: false,
        share_y: true,
    }))
}

pub(super) fn score(sources: &Sources) -> Result<Drawing, DrawError> {
    let record = sources.networks(STUDY)?;
    let rules = ["evolved", "dense"].into_iter().filter_map(|arm| {
        let e = over_targets(&record, Networks::of(arm, 0), fit_score)?;
        Some(Rule::new(e.value, "").coloured(look(arm).1))
    });
    let template = Bars {
        rules: rules.collect(),
        texts_at: Some(1.04),
        ..rows("", score_axis(1.5), vec![("".into(), style::INK, Marker::Circle)])
    };
    let frame = Frame::new("Compositional score by pruning method")
        .subtitle(what(&record))
        .note(format!("Marks: mean over targets (seeds averaged within each, networks that learned their picture only), rings targets, whiskers 95 % t-intervals over four targets or more. Hollow: no network learned its picture; no mark: nothing could be judged. Right: links kept/alive · networks that learned their picture. Broken lines: evolved and dense. {STAR}"));
    let svg = by_level(&record, frame, (620, 190, 26), &template, &|networks, colour| {
        let found = over_targets(&record, networks, fit_score);
        let found = found.or_else(|| unfit_over_targets(&record, networks, |r| r.score()));
        let (fit, asked) = data::learned(&record, networks);
        let counts = links(&record, networks).map_or("–".into(), |(kept, alive)| {
            format!("{}/{}", number(kept.round(), 6), number(alive.round(), 6))
        });
        vec![found.map(|e| e.coloured(colour).text(format!("{counts} · {fit}/{asked}")))]
    })?;
    let pairs = |rival| [1, 2].map(|l| (Networks::of("sp", l), Networks::of(rival, l)));
    let parts: Vec<String> = ["imp", "wanda", "taylor", "magnitude", "random", "sp-layer-counts"]
        .into_iter()
        .filter(|rival| data::exists(&record, Networks::of(rival, 1)))
        .map(|rival| {
            let found = differences(&record, &pairs(rival), fit_score);
            on_average(&format!("sp − {rival}"), &found)
        })
        .collect();
    let says = match parts.is_empty() {
        true => String::new(),
        false => {
            format!("Paired by target, seed and level, both networks fit: {}.", parts.join("; "))
        }
    };
    Ok(Drawing { svg, says })
}

pub(super) fn by_target(sources: &Sources) -> Result<Drawing, DrawError> {
    let record = sources.networks(STUDY)?;
    let targets: Vec<_> = record.targets().into_iter().map(|t| (spoken(t), t)).collect();
    let arms: Vec<_> = arms(&record).into_iter().map(|a| (named(&a.0, a.1), a)).collect();
    let arms = some(arms, STUDY, "networks")?;
    let svg = heatmap(&Heatmap {
        frame: Frame::new("Compositional score by pruning method and target")
            .subtitle(what(&record))
            .note("Means over the seeds that learned the picture; grey: none did, or the arm does not exist there.")
            .sized(
                (400 + 100 * targets.len() as u32).max(760),
                180 + 23 * arms.len() as u32,
            ),
        x: "target".into(),
        value: Axis::new("score").range(0.0, 1.0),
        decimals: Some(2),
        ..matrix(&arms, &targets, |(arm, level), target| {
            mean(&data::cell(&record, target, Networks::of(arm, *level), fit_score).fit).ok()
        })
    });
    Ok(svg.into())
}

/// Rivals that are in a record.
fn rivals(record: &NetworksRecord) -> Vec<&'static str> {
    let there = |arm: &&str| record.rows.iter().any(|r| r.arm == *arm);
    RIVALS.into_iter().filter(there).collect()
}

pub(super) fn against_kept(sources: &Sources) -> Result<Drawing, DrawError> {
    let record = sources.networks(STUDY)?;
    let levels = sorted(record.rows.iter().map(|r| r.level).chain([0]));
    let mut panels = Vec::new();
    for target in record.targets() {
        let point = |arm: &str, level: usize| -> Option<(f64, Estimate)> {
            let group = Networks::of(arm, level);
            let kept: Vec<f64> = data::rows(&record, target, group)
                .filter_map(|r| r.result.as_ref().map(|x| x.kept as f64))
                .collect();
            let found = data::cell(&record, target, group, |r| r.score()).estimate()?;
            Some((mean(&kept).ok()?, found))
        };
        let mut series = Vec::new();
        for arm in rivals(&record) {
            let pruned = !matches!(arm, "evolved" | "dense");
            let points = levels.iter().filter_map(|&level| {
                // A pruned arm begins at the dense network.
                let from = if level == 0 && pruned { "dense" } else { arm };
                point(from, level).filter(|(_, e)| from == arm || !e.faint)
            });
            let mut all = course(look(arm), points, Spread::None);
            if let Some(line) = all.last_mut() {
                line.width = 1.8;
                line.line = if pruned { Line::Solid } else { Line::None };
            }
            series.append(&mut all);
        }
        let y = Axis::new("compositional score").range(0.0, 1.0);
        panels.push(panel(spoken(target), Axis::new("links kept").log(), y, series));
    }
    let panels = some(panels, STUDY, "networks")?;
    let frame = Frame::new("Compositional score against the links kept")
        .subtitle(what(&record))
        .note("Means over the seeds that learned the picture, from the dense network over both levels; hollow: no seed learned it at that level. The other methods are in pruning-score.");
    Ok(PANELS.draw(frame, panels).into())
}

pub(super) fn against_loss(sources: &Sources) -> Result<Drawing, DrawError> {
    let record = sources.networks(STUDY)?;
    let mut panels = Vec::new();
    for target in record.targets() {
        let mut series = Vec::new();
        for arm in rivals(&record).into_iter().filter(|arm| *arm != "evolved") {
            let (label, colour, marker) = look(arm);
            let networks = record.rows.iter().filter(|r| r.target == target && r.arm == arm);
            let results: Vec<_> = networks.filter_map(|r| r.result.as_ref()).collect();
            let cloud = |name: &str, fit: bool| {
                let own = results.iter().filter(|r| r.fit == fit);
                let points = own.filter_map(|r| Some(Point::new(r.mse, r.score()?)));
                Series::cloud(name, colour, marker, points)
            };
            series.push(cloud("", false).hollow());
            series.push(cloud(&label, true));
        }
        let x = Axis::new("loss").unit("MSE").log();
        let y = Axis::new("compositional score").range(0.0, 1.0);
        panels.push(panel(spoken(target), x, y, series));
    }
    let panels = some(panels, STUDY, "networks")?;
    let stop = record.target_r2;
    let stop =
        stop.map_or(String::new(), |r2| format!(" Training ended at R² = {}.", fixed(r2, 2)));
    let frame = Frame::new("Compositional score against the loss")
        .subtitle(what(&record))
        .note(format!("One mark a network: every seed and both levels. Hollow: networks that did not learn their picture (R² < 0.95); their score does not count.{stop}"));
    Ok(PANELS.draw(frame, panels).into())
}

/// The networks of a target whose pictures were kept, in the order of arms.
fn kept(sources: &Sources, record: &NetworksRecord, target: &str) -> Vec<Pictured> {
    let all = arms(record).into_iter();
    all.filter_map(|(arm, level)| pictured(sources, STUDY, target, Networks::of(&arm, level)))
        .collect()
}

pub(super) fn maps(sources: &Sources) -> Result<Drawing, DrawError> {
    let record = sources.networks(STUDY)?;
    let title = "Maps of the units before and after pruning";
    pictures::maps(sources, &record, title, 4, &|target| {
        let mut all = kept(sources, &record, target);
        for one in &mut all {
            one.label = named(&one.arm, one.level);
        }
        all
    })
}

/// Targets on the sheet of pictures, and changed weights beside each network's picture.
const SHEET: (usize, usize) = (4, 3);

pub(super) fn sheets(sources: &Sources) -> Result<Drawing, DrawError> {
    let record = sources.networks(STUDY)?;
    let (most, changes) = SHEET;
    let networks = record.targets().into_iter().map(|t| (t, kept(sources, &record, t)));
    let targets: Vec<_> = networks.filter(|(_, kept)| !kept.is_empty()).take(most).collect();
    let wide = changes + 1;
    let mut rows = Vec::new();
    for (arm, level) in arms(&record) {
        let mut tiles = Vec::new();
        for (i, (_, kept)) in targets.iter().enumerate() {
            if let Some(one) = kept.iter().find(|one| one.arm == arm && one.level == level) {
                tiles.extend(sweep(sources, STUDY, &one.views, changes)?);
            }
            tiles.resize_with((i + 1) * wide, || None);
        }
        if tiles.iter().any(Option::is_some) {
            let (label, tone, _) = look(&arm);
            let sub = if level > 0 { format!("level {level}") } else { String::new() };
            rows.push(Row { label, sub, tone: Some(tone), tiles });
        }
    }
    let rows = some(rows, STUDY, "pictures of pruned networks (views)")?;
    let heads = targets.iter().enumerate().map(|(i, (t, _))| (i * wide, wide, spoken(t)));
    let svg = Board {
        title: "What pruned networks draw, and with one weight changed".into(),
        subtitle: what(&record),
        note: "Of each target: the network's own picture, then three with one weight changed. First seed.".into(),
        legend: verdicts(),
        heads: heads.collect(),
        blocks: vec![Block { heading: String::new(), rows }],
        pane: 44.0,
        apart: (1..targets.len()).map(|i| i * wide).collect(),
    }
    .draw();
    Ok(svg.into())
}
