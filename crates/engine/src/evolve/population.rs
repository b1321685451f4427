//! A generational population with species and fitness sharing: the target search, and the body of
//! novelty search.
//!
//! Reference: Stanley & Miikkulainen 2002 §3.3, §4.1. Deviations: negative fitness is shifted by
//! the population's minimum before sharing; the best `protected` species are exempt from
//! stagnation; with species off, everybody is one species that cannot stagnate.

use super::sketch::Shown;
use super::{
    Birth, Breeder, Brood, EvolveConfig, Judged, Parent, Parts, Ranked, SearchState, Species,
    speciate,
};
use crate::base::SimRng;
use crate::genome::Genome;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// Genomes of the generation judged last that are kept.
const KEPT: usize = 64;

/// The state of a generational search. Also the target search.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Population {
    breeder: Breeder,
    brood: Brood,
    species: Vec<Species>,
    next_species: u64,
    threshold: f64,
    champion: Option<Ranked>,
    /// Files of before have none.
    #[serde(default)]
    judged: Vec<Ranked>,
    improved: u64,
    recorded: BTreeSet<u64>,
}

impl Population {
    /// Generation 0: `reproduction.population` founders, or the `ancestors` and their children.
    pub fn new(config: EvolveConfig, seed: u64, ancestors: &[Genome]) -> Self {
        let threshold = config.species.threshold;
        let mut breeder = Breeder::new(config, seed, ancestors);
        let brood = first_brood(&mut breeder, ancestors, None);
        let mut population = Population {
            breeder,
            brood,
            species: Vec::new(),
            next_species: 0,
            threshold,
            champion: None,
            judged: Vec::new(),
            improved: 0,
            recorded: BTreeSet::new(),
        };
        population.sort_into_species();
        population
    }

    /// The generation to judge.
    fn generation(&self) -> u64 {
        self.breeder.generation()
    }

    /// Takes what was learned into the genomes (Lamarck).
    pub(super) fn learn(&mut self, judged: &[Judged]) {
        for (genome, judged) in self.brood.genomes.iter_mut().zip(judged) {
            inherit(genome, judged, self.breeder.config.mutation.weight_limit);
        }
    }

    /// Notes that the birth of a living genome is told of; false if it was before.
    pub(super) fn records(&mut self, birth: u64) -> bool {
        self.recorded.insert(birth)
    }

