//! Networks studies through their files: the same record however they are run, clear refusals.

use crate::refusals::{assert_refused, refusal_of};
use crate::whole::assert_whole;
use picloom::base::folder::FolderKind;
use picloom::experiment::networks::plan::Source;
use picloom::experiment::networks::record::Scored;
use picloom::experiment::networks::{NetworksRecord, NetworksStudy};
use picloom::study::Record;
use picloom::study::cells::{CellStudy, collect_cells, run_cells, so_far, status, study_folder};
use picloom::study::record::RecordError;
use picloom::study::spec::SpecError;
use picloom::study::table::Table;
use picloom::study::workers::{Progress, StudyObserver};
use std::path::{Path, PathBuf};

const SMALL: &str = r#"
kind = "networks"
name = "small"
question = "Does it run?"
size = 12
steps = 40
seeds = [0, 1]
sample = 6
offsets = [-1, 0]
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
name = "sp"
from = "dense"
method = "sp:weighted=false"
levels = ["threshold:0.35", "share:0.2"]
[[arms]]
name = "random"
from = "dense"
method = "sp-layer-counts"
levels = ["match:sp", "match:sp"]
rounds = 2
retrain = { rewind = { step = 0 } }
[show]
arms = ["evolved", "sp-1"]
maps = ["evolved"]
[profiles.one]
seeds = [7]
offsets = [0]
"#;

/// A folder with this spec and the genomes that it names.
pub(crate) fn repository(spec: &str) -> (tempfile::TempDir, PathBuf) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    crate::repository::repository(
        root,
        "small",
        spec,
        &["genomes/mask.json", "genomes/bred_lamp.json"],
    )
}

pub(crate) fn plan(path: &Path, profile: Option<&str>) -> NetworksStudy {
    NetworksStudy::read(path, profile, Path::new("nowhere")).unwrap()
}

fn unread(path: &Path, profile: Option<&str>) -> SpecError {
    NetworksStudy::read(path, profile, Path::new("nowhere")).err().expect("it is wrong")
}

/// The spec is refused, in its file.
#[track_caller]
pub(crate) fn assert_unread(spec: &str, refusal: [&str; 3]) {
    let (_folder, path) = repository(spec);
    let error = unread(&path, None);
    assert!(refusal_of(&error).at.starts_with(&format!("{}: ", path.display())), "{error}");
    assert_refused(&error, refusal);
}

pub(crate) fn run_with(plan: &NetworksStudy, runs: &Path, threads: usize) -> NetworksRecord {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    let record = pool.install(|| run_cells(plan, runs, &mut ()));
    record.unwrap().expect("nobody stopped it")
}

/// Says no at the `after`th question.
struct Impatient {
    after: usize,
    asked: usize,
    done: Vec<Progress>,
}

impl StudyObserver for Impatient {
    fn cell(&mut self, progress: &Progress, _label: &str, _error: Option<&str>) {
        self.done.push(*progress);
    }

    fn going_on(&mut self) -> bool {
        self.asked += 1;
        self.asked < self.after
    }
}

