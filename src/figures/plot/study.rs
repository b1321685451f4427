//! The figures of a spec, drawn from the results of the studies that they name.

use super::{Drawing, FigureSpec, Kind, Source, draw};
use crate::base::refusal::Refusal;
use crate::study::analysis::Analysis;
use crate::study::contrast::Tables;
use crate::study::record::ROWS;

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
pub fn draw_of_study(
    figure: &FigureSpec,
    spec: &Analysis,
    tables: &Tables,
) -> Result<Drawing, Refusal> {
    let mut sources = Vec::new();
    for study in tables_of(figure, spec) {
        let folder = tables.folder(&study).ok_or_else(|| {
            Refusal::new(format!("figure {}: tables", figure.name), "a study with a result", &study)
        })?;
        sources.push(Source::read(&folder.join(ROWS))?);
    }
    draw(figure, &sources, &spec.contrasts)
}
