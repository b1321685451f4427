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
    pub fn push(&mut self, (genome, birth): (Genome, Birth)) {
        self.genomes.push(genome);
        self.births.push(birth);
    }

    /// Number of genomes, N.
    pub fn len(&self) -> usize {
        self.genomes.len()
    }

    /// True if there are none.
    pub fn is_empty(&self) -> bool {
        self.genomes.is_empty()
    }
}
