//! Small multiples: several panels in one figure, aligned, with one legend.

use super::bars::Bars;
use super::cartesian::{Cartesian, Sides};
use super::frame::{Frame, Key, nothing, surround};
use super::heatmap::Heatmap;
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
    /// One y range for all plots, one value range for all bars and heatmaps.
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
        grid.paint(canvas, area);
    })
}

const GAP: f64 = 16.0;

impl Grid {
    fn paint(&self, canvas: &Canvas<'_>, area: Area) {
        let columns = self.columns.clamp(1, self.panels.len());
        let rows = self.panels.len().div_ceil(columns);
        let cell = |i: usize| {
            let width = (area.width - GAP * (columns - 1) as f64) / columns as f64;
            let height = (area.height - GAP * (rows - 1) as f64) / rows as f64;
            Area {
                x: area.x + (width + GAP) * (i % columns) as f64,
                y: area.y + (height + GAP) * (i / columns) as f64,
                width,
                height,
            }
        };
        let shared = Shared::of(self);
        let laid: Vec<Option<Cartesian>> = self
            .panels
            .iter()
            .enumerate()
            .map(|(i, panel)| panel.lay(cell(i), &shared))
            .collect();
        // Every panel leaves the same room, so that all plotting areas align.
        let sides = laid
            .iter()
            .enumerate()
            .filter_map(|(i, axes)| axes.as_ref().map(|a| a.sides(cell(i))))
            .fold(Sides::default(), Sides::max);
        for (i, (panel, axes)) in self.panels.iter().zip(&laid).enumerate() {
            let inner = sides.inside(cell(i));
            let Some(axes) = axes else {
                nothing(canvas, inner);
                continue;
            };
            panel.paint(canvas, axes, inner, &shared);
            axes.paint_y_title(canvas, inner, cell(i).x);
        }
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
                    heat = Some(heat.map_or((low, high), |(a, b)| (a.min(low), b.max(high))));
                }
            }
        }
        Shared {
            plot: (grid.share_x || grid.share_y).then_some((xs, ys)),
            share: (grid.share_x, grid.share_y),
            bars: grid.share_y.then_some(values),
            heat: heat.filter(|_| grid.share_y),
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

    fn paint(&self, canvas: &Canvas<'_>, axes: &Cartesian, inner: Area, shared: &Shared) {
        match self {
            Panel::Plot(p) => p.paint(canvas, axes, inner, (true, true)),
            Panel::Bars(b) => b.paint(canvas, axes, inner, (true, true)),
            Panel::Heatmap(h) => h.paint(canvas, axes, inner, (true, true), shared.heat),
        }
    }
}
