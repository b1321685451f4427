//! Text from files never gives orders to the terminal, whichever command prints it.

use assert_cmd::Command;
use std::path::Path;

const EVIL: &str = "</p><script>\u{1b}[31m\u{9b}2J\u{7}\u{202e}=1+1";

fn picloom(folder: &Path, args: &[&str]) -> (Option<i32>, String) {
    let mut command = Command::cargo_bin("picloom").unwrap();
    let output = command.current_dir(folder).args(args).output().unwrap();
    let both = [output.stdout, output.stderr].concat();
    (output.status.code(), String::from_utf8(both).unwrap())
}

#[test]
fn a_terminal_is_not_sent_the_orders_that_names_in_files_hold() {
    let folder = tempfile::tempdir().unwrap();
    let moth = Path::new(env!("CARGO_MANIFEST_DIR")).join("genomes/bred_moth.json");
    let mut genome: serde_json::Value =
        serde_json::from_str(&std::fs::read_to_string(moth).unwrap()).unwrap();
    genome["provenance"]["name"] = EVIL.into();
    genome["provenance"]["made_by"] = EVIL.into();
    genome["nodes"].as_array_mut().unwrap().last_mut().unwrap()["labels"] =
        serde_json::json!([EVIL]);
    std::fs::write(folder.path().join("evil.json"), genome.to_string()).unwrap();
    let quoted = serde_json::to_string(EVIL).unwrap();
    std::fs::create_dir(folder.path().join("specs")).unwrap();
    // TOML knows JSON's escapes, but not as many raw characters.
    let question: String = EVIL.chars().map(|c| format!("\\U{:08X}", c as u32)).collect();
    let spec = format!("kind = \"networks\"\nname = \"a\"\nquestion = \"{question}\"\n");
    std::fs::write(folder.path().join("specs/a.toml"), spec).unwrap();
    std::fs::create_dir(folder.path().join("depth")).unwrap();
    let record = format!("{{\"format\": {quoted}}}");
    std::fs::write(folder.path().join("depth/study.json"), record).unwrap();
    for (args, code) in [
        (&["genome", "info", "evil.json"][..], 0),
        (&["genome", "info", "evil.json", "--json"], 0),
        (&["experiment", "list", "specs"], 0),
        (&["experiment", "list", "specs", "--json"], 0),
        (&["genome", "info", EVIL], 1),
    ] {
        let (found, said) = picloom(folder.path(), args);
        assert_eq!(found, Some(code), "{args:?}: {said}");
        assert!(said.contains("<script>"), "the name is shown: {args:?}: {said}");
        for order in ["\u{1b}", "\u{9b}", "\u{7}", "\u{202e}"] {
            assert!(!said.contains(order), "{args:?}: {order:?}");
        }
    }
}
