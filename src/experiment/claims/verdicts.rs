//! How each claim is decided. The rules in words are in `experiments/study.toml`.

use super::BASE;
use super::effects::{Effect, Group, all_above, fit_score};
use super::ledger::{Records, StudySpec};
use crate::experiment::depth::{DepthModel, DepthPoint, Sweep, depth_curves};
use crate::experiment::networks::record::{NetworkResult, NetworksRecord};
use crate::experiment::newton_schulz::{Finding, newton_schulz};
use crate::experiment::structural_findings;
use crate::experiment::theory::findings::{
    self as theory, TrainedPoint, Verdict, agreement, parts_sensitivity, prediction,
};
use crate::math::stats::mean;

/// What was found on a claim.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// What is measured.
    pub statistic: String,
    /// The effects the rule is applied to.
    pub effects: Vec<Effect>,
    /// What else might explain them.
    pub controls: Vec<Effect>,
    /// The rule applied.
    pub verdict: Finding,
    /// What a reader must know.
    pub notes: Vec<String>,
    /// Least number of seeds over targets.
    pub seeds: Option<usize>,
    /// Records it was read from.
    pub records: Vec<String>,
}

/// Decides one claim.
pub type Decide = fn(&Records, &StudySpec) -> Outcome;

/// Every claim, in order.
pub const CLAIMS: &[(&str, Decide)] = &[
    ("C1", evolved_over_dense),
    ("C2", evolved_wiring_between),
    ("C3", sp_over_others),
    ("C4", which_links),
    ("C5", depth_peak),
    ("C6", depth_predicted),
    ("C7", out_of_domain),
    ("C8", volume),
    ("C9", orthogonality),
    ("C10", parts),
    ("C11", optimizer),
    ("C12", raw_graph),
    ("C13", ablatable),
    ("C14", decodable),
    ("C15", survives_controls),
];

/// A claim whose record is not there.
fn no_record(part: &str) -> Outcome {
    Outcome {
        statistic: "none".into(),
        effects: Vec::new(),
        controls: Vec::new(),
        verdict: Finding::Inconclusive,
        notes: vec![format!("no record of {part}: it has not been run")],
        seeds: None,
        records: Vec::new(),
    }
}

fn path(part: &str) -> Vec<String> {
    vec![format!("{part}/record.json")]
}

fn seeds(record: &NetworksRecord) -> Option<usize> {
    let seeds: std::collections::BTreeSet<_> = record.rows.iter().filter_map(|r| r.seed).collect();
    (!seeds.is_empty()).then_some(seeds.len())
}

fn circumstances(record: &NetworksRecord) -> Vec<String> {
    let mut notes = vec![format!(
        "profile {}, {}², {} steps, judge {}",
        record.profile, record.size, record.steps, record.judge
    )];
    if !record.left_out.is_empty() {
        notes.push(format!(
            "left out, no archive: {}",
            record.left_out.join(", ")
        ));
    }
    if record.predicted == Some(false) {
        notes.push(
            "no depth was predicted: no network of the depth study learned its picture".into(),
        );
    }
    let failed = record.rows.iter().filter(|r| r.result.is_none()).count();
    if failed > 0 {
        notes.push(format!("{failed} of {} networks failed", record.rows.len()));
    }
    let collapsed: usize = record
        .rows
        .iter()
        .filter_map(|r| r.result.as_ref()?.train.as_ref())
        .filter(|t| t.collapses > 0)
        .count();
    if collapsed > 0 {
        notes.push(format!("{collapsed} networks collapsed and began again"));
    }
    notes
}

/// Share of fit networks of an arm, for notes.
fn fit_share(record: &NetworksRecord, group: Group<'_>) -> String {
    let rows = record.rows.iter().filter(|r| {
        (r.arm.as_str(), r.level, r.offset, r.variant.as_str())
            == (group.arm, group.level, group.offset, group.variant)
    });
    let fits: Vec<bool> = rows
        .map(|r| r.result.as_ref().is_some_and(|x| x.fit))
        .collect();
    let fit = fits.iter().filter(|f| **f).count();
    format!("{fit} of {}", fits.len())
}

