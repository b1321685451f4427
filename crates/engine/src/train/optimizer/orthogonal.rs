//! Orthogonalising a matrix: Muon's Newton–Schulz iteration and the exact polar factor.
//!
//! In f64: with 20 steps the iteration amplifies f32 rounding noise to O(1). The products are
//! nalgebra's (explicit transposes: `tr_mul` bypasses its fast path), so the last digits depend on
//! the instruction set its GEMM selects.

use nalgebra::DMatrix;

/// Coefficients (a, b, c) of the quintic map σ → aσ + bσ³ + cσ⁵ [Jordan et al. 2024].
///
/// Its attractor is the 4-cycle {1.04691, 0.68192, 1.13427, 0.75292}, so more steps do not bring
/// singular values to 1 but into [0.68, 1.14].
pub(crate) const QUINTIC: (f64, f64, f64) = (3.4445, -4.7750, 2.0315);

/// Newton–Schulz: X = G/‖G‖_F, then n times A = XXᵀ, X ← aX + (bA + cA²)X.
///
/// G is (out, in), any shape; the zero matrix gives the zero matrix. NS(QGR) = Q·NS(G)·R for
/// orthogonal Q and R.
///
/// ```
/// use nalgebra::DMatrix;
/// let g = DMatrix::from_row_slice(1, 2, &[3.0, 4.0]); // singular value 5, normalised to 1
/// let x = picloom_engine::train::optimizer::newton_schulz(&g, 1);
/// assert!((x.norm() - (3.4445 - 4.7750 + 2.0315)).abs() < 1e-12);
/// ```
pub fn newton_schulz(g: &DMatrix<f64>, steps: usize) -> DMatrix<f64> {
    let mut work = NewtonSchulz::new(g.nrows(), g.ncols());
    work.load(|k| g[(k / g.ncols(), k % g.ncols())]);
    work.run(steps);
    let mut result = g.clone();
    work.unload(|k, u| result[(k / g.ncols(), k % g.ncols())] = u);
    result
}

/// The polar factor U·Vᵀ of G = U·Σ·Vᵀ, over the singular values above 1e-10 of the largest: the
/// nearest (partial) isometry. The zero matrix gives the zero matrix.
///
/// By one-sided Jacobi rotations [Hestenes 1958; Demmel & Veselić 1992]: G·V = U·Σ. Not by
/// nalgebra 0.35's `svd(true, true)`: on matrices without full rank, as masked ones often are, about one
/// in 200 of its results does not recompose to G (its singular values alone are right).
pub fn polar_factor(g: &DMatrix<f64>) -> DMatrix<f64> {
    let largest = g.amax();
    if largest == 0.0 {
        return g.clone();
    }
    if g.nrows() < g.ncols() {
        return polar_factor(&g.transpose()).transpose();
    }
    // Scaled: squares of tiny gradients must not underflow.
    let mut us = g / largest;
    let n = us.ncols();
    let mut v = DMatrix::identity(n, n);
    // Six to ten sweeps are enough; the bound is for matrices that are not finite.
    for _ in 0..60 {
        let mut turned = false;
        for p in 0..n {
            for q in p + 1..n {
                turned |= turn(&mut us, &mut v, p, q);
            }
        }
        if !turned {
            break;
        }
    }
    let sigma: Vec<f64> = us.column_iter().map(|column| column.norm()).collect();
    let floor = 1e-10 * sigma.iter().copied().fold(0.0, f64::max);
    for (k, &sigma) in sigma.iter().enumerate() {
        let factor = if sigma > floor { 1.0 / sigma } else { 0.0 };
        us.column_mut(k).scale_mut(factor);
    }
    us * v.transpose()
}

/// Rotates columns `p` and `q` of `us` to be orthogonal, and those of `v` with them. False if they
/// already were.
fn turn(us: &mut DMatrix<f64>, v: &mut DMatrix<f64>, p: usize, q: usize) -> bool {
    let alpha = us.column(p).norm_squared();
    let beta = us.column(q).norm_squared();
    let gamma = us.column(p).dot(&us.column(q));
    if gamma.abs() <= 1e-14 * (alpha * beta).sqrt() {
        return false;
    }
    let zeta = (beta - alpha) / (2.0 * gamma);
    let tangent = zeta.signum() / (zeta.abs() + (1.0 + zeta * zeta).sqrt());
    let cosine = 1.0 / (1.0 + tangent * tangent).sqrt();
    let sine = cosine * tangent;
    for m in [us, v] {
        for i in 0..m.nrows() {
            let (x, y) = (m[(i, p)], m[(i, q)]);
            m[(i, p)] = cosine * x - sine * y;
            m[(i, q)] = sine * x + cosine * y;
        }
    }
    true
}

/// The iteration with its buffers, for one shape: no allocation in `run`.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct NewtonSchulz {
    out: usize,
    cols: usize,
    /// (s, l): the matrix with its shorter side first, so that A is as small as can be.
    x: DMatrix<f64>,
    next: DMatrix<f64>,
    xt: DMatrix<f64>,
    a: DMatrix<f64>,
    b: DMatrix<f64>,
}

impl NewtonSchulz {
    /// For matrices (out, in).
    pub(super) fn new(out: usize, cols: usize) -> Self {
        let (short, long) = (out.min(cols), out.max(cols));
        NewtonSchulz {
            out,
            cols,
            x: DMatrix::zeros(short, long),
            next: DMatrix::zeros(short, long),
            xt: DMatrix::zeros(long, short),
            a: DMatrix::zeros(short, short),
            b: DMatrix::zeros(short, short),
        }
    }

    /// Where element k of the row-major (out, in) matrix stands in `x`.
    fn place(&self, k: usize) -> (usize, usize) {
        let (row, col) = (k / self.cols, k % self.cols);
        if self.out <= self.cols { (row, col) } else { (col, row) }
    }

    /// Fills the matrix, row-major.
    pub(super) fn load(&mut self, value: impl Fn(usize) -> f64) {
        for k in 0..self.out * self.cols {
            let place = self.place(k);
            self.x[place] = value(k);
        }
    }

    /// Hands every element back, row-major.
    pub(super) fn unload(&self, mut take: impl FnMut(usize, f64)) {
        for k in 0..self.out * self.cols {
            take(k, self.x[self.place(k)]);
        }
    }

    /// Replaces the matrix by `f` of it (or of its transpose, with the same meaning for every
    /// orthogonalizer).
    pub(super) fn replace(&mut self, f: impl Fn(&DMatrix<f64>) -> DMatrix<f64>) {
        self.x = f(&self.x);
    }

    /// Normalises and iterates. A zero matrix stays zero.
    pub(super) fn run(&mut self, steps: usize) {
        // Scaled first: squares of f32-sized gradients must not underflow in the norm.
        let largest = self.x.amax();
        if largest == 0.0 {
            return;
        }
        self.x /= largest;
        let norm = self.x.norm();
        self.x /= norm;
        let (a, b, c) = QUINTIC;
        for _ in 0..steps {
            self.x.transpose_to(&mut self.xt);
            self.a.gemm(1.0, &self.x, &self.xt, 0.0);
            self.b.copy_from(&self.a);
            self.b.gemm(c, &self.a, &self.a, b);
            self.next.copy_from(&self.x);
            self.next.gemm(1.0, &self.b, &self.x, a);
            std::mem::swap(&mut self.x, &mut self.next);
        }
    }
}
