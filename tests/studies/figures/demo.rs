//! Figures with made-up data, one of each kind: looked at by people
//! (`PICLOOM_FIGURES_DEMO=DIR cargo test --test studies figures`), checked by tests.

use picloom::base::{SimRng, real};
use picloom::figures::axis::Axis;
use picloom::figures::charts::{Dots, Figure, Group, Heat, Panel, Point, Rule, Series, Tones};
use picloom::figures::style::{self, arm};

fn losses(key: &str, floor: f64, rng: &mut SimRng) -> Series {
    let (_, arm) = arm(key).unwrap();
    let steps: Vec<f64> = (0..=120).map(|i| f64::from(i) * 25.0).collect();
    let curve: Vec<(f64, f64)> = steps
        .iter()
        .map(|&s| {
            let noise = real::exp(0.12 * rng.normal());
            (s, (0.09 * real::exp(-s / 320.0) + floor) * noise)
        })
        .collect();
    let points = curve.iter().map(|&(s, l)| Point::new(s, l).between(l * 0.6, l * 1.7)).collect();
    Series { points, ..Series::line(arm.label, arm.colour, []).banded() }
}

pub(super) fn loss_curves() -> String {
    let mut rng = SimRng::new(1, "demo", 0);
    let figure = Figure::new("Loss while training, five arms on the skull")
        .subtitle("Full batch, recipe fer, 64 × 64 pixels; the bands span three seeds")
        .note("Layerized and dense twins share their inits. Vertical line: where SP pruned for the second time.");
    figure.draw(&[Panel {
        x: Axis::new("step"),
        y: Axis::new("loss (mean squared error)").log(),
        series: vec![
            losses("dense", 4e-4, &mut rng),
            losses("graph", 3e-2, &mut rng),
            losses("layerized", 2e-3, &mut rng),
            losses("sp", 7e-4, &mut rng),
            losses("magnitude", 1.1e-3, &mut rng).dashed(),
        ],
        x_rules: vec![Rule::new(1500.0, "round 2"), Rule::new(1560.0, "rewound")],
        y_rules: vec![Rule::new(2.4e-3, "fit gate: R² = 0.95")],
        ..Panel::default()
    }])
}

pub(super) fn depth() -> String {
    let series = |key: &str, shift: f64| {
        let (_, a) = arm(key).unwrap();
        let points = (-3..=3).map(|n| {
            let y = 0.82 - 0.03 * (f64::from(n) - shift) * (f64::from(n) - shift);
            (f64::from(n), y)
        });
        let mut s = Series::line(a.label, a.colour, points.clone()).marked(a.marker);
        for p in &mut s.points {
            p.y_interval = Some((p.y - 0.05, p.y + 0.04));
        }
        s
    };
    Figure::new("Score against depth").draw(&[Panel {
        x: Axis::new("offset from the evolved depth (layers)").signed(),
        y: Axis::new("compositional score").range(0.0, 1.0),
        series: vec![series("dense", 1.0), series("sp", -1.0)],
        x_rules: vec![Rule::new(0.0, "evolved depth")],
        ..Panel::default()
    }])
}

pub(super) fn calibration() -> String {
    let cloud = |k: usize, dx: f64| {
        let points = (0..12).map(move |i| {
            let v = f64::from(i) / 12.0;
            let point = Point::new(v, (v + dx * v * (1.0 - v)).clamp(0.0, 1.0));
            Point { x_interval: Some((v - 0.03, v + 0.03)), ..point }
        });
        let marker = style::Marker::ALL[k];
        Series::cloud(format!("judge {k}"), style::colour(k), marker, points)
    };
    Figure::new("").sized(560, 560).draw(&[Panel {
        x: Axis::new("people").percent(),
        y: Axis::new("judge").percent(),
        series: (0..8).map(|k| cloud(k, 0.9 - 0.25 * k as f64)).collect(),
        diagonal: true,
        ..Panel::default()
    }])
}

const KEYS: [&str; 6] = ["evolved", "dense", "graph", "layerized", "sp", "magnitude"];

pub(super) fn scores() -> String {
    let groups = KEYS.iter().enumerate().map(|(i, key)| {
        let (_, a) = arm(key).unwrap();
        let v = [0.86, 0.31, 0.55, 0.42, 0.61, 0.33][i];
        let e = Point::value(v)
            .between(v - 0.07, v + 0.06)
            .coloured(a.colour)
            .seeds([v - 0.03, v, v + 0.02])
            .label(style::fixed(v, 2))
            .hollow(*key == "graph");
        Group { name: a.label.into(), estimates: vec![Some(e)] }
    });
    let figure = Figure::new("Compositional score by arm")
        .subtitle("Share of weight perturbations judged clean, Wilson 95 % intervals")
        .note(
            "Hollow: unfit, the network has not learned its picture and its score does not count.",
        );
    let dots = Dots {
        bars: true,
        value: Axis::new("compositional score").range(0.0, 1.0),
        series: vec![(String::new(), style::colour(0), style::Marker::Circle)],
        groups: groups.collect(),
        ..Dots::default()
    };
    figure.draw(&[dots.panel()])
}

