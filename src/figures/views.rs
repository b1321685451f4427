//! Drawings of a [`View`]: the card of a measured network, sheets and animations of changed
//! weights, components of its maps. The pictures are drawn anew from the model, nothing is
//! measured.

use super::card::{Card, Changed, card};
use super::film::{Reel, there_and_back};
use super::sheets::{Block, FeatureSheet, Pane, Row, Sheet, feature_sheet, mosaic, signed_picture};
use super::style::{self, CLEAN, DAMAGED, UNCLEAR, fixed, judged_by, number, percent};
use crate::experiment::networks::record::Change;
use crate::network::Picture;
use crate::probe::{Directions, Pca, View, WeightSweep, spread};
use crate::score::card::CardRecord;

/// Changed pictures on a card.
const SHOWN: usize = 24;
/// Side of the maps on a card, at most.
const SIDE: usize = 96;
/// Strips and frames are for looking at: no more weights than this are drawn.
const MOST_STRIPS: usize = 48;
/// Pixels of a picture in a sheet of many, two to one of the page: no larger one is kept.
const LARGEST: u32 = 144;
/// Directions that vary most and directions that vary least: rows of each on their sheet.
const MOST_DIRECTIONS: usize = 8;

/// Draws the card `record` of what `view` shows; `target` is what it should draw.
pub(crate) fn card_of(
    title: &str,
    record: &CardRecord,
    view: &View,
    target: Option<&Picture>,
) -> String {
    let (model, score) = (view.model(), &record.score);
    let side = view.size().min(SIDE);
    let maps = model.maps(side, view.coords());
    let subtitle = format!(
        "{} links, {} non-zero, {} layers; {} at {}²; judge {}",
        fixed(score.links as f64, 0),
        fixed(score.score.non_zero as f64, 0),
        model.network.depth(),
        score.score.delta,
        view.size(),
        judged_by(&score.score.judge)
    );
    let note = format!(
        "taken at {}², means over hidden layers; shuffled: the same links, weights exchanged within layers (another picture)",
        record.measured_at
    );
    card(&Card {
        title,
        subtitle: &subtitle,
        drawn: view.picture(),
        target,
        score: &score.score,
        sampled: score.sampled.as_ref(),
        changed: &changed(view, record),
        measures: &record.measures,
        measures_note: &note,
        network: &model.network,
        weights: &model.weights,
        maps: (&maps.values, side),
        alive: &view.alive_units(),
    })
}

/// Perturbations with a verdict, evenly spread over layers and signs.
fn changed(view: &View, record: &CardRecord) -> Vec<Changed> {
    let judged: Vec<_> = record
        .score
        .perturbations
        .iter()
        .filter_map(|j| j.verdict.as_ref().map(|v| (j.perturbation, v.call)))
        .collect();
    let mut painter = view.painter();
    spread(&judged, SHOWN)
        .map(|&(p, call)| {
            let caption = format!("L{} {}", p.layer, moved(p.link, p.delta));
            Changed { picture: painter.draw(p).clone(), call, caption }
        })
        .collect()
}

/// The changed weight as people write it: `w7 +0.31`.
fn moved(link: usize, delta: f64) -> String {
    format!("w{link} {}{}", if delta < 0.0 { "−" } else { "+" }, number(delta.abs(), 2))
}

/// Draws the map of every unit, unit by unit.
pub(crate) fn unit_sheet(title: &str, view: &View) -> String {
    feature_sheet(&FeatureSheet {
        title,
        subtitle: "feature maps, one square a unit: red −1, white 0, blue +1; pale units do not reach the picture",
        network: &view.model().network,
        maps: &view.maps().values,
        size: view.size(),
        alive: Some(&view.alive_units()),
        pane: 64,
    })
}

