//! Networks studies through their files: the same record however they are run, clear refusals.

use crate::answers::{changed, hold};
use crate::refusals::assert_refused;
use crate::said::assert_lacks;
use crate::specs::{in_repository, read};
use crate::stop::on_threads;
use crate::targets::{BRED, PRETRAINED, RELATED};
use crate::whole::assert_whole;
use picloom::base::table::Table;
use picloom::experiment::networks::record::Scored;
use picloom::experiment::networks::source::Source;
use picloom::experiment::networks::{NetworksRecord, NetworksStudy};
use picloom::network::{Coords, Model, Wiring, layerize, read_genome};
use picloom::run::load_run;
use picloom::study::Record;
use picloom::study::cells::{CellStudy, run_cells, study_folder};
use std::path::Path;

const SMALL: &str = include_str!("../specs/small.toml");

/// The refusal of a spec with some changes.
fn refused(spec: &str, changes: &str) -> String {
    let (folder, path) = in_repository(&changed(spec, changes));
    let error = NetworksStudy::read(&path, None, Path::new("nowhere")).err();
    let said = error.unwrap_or_else(|| panic!("{changes} is accepted")).to_string();
    assert!(said.starts_with(path.to_str().unwrap()), "{said}");
    said.replace(&format!("{}/", folder.path().display()), "")
}

pub(crate) fn run_with(plan: &NetworksStudy, runs: &Path, threads: usize) -> NetworksRecord {
    on_threads(threads, || run_cells(plan, runs, &mut ())).unwrap().expect("nobody stopped it")
}

