//! Corners and edges of a drawing: the eigenvalues of its structure tensor.
//!
//! T = blur(Σ planes ∇v ∇vᵀ), λ₁ ≥ λ₂ its eigenvalues at a pixel; edge = √λ₁, corner = √λ₂. A clean contour,
//! straight or softly bent, has edge and no corner; a spot, a speckle, a torn end or two outlines that
//! cross have both. Gradients are central differences, 0 across the border; the window is a Gaussian of
//! σ = 0.7 pixels in five taps, edges repeated. In 32-bit floats, operation by operation: the same bits
//! everywhere. (Bigün & Granlund 1987; √λ₂ as a measure of corners: Shi & Tomasi 1994.)

/// The three sums of products of a structure tensor, (N²,) each.
#[derive(Clone, Debug, Default)]
pub(super) struct Tensor {
    down: Vec<f32>,
    right: Vec<f32>,
    mixed: Vec<f32>,
    work: Vec<f32>,
}

/// Edges and corners of an N² drawing, (N²,) each.
#[derive(Clone, Debug, Default)]
pub(super) struct Strength {
    /// √λ₁ ≥ 0.
    pub edge: Vec<f32>,
    /// √λ₂ in [0, edge].
    pub corner: Vec<f32>,
}

/// exp(−k²/(2·0.7²)), k = −2 … 2, divided by their sum, to six places.
const TAPS: [f32; 5] = [0.009_619_8, 0.205_424_4, 0.569_911_6, 0.205_424_4, 0.009_619_8];

/// Gradient of one plane, (N²,): downwards and to the right.
#[inline]
pub(super) fn gradient<const N: usize>(plane: &[f32], down: &mut [f32], right: &mut [f32]) {
    down[..N].fill(0.0);
    down[N * (N - 1)..].fill(0.0);
    let inner = down[N..N * (N - 1)].iter_mut().zip(plane).zip(&plane[2 * N..]);
    for ((out, above), below) in inner {
        *out = (below - above) * 0.5;
    }
    for (out, line) in right.chunks_exact_mut(N).zip(plane.chunks_exact(N)) {
        out[0] = 0.0;
        out[N - 1] = 0.0;
        let beside = line[..N - 2].iter().zip(&line[2..]);
        for (out, (before, after)) in out[1..N - 1].iter_mut().zip(beside) {
            *out = (after - before) * 0.5;
        }
    }
}

/// Means of 2 × 2 pixels of an N² plane.
#[inline]
pub(super) fn halve<const N: usize, T: nalgebra::RealField + Copy>(plane: &[T], half: &mut [T]) {
    let quarter = nalgebra::convert(0.25);
    for (out, lines) in half.chunks_exact_mut(N / 2).zip(plane.chunks_exact(2 * N)) {
        let (upper, lower) = lines.split_at(N);
        let pairs = upper.chunks_exact(2).zip(lower.chunks_exact(2));
        for (out, (u, l)) in out.iter_mut().zip(pairs) {
            *out = ((u[0] + u[1]) + (l[0] + l[1])) * quarter;
        }
    }
}

/// Edges and corners of planes given by their gradients, (planes, N²).
#[inline]
pub(super) fn strength<const N: usize>(
    down: &[f32],
    right: &[f32],
    tensor: &mut Tensor,
    out: &mut Strength,
) {
    tensor.clear::<N>();
    for (down, right) in down.chunks_exact(N * N).zip(right.chunks_exact(N * N)) {
        tensor.add(down, right);
    }
    tensor.strength::<N>(out);
}

impl Tensor {
    /// Forgets what was added.
    #[inline]
    pub(super) fn clear<const N: usize>(&mut self) {
        for plane in [&mut self.down, &mut self.right, &mut self.mixed] {
            plane.clear();
            plane.resize(N * N, 0.0);
        }
        self.work.resize(N * N, 0.0);
    }

    /// Adds a plane by its gradient.
    #[inline]
    pub(super) fn add(&mut self, down: &[f32], right: &[f32]) {
        let sums = self.down.iter_mut().zip(&mut self.right).zip(&mut self.mixed);
        for (((dd, rr), dr), (d, r)) in sums.zip(down.iter().zip(right)) {
            *dd += d * d;
            *rr += r * r;
            *dr += d * r;
        }
    }

