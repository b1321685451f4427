//! A contrast as a spec writes it: which networks are compared, on what basis, and by which rule.

use picloom_base::names::did_you_mean;
use picloom_base::refusal::Refusal;
use picloom_base::settings::data;
use picloom_base::table::{Fewest, Filter, Measure};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// One `[[contrasts]]` of a spec.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ContrastSpec {
    /// Its name: `which-links`, `fewer-links`.
    pub id: String,
    /// The statement, in one sentence.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub says: String,
    /// The number that is compared. Default: `score`.
    #[serde(default = "score")]
    pub of: Measure,
    /// The numbers are divided by the standard deviation of `of` over these rows at the end of training, and margins are
    /// in units of it: so that measures of different scales can be asked one question. Default: they are not.
    #[serde(default, skip_serializing_if = "Filter::is_empty")]
    pub scale: Filter,
    /// The groups: the first less each of the others. Empty with `on`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub between: Vec<Filter>,
    /// The slope of `of` on this number is taken within each unit, instead of differences between groups.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub on: Option<Measure>,
    /// Columns in which the two networks of a pair agree. An empty cell agrees with every value. Default:
    /// `target`, `seed`.
    #[serde(default = "target_and_seed")]
    pub pair: Vec<String>,
    /// Columns in which networks of a group that are in the same pairs may differ, besides `within`: they are averaged.
    /// Default: none; networks that differ in the level of pruning, for example, are refused.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub average: Vec<String>,
    /// The two networks of a pair differ by less than this in these numbers. Default: they may differ.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub near: Vec<Near>,
    /// Rows that take part. Default: all.
    #[serde(default, rename = "where", skip_serializing_if = "Filter::is_empty")]
    pub rows: Filter,
    /// The rows are put together before they are compared: of each group the least value at which enough rows hold.
    /// Default: they are compared as they are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fewest: Option<Fewest>,
    /// The contrast is taken for each value of this column by itself. Default: for all rows together.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
    /// Units that take part: those with a network for which this holds at the end of training. Default: all.
    #[serde(default, skip_serializing_if = "Filter::is_empty")]
    pub having: Filter,
    /// How two networks may be compared. The first decides, the others stand beside it. Default: `finished`.
    #[serde(default = "finished")]
    pub basis: Vec<Basis>,
    /// The column whose values are the independent units. Default: `target`.
    #[serde(default = "target")]
    pub unit: String,
    /// With `mixed`, pairs of a unit that share this column are averaged first; with `ranks`, rows that share it are
    /// ranked together. Default: `seed`.
    #[serde(default = "seed")]
    pub within: String,
    /// How pairs are put together within a unit and units to a mean. Default: `mixed`.
    #[serde(default)]
    pub mean: Mean,
    /// The partner of one network of the first group. Default: `each`.
    #[serde(default)]
    pub against: Against,
    /// The smallest difference that matters, in units of `of`. Default: 0.05.
    #[serde(default = "margin")]
    pub margin: f64,
    /// The rule. Default: `greater`.
    #[serde(default)]
    pub rule: Rule,
    /// Whether `rule` also asks for a permutation p below .05. Default: yes with `mixed`, no with `student`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub test: Option<bool>,
    /// Studies whose tables are read, by name; the column `study` tells their rows apart. Default: the spec's own.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tables: Vec<String>,
    /// The contrast is asked only where the one of this id is supported. Default: always.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
    /// Whether the contrast only stands beside the verdict of `claim`, and does not decide it. Default: no.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub beside: bool,
    /// The claim it belongs to. Default: its `id`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub claim: Option<String>,
}

/// A number in which the networks of a pair are alike: `{ of = "ln(mse)", by = 0.5 }`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Near {
    /// The number.
    pub of: Measure,
    /// The difference that is too large, above 0.
    pub by: f64,
}

fn score() -> Measure {
    Measure::of("score")
}

fn target() -> String {
    "target".into()
}

fn seed() -> String {
    "seed".into()
}

fn target_and_seed() -> Vec<String> {
    vec!["target".into(), "seed".into()]
}

fn finished() -> Vec<Basis> {
    vec![Basis::Finished]
}

fn margin() -> f64 {
    0.05
}

