//! A table of results: one row per thing that was measured, read by pandas, R and Picloom alike.
//!
//! In and out: `rows.csv` or `rows.csv.gz`, UTF-8, one header line. A cell is a number, `true` or `false`, a
//! text, or empty where there is no value.

mod fewest;
mod filter;

pub use fewest::Fewest;
pub use filter::{Filter, Measure};

use crate::files::{WriteError, read_plain, write_atomic};
use crate::names::did_you_mean;
use crate::refusal::Refusal;
use flate2::read::MultiGzDecoder;
use flate2::{Compression, GzBuilder};
use std::collections::{BTreeSet, HashMap};
use std::io::{Read, Write};
use std::path::Path;

/// Bytes of a table once it is unpacked, at most.
const LARGEST: u64 = 1 << 30;

/// A table in memory.
#[derive(Clone, Debug, Default)]
pub struct Table {
    columns: Vec<Column>,
    rows: usize,
}

/// One column of a [`Table`]. Rows with the same text, one below the other, share one value.
#[derive(Clone, Debug, Default)]
pub struct Column {
    name: String,
    /// Number of each row's value.
    codes: Vec<u32>,
    /// The texts of all values, one after the other.
    texts: String,
    /// Where the text of each value ends.
    ends: Vec<usize>,
    /// The number that each value is, if it is one.
    numbers: Vec<Option<f64>>,
}

/// The truth value in a text, as Picloom (`true`), pandas (`True`) and R (`TRUE`) write it.
pub(crate) fn truth_of(text: &str) -> Option<bool> {
    let is = |word: &str| text.eq_ignore_ascii_case(word);
    match (is("true"), is("false")) {
        (false, false) => None,
        (truth, _) => Some(truth),
    }
}

fn number_of(text: &str) -> Option<f64> {
    match truth_of(text) {
        Some(truth) => Some(f64::from(u8::from(truth))),
        None => text.parse().ok().filter(|n: &f64| n.is_finite()),
    }
}

/// Whether a cell without a number holds no value, as other programs write it, and no text.
fn is_missing(text: &str) -> bool {
    matches!(
        text,
        "" | "NA" | "NaN" | "nan" | "null" | "NULL" | "None" | "inf" | "-inf" | "Inf" | "-Inf"
    )
}

impl Column {
    fn new(name: &str) -> Self {
        Column { name: name.to_string(), ..Column::default() }
    }

    fn push(&mut self, text: &str) {
        if self.ends.is_empty() || self.value(self.ends.len() - 1) != text {
            self.texts.push_str(text);
            self.ends.push(self.texts.len());
            self.numbers.push(number_of(text));
        }
        self.codes.push(self.ends.len() as u32 - 1);
    }

    /// Adds rows that hold one text.
    fn push_all(&mut self, text: &str, rows: usize) {
        (0..rows).for_each(|_| self.push(text));
    }

    /// Adds the rows of another column.
    fn append(&mut self, other: &Column) {
        let (values, length) = (self.ends.len() as u32, self.texts.len());
        self.codes.extend(other.codes.iter().map(|code| values + code));
        self.texts.push_str(&other.texts);
        self.ends.extend(other.ends.iter().map(|end| length + end));
        self.numbers.extend(&other.numbers);
    }

