//! A network as it is wired: columns of units, layer by layer, and every live link.
//!
//! Blue links are positive, red ones negative; the heavier, the broader and darker. Removed links
//! (and links of weight 0) are absent; a unit that no link touches is a pale dot. Strong links are
//! drawn last, over weak ones.

use super::fonts::{ellipsized, text_width, wrapped};
use super::sheets::{signed_picture, unit_name};
use super::style::{self, Colour, size};
use super::svg::{Anchor, Svg, n};
use crate::base::png::encode_png;
use crate::math::Activation;
use crate::network::{Mask, Network, Weights};
use crate::page::sugiyama::layout;
use std::fmt::Write;

/// Options of a drawing of a network.
#[derive(Clone, Copy, Debug)]
pub struct Wiring<'a> {
    /// Title; may be empty.
    pub title: &'a str,
    /// A second line in grey; may be empty.
    pub subtitle: &'a str,
    /// The topology.
    pub network: &'a Network,
    /// Which links are kept.
    pub mask: &'a Mask,
    /// Their weights.
    pub weights: &'a Weights,
    /// Feature maps, (U, P) unit by unit, and their side in pixels: each unit is then shown as its
    /// map (red −1, white 0, blue +1). `None`: as a dot in the colour of its activation.
    pub maps: Option<(&'a [f32], usize)>,
    /// People's labels of links, as (link, words): written on them.
    pub labels: &'a [(usize, String)],
    /// Place the units so that links cross less and run straighter, and leave out units that no
    /// link touches. Without it the columns of a layered network keep its order, which keeps equal
    /// activations together. Graphs are always untangled.
    pub untangle: bool,
}

const MARGIN: f64 = 18.0;
/// Of more links than this the strongest are drawn.
const MOST_DRAWN: usize = 2000;
/// Of more labels than this those of the heaviest links are written.
const MOST_LABELS: usize = 40;
/// Steps of strength between the faintest and the strongest link.
const LEVELS: usize = 10;
/// A link that a round removed, and one that it left.
const REMOVED: Colour = Colour(240, 160, 150);
const KEPT: Colour = Colour(70, 78, 88);

/// Draws a network.
///
/// # Panics
/// If mask, weights or maps do not fit the network.
pub fn wiring(wiring: &Wiring<'_>) -> String {
    let network = wiring.network;
    let all = network.weight_count();
    assert_eq!(wiring.mask.0.len(), all, "one flag a link");
    assert_eq!(wiring.weights.0.len(), all, "one weight a link");
    if let Some((maps, size)) = wiring.maps {
        assert_eq!(maps.len(), network.units.len() * size * size, "U·P values");
    }
    let live: Vec<usize> =
        (0..all).filter(|&i| wiring.mask.0[i] && wiring.weights.0[i] != 0.0).collect();
    let mut touched = vec![false; network.units.len()];
    for &i in &live {
        touched[network.links[i].source] = true;
        touched[network.links[i].target] = true;
    }
    let drawn = strongest(wiring, &live);
    let legend =
        [(style::POSITIVE, "positive".to_string()), (style::NEGATIVE, "negative".to_string())];
    let place = Place::new(wiring, &drawn, &touched, &legend);
    let mut svg = Svg::new(place.width, place.height);
    let links_drawn = match drawn.len() < live.len() {
        true => format!("the {} strongest of {}", count(drawn.len()), count(live.len())),
        false => count(live.len()),
    };
    let words = format!(
        "{links_drawn} links, {} of {} units",
        count(touched.iter().filter(|&&t| t).count()),
        count(touched.len())
    );
    head(&mut svg, wiring, &place, &words);
    links(&mut svg, wiring, &place, &drawn);
    labels(&mut svg, wiring, &place, &drawn);
    units(&mut svg, wiring, &place, &touched);
    svg.finish(if wiring.title.is_empty() { "network" } else { wiring.title })
}

/// The live links that are drawn, in their order: of more than can be told apart the strongest.
fn strongest(wiring: &Wiring<'_>, live: &[usize]) -> Vec<usize> {
    if live.len() <= MOST_DRAWN {
        return live.to_vec();
    }
    let strength = |i: &usize| wiring.weights.0[*i].abs();
    let mut drawn = live.to_vec();
    drawn.sort_by(|a, b| strength(b).total_cmp(&strength(a)));
    drawn.truncate(MOST_DRAWN);
    drawn.sort_unstable();
    drawn
}