#[test]
fn every_chain_gives_a_row_a_network_and_counts_are_matched() {
    let (folder, path) = repository(SMALL);
    let plan = plan(&path, None);
    let record = run_with(&plan, &folder.path().join("runs"), 2);
    let rows = |arm: &str| record.rows.iter().filter(|r| r.arm == arm).count();
    // Two depths × two seeds; the graph exists at its own depth only, the evolved network once.
    assert_eq!(
        [rows("evolved"), rows("dense"), rows("graph"), rows("sp"), rows("random")],
        [1, 4, 2, 8, 8]
    );
    assert!(record.rows.iter().all(|r| r.result.is_some()), "{record:?}");
    for row in record.rows.iter().filter(|r| r.arm == "random") {
        let sp = record.rows.iter().find(|r| {
            r.arm == "sp" && (r.level, r.seed, r.layers) == (row.level, row.seed, row.layers)
        });
        let kept = |r: &picloom::experiment::NetworkRow| r.result.as_ref().unwrap().kept;
        assert_eq!(kept(row), kept(sp.unwrap()));
    }
    let evolved = record.rows[0].result.as_ref().unwrap();
    assert!(evolved.fit && evolved.train.is_none());
    let views = evolved.views.as_ref().unwrap();
    let study = study_folder(&plan, &folder.path().join("runs"));
    assert_whole(&study.join(&views.sweep));
    assert_whole(&study.join(&views.maps.as_ref().unwrap().file));
    assert_eq!(NetworksRecord::read(&study).unwrap(), record);
    // The table has a row for each network at the end, and one for each R² on its way.
    let table = Table::read(&study.join("rows.csv.gz")).unwrap();
    let at = table.get("at");
    let is_end = |row: &usize| at.is_none_or(|at| at.text(*row).is_empty());
    let ends = (0..table.len()).filter(is_end).count();
    let on_the_way = record.rows.iter().flat_map(|row| &row.result.as_ref().unwrap().reached);
    assert_eq!((ends, table.len() - ends), (record.rows.len(), on_the_way.count()));
    let [share, kept, links] = ["share", "kept", "links"].map(|name| table.column(name).unwrap());
    for row in 0..table.len() {
        let wanted = kept.number(row).unwrap() / links.number(row).unwrap();
        assert!((share.number(row).unwrap() - wanted).abs() < 1e-5);
    }
    assert_eq!(table.column("arm").unwrap().text(0), "evolved");
}

#[test]
#[ignore = "slow: cargo test -- --include-ignored"]
fn copying_cells_takes_results_over() {
    let (folder, path) = repository(SMALL);
    let [here, there] = ["here", "there"].map(|name| folder.path().join(name));
    let study = plan(&path, None);
    // One depth alone, somewhere: all of it so far has those rows, and says that others are to come.
    let one = SMALL.replace("offsets = [-1, 0]", "offsets = [0]");
    let (_folder, only) = repository(&one);
    run_with(&plan(&only, None), &there, 2);
    let (begun, missing) = so_far(&study, &there).unwrap();
    assert_eq!(missing, 2);
    assert_eq!(begun.rows.iter().filter(|row| row.result.is_none()).count(), 2 * 5);

    // Elsewhere the rest is computed, and nothing twice.
    std::fs::create_dir_all(here.join("small/cells")).unwrap();
    for cell in std::fs::read_dir(there.join("small/cells")).unwrap().flatten() {
        std::fs::copy(cell.path(), here.join("small/cells").join(cell.file_name())).unwrap();
    }
    std::fs::create_dir_all(here.join("small/views")).unwrap();
    for view in std::fs::read_dir(there.join("small/views")).unwrap().flatten() {
        std::fs::copy(view.path(), here.join("small/views").join(view.file_name())).unwrap();
    }
    let done = status(&study, &here).unwrap();
    assert_eq!((done.done, done.free), (3, 2));
    let whole = run_with(&study, &here, 2);
    let known = whole.rows.iter().find(|row| row.offset == 0 && row.arm == "dense").unwrap();
    let id = known.result.as_ref().unwrap().run_id.clone().unwrap();
    assert!(!here.join("small").join(&id).exists(), "trained again");
    assert_eq!(whole, run_with(&study, &folder.path().join("fresh"), 2));
}

#[test]
#[ignore = "slow: cargo test -- --include-ignored"]
fn killed_anywhere_and_at_any_number_of_threads_it_ends_in_the_same_bytes() {
    let (folder, path) = repository(SMALL);
    let plan = plan(&path, None);
    let wanted = run_with(&plan, &folder.path().join("whole"), 1).text();
    let runs = folder.path().join("killed");
    let mut kills = 0;
    loop {
        let mut observer = Impatient { after: 5 + 7 * kills, asked: 0, done: Vec::new() };
        let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build();
        let ran = pool.unwrap().install(|| run_cells(&plan, &runs, &mut observer));
        if let Some(record) = ran.unwrap() {
            assert_eq!(record.text(), wanted);
            break;
        }
        if kills == 0 {
            let error = collect_cells(&plan, &runs).unwrap_err();
            let unfinished = matches!(error, RecordError::Unfinished { cells: "chains", .. });
            assert!(unfinished, "{error}");
        }
        kills += 1;
    }
    assert!(kills > 2, "{kills}");
    assert_eq!(NetworksRecord::read(&study_folder(&plan, &runs)).unwrap().text(), wanted);
    // Nothing is computed again.
    let mut observer = Impatient { after: usize::MAX, asked: 0, done: Vec::new() };
    run_cells(&plan, &runs, &mut observer).unwrap();
    assert_eq!((observer.asked, observer.done.len()), (0, plan.chains.len()));
}

