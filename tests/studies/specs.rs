//! Specs of studies: profiles, paths, and the templates of single networks.

use crate::answers::{changed, hold};
use crate::refusals::assert_refused;
use picloom::base::refusal::Refusal;
use picloom::experiment::networks::NetworksSpec;
use picloom::experiment::template::{Changes, Template};
use picloom::study::spec::{Places, STANDARD, Spec, SpecError, SpecFile, read_text};
use serde::Deserialize;
use std::path::Path;

#[derive(Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
struct Small {
    a: usize,
    b: Inner,
    rows: Vec<Row>,
}

#[derive(Debug, PartialEq, Deserialize)]
struct Inner {
    c: Vec<usize>,
    d: usize,
}

#[derive(Debug, PartialEq, Deserialize)]
struct Row {
    name: String,
}

impl Spec for Small {
    const KIND: &'static str = "small";

    fn check(&self) -> Result<(), Refusal> {
        Refusal::unless(self.a > 0, "a", "above 0", self.a.to_string())
    }
}

const TEXT: &str = "kind = \"small\"\na = 1\nrows = [{ name = \"x\" }, { name = \"y\" }]\n\
    [b]\nc = [1, 2]\nd = 3\n[profiles.q]\nrows = [\"y\"]\nb = { c = [9] }\n";

fn spec(text: &str, profile: Option<&str>) -> Result<Small, SpecError> {
    read_text(Path::new("s.toml"), text, profile).map(|read| read.0)
}

#[test]
fn a_profile_changes_tables_key_by_key_arrays_whole_and_keeps_named_tables() {
    let (standard, quick) = (spec(TEXT, None).unwrap(), spec(TEXT, Some("q")).unwrap());
    assert_eq!((standard.b.c, standard.rows.len()), (vec![1, 2], 2));
    assert_eq!(quick.b, Inner { c: vec![9], d: 3 });
    assert_eq!(quick.rows, [Row { name: "y".into() }]);
    let whole = TEXT.replace("rows = [\"y\"]", "rows = [{ name = \"z\" }]");
    assert_eq!(spec(&whole, Some("q")).unwrap().rows, [Row { name: "z".into() }]);
    let changed = TEXT.replace("rows = [\"y\"]", "rows.y.name = \"w\"");
    let names = ["x", "w"].map(|name| Row { name: name.into() });
    assert_eq!(spec(&changed, Some("q")).unwrap().rows, names);
}

#[test]
fn a_path_is_looked_for_beside_the_spec_and_then_above() {
    let root = tempfile::tempdir().unwrap();
    let folder = root.path().join("studies");
    std::fs::create_dir(&folder).unwrap();
    for file in ["both.png", "above.png"] {
        std::fs::write(root.path().join(file), "").unwrap();
    }
    std::fs::write(folder.join("both.png"), "").unwrap();
    let places = Places::of(&folder.join("s.toml"));
    let found = |name: &str| places.find(Path::new(name)).unwrap();
    assert_eq!(found("both.png"), folder.join("both.png"));
    assert_eq!(found("above.png"), root.path().join("above.png"));
    assert_eq!(found("none.png"), folder.join("none.png"));
    assert_eq!(Places::of(Path::new("s.toml")).above, Path::new(".."));
    assert_eq!(Places::of(Path::new("studies/s.toml")).above, Path::new("."));
}

#[test]
fn what_is_wrong_is_said_with_its_place_in_other_profiles_too() {
    hold("refusals/profiles", |changes| {
        spec(&changed(TEXT, changes), None).unwrap_err().to_string()
    });
    let error = spec("kind = \"small\"\nprofiles = 3\n", None).unwrap_err();
    assert_refused(&error, ["s.toml: profiles", "tables, one a profile", "another value"]);
    let error = spec(TEXT, Some("r")).unwrap_err();
    assert_refused(&error, ["s.toml: profile", "standard or one of q", "\"r\""]);
}

#[test]
fn every_profile_that_is_offered_is_the_templates() {
    for template in [Template::Compare, Template::DepthSweep, Template::Regime, Template::Distil] {
        let file = SpecFile::parse(Path::new("asset"), template.text()).unwrap();
        let mut said = file.title().profiles;
        said.push(STANDARD.into());
        let mut offered = template.profiles().to_vec();
        said.sort();
        offered.sort();
        assert_eq!(said, offered, "{template:?}");
        file.spec::<NetworksSpec>(None).unwrap();
    }
}

#[test]
fn a_profile_and_an_option_are_laid_over_the_template() {
    let changes = Changes { profile: Some("quick".into()), steps: Some(7), ..Changes::default() };
    let spec = Template::Compare.spec(&changes).unwrap();
    assert_eq!((spec.size, spec.steps, spec.own.sample), (64, 7, Some(200)));
    let error = Changes { profile: Some("quik".into()), ..changes };
    let error = Template::Compare.spec(&error).unwrap_err();
    assert_refused(&error, ["profile", "one of quick, standard, paper", "\"quik\""]);
    let large = Changes { seeds: Some(vec![u64::MAX]), ..Changes::default() };
    assert!(Template::Compare.spec(&large).is_err(), "no TOML holds it");
}
