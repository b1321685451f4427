//! The networks of a table: rows of one network put together, and what may be compared of them.

use super::spec::{Basis, ContrastSpec};
use crate::table::{Column, Filter, Table};
use picloom_base::refusal::Refusal;
use picloom_base::stats::{mean, variance};
use std::collections::BTreeMap;

/// Columns that tell the networks of a study apart, besides those that a contrast names.
const DESIGN: [&str; 7] = ["study", "target", "variant", "offset", "arm", "level", "seed"];

/// The column of the R² at which a network on its way was measured; empty at the end of training.
pub(super) const AT: &str = "at";

/// A network: its row at the end of training, and its rows on the way.
#[derive(Clone, Debug, Default)]
pub(super) struct Network {
    /// A row of it, for what all its rows share.
    pub any: usize,
    end: Option<usize>,
    /// (R², row), in the table's order.
    way: Vec<(f64, usize)>,
}

/// The networks of a table that a contrast is about.
pub(super) struct Networks<'a> {
    table: &'a Table,
    spec: &'a ContrastSpec,
    /// Every network, in the order in which it first appears.
    pub all: Vec<Network>,
    /// Number of each row's network in `all`; `None` for rows that `where` leaves out.
    of_row: Vec<Option<usize>>,
    has_way: bool,
    fit: Option<&'a Column>,
    unit: &'a Column,
    /// Divisor of the numbers.
    pub scale: f64,
}

impl<'a> Networks<'a> {
    pub(super) fn of(table: &'a Table, spec: &'a ContrastSpec) -> Result<Self, Refusal> {
        let mut rows = spec.rows.rows(table)?;
        let at = table.get(AT);
        let mut identity: Vec<&Column> = Vec::new();
        let named = spec.between.iter().flat_map(Filter::columns);
        let named = named.chain(spec.pair.iter().map(String::as_str)).filter(|name| *name != AT);
        for name in named {
            identity.push(table.column(name)?);
        }
        identity.extend(DESIGN.iter().filter_map(|name| table.get(name)));
        let unit = table.column(&spec.unit)?;
        identity.push(unit);
        let mut known: BTreeMap<Vec<&str>, usize> = BTreeMap::new();
        let mut found = Networks {
            table,
            spec,
            all: Vec::new(),
            of_row: vec![None; table.len()],
            has_way: false,
            fit: table.get("fit"),
            unit,
            scale: scale(table, spec)?,
        };
        for row in std::mem::take(&mut rows) {
            let level = at.and_then(|at| at.number(row));
            let new = found.all.len();
            let number = match at {
                // Without networks on their way every row is a network of its own.
                None => new,
                Some(_) => {
                    let key = identity.iter().map(|column| column.text(row)).collect();
                    *known.entry(key).or_insert(new)
                }
            };
            if number == new {
                found.all.push(Network { any: row, ..Network::default() });
            }
            found.of_row[row] = Some(number);
            match level {
                Some(level) => {
                    found.has_way = true;
                    found.all[number].way.push((level, row));
                }
                None => found.all[number].end = Some(row),
            }
        }
        if !spec.having.is_empty() {
            found.keep_units_having()?;
        }
        Ok(found)
    }

    fn keep_units_having(&mut self) -> Result<(), Refusal> {
        let rows = self.spec.having.rows(self.table)?;
        let ends = rows.into_iter().filter(|&row| {
            self.of_row[row].is_some_and(|number| self.all[number].end == Some(row))
        });
        let units: Vec<&str> = ends.map(|row| self.unit.text(row)).collect();
        for number in &mut self.of_row {
            if number.is_some_and(|n| !units.contains(&self.unit.text(self.all[n].any))) {
                *number = None;
            }
        }
        Ok(())
    }

    /// The networks of a group, by number.
    pub(super) fn group(&self, group: &Filter) -> Result<Vec<usize>, Refusal> {
        let mut found: Vec<usize> = Vec::new();
        let mut is_in = vec![false; self.all.len()];
        for number in group.rows(self.table)?.into_iter().filter_map(|row| self.of_row[row]) {
            if !std::mem::replace(&mut is_in[number], true) {
                found.push(number);
            }
        }
        found.sort_unstable();
        Ok(found)
    }

