//! Small records of networks studies, made up, in the form that experiments leave.

use picloom::experiment::networks::NetworksRecord;
use picloom::network::picture::encode_png;
use picloom::study::Record;
use serde_json::{Value, json};
use std::path::Path;

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

/// Which network, and its score as clean of 20.
#[derive(Clone, Copy, Debug)]
pub(crate) struct One<'a> {
    pub target: &'a str,
    pub variant: &'a str,
    pub offset: i64,
    pub arm: &'a str,
    pub level: usize,
    pub seed: Option<u64>,
    pub clean: usize,
    pub odd: Odd,
}

/// Layers of the reference.
pub(crate) const LAYERS: i64 = 5;
const MAPS: usize = 9;

/// A row of a record; its pictures are written beside it in `folder` for the first seed.
pub(crate) fn row(folder: &Path, one: &One<'_>) -> Value {
    let key = json!({
        "target": one.target, "variant": one.variant, "offset": one.offset,
        "layers": LAYERS + one.offset, "arm": one.arm, "level": one.level, "seed": one.seed,
    });
    let mut row = key.clone();
    if one.odd == Odd::Failed {
        row["result"] = Value::Null;
        row["error"] = json!("it failed");
        return row;
    }
    let silent = one.odd == Odd::Silent;
    let some = |value: f64| if silent { Value::Null } else { json!(value) };
    let evolved = one.arm == "evolved";
    let fit = one.odd != Odd::Unfit;
    let first = one.seed.unwrap_or(0) == 0 && one.variant == "base" && one.offset == 0;
    row["result"] = json!({
        "run_id": if evolved { Value::Null } else { json!("0123456789abcdef") },
        "links": 100, "kept": 100 / (1 + 2 * one.level), "alive": 90 / (1 + 2 * one.level),
        "mse": if fit { 0.001 } else { 0.05 }, "r2": if fit { 0.99 } else { 0.4 }, "fit": fit,
        "train": if evolved { Value::Null } else { json!({
            "reason": "step-limit", "steps": 50, "evaluations": 50, "collapses": 0,
            "first_loss": 0.2, "curve": { "step": [0, 25, 50], "loss": [0.2, 0.05, 0.001] },
        })},
        "non_zero": 100, "perturbed": 10,
        "clean": if silent { 0 } else { one.clean },
        "unclear": 0,
        "damaged": if silent { 0 } else { 20 - one.clean },
        "silent": if silent { 20 } else { 0 },
        "score": if silent { Value::Null } else { interval(one.clean) },
        "by_layer": [[1, 1, 0, 0]],
        "measures": {
            "layers": [{
                "maps": 6, "merged": 0, "silent": 0, "rank": 5,
                "interference": 0.3, "welch": 0.04, "excess": 0.26,
            }],
            "interference": some(0.3 + 0.01 * one.level as f64), "excess": some(0.25),
            "roughness": some(0.1), "duplicates": 0.0, "effective_fan_in": 3.0, "reuse": 2.0,
            "modules": 2, "q": 0.3, "q_z": some(1.0), "decoded": some(0.6),
            "decoded_components": some(0.6),
        },
        "sparsity": {
            "depth": 6, "computing_depth": 6, "computing_units": 9, "alive_links": 90,
            "mean_in_degree": 3.0, "max_in_degree": 5,
        },
        "modules": {
            "width": 6, "layers": LAYERS + one.offset, "density": 0.5, "least_touching": 3,
            "spanning": 1, "outputs_driven": true,
        },
    });
    if !silent {
        let score = one.clean as f64 / 20.0;
        row["result"]["score"] = json!({ "score": score, "low": null, "high": null });
    }
    if first && !silent {
        row["result"]["views"] = views(folder, one);
    }
    row
}

/// A score without an interval.
fn interval(clean: usize) -> Value {
    let score = clean as f64 / 20.0;
    json!({ "score": score, "low": score, "high": score })
}

/// Pictures of a network: four changes, nine maps.
fn views(folder: &Path, one: &One<'_>) -> Value {
    std::fs::create_dir_all(folder.join("views")).unwrap();
    let name = format!("views/{}.{}-{}.png", one.target, one.arm, one.level);
    let maps = name.replace(".png", "-maps.png");
    let picture = |width: usize, height: usize| {
        let bytes: Vec<u8> = (0..3 * width * height).map(|i| (i * 7 % 256) as u8).collect();
        encode_png(width, height, &bytes, &[])
    };
    std::fs::write(folder.join(&name), picture(5 * 16, 16)).unwrap();
    std::fs::write(folder.join(&maps), picture(4 * 8, 3 * 8)).unwrap();
    let changes: Vec<Value> = (0..4)
        .map(|k| json!({ "link": k, "layer": 1 + k, "delta": 0.5, "clean": k % 2 == 0 }))
        .collect();
    json!({
        "sweep": name, "changes": changes,
        "maps": {
            "file": maps, "side": 8, "per_row": 4, "layer": [0, 0, 0, 0, 1, 1, 2, 2, 2],
            "activation": vec!["sin"; MAPS], "alive": [true, true, false, true, true, false, true, true, true],
        },
    })
}

