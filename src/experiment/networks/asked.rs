//! What the contrasts and figures of a spec may ask for: only what its networks will have, so that a word that is
//! misspelled is refused before the first training.

use super::arm::ArmSpec;
use super::record::NetworksRecord;
use super::spec::{NetworksSpec, check_known};
use crate::base::names::misspelled;
use crate::base::refusal::Refusal;
use crate::base::table::Filter;
use crate::study::contrast::{Basis, ContrastSpec};
use std::collections::{BTreeMap, BTreeSet};

/// Refuses a basis for which no network is measured.
pub(super) fn check_basis(
    all: &[&NetworksSpec],
    place: &str,
    basis: &Basis,
) -> Result<(), Refusal> {
    let key = format!("{place}, basis");
    match basis {
        Basis::FixedDelta => {
            let fixed = all.iter().any(|spec| spec.own.fixed_delta.is_some());
            Refusal::unless(fixed, key, "a study with `fixed_delta`", "one without")
        }
        Basis::At(levels) => {
            let of = |spec: &&NetworksSpec| {
                let recipe = spec.recipe();
                let own = spec.variants.iter().map(|variant| variant.train.over(&recipe));
                own.flat_map(|recipe| recipe.checkpoints).collect::<Vec<f64>>()
            };
            let mut reached: Vec<f64> = all.iter().flat_map(of).collect();
            reached.sort_by(f64::total_cmp);
            reached.dedup();
            match levels.iter().find(|level| !reached.contains(level)) {
                None => Ok(()),
                Some(level) => {
                    let expected = format!("an R² of `checkpoints`, {reached:?}");
                    Err(Refusal::new(key, expected, level.to_string()))
                }
            }
        }
        _ => Ok(()),
    }
}

/// Refuses groups whose networks of one pair are of several levels of pruning that nobody tells apart, as `decide` would.
pub(super) fn check_levels(
    all: &[&NetworksSpec],
    place: &str,
    contrast: &ContrastSpec,
) -> Result<(), Refusal> {
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
        let has_levels = |arm: &&ArmSpec| {
            arm.levels.len() > 1 && group.values("arm").is_some_and(|arms| arms.contains(&arm.name))
        };
        let arm = all.iter().flat_map(|spec| &spec.arms).find(has_levels);
        if let Some(arm) = arm.filter(|_| group.columns().all(|name| DESIGN.contains(&name))) {
            let expected = format!("networks of {group} that agree in level within a pair");
            let found = format!("{} levels of arm {}", arm.levels.len(), arm.name);
            let advice =
                "add level to `pair` or to the group, or to `average` if its mean is meant";
            return Err(Refusal::new(format!("{place}, between"), expected, found).advising(advice));
        }
    }
    Ok(())
}

/// The values that the networks of a spec have in the columns of its design.
pub(crate) struct Planned(BTreeMap<&'static str, BTreeSet<String>>);

impl Planned {
    /// Of a spec in its profiles.
    pub(crate) fn of(all: &[&NetworksSpec]) -> Self {
        let texts = |numbers: &[u64]| numbers.iter().map(u64::to_string).collect::<Vec<_>>();
        let mut values: BTreeMap<&'static str, BTreeSet<String>> = BTreeMap::new();
        let mut add = |column, more: Vec<String>| values.entry(column).or_default().extend(more);
        add("fit", ["true", "false"].map(String::from).to_vec());
        for spec in all {
            add("target", spec.targets.iter().map(|target| target.name.clone()).collect());
            add("variant", spec.variants.iter().map(|variant| variant.name.clone()).collect());
            add("seed", texts(&spec.seeds));
            let levels = spec.arms.iter().map(|arm| arm.levels.len()).max().unwrap_or(0);
            add("level", (0..=levels).map(|level| level.to_string()).collect());
            for arm in &spec.arms {
                add("arm", vec![arm.name.clone()]);
                add("seed", texts(arm.seeds.as_deref().unwrap_or_default()));
            }
            // Where one depth is for all, it is known only once it is predicted.
            if !spec.constant_depth {
                add("offset", spec.offsets.iter().map(i64::to_string).collect());
            }
        }
        if all.iter().any(|spec| spec.constant_depth) {
            values.remove("offset");
        }
        Planned(values)
    }

    /// Refuses a filter that asks for what no network has: it would find none without a word.
    ///
    /// # Errors
    /// The column, the values that there are, and the nearest.
    pub(crate) fn check(&self, place: &str, filter: &Filter) -> Result<(), Refusal> {
        for (column, names) in &self.0 {
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
        for (column, names) in &self.0 {
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
        let values = || self.0.values().flatten().map(String::as_str);
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