    /// Edges and corners of what was added. The sums are blurred in place.
    #[inline]
    pub(super) fn strength<const N: usize>(&mut self, out: &mut Strength) {
        for plane in [&mut self.down, &mut self.right, &mut self.mixed] {
            blur::<N>(plane, &mut self.work);
        }
        out.edge.resize(N * N, 0.0);
        out.corner.resize(N * N, 0.0);
        let to = out.edge.iter_mut().zip(&mut out.corner);
        for ((edge, corner), ((dd, rr), dr)) in
            to.zip(self.down.iter().zip(&self.right).zip(&self.mixed))
        {
            let (sum, difference) = (dd + rr, dd - rr);
            let root = (difference * difference + 4.0 * (dr * dr)).sqrt();
            *edge = ((sum + root) * 0.5).sqrt();
            *corner = ((sum - root) * 0.5).max(0.0).sqrt();
        }
    }

    /// Slope of `edge` along the contours, (N²,) ≥ 0, after [`strength`](Self::strength): the part of its gradient, which
    /// is left in `down` and `right`, in the direction in which the drawing changes least.
    pub(super) fn slope_along<const N: usize>(
        &self,
        edge: &[f32],
        down: &mut Vec<f32>,
        right: &mut Vec<f32>,
        slope: &mut Vec<f32>,
    ) {
        down.resize(N * N, 0.0);
        right.resize(N * N, 0.0);
        gradient::<N>(edge, down, right);
        slope.clear();
        let sums = self.down.iter().zip(&self.right).zip(&self.mixed);
        slope.extend(sums.zip(down.iter().zip(right.iter())).map(|(((dd, rr), dr), (d, r))| {
            let (difference, mixed) = (dd - rr, 2.0 * dr);
            let root = (difference * difference + mixed * mixed).sqrt();
            // Cosine and sine of twice the angle of the steepest direction; downwards where there is none.
            let (cos, sin) =
                if root > 0.0 { (difference / root, mixed / root) } else { (1.0, 0.0) };
            let square = (1.0 - cos) * 0.5 * (d * d) + (1.0 + cos) * 0.5 * (r * r) - sin * (d * r);
            square.max(0.0).sqrt()
        }));
    }
}

#[inline]
fn blur<const N: usize>(plane: &mut [f32], work: &mut [f32]) {
    let [far, near, here, ..] = TAPS;
    for row in 0..N {
        let line = |k: isize| {
            let row = (row as isize + k).clamp(0, N as isize - 1) as usize;
            &plane[row * N..(row + 1) * N]
        };
        let (a, b, c, d, e) = (line(-2), line(-1), line(0), line(1), line(2));
        let out = &mut work[row * N..(row + 1) * N];
        for i in 0..N {
            out[i] = far * (a[i] + e[i]) + near * (b[i] + d[i]) + here * c[i];
        }
    }
    let mut padded = [0.0f32; 68];
    let padded = &mut padded[..N + 4];
    for (out, line) in plane.chunks_exact_mut(N).zip(work.chunks_exact(N)) {
        padded[..2].fill(line[0]);
        padded[2..N + 2].copy_from_slice(line);
        padded[N + 2..].fill(line[N - 1]);
        let [a, b, c, d, e] = [0, 1, 2, 3, 4].map(|k| &padded[k..k + N]);
        for i in 0..N {
            out[i] = far * (a[i] + e[i]) + near * (b[i] + d[i]) + here * c[i];
        }
    }
}

/// Largest value within `radius` ≤ 3 pixels a side, edges repeated.
pub(super) fn dilate<const N: usize>(
    plane: &[f32],
    radius: usize,
    work: &mut Vec<f32>,
    out: &mut Vec<f32>,
) {
    work.resize(N * N, 0.0);
    out.resize(N * N, 0.0);
    for row in 0..N {
        let to = &mut work[row * N..(row + 1) * N];
        to.copy_from_slice(&plane[row * N..(row + 1) * N]);
        for near in row.saturating_sub(radius)..=(row + radius).min(N - 1) {
            for (to, v) in to.iter_mut().zip(&plane[near * N..(near + 1) * N]) {
                *to = to.max(*v);
            }
        }
    }
    for (to, line) in out.chunks_exact_mut(N).zip(work.chunks_exact(N)) {
        to.copy_from_slice(line);
        for shift in 1..=radius {
            for (to, v) in to.iter_mut().zip(&line[shift..]) {
                *to = to.max(*v);
            }
            for (to, v) in to[shift..].iter_mut().zip(line) {
                *to = to.max(*v);
            }
        }
    }
}

