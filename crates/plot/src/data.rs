//! The data of a figure from a table: groups of rows, their means and intervals over units.

use super::spec::{FigureSpec, Kind, ROW};
use super::words::Words;
use crate::charts::Look;
use crate::house::House;
use crate::style;
use picloom_base::names::did_you_mean;
use picloom_base::refusal::Refusal;
use picloom_base::stats::{mean, mean_interval};
use picloom_base::table::{Column, Filter, Measure, Table};
use std::collections::{BTreeMap, BTreeSet};

/// Units of which an interval is drawn, at least, unless the spec says otherwise.
pub(super) const LEAST: usize = 3;

/// Values of a column that have places, lines or panels of their own, at most.
const MOST_PLACES: usize = 2_000;
/// Most bytes of the name of a place.
const LONGEST_NAME: usize = 2_000;

/// The rows of a table that a figure shows.
pub struct Selected<'a> {
    pub(crate) table: &'a Table,
    pub(crate) spec: &'a FigureSpec,
    /// What columns and values are called.
    pub words: Words<'a>,
    /// The numbers of the rows.
    pub rows: Vec<usize>,
    /// The rows before `complete` left some out: they name series and panels.
    all: Vec<usize>,
    /// Of every row of the table whether it counts; `None` if all do.
    counted: Option<Vec<bool>>,
    /// Those at the end of training, because nothing in the figure asks for checkpoints.
    finished: bool,
}

/// The mean of a group of rows.
#[derive(Clone, Debug, PartialEq)]
pub struct Summary {
    /// Mean over units.
    pub mean: f64,
    /// Student's t over units; `None` for fewer than `least`.
    pub interval: Option<(f64, f64)>,
    /// Mean within each unit.
    pub units: Vec<(String, f64)>,
    /// Rows behind it.
    pub rows: usize,
}

impl<'a> Selected<'a> {
    /// The rows for which `where` holds.
    ///
    /// # Errors
    /// The figure names a column that the table lacks, or `order` a value that none of its columns has.
    pub fn of(spec: &'a FigureSpec, table: &'a Table, house: &'a House) -> Result<Self, Refusal> {
        let mut used: Vec<&str> = Vec::new();
        for (key, column) in spec.shown() {
            if column != ROW || table.get(ROW).is_some() {
                table.column(column).map_err(|refusal| Refusal { at: key.into(), ..refusal })?;
                used.push(column);
            }
        }
        let asks_at = used.contains(&"at") || spec.rows.columns().any(|column| column == "at");
        let finished = table.get("at").is_some() && !asks_at;
        let mut rows = spec.rows.rows(table).map_err(|refusal| refusal.within("where"))?;
        if finished {
            let end: Filter = "at=".parse().expect("a filter");
            let end = end.rows(table)?;
            rows.retain(|row| end.binary_search(row).is_ok());
        }
        if rows.is_empty() {
            let advice = format!("the table has {} rows", table.len());
            let expected = match spec.rows.is_empty() {
                true => "rows at the end of training, where `at` is empty".to_string(),
                false => format!("rows where {}", spec.rows),
            };
            return Err(Refusal::new("where", expected, "none").advising(advice));
        }
        for value in &spec.order {
            let all: Vec<&str> =
                used.iter().filter_map(|name| table.get(name)).flat_map(Column::distinct).collect();
            if !all.contains(&value.as_str()) {
                let columns = used.join(", ");
                let found = format!("{value:?}{}", did_you_mean(value, all));
                let expected = format!("values of the columns {columns}");
                return Err(Refusal::new("order", expected, found));
            }
        }
        let mut counted = None;
        if !spec.counts.is_empty() {
            let mut flags = vec![false; table.len()];
            for row in spec.counts.rows(table).map_err(|refusal| refusal.within("counts"))? {
                flags[row] = true;
            }
            counted = Some(flags);
        }
        let all = rows.clone();
        let words = Words { spec, house };
        let mut selected = Selected { table, spec, words, rows, all, counted, finished };
        selected.ensure_places()?;
        if let Some(name) = &spec.complete {
            selected.rows = selected.complete(name);
        }
        Ok(selected)
    }

