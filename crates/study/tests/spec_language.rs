//! The language of specs: what stands for several tables, and what a spec takes from another.

#[path = "../../../tests/common/answers.rs"]
mod answers;

use picloom_base::refusal::Refusal;
use picloom_study::spec::{Spec, SpecFile, seeds};
use serde::Deserialize;
use std::path::Path;

#[derive(Debug, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
struct Balls {
    name: String,
    #[serde(rename = "question")]
    _question: String,
    #[serde(deserialize_with = "seeds")]
    seeds: Vec<u64>,
    #[serde(default)]
    balls: Vec<Ball>,
}

#[derive(Debug, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
struct Ball {
    name: String,
    #[serde(default)]
    size: f64,
    #[serde(default)]
    colours: Vec<String>,
    #[serde(default)]
    genome: String,
}

impl Spec for Balls {
    const KIND: &'static str = "balls";

    fn check(&self) -> Result<(), Refusal> {
        Ok(())
    }
}

const HEAD: &str = "kind = \"balls\"\nname = \"b\"\nquestion = \"?\"\nseeds = [1]\n";

fn read(text: &str) -> Result<Balls, String> {
    let file = SpecFile::parse(Path::new("s.toml"), text).map_err(|e| e.to_string())?;
    file.spec(None).map(|found| found.0).map_err(|e| e.to_string())
}

fn of(text: &str) -> Result<Vec<Ball>, String> {
    read(&format!("{HEAD}{text}")).map(|spec| spec.balls)
}

fn names(balls: &[Ball]) -> Vec<&str> {
    balls.iter().map(|ball| ball.name.as_str()).collect()
}

#[test]
fn one_table_stands_for_several() {
    let balls =
        of("[[balls]]\nname = \"first\"\n[[balls]]\nfor = [\"a\", \"b\"]\nname = \"ball-{}\"\n")
            .unwrap();
    assert_eq!(names(&balls), ["first", "ball-a", "ball-b"]);
    let text = "[[balls]]\nfor = [{ n = 1, c = [\"red\"] }, { n = 2, c = [\"red\", \"blue\"] }]\n\
                name = \"b{n}\"\nsize = \"{n}\"\ncolours = \"{c}\"\n";
    let balls = of(text).unwrap();
    assert_eq!(names(&balls), ["b1", "b2"]);
    assert_eq!((balls[1].size, balls[1].colours.len()), (2.0, 2));
}

#[test]
fn a_row_adds_its_keys_to_what_the_rows_have_in_common() {
    let text = "[[balls]]\nfor = [{ name = \"a\" }, { name = \"b\", size = 3, colours = [\"{name}\"] }]\nsize = 2\n";
    let balls = of(text).unwrap();
    assert_eq!((balls[0].size, balls[1].size), (2.0, 3.0));
    assert_eq!((names(&balls), &balls[1].colours), (vec!["a", "b"], &vec!["{name}".to_string()]));
}

#[test]
fn what_cannot_be_meant_is_refused() {
    answers::hold("specs", |text| {
        match text.strip_prefix("seeds = ") {
            Some(seeds) => read(&HEAD.replace("[1]", seeds)).map(|spec| spec.balls),
            None => of(text),
        }
        .unwrap_err()
    });
}

#[test]
fn seeds_are_numbers_and_ranges_with_both_ends() {
    let of = |text: &str| read(&HEAD.replace("[1]", text)).map(|spec| spec.seeds);
    assert_eq!(of("\"3..5\"").unwrap(), [3, 4, 5]);
    assert_eq!(of("[1, \"3..5\", 9]").unwrap(), [1, 3, 4, 5, 9]);
}

#[test]
fn files_are_found_beside_the_spec_and_named_as_they_are() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("g")).unwrap();
    for file in ["b_2.json", "b_1.json", "other.json"] {
        std::fs::write(folder.path().join("g").join(file), "{}").unwrap();
    }
    let spec = folder.path().join("s.toml");
    std::fs::write(
        &spec,
        format!("{HEAD}[[balls]]\ngenomes = [\"g/b_*.json\", \"g/other.json\"]\n"),
    )
    .unwrap();
    let balls = SpecFile::read(&spec).unwrap().spec::<Balls>(None).unwrap().0.balls;
    assert_eq!(names(&balls), ["b_1", "b_2", "other"]);
    assert_eq!(balls[0].genome, "g/b_1.json");
}

