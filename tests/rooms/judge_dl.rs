//! The embedded judge, every version, against an independent numpy implementation
//! (tests/oracle/judge.py), on drawings made by integer arithmetic and, where the archive is present, on its pictures.

use picloom::network::Picture;
use picloom::score::dl::Version;
use picloom::score::{DlJudge, DlModel, Judge, Label};
use serde::Deserialize;

#[derive(Deserialize)]
struct Row {
    width: usize,
    height: usize,
    kind: String,
    two: Vec<f64>,
    three: Vec<f64>,
    four: Vec<f64>,
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
        // From version 3 on it counts in 32-bit floats.
        for (version, expected, close) in [
            (Version::Two, &row.two, 1e-6),
            (Version::Three, &row.three, 2e-4),
            (Version::Four, &row.four, 2e-4),
        ] {
            let base = version.read(&drawing(row.width, row.height, "base"));
            let new = drawing(row.width, row.height, &row.kind);
            let found = base.features(&new).unwrap().unwrap();
            assert_eq!((found.len(), expected.len()), (version.names().len(), found.len()));
            for ((name, found), expected) in version.names().iter().zip(found).zip(expected) {
                // A contour's direction is anybody's where the tensor is nearly round.
                let close = if *name == "fray" { 5e-3 } else { close };
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
}

#[test]
fn the_shipped_judge_keeps_moved_parts_and_refuses_smears_and_noise_at_every_size() {
    for (version, size) in Version::ALL.into_iter().flat_map(|v| [48, 64, 112, 256].map(|s| (v, s)))
    {
        let judge = DlJudge { model: DlModel::shipped(version) };
        let base = drawing(size, size, "base");
        let reading = judge.read_base(&base);
        for (kind, expected) in [
            ("base", Label::Coherent),
            ("moved", Label::Coherent),
            ("grown", Label::Coherent),
            ("smeared", Label::Fractured),
            ("noisy", Label::Fractured),
        ] {
            let verdict = reading.judge(&drawing(size, size, kind)).unwrap();
            if (version, size, kind) == (Version::Three, 256, "noisy") {
                // Noise of single pixels is nearly gone from the 64² copy: it does not know.
                assert!((0.25..0.75).contains(&verdict.evidence), "{verdict:?}");
                continue;
            }
            assert_eq!(verdict.likelier(), expected, "{version:?}: {kind} at {size}: {verdict:?}");
        }
        assert_eq!(reading.judge(&base).unwrap().evidence, 0.0);
    }
}

#[test]
fn a_picture_of_another_size_is_refused() {
    let judge = DlJudge::default();
    let base = drawing(64, 64, "base");
    let error = judge.read_base(&base).judge(&drawing(48, 64, "moved"));
    let text = error.unwrap_err().to_string();
    assert!(text.contains("64×64") && text.contains("48×64"), "{text}");
}
