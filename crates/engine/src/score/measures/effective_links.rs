//! Effective links: how many links a network really uses.
//!
//! Two counts. *Needed* links: living links whose removal alone changes the picture by an RMSE above .01
//! (channels in [0, 1]). *Participation*: Σ over units of (Σw²)²/Σw⁴ over the unit's living inputs, from 1 a unit
//! (one weight does all) to its number of inputs (all weights alike).
//!
//! In: a view, a mask (W,), weights (W,). Out: a count and a sum, both from 0 to the number of living links.
//! Cost: needed links: one drawing of P pixels a living link; participation: no drawing, a pass over W weights.
//!
//! Source: METHODS §8b `[ours]`; (Σw²)²/Σw⁴ is the inverse participation ratio (Bell & Dean 1970).
//!
//! **What it does not mean:** two links that stand in for each other are both not needed, and participation
//! knows no signs and no sizes of maps. Neither tells which links form a part.

use crate::network::{Mask, Network, Weights};
use crate::probe::{Change, View};
use rayon::prelude::*;

/// RMSE above which a removal counts \[ours\].
pub(crate) const NEEDED: f64 = 0.01;

/// Links of `alive` whose removal alone changes the picture of `view` by more than `NEEDED`. Does not depend on
/// the number of threads.
pub fn needed_links(view: &View, alive: &Mask) -> usize {
    let links: Vec<usize> = (0..alive.0.len()).filter(|&link| alive.0[link]).collect();
    let needed = links.par_iter().map_init(
        || view.painter(),
        |painter, &link| painter.effect(Change::To { link, value: 0.0 }) > NEEDED,
    );
    needed.filter(|needed| *needed).count()
}

/// Σ over units of (Σw²)²/Σw⁴ over their `alive` inputs; a unit whose weights are all 0 adds nothing.
pub fn participation(network: &Network, alive: &Mask, weights: &Weights) -> f64 {
    let of_unit = |links: std::ops::Range<usize>| {
        let powers = links.filter(|&link| alive.0[link]).map(|link| {
            let square = f64::from(weights.0[link]).powi(2);
            (square, square * square)
        });
        let (squares, fourths) = powers.fold((0.0, 0.0), |sum, w| (sum.0 + w.0, sum.1 + w.1));
        if fourths > 0.0 { squares * squares / fourths } else { 0.0 }
    };
    network.units.iter().map(|unit| of_unit(unit.links.clone())).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::network::{Arch, Coords, Model};
    use crate::prune::alive;

    /// One hidden layer of two relays; links 0 to 7 lead there, 8 to 13 to the outputs.
    fn relays(weights: &[(usize, f32)]) -> Model {
        let network = "1;cache:2".parse::<Arch>().unwrap().network();
        let mut all = vec![0.0; network.weight_count()];
        weights.iter().for_each(|&(link, weight)| all[link] = weight);
        let weights = Weights(all);
        Model { mask: Mask::non_zero(&weights), network, weights }
    }

    #[test]
    fn equal_weights_count_in_full_and_a_small_one_hardly() {
        let count = |weights: &[(usize, f32)]| {
            let Model { network, mask, weights } = relays(weights);
            participation(&network, &mask, &weights)
        };
        assert_eq!(count(&[]), 0.0);
        assert_eq!(count(&[(0, 2.0), (1, -2.0), (2, 2.0)]), 3.0);
        // (1 + 4)²/(1 + 16) in one unit, 1 in another.
        assert!((count(&[(0, 1.0), (1, 2.0), (13, 7.0)]) - (25.0 / 17.0 + 1.0)).abs() < 1e-12);
    }

    #[test]
    fn a_link_that_hardly_matters_is_not_needed() {
        // Brightness follows the first relay, which hears x and a whisper of y.
        let model = relays(&[(0, 1.0), (1, 1e-4), (12, 1.0)]);
        let living = alive(&model.network, &model.mask);
        let view = View::new(&model, 16, Coords::Fer);
        assert_eq!((living.kept(), needed_links(&view, &living)), (3, 2));
    }
}
