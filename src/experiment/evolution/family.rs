//! A family of pictures as the target of a search: one genome with factors is to draw all combinations that it is shown.

use super::config::EvolutionConfig;
use super::kind::SearchKind;
use crate::base::memory;
use crate::base::refusal::Refusal;
use crate::genome::{Genome, Input};
use crate::network::family::{Conditioned, Conditions, Family, Support};
use crate::network::{Model, Wiring};
use crate::score::measures::recombination;

/// Before the name of a family in the place of a target.
const PREFIX: &str = "family:";

/// The pictures that a search is shown, and those that it is not.
#[derive(Clone, Debug)]
pub(super) struct ShownFamily {
    family: Family,
    /// The combinations shown and held out.
    pub conditions: Conditions,
}

impl ShownFamily {
    /// The family that a config's target names; `None` if the target is a picture.
    ///
    /// # Errors
    /// There is no such family; the search is not for a target; more pictures than there is memory
    /// for.
    pub(super) fn of(config: &EvolutionConfig) -> Result<Option<Self>, Refusal> {
        let Some(name) = config.target.as_ref().and_then(|target| target.strip_prefix(PREFIX))
        else {
            let none = config.support.is_none() && config.values.is_none();
            let expected = "a family of pictures, family:NAME, beside support or values";
            Refusal::unless(none, "target", expected, "another target")?;
            return Ok(None);
        };
        let family: Family = name.parse()?;
        let is_target = config.search == SearchKind::Target;
        Refusal::unless(is_target, "search", "target, to draw a family", config.search)?;
        let factors = family.factors().len();
        let values = config.values.unwrap_or(if factors > 2 { 3 } else { 5 });
        let pictures = values.checked_pow(factors as u32).unwrap_or(usize::MAX);
        let counts = [(config.size, "pixels"), (config.size, "pixels"), (pictures, "pictures")];
        memory::ensure("target, size, values", &counts, 3 * 4 + (4 + factors) * (8 + 4))?;
        let support = config.support.unwrap_or(Support::Random(0.6));
        Ok(Some(ShownFamily { family, conditions: support.conditions(factors, values, 0) }))
    }

    /// The pictures under these conditions.
    fn drawn(&self, conditions: &[Vec<f64>], config: &EvolutionConfig) -> Conditioned {
        let draw = |z: &[f64]| self.family.picture(z, config.size, config.coords);
        Conditioned::of(conditions.to_vec(), draw)
    }

    /// The pictures that are shown.
    pub(super) fn seen(&self, config: &EvolutionConfig) -> Conditioned {
        self.drawn(&self.conditions.seen, config)
    }

    /// R² of a genome on what was held out.
    pub(super) fn held_out_r2(&self, genome: &Genome, config: &EvolutionConfig) -> f64 {
        let model = Model::of_genome(genome, Wiring::Graph);
        let set = self.drawn(&self.conditions.held_out, config);
        recombination::fit(&model, &set, config.coords).r2
    }

    /// Adds the family's factors to the inputs of founders, and refuses ancestors without them.
    ///
    /// # Errors
    /// An ancestor has another number of factors.
    pub(super) fn add_factors(
        &self,
        config: &mut EvolutionConfig,
        ancestors: &[Genome],
    ) -> Result<(), Refusal> {
        let factors = self.family.factors().len();
        for factor in &Input::FACTORS[..factors] {
            if !config.evolve.start.inputs.contains(factor) {
                config.evolve.start.inputs.push(*factor);
            }
        }
        match ancestors.iter().find(|genome| genome.factors() != factors) {
            None => Ok(()),
            Some(genome) => {
                let expected = format!("genomes with {factors} factors, as {} has", self.family);
                Err(Refusal::new("ancestors", expected, format!("one with {}", genome.factors())))
            }
        }
    }
}
