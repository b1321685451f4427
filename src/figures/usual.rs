//! Figures and a table of the arms for a study of networks whose spec has neither figures nor
//! contrasts: scores, fits, loss curves, contrasts.

use super::style::house;
use crate::base::refusal::Refusal;
use crate::base::table::{Measure, Table};
use crate::base::text::of_cell;
use crate::experiment::networks::Scored;
use picloom_plot::{FigureSpec, Kind, Selected};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// Whether a column is there and has a value in some row.
fn has_values(table: &Table, column: &str) -> bool {
    table.get(column).is_some_and(|column| column.distinct().any(|text| !text.is_empty()))
}

/// Whether a column has several values among the rows.
fn varies(table: &Table, column: &str) -> bool {
    let values =
        table.get(column).map(|column| column.distinct().filter(|v| !v.is_empty()).count());
    values.is_some_and(|values| values > 1)
}

/// The unit over which means are taken: targets, or seeds where there is one target.
fn unit(table: &Table) -> &'static str {
    if varies(table, "target") || table.get("seed").is_none() { "target" } else { "seed" }
}

/// Figures of a table of networks that show what every study of them asks: which arms score how much, by how many links, how
/// well they learned. None of another table.
pub fn usual_figures(table: &Table, has_contrasts: bool) -> Vec<FigureSpec> {
    if !["arm", "score", "fit"].iter().all(|column| table.get(column).is_some()) {
        return Vec::new();
    }
    let unit = if table.get("target").is_some() { unit(table) } else { "row" };
    let mut all: Vec<FigureSpec> = Vec::new();
    let mut add = |name: &str, kind: Kind, keys: Value| {
        let mut written = Map::from_iter([
            ("name".to_string(), json!(name)),
            ("kind".to_string(), json!(kind.name())),
        ]);
        written.extend(keys.as_object().cloned().unwrap_or_default());
        written.retain(|_, value| !value.is_null());
        let figure = serde_json::from_value(Value::Object(written));
        all.push(figure.expect("keys of the kind"));
    };
    let counts = json!({ "fit": true });
    let [levels, variants, depths] =
        ["level", "variant", "offset"].map(|column| varies(table, column));
    let panel = variants.then_some("variant");
    add(
        "score-by-arm",
        Kind::Dots,
        json!({
            "x": "arm", "y": "score", "horizontal": true, "unit": unit, "counts": counts,
            "series": levels.then_some("level"), "panel": panel, "says": "score of every arm",
        }),
    );
    if levels && table.get("share").is_some() {
        add(
            "score-by-links",
            Kind::Lines,
            json!({
                "x": "share", "by": "level", "y": "score", "series": "arm", "unit": unit,
                "counts": counts, "panel": panel, "says": "score by the share of links that are kept",
            }),
        );
    }
    if depths {
        add(
            "score-by-depth",
            Kind::Lines,
            json!({
                "x": "layers", "by": "offset", "y": "score", "series": "arm", "unit": unit,
                "counts": counts, "panel": panel, "says": "score by the number of hidden layers",
            }),
        );
    }
    if table.get("r2").is_some() {
        add(
            "fit-by-arm",
            Kind::Dots,
            json!({
                "x": "arm", "y": "r2", "horizontal": true, "unit": unit, "panel": panel,
                "series": levels.then_some("level"), "says": "how well every arm draws its picture",
            }),
        );
    }
    if has_values(table, "gap") {
        add(
            "gap-by-arm",
            Kind::Dots,
            json!({
                "x": "arm", "y": "gap", "horizontal": true, "unit": unit, "panel": panel, "counts": counts,
                "series": levels.then_some("level"),
                "says": "R² on the combinations seen less R² on those held out",
            }),
        );
    }
    if table.get("curve_loss").is_some() {
        add(
            "losses",
            Kind::Curves,
            json!({ "series": "arm", "panel": panel, "says": "loss while training" }),
        );
    }
    if has_contrasts {
        add("effects", Kind::Forest, json!({ "says": "the effect of every contrast" }));
    }
    all
}

/// The networks of one arm at one level, in one variant and at one depth.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ArmRow {
    /// Its arm, as the table says it.
    pub arm: String,
    /// The columns that tell it from others, with its values: what people call it.
    pub names: Vec<String>,
    /// Networks at the end of training.
    pub networks: usize,
    /// Of these, those that learned their picture.
    pub fit: usize,
    /// Mean score of those, over units.
    pub score: Option<f64>,
    /// Their mean clean share, in [0, 1]; `None` if the table does not have the column.
    pub clean_share: Option<f64>,
    /// The score's 95 % interval: over targets, Student's t; of networks that differ in their seed only that of
    /// [`Scored::over_seeds`]. `None` if neither can be told.
    pub interval: Option<(f64, f64)>,
    /// Scores of the networks that learned their picture.
    pub scores: Vec<f64>,
    /// Scores of those that did not.
    pub unfit: Vec<f64>,
    /// Units behind it.
    pub units: usize,
    /// Mean number of links kept.
    pub kept: Option<f64>,
    /// Mean R².
    pub r2: Option<f64>,
}

