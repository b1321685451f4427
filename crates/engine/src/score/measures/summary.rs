//! All measures of one network in a few numbers, as records keep them and a card shows them.
//!
//! Maps are those of the *alive* hidden units: a dead unit of a pruned network draws act(0), which
//! says nothing about what it learned. Means are over the hidden layers that have the value.
//!
//! In: a view. Out: numbers, each none where the network has none.
//! Cost: one drawing of P pixels a living link (needed links), 21 runs of Louvain, PCA and ridge probes of maps (U, P).

use super::attributes::Attributes;
use super::decodability::decodability;
use super::duplicates::duplicates;
use super::effective_links::{needed_links, participation};
use super::fan_in::effective_fan_in;
use super::modularity::modularity;
use super::orthogonality::{Orthogonality, orthogonality};
use super::reuse::reuse;
use super::roughness::mean_roughness;
use crate::base::SimRng;
use crate::network::Model;
use crate::probe::{View, pca};
use crate::prune::alive;
use serde::{Deserialize, Serialize};

/// Principal components that every network's attributes are read from, at most.
const COMPONENTS: usize = 8;

/// Shuffled networks that Newman's Q is compared with.
const SHUFFLES: usize = 20;

/// The measures of a network beside its compositional score.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    /// Overlap of the maps of each hidden layer with an alive unit, first layer first.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub layers: Vec<Orthogonality>,
    /// Mean interference I over the layers with at least two different maps; `None` without any.
    pub interference: Option<f64>,
    /// Mean excess of I over its Welch bound, over the same layers.
    pub excess: Option<f64>,
    /// Mean roughness of the alive maps that vary; `None` if none does. This field and those below
    /// are also `None` in records that leave them out.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub roughness: Option<f64>,
    /// Share of the alive maps that repeat another, in [0, 1].
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub duplicates: Option<f64>,
    /// Mean effective number of inputs of a unit, exp H.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub effective_fan_in: Option<f64>,
    /// Alive links whose removal alone changes the picture.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub needed_links: Option<usize>,
    /// Σ over units of (Σw²)²/Σw⁴ over alive inputs.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub participation: Option<f64>,
    /// Mean alive out-degree of alive hidden units, relays left out.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub reuse: Option<f64>,
    /// Modules found.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub modules: Option<usize>,
    /// Newman's Q of them.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub q: Option<f64>,
    /// Q as a z-score against weights shuffled within layers; `None` if shuffling changes nothing.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub q_z: Option<f64>,
    /// Mean held-out R² of ridge probes from the last hidden layer to the picture's attributes that
    /// vary over the pixels; `None` without any.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub decoded: Option<f64>,
    /// The same from the first 8 principal components of all hidden maps: as many numbers a pixel
    /// whatever the width of the last layer, and wherever in the network they are \[ours\].
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub decoded_components: Option<f64>,
}

impl Summary {
    /// Of a view's model, from its maps and its picture. The shuffles draw from `rng`. Does not
    /// depend on the number of threads.
    pub fn of(view: &View, rng: &mut SimRng) -> Self {
        let Model { network, mask, weights } = view.model();
        let (maps, drawn) = (&view.maps(), view.picture());
        let alive = alive(network, mask);
        let mut lives = vec![false; network.units.len()];
        for (link, _) in network.links.iter().zip(&alive.0).filter(|(_, a)| **a) {
            lives[link.source] = true;
        }
        let hidden = |layer: Option<usize>| -> Vec<&[f32]> {
            (network.inputs.len()..network.units.len())
                .filter(|&u| lives[u] && layer.is_none_or(|l| network.units[u].layer == l))
                .map(|u| maps.unit(u))
                .collect()
        };
        let all = hidden(None);
        let by_layer: Vec<Vec<&[f32]>> = (1..=network.depth())
            .map(|layer| hidden(Some(layer)))
            .filter(|maps| !maps.is_empty())
            .collect();
        let layers: Vec<Orthogonality> = by_layer.iter().map(|maps| orthogonality(maps)).collect();
        let mean = |f: fn(&Orthogonality) -> f64| {
            let some: Vec<f64> = layers.iter().filter(|o| o.maps > 1).map(f).collect();
            (!some.is_empty()).then(|| some.iter().sum::<f64>() / some.len() as f64)
        };
        let modules = modularity(network, weights, SHUFFLES, rng);
        let attributes = Attributes::of(drawn).per_pixel(drawn);
        let decoded = |maps: &[&[f32]]| {
            let found = decodability(maps, &attributes, drawn.width, drawn.height);
            let r2: Vec<f64> = found.iter().filter_map(|d| d.r2).collect();
            (!r2.is_empty()).then(|| r2.iter().sum::<f64>() / r2.len() as f64)
        };
        let components = pca(&all, COMPONENTS).components;
        let components: Vec<&[f32]> = components.iter().map(|c| c.map.as_slice()).collect();
        Summary {
            interference: mean(|o| o.interference),
            excess: mean(|o| o.excess),
            layers,
            roughness: mean_roughness(&all, drawn.width, drawn.height),
            duplicates: Some(duplicates(&all).share),
            effective_fan_in: Some(effective_fan_in(network, weights, maps).mean),
            needed_links: Some(needed_links(view, &alive)),
            participation: Some(participation(network, &alive, weights)),
            reuse: Some(reuse(network, mask).mean_without_relays),
            modules: Some(modules.modules),
            q: Some(modules.q),
            q_z: modules.z,
            decoded: by_layer.last().and_then(|last| decoded(last)),
            decoded_components: (!all.is_empty()).then(|| decoded(&components)).flatten(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::network::{Arch, Coords, Mask, Weights};

    /// Two hidden layers of two relays: x and y carried on, a third of the links removed.
    fn carried() -> Model {
        let network = "2;cache:2".parse::<Arch>().unwrap().network();
        let mut weights = vec![0.0; network.weight_count()];
        // Layer 1: unit 0 = x, unit 1 = y. Layer 2 the same. Head: hue x, saturation 0, value y.
        for link in [0, 5, 8, 11, 12, 17] {
            weights[link] = 1.0;
        }
        Model::new(network, Weights(weights))
    }

    #[test]
    fn a_network_that_carries_two_orthogonal_inputs_does_not_interfere_and_listens_to_one_input() {
        let view = View::new(&carried(), 16, Coords::Fer);
        let s = Summary::of(&view, &mut SimRng::new(0, "test", 0));
        assert_eq!(s.layers.len(), 2);
        assert!(s.interference.unwrap() < 1e-12, "{s:?}");
        // Layer 2 repeats layer 1: two of four maps.
        assert_eq!(s.duplicates, Some(0.5));
        assert!((s.effective_fan_in.unwrap() - 1.0).abs() < 1e-12);
        // Brightness is |y|, which x and y cannot give linearly, but hue is read from x.
        assert!(s.decoded.is_some_and(|r2| r2 <= 1.0));
        // The four maps have two components, which span what layer 2 does.
        let [last, all] = [s.decoded, s.decoded_components].map(Option::unwrap);
        assert!((last - all).abs() < 1e-3, "{last} {all}");
    }

    #[test]
    fn dead_units_do_not_count() {
        let mut model = carried();
        // Without its head link, the column that carries x is dead.
        model.weights.0[12] = 0.0;
        model.mask = Mask::non_zero(&model.weights);
        let view = View::new(&model, 16, Coords::Fer);
        let s = Summary::of(&view, &mut SimRng::new(0, "test", 0));
        assert!(s.layers.iter().all(|o| o.maps == 1), "{:?}", s.layers);
        assert_eq!(s.interference, None);
    }
}
