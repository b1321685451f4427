//! The training loop: every reason to stop, restarts after a collapse, the pixels training sees.

use crate::answers::hold;
use crate::refusals::assert_refused;
use crate::stop::StopAt;
use picloom::base::{SimRng, settings::Settings};
use picloom::network::{Arch, Coords, Mask, Network, Picture, PixelInputs, Weights, kernel};
use picloom::train::{
    Collapse, GradientRule, Init, LogLine, OptimizerConfig, Plateau, Problem, Schedule, StopReason,
    TrainConfig, TrainObserver, TrainReport, Trainer, init,
};

const SIZE: usize = 8;

fn network() -> Network {
    "2;gaussian:2,identity:2,sin:1".parse::<Arch>().unwrap().network()
}

/// A picture that this network can draw: the one of other weights.
fn problem() -> Problem {
    let network = network();
    let mask = Mask::all(network.weight_count());
    let scheme = Init::default();
    let mut rng = SimRng::new(99, "init", 0);
    let weights = init(&network, &mask, &scheme, &mut rng).unwrap();
    Problem {
        target: kernel::picture(&network, &weights, SIZE, Coords::Fer),
        inputs: PixelInputs::full(SIZE, Coords::Fer),
        start: None,
        network,
        mask,
    }
}

/// Linear units: they have no slope to leave black by.
fn linear() -> Problem {
    let network = "2;identity:3".parse::<Arch>().unwrap().network();
    Problem { mask: Mask::all(network.weight_count()), network, ..problem() }
}

fn config(steps: u64) -> TrainConfig {
    TrainConfig { steps, log_every: 1, ..TrainConfig::default() }
}

fn optimizer(text: &str) -> OptimizerConfig {
    text.parse().unwrap()
}

fn train(problem: &Problem, config: TrainConfig) -> (TrainReport, Weights) {
    let mut trainer = Trainer::new(problem.clone(), config).unwrap();
    let report = trainer.run(&mut ());
    (report, trainer.state().weights.clone())
}

/// Keeps every logged step.
#[derive(Default)]
struct Log(Vec<LogLine>);

impl TrainObserver for Log {
    fn logged(&mut self, line: &LogLine) {
        self.0.push(*line);
    }
}

fn mse(problem: &Problem, weights: &Weights) -> f64 {
    let rgb = kernel::render(&problem.network, weights, &problem.inputs);
    Picture { width: SIZE, height: SIZE, rgb }.mse(&problem.target)
}

#[test]
fn the_weights_that_reached_the_target_loss_are_kept() {
    let problem = problem();
    let (free, _) = train(&problem, config(400));
    let goal = 2.0 * free.final_loss;
    let goal = TrainConfig { target_loss: Some(goal), ..config(4000) };
    let (report, weights) = train(&problem, goal.clone());
    assert_eq!(report.stop, StopReason::TargetLoss);
    assert!(report.steps < 400, "{}", report.steps);
    assert!(mse(&problem, &weights) <= goal.target_loss.unwrap() * (1.0 + 1e-5));
}

#[test]
fn with_minibatches_the_loss_of_all_pixels_must_reach_the_target() {
    let problem = problem();
    let (free, _) = train(&problem, config(400));
    let batches = TrainConfig {
        batch: Some(3),
        target_loss: Some(4.0 * free.final_loss),
        seed: 3,
        ..config(20_000)
    };
    let mut log = Log::default();
    let mut trainer = Trainer::new(problem.clone(), batches.clone()).unwrap();
    let report = trainer.run(&mut log);
    let goal = batches.target_loss.unwrap();
    // Some minibatch was below the goal long before.
    let first = log.0.iter().find(|line| line.loss <= goal).unwrap().step;
    assert_eq!(report.stop, StopReason::TargetLoss, "{report:?}");
    assert!(report.final_loss <= goal * (1.0 + 1e-5), "{report:?}");
    assert!(first < report.steps, "{first} {}", report.steps);
    assert_eq!(report.steps % picloom::train::GOAL_EVERY, 0);
}

#[test]
fn a_loss_that_does_not_fall_ends_after_the_window() {
    let still = TrainConfig {
        schedule: Schedule::constant(1e-12),
        plateau: Some(Plateau { window: 25, improvement: 1e-3 }),
        ..config(1000)
    };
    let (report, _) = train(&problem(), still);
    assert_eq!((report.stop, report.steps), (StopReason::Plateau, 26));
}

