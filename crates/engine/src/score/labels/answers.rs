//! Blind labelling: the key of numbered pairs, a viewer's numbered answers, and the two merged.
//!
//! `key.csv` says which network drew which number; the viewer sees numbers only and writes
//! `number,label`. Merging gives a labelled set as [`super::read_labels`] reads it.

use super::set::{bytes_of, wrong_row as wrong};
use crate::base::refusal::Refusal;
use crate::base::stats::{Confusion, Interval};
use crate::score::judge::Label;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::Path;

/// One numbered pair of pictures.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct KeyRow {
    /// Number on the sheets, from 1.
    pub number: usize,
    /// File of the perturbed picture, relative to the key.
    pub image: String,
    /// File of the base picture, relative to the key.
    pub base: String,
    /// The target of the network.
    pub target: String,
    /// Which network drew it.
    pub network: String,
    /// The changed link.
    pub link: usize,
    /// Layer of the link's target.
    pub layer: usize,
    /// The change of its weight, signed.
    pub delta: f64,
    /// RMSE between the two pictures, in [0, 1].
    pub rmse: f64,
    /// Stratum of a judge's P(damaged) it was picked from; `None` (no column) if drawn plainly.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stratum: Option<usize>,
    /// Changes of its network that it stands for; `None` (no column) if drawn plainly.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stands_for: Option<f64>,
}

#[derive(Deserialize)]
struct AnswerRow {
    number: usize,
    label: String,
}

/// A viewer's answer about one pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Answer {
    /// The viewer's label, a guess if in doubt.
    pub label: Label,
    /// True if the viewer was in doubt.
    pub unsure: bool,
}

#[derive(Serialize)]
struct Labelled<'a> {
    image: &'a str,
    base: &'a str,
    label: Label,
    target: &'a str,
    network: &'a str,
    link: usize,
    layer: usize,
    delta: f64,
    rmse: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    stratum: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    stands_for: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    unsure: Option<u8>,
    /// Empty where the second viewer did not look.
    #[serde(skip_serializing_if = "Option::is_none")]
    second: Option<&'static str>,
}

/// Reads a key.
///
/// # Errors
/// The file is missing, empty, lacks a column, or has a number twice.
pub fn read_key(path: &Path) -> Result<Vec<KeyRow>, Refusal> {
    let bytes = bytes_of(path)?;
    let mut rows: Vec<KeyRow> = Vec::new();
    for record in csv::Reader::from_reader(bytes.as_slice()).deserialize() {
        let line = rows.len() + 2;
        let row: KeyRow =
            record.map_err(|e| wrong(path, line, "a row of key.csv", e.to_string()))?;
        if rows.iter().any(|r| r.number == row.number) {
            return Err(wrong(path, line, "each number once", row.number.to_string()));
        }
        rows.push(row);
    }
    if rows.is_empty() {
        return Err(wrong(path, 2, "at least one row", "none".into()));
    }
    Ok(rows)
}

/// Reads a viewer's answers: columns `number, label`; `c` and `d` (or `f`, fractured) may stand for
/// `clean` and `damaged`, and a `?` after either says that the viewer was in doubt. Rows with an empty label are
/// left out.
///
/// # Errors
/// The file is missing, a label is another word, or a number is answered twice.
pub fn read_answers(path: &Path) -> Result<BTreeMap<usize, Answer>, Refusal> {
    let bytes = bytes_of(path)?;
    let mut answers = BTreeMap::new();
    for (i, record) in csv::Reader::from_reader(bytes.as_slice()).deserialize().enumerate() {
        let answer: AnswerRow =
            record.map_err(|e| wrong(path, i + 2, "columns number, label", e.to_string()))?;
        let text = answer.label.trim();
        let sure = text.strip_suffix('?');
        let label = match sure.unwrap_or(text) {
            "" if sure.is_none() => continue,
            "c" => Label::Clean,
            "d" | "f" => Label::Damaged,
            word => Label::from_word(word).ok_or_else(|| {
                let expected = "the label clean or damaged, with ? if in doubt";
                wrong(path, i + 2, expected, format!("{word:?}"))
            })?,
        };
        let given = Answer { label, unsure: sure.is_some() };
        if answers.insert(answer.number, given).is_some() {
            let found = format!("{} again", answer.number);
            return Err(wrong(path, i + 2, "each number once", found));
        }
    }
    Ok(answers)
}

/// The labelled set as CSV: the answered rows of the key in the order of their numbers, with what a
/// `second` viewer said beside it, if there was one.
///
/// # Errors
/// An answer has a number that the key does not have, or nothing was answered.
pub fn merge(
    key: &[KeyRow],
    answers: &BTreeMap<usize, Answer>,
    second: Option<&BTreeMap<usize, Answer>>,
    path: &Path,
) -> Result<String, Refusal> {
    let given = answers.keys().chain(second.iter().flat_map(|second| second.keys()));
    if let Some(number) = given.into_iter().find(|n| key.iter().all(|r| r.number != **n)) {
        return Err(wrong(path, 0, "numbers of the key", number.to_string()));
    }
    if answers.is_empty() {
        return Err(wrong(path, 0, "at least one answer", "none".into()));
    }
    let mut rows: Vec<&KeyRow> = key.iter().collect();
    rows.sort_by_key(|r| r.number);
    let doubted = answers.values().any(|answer| answer.unsure);
    let mut writer = csv::Writer::from_writer(Vec::new());
    for row in rows {
        let Some(&Answer { label, unsure }) = answers.get(&row.number) else {
            continue;
        };
        let labelled = Labelled {
            image: &row.image,
            base: &row.base,
            label,
            target: &row.target,
            network: &row.network,
            link: row.link,
            layer: row.layer,
            delta: row.delta,
            rmse: row.rmse,
            stratum: row.stratum,
            stands_for: row.stands_for,
            unsure: doubted.then_some(u8::from(unsure)),
            second: second.map(|second| match second.get(&row.number).map(|answer| answer.label) {
                Some(Label::Clean) => "clean",
                Some(Label::Damaged) => "damaged",
                None => "",
            }),
        };
        let write = writer.serialize(labelled);
        write.map_err(|e| wrong(path, 0, "a row that can be written", e.to_string()))?;
    }
    let bytes = writer
        .into_inner()
        .map_err(|e| wrong(path, 0, "rows that can be written", e.to_string()))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// How well two viewers (or one viewer twice) agree on the numbers both answered.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ViewerAgreement {
    /// Numbers that both answered.
    pub pictures: usize,
    /// `counts[first][second]`, in the order clean, damaged.
    pub confusion: [[usize; 2]; 2],
    /// Cohen's κ; `None` if all got one label.
    pub kappa: Option<Interval>,
}

