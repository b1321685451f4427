//! Ids that must not change: results are kept under them, and a changed id orphans a finished result.
//!
//! Each test is a table of a name, a config and its id. A change that moves an id on purpose puts the new id
//! here and says in CHANGELOG.md which kind of id moved and why. The ids of studio jobs are pinned in
//! `tests/command/studio/ids.rs`; `claims::the_committed_verdicts_follow_from_the_committed_records` pins
//! `figures/claims.json`.

use picloom::base::hash::short_id;
use picloom::experiment::evolution::{
    EvolutionConfig, Measure, RefineMode, SearchKind, VlmSection,
};
use picloom::experiment::networks::{NetworkRow, NetworksStudy};
use picloom::experiment::prune_run;
use picloom::genome::Genome;
use picloom::network::{Arch, Coords, Mask, Model, Picture, Wiring};
use picloom::probe::{Delta, Selection, View};
use picloom::prune::schedule::{IMP_GLOBAL, imp_global};
use picloom::prune::{Orphans, PrunePlan, Retrain, Rule};
use picloom::run::{LoadedRun, Target, TrainJob, load_run, resumable_sweep_until, train_run};
use picloom::study::cells::{CellStudy, run_cells, study_folder};
use picloom::train::{GradientRule, Plateau, Scheme, TrainConfig, schedule::Shape};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

fn genome(name: &str) -> Genome {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("genomes").join(name);
    picloom::genome::read(&path).unwrap()
}

/// A square of colour ramps, the same bits everywhere.
fn target(size: usize) -> Target {
    let pixels = (0..size * size).map(|p| [(p % size) as f32, (p / size) as f32, 1.0]);
    let rgb = pixels.flatten().map(|v| v / size as f32).collect();
    Target::of_picture("ramps".into(), Picture { width: size, height: size, rgb })
}

/// Fails with the whole table as it is now, if a row differs from what is pinned.
#[track_caller]
fn assert_pinned(rows: Vec<(&str, String, &str)>) {
    let mut now = String::new();
    for (name, id, pinned) in &rows {
        let mark = if id == pinned { "" } else { "  <- changed" };
        writeln!(now, "{id}  {name}{mark}").unwrap();
    }
    assert!(rows.iter().all(|(_, id, pinned)| id == pinned), "ids are now:\n{now}");
}

/// The settings of a training with some of them changed.
fn train(change: impl FnOnce(&mut TrainConfig)) -> TrainConfig {
    let mut train = TrainConfig { steps: 300, ..TrainConfig::default() };
    change(&mut train);
    train
}

/// A training of every link of an arch.
fn dense(arch: &str, size: usize, train: TrainConfig) -> TrainJob {
    let network = arch.parse::<Arch>().unwrap().network();
    let wired = (network.clone(), Mask::all(network.weight_count()));
    TrainJob::new("dense", &target(size), Coords::Fer, wired, None, None, train)
}

/// A training of a genome's wiring, from its evolved weights if `is_warm`.
fn wired(name: &str, wiring: Wiring, coords: Coords, is_warm: bool) -> TrainJob {
    let genome = genome(name);
    let model = Model::of_genome(&genome, wiring);
    let start = is_warm.then_some(model.weights);
    let (arm, wired) = (wiring.to_string(), (model.network, model.mask));
    TrainJob::new(&arm, &target(12), coords, wired, start, Some(&genome), train(|_| ()))
}

