//! Cells of two categories with the mean of a number in each, or the first effect of a contrast.

use super::data::Selected;
use super::drawing::{Content, Drawn};
use crate::axis::Axis;
use crate::charts::{Heat, Tones};
use crate::effects::{Contrasts, Effect};
use picloom_base::refusal::Refusal;
use picloom_base::table::{Filter, Measure};

/// The content of a cell.
struct Cell {
    value: f64,
    /// Networks, or units of a contrast, behind it.
    count: usize,
    bar: f64,
}

pub(super) fn draw(selected: &Selected<'_>, contrasts: &dyn Contrasts) -> Result<Content, Refusal> {
    let spec = selected.spec;
    let (x, y) = (Selected::category("x", &spec.x)?, Selected::category("y", &spec.y)?);
    let unit = selected.unit("target")?;
    // The effect of the first cell says what all cells show.
    let mut compared: Option<Effect> = None;
    if let Some(of) = &spec.of {
        selected.needs_numbers("of", of)?;
    }
    let least = spec.least.unwrap_or(1);
    let (mut drawn, mut panels) = (Drawn::of(&selected.series()), Vec::new());
    let (mut most, mut hatched_any) = (0, false);
    for (value, rows) in selected.panels() {
        // The same rows in every panel, so that they can be compared.
        let (columns, lines) = (selected.values(x, &rows), selected.values(y, &selected.rows));
        let mut cell = |line: &String, column: &String| -> Result<Cell, Refusal> {
            let rows = selected.with(&selected.with(&rows, y, line), x, column);
            let mean = |measure: &Measure| {
                selected.summary(&rows, measure, unit).map(|found| (found.mean, found.rows))
            };
            let (value, count) = match &spec.of {
                Some(of) => selected
                    .summary(&selected.counting(&rows), of, unit)
                    .map_or((f64::NAN, 0), |found| (found.mean, found.rows)),
                None => {
                    let found = of_cell(selected, contrasts, &[(x, column), (y, line)], &value)?;
                    let first = found.first().and_then(|effect| effect.estimates.first());
                    let cell = first.map_or((f64::NAN, 0), |estimate| {
                        (estimate.value.unwrap_or(f64::NAN), estimate.units.len())
                    });
                    compared = compared.take().or(found.into_iter().next());
                    cell
                }
            };
            let bar = spec.bar.as_ref().and_then(mean).map_or(0.0, |found| found.0);
            Ok(Cell { value, count, bar })
        };
        let cells: Vec<Vec<Cell>> = (lines.iter())
            .map(|line| columns.iter().map(|column| cell(line, column)).collect())
            .collect::<Result<_, _>>()?;
        let places = || (0..lines.len()).flat_map(|r| (0..columns.len()).map(move |c| (r, c)));
        for (r, c) in places().filter(|&(r, c)| cells[r][c].value.is_finite()) {
            drawn.counted(0, cells[r][c].count);
        }
        let hatched: Vec<(usize, usize)> = places()
            .filter(|&(r, c)| cells[r][c].value.is_finite() && cells[r][c].count < least)
            .collect();
        hatched_any |= !hatched.is_empty();
        // With a bar, a value counts as far as its bar goes.
        let worth = |&(r, c): &(usize, usize)| {
            let cell = &cells[r][c];
            let counts = cell.count >= least && cell.value.is_finite();
            counts.then(|| cell.value * if spec.bar.is_some() { cell.bar } else { 1.0 })
        };
        let best = places()
            .filter(|p| worth(p).is_some())
            .max_by(|a, b| worth(a).partial_cmp(&worth(b)).expect("finite"));
        let of_cells = compared.as_ref().map_or(String::new(), |effect| effect.axis.clone());
        let value_label = spec.of.as_ref().map_or(of_cells, |of| selected.words.measure(of));
        let mut axis = Axis::new(value_label);
        let signed = spec.signed.unwrap_or(spec.of.is_none());
        axis.range = spec.range.map(|[low, high]| (low, high));
        most = most.max(lines.len());
        let of = |label: &Option<String>, column: &str| {
            label.clone().unwrap_or_else(|| selected.words.category(column))
        };
        let bars = match spec.bar {
            Some(_) => cells.iter().map(|row| row.iter().map(|cell| cell.bar).collect()).collect(),
            None => Vec::new(),
        };
        let heat = Heat {
            columns: columns.iter().map(|value| selected.words.label(x, value)).collect(),
            rows: lines.iter().map(|value| selected.words.label(y, value)).collect(),
            values: cells.iter().map(|row| row.iter().map(|cell| cell.value).collect()).collect(),
            value: axis,
            tones: if signed { Tones::Signed } else { Tones::Amount },
            decimals: Some(spec.decimals.unwrap_or(2)),
            bars,
            hatched,
            outlined: best.filter(|_| spec.outline).into_iter().collect(),
        };
        let titles = (of(&spec.x_label, x), of(&spec.y_label, y));
        panels.push(heat.panel(selected.panel_title(&value), &titles.0, &titles.1));
    }
    let mut caption = match &spec.of {
        Some(of) => drawn.mean_of(selected, of, unit.map(|unit| unit.name())),
        None => compared.iter().map(|effect| effect.how.clone()).collect(),
    };
    if let Some(bar) = &spec.bar {
        let bar = selected.words.measure(bar);
        caption.push(format!("Bars in the cells: {bar}, whole width = all."));
    }
    let row = selected.words.house.row();
    if !spec.counts.is_empty() {
        let rows = row[..1].to_uppercase() + &row[1..] + "s";
        caption.push(format!("{rows} with {} count; grey: there is none.", spec.counts));
    }
    if hatched_any {
        let unit = compared.as_ref().map_or(row, |effect| &effect.unit);
        caption.push(format!("Hatched: fewer than {least} {unit}s."));
    }
    if spec.outline {
        let times = if spec.bar.is_some() { " times bar" } else { "" };
        caption.push(format!("Outlined: the highest value{times}."));
    }
    let content = Content::tall(panels, most as f64 * 34.0, 300.0);
    Ok(content.told(drawn, caption))
}

/// The effects among the rows of one cell.
fn of_cell(
    selected: &Selected<'_>,
    contrasts: &dyn Contrasts,
    place: &[(&str, &String)],
    panel: &Option<String>,
) -> Result<Vec<Effect>, Refusal> {
    let panel = selected.spec.panel.as_deref().zip(panel.as_ref());
    let place = place.iter().copied().chain(panel);
    let cell: Vec<String> = place.map(|(column, value)| format!("{column}={value}")).collect();
    let cell: Filter = cell.join(",").parse()?;
    contrasts.effects(&selected.words, selected.table, &cell.over(&selected.spec.rows))
}
