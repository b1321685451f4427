//! Label agreement \[ours\]: do links that people gave one label change the picture alike?
//!
//! For each labelled link, D = picture at w + δ₊ minus picture at w − δ₋ (matched effect), the picture at w
//! in the place of a silent side; links with two silent sides are left out. For each pair of links
//! |cos(Dᵢ, Dⱼ)| ∈ [0, 1]: 1 if they change the picture in the same place and way, whichever sign the weights
//! have. AUC = P(a pair with one label is more alike than a pair with two), equals counting half: ½ is
//! chance, 1 perfect.
//!
//! *Rotated*: the same labels on random mixtures of the links' differences, in which no link is left. Near the AUC of the
//! links it says that links are nothing special.
//!
//! Pairs share links, so they are not independent: the interval is the leave-one-link-out
//! jackknife (Student's t, n − 1), and the p value shuffles labels *among links*, one-sided.
//!
//! In: (n, 3P) differences, n labels, n ≤ 400. Out: AUC and p in [0, 1], mean |cos| within and between labels.
//! Cost: the sweep, at most 2n drawings of P pixels, four times n²/2 cosines and three times n² sums of 3P numbers,
//! n rankings and 1000 shuffles of n²/2 pairs.
//!
//! Source: the labels are those of Huizinga, Stanley & Clune, *The emergence of canalization and
//! evolvability in an open-ended, interactive evolutionary system*, 2018.
//!
//! **What it does not mean:** it judges the picture distance as much as the network; and links on
//! one path act alike whatever they are called. It validates automatic scores against people, it is
//! no score itself.

use nalgebra::DMatrix;
use picloom::base::SimRng;
use picloom::base::refusal::Refusal;
use picloom::base::stats::{Interval, ranks, student_quantile, too_few, unlike_lengths};
use picloom::genome::Genome;
use picloom::network::{Coords, Model, Wiring, compile};
use picloom::probe::{Delta, View, WeightSweep};
use picloom::score::JudgeError;
use picloom::score::measures::own::{Column, Measures, Numbers, Subject};
use picloom::score::measures::{cosine, dot};
use rayon::prelude::*;
use std::collections::BTreeSet;

/// Random rotations that the labels are also tried on.
const ROTATIONS: u32 = 3;

/// Agreement of labels with what links do.
#[derive(Clone, Debug, PartialEq)]
pub struct LabelAgreement {
    /// Labelled links that change the picture.
    pub links: usize,
    /// Different labels among them.
    pub labels: usize,
    /// Pairs with one label.
    pub within: usize,
    /// Pairs with two labels.
    pub between: usize,
    /// Mean |cos| of the pairs with one label.
    pub mean_within: f64,
    /// Mean |cos| of the pairs with two labels.
    pub mean_between: f64,
    /// AUC with its 95 % jackknife interval, cut to [0, 1].
    pub auc: Interval,
    /// Mean AUC of the same labels on rotated directions: random mixtures of the links' normed differences.
    pub rotated: f64,
    /// One-sided permutation p: (1 + hits)/(1 + permutations).
    pub p: f64,
    /// Shuffles of the labels.
    pub permutations: usize,
}

/// Labelled links that are moved, at most.
const MOST_LABELLED: usize = 400;

/// Shuffles of the labels.
const PERMUTATIONS: usize = 1000;

impl LabelAgreement {
    /// The agreement of a genome's labels, with its links moved by `delta` and drawn at `size`². None: fewer than three
    /// labelled links, one label only, or no two links with the same one.
    pub(crate) fn of(
        genome: &Genome,
        (size, coords): (usize, Coords),
        delta: Delta,
        seed: u64,
    ) -> Option<Self> {
        let (model, labels) = labelled_links(genome);
        let links: Vec<usize> = (0..labels.len())
            .filter(|&i| labels[i].is_some() && model.weights.0[i] != 0.0)
            .take(MOST_LABELLED)
            .collect();
        if links.len() < 3 {
            return None;
        }
        let view = View::new(&model, size, coords);
        let moved = differences(&view, &view.sweep(&links, delta, &|_| {}));
        let (links, moved): (Vec<usize>, Vec<Vec<f32>>) = moved.into_iter().unzip();
        let names: Vec<&str> = links.iter().filter_map(|&i| labels[i].as_deref()).collect();
        let mut rng = SimRng::new(seed, "card-labels", 0);
        label_agreement(&moved, &names, PERMUTATIONS, &mut rng).ok()
    }

