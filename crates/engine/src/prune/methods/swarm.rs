//! A swarm of networks in weight space, as a pure ask/tell state.
//!
//! Kennedy, Eberhart 1995; the update of Feng et al., *Model Swarms* (2024). For particle x with
//! velocity v, its own best p, the swarm's best g and worst g_w, with r ~ U(0, 1) drawn a particle and term:
//!
//! v ← [r_v φ_v v + r_p φ_p (p − x) + r_s φ_s (g − x) + r_b φ_b (x − g_w)]/C, C = Σ rφ;
//! x ← x + λv; λ ← max(0.95 λ, 0.1).
//!
//! Two networks may hold the same units in another order; mixing them weight by weight would then mix
//! unrelated units. So x, p and g_w are first aligned to g: units are permuted within a layer and an
//! activation class, which does not change what a network draws, to the best weight match (assignment by
//! layer, in sweeps until nothing moves: Ainsworth, Hayase, Srinivasa, *Git Re-Basin*, 2023). Graphs have no
//! interchangeable units and are not aligned.

use super::magnitude::Magnitude;
use crate::base::SimRng;
use crate::base::choice::options;
use crate::base::refusal::Refusal;
use crate::math::assignment::assign;
use crate::network::{Network, Weights};
use crate::prune::context::{EdgeScores, PruneError};
use crate::prune::round::{Prunes, Round};
use nalgebra::DMatrix;
use serde::{Deserialize, Serialize};

/// The update's numbers (Model Swarms 2024).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct SwarmConfig {
    /// φ_v, pull of the own velocity. Default: 0.4.
    pub inertia: f64,
    /// φ_p, pull of the particle's own best. Default: 0.3.
    pub own_best: f64,
    /// φ_s, pull of the swarm's best. Default: 0.3.
    pub best: f64,
    /// φ_b, push away from the swarm's worst. Default: 0.3.
    pub worst: f64,
    /// λ at the start. Default: 1.
    pub step: f64,
    /// Factor on λ a round. Default: 0.95.
    pub step_decay: f64,
    /// Least λ. Default: 0.1.
    pub step_min: f64,
    /// Align units before mixing. Default: true.
    pub align: bool,
}

impl Default for SwarmConfig {
    fn default() -> Self {
        SwarmConfig {
            inertia: 0.4,
            own_best: 0.3,
            best: 0.3,
            worst: 0.3,
            step: 1.0,
            step_decay: 0.95,
            step_min: 0.1,
            align: true,
        }
    }
}

options! {
    /// Options of the method `swarm`.
    #[derive(Copy)]
    pub struct Settings {
        /// Networks in the swarm.
        particles: usize = 8, range: Range::at_least(2.0), source: "ours";
        /// Moves of the swarm.
        moves: usize = 40, range: Range::at_least(1.0), source: "ours";
        /// Training steps of each particle before the swarm moves.
        steps: u64 = 100, source: "ours";
        /// σ of the factors 1 + σ·N(0, 1) on the weights of every particle but the first.
        spread: f64 = 0.1, range: Range::at_least(0.0), source: "ours";
    }
}

impl Prunes for Settings {
    /// Of the best network, once the search is over.
    fn scores(&self, round: &Round, rng: &mut SimRng) -> Result<EdgeScores, PruneError> {
        Magnitude {}.scores(round, rng)
    }
}

/// One network of the swarm; vectors are (W,).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Particle {
    x: Vec<f64>,
    v: Vec<f64>,
    best: Vec<f64>,
    best_utility: Option<f64>,
}

/// The state of a swarm. It serialises, and continues to the same bits.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Swarm {
    config: SwarmConfig,
    particles: Vec<Particle>,
    best: Option<(f64, Vec<f64>)>,
    worst: Option<(f64, Vec<f64>)>,
    step: f64,
    rounds: u64,
}

