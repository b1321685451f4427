//! Records of networks studies as experiments leave them, made of two networks of the committed wirings: each row is one of
//! them under another name, with numbers whose statistics are known.

use crate::root;
use picloom::experiment::NetworkRow;
use picloom::experiment::networks::record::ReachedScore;
use picloom::experiment::networks::{NetworksRecord, Scored};
use picloom::score::measures::modules::NetworkModules;
use picloom::score::measures::orthogonality::Orthogonality;
use picloom::score::measures::summary::Summary;
use picloom::study::Record;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::OnceLock;

/// A network that is not there or went wrong somehow.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Odd {
    /// As it should be.
    No,
    /// It did not learn its picture.
    Unfit,
    /// It failed.
    Failed,
    /// Nothing could be judged, measured or drawn.
    Silent,
}

/// The outcome of a network, by its place in the plan.
pub(crate) type Fate = fn(&NetworkRow) -> Odd;

/// Layers of the reference.
const LAYERS: i64 = 5;

/// The moth's evolved network or its dense twin in the committed wirings, with their pictures.
fn template(arm: &str) -> NetworkRow {
    static ROWS: OnceLock<Vec<NetworkRow>> = OnceLock::new();
    let rows = ROWS.get_or_init(|| {
        let mut rows = NetworksRecord::read(&root().join("figures/wirings")).unwrap().rows;
        rows.retain(|row| {
            row.target == "moth" && row.result.as_ref().is_some_and(|found| found.views.is_some())
        });
        rows
    });
    let named = if arm == "evolved" { arm } else { "dense" };
    rows.iter().find(|row| row.arm == named).unwrap().clone()
}

/// A score without an interval.
fn scored(clean: usize) -> Scored {
    Scored { score: clean as f64 / 20.0, low: None, high: None, clean_share: None }
}

/// Gives the network at this place in the plan `clean` of 20 changes, and what its fate says. The first seed has pictures.
fn filled(mut row: NetworkRow, clean: usize, odd: Odd) -> NetworkRow {
    if odd == Odd::Failed {
        (row.result, row.error) = (None, Some("it failed".into()));
        return row;
    }
    let is_first = row.seed.unwrap_or(0) == 0 && row.variant == "base" && row.offset == 0;
    let is_silent = odd == Odd::Silent;
    let share = 1 + 2 * row.level;
    let result = row.result.as_mut().unwrap();
    (result.links, result.kept, result.alive) = (100, 100 / share, 90 / share);
    result.fit = odd != Odd::Unfit;
    (result.mse, result.r2) = if result.fit { (0.001, 0.99) } else { (0.05, 0.4) };
    result.unclear = 0;
    (result.clean, result.damaged, result.silent) =
        if is_silent { (0, 0, 20) } else { (clean, 20 - clean, 0) };
    result.score = (!is_silent).then(|| scored(clean));
    result.measures.interference = Some(0.3 + 0.01 * row.level as f64);
    result.measures.layers = vec![Orthogonality {
        maps: 6,
        merged: 0,
        silent: 0,
        rank: 5,
        interference: 0.3,
        welch: 0.04,
        excess: 0.26,
    }];
    if is_silent {
        result.measures = Summary::default();
    }
    result.modules = Some(NetworkModules {
        width: 6,
        layers: row.layers,
        density: 0.5,
        least_touching: 3,
        spanning: 1,
        outputs_driven: true,
    });
    result.views.take_if(|_| is_silent || !is_first);
    row
}

/// R² at which networks on their way were measured, in the records that have any.
const WAY: [f64; 2] = [0.9, 0.95];
const WALKED: [&str; 2] = ["mechanisms", "regime"];

/// Adds what was measured on its way: the score of the end, networks other than dense ones at half the curvature.
fn on_its_way(row: &mut NetworkRow) {
    let half = if row.arm == "dense" { 1.0 } else { 0.5 };
    let Some(result) = &mut row.result else { return };
    let score = Some(scored(result.clean));
    let mechanisms = [
        ("loss", 0.01),
        ("sharpness", 0.2 * half),
        ("hessian_trace", 8.0 * half),
        ("hessian_error", 0.1),
        ("gradient_variance", 3.0),
        ("norm", 40.0 * half),
    ];
    let mechanisms: BTreeMap<_, _> =
        mechanisms.into_iter().map(|(name, value)| (name.to_string(), Some(value))).collect();
    result.fixed = score;
    let at = |level| ReachedScore {
        level,
        r2: Some(level),
        step: Some(10),
        score,
        mechanisms: mechanisms.clone(),
        own: BTreeMap::new(),
    };
    result.reached = WAY.map(at).to_vec();
}

