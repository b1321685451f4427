//! Means along a number: a line with a band or whiskers for each series.

use super::data::Selected;
use super::dots::rules;
use super::drawing::{Content, Drawn};
use super::spec::Which;
use crate::charts::{Look, Panel, Point, Series, Spread};
use crate::style;
use picloom_base::real;
use picloom_base::refusal::Refusal;
use picloom_base::table::{Column, Measure};

pub(super) fn draw(selected: &Selected<'_>) -> Result<Content, Refusal> {
    let spec = selected.spec;
    let (x, y) = (spec.x.as_ref().expect("checked"), spec.y.as_ref().expect("checked"));
    selected.needs_numbers("x", x)?;
    selected.needs_numbers("y", y)?;
    let line = Line {
        selected,
        x,
        y,
        by: spec.by.as_deref().unwrap_or(x.column()),
        unit: selected.unit("target")?,
        spread: spec.interval.unwrap_or(Spread::Band),
    };
    let series = selected.series();
    let (mut drawn, mut panels) = (Drawn::of(&series), Vec::new());
    let mut hollow = false;
    let few = selected.values(x.column(), &selected.rows);
    let whole = spec.by.is_none() && *x == Measure::of(x.column()) && few.len() <= 5;
    let ticks: Option<Vec<(f64, String)>> = few
        .iter()
        .map(|value| {
            let at = value.parse::<f64>().ok().filter(|at| whole && at.fract() == 0.0)?;
            Some((at, selected.words.label(x.column(), value)))
        })
        .collect();
    for (value, rows) in selected.panels() {
        let (mut thin, mut thick) = (Vec::new(), Vec::new());
        for (i, (value, look)) in series.iter().enumerate() {
            let rows = selected.of_series(&rows, value);
            if spec.units == Some(true) {
                thin.extend(line.of_units(&selected.counting(&rows), look));
            }
            let course = line.mean(&rows, look, &mut |found| drawn.count(i, found));
            hollow |= course.points.iter().any(|point| point.hollow);
            thick.push(course);
        }
        if line.spread == Spread::Whiskers {
            apart(&mut thick, spec.log.contains(&Which::X));
        }
        thin.extend(thick);
        let mut axis = selected.words.axis(x, Which::X);
        // A tick at each of a few values of a column that counts.
        if let Some(ticks) = &ticks {
            axis = axis.named(ticks.clone());
        }
        panels.push(Panel {
            title: selected.panel_title(&value),
            x: axis,
            y: selected.words.axis(y, Which::Y),
            series: thin,
            y_rules: rules(&spec.reference),
            ..Panel::default()
        });
    }
    let unit = line.unit.map(|unit| unit.name());
    let mut caption = drawn.mean_of(selected, y, unit);
    if spec.units == Some(true) {
        caption.push(format!(
            "Thin lines: one {}.",
            unit.map_or("row".into(), |u| selected.words.column(u))
        ));
    }
    caption.extend(selected.hollow(hollow));
    Ok(Content::wide(panels, 0.62, 260.0).shared(true, true).told(drawn, caption))
}

/// Sets whiskers of several series beside each other where they would cover each other.
fn apart(series: &mut [Series], log: bool) {
    let to = |x: f64| if log { real::ln(x) } else { x };
    let points = series.iter().flat_map(|one| &one.points);
    let mut places: Vec<f64> = points.map(|point| to(point.x)).filter(|x| x.is_finite()).collect();
    places.sort_by(f64::total_cmp);
    let (Some(first), Some(last)) = (places.first(), places.last()) else { return };
    let range = last - first;
    let gaps = places.windows(2).map(|pair| pair[1] - pair[0]).filter(|gap| *gap > 1e-9 * range);
    // Less than half way to the next place, all of them together.
    let count = series.len() as f64;
    let step = (0.4 * gaps.fold(range, f64::min) / count).min(0.012 * range);
    for (i, one) in series.iter_mut().enumerate() {
        let by = (i as f64 - (count - 1.0) / 2.0) * step;
        for point in &mut one.points {
            point.x = if log { point.x * real::exp(by) } else { point.x + by };
        }
    }
}

/// The data of a line.
struct Line<'a> {
    selected: &'a Selected<'a>,
    x: &'a Measure,
    y: &'a Measure,
    by: &'a str,
    unit: Option<&'a Column>,
    spread: Spread,
}

impl Line<'_> {
    /// Groups of rows along the line that have both numbers.
    fn points(&self, rows: &[usize]) -> Vec<Vec<usize>> {
        let table = self.selected.table;
        let has = |measure: &Measure, row: usize| {
            table.get(measure.column()).is_some_and(|column| measure.value(column, row).is_some())
        };
        let whole: Vec<usize> =
            rows.iter().copied().filter(|row| has(self.x, *row) && has(self.y, *row)).collect();
        self.selected.parted(&whole, self.by).into_iter().map(|part| part.1).collect()
    }

    fn place(&self, rows: &[usize]) -> Option<f64> {
        self.selected.summary(rows, self.x, self.unit).map(|found| found.mean)
    }

    /// One faint line for each unit.
    fn of_units(&self, rows: &[usize], look: &Look) -> Vec<Series> {
        let Some(unit) = self.unit else { return Vec::new() };
        let mut lines = Vec::new();
        for (_, of_unit) in self.selected.parted(rows, unit.name()) {
            let mut points: Vec<(f64, f64)> = (self.points(&of_unit).iter())
                .filter_map(|rows| {
                    let y = self.selected.summary(rows, self.y, self.unit)?;
                    Some((self.place(rows)?, y.mean))
                })
                .collect();
            points.sort_by(|a, b| a.0.total_cmp(&b.0));
            let colour = look.1.mix(style::PAPER, 0.55);
            lines.push(Series { width: 0.9, ..Series::line("", colour, points) });
        }
        lines
    }

    /// The mean with its interval; dots where the units are too few for one.
    fn mean(
        &self,
        rows: &[usize],
        look: &Look,
        count: &mut dyn FnMut(&super::data::Summary),
    ) -> Series {
        let estimate = |rows: Vec<usize>| {
            let (rows, hollow) = self.selected.of_mark(&rows);
            let summary = self.selected.summary(&rows, self.y, self.unit)?;
            let x = self.place(&rows)?;
            count(&summary);
            let units = summary.units.iter().map(|unit| unit.1);
            let point = Point::value(summary.mean).seeds(units).hollow(hollow);
            Some((x, Point { y_interval: summary.interval, ..point }))
        };
        let mut found: Vec<(f64, Point)> =
            self.points(rows).into_iter().filter_map(estimate).collect();
        found.sort_by(|a, b| a.0.total_cmp(&b.0));
        Series::course(look.clone(), found, self.spread)
    }
}
