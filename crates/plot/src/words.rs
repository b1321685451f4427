//! Names of columns and values in figures, and their colours.

use crate::axis::Axis;
use crate::charts::Look;
use crate::house::{House, Numbers};
use crate::spec::{FigureSpec, Kind, Which};
use crate::style::{self, Colour, Marker};
use picloom_base::names::did_you_mean;
use picloom_base::refusal::Refusal;
use picloom_base::table::{Column, Measure, Table};

/// Refuses labels and colours of what is nowhere in the table: a value, `column=value`, a column, a measure of one, a
/// contrast or a basis.
pub(super) fn check_labels(
    words: Words<'_>,
    table: &Table,
    asked: &[String],
) -> Result<(), Refusal> {
    let spec = words.spec;
    if asked.is_empty() && matches!(spec.kind, Kind::Forest | Kind::Verdicts) {
        return Ok(()); // There is nothing to draw, which is said later.
    }
    let mut names: Vec<&str> = table.columns().iter().map(Column::name).collect();
    names.extend(asked.iter().chain(&spec.bases).map(String::as_str));
    let has =
        |column: &Column, value: &str| value.is_empty() || column.distinct().any(|v| v == value);
    let keys = spec.labels.keys().map(|key| ("labels", key));
    for (at, key) in keys.chain(spec.colours.keys().map(|key| ("colours", key))) {
        let measure = key.parse::<Measure>().is_ok_and(|m| table.get(m.column()).is_some());
        let pair = key.split_once('=').and_then(|(name, v)| Some((table.get(name.trim())?, v)));
        let known = names.contains(&key.as_str())
            || measure
            || pair.is_some_and(|(column, value)| has(column, value))
            || words.house.arm("arm", key).is_some()
            || table.columns().iter().any(|column| has(column, key));
        if !known {
            let used = [&spec.series, &spec.panel, &spec.by, &spec.unit].into_iter().flatten();
            let places = [&spec.x, &spec.y].into_iter().flatten().map(Measure::column);
            let used = used.map(String::as_str).chain(places).chain(["arm"]);
            let values = used.filter_map(|name| table.get(name)).flat_map(Column::distinct);
            let found =
                format!("{key:?}{}", did_you_mean(key, names.iter().copied().chain(values)));
            let expected = "values, `column=value`, columns or contrasts of the figure";
            return Err(Refusal::new(at, expected, found));
        }
    }
    Ok(())
}

/// The words and colours of a figure.
#[derive(Clone, Copy)]
pub struct Words<'a> {
    /// The figure. Its own names go before those of the house.
    pub spec: &'a FigureSpec,
    /// The names where it has none.
    pub(crate) house: &'a House,
}

