//! Lists of tables that say much in few lines: one table for several (`for`, files), and what tables have in common
//! (`NAME_defaults`).
//!
//! ```toml
//! target_defaults = { fit = "crop" }
//!
//! [[targets]]                                  # one a genome, named as its file
//! genomes = ["genomes/bred_*.json"]
//!
//! [[targets]]                                  # one a word
//! for = ["boat", "clock"]
//! name = "{}"
//! family = { name = "{}", support = "minimal" }
//!
//! [[arms]]                                     # one a table: its keys are the words in braces
//! for = [{ name = "l1", penalty = "l1:strength=1e-4" }, { name = "l2", penalty = "l2:strength=1e-4" }]
//! name = "dense-{name}"
//! wiring = "dense"
//! penalty = "{penalty}"
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

/// A word in braces and what takes its place.
type Words<'a> = Vec<(String, DeValue<'a>)>;

/// Expands every list of tables of a spec. `list` names the files that a pattern with one `*` in its file name matches.
///
/// # Errors
/// A `for` that is no list of words or of tables, a word of it that is used nowhere, a pattern that matches no file.
pub(crate) fn expand<'a>(
    spec: &mut DeTable<'a>,
    list: &dyn Fn(&str) -> Result<Vec<PathBuf>, Refusal>,
) -> Result<(), Refusal> {
    let keys: Vec<String> = spec.keys().map(|key| key.get_ref().to_string()).collect();
    for key in &keys {
        let Some(DeValue::Array(tables)) = spec.get_mut(key.as_str()).map(Spanned::get_mut) else {
            continue;
        };
        if tables.iter().any(|table| table.get_ref().is_table()) {
            *tables = expanded(key, std::mem::replace(tables, DeArray::new()), list)?;
        }
    }
    // Of contrasts and figures their readers know the defaults.
    for key in keys.iter().filter(|key| !super::analysis::KEYS.contains(&key.as_str())) {
        let Some(one) = key.strip_suffix("_defaults") else { continue };
        let all = format!("{one}s");
        let is_list = |value: &Spanned<DeValue<'_>>| value.get_ref().is_array();
        if !spec.get(all.as_str()).is_some_and(is_list) {
            continue;
        }
        let Some(defaults) = spec.remove(key.as_str()) else { continue };
        let DeValue::Table(defaults) = defaults.into_inner() else {
            return Err(Refusal::new(key, "a table", "another value"));
        };
        let Some(DeValue::Array(tables)) = spec.get_mut(all.as_str()).map(Spanned::get_mut) else {
            continue;
        };
        for table in tables.iter_mut() {
            let DeValue::Table(table) = table.get_mut() else { continue };
            for (key, value) in &defaults {
                if !table.contains_key(key) {
                    table.insert(key.clone(), value.clone());
                }
            }
        }
    }
    Ok(())
}

fn expanded<'a>(
    key: &str,
    tables: DeArray<'a>,
    list: &dyn Fn(&str) -> Result<Vec<PathBuf>, Refusal>,
) -> Result<DeArray<'a>, Refusal> {
    let mut all = DeArray::new();
    for table in tables {
        let span = table.span();
        let DeValue::Table(mut inner) = table.into_inner() else {
            return Err(Refusal::new(key, "tables only", "another value among them"));
        };
        let files = FILES.iter().find_map(|(many, one)| Some((*one, inner.remove(*many)?)));
        let (each, words) = match (inner.remove(FOR), files) {
            (None, None) => {
                all.push(Spanned::new(span, DeValue::Table(inner)));
                continue;
            }
            (Some(_), Some(_)) => {
                return Err(Refusal::new(key, "`for` or a list of files", "both"));
            }
            (Some(each), None) => (inner, words_of(key, each.get_ref())?),
            (None, Some((one, patterns))) => {
                for (name, value) in [("name", "{stem}"), (one, "{path}")] {
                    let at = Spanned::new(span.clone(), DeString::from(name.to_string()));
                    let value = DeValue::String(Cow::Borrowed(value));
                    inner.entry(at).or_insert(Spanned::new(span.clone(), value));
                }
                (inner, words_of_files(key, patterns.get_ref(), list)?)
            }
        };
        if all.len() + words.len() > MOST {
            let expected = format!("at most {MOST} tables");
            return Err(Refusal::new(key, expected, "more"));
        }
        for words in words {
            let mut used = BTreeSet::new();
            let mut one = DeValue::Table(each.clone());
            put(&mut one, &words, &mut used);
            let is_file = |word: &str| ["stem", "path"].contains(&word);
            if let Some((word, _)) =
                words.iter().find(|(word, _)| !used.contains(word) && !is_file(word))
            {
                let at = format!("{key}, for");
                let expected = format!("{{{word}}} in the table, where its words go");
                return Err(Refusal::new(at, expected, "none"));
            }
            all.push(Spanned::new(span.clone(), one));
        }
    }
    Ok(all)
}

/// The words of each entry of a `for`.
fn words_of<'a>(key: &str, each: &DeValue<'a>) -> Result<Vec<Words<'a>>, Refusal> {
    let refuse = |found: &str| {
        let expected = "a list of words or of tables, for = [\"a\", \"b\"]";
        Refusal::new(format!("{key}, for"), expected, found)
    };
    let entries = each.as_array().ok_or_else(|| refuse(each.type_str()))?;
    if entries.is_empty() {
        return Err(refuse("an empty list"));
    }
    let one = |entry: &Spanned<DeValue<'a>>| match entry.get_ref() {
        DeValue::Table(table) => Ok(table
            .iter()
            .map(|(word, value)| (word.get_ref().to_string(), value.get_ref().clone()))
            .collect()),
        DeValue::Array(_) => Err(refuse("a list in it")),
        word => Ok(vec![(String::new(), word.clone())]),
    };
    entries.iter().map(one).collect()
}

/// Path and stem of each file.
fn words_of_files<'a>(
    key: &str,
    patterns: &DeValue<'_>,
    list: &dyn Fn(&str) -> Result<Vec<PathBuf>, Refusal>,
) -> Result<Vec<Words<'a>>, Refusal> {
    let refuse = || {
        let expected = "a list of files, which may have a * in their names";
        Refusal::new(key, expected, patterns.type_str())
    };
    let mut all: Vec<Words<'a>> = Vec::new();
    for pattern in patterns.as_array().ok_or_else(refuse)? {
        let pattern = pattern.get_ref().as_str().ok_or_else(refuse)?;
        for path in list(pattern).map_err(|refusal| refusal.within(key))? {
            let stem = path.file_stem().unwrap_or_default().to_string_lossy();
            let stem = stem.strip_suffix(".json").unwrap_or(&stem).to_string();
            let path = path.to_string_lossy().into_owned();
            let text = |text: String| DeValue::String(Cow::Owned(text));
            all.push(vec![("stem".into(), text(stem)), ("path".into(), text(path))]);
        }
    }
    Ok(all)
}

/// Puts words in the place of their names in braces. A text that is nothing but one of them becomes its value.
fn put<'a>(value: &mut DeValue<'a>, words: &Words<'a>, used: &mut BTreeSet<String>) {
    match value {
        DeValue::String(text) => {
            for (word, by) in words {
                let braced = format!("{{{word}}}");
                if !text.contains(&braced) {
                    continue;
                }
                used.insert(word.clone());
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
            values.iter_mut().for_each(|value| put(value.get_mut(), words, used));
        }
        DeValue::Table(table) => {
            for (_, value) in table.iter_mut() {
                put(value.get_mut(), words, used);
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
