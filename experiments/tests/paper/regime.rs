//! The regime map: its spec runs at smoke size, its figures are drawn, its rules decide, power repeats.

use picloom::experiment::Record;
use picloom::experiment::cells::run_cells;
use picloom::experiment::networks::{NetworksRecord, NetworksSpec, NetworksStudy};
use picloom::experiment::regime::points::{Basis, Networks, Place, Points, Scores};
use picloom::experiment::spec::read_spec;
use picloom_experiments::claims::{Ledger, Records, StudySpec};
use picloom_experiments::figures::{Sources, figure};
use picloom_experiments::regime::contrasts::Contrast;
use picloom_experiments::regime::power::{PowerReport, power};
use picloom_experiments::regime::rules::{
    MARGIN, beside_reference, decide, narrow, rewinding, rulings, which_links, word,
};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
}

fn spec() -> PathBuf {
    root().join("experiments/regime.toml")
}

#[test]
fn the_study_runs_at_smoke_size_and_the_ledger_and_the_figures_are_made_of_it() {
    let folder = tempfile::tempdir().unwrap();
    let study = NetworksStudy::read(&spec(), Some("smoke"), folder.path()).unwrap();
    let record = run_cells(&study, folder.path(), &mut ()).unwrap().expect("nobody stopped it");
    let failed: Vec<_> = record.rows.iter().filter_map(|row| row.error.as_ref()).collect();
    assert!(failed.is_empty(), "{failed:?}");
    assert!(record.rows.iter().any(|row| row.arm == "rewired" && row.level == 4));
    let kept = |target: &str, offset: i64, arm: &str, level: usize| {
        let mut rows = record.rows.iter();
        let row = rows.find(|row| {
            (row.target.as_str(), row.offset, row.arm.as_str(), row.level)
                == (target, offset, arm, level)
        });
        row.and_then(|row| row.result.as_ref()).map(|result| (result.kept, result.alive))
    };
    for row in record.rows.iter().filter(|row| row.arm == "sp" && row.level > 0) {
        let place = (row.target.as_str(), row.offset, row.level);
        let of = |arm: &str| kept(place.0, place.1, arm, place.2);
        let (sp, random, rewired) = (of("sp"), of("layer-counts"), of("rewired"));
        assert_eq!(sp, rewired, "{place:?}: every one alive");
        assert!(sp.is_some_and(|(kept, alive)| kept == alive), "{place:?} {sp:?}");
        assert_eq!(random.map(|r| r.0), sp.map(|s| s.0), "{place:?}");
    }

    // One seed of half-trained networks decides nothing, and says so under both protocols.
    let found = rulings(&record, MARGIN);
    let rules: Vec<&str> = found.iter().map(|ruling| ruling.rule.as_str()).collect();
    // At equal fit, at close fit, with a fixed δ and no gate, and with 0 for what does not fit.
    assert_eq!(rules, ["C3", "C4", "C5", "narrow", "C6"].repeat(4));
    // Five criteria at the reference depth, two controls.
    assert_eq!((found[0].contrasts.len(), found[1].contrasts.len()), (5, 2));
    let study = StudySpec::read(&root().join("experiments/study.toml")).unwrap();
    let ledger = Ledger::of(&study, &Records::read(folder.path()).unwrap());
    let claim = |id: &str| ledger.claims.iter().find(|claim| claim.text.id == id).unwrap();
    assert_eq!((claim("C3").rulings.len(), claim("C5").rulings.len()), (4, 8));
    // C4 also of SP and its four other readings, under both protocols, on the one target that has them.
    let (readings, own): (Vec<_>, Vec<_>) =
        claim("C4").rulings.iter().partition(|ruling| ruling.rule.starts_with("C4 of sp"));
    // The smoke map has its controls beside the reference, too.
    assert_eq!((own.len(), readings.len()), (6, 10));
    for ruling in readings {
        assert_eq!(ruling.contrasts.len(), 2, "{}", ruling.rule);
        let targets = |c: &Contrast| c.effect.targets.len() + c.effect.without.len();
        assert!(ruling.contrasts.iter().all(|c| targets(c) == 1), "{ruling:?}");
    }
    let counts = |note: &&String| note.contains("fit at the end; on their way reached R² 0.70");
    assert!(claim("C4").notes.iter().filter(counts).count() > 5, "{:?}", claim("C4").notes);
    assert!(claim("C4").text.rule.contains("regime.md") && claim("C1").rulings.is_empty());
    assert!(ledger.to_markdown().contains("- Ruling: narrow (fixed δ, no gate)"));

    // Its first stage has the controls at the reference depth alone: the other claims stay where they were.
    let mut first = record.clone();
    let arms = ["evolved", "dense", "sp", "layer-counts", "rewired"];
    first.rows.retain(|row| row.offset == 0 && arms.contains(&row.arm.as_str()));
    let old = Records::read(&root().join("figures")).unwrap();
    let stage = Ledger::of(&study, &old.with("regime", first));
    let read_from = |id: &str| {
        let claim = stage.claims.iter().find(|claim| claim.text.id == id).unwrap();
        (claim.records[0].as_str(), claim.rulings.len())
    };
    assert_eq!(read_from("C4"), ("regime/rows.csv.gz", 4));
    assert_eq!(read_from("C3"), ("pruning/rows.csv.gz", 0));
    assert_eq!([read_from("C5"), read_from("C6")], [("depth/rows.csv.gz", 0); 2]);

    let drawn = figure("regime-map").unwrap();
    let drawing = (drawn.draw)(&Sources::new(folder.path())).unwrap();
    assert!(drawing.svg.contains("moth") && drawing.svg.contains("hidden layers"));
}

