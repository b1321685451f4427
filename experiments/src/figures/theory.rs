//! Figures of the theory, alone and beside trained networks.

use super::data::{distinct, estimate, sorted};
use super::{DrawError, Drawing, Sources, some};
use crate::claims::trained_points;

use crate::theory::TheoryRecord;
use crate::theory::findings::{
    TrainedPoint, agreement, counterpart, parts_sensitivity, prediction, standard_errors,
};
use crate::theory::record::{Curve, Peak, curves, meetings};
use crate::volume::VolumeError;
use crate::volume::literal::Reading;
use crate::volume::sensitivity::Volume;
use picloom::base::stats::mean;
use picloom::figures::axis::Axis;
use picloom::figures::charts::{Figure, Panel, Point, Rule, Series, Spread};
use picloom::figures::style::{self, Arm, Colour, Marker, PALETTE, number};
use std::collections::BTreeSet;

/// The `i`th of `n` ordered tones, light to dark, told apart by brightness alone.
pub(crate) fn tone(i: usize, n: usize) -> Colour {
    let t = i as f64 / (n.max(2) - 1) as f64;
    let stops =
        [Colour(246, 190, 80), Colour(226, 105, 80), Colour(150, 45, 115), Colour(45, 20, 85)];
    let at = t * (stops.len() - 1) as f64;
    let k = (at as usize).min(stops.len() - 2);
    stops[k].mix(stops[k + 1], at - k as f64)
}

/// A curve over depth with its interval band, and its peak as a diamond.
fn drawn((_, values): Curve<'_>, name: String, colour: Colour) -> Vec<Series> {
    let Some(values) = values else {
        return Vec::new();
    };
    let at = |i: usize| values.depths[i] as f64;
    let sampled = values.samples.iter().any(|s| *s > 0);
    let points = (0..values.depths.len()).map(|i| {
        let point = Point::new(at(i), values.value[i].unwrap_or(f64::NAN));
        // A point without a hit has no place on a log axis: neither has its band.
        let y_interval = values.low[i].zip(values.high[i]).filter(|_| sampled && point.y > 0.0);
        Point { y_interval, ..point }
    });
    let line = Series::line(name, colour, []).banded();
    let mut series = vec![Series { points: points.collect(), ..line }];
    if let Some(peak) = Peak::of(values) {
        let point = Point::new(peak.layers as f64, peak.value);
        series.push(Series::cloud("", colour, Marker::Diamond, [point]));
    }
    series
}

fn by_layers(title: impl Into<String>, y: Axis, series: Vec<Series>) -> Panel {
    Panel::new(title, Axis::new("hidden layers L").whole(), y, series)
}

/// Masks a sampled point of these curves has, for the note.
fn samples<'a>(rows: impl Iterator<Item = Curve<'a>>) -> usize {
    rows.filter_map(|row| row.1?.samples.iter().max()).max().copied().unwrap_or(0)
}

