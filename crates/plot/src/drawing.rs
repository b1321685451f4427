//! From panels to an SVG of a width in mm and a text size in pt, and what was drawn in numbers.

use super::data::{Selected, Summary};
use super::spec::{Caption, FigureSpec, Kind, Length};
use crate::axis::{Axis, Scale};
use crate::charts::{Figure, Height, Look, Panel, Spread};
use crate::fonts::options;
use crate::style::size;
use crate::svg::escaped;
use picloom_base::refusal::Refusal;
use picloom_base::table::Measure;
use resvg::tiny_skia::Rect;
use resvg::usvg::{Node, Tree};
use serde::Serialize;

/// A drawn figure.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Drawing {
    /// Name of its files.
    pub name: String,
    /// The SVG, its width in mm.
    #[serde(skip)]
    pub svg: String,
    /// The meaning of the marks and intervals, for the paper.
    pub caption: String,
    /// Panels.
    pub panels: usize,
    /// The content of each series.
    pub series: Vec<DrawnSeries>,
    /// Width and height in mm.
    pub size: [f64; 2],
}

/// The content of one series.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct DrawnSeries {
    /// Its value in the table; empty: the figure has no series.
    pub value: String,
    /// Its name in the figure.
    pub label: String,
    /// Marks: means, cells, estimates, pictures.
    pub marks: usize,
    /// Rows behind them; of a contrast: units.
    pub rows: usize,
}

/// Counts what is drawn.
pub(super) struct Drawn {
    pub series: Vec<DrawnSeries>,
    /// Fewest and most units of a mark.
    units: Option<(usize, usize)>,
    intervals: bool,
}

impl Drawn {
    pub(super) fn of(series: &[(Option<String>, Look)]) -> Self {
        let of = |(value, look): &(Option<String>, Look)| DrawnSeries {
            value: value.clone().unwrap_or_default(),
            label: look.0.clone(),
            ..DrawnSeries::default()
        };
        Drawn { series: series.iter().map(of).collect(), units: None, intervals: false }
    }

    /// One more mark of a series.
    pub(super) fn count(&mut self, series: usize, found: &Summary) {
        self.counted(series, found.rows);
        let n = found.units.len();
        self.units = Some(self.units.map_or((n, n), |(least, most)| (least.min(n), most.max(n))));
        self.intervals |= found.interval.is_some();
    }

    /// The same where only the number behind it is known.
    pub(super) fn counted(&mut self, series: usize, rows: usize) {
        self.series[series].marks += 1;
        self.series[series].rows += rows;
    }

    /// Whether a mark stands for several units.
    pub(super) fn several(&self) -> bool {
        self.units.is_some_and(|units| units.1 > 1)
    }

    /// Explains the marks and intervals.
    pub(super) fn mean_of(
        &self,
        selected: &Selected<'_>,
        of: &Measure,
        unit: Option<&str>,
    ) -> Vec<String> {
        let units = format!("{}s", unit.unwrap_or(selected.words.house.row()));
        let counts = match self.units {
            Some((least, most)) if least == most => format!("{most} {units}"),
            Some((least, most)) => format!("{least} to {most} {units}"),
            None => units.clone(),
        };
        let mut says = vec![match unit {
            Some(unit) if self.units.is_some_and(|units| units.1 == 1) => {
                format!("One {unit} a mark, averaged.")
            }
            Some(unit) if unit != "seed" => {
                format!("Means over {counts}, each {unit} averaged first.")
            }
            _ => format!("Means over {counts}."),
        }];
        let spec = selected.spec;
        let spread = spec.interval.unwrap_or(match spec.kind {
            Kind::Lines => Spread::Band,
            Kind::Heatmap => Spread::None,
            _ => Spread::Whiskers,
        });
        let name = match spread {
            Spread::Band => "Bands",
            _ => "Whiskers",
        };
        if self.intervals && spread != Spread::None {
            says.push(format!("{name}: 95\u{a0}% intervals, Student's t over {units}."));
        }
        says.extend(self.left_out(selected, &[of]));
        says
    }