#[test]
fn a_failing_arm_is_recorded_with_its_dependants_and_stops_nothing_else() {
    // A program that fails; a budget that no network can meet is refused beforehand.
    let levels = "\"threshold:0.35\", \"share:0.2\"";
    let never = repository(&SMALL.replace(levels, "\"budget:1\", \"budget:1\""));
    let refused = NetworksStudy::read(&never.1, Some("one"), Path::new("none")).err().unwrap();
    assert!(refused.to_string().contains("a path to every output"), "{refused}");
    let spec = SMALL.replace("method = \"sp:weighted=false\"", "method = \"cmd:false\"");
    let (folder, path) = repository(&spec.replace(levels, "\"share:0.5\", \"share:0.2\""));
    let plan = plan(&path, Some("one"));
    let record = run_with(&plan, &folder.path().join("runs"), 1);
    let of = |arm: &'static str| record.rows.iter().filter(move |r| r.arm == arm);
    assert!(of("dense").chain(of("graph")).all(|r| r.result.is_some()));
    assert_eq!(of("sp").filter(|r| r.error.is_some()).count(), 2);
    let error = of("random").next().unwrap().error.clone().unwrap();
    assert_eq!(error, "arm sp of the chain failed");
}

#[test]
#[ignore = "slow: cargo test -- --include-ignored"]
fn a_chain_whose_arm_failed_says_why_and_is_tried_again_by_the_next_run() {
    let (folder, path) = repository(SMALL);
    let plan = plan(&path, Some("one"));
    let wanted = run_with(&plan, &folder.path().join("whole"), 1).text();
    // A file stands where the graph's run folder belongs.
    let runs = folder.path().join("broken");
    let record = NetworksRecord::read(&folder.path().join("whole/small")).unwrap();
    let graph = record.rows.iter().find(|row| row.arm == "graph").unwrap();
    let id = graph.result.as_ref().unwrap().run_id.clone().unwrap();
    FolderKind::Study.mark(&runs.join("small")).unwrap();
    std::fs::write(runs.join("small").join(&id), "in the way").unwrap();
    let record = run_with(&plan, &runs, 1);
    let failed: Vec<&str> =
        record.rows.iter().filter(|r| r.result.is_none()).map(|r| r.arm.as_str()).collect();
    assert_eq!(failed, ["graph"]);
    let found = status(&plan, &runs).unwrap();
    assert_eq!((found.done, found.failed.len(), found.total), (1, 1, 2));
    assert!(found.failed[0].cell.ends_with("seed 7"), "{found:?}");
    assert!(found.failed[0].error.starts_with("graph: "), "{found:?}");
    assert!(found.failed[0].error.contains(&id), "{found:?}");

    std::fs::remove_file(runs.join("small").join(&id)).unwrap();
    assert_eq!(run_with(&plan, &runs, 1).text(), wanted);
    assert_eq!(status(&plan, &runs).unwrap().done, 2);
}

