//! Pruning against an independent NumPy/PyTorch script (`tests/oracle/prune_reference.py`).

use crate::oracle::{close, indices, number, numbers};
use crate::prune::kept;
use nalgebra::DMatrix;
use picloom::base::SimRng;
use picloom::network::kernel::{FeatureMaps, feature_maps};
use picloom::network::{Arch, Coords, Mask, Network, PixelInputs, Weights, reference};
use picloom::prune::methods::{self, Sp, SpMrmr, SpSigned};
use picloom::prune::taylor::{Order, importance, remove_units};
use picloom::prune::{
    EdgeContext, EdgeScores, Method, Orphans, Pruned, Rule, Scope, alive, edge_scores, prune,
};
use serde_json::Value;

struct Case {
    oracle: Value,
    network: Network,
    weights: Weights,
    inputs: PixelInputs,
    maps: FeatureMaps,
    all: Mask,
}

fn count(value: &Value) -> usize {
    value.as_u64().unwrap() as usize
}

fn case() -> Case {
    let oracle: Value =
        serde_json::from_str(include_str!("../oracle/prune_reference.json")).unwrap();
    let network = oracle["arch"].as_str().unwrap().parse::<Arch>().unwrap().network();
    let weights = Weights(numbers(&oracle["weights"]).into_iter().map(|w| w as f32).collect());
    let inputs = PixelInputs::full(count(&oracle["size"]), Coords::Fer);
    let maps = feature_maps(&network, &weights, &inputs);
    let all = Mask::all(network.weight_count());
    Case { oracle, network, weights, inputs, maps, all }
}

impl Case {
    fn context(&self) -> EdgeContext<'_> {
        EdgeContext::new(&self.network, &self.weights, &self.all).with_maps(&self.maps)
    }

    fn prune(&self, method: Method, rule: Rule) -> Pruned {
        prune(method, rule, Orphans::Drop, &self.context(), &mut rng()).unwrap()
    }

    fn gradient(&self) -> Vec<f32> {
        numbers(&self.oracle["gradient"]).into_iter().map(|g| g as f32).collect()
    }
}

fn rng() -> SimRng {
    SimRng::new(0, "test", 0)
}

#[track_caller]
fn scores_close(found: &EdgeScores, expected: &Value, tolerance: f64) {
    for (i, (found, expected)) in found.0.iter().zip(numbers(expected)).enumerate() {
        let found = found.expect("every link has a score");
        close(&format!("link {i}"), found, expected, tolerance);
    }
}

#[test]
fn similarities_and_shares_are_numpys() {
    let case = case();
    let rule = Rule::Threshold(0.0);
    let scores = |m| edge_scores(m, rule, &case.context(), &mut rng()).unwrap();
    scores_close(&scores(Method::Sp(Sp::COSINE)), &case.oracle["sp"], 1e-5);
    let signed = Method::SpSigned(SpSigned { absolute: false });
    scores_close(&scores(signed), &case.oracle["shares"], 1e-4);
}

#[test]
fn mrmr_scores_and_refitted_weights_are_numpys() {
    let case = case();
    let oracle = &case.oracle["mrmr"];
    let method = Method::SpMrmr(SpMrmr { redundancy: number(&oracle["redundancy"]) });
    let pruned = case.prune(method, Rule::Threshold(number(&oracle["relevance"])));
    assert_eq!(pruned.guards.path_links, 0);
    scores_close(&pruned.scores, &oracle["scores"], 1e-5);
    for (i, (found, expected)) in pruned.weights.0.iter().zip(numbers(&oracle["refit"])).enumerate()
    {
        let expected = if pruned.live.0[i] { expected } else { 0.0 };
        close(&format!("link {i}"), f64::from(*found), expected, 2e-3);
    }
}

