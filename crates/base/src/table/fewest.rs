//! The least value at which enough rows hold: one row for each group of a table.

use super::{Column, Filter, Table};
use crate::refusal::Refusal;
use crate::settings::data;
use crate::stats::mean;
use serde::{Deserialize, Serialize};

/// Asks a table for the least value of a number at which enough rows hold, group by group: the fewest links with
/// which an arm learns a target in half of its seeds. In a spec:
/// `{ of = "times", by = ["target", "arm"], share = 0.5, never = 32 }`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fewest {
    /// The number whose least value is asked for.
    pub of: String,
    /// Columns that make a group. Default: `target`, `arm`.
    #[serde(default = "target_and_arm")]
    pub by: Vec<String>,
    /// Columns that tell the steps of a group apart: rows that agree in them are counted together. Default: `level`.
    #[serde(default = "level")]
    pub at: Vec<String>,
    /// When a row holds. Default: it learned its picture, `fit = true`.
    #[serde(default = "fit", rename = "where")]
    pub rows: Filter,
    /// Share of a step's rows that must hold, in (0, 1]. Default: one row is enough.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub share: Option<f64>,
    /// The number of a group in which no step has so many rows. Default: no value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub never: Option<f64>,
}

data! {
    Fewest, "dict";
}

fn target_and_arm() -> Vec<String> {
    vec!["target".into(), "arm".into()]
}

fn level() -> Vec<String> {
    vec!["level".into()]
}

fn fit() -> Filter {
    Filter::default().and("fit", "true")
}

impl Table {
    /// One row for each group, in the order in which they first appear. Of the step that was found the rows that
    /// hold are put together: a text that they share, else the mean of their numbers, else nothing. Where none was
    /// found, the same over all rows of the group, with `never` as the number.
    ///
    /// # Errors
    /// A column that the table lacks, or a share outside (0, 1].
    pub fn fewest(&self, asked: &Fewest, among: &Filter) -> Result<Table, Refusal> {
        let share = asked.share.unwrap_or(f64::MIN_POSITIVE);
        let expected = "a number above 0, up to 1";
        Refusal::unless(share > 0.0 && share <= 1.0, "fewest, share", expected, share.to_string())?;
        let of = self.column(&asked.of)?;
        let columns = |names: &[String]| -> Result<Vec<&Column>, Refusal> {
            names.iter().map(|name| self.column(name)).collect()
        };
        let (by, at) = (columns(&asked.by)?, columns(&asked.at)?);
        let mut holds = vec![false; self.len()];
        asked.rows.rows(self)?.into_iter().for_each(|row| holds[row] = true);
        let mut rows = among.rows(self)?;
        // A network on its way is no network more.
        if let Some(at) = self.get("at").filter(|_| !among.columns().any(|name| name == "at")) {
            rows.retain(|&row| at.text(row).is_empty());
        }
        let mut found = Table::new(self.columns().iter().map(Column::name));
        for group in grouped(rows, &by) {
            let mut best: Option<(f64, Vec<usize>)> = None;
            for step in grouped(group.clone(), &at) {
                let held: Vec<usize> = step.iter().copied().filter(|&row| holds[row]).collect();
                let enough = held.len() as f64 >= share * step.len() as f64 && !held.is_empty();
                let numbers: Vec<f64> = held.iter().filter_map(|&row| of.number(row)).collect();
                if let (true, Ok(value)) = (enough, mean(&numbers))
                    && best.as_ref().is_none_or(|(least, _)| value < *least)
                {
                    best = Some((value, held));
                }
            }
            let never = asked.never.map_or(String::new(), |never| never.to_string());
            let texts = self.columns().iter().map(|column| match &best {
                Some((_, held)) => together(column, held),
                None if column.name() == asked.of => never.clone(),
                None => together(column, &group),
            });
            found.push(&texts.collect::<Vec<_>>());
        }
        Ok(found)
    }
}

/// Rows that agree in these columns, in the order in which they first appear.
fn grouped(rows: Vec<usize>, columns: &[&Column]) -> Vec<Vec<usize>> {
    let mut groups: Vec<(Vec<&str>, Vec<usize>)> = Vec::new();
    for row in rows {
        let key: Vec<&str> = columns.iter().map(|column| column.text(row)).collect();
        match groups.iter_mut().find(|group| group.0 == key) {
            Some(group) => group.1.push(row),
            None => groups.push((key, vec![row])),
        }
    }
    groups.into_iter().map(|group| group.1).collect()
}

/// The text that rows share, else the mean of their numbers, else nothing.
fn together(column: &Column, rows: &[usize]) -> String {
    let first = column.text(rows[0]);
    if rows.iter().all(|&row| column.text(row) == first) {
        return first.to_string();
    }
    let is_number = |&row: &usize| column.text(row).parse::<f64>().ok();
    let numbers: Option<Vec<f64>> = rows.iter().map(is_number).collect();
    numbers.and_then(|numbers| mean(&numbers).ok()).map_or(String::new(), |mean| mean.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> Table {
        let mut table = Table::new(["target", "arm", "level", "seed", "kept", "fit", "score"]);
        for (arm, level, seed, kept, fit, score) in [
            ("a", "1", "0", "10", "false", ".1"),
            ("a", "1", "1", "10", "true", ".9"),
            ("a", "2", "0", "20", "true", ".4"),
            ("a", "2", "1", "22", "true", ".6"),
            ("b", "1", "0", "10", "false", ".3"),
        ] {
            table.push(&["moth", arm, level, seed, kept, fit, score]);
        }
        table
    }

    fn row(table: &Table, row: usize) -> Vec<&str> {
        table.columns().iter().map(|column| column.text(row)).collect()
    }

    #[test]
    fn the_least_step_with_enough_rows_is_one_row_of_its_means() {
        let asked = |text: &str| toml::from_str::<Fewest>(text).unwrap();
        let one = table().fewest(&asked("of = 'kept'"), &Filter::default()).unwrap();
        assert_eq!(one.len(), 2);
        assert_eq!(row(&one, 0), ["moth", "a", "1", "1", "10", "true", ".9"]);
        // No step of b holds: the number is empty, what its rows share stays.
        assert_eq!(row(&one, 1), ["moth", "b", "1", "0", "", "false", ".3"]);
        let all = asked("of = 'kept'\nshare = 1.0\nnever = 99");
        let all = table().fewest(&all, &Filter::default()).unwrap();
        assert_eq!(row(&all, 0), ["moth", "a", "2", "0.5", "21", "true", "0.5"]);
        assert_eq!(row(&all, 1)[4], "99");
    }

    #[test]
    fn a_share_that_is_none_and_an_unknown_column_are_refused() {
        for text in ["of = 'kept'\nshare = 0.0", "of = 'kept'\nshare = 1.5", "of = 'links'"] {
            let asked = toml::from_str::<Fewest>(text).unwrap();
            assert!(table().fewest(&asked, &Filter::default()).is_err(), "{text}");
        }
    }
}