#[test]
fn every_chain_gives_a_row_a_network_and_counts_are_matched() {
    let (folder, path) = in_repository(SMALL);
    let plan = read(&path, None);
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
fn a_failing_arm_is_recorded_with_its_dependants_and_stops_nothing_else() {
    // A program that fails.
    let levels = "\"threshold:0.35\", \"share:0.2\"";
    let spec = SMALL.replace("method = \"sp:weighted=false\"", "method = \"cmd:false\"");
    let (folder, path) = in_repository(&spec.replace(levels, "\"share:0.5\", \"share:0.2\""));
    let plan = read(&path, Some("one"));
    let record = run_with(&plan, &folder.path().join("runs"), 1);
    let of = |arm: &'static str| record.rows.iter().filter(move |r| r.arm == arm);
    assert!(of("dense").chain(of("graph")).all(|r| r.result.is_some()));
    assert_eq!(of("sp").filter(|r| r.error.is_some()).count(), 2);
    let error = of("random").next().unwrap().error.clone().unwrap();
    assert_eq!(error, "arm sp of the chain failed");
}

#[test]
fn wrong_specs_are_refused_with_path_expected_and_found() {
    hold("refusals/specs", |input| {
        let (of, changes) = input.split_once('\n').unwrap();
        let spec = match of {
            "of small" => SMALL,
            "of map" => MAP,
            "of pretrained" => PRETRAINED,
            "of related" => RELATED,
            "of bred" => BRED,
            other => panic!("{other}"),
        };
        refused(spec, changes)
    });
}

#[test]
fn an_arm_is_made_where_the_arms_are_that_it_needs() {
    // Graphs are made at the reference's depth only.
    let (_folder, path) = in_repository(&SMALL.replacen("from = \"dense\"", "from = \"graph\"", 1));
    for chain in read(&path, None).chains.iter().filter(|chain| chain.key.seed == Some(0)) {
        let arms: Vec<&str> = chain.key.arms.iter().map(|arm| arm.name.as_str()).collect();
        let all = ["dense", "graph", "sp", "random"];
        assert_eq!(arms, if chain.key.offset == 0 { &all[..] } else { &all[..1] });
    }
}

#[test]
fn an_arm_goes_on_training_another_at_a_size_of_its_own() {
    let spec = format!("{SMALL}{}", include_str!("../specs/trained_on.toml"));
    let (folder, path) = in_repository(&spec);
    let runs = folder.path().join("runs");
    let record = run_with(&read(&path, Some("one")), &runs, 2);
    let result = |arm: &str, level: usize| {
        let mut of = record.rows.iter().filter(|row| row.arm == arm && row.level == level);
        let row = of.next().unwrap();
        row.result.clone().unwrap_or_else(|| panic!("{:?}", row.error))
    };
    let genome = read_genome(&path.with_file_name("../genomes/mask.json"), Wiring::Dense).unwrap();
    let layered = layerize(&genome);
    let evolved = Model::new(layered.network.clone(), layered.weights.clone());
    let drawn = evolved.picture(20, Coords::default());
    // The links and weights that the level ended with, trained on and measured at the arm's size.
    let (parent, on) = (result("sp", 2), result("on", 0));
    let run =
        |path: &Option<String>| load_run(&runs.join("small").join(path.as_ref().unwrap())).unwrap();
    let (before, after) = (run(&parent.path), run(&on.path));
    assert_eq!((after.config.size, after.config.train.steps), (20, 9));
    assert_eq!(after.start.unwrap().0, before.model.weights.0);
    assert!(after.model.mask.0 == before.model.mask.0);
    assert_eq!((on.kept, on.alive), (before.model.mask.kept(), parent.alive));
    let own = after.model.picture(20, Coords::default());
    let mse = own.mse(&drawn);
    assert!((on.mse - mse).abs() < 1e-9 && on.mse != parent.mse, "{} {mse}", on.mse);
    assert_eq!(result("wired-on", 0).alive, result("wired", 1).alive);
    // The evolved network draws its own picture at any size.
    assert!(result("evolved-20", 0).r2 > 0.999_999);
    // Trained, pruned and turned with inputs of its own, of which the others know nothing.
    for (arm, level) in [("own", 0), ("own-sp", 1)] {
        let arch = run(&result(arm, level).path).model.network.arch.unwrap().to_string();
        assert!(arch.ends_with(";in:abs(x),y,sin(3d)"), "{arch}");
    }
    assert!((result("own", 0).mse - result("own-mixed", 0).mse).abs() < 1e-6);
    assert_eq!(record.rows.iter().filter(|row| row.arm == "left-out").count(), 1);
    assert!(record.rows.iter().any(|row| row.arm == "left-out" && row.not_made.is_some()));
    // Once more nothing is trained: every result is there.
    assert_eq!(run_with(&read(&path, Some("one")), &runs, 1).rows, record.rows);
}

#[test]
fn a_wiring_has_levels_and_an_arm_its_own_seeds() {
    let more = "[[arms]]\nname = \"wired\"\nwiring = \"layerized\"\n\
        levels = [\"evolved:1\", \"evolved:1.5\", \"evolved:1000\"]\nseeds = [0]\n\
        [[arms]]\nname = \"evolved\"";
    let spec = SMALL.replacen("[[arms]]\nname = \"evolved\"", more, 1);
    let (folder, path) = in_repository(&spec);
    let record = run_with(&read(&path, None), &folder.path().join("runs"), 2);
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
}

#[test]
#[ignore = "slow: cargo test -- --include-ignored"]
fn a_network_is_transformed_without_training() {
    let arms = "[[arms]]\nname = \"mixed\"\nfrom = \"evolved\"\ntransform = \"mix:45\"\n\
        [[arms]]\nname = \"shuffled\"\nfrom = \"evolved\"\ntransform = \"shuffle\"\n\
        [[arms]]\nname = \"fresh\"\nfrom = \"dense\"\ntransform = \"redraw\"\n[show]";
    let (folder, path) = in_repository(&SMALL.replace("[show]", arms));
    let record = run_with(&read(&path, None), &folder.path().join("runs"), 2);
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
    let (_folder, path) = in_repository(&SMALL.replacen("[[arms]]\nname = \"evolved\"", more, 1));
    assert_eq!(read(&path, None).left_out, ["skull (PICLOOM_ARCHIVE is not set)"]);
}

#[test]
fn the_depth_of_an_arch_is_predicted_from_another_study() {
    let (folder, path) = in_repository(SMALL);
    let later =
        SMALL.replace("name = \"small\"", "name = \"later\"\ndepth_from = \"small\"").replace(
            "genome = \"genomes/mask.json\"",
            "picture = \"genomes/mask.json\"\narch = \"9;gaussian:3,sin:2\"",
        );
    let other = path.with_file_name("later.toml");
    std::fs::write(&other, later).unwrap();
    let runs = folder.path().join("runs");
    let unread = || NetworksStudy::read(&other, None, &runs).err().unwrap();
    assert_refused(&unread(), ["depth_from", "a finished study small", "no record of small"]);
    // A record in which every network is fit, best at five layers.
    let mut record = run_with(&read(&path, None), &runs, 2);
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
    assert_refused(&unread(), ["constant_depth", "depth_from", "none"]);
}

/// The first target of a study with another arch.
fn load_arch(arch: &str, study: &NetworksStudy) -> Source {
    let target = study.chains[0].source.load().unwrap().target.clone();
    Source::of_arch(arch.parse().unwrap(), target)
}

#[test]
fn a_spec_names_its_judge_and_records_say_which_it_was() {
    let (_folder, path) = in_repository(SMALL);
    let shipped = read(&path, Some("one"));
    assert!(shipped.judged_by().starts_with("dl/4 fitted"), "{}", shipped.judged_by());
    let with = |judge: &str| {
        let spec = SMALL.replacen("sample = 6", &format!("sample = 6\njudge = {judge}"), 1);
        let (folder, path) = in_repository(&spec);
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
}

/// Networks on their way, a second score by a fixed change, living links equal across arms.
const MAP: &str = include_str!("../specs/map.toml");

#[test]
fn networks_on_their_way_are_measured_and_living_links_are_equal_across_arms() {
    let (folder, path) = in_repository(MAP);
    let record = run_with(&read(&path, None), &folder.path().join("runs"), 2);
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
        let (_folder, path) = in_repository(spec);
        let plan = read(&path, None);
        plan.chains.iter().map(|chain| chain.id("judge")).collect()
    };
    let json = serde_json::to_string(&read(&in_repository(SMALL).1, None).chains[0]).unwrap();
    assert_lacks(&json, &["checkpoints", "retry_lr", "fixed_delta", "orphans", "targets"]);
    assert_ne!(ids(MAP), ids(&MAP.replace("checkpoints = [0.2, 0.5]\n", "")));
}