impl Swarm {
    /// A swarm that begins at `particles`; each velocity points to another particle, drawn at random.
    ///
    /// # Errors
    /// Fewer than two particles; one of another network or with weights that are not finite.
    pub fn new(
        network: &Network,
        particles: &[Weights],
        config: SwarmConfig,
        rng: &mut SimRng,
    ) -> Result<Self, Refusal> {
        let n = particles.len();
        if n < 2 {
            return Err(Refusal::new("", "at least 2 particles", n.to_string()));
        }
        for (particle, weights) in particles.iter().enumerate() {
            let at = || format!("particle {particle}");
            let (expected, found) = (network.weight_count(), weights.0.len());
            Refusal::unless(found == expected, at(), format!("{expected} weights"), found)?;
            if let Some(link) = weights.0.iter().position(|w| !w.is_finite()) {
                let found = format!("{} at link {link}", weights.0[link]);
                return Err(Refusal::new(at(), "finite weights", found));
            }
        }
        let mut start: Vec<Vec<f64>> =
            particles.iter().map(|w| w.0.iter().map(|&w| f64::from(w)).collect()).collect();
        if config.align {
            let reference = start[0].clone();
            for x in start.iter_mut().skip(1) {
                *x = permute(network, x, &alignment(network, x, &reference));
            }
        }
        let particles = (0..n)
            .map(|i| {
                let other = (i + 1 + rng.below(n - 1)) % n;
                Particle {
                    v: difference(&start[other], &start[i]),
                    best: start[i].clone(),
                    best_utility: None,
                    x: start[i].clone(),
                }
            })
            .collect();
        Ok(Swarm { config, particles, best: None, worst: None, step: config.step, rounds: 0 })
    }

    /// The networks to judge now, one a particle.
    pub fn ask(&self) -> Vec<Weights> {
        self.particles.iter().map(|p| rounded(&p.x)).collect()
    }

    /// Takes the utility (higher = better, e.g. −MSE or a score) of each network of [`Swarm::ask`], moves.
    ///
    /// # Errors
    /// Not one finite utility a particle; the swarm is then as it was.
    pub fn tell(
        &mut self,
        network: &Network,
        utilities: &[f64],
        rng: &mut SimRng,
    ) -> Result<(), Refusal> {
        if utilities.len() != self.particles.len() || utilities.iter().any(|u| !u.is_finite()) {
            let expected = format!("{} finite utilities, one a particle", self.particles.len());
            return Err(Refusal::new("", expected, format!("{utilities:?}")));
        }
        for (particle, &utility) in self.particles.iter_mut().zip(utilities) {
            if particle.best_utility.is_none_or(|best| utility > best) {
                particle.best_utility = Some(utility);
                particle.best.clone_from(&particle.x);
            }
            if self.best.as_ref().is_none_or(|(best, _)| utility > *best) {
                self.best = Some((utility, particle.x.clone()));
            }
            if self.worst.as_ref().is_none_or(|(worst, _)| utility < *worst) {
                self.worst = Some((utility, particle.x.clone()));
            }
        }
        let (Some((_, best)), Some((_, worst))) = (&self.best, &mut self.worst) else {
            return Ok(());
        };
        let config = self.config;
        if config.align {
            *worst = permute(network, worst, &alignment(network, worst, best));
        }
        for particle in &mut self.particles {
            if config.align {
                let places = alignment(network, &particle.x, best);
                particle.x = permute(network, &particle.x, &places);
                particle.v = permute(network, &particle.v, &places);
                let places = alignment(network, &particle.best, best);
                particle.best = permute(network, &particle.best, &places);
            }
            let pull = [config.inertia, config.own_best, config.best, config.worst]
                .map(|phi| rng.uniform() * phi);
            let total: f64 = pull.iter().sum();
            let total = if total > 0.0 { total } else { 1.0 };
            for i in 0..particle.x.len() {
                let x = particle.x[i];
                let v = (pull[0] * particle.v[i]
                    + pull[1] * (particle.best[i] - x)
                    + pull[2] * (best[i] - x)
                    + pull[3] * (x - worst[i]))
                    / total;
                particle.v[i] = v;
                particle.x[i] = x + self.step * v;
            }
        }
        self.step = (self.step * config.step_decay).max(config.step_min);
        self.rounds += 1;
        Ok(())
    }

    /// The best network seen and its utility; `None` before the first [`Swarm::tell`].
    pub fn best(&self) -> Option<(Weights, f64)> {
        self.best.as_ref().map(|(u, x)| (rounded(x), *u))
    }

    /// λ of the next move.
    pub fn step(&self) -> f64 {
        self.step
    }

    /// Number of moves made.
    pub fn rounds(&self) -> u64 {
        self.rounds
    }
}

