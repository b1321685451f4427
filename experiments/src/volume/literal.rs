//! The caption's `C(W, P)/Total` taken at its word, two ways, and the expressivity gate \[ours\].
//!
//! Both ratios fall with depth, so without a gate the best depth is always 1: the literal reading
//! explains a peak only together with a cost of being too shallow. The gate is that cost.

use super::ln_choose;
use picloom::base::real;
use serde::{Deserialize, Serialize};

/// Which literal reading of "the number of ways to be compositional over all ways".
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Reading {
    /// C(W, P)/C(WL, P): P units of one layer, among all choices of P hidden units.
    Choices,
    /// ((W)_P/Wᴾ)ᴸ: in every layer P parts that pick a unit each pick P different ones.
    Distinct,
}

/// The literal volume ratio in [0, 1]; 0 when P > W. W, L ≥ 1.
pub(crate) fn ratio(reading: Reading, width: usize, layers: usize, parts: usize) -> f64 {
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
pub(crate) fn gate(layers: usize, needed: f64) -> f64 {
    1.0 / (1.0 + real::exp(-(layers as f64 - needed) / 0.5))
}

/// `ratio` × `gate`: the literal volume ratio with its interior optimum near L = D.
///
/// METHODS says "peak at L = D". What it does for P = 3: `Choices` peaks at D or D + 1 for D 4…9
/// (W ≥ 8) and at L = 1 for D = 2, where the ratio falls faster than the gate rises; `Distinct` peaks
/// at D − 1 (W 3), D + 1 (W 8, 24), D + 2 (W 96, 192).
pub(crate) fn gated(
    reading: Reading,
    width: usize,
    layers: usize,
    parts: usize,
    needed: f64,
) -> f64 {
    ratio(reading, width, layers, parts) * gate(layers, needed)
}
