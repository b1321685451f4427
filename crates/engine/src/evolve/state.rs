//! The state of a search, whichever it is: what it asks, what it is told, what it found.

use super::{Birth, Breeder, Brood, Species};
use crate::genome::{Genome, InnovationId};
use serde::{Deserialize, Serialize};

/// The judgement of one genome.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Judged {
    /// Finite; larger is better.
    pub fitness: f64,
    /// Where it lies in behaviour space; empty for target search.
    pub descriptor: Vec<f64>,
    /// Lamarck: weights that it learned and passes on. Clamped to the weight limit.
    pub learned: Option<Vec<(InnovationId, f64)>>,
}

/// A judged genome.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Ranked {
    /// Its genes.
    pub genome: Genome,
    /// Its birth.
    pub birth: Birth,
    /// Its fitness.
    pub fitness: f64,
}

/// The state of one kind of search. A new kind is a file with a type that implements this, and a row of [`Search`](super::Search).
pub trait SearchState {
    /// Breeds its genomes: settings, seed and generation.
    fn breeder(&self) -> &Breeder;

    /// The genomes to judge and their births, (N,).
    fn brood(&self) -> &Brood;

    /// Why no search can reach this state, which was read from a file; `None` if one can.
    fn flaw(&self) -> Option<&'static str>;

    /// The length of each descriptor of an answer; `None` if it may be any.
    fn descriptor_length(&self, _judged: &[Judged]) -> Option<usize> {
        None
    }

    /// Takes judgements that fit what was asked and breeds the next genomes. Returns the births of those that survived
    /// and were not returned before.
    fn advance(&mut self, judged: &[Judged]) -> Vec<Birth>;

    /// The best genome ever judged.
    fn champion(&self) -> Option<&Ranked>;

    /// The genomes that the search found and keeps, in any order.
    fn found(&self) -> Vec<&Ranked>;

    /// The species of the generation to judge; empty without any.
    fn species(&self) -> &[Species] {
        &[]
    }

    /// The compatibility threshold now, where genomes compete within species.
    fn species_threshold(&self) -> Option<f64> {
        None
    }

    /// The numbers that selected in the generation judged last, (N,); larger is better.
    fn scores(&self, judged: &[Judged]) -> Vec<f64> {
        judged.iter().map(|judged| judged.fitness).collect()
    }

    /// How full its store of genomes is: the share of a grid's cells, or the size of an archive.
    fn filled(&self) -> Option<f64> {
        None
    }
}
