//! Figures with made-up data, one of each kind: looked at by people
//! (`PICLOOM_FIGURES_DEMO=DIR cargo test --test figures`), checked by tests.

use picloom::figures::axis::Axis;
use picloom::figures::charts::{
    Bars, Estimate, Frame, Grid, Group, Heatmap, Mark, Panel, Plot, Point, Rule, Series, Tones,
    bars, grid, heatmap, plot,
};
use picloom::figures::style::{self, arm};
use picloom::math::{SimRng, real};

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
    let band: Vec<(f64, f64, f64)> = curve.iter().map(|&(s, l)| (s, l * 0.6, l * 1.7)).collect();
    Series::line(arm.label, arm.colour, curve).band(band)
}

pub fn loss_curves() -> String {
    let mut rng = SimRng::new(1, "demo", 0);
    plot(&Plot {
        frame: Frame::new("Loss while training, five arms on the skull")
            .subtitle("Full batch, recipe fer, 64 × 64 pixels; the bands span three seeds")
            .note("Layerized and dense twins share their inits. Vertical line: where SP pruned for the second time."),
        x: Axis::new("step"),
        y: Axis::new("loss").unit("mean squared error").log(),
        series: vec![
            losses("dense", 4e-4, &mut rng),
            losses("graph", 3e-2, &mut rng),
            losses("layerized", 2e-3, &mut rng),
            losses("sp", 7e-4, &mut rng),
            losses("magnitude", 1.1e-3, &mut rng).dashed(),
        ],
        x_rules: vec![Rule::new(1500.0, "round 2"), Rule::new(1560.0, "rewound")],
        y_rules: vec![Rule::new(2.4e-3, "fit gate: R² = 0.95")],
        ..Plot::default()
    })
}

pub fn depth() -> String {
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
    plot(&Plot {
        frame: Frame::new("Score against depth"),
        x: Axis::new("offset from the evolved depth").unit("layers").signed(),
        y: Axis::new("compositional score").range(0.0, 1.0),
        series: vec![series("dense", 1.0), series("sp", -1.0)],
        x_rules: vec![Rule::new(0.0, "evolved depth")],
        ..Plot::default()
    })
}

pub fn scatter() -> String {
    let names =
        ["skull", "butterfly", "apple", "car", "cat", "cube", "owl", "lamp", "fish", "moon"];
    let mut rng = SimRng::new(2, "demo", 0);
    let points = names.iter().enumerate().map(|(i, name)| {
        let x = 0.01 * real::exp(0.3 * i as f64);
        let y = 4.0 + 2.4 * i as f64 + rng.normal();
        Point::new(x, y).between(y - 1.5, y + 1.5).label(*name)
    });
    plot(&Plot {
        frame: Frame::new("Depth predicted from the PNG ratio of the target")
            .subtitle("Leave-one-target-out; whiskers: one standard error over three seeds"),
        x: Axis::new("PNG bytes / raw bytes").log(),
        y: Axis::new("best depth").unit("hidden layers"),
        series: vec![Series::cloud("targets", style::colour(0), style::Marker::Circle, points)],
        ..Plot::default()
    })
}

pub fn calibration() -> String {
    let cloud = |k: usize, dx: f64| {
        let points = (0..12).map(move |i| {
            let v = f64::from(i) / 12.0;
            Point::new(v, (v + dx * v * (1.0 - v)).clamp(0.0, 1.0)).x_between(v - 0.03, v + 0.03)
        });
        let marker = style::Marker::ALL[k];
        Series::cloud(format!("judge {k}"), style::colour(k), marker, points)
    };
    plot(&Plot {
        frame: Frame::new("").sized(560, 560),
        x: Axis::new("people").percent(),
        y: Axis::new("judge").percent(),
        series: (0..8).map(|k| cloud(k, 0.9 - 0.25 * k as f64)).collect(),
        diagonal: true,
        ..Plot::default()
    })
}

const KEYS: [&str; 6] = ["evolved", "dense", "graph", "layerized", "sp", "magnitude"];

pub fn scores() -> String {
    let groups = KEYS.iter().enumerate().map(|(i, key)| {
        let (_, a) = arm(key).unwrap();
        let v = [0.86, 0.31, 0.55, 0.42, 0.61, 0.33][i];
        let e = Estimate::new(v)
            .between(v - 0.07, v + 0.06)
            .coloured(a.colour)
            .seeds([v - 0.03, v, v + 0.02])
            .text(style::fixed(v, 2))
            .faint(*key == "graph");
        Group { name: a.label.into(), estimates: vec![Some(e)] }
    });
    bars(&Bars {
        frame: Frame::new("Compositional score by arm")
            .subtitle("Share of weight perturbations judged coherent, Wilson 95 % intervals")
            .note("Hollow: unfit, the network has not learned its picture and its score does not count."),
        value: Axis::new("compositional score").range(0.0, 1.0),
        series: vec![(String::new(), style::colour(0), style::Marker::Circle)],
        groups: groups.collect(),
        ..Bars::default()
    })
}

