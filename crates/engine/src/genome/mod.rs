//! A genome: the graph that evolution edits. In: files or other genomes. Out: a valid, acyclic
//! `Genome`. It does not know how to draw.
//!
//! Invariants, kept by construction and checked by [`Genome::check`]:
//! the inputs x, y, d, bias and either {ink} or {hue, saturation, brightness} are present exactly once;
//! node and innovation ids are unique; at most one connection joins a pair; nothing enters an
//! input; weights are finite; the graph of *all* connections, disabled ones too, is acyclic.
//! Iteration is always in id order, so a genome's bytes do not depend on how it was built.

mod builtin;
mod collection;
pub(crate) mod composed;
mod dot;
mod file;
mod gene;
mod info;
mod input;
mod json;
mod morph;
mod neat;
mod palette;
mod picbreeder;
mod vlm;
mod win;

pub use builtin::{BUILTIN, builtin};
pub use collection::Collection;
pub use composed::Composed;
pub use dot::to_dot;
pub use file::{Reader, bytes_for, collection, map_of_genomes, picked, read};
pub use gene::{ConnectionGene, InnovationId, Marking, NodeGene, NodeId, Output, Role};
pub use info::GenomeInfo;
pub use input::{Function, Input, Inputs};
pub use json::{from_json, to_json};
pub use morph::Morph;
pub use palette::Palette;
pub use picbreeder::{
    from_picbreeder_xml, from_picbreeder_zip, to_picbreeder_xml, to_picbreeder_zip,
};
pub use vlm::to_vlm_json;

use crate::base::refusal::Refusal;
use crate::math::Activation;
use petgraph::stable_graph::{EdgeIndex, NodeIndex, StableDiGraph};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::Path;

/// How a genome came to be; kept in its file.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Provenance {
    /// A name for people.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// How it was made: "composed by hand", "picloom evolve --search target", "imported from …".
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub made_by: String,
    /// Seed of the run that made it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
    /// Generations of selection behind it; Picbreeder's `age`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub generations: Option<u64>,
    /// Names or ids of the parents.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parents: Vec<String>,
    /// Anything else worth knowing, key to text (search, config hash, notes).
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub notes: BTreeMap<String, String>,
}

/// The note that says which genome of its file one is.
const SERIES: &str = "series";

impl Provenance {
    /// The title of the genome in the file `path`, for people: its name, or the file's, and which of a series it is.
    /// Searches number their files, so a name that is only a number follows the name of its run: `face 000`.
    pub fn title(&self, path: &Path) -> String {
        let title = self.named(path);
        self.series().map_or(title.clone(), |series| format!("{title} ({series})"))
    }

    /// Which genome of its file it is, if that held several: "9 of 9".
    pub fn series(&self) -> Option<&str> {
        self.notes.get(SERIES).map(String::as_str)
    }

    fn named(&self, path: &Path) -> String {
        let name = self.name.trim();
        let stem = path.file_stem().map_or_else(String::new, |s| s.to_string_lossy().into_owned());
        if !name.is_empty() {
            return name.into();
        }
        if stem.is_empty() || !stem.bytes().all(|b| b.is_ascii_digit()) {
            return stem;
        }
        let said = |folder: &str| !["genomes", "published", "/", ".", ".."].contains(&folder);
        let mut folders = path.iter().rev().skip(1).map(|folder| folder.to_string_lossy());
        let run = folders.find(|folder| said(folder));
        run.map_or(format!("genome {stem}"), |run| format!("{run} {stem}"))
    }
}

type Graph = StableDiGraph<NodeGene, ConnectionGene>;

/// A CPPN genome. See the module's invariants.
#[derive(Clone, Debug)]
pub struct Genome {
    graph: Graph,
    nodes: BTreeMap<NodeId, NodeIndex>,
    connections: BTreeMap<InnovationId, EdgeIndex>,
    /// How it came to be.
    pub provenance: Provenance,
    /// The colours that its picture is drawn in.
    pub palette: Palette,
}

/// Largest node id, innovation number and marking of a genome that is put together or read: half of what a node
/// id can hold, so that edits of it, which may go beyond, never run out of numbers.
pub const LARGEST_ID: u64 = (u32::MAX / 2) as u64;