#[test]
fn wrong_specs_are_refused_with_path_expected_and_found() {
    let graph = |line: &str| format!("wiring = \"graph\"\n{line}");
    let none = "offsets = [-1, 0]\n[[targets]]\nname = \"mask\"\ngenome = \"genomes/mask.json\"\n[[arms]]\nname = \"evolved\"\nwiring = \"evolved\"";
    let deep = none
        .replace("[-1, 0]", "[-50]")
        .replace("= \"evolved\"\nwiring = \"evolved\"", "= \"evolved\"\nwiring = \"dense\"");
    for (from, to, refusal) in [
        (
            "from = \"dense\"",
            "from = \"nobody\"",
            ["arm sp", "from = a trained arm before", "nobody"],
        ),
        (
            "\"match:sp\", \"match:sp\"",
            "\"match:x\", \"match:x\"",
            ["arm random", "match: an arm before it", "x"],
        ),
        ("seeds = [0, 1]", "seeds = []", ["seeds", "at least one, and each once", "none"]),
        ("size = 12", "size = 1", ["size", "2 to 4096 pixels", "1"]),
        ("name = \"small\"", "name = \"a/b\"", ["name", "a folder name", "\"a/b\""]),
        // What means nothing would be left out without a word.
        (
            "wiring = \"graph\"",
            graph("targets = [\"maks\"]").as_str(),
            ["arm graph, targets", "of mask", "\"maks\""],
        ),
        (
            "wiring = \"graph\"",
            graph("variants = [\"muon\"]").as_str(),
            ["arm graph, variants", "of ", "\"muon\""],
        ),
        (
            "wiring = \"graph\"",
            graph("offsets = [1]").as_str(),
            ["arm graph, offsets", "of -1, 0", "\"1\""],
        ),
        (
            "wiring = \"graph\"",
            graph("targets = []").as_str(),
            ["arm graph, targets", "at least one, or none of this line", "[]"],
        ),
        ("\"share:0.2\"", "\"budget:0\"", ["arm sp", "levels of one link or more", ""]),
        ("\"threshold:0.35\"", "\"share:0.1\"", ["arm sp", "levels of one link or more", ""]),
        (
            "[\"match:sp\", \"match:sp\"]",
            "[\"match:dense\"]",
            ["arm random", "match: an arm with 1 levels or more", "dense, with 0"],
        ),
        (
            "rewind = { step = 0 }",
            "rewind = { step = 40 }",
            ["arm random, retrain, step", "a step before the last of 40", "40"],
        ),
        (
            "name = \"random\"",
            "name = \"sp-1\"",
            ["arm sp-1", "a name that no level of arm sp has", "sp-1"],
        ),
        (none, deep.as_str(), ["offsets, arms", "at least one network", "offsets [-50]"]),
        ("\"sp-1\"", "\"sp-3\"", ["show, arms", "of dense", "\"sp-3\""]),
        (
            "seeds = [7]",
            "seeds = [7]\nshow.maps = [\"dens\"]",
            ["profile one, show, maps", "of dense", "\"dens\""],
        ),
    ] {
        assert_unread(&SMALL.replacen(from, to, 1), refusal);
    }
    // What `decide` would refuse, the spec is refused for before the first training.
    for (keys, refusal) in [
        ("of = \"scroe\"", ["contrast c, of", "a column of the table", "\"scroe\""]),
        ("of = \"log2(alve)\"", ["contrast c, of", "a column of the table", "\"alve\""]),
        ("where = { levle = 1 }", ["contrast c, where", "a column of the table", "\"levle\""]),
        ("pair = [\"picture\"]", ["contrast c, pair", "a column of the table", "\"picture\""]),
    ] {
        let between = "between = [{ arm = \"sp\" }, { arm = \"dense\" }]";
        let asked = format!("{SMALL}\n[[contrasts]]\nid = \"c\"\n{between}\n{keys}\n");
        assert_unread(&asked, refusal);
    }
    // Values of the wrong kind, with their line.
    for (from, to, line, found) in [
        ("wiring = \"dense\"", "wiring = \"round\"", 18, "found \"round\""),
        ("\"share:0.2\"", "\"share:2\"", 26, "share:2"),
    ] {
        let (_folder, path) = repository(&SMALL.replacen(from, to, 1));
        let error = unread(&path, None);
        let SpecError::Toml { path: at, problem } = error else { panic!("{error}") };
        assert!(
            problem.starts_with(&format!("line {line}: ")) && problem.contains(found),
            "{problem}"
        );
        assert_eq!(at, path);
    }
    let (_folder, path) = repository(&SMALL.replacen("genomes/mask.json", "genomes/none.json", 1));
    let error = unread(&path, None);
    assert!(matches!(&error, SpecError::Target { target, .. } if target == "mask"), "{error}");
    let (_folder, path) = repository(SMALL);
    let error = unread(&path, Some("huge"));
    assert_refused(&error, ["profile", "standard or one of one", "\"huge\""]);
}

