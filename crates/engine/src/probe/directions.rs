//! Random directions in weight space, sorted by how much the picture varies along them (FER's
//! view of a network's whole neighbourhood).
//!
//! A direction is a unit vector u over the chosen links, uniform on the sphere (normal components,
//! normalised). Along it the picture is drawn at w + tρu for `steps` values of t from −1 to 1. Its
//! variance is the mean, over pixels and channels, of the variance over the steps.
//!
//! All directions share one radius ρ ≤ 16, bisected until the *median* effect (the larger RMSE of
//! the two ends) is the wanted E ± 15 % \[ours\]: matched between networks, while the directions
//! of one network can still differ. Had each direction its own radius, they would all vary alike.
//!
//! Source: Kumar et al., *Questioning representational optimism: the fractured entangled
//! representation hypothesis*, 2025 (sweeps along random directions); matching is \[ours\].

use super::{Change, Delta, View};
use crate::base::SimRng;
use crate::network::Picture;
use rayon::prelude::*;
use serde::Serialize;

/// One random direction.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Direction {
    /// Its number in the order of drawing, from 0.
    pub number: usize,
    /// (link, component of u), ascending links; not in records.
    #[serde(skip)]
    pub components: Vec<(usize, f64)>,
    /// Mean over pixels and channels of the variance over the steps, ≥ 0.
    pub variance: f64,
    /// RMSE between the picture at t = −1 and the base, and at t = 1.
    pub rmse: (f64, f64),
}

/// Directions of one network.
#[derive(Clone, Debug, PartialEq)]
pub struct Directions {
    /// ρ, the length of every step t = 1.
    pub radius: f64,
    /// The median over directions of the larger RMSE of the two ends.
    pub effect: f64,
    /// Largest variance first; equal ones in the order of drawing.
    pub sorted: Vec<Direction>,
}

/// `directions.json`: largest variance first.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct DirectionsRecord {
    /// `picloom-directions/1`.
    pub format: &'static str,
    /// Seed of the directions.
    pub seed: u64,
    /// Length of a step t = 1, the same for all directions.
    pub radius: f64,
    /// Median RMSE of the farther end.
    pub effect: f64,
    /// Pictures of each direction.
    pub steps: usize,
    /// Weights that were moved together.
    pub links: usize,
    /// The directions without their components.
    pub sorted: Vec<Direction>,
}

impl Directions {
    /// Without components; `seed`, `links` and `steps` are those they were drawn with.
    pub fn record(&self, seed: u64, links: usize, steps: usize) -> DirectionsRecord {
        DirectionsRecord {
            format: "picloom-directions/1",
            seed,
            radius: self.radius,
            effect: self.effect,
            steps,
            links,
            sorted: self
                .sorted
                .iter()
                .map(|d| Direction { components: Vec::new(), ..*d })
                .collect(),
        }
    }
}

impl Direction {
    /// The pictures at w + tρu, ρ = `radius`, for `steps` values of t from −1 to 1.
    pub fn pictures(&self, view: &View, radius: f64, steps: usize) -> Vec<Picture> {
        let mut painter = view.painter();
        let at = |t| painter.draw_all(along(&self.components, t * radius)).clone();
        places(steps).map(at).collect()
    }
}

/// t from −1 to 1.
fn places(steps: usize) -> impl Iterator<Item = f64> {
    let last = steps.max(2) - 1;
    (0..=last).map(move |k| 2.0 * k as f64 / last as f64 - 1.0)
}

/// The change by `length` along a direction.
fn along(components: &[(usize, f64)], length: f64) -> impl Iterator<Item = Change> {
    components.iter().map(move |&(link, u)| Change::By { link, delta: length * u })
}

/// Draws `count` directions over `links` and sorts them by variance over `steps` ≥ 2 pictures.
///
/// `effect` is the wanted median RMSE, in (0, 1). Does not depend on the number of threads.
///
/// # Panics
/// If there is no direction to draw (no links, or `count` 0), or a link is not the view's.
pub fn directions(
    view: &View,
    links: &[usize],
    count: usize,
    steps: usize,
    effect: f64,
    rng: &mut SimRng,
) -> Directions {
    assert!(!links.is_empty() && count > 0, "links and directions");
    let drawn: Vec<Vec<(usize, f64)>> = (0..count).map(|_| unit_vector(links, rng)).collect();
    let ends = |radius: f64| -> Vec<(f64, f64)> {
        drawn
            .par_iter()
            .map_init(
                || view.painter(),
                |painter, u| {
                    let mut at = |length| painter.effect_of_all(along(u, length));
                    (at(-radius), at(radius))
                },
            )
            .collect()
    };
    let (radius, rmse) = matched(effect, ends);
    let mut sorted: Vec<Direction> = drawn
        .par_iter()
        .zip(&rmse)
        .enumerate()
        .map_init(
            || view.painter(),
            |painter, (number, (u, &rmse))| {
                let n = view.picture().rgb.len();
                let (mut mean, mut square, mut seen) = (vec![0.0f64; n], vec![0.0f64; n], 0.0);
                for t in places(steps) {
                    let picture = painter.draw_all(along(u, t * radius));
                    // Welford: no difference of large sums.
                    seen += 1.0;
                    for ((m, s), &v) in mean.iter_mut().zip(&mut square).zip(&picture.rgb) {
                        let off = f64::from(v) - *m;
                        *m += off / seen;
                        *s += off * (f64::from(v) - *m);
                    }
                }
                Direction {
                    number,
                    components: u.clone(),
                    variance: square.iter().sum::<f64>() / seen / n.max(1) as f64,
                    rmse,
                }
            },
        )
        .collect();
    sorted.sort_by(|a, b| b.variance.total_cmp(&a.variance).then(a.number.cmp(&b.number)));
    Directions { radius, effect: median_end(&rmse), sorted }
}

