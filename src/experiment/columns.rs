//! A record whose rows are lists under one list of `columns`, which names every field once: a third
//! of the bytes of a row of names and values each, and nothing lost.
//!
//! A column is the path of a value in a row: `result.score.low`, `result.reached[0].level`. A row
//! ends at its last value; what it has not is `null`.

use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// The columns of rows, those that most rows have first, then in the order of `first`; and the rows.
/// None if a row is not an object of values.
pub(super) fn fold(rows: &[Value], first: &[&str]) -> Option<(Vec<String>, Vec<Vec<Value>>)> {
    let rows: Vec<BTreeMap<String, &Value>> = rows
        .iter()
        .map(|row| {
            let mut cells = BTreeMap::new();
            flatten(String::new(), row, &mut cells);
            has_fields(row).then_some(cells)
        })
        .collect::<Option<_>>()?;
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for path in rows.iter().flat_map(BTreeMap::keys) {
        *counts.entry(path).or_default() += 1;
    }
    let place = |path: &str| first.iter().position(|f| *f == path).unwrap_or(first.len());
    let mut columns: Vec<(&str, usize)> = counts.into_iter().collect();
    columns.sort_by_key(|&(path, count)| (std::cmp::Reverse(count), place(path)));
    let list = |row: &BTreeMap<String, &Value>| {
        let last = columns.iter().rposition(|(path, _)| row.contains_key(*path));
        let used = &columns[..last.map_or(0, |last| last + 1)];
        used.iter().map(|(path, _)| row.get(*path).copied().cloned().unwrap_or_default()).collect()
    };
    let lists = rows.iter().map(list).collect();
    Some((columns.iter().map(|(path, _)| path.to_string()).collect(), lists))
}

/// The values in `value` by their path from `path`, but for those that are null.
fn flatten<'a>(path: String, value: &'a Value, to: &mut BTreeMap<String, &'a Value>) {
    match value {
        Value::Null => {}
        Value::Object(fields) if has_fields(value) && fields.keys().all(|k| is_name(k)) => {
            for (key, value) in fields {
                let dot = if path.is_empty() { "" } else { "." };
                flatten(format!("{path}{dot}{key}"), value, to);
            }
        }
        Value::Array(items) if !items.is_empty() && items.iter().all(has_fields) => {
            for (i, item) in items.iter().enumerate() {
                flatten(format!("{path}[{i}]"), item, to);
            }
        }
        _ => {
            to.insert(path, value);
        }
    }
}

/// Whether a key can stand in a path.
fn is_name(key: &str) -> bool {
    !key.is_empty() && !key.contains(['.', '[', ']'])
}

/// Whether it is an object, and something in it is not null.
fn has_fields(value: &Value) -> bool {
    let holds = |value: &Value| !value.is_null() && (!value.is_object() || has_fields(value));
    value.as_object().is_some_and(|fields| fields.values().any(holds))
}

/// A record with rows of names and values, from one with `columns`.
///
/// # Errors
/// Columns that are no paths, a row longer than them.
pub(super) fn unfold(record: &mut Map<String, Value>) -> Result<(), String> {
    let Some(columns) = record.remove("columns") else { return Ok(()) };
    let columns: Vec<String> =
        serde_json::from_value(columns).map_err(|e| format!("columns: {e}"))?;
    let paths: Vec<Vec<Step<'_>>> =
        columns.iter().map(|column| steps(column)).collect::<Result<_, _>>()?;
    let rows = record.get_mut("rows").and_then(Value::as_array_mut);
    for (number, row) in rows.ok_or("columns without rows")?.iter_mut().enumerate() {
        let cells = match row.take() {
            Value::Array(cells) if cells.len() <= paths.len() => cells,
            Value::Array(cells) => {
                let (values, columns) = (cells.len(), paths.len());
                return Err(format!("row {}: {values} values, {columns} columns", number + 1));
            }
            _ => return Err(format!("row {}: no list of values", number + 1)),
        };
        *row = Value::Object(Map::new());
        let cells = columns.iter().zip(&paths).zip(cells).filter(|(_, cell)| !cell.is_null());
        for ((column, path), cell) in cells {
            put(row, path, cell).map_err(|()| {
                format!("row {}: {column:?} and another column exclude each other", number + 1)
            })?;
        }
    }
    Ok(())
}

/// One step of a path.
enum Step<'a> {
    Field(&'a str),
    Item(usize),
}

/// Items of one list in a row: no record has more, and a column's number should not fill the memory.
const MOST_ITEMS: usize = 10_000;

