//! The report of a comparison for a reader who reads nothing else: whose network, how many seeds,
//! the worth of a short run.

use picloom::experiment::compare::{Comparison, compare};
use picloom::experiment::networks::{NetworkResult, Scored};
use picloom::experiment::template::{Changes, Subject, Template};
use picloom::figures::compare::write_comparison;
use picloom::genome;
use picloom::score::dl::LABELLED_BY;
use std::path::Path;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// A comparison of the moth, as if its file were `path`.
fn moth(path: &str, seeds: &[u64], name: &str) -> (Comparison, tempfile::TempDir) {
    let mut genome = genome::read(&root().join("genomes/bred_moth.json")).unwrap();
    genome.provenance.name = name.into();
    let changes = Changes { seeds: Some(seeds.to_vec()), ..crate::compare::changes() };
    let subject = Subject::of_genome(genome, Path::new(path)).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let mut single = Template::Compare.of(subject, &changes).unwrap();
    // Pruned whatever was learned: so few steps teach nothing.
    for chain in &mut single.study.chains {
        let arms = std::sync::Arc::make_mut(&mut chain.key.arms);
        arms.iter_mut().for_each(|arm| arm.if_learned = false);
    }
    (compare(&single, folder.path(), &mut ()).unwrap(), folder)
}

/// The text of a page without its marks: a text of a figure stands in several lines.
fn words(page: &str) -> String {
    let mut text = String::new();
    for part in page.split('<') {
        text.push_str(part.split_once('>').map_or(part, |(_, text)| text));
        text.push(' ');
    }
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn html(found: &Comparison) -> String {
    let folder = tempfile::tempdir().unwrap();
    let report = write_comparison(found, folder.path(), "picloom compare --made so").unwrap();
    std::fs::read_to_string(report).unwrap()
}

#[test]
#[ignore = "slow: cargo test -- --include-ignored"]
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
    assert!(html.contains("Is face 000 still a picture when one weight changes?"));
    assert!(html.contains(">face 000, 12²"), "the figure too");
    assert!(html.contains("face 000 (runs/face/genomes/000.json)"), "and the path");
}

/// So many clean changes of 100, known to five points, of a network that learned its picture.
fn scored(result: &mut NetworkResult, clean: usize) {
    (result.clean, result.unclear, result.damaged) = (clean, 0, 100 - clean);
    let score = clean as f64 / 100.0;
    result.score = Some(Scored {
        score,
        low: Some(score - 0.05),
        high: Some(score + 0.05),
        clean_share: None,
    });
    result.fit = true;
}

/// Gives the networks of these arms, or all, so many clean changes.
fn score(found: &mut Comparison, of: &dyn Fn(&str) -> Option<usize>) {
    for row in &mut found.record.rows {
        if let Some(clean) = of(&row.arm) {
            scored(row.result.as_mut().unwrap(), clean);
        }
    }
}

#[test]
#[ignore = "slow: cargo test -- --include-ignored"]
fn a_comparison_says_what_its_intervals_are_over_and_which_of_them_touch() {
    let (mut one, _guard) = moth("moth", &[3], "moth");
    let said = html(&one);
    assert!(said.contains("One network an arm: its 95\u{a0}% interval is over the weight changes"));
    assert!(said.contains("The comparison could not be made"), "nothing is learned in 20 steps");
    assert!(said.contains("picloom compare --made so"));
    score(&mut one, &|arm| {
        Some(match arm {
            "dense" => 60,
            "sp" => 20,
            _ => 50,
        })
    });
    let said = words(&html(&one));
    assert!(said.contains("A change of one weight leaves a clean picture"), "{said}");
    assert!(said.contains("do not touch its own: similarity-pruned (SP) (20 %)"), "{said}");
    assert!(said.contains("A short run"), "20 steps of 40 000");
    score(&mut one, &|arm| (arm == "sp").then_some(55));
    let said = words(&html(&one));
    assert!(said.contains("similarity-pruned (SP) (55 %)") && !said.contains("do not touch"));
    one.usual_steps = one.record.steps;
    assert!(!html(&one).contains("A short run"));

    let (two, _guard) = moth("moth", &[3, 4], "moth");
    assert!(html(&two).contains("interval covers the seeds that learned the picture"));
}