fn evolved_over_dense(records: &Records, spec: &StudySpec) -> Outcome {
    let Some(record) = &records.wirings else {
        return no_record("wirings");
    };
    let pair = [(Group::of("evolved", 0), Group::of("dense", 0))];
    let effects = vec![Effect::paired("evolved − dense", record, &pair, fit_score)];
    let rough = Effect::paired(
        "roughness, dense − evolved",
        record,
        &[(pair[0].1, pair[0].0)],
        |r| r.measures.roughness,
    );
    let mut notes = circumstances(record);
    notes.push(format!("fit: dense {}", fit_share(record, pair[0].1)));
    Outcome {
        statistic: "difference of compositional scores, paired by target; dense networks that learned their picture".into(),
        verdict: all_above(&effects, spec.margin),
        effects,
        controls: vec![rough],
        notes,
        seeds: seeds(record),
        records: path("wirings"),
    }
}

fn evolved_wiring_between(records: &Records, spec: &StudySpec) -> Outcome {
    let Some(record) = &records.wirings else {
        return no_record("wirings");
    };
    let [evolved, dense, graph, layerized] =
        ["evolved", "dense", "graph", "layerized"].map(|arm| Group::of(arm, 0));
    let effects = vec![
        Effect::paired(
            "evolved − layerized",
            record,
            &[(evolved, layerized)],
            fit_score,
        ),
        Effect::paired(
            "layerized − dense",
            record,
            &[(layerized, dense)],
            fit_score,
        ),
    ];
    let controls = vec![
        Effect::paired("evolved − graph", record, &[(evolved, graph)], fit_score),
        Effect::paired("graph − dense", record, &[(graph, dense)], fit_score),
    ];
    let mut notes = circumstances(record);
    notes.push(format!(
        "fit: layerized {}, graph {}",
        fit_share(record, layerized),
        fit_share(record, graph)
    ));
    Outcome {
        statistic:
            "two differences of compositional scores, paired by target and seed, fit networks only"
                .into(),
        verdict: all_above(&effects, spec.margin),
        effects,
        controls,
        notes,
        seeds: seeds(record),
        records: path("wirings"),
    }
}

/// SP − rival over both levels of pruning.
fn sp_minus(record: &NetworksRecord, rival: &str) -> Effect {
    let pairs = [1, 2].map(|level| (Group::of("sp", level), Group::of(rival, level)));
    Effect::paired(format!("sp − {rival}"), record, &pairs, fit_score)
}

fn sp_over_others(records: &Records, spec: &StudySpec) -> Outcome {
    let Some(record) = &records.pruning else {
        return no_record("pruning");
    };
    let rivals = ["imp", "wanda", "taylor", "magnitude", "random"];
    let effects: Vec<Effect> = rivals.iter().map(|r| sp_minus(record, r)).collect();
    let others = [
        "sp-signed",
        "sp-mrmr",
        "sp-merge",
        "sparse-training",
        "swarm",
    ];
    let controls = others.iter().map(|r| sp_minus(record, r)).collect();
    let mut notes = circumstances(record);
    for arm in ["sp"].iter().chain(&rivals) {
        let [one, two] = [1, 2].map(|level| fit_share(record, Group::of(arm, level)));
        notes.push(format!(
            "fit: {arm} {one} at the first level, {two} at the second"
        ));
    }
    Outcome {
        statistic: "difference of compositional scores at equal count, paired by target, seed and level, both networks fit".into(),
        verdict: all_above(&effects, spec.margin),
        effects,
        controls,
        notes,
        seeds: seeds(record),
        records: path("pruning"),
    }
}

fn which_links(records: &Records, spec: &StudySpec) -> Outcome {
    let Some(record) = &records.pruning else {
        return no_record("pruning");
    };
    let effects = vec![sp_minus(record, "sp-layer-counts")];
    let others = ["sp-inverted", "sp-permuted", "sp-untrained", "random"];
    let controls = others.iter().map(|r| sp_minus(record, r)).collect();
    let mut notes = circumstances(record);
    for arm in [
        "sp-layer-counts",
        "sp-inverted",
        "sp-permuted",
        "sp-untrained",
    ] {
        let [one, two] = [1, 2].map(|level| fit_share(record, Group::of(arm, level)));
        notes.push(format!(
            "fit: {arm} {one} at the first level, {two} at the second"
        ));
    }
    Outcome {
        statistic: "score of SP less that of random links with SP's count in every layer, paired by target, seed and level, both fit".into(),
        verdict: all_above(&effects, spec.margin),
        effects,
        controls,
        notes,
        seeds: seeds(record),
        records: path("pruning"),
    }
}

