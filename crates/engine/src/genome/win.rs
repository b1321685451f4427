//! Genomes of win-Picbreeder: JSON of a bias, three inputs (x, y, d), three outputs (hue, saturation, brightness) and
//! hidden nodes, in this order of each kind. They draw with `--coords picbreeder`.

use super::{
    ConnectionGene, Genome, InnovationId, Input, NodeGene, NodeId, Output, Provenance, Role,
};
use crate::base::refusal::Refusal;
use crate::math::Activation;
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;

#[derive(Deserialize)]
struct File {
    genome: Genes,
}

#[derive(Deserialize)]
struct Genes {
    nodes: Vec<Node>,
    connections: Vec<Link>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Node {
    gid: Value,
    node_type: String,
    activation_function: String,
    #[serde(default)]
    bias: f64,
}

#[derive(Deserialize)]
struct Link {
    weight: f64,
    #[serde(rename = "sourceID")]
    source: Value,
    #[serde(rename = "targetID")]
    target: Value,
}

/// The genome in a text of win-Picbreeder; `None` if it is none. `name` is that of its file.
///
/// # Errors
/// It has what genomes here have not.
pub(super) fn from_win_json(text: &[u8], name: &str) -> Result<Option<Genome>, Refusal> {
    let Ok(File { genome }) = serde_json::from_slice(text) else { return Ok(None) };
    let inputs = [Input::X, Input::Y, Input::D].map(Role::Input);
    let outputs = [Output::Hue, Output::Saturation, Output::Brightness].map(Role::Output);
    let (mut inputs, mut outputs) = (inputs.into_iter(), outputs.into_iter());
    let (mut nodes, mut ids) = (Vec::new(), BTreeMap::new());
    for (i, node) in genome.nodes.iter().enumerate() {
        let at = format!("node {}", node.gid);
        let role = match &*node.node_type {
            "Bias" => Some(Role::Input(Input::Bias)),
            "Input" => inputs.next(),
            "Output" => outputs.next(),
            _ => Some(Role::Hidden),
        };
        let expected = "one bias, three inputs and three outputs";
        let role = role.ok_or_else(|| Refusal::new(&at, expected, node.node_type.clone()))?;
        let activation = match &*node.activation_function {
            "pbLinear" => Activation::Identity,
            "PBBipolarSigmoid" => Activation::Sigmoid,
            "PBGaussian" => Activation::Gaussian,
            "Sine" => Activation::Sin,
            "PBCos" => Activation::Cos,
            other => {
                let expected = "pbLinear, PBBipolarSigmoid, PBGaussian, Sine or PBCos";
                return Err(Refusal::new(at, expected, other));
            }
        };
        Refusal::unless(node.bias == 0.0, &at, "bias 0", node.bias)?;
        let is_new = ids.insert(node.gid.to_string(), NodeId(i as u32)).is_none();
        Refusal::unless(is_new, at, "each gid once", "it again")?;
        nodes.push(NodeGene::new(NodeId(i as u32), role, activation));
    }
    let end = |gid: &Value| {
        let none = || Refusal::new("connections", "ends among the nodes", gid.to_string());
        ids.get(&gid.to_string()).copied().ok_or_else(none)
    };
    let mut links = Vec::new();
    for (link, i) in genome.connections.iter().zip(0..) {
        let (source, target) = (end(&link.source)?, end(&link.target)?);
        links.push(ConnectionGene::new(InnovationId(i), source, target, link.weight));
    }
    let made_by = "imported from win-Picbreeder".into();
    let provenance = Provenance { name: name.into(), made_by, ..Provenance::default() };
    Genome::new(nodes, links, provenance).map(Some)
}
