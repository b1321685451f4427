//! A judge's agreement *within* networks, which no knowledge of the network alone can give.
//!
//! AUC over pairs of pictures of one network; κ on the *mixed* networks, those with at least a fifth of either label;
//! two baselines that know the network and not the picture; agreement of the viewers; and how far the score of a
//! network, the mean P(clean), is from its labels. Intervals are 95 % jackknifes over networks (Student's t): pictures
//! of one network are not independent.

use picloom::base::real;
use picloom::base::stats::{Confusion, Interval, normal_quantile, student_quantile, wilson};
use picloom::score::labels::LabelRow;
use picloom::score::{Label, UNCLEAR, Verdict};
use serde::Serialize;
use std::collections::BTreeMap;

/// Least share of either label in a mixed network.
const MIXED: f64 = 0.2;
/// Least labels of a network whose score is compared with them.
const LABELS: usize = 10;
const LEVEL: f64 = 0.95;

/// One labelled picture as a judge saw it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Seen {
    /// Which network drew it.
    pub network: String,
    /// The label.
    pub damaged: bool,
    /// The viewer was not in doubt.
    pub sure: bool,
    /// A second viewer's label, if there was one.
    pub second: Option<bool>,
    /// Changes of its network that it stands for, > 0.
    pub weight: f64,
    /// The judge's P(damaged).
    pub p: f64,
    /// P(damaged) of a judge that is told the network but not the picture.
    pub told: f64,
}

impl Seen {
    /// A labelled picture, what the judge says of it, and what one says that is `told` the network only.
    pub(crate) fn of(row: &LabelRow, verdict: &Verdict, told: f64) -> Self {
        let is = |label: Label| label == Label::Damaged;
        Seen {
            network: network_of(row),
            damaged: is(row.label),
            sure: !row.unsure,
            second: row.second.map(is),
            weight: row.weight,
            p: verdict.p_damaged,
            told,
        }
    }
}

/// The network that drew a row: by its target and name, in whatever set; one without a name by its base picture.
pub(crate) fn network_of(row: &LabelRow) -> String {
    let (target, network, base) = row.drawer();
    format!("{target} {network} {}", base.display())
}

/// P(damaged) of a judge that is told the mean log-odds of each row's network: for a logistic model that of the
/// mean of its (cut) features.
pub(crate) fn network_means(rows: &[&LabelRow], verdicts: &[Verdict]) -> Vec<f64> {
    let networks: Vec<String> = rows.iter().map(|row| network_of(row)).collect();
    let mut sums: BTreeMap<&str, (f64, f64)> = BTreeMap::new();
    for (verdict, network) in verdicts.iter().zip(&networks) {
        let p = verdict.p_damaged.clamp(1e-9, 1.0 - 1e-9);
        let sum = sums.entry(network).or_default();
        sum.0 += real::ln(p / (1.0 - p));
        sum.1 += 1.0;
    }
    let mean = |network: &String| sums[network.as_str()].0 / sums[network.as_str()].1;
    networks.iter().map(|network| 1.0 / (1.0 + real::exp(-mean(network)))).collect()
}

/// Agreement of two opinions: κ on all pictures and on those of mixed networks.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub(crate) struct Kappas {
    /// Pictures that both have an opinion of.
    pub pictures: usize,
    /// Of these, of mixed networks. Which are mixed is told by all labels.
    pub mixed_pictures: usize,
    /// Over all pictures. `None` if all pictures have the same label.
    pub all: Option<Interval>,
    /// Over those of mixed networks.
    pub mixed: Option<Interval>,
}