/// Scores of one seed by layers, fit networks only: (layers, score).
fn by_seed(
    record: &NetworksRecord,
    target: &str,
    sweep: Sweep<'_>,
) -> Vec<(u64, Vec<(usize, f64)>)> {
    let mut found: Vec<(u64, Vec<(usize, f64)>)> = Vec::new();
    for row in &record.rows {
        let of = row.target == target
            && row.arm == sweep.arm
            && row.level == sweep.level
            && row.variant == sweep.variant;
        let (true, Some(seed)) = (of, row.seed) else {
            continue;
        };
        let Some(score) = row.result.as_ref().and_then(|r| fit_score(r)) else {
            continue;
        };
        match found.iter_mut().find(|f| f.0 == seed) {
            Some(one) => one.1.push((row.layers, score)),
            None => found.push((seed, vec![(row.layers, score)])),
        }
    }
    found
}

/// The best depth of every seed but one, tried on that one: (its layers, its scores).
fn held_out(seeds: &[(u64, Vec<(usize, f64)>)]) -> Vec<(usize, &Vec<(usize, f64)>)> {
    let mut found = Vec::new();
    for (k, (_, scores)) in seeds.iter().enumerate() {
        let mut points: Vec<DepthPoint> = Vec::new();
        for (_, other) in seeds
            .iter()
            .enumerate()
            .filter(|(i, _)| *i != k)
            .map(|(_, s)| s)
        {
            for &(layers, score) in other {
                match points.iter_mut().find(|p| p.layers == layers) {
                    Some(p) => p.scores.push(score),
                    None => points.push(DepthPoint {
                        offset: 0,
                        layers,
                        scores: vec![score],
                        unfit: 0,
                        all: vec![score],
                    }),
                }
            }
        }
        let best = points.iter().max_by(|a, b| {
            let m = |p: &DepthPoint| mean(&p.scores).unwrap_or(0.0);
            m(a).total_cmp(&m(b)).then(b.layers.cmp(&a.layers))
        });
        if let Some(best) = best {
            found.push((best.layers, scores));
        }
    }
    found
}

fn at(scores: &[(usize, f64)], layers: usize) -> Option<f64> {
    scores.iter().find(|s| s.0 == layers).map(|s| s.1)
}

/// Score at the depth that is best on the other seeds less that at the shallowest and at the
/// deepest fit depth, on the seed left out.
fn peak(record: &NetworksRecord, sweep: Sweep<'_>, deepest: bool) -> Effect {
    let values = record.targets().into_iter().map(|target| {
        let seeds = by_seed(record, target, sweep);
        let differences = held_out(&seeds).into_iter().filter_map(|(best, scores)| {
            let layers = scores.iter().map(|s| s.0);
            let end = if deepest { layers.max() } else { layers.min() }?;
            Some(at(scores, best)? - at(scores, end)?)
        });
        (target.to_string(), differences.collect())
    });
    let end = if deepest { "deepest" } else { "shallowest" };
    let name = format!("{}: best − {end} depth", sweep.arm);
    Effect::of(name, values.collect())
}

/// Score at a target's own best depth (from its other seeds) less that at the depth best for the
/// other targets, on the seed left out.
fn specific(record: &NetworksRecord, sweep: Sweep<'_>) -> Effect {
    let curves = depth_curves(record, sweep);
    let values = record.targets().into_iter().map(|target| {
        let others: Vec<f64> = curves
            .iter()
            .filter(|c| c.target != target)
            .filter_map(|c| c.best.map(|b| b as f64))
            .collect();
        let common = crate::math::stats::median(&others).ok();
        let seeds = by_seed(record, target, sweep);
        let differences = held_out(&seeds).into_iter().filter_map(|(best, scores)| {
            // The depth of the others, or the nearest that this target was tried at.
            let near = scores.iter().min_by(|a, b| {
                let gap = |s: &(usize, f64)| (s.0 as f64 - common.unwrap_or(0.0)).abs();
                gap(a).total_cmp(&gap(b))
            })?;
            common?;
            Some(at(scores, best)? - near.1)
        });
        (target.to_string(), differences.collect())
    });
    let name = format!("{}: own best depth − that of the others", sweep.arm);
    Effect::of(name, values.collect())
}

