//! `picloom contrast`, `experiment decide`, `figures`, `new` and `power`: what they say of tables.

use crate::line::{Place, list};
use crate::said::assert_says;
use picloom::base::table::Table;
use serde_json::Value;

fn near(found: &Value, wanted: [f64; 3]) {
    for (key, wanted) in ["estimate", "low", "high"].into_iter().zip(wanted) {
        let found = found[key].as_f64().unwrap();
        assert!((found - wanted).abs() < 5e-4, "{key}: {found}, not {wanted}");
    }
}

#[test]
fn a_contrast_of_the_committed_map_is_the_ledgers() {
    let place = Place::new();
    let line = "contrast ROOT/figures/regime/rows.csv.gz --of score --between arm=sp,arm=random";
    let said = place.done(&format!("{line} --pair target,seed,level --json"));
    let found = said.json();
    let first = &found["found"][0];
    assert_eq!(first["basis"], "equal-fit");
    near(first, [-0.022, -0.068, 0.024]);
    let finished = list(&found["found"]).iter().find(|f| f["basis"] == "finished");
    near(finished.unwrap(), [0.054, 0.008, 0.099]);
    // The study beside the table says which rows and bases; options change that.
    assert!(said.error.contains("as the study says"), "{said:?}");
    let line = "contrast ROOT/figures/wirings/rows.csv.gz --between arm=evolved,arm=dense";
    near(&place.json(line)["found"][0], [0.625, 0.424, 0.826]);
}

#[test]
fn a_new_study_is_run_decided_drawn_and_powered_without_code() {
    let place = Place::new();
    let says = |line: &str| {
        let said = place.done(line);
        said.out + &said.error
    };
    assert!(says("experiment new links.toml").contains("experiment run links.toml"));
    // On two cores as it is: less than a minute.
    let planned = place.json("experiment run links.toml --dry-run");
    assert!(planned["core_seconds"].as_f64().unwrap() < 120.0, "{planned}");
    says("experiment run links.toml --profile smoke");
    assert_eq!(place.record("runs/smoke/links/study.json")["profile"], "smoke");
    let decided = says("experiment decide links.toml --profile smoke");
    assert_says(&decided, &["fewer-links: ", "verdicts.json", "decay: "]);
    says("experiment figures links.toml --profile smoke");
    let figures = "score-by-arm.svg score-by-links.svg score-by-links.pdf losses.svg effects.svg";
    place.whole("runs/smoke/links", figures);
    let said = says("experiment report links.toml --profile smoke");
    assert_says(&said, &["runs/smoke/links/report.html"]);
    let page = place.text("runs/smoke/links/report.html");
    assert_says(&page, &["What was decided", "<svg", "picloom experiment report links.toml"]);
    assert_says(&page, &["hidden layers and units", "The trainings took"]);
    assert!(!page.contains("src=\"http") && !page.contains(">0.000<"));
    let other = "experiment decide links.toml --profile full --results runs/smoke";
    place.refused(other, 2, &["expected a result of profile full, found one of smoke"]);
    // A spec that asks for no figures has the usual ones.
    let text = place.text("links.toml");
    let (head, _) = text.split_once("[figure_defaults]").unwrap();
    place.write("plain.toml", head);
    let drawn = says("experiment figures plain.toml --profile smoke --out usual --format pdf");
    for name in ["score-by-arm", "score-by-links", "fit-by-arm", "losses", "effects"] {
        assert!(place.bytes(&format!("usual/{name}.pdf")).starts_with(b"%PDF"), "{name}: {drawn}");
    }
    says("experiment report plain.toml --profile smoke --out plain.html");
    assert!(place.text("plain.html").contains("<svg"));
    // What a smoke run varies by is no pilot.
    let powered =
        says("experiment power links.toml --profile smoke --units 6 --seeds 3 --effects 0,0.1");
    assert!(powered.contains("rows.csv.gz is of profile smoke"), "{powered}");
    // What was run stands beside what came out, and in the report.
    let beside = |file: &str| place.record(&format!("runs/smoke/links/{file}"));
    let made = &beside("study.json")["made"];
    assert_eq!(made["spec"]["kind"], "networks", "{made}");
    for key in ["seeds", "arms", "arch", "train", "optimizer"] {
        assert!(!made[key].is_null(), "{key}: {made}");
    }
    assert!(made["judge"]["trained_on"][0]["coherent"].as_u64() > Some(100), "{made}");
    assert!(beside("machine.json")["seconds"].as_f64().unwrap() > 0.0);
    // A row leads to its run.
    let rows = Table::read(&place.at("runs/smoke/links/rows.csv.gz")).unwrap();
    let paths = rows.column("path").unwrap();
    for row in (0..rows.len()).filter(|row| !paths.text(*row).is_empty()) {
        let run = place.at("runs/smoke/links").join(paths.text(row));
        assert!(run.join("result.json").exists(), "{}", run.display());
    }
    let planned = says("experiment run links.toml --profile smoke --dry-run");
    assert!(planned.contains(", 0 networks to train"), "{planned}");
    // So is what the result was not made with, and rules that were changed after the run are told.
    let changed = |from: &str, to: &str| {
        assert!(text.contains(from), "{from}");
        place.write("links.toml", text.replace(from, to));
        says("experiment decide links.toml --profile smoke")
    };
    for (from, to, spec, rules) in [
        ("lr = 0.002", "lr = 0.002", false, false),
        ("lr = 0.002", "lr = 0.001", true, false),
        ("margin = 0.05", "margin = 0.2", false, true),
    ] {
        let told = changed(from, to);
        let is_told = |what: &str| told.contains(what);
        assert_eq!(is_told("the spec has changed since this result was made"), spec, "{told}");
        assert_eq!(is_told("changed after the first run"), rules, "{told}");
    }
}

