//! `picloom contrast`, `experiment decide`, `figures`, `new` and `power`: what they say of tables, and what they refuse.

use picloom::study::table::Table;
use serde_json::Value;
use std::path::Path;
use std::process::Command;

fn picloom(at: &Path, line: &str) -> (i32, String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_picloom"))
        .current_dir(at)
        .args(line.split(' '))
        .output()
        .unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code().unwrap_or(-1), text(&output.stdout), text(&output.stderr))
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn near(found: &Value, wanted: [f64; 3]) {
    for (key, wanted) in ["estimate", "low", "high"].into_iter().zip(wanted) {
        let found = found[key].as_f64().unwrap();
        assert!((found - wanted).abs() < 5e-4, "{key}: {found}, not {wanted}");
    }
}

#[test]
fn a_contrast_of_the_committed_map_is_the_ledgers() {
    let line = "contrast figures/regime/rows.csv.gz --of score --between arm=sp,arm=random --pair target,seed,level --json";
    let (code, out, error) = picloom(root(), line);
    assert_eq!(code, 0, "{error}");
    let found: Value = serde_json::from_str(&out).unwrap();
    let first = &found["found"][0];
    assert_eq!(first["basis"], "equal-fit");
    near(first, [-0.022, -0.068, 0.024]);
    let finished = found["found"].as_array().unwrap().iter().find(|f| f["basis"] == "finished");
    near(finished.unwrap(), [0.054, 0.008, 0.099]);
    // The study beside the table says which rows and bases; options change that.
    assert!(error.contains("as the study says"), "{error}");
    let line = "contrast figures/wirings/rows.csv.gz --between arm=evolved,arm=dense --json";
    let (_, out, _) = picloom(root(), line);
    let found: Value = serde_json::from_str(&out).unwrap();
    near(&found["found"][0], [0.625, 0.424, 0.826]);
}

