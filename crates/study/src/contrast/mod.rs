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
pub(crate) use estimate::Block;
pub use estimate::{Found, UnitEffect, Verdict, block_p, rank_correlation, slope, verdict};
pub use networks::not_alike;
pub use power::{Power, Variation, power};
pub use spec::{Against, Basis, ContrastSpec, Mean, Rule};

use estimate::{Counts, Pair, Values};
use networks::Networks;
use picloom_base::SimRng;
use picloom_base::refusal::Refusal;
use picloom_base::stats::{mean, sign_flip_p};
use picloom_base::table::{Column, Filter, Table};
use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

/// Draws of a permutation test where not all patterns can be gone through.
const DRAWS: u32 = 20_000;

/// Values of a column that a contrast is taken for one by one, at most.
const MOST_VALUES: usize = 10_000;

/// Pairs of networks that one effect is made of, at most: more are a `pair` that names too little.
const MOST_PAIRS: usize = 10_000_000;

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
        let mut known = BTreeSet::new();
        let rows = spec.rows.rows(table).map_err(at)?.into_iter();
        let values = rows.map(|row| column.text(row)).filter(|value| known.insert(*value));
        let values: Vec<&str> = values.collect();
        let expected = format!("a column of at most {MOST_VALUES} values");
        Refusal::unless(values.len() <= MOST_VALUES, "by", expected, values.len().to_string())
            .map_err(at)?;
        let named = |value: &str| match value {
            "" => format!("without {by}"),
            value => value.to_string(),
        };
        let mut all = Vec::new();
        for value in values {
            let rows = spec.rows.and(by, value);
            let one = ContrastSpec { by: None, rows, ..spec.clone() };
            all.extend(
                contrast(table, &one)?.into_iter().map(|found| Found {
                    name: format!("{}: {}", named(value), found.name),
                    ..found
                }),
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
    of.ensure_numbers()?;
    if let Some(on) = &spec.on {
        let x = table.column(on.column())?;
        x.ensure_numbers()?;
        let point = |number: usize| {
            let y = networks.compared(&[number], basis, of)?[0];
            let x = on.value(x, networks.all[number].any)?;
            Some((x, y))
        };
        let own = networks.by_unit(0..networks.all.len());
        let points = |unit: &str| own[unit].iter().filter_map(|&n| point(n)).collect::<Vec<_>>();
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
                for &number in &own[unit] {
                    let group = groups.entry(networks.text(number, within)).or_default();
                    group.extend(point(number));
                }
                rank_correlation(groups.into_values()).into_iter().collect()
            };
            let values: Values =
                units.into_iter().map(|unit| (unit.to_string(), correlation(unit))).collect();
            let name = format!("correlation of {} and {on} within {}", spec.of, spec.within);
            let p = flipped(&values);
            return Ok(vec![Found::mixed(spec, &name, basis, values, Counts::default(), p)]);
        }
        let slopes = |unit: &str| slope(&points(unit)).into_iter().collect();
        let values: Values =
            units.into_iter().map(|unit| (unit.to_string(), slopes(unit))).collect();
        let name = format!("slope of {} on {on}", spec.of);
        return Ok(vec![Found::mixed(spec, &name, basis, values, Counts::default(), None)]);
    }
    let (first, others) = spec.between.split_first().expect("checked: one group or more");
    if others.is_empty() {
        return Ok(vec![of_one_group(table, spec, networks, basis, of)?]);
    }
    let of_group = |other: &Filter| -> Result<Found, Refusal> {
        let name = name_of(first, other);
        let (a, b) = (networks.group(first)?, networks.group(other)?);
        if a == b && !a.is_empty() {
            let found = format!("the same {} networks in {first} and in {other}", a.len());
            return Err(Refusal::new("between", "groups that differ", found));
        }
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
    of: &Column,
) -> Result<Found, Refusal> {
    let group = &spec.between[0];
    let within = table.get(&spec.within);
    let own = networks.by_unit(networks.group(group)?);
    let mut counts = Counts::default();
    let mut values: Values = Vec::new();
    for unit in networks.units() {
        let Some(own) = own.get(unit) else { continue };
        let mut groups = Groups::default();
        for &number in own {
            let key = within.map_or("", |column| networks.text(number, column));
            match networks.compared(&[number], basis, of) {
                Some(found) => groups.entry(key.into()).or_default().push(found[0]),
                None => counts.miss(networks, &[number], basis),
            }
        }
        values.push((unit.to_string(), means_in_order(groups)));
    }
    let p = flipped(&values);
    Ok(Found::mixed(spec, &group_name(group), basis, values, counts, p))
}

