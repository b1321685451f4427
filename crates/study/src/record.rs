//! The result of a study on disk: one tidy table, `rows.csv.gz`, and `study.json` beside it.
//!
//! A [`Record`] is the same in memory: a head of a few fields and one or two lists of rows. Each row becomes a row
//! of the table, each value of it a column; `study.json` has the head and says of every column where its values
//! belong, of what type they are and what they mean. Equal records give equal bytes.

use super::workers::WorkError;
use picloom_base::files::{LARGEST_STATE, WriteError, read_text, write_atomic};
use picloom_base::refusal::Refusal;
use picloom_base::table::Table;
use picloom_base::text;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

pub use picloom_base::folder::STUDY;

/// The file of its table.
pub const ROWS: &str = "rows.csv.gz";

/// The file that says on which machine a study was made, and how long it took: beside the results, which compare byte
/// for byte.
pub const MACHINE: &str = "machine.json";

/// Leaves of every path that leads elsewhere on this machine its last part.
fn without_places(value: &mut Value) {
    match value {
        Value::String(said) => *said = text::portable_text(said),
        Value::Array(all) => all.iter_mut().for_each(without_places),
        Value::Object(fields) => fields.values_mut().for_each(without_places),
        _ => {}
    }
}

/// The column that names the list a row belongs to, in records with several.
const LIST: &str = "list";

/// The record of a study.
pub trait Record: Serialize + DeserializeOwned {
    /// Kind and version, the value of its field `format`: `picloom-networks/1`.
    const FORMAT: &'static str;

    /// Its fields that are lists of rows.
    const LISTS: &'static [&'static str];

    /// Its columns in the order in which they are written, with what they mean. Others follow, by name. Default: none.
    const COLUMNS: &'static [(&'static str, &'static str)] = &[];

    /// Paths that have a column even where no row has a value. Default: none.
    const ALWAYS: &'static [&'static str] = &[];

    /// Names of values whose path does not make a good one: (path in the row's JSON, column).
    const NAMES: &'static [(&'static str, &'static str)] = &[];

    /// Beginnings of paths that say nothing, and so are no part of a column's name. Default: `result.`.
    const PREFIXES: &'static [&'static str] = &["result."];

    /// The place of a column and its meaning; `None` puts it last. Default: as in `COLUMNS`.
    fn describe(name: &str, _path: &str) -> Option<(usize, &'static str)> {
        let at = Self::COLUMNS.iter().position(|column| column.0 == name)?;
        Some((at, Self::COLUMNS[at].1))
    }

    /// The rows of the table that a row of the record becomes. Default: itself.
    fn spread(row: Value) -> Vec<Value> {
        vec![row]
    }

    /// The rows of the record that these of the table were. Default: themselves.
    fn gather(rows: Vec<Value>) -> Vec<Value> {
        rows
    }

    /// The findings, for people.
    fn summary(&self) -> String;

    /// The findings, for programs: fields beside the number of cells.
    fn findings(&self) -> Value {
        Value::Object(Map::new())
    }

    /// The head and the table.
    fn parts(&self) -> (Head, Table) {
        let mut head = serde_json::to_value(self).expect("records are plain data");
        let fields = head.as_object_mut().expect("a record is a struct");
        let mut rows: Vec<BTreeMap<String, Value>> = Vec::new();
        for list in Self::LISTS {
            let Some(Value::Array(list_rows)) = fields.remove(*list) else { continue };
            for row in list_rows.into_iter().flat_map(Self::spread) {
                let mut leaves = BTreeMap::new();
                flatten("", row, &mut leaves);
                if Self::LISTS.len() > 1 {
                    leaves.insert(LIST.into(), Value::from(*list));
                }
                rows.push(leaves);
            }
        }
        let columns = columns::<Self>(&rows);
        let mut table = Table::new(columns.iter().map(|column| column.name.as_str()));
        for row in &rows {
            let cells = columns.iter().map(|column| cell(row.get(&column.path)));
            table.push(&cells.collect::<Vec<String>>());
        }
        let picloom = env!("CARGO_PKG_VERSION").into();
        let commit = option_env!("PICLOOM_COMMIT").map(String::from);
        let (fields, rows, made) = (std::mem::take(fields), rows.len(), Map::new());
        (Head { fields, made, picloom, commit, missing: 0, rows, columns }, table)
    }

    /// The record of a head and a table.
    ///
    /// # Errors
    /// The head lacks a column, or a value is not of its column's type.
    fn of_parts(head: Head, table: &Table) -> Result<Self, Refusal> {
        let mut lists: BTreeMap<&str, Vec<Value>> = BTreeMap::new();
        let known = |name: &str| head.columns.iter().find(|column| column.name == name);
        let mut columns = Vec::new();
        for column in table.columns() {
            let said = known(column.name()).ok_or_else(|| {
                let found = format!("a column {:?} that it does not name", column.name());
                Refusal::new(STUDY, "every column of the table", found)
            })?;
            columns.push((column, said));
        }
        for row in 0..table.len() {
            let mut value = Value::Object(Map::new());
            let mut list = Self::LISTS[0];
            for (column, said) in &columns {
                let text = column.text(row);
                if said.path == LIST && Self::LISTS.len() > 1 {
                    list = Self::LISTS.iter().copied().find(|l| *l == text).ok_or_else(|| {
                        let at = format!("row {}, column {LIST}", row + 1);
                        Refusal::new(at, format!("one of {:?}", Self::LISTS), format!("{text:?}"))
                    })?;
                } else if !text.is_empty() && !said.path.is_empty() {
                    let at = || format!("row {}, column {}", row + 1, said.name);
                    let leaf = said
                        .kind
                        .parse(text)
                        .map_err(|expected| Refusal::new(at(), expected, format!("{text:?}")))?;
                    put(&mut value, &said.path, leaf);
                }
            }
            lists.entry(list).or_default().push(value);
        }
        let mut record = head.fields;
        for list in Self::LISTS {
            let rows = Self::gather(lists.remove(list).unwrap_or_default());
            record.insert((*list).to_string(), Value::Array(rows));
        }
        serde_json::from_value(Value::Object(record))
            .map_err(|e| Refusal::new(STUDY, format!("a study {}", Self::FORMAT), e.to_string()))
    }

    /// Writes `study.json` and `rows.csv.gz` into a folder.
    ///
    /// # Errors
    /// A file cannot be written.
    fn save(&self, folder: &Path) -> Result<(), WriteError> {
        self.save_made(folder, 0, Map::new())
    }

    /// [`save`](Self::save) of a record that lacks so many cells and was `made` so: `study.json` says it.
    ///
    /// # Errors
    /// As there.
    fn save_made(
        &self,
        folder: &Path,
        missing: usize,
        mut made: Map<String, Value>,
    ) -> Result<(), WriteError> {
        made.values_mut().for_each(without_places);
        let (head, table) = self.parts();
        let head = Head { missing, made, ..head };
        table.write(&folder.join(ROWS))?;
        write_atomic(&folder.join(STUDY), head.to_json().as_bytes())
    }

    /// The table as text, and the head: equal for equal records.
    fn text(&self) -> String {
        let (head, table) = self.parts();
        head.to_json() + &String::from_utf8(table.to_csv()).expect("a table is text")
    }

    /// Reads the record of a folder.
    ///
    /// # Errors
    /// A file is missing, damaged, or of another kind of study.
    fn read(folder: &Path) -> Result<Self, RecordError> {
        let path = folder.join(STUDY);
        let fail = |path: PathBuf, found: String| {
            damaged(&path, format!("a study {}", Self::FORMAT), found)
        };
        let head = Head::read(&path).map_err(|found| fail(path.clone(), found))?;
        if head.format() != Self::FORMAT {
            return Err(fail(path, format!("format {:?}", head.format())));
        }
        let table = Table::read(&folder.join(ROWS));
        let table = table.map_err(|r| fail(folder.join(ROWS), r.found))?;
        if table.len() != head.rows {
            let found = format!("{} rows where {STUDY} says {}", table.len(), head.rows);
            return Err(fail(folder.join(ROWS), found));
        }
        Ok(Self::of_parts(head, &table).map_err(|refusal| refusal.in_file(folder))?)
    }
}

