//! Genomes of any shape, as their files.

use serde_json::json;

/// A colour genome's JSON with these hidden nodes and connections (source, target, weight).
pub(crate) fn genome(
    hidden: &[u64],
    connections: &[(u64, u64, f64)],
    first_innovation: u64,
) -> String {
    let inputs = ["x", "y", "d", "bias"].map(|input| json!({ "input": input }));
    let roles = inputs.into_iter().chain([json!({ "output": "ink" })]).enumerate();
    let seen = roles.map(|(id, role)| json!({ "id": id, "role": role, "activation": "identity" }));
    let hidden = hidden.iter().map(|id| json!({ "id": id, "role": "hidden", "activation": "cos" }));
    let links = connections.iter().zip(first_innovation..).map(|((source, target, weight), id)| {
        json!({ "innovation": id, "source": source, "target": target, "weight": weight, "enabled": true })
    });
    let [nodes, links] = [seen.chain(hidden).collect::<Vec<_>>(), links.collect()];
    json!({ "format": "picloom-genome/1", "nodes": nodes, "connections": links }).to_string()
}
