//! Pruning as runs: every method through `prune_run`, interrupted and resumed, read back.

use crate::answers::hold;
use crate::own_method::FarFromMean;
use crate::refusals::{assert_refused, refusal_of};
use crate::tiny;
use crate::whole::assert_whole;
use picloom::base::SimRng;
use picloom::experiment::{PruneParent, PruneRunError, prune_run};
use picloom::network::Mask;
use picloom::prune::methods::{Evolved, Imp, Magnitude, Need, Sp, SpUntrained};
use picloom::prune::{
    EdgeContext, InMemory, LinkScorer, Method, PruneError, PrunePlan, Retrain, RoundRecord, Rule,
    add_method, rounds,
};
use picloom::run::{LoadedRun, RunError, RunResult, load_run, train_run};
use picloom::train::{
    LogLine, Plateau, StopReason, TrainConfig, TrainObserver, TrainState, schedule::Schedule,
};
use std::path::Path;
use tempfile::TempDir;

const ARCH: &str = "3;cache:4,gaussian:3,sin:2";
const SIZE: usize = 16;
const STEPS: u64 = 120;

/// Interrupts at a call.
struct StopAfter(usize);
impl TrainObserver for StopAfter {
    fn step_done(&mut self, _: &TrainState) -> bool {
        self.0 = self.0.saturating_sub(1);
        self.0 > 0
    }
}

fn settings(steps: u64, seed: u64) -> TrainConfig {
    TrainConfig { steps, seed, ..TrainConfig::default() }
}

fn dense(folder: &Path, train: TrainConfig) -> LoadedRun {
    train_run(folder, tiny::dense(ARCH, SIZE, train), false, &mut ()).unwrap();
    load_run(folder).unwrap()
}

/// A folder of its own, and a dense run in it.
fn parent(train: TrainConfig) -> (TempDir, LoadedRun) {
    let folder = TempDir::new().unwrap();
    let run = dense(&folder.path().join("dense"), train);
    (folder, run)
}

/// Half of the links of a run.
fn half(run: &LoadedRun) -> usize {
    run.model.mask.0.len() / 2
}

fn plan(method: Method, rules: &[Rule]) -> PrunePlan {
    PrunePlan::new(method, rules.to_vec(), settings(STEPS, 3))
}

fn pruned(parent: &LoadedRun, plan: &PrunePlan, out: &Path) -> (RunResult, Vec<RoundRecord>) {
    prune_run(parent, plan, out, false, &mut ()).unwrap()
}

/// The bytes that a run is made of.
fn bytes(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let names = "config.toml weights.safetensors mask.json start.safetensors result.json pruning.json \
                 swarm.json kept.json";
    let read = |name: &str| Some((name.to_string(), std::fs::read(folder.join(name)).ok()?));
    names.split(' ').filter_map(read).collect()
}

#[test]
fn every_method_leaves_a_finished_run_of_the_budget() {
    let (folder, parent) = parent(settings(200, 1));
    let links = parent.model.mask.0.len();
    let budget = links / 2;
    let is_plugged_in = |m: &Method| matches!(m, Method::Cmd(_) | Method::Own(_));
    for method in Method::all().into_iter().filter(|m| !is_plugged_in(m)) {
        let out = folder.path().join(method.name());
        let mut plan = plan(method, &[Rule::Budget(budget)]);
        plan.evolved = Some(Mask((0..links).map(|i| i % 3 != 1).collect()));
        let info = method.row();
        if info.needs.contains(&Need::Pattern) {
            // They copy what another arm kept: SP, which comes before them in the table.
            plan.pattern = vec![load_run(&folder.path().join("sp")).unwrap().model.mask];
        }
        let (result, records) = pruned(&parent, &plan, &out);
        let record = &records[0];
        match info.name {
            "evolved" => assert_eq!(record.kept, plan.evolved.as_ref().unwrap().kept()),
            // As many as the other arm, and what the guard of the rewired has to add.
            _ if !plan.pattern.is_empty() => {
                assert!((plan.pattern[0].kept()..=budget).contains(&record.kept));
            }
            _ if info.structured => assert!(record.kept <= budget && record.kept > 0),
            _ => assert_eq!(record.kept, budget, "{method}"),
        }
        let run = load_run(&out).unwrap();
        let origin = run.config.pruned.as_ref().unwrap();
        assert_eq!(origin.kept, record.kept, "{method}");
        assert_eq!(origin.method, method.name());
        if info.name != "evolved" {
            assert_eq!(run.model.mask.kept(), record.alive, "{method}");
        }
        assert_eq!(result.kept, run.model.mask.kept());
        let outside = (0..links).filter(|&i| !run.model.mask.0[i] && run.model.weights.0[i] != 0.0);
        assert_eq!(outside.count(), 0, "{method}");
        // A mask that draws one colour ends at once: its gradient is 0.
        let evaluations = match result.train.stop {
            StopReason::Collapsed => result.train.steps + 1,
            _ => STEPS,
        };
        assert_eq!(record.cost.training, evaluations, "{method}");
        let choosing = match info.name {
            "taylor" => 1,
            "swarm" => 8 * 100,
            _ => 0,
        };
        assert_eq!(record.cost.choosing, choosing, "{method}");
        for name in ["metrics.jsonl", "pruning.json", "images/drawn.png"] {
            assert_whole(&out.join(name));
        }
        // A finished run answers again, without training.
        let before = bytes(&out);
        let again = prune_run(&parent, &plan, &out, false, &mut StopAfter(1)).unwrap();
        assert_eq!((again.0, again.1), (result, records), "{method}");
        assert_eq!(bytes(&out), before);
    }
}

