//! The networks of a table: rows of one network put together, and what may be compared of them.

use super::spec::{Basis, ContrastSpec};
use picloom_base::refusal::Refusal;
use picloom_base::stats::{mean, variance};
use picloom_base::table::{Column, Filter, Table, groups_of};
use std::collections::{BTreeMap, BTreeSet};

/// Columns that tell the networks of a study apart, besides those that a contrast names.
const DESIGN: [&str; 7] = ["study", "target", "variant", "offset", "arm", "level", "seed"];

/// As many columns are named where rows repeat each other.
const NAMED: usize = 8;

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

/// Refuses networks of a group that are in the same pairs and differ in a column that nobody named.
pub fn not_alike(at: &str, group: &Filter, column: &str, found: String) -> Refusal {
    let expected = format!("networks of {group} that agree in {column} within a pair");
    let advice = "to `pair` or to the group, or to `average` if its mean is meant";
    Refusal::new(at, expected, found).advising(format!("add {column} {advice}"))
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
        let rows = spec.rows.rows(table)?;
        let at = table.get(AT);
        let mut identity: Vec<&Column> = Vec::new();
        let named = spec.between.iter().flat_map(Filter::columns);
        let named = named.chain(spec.pair.iter().map(String::as_str)).filter(|name| *name != AT);
        for name in named {
            identity.push(table.column(name)?);
        }
        identity.extend(DESIGN.iter().filter_map(|name| table.get(name)));
        identity.extend(table.get(&spec.within));
        let unit = table.column(&spec.unit)?;
        identity.push(unit);
        for name in &spec.average {
            identity.push(table.column(name)?);
        }
        let fit = table.get("fit");
        fit.map_or(Ok(()), Column::ensure_truth)?;
        let mut found = Networks {
            table,
            spec,
            all: Vec::new(),
            of_row: vec![None; table.len()],
            has_way: false,
            fit,
            unit,
            scale: scale(table, spec)?,
        };
        let groups = groups_of(&identity, &rows);
        // Rows that repeat a network are its own only where something would tell two networks apart.
        let tells_apart = at.is_some() || table.get(&spec.within).is_some();
        let texts: Vec<&Column> =
            table.columns().iter().filter(|column| column.is_text()).collect();
        let mut first_of: Vec<usize> = Vec::new();
        for (group, row) in groups.into_iter().zip(rows) {
            let new = found.all.len();
            if group as usize == first_of.len() {
                first_of.push(new);
            }
            let number = match at {
                Some(_) => first_of[group as usize],
                // Without networks on their way every row is a network of its own.
                None => {
                    let other = found.all.get(first_of[group as usize]).map(|network| network.any);
                    let differs =
                        |other: &usize| texts.iter().any(|of| of.text(*other) != of.text(row));
                    match other.filter(|other| tells_apart || differs(other)) {
                        Some(other) => return Err(found.repeated(&identity, other, row)),
                        None => new,
                    }
                }
            };
            if number == new {
                found.all.push(Network { any: row, ..Network::default() });
            }
            found.of_row[row] = Some(number);
            match at.and_then(|at| at.number(row)) {
                Some(level) => {
                    found.has_way = true;
                    found.all[number].way.push((level, row));
                }
                None => {
                    if let Some(other) = found.all[number].end.replace(row) {
                        return Err(found.repeated(&identity, other, row));
                    }
                }
            }
        }
        for network in &found.all {
            let mut levels: Vec<(f64, usize)> = network.way.clone();
            levels.sort_by(|a, b| a.0.total_cmp(&b.0));
            if let Some(twice) = levels.windows(2).find(|pair| pair[0].0 == pair[1].0) {
                return Err(found.repeated(&identity, twice[0].1, twice[1].1));
            }
        }
        if !spec.having.is_empty() {
            found.keep_units_having()?;
        }
        Ok(found)
    }

    /// Refuses two rows that agree in all that names a network.
    fn repeated(&self, identity: &[&Column], first: usize, second: usize) -> Refusal {
        let names = |all: Vec<&Column>| {
            let mut names: Vec<&str> = all.iter().map(|column| column.name()).collect();
            names.sort_unstable();
            names.dedup();
            let more = if names.len() > NAMED { ", …" } else { "" };
            names[..names.len().min(NAMED)].join(", ") + more
        };
        let differ = self.table.columns().iter();
        let differ = differ.filter(|column| column.text(first) != column.text(second));
        let differ: Vec<&Column> = differ.collect();
        let found = match differ.is_empty() {
            true => format!("the same row in lines {} and {}", first + 2, second + 2),
            false => {
                format!("lines {} and {}, which differ in {}", first + 2, second + 2, names(differ))
            }
        };
        let expected = format!("one network for each {}", names(identity.to_vec()));
        Refusal::new("rows", expected, found).advising(
            "name what tells them apart in `pair` or `average`, or choose rows by `where`",
        )
    }

    /// Refuses networks of a group that are in the same pairs and differ in something that nobody named: the level of
    /// pruning, for example.
    fn ensure_alike(&self, group: &Filter, networks: &[usize]) -> Result<(), Refusal> {
        let spec = self.spec;
        let shared = spec.pair.iter().chain([&spec.unit, &spec.within]);
        let shared: Vec<&str> = shared.map(String::as_str).collect();
        let average = spec.average.iter().map(String::as_str);
        let named: BTreeSet<&str> = shared
            .iter()
            .copied()
            .chain(average)
            .chain(group.columns())
            .chain(spec.rows.columns())
            .collect();
        let others = DESIGN
            .iter()
            .filter(|name| !named.contains(*name))
            .filter_map(|name| self.table.get(name));
        let others: Vec<&Column> = others.collect();
        let columns: Vec<&Column> = shared.iter().filter_map(|name| self.table.get(name)).collect();
        let rows: Vec<usize> = networks.iter().map(|&number| self.all[number].any).collect();
        let mut first_of: Vec<usize> = Vec::new();
        for (at, &row) in groups_of(&columns, &rows).into_iter().zip(&rows) {
            if at as usize == first_of.len() {
                first_of.push(row);
            }
            let first = first_of[at as usize];
            if let Some(column) =
                others.iter().find(|column| column.text(first) != column.text(row))
            {
                let name = column.name();
                let found = format!(
                    "{name} {:?} and {:?} in lines {} and {}",
                    column.text(first),
                    column.text(row),
                    first + 2,
                    row + 2
                );
                return Err(not_alike("between", group, name, found));
            }
        }
        Ok(())
    }

    fn keep_units_having(&mut self) -> Result<(), Refusal> {
        let rows = self.spec.having.rows(self.table)?;
        let ends = rows.into_iter().filter(|&row| {
            self.of_row[row].is_some_and(|number| self.all[number].end == Some(row))
        });
        let units: BTreeSet<&str> = ends.map(|row| self.unit.text(row)).collect();
        for number in &mut self.of_row {
            if number.is_some_and(|n| !units.contains(self.unit.text(self.all[n].any))) {
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
        self.ensure_alike(group, &found)?;
        Ok(found)
    }

    /// The unit of a network.
    pub(super) fn unit(&self, number: usize) -> &'a str {
        self.unit.text(self.all[number].any)
    }

    /// Units of these networks, in the table's order.
    pub(super) fn units(&self) -> Vec<&'a str> {
        let mut known = BTreeSet::new();
        let units = self.of_row.iter().flatten().map(|number| self.unit(*number));
        units.filter(|unit| known.insert(*unit)).collect()
    }

    /// These networks by their unit.
    pub(super) fn by_unit(
        &self,
        networks: impl IntoIterator<Item = usize>,
    ) -> BTreeMap<&'a str, Vec<usize>> {
        let mut units: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for number in networks {
            units.entry(self.unit(number)).or_default().push(number);
        }
        units
    }

    /// For each network the group of those that agree with it in all `columns`; `None` if one of its cells is empty, which
    /// agrees with every value.
    pub(super) fn keys(&self, columns: &[&Column]) -> Vec<Option<u32>> {
        let rows: Vec<usize> = self.all.iter().map(|network| network.any).collect();
        let keys = groups_of(columns, &rows).into_iter().zip(&rows);
        keys.map(|(key, row)| {
            columns.iter().all(|column| !column.text(*row).is_empty()).then_some(key)
        })
        .collect()
    }

    /// A text that all rows of a network share.
    pub(super) fn text(&self, number: usize, column: &'a Column) -> &'a str {
        column.text(self.all[number].any)
    }

    /// The R² on the way that the table has, rising.
    pub(super) fn levels(&self) -> Vec<f64> {
        let way = self.all.iter().flat_map(|network| &network.way);
        let mut levels: Vec<f64> = way.map(|(level, _)| *level).collect();
        levels.sort_by(f64::total_cmp);
        levels.dedup();
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

    /// Whether a basis leaves out a network that did not learn its picture.
    pub(super) fn is_unfit(&self, number: usize, basis: &Basis) -> bool {
        let end = self.all[number].end.is_some();
        end && *basis == Basis::Finished && self.compared_rows(number, basis).is_empty()
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
    of.ensure_numbers()?;
    let ends = |row: &usize| table.get(AT).is_none_or(|at| at.number(*row).is_none());
    let rows = spec.scale.rows(table)?.into_iter().filter(ends);
    let values: Vec<f64> = rows.filter_map(|row| spec.of.value(of, row)).collect();
    let deviation = variance(&values).ok().map(f64::sqrt).filter(|deviation| *deviation > 0.0);
    deviation.ok_or_else(|| {
        let expected = format!("rows in which {} differs", spec.of);
        Refusal::new("scale", expected, format!("{} rows of {}", values.len(), spec.scale))
    })
}
