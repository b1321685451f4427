//! The regime map of one picture.

use crate::commands::root;
use picloom::experiment::networks::NetworksRecord;
use picloom::figures::networks::regime_map_of;
use picloom::study::Record;

#[test]
fn a_map_in_which_nothing_counts_is_grey_and_says_so() {
    let mut map = NetworksRecord::read(&root().join("figures/regime")).unwrap();
    let arms = ["dense", "sp", "layer-counts"];
    map.rows.retain(|row| row.target == "eye" && arms.contains(&row.arm.as_str()));
    let fits = |map: &mut NetworksRecord, fit: &dyn Fn(&str, usize) -> bool| {
        for row in &mut map.rows {
            let fit = fit(&row.arm, row.level);
            row.result.as_mut().unwrap().fit = fit;
        }
    };
    let cells = |svg: &str, colour: &str| svg.matches(colour).count();
    fits(&mut map, &|_, _| true);
    let all = regime_map_of(&map).unwrap();
    assert!(all.svg.contains("Outlined: the highest score") && all.svg.contains(">score<"));
    for text in ["no result", "Hatched grey", "the evolved network"] {
        assert!(!all.svg.contains(text), "{text} does not occur");
    }
    fits(&mut map, &|_, _| false);
    let none = regime_map_of(&map).unwrap();
    assert!(none.svg.contains("Compositional score by depth and kept share: no result"));
    assert!(none.svg.contains("Hatched grey: no network there learned the picture"));
    for text in ["Outlined", "Bars:", "Numbers:", ">score<"] {
        assert!(!none.svg.contains(text), "{text} does not occur");
    }
    assert_eq!(none.says, "No network learned its picture, so nothing counts.");
    // Numbers are of networks that learned the picture: those of the pruned ones are gone.
    fits(&mut map, &|arm, _| arm == "dense");
    let some = regime_map_of(&map).unwrap();
    assert!(some.svg.contains("Hatched grey") && some.svg.contains("Outlined"));
    let numbers = |drawing: &str| cells(drawing, ">0.");
    assert!(numbers(&some.svg) < numbers(&all.svg), "unfit cells have no number");
    assert!(numbers(&none.svg) == 0, "nothing that counts, no number: {}", numbers(&none.svg));
}