#[test]
fn training_runs_keep_their_ids() {
    const ARCH: &str = "3;cache:4,gaussian:3,sin:2";
    let rows = [
        ("the default settings", dense(ARCH, 12, train(|_| ())), "1a745c721f79ffa6"),
        ("a larger picture", dense(ARCH, 16, train(|_| ())), "ef1629ca8ae29c76"),
        ("another arch", dense("5;identity:2,sigmoid:4", 12, train(|_| ())), "2fa3c76557f8b6f3"),
        (
            "muon, a cosine schedule, another seed",
            dense(
                ARCH,
                12,
                train(|train| {
                    train.seed = 7;
                    train.optimizer = "muon:steps=3".parse().unwrap();
                    train.schedule.shape = Shape::Cosine;
                    train.schedule.warm_up = 20;
                }),
            ),
            "8efeb587f28be190",
        ),
        (
            "plain gradients, large weights, minibatches",
            dense(
                ARCH,
                12,
                train(|train| {
                    train.gradient = GradientRule::Raw;
                    train.init.scheme = Scheme::He;
                    train.init.scale = 1.5;
                    train.subsample = Some(100);
                    train.batch = Some(25);
                }),
            ),
            "812765ce47a11e9c",
        ),
        (
            "checkpoints, a target loss, a smaller rate after a collapse",
            dense(
                ARCH,
                12,
                train(|train| {
                    train.checkpoints = vec![0.5, 0.95];
                    train.target_loss = Some(0.001);
                    train.retry_lr = Some(0.3);
                }),
            ),
            "b53f23870551a0fe",
        ),
        (
            "L-BFGS until a plateau",
            dense(
                ARCH,
                12,
                train(|train| {
                    train.optimizer = "lbfgs".parse().unwrap();
                    train.plateau = Some(Plateau { window: 50, improvement: 1e-3 });
                }),
            ),
            "1b8ecd04b97b28ac",
        ),
        (
            "a graph",
            wired("bred_moth.json", Wiring::Graph, Coords::Picbreeder, false),
            "7b91d14811a7cbe6",
        ),
        (
            "a graph from its weights",
            wired("mask.json", Wiring::Graph, Coords::Fer, true),
            "edbe1353a1477a6a",
        ),
        (
            "a layered genome",
            wired("bred_lamp.json", Wiring::Layerized, Coords::Fer, false),
            "b7336367da5daa00",
        ),
    ];
    let ids = rows.map(|(name, job, pinned)| (name, job.config.run_id(), pinned));
    assert_pinned(ids.into());
}

/// A dense network, trained for a few steps in the folder.
fn parent(folder: &Path) -> LoadedRun {
    train_run(folder, dense("2;gaussian:3,sin:2", 8, train(|t| t.steps = 40)), false, &mut ())
        .unwrap();
    load_run(folder).unwrap()
}

#[test]
fn pruning_runs_keep_their_ids() {
    let folder = tempfile::tempdir().unwrap();
    let parent = parent(&folder.path().join("dense"));
    let links = parent.model.mask.0.len();
    let third = Mask((0..links).map(|link| link % 3 != 1).collect());
    let plan = |method: &str, rules: &[Rule]| {
        PrunePlan::new(method.parse().unwrap(), rules.to_vec(), train(|train| train.steps = 10))
    };
    let budget = Rule::Budget(25);
    let layers = Rule::Layerwise { hidden: 0.2, output: 0.1 };
    let rows = [
        (
            "SP by a threshold",
            plan("sp:weighted=false", &[Rule::Threshold(0.35)]),
            "3ba8d9669cffbefa",
        ),
        (
            "Wanda within layers",
            plan("wanda:scope=layer,sequential=false", &[budget]),
            "8f4db9fadf226e78",
        ),
        ("magnitude by a share", plan("magnitude", &[Rule::Fraction(0.3)]), "abae8b58a41d8048"),
        ("a lottery ticket of two rounds", plan("imp", &[layers, layers]), "4fb1911fe155e513"),
        ("whole units", plan("taylor", &[Rule::Budget(40)]), "2c0f20000a8577ff"),
        (
            "from new weights",
            PrunePlan { retrain: Retrain::Reinit, ..plan("random", &[budget]) },
            "b16de8125c439639",
        ),
        (
            "rewound, dead links filled up",
            PrunePlan {
                retrain: Retrain::Rewind { step: 0 },
                orphans: Orphans::Refill,
                ..plan("sp-signed", &[budget])
            },
            "0eb627d9e03efe54",
        ),
        (
            "the counts of another network",
            PrunePlan {
                pattern: vec![third.clone()],
                ..plan("layer-counts", &[Rule::Budget(third.kept())])
            },
            "98813337e71487cc",
        ),
        (
            "the evolved links",
            PrunePlan { evolved: Some(third.clone()), ..plan("evolved", &[budget]) },
            "6ad8a9d2ad1d26bf",
        ),
        ("a swarm", plan("swarm:particles=2,moves=2,steps=5", &[budget]), "34fadeedf506db9b"),
    ];
    let ids = rows.map(|(name, plan, pinned)| {
        let (result, _) = prune_run(&parent, &plan, &folder.path().join(name), false, &mut ())
            .unwrap_or_else(|error| panic!("{name}: {error}"));
        (name, result.run_id, pinned)
    });
    assert_pinned(ids.into());
}

