//! Who descends from whom, and by what operator.

use super::Mutation;
use crate::genome::Genome;
use serde::{Deserialize, Serialize};

/// The birth certificate of a genome: enough to breed it again from its parents.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Birth {
    /// Number within the run, from 0, in order of birth.
    pub id: u64,
    /// Generation in which it was born; the first is 0.
    pub generation: u64,
    /// Ids of its parents: none for the first generation, two or more after crossover.
    pub parents: Vec<u64>,
    /// The mutations made after copying or crossing the parents, in order. Empty for first genomes.
    pub operators: Vec<Mutation>,
    /// Seed of the run; the child's own random stream is (seed, "child", `stream`).
    pub seed: u64,
    /// Stream number of the child.
    pub stream: u64,
}

impl Birth {
    /// The genome, saying how it was born: by which search, in a run with this hash of its config.
    pub fn sign(&self, genome: &Genome, search: &str, hash: &str) -> Genome {
        let mut genome = genome.clone();
        let provenance = &mut genome.provenance;
        provenance.made_by = format!("picloom evolve --search {search}");
        provenance.seed = Some(self.seed);
        provenance.generations = Some(self.generation);
        provenance.parents = self.parents.iter().map(|id| format!("birth {id}")).collect();
        let mut note = |key: &str, text: String| {
            provenance.notes.insert(key.to_string(), text);
        };
        note("search", search.to_string());
        note("birth", self.id.to_string());
        note("config", hash.to_string());
        if !self.operators.is_empty() {
            let names: Vec<&str> = self.operators.iter().map(operator_name).collect();
            note("operators", names.join(", "));
        }
        genome
    }
}

fn operator_name(mutation: &Mutation) -> &'static str {
    match mutation {
        Mutation::Weights { .. } => "weights",
        Mutation::AddedLink { .. } => "add-link",
        Mutation::AddedNode { .. } => "add-node",
        Mutation::Activations { .. } => "activation",
        Mutation::DeletedLink { .. } => "delete-link",
        Mutation::DeletedNode { .. } => "delete-node",
    }
}

/// Genomes and their births, side by side.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Brood {
    /// The genomes, (N,).
    pub genomes: Vec<Genome>,
    /// Their births, (N,).
    pub births: Vec<Birth>,
}

impl Brood {
    /// Adds one.
    pub(crate) fn push(&mut self, (genome, birth): (Genome, Birth)) {
        self.genomes.push(genome);
        self.births.push(birth);
    }

    /// Number of genomes, N.
    pub(crate) fn len(&self) -> usize {
        self.genomes.len()
    }
}