/// Every perturbation that had an effect, by layer.
pub(crate) fn sweep_sheet(title: &str, view: &View, sweep: &WeightSweep) -> String {
    let mut painter = view.painter();
    let mut layers: Vec<(usize, Vec<Pane>)> = Vec::new();
    for p in sweep.perturbations.iter().filter(|p| !p.silent) {
        if layers.last().is_none_or(|layer| layer.0 != p.layer) {
            layers.push((p.layer, Vec::new()));
        }
        // As large as it is drawn: there may be thousands.
        let pane = Pane::new(smaller(painter.draw(p)), moved(p.link, p.delta));
        layers.last_mut().expect("pushed above").1.push(pane);
    }
    let block =
        |(layer, panes): &(usize, Vec<Pane>)| Block::of_panes(format!("layer {layer}"), panes, 12);
    let sheet = Sheet {
        title: title.into(),
        subtitle: format!(
            "each picture: one weight changed, {}; silent weights are not shown",
            sweep.delta
        ),
        blocks: layers.iter().map(block).collect(),
        pane: LARGEST / 2,
        ..Sheet::default()
    };
    sheet.draw()
}

/// Pictures after one weight was changed by the RMSE `effect`, framed by what the judge says of them.
pub(crate) fn judged_sheet(title: &str, changed: &[(Change, Picture)], effect: f64) -> String {
    let panes = changed.iter().map(|(change, picture)| {
        let caption = format!("layer {}", change.layer);
        Pane::new(picture.clone(), caption).bordered(style::called(change.call()))
    });
    let sheet = Sheet {
        title: title.to_string(),
        subtitle: format!(
            "each picture: one weight changed until the picture differs by {effect} RMSE"
        ),
        legend: vec![
            (CLEAN, "judged clean".into()),
            (UNCLEAR, "unclear".into()),
            (DAMAGED, "judged damaged".into()),
        ],
        blocks: vec![Block::of_panes("", &panes.collect::<Vec<_>>(), 8)],
        ..Sheet::default()
    };
    sheet.draw()
}

/// Each of `links` (of many, some) swept from w − 1 to w + 1 in `steps` ≥ 2 pictures, one row a
/// link.
pub(crate) fn strip_sheet(title: &str, view: &View, links: &[usize], steps: usize) -> String {
    let model = view.model();
    let rows = spread(links, MOST_STRIPS)
        .map(|&link| {
            let sub = format!("layer {}, w = {:.2}", model.layer_of(link), model.weights.0[link]);
            Row::new(format!("weight {link}"), sub, strip_row(view, link, steps))
        })
        .collect();
    let subtitle = "each row: one weight swept from w − 1 to w + 1".into();
    rows_of(title.into(), subtitle, heads(steps, "w"), rows, LARGEST / 2)
}

/// The directions that vary most and least, over `links` weights, in `steps` ≥ 2 pictures each.
pub(crate) fn direction_sheet(
    title: &str,
    view: &View,
    found: &Directions,
    links: usize,
    steps: usize,
) -> String {
    let n = found.sorted.len();
    let all = n <= 2 * MOST_DIRECTIONS;
    let shown: Vec<usize> = if all {
        (0..n).collect()
    } else {
        (0..MOST_DIRECTIONS).chain(n - MOST_DIRECTIONS..n).collect()
    };
    let rows = shown
        .into_iter()
        .map(|k| {
            let sub = format!("variance {}", number(found.sorted[k].variance, 2));
            let panes = row(found.sorted[k].pictures(view, found.radius, steps));
            Row::new(format!("{} of {n}", k + 1), sub, panes)
        })
        .collect();
    let subtitle = format!(
        "{links} weights moved together by ±{} along a unit direction (median RMSE at the ends {}); most variance first{}",
        number(found.radius, 3),
        number(found.effect, 2),
        if all {
            String::new()
        } else {
            format!(", the {MOST_DIRECTIONS} most and the {MOST_DIRECTIONS} least")
        }
    );
    let title = format!("{title}: random directions");
    rows_of(title, subtitle, heads(steps, "t = 0"), rows, LARGEST / 2)
}

