//! The ledger on records whose answer is known, and its check on the command line.

use picloom::experiment::cells::run_cells;
use picloom::experiment::finding::Verdict;
use picloom::experiment::networks::record::ReachedScore;
use picloom::experiment::networks::{NetworksRecord, NetworksStudy, Scored};
use picloom::experiment::{NetworkRow, Record};
use picloom_experiments::claims::effects::Effect;
use picloom_experiments::claims::verdicts::CLAIMS;
use picloom_experiments::claims::{Ledger, Records, StudySpec};
use std::path::{Path, PathBuf};
use std::process::Command;

fn root() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
}

fn spec() -> StudySpec {
    StudySpec::read(&root().join("experiments/study.toml")).unwrap()
}

/// A record with one real row, to be changed.
fn template() -> NetworksRecord {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("experiments")).unwrap();
    let genome = root().join("genomes/mask.json");
    std::fs::copy(genome, folder.path().join("mask.json")).unwrap();
    let path = folder.path().join("experiments/t.toml");
    let text = "kind = \"networks\"\nname = \"t\"\nquestion = \"?\"\nsize = 12\nsteps = 20\nseeds = [0]\nsample = 4\n[[targets]]\nname = \"mask\"\ngenome = \"mask.json\"\n[[arms]]\nname = \"dense\"\nwiring = \"dense\"\n";
    std::fs::write(&path, text).unwrap();
    let plan = NetworksStudy::read(&path, None, Path::new("nowhere")).unwrap();
    let runs = folder.path().join("runs");
    run_cells(&plan, &runs, &mut ()).unwrap().unwrap()
}

/// Builds records row by row.
struct Builder {
    record: NetworksRecord,
    row: NetworkRow,
}

impl Builder {
    fn new(study: &str) -> Self {
        let mut record = template();
        record.study = study.into();
        let row = record.rows.remove(0);
        Builder { record, row }
    }

    /// A network with this score out of 100 changes; none: unfit.
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
        result.coherent = score.unwrap_or(50);
        result.fractured = 100 - result.coherent;
        result.score = None;
        self.record.rows.push(row);
    }
}

fn ledger(records: &Records) -> Ledger {
    Ledger::of(&spec(), records)
}

fn verdict(ledger: &Ledger, id: &str) -> Verdict {
    let claim = ledger.claims.iter().find(|c| c.text.id == id);
    claim.unwrap().verdict
}

const TARGETS: [&str; 4] = ["a", "b", "c", "d"];
const SEEDS: [u64; 3] = [0, 1, 2];

fn wirings(evolved: usize, layerized: usize, dense: usize, graph: Option<usize>) -> Records {
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
    Records::default().with("wirings", builder.record)
}

#[test]
fn without_records_every_claim_is_inconclusive_and_says_what_is_missing() {
    let ledger = ledger(&Records::default());
    assert_eq!(ledger.claims.len(), 15);
    for claim in &ledger.claims {
        assert_eq!(claim.verdict, Verdict::Inconclusive, "{}", claim.text.id);
        assert!(claim.notes[0].starts_with("no record of"), "{claim:?}");
    }
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
    let found = ledger(&Records::default().with("wirings", alike()));
    assert_eq!(verdict(&found, "C1"), Verdict::Supported);
    // Scores that are known to ± .196 (95 %): standard error .1 of each network.
    let mut known = alike();
    for row in &mut known.rows {
        let result = row.result.as_mut().unwrap();
        let score = result.score().unwrap();
        let half = 0.1 * 1.959_963_984_540_054;
        result.score = Some(Scored { score, low: Some(score - half), high: Some(score + half) });
    }
    let found = ledger(&Records::default().with("wirings", known));
    // A target's evolved network is in all three of its pairs: variance .1² + .1²/3 a target.
    let half = 1.959_963_984_540_054 * (4.0 * (0.01 + 0.01 / 3.0_f64)).sqrt() / 4.0;
    let effect = &found.claims[0].effects[0];
    assert!((effect.low.unwrap() - (0.1 - half)).abs() < 1e-9, "{effect:?}");
    assert!((effect.high.unwrap() - (0.1 + half)).abs() < 1e-9, "{effect:?}");
    assert_eq!(verdict(&found, "C1"), Verdict::Inconclusive);
}

