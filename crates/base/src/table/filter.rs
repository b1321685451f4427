//! Which rows of a table are meant, and which number of each.

use super::{Column, Table, truth_of};
use crate::names::did_you_mean;
use crate::real;
use crate::refusal::Refusal;
use crate::settings::data;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

/// As many values of a column are listed where one is expected.
const MOST_SHOWN: usize = 20;

/// Conditions that all must hold for a row. As text: `arm=sp,level=2|3,r2>=0.95`; an empty value means
/// "no value": `at=`. In a spec a table: `{ arm = "sp", level = [2, 3], r2 = ">=0.95" }`.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[serde(try_from = "Written", into = "String")]
pub struct Filter(Vec<Condition>);

#[derive(Clone, Debug, PartialEq)]
struct Condition {
    column: String,
    test: Test,
}

#[derive(Clone, Debug, PartialEq)]
enum Test {
    OneOf(Vec<String>),
    NoneOf(Vec<String>),
    Order(Order, f64),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Order {
    AtLeast,
    AtMost,
    Above,
    Below,
}

/// Every order with its sign, the longer signs first.
const ORDERS: [(&str, Order); 4] =
    [(">=", Order::AtLeast), ("<=", Order::AtMost), (">", Order::Above), ("<", Order::Below)];

impl Order {
    fn holds(self, value: f64, bound: f64) -> bool {
        match self {
            Order::AtLeast => value >= bound,
            Order::AtMost => value <= bound,
            Order::Above => value > bound,
            Order::Below => value < bound,
        }
    }
}

/// Whether a cell has this value: the same text, or the same number or truth value written otherwise (`2` and `2.0`,
/// `true` and `1`).
fn is_value(text: &str, number: Option<f64>, wanted: &str) -> bool {
    if text == wanted {
        return true;
    }
    match (number, wanted.parse::<f64>(), truth_of(wanted)) {
        (Some(found), Ok(wanted), _) => found == wanted && text.parse::<f64>().is_ok(),
        (Some(found), _, Some(wanted)) => found == f64::from(u8::from(wanted)),
        _ => false,
    }
}

impl Condition {
    /// Of a column and what is written after it in a spec: `sp`, `>=0.95` or `!=dense`.
    fn of(column: &str, written: &[String]) -> Result<Self, Refusal> {
        let fail = |found: &str| {
            let expected = "a value, or >=, <=, >, < and a number, or != and a value";
            Refusal::new(column, expected, format!("{found:?}"))
        };
        let test = match written {
            [one] if one.starts_with("!=") => {
                Test::NoneOf(one[2..].split('|').map(str::to_string).collect())
            }
            [one] => {
                match ORDERS.iter().find_map(|(sign, o)| Some((*o, one.strip_prefix(sign)?))) {
                    Some((order, bound)) => {
                        Test::Order(order, bound.trim().parse().map_err(|_| fail(one))?)
                    }
                    None => Test::OneOf(one.split('|').map(str::to_string).collect()),
                }
            }
            all => Test::OneOf(all.to_vec()),
        };
        if column.is_empty() {
            return Err(Refusal::new("", "a column before the sign", format!("{written:?}")));
        }
        Ok(Condition { column: column.to_string(), test })
    }

    fn holds(&self, text: &str, number: Option<f64>) -> bool {
        let one_of = |values: &[String]| values.iter().any(|value| is_value(text, number, value));
        match &self.test {
            Test::OneOf(values) => one_of(values),
            Test::NoneOf(values) => !one_of(values),
            Test::Order(order, bound) => number.is_some_and(|value| order.holds(value, *bound)),
        }
    }
}

impl fmt::Display for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Condition { column, test } = self;
        match test {
            Test::OneOf(values) => write!(f, "{column}={}", values.join("|")),
            Test::NoneOf(values) => write!(f, "{column}!={}", values.join("|")),
            Test::Order(order, bound) => {
                let sign = ORDERS.iter().find(|o| o.1 == *order).expect("every order has a sign").0;
                write!(f, "{column}{sign}{bound}")
            }
        }
    }
}