/// Eight targets and three seeds: SP's score at the reference depth by arm, and at the depths beside it.
fn points(scores: impl Fn(usize, u64, i64, &str) -> Scores) -> Points {
    let targets = (0..8).map(|target| {
        let seeds: BTreeMap<u64, Networks> = (0..3)
            .map(|seed| {
                let mut networks = Networks::new();
                for offset in [-4, -1, 0, 1, 4] {
                    for arm in ["sp", "layer-counts", "rewired"] {
                        for level in [1, 2] {
                            let place = Place { offset, arm: arm.into(), level };
                            networks.insert(place, scores(target, seed, offset, arm));
                        }
                    }
                }
                (seed, networks)
            })
            .collect();
        (format!("t{target}"), seeds)
    });
    Points { targets: targets.collect(), shares: vec![0.256, 0.12] }
}

/// A little of its own for each target and seed.
fn jitter(target: usize, seed: u64) -> f64 {
    0.01 * ((7 * target + 3 * seed as usize) % 5) as f64
}

#[test]
fn scores_are_compared_at_the_r2_that_both_reached_and_a_fixed_delta_may_part() {
    // At .95 SP is .3 above random links; what they reach beyond does not count. By a fixed δ: equal.
    let of = |target: usize, seed: u64, _: i64, arm: &str| {
        let jitter = jitter(target, seed);
        let reached = match arm {
            "sp" => vec![(0.9, 0.6 + jitter), (0.95, 0.6 + jitter)],
            _ => vec![(0.95, 0.3), (0.99, 1.0)],
        };
        let fixed = if arm == "sp" { 0.5 + jitter } else { 0.5 };
        Scores { reached, last: Some(0.5), fixed: Some(fixed), fit: true }
    };
    let points = points(of);
    let equal = which_links(&points, Basis::EqualFit, MARGIN);
    assert_eq!(word(equal.verdict), "supported", "{}", equal.text());
    let [counts, rewired] = &equal.contrasts[..] else { panic!("{equal:?}") };
    let (estimate, p) = (counts.effect.estimate.unwrap(), counts.p.unwrap());
    assert!((estimate - 0.32).abs() < 0.02 && p < 0.01 && rewired.missing == 0);
    // Of a network that did not come close, nothing is compared there.
    let far = |target, seed, offset, arm: &str| {
        let scores = of(target, seed, offset, arm);
        Scores { reached: vec![(0.8, scores.reached[0].1), (0.95, 0.3)], ..scores }
    };
    let far = crate::regime::points(far);
    let close = which_links(&far, Basis::CloseFit, MARGIN);
    assert_eq!(close.contrasts[0].effect.estimate, Some(0.0));
    let both = which_links(&far, Basis::EqualFit, MARGIN);
    assert!((both.contrasts[0].effect.estimate.unwrap() - 0.16).abs() < 0.02, "{}", both.text());
    let fixed = which_links(&points, Basis::FixedDelta, MARGIN);
    assert_eq!(word(fixed.verdict), "smaller than the margin", "{}", fixed.text());
    // Each effect says of itself whether it is that small, and whether it differs from 0.
    assert_eq!(fixed.text().matches(", smaller than the margin").count(), 2, "{}", fixed.text());
    assert_eq!(equal.text().matches(", differs from 0").count(), 2, "{}", equal.text());
    assert!(fixed.notes[0].contains("effects above 0.0"), "{:?}", fixed.notes);
    // One layer beside the reference it is asked on its own, where the controls are.
    let at_reference = |target, seed, offset, arm: &str| match (offset, arm) {
        (0, "sp") => of(target, seed, offset, arm),
        _ => of(target, seed, offset, "rewired"),
    };
    let at_reference = crate::regime::points(at_reference);
    assert_eq!(word(which_links(&at_reference, Basis::EqualFit, MARGIN).verdict), "supported");
    let beside = beside_reference(&at_reference, Basis::EqualFit, MARGIN).unwrap();
    assert_eq!((word(beside.verdict), beside.contrasts.len()), ("smaller than the margin", 2));
    assert_eq!(beside.contrasts[0].effect.estimate, Some(0.0));
    let beside = beside_reference(&points, Basis::EqualFit, MARGIN).unwrap();
    assert_eq!(word(beside.verdict), "supported");
    let nearest = beside.contrasts[0].effect.estimate.unwrap();
    assert!((nearest - estimate).abs() < 1e-12, "{nearest} {estimate}");
    let mut without = points.clone();
    for networks in without.targets.iter_mut().flat_map(|(_, seeds)| seeds.values_mut()) {
        networks.retain(|place, _| place.arm == "sp" || place.offset == 0);
    }
    assert_eq!(beside_reference(&without, Basis::EqualFit, MARGIN), None);
    // A peak of all depths alike is none.
    let flat = narrow(&points, Basis::EqualFit, MARGIN);
    assert_eq!(word(flat.verdict), "smaller than the margin");
    assert_eq!(flat.contrasts[0].effect.estimate, Some(0.0));
}