#[test]
fn wirings_decide_by_the_sign_and_width_of_their_differences() {
    let found = ledger(&wirings(95, 60, 20, None));
    assert_eq!(verdict(&found, "C1"), Verdict::Supported);
    assert_eq!(verdict(&found, "C2"), Verdict::Supported);
    assert_eq!(verdict(&found, "C12"), Verdict::Supported);
    // The layerized network no better than the dense one: not between.
    let found = ledger(&wirings(95, 20, 24, Some(70)));
    assert_eq!(verdict(&found, "C1"), Verdict::Supported);
    assert_eq!(verdict(&found, "C2"), Verdict::NotSupported);
    // The graph learns as often as the dense network.
    assert_eq!(verdict(&found, "C12"), Verdict::NotSupported);
    // Evolved below dense.
    assert_eq!(verdict(&ledger(&wirings(30, 50, 80, None)), "C1"), Verdict::NotSupported);
    let claim = &found.claims[0];
    assert_eq!(claim.effects[0].targets.len(), 4);
    assert_eq!(claim.effects[0].targets[0].pairs, 3);
    assert_eq!(claim.seeds, Some(3));
    // (95 − k) − (24 + k) = 71 − 2k points.
    assert!((claim.effects[0].estimate.unwrap() - 0.68).abs() < 1e-12);
}

#[test]
fn unfit_networks_are_no_evidence() {
    let mut builder = Builder::new("pruning");
    for target in TARGETS {
        for seed in SEEDS {
            for level in [1, 2] {
                let at = (0, Some(seed));
                builder.add((target, "sp", level), at, Some(80));
                for arm in ["imp", "wanda", "taylor", "magnitude", "sp-layer-counts"] {
                    let score = 50 + seed as usize + if target == "a" { 4 } else { 0 };
                    builder.add((target, arm, level), at, Some(score));
                }
                builder.add((target, "random", level), at, None);
            }
        }
    }
    let records = Records::default().with("pruning", builder.record);
    let found = ledger(&records);
    // Random never learns: it cannot be compared, and C3 asks for all five.
    assert_eq!(verdict(&found, "C3"), Verdict::Inconclusive);
    assert_eq!(found.claims[2].effects[4].without, TARGETS);
    assert_eq!(verdict(&found, "C4"), Verdict::Supported);
}

/// Scores by offset −3 … 3 with a peak at `peak` of each target.
fn depths(peaks: [i64; 4], height: usize) -> Records {
    let mut builder = Builder::new("depth");
    for (target, peak) in TARGETS.into_iter().zip(peaks) {
        for seed in SEEDS {
            for offset in -3..=3i64 {
                let score = 60 - height * (offset - peak).unsigned_abs() as usize + seed as usize;
                builder.add((target, "sp", 1), (offset, Some(seed)), Some(score));
                builder.add((target, "dense", 0), (offset, Some(seed)), Some(40));
            }
        }
        let ratio = 0.05 * (1.0 + (peak + 3) as f64);
        builder.record.png_ratio.insert(target.into(), ratio);
    }
    Records::default().with("depth", builder.record)
}

#[test]
fn a_peak_must_be_inside_and_specific_to_the_target() {
    let found = ledger(&depths([-2, 0, 1, 2], 8));
    assert_eq!(verdict(&found, "C5"), Verdict::Supported);
    assert_eq!(verdict(&found, "C6"), Verdict::Inconclusive, "four targets: p is at least .083");
    assert!(found.claims[5].effects[0].estimate.unwrap() > 0.0);
    // The same depth for all: a peak, but not the target's own.
    let found = ledger(&depths([0, 0, 0, 0], 8));
    assert_eq!(verdict(&found, "C5"), Verdict::NotSupported);
    // Deeper is always better: no peak inside.
    let found = ledger(&depths([3, 3, 3, 3], 8));
    assert_eq!(verdict(&found, "C5"), Verdict::NotSupported);
    // No depth matters.
    let found = ledger(&depths([-2, 0, 1, 2], 0));
    assert_eq!(verdict(&found, "C5"), Verdict::NotSupported);
}

