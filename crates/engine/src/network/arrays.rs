//! A network as plain arrays, which programs of one's own are sent (docs/PLUGINS.md).

use super::Network;
use serde::Serialize;

/// Units and links as arrays. Dimension letters: U units, W links.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct Arrays {
    /// (U,) activation of each unit; the first four are the inputs.
    activations: Vec<&'static str>,
    /// (U,) layer of each unit, 0 for inputs.
    layers: Vec<usize>,
    /// Units of hue, saturation and brightness; `None` for a channel that the picture lacks.
    outputs: [Option<usize>; 3],
    /// (W,) unit at the beginning of each link.
    sources: Vec<usize>,
    /// (W,) unit at its end.
    targets: Vec<usize>,
    /// (W,) weights; 0 of links that are gone.
    weights: Vec<f64>,
    /// (W,) whether the link is there and lies on a path from an input to an output.
    alive: Vec<bool>,
}

impl Arrays {
    /// Of a network with these `weights` and living links, (W,) each.
    pub(crate) fn of(network: &Network, weights: Vec<f64>, alive: Vec<bool>) -> Self {
        Arrays {
            activations: network.units.iter().map(|unit| unit.activation.name()).collect(),
            layers: network.units.iter().map(|unit| unit.layer).collect(),
            outputs: network.outputs,
            sources: network.links.iter().map(|link| link.source).collect(),
            targets: network.links.iter().map(|link| link.target).collect(),
            weights,
            alive,
        }
    }
}