/// `study.json`: what is true of the whole study, and what the columns of its table mean.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Head {
    /// The fields of the record that are no lists of rows; `format`, `study` and `profile` among them.
    #[serde(flatten)]
    pub fields: Map<String, Value>,
    /// How it was made, by name: the spec in its profile, seeds, arms, recipe; empty in records that leave it out.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub made: Map<String, Value>,
    /// Version of the program that wrote it.
    pub picloom: String,
    /// Commit of that program, where `PICLOOM_COMMIT` named one when it was compiled.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    /// Cells that were neither finished nor failed when it was written.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub missing: usize,
    /// Rows of the table.
    pub rows: usize,
    /// Its columns, in order.
    pub columns: Vec<ColumnNote>,
}

fn is_zero(count: &usize) -> bool {
    *count == 0
}

/// The meaning of a column.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ColumnNote {
    /// Its heading.
    pub name: String,
    /// The type of its values.
    #[serde(rename = "type")]
    pub kind: Kind,
    /// Where its values belong in a row; empty for a column that is computed from others.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub path: String,
    /// The meaning of its values.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub says: String,
}

/// The type of a column's values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// Numbers.
    Number,
    /// `true` and `false`.
    Bool,
    /// Texts.
    Text,
    /// Lists, as JSON.
    Json,
}

impl Kind {
    /// The value of a cell, or what was expected.
    fn parse(self, text: &str) -> Result<Value, &'static str> {
        match self {
            Kind::Text => Ok(Value::from(text::of_cell(text))),
            Kind::Number => serde_json::from_str(text)
                .ok()
                .filter(Value::is_number)
                .or_else(|| text.parse::<f64>().ok().map(Value::from))
                .ok_or("a number"),
            Kind::Bool => match text {
                "true" => Ok(Value::Bool(true)),
                "false" => Ok(Value::Bool(false)),
                // As pandas writes them.
                "True" => Ok(Value::Bool(true)),
                "False" => Ok(Value::Bool(false)),
                _ => Err("true or false"),
            },
            Kind::Json => serde_json::from_str(text).map_err(|_| "JSON"),
        }
    }
}