pub(super) fn volume_ratio(record: &TheoryRecord) -> String {
    let of = |group: &'static str| curves(record).filter(move |row| row.0.group == group);
    let widths = sorted(of("literal").chain(of("random-mask")).map(|row| row.0.width));
    let colour = |width: usize| {
        let at = widths.iter().position(|w| *w == width).unwrap_or(0);
        tone(at, widths.len())
    };
    let all = |rows: Vec<Curve<'_>>| -> Vec<Series> {
        rows.into_iter()
            .flat_map(|row| drawn(row, format!("W {}", row.0.width), colour(row.0.width)))
            .collect()
    };
    let needed: Vec<f64> = of("literal")
        .filter_map(|row| match row.0.volume {
            Volume::Literal { needed, .. } => Some(needed),
            _ => None,
        })
        .collect();
    // The middle one of the needed depths.
    let middle = {
        let mut sorted = needed.clone();
        sorted.sort_by(f64::total_cmp);
        sorted.dedup();
        sorted.get(sorted.len() / 2).copied().unwrap_or(0.0)
    };
    let literal = |reading: Reading| {
        let volume = Volume::Literal { reading, needed: middle };
        all(of("literal").filter(|row| row.0.volume == volume).collect())
    };
    let parts = of("literal").map(|row| row.0.parts).next().unwrap_or(3);
    let of_parts = |row: &Curve<'_>| row.0.parts == parts && widths.contains(&row.0.width);
    let budget: Vec<Curve<'_>> = of("budget").filter(of_parts).collect();
    let edges = budget.first().and_then(|row| match row.0.volume {
        Volume::Budget { edges } => Some(edges),
        _ => None,
    });
    let degree = of("random-mask").find_map(|row| match row.0.volume {
        Volume::ModularDegree { degree } => Some(degree),
        _ => None,
    });
    let rare = || Axis::new("volume ratio").log().range(1e-5, 1.3);
    let mut panels = vec![
        by_layers(
            format!("a  C(W, P)/C(WL, P) × gate at D = {middle}"),
            Axis::new("volume ratio").log(),
            literal(Reading::Choices),
        ),
        by_layers(
            format!("b  P different units a layer × gate, D = {middle}"),
            Axis::new("volume ratio").include(0.0),
            literal(Reading::Distinct),
        ),
        by_layers(
            format!("c  random mask, mean in-degree {}", degree.unwrap_or(0.0)),
            rare(),
            all(of("random-mask").collect()),
        ),
    ];
    if let Some(edges) = edges {
        panels.push(by_layers(
            format!("d  exactly {edges} edges in the network"),
            rare(),
            all(budget),
        ));
    }
    Figure::new(format!(
            "How many networks can be compositional: volume ratio by depth, P = {parts}"
        ))
        .subtitle("The paper's caption gives only C(W, P)/Total; these are four readings of it (ours). Diamonds: best depth.")
        .note(format!(
            "a, b: exact; b is (W(W − 1)…(W − P + 1)/W^P)^L. The gate σ((L − D)/0.5) is a picture that needs D layers: without it both only fall. c: exact for W ≤ 6, else {} masks a point. d: {} networks a point; missing where the edges do not fit or no network had the parts. Bands: 95 % intervals, mostly narrower than the lines.",
            number(samples(of("random-mask")) as f64, 6),
            number(samples(of("budget")) as f64, 6)
        ))
        .multiples(2, 1000, 305)
        .draw(&panels)
}

pub(super) fn volume_ratio_by_parts(record: &TheoryRecord) -> String {
    let of = || curves(record).filter(|row| row.0.group == "parts");
    let names = distinct(of().map(|row| row.0.name.as_str()));
    let parts = sorted(of().map(|row| row.0.parts));
    let mut gate = 0.0;
    let panels: Vec<Panel> = names
        .iter()
        .map(|name| {
            let series = of()
                .filter(|row| row.0.name == *name)
                .flat_map(|row| {
                    if let Volume::Literal { needed, .. } = row.0.volume {
                        gate = needed;
                    }
                    let at = parts.iter().position(|k| *k == row.0.parts).unwrap_or(0);
                    drawn(row, format!("P {}", row.0.parts), tone(at, parts.len()))
                })
                .collect();
            let ticks = [1, 3, 5, 7, 9].map(|l| (f64::from(l), l.to_string()));
            let x = Axis::new("hidden layers L").named(ticks);
            Panel::new(*name, x, Axis::new("volume ratio").log().range(1e-7, 1.2), series)
        })
        .collect();
    let drawn = of().filter_map(|row| row.1).flat_map(|v| v.samples.iter());
    let fewest = drawn.filter(|n| **n > 0).min().copied().unwrap_or(0);
    let found = parts_sensitivity(record);
    let finding = found.interval.map_or(String::new(), |i| {
        format!(
            " Where the best depth lies inside the range it moves by {} layers for each part more ({} volumes): {}.",
            style::interval(i.estimate, i.low, i.high, 2),
            found.units,
            if i.holds(0.0) { "no clear shift" } else { "a shift" }
        )
    });
    let figure = Figure::new("Volume ratio by the number of parts P")
        .subtitle("Diamonds: best depth of each P. Values below 10⁻⁷, and sampled points without a hit, are left out.")
        .note(format!(
            "choices, distinct: the literal readings times the gate at D = {gate}, exact. Random mask: mean in-degree 1.5. Edges: exactly that many in the whole network. Sampled points have {} draws; {}bands: 95 % intervals.{finding}",
            number(fewest as f64, 6),
            match samples(of()) {
                most if most == fewest => String::new(),
                most => format!("of four parts in a budget {}; ", number(most as f64, 6)),
            }
        ));
    figure.multiples(4, 1240, 265).shared(true, true).draw(&panels)
}