/// Scores of SP's networks by optimizer where they reached R² .9, on eight targets.
fn by_optimizer(adam: f64, muon: f64) -> Records {
    let mut builder = Builder::new("optimizer_scores");
    builder.record.checkpoints = vec![0.9];
    for (k, target) in ["a", "b", "c", "d", "e", "f", "g", "h"].into_iter().enumerate() {
        for seed in SEEDS {
            for (arm, score) in [("sp", adam), ("sp-muon", muon), ("sp-muon-20", muon)] {
                builder.add((target, arm, 1), (0, Some(seed)), None);
                let result = builder.record.rows.last_mut().unwrap().result.as_mut().unwrap();
                // Every pair differs a little from every other.
                let jitter = 0.01 * ((5 * k + 3 * seed as usize) % 7) as f64 - 0.03;
                let score = score + if arm == "sp" { 0.0 } else { jitter };
                let score = Some(Scored { score, low: None, high: None });
                let at = ReachedScore {
                    level: 0.9,
                    r2: Some(0.9),
                    step: Some(9),
                    score,
                    mechanisms: None,
                };
                result.reached = vec![at];
            }
        }
    }
    let optimizers = Records::read(&root().join("figures")).unwrap().optimizers;
    Records { optimizers, ..Records::default() }.with("optimizer_scores", builder.record)
}

#[test]
fn the_optimizer_shapes_the_solution_if_scores_differ_at_equal_fit() {
    let claim = |adam, muon| {
        let ledger = ledger(&by_optimizer(adam, muon));
        ledger.claims.into_iter().find(|c| c.text.id == "C11").unwrap()
    };
    // Less by Muon is a shape too.
    for (adam, muon) in [(0.2, 0.5), (0.7, 0.3)] {
        let found = claim(adam, muon);
        let effect = found.effects.last().unwrap();
        assert_eq!(effect.name, "sp muon − SP");
        assert!((effect.estimate.unwrap() - (muon - adam)).abs() < 0.05, "{effect:?}");
        assert!(found.notes.last().unwrap().contains(": supported, p 0.00"), "{:?}", found.notes);
        // The committed losses support the other half.
        assert_eq!(found.verdict, Verdict::Supported);
        assert_eq!(found.records, ["optimizers/rows.csv.gz", "optimizer_scores/rows.csv.gz"]);
    }
    let same = claim(0.4, 0.4);
    assert_eq!(same.verdict, Verdict::NotSupported, "{:?}", same.notes);
    let alone = by_optimizer(0.4, 0.4).with("optimizer_scores", None);
    let claims = ledger(&alone).claims;
    let found = claims.iter().find(|c| c.text.id == "C11").unwrap();
    assert_eq!((found.verdict, found.records.len()), (Verdict::Supported, 1));
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
    let claim = |records: &Records, id: &str| {
        ledger(records).claims.into_iter().find(|c| c.text.id == id).unwrap()
    };
    let part = |records: &Records, name: &str| records.networks(name).unwrap().clone();
    let second = part(&wirings(95, 60, 20, None), "wirings");
    let open = Records::default().with("wirings", open_wirings());
    let both = open.clone().with("replication", second.clone());
    let found = claim(&both, "C2");
    assert_eq!((found.verdict, found.records.len()), (Verdict::Supported, 1));
    assert_eq!(found.records, ["replication/rows.csv.gz"]);
    let earlier = found.notes.last().unwrap();
    assert!(earlier.starts_with("the first study (wirings/rows.csv.gz) had left it"), "{earlier}");
    assert!(earlier.contains("evolved − layerized 0.038 ["), "{earlier}");
    // Claims that are no part of it stay the first's, and so do those that the first decided.
    assert_eq!(claim(&both, "C1").records, ["wirings/rows.csv.gz"]);
    let decided = wirings(62, 60, 20, None).with("replication", second.clone());
    let found = claim(&decided, "C2");
    assert_eq!(found.verdict, Verdict::NotSupported);
    assert_eq!(found.records, ["wirings/rows.csv.gz"]);
    // A smaller profile decides nothing.
    let quick = NetworksRecord { profile: "quick".into(), ..second };
    assert_eq!(claim(&open.with("replication", quick), "C2").verdict, Verdict::Inconclusive);

    // Scores by optimizer, too: one pair a target is too few for the first study.
    let mut few = part(&by_optimizer(0.2, 0.5), "optimizer_scores");
    few.rows.retain(|row| row.target == "a");
    let apart = part(&by_optimizer(0.2, 0.5), "optimizer_scores");
    let records = by_optimizer(0.4, 0.4).with("optimizer_scores", few).with("replication", apart);
    let found = claim(&records, "C11");
    assert_eq!(found.records, ["optimizers/rows.csv.gz", "replication/rows.csv.gz"]);
    let notes: Vec<&String> = found.notes.iter().rev().take(2).collect();
    assert!(notes[1].contains("(replication, profile") && notes[1].contains(": supported"));
    assert!(notes[0].contains("(optimizer_scores, profile") && notes[0].contains("inconclusive"));
}