/// Rows of pictures under a head for each column.
fn rows_of(
    title: String,
    subtitle: String,
    heads: Vec<String>,
    rows: Vec<Row>,
    pane: u32,
) -> String {
    let heads = heads.into_iter().map(|head| (1, head)).collect();
    let blocks = vec![Block { heading: String::new(), rows }];
    Sheet { title, subtitle, heads, blocks, pane, ..Sheet::default() }.draw()
}

/// One weight swept, as small as it is drawn: a strip of large pictures would take all memory.
fn strip_row(view: &View, link: usize, steps: usize) -> Vec<Pane> {
    view.strip_of(link, 1.0, steps, |picture| Pane::new(smaller(picture), ""))
}

fn row(pictures: Vec<Picture>) -> Vec<Pane> {
    pictures.iter().map(|p| Pane::new(smaller(p), "")).collect()
}

fn smaller(picture: &Picture) -> Picture {
    picture.resized(picture.width.min(LARGEST as usize))
}

/// Heads of the columns of a strip from −1 to 1; `middle` for 0.
fn heads(steps: usize, middle: &str) -> Vec<String> {
    (0..steps)
        .map(|k| {
            let t = 2.0 * k as f64 / (steps - 1) as f64 - 1.0;
            if t.abs() < 1e-9 {
                middle.into()
            } else {
                format!("{}{:.2}", if t < 0.0 { "−" } else { "+" }, t.abs())
            }
        })
        .collect()
}

/// An animated PNG: `links` (of many, some) side by side, all swept together there and back.
pub(crate) fn sweep_animation(
    view: &View,
    links: &[usize],
    steps: usize,
    texts: &[(&str, &str)],
) -> Vec<u8> {
    let small = |link: usize| -> Vec<Picture> {
        view.strip_of(link, 1.0, steps, |picture| picture.resized(96))
    };
    let columns: Vec<Vec<Picture>> = spread(links, MOST_STRIPS).map(|&link| small(link)).collect();
    let frames: Vec<Picture> = (0..steps)
        .map(|k| {
            let panes: Vec<Pane> = columns.iter().map(|c| Pane::new(c[k].clone(), "")).collect();
            let blocks = vec![Block::of_panes("", &panes, 8)];
            mosaic(&Sheet { blocks, ..Sheet::default() })
        })
        .collect();
    let frames = there_and_back(frames);
    let (width, height) = (frames[0].width, frames[0].height);
    let reel = Reel { width, height, frames: frames.len(), delay: (80, 1000), once: false };
    let mut frames = frames.iter().map(Picture::to_bytes);
    let mut bytes = Vec::new();
    let next = || Ok(frames.next().expect("a frame for each"));
    reel.write_apng(&mut bytes, texts, next).expect("memory takes what is written");
    bytes
}

/// One row a layer, its components from left to right, each scaled so that its largest value is
/// ±1. `size` is the side of the maps.
pub(crate) fn component_sheet(title: &str, layers: &[(usize, Pca)], size: usize) -> String {
    let across = layers.iter().map(|(_, p)| p.components.len()).max();
    let rows = layers
        .iter()
        .filter(|(_, pca)| !pca.components.is_empty())
        .map(|(layer, pca)| {
            let panes = pca.components.iter().map(|c| {
                let most = c.map.iter().fold(0.0f32, |m, v| m.max(v.abs()));
                let scaled: Vec<f32> = c.map.iter().map(|v| v / most).collect();
                Pane::new(signed_picture(&scaled, size), percent(c.share, 1))
            });
            let sub = match pca.maps {
                1 => "1 map".to_string(),
                maps => format!("{maps} maps"),
            };
            Row::new(format!("layer {layer}"), sub, panes)
        })
        .collect();
    let title = format!("{title}: components of the feature maps");
    let subtitle = "of each layer's units that reach the picture; share of their variance under each component, whose largest value is full red or blue".into();
    let heads = (1..=across.unwrap_or(0)).map(|k| k.to_string()).collect();
    rows_of(title, subtitle, heads, rows, 96)
}