#[test]
fn interrupted_anywhere_a_round_goes_on_to_the_same_bytes() {
    let (folder, parent) = parent(settings(150, 1));
    let budget = half(&parent);
    let swarm: Method = "swarm:particles=3,moves=6,steps=20".parse().unwrap();
    let sparse = Method::named("sparse-training").unwrap();
    // 3 · 20 particle steps, 6 moves, 120 steps; the others 120 steps a round.
    for (method, calls) in [
        (swarm, vec![1, 25, 63, 66, 67, 130]),
        (sparse, vec![1, 30, 119]),
        (Method::Sp(Sp::COSINE), vec![50, 150]),
    ] {
        let rules = match method {
            Method::Sp(_) => vec![Rule::Budget(budget), Rule::Budget(budget / 2)],
            _ => vec![Rule::Budget(budget)],
        };
        let plan = plan(method, &rules);
        let whole = folder.path().join(format!("{}-whole", method.name()));
        let (result, records) = pruned(&parent, &plan, &whole);
        for call in calls {
            let out = folder.path().join(format!("{}-{call}", method.name()));
            let (stopped, _) =
                prune_run(&parent, &plan, &out, false, &mut StopAfter(call)).unwrap();
            assert_eq!(stopped.train.stop, StopReason::Interrupted, "{method} {call}");
            assert!(!out.join("result.json").exists());
            let again = prune_run(&parent, &plan, &out, true, &mut ()).unwrap();
            assert_eq!((&again.0, &again.1), (&result, &records), "{method} {call}");
            assert_eq!(bytes(&out), bytes(&whole), "{method} {call}");
            assert!(!out.join("checkpoint.json").exists());
        }
    }
}

#[test]
fn rounds_in_memory_are_those_of_the_folders() {
    let (folder, parent) = parent(settings(100, 1));
    let budget = half(&parent);
    for text in ["sp-mrmr", "sparse-training", "swarm:particles=2,moves=3,steps=5"] {
        let plan = plan(text.parse().unwrap(), &[Rule::Budget(budget), Rule::Budget(budget - 40)]);
        let out = folder.path().join(plan.method.name());
        let (result, records) = pruned(&parent, &plan, &out);
        let trained = PruneParent::of_run(&parent).trained;
        let (found, links) = rounds(&trained, &plan, &mut InMemory(&mut ())).unwrap();
        let (run, links) = (load_run(&out).unwrap(), links.unwrap());
        assert_eq!(found, records, "{text}");
        assert_eq!((&links.live, &links.weights), (&run.model.mask, &run.model.weights), "{text}");
        assert_eq!(links.live.kept(), result.kept, "{text}");
    }
}

