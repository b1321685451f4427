//! Settings are declared once: docs/SETTINGS.md, a table of docs/SPEC.md and Python's stub are made from the declarations.
//! `UPDATE_GOLDEN=1 cargo test --test rooms settings` writes them anew.

use crate::answers::{hold, hold_generated};
use picloom::base::choice::Choice;
use picloom::base::hash::sha256_hex;
use picloom::base::settings::{Overlay, Setting, Settings};
use picloom::evolve::{EvolveConfig, NoveltyConfig};
use picloom::experiment::evolution::EvolutionConfig;
use picloom::experiment::networks::{StudySettings, spec::Variances};
use picloom::figures::film::FilmSettings;
use picloom::network::Framing;
use picloom::network::picture_file::FileSettings;
use picloom::prune::Method;
use picloom::prune::schedule::Aim;
use picloom::score::{JudgeChoice, Protocol};
use picloom::train::{OptimizerConfig, Penalty, TrainConfig};
use std::fmt::Write as _;

/// Every table of settings, by the name that it has in the pages.
fn tables() -> Vec<(&'static str, Vec<Setting>)> {
    vec![
        ("training", TrainConfig::settings()),
        ("pruning", Aim::settings()),
        ("protocol", Protocol::settings()),
        ("study", StudySettings::settings()),
        ("power", Variances::settings()),
        ("search", EvolutionConfig::settings()),
        ("evolution", EvolveConfig::settings()),
        ("novelty", NoveltyConfig::settings()),
        ("picture", Framing::settings()),
        // A parameter of its own in Python.
        ("framing", Framing::settings().into_iter().filter(|row| row.name != "size").collect()),
        ("file", FileSettings::settings()),
        ("film", FilmSettings::settings()),
    ]
}

