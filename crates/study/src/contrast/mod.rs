//! Contrasts: differences between groups of networks in a table, with an interval and a verdict.
//!
//! In: a [`Table`] and a [`ContrastSpec`]. Out: one [`Found`] for each pair of groups and each basis. The same
//! evaluator serves `picloom contrast` and `picloom experiment decide`.

mod decide;
mod estimate;
mod networks;
mod power;
mod spec;

pub use decide::{Decision, Tables, combined, decide};
pub use estimate::{Block, Found, UnitEffect, Verdict, block_p, rank_correlation, slope, verdict};
pub use power::{Power, Variation, power};
pub use spec::{Against, Basis, ContrastSpec, Mean, Rule};

use super::table::{Filter, Table};
use estimate::{Pair, Values};
use networks::Networks;
use picloom_base::SimRng;
use picloom_base::refusal::Refusal;
use picloom_base::stats::{mean, sign_flip_p};
use std::collections::BTreeMap;

/// Draws of a permutation test where not all patterns can be gone through.
const DRAWS: u32 = 20_000;

/// Computes a contrast of a table: for each basis, one result for each group that the first is
/// compared with. The first basis decides.
///
/// # Errors
/// The contrast is not valid, or names a column that the table lacks.
pub fn contrast(table: &Table, spec: &ContrastSpec) -> Result<Vec<Found>, Refusal> {
    spec.check()?;
    let at = |refusal: Refusal| refusal.within(format!("contrast {}", spec.id));
    if let Some(fewest) = &spec.fewest {
        let table = table.fewest(fewest, &spec.rows).map_err(at)?;
        // What holds of all rows of a group holds of its row; what tells them apart is gone.
        return contrast(
            &table,
            &ContrastSpec { fewest: None, rows: Filter::default(), ..spec.clone() },
        );
    }
    if let Some(by) = &spec.by {
        let column = table.column(by).map_err(at)?;
        let mut values: Vec<&str> = Vec::new();
        for row in spec.rows.rows(table).map_err(at)? {
            if !values.contains(&column.text(row)) {
                values.push(column.text(row));
            }
        }
        let mut all = Vec::new();
        for value in values {
            let rows = spec.rows.and(by, value);
            let one = ContrastSpec { by: None, rows, ..spec.clone() };
            all.extend(
                contrast(table, &one)?
                    .into_iter()
                    .map(|found| Found { name: format!("{value}: {}", found.name), ..found }),
            );
        }
        // Basis by basis, as without `by`.
        let bases = all.iter().map(|found: &Found| found.basis.clone());
        let bases = bases.fold(Vec::new(), |mut known: Vec<Basis>, basis| {
            if !known.contains(&basis) {
                known.push(basis);
            }
            known
        });
        all.sort_by_key(|found| bases.iter().position(|basis| *basis == found.basis));
        return Ok(all);
    }
    let networks = Networks::of(table, spec).map_err(at)?;
    let mut found = Vec::new();
    for basis in bases(spec, &networks) {
        found.extend(on_basis(table, spec, &networks, &basis).map_err(at)?);
    }
    Ok(found)
}

/// Every basis of a contrast, `each-fit` written out.
fn bases(spec: &ContrastSpec, networks: &Networks<'_>) -> Vec<Basis> {
    let each = || {
        let levels = networks.levels().into_iter().map(|level| Basis::At(vec![level]));
        levels.chain([Basis::Finished]).collect()
    };
    let written_out = |basis: &Basis| match basis {
        Basis::EachFit => each(),
        other => vec![other.clone()],
    };
    // A basis that stands there twice, as `finished` beside `each-fit`, is shown once.
    let mut bases: Vec<Basis> = Vec::new();
    for basis in spec.basis.iter().flat_map(written_out) {
        if !bases.contains(&basis) {
            bases.push(basis);
        }
    }
    bases
}