#[test]
fn an_unfinished_swarm_is_not_gone_on_with_unless_asked() {
    let (folder, parent) = parent(settings(50, 1));
    let method = "swarm:particles=2,moves=2,steps=5".parse().unwrap();
    let rules = [Rule::Budget(half(&parent))];
    let out = folder.path().join("swarm");
    let the_plan = plan(method, &rules);
    prune_run(&parent, &the_plan, &out, false, &mut StopAfter(7)).unwrap();
    let error = prune_run(&parent, &the_plan, &out, false, &mut ()).unwrap_err();
    let unfinished = matches!(&error, PruneRunError::Run(RunError::Unfinished(at)) if *at == out);
    assert!(unfinished, "{error}");
    let other = plan("swarm:particles=2,moves=3,steps=5".parse().unwrap(), &rules);
    let error = prune_run(&parent, &other, &out, true, &mut ()).unwrap_err();
    let refusal = refusal_of(&error);
    assert!(refusal.at == out.display().to_string(), "{error}");
    assert!(refusal.expected.starts_with("the swarm ") && !refusal.is_usage, "{error}");
}

#[test]
fn the_swarms_best_never_gets_worse_and_is_the_network_that_is_retrained() {
    let (folder, parent) = parent(settings(200, 1));
    let method = "swarm:particles=4,moves=12,steps=10".parse().unwrap();
    let plan = plan(method, &[Rule::Budget(half(&parent))]);
    let out = folder.path().join("swarm");
    let (_, records) = pruned(&parent, &plan, &out);
    let losses = &records[0].search;
    assert_eq!((losses.len(), records[0].cost.judged), (12, 48));
    assert!(losses.windows(2).all(|w| w[1] <= w[0]));
    // The first logged loss of retraining is that of the masked best.
    let first = picloom::run::read_metrics(&out).unwrap()[0];
    assert!((first.loss - losses[11]).abs() < 1e-6 * losses[11]);
}

/// Counts weights that are not zero after every step.
struct Count {
    schedule: picloom::prune::sparse_training::Schedule,
    dense: usize,
    rates: Vec<(u64, f64)>,
}
impl TrainObserver for Count {
    fn logged(&mut self, line: &LogLine) {
        self.rates.push((line.step, line.lr));
    }
    fn step_done(&mut self, state: &TrainState) -> bool {
        let links = state.weights.0.iter().filter(|&&w| w != 0.0).count();
        let expected = self.schedule.links_at(self.dense, state.step, STEPS);
        assert_eq!(links, expected, "after {} steps", state.step);
        true
    }
}

#[test]
fn sparse_training_holds_its_count_after_every_step_and_its_rate_before() {
    let (folder, parent) = parent(settings(50, 1));
    let dense = parent.model.mask.0.len();
    let budget = dense / 3;
    let schedule = picloom::prune::sparse_training::Schedule::new(budget);
    let mut count = Count { schedule, dense, rates: Vec::new() };
    let out = folder.path().join("sparse");
    let plan = plan(Method::named("sparse-training").unwrap(), &[Rule::Budget(budget)]);
    let (result, records) = prune_run(&parent, &plan, &out, false, &mut count).unwrap();
    assert_eq!(count.rates.len(), 12);
    for &(step, lr) in &count.rates {
        let links = schedule.links_at(dense, step, STEPS);
        let factor = (budget as f64 / links as f64).sqrt();
        assert!((lr - 3e-3 * factor).abs() < 1e-12, "step {step}");
    }
    assert_eq!(count.rates[11].1, 3e-3);
    // It begins with the parent's initial weights, which are those of seed 1.
    let start = load_run(&out).unwrap().start.unwrap();
    let untrained = self::dense(&folder.path().join("untrained"), settings(0, 1));
    assert_eq!(start, untrained.model.weights);
    // Two inputs a unit, K kept.
    let run = load_run(&out).unwrap();
    let kept = picloom::run::load_mask(&out.join("kept.json"), &run.model.network).unwrap();
    assert_eq!((kept.kept(), records[0].kept), (budget, budget));
    for unit in run.model.network.units.iter().filter(|u| !u.links.is_empty()) {
        assert!(unit.links.clone().filter(|&i| kept.0[i]).count() >= 2);
    }
    let alive = picloom::prune::alive(&run.model.network, &kept);
    assert_eq!((alive, result.kept), (run.model.mask, records[0].alive));
}

#[test]
fn sparse_training_stops_at_a_target_loss_only_with_its_links_chosen() {
    let (folder, parent) = parent(settings(50, 1));
    let method = Method::named("sparse-training").unwrap();
    let mut plan = plan(method, &[Rule::Budget(half(&parent))]);
    plan.train.target_loss = Some(1.0);
    let (result, _) = pruned(&parent, &plan, &folder.path().join("loss"));
    assert_eq!(result.train.stop, StopReason::TargetLoss);
    assert_eq!(result.train.steps, STEPS / 2);
    plan.train.target_loss = None;
    plan.train.plateau = Some(Plateau { window: 10, improvement: 0.9 });
    let (result, records) = pruned(&parent, &plan, &folder.path().join("plateau"));
    assert_eq!(result.train.stop, StopReason::Plateau);
    assert_eq!(result.train.steps, STEPS / 2 + 10);
    assert_eq!(records[0].kept, half(&parent));
}

