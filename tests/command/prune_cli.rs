//! `picloom prune` as scripts use it: the folder of a round as `docs/PRUNING.md` has it, the pictures of a round,
//! weights without a run, and what arms share.

use crate::line::Place;
use crate::said::assert_says;

const GIVEN: &str =
    "prune --arch 5;cache:5,gaussian:4,identity:2,sigmoid:2 --target mask --size 16";
const TRAIN: &str = "train --genome mask --target mask --size 16 --seed 1";

/// A folder with a run of the genome `mask` in `dense`.
fn dense() -> Place {
    let place = Place::new();
    let result = place.json(&format!("{TRAIN} --steps 120 --out dense"));
    assert_eq!(result["links"], 767);
    place
}

/// `tests/tour/run` runs the commands of docs/PRUNING.md; this is what it says of a round's folder.
#[test]
#[ignore = "slow: cargo test -- --include-ignored"]
fn the_folder_of_a_round_holds_what_the_page_says() {
    let place = dense();
    place.done("prune dense --method sp:weighted=false --threshold 0.35,0.75 --steps 20 --out sp");
    place.done("prune dense --method swarm:particles=4,moves=3 --match sp --steps 20 --out swarm");
    place.done("prune dense --budget 300 --steps 1 --no-pictures --out plain");
    for folder in ["sp/round-1", "sp", "swarm"] {
        let run = "config.toml metrics.jsonl result.json mask.json weights.safetensors";
        place.whole(folder, &format!("{run} start.safetensors pruning.json"));
        let pictures = "wiring.svg wiring.png change.svg change.png maps-before.png maps-after.png";
        place.whole(&format!("{folder}/images"), pictures);
    }
    assert!(!place.at("plain/images/wiring.png").exists());
}

#[test]
fn the_picture_of_a_change_counts_what_went_and_what_stayed() {
    let place = dense();
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

#[test]
fn weights_without_a_run_are_pruned_as_the_run_they_are_from() {
    let place = dense();
    let same = |given: &str, plan: &str, files: &[&str]| {
        let weights = "--params dense/weights.safetensors --no-pictures";
        place.done(&format!("{GIVEN} {weights} {given} {plan} --out {}-given", files[0]));
        place.done(&format!("prune dense --no-pictures {plan} --out {}-run", files[0]));
        for file in files {
            let of = |from: &str| place.bytes(&format!("{}-{from}/{file}", files[0]));
            assert_eq!(of("given"), of("run"), "{plan}: {file}");
        }
    };
    same("", "--budget 300 --steps 10", &["mask.json", "weights.safetensors"]);
    // A mask of the run, and the first weights, from which rewinding is the same.
    place.done(&format!("{TRAIN} --steps 0 --out first"));
    let initial = "--initial first/weights.safetensors --mask dense/mask.json";
    same(initial, "--method imp --budget 700 --steps 10", &["weights.safetensors"]);
}

#[test]
fn weights_of_removed_links_are_not_there() {
    let place = dense();
    place.done("prune dense --budget 300 --steps 1 --out half");
    let given = |params: &str| {
        let more = "--mask half/mask.json --budget 200 --steps 0 --no-pictures";
        place.done(&format!(
            "{GIVEN} {more} --params {params}/weights.safetensors --out of-{params}"
        ));
        place.bytes(&format!("of-{params}/weights.safetensors"))
    };
    // The retrained weights of what is kept; those of the dense network are not 0 where it was pruned.
    place.done("prune dense --budget 300 --steps 0 --out masked");
    assert_eq!(given("masked"), given("dense"));
}

#[test]
fn arms_end_at_the_same_fit_when_asked() {
    let place = Place::new();
    let face = "--target ROOT/experiments/targets/face.png --size 16";
    place.done(&format!("train --arch 3;cache:6,gaussian:4,sin:4 {face} --steps 200 --out dense"));
    for method in ["magnitude", "sp", "sparse-training", "imp"] {
        let aim = "--budget 250 --steps 4000 --target-loss 0.015 --no-pictures";
        let summary = place.json(&format!("prune dense --method {method} {aim} --out {method}"));
        let train = &place.record(&format!("{method}/result.json"))["train"];
        assert_eq!(train["reason"], "target-loss", "{method}");
        assert!(summary["final_loss"].as_f64().unwrap() <= 0.015, "{method}");
        assert!(train["steps"].as_u64().unwrap() < 4000, "{method}");
    }
}