impl Words<'_> {
    /// The spec's entry for a value: `column=value` before `value`.
    fn given<'m, T>(
        map: &'m std::collections::BTreeMap<String, T>,
        column: &str,
        value: &str,
    ) -> Option<&'m T> {
        map.get(&format!("{column}={value}")).or_else(|| map.get(value))
    }

    /// Whether rows without a value of the column have a label, and so a place.
    pub(super) fn names_empty(&self, column: &str) -> bool {
        Self::given(&self.spec.labels, column, "").is_some()
    }

    /// The name of a value of a column: the spec's label, the arm's, or the value itself.
    pub fn label(&self, column: &str, value: &str) -> String {
        if let Some(label) = Self::given(&self.spec.labels, column, value) {
            return label.clone();
        }
        let is_signed = self.numbers(column) == Some(Numbers::Signed);
        match (self.house.arm(column, value), value.parse::<f64>()) {
            (Some((_, arm)), _) => arm.label.into(),
            (None, Ok(number)) if is_signed => style::signed(number as i64),
            (None, Ok(_)) => value.replace('-', "−"),
            (None, Err(_)) => value.replace(['_', '-'], " "),
        }
    }

    /// The same for crowded axes: an arm's short name.
    pub(super) fn short(&self, column: &str, value: &str) -> String {
        match self.house.arm(column, value) {
            Some((_, arm)) if Self::given(&self.spec.labels, column, value).is_none() => {
                arm.short.into()
            }
            _ => self.label(column, value),
        }
    }

    /// Short names of arms that are written `a|b`.
    pub fn arms(&self, arms: &str) -> String {
        arms.split('|').map(|arm| self.short("arm", arm)).collect::<Vec<_>>().join(" | ")
    }

    /// The label where nothing says which column it is of: numbers after the name of their column.
    pub(super) fn title(&self, column: &str, value: &str) -> String {
        let label = self.label(column, value);
        let bare =
            value.parse::<f64>().is_ok() && Self::given(&self.spec.labels, column, value).is_none();
        if bare { format!("{} {label}", self.column(column)) } else { label }
    }

    /// The name of a column.
    pub fn column(&self, column: &str) -> String {
        match (self.spec.labels.get(column), self.house.column(column)) {
            (Some(label), _) => label.clone(),
            (None, Some((label, _))) => label.to_string(),
            (None, None) => column.replace('_', " "),
        }
    }

    /// How the house writes the numbers of a column.
    fn numbers(&self, column: &str) -> Option<Numbers> {
        self.house.column(column).map(|row| row.1)
    }

    /// The name of a measure: its column, with a minus, `log₂` or `ln` before it.
    pub fn measure(&self, measure: &Measure) -> String {
        let (text, column) = (measure.to_string(), self.column(measure.column()));
        if let Some(label) = self.spec.labels.get(&text) {
            return label.clone();
        }
        let (sign, text) = match text.strip_prefix('-') {
            Some(text) => ("−", text),
            None => ("", text.as_str()),
        };
        match text.split_once('(') {
            Some(("log2", _)) => format!("{sign}log₂ of {column}"),
            Some(("ln", _)) => format!("{sign}ln of {column}"),
            _ => format!("{sign}{column}"),
        }
    }

    /// The title of a category axis; empty where the names say enough.
    pub(super) fn category(&self, column: &str) -> String {
        let plain = self.house.untitled.contains(&column) && !self.spec.labels.contains_key(column);
        if plain { String::new() } else { self.column(column) }
    }

    /// The least and the greatest value of a measure, where its intervals end.
    pub(super) fn ends(&self, measure: &Measure) -> (f64, f64) {
        let plain = *measure == Measure::of(measure.column());
        match self.numbers(measure.column()).filter(|_| plain) {
            Some(Numbers::Share | Numbers::Percent) => (0.0, 1.0),
            Some(Numbers::AtMostOne) => (f64::NEG_INFINITY, 1.0),
            _ => (f64::NEG_INFINITY, f64::INFINITY),
        }
    }

    /// The axis of a measure.
    pub(super) fn axis(&self, measure: &Measure, which: Which) -> Axis {
        let (given, range) = match which {
            Which::X => (&self.spec.x_label, self.spec.x_range),
            Which::Y => (&self.spec.y_label, self.spec.y_range),
        };
        let mut axis = Axis::new(given.clone().unwrap_or_else(|| self.measure(measure)));
        let plain = *measure == Measure::of(measure.column());
        match self.numbers(measure.column()).filter(|_| plain) {
            Some(Numbers::Whole) => axis = axis.whole(),
            Some(Numbers::Signed) => axis = axis.signed(),
            Some(Numbers::Percent) => axis = axis.percent(),
            _ => {}
        }
        if self.spec.log.contains(&which) {
            axis = axis.log();
        }
        if let Some([low, high]) = range {
            axis = axis.range(low, high);
        }
        axis
    }

    /// The colour that the spec or the house gives a value; `None` for the next free one.
    pub(super) fn colour(&self, column: &str, value: &str) -> Option<Colour> {
        let given = Self::given(&self.spec.colours, column, value).map(|hex| hex.0);
        given.or_else(|| self.house.arm(column, value).map(|(_, arm)| arm.colour))
    }

    /// Label, colour and marker of each value of a series. A value that has none of its own gets a colour, and a marker
    /// while there are any, that no other has.
    pub(super) fn looks(&self, column: &str, values: &[String]) -> Vec<Look> {
        let arm = |value: &String| self.house.arm(column, value).map(|arm| arm.1);
        let mut taken: Vec<Marker> = values.iter().filter_map(arm).map(|arm| arm.marker).collect();
        let mut colours = 0;
        let look = |(i, value): (usize, &String)| {
            let colour = self.colour(column, value).unwrap_or_else(|| {
                colours += 1;
                style::colour(colours - 1)
            });
            let marker = arm(value).map(|arm| arm.marker).unwrap_or_else(|| {
                let next = Marker::ALL.into_iter().cycle().skip(i).take(Marker::ALL.len());
                let free = next.clone().find(|marker| !taken.contains(marker));
                let marker = free.or(next.clone().next()).expect("there are markers");
                taken.push(marker);
                marker
            });
            (self.title(column, value), colour, marker)
        };
        values.iter().enumerate().map(look).collect()
    }
}
