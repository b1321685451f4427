//! Sheets and a report of made-up networks, to be looked at and tested.

use picloom::base::SimRng;
use picloom::figures::html::{Align, Cell, Kind, Page, Section, Shot, Table, Tile};
use picloom::figures::sheets::{Block, FeatureSheet, Pane, Row, Sheet, feature_sheet};
use picloom::figures::style::{self, ARMS};
use picloom::figures::wiring::{Wiring, wiring};
use picloom::network::{Arch, Coords, Mask, Network, Picture, PixelInputs, Weights, reference};
use std::path::{Path, PathBuf};

/// A small random network.
pub(super) fn network(seed: u64) -> (Network, Vec<f64>) {
    let arch: Arch = "5;cache:3,gaussian:3,identity:2,sin:2".parse().unwrap();
    let network = arch.network();
    let mut rng = SimRng::new(seed, "demo network", 0);
    let weights = (0..network.weight_count()).map(|_| 0.42 * rng.normal()).collect();
    (network, weights)
}

pub(super) fn picture(network: &Network, weights: &[f64], size: usize) -> Picture {
    let inputs = PixelInputs::full(size, Coords::Fer);
    let rgb = reference::render(network, weights, &inputs);
    Picture { width: size, height: size, rgb: rgb.iter().map(|&v| v as f32).collect() }
}

/// (U, P), unit by unit.
pub(super) fn maps(network: &Network, weights: &[f64], size: usize) -> Vec<f32> {
    let inputs = PixelInputs::full(size, Coords::Fer);
    reference::forward(network, weights, &inputs).iter().map(|&v| v as f32).collect()
}

fn swept(link: usize, by: f64) -> Picture {
    let (network, mut weights) = network(5);
    weights[link] += by;
    picture(&network, &weights, 40)
}

pub(super) fn contact() -> String {
    let group = |heading: &str, first: usize, count: usize| {
        let panes: Vec<Pane> = (0..count)
            .map(|i| {
                let colour = [style::CLEAN, style::DAMAGED, style::UNJUDGED][i % 3];
                let link = first + 3 * i;
                let caption = if i == 2 {
                    format!("w {link}, cannot reach the effect: silent")
                } else {
                    format!("w {link}  δ {}", style::number(0.01 * (i + 1) as f64, 2))
                };
                Pane::new(swept(link, 0.5 + 0.2 * i as f64), caption).bordered(colour)
            })
            .collect();
        Block::of_panes(heading, &panes, 8)
    };
    let sheet = Sheet {
        title: "Every weight of the dense twin, perturbed".into(),
        subtitle: "Each picture: one weight changed until the picture moved by an RMSE of 0.18"
            .into(),
        legend: vec![
            (style::CLEAN, "clean".into()),
            (style::DAMAGED, "damaged".into()),
            (style::UNJUDGED, "silent".into()),
        ],
        blocks: vec![group("layer 1", 0, 11), group("layer 2", 60, 5)],
        ..Sheet::default()
    };
    sheet.draw()
}

pub(super) fn sweep_strips() -> String {
    let rows = [3, 44, 171, 260].map(|link| {
        let panes = (-3..=3).map(|k| {
            let pane = Pane::new(swept(link, f64::from(k) / 3.0), "");
            if k == 0 { pane.bordered(style::UNJUDGED) } else { pane }
        });
        Row::new(format!("weight {link}"), "layer 3, sin → gaussian", panes)
    });
    let sheet = Sheet {
        title: "Four weights swept".into(),
        heads: (-3..=3)
            .map(|k| match k {
                0 => "w".into(),
                k => format!(
                    "w {} {}",
                    if k < 0 { '−' } else { '+' },
                    style::number(f64::from(k).abs() / 3.0, 2)
                ),
            })
            .map(|head| (1, head))
            .collect(),
        blocks: vec![Block { heading: String::new(), rows: rows.to_vec() }],
        ..Sheet::default()
    };
    sheet.draw()
}

