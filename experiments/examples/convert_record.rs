//! Converts a result as it was written until now, FOLDER/record.json, to study.json and rows.csv.gz beside it.
//!
//! `cargo run --release -p picloom-experiments --example convert_record figures/*/`

use picloom::experiment::Record;
use picloom::experiment::networks::NetworksRecord;
use picloom_experiments::structural::StructuralRecord;
use picloom_experiments::theory::record::TheoryRecord;
use picloom_experiments::training::TrainingRecord;
use serde_json::{Map, Value};
use std::path::Path;

/// Writes the rows of a record out that names its fields once, in `columns`.
fn unfold(record: &mut Map<String, Value>) {
    let Some(columns) = record.remove("columns") else { return };
    let columns: Vec<String> = serde_json::from_value(columns).expect("names");
    for row in record["rows"].as_array_mut().expect("rows") {
        let Value::Array(cells) = row.take() else { panic!("a list of values") };
        for (column, cell) in columns.iter().zip(cells).filter(|(_, cell)| !cell.is_null()) {
            let mut at = &mut *row;
            for step in column.replace('[', ".").replace(']', "").split('.') {
                at = match step.parse::<usize>() {
                    Ok(item) => {
                        if at.is_null() {
                            *at = Value::Array(Vec::new());
                        }
                        let items = at.as_array_mut().expect("a list");
                        if items.len() <= item {
                            items.resize(item + 1, Value::Null);
                        }
                        &mut items[item]
                    }
                    Err(_) => &mut at[step],
                };
            }
            *at = cell;
        }
    }
}

fn convert<R: Record>(value: Value, folder: &Path) {
    let record: R = serde_json::from_value(value.clone()).expect("a record");
    record.save(folder).expect("the folder can be written");
    let read = R::read(folder).expect("as it was written");
    let plain = |record: &R| serde_json::to_value(record).expect("plain data");
    assert_eq!(plain(&read), plain(&record), "{}: nothing is lost", folder.display());
}

fn main() {
    for folder in std::env::args().skip(1) {
        let folder = Path::new(&folder);
        let Ok(text) = std::fs::read_to_string(folder.join("record.json")) else { continue };
        let mut value: Value = serde_json::from_str(&text).expect("JSON");
        unfold(value.as_object_mut().expect("a record"));
        let format = value["format"].as_str().unwrap_or_default().to_string();
        match format.as_str() {
            "picloom-networks/1" => convert::<NetworksRecord>(value, folder),
            "picloom-training/1" => convert::<TrainingRecord>(value, folder),
            "picloom-theory/1" => convert::<TheoryRecord>(value, folder),
            "picloom-structural/1" => convert::<StructuralRecord>(value, folder),
            other => println!("{}: left, {other}", folder.display()),
        }
        println!("{}", folder.display());
    }
}
