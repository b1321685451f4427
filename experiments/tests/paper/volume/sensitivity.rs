//! Curves over depth: what is exact, what is sampled, where they peak.

use crate::volume::exact;
use crate::volume::sensitivity::{Point, Volume, curve};

fn best_depth(points: &[Point]) -> usize {
    points.iter().max_by(|a, b| a.value.partial_cmp(&b.value).unwrap()).unwrap().layers
}

#[test]
fn more_parts_never_make_modularity_likelier() {
    for volume in [Volume::Modular { p: 0.25 }, Volume::ModularDegree { degree: 1.5 }] {
        let all = [1, 2, 3, 4, 5].map(|p| curve(volume, 5, &[2, 3, 4], p, 0, 1).unwrap());
        for depth in 0..3 {
            let row = all.each_ref().map(|points| points[depth].value.unwrap());
            assert!((row[0] - 1.0).abs() < 1e-12, "P = 1 is certain");
            assert!(row.windows(2).all(|w| w[1] < w[0]));
        }
    }
}

#[test]
fn wide_layers_are_sampled_and_hold_the_exact_value() {
    let points = curve(Volume::Modular { p: 0.3 }, 7, &[2], 3, 20_000, 3).unwrap();
    let truth = exact::probability(7, 2, 3, 0.3).unwrap();
    let point = points[0];
    assert_eq!(point.samples, 20_000);
    let error = (point.high.unwrap() - point.low.unwrap()) / 3.92;
    assert!((point.value.unwrap() - truth).abs() < 4.0 * error, "{truth} {point:?}");
}

#[test]
fn a_budget_table_leaves_out_depths_that_cannot_hold_it_and_finds_the_peak() {
    let volume = Volume::Budget { edges: 60 };
    let points = curve(volume, 8, &[1, 2, 3, 4, 5, 6, 7, 8, 9], 2, 8_000, 1).unwrap();
    assert_eq!(points[0].value, None, "60 edges do not fit into one layer of 8");
    assert!([4, 5].contains(&best_depth(&points)));
}
