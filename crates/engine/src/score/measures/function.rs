//! Modules by function: units that do the same to the picture, wherever they are wired.
//!
//! A unit's *doing* is the picture with all its outgoing weights at 0, less the picture: (P, 3) differences at
//! 32². Units are as alike as |cos| of their doings, sign and strength left out; modules are Louvain's
//! communities of that complete graph. Then it is asked whether the wiring keeps to them: Newman's Q of the |w|
//! between those units with these modules, less its mean with the modules shuffled among the units of each
//! hidden layer, so that neither strong units nor layers count.
//!
//! In: a view. Out: counts of units and modules, `q` in [−½, 1), `wiring` in about [−1, 1] and its
//! z; `None` with fewer than two units that change the picture.
//! Cost: one drawing of 32² pixels a hidden unit ([`super::silencing`]), N²/2 scalar products of 3P numbers, one run
//! of Louvain, 50 shuffles.
//!
//! Sources: units clustered by their downstream effect, Lange, Rolnick & Kording, *Clustering units in neural
//! networks: upstream vs downstream information*, 2022; Louvain and Q as in [`super::modularity`]. Silencing by
//! 0, |cos| of pictures, and the null model are \[ours\].
//!
//! **What it does not mean:** every set of units has communities; `q` of a single network says little, and a
//! module that does one thing need not be one a person would name. A unit that only acts together with another
//! is told by neither's doing alone.

use super::maps::dot;
use super::modularity::{louvain, newman_q};
use super::silencing::Silenced;
use crate::base::SimRng;
use crate::base::stats::{mean, variance};
use crate::network::Model;
use crate::probe::View;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// Shuffled modules that the wiring's Q is compared with.
const SHUFFLES: usize = 50;

/// Modules by function of one network, and how far its wiring keeps to them.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FunctionalModules {
    /// Hidden units whose silencing changes the picture.
    pub units: usize,
    /// Modules of these.
    pub modules: usize,
    /// Modules with a unit in every hidden layer that has such units.
    pub spanning: usize,
    /// Newman's Q of the likeness of units, in [−½, 1).
    pub q: f64,
    /// Newman's Q of |w| between the units with these modules, less its mean over shuffled modules, in
    /// about [−1, 1]; 0: the links do not know the modules.
    pub wiring: f64,
    /// The same over the shuffles' standard deviation; `None` if shuffling changes nothing.
    pub wiring_z: Option<f64>,
}

impl FunctionalModules {
    /// Of a view's model; `None` with fewer than two units that change the picture. The shuffles
    /// draw from `rng`. The same bits at any thread count.
    pub fn of(view: &View, rng: &mut SimRng) -> Option<Self> {
        let Model { network, weights, .. } = view.model();
        let Silenced { units, doings, .. } = Silenced::of(view);
        if units.len() < 2 {
            return None;
        }
        let norms: Vec<f64> = doings.iter().map(|d| dot(d, d).sqrt()).collect();
        let likeness: Vec<(usize, usize, f64)> = (1..units.len())
            .into_par_iter()
            .flat_map_iter(|b| {
                let (doings, norms) = (&doings, &norms);
                (0..b)
                    .map(move |a| (a, b, dot(&doings[a], &doings[b]).abs() / (norms[a] * norms[b])))
            })
            .filter(|edge| edge.2 > 0.0)
            .collect();
        let module = louvain(units.len(), &likeness);
        let modules = module.iter().max().map_or(0, |last| last + 1);
        let at: BTreeMap<usize, usize> = units.iter().enumerate().map(|(i, &u)| (u, i)).collect();
        let wires: Vec<(usize, usize, f64)> = network
            .links
            .iter()
            .zip(&weights.0)
            .filter(|(_, w)| **w != 0.0)
            .filter_map(|(link, w)| {
                Some((*at.get(&link.source)?, *at.get(&link.target)?, f64::from(w.abs())))
            })
            .collect();
        let mut layers: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for (i, &unit) in units.iter().enumerate() {
            layers.entry(network.units[unit].layer).or_default().push(i);
        }
        let reached: BTreeSet<(usize, usize)> = layers
            .values()
            .enumerate()
            .flat_map(|(layer, members)| members.iter().map(move |&i| (i, layer)))
            .map(|(i, layer)| (module[i], layer))
            .collect();
        let spans = |m: &usize| reached.iter().filter(|r| r.0 == *m).count() == layers.len();
        let found = newman_q(units.len(), &wires, &module);
        let (mean, deviation) = shuffled(&wires, &module, &layers, rng);
        Some(FunctionalModules {
            units: units.len(),
            modules,
            spanning: (0..modules).filter(spans).count(),
            q: newman_q(units.len(), &likeness, &module),
            wiring: found - mean,
            wiring_z: (deviation > 1e-12).then(|| (found - mean) / deviation),
        })
    }
}

