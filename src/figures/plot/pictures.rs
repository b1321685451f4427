//! A sheet of picture files in rows and columns, with a label for each.

use super::data::Selected;
use super::drawing::{Drawing, DrawnSeries, below, in_mm, pixels_of};
use super::source::Source;
use super::spec::FigureSpec;
use crate::figures::fonts::{text_width, wrapped};
use crate::figures::page::{LINE, NOTE, Page, TITLE};
use crate::figures::style::{self, size};
use crate::figures::svg::Anchor;
use crate::math::refusal::Refusal;
use crate::network::files::read_plain;
use std::path::{Path, PathBuf};

const MARGIN: f64 = 12.0;
const GAP: f64 = 8.0;

/// Pictures in rows, with their labels.
struct Board {
    heads: Vec<String>,
    rows: Vec<(String, Vec<Option<PathBuf>>)>,
}

/// One picture for each value of `y` and `x`: that of the first row of the table.
pub(super) fn draw(selected: &Selected<'_>, tables: &[Source]) -> Result<Drawing, Refusal> {
    let spec = selected.spec;
    let column = selected.table.column(spec.picture.as_deref().expect("checked"))?;
    let rows = selected.rows.iter().copied().filter(|row| !column.text(*row).is_empty());
    let rows: Vec<usize> = rows.collect();
    if rows.is_empty() {
        let expected = format!("paths of pictures in the column {}", column.name());
        return Err(Refusal::new("picture", expected, "none"));
    }
    let values = |name: Option<&str>| match name {
        None => vec![None],
        Some(name) => selected.values(name, &rows).into_iter().map(Some).collect::<Vec<_>>(),
    };
    let name = |key: &str, measure: &'_ Option<_>| match measure {
        None => Ok(None),
        Some(_) if key == "x" => Selected::category(key, &spec.x).map(Some),
        Some(_) => Selected::category(key, &spec.y).map(Some),
    };
    let (x, y) = (name("x", &spec.x)?, name("y", &spec.y)?);
    let with = |rows: &[usize], name: Option<&str>, value: &Option<String>| match (name, value) {
        (Some(name), Some(value)) => selected.with(rows, name, value),
        _ => rows.to_vec(),
    };
    let label = |name: Option<&str>, value: &Option<String>| match (name, value) {
        (Some(name), Some(value)) => selected.words.title(name, value),
        _ => String::new(),
    };
    // The tables stand one under the other.
    let path = |row: &usize| {
        let mut end = 0;
        let source = tables.iter().find(|source| {
            end += source.table.len();
            *row < end
        });
        let folder = source.map_or(Path::new(""), |source| &source.folder);
        folder.join(column.text(*row))
    };
    let columns = values(x);
    let rows = values(y).into_iter().map(|value| {
        let line = with(&rows, y, &value);
        // Without columns all pictures of a row stand side by side.
        let paths = match x {
            None => line.iter().map(|row| Some(path(row))).collect(),
            Some(_) => {
                columns.iter().map(|value| with(&line, x, value).first().map(path)).collect()
            }
        };
        (label(y, &value), paths)
    });
    let rows = rows.collect();
    let heads = match x {
        None => Vec::new(),
        Some(_) => columns.iter().map(|value| label(x, value)).collect(),
    };
    Board { heads, rows }.finish(spec)
}

/// The pictures that the spec lists.
pub(super) fn of_files(spec: &FigureSpec, tables: &[Source]) -> Result<Drawing, Refusal> {
    let folder = tables.first().map_or(Path::new(""), |source| &source.folder);
    let widest = spec.files.iter().map(Vec::len).max().unwrap_or(0);
    for (key, labels, most) in [
        ("row_labels", spec.row_labels.len(), spec.files.len()),
        ("column_labels", spec.column_labels.len(), widest),
    ] {
        if labels > most {
            return Err(Refusal::new(key, format!("at most {most}"), labels.to_string()));
        }
    }
    let path = |name: &String| (!name.is_empty()).then(|| folder.join(name));
    let rows = spec.files.iter().enumerate().map(|(i, files)| {
        let label = spec.row_labels.get(i).cloned().unwrap_or_default();
        (label, files.iter().map(path).collect())
    });
    Board { heads: spec.column_labels.clone(), rows: rows.collect() }.finish(spec)
}

