//! The caption's `C(W, P)/Total` taken at its word, two ways, and the expressivity gate \[ours\].
//!
//! Both ratios fall with depth, so without a gate the best depth is always 1: the literal reading
//! explains a peak only together with a cost of being too shallow. The gate is that cost.

use super::ln_choose;
use picloom::math::real;
use serde::{Deserialize, Serialize};

/// Which literal reading of "the number of ways to be compositional over all ways".
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Reading {
    /// C(W, P)/C(WL, P): P units of one layer, among all choices of P hidden units.
    Choices,
    /// ((W)_P/Wᴾ)ᴸ: in every layer P parts that pick a unit each pick P different ones.
    Distinct,
}

/// The literal volume ratio in [0, 1]; 0 when P > W. W, L ≥ 1.
pub fn ratio(reading: Reading, width: usize, layers: usize, parts: usize) -> f64 {
    if parts > width {
        return 0.0;
    }
    match reading {
        Reading::Choices => real::exp(ln_choose(width, parts) - ln_choose(width * layers, parts)),
        Reading::Distinct => {
            let one: f64 = (0..parts).map(|i| (width - i) as f64 / width as f64).product();
            (0..layers).map(|_| one).product()
        }
    }
}

/// Expressivity gate σ((L − D)/0.5) in (0, 1): can L layers draw a picture that needs depth D?
/// ½ at L = D, .12 one layer short, .88 one layer over. `needed` D is the depth of the evolved
/// genome ([`picloom::score::measures::sparsity`]).
pub fn gate(layers: usize, needed: f64) -> f64 {
    1.0 / (1.0 + real::exp(-(layers as f64 - needed) / 0.5))
}

/// `ratio` × `gate`: the literal volume ratio with its interior optimum near L = D.
///
/// METHODS says "peak at L = D". What it does for P = 3: `Choices` peaks at D or D + 1 for D 4…9
/// (W ≥ 8) and at L = 1 for D = 2, where the ratio falls faster than the gate rises; `Distinct` peaks
/// at D − 1 (W 3), D + 1 (W 8, 24), D + 2 (W 96, 192).
pub fn gated(reading: Reading, width: usize, layers: usize, parts: usize, needed: f64) -> f64 {
    ratio(reading, width, layers, parts) * gate(layers, needed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_ratios_by_hand() {
        // C(4, 2)/C(12, 2) = 6/66; ((4·3)/16)³ = 27/64.
        assert!((ratio(Reading::Choices, 4, 3, 2) - 6.0 / 66.0).abs() < 1e-12);
        assert_eq!(ratio(Reading::Distinct, 4, 3, 2), 27.0 / 64.0);
        assert_eq!(ratio(Reading::Choices, 2, 3, 3), 0.0);
        assert_eq!(ratio(Reading::Distinct, 2, 3, 3), 0.0);
        assert_eq!(gate(5, 5.0), 0.5);
        assert!((gate(4, 5.0) - 0.119_202_922_022_117_55).abs() < 1e-15);
    }

    fn peak(reading: Reading, width: usize, needed: usize) -> usize {
        let value = |l| gated(reading, width, l, 3, needed as f64);
        (1..=14).max_by(|&a, &b| value(a).total_cmp(&value(b))).unwrap()
    }

    #[test]
    fn the_gated_ratio_peaks_near_the_needed_depth() {
        for width in [8, 24, 96, 192] {
            for needed in 4..=9 {
                let choices = peak(Reading::Choices, width, needed);
                assert!((needed..=needed + 1).contains(&choices), "W {width} D {needed}");
                let distinct = peak(Reading::Distinct, width, needed);
                let over = if width < 96 { 1 } else { 2 };
                assert_eq!(distinct, needed + over, "W {width} D {needed}");
            }
        }
        assert_eq!(peak(Reading::Choices, 24, 2), 1);
        assert_eq!(peak(Reading::Distinct, 3, 5), 4);
        // Without the gate the shallowest network always wins.
        for reading in [Reading::Choices, Reading::Distinct] {
            assert!(ratio(reading, 8, 1, 3) > ratio(reading, 8, 2, 3));
        }
    }
}