/// How the networks of a unit become a mean with an interval.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Mean {
    /// Differences are averaged within unit and seed; a mixed model has units at random, its interval is Hartung
    /// and Knapp's. The rule also asks that flips of the signs of (unit, seed) give p < .05.
    #[default]
    Mixed,
    /// All pairs of a unit are averaged; Student's t over units. Where the measure comes with intervals of its own
    /// (`score_low`, `score_high`) the interval is never narrower than they allow \[ours\].
    Student,
    /// With `on`: Spearman's ρ over units of the units' means of both numbers. The interval is Fisher's with the error
    /// of Bonett and Wright (2000), p permutes the units.
    Spearman,
    /// With `on`: the correlation of the ranks of both numbers within each unit. Ranks are taken among rows of the unit
    /// that share the column `within`, so that what differs between those groups does not count. A mixed model has units at
    /// random; the rule also asks for p < .05 of flips of the units' signs.
    Ranks,
}

/// The partner of a network of the first group.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Against {
    /// With each network of the other group that pairs with it.
    #[default]
    Each,
    /// With the mean of the networks of the other group that pair with it, at what all of them have in common; the
    /// rule also asks for p < .05 of permutations of their labels within the block.
    Mean,
}

/// When a contrast is supported, and when an effect of the margin is excluded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Rule {
    /// Supported: the interval lies above 0. Smaller than the margin: it lies below the margin.
    #[default]
    Greater,
    /// Supported: the interval lies below 0. Smaller than the margin: it lies above minus the margin.
    Smaller,
    /// Supported: the interval lies within ± the margin. Contradicted: it lies outside.
    Equivalent,
    /// Supported: the estimate lies above 0, however sure. Smaller than the margin: the interval lies below it.
    Sign,
    /// Supported: the interval lies above the margin. Smaller than the margin: it lies below the margin.
    Above,
    /// Supported: the interval excludes 0. Smaller than the margin: it lies within ± the margin.
    Different,
}

/// How two networks may be compared.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum Basis {
    /// At the end of training, both with R² ≥ .95 (`fit`).
    Finished,
    /// At the end of training, whatever they learned.
    End,
    /// At the end of training; a network that does not fit counts as 0.
    UnfitZero,
    /// The measure `fixed_…` at the end of training, no gate: every weight moved by the same δ.
    FixedDelta,
    /// At each R² that both reached on their way, averaged; from the given R² on. In a table without rows on the
    /// way: `finished`.
    EqualFit(Option<f64>),
    /// At these R² on the way, averaged over those that both reached.
    At(Vec<f64>),
    /// A row of results for each R² on the way and one for `finished`.
    EachFit,
}

/// Every basis as it is written.
const BASES: &str =
    "finished, end, unfit-zero, fixed-delta, equal-fit, equal-fit>=R², at:R²,R² or each-fit";

impl Basis {
    /// Describes the comparison in words.
    pub fn says(&self) -> String {
        let level = |r2: &f64| format!("{r2}").trim_start_matches('0').to_string();
        match self {
            Basis::Finished => "finished: end of training, both fit".into(),
            Basis::End => "end of training, fit or not".into(),
            Basis::UnfitZero => "end of training, unfit = 0".into(),
            Basis::FixedDelta => "fixed δ, no gate".into(),
            Basis::EqualFit(None) => "equal fit".into(),
            Basis::EqualFit(Some(least)) => format!("equal fit, R² of {} and above", level(least)),
            Basis::At(levels) => {
                format!("at R² {}", levels.iter().map(level).collect::<Vec<_>>().join(", "))
            }
            Basis::EachFit => "at each R²".into(),
        }
    }
}

data! {
    Basis, "str";
    Mean, "str";
}

impl FromStr for Basis {
    type Err = Refusal;

    fn from_str(text: &str) -> Result<Self, Refusal> {
        let fail = || {
            let known = ["finished", "end", "unfit-zero", "fixed-delta", "equal-fit", "each-fit"];
            Refusal::new("basis", BASES, format!("{text:?}{}", did_you_mean(text, known)))
        };
        let r2 = |text: &str| {
            let value = text.trim().parse::<f64>().ok();
            value.filter(|r2| r2.is_finite() && *r2 <= 1.0).ok_or_else(fail)
        };
        Ok(match text.trim() {
            "finished" => Basis::Finished,
            "end" => Basis::End,
            "unfit-zero" => Basis::UnfitZero,
            "fixed-delta" => Basis::FixedDelta,
            "equal-fit" => Basis::EqualFit(None),
            "each-fit" => Basis::EachFit,
            other => match (other.strip_prefix("equal-fit>="), other.strip_prefix("at:")) {
                (Some(least), _) => Basis::EqualFit(Some(r2(least)?)),
                (_, Some(levels)) => {
                    Basis::At(levels.split(',').map(r2).collect::<Result<_, _>>()?)
                }
                _ => return Err(fail()),
            },
        })
    }
}

