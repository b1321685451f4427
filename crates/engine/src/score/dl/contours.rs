//! Contours: do they fade along themselves, and does colour run across them? \[ours\]
//!
//! | feature | what |
//! |---|---|
//! | `fray` | ln(Σ slope of the edge along its contour/Σ edge): do contours fade, torn or half erased? |
//! | `stain` | ln of the largest tile (2 × 2 of 16²) of colour that runs across contours where none was within 1 pixel before |
//!
//! Slope along a contour: |∇edge · t|, t the eigenvector of the lesser eigenvalue of the structure tensor at 64² (to the right
//! where nothing changes at all).
//! Across contours at 16²: √(Σ over both colour planes of (∇colour × ∇brightness)²)/(edge + 0.02), 0 where colour follows
//! brightness.

use super::canonical::SIDE;
use super::tensor::{Strength, Tensor, dilate, gradient, halve, mean, strength};
use crate::base::real;

/// Side of the copy in which stains are looked for.
pub(super) const QUARTER: usize = SIDE / 4;
const AREA: usize = QUARTER * QUARTER;

/// ln(Σ slope along contours/Σ edge), with floors, of a drawing whose tensor was just made.
pub(super) fn frayed(
    tensor: &Tensor,
    edge: &[f32],
    (down, right): (&mut Vec<f32>, &mut Vec<f32>),
    slope: &mut Vec<f32>,
) -> f64 {
    tensor.slope_along::<SIDE>(edge, down, right, slope);
    real::ln((mean(slope) + 2e-4) / (mean(edge) + 5e-4))
}

/// Colour that runs across contours, (16²,), from the opponent planes at 16², (3, 16²).
#[derive(Clone, Debug, Default)]
pub(super) struct Across {
    planes: Vec<f32>,
    down: Vec<f32>,
    right: Vec<f32>,
    edges: Strength,
    values: Vec<f32>,
}

impl Across {
    /// Takes plane `number` as means of 2 × 2 pixels of its 32² copy.
    pub(super) fn plane(&mut self, number: usize, half: &[f32]) {
        self.planes.resize(3 * AREA, 0.0);
        halve::<{ 2 * QUARTER }, f32>(half, &mut self.planes[number * AREA..][..AREA]);
    }

    /// Reads the three planes.
    pub(super) fn read(&mut self, tensor: &mut Tensor) {
        self.down.resize(3 * AREA, 0.0);
        self.right.resize(3 * AREA, 0.0);
        for p in 0..3 {
            let at = p * AREA..(p + 1) * AREA;
            let (down, right) = (&mut self.down[at.clone()], &mut self.right[at.clone()]);
            gradient::<QUARTER>(&self.planes[at], down, right);
        }
        strength::<QUARTER>(&self.down, &self.right, tensor, &mut self.edges);
        let (down, right) = (&self.down, &self.right);
        let crossed = |k: usize, i: usize| {
            let cross = down[k * AREA + i] * right[i] - right[k * AREA + i] * down[i];
            cross * cross
        };
        let value = |i: usize| (crossed(1, i) + crossed(2, i)).sqrt() / (self.edges.edge[i] + 0.02);
        self.values.clear();
        self.values.extend((0..AREA).map(value));
    }

    /// The largest within 1 pixel.
    pub(super) fn spread(&self) -> Vec<f32> {
        let mut out = Vec::new();
        dilate::<QUARTER>(&self.values, 1, &mut Vec::new(), &mut out);
        out
    }

    /// ln of the largest tile of what is above `old`, the base's [`spread`](Self::spread).
    pub(super) fn stain(&self, old: &[f32]) -> f64 {
        let surplus = |i: usize| (self.values[i] - old[i]).max(0.0);
        let mut largest = 0.0f32;
        for row in (0..QUARTER).step_by(2) {
            for at in (row * QUARTER..(row + 1) * QUARTER).step_by(2) {
                let upper = surplus(at) + surplus(at + 1);
                let lower = surplus(at + QUARTER) + surplus(at + QUARTER + 1);
                largest = largest.max((upper + lower) * 0.25);
            }
        }
        real::ln(f64::from(largest) + 1e-3)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A drawing of three planes of 64² values.
    fn tensor_of(value: impl Fn(usize, usize) -> f32) -> (Tensor, Strength) {
        let plane: Vec<f32> = (0..SIDE * SIDE).map(|i| value(i / SIDE, i % SIDE)).collect();
        let (mut down, mut right) = (vec![0.0; SIDE * SIDE], vec![0.0; SIDE * SIDE]);
        gradient::<SIDE>(&plane, &mut down, &mut right);
        let (mut tensor, mut out) = (Tensor::default(), Strength::default());
        strength::<SIDE>(&down, &right, &mut tensor, &mut out);
        (tensor, out)
    }

    #[test]
    fn a_contour_that_fades_along_itself_is_frayed_and_one_that_ends_at_the_border_is_not() {
        let (mut a, mut b, mut c) = (Vec::new(), Vec::new(), Vec::new());
        let mut fray = |value: &dyn Fn(usize, usize) -> f32| {
            let (tensor, found) = tensor_of(value);
            frayed(&tensor, &found.edge, (&mut a, &mut b), &mut c)
        };
        let step = |y: usize| f32::from(u8::from(y < 32));
        let straight = fray(&|y, _| step(y));
        let fading = fray(&|y, x| step(y) * (x as f32 / 63.0));
        let fainter = fray(&|y, x| step(y) * if x < 30 { 1.0 } else { 0.3 });
        let torn = fray(&|y, x| step(y) * f32::from(u8::from(x / 4 % 2 == 0)));
        assert!(straight < -4.7, "{straight}");
        for frayed in [fading, fainter, torn] {
            assert!(frayed > straight + 0.4, "{fading} {fainter} {torn}, {straight}");
        }
    }

    #[test]
    fn colour_across_a_contour_is_a_stain_and_along_it_none() {
        let across = |colour: &dyn Fn(usize, usize) -> f32| {
            let mut across = Across::default();
            let half = 2 * QUARTER;
            let plane = |value: &dyn Fn(usize, usize) -> f32| -> Vec<f32> {
                (0..half * half).map(|i| value(i / half, i % half)).collect()
            };
            across.plane(0, &plane(&|_, x| f32::from(u8::from(x < 16))));
            across.plane(1, &plane(colour));
            across.plane(2, &plane(&|_, _| 0.25));
            across.read(&mut Tensor::default());
            across
        };
        let plain = across(&|_, _| 0.0);
        let along = across(&|_, x| if x < 16 { 0.5 } else { 0.0 });
        let stained = across(&|y, _| if y < 16 { 0.5 } else { 0.0 });
        let near = plain.spread();
        assert_eq!(along.stain(&near), real::ln(1e-3));
        assert!(stained.stain(&near) > real::ln(1e-3) + 2.0);
        assert_eq!(stained.stain(&stained.spread()), real::ln(1e-3), "it was there before");
    }
}
