//! Novelty search: fitness is the mean distance to the nearest neighbours in descriptor space.
//!
//! Reference: Lehman & Stanley 2011, "Abandoning objectives". The archive takes the most novel of
//! each generation `\[ours\]` instead of a threshold to tune.

use super::{
    Birth, Breeder, Brood, EvolveConfig, Judged, Population, Ranked, SearchState, Species,
};
use crate::base::settings::settings;
use crate::genome::Genome;
use serde::{Deserialize, Serialize};

settings! {
    /// The numbers of novelty search.
    #[derive(Clone, Debug, PartialEq)]
    #[serde(deny_unknown_fields)]
    pub struct NoveltyConfig: flags "Novelty" {
        /// Nearest descriptors whose mean distance is the novelty.
        neighbours: usize = 15, range: Range::at_least(1.0), source: "Lehman & Stanley";
        /// Genomes of a generation, the most novel, that enter the archive.
        archived: usize = 3, source: "ours";
        /// Genomes in the archive; the oldest leave.
        archive_limit: usize = 1000, source: "ours";
    }
}

/// A genome of the archive.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Archived {
    /// It, and how novel it was when it entered.
    pub ranked: Ranked,
    /// Where it lies.
    pub descriptor: Vec<f64>,
}

/// The state of novelty search.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Novelty {
    /// Its numbers.
    pub config: NoveltyConfig,
    population: Population,
    archive: Vec<Archived>,
    scores: Vec<f64>,
}

impl Novelty {
    /// Generation 0 with an empty archive.
    pub fn new(
        config: NoveltyConfig,
        evolve: EvolveConfig,
        seed: u64,
        ancestors: &[Genome],
    ) -> Self {
        Novelty {
            config,
            population: Population::new(evolve, seed, ancestors),
            archive: Vec::new(),
            scores: Vec::new(),
        }
    }

    /// The archive, oldest first.
    pub fn archive(&self) -> &[Archived] {
        &self.archive
    }
}

impl SearchState for Novelty {
    fn breeder(&self) -> &Breeder {
        self.population.breeder()
    }

    fn brood(&self) -> &Brood {
        self.population.brood()
    }

    fn flaw(&self) -> Option<&'static str> {
        self.population.flaw()
    }

    fn descriptor_length(&self, judged: &[Judged]) -> Option<usize> {
        judged.first().map(|judged| judged.descriptor.len())
    }

    fn advance(&mut self, judged: &[Judged]) -> Vec<Birth> {
        self.population.learn(judged);
        let descriptors: Vec<&[f64]> = judged.iter().map(|j| j.descriptor.as_slice()).collect();
        let archived: Vec<&[f64]> = self.archive.iter().map(|a| &a.descriptor[..]).collect();
        self.scores = novelty_scores(&descriptors, &archived, self.config.neighbours);

        let mut order: Vec<usize> = (0..judged.len()).collect();
        order.sort_by(|&a, &b| self.scores[b].total_cmp(&self.scores[a]).then(a.cmp(&b)));
        // The same genome may survive unchanged as an elite: it enters once.
        let entering: Vec<usize> = order
            .into_iter()
            .filter(|&i| {
                let id = self.population.brood().births[i].id;
                self.archive.iter().all(|a| a.ranked.birth.id != id)
            })
            .take(self.config.archived)
            .collect();
        let mut births: Vec<Birth> = Vec::new();
        for i in entering {
            let birth = self.population.brood().births[i].clone();
            if self.population.records(birth.id) {
                births.push(birth.clone());
            }
            self.archive.push(Archived {
                ranked: Ranked {
                    genome: self.population.brood().genomes[i].clone(),
                    birth,
                    fitness: self.scores[i],
                },
                descriptor: judged[i].descriptor.clone(),
            });
        }
        let surplus = self.archive.len().saturating_sub(self.config.archive_limit);
        self.archive.drain(..surplus);

        let scores = self.scores.clone();
        births.extend(self.population.select(&scores));
        births.sort_by_key(|b| b.id);
        births.dedup_by_key(|b| b.id);
        births
    }

    fn champion(&self) -> Option<&Ranked> {
        self.population.champion()
    }

    fn found(&self) -> Vec<&Ranked> {
        self.archive.iter().map(|archived| &archived.ranked).collect()
    }

    fn species(&self) -> &[Species] {
        self.population.species()
    }

    fn species_threshold(&self) -> Option<f64> {
        self.population.species_threshold()
    }

    fn scores(&self, _judged: &[Judged]) -> Vec<f64> {
        self.scores.clone()
    }

    fn filled(&self) -> Option<f64> {
        Some(self.archive.len() as f64)
    }
}

/// Mean Euclidean distance of each descriptor to its `k` nearest others among the population and
/// the archive. (N,) out; O(N · (N + archive) · dimensions).
pub(crate) fn novelty_scores(population: &[&[f64]], archive: &[&[f64]], k: usize) -> Vec<f64> {
    let distance = |a: &[f64], b: &[f64]| -> f64 {
        a.iter().zip(b).map(|(x, y)| (x - y) * (x - y)).sum::<f64>().sqrt()
    };
    population
        .iter()
        .enumerate()
        .map(|(i, own)| {
            let mut distances: Vec<f64> = population
                .iter()
                .enumerate()
                .filter(|(j, _)| *j != i)
                .map(|(_, other)| distance(own, other))
                .chain(archive.iter().map(|other| distance(own, other)))
                .collect();
            distances.sort_by(f64::total_cmp);
            distances.truncate(k.max(1));
            if distances.is_empty() {
                return 0.0;
            }
            distances.iter().sum::<f64>() / distances.len() as f64
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn novelty_is_the_mean_distance_to_the_nearest_k() {
        let points = [[0.0, 0.0], [3.0, 4.0], [0.0, 1.0]];
        let population: Vec<&[f64]> = points.iter().map(|p| &p[..]).collect();
        let archive: [&[f64]; 1] = [&[0.0, -2.0]];
        let one = novelty_scores(&population, &[], 1);
        assert_eq!(one, [1.0, 18f64.sqrt(), 1.0]);
        let two = novelty_scores(&population, &archive, 2);
        assert_eq!(two[0], (1.0 + 2.0) / 2.0);
        assert_eq!(two[1], (18f64.sqrt() + 5.0) / 2.0);
    }
}