#[test]
fn lbfgs_that_finds_no_lower_point_ends() {
    let lbfgs = TrainConfig { optimizer: optimizer("lbfgs"), ..config(100_000) };
    let (report, _) = train(&problem(), lbfgs);
    assert!(matches!(report.stop, StopReason::Plateau | StopReason::Collapsed), "{report:?}");
    assert!(report.steps < 100_000 && report.evaluations < 4 * report.steps + 100, "{report:?}");
}

#[test]
fn a_generation_without_direction_is_no_collapse() {
    // Without any link there is no slope: Adam has collapsed, an evolution strategy may go on.
    let mut nothing = problem();
    nothing.mask = Mask(vec![false; nothing.network.weight_count()]);
    for (name, stop) in [
        ("adam", StopReason::Collapsed),
        ("cma-es", StopReason::StepLimit),
        ("openai-es", StopReason::StepLimit),
    ] {
        let config = TrainConfig { optimizer: optimizer(name), restarts: 0, ..config(20) };
        let (report, weights) = train(&nothing, config);
        assert_eq!(report.stop, stop, "{name}");
        assert!(weights.0.iter().all(|w| *w == 0.0), "{name}");
    }
}

#[test]
fn a_collapse_is_followed_by_attempts_from_the_next_init_streams() {
    let problem = linear();
    let nothing = TrainConfig {
        init: Init { scale: 1e-30, ..Init::default() },
        restarts: 2,
        seed: 5,
        ..config(100)
    };
    let (report, weights) = train(&problem, nothing.clone());
    assert_eq!(report.stop, StopReason::Collapsed);
    let attempt = |c: &Collapse| (c.attempt, c.step, c.evaluations);
    let attempts: Vec<(u32, u64, u64)> = report.collapses.iter().map(attempt).collect();
    assert_eq!(attempts, [(0, 0, 1), (1, 0, 1), (2, 0, 1)]);
    assert_eq!((report.evaluations, report.all_evaluations()), (1, 3));
    let mut rng = SimRng::new(5, "init", 2);
    let third = init(&problem.network, &problem.mask, &nothing.init, &mut rng).unwrap();
    assert_eq!(weights, third, "the third attempt's own weights");

    // One minibatch without slope is no collapse, many in a row are.
    let batches = TrainConfig { batch: Some(5), collapse_after: 30, ..nothing.clone() };
    let (report, _) = train(&problem, batches);
    let steps: Vec<u64> = report.collapses.iter().map(|c| c.step).collect();
    assert_eq!((report.stop, steps), (StopReason::Collapsed, vec![29; 3]));

    let given = Problem { start: Some(third), ..problem };
    let (report, _) = train(&given, nothing);
    assert_eq!(report.collapses.len(), 1, "given weights are not drawn again");
}

#[test]
fn a_constant_picture_is_a_collapse_after_so_many_steps() {
    // Links into the outputs only from the bias: whatever the weights, one colour.
    let mut problem = problem();
    let network = &problem.network;
    let bias = 3;
    let depth = network.depth();
    for (i, link) in network.links.iter().enumerate() {
        problem.mask.0[i] = link.source == bias || network.units[link.source].layer > 0;
    }
    assert!(depth > 1 && problem.mask.kept() > 3);
    for (p, rgb) in problem.target.rgb.chunks_mut(3).enumerate() {
        rgb.fill(if p % 2 == 0 { 0.3 } else { 0.7 });
    }
    let collapse = TrainConfig {
        collapse_after: 40,
        restarts: 1,
        seed: 0,
        optimizer: optimizer("sgd"),
        gradient: GradientRule::Raw,
        schedule: Schedule::constant(3e-3),
        ..config(20_000)
    };
    let (report, _) = train(&problem, collapse);
    let constant = problem.target.variance();
    assert_eq!(report.stop, StopReason::Collapsed, "{constant}: {report:?}");
    assert_eq!(report.collapses.len(), 2);
    assert!(report.collapses.iter().all(|c| c.step >= 39), "{report:?}");
    assert!((report.final_loss - constant).abs() <= 1e-3 * constant);
}

#[test]
fn a_picture_of_one_colour_can_be_learned() {
    let mut problem = problem();
    problem.target.rgb.fill(1.0);
    let (report, _) = train(&problem, TrainConfig { restarts: 0, ..config(2000) });
    assert_eq!((report.stop, report.collapses.len()), (StopReason::StepLimit, 0), "{report:?}");
    assert!(report.final_loss < 1e-3, "{report:?}");
}