#[test]
fn a_new_study_has_names_that_run_whatever_its_files_are_called() {
    let place = Place::new();
    let face = std::fs::read("experiments/targets/face.png").unwrap();
    let long = format!("{}.png", "long".repeat(50));
    let files = ["кот.png", "пёс.png", "Cat!.png", "cat?.png", &long];
    files.iter().for_each(|file| place.write(file, &face));
    place.done(&format!("experiment new n.toml --targets {} bred_cat", files.join(" ")));
    let spec = place.text("n.toml");
    let names = ["target", "target_2", "cat_", "cat__2", "bred_cat"];
    names.iter().for_each(|name| assert_says(&spec, &[&format!("name = \"{name}\"")]));
    place.done("experiment run n.toml --dry-run");
}

#[test]
fn before_a_run_power_is_simulated_as_the_spec_assumes() {
    let place = Place::new();
    place.done("experiment new links.toml --targets bred_moth bred_cat");
    let power = |units: usize| {
        let line = "experiment power links.toml --contrast fewer-links --seeds 3 --effects 0,0.2";
        let found = place.json(&format!("{line} --units {units}"));
        [0, 1].map(|i| found["power"][i]["power"]["supported"].as_f64().unwrap())
    };
    let ([none, few], [_, many]) = (power(4), power(40));
    assert!(none < 0.2 && few < many && many > 0.8, "{none} {few} {many}");
}

/// A table of four pictures, two arms and three seeds: of each what `ends` says of its arm and seed.
fn table(header: &str, ends: impl Fn(&str, usize) -> Vec<String>) -> String {
    let mut text = format!("{header}\n");
    for target in ["a", "b", "c", "d"] {
        for (arm, seed) in ["sp", "random"].into_iter().flat_map(|arm| [0, 1, 2].map(|s| (arm, s)))
        {
            let rows = ends(arm, seed);
            rows.iter().for_each(|end| text += &format!("{target},{arm},{seed},{end}\n"));
        }
    }
    text
}

#[test]
fn a_truth_value_is_one_value_however_it_is_written() {
    let place = Place::new();
    let found = [["true", "false"], ["True", "False"], ["TRUE", "FALSE"], ["1.0", "0.0"]].map(
        |[yes, no]| {
            let row = |arm: &str, seed: usize| {
                let score = if arm == "sp" { 0.7 } else { 0.4 } + seed as f64 / 50.0;
                vec![format!("{},{score}", if seed == 2 { no } else { yes })]
            };
            place.write("t.csv", table("target,arm,seed,fit,score", row));
            let line = "contrast t.csv --between arm=sp,arm=random --where fit=TRUE";
            place.json(line)["found"].clone()
        },
    );
    assert_eq!(found[0][0]["pairs"], 8);
    assert!(found.iter().all(|one| *one == found[0]), "{found:?}");
}

/// What a table cannot answer stands in `tests/golden/messages.txt`; averaged by name, or one of them chosen, two rows
/// are answered.
#[test]
fn rows_that_differ_in_a_column_are_averaged_or_chosen() {
    let place = Place::new();
    let row = |_: &str, _: usize| vec!["adam,.5".into(), "sgd,.5".into()];
    place.write("t.csv", table("target,arm,seed,optimizer,score", row));
    for choice in ["--average optimizer", "--where optimizer=adam", "--pair target,seed,optimizer"]
    {
        let said = place.done(&format!("contrast t.csv --between arm=sp,arm=random {choice}"));
        assert!(said.out.contains("4 units, "), "{said:?}");
        assert!(said.error.contains("no column `fit`"), "{said:?}");
    }
}
