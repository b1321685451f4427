//! Optimizers against other people's, against hand-made facts, and against themselves after a resume.
//!
//! The traces are made by `tests/oracle/optimizer_traces.py` and `optimizer_numpy.py`.

use crate::answers::hold;
use crate::oracle::{number, numbers};
use crate::refusals::assert_refused;
use picloom::network::{Arch, Mask};
use picloom::train::optimizer::{
    GradientRule, Layout, MatrixShape, Optimizer, OptimizerConfig, Scalar, Step,
};
use picloom::train::schedule::{Schedule, Shape};
use serde::Deserialize;
use serde_json::Value;

#[derive(Deserialize)]
struct Oracle {
    traces: Vec<Trace>,
    rosenbrock: Value,
    warmup_cosine: Value,
}

#[derive(Deserialize)]
struct Trace {
    source: String,
    config: String,
    lr: f64,
    rule: GradientRule,
    masked: bool,
    losses: Vec<f64>,
    weights: Vec<f64>,
}

fn oracle() -> Oracle {
    serde_json::from_str(include_str!("../oracle/optimizer_traces.json")).unwrap()
}

/// Traces of what neither torch nor optax has, and the seed and attempt of their random streams.
#[derive(Deserialize)]
struct Numpy {
    seed: u64,
    attempt: u32,
    traces: Vec<Trace>,
}

fn numpy() -> Numpy {
    serde_json::from_str(include_str!("../oracle/optimizer_numpy.json")).unwrap()
}

const N: usize = 21;

/// The problem of `optimizer_traces.py`: a quartic bowl with minimum 0 at `centre`.
fn problem<T: Scalar>(w: &[T], g: &mut [T]) -> f64 {
    let e: Vec<f64> = (0..N).map(|i| w[i].wide() - centre(i)).collect();
    let u = |i: usize| ((4 * i % 9) as f64 - 4.0) / 10.0;
    let ue: f64 = (0..N).map(|i| u(i) * e[i]).sum();
    let mut loss = ue * ue / 2.0;
    for (i, &e) in e.iter().enumerate() {
        let h = 0.2 + (5 * i % 7) as f64 / 4.0;
        let q = 0.1 + (3 * i % 5) as f64 / 10.0;
        loss += h * e * e / 2.0 + q * e.powi(4) / 4.0;
        g[i] = T::narrow(h * e + ue * u(i) + q * e.powi(3));
    }
    loss
}

fn centre(i: usize) -> f64 {
    ((7 * i % 11) as f64 - 5.0) / 10.0
}

fn layout() -> Layout {
    let mut offset = 0;
    let matrices = [(3, 2), (3, 3), (2, 3)].map(|(rows, cols)| {
        offset += rows * cols;
        MatrixShape { offset: offset - rows * cols, rows, cols }
    });
    Layout { weights: N, matrices: matrices.to_vec() }
}

fn mask(masked: bool) -> Mask {
    Mask((0..N).map(|i| !masked || i % 4 != 1).collect())
}

fn start<T: Scalar>(mask: &Mask) -> Vec<T> {
    let at = |i: usize| T::narrow(centre(i) + ((2 * i % 13) as f64 - 6.0) / 5.0);
    (0..N).map(|i| if mask.0[i] { at(i) } else { T::default() }).collect()
}

/// An optimizer by its text, the links that it may move, and the weights it begins from.
fn fresh<T: Scalar>(text: &str, masked: bool) -> (Optimizer<T>, Mask, Vec<T>) {
    let mask = mask(masked);
    let weights = start::<T>(&mask);
    (Optimizer::new(&text.parse().unwrap(), &layout()).unwrap(), mask, weights)
}

/// Does it look at gradients at all?
fn follows(text: &str) -> bool {
    text.parse::<OptimizerConfig>().unwrap().follows_gradient()
}

/// (steps, weights) of a run on the problem.
fn run<T: Scalar>(trace: &Trace) -> (Vec<Step>, Vec<T>) {
    let Numpy { seed, attempt, .. } = numpy();
    let (optimizer, mask, mut weights) = fresh::<T>(&trace.config, trace.masked);
    let mut optimizer = optimizer.seeded(seed, attempt);
    let steps = (0..trace.losses.len())
        .map(|_| optimizer.step(&mut weights, &mask, trace.lr, trace.rule, &mut problem))
        .collect();
    (steps, weights)
}

