//! docs/SPEC.md has every key that the parser knows, and its examples are read; docs/COLUMNS.md is what the
//! columns of a comparison say.

use crate::answers::hold_generated;
use crate::said::assert_says;
use picloom::base::settings::Settings;
use picloom::experiment::changes;
use picloom::experiment::networks::NetworksSpec;
use picloom::figures::of_spec::of_spec;
use picloom::figures::plot::{FigureSpec, Kind};
use picloom::study::spec::{SpecFile, read_text};
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::Path;

const END: &str = "<!-- end -->";

fn page(name: &str) -> String {
    std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs").join(name)).unwrap()
}

/// A spec with the smallest study; `more` stands at its end.
fn spec(head: &str, target: &str, arm: &str, more: &str) -> String {
    format!(
        "kind = \"networks\"\nname = \"s\"\nquestion = \"?\"\nsize = 16\nsteps = 5\nseeds = [0]\n{head}\n[[targets]]\nname = \"t\"\ngenome = \"g.json\"\n{target}\n[[arms]]\nname = \"a\"\nwiring = \"dense\"\n{arm}\n{more}\n"
    )
}

/// The keys that the parser says it knows where it meets one that it does not.
fn known(text: &str) -> Vec<String> {
    let refused = match read_text::<NetworksSpec>("s.toml".as_ref(), text, None) {
        Err(error) => error.to_string(),
        Ok(_) => {
            let file = SpecFile::parse("s.toml".as_ref(), text).unwrap();
            of_spec(&file.analysis().unwrap()).unwrap_err().to_string()
        }
    };
    let (_, expected) = refused.split_once("zzz").unwrap_or_else(|| panic!("{refused}"));
    let names: Vec<String> = expected.split('`').skip(2).step_by(2).map(String::from).collect();
    let names: Vec<String> = names.into_iter().filter(|name| !name.contains(' ')).collect();
    assert!(names.len() > 2, "{refused}");
    names
}

/// Code of the page's blocks of TOML, one after the other.
fn examples(page: &str) -> Vec<&str> {
    let blocks = page.split("```toml\n").skip(1);
    blocks.map(|block| block.split("```").next().unwrap()).collect()
}

#[test]
fn the_page_of_specs_has_every_key() {
    let page = page("SPEC.md");
    let wrong = "zzz = 1";
    let tables = [
        known(&spec(wrong, "", "", "")),
        known(&spec("", wrong, "", "")),
        known(&spec("", "", wrong, "")),
        known(&spec("", "", "", "[[variants]]\nname = \"v\"\nzzz = 1")),
        known(&spec("", "", "", "[show]\nzzz = 1")),
        known(&spec("", "", "", "[power]\nzzz = 1")),
        known(&spec("", "", "", "[[contrasts]]\nid = \"c\"\nzzz = 1")),
    ];
    for key in tables.iter().flatten() {
        let is_there = page.contains(&format!("`{key}`")) || page.contains(&format!("[{key}]"));
        assert!(is_there, "docs/SPEC.md does not name {key}");
    }
    assert_says(&page, &["`share:", "`budget:", "`threshold:", "`match:"]);
}

#[test]
fn every_block_of_the_page_is_read() {
    crate::asked::add();
    for block in examples(&page("SPEC.md")) {
        assert!(block.parse::<toml::Table>().is_ok(), "{block}");
        let has = |key: &str| block.starts_with(key) || block.contains(&format!("\n{key}"));
        let [study, arms, rest] = if has("log_every") {
            [block, "", ""]
        } else if has("[[arms]]") {
            ["", block, ""]
        } else {
            ["", "", block]
        };
        // What the arms of an example are pruned from and matched with, a program aside.
        let arms = arms.replace("cmd:./mine.py", "cmd:sh");
        let sp =
            "[[arms]]\nname = \"sp\"\nfrom = \"a\"\nmethod = \"sp\"\nlevels = [\"share:0.5\"]\n";
        let arms = arms.replace("\"dense\"\nmethod", "\"a\"\nmethod");
        let profile = block.contains("[profiles");
        let targets =
            if profile { "[[targets]]\nname = \"moth\"\ngenome = \"m.json\"" } else { "" };
        // The arms that its contrasts name.
        let named = rest.split("arm = \"").skip(1).filter_map(|text| text.split('"').next());
        let named: BTreeSet<&str> = named.filter(|name| *name != "sp").collect();
        let more = named.iter().filter(|name| !arms.contains(&format!("name = \"{name}\"")));
        let more: String =
            more.map(|n| format!("[[arms]]\nname = \"{n}\"\nwiring = \"dense\"\n")).collect();
        let text = spec(study, targets, &format!("{sp}{more}{arms}"), rest);
        let read = read_text::<NetworksSpec>("s.toml".as_ref(), &text, None);
        assert!(read.is_ok(), "{block}\n{}", read.unwrap_err());
        let analysis = SpecFile::parse("s.toml".as_ref(), &text).unwrap().analysis().unwrap();
        of_spec(&analysis).unwrap();
    }
}

#[test]
fn the_kinds_of_figures_stand_on_the_page_with_their_keys() {
    let mut text = String::from("| kind | keys |\n|---|---|\n");
    let always: Vec<String> = FigureSpec::always().map(|key| format!("`{key}`")).collect();
    let _ = writeln!(text, "| every kind | {} |", always.join(", "));
    for name in Kind::ALL.iter().map(|kind| kind.name()) {
        let keys = name.parse::<Kind>().unwrap().keys();
        let own = keys.filter(|key| !FigureSpec::always().any(|known| known == *key));
        let own: Vec<String> = own.map(|key| format!("`{key}`")).collect();
        let _ = writeln!(text, "| `{name}` | {} |", own.join(", "));
    }
    hold_generated("docs/SPEC.md", ["<!-- figures -->\n", END], &text);
}

#[test]
fn the_keys_of_figures_stand_on_their_page() {
    let mut text = String::from("| key | meaning |\n|---|---|\n");
    for row in FigureSpec::settings() {
        let key = if row.name.is_empty() { row.path.as_str() } else { row.name };
        let default = row.defaults[0].clone().filter(|default| default != "false");
        let default = default.unwrap_or_default();
        let default = if row.about.unless.is_empty() { default.as_str() } else { row.about.unless };
        let brackets = if default.is_empty() { String::new() } else { format!(" ({default})") };
        let means = format!("{}{brackets}", row.means).replace('|', "\\|");
        let _ = writeln!(text, "| `{key}` | {means} |");
    }
    hold_generated("docs/PLOTS.md", ["<!-- keys -->\n", END], &text);
    for kind in Kind::ALL.iter().map(|kind| kind.name()) {
        assert_says(&page("PLOTS.md"), &[&format!("| `{kind}` |")]);
        for key in kind.parse::<Kind>().unwrap().keys() {
            assert_says(&text, &[&format!("| `{key}` |")]);
        }
    }
}

#[test]
fn the_page_of_columns_is_what_the_columns_of_a_comparison_say() {
    let text = changes::COLUMNS.iter().map(|(name, says)| format!("| `{name}` | {says} |\n"));
    let text = String::from("| column | meaning |\n|---|---|\n") + &text.collect::<String>();
    hold_generated("docs/COLUMNS.md", ["<!-- changes -->\n", END], &text);
}
