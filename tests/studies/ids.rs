//! Ids that must not change: results are kept under them, and a changed id orphans a finished result.
//!
//! They stand in `tests/golden/ids` below their configs. A change that moves an id on
//! purpose puts the new id there and says in CHANGELOG.md which kind of id moved and why. The ids of studio jobs are pinned in
//! `tests/command/studio/ids.rs`; `claims::the_committed_verdicts_follow_from_the_committed_records` pins
//! `figures/claims.json`.

use crate::answers::hold;
use crate::spec_folder::{in_repository, read};
use crate::tiny::{dense, ramps};
use picloom::base::hash::short_id;
use picloom::base::settings::Settings;
use picloom::experiment::evolution::EvolutionConfig;
use picloom::experiment::networks::{NetworkRow, NetworksStudy};
use picloom::experiment::prune_run;
use picloom::genome::Genome;
use picloom::network::{Coords, Mask, Model, Wiring};
use picloom::probe::{Selection, View};
use picloom::prune::schedule::{IMP_GLOBAL, imp_global};
use picloom::prune::{Orphans, PrunePlan, Rule};
use picloom::run::{LoadedRun, TrainJob, load_run, resumable_sweep_until, train_run};
use picloom::study::cells::{CellStudy, run_cells, study_folder};
use picloom::train::TrainConfig;
use std::fmt::Write as _;
use std::path::Path;

fn genome(name: &str) -> Genome {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("genomes").join(name);
    picloom::genome::read(&path).unwrap()
}

/// The settings of a training with some of them changed.
fn train(change: impl FnOnce(&mut TrainConfig)) -> TrainConfig {
    let mut train = TrainConfig { steps: 300, ..TrainConfig::default() };
    change(&mut train);
    train
}

/// A training of a genome's wiring, from its evolved weights if `is_warm`.
fn wired(name: &str, wiring: Wiring, coords: Coords, is_warm: bool) -> TrainJob {
    let genome = genome(name);
    let model = Model::of_genome(&genome, wiring);
    let start = is_warm.then_some(model.weights);
    let (arm, wired) = (wiring.to_string(), (model.network, model.mask));
    TrainJob::new(&arm, &ramps(12), coords, wired, start, Some(&genome), train(|_| ()))
}

#[test]
fn training_runs_keep_their_ids() {
    hold("ids/trainings", |input| {
        let (head, settings) = input.split_once('\n').unwrap_or((input, ""));
        let train = train(|_| ()).with(&settings.parse().unwrap()).unwrap();
        let job = match head.split(' ').collect::<Vec<_>>()[..] {
            ["dense", arch, size] => dense(arch, size.parse().unwrap(), train),
            [start, name, wiring, coords] => {
                wired(name, wiring.parse().unwrap(), coords.parse().unwrap(), start == "weights")
            }
            _ => panic!("{head}"),
        };
        job.config.run_id()
    });
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
    let third = Mask((0..parent.model.mask.0.len()).map(|link| link % 3 != 1).collect());
    hold("ids/prunings", |input| {
        let mut words = input.split(' ');
        let (method, rules) = (words.next().unwrap(), words.next().unwrap().split(',').map(rule));
        let train = train(|train| train.steps = 10);
        let mut plan = PrunePlan::new(method.parse().unwrap(), rules.collect(), train);
        for word in words {
            match word {
                "refill" => plan.orphans = Orphans::Refill,
                "pattern" => plan.pattern = vec![third.clone()],
                "evolved" => plan.evolved = Some(third.clone()),
                retrain => plan.retrain = retrain.parse().unwrap(),
            }
        }
        let out = folder.path().join(input);
        prune_run(&parent, &plan, &out, false, &mut ()).unwrap().0.run_id
    });
}

