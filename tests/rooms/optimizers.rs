//! Optimizers against other people's, against hand-made facts, and against themselves after a resume.
//!
//! The traces are made by `tests/oracle/optimizer_traces.py` and `optimizer_numpy.py`.

use crate::reference_step::evaluate;
use crate::refusals::assert_refused;
use nalgebra::DMatrix;
use picloom::base::SimRng;
use picloom::genome::Input;
use picloom::network::{Arch, Coords, Mask, PixelInputs};
use picloom::train::optimizer::{
    GradientRule, Layout, MatrixShape, Optimizer, OptimizerConfig, OptimizerError, Scalar, Step,
};
use picloom::train::schedule::{Schedule, Shape};
use picloom::train::{Init, init};
use serde::Deserialize;

#[derive(Deserialize)]
struct Oracle {
    traces: Vec<Trace>,
    rosenbrock: Arrival,
    warmup_cosine: Rates,
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

#[derive(Deserialize)]
struct Arrival {
    evaluations: usize,
    weights: Vec<f64>,
}

#[derive(Deserialize)]
struct Rates {
    lr: f64,
    warm_up: usize,
    total: usize,
    floor: f64,
    rates: Vec<f64>,
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

/// (steps, weights) of a run on the problem.
fn run<T: Scalar>(trace: &Trace) -> (Vec<Step>, Vec<T>) {
    let config: OptimizerConfig = trace.config.parse().unwrap();
    let Numpy { seed, attempt, .. } = numpy();
    let mut optimizer = Optimizer::<T>::new(&config, &layout()).unwrap().seeded(seed, attempt);
    let mask = mask(trace.masked);
    let mut weights = start::<T>(&mask);
    let steps = (0..trace.losses.len())
        .map(|_| optimizer.step(&mut weights, &mask, trace.lr, trace.rule, &mut problem))
        .collect();
    (steps, weights)
}

/// Largest differences of losses and weights from the trace.
fn errors<T: Scalar>(trace: &Trace) -> (f64, f64) {
    let (steps, weights) = run::<T>(trace);
    let losses = steps.iter().zip(&trace.losses).map(|(s, l)| (s.loss - l).abs());
    let weights = weights.iter().zip(&trace.weights).map(|(a, b)| (a.wide() - b).abs());
    (losses.fold(0.0, f64::max), weights.fold(0.0, f64::max))
}

#[test]
fn every_optimizer_follows_torch_optax_or_numpy() {
    let traces: Vec<Trace> = oracle().traces.into_iter().chain(numpy().traces).collect();
    for trace in &traces {
        let (losses, weights) = errors::<f64>(trace);
        // Muon's matrix products are summed in the order of the CPU's GEMM.
        let limit = if trace.config.starts_with("muon") { 1e-9 } else { 1e-12 };
        assert!(
            losses < limit && weights < limit,
            "{} {}: losses differ by {losses:e}, weights by {weights:e}",
            trace.source,
            trace.config
        );
    }
    for row in OptimizerConfig::TABLE.iter().filter(|row| row.name != "lbfgs") {
        let traced = |t: &Trace| t.config.split(':').next() == Some(row.name);
        assert!(traces.iter().any(traced), "no trace of {}", row.name);
    }
}

#[test]
fn stored_in_f32_they_stay_near_the_float64_traces() {
    let follows =
        |trace: &Trace| trace.config.parse::<OptimizerConfig>().unwrap().follows_gradient();
    // Ranks jump where two losses are as close as rounding.
    for trace in oracle().traces.iter().chain(&numpy().traces).filter(|trace| follows(trace)) {
        let (losses, weights) = errors::<f32>(trace);
        assert!(
            losses < 2e-5 && weights < 1e-4,
            "{} {}: losses differ by {losses:e}, weights by {weights:e}",
            trace.source,
            trace.config
        );
    }
}

#[test]
fn evaluations_are_counted() {
    for row in OptimizerConfig::TABLE {
        let config: OptimizerConfig = row.name.parse().unwrap();
        let mut optimizer = Optimizer::<f64>::new(&config, &layout()).unwrap();
        let all = mask(false);
        let mut weights = start::<f64>(&all);
        let mut count = 0;
        for k in 0..12 {
            let before = count;
            let step = optimizer.step(&mut weights, &all, 0.01, GradientRule::Raw, &mut |w, g| {
                count += 1;
                problem(w, g)
            });
            assert_eq!(step.evaluations, count - before, "{} step {k}", row.name);
            match row.evaluations {
                "1" => assert_eq!(step.evaluations, 1),
                "2" => assert_eq!(step.evaluations, 2),
                _ => assert!(step.evaluations >= 1),
            }
        }
    }
}

#[test]
fn the_step_reports_loss_and_raw_norm_before_it_moves() {
    for row in OptimizerConfig::TABLE {
        let config: OptimizerConfig = row.name.parse().unwrap();
        let mut optimizer = Optimizer::<f64>::new(&config, &layout()).unwrap();
        let mask = mask(true);
        let mut weights = start::<f64>(&mask);
        for _ in 0..5 {
            let mut g = vec![0.0; N];
            let loss = problem(&weights, &mut g);
            let kept = (0..N).filter(|&i| mask.0[i]);
            let norm = kept.map(|i| g[i] * g[i]).sum::<f64>().sqrt();
            let step =
                optimizer.step(&mut weights, &mask, 0.01, GradientRule::Normalize, &mut problem);
            assert_eq!(step.loss, loss, "{}", row.name);
            if config.follows_gradient() {
                assert!((step.gradient_norm - norm).abs() < 1e-14, "{}", row.name);
            }
        }
    }
}

#[test]
fn removed_weights_stay_exactly_zero() {
    for row in OptimizerConfig::TABLE {
        for rule in [GradientRule::Raw, GradientRule::Normalize, GradientRule::ClipNorm(0.1)] {
            let config: OptimizerConfig = row.name.parse().unwrap();
            let mut optimizer = Optimizer::<f32>::new(&config, &layout()).unwrap();
            let mask = mask(true);
            let mut weights = start::<f32>(&mask);
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
fn a_saved_state_resumes_to_the_same_bits() {
    let extra = [
        "sam:base.name=adam",
        "muon:matrices=hidden",
        "muon:orthogonalizer=exact-polar",
        "lbfgs:history=3",
        "cma-es:population=40,sigma=1",
        "openai-es:base.name=sgd,base.momentum=0.9",
    ];
    for text in OptimizerConfig::TABLE.iter().map(|row| row.name).chain(extra) {
        let config: OptimizerConfig = text.parse().unwrap();
        let mask = mask(true);
        let rule = GradientRule::ClipNorm(0.7);
        let mut optimizer = Optimizer::<f32>::new(&config, &layout()).unwrap();
        let mut weights = start::<f32>(&mask);
        let go = |optimizer: &mut Optimizer, weights: &mut Vec<f32>, steps: usize| {
            (0..steps)
                .map(|_| optimizer.step(weights, &mask, 0.01, rule, &mut problem))
                .collect::<Vec<_>>()
        };
        go(&mut optimizer, &mut weights, 7);
        let saved = serde_json::to_string(&optimizer).unwrap();
        let mut resumed_weights = weights.clone();
        let mut resumed =
            serde_json::from_str::<Optimizer>(&saved).unwrap().resume(&config, &layout()).unwrap();
        let a = go(&mut optimizer, &mut weights, 9);
        let b = go(&mut resumed, &mut resumed_weights, 9);
        assert_eq!(a, b, "{text}");
        assert_eq!(weights, resumed_weights, "{text}");
        assert_eq!(
            serde_json::to_string(&optimizer).unwrap(),
            serde_json::to_string(&resumed).unwrap(),
            "{text}"
        );
    }
}

#[test]
fn a_state_of_another_run_is_refused() {
    let adam: OptimizerConfig = "adam".parse().unwrap();
    let fresh = || Optimizer::<f32>::new(&adam, &layout()).unwrap();
    let other: OptimizerConfig = "adam:beta1=0.8".parse().unwrap();
    let refused = fresh().resume(&other, &layout()).unwrap_err();
    let [expected, found] = [&other, &adam].map(ToString::to_string);
    assert_eq!(refused, OptimizerError::State { expected, found });
    let refused = fresh().resume(&adam, &Layout::vector(3)).unwrap_err();
    assert!(matches!(refused, OptimizerError::State { .. }), "{refused}");
    let mut json = serde_json::to_value(fresh()).unwrap();
    let mean = &mut json["method"]["firstorder"]["adam"]["mean"];
    mean.as_array_mut().unwrap().pop();
    let cut: Optimizer = serde_json::from_value(json).unwrap();
    let refused = cut.resume(&adam, &layout()).unwrap_err();
    let OptimizerError::State { found, .. } = refused else { panic!("{refused}") };
    assert_eq!(found, "vectors of 20 numbers");
}

#[test]
fn every_optimizer_finds_the_bottom_of_the_bowl() {
    for (text, lr, steps) in [
        ("sgd", 0.2, 400),
        ("sgd:momentum=0.9", 0.05, 400),
        ("adam", 0.05, 800),
        ("adamw:weight_decay=0", 0.05, 800),
        ("rmsprop", 0.02, 800),
        ("lion", 0.02, 800),
        ("sam:rho=0.01", 0.05, 800),
        ("muon", 0.05, 800),
        ("muon:orthogonalizer=exact-polar", 0.05, 800),
        ("muon:matrices=hidden", 0.05, 800),
        ("adam-q", 0.05, 800),
        ("adam-scalar", 0.05, 800),
        ("normalized-momentum", 0.05, 800),
        ("cma-es", 1.0, 400),
        ("openai-es", 0.05, 800),
        ("lbfgs", 1.0, 40),
    ] {
        let config: OptimizerConfig = text.parse().unwrap();
        let mut optimizer = Optimizer::<f32>::new(&config, &layout()).unwrap();
        let all = mask(false);
        let mut weights = start::<f32>(&all);
        // A falling rate, as sign-like methods circle the bottom at their last rate.
        let schedule = Schedule { shape: Shape::Cosine, ..Schedule::constant(lr) };
        let mut losses = Vec::new();
        for step in 0..steps {
            let lr = schedule.lr(step, steps);
            let step = optimizer.step(&mut weights, &all, lr, GradientRule::Raw, &mut problem);
            losses.push(step.loss);
        }
        let last = losses[steps - 1];
        assert!(last < 1e-4 * losses[0], "{text}: {} to {last:e}", losses[0]);
    }
}

#[test]
fn a_zero_gradient_is_not_divided_by() {
    for row in OptimizerConfig::TABLE {
        let config: OptimizerConfig = row.name.parse().unwrap();
        let mut optimizer = Optimizer::<f32>::new(&config, &layout()).unwrap();
        let all = mask(false);
        let mut weights = start::<f32>(&all);
        let before = weights.clone();
        for _ in 0..3 {
            let step =
                optimizer.step(&mut weights, &all, 0.1, GradientRule::Normalize, &mut |_, g| {
                    g.fill(0.0);
                    0.25
                });
            assert_eq!((step.loss, step.gradient_norm), (0.25, 0.0));
            assert_eq!(weights, before, "{}", row.name);
        }
    }
}

#[test]
fn a_loss_or_gradient_that_is_not_finite_moves_nothing() {
    for row in OptimizerConfig::TABLE {
        let config: OptimizerConfig = row.name.parse().unwrap();
        for (loss, slope) in [(f64::NAN, 1.0), (f64::INFINITY, 1.0), (1.0, f32::NAN)] {
            if loss == 1.0 && !config.follows_gradient() {
                continue;
            }
            let mut optimizer = Optimizer::<f32>::new(&config, &layout()).unwrap();
            let all = mask(false);
            let mut weights = start::<f32>(&all);
            let before = weights.clone();
            let step = optimizer.step(&mut weights, &all, 0.1, GradientRule::Raw, &mut |_, g| {
                g.fill(slope);
                loss
            });
            assert!(!step.is_finite());
            assert_eq!(weights, before, "{}", row.name);
        }
    }
}

// Real networks.

#[test]
fn every_optimizer_trains_a_small_masked_network() {
    let network = "2;cache:4,gaussian:2,sin:2".parse::<Arch>().unwrap().network();
    let inputs = PixelInputs::full(12, Coords::Fer);
    let target = DMatrix::from_fn(3, 144, |c, p| {
        let (x, y) =
            (inputs.exact_plane(Input::X).unwrap()[p], inputs.exact_plane(Input::Y).unwrap()[p]);
        [0.9 - 0.5 * (x * x + y * y) / 2.0, 0.5, 0.3][c]
    });
    let mask = Mask((0..network.weight_count()).map(|i| i % 3 != 0).collect());
    for (text, lr) in [
        ("sgd:momentum=0.9", 0.003),
        ("adam", 0.01),
        ("adamw", 0.01),
        ("rmsprop", 0.01),
        ("lion", 0.003),
        ("sam", 0.003),
        ("sam:base.name=adam", 0.01),
        ("lbfgs", 1.0),
        ("adam-q", 0.01),
        ("adam-scalar", 0.01),
        ("normalized-momentum", 0.03),
        ("cma-es", 1.0),
        ("openai-es", 0.03),
        ("muon", 0.01),
        ("muon:matrices=hidden,steps=20", 0.01),
        ("muon:orthogonalizer=exact-polar", 0.01),
    ] {
        let config: OptimizerConfig = text.parse().unwrap();
        let mut optimizer = Optimizer::<f32>::new(&config, &Layout::of(&network)).unwrap();
        let mut rng = SimRng::new(5, "init", 0);
        let mut weights = init(&network, &mask, &Init::default(), &mut rng).unwrap().0;
        let mut losses = Vec::new();
        // A generation of losses says less than a gradient.
        let steps = if config.follows_gradient() { 60 } else { 300 };
        for _ in 0..steps {
            let step =
                optimizer.step(&mut weights, &mask, lr, GradientRule::Normalize, &mut |w, g| {
                    evaluate(&network, w, &inputs, &target, g)
                });
            losses.push(step.loss);
        }
        let (first, last) = (losses[0], losses[steps - 1]);
        assert!(last < 0.5 * first, "{text}: {first} to {last}");
        let removed = weights.iter().zip(&mask.0).filter(|(_, keep)| !**keep);
        assert!(removed.into_iter().all(|(w, _)| *w == 0.0), "{text}");
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
            evaluations <= theirs.evaluations * 3 / 2,
            "{evaluations} evaluations, {last:e}; torch needs {}",
            theirs.evaluations
        );
    }
    for (a, b) in weights.iter().zip(&theirs.weights) {
        assert!((a - b).abs() < 1e-4, "{weights:?}");
    }
}

#[test]
fn lbfgs_forgets_when_its_weights_are_moved() {
    let config: OptimizerConfig = "lbfgs".parse().unwrap();
    let all = mask(false);
    let go = |optimizer: &mut Optimizer<f64>, w: &mut Vec<f64>| {
        optimizer.step(w, &all, 1.0, GradientRule::Raw, &mut problem)
    };
    let mut used = Optimizer::new(&config, &layout()).unwrap();
    let mut weights = start(&all);
    for _ in 0..5 {
        go(&mut used, &mut weights);
    }
    let mut fresh = Optimizer::new(&config, &layout()).unwrap();
    let (mut a, mut b) = (start(&all), start(&all));
    for _ in 0..4 {
        assert_eq!(go(&mut used, &mut a), go(&mut fresh, &mut b));
        assert_eq!(a, b);
    }
}

#[test]
fn lbfgs_needs_no_line_search_twice_on_a_round_bowl() {
    // f = 2·Σw²: the first pair gives the exact Hessian, so the second step ends at the bottom.
    let config: OptimizerConfig = "lbfgs".parse().unwrap();
    let mut optimizer = Optimizer::<f64>::new(&config, &Layout::vector(3)).unwrap();
    let mut weights = [3.0, -1.0, 0.5];
    let mut bowl = |w: &[f64], g: &mut [f64]| {
        (0..3).for_each(|i| g[i] = 4.0 * w[i]);
        2.0 * w.iter().map(|w| w * w).sum::<f64>()
    };
    for _ in 0..2 {
        optimizer.step(&mut weights, &Mask::all(3), 1.0, GradientRule::Raw, &mut bowl);
    }
    assert!(weights.iter().all(|w| w.abs() < 1e-12), "{weights:?}");
}

#[test]
fn muon_moves_each_matrix_by_its_rate_and_shape() {
    // Exact polar: every singular value of the first step is lr·√max(1, out/in).
    let config: OptimizerConfig = "muon:orthogonalizer=exact-polar".parse().unwrap();
    let mut optimizer = Optimizer::<f64>::new(&config, &layout()).unwrap();
    let all = mask(false);
    let mut weights = start::<f64>(&all);
    let before = weights.clone();
    optimizer.step(&mut weights, &all, 0.1, GradientRule::Raw, &mut problem);
    for m in layout().matrices {
        let moved = m.weights().map(|i| weights[i] - before[i]);
        let moved = DMatrix::from_row_iterator(m.rows, m.cols, moved);
        let expected = 0.1 * (m.rows as f64 / m.cols as f64).max(1.0).sqrt();
        let singular = moved.svd(false, false).singular_values;
        for sigma in singular.iter() {
            assert!((sigma - expected).abs() < 1e-9, "{m:?}: {singular}");
        }
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
        let config: OptimizerConfig = text.parse().unwrap();
        let all = mask(false);
        let after = |seed, attempt| {
            let mut optimizer =
                Optimizer::<f32>::new(&config, &layout()).unwrap().seeded(seed, attempt);
            let mut weights = start::<f32>(&all);
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
    let config: OptimizerConfig = "cma-es".parse().unwrap();
    let all = mask(false);
    let mut optimizer = Optimizer::<f32>::new(&config, &layout()).unwrap();
    let mut weights = start::<f32>(&all);
    for _ in 0..5 {
        optimizer.step(&mut weights, &all, 1.0, GradientRule::Raw, &mut problem);
    }
    weights.fill(40.0);
    optimizer.step(&mut weights, &all, 1.0, GradientRule::Raw, &mut problem);
    assert!(weights.iter().all(|w| (w - 40.0).abs() < 20.0), "{weights:?}");
}

// The table.

#[test]
fn every_name_parses_prints_and_round_trips_through_files() {
    for row in OptimizerConfig::TABLE {
        let config: OptimizerConfig = row.name.parse().unwrap();
        assert_eq!(config.name(), row.name);
        assert_eq!(config.to_string(), row.name);
        assert_eq!(config.check(), Ok(()));
        let toml: OptimizerConfig = toml::from_str(&format!("name = {:?}", row.name)).unwrap();
        assert_eq!(toml, config);
        let json = serde_json::to_string(&config).unwrap();
        assert_eq!(serde_json::from_str::<OptimizerConfig>(&json).unwrap(), config);
    }
    let traces = oracle().traces.into_iter().chain(numpy().traces).collect::<Vec<_>>();
    let texts = traces.iter().map(|t| t.config.as_str());
    for text in texts.chain(["muon:adam.beta1=0.8,steps=20", "sam:base.name=adam,base.beta1=0.5"]) {
        let config: OptimizerConfig = text.parse().unwrap();
        assert_eq!(config.to_string().parse(), Ok(config.clone()), "{config}");
    }
    assert_eq!(
        "muon:steps=20,matrices=hidden".parse::<OptimizerConfig>().unwrap().to_string(),
        "muon:matrices=hidden,steps=20"
    );
}

#[test]
fn wrong_optimizers_are_refused_with_what_was_expected() {
    let (name, betas) = ("name:option=value", "one of beta1, beta2, epsilon");
    for (text, refusal) in [
        ("adm", ["unknown optimizer", "one of sgd, adam, adamw, rmsprop, lion", "\"adm\""]),
        ("adam:beta3=1", ["optimizer adam: option", betas, "\"beta3\""]),
        ("adam:beta1", ["optimizer \"adam:beta1\"", name, "\"beta1\" without '='"]),
        ("adam:beta1=big", ["optimizer adam: beta1", "a number", "big"]),
        ("adam:beta1=1", ["optimizer adam: beta1", "a number in [0, 1)", "1.0"]),
        ("adam:beta1=0.1,beta1=0.2", ["beta1=0.2\"", name, "\"beta1\" twice"]),
        ("adam:name=sgd", ["option", betas, "\"name\""]),
        ("lbfgs:history=0", ["history", "1 to 1000", "0"]),
        ("lbfgs:c1=0.95", ["c1", "a number below c2", "0.95"]),
        ("muon:steps=1000", ["steps", "0 to 100", "1000"]),
        ("muon:orthogonalizer=svd", ["", "one of newton-schulz, exact-polar", "\"svd\""]),
        ("adam-q:q=1.5", ["adam-q: q", "a number in [0, 1]", "1.5"]),
        ("cma-es:population=3", ["cma-es: population", "4", "3"]),
        ("cma-es:sigma=0", ["cma-es: sigma", "a finite number above 0", "0.0"]),
        ("openai-es:base.name=lion", ["unknown base", "one of sgd, adam", "\"lion\""]),
        ("sam:rho=-1", ["rho", "a finite number of at least 0", "-1"]),
        ("sam:base.name=lion", ["unknown base", "one of sgd, adam", "\"lion\""]),
        ("sam:base.name=adam,base.momentum=0.9", ["option", betas, "\"momentum\""]),
    ] {
        assert_refused(&text.parse::<OptimizerConfig>().unwrap_err(), refusal);
    }
    let unknown = toml::from_str::<OptimizerConfig>("name = \"adam\"\nlr = 0.1").unwrap_err();
    assert!(unknown.message().contains("`lr`"), "{unknown}");
}

// The rate.

#[test]
fn the_schedule_follows_optax() {
    let theirs = oracle().warmup_cosine;
    let schedule = Schedule {
        lr: theirs.lr,
        shape: Shape::Cosine,
        warm_up: theirs.warm_up,
        floor: theirs.floor,
    };
    for (step, expected) in theirs.rates.iter().enumerate() {
        let rate = schedule.lr(step, theirs.total);
        assert!((rate - expected).abs() < 1e-12, "step {step}: {rate} {expected}");
    }
}
