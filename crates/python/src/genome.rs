//! `Genome`: the graph that evolution edits. Immutable here: every change is a new genome.

use crate::convert::{drawn, evolve_config, keywords, plain};
use crate::errors::{expect, of_file, parsed, refused};
use numpy::PyArray3;
use picloom::base::SimRng;
use picloom::base::files::write_atomic;
use picloom::evolve::{
    InnovationTracker, Open, compatibility_distance, crossover_aligned, crossover_union,
    first_genome, mutate,
};
use picloom::genome::{GenomeInfo, bytes_for, from_json, read, to_dot, to_json};
use picloom::network::{Model, Wiring};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::path::PathBuf;

/// A CPPN genome: the graph that evolution edits. Immutable: every change is a new genome.
#[pyclass(module = "picloom", frozen, eq)]
#[derive(Clone, PartialEq)]
pub struct Genome(pub picloom::genome::Genome);

#[pymethods]
impl Genome {
    /// Reads a genome by its extension: `.json` (Picloom's), `.zip` or `.xml` (Picbreeder's).
    ///
    /// Parameters
    /// ----------
    /// path : path
    ///     The file.
    ///
    /// Returns
    /// -------
    /// Genome
    ///
    /// Raises
    /// ------
    /// FileNotFoundError
    ///     There is no such file.
    /// ValueError
    ///     The file is refused; the message has the path, what was expected and what was found.
    #[staticmethod]
    fn load(path: PathBuf) -> PyResult<Genome> {
        read(&path).map(Genome).map_err(|e| of_file(&path, e))
    }

    /// The genome of a `picloom-genome/1` text.
    ///
    /// Parameters
    /// ----------
    /// text : str
    ///     As `to_json` writes it.
    ///
    /// Returns
    /// -------
    /// Genome
    ///
    /// Raises
    /// ------
    /// ValueError
    ///     It is no genome; the message says what was expected.
    #[staticmethod]
    fn from_json(text: &str) -> PyResult<Genome> {
        from_json(text).map(Genome).map_err(refused)
    }

    /// A first genome of `preset` ("picbreeder", "neat" or "drawing"), with nested settings laid over it.
    ///
    /// Parameters
    /// ----------
    /// seed : int
    ///     Of every draw.
    /// preset : str
    ///     "picbreeder", "neat" or "drawing".
    /// **settings
    ///     Settings of evolution, nested as in a run's `config.toml`: `mutation={"add_node": 0.1}`.
    ///
    /// Returns
    /// -------
    /// Genome
    ///
    /// Raises
    /// ------
    /// ValueError
    ///     A setting is unknown or outside its range.
    #[staticmethod]
    #[pyo3(signature = (*, seed, preset = "picbreeder", **settings))]
    fn random(seed: u64, preset: &str, settings: Option<&Bound<'_, PyDict>>) -> PyResult<Genome> {
        let config = evolve_config(parsed(preset)?, keywords(settings)?)?;
        Ok(Genome(first_genome(&config, &mut SimRng::new(seed, "child", 0))))
    }

    /// The genome as `picloom-genome/1` text: equal genomes, equal text.
    ///
    /// Returns
    /// -------
    /// str
    fn to_json(&self) -> String {
        to_json(&self.0)
    }

    /// The genome as a Graphviz digraph.
    ///
    /// Returns
    /// -------
    /// str
    fn to_dot(&self) -> String {
        to_dot(&self.0)
    }

    /// Writes the genome, whole or not at all, by extension: .json (.vlm.json of picbreeder-vlm), .zip, .xml or .dot.
    ///
    /// Parameters
    /// ----------
    /// path : path
    ///     The file.
    ///
    /// Raises
    /// ------
    /// ValueError
    ///     Another extension, or the file cannot be written.
    fn save(&self, path: PathBuf) -> PyResult<()> {
        let bytes = bytes_for(&self.0, &path).map_err(refused)?;
        write_atomic(&path, &bytes).map_err(refused)
    }

    /// The genome's picture, in its palette: (rows, columns, 3), float32 in [0, 1], row 0 at the
    /// top.
    ///
    /// Parameters
    /// ----------
    /// size : int, or pair of int
    ///     Side in pixels, 256 without it, or columns and rows. The shorter side shows -1 to 1.
    /// coords : str
    ///     "fer" (-1 to 1 across the picture) or "picbreeder".
    /// **settings
    ///     `center`, the point in the middle; `zoom`, how many times larger things are; `supersample`, samples along
    ///     each side of a pixel (docs/SETTINGS.md).
    ///
    /// Returns
    /// -------
    /// (rows, columns, 3) array of float32
    ///
    /// Raises
    /// ------
    /// ValueError
    ///     No such size, coordinates or settings; more memory than there is.
    #[pyo3(signature = (size = None, *, coords = "fer", **settings))]
    fn render<'py>(
        &self,
        py: Python<'py>,
        size: Option<Bound<'py, PyAny>>,
        coords: &str,
        settings: Option<Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyArray3<f32>>> {
        let model = Model::of_genome(&self.0, Wiring::Graph);
        drawn(py, (&model, self.0.palette), size, coords, settings)
    }

