//! Cases: what commands and requests to the studio answer, step by step. `tests/cases/FILE.txt` holds them, each with the
//! name of its test after `== `. A step begins a line; indented below it stands what must come of it; `#` begins a comment.
//! Each case has a folder of its own, `{{NAME}}` is what was kept under that name, and a TEXT between quotes is one of JSON.
//! `{{ROOT}}` is the repository, `{{HERE}}` the folder, `{{BUILTIN}}` the number of genomes that come with the program.
//!
//! | step | |
//! |---|---|
//! | `$ LINE` | the program with these words |
//! | `STUDIO`, `SERVE`, `SERVE FOLDER` | a studio, of a few genomes or of what is there; one that runs is killed |
//! | `GET PATH`, `POST PATH JSON`, `OPEN NAME FILE` | a request to it; the last one opens a file |
//! | `JOB ID STATUS` | waits until a job of the studio is so |
//! | `FILE NAME` | what stands in a file, also of TOML, of lines of JSON, or in a packed table |
//! | `LIST FOLDER` | the names in it, sorted |
//! | `NONE NAME…`, `WHOLE NAME…`, `SAME NAME NAME…` | files that are not there, whole, of the same bytes; folders too |
//! | `DRAWN NAME NAME…` | pictures of the same pixels |
//! | `TIME NAME` | a file that was not written since it was first asked for so |
//! | `WRITE NAME`, `COPY FROM TO`, `LINK FROM TO`, `REMOVE NAME` | the text below, a file or folder |
//! | `CUT NAME N` | a file without its last bytes |
//! | `CHANGE FROM TO` | a file whose parts are other ones, as the lines below say: `PART => PART` |
//! | `LET NAME = TEXT` | is kept |
//!
//! | what comes of it | |
//! |---|---|
//! | `code N` | how it ends; without this it must succeed |
//! | `refused N` | the same, and nothing but an error is said |
//! | `out TEXT`, `err TEXT`, `says TEXT`, `lacks TEXT` | is in the answer, in the error, in one of them, in none |
//! | `begins TEXT`, `lines N` | the answer begins so, has so many lines |
//! | `header TEXT` | is in the head of an answer of the studio |
//! | `to NAME` | the answer is written to a file |
//! | `/A/B = JSON`, `!=`, `<`, `<=`, `>`, `>=` | a part of the answer, which is JSON; an object has these keys |
//! | `/A/B equals JSON`, `~ N` | has no other key; is this to the digits that are given, six at most |
//! | `/A/B is KIND` | null, bool, number, string, array, object |
//! | `/A/B has JSON`, `once`, `lacks`, `all` | a list with such an entry, with one, without one, of such alone |
//! | `/A/B count N` | a list of so many |
//! | `/A/B as NAME`, `json NAME` | is kept: a text as it is, or as in JSON |

use crate::client::{self, Answer, Served};
use crate::files::{assert_same, files};
use crate::line::{Place, ROOT, has, list};
use crate::said::{assert_lacks, assert_says};
use crate::whole::assert_whole;
use picloom::base::table::{Column, Table};
use picloom::genome::BUILTIN;
use picloom::network::Picture;
use serde_json::{Value, from_str};
use std::collections::{BTreeMap, BTreeSet};
use std::io::Read;
use std::path::Path;