#[test]
fn late_rewinding_goes_back_to_the_very_weights_of_the_step() {
    let folder = TempDir::new().unwrap();
    let schedule = Schedule { warm_up: 7, ..Schedule::default() };
    let train = |steps| TrainConfig { batch: Some(100), schedule, ..settings(steps, 5) };
    let parent = dense(&folder.path().join("dense"), train(80));
    let early = dense(&folder.path().join("early"), train(30));
    let mut plan = plan(Method::Imp(Imp {}), &[Rule::Fraction(0.2), Rule::Fraction(0.2)]);
    plan.retrain = Retrain::Rewind { step: 30 };
    let out = folder.path().join("imp");
    let (_, records) = pruned(&parent, &plan, &out);
    assert_eq!((records[0].cost.choosing, records[1].cost.choosing), (30, 0));
    for round in [out.join("round-1"), out.clone()] {
        let run = load_run(&round).unwrap();
        let mut expected = early.model.weights.clone();
        run.model.mask.apply(&mut expected);
        assert_eq!(run.start.unwrap(), expected);
    }
    // The last step is the run itself; the one after it there is not.
    plan.retrain = Retrain::Rewind { step: 80 };
    let last = folder.path().join("last");
    pruned(&parent, &plan, &last);
    let run = load_run(&last.join("round-1")).unwrap();
    let mut expected = parent.model.weights.clone();
    run.model.mask.apply(&mut expected);
    assert_eq!(run.start.unwrap(), expected);
    plan.retrain = Retrain::Rewind { step: 81 };
    let out = folder.path().join("late");
    let error = prune_run(&parent, &plan, &out, false, &mut ()).unwrap_err();
    assert_origin(error, "a step to rewind to of 0 to 80", "81");
}

/// The run itself cannot be gone back to; both begin so.
#[track_caller]
fn assert_origin(error: PruneRunError, wanted: &str, was: &str) {
    let PruneRunError::Rounds(PruneError::Rule(refusal)) = &error else { panic!("{error}") };
    assert!(!refusal.is_usage, "{error}");
    assert!(refusal.expected.starts_with(wanted) && refusal.found.starts_with(was), "{error}");
}

#[test]
fn a_run_that_began_from_given_weights_is_rewound_to_those() {
    let (folder, parent) = parent(settings(60, 1));
    let budget = |k| [Rule::Budget(k)];
    let half = half(&parent);
    let out = folder.path().join("round-1");
    pruned(&parent, &plan(Method::Sp(Sp::COSINE), &budget(half)), &out);
    let first = load_run(&out).unwrap();
    for step in [0, 20] {
        let mut again = plan(Method::Magnitude(Magnitude {}), &budget(half / 2));
        again.retrain = Retrain::Rewind { step };
        let out = folder.path().join(format!("rewound-{step}"));
        pruned(&first, &again, &out);
        let mut short = plan(Method::Sp(Sp::COSINE), &budget(half));
        short.train.steps = step;
        let then = folder.path().join(format!("then-{step}"));
        pruned(&parent, &short, &then);
        let mut expected = load_run(&then).unwrap().model.weights;
        let run = load_run(&out).unwrap();
        run.model.mask.apply(&mut expected);
        assert_eq!(run.start.unwrap(), expected, "step {step}");
    }
    // There is no untrained network behind it.
    let untrained = plan(Method::SpUntrained(SpUntrained {}), &budget(half / 2));
    let out = folder.path().join("untrained");
    let error = prune_run(&first, &untrained, &out, false, &mut ()).unwrap_err();
    assert_origin(error, "a run that begins untrained", "one that goes on");
    // A folder of an earlier version has no start weights.
    std::fs::remove_file(folder.path().join("round-1/start.safetensors")).unwrap();
    let bare = load_run(&folder.path().join("round-1")).unwrap();
    let mut again = plan(Method::Magnitude(Magnitude {}), &budget(half / 2));
    again.retrain = Retrain::Rewind { step: 0 };
    let error = prune_run(&bare, &again, &out, false, &mut ()).unwrap_err();
    assert_origin(error, "the weights it began from", "none");
}

