//! A network as a page draws it: where everything stands, what people called it, and its shader.

use super::places::{Places, places};
use crate::genome::{Genome, Input, Palette};
use crate::network::export::live_glsl;
use crate::network::{Coords, Mask, Model, link_genes, unit_nodes};
use crate::prune::alive_units;
use serde::Serialize;

/// Everything that a page needs to draw a network by itself.
#[derive(Serialize)]
pub struct Drawing {
    /// Coordinate convention.
    pub coords: &'static str,
    /// Arch of a layered network.
    pub arch: Option<String>,
    /// Width of the drawing.
    pub width: f64,
    /// Its height.
    pub height: f64,
    /// Side of a unit on it.
    pub side: f64,
    /// All units, inputs first.
    pub units: Vec<DrawnUnit>,
    /// All links.
    pub links: Vec<DrawnLink>,
    /// Its shader, which draws it on a graphics card; `None` if it is too large.
    pub shader: Option<String>,
    /// The names of the inputs, which are the first units.
    pub inputs: Vec<Input>,
    /// Units that draw hue, saturation and brightness.
    pub outputs: [Option<usize>; 3],
}

/// A unit on the page.
#[derive(Serialize)]
pub struct DrawnUnit {
    /// Applied to its sum.
    pub activation: &'static str,
    /// 0 for inputs.
    pub layer: usize,
    /// Its centre on the drawing; `None` if it is not drawn.
    pub at: Option<(f64, f64)>,
    /// Whether it is on a path from an input to an output.
    pub seen: bool,
    /// People's labels of it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub labels: Vec<String>,
}

/// A link on the page.
#[derive(Serialize)]
pub struct DrawnLink {
    /// Unit whose value is read.
    pub source: usize,
    /// Unit whose sum it enters.
    pub target: usize,
    /// Its weight.
    pub weight: f32,
    /// Whether the mask keeps it.
    pub kept: bool,
    /// People's labels of it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub labels: Vec<String>,
}

impl Drawing {
    /// Of a model; a graph has the nodes and links of `genome`, each with what people called it.
    pub fn of(model: &Model, genome: Option<&Genome>, coords: Coords, palette: Palette) -> Self {
        let Model { network, mask, weights } = model;
        let seen = alive_units(network, &Mask::non_zero(weights));
        let rounded = |v: f64| (v * 10.0).round() / 10.0;
        let Places { extent: (width, height), side, at } = places(network, mask, weights);
        let labelled = genome.filter(|_| network.arch.is_none());
        let nodes = labelled.map(|genome| (genome, unit_nodes(genome), link_genes(genome)));
        let of_unit = |u: usize| {
            let (genome, nodes, _) = nodes.as_ref()?;
            Some(genome.node(nodes[u])?.labels.clone())
        };
        let of_link = |i: usize| {
            let (genome, _, genes) = nodes.as_ref()?;
            Some(genome.connection(genes[i])?.labels.clone())
        };
        let units = network.units.iter().zip(at).enumerate();
        let units = units.map(|(u, (unit, at))| DrawnUnit {
            labels: of_unit(u).unwrap_or_default(),
            activation: unit.activation.name(),
            layer: unit.layer,
            at: at.map(|(x, y)| (rounded(x), rounded(y))),
            seen: seen[u],
        });
        let links = network.links.iter().enumerate().map(|(i, link)| DrawnLink {
            source: link.source,
            target: link.target,
            weight: weights.0[i],
            kept: mask.0[i],
            labels: of_link(i).unwrap_or_default(),
        });
        Drawing {
            coords: coords.name(),
            arch: network.arch.as_ref().map(ToString::to_string),
            width: rounded(width),
            height: rounded(height),
            side,
            units: units.collect(),
            links: links.collect(),
            shader: live_glsl(model, coords, palette),
            inputs: network.inputs.clone(),
            outputs: network.outputs,
        }
    }
}
