//! Evolution by ask and tell: every search of the crate behind one class.

use crate::convert::{evolve_config, keywords, named, plain};
use crate::errors::{expect, parsed, refused};
use crate::genome::Genome;
use picloom::base::settings::Settings;
use picloom::evolve::{
    Axis, Judged, MapElites, Novelty, NoveltyConfig, Population, Search as AnySearch,
};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyTuple};

fn plain_genomes(genomes: Vec<PyRef<'_, Genome>>) -> Vec<picloom::genome::Genome> {
    genomes.iter().map(|genome| genome.0.clone()).collect()
}

/// A search for genomes: ask, judge, tell, again.
///
/// The whole search is a function of its settings, its seed and what it was told: the same bits at
/// any number of threads.
#[pyclass(module = "picloom")]
pub struct Search(AnySearch);

#[pymethods]
impl Search {
    /// NEAT: a population with species and fitness sharing, led by a fitness (larger is better).
    ///
    /// Parameters
    /// ----------
    /// seed : int
    ///     Of every draw.
    /// preset : str
    ///     "picbreeder", "neat" or "drawing".
    /// ancestors : sequence of Genome
    ///     Where the search begins. Default: small random genomes.
    /// **settings
    ///     `population`, and settings of evolution, nested as in a run's `config.toml`: `mutation={"add_node": 0.1}`.
    ///
    /// Returns
    /// -------
    /// Search
    ///
    /// Raises
    /// ------
    /// ValueError
    ///     A setting is unknown or outside its range.
    #[staticmethod]
    #[pyo3(signature = (*, seed, preset = "neat", ancestors = vec![], **settings))]
    fn neat(
        seed: u64,
        preset: &str,
        ancestors: Vec<PyRef<'_, Genome>>,
        settings: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Search> {
        let config = evolve_config(parsed(preset)?, keywords(settings)?)?;
        Ok(Search(AnySearch::Target(Population::new(config, seed, &plain_genomes(ancestors)))))
    }

    /// Novelty search: led by the distance of descriptors to those seen before.
    ///
    /// Parameters
    /// ----------
    /// seed : int
    ///     Of every draw.
    /// preset : str
    ///     "picbreeder", "neat" or "drawing".
    /// ancestors : sequence of Genome
    ///     Where the search begins. Default: small random genomes.
    /// **settings
    ///     `neighbours`, `archived`, `archive_limit`, and settings of evolution, nested as in a run's `config.toml`: `mutation={"add_node": 0.1}`.
    ///
    /// Returns
    /// -------
    /// Search
    ///
    /// Raises
    /// ------
    /// ValueError
    ///     A setting is unknown or outside its range.
    #[staticmethod]
    #[pyo3(signature = (*, seed, preset = "neat", ancestors = vec![], **settings))]
    fn novelty(
        seed: u64,
        preset: &str,
        ancestors: Vec<PyRef<'_, Genome>>,
        settings: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Search> {
        let mut settings = keywords(settings)?;
        let numbers = NoveltyConfig::default().with(&named::<NoveltyConfig>(&mut settings));
        let numbers = numbers.map_err(refused)?;
        let config = evolve_config(parsed(preset)?, settings)?;
        let search = Novelty::new(numbers, config, seed, &plain_genomes(ancestors));
        Ok(Search(AnySearch::Novelty(search)))
    }

    /// MAP-Elites: the best genome of each cell of a grid.
    ///
    /// `axes` are (name, low, high, cells), one a descriptor value.
    ///
    /// Parameters
    /// ----------
    /// axes : sequence of (str, float, float, int)
    ///     The grid.
    /// seed : int
    ///     Of every draw.
    /// preset : str
    ///     "picbreeder", "neat" or "drawing".
    /// ancestors : sequence of Genome
    ///     Where the search begins. Default: small random genomes.
    /// **settings
    ///     `population`, and settings of evolution, nested as in a run's `config.toml`: `mutation={"add_node": 0.1}`.
    ///
    /// Returns
    /// -------
    /// Search
    ///
    /// Raises
    /// ------
    /// ValueError
    ///     A setting is unknown or outside its range.
    #[staticmethod]
    #[pyo3(signature = (axes, *, seed, preset = "picbreeder", ancestors = vec![], **settings))]
    fn map_elites(
        axes: Vec<(String, f64, f64, usize)>,
        seed: u64,
        preset: &str,
        ancestors: Vec<PyRef<'_, Genome>>,
        settings: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Search> {
        let sound = |(_, low, high, cells): &(String, f64, f64, usize)| {
            *cells > 0 && high > low && low.is_finite() && high.is_finite()
        };
        let expected = "at least one (name, low, high, cells) with finite low < high and cells ≥ 1";
        let is_so = !axes.is_empty() && axes.iter().all(sound);
        expect(is_so, "axes", expected, format!("{axes:?}"))?;
        let axis = |(descriptor, low, high, cells)| Axis { descriptor, low, high, cells };
        let axes = axes.into_iter().map(axis).collect();
        let config = evolve_config(parsed(preset)?, keywords(settings)?)?;
        let search = MapElites::new(axes, config, seed, &plain_genomes(ancestors));
        Ok(Search(AnySearch::MapElites(search)))
    }

    /// A search as `state` wrote it.
    ///
    /// Parameters
    /// ----------
    /// text : str
    ///     The state.
    ///
    /// Returns
    /// -------
    /// Search
    ///
    /// Raises
    /// ------
    /// ValueError
    ///     It is no state.
    #[staticmethod]
    fn from_state(text: &str) -> PyResult<Search> {
        let search: AnySearch = serde_json::from_str(text).map_err(refused)?;
        match search.state().flaw() {
            None => Ok(Search(search)),
            Some(expected) => Err(refused(format!("state: expected {expected}, found others"))),
        }
    }

    /// The whole search as text: `from_state` goes on to the same bits.
    ///
    /// Returns
    /// -------
    /// str
    fn state(&self) -> PyResult<String> {
        serde_json::to_string(&self.0).map_err(refused)
    }

    /// The genomes to judge now, N of them.
    ///
    /// Returns
    /// -------
    /// list of Genome
    fn ask(&self) -> Vec<Genome> {
        self.0.ask().iter().cloned().map(Genome).collect()
    }

    /// Takes one fitness a genome asked and breeds the next generation. Returns the births of the
    /// survivors (parents, elites, entries of an archive) not returned before, as dicts.
    ///
    /// `descriptors` (N, D) are needed by novelty search (whose fitness may be left out) and MAP-Elites.
    ///
    /// Parameters
    /// ----------
    /// fitness : (N,) sequence of float, optional
    ///     Larger is better, in the order of `ask`.
    /// descriptors : (N, D) array, optional
    ///     What kind of picture each genome draws.
    ///
    /// Returns
    /// -------
    /// list of dict
    ///
    /// Raises
    /// ------
    /// ValueError
    ///     Another number of them, or one that is not finite.
    #[pyo3(signature = (fitness = None, descriptors = None))]
    fn tell<'py>(
        &mut self,
        py: Python<'py>,
        fitness: Option<Vec<f64>>,
        descriptors: Option<Vec<Vec<f64>>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let count = fitness.as_ref().map_or(0, Vec::len);
        let known = descriptors.as_ref().map_or(0, Vec::len);
        let novelty = matches!(self.0, AnySearch::Novelty(_));
        let wanted = "fitness, one number a genome asked";
        expect(fitness.is_some() || novelty, "", wanted, "none")?;
        let is_so = fitness.is_none() || descriptors.is_none() || count == known;
        expect(is_so, "", format!("{count} rows of descriptors, one a fitness"), known)?;
        let fitness = fitness.unwrap_or_else(|| vec![0.0; known]);
        let mut rows = descriptors.unwrap_or_default().into_iter();
        let judge = |fitness| Judged {
            fitness,
            descriptor: rows.next().unwrap_or_default(),
            learned: None,
        };
        let judged = fitness.into_iter().map(judge).collect();
        let Search(search) = self;
        let births = py.detach(|| search.tell(judged)).map_err(refused)?;
        plain(py, &births)
    }

    /// The generation to judge, from 0.
    #[getter]
    fn generation(&self) -> u64 {
        self.0.generation()
    }

    /// The best genome ever judged and its fitness; None before the first `tell`, and of searches
    /// without a fitness.
    #[getter]
    fn best(&self) -> Option<(Genome, f64)> {
        let has_fitness = !matches!(self.0, AnySearch::Novelty(_));
        let best = self.0.state().champion().filter(|_| has_fitness)?;
        Some((Genome(best.genome.clone()), best.fitness))
    }

    /// Number of species of the generation to judge.
    #[getter]
    fn species(&self) -> usize {
        self.0.state().species().len().max(1)
    }

    /// The archive of novelty search: (genome, novelty when it entered, descriptor), oldest first.
    #[getter]
    fn archive(&self) -> Vec<(Genome, f64, Vec<f64>)> {
        let AnySearch::Novelty(novelty) = &self.0 else { return Vec::new() };
        let entry = |a: &picloom::evolve::Archived| {
            (Genome(a.ranked.genome.clone()), a.ranked.fitness, a.descriptor.clone())
        };
        novelty.archive().iter().map(entry).collect()
    }

    /// The elites of MAP-Elites: a dict from cell to (genome, fitness, descriptor).
    #[getter]
    fn grid<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let grid = PyDict::new(py);
        if let AnySearch::MapElites(map) = &self.0 {
            for (cell, elite) in map.grid() {
                let genome = Genome(elite.ranked.genome.clone());
                let descriptor = PyList::new(py, &elite.descriptor)?;
                grid.set_item(PyTuple::new(py, cell)?, (genome, elite.ranked.fitness, descriptor))?;
            }
        }
        Ok(grid)
    }

    /// Who the genomes asked descend from: id, generation, parents, operators, seed and stream of
    /// each, as dicts. None for MAP-Elites, whose births `tell` returns.
    #[getter]
    fn births<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let is_told = matches!(self.0, AnySearch::MapElites(_));
        if is_told { Ok(None) } else { plain(py, &self.0.births()).map(Some) }
    }

    fn __repr__(&self) -> String {
        let name = match &self.0 {
            AnySearch::Target(_) => "neat",
            AnySearch::Novelty(_) => "novelty",
            AnySearch::MapElites(_) => "map_elites",
        };
        format!("Search.{name}(generation={}, N={})", self.generation(), self.0.ask().len())
    }
}