#[test]
fn wanda_scores_and_masks_are_numpys_in_every_scope() {
    let case = case();
    let budget = count(&case.oracle["budget"]);
    for (name, oracle) in case.oracle["wanda"].as_object().unwrap() {
        let (scope, sequential) = match name.as_str() {
            "row" => (Scope::Row, true),
            "row-parallel" => (Scope::Row, false),
            "layer" => (Scope::Layer, true),
            "layer-parallel" => (Scope::Layer, false),
            "global" => (Scope::Global, true),
            other => panic!("the oracle has an unknown scope {other}"),
        };
        let wanda = Method::Wanda(methods::Wanda { scope, sequential });
        let pruned = case.prune(wanda, Rule::Budget(budget));
        assert_eq!(pruned.guards.path_links, 0, "{name}");
        scores_close(&pruned.scores, &oracle["scores"], 1e-5);
        assert_eq!(kept(&pruned.mask), indices(&oracle["kept"]), "{name}");
        assert_eq!(pruned.kept, budget);
    }
}

#[test]
fn the_gradient_is_pytorchs() {
    let case = case();
    let oracle = &case.oracle;
    let target = DMatrix::from_row_slice(3, case.inputs.pixels(), &numbers(&oracle["target"]));
    let weights = numbers(&oracle["weights"]);
    let (loss, gradient) =
        reference::loss_and_gradient(&case.network, &weights, &case.inputs, &target);
    close("loss", loss, number(&oracle["loss"]), 1e-12);
    for (found, expected) in gradient.iter().zip(numbers(&oracle["gradient"])) {
        assert!((found - expected).abs() < 1e-11);
    }
}

#[test]
fn taylor_removes_pytorchs_units_in_its_order() {
    let case = case();
    let gradient = case.gradient();
    let context = case.context().with_gradient(&gradient);
    let cases = case.oracle["taylor"].as_array().unwrap();
    assert_eq!(cases.len(), 12);
    for oracle in cases {
        let order: Order = serde_json::from_value(oracle["order"].clone()).unwrap();
        let [vectorize, update] = ["vectorize", "update"].map(|key| oracle[key].as_bool().unwrap());
        let name = format!("{order:?} {vectorize} {update}");
        let found = importance(&context, &case.all.0, vectorize, order).unwrap();
        for (u, expected) in numbers(&oracle["importance"]).into_iter().enumerate() {
            let error = (found[4 + u] - expected).abs();
            assert!(error < 1e-5 * expected + 1e-12, "{name}: unit {u}");
        }
        let rule = Rule::Budget(count(&oracle["budget"]));
        let removed = remove_units(&context, rule, vectorize, order, update, &case.all.0).unwrap();
        let units: Vec<usize> = removed.units.iter().map(|(u, _)| *u).collect();
        assert_eq!(units, indices(&oracle["removed"]), "{name}");
        assert_eq!(removed.mask.kept(), count(&oracle["count"]), "{name}");
    }
}

#[test]
fn imp_leaves_numpys_links_after_every_round() {
    let case = case();
    let [global, original] = ["imp_global", "imp_original"].map(|key| &case.oracle[key]);
    let [hidden, output] = ["hidden", "output"].map(|key| number(&original[key]));
    let rules = [
        (global, Rule::Fraction(number(&global["p"]))),
        (original, Rule::Layerwise { hidden, output }),
    ];
    let mut same = 0;
    for (oracle, rule) in rules {
        let mut mask = case.all.clone();
        for (round, expected) in oracle["rounds"].as_array().unwrap().iter().enumerate() {
            let expected = indices(expected);
            let context = EdgeContext::new(&case.network, &case.weights, &mask);
            let pruned =
                prune(Method::Imp(methods::Imp {}), rule, Orphans::Drop, &context, &mut rng())
                    .unwrap();
            assert_eq!(pruned.kept, expected.len(), "{rule:?}, round {round}");
            // The published code knows no orphans; with us they go first. Until there are some, the
            // links are the same, after that the counts are.
            if alive(&case.network, &mask) == mask {
                assert_eq!(kept(&pruned.mask), expected, "{rule:?}, round {round}");
                same += 1;
            }
            mask = pruned.mask;
        }
    }
    assert!(same >= 10, "only {same} rounds were compared link by link");
}
