//! A sheet of picture files in rows and columns, with a label for each, and numbers below each.

use super::data::Selected;
use super::drawing::{Drawing, DrawnSeries, below, in_mm, pixels_of};
use super::source::Source;
use super::spec::Group;
use super::words::Words;
use crate::facts;
use crate::fonts::{text_width, wrapped};
use crate::page::{CAPTION, LINE, NOTE, PLAIN, Page, SUBTITLE, TITLE};
use crate::style::{self, Colour, size};
use crate::svg::Anchor;
use picloom_base::files::read_plain;
use picloom_base::refusal::Refusal;
use picloom_base::table::{Column, Measure, Table};
use std::path::{Path, PathBuf};

const MARGIN: f64 = 12.0;
const GAP: f64 = 8.0;
/// Pictures in a row that have numbers below, unless the spec says otherwise.
const ACROSS: usize = 8;

/// A picture of a [`Board`].
struct Pane {
    file: Option<PathBuf>,
    /// Its own name, above it, where columns have none.
    name: String,
    /// The number of each group: text, and whether it counts.
    numbers: Vec<(String, bool)>,
}

impl Pane {
    fn of(file: Option<PathBuf>) -> Self {
        Pane { file, name: String::new(), numbers: Vec::new() }
    }
}

/// Pictures in rows, with their labels.
struct Board {
    heads: Vec<String>,
    rows: Vec<(String, Vec<Pane>)>,
    /// Groups that have a number below each picture.
    groups: Vec<(String, Colour)>,
}

/// The path of a row's picture: a column, or a text with names of columns in braces.
struct FileOf<'a>(Vec<(&'a str, Option<&'a Column>)>);

impl<'a> FileOf<'a> {
    fn of(table: &'a Table, picture: &'a str) -> Result<Self, Refusal> {
        if !picture.contains('{') {
            return Ok(FileOf(vec![("", Some(table.column(picture)?))]));
        }
        let parts = picture.split('{').enumerate().map(|(i, part)| match i {
            0 => Ok((part, None)),
            _ => {
                let (name, rest) = part.split_once('}').ok_or_else(|| {
                    Refusal::new(
                        "picture",
                        "a name of a column in {braces}",
                        format!("{picture:?}"),
                    )
                })?;
                Ok((rest, Some(table.column(name)?)))
            }
        });
        Ok(FileOf(parts.collect::<Result<_, Refusal>>()?))
    }

    fn text(&self, row: usize) -> String {
        let part = |(after, column): &(&str, Option<&Column>)| {
            column.map_or("", |column| column.text(row)).to_string() + after
        };
        self.0.iter().map(part).collect()
    }
}

/// One picture for each value of `y` and `x`: that of the first row of the table.
pub(super) fn draw(selected: &Selected<'_>, tables: &[Source]) -> Result<Drawing, Refusal> {
    let spec = selected.spec;
    let picture = spec.picture.as_deref().expect("checked");
    let file = FileOf::of(selected.table, picture)?;
    let rows = selected.rows.iter().copied().filter(|row| !file.text(*row).is_empty());
    let rows: Vec<usize> = rows.collect();
    if rows.is_empty() {
        let expected = format!("paths of pictures in the column {picture}");
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
        folder.join(file.text(*row))
    };
    let columns = values(x);
    if let (Some(x), false) = (x, spec.numbers.is_empty()) {
        let panes = columns.iter().flatten().map(|value| {
            let of_value = selected.with(&rows, x, value);
            let numbers = spec.numbers.iter().map(|group| number(selected, &of_value, group));
            Ok(Pane {
                file: of_value.first().map(path).filter(|file| file.exists()),
                name: selected.words.title(x, value),
                numbers: numbers.collect::<Result<_, Refusal>>()?,
            })
        });
        let mut panes = panes.collect::<Result<Vec<_>, Refusal>>()?.into_iter().peekable();
        let across = spec.columns.unwrap_or(ACROSS).max(1);
        let mut rows = Vec::new();
        while panes.peek().is_some() {
            rows.push((String::new(), panes.by_ref().take(across).collect()));
        }
        let colour = |(i, group): (usize, &Group)| {
            (group.label.clone(), group.colour.map_or(style::colour(i), |hex| hex.0))
        };
        let groups = spec.numbers.iter().enumerate().map(colour).collect();
        return Board { heads: Vec::new(), rows, groups }.finish(selected.words, tables);
    }
    let rows = values(y).into_iter().map(|value| {
        let line = with(&rows, y, &value);
        // Without columns all pictures of a row stand side by side.
        let paths = match x {
            None => line.iter().map(|row| Pane::of(Some(path(row)))).collect(),
            Some(_) => {
                let first = |value| with(&line, x, value).first().map(path);
                columns.iter().map(|value| Pane::of(first(value))).collect()
            }
        };
        (label(y, &value), paths)
    });
    let rows = rows.collect();
    let heads = match x {
        None => Vec::new(),
        Some(_) => columns.iter().map(|value| label(x, value)).collect(),
    };
    Board { heads, rows, groups: Vec::new() }.finish(selected.words, tables)
}