impl Filter {
    /// The rows of a table for which every condition holds, in order.
    ///
    /// # Errors
    /// A condition names a column that the table lacks, or asks for `true` or `false` of a column that holds something else.
    pub fn rows(&self, table: &Table) -> Result<Vec<usize>, Refusal> {
        let mut rows: Vec<usize> = (0..table.len()).collect();
        for condition in &self.0 {
            let column = table.column(&condition.column)?;
            if let Test::OneOf(values) | Test::NoneOf(values) = &condition.test
                && values.iter().any(|value| truth_of(value).is_some())
            {
                column.ensure_truth()?;
            }
            let holds = column.rows_where(|text, number| condition.holds(text, number));
            rows.retain(|&row| holds[row]);
        }
        Ok(rows)
    }

    /// Refuses a condition none of whose values stands in its column: a word written by hand was misspelled. `!=`, `true` and
    /// `false` may find no row.
    ///
    /// # Errors
    /// The first of them, or a column that the table lacks.
    pub fn check_values(&self, table: &Table) -> Result<(), Refusal> {
        for Condition { column, test } in &self.0 {
            let of = table.column(column)?;
            let Test::OneOf(values) = test else { continue };
            let is_there = |value: &String| {
                of.rows_where(|text, number| is_value(text, number, value)).contains(&true)
            };
            let is_free = |value: &String| value.is_empty() || truth_of(value).is_some();
            if values.iter().any(|value| is_free(value) || is_there(value)) {
                continue;
            }
            let known: Vec<&str> = of.distinct().filter(|text| !text.is_empty()).collect();
            let shown = known.iter().take(MOST_SHOWN).copied().collect::<Vec<_>>().join(", ");
            let more = if known.len() > MOST_SHOWN { ", …" } else { "" };
            let expected = match known.is_empty() {
                true => "a value, but the table has none".to_string(),
                false => format!("one of {shown}{more}"),
            };
            let found = values.join("|");
            let hint = did_you_mean(&found, known.iter().copied());
            return Err(Refusal::new(
                format!("column {column}"),
                expected,
                format!("{found:?}{hint}"),
            ));
        }
        Ok(())
    }

    /// True without conditions.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The columns it asks about.
    pub fn columns(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|condition| condition.column.as_str())
    }

    /// The values of which a column must have one, if the filter asks for values of it.
    pub fn values(&self, column: &str) -> Option<&[String]> {
        self.0.iter().find_map(|condition| match &condition.test {
            Test::OneOf(values) if condition.column == column => Some(values.as_slice()),
            _ => None,
        })
    }

    /// Every value of a column that the filter names, whether it asks for them or leaves them out.
    pub fn named(&self, column: &str) -> impl Iterator<Item = &String> {
        let of = self.0.iter().filter(move |condition| condition.column == column);
        of.flat_map(|condition| match &condition.test {
            Test::OneOf(values) | Test::NoneOf(values) => values.as_slice(),
            Test::Order(..) => &[],
        })
    }

    /// The same with one more condition: the column has this value.
    pub fn and(&self, column: &str, value: &str) -> Filter {
        let test = Test::OneOf(vec![value.to_string()]);
        let more = Condition { column: column.to_string(), test };
        Filter(self.0.iter().cloned().chain([more]).collect())
    }

    /// The same without what it asks of a column.
    pub fn without(&self, column: &str) -> Filter {
        Filter(self.0.iter().filter(|condition| condition.column != column).cloned().collect())
    }

    /// Both filters' conditions. Where both name a column, those of `self` count.
    pub fn over(&self, default: &Filter) -> Filter {
        let own = |c: &&Condition| !self.columns().any(|name| name == c.column);
        Filter(default.0.iter().filter(own).chain(&self.0).cloned().collect())
    }
}

data! {
    Filter, "str | dict";
    Measure, "str";
}

impl FromStr for Filter {
    type Err = Refusal;

    fn from_str(text: &str) -> Result<Self, Refusal> {
        let condition = |part: &str| {
            let part = part.trim();
            let at = part.find(['=', '<', '>', '!']).ok_or_else(|| {
                let example = "for example arm=sp,level=2|3,r2>=0.95";
                Refusal::new("", "conditions column=value", format!("{part:?}")).advising(example)
            })?;
            let (column, rest) = part.split_at(at);
            let written = rest.strip_prefix('=').unwrap_or(rest);
            Condition::of(column.trim(), &[written.trim().to_string()])
        };
        let parts = text.split(',').filter(|part| !part.trim().is_empty());
        parts.map(condition).collect::<Result<_, _>>().map(Filter)
    }
}

impl fmt::Display for Filter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts: Vec<String> = self.0.iter().map(ToString::to_string).collect();
        f.write_str(&parts.join(","))
    }
}