    /// How much more links with one label are alike than the same labels on rotated directions, in AUC.
    pub(crate) fn advantage(&self) -> f64 {
        self.auc.estimate - self.rotated
    }
}

/// The agreement of an evolved network's labels.
pub(crate) struct Labels;

impl Measures for Labels {
    fn key(&self) -> &'static str {
        "organisation"
    }

    fn columns(&self) -> &[Column] {
        const BEFORE: Option<&str> = Some("modules_density");
        &[
            Column {
                name: "label_advantage",
                label: "label advantage",
                says: "The same less that of the labels on rotated directions: how special single links are.",
                before: BEFORE,
            },
            Column {
                name: "label_agreement",
                label: "label agreement",
                says: "AUC of links with one label (people's, or parts of a composed genome) changing the picture alike; of evolved networks.",
                before: BEFORE,
            },
        ]
    }

    fn of(&self, network: &Subject<'_>) -> Result<Numbers, JudgeError> {
        let at = (network.view.size(), network.view.coords());
        let of = |genome| LabelAgreement::of(genome, at, network.delta, network.seed);
        Ok(network.genome.and_then(of).map_or(Vec::new(), |found| {
            vec![("label_agreement", found.auc.estimate), ("label_advantage", found.advantage())]
        }))
    }
}

/// A genome as its graph network, with the first label of the gene behind each link (`None`:
/// unlabelled).
pub fn labelled_links(genome: &Genome) -> (Model, Vec<Option<String>>) {
    // Weights that number the genes show which link came from which gene; exact in f32.
    let mut numbered = genome.clone();
    let genes: Vec<_> = genome.connections().collect();
    for (k, gene) in genes.iter().enumerate() {
        numbered
            .set_weight(gene.innovation, (k + 1) as f64)
            .expect("the gene is in the genome and its number finite");
    }
    let labels = compile(&numbered)
        .1
        .0
        .iter()
        .map(|&number| genes[number as usize - 1].labels.first().cloned())
        .collect();
    (Model::of_genome(genome, Wiring::Graph), labels)
}

/// The effects of moving each swept link: (link, D (3P,)), links in the order of the sweep, silent
/// ones left out. A link with one silent side is compared with the base.
pub fn differences(view: &View, sweep: &WeightSweep) -> Vec<(usize, Vec<f32>)> {
    let base = &view.picture().rgb;
    sweep
        .perturbations
        .par_chunk_by(|a, b| a.link == b.link)
        .map_init(
            || view.painter(),
            |painter, pair| {
                let mut sum = vec![0.0f32; base.len()];
                let mut moved = false;
                for p in pair.iter().filter(|p| !p.silent) {
                    let picture = painter.draw(p);
                    let sign = if p.delta < 0.0 { -1.0 } else { 1.0 };
                    for ((s, &now), &before) in sum.iter_mut().zip(&picture.rgb).zip(base) {
                        *s += sign * (now - before);
                    }
                    moved = true;
                }
                moved.then_some((pair[0].link, sum))
            },
        )
        .flatten()
        .collect()
}

