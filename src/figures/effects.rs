//! The contrasts of a spec as effects that a figure shows.

use crate::base::names::did_you_mean;
use crate::base::refusal::Refusal;
use crate::base::table::{Filter, Table};
use crate::study::contrast::{Basis, ContrastSpec, Found, Mean, Verdict, contrast};
use picloom_plot::{Contrasts, Effect, Estimate, FigureSpec, Kind, Words};

/// The contrasts of a spec.
pub(super) struct Effects<'a>(pub(super) &'a [ContrastSpec]);

impl Contrasts for Effects<'_> {
    fn names(&self) -> Vec<String> {
        let ids = self.0.iter().flat_map(|one| [one.id.clone(), one.base_id().to_string()]);
        ids.chain(self.0.iter().flat_map(|one| &one.basis).map(Basis::to_string)).collect()
    }

    fn effects(
        &self,
        words: &Words<'_>,
        table: &Table,
        rows: &Filter,
    ) -> Result<Vec<Effect>, Refusal> {
        let spec = words.spec;
        let (bases, mean) = own_ways(spec)?;
        let mut asked = chosen(self.0, &spec.contrasts)?;
        let is_cell = spec.kind == Kind::Heatmap;
        if is_cell {
            asked.truncate(1);
        }
        let several = asked.iter().any(|one| one.base_id() != asked[0].base_id());
        let mut effects = Vec::new();
        for one in asked {
            let mut within = ContrastSpec { rows: rows.over(&one.rows), ..one.clone() };
            if !bases.is_empty() {
                within.basis.clone_from(&bases);
            }
            if is_cell {
                within.basis.truncate(1);
            }
            within.mean = mean.unwrap_or(within.mean);
            let found = contrast(table, &within)?;
            let mut names: Vec<&str> = Vec::new();
            for name in found.iter().map(|found| found.name.as_str()) {
                if !names.contains(&name) {
                    names.push(name);
                }
            }
            effects.extend(names.iter().map(|name| Effect {
                contrast: one.base_id().to_string(),
                number: words.measure(&one.of),
                axis: if is_cell { title(words, one) } else { effect_of(words, one) },
                name: called(words, one, name, names.len(), several),
                how: basis_of(one),
                unit: one.unit.clone(),
                margin: one.margin,
                estimates: found.iter().filter(|found| found.name == *name).map(estimate).collect(),
            }));
        }
        Ok(effects)
    }
}

/// How a figure wants its contrasts compared and averaged, where it says so.
///
/// # Errors
/// It names no basis, or no mean, that there is.
pub(super) fn own_ways(spec: &FigureSpec) -> Result<(Vec<Basis>, Option<Mean>), Refusal> {
    let bases = spec.bases.iter().map(|basis| basis.parse()).collect::<Result<_, Refusal>>()?;
    let mean = spec.mean.as_ref().map(|mean| {
        let expected = "mixed, student, spearman or ranks";
        serde_json::from_value(mean.as_str().into())
            .map_err(|_| Refusal::new("mean", expected, format!("{mean:?}")))
    });
    Ok((bases, mean.transpose()?))
}

fn estimate(found: &Found) -> Estimate {
    Estimate {
        basis: found.basis.to_string(),
        says: found.basis.says(),
        value: found.estimate,
        interval: found.low.zip(found.high),
        units: found.units.iter().map(|unit| unit.value).collect(),
        supported: found.verdict == Verdict::Supported,
    }
}

/// The contrasts of these ids, in their order; all without ids. The id of one with `each` names all that it stands for.
///
/// # Errors
/// There is none of an id, or none at all.
fn chosen<'a>(all: &'a [ContrastSpec], ids: &[String]) -> Result<Vec<&'a ContrastSpec>, Refusal> {
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
fn title(words: &Words<'_>, compared: &ContrastSpec) -> String {
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
fn basis_of(compared: &ContrastSpec) -> String {
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
    let label = words.spec.labels.get(&one.id).map(String::as_str);
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
        let id = words.spec.labels.get(one.base_id()).map_or(one.base_id(), String::as_str);
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
