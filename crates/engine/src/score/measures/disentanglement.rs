//! Disentanglement: how far a weight moves one attribute of the picture only. The measure that the instrument
//! recommends beside the score (docs/MEASURE.md says why).
//!
//! D of [`dci`](super::dci) over 40 weights at matched effect. In: a network at the size at which it is judged. Out: a
//! number in [0, 1] with its interval; `None` for a network without links.
//! Cost: a sweep of 40 weights and at most 80 drawings of P pixels; ten times that for the shuffled weights.

use super::dci::dci_of;
use crate::base::SimRng;
use crate::network::transform::shuffled;
use crate::probe::{Delta, Selection, View, WeightSweep};

/// Its key, as its column is named, and its name for people.
pub const KEY: &str = "disentanglement";
/// Its meaning, in a sentence.
pub const SAYS: &str = "How far a weight moves one attribute of the picture only.";
/// After the key of a measure: its mean over networks of the same links, their weights shuffled within layers.
pub const NULL: &str = "_shuffled";

/// Weights that are moved.
const SWEPT: usize = 40;

/// Networks with shuffled weights that it is compared with: one alone says little.
const SHUFFLES: u64 = 10;

/// The disentanglement of a network.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Disentanglement {
    /// D.
    pub value: f64,
    /// Ends of its 95 % interval over the weights that are moved.
    pub interval: Option<(f64, f64)>,
}

impl Disentanglement {
    /// Of a view's network.
    pub fn of(view: &View, seed: u64) -> Option<Self> {
        let found = dci_of(view, &sweep(view, seed));
        let (value, interval) = (found.disentanglement, found.interval());
        value.is_finite().then_some(Disentanglement { value, interval })
    }

    /// The mean over networks of the same links, their weights shuffled within layers.
    pub fn shuffled(view: &View, seed: u64) -> Option<f64> {
        let of = |k: u64| {
            let model = shuffled(view.model(), seed.wrapping_add(k));
            let view = View::new(&model, view.size(), view.coords());
            dci_of(&view, &sweep(&view, seed)).disentanglement
        };
        let null = (0..SHUFFLES).map(of).sum::<f64>() / SHUFFLES as f64;
        null.is_finite().then_some(null)
    }
}

/// The sweep of the weights that it moves.
pub fn sweep(view: &View, seed: u64) -> WeightSweep {
    let links = Selection::Sample(SWEPT).draw(view.model(), &mut SimRng::new(seed, "swept", 0));
    view.sweep(&links, Delta::default(), &|_| {})
}
