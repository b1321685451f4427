//! Genomes of picbreeder-vlm: JSON with a node and a connection each. They draw with `--coords picbreeder`.
//!
//! Inputs have the keys −1 to −4 (x, y, d, bias), outputs 0 to 2 (hue, saturation, brightness). `inAct` acts on inputs,
//! `outAct` on outputs, after their own activation and for nobody else: each is one unit more. As there, a node
//! computes only if all that it hears does, and an output that does not is 0. Fields and activations that are not
//! known are refused.

use super::{
    ConnectionGene, Genome, InnovationId, Input, NodeGene, NodeId, Output, Provenance, Role,
};
use crate::base::refusal::Refusal;
use crate::math::Activation;
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet};

/// Most nodes and connections of a genome, each.
const MOST_GENES: usize = 10_000;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    format: String,
    #[serde(rename = "inputs", default)]
    _inputs: IgnoredAny,
    #[serde(rename = "outputs", default)]
    _outputs: IgnoredAny,
    nodes: Vec<Node>,
    connections: Vec<Connection>,
    #[serde(rename = "inAct", default)]
    on_inputs: Vec<String>,
    #[serde(rename = "outAct", default)]
    on_outputs: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Node {
    key: i64,
    activation: Option<String>,
    #[serde(rename = "affinity", default)]
    _affinity: IgnoredAny,
    #[serde(rename = "input", default)]
    _input: IgnoredAny,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Connection {
    from: i64,
    to: i64,
    weight: f64,
    #[serde(default = "yes")]
    enabled: bool,
}

fn yes() -> bool {
    true
}

const OUTPUTS: [Output; 3] = [Output::Hue, Output::Saturation, Output::Brightness];

/// True if a text is a genome of picbreeder-vlm.
pub(super) fn is_vlm(text: &[u8]) -> bool {
    let is_own = |file: File| {
        !file.nodes.is_empty() && (file.format.is_empty() || file.format == "picbreeder-vlm-cppn/1")
    };
    serde_json::from_slice(text).is_ok_and(is_own)
}

/// A genome from its JSON; `name` is its id.
///
/// # Errors
/// It is none, or has what genomes here have not.
pub(super) fn from_vlm_json(text: &[u8], name: &str) -> Result<Genome, Refusal> {
    let refuse = |at: &str, expected: String, found: String| Refusal::new(at, expected, found);
    let file: File = serde_json::from_slice(text)
        .map_err(|e| refuse(name, "a genome of picbreeder-vlm".into(), e.to_string()))?;
    let most = file.nodes.len().max(file.connections.len());
    let expected = format!("at most {MOST_GENES} nodes and connections each");
    Refusal::unless(most <= MOST_GENES, name, expected, most)?;
    let activation = |at: String, name: Option<&String>| -> Result<Activation, Refusal> {
        name.map_or(Ok(Activation::Identity), |name| {
            let found: Result<Activation, Refusal> = name.parse();
            let found = found.map_err(|refusal| refusal.within(&at))?;
            // Ours: what is called so elsewhere may be another function.
            let fits = !matches!(found, Activation::Abs | Activation::Square);
            Refusal::unless(fits, at, "an activation of picbreeder-vlm", found)?;
            Ok(found)
        })
    };
    let of_list =
        |list: &[String], i: usize, at: &str| activation(format!("{at} {i}"), list.get(i));

    // Inputs 0 to 3, outputs 4 to 6, what they compute before outAct 7 to 9, hidden nodes behind, by their keys.
    let is_split = |key: i64| file.on_outputs.len() > key as usize;
    let computing = |key: i64| match key {
        0..=2 if is_split(key) => key + 7,
        0..=2 => key + 4,
        key if key < 0 => -1 - key,
        key => key + 7,
    };
    let mut nodes = Vec::new();
    for (i, input) in Input::OF_PIXEL.into_iter().enumerate() {
        let own = of_list(&file.on_inputs, i, "inAct")?;
        nodes.push(NodeGene::new(NodeId(i as u32), Role::Input(input), own));
    }
    let links = file.connections.iter().filter(|link| link.enabled);
    let computed = computed(links.map(|link| (link.from, link.to)).collect());
    let mut keys = BTreeSet::new();
    let mut outer = Vec::new();
    for node in &file.nodes {
        let at = format!("node {}", node.key);
        let fits = (-4..=i64::from(u32::MAX / 4)).contains(&node.key) && keys.insert(node.key);
        Refusal::unless(fits, &at, "keys from -4, each once", node.key)?;
        let own = activation(at, node.activation.as_ref())?;
        let own =
            if computed.contains(&node.key) || node.key > 2 { own } else { Activation::Identity };
        let id = NodeId(computing(node.key) as u32);
        match node.key {
            ..0 => {}
            key @ 0..=2 => {
                let role = Role::Output(OUTPUTS[key as usize]);
                let last = NodeId(key as u32 + 4);
                if is_split(key) {
                    nodes.push(NodeGene::new(id, Role::Hidden, own));
                    let on = of_list(&file.on_outputs, key as usize, "outAct")?;
                    nodes.push(NodeGene::new(last, role, on));
                    outer.push((id, last));
                } else {
                    nodes.push(NodeGene::new(last, role, own));
                }
            }
            _ => nodes.push(NodeGene::new(id, Role::Hidden, own)),
        }
    }
    let gene = |number: usize, link: &Connection| ConnectionGene {
        enabled: link.enabled && computed.contains(&link.to),
        ..ConnectionGene::new(
            InnovationId(number as u64),
            NodeId(computing(link.from) as u32),
            NodeId(computing(link.to) as u32),
            link.weight,
        )
    };
    for link in &file.connections {
        let found = [link.from, link.to].into_iter().find(|key| *key >= 0 && !keys.contains(key));
        let fits = found.is_none() && link.from >= -4;
        let at = format!("connection {} to {}", link.from, link.to);
        Refusal::unless(fits, at, "both ends among the nodes", "one that is not there")?;
    }
    let all = file.connections.iter().enumerate().map(|(number, link)| gene(number, link));
    let (mut acting, silent): (Vec<_>, Vec<_>) = all.partition(|gene| gene.enabled);
    for (number, (inner, last)) in (file.connections.len()..).zip(outer) {
        acting.push(ConnectionGene::new(InnovationId(number as u64), inner, last, 1.0));
    }
    let provenance = Provenance {
        name: name.into(),
        made_by: "imported from picbreeder-vlm".into(),
        ..Provenance::default()
    };
    let mut genome =
        Genome::new(nodes, acting, provenance).map_err(|refusal| refusal.within(name))?;
    for gene in silent {
        // One that would close a cycle was never more than a remark.
        let _ = genome.add_connection(gene);
    }
    Ok(genome)
}

/// The genome as JSON of picbreeder-vlm; a grey one is given hue and saturation.
///
/// # Errors
/// It has what genomes there have not: factors, other activations, nodes that hear nothing and are not 0.
pub fn to_vlm_json(genome: &Genome) -> Result<String, Refusal> {
    genome.ensure_plain_inputs()?;
    let genome = genome.with_colour_outputs();
    let mut hidden = 3..;
    let mut keys = BTreeMap::new();
    for node in genome.nodes() {
        let key = match node.role {
            Role::Input(input) => -1 - input.place().unwrap_or_default() as i64,
            Role::Output(output) => output as i64,
            Role::Hidden => hidden.next().unwrap_or_default(),
        };
        keys.insert(node.id, key);
    }
    let acting = || genome.connections().filter(|link| link.enabled);
    let computed = computed(acting().map(|c| (keys[&c.source], keys[&c.target])).collect());
    let brightness = genome.output(Output::Brightness).expect("given above").id;
    let mut nodes = Vec::new();
    for node in genome.nodes() {
        let (key, at) = (keys[&node.id], format!("node {}", node.id));
        let is_heard = acting().any(|link| link.source == node.id);
        let is_read = is_heard || matches!(node.role, Role::Output(_));
        let fits =
            computed.contains(&key) || !is_read || node.activation.value(0.0) == 0.0 && !is_heard;
        Refusal::unless(fits, &at, "nodes that hear an input", "one that hears none")?;
        let activation = match node.activation {
            Activation::Cache => Activation::Identity.name(),
            Activation::Abs | Activation::Relu | Activation::Square | Activation::Tanh => {
                let expected = "identity, sin, cos, sigmoid or gaussian";
                return Err(Refusal::new(at, expected, node.activation.name()));
            }
            known => known.name(),
        };
        let is_input = key < 0;
        let affinity = if genome.reaches(node.id, brightness) { "grey" } else { "color" };
        let shown = if is_input { None } else { Some(activation) };
        nodes.push(
            json!({ "key": key, "activation": shown, "affinity": affinity, "input": is_input }),
        );
    }
    let connections: Vec<_> = genome
        .connections()
        .map(|c| json!({ "from": keys[&c.source], "to": keys[&c.target], "weight": c.weight, "enabled": c.enabled }))
        .collect();
    let mut file = json!({ "nodes": nodes, "connections": connections });
    let on_inputs = Input::OF_PIXEL.map(|input| genome.input(input).activation.name());
    if on_inputs.iter().any(|name| *name != "identity") {
        file["inAct"] = json!(on_inputs);
    }
    Ok(file.to_string() + "\n")
}

/// The nodes that compute: inputs, and those all of whose sources do.
fn computed(links: Vec<(i64, i64)>) -> BTreeSet<i64> {
    let mut waiting: BTreeMap<i64, usize> = BTreeMap::new();
    let mut readers: BTreeMap<i64, Vec<i64>> = BTreeMap::new();
    for (from, to) in links {
        *waiting.entry(to).or_default() += 1;
        readers.entry(from).or_default().push(to);
    }
    let mut ready: Vec<i64> = vec![-1, -2, -3, -4];
    let mut computed = BTreeSet::from_iter(ready.iter().copied());
    while let Some(key) = ready.pop() {
        for reader in readers.get(&key).into_iter().flatten() {
            let left = waiting.get_mut(reader).expect("counted above");
            *left -= 1;
            if *left == 0 && computed.insert(*reader) {
                ready.push(*reader);
            }
        }
    }
    computed
}
