//! What a judge knows *within* networks: agreement that no knowledge of the network alone can give.
//!
//! Where clean networks give clean pictures and damaged ones damaged pictures, a judge that only tells
//! the two kinds of network apart agrees with the labels as well as one that looks. So beside κ and AUC
//! over all pictures stand: AUC over pairs of pictures of one network; κ on the *mixed* networks, those
//! with at least a fifth of either label; two baselines that know the network and not the picture;
//! agreement of the viewers; and how far the score of a network, the mean P(coherent), is from its labels.
//!
//! Intervals are 95 % jackknives over networks (Student's t): pictures of one network are not
//! independent.

use crate::math::real;
use crate::math::stats::{Confusion, Interval, student_quantile, wilson};
use crate::score::judge::UNCLEAR;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Least share of either label in a mixed network.
const MIXED: f64 = 0.2;
/// Least labels of a network whose score is compared with them.
const LABELS: usize = 10;
const LEVEL: f64 = 0.95;

/// One labelled picture as a judge saw it.
#[derive(Clone, Debug, PartialEq)]
pub struct Seen {
    /// Which network drew it.
    pub network: String,
    /// The label.
    pub fractured: bool,
    /// The viewer was not in doubt.
    pub sure: bool,
    /// What a second viewer said, if one was asked.
    pub second: Option<bool>,
    /// Changes of its network that it stands for, > 0.
    pub weight: f64,
    /// The judge's P(fractured).
    pub p: f64,
    /// P(fractured) of a judge that knows the network but not the picture.
    pub blind: f64,
}

impl Seen {
    /// What the label and the judge say.
    fn judged(&self) -> (bool, bool) {
        (self.fractured, self.p > 0.5)
    }

    /// What the label and the judge that knows the network only say.
    fn told(&self) -> (bool, bool) {
        (self.fractured, self.blind > 0.5)
    }
}

/// Two opinions on each picture of a network: true for fractured.
type Opinions<'a> = &'a dyn Fn(&[&Seen]) -> Vec<(bool, bool)>;

/// Agreement of two or of a judge with the labels: κ on all pictures and on those of mixed networks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Kappas {
    /// Over all pictures; none if all got one label.
    pub all: Option<Interval>,
    /// Over those of mixed networks.
    pub mixed: Option<Interval>,
}

/// See the module.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WithinNetworks {
    /// Networks.
    pub networks: usize,
    /// Pairs of pictures of one network with different labels.
    pub pairs: usize,
    /// Share of these pairs in which the fractured picture has the larger P.
    pub auc: Option<Interval>,
    /// Mixed networks.
    pub mixed: usize,
    /// Their pictures.
    pub mixed_pictures: usize,
    /// The judge.
    pub judge: Kappas,
    /// The judge, told the mean of its features over the network instead of those of the picture.
    pub network_mean: Kappas,
    /// The label that most labelled pictures of the network have.
    pub majority: Kappas,
    /// κ of the judge less κ of the network mean, on mixed networks.
    pub above_network_mean: Option<Interval>,
    /// Where the judge gives a verdict: P outside the unclear range. Chosen by the judge, so the baseline of
    /// the same pictures stands beside it.
    pub clear: Part,
    /// Where the viewer was not in doubt.
    pub sure: Part,
    /// Two viewers, on what both labelled; none without a second viewer.
    pub viewers: Option<Viewers>,
    /// Scores of networks against their labels; none without networks of at least 10 labels.
    pub scores: Option<ScoreErrors>,
}

/// Agreement on a part of the pictures. Which networks are mixed is told by all of their labels.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Part {
    /// Pictures.
    pub pictures: usize,
    /// Of mixed networks.
    pub mixed_pictures: usize,
    /// The judge.
    pub judge: Kappas,
    /// The judge, told the mean of its features over the network.
    pub network_mean: Kappas,
}

/// Agreement of two viewers.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Viewers {
    /// Pictures both labelled.
    pub pictures: usize,
    /// κ between them.
    pub kappa: Kappas,
    /// √κ: what a judge that is always right would have against one of two equally good viewers whose
    /// mistakes are independent.
    pub ceiling: Option<f64>,
}