/// Agreement of two viewers; `None` if no number was answered by both.
pub fn viewer_agreement(
    first: &BTreeMap<usize, Answer>,
    second: &BTreeMap<usize, Answer>,
) -> Option<ViewerAgreement> {
    let class = |answer: &Answer| usize::from(answer.label == Label::Damaged);
    let (a, b): (Vec<usize>, Vec<usize>) = first
        .iter()
        .filter_map(|(number, answer)| Some((class(answer), class(second.get(number)?))))
        .unzip();
    let table = Confusion::of(&a, &b, 2).ok()?;
    Some(ViewerAgreement {
        pictures: a.len(),
        confusion: [[table.counts[0], table.counts[1]], [table.counts[2], table.counts[3]]],
        kappa: table.kappa(0.95).ok().map(|k| k.kappa),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::score::labels::read_labels;

    fn answer(label: Label) -> Answer {
        Answer { label, unsure: false }
    }

    fn key() -> Vec<KeyRow> {
        (1..=3)
            .map(|number| KeyRow {
                number,
                image: format!("{number:03}.png"),
                base: "base_1.png".into(),
                target: "owl".into(),
                network: "evolved".into(),
                link: 7 * number,
                layer: 1,
                delta: -0.5,
                rmse: 0.18,
                stratum: None,
                stands_for: None,
            })
            .collect()
    }

    #[test]
    fn answers_merge_with_the_key_into_a_set_that_reads() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("answers.csv");
        std::fs::write(&path, "number,label\n3,f\n1,clean\n2,\n").unwrap();
        let answers = read_answers(&path).unwrap();
        let labels = folder.path().join("labels.csv");
        std::fs::write(&labels, merge(&key(), &answers, None, &path).unwrap()).unwrap();
        let set = read_labels(&labels).unwrap();
        let found: Vec<_> = set
            .rows
            .iter()
            .map(|r| (r.image.file_name().unwrap().to_str().unwrap(), r.label))
            .collect();
        assert_eq!(found, [("001.png", Label::Clean), ("003.png", Label::Damaged)]);
        assert_eq!(set.rows[0].target, "owl");
        assert_eq!(set.rows[1].network, "evolved");
        for (text, expected) in [
            ("number,label\n1,maybe\n", "line 2: expected the label"),
            ("number,label\n1,c\n1,f\n", "1 again"),
            ("label\nc\n", "columns number, label"),
        ] {
            std::fs::write(&path, text).unwrap();
            let error = read_answers(&path).unwrap_err().to_string();
            assert!(error.contains(expected), "{error}");
        }
        std::fs::write(&path, "number,label\n2,f?\n1,c\n").unwrap();
        let doubted = merge(&key(), &read_answers(&path).unwrap(), None, &path).unwrap();
        let column: Vec<&str> = doubted.lines().map(|l| l.rsplit(',').next().unwrap()).collect();
        assert_eq!(column, ["unsure", "0", "1"]);
        let second = BTreeMap::from([(2, answer(Label::Clean))]);
        let both = merge(&key(), &read_answers(&path).unwrap(), Some(&second), &path).unwrap();
        std::fs::write(&labels, both).unwrap();
        let seconds: Vec<_> = read_labels(&labels).unwrap().rows.iter().map(|r| r.second).collect();
        assert_eq!(seconds, [None, Some(Label::Clean)]);
        let stranger = BTreeMap::from([(9, answer(Label::Clean))]);
        let error = merge(&key(), &stranger, None, &path).unwrap_err().to_string();
        assert!(error.contains("numbers of the key"), "{error}");
    }

    #[test]
    fn two_viewers_agree_as_counted_by_hand() {
        use Label::{Clean, Damaged};
        let answers =
            |given: [(usize, Label); 4]| BTreeMap::from(given.map(|(n, l)| (n, answer(l))));
        let first = answers([(1, Clean), (2, Clean), (3, Damaged), (4, Damaged)]);
        let second = answers([(1, Clean), (2, Damaged), (3, Damaged), (9, Clean)]);
        let agreement = viewer_agreement(&first, &second).unwrap();
        assert_eq!(agreement.pictures, 3);
        assert_eq!(agreement.confusion, [[1, 1], [0, 1]]);
        // p_o 2/3, p_e (2·1 + 1·2)/9 = 4/9 → κ (2/9)/(5/9) = 0.4.
        assert!((agreement.kappa.unwrap().estimate - 0.4).abs() < 1e-12);
        assert!(viewer_agreement(&first, &BTreeMap::new()).is_none());
    }
}
