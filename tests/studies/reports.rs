//! What the report of a comparison says to one who reads nothing else: whose network, how many seeds, what a short
//! run is worth.

use picloom::experiment::compare::{Comparison, compare};
use picloom::experiment::networks::{NetworkResult, Scored};
use picloom::experiment::template::{Changes, Subject, Template};
use picloom::figures::compare::write_comparison;
use picloom::genome;
use std::path::Path;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// A comparison of the moth, as if its file were `path`.
fn moth(path: &str, seeds: &[u64], name: &str) -> (Comparison, tempfile::TempDir) {
    let mut genome = genome::read(&root().join("genomes/bred_moth.json")).unwrap();
    genome.provenance.name = name.into();
    let changes = Changes {
        profile: Some("quick".into()),
        size: Some(12),
        steps: Some(20),
        own: "sample = 4".parse().unwrap(),
        seeds: Some(seeds.to_vec()),
        ..Changes::default()
    };
    let subject = Subject::of_genome(genome, Path::new(path)).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let single = Template::Compare.of(subject, &changes).unwrap();
    (compare(&single, folder.path(), &mut ()).unwrap(), folder)
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
    assert!(html.contains("face 000 (runs/face/genomes/000.json)"), "and the path");
}

/// So many coherent changes of 100, known to five points, of a network that learned its picture.
fn scored(result: &mut NetworkResult, coherent: usize) {
    (result.coherent, result.unclear, result.fractured) = (coherent, 0, 100 - coherent);
    let score = coherent as f64 / 100.0;
    result.score = Some(Scored { score, low: Some(score - 0.05), high: Some(score + 0.05) });
    result.fit = true;
}

/// Gives the networks of these arms, or all, so many coherent changes.
fn score(found: &mut Comparison, of: &dyn Fn(&str) -> Option<usize>) {
    for row in &mut found.record.rows {
        if let Some(coherent) = of(&row.arm) {
            scored(row.result.as_mut().unwrap(), coherent);
        }
    }
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
    score(&mut one, &|arm| {
        Some(match arm {
            "dense" => 60,
            "sp" => 20,
            _ => 50,
        })
    });
    let said = html(&one);
    let below = "SP scores 20\u{a0}%, below the 60\u{a0}% of the dense twin it was cut from; the intervals do not touch";
    assert!(said.contains(below));
    score(&mut one, &|arm| (arm == "sp").then_some(70));
    assert!(!html(&one).contains("did not help"));
    one.record.steps = one.about.as_ref().unwrap().usual_steps;
    assert!(!html(&one).contains("A short run"));

    let (two, _guard) = moth("moth", &[3, 4], "moth");
    assert!(html(&two).contains("2 networks an arm, one a seed"));
}

#[test]
fn a_seed_that_did_not_learn_the_picture_does_not_make_its_arm_unfit() {
    let (mut two, _guard) = moth("moth", &[3, 4], "moth");
    score(&mut two, &|arm| Some(if arm == "dense" { 60 } else { 50 }));
    let first = two.record.rows.iter_mut().find(|row| row.arm == "dense").unwrap();
    let result = first.result.as_mut().unwrap();
    scored(result, 10);
    result.fit = false;
    let said = html(&two);
    assert!(said.contains("1 of 2 seeds learned the picture; the others do not count"));
    assert!(said.contains("0.60 (1 of 2 fit)"), "the score is that of the seed that counts");
    assert!(!said.contains("Unfit: "), "no arm is");
    two.record.rows.iter_mut().filter(|row| row.arm == "dense").for_each(|row| {
        row.result.as_mut().unwrap().fit = false;
    });
    assert!(html(&two).contains("Unfit: "));
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
