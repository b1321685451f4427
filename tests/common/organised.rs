//! The networks of the oracles of measures (tests/oracle/organisation.py, tests/oracle/measures.py), made by integer
//! arithmetic, and what the oracles say of them.

use super::oracle::{close, number, numbers};
use picloom::network::{Arch, Coords, Mask, Model, Weights};
use picloom::probe::{Perturbation, View, WeightSweep};
use picloom::prune::alive;
use picloom::score::measures::silencing::Silenced;
use serde_json::Value;

pub(crate) const SIDE: usize = 32;

pub(crate) const CLOSE: f64 = 1e-5;
/// A network of the oracle and what the oracle says of it.
pub(crate) struct Case {
    pub(crate) kind: String,
    pub(crate) oracle: Value,
    pub(crate) silenced: Silenced,
}

impl Case {
    pub(crate) fn all() -> Vec<Case> {
        let all: Value = serde_json::from_str(include_str!("../oracle/organisation.json")).unwrap();
        let cases: Vec<Case> = all["networks"].as_array().unwrap().iter().map(Case::new).collect();
        assert_eq!(cases.len(), 3);
        cases
    }

    /// The network of the oracle script.
    fn new(oracle: &Value) -> Case {
        let arch: Arch = oracle["arch"].as_str().unwrap().parse().unwrap();
        let kind = oracle["kind"].as_str().unwrap();
        let [a, b, c] = ["a", "b", "c"].map(|key| oracle[key].as_u64().unwrap() as usize);
        let network = arch.network();
        let mut weights: Vec<f64> = (0..network.weight_count())
            .map(|i| {
                let whole = (((a * i + b) * i + c) % 97) as f64 - 48.0;
                let weight = (whole / number(&oracle["unit"]) * 256.0).floor() / 256.0;
                if (i * (i + 1) / 2 + c).is_multiple_of(6) { 0.0 } else { weight }
            })
            .collect();
        // The matrices of the layers: where each begins, rows, columns.
        let (width, mut first) = (arch.width(), 0);
        for layer in 0..=arch.layers {
            let rows = if layer == arch.layers { 3 } else { width };
            let columns = if layer == 0 { 4 } else { width };
            let at = |row: usize, column: usize| first + row * columns + column;
            match (kind, layer) {
                ("mirror", 0) => (0..rows).for_each(|row| weights[at(row, 0)] = 0.0),
                ("dead", 0) => {
                    weights[at(0, 0)..at(1, 0)].fill(0.0);
                    weights[at(3, 0)..at(4, 0)].fill(0.0);
                }
                ("dead", 2) => (0..rows).for_each(|row| weights[at(row, 5)] = 0.0),
                ("twins", layer) => {
                    if layer < arch.layers {
                        weights.copy_within(at(0, 0)..at(1, 0), at(1, 0));
                    }
                    if layer > 0 {
                        (0..rows).for_each(|row| weights[at(row, 1)] = weights[at(row, 0)]);
                    }
                }
                _ => {}
            }
            first += rows * columns;
        }
        assert_eq!((first, oracle["weights"].as_u64()), (weights.len(), Some(first as u64)));
        let weights = Weights(weights.into_iter().map(|w| w as f32).collect());
        // Units are compared at 32², whatever the view's size.
        let view = View::new(&Model::new(network, weights), 20, Coords::Fer);
        let silenced = Silenced::of(&view);
        Case { kind: kind.into(), oracle: oracle.clone(), silenced }
    }

    pub(crate) fn view(&self) -> &View {
        &self.silenced.view
    }

    /// What a number is of.
    pub(crate) fn of(&self, what: &str) -> String {
        format!("{what} of {}", self.kind)
    }

    /// A number of this network is the oracle's.
    #[track_caller]
    pub(crate) fn close(&self, what: &str, found: f64, expected: &Value) {
        close(&self.of(what), found, number(expected), CLOSE);
    }

    /// Links on a path of non-zero weights from an input to an output.
    pub(crate) fn living(&self) -> Vec<usize> {
        let Model { network, weights, .. } = self.view().model();
        let alive = alive(network, &Mask::non_zero(weights));
        (0..alive.0.len()).filter(|&link| alive.0[link]).collect()
    }
}

/// Length, and what it is along four patterns of length about 1.
fn sums(field: &[f64]) -> Vec<f64> {
    let along = |k: usize| -> f64 {
        let pattern = |i: usize| ((i * i * (2 * k + 1) + 3 * i) % 13) as f64 - 6.0;
        field.iter().enumerate().map(|(i, v)| v * pattern(i) / 200.0).sum()
    };
    let length = field.iter().map(|v| v * v).sum::<f64>().sqrt();
    [length].into_iter().chain((0..4).map(along)).collect()
}

#[track_caller]
pub(crate) fn sums_close(what: &str, field: &[f64], expected: &Value, tolerance: f64) {
    let expected = numbers(expected);
    let scale = expected[0];
    for (found, expected) in sums(field).into_iter().zip(expected) {
        close(what, found / scale, expected / scale, tolerance);
    }
}

/// Each network, and what this oracle says of it.
pub(crate) fn measured() -> Vec<(Case, Value)> {
    let oracle: Vec<Value> = serde_json::from_str(include_str!("../oracle/measures.json")).unwrap();
    let all: Vec<(Case, Value)> = Case::all().into_iter().zip(oracle).collect();
    assert!(all.len() == 3 && all.iter().all(|(case, oracle)| oracle["kind"] == case.kind));
    all
}

fn some(value: &Value) -> Option<f64> {
    (!value.is_null()).then(|| number(value))
}

#[track_caller]
pub(crate) fn all_close(what: &str, found: &[Option<f64>], expected: &Value) {
    let expected: Vec<Option<f64>> = expected.as_array().unwrap().iter().map(some).collect();
    assert_eq!(found.len(), expected.len(), "{what}");
    for (k, pair) in found.iter().zip(expected).enumerate() {
        match pair {
            (Some(found), Some(expected)) => {
                close(&format!("{what}, {k}"), *found, expected, CLOSE)
            }
            (found, expected) => assert_eq!(*found, expected, "{what}, {k}"),
        }
    }
}

/// The moved weights of the oracle, of those links that `of` keeps.
pub(crate) fn sweep(case: &Case, oracle: &Value, of: impl Fn(usize) -> bool) -> WeightSweep {
    let view = case.view();
    let rows = oracle["sweep"].as_array().unwrap().iter();
    let perturbations: Vec<Perturbation> = rows
        .map(|row| {
            let (link, delta) = (row[0].as_u64().unwrap() as usize, number(&row[1]));
            let (layer, silent) = (view.model().layer_of(link), row[2].as_bool().unwrap());
            Perturbation { link, layer, delta, rmse: 0.0, silent }
        })
        .filter(|p| of(p.link))
        .collect();
    WeightSweep {
        delta: "effect:0.18".into(),
        non_zero: view.model().non_zero(),
        weights: perturbations.len() / 2,
        size: view.size(),
        perturbations,
    }
}
