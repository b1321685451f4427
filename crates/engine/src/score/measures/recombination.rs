//! Recombination: does a conditional network draw combinations of factors that it was not trained on? (METHODS §11)
//!
//! gap = R² on the conditions seen − R² on those held out. R² = 1 − MSE / variance about the best constant colour, each over
//! all pictures of its set. 0: held-out combinations are drawn as well as the seen ones. Compare gaps at equal R² on the seen
//! conditions only. No judge is asked.
//!
//! R² in (−∞, 1], gap in (−∞, ∞). In: a model, seen and held-out conditions with a picture of P pixels each. Out: R²
//! held out, gap, R² of the factors (none without hidden units).
//! Cost: one drawing of P pixels a condition; a ridge regression a layer on about 256 pixels a condition.
//!
//! Beside it, how well the factors can be read out linearly: ridge regression from the values of a hidden layer's units at a
//! pixel to each factor, fitted to the seen conditions, R² on the held-out ones, mean over factors, the best layer. Source:
//! Alain & Bengio 2016 for the probe; layer and pixels \[ours\].
//!
//! **What it does not mean:** a factor that can be read out need not be used.

use crate::network::family::Conditioned;
use crate::network::kernel::{feature_maps, render};
use crate::network::{Coords, Model, Picture, PixelInputs};
use crate::score::Fit;
use nalgebra::{DMatrix, DVector};
use serde::{Deserialize, Serialize};

/// Pixels of a picture that the probe reads, about.
const PROBED: usize = 256;
const RIDGE: f64 = 1e-3;

/// How a conditional network draws what it was not trained on.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Recombination {
    /// R² on the held-out conditions, ≤ 1.
    pub held_out_r2: f64,
    /// R² on the seen conditions − R² on the held-out ones.
    pub gap: f64,
    /// R² of linear probes of the factors on the held-out conditions, best layer. None if no layer has units to probe.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub factors_decoded: Option<f64>,
    /// R² of what was held out that four changed weights teach; `None` where no [own](super::own) measure takes it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub plasticity: Option<f64>,
}

/// How well `model` draws the pictures of one set.
pub fn fit(model: &Model, set: &Conditioned, coords: Coords) -> Fit {
    let rgb = render(&model.network, &model.weights, &set.inputs(coords));
    Fit::of(&Picture { rgb, ..set.pictures.clone() }, &set.pictures)
}

impl Recombination {
    /// Of a network that was trained on the seen conditions.
    ///
    /// # Panics
    /// The network has another number of factors than a condition has values.
    pub fn of(model: &Model, seen: &Conditioned, held_out: &Conditioned, coords: Coords) -> Self {
        let [inside, outside] = [seen, held_out].map(|set| fit(model, set, coords).r2);
        Recombination {
            held_out_r2: outside,
            gap: inside - outside,
            factors_decoded: decoded(model, [seen, held_out], coords),
            plasticity: None,
        }
    }
}

/// R² of probes of the factors, fitted to the first set, on the second.
fn decoded(model: &Model, sets: [&Conditioned; 2], coords: Coords) -> Option<f64> {
    let pixels = PixelInputs::full(sets[0].size(), coords);
    let step = pixels.pixels().div_ceil(PROBED) as u32;
    let some: Vec<u32> = (0..pixels.pixels() as u32).step_by(step as usize | 1).collect();
    let some = pixels.gather(&some);
    let (network, factors) = (&model.network, model.network.factors());
    let maps = sets.map(|set| {
        let inputs = some.under(&set.conditions);
        (feature_maps(network, &model.weights, &inputs).values, inputs.pixels())
    });
    // (N, n) values of some units, and (N, factors).
    let values = |k: usize, units: &[usize]| {
        let (values, points) = &maps[k];
        DMatrix::from_fn(*points, units.len(), |p, u| f64::from(values[units[u] * points + p]))
    };
    let wanted = sets.map(|set| {
        let points = some.pixels();
        DMatrix::from_fn(points * set.conditions.len(), factors, |p, k| {
            set.conditions[p / points][k]
        })
    });
    let layers = 1..network.depth();
    let of_layer = |layer: usize| {
        let is_hidden = |u: &usize| !network.outputs.contains(&Some(*u));
        let units = (network.inputs.len()..network.units.len()).filter(is_hidden);
        let units: Vec<usize> = units.filter(|&u| network.units[u].layer == layer).collect();
        let fitted = Ridge::fit(values(0, &units), &wanted[0])?;
        let predicted = fitted.predict(values(1, &units));
        let r2 = (0..factors).map(|k| {
            let of = wanted[1].column(k);
            let spread = of.add_scalar(-of.mean()).norm_squared();
            1.0 - (of - predicted.column(k)).norm_squared() / spread.max(f64::MIN_POSITIVE)
        });
        Some(r2.sum::<f64>() / factors as f64)
    };
    layers.filter_map(of_layer).max_by(f64::total_cmp)
}