impl Genome {
    /// A genome from its genes. The order of the lists does not matter.
    ///
    /// # Errors
    /// Every breach of the module's invariants, naming the gene.
    pub fn new(
        nodes: Vec<NodeGene>,
        connections: Vec<ConnectionGene>,
        provenance: Provenance,
    ) -> Result<Self, Refusal> {
        let mut nodes = nodes;
        let mut connections = connections;
        nodes.sort_by_key(|n| n.id);
        connections.sort_by_key(|c| c.innovation);
        let mut genome = Genome {
            graph: StableDiGraph::new(),
            nodes: BTreeMap::new(),
            connections: BTreeMap::new(),
            provenance,
            palette: Palette::Free,
        };
        for node in nodes {
            genome.take_node(node)?;
        }
        let mut pairs = BTreeSet::new();
        for connection in connections {
            genome.take_connection(connection, &mut pairs)?;
        }
        if let Some(gene) = genome.first_cycle() {
            return Err(cycle(gene.source, gene.target));
        }
        genome.check_complete()?;
        Ok(genome)
    }

    /// The first connection, in innovation order, that closes a cycle with those before it.
    ///
    /// O((V + E) log E): a file of many links is not asked for a path at each of them.
    fn first_cycle(&self) -> Option<&ConnectionGene> {
        let cyclic = |count: usize| {
            let ends = self.connections.values().take(count);
            let ends = ends.map(|&e| self.graph.edge_endpoints(e).expect("mirrors the graph"));
            let graph = petgraph::graph::DiGraph::<(), ()>::from_edges(
                ends.map(|(a, b)| (a.index() as u32, b.index() as u32)),
            );
            petgraph::algo::toposort(&graph, None).is_err()
        };
        let count = self.connections.len();
        if !cyclic(count) {
            return None;
        }
        let numbers: Vec<usize> = (0..count).collect();
        let first = numbers.partition_point(|&k| !cyclic(k + 1));
        self.connections().nth(first)
    }

    /// Nodes, in id order.
    pub fn nodes(&self) -> impl DoubleEndedIterator<Item = &NodeGene> + ExactSizeIterator {
        self.nodes.values().map(|&i| &self.graph[i])
    }

    /// Connections, disabled ones too, in innovation order.
    pub fn connections(
        &self,
    ) -> impl DoubleEndedIterator<Item = &ConnectionGene> + ExactSizeIterator {
        self.connections.values().map(|&i| &self.graph[i])
    }

    /// The node with this id.
    pub fn node(&self, id: NodeId) -> Option<&NodeGene> {
        self.nodes.get(&id).map(|&i| &self.graph[i])
    }

    /// The connection with this innovation number.
    pub(crate) fn connection(&self, innovation: InnovationId) -> Option<&ConnectionGene> {
        self.connections.get(&innovation).map(|&i| &self.graph[i])
    }

    /// The connection that joins this pair, disabled ones too.
    pub(crate) fn connection_between(
        &self,
        source: NodeId,
        target: NodeId,
    ) -> Option<&ConnectionGene> {
        let edge = self.graph.find_edge(*self.nodes.get(&source)?, *self.nodes.get(&target)?)?;
        Some(&self.graph[edge])
    }

    /// The node that draws `output`, if the genome has it.
    pub fn output(&self, output: Output) -> Option<&NodeGene> {
        self.nodes().find(|n| n.role == Role::Output(output))
    }

    /// Number of factors beside the four inputs: 0 for a genome of one picture.
    pub fn factors(&self) -> usize {
        let reads = |factor: &&Input| self.nodes().any(|n| n.role == Role::Input(**factor));
        Input::FACTORS.iter().take_while(reads).count()
    }

    /// The inputs that it has: x, y, d, bias, then its functions of them by node id, then its factors.
    pub(crate) fn inputs(&self) -> Vec<Input> {
        let functions = self.nodes().filter_map(|node| match node.role {
            Role::Input(input @ Input::Of(_)) => Some(input),
            _ => None,
        });
        let factors = Input::FACTORS.into_iter().take(self.factors());
        Input::OF_PIXEL.into_iter().chain(functions).chain(factors).collect()
    }