#[test]
fn an_arm_is_made_where_the_arms_are_that_it_needs() {
    // Graphs are made at the reference's depth only.
    let (_folder, path) = repository(&SMALL.replacen("from = \"dense\"", "from = \"graph\"", 1));
    for chain in plan(&path, None).chains.iter().filter(|chain| chain.key.seed == Some(0)) {
        let arms: Vec<&str> = chain.key.arms.iter().map(|arm| arm.name.as_str()).collect();
        let all = ["dense", "graph", "sp", "random"];
        assert_eq!(arms, if chain.key.offset == 0 { &all[..] } else { &all[..1] });
    }
}

#[test]
fn a_wiring_has_levels_and_an_arm_its_own_seeds() {
    let more = "[[arms]]\nname = \"wired\"\nwiring = \"layerized\"\n\
        levels = [\"evolved:1\", \"evolved:1.5\", \"evolved:1000\"]\nseeds = [0]\n\
        [[arms]]\nname = \"evolved\"";
    let spec = SMALL.replacen("[[arms]]\nname = \"evolved\"", more, 1);
    let (folder, path) = repository(&spec);
    let record = run_with(&plan(&path, None), &folder.path().join("runs"), 2);
    let rows: Vec<_> = record.rows.iter().filter(|row| row.arm == "wired").collect();
    // There are no thousand times the links; seed 1 has none of them.
    assert!(rows.iter().all(|row| row.seed == Some(0) && row.offset == 0), "{rows:?}");
    let kept: Vec<_> = rows.iter().map(|r| (r.level, r.result.as_ref().unwrap().kept)).collect();
    let evolved = rows[0].about.unwrap().evolved_links.unwrap();
    assert_eq!(kept, [(1, evolved), (2, (evolved * 3).div_ceil(2))]);
    let table = Table::read(&folder.path().join("runs/small/rows.csv.gz")).unwrap();
    let times = table.column("times").unwrap();
    let of = |row: usize| table.column("arm").unwrap().text(row) == "wired";
    let times: Vec<f64> =
        (0..table.len()).filter(|r| of(*r)).filter_map(|r| times.number(r)).collect();
    assert!(times.len() == 2 && times[0] == 1.0 && (times[1] - 1.5).abs() < 0.1, "{times:?}");
    let wrong =
        |levels: &str| spec.replace("\"evolved:1\", \"evolved:1.5\", \"evolved:1000\"", levels);
    let expected =
        "levels evolved:M, rising, M at least 1, of layerized, rewired, connected or random";
    for (levels, found) in [
        ("\"share:0.5\"", "share:0.5"),
        ("\"evolved:0.5\"", "evolved:0.5"),
        ("\"evolved:2\", \"evolved:1\"", "evolved:2, evolved:1"),
    ] {
        assert_unread(&wrong(levels), ["arm wired", expected, found]);
    }
    assert_unread(
        &spec.replace("seeds = [0]", "seeds = [9]"),
        ["arm wired, seeds", "of 0, 1, 7", "\"9\""],
    );
}