/// Agreement of `labels` with the `differences` of the same links; `permutations` shuffles.
///
/// # Errors
/// Unequal lengths; fewer than 3 links; no pair with one label, or none with two, also after
/// leaving out any one link.
pub fn label_agreement(
    differences: &[Vec<f32>],
    labels: &[&str],
    permutations: usize,
    rng: &mut SimRng,
) -> Result<LabelAgreement, Refusal> {
    let what = "label agreement";
    let n = labels.len();
    if differences.len() != n {
        return Err(unlike_lengths(what, differences.len(), n));
    }
    if n < 3 {
        return Err(too_few(what, 3, n));
    }
    let pairs: Vec<(usize, usize)> = (0..n).flat_map(|i| (0..i).map(move |j| (i, j))).collect();
    let alike: Vec<f64> =
        pairs.par_iter().map(|&(i, j)| cosine(&differences[i], &differences[j]).abs()).collect();
    let same = |labels: &[&str]| -> Vec<bool> {
        pairs.iter().map(|&(i, j)| labels[i] == labels[j]).collect()
    };
    let within = same(labels);
    let ranked = ranks(&alike);
    let estimate = from_ranks(&ranked, &within)?;

    let mut left_out = Vec::with_capacity(n);
    for out in 0..n {
        let kept: Vec<usize> =
            (0..pairs.len()).filter(|&k| pairs[k].0 != out && pairs[k].1 != out).collect();
        let values: Vec<f64> = kept.iter().map(|&k| alike[k]).collect();
        let flags: Vec<bool> = kept.iter().map(|&k| within[k]).collect();
        left_out.push(from_ranks(&ranks(&values), &flags)?);
    }
    let mean = left_out.iter().sum::<f64>() / n as f64;
    let spread: f64 = left_out.iter().map(|a| (a - mean) * (a - mean)).sum();
    let error = (spread * (n - 1) as f64 / n as f64).sqrt();
    let half = student_quantile(0.975, (n - 1) as f64) * error;

    let mut shuffled = labels.to_vec();
    let mut hits = 0;
    for _ in 0..permutations {
        rng.shuffle(&mut shuffled);
        if from_ranks(&ranked, &same(&shuffled))? >= estimate - 1e-12 {
            hits += 1;
        }
    }
    let mut turned = 0.0;
    for _ in 0..ROTATIONS {
        let moved = rotated(differences, rng);
        let alike: Vec<f64> =
            pairs.par_iter().map(|&(i, j)| cosine(&moved[i], &moved[j]).abs()).collect();
        turned += from_ranks(&ranks(&alike), &within)? / f64::from(ROTATIONS);
    }
    let mean_of = |wanted: bool| {
        let found: Vec<f64> =
            alike.iter().zip(&within).filter(|(_, w)| **w == wanted).map(|(a, _)| *a).collect();
        found.iter().sum::<f64>() / found.len() as f64
    };
    let count = within.iter().filter(|w| **w).count();
    Ok(LabelAgreement {
        links: n,
        labels: labels.iter().collect::<BTreeSet<_>>().len(),
        within: count,
        between: within.len() - count,
        mean_within: mean_of(true),
        mean_between: mean_of(false),
        auc: Interval {
            estimate,
            low: (estimate - half).max(0.0),
            high: (estimate + half).min(1.0),
        },
        rotated: turned,
        p: f64::from(1 + hits) / (1 + permutations) as f64,
        permutations,
    })
}

/// The differences at one length, turned by a random rotation: each becomes a mixture of all.
fn rotated(differences: &[Vec<f32>], rng: &mut SimRng) -> Vec<Vec<f32>> {
    let n = differences.len();
    let q = DMatrix::from_fn(n, n, |_, _| rng.normal()).qr().q();
    let norm = |d: &Vec<f32>| dot(d, d).sqrt().max(1e-12);
    let norms: Vec<f64> = differences.iter().map(norm).collect();
    let mixture = |i: usize| {
        let mut sum = vec![0.0f32; differences[0].len()];
        for (j, difference) in differences.iter().enumerate() {
            let share = (q[(i, j)] / norms[j]) as f32;
            sum.iter_mut().zip(difference).for_each(|(s, d)| *s += share * d);
        }
        sum
    };
    (0..n).into_par_iter().map(mixture).collect()
}

/// AUC of the flagged values over the others, from the ranks of all.
fn from_ranks(ranks: &[f64], flagged: &[bool]) -> Result<f64, Refusal> {
    let m = flagged.iter().filter(|f| **f).count();
    let rest = flagged.len() - m;
    if m == 0 || rest == 0 {
        return Err(too_few("label agreement (pairs with one label, pairs with two)", 1, 0));
    }
    let sum: f64 = ranks.iter().zip(flagged).filter(|(_, f)| **f).map(|(r, _)| r).sum();
    Ok((sum - (m * (m + 1)) as f64 / 2.0) / (m * rest) as f64)
}
