//! Constants of CMA-ES: Hansen's tutorial (arXiv:1604.00772), table 1 and equations 49 to 58.

use crate::base::real;

/// The constants of the update, for n dimensions.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Constants {
    /// λ.
    pub(super) population: usize,
    /// w, (λ,), best first: those of the parents sum to 1, the last are negative.
    pub(super) weights: Vec<f64>,
    /// μ = ⌊λ/2⌋.
    pub(super) parents: usize,
    pub(super) mu_eff: f64,
    pub(super) c_sigma: f64,
    pub(super) d_sigma: f64,
    pub(super) c_c: f64,
    pub(super) c_1: f64,
    pub(super) c_mu: f64,
    /// Expected length of an n-dimensional normal vector.
    pub(super) normal_length: f64,
    /// Generations between two roots of C.
    pub(super) root_every: u64,
}

impl Constants {
    /// The defaults for n ≥ 1 dimensions; `population` takes the place of λ = 4 + ⌊3 ln n⌋.
    pub(super) fn of(n: usize, population: Option<usize>) -> Self {
        let dimensions = n as f64;
        let default = 4 + (3.0 * real::ln(dimensions)).floor() as usize;
        let population = population.unwrap_or(default);
        let parents = population / 2;
        let middle = real::ln((population as f64 + 1.0) / 2.0);
        let raw: Vec<f64> = (1..=population).map(|i| middle - real::ln(i as f64)).collect();
        let mass = |weights: &[f64]| {
            let sum: f64 = weights.iter().sum();
            sum * sum / weights.iter().map(|w| w * w).sum::<f64>()
        };
        let (mu_eff, mu_eff_negative) = (mass(&raw[..parents]), mass(&raw[parents..]));

        let n = dimensions;
        let c_sigma = (mu_eff + 2.0) / (n + mu_eff + 5.0);
        let excess = ((mu_eff - 1.0) / (n + 1.0)).max(0.0).sqrt() - 1.0;
        let d_sigma = 1.0 + 2.0 * excess.max(0.0) + c_sigma;
        let c_c = (4.0 + mu_eff / n) / (n + 4.0 + 2.0 * mu_eff / n);
        let c_1 = 2.0 / ((n + 1.3) * (n + 1.3) + mu_eff);
        let c_mu = 2.0 * (0.25 + mu_eff + 1.0 / mu_eff - 2.0) / ((n + 2.0) * (n + 2.0) + mu_eff);
        let c_mu = c_mu.min(1.0 - c_1);

        let most_negative = (1.0 + c_1 / c_mu)
            .min(1.0 + 2.0 * mu_eff_negative / (mu_eff + 2.0))
            .min((1.0 - c_1 - c_mu) / (n * c_mu));
        let sum = |sign: f64| raw.iter().map(|w| (sign * w).max(0.0)).sum::<f64>();
        let (positive, negative) = (sum(1.0), sum(-1.0));
        let scaled = |w: &f64| if *w >= 0.0 { w / positive } else { w * most_negative / negative };
        Constants {
            weights: raw.iter().map(scaled).collect(),
            population,
            parents,
            mu_eff,
            c_sigma,
            d_sigma,
            c_c,
            c_1,
            c_mu,
            normal_length: n.sqrt() * (1.0 - 1.0 / (4.0 * n) + 1.0 / (21.0 * n * n)),
            root_every: (1.0 / ((c_1 + c_mu) * n * 10.0)).ceil() as u64,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_constants_of_ten_dimensions_by_hand() {
        // λ = 4 + ⌊6.9⌋ = 10, μ = 5, w' = ln 5.5 − ln i.
        let c = Constants::of(10, None);
        assert_eq!((c.population, c.parents, c.root_every), (10, 5, 1));
        let positive: f64 = c.weights[..5].iter().sum();
        assert!((positive - 1.0).abs() < 1e-15);
        assert!((c.weights[0] / c.weights[4] - real::ln(5.5) / real::ln(1.1)).abs() < 1e-12);
        assert!((c.mu_eff - 3.167299).abs() < 1e-6, "{}", c.mu_eff);
        assert!((c.c_sigma - 5.167299 / 18.167299).abs() < 1e-6 && c.d_sigma == 1.0 + c.c_sigma);
        assert!((c.c_1 - 2.0 / (11.3 * 11.3 + 3.167299)).abs() < 1e-8);
        assert!(c.weights[5..].iter().all(|w| *w < 0.0));
        assert_eq!(Constants::of(10, Some(40)).parents, 20);
    }
}