pub(super) fn fixed_budget(record: &TheoryRecord) -> String {
    let rows: Vec<(Curve<'_>, usize)> = curves(record)
        .filter(|row| row.0.group == "budget" && row.0.parts == 2)
        .filter_map(|row| match row.0.volume {
            Volume::Budget { edges } => Some((row, edges)),
            _ => None,
        })
        .collect();
    let most = |values: Vec<usize>| -> Option<usize> {
        let count = |v: usize| values.iter().filter(|x| **x == v).count();
        values.iter().copied().max_by_key(|v| count(*v))
    };
    let width = most(rows.iter().map(|r| r.0.0.width).collect()).unwrap_or(8);
    let edges = most(rows.iter().map(|r| r.1).collect()).unwrap_or(60);
    let tones = |rows: Vec<(Curve<'_>, usize)>, by_width: bool| -> Vec<Series> {
        let mut rows = rows;
        rows.sort_by_key(|r| if by_width { r.0.0.width } else { r.1 });
        let n = rows.len();
        rows.iter()
            .enumerate()
            .flat_map(|(i, (row, edges))| {
                let name =
                    if by_width { format!("W {}", row.0.width) } else { format!("K {edges}") };
                let mut series = drawn(*row, name, tone(i, n));
                // The case that METHODS names.
                if row.0.width == 8 && *edges == 60 {
                    series[0].width = 4.5;
                }
                series
            })
            .collect()
    };
    let at_width = rows.iter().copied().filter(|r| r.0.0.width == width).collect();
    let at_edges = rows.iter().copied().filter(|r| r.1 == edges).collect();
    let chance = || Axis::new("probability").log().range(1e-5, 1.3);
    let samples = samples(rows.iter().map(|r| r.0));
    let main = rows.iter().find(|r| r.0.0.width == 8 && r.1 == 60);
    let peak = main.and_then(|r| Peak::of(r.0.1?));
    let said = peak.map_or(String::new(), |p| {
        format!(" W 8, K 60 peaks at L = {} ({}).", p.layers, number(p.value, 3))
    });
    Figure::new("A fixed number of edges: how deep should the network be?")
            .subtitle("Chance that K random edges drive all outputs and leave at least 2 separate parts through all hidden layers. Diamonds: best depth.")
            .note(format!(
                "W units a layer, K edges over the whole network (4 inputs, 3 outputs), dead ends removed. {} networks a point; bands: 95 % intervals (Wilson). Points without a hit are left out. One hidden layer holds separate parts trivially (its units), so where it can hold all edges it is best.{said}",
                number(samples as f64, 6)
            ))
            .multiples(2, 1000, 305)
            .draw(&[
            by_layers(format!("W = {width}, more or fewer edges"), chance(), tones(at_width, false)),
            by_layers(format!("K = {edges}, wider or narrower"), chance(), tones(at_edges, true)),
        ])
}

/// Label, colour, marker of the two estimators.
const ESTIMATORS: [(&str, Colour, Marker); 2] =
    [("direct", PALETTE[0], Marker::Circle), ("Karp–Luby", PALETTE[1], Marker::Triangle)];

pub(super) fn monte_carlo_agreement(record: &TheoryRecord) -> String {
    let mut values = [Vec::new(), Vec::new()];
    let mut errors = [Vec::new(), Vec::new()];
    let mut missed = 0;
    let mut samples = 0;
    for (_, v) in meetings(record) {
        let Some(exact) = v.exact.filter(|e| *e > 0.0 && *e < 1.0 - 1e-12) else {
            continue;
        };
        for (i, estimate) in [v.direct, v.karp_luby].into_iter().enumerate() {
            let found = estimate.probability;
            samples = samples.max(estimate.samples);
            if found.estimate <= 0.0 {
                missed += 1;
                continue;
            }
            let low = found.low.max(found.estimate * 1e-3);
            values[i].push(Point::new(exact, found.estimate).between(low, found.high));
            errors[i].push(Point::new(exact, standard_errors(&estimate, exact)));
        }
    }
    let series = |points: [Vec<Point>; 2]| -> Vec<Series> {
        ESTIMATORS
            .iter()
            .zip(points)
            .map(|((name, colour, marker), points)| Series::cloud(*name, *colour, *marker, points))
            .collect()
    };
    let found = agreement(record);
    let said = found.interval.map_or(String::new(), |i| {
        format!(
            " {} of all {} intervals hold the exact value [{}, {}].",
            style::percent(i.estimate, 1),
            found.units,
            style::percent(i.low, 1),
            style::percent(i.high, 1)
        )
    });
    let exact = || Axis::new("exact Pr").log();
    let estimated = Axis::new("estimated Pr").log();
    let distance = Axis::new("estimate − exact (standard errors)");
    Figure::new("Random masks: theory against Monte Carlo")
            .subtitle("Probability that a random mask has a P-modular labelling; every point is one (W, L, P, p)")
            .note(format!(
                "W 2–6, L 2–9, P 2–3, p 0.15–0.5; {} masks an estimate; whiskers: 95 % intervals.{said} {missed} direct estimates without a single hit are not shown; Karp and Luby's estimator reaches them.",
                number(samples as f64, 6)
            ))
            .multiples(2, 1000, 325)
            .draw(&[
                Panel {
                    diagonal: true,
                    ..Panel::new("estimate against exact value", exact(), estimated, series(values))
                },
                Panel {
                    y_rules: [1.96, 0.0, -1.96].map(|at| Rule::new(at, "")).to_vec(),
                    ..Panel::new("distance in standard errors", exact(), distance, series(errors))
                },
            ])
}

/// The arms that occur, in their fixed order; those without a style are left out.
pub(super) fn looks<'a>(keys: impl Iterator<Item = &'a str>) -> Vec<&'static Arm> {
    let keys: BTreeSet<&str> = keys.collect();
    style::arms().filter(|arm| keys.contains(arm.key)).collect()
}