    /// Selects by `fitness` (N,), which must be finite, and breeds the next generation. Returns
    /// the births of the survivors (parents, elites, a new champion) not returned before.
    pub(super) fn select(&mut self, fitness: &[f64]) -> Vec<Birth> {
        let generation = self.generation();
        let mut survivors = BTreeSet::new();

        let mut order: Vec<usize> = (0..fitness.len()).collect();
        order.sort_by(|&a, &b| fitness[b].total_cmp(&fitness[a]).then(a.cmp(&b)));
        let best = order[0];
        let ranked = |i: usize| Ranked {
            genome: self.brood.genomes[i].clone(),
            birth: self.brood.births[i].clone(),
            fitness: fitness[i],
        };
        self.judged = order.into_iter().take(KEPT).map(ranked).collect();
        if self.champion.as_ref().is_none_or(|c| fitness[best] > c.fitness) {
            self.champion = self.judged.first().cloned();
            self.improved = generation;
            survivors.insert(best);
        }
        for species in &mut self.species {
            let top = species.members.iter().map(|&i| fitness[i]).fold(f64::NEG_INFINITY, f64::max);
            if species.best.is_none_or(|b| top > b) {
                species.best = Some(top);
                species.improved = generation;
            }
        }

        let offspring = self.offspring(fitness);
        let mut rng = SimRng::new(self.breeder.seed, "select", generation);
        let config = self.breeder.config.clone();
        self.breeder.begin_generation();

        let ranked: Vec<Vec<usize>> = self
            .species
            .iter()
            .map(|s| {
                let mut members = s.members.clone();
                members.sort_by(|&a, &b| fitness[b].total_cmp(&fitness[a]).then(a.cmp(&b)));
                members
            })
            .collect();
        let parents: Vec<&[usize]> = ranked
            .iter()
            .map(|members| {
                let share = config.reproduction.survival * members.len() as f64;
                &members[..(share.ceil() as usize).clamp(1, members.len())]
            })
            .collect();
        let with_children: Vec<usize> =
            (0..offspring.len()).filter(|&s| offspring[s] > 0).collect();

        let mut next = Brood::default();
        for &s in &with_children {
            let mut left = offspring[s];
            if ranked[s].len() >= config.reproduction.elite_species_size {
                for &elite in ranked[s].iter().take(config.reproduction.elites.min(left)) {
                    survivors.insert(elite);
                    next.push((
                        self.brood.genomes[elite].clone(),
                        self.brood.births[elite].clone(),
                    ));
                    left -= 1;
                }
            }
            for _ in 0..left {
                let mother = *rng.choose(parents[s]).expect("at least one parent");
                let mut chosen = vec![mother];
                if rng.chance(config.crossover.rate) {
                    let pool =
                        if with_children.len() > 1 && rng.chance(config.crossover.interspecies) {
                            parents[*rng.choose(&with_children).expect("not empty")]
                        } else {
                            parents[s]
                        };
                    let father = *rng.choose(pool).expect("at least one parent");
                    if father != mother {
                        chosen.push(father);
                    }
                }
                let chosen: Vec<Parent> = chosen
                    .into_iter()
                    .map(|i| {
                        survivors.insert(i);
                        Parent {
                            genome: &self.brood.genomes[i],
                            id: self.brood.births[i].id,
                            fitness: fitness[i],
                        }
                    })
                    .collect();
                next.push(self.breeder.child(&chosen, config.mutation.slider, Parts::Both, None));
            }
        }

        let mut births: Vec<Birth> = survivors
            .into_iter()
            .map(|i| self.brood.births[i].clone())
            .filter(|b| self.recorded.insert(b.id))
            .collect();
        births.sort_by_key(|b| b.id);

        // The next generation is compared with a random member of each species of this one.
        for species in &mut self.species {
            let member = *rng.choose(&species.members).expect("species have members");
            species.representative = self.brood.genomes[member].clone();
        }
        // Only those still alive can be recorded again.
        let alive: BTreeSet<u64> = next.births.iter().map(|b| b.id).collect();
        self.recorded.retain(|id| alive.contains(id));
        self.brood = next;
        self.adapt_threshold();
        self.sort_into_species();
        births
    }

    /// Children of each species: in proportion to its shared fitness, N in all.
    fn offspring(&self, fitness: &[f64]) -> Vec<usize> {
        let config = &self.breeder.config;
        let generation = self.generation();
        let mut order: Vec<usize> = (0..self.species.len()).collect();
        let best_now =
            |s: &Species| s.members.iter().map(|&i| fitness[i]).fold(f64::NEG_INFINITY, f64::max);
        order.sort_by(|&a, &b| {
            best_now(&self.species[b]).total_cmp(&best_now(&self.species[a])).then(a.cmp(&b))
        });
        let stuck = generation - self.improved > config.species.population_stagnation;
        let allowed: Vec<bool> = (0..self.species.len())
            .map(|s| {
                let rank = order.iter().position(|&o| o == s).expect("every species");
                let idle = generation - self.species[s].improved;
                let fresh = idle < config.species.stagnation || rank < config.species.protected;
                !config.species.enabled || (fresh && (!stuck || rank < 2))
            })
            .collect();
        // Nobody may have children only if nothing is protected: then everybody starts over.
        let all = allowed.iter().all(|a| !a);

        let lowest = fitness.iter().copied().fold(0.0, f64::min);
        let shared: Vec<f64> = self
            .species
            .iter()
            .enumerate()
            .map(|(s, species)| {
                if !(allowed[s] || all) {
                    return 0.0;
                }
                let sum: f64 = species.members.iter().map(|&i| fitness[i] - lowest).sum();
                sum / species.members.len() as f64
            })
            .collect();
        let eligible: Vec<bool> = allowed.iter().map(|a| *a || all).collect();
        apportion(config.reproduction.population, &shared, &eligible)
    }

