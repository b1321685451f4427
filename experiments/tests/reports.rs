//! What the reports say to one who reads nothing else: whose network, how many seeds, what a short run is
//! worth, and the commands that made what is shown.

use crate::figures_study::records::{self, Odd};
use picloom::experiment::compare::{CompareConfig, Comparison, Profile, compare};
use picloom::figures::compare::write_comparison;
use picloom::figures::study::{Sources, figure};
use picloom::figures::study_report;
use picloom::genome;
use picloom::score::CompositionalScore;
use std::path::{Path, PathBuf};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// A comparison of the moth, as if its file were `path`.
fn moth(path: &str, seeds: &[u64], name: &str) -> (Comparison, tempfile::TempDir) {
    let mut genome = genome::read(&root().join("genomes/bred_moth.json")).unwrap();
    genome.provenance.name = name.into();
    let quick = CompareConfig::of(Profile::Quick);
    let seeds = seeds.to_vec();
    let config = CompareConfig { size: 12, steps: 20, sample: Some(4), seeds, ..quick };
    let folder = tempfile::tempdir().unwrap();
    (compare(&genome, path, &config, folder.path(), &mut ()).unwrap(), folder)
}

fn html(found: &Comparison) -> String {
    let folder = tempfile::tempdir().unwrap();
    let report = write_comparison(found, folder.path(), "picloom compare --made so").unwrap();
    std::fs::read_to_string(report).unwrap()
}

#[test]
fn a_comparison_is_called_after_its_genome_and_a_number_after_its_run() {
    for (path, name, title) in [
        ("genomes/bred_moth.json", "bred_moth", "bred_moth"),
        ("runs/face/genomes/000.json", "", "face 000"),
        ("000.json", "", "genome 000"),
        ("runs/face/genomes/000.json", " an owl ", "an owl"),
        ("moths/grey.json", "", "grey"),
    ] {
        let provenance = genome::Provenance { name: name.into(), ..Default::default() };
        assert_eq!(provenance.title(Path::new(path)), title, "{path}");
    }
    let (found, _guard) = moth("runs/face/genomes/000.json", &[3], "");
    let html = html(&found);
    assert!(html.contains("Do the parts of face 000 mean something?"));
    assert!(html.contains(">face 000, 12²"), "the figure too");
    assert_eq!(found.record.genome, "runs/face/genomes/000.json", "the record keeps the path");
}

/// So many coherent changes of 100, known to five points.
fn scored(score: &mut CompositionalScore, coherent: usize) {
    (score.coherent, score.unclear, score.fractured) = (coherent, 0, 100 - coherent);
    let share = coherent as f64 / 100.0;
    (score.score, score.interval) = (Some(share), Some((share - 0.05, share + 0.05)));
}

#[test]
fn a_comparison_says_what_its_intervals_are_over_and_where_pruning_did_not_help() {
    let (mut one, _guard) = moth("moth", &[3], "moth");
    let said = html(&one);
    assert!(
        said.contains("One network an arm, one seed: each interval is over the weight changes")
    );
    assert!(said.contains("A short run"), "20 steps of 40 000");
    assert!(said.contains("picloom compare --made so"));
    assert!(!said.contains("did not help"), "unfit networks are not compared");
    for arm in &mut one.record.arms {
        let coherent = match arm.arm.as_str() {
            "dense" => 60,
            "sp" => 20,
            _ => 50,
        };
        arm.score.counts = true;
        scored(&mut arm.score, coherent);
    }
    let said = html(&one);
    let below = "SP scores 20\u{a0}%, below the 60\u{a0}% of the dense twin it was cut from; the intervals do not touch";
    assert!(said.contains(below));
    one.record.arms.iter_mut().filter(|arm| arm.arm == "sp").for_each(|arm| {
        scored(&mut arm.score, 70);
    });
    assert!(!html(&one).contains("did not help"));
    one.record.config.steps = CompareConfig::of(Profile::Quick).steps;
    assert!(!html(&one).contains("A short run"));

    let (two, _guard) = moth("moth", &[3, 4], "moth");
    assert!(html(&two).contains("2 networks an arm, one a seed"));
}

#[test]
fn every_cell_of_a_table_says_its_column_for_screens_on_which_rows_become_lists() {
    let (found, _guard) = moth("moth", &[3], "moth");
    let html = html(&found);
    let heads = html.matches("<th ").count();
    let rows = html.matches("<tr>").count() - 1;
    assert_eq!(html.matches("<td data-head=\"").count(), heads * rows);
    assert!(heads <= 9, "{heads} columns do not fit a page");
    // Figures tell the style sheet how wide they are, so that it can keep their words legible.
    assert!(html.contains("style=\"--wide:860px\"><svg"));
    assert!(html.contains("width: max(100%, var(--wide) * .8)"));
}

