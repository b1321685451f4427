//! Sheets and wirings of made-up networks, to be looked at (`PICLOOM_FIGURES_DEMO=DIR cargo test --test studies figures`) and
//! tested.

use picloom::base::SimRng;
use picloom::figures::sheets::{Block, FeatureSheet, Pane, Row, Sheet, feature_sheet};
use picloom::figures::style;
use picloom::figures::wiring::{Wiring, wiring};
use picloom::network::{Arch, Coords, Mask, Network, Picture, PixelInputs, Weights, reference};

/// Every sheet and wiring: (name, SVG).
pub(super) fn gallery() -> Vec<(&'static str, String)> {
    let mut all = vec![
        ("contact-sheet", contact()),
        ("strips", sweep_strips()),
        ("feature-maps", features()),
    ];
    all.extend(wirings());
    all
}

/// A small random network.
fn network(seed: u64) -> (Network, Vec<f64>) {
    let arch: Arch = "5;cache:3,gaussian:3,identity:2,sin:2".parse().unwrap();
    let network = arch.network();
    let mut rng = SimRng::new(seed, "demo network", 0);
    let weights = (0..network.weight_count()).map(|_| 0.42 * rng.normal()).collect();
    (network, weights)
}

fn picture(network: &Network, weights: &[f64], size: usize) -> Picture {
    let inputs = PixelInputs::full(size, Coords::Fer);
    let rgb = reference::render(network, weights, &inputs);
    Picture { width: size, height: size, rgb: rgb.iter().map(|&v| v as f32).collect() }
}

/// (U, P), unit by unit.
fn maps(network: &Network, weights: &[f64], size: usize) -> Vec<f32> {
    let inputs = PixelInputs::full(size, Coords::Fer);
    reference::forward(network, weights, &inputs).iter().map(|&v| v as f32).collect()
}

fn swept(link: usize, by: f64) -> Picture {
    let (network, mut weights) = network(5);
    weights[link] += by;
    picture(&network, &weights, 40)
}

fn contact() -> String {
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

fn sweep_strips() -> String {
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

fn features() -> String {
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

/// Layered and graph networks, dense and sparse, with maps and without.
fn wirings() -> Vec<(&'static str, String)> {
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
    vec![
        ("wiring-dense", of(&dense, None, false, "The dense twin")),
        ("wiring-maps", of(&sparse, Some((&maps[..], 24)), false, "The pruned twin")),
        ("wiring-untangled", of(&sparse, None, true, "The pruned twin, untangled")),
        ("wiring-empty", of(&Mask(vec![false; network.weight_count()]), None, true, "")),
    ]
}