/// Clouds of (arm, x, y), one an arm.
pub(super) fn clouds(arms: &[&Arm], points: &[(&str, f64, f64)]) -> Vec<Series> {
    let cloud = |arm: &&Arm| {
        let own = points.iter().filter(|p| p.0 == arm.key).map(|p| Point::new(p.1, p.2));
        Series::cloud(arm.label, arm.colour, arm.marker, own)
    };
    arms.iter().map(cloud).collect()
}

/// Mean and 95 % interval of (arm, depth, value) by depth, one marked line an arm.
fn by_depth(arms: &[&Arm], points: &[(&str, f64, f64)]) -> Vec<Series> {
    let line = |arm: &&Arm| {
        let own: Vec<_> = points.iter().filter(|p| p.0 == arm.key).collect();
        let depths = sorted(own.iter().map(|p| p.1 as i64)).into_iter().map(|depth| depth as f64);
        let estimates = depths.filter_map(|depth| {
            let values: Vec<f64> = own.iter().filter(|p| p.1 == depth).map(|p| p.2).collect();
            Some((depth, estimate(&values)?))
        });
        Series::course((arm.label.into(), arm.colour, arm.marker), estimates, Spread::Whiskers)
    };
    arms.iter().map(line).collect()
}

/// Parts P of the trained counterpart: the paper's caption's.
const PARTS: usize = 3;

/// A value of a trained network.
pub(crate) struct Seen<'a> {
    /// Its picture.
    pub target: &'a str,
    /// Its arm.
    pub arm: &'a str,
    /// Layers more than the target's reference.
    pub offset: f64,
    /// The value.
    pub value: f64,
}