/// A swarm searches for the links to keep; its progress is kept under this key.
#[test]
fn swarms_keep_their_keys() {
    let folder = tempfile::tempdir().unwrap();
    let parent = parent(&folder.path().join("dense"));
    let rows = [
        ("a budget", "swarm:particles=2,moves=2,steps=5", Rule::Budget(25), "7bbb11163be49467"),
        ("a share", "swarm:particles=3,moves=2,steps=5", Rule::Fraction(0.5), "7d4d0aa61b1eb23d"),
    ];
    let keys = rows.map(|(name, method, rule, pinned)| {
        let train = train(|train| train.steps = 10);
        let plan = PrunePlan::new(method.parse().unwrap(), vec![rule], train);
        let out = folder.path().join(name);
        prune_run(&parent, &plan, &out, false, &mut ()).unwrap();
        let swarm = std::fs::read_to_string(out.join("swarm.json")).unwrap();
        let swarm: serde_json::Value = serde_json::from_str(&swarm).unwrap();
        (name, swarm["key"].as_str().unwrap().to_string(), pinned)
    });
    assert_pinned(keys.into());
}

#[test]
fn evolution_runs_keep_their_ids() {
    use picloom::evolve::Preset::{Neat, Picbreeder};
    let config = |preset, change: fn(&mut EvolutionConfig)| {
        let mut config = EvolutionConfig::new(preset);
        change(&mut config);
        config
    };
    let rows = [
        ("Picbreeder's numbers", config(Picbreeder, |_| ()), "d4bf5c0be1818398"),
        ("NEAT's numbers", config(Neat, |_| ()), "572fc2468e16ca93"),
        (
            "a target picture and when to stop",
            config(Neat, |config| {
                config.target = Some("cat.png".into());
                config.target_sha256 = Some("00ff".repeat(16));
                config.stop_at = Some(-0.01);
            }),
            "9af8badf921a2014",
        ),
        (
            "likeness by SSIM, fewer links, learned weights inherited",
            config(Picbreeder, |config| {
                config.fitness.measure = Measure::Both;
                config.fitness.complexity_pressure = 1e-4;
                config.refine.mode = RefineMode::Lamarck;
                config.refine.steps = 5;
            }),
            "37d532c38525739e",
        ),
        (
            "novelty",
            config(Neat, |config| {
                config.search = SearchKind::Novelty;
                config.novelty.search.neighbours = 7;
            }),
            "c6d7b7e9c94e85eb",
        ),
        (
            "MAP-Elites on a finer grid",
            config(Picbreeder, |config| {
                config.search = SearchKind::MapElites;
                config.map_elites.axes[0].cells = 12;
                config.map_elites.quality = None;
            }),
            "e67e7e27a86fccbe",
        ),
        (
            "bred by a model that looks",
            config(Picbreeder, |config| {
                config.search = SearchKind::Vlm;
                config.vlm = Some(VlmSection::default());
            }),
            "389fc36df1f5cb33",
        ),
        (
            "another seed, size and convention",
            config(Neat, |config| {
                (config.seed, config.size, config.coords) = (41, 32, Coords::Picbreeder);
            }),
            "c9bc5a7b22b88a30",
        ),
        (
            "from genomes, in grey",
            config(Picbreeder, |config| {
                config.ancestors = vec!["genomes/mask.json".into()];
                config.evolve.start.colour = false;
            }),
            "7eb7f94b53714aea",
        ),
        (
            "other rates and a small population",
            config(Neat, |config| {
                config.evolve.mutation.add_node = 0.125;
                config.evolve.species.threshold = 2.5;
                config.evolve.reproduction.population = 20;
            }),
            "6841df063628dcec",
        ),
    ];
    let ids = rows.map(|(name, config, pinned)| (name, config.hash(), pinned));
    assert_pinned(ids.into());

    // More generations, and another name for the same picture, are the same run.
    let longer = config(Neat, |config| config.generations = 7);
    assert_eq!(longer.hash(), config(Neat, |_| ()).hash());
}