/// Ridge regression on standardised columns.
struct Ridge {
    mean: DVector<f64>,
    deviation: DVector<f64>,
    intercept: DVector<f64>,
    /// (n, factors).
    beta: DMatrix<f64>,
}

impl Ridge {
    fn fit(mut x: DMatrix<f64>, y: &DMatrix<f64>) -> Option<Self> {
        let (points, n) = x.shape();
        if n == 0 || points == 0 {
            return None;
        }
        let mean = DVector::from_fn(n, |u, _| x.column(u).mean());
        let deviation = DVector::from_fn(n, |u, _| x.column(u).variance().sqrt());
        standardise(&mut x, &mean, &deviation);
        let intercept = DVector::from_fn(y.ncols(), |k, _| y.column(k).mean());
        let centred = DMatrix::from_fn(points, y.ncols(), |p, k| y[(p, k)] - intercept[k]);
        let normal = x.tr_mul(&x) + DMatrix::identity(n, n) * (RIDGE * points as f64);
        let beta = normal.cholesky()?.solve(&x.tr_mul(&centred));
        Some(Ridge { mean, deviation, intercept, beta })
    }

    fn predict(&self, mut x: DMatrix<f64>) -> DMatrix<f64> {
        standardise(&mut x, &self.mean, &self.deviation);
        let mut y = x * &self.beta;
        for (k, mut column) in y.column_iter_mut().enumerate() {
            column.add_scalar_mut(self.intercept[k]);
        }
        y
    }
}

fn standardise(x: &mut DMatrix<f64>, mean: &DVector<f64>, deviation: &DVector<f64>) {
    for (u, mut column) in x.column_iter_mut().enumerate() {
        let scale = if deviation[u] > 1e-9 { 1.0 / deviation[u] } else { 0.0 };
        column.apply(|v| *v = (*v - mean[u]) * scale);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::network::family::{Family, Support};
    use crate::network::{Arch, Mask, Weights};

    #[test]
    fn a_network_that_draws_its_own_family_has_no_gap_and_a_spoilt_one_has() {
        let network = "2;cache:8,gaussian:2;z:2".parse::<Arch>().unwrap().network();
        let mut rng = crate::base::SimRng::new(3, "test", 0);
        let weights = (0..network.weight_count()).map(|_| 0.6 * rng.normal() as f32).collect();
        let model =
            Model { mask: Mask::all(network.weight_count()), network, weights: Weights(weights) };
        let conditions = Support::Connected.conditions(2, 4, 0);
        let draw = |z: &[f64]| model.at(z).picture(16, Coords::Fer);
        let [seen, held_out] =
            [conditions.seen, conditions.held_out].map(|set| Conditioned::of(set, draw));
        let own = Recombination::of(&model, &seen, &held_out, Coords::Fer);
        assert!(own.gap.abs() < 1e-6 && own.held_out_r2 > 1.0 - 1e-6, "{own:?}");
        // Relays carry the factors, linearly.
        assert!(own.factors_decoded.unwrap() > 0.99, "{own:?}");
        let of = |z: &[f64]| Family::Face.picture(z, 16, Coords::Fer);
        let other = Conditioned::of(held_out.conditions.clone(), of);
        assert!(Recombination::of(&model, &seen, &other, Coords::Fer).gap > 0.1);
    }
}