    /// The unit of a network.
    pub(super) fn unit(&self, number: usize) -> &'a str {
        self.unit.text(self.all[number].any)
    }

    /// Units of these networks, in the table's order.
    pub(super) fn units(&self) -> Vec<&'a str> {
        let mut units: Vec<&str> = Vec::new();
        for number in self.of_row.iter().flatten() {
            let unit = self.unit(*number);
            if !units.contains(&unit) {
                units.push(unit);
            }
        }
        units
    }

    /// A text that all rows of a network share.
    pub(super) fn text(&self, number: usize, column: &'a Column) -> &'a str {
        column.text(self.all[number].any)
    }

    /// The R² on the way that the table has, rising.
    pub(super) fn levels(&self) -> Vec<f64> {
        let mut levels: Vec<f64> = Vec::new();
        for (level, _) in self.all.iter().flat_map(|network| &network.way) {
            if !levels.contains(level) {
                levels.push(*level);
            }
        }
        levels.sort_by(f64::total_cmp);
        levels
    }

    /// The rows of a network that a basis compares, each with its R² on the way (0 at the end of training).
    pub(super) fn compared_rows(&self, number: usize, basis: &Basis) -> Vec<(f64, usize)> {
        let network = &self.all[number];
        let end = network.end.map(|row| (0.0, row));
        let is_fit = |row: usize| match self.fit {
            Some(fit) => fit.number(row) == Some(1.0),
            None => true,
        };
        match basis {
            Basis::End | Basis::FixedDelta | Basis::UnfitZero => end.into_iter().collect(),
            Basis::EqualFit(least) if self.has_way => {
                let counts = |level: f64| least.is_none_or(|least| level >= least);
                network.way.iter().filter(|at| counts(at.0)).copied().collect()
            }
            Basis::At(levels) => {
                network.way.iter().filter(|at| levels.contains(&at.0)).copied().collect()
            }
            Basis::Finished | Basis::EqualFit(_) | Basis::EachFit => {
                end.into_iter().filter(|end| is_fit(end.1)).collect()
            }
        }
    }

    /// (R² level, value) of a network that a basis compares.
    fn values(&self, number: usize, basis: &Basis, of: &Column) -> Vec<(f64, f64)> {
        let value = |(level, row): (f64, usize)| {
            let is_fit = self.fit.is_none_or(|fit| fit.number(row) == Some(1.0));
            match basis {
                Basis::UnfitZero if !is_fit => Some((level, 0.0)),
                _ => Some((level, self.spec.of.value(of, row)? / self.scale)),
            }
        };
        self.compared_rows(number, basis).into_iter().filter_map(value).collect()
    }

    /// The value of each network at the levels that all of them have, averaged over those; `None`
    /// if they have no level in common.
    pub(super) fn compared(
        &self,
        networks: &[usize],
        basis: &Basis,
        of: &Column,
    ) -> Option<Vec<f64>> {
        let all: Vec<Vec<(f64, f64)>> =
            networks.iter().map(|&number| self.values(number, basis, of)).collect();
        let has = |values: &[(f64, f64)], level| values.iter().any(|at| at.0 == level);
        let first = all.first()?.iter().map(|at| at.0);
        let levels: Vec<f64> =
            first.filter(|&level| all.iter().all(|values| has(values, level))).collect();
        let over_levels = |values: &Vec<(f64, f64)>| {
            let common = levels.iter().filter_map(|level| values.iter().find(|at| at.0 == *level));
            mean(&common.map(|at| at.1).collect::<Vec<f64>>()).ok()
        };
        all.iter().map(over_levels).collect()
    }
}

/// The standard deviation of the number over the rows that say its scale; 1 if none do.
fn scale(table: &Table, spec: &ContrastSpec) -> Result<f64, Refusal> {
    if spec.scale.is_empty() {
        return Ok(1.0);
    }
    let of = table.column(spec.of.column())?;
    let ends = |row: &usize| table.get(AT).is_none_or(|at| at.number(*row).is_none());
    let rows = spec.scale.rows(table)?.into_iter().filter(ends);
    let values: Vec<f64> = rows.filter_map(|row| spec.of.value(of, row)).collect();
    let deviation = variance(&values).ok().map(f64::sqrt).filter(|deviation| *deviation > 0.0);
    deviation.ok_or_else(|| {
        let expected = format!("rows in which {} differs", spec.of);
        Refusal::new("scale", expected, format!("{} rows of {}", values.len(), spec.scale))
    })
}