/// Largest differences of losses and weights from the trace.
fn errors<T: Scalar>(trace: &Trace) -> [f64; 2] {
    let (steps, weights) = run::<T>(trace);
    let losses = steps.iter().zip(&trace.losses).map(|(s, l)| (s.loss - l).abs());
    let weights = weights.iter().zip(&trace.weights).map(|(a, b)| (a.wide() - b).abs());
    [losses.fold(0.0, f64::max), weights.fold(0.0, f64::max)]
}

#[test]
fn every_optimizer_follows_torch_optax_or_numpy() {
    let traces: Vec<Trace> = oracle().traces.into_iter().chain(numpy().traces).collect();
    for trace in &traces {
        let near = |[losses, weights]: [f64; 2], at_most: [f64; 2]| {
            let is_near = losses < at_most[0] && weights < at_most[1];
            let name = format!("{} {}", trace.source, trace.config);
            assert!(is_near, "{name}: losses differ by {losses:e}, weights by {weights:e}");
        };
        // Muon's matrix products are summed in the order of the CPU's GEMM.
        let limit = if trace.config.starts_with("muon") { 1e-9 } else { 1e-12 };
        near(errors::<f64>(trace), [limit; 2]);
        // Stored in f32; ranks jump where two losses are as close as rounding.
        if follows(&trace.config) {
            near(errors::<f32>(trace), [2e-5, 1e-4]);
        }
    }
    for row in OptimizerConfig::TABLE.iter().filter(|row| row.name != "lbfgs") {
        let traced = |t: &Trace| t.config.split(':').next() == Some(row.name);
        assert!(traces.iter().any(traced), "no trace of {}", row.name);
    }
}

#[test]
fn a_step_counts_its_evaluations_and_reports_loss_and_raw_norm_before_it_moves() {
    for row in OptimizerConfig::TABLE {
        let (mut optimizer, mask, mut weights) = fresh::<f64>(row.name, true);
        for k in 0..12 {
            let (mut g, mut count) = (vec![0.0; N], 0);
            let loss = problem(&weights, &mut g);
            let kept = (0..N).filter(|&i| mask.0[i]);
            let norm = kept.map(|i| g[i] * g[i]).sum::<f64>().sqrt();
            let rule = GradientRule::Normalize;
            let step = optimizer.step(&mut weights, &mask, 0.01, rule, &mut |w, g| {
                count += 1;
                problem(w, g)
            });
            assert_eq!((step.loss, step.evaluations), (loss, count), "{} step {k}", row.name);
            let is_near = (step.gradient_norm - norm).abs() < 1e-14;
            assert!(is_near || !follows(row.name), "{} step {k}", row.name);
            match row.evaluations {
                "1" => assert_eq!(count, 1),
                "2" => assert_eq!(count, 2),
                _ => assert!(count >= 1),
            }
        }
    }
}

#[test]
fn removed_weights_stay_exactly_zero() {
    for row in OptimizerConfig::TABLE {
        for rule in [GradientRule::Raw, GradientRule::Normalize, GradientRule::ClipNorm(0.1)] {
            let (mut optimizer, mask, mut weights) = fresh::<f32>(row.name, true);
            let mut moved = [false; N];
            for _ in 0..20 {
                let before = weights.clone();
                optimizer.step(&mut weights, &mask, 0.05, rule, &mut |w, g| {
                    for (w, keep) in w.iter().zip(&mask.0) {
                        assert!(*keep || *w == 0.0, "{}: evaluated off the mask", row.name);
                    }
                    problem(w, g)
                });
                (0..N).for_each(|i| moved[i] |= weights[i] != before[i]);
            }
            assert_eq!(moved.to_vec(), mask.0, "{}", row.name);
        }
    }
}

#[test]
fn a_state_of_another_run_is_refused() {
    let adam: OptimizerConfig = "adam".parse().unwrap();
    let fresh = || Optimizer::<f32>::new(&adam, &layout()).unwrap();
    let other: OptimizerConfig = "adam:beta1=0.8".parse().unwrap();
    let refused = fresh().resume(&other, &layout()).unwrap_err();
    let [expected, found] = [&other, &adam].map(ToString::to_string);
    assert_refused(&refused, ["saved optimizer state", &expected, &found]);
    let refused = fresh().resume(&adam, &Layout::vector(3)).unwrap_err();
    assert_eq!(refused.at, "saved optimizer state", "{refused}");
    let mut json = serde_json::to_value(fresh()).unwrap();
    let mean = &mut json["method"]["firstorder"]["adam"]["mean"];
    mean.as_array_mut().unwrap().pop();
    let cut: Optimizer = serde_json::from_value(json).unwrap();
    let refused = cut.resume(&adam, &layout()).unwrap_err();
    assert_eq!(refused.found, "vectors of 20 numbers", "{refused}");
}

