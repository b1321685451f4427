//! The command line as scripts use it: genomes, a network from its training to its pictures, timings.

use crate::cases::cases;
use crate::line::{Place, assert_has, list};
use serde_json::json;

cases! {
    cli:
    a_good_xml_is_read_whatever_the_branch_says,
    genomes_convert_there_and_back,
    a_run_can_be_trained_pruned_scored_drawn_and_is_never_made_twice,
    random_directions_are_drawn_and_sorted,
}

#[test]
fn steps_pictures_and_scores_are_timed_case_by_case() {
    let place = Place::new();
    for (what, more, cases) in [
        ("step", "--seconds 0.05", 7),
        ("render", "--seconds 0.05", 7),
        ("score", "--samples 4 --compared 2", 2),
    ] {
        let line = format!("bench {what} --size 8 --threads 2 {more}");
        let timed = place.json(&line);
        assert_has(&timed, json!({ "what": what, "threads": 2 }));
        let timings = list(&timed["timings"]);
        assert_eq!(timings.len(), cases, "{timed}");
        // Of a random mask a part leads nowhere.
        let random = timings.iter().find(|t| t["case"] == "mask-473");
        assert!(random.is_none_or(|t| t["kept"] == 473 && t["alive"] == 183), "{timed}");
        let table = place.done(&line).out;
        for t in timings {
            let seconds = ["median_ms", "sweep_s"].into_iter().find_map(|key| t[key].as_f64());
            assert!(seconds > Some(0.0) && table.contains(t["case"].as_str().unwrap()), "{table}");
        }
    }
}