impl Board {
    fn finish(self, spec: &FigureSpec) -> Result<Drawing, Refusal> {
        let width = pixels_of(spec, spec.width).round();
        let widest = self.rows.iter().map(|row| text_width(&row.0, size::TICK, true));
        let label = widest.fold(0.0, f64::max).min(0.3 * width);
        let left = MARGIN + if label > 0.0 { label + 10.0 } else { 0.0 };
        let columns = self.rows.iter().map(|row| row.1.len()).max().unwrap_or(1).max(1) as f64;
        let pane = (width - left - MARGIN - GAP * (columns - 1.0)) / columns;
        if pane < 8.0 {
            let expected = format!("pictures a row that fit into {} mm", spec.width);
            let advice = "make the figure wider, or choose fewer with `where`";
            return Err(Refusal::new("x", expected, columns.to_string()).advising(advice));
        }
        let mut page = Page::new(width, MARGIN);
        page.words(&spec.title, TITLE, 3);
        if !spec.title.is_empty() {
            page.y += 6.0;
        }
        // Heads on one or two lines, the last just above the pictures.
        let wrap = |head: &String| wrapped(head, NOTE.0, NOTE.1, pane + GAP - 3.0, 2);
        let heads: Vec<Vec<String>> = self.heads.iter().map(wrap).collect();
        let lines = heads.iter().map(Vec::len).max().unwrap_or(0);
        for (i, head) in heads.iter().enumerate() {
            let x = left + i as f64 * (pane + GAP) + pane / 2.0;
            for (k, line) in head.iter().enumerate() {
                let down = (lines - head.len() + k) as f64 * LINE * NOTE.0 + NOTE.0;
                page.text((x, page.y + down), line, NOTE, Anchor::Middle);
            }
        }
        if lines > 0 {
            page.y += lines as f64 * LINE * NOTE.0 + 4.0;
        }
        let mut marks = 0;
        for (name, paths) in &self.rows {
            let middle = page.y + pane / 2.0;
            page.row_label(middle, name, "", style::INK, label);
            for (i, path) in paths.iter().enumerate() {
                let at = (left + i as f64 * (pane + GAP), page.y);
                let Some(path) = path else {
                    page.fill(at, (pane, pane), style::BLANK);
                    continue;
                };
                let (bytes, [wide, high]) = read(path)?;
                // As large as fits into the square, in its middle.
                let scale = pane / wide.max(high);
                let size = (scale * wide, scale * high);
                let at = (at.0 + (pane - size.0) / 2.0, at.1 + (pane - size.1) / 2.0);
                page.svg.image(at, size, &bytes, scale > 1.0);
                marks += 1;
            }
            page.y += pane + GAP;
        }
        let note = below(spec, "");
        if !note.is_empty() {
            page.y += 2.0;
            page.words(&note, NOTE, 30);
        }
        let svg = page.finish(MARGIN - GAP + 2.0, &spec.title);
        let series = DrawnSeries { marks, networks: marks, ..DrawnSeries::default() };
        Ok(in_mm(spec, &svg, String::new(), 1, vec![series]))
    }
}

/// Bytes of a PNG of at most 64 MB, and its width and height in pixels.
fn read(path: &Path) -> Result<(Vec<u8>, [f64; 2]), Refusal> {
    const LARGEST: u64 = 64 << 20;
    let fail = |found: String| {
        let advice = "paths are relative to the folder of the table";
        Refusal::new(path.display(), "a PNG file", found).advising(advice)
    };
    let bytes = read_plain(path, LARGEST).map_err(|e| fail(e.to_string()))?;
    let decoder = png::Decoder::new(std::io::Cursor::new(&bytes));
    let reader = decoder.read_info().map_err(|e| fail(e.to_string()))?;
    let size = [reader.info().width, reader.info().height].map(f64::from);
    Ok((bytes, size))
}
