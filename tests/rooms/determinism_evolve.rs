//! One seed, one run: the same bytes at 1 and 2 threads, and after being killed and resumed.

use crate::files::{assert_same_files, files};
use crate::refusals::refusal_of;
use crate::stop::on_threads;
use picloom::evolve::Preset;
use picloom::experiment::evolution::{
    EvolutionConfig, EvolutionJob, EvolutionObserver, GenerationRecord, RefineMode, SearchKind,
    StopCause, Unwatched, evolve,
};
use std::path::Path;
use std::process::{Command, Stdio};

/// A small run of each search, on a committed target.
fn job(search: SearchKind, generations: u64) -> EvolutionJob {
    let preset = match search {
        SearchKind::Target => Preset::Neat,
        _ => Preset::Picbreeder,
    };
    let mut config = EvolutionConfig::new(preset);
    config.search = search;
    config.generations = generations;
    config.seed = 17;
    config.size = 16;
    config.evolve.reproduction.population = 24;
    if search == SearchKind::Target {
        config.target = Some("experiments/targets/face.png".into());
        config.refine.mode = RefineMode::Lamarck;
        config.refine.steps = 2;
    }
    EvolutionJob::new(config).unwrap()
}

const SEARCHES: [SearchKind; 3] = [SearchKind::Target, SearchKind::Novelty, SearchKind::MapElites];

#[test]
fn a_run_that_has_reached_its_goal_makes_no_generation_more() {
    for search in SEARCHES {
        let folder = tempfile::tempdir().unwrap();
        let (whole, cut) = (folder.path().join("whole"), folder.path().join("cut"));
        let mut job = job(search, 6);
        job.config.stop_at = Some(-1e9);
        for run in [&whole, &cut] {
            let result = evolve(&job, run, false, &mut Unwatched).unwrap();
            assert_eq!(result.generations, 1, "{search:?}");
        }
        // Killed between the last checkpoint and the end.
        std::fs::remove_file(cut.join("result.json")).unwrap();
        for run in [&whole, &cut] {
            evolve(&job, run, true, &mut Unwatched).unwrap();
        }
        assert_same_files(&whole, &cut, &format!("{search:?}"));
    }
}

#[test]
fn a_budget_counts_genomes_and_gradients_and_may_be_raised() {
    let folder = tempfile::tempdir().unwrap();
    let mut job = job(SearchKind::Target, 6);
    // 24 genomes with two gradients each: 72 a generation.
    job.config.budget = Some(73);
    let result = evolve(&job, folder.path(), false, &mut Unwatched).unwrap();
    assert_eq!((result.cause, result.generations), (StopCause::Budget, 2));
    assert_eq!((result.evaluations, result.gradients), (48, 96));
    let again = evolve(&job, folder.path(), true, &mut Unwatched).unwrap();
    assert_eq!(again, result, "a spent budget buys nothing");
    job.config.budget = Some(217);
    let more = evolve(&job, folder.path(), true, &mut Unwatched).unwrap();
    assert_eq!((more.cause, more.generations), (StopCause::Budget, 4));
    job.config.budget = None;
    let all = evolve(&job, folder.path(), true, &mut Unwatched).unwrap();
    assert_eq!((all.cause, all.generations), (StopCause::Generations, 6));
}

/// Stops after a number of generations.
pub(crate) struct StopAfter(pub(crate) u64);

impl EvolutionObserver for StopAfter {
    fn generation(&mut self, _: &GenerationRecord, _: f64) {
        self.0 -= 1;
    }

    fn stop(&mut self) -> bool {
        self.0 == 0
    }
}

#[test]
fn a_stopped_and_resumed_run_ends_in_the_bytes_of_an_unstopped_one() {
    for search in SEARCHES {
        let folder = tempfile::tempdir().unwrap();
        let (whole, parts) = (folder.path().join("whole"), folder.path().join("parts"));
        let job = job(search, 7);
        on_threads(2, || evolve(&job, &whole, false, &mut Unwatched).unwrap());
        let first = evolve(&job, &parts, false, &mut StopAfter(3)).unwrap();
        assert_eq!((first.cause, first.generations), (StopCause::Interrupted, 3));
        // A death between the journals and the checkpoint leaves lines too many.
        let lineage = parts.join("lineage.jsonl");
        let mut text = std::fs::read(&lineage).unwrap();
        text.extend_from_slice(b"{\"id\": half a li");
        std::fs::write(&lineage, text).unwrap();
        evolve(&job, &parts, true, &mut StopAfter(2)).unwrap();
        on_threads(1, || evolve(&job, &parts, true, &mut Unwatched).unwrap());
        assert_same_files(&whole, &parts, &format!("{search:?} resumed"));
    }
}

