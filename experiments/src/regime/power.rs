//! How often each rule would find an effect of a size, in a design, before it is run.
//!
//! A pair's difference is effect + target + seed + judge + sampling, each normal, with the standard
//! deviations of a pilot (or of the spec); the rules themselves are applied to what is drawn. The
//! judge's error and that of sampling weights belong to a network: a difference has them twice, and they
//! are halved by averaging over the two kept shares. Of claims that are decided on means over targets
//! ([`Means`]) whole targets are drawn, as various as a pilot's; of the order of depths single networks
//! (`regime/orders.rs`). \[ours\]

use super::arms::{CONTROLS, CRITERIA, MapLevels};
use super::contrasts::{Block, Contrast, Values, depth_p, over_arms, over_depths, over_rivals};
use super::orders::{MODULES, Orders, SCORES};
use super::points::{Basis, Place, Points, SP};
use super::rules::decide;
use crate::claims::effects::Effect;
use crate::claims::verdicts::{
    Asked, DECODABLE, EVOLVED, IN_BASE, Means, OVERLAP, RECIPE, WIRING, shaping,
};
use picloom::experiment::finding::Verdict;
use picloom::experiment::networks::record::NetworksRecord;
use picloom::experiment::networks::spec::{ArmSpec, BASE, NetworksSpec, Variances};
use picloom::math::SimRng;
use picloom::math::stats::{sign_flip_p, variance};
use rayon::prelude::*;
use serde::Serialize;

/// Studies drawn for each effect, if nobody asks for another number.
pub const STUDIES: u64 = 1000;
/// Draws of a permutation test in each of them.
const DRAWS: u32 = 499;
/// Effects at which power is told.
pub const EFFECTS: [f64; 6] = [0.0, 0.05, 0.10, 0.15, 0.20, 0.30];
/// The power that a design must have…
pub const WANTED: f64 = 0.8;
/// … at this effect.
pub const AT: f64 = 0.15;

/// What is run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Design {
    /// Targets.
    pub targets: usize,
    /// Seeds of each.
    pub seeds: usize,
    /// Weights changed in each network.
    pub sample: usize,
}

impl Design {
    /// Of a spec; where all weights are changed, as if they were a thousand.
    pub fn of(spec: &NetworksSpec) -> Self {
        let sample = spec.sample.unwrap_or(1000);
        Design { targets: spec.targets.len(), seeds: spec.seeds.len(), sample }
    }
}