pub fn dots() -> String {
    let mut rng = SimRng::new(3, "demo", 0);
    let targets = ["skull", "butterfly", "apple", "cat with a background", "cube and sphere"];
    let groups = targets.iter().map(|t| Group {
        name: t.to_string(),
        estimates: KEYS
            .iter()
            .map(|k| {
                let v = 0.2 + 0.6 * rng.uniform();
                (*k != "graph" || *t != "apple")
                    .then(|| Estimate::new(v).between(v - 0.08, v + 0.07).faint(v < 0.35))
            })
            .collect(),
    });
    bars(&Bars {
        frame: Frame::new("Every arm on every target").sized(860, 680),
        value: Axis::new("compositional score").range(0.0, 1.0),
        series: Bars::arms(KEYS.iter().map(|k| arm(k).unwrap().1)),
        groups: groups.collect(),
        mark: Mark::Dot,
        lying: true,
        rules: vec![Rule::new(0.5, "chance")],
        ..Bars::default()
    })
}

pub fn grouped() -> String {
    let groups = ["5·10⁻³", "10⁻³", "5·10⁻⁴", "10⁻⁴"].iter().enumerate().map(|(i, name)| Group {
        name: name.to_string(),
        estimates: (0..4)
            .map(|k| {
                let v = -0.3 + 0.2 * (i + k) as f64;
                Some(Estimate::new(v).between(v - 0.1, v + 0.1))
            })
            .collect(),
    });
    bars(&Bars {
        frame: Frame::new("Change of the score against Adam"),
        value: Axis::new("difference in score"),
        category: "learning rate".into(),
        series: ["Muon", "SAM", "L-BFGS", "Lion"]
            .iter()
            .enumerate()
            .map(|(i, n)| (n.to_string(), style::colour(i), style::Marker::ALL[i]))
            .collect(),
        groups: groups.collect(),
        ..Bars::default()
    })
}

pub fn matrix() -> String {
    let rows: Vec<String> = KEYS.iter().map(|k| arm(k).unwrap().1.label.into()).collect();
    let values = (0..6)
        .map(|r| {
            (0..7)
                .map(|c| if r == 2 && c == 3 { f64::NAN } else { real::sin(f64::from(r * 7 + c)) })
                .collect()
        })
        .collect();
    heatmap(&Heatmap {
        frame: Frame::new("Score of each arm at each depth, less the evolved network's"),
        x: "offset from the evolved depth".into(),
        columns: (-3..=3).map(|n| style::fixed(f64::from(n), 0)).collect(),
        rows,
        values,
        value: Axis::new("difference in score"),
        tones: Tones::Signed,
        decimals: Some(2),
        outlined: vec![(0, 1), (4, 6)],
        ..Heatmap::default()
    })
}

pub fn amounts() -> String {
    let names = |n: usize| (0..n).map(|i| format!("activation number {i}")).collect();
    heatmap(&Heatmap {
        frame: Frame::new("Similarity of units"),
        y: "unit".into(),
        columns: names(24),
        rows: names(24),
        values: (0..24)
            .map(|r| (0..24).map(|c| real::exp(-0.1 * f64::from((r - c) * (r - c)))).collect())
            .collect(),
        value: Axis::new("cosine of feature maps"),
        ..Heatmap::default()
    })
}

pub fn small_multiples() -> String {
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
            Panel::Plot(Plot {
                frame: Frame::new(*target),
                x: Axis::new("step"),
                y: Axis::new("loss").unit("MSE").log(),
                series,
                ..Plot::default()
            })
        })
        .collect();
    grid(&Grid {
        frame: Frame::new("Loss while training, every target").sized(1000, 640),
        columns: 3,
        panels,
        share_x: true,
        share_y: true,
    })
}

/// Heatmaps and bars among small multiples.
pub fn mixed() -> String {
    let heat = |title: &str, scale: f64| {
        Panel::Heatmap(Heatmap {
            frame: Frame::new(title),
            columns: ["y", "x", "d", "bias"].map(String::from).to_vec(),
            rows: ["sin", "gaussian", "sigmoid"].map(String::from).to_vec(),
            values: (0..3)
                .map(|r| (0..4).map(|c| scale * f64::from(r * 4 + c - 5)).collect())
                .collect(),
            value: Axis::new("weight"),
            tones: Tones::Signed,
            ..Heatmap::default()
        })
    };
    let groups = KEYS.iter().enumerate().map(|(i, key)| {
        let (_, a) = arm(key).unwrap();
        let e = Estimate::new(0.1 + 0.12 * i as f64).coloured(a.colour);
        Group { name: a.short.into(), estimates: vec![Some(e)] }
    });
    let bars = Panel::Bars(Bars {
        frame: Frame::new("score"),
        value: Axis::new("score"),
        groups: groups.collect(),
        ..Bars::default()
    });
    grid(&Grid {
        frame: Frame::new("First layers, and what becomes of them").sized(1000, 560),
        columns: 2,
        panels: vec![heat("skull", 0.2), heat("butterfly", 0.1), bars],
        ..Grid::default()
    })
}

/// Every chart: (name, SVG).
pub fn charts() -> Vec<(&'static str, String)> {
    vec![
        ("loss-curves", loss_curves()),
        ("depth", depth()),
        ("scatter", scatter()),
        ("calibration", calibration()),
        ("scores", scores()),
        ("dots", dots()),
        ("grouped", grouped()),
        ("matrix", matrix()),
        ("amounts", amounts()),
        ("small-multiples", small_multiples()),
        ("mixed", mixed()),
    ]
}