/// Mean and standard deviation of the wiring's Q over modules shuffled within `layers`.
fn shuffled(
    wires: &[(usize, usize, f64)],
    module: &[usize],
    layers: &BTreeMap<usize, Vec<usize>>,
    rng: &mut SimRng,
) -> (f64, f64) {
    let null: Vec<f64> = (0..SHUFFLES)
        .map(|_| {
            let mut other = module.to_vec();
            for members in layers.values() {
                let mut names: Vec<usize> = members.iter().map(|&i| module[i]).collect();
                rng.shuffle(&mut names);
                for (&i, name) in members.iter().zip(names) {
                    other[i] = name;
                }
            }
            newman_q(module.len(), wires, &other)
        })
        .collect();
    let mean = mean(&null).expect("some shuffles");
    (mean, variance(&null).expect("two shuffles at least").sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::network::{Arch, Coords, Weights};

    /// Two hidden layers of four relays: two columns carry x to the value and two carry y.
    fn columns() -> Model {
        let network = "2;cache:4".parse::<Arch>().unwrap().network();
        let wires = |source: usize, target: usize| match (source, target) {
            (0, 4) | (0, 5) | (1, 6) | (1, 7) => 1.0,
            (4, 8) | (5, 9) | (6, 10) | (7, 11) => 1.0,
            (4, 9) | (5, 8) | (6, 11) | (7, 10) => 0.3,
            (8..=11, 14) => 0.2,
            _ => 0.0,
        };
        let weights = network.links.iter().map(|l| wires(l.source, l.target)).collect();
        Model::new(network.clone(), Weights(weights))
    }

    fn of(model: &Model) -> FunctionalModules {
        let view = View::new(model, 48, Coords::Fer);
        FunctionalModules::of(&view, &mut SimRng::new(0, "test", 0)).unwrap()
    }

    #[test]
    fn columns_that_do_different_things_are_modules_and_the_links_keep_to_them() {
        let found = of(&columns());
        assert_eq!((found.units, found.modules, found.spanning), (8, 2, 2), "{found:?}");
        assert!(found.q > 0.0, "{found:?}");
        // All links lead along the columns, Q = ½; modules shuffled within layers expect about 0.
        assert!((0.3..=0.75).contains(&found.wiring), "{found:?}");
        assert!(found.wiring_z.unwrap() > 1.0, "{found:?}");
        assert_eq!(found, of(&columns()));
    }

    #[test]
    fn sign_and_strength_do_not_tell_modules_apart() {
        let mut model = columns();
        let head =
            |source| model.network.links.iter().position(|l| (l.source, l.target) == (source, 14));
        let (strong, weak) = (head(10).unwrap(), head(11).unwrap());
        model.weights.0[strong] = 0.3;
        model.weights.0[weak] = 0.1;
        let found = of(&model);
        assert_eq!((found.modules, found.spanning), (2, 2), "{found:?}");
    }

    #[test]
    fn units_that_do_nothing_do_not_count_and_one_unit_has_no_modules() {
        let mut model = columns();
        for (i, link) in model.network.links.iter().enumerate() {
            if [5, 6, 7, 9, 10, 11].contains(&link.source) {
                model.weights.0[i] = 0.0;
            }
        }
        assert_eq!(of(&model).units, 2);
        let first = model.network.links.iter().position(|l| l.source == 8 && l.target == 14);
        model.weights.0[first.unwrap()] = 0.0;
        let view = View::new(&model, 48, Coords::Fer);
        assert_eq!(FunctionalModules::of(&view, &mut SimRng::new(0, "test", 0)), None);
    }

    #[test]
    fn links_that_ignore_the_modules_score_about_nothing() {
        // A dense random network: what units do comes of everything.
        let network = "3;gaussian:3,sin:3".parse::<Arch>().unwrap().network();
        let mut rng = SimRng::new(3, "test", 0);
        let weights = (0..network.weight_count()).map(|_| rng.normal() as f32).collect();
        let found = of(&Model::new(network, Weights(weights)));
        assert!(found.wiring.abs() < 0.1, "{found:?}");
    }
}