#[test]
fn a_search_whose_journals_were_replaced_is_refused_and_goes_on_once_they_are_back() {
    let folder = tempfile::tempdir().unwrap();
    let (run, job) = (folder.path(), job(SearchKind::Target, 4));
    evolve(&job, run, false, &mut StopAfter(3)).unwrap();
    for name in ["metrics.jsonl", "lineage.jsonl"] {
        let path = run.join(name);
        let own = std::fs::read(&path).unwrap();
        // As long, and longer.
        for length in [own.len(), 2 * own.len()] {
            std::fs::write(&path, vec![b'0'; length]).unwrap();
            let error = evolve(&job, run, true, &mut Unwatched).unwrap_err();
            assert_eq!(refusal_of(&error).at, path.display().to_string(), "{error}");
            assert_eq!(std::fs::read(&path).unwrap().len(), length, "it stays as it was");
        }
        std::fs::write(&path, own).unwrap();
    }
    assert_eq!(evolve(&job, run, true, &mut Unwatched).unwrap().generations, 4);
}

#[test]
fn galleries_show_pictures_that_differ_and_an_interrupted_run_leaves_its_best() {
    use picloom::evolve::{DISTINCT, Sketch};
    for search in SEARCHES {
        let folder = tempfile::tempdir().unwrap();
        let run = folder.path();
        let job = job(search, 12);
        evolve(&job, run, false, &mut StopAfter(5)).unwrap();
        let best = picloom::genome::read(&run.join("best.json")).unwrap();
        let shown = picloom::network::Picture::read(&run.join("best.png")).unwrap();
        let drawn = picloom::experiment::evolution::draw(&best, 512, job.config.coords);
        assert!(shown.to_bytes() == drawn.to_bytes(), "{search:?}");
        let result = evolve(&job, run, true, &mut Unwatched).unwrap();
        let read = |file: &String| picloom::genome::read(&run.join(file)).unwrap();
        let sketches: Vec<Sketch> = result.genomes.iter().map(|f| Sketch::of(&read(f))).collect();
        assert!(sketches.len() > 1, "{search:?}");
        for (i, sketch) in sketches.iter().enumerate() {
            let nearest = sketches[..i].iter().map(|other| other.distance(sketch));
            let nearest = nearest.fold(f64::INFINITY, f64::min);
            assert!(nearest > DISTINCT, "{search:?}: {} shows a picture again", result.genomes[i]);
        }
        // The best is the first of the gallery.
        let best = picloom::genome::read(&run.join("best.json")).unwrap();
        assert!(best == read(&result.genomes[0]), "{search:?}");
    }
}

#[test]
fn a_result_comes_from_genomes_that_were_counted_and_logged() {
    for generations in [1, 3] {
        let folder = tempfile::tempdir().unwrap();
        let job = job(SearchKind::Target, generations);
        let result = evolve(&job, folder.path(), false, &mut Unwatched).unwrap();
        let log = std::fs::read_to_string(folder.path().join("metrics.jsonl")).unwrap();
        let last: GenerationRecord = serde_json::from_str(log.lines().last().unwrap()).unwrap();
        let found = (result.evaluations, result.best_r2, result.best_fitness);
        assert_eq!(found, (last.evaluations, last.best_r2, Some(last.best_ever)));
        // Fitness is −MSE here, of the learned weights.
        assert!((result.best_fitness.unwrap() + result.best_mse.unwrap()).abs() < 1e-12);
        assert!(result.genomes.len() > 1);
    }
}

/// The run that `kill_minus_nine` starts in another process: not a test of its own.
#[test]
#[ignore = "started by another test"]
fn victim() {
    let Some(folder) = std::env::var_os("PICLOOM_VICTIM") else {
        return;
    };
    let folder = Path::new(&folder);
    let resume = folder.join("checkpoint.json").exists();
    evolve(&job(SearchKind::Target, 40), folder, resume, &mut Unwatched).unwrap();
}

#[test]
fn a_run_killed_with_signal_nine_again_and_again_ends_in_the_same_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let (whole, killed) = (folder.path().join("whole"), folder.path().join("killed"));
    evolve(&job(SearchKind::Target, 40), &whole, false, &mut Unwatched).unwrap();
    let generations = || {
        let text = std::fs::read_to_string(killed.join("metrics.jsonl")).unwrap_or_default();
        text.lines().count()
    };
    let start = || {
        Command::new(std::env::current_exe().unwrap())
            .args(["determinism_evolve::victim", "--exact", "--ignored"])
            .env("PICLOOM_VICTIM", &killed)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap()
    };
    let mut alive = 0;
    // Killed wherever it happens to be once the checkpoint of generations 3, 11 and 24 is behind it.
    for after in [3, 11, 24] {
        let mut child = start();
        while generations() < after && child.try_wait().unwrap().is_none() {
            std::thread::sleep(std::time::Duration::from_millis(2));
        }
        alive += usize::from(child.try_wait().unwrap().is_none());
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(killed.join("checkpoint.json").exists() || after == 3);
    }
    assert!(alive > 0, "the run had ended by itself each time");
    assert!(!killed.join("result.json").exists(), "killed before its end");
    assert!(start().wait().unwrap().success());
    // A temporary file that the kill left behind is not part of the run.
    for name in files(&killed).keys().filter(|n| n.ends_with(".tmp")) {
        std::fs::remove_file(killed.join(name)).unwrap();
    }
    assert_same_files(&whole, &killed, "killed three times");
}
