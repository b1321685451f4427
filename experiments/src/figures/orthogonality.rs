//! How much the maps of a layer interfere, by arm.

use super::data::{
    Group as Networks, Value, differences, distinct, estimate, hollow, look, on_average, spoken,
    what,
};
use super::networks::levels;
use super::regime::CONTROLS;
use super::theory::{clouds, looks};
use super::{DrawError, Drawing, Sources, some};
use picloom::base::stats::mean;
use picloom::experiment::depth::Sweep;
use picloom::experiment::networks::record::NetworkResult;
use picloom::figures::axis::Axis;
use picloom::figures::charts::{Dots, Figure, Group, Panel};

const STUDY: &str = "pruning";

fn measured(result: &NetworkResult) -> Option<f64> {
    result.measures.interference.filter(|_| result.fit)
}

/// Whatever the fit.
fn any(result: &NetworkResult) -> Option<f64> {
    result.measures.interference
}

/// Interference of SP's networks and of its controls' less that of the dense parent by kept share, at the reference
/// depth of the regime map: what C9 is decided on.
pub(super) fn against_parent(sources: &Sources) -> Result<Drawing, DrawError> {
    const MAP: &str = "regime";
    let record = sources.networks(MAP)?;
    let has = |name: &&&str| record.rows.iter().any(|row| row.arm == **name);
    let controls = CONTROLS.iter().filter_map(|names| names.iter().find(has).copied());
    let arms: Vec<&str> = std::iter::once(Sweep::SP.arm).chain(controls).collect();
    let over_targets = |arm: &str, level: usize, value: Value| {
        differences(&record, &[(Networks::of(arm, level), Networks::of("dense", 0))], value)
    };
    let (mut groups, mut parts) = (Vec::new(), Vec::new());
    for (name, (_, level)) in levels(&record).into_iter().filter(|row| row.1.1 > 0) {
        let fit = |arm: &&str| estimate(&over_targets(arm, level, measured));
        let unfit = |arm: &&str| hollow(&over_targets(arm, level, any));
        let estimates = arms.iter().map(|arm| fit(arm).or_else(|| unfit(arm))).collect();
        groups.push(Group { name: name.clone(), estimates });
        let said = arms.iter().map(|arm| {
            on_average(&format!("{} − dense", look(arm).0), &over_targets(arm, level, measured))
        });
        parts.push(format!("{name}: {}", said.collect::<Vec<_>>().join(", ")));
    }
    let groups = some(groups, MAP, "networks pruned by SP")?;
    let figure = Figure::new("Does pruning make features more orthogonal?")
        .subtitle(what(&record))
        .note("Above 0: the maps of a layer are more alike than the dense parent's. Alive units, relays merged; pairs of one target and seed, at the reference depth, of which both learned the picture (R² ≥ 0.95). Marks: means over targets, rings targets, whiskers 95 % t-intervals over four targets or more; hollow: no pair learned it. The controls have as many links as SP's, other ones.")
        .sized(900, 440);
    let dots = Dots {
        value: Axis::new("interference − the parent's").include(0.0),
        category: "kept share of the links".into(),
        series: arms.iter().map(|arm| look(arm)).collect(),
        groups,
        ..Dots::default()
    };
    Ok(Drawing { svg: figure.draw(&[dots.panel()]), says: format!("{}.", parts.join("; ")) })
}

/// Interference of every layer of trained networks against the least that as many maps of their
/// rank can have (Welch's bound), and the excess over it target by target: each target has a depth of
/// its own here, so that depths cannot be compared but arms can.
pub(super) fn bounds(sources: &Sources) -> Result<Drawing, DrawError> {
    const ARMS: [&str; 4] = ["evolved", "dense", "sp", "sp-layer-counts"];
    let record = sources.networks(STUDY)?;
    let networks = || {
        let some = record.rows.iter().filter(|row| row.level < 2);
        some.filter(|row| ARMS.contains(&row.arm.as_str()))
            .filter_map(|row| Some((row, row.result.as_ref().filter(|r| r.fit)?)))
    };
    let layers: Vec<_> = networks()
        .flat_map(|(row, result)| result.measures.layers.iter().map(move |layer| (row, layer)))
        .filter(|(_, layer)| layer.maps > 1)
        .collect();
    let layers = some(layers, STUDY, "networks that learned their picture")?;
    let arms = looks(layers.iter().map(|(row, _)| row.arm.as_str()));
    let measured: Vec<(&str, f64, f64)> =
        layers.iter().map(|(row, l)| (row.arm.as_str(), l.welch, l.interference)).collect();
    // Mean over the layers of a network, then seeds as dots.
    let excess = |target: &str, arm: &str| -> Vec<f64> {
        let own = networks().filter(|(row, _)| row.target == target && row.arm == arm);
        let means = own.filter_map(|(_, result)| {
            let counted = result.measures.layers.iter().filter(|layer| layer.maps > 1);
            mean(&counted.map(|l| l.interference - l.welch).collect::<Vec<_>>()).ok()
        });
        means.collect()
    };
    let mut targets = distinct(layers.iter().map(|(row, _)| (row.layers, row.target.as_str())));
    targets.sort_unstable();
    let groups = targets.iter().map(|(depth, target)| Group {
        name: format!("{}, L {depth}", spoken(target)),
        estimates: arms.iter().map(|arm| estimate(&excess(target, arm.key))).collect(),
    });
    let below = layers.iter().filter(|(_, l)| l.interference < l.welch - 1e-9).count();
    let full = layers.iter().filter(|(_, l)| l.rank >= l.maps).count();
    let excess = Dots {
        title: "excess, target by target".into(),
        value: Axis::new("interference − bound"),
        series: Dots::arms(arms.iter().copied()),
        groups: groups.collect(),
        ..Dots::default()
    };
    let (x, y) = (Axis::new("Welch's bound"), Axis::new("interference"));
    let against = Panel::new("measured against bound", x, y, clouds(&arms, &measured));
    let svg = Figure::new("Interference of feature maps against Welch's bound")
            .subtitle("Mean squared cosine between the maps of a layer; n unit-norm maps of rank d cannot have less than (n − d)/(d(n − 1))")
            .note(format!(
                "{} layers, {full} of them of full rank, where the bound is 0; {below} below the bound. Right: mean over the layers of a network, then over seeds (rings). Low interference is not compositionality: raw orthogonality ranks networks wrongly on FER's own pictures.",
                layers.len()
            ))
            .multiples(2, 1000, 300)
            .draw(&[Panel { diagonal: true, ..against }, excess.panel()]);
    Ok(svg.into())
}
