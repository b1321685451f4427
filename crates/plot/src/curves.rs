//! Loss curves: the networks of a series as one line, their geometric mean.

use crate::axis::Axis;
use crate::charts::{Panel, Series};
use crate::data::Selected;
use crate::drawing::{Content, Drawn};
use crate::spec::{FigureSpec, Which};
use crate::style;
use picloom_base::real;
use picloom_base::refusal::Refusal;
use picloom_base::table::Measure;
use std::collections::BTreeSet;

/// Column of the losses.
const LOSS: &str = "curve_loss";
/// Column of their places, unless the figure names another.
const STEP: &str = "curve_step";

/// The axis of the places.
fn steps(spec: &FigureSpec, column: &str) -> Axis {
    let plain = if column == STEP { "step".into() } else { column.replace('_', " ") };
    let axis = Axis::new(spec.x_label.clone().unwrap_or(plain));
    let axis = if spec.log.contains(&Which::X) { axis.log() } else { axis };
    spec.x_range.map_or(axis.clone(), |[low, high]| axis.range(low, high))
}

/// The axis of the losses.
fn losses(spec: &FigureSpec) -> Axis {
    let axis = Axis::new(spec.y_label.clone().unwrap_or("mean squared error".into())).log();
    spec.y_range.map_or(axis.clone(), |[low, high]| axis.range(low, high))
}

pub(super) fn draw(selected: &Selected<'_>) -> Result<Content, Refusal> {
    let (spec, table) = (selected.spec, selected.table);
    let usual = Measure::of(STEP);
    let at = spec.x.as_ref().unwrap_or(&usual).column();
    let (places, losses_of) = (table.column(at)?, table.column(LOSS)?);
    let curve = |row: usize| -> Option<Vec<(f64, f64)>> {
        let [at, loss]: [Vec<f64>; 2] = [places, losses_of]
            .map(|column| serde_json::from_str(column.text(row)).unwrap_or_default());
        let points = at.into_iter().zip(loss).filter(|point| point.1 > 0.0);
        let points: Vec<(f64, f64)> = points.collect();
        (!points.is_empty()).then_some(points)
    };
    let series = selected.series();
    let (mut drawn, mut panels, mut several) = (Drawn::of(&series), Vec::new(), false);
    for (value, rows) in selected.panels() {
        let (mut thin, mut thick) = (Vec::new(), Vec::new());
        for (i, (value, look)) in series.iter().enumerate() {
            let rows = selected.of_series(&rows, value);
            let curves: Vec<_> = rows.into_iter().filter_map(curve).collect();
            if curves.is_empty() {
                continue;
            }
            drawn.counted(i, curves.len());
            if spec.units == Some(true) && curves.len() > 1 {
                let colour = look.1.mix(style::PAPER, 0.55);
                let line = |curve: &Vec<(f64, f64)>| Series {
                    width: 0.9,
                    ..Series::line("", colour, curve.iter().copied())
                };
                thin.extend(curves.iter().map(line));
            }
            several |= curves.len() > 1;
            let whole =
                |curve: &Vec<(f64, f64)>| curve.iter().map(|at| (at.0 as u64, at.1)).collect();
            let line = match curves.as_slice() {
                [one] => one.clone(),
                all => geometric_mean(&all.iter().map(whole).collect::<Vec<_>>()),
            };
            thick.push(Series::line(look.0.clone(), look.1, line));
        }
        if thick.is_empty() {
            continue;
        }
        thin.extend(thick);
        panels.push(Panel::new(selected.panel_title(&value), steps(spec, at), losses(spec), thin));
    }
    let row = selected.words.house.row();
    if panels.is_empty() {
        let found = format!("no value: not every {row} is trained");
        return Err(Refusal::new("where", format!("rows with {at} and {LOSS}"), found));
    }
    let says = match several {
        true => format!("Geometric means over {row}s, each at its last loss once it has ended."),
        false => "Plain mean squared error.".into(),
    };
    let mut caption = vec![says];
    if spec.units == Some(true) {
        caption.push(format!("Thin lines: one {row}."));
    }
    Ok(Content::wide(panels, 0.62, 260.0).shared(true, true).told(drawn, caption))
}

/// The geometric mean of several loss curves, from where they begin on average, at the places (steps or
/// evaluations) of the one that ends last. Of each curve counts its last point up to there: one that ends early (its
/// run stopped or collapsed) stays at its last loss, one that begins late counts with its first.
pub fn geometric_mean(curves: &[Vec<(u64, f64)>]) -> Vec<(f64, f64)> {
    let curves: Vec<_> = curves.iter().filter(|curve| !curve.is_empty()).collect();
    let longest = curves.iter().max_by_key(|curve| curve.last().map(|point| point.0));
    let held = |curve: &[(u64, f64)], x: u64| {
        let up_to = curve.partition_point(|point| point.0 <= x);
        real::ln(curve[up_to.saturating_sub(1)].1.max(1e-12))
    };
    let begin = |curve: &&Vec<(u64, f64)>| curve[0].0;
    let begins = curves.iter().map(begin).sum::<u64>() / curves.len().max(1) as u64;
    let late = longest.map_or(0, begin);
    let before =
        curves.iter().flat_map(|curve| curve.iter().map(|point| point.0)).filter(|x| *x < late);
    let places = longest.into_iter().flat_map(|curve| curve.iter().map(|point| point.0));
    let places: BTreeSet<u64> =
        before.chain(places).filter(|x| *x >= begins).chain(longest.map(|_| begins)).collect();
    places
        .into_iter()
        .map(|x| {
            let sum: f64 = curves.iter().map(|curve| held(curve, x)).sum();
            (x as f64, real::exp(sum / curves.len() as f64))
        })
        .collect()
}