/// A rule that is decided on a study of networks.
#[derive(Clone, Copy)]
enum Rule {
    /// SP against each of these rivals; signs of pairs are flipped.
    Rivals(&'static [&'static [&'static str]]),
    /// A depth against those so many layers beside it; labels of depths are permuted.
    Depth(i64),
    /// SP against itself made otherwise, above or below; signs of pairs are flipped.
    Shaped(&'static str),
    /// Means over targets.
    Means(&'static Means),
    /// Whether the theory orders depths; effects are Spearman's ρ.
    Order(&'static Orders),
}

const RULES: [(&str, Rule); 13] = [
    ("C3", Rule::Rivals(CRITERIA)),
    ("C4", Rule::Rivals(CONTROLS)),
    ("C5", Rule::Depth(4)),
    ("narrow", Rule::Depth(1)),
    ("C1", Rule::Means(&EVOLVED)),
    ("C2", Rule::Means(&WIRING)),
    ("C7", Rule::Means(&RECIPE)),
    ("C9, interference", Rule::Means(&OVERLAP)),
    ("C11, scores", Rule::Shaped("sp-muon")),
    ("C14", Rule::Means(&DECODABLE)),
    ("C15, in the base", Rule::Means(&IN_BASE)),
    ("C8, modules (ρ)", Rule::Order(&MODULES)),
    ("C8, scores (ρ)", Rule::Order(&SCORES)),
];

/// The power of one rule.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RulePower {
    /// Name of the claim, or narrow.
    pub rule: &'static str,
    /// The effect at which the design must have power: 0 for a rule that asks whether two are equal.
    pub asked_at: f64,
    /// Targets on which the study has all its networks.
    pub targets: usize,
    /// What it was simulated with.
    pub variances: Variances,
    /// True if a pilot gave them.
    pub from_pilot: bool,
    /// (effect, share of studies that support it, share that find it smaller than the margin).
    pub power: Vec<(f64, f64, f64)>,
    /// The smallest effect that is supported in [`WANTED`] of the studies; none up to 0.6.
    pub smallest: Option<f64>,
}

/// The power of every rule of a design.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PowerReport {
    /// The design.
    pub design: Design,
    /// The margin of the map's rules; those on means over targets have the study's, C11's lies to either side, that on the order of depths
    /// is not supported below a ρ of 0.2.
    pub margin: f64,
    /// Studies drawn for each effect.
    pub studies: u64,
    /// A row a rule.
    pub rules: Vec<RulePower>,
    /// Rules that are decided on such a study, and need a pilot's variances to be simulated.
    pub left_out: Vec<&'static str>,
}

/// Simulates every rule that is decided on such a study, in so many studies an effect. `pilots` are records whose contrasts give the
/// variances; a rule of the map that none of them has two targets for takes those of the spec, one on means over targets or on the order
/// of depths is left out.
/// Equal arguments give equal bits.
pub fn power(
    spec: &NetworksSpec,
    pilots: &[NetworksRecord],
    margin: f64,
    studies: u64,
) -> PowerReport {
    let design = Design::of(spec);
    let decided = RULES.iter().filter(|(_, rule)| rule.is_of(spec));
    let rules: Vec<RulePower> = decided
        .clone()
        .filter_map(|&(name, rule)| {
            let design = Design { targets: rule.targets(spec), ..design };
            let pilot = pilots.iter().find_map(|record| of_pilot(record, rule, spec));
            let shares: Box<dyn Fn(f64) -> (f64, f64)> = match rule {
                Rule::Means(means) => {
                    let found = pilots.iter().find_map(|record| known(means, record))?;
                    Box::new(move |effect| {
                        share_of(studies, |rng| means.drawn(&found, design.targets, effect, rng))
                    })
                }
                Rule::Order(orders) => {
                    let found = pilots.iter().find_map(|record| orders.known(record))?;
                    let ordered = orders.design(spec, design.targets)?;
                    Box::new(move |rho| share_of(studies, |rng| ordered.drawn(&found, rho, rng)))
                }
                _ => {
                    let variances = pilot.unwrap_or(spec.power);
                    Box::new(move |effect| {
                        shares(rule, design, &variances, (effect, margin), studies)
                    })
                }
            };
            let power = EFFECTS.iter().map(|&effect| {
                let (supported, smaller) = shares(effect);
                (effect, supported, smaller)
            });
            let asked_at = rule.asked_at();
            let found = |effect: f64| shares(effect).0 >= WANTED;
            let (mut low, mut high) = (0.0, 0.6);
            let is_there = asked_at > 0.0 && found(high);
            while is_there && high - low > 0.005 {
                let middle = (low + high) / 2.0;
                if found(middle) { high = middle } else { low = middle }
            }
            Some(RulePower {
                rule: name,
                asked_at,
                targets: design.targets,
                variances: pilot.unwrap_or(spec.power),
                from_pilot: pilot.is_some(),
                power: power.collect(),
                smallest: is_there.then_some(high),
            })
        })
        .collect();
    let simulated = |name: &str| rules.iter().any(|found| found.rule == name);
    let left_out = decided.map(|(name, _)| *name).filter(|name| !simulated(name)).collect();
    PowerReport { design, margin, studies, rules, left_out }
}

/// The means of a pilot, if it has each over two targets or more.
fn known(means: &Means, record: &NetworksRecord) -> Option<Vec<Effect>> {
    let effects = (means.effects)(record);
    effects.iter().all(|effect| effect.targets.len() > 1).then_some(effects)
}

impl Means {
    /// What the rule says of a study that is drawn: targets as various as the pilot's (with its seeds and weights), and
    /// as often without a pair; what is asked about is `effect`, the others are what the pilot found, each on its own.
    fn drawn(&self, pilot: &[Effect], targets: usize, effect: f64, rng: &mut SimRng) -> Verdict {
        let drawn: Vec<Effect> = pilot
            .iter()
            .enumerate()
            .map(|(k, found)| {
                let is_asked = k == 0 || self.asked == Asked::All;
                let about = if is_asked { Some(effect) } else { found.estimate };
                let (about, spread) = (about.unwrap_or(0.0), spread(found));
                let each = (0..targets).map(|target| {
                    let value = about + spread * rng.normal();
                    let is_missing = rng.uniform() < missing_share(found);
                    (target.to_string(), if is_missing { Vec::new() } else { vec![value] })
                });
                Effect::of("drawn", each.collect())
            })
            .collect();
        (self.decide)(&drawn)
    }
}

/// Standard deviation of an effect over its targets; 0 with fewer than two.
fn spread(effect: &Effect) -> f64 {
    let values: Vec<f64> = effect.targets.iter().map(|target| target.value).collect();
    variance(&values).map_or(0.0, f64::sqrt)
}

/// Share of the targets without a pair that counts.
fn missing_share(effect: &Effect) -> f64 {
    let all = effect.targets.len() + effect.without.len();
    effect.without.len() as f64 / all.max(1) as f64
}

impl Rule {
    /// Whether a study has the networks that it compares.
    fn is_of(self, spec: &NetworksSpec) -> bool {
        let has = |name: &str| spec.arms.iter().any(|arm| arm.name == name);
        match self {
            Rule::Rivals(rivals) => has(SP) && rivals.iter().flat_map(|r| r.iter()).any(|r| has(r)),
            Rule::Depth(apart) => {
                let beside = [-apart, apart].iter().any(|offset| spec.offsets.contains(offset));
                has(SP) && spec.offsets.contains(&0) && beside
            }
            Rule::Shaped(arm) => has(SP) && has(arm),
            Rule::Means(means) => {
                spec.offsets.contains(&0)
                    && means.study.is_none_or(|name| name == spec.name)
                    && means.arms.iter().all(|a| has(a))
            }
            Rule::Order(orders) => orders.design(spec, 0).is_some(),
        }
    }

    /// Targets on which a study has all the networks that it compares.
    fn targets(self, spec: &NetworksSpec) -> usize {
        let is_compared = |name: &str| match self {
            Rule::Rivals(rivals) => name == SP || rivals.iter().any(|names| names.contains(&name)),
            Rule::Depth(_) | Rule::Order(_) => name == SP,
            Rule::Shaped(arm) => name == SP || name == arm,
            Rule::Means(means) => means.arms.contains(&name),
        };
        let arms: Vec<&ArmSpec> = spec.arms.iter().filter(|arm| is_compared(&arm.name)).collect();
        let has = |target: &str| {
            let made = |arm: &&ArmSpec| {
                arm.targets.as_ref().is_none_or(|all| all.iter().any(|name| name == target))
            };
            arms.iter().all(made)
        };
        spec.targets.iter().filter(|target| has(&target.name)).count()
    }

    /// The effect at which a design must have power.
    fn asked_at(self) -> f64 {
        match self {
            Rule::Means(means) if means.is_equivalence => 0.0,
            _ => AT,
        }
    }

    /// The effects it is decided on, as far as a pilot has them.
    fn contrasts(self, points: &Points) -> Vec<Contrast> {
        match self {
            Rule::Rivals(rivals) => {
                // A pilot without those has the controls: as many links, other ones.
                let own = over_rivals(points, rivals, Basis::EqualFit);
                if own.is_empty() { over_rivals(points, CONTROLS, Basis::EqualFit) } else { own }
            }
            // A pilot may have gone three layers to either side instead of four, or have too few pairs so near.
            Rule::Depth(apart) => (1..=apart)
                .rev()
                .chain(apart + 1..=4)
                .map(|apart| over_depths(points, apart, Basis::EqualFit))
                .find(|contrast| contrast.within.is_some())
                .into_iter()
                .collect(),
            Rule::Shaped(arm) => {
                let shaped = over_arms(points, (arm, SP), &points.levels(), Basis::EqualFit);
                let is_there = !shaped.effect.targets.is_empty();
                is_there.then_some(shaped).into_iter().collect()
            }
            Rule::Means(_) | Rule::Order(_) => Vec::new(),
        }
    }
}

/// Share of the seeds of a pilot in which nothing could be compared, had networks been kept at these levels of
/// R²: one counts as having reached those below its R² at the end of training.
fn missing(record: &NetworksRecord, rule: Rule, levels: &[f64]) -> f64 {
    let mut points = Points::of(record);
    for row in record.rows.iter().filter(|row| row.variant == BASE && !levels.is_empty()) {
        let place = Place { offset: row.offset, arm: row.arm.clone(), level: row.level };
        let seeds = points.targets.iter_mut().find(|target| target.0 == row.target);
        let networks = seeds.and_then(|seeds| seeds.1.get_mut(&row.seed?));
        if let Some(scores) = networks.and_then(|networks| networks.get_mut(&place)) {
            let r2 = row.result.as_ref().map_or(f64::NEG_INFINITY, |result| result.r2);
            scores.reached = levels.iter().filter(|l| **l <= r2).map(|l| (*l, 0.0)).collect();
        }
    }
    let contrasts = rule.contrasts(&points);
    let asked = |contrast: &Contrast| -> usize {
        let Effect { targets, without, .. } = &contrast.effect;
        let is_asked =
            |name: &String| without.contains(name) || targets.iter().any(|t| t.target == *name);
        let seeds = points.targets.iter().filter(|(name, _)| is_asked(name));
        seeds.map(|(_, seeds)| seeds.len()).sum()
    };
    let there: usize = contrasts.iter().flat_map(|c| &c.effect.targets).map(|t| t.pairs).sum();
    1.0 - there as f64 / contrasts.iter().map(asked).sum::<usize>().max(1) as f64
}

/// The variances of a rule's contrasts in a pilot, those of two rivals averaged; the judge's own error is
/// the spec's, for no record can tell it from the seeds'.
fn of_pilot(record: &NetworksRecord, rule: Rule, spec: &NetworksSpec) -> Option<Variances> {
    if let Rule::Means(means) = rule {
        let first = known(means, record)?.into_iter().next()?;
        let (target, missing) = (spread(&first), missing_share(&first));
        return Some(Variances { target, seed: 0.0, judge: 0.0, score: 0.5, missing });
    }
    if let Rule::Order(orders) = rule {
        let known = orders.known(record)?;
        let (target, missing) = (known.between, known.missing());
        return Some(Variances { target, seed: 0.0, judge: 0.0, score: 0.5, missing });
    }
    let contrasts = rule.contrasts(&Points::of(record));
    let known: Vec<(f64, f64)> =
        contrasts.iter().filter_map(|c| Some((c.between?, c.within?))).collect();
    if known.is_empty() {
        return None;
    }
    let squares = |pick: fn(&(f64, f64)) -> f64| {
        known.iter().map(|k| pick(k) * pick(k)).sum::<f64>() / known.len() as f64
    };
    let (between, within) = (squares(|k| k.0), squares(|k| k.1));
    let results = || record.rows.iter().filter_map(|row| row.result.as_ref());
    let scores: Vec<f64> = results().filter(|r| r.fit).filter_map(|r| r.score()).collect();
    let score = picloom::math::stats::mean(&scores).ok()?.clamp(0.01, 0.99);
    let sampling = score * (1.0 - score) / record.sample.unwrap_or(1000) as f64;
    let (target, judge) = (between.sqrt(), spec.power.judge);
    let seed = (within - sampling - judge * judge).max(0.0).sqrt();
    let levels = if record.checkpoints.is_empty() { &[][..] } else { &spec.checkpoints };
    let missing = missing(record, rule, levels);
    Some(Variances { target, seed, judge, score, missing: missing.min(0.95) })
}

/// Shares of simulated studies in which the rule supports an effect and finds it smaller than the margin. Studies of one number
/// draw the same numbers at every effect.
fn shares(
    rule: Rule,
    design: Design,
    variances: &Variances,
    (effect, margin): (f64, f64),
    studies: u64,
) -> (f64, f64) {
    share_of(studies, |rng| {
        let drawn = draw(rule, design, variances, effect, rng);
        match rule {
            Rule::Shaped(_) => shaping(&drawn[0]),
            _ => decide(&drawn, margin),
        }
    })
}

/// Shares of drawn studies that support an effect and find it smaller than the margin.
fn share_of(studies: u64, drawn: impl Fn(&mut SimRng) -> Verdict + Sync) -> (f64, f64) {
    let study = |study: u64| drawn(&mut SimRng::new(0, "power", study));
    let verdicts: Vec<Verdict> = (0..studies).into_par_iter().map(study).collect();
    let share =
        |wanted: Verdict| verdicts.iter().filter(|v| **v == wanted).count() as f64 / studies as f64;
    (share(Verdict::Supported), share(Verdict::NotSupported))
}

/// The contrasts of one study, drawn.
fn draw(
    rule: Rule,
    design: Design,
    variances: &Variances,
    effect: f64,
    rng: &mut SimRng,
) -> Vec<Contrast> {
    let Variances { target, seed, judge, score, missing } = *variances;
    let sampling = score * (1.0 - score) / design.sample as f64;
    // Of a pair: the difference of two networks, or of a depth from the mean of two others.
    let within = (seed * seed + judge * judge + sampling).sqrt();
    let rivals = match rule {
        Rule::Rivals(rivals) => rivals.len(),
        Rule::Depth(_) | Rule::Shaped(_) | Rule::Means(_) | Rule::Order(_) => 1,
    };
    let mut values: Vec<Values> = vec![Vec::new(); rivals];
    let mut blocks: Vec<Block> = Vec::new();
    for t in 0..design.targets {
        let own: Vec<f64> = (0..rivals).map(|_| effect + target * rng.normal()).collect();
        let mut pairs = vec![Vec::new(); rivals];
        for _ in 0..design.seeds {
            // SP's network is in the pairs of every rival.
            let shared = rng.normal();
            for (rival, own) in own.iter().enumerate() {
                let (alone, third) = (rng.normal(), rng.normal());
                let is_missing = rng.uniform() < missing;
                let value = match rule {
                    Rule::Rivals(_) | Rule::Shaped(_) | Rule::Means(_) | Rule::Order(_) => {
                        own + within * (shared + alone) * std::f64::consts::FRAC_1_SQRT_2
                    }
                    Rule::Depth(_) => {
                        // Var(x − (y + z)/2) = 1.5 Var(x).
                        let one = within / 1.5f64.sqrt();
                        let block = (own + one * shared, vec![one * alone, one * third]);
                        let value = block.0 - (block.1[0] + block.1[1]) / 2.0;
                        if !is_missing {
                            blocks.push(block);
                        }
                        value
                    }
                };
                if !is_missing {
                    pairs[rival].push(value);
                }
            }
        }
        for (values, pairs) in values.iter_mut().zip(pairs) {
            values.push((t.to_string(), pairs));
        }
    }
    values
        .into_iter()
        .map(|values| {
            let all: Vec<f64> = values.iter().flat_map(|v| v.1.clone()).collect();
            let contrast = Contrast::of("drawn", values, 0, None);
            // Only where the interval asks for it: most of the time goes here.
            let above = contrast.effect.low.is_some_and(|low| low > 0.0);
            let below = contrast.effect.high.is_some_and(|high| high < 0.0);
            let p = match (above || (below && matches!(rule, Rule::Shaped(_))), rule) {
                (false, _) => None,
                (true, Rule::Rivals(_) | Rule::Shaped(_) | Rule::Means(_) | Rule::Order(_)) => {
                    sign_flip_p(&all, DRAWS, rng).ok()
                }
                (true, Rule::Depth(_)) => depth_p(&blocks, DRAWS, rng),
            };
            Contrast { p, ..contrast }
        })
        .collect()
}

impl PowerReport {
    /// Rules whose power is below [`WANTED`] where they are asked.
    pub fn weak(&self) -> Vec<&'static str> {
        let at = |rule: &RulePower| {
            rule.power.iter().find(|p| p.0 == rule.asked_at).map_or(0.0, |p| p.1)
        };
        self.rules.iter().filter(|rule| at(rule) < WANTED).map(|rule| rule.rule).collect()
    }

    /// A table for people, in Markdown.
    pub fn table(&self) -> String {
        let Design { targets, seeds, sample } = self.design;
        let mut text = format!(
            "{targets} targets, {seeds} seeds, {sample} weights a network, margin {}; share of {} drawn studies that support an effect (find it smaller than the margin)\n\n| rule | targets |",
            self.margin, self.studies
        );
        for effect in EFFECTS {
            text += &format!(" {effect:.2} |");
        }
        text += " smallest at 80 % | sd target, seed, judge; missing |\n|---|";
        text += &"---|".repeat(EFFECTS.len() + 3);
        text += "\n";
        for rule in &self.rules {
            text += &format!("| {} | {} |", rule.rule, rule.targets);
            for (_, supported, smaller) in &rule.power {
                text += &format!(" {supported:.2} ({smaller:.2}) |");
            }
            let v = &rule.variances;
            let from = if rule.from_pilot { "pilot" } else { "spec" };
            let none = if rule.asked_at > 0.0 { "above .60" } else { "equivalence" };
            let smallest = rule.smallest.map_or(none.into(), |e| format!("{e:.2}"));
            text += &format!(
                " {smallest} | {:.2}, {:.2}, {:.2}; {:.0} % ({from}) |\n",
                v.target,
                v.seed,
                v.judge,
                100.0 * v.missing
            );
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PURE: Variances =
        Variances { target: 1.0, seed: 0.0, judge: 0.0, score: 0.5, missing: 0.0 };

    #[test]
    fn the_power_of_a_single_contrast_is_that_of_students_test() {
        // One-sample t, two-sided 5 %, ten units, an effect of one standard deviation: .803
        // (G*Power 3.1); the lower half alone where there is none: .025. A weight sample of a million
        // adds nothing; the permutation of labels asks for less than the interval does.
        let design = Design { targets: 10, seeds: 1, sample: 1_000_000 };
        let at = |effect| shares(Rule::Depth(4), design, &PURE, (effect, -1e9), STUDIES).0;
        // Labels: a block's other scores are 0 here but for sampling, so signs alone are permuted.
        assert!((at(1.0) - 0.803).abs() < 0.04, "{}", at(1.0));
        assert!(at(0.0) < 0.04, "{}", at(0.0));
    }

    #[test]
    fn the_power_of_a_mean_over_targets_is_that_of_students_test() {
        // The same .803, of targets that vary by 1; the second mean is what the pilot found, far above 0.
        let values = |about: f64| {
            let each = [-1.0, 0.0, 1.0].map(|x| (x.to_string(), vec![about + x]));
            Effect::of("pilot", each.to_vec())
        };
        let pilot = [values(0.3), values(100.0)];
        let at = |effect| share_of(STUDIES, |rng| WIRING.drawn(&pilot, 10, effect, rng)).0;
        assert!((at(1.0) - 0.803).abs() < 0.04, "{}", at(1.0));
        assert!(at(0.0) < 0.04, "{}", at(0.0));
    }

    #[test]
    fn variances_add_as_they_are_said_to() {
        // Targets .3, seeds .4 and judge 0 over four seeds: a target's mean has .3² + .4²/4 = .36².
        let variances = Variances { target: 0.3, seed: 0.4, ..PURE };
        let design = Design { targets: 4000, seeds: 4, sample: 1_000_000 };
        let drawn = draw(Rule::Depth(1), design, &variances, 0.2, &mut SimRng::new(1, "t", 0));
        let contrast = &drawn[0];
        assert!((contrast.between.unwrap() - 0.3).abs() < 0.02, "{contrast:?}");
        assert!((contrast.within.unwrap() - 0.4).abs() < 0.01);
        assert!((contrast.effect.estimate.unwrap() - 0.2).abs() < 0.02);
        // Half of them missing leaves half of the pairs.
        let half = Variances { missing: 0.5, ..variances };
        let drawn = draw(Rule::Rivals(CONTROLS), design, &half, 0.2, &mut SimRng::new(1, "t", 0));
        let pairs: usize = drawn[1].effect.targets.iter().map(|t| t.pairs).sum();
        assert!((pairs as f64 / 16_000.0 - 0.5).abs() < 0.02);
        assert_eq!(drawn.len(), 2);
    }
}
