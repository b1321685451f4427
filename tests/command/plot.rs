//! `picloom plot`: figures from options and from a spec.

use crate::whole::assert_whole;
use std::path::Path;
use std::process::{Command, Output};

const ROWS: &str = "target,arm,level,seed,alive,score\n\
    moth,dense,0,0,128,0.1\nmoth,sp,1,0,64,0.3\ncat,dense,0,0,128,0.2\ncat,sp,1,0,64,0.5\n\
    lamp,dense,0,0,128,0.2\nlamp,sp,1,0,64,0.2\n";

const SPEC: &str = "kind = \"networks\"\n\
    [[contrasts]]\nid = \"C1\"\nbetween = [{ arm = \"sp\" }, { arm = \"dense\" }]\nbasis = [\"end\"]\n\
    [[figures]]\nname = \"score\"\nkind = \"dots\"\nx = \"arm\"\ny = \"score\"\n\
    [[figures]]\nname = \"effect\"\nkind = \"forest\"\n";

fn plot(folder: &Path, arguments: &[&str]) -> Output {
    std::fs::write(folder.join("rows.csv"), ROWS).unwrap();
    std::fs::write(folder.join("study.toml"), SPEC).unwrap();
    Command::new(env!("CARGO_BIN_EXE_picloom"))
        .args(["plot", "rows.csv"])
        .args(arguments)
        .current_dir(folder)
        .output()
        .unwrap()
}

#[test]
fn options_describe_a_figure() {
    let folder = tempfile::tempdir().unwrap();
    let done = plot(
        folder.path(),
        &[
            "--kind",
            "lines",
            "--x",
            "alive",
            "--log",
            "x",
            "--y",
            "score",
            "--series",
            "arm",
            "--width",
            "85mm",
            "--labels",
            "sp=SP,dense=whole, trained",
            "--colours",
            "sp=#123456",
            "--order",
            "sp,dense",
            "--reference",
            "0",
            "--y-range",
            "0:1",
            "--set",
            "least=4",
            "--caption",
            "--out",
            "new/plot.svg",
            "--json",
        ],
    );
    assert!(done.status.success(), "{done:?}");
    let json: serde_json::Value = serde_json::from_slice(&done.stdout).unwrap();
    assert_eq!(json[0]["path"], "new/plot.svg");
    assert_eq!(json[0]["figure"]["series"][0]["label"], "SP");
    assert_eq!(json[0]["figure"]["series"][0]["networks"], 3);
    let svg = std::fs::read_to_string(folder.path().join("new/plot.svg")).unwrap();
    for wanted in ["width=\"85mm\"", "#123456", "whole, trained", "Means over 3 targets"] {
        assert!(svg.contains(wanted), "{wanted}");
    }
    for (name, dots) in [("plot.png", "100"), ("plot.pdf", "300")] {
        let options =
            ["--kind", "dots", "--x", "arm", "--y", "score", "--dpi", dots, "--out", name];
        let done = plot(folder.path(), &options);
        assert!(done.status.success(), "{done:?}");
        assert_whole(&folder.path().join(name));
    }
    let pdf = std::fs::read(folder.path().join("plot.pdf")).unwrap();
    assert!(pdf.starts_with(b"%PDF"));
}

#[test]
fn a_spec_describes_several_and_options_override_its_keys() {
    let folder = tempfile::tempdir().unwrap();
    let done = plot(folder.path(), &["--spec", "study.toml", "--out", "figures"]);
    assert!(done.status.success(), "{done:?}");
    for name in ["figures/score.svg", "figures/effect.svg"] {
        assert_whole(&folder.path().join(name));
    }
    let one = ["--spec", "study.toml", "--figure", "score", "--width", "60", "--out", "one.svg"];
    assert!(plot(folder.path(), &one).status.success());
    let svg = std::fs::read_to_string(folder.path().join("one.svg")).unwrap();
    assert!(svg.contains("width=\"60mm\"") && svg.contains("<title>score</title>"));
}