#[test]
#[ignore = "slow: cargo test -- --include-ignored"]
fn a_network_is_transformed_without_training_and_measured() {
    let arms = "[[arms]]\nname = \"mixed\"\nfrom = \"evolved\"\ntransform = \"mix:45\"\n\
        [[arms]]\nname = \"shuffled\"\nfrom = \"evolved\"\ntransform = \"shuffle\"\n\
        [[arms]]\nname = \"fresh\"\nfrom = \"dense\"\ntransform = \"redraw\"\n[show]";
    let spec =
        SMALL.replace("[show]", arms).replace("sample = 6", "sample = 6\norganisation = true");
    let (folder, path) = repository(&spec);
    let record = run_with(&plan(&path, None), &folder.path().join("runs"), 2);
    let of = |arm: &str| -> Vec<_> { record.rows.iter().filter(|row| row.arm == arm).collect() };
    // One network without a seed, as the evolved one.
    for arm in ["evolved", "mixed", "shuffled"] {
        assert!(of(arm).iter().all(|row| row.seed.is_none()) && !of(arm).is_empty(), "{arm}");
    }
    assert!(of("fresh").iter().all(|row| row.seed.is_some()) && !of("fresh").is_empty());
    let result = |arm: &str| of(arm)[0].result.clone().unwrap();
    assert!(result("mixed").r2 > 0.999 && result("mixed").train.is_none());
    assert!(result("mixed").non_zero > result("evolved").non_zero);
    assert!(result("shuffled").r2 < 0.9 && result("shuffled").kept == result("evolved").kept);
    assert!(result("evolved").organisation.contains_key("locality"));
    for (from, to, refusal) in [
        ("mix:45", "mix:100", "mix:DEG (0 to 90)"),
        (
            "from = \"evolved\"\ntransform = \"mix",
            "from = \"sp\"\ntransform = \"mix",
            "from = a layered arm",
        ),
        (
            "from = \"dense\"\ntransform",
            "from = \"dense\"\nsteps = 3\ntransform",
            "nothing is trained",
        ),
    ] {
        let error = unread(&repository(&spec.replacen(from, to, 1)).1, None).to_string();
        assert!(error.contains(refusal), "{error}");
    }
}

#[test]
fn a_target_in_an_archive_that_is_not_there_is_left_out_by_name() {
    if std::env::var_os("PICLOOM_ARCHIVE").is_some() {
        // Where there is an archive, this test runs once more in a process that knows of none.
        const NAME: &str = "networks::a_target_in_an_archive_that_is_not_there_is_left_out_by_name";
        let mut without = std::process::Command::new(std::env::current_exe().unwrap());
        let done = without.args([NAME, "--exact"]).env_remove("PICLOOM_ARCHIVE").output().unwrap();
        let said = String::from_utf8_lossy(&done.stdout);
        assert!(done.status.success() && said.contains("1 passed"), "{said}");
        return;
    }
    let more = "[[targets]]\nname = \"skull\"\ngenome = \"archive:fer/skull.zip\"\n[[arms]]\nname = \"evolved\"";
    let (_folder, path) = repository(&SMALL.replacen("[[arms]]\nname = \"evolved\"", more, 1));
    assert_eq!(plan(&path, None).left_out, ["skull"]);
}

#[test]
fn the_depth_of_an_arch_is_predicted_from_another_study() {
    let (folder, path) = repository(SMALL);
    let later =
        SMALL.replace("name = \"small\"", "name = \"later\"\ndepth_from = \"small\"").replace(
            "genome = \"genomes/mask.json\"",
            "picture = \"genomes/mask.json\"\narch = \"9;gaussian:3,sin:2\"",
        );
    let other = path.with_file_name("later.toml");
    std::fs::write(&other, later).unwrap();
    let runs = folder.path().join("runs");
    let read = || NetworksStudy::read(&other, None, &runs).err().unwrap();
    assert_refused(&read(), ["depth_from", "a finished study small", "no record of small"]);
    // A record in which every network is fit, best at five layers.
    let mut record = run_with(&plan(&path, None), &runs, 2);
    for row in &mut record.rows {
        if let Some(result) = &mut row.result {
            let good = row.layers == 5;
            (result.fit, result.clean, result.damaged) = (true, if good { 9 } else { 1 }, 1);
            let score = result.clean as f64 / (result.clean + 1) as f64;
            result.score = Some(Scored { score, low: None, high: None, clean_share: None });
        }
    }
    record.save(&runs.join("small")).unwrap();
    let plan = NetworksStudy::read(&other, None, &runs).unwrap();
    let layers: std::collections::BTreeSet<usize> =
        plan.chains.iter().map(|c| c.key.layers).collect();
    assert_eq!(layers.into_iter().collect::<Vec<_>>(), [4, 5]);
    assert_eq!(plan.constant, None);

    // Beside it one depth for all: here the predicted one, so that no chain is added.
    let later = std::fs::read_to_string(&other).unwrap();
    let both = later.replace("depth_from", "constant_depth = true\ndepth_from");
    std::fs::write(&other, &both).unwrap();
    let with = NetworksStudy::read(&other, None, &runs).unwrap();
    assert_eq!((with.constant, with.chains.len()), (Some(5), plan.chains.len()));
    // Had the picture been at another depth, that one comes too.
    let mut source = load_arch("7;gaussian:3,sin:2", &with);
    source.target.name = "other".into();
    let mut deeper = with.clone();
    deeper.chains.clear();
    deeper.add(&with.spec.targets[0], source);
    let offsets: std::collections::BTreeSet<(i64, usize)> =
        deeper.chains.iter().map(|c| (c.key.offset, c.key.layers)).collect();
    assert_eq!(offsets.into_iter().collect::<Vec<_>>(), [(-2, 5), (-1, 6), (0, 7)]);
    std::fs::write(&other, both.replace("depth_from = \"small\"", "")).unwrap();
    assert_refused(&read(), ["constant_depth", "depth_from", "none"]);
}

