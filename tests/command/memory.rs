//! Sizes that no machine has the memory for are refused with their product, before anything is computed.

use assert_cmd::Command;
use std::path::Path;

fn refused(folder: &Path, line: &str, code: i32, expected: &str) {
    let done = Command::cargo_bin("picloom")
        .unwrap()
        .current_dir(folder)
        .args(line.split_whitespace())
        .output()
        .unwrap();
    let error = String::from_utf8(done.stderr).unwrap();
    assert_eq!(done.status.code(), Some(code), "{line}: {error}");
    assert!(error.contains(expected), "{line}: {error}");
}

#[test]
fn what_does_not_fit_into_memory_is_refused_with_its_product() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    refused(
        at,
        "evolve --search interactive --population 100000 --cell 512 --out bred",
        2,
        "262144 pixels × 100000 pictures × 27 bytes",
    );
    assert!(!at.join("bred/sheet.png").exists());
    refused(
        at,
        "evolve --search vlm --breeder mock --population 100000 --cell 512 --out vast",
        2,
        "262144 pixels × 100000 pictures × 27 bytes",
    );
    // A chain of 40 000 nodes, whose maps are 2.7 TB.
    let node = |id: usize, role: &str, activation: &str| {
        format!("{{\"id\": {id}, \"role\": {role}, \"activation\": \"{activation}\"}}")
    };
    let mut nodes = vec![
        node(0, "{\"output\": \"ink\"}", "sigmoid"),
        node(1, "{\"input\": \"y\"}", "identity"),
        node(2, "{\"input\": \"d\"}", "identity"),
        node(3, "{\"input\": \"bias\"}", "identity"),
        node(4, "{\"input\": \"x\"}", "identity"),
    ];
    nodes.extend((5..40_000).map(|id| node(id, "\"hidden\"", "sin")));
    let links = (4..40_000).map(|i| {
        let (source, target) = (i, if i == 39_999 { 0 } else { i + 1 });
        format!(
            "{{\"innovation\": {i}, \"source\": {source}, \"target\": {target}, \"weight\": 1.0, \"enabled\": true}}"
        )
    });
    let text = format!(
        "{{\"format\": \"picloom-genome/1\", \"nodes\": [{}], \"connections\": [{}]}}",
        nodes.join(","),
        links.collect::<Vec<_>>().join(",")
    );
    std::fs::write(at.join("long.json"), text).unwrap();
    let picture = Path::new(env!("CARGO_MANIFEST_DIR")).join("experiments/targets/face.png");
    let target = format!("target --target {}", picture.display());
    for search in [target.as_str(), "novelty", "map-elites"] {
        let line = "--from long.json --population 100000 --size 16 --out vast";
        let expected = "100000 genomes × 79996 genes × 400 bytes";
        refused(at, &format!("evolve --search {search} {line}"), 2, expected);
    }
    assert!(!at.join("vast").exists());
    for line in [
        "maps --genome long.json --size 4096 --out maps.png",
        "score --genome long.json --size 4096",
        "sweep --genome long.json --size 4096 --out sweep",
    ] {
        refused(at, line, 2, "16777216 pixels × 400");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_limit_of_the_address_space_counts_as_the_memory_there_is() {
    let line = "maps --genome genomes/bred_moth.json --size 4096 --out /dev/null/maps.png";
    let script = format!("ulimit -v 1500000 && exec {} {line}", env!("CARGO_BIN_EXE_picloom"));
    let done = std::process::Command::new("sh").args(["-c", &script]).output().unwrap();
    let error = String::from_utf8(done.stderr).unwrap();
    assert_eq!(done.status.code(), Some(2), "{error}");
    assert!(error.contains("16777216 pixels × "), "{error}");
}

#[test]
fn a_study_of_more_cells_than_can_be_is_refused_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let list = |end: usize| (0..end).map(|i| i.to_string()).collect::<Vec<_>>().join(", ");
    let text = format!(
        "kind = \"networks\"\nname = \"vast\"\nquestion = \"How many?\"\nsize = 8\nsteps = 4\n\
        seeds = [{}]\noffsets = [{}]\n[[targets]]\nname = \"face\"\npicture = \"face.png\"\n\
        arch = \"2;gaussian:2\"\n[[arms]]\nname = \"dense\"\nwiring = \"dense\"\n",
        list(1001),
        list(1000)
    );
    std::fs::write(folder.path().join("vast.toml"), text).unwrap();
    let expected =
        "at most 1000000 cells, found 1 targets × 1 variants × 1000 offsets × 1001 seeds";
    refused(folder.path(), "experiment run vast.toml --dry-run", 1, expected);
}