/// A networks study with every way to prune that its chains have, small enough for a test.
const STUDY: &str = r#"
kind = "networks"
name = "pinned"
question = "Does it stay?"
size = 24
steps = 9000
seeds = [0, 1, 2]
sample = 40
[[targets]]
name = "mask"
genome = "genomes/mask.json"
[[arms]]
name = "evolved"
wiring = "evolved"
[[arms]]
name = "dense"
wiring = "dense"
[[arms]]
name = "graph"
wiring = "graph"
[[arms]]
name = "noise"
wiring = "layerized"
noise = 0.2
[[arms]]
name = "sp"
from = "dense"
method = "sp:weighted=false"
levels = ["threshold:0.35", "share:0.2"]
[[arms]]
name = "layer-counts"
from = "dense"
method = { name = "layer-counts" }
levels = ["match:sp", "match:sp"]
orphans = "refill"
[[arms]]
name = "ticket"
from = "dense"
method = { name = "imp" }
levels = ["share:0.5", "budget:30"]
rounds = 2
retrain = { rewind = { step = 0 } }
[[arms]]
name = "merged"
from = "dense"
method = { name = "sp-merge" }
levels = ["share:0.6"]
optimizer = "muon:steps=2"
[[arms]]
name = "random"
from = "noise"
method = { name = "random" }
levels = ["budget:20"]
retrain = "reinit"
steps = 20
[show]
arms = ["evolved"]
[profiles.smoke]
size = 12
steps = 60
seeds = [0]
sample = 6
"#;

/// A folder with this spec and the genomes that it names.
fn repository(spec: &str) -> (tempfile::TempDir, PathBuf) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    crate::repository::repository(
        root,
        "pinned",
        spec,
        &["genomes/mask.json", "genomes/bred_lamp.json"],
    )
}

fn read(spec: &Path, profile: Option<&str>) -> NetworksStudy {
    NetworksStudy::read(spec, profile, Path::new("no runs")).unwrap()
}

#[test]
fn chains_keep_their_ids() {
    /// The id of the last chain of the study with some text replaced, as if its pictures were judged at their own size.
    fn last(from: &str, to: &str) -> String {
        assert!(STUDY.contains(from), "{from}");
        let (_folder, path) = repository(&STUDY.replacen(from, to, 1));
        let study = read(&path, None);
        let mut chain = study.chains.last().unwrap().clone();
        assert_eq!(chain.key.judged_at, Some(64), "of a study below 64²");
        chain.key.judged_at = None;
        study.id(&chain)
    }
    let (_folder, path) = repository(STUDY);
    let study = read(&path, None);
    let judged_at = study.id(study.chains.last().unwrap());
    let variant = "[[variants]]\nname = \"muon\"\noptimizer = \"muon\"\nschedule = \"cosine\"\nsubsample = 0.5\n[show]";
    let rows = [
        ("as it is", last("", ""), "b1423889f22520df"),
        ("judged at 64²", judged_at, "f0f9bfadee3f433d"),
        ("another seed", last("seeds = [0, 1, 2]", "seeds = [5]"), "48f6221307e64e5b"),
        (
            "one layer less",
            last("sample = 40", "sample = 40\noffsets = [0, -1]"),
            "9069d1dae1f9b771",
        ),
        ("another genome", last("genomes/mask.json", "genomes/bred_lamp.json"), "a6ed5c8618f90a00"),
        ("another way of training", last("[show]", variant), "7e90e9baf4122c81"),
        ("all weights perturbed", last("sample = 40", "sample = \"all\""), "ff986a45335c0517"),
        (
            "another judge",
            last("sample = 40", "judge = { name = \"mock\", seed = 3 }"),
            "031169f639bb5e4b",
        ),
        (
            "measured on the way, and by a fixed change",
            last("sample = 40", "checkpoints = [0.5, 0.9]\nfixed_delta = 0.5\nmechanisms = true"),
            "b8aafb97d0a05a47",
        ),
        (
            "stopped at a fit, a smaller rate after a collapse",
            last("sample = 40", "sample = 40\ntarget_r2 = 0.97\nretry_lr = 0.3\neffect = 0.1"),
            "9576bad55fc20fe1",
        ),
        (
            "other levels",
            last("[\"threshold:0.35\", \"share:0.2\"]", "[\"budget:50\", \"budget:30\"]"),
            "a1ba3335ed66b01b",
        ),
    ];
    assert_pinned(rows.into());
}