/// A test of each case of a file.
macro_rules! cases {
    ($file:ident: $($(#[$attribute:meta])* $name:ident,)*) => {
        $(
            $(#[$attribute])*
            #[test]
            fn $name() {
                $crate::cases::run(stringify!($file), stringify!($name));
            }
        )*

        #[test]
        fn every_case_has_a_test() {
            $crate::cases::assert_names(stringify!($file), &[$(stringify!($name)),*]);
        }
    };
}
pub(crate) use cases;

/// The cases of a file: their names, and their lines.
fn read(file: &str) -> Vec<(String, String)> {
    let path = Path::new(ROOT).join(format!("tests/cases/{file}.txt"));
    let text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{file}: {e}"));
    let parts = text.split("\n== ").skip(1).map(|case| case.split_once('\n').unwrap());
    parts.map(|(name, lines)| (name.to_string(), lines.to_string())).collect()
}

#[track_caller]
pub(crate) fn assert_names(file: &str, tests: &[&str]) {
    assert_eq!(read(file).iter().map(|(name, _)| name).collect::<Vec<_>>(), tests);
}

#[test]
fn every_file_of_cases_is_run() {
    let folder = |name: &str| files(&Path::new(ROOT).join(name));
    let sources =
        folder("tests/command").into_values().map(|text| String::from_utf8(text).unwrap());
    let sources: String = sources.collect();
    for name in folder("tests/cases").into_keys() {
        let begins = format!("cases! {{\n    {}:\n", name.trim_end_matches(".txt"));
        assert!(sources.contains(&begins), "{name}");
    }
}

pub(crate) fn run(file: &str, name: &str) {
    let (_, text) = read(file).into_iter().find(|(case, _)| case == name).unwrap();
    let place = Place::new();
    let here = place.path().display().to_string();
    let known = [("ROOT", ROOT.into()), ("HERE", here), ("BUILTIN", BUILTIN.len().to_string())];
    let kept = known.map(|(name, text)| (name.to_string(), text)).into();
    let mut stage = Stage { place, served: None, kept };
    let mut lines =
        text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')).peekable();
    while let Some(step) = lines.next() {
        let below = std::iter::from_fn(|| lines.next_if(|line| line.starts_with("    ")));
        stage.step(step, &below.map(|line| &line[4..]).collect::<Vec<_>>());
    }
    #[cfg(unix)]
    assert_eq!(stage.place.leftovers(), 0, "temporary files are left");
}

/// What a case has to do with.
struct Stage {
    place: Place,
    served: Option<Served>,
    kept: BTreeMap<String, String>,
}

/// What came of a step.
#[derive(Default)]
struct Came {
    code: i32,
    out: String,
    err: String,
    json: Option<Value>,
    bytes: Vec<u8>,
    headers: String,
}

impl Came {
    fn said(&self) -> String {
        format!("{}\n{}\n{}", self.code, self.out, self.err)
    }
}

impl Stage {
    /// A line with what was kept.
    fn filled(&self, line: &str) -> String {
        let fill = |line: String, (name, text): (&String, &String)| {
            line.replace(&format!("{{{{{name}}}}}"), text)
        };
        self.kept.iter().fold(line.to_string(), fill)
    }

    fn step(&mut self, step: &str, below: &[&str]) {
        let step = self.filled(step);
        // What a failed test shows: the last of these lines is the one.
        println!("{step}");
        let (verb, rest) = step.split_once(' ').unwrap_or((&step, ""));
        let words: Vec<&str> = rest.split(' ').collect();
        let studio = || self.served.as_ref().expect("no studio is served");
        let came = match verb {
            "CHANGE" => {
                let change = |text: String, change: &&str| {
                    let change = self.filled(change).replace("\\n", "\n");
                    let (from, to) = change.split_once(" =>").unwrap();
                    assert!(text.contains(from), "{from}");
                    text.replace(from, to.trim_start_matches(' '))
                };
                let text = below.iter().fold(self.place.text(words[0]), change);
                return self.place.write(words[1], text);
            }
            "WRITE" => {
                let text: String = below.iter().map(|line| format!("{line}\n")).collect();
                return self.place.write(rest, self.filled(&text));
            }
            "$" => {
                let said = self.place.run(rest);
                let json = from_str(&said.out).ok();
                let (code, bytes) = (said.code.unwrap(), said.out.clone().into_bytes());
                Came { code, out: said.out, err: said.error, json, bytes, headers: String::new() }
            }
            "GET" => answered(&studio().get(rest)),
            "POST" => {
                let (path, body) = rest.split_once(' ').unwrap();
                answered(&studio().post(path, &from_str(body).unwrap()))
            }
            "OPEN" => answered(&studio().upload(words[0], &self.place.bytes(words[1]))),
            "JOB" => {
                let json = studio().over(words[0], words[1]);
                Came { out: json.to_string(), json: Some(json), ..Came::default() }
            }
            "LIST" => {
                let entries = std::fs::read_dir(self.place.at(rest)).unwrap();
                let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
                let json = Some(names.collect::<BTreeSet<String>>().into_iter().collect());
                Came { json, ..Came::default() }
            }
            "FILE" => {
                let bytes = unpacked(rest, self.place.bytes(rest));
                let out = String::from_utf8_lossy(&bytes).into_owned();
                let json = match Path::new(rest).extension().and_then(|e| e.to_str()) {
                    Some("jsonl") => out.lines().map(|line| from_str::<Value>(line).ok()).collect(),
                    Some("toml") => Some(toml::from_str(&out).unwrap()),
                    Some("gz") => Some(rows(&Table::read(&self.place.at(rest)).unwrap())),
                    _ => from_str(&out).ok(),
                };
                Came { out, json, ..Came::default() }
            }
            _ => {
                assert!(below.is_empty(), "nothing is said of {verb}");
                return self.arrange(verb, rest, &words);
            }
        };
        let ends = |check: &&str| check.starts_with("code ") || check.starts_with("refused ");
        let is_done = [0, 200, 201].contains(&came.code);
        assert!(is_done || below.iter().any(ends), "{}", came.said());
        for check in below.iter().filter(|check| !check.starts_with('#')) {
            let check = self.filled(check);
            println!("    {check}");
            self.check(&came, &check);
        }
    }

    /// A step that nothing is said of.
    fn arrange(&mut self, verb: &str, rest: &str, words: &[&str]) {
        let place = &self.place;
        match verb {
            "STUDIO" | "SERVE" => {
                if verb == "STUDIO" {
                    client::fill(place);
                }
                self.served = None;
                self.served = Some(client::serve(&place.at(rest)));
            }
            "NONE" => words.iter().for_each(|name| assert!(!place.at(name).exists(), "{name}")),
            "WHOLE" => words.iter().for_each(|name| assert_whole(&place.at(name))),
            "SAME" => {
                let of = |name: &str| match place.at(name).is_dir() {
                    true => files(&place.at(name)),
                    false => BTreeMap::from([(String::new(), place.bytes(name))]),
                };
                words[1..].iter().for_each(|name| assert_same(&of(words[0]), &of(name), rest));
            }
            "DRAWN" => {
                let of = |name: &str| Picture::read(&place.at(name)).unwrap();
                words[1..].iter().for_each(|name| assert!(of(words[0]) == of(name), "{rest}"));
            }
            "TIME" => {
                let time = place.at(rest).metadata().unwrap().modified().unwrap();
                let first = self.kept.entry(format!("TIME {rest}")).or_insert(format!("{time:?}"));
                assert_eq!(*first, format!("{time:?}"));
            }
            "CUT" => {
                let bytes = place.bytes(words[0]);
                let left = bytes.len() - words[1].parse::<usize>().unwrap();
                place.write(words[0], &bytes[..left]);
            }
            #[cfg(unix)]
            "LINK" => {
                let link = place.at(words[1]);
                std::fs::create_dir_all(link.parent().unwrap()).unwrap();
                std::os::unix::fs::symlink(place.at(words[0]), link).unwrap();
            }
            "COPY" if place.at(words[0]).is_dir() => {
                for (name, bytes) in files(&place.at(words[0])) {
                    place.write(&format!("{}/{name}", words[1]), bytes);
                }
            }
            "COPY" => place.write(words[1], place.bytes(words[0])),
            "REMOVE" if place.at(rest).is_dir() => std::fs::remove_dir_all(place.at(rest)).unwrap(),
            "REMOVE" => std::fs::remove_file(place.at(rest)).unwrap(),
            "LET" => {
                let (name, text) = rest.split_once(" = ").unwrap();
                self.kept.insert(name.into(), text.into());
            }
            _ => panic!("no such step: {verb} {rest}"),
        }
    }

    fn check(&mut self, came: &Came, check: &str) {
        let (what, rest) = check.split_once(' ').unwrap();
        if let Some(path) = what.strip_prefix('/') {
            let pointer = if path.is_empty() { "" } else { what };
            let json = came.json.as_ref().unwrap_or_else(|| panic!("no JSON: {}", came.said()));
            let found = json.pointer(pointer).unwrap_or(&Value::Null);
            return match rest.split_once(' ').unwrap() {
                ("as", name) => drop(self.kept.insert(name.into(), plain(found))),
                ("json", name) => drop(self.kept.insert(name.into(), found.to_string())),
                (relation, wanted) => {
                    assert!(holds(found, relation, wanted), "{}\n{found}", came.said());
                }
            };
        }
        let text = from_str(rest).unwrap_or_else(|_| rest.to_string());
        match what {
            "code" => assert_eq!(came.code.to_string(), rest, "{}", came.said()),
            "refused" => {
                assert_eq!(came.code.to_string(), rest, "{}", came.said());
                assert!(came.out.is_empty() || !came.headers.is_empty(), "{}", came.said());
            }
            "out" => assert_says(&came.out, &[&text]),
            "err" => assert_says(&came.err, &[&text]),
            "header" => assert_says(&came.headers, &[&text]),
            "to" => self.place.write(rest, &came.bytes),
            "begins" => assert!(came.out.starts_with(&text), "{}", came.said()),
            "lines" => assert_eq!(came.out.lines().count().to_string(), rest, "{}", came.said()),
            "says" => assert_says(&came.said(), &[&text]),
            "lacks" => assert_lacks(&came.said(), &[&text]),
            _ => panic!("nothing can be {what}"),
        }
    }
}

/// An answer of the studio: bytes, or JSON, or JSON after the bytes of pictures.
fn answered(answer: &Answer) -> Came {
    let parts = answer.header("x-json").map(|at| answer.body.split_at(at.parse().unwrap()));
    let (bytes, json) = parts.unwrap_or((&answer.body, &answer.body));
    let json: Option<Value> = serde_json::from_slice(json).ok();
    let error = json.as_ref().and_then(|json| json["error"].as_str());
    let err = error.unwrap_or_default().to_string();
    let (bytes, headers) = (bytes.to_vec(), answer.headers.clone());
    Came { code: answer.status.into(), out: answer.text(), err, json, bytes, headers }
}

/// The bytes of a file, unpacked if it is a table.
pub(crate) fn unpacked(name: &str, bytes: Vec<u8>) -> Vec<u8> {
    if !name.ends_with(".gz") {
        return bytes;
    }
    let mut unpacked = Vec::new();
    flate2::read::GzDecoder::new(&bytes[..]).read_to_end(&mut unpacked).unwrap();
    unpacked
}

/// Each row by the names of its columns.
fn rows(table: &Table) -> Value {
    let cell = |column: &Column, row| (column.name().to_string(), column.text(row).into());
    let row = |row| table.columns().iter().map(|column| cell(column, row)).collect();
    (0..table.len()).map(|at| Value::Object(row(at))).collect()
}

/// A text as it is, anything else as JSON.
fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), String::from)
}

