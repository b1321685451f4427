//! The theory as a study: a damaged cell is refused, and its committed record is decided.

use crate::root;
use picloom::study::Record;
use picloom::study::cells::{CellStudy, run_cells};
use picloom::study::record::RecordError;
use picloom::study::spec::SpecError;
use picloom_experiments::finding::Verdict;
use picloom_experiments::theory::findings::{agreement, parts_sensitivity};
use picloom_experiments::theory::record::{meetings, peaks};
use picloom_experiments::theory::{TheoryCell, TheoryRecord, TheoryStudy};
use picloom_experiments::volume::sensitivity::Volume;
use std::path::Path;

/// The smoke profile, with few samples: a debug build is slow.
fn smoke() -> TheoryStudy {
    let study = TheoryStudy::read(&root().join("experiments/theory.toml"), Some("smoke")).unwrap();
    study.with(|spec| {
        spec.random_mask.samples = 50;
        spec.agreement.samples = 400;
        (spec.sensitivity.samples, spec.sensitivity.rare_samples) = (100, 100);
        spec.budget[0].samples = 300;
    })
}

#[test]
fn what_another_cell_left_and_a_curve_with_gaps_are_refused() {
    let study = smoke().with(|spec| {
        spec.random_mask.widths = vec![3];
        spec.agreement.widths = vec![2];
        spec.sensitivity.volumes.truncate(1);
    });
    let folder = tempfile::tempdir().unwrap();
    run_cells(&study, folder.path(), &mut ()).unwrap().unwrap();
    let cell = study.cells().find(|c| matches!(**c, TheoryCell::Meeting { .. })).unwrap();
    let path = folder.path().join("theory/cells").join(format!("{}.json", study.id(&cell)));
    // What another cell left, and a curve with gaps.
    let other = study.cells().find(|c| matches!(**c, TheoryCell::Curve { .. })).unwrap();
    let other = path.with_file_name(format!("{}.json", study.id(&other)));
    let read = |path: &Path| -> serde_json::Value {
        serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
    };
    let (meeting, curve) = (read(&path), read(&other));
    let mut gaps = curve.clone();
    gaps["outcome"]["value"].as_array_mut().unwrap().pop();
    let mut swapped = meeting.clone();
    swapped["outcome"] = curve["outcome"].clone();
    for (path, whole, wrong) in
        [(&path, &meeting, swapped), (&other, &curve, gaps), (&path, &meeting, curve.clone())]
    {
        std::fs::write(path, wrong.to_string()).unwrap();
        let error = run_cells(&study, folder.path(), &mut ()).unwrap_err();
        assert!(matches!(&error, RecordError::Damaged { path: at, .. } if at == path), "{error}");
        std::fs::write(path, whole.to_string()).unwrap();
    }
    run_cells(&study, folder.path(), &mut ()).unwrap().unwrap();
}

#[test]
fn values_out_of_their_range_and_unknown_keys_are_refused() {
    let text = std::fs::read_to_string(root().join("experiments/theory.toml")).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.toml");
    for (from, to, found) in [
        ("degree = 1.5\nsamples", "degre = 1.5\nsamples", "`degre`"),
        (
            "densities = [0.15, 0.3, 0.5]",
            "densities = [2.0]",
            "expected shares in (0, 1], at least one and each once, found 2.0",
        ),
        ("samples = 10000", "samples = 0", "expected a number of at least 1, found 0"),
        (
            "widths = [8]",
            "widths = []",
            "expected numbers of at least 1, at least one and each once, found none",
        ),
    ] {
        std::fs::write(&path, text.replacen(from, to, 1)).unwrap();
        let error = TheoryStudy::read(&path, None).unwrap_err();
        let SpecError::Toml { problem, .. } = error else { panic!("{error}") };
        assert!(problem.contains(found), "{problem}");
    }
}

#[test]
fn the_committed_record_holds_the_values_of_the_methods_page_and_the_peak_of_the_budget() {
    let record = TheoryRecord::read(&root().join("figures/theory")).unwrap();
    assert!(record.rows.iter().all(|row| row.error.is_none()));
    for (row, values) in meetings(&record) {
        let Some(methods) = row.methods else { continue };
        let exact = values.exact.unwrap();
        if let Some(expected) = methods.expected {
            let found = picloom::base::real::exp(values.ln_expected);
            assert!((found - expected).abs() < 5e-7, "{methods:?}: {found}");
        }
        if methods.approximate {
            // Sampled in METHODS: near, and corrected by the exact value.
            assert!((methods.probability / exact - 1.0).abs() < 0.2, "{exact}");
        } else {
            assert!((methods.probability - exact).abs() < 5e-7, "{exact}");
        }
        assert!(values.direct.probability.low <= exact * 1.00001);
    }
    let budget = peaks(&record, "budget").find(|(row, ..)| {
        row.volume == Volume::Budget { edges: 60 } && (row.width, row.parts) == (8, 2)
    });
    let peak = budget.unwrap().2;
    assert!([4, 5].contains(&peak.layers), "{peak:?}");
    assert!(parts_sensitivity(&record).effect.is_some());
    assert_ne!(agreement(&record).verdict, Verdict::NotSupported);
}
