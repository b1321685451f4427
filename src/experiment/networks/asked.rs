//! What the contrasts and figures of a spec may ask for: only what its networks will have, so that a word that is
//! misspelled is refused before the first training.

use super::record::NetworksRecord;
use crate::base::names::{did_you_mean, misspelled};
use crate::base::refusal::Refusal;
use crate::base::table::Filter;
use crate::study::contrast::{Basis, ContrastSpec, not_alike};
use std::collections::{BTreeMap, BTreeSet};

/// The networks that a spec plans, as far as contrasts and figures may name them.
#[derive(Default)]
pub(crate) struct Planned {
    /// Values in the columns of its design.
    pub(super) values: BTreeMap<&'static str, BTreeSet<String>>,
    /// Levels of pruning of each arm.
    pub(super) levels: Vec<(String, usize)>,
    /// Values of R² at which networks are measured on their way.
    pub(super) checkpoints: Vec<f64>,
    /// Whether every weight is moved by the same δ, too.
    pub(super) has_fixed_delta: bool,
}

impl Planned {
    /// Refuses a basis for which no network is measured.
    pub(super) fn check_basis(&self, place: &str, basis: &Basis) -> Result<(), Refusal> {
        let key = format!("{place}, basis");
        match basis {
            Basis::FixedDelta => {
                let expected = "a study with `fixed_delta`";
                Refusal::unless(self.has_fixed_delta, key, expected, "one without")
            }
            Basis::At(levels) => {
                let missing = levels.iter().find(|level| !self.checkpoints.contains(level));
                let expected = format!("an R² of `checkpoints`, {:?}", self.checkpoints);
                missing.map_or(Ok(()), |level| Err(Refusal::new(key, expected, level.to_string())))
            }
            _ => Ok(()),
        }
    }

    /// Refuses groups whose networks of one pair are of several levels of pruning that nobody tells apart, as `decide`
    /// would.
    pub(super) fn check_levels(&self, place: &str, contrast: &ContrastSpec) -> Result<(), Refusal> {
        // Another column, `times` for example, may tell levels apart.
        const DESIGN: [&str; 5] = ["arm", "target", "variant", "offset", "seed"];
        let lists = contrast.pair.iter().chain(&contrast.average).chain(&contrast.by);
        let told = lists.chain([&contrast.unit, &contrast.within]).map(String::as_str);
        if contrast.fewest.is_some()
            || contrast.on.is_some()
            || told.chain(contrast.rows.columns()).any(|name| !DESIGN.contains(&name))
        {
            return Ok(());
        }
        for group in &contrast.between {
            let arms = group.values("arm").unwrap_or_default();
            let arm = self.levels.iter().find(|(arm, levels)| *levels > 1 && arms.contains(arm));
            let is_plain = group.columns().all(|name| DESIGN.contains(&name));
            if let Some((arm, levels)) = arm.filter(|_| is_plain) {
                let found = format!("{levels} levels of arm {arm}");
                return Err(not_alike(&format!("{place}, between"), group, "level", found));
            }
        }
        Ok(())
    }

    /// Refuses a filter that asks for what no network has: it would find none without a word.
    ///
    /// # Errors
    /// The column, the values that there are, and the nearest.
    pub(crate) fn check(&self, place: &str, filter: &Filter) -> Result<(), Refusal> {
        for (column, names) in &self.values {
            let named = filter.named(column).filter(|name| !name.is_empty());
            // Truth is written in any case.
            let named: Vec<String> = match *column {
                "fit" => named.map(|name| name.to_lowercase()).collect(),
                _ => named.cloned().collect(),
            };
            check_known(format!("{place}, {column}"), Some(&named), names)?;
        }
        Ok(())
    }

    /// Refuses a filter of a figure none of whose values a network has; of a figure that other specs share, some may be missing.
    ///
    /// # Errors
    /// The column, the values that there are, and the nearest.
    pub(crate) fn check_figure(&self, place: &str, filter: &Filter) -> Result<(), Refusal> {
        for (column, names) in &self.values {
            let Some(values) = filter.values(column) else { continue };
            let is_known = |value: &String| value.is_empty() || names.contains(value);
            if *column != "fit" && !values.iter().any(is_known) {
                check_known(format!("{place}, {column}"), Some(values), names)?;
            }
        }
        Ok(())
    }

    /// Refuses a label or colour that is a misspelled value.
    ///
    /// # Errors
    /// The value that was meant.
    pub(crate) fn check_label(&self, at: String, key: &str) -> Result<(), Refusal> {
        let value = key.split_once('=').map_or(key, |(_, value)| value);
        let values = || self.values.values().flatten().map(String::as_str);
        let is_known = values().any(|known| known == value) || NetworksRecord::has_column(key);
        let meant = misspelled(value, values()).filter(|meant| !meant.starts_with(value));
        match meant.filter(|_| !is_known) {
            None => Ok(()),
            Some(meant) => {
                let found = format!("{key:?}; did you mean {meant:?}?");
                Err(Refusal::new(at, "a value or a column of the study", found))
            }
        }
    }
}

/// Names that a refusal lists.
const LISTED: usize = 100;

/// Refuses a name that is none of `names`: what it asks for would be left out without a word.
pub(super) fn check_known(
    key: String,
    found: Option<&[String]>,
    names: &BTreeSet<String>,
) -> Result<(), Refusal> {
    let Some(found) = found else { return Ok(()) };
    let Some(other) = found.iter().find(|name| !names.contains(*name)) else {
        return Ok(());
    };
    let found = format!("{other:?}{}", did_you_mean(other, names.iter().map(String::as_str)));
    let listed: Vec<&str> = names.iter().take(LISTED).map(String::as_str).collect();
    let more = if names.len() > LISTED { ", …" } else { "" };
    Err(Refusal::new(key, format!("one of {}{more}", listed.join(", ")), found))
}