pub(super) fn features() -> String {
    let (network, weights) = network(5);
    let maps = maps(&network, &weights, 40);
    let alive: Vec<bool> = (0..network.units.len()).map(|u| u % 7 != 5).collect();
    feature_sheet(&FeatureSheet {
        title: "Feature maps of the dense twin",
        subtitle: "Skull, 64 × 64 pixels. Pale: units without influence on the picture.",
        network: &network,
        maps: &maps,
        size: 40,
        alive: Some(&alive),
        pane: 56,
    })
}

pub(super) fn report() -> String {
    let (network, weights) = network(5);
    let shot = |i: usize| {
        let mut moved = weights.clone();
        moved[7 * i] += 0.4;
        Shot::new(&picture(&network, &moved, 64), ARMS[i].label)
            .second_line("MSE 4.2·10⁻⁴ · fit 0.98")
            .framed(ARMS[i].colour)
    };
    let rows = ARMS[..6].iter().enumerate().map(|(i, arm)| {
        let score = [0.86, 0.31, 0.55, 0.42, 0.61, 0.33][i];
        vec![
            Cell::new(arm.label).swatch(arm.colour),
            Cell::new(style::interval(score, score - 0.07, score + 0.06, 2)).strong(i == 0),
            Cell::new(style::fixed(5478.0 / (i + 1) as f64, 0)),
            Cell::new(if i == 2 { "unfit" } else { "0.98" }).faint(i == 2).note(if i == 2 {
                2
            } else {
                1
            }),
            Cell::new(style::number(4.2e-4 * (i + 1) as f64, 3)),
        ]
    });
    Page::new(
        "Do this network's parts mean something?",
        "The evolved skull network and five networks trained to draw the same picture, compared by what happens when single weights change.",
    )
    .fact("genome", "`genomes/skull.json`")
    .fact("profile", "quick: 64 × 64 pixels, 3000 steps")
    .fact("seed", "1")
    .fact("took", "2 min 14 s")
    .section(
        Section::new("In short")
            .paragraph("Changing one weight of the **evolved** network leaves a clean picture **86 %** of the time; of the dense twin, 31 %. Similarity pruning brings the twin half of the way. See [the scores](#scores) & <how> they were measured.")
            .tiles((0..4).map(|i| Tile {
                value: ["0.86", "0.31", "0.61", "0.33"][i].into(),
                what: ARMS[[0, 1, 4, 15][i]].label.into(),
                more: "Wilson 95 %: 0.79 – 0.92".into(),
                tone: Some(ARMS[[0, 1, 4, 15][i]].colour),
                means: "score",
            }))
            .callout(Kind::Warning, "One arm is unfit", "The evolved graph, retrained from random weights, has not learned its picture (fit 0.41 < 0.95): its score does not count and is drawn hollow."),
    )
    .section(
        Section::new("Pictures")
            .paragraph("What each network draws. All should look alike: scores are compared at equal fit.")
            .pictures((0..6).map(shot), 150, "The same picture, six networks.")
            .figure(super::sweeps(), "Four weights of the dense twin, swept from w − 1 to w + 1."),
    )
    .section(
        Section::new("Scores")
            .figure(super::scores(), "Compositional score of each arm. Whiskers: Wilson 95 % intervals.")
            .table(Table {
                caption: "Scores, sizes and fit. Bold: the best of the column.".into(),
                headers: ["arm", "score", "weights", "fit", "MSE"].map(String::from).to_vec(),
                align: vec![Align::Left, Align::Right, Align::Right, Align::Right, Align::Right],
                rows: rows.collect(),
                notes: vec![
                    "1 − MSE ⁄ variance of the target about its best constant colour.".into(),
                    "Below the gate of 0.95.".into(),
                ],
            })
            .details("How a picture is judged", Section::default().paragraph("By description length: `K(perturbed) / K(base) ≤ 1.05`.").list(["clean: as simple as before", "damaged: smears, ghosts, noise"]))
            .heading("Maps")
            .figure(super::features(), "One square a unit; red −1, white 0, blue +1."),
    )
    .section(
        Section::new("Repeat it")
            .paragraph("Same seed, same bits, at any thread count.")
            .code("cargo run --release -- compare genomes/skull.json --profile quick --seed 1 --out report\npicloom eval --arch '5;cache:3,gaussian:3' --params report/dense.npz")
            .callout(Kind::Good, "Checked", "Drawn twice, the same bytes.")
            .callout(Kind::Bad, "Not supported", "C5: score peaks at a target-specific depth.")
            .callout(Kind::Note, "Note", "Definitions: METHODS §6."),
    )
    .footer("Written by picloom 0.1.0 from `record.json` (sha256 12ab…).")
    .render()
}