/// Draws what a round of pruning did: the links of `before` that are gone pale red, those that stay
/// grey, new ones blue, whatever their weights. Maps are not drawn.
///
/// # Panics
/// If masks or weights do not fit the network.
pub(crate) fn wiring_change(after: &Wiring<'_>, before: &Mask) -> String {
    let links = after.network.weight_count();
    assert_eq!(after.mask.0.len(), links, "one flag a link");
    assert_eq!(before.0.len(), links, "one flag a link before");
    let after = &Wiring { maps: None, ..*after };
    let shown: Vec<usize> = (0..links).filter(|&i| before.0[i] || after.mask.0[i]).collect();
    let mut touched = vec![false; after.network.units.len()];
    for &i in shown.iter().filter(|&&i| after.mask.0[i]) {
        touched[after.network.links[i].source] = true;
        touched[after.network.links[i].target] = true;
    }
    let kinds: [(Colour, &str, [bool; 2]); 3] = [
        (REMOVED, "removed", [true, false]),
        (KEPT, "kept", [true, true]),
        (style::POSITIVE, "new", [false, true]),
    ];
    let of = |flags: [bool; 2]| -> Vec<usize> {
        (0..shown.len())
            .filter(|&k| [before.0[shown[k]], after.mask.0[shown[k]]] == flags)
            .collect()
    };
    let legend: Vec<(Colour, String)> = kinds
        .iter()
        .map(|&(colour, name, flags)| (colour, of(flags).len(), name))
        .filter(|&(_, n, name)| n > 0 || name != "new")
        .map(|(colour, n, name)| (colour, format!("{} {name}", count(n))))
        .collect();
    let words = format!(
        "{} of {} units",
        count(touched.iter().filter(|&&t| t).count()),
        count(touched.len())
    );
    let place = Place::new(after, &shown, &touched, &legend);
    let mut svg = Svg::new(place.width, place.height);
    head(&mut svg, after, &place, &words);
    for (colour, _, flags) in kinds {
        let mut paths = String::new();
        let some = of(flags);
        for &k in &some {
            path(&mut paths, after, &place, k, shown[k]);
        }
        let crowd = crowd(some.len(), &place);
        if !paths.is_empty() {
            svg.raw(&format!(
                "<g fill=\"none\" stroke=\"{}\" stroke-width=\"{}\" stroke-opacity=\"{}\">\n{paths}</g>\n",
                colour.hex(),
                n(0.4 + 0.7 * crowd),
                n(0.2 + 0.5 * crowd * crowd),
            ));
        }
    }
    units(&mut svg, after, &place, &touched);
    svg.finish(if after.title.is_empty() { "change" } else { after.title })
}

/// Where everything stands, in pixels.
struct Place {
    width: f64,
    height: f64,
    /// Side of a unit's square, or diameter of its dot.
    unit: f64,
    /// Centre of each unit.
    at: Vec<(f64, f64)>,
    /// Units that are drawn.
    shown: Vec<bool>,
    /// Points each live link passes on its way.
    bends: Vec<Vec<(f64, f64)>>,
    /// Top of the columns' heads.
    top: f64,
    /// x of each layer.
    columns: Vec<f64>,
    title: Vec<String>,
    subtitle: Vec<String>,
    keys: Vec<Key>,
}

/// An entry of the legend, for the colour of a link or of a unit.
struct Key {
    x: f64,
    row: usize,
    mark: Mark,
    name: String,
    /// As far as it reaches to the right, with the gap after it.
    wide: f64,
}

enum Mark {
    Link(Colour),
    Unit(Activation),
}

/// Height of a row of keys.
const KEY_ROW: f64 = 18.0;

/// The keys of the links, then those of the activations that are there, in rows of this width.
fn keys(
    wiring: &Wiring<'_>,
    touched: &[bool],
    legend: &[(Colour, String)],
    width: f64,
) -> Vec<Key> {
    let own = wiring.network.inputs.len()..touched.len();
    let is_used = |activation: &&Activation| {
        let has = |u: usize| touched[u] && wiring.network.units[u].activation == **activation;
        own.clone().any(has)
    };
    let of_links = legend.iter().map(|(colour, name)| (Mark::Link(*colour), name.clone(), 48.0));
    let used = Activation::ALL.iter().filter(is_used);
    let of_units = used.map(|a| (Mark::Unit(*a), a.to_string(), 36.0));
    let (mut x, mut row) = (MARGIN, 0);
    let mut all = Vec::new();
    for (mark, name, around) in of_links.chain(of_units) {
        let wide = around + text_width(&name, size::TICK, false);
        if x > MARGIN && x + wide > width - MARGIN {
            (x, row) = (MARGIN, row + 1);
        }
        all.push(Key { x, row, mark, name, wide });
        x += wide;
    }
    all
}