#[track_caller]
fn holds(found: &Value, relation: &str, wanted: &str) -> bool {
    let json = || from_str(wanted).unwrap_or_else(|e| panic!("{wanted}: {e}"));
    let wanted_number = || wanted.parse::<f64>().unwrap_or_else(|e| panic!("{wanted}: {e}"));
    let number = || found.as_f64().unwrap_or_else(|| panic!("no number: {found}"));
    match relation {
        "=" => has(found, &json()),
        "equals" => *found == json(),
        "!=" => !found.is_null() && !has(found, &json()),
        "<" => number() < wanted_number(),
        "<=" => number() <= wanted_number(),
        ">" => number() > wanted_number(),
        ">=" => number() >= wanted_number(),
        "~" => {
            let digits = wanted.split_once('.').map_or(0, |(_, digits)| digits.len());
            (number() - wanted_number()).abs() < 0.5 * 0.1_f64.powi(digits.min(6) as i32)
        }
        "is" => wanted == kind(found),
        "count" => list(found).len().to_string() == wanted,
        "once" => list(found).iter().filter(|entry| has(entry, &json())).count() == 1,
        "all" => list(found).iter().all(|entry| has(entry, &json())),
        "has" | "lacks" => (relation == "has") == list(found).iter().any(|one| has(one, &json())),
        _ => panic!("no such relation: {relation}"),
    }
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "bool",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}
