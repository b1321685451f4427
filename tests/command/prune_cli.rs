//! `picloom prune` as scripts use it: the folder of a round as `docs/PRUNING.md` has it, the pictures of a round,
//! weights without a run, and what arms share.

use crate::cases::cases;
use crate::line::Place;
use crate::said::assert_says;

cases! {
    prune_cli:
    #[ignore = "slow: cargo test -- --include-ignored"]
    the_folder_of_a_round_holds_what_the_page_says,
    weights_without_a_run_are_pruned_as_the_run_they_are_from,
    weights_of_removed_links_are_not_there,
    arms_end_at_the_same_fit_when_asked,
}

#[test]
fn the_picture_of_a_change_counts_what_went_and_what_stayed() {
    let place = Place::new();
    place.done("train --genome mask --target mask --size 16 --seed 1 --steps 120 --out dense");
    let summary = place.json("prune dense --budget 400 --steps 5 --out sp");
    assert_eq!(summary["rounds"][0]["removed"], 367);
    let svg = place.text("sp/images/change.svg");
    assert_says(&svg, &["367 of 767 links removed", "367 removed", "400 kept"]);
    let group = |colour: &str| -> usize {
        let start = svg.find(&format!("<g fill=\"none\" stroke=\"{colour}\"")).unwrap();
        let start = start + svg[start..].find("stroke-opacity").unwrap();
        let end = svg[start..].find("</g>").unwrap();
        svg[start..start + end].matches("<path ").count()
    };
    assert_eq!((group("#f0a096"), group("#464e58")), (367, 400));
    // The wiring shows what is alive.
    let alive = summary["rounds"][0]["alive"].as_u64().unwrap() as usize;
    let svg = place.text("sp/images/wiring.svg");
    let curves = svg.lines().filter(|l| l.starts_with("<path d=\"M") && l.contains('C'));
    assert_eq!(curves.count(), alive);
    assert!(svg.contains("400 of 767 links kept"));
}