impl Place {
    fn new(
        wiring: &Wiring<'_>,
        live: &[usize],
        touched: &[bool],
        legend: &[(Colour, String)],
    ) -> Self {
        let network = wiring.network;
        let layer: Vec<usize> = network.units.iter().map(|u| u.layer).collect();
        let layers = network.depth() + 1;
        let mut sizes = vec![0usize; layers];
        for &l in &layer {
            sizes[l] += 1;
        }
        let tallest = sizes.iter().copied().max().unwrap_or(1);
        let (unit, apart) = match wiring.maps {
            Some(_) if tallest > 30 => (26.0, 30.0),
            Some(_) => (34.0, 40.0),
            None if tallest > 30 => (9.0, 15.0),
            None => (12.0, 24.0),
        };
        // A graph's links pass layers: only the layout keeps them clear of units in between.
        let untangle = wiring.untangle || !network.is_layered();
        let ends = |u: usize| u < network.inputs.len() || network.outputs.contains(&Some(u));
        let shown: Vec<bool> =
            (0..layer.len()).map(|u| !untangle || touched[u] || ends(u)).collect();
        let (y, bends, tall) = if untangle {
            let links: Vec<(usize, usize)> =
                live.iter().map(|&i| (network.links[i].source, network.links[i].target)).collect();
            let out = layout(&layer, &shown, &links, (apart, 0.3 * apart));
            (out.y, out.bends, out.height)
        } else {
            let tall = apart * tallest as f64;
            let mut rank = vec![0usize; layers];
            let y = layer
                .iter()
                .map(|&l| {
                    rank[l] += 1;
                    (tall - apart * sizes[l] as f64) / 2.0 + apart * (rank[l] as f64 - 0.5)
                })
                .collect();
            (y, vec![Vec::new(); live.len()], tall)
        };
        let pitch = (unit + 0.11 * tall).clamp(unit + 58.0, unit + 120.0);
        let left = MARGIN + 4.0 + text_width("bias", size::TICK, false) + 8.0;
        let right = MARGIN + text_width("brightness", size::TICK, false) + 10.0;
        let drawing = left + unit + pitch * (layers - 1) as f64 + right;
        let width = drawing.max(520.0);
        let left = left + (width - drawing) / 2.0;
        let room = width - 2.0 * MARGIN;
        let title = wrapped(wiring.title, size::TITLE, true, room, 2);
        let subtitle = wrapped(wiring.subtitle, size::SUBTITLE, false, room, 3);
        let keys = keys(wiring, touched, legend, width);
        let top = MARGIN
            + 1.3 * size::TITLE * title.len() as f64
            + 1.3 * size::SUBTITLE * subtitle.len() as f64
            + KEY_ROW * keys.last().map_or(0, |key| key.row) as f64
            + 46.0;
        let body = top + 26.0;
        let columns: Vec<f64> = (0..layers).map(|l| left + unit / 2.0 + pitch * l as f64).collect();
        Place {
            width,
            height: body + tall + MARGIN,
            unit,
            at: (0..layer.len()).map(|u| (columns[layer[u]], body + y[u])).collect(),
            shown,
            bends: bends
                .iter()
                .map(|b| b.iter().map(|&(l, y)| (columns[l], body + y)).collect())
                .collect(),
            top,
            columns,
            title,
            subtitle,
            keys,
        }
    }
}

