//! Lists of tables that say much in few lines: one table stands for several (`for`, files).
//!
//! ```toml
//! [[targets]]                                  # one a genome, named as its file
//! genomes = ["genomes/bred_*.json"]
//!
//! [[targets]]                                  # one a word
//! for = ["boat", "clock"]
//! name = "{}"
//! family = { name = "{}", support = "minimal" }
//!
//! [[arms]]                                     # one a row: its keys, and below them what the rows have in common
//! for = [
//!     { name = "dense-l1", penalty = "l1:strength=1e-4" },
//!     { name = "dense-slow", lr = 0.001 },
//! ]
//! wiring = "dense"
//! ```

use picloom_base::refusal::Refusal;
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use toml::Spanned;
use toml::de::{DeArray, DeString, DeTable, DeValue};

/// The key of a table that stands for several.
const FOR: &str = "for";

/// Tables made of one, at most.
const MOST: usize = 10_000;

/// Lists of files that may stand in a table for one of them: the key of the list, and that of the file.
const FILES: [(&str, &str); 2] = [("genomes", "genome"), ("pictures", "picture")];

/// The keys of a row with their values. One that stands in braces gives way to its value, any other is a key.
type Row<'a> = Vec<(Spanned<DeString<'a>>, Spanned<DeValue<'a>>)>;

/// Expands every list of tables of a spec. `list` names the files that a pattern with one `*` in its file name matches;
/// `extends`: the lists may name tables of another spec.
///
/// # Errors
/// A name where the spec extends no other, a `for` that is no list of words or of rows, a word of it that is used nowhere, a pattern that matches no file.
pub(crate) fn expand<'a>(
    spec: &mut DeTable<'a>,
    extends: bool,
    list: &dyn Fn(&str) -> Result<Vec<PathBuf>, Refusal>,
) -> Result<(), Refusal> {
    let keys: Vec<String> = spec.keys().map(|key| key.get_ref().to_string()).collect();
    for key in &keys {
        let Some(DeValue::Array(tables)) = spec.get_mut(key.as_str()).map(Spanned::get_mut) else {
            continue;
        };
        if tables.iter().any(|table| table.get_ref().is_table()) {
            *tables = expanded(key, std::mem::replace(tables, DeArray::new()), extends, list)?;
        }
    }
    Ok(())
}

fn expanded<'a>(
    key: &str,
    tables: DeArray<'a>,
    extends: bool,
    list: &dyn Fn(&str) -> Result<Vec<PathBuf>, Refusal>,
) -> Result<DeArray<'a>, Refusal> {
    let mut all = DeArray::new();
    for table in tables {
        let span = table.span();
        let mut inner = match table.into_inner() {
            DeValue::Table(inner) => inner,
            name @ DeValue::String(_) if extends => {
                all.push(Spanned::new(span, name));
                continue;
            }
            DeValue::String(name) => {
                let expected = "tables, or `extends` with the spec whose table is named";
                return Err(Refusal::new(key, expected, format!("{name:?} and no `extends`")));
            }
            _ => return Err(Refusal::new(key, "tables and names", "another value among them")),
        };
        let files = FILES.iter().find_map(|(many, one)| Some((*one, inner.remove(*many)?)));
        let of_files = files.is_some();
        let rows = match (inner.remove(FOR), files) {
            (None, None) => {
                all.push(Spanned::new(span, DeValue::Table(inner)));
                continue;
            }
            (Some(_), Some(_)) => {
                return Err(Refusal::new(key, "`for` or a list of files", "both"));
            }
            (Some(rows), None) => rows_of(key, &rows)?,
            (None, Some((one, patterns))) => {
                for (name, value) in [("name", "{stem}"), (one, "{path}")] {
                    let at = Spanned::new(span.clone(), DeString::from(name.to_string()));
                    let value = DeValue::String(Cow::Borrowed(value));
                    inner.entry(at).or_insert(Spanned::new(span.clone(), value));
                }
                rows_of_files(key, &patterns, list)?
            }
        };
        if all.len() + rows.len() > MOST {
            let expected = format!("at most {MOST} tables");
            return Err(Refusal::new(key, expected, "more"));
        }
        for row in rows {
            let mut used = BTreeSet::new();
            let mut one = inner.clone();
            for (_, value) in one.iter_mut() {
                put(value.get_mut(), &row, &mut used);
            }
            for (word, value) in row {
                if of_files || used.contains(word.get_ref().as_ref()) {
                    continue;
                }
                if word.get_ref().is_empty() {
                    let expected = "{} in the table, where its words go";
                    return Err(Refusal::new(format!("{key}, for"), expected, "none"));
                }
                one.insert(word, value);
            }
            all.push(Spanned::new(span.clone(), DeValue::Table(one)));
        }
    }
    Ok(all)
}

