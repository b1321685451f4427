//! The ledger on records whose answer is known, and its check on the command line.

use crate::claims::{ClaimRow, Ledger, StudySpec};
use crate::finding::Verdict;
use crate::paper::line::Place;
use crate::paper::root;
use crate::paper::said::assert_says;
use picloom::experiment::NetworkRow;
use picloom::experiment::networks::{NetworksRecord, Scored};
use picloom::study::Record;

fn spec() -> StudySpec {
    StudySpec::read(&root().join("experiments/study.toml")).unwrap()
}

/// Builds records row by row, each row the first dense network of the committed wirings with another score.
struct Builder {
    record: NetworksRecord,
    row: NetworkRow,
}

impl Builder {
    fn new(study: &str) -> Self {
        let mut record = NetworksRecord::read(&root().join("figures/wirings")).unwrap();
        let row = record.rows.iter().find(|row| row.arm == "dense" && row.result.is_some());
        let mut row = row.unwrap().clone();
        row.result.as_mut().unwrap().reached.clear();
        (record.study, record.checkpoints) = (study.into(), Vec::new());
        record.rows.clear();
        Builder { record, row }
    }

    /// Adds a network with this score out of 100 changes; `None` for an unfit one.
    fn add(
        &mut self,
        (target, arm, level): (&str, &str, usize),
        (offset, seed): (i64, Option<u64>),
        score: Option<usize>,
    ) {
        let mut row = self.row.clone();
        (row.target, row.arm, row.level) = (target.into(), arm.into(), level);
        (row.offset, row.seed, row.layers) = (offset, seed, (8 + offset) as usize);
        let result = row.result.as_mut().unwrap();
        result.fit = score.is_some();
        result.r2 = if score.is_some() { 0.99 } else { 0.2 };
        result.clean = score.unwrap_or(50);
        result.damaged = 100 - result.clean;
        let counted = result.clean as f64 / 100.0;
        result.score = Some(scored(counted, None));
        self.record.rows.push(row);
    }
}

/// A score, and by how much it may be off.
fn scored(score: f64, off: Option<f64>) -> Scored {
    let [low, high] = [-1.0, 1.0].map(|side| off.map(|off| score + side * off));
    Scored { score, low, high, clean_share: None }
}

/// A folder of these records, by part.
fn records(parts: &[(&str, &NetworksRecord)]) -> Place {
    let place = Place::new();
    for (part, record) in parts {
        std::fs::create_dir_all(place.at(part)).unwrap();
        let record = NetworksRecord { study: part.to_string(), ..NetworksRecord::clone(record) };
        record.save(&place.at(part)).unwrap();
    }
    place
}

/// The ledger on these records, by part.
fn ledger(parts: &[(&str, &NetworksRecord)]) -> Ledger {
    Ledger::of(&spec(), records(parts).path()).unwrap()
}

fn claim<'a>(ledger: &'a Ledger, id: &str) -> &'a ClaimRow {
    ledger.claims.iter().find(|claim| claim.text.id == id).unwrap()
}

fn verdict(ledger: &Ledger, id: &str) -> Verdict {
    claim(ledger, id).verdict
}

const TARGETS: [&str; 4] = ["a", "b", "c", "d"];
const SEEDS: [u64; 3] = [0, 1, 2];

fn wirings(evolved: usize, layerized: usize, dense: usize, graph: Option<usize>) -> NetworksRecord {
    let mut builder = Builder::new("wirings");
    for (k, target) in TARGETS.into_iter().enumerate() {
        builder.add((target, "evolved", 0), (0, None), Some(evolved - k));
        for seed in SEEDS {
            let at = (0, Some(seed));
            builder.add((target, "dense", 0), at, Some(dense + k));
            builder.add((target, "layerized", 0), at, Some(layerized + 2 * k));
            builder.add((target, "graph", 0), at, graph);
        }
    }
    builder.record
}

#[test]
fn without_records_every_claim_is_inconclusive_and_says_what_is_missing() {
    let ledger = ledger(&[]);
    assert_eq!(ledger.claims.len(), 15);
    for claim in &ledger.claims {
        assert_eq!(claim.verdict, Verdict::Inconclusive, "{}", claim.text.id);
        let why = ["no record of", "not asked"];
        assert!(why.iter().any(|why| claim.notes[0].starts_with(why)), "{claim:?}");
    }
}

#[test]
fn the_unit_is_the_target_and_the_interval_is_students() {
    // Targets .2, .4, .6 from 3, 1 and 2 pairs: mean .4, s = .2, t(.975, 2) = 4.302653.
    let mut builder = Builder::new("wirings");
    for (target, evolved, dense) in [
        ("a", 60, vec![Some(50), Some(40), Some(30)]),
        ("b", 60, vec![Some(20)]),
        ("c", 90, vec![Some(40), Some(20)]),
        ("d", 60, vec![None]),
    ] {
        builder.add((target, "evolved", 0), (0, None), Some(evolved));
        for (seed, score) in dense.into_iter().enumerate() {
            builder.add((target, "dense", 0), (0, Some(seed as u64)), score);
        }
    }
    let ledger = ledger(&[("wirings", &builder.record)]);
    let effect = claim(&ledger, "C1").effects().next().unwrap();
    let half = 4.302_652_73 * 0.2 / 3f64.sqrt();
    assert!((effect.estimate.unwrap() - 0.4).abs() < 1e-9, "{effect:?}");
    assert!((effect.low.unwrap() - (0.4 - half)).abs() < 1e-6, "{effect:?}");
    assert_eq!(effect.units.iter().map(|unit| unit.count).sum::<usize>(), 6);
    assert_eq!(effect.without, ["d"]);
}

