//! Records of studies: what figures, tables and claims are read from, small enough for git.
//!
//! A record is a head of a few fields and one or two lists of rows. As JSON it has a line a row, so
//! that a changed row is a changed line; as a table it has the columns its kind names. A folded record
//! names the fields of its rows once ([`Bulk::Names`]).

use super::columns;
use super::folder::{OtherFile, OtherHolding};
use super::workers::WorkError;
use crate::math::names::names;
use crate::math::text;
use crate::network::files::{WriteError, read_text, write_atomic, write_atomic_with};
use serde::de::{DeserializeOwned, IgnoredAny};
use serde::{Deserialize, Serialize, Serializer};
use serde_json::Value;
use serde_json::ser::Formatter;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

/// Lines of a table, made one after the other.
pub type Lines<'a> = Box<dyn Iterator<Item = Value> + 'a>;

/// A part of a record that most of its bytes are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bulk {
    /// Losses while training.
    Curves,
    /// Measures and calls layer by layer.
    Layers,
    /// Calls layer by layer, and those measures of networks that did not learn their picture.
    UnfitLayers,
    /// Pictures of networks.
    Pictures,
    /// What no claim is decided on and no figure draws: ids of runs, losses before training, in-degrees, what is
    /// measured of wiring, and of networks on their way and of fixed changes all but the score.
    Diagnostics,
    /// Modules of networks that the theory is not compared with: those with more than an eighth of their links,
    /// and those below R² .70.
    DenseModules,
    /// Roughness of maps, and what can be decoded from them.
    Maps,
    /// Names of fields in every row: `columns` has them once, and rows are lists. Nothing is lost.
    Names,
}

names! { Bulk, "part of a record":
    Curves "curves", Layers "layers", UnfitLayers "unfit-layers", Pictures "pictures",
    Diagnostics "diagnostics", DenseModules "dense-modules", Maps "maps",
    Names "names"
}

/// `record.json` of a study. Equal studies give equal bytes; there are no wall times in it.
pub trait Record: Serialize + DeserializeOwned {
    /// Kind and version, the value of its field `format`: `picloom-theory/1`.
    const FORMAT: &'static str;

