//! Tables: their files, conditions and measures.

use crate::refusals::assert_refused;
use picloom::base::table::{Filter, Measure, Table};
use serde::Deserialize;

fn small() -> Table {
    let mut table = Table::new(["arm", "seed", "score", "fit"]);
    table.push(&["sp", "0", "0.5", "true"]);
    table.push(&["dense", "", "", "false"]);
    table
}

#[test]
fn a_table_is_read_as_it_was_written_packed_or_not() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["rows.csv", "rows.csv.gz"] {
        let path = folder.path().join(name);
        small().write(&path).unwrap();
        let read = Table::read(&path).unwrap();
        assert_eq!(read.to_csv(), small().to_csv());
        assert_eq!(read.column("score").unwrap().number(0), Some(0.5));
        assert_eq!(read.column("fit").unwrap().number(1), Some(0.0));
        assert_eq!(read.column("seed").unwrap().number(1), None);
    }
    std::fs::write(folder.path().join("twice.csv"), "a,a\n1,2\n").unwrap();
    let refused = Table::read(&folder.path().join("twice.csv")).unwrap_err();
    assert_refused(&refused, ["twice.csv", "", "two columns named \"a\""]);
    let refused = small().column("scor").unwrap_err();
    assert_refused(&refused, ["column", "one of arm", "\"scor\"; did you mean \"score\"?"]);
}

#[test]
fn tables_with_other_columns_are_put_one_under_the_other() {
    let other = Table::new(["arm", "kept"]).with_constant("study", "b");
    let mut other = other;
    other.push(&["b", "sp", "10"]);
    let all = Table::concat([small().with_constant("study", "a"), other]);
    assert_eq!(all.len(), 3);
    assert_eq!(all.column("study").unwrap().text(2), "b");
    assert_eq!(all.column("kept").unwrap().number(0), None);
    assert_eq!(all.column("kept").unwrap().number(2), Some(10.0));
}

#[test]
fn conditions_are_read_from_text_and_from_a_spec_alike() {
    let mut table = Table::new(["arm", "level", "r2", "at"]);
    table.push(&["sp", "2", "0.99", ""]);
    table.push(&["sp", "3", "0.9", "0.9"]);
    table.push(&["dense", "0", "", ""]);
    let rows = |text: &str| text.parse::<Filter>().unwrap().rows(&table).unwrap();
    assert_eq!(rows("arm=sp,level=2|3"), [0, 1]);
    assert_eq!(rows("level=2.0"), [0]);
    assert_eq!(rows("r2>=0.95"), [0]);
    assert_eq!(rows("at="), [0, 2]);
    assert_eq!(rows("arm!=dense, r2<0.95"), [1]);
    #[derive(Deserialize)]
    struct Spec {
        r#where: Filter,
    }
    let spec: Spec =
        toml::from_str("where = { arm = \"sp\", level = [2, 3], r2 = \">=0.95\" }").unwrap();
    assert_eq!(spec.r#where.rows(&table).unwrap(), [0]);
    assert_eq!(spec.r#where.to_string(), "arm=sp,level=2|3,r2>=0.95");
    assert_refused(&"sp".parse::<Filter>().unwrap_err(), ["", "conditions column=value", "\"sp\""]);
    assert!("r2>=high".parse::<Filter>().is_err());
    let over = "level=1".parse::<Filter>().unwrap().over(&spec.r#where);
    assert_eq!(over.to_string(), "arm=sp,r2>=0.95,level=1");
}

#[test]
fn a_measure_is_a_column_or_a_function_of_one() {
    let mut table = Table::new(["alive"]);
    table.push(&["8"]);
    table.push(&["-3"]);
    let column = table.column("alive").unwrap();
    let value = |text: &str, row| text.parse::<Measure>().unwrap().value(column, row);
    assert_eq!(value("log2(alive)", 0), Some(3.0));
    assert_eq!(value("log2(alive)", 1), None);
    assert_eq!(value("max(alive,-1)", 1), Some(-1.0));
    for text in ["log2(alive)", "max(alive,-1)", "alive"] {
        assert_eq!(text.parse::<Measure>().unwrap().to_string(), text);
    }
    assert!("sqrt(alive)".parse::<Measure>().is_err());
}