/// Layered and graph networks, dense and sparse, with maps and without.
pub(super) fn wirings() -> Vec<(&'static str, String)> {
    let (network, weights) = network(5);
    let maps = maps(&network, &weights, 24);
    let weights = Weights(weights.iter().map(|&w| w as f32).collect());
    let dense = Mask::all(network.weight_count());
    let sparse = Mask(weights.0.iter().map(|w| w.abs() > 0.6).collect());
    let of = |mask, maps, untangle, title| {
        wiring(&Wiring {
            title,
            subtitle: "Each square: a unit's value over the picture; frame: its activation",
            network: &network,
            mask,
            weights: &weights,
            maps,
            labels: &[],
            untangle,
        })
    };
    let mut all = vec![
        ("wiring-dense", of(&dense, None, false, "The dense twin")),
        ("wiring-maps", of(&sparse, Some((&maps[..], 24)), false, "The pruned twin")),
        ("wiring-untangled", of(&sparse, None, true, "The pruned twin, untangled")),
        ("wiring-empty", of(&Mask(vec![false; network.weight_count()]), None, true, "")),
    ];
    if let Some(archive) = std::env::var_os("PICLOOM_ARCHIVE") {
        all.extend(skull(&PathBuf::from(archive)));
    }
    all
}

/// The skull (other people's data, only where it is present): graph, layerized, trained twin.
fn skull(archive: &Path) -> Vec<(&'static str, String)> {
    let bytes = std::fs::read(archive.join("fer/skull.zip")).unwrap();
    let genome = picloom::genome::from_picbreeder_zip(&bytes).unwrap();
    let (graph, graph_weights) = picloom::network::compile(&genome);
    let layered = picloom::network::layerize(&genome);
    let sgd = picloom::network::weight_files::read_weights(
        &archive.join("fer/skull_sgd.npz"),
        &layered.network,
    )
    .unwrap();
    let draw = |network: &Network, weights: &Weights, mask: &Mask, map: bool, untangle, title| {
        let wide: Vec<f64> = weights.0.iter().map(|&w| f64::from(w)).collect();
        let maps = maps(network, &wide, 48);
        wiring(&Wiring {
            title,
            subtitle: "Skull, Picbreeder 576. Each square is a unit's value over the picture, its frame the activation",
            network,
            mask,
            weights,
            maps: map.then_some((&maps[..], 48)),
            labels: &[],
            untangle,
        })
    };
    let mut sizes: Vec<f32> = sgd.0.iter().map(|w| w.abs()).collect();
    sizes.sort_by(f32::total_cmp);
    let strong = sizes[sizes.len() - 470];
    let pruned = Mask(sgd.0.iter().map(|w| w.abs() >= strong).collect());
    let all = |network: &Network| Mask::all(network.weight_count());
    let net = &layered.network;
    vec![
        (
            "skull-graph",
            draw(&graph, &graph_weights, &all(&graph), true, true, "The evolved graph"),
        ),
        (
            "skull-layers",
            draw(net, &layered.weights, &all(net), true, true, "The evolved network in layers"),
        ),
        ("skull-dense", draw(net, &sgd, &all(net), true, false, "The dense twin, trained by SGD")),
        ("skull-pruned", draw(net, &sgd, &pruned, true, false, "The 470 largest weights")),
    ]
}
