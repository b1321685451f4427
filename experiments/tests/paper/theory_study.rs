//! The theory as a study: its committed record.

use crate::finding::Verdict;
use crate::paper::root;
use crate::theory::TheoryRecord;
use crate::theory::findings::{agreement, parts_sensitivity};
use crate::theory::record::{meetings, peaks};
use crate::volume::sensitivity::Volume;
use picloom::study::Record;

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