    /// The text of a value.
    fn value(&self, value: usize) -> &str {
        let start = if value == 0 { 0 } else { self.ends[value - 1] };
        &self.texts[start..self.ends[value]]
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The text in a row; empty if there is no value.
    pub fn text(&self, row: usize) -> &str {
        self.value(self.codes[row] as usize)
    }

    /// The number in a row: `true` is 1, `false` is 0; `None` for a text and for no value.
    pub fn number(&self, row: usize) -> Option<f64> {
        self.numbers[self.codes[row] as usize]
    }

    /// Refuses a text where a number is asked for.
    ///
    /// # Errors
    /// The first cell that holds neither a number nor nothing.
    pub fn ensure_numbers(&self) -> Result<(), Refusal> {
        let is_text =
            |value: &usize| self.numbers[*value].is_none() && !is_missing(self.value(*value));
        self.refuse((0..self.ends.len()).find(is_text), "a number")
    }

    /// Refuses a text where `true` or `false` is asked for; 1 and 0 are as good.
    ///
    /// # Errors
    /// The first cell that holds neither of them nor nothing.
    pub fn ensure_truth(&self) -> Result<(), Refusal> {
        let is_other = |value: &usize| {
            let is_truth =
                self.numbers[*value].is_some_and(|number| number == 0.0 || number == 1.0);
            !is_truth && !is_missing(self.value(*value))
        };
        self.refuse((0..self.ends.len()).find(is_other), "true or false")
    }

    /// Whether a cell of it holds a text, neither a number nor a truth value.
    pub fn is_text(&self) -> bool {
        self.ensure_numbers().is_err()
    }

    /// A number for each row: equal texts have equal numbers.
    fn ids(&self) -> Vec<u32> {
        let mut known: HashMap<&str, u32> = HashMap::new();
        let of_value = (0..self.ends.len()).map(|value| {
            let next = known.len() as u32;
            *known.entry(self.value(value)).or_insert(next)
        });
        let of_value: Vec<u32> = of_value.collect();
        self.codes.iter().map(|code| of_value[*code as usize]).collect()
    }

    fn refuse(&self, value: Option<usize>, expected: &str) -> Result<(), Refusal> {
        let Some(value) = value else { return Ok(()) };
        let (text, code) = (self.value(value), value as u32);
        let row = self.codes.iter().position(|other| *other == code).unwrap_or_default();
        let refusal = Refusal::new(
            format!("column {}", self.name),
            expected,
            format!("{text:?} in line {}", row + 2),
        );
        Err(match (text.ends_with('%'), text.replacen(',', ".", 1).parse::<f64>()) {
            (true, _) => refusal.advising("write 0.539 for 53.9%"),
            (_, Ok(number)) if text.contains(',') => {
                refusal.advising(format!("write {number} with a point"))
            }
            _ => refusal,
        })
    }

    /// For each row whether its text and number pass.
    fn rows_where(&self, passes: impl Fn(&str, Option<f64>) -> bool) -> Vec<bool> {
        let values = self.numbers.iter().enumerate();
        let values: Vec<bool> = values.map(|(i, number)| passes(self.value(i), *number)).collect();
        self.codes.iter().map(|code| values[*code as usize]).collect()
    }

    /// Its distinct texts, in the order in which they first appear.
    pub fn distinct(&self) -> impl Iterator<Item = &str> {
        let mut seen = BTreeSet::new();
        (0..self.ends.len()).map(|value| self.value(value)).filter(move |text| seen.insert(*text))
    }
}

/// The group of each of `rows`, counted from 0 in the order in which they first appear: rows of a group agree in all
/// `columns`.
pub fn groups_of(columns: &[&Column], rows: &[usize]) -> Vec<u32> {
    let mut groups = vec![0; rows.len()];
    for column in columns {
        let ids = column.ids();
        let mut known: HashMap<(u32, u32), u32> = HashMap::new();
        for (group, &row) in groups.iter_mut().zip(rows) {
            let next = known.len() as u32;
            *group = *known.entry((*group, ids[row])).or_insert(next);
        }
    }
    groups
}

impl Table {
    /// An empty table with these columns.
    pub fn new<'a>(columns: impl IntoIterator<Item = &'a str>) -> Self {
        let columns = columns.into_iter().map(Column::new).collect();
        Table { columns, rows: 0 }
    }

    /// Adds a row: a text for each column, in order.
    ///
    /// # Panics
    /// There are more or fewer texts than columns.
    pub fn push<T: AsRef<str>>(&mut self, texts: &[T]) {
        assert_eq!(texts.len(), self.columns.len(), "one text per column");
        for (column, text) in self.columns.iter_mut().zip(texts) {
            column.push(text.as_ref());
        }
        self.rows += 1;
    }

    /// Reads a table, packed by gzip or not.
    ///
    /// # Errors
    /// The file cannot be read, is not CSV in UTF-8, names a column twice, or has a row of another length.
    pub fn read(path: &Path) -> Result<Self, Refusal> {
        let fail = |found: String| Refusal::new(path.display(), "a CSV table with a header", found);
        let bytes = unpacked(path).map_err(|e| fail(e.to_string()))?;
        let mut reader = csv::Reader::from_reader(bytes.as_slice());
        let header = reader.headers().map_err(|e| fail(e.to_string()))?.clone();
        if header.is_empty() {
            return Err(fail("an empty file".into()));
        }
        let mut names = BTreeSet::new();
        if let Some(twice) = header.iter().find(|name| !names.insert(*name)) {
            return Err(fail(format!("two columns named {twice:?}")));
        }
        // A table without a column is written as one empty line.
        let names = header.iter().filter(|name| header.len() > 1 || !name.is_empty());
        if let (1, Some(sign)) = (header.len(), header[0].chars().find(|c| ";\t".contains(*c))) {
            let found = format!("columns separated by {sign:?}");
            return Err(Refusal::new(
                path.display(),
                "a CSV table, its columns separated by commas",
                found,
            ));
        }
        let mut table = Table::new(names);
        let mut record = csv::StringRecord::new();
        while reader.read_record(&mut record).map_err(|e| fail(e.to_string()))? {
            for (column, text) in table.columns.iter_mut().zip(record.iter()) {
                column.push(match truth_of(text) {
                    Some(true) => "true",
                    Some(false) => "false",
                    None => text,
                });
            }
            table.rows += 1;
        }
        Ok(table)
    }

