//! Breeding by eye: a session, the very file that the command and the studio go on with.

use crate::convert::{config_over, keywords, plain};
use crate::errors::{failed, of_file, parsed, refused};
use crate::genome::Genome;
use picloom::base::lock::FolderLock;
use picloom::evolve::{Breeding as Tree, EvolveConfig, Selection, Session};
use picloom::experiment::evolution::{Ancestors, ancestor_file, open, save};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::path::{Path, PathBuf};

/// A breeding session: choose pictures on a sheet, and the next sheet is bred from them.
///
/// Every sheet stays. `undo`, `redo` and `go_to` move between them; a choice on an older sheet begins a
/// branch. Sheet 0 is the first, sheet n was bred by the n-th choice.
#[pyclass(module = "picloom")]
pub struct Breeding(Tree, Ancestors);

#[pymethods]
impl Breeding {
    /// Begins a session.
    ///
    /// Parameters
    /// ----------
    /// seed : int
    ///     Of every draw.
    /// preset : str
    ///     "picbreeder", "neat" or "drawing".
    /// ancestors : sequence of path
    ///     Genome files that the first sheet is bred from; the session names them. Default: small random genomes.
    /// **settings
    ///     `population`, pictures a sheet; `symmetry`, `background` and `palette`; and settings of evolution, nested as in a run's `config.toml`: `mutation={"add_node": 0.1}`.
    ///
    /// Raises
    /// ------
    /// FileNotFoundError
    ///     There is no such ancestor.
    /// ValueError
    ///     A setting is unknown or outside its range, or an ancestor is no genome.
    #[new]
    #[pyo3(signature = (*, seed, preset = "picbreeder", ancestors = vec![], **settings))]
    fn new(
        seed: u64,
        preset: &str,
        ancestors: Vec<PathBuf>,
        settings: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Breeding> {
        let config = config_over(EvolveConfig::of_session(parsed(preset)?), keywords(settings)?)?;
        let names: Vec<String> = ancestors.iter().map(|path| path.display().to_string()).collect();
        let ancestors = Ancestors::read(&names, |name| name.into());
        let ancestors = ancestors.map_err(|e| {
            let at =
                names.iter().filter(|name| e.at.starts_with(*name)).max_by_key(|name| name.len());
            at.map_or_else(|| refused(&e), |name| of_file(Path::new(name), &e))
        })?;
        let session = Session::new(config, seed, ancestors.names.clone());
        let tree = Tree::new(session, &ancestors.genomes).map_err(refused)?;
        Ok(Breeding(tree, ancestors))
    }

    /// Opens a session file, of the command's or the studio's too, and breeds its sheets.
    ///
    /// Parameters
    /// ----------
    /// path : path
    ///     The file.
    ///
    /// Returns
    /// -------
    /// Breeding
    ///
    /// Raises
    /// ------
    /// FileNotFoundError
    ///     There is no such file.
    /// ValueError
    ///     It is no session, or cannot be bred.
    #[staticmethod]
    fn open(py: Python<'_>, path: PathBuf) -> PyResult<Breeding> {
        let opened = py.detach(|| open(&path, |name| ancestor_file(&path, name)));
        opened.map(|(tree, ancestors)| Breeding(tree, ancestors)).map_err(|e| of_file(&path, e))
    }

    /// Writes the session, for Python, the command or the studio to go on with.
    ///
    /// Parameters
    /// ----------
    /// path : path
    ///     The file.
    ///
    /// Raises
    /// ------
    /// Error
    ///     It cannot be written, or somebody else is writing it.
    fn save(&self, path: PathBuf) -> PyResult<()> {
        let _lock = FolderLock::of_file(&path).map_err(failed)?;
        self.1.keep(path.parent().unwrap_or(Path::new(""))).map_err(failed)?;
        save(&self.0, &path).map_err(failed)
    }

    /// The genomes of a sheet.
    ///
    /// Parameters
    /// ----------
    /// n : int, optional
    ///     Number of the sheet. Default: the one you are on.
    ///
    /// Returns
    /// -------
    /// list of Genome
    ///
    /// Raises
    /// ------
    /// ValueError
    ///     There is no such sheet.
    #[pyo3(signature = (n = None))]
    fn sheet(&self, n: Option<usize>) -> PyResult<Vec<Genome>> {
        let sheet = self.0.sheet(n.unwrap_or(self.0.at())).map_err(refused)?;
        Ok(sheet.genomes().iter().cloned().map(Genome).collect())
    }

    /// Who the genomes of a sheet descend from: id, generation, parents, operators, seed and stream of each.
    ///
    /// Parameters
    /// ----------
    /// n : int, optional
    ///     Number of the sheet. Default: the one you are on.
    ///
    /// Returns
    /// -------
    /// list of dict
    ///
    /// Raises
    /// ------
    /// ValueError
    ///     There is no such sheet.
    #[pyo3(signature = (n = None))]
    fn births<'py>(&self, py: Python<'py>, n: Option<usize>) -> PyResult<Bound<'py, PyAny>> {
        plain(py, &self.0.sheet(n.unwrap_or(self.0.at())).map_err(refused)?.births())
    }

    /// Births of all that were chosen on the way to the sheet you are on, each once.
    ///
    /// Returns
    /// -------
    /// list of dict
    fn lineage<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        plain(py, &self.0.lineage())
    }

    /// Breeds a new sheet from pictures of the one you are on, and goes there.
    ///
    /// Parameters
    /// ----------
    /// chosen : sequence of int
    ///     Places on the sheet, from 0.
    /// slider : float, optional
    ///     How strongly weights of the children change, in [0, 1]. Default: the settings'.
    /// parts : str
    ///     What may change: "both", "structure" or "colour".
    /// roll : int, optional
    ///     Another number draws other children from the same choice. Default: the first that is not in the session.
    /// why : str
    ///     A word on the choice, kept in the session.
    ///
    /// Returns
    /// -------
    /// int
    ///     Number of the new sheet.
    ///
    /// Raises
    /// ------
    /// ValueError
    ///     No such place, one chosen twice, or a slider off its scale.
    #[pyo3(signature = (chosen, *, slider = None, parts = "both", roll = None, why = ""))]
    fn select(
        &mut self,
        chosen: Vec<usize>,
        slider: Option<f64>,
        parts: &str,
        roll: Option<u64>,
        why: &str,
    ) -> PyResult<usize> {
        let parts = crate::errors::parsed(parts)?;
        let selection = Selection { slider, parts, why: why.into(), ..Selection::of(&chosen) };
        let selection = match roll {
            Some(roll) => Selection { roll, ..selection },
            None => self.0.rolled(selection),
        };
        self.0.select(selection).map_err(refused)
    }

    /// Goes back to the sheet before; False on the first.
    ///
    /// Returns
    /// -------
    /// bool
    fn undo(&mut self) -> bool {
        self.0.undo()
    }

    /// Goes on to the sheet that was left last; False if there is none.
    ///
    /// Returns
    /// -------
    /// bool
    fn redo(&mut self) -> bool {
        self.0.redo()
    }

    /// Goes to any sheet.
    ///
    /// Parameters
    /// ----------
    /// n : int
    ///     Its number.
    ///
    /// Raises
    /// ------
    /// ValueError
    ///     There is no such sheet.
    fn go_to(&mut self, n: usize) -> PyResult<()> {
        self.0.go_to(n).map_err(refused)
    }

    /// The sheet that sheet `n` was bred from; None for the first.
    ///
    /// Parameters
    /// ----------
    /// n : int
    ///     Number of a sheet.
    ///
    /// Returns
    /// -------
    /// int or None
    ///
    /// Raises
    /// ------
    /// ValueError
    ///     There is no such sheet.
    fn parent(&self, n: usize) -> PyResult<Option<usize>> {
        self.0.sheet(n).map_err(refused)?;
        Ok(self.0.parent(n))
    }

    /// Number of the sheet you are on, from 0.
    #[getter]
    fn at(&self) -> usize {
        self.0.at()
    }

    fn __len__(&self) -> usize {
        self.0.last() + 1
    }

    fn __repr__(&self) -> String {
        let (at, last, n) = (self.0.at(), self.0.last(), self.0.now().genomes().len());
        format!("Breeding(sheet {at} of 0 to {last}, N={n})")
    }
}
