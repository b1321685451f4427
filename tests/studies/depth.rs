//! The depth that a picture needs: curves, and the law through them.

use picloom::experiment::depth::{DepthCurve, DepthModel, DepthPoint};

fn point(layers: usize, scores: &[f64], unfit: usize) -> DepthPoint {
    DepthPoint { offset: 0, layers, scores: scores.to_vec(), unfit, all: scores.to_vec() }
}

#[test]
fn the_shallowest_depth_within_one_error_is_chosen_and_unfit_depths_are_none() {
    let points = vec![
        point(7, &[0.5, 0.7, 0.6], 0),
        point(4, &[0.99], 2),
        point(5, &[0.2, 0.3, 0.1], 0),
        point(6, &[0.55, 0.56, 0.57], 0),
    ];
    let curve = DepthCurve::of("a", 0.1, points);
    // SE of depth 7 is 0.0577: 0.56 is within it. Depth 4 has most seeds unfit.
    assert_eq!((curve.best, curve.chosen), (Some(7), Some(6)));
    assert!(curve.at_edge());
    assert_eq!(DepthCurve::of("b", 0.1, vec![point(3, &[], 3)]).chosen, None);
}

fn curve(target: &str, ratio: f64, layers: usize) -> DepthCurve {
    DepthCurve::of(target, ratio, vec![point(layers, &[0.5], 0)])
}

#[test]
fn a_logarithmic_law_is_found_and_predicts_targets_left_out() {
    // L = 2·log2(c/0.01) exactly.
    let curves: Vec<DepthCurve> = [(0.02, 2), (0.04, 4), (0.08, 6), (0.16, 8), (0.32, 10)]
        .iter()
        .map(|&(c, l)| curve("t", c, l))
        .collect();
    let model = DepthModel::fit(&curves, 64).unwrap();
    assert_eq!(model.layers(0.08), 6);
    assert_eq!(model.layers(0.64), 12);
    assert_eq!(model.error, Some(0.0));
    assert!(model.median_error.unwrap() > 2.0);
    assert!((model.spearman.unwrap().statistic - 1.0).abs() < 1e-12);
    assert_eq!(model.layers(1e-9), 1, "at least one layer");
    assert_eq!(model.median(), 6);
}

#[test]
fn a_sweep_in_which_nothing_was_learned_predicts_nothing() {
    let curves = [DepthCurve::of("a", 0.1, vec![point(3, &[], 3)])];
    assert!(DepthModel::fit(&curves, 64).is_err());
}
