//! The theory as a study: its settings, and its committed record.

use crate::finding::Verdict;
use crate::paper::root;
use crate::theory::findings::{agreement, parts_sensitivity};
use crate::theory::record::{meetings, peaks};
use crate::theory::{Theory, TheoryRecord};
use crate::volume::sensitivity::Volume;
use picloom::study::Record;
use picloom::study::grid::GridStudy;
use picloom::study::spec::SpecError;

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
        let error = GridStudy::<Theory>::read(&path, None).unwrap_err();
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
