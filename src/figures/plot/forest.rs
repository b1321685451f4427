//! Contrasts: the estimate and the interval on each basis, the margin shaded.

use super::drawing::{Content, Drawn};
use super::spec::FigureSpec;
use super::words::Words;
use crate::base::names::did_you_mean;
use crate::base::refusal::Refusal;
use crate::figures::axis::Axis;
use crate::figures::charts::{Dots, Group, Look, Panel, Point, Rule};
use crate::figures::style::{self, Marker};
use crate::study::contrast::{Basis, ContrastSpec, Found, Mean, contrast};
use crate::study::table::{Filter, Table};

/// The contrasts of these ids, in their order; all without ids. The id of one with `each` names all that it stands for.
///
/// # Errors
/// There is none of an id, or none at all.
pub(super) fn chosen<'a>(
    all: &'a [ContrastSpec],
    ids: &[String],
) -> Result<Vec<&'a ContrastSpec>, Refusal> {
    let mut names: Vec<&str> = all.iter().map(ContrastSpec::base_id).collect();
    names.dedup();
    let expected = match names.as_slice() {
        [] => "ids of [[contrasts]] of the spec, which has none".to_string(),
        names => format!("ids of [[contrasts]]: {}", names.join(", ")),
    };
    if all.is_empty() {
        return Err(Refusal::new("contrasts", expected, format!("{ids:?}")));
    }
    if ids.is_empty() {
        return Ok(all.iter().collect());
    }
    let mut chosen = Vec::new();
    for id in ids {
        let before = chosen.len();
        chosen.extend(all.iter().filter(|one| one.is_called(id)));
        if chosen.len() == before {
            let found = format!("{id:?}{}", did_you_mean(id, names.iter().copied()));
            return Err(Refusal::new("contrasts", expected, found));
        }
    }
    Ok(chosen)
}

/// `score, SP − random`.
pub(super) fn title(words: &Words<'_>, compared: &ContrastSpec) -> String {
    let of = words.measure(&compared.of);
    let arms = |group: &Filter| group.values("arm").map(|arms| words.arms(&arms.join("|")));
    let groups: Option<Vec<String>> = compared.between.iter().take(2).map(arms).collect();
    match groups.as_deref() {
        Some([a, b]) if a != b => format!("{of}, {a} − {b}"),
        _ => effect_of(words, compared),
    }
}

/// The effect that a contrast measures: rows with the same one share an axis.
fn effect_of(words: &Words<'_>, compared: &ContrastSpec) -> String {
    let of = words.measure(&compared.of);
    match (&compared.on, compared.between.len()) {
        (Some(on), _) if matches!(compared.mean, Mean::Spearman | Mean::Ranks) => {
            format!("correlation with {}", words.measure(on))
        }
        (Some(on), _) => format!("slope of {of} on {}", words.measure(on)),
        _ if !compared.scale.is_empty() => "difference in standard deviations".into(),
        (None, 1) => of,
        (None, _) => format!("difference of {of}"),
    }
}

/// How a contrast compares, in a sentence.
pub(super) fn basis_of(compared: &ContrastSpec) -> String {
    let basis = compared.basis.first().map(Basis::says).unwrap_or_default();
    format!(
        "Difference paired by {}; {basis}; mean over {}.",
        compared.pair.join(", "),
        compared.unit
    )
}

/// `sp − imp, level=2` with the labels of the arms.
fn pair(words: &Words<'_>, name: &str) -> String {
    let group = |group: &str| match group.split_once(", ") {
        Some((arms, rest)) => format!("{}, {rest}", words.arms(arms)),
        None => words.arms(group),
    };
    name.split(" − ").map(group).collect::<Vec<_>>().join(" − ")
}

/// The name of a row: the label of its contrast, the value of `by`, the groups; an empty label
/// leaves out the id.
fn called(words: &Words<'_>, one: &ContrastSpec, name: &str, rows: usize, several: bool) -> String {
    let label = words.0.labels.get(&one.id).map(String::as_str);
    if let (Some(label), 1) = (label.filter(|label| !label.is_empty()), rows) {
        return label.to_string();
    }
    let (value, groups) = match (&one.by, name.split_once(": ")) {
        (Some(by), Some((value, groups))) => (Some(words.label(by, value)), groups),
        _ => (None, name),
    };
    // Of one question of several numbers, the number.
    if one.base_id() != one.id && (rows == 1 || one.on.is_some()) {
        let number = words.measure(&one.of);
        let id = words.0.labels.get(one.base_id()).map_or(one.base_id(), String::as_str);
        let number = match several && !id.is_empty() {
            true => format!("{id}: {number}"),
            false => number,
        };
        return value.map_or(number.clone(), |value| format!("{number}, {value}"));
    }
    let id = label.or(several.then_some(one.id.as_str())).unwrap_or_default();
    // A label stands for the groups where another word tells the rows apart.
    let groups = match (label, &value) {
        (Some(_), Some(_)) => String::new(),
        _ => pair(words, groups),
    };
    let parts = [id.to_string(), value.unwrap_or_default(), groups];
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(": ")
}