#[test]
fn a_narrow_peak_is_found_its_width_told_and_networks_that_cannot_be_compared_are_counted() {
    let of = |target: usize, seed: u64, offset: i64, _: &str| {
        let height = match offset {
            0 => 0.8,
            -1 | 1 => 0.5,
            _ => 0.2,
        };
        // The deepest never reach .90.
        let reached = if offset == 4 { vec![] } else { vec![(0.9, height + jitter(target, seed))] };
        Scores { reached, ..Scores::default() }
    };
    let points = points(of);
    let found = narrow(&points, Basis::EqualFit, MARGIN);
    assert_eq!(word(found.verdict), "supported", "{}", found.text());
    assert!((found.contrasts[0].effect.estimate.unwrap() - 0.3).abs() < 1e-9);
    // Half of .8 and .2 is .5, met one layer to either side.
    assert!(found.notes.last().unwrap().ends_with("8 targets: 2.0 layers"), "{:?}", found.notes);
    // With no number to compare, nothing is decided.
    let none = which_links(&points, Basis::FixedDelta, MARGIN);
    assert_eq!(word(none.verdict), "inconclusive");
    assert_eq!(none.contrasts[0].missing, 8 * 3 * 2);
    assert_eq!(decide(&[], MARGIN), none.verdict);
}