    /// Explains the small dots.
    pub(super) fn small_dots(&self, selected: &Selected<'_>, unit: Option<&str>) -> String {
        format!("Small dots: one {}.", unit.unwrap_or(selected.words.house.row()))
    }

    /// How many rows have no number.
    pub(super) fn left_out(
        &self,
        selected: &Selected<'_>,
        measures: &[&Measure],
    ) -> Option<String> {
        let names: Vec<String> = measures.iter().map(|m| selected.words.measure(m)).collect();
        let row = selected.words.house.row();
        match selected.without(measures) {
            0 => None,
            1 => Some(format!("1 {row} without {} is left out.", names.join(" or "))),
            n => Some(format!("{n} {row}s without {} are left out.", names.join(" or "))),
        }
    }
}

/// The panels of a figure, and how large each should be.
pub(super) struct Content {
    panels: Vec<Panel>,
    /// Height of a plotting area in pixels of the house's charts.
    height: Option<f64>,
    /// Without `height`: its share of the width.
    of_width: f64,
    /// A panel is not narrower than this if another row can be had.
    narrowest: f64,
    share: (bool, bool),
    drawn: Vec<DrawnSeries>,
    caption: Vec<String>,
}

impl Content {
    /// Panels as high as their rows.
    pub(super) fn tall(panels: Vec<Panel>, height: f64, narrowest: f64) -> Self {
        Content { height: Some(height.max(40.0)), ..Content::wide(panels, 0.0, narrowest) }
    }

    /// Panels whose height is a share of their width.
    pub(super) fn wide(panels: Vec<Panel>, of_width: f64, narrowest: f64) -> Self {
        let (drawn, caption, share) = (Vec::new(), Vec::new(), (false, false));
        Content { panels, height: None, of_width, narrowest, share, drawn, caption }
    }

    /// Whether panels share their x and their y range.
    pub(super) fn shared(mut self, x: bool, y: bool) -> Self {
        self.share = (x, y);
        self
    }

    /// With what was drawn, and the sentences of its caption.
    pub(super) fn told(mut self, drawn: Drawn, caption: Vec<String>) -> Self {
        (self.drawn, self.caption) = (drawn.series, caption);
        self
    }

    /// The whole figure.
    ///
    /// # Errors
    /// The width is too small for the text size.
    pub(super) fn finish(self, spec: &FigureSpec, subtitle: &str) -> Result<Drawing, Refusal> {
        let width = pixels_of(spec, spec.width.0);
        let mut caption = self.caption;
        caption.extend(off_the_axes(&self.panels)?);
        let caption = caption.join(" ");
        let fits = (width / self.narrowest).floor().max(1.0) as usize;
        let columns = spec.columns.unwrap_or_else(|| {
            // As few rows as fit, filled evenly.
            let rows = self.panels.len().div_ceil(fits.min(self.panels.len()));
            self.panels.len().div_ceil(rows)
        });
        let columns = columns.min(self.panels.len());
        let mut panels = self.panels;
        let rows = panels.first().map(|panel| panel.rows().to_vec()).unwrap_or_default();
        if !rows.is_empty() && panels.iter().all(|panel| panel.rows() == rows) {
            // One naming of the rows is enough for the panels beside each other.
            for (_, panel) in panels.iter_mut().enumerate().filter(|(i, _)| i % columns != 0) {
                panel.unname();
            }
        }
        let each = self.height.unwrap_or_else(|| {
            (self.of_width * (width / columns as f64 - 60.0)).clamp(130.0, 380.0)
        });
        let whole = spec.height.map(|height| Height::Whole(pixels_of(spec, height.0).round()));
        let figure = Figure {
            width: width.round() as u32,
            height: whole.unwrap_or(Height::Each(each)),
            columns,
            share: self.share,
            ..Figure::new(&spec.title).subtitle(subtitle).note(below(spec, &caption))
        };
        Ok(in_mm(spec, &figure.draw(&panels), caption, panels.len(), self.drawn))
    }
}

