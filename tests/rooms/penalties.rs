//! Penalties and weight noise in a training. Gradients are held to those of JAX (`tests/oracle/penalties.py`).

use picloom::base::SimRng;
use picloom::network::{Arch, Coords, Mask, Picture, PixelInputs, Weights, kernel};
use picloom::train::{GradientRule, Problem, Schedule, TrainConfig, Trainer};
use std::collections::BTreeMap;

const SIDE: usize = 6;

fn problem() -> Problem {
    let network = "2;cos:1,gaussian:1,sin:2".parse::<Arch>().unwrap().network();
    let weight = |i: usize| ((7 * i % 23) as f32 - 10.5) / 13.0;
    let count = network.weight_count();
    let mut rng = SimRng::new(1, "test", 0);
    let other = Weights((0..count).map(|_| rng.normal() as f32).collect());
    Problem {
        target: kernel::picture(&network, &other, SIDE, Coords::Fer),
        mask: Mask::all(count),
        inputs: PixelInputs::full(SIDE, Coords::Fer),
        start: Some(Weights((0..count).map(weight).collect())),
        network,
    }
}

fn config(penalty: Option<&str>, steps: u64) -> TrainConfig {
    TrainConfig {
        penalty: penalty.map(|text| text.parse().unwrap()),
        steps,
        ..TrainConfig::default()
    }
}

fn trained(config: TrainConfig) -> Vec<f32> {
    let mut trainer = Trainer::new(problem(), config).unwrap();
    trainer.run(&mut ());
    trainer.state().weights.0.clone()
}

#[test]
fn gradients_are_those_of_automatic_differentiation() {
    let oracle: BTreeMap<String, Vec<f64>> =
        serde_json::from_str(include_str!("../oracle/penalties.json")).unwrap();
    assert_eq!(oracle.len(), 5);
    // One plain step at rate 1: weights less their gradient.
    let step = |penalty: Option<&str>| {
        trained(TrainConfig {
            optimizer: "sgd".parse().unwrap(),
            gradient: GradientRule::Raw,
            schedule: Schedule::constant(1.0),
            ..config(penalty, 1)
        })
    };
    let plain = step(None);
    for (name, gradient) in oracle {
        let step_of = if name == "length" { ",step=0.2" } else { "" };
        let found = step(Some(&format!("{name}:strength=0.7{step_of}")));
        assert_eq!(found.len(), gradient.len());
        for (i, g) in gradient.into_iter().enumerate() {
            let ours = f64::from(plain[i]) - f64::from(found[i]);
            assert!((ours - g).abs() < 3e-6 * (1.0 + g.abs()), "{name}, weight {i}: {ours} {g}");
        }
    }
}

#[test]
fn the_loss_that_ends_a_noisy_training_is_that_of_its_weights() {
    let config = TrainConfig {
        weight_noise: Some(0.02),
        target_loss: Some(0.05),
        steps: 5000,
        ..TrainConfig::default()
    };
    let mut trainer = Trainer::new(problem(), config).unwrap();
    let report = trainer.run(&mut ());
    let Problem { network, target, .. } = problem();
    let drawn: Picture = kernel::picture(&network, &trainer.state().weights, SIDE, Coords::Fer);
    assert_eq!(report.stop, picloom::train::StopReason::TargetLoss);
    assert!(report.steps.is_multiple_of(50) && drawn.mse(&target) <= 0.05, "{report:?}");
}

#[test]
fn noise_is_that_of_the_seed_and_none_of_no_size_changes_nothing() {
    let noisy = |noise: Option<f64>, seed| {
        trained(TrainConfig { weight_noise: noise, seed, ..config(None, 30) })
    };
    assert_ne!(noisy(Some(0.05), 0), noisy(Some(0.05), 1));
    assert_eq!(noisy(Some(0.0), 0), noisy(None, 0));
}