/// How far the mean P(coherent) of a network is from the share that the viewer called coherent.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ScoreErrors {
    /// Networks with at least 10 labels.
    pub networks: usize,
    /// Mean of score − labels.
    pub bias: f64,
    /// Standard deviation of score − labels.
    pub sd: f64,
    /// What of the errors is the judge's and not the sample's: τ, between networks, bias included.
    pub between: f64,
    /// Share of networks whose labels lie in score ± 1.96·√(τ² + sampling), τ from the other networks.
    pub coverage: f64,
    /// The same on mixed networks; none without any.
    pub coverage_mixed: Option<f64>,
    /// Share of networks whose labels lie in Wilson's interval of the judge's labels, both unweighted.
    pub coverage_wilson: f64,
}

impl WithinNetworks {
    /// Of pictures in any order; none if there are none.
    pub fn of(seen: &[Seen]) -> Option<Self> {
        let mut networks: BTreeMap<&str, Vec<&Seen>> = BTreeMap::new();
        for s in seen {
            networks.entry(&s.network).or_default().push(s);
        }
        if networks.is_empty() {
            return None;
        }
        let all: Vec<Vec<&Seen>> = networks.into_values().collect();
        let mixed: Vec<Vec<&Seen>> = all.iter().filter(|n| is_mixed(n)).cloned().collect();
        let majorities = |n: &[&Seen]| 2 * n.iter().filter(|s| s.fractured).count() > n.len();
        let judge = |n: &[&Seen]| n.iter().map(|s| s.judged()).collect();
        let blind = |n: &[&Seen]| n.iter().map(|s| s.told()).collect();
        let majority = |n: &[&Seen]| n.iter().map(|s| (s.fractured, majorities(n))).collect();
        let viewers = |n: &[&Seen]| -> Vec<(bool, bool)> {
            n.iter().filter_map(|s| Some((s.fractured, s.second?))).collect()
        };
        let kappas = |of: Opinions<'_>| Kappas {
            all: jackknife(&all, &|n| kappa(&pooled(n, of))),
            mixed: jackknife(&mixed, &|n| kappa(&pooled(n, of))),
        };
        let part = |of: &dyn Fn(&Seen) -> bool| {
            let among = |n: &[&Seen], said: fn(&Seen) -> (bool, bool)| {
                n.iter().filter(|s| of(s)).map(|s| said(s)).collect::<Vec<_>>()
            };
            Part {
                pictures: pooled(&all, &|n| among(n, Seen::judged)).len(),
                mixed_pictures: pooled(&mixed, &|n| among(n, Seen::judged)).len(),
                judge: kappas(&|n| among(n, Seen::judged)),
                network_mean: kappas(&|n| among(n, Seen::told)),
            }
        };
        let both = pooled(&all, &viewers).len();
        let between = kappas(&viewers);
        Some(WithinNetworks {
            networks: all.len(),
            pairs: all.iter().map(|n| ordered(n).1).sum(),
            auc: jackknife(&all, &|n| {
                let (right, pairs) =
                    n.iter().map(|n| ordered(n)).fold((0.0, 0), |a, b| (a.0 + b.0, a.1 + b.1));
                (pairs > 0).then(|| right / pairs as f64)
            }),
            mixed: mixed.len(),
            mixed_pictures: mixed.iter().map(Vec::len).sum(),
            judge: kappas(&judge),
            network_mean: kappas(&blind),
            majority: kappas(&majority),
            above_network_mean: jackknife(&mixed, &|n| {
                Some(kappa(&pooled(n, &judge))? - kappa(&pooled(n, &blind))?)
            }),
            clear: part(&|s| !UNCLEAR.contains(&s.p)),
            sure: part(&|s| s.sure),
            viewers: (both > 0).then(|| Viewers {
                pictures: both,
                kappa: between,
                ceiling: between.all.map(|k| k.estimate.max(0.0).sqrt()),
            }),
            scores: ScoreErrors::of(&all),
        })
    }

    /// For people.
    pub fn table(&self) -> String {
        let shown = |i: Option<Interval>| match i {
            Some(i) => format!("{:.3} [{:.3}, {:.3}]", i.estimate, i.low, i.high),
            None => "none".into(),
        };
        let row = |name: &str, kappas: Kappas| {
            format!("{name:<34} {:<22} {}\n", shown(kappas.all), shown(kappas.mixed))
        };
        let mut text = format!(
            "within networks: {} networks, {} mixed ones with {} pictures; intervals over networks\n\
             AUC over {} pairs of one network  {}\n\
             {:<34} {:<22} kappa, mixed networks\n",
            self.networks,
            self.mixed,
            self.mixed_pictures,
            self.pairs,
            shown(self.auc),
            "",
            "kappa, all"
        );
        let viewers = self.viewers.map(|v| ("the two viewers", v.kappa));
        let rows = [
            ("the judge", self.judge),
            ("baseline: mean of the network", self.network_mean),
            ("baseline: majority of the network", self.majority),
        ];
        for (name, kappas) in rows.into_iter().chain(viewers) {
            text += &row(name, kappas);
        }
        for (name, part) in
            [("where it gives a verdict", self.clear), ("where the viewer was sure", self.sure)]
        {
            text += &format!(
                "{name}: {} pictures, {} of mixed networks\n",
                part.pictures, part.mixed_pictures
            );
            for (name, kappas) in
                [("the judge", part.judge), ("baseline: mean of the network", part.network_mean)]
            {
                text += &row(name, kappas);
            }
        }
        text += &format!(
            "judge above the network's mean, mixed networks  {}\n",
            shown(self.above_network_mean)
        );
        if let Some(v) = &self.viewers {
            let ceiling = v.ceiling.map_or("none".into(), |c| format!("{c:.3}"));
            text += &format!(
                "viewers on {} pictures; root of their kappa (a perfect judge, if they are equally good and independent)  {ceiling}\n",
                v.pictures
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

/// The P(fractured) of a judge that is told the mean log-odds of the network: for a logistic model that of
/// the mean of its (cut) features. `p` and `networks` in one order.
pub fn network_means(p: &[f64], networks: &[&str]) -> Vec<f64> {
    let mut sums: BTreeMap<&str, (f64, f64)> = BTreeMap::new();
    for (p, network) in p.iter().zip(networks) {
        let p = p.clamp(1e-9, 1.0 - 1e-9);
        let sum = sums.entry(network).or_default();
        sum.0 += real::ln(p / (1.0 - p));
        sum.1 += 1.0;
    }
    let mean = |network: &&str| sums[network].0 / sums[network].1;
    networks.iter().map(|network| 1.0 / (1.0 + real::exp(-mean(network)))).collect()
}

fn is_mixed(network: &[&Seen]) -> bool {
    let share = network.iter().filter(|s| s.fractured).count() as f64 / network.len() as f64;
    (MIXED..=1.0 - MIXED).contains(&share)
}

/// (pairs in order, ties half; pairs) of pictures with different labels.
fn ordered(network: &[&Seen]) -> (f64, usize) {
    let mut found = (0.0, 0);
    for a in network.iter().filter(|s| s.fractured) {
        for b in network.iter().filter(|s| !s.fractured) {
            found.0 += if a.p > b.p {
                1.0
            } else if a.p == b.p {
                0.5
            } else {
                0.0
            };
            found.1 += 1;
        }
    }
    found
}

fn pooled(networks: &[Vec<&Seen>], of: Opinions<'_>) -> Vec<(bool, bool)> {
    networks.iter().flat_map(|n| of(n)).collect()
}

fn kappa(pairs: &[(bool, bool)]) -> Option<f64> {
    let (a, b): (Vec<usize>, Vec<usize>) =
        pairs.iter().map(|&(a, b)| (usize::from(a), usize::from(b))).unzip();
    let table = Confusion::of(&a, &b, 2).ok()?;
    Some(table.kappa(LEVEL).ok()?.kappa.estimate)
}

/// `statistic` of all networks, with its delete-one jackknife interval; none where it is none, also
/// without any one network, or of fewer than three. All statistics here lie in [−1, 1].
fn jackknife(
    networks: &[Vec<&Seen>],
    statistic: &dyn Fn(&[Vec<&Seen>]) -> Option<f64>,
) -> Option<Interval> {
    let n = networks.len();
    if n < 3 {
        return None;
    }
    let estimate = statistic(networks)?;
    let mut left_out = Vec::with_capacity(n);
    for out in 0..n {
        let others: Vec<_> = networks
            .iter()
            .enumerate()
            .filter(|(i, _)| *i != out)
            .map(|(_, n)| n.clone())
            .collect();
        left_out.push(statistic(&others)?);
    }
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
    fn of(network: &[&Seen]) -> Self {
        let total: f64 = network.iter().map(|s| s.weight).sum();
        let mean = |of: &dyn Fn(&Seen) -> f64| {
            network.iter().map(|s| s.weight * of(s)).sum::<f64>() / total
        };
        let labels = mean(&|s| f64::from(u8::from(!s.fractured)));
        let squares: f64 = network.iter().map(|s| s.weight * s.weight * s.p * (1.0 - s.p)).sum();
        let coherent = network.iter().filter(|s| s.p <= 0.5).count();
        let naive = wilson(coherent, network.len(), LEVEL).expect("a network with pictures");
        let said = network.iter().filter(|s| !s.fractured).count() as f64 / network.len() as f64;
        ScoreError {
            error: mean(&|s| 1.0 - s.p) - labels,
            sampling: squares / (total * total),
            mixed: is_mixed(network),
            wilson: naive.low <= said && said <= naive.high,
        }
    }
}

/// τ² by the method of moments: mean (error² − sampling), not below 0.
fn between(errors: &[&ScoreError]) -> f64 {
    let sum: f64 = errors.iter().map(|e| e.error * e.error - e.sampling).sum();
    (sum / errors.len() as f64).max(0.0)
}

impl ScoreErrors {
    fn of(networks: &[Vec<&Seen>]) -> Option<Self> {
        let errors: Vec<ScoreError> =
            networks.iter().filter(|n| n.len() >= LABELS).map(|n| ScoreError::of(n)).collect();
        if errors.len() < 3 {
            return None;
        }
        let n = errors.len() as f64;
        let bias = errors.iter().map(|e| e.error).sum::<f64>() / n;
        let squares: f64 = errors.iter().map(|e| (e.error - bias) * (e.error - bias)).sum();
        let z = crate::math::stats::normal_quantile(0.5 + LEVEL / 2.0);
        let covered: Vec<bool> = (0..errors.len())
            .map(|out| {
                let others: Vec<&ScoreError> =
                    errors.iter().enumerate().filter(|(i, _)| *i != out).map(|(_, e)| e).collect();
                let e = &errors[out];
                e.error.abs() <= z * (between(&others) + e.sampling).sqrt()
            })
            .collect();
        let share = |of: &dyn Fn(usize) -> bool, among: &dyn Fn(usize) -> bool| {
            let places: Vec<usize> = (0..errors.len()).filter(|&i| among(i)).collect();
            let held = places.iter().filter(|&&i| of(i)).count();
            (!places.is_empty()).then(|| held as f64 / places.len() as f64)
        };
        Some(ScoreErrors {
            networks: errors.len(),
            bias,
            sd: (squares / (n - 1.0)).sqrt(),
            between: between(&errors.iter().collect::<Vec<_>>()).sqrt(),
            coverage: share(&|i| covered[i], &|_| true)?,
            coverage_mixed: share(&|i| covered[i], &|i| errors[i].mixed),
            coverage_wilson: share(&|i| errors[i].wilson, &|_| true)?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(network: &str, fractured: bool, p: f64) -> Seen {
        Seen {
            network: network.into(),
            fractured,
            sure: p > 0.8,
            second: Some(fractured),
            weight: 1.0,
            p,
            blind: 0.4,
        }
    }

    #[test]
    fn pairs_within_networks_and_kappas_by_hand() {
        // a and b are mixed, c is not. In a one of two pairs is in order, in b both, c has none.
        let mut all = vec![
            seen("a", true, 0.6),
            seen("a", false, 0.7),
            seen("a", false, 0.2),
            seen("b", true, 0.9),
            seen("b", false, 0.1),
            seen("b", false, 0.3),
            seen("c", true, 0.9),
            seen("c", true, 0.8),
            seen("c", true, 0.2),
        ];
        all[8].second = Some(false);
        let found = WithinNetworks::of(&all).unwrap();
        assert_eq!((found.networks, found.mixed, found.mixed_pictures, found.pairs), (3, 2, 6, 4));
        assert!((found.auc.unwrap().estimate - 0.75).abs() < 1e-12);
        // Judge: 7 of 9 right; truth 5 fractured, judge 5: p_e = (5·5 + 4·4)/81.
        let p_e = 41.0 / 81.0;
        let expected = (7.0 / 9.0 - p_e) / (1.0 - p_e);
        assert!((found.judge.all.unwrap().estimate - expected).abs() < 1e-12);
        // Two networks are too few for a jackknife.
        assert!(found.judge.mixed.is_none() && found.scores.is_none());
        // The majority is coherent in a and b, fractured in c: 7 of 9, 3 called fractured.
        let p_e = (5.0 * 3.0 + 4.0 * 6.0) / 81.0;
        let expected = (7.0 / 9.0 - p_e) / (1.0 - p_e);
        assert!((found.majority.all.unwrap().estimate - expected).abs() < 1e-12);
        // Outside [¼, ¾] lie six, three of them in a and b; the viewer was sure of two.
        assert_eq!(
            (found.clear.pictures, found.clear.mixed_pictures, found.sure.pictures),
            (6, 3, 2)
        );
        let viewers = found.viewers.unwrap();
        assert_eq!(viewers.pictures, 9);
        assert!(viewers.ceiling.unwrap() > viewers.kappa.all.unwrap().estimate);
        assert!(found.table().contains("3 networks, 2 mixed ones with 6 pictures"));
    }

    #[test]
    fn a_judge_that_is_right_about_every_network_has_no_error_between_them() {
        let mut rng = crate::math::SimRng::new(5, "test", 0);
        let draw = |shift: f64, rng: &mut crate::math::SimRng| -> Vec<Seen> {
            (0..120)
                .flat_map(|k| {
                    let p = 0.1 + 0.8 * rng.uniform();
                    let side = if k % 2 == 0 { shift } else { -shift };
                    (0..16)
                        .map(|_| seen(&k.to_string(), rng.chance(p), p + side))
                        .collect::<Vec<_>>()
                })
                .map(|s| Seen { p: s.p.clamp(0.0, 1.0), ..s })
                .collect()
        };
        let right = WithinNetworks::of(&draw(0.0, &mut rng)).unwrap().scores.unwrap();
        assert!(right.between < 0.04 && right.bias.abs() < 0.03, "{right:?}");
        assert!((0.9..=0.99).contains(&right.coverage), "{right:?}");
        // One that is off by .1 either way: the error is found, and the interval carries it.
        let off = WithinNetworks::of(&draw(0.1, &mut rng)).unwrap().scores.unwrap();
        assert!((off.between - 0.1).abs() < 0.03, "{off:?}");
        assert!((0.88..=1.0).contains(&off.coverage), "{off:?}");
    }

    #[test]
    fn the_mean_of_a_network_is_that_of_its_log_odds() {
        let found = network_means(&[0.5, 0.9, 0.1], &["a", "b", "b"]);
        assert!((found[0] - 0.5).abs() < 1e-12 && (found[2] - 0.5).abs() < 1e-12);
        assert_eq!(found[1], found[2]);
    }
}