fn depth_peak(records: &Records, spec: &StudySpec) -> Outcome {
    let Some(record) = &records.depth else {
        return no_record("depth");
    };
    let effects = vec![
        peak(record, Sweep::SP, false),
        peak(record, Sweep::SP, true),
        specific(record, Sweep::SP),
    ];
    let controls = vec![
        peak(record, Sweep::DENSE, false),
        peak(record, Sweep::DENSE, true),
        specific(record, Sweep::DENSE),
    ];
    let mut notes = circumstances(record);
    for (name, sweep) in [("sp", Sweep::SP), ("dense", Sweep::DENSE)] {
        let depths: Vec<String> = depth_curves(record, sweep)
            .iter()
            .map(|c| match (c.best, c.chosen) {
                (Some(b), Some(l)) => {
                    let edge = if c.at_edge() {
                        ", at an end of the sweep"
                    } else {
                        ""
                    };
                    format!("{} {l} (argmax {b}{edge})", c.target)
                }
                _ => format!("{}: no depth counts", c.target),
            })
            .collect();
        notes.push(format!(
            "optimal depth, one-standard-error rule, {name}: {}",
            depths.join("; ")
        ));
    }
    Outcome {
        statistic: "score at the depth that is best on the other seeds, on the seed left out: against both ends of the sweep, and against the depth best for the other targets".into(),
        verdict: all_above(&effects, spec.margin),
        effects,
        controls,
        notes,
        seeds: seeds(record),
        records: path("depth"),
    }
}

fn depth_predicted(records: &Records, _: &StudySpec) -> Outcome {
    let Some(record) = &records.depth else {
        return no_record("depth");
    };
    let mut notes = circumstances(record);
    let Ok(model) = DepthModel::of_record(record) else {
        notes.push("no depth whose networks learned their picture".into());
        return Outcome {
            notes,
            records: path("depth"),
            ..no_record("depth")
        };
    };
    let slope = Effect {
        name: "slope of depth on ln(PNG bytes / raw bytes), Theil–Sen".into(),
        estimate: Some(model.b1),
        low: model.b1_interval.map(|i| i.0),
        high: model.b1_interval.map(|i| i.1),
        targets: Vec::new(),
        without: Vec::new(),
    };
    let p = model.spearman.map(|s| s.p);
    if let (Some(error), Some(median)) = (model.error, model.median_error) {
        notes.push(format!(
            "leave-one-target-out error {error:.2} layers, predicting the median {median:.2}"
        ));
    }
    if let Some(s) = model.spearman {
        let exact = if s.exact { "exact " } else { "" };
        notes.push(format!(
            "Spearman's ρ {:.2}, {exact}p {:.3}",
            s.statistic, s.p
        ));
    }
    let fitted: Vec<String> = model
        .fitted
        .iter()
        .map(|(t, c, l)| format!("{t} c = {c:.3}, L = {l}"))
        .collect();
    notes.push(format!("fitted to: {}", fitted.join("; ")));
    let verdict = match (model.error, model.median_error, p) {
        (Some(error), Some(median), Some(p)) if error < median && p < 0.05 => Finding::Supported,
        (Some(error), Some(median), _) if error >= median => Finding::NotSupported,
        _ => Finding::Inconclusive,
    };
    Outcome {
        statistic: "leave-one-target-out error of the predicted depth against predicting the median; Spearman's ρ of ratio and depth with permutation p".into(),
        effects: vec![slope],
        controls: Vec::new(),
        verdict,
        notes,
        seeds: seeds(record),
        records: path("depth"),
    }
}

fn out_of_domain(records: &Records, spec: &StudySpec) -> Outcome {
    let Some(record) = &records.out_of_domain else {
        return no_record("out_of_domain");
    };
    let offset = |arm, level, offset| Group {
        offset,
        ..Group::of(arm, level)
    };
    let (sp, dense) = (Group::of("sp", 1), Group::of("dense", 0));
    let ends = [(sp, offset("sp", 1, -3)), (sp, offset("sp", 1, 3))];
    let effects = vec![
        Effect::paired(
            "sp − dense, at the predicted depth",
            record,
            &[(sp, dense)],
            fit_score,
        ),
        Effect::paired(
            "sp at the predicted depth − at ± 3 layers",
            record,
            &ends,
            fit_score,
        ),
    ];
    let random = (sp, Group::of("sp-layer-counts", 1));
    let controls = vec![Effect::paired(
        "sp − random links with its counts",
        record,
        &[random],
        fit_score,
    )];
    let mut notes = circumstances(record);
    notes.push(format!(
        "fit at the predicted depth: dense {}, sp {}",
        fit_share(record, dense),
        fit_share(record, sp)
    ));
    Outcome {
        statistic:
            "differences of compositional scores on drawings, paired by target and seed, both fit"
                .into(),
        verdict: all_above(&effects, spec.margin),
        effects,
        controls,
        notes,
        seeds: seeds(record),
        records: path("out_of_domain"),
    }
}

