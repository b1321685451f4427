//! The report of a comparison for a reader who reads nothing else: whose network, how many seeds,
//! the worth of a short run.

use crate::said::{assert_lacks, assert_says};
use picloom::experiment::compare::{Comparison, compare};
use picloom::experiment::networks::{NetworkResult, Scored};
use picloom::experiment::template::{Changes, Subject, Template};
use picloom::figures::compare::write_comparison;
use picloom::genome;
use picloom::score::dl::LABELLED_BY;
use std::path::Path;

/// A comparison of the moth, as if its file were `path`.
fn moth(path: &str, seeds: &[u64]) -> (Comparison, tempfile::TempDir) {
    let path_of_moth = Path::new(env!("CARGO_MANIFEST_DIR")).join("genomes/bred_moth.json");
    let mut genome = genome::read(&path_of_moth).unwrap();
    genome.provenance.name.clear();
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
fn a_genome_is_called_after_its_name_and_a_number_after_its_run() {
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
}

/// So many clean changes of 100, known to five points, of a network that learned its picture.
fn scored(result: &mut NetworkResult, clean: usize) {
    (result.clean, result.unclear, result.damaged) = (clean, 0, 100 - clean);
    (result.score, result.fit) = (Some(known(clean as f64 / 100.0)), true);
}

/// A score that is known to five points.
fn known(score: f64) -> Scored {
    Scored { score, low: Some(score - 0.05), high: Some(score + 0.05), clean_share: None }
}

/// Gives the networks of these arms, or all, so many clean changes.
fn score(found: &mut Comparison, of: &dyn Fn(&str) -> Option<usize>) {
    for row in &mut found.record.rows {
        if let Some(clean) = of(&row.arm) {
            scored(row.result.as_mut().unwrap(), clean);
        }
    }
}

/// The page says these, and not those.
#[track_caller]
fn assert_page(page: &str, says: &[&str], not: &[&str]) {
    let both = format!("{}\n{page}", words(page));
    assert_says(&both, says);
    assert_lacks(&both, not);
}

#[test]
#[ignore = "slow: cargo test -- --include-ignored"]
fn a_report_of_one_seed_says_whose_network_it_is_and_which_intervals_touch() {
    let (mut one, _guard) = moth("runs/face/genomes/000.json", &[3]);
    let page = html(&one);
    let says = [
        "Is face 000 still a picture when one weight changes?",
        ">face 000, 12²",
        "face 000 (runs/face/genomes/000.json)",
        "One network an arm: its 95\u{a0}% interval is over the weight changes",
        "The comparison could not be made",
        "picloom compare --made so",
        LABELLED_BY,
    ];
    assert_page(&page, &says, &[]);
    // Every cell says its column, for screens on which rows become lists.
    let (heads, rows) = (page.matches("<th ").count(), page.matches("<tr>").count() - 1);
    assert_eq!(page.matches("<td data-head=\"").count(), heads * rows);
    one.record.judge = "mock/3".into();
    score(&mut one, &|arm| Some(if arm == "dense" { 60 } else { 50 }));
    score(&mut one, &|arm| (arm == "sp").then_some(20));
    let says = [
        "A change of one weight leaves a clean picture",
        "do not touch its own: similarity-pruned (SP) (20 %)",
        "A short run",
    ];
    assert_page(&html(&one), &says, &[LABELLED_BY]);
    score(&mut one, &|arm| (arm == "sp").then_some(55));
    one.usual_steps = one.record.steps;
    let says = ["similarity-pruned (SP) (55 %)"];
    assert_page(&html(&one), &says, &["do not touch", "A short run"]);
}

#[test]
#[ignore = "slow: cargo test -- --include-ignored"]
fn a_seed_that_did_not_learn_the_picture_does_not_make_its_arm_unfit() {
    let (mut two, _guard) = moth("moth", &[3, 4]);
    score(&mut two, &|_| Some(50));
    let mut dense = two.record.rows.iter_mut().filter(|row| row.arm == "dense");
    scored(dense.next().unwrap().result.as_mut().unwrap(), 40);
    scored(dense.next().unwrap().result.as_mut().unwrap(), 42);
    // .41 ± 12.7 · .01: the seeds' spread, and not the .035 of two judgements.
    let says = [
        "interval covers the seeds that learned the picture",
        "(Student's t) and the judge's error",
        "0.41 (2 of 2 fit)",
        "0.41 [0.28, 0.54]",
    ];
    assert_page(&html(&two), &says, &[]);
    let unfit = |two: &mut Comparison, count: usize| {
        let dense = two.record.rows.iter_mut().filter(|row| row.arm == "dense");
        dense.take(count).for_each(|row| row.result.as_mut().unwrap().fit = false);
    };
    unfit(&mut two, 1);
    let says = [
        "1 of 2 seeds learned the picture; the others do not count",
        "0.42 (1 of 2 fit)",
        "Hollow dots: seeds that did not learn the picture",
    ];
    assert_page(&html(&two), &says, &["no result", "No result: no network"]);
    unfit(&mut two, 2);
    let says = [
        "no result (0 of 2 fit)",
        "No result: no network of the arm draws the picture",
        "No result, for no network of them learned the picture: dense",
        "0 of 2 –",
    ];
    assert_page(&html(&two), &says, &["0.40 (unfit"]);
}

#[test]
fn an_interval_over_seeds_covers_the_seeds_and_never_less_than_the_judges_error() {
    let of = |scores: &[f64]| {
        let scores: Vec<Scored> = scores.iter().copied().map(known).collect();
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
}