/// The first target of a study with another arch.
fn load_arch(arch: &str, study: &NetworksStudy) -> Source {
    let target = study.chains[0].source.target.clone();
    Source::of_arch(arch.parse().unwrap(), target)
}

#[test]
fn an_arm_may_have_an_optimizer_of_its_own() {
    let spec = SMALL.replacen(
        "[[arms]]\nname = \"evolved\"",
        "[[arms]]\nname = \"by-muon\"\nwiring = \"dense\"\noptimizer = \"muon:steps=3\"\n[[arms]]\nname = \"evolved\"",
        1,
    );
    let (folder, path) = repository(&spec);
    let record = run_with(&plan(&path, Some("one")), &folder.path().join("runs"), 2);
    let id = |arm: &str| {
        let row = record.rows.iter().find(|r| r.arm == arm && r.seed.is_some()).unwrap();
        row.result.as_ref().unwrap_or_else(|| panic!("{:?}", row.error)).run_id.clone().unwrap()
    };
    let config = |arm: &str| {
        let run = folder.path().join("runs/small").join(id(arm));
        std::fs::read_to_string(run.join("config.toml")).unwrap()
    };
    assert!(config("by-muon").contains("muon") && config("by-muon").contains('3'));
    assert!(!config("dense").contains("muon"), "{}", config("dense"));
    let wrong = spec.replace("muon:steps=3", "muon:steps=x");
    assert_unread(&wrong, ["arm by-muon, optimizer", "an optimizer", "optimizer muon: steps: "]);
}

#[test]
fn a_spec_names_its_judge_and_records_say_which_it_was() {
    let (_folder, path) = repository(SMALL);
    let shipped = plan(&path, Some("one"));
    assert!(shipped.judged_by().starts_with("dl/4 fitted"), "{}", shipped.judged_by());
    let with = |judge: &str| {
        let spec = SMALL.replacen("sample = 6", &format!("sample = 6\njudge = {judge}"), 1);
        let (folder, path) = repository(&spec);
        (NetworksStudy::read(&path, Some("one"), Path::new("nowhere")), folder)
    };
    let (named, _folder) = with("{ name = \"dl\" }");
    let ids = |study: &NetworksStudy| -> Vec<String> {
        study.cells().map(|cell| study.id(&cell)).collect()
    };
    assert_eq!(ids(&named.unwrap()), ids(&shipped));
    let (mock, _folder) = with("{ name = \"mock\", seed = 3 }");
    let mock = mock.unwrap();
    assert_eq!(mock.judged_by(), "mock/3");
    assert!(ids(&mock).iter().all(|id| !ids(&shipped).contains(id)));
    let (text, _folder) = with("\"mock:seed=3\"");
    assert_eq!(ids(&text.unwrap()), ids(&mock), "its text says the same");
    let runs = tempfile::tempdir().unwrap();
    assert_eq!(run_with(&mock, runs.path(), 1).judge, "mock/3");
    for judge in ["{ name = \"oracle\" }", "\"oracle\""] {
        let error = with(judge).0.err().expect("no such judge");
        let SpecError::Toml { problem, .. } = error else { panic!("{error}") };
        assert!(problem.contains("oracle"), "{problem}");
    }
    let (refused, _folder) = with("{ name = \"dl\", model = \"none.json\" }");
    let error = refused.err().expect("no such model");
    assert_refused(&error, ["judge", "a judge that can be asked", "none.json: "]);
}