fn fit_interference(result: &NetworkResult) -> Option<f64> {
    result.measures.interference.filter(|_| result.fit)
}

fn fit_excess(result: &NetworkResult) -> Option<f64> {
    result.measures.excess.filter(|_| result.fit)
}

fn orthogonality(records: &Records, _: &StudySpec) -> Outcome {
    let Some(record) = &records.pruning else {
        return no_record("pruning");
    };
    let sp = [1, 2].map(|level| Group::of("sp", level));
    let counts = [1, 2].map(|level| Group::of("sp-layer-counts", level));
    let dense = Group::of("dense", 0);
    let before = [(dense, sp[0]), (dense, sp[1])];
    let control = [(counts[0], sp[0]), (counts[1], sp[1])];
    let effects = vec![
        Effect::paired(
            "interference, dense − sp",
            record,
            &before,
            fit_interference,
        ),
        Effect::paired(
            "interference, random with sp's counts − sp",
            record,
            &control,
            fit_interference,
        ),
    ];
    let evolved = [(dense, Group::of("evolved", 0))];
    let controls = vec![
        Effect::paired(
            "excess over the Welch bound, dense − sp",
            record,
            &before,
            fit_excess,
        ),
        Effect::paired(
            "interference, dense − evolved",
            record,
            &evolved,
            fit_interference,
        ),
    ];
    Outcome {
        statistic: "mean squared cosine of different maps of a layer (lower is more orthogonal), alive units, relays merged; paired by target, seed and level, both fit".into(),
        // No smallest effect is defined for interference: an interval below 0 refutes.
        verdict: all_above(&effects, 0.0),
        effects,
        controls,
        notes: circumstances(record),
        seeds: seeds(record),
        records: path("pruning"),
    }
}

fn optimizer(records: &Records, _: &StudySpec) -> Outcome {
    let Some(record) = &records.optimizers else {
        return no_record("optimizers");
    };
    let Ok(found) = newton_schulz(record) else {
        return no_record("optimizers with Newton–Schulz arms");
    };
    let effect = |name: &str, i: crate::math::stats::Interval| Effect {
        name: name.into(),
        estimate: Some(i.estimate),
        low: Some(i.low),
        high: Some(i.high),
        targets: Vec::new(),
        without: Vec::new(),
    };
    let seeds: std::collections::BTreeSet<_> = record.runs.iter().map(|r| r.seed).collect();
    let targets: std::collections::BTreeSet<_> = record.runs.iter().map(|r| &r.target).collect();
    let mut notes = vec![format!(
        "profile {}, {}²; a unit is one (target, seed): {} of {} targets",
        record.profile,
        record.size,
        found.units,
        targets.len()
    )];
    if targets.len() < 3 {
        notes.push(format!(
            "fewer than three targets: the optimizer study has {}, chosen when it was written",
            targets.len()
        ));
    }
    let collapsed = record
        .runs
        .iter()
        .filter(|r| r.result.as_ref().is_some_and(|x| x.collapses > 0))
        .count();
    if collapsed > 0 {
        notes.push(format!(
            "{collapsed} of {} runs collapsed and began again from other weights",
            record.runs.len()
        ));
    }
    let mut controls = vec![
        effect(
            "log₂(loss with the exact polar factor / at the most steps)",
            found.exact_over_most,
        ),
        effect("log₂(loss at the most steps / at 5)", found.most_over_five),
    ];
    controls.extend(
        found
            .slope_same_start
            .map(|i| effect("slope, without cells with restarts", i)),
    );
    Outcome {
        statistic: "slope of log₂(late loss) on log₂(Newton–Schulz steps); claimed: below 0".into(),
        effects: vec![effect("slope", found.slope)],
        controls,
        verdict: found.finding,
        notes,
        seeds: Some(seeds.len()),
        records: path("optimizers"),
    }
}

