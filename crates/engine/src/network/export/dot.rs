//! Network → Graphviz: the units that an output sees, and their non-zero links.

use super::seen::seen;
use crate::network::Model;
use std::fmt::Write;

/// The model as a digraph, inputs at the left. Positive links are blue, negative red, as in
/// [`crate::genome::to_dot`].
pub(super) fn dot(model: &Model) -> String {
    let network = &model.network;
    let seen = seen(model);
    let mut dot =
        String::from("digraph network {\n  rankdir=LR;\n  node [fontname=\"sans-serif\"];\n");
    let mut line = |text: String| writeln!(dot, "  {text}").expect("strings take text");
    for (u, unit) in network.units.iter().enumerate().filter(|(u, _)| seen[*u]) {
        let drawn = network.outputs.iter().position(|o| *o == Some(u));
        let (name, shape) = match (network.inputs.get(u), drawn) {
            (Some(input), _) => (input.to_string(), "box"),
            (None, Some(k)) => (["hue", "saturation", "brightness"][k].to_string(), "doublecircle"),
            (None, None) => (u.to_string(), "circle"),
        };
        line(format!("u{u} [shape={shape}, label=\"{name}\\n{}\"];", unit.activation));
    }
    for (link, &w) in network.links.iter().zip(&model.weights.0) {
        if w != 0.0 && seen[link.target] {
            let colour = if w < 0.0 { "#b2182b" } else { "#2166ac" };
            let ends = format!("u{} -> u{}", link.source, link.target);
            line(format!("{ends} [label=\"{w:.3}\", color=\"{colour}\"];"));
        }
    }
    dot.push_str("}\n");
    dot
}