#[test]
fn an_open_claim_says_what_the_half_that_keeps_it_open_could_have_seen() {
    // The study says of C2 that it is undecidable; a rule without such a word is open.
    let mut rules = spec();
    rules.claims[1].word = None;
    let found = Ledger::of(&rules, &Records::default().with("wirings", open_wirings()));
    let claim = found.claims.iter().find(|c| c.text.id == "C2").unwrap();
    assert_eq!(claim.verdict, Verdict::Inconclusive);
    let settled: Vec<bool> = claim.effects.iter().map(|effect| effect.settled).collect();
    assert_eq!(settled, [false, true]);
    let seen = format!("C2 (from {:.2} on with 4 targets", claim.effects[0].visible().unwrap());
    assert!(found.sentences()[2].contains(&seen), "{}", found.sentences()[2]);
    assert!(claim.effects[0].visible() > claim.effects[1].visible());
}

#[test]
fn one_recipe_in_which_the_effect_is_gone_decides_against_c15() {
    let build = |gone: Option<&str>| {
        let mut builder = Builder::new("controls");
        for variant in ["base", "rate-low", "muon"] {
            for (k, target) in TARGETS.into_iter().enumerate() {
                for seed in SEEDS {
                    for offset in [-3, 0, 3] {
                        builder.row.variant = variant.into();
                        let at = (offset, Some(seed));
                        let sp = if gone == Some(variant) { 40 } else { 70 };
                        builder.add((target, "sp", 1), at, Some(sp + k));
                        builder.add((target, "sp-layer-counts", 1), at, Some(50 - k));
                    }
                }
            }
        }
        ledger(&Records::default().with("controls", builder.record))
    };
    assert_eq!(verdict(&build(None), "C15"), Verdict::Supported);
    assert_eq!(verdict(&build(Some("muon")), "C15"), Verdict::NotSupported);
    assert_eq!(verdict(&build(Some("base")), "C15"), Verdict::NotSupported);
}

#[test]
fn the_command_writes_a_ledger_and_refuses_one_that_does_not_follow() {
    let folder = tempfile::tempdir().unwrap();
    let records = wirings(95, 60, 20, None);
    let wirings = records.networks("wirings").unwrap();
    std::fs::create_dir(folder.path().join("wirings")).unwrap();
    wirings.save(&folder.path().join("wirings")).unwrap();
    let claims = |more: &[&str]| {
        let output = Command::new(env!("CARGO_BIN_EXE_picloom-experiments"))
            .arg("claims")
            .arg("--spec")
            .arg(root().join("experiments/study.toml"))
            .arg("--records")
            .arg(folder.path())
            .args(more)
            .output()
            .unwrap();
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        (output.status.success(), text)
    };
    assert!(!claims(&["--check"]).0, "nothing to check yet");
    assert!(claims(&[]).0);
    assert!(claims(&["--check"]).0);
    let json = folder.path().join("claims.json");
    assert_eq!(
        Ledger::read(&json).unwrap(),
        Ledger::of(&spec(), &Records::read(folder.path()).unwrap())
    );
    let page = std::fs::read_to_string(folder.path().join("claims.md")).unwrap();
    assert!(page.contains("## C1: supported"), "{page}");
    // A verdict changed by hand is found.
    let text = std::fs::read_to_string(&json).unwrap();
    let forged = text.replacen("\"supported\"", "\"not-supported\"", 1);
    std::fs::write(&json, forged).unwrap();
    let (ok, error) = claims(&["--check"]);
    assert!(!ok && error.contains("C1"), "{error}");
}