    /// Columns of the table: `PATH` of a value in a [line](Self::lines) (its last name is the
    /// heading), or `HEADING=PATH`.
    const COLUMNS: &'static [&'static str];

    /// Lines of the table.
    fn lines(&self) -> Lines<'_>;

    /// What came out, for people.
    fn summary(&self) -> String;

    /// What came out, for programs: fields beside the number of cells.
    fn findings(&self) -> Value {
        Value::Object(serde_json::Map::new())
    }

    /// Without these bulky parts, and with six digits: small enough for a repository.
    /// Figures of what is left out are not drawn from it.
    fn without(self, _parts: &[Bulk]) -> Self {
        self
    }

    /// Names pictures no more of which `is_lost` says so, by their path beside the record; how many.
    fn forget_pictures(&mut self, _is_lost: &dyn Fn(&str) -> bool) -> usize {
        0
    }

    /// Writes `record.json`.
    ///
    /// # Errors
    /// What `to` says.
    fn write_json(&self, to: impl io::Write) -> io::Result<()> {
        write_rows(self, to)
    }

    /// The bytes of `record.json`.
    fn to_json(&self) -> String {
        let mut json = Vec::new();
        self.write_json(&mut json).expect("records are plain data");
        String::from_utf8(json).expect("JSON is UTF-8")
    }

    /// Writes the table.
    ///
    /// # Errors
    /// What `to` says.
    fn write_csv(&self, to: impl io::Write) -> io::Result<()> {
        let mut table = csv::Writer::from_writer(to);
        table.write_record(columns_of::<Self>().map(|c| c.0))?;
        for line in self.lines() {
            table.write_record(columns_of::<Self>().map(|c| cell(&line, c.1)))?;
        }
        table.flush()
    }

    /// Refuses to write the table over anything but a table: a spec, say.
    ///
    /// # Errors
    /// Another file is there.
    fn may_write_csv(path: &Path) -> Result<(), OtherFile> {
        if path.extension().is_some_and(|extension| extension == "csv") {
            return Ok(());
        }
        let head: Vec<&str> = columns_of::<Self>().map(|c| c.0).take(3).collect();
        OtherFile::unless(path, "a table", &head.join(","))
    }

    /// The table.
    fn to_csv(&self) -> String {
        let mut table = Vec::new();
        self.write_csv(&mut table).expect("memory is enough");
        String::from_utf8(table).expect("text is UTF-8")
    }

    /// Puts the record into a file.
    ///
    /// # Errors
    /// The file cannot be written.
    fn save_json(&self, path: &Path) -> Result<(), WriteError> {
        write_atomic_with(path, |file| buffered(file, |to| self.write_json(to)))
    }

    /// The bytes of `record.json` with rows as lists under one list of `columns`; as ever of a kind without
    /// `rows`, and where something would be lost.
    fn to_folded_json(&self) -> String {
        let json = self.to_json();
        let folded = folded(self, &json, Self::COLUMNS).expect("records are plain data");
        folded
            .filter(|folded| Self::parse(folded).is_ok_and(|read| read.to_json() == json))
            .unwrap_or(json)
    }

    /// Puts the record into a file, folded if that is asked for.
    ///
    /// # Errors
    /// The file cannot be written.
    fn save(&self, path: &Path, parts: &[Bulk]) -> Result<(), WriteError> {
        match parts.contains(&Bulk::Names) {
            true => write_atomic(path, self.to_folded_json().as_bytes()),
            false => self.save_json(path),
        }
    }

    /// Puts the table into a file.
    ///
    /// # Errors
    /// The file cannot be written.
    fn save_csv(&self, path: &Path) -> Result<(), WriteError> {
        write_atomic_with(path, |file| buffered(file, |to| self.write_csv(to)))
    }

    /// Reads a record.
    ///
    /// # Errors
    /// Not readable, or of another format.
    fn read(path: &Path) -> Result<Self, RecordError> {
        let text = read_text(path).map_err(|e| e.to_string());
        text.and_then(|text| Self::parse(&text)).map_err(|found| RecordError::Damaged {
            path: path.to_path_buf(),
            expected: format!("a record {}", Self::FORMAT),
            found,
        })
    }

    /// The record that JSON holds, folded or not.
    ///
    /// # Errors
    /// What it holds instead.
    fn parse(json: &str) -> Result<Self, String> {
        let head: Head = serde_json::from_str(json).map_err(|e| e.to_string())?;
        if head.format != Self::FORMAT {
            return Err(format!("format {}", head.format));
        }
        let read = match head.columns {
            Some(_) => {
                let mut value: Value = serde_json::from_str(json).map_err(|e| e.to_string())?;
                let record = value.as_object_mut().expect("it has fields");
                columns::unfold(record)?;
                serde_json::from_value(value)
            }
            // From the text, for an error then has its line.
            None => serde_json::from_str(json),
        };
        read.map_err(|e| e.to_string())
    }
}

/// Heading and path of each column.
fn columns_of<R: Record>() -> impl Iterator<Item = (&'static str, &'static str)> {
    R::COLUMNS.iter().map(|column| {
        let last = column.rsplit('.').next().unwrap_or(column);
        column.split_once('=').unwrap_or((last, column))
    })
}

/// The study that a record says it is of; none if it cannot be read, or does not say.
pub fn study_of(path: &Path) -> Option<String> {
    #[derive(Deserialize)]
    struct Said {
        study: Option<String>,
    }
    serde_json::from_str::<Said>(&read_text(path).ok()?).ok()?.study
}

/// What tells how a record is to be read.
#[derive(Deserialize)]
struct Head {
    #[serde(default)]
    format: Value,
    /// There if it is folded.
    columns: Option<IgnoredAny>,
}

fn buffered(
    file: &mut File,
    write: impl FnOnce(&mut BufWriter<&mut File>) -> io::Result<()>,
) -> io::Result<()> {
    let mut to = BufWriter::new(file);
    write(&mut to)?;
    to.flush()
}