impl TryFrom<String> for Basis {
    type Error = Refusal;

    fn try_from(text: String) -> Result<Self, Refusal> {
        text.parse()
    }
}

impl From<Basis> for String {
    fn from(basis: Basis) -> Self {
        basis.to_string()
    }
}

impl fmt::Display for Basis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Basis::Finished => f.write_str("finished"),
            Basis::End => f.write_str("end"),
            Basis::UnfitZero => f.write_str("unfit-zero"),
            Basis::FixedDelta => f.write_str("fixed-delta"),
            Basis::EqualFit(None) => f.write_str("equal-fit"),
            Basis::EqualFit(Some(least)) => write!(f, "equal-fit>={least}"),
            Basis::At(levels) => {
                let levels: Vec<String> = levels.iter().map(f64::to_string).collect();
                write!(f, "at:{}", levels.join(","))
            }
            Basis::EachFit => f.write_str("each-fit"),
        }
    }
}

impl ContrastSpec {
    /// A contrast of groups with every default.
    pub fn new(id: &str, between: Vec<Filter>) -> Self {
        ContrastSpec {
            id: id.to_string(),
            says: String::new(),
            of: score(),
            scale: Filter::default(),
            between,
            on: None,
            pair: target_and_seed(),
            average: Vec::new(),
            near: Vec::new(),
            rows: Filter::default(),
            fewest: None,
            by: None,
            having: Filter::default(),
            basis: finished(),
            unit: target(),
            within: seed(),
            mean: Mean::default(),
            against: Against::default(),
            margin: margin(),
            rule: Rule::default(),
            test: None,
            tables: Vec::new(),
            after: None,
            beside: false,
            claim: None,
        }
    }