/// (arm, offset, value), a point a target and depth with its seeds averaged; if `centred`, less the mean of
/// all depths of that target and arm: what a picture is like drops out, and only its depths are compared.
pub(crate) fn within_targets<'a>(all: &[Seen<'a>], centred: bool) -> Vec<(&'a str, f64, f64)> {
    let mut found = Vec::new();
    for (target, arm) in distinct(all.iter().map(|one| (one.target, one.arm))) {
        let own = || all.iter().filter(move |one| (one.target, one.arm) == (target, arm));
        let depths: Vec<(f64, f64)> = sorted(own().map(|one| one.offset as i64))
            .into_iter()
            .filter_map(|offset| {
                let here = own().filter(|one| one.offset as i64 == offset);
                let values: Vec<f64> = here.map(|one| one.value).collect();
                Some((offset as f64, mean(&values).ok()?))
            })
            .collect();
        let mean = depths.iter().map(|d| d.1).sum::<f64>() / depths.len() as f64;
        let middle = if centred { mean } else { 0.0 };
        found.extend(depths.into_iter().map(|(offset, value)| (arm, offset, value - middle)));
    }
    found
}

/// Trained networks of the depth study beside the theory: what a random mask of their width, depth
/// and density could be expected to hold (log₁₀ E\[N\]), how many separate parts they have, and
/// how they score.
pub(super) fn trained_counterpart(sources: &Sources) -> Result<Drawing, DrawError> {
    let record = sources.networks("depth")?;
    let points = some(trained_points(&record), "depth", "networks that learned their picture")?;
    let reference = |target: &str| {
        let row = record.rows.iter().find(|row| row.target == target);
        row.map_or(0, |row| row.layers as i64 - row.offset)
    };
    let drawn = counterpart_of(&points, &reference);
    drawn.map(Drawing::from).map_err(|e| DrawError::Unreadable(e.to_string()))
}

fn counterpart_of(
    points: &[TrainedPoint],
    reference: &dyn Fn(&str) -> i64,
) -> Result<String, VolumeError> {
    let arms = looks(points.iter().map(|p| p.arm.as_str()));
    fn seen<'a>(p: &'a TrainedPoint, reference: i64, value: f64) -> Seen<'a> {
        let offset = (p.layers as i64 - reference) as f64;
        Seen { target: &p.target, arm: &p.arm, offset, value }
    }
    let (mut expected, mut scored) = (Vec::new(), Vec::new());
    for point in points {
        let at = reference(&point.target);
        if let Some(ln) = counterpart(point.width, point.layers, point.density, PARTS)? {
            expected.push(seen(point, at, ln / std::f64::consts::LN_10));
            scored.push(seen(point, at, point.score));
        }
    }
    let of = |value: &dyn Fn(&TrainedPoint) -> f64, centred: bool| -> Vec<(&str, f64, f64)> {
        let all: Vec<Seen<'_>> =
            points.iter().map(|p| seen(p, reference(&p.target), value(p))).collect();
        within_targets(&all, centred)
    };
    let theory = || Axis::new(format!("log₁₀ E[N], P = {PARTS} (centred)"));
    let score = || Axis::new("compositional score (centred)");
    let parts = Axis::new("components through all layers").include(0.0);
    let (expected, scored) = (within_targets(&expected, true), within_targets(&scored, true));
    // The same networks in the same order.
    let both: Vec<(&str, f64, f64)> =
        expected.iter().zip(&scored).map(|(e, s)| (e.0, e.2, s.2)).collect();
    let found = prediction(points, PARTS)?;
    let depth = || Axis::new("depth (layers from the reference)").signed();
    let course = |points: &[(&str, f64, f64)]| by_depth(&arms, points);
    Ok(Figure::new("Does the volume of modular networks say how trained ones score?")
            .subtitle("Theory: expected number of P-modular labellings of a random mask of the same width, depth and density")
            .note(format!(
                "Depths are compared within targets. Centred: seeds are averaged, and each value is taken less the mean of its target and arm over all depths, since not every picture was learned at every depth. One mark at the lower right is a target at a depth. Whiskers: 95 % intervals over four targets or more (Student). Networks whose density leaves nothing to chance (dense, one layer) have no E[N]. {}.",
                found.text().replace(" -", " −").replace("[-", "[−")
            ))
            .multiples(2, 1000, 290)
            .draw(&[
            Panel::new("theory by depth", depth(), theory(), course(&expected)),
            Panel::new("score by depth", depth(), score(), course(&of(&|p| p.score, true))),
            Panel::new("separate parts by depth", depth(), parts, course(&of(&|p| p.spanning as f64, false))),
            Panel::new("score against theory", theory(), score(), clouds(&arms, &both)),
        ]))
}
