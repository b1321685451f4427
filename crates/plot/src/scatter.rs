//! Two numbers of each network, unit or group against each other.

use super::data::Selected;
use super::dots::rules;
use super::drawing::{Content, Drawn};
use super::spec::{ROW, Which};
use crate::charts::{Panel, Point, Series, Spread};
use crate::style;
use picloom_base::refusal::Refusal;
use std::collections::BTreeMap;

pub(super) fn draw(selected: &Selected<'_>) -> Result<Content, Refusal> {
    let spec = selected.spec;
    let (x, y) = (spec.x.as_ref().expect("checked"), spec.y.as_ref().expect("checked"));
    selected.needs_numbers("x", x)?;
    selected.needs_numbers("y", y)?;
    let unit = selected.unit(if spec.by.is_some() { "target" } else { ROW })?;
    let by = spec.by.as_deref().or(unit.map(|unit| unit.name()));
    let series = selected.series();
    let (mut drawn, mut panels) = (Drawn::of(&series), Vec::new());
    let mut hollow = false;
    for (value, rows) in selected.panels() {
        let (mut clouds, mut joined) = (Vec::new(), BTreeMap::<String, Vec<(f64, f64)>>::new());
        for (i, (value, (name, colour, marker))) in series.iter().enumerate() {
            let rows = selected.of_series(&rows, value);
            let groups: Vec<(String, Vec<usize>)> = match by {
                None => rows.iter().map(|row| (String::new(), vec![*row])).collect(),
                Some(by) => {
                    let of = |(value, rows): (String, _)| (selected.words.label(by, &value), rows);
                    selected.parted(&rows, by).into_iter().map(of).collect()
                }
            };
            let mut points = Vec::new();
            for (label, rows) in groups {
                let (rows, is_faint) = selected.of_mark(&rows);
                let found = [x, y].map(|measure| selected.summary(&rows, measure, unit));
                let [Some(x), Some(y)] = found else { continue };
                drawn.count(i, &y);
                let mut point = Point::new(x.mean, y.mean);
                if spec.by.is_some() && spec.interval != Some(Spread::None) {
                    (point.x_interval, point.y_interval) = (x.interval, y.interval);
                }
                joined.entry(label.clone()).or_default().push((point.x, point.y));
                if spec.names {
                    point.label = label;
                }
                hollow |= is_faint;
                points.push(point.hollow(is_faint));
            }
            // Those that count lie over those that do not.
            points.sort_by_key(|point| !point.hollow);
            let diameter = if points.len() > 80 { 5.0 } else { 8.0 };
            let cloud = Series::cloud(name.clone(), *colour, *marker, points);
            clouds.push(Series { diameter, ..cloud });
        }
        if spec.join && by.is_some() {
            let line = |points| Series { width: 1.4, ..Series::line("", style::SILVER, points) };
            clouds = joined.into_values().map(line).chain(clouds).collect();
        }
        panels.push(Panel {
            title: selected.panel_title(&value),
            x: selected.words.axis(x, Which::X),
            y: selected.words.axis(y, Which::Y),
            series: clouds,
            y_rules: rules(&spec.reference),
            diagonal: spec.diagonal,
            ..Panel::default()
        });
    }
    let each = by.map_or(selected.words.house.row().into(), |by| selected.words.column(by));
    let mut caption = match (&spec.by, unit) {
        (Some(_), unit) => drawn.mean_of(selected, y, unit.map(|unit| unit.name())),
        (None, Some(_)) => vec!["Means within each.".to_string()],
        (None, None) => Vec::new(),
    };
    caption.insert(0, format!("One mark for each {each}."));
    caption.extend(drawn.left_out(selected, &[x, y]));
    if spec.join {
        caption.push(format!("Lines join the marks of one {each}."));
    }
    caption.extend(selected.hollow(hollow));
    let ratio = if spec.diagonal { 1.0 } else { 0.7 };
    Ok(Content::wide(panels, ratio, 260.0).shared(true, true).told(drawn, caption))
}
