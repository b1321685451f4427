//! Labelled perturbations: a CSV and the pictures beside it.
//!
//! Columns `image, base, label` are needed; `target, network, link, delta, stands_for, unsure, second` are
//! read if there, any others are let be. Paths are relative to the CSV. `label` is `clean` or
//! `damaged`. Without a `target` column the target is the file's stem before `_labels`
//! (`skull_labels.csv` → `skull`).

use crate::base::files::read_plain;
use crate::base::hash::sha256_hex;
use crate::base::refusal::Refusal;
use crate::network::Picture;
use crate::score::at_once;
use crate::score::dl::Base;
use crate::score::judge::{BaseReading, Judge, JudgeError, Label, Verdict};
use rayon::prelude::*;
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// One labelled picture.
#[derive(Clone, Debug, PartialEq)]
pub struct LabelRow {
    /// The perturbed picture's file.
    pub image: PathBuf,
    /// The base picture's file.
    pub base: PathBuf,
    /// The first viewer's label.
    pub label: Label,
    /// The picture's target: leave-one-target-out leaves out all rows of one target.
    pub target: String,
    /// Which network drew it, if the file says so.
    pub network: String,
    /// Changes of its network that it stands for, > 0; 1 if the file does not say.
    pub weight: f64,
    /// True if whoever labelled it was in doubt.
    pub unsure: bool,
    /// A second viewer's label, if there was one.
    pub second: Option<Label>,
    /// The link that was moved and the change of its weight, if the file says so.
    pub change: Option<(usize, f64)>,
}

impl LabelRow {
    /// The network it is of: by its target and name, in whatever set; one without a name by its base
    /// picture.
    pub fn drawer(&self) -> (&str, &str, &Path) {
        let base = if self.network.is_empty() { self.base.as_path() } else { Path::new("") };
        (&self.target, &self.network, base)
    }
}

/// A labelled set.
#[derive(Clone, Debug, PartialEq)]
pub struct LabelSet {
    /// File name of the CSV.
    pub file: String,
    /// SHA-256 of its bytes, hex.
    pub sha256: String,
    /// Its rows, in order; at least one.
    pub rows: Vec<LabelRow>,
}

#[derive(Deserialize)]
struct Record {
    image: String,
    base: String,
    label: String,
    target: Option<String>,
    network: Option<String>,
    stands_for: Option<f64>,
    unsure: Option<u8>,
    second: Option<String>,
    link: Option<usize>,
    delta: Option<f64>,
}

/// Largest CSV that is read, in bytes.
const LARGEST_FILE: u64 = 64 << 20;

pub(super) fn bytes_of(path: &Path) -> Result<Vec<u8>, Refusal> {
    read_plain(path, LARGEST_FILE).map_err(|e| Refusal::unreadable(path, "labels", &e))
}

/// The refusal of a row of a CSV; the header is line 1, and line 0 none of them.
pub(super) fn wrong_row(path: &Path, line: usize, expected: &str, found: String) -> Refusal {
    let line = if line == 0 { String::new() } else { format!(", line {line}") };
    Refusal::new(format!("{}{line}", path.display()), expected, found).as_failure()
}

fn of_picture(row: &LabelRow, error: &JudgeError) -> JudgeError {
    JudgeError::Other(format!("{}: {error}", row.image.display()).into())
}

/// Reads a labelled set.
///
/// # Errors
/// The file is missing, empty, lacks a column, has another label than the two, or names the same
/// pair of pictures twice. The pictures are not read here.
pub fn read_labels(path: &Path) -> Result<LabelSet, Refusal> {
    let bytes = bytes_of(path)?;
    let row_error = |line, expected, found| wrong_row(path, line, expected, found);
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let stem = stem.strip_suffix("_labels").unwrap_or(&stem);
    let folder = path.parent().unwrap_or(Path::new(""));
    let mut rows = Vec::new();
    let mut seen = BTreeSet::new();
    let mut reader = csv::Reader::from_reader(bytes.as_slice());
    for record in reader.deserialize::<Record>() {
        const COLUMNS: &str = "columns image, base, label (and target, network if known)";
        let line = rows.len() + 2;
        let record = record.map_err(|e| row_error(line, COLUMNS, e.to_string()))?;
        let label = |text: &str| {
            let expected = "the label clean or damaged";
            Label::from_word(text).ok_or_else(|| row_error(line, expected, format!("{text:?}")))
        };
        let weight = record.stands_for.unwrap_or(1.0);
        if !(weight.is_finite() && weight > 0.0) {
            return Err(row_error(line, "stands_for above 0", weight.to_string()));
        }
        if !seen.insert((record.image.clone(), record.base.clone())) {
            let expected = "each pair of pictures once";
            return Err(row_error(line, expected, format!("{} again", record.image)));
        }
        rows.push(LabelRow {
            image: folder.join(&record.image),
            base: folder.join(&record.base),
            label: label(&record.label)?,
            target: record.target.filter(|t| !t.is_empty()).unwrap_or_else(|| stem.to_string()),
            network: record.network.unwrap_or_default(),
            weight,
            unsure: match record.unsure.unwrap_or(0) {
                0 => false,
                1 => true,
                other => return Err(row_error(line, "unsure 0 or 1", other.to_string())),
            },
            change: record.link.zip(record.delta),
            second: record.second.filter(|t| !t.is_empty()).map(|t| label(&t)).transpose()?,
        });
    }
    if rows.is_empty() {
        return Err(row_error(2, "at least one row", "none".into()));
    }
    Ok(LabelSet { file: name.into_owned(), sha256: sha256_hex(&bytes), rows })
}