/// Writes the record of `FOLDER/STUDY`.
pub(crate) fn write(folder: &Path, study: &str, targets: &[&str], rows: Vec<Value>) {
    let ratios: serde_json::Map<String, Value> = targets
        .iter()
        .enumerate()
        .map(|(i, t)| (t.to_string(), json!(0.1 * 2f64.powi(i as i32))))
        .collect();
    let record = json!({
        "format": "picloom-networks/1", "study": study, "question": "What?", "profile": "made-up",
        "size": 16, "steps": 50, "sample": 10, "effect": 0.18, "target_r2": Value::Null,
        "checkpoints": if WALKED.contains(&study) { WAY.to_vec() } else { Vec::new() },
        "fixed_delta": if study == "regime" { json!(1.0) } else { Value::Null },
        "judge": "dl/1 fitted some day", "left_out": ["skull"], "png_ratio": ratios, "rows": rows,
    });
    std::fs::create_dir_all(folder.join(study)).unwrap();
    let record: NetworksRecord = serde_json::from_value(record).unwrap();
    record.save(&folder.join(study)).unwrap();
}

/// R² at which networks on their way were measured, in the records that have any.
const WAY: [f64; 2] = [0.9, 0.95];
const WALKED: [&str; 2] = ["mechanisms", "regime"];

/// Adds what was measured on its way: the score of the end, networks other than dense ones at half the curvature.
fn on_its_way(row: &mut Value) {
    let half = if row["arm"] == "dense" { 1.0 } else { 0.5 };
    if row["result"].is_object() {
        let score = interval(row["result"]["clean"].as_u64().unwrap() as usize);
        row["result"]["fixed"] = score.clone();
        row["result"]["reached"] = WAY
            .map(|level| {
                json!({
                    "level": level, "r2": level, "step": 10,
                    "score": score,
                    "mechanisms": {
                        "loss": 0.01, "sharpness": 0.2 * half, "hessian_trace": 8.0 * half,
                        "hessian_error": 0.1, "gradient_variance": 3.0, "norm": 40.0 * half,
                    },
                })
            })
            .into();
    }
}

/// The outcome of a network, by its place in the plan.
pub(crate) type Fate = fn(&One<'_>) -> Odd;

/// The rows of one study: (arm, level) × targets × variants × offsets × seeds.
pub(crate) fn rows(
    folder: &Path,
    arms: &[(&str, usize)],
    targets: &[&str],
    (variants, offsets, seeds): (&[&str], &[i64], u64),
    fate: Fate,
) -> Vec<Value> {
    let mut rows = Vec::new();
    for target in targets {
        for variant in variants {
            for &offset in offsets {
                for &(arm, level) in arms {
                    let once = arm == "evolved";
                    for seed in 0..if once { 1 } else { seeds } {
                        // Evolved 18 of 20; others 10, one more a seed, best at the reference depth.
                        let clean = match arm {
                            "evolved" => 18,
                            "sp" => 14 + seed as usize - offset.unsigned_abs() as usize,
                            _ => 10 + seed as usize - offset.unsigned_abs() as usize,
                        };
                        let mut one = One {
                            target,
                            variant,
                            offset,
                            arm,
                            level,
                            seed: (!once).then_some(seed),
                            clean,
                            odd: Odd::No,
                        };
                        one.odd = fate(&one);
                        rows.push(row(folder, &one));
                    }
                }
            }
        }
    }
    rows
}

/// Every networks study under `folder`, with these targets and seeds.
pub(crate) fn study(folder: &Path, targets: &[&str], seeds: u64, fate: Fate) {
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
        (
            "wirings",
            &[
                ("evolved", 0),
                ("dense", 0),
                ("graph", 0),
                ("layerized", 0),
                ("noise-10", 0),
                ("noise-40", 0),
            ][..],
            base,
            &[0][..],
        ),
        ("mechanisms", &[("dense", 0), ("sp", 2), ("noise-40", 0)], base, &[0]),
        ("depth", &[("dense", 0), ("sp", 1)], base, &[-2, -1, 0, 1, 2]),
        ("pruning", &methods, base, &[0]),
        ("regime", &map, base, &[-4, -1, 0, 1, 4]),
        ("out_of_domain", &methods[1..5], base, &[-3, 0, 3]),
        ("controls", &methods[1..5], &["base", "muon"], &[-3, 0, 3]),
    ] {
        let place = folder.join(name);
        let mut rows = rows(&place, arms, targets, (variants, offsets, seeds), fate);
        if WALKED.contains(&name) {
            rows.iter_mut().for_each(on_its_way);
        }
        write(folder, name, targets, rows);
    }
}