    /// Refuses inputs beside x, y, d and bias: for files that cannot hold them.
    pub(crate) fn ensure_plain_inputs(&self) -> Result<(), Refusal> {
        let own = self.inputs().get(Input::OF_PIXEL.len()).copied();
        let found = own.map_or(String::new(), |input| input.to_string());
        let refusal =
            Refusal::new("inputs", "x, y, d and bias, all that such a file can hold", found);
        own.map_or(Ok(()), |_| Err(refusal.advising("write it as .json")))
    }

    /// The node that reads `input`.
    ///
    /// # Panics
    /// A factor or a function that the genome has not.
    pub(crate) fn input(&self, input: Input) -> &NodeGene {
        self.nodes().find(|n| n.role == Role::Input(input)).expect("a genome has its inputs")
    }

    /// True if the genome draws hue and saturation too.
    pub fn is_colour(&self) -> bool {
        self.output(Output::Ink).is_none()
    }

    /// The smallest node id not yet used.
    pub(crate) fn next_node_id(&self) -> NodeId {
        NodeId(self.nodes.last_key_value().map_or(0, |(id, _)| id.0 + 1))
    }

    /// Node ids so that every enabled *and* disabled connection goes forward; ties by id.
    pub fn topological_order(&self) -> Vec<NodeId> {
        // Kahn's algorithm with an ordered frontier: petgraph's order follows its own indices,
        // which depend on history, and ours must not.
        let mut waiting: BTreeMap<NodeId, usize> = self.nodes().map(|n| (n.id, 0)).collect();
        for c in self.connections() {
            *waiting.get_mut(&c.target).expect("links end at nodes") += 1;
        }
        let mut ready: BTreeSet<NodeId> =
            waiting.iter().filter(|(_, n)| **n == 0).map(|(id, _)| *id).collect();
        let mut order = Vec::with_capacity(waiting.len());
        while let Some(id) = ready.pop_first() {
            order.push(id);
            for edge in self.graph.edges(self.nodes[&id]) {
                let target = edge.weight().target;
                let count = waiting.get_mut(&target).expect("links end at nodes");
                *count -= 1;
                if *count == 0 {
                    ready.insert(target);
                }
            }
        }
        order
    }

    /// True if a path of connections (disabled ones too) leads from `from` to `to`.
    pub(crate) fn reaches(&self, from: NodeId, to: NodeId) -> bool {
        match (self.nodes.get(&from), self.nodes.get(&to)) {
            (Some(&a), Some(&b)) => petgraph::algo::has_path_connecting(&self.graph, a, b, None),
            _ => false,
        }
    }

    /// Adds a node without connections.
    ///
    /// # Errors
    /// Its id or its input/output role is taken.
    pub fn add_node(&mut self, node: NodeGene) -> Result<(), Refusal> {
        if self.nodes.contains_key(&node.id) {
            return Err(refused("unique node ids", format!("{} twice", node.id)));
        }
        if node.role != Role::Hidden && self.nodes().any(|n| n.role == node.role) {
            return Err(refused(
                "one node for each input and output",
                format!("two with role {}", node.role),
            ));
        }
        let id = node.id;
        let index = self.graph.add_node(node);
        self.nodes.insert(id, index);
        Ok(())
    }

    /// Adds a connection between existing nodes.
    ///
    /// # Errors
    /// Dangling end, taken innovation or pair, cycle, link into an input, weight not finite.
    pub fn add_connection(&mut self, gene: ConnectionGene) -> Result<(), Refusal> {
        let (from, to) = (gene.source, gene.target);
        if self.reaches(to, from) {
            return Err(cycle(from, to));
        }
        self.insert(gene, |graph, source, target| graph.find_edge(source, target).is_some())
    }

    /// A node of a genome that is put together, with ids that leave room for edits.
    fn take_node(&mut self, node: NodeGene) -> Result<(), Refusal> {
        check_ids(node.id.0.into(), node.marking)?;
        self.add_node(node)
    }

    /// The same of a connection; `pairs` are those of before. (A search in the graph for each would take as long as the
    /// links of a hub, squared.)
    fn take_connection(
        &mut self,
        gene: ConnectionGene,
        pairs: &mut BTreeSet<(NodeIndex, NodeIndex)>,
    ) -> Result<(), Refusal> {
        check_ids(gene.innovation.0, gene.marking)?;
        self.insert(gene, |_, source, target| !pairs.insert((source, target)))
    }