/// (arm, level) × targets × variants × offsets × seeds.
fn rows(
    arms: &[(&str, usize)],
    targets: &[&str],
    (variants, offsets, seeds): (&[&str], &[i64], u64),
    fate: Fate,
) -> Vec<NetworkRow> {
    let mut rows = Vec::new();
    for target in targets {
        for (variant, offset) in variants.iter().flat_map(|v| offsets.iter().map(move |o| (v, *o)))
        {
            for &(arm, level) in arms {
                let once = arm == "evolved";
                for seed in 0..if once { 1 } else { seeds } {
                    // Evolved 18 of 20; others 10, one more a seed, best at the reference depth.
                    let clean = match arm {
                        "evolved" => 18,
                        "sp" => 14 + seed as i64 - offset.abs(),
                        _ => 10 + seed as i64 - offset.abs(),
                    };
                    let row = NetworkRow {
                        target: target.to_string(),
                        about: None,
                        variant: variant.to_string(),
                        offset,
                        layers: (LAYERS + offset) as usize,
                        arm: arm.into(),
                        level,
                        seed: (!once).then_some(seed),
                        ..template(arm)
                    };
                    let odd = fate(&row);
                    rows.push(filled(row, clean as usize, odd));
                }
            }
        }
    }
    rows
}

/// Writes the record of `FOLDER/STUDY`, with the pictures of its networks.
fn write(folder: &Path, study: &str, targets: &[&str], rows: Vec<NetworkRow>) {
    let ratios = targets.iter().zip(0..).map(|(t, i)| (t.to_string(), 0.1 * 2f64.powi(i)));
    let record = NetworksRecord {
        format: NetworksRecord::FORMAT.into(),
        study: study.into(),
        question: "What?".into(),
        profile: "made-up".into(),
        size: 16,
        steps: 50,
        sample: Some(10),
        effect: 0.18,
        checkpoints: if WALKED.contains(&study) { WAY.to_vec() } else { Vec::new() },
        fixed_delta: (study == "regime").then_some(1.0),
        judge: "dl/1 fitted some day".into(),
        left_out: vec!["skull".into()],
        png_ratio: ratios.collect(),
        rows,
        ..NetworksRecord::default()
    };
    let folder = folder.join(study);
    std::fs::create_dir_all(folder.join("views")).unwrap();
    for views in record.rows.iter().filter_map(|row| row.result.as_ref()?.views.as_ref()) {
        for file in views.files() {
            std::fs::copy(root().join("figures/wirings").join(file), folder.join(file)).unwrap();
        }
    }
    record.save(&folder).unwrap();
}

/// Every networks study under `folder`, with these targets and seeds.
pub(crate) fn study(folder: &Path, targets: &[&str], seeds: u64, fate: Fate) {
    let wirings = ["evolved", "dense", "graph", "layerized", "noise-10", "noise-40"];
    let methods = [
        ("evolved", 0),
        ("dense", 0),
        ("sp", 1),
        ("sp", 2),
        ("sp-layer-counts", 1),
        ("sp-layer-counts", 2),
        ("magnitude", 1),
        ("magnitude", 2),
        ("a-new-method", 1),
    ];
    let map = [("dense", 0), ("sp", 1), ("sp", 2), ("layer-counts", 1), ("layer-counts", 2)];
    let base: &[&str] = &["base"];
    for (name, arms, variants, offsets) in [
        ("wirings", &wirings.map(|arm| (arm, 0))[..], base, &[0][..]),
        ("mechanisms", &[("dense", 0), ("sp", 2), ("noise-40", 0)], base, &[0]),
        ("depth", &[("dense", 0), ("sp", 1)], base, &[-2, -1, 0, 1, 2]),
        ("pruning", &methods, base, &[0]),
        ("regime", &map, base, &[-4, -1, 0, 1, 4]),
        ("out_of_domain", &methods[1..5], base, &[-3, 0, 3]),
        ("controls", &methods[1..5], &["base", "muon"], &[-3, 0, 3]),
    ] {
        let mut rows = rows(arms, targets, (variants, offsets, seeds), fate);
        if WALKED.contains(&name) {
            rows.iter_mut().for_each(on_its_way);
        }
        write(folder, name, targets, rows);
    }
}
