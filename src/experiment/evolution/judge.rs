//! From genomes to judgements: every genome compiled, rendered and measured, on all cores.
//!
//! Cost: live links × pixels a genome, by the same tiled evaluator as everything else; results in
//! the order of the genomes, whatever the number of threads.

use super::config::{EvolutionConfig, RefineMode};
use super::descriptors::{Descriptor, describe};
use super::family::ShownFamily;
use super::fitness::Likeness;
use super::refine::refine;
use crate::evolve::Judged;
use crate::genome::Genome;
use crate::network::{Picture, PixelInputs, compile, kernel};
use rayon::prelude::*;

/// Judges genomes as a config says; everything that does not depend on them is computed once.
#[derive(Clone, Debug)]
pub(crate) struct PictureJudge {
    config: EvolutionConfig,
    inputs: PixelInputs,
    /// Pictures that a genome draws, one below the other: of a family as many as are shown.
    pictures: usize,
    likeness: Option<Likeness>,
    descriptors: Vec<Descriptor>,
}

impl PictureJudge {
    /// `target` must have the config's size, once for each picture of a family, and be there if the search needs one.
    ///
    /// # Panics
    /// If the target has another size, an axis names no descriptor, or there is no such family (the config is not valid).
    pub(crate) fn new(config: &EvolutionConfig, target: Option<&Picture>) -> Self {
        let family = ShownFamily::of(config).expect("a valid config");
        let seen = family.map_or_else(Vec::new, |family| family.conditions.seen);
        let pictures = seen.len().max(1);
        if let Some(target) = target {
            assert_eq!((target.width, target.height), (config.size, pictures * config.size));
        }
        let inputs = PixelInputs::full(config.size, config.coords);
        PictureJudge {
            config: config.clone(),
            inputs: if seen.is_empty() { inputs } else { inputs.under(&seen) },
            pictures,
            likeness: target.map(|t| Likeness::new(&config.fitness, t)),
            descriptors: config.search.stored().descriptors(config),
        }
    }

    /// Draws a genome at the config's size: a picture, or those of a family, one below the other.
    pub(crate) fn picture(&self, genome: &Genome) -> Picture {
        let (network, weights) = compile(genome);
        Picture {
            width: self.config.size,
            height: self.pictures * self.config.size,
            rgb: kernel::render(&network, &weights, &self.inputs),
        }
    }

    /// 1 − MSE / variance of the target about its best constant colour, of a genome's picture;
    /// `None` without a target, or if the target is of one colour.
    pub(crate) fn r2(&self, genome: &Genome) -> Option<f64> {
        let target = self.likeness.as_ref()?.target();
        let variance = target.variance();
        (variance > 0.0).then(|| 1.0 - target.mse(&self.picture(genome)) / variance)
    }

    /// One judgement a genome, in their order.
    pub(crate) fn judge(&self, genomes: &[Genome]) -> Vec<Judged> {
        genomes.par_iter().map(|g| self.judge_one(g)).collect()
    }

    fn judge_one(&self, genome: &Genome) -> Judged {
        let refined = match (&self.likeness, self.config.refine.mode) {
            (Some(likeness), RefineMode::Lamarck | RefineMode::Baldwin) => Some(refine(
                genome,
                &self.config.refine,
                self.config.evolve.mutation.weight_limit,
                &self.inputs,
                &likeness.target().rgb,
            )),
            _ => None,
        };
        let judged = refined.as_ref().map_or(genome, |r| &r.genome);
        let picture = self.picture(judged);
        let quality = self.config.search.stored().quality(&self.config);
        let fitness = match (quality, &self.likeness) {
            (Some(quality), _) => describe(&picture, &[quality])[0],
            (None, Some(likeness)) => likeness.fitness(judged, &picture),
            (None, None) => 0.0,
        };
        Judged {
            fitness,
            descriptor: describe(&picture, &self.descriptors),
            learned: refined
                .filter(|_| self.config.refine.mode == RefineMode::Lamarck)
                .map(|r| r.learned),
        }
    }
}
