//! CMA-ES with a full covariance: `xᵢ = m + σ·√C·zᵢ`; the ranks of the losses at xᵢ move m, σ and C.
//!
//! n = living links; the mean m is the weights. One step is one generation of λ + 1 losses (the one more
//! is that of the mean, which the [`Step`] reports) and no gradient, rate or gradient rule. Constants and
//! updates are those of Hansen's tutorial with negative weights (active CMA). √C is the symmetric root,
//! computed anew every ⌈1/((c₁ + c_μ)·10n)⌉ generations: samples of it do not depend on the sign and the
//! order in which eigenvectors are found. Deviations `[ours]`: a generation whose losses are all the same
//! has no ranks, so only σ grows, by the tutorial's e^(0.2 + c_σ/d_σ); σ is at most 10⁴ times its first
//! value; eigenvalues are at least 10⁻¹⁴ of the largest. The [`Step`]'s norm is that of the mean's step
//! in units of σ·√C, ‖Σwᵢzᵢ‖; 0 where nothing moved.
//! Reference: Hansen 2016, "The CMA Evolution Strategy: A Tutorial", arXiv:1604.00772.

use super::cma_constants::Constants;
use super::noise::{Noise, rank};
use super::step::{Evaluate, Scalar, Step};
use crate::base::choice::options;
use crate::base::real;
use crate::network::Mask;
use nalgebra::{DMatrix, SymmetricEigen};
use serde::{Deserialize, Serialize};

/// Most living links: C has n² numbers, and its root takes about n³ operations `[ours]`.
pub(super) const MOST_LINKS: usize = 2000;
/// Most that σ grows, in multiples of its first value.
const MOST_GROWTH: f64 = 1e4;
/// Least eigenvalue of C, in parts of the largest.
const LEAST_EIGENVALUE: f64 = 1e-14;

options! {
    /// Settings of CMA-ES.
    pub struct CmaEsConfig {
        /// λ, candidates a step; 4 + ⌊3 ln n⌋ for n living links unless given.
        #[serde(skip_serializing_if = "Option::is_none")]
        population: Option<usize> = None, range: Range::between(4.0, 1e6), unless: "4 + ⌊3 ln n⌋", source: "Hansen";
        /// σ, the first standard deviation of the candidates around the weights.
        sigma: f64 = 0.3, range: Range::POSITIVE, source: "ours";
    }
}

/// State of CMA-ES.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(bound = "")]
pub(crate) struct CmaEs<T: Scalar> {
    config: CmaEsConfig,
    pub(super) noise: Noise,
    /// `None` before the first step, which knows the mask.
    search: Option<Search>,
    #[serde(skip)]
    work: Work<T>,
}

/// Where the search stands. Symmetric matrices are kept as their lower triangles, row by row.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Search {
    /// m, (n,); the weights are its nearest numbers of their type.
    mean: Vec<f64>,
    sigma: f64,
    /// p_σ, (n,).
    path_sigma: Vec<f64>,
    /// p_c, (n,).
    path_c: Vec<f64>,
    /// C, (n(n + 1)/2,).
    covariance: Vec<f64>,
    /// √C of the generation `rooted`, (n(n + 1)/2,).
    root: Vec<f64>,
    #[serde(deserialize_with = "crate::base::text::count::<53, _, _>")]
    generation: u64,
    #[serde(deserialize_with = "crate::base::text::count::<53, _, _>")]
    rooted: u64,
}

/// Buffers of a generation.
#[derive(Clone, Debug, Default, PartialEq)]
struct Work<T> {
    /// Indices of the living links, (n,).
    living: Vec<usize>,
    /// (W,).
    trial: Vec<T>,
    /// z and y = √C·z, (λ, n) each.
    normals: Vec<f64>,
    steps: Vec<f64>,
    /// (λ,).
    losses: Vec<f64>,
    order: Vec<usize>,
}

/// Numbers of a lower triangle of n rows.
fn triangle(n: usize) -> usize {
    n * (n + 1) / 2
}

fn norm(v: &[f64]) -> f64 {
    v.iter().map(|x| x * x).sum::<f64>().sqrt()
}

impl<T: Scalar> CmaEs<T> {
    pub(super) fn new(config: CmaEsConfig) -> Self {
        CmaEs { config, noise: Noise::new(0, 0), search: None, work: Work::default() }
    }

    /// Lengths that differ from what the state's own n asks for, and n if it is above `weights`.
    pub(super) fn wrong_length(&self, weights: usize) -> Option<usize> {
        let search = self.search.as_ref()?;
        let n = search.mean.len();
        let vectors = [search.path_sigma.len(), search.path_c.len()];
        let matrices = [search.covariance.len(), search.root.len()];
        let of_matrix = matrices.into_iter().find(|&length| length != triangle(n));
        let of_vector = vectors.into_iter().find(|&length| length != n);
        of_vector.or(of_matrix).or((n > weights).then_some(n))
    }