/// p of the values' signs, two-sided; `None` without values.
fn flipped(values: &Values) -> Option<f64> {
    let all: Vec<f64> = values.iter().flat_map(|v| v.1.clone()).collect();
    sign_flip_p(&all, DRAWS, &mut SimRng::new(0, "sign-flips", 0)).ok()
}

/// Differences by the value of the column `within`.
type Groups = BTreeMap<String, Vec<f64>>;

impl Counts {
    /// Counts networks that cannot be compared.
    fn miss(&mut self, of: &Networks<'_>, networks: &[usize], basis: &Basis) {
        self.missing += 1;
        self.unfit += usize::from(networks.iter().any(|&number| of.is_unfit(number, basis)));
    }
}

/// The difference of two numbers.
///
/// # Errors
/// It is too large for a number.
fn difference(a: f64, b: f64) -> Result<f64, Refusal> {
    Some(a - b).filter(|d| d.is_finite()).ok_or_else(|| {
        Refusal::new("of", "numbers whose difference is a number", format!("{a:e} and {b:e}"))
    })
}

/// `sp − imp, level=2`; of the same arms made otherwise, what differs: `sp, offset=0 − offset=-4|4`.
fn name_of(first: &Filter, other: &Filter) -> String {
    match [first, other].map(|group| group.values("arm")) {
        [Some(a), Some(b)] if a == b => format!("{} − {}", group_name(first), other.without("arm")),
        [Some(_), Some(_)] => format!("{} − {}", group_name(first), group_name(other)),
        _ => match only_value(first).zip(only_value(other)) {
            Some(((a, first), (b, other))) if a == b => format!("{first} − {other}"),
            _ => format!("({first}) − ({other})"),
        },
    }
}

/// The name of a group of rows: its arms, then its other conditions: `dense-l1|dense-decay`, `sp, level=2`.
fn group_name(group: &Filter) -> String {
    let rest = group.without("arm");
    match group.values("arm").map(|arms| arms.join("|")) {
        Some(arms) if rest.is_empty() => arms,
        Some(arms) => format!("{arms}, {rest}"),
        None => group.to_string(),
    }
}