#[test]
fn sweeps_keep_their_ids() {
    let folder = tempfile::tempdir().unwrap();
    let part = folder.path().join("part");
    // Stopped at once, the sweep leaves its id in the file that it goes on from.
    let sweep = |view: &View, delta, links: Selection| {
        let links = links.links(view.model(), 3).unwrap();
        let whole = resumable_sweep_until(view, &links, delta, &part, &|_| (), &|| true).unwrap();
        assert_eq!(whole, None);
        let kept = std::fs::read_to_string(&part).unwrap();
        let kept: serde_json::Value = serde_json::from_str(&kept).unwrap();
        kept["sweep"].as_str().unwrap().to_string()
    };
    let view = |name: &str, wiring, size, coords| {
        View::new(&Model::of_genome(&genome(name), wiring), size, coords)
    };
    use {Coords::Fer, Coords::Picbreeder, Delta::Effect, Delta::Fixed, Selection::Sample};
    let mask = view("mask.json", Wiring::Graph, 8, Fer);
    let layered = view("mask.json", Wiring::Layerized, 8, Fer);
    let lamp = view("bred_lamp.json", Wiring::Layerized, 8, Fer);
    let large = view("mask.json", Wiring::Graph, 9, Fer);
    let other = view("mask.json", Wiring::Graph, 8, Picbreeder);
    let dense = view("bred_moth.json", Wiring::Dense, 8, Fer);
    let rows = [
        ("a graph", sweep(&mask, Effect(0.18), Sample(3)), "f4690793438fd588"),
        ("by a fixed change", sweep(&mask, Fixed(0.5), Sample(3)), "d4f6648efe2f6472"),
        ("a smaller effect", sweep(&mask, Effect(0.1), Sample(3)), "2bc338a90644dfe8"),
        ("more links", sweep(&mask, Effect(0.18), Sample(5)), "6e68f5137c6b1ca4"),
        ("one link", sweep(&mask, Effect(0.18), Selection::Links(vec![2])), "594c6d9609f15892"),
        ("layered", sweep(&layered, Effect(0.18), Sample(3)), "639462add9aa485b"),
        ("another genome", sweep(&lamp, Effect(0.18), Sample(3)), "fb57729a1870006c"),
        ("a larger picture", sweep(&large, Effect(0.18), Sample(3)), "ba582419c77f115b"),
        ("another convention", sweep(&other, Effect(0.18), Sample(3)), "f937c8f103bd8387"),
        ("dense", sweep(&dense, Effect(0.18), Sample(3)), "7e12ff55b90e00e7"),
    ];
    assert_pinned(rows.into());
}

#[test]
fn a_lottery_ticket_of_a_spec_has_the_schedule_of_the_command() {
    let arms = |method: &str, more: &str| {
        format!(
            "[[arms]]\nname = \"dense\"\nwiring = \"dense\"\n[[arms]]\nname = \"pruned\"\nfrom = \"dense\"\nmethod = {{ name = \"{method}\" }}\nlevels = [\"share:0.7\", \"share:0.5\"]\n{more}"
        )
    };
    let of = |method: &str, more: &str| {
        let head = "kind = \"networks\"\nname = \"pinned\"\nquestion = \"?\"\nsize = 12\nsteps = 6\nseeds = [0]\nsample = 2\n[[targets]]\nname = \"mask\"\ngenome = \"genomes/mask.json\"\n";
        repository(&format!("{head}{}", arms(method, more)))
    };
    let runs = |method: &str, more: &str| {
        let (folder, path) = of(method, more);
        let study = read(&path, None);
        let record = run_cells(&study, folder.path(), &mut ()).unwrap().unwrap();
        let dense = record.rows[0].result.as_ref().unwrap().links;
        let study_folder = study_folder(&study, folder.path());
        let pruned = record.rows[1..].iter().map(|row| {
            let kept = row.result.as_ref().unwrap().kept;
            (row.level, kept)
        });
        let pruned: Vec<(usize, usize)> = pruned.collect();
        let last = std::fs::read_dir(study_folder).unwrap().find_map(|entry| {
            let run = load_run(&entry.unwrap().path()).ok()?;
            run.config.pruned.map(|pruned| (pruned.round, pruned.retrain))
        });
        (dense, pruned, last.unwrap())
    };
    let (dense, levels, last) = runs("imp", "");
    let to = |share: f64| (share * dense as f64).round() as usize;
    let rounds = imp_global(dense, IMP_GLOBAL, to(0.7)).len()
        + imp_global(to(0.7), IMP_GLOBAL, to(0.5)).len();
    assert!(rounds > 10, "{rounds}");
    assert_eq!(last, (rounds, "rewind:0".to_string()));
    assert_eq!(levels, [(1, to(0.7)), (2, to(0.5))]);
    // The one-shot variant, fine-tuned, is another method.
    let (_, levels, last) = runs("magnitude", "");
    assert_eq!((levels.len(), last), (2, (2, "finetune".to_string())));
    let (_folder, path) = of("imp", "retrain = \"finetune\"\n");
    let refused = NetworksStudy::read(&path, None, Path::new("no runs")).err().unwrap().to_string();
    assert!(refused.contains("magnitude chooses the same links"), "{refused}");
    // An arm without rounds is the arm with its method's own: the same cells.
    let ids = |method: &str, more: &str| {
        let (_folder, path) = of(method, more);
        let study = read(&path, None);
        study.cells().map(|cell| study.id(&cell)).collect::<Vec<_>>()
    };
    let said = "rounds = 1\nretrain = \"finetune\"\n";
    assert_eq!(ids("magnitude", ""), ids("magnitude", said));
    assert_ne!(ids("imp", ""), ids("imp", "rounds = 1\n"));
}

