//! The gate on its committed table: a fault planted in a measure is seen.

use picloom::base::table::Table;
use picloom::study::contrast::{Found, Verdict, contrast};
use picloom::study::spec::read_analysis;
use std::path::Path;

/// The answers to a contrast of the gate over a table.
fn asked(table: &Table, id: &str) -> Vec<Found> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let all = read_analysis(&root.join("experiments/gate.toml")).unwrap().contrasts;
    contrast(table, all.iter().find(|one| one.id == id).unwrap()).unwrap()
}

/// The table with a column changed in the rows of one arm.
fn spoiled(table: &Table, arm: &str, column: &str, change: impl Fn(f64) -> f64) -> Table {
    let mut other = Table::new(table.columns().iter().map(|column| column.name()));
    let arms = table.column("arm").unwrap();
    for row in 0..table.len() {
        let cell = |of: &picloom::base::table::Column| match of.number(row) {
            Some(value) if of.name() == column && arms.text(row) == arm => {
                change(value).to_string()
            }
            _ => of.text(row).to_string(),
        };
        other.push(&table.columns().iter().map(cell).collect::<Vec<_>>());
    }
    other
}

#[test]
fn a_fault_planted_in_a_measure_turns_its_gate_red() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("figures/gate/rows.csv.gz");
    let table = Table::read(&path).unwrap();
    let verdict = |table: &Table, id: &str| asked(table, id)[0].verdict;
    // A measure that is a little lower where relays are only written twice is not invariant.
    let id = "G1-duplicated.disentanglement";
    assert_eq!(verdict(&table, id), Verdict::Supported);
    let faulty = spoiled(&table, "duplicated", "disentanglement", |value| 0.85 * value);
    assert_ne!(verdict(&faulty, id), Verdict::Supported);
    // One that entanglement does not touch does not fall with it.
    let id = "G2-mixed-45.disentanglement";
    assert_eq!(verdict(&table, id), Verdict::Supported);
    let faulty = spoiled(&table, "mixed-45", "disentanglement", |value| 1.3 * value);
    assert_ne!(verdict(&faulty, id), Verdict::Supported);
}