/// The mean of a group among these rows, over those that count. Where none counts it is told of the others, and does
/// not count; where there is no network it is a dash.
fn number(
    selected: &Selected<'_>,
    rows: &[usize],
    group: &Group,
) -> Result<(String, bool), Refusal> {
    let spec = selected.spec;
    let of = spec.of.clone().unwrap_or(Measure::of("score"));
    selected.table.column(of.column())?;
    let all = group.rows.rows(selected.table).map_err(|refusal| refusal.within("numbers"))?;
    let of_group: Vec<usize> =
        rows.iter().copied().filter(|row| all.binary_search(row).is_ok()).collect();
    let (counting, hollow) = selected.of_mark(&of_group);
    Ok(match selected.summary(&counting, &of, None) {
        Some(found) => (style::fixed(found.mean, spec.decimals.unwrap_or(2)), !hollow),
        None => ("–".into(), false),
    })
}

/// The pictures that the spec lists.
pub(super) fn of_files(words: Words<'_>, tables: &[Source]) -> Result<Drawing, Refusal> {
    let spec = words.spec;
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
        (label, files.iter().map(|file| Pane::of(path(file))).collect())
    });
    let heads = spec.column_labels.clone();
    Board { heads, rows: rows.collect(), groups: Vec::new() }.finish(words, tables)
}