    /// Refuses a figure with so many places, lines or panels that nothing could be seen.
    fn ensure_places(&self) -> Result<(), Refusal> {
        let spec = self.spec;
        let [x, y] = [&spec.x, &spec.y].map(|of| of.as_ref().map(Measure::column));
        let places = match spec.kind {
            Kind::Scatter => [None, None],
            Kind::Heatmap | Kind::Pictures => [x, y],
            _ => [x, None],
        };
        let columns = [&spec.series, &spec.panel, &spec.by].map(|column| column.as_deref());
        for name in columns.into_iter().chain(places).flatten() {
            let Some(column) = self.table.get(name) else { continue };
            let values = self.distinct(column, &self.rows);
            let expected = format!("a column of at most {MOST_PLACES} values");
            Refusal::unless(values.len() <= MOST_PLACES, name, expected, values.len())?;
            let longest = values.iter().map(|value| value.len()).max().unwrap_or(0);
            let expected = format!("values of at most {LONGEST_NAME} bytes");
            Refusal::unless(longest <= LONGEST_NAME, name, expected, longest)?;
        }
        Ok(())
    }

    /// The texts of a column among these rows, each once, in the order of the table.
    fn distinct(&self, column: &'a Column, rows: &[usize]) -> Vec<&'a str> {
        let mut known = BTreeSet::new();
        rows.iter().map(|row| column.text(*row)).filter(|text| known.insert(*text)).collect()
    }

    /// The rows that count whose target, seed and place in the figure have every value of a column.
    fn complete(&self, name: &str) -> Vec<usize> {
        let spec = self.spec;
        let x = spec.x.as_ref().filter(|_| spec.by.is_none()).map(Measure::column);
        let figure =
            [&spec.series, &spec.panel, &spec.by].into_iter().flatten().map(String::as_str);
        let mut of: Vec<&str> =
            ["target", "seed", "variant"].into_iter().chain(figure).chain(x).collect();
        of.retain(|column| *column != name && self.table.get(column).is_some());
        let y = spec.y.as_ref().expect("checked: every kind with `complete` needs it");
        let has = |row: &usize| y.value(self.column(y.column()), *row).is_some();
        let rows: Vec<usize> = self.counting(&self.all).into_iter().filter(has).collect();
        let wanted = self.values(name, &self.all).len();
        let mut found: BTreeMap<Vec<&str>, BTreeSet<&str>> = BTreeMap::new();
        let key =
            |row: usize| -> Vec<&str> { of.iter().map(|c| self.column(c).text(row)).collect() };
        for &row in &rows {
            found.entry(key(row)).or_default().insert(self.column(name).text(row));
        }
        rows.into_iter().filter(|row| found[&key(*row)].len() == wanted).collect()
    }

    /// The rows that count among these.
    pub fn counting(&self, rows: &[usize]) -> Vec<usize> {
        let counts = |row: &&usize| self.counted.as_ref().is_none_or(|flags| flags[**row]);
        rows.iter().filter(counts).copied().collect()
    }

    /// The rows of a mark: those that count, or all of them for a hollow mark (`true`).
    pub(super) fn of_mark(&self, rows: &[usize]) -> (Vec<usize>, bool) {
        let counting = self.counting(rows);
        match counting.is_empty() {
            true => (rows.to_vec(), self.counted.is_some()),
            false => (counting, false),
        }
    }

    fn column(&self, name: &str) -> &'a Column {
        self.table.get(name).expect("checked: the table has it")
    }

