//! Contrasts: the estimate and the interval on each basis, the margin shaded.

use crate::axis::Axis;
use crate::charts::{Dots, Group, Look, Panel, Point, Rule};
use crate::drawing::{Content, Drawn};
use crate::effects::{Effect, Estimate};
use crate::spec::FigureSpec;
use crate::style::{self, Marker};
use picloom_base::refusal::Refusal;

pub(super) fn draw(spec: &FigureSpec, effects: &[Effect]) -> Result<Content, Refusal> {
    let mut bases: Vec<&Estimate> = Vec::new();
    for one in effects.iter().flat_map(|effect| &effect.estimates) {
        if bases.iter().all(|known| known.basis != one.basis) {
            bases.push(one);
        }
    }
    let looks: Vec<(Option<String>, Look)> = (bases.iter().enumerate())
        .map(|(i, Estimate { basis, says, .. })| {
            let label = spec.labels.get(basis).unwrap_or(says).clone();
            let own = spec.colours.get(basis).map(|hex| hex.0);
            // The first decides; grey stands beside it.
            let colour = match i {
                0 => style::colour(0),
                1 => style::GREY,
                i => style::colour(i),
            };
            let marker = [Marker::Circle, Marker::Diamond, Marker::Square, Marker::Triangle][i % 4];
            (Some(basis.clone()), (label, own.unwrap_or(colour), marker))
        })
        .collect();
    let mut drawn = Drawn::of(&looks);
    let mut axes: Vec<&str> = Vec::new();
    for effect in effects {
        if !axes.contains(&effect.axis.as_str()) {
            axes.push(&effect.axis);
        }
    }
    let decimals = spec.decimals.unwrap_or(2);
    let (mut panels, mut most) = (Vec::new(), 0);
    let mut margins: Vec<f64> = effects.iter().map(|effect| effect.margin).collect();
    for title in axes {
        let (mut groups, mut shades) = (Vec::new(), Vec::new());
        for effect in effects.iter().filter(|effect| effect.axis == title) {
            let of = |(i, basis): (usize, &&Estimate)| {
                let found = effect.estimates.iter().find(|one| one.basis == basis.basis)?;
                let mut estimate = Point::value(found.value?);
                estimate.y_interval = found.interval;
                estimate.label = match estimate.y_interval {
                    Some((low, high)) => style::interval(estimate.y, low, high, decimals),
                    None => style::fixed(estimate.y, decimals),
                };
                if spec.units == Some(true) && found.units.len() > 1 {
                    estimate = estimate.seeds(found.units.iter().copied());
                }
                drawn.counted(i, found.units.len());
                Some(estimate)
            };
            let estimates = bases.iter().enumerate().map(of).collect();
            groups.push(Group { name: effect.name.clone(), estimates });
            shades.push(Some((-effect.margin, effect.margin)).filter(|_| effect.margin > 0.0));
        }
        most = most.max(groups.len());
        panels.push(panel(spec, title, groups, shades, &looks));
    }
    if most == 0 {
        return Err(Refusal::new("contrasts", "at least one effect", "none"));
    }
    margins.dedup();
    let mut caption = vec!["Estimates with 95\u{a0}% intervals.".to_string()];
    if let [basis] = bases.as_slice() {
        caption.push(format!("Compared: {}.", basis.says));
    }
    match margins.as_slice() {
        [margin] => caption.push(format!("Shaded: ± the margin of {margin}.")),
        _ => caption.push("Shaded: ± the margin of each.".into()),
    }
    if spec.units == Some(true) {
        caption.push("Small dots: one unit.".into());
    }
    let height = most as f64 * (12.0 + 18.0 * bases.len().max(1) as f64);
    Ok(Content::tall(panels, height, 520.0).told(drawn, caption))
}

fn panel(
    spec: &FigureSpec,
    title: &str,
    groups: Vec<Group>,
    shades: Vec<Option<(f64, f64)>>,
    looks: &[(Option<String>, Look)],
) -> Panel {
    let margins = shades.iter().flatten().flat_map(|shade| [shade.0, shade.1]);
    let all = groups.iter().flat_map(|group| group.estimates.iter().flatten());
    let ends = all.flat_map(|e| {
        let (low, high) = e.y_interval.unwrap_or((e.y, e.y));
        [low, high, e.y].into_iter().chain(e.seeds.iter().copied())
    });
    let span = ends.chain(margins).chain([0.0]).filter(|v| v.is_finite());
    let (low, high) = span.fold((0.0f64, 0.0f64), |(a, b), v| (a.min(v), b.max(v)));
    let pad = 0.06 * (high - low).max(1e-9);
    let (low, high) = spec.x_range.map_or((low - pad, high + pad), |[low, high]| (low, high));
    let title = spec.x_label.clone().unwrap_or_else(|| title.to_string());
    let dots = Dots {
        value: Axis::new(title).range(low, high),
        series: looks.iter().map(|look| look.1.clone()).collect(),
        groups,
        lying: true,
        rules: vec![Rule::new(0.0, "").coloured(style::INK)],
        shades,
        texts_right: true,
        ..Dots::default()
    };
    dots.panel()
}