#[test]
fn infinite_losses_and_gradients_are_reported_with_their_step() {
    let wild = |text: &str, lr: f64| TrainConfig {
        optimizer: optimizer(text),
        gradient: GradientRule::Raw,
        schedule: Schedule::constant(lr),
        ..config(50)
    };
    let problem = problem();
    // The last step is looked at, too.
    let (report, _) = train(&problem, TrainConfig { steps: 1, ..wild("sgd", 1e39) });
    assert_eq!((report.stop, report.steps), (StopReason::Diverged { step: 1, loss: None }, 1));
    // A step of 1e38 sends the weights to infinity; SAM with such a radius looks there first.
    for config in [wild("sgd", 1e39), wild("sam:rho=1e39", 1e-3)] {
        let (report, weights) = train(&problem, config.clone());
        assert!(
            matches!(report.stop, StopReason::Diverged { step, .. } if step <= 2),
            "{}: {report:?}",
            config.optimizer
        );
        if matches!(config.optimizer, OptimizerConfig::Sam(_)) {
            assert!(weights.0.iter().all(|w| w.is_finite()));
        }
    }
}

#[test]
fn pixels_outside_the_subsample_do_not_matter() {
    let problem = problem();
    let some = TrainConfig { subsample: Some(20), seed: 4, ..config(40) };
    let (_, weights) = train(&problem, some.clone());
    let mut pixels: Vec<u32> = (0..(SIZE * SIZE) as u32).collect();
    SimRng::new(4, "subsample", 0).shuffle(&mut pixels);
    let change = |range: std::ops::Range<usize>| {
        let mut other = problem.clone();
        for &p in &pixels[range] {
            other.target.rgb[3 * p as usize] = 0.123;
        }
        train(&other, some.clone()).1
    };
    assert_eq!(weights, change(20..64), "pixels that training does not see");
    assert_ne!(weights, change(0..20), "pixels that it sees");

    let all = TrainConfig { subsample: Some(SIZE * SIZE), ..config(40) };
    assert_eq!(train(&problem, all).1, train(&problem, config(40)).1);
}

#[test]
fn an_interrupted_run_goes_on_to_the_same_bits() {
    let mut problem = problem();
    // Some links are not there.
    problem.mask.0.iter_mut().skip(1).step_by(4).for_each(|link| *link = false);
    let more = [
        "sam:base.name=adam",
        "muon:matrices=hidden",
        "muon:orthogonalizer=exact-polar",
        "lbfgs:history=2",
        "cma-es:population=40,sigma=1",
        "openai-es:base.name=sgd,base.momentum=0.9",
    ];
    for text in OptimizerConfig::TABLE.iter().map(|row| row.name).chain(more) {
        // A penalty of neighbours sees every pixel.
        let penalty = (text == "sam").then(|| "tv:strength=0.01".parse().unwrap());
        let is_whole = ["lbfgs", "cma-es"].iter().any(|name| text.starts_with(name));
        let config = TrainConfig {
            optimizer: optimizer(text),
            gradient: GradientRule::ClipNorm(0.7),
            subsample: penalty.is_none().then_some(30),
            batch: (!is_whole && penalty.is_none()).then_some(7),
            seed: 2,
            weight_noise: (text == "adam").then_some(0.05),
            penalty,
            ..config(60)
        };
        let mut whole = Trainer::new(problem.clone(), config.clone()).unwrap();
        let mut first = Trainer::new(problem.clone(), config.clone()).unwrap();
        assert_eq!(first.run(&mut StopAt(17)).stop, StopReason::Interrupted, "{text}");
        let saved = |trainer: &Trainer| {
            let mut state = trainer.state().clone();
            state.seconds = 0.0;
            serde_json::to_string(&state).unwrap()
        };
        let state = serde_json::from_str(&saved(&first)).unwrap();
        let mut second = Trainer::resume(problem.clone(), config, state).unwrap();
        assert_eq!(second.run(&mut ()), whole.run(&mut ()), "{text}");
        assert_eq!(saved(&second), saved(&whole), "{text}");
    }
}