/// `share:0.3` and so on; the layers of the original lottery ticket.
fn rule(text: &str) -> Rule {
    match text.split_once(':').unwrap() {
        ("threshold", value) => Rule::Threshold(value.parse().unwrap()),
        ("budget", value) => Rule::Budget(value.parse().unwrap()),
        ("share", value) => Rule::Fraction(value.parse().unwrap()),
        ("layers", value) => Rule::Layerwise { hidden: value.parse().unwrap(), output: 0.1 },
        other => panic!("{other:?}"),
    }
}

/// A swarm searches for the links to keep; its progress is kept under this key.
#[test]
fn swarms_keep_their_keys() {
    let folder = tempfile::tempdir().unwrap();
    let parent = parent(&folder.path().join("dense"));
    hold("ids/swarms", |input| {
        let (method, by) = input.split_once(' ').unwrap();
        let train = train(|train| train.steps = 10);
        let plan = PrunePlan::new(method.parse().unwrap(), vec![rule(by)], train);
        let out = folder.path().join(input);
        prune_run(&parent, &plan, &out, false, &mut ()).unwrap();
        let swarm = std::fs::read_to_string(out.join("swarm.json")).unwrap();
        let swarm: serde_json::Value = serde_json::from_str(&swarm).unwrap();
        swarm["key"].as_str().unwrap().to_string()
    });
}

#[test]
fn evolution_runs_keep_their_ids() {
    let of = |input: &str| {
        let (preset, changes) = input.split_once('\n').unwrap_or((input, ""));
        let preset = preset.parse().unwrap();
        EvolutionConfig::over_defaults(preset, changes.parse().unwrap()).unwrap()
    };
    hold("ids/evolutions", |input| of(input).hash());
    let mut finer = of("picbreeder\nsearch = 'map-elites'");
    finer.map_elites.axes[0].cells = 12;
    finer.map_elites.quality = None;
    assert_eq!(finer.hash(), "e67e7e27a86fccbe", "MAP-Elites on a finer grid");
    // More generations, and another name for the same picture, are the same run.
    assert_eq!(of("neat\ngenerations = 7").hash(), of("neat").hash());
}

/// A networks study with every way to prune that its chains have, small enough for a test.
const STUDY: &str = include_str!("../specs/pinned.toml");

#[test]
fn chains_keep_their_ids() {
    crate::asked::add();
    /// The id of the last chain of the study with some text replaced, as if its pictures were judged at their own size.
    fn last(from: &str, to: &str) -> String {
        assert!(STUDY.contains(from), "{from}");
        let (_folder, path) = in_repository(&STUDY.replacen(from, to, 1));
        let study = read(&path, None);
        let mut chain = study.chains.last().unwrap().clone();
        assert_eq!(chain.key.judged_at, Some(64), "of a study below 64²");
        chain.key.judged_at = None;
        study.id(&chain)
    }
    let (_folder, path) = in_repository(STUDY);
    let study = read(&path, None);
    assert_eq!(study.id(study.chains.last().unwrap()), "f0f9bfadee3f433d", "judged at 64²");
    hold("ids/chains", |change| {
        let (from, to) = change.split_once(" => ").unwrap_or_default();
        last(from, &to.replace("\\n", "\n"))
    });
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
    hold("ids/sweeps", |input| {
        let [name, wiring, size, coords, delta, links] = input.split(' ').collect::<Vec<_>>()[..]
        else {
            panic!("{input}")
        };
        let model = Model::of_genome(&genome(name), wiring.parse().unwrap());
        let view = View::new(&model, size.parse().unwrap(), coords.parse().unwrap());
        let links = match links.strip_prefix("link:") {
            Some(link) => Selection::Links(vec![link.parse().unwrap()]),
            None => links.parse().unwrap(),
        };
        sweep(&view, delta.parse().unwrap(), links)
    });
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
        in_repository(&format!("{head}{}", arms(method, more)))
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
    let refused = NetworksStudy::read(&path, None, Path::new("nowhere")).err().unwrap().to_string();
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
    let (folder, path) = in_repository(STUDY);
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
    let now = format!("{}\n{}\n{}", cells.join("\n"), folders.join("\n"), lines(&record.rows));
    hold("ids/smoke", |_| now.clone());
}