pub(super) fn draw(
    spec: &FigureSpec,
    table: &Table,
    contrasts: &[ContrastSpec],
) -> Result<Content, Refusal> {
    let words = Words(spec);
    let mut found: Vec<(&ContrastSpec, Vec<Found>)> = Vec::new();
    for one in chosen(contrasts, &spec.contrasts)? {
        let mut within = ContrastSpec { rows: spec.rows.over(&one.rows), ..one.clone() };
        if !spec.bases.is_empty() {
            within.basis.clone_from(&spec.bases);
        }
        within.mean = spec.mean.unwrap_or(within.mean);
        found.push((one, contrast(table, &within)?));
    }
    let mut bases: Vec<Basis> = Vec::new();
    for basis in found.iter().flat_map(|f| &f.1).map(|found| &found.basis) {
        if !bases.contains(basis) {
            bases.push(basis.clone());
        }
    }
    let looks: Vec<(Option<String>, Look)> = (bases.iter().enumerate())
        .map(|(i, basis)| {
            let says = basis.to_string();
            let label = spec.labels.get(&says).cloned().unwrap_or_else(|| basis.says());
            let own = spec.colours.get(&says).map(|hex| hex.0);
            // The first decides; grey stands beside it.
            let colour = match i {
                0 => style::colour(0),
                1 => style::GREY,
                i => style::colour(i),
            };
            let marker = [Marker::Circle, Marker::Diamond, Marker::Square, Marker::Triangle][i % 4];
            (Some(says), (label, own.unwrap_or(colour), marker))
        })
        .collect();
    let mut drawn = Drawn::of(&looks);
    let axis = |one: &ContrastSpec| effect_of(&words, one);
    let mut axes: Vec<String> = Vec::new();
    for (one, _) in &found {
        if !axes.contains(&axis(one)) {
            axes.push(axis(one));
        }
    }
    let several = found.iter().any(|(one, _)| one.base_id() != found[0].0.base_id());
    let decimals = spec.decimals.unwrap_or(2);
    let (mut panels, mut most, mut margins) = (Vec::new(), 0, Vec::new());
    for title in &axes {
        let (mut groups, mut shades) = (Vec::new(), Vec::new());
        for (one, found) in found.iter().filter(|(one, _)| axis(one) == *title) {
            let mut names: Vec<&str> = Vec::new();
            for name in found.iter().map(|found| found.name.as_str()) {
                if !names.contains(&name) {
                    names.push(name);
                }
            }
            for name in &names {
                let of = |basis: &Basis| {
                    let found = found.iter().find(|f| f.name == *name && f.basis == *basis)?;
                    let mut estimate = Point::value(found.estimate?);
                    estimate.y_interval = found.low.zip(found.high);
                    estimate.label = match estimate.y_interval {
                        Some((low, high)) => style::interval(estimate.y, low, high, decimals),
                        None => style::fixed(estimate.y, decimals),
                    };
                    if spec.units == Some(true) && found.units.len() > 1 {
                        estimate = estimate.seeds(found.units.iter().map(|unit| unit.value));
                    }
                    Some((estimate, found.units.len()))
                };
                let estimates: Vec<_> = bases.iter().map(of).collect();
                for (i, (_, units)) in
                    estimates.iter().enumerate().filter_map(|(i, e)| Some((i, e.as_ref()?)))
                {
                    drawn.counted(i, *units);
                }
                let label = called(&words, one, name, names.len(), several);
                groups.push(Group {
                    name: label,
                    estimates: estimates.into_iter().map(|e| e.map(|e| e.0)).collect(),
                });
                shades.push(Some((-one.margin, one.margin)).filter(|_| one.margin > 0.0));
                margins.push(one.margin);
            }
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
        caption.push(format!("Compared: {}.", basis.says()));
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