pub(super) fn dots() -> String {
    let mut rng = SimRng::new(3, "demo", 0);
    let targets = ["skull", "butterfly", "apple", "cat with a background", "cube and sphere"];
    let groups = targets.iter().map(|t| Group {
        name: t.to_string(),
        estimates: KEYS
            .iter()
            .map(|k| {
                let v = 0.2 + 0.6 * rng.uniform();
                (*k != "graph" || *t != "apple")
                    .then(|| Point::value(v).between(v - 0.08, v + 0.07).hollow(v < 0.35))
            })
            .collect(),
    });
    let figure = Figure::new("Every arm on every target").sized(860, 680);
    let dots = Dots {
        value: Axis::new("compositional score").range(0.0, 1.0),
        series: Dots::arms(KEYS.iter().map(|k| arm(k).unwrap().1)),
        groups: groups.collect(),
        lying: true,
        rules: vec![Rule::new(0.5, "chance")],
        ..Dots::default()
    };
    figure.draw(&[dots.panel()])
}

pub(super) fn grouped() -> String {
    let groups = ["5·10⁻³", "10⁻³", "5·10⁻⁴", "10⁻⁴"].iter().enumerate().map(|(i, name)| Group {
        name: name.to_string(),
        estimates: (0..4)
            .map(|k| {
                let v = -0.3 + 0.2 * (i + k) as f64;
                Some(Point::value(v).between(v - 0.1, v + 0.1))
            })
            .collect(),
    });
    let figure = Figure::new("Change of the score against Adam");
    let dots = Dots {
        bars: true,
        value: Axis::new("difference in score"),
        category: "learning rate".into(),
        series: ["Muon", "SAM", "L-BFGS", "Lion"]
            .iter()
            .enumerate()
            .map(|(i, n)| (n.to_string(), style::colour(i), style::Marker::ALL[i]))
            .collect(),
        groups: groups.collect(),
        ..Dots::default()
    };
    figure.draw(&[dots.panel()])
}

pub(super) fn amounts() -> String {
    let names = |n: usize| (0..n).map(|i| format!("activation number {i}")).collect();
    let heat = Heat {
        columns: names(24),
        rows: names(24),
        values: (0..24)
            .map(|r| (0..24).map(|c| real::exp(-0.1 * f64::from((r - c) * (r - c)))).collect())
            .collect(),
        value: Axis::new("cosine of feature maps"),
        ..Heat::default()
    };
    Figure::new("Similarity of units").draw(&[heat.panel("", "", "unit")])
}

pub(super) fn small_multiples() -> String {
    let mut rng = SimRng::new(4, "demo", 0);
    let panels = ["skull", "butterfly", "apple", "car", "cat", "no such picture"]
        .iter()
        .map(|target| {
            let series = if *target == "no such picture" {
                Vec::new()
            } else {
                ["dense", "sp", "magnitude"]
                    .iter()
                    .map(|k| losses(k, 1e-3 * rng.uniform(), &mut rng))
                    .collect()
            };
            Panel::new(*target, Axis::new("step"), Axis::new("loss (MSE)").log(), series)
        })
        .collect::<Vec<_>>();
    let figure = Figure::new("Loss while training, every target");
    figure.multiples(3, 1000, 220).shared(true, true).draw(&panels)
}

/// Heatmaps and bars among small multiples.
pub(super) fn mixed() -> String {
    let heat = |title: &str, scale: f64| {
        let heat = Heat {
            columns: ["y", "x", "d", "bias"].map(String::from).to_vec(),
            rows: ["sin", "gaussian", "sigmoid"].map(String::from).to_vec(),
            values: (0..3)
                .map(|r| (0..4).map(|c| scale * f64::from(r * 4 + c - 5)).collect())
                .collect(),
            value: Axis::new("weight"),
            tones: Tones::Signed,
            ..Heat::default()
        };
        heat.panel(title, "", "")
    };
    let groups = KEYS.iter().enumerate().map(|(i, key)| {
        let (_, a) = arm(key).unwrap();
        let e = Point::value(0.1 + 0.12 * i as f64).coloured(a.colour);
        Group { name: a.short.into(), estimates: vec![Some(e)] }
    });
    let bars = Dots {
        title: "score".into(),
        value: Axis::new("score"),
        groups: groups.collect(),
        bars: true,
        ..Dots::default()
    };
    let panels = [heat("skull", 0.2), heat("butterfly", 0.1), bars.panel()];
    Figure::new("First layers, and what becomes of them").multiples(2, 1000, 180).draw(&panels)
}

/// Every chart: (name, SVG).
pub(super) fn charts() -> Vec<(&'static str, String)> {
    vec![
        ("loss-curves", loss_curves()),
        ("depth", depth()),
        ("calibration", calibration()),
        ("scores", scores()),
        ("dots", dots()),
        ("grouped", grouped()),
        ("amounts", amounts()),
        ("small-multiples", small_multiples()),
        ("mixed", mixed()),
    ]
}