/// See the module.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct WithinNetworks {
    /// Networks.
    pub networks: usize,
    /// Mixed networks.
    pub mixed: usize,
    /// Pairs of pictures of one network with different labels.
    pub pairs: usize,
    /// Share of these pairs in which the damaged picture has the larger P.
    pub auc: Option<Interval>,
    /// The judge.
    pub judge: Kappas,
    /// The judge, told the mean of its features over the network instead of those of the picture.
    pub network_mean: Kappas,
    /// The label that most labelled pictures of the network have.
    pub majority: Kappas,
    /// κ of the judge less κ of the network mean, on mixed networks.
    pub above_network_mean: Option<Interval>,
    /// The judge where it gives a verdict: P outside the unclear range.
    pub clear: Kappas,
    /// The network mean on the same pictures.
    pub clear_network_mean: Kappas,
    /// The judge where the viewer was not in doubt.
    pub sure: Kappas,
    /// The network mean on the same pictures.
    pub sure_network_mean: Kappas,
    /// Two viewers, on what both labelled. √κ is what a judge that is always right would have against one of two
    /// equally good viewers whose mistakes are independent.
    pub viewers: Kappas,
    /// Scores of networks against their labels; `None` without three networks of 10 labels or more.
    pub scores: Option<ScoreErrors>,
}

/// How far the mean P(clean) of a network is from the share that the viewer called clean.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub(crate) struct ScoreErrors {
    /// Networks with at least 10 labels.
    pub networks: usize,
    /// Mean of score − labels.
    pub bias: f64,
    /// Standard deviation of score − labels.
    pub sd: f64,
    /// The judge's own error, without the sampling error: τ, the standard deviation between networks, bias included.
    pub between: f64,
    /// Share of networks whose labels lie in score ± 1.96·√(τ² + sampling), τ from the other networks.
    pub coverage: f64,
    /// The same on mixed networks; `None` without any.
    pub coverage_mixed: Option<f64>,
    /// Share of networks whose labels lie in Wilson's interval of the judge's labels, both unweighted.
    pub coverage_wilson: f64,
}

/// The pictures of one network.
type Network<'a> = Vec<&'a Seen>;
/// Two answers on a picture, true for damaged. `None` if one of the two did not answer.
type Opinions<'a> = &'a dyn Fn(&Seen) -> Option<(bool, bool)>;

fn judged(s: &Seen) -> Option<(bool, bool)> {
    Some((s.damaged, s.p > 0.5))
}

fn told(s: &Seen) -> Option<(bool, bool)> {
    Some((s.damaged, s.told > 0.5))
}

fn is_clear(s: &Seen) -> bool {
    !UNCLEAR.contains(&s.p)
}