#[test]
fn a_zero_gradient_and_a_loss_or_gradient_that_is_not_finite_move_nothing() {
    for row in OptimizerConfig::TABLE {
        for (loss, slope) in [(0.25, 0.0), (f64::NAN, 1.0), (f64::INFINITY, 1.0), (1.0, f32::NAN)] {
            if slope.is_nan() && !follows(row.name) {
                continue;
            }
            let (mut optimizer, all, mut weights) = fresh::<f32>(row.name, false);
            let before = weights.clone();
            for _ in 0..3 {
                let rule = if slope == 0.0 { GradientRule::Normalize } else { GradientRule::Raw };
                let step = optimizer.step(&mut weights, &all, 0.1, rule, &mut |_, g| {
                    g.fill(slope);
                    loss
                });
                assert_eq!(step.is_finite(), slope == 0.0);
                assert!(slope != 0.0 || (step.loss, step.gradient_norm) == (0.25, 0.0));
                assert_eq!(weights, before, "{}", row.name);
            }
        }
    }
}

// L-BFGS.

fn rosenbrock(w: &[f64], g: &mut [f64]) -> f64 {
    g.fill(0.0);
    let mut loss = 0.0;
    for i in 0..w.len() - 1 {
        let (a, b) = (w[i], w[i + 1]);
        g[i] += -400.0 * a * (b - a * a) - 2.0 * (1.0 - a);
        g[i + 1] += 200.0 * (b - a * a);
        loss += 100.0 * (b - a * a).powi(2) + (1.0 - a).powi(2);
    }
    loss
}

#[test]
fn lbfgs_descends_rosenbrock_as_fast_as_torchs() {
    let theirs = oracle().rosenbrock;
    let torchs = number(&theirs["evaluations"]);
    let config: OptimizerConfig = "lbfgs".parse().unwrap();
    let mut optimizer = Optimizer::<f64>::new(&config, &Layout::vector(10)).unwrap();
    let mut weights: Vec<f64> = [-1.2, 1.0].repeat(5);
    let (mut evaluations, mut last) = (0, f64::INFINITY);
    while last >= 1e-12 {
        let step = optimizer.step(
            &mut weights,
            &Mask::all(10),
            1.0,
            GradientRule::Normalize,
            &mut rosenbrock,
        );
        assert!(step.loss <= last, "{} after {last}", step.loss);
        last = step.loss;
        evaluations += step.evaluations;
        assert!(
            evaluations as f64 <= torchs * 1.5,
            "{evaluations} evaluations, {last:e}; torch needs {torchs}"
        );
    }
    for (a, b) in weights.iter().zip(numbers(&theirs["weights"])) {
        assert!((a - b).abs() < 1e-4, "{weights:?}");
    }
}

#[test]
fn lbfgs_forgets_when_its_weights_are_moved() {
    let go = |optimizer: &mut Optimizer<f64>, w: &mut Vec<f64>| {
        optimizer.step(w, &mask(false), 1.0, GradientRule::Raw, &mut problem)
    };
    let (mut used, all, mut weights) = fresh("lbfgs", false);
    for _ in 0..5 {
        go(&mut used, &mut weights);
    }
    let ((mut new, _, mut a), mut b) = (fresh("lbfgs", false), start(&all));
    for _ in 0..4 {
        assert_eq!(go(&mut used, &mut a), go(&mut new, &mut b));
        assert_eq!(a, b);
    }
}