impl Head {
    /// Reads a `study.json`.
    ///
    /// # Errors
    /// The problem.
    pub fn read(path: &Path) -> Result<Self, String> {
        let text = read_text(path, LARGEST_STATE).map_err(|e| e.to_string())?;
        serde_json::from_str(&text).map_err(|e| e.to_string())
    }

    /// Kind and version of the record.
    pub(crate) fn format(&self) -> &str {
        self.fields.get("format").and_then(Value::as_str).unwrap_or_default()
    }

    fn to_json(&self) -> String {
        serde_json::to_string_pretty(self).expect("a head is plain data") + "\n"
    }
}

/// The study that a folder's `study.json` names; `None` if it cannot be read.
pub fn study_of(folder: &Path) -> Option<String> {
    let head = Head::read(&folder.join(STUDY)).ok()?;
    Some(head.fields.get("study")?.as_str()?.to_string())
}

/// Puts every value of a row under its path: `result.score.low`. Lists stay whole; what is null has none.
fn flatten(path: &str, value: Value, leaves: &mut BTreeMap<String, Value>) {
    match value {
        Value::Object(fields) => {
            for (key, value) in fields {
                let path = if path.is_empty() { key } else { format!("{path}.{key}") };
                flatten(&path, value, leaves);
            }
        }
        Value::Null => {}
        leaf => {
            leaves.insert(path.to_string(), leaf);
        }
    }
}

/// Puts a value at a path.
fn put(value: &mut Value, path: &str, leaf: Value) {
    let mut at = value;
    for key in path.split('.') {
        at = &mut at[key];
    }
    *at = leaf;
}

/// The columns of these rows.
fn columns<R: Record>(rows: &[BTreeMap<String, Value>]) -> Vec<ColumnNote> {
    let always: Vec<String> = R::ALWAYS.iter().map(ToString::to_string).collect();
    let paths: BTreeSet<&String> = rows.iter().flat_map(BTreeMap::keys).chain(&always).collect();
    let names: Vec<String> = paths.iter().map(|path| name_of::<R>(path)).collect();
    let note = |path: &String| {
        // Two paths that would have one name have their own in full.
        let name = Some(name_of::<R>(path)).filter(|name| {
            R::NAMES.iter().any(|(of, _)| of == path)
                || names.iter().filter(|other| *other == name).count() == 1
        });
        let name = name.unwrap_or_else(|| path.replace('.', "_"));
        let says = R::describe(&name, path).map_or("", |found| found.1);
        let leaves = rows.iter().filter_map(|row| row.get(path));
        let kind = leaves.map(kind_of).reduce(|a, b| if a == b { a } else { Kind::Json });
        let kind = kind.unwrap_or(Kind::Number);
        ColumnNote { name, kind, path: path.clone(), says: says.into() }
    };
    let mut columns: Vec<ColumnNote> = paths.into_iter().map(note).collect();
    let place = |column: &ColumnNote| match R::describe(&column.name, &column.path) {
        Some((at, _)) => at,
        None if column.name == LIST => 0,
        None => usize::MAX,
    };
    columns.sort_by(|a, b| place(a).cmp(&place(b)).then(a.name.cmp(&b.name)));
    columns
}

/// The heading of a path: the given name, or the path without the words that say nothing, joined by `_`.
fn name_of<R: Record>(path: &str) -> String {
    if let Some((_, name)) = R::NAMES.iter().find(|(of, _)| *of == path) {
        return (*name).to_string();
    }
    let mut path = path;
    for prefix in R::PREFIXES {
        path = path.strip_prefix(prefix).unwrap_or(path);
    }
    path.replace('.', "_")
}

fn kind_of(leaf: &Value) -> Kind {
    match leaf {
        Value::Number(_) => Kind::Number,
        Value::Bool(_) => Kind::Bool,
        Value::String(_) => Kind::Text,
        _ => Kind::Json,
    }
}

/// A value as a cell.
fn cell(leaf: Option<&Value>) -> String {
    match leaf {
        None => String::new(),
        Some(Value::String(text)) => text::cell(text),
        Some(other) => other.to_string(),
    }
}

/// The refusal of a file at `path` that is not what it should be.
pub fn damaged(path: &Path, expected: impl Into<String>, found: String) -> RecordError {
    Refusal::new("", expected, found).in_file(path).into()
}

/// Why a study has no record.
#[derive(Debug, thiserror::Error)]
pub enum RecordError {
    /// A file cannot be written.
    #[error(transparent)]
    Write(#[from] WriteError),
    /// The folder, or a file, holds something else, or some cells are neither finished nor failed.
    #[error("{0}")]
    Refused(#[from] Refusal),
    /// The cells cannot be worked through.
    #[error(transparent)]
    Work(#[from] WorkError),
}

/// A number with six significant digits.
pub fn six_digits(value: f64) -> f64 {
    format!("{value:.5e}").parse().unwrap_or(value)
}