fn on_basis(
    table: &Table,
    spec: &ContrastSpec,
    networks: &Networks<'_>,
    basis: &Basis,
) -> Result<Vec<Found>, Refusal> {
    let name = match basis {
        Basis::FixedDelta => format!("fixed_{}", spec.of.column()),
        _ => spec.of.column().to_string(),
    };
    let of = table.column(&name)?;
    if let Some(on) = &spec.on {
        let x = table.column(on.column())?;
        let point = |number: usize| {
            let y = networks.compared(&[number], basis, of)?[0];
            let x = on.value(x, networks.all[number].any)?;
            Some((x, y))
        };
        let own = |unit: &str| -> Vec<usize> {
            (0..networks.all.len()).filter(|&n| networks.unit(n) == unit).collect()
        };
        let points = |unit: &str| own(unit).into_iter().filter_map(point).collect::<Vec<_>>();
        let units = networks.units();
        if spec.mean == Mean::Spearman {
            let units = units.into_iter().map(|unit| (unit.to_string(), points(unit))).collect();
            let name = format!("correlation of {} and {on}", spec.of);
            return Ok(vec![Found::correlation(spec, &name, basis, units)]);
        }
        if spec.mean == Mean::Ranks {
            let within = table.column(&spec.within)?;
            let correlation = |unit: &str| {
                let mut groups: BTreeMap<&str, Vec<(f64, f64)>> = BTreeMap::new();
                for number in own(unit) {
                    let group = groups.entry(networks.text(number, within)).or_default();
                    group.extend(point(number));
                }
                rank_correlation(groups.into_values()).into_iter().collect()
            };
            let values: Values =
                units.into_iter().map(|unit| (unit.to_string(), correlation(unit))).collect();
            let name = format!("correlation of {} and {on} within {}", spec.of, spec.within);
            let p = flipped(&values);
            return Ok(vec![Found::mixed(spec, &name, basis, values, 0, p)]);
        }
        let slopes = |unit: &str| slope(&points(unit)).into_iter().collect();
        let values: Values =
            units.into_iter().map(|unit| (unit.to_string(), slopes(unit))).collect();
        let name = format!("slope of {} on {on}", spec.of);
        return Ok(vec![Found::mixed(spec, &name, basis, values, 0, None)]);
    }
    let (first, others) = spec.between.split_first().expect("checked: one group or more");
    if others.is_empty() {
        return Ok(vec![of_one_group(table, spec, networks, basis, of)?]);
    }
    let of_group = |other: &Filter| -> Result<Found, Refusal> {
        let name = name_of(first, other);
        let (a, b) = (networks.group(first)?, networks.group(other)?);
        let compared = Compared { table, spec, networks, basis, of, a: &a, b: &b };
        match (spec.mean, spec.against) {
            (_, Against::Mean) => compared.with_means(&name),
            (Mean::Student, Against::Each) => compared.student(&name),
            (_, Against::Each) => compared.mixed(&name),
        }
    };
    others.iter().map(of_group).collect()
}

/// The number itself, over the networks of the only group, against 0.
fn of_one_group(
    table: &Table,
    spec: &ContrastSpec,
    networks: &Networks<'_>,
    basis: &Basis,
    of: &super::table::Column,
) -> Result<Found, Refusal> {
    let group = &spec.between[0];
    let within = table.get(&spec.within);
    let (all, mut missing) = (networks.group(group)?, 0);
    let mut values: Values = Vec::new();
    for unit in networks.units() {
        let mut groups: Vec<(String, Vec<f64>)> = Vec::new();
        let own: Vec<usize> = all.iter().copied().filter(|&n| networks.unit(n) == unit).collect();
        for &number in &own {
            let key = within.map_or("", |column| networks.text(number, column)).to_string();
            match networks.compared(&[number], basis, of) {
                Some(found) => put(&mut groups, key, found[0]),
                None => missing += 1,
            }
        }
        if !own.is_empty() {
            values.push((unit.to_string(), means_in_order(groups)));
        }
    }
    let p = flipped(&values);
    let name = group.value("arm").map_or_else(|| group.to_string(), str::to_string);
    Ok(Found::mixed(spec, &name, basis, values, missing, p))
}

/// p of the values' signs, two-sided; `None` without values.
fn flipped(values: &Values) -> Option<f64> {
    let all: Vec<f64> = values.iter().flat_map(|v| v.1.clone()).collect();
    sign_flip_p(&all, DRAWS, &mut SimRng::new(0, "sign-flips", 0)).ok()
}