/// A finding of the theory's or the structural study's own rules.
fn of_findings(part: &str, found: theory::Finding, others: Vec<theory::Finding>) -> Outcome {
    let effect = |f: &theory::Finding| Effect {
        name: f.statistic.clone(),
        estimate: f.effect,
        low: f.interval.map(|i| i.low),
        high: f.interval.map(|i| i.high),
        targets: Vec::new(),
        without: Vec::new(),
    };
    let mut notes = vec![format!("{} units", found.units)];
    notes.extend(found.notes.iter().cloned());
    for other in &others {
        notes.extend(
            other
                .notes
                .iter()
                .map(|n| format!("{}: {n}", other.statistic)),
        );
    }
    Outcome {
        statistic: found.statistic.clone(),
        effects: vec![effect(&found)],
        controls: others.iter().map(effect).collect(),
        verdict: match found.verdict {
            Verdict::Supported => Finding::Supported,
            Verdict::NotSupported => Finding::NotSupported,
            Verdict::Inconclusive => Finding::Inconclusive,
        },
        notes,
        seeds: None,
        records: path(part),
    }
}

/// Fit trained networks by depth and density, for the theory's second half.
fn trained_points(record: &NetworksRecord) -> Vec<TrainedPoint> {
    let rows = record.rows.iter();
    rows.filter_map(|row| {
        let result = row.result.as_ref()?;
        let modules = result.modules.as_ref()?;
        Some(TrainedPoint {
            target: row.target.clone(),
            arm: row.arm.clone(),
            seed: row.seed?,
            width: modules.width,
            layers: modules.layers,
            density: modules.density,
            least_touching: modules.least_touching,
            spanning: modules.spanning,
            score: fit_score(result)?,
        })
    })
    .collect()
}

/// Parts P of the claim on trained networks: the caption's.
const PARTS: usize = 3;

fn volume(records: &Records, _: &StudySpec) -> Outcome {
    let Some(record) = &records.theory else {
        return no_record("theory");
    };
    let found = agreement(record);
    let points = records.depth.as_ref().map(trained_points);
    let Some(Ok(predicted)) = points.map(|points| prediction(&points, PARTS)) else {
        let mut outcome = of_findings("theory", found, Vec::new());
        outcome.verdict = Finding::Inconclusive;
        outcome
            .notes
            .push("no record of depth: theory is not compared with trained networks".into());
        return outcome;
    };
    let verdict = match (found.verdict, predicted.verdict) {
        (Verdict::Supported, Verdict::Supported) => Finding::Supported,
        (Verdict::NotSupported, _) | (_, Verdict::NotSupported) => Finding::NotSupported,
        _ => Finding::Inconclusive,
    };
    let (first, second) = (
        of_findings("theory", found, Vec::new()),
        of_findings("depth", predicted, Vec::new()),
    );
    let both = |a: Vec<String>, b: Vec<String>| a.into_iter().chain(b).collect::<Vec<_>>();
    Outcome {
        statistic: both(vec![first.statistic], vec![second.statistic]).join("; and "),
        effects: first.effects.into_iter().chain(second.effects).collect(),
        controls: Vec::new(),
        verdict,
        notes: both(first.notes, second.notes),
        seeds: records.depth.as_ref().and_then(seeds),
        records: both(first.records, second.records),
    }
}

fn parts(records: &Records, _: &StudySpec) -> Outcome {
    match &records.theory {
        Some(record) => of_findings("theory", parts_sensitivity(record), Vec::new()),
        None => no_record("theory"),
    }
}

fn ablatable(records: &Records, _: &StudySpec) -> Outcome {
    let Some(record) = &records.structural else {
        return no_record("structural");
    };
    let mut found = structural_findings::all(record);
    let first = structural_findings::parts_are_ablatable(record);
    found.retain(|f| f.statistic != first.statistic);
    of_findings("structural", first, found)
}

fn learned(result: &NetworkResult) -> Option<f64> {
    Some(if result.fit { 1.0 } else { 0.0 })
}

