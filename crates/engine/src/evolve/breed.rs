//! How a child is made: copy or cross, then mutate, each child from its own random stream.

use super::mutation::remove_orphans;
use super::origin::numbered_apart;
use super::{
    Birth, Brood, CrossoverKind, EvolveConfig, InnovationTracker, NoMutation, Open, Parts,
    crossover_aligned, crossover_union, first_genome, mutate,
};
use crate::base::SimRng;
use crate::genome::{Genome, Role};
use serde::{Deserialize, Serialize};

/// Makes children and numbers them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Breeder {
    /// The numbers of evolution.
    pub config: EvolveConfig,
    /// The run's seed.
    pub seed: u64,
    innovations: InnovationTracker,
    generation: u64,
    next_id: u64,
}

/// A parent as [`Breeder::child`] sees it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Parent<'a> {
    /// Its genes.
    pub genome: &'a Genome,
    /// Its birth number.
    pub id: u64,
    /// Its fitness; 0 where nobody judged.
    pub fitness: f64,
}

impl Breeder {
    /// A breeder at generation 0, whose new genes are numbered after those of `ancestors`.
    pub(crate) fn new(config: EvolveConfig, seed: u64, ancestors: &[Genome]) -> Self {
        Breeder {
            config,
            seed,
            innovations: InnovationTracker::after(ancestors),
            generation: 0,
            next_id: 0,
        }
    }

    /// The generation whose children are being born.
    pub(crate) fn generation(&self) -> u64 {
        self.generation
    }

    /// The number of the next birth.
    pub(super) fn next_id(&self) -> u64 {
        self.next_id
    }

