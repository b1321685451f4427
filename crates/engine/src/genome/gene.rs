//! The genes: nodes, connections and their identities.

use super::Input;
use crate::math::Activation;
use serde::{Deserialize, Serialize};
use std::fmt;

/// Identity of a node within its lineage. Ours: never a petgraph index.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct NodeId(pub u32);

/// Historical marking of a connection: equal structure that arose in one generation shares it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct InnovationId(pub u64);

impl fmt::Display for NodeId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl fmt::Display for InnovationId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// The channel that an output node draws.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Output {
    /// Hue; colour genomes only.
    Hue,
    /// Saturation; colour genomes only.
    Saturation,
    /// Brightness (HSV value) of a colour genome.
    Brightness,
    /// Brightness of a grey genome, which has no hue and saturation.
    Ink,
}

impl Output {
    /// The label used in files.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Output::Hue => "hue",
            Output::Saturation => "saturation",
            Output::Brightness => "brightness",
            Output::Ink => "ink",
        }
    }
}

/// The place of a node in the picture-drawing function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// Reads the pixel.
    Input(Input),
    /// Computes in between.
    Hidden,
    /// Draws; may also feed other nodes.
    Output(Output),
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Role::Input(input) => write!(f, "input {input}"),
            Role::Hidden => f.write_str("hidden"),
            Role::Output(output) => write!(f, "output {}", output.name()),
        }
    }
}

/// Where a gene came from in a Picbreeder file: the branch (series) and the id within it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Marking {
    /// The evolution series in which the gene arose.
    pub branch: u64,
    /// Its number within that series. Only (branch, id) together identify a gene.
    pub id: u64,
}

/// A node of a genome.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NodeGene {
    /// Identity, unique in the genome.
    pub id: NodeId,
    /// Input, hidden or output.
    pub role: Role,
    /// Applied to the weighted sum of the incoming values (to the raw input for input nodes).
    pub activation: Activation,
    /// Functional labels given by people ("Wings", "Eyes"); usually empty.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub labels: Vec<String>,
    /// Origin in a Picbreeder file, if imported.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub marking: Option<Marking>,
}

impl NodeGene {
    /// A node without labels or history.
    pub fn new(id: NodeId, role: Role, activation: Activation) -> Self {
        NodeGene { id, role, activation, labels: Vec::new(), marking: None }
    }
}

/// A connection of a genome.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ConnectionGene {
    /// Historical marking, unique in the genome.
    pub innovation: InnovationId,
    /// Node whose value is read.
    pub source: NodeId,
    /// Node whose sum it enters.
    pub target: NodeId,
    /// Finite weight; Picbreeder keeps it within ±3. A weight of 0 is still a link.
    pub weight: f64,
    /// A disabled connection is inherited but not expressed (NEAT preset only).
    pub enabled: bool,
    /// Functional labels given by people.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub labels: Vec<String>,
    /// Origin in a Picbreeder file, if imported.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub marking: Option<Marking>,
}

impl ConnectionGene {
    /// An enabled connection without labels or history.
    pub fn new(innovation: InnovationId, source: NodeId, target: NodeId, weight: f64) -> Self {
        ConnectionGene {
            innovation,
            source,
            target,
            weight,
            enabled: true,
            labels: Vec::new(),
            marking: None,
        }
    }
}