impl WithinNetworks {
    /// The agreement on these pictures, in any order. `None` if there are no pictures.
    pub(crate) fn of(seen: &[Seen]) -> Option<Self> {
        let mut networks: BTreeMap<&str, Network> = BTreeMap::new();
        for s in seen {
            networks.entry(&s.network).or_default().push(s);
        }
        let majority: BTreeMap<&str, bool> = networks
            .iter()
            .map(|(name, n)| (*name, 2 * n.iter().filter(|s| s.damaged).count() > n.len()))
            .collect();
        let all: Vec<Network> = networks.into_values().collect();
        let mixed: Vec<Network> = all.iter().filter(|n| is_mixed(n)).cloned().collect();
        let kappas = |of: Opinions<'_>| Kappas {
            pictures: pooled(&all, of).len(),
            mixed_pictures: pooled(&mixed, of).len(),
            all: jackknife(&all, &|n| kappa(&pooled(n, of))),
            mixed: jackknife(&mixed, &|n| kappa(&pooled(n, of))),
        };
        (!all.is_empty()).then(|| WithinNetworks {
            networks: all.len(),
            mixed: mixed.len(),
            pairs: all.iter().map(|n| ordered(n).1).sum(),
            auc: jackknife(&all, &|n| {
                let (right, pairs) =
                    n.iter().map(|n| ordered(n)).fold((0.0, 0), |a, b| (a.0 + b.0, a.1 + b.1));
                (pairs > 0).then(|| right / pairs as f64)
            }),
            judge: kappas(&judged),
            network_mean: kappas(&told),
            majority: kappas(&|s| Some((s.damaged, majority[s.network.as_str()]))),
            above_network_mean: jackknife(&mixed, &|n| {
                Some(kappa(&pooled(n, &judged))? - kappa(&pooled(n, &told))?)
            }),
            clear: kappas(&|s| judged(s).filter(|_| is_clear(s))),
            clear_network_mean: kappas(&|s| told(s).filter(|_| is_clear(s))),
            sure: kappas(&|s| judged(s).filter(|_| s.sure)),
            sure_network_mean: kappas(&|s| told(s).filter(|_| s.sure)),
            viewers: kappas(&|s| Some((s.damaged, s.second?))),
            scores: ScoreErrors::of(&all),
        })
    }

    /// For people.
    pub(crate) fn table(&self) -> String {
        let shown = |i: Option<Interval>| match i {
            Some(i) => format!("{:.3} [{:.3}, {:.3}]", i.estimate, i.low, i.high),
            None => "none".into(),
        };
        let mut text = format!(
            "within networks: {} networks, {} mixed ones; intervals over networks\n\
             AUC over {} pairs of one network  {}\n\
             judge above the network's mean, kappa on mixed networks  {}\n\
             {:<38} {:>5} {:<22} {:>5} kappa, mixed networks\n",
            self.networks,
            self.mixed,
            self.pairs,
            shown(self.auc),
            shown(self.above_network_mean),
            "",
            "n",
            "kappa, all",
            "n"
        );
        for (name, k) in [
            ("the judge", self.judge),
            ("mean of the network", self.network_mean),
            ("majority of the network", self.majority),
            ("where it gives a verdict, the judge", self.clear),
            ("… mean of the network", self.clear_network_mean),
            ("where the viewer was sure, the judge", self.sure),
            ("… mean of the network", self.sure_network_mean),
            ("the two viewers", self.viewers),
        ] {
            let (all, mixed) = (shown(k.all), shown(k.mixed));
            text += &format!(
                "{name:<38} {:>5} {all:<22} {:>5} {mixed}\n",
                k.pictures, k.mixed_pictures
            );
        }
        if let Some(s) = &self.scores {
            let mixed = s.coverage_mixed.map_or("none".into(), |c| format!("{c:.3}"));
            text += &format!(
                "scores of {} networks of {LABELS} labels or more: bias {:+.3}, sd {:.3}, between networks {:.3}\n\
                 coverage of the 95 % interval {:.3}, mixed networks {mixed}; Wilson's {:.3}\n",
                s.networks, s.bias, s.sd, s.between, s.coverage, s.coverage_wilson
            );
        }
        text
    }
}

fn is_mixed(network: &[&Seen]) -> bool {
    let share = network.iter().filter(|s| s.damaged).count() as f64 / network.len() as f64;
    (MIXED..=1.0 - MIXED).contains(&share)
}

/// (pairs in order, ties half; pairs) of pictures with different labels.
fn ordered(network: &[&Seen]) -> (f64, usize) {
    let damaged = network.iter().filter(|s| s.damaged);
    let pairs = damaged.flat_map(|a| {
        let clean = network.iter().filter(|s| !s.damaged);
        clean.map(|b| f64::from(u8::from(a.p > b.p)) + 0.5 * f64::from(u8::from(a.p == b.p)))
    });
    pairs.fold((0.0, 0), |sum, one| (sum.0 + one, sum.1 + 1))
}

fn pooled(networks: &[Network], of: Opinions<'_>) -> Vec<(bool, bool)> {
    networks.iter().flatten().filter_map(|s| of(s)).collect()
}

fn kappa(pairs: &[(bool, bool)]) -> Option<f64> {
    let (a, b): (Vec<usize>, Vec<usize>) =
        pairs.iter().map(|&(a, b)| (usize::from(a), usize::from(b))).unzip();
    Some(Confusion::of(&a, &b, 2).ok()?.kappa(LEVEL).ok()?.kappa.estimate)
}