#[test]
fn power_repeats_itself_grows_with_targets_and_takes_a_pilots_variances() {
    let (mut spec, _): (NetworksSpec, String) = read_spec(&spec(), None).unwrap();
    let report = power(&spec, &[], MARGIN, 200);
    for rule in &report.rules {
        assert!(rule.power.windows(2).all(|pair| pair[0].1 <= pair[1].1 + 0.04), "{rule:?}");
        assert!(rule.power[0].1 < 0.06, "no effect is seldom found: {rule:?}");
    }
    spec.targets.truncate(4);
    let fewer = power(&spec, &[], MARGIN, 200);
    assert_eq!(fewer, power(&spec, &[], MARGIN, 200));
    let at = |report: &PowerReport| report.rules[2].power[3].1;
    assert!(at(&fewer) < at(&report), "{fewer:?}");
    let pilot = picloom::experiment::Record::read(&root().join("figures/pruning"));
    let piloted = power(&spec, &[pilot.unwrap()], MARGIN, 200);
    assert!(piloted.rules[1].from_pilot && !piloted.rules[2].from_pilot, "{piloted:?}");
    assert!(piloted.rules[1].variances != spec.power);
    assert!(piloted.table().contains("| C4 |"));
}

#[test]
fn the_power_of_a_study_is_that_of_the_rules_whose_networks_it_has() {
    let path = root().join("experiments/replication.toml");
    let (spec, _): (NetworksSpec, String) = read_spec(&path, None).unwrap();
    let of = |part: &str| {
        let path = root().join("figures").join(part);
        <NetworksRecord as picloom::experiment::Record>::read(&path).unwrap()
    };
    let names =
        |report: &PowerReport| -> Vec<&str> { report.rules.iter().map(|rule| rule.rule).collect() };
    let report = power(&spec, &[of("wirings"), of("optimizer_scores")], MARGIN, 200);
    assert_eq!(names(&report), ["C2", "C11, scores", "C14"]);
    assert!(report.rules.iter().all(|rule| rule.from_pilot), "{report:?}");
    assert_eq!(report.weak(), Vec::<&str>::new(), "{}", report.table());
    // Whether two are equal is asked where they are.
    let equal = &report.rules[2];
    assert_eq!((equal.asked_at, equal.smallest), (0.0, None));
    assert!(equal.power[0].1 > 0.8 && equal.power[4].1 < 0.01, "{equal:?}");
    // C11 is not decided against by what lies above 0: its margin lies to either side.
    let shaped = &report.rules[1];
    assert!(shaped.power[0].2 < 0.4 && shaped.power[2].1 > 0.4, "{}", report.table());
    // Arms that are made on some targets are counted there.
    let targets = |report: &PowerReport| -> Vec<usize> {
        report.rules.iter().map(|rule| rule.targets).collect()
    };
    assert_eq!(targets(&report), [14, 12, 14]);
    let (quick, _): (NetworksSpec, String) = read_spec(&path, Some("quick")).unwrap();
    let quick = power(&quick, &[of("wirings"), of("optimizer_scores")], MARGIN, 50);
    assert_eq!(targets(&quick), [4, 4, 4]);
    // Depths are compared with the reference: a design without it asks nothing of them.
    let map = root().join("experiments/regime.toml");
    let (mut beside, _): (NetworksSpec, String) = read_spec(&map, Some("which_links")).unwrap();
    beside.offsets = vec![-1, 1];
    beside.arms.iter_mut().for_each(|arm| arm.offsets = None);
    assert_eq!(names(&power(&beside, &[of("regime_pilot")], MARGIN, 50)), ["C4"]);
    // Claims on means over targets are asked of their own study, with all that they hang on as large.
    for (part, rule) in
        [("out_of_domain", "C7"), ("controls", "C15, in the base"), ("wirings", "C1")]
    {
        let path = root().join("experiments").join(part).with_extension("toml");
        let (own, _): (NetworksSpec, String) = read_spec(&path, None).unwrap();
        let found = power(&own, &[of(part)], MARGIN, 200);
        let row = found.rules.iter().find(|row| row.rule == rule).unwrap();
        assert!(row.from_pilot && row.power[0].1 < 0.05 && row.power[5].1 > 0.75, "{row:?}");
        assert!(!names(&found).contains(&"C9, interference"), "{}", found.table());
    }
    let (whole, _): (NetworksSpec, String) = read_spec(&map, None).unwrap();
    let overlap = power(&whole, &[of("regime")], MARGIN, 50);
    let rules = ["C3", "C4", "C5", "narrow", "C9, interference", "C8, modules (ρ)"];
    assert_eq!(names(&overlap), rules);
    assert!(overlap.rules[4].smallest.unwrap() < 0.1, "{:?}", overlap.rules[4]);
    // Half of the targets see less; without a pilot nobody knows how various targets are.
    let mut few = spec.clone();
    few.targets.truncate(7);
    let fewer = power(&few, &[of("wirings")], MARGIN, 200);
    assert!(fewer.rules[0].power[3].1 < report.rules[0].power[3].1 - 0.1, "{}", fewer.table());
    assert_eq!(names(&power(&spec, &[], MARGIN, 50)), ["C11, scores"]);
}

