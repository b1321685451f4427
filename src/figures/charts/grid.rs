//! Small multiples: several panels in one figure, aligned, with one legend.

use super::bars::Bars;
use super::cartesian::{Cartesian, panel_title};
use super::frame::{Frame, Key, nothing, surround};
use super::heatmap::{Heatmap, SCALE};
use super::plot::Plot;
use crate::figures::canvas::{Area, Canvas, draw};

/// One panel. The title of its frame stands above it; its other texts and its size are not used.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs)]
pub enum Panel {
    Plot(Plot),
    Bars(Bars),
    Heatmap(Heatmap),
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

/// Draws small multiples.
pub fn grid(grid: &Grid) -> String {
    let (width, height) = grid.frame.pixels();
    let mut keys: Vec<Key> = Vec::new();
    for key in grid.panels.iter().flat_map(Panel::keys) {
        if !keys.iter().any(|k| k.name == key.name) {
            keys.push(key);
        }
    }
    if keys.len() < 2 {
        keys.clear();
    }
    draw(width, height, &grid.frame.title, |canvas| {
        let area = surround(canvas, &grid.frame, &keys);
        if grid.panels.is_empty() {
            return nothing(canvas, area);
        }
        let heat = grid.panels.iter().find_map(|p| match p {
            Panel::Heatmap(h) => Some(h),
            _ => None,
        });
        match heat {
            Some(first) => {
                let inside = area.inset(0.0, 0.0, SCALE, 0.0);
                let shared = grid.paint(canvas, inside);
                let beside = inside.inset(0.0, 24.0, 0.0, 40.0);
                first.scale(canvas, beside, shared.heat.unwrap_or((0.0, 1.0)));
            }
            None => {
                grid.paint(canvas, area);
            }
        }
    })
}

const GAP: f64 = 14.0;

impl Grid {
    fn paint(&self, canvas: &Canvas<'_>, area: Area) -> Shared {
        let columns = self.columns.clamp(1, self.panels.len());
        let rows = self.panels.len().div_ceil(columns);
        let rough =
            Area { width: area.width / columns as f64, height: area.height / rows as f64, ..area };
        let shared = Shared::of(self);
        let laid: Vec<Option<Cartesian>> =
            self.panels.iter().map(|panel| panel.lay(rough, &shared)).collect();
        // Where a range is shared, only the outer panels carry its labels.
        let labelled = |i: usize| {
            let below = self.panels.get(i + columns);
            let same_below = self.share_x
                && matches!(below, Some(Panel::Plot(_)))
                && laid[i + columns].is_some();
            let left = i.is_multiple_of(columns) || !self.share_y;
            (
                !(same_below && matches!(self.panels[i], Panel::Plot(_))),
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
            top = top.max(sides.top);
            right = right.max(sides.right);
        }
        let total = |margins: &[f64]| margins.iter().sum::<f64>();
        let gaps = |n: usize| GAP * (n - 1) as f64;
        let width = area.width - total(&lefts) - right * columns as f64 - gaps(columns);
        let height = area.height - total(&bottoms) - top * rows as f64 - gaps(rows);
        for (i, (panel, axes)) in self.panels.iter().zip(&laid).enumerate() {
            let (column, row) = (i % columns, i / columns);
            let inner = Area {
                width: (width / columns as f64).max(10.0),
                height: (height / rows as f64).max(10.0),
                x: area.x
                    + total(&lefts[..=column])
                    + (width / columns as f64 + right + GAP) * column as f64,
                y: area.y
                    + top
                    + total(&bottoms[..row])
                    + (height / rows as f64 + top + GAP) * row as f64,
            };
            let Some(axes) = axes else {
                nothing(canvas, inner);
                panel_title(canvas, panel.title(), inner);
                continue;
            };
            panel.paint(canvas, axes, inner, labelled(i), &shared);
            if labelled(i).1 {
                axes.paint_y_title(canvas, inner, inner.x - lefts[column]);
            }
        }
        shared
    }
}

/// Values that several panels' ranges are taken from.
struct Shared {
    plot: Option<(Vec<f64>, Vec<f64>)>,
    share: (bool, bool),
    bars: Option<Vec<f64>>,
    heat: Option<(f64, f64)>,
}

impl Shared {
    fn of(grid: &Grid) -> Self {
        let (mut xs, mut ys, mut values) = (Vec::new(), Vec::new(), Vec::new());
        let mut heat: Option<(f64, f64)> = None;
        for panel in &grid.panels {
            match panel {
                Panel::Plot(p) => {
                    let (mut x, mut y) = p.values();
                    xs.append(&mut x);
                    ys.append(&mut y);
                }
                Panel::Bars(b) => values.append(&mut b.values()),
                Panel::Heatmap(h) => {
                    let (low, high) = h.range();
                    if low > high {
                        continue;
                    }
                    heat = Some(heat.map_or((low, high), |(a, b)| (a.min(low), b.max(high))));
                }
            }
        }
        Shared {
            plot: (grid.share_x || grid.share_y).then_some((xs, ys)),
            share: (grid.share_x, grid.share_y),
            bars: grid.share_y.then_some(values),
            heat,
        }
    }
}

impl Panel {
    fn keys(&self) -> Vec<Key> {
        match self {
            Panel::Plot(p) => p.keys(),
            Panel::Bars(b) => b.keys(),
            Panel::Heatmap(_) => Vec::new(),
        }
    }

    fn lay(&self, area: Area, shared: &Shared) -> Option<Cartesian> {
        match self {
            Panel::Plot(p) => {
                let values = shared.plot.as_ref().map(|(xs, ys)| {
                    let own = p.values();
                    (
                        if shared.share.0 { xs.clone() } else { own.0 },
                        if shared.share.1 { ys.clone() } else { own.1 },
                    )
                });
                p.lay(area, p.frame.title.clone(), values.as_ref())
            }
            Panel::Bars(b) => b.lay(area, b.frame.title.clone(), shared.bars.as_deref()),
            Panel::Heatmap(h) => h.lay(area, h.frame.title.clone()),
        }
    }

    fn title(&self) -> &str {
        match self {
            Panel::Plot(p) => &p.frame.title,
            Panel::Bars(b) => &b.frame.title,
            Panel::Heatmap(h) => &h.frame.title,
        }
    }

    fn paint(
        &self,
        canvas: &Canvas<'_>,
        axes: &Cartesian,
        inner: Area,
        labelled: (bool, bool),
        shared: &Shared,
    ) {
        match self {
            Panel::Plot(p) => p.paint(canvas, axes, inner, labelled),
            Panel::Bars(b) => b.paint(canvas, axes, inner, labelled),
            Panel::Heatmap(h) => h.paint(canvas, axes, inner, labelled, shared.heat),
        }
    }
}