/// The rows of a study: the network, its run, its score, and a hash of all that was measured.
fn lines(rows: &[NetworkRow]) -> String {
    rows.iter().fold(String::new(), |mut lines, row| {
        let result = row.result.as_ref().unwrap_or_else(|| panic!("{row:?}"));
        // The folder is not measured: it stands among the folders above.
        let mut measured = row.clone();
        measured.result.as_mut().unwrap().path = None;
        let hash = short_id(serde_json::to_string(&measured).unwrap());
        let run = result.run_id.as_deref().unwrap_or("-");
        let (arm, level, score) = (&row.arm, row.level, result.score().unwrap_or(f64::NAN));
        writeln!(lines, "{arm:<12} {level} {run:<16} {score:.4} {hash}").unwrap();
        lines
    })
}

#[test]
fn a_small_study_keeps_its_cells_its_folders_and_its_rows() {
    let (folder, path) = repository(STUDY);
    let study = read(&path, Some("smoke"));
    let cells: Vec<String> = study.cells().map(|cell| study.id(&cell)).collect();
    let record = run_cells(&study, folder.path(), &mut ()).unwrap().unwrap();
    // Of a pruned arm the folder of its last level; the levels before are in it.
    let mut folders: Vec<String> = std::fs::read_dir(study_folder(&study, folder.path()))
        .unwrap()
        .map(|entry| entry.unwrap())
        .filter(|entry| entry.path().join("config.toml").exists())
        .map(|entry| {
            let arm = load_run(&entry.path()).unwrap().config.arm;
            format!("{arm} {}", entry.file_name().to_str().unwrap())
        })
        .collect();
    folders.sort();
    let now = format!("{}\n\n{}\n\n{}", cells.join("\n"), folders.join("\n"), lines(&record.rows));
    assert_eq!(now, SMOKE, "now:\n{now}");
}

/// Ids of the cells; folders of the arms; arm, level, run, score and a hash of each row.
const SMOKE: &str = "\
21496a85be312774
effd875f737f047b

dense 6f75d5106ca16fd2
graph f0db5c2be9a8d227
imp 84d10e0ca43d5a3d
layer-counts 672669a94961ce0f
noise ba8a692a70078b8d
random e7730e2f2360e43a
sp df98f480b3392043
sp-merge f669c485864222a0

evolved      0 -                0.8977 c7a996f393cb2cdd
dense        0 6f75d5106ca16fd2 0.7102 095adc810c4249ca
graph        0 f0db5c2be9a8d227 0.9414 3478f40def07f96f
noise        0 ba8a692a70078b8d 0.8787 815b1225ed5b4f20
sp           1 7f91c6b23e96bc51 0.9485 aae08dfb973f20de
sp           2 778dbd3b3a1542f4 0.9991 a58d7ca9b6b7bcb2
layer-counts 1 da9cb478b1f3fbb2 0.8014 4b671939d0bbcbcb
layer-counts 2 edb0bb598ca551e6 0.9963 ca85a2309e9d307f
ticket       1 d5f2b2094452e2a6 0.9763 bf6d074c499a8a1e
ticket       2 deba00f63a5d2418 0.9998 06cf6c84a9b2bd20
merged       1 cbfa8eaefa46135d 0.9232 5c5e73cfe66a1599
random       1 f5474d2d4c76539e 0.9555 f4a1c57f7150d531
";
