//! Contrasts of several numbers: a row a number, a column a contrast; the estimate in the cell, outlined where the
//! contrast is supported.

use crate::axis::Axis;
use crate::charts::{Heat, Tones};
use crate::drawing::{Content, Drawn};
use crate::effects::{Effect, Estimate};
use crate::spec::FigureSpec;
use crate::style::{INK, Marker};
use picloom_base::refusal::Refusal;
use std::collections::BTreeMap;

pub(super) fn draw(spec: &FigureSpec, effects: &[Effect]) -> Result<Content, Refusal> {
    let (mut columns, mut rows): (Vec<&str>, Vec<&str>) = (Vec::new(), Vec::new());
    let mut cells: BTreeMap<(usize, usize), &Estimate> = BTreeMap::new();
    for effect in effects {
        // The first basis decides; of several effects in a cell, the one that holds least.
        let Some(found) = effect.estimates.first() else { continue };
        let column = place(&mut columns, &effect.contrast);
        let row = place(&mut rows, &effect.number);
        let held =
            |one: &Estimate| (one.supported, one.interval.map_or(f64::MIN, |interval| interval.0));
        let least = cells.entry((row, column)).or_insert(found);
        if held(found) < held(least) {
            *least = found;
        }
    }
    if cells.is_empty() {
        return Err(Refusal::new("contrasts", "at least one effect", "none"));
    }
    let mut drawn = Drawn::of(&[(None, (String::new(), INK, Marker::Circle))]);
    let mut values = vec![vec![f64::NAN; columns.len()]; rows.len()];
    for (&(row, column), found) in &cells {
        values[row][column] = found.value.unwrap_or(f64::NAN);
        drawn.counted(0, found.units.len());
    }
    let outlined = cells.into_iter().filter(|cell| cell.1.supported).map(|cell| cell.0).collect();
    let mut value = Axis::new("effect");
    value.range = spec.range.map(|[low, high]| (low, high));
    let label = |id: &&str| spec.labels.get(*id).cloned().unwrap_or_else(|| (*id).to_string());
    let count = rows.len();
    let heat = Heat {
        columns: columns.iter().map(label).collect(),
        rows: rows.into_iter().map(String::from).collect(),
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

/// The place of a name in a list, at whose end it is put if it is new.
fn place<'a>(names: &mut Vec<&'a str>, name: &'a str) -> usize {
    names.iter().position(|known| *known == name).unwrap_or_else(|| {
        names.push(name);
        names.len() - 1
    })
}