/// `sp − imp`; of one arm with itself made otherwise, what differs: `sp, offset=0 − offset=-4|4`.
fn name_of(first: &Filter, other: &Filter) -> String {
    match [first, other].map(|group| group.value("arm")) {
        [Some(a), Some(b)] if a != b => format!("{a} − {b}"),
        [Some(arm), Some(_)] => {
            let [first, other] = [first, other].map(|group| group.without("arm"));
            format!("{arm}, {first} − {other}")
        }
        _ => match first.only_value().zip(other.only_value()) {
            Some(((a, first), (b, other))) if a == b => format!("{first} − {other}"),
            _ => format!("({first}) − ({other})"),
        },
    }
}

/// A unit with its pairs of networks, by number.
type UnitPairs<'a> = (&'a str, Vec<(usize, usize)>);

/// Two groups on a basis.
struct Compared<'a> {
    table: &'a Table,
    spec: &'a ContrastSpec,
    networks: &'a Networks<'a>,
    basis: &'a Basis,
    of: &'a super::table::Column,
    a: &'a [usize],
    b: &'a [usize],
}

impl Compared<'_> {
    /// Units with a network in both groups, each with all pairs that agree.
    fn pairs(&self) -> Result<Vec<UnitPairs<'_>>, Refusal> {
        let networks = self.networks;
        let columns = self.spec.pair.iter().map(|name| self.table.column(name));
        let columns = columns.collect::<Result<Vec<_>, _>>()?;
        let near =
            self.spec.near.iter().map(|near| Ok((near, self.table.column(near.of.column())?)));
        let near = near.collect::<Result<Vec<_>, Refusal>>()?;
        let is_near = |a: usize, b: usize| {
            near.iter().all(|(near, column)| {
                let of = |number| {
                    let (_, row) = *networks.compared_rows(number, self.basis).first()?;
                    near.of.value(column, row)
                };
                // A pair that cannot be compared is counted as missing, not as too far apart.
                of(a).zip(of(b)).is_none_or(|(a, b)| (a - b).abs() < near.by)
            })
        };
        let agree = |a: usize, b: usize| {
            is_near(a, b)
                && columns.iter().all(|column| {
                    let (a, b) = (networks.text(a, column), networks.text(b, column));
                    a == b || a.is_empty() || b.is_empty()
                })
        };
        let of_unit = |group: &[usize], unit: &str| -> Vec<usize> {
            group.iter().copied().filter(|&n| networks.unit(n) == unit).collect()
        };
        let mut units = Vec::new();
        for unit in networks.units() {
            let (first, second) = (of_unit(self.a, unit), of_unit(self.b, unit));
            if first.is_empty() || second.is_empty() {
                continue;
            }
            let with = |a: &usize| {
                let a = *a;
                second.iter().filter(move |&&b| agree(a, b)).map(move |&b| (a, b)).collect()
            };
            let pairs: Vec<Vec<(usize, usize)>> = first.iter().map(with).collect();
            units.push((unit, pairs.concat()));
        }
        Ok(units)
    }

    /// The value of the column `within` of a pair; that of the second network where the first has none.
    fn within(&self, (a, b): (usize, usize)) -> String {
        let column = self.table.get(&self.spec.within);
        let text = |n| column.map_or("", |column| self.networks.text(n, column));
        let text = if text(a).is_empty() { text(b) } else { text(a) };
        match column {
            Some(_) => text.to_string(),
            None => format!("{a} {b}"),
        }
    }

    fn mixed(&self, name: &str) -> Result<Found, Refusal> {
        let mut missing = 0;
        let mut values: Values = Vec::new();
        for (unit, pairs) in self.pairs()? {
            let mut groups: Vec<(String, Vec<f64>)> = Vec::new();
            for (a, b) in pairs {
                match self.networks.compared(&[a, b], self.basis, self.of) {
                    Some(found) => put(&mut groups, self.within((a, b)), found[0] - found[1]),
                    None => missing += 1,
                }
            }
            values.push((unit.to_string(), means_in_order(groups)));
        }
        let p = flipped(&values);
        Ok(Found::mixed(self.spec, name, self.basis, values, missing, p))
    }

    /// Each network of the first group against the mean of those that pair with it.
    fn with_means(&self, name: &str) -> Result<Found, Refusal> {
        let mut missing = 0;
        let mut values: Values = Vec::new();
        let mut blocks: Vec<Block> = Vec::new();
        for (unit, pairs) in self.pairs()? {
            let mut groups: Vec<(String, Vec<Block>)> = Vec::new();
            let mut rest = pairs.as_slice();
            while let Some(&(a, first)) = rest.first() {
                let end = rest.iter().position(|pair| pair.0 != a).unwrap_or(rest.len());
                let meets =
                    |b: &usize| self.networks.compared(&[a, *b], self.basis, self.of).is_some();
                let others = rest[..end].iter().map(|pair| pair.1).filter(meets);
                let block: Vec<usize> = std::iter::once(a).chain(others).collect();
                let found = self.networks.compared(&block, self.basis, self.of);
                match found.filter(|values| values.len() > 1) {
                    Some(values) => {
                        let block = (values[0], values[1..].to_vec());
                        let within = self.within((a, first));
                        match groups.iter_mut().find(|g| g.0 == within) {
                            Some(group) => group.1.push(block),
                            None => groups.push((within, vec![block])),
                        }
                    }
                    None => missing += 1,
                }
                rest = &rest[end..];
            }
            groups.sort_by(|a, b| {
                number_or_text(&a.0).partial_cmp(&number_or_text(&b.0)).expect("ordered")
            });
            let difference = |(a, others): &Block| a - mean(others).unwrap_or(*a);
            let of_group = |group: &(String, Vec<Block>)| {
                mean(&group.1.iter().map(difference).collect::<Vec<_>>()).ok()
            };
            values.push((unit.to_string(), groups.iter().filter_map(of_group).collect()));
            blocks.extend(groups.into_iter().flat_map(|group| group.1));
        }
        let p = block_p(&blocks, DRAWS, &mut SimRng::new(0, "depth-labels", 0));
        Ok(Found::mixed(self.spec, name, self.basis, values, missing, p))
    }

    fn student(&self, name: &str) -> Result<Found, Refusal> {
        let mut missing = 0;
        let mut units: Vec<(String, Vec<Pair>)> = Vec::new();
        for (unit, pairs) in self.pairs()? {
            let mut found = Vec::new();
            for (a, b) in pairs {
                match self.networks.compared(&[a, b], self.basis, self.of) {
                    Some(values) => {
                        let errors = [a, b].map(|n| self.error(n));
                        found.push(Pair { networks: [a, b], value: values[0] - values[1], errors });
                    }
                    None => missing += 1,
                }
            }
            units.push((unit.to_string(), found));
        }
        let has_errors = self.error_columns().is_some();
        Ok(Found::student(self.spec, name, self.basis, units, missing, has_errors))
    }

    fn error_columns(&self) -> Option<[&super::table::Column; 2]> {
        let name = self.of.name();
        let [low, high] = ["low", "high"].map(|end| self.table.get(&format!("{name}_{end}")));
        Some([low?, high?])
    }

    /// The standard error of a network's own value: the longer side of its 95 % interval over 1.96.
    fn error(&self, number: usize) -> f64 {
        let error = || {
            let [low, high] = self.error_columns()?;
            let (_, row) = *self.networks.compared_rows(number, self.basis).first()?;
            let value = self.of.number(row)?;
            let side = (value - low.number(row)?).max(high.number(row)? - value);
            Some(side / picloom_base::stats::normal_quantile(0.975) / self.networks.scale)
        };
        error().unwrap_or(0.0)
    }
}

fn put(groups: &mut Vec<(String, Vec<f64>)>, within: String, value: f64) {
    match groups.iter_mut().find(|group| group.0 == within) {
        Some(group) => group.1.push(value),
        None => groups.push((within, vec![value])),
    }
}

/// Numbers before texts, each in their order.
fn number_or_text(text: &str) -> (bool, f64, String) {
    let number = text.parse::<f64>().ok().filter(|n| n.is_finite());
    (number.is_none(), number.unwrap_or(0.0), text.to_string())
}

fn means_in_order(mut groups: Vec<(String, Vec<f64>)>) -> Vec<f64> {
    groups
        .sort_by(|a, b| number_or_text(&a.0).partial_cmp(&number_or_text(&b.0)).expect("ordered"));
    groups.iter().filter_map(|group| mean(&group.1).ok()).collect()
}