/// Title, legend, heads of the columns.
fn head(svg: &mut Svg, wiring: &Wiring<'_>, place: &Place, words: &str) {
    let mut y = MARGIN;
    for line in &place.title {
        let at = (MARGIN, y + 0.95 * size::TITLE);
        svg.text(at, line, size::TITLE, true, style::INK, Anchor::Start);
        y += 1.3 * size::TITLE;
    }
    for line in &place.subtitle {
        let at = (MARGIN, y + 0.95 * size::SUBTITLE);
        svg.text(at, line, size::SUBTITLE, false, style::GREY, Anchor::Start);
        y += 1.3 * size::SUBTITLE;
    }
    let base_of = |row: usize| y + 18.0 + KEY_ROW * row as f64;
    for Key { x, row, mark, name, .. } in &place.keys {
        let base = base_of(*row);
        let from = match mark {
            Mark::Link(colour) => {
                svg.raw(&format!(
                    "<path d=\"M{} {}h24\" stroke=\"{}\" stroke-width=\"2.4\"/>\n",
                    n(*x),
                    n(base - 4.5),
                    colour.hex()
                ));
                30.0
            }
            Mark::Unit(activation) => {
                svg.circle((x + 6.0, base - 4.5), 5.5, tone(*activation), None);
                17.0
            }
        };
        svg.text((x + from, base), name, size::TICK, false, style::INK, Anchor::Start);
    }
    let (end, row) = place.keys.last().map_or((MARGIN, 0), |key| (key.x + key.wide, key.row));
    if end + text_width(words, size::TICK, false) < place.width - MARGIN {
        let at = (place.width - MARGIN, base_of(row));
        svg.text(at, words, size::TICK, false, style::GREY, Anchor::End);
    }
    let depth = wiring.network.depth();
    for (layer, &x) in place.columns.iter().enumerate() {
        let text = match layer {
            0 => "inputs".to_string(),
            l if l == depth && wiring.network.is_layered() => "h, s, v".to_string(),
            l => l.to_string(),
        };
        let at = (x, place.top + 12.0);
        svg.text(at, &text, size::TICK, false, style::GREY, Anchor::Middle);
    }
}

/// The links, faint ones first. One group a strength and sign keeps the text short.
fn links(svg: &mut Svg, wiring: &Wiring<'_>, place: &Place, live: &[usize]) {
    let strength = |i: usize| f64::from(wiring.weights.0[i].abs());
    let mut sizes: Vec<f64> = live.iter().map(|&i| strength(i)).filter(|s| s.is_finite()).collect();
    sizes.sort_by(f64::total_cmp);
    // One giant weight must not make all others faint: full strength is the 95th percentile.
    let full = sizes.get(sizes.len().saturating_sub(1) * 95 / 100).copied().unwrap_or(1.0);
    let mut groups: Vec<[String; 2]> = vec![Default::default(); LEVELS];
    for (k, &i) in live.iter().enumerate() {
        let s = (strength(i) / full).min(1.0);
        let level = ((s * LEVELS as f64) as usize).min(LEVELS - 1);
        let negative = usize::from(wiring.weights.0[i] < 0.0);
        path(&mut groups[level][negative], wiring, place, k, i);
    }
    let crowd = crowd(live.len(), place);
    for (level, signs) in groups.iter().enumerate() {
        let s = (level as f64 + 0.5) / LEVELS as f64;
        for (paths, colour) in signs.iter().zip([style::POSITIVE, style::NEGATIVE]) {
            if paths.is_empty() {
                continue;
            }
            svg.raw(&format!(
                "<g fill=\"none\" stroke=\"{}\" stroke-width=\"{}\" stroke-opacity=\"{}\">\n{paths}</g>\n",
                colour.hex(),
                n((0.5 + 2.6 * s) * (0.4 + 0.6 * crowd)),
                n((0.14 + 0.76 * s) * crowd),
            ));
        }
    }
}

/// Writes people's labels of links, each in the middle of the last piece of its link, on white: the
/// heaviest first, without overlap between labels or with units.
fn labels(svg: &mut Svg, wiring: &Wiring<'_>, place: &Place, drawn: &[usize]) {
    /// Height of a label.
    const TALL: f64 = 15.0;
    let gap = place.columns.windows(2).map(|two| two[1] - two[0]).fold(f64::INFINITY, f64::min);
    let room = (gap - place.unit - 6.0).clamp(30.0, 130.0);
    // Corners of what is taken: left, top, right, bottom.
    let side = place.unit / 2.0 + 2.0;
    let units = place.at.iter().zip(&place.shown).filter(|(_, shown)| **shown);
    let mut taken: Vec<[f64; 4]> =
        units.map(|((x, y), _)| [x - side, y - side, x + side, y + side]).collect();
    let mut heaviest: Vec<&(usize, String)> = wiring.labels.iter().collect();
    let weight = |link: usize| wiring.weights.0[link].abs();
    heaviest.sort_by(|a, b| weight(b.0).total_cmp(&weight(a.0)));
    for (link, words) in heaviest.into_iter().take(MOST_LABELS) {
        let Some(k) = drawn.iter().position(|i| i == link) else { continue };
        let ends = wiring.network.links[*link];
        let goal = place.at[ends.target];
        let from = place.bends[k].last().copied().unwrap_or(place.at[ends.source]);
        let (x, y) = ((from.0 + goal.0) / 2.0, (from.1 + goal.1) / 2.0);
        let words = ellipsized(words, size::CAPTION, false, room);
        let wide = text_width(&words, size::CAPTION, false) + 4.0;
        let own = [x - wide / 2.0, y - TALL / 2.0, x + wide / 2.0, y + TALL / 2.0];
        let meets = |other: &[f64; 4]| {
            own[0] < other[2] && other[0] < own[2] && own[1] < other[3] && other[1] < own[3]
        };
        if taken.iter().any(meets) {
            continue;
        }
        svg.rect(own[0], own[1], wide, TALL, Some(style::PAPER), None);
        svg.text((x, y + 4.0), &words, size::CAPTION, false, style::INK, Anchor::Middle);
        taken.push(own);
    }
}