fn steps(column: &str) -> Result<Vec<Step<'_>>, String> {
    let fail = || format!("column {column:?}: expected names like result.reached[0].level");
    let mut steps = Vec::new();
    for part in column.split('.') {
        let (name, items) = part.split_at(part.find('[').unwrap_or(part.len()));
        if !is_name(name) {
            return Err(fail());
        }
        steps.push(Step::Field(name));
        for item in items.split_inclusive(']') {
            let item = item.strip_prefix('[').and_then(|item| item.strip_suffix(']'));
            let item = item.and_then(|item| item.parse().ok()).filter(|&item| item < MOST_ITEMS);
            steps.push(Step::Item(item.ok_or_else(fail)?));
        }
    }
    Ok(steps)
}

/// Puts a value at a path, making what is on the way.
fn put(at: &mut Value, path: &[Step<'_>], value: Value) -> Result<(), ()> {
    let (next, rest) = match path {
        [] if at.is_null() => {
            *at = value;
            return Ok(());
        }
        [] => return Err(()),
        [Step::Field(name), rest @ ..] => {
            if at.is_null() {
                *at = Value::Object(Map::new());
            }
            let fields = at.as_object_mut().ok_or(())?;
            (fields.entry(*name).or_insert(Value::Null), rest)
        }
        [Step::Item(item), rest @ ..] => {
            if at.is_null() {
                *at = Value::Array(Vec::new());
            }
            let items = at.as_array_mut().ok_or(())?;
            if items.len() <= *item {
                items.resize(item + 1, Value::Null);
            }
            (&mut items[*item], rest)
        }
    };
    put(next, rest, value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn folded(rows: Value) -> Value {
        let (columns, lists) = fold(rows.as_array().unwrap(), &["b", "a"]).unwrap();
        json!({ "columns": columns, "rows": lists })
    }

    fn unfolded(record: Value) -> Result<Value, String> {
        let Value::Object(mut record) = record else { unreachable!() };
        unfold(&mut record).map(|()| record["rows"].clone())
    }

    #[test]
    fn rows_become_lists_and_rows_again() {
        let rows = json!([
            { "a": 1, "b": "x", "r": { "s": [1, 2], "e": {}, "l": [], "none": { "x": null }, "way": [{ "p": 0.5, "q": { "z": true } }] } },
            { "a": 2, "b": "y" },
            { "a": 3, "r": { "way": [{ "p": 1.5 }, { "p": 2.5 }], "odd.key": 1 } },
        ]);
        let lists = folded(rows.clone());
        assert_eq!(
            lists,
            json!({
                "columns": ["a", "b", "r", "r.e", "r.l", "r.none", "r.s", "r.way[0].p", "r.way[0].q.z"],
                "rows": [
                    [1, "x", null, {}, [], { "x": null }, [1, 2], 0.5, true],
                    [2, "y"],
                    [3, null, { "way": [{ "p": 1.5 }, { "p": 2.5 }], "odd.key": 1 }],
                ]
            })
        );
        assert_eq!(unfolded(lists).unwrap(), rows);
    }

    #[test]
    fn those_that_most_rows_have_come_first() {
        let lists = folded(json!([{ "z": 1, "a": 1 }, { "z": 2, "b": 3 }, { "z": 4, "b": 5 }]));
        assert_eq!(lists["columns"], json!(["z", "b", "a"]));
        assert_eq!(lists["rows"], json!([[1, null, 1], [2, 3], [4, 5]]));
    }

    #[test]
    fn what_is_no_table_is_said() {
        let says = |columns: Value, rows: Value| {
            unfolded(json!({ "columns": columns, "rows": rows })).unwrap_err()
        };
        assert!(says(json!("a"), json!([])).starts_with("columns: "));
        assert_eq!(says(json!(["a"]), json!([[1, 2]])), "row 1: 2 values, 1 columns");
        assert_eq!(says(json!(["a"]), json!([[1], { "a": 1 }])), "row 2: no list of values");
        assert_eq!(says(json!(["a"]), json!(7)), "columns without rows");
        for wrong in ["", "a..b", "a[x]", "a[0", "a[0]b", "[0]", "a[99999999999]"] {
            let said = says(json!([wrong]), json!([]));
            assert!(said.starts_with(&format!("column {wrong:?}: expected")), "{said}");
        }
        for (a, b) in [("a", "a"), ("a", "a.b"), ("a.b", "a[0]")] {
            let said = says(json!([a, b]), json!([[1, 2]]));
            assert_eq!(said, format!("row 1: {b:?} and another column exclude each other"));
        }
        assert_eq!(fold(&[json!(1)], &[]), None);
        assert_eq!(fold(&[json!({})], &[]), None);
    }
}