/// Calls `look(base, rows of that base)` once a base and puts its answers in the order of the rows.
fn by_base<T>(
    rows: &[&LabelRow],
    look: impl Fn(&Picture, &[&LabelRow]) -> Result<Vec<T>, JudgeError>,
) -> Result<Vec<T>, JudgeError> {
    let mut groups: BTreeMap<&Path, Vec<usize>> = BTreeMap::new();
    for (i, row) in rows.iter().enumerate() {
        groups.entry(&row.base).or_default().push(i);
    }
    let mut answers: Vec<Option<T>> = rows.iter().map(|_| None).collect();
    for (base, places) in groups {
        let group: Vec<&LabelRow> = places.iter().map(|&i| rows[i]).collect();
        for (i, answer) in places.into_iter().zip(look(&Picture::read(base)?, &group)?) {
            answers[i] = Some(answer);
        }
    }
    Ok(answers.into_iter().flatten().collect())
}

/// Calls `look` with each row's picture, in parallel.
fn each<T: Send>(
    rows: &[&LabelRow],
    look: impl Fn(&Picture) -> Result<T, JudgeError> + Sync,
) -> Result<Vec<T>, JudgeError> {
    rows.par_iter()
        .map(|row| look(&Picture::read(&row.image)?).map_err(|error| of_picture(row, &error)))
        .collect()
}

/// Runs `judge` on every row, in order. Each base is read once, and a judge that is a program is
/// started once for it.
///
/// # Errors
/// A picture cannot be read or judged.
pub fn judge_rows(rows: &[&LabelRow], judge: &dyn Judge) -> Result<Vec<Verdict>, JudgeError> {
    crate::score::with_threads(judge.at_a_time(), || {
        by_base(rows, |base, group| {
            let reading = judge.read_base(base);
            match judge.takes_many() {
                true => many(base, group, &*reading),
                false => each(group, |picture| reading.judge(picture)),
            }
        })
    })
}

/// Hands a judge that starts a program as many pictures of a base at once as it is handed of a sweep.
fn many(
    base: &Picture,
    group: &[&LabelRow],
    reading: &dyn BaseReading,
) -> Result<Vec<Verdict>, JudgeError> {
    let mut verdicts = Vec::with_capacity(group.len());
    for rows in group.chunks(at_once(base.pixels())) {
        let pictures = rows.iter().map(|row| Picture::read(&row.image));
        let pictures = pictures.collect::<Result<Vec<_>, _>>()?;
        let judged = reading.judge_many(&pictures).map_err(|error| of_picture(rows[0], &error))?;
        verdicts.extend(judged);
    }
    Ok(verdicts)
}

/// Returns the embedded judge's features of every row, in order; `None` where picture and base are
/// the same.
///
/// # Errors
/// A picture cannot be read, or differs in size from its base.
pub fn measure_rows(rows: &[&LabelRow]) -> Result<Vec<Option<Vec<f64>>>, JudgeError> {
    by_base(rows, |base, group| {
        let base = Base::new(base);
        each(group, |picture| base.features(picture))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<LabelSet, Refusal> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("owl_labels.csv");
        std::fs::write(&path, text).unwrap();
        read_labels(&path)
    }

    #[test]
    fn targets_come_from_the_column_or_from_the_file_name() {
        let set = read("image,base,label,rmse\na.png,b.png,clean,0.1\n").unwrap();
        assert_eq!((set.rows[0].target.as_str(), set.rows[0].label), ("owl", Label::Clean));
        assert!(set.rows[0].image.ends_with("a.png") && set.rows[0].image.parent().is_some());
        assert_eq!(set.sha256.len(), 64);
        let set = read("target,label,base,image\ncat,damaged,b.png,a.png\n").unwrap();
        assert_eq!(set.rows[0].target, "cat");
    }

    #[test]
    fn wrong_rows_are_refused_with_their_line() {
        for (text, expected) in [
            ("image,base,label\n", "line 2: expected at least one row"),
            ("image,base,label\na,b,clean\nc,b,maybe\n", "line 3: expected the label"),
            ("image,label\na,clean\n", "columns image, base, label"),
            ("image,base,label\na,b,clean\na,b,damaged\n", "a again"),
        ] {
            let error = read(text).unwrap_err().to_string();
            assert!(error.contains(expected), "{error}");
        }
    }
}