#[test]
fn the_committed_verdicts_follow_from_the_committed_records() {
    let folder = root().join("figures");
    let committed = Ledger::read(&folder.join("claims.json")).unwrap();
    let ledger = Ledger::of(&spec(), &Records::read(&folder).unwrap());
    // Both are long: what differs `picloom-experiments claims --check` says.
    assert!(
        committed == ledger,
        "claims.json is older than the records: `picloom-experiments claims`"
    );
    let page = std::fs::read_to_string(folder.join("claims.md")).unwrap();
    assert!(page == ledger.to_markdown(), "claims.md is older than claims.json");
}

#[test]
fn what_a_design_could_have_seen_and_what_more_takes_follow_from_the_spread_over_targets() {
    let values = |n: usize| (0..n).map(|i| (format!("t{i}"), vec![0.2 * (i % 2) as f64])).collect();
    // s = .2·√(10/36) = .10541; t(9) = 2.2622 and .8834; se = s/√10.
    let effect = Effect::of("x", values(10));
    assert!((effect.visible().unwrap() - 0.104_86).abs() < 1e-4, "{:?}", effect.visible());
    // 2.0930·s/√20 = .0493, 2.1009·s/√19 = .0508.
    assert_eq!(effect.targets_for(0.05), Some(20));
    assert_eq!(effect.targets_for(1e-4), None);
    let one = Effect::of("x", values(1));
    assert_eq!((one.visible(), one.targets_for(0.05)), (None, None));
}

#[test]
fn a_word_of_the_study_stands_in_place_of_the_verdict_and_leaves_it_as_computed() {
    let ledger = Ledger::read(&root().join("figures/claims.json")).unwrap();
    let page = ledger.to_markdown();
    let claim = |id: &str| ledger.claims.iter().find(|c| c.text.id == id).unwrap();
    let seen = |id: &str| (claim(id).verdict, claim(id).word());
    assert_eq!(seen("C8"), (Verdict::NotSupported, "not testable"));
    assert_eq!(seen("C10"), (Verdict::Supported, "not testable"));
    assert!(page.contains("## C10: not testable\n") && page.contains("our own formulas."));
    // What the paper does not claim stands in a table of its own.
    let (paper, others) = page.split_once("Claims that are not the paper's:").unwrap();
    let (others, _) = others.split_once("\n## C1:").unwrap();
    for (k, claim) in ledger.claims.iter().enumerate() {
        let row = format!("\n| {} | ", claim.text.id);
        assert_eq!((paper.contains(&row), others.contains(&row)), (k < 11, k >= 11), "{row}");
    }
}

#[test]
fn four_sentences_say_each_claim_once() {
    let ledger = Ledger::read(&root().join("figures/claims.json")).unwrap();
    let sentences = ledger.sentences();
    for claim in &ledger.claims {
        let id = &claim.text.id;
        let named = |s: &&String| [",", " ("].iter().any(|end| s.contains(&format!("{id}{end}")));
        let place = match claim.verdict {
            _ if claim.text.word.is_some() => 3,
            Verdict::Supported => 0,
            Verdict::NotSupported => 1,
            Verdict::Inconclusive => 2,
        };
        assert_eq!(sentences.iter().filter(named).count(), 1, "{id}: {sentences:?}");
        assert!(named(&&sentences[place]), "{id}: {sentences:?}");
    }
}

#[test]
fn the_methods_page_lists_every_claim() {
    let page = include_str!("../../../docs/METHODS.md");
    for (id, _) in CLAIMS {
        assert!(page.contains(&format!("| {id} |")), "METHODS does not list {id}");
    }
}