#[test]
fn targets_that_happen_to_agree_do_not_hide_the_judges_error() {
    // Ten points on every target: the interval over targets is a point.
    let alike = || {
        let mut builder = Builder::new("wirings");
        for target in TARGETS {
            builder.add((target, "evolved", 0), (0, None), Some(60));
            for seed in SEEDS {
                builder.add((target, "dense", 0), (0, Some(seed)), Some(50));
            }
        }
        builder.record
    };
    let found = ledger(&[("wirings", &alike())]);
    assert_eq!(verdict(&found, "C1"), Verdict::Supported);
    // Scores that are known to ± .196 (95 %): standard error .1 of each network.
    let mut known = alike();
    for row in &mut known.rows {
        let result = row.result.as_mut().unwrap();
        let score = result.score().unwrap();
        let half = 0.1 * 1.959_963_984_540_054;
        result.score = Some(scored(score, Some(half)));
    }
    let found = ledger(&[("wirings", &known)]);
    // A target's evolved network is in all three of its pairs: variance .1² + .1²/3 a target.
    let half = 1.959_963_984_540_054 * (4.0 * (0.01 + 0.01 / 3.0_f64)).sqrt() / 4.0;
    let effect = found.claims[0].effects().next().unwrap();
    assert!((effect.low.unwrap() - (0.1 - half)).abs() < 1e-5, "{effect:?}");
    assert!((effect.high.unwrap() - (0.1 + half)).abs() < 1e-5, "{effect:?}");
    assert_eq!(verdict(&found, "C1"), Verdict::Inconclusive);
}

#[test]
fn wirings_decide_by_the_sign_and_width_of_their_differences() {
    let found = ledger(&[("wirings", &wirings(95, 60, 20, None))]);
    assert_eq!(verdict(&found, "C1"), Verdict::Supported);
    assert_eq!(verdict(&found, "C2"), Verdict::Supported);
    assert_eq!(verdict(&found, "C12"), Verdict::Supported);
    // The layerized network no better than the dense one: not between.
    let found = ledger(&[("wirings", &wirings(95, 20, 24, Some(70)))]);
    assert_eq!(verdict(&found, "C1"), Verdict::Supported);
    assert_eq!(verdict(&found, "C2"), Verdict::NotSupported);
    // The graph learns as often as the dense network.
    assert_eq!(verdict(&found, "C12"), Verdict::NotSupported);
    // Evolved below dense.
    let below = ledger(&[("wirings", &wirings(30, 50, 80, None))]);
    assert_eq!(verdict(&below, "C1"), Verdict::NotSupported);
    let (claim, effect) = (&found.claims[0], found.claims[0].effects().next().unwrap());
    assert_eq!((effect.units.len(), effect.units[0].count), (4, 3));
    assert_eq!(claim.seeds, Some(3));
    // (95 − k) − (24 + k) = 71 − 2k points.
    assert!((effect.estimate.unwrap() - 0.68).abs() < 1e-6);
}

#[test]
fn unfit_networks_are_no_evidence() {
    let mut builder = Builder::new("regime");
    for target in TARGETS {
        for seed in SEEDS {
            for level in [2, 3] {
                let at = (0, Some(seed));
                builder.add((target, "sp", level), at, Some(80));
                for arm in ["imp", "wanda", "taylor", "magnitude", "layer-counts", "rewired"] {
                    let score = 50 + seed as usize + if target == "a" { 4 } else { 0 };
                    builder.add((target, arm, level), at, Some(score));
                }
                builder.add((target, "random", level), at, None);
            }
        }
    }
    // The map has scores by a fixed δ.
    for result in builder.record.rows.iter_mut().filter_map(|row| row.result.as_mut()) {
        result.fixed = Some(scored(0.5, None));
    }
    let found = ledger(&[("regime", &builder.record)]);
    // Random never learns: it cannot be compared, and C3 asks for all five.
    assert_eq!(verdict(&found, "C3"), Verdict::Inconclusive);
    assert_eq!(found.claims[2].effects().nth(4).unwrap().without, TARGETS);
    assert_eq!(verdict(&found, "C4"), Verdict::Supported);
}

/// Evolved networks now above, now below retrained ones, which are above dense ones.
fn open_wirings() -> NetworksRecord {
    let mut builder = Builder::new("wirings");
    for (target, evolved) in TARGETS.into_iter().zip([40, 80, 45, 90]) {
        builder.add((target, "evolved", 0), (0, None), Some(evolved));
        for seed in SEEDS {
            builder.add((target, "layerized", 0), (0, Some(seed)), Some(60));
            builder.add((target, "dense", 0), (0, Some(seed)), Some(evolved / 4));
        }
    }
    builder.record
}