    /// Adds a connection that may close a cycle: for many at once, with one search afterwards. `is_there` says if
    /// one between these nodes is there already.
    fn insert(
        &mut self,
        gene: ConnectionGene,
        is_there: impl FnOnce(&Graph, NodeIndex, NodeIndex) -> bool,
    ) -> Result<(), Refusal> {
        let (from, to) = (gene.source, gene.target);
        let source = *self
            .nodes
            .get(&from)
            .ok_or_else(|| refused("nodes of the genome", format!("no node {from}")))?;
        let target = *self
            .nodes
            .get(&to)
            .ok_or_else(|| refused("nodes of the genome", format!("no node {to}")))?;
        if self.connections.contains_key(&gene.innovation) {
            return Err(refused("unique innovation numbers", format!("{} twice", gene.innovation)));
        }
        if !(gene.weight as f32).is_finite() {
            return Err(bad_weight(from, to, gene.weight));
        }
        if matches!(self.graph[target].role, Role::Input(_)) {
            return Err(refused("inputs without links into them", format!("one into {to}")));
        }
        if is_there(&self.graph, source, target) {
            return Err(refused("one connection of two nodes", format!("two from {from} to {to}")));
        }
        if from == to {
            return Err(cycle(from, to));
        }
        let innovation = gene.innovation;
        let index = self.graph.add_edge(source, target, gene);
        self.connections.insert(innovation, index);
        Ok(())
    }

    /// Removes a connection and returns it.
    ///
    /// # Errors
    /// No such connection.
    pub(crate) fn remove_connection(
        &mut self,
        innovation: InnovationId,
    ) -> Result<ConnectionGene, Refusal> {
        let index =
            self.connections.remove(&innovation).ok_or_else(|| no_connection(innovation))?;
        Ok(self.graph.remove_edge(index).expect("the index map mirrors the graph"))
    }

    /// Removes a hidden node and its connections; returns those connections.
    ///
    /// # Errors
    /// No such node, or it is an input or output.
    pub(crate) fn remove_node(&mut self, id: NodeId) -> Result<Vec<ConnectionGene>, Refusal> {
        let node =
            self.node(id).ok_or_else(|| refused("nodes of the genome", format!("no node {id}")))?;
        if node.role != Role::Hidden {
            return Err(refused("a hidden node to remove", format!("input or output {id}")));
        }
        let touching: Vec<InnovationId> = self
            .connections()
            .filter(|c| c.source == id || c.target == id)
            .map(|c| c.innovation)
            .collect();
        let removed =
            touching.into_iter().map(|i| self.remove_connection(i)).collect::<Result<_, _>>()?;
        let index = self.nodes.remove(&id).expect("looked up above");
        self.graph.remove_node(index);
        Ok(removed)
    }

    /// Sets the weight of a connection.
    ///
    /// # Errors
    /// No such connection, or the weight is not finite.
    pub fn set_weight(&mut self, innovation: InnovationId, weight: f64) -> Result<(), Refusal> {
        let index = *self.connections.get(&innovation).ok_or_else(|| no_connection(innovation))?;
        let gene = &mut self.graph[index];
        if !(weight as f32).is_finite() {
            return Err(bad_weight(gene.source, gene.target, weight));
        }
        gene.weight = weight;
        Ok(())
    }

    /// Expresses or silences a connection.
    ///
    /// # Errors
    /// No such connection.
    pub(crate) fn set_enabled(
        &mut self,
        innovation: InnovationId,
        enabled: bool,
    ) -> Result<(), Refusal> {
        let index = *self.connections.get(&innovation).ok_or_else(|| no_connection(innovation))?;
        self.graph[index].enabled = enabled;
        Ok(())
    }

    /// Sets the activation of a node.
    ///
    /// # Errors
    /// No such node.
    pub(crate) fn set_activation(
        &mut self,
        id: NodeId,
        activation: Activation,
    ) -> Result<(), Refusal> {
        let index = *self
            .nodes
            .get(&id)
            .ok_or_else(|| refused("nodes of the genome", format!("no node {id}")))?;
        self.graph[index].activation = activation;
        Ok(())
    }