/// Counts the marks for which the axes have no place, in sentences.
///
/// # Errors
/// No mark is left.
fn off_the_axes(panels: &[Panel]) -> Result<Vec<String>, Refusal> {
    let (mut drawn, mut below, mut beyond) = (0, 0, 0);
    for panel in panels {
        let cells = panel.heat.iter().flat_map(|heat| heat.values.iter().flatten());
        drawn += cells.filter(|value| value.is_finite()).count();
        let bars = panel.slots.as_ref().is_some_and(|slots| slots.bars);
        let has_place = |axis: &Axis, value: f64| axis.scale == Scale::Linear || value > 0.0;
        // A bar beyond the range is drawn up to its end.
        let is_beyond = |axis: &Axis, value: f64| {
            let ends = axis.range.filter(|_| !bars).map(|(a, b)| (a.min(b), a.max(b)));
            ends.is_some_and(|(low, high)| value < low || value > high)
        };
        for point in panel.series.iter().flat_map(|series| &series.points) {
            let axes = [(&panel.x, point.x), (&panel.y, point.y)];
            if !axes.iter().all(|(axis, value)| has_place(axis, *value)) {
                below += 1;
            } else if axes.iter().any(|(axis, value)| is_beyond(axis, *value)) {
                beyond += 1;
            } else {
                drawn += 1;
            }
        }
    }
    if drawn == 0 {
        let found = match (below, beyond) {
            (0, 0) => "none".into(),
            (0, _) => format!("{beyond}, all beyond the range of an axis"),
            _ => format!("{below}, all at 0 or below, on a logarithmic axis"),
        };
        return Err(Refusal::new("rows", "at least one mark to draw", found));
    }
    let said = |lost: usize, which: &str, why: &str| match lost {
        0 => None,
        1 => Some(format!("1 mark {which} is left out{}.", why.replace("them", "it"))),
        _ => Some(format!("{lost} marks {which} are left out{why}.")),
    };
    let logarithmic = ": a logarithmic axis has no place for them";
    let below = said(below, "at 0 or below", logarithmic);
    Ok(below.into_iter().chain(said(beyond, "beyond the range of an axis", "")).collect())
}

/// Pixels of the house's charts, whose smallest chart text is [`size::TICK`] pixels high, in so many mm.
pub(super) fn pixels_of(spec: &FigureSpec, mm: f64) -> f64 {
    mm / mm_of_pixel(spec)
}

fn mm_of_pixel(spec: &FigureSpec) -> f64 {
    spec.font_size * 25.4 / 72.0 / size::TICK
}

/// Refuses a figure on which hardly a word would fit.
///
/// # Errors
/// It is narrower than that.
pub(super) fn check_width(spec: &FigureSpec) -> Result<(), Refusal> {
    const NARROWEST: f64 = 190.0;
    if pixels_of(spec, spec.width.0) >= NARROWEST {
        return Ok(());
    }
    let least = (NARROWEST * mm_of_pixel(spec)).ceil();
    let expected = format!("at least {least} mm for text of {} pt", spec.font_size);
    let advice = "make it wider, or `font_size` smaller";
    Err(Refusal::new("width", expected, format!("{} mm", spec.width.0)).advising(advice))
}

/// Draws a figure, and refuses it if one of its texts is cut, reaches beyond the page, or stands over another.
///
/// # Errors
/// The figure cannot be drawn; a text does not fit: the width at which all do, if there is one.
pub(super) fn whole(
    spec: &FigureSpec,
    draw: impl Fn(&FigureSpec) -> Result<Drawing, Refusal>,
) -> Result<Drawing, Refusal> {
    let drawing = draw(spec)?;
    let marks = drawing.svg.matches('<').count();
    let expected = format!("at most {MOST_MARKS} marks, lines and texts");
    Refusal::unless(marks <= MOST_MARKS, "figure", expected, marks)
        .map_err(|refusal| refusal.advising("draw fewer rows by `where`, or means by `dots`"))?;
    let Some(text) = cut(spec, &drawing.svg) else { return Ok(drawing) };
    let fits = |width: &f64| {
        let wider = FigureSpec { width: Length(*width), ..spec.clone() };
        draw(&wider).is_ok_and(|drawing| cut(&wider, &drawing.svg).is_none())
    };
    let mut widths = (1..=40).map(|i| (spec.width.0 * (1.0 + 0.1 * f64::from(i))).ceil());
    let expected = match widths.find(fits) {
        Some(width) => format!("at least {width} mm, at which every text is whole"),
        None => "shorter texts".into(),
    };
    let advice = "make it wider, `font_size` smaller, or the text shorter, by `labels` for example";
    let found = format!("{} mm, at which {text:?} does not fit", spec.width.0);
    Err(Refusal::new("width", expected, found).advising(advice))
}

