//! Genomes of programs around neat-python 2: its JSON of a feed-forward network, a `session.json` of
//! automated-picbreeder, which holds many, and that program's graph JSON, `fer_picbreeder_graph_v1`.
//!
//! A unit of neat-python computes f(b + r·Σ w·v), with steeper functions, two of them of another range. The same is said
//! here by links: the factors 5, 2.5 and √5 go into the weights, b is a link from the bias, and a reader of a
//! sigmoid, (1 + sigmoid(5z))/2 in our terms, or of a gauss, (1 + gaussian(√5·z))/2, has half its weight and the other
//! half as bias. Only beyond |z| = 12, where neat-python holds its sine still, the two differ. Inputs are x, y,
//! √(x² + y²) and 1, as many as there are, drawn with `--coords fer`; outputs hue, saturation, brightness, or one, of
//! ink. Disabled links are left out.

use super::{
    ConnectionGene, Genome, InnovationId, Input, NodeGene, NodeId, Output, Provenance, Role,
};
use crate::base::refusal::Refusal;
use crate::math::Activation;
use serde::Deserialize;
use serde::de::IgnoredAny;
use std::collections::{BTreeMap, BTreeSet};

/// Most nodes and links of a genome, each.
const MOST_GENES: usize = 10_000;

/// d of `--coords fer` for a distance of 1.
const D_OF_DISTANCE: f64 = 1.4;

/// A text of one of these programs.
pub(super) enum NeatFile {
    Network(Network),
    Session(Session),
    Graph(Graph),
}

/// neat-python's export of one network.
#[derive(Deserialize)]
pub(super) struct Network {
    network_type: String,
    topology: Topology,
    nodes: Vec<Unit>,
    connections: Vec<Link>,
}

#[derive(Deserialize)]
struct Topology {
    input_keys: Vec<i64>,
    output_keys: Vec<i64>,
}

#[derive(Deserialize)]
struct Unit {
    #[serde(alias = "id")]
    key: i64,
    activation: Function,
    aggregation: Function,
    bias: f64,
    response: f64,
}

/// A function by its name.
#[derive(Deserialize)]
#[serde(untagged)]
enum Function {
    Name(String),
    Info { name: String },
}

impl Function {
    fn name(&self) -> &str {
        let (Function::Name(name) | Function::Info { name }) = self;
        name
    }
}

#[derive(Deserialize)]
struct Link {
    #[serde(flatten)]
    ends: Ends,
    weight: f64,
    enabled: bool,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Ends {
    Pair { key: (i64, i64) },
    Named { from: i64, to: i64 },
}

impl Link {
    fn ends(&self) -> (i64, i64) {
        match self.ends {
            Ends::Pair { key } => key,
            Ends::Named { from, to } => (from, to),
        }
    }
}

/// A session of automated-picbreeder: every genome that was shown.
#[derive(Deserialize)]
pub(super) struct Session {
    genomes: Vec<Shown>,
    output_encoding: String,
    selected: Option<i64>,
}

#[derive(Deserialize)]
struct Shown {
    key: i64,
    nodes: Vec<Unit>,
    connections: Vec<Link>,
}

/// A graph with the units and coordinates of FER.
#[derive(Deserialize)]
pub(super) struct Graph {
    format: String,
    name: String,
    nodes: Vec<GraphNode>,
    links: Vec<GraphLink>,
}

#[derive(Deserialize)]
struct GraphNode {
    id: String,
    label: String,
    activation: String,
}

#[derive(Deserialize)]
struct GraphLink {
    source: String,
    target: String,
    weight: f64,
}

impl NeatFile {
    /// The file in a text; `None` if it is of another program. A key that no other program's files have tells which.
    ///
    /// # Errors
    /// It is damaged, or of another version.
    pub(super) fn of(text: &[u8]) -> Result<Option<Self>, Refusal> {
        let Ok(top) = serde_json::from_slice::<BTreeMap<String, IgnoredAny>>(text) else {
            return Ok(None);
        };
        let has = |key: &str| top.contains_key(key);
        let read = if has("network_type") {
            serde_json::from_slice(text).map(NeatFile::Network)
        } else if has("output_encoding") {
            serde_json::from_slice(text).map(NeatFile::Session)
        } else if has("links") {
            serde_json::from_slice(text).map(NeatFile::Graph)
        } else {
            return Ok(None);
        };
        let expected = "a file of neat-python or automated-picbreeder";
        read.map(Some).map_err(|error| Refusal::new("", expected, error.to_string()))
    }

    /// The keys of the genomes of a session; `None` of a file of one genome.
    pub(super) fn keys(&self) -> Option<Vec<String>> {
        match self {
            NeatFile::Session(session) => {
                Some(session.genomes.iter().map(|shown| shown.key.to_string()).collect())
            }
            NeatFile::Network(_) | NeatFile::Graph(_) => None,
        }
    }

