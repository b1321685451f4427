//! The figures of a spec, drawn from the results of the studies that they name.

use super::effects::{Effects, own_ways};
use super::style::{house, number};
use crate::base::refusal::Refusal;
use crate::base::table::Table;
use crate::study::analysis::Analysis;
use crate::study::contrast::{ContrastSpec, Tables};
use crate::study::record::{Head, ROWS, STUDY};
use picloom_plot::{Drawing, FigureSpec, Kind, Source};
use std::path::Path;

/// The figures of a spec, each laid over the spec's `figure_defaults`.
///
/// # Errors
/// A figure has a key that its kind does not use, or a value that cannot be drawn.
pub fn of_spec(spec: &Analysis) -> Result<Vec<FigureSpec>, Refusal> {
    let figure = |own: &toml::Table| {
        let mut laid = spec.figure_defaults.clone();
        // A default that the kind has no use for is left out; a key of the figure's own is refused.
        let kind = own.get("kind").or(laid.get("kind")).and_then(toml::Value::as_str);
        if let Some(kind) = kind.and_then(|kind| kind.parse::<Kind>().ok()) {
            laid.retain(|key, _| kind.keys().any(|known| known == key));
        }
        laid.extend(own.clone());
        let name = laid.get("name").and_then(toml::Value::as_str).unwrap_or_default().to_string();
        let figure: FigureSpec = laid.try_into().map_err(|e: toml::de::Error| {
            Refusal::new(format!("figure {name}"), "the keys of a figure", e.message().to_string())
        })?;
        figure.check()?;
        own_ways(&figure)?;
        let known = |id: &String| spec.contrasts.iter().any(|contrast| contrast.is_called(id));
        if let Some(id) = figure.contrasts.iter().find(|id| !known(id)) {
            let mut ids: Vec<&str> = spec.contrasts.iter().map(|c| c.base_id()).collect();
            ids.dedup();
            let expected = format!("ids of [[contrasts]]: {}", ids.join(", "));
            return Err(Refusal::new(
                format!("figure {name}: contrasts"),
                expected,
                format!("{id:?}"),
            ));
        }
        Ok(figure)
    };
    spec.figures.iter().map(figure).collect()
}

/// The studies whose tables a figure of a spec is drawn from.
pub fn tables_of(figure: &FigureSpec, spec: &Analysis) -> Vec<String> {
    let mut studies = figure.tables.clone();
    if studies.is_empty() && figure.kind == Kind::Forest {
        let ids = &figure.contrasts;
        let mut drawn = spec
            .contrasts
            .iter()
            .filter(|c| ids.is_empty() || ids.iter().any(|id| c.is_called(id)));
        studies = drawn.next().map(|contrast| contrast.tables.clone()).unwrap_or_default();
    }
    if studies.is_empty() {
        studies = vec![spec.study.clone()];
    }
    studies
}

/// Draws a figure of a spec.
///
/// # Errors
/// A study has no result, or the figure cannot be drawn from it.
pub(crate) fn draw_of_study(
    figure: &FigureSpec,
    spec: &Analysis,
    tables: &Tables,
) -> Result<Drawing, Refusal> {
    let mut sources = Vec::new();
    for study in tables_of(figure, spec) {
        let folder = tables.folder(&study).ok_or_else(|| {
            Refusal::new(format!("figure {}: tables", figure.name), "a study with a result", &study)
        })?;
        sources.push(read_source(&folder.join(ROWS))?);
    }
    draw(figure, &sources, &spec.contrasts)
}

/// Draws a figure of the rows of all tables and a spec's contrasts, in the house style.
///
/// # Errors
/// As [`picloom_plot::draw`].
pub fn draw(
    figure: &FigureSpec,
    tables: &[Source],
    contrasts: &[ContrastSpec],
) -> Result<Drawing, Refusal> {
    picloom_plot::draw(figure, tables, &house(), &Effects(contrasts))
}

/// Refuses labels and colours of a person's own figure that name nothing in the tables.
///
/// # Errors
/// As [`picloom_plot::check_labels`].
pub fn check_labels(
    figure: &FigureSpec,
    tables: &[Source],
    contrasts: &[ContrastSpec],
) -> Result<(), Refusal> {
    picloom_plot::check_labels(figure, tables, &house(), &Effects(contrasts))
}

/// Reads `rows.csv` or `rows.csv.gz`, with what `study.json` beside it says of it.
///
/// # Errors
/// The file is no table.
pub fn read_source(path: &Path) -> Result<Source, Refusal> {
    let folder = path.parent().unwrap_or(Path::new("")).to_path_buf();
    let table = Table::read(path)?;
    let facts = Head::read(&folder.join(STUDY)).map(|head| facts(&head, &table));
    Ok(Source { table, folder, facts: facts.unwrap_or_default() })
}

/// `64² pixels, 20 000 steps, 3 seeds, judge dl/4, profile standard`, as far as it is known.
fn facts(head: &Head, table: &Table) -> String {
    let count = |key: &str| head.fields.get(key).and_then(serde_json::Value::as_f64);
    let text = |key: &str| head.fields.get(key).and_then(serde_json::Value::as_str);
    let seeds =
        table.get("seed").map(|column| column.distinct().filter(|seed| !seed.is_empty()).count());
    let plural =
        |n: f64, one: &str| format!("{} {one}{}", number(n, 6), if n == 1.0 { "" } else { "s" });
    let facts = [
        count("size").map(|size| format!("{size}² pixels")),
        count("steps").map(|steps| plural(steps, "step")),
        seeds.filter(|n| *n > 0).map(|n| plural(n as f64, "seed")),
        count("sample").map(|n| format!("{} changed in each network", plural(n, "weight"))),
        text("judge")
            .map(|judge| format!("judge {}", judge.split(" fitted").next().unwrap_or(judge))),
        text("profile").map(|profile| format!("profile {profile}")),
    ];
    facts.into_iter().flatten().collect::<Vec<_>>().join(", ")
}