/// Networks on their way, a second score by a fixed change, living links equal across arms.
const MAP: &str = r#"
kind = "networks"
name = "map"
question = "Does it run?"
size = 12
steps = 600
seeds = [0]
sample = 6
checkpoints = [0.2, 0.5]
retry_lr = 0.5
fixed_delta = 1.0
[[targets]]
name = "lamp"
genome = "genomes/bred_lamp.json"
[[arms]]
name = "dense"
wiring = "dense"
[[arms]]
name = "sp"
from = "dense"
method = "sp:weighted=false"
levels = ["share:0.4", "share:0.2"]
orphans = "refill"
[[arms]]
name = "layer-counts"
from = "dense"
method = { name = "layer-counts" }
levels = ["match:sp", "match:sp"]
orphans = "refill"
[[arms]]
name = "rewired"
from = "dense"
method = { name = "rewired" }
levels = ["match:sp", "match:sp"]
orphans = "refill"
[[arms]]
name = "elsewhere"
from = "dense"
method = { name = "random" }
levels = ["share:0.5"]
targets = ["face"]
# Which only another profile has.
[[profiles.other.targets]]
name = "face"
genome = "genomes/mask.json"
"#;

#[test]
fn networks_on_their_way_are_measured_and_living_links_are_equal_across_arms() {
    let (folder, path) = repository(MAP);
    let record = run_with(&plan(&path, None), &folder.path().join("runs"), 2);
    assert!(record.rows.iter().all(|r| r.arm != "elsewhere"), "only on another target");
    let result = |arm: &str, level: usize| {
        let row = record.rows.iter().find(|r| (r.arm.as_str(), r.level) == (arm, level)).unwrap();
        row.result.as_ref().unwrap_or_else(|| panic!("{:?}", row.error))
    };
    for level in [1, 2] {
        let sp = result("sp", level);
        assert_eq!(sp.alive, sp.kept);
        for arm in ["layer-counts", "rewired"] {
            let control = result(arm, level);
            assert_eq!((control.alive, control.kept), (sp.alive, sp.kept), "{arm} {level}");
            assert!(control.run_id != sp.run_id);
        }
    }
    let dense = result("dense", 0);
    let levels: Vec<f64> = dense.reached.iter().map(|at| at.level).collect();
    assert_eq!(levels, [0.2, 0.5]);
    for at in &dense.reached {
        assert!(at.r2 >= Some(at.level) && at.step < Some(600), "{at:?}");
        assert!(at.score.is_some_and(|scored| (0.0..=1.0).contains(&scored.score)));
    }
    assert!(dense.fixed.is_some_and(|scored| (0.0..=1.0).contains(&scored.score)));
    assert_eq!((record.checkpoints.as_slice(), record.fixed_delta), (&[0.2, 0.5][..], Some(1.0)));

    // A study that asks for none of this has the ids that it had before.
    let ids = |spec: &str| -> Vec<String> {
        let (_folder, path) = repository(spec);
        let plan = plan(&path, None);
        plan.chains.iter().map(|chain| chain.id("judge")).collect()
    };
    let json = serde_json::to_string(&plan(&repository(SMALL).1, None).chains[0]).unwrap();
    for key in ["checkpoints", "retry_lr", "fixed_delta", "orphans", "targets"] {
        assert!(!json.contains(key), "{key} in {json}");
    }
    assert_ne!(ids(MAP), ids(&MAP.replace("checkpoints = [0.2, 0.5]\n", "")));

    for (from, to, refusal) in [
        (
            "checkpoints = [0.2, 0.5]",
            "checkpoints = [0.5, 0.2]",
            ["train", "settings of a training", "training setting checkpoints: "],
        ),
        (
            "fixed_delta = 1.0",
            "fixed_delta = 0.0",
            ["fixed_delta", "a number in (0, 1000000]", "0.0"],
        ),
        (
            "levels = [\"match:sp\", \"match:sp\"]",
            "levels = [\"share:0.2\"]",
            ["", "every level to match the same arm", ""],
        ),
    ] {
        assert_unread(&MAP.replacen(from, to, 1), refusal);
    }
}
