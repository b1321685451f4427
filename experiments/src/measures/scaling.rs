//! Scaling a unit: directions in weight space that make one unit, or a mixture of a layer's units, louder.
//!
//! Within a hidden layer of a layered network the living units' maps are put on one scale, u_i = a_i/r_i with r_i their
//! root mean square over the view's pixels. A direction v of length 1 among them is made louder by (1 + t):
//! u ← u + t (v·u) v, done in the weights that read the layer. v = e_i is a unit; a random v is a mixture of the same
//! layer, in which units mean nothing. What is the same for both says nothing about units, so picture, sparsity, number
//! of weights and fit cancel. \[ours\]
//!
//! In: a view. Out: a direction, (link, component) pairs of length 1; `None` for a graph.
//! Cost: no drawing; a pass over the maps (U, P), then one over a layer's links a direction.

use picloom::base::SimRng;
use picloom::probe::View;
use picloom::score::measures::living;
use std::collections::BTreeMap;

/// (link, component) of a direction in weight space, of length 1.
pub(crate) type Direction = Vec<(usize, f64)>;

/// The living hidden units of each layer, with what is needed to scale them.
pub(crate) struct Layers<'v> {
    view: &'v View,
    layers: Vec<Layer>,
}

/// (unit, RMS of its map) of the units of a layer, and the units that read the layer.
type Layer = (Vec<(usize, f64)>, Vec<usize>);

impl<'v> Layers<'v> {
    /// Of a view's network; `None` if it is not layered or no hidden unit lives.
    pub(crate) fn of(view: &'v View) -> Option<Self> {
        let network = &view.model().network;
        if !network.is_layered() {
            return None;
        }
        let (maps, living) = (view.maps(), living(view));
        let mut heard: BTreeMap<usize, (Vec<usize>, Vec<usize>)> = BTreeMap::new();
        for &link in &living {
            let link = network.links[link];
            let layer = network.units[link.source].layer;
            if layer > 0 {
                let (sources, readers) = heard.entry(layer).or_default();
                sources.push(link.source);
                readers.push(link.target);
            }
        }
        let rms = |unit: usize| {
            let map = maps.unit(unit);
            let squares: f64 = map.iter().map(|v| f64::from(*v).powi(2)).sum();
            (squares / map.len() as f64).sqrt()
        };
        let layers = heard.into_values().map(|(mut sources, mut readers)| {
            for units in [&mut sources, &mut readers] {
                units.sort_unstable();
                units.dedup();
            }
            let loud = sources.into_iter().map(|unit| (unit, rms(unit)));
            (loud.filter(|(_, rms)| *rms > 1e-6).collect(), readers)
        });
        let layers: Vec<_> = layers.filter(|(units, _): &(Vec<_>, _)| !units.is_empty()).collect();
        (!layers.is_empty()).then_some(Layers { view, layers })
    }

    /// (layer, unit within it) of every living hidden unit that is not alone in its layer.
    pub(crate) fn units(&self) -> Vec<(usize, usize)> {
        let of = |(layer, (units, _)): (usize, &(Vec<_>, _))| {
            let count = if units.len() > 1 { units.len() } else { 0 };
            (0..count).map(move |unit| (layer, unit)).collect::<Vec<_>>()
        };
        self.layers.iter().enumerate().flat_map(of).collect()
    }

    /// The direction that makes one unit louder.
    pub(crate) fn unit(&self, (layer, unit): (usize, usize)) -> Direction {
        let mut v = vec![0.0; self.layers[layer].0.len()];
        v[unit] = 1.0;
        self.along(layer, &v)
    }

    /// The direction that makes a random mixture of a layer's units louder.
    pub(crate) fn mixture(&self, layer: usize, rng: &mut SimRng) -> Direction {
        let raw: Vec<f64> = self.layers[layer].0.iter().map(|_| rng.normal()).collect();
        let norm = raw.iter().map(|v| v * v).sum::<f64>().sqrt();
        self.along(layer, &raw.iter().map(|v| v / norm).collect::<Vec<f64>>())
    }

    /// The change of weights a unit of t for u ← u + t (v·u) v, made length 1; `v` is (units of the layer,).
    ///
    /// # Panics
    /// If there is no such layer.
    pub(crate) fn along(&self, layer: usize, v: &[f64]) -> Direction {
        let (network, weights) = (&self.view.model().network, &self.view.model().weights);
        let (units, readers) = &self.layers[layer];
        let mut direction = Direction::new();
        for &reader in readers {
            let links = network.units[reader].links.clone();
            let first = network.links[links.start].source;
            let link = |unit: usize| links.start + unit - first;
            let heard = |(unit, rms): &(usize, f64)| f64::from(weights.0[link(*unit)]) * rms;
            let louder: f64 = units.iter().zip(v).map(|(unit, v)| heard(unit) * v).sum();
            let changes =
                units.iter().zip(v).map(|((unit, rms), v)| (link(*unit), louder * v / rms));
            direction.extend(changes.filter(|(_, change)| *change != 0.0));
        }
        let norm = direction.iter().map(|(_, v)| v * v).sum::<f64>().sqrt();
        direction.iter_mut().for_each(|(_, v)| *v /= norm.max(1e-12));
        direction
    }
}
