//! A result on disk: a table, and the head that names its columns.

use crate::refusals::{assert_refused, refusal_of};
use picloom::base::table::Table;
use picloom::study::Record;
use picloom::study::record::{ROWS, RecordError, STUDY, six_digits, study_of};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Small {
    format: String,
    study: String,
    by: BTreeMap<String, Vec<f64>>,
    rows: Vec<Row>,
    others: Vec<Row>,
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Row {
    name: String,
    result: Option<Inner>,
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Inner {
    x: f64,
    fit: bool,
    list: Vec<usize>,
}

impl Record for Small {
    const FORMAT: &'static str = "small/1";
    const LISTS: &'static [&'static str] = &["rows", "others"];
    const COLUMNS: &'static [(&'static str, &'static str)] =
        &[("name", "Its name."), ("points", "Its points.")];
    const NAMES: &'static [(&'static str, &'static str)] = &[("result.list", "points")];

    fn summary(&self) -> String {
        String::new()
    }
}

fn small() -> Small {
    let row = |name: &str, result| Row { name: name.into(), result };
    Small {
        format: Small::FORMAT.into(),
        study: "s".into(),
        by: [("k".to_string(), vec![1.0])].into(),
        rows: vec![
            row("p, q", Some(Inner { x: 1e-7, fit: true, list: vec![1, 2] })),
            row("=1+1", None),
        ],
        others: vec![row("12", Some(Inner { x: 2.0, fit: false, list: vec![3] }))],
    }
}

#[test]
fn a_record_is_a_table_and_a_head_and_is_read_as_it_was() {
    let folder = tempfile::tempdir().unwrap();
    small().save(folder.path()).unwrap();
    let table = Table::read(&folder.path().join(ROWS)).unwrap();
    let wanted = "list,name,points,fit,x\nrows,\"p, q\",\"[1,2]\",true,1e-7\nrows,'=1+1,,,\nothers,12,[3],false,2.0\n";
    assert_eq!(String::from_utf8(table.to_csv()).unwrap(), wanted);
    assert_eq!(Small::read(folder.path()).unwrap(), small());
    assert_eq!(study_of(folder.path()).as_deref(), Some("s"));
    let head = std::fs::read_to_string(folder.path().join(STUDY)).unwrap();
    assert!(head.contains("\"says\": \"Its points.\"") && head.contains("\"rows\": 3"));
}

#[test]
fn a_damaged_record_is_refused_with_its_place() {
    let folder = tempfile::tempdir().unwrap();
    let rows = folder.path().join(ROWS);
    let refused = |csv: &str| {
        small().save(folder.path()).unwrap();
        std::fs::write(&rows, csv).unwrap();
        Small::read(folder.path()).unwrap_err()
    };
    let error = refused("list,name,x\nrows,a,high\nrows,b,1\nrows,c,1\n");
    assert_refused(&error, ["row 1, column x", "a number", "\"high\""]);
    let error = refused("list,colour\nrows,a\nrows,a\nrows,a\n");
    assert_refused(&error, [STUDY, "every column of the table", "a column \"colour\""]);
    let damaged = |error: RecordError| {
        let refusal = refusal_of(&error);
        (refusal.at.clone().into(), refusal.found.clone())
    };
    let found = damaged(refused("list,name\nrows,a\n"));
    assert_eq!(found, (rows.clone(), "1 rows where study.json says 3".into()));
    let study = folder.path().join(STUDY);
    std::fs::remove_file(&study).unwrap();
    assert_eq!(damaged(Small::read(folder.path()).unwrap_err()).0, study);
}

#[test]
fn six_digits_are_kept() {
    assert_eq!(six_digits(0.123_456_789), 0.123_457);
    assert_eq!(six_digits(2.251_264_796e-4), 2.251_26e-4);
    assert!(six_digits(f64::NAN).is_nan());
}