    /// Every column that it reads, with the key that names it.
    pub fn columns(&self) -> Vec<(&'static str, &str)> {
        let filters = self.between.iter().map(|filter| ("between", filter));
        let filters = filters.chain([
            ("where", &self.rows),
            ("having", &self.having),
            ("scale", &self.scale),
        ]);
        let mut all: Vec<(&'static str, &str)> = filters
            .flat_map(|(key, filter)| filter.columns().map(move |name| (key, name)))
            .collect();
        all.push(("of", self.of.column()));
        all.extend(self.on.iter().map(|on| ("on", on.column())));
        all.extend(self.near.iter().map(|near| ("near", near.of.column())));
        all.extend(self.pair.iter().map(|name| ("pair", name.as_str())));
        all.extend(self.average.iter().map(|name| ("average", name.as_str())));
        all.extend(self.by.iter().map(|name| ("by", name.as_str())));
        all.push(("unit", &self.unit));
        all
    }

    /// Its id without the number that `each` put after it.
    pub fn base_id(&self) -> &str {
        let ending = format!(".{}", self.of.column());
        self.id.strip_suffix(&ending).unwrap_or(&self.id)
    }

    /// Whether a figure that names this id means the contrast.
    pub fn is_called(&self, id: &str) -> bool {
        self.id == id || self.base_id() == id
    }

    /// Whether the rule asks for a permutation p below .05.
    pub fn asks_p(&self) -> bool {
        let usual = match self.mean {
            Mean::Mixed => self.on.is_none(),
            Mean::Student => false,
            Mean::Spearman | Mean::Ranks => true,
        };
        self.test.unwrap_or(usual)
    }

    /// Describes the rule's condition and the opposite one, in numbers: `supported if the interval
    /// lies above 0 and p < 0.05, against if it lies below 0.1`.
    pub fn asks(&self) -> String {
        let m = self.margin;
        let p = if self.asks_p() { " and a permutation's p is below 0.05" } else { "" };
        match self.rule {
            Rule::Greater => {
                format!("supported if the interval lies above 0{p}, against if it lies below {m}")
            }
            Rule::Smaller => {
                format!(
                    "supported if the interval lies below 0{p}, against if it lies above {}",
                    -m
                )
            }
            Rule::Equivalent => {
                format!("supported if the interval lies within ±{m}, against if it lies outside")
            }
            Rule::Sign => {
                format!(
                    "supported if the estimate lies above 0, against if the interval lies below {m}"
                )
            }
            Rule::Above => {
                format!("supported if the interval lies above {m}{p}, against if it lies below {m}")
            }
            Rule::Different => {
                format!("supported if the interval excludes 0{p}, against if it lies within ±{m}")
            }
        }
    }

    /// The contrasts of a spec: each laid over what its `contrast_defaults` say, key by key. One with `each`, a list of
    /// numbers, is one contrast for each of them, with `.NUMBER` after its id and its claim. One with `also`, rows by
    /// name, has one more beside it for each name, over these rows only, with `-NAME` after its id.
    ///
    /// # Errors
    /// An unknown key, a value of the wrong type, an id given twice, an `after` that names no earlier contrast.
    pub fn all(defaults: &toml::Table, tables: &[toml::Table]) -> Result<Vec<Self>, Refusal> {
        let mut specs: Vec<ContrastSpec> = Vec::new();
        let tables = tables.iter().cloned().map(with_claim).map(with_more);
        let tables: Vec<Vec<toml::Table>> = tables.collect::<Result<_, _>>()?;
        let laid = tables.into_iter().flatten().map(|table| {
            let mut laid = defaults.clone();
            for (key, value) in table {
                match (laid.get_mut(&key), value) {
                    (Some(toml::Value::Table(old)), toml::Value::Table(new)) => old.extend(new),
                    (_, value) => drop(laid.insert(key, value)),
                }
            }
            with_claim(laid)
        });
        let also = laid.map(with_also);
        let also: Vec<Vec<toml::Table>> = also.collect::<Result<_, _>>()?;
        let laid = also.into_iter().flatten().map(of_each);
        let laid: Vec<Vec<toml::Table>> = laid.collect::<Result<_, _>>()?;
        for (number, laid) in laid.into_iter().flatten().enumerate() {
            let id = laid.get("id").and_then(toml::Value::as_str).map(str::to_string);
            let at = format!("contrast {}", id.unwrap_or_else(|| (number + 1).to_string()));
            let spec: ContrastSpec = laid.try_into().map_err(|e: toml::de::Error| {
                Refusal::new(&at, "the keys of a contrast", e.message().replace('\n', " "))
            })?;
            spec.check()?;
            if specs.iter().any(|earlier| earlier.id == spec.id) {
                return Err(Refusal::new(at, "another id", "one given twice"));
            }
            if let Some(after) = &spec.after
                && !specs.iter().any(|earlier| earlier.id == *after)
            {
                let found = format!("{after:?}");
                return Err(Refusal::new(
                    format!("{at}: after"),
                    "the id of an earlier one",
                    found,
                ));
            }
            specs.push(spec);
        }
        Ok(specs)
    }

    /// Verifies what needs no table.
    ///
    /// # Errors
    /// Too few groups, no basis, no pairing, a negative margin.
    pub fn check(&self) -> Result<(), Refusal> {
        let at = |key: &str| format!("contrast {}: {key}", self.id);
        match (&self.on, self.between.len()) {
            (None, 0) => {
                let expected = "one group, two or more, or `on`";
                return Err(Refusal::new(at("between"), expected, "0 groups"));
            }
            (None, 1) if self.mean == Mean::Student || self.against == Against::Mean => {
                let expected = "two groups or more beside mean = \"student\" or against = \"mean\"";
                return Err(Refusal::new(at("between"), expected, "1 group"));
            }
            (Some(_), n) if n > 0 => {
                let expected = "no groups beside `on`: a slope is over all rows";
                return Err(Refusal::new(at("between"), expected, format!("{n}")));
            }
            _ => {}
        }
        if matches!(self.mean, Mean::Spearman | Mean::Ranks) && self.on.is_none() {
            let expected =
                "on, the number that is correlated with, beside mean = \"spearman\" or \"ranks\"";
            return Err(Refusal::new(at("on"), expected, "none"));
        }
        if self.basis.is_empty() {
            return Err(Refusal::new(at("basis"), BASES, "none"));
        }
        if let Some(group) = self.between.iter().skip(1).find(|group| **group == self.between[0]) {
            let found = format!("{group} twice");
            return Err(Refusal::new(at("between"), "groups that differ", found));
        }
        if self.pair.is_empty() && self.on.is_none() {
            return Err(Refusal::new(at("pair"), "columns, for example target, seed", "none"));
        }
        if let Some(near) = self.near.iter().find(|near| !(near.by > 0.0 && near.by.is_finite())) {
            return Err(Refusal::new(at("near"), "by: a number above 0", near.by.to_string()));
        }
        if !self.near.is_empty() && self.between.len() < 2 {
            let expected = "two groups or more beside `near`, whose pairs it chooses";
            return Err(Refusal::new(at("between"), expected, self.between.len().to_string()));
        }
        if !(self.margin.is_finite() && self.margin >= 0.0) {
            let found = self.margin.to_string();
            return Err(Refusal::new(at("margin"), "a number of at least 0", found));
        }
        Ok(())
    }
}

/// `beside = "C4"` says the claim in one.
fn with_claim(mut laid: toml::Table) -> toml::Table {
    if let Some(toml::Value::String(claim)) = laid.get("beside").cloned() {
        laid.insert("claim".into(), claim.into());
        laid.insert("beside".into(), true.into());
    }
    laid
}

/// A contrast, and those that `more` asks beside it: the same with other keys. Its id begins theirs.
fn with_more(mut laid: toml::Table) -> Result<Vec<toml::Table>, Refusal> {
    let id = laid.get("id").and_then(toml::Value::as_str).unwrap_or_default().to_string();
    let refuse = |found: &toml::Value| {
        let expected = "tables of other keys, more = [{ id = \"-learned\", of = \"fit\" }]";
        Refusal::new(format!("contrast {id}: more"), expected, found.to_string())
    };
    let more = match laid.remove("more") {
        Some(toml::Value::Array(more)) => more,
        Some(other) => return Err(refuse(&other)),
        None => return Ok(vec![laid]),
    };
    let mut all = vec![laid.clone()];
    for keys in more {
        let toml::Value::Table(keys) = keys else { return Err(refuse(&keys)) };
        let Some(end) = keys.get("id").and_then(toml::Value::as_str) else {
            return Err(refuse(&keys.into()));
        };
        let mut one = laid.clone();
        one.entry("claim").or_insert(id.as_str().into());
        one.insert("beside".into(), true.into());
        let name = format!("{id}{end}");
        one.extend(keys);
        one.insert("id".into(), name.into());
        all.push(one);
    }
    Ok(all)
}

/// A contrast, and those that `also` asks beside it: of some of its rows only.
fn with_also(mut laid: toml::Table) -> Result<Vec<toml::Table>, Refusal> {
    let id = laid.get("id").and_then(toml::Value::as_str).unwrap_or_default().to_string();
    let refuse = |found: &toml::Value| {
        let expected = "rows by name, also = { parts = { one_coordinate = \"<0.8\" } }";
        Refusal::new(format!("contrast {id}: also"), expected, found.to_string())
    };
    let also = match laid.remove("also") {
        Some(toml::Value::Table(also)) => also,
        Some(other) => return Err(refuse(&other)),
        None => return Ok(vec![laid]),
    };
    let mut all = vec![laid.clone()];
    for (name, rows) in also {
        let toml::Value::Table(rows) = rows else { return Err(refuse(&rows)) };
        let mut one = laid.clone();
        one.entry("claim").or_insert(id.as_str().into());
        one.insert("id".into(), format!("{id}-{name}").into());
        one.insert("beside".into(), true.into());
        match one.entry("where").or_insert(toml::Table::new().into()) {
            toml::Value::Table(own) => own.extend(rows),
            other => return Err(refuse(other)),
        }
        all.push(one);
    }
    Ok(all)
}

/// The contrasts that one with `each` stands for: one a number.
fn of_each(mut laid: toml::Table) -> Result<Vec<toml::Table>, Refusal> {
    let each = match laid.remove("each") {
        // An empty list undoes that of `[contrast_defaults]`.
        Some(toml::Value::Array(each)) if each.is_empty() => return Ok(vec![laid]),
        Some(toml::Value::Array(each)) => each,
        Some(other) => {
            let id = laid.get("id").and_then(toml::Value::as_str).unwrap_or_default();
            let expected = "a list of numbers, each = [\"score\", \"-roughness\"]";
            return Err(Refusal::new(format!("contrast {id}: each"), expected, other.to_string()));
        }
        None => return Ok(vec![laid]),
    };
    let one = |of: toml::Value| {
        let mut one = laid.clone();
        let number = of.as_str().and_then(|text| text.parse::<Measure>().ok());
        let column = number.map_or_else(|| of.to_string(), |number| number.column().to_string());
        for key in ["id", "claim", "after"] {
            if let Some(toml::Value::String(name)) = one.get_mut(key) {
                *name += &format!(".{column}");
            }
        }
        one.insert("of".into(), of);
        one
    };
    Ok(each.into_iter().map(one).collect())
}
