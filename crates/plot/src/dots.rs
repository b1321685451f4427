//! Dots over categories: one for each unit, the mean and its interval.

use super::data::Selected;
use super::drawing::{Content, Drawn};
use super::spec::Which;
use crate::charts::{Dots, Group, Point, Rule, Spread};
use crate::style::{self, Colour};
use picloom_base::refusal::Refusal;

pub(super) fn draw(selected: &Selected<'_>) -> Result<Content, Refusal> {
    let spec = selected.spec;
    let x = Selected::category("x", &spec.x)?;
    let y = spec.y.as_ref().expect("checked: dots need it");
    selected.needs_numbers("y", y)?;
    let unit = selected.unit("target")?;
    let series = selected.series();
    let (mut drawn, mut panels) = (Drawn::of(&series), Vec::new());
    let mut most = 0;
    // The same categories in every panel, so that they can be compared.
    let categories = selected.values(x, &selected.rows);
    // Each arm has a colour of its own; other categories only if the spec gives them one.
    let colours: Vec<Option<Colour>> = match x {
        "arm" => {
            selected.words.looks(x, &categories).into_iter().map(|look| Some(look.1)).collect()
        }
        _ => categories.iter().map(|value| selected.words.colour(x, value)).collect(),
    };
    let (mut hollow, mut partly) = (false, false);
    for (value, rows) in selected.panels() {
        let mut groups = Vec::new();
        for (place, category) in categories.iter().enumerate() {
            let of_category = selected.with(&rows, x, category);
            let mut estimates = Vec::new();
            for (i, (value, _)) in series.iter().enumerate() {
                let all = selected.of_series(&of_category, value);
                let (rows, faint) = selected.of_mark(&all);
                let Some(found) = selected.summary(&rows, y, unit) else {
                    estimates.push(None);
                    continue;
                };
                drawn.count(i, &found);
                hollow |= faint;
                let mut estimate = Point::value(found.mean).hollow(faint);
                if spec.interval != Some(Spread::None) && !faint {
                    estimate.y_interval = found.interval;
                }
                if rows.len() < all.len() {
                    partly = true;
                    estimate.label = format!("{}/{}", rows.len(), all.len());
                }
                if spec.units.unwrap_or(true) && found.units.len() > 1 {
                    estimate = estimate.seeds(found.units.iter().map(|unit| unit.1));
                }
                if spec.series.is_none() {
                    estimate.colour = colours[place];
                }
                estimates.push(Some(estimate));
            }
            let name = match spec.horizontal && spec.panel.is_none() {
                true => selected.words.label(x, category),
                false => selected.words.short(x, category),
            };
            groups.push(Group { name, estimates });
        }
        if !spec.overall.is_empty() {
            let estimates = series.iter().map(|(value, _)| {
                let rows = selected.counting(&selected.of_series(&rows, value));
                let found = selected.summary(&rows, y, selected.table.get(x))?;
                let mean = Point { y_interval: found.interval, ..Point::value(found.mean) };
                let bare = found.interval.is_none() && found.units.len() > 1;
                Some(if bare { mean.seeds(found.units.iter().map(|unit| unit.1)) } else { mean })
            });
            groups.push(Group { name: spec.overall.clone(), estimates: estimates.collect() });
        }
        most = most.max(groups.len());
        let which = if spec.horizontal { Which::X } else { Which::Y };
        let category = match spec.horizontal {
            true => &spec.y_label,
            false => &spec.x_label,
        };
        let mut axis = selected.words.axis(y, which);
        if let Some([low, high]) = spec.y_range {
            axis = axis.range(low, high);
        }
        if spec.log.contains(&Which::Y) {
            axis = axis.log();
        }
        let dots = Dots {
            title: selected.panel_title(&value),
            value: axis,
            category: category.clone().unwrap_or_else(|| selected.words.category(x)),
            series: series.iter().map(|s| s.1.clone()).collect(),
            groups,
            lying: spec.horizontal,
            rules: rules(&spec.reference),
            ..Dots::default()
        };
        panels.push(dots.panel());
    }
    let (members, most) = (series.len() as f64, most as f64);
    let content = match spec.horizontal {
        true => Content::tall(panels, most * (10.0 + 16.0 * members), 330.0),
        false => Content::wide(panels, 0.58, (most * (24.0 + 26.0 * members)).clamp(150.0, 420.0)),
    };
    let mut caption = drawn.mean_of(selected, y, unit.map(|unit| unit.name()));
    if spec.units.unwrap_or(true) && drawn.several() {
        caption.insert(1, drawn.small_dots(selected, unit.map(|unit| unit.name())));
    }
    if !spec.overall.is_empty() {
        let over = selected.words.column(x);
        caption.push(format!(
            "“{}”: over all {over}s, with a 95\u{a0}% interval over them.",
            spec.overall
        ));
    }
    if partly {
        caption.push(format!("n/m: n of m {}s count.", selected.words.house.row()));
    }
    caption.extend(selected.hollow(hollow));
    Ok(content.shared(spec.horizontal, !spec.horizontal).told(drawn, caption))
}

/// Dashed lines without words.
pub(super) fn rules(at: &[f64]) -> Vec<Rule> {
    at.iter().map(|at| Rule::new(*at, "").coloured(style::GREY)).collect()
}