fn difference(a: &[f64], b: &[f64]) -> Vec<f64> {
    a.iter().zip(b).map(|(a, b)| a - b).collect()
}

fn rounded(x: &[f64]) -> Weights {
    Weights(x.iter().map(|&x| x as f32).collect())
}

/// (U,) for each place, the unit of `weights` that belongs there so that it best matches `reference`
/// weight by weight: a permutation within layer and activation. The identity for graphs.
pub fn alignment(network: &Network, weights: &[f64], reference: &[f64]) -> Vec<usize> {
    let mut places: Vec<usize> = (0..network.units.len()).collect();
    // Each sweep raises Σ w·reference or stops; ten are ample for nets of this size.
    for _ in 0..10 {
        let mut moved = false;
        for (b, block) in network.blocks.iter().enumerate() {
            let Some(next) = network.blocks.get(b + 1) else {
                break;
            };
            let mut first = block.targets.start;
            while first < block.targets.end {
                let activation = network.units[first].activation;
                let class: Vec<usize> = (first..block.targets.end)
                    .take_while(|&u| network.units[u].activation == activation)
                    .collect();
                first += class.len();
                let held: Vec<usize> = class.iter().map(|&u| places[u]).collect();
                // cost[(m, k)]: minus the match of unit held[k] in place class[m].
                let cost = DMatrix::from_fn(class.len(), class.len(), |m, k| {
                    let (place, unit) = (class[m], held[k]);
                    let into: f64 = block
                        .sources
                        .clone()
                        .map(|s| {
                            reference[index(block, s, place)]
                                * weights[index(block, places[s], unit)]
                        })
                        .sum();
                    let out: f64 = next
                        .targets
                        .clone()
                        .map(|t| {
                            reference[index(next, place, t)] * weights[index(next, unit, places[t])]
                        })
                        .sum();
                    -(into + out)
                });
                let Some(columns) = assign(&cost) else { continue };
                let total = |column: &dyn Fn(usize) -> usize| -> f64 {
                    (0..class.len()).map(|m| cost[(m, column(m))]).sum()
                };
                let chosen: Vec<usize> = columns.into_iter().flatten().collect();
                // Move only for a true gain: equal matches keep their places.
                let (now, then) = (total(&|m| m), total(&|m| chosen[m]));
                if chosen.len() == class.len() && then < now - 1e-12 * now.abs() {
                    for (m, &place) in class.iter().enumerate() {
                        places[place] = held[chosen[m]];
                    }
                    moved = true;
                }
            }
        }
        if !moved {
            break;
        }
    }
    places
}

/// The same network with unit `places[u]` in place u: (W,) weights.
pub fn permute(network: &Network, weights: &[f64], places: &[usize]) -> Vec<f64> {
    if network.blocks.is_empty() {
        return weights.to_vec();
    }
    let mut moved = weights.to_vec();
    for block in &network.blocks {
        for t in block.targets.clone() {
            for s in block.sources.clone() {
                moved[index(block, s, t)] = weights[index(block, places[s], places[t])];
            }
        }
    }
    moved
}

/// Link of a block from unit `source` to unit `target`.
fn index(block: &crate::network::DenseBlock, source: usize, target: usize) -> usize {
    block.offset
        + (target - block.targets.start) * block.sources.len()
        + (source - block.sources.start)
}

/// The outcome of the search.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(in crate::prune) struct Found {
    /// (W,) the swarm's best network before masking.
    pub(in crate::prune) weights: Weights,
    /// MSE of the best network, masked, after each move.
    pub(in crate::prune) losses: Vec<f64>,
    /// Gradient evaluations, all of them in the particles' training.
    pub(in crate::prune) gradients: u64,
    /// Masked networks that were drawn and judged.
    pub(in crate::prune) judged: u64,
}

/// A search as it is kept between interruptions.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Search {
    /// Hash of all that decides the search.
    pub key: String,
    /// Particles that are trained.
    pub(in crate::prune) particles: Vec<Weights>,
    pub(in crate::prune) gradients: u64,
    pub(in crate::prune) losses: Vec<f64>,
    pub(in crate::prune) swarm: Option<(Swarm, SimRng)>,
    /// Its answer, once it is done.
    pub(in crate::prune) found: Option<Found>,
}

impl Search {
    /// True if there is nothing left to search.
    pub fn is_done(&self) -> bool {
        self.found.is_some()
    }
}