/// Uniform on the unit sphere over `links`.
pub fn unit_vector(links: &[usize], rng: &mut SimRng) -> Vec<(usize, f64)> {
    let raw: Vec<f64> = links.iter().map(|_| rng.normal()).collect();
    let norm = raw.iter().map(|v| v * v).sum::<f64>().sqrt();
    links.iter().zip(raw).map(|(&link, v)| (link, v / norm)).collect()
}

/// The median of the larger effect of the two ends.
fn median_end(ends: &[(f64, f64)]) -> f64 {
    let mut larger: Vec<f64> = ends.iter().map(|e| e.0.max(e.1)).collect();
    larger.sort_by(f64::total_cmp);
    let n = larger.len();
    0.5 * (larger[(n - 1) / 2] + larger[n / 2])
}

/// The radius whose median effect is nearest to `wanted`: doubling until it is passed, then
/// bisection, as for single weights.
fn matched(wanted: f64, ends: impl Fn(f64) -> Vec<(f64, f64)>) -> (f64, Vec<(f64, f64)>) {
    let off = |e: &[(f64, f64)]| (median_end(e) / wanted - 1.0).abs();
    let (mut low, mut high) = (0.0, 1.0 / 64.0);
    let mut best = (high, ends(high));
    let mut found = best.1.clone();
    while median_end(&found) < wanted && high < Delta::LARGEST {
        if off(&found) < off(&best.1) {
            best = (high, found);
        }
        low = high;
        high = (2.0 * high).min(Delta::LARGEST);
        found = ends(high);
    }
    if off(&found) < off(&best.1) {
        best = (high, found);
    }
    for _ in 0..24 {
        if off(&best.1) <= Delta::TOLERANCE || low >= Delta::LARGEST {
            break;
        }
        let middle = 0.5 * (low + high);
        let found = ends(middle);
        if median_end(&found) < wanted {
            low = middle;
        } else {
            high = middle;
        }
        if off(&found) < off(&best.1) {
            best = (middle, found);
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::network::{Arch, Coords, Model, Weights};

    #[test]
    fn along_the_one_weight_that_sets_the_grey_the_variance_is_known() {
        // Bias → unit 4 → brightness: a grey of w. Every direction over link 6 is ±1.
        let network = "1;identity:1".parse::<Arch>().unwrap().network();
        let weights = Weights(vec![0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.5]);
        let view = View::new(&Model::new(network, weights), 8, Coords::Fer);
        let mut rng = SimRng::new(1, "test", 0);
        let found = directions(&view, &[6], 4, 5, 0.18, &mut rng);
        assert!((found.effect / 0.18 - 1.0).abs() <= Delta::TOLERANCE);
        for d in &found.sorted {
            assert!((d.components[0].1.abs() - 1.0).abs() < 1e-12);
            // The grey moves by tρ, t = −1, −½, 0, ½, 1: variance ρ²/2, RMSE ρ at both ends.
            let rho = found.radius;
            assert!((d.variance / (rho * rho / 2.0) - 1.0).abs() < 1e-4, "{d:?}");
            assert!((d.rmse.0 / rho - 1.0).abs() < 1e-4 && (d.rmse.1 / rho - 1.0).abs() < 1e-4);
        }
    }

    #[test]
    fn directions_are_unit_vectors_sorted_by_variance_and_the_same_at_any_thread_count() {
        let network = "2;gaussian:2,sin:2".parse::<Arch>().unwrap().network();
        let mut rng = SimRng::new(4, "test", 0);
        let drawn = (0..network.weight_count()).map(|_| rng.normal() as f32);
        let weights = Weights(drawn.collect());
        let links: Vec<usize> = (0..network.weight_count()).collect();
        let view = View::new(&Model::new(network, weights), 24, Coords::Fer);
        let draw = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
            pool.unwrap().install(|| {
                let mut rng = SimRng::new(9, "test", 0);
                directions(&view, &links, 12, 7, 0.15, &mut rng)
            })
        };
        let found = draw(1);
        assert_eq!(found, draw(3));
        assert!((found.effect / 0.15 - 1.0).abs() <= Delta::TOLERANCE);
        for pair in found.sorted.windows(2) {
            assert!(pair[0].variance >= pair[1].variance);
        }
        assert!(found.sorted[0].variance > 1.2 * found.sorted[11].variance);
        for d in &found.sorted {
            let norm: f64 = d.components.iter().map(|c| c.1 * c.1).sum();
            assert!((norm - 1.0).abs() < 1e-12);
        }
        let mut numbers: Vec<usize> = found.sorted.iter().map(|d| d.number).collect();
        numbers.sort_unstable();
        assert_eq!(numbers, (0..12).collect::<Vec<_>>());
        // The middle picture is the network's own.
        let shown = found.sorted[0].pictures(&view, found.radius, 7);
        assert_eq!(&shown[3], view.picture());
        assert_ne!(shown[0].rgb, shown[6].rgb);
    }

    #[test]
    fn a_network_that_no_direction_changes_keeps_the_largest_radius_it_tried_best() {
        // Saturation and brightness are 0: hue weights do not change the black picture.
        let network = "1;identity:1".parse::<Arch>().unwrap().network();
        let weights = Weights(vec![0.0; 7]);
        let view = View::new(&Model::new(network, weights), 6, Coords::Fer);
        let mut rng = SimRng::new(1, "test", 0);
        let found = directions(&view, &[4], 3, 3, 0.18, &mut rng);
        assert_eq!(found.effect, 0.0);
        assert!(found.sorted.iter().all(|d| d.variance == 0.0));
    }
}