#[test]
fn a_new_study_is_run_decided_drawn_and_powered_without_code() {
    let folder = tempfile::tempdir().unwrap();
    let says = |line: &str, wanted: i32| {
        let (code, out, error) = picloom(folder.path(), line);
        assert_eq!(code, wanted, "{line}: {out}{error}");
        out + &error
    };
    assert!(says("experiment new links.toml", 0).contains("experiment run links.toml"));
    // On two cores as it is: less than a minute.
    let (_, planned, _) = picloom(folder.path(), "experiment run links.toml --dry-run --json");
    let planned: Value = serde_json::from_str(&planned).unwrap();
    assert!(planned["core_seconds"].as_f64().unwrap() < 120.0, "{planned}");
    says("experiment run links.toml --profile smoke", 0);
    let table = std::fs::read_to_string(folder.path().join("runs/links/study.json")).unwrap();
    assert!(table.contains("\"profile\": \"smoke\""));
    let decided = says("experiment decide links.toml", 0);
    assert!(decided.contains("fewer-links: ") && decided.contains("verdicts.json"), "{decided}");
    assert!(decided.contains("decay: "), "{decided}");
    let drawn = says("experiment figures links.toml", 0);
    for file in [
        "score-by-arm.svg",
        "score-by-links.svg",
        "score-by-links.pdf",
        "losses.svg",
        "effects.svg",
    ] {
        assert!(folder.path().join("runs/links").join(file).exists(), "{file}: {drawn}");
    }
    assert!(says("experiment report links.toml", 0).contains("runs/links/report.html"));
    let page = std::fs::read_to_string(folder.path().join("runs/links/report.html")).unwrap();
    for part in ["The networks", "What was decided", "Figures", "How to repeat it", "<svg"] {
        assert!(page.contains(part), "{part}");
    }
    assert!(page.contains("picloom experiment report links.toml"));
    assert!(!page.contains("src=\"http"));
    // A spec that asks for no figures has the usual ones.
    let spec = folder.path().join("links.toml");
    let text = std::fs::read_to_string(&spec).unwrap();
    let (head, _) = text.split_once("[figure_defaults]").unwrap();
    std::fs::write(folder.path().join("plain.toml"), head).unwrap();
    let drawn = says("experiment figures plain.toml --out usual --format pdf", 0);
    for name in ["score-by-arm", "score-by-links", "fit-by-arm", "losses", "effects"] {
        let pdf = std::fs::read(folder.path().join(format!("usual/{name}.pdf"))).unwrap();
        assert!(pdf.starts_with(b"%PDF"), "{name}: {drawn}");
    }
    says("experiment report plain.toml --out plain.html", 0);
    assert!(std::fs::read_to_string(folder.path().join("plain.html")).unwrap().contains("<svg"));
    // What a smoke run varies by is no pilot.
    let powered = says("experiment power links.toml --units 6 --seeds 3 --effects 0,0.1", 0);
    assert!(powered.contains("rows.csv.gz is of profile smoke"), "{powered}");
    for (option, expected) in [
        ("--units 1", "at least 2"),
        ("--seeds 0", "at least 1"),
        ("--effects 0,nan", "finite numbers"),
        ("--units 1000000000 --seeds 100", "at most 1000000"),
        ("--contrast fewer-link", "did you mean \"fewer-links\"?"),
    ] {
        let refused = says(&format!("experiment power links.toml {option}"), 2);
        assert!(refused.contains(expected), "{option}: {refused}");
    }
    // What was run stands beside what came out, and in the report.
    let beside = |file: &str| -> Value {
        let text = std::fs::read_to_string(folder.path().join("runs/links").join(file)).unwrap();
        serde_json::from_str(&text).unwrap()
    };
    let made = &beside("study.json")["made"];
    assert_eq!(made["spec"]["kind"], "networks", "{made}");
    for key in ["seeds", "arms", "arch", "train", "optimizer"] {
        assert!(!made[key].is_null(), "{key}: {made}");
    }
    assert!(made["judge"]["trained_on"][0]["coherent"].as_u64() > Some(100), "{made}");
    assert!(beside("machine.json")["seconds"].as_f64().unwrap() > 0.0);
    for said in [
        "Methods",
        "hidden layers and units",
        "pictures labelled clean",
        "The trainings took",
        "Version 0.2.0",
    ] {
        assert!(page.contains(said), "{said}");
    }
    assert!(!page.contains(">0.000<"));
    // A row leads to its run.
    let table = Table::read(&folder.path().join("runs/links/rows.csv.gz")).unwrap();
    let paths = table.column("path").unwrap();
    for row in (0..table.len()).filter(|row| !paths.text(*row).is_empty()) {
        let run = folder.path().join("runs/links").join(paths.text(row));
        assert!(run.join("result.json").exists(), "{}", run.display());
    }
    let planned = says("experiment run links.toml --profile smoke --dry-run", 0);
    assert!(planned.contains(", 0 networks to train"), "{planned}");
    // So is what the result was not made with.
    let decided_again = says("experiment decide links.toml", 0);
    assert!(!decided_again.contains("the spec has changed"), "{decided_again}");
    let other = text.replacen("lr = 0.002", "lr = 0.001", 1);
    assert_ne!(other, text);
    std::fs::write(&spec, other).unwrap();
    let told = says("experiment decide links.toml", 0);
    assert!(told.contains("the spec has changed since this result was made"), "{told}");
    // Rules that were changed after the run are told.
    assert!(!decided.contains("changed after the first run"));
    std::fs::write(&spec, text.replace("margin = 0.05", "margin = 0.2")).unwrap();
    assert!(says("experiment decide links.toml", 0).contains("changed after the first run"));
    std::fs::write(&spec, text.replace("between =", "betwen =")).unwrap();
    let refused = says("experiment decide links.toml", 1);
    assert!(refused.contains("betwen") && refused.contains("between"), "{refused}");
}

#[test]
fn a_new_study_has_names_that_run_whatever_its_files_are_called() {
    let folder = tempfile::tempdir().unwrap();
    let files =
        ["кот.png", "пёс.png", "Cat!.png", "cat?.png", &format!("{}.png", "long".repeat(50))];
    for file in files {
        std::fs::copy(root().join("experiments/targets/face.png"), folder.path().join(file))
            .unwrap();
    }
    let line = format!("experiment new n.toml --targets {} bred_cat", files.join(" "));
    let (code, out, error) = picloom(folder.path(), &line);
    assert_eq!(code, 0, "{out}{error}");
    let spec = std::fs::read_to_string(folder.path().join("n.toml")).unwrap();
    for name in ["target", "target_2", "cat_", "cat__2", "bred_cat"] {
        assert!(spec.contains(&format!("name = \"{name}\"")), "{name}: {spec}");
    }
    let (code, out, error) = picloom(folder.path(), "experiment run n.toml --dry-run");
    assert_eq!(code, 0, "{out}{error}");
}