    /// A colour genome as it is; a grey one with hue and saturation added as identity nodes fed
    /// by the ink through weight 0, so that colour can be learned (METHODS §1). Ink stays ink's
    /// node and becomes brightness.
    pub fn with_colour_outputs(&self) -> Genome {
        let mut genome = self.clone();
        let Some(ink) = self.output(Output::Ink).map(|n| n.id) else {
            return genome;
        };
        let ink_index = genome.nodes[&ink];
        genome.graph[ink_index].role = Role::Output(Output::Brightness);
        let first = self.connections.last_key_value().map_or(0, |(i, _)| i.0 + 1);
        for (innovation, output) in (first..).zip([Output::Hue, Output::Saturation]) {
            let id = genome.next_node_id();
            let node = NodeGene::new(id, Role::Output(output), Activation::Identity);
            genome.add_node(node).expect("a grey genome has no hue or saturation");
            let link = ConnectionGene::new(InnovationId(innovation), ink, id, 0.0);
            genome.add_connection(link).expect("a new sink closes no cycle");
        }
        genome
    }

    /// Verifies every invariant of the module; for tests and after bulk edits.
    ///
    /// # Errors
    /// The first breach found.
    pub fn check(&self) -> Result<(), Refusal> {
        Genome::new(
            self.nodes().cloned().collect(),
            self.connections().cloned().collect(),
            self.provenance.clone(),
        )
        .map(|_| ())
    }

    fn check_complete(&self) -> Result<(), Refusal> {
        for input in Input::OF_PIXEL {
            if !self.nodes().any(|n| n.role == Role::Input(input)) {
                return Err(incomplete(input));
            }
        }
        let factors = self.factors();
        let reads = |factor: &Input| self.nodes().any(|n| n.role == Role::Input(*factor));
        if Input::FACTORS[factors..].iter().any(reads) {
            return Err(incomplete(Input::FACTORS[factors]));
        }
        let has = |o| self.output(o).is_some();
        if has(Output::Ink) {
            for output in [Output::Hue, Output::Saturation, Output::Brightness] {
                if has(output) {
                    return Err(refused(
                        "outputs ink, or hue, saturation and brightness",
                        format!("ink and {}", output.name()),
                    ));
                }
            }
            return Ok(());
        }
        for output in [Output::Hue, Output::Saturation, Output::Brightness] {
            if !has(output) {
                return Err(incomplete(output.name()));
            }
        }
        Ok(())
    }
}

fn refused(expected: impl Into<String>, found: String) -> Refusal {
    Refusal::new("", expected, found)
}

fn cycle(from: NodeId, to: NodeId) -> Refusal {
    refused(
        "a feed-forward graph",
        format!("a cycle: a link from {from} to {to} lets {to} feed itself"),
    )
}

fn bad_weight(from: NodeId, to: NodeId, weight: f64) -> Refusal {
    Refusal::new(
        format!("link from {from} to {to}"),
        "a finite weight (of 32 bits)",
        format!("{weight:?}"),
    )
}

fn no_connection(innovation: InnovationId) -> Refusal {
    refused("connections of the genome", format!("no innovation {innovation}"))
}

fn incomplete(missing: impl fmt::Display) -> Refusal {
    let expected = "inputs x, y, d, bias and outputs ink, or hue, saturation and brightness";
    refused(expected, format!("no {missing}"))
}

fn check_ids(id: u64, marking: Option<Marking>) -> Result<(), Refusal> {
    let ids = [Some(id), marking.map(|m| m.branch), marking.map(|m| m.id)];
    match ids.into_iter().flatten().find(|&id| id > LARGEST_ID) {
        Some(id) => Err(refused(format!("ids of at most {LARGEST_ID}"), id.to_string())),
        None => Ok(()),
    }
}

impl PartialEq for Genome {
    /// Equal genes, palette and provenance, whatever the editing history.
    fn eq(&self, other: &Self) -> bool {
        self.provenance == other.provenance
            && self.palette == other.palette
            && self.nodes().eq(other.nodes())
            && self.connections().eq(other.connections())
    }
}