/// The name of a choice, and its options.
type Options = (&'static str, Vec<Setting>);

/// Every table of choices, by the name that it has in the pages: the options of each choice.
fn choices() -> Vec<(&'static str, Vec<Options>)> {
    fn of<C: Choice>() -> Vec<Options> {
        <C as Choice>::names().into_iter().map(|name| (name, C::options_of(name))).collect()
    }
    vec![
        ("optimizers", of::<OptimizerConfig>()),
        ("penalties", of::<Penalty>()),
        ("methods", of::<Method>()),
        ("judges", of::<JudgeChoice>()),
    ]
}

/// The options of choices as rows of a Markdown table.
fn markdown_of_options(choices: &[Options]) -> String {
    let mut text = String::from("| of | option | meaning | values | default | source |\n");
    text += "|---|---|---|---|---|---|\n";
    for (name, rows) in choices {
        for row in rows {
            let (path, [means, values, default, source]) = (&row.path, columns(row));
            let _ = writeln!(
                text,
                "| `{name}` | `{path}` | {means} | {values} | {default} | {source} |"
            );
        }
    }
    text
}

/// Meaning, values, default and source of a setting, as cells.
fn columns(row: &Setting) -> [String; 4] {
    let values = match (row.kind.names.is_empty(), row.kind.range.is_empty()) {
        (false, _) => row.kind.names.join(", "),
        (true, false) => row.kind.range.clone(),
        _ if row.kind.python == "bool" => "true, false".into(),
        _ => String::new(),
    };
    let default = match (&row.defaults, row.about.unless) {
        ([Some(one), Some(neat), Some(drawing)], "") => match (one == neat, neat == drawing) {
            (true, true) => one.clone(),
            (true, false) => format!("{one}; drawing: {drawing}"),
            (false, true) => format!("{one}; neat, drawing: {neat}"),
            (false, false) => format!("{one}; neat: {neat}; drawing: {drawing}"),
        },
        ([Some(one), ..], "") => one.clone(),
        (_, unless) => unless.to_string(),
    };
    [&row.means, &values, &default, row.about.source].map(|text| text.replace('|', "\\|"))
}

/// The settings as rows of a Markdown table: name or key, meaning, values, default, source.
fn markdown(rows: &[Setting]) -> String {
    let mut text =
        String::from("| setting | key in files | meaning | values | default | source |\n");
    text += "|---|---|---|---|---|---|\n";
    for row in rows {
        let name = if row.name.is_empty() { String::new() } else { format!("`{}`", row.name) };
        let (path, [means, values, default, source]) = (&row.path, columns(row));
        let _ = writeln!(text, "| {name} | `{path}` | {means} | {values} | {default} | {source} |");
    }
    text
}

/// The settings as lines of a `TypedDict` of Python.
fn python_stub(rows: &[Setting]) -> String {
    let named = rows.iter().filter(|row| !row.name.is_empty());
    let or_function = |name: &str| if name == "method" { " | Scores" } else { "" };
    let line =
        |row: &Setting| format!("    {}: {}{}\n", row.name, row.kind.python, or_function(row.name));
    named.map(line).collect()
}

/// Holds what stands between the marks of every table in a file to what the declarations say.
fn assert_generated<T>(
    file: &str,
    [mark, end]: [&str; 2],
    tables: Vec<(&str, Vec<T>)>,
    write: fn(&[T]) -> String,
) {
    for (name, rows) in tables {
        hold_generated(file, [&mark.replace("NAME", name), end], &write(&rows));
    }
}

#[test]
fn the_page_of_settings_is_what_the_declarations_say() {
    let marks = ["<!-- NAME -->\n", "<!-- end -->"];
    assert_generated("docs/SETTINGS.md", marks, tables(), markdown);
    assert_generated("docs/SETTINGS.md", marks, choices(), markdown_of_options);
    assert_generated("docs/SPEC.md", marks, tables(), markdown);
}

#[test]
fn the_stub_of_python_is_what_the_declarations_say() {
    let marks = ["    # settings of NAME\n", "    # end"];
    assert_generated("crates/python/lib/picloom/_core.pyi", marks, tables(), python_stub);
}

#[test]
fn every_default_is_a_value_that_its_own_setting_takes() {
    let options = choices().into_iter().flat_map(|(_, choices)| choices);
    for (table, rows) in tables().into_iter().chain(options) {
        let names: Vec<&str> = rows.iter().map(|row| row.name).filter(|n| !n.is_empty()).collect();
        for (i, name) in names.iter().enumerate() {
            assert!(!names[..i].contains(name), "{table}: two settings are called {name}");
        }
        for row in rows {
            let by_text = !row.kind.python.starts_with("tuple");
            // The window of a plateau has no default: it is what turns it on.
            let has_one = row.name != "plateau";
            for default in row.defaults.iter().flatten().filter(|_| by_text && has_one) {
                let taken = row.accept(&default.as_str().into());
                assert!(taken.is_ok(), "{table}: {}: {taken:?}", row.path);
            }
            assert!(!row.means.is_empty(), "{table}: {} has no meaning", row.path);
        }
    }
}

#[test]
fn an_overlay_keeps_what_it_was_given_and_refuses_other_names() {
    let overlay = |text: &str| toml::from_str::<Overlay<TrainConfig>>(text);
    let given = overlay("optimizer = \"muon:steps=7\"\nlr = 1").unwrap();
    assert_eq!(serde_json::to_string(&given).unwrap(), r#"{"optimizer":"muon:steps=7","lr":1.0}"#);
    let config = given.over(&TrainConfig { steps: 9, ..TrainConfig::default() });
    assert_eq!((config.steps, config.schedule.lr), (9, 1.0));
    let text = "lr = 1\nfloor = 2.0\n";
    let refused = overlay(text).unwrap_err();
    assert!(refused.message().starts_with("floor: "), "{refused}");
    assert!(text[..refused.span().unwrap().start].contains('\n'), "its second line: {refused}");
    let refused = overlay("flor = 0.1").unwrap_err();
    assert!(refused.message().contains("\"floor\""), "{refused}");
}

/// SHA-256 of the defaults of every table of settings, and of every choice, as run ids have them.
#[test]
fn the_defaults_are_written_as_the_ids_of_runs_were_made_of_them() {
    fn of<T: serde::Serialize>(value: &T) -> String {
        sha256_hex(serde_json::to_string(value).unwrap())[..12].to_string()
    }
    fn of_all<C: Choice>() -> String {
        of(&<C as Choice>::names().into_iter().filter_map(C::named).collect::<Vec<_>>())
    }
    hold("ids/defaults", |kind| match kind {
        "training" => of(&TrainConfig::default()),
        "pruning" => of(&Aim::default()),
        "evolution" => of(&EvolutionConfig::default()),
        "the first eight optimizers" => of(&OptimizerConfig::all()[..8].to_vec()),
        "optimizers" => of_all::<OptimizerConfig>(),
        "pruning methods" => of_all::<Method>(),
        "judges" => of_all::<JudgeChoice>(),
        _ => panic!("{kind}"),
    });
}