/// Why a study has no record.
#[derive(Debug, thiserror::Error)]
pub enum RecordError {
    /// A file cannot be written.
    #[error(transparent)]
    Write(#[from] WriteError),
    /// The folder holds something else.
    #[error(transparent)]
    Other(#[from] OtherHolding),
    /// A file is something else.
    #[error(transparent)]
    OtherFile(#[from] OtherFile),
    /// A file is not what it should be.
    #[error("{path}: expected {expected}, found: {found}")]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What it should be.
        expected: String,
        /// What it is.
        found: String,
    },
    /// A record that cells are to be taken from is of another study.
    #[error("{path}: expected a record of this study with {expected}, found {found}")]
    Elsewhere {
        /// The record.
        path: PathBuf,
        /// What this study has.
        expected: String,
        /// What the record has.
        found: String,
    },
    /// The cells cannot be worked through.
    #[error(transparent)]
    Work(#[from] WorkError),
    /// Some cells are neither finished nor failed.
    #[error(
        "study {study}, profile {profile}: expected {total} finished {cells} in {folder}, found {done}; go on with the command `run`"
    )]
    Unfinished {
        /// Name of the study.
        study: String,
        /// The profile.
        profile: String,
        /// What its cells are called.
        cells: &'static str,
        /// Folder of its cells.
        folder: PathBuf,
        /// Cells.
        total: usize,
        /// Cells finished or failed.
        done: usize,
    },
}

/// A row as a line of a table, with more values beside its own.
pub fn line(row: &impl Serialize, more: &[(&str, Value)]) -> Value {
    let mut line = serde_json::to_value(row).expect("records are plain data");
    for (key, value) in more {
        line[key] = value.clone();
    }
    line
}

/// The text at a path of a line: empty if there is none.
fn cell(line: &Value, path: &str) -> String {
    match path.split('.').fold(line, |value, key| &value[key]) {
        Value::Null => String::new(),
        Value::String(text) => text::cell(text),
        Value::Number(number) if number.is_f64() => number.as_f64().unwrap_or(f64::NAN).to_string(),
        other => other.to_string(),
    }
}

/// A number with six significant digits: what a record keeps of it.
pub fn six_digits(value: f64) -> f64 {
    format!("{value:.5e}").parse().unwrap_or(value)
}

/// [`six_digits`] of every fraction in a value.
pub(super) fn round(value: &mut Value) {
    match value {
        Value::Number(number) if number.is_f64() => {
            *value = number.as_f64().map(six_digits).into();
        }
        Value::Array(values) => values.iter_mut().for_each(round),
        Value::Object(fields) => fields.values_mut().for_each(round),
        _ => {}
    }
}

/// Serialises a struct with its fields in the order of their names.
pub fn by_name<T: Serialize, S: Serializer>(value: &T, to: S) -> Result<S::Ok, S::Error> {
    serde_json::to_value(value).map_err(serde::ser::Error::custom)?.serialize(to)
}

/// Writes JSON, a row a line.
pub fn write_rows(of: &impl Serialize, mut to: impl io::Write) -> io::Result<()> {
    of.serialize(&mut serde_json::Serializer::with_formatter(&mut to, RowALine::default()))?;
    to.write_all(b"\n")
}

/// A record's JSON with `columns`, and `rows` as lists, a list a line; none if it has no rows.
fn folded(
    of: &impl Serialize,
    json: &str,
    first: &[&str],
) -> Result<Option<String>, serde_json::Error> {
    let value = serde_json::to_value(of)?;
    let rows = value["rows"].as_array().and_then(|rows| columns::fold(rows, first));
    let parts = json.split_once("\n\"rows\": [\n");
    let parts = parts.and_then(|(head, rest)| Some((head, rest.split_once("\n]")?.1)));
    let Some(((head, tail), (columns, rows))) = parts.zip(rows) else { return Ok(None) };
    let rows = rows.iter().map(serde_json::to_string).collect::<Result<Vec<_>, _>>()?.join(",\n");
    let columns = serde_json::to_string(&columns)?;
    Ok(Some(format!("{head}\n\"columns\": {columns},\n\"rows\": [\n{rows}\n]{tail}")))
}

/// Writes compact JSON with a line for every field of the record, and for every object in a list
/// that is such a field.
#[derive(Default)]
struct RowALine {
    depth: usize,
    /// Inside a list that is a field of the record.
    in_list: bool,
    /// That list has objects.
    rows: bool,
}

impl RowALine {
    fn open(&mut self) -> usize {
        self.depth += 1;
        self.depth - 1
    }

    fn close(&mut self) -> usize {
        self.depth -= 1;
        self.depth
    }
}

impl Formatter for RowALine {
    fn begin_object<W: ?Sized + io::Write>(&mut self, to: &mut W) -> io::Result<()> {
        match self.open() {
            0 => to.write_all(b"{\n"),
            2 if self.in_list => {
                self.rows = true;
                to.write_all(b"\n{")
            }
            _ => to.write_all(b"{"),
        }
    }

    fn end_object<W: ?Sized + io::Write>(&mut self, to: &mut W) -> io::Result<()> {
        to.write_all(if self.close() == 0 { b"\n}" } else { b"}" })
    }

    fn begin_object_key<W: ?Sized + io::Write>(
        &mut self,
        to: &mut W,
        first: bool,
    ) -> io::Result<()> {
        match (first, self.depth) {
            (true, _) => Ok(()),
            (false, 1) => to.write_all(b",\n"),
            (false, _) => to.write_all(b","),
        }
    }