/// Writes the excess of `new` over `old`, place by place, 0 where there is none.
#[inline]
pub(super) fn surplus(new: &[f32], old: &[f32], out: &mut Vec<f32>) {
    out.clear();
    out.extend(new.iter().zip(old).map(|(new, old)| (new - old).max(0.0)));
}

/// Mean of the largest `few` of `values`, which are put in another order.
pub(super) fn mean_of_largest(values: &mut [f32], few: usize) -> f64 {
    values.select_nth_unstable_by(few - 1, |a, b| b.total_cmp(a));
    // Summed in the order of their size: the order that the selection leaves is nobody's promise.
    let largest = &mut values[..few];
    largest.sort_unstable_by(f32::total_cmp);
    mean(largest)
}

/// Mean of `values`.
#[inline]
pub(super) fn mean(values: &[f32]) -> f64 {
    // Eight sums side by side; their order is fixed.
    let mut sums = [0.0f64; 8];
    let chunks = values.chunks_exact(8);
    let rest: f64 = chunks.remainder().iter().map(|&v| f64::from(v)).sum();
    for chunk in chunks {
        for (sum, &v) in sums.iter_mut().zip(chunk) {
            *sum += f64::from(v);
        }
    }
    (sums.iter().sum::<f64>() + rest) / values.len() as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::real;

    const N: usize = 32;

    fn strength_of(plane: &[f32]) -> Strength {
        let (mut down, mut right) = (vec![0.0; N * N], vec![0.0; N * N]);
        gradient::<N>(plane, &mut down, &mut right);
        let mut tensor = Tensor::default();
        tensor.clear::<N>();
        tensor.add(&down, &right);
        let mut out = Strength::default();
        tensor.strength::<N>(&mut out);
        out
    }

    #[test]
    fn a_straight_edge_has_no_corner_and_a_spot_has_one() {
        let drawing = |f: &dyn Fn(i32, i32) -> bool| -> Vec<f32> {
            (0..N * N).map(|i| f32::from(u8::from(f((i / N) as i32, (i % N) as i32)))).collect()
        };
        let edge = strength_of(&drawing(&|_, x| x < 16));
        let middle = 16 * N + 16;
        assert!(edge.edge[middle] > 0.3 && edge.corner[middle] < 1e-3);
        let slanted = strength_of(&drawing(&|y, x| x < y));
        assert!(slanted.edge[middle] > 0.3 && slanted.corner[middle] < 0.2 * slanted.edge[middle]);
        let spot = strength_of(&drawing(&|y, x| (y - 16).abs() <= 1 && (x - 16).abs() <= 1));
        assert!(mean_of_largest(&mut spot.corner.clone(), 10) > 0.2);
        let taps: f32 = TAPS.iter().sum();
        assert!((taps - 1.0).abs() < 1e-6);
        for (k, tap) in TAPS.iter().enumerate() {
            let k = k as f64 - 2.0;
            let all: f64 = (-2..=2).map(|j| real::exp(-f64::from(j * j) / 0.98)).sum();
            assert!((f64::from(*tap) - real::exp(-k * k / 0.98) / all).abs() < 1e-6);
        }
    }

    #[test]
    fn dilation_and_surplus_by_hand() {
        let mut plane = vec![0.0f32; N * N];
        plane[5 * N + 7] = 1.0;
        plane[0] = 0.5;
        let (mut work, mut out) = (Vec::new(), Vec::new());
        for radius in 1..=3 {
            dilate::<N>(&plane, radius, &mut work, &mut out);
            let side = 2 * radius + 1;
            assert_eq!(out.iter().filter(|v| **v == 1.0).count(), side * side);
            assert_eq!(out.iter().filter(|v| **v == 0.5).count(), (radius + 1) * (radius + 1));
        }
        surplus(&[0.5, 0.25, 0.0, 1.0], &[0.0, 0.5, 0.0, 0.5], &mut work);
        assert_eq!((mean(&work), mean_of_largest(&mut work, 2)), (0.25, 0.5));
        assert_eq!(mean(&[1.0; 19]), 1.0);
    }
}