fn raw_graph(records: &Records, _: &StudySpec) -> Outcome {
    let Some(record) = &records.wirings else {
        return no_record("wirings");
    };
    let [graph, layerized, dense] = ["graph", "layerized", "dense"].map(|a| Group::of(a, 0));
    let effects = vec![Effect::paired(
        "share of seeds that learn: dense twin − raw graph",
        record,
        &[(dense, graph)],
        learned,
    )];
    let r2 = |r: &NetworkResult| Some(r.r2.max(-1.0));
    let controls = vec![
        Effect::paired(
            "share of seeds that learn: evolved links layered − raw graph",
            record,
            &[(layerized, graph)],
            learned,
        ),
        Effect::paired("R²: dense twin − raw graph", record, &[(dense, graph)], r2),
    ];
    let mut notes = circumstances(record);
    for (name, group) in [("graph", graph), ("layerized", layerized), ("dense", dense)] {
        notes.push(format!("fit: {name} {}", fit_share(record, group)));
    }
    Outcome {
        statistic: "share of seeds whose network reaches R² ≥ 0.95, dense layerized twin less raw graph, by target".into(),
        // A tenth of the seeds is the least that matters.
        verdict: all_above(&effects, 0.1),
        effects,
        controls,
        notes,
        seeds: seeds(record),
        records: path("wirings"),
    }
}

fn decodable(records: &Records, spec: &StudySpec) -> Outcome {
    let Some(record) = &records.wirings else {
        return no_record("wirings");
    };
    let pair = [(Group::of("evolved", 0), Group::of("dense", 0))];
    let decoded = |r: &NetworkResult| r.measures.decoded.filter(|_| r.fit);
    let decoded = Effect::paired("decoded R², evolved − dense", record, &pair, decoded);
    let organised = Effect::paired("score, evolved − dense", record, &pair, fit_score);
    let equal = match (decoded.low, decoded.high) {
        (Some(low), Some(high)) if -spec.equivalence < low && high < spec.equivalence => Some(true),
        (Some(low), Some(high)) if low > spec.equivalence || high < -spec.equivalence => {
            Some(false)
        }
        _ => None,
    };
    let unequal = all_above(std::slice::from_ref(&organised), spec.margin);
    let verdict = match (equal, unequal) {
        (Some(true), Finding::Supported) => Finding::Supported,
        (Some(false), _) | (_, Finding::NotSupported) => Finding::NotSupported,
        _ => Finding::Inconclusive,
    };
    Outcome {
        statistic: "held-out R² of ridge probes from the last hidden layer to attributes of the picture (equivalence), and the difference of compositional scores".into(),
        effects: vec![decoded, organised],
        controls: Vec::new(),
        verdict,
        notes: circumstances(record),
        seeds: seeds(record),
        records: path("wirings"),
    }
}

fn survives_controls(records: &Records, spec: &StudySpec) -> Outcome {
    let Some(record) = &records.controls else {
        return no_record("controls");
    };
    let mut variants: Vec<&str> = Vec::new();
    for row in &record.rows {
        if !variants.contains(&row.variant.as_str()) {
            variants.push(&row.variant);
        }
    }
    let group = |arm, level, variant, offset| Group {
        arm,
        level,
        variant,
        offset,
    };
    let pruning = |variant| {
        let offsets = [-3, 0, 3];
        let pairs = offsets.map(|o| {
            (
                group("sp", 1, variant, o),
                group("sp-layer-counts", 1, variant, o),
            )
        });
        Effect::paired(
            format!("{variant}: sp − random links with its counts"),
            record,
            &pairs,
            fit_score,
        )
    };
    let depth = |variant, offset| {
        let pairs = [(group("sp", 1, variant, 0), group("sp", 1, variant, offset))];
        let name = format!("{variant}: sp at the reference depth − {offset:+} layers");
        Effect::paired(name, record, &pairs, fit_score)
    };
    let effects: Vec<Effect> = variants.iter().map(|v| pruning(v)).collect();
    let controls: Vec<Effect> = variants
        .iter()
        .flat_map(|v| [depth(v, -3), depth(v, 3)])
        .collect();
    let (base, others): (Vec<Effect>, Vec<Effect>) = effects
        .iter()
        .cloned()
        .partition(|e| e.name.starts_with(&format!("{BASE}:")));
    let verdict = match all_above(&base, spec.margin) {
        Finding::Supported if others.iter().all(|e| e.estimate.is_some_and(|x| x > 0.0)) => {
            Finding::Supported
        }
        Finding::Supported
            if others
                .iter()
                .any(|e| e.high.is_some_and(|high| high < spec.margin)) =>
        {
            Finding::NotSupported
        }
        Finding::NotSupported => Finding::NotSupported,
        _ => Finding::Inconclusive,
    };
    Outcome {
        statistic: "score of SP less that of random links with its counts, in every way of training; the same for depth beside it".into(),
        effects,
        controls,
        verdict,
        notes: circumstances(record),
        seeds: seeds(record),
        records: path("controls"),
    }
}