    /// The values of a column among these rows, in the order of the figure. Rows without a value have a place
    /// only if it has a label.
    pub(super) fn values(&self, name: &str, rows: &[usize]) -> Vec<String> {
        let column = self.column(name);
        let is_placed = |text: &&str| !text.is_empty() || self.words.names_empty(name);
        let texts = self.distinct(column, rows).into_iter().filter(is_placed);
        let mut values: Vec<String> = texts.map(str::to_string).collect();
        let first = |value: &String| {
            let own = self.spec.order.iter().position(|other| other == value);
            own.unwrap_or(usize::MAX)
        };
        let house = |value: &String| {
            self.words.house.arm(name, value).map_or(usize::MAX, |(place, _)| place)
        };
        let number = |value: &String| value.parse::<f64>().unwrap_or(f64::INFINITY);
        values.sort_by(|a, b| {
            let places = first(a).cmp(&first(b)).then(house(a).cmp(&house(b)));
            places.then(number(a).total_cmp(&number(b)))
        });
        values
    }

    /// The values of a column among these rows as [`values`](Self::values) orders them, each with its rows.
    pub(super) fn parted(&self, rows: &[usize], name: &str) -> Vec<(String, Vec<usize>)> {
        let column = self.column(name);
        let mut parts: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        rows.iter().for_each(|row| parts.entry(column.text(*row)).or_default().push(*row));
        let of = |value: String| {
            let rows = parts.remove(value.as_str()).unwrap_or_default();
            (value, rows)
        };
        self.values(name, rows).into_iter().map(of).collect()
    }

    /// The rows whose column has this value.
    pub(super) fn with(&self, rows: &[usize], name: &str, value: &str) -> Vec<usize> {
        let column = self.column(name);
        rows.iter().copied().filter(|row| column.text(*row) == value).collect()
    }

    /// Panels: their value and rows; one without a value if the figure has no `panel`.
    pub(super) fn panels(&self) -> Vec<(Option<String>, Vec<usize>)> {
        match &self.spec.panel {
            None => vec![(None, self.rows.clone())],
            Some(name) => self
                .values(name, &self.all)
                .into_iter()
                .map(|value| (Some(value.clone()), self.with(&self.rows, name, &value)))
                .collect(),
        }
    }

    /// The title of a panel.
    pub(super) fn panel_title(&self, value: &Option<String>) -> String {
        match (&self.spec.panel, value) {
            (Some(column), Some(value)) => self.words.title(column, value),
            _ => String::new(),
        }
    }

    /// The values of `series` with their looks; one without a value if the figure has no `series`.
    pub(super) fn series(&self) -> Vec<(Option<String>, Look)> {
        match &self.spec.series {
            None => {
                let look = (String::new(), style::colour(0), style::Marker::Circle);
                vec![(None, look)]
            }
            Some(name) => {
                let values = self.values(name, &self.all);
                let looks = self.words.looks(name, &values);
                values.into_iter().map(Some).zip(looks).collect()
            }
        }
    }

    /// The rows of a series among these.
    pub(super) fn of_series(&self, rows: &[usize], value: &Option<String>) -> Vec<usize> {
        match (&self.spec.series, value) {
            (Some(name), Some(value)) => self.with(rows, name, value),
            _ => rows.to_vec(),
        }
    }

    /// The column of a category axis.
    ///
    /// # Errors
    /// It is a function of a column.
    pub(super) fn category(key: &str, measure: &'a Option<Measure>) -> Result<&'a str, Refusal> {
        let measure = measure.as_ref().expect("checked: the kind needs it");
        match *measure == Measure::of(measure.column()) {
            true => Ok(measure.column()),
            false => {
                Err(Refusal::new(key, "a column: its values are categories", measure.to_string()))
            }
        }
    }

    /// The unit column; `None` if every row is a unit. Without `unit` it is the default, or `seed`
    /// where the figure already parts the values of the default.
    ///
    /// # Errors
    /// The table has no such column.
    pub fn unit(&self, default: &str) -> Result<Option<&'a Column>, Refusal> {
        // Where every mark is of one target already, seeds are the units.
        let apart = [&self.spec.series, &self.spec.panel, &self.spec.by];
        let mut apart = apart.into_iter().flatten().map(String::as_str);
        let places = [&self.spec.x, &self.spec.y].into_iter().flatten().map(Measure::column);
        let parted =
            apart.any(|column| column == default) || places.into_iter().any(|c| c == default);
        let default = if parted && self.table.get("seed").is_some() { "seed" } else { default };
        let name = self.spec.unit.as_deref().unwrap_or(default);
        if name == ROW && self.table.get(ROW).is_none() {
            return Ok(None);
        }
        self.table.column(name).map(Some).map_err(|refusal| {
            let advice = "name the column of the independent units, or `row` for every row";
            refusal.within("unit").advising(advice)
        })
    }