#[test]
fn settings_that_cannot_be_are_refused_with_what_was_expected() {
    let problem = problem();
    hold("refusals/trainings", |settings| {
        let config = match TrainConfig::default().with(&settings.parse().unwrap()) {
            Ok(config) => config,
            Err(refusal) => return refusal.to_string(),
        };
        Trainer::new(problem.clone(), config).err().expect(settings).to_string()
    });
    let mut wide = problem.clone();
    wide.network = "2;sin:50".parse::<Arch>().unwrap().network();
    wide.mask = Mask::all(wide.network.weight_count());
    let found = wide.mask.kept().to_string();
    let of =
        |name| Trainer::new(wide.clone(), TrainConfig { optimizer: optimizer(name), ..config(1) });
    let Err(refusal) = of("cma-es") else { panic!("{found} links accepted") };
    assert_refused(&refusal, ["optimizer", "at most 2000 living links", &found]);
    assert!(of("openai-es").is_ok());
}

#[test]
fn checkpoints_are_the_first_weights_of_each_level_and_change_nothing_else() {
    let problem = problem();
    let levels = vec![0.5, 0.9, 0.95, 0.99];
    let kept = TrainConfig { checkpoints: levels.clone(), ..config(3000) };
    let (plain, weights) = train(&problem, config(3000));
    let mut trainer = Trainer::new(problem.clone(), kept.clone()).unwrap();
    let mut log = Log::default();
    let report = trainer.run(&mut log);
    assert_eq!(trainer.state().weights, weights, "the same training");
    assert_eq!((report.final_loss, report.steps), (plain.final_loss, plain.steps));

    let constant = problem.target.variance();
    let r2 = |loss: f64| 1.0 - loss / constant;
    let reached = &trainer.state().reached;
    assert!(reached.len() >= 3, "{:?}", report.reached);
    for one in reached {
        let first = log.0.iter().find(|line| r2(line.loss) >= one.level).unwrap();
        assert_eq!((first.step, r2(first.loss)), (one.step, one.r2));
        let drawn = mse(&problem, one.weights.as_ref().unwrap());
        assert!((r2(drawn) - one.r2).abs() < 1e-5, "level {}: {drawn}", one.level);
    }
    assert!(reached.windows(2).all(|pair| pair[0].level < pair[1].level));
    assert!(report.reached.iter().all(|one| one.weights.is_none()), "reports are small");

    // A training that begins above a level never was at it.
    let at = reached.iter().find(|one| one.level == 0.95).or(reached.last()).unwrap();
    let start = Problem { start: at.weights.clone(), ..problem.clone() };
    let (again, _) = train(&start, kept.clone());
    assert_eq!(again.reached[0].level, at.level);
    assert_eq!(again.reached[0].step, 0);

    // What is reached is part of the state: interrupted, the same weights come out.
    let mut half = Trainer::new(problem.clone(), kept.clone()).unwrap();
    half.run(&mut StopAt(reached[1].step + 1));
    let saved = serde_json::from_str(&serde_json::to_string(half.state()).unwrap()).unwrap();
    let mut rest = Trainer::resume(problem, kept, saved).unwrap();
    rest.run(&mut ());
    assert_eq!(&rest.state().reached, reached);
}

#[test]
fn a_collapse_is_followed_by_attempts_at_lower_rates() {
    let mut problem = linear();
    problem.start = Some(Weights(vec![0.0; problem.network.weight_count()]));
    let retry = TrainConfig { restarts: 3, ..config(100) };
    let (report, _) = train(&problem, retry.clone());
    let found = (report.stop, report.collapses.len());
    assert_eq!(found, (StopReason::Collapsed, 1), "no rate helps weights without a slope");

    // Attempts begin at the given weights, at lr, lr/2, …: with minibatches of a flat picture each
    // makes some steps, which are logged with their rates. So do attempts from fresh weights.
    let rates_of = |problem: &Problem, retry_lr: Option<f64>| -> Vec<f64> {
        let batches = TrainConfig { batch: Some(5), collapse_after: 3, retry_lr, ..retry.clone() };
        let mut log = Log::default();
        Trainer::new(problem.clone(), batches).unwrap().run(&mut log);
        (0..4).filter_map(|k| Some(log.0.iter().find(|line| line.attempt == k)?.lr)).collect()
    };
    assert_eq!(rates_of(&problem, None), [3e-3, 1.5e-3, 7.5e-4, 3.75e-4]);
    assert_eq!(rates_of(&problem, Some(1.0)), [3e-3], "the same steps again");
}
