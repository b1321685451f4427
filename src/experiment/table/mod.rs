//! The table of a study's results: one row per measured network, read by pandas, R and Picloom alike.
//!
//! In and out: `rows.csv` or `rows.csv.gz`, UTF-8, one header line. A cell is a number, `true` or `false`, a
//! text, or empty where there is no value. What each column of a study of networks means stands in
//! `docs/TABLES.md`.

mod fewest;
mod filter;

pub use fewest::Fewest;
pub use filter::{Filter, Measure};

use crate::math::names::did_you_mean;
use crate::math::refusal::Refusal;
use crate::network::files::{WriteError, read_plain, write_atomic};
use flate2::read::MultiGzDecoder;
use flate2::{Compression, GzBuilder};
use std::collections::HashMap;
use std::io::{Read, Write};
use std::path::Path;

/// Bytes of a table once it is unpacked, at most.
const LARGEST: u64 = 1 << 30;

/// A table in memory. Columns are stored by their distinct values, so that a column of names costs four bytes a row.
#[derive(Clone, Debug, Default)]
pub struct Table {
    columns: Vec<Column>,
    rows: usize,
}

/// One column of a [`Table`].
#[derive(Clone, Debug, Default)]
pub struct Column {
    name: String,
    /// Number of each row's value in `values`.
    codes: Vec<u32>,
    values: Vec<Cell>,
    /// Code of each text.
    known: HashMap<String, u32>,
}

/// A distinct value of a column.
#[derive(Clone, Debug, Default)]
struct Cell {
    text: String,
    number: Option<f64>,
}

impl Cell {
    fn of(text: &str) -> Self {
        let number = match text {
            "true" => Some(1.0),
            "false" => Some(0.0),
            _ => text.parse().ok().filter(|n: &f64| n.is_finite()),
        };
        Cell { text: text.to_string(), number }
    }
}

impl Column {
    fn new(name: &str, rows: usize) -> Self {
        let mut column = Column { name: name.to_string(), ..Column::default() };
        (0..rows).for_each(|_| column.push(""));
        column
    }

    fn push(&mut self, text: &str) {
        let code = match self.known.get(text) {
            Some(code) => *code,
            None => {
                let code = self.values.len() as u32;
                self.values.push(Cell::of(text));
                self.known.insert(text.to_string(), code);
                code
            }
        };
        self.codes.push(code);
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The text in a row; empty if there is no value.
    pub fn text(&self, row: usize) -> &str {
        &self.values[self.codes[row] as usize].text
    }

    /// The number in a row: `true` is 1, `false` is 0; none for a text and for no value.
    pub fn number(&self, row: usize) -> Option<f64> {
        self.values[self.codes[row] as usize].number
    }

    /// Its distinct values, in the order in which they first appear.
    pub fn distinct(&self) -> impl Iterator<Item = &str> {
        self.values.iter().map(|cell| cell.text.as_str())
    }
}

impl Table {
    /// An empty table with these columns.
    pub fn new<'a>(columns: impl IntoIterator<Item = &'a str>) -> Self {
        let columns = columns.into_iter().map(|name| Column::new(name, 0)).collect();
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
        if let Some(twice) =
            header.iter().find(|name| header.iter().filter(|n| n == name).count() > 1)
        {
            return Err(fail(format!("two columns named {twice:?}")));
        }
        // A table without a column is written as one empty line.
        let names = header.iter().filter(|name| header.len() > 1 || !name.is_empty());
        let mut table = Table::new(names);
        let mut record = csv::StringRecord::new();
        while reader.read_record(&mut record).map_err(|e| fail(e.to_string()))? {
            for (column, text) in table.columns.iter_mut().zip(record.iter()) {
                column.push(text);
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
            Refusal::new("column", format!("one of {}", names.join(", ")), found)
        })
    }

    /// The table with a column that holds one text in every row; an earlier column of the name is replaced.
    pub fn with_constant(mut self, name: &str, text: &str) -> Self {
        let mut column = Column::new(name, 0);
        (0..self.rows).for_each(|_| column.push(text));
        match self.columns.iter_mut().find(|c| c.name == name) {
            Some(old) => *old = column,
            None => self.columns.insert(0, column),
        }
        self
    }

    /// The rows of all tables, one after the other. A column that a table lacks is empty in its rows.
    pub fn concat(tables: &[Table]) -> Self {
        let mut all = Table::default();
        for table in tables {
            for column in &table.columns {
                if all.get(&column.name).is_none() {
                    all.columns.push(Column::new(&column.name, all.rows));
                }
            }
            for column in &mut all.columns {
                let from = table.get(&column.name);
                (0..table.rows).for_each(|row| column.push(from.map_or("", |c| c.text(row))));
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
