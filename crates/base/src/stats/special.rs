//! The distribution functions the intervals need: normal, Student's t, incomplete beta.

use crate::real;

/// Φ(z), the standard normal distribution function, in [0, 1].
pub fn normal_cdf(z: f64) -> f64 {
    0.5 * libm::erfc(-z / std::f64::consts::SQRT_2)
}

/// Φ⁻¹(p): −∞ at 0, +∞ at 1, NaN outside [0, 1]. Bisection on [`normal_cdf`] to the last bit.
pub fn normal_quantile(p: f64) -> f64 {
    invert(p, normal_cdf)
}

/// P(T ≤ t) for Student's t with `df` > 0 degrees of freedom.
///
/// Source: Abramowitz & Stegun 26.7.1, by I_{df/(df+t²)}(df/2, 1/2).
pub fn student_cdf(t: f64, df: f64) -> f64 {
    let tail = 0.5 * incomplete_beta(df / (df + t * t), 0.5 * df, 0.5);
    if t > 0.0 { 1.0 - tail } else { tail }
}

/// The t with P(T ≤ t) = p: −∞ at 0, +∞ at 1, NaN outside [0, 1].
pub fn student_quantile(p: f64, df: f64) -> f64 {
    invert(p, |t| student_cdf(t, df))
}

/// The x with cdf(x) = p for a distribution symmetric about 0: the lower half is bisected, where
/// the distribution function loses no digits.
fn invert(p: f64, cdf: impl Fn(f64) -> f64) -> f64 {
    if !(0.0..=1.0).contains(&p) {
        return f64::NAN;
    }
    if p > 0.5 {
        return -invert(1.0 - p, cdf);
    }
    if p == 0.0 {
        return f64::NEG_INFINITY;
    }
    let (mut low, mut high) = (-1.0, 0.0);
    while cdf(low) > p {
        low *= 2.0;
    }
    for _ in 0..200 {
        let middle = 0.5 * (low + high);
        if middle <= low || middle >= high {
            break;
        }
        if cdf(middle) < p {
            low = middle;
        } else {
            high = middle;
        }
    }
    high
}

/// I_x(a, b), the regularised incomplete beta function, x in [0, 1], a and b > 0.
///
/// The continued fraction DLMF 8.17.22 by Lentz's method, on the side where it converges fast;
/// about 1e-14 relative.
pub fn incomplete_beta(x: f64, a: f64, b: f64) -> f64 {
    if x <= 0.0 {
        return 0.0;
    }
    if x >= 1.0 {
        return 1.0;
    }
    if x > (a + 1.0) / (a + b + 2.0) {
        return 1.0 - incomplete_beta(1.0 - x, b, a);
    }
    let front = real::exp(
        real::ln_gamma(a + b) - real::ln_gamma(a) - real::ln_gamma(b)
            + a * real::ln(x)
            + b * real::ln_1p(-x),
    ) / a;
    let tiny = 1e-300;
    let guard = |v: f64| if v.abs() < tiny { tiny } else { v };
    let (mut c, mut d) = (1.0, 1.0 / guard(1.0 - (a + b) * x / (a + 1.0)));
    let mut value = d;
    for m in 1..500 {
        let m = f64::from(m);
        let even = m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m));
        d = 1.0 / guard(1.0 + even * d);
        c = guard(1.0 + even / c);
        value *= d * c;
        let odd = -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0));
        d = 1.0 / guard(1.0 + odd * d);
        c = guard(1.0 + odd / c);
        value *= d * c;
        if (d * c - 1.0).abs() < 1e-16 {
            break;
        }
    }
    front * value
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn normal_has_its_table_values() {
        assert_eq!(normal_cdf(0.0), 0.5);
        assert!((normal_quantile(0.975) - 1.959_963_984_540_054).abs() < 1e-12);
        assert_eq!(normal_quantile(0.0), f64::NEG_INFINITY);
        assert!(normal_quantile(1.5).is_nan());
    }

    #[test]
    fn student_with_one_degree_is_cauchy() {
        // Quantile tan(π(p − ½)): at p = ¾ it is 1; cdf(√3) = 5/6.
        assert!((student_quantile(0.75, 1.0) - 1.0).abs() < 1e-12);
        assert!((student_cdf(3.0f64.sqrt(), 1.0) - 5.0 / 6.0).abs() < 1e-13);
        // Two degrees: cdf(t) = ½ + t/(2√(2 + t²)).
        assert!((student_cdf(1.0, 2.0) - (0.5 + 0.5 / 3.0f64.sqrt())).abs() < 1e-13);
    }

    #[test]
    fn incomplete_beta_of_whole_numbers_is_a_binomial_tail() {
        // I_x(2, 3) = P(at least 2 of 4) at x = .3.
        let x: f64 = 0.3;
        let y = 1.0 - x;
        let tail = 6.0 * x * x * y * y + 4.0 * x * x * x * y + x * x * x * x;
        assert!((incomplete_beta(x, 2.0, 3.0) - tail).abs() < 1e-14);
    }
}