/// Marks, lines and texts of a figure, at most: no reader of SVG takes many more.
const MOST_MARKS: usize = 250_000;

/// The first text of a figure that was cut, reaches beyond the page, or stands over another.
fn cut(spec: &FigureSpec, svg: &str) -> Option<String> {
    let tree = Tree::from_str(svg, &options()).expect("our own SVG");
    let (page, own) = (tree.size(), serde_json::to_string(spec).expect("plain data"));
    let (mut groups, mut texts) = (vec![tree.root()], Vec::new());
    while let Some(group) = groups.pop() {
        for node in group.children() {
            let text: String = match node {
                Node::Group(group) => {
                    groups.push(group);
                    continue;
                }
                Node::Text(text) => text.chunks().iter().map(|chunk| chunk.text()).collect(),
                _ => continue,
            };
            let at = node.abs_bounding_box();
            let inside = at.left() >= -1.0
                && at.top() >= -1.0
                && at.right() <= page.width() + 1.0
                && at.bottom() <= page.height() + 1.0;
            if !inside || text.ends_with('…') && !own.contains(&text) {
                return Some(text);
            }
            texts.push((at, text));
        }
    }
    texts.sort_by(|a, b| a.0.left().total_cmp(&b.0.left()));
    let covers = |(a, b): (&Rect, &Rect)| {
        let wide = a.right().min(b.right()) - a.left().max(b.left());
        let high = a.bottom().min(b.bottom()) - a.top().max(b.top());
        wide > COVERED * a.width().min(b.width()) && high > COVERED * a.height().min(b.height())
    };
    let covered = texts.iter().enumerate().find(|(i, (at, _))| {
        let later = texts[i + 1..].iter().take_while(|(other, _)| other.left() < at.right());
        later.map(|(other, _)| (at, other)).any(covers)
    });
    covered.map(|(_, (_, text))| text.clone())
}

/// Two texts are over each other where one covers more than this share of the other's width and of its height.
const COVERED: f32 = 0.3;

/// Returns the text below the figure.
pub(super) fn below(spec: &FigureSpec, own: &str) -> String {
    match &spec.caption {
        Caption::None => String::new(),
        Caption::Own => own.to_string(),
        Caption::Text(text) => text.clone(),
    }
}

/// The SVG in mm instead of pixels, named after the figure.
pub(super) fn in_mm(
    spec: &FigureSpec,
    svg: &str,
    caption: String,
    panels: usize,
    series: Vec<DrawnSeries>,
) -> Drawing {
    let (root, rest) = svg.split_once('\n').expect("an SVG has its root on a line");
    let number = |key: &str| -> f64 {
        let from = root.find(key).expect("written by `document`") + key.len();
        let digits = root[from..].split('"').next().unwrap_or_default();
        digits.parse().expect("a number")
    };
    let pixels = [number(" width=\""), number(" height=\"")];
    let mm = pixels.map(|p| ((p / pixels[0] * spec.width.0) * 100.0).round() / 100.0);
    let mut root = root.to_string();
    for ((key, pixels), mm) in ["width", "height"].iter().zip(pixels).zip(mm) {
        root = root.replacen(&format!(" {key}=\"{pixels}\""), &format!(" {key}=\"{mm}mm\""), 1);
    }
    let title = if spec.title.is_empty() { &spec.name } else { &spec.title };
    let rest = rest.replacen("<title></title>", &format!("<title>{}</title>", escaped(title)), 1);
    let svg = format!("{root}\n{rest}");
    Drawing { name: spec.name.clone(), svg, caption, panels, series, size: mm }
}
