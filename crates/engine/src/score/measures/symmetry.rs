//! Symmetry preservation: when a weight changes, does the picture change on both sides alike?
//!
//! With D = perturbed − base and M its mirror image: D = (D + M)/2 + (D − M)/2, two orthogonal
//! parts. Preservation = ‖(D + M)/2‖²/‖D‖², in [0, 1]: 1 if the change is symmetric, 0 if it is
//! antisymmetric, ½ on average for a change that knows nothing of the axis.
//!
//! In: pictures (P, 3), or a view and its sweep of N weights. Out: a share; the mean share, `None`
//! if nothing changes.
//! Cost: after the sweep at most 2N drawings of P pixels, a pass over each.
//!
//! Source: \[ours\]; FER shows that sweeps of the evolved skull and butterfly keep the symmetry and
//! SGD's do not (Kumar et al. 2025, Fig. 5).
//!
//! **What it does not mean:** nothing on a picture that is not symmetric. `mirror_error` of the
//! base says whether it is; report both. And a symmetric smear is still a smear.

use super::measure::{Measure, kept};
use crate::base::text::number;
use crate::network::Picture;
use crate::probe::{View, WeightSweep};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Which way a picture is mirrored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Axis {
    /// Left and right change places.
    Vertical,
    /// Top and bottom change places.
    Horizontal,
}

/// Index of the pixel that takes the place of `pixel`.
fn mirrored(pixel: usize, width: usize, height: usize, axis: Axis) -> usize {
    let (row, column) = (pixel / width, pixel % width);
    match axis {
        Axis::Vertical => row * width + width - 1 - column,
        Axis::Horizontal => (height - 1 - row) * width + column,
    }
}

/// RMSE between a picture and its mirror image, in [0, 1]; 0 for a symmetric picture.
pub(crate) fn mirror_error(picture: &Picture, axis: Axis) -> f64 {
    let (w, h) = (picture.width, picture.height);
    let sum: f64 = (0..w * h)
        .flat_map(|p| {
            let q = mirrored(p, w, h, axis);
            (0..3).map(move |c| (3 * p + c, 3 * q + c))
        })
        .map(|(p, q)| f64::from(picture.rgb[p] - picture.rgb[q]))
        .map(|d| d * d)
        .sum();
    (sum / picture.rgb.len().max(1) as f64).sqrt()
}

/// The axis about which `picture` is more nearly symmetric, with its mirror error; vertical wins
/// ties.
pub(crate) fn best_axis(picture: &Picture) -> (Axis, f64) {
    let vertical = mirror_error(picture, Axis::Vertical);
    let horizontal = mirror_error(picture, Axis::Horizontal);
    if horizontal < vertical { (Axis::Horizontal, horizontal) } else { (Axis::Vertical, vertical) }
}

/// Symmetric share of the change from `base` to `changed`, in [0, 1]; `None` if nothing changed.
///
/// # Panics
/// If the sizes differ.
pub(crate) fn preservation(base: &Picture, changed: &Picture, axis: Axis) -> Option<f64> {
    assert_eq!((base.width, base.height), (changed.width, changed.height), "pictures of one size");
    let difference = |i: usize| f64::from(changed.rgb[i]) - f64::from(base.rgb[i]);
    let (mut even, mut all) = (0.0, 0.0);
    for p in 0..base.pixels() {
        let q = mirrored(p, base.width, base.height, axis);
        for c in 0..3 {
            let (here, there) = (difference(3 * p + c), difference(3 * q + c));
            even += (here + there) * (here + there) / 4.0;
            all += here * here;
        }
    }
    (all > 0.0).then(|| (even / all).min(1.0))
}

/// Preservation under a whole sweep.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct SweepSymmetry {
    /// The base picture's better axis.
    pub axis: Axis,
    /// Mirror error of the base about it: above some .05 the rest means little.
    pub base_error: f64,
    /// Mean preservation over perturbations that change the picture; `None` without any.
    pub preservation: Option<f64>,
    /// Perturbations it is the mean of.
    pub perturbations: usize,
}

/// Mean preservation over the perturbations of `sweep` that are not silent. The same bits at any
/// thread count.
pub fn sweep_symmetry(view: &View, sweep: &WeightSweep) -> SweepSymmetry {
    let base = view.picture();
    let (axis, base_error) = best_axis(base);
    let shares: Vec<Option<f64>> = view
        .changed(sweep, |_, picture| preservation(base, picture, axis))
        .map(|(_, share)| share.flatten())
        .collect();
    let found: Vec<f64> = shares.into_iter().flatten().collect();
    SweepSymmetry {
        axis,
        base_error,
        preservation: (!found.is_empty()).then(|| found.iter().sum::<f64>() / found.len() as f64),
        perturbations: found.len(),
    }
}

/// [`sweep_symmetry`] for a card.
pub(crate) fn of_sweep(view: &View, sweep: &WeightSweep) -> (Value, Vec<Measure>) {
    let found = sweep_symmetry(view, sweep);
    let error = number(found.base_error, 2);
    let reference = if found.base_error > 0.05 {
        format!("the picture is not symmetric (error {error}): says little")
    } else {
        format!("½: knows nothing of the axis; mirror error {error}")
    };
    let (key, name) = ("symmetry-preservation", "symmetry of changes");
    (kept(&found), vec![Measure::alone(key, name, found.preservation, "0 to 1", reference)])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A grey picture of the given rows.
    fn grey(width: usize, values: &[f32]) -> Picture {
        Picture {
            width,
            height: values.len() / width,
            rgb: values.iter().flat_map(|&v| [v; 3]).collect(),
        }
    }

    #[test]
    fn one_sided_changes_are_half_symmetric() {
        let base = grey(2, &[0.0, 0.0, 0.0, 0.0]);
        let left = grey(2, &[1.0, 0.0, 0.0, 0.0]);
        let both = grey(2, &[1.0, 1.0, 0.0, 0.0]);
        assert_eq!(preservation(&base, &left, Axis::Vertical), Some(0.5));
        assert_eq!(preservation(&base, &both, Axis::Vertical), Some(1.0));
        assert_eq!(preservation(&base, &both, Axis::Horizontal), Some(0.5));
        assert_eq!(preservation(&base, &base, Axis::Vertical), None);
        let grey_base = grey(2, &[0.5; 4]);
        let against = grey(2, &[0.75, 0.25, 0.75, 0.25]);
        assert_eq!(preservation(&grey_base, &against, Axis::Vertical), Some(0.0));
    }

    #[test]
    fn the_better_axis_is_found() {
        // Rows alike left and right, different top and bottom.
        let picture = grey(2, &[1.0, 1.0, 0.0, 0.0]);
        assert_eq!(best_axis(&picture), (Axis::Vertical, 0.0));
        assert_eq!(mirror_error(&picture, Axis::Horizontal), 1.0);
        let turned = grey(2, &[1.0, 0.0, 1.0, 0.0]);
        assert_eq!(best_axis(&turned), (Axis::Horizontal, 0.0));
    }
}
