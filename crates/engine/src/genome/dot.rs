//! Genome → Graphviz DOT text.

use super::{Genome, Role};
use std::fmt::Write;

/// The genome as a Graphviz digraph, inputs at the left, outputs at the right.
///
/// Positive links are blue, negative red; disabled ones dashed. Deterministic.
pub fn to_dot(genome: &Genome) -> String {
    let mut dot =
        String::from("digraph genome {\n  rankdir=LR;\n  node [fontname=\"sans-serif\"];\n");
    for node in genome.nodes() {
        let (name, shape) = match node.role {
            Role::Input(i) => (i.to_string(), "box"),
            Role::Output(o) => (o.name().to_string(), "doublecircle"),
            Role::Hidden => (format!("{}", node.id.0), "circle"),
        };
        let labels = if node.labels.is_empty() {
            String::new()
        } else {
            format!("\\n{}", escape(&node.labels.join(", ")))
        };
        writeln!(
            dot,
            "  n{} [shape={shape}, label=\"{name}\\n{}{labels}\"];",
            node.id.0, node.activation
        )
        .expect("strings take text");
    }
    for c in genome.connections() {
        let colour = if c.weight < 0.0 { "#b2182b" } else { "#2166ac" };
        let style = if c.enabled { "solid" } else { "dashed" };
        writeln!(
            dot,
            "  n{} -> n{} [label=\"{:.3}\", color=\"{colour}\", style={style}];",
            c.source.0, c.target.0, c.weight
        )
        .expect("strings take text");
    }
    dot.push_str("}\n");
    dot
}

fn escape(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"")
}