#[test]
fn before_a_run_power_is_simulated_as_the_spec_assumes_and_what_cannot_be_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let says = |line: &str, wanted: i32| {
        let (code, out, error) = picloom(folder.path(), line);
        assert_eq!(code, wanted, "{line}: {out}{error}");
        out + &error
    };
    says("experiment new links.toml --targets bred_moth bred_cat", 0);
    let power = |units: usize| {
        let line = format!(
            "experiment power links.toml --contrast fewer-links --units {units} --seeds 3 --effects 0,0.2 --json"
        );
        let (_, out, _) = picloom(folder.path(), &line);
        let found: Value = serde_json::from_str(&out).unwrap();
        let of = |i: usize| found["power"][i]["power"]["supported"].as_f64().unwrap();
        (of(0), of(1))
    };
    let ((none, few), (_, many)) = (power(4), power(40));
    assert!(none < 0.2 && few < many && many > 0.8, "{none} {few} {many}");
    let spec = folder.path().join("links.toml");
    let text = std::fs::read_to_string(&spec).unwrap();
    // [power] says nothing of other numbers than scores.
    let other = text.replacen("id = \"fewer-links\"", "id = \"fewer-links\"\nof = \"alive\"", 1);
    assert_ne!(other, text);
    std::fs::write(&spec, other).unwrap();
    let refused = says("experiment power links.toml --contrast fewer-links", 2);
    assert!(refused.contains("run a pilot first"), "{refused}");
    let with = |from: &str, to: &str| {
        assert!(text.contains(from), "{from}");
        std::fs::write(&spec, text.replacen(from, to, 1)).unwrap();
        says("experiment run links.toml --dry-run", 1)
    };
    for (from, to, told) in [
        ("y = \"score\"", "y = \"scroe\"", "did you mean \"score\""),
        ("kind = \"dots\"", "kind = \"dots\"\nformats = [\"eps\"]", "svg, png or pdf"),
        (
            "levels = [\"share:0.7\", \"share:0.5\"]",
            "levels = [\"budget:90\", \"budget:4\"]",
            "a path to every output",
        ),
        ("method = \"sp\"", "method = \"cmd:python3 gone.py\"", "a file gone.py"),
    ] {
        let found = with(from, to);
        assert!(found.contains(told), "{to}: {found}");
    }
    let told = with("between = [{ arm = \"decay\"", "between = [{ arm = \"deca\"");
    assert!(told.contains("did you mean \"decay\""), "{told}");
    let told = with(
        "levels = [\"share:0.7\", \"share:0.5\"]",
        "levels = [\"budget:400000\", \"share:0.5\"]",
    );
    assert!(told.contains("a budget of at most its"), "{told}");
}

/// A table of four pictures, two arms and three seeds; `change` makes another of each row.
fn write_table(path: &Path, header: &str, change: impl Fn(&str, &str, usize) -> Vec<String>) {
    let mut text = format!("{header}\n");
    for target in ["a", "b", "c", "d"] {
        for (arm, seed) in
            ["sp", "random"].into_iter().flat_map(|arm| [0, 1, 2].map(|seed| (arm, seed)))
        {
            change(target, arm, seed).iter().for_each(|row| text += &format!("{row}\n"));
        }
    }
    std::fs::write(path, text).unwrap();
}

