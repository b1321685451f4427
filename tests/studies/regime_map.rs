//! The regime map of one picture: the command, and the place that it recommends.

use crate::commands::{json, root};
use picloom::experiment::Record;
use picloom::experiment::networks::spec::Variances;
use picloom::experiment::networks::{NetworksRecord, Scored};
use picloom::experiment::regime::own::recommend;
use picloom::figures::networks::regime_map_of;
use picloom::math::SimRng;
use std::path::Path;

#[test]
fn the_command_answers_in_json_and_the_same_line_finds_what_is_there() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().to_str().unwrap();
    let map = ["regime", "experiments/targets/cat.png", "--profile", "smoke", "--out", out];
    let first = json(&map);
    for file in first["figure"].as_array().unwrap() {
        crate::whole::assert_whole(Path::new(file.as_str().unwrap()));
    }
    assert!(first.get("recommended").is_some() && first["failed"] == 0, "{first}");
    // The second time nothing is left to be done.
    let mut again = json(&map);
    assert_eq!((&first["done"], &again["done"]), (&3.into(), &0.into()));
    again["done"] = 3.into();
    assert_eq!(first, again);
}

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

/// A target's map in which every network learned its picture and has this score: of depth, level and seed.
fn with_scores(
    map: &NetworksRecord,
    score: &mut dyn FnMut(i64, usize, u64) -> f64,
) -> NetworksRecord {
    let mut map = map.clone();
    for row in &mut map.rows {
        let Some((result, seed)) = row.result.as_mut().zip(row.seed) else { continue };
        let score = score(row.offset, row.level, seed);
        result.fit = true;
        result.score = Some(Scored { score, low: None, high: None });
    }
    map
}

#[test]
fn the_best_place_of_a_map_is_tried_on_seeds_that_did_not_choose_it() {
    let mut map = NetworksRecord::read(&root().join("figures/regime")).unwrap();
    let arms = ["dense", "sp", "layer-counts"];
    map.rows.retain(|row| row.target == "eye" && arms.contains(&row.arm.as_str()));
    let variances = Variances { judge: 0.05, ..Variances::default() };
    let (maps, mut beats, mut flattery, mut finds) = (100, 0, 0.0, 0);
    for k in 0..maps {
        let mut rng = SimRng::new(k, "test", 0);
        // All places alike: the chosen one beats the dense network on the seeds of the choice, not on others.
        let alike = with_scores(&map, &mut |_, _, _| 0.5 + 0.125 * rng.normal());
        let found = recommend(&alike, &variances).unwrap();
        beats += u32::from(found.over_dense.unwrap().low > 0.0);
        flattery += found.chosen_over_dense / maps as f64;
        // One that is better by .3.
        let better = with_scores(&map, &mut |offset, level, _| {
            let effect = if (offset, level) == (1, 3) { 0.3 } else { 0.0 };
            0.5 + effect + 0.125 * rng.normal()
        });
        let found = recommend(&better, &variances).unwrap();
        finds += u32::from(found.over_dense.unwrap().low > 0.0);
    }
    assert!(beats <= 6, "{beats} of {maps}");
    assert!(flattery > 0.08, "{flattery}");
    assert!(finds >= 75, "{finds} of {maps}");
    // One seed says nothing about another.
    map.rows.retain(|row| row.seed == Some(0));
    let one = with_scores(&map, &mut |offset, _, _| 0.5 + 0.01 * offset as f64);
    let found = recommend(&one, &variances).unwrap();
    assert!(found.over_dense.is_none() && found.over_random.is_none());
    assert!(found.text().contains("one seed cannot say"), "{}", found.text());
}
