//! Same config, same bits after an interruption. (At 1, 2 and 8 threads: `tests/command/manners.rs`.)

use crate::answers::hold;
use crate::files::{assert_same, timeless};
use crate::stop::StopAt;
use picloom::base::settings::Settings;
use picloom::genome;
use picloom::network::{Coords, Model, Wiring};
use picloom::run::{RunError, TrainJob, load_target, train_run};
use picloom::train::{StopReason, TrainConfig};
use std::path::Path;

/// A training of the mask that keeps its last state.
fn prolongable(wiring: Wiring, train: TrainConfig) -> TrainJob {
    let genome = genome::read("mask".as_ref()).unwrap();
    let target = load_target("mask".as_ref(), 32, Coords::Fer, None).unwrap();
    let Model { network, mask, .. } = Model::of_genome(&genome, wiring);
    let job = TrainJob::new("test", &target, Coords::Fer, (network, mask), None, None, train);
    TrainJob { keeps_state: true, ..job }
}

#[test]
fn a_run_of_more_steps_goes_on_from_a_shorter_one_to_the_same_bits() {
    let work = tempfile::tempdir().unwrap();
    for (wiring, optimizer) in
        [(Wiring::Dense, "adam"), (Wiring::Graph, "lbfgs"), (Wiring::Layerized, "muon")]
    {
        let of = |steps: u64| {
            let train = TrainConfig {
                steps,
                seed: 5,
                optimizer: optimizer.parse().unwrap(),
                batch: (optimizer == "adam").then_some(300),
                checkpoints: vec![0.01, 0.05, 0.1],
                ..TrainConfig::default()
            };
            prolongable(wiring, train)
        };
        let folder = |name: &str| work.path().join(format!("{name}-{optimizer}"));
        train_run(&folder("whole"), of(60), false, &mut ()).unwrap();
        let whole = timeless(&folder("whole"));
        // A finished run, and one that is finished twice on its way.
        let parts = folder("parts");
        train_run(&parts, of(25), false, &mut ()).unwrap();
        let refused = train_run(&parts, of(60), false, &mut ()).unwrap_err().to_string();
        assert!(refused.contains("steps 60") && refused.contains("steps 25"), "{refused}");
        assert!(refused.contains("--resume"), "{refused}");
        train_run(&parts, of(41), true, &mut ()).unwrap();
        let longer = train_run(&parts, of(60), true, &mut StopAt(50)).unwrap();
        assert_eq!(longer.train.stop, StopReason::Interrupted);
        assert!(!parts.join("result.json").exists());
        train_run(&parts, of(60), true, &mut ()).unwrap();
        assert_same(&whole, &timeless(&parts), optimizer);
        // An interrupted one, which is gone on with to more steps than it was begun for.
        let stopped = folder("stopped");
        train_run(&stopped, of(40), false, &mut StopAt(17)).unwrap();
        let refused = train_run(&stopped, of(40), false, &mut ()).unwrap_err();
        assert!(matches!(&refused, RunError::Unfinished(at) if *at == stopped), "{refused}");
        train_run(&stopped, of(60), true, &mut ()).unwrap();
        assert_same(&whole, &timeless(&stopped), optimizer);
        // One that died after its folder was given the new name, before a checkpoint was written.
        let died = folder("died");
        train_run(&died, of(40), false, &mut ()).unwrap();
        std::fs::remove_file(died.join("result.json")).unwrap();
        for name in ["picloom.json", "config.toml"] {
            std::fs::copy(folder("whole").join(name), died.join(name)).unwrap();
        }
        train_run(&died, of(60), true, &mut ()).unwrap();
        assert_same(&whole, &timeless(&died), optimizer);
    }
}

#[test]
fn a_run_that_is_not_the_beginning_of_another_is_refused_with_what_differs() {
    let work = tempfile::tempdir().unwrap();
    let config = TrainConfig { steps: 20, seed: 5, ..TrainConfig::default() };
    let run = work.path().join("run");
    train_run(&run, prolongable(Wiring::Dense, config.clone()), false, &mut ()).unwrap();
    let refused = |folder: &Path, changes: &str| {
        let before = std::fs::read(folder.join("result.json")).unwrap();
        let train = config.with(&changes.parse().unwrap()).unwrap();
        let error = train_run(folder, prolongable(Wiring::Dense, train), true, &mut ())
            .unwrap_err()
            .to_string();
        assert_eq!(std::fs::read(folder.join("result.json")).unwrap(), before);
        error.replace(&work.path().display().to_string(), "")
    };
    hold("refusals/longer", |changes| {
        let begun = |name: &str, more: &str| {
            let folder = work.path().join(name);
            let train = config.with(&more.parse().unwrap()).unwrap();
            let job =
                TrainJob { keeps_state: name != "plain", ..prolongable(Wiring::Dense, train) };
            train_run(&folder, job, false, &mut ()).unwrap();
            folder
        };
        match changes.split_once('\n') {
            Some(("of a falling rate", more)) => {
                refused(&begun("cosine", "schedule = 'cosine'"), more)
            }
            Some(("of an early end", more)) => refused(&begun("early", "target_loss = 1.0"), more),
            Some(("of a study", more)) => refused(&begun("plain", ""), more),
            _ => refused(&run, changes),
        }
    });
    // Another wiring.
    let mut job = prolongable(Wiring::Dense, config.clone());
    job.config.wiring_sha256 = "0".into();
    let said = train_run(&run, job, true, &mut ()).unwrap_err().to_string();
    assert!(said.contains("links and mask sha256"), "{said}");
}
