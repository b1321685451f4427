//! Theory (METHODS §9): how large is the volume of networks that *can* be compositional, as depth
//! and width change?
//!
//! In: widths W, hidden layers L, numbers of parts P, edge probabilities or budgets. Out:
//! probabilities with intervals. It knows nothing of networks, training or pictures.
//!
//! The paper's caption gives only `C(W, P)/Total`, P = 3, W 3…192, L 1…9. Everything else here is
//! **\[ours\]**: three readings of that ratio.
//!
//! * [`literal`]: the caption taken at its word, times an expressivity gate.
//! * *Random-mask modularity*: every edge between neighbouring hidden layers is present with
//!   probability p. A **P-modular labelling** gives each of the W·L hidden units one of P
//!   unordered labels so that every label occurs in every layer and no edge joins two labels.
//!   The volume ratio is **Pr = probability that at least one such labelling exists**
//!   ([`exact::probability`], [`sample::direct`], [`sample::karp_luby`]); the expected *number*
//!   of them, E\[N\] ([`moment`]), is an upper bound on it (Markov), not the ratio itself.
//! * [`budget`]: exactly K edges over the whole network, pruned to what is alive.
//!
//! A theorem that makes Pr cheap \[ours\]: the hidden graph has edges between neighbouring layers
//! only, so each connected component covers an *interval* of layers. A labelling colours whole
//! components, and each colour must cover every layer. Families of intervals are unimodular
//! hypergraphs, and those have equitable P-colourings (de Werra 1971; Berge, *Hypergraphs*, ch. 5):
//! if every layer is touched by at least P components, P colours can be given so that each layer
//! sees them all. Hence **a P-modular labelling exists if and only if every hidden layer is
//! touched by at least P components** ([`least_touching`](picloom::score::measures::components::Components::least_touching)); the tests check
//! it against a search over all labellings.
//!
//! Dimension letters: W units a layer, L hidden layers, P parts.

use picloom::base::refusal::Refusal;

pub(crate) mod budget;
pub(crate) mod exact;
pub(crate) mod literal;
pub(crate) mod moment;
pub(crate) mod sample;
pub(crate) mod sensitivity;

/// Why a volume ratio has no value.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub(crate) enum VolumeError {
    /// A parameter outside its range.
    #[error(transparent)]
    Parameter(#[from] Refusal),
    /// The computation would take too long; a smaller case or Monte Carlo is needed.
    #[error(
        "{what}: expected at most {limit} steps, found {found}: use Monte Carlo, or a smaller width or number of parts"
    )]
    TooLarge {
        /// The computation.
        what: &'static str,
        /// Its limit.
        limit: u64,
        /// The steps that it would take.
        found: u64,
    },
}

pub(crate) use picloom::score::measures::components::MOST_PARTS;

/// Refuses what no function here can compute: L outside 1..=255, W outside 1..=65535, P outside 1..=8, p outside [0, 1]. With more parts than
/// units nothing is mapped: expectations are 0.
pub(crate) fn checked(
    width: usize,
    layers: usize,
    parts: usize,
    p: f64,
) -> Result<(), VolumeError> {
    let fail =
        |what: &str, expected: &str, found: String| Err(Refusal::new(what, expected, found).into());
    if !(1..=255).contains(&layers) {
        return fail("hidden layers L", "1 to 255", layers.to_string());
    }
    if !(1..=65_535).contains(&width) {
        return fail("width W", "1 to 65535", width.to_string());
    }
    if !(1..=MOST_PARTS).contains(&parts) {
        return fail("parts P", "1 to 8", parts.to_string());
    }
    if !(0.0..=1.0).contains(&p) {
        return fail("edge probability p", "0 to 1", p.to_string());
    }
    Ok(())
}

/// ln n!.
fn ln_factorial(n: usize) -> f64 {
    picloom::base::real::ln_gamma(n as f64 + 1.0)
}

/// ln C(n, k); −∞ if k > n.
fn ln_choose(n: usize, k: usize) -> f64 {
    if k > n {
        return f64::NEG_INFINITY;
    }
    ln_factorial(n) - ln_factorial(k) - ln_factorial(n - k)
}