    fn adapt_threshold(&mut self) {
        let config = &self.breeder.config.species;
        if let Some(wanted) = config.target_species {
            let step = config.threshold_step;
            if self.species.len() > wanted {
                self.threshold += step;
            } else if self.species.len() < wanted {
                self.threshold = (self.threshold - step).max(step);
            }
        }
    }

    fn sort_into_species(&mut self) {
        speciate(
            &self.brood.genomes,
            &mut self.species,
            &mut self.next_species,
            self.threshold,
            self.breeder.generation(),
            &self.breeder.config.species,
        );
    }
}

impl SearchState for Population {
    fn breeder(&self) -> &Breeder {
        &self.breeder
    }

    fn brood(&self) -> &Brood {
        &self.brood
    }

    fn flaw(&self) -> Option<&'static str> {
        let generation = self.generation();
        let mut members: Vec<usize> =
            self.species.iter().flat_map(|s| s.members.iter().copied()).collect();
        members.sort_unstable();
        let is_new = |s: &Species| s.id >= self.next_species || s.improved.max(s.born) > generation;
        if let Some(flaw) = self.breeder.flaw(&self.brood) {
            Some(flaw)
        } else if !members.into_iter().eq(0..self.brood.genomes.len()) {
            Some("each genome in one species")
        } else if self.species.iter().any(|s| s.members.is_empty() || is_new(s)) {
            Some("species with members, that have appeared by now")
        } else if self.improved > generation {
            Some("improvements up to now")
        } else {
            None
        }
    }

    fn advance(&mut self, judged: &[Judged]) -> Vec<Birth> {
        self.learn(judged);
        self.select(&self.scores(judged))
    }

    fn champion(&self) -> Option<&Ranked> {
        self.champion.as_ref()
    }

    fn found(&self) -> Vec<&Ranked> {
        // An elite may be both champion and member.
        self.champion.iter().chain(&self.judged).collect()
    }

    fn species(&self) -> &[Species] {
        &self.species
    }

    fn species_threshold(&self) -> Option<f64> {
        self.breeder.config.species.enabled.then_some(self.threshold)
    }
}

/// Generation 0 of any search: founders; or the ancestors, whose pictures stay, then their children. With `distinct`, those
/// whose pictures are nearer to another's or to one colour are drawn again; founders in colour that are nearly grey, too.
pub(super) fn first_brood(
    breeder: &mut Breeder,
    ancestors: &[Genome],
    distinct: Option<f64>,
) -> Brood {
    let n = breeder.config.reproduction.population;
    let mut brood = Brood::default();
    for genome in breeder.numbered(ancestors).into_iter().take(n) {
        brood.push(breeder.import(genome));
    }
    let slider = breeder.config.mutation.slider;
    let start = &breeder.config.start;
    let coloured = ancestors.is_empty() && start.colour && !start.grey;
    let mut shown = Shown::new(&brood.genomes, distinct).in_colour(coloured);
    let imported: Vec<Genome> = brood.genomes.clone();
    for i in brood.len()..n {
        let made = shown.another(breeder, |breeder, again| {
            // Streams of births are small numbers: further tries have others.
            let stream = breeder.next_id() | again << 40;
            match i.checked_rem(imported.len()) {
                None => breeder.founder(Some(stream)),
                Some(a) => {
                    let id = brood.births[a].id;
                    let parent = Parent { genome: &imported[a], id, fitness: 0.0 };
                    breeder.child(&[parent], slider, Parts::Both, Some(stream))
                }
            }
        });
        brood.push(made);
    }
    brood
}

