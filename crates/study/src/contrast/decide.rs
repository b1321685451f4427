//! The contrasts of a spec decided on tables of results.

use super::{Basis, ContrastSpec, Found, Verdict, contrast};
use crate::record::ROWS;
use picloom_base::refusal::Refusal;
use picloom_base::table::Table;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::rc::Rc;

/// A contrast with what was found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Decision {
    /// The contrast, every default written out.
    pub contrast: ContrastSpec,
    /// Whether it was asked: false where the contrast that it comes after is not supported.
    pub asked: bool,
    /// Over all groups on the first basis: supported if all are, not if one is excluded or contradicted.
    pub verdict: Verdict,
    /// One result for each group and basis.
    pub found: Vec<Found>,
}

impl Decision {
    /// The claim that the contrast belongs to.
    pub fn claim(&self) -> &str {
        self.contrast.claim.as_deref().unwrap_or(&self.contrast.id)
    }

    /// The results on the basis that decides.
    pub fn primary(&self) -> impl Iterator<Item = &Found> {
        let first = self.found.first().map(|found| &found.basis);
        self.found.iter().filter(move |found| Some(&found.basis) == first)
    }
}

/// Supported if all are (and there are any); an effect that is excluded or has the other sign decides against all;
/// else inconclusive. All must hold, an intersection–union test, which needs no correction for their number.
pub fn combined(verdicts: impl IntoIterator<Item = Verdict>) -> Verdict {
    let verdicts: Vec<Verdict> = verdicts.into_iter().collect();
    let has = |verdict| verdicts.contains(&verdict);
    match () {
        () if has(Verdict::Contradicted) => Verdict::Contradicted,
        () if has(Verdict::SmallerThanMargin) => Verdict::SmallerThanMargin,
        () if has(Verdict::Inconclusive) || verdicts.is_empty() => Verdict::Inconclusive,
        () => Verdict::Supported,
    }
}

/// Tables of results by the name of their study, read once.
pub struct Tables {
    folders: Vec<PathBuf>,
    read: BTreeMap<String, Rc<Table>>,
}

impl Tables {
    /// Those in `FOLDER/STUDY` of the first of these folders that has the study.
    pub fn below(folders: impl IntoIterator<Item = PathBuf>) -> Self {
        Tables { folders: folders.into_iter().collect(), read: BTreeMap::new() }
    }

    /// With a table that is read already.
    pub fn with(mut self, study: &str, table: Table) -> Self {
        self.read.insert(study.to_string(), Rc::new(table));
        self
    }

    /// The folder of a study's result, if it is there.
    pub fn folder(&self, study: &str) -> Option<PathBuf> {
        let places = self.folders.iter().map(|folder| folder.join(study));
        places.into_iter().find(|place| place.join(ROWS).exists())
    }

    /// The table of a study.
    ///
    /// # Errors
    /// It is not there, or cannot be read.
    pub fn of(&mut self, study: &str) -> Result<Rc<Table>, Refusal> {
        if let Some(table) = self.read.get(study) {
            return Ok(table.clone());
        }
        let folder = self.folder(study).ok_or_else(|| {
            let places: Vec<String> = self
                .folders
                .iter()
                .map(|folder| folder.join(study).join(ROWS).display().to_string())
                .collect();
            let advice = "run the study first, or name the folder of its result";
            Refusal::new(study, format!("its result, {}", places.join(" or ")), "none")
                .advising(advice)
        })?;
        let table = Rc::new(Table::read(&folder.join(ROWS))?);
        self.read.insert(study.to_string(), table.clone());
        Ok(table)
    }

    /// The table that a contrast of the study `own` reads.
    fn for_contrast(&mut self, own: &str, spec: &ContrastSpec) -> Result<Rc<Table>, Refusal> {
        match spec.tables.as_slice() {
            [] => self.of(own),
            [one] => self.of(one),
            several => {
                let key = several.join("+");
                if let Some(table) = self.read.get(&key) {
                    return Ok(table.clone());
                }
                let mut tables = Vec::new();
                for name in several {
                    tables.push(Table::clone(&*self.of(name)?).with_constant("study", name));
                }
                let table = Rc::new(Table::concat(tables));
                self.read.insert(key, table.clone());
                Ok(table)
            }
        }
    }
}

/// Decides the contrasts of the study `own`, in order.
///
/// # Errors
/// A table is missing or damaged, or lacks a column that a contrast names.
pub fn decide(
    own: &str,
    contrasts: &[ContrastSpec],
    tables: &mut Tables,
) -> Result<Vec<Decision>, Refusal> {
    let mut decisions: Vec<Decision> = Vec::new();
    for spec in contrasts {
        let is_supported = |id: &String| {
            decisions.iter().any(|d| d.contrast.id == *id && d.verdict == Verdict::Supported)
        };
        let asked = spec.after.as_ref().is_none_or(is_supported);
        let found = contrast(&*tables.for_contrast(own, spec)?, spec)?;
        let first: Option<Basis> = found.first().map(|found| found.basis.clone());
        let primary = found.iter().filter(|found| Some(&found.basis) == first.as_ref());
        let verdict = if asked {
            combined(primary.map(|found| found.verdict))
        } else {
            Verdict::Inconclusive
        };
        decisions.push(Decision { contrast: spec.clone(), asked, verdict, found });
    }
    Ok(decisions)
}
