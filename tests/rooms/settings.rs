//! Settings are declared once: docs/SETTINGS.md and Python's stub are made from the declarations.
//! `UPDATE_GOLDEN=1 cargo test --test rooms settings` writes them anew.

use picloom::evolve::{EvolveConfig, NoveltyConfig};
use picloom::experiment::evolution::EvolutionConfig;
use picloom::math::settings::{Overlay, Setting, Settings};
use picloom::prune::schedule::Aim;
use picloom::train::{OptimizerConfig, TrainConfig};
use std::fmt::Write as _;
use std::path::Path;

/// Every table of settings, by the name that it has in the pages.
fn tables() -> Vec<(&'static str, Vec<Setting>)> {
    vec![
        ("training", TrainConfig::settings()),
        ("pruning", Aim::settings()),
        ("search", EvolutionConfig::settings()),
        ("evolution", EvolveConfig::settings()),
        ("novelty", NoveltyConfig::settings()),
    ]
}

/// The settings as rows of a Markdown table: name or key, meaning, values, default, source.
fn markdown(rows: &[Setting]) -> String {
    let cell = |text: &str| text.replace('|', "\\|");
    let mut text =
        String::from("| setting | key in files | meaning | values | default | source |\n");
    text += "|---|---|---|---|---|---|\n";
    for row in rows {
        let name = if row.name.is_empty() { String::new() } else { format!("`{}`", row.name) };
        let values = match (row.kind.names.is_empty(), row.kind.range.is_empty()) {
            (false, _) => row.kind.names.join(", "),
            (true, false) => row.kind.range.clone(),
            _ => String::new(),
        };
        let default = match (&row.defaults, row.about.unless) {
            ([Some(one), Some(other)], "") if one != other => format!("{one}; neat: {other}"),
            ([Some(one), _], "") => one.clone(),
            (_, unless) => unless.to_string(),
        };
        let (path, means, source) = (&row.path, cell(&row.means), row.about.source);
        let _ = writeln!(
            text,
            "| {name} | `{path}` | {means} | {} | {} | {source} |",
            cell(&values),
            cell(&default)
        );
    }
    text
}

/// The settings as lines of a `TypedDict` of Python.
fn python_stub(rows: &[Setting]) -> String {
    let named = rows.iter().filter(|row| !row.name.is_empty());
    named.map(|row| format!("    {}: {}\n", row.name, row.kind.python)).collect()
}

/// Holds what stands between the marks of every table in a file to what the declarations say.
fn assert_generated(file: &str, mark: &str, end: &str, write: fn(&[Setting]) -> String) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(file);
    let found = std::fs::read_to_string(&path).unwrap();
    let mut text = found.clone();
    for (name, rows) in tables() {
        let begin = mark.replace("NAME", name);
        let Some(at) = text.find(&begin).map(|at| at + begin.len()) else { continue };
        let length = text[at..].find(end).unwrap_or_else(|| panic!("{file}: {name} has no end"));
        text.replace_range(at..at + length, &write(&rows));
    }
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(&path, text).unwrap();
    } else {
        assert!(text == found, "{file} is not what the settings say; UPDATE_GOLDEN=1 writes it");
    }
}

#[test]
fn the_page_of_settings_is_what_the_declarations_say() {
    assert_generated("docs/SETTINGS.md", "<!-- NAME -->\n", "<!-- end -->", markdown);
}

#[test]
fn the_stub_of_python_is_what_the_declarations_say() {
    let (file, end) = ("python/lib/picloom/_core.pyi", "    # end");
    assert_generated(file, "    # settings of NAME\n", end, python_stub);
}

#[test]
fn values_by_name_are_laid_over_the_defaults_and_refused_outside_their_range() {
    let with = |text: &str| TrainConfig::default().with(&text.parse().unwrap());
    let config = with("lr = 1\nplateau = 20\noptimizer = \"muon:steps=7\"\ncheckpoints = [0.5]");
    let config = config.unwrap();
    let plateau = config.plateau.unwrap();
    assert_eq!((config.schedule.lr, plateau.window, plateau.improvement), (1.0, 20, 1e-3));
    assert_eq!(config.optimizer, "muon:steps=7".parse::<OptimizerConfig>().unwrap());
    assert_eq!((config.checkpoints, config.steps), (vec![0.5], 100_000));
    for (text, said) in [
        ("lr = 0", "lr: expected a finite number above 0, found 0.0"),
        ("lr = nan", "lr: expected a finite number above 0, found NaN"),
        ("steps = -1", "steps: expected a whole number of at least 0, found -1"),
        ("retry_lr = 1.0", "retry_lr: expected a number in (0, 1), found 1.0"),
        ("checkpoints = [0.5, 1.5]", "checkpoints: expected a number in (0, 1), found 1.5"),
        ("schedule = \"cosin\"", "did you mean \"cosine\"?"),
        ("optimizer = \"adam:beta1=2\"", "beta1"),
        ("stepz = 3", "did you mean \"steps\"?"),
        ("least_fall = 0.1", "plateau.window: expected"),
    ] {
        let refused = with(text).and_then(|config| config.check(64).map(|()| config));
        let refused = refused.unwrap_err().to_string();
        assert!(refused.contains(said), "{text}: {refused}");
    }
}

#[test]
fn every_default_is_a_value_that_its_own_setting_takes() {
    for (table, rows) in tables() {
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
    let refused = overlay("lr = 1\nfloor = 2.0\n").unwrap_err().to_string();
    assert!(refused.contains("floor: expected a number in [0, 1]"), "{refused}");
    assert!(refused.contains("line 2"), "{refused}");
    assert!(overlay("flor = 0.1").unwrap_err().to_string().contains("did you mean \"floor\""));
}