    /// One generation.
    pub(super) fn step(
        &mut self,
        weights: &mut [T],
        mask: &Mask,
        evaluate: &mut dyn Evaluate<T>,
    ) -> Step {
        let loss = evaluate.loss(weights);
        let mut step = Step { loss, gradient_norm: 0.0, evaluations: 1, stuck: false };
        let work = &mut self.work;
        work.living.clear();
        work.living.extend((0..weights.len()).filter(|&i| mask.0[i]));
        let n = work.living.len();
        if !loss.is_finite() || n == 0 {
            return step;
        }
        // Another mask is another space; weights that somebody moved are the new mean.
        let search = match &mut self.search {
            Some(search) if search.mean.len() == n => search,
            other => other.insert(Search::new(n, self.config.sigma)),
        };
        for (m, &i) in search.mean.iter_mut().zip(&work.living) {
            if T::narrow(*m) != weights[i] {
                *m = weights[i].wide();
            }
        }
        let constants = Constants::of(n, self.config.population);
        search.take_root(&constants);

        let mut rng = self.noise.next("cma-es");
        work.normals.clear();
        work.normals.extend((0..constants.population * n).map(|_| rng.normal()));
        work.steps.clear();
        work.steps.resize(constants.population * n, 0.0);
        work.trial.clear();
        work.trial.extend_from_slice(weights);
        work.losses.clear();
        for (z, y) in work.normals.chunks_exact(n).zip(work.steps.chunks_exact_mut(n)) {
            multiply(&search.root, z, y);
            for ((&i, m), y) in work.living.iter().zip(&search.mean).zip(&*y) {
                work.trial[i] = T::narrow(m + search.sigma * y);
            }
            work.losses.push(evaluate.loss(&work.trial));
        }
        step.evaluations += work.losses.len();
        rank(&mut work.losses, &mut work.order);
        let most = MOST_GROWTH * self.config.sigma;
        step.gradient_norm = search.update(&constants, work, most);
        for (m, &i) in search.mean.iter().zip(&work.living) {
            weights[i] = T::narrow(*m);
        }
        step
    }
}

/// y = A·z for a symmetric A, given as its lower triangle. z, y: (n,).
fn multiply(a: &[f64], z: &[f64], y: &mut [f64]) {
    y.fill(0.0);
    let mut row = 0;
    for i in 0..z.len() {
        let (before, rest) = y.split_at_mut(i);
        let mut sum = a[row + i] * z[i];
        for ((a, y), z_j) in a[row..row + i].iter().zip(before).zip(z) {
            sum += a * z_j;
            *y += a * z[i];
        }
        rest[0] += sum;
        row += i + 1;
    }
}

impl Search {
    /// C = I, both paths 0; the mean is set by the caller.
    fn new(n: usize, sigma: f64) -> Self {
        let mut identity = vec![0.0; triangle(n)];
        (0..n).for_each(|i| identity[triangle(i) + i] = 1.0);
        Search {
            mean: vec![0.0; n],
            sigma,
            path_sigma: vec![0.0; n],
            path_c: vec![0.0; n],
            root: identity.clone(),
            covariance: identity,
            generation: 0,
            rooted: 0,
        }
    }

    /// Computes √C if it is due. Without an answer in 10⁵ iterations the last root stays.
    fn take_root(&mut self, constants: &Constants) {
        if self.generation - self.rooted < constants.root_every {
            return;
        }
        self.rooted = self.generation;
        let (n, c) = (self.mean.len(), &self.covariance);
        let matrix = DMatrix::from_fn(n, n, |i, j| c[triangle(i.max(j)) + i.min(j)]);
        let Some(eigen) = SymmetricEigen::try_new(matrix, f64::EPSILON, 100_000) else { return };
        let least = LEAST_EIGENVALUE * eigen.eigenvalues.max();
        self.root.fill(0.0);
        for (vector, value) in eigen.eigenvectors.column_iter().zip(eigen.eigenvalues.iter()) {
            let vector = vector.as_slice();
            add_outer(&mut self.root, value.max(least).sqrt(), vector);
        }
    }