    /// True if new genes get numbers above those of `genomes`.
    pub(super) fn is_above<'a>(&self, genomes: impl IntoIterator<Item = &'a Genome>) -> bool {
        self.innovations.is_above(genomes)
    }

    /// Why this breeder cannot have bred a brood that was read from a file; `None` if it can.
    pub(super) fn flaw(&self, brood: &Brood) -> Option<&'static str> {
        let (genomes, births) = (&brood.genomes, &brood.births);
        if genomes.is_empty() || genomes.len() != births.len() {
            Some("genomes, each with its birth")
        } else if births.iter().any(|b| b.id >= self.next_id || b.generation > self.generation) {
            Some("births up to now")
        } else if !self.is_above(genomes) {
            Some("numbers of new genes above those of the genomes")
        } else {
            None
        }
    }

    /// Starts the next generation: from now on equal structure gets new numbers.
    pub(crate) fn begin_generation(&mut self) {
        self.generation += 1;
        self.innovations.begin_generation();
    }

    /// One of the first genomes. Its stream is (seed, "child", `stream`), its birth number by default.
    pub(crate) fn founder(&mut self, stream: Option<u64>) -> (Genome, Birth) {
        let stream = stream.unwrap_or(self.next_id);
        let mut rng = SimRng::new(self.seed, "child", stream);
        let genome = first_genome(&self.config, &mut rng);
        // The first call numbers the start genes; later ones find them numbered already.
        if self.next_id == 0 {
            self.innovations = InnovationTracker::after([&genome]);
        }
        let birth = self.birth(stream, Vec::new(), Vec::new());
        (genome, birth)
    }

    /// Ancestors with numbers that mean one gene in all of them; new genes are numbered behind.
    pub(super) fn numbered(&mut self, ancestors: &[Genome]) -> Vec<Genome> {
        let numbered = numbered_apart(ancestors);
        self.innovations = InnovationTracker::after(&numbered);
        numbered
    }

    /// An imported genome as a member of generation 0, unchanged but for the palette that the config names.
    pub(crate) fn import(&mut self, mut genome: Genome) -> (Genome, Birth) {
        if !self.config.start.palette.is_free() {
            genome.palette = self.config.start.palette;
        }
        let birth = self.birth(self.next_id, Vec::new(), Vec::new());
        (genome, birth)
    }

    /// A child of `parents`: the first parent's copy if there is one, their cross if there are
    /// more, then mutated with the slider at `slider` (always, if there is one parent; else with
    /// probability `crossover.mutate_after`).
    ///
    /// Of a copy only `parts` change. A drawn operator that cannot act is drawn anew up to `reproduction.attempts` times. Parents
    /// that cannot be crossed (of other factors) leave a child of the first.
    /// The child's stream is (seed, "child", `stream`), its birth number by default.
    ///
    /// # Panics
    /// If `parents` is empty.
    pub(crate) fn child(
        &mut self,
        parents: &[Parent],
        slider: f64,
        parts: Parts,
        stream: Option<u64>,
    ) -> (Genome, Birth) {
        let stream = stream.unwrap_or(self.next_id);
        let mut rng = SimRng::new(self.seed, "child", stream);
        let crossed = if parents.len() > 1 { self.cross(parents, &mut rng) } else { None };
        let is_cross = crossed.is_some();
        let mut genome = crossed.unwrap_or_else(|| {
            let mut copy = parents[0].genome.clone();
            copy.provenance = Default::default();
            copy
        });
        let open = parts.open(&genome);
        let mut operators = Vec::new();
        if !is_cross || rng.chance(self.config.crossover.mutate_after) {
            for _ in 0..self.config.reproduction.attempts {
                let config = &self.config;
                let tracker = &mut self.innovations;
                match mutate(&mut genome, config, slider, &open, tracker, &mut rng) {
                    Ok(done) => {
                        operators = done;
                        break;
                    }
                    // Under `Each`, drawing nothing is an answer; a refused operator is not.
                    Err(NoMutation::NotDrawn) if is_cross => break,
                    Err(_) => {}
                }
            }
        }
        let used = if is_cross { parents } else { &parents[..1] };
        let ids = used.iter().map(|p| p.id).collect();
        (genome, self.birth(stream, ids, operators))
    }

    fn cross(&self, parents: &[Parent], rng: &mut SimRng) -> Option<Genome> {
        let mut child = match self.config.crossover.kind {
            CrossoverKind::Union => {
                let genomes: Vec<&Genome> = parents.iter().map(|p| p.genome).collect();
                crossover_union(&genomes, rng).ok()
            }
            CrossoverKind::Aligned => {
                let (a, b) = (parents[0], parents[1]);
                let (fitter, other) = if b.fitness > a.fitness { (b, a) } else { (a, b) };
                crossover_aligned(
                    fitter.genome,
                    other.genome,
                    a.fitness == b.fitness,
                    self.config.crossover.stay_disabled,
                    rng,
                )
                .ok()
            }
        }?;
        keep_to_limit(&mut child, parents[0].genome, self.config.mutation.max_links);
        Some(child)
    }

    fn birth(&mut self, stream: u64, parents: Vec<u64>, operators: Vec<super::Mutation>) -> Birth {
        let id = self.next_id;
        self.next_id += 1;
        Birth { id, generation: self.generation, parents, operators, seed: self.seed, stream }
    }
}

/// Removes links until the child has at most `limit`, or no more than its first parent: those that this one has not
/// come first, the newest before older ones. Hidden nodes that are left without a link in or out go too; an output
/// keeps its last link.
fn keep_to_limit(child: &mut Genome, first: &Genome, limit: usize) {
    let limit = limit.max(first.connections().len());
    if child.connections().len() <= limit {
        return;
    }
    let mut newest: Vec<_> =
        child.connections().rev().map(|link| (link.innovation, link.source, link.target)).collect();
    newest.sort_by_key(|link| first.connection(link.0).is_some());
    for (innovation, source, target) in newest {
        if child.connections().len() <= limit {
            return;
        }
        let is_output =
            |id| child.node(id).is_some_and(|node| matches!(node.role, Role::Output(_)));
        let ways = child.connections().filter(|link| link.target == target).count();
        if ways > 1 || !is_output(target) {
            // A node that went took its links along.
            let _ = child.remove_connection(innovation);
            remove_orphans(child, &Open::All, vec![source, target]);
        }
    }
}