/// The arms of a table of networks, told.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Arms {
    /// Heads of [`ArmRow::names`].
    pub columns: Vec<String>,
    /// The unit of the means: `target` or `seed`.
    pub unit: String,
    /// The rows.
    pub rows: Vec<ArmRow>,
}

impl Arms {
    /// Says over which units the intervals of its scores are.
    pub(crate) fn interval(&self) -> &'static str {
        let most = self.rows.iter().map(|row| row.networks).max().unwrap_or(0);
        match (self.unit.as_str(), most) {
            ("target", 2..) => {
                "The 95 % interval is over targets (Student's t); of an arm with one target it covers its seeds, or the weight changes of its one network, and the judge's error."
            }
            (_, 0..=1) => {
                "One network an arm: its 95 % interval is over the weight changes of that network and the judge's error. How much another seed would differ, it does not say."
            }
            _ => {
                "The 95 % interval covers the seeds that learned the picture (Student's t) and the judge's error."
            }
        }
    }
}

/// The scores of these rows, each with its own interval where the table has it.
fn scored(table: &Table, rows: &[usize]) -> Vec<Scored> {
    let of = |row: usize, column: &str| table.get(column)?.number(row);
    let score = |row: &usize| {
        let [low, high, clean_share] =
            ["score_low", "score_high", "clean_share"].map(|column| of(*row, column));
        Some(Scored { score: of(*row, "score")?, low, high, clean_share })
    };
    rows.iter().filter_map(score).collect()
}

/// The arms of a table of networks at the end of training, with a study's own names of them; `None` for another table.
///
/// # Errors
/// The table has no rows at the end of training.
pub(crate) fn arms_of(
    table: &Table,
    labels: &BTreeMap<String, String>,
) -> Result<Option<Arms>, Refusal> {
    let needed = ["arm", "score", "fit", "r2", "kept", "target"];
    if !needed.iter().all(|column| table.get(column).is_some()) {
        return Ok(None);
    }
    let keys = json!({
        "name": "arms", "kind": "dots", "x": "arm", "y": "score", "counts": { "fit": true },
        "unit": unit(table), "least": 2, "labels": labels,
    });
    let spec: FigureSpec = serde_json::from_value(keys).expect("keys of the kind");
    let house = house();
    let selected = Selected::of(&spec, table, &house)?;
    let mut columns = vec!["arm"];
    // Arms that are pruned once each need no level to tell them apart.
    let levels = table
        .get("level")
        .map_or(0, |of| of.distinct().filter(|level| !["", "0"].contains(level)).count());
    let names = ["level", "variant", "offset"].into_iter().filter(|c| varies(table, c));
    columns.extend(names.filter(|column| *column != "level" || levels > 1));
    let mut groups: Vec<(Vec<&str>, Vec<usize>)> = Vec::new();
    for &row in &selected.rows {
        let key: Vec<&str> =
            columns.iter().filter_map(|name| Some(table.get(name)?.text(row))).collect();
        match groups.iter_mut().find(|group| group.0 == key) {
            Some(group) => group.1.push(row),
            None => groups.push((key, vec![row])),
        }
    }
    // Levels of an arm stand below each other, arms as they come.
    let first: Vec<&str> = groups.iter().map(|group| group.0[0]).collect();
    let place = |arm: &str| first.iter().position(|other| *other == arm);
    groups.sort_by_key(|group| place(group.0[0]));
    let unit_column = selected.unit("target")?;
    let mean = |rows: &[usize], column: &str| {
        selected.summary(rows, &Measure::of(column), unit_column).map(|found| found.mean)
    };
    let is_target = unit(table) == "target";
    let rows = groups.into_iter().map(|(key, rows)| {
        let counting = selected.counting(&rows);
        let found = selected.summary(&counting, &Measure::of("score"), unit_column);
        let named = key.iter().zip(&columns).map(|(value, column)| match *column {
            "level" if *value == "0" => String::new(),
            column => selected.words.label(column, value),
        });
        let units = found.as_ref().map_or(0, |found| found.units.len());
        let seeds_alone = !is_target || units == 1;
        let over_seeds = Scored::over_seeds(&scored(table, &counting)).filter(|_| seeds_alone);
        let over_seeds = over_seeds.and_then(|score| score.low.zip(score.high));
        let unfit: Vec<usize> =
            rows.iter().copied().filter(|row| !counting.contains(row)).collect();
        ArmRow {
            arm: of_cell(key[0]).into(),
            names: named.collect(),
            networks: rows.len(),
            fit: counting.len(),
            score: found.as_ref().map(|found| found.mean),
            clean_share: table.get("clean_share").and_then(|_| mean(&counting, "clean_share")),
            interval: over_seeds.or(found.as_ref().and_then(|found| found.interval)),
            scores: scored(table, &counting).iter().map(|one| one.score).collect(),
            unfit: scored(table, &unfit).iter().map(|one| one.score).collect(),
            units,
            kept: mean(&rows, "kept"),
            r2: mean(&rows, "r2"),
        }
    });
    let rows = rows.collect();
    let columns = columns.iter().map(|column| selected.words.column(column)).collect();
    Ok(Some(Arms { columns, unit: unit(table).into(), rows }))
}