#[test]
fn muon_without_matrices_is_adam_and_says_so() {
    let muon: OptimizerConfig = "muon".parse().unwrap();
    let adam: OptimizerConfig = "adam".parse().unwrap();
    let mut a = Optimizer::<f32>::new(&muon, &Layout::vector(N)).unwrap();
    let mut b = Optimizer::<f32>::new(&adam, &Layout::vector(N)).unwrap();
    assert_eq!((a.note().is_some(), b.note()), (true, None));
    let all = mask(false);
    let (mut x, mut y) = (start::<f32>(&all), start::<f32>(&all));
    for _ in 0..10 {
        a.step(&mut x, &all, 0.01, GradientRule::Normalize, &mut problem);
        b.step(&mut y, &all, 0.01, GradientRule::Normalize, &mut problem);
    }
    assert_eq!(x, y);

    let network = "3;cache:4,sin:2".parse::<Arch>().unwrap().network();
    let layout = Layout::of(&network);
    let shapes: Vec<_> = layout.matrices.iter().map(|m| (m.offset, m.rows, m.cols)).collect();
    assert_eq!(shapes, [(0, 6, 4), (24, 6, 6), (60, 6, 6), (96, 3, 6)]);
    assert_eq!(layout.weights, 114);
    assert_eq!(Optimizer::<f32>::new(&muon, &layout).unwrap().note(), None);
}

// Evolution strategies.

#[test]
fn evolution_strategies_descend_rosenbrock_by_losses_alone() {
    for (text, lr, generations, bound) in
        [("cma-es", 1.0, 600, 1e-10), ("openai-es:population=20,sigma=0.01", 0.01, 3000, 0.1)]
    {
        let config: OptimizerConfig = text.parse().unwrap();
        let mut optimizer =
            Optimizer::<f64>::new(&config, &Layout::vector(5)).unwrap().seeded(4, 0);
        let mut weights = vec![0.5, 0.3, 0.1, -0.2, 0.4];
        let mut losses = Vec::new();
        for _ in 0..generations {
            let rule = GradientRule::Raw;
            // A gradient that is not one shows that none is looked at.
            let step = optimizer.step(&mut weights, &Mask::all(5), lr, rule, &mut |w, g| {
                let loss = rosenbrock(w, g);
                g.fill(f64::NAN);
                loss
            });
            losses.push(step.loss);
        }
        let last = losses[losses.len() - 1];
        assert!(last < bound, "{text}: {} to {last:e}", losses[0]);
    }
}

#[test]
fn another_seed_or_attempt_draws_other_candidates() {
    for text in ["cma-es", "openai-es"] {
        let after = |seed, attempt| {
            let (optimizer, all, mut weights) = fresh::<f32>(text, false);
            let mut optimizer = optimizer.seeded(seed, attempt);
            optimizer.step(&mut weights, &all, 0.1, GradientRule::Raw, &mut problem);
            weights
        };
        assert_eq!(after(1, 0), after(1, 0));
        assert_ne!(after(1, 0), after(2, 0), "{text}");
        assert_ne!(after(1, 0), after(1, 1), "{text}");
    }
}

#[test]
fn cma_es_goes_on_from_weights_that_somebody_moved() {
    let (mut optimizer, all, mut weights) = fresh::<f32>("cma-es", false);
    for _ in 0..5 {
        optimizer.step(&mut weights, &all, 1.0, GradientRule::Raw, &mut problem);
    }
    weights.fill(40.0);
    optimizer.step(&mut weights, &all, 1.0, GradientRule::Raw, &mut problem);
    assert!(weights.iter().all(|w| (w - 40.0).abs() < 20.0), "{weights:?}");
}

#[test]
fn wrong_optimizers_are_refused_with_what_was_expected() {
    hold("refusals/optimizers", |text| text.parse::<OptimizerConfig>().unwrap_err().to_string());
    let unknown = toml::from_str::<OptimizerConfig>("name = \"adam\"\nlr = 0.1").unwrap_err();
    assert!(unknown.message().contains("`lr`"), "{unknown}");
}

// The rate.

#[test]
fn the_schedule_follows_optax() {
    let theirs = oracle().warmup_cosine;
    let count = |key: &str| theirs[key].as_u64().unwrap() as usize;
    let schedule = Schedule {
        lr: number(&theirs["lr"]),
        shape: Shape::Cosine,
        warm_up: count("warm_up"),
        floor: number(&theirs["floor"]),
    };
    for (step, expected) in numbers(&theirs["rates"]).into_iter().enumerate() {
        let rate = schedule.lr(step, count("total"));
        assert!((rate - expected).abs() < 1e-12, "step {step}: {rate} {expected}");
    }
}