/// The rows of a `for`. A word is a row with a key without a name.
fn rows_of<'a>(key: &str, rows: &Spanned<DeValue<'a>>) -> Result<Vec<Row<'a>>, Refusal> {
    let refuse = |found: &str| {
        let expected = "a list of words or of tables, for = [\"a\", \"b\"]";
        Refusal::new(format!("{key}, for"), expected, found)
    };
    let rows = rows.get_ref();
    let rows = rows.as_array().ok_or_else(|| refuse(rows.type_str()))?;
    if rows.is_empty() {
        return Err(refuse("an empty list"));
    }
    let one = |row: &Spanned<DeValue<'a>>| match row.get_ref() {
        DeValue::Table(table) => {
            Ok(table.iter().map(|(word, value)| (word.clone(), value.clone())).collect())
        }
        DeValue::Array(_) => Err(refuse("a list in it")),
        _ => Ok(vec![(Spanned::new(row.span(), DeString::from("")), row.clone())]),
    };
    rows.iter().map(one).collect()
}

/// Path and stem of each file.
fn rows_of_files<'a>(
    key: &str,
    patterns: &Spanned<DeValue<'_>>,
    list: &dyn Fn(&str) -> Result<Vec<PathBuf>, Refusal>,
) -> Result<Vec<Row<'a>>, Refusal> {
    let (span, patterns) = (patterns.span(), patterns.get_ref());
    let refuse = || {
        let expected = "a list of files, which may have a * in their names";
        Refusal::new(key, expected, patterns.type_str())
    };
    let mut all: Vec<Row<'a>> = Vec::new();
    for pattern in patterns.as_array().ok_or_else(refuse)? {
        let pattern = pattern.get_ref().as_str().ok_or_else(refuse)?;
        for path in list(pattern).map_err(|refusal| refusal.within(key))? {
            let stem = path.file_stem().unwrap_or_default().to_string_lossy();
            let stem = stem.strip_suffix(".json").unwrap_or(&stem).to_string();
            let path = path.to_string_lossy().into_owned();
            let text = |text: String| Spanned::new(span.clone(), DeValue::String(Cow::Owned(text)));
            let word = |name: &'static str| Spanned::new(span.clone(), DeString::from(name));
            all.push(vec![(word("stem"), text(stem)), (word("path"), text(path))]);
        }
    }
    Ok(all)
}

/// Puts words in the place of their names in braces. A text that is nothing but one of them becomes its value.
fn put<'a>(value: &mut DeValue<'a>, row: &Row<'a>, used: &mut BTreeSet<String>) {
    match value {
        DeValue::String(text) => {
            for (word, by) in row {
                let (word, by) = (word.get_ref(), by.get_ref());
                let braced = format!("{{{word}}}");
                if !text.contains(&braced) {
                    continue;
                }
                used.insert(word.to_string());
                match by {
                    DeValue::String(by) => *text = Cow::Owned(text.replace(&braced, by)),
                    by if *text == braced => {
                        *value = by.clone();
                        return;
                    }
                    DeValue::Integer(by) => {
                        *text = Cow::Owned(text.replace(&braced, by.as_str()));
                    }
                    DeValue::Float(by) => *text = Cow::Owned(text.replace(&braced, by.as_str())),
                    _ => {}
                }
            }
        }
        DeValue::Array(values) => {
            values.iter_mut().for_each(|value| put(value.get_mut(), row, used));
        }
        DeValue::Table(table) => {
            for (_, value) in table.iter_mut() {
                put(value.get_mut(), row, used);
            }
        }
        _ => {}
    }
}

/// The files that a pattern names, sorted: one, or those that match a name with a `*`. `folder` is where it begins.
///
/// # Errors
/// There is none.
pub(crate) fn files(folder: &Path, pattern: &str) -> Result<Vec<PathBuf>, Refusal> {
    let path = Path::new(pattern);
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let Some((begin, end)) = name.split_once('*') else { return Ok(vec![path.to_path_buf()]) };
    let inside = path.parent().unwrap_or(Path::new(""));
    let entries = std::fs::read_dir(folder.join(inside)).into_iter().flatten().flatten();
    let names = entries.map(|entry| entry.file_name().to_string_lossy().into_owned());
    let fits = |name: &String| {
        name.len() >= begin.len() + end.len() && name.starts_with(begin) && name.ends_with(end)
    };
    let mut names: Vec<String> = names.filter(fits).collect();
    names.sort();
    if names.is_empty() {
        let at = folder.join(inside).display().to_string();
        return Err(Refusal::new(pattern, "files that match", format!("none in {at}")));
    }
    Ok(names.into_iter().map(|name| inside.join(name)).collect())
}
