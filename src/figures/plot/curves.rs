//! Loss curves: the networks of a series as one line, their geometric mean.

use super::data::Selected;
use super::drawing::{Content, Drawing, Drawn};
use super::spec::{FigureSpec, Which};
use crate::base::names::did_you_mean;
use crate::base::refusal::Refusal;
use crate::figures::axis::Axis;
use crate::figures::charts::{Panel, Series};
use crate::figures::losses::{LossCurve, geometric_mean};
use crate::figures::style;
use crate::study::table::Measure;

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
    let curve = |row: usize| -> Option<Vec<(u64, f64)>> {
        let [at, loss]: [Vec<f64>; 2] = [places, losses_of]
            .map(|column| serde_json::from_str(column.text(row)).unwrap_or_default());
        let points = at.iter().map(|at| *at as u64).zip(loss);
        let points: Vec<(u64, f64)> = points.filter(|point| point.1 > 0.0).collect();
        (!points.is_empty()).then_some(points)
    };
    let series = selected.series();
    let (mut drawn, mut panels) = (Drawn::of(&series), Vec::new());
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
                let line = |curve: &Vec<(u64, f64)>| {
                    let points = curve.iter().map(|&(x, y)| (x as f64, y));
                    Series { width: 0.9, ..Series::line("", colour, points) }
                };
                thin.extend(curves.iter().map(line));
            }
            thick.push(Series::line(look.0.clone(), look.1, geometric_mean(&curves)));
        }
        if thick.is_empty() {
            continue;
        }
        thin.extend(thick);
        panels.push(Panel::new(selected.panel_title(&value), steps(spec, at), losses(spec), thin));
    }
    if panels.is_empty() {
        let found = "no value: an evolved network is not trained";
        return Err(Refusal::new("where", format!("rows with {at} and {LOSS}"), found));
    }
    let mut caption =
        vec!["Geometric means over networks, each at its last loss once it has ended.".to_string()];
    if spec.units == Some(true) {
        caption.push("Thin lines: one network.".into());
    }
    Ok(Content::wide(panels, 0.62, 260.0).shared(true, true).told(drawn, caption))
}

/// The name of a run's folder, its middle left out if it is long.
fn brief(name: &str) -> String {
    let letters: Vec<char> = name.chars().collect();
    match letters.len() {
        0..=48 => name.to_string(),
        count => letters[..30].iter().chain(&['…']).chain(&letters[count - 17..]).collect(),
    }
}

/// Draws curves of runs as a figure of this size and these words; their names may be given others by `labels`.
///
/// # Errors
/// A value of the spec is outside its range, a label names no curve, or the width is too small for the text.
pub fn draw_losses(spec: &FigureSpec, curves: &[LossCurve]) -> Result<Drawing, Refusal> {
    spec.check()?;
    super::drawing::check_width(spec)?;
    let names = || curves.iter().map(|curve| curve.name.as_str());
    let keys = spec.labels.keys().chain(spec.colours.keys()).chain(&spec.order);
    if let Some(key) = keys.into_iter().find(|key| names().all(|name| name != key.as_str())) {
        let expected = format!("names of curves: {}", names().collect::<Vec<_>>().join(", "));
        let found = format!("{key:?}{}", did_you_mean(key, names()));
        return Err(Refusal::new("labels", expected, found));
    }
    let mut order: Vec<&LossCurve> = curves.iter().collect();
    let place = |curve: &LossCurve| spec.order.iter().position(|name| *name == curve.name);
    order.sort_by_key(|curve| place(curve).unwrap_or(usize::MAX));
    let line = |curve: &&LossCurve| {
        let name = spec.labels.get(&curve.name).cloned().unwrap_or_else(|| brief(&curve.name));
        let colour = spec.colours.get(&curve.name).map_or(curve.colour, |hex| hex.0);
        Series::line(name, colour, curve.points.iter().copied())
    };
    let lines = order.iter().map(line).collect();
    let panel = Panel::new("", steps(spec, STEP), losses(spec), lines);
    let caption = "Plain mean squared error; geometric means of neighbouring logged steps.";
    super::drawing::whole(spec, |spec| {
        let content = Content::wide(vec![panel.clone()], 0.62, 260.0);
        content.told(Drawn::of(&[]), vec![caption.into()]).finish(spec, "")
    })
}