    /// The genome, called `name`; of a session the one with the key that is picked, else that of the number, from 1.
    ///
    /// # Errors
    /// It has what genomes here have not; of a session, none is picked, or one that is not there.
    pub(super) fn genome(self, pick: Option<&str>, name: &str) -> Result<Genome, Refusal> {
        match self {
            NeatFile::Network(network) => {
                let kind = network.network_type;
                Refusal::unless(kind == "feedforward", "network_type", "feedforward", kind)?;
                let Topology { input_keys, output_keys } = network.topology;
                let made_by = "imported from neat-python";
                let genes = (network.nodes, network.connections);
                of_neat((input_keys, output_keys), genes, provenance(name, made_by))
            }
            NeatFile::Session(session) => session.genome(pick),
            NeatFile::Graph(graph) => graph.genome(),
        }
    }
}

fn provenance(name: &str, made_by: &str) -> Provenance {
    Provenance { name: name.into(), made_by: made_by.into(), ..Provenance::default() }
}

impl Session {
    fn genome(self, pick: Option<&str>) -> Result<Genome, Refusal> {
        let (count, coding) = (self.genomes.len(), self.output_encoding);
        Refusal::unless(coding == "HSB", "output_encoding", "HSB", coding)?;
        let chosen = self.selected.map_or("1".into(), |key| key.to_string());
        let refuse = |expected: String, found: String| {
            let advice = format!("name one by its key: FILE#{chosen}");
            Err(Refusal::new("", expected, found).advising(advice))
        };
        let Some(pick) = pick else {
            return refuse("one genome".into(), format!("a session of {count}"));
        };
        let keyed = self.genomes.iter().position(|shown| shown.key.to_string() == pick);
        let numbered = || pick.parse::<usize>().ok()?.checked_sub(1);
        let Some(shown) = keyed.or_else(numbered).and_then(|at| self.genomes.into_iter().nth(at))
        else {
            return refuse(format!("a key or a number from 1 to {count}"), format!("{pick:?}"));
        };
        let made_by = "imported from automated-picbreeder";
        let ends = (vec![-1, -2, -3], vec![0, 1, 2]);
        of_neat(ends, (shown.nodes, shown.connections), provenance(pick, made_by))
    }
}

/// A function of neat-python in ours: f(z) = shift + scale·ours(factor·z).
struct Ours {
    activation: Activation,
    factor: f64,
    scale: f64,
    shift: f64,
}

impl Ours {
    fn of(unit: &Unit) -> Result<Self, Refusal> {
        let at = format!("node {}", unit.key);
        let sum = unit.aggregation.name();
        Refusal::unless(sum == "sum", &at, "aggregation sum", sum)?;
        let (activation, factor, scale) = match unit.activation.name() {
            "identity" => (Activation::Identity, 1.0, 1.0),
            "relu" => (Activation::Relu, 1.0, 1.0),
            "sin" => (Activation::Sin, 5.0, 1.0),
            "tanh" => (Activation::Tanh, 2.5, 1.0),
            "sigmoid" => (Activation::Sigmoid, 5.0, 0.5),
            "gauss" => (Activation::Gaussian, 5.0_f64.sqrt(), 0.5),
            other => {
                let expected = "identity, relu, sin, tanh, sigmoid or gauss";
                return Err(Refusal::new(at, expected, format!("activation {other:?}")));
            }
        };
        Ok(Ours { activation, factor, scale, shift: 1.0 - scale })
    }
}

/// A genome from the units and links of neat-python.
fn of_neat(
    (inputs, outputs): (Vec<i64>, Vec<i64>),
    (units, links): (Vec<Unit>, Vec<Link>),
    provenance: Provenance,
) -> Result<Genome, Refusal> {
    let most = units.len().max(links.len());
    let expected = format!("at most {MOST_GENES} nodes and links each");
    Refusal::unless(most <= MOST_GENES, "", expected, most)?;
    let fits = (1..=4).contains(&inputs.len());
    Refusal::unless(fits, "input_keys", "x, y, distance and bias, up to four", inputs.len())?;
    let shown: &[Output] = match outputs.len() {
        1 => &[Output::Ink],
        3 => &[Output::Hue, Output::Saturation, Output::Brightness],
        count => {
            let expected = "one (ink) or three (hue, saturation, brightness)";
            return Err(Refusal::new("output_keys", expected, count.to_string()));
        }
    };
    let mut nodes: Vec<NodeGene> = Input::OF_PIXEL
        .into_iter()
        .zip(0..)
        .map(|(input, id)| NodeGene::new(NodeId(id), Role::Input(input), Activation::Identity))
        .collect();
    let bias = NodeId(3);

    // Where each key's value comes from: shift + scale·node.
    let mut values: BTreeMap<i64, (NodeId, f64, f64)> = BTreeMap::new();
    for (number, key) in inputs.iter().enumerate() {
        let scale = if number == 2 { 1.0 / D_OF_DISTANCE } else { 1.0 };
        values.insert(*key, (NodeId(number as u32), scale, 0.0));
    }
    let mut weights: BTreeMap<(NodeId, NodeId), f64> = BTreeMap::new();
    let mut readers = BTreeMap::new();
    let mut known = BTreeSet::new();
    for unit in units.iter().filter(|unit| !inputs.contains(&unit.key)) {
        let at = format!("node {}", unit.key);
        Refusal::unless(known.insert(unit.key), at, "each key once", "it again")?;
        let ours = Ours::of(unit)?;
        let id = NodeId(nodes.len() as u32);
        let output = outputs.iter().position(|key| *key == unit.key).map(|at| shown[at]);
        let is_plain = ours.scale == 1.0;
        let role = output.filter(|_| is_plain).map_or(Role::Hidden, Role::Output);
        nodes.push(NodeGene::new(id, role, ours.activation));
        values.insert(unit.key, (id, ours.scale, ours.shift));
        readers.insert(unit.key, (id, ours.factor * unit.response));
        *weights.entry((bias, id)).or_default() += ours.factor * unit.bias;
        if let Some(output) = output.filter(|_| !is_plain) {
            let last = NodeId(nodes.len() as u32);
            nodes.push(NodeGene::new(last, Role::Output(output), Activation::Identity));
            weights.insert((id, last), ours.scale);
            weights.insert((bias, last), ours.shift);
        }
    }
    for (key, output) in outputs.iter().zip(shown) {
        let at = format!("output {output:?}");
        Refusal::unless(known.contains(key), at.to_lowercase(), "a node", format!("none {key}"))?;
    }
    for link in links.iter().filter(|link| link.enabled) {
        let (from, to) = link.ends();
        let ends = values.get(&from).zip(readers.get(&to));
        let (&(source, scale, shift), &(target, factor)) = ends.ok_or_else(|| {
            let at = format!("connection {from} to {to}");
            Refusal::new(at, "both ends among the nodes", "one that is not there")
        })?;
        let weight = factor * link.weight;
        *weights.entry((source, target)).or_default() += weight * scale;
        *weights.entry((bias, target)).or_default() += weight * shift;
    }
    let own = weights.iter().filter(|((source, _), weight)| *source != bias || **weight != 0.0);
    let genes = own.zip(0..).map(|((&(source, target), &weight), number)| {
        ConnectionGene::new(InnovationId(number), source, target, weight)
    });
    Genome::new(nodes, genes.collect(), provenance)
}

impl Graph {
    fn genome(self) -> Result<Genome, Refusal> {
        let Graph { format, name, nodes: given, links } = self;
        let own = "fer_picbreeder_graph_v1";
        Refusal::unless(format == own, "format", own, format)?;
        let most = given.len().max(links.len());
        let expected = format!("at most {MOST_GENES} nodes and links each");
        Refusal::unless(most <= MOST_GENES, "", expected, most)?;
        let (mut nodes, mut ids) = (Vec::new(), BTreeMap::new());
        for (node, number) in given.iter().zip(0..) {
            let at = format!("node {:?}", node.id);
            let role = match node.label.as_str() {
                "x" => Role::Input(Input::X),
                "y" => Role::Input(Input::Y),
                "d" => Role::Input(Input::D),
                "bias" => Role::Input(Input::Bias),
                "hue" => Role::Output(Output::Hue),
                "saturation" => Role::Output(Output::Saturation),
                "brightness" => Role::Output(Output::Brightness),
                "ink" => Role::Output(Output::Ink),
                _ => Role::Hidden,
            };
            let named = node.activation.parse::<Activation>();
            let activation = named.map_err(|refusal| refusal.within(&at))?;
            let is_new = ids.insert(node.id.as_str(), NodeId(number)).is_none();
            Refusal::unless(is_new, at, "each id once", "it again")?;
            nodes.push(NodeGene::new(NodeId(number), role, activation));
        }
        let end = |id: &str| {
            let none = || Refusal::new("links", "ends among the nodes", format!("{id:?}"));
            ids.get(id).copied().ok_or_else(none)
        };
        let mut genes = Vec::new();
        for (link, number) in links.iter().zip(0..) {
            let (source, target) = (end(&link.source)?, end(&link.target)?);
            genes.push(ConnectionGene::new(InnovationId(number), source, target, link.weight));
        }
        Genome::new(nodes, genes, provenance(&name, "imported from automated-picbreeder"))
    }
}
