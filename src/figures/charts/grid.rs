//! Charts on a figure: one, or several as small multiples, aligned, with one legend.

use super::bars::Bars;
use super::canvas::{Area, Canvas, draw};
use super::cartesian::{Cartesian, Place, panel_title, title_room};
use super::chart::{Chart, Values};
use super::frame::{Frame, Key, nothing, surround};
use super::heatmap::{Heatmap, SCALE};
use super::plot::Plot;

/// One panel. The title of its frame stands above it; its other texts and its size are not used.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs)]
pub enum Panel {
    Plot(Plot),
    Bars(Bars),
    Heatmap(Heatmap),
}

impl Panel {
    fn chart(&self) -> &dyn Chart {
        match self {
            Panel::Plot(plot) => plot,
            Panel::Bars(bars) => bars,
            Panel::Heatmap(heatmap) => heatmap,
        }
    }

    fn is_plot(&self) -> bool {
        matches!(self, Panel::Plot(_))
    }
}

/// Panels in rows.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Grid {
    /// Title, texts, size of the whole figure.
    pub frame: Frame,
    /// Panels a row, at least 1.
    pub columns: usize,
    /// The panels, row by row.
    pub panels: Vec<Panel>,
    /// One x range for all plots.
    pub share_x: bool,
    /// One y range for all plots, one value range for all bars. Heatmaps always share one range
    /// and one scale, that of the first.
    pub share_y: bool,
}

/// Draws a chart of lines or points.
///
/// ```
/// use picloom::figures::axis::Axis;
/// use picloom::figures::charts::{Frame, Plot, Series, plot};
/// let svg = plot(&Plot {
///     frame: Frame::new("Loss while training"),
///     x: Axis::new("step"),
///     y: Axis::new("loss").unit("MSE").log(),
///     series: vec![Series::line("dense", picloom::figures::style::colour(1), [(0.0, 0.2), (10.0, 0.01)])],
///     ..Plot::default()
/// });
/// assert!(svg.starts_with("<svg"));
/// ```
pub fn plot(plot: &Plot) -> String {
    single(Panel::Plot(plot.clone()))
}

/// Draws groups of bars or dots.
pub fn bars(bars: &Bars) -> String {
    single(Panel::Bars(bars.clone()))
}

/// Draws a matrix.
pub fn heatmap(heatmap: &Heatmap) -> String {
    single(Panel::Heatmap(heatmap.clone()))
}

/// Draws one chart under the title of its own frame.
fn single(mut panel: Panel) -> String {
    let frame = panel.chart().frame().clone();
    match &mut panel {
        Panel::Plot(Plot { frame, .. })
        | Panel::Bars(Bars { frame, .. })
        | Panel::Heatmap(Heatmap { frame, .. }) => frame.title.clear(),
    }
    grid(&Grid { frame, columns: 1, panels: vec![panel], ..Grid::default() })
}

/// Draws small multiples.
pub fn grid(grid: &Grid) -> String {
    let (width, height) = grid.frame.pixels();
    let keys = grid.keys();
    draw(width, height, &grid.frame.title, |canvas| {
        let area = surround(canvas, &grid.frame, &keys);
        let heat = grid.heat();
        let right = if heat.is_some() { SCALE } else { 0.0 };
        match (grid.paint(canvas, area.inset(0.0, 0.0, right, 0.0)), heat) {
            (None, _) => nothing(canvas, area),
            (Some((panels, _)), Some(first)) => first.scale(canvas, panels, &grid.shared(first)),
            (Some(_), None) => {}
        }
    })
}

/// Draws small multiples whose plotting areas are `inner` pixels high, or which are `whole` pixels high with all
/// that surrounds them.
pub(in crate::figures) fn grid_of_height(mut one: Grid, inner: f64, whole: Option<f64>) -> String {
    const TRIED: u32 = 4000;
    let rows = one.panels.len().div_ceil(one.columns.clamp(1, one.panels.len().max(1)));
    one.frame.height = match whole {
        Some(whole) => whole.round() as u32,
        None => {
            one.frame.height = TRIED;
            let keys = one.keys();
            let mut found = None;
            draw(one.frame.pixels().0, f64::from(TRIED), "", |canvas| {
                let right = if one.heat().is_some() { SCALE } else { 0.0 };
                let area = surround(canvas, &one.frame, &keys).inset(0.0, 0.0, right, 0.0);
                found = one.paint(canvas, area).map(|found| found.1);
            });
            let rows = rows as f64;
            // Without data: room to say so.
            found.map_or(200, |found| (f64::from(TRIED) + rows * (inner - found)).ceil() as u32)
        }
    };
    grid(&one)
}

const GAP: f64 = 14.0;

impl Grid {
    /// The legend: each name once, none for a single one.
    fn keys(&self) -> Vec<Key> {
        let mut keys: Vec<Key> = Vec::new();
        for key in self.panels.iter().flat_map(|panel| panel.chart().keys()) {
            if !keys.iter().any(|k| k.name == key.name) {
                keys.push(key);
            }
        }
        if keys.len() < 2 { Vec::new() } else { keys }
    }