impl Board {
    fn finish(self, words: Words<'_>, tables: &[Source]) -> Result<Drawing, Refusal> {
        let spec = words.spec;
        let width = pixels_of(spec, spec.width.0).round();
        let widest = self.rows.iter().map(|row| text_width(&row.0, size::TICK, true));
        let label = widest.fold(0.0, f64::max).min(0.3 * width);
        let left = MARGIN + if label > 0.0 { label + 10.0 } else { 0.0 };
        let columns = self.rows.iter().map(|row| row.1.len()).max().unwrap_or(1).max(1) as f64;
        let pane = (width - left - MARGIN - GAP * (columns - 1.0)) / columns;
        if pane < 8.0 {
            let expected = format!("pictures a row that fit into {} mm", spec.width.0);
            let advice = "make the figure wider, or choose fewer with `where`";
            return Err(Refusal::new("x", expected, columns.to_string()).advising(advice));
        }
        let mut page = Page::new(width, MARGIN);
        page.words(&spec.title, TITLE, 3);
        page.words(facts(spec, tables), SUBTITLE, 6);
        if page.y > MARGIN {
            page.y += 6.0;
        }
        // Heads on a few lines, the last just above the pictures.
        let wrap = |head: &String| wrapped(head, NOTE.0, NOTE.1, pane + GAP - 3.0, 4);
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
        let numbered = !self.groups.is_empty();
        for (name, panes) in &self.rows {
            if numbered {
                for (i, one) in panes.iter().enumerate() {
                    let at = (left + i as f64 * (pane + GAP), page.y + CAPTION.0);
                    page.cut(at, &one.name, CAPTION, Anchor::Start, pane);
                }
                page.y += LINE * CAPTION.0 + 2.0;
            }
            let pictures = panes.iter().map(|one| one.file.as_deref().map(read).transpose());
            let pictures = pictures.collect::<Result<Vec<_>, _>>()?;
            let lines = wrapped(name, size::TICK, true, label + 0.5, 4);
            // A row is as high as its highest picture, at most a square, and as its label.
            let high = |[wide, high]: [f64; 2]| pane * (high / wide).min(1.0);
            let highest = pictures.iter().flatten().map(|(_, size)| high(*size)).reduce(f64::max);
            let row = highest.unwrap_or(pane).max(lines.len() as f64 * LINE * size::TICK).min(pane);
            let middle = page.y + row / 2.0;
            for (k, line) in lines.iter().enumerate() {
                let down = (k as f64 - (lines.len() as f64 - 1.0) / 2.0) * LINE * size::TICK;
                let look = (size::TICK, true, style::INK);
                page.text((MARGIN, middle + 5.0 + down), line, look, Anchor::Start);
            }
            for (i, (Pane { numbers, .. }, picture)) in panes.iter().zip(&pictures).enumerate() {
                let at = (left + i as f64 * (pane + GAP), page.y);
                let step = pane / numbers.len().max(1) as f64;
                for (k, ((text, counts), (_, colour))) in
                    numbers.iter().zip(&self.groups).enumerate()
                {
                    let x = at.0 + k as f64 * step;
                    let y = at.1 + row + 10.0;
                    mark(&mut page, (x + 4.0, y), *colour, *counts);
                    let look =
                        (size::CAPTION, false, if *counts { style::INK } else { style::GREY });
                    page.text((x + 11.0, y + 4.0), text, look, Anchor::Start);
                }
                let Some((bytes, [wide, high])) = picture else {
                    page.fill(at, (pane, row), style::BLANK);
                    continue;
                };
                // As large as fits, in the middle.
                let scale = (pane / wide).min(row / high);
                let size = (scale * wide, scale * high);
                let at = (at.0 + (pane - size.0) / 2.0, at.1 + (row - size.1) / 2.0);
                page.svg.image(at, size, bytes, scale > 1.0);
                marks += 1;
            }
            page.y += row + GAP + if numbered { 16.0 } else { 0.0 };
        }
        if numbered {
            page.y += 4.0;
            let mut x = MARGIN;
            for (name, colour) in &self.groups {
                let wide = 12.0 + text_width(name, PLAIN.0, false);
                if x > MARGIN && x + wide > width - MARGIN {
                    (x, page.y) = (MARGIN, page.y + LINE * PLAIN.0);
                }
                let middle = page.y + 5.0;
                mark(&mut page, (x + 4.0, middle), *colour, true);
                page.text((x + 12.0, page.y + 10.0), name, PLAIN, Anchor::Start);
                x += wide + 18.0;
            }
            page.y += LINE * PLAIN.0 + 2.0;
            let hollow = self.rows.iter().flat_map(|row| &row.1).flat_map(|pane| &pane.numbers);
            if hollow.into_iter().any(|(_, counts)| !counts) {
                let unfit = words.house.unfit("fit=true");
                let note = format!("Hollow: {unfit}, or there is none; the number does not count.");
                page.words(&note, NOTE, 2);
            }
        }
        let note = below(spec, "");
        if !note.is_empty() {
            page.y += 2.0;
            page.words(&note, NOTE, 30);
        }
        let svg = page.finish(MARGIN - GAP + 2.0, &spec.title);
        let series = DrawnSeries { marks, rows: marks, ..DrawnSeries::default() };
        Ok(in_mm(spec, &svg, String::new(), 1, vec![series]))
    }
}

/// A dot, or a ring where the number does not count.
fn mark(page: &mut Page, at: (f64, f64), colour: Colour, counts: bool) {
    let (fill, line) = if counts { (colour, None) } else { (style::PAPER, Some((colour, 1.5))) };
    page.svg.circle(at, 4.0, fill, line);
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
