//! The embedded judge against an independent numpy implementation (tests/oracle/judge.py), on drawings made by
//! integer arithmetic.

use picloom::base::hash::sha256_hex;
use picloom::genome::from_json;
use picloom::network::{Coords, Model, Picture, Wiring};
use picloom::probe::{Delta, Selection};
use picloom::score::dl::{Base, features::NAMES};
use picloom::score::{DlJudge, Exhibit, Judge, Label, Protocol};
use serde::Deserialize;

#[derive(Deserialize)]
struct Row {
    width: usize,
    height: usize,
    kind: String,
    features: Vec<f64>,
}

/// The drawing of the oracle script: a disc over a ramp, changed as `kind` says.
fn drawing(width: usize, height: usize, kind: &str) -> Picture {
    let mut rgb = Vec::new();
    for row in 0..height as i64 {
        for column in 0..width as i64 {
            let (y, x) = (row * 64 / height as i64, column * 64 / width as i64);
            let (cx, r2) = match kind {
                "moved" => (36, 200),
                "grown" => (30, 330),
                _ => (30, 200),
            };
            let inside = (x - cx) * (x - cx) + (y - 33) * (y - 33) < r2;
            let ground = [30 + x, 40 + 2 * y, 90 + y];
            let colour = if inside { [230, 60, 40] } else { ground };
            for c in 0..3 {
                let change = match kind {
                    "smeared" if x > 12 && y > 20 => (x * x / 7 + y * 5) % 90 - 30,
                    "noisy" => (row * 7919 + column * 10473 + c as i64 * 1301) % 97 - 48,
                    "tinted" => colour[c] * [10, 7, 4][c] / 10 - colour[c],
                    _ => 0,
                };
                rgb.push((colour[c] + change).clamp(0, 255) as f32 / 255.0);
            }
        }
    }
    Picture { width, height, rgb }
}

#[test]
fn features_equal_the_oracles_at_every_size() {
    let rows: Vec<Row> = serde_json::from_str(include_str!("../oracle/judge.json")).unwrap();
    assert_eq!(rows.len(), 20);
    for row in rows {
        let base = Base::new(&drawing(row.width, row.height, "base"));
        let new = drawing(row.width, row.height, &row.kind);
        let found = base.features(&new).unwrap().unwrap();
        assert_eq!((found.len(), row.features.len()), (NAMES.len(), found.len()));
        for ((name, found), expected) in NAMES.iter().zip(found).zip(&row.features) {
            // It counts in 32-bit floats; a contour's direction is anybody's where the tensor is nearly round.
            let close = if *name == "fray" { 5e-3 } else { 2e-4 };
            assert!(
                (found - expected).abs() < close,
                "{name} of {} at {}×{}: expected {expected}, found {found}",
                row.kind,
                row.width,
                row.height
            );
        }
    }
}

#[test]
fn the_shipped_judge_keeps_moved_parts_and_refuses_smears_and_noise_at_every_size() {
    let judge = DlJudge::default();
    for size in [48, 64, 112, 256] {
        let base = drawing(size, size, "base");
        let reading = judge.read_base(&base);
        for (kind, expected) in [
            ("base", Label::Clean),
            ("moved", Label::Clean),
            ("grown", Label::Clean),
            ("smeared", Label::Damaged),
            ("noisy", Label::Damaged),
        ] {
            let verdict = reading.judge(&drawing(size, size, kind)).unwrap();
            assert_eq!(verdict.likelier(), expected, "{kind} at {size}: {verdict:?}");
        }
        assert_eq!(reading.judge(&base).unwrap().evidence, 0.0);
    }
}

/// So that no change of the code moves a score: the bits of P(damaged) of all changes of a network.
#[test]
fn the_shipped_judges_probabilities_keep_their_bits() {
    let genome = from_json(include_str!("../../genomes/bred_moth.json")).unwrap();
    let model = Model::of_genome(&genome, Wiring::Graph);
    let exhibit = Exhibit::new(&model, 64, Coords::Fer, None);
    let protocol = Protocol { samples: Selection::All, delta: Delta::Effect(0.18), seed: 0 };
    let judged = protocol.measure(&exhibit, &DlJudge::default()).unwrap().judged;
    let p = judged.iter().filter_map(|judged| Some(judged.verdict.as_ref()?.p_damaged));
    let bytes: Vec<u8> = p.flat_map(f64::to_le_bytes).collect();
    assert_eq!(bytes.len(), 8 * 42);
    assert_eq!(
        sha256_hex(&bytes),
        "730a31543670295bf0f2507723daf4b2f4148bddadf77288f044c24efc985e84"
    );
}