/// `statistic` over all networks, with its delete-one jackknife interval. `None` with fewer than three networks, or if
/// the statistic is missing for all networks or for all but one. All statistics here lie in [−1, 1].
fn jackknife(
    networks: &[Network],
    statistic: &dyn Fn(&[Network]) -> Option<f64>,
) -> Option<Interval> {
    let n = networks.len();
    if n < 3 {
        return None;
    }
    let estimate = statistic(networks)?;
    let without = |out: usize| statistic(&[&networks[..out], &networks[out + 1..]].concat());
    let left_out: Vec<f64> = (0..n).map(without).collect::<Option<_>>()?;
    let mean = left_out.iter().sum::<f64>() / n as f64;
    let squares: f64 = left_out.iter().map(|v| (v - mean) * (v - mean)).sum();
    let half = student_quantile(0.5 + LEVEL / 2.0, (n - 1) as f64)
        * (squares * (n - 1) as f64 / n as f64).sqrt();
    let (low, high) = ((estimate - half).max(-1.0), (estimate + half).min(1.0));
    Some(Interval { estimate, low, high })
}

/// One network's score against its labels.
struct ScoreError {
    error: f64,
    /// Variance of the labels' share if every P is right.
    sampling: f64,
    mixed: bool,
    wilson: bool,
}

impl ScoreError {
    fn of(network: &Network) -> Self {
        let total: f64 = network.iter().map(|s| s.weight).sum();
        let mean = |of: &dyn Fn(&Seen) -> f64| {
            network.iter().map(|s| s.weight * of(s)).sum::<f64>() / total
        };
        let labels = mean(&|s| f64::from(u8::from(!s.damaged)));
        let squares: f64 = network.iter().map(|s| s.weight * s.weight * s.p * (1.0 - s.p)).sum();
        let clean = network.iter().filter(|s| s.p <= 0.5).count();
        let naive = wilson(clean, network.len(), LEVEL).expect("a network with pictures");
        let said = network.iter().filter(|s| !s.damaged).count() as f64 / network.len() as f64;
        ScoreError {
            error: mean(&|s| 1.0 - s.p) - labels,
            sampling: squares / (total * total),
            mixed: is_mixed(network),
            wilson: naive.low <= said && said <= naive.high,
        }
    }
}

/// τ² by the method of moments: mean (error² − sampling), not below 0.
fn between<'a>(errors: impl ExactSizeIterator<Item = &'a ScoreError>) -> f64 {
    let n = errors.len() as f64;
    (errors.map(|e| e.error * e.error - e.sampling).sum::<f64>() / n).max(0.0)
}

impl ScoreErrors {
    fn of(networks: &[Network]) -> Option<Self> {
        let errors: Vec<ScoreError> =
            networks.iter().filter(|n| n.len() >= LABELS).map(ScoreError::of).collect();
        if errors.len() < 3 {
            return None;
        }
        let n = errors.len() as f64;
        let bias = errors.iter().map(|e| e.error).sum::<f64>() / n;
        let squares: f64 = errors.iter().map(|e| (e.error - bias) * (e.error - bias)).sum();
        let z = normal_quantile(0.5 + LEVEL / 2.0);
        let covered = |out: usize| {
            let others: Vec<&ScoreError> = errors[..out].iter().chain(&errors[out + 1..]).collect();
            let e = &errors[out];
            e.error.abs() <= z * (between(others.into_iter()) + e.sampling).sqrt()
        };
        let covered: Vec<(bool, &ScoreError)> =
            errors.iter().enumerate().map(|(i, e)| (covered(i), e)).collect();
        let share = |held: usize, of: usize| (of > 0).then(|| held as f64 / of as f64);
        let mixed = || covered.iter().filter(|(_, e)| e.mixed);
        Some(ScoreErrors {
            networks: errors.len(),
            bias,
            sd: (squares / (n - 1.0)).sqrt(),
            between: between(errors.iter()).sqrt(),
            coverage: share(covered.iter().filter(|c| c.0).count(), errors.len())?,
            coverage_mixed: share(mixed().filter(|c| c.0).count(), mixed().count()),
            coverage_wilson: share(errors.iter().filter(|e| e.wilson).count(), errors.len())?,
        })
    }
}