#[test]
fn a_truth_value_is_one_value_however_it_is_written() {
    let folder = tempfile::tempdir().unwrap();
    let line = "contrast t.csv --between arm=sp,arm=random --where fit=TRUE --json";
    let mut found = Vec::new();
    for (yes, no) in [("true", "false"), ("True", "False"), ("TRUE", "FALSE"), ("1.0", "0.0")] {
        write_table(
            &folder.path().join("t.csv"),
            "target,arm,seed,fit,score",
            |target, arm, seed| {
                let score = if arm == "sp" { 0.7 } else { 0.4 } + seed as f64 / 50.0;
                let fit = if seed == 2 { no } else { yes };
                vec![format!("{target},{arm},{seed},{fit},{score}")]
            },
        );
        let (code, out, error) = picloom(folder.path(), line);
        assert_eq!(code, 0, "{yes}: {error}");
        found.push(serde_json::from_str::<Value>(&out).unwrap()["found"].clone());
    }
    assert_eq!(found[0][0]["pairs"], 8);
    assert!(found.iter().all(|one| *one == found[0]), "{found:?}");
}

#[test]
fn what_a_table_cannot_answer_is_refused_with_its_cause() {
    let folder = tempfile::tempdir().unwrap();
    let usual = "target,arm,seed,fit,score";
    let plain =
        |target: &str, arm: &str, seed: usize| format!("{target},{arm},{seed},true,0.{seed}");
    type Rows = Box<dyn Fn(&str, &str, usize) -> Vec<String>>;
    let with =
        |end: &'static str| -> Rows { Box::new(move |t, a, s| vec![format!("{t},{a},{s},{end}")]) };
    let cases: Vec<(&str, Rows, &str, &str)> = vec![
        (usual, with("true,53.9%"), "", "write 0.539 for 53.9%"),
        (usual, with("true,\"0,95\""), "", "write 0.95 with a point"),
        (
            usual,
            with("true,0.5"),
            "--of target",
            "column target: expected a number, found \"a\" in line 2",
        ),
        (usual, with("perhaps,0.5"), "", "column fit: expected true or false, found \"perhaps\""),
        (
            "target,arm,seed,level,score",
            Box::new(|t, a, s| vec![format!("{t},{a},{s},1,.5"), format!("{t},{a},{s},2,.6")]),
            "",
            "level \"1\" and \"2\" in lines 2 and 3",
        ),
        (
            "target,arm,seed,optimizer,score",
            Box::new(|t, a, s| vec![format!("{t},{a},{s},adam,.5"), format!("{t},{a},{s},sgd,.6")]),
            "",
            "lines 2 and 3, which differ in optimizer, score",
        ),
        (
            "target,arm,seed,at,score",
            Box::new(|t, a, s| vec![format!("{t},{a},{s},,.5"); 2]),
            "",
            "the same row in lines 2 and 3",
        ),
        (
            usual,
            Box::new(move |t, a, s| vec![plain(t, a, s)]),
            "--between arm=sp,arm=sp",
            "groups that differ",
        ),
        (
            usual,
            Box::new(|t, a, s| {
                vec![format!("{t},{a},{s},true,{}", if a == "sp" { "1e308" } else { "-1e308" })]
            }),
            "",
            "whose difference is a number",
        ),
        ("target;arm;seed;score", with("0.5"), "", "columns separated by ';'"),
    ];
    for (header, rows, options, wanted) in cases {
        write_table(&folder.path().join("t.csv"), header, rows);
        let between =
            if options.contains("--between") { "" } else { " --between arm=sp,arm=random" };
        let line = format!("contrast t.csv{between} {options}");
        let (code, out, error) = picloom(folder.path(), line.trim());
        assert!(code != 0 && error.contains(wanted), "{header} {options}: {code} {out}{error}");
    }
    // Averaged by name, or one of them chosen, they are answered.
    write_table(&folder.path().join("t.csv"), "target,arm,seed,optimizer,score", |t, a, s| {
        ["adam", "sgd"].map(|optimizer| format!("{t},{a},{s},{optimizer},.5")).to_vec()
    });
    for choice in ["--average optimizer", "--where optimizer=adam", "--pair target,seed,optimizer"]
    {
        let (code, out, error) =
            picloom(folder.path(), &format!("contrast t.csv --between arm=sp,arm=random {choice}"));
        assert_eq!(code, 0, "{choice}: {error}");
        assert!(out.contains("4 units, ") && error.contains("no column `fit`"), "{out}{error}");
    }
}
