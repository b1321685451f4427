//! The ledger as a forest plot: what stands first, and on which axis.

use crate::{drawn, root, words};
use picloom_experiments::claims::{ClaimRow, Ledger};
use picloom_experiments::figures::Sources;

fn ledger() -> Ledger {
    Ledger::read(&root().join("figures/claims.json")).unwrap()
}

/// Every text of the figure, in order.
fn texts() -> Vec<String> {
    words(&drawn("claims", &Sources::new(root().join("figures"))).svg)
}

/// Lines of one text, joined.
fn joined(lines: &[String]) -> String {
    lines.join(" ").replace("- ", "-")
}

#[test]
fn what_does_not_hold_comes_first_also_where_only_a_note_says_it() {
    let (ledger, texts) = (ledger(), texts());
    // What stands after the words and the verdict of a claim, where it comes first.
    let first = |id: &str| {
        let claim = ledger.claims.iter().find(|c| c.text.id == id).unwrap();
        let at = texts.iter().position(|text| text == id).unwrap();
        let verdict = texts[at..].iter().position(|text| text == claim.word()).unwrap();
        joined(&texts[at + verdict + 1..])
    };
    assert!(first("C7").starts_with("SP, offset 0 − offset −3 or 3 "), "{}", first("C7"));
    // Its interval holds .95, but one estimate lies too far off.
    assert!(first("C8").starts_with("share of Monte Carlo"), "{}", first("C8"));
    let noted = first("C13");
    assert!(noted.starts_with("34 of 108 parts"), "{noted}");
    let (_, numbers) = noted.split_once("0.31 [0.23, 0.41]").unwrap();
    assert!(!numbers.is_empty());
    // It is not asked where C5 does not hold: a note stands there.
    let c6 = ledger.claims.iter().find(|c| c.text.id == "C6").unwrap();
    let note = c6.notes.first().unwrap().split(' ').take(4).collect::<Vec<_>>().join(" ");
    assert!(first("C6").starts_with(&note), "{}", first("C6"));
}

#[test]
fn every_effect_is_drawn_once_and_a_claims_half_that_does_not_hold_above_the_other() {
    let (ledger, texts) = (ledger(), texts());
    // `0.12 [0.03, 0.21]`, or what stands in its place; one half is in a note only.
    let is_value = |text: &&String| {
        text.ends_with(']') && text.contains(" [") && !text.contains(": ")
            || text.ends_with(" (one target)")
            || *text == "no data"
    };
    let of = |claim: &ClaimRow| claim.effects().count() + claim.found().count();
    let wanted = ledger.claims.iter().map(of).sum::<usize>() + 1;
    assert_eq!(texts.iter().filter(is_value).count(), wanted, "{texts:#?}");
    let all = joined(&texts);
    for found in ledger.claims.iter().flat_map(ClaimRow::found) {
        assert!(all.contains(&found.finding.statistic), "whole: {}", found.finding.statistic);
    }
    // Of the claims whose halves are of two kinds.
    let at = |title: &str| texts.iter().rposition(|text| text.starts_with(title)).unwrap();
    assert!(at("difference of decoded R²") < at("difference of compositional scores"));
    assert!(at("share of parts") < at("separability (SC)"));
}
