//! Cells of two categories with the mean of a number in each, or the estimate of a contrast.

use super::data::Selected;
use super::drawing::{Content, Drawn};
use crate::base::refusal::Refusal;
use crate::figures::axis::Axis;
use crate::figures::charts::{Heat, Tones};
use crate::study::contrast::{ContrastSpec, contrast};
use crate::study::table::{Filter, Measure};

/// The content of a cell.
struct Cell {
    value: f64,
    /// Networks, or units of a contrast, behind it.
    count: usize,
    bar: f64,
}

pub(super) fn draw(
    selected: &Selected<'_>,
    contrasts: &[ContrastSpec],
) -> Result<Content, Refusal> {
    let spec = selected.spec;
    let (x, y) = (Selected::category("x", &spec.x)?, Selected::category("y", &spec.y)?);
    let unit = selected.unit("target")?;
    let compared = match spec.contrasts.as_slice() {
        [id] => Some(super::forest::chosen(contrasts, std::slice::from_ref(id))?[0]),
        _ => None,
    };
    if let Some(of) = &spec.of {
        selected.needs_numbers("of", of)?;
    }
    let least = spec.least.unwrap_or(1);
    let (mut drawn, mut panels) = (Drawn::of(&selected.series()), Vec::new());
    let (mut most, mut hatched_any) = (0, false);
    for (value, rows) in selected.panels() {
        // The same rows in every panel, so that they can be compared.
        let (columns, lines) = (selected.values(x, &rows), selected.values(y, &selected.rows));
        let cell = |line: &String, column: &String| -> Result<Cell, Refusal> {
            let rows = selected.with(&selected.with(&rows, y, line), x, column);
            let mean = |measure: &Measure| {
                selected.summary(&rows, measure, unit).map(|found| (found.mean, found.networks))
            };
            let (value, count) = match (&spec.of, compared) {
                (Some(of), _) => selected
                    .summary(&selected.counting(&rows), of, unit)
                    .map_or((f64::NAN, 0), |found| (found.mean, found.networks)),
                (None, Some(compared)) => {
                    estimate(selected, compared, &[(x, column), (y, line)], &value)?
                }
                (None, None) => unreachable!("checked: a heatmap has a number or a contrast"),
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
        let measure = spec.of.as_ref().or(compared.map(|compared| &compared.of));
        let value_label = match (compared, measure) {
            (Some(compared), _) => super::forest::title(&selected.words, compared),
            (None, Some(measure)) => selected.words.measure(measure),
            (None, None) => String::new(),
        };
        let mut axis = Axis::new(value_label);
        let signed = spec.signed.unwrap_or(compared.is_some());
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
    let mut caption = match (&spec.of, compared) {
        (Some(of), _) => drawn.mean_of(selected, of, unit.map(|unit| unit.name())),
        (None, Some(compared)) => vec![super::forest::basis_of(compared)],
        (None, None) => Vec::new(),
    };
    if let Some(bar) = &spec.bar {
        let bar = selected.words.measure(bar);
        caption.push(format!("Bars in the cells: {bar}, whole width = all."));
    }
    if !spec.counts.is_empty() {
        caption.push(format!("Networks with {} count; grey: there is none.", spec.counts));
    }
    if hatched_any {
        let counted = compared.map_or("networks".into(), |compared| format!("{}s", compared.unit));
        caption.push(format!("Hatched: fewer than {least} {counted}."));
    }
    if spec.outline {
        let times = if spec.bar.is_some() { " times bar" } else { "" };
        caption.push(format!("Outlined: the highest value{times}."));
    }
    let content = Content::tall(panels, most as f64 * 34.0, 300.0);
    Ok(content.told(drawn, caption))
}

/// The contrast among the rows of one cell; the first basis and the first pair of groups.
fn estimate(
    selected: &Selected<'_>,
    compared: &ContrastSpec,
    place: &[(&str, &String)],
    panel: &Option<String>,
) -> Result<(f64, usize), Refusal> {
    let panel = selected.spec.panel.as_deref().zip(panel.as_ref());
    let place = place.iter().copied().chain(panel);
    let cell: Vec<String> = place.map(|(column, value)| format!("{column}={value}")).collect();
    let cell: Filter = cell.join(",").parse()?;
    let rows = cell.over(&selected.spec.rows.over(&compared.rows));
    let first = compared.basis.iter().take(1).cloned().collect();
    let mean = selected.spec.mean.unwrap_or(compared.mean);
    let within = ContrastSpec { rows, basis: first, mean, ..compared.clone() };
    let found = contrast(selected.table, &within)?;
    let first = found.first();
    let value = first.and_then(|found| found.estimate).unwrap_or(f64::NAN);
    Ok((value, first.map_or(0, |found| found.units.len())))
}