    /// The table as CSV.
    pub fn to_csv(&self) -> Vec<u8> {
        let mut writer = csv::Writer::from_writer(Vec::new());
        let header = self.columns.iter().map(Column::name);
        writer.write_record(header).expect("memory can be written");
        for row in 0..self.rows {
            let texts = self.columns.iter().map(|column| column.text(row));
            writer.write_record(texts).expect("memory can be written");
        }
        writer.into_inner().expect("memory can be written")
    }

    /// Writes the table whole, packed if the path ends in `.gz`. Equal tables give equal bytes.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn write(&self, path: &Path) -> Result<(), WriteError> {
        let is_packed = path.extension().is_some_and(|end| end == "gz");
        write_atomic(path, &if is_packed { self.packed() } else { self.to_csv() })
    }

    /// The table as packed CSV.
    pub fn packed(&self) -> Vec<u8> {
        let mut gzip = GzBuilder::new().mtime(0).write(Vec::new(), Compression::best());
        gzip.write_all(&self.to_csv()).expect("memory can be written");
        gzip.finish().expect("memory can be written")
    }

    /// The number of rows.
    pub fn len(&self) -> usize {
        self.rows
    }

    /// True without rows.
    pub fn is_empty(&self) -> bool {
        self.rows == 0
    }

    /// Its columns, in order.
    pub fn columns(&self) -> &[Column] {
        &self.columns
    }

    /// The column of a name, if there is one.
    pub fn get(&self, name: &str) -> Option<&Column> {
        self.columns.iter().find(|column| column.name == name)
    }

    /// The column of a name.
    ///
    /// # Errors
    /// There is none; the refusal lists those there are.
    pub fn column(&self, name: &str) -> Result<&Column, Refusal> {
        self.get(name).ok_or_else(|| {
            let names: Vec<&str> = self.columns.iter().map(Column::name).collect();
            let found = format!("{name:?}{}", did_you_mean(name, names.iter().copied()));
            match names.as_slice() {
                [] => Refusal::new(
                    "table",
                    format!("a header with the column {name}"),
                    "an empty table",
                ),
                names => Refusal::new("column", format!("one of {}", names.join(", ")), found),
            }
        })
    }

    /// The table with a column that holds one text in every row; an earlier column of the name is replaced.
    pub fn with_constant(mut self, name: &str, text: &str) -> Self {
        let mut column = Column::new(name);
        column.push_all(text, self.rows);
        match self.columns.iter_mut().find(|c| c.name == name) {
            Some(old) => *old = column,
            None => self.columns.insert(0, column),
        }
        self
    }

    /// The table with these columns only, in its own order.
    ///
    /// # Errors
    /// It lacks one of them.
    pub fn with_only(mut self, columns: &[String]) -> Result<Self, Refusal> {
        columns.iter().try_for_each(|name| self.column(name).map(drop))?;
        self.columns.retain(|column| columns.contains(&column.name));
        Ok(self)
    }

    /// The rows of all tables, one after the other. A column that a table lacks is empty in its rows.
    pub fn concat(tables: impl IntoIterator<Item = Table>) -> Self {
        let mut tables = tables.into_iter();
        let mut all = tables.next().unwrap_or_default();
        for table in tables {
            for column in &table.columns {
                if all.get(&column.name).is_none() {
                    let mut new = Column::new(&column.name);
                    new.push_all("", all.rows);
                    all.columns.push(new);
                }
            }
            for column in &mut all.columns {
                match table.get(&column.name) {
                    Some(from) => column.append(from),
                    None => column.push_all("", table.rows),
                }
            }
            all.rows += table.rows;
        }
        all
    }
}

/// The bytes of a file, unpacked if they are a gzip stream.
fn unpacked(path: &Path) -> std::io::Result<Vec<u8>> {
    let mut bytes = read_plain(path, LARGEST)?;
    if bytes.starts_with(&[0x1f, 0x8b]) {
        let mut plain = Vec::new();
        MultiGzDecoder::new(bytes.as_slice()).take(LARGEST + 1).read_to_end(&mut plain)?;
        bytes = plain;
    }
    if bytes.len() as u64 > LARGEST {
        let text = format!("expected at most {LARGEST} bytes unpacked, found more");
        return Err(std::io::Error::other(text));
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_file_is_no_table() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("empty.csv");
        for (text, found) in [("", "an empty file"), ("\n", "an empty file")] {
            std::fs::write(&path, text).unwrap();
            let refusal = Table::read(&path).unwrap_err();
            assert_eq!(refusal.found, found, "{text:?}");
        }
    }
}