/// The more links, the thinner each: between two columns of 22 there may be 484.
fn crowd(links: usize, place: &Place) -> f64 {
    let between = links as f64 / place.columns.len().max(2) as f64;
    (60.0 / between.max(1.0)).sqrt().clamp(0.34, 1.0)
}

/// Appends the line of link `i`, the `k`-th that is shown.
fn path(to: &mut String, wiring: &Wiring<'_>, place: &Place, k: usize, i: usize) {
    let link = wiring.network.links[i];
    let half = place.unit / 2.0;
    let (start, goal) = (place.at[link.source], place.at[link.target]);
    let _ = write!(to, "<path d=\"M{} {}", n(start.0 + half), n(start.1));
    let mut x = start.0 + half;
    let mut y = start.1;
    let last = (goal.0 - half, goal.1);
    for &(next_x, next_y) in place.bends[k].iter().chain(std::iter::once(&last)) {
        // Past a column the link runs level for the width of a unit.
        let level = if next_x == last.0 { 0.0 } else { half };
        let end = next_x - level;
        let bend = 0.45 * (end - x);
        let _ = write!(
            to,
            "C{} {} {} {} {} {}",
            n(x + bend),
            n(y),
            n(end - bend),
            n(next_y),
            n(end),
            n(next_y)
        );
        if level > 0.0 {
            let _ = write!(to, "H{}", n(next_x + level));
        }
        (x, y) = (next_x + level, next_y);
    }
    to.push_str("\"/>\n");
}

fn count(n: usize) -> String {
    style::fixed(n as f64, 0)
}

fn units(svg: &mut Svg, wiring: &Wiring<'_>, place: &Place, touched: &[bool]) {
    let network = wiring.network;
    for (u, unit) in network.units.iter().enumerate() {
        if !place.shown[u] {
            continue;
        }
        let (x, y) = place.at[u];
        let edge = if u < network.inputs.len() { style::GREY } else { tone(unit.activation) };
        match wiring.maps {
            _ if !touched[u] => svg.circle((x, y), 3.0, style::BLANK, Some((style::GRID, 1.0))),
            Some((maps, side)) => {
                let pixels = side * side;
                let map = signed_picture(&maps[u * pixels..(u + 1) * pixels], side);
                let map = map.resized(side.min(2 * place.unit as usize));
                let png = encode_png(map.width, map.height, &map.to_bytes(), &[]);
                let corner = (x - place.unit / 2.0, y - place.unit / 2.0);
                let extent = (place.unit, place.unit);
                svg.image(corner, extent, &png, false);
                svg.rect(
                    corner.0 - 1.0,
                    corner.1 - 1.0,
                    place.unit + 2.0,
                    place.unit + 2.0,
                    None,
                    Some((edge, 2.0)),
                );
            }
            None => svg.circle((x, y), place.unit / 2.0, edge, Some((style::PAPER, 1.2))),
        }
        let half = place.unit / 2.0 + 7.0;
        if u < network.inputs.len() {
            let at = (x - half, y + 5.0);
            let name = unit_name(network, u);
            svg.text(at, &name, size::TICK, false, style::INK, Anchor::End);
        } else if network.outputs.contains(&Some(u)) {
            let at = (x + half, y + 5.0);
            let name = unit_name(network, u);
            svg.text(at, &name, size::TICK, false, style::INK, Anchor::Start);
        }
    }
}

/// The colour of an activation.
fn tone(activation: Activation) -> Colour {
    let [red, green, blue] = activation.colour();
    Colour(red, green, blue)
}