    /// The first heatmap, whose scale is drawn.
    fn heat(&self) -> Option<&Heatmap> {
        self.panels.iter().find_map(|panel| match panel {
            Panel::Heatmap(heatmap) => Some(heatmap),
            _ => None,
        })
    }

    /// The values of all charts of the kind of this one.
    fn shared(&self, one: &dyn Chart) -> Values {
        let (mut xs, mut ys) = (Vec::new(), Vec::new());
        let kind = |panel: &Panel| std::mem::discriminant(panel);
        let own = self.panels.iter().find(|p| std::ptr::addr_eq(p.chart(), one)).map(kind);
        for panel in self.panels.iter().filter(|p| Some(kind(p)) == own) {
            let (mut x, mut y) = panel.chart().values();
            xs.append(&mut x);
            ys.append(&mut y);
        }
        (xs, ys)
    }

    /// What the axes of a panel are laid over.
    fn values(&self, panel: &Panel) -> Values {
        let (mut own, all) = (panel.chart().values(), self.shared(panel.chart()));
        if self.share_x && panel.is_plot() {
            own.0 = all.0;
        }
        if self.share_y || matches!(panel, Panel::Heatmap(_)) {
            own.1 = all.1;
        }
        own
    }

    /// Paints the panels; returns the area from the first plotting area to the last and the height of each,
    /// `None` if no panel has anything to show.
    fn paint(&self, canvas: &Canvas<'_>, area: Area) -> Option<(Area, f64)> {
        let columns = self.columns.clamp(1, self.panels.len().max(1));
        let rows = self.panels.len().div_ceil(columns).max(1);
        let rough =
            Area { width: area.width / columns as f64, height: area.height / rows as f64, ..area };
        let values: Vec<Values> = self.panels.iter().map(|panel| self.values(panel)).collect();
        let laid: Vec<Option<Cartesian>> = (self.panels.iter().zip(&values))
            .map(|(panel, values)| panel.chart().lay(rough, values))
            .collect();
        if laid.len() < 2 && laid.iter().all(Option::is_none) {
            return None;
        }
        // Where a range is shared, only the outer panels carry its labels.
        let labelled = |i: usize| {
            let below = self.panels.get(i + columns).is_some_and(Panel::is_plot)
                && laid[i + columns].is_some();
            let left = i.is_multiple_of(columns) || !self.share_y;
            (
                !(self.share_x && below && self.panels[i].is_plot()),
                left || laid[i].as_ref().is_some_and(|a| a.y_named),
            )
        };
        // One column has one left margin, one row one lower margin: plotting areas align and are
        // all of one size.
        let (mut lefts, mut bottoms) = (vec![6.0f64; columns], vec![6.0f64; rows]);
        let (mut top, mut right) = (0.0f64, 0.0f64);
        for (i, axes) in laid.iter().enumerate() {
            let Some(axes) = axes else { continue };
            let sides = axes.sides(rough);
            let (x, y) = labelled(i);
            let (column, row) = (i % columns, i / columns);
            if y {
                lefts[column] = lefts[column].max(sides.left);
            }
            // The panel above a free place may write into it.
            if x && (i + columns < self.panels.len() || row + 1 == rows) {
                bottoms[row] = bottoms[row].max(sides.bottom);
            }
            top = top.max(title_room(&self.panels[i].chart().frame().title));
            right = right.max(sides.right);
        }
        let total = |margins: &[f64]| margins.iter().sum::<f64>();
        let gaps = |n: usize| GAP * (n - 1) as f64;
        let width = area.width - total(&lefts) - right * columns as f64 - gaps(columns);
        let height = area.height - total(&bottoms) - top * rows as f64 - gaps(rows);
        let inner = |i: usize| {
            let (column, row) = (i % columns, i / columns);
            let (width, height) = (width / columns as f64, height / rows as f64);
            Area {
                width: width.max(10.0),
                height: height.max(10.0),
                x: area.x + total(&lefts[..=column]) + (width + right + GAP) * column as f64,
                y: area.y + top + total(&bottoms[..row]) + (height + top + GAP) * row as f64,
            }
        };
        for (i, (panel, axes)) in self.panels.iter().zip(&laid).enumerate() {
            let (inner, chart) = (inner(i), panel.chart());
            panel_title(canvas, &chart.frame().title, inner);
            let Some(axes) = axes else {
                nothing(canvas, inner);
                continue;
            };
            // A panel above a free place has the room its own labels need.
            let below = bottoms[i / columns].max(axes.sides(rough).bottom);
            let room = (lefts[i % columns], below);
            let place = Place { inner, room, labelled: labelled(i) };
            chart.paint(canvas, axes, place, &values[i]);
        }
        let (first, last) = (inner(0), inner(columns * rows - 1));
        let (width, height) = (last.right() - first.x, last.bottom() - first.y);
        Some((Area { width, height, ..first }, first.height))
    }
}