    /// A child by mutation, from the random stream of `seed`.
    ///
    /// New genes are numbered after this genome's own: children of one parent share numbers for
    /// different genes. Populations, whose genes must align, are bred by `Search`.
    ///
    /// Parameters
    /// ----------
    /// seed : int
    ///     Of every draw.
    /// preset : str
    ///     "picbreeder", "neat" or "drawing".
    /// slider : float, optional
    ///     How strongly weights change, in [0, 1]. Default: the preset's.
    /// **settings
    ///     Settings of evolution, nested as in a run's `config.toml`: `mutation={"add_node": 0.1}`.
    ///
    /// Returns
    /// -------
    /// Genome
    ///
    /// Raises
    /// ------
    /// ValueError
    ///     A setting is unknown or outside its range.
    #[pyo3(signature = (*, seed, preset = "picbreeder", slider = None, **settings))]
    fn mutate(
        &self,
        seed: u64,
        preset: &str,
        slider: Option<f64>,
        settings: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Genome> {
        let config = evolve_config(parsed(preset)?, keywords(settings)?)?;
        let slider = slider.unwrap_or(config.mutation.slider);
        expect((0.0..=1.0).contains(&slider), "slider", "a number in [0, 1]", slider)?;
        let mut rng = SimRng::new(seed, "child", 0);
        let mut innovations = InnovationTracker::after([&self.0]);
        let mut child = self.0.clone();
        child.provenance = Default::default();
        // A drawn operator that cannot act is drawn anew, as `evolve::Breeder` does.
        for _ in 0..config.reproduction.attempts {
            if mutate(&mut child, &config, slider, &Open::All, &mut innovations, &mut rng).is_ok() {
                break;
            }
        }
        Ok(Genome(child))
    }

    /// A child of this genome and `other`, which must be of one lineage.
    ///
    /// `kind` is "union" (all genes of both) or "aligned" (NEAT's: this genome counts as the fitter).
    ///
    /// Parameters
    /// ----------
    /// other : Genome
    ///     The other parent.
    /// seed : int
    ///     Of every draw.
    /// kind : str
    ///     "union" or "aligned".
    ///
    /// Returns
    /// -------
    /// Genome
    ///
    /// Raises
    /// ------
    /// ValueError
    ///     Equal numbers mean different genes: they are of two lineages.
    #[pyo3(signature = (other, *, seed, kind = "union"))]
    fn crossover(&self, other: &Genome, seed: u64, kind: &str) -> PyResult<Genome> {
        let mut rng = SimRng::new(seed, "child", 0);
        let config = evolve_config(Default::default(), toml::Table::new())?.crossover;
        let child = match kind {
            "union" => crossover_union(&[&self.0, &other.0], &mut rng),
            "aligned" => {
                crossover_aligned(&self.0, &other.0, false, config.stay_disabled, &mut rng)
            }
            _ => return Err(refused(format!("kind: expected union or aligned, found {kind:?}"))),
        };
        child.map(Genome).map_err(refused)
    }

    /// NEAT's compatibility distance; `settings` are those of species, e.g. `disjoint=1.0`.
    ///
    /// Parameters
    /// ----------
    /// other : Genome
    ///     Of the same lineage, or all its genes are disjoint.
    /// **settings
    ///     Those of species.
    ///
    /// Returns
    /// -------
    /// float
    ///
    /// Raises
    /// ------
    /// ValueError
    ///     A setting is unknown or outside its range.
    #[pyo3(signature = (other, **settings))]
    fn distance(&self, other: &Genome, settings: Option<&Bound<'_, PyDict>>) -> PyResult<f64> {
        let species = keywords(settings)?;
        let laid = toml::Table::from_iter([("species".to_string(), toml::Value::Table(species))]);
        let config = evolve_config(Default::default(), laid)?;
        Ok(compatibility_distance(&self.0, &other.0, &config.species))
    }

    /// How it came to be: name, made_by, seed, generations, parents, notes.
    #[getter]
    fn provenance<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        plain(py, &self.0.provenance)
    }

    /// The palette that it is drawn in; "free": every colour.
    #[getter]
    fn palette(&self) -> String {
        self.0.palette.to_string()
    }

    /// Its nodes as dicts, in id order.
    #[getter]
    fn nodes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        plain(py, &self.0.nodes().collect::<Vec<_>>())
    }

    /// Its connections as dicts, disabled ones too, in innovation order.
    #[getter]
    fn connections<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        plain(py, &self.0.connections().collect::<Vec<_>>())
    }

    /// Counts and depths: nodes, hidden, links, depth, age, outputs, activations, labels.
    ///
    /// Returns
    /// -------
    /// dict
    fn info<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        plain(py, &GenomeInfo::of(&self.0))
    }

    fn __repr__(&self) -> String {
        let info = GenomeInfo::of(&self.0);
        let name = match self.0.provenance.name.as_str() {
            "" => String::new(),
            name => format!("{name:?}, "),
        };
        format!("Genome({name}hidden={}, links={}, depth={})", info.hidden, info.links, info.depth)
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, (String,))> {
        Ok((py.get_type::<Genome>().getattr("from_json")?, (to_json(&self.0),)))
    }
}