impl From<Filter> for String {
    fn from(filter: Filter) -> Self {
        filter.to_string()
    }
}

/// A filter as a spec writes it.
#[derive(Deserialize)]
#[serde(untagged)]
enum Written {
    Text(String),
    Table(BTreeMap<String, Values>),
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Values {
    One(Scalar),
    Many(Vec<Scalar>),
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Scalar {
    Bool(bool),
    Whole(i64),
    Number(f64),
    Text(String),
}

impl Scalar {
    fn text(self) -> String {
        match self {
            Scalar::Bool(value) => value.to_string(),
            Scalar::Whole(value) => value.to_string(),
            Scalar::Number(value) => value.to_string(),
            Scalar::Text(value) => value,
        }
    }
}

impl TryFrom<Written> for Filter {
    type Error = Refusal;

    fn try_from(written: Written) -> Result<Self, Refusal> {
        let table = match written {
            Written::Text(text) => return text.parse(),
            Written::Table(table) => table,
        };
        let condition = |(column, values): (String, Values)| {
            let texts: Vec<String> = match values {
                Values::One(value) => vec![value.text()],
                Values::Many(values) => values.into_iter().map(Scalar::text).collect(),
            };
            Condition::of(&column, &texts)
        };
        table.into_iter().map(condition).collect::<Result<_, _>>().map(Filter)
    }
}

/// A number of each row: a column, or a simple function of it: `score`, `log2(alive)`, `ln(kept)`, `max(r2,-1)`; with
/// a minus before it its negative, where less of it is what is meant.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(try_from = "String", into = "String")]
pub struct Measure {
    column: String,
    function: Function,
    negated: bool,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Function {
    Plain,
    Log2,
    Ln,
    AtLeast(f64),
}

impl Measure {
    /// The column itself.
    pub fn of(column: &str) -> Self {
        Measure { column: column.to_string(), function: Function::Plain, negated: false }
    }

    /// The column that it reads.
    pub fn column(&self) -> &str {
        &self.column
    }

    /// Its value in a row; `None` without a number there, or where the function is not defined.
    pub fn value(&self, column: &Column, row: usize) -> Option<f64> {
        let value = column.number(row)?;
        let value = match self.function {
            Function::Plain => Some(value),
            Function::Log2 => (value > 0.0).then(|| real::ln(value) / std::f64::consts::LN_2),
            Function::Ln => (value > 0.0).then(|| real::ln(value)),
            Function::AtLeast(least) => Some(value.max(least)),
        };
        value.map(|value| if self.negated { -value } else { value })
    }
}

impl FromStr for Measure {
    type Err = Refusal;

    fn from_str(text: &str) -> Result<Self, Refusal> {
        if let Some(rest) = text.trim().strip_prefix('-') {
            return Ok(Measure { negated: true, ..rest.parse()? });
        }
        let fail = || {
            let expected = "a column, log2(column), ln(column) or max(column,number), or one with a minus before it";
            Refusal::new("", expected, format!("{text:?}"))
        };
        let Some((name, inside)) = text.trim().split_once('(') else {
            return match text.trim() {
                "" => Err(fail()),
                column => Ok(Measure::of(column)),
            };
        };
        let inside = inside.strip_suffix(')').ok_or_else(fail)?;
        let (column, function) = match (name.trim(), inside.split_once(',')) {
            ("log2", None) => (inside, Function::Log2),
            ("ln", None) => (inside, Function::Ln),
            ("max", Some((column, least))) => {
                (column, Function::AtLeast(least.trim().parse().map_err(|_| fail())?))
            }
            _ => return Err(fail()),
        };
        Ok(Measure { column: column.trim().to_string(), function, negated: false })
    }
}

impl TryFrom<String> for Measure {
    type Error = Refusal;

    fn try_from(text: String) -> Result<Self, Refusal> {
        text.parse()
    }
}

impl From<Measure> for String {
    fn from(measure: Measure) -> Self {
        measure.to_string()
    }
}

impl fmt::Display for Measure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let column = &self.column;
        if self.negated {
            f.write_str("-")?;
        }
        match self.function {
            Function::Plain => f.write_str(column),
            Function::Log2 => write!(f, "log2({column})"),
            Function::Ln => write!(f, "ln({column})"),
            Function::AtLeast(least) => write!(f, "max({column},{least})"),
        }
    }
}
