//! The `[[figures]]` of the study's specs. Their `tags` say which figure of the paper and which claims they belong to,
//! and the contrasts whose numbers stand under them in the report, beside those that they draw.

use super::{DrawError, Drawing, Figure, Sources};
use crate::claims::StudySpec;
use picloom::figures::of_spec::{draw, of_spec, read_source, tables_of};
use picloom::figures::plot::{FigureSpec, Source};
use picloom::study::analysis::Analysis;
use picloom::study::record::ROWS;
use picloom::study::spec::read_analysis;
use std::path::Path;
use std::sync::Arc;

/// The study whose parts have the figures.
const STUDY: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/study.toml");

/// The figures of all parts, in their order.
///
/// # Errors
/// A spec cannot be read, or one of its figures cannot be drawn from any table.
pub(super) fn figures() -> Result<Vec<Figure>, String> {
    let study = Path::new(STUDY);
    let parts = StudySpec::read(study).map_err(|error| error.to_string())?.parts;
    let mut all = Vec::new();
    for part in parts {
        let path = study.with_file_name(part);
        let spec = Arc::new(read_analysis(&path).map_err(|error| error.to_string())?);
        let figures = of_spec(&spec).map_err(|error| error.within(path.display()).to_string())?;
        all.extend(figures.into_iter().map(|figure| row(figure, spec.clone())));
    }
    Ok(all)
}

fn row(figure: FigureSpec, spec: Arc<Analysis>) -> Figure {
    let studies = tables_of(&figure, &spec);
    let tag = |name: &str| stays(figure.tags.get(name).map_or("–", String::as_str));
    Figure {
        name: stays(&figure.name),
        studies: studies.iter().map(|study| stays(study)).collect::<Vec<_>>().leak(),
        shows: stays(&figure.says),
        paper: tag("paper"),
        claims: tag("claims"),
        draw: Box::new(move |sources| drawn(sources, &figure, &spec, &studies)),
    }
}

/// The table of figures is made once and lives as long as the program.
fn stays(text: &str) -> &'static str {
    text.to_string().leak()
}

fn drawn(
    sources: &Sources,
    figure: &FigureSpec,
    spec: &Analysis,
    studies: &[String],
) -> Result<Drawing, DrawError> {
    let mut tables = Vec::new();
    for study in studies {
        let read = |folder: &Path| read_source(&folder.join(ROWS));
        tables.push(Source::clone(&*sources.read(study, read)?));
    }
    let drawing = draw(figure, &tables, &spec.contrasts).map_err(|refusal| DrawError::Nothing {
        study: spec.study.clone(),
        expected: format!("{} for {}", refusal.expected, refusal.at),
    })?;
    let beside = figure.tags.get("contrasts").into_iter().flat_map(|ids| ids.split_whitespace());
    let contrasts: Vec<&str> = figure.contrasts.iter().map(String::as_str).chain(beside).collect();
    Ok(Drawing { svg: drawing.svg, says: sources.said(&spec.study, &contrasts).join("; ") })
}
