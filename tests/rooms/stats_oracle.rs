//! `base::stats` against scipy, scikit-learn and numpy.
//!
//! The numbers are in `tests/oracle/stats.json`, written by `tests/oracle/stats.py`.

use crate::oracle::{indices, number, numbers};
use picloom::base::SimRng;
use picloom::base::stats::{self, Confusion, Tail};
use serde_json::Value;

fn cases(name: &str) -> Vec<Value> {
    let all: Value = serde_json::from_str(include_str!("../oracle/stats.json")).unwrap();
    let cases = all[name].as_array().unwrap().clone();
    assert!(!cases.is_empty());
    cases
}

#[track_caller]
fn close(found: f64, expected: &Value, tolerance: f64) {
    crate::oracle::close("", found, number(expected), tolerance);
}

#[test]
fn distributions_agree_with_scipy() {
    for case in cases("special") {
        let (t, df) = (case["t"].as_f64().unwrap(), case["df"].as_f64().unwrap());
        close(stats::student_cdf(t, df), &case["cdf"], 1e-13);
        close(stats::student_quantile(0.975, df), &case["quantile_975"], 1e-11);
        close(stats::normal_cdf(t), &case["normal"], 1e-15);
        close(stats::incomplete_beta(0.37, df / 2.0, t.abs()), &case["beta"], 1e-12);
    }
}

#[test]
fn samples_and_proportions_agree_with_numpy_and_scipy() {
    for case in cases("samples") {
        let x = numbers(&case["x"]);
        close(stats::mean(&x).unwrap(), &case["mean"], 1e-14);
        close(stats::variance(&x).unwrap(), &case["variance"], 1e-13);
        close(stats::standard_error(&x).unwrap(), &case["standard_error"], 1e-13);
        for pair in case["quantiles"].as_array().unwrap() {
            let q = stats::quantile(&x, pair[0].as_f64().unwrap()).unwrap();
            close(q, &pair[1], 1e-14);
        }
        let interval = stats::mean_interval(&x, 0.95).unwrap();
        close(interval.low, &case["t_interval"][0], 1e-11);
        close(interval.high, &case["t_interval"][1], 1e-11);
    }
    for case in cases("wilson") {
        let [k, n] = ["k", "n"].map(|name| case[name].as_u64().unwrap() as usize);
        let interval = stats::wilson(k, n, case["level"].as_f64().unwrap()).unwrap();
        close(interval.low, &case["low"], 1e-12);
        close(interval.high, &case["high"], 1e-12);
    }
}

#[test]
fn correlations_lines_and_their_tests_agree_with_scipy() {
    let mut rng = SimRng::new(1, "oracle", 0);
    for case in cases("pairs") {
        let (x, y) = (numbers(&case["x"]), numbers(&case["y"]));
        close(stats::pearson(&x, &y).unwrap(), &case["pearson"], 1e-12);
        close(stats::spearman(&x, &y).unwrap(), &case["spearman"], 1e-12);
        let paired = stats::paired_difference(&x, &y, 0.95).unwrap();
        close(paired.t, &case["paired_t"], 1e-10);
        close(paired.p, &case["paired_p"], 1e-10);
        let line = stats::theil_sen(&x, &y, 0.95).unwrap();
        let expected = &case["theil_sen"];
        close(line.slope.estimate, &expected[0], 1e-12);
        close(line.intercept, &expected[1], 1e-12);
        close(line.slope.low, &expected[2], 1e-12);
        close(line.slope.high, &expected[3], 1e-12);
        if case.get("p abs").is_some() {
            for (tail, name) in
                [(Tail::TwoSided, "p abs"), (Tail::Greater, "p greater"), (Tail::Less, "p less")]
            {
                let test = stats::spearman_test(&x, &y, tail, 0, &mut rng).unwrap();
                assert!(test.exact);
                close(test.p, &case[name], 1e-12);
            }
        }
    }
}

#[test]
fn auc_and_kappa_agree_with_scikit_learn_and_their_formulas() {
    for case in cases("auc") {
        let (p, n) = (numbers(&case["positives"]), numbers(&case["negatives"]));
        let interval = stats::auc_delong(&p, &n, 0.95).unwrap();
        close(interval.estimate, &case["auc"], 1e-13);
        close(interval.low, &case["delong"][0], 1e-12);
        close(interval.high, &case["delong"][1], 1e-12);
    }
    for case in cases("kappa") {
        let k = case["classes"].as_u64().unwrap() as usize;
        let table = Confusion::of(&indices(&case["a"]), &indices(&case["b"]), k).unwrap();
        assert_eq!(table.counts, indices(&case["table"]));
        let kappa = table.kappa(0.95).unwrap().kappa;
        close(kappa.estimate, &case["kappa"], 1e-12);
        let z = stats::normal_quantile(0.975);
        close((kappa.estimate - kappa.low) / z, &case["error"], 1e-10);
    }
}