/// Records of a study, in this profile.
fn study(profile: &str) -> (PathBuf, tempfile::TempDir) {
    let guard = tempfile::tempdir().unwrap();
    let folder = guard.path().join("made here");
    records::study(&folder, &["moth", "lamp", "bowl"], 2, |_| Odd::No);
    for study in ["wirings", "depth", "pruning", "out_of_domain", "controls"] {
        let path = folder.join(study).join("record.json");
        let text = std::fs::read_to_string(&path).unwrap();
        std::fs::write(&path, text.replace("made-up", profile)).unwrap();
    }
    (folder, guard)
}

#[test]
fn smoke_results_stand_under_a_banner() {
    let (folder, _guard) = study("smoke");
    let html = study_report(&folder, "c");
    let (banner, story) = (html.find("Smoke run").unwrap(), html.find("The story</h2>").unwrap());
    assert!(banner < story && html.contains("numbers and verdicts mean nothing"));
    let (folder, _guard) = study("standard");
    assert!(!study_report(&folder, "c").contains("Smoke run"));
}

#[test]
fn the_commands_of_a_report_are_those_that_made_it() {
    let (folder, _guard) = study("smoke");
    let shown = folder.display().to_string();
    let html = study_report(&folder, "picloom figures --report 'a b.html'");
    assert!(html.contains("picloom figures --report 'a b.html'"));
    // Records alone: run somewhere, then collected here.
    let run = "picloom experiment run experiments/depth.toml --profile smoke --runs runs\n";
    assert!(html.contains(run), "{html}");
    let record = folder.join("depth/record.json");
    assert!(html.contains(&format!("--record '{}'", record.display())));
    assert!(html.contains(&format!("picloom figures --records '{shown}' score-by-depth")));
    // The folder the runs are in.
    std::fs::create_dir(folder.join("depth/cells")).unwrap();
    let html = study_report(&folder, "c");
    let run = format!("experiments/depth.toml --profile smoke --runs '{shown}'\n");
    assert!(html.contains(&run));
    let (folder, _guard) = study("standard");
    let html = study_report(&folder, "c");
    assert!(html.contains("picloom experiment run experiments/depth.toml --runs runs\n"));
}

#[test]
fn pictures_of_one_breeding_tree_are_called_kin() {
    let (folder, _guard) = study("standard");
    let html = study_report(&folder, "c");
    assert!(html.contains("bred in one tree: moth and lamp"));
    let sources = Sources::new(&folder);
    let drawing = (figure("evolved-against-dense").unwrap().draw)(&sources).unwrap();
    assert!(words(&drawing.svg).contains("bred in one tree"), "the figure says it too");
}

/// Every text of an SVG, lines joined.
fn words(svg: &str) -> String {
    let document = roxmltree::Document::parse(svg).unwrap();
    let texts = document.descendants().filter(|node| node.has_tag_name((SVG, "text")));
    texts.filter_map(|node| node.text()).collect::<Vec<_>>().join(" ")
}

const SVG: &str = "http://www.w3.org/2000/svg";

/// The committed records.
fn committed() -> Sources {
    Sources::new(root().join("figures"))
}

#[test]
fn every_point_of_the_predicted_depths_has_its_name() {
    let drawing = (figure("depth-predicted-by-compression").unwrap().draw)(&committed()).unwrap();
    for name in ["moth", "face", "eye", "letter a", "bowl", "drawn face", "skull", "butterfly"] {
        assert!(drawing.svg.contains(&format!(">{name}</text>")), "{name}");
    }
}

#[test]
fn perturbation_sheets_show_every_target_that_has_pictures() {
    let drawing = (figure("perturbation-sheets").unwrap().draw)(&committed()).unwrap();
    for name in ["moth", "cat", "lamp", "bowl", "letter a", "eye"] {
        assert!(drawing.svg.contains(&format!(">{name}</text>")), "{name}");
    }
    assert!(words(&drawing.svg).contains("No pictures are kept of skull, butterfly"));
}

#[test]
fn methods_at_other_counts_are_starred() {
    let drawing = (figure("pruning-score").unwrap().draw)(&committed()).unwrap();
    assert!(!drawing.svg.contains("at equal counts"));
    let starred = |name: &str| drawing.svg.contains(&format!(">{name} *</text>"));
    assert!(starred("SP, by threshold") && starred("Taylor groups") && starred("SP, merging"));
    assert!(!starred("Wanda") && !starred("lottery ticket (IMP)"));
}

#[test]
fn intervals_of_three_are_dots() {
    let drawing = (figure("score-by-depth").unwrap().draw)(&committed()).unwrap();
    // Bands are drawn as polygons; three seeds have none.
    assert!(!drawing.svg.contains("opacity=\"0.18\""));
}
