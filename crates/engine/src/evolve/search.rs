//! One interface for all searches: ask for genomes, tell what was thought of them.

use super::{Birth, Judged, MapElites, Novelty, Population, SearchState};
use crate::base::refusal::Refusal;
use crate::genome::Genome;
use serde::{Deserialize, Serialize};
use std::mem::discriminant;

/// Any of the searches, with its whole state: `ask`, judge, `tell`, again. It is what a checkpoint holds.
///
/// ```
/// use picloom_engine::evolve::{EvolveConfig, Judged, Population, Preset, Search};
/// let config = EvolveConfig::preset(Preset::Picbreeder);
/// let mut search = Search::Target(Population::new(config, 7, &[]));
/// for _ in 0..3 {
///     let judged = search
///         .ask()
///         .iter()
///         .map(|g| Judged { fitness: -(g.connections().len() as f64), ..Judged::default() })
///         .collect();
///     search.tell(judged).unwrap();
/// }
/// assert_eq!(search.generation(), 3);
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "search", content = "state", rename_all = "kebab-case")]
pub enum Search {
    /// Towards a target picture.
    Target(Population),
    /// Towards what has not been seen.
    Novelty(Novelty),
    /// Towards the best of each kind.
    MapElites(MapElites),
}

impl Search {
    /// Its state.
    pub fn state(&self) -> &dyn SearchState {
        match self {
            Search::Target(state) => state,
            Search::Novelty(state) => state,
            Search::MapElites(state) => state,
        }
    }

    fn state_mut(&mut self) -> &mut dyn SearchState {
        match self {
            Search::Target(state) => state,
            Search::Novelty(state) => state,
            Search::MapElites(state) => state,
        }
    }

    /// Why a state read from a file is none that the search `begun` can reach; `None` if it may be one.
    /// Genomes are checked while they are read.
    pub fn inconsistency(&self, begun: &Search) -> Option<&'static str> {
        let is_kind = match (self, begun) {
            (Search::MapElites(found), Search::MapElites(own)) => found.axes() == own.axes(),
            _ => discriminant(self) == discriminant(begun),
        };
        let (found, own) = (self.state().breeder(), begun.state().breeder());
        if !is_kind {
            Some("the kind of search of its config")
        } else if found.config != own.config || found.seed != own.seed {
            Some("a search with the settings of its config")
        } else {
            self.state().flaw()
        }
    }

    /// The genomes to judge now, (N,).
    pub fn ask(&self) -> &[Genome] {
        &self.state().brood().genomes
    }

    /// The births of the genomes to judge, (N,).
    pub fn births(&self) -> &[Birth] {
        &self.state().brood().births
    }

    /// Takes one judgement per genome asked, in their order, and breeds the next genomes. Returns the births of
    /// those that survived (became a parent, an elite, or entered an archive) and were not returned before.
    ///
    /// # Errors
    /// The answer does not fit what was asked; the search is unchanged.
    pub fn tell(&mut self, judged: Vec<Judged>) -> Result<Vec<Birth>, Refusal> {
        let length = self.state().descriptor_length(&judged);
        check(self.ask(), &judged, length).map_err(Refusal::as_failure)?;
        Ok(self.state_mut().advance(&judged))
    }

    /// The generation to judge, from 0.
    pub fn generation(&self) -> u64 {
        self.state().breeder().generation()
    }
}

fn check(asked: &[Genome], judged: &[Judged], dimensions: Option<usize>) -> Result<(), Refusal> {
    if asked.len() != judged.len() {
        let expected = format!("{} judgements, one a genome asked", asked.len());
        return Err(Refusal::new("", expected, judged.len().to_string()));
    }
    for (genome, (asked, judged)) in asked.iter().zip(judged).enumerate() {
        let at = || format!("genome {genome}");
        let numbers = std::iter::once(&judged.fitness).chain(&judged.descriptor);
        if let Some(&found) = numbers.into_iter().find(|v| !v.is_finite()) {
            return Err(Refusal::new(at(), "finite numbers", found.to_string()));
        }
        if let Some(expected) = dimensions
            && judged.descriptor.len() != expected
        {
            let found = judged.descriptor.len().to_string();
            return Err(Refusal::new(at(), format!("{expected} descriptor values"), found));
        }
        for (innovation, weight) in judged.learned.iter().flatten() {
            if !weight.is_finite() || asked.connection(*innovation).is_none() {
                let expected = "finite weights of the genome's own links";
                return Err(Refusal::new(at(), expected, "another among the learned"));
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evolve::{EvolveConfig, Preset};

    #[test]
    fn answers_that_do_not_fit_are_refused_and_change_nothing() {
        let config = EvolveConfig::preset(Preset::Picbreeder);
        let mut search = Search::Target(Population::new(config, 7, &[]));
        let before = search.clone();
        let good = vec![Judged::default(); 15];
        let mut told = |change: &dyn Fn(&mut Vec<Judged>)| {
            let mut judged = good.clone();
            change(&mut judged);
            search.tell(judged).unwrap_err().to_string()
        };
        assert_eq!(told(&|j| j.truncate(3)), "expected 15 judgements, one a genome asked, found 3");
        assert!(
            told(&|j| j[4].fitness = f64::NAN)
                .starts_with("genome 4: expected finite numbers, found NaN")
        );
        assert!(
            told(&|j| j[2].learned = Some(vec![(crate::genome::InnovationId(999), 1.0)]))
                .starts_with("genome 2: expected finite weights of the genome's own links")
        );
        assert_eq!(search, before);
    }
}