    /// One generation's update of mean, paths, covariance and σ; returns ‖Σwᵢzᵢ‖.
    fn update<T>(&mut self, constants: &Constants, work: &Work<T>, most_sigma: f64) -> f64 {
        let Constants { weights, parents, mu_eff, c_sigma, d_sigma, c_c, c_1, c_mu, .. } =
            constants;
        self.generation += 1;
        let (first, last) = (work.order[0], work.order[work.order.len() - 1]);
        if work.losses[first] == work.losses[last] {
            self.sigma = (self.sigma * real::exp(0.2 + c_sigma / d_sigma)).min(most_sigma);
            return 0.0;
        }
        let n = self.mean.len();
        let vector = |all: &[f64], i: usize| -> Vec<f64> { all[i * n..][..n].to_vec() };
        let mean_of = |all: &[f64]| {
            let mut sum = vec![0.0; n];
            for (&i, w) in work.order[..*parents].iter().zip(weights) {
                for (sum, x) in sum.iter_mut().zip(&all[i * n..]) {
                    *sum += w * x;
                }
            }
            sum
        };
        let (y_w, z_w) = (mean_of(&work.steps), mean_of(&work.normals));
        for (m, y) in self.mean.iter_mut().zip(&y_w) {
            *m += self.sigma * y;
        }
        let pull = (c_sigma * (2.0 - c_sigma) * mu_eff).sqrt();
        for (p, z) in self.path_sigma.iter_mut().zip(&z_w) {
            *p = (1.0 - c_sigma) * *p + pull * z;
        }
        let length = norm(&self.path_sigma) / constants.normal_length;
        let forgotten = 1.0 - real::pow(1.0 - c_sigma, 2.0 * self.generation as f64);
        let is_short = length / forgotten.sqrt() < 1.4 + 2.0 / (n as f64 + 1.0);
        let h = if is_short { 1.0 } else { 0.0 };
        let pull = h * (c_c * (2.0 - c_c) * mu_eff).sqrt();
        for (p, y) in self.path_c.iter_mut().zip(&y_w) {
            *p = (1.0 - c_c) * *p + pull * y;
        }
        let sum: f64 = weights.iter().sum();
        let keep = 1.0 + c_1 * (1.0 - h) * c_c * (2.0 - c_c) - c_1 - c_mu * sum;
        self.covariance.iter_mut().for_each(|c| *c *= keep);
        add_outer(&mut self.covariance, *c_1, &self.path_c);
        for (&i, &w) in work.order.iter().zip(weights) {
            let z = norm(&vector(&work.normals, i));
            let w = if w < 0.0 { w * n as f64 / (z * z) } else { w };
            add_outer(&mut self.covariance, c_mu * w, &work.steps[i * n..][..n]);
        }
        let growth = real::exp(c_sigma / d_sigma * (length - 1.0));
        self.sigma = (self.sigma * growth).min(most_sigma);
        norm(&z_w)
    }
}

/// A += s·v·vᵀ on the lower triangle. v: (n,).
fn add_outer(a: &mut [f64], s: f64, v: &[f64]) {
    let mut row = 0;
    for (i, v_i) in v.iter().enumerate() {
        let factor = s * v_i;
        for (a, v_j) in a[row..row + i + 1].iter_mut().zip(v) {
            *a += factor * v_j;
        }
        row += i + 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_root_is_symmetric_and_its_square_is_the_covariance() {
        let mut search = Search::new(3, 1.0);
        search.covariance = vec![4.0, 1.0, 3.0, -0.5, 0.25, 2.0];
        search.generation = 1_000;
        search.take_root(&Constants::of(3, None));
        let r = &search.root;
        let full = DMatrix::from_fn(3, 3, |i, j| r[triangle(i.max(j)) + i.min(j)]);
        let square = &full * &full;
        for i in 0..3 {
            for j in 0..=i {
                let expected = search.covariance[triangle(i) + j];
                assert!((square[(i, j)] - expected).abs() < 1e-14, "{square}");
            }
        }
        let mut y = [0.0; 3];
        multiply(r, &[1.0, -2.0, 0.5], &mut y);
        let expected = full * nalgebra::Vector3::new(1.0, -2.0, 0.5);
        (0..3).for_each(|i| assert!((y[i] - expected[i]).abs() < 1e-15, "{y:?} {expected}"));
    }

    #[test]
    fn a_generation_of_equal_losses_only_widens_the_search() {
        let config = CmaEsConfig { sigma: 0.5, ..CmaEsConfig::default() };
        let mut cma = CmaEs::<f64>::new(config);
        let mut w = [1.0, 0.0, -2.0];
        let mask = Mask(vec![true, false, true]);
        let before = w;
        let mut constant = |_: &[f64], _: &mut [f64]| 0.25;
        let mut evaluate = super::super::step::Closure::new(&mut constant);
        let step = cma.step(&mut w, &mask, &mut evaluate);
        let c = Constants::of(2, None);
        assert_eq!((w, step.gradient_norm, step.evaluations), (before, 0.0, 7));
        let search = cma.search.unwrap();
        let expected = 0.5 * real::exp(0.2 + c.c_sigma / c.d_sigma);
        assert_eq!((search.sigma, search.path_c), (expected, vec![0.0; 2]));
    }
}
