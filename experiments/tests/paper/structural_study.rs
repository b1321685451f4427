//! The structural study: resumable to the same bytes; its rules on made-up records.

use crate::figures::{FIGURES, Sources};
use crate::finding::Verdict;
use crate::paper::root;
use crate::structural::findings::{at_every_penalty, parts_are_ablatable, sp_against};
use crate::structural::record::Measured;
use crate::structural::spec::StructuralRow;
use crate::structural::{ArmOutcome, PartOutcome, Structural, StructuralRecord, penalties};
use picloom::study::Record;
use picloom::study::cells::run_cells;
use picloom::study::grid::GridStudy;
use picloom::study::workers::StudyObserver;
use std::path::Path;

/// Says no after some questions, in the middle of a training.
struct Stop(usize);

impl StudyObserver for Stop {
    fn going_on(&mut self) -> bool {
        self.0 = self.0.saturating_sub(1);
        self.0 > 0
    }
}

#[test]
fn a_study_stopped_in_the_middle_of_a_training_goes_on_to_the_same_bytes() {
    let spec = root().join("experiments/structural.toml");
    let study = GridStudy::<Structural>::read(&spec, Some("smoke")).unwrap();
    let run = |folder: &Path, stops: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build();
        pool.unwrap().install(|| {
            for _ in 0..stops {
                assert!(run_cells(&study, folder, &mut Stop(3)).unwrap().is_none());
            }
            run_cells(&study, folder, &mut ()).unwrap().unwrap()
        })
    };
    let (a, b) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let straight = run(a.path(), 0);
    assert_eq!(straight, run(b.path(), 2));
    let bytes = |folder: &Path| std::fs::read(folder.join("structural/rows.csv.gz")).unwrap();
    assert_eq!(bytes(a.path()), bytes(b.path()));
    let read = StructuralRecord::read(&a.path().join("structural")).unwrap();
    assert_eq!(read, straight);
    // One target without an evolved network, one with: dense, magnitude, sp at one count.
    let arms: Vec<Vec<&str>> = read.rows.iter().map(|row| names(of(row))).collect();
    let trained = vec!["dense", "magnitude", "sp"];
    assert_eq!(arms, [trained.clone(), vec!["evolved"], trained]);
    let evolved = &of(&read.rows[1])[0];
    assert!(evolved.fit() && evolved.r2 > 0.9999, "its own picture");
    assert_eq!(evolved.parts.len(), 3);
    let own: Vec<_> = of(&read.rows[0]).iter().filter(|a| a.penalty.is_none()).collect();
    let [dense, magnitude, sp] = own[..] else {
        panic!("three arms");
    };
    assert_eq!(dense.kept, 1392);
    // The same budget, less what is then on no path.
    assert!(magnitude.kept <= 487 && sp.kept <= 487, "{} {}", magnitude.kept, sp.kept);
    for f in FIGURES.iter().filter(|f| f.studies == ["structural"]) {
        let drawing = (f.draw)(&Sources::new(a.path())).unwrap();
        assert!(drawing.svg.starts_with("<svg"), "{}", f.name);
    }
    // Every network with masks at five penalties.
    assert_eq!(penalties(&read), [0.0005, 0.008, 0.02, 0.05]);
}

fn of(row: &StructuralRow) -> &[ArmOutcome] {
    &row.result.as_ref().unwrap().arms
}

fn names(arms: &[ArmOutcome]) -> Vec<&str> {
    arms.iter().filter(|a| a.penalty.is_none()).map(|a| a.arm.as_str()).collect()
}

/// The committed record with three targets and three seeds, and these SC, control and R² by arm, in two parts.
fn made_up(arms: &[(&str, f64, f64, f64)]) -> StructuralRecord {
    let mut record = StructuralRecord::read(&root().join("figures/structural")).unwrap();
    let template = record.rows.iter().find(|row| of(row).iter().any(|arm| arm.arm == "dense"));
    let template = template.unwrap().clone();
    let dense = of(&template).iter().find(|arm| arm.arm == "dense").unwrap();
    record.rows.clear();
    for (target, seed) in ["a", "b", "c"].into_iter().flat_map(|t| [0, 1, 2].map(|seed| (t, seed)))
    {
        // A little spread of the first arm, so that intervals have a width.
        let wobble = 0.01 * (seed as f64 - 1.0);
        let arms = arms.iter().zip([wobble, 0.0]).map(|(&(arm, sc, control, r2), more)| {
            let part = PartOutcome { d_sub: sc, d_abl: -sc, control, ..dense.parts[0].clone() };
            let (arm, sc, parts) = (arm.into(), sc + more, vec![part; 2]);
            ArmOutcome { arm, penalty: None, r2, sc, control, parts, ..dense.clone() }
        });
        let mut row = template.clone();
        (row.key.target, row.key.seed) = (target.into(), seed);
        row.result = Some(Measured { arms: arms.collect() });
        record.rows.push(row);
    }
    record
}