    /// Mean within each unit of these rows; rows without a number are left out.
    pub(super) fn units(
        &self,
        rows: &[usize],
        measure: &Measure,
        unit: Option<&Column>,
    ) -> Vec<(String, Vec<f64>)> {
        let column = self.column(measure.column());
        let mut units: Vec<(String, Vec<f64>)> = Vec::new();
        let mut known: BTreeMap<&str, usize> = BTreeMap::new();
        for &row in rows {
            let Some(value) = measure.value(column, row) else { continue };
            let next = units.len();
            let number = unit.map_or(next, |unit| *known.entry(unit.text(row)).or_insert(next));
            if number == next {
                let name = unit.map_or_else(|| row.to_string(), |unit| unit.text(row).to_string());
                units.push((name, Vec::new()));
            }
            units[number].1.push(value);
        }
        units
    }

    /// Mean over units, each averaged first, with Student's interval; `None` without a number.
    pub fn summary(
        &self,
        rows: &[usize],
        measure: &Measure,
        unit: Option<&Column>,
    ) -> Option<Summary> {
        let found = self.units(rows, measure, unit);
        let rows = found.iter().map(|unit| unit.1.len()).sum();
        let units: Vec<(String, f64)> = found
            .into_iter()
            .filter_map(|(name, values)| Some((name, mean(&values).ok()?)))
            .collect();
        let values: Vec<f64> = units.iter().map(|unit| unit.1).collect();
        let enough = values.len() >= self.spec.least.unwrap_or(LEAST).max(2);
        let interval = mean_interval(&values, 0.95).ok().filter(|_| enough);
        let (low, high) = self.words.ends(measure);
        Some(Summary {
            mean: mean(&values).ok()?,
            interval: interval.map(|i| (i.low.clamp(low, high), i.high.clamp(low, high))),
            units,
            rows,
        })
    }

    /// Refuses a column without a single number among the rows.
    pub(super) fn needs_numbers(&self, key: &str, measure: &Measure) -> Result<(), Refusal> {
        let column = self.column(measure.column());
        if self.all.iter().any(|row| measure.value(column, *row).is_some()) {
            return Ok(());
        }
        let text = self.all.first().map_or("", |row| column.text(*row));
        let found = if text.is_empty() { "no value".into() } else { format!("{text:?}") };
        let advice = match self.finished {
            true => "only rows at the end of training are drawn unless the figure uses `at`",
            false => "",
        };
        let expected = format!("numbers in the column {}", measure.column());
        Err(Refusal::new(key, expected, found).advising(advice))
    }

    /// Explains hollow marks, if there are any.
    pub(super) fn hollow(&self, any: bool) -> Option<String> {
        let what = self.words.house.unfit(&self.spec.counts.to_string());
        any.then(|| format!("Hollow: {what}; these marks do not count."))
    }

    /// Rows without a number of a measure.
    pub(super) fn without(&self, measures: &[&Measure]) -> usize {
        let lacks = |row: &&usize| {
            measures.iter().any(|m| m.value(self.column(m.column()), **row).is_none())
        };
        self.rows.iter().filter(lacks).count()
    }
}
