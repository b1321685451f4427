//! The inside of a network: feature maps and wiring.

use super::parts::{Card, GAP, MARGIN, ROOM, TALLEST, WIDTH, heading, heading_at};
use crate::figures::page::Page;
use crate::figures::sheets::{
    Block, FeatureSheet, Pane, Sheet, feature_sheet, signed_picture, unit_name,
};
use crate::figures::style;
use crate::figures::svg::n;
use crate::figures::wiring::{Wiring, wiring};
use crate::network::Mask;

/// Feature maps and wiring: side by side where both have room, else one under the other.
pub(super) fn inside(page: &mut Page, card: &Card<'_>) {
    let maps = maps_figure(card);
    let wiring = wiring(&Wiring {
        title: "",
        subtitle: "",
        network: card.network,
        mask: &Mask::non_zero(card.weights),
        weights: card.weights,
        maps: Some(card.maps),
        labels: &[],
        untangle: true,
    });
    let (maps, wiring) = (Inner::read(&maps), Inner::read(&wiring));
    let more_maps = "what each unit draws; pale: without influence on the picture";
    let more_wiring = "blue positive, red negative; broad and dark: large weight";
    let beside = (ROOM - GAP) / (maps.width + wiring.width);
    if beside >= 0.62 {
        let scale = beside.min(1.0);
        let left = MARGIN + scale * maps.width + GAP;
        let top = page.y;
        heading_at(page, MARGIN, "Feature maps", "pale: without influence", left - MARGIN);
        let below = page.y;
        page.y = top;
        heading_at(page, left, "Wiring", more_wiring, WIDTH - MARGIN - left);
        let y = below.max(page.y);
        let low = maps.place(page, (MARGIN, y), scale);
        page.y = low.max(wiring.place(page, (left, y), scale));
        return;
    }
    for (inner, name, more) in
        [(&maps, "Feature maps", more_maps), (&wiring, "Wiring", more_wiring)]
    {
        heading(page, name, more);
        let scale = (ROOM / inner.width).min(TALLEST / inner.height).min(1.0);
        let left = MARGIN + (ROOM - scale * inner.width) / 2.0;
        page.y = inner.place(page, (left, page.y), scale) + 18.0;
    }
}

/// The maps: a row a layer, or, for networks with fewer units in a layer than layers, one after
/// the other.
fn maps_figure(card: &Card<'_>) -> String {
    let (network, (maps, side)) = (card.network, card.maps);
    let mut widths = vec![0; network.depth() + 1];
    for unit in &network.units {
        widths[unit.layer] += 1;
    }
    if widths.iter().skip(1).max() >= Some(&network.depth()) {
        return feature_sheet(&FeatureSheet {
            title: "",
            subtitle: "",
            network,
            maps,
            size: side,
            alive: Some(card.alive),
            pane: 44,
        });
    }
    let mut order: Vec<usize> = (0..network.units.len()).collect();
    order.sort_by_key(|&u| (network.units[u].layer, u));
    let pixels = side * side;
    let panes = order.into_iter().map(|u| {
        let mut picture = signed_picture(&maps[u * pixels..(u + 1) * pixels], side);
        if !card.alive[u] {
            picture.rgb.iter_mut().for_each(|v| *v = 0.67 + 0.25 * *v);
        }
        let name = unit_name(network, u);
        let caption = match network.units[u].layer {
            0 => name,
            layer => format!("{layer} {name}"),
        };
        Pane::new(picture, caption).bordered(style::GRID)
    });
    let blocks = vec![Block::of_panes("", &panes.collect::<Vec<_>>(), 14)];
    Sheet { blocks, pane: 70, ..Sheet::default() }.draw()
}

/// A figure that is set into another.
struct Inner<'a> {
    width: f64,
    height: f64,
    body: &'a str,
}

impl<'a> Inner<'a> {
    /// Takes the body out of an SVG of this module's family; nothing is left of any other text.
    fn read(svg: &'a str) -> Self {
        let found = || {
            let view = svg.split_once("viewBox=\"0 0 ")?.1;
            let (sizes, rest) = view.split_once('"')?;
            let (width, height) = sizes.split_once(' ')?;
            let body = rest.split_once('>')?.1;
            // A title inside would name the whole card for a screen reader.
            let body = body.split_once("</title>").map_or(body, |(_, b)| b);
            Some(Inner {
                width: width.parse().ok()?,
                height: height.parse().ok()?,
                body: body.rsplit_once("</svg>")?.0,
            })
        };
        found().unwrap_or(Inner { width: 1.0, height: 1.0, body: "" })
    }

    /// Sets it in; returns its lower end.
    fn place(&self, page: &mut Page, (x, y): (f64, f64), scale: f64) -> f64 {
        page.svg.raw(&format!(
            "<svg x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" viewBox=\"0 0 {} {}\">{}</svg>\n",
            n(x),
            n(y),
            n(scale * self.width),
            n(scale * self.height),
            n(self.width),
            n(self.height),
            self.body
        ));
        y + scale * self.height
    }
}