#[test]
fn a_spec_extends_another() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    let base =
        "[[balls]]\nfor = [\"a\", \"b\", \"c\"]\nname = \"{}\"\n[profiles.quick]\nseeds = [7]\n";
    write("base.toml", &format!("{HEAD}{base}"));
    write("mid.toml", "extends = \"base.toml\"\nballs = [\"c\", \"a\", { name = \"d\" }]\n");
    write(
        "top.toml",
        "extends = \"mid.toml\"\nname = \"top\"\nseeds = \"1..3\"\n[balls.c]\nsize = 4\n",
    );
    let read = |name: &str, profile: Option<&str>| {
        SpecFile::read(&folder.path().join(name)).and_then(|file| file.spec::<Balls>(profile))
    };
    let top = read("top.toml", None).unwrap().0;
    assert_eq!((top.name.as_str(), names(&top.balls)), ("top", vec!["c", "a", "d"]));
    assert_eq!((top.seeds.len(), top.balls[0].size), (3, 4.0));
    assert_eq!(read("top.toml", Some("quick")).unwrap().0.seeds, [7]);

    write("other.toml", "extends = \"base.toml\"\nballs = [\"a\", \"z\"]\n");
    let error = read("other.toml", None).unwrap_err().to_string();
    assert!(error.contains("some of [\"a\", \"b\", \"c\"]") && error.contains('z'), "{error}");

    // An error is told in the file in which it stands.
    write("bad.toml", "extends = \"base.toml\"\n\nwrong = 1\n");
    let error = read("bad.toml", None).unwrap_err().to_string();
    assert!(error.contains("bad.toml") && error.contains("line 3"), "{error}");
    write("base.toml", &format!("{HEAD}\nwrong = 1\n{base}"));
    let error = read("top.toml", None).unwrap_err().to_string();
    assert!(error.contains("base.toml") && error.contains("line 6"), "{error}");
    write("round.toml", "extends = \"round.toml\"\n");
    let error = read("round.toml", None).unwrap_err().to_string();
    assert!(error.contains("at most 8 specs"), "{error}");
    write("gone.toml", "extends = \"nowhere.toml\"\n");
    let error = read("gone.toml", None).unwrap_err().to_string();
    assert!(error.contains("nowhere.toml: expected a spec that can be read"), "{error}");
}

#[test]
fn a_contrast_asks_more_beside_itself() {
    let text = "[contrast_defaults]\nwhere = { arm = \"dense\" }\n[[contrasts]]\nid = \"A\"\n\
                between = [{ v = \"x\" }, { v = \"y\" }]\n\
                more = [{ id = \"-learned\", of = \"fit\", where = { seed = 1 } }]\n";
    let file = SpecFile::parse(Path::new("s.toml"), &format!("{HEAD}{text}")).unwrap();
    let contrasts = file.analysis().unwrap().contrasts;
    assert_eq!(contrasts.len(), 2);
    let (own, more) = (&contrasts[0], &contrasts[1]);
    assert_eq!(
        (more.id.as_str(), more.claim.as_deref(), more.beside),
        ("A-learned", Some("A"), true)
    );
    assert_eq!((more.of.column(), &more.between), ("fit", &own.between));
    assert_eq!(more.rows.to_string(), "arm=dense,seed=1");
    // One key says that a contrast stands beside a claim, here and in `more`.
    let beside = text.replace("between", "beside = \"B\"\nbetween");
    let file = SpecFile::parse(Path::new("s.toml"), &format!("{HEAD}{beside}")).unwrap();
    for contrast in file.analysis().unwrap().contrasts {
        assert_eq!((contrast.claim.as_deref(), contrast.beside), (Some("B"), true));
    }
    let wrong = text.replace("id = \"-learned\", ", "");
    let error = SpecFile::parse(Path::new("s.toml"), &format!("{HEAD}{wrong}"))
        .unwrap()
        .analysis()
        .unwrap_err();
    assert!(error.to_string().contains("contrast A: more"), "{error}");
}
