//! Golden answers: `tests/golden/NAME.txt` holds inputs, lines that begin with `$ `, and below them what is said of each.
//! Blocks are parted by empty lines; `#` begins a comment. A new input is a new block: `UPDATE_GOLDEN=1 cargo test` writes
//! what is said now.

use std::path::Path;

/// Holds what is said of every input of `tests/golden/NAME.txt` to what stands below it. What must not change, in `ids`, is
/// written by nobody but a person.
#[track_caller]
pub(crate) fn hold(name: &str, mut said: impl FnMut(&str) -> String) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let file = root.join(format!("tests/golden/{name}.txt"));
    let wanted = std::fs::read_to_string(&file).unwrap();
    assert!(wanted.contains("\n$ "), "{name} asks nothing");
    let mut answered = |block: &str| {
        let kept = block.lines().filter(|line| line.starts_with(['#', '$']));
        let mut found = kept.collect::<Vec<_>>().join("\n");
        let input = block.lines().filter_map(|line| line.strip_prefix("$ "));
        let input = input.collect::<Vec<_>>().join("\n");
        if !input.is_empty() {
            let answer = said(&input);
            answer
                .lines()
                .for_each(|line| found += &format!("\n{}", format!("    {line}").trim_end()));
        }
        found
    };
    let found: Vec<String> = blocks(&wanted).iter().map(|block| answered(block)).collect();
    let found = found.join("\n\n") + "\n";
    assert!(!found.contains(root.to_str().unwrap()), "no path of this machine: {found}");
    if std::env::var_os("UPDATE_GOLDEN").is_some() && !name.starts_with("ids/") {
        std::fs::write(&file, &found).unwrap();
        return;
    }
    for (found, wanted) in blocks(&found).into_iter().zip(blocks(&wanted)) {
        assert!(found.trim() == wanted.trim(), "{name}: was\n{wanted}\nand is now\n{found}");
    }
}

/// The blocks of a golden file: an answer may have empty lines.
fn blocks(text: &str) -> Vec<String> {
    let text = text.replace("\n\n$", "\0$").replace("\n\n#", "\0#");
    text.split('\0').map(String::from).collect()
}

/// A spec with some changes, which are lines `FROM => TO` or text for its end: `\\n` begins a new line.
#[allow(dead_code, reason = "not every target reads specs")]
#[track_caller]
pub(crate) fn changed(spec: &str, changes: &str) -> String {
    changes.lines().fold(spec.to_string(), |spec, change| {
        let change = change.replace("\\n", "\n");
        let Some((from, to)) = change.split_once(" =>") else { return spec + &change };
        assert!(spec.contains(from), "{from}");
        spec.replacen(from, to.trim_start_matches(' '), 1)
    })
}

/// Holds what stands between two marks of a file of the repository to the text; `UPDATE_GOLDEN=1` writes it. A file without
/// the first mark is left alone; where the second is empty, all after the first is held.
#[allow(dead_code, reason = "not every target holds pages")]
#[track_caller]
pub(crate) fn hold_generated(file: &str, [begin, end]: [&str; 2], text: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(file);
    let found = std::fs::read_to_string(&path).unwrap();
    let Some(at) = found.find(begin).map(|at| at + begin.len()) else { return };
    let rest = &found[at..];
    let length = if end.is_empty() { Some(rest.len()) } else { rest.find(end) };
    let length = length.unwrap_or_else(|| panic!("{file}: {begin:?} has no end"));
    let mut wanted = found.clone();
    wanted.replace_range(at..at + length, text);
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(&path, wanted).unwrap();
    } else {
        assert!(
            wanted == found,
            "{file}: {begin:?} is not what the code says; UPDATE_GOLDEN=1 writes it"
        );
    }
}