#[test]
#[ignore = "slow: cargo test -- --include-ignored"]
fn a_seed_that_did_not_learn_the_picture_does_not_make_its_arm_unfit() {
    let (mut two, _guard) = moth("moth", &[3, 4], "moth");
    score(&mut two, &|arm| Some(if arm == "dense" { 60 } else { 50 }));
    let first = two.record.rows.iter_mut().find(|row| row.arm == "dense").unwrap();
    let result = first.result.as_mut().unwrap();
    scored(result, 10);
    result.fit = false;
    let said = words(&html(&two));
    assert!(said.contains("1 of 2 seeds learned the picture; the others do not count"));
    assert!(said.contains("0.60 (1 of 2 fit)"), "the score is that of the seed that counts");
    assert!(!said.contains("no result"), "every arm has one");
    assert!(said.contains("Hollow dots: seeds that did not learn the picture"), "explained");
    assert!(!said.contains("Hollow bars"), "only what occurs is explained");
    two.record.rows.iter_mut().filter(|row| row.arm == "dense").for_each(|row| {
        row.result.as_mut().unwrap().fit = false;
    });
    let said = words(&html(&two));
    assert!(said.contains("no result (0 of 2 fit)"), "the hollow bar says so");
    assert!(said.contains("Hollow bars are no result"), "and the note");
    assert!(said.contains("No result, for no network of them learned the picture: dense"));
    assert!(said.contains("0 of 2 –"), "and the table");
    assert!(!said.contains("0.10 (unfit"), "no number that looks like a score");
}

#[test]
#[ignore = "slow: cargo test -- --include-ignored"]
fn an_interval_over_seeds_covers_the_seeds_and_never_less_than_the_judges_error() {
    let network = |score: f64| Scored {
        score,
        low: Some(score - 0.05),
        high: Some(score + 0.05),
        clean_share: None,
    };
    let of = |scores: &[f64]| {
        let scores: Vec<Scored> = scores.iter().copied().map(network).collect();
        Scored::over_seeds(&scores)
    };
    assert_eq!(of(&[]), None);
    // One network: its own interval.
    let one = of(&[0.4]).unwrap();
    assert!((one.low.unwrap() - 0.35).abs() < 1e-12 && (one.high.unwrap() - 0.45).abs() < 1e-12);
    // Seeds that agree: the judge's errors are independent, .05/√2.
    let alike = of(&[0.4, 0.4]).unwrap();
    assert!((alike.high.unwrap() - 0.4 - 0.05 / 2.0f64.sqrt()).abs() < 1e-12, "{alike:?}");
    // Three that differ: Student's t with two degrees, t.975 = 4.302652729911275; s = .1, s/√3.
    let spread = of(&[0.4, 0.5, 0.6]).unwrap();
    let half = 4.302_652_729_911_275 * 0.1 / 3.0f64.sqrt();
    assert!((spread.score - 0.5).abs() < 1e-12);
    assert!((spread.low.unwrap() - (0.5 - half)).abs() < 1e-9, "{spread:?}");
    // A score is a share: its interval is cut there.
    assert_eq!(of(&[0.1, 0.9]).map(|s| (s.low, s.high)), Some((Some(0.0), Some(1.0))));

    let (mut two, _guard) = moth("moth", &[3, 4], "moth");
    score(&mut two, &|_| Some(50));
    let mut dense = two.record.rows.iter_mut().filter(|row| row.arm == "dense");
    scored(dense.next().unwrap().result.as_mut().unwrap(), 40);
    scored(dense.next().unwrap().result.as_mut().unwrap(), 42);
    // .41 ± 12.7 · .01: the seeds' spread, and not the .035 of two judgements.
    let said = words(&html(&two));
    assert!(said.contains("(Student's t) and the judge's error"));
    assert!(said.contains("0.41 (2 of 2 fit)") && said.contains("0.41 [0.28, 0.54]"), "{said}");
}

#[test]
#[ignore = "slow: cargo test -- --include-ignored"]
fn a_report_says_who_labelled_the_pictures_that_the_judge_was_fitted_to() {
    let (mut found, _guard) = moth("moth", &[3], "moth");
    assert!(html(&found).contains(LABELLED_BY));
    found.record.judge = "mock/3".into();
    assert!(!html(&found).contains(LABELLED_BY), "not of another judge");
}

#[test]
#[ignore = "slow: cargo test -- --include-ignored"]
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