/// Writes learned weights into a genome, clamped to ±`limit`.
pub(super) fn inherit(genome: &mut Genome, judged: &Judged, limit: f64) {
    for &(innovation, weight) in judged.learned.iter().flatten() {
        genome
            .set_weight(innovation, weight.clamp(-limit, limit))
            .expect("told weights were checked");
    }
}

/// `total` seats in proportion to `shares` (largest remainder; ties to the earlier), to `eligible`
/// parties only. If no eligible party has a share, they get equal ones.
fn apportion(total: usize, shares: &[f64], eligible: &[bool]) -> Vec<usize> {
    let sum: f64 = shares.iter().sum();
    let count = eligible.iter().filter(|e| **e).count() as f64;
    let quotas: Vec<f64> = shares
        .iter()
        .zip(eligible)
        .map(|(&share, &eligible)| match (eligible, sum > 0.0) {
            (false, _) => 0.0,
            (true, true) => total as f64 * share / sum,
            (true, false) => total as f64 / count,
        })
        .collect();
    let mut seats: Vec<usize> = quotas.iter().map(|q| q.floor() as usize).collect();
    let mut order: Vec<usize> = (0..quotas.len()).filter(|&i| eligible[i]).collect();
    order.sort_by(|&a, &b| {
        let rest = |i: usize| quotas[i] - quotas[i].floor();
        rest(b).total_cmp(&rest(a)).then(a.cmp(&b))
    });
    let given: usize = seats.iter().sum();
    for i in order.into_iter().cycle().take(total.saturating_sub(given)) {
        seats[i] += 1;
    }
    seats
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evolve::Preset;

    #[test]
    fn seats_follow_shares_and_always_add_up() {
        assert_eq!(apportion(10, &[1.0, 3.0, 0.0], &[true; 3]), [3, 7, 0]);
        assert_eq!(apportion(7, &[0.0, 0.0], &[true, true]), [4, 3]);
        assert_eq!(apportion(5, &[0.0, 2.0], &[false, true]), [0, 5]);
    }

    #[test]
    fn the_champion_is_never_lost_and_the_size_never_changes() {
        for preset in [Preset::Picbreeder, Preset::Neat] {
            let mut config = EvolveConfig::preset(preset);
            config.reproduction.population = 30;
            let mut population = Population::new(config, 4, &[]);
            // Fitness: minus the distance of the sum of weights to 10.
            let judge = |g: &Genome| -(g.connections().map(|c| c.weight).sum::<f64>() - 10.0).abs();
            let mut last = f64::NEG_INFINITY;
            for _ in 0..25 {
                let fitness: Vec<f64> = population.brood().genomes.iter().map(judge).collect();
                population.select(&fitness);
                assert_eq!(population.brood().genomes.len(), 30);
                let best = population.champion().unwrap().fitness;
                assert!(best >= last);
                last = best;
            }
            assert!(last > -0.5, "{preset:?}: {last}");
        }
    }

    #[test]
    fn the_adaptive_threshold_approaches_the_wanted_number_of_species() {
        let mut config = EvolveConfig::preset(Preset::Neat);
        config.species.target_species = Some(8);
        config.species.threshold = 6.0;
        let mut population = Population::new(config, 4, &[]);
        let mut counts = Vec::new();
        for _ in 0..60 {
            let fitness: Vec<f64> = population
                .brood()
                .genomes
                .iter()
                .map(|g| g.connections().map(|c| c.weight.abs()).sum())
                .collect();
            population.select(&fitness);
            counts.push(population.species().len());
        }
        let late = counts[40..].iter().sum::<usize>() as f64 / 20.0;
        assert!((late - 8.0).abs() < 4.0, "{counts:?}");
        assert!(population.threshold < 6.0);
    }
}