#[test]
fn the_rules_say_yes_no_and_do_not_know() {
    let yes = parts_are_ablatable(&made_up(&[("dense", 0.4, 0.1, 0.99)]));
    assert_eq!((yes.verdict, yes.units), (Verdict::Supported, 9));
    assert!((yes.effect.unwrap() - 0.3).abs() < 1e-12);
    // Above the control, but the parts have the wrong signs.
    let no = parts_are_ablatable(&made_up(&[("dense", -0.2, -0.5, 0.99)]));
    assert_eq!(no.verdict, Verdict::NotSupported);
    // Not above the control.
    let no = parts_are_ablatable(&made_up(&[("dense", 0.1, 0.4, 0.99)]));
    assert_eq!(no.verdict, Verdict::NotSupported);
    // Unfit networks do not count.
    let unfit = parts_are_ablatable(&made_up(&[("dense", 0.4, 0.1, 0.9)]));
    assert_eq!((unfit.verdict, unfit.units), (Verdict::Inconclusive, 0));
    // Two targets are too few.
    let mut few = made_up(&[("dense", 0.4, 0.1, 0.99)]);
    few.rows.retain(|row| row.target != "c");
    assert_eq!(parts_are_ablatable(&few).verdict, Verdict::Inconclusive);
}

#[test]
fn a_verdict_that_another_penalty_turns_round_is_none() {
    let yes = || made_up(&[("dense", 0.4, 0.1, 0.99)]);
    assert_eq!(at_every_penalty(&yes()), parts_are_ablatable(&yes()), "without other penalties");
    let with = |other: StructuralRecord| {
        let mut record = yes();
        for (row, other) in record.rows.iter_mut().zip(other.rows) {
            let arms = other.result.unwrap().arms.into_iter();
            row.result
                .as_mut()
                .unwrap()
                .arms
                .extend(arms.map(|arm| ArmOutcome { penalty: Some(0.1), ..arm }));
        }
        at_every_penalty(&record)
    };
    let same = with(yes());
    assert_eq!((same.verdict, same.units), (Verdict::Supported, 9));
    assert!(same.notes.last().unwrap().contains("no other λ of 1"), "{:?}", same.notes);
    let turned = with(made_up(&[("dense", -0.2, -0.5, 0.99)]));
    assert_eq!((turned.verdict, turned.units), (Verdict::Inconclusive, 9));
    assert!(turned.notes.last().unwrap().contains("λ = 0.1"), "{:?}", turned.notes);
    // One that decides nothing turns nothing round.
    assert_eq!(with(made_up(&[("dense", 0.4, 0.1, 0.5)])).verdict, Verdict::Supported);
}

#[test]
fn sp_is_compared_in_pairs_that_are_both_fit() {
    let mut record = made_up(&[("dense", 0.2, 0.1, 0.99), ("sp", 0.5, 0.1, 0.99)]);
    let better = sp_against(&record, "dense");
    assert_eq!((better.verdict, better.units), (Verdict::Supported, 9));
    assert!((better.effect.unwrap() - 0.3).abs() < 1e-12);
    record.rows[0].result.as_mut().unwrap().arms[1].r2 = 0.5;
    assert_eq!(sp_against(&record, "dense").units, 8);
    let same = made_up(&[("dense", 0.2, 0.1, 0.99), ("sp", 0.2, 0.1, 0.99)]);
    assert_eq!(sp_against(&same, "dense").verdict, Verdict::NotSupported);
    assert_eq!(sp_against(&same, "magnitude").verdict, Verdict::Inconclusive);
}
