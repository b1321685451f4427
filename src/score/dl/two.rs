//! The features of `dl/2` \[ours\]: a clean change keeps a picture as simple as it was and runs
//! along its contours; smears and ghosts do not.
//!
//! In: base and perturbed picture of one size. Out: five features, each larger for more fractured
//! pictures, all taken on 64² and 32² copies:
//!
//! | feature | one line | range |
//! |---|---|---|
//! | [`orient`](super::orientation) | share of the change that does not run along old contours | [0, 2] |
//! | [`dl`](mod@super::code_length) | (ln K(new)/K(base) − clean)/(dirty − clean): 0 as simple as after a smooth warp of that RMSE, 1 as long as after a smear | about −2 … 5 |
//! | [`cond`](super::uncertainty) | bits of colour uncertainty beyond a warp of that RMSE | about −3 … 3 |
//! | [`novel`](super::novelty) | share of the change not found again within two coarse pixels | [0, 1] |
//! | [`mirror`](super::symmetry) | loss of mirror symmetry about the best upright or slanted axis, relative to the RMSE | about −1 … 1 |
//!
//! `clean` and `dirty` come from [`references`] made of the base itself, so that the judge scales
//! itself to the picture. About a millisecond a picture once a base is read.

use super::canonical::{AreaAverage, COARSE, SIDE, opponent, rms};
use super::code_length::code_length;
use super::novelty::OldPatches;
use super::orientation::Orientation;
use super::symmetry::OldSymmetry;
use super::uncertainty::{PairCounts, colour_bins};
use super::{Reader, SAME, Spare, references};
use crate::math::real;
use crate::network::Picture;
use crate::score::judge::{JudgeError, check_size};
use std::sync::OnceLock;

/// Least distance between the clean and the dirty reference that `dl` is divided by.
const LEAST_SPAN: f64 = 0.1;

/// The features' names, in order.
pub const NAMES: &[&str] = &["orient", "dl", "cond", "novel", "mirror"];

/// A base picture that was read: its copies, and its references as far as they were needed.
pub struct Base {
    fine: AreaAverage,
    coarse: AreaAverage,
    /// (3, N²).
    rgb: Vec<f64>,
    opponent: Vec<f64>,
    orientation: Orientation,
    patches: OldPatches,
    symmetry: OldSymmetry,
    bins: Vec<u16>,
    entropy: f64,
    length: f64,
    nodes: [OnceLock<Node>; references::GRID.len()],
    size: (usize, usize),
    spare: Spare<Scratch>,
}

/// Readings of the references at one RMSE: means over the clean or the dirty ones.
#[derive(Clone, Copy, Debug, Default)]
struct Node {
    clean_length: f64,
    clean_uncertainty: f64,
    dirty_length: f64,
}

#[derive(Default)]
struct Scratch {
    row: Vec<f64>,
    rgb: Vec<f64>,
    coarse: Vec<f64>,
    change: Vec<f64>,
    orientation: Orientation,
    bins: Vec<u16>,
    pairs: PairCounts,
}

impl Base {
    /// Reads a base picture. References are made when a picture first needs them, at most seven
    /// times a base.
    pub fn new(base: &Picture) -> Self {
        let fine = AreaAverage::new(base.width, base.height, SIDE);
        let coarse = AreaAverage::new(base.width, base.height, COARSE);
        let mut scratch = Scratch::default();
        fine.apply(base, &mut scratch.row, &mut scratch.rgb);
        coarse.apply(base, &mut scratch.row, &mut scratch.coarse);
        let rgb = scratch.rgb.clone();
        let mut planes = Vec::new();
        opponent(&rgb, &mut planes);
        let mut orientation = Orientation::default();
        orientation.read(&planes);
        let mut bins = Vec::new();
        colour_bins(&rgb, &mut bins);
        Base {
            patches: OldPatches::new(&scratch.coarse),
            symmetry: OldSymmetry::new(&scratch.coarse),
            entropy: scratch.pairs.joint_entropy(&bins, &bins),
            length: code_length(&rgb),
            fine,
            coarse,
            rgb,
            opponent: planes,
            orientation,
            bins,
            nodes: Default::default(),
            size: (base.width, base.height),
            spare: Spare::of(scratch),
        }
    }

    fn measure(&self, perturbed: &Picture, scratch: &mut Scratch) -> Option<Vec<f64>> {
        let s = scratch;
        self.fine.apply(perturbed, &mut s.row, &mut s.rgb);
        let rmse = rms(&s.rgb, &self.rgb);
        if rmse < SAME {
            return None;
        }
        self.coarse.apply(perturbed, &mut s.row, &mut s.coarse);
        opponent(&s.rgb, &mut s.change);
        for (change, base) in s.change.iter_mut().zip(&self.opponent) {
            *change -= base;
        }
        s.orientation.read(&s.change);
        let (length, uncertainty) = self.simplicity(&s.rgb, &mut s.bins, &mut s.pairs);
        let reference = self.reference(rmse + 1e-9, &mut s.pairs);
        Some(vec![
            self.orientation.disagreement(&s.orientation),
            (length - reference.clean_length)
                / (reference.dirty_length - reference.clean_length).max(LEAST_SPAN),
            uncertainty - reference.clean_uncertainty,
            self.patches.novelty(&s.coarse),
            self.symmetry.lost(&s.coarse, rmse + 1e-9),
        ])
    }

    /// (ln K(new)/K(base), H(new bin | old bin)) of planes (3, N²).
    fn simplicity(&self, rgb: &[f64], bins: &mut Vec<u16>, pairs: &mut PairCounts) -> (f64, f64) {
        colour_bins(rgb, bins);
        (
            real::ln(code_length(rgb) / self.length),
            pairs.joint_entropy(&self.bins, bins) - self.entropy,
        )
    }

    fn reference(&self, rmse: f64, pairs: &mut PairCounts) -> Node {
        let (lower, share) = references::place(rmse);
        let (a, b) = (self.node(lower, pairs), self.node(lower + 1, pairs));
        let mix = |a: f64, b: f64| (1.0 - share) * a + share * b;
        Node {
            clean_length: mix(a.clean_length, b.clean_length),
            clean_uncertainty: mix(a.clean_uncertainty, b.clean_uncertainty),
            dirty_length: mix(a.dirty_length, b.dirty_length),
        }
    }

    fn node(&self, index: usize, pairs: &mut PairCounts) -> Node {
        *self.nodes[index].get_or_init(|| {
            let mut bins = Vec::new();
            let (mut clean, mut dirty) = (Vec::new(), Vec::new());
            references::references(&self.rgb, references::GRID[index], |rgb, kind| {
                let reading = self.simplicity(rgb, &mut bins, pairs);
                match kind {
                    references::Kind::Clean => clean.push(reading),
                    references::Kind::Dirty => dirty.push(reading),
                }
            });
            let mean = |of: &dyn Fn(&(f64, f64)) -> f64, readings: &[(f64, f64)]| {
                readings.iter().map(of).sum::<f64>() / readings.len() as f64
            };
            Node {
                clean_length: mean(&|r| r.0, &clean),
                clean_uncertainty: mean(&|r| r.1, &clean),
                dirty_length: mean(&|r| r.0, &dirty),
            }
        })
    }
}

impl Reader for Base {
    fn features(&self, perturbed: &Picture) -> Result<Option<Vec<f64>>, JudgeError> {
        check_size(self.size, perturbed)?;
        Ok(self.spare.with(|scratch| self.measure(perturbed, scratch)))
    }
}
