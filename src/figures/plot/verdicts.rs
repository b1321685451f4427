//! Contrasts of several numbers (`each`): a row a number, a column a contrast; the estimate in the cell, outlined
//! where the contrast is supported.

use super::drawing::{Content, Drawn};
use super::spec::FigureSpec;
use super::words::Words;
use crate::base::refusal::Refusal;
use crate::figures::axis::Axis;
use crate::figures::charts::{Heat, Tones};
use crate::study::contrast::{ContrastSpec, Found, Verdict, contrast};
use crate::study::table::Table;

pub(super) fn draw(
    spec: &FigureSpec,
    table: &Table,
    contrasts: &[ContrastSpec],
) -> Result<Content, Refusal> {
    let words = Words(spec);
    let (mut columns, mut rows): (Vec<&str>, Vec<String>) = (Vec::new(), Vec::new());
    let mut cells: Vec<(usize, usize, Found)> = Vec::new();
    for one in super::forest::chosen(contrasts, &spec.contrasts)? {
        let within = ContrastSpec { rows: spec.rows.over(&one.rows), ..one.clone() };
        let place = |known: Option<usize>, count: usize| known.unwrap_or(count);
        let column = place(columns.iter().position(|name| *name == one.base_id()), columns.len());
        if column == columns.len() {
            columns.push(one.base_id());
        }
        let name = words.measure(&one.of);
        let row = place(rows.iter().position(|known| *known == name), rows.len());
        if row == rows.len() {
            rows.push(name);
        }
        // The first basis decides; of several groups, the one that holds least.
        let found = contrast(table, &within)?;
        let first = found.first().map(|found| found.basis.clone());
        let deciding = found.into_iter().filter(|found| Some(&found.basis) == first.as_ref());
        let held =
            |found: &Found| (found.verdict == Verdict::Supported, found.low.unwrap_or(f64::MIN));
        let least = deciding.min_by(|a, b| held(a).partial_cmp(&held(b)).expect("no NaN"));
        cells.extend(least.map(|found| (row, column, found)));
    }
    if cells.is_empty() {
        return Err(Refusal::new("contrasts", "at least one effect", "none"));
    }
    let mut drawn = Drawn::of(&[(
        None,
        (String::new(), crate::figures::style::INK, crate::figures::style::Marker::Circle),
    )]);
    let mut values = vec![vec![f64::NAN; columns.len()]; rows.len()];
    let mut outlined = Vec::new();
    for (row, column, found) in &cells {
        values[*row][*column] = found.estimate.unwrap_or(f64::NAN);
        drawn.counted(0, found.units.len());
        if found.verdict == Verdict::Supported {
            outlined.push((*row, *column));
        }
    }
    let mut value = Axis::new("effect");
    value.range = spec.range.map(|[low, high]| (low, high));
    let label = |id: &&str| spec.labels.get(*id).cloned().unwrap_or_else(|| (*id).to_string());
    let count = rows.len();
    let heat = Heat {
        columns: columns.iter().map(label).collect(),
        rows,
        values,
        value,
        tones: Tones::Signed,
        decimals: Some(spec.decimals.unwrap_or(2)),
        bars: Vec::new(),
        hatched: Vec::new(),
        outlined,
    };
    let titles = [&spec.x_label, &spec.y_label].map(|title| title.as_deref().unwrap_or_default());
    let panel = heat.panel("", titles[0], titles[1]);
    let caption = vec!["Estimates; outlined: the contrast is supported.".to_string()];
    Ok(Content::tall(vec![panel], count as f64 * 24.0, 300.0).told(drawn, caption))
}