/// The column and the value, if the filter is one condition with one value.
fn only_value(group: &Filter) -> Option<(&str, &str)> {
    let mut columns = group.columns();
    let column = columns.next().filter(|_| columns.next().is_none())?;
    match group.values(column)? {
        [value] => Some((column, value)),
        _ => None,
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
    of: &'a Column,
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
        near.iter().try_for_each(|(_, column)| column.ensure_numbers())?;
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
        let keys = networks.keys(&columns);
        let [first, second] = [self.a, self.b].map(|group| networks.by_unit(group.iter().copied()));
        let (mut units, mut count) = (Vec::new(), 0);
        for unit in networks.units() {
            let (Some(first), Some(second)) = (first.get(unit), second.get(unit)) else { continue };
            let mut by_key: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
            let mut with_empty: Vec<usize> = Vec::new();
            for &b in second {
                match keys[b] {
                    Some(key) => by_key.entry(key).or_default().push(b),
                    None => with_empty.push(b),
                }
            }
            let mut pairs = Vec::new();
            for &a in first {
                let mut partners = match keys[a] {
                    Some(key) => {
                        [by_key.get(&key).map_or(&[][..], Vec::as_slice), &with_empty].concat()
                    }
                    None => second.clone(),
                };
                count += partners.len();
                if count > MOST_PAIRS {
                    let expected = format!("at most {MOST_PAIRS} pairs of networks");
                    return Err(Refusal::new("pair", expected, "more")
                        .advising("name more columns in which the two networks of a pair agree"));
                }
                partners.sort_unstable();
                pairs.extend(partners.into_iter().filter(|&b| agree(a, b)).map(|b| (a, b)));
            }
            units.push((unit, pairs));
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
        let mut counts = Counts::default();
        let mut values: Values = Vec::new();
        for (unit, pairs) in self.pairs()? {
            let mut groups = Groups::default();
            for (a, b) in pairs {
                match self.networks.compared(&[a, b], self.basis, self.of) {
                    Some(found) => {
                        counts.pairs += 1;
                        let group = groups.entry(self.within((a, b))).or_default();
                        group.push(difference(found[0], found[1])?);
                    }
                    None => counts.miss(self.networks, &[a, b], self.basis),
                }
            }
            values.push((unit.to_string(), means_in_order(groups)));
        }
        let p = flipped(&values);
        Ok(Found::mixed(self.spec, name, self.basis, values, counts, p))
    }

    /// Each network of the first group against the mean of those that pair with it.
    fn with_means(&self, name: &str) -> Result<Found, Refusal> {
        let mut counts = Counts::default();
        let mut values: Values = Vec::new();
        let mut blocks: Vec<(String, Block)> = Vec::new();
        for (unit, pairs) in self.pairs()? {
            let (mut groups, mut own) = (Groups::default(), Vec::new());
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
                        counts.pairs += 1;
                        let others = mean(&values[1..]).unwrap_or(values[0]);
                        let within = self.within((a, first));
                        let group = groups.entry(within.clone()).or_default();
                        group.push(difference(values[0], others)?);
                        own.push((within, (values[0], values[1..].to_vec())));
                    }
                    None => counts.miss(self.networks, &block, self.basis),
                }
                rest = &rest[end..];
            }
            values.push((unit.to_string(), means_in_order(groups)));
            own.sort_by(|a, b| by_number_or_text(&a.0, &b.0));
            blocks.extend(own);
        }
        let blocks: Vec<Block> = blocks.into_iter().map(|(_, block)| block).collect();
        let p = block_p(&blocks, DRAWS, &mut SimRng::new(0, "depth-labels", 0));
        Ok(Found::mixed(self.spec, name, self.basis, values, counts, p))
    }

    fn student(&self, name: &str) -> Result<Found, Refusal> {
        let mut counts = Counts::default();
        let mut units: Vec<(String, Vec<Pair>)> = Vec::new();
        for (unit, pairs) in self.pairs()? {
            let mut found = Vec::new();
            for (a, b) in pairs {
                match self.networks.compared(&[a, b], self.basis, self.of) {
                    Some(values) => {
                        counts.pairs += 1;
                        let errors = [a, b].map(|n| self.error(n));
                        let value = difference(values[0], values[1])?;
                        found.push(Pair { networks: [a, b], value, errors });
                    }
                    None => counts.miss(self.networks, &[a, b], self.basis),
                }
            }
            units.push((unit.to_string(), found));
        }
        let has_errors = self.error_columns().is_some();
        Ok(Found::student(self.spec, name, self.basis, units, counts, has_errors))
    }

    fn error_columns(&self) -> Option<[&Column; 2]> {
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

/// Numbers before texts, each in their order.
fn by_number_or_text(a: &str, b: &str) -> Ordering {
    let key = |text: &str| {
        let number = text.parse::<f64>().ok().filter(|n| n.is_finite());
        (number.is_none(), number.unwrap_or(0.0))
    };
    let ((a_text, a_number), (b_text, b_number)) = (key(a), key(b));
    a_text.cmp(&b_text).then(a_number.total_cmp(&b_number)).then(a.cmp(b))
}

/// The mean of each group.
fn means_in_order(groups: Groups) -> Vec<f64> {
    let mut groups: Vec<(String, Vec<f64>)> = groups.into_iter().collect();
    groups.sort_by(|a, b| by_number_or_text(&a.0, &b.0));
    groups.iter().filter_map(|group| mean(&group.1).ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_a_difference_says_all_that_its_groups_ask() {
        for (first, other, name) in [
            ("arm=sp", "arm=imp", "sp − imp"),
            ("arm=l1|decay", "arm=dense", "l1|decay − dense"),
            ("arm=evolved", "arm=sp,level=2", "evolved − sp, level=2"),
            ("arm=sp,offset=0", "arm=sp,offset=-4|4", "sp, offset=0 − offset=-4|4"),
            ("arm=sp|imp,level=1", "arm=sp,level=1", "sp|imp, level=1 − sp, level=1"),
            ("variant=l1", "variant=base", "l1 − base"),
            ("r2>=0.9", "arm=sp", "(r2>=0.9) − (arm=sp)"),
        ] {
            let [first, other] = [first, other].map(|text| text.parse().expect("a filter"));
            assert_eq!(name_of(&first, &other), name);
        }
    }
}