#[test]
fn a_second_study_on_other_targets_decides_what_the_first_left_open_and_nothing_else() {
    let (open, second) = (open_wirings(), wirings(95, 60, 20, None));
    let both = ledger(&[("wirings", &open), ("replication", &second)]);
    let found = claim(&both, "C2");
    assert_eq!((found.verdict, found.study.as_deref()), (Verdict::Supported, Some("replication")));
    assert_eq!(found.records, ["replication/rows.csv.gz"]);
    assert_eq!(found.earlier.as_ref().unwrap().study, "wirings");
    assert!(both.to_markdown().contains("- C2: the first study, wirings, left it open."));
    // Claims that are no part of it stay the first's, and so do those that the first decided.
    assert_eq!(claim(&both, "C1").records, ["wirings/rows.csv.gz"]);
    let decided = ledger(&[("wirings", &wirings(62, 20, 24, None)), ("replication", &second)]);
    let found = claim(&decided, "C2");
    assert_eq!((found.verdict, found.study.as_deref()), (Verdict::NotSupported, Some("wirings")));
    // A smaller profile decides nothing.
    let quick = NetworksRecord { profile: "quick".into(), ..second };
    let found = ledger(&[("wirings", &open), ("replication", &quick)]);
    assert_eq!(claim(&found, "C2").verdict, Verdict::Inconclusive);
}

#[test]
fn an_open_claim_says_what_the_half_that_keeps_it_open_could_have_seen() {
    // The study says of C2 that it is undecidable; a rule without such a word is open.
    let mut found = ledger(&[("wirings", &open_wirings())]);
    found.claims[1].text.word = None;
    let claim = claim(&found, "C2");
    assert_eq!(claim.verdict, Verdict::Inconclusive);
    let visible = claim.effects().next().unwrap().visible().unwrap();
    let seen = format!("(with 4 targets, an effect of {visible:.2} is found four times in five)");
    assert_says(&found.sentences()[2], &[&format!("C2 {seen}")]);
}

#[test]
fn the_command_writes_a_ledger_and_refuses_one_that_does_not_follow() {
    let place = records(&[("wirings", &wirings(95, 60, 20, None))]);
    let records = place.path().display();
    let claims = format!("claims --spec ROOT/experiments/study.toml --records {records}");
    let check = format!("{claims} --check");
    assert_ne!(place.run(&check).code, Some(0), "nothing to check yet");
    place.done(&claims);
    place.done(&check);
    let json = place.at("claims.json");
    assert_eq!(Ledger::read(&json).unwrap(), Ledger::of(&spec(), place.path()).unwrap());
    assert_says(&place.text("claims.md"), &["| supported |"]);
    // A verdict changed by hand is found.
    let forged = place.text("claims.json").replacen("\"supported\"", "\"not-supported\"", 1);
    place.write("claims.json", forged);
    let said = place.run(&check);
    assert!(said.code != Some(0) && said.error.contains("C1"), "{said:?}");
}

#[test]
fn the_committed_verdicts_follow_from_the_committed_records() {
    let folder = root().join("figures");
    let committed = Ledger::read(&folder.join("claims.json")).unwrap();
    let ledger = Ledger::of(&spec(), &folder).unwrap();
    // Both are long: what differs `picloom-experiments claims --check` says.
    assert!(
        committed == ledger,
        "claims.json is older than the records: `picloom-experiments claims`"
    );
    let page = std::fs::read_to_string(folder.join("claims.md")).unwrap();
    assert!(page == ledger.to_markdown(), "claims.md is older than claims.json");
}

#[test]
fn the_terminal_says_of_every_number_what_it_is_and_what_the_rule_asks_of_it() {
    let ledger = Ledger::of(&spec(), &root().join("figures")).unwrap();
    for row in &ledger.claims {
        let told = row.told();
        let numbers = row.effects().count() + row.found().count();
        let rules = told.matches("supported if ").count();
        assert!(told.starts_with(&row.text.id), "{told}");
        assert_eq!(numbers > 0, rules > 0, "{told}");
        assert!(row.found().all(|one| !one.asks().is_empty()), "a finding without a rule: {told}");
    }
    // The number and the verdict contradict each other unless one knows the rule.
    let told = claim(&ledger, "C8").told();
    let parts = [
        "0.945 [0.911, 0.966]  share of Monte Carlo's 95 % intervals",
        "a share, 0 to 1: supported if the interval reaches 0.95",
        "against if it lies below 0.2",
    ];
    assert_says(&told, &parts);
}

#[test]
fn the_methods_page_lists_every_claim() {
    let page = include_str!("../../../docs/METHODS.md");
    for claim in spec().claims {
        assert!(page.contains(&format!("| {} |", claim.id)), "METHODS does not list {}", claim.id);
    }
}