    fn begin_object_value<W: ?Sized + io::Write>(&mut self, to: &mut W) -> io::Result<()> {
        to.write_all(if self.depth == 1 { b": " } else { b":" })
    }

    fn begin_array<W: ?Sized + io::Write>(&mut self, to: &mut W) -> io::Result<()> {
        if self.open() == 1 {
            (self.in_list, self.rows) = (true, false);
        }
        to.write_all(b"[")
    }

    fn end_array<W: ?Sized + io::Write>(&mut self, to: &mut W) -> io::Result<()> {
        let ends_rows = self.close() == 1 && std::mem::take(&mut self.in_list) && self.rows;
        to.write_all(if ends_rows { b"\n]" } else { b"]" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde::Deserialize;

    #[derive(Serialize, Deserialize)]
    struct Small {
        format: String,
        names: Vec<String>,
        by: std::collections::BTreeMap<String, Vec<f64>>,
        rows: Vec<Row>,
    }

    #[derive(Serialize, Deserialize)]
    struct Row {
        name: String,
        inner: Option<Inner>,
    }

    #[derive(Serialize, Deserialize)]
    struct Inner {
        x: f64,
        list: Vec<usize>,
    }

    impl Record for Small {
        const FORMAT: &'static str = "small/1";
        const COLUMNS: &'static [&'static str] = &["study", "name", "inner.x", "points=inner.list"];

        fn lines(&self) -> Lines<'_> {
            Box::new(self.rows.iter().map(|r| line(r, &[("study", "s".into())])))
        }

        fn summary(&self) -> String {
            String::new()
        }
    }

    fn small() -> Small {
        Small {
            format: Small::FORMAT.into(),
            names: vec!["a".into(), "b".into()],
            by: [("k".to_string(), vec![1.0])].into(),
            rows: vec![
                Row { name: "p, q".into(), inner: Some(Inner { x: 1e-7, list: vec![1, 2] }) },
                Row { name: "r".into(), inner: None },
            ],
        }
    }

    #[test]
    fn a_record_has_a_line_a_field_and_a_line_a_row() {
        let wanted = "{\n\"format\": \"small/1\",\n\"names\": [\"a\",\"b\"],\n\"by\": {\"k\":[1.0]},\n\
            \"rows\": [\n{\"name\":\"p, q\",\"inner\":{\"x\":1e-7,\"list\":[1,2]}},\n\
            {\"name\":\"r\",\"inner\":null}\n]\n}\n";
        assert_eq!(small().to_json(), wanted);
    }

    #[test]
    fn a_folded_record_names_fields_once_and_is_read_as_before() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("record.json");
        small().save(&file, &[Bulk::Names]).unwrap();
        let wanted = "{\n\"format\": \"small/1\",\n\"names\": [\"a\",\"b\"],\n\"by\": {\"k\":[1.0]},\n\
            \"columns\": [\"name\",\"inner.x\",\"inner.list\"],\n\"rows\": [\n[\"p, q\",1e-7,[1,2]],\n[\"r\"]\n]\n}\n";
        assert_eq!(std::fs::read_to_string(&file).unwrap(), wanted);
        assert_eq!(Small::read(&file).unwrap().to_json(), small().to_json());
        std::fs::write(&file, wanted.replace("[\"r\"]", "[\"r\",1,2,3]")).unwrap();
        let said = Small::read(&file).err().unwrap().to_string();
        assert!(
            said.ends_with("expected a record small/1, found: row 2: 4 values, 3 columns"),
            "{said}"
        );
        let none = Small { rows: Vec::new(), ..small() };
        none.save(&file, &[Bulk::Names]).unwrap();
        assert_eq!(std::fs::read_to_string(&file).unwrap(), none.to_json());
    }

    #[test]
    fn a_table_has_the_columns_named_and_nothing_where_there_is_nothing() {
        let wanted = "study,name,x,points\ns,\"p, q\",0.0000001,\"[1,2]\"\ns,r,,\n";
        assert_eq!(small().to_csv(), wanted);
    }

    #[test]
    fn records_keep_six_digits() {
        assert_eq!(six_digits(0.123_456_789), 0.123_457);
        assert_eq!(six_digits(2.251_264_796e-4), 2.251_26e-4);
        assert_eq!(six_digits(0.0), 0.0);
        assert!(six_digits(f64::NAN).is_nan());
    }
}