#[test]
fn the_command_power_answers_in_json() {
    let json = |args: &[&str]| -> serde_json::Value {
        let mut command = assert_cmd::Command::cargo_bin("picloom-experiments").unwrap();
        let output = command.current_dir(root()).args(args).arg("--json").output().unwrap();
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{args:?}: {error}");
        serde_json::from_slice(&output.stdout).unwrap()
    };
    let pilot = "figures/pruning";
    let power = ["power", "experiments/regime.toml", "--pilot", pilot];
    let found = json(&power);
    assert_eq!((&found["study"], &found["profile"]), (&"regime".into(), &"standard".into()));
    assert_eq!(found["power"]["rules"][0]["from_pilot"], true);
}

#[test]
fn criteria_are_compared_with_themselves_retrained_from_the_initial_weights() {
    let map = NetworksRecord::read(&root().join("figures/regime")).unwrap();
    // As if rewinding had added .2 to Wanda's and Taylor's networks, and nothing to SP's and random ones.
    let mut rewound = map.clone();
    rewound.rows.retain(|row| {
        let arms = ["dense", "sp", "random", "wanda", "taylor"];
        arms.contains(&row.arm.as_str()) && row.offset == 0 && row.seed < Some(3)
    });
    for row in rewound.rows.iter_mut().filter(|row| ["wanda", "taylor"].contains(&&*row.arm)) {
        let result = row.result.as_mut().unwrap();
        for scored in result.reached.iter_mut().filter_map(|at| at.score.as_mut()) {
            scored.score += 0.2;
        }
    }
    let found = rewinding(&map, &rewound, MARGIN);
    let [first, second] = [0, 1].map(|k| &found[k]);
    assert_eq!((first.rule.as_str(), second.rule.as_str()), ("rewinding", "C3, all rewound"));
    assert_eq!(word(first.verdict), "supported", "{}", first.text());
    for contrast in &first.contrasts[..2] {
        assert!((contrast.effect.estimate.unwrap() - 0.2).abs() < 1e-9, "{}", first.text());
        assert!(contrast.effect.targets.iter().all(|target| target.pairs <= 3));
    }
    assert_eq!(first.contrasts[2].effect.name, "imp − magnitude");
    // SP less random is the map's own C3, on three of its five seeds.
    let random = &second.contrasts[3].effect;
    assert_eq!(random.name, "sp rewound − random rewound");
    assert!((random.estimate.unwrap() + 0.02).abs() < 0.03, "{}", second.text());
    assert_eq!(word(second.verdict), "smaller than the margin");
    rewound.size = 32;
    assert_eq!(rewinding(&map, &rewound, MARGIN), []);
}