#[test]
fn plans_that_cannot_be_met_say_why() {
    let (folder, parent) = parent(settings(20, 1));
    let links = parent.model.mask.0.len();
    let out = folder.path().join("out");
    let refuse = |method: &str, rule: Rule| {
        let plan = plan(method.parse().unwrap(), &[rule]);
        let error = prune_run(&parent, &plan, &out, false, &mut ()).unwrap_err();
        assert!(!out.join("result.json").exists());
        error
    };
    // What no budget can be is `rooms::prune`'s to say.
    let lacks = |error: PruneRunError, name: &str, what: &str| match error {
        PruneRunError::Rounds(PruneError::Rule(lack)) => {
            assert!(lack.at == name && lack.expected.starts_with(what), "{lack}");
        }
        error => panic!("{error}"),
    };
    lacks(refuse("sparse-training", Rule::Threshold(0.1)), "sparse-training", "a budget");
    lacks(refuse("evolved", Rule::Budget(links / 2)), "evolved", "the mask");
    let error = refuse("sparse-training:min_inputs=0", Rule::Budget(links / 2));
    assert_refused(&error, ["min_inputs of sparse-training", "1 or more", "0"]);
    // Options are refused where they are read.
    hold("refusals/methods", |text| text.parse::<Method>().unwrap_err().to_string());
    // A mask of another arch.
    let mut wrong = plan(Method::Evolved(Evolved {}), &[Rule::Budget(links / 2)]);
    wrong.evolved = Some(Mask::all(links - 1));
    let error = prune_run(&parent, &wrong, &out, false, &mut ()).unwrap_err();
    let expected = format!("{links} flags of the evolved mask for this network");
    assert_refused(&error, ["", &expected, &(links - 1).to_string()]);
}

#[test]
fn a_method_of_another_crate_prunes_a_run_and_stands_in_its_record() {
    let (folder, parent) = parent(settings(200, 1));
    add_method("far-from-mean", FarFromMean).unwrap();
    let taken = add_method("far-from-mean", FarFromMean).unwrap_err().to_string();
    assert!(taken.contains("one that is not taken"), "{taken}");
    assert!(add_method("Far from mean", FarFromMean).is_err());
    let method: Method = "own:far-from-mean".parse().unwrap();
    assert_eq!(method.to_string(), "own:far-from-mean");
    let budget = half(&parent);
    let out = folder.path().join("own");
    let (_, records) = pruned(&parent, &plan(method, &[Rule::Budget(budget)]), &out);
    assert_eq!((records[0].kept, records[0].method.as_str()), (budget, "own:far-from-mean"));
    let run = load_run(&out).unwrap();
    assert_eq!(run.config.pruned.unwrap().method, "own:far-from-mean");
    // The links that stay are those with the highest scores, but for what the guards add.
    let scores: Vec<f64> = records[0].scores.0.iter().map(|score| score.unwrap()).collect();
    let mut sorted = scores.clone();
    sorted.sort_by(|a, b| b.total_cmp(a));
    let among = |i: &usize| scores[*i] >= sorted[budget - 1];
    let kept = (0..scores.len()).filter(|&i| run.model.mask.0[i] && among(&i)).count();
    assert!(kept * 10 >= run.model.mask.kept() * 8, "{kept} of {}", run.model.mask.kept());
}

/// A method that gives too few scores, or none.
struct Wrong(Result<Vec<f64>, String>);

impl LinkScorer for Wrong {
    fn scores(&self, _: &EdgeContext<'_>, _: Rule, _: &mut SimRng) -> Result<Vec<f64>, String> {
        self.0.clone()
    }
}

#[test]
fn a_method_of_another_crate_that_fails_says_why() {
    let (folder, parent) = parent(settings(20, 1));
    add_method("short", Wrong(Ok(vec![1.0]))).unwrap();
    add_method("none", Wrong(Err("no idea".into()))).unwrap();
    for (name, said) in [("short", "scores of own"), ("none", "no idea"), ("absent", "\"absent\"")]
    {
        let method: Method = format!("own:{name}").parse().unwrap();
        let out = folder.path().join(name);
        let error = prune_run(&parent, &plan(method, &[Rule::Budget(9)]), &out, false, &mut ());
        let error = error.unwrap_err().to_string();
        assert!(error.contains(said), "{error}");
        assert!(!out.join("result.json").exists());
    }
}
