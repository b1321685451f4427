//! Known properties of Newton–Schulz and of the polar factor (METHODS §4).

use nalgebra::DMatrix;
use picloom::base::{SimRng, real};
use picloom::train::optimizer::{newton_schulz, polar_factor};
use proptest::prelude::*;

fn random_matrix(rows: usize, cols: usize, seed: u64) -> DMatrix<f64> {
    let mut rng = SimRng::new(seed, "test", 0);
    DMatrix::from_fn(rows, cols, |_, _| rng.normal())
}

fn random_orthogonal(n: usize, seed: u64) -> DMatrix<f64> {
    random_matrix(n, n, seed).qr().q()
}

#[test]
fn the_scalar_map_has_the_known_four_cycle() {
    let scalar = |sigma: f64| {
        // On a 1 × 1 matrix normalisation leaves only the sign; on diag(σ, rest) with unit norm one
        // step maps each singular value.
        let rest = real::sqrt(1.0 - sigma * sigma);
        let g = DMatrix::from_row_slice(2, 2, &[sigma, 0.0, 0.0, rest]);
        newton_schulz(&g, 1)[(0, 0)]
    };
    // .68192 → 1.13427 and .75292 → 1.04691 are inside the unit ball and can be fed to a matrix.
    assert!((scalar(0.68192) - 1.13427).abs() < 1e-4);
    assert!((scalar(0.75292) - 1.04691).abs() < 1e-4);
    // The whole cycle, from the singular value 1 of a vector after many steps.
    let g = DMatrix::from_row_slice(1, 3, &[1.0, -2.0, 2.0]);
    let cycle: Vec<f64> = (400..404).map(|n| newton_schulz(&g, n).norm()).collect();
    let expected = [1.04691, 0.68192, 1.13427, 0.75292];
    let shift = cycle
        .iter()
        .position(|x| (x - expected[0]).abs() < 1e-5)
        .unwrap_or_else(|| panic!("{cycle:?} never meets {}", expected[0]));
    for k in 0..4 {
        assert!((cycle[(shift + k) % 4] - expected[k]).abs() < 1e-5, "{cycle:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn twenty_steps_bring_singular_values_into_the_band(rows in 1usize..24, cols in 1usize..24, seed in 0u64..1000) {
        let g = random_matrix(rows, cols, seed);
        let least = |m: &DMatrix<f64>| m.clone().svd(false, false).singular_values.min();
        prop_assume!(least(&g) / g.norm() > 1e-6); // 3.4445²⁰ lifts 1e-6 and more into the band
        let singular = newton_schulz(&g, 20).svd(false, false).singular_values;
        for sigma in singular.iter() {
            prop_assert!((0.68..=1.14).contains(sigma), "{singular}");
        }
    }

    #[test]
    fn newton_schulz_commutes_with_rotations_and_transposes(rows in 1usize..12, cols in 1usize..12, steps in 0usize..6, seed in 0u64..1000) {
        let g = random_matrix(rows, cols, seed);
        let q = random_orthogonal(rows, seed + 1000);
        let r = random_orthogonal(cols, seed + 2000);
        for orthogonalize in [&|m: &DMatrix<f64>| newton_schulz(m, steps) as DMatrix<f64>, &polar_factor as &dyn Fn(&DMatrix<f64>) -> DMatrix<f64>] {
            let turned = orthogonalize(&(&q * &g * &r));
            let expected = &q * orthogonalize(&g) * &r;
            prop_assert!((turned - expected).amax() < 1e-6);
            prop_assert!((orthogonalize(&g.transpose()) - orthogonalize(&g).transpose()).amax() < 1e-9);
            prop_assert!((orthogonalize(&(&g * 1e-30)) - orthogonalize(&g)).amax() < 1e-9, "scale does not matter");
        }
    }

    #[test]
    fn the_polar_factor_ignores_missing_ranks(rows in 1usize..24, cols in 1usize..24, rank in 1usize..24, scale in -30i32..20, seed in 0u64..1000) {
        // G = Σ σₖ·qₖ·rₖᵀ over fewer than min(rows, cols) pairs: X = Σ qₖ·rₖᵀ.
        let (q, r) = (random_orthogonal(rows, seed), random_orthogonal(cols, seed + 1));
        let mut rng = SimRng::new(seed, "test", 1);
        let (mut g, mut expected) = (DMatrix::<f64>::zeros(rows, cols), DMatrix::<f64>::zeros(rows, cols));
        for k in 0..rank.min(rows).min(cols) {
            let pair = q.column(k) * r.column(k).transpose();
            g += &pair * (rng.uniform_in(0.01, 1.0) * real::pow(10.0, f64::from(scale)));
            expected += pair;
        }
        prop_assert!((polar_factor(&g) - expected).amax() < 1e-11);
    }

    #[test]
    fn the_polar_factor_is_the_nearest_isometry(rows in 1usize..24, cols in 1usize..24, seed in 0u64..1000) {
        let g = random_matrix(rows, cols, seed);
        let x = polar_factor(&g);
        let n = rows.min(cols);
        let gram = if rows <= cols { &x * x.transpose() } else { x.transpose() * &x };
        prop_assert!((gram - DMatrix::<f64>::identity(n, n)).amax() < 1e-10);
        // G = P·X with P symmetric and positive: ⟨G, X⟩ is the sum of the singular values.
        let nuclear = g.clone().svd(false, false).singular_values.sum();
        prop_assert!((g.dot(&x) - nuclear).abs() < 1e-9 * nuclear);
    }
}

#[test]
fn zero_in_gives_zero_out_and_a_missing_rank_stays_missing() {
    let zero = DMatrix::<f64>::zeros(3, 5);
    assert_eq!(newton_schulz(&zero, 20), zero);
    assert_eq!(polar_factor(&zero), zero);
    // Rank 1, as a masked matrix often is: one singular value 1, the others 0.
    let g = DMatrix::from_fn(4, 3, |i, j| (i + 1) as f64 * (j as f64 - 0.5));
    let singular = polar_factor(&g).svd(false, false).singular_values;
    assert!((singular[0] - 1.0).abs() < 1e-12 && singular[1].abs() < 1e-9, "{singular}");
}
