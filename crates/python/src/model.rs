//! `Model`: a network that can draw. Immutable here: other weights make another model.

use crate::convert::{check_size, drawn, matrix, plain};
use crate::errors::{expect, of_file, parsed, refused};
use crate::genome::Genome;
use numpy::ndarray::{Array3, ArrayD};
use numpy::{
    IntoPyArray, PyArray1, PyArray2, PyArray3, PyArrayLike1, PyArrayLike2, PyUntypedArrayMethods,
};
use picloom::base::SimRng;
use picloom::genome::Palette;
use picloom::network::export::export as write;
use picloom::network::weight_files::{read_arch, write_weights};
use picloom::network::{Arch, Coords, Mask, Network, TrainedWiring, Transform, Weights};
use picloom::prune::alive;
use picloom::run::load_run;
use picloom::train::{Init, init};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use std::path::PathBuf;

/// A network that can draw: wiring, the links that may be non-zero, and the weights. Immutable.
#[pyclass(module = "picloom", frozen, eq)]
#[derive(Clone, PartialEq)]
pub struct Model(pub picloom::network::Model);

impl Model {
    fn network(&self) -> &Network {
        &self.0.network
    }
}

/// Numbers from Python: (W,), one a link.
pub(crate) type Numbers<'py> = PyArrayLike1<'py, f32, numpy::AllowTypeChange>;

/// (W,) weights from Python.
pub(crate) fn weights_of(network: &Network, given: &Numbers<'_>) -> PyResult<Weights> {
    checked(network, given.as_array().to_vec())
}

fn checked(network: &Network, weights: Vec<f32>) -> PyResult<Weights> {
    let expected = network.weight_count();
    expect(weights.len() == expected, "", format!("{expected} weights"), weights.len())?;
    let odd = weights.iter().find(|w| !w.is_finite());
    expect(odd.is_none(), "", "finite weights", odd.copied().unwrap_or_default())?;
    Ok(Weights(weights))
}

fn mask_of(network: &Network, given: PyArrayLike1<'_, bool>) -> PyResult<Mask> {
    let (expected, given) = (network.weight_count(), given.as_array().to_vec());
    expect(given.len() == expected, "", format!("{expected} flags of the mask"), given.len())?;
    Ok(Mask(given))
}

#[pymethods]
impl Model {
    /// The network of a genome: its own graph ("graph"), the layered network that draws the same
    /// picture ("layerized"), that with every link free ("dense"), or with other links of the same number or
    /// more. The weights are the evolved ones.
    ///
    /// Parameters
    /// ----------
    /// genome : Genome
    ///     The genome.
    /// wiring : str
    ///     "graph", "layerized", "dense", "rewired", "connected", "random", or with links on top "evolved+N%",
    ///     "rewired+N%", "connected+N%" or "random+N%", as `--wiring` of `picloom train`.
    /// seed : int
    ///     Of the links that are drawn at random. Those that evolution had not have weight 0.
    ///
    /// Returns
    /// -------
    /// Model
    ///
    /// Raises
    /// ------
    /// ValueError
    ///     Another wiring, or more links than there are.
    #[staticmethod]
    #[pyo3(signature = (genome, wiring = "graph", *, seed = 0))]
    fn from_genome(genome: &Genome, wiring: &str, seed: u64) -> PyResult<Model> {
        let wiring: TrainedWiring = parsed(wiring)?;
        Ok(Model(wiring.model(&genome.0, seed).map_err(refused)?))
    }

    /// The network of the picture that a conditional one draws where its factors have these values.
    ///
    /// Parameters
    /// ----------
    /// z : sequence of float
    ///     One value a factor, in [-1, 1].
    ///
    /// Returns
    /// -------
    /// Model
    ///     Without factors: links from factors have become part of those from the bias.
    ///
    /// Raises
    /// ------
    /// ValueError
    ///     Another number of values than factors.
    fn at(&self, z: PyArrayLike1<'_, f64, numpy::AllowTypeChange>) -> PyResult<Model> {
        let z = z.as_array().to_vec();
        let (expected, found) = (self.0.network.factors(), z.len());
        expect(expected == found, "", format!("{expected} values, one a factor"), found)?;
        Ok(Model(self.0.at(&z)))
    }

    /// Number of factors: 0 for a network of one picture.
    #[getter]
    fn factors(&self) -> usize {
        self.0.network.factors()
    }

    /// The network reorganised: "permute", "duplicate:K", "insert:N", "rescale", "mix:DEG" and "split:R" keep its
    /// picture; "shuffle" and "redraw" do not.
    ///
    /// Parameters
    /// ----------
    /// transform : str
    ///     As `transform` of a study's arm. "mix-parts:DEG" changes nothing here: a model has no labels of parts.
    /// seed : int
    ///     Of what is random.
    ///
    /// Returns
    /// -------
    /// Model
    ///
    /// Raises
    /// ------
    /// ValueError
    ///     No such transformation, or the network is not layered.
    #[pyo3(signature = (transform, *, seed = 0))]
    fn transformed(&self, transform: &str, seed: u64) -> PyResult<Model> {
        let transform: Transform = parsed(transform)?;
        expect(self.0.network.is_layered(), "", "a layered network", "a graph")?;
        Ok(Model(transform.apply(&self.0, &[], seed).map_err(refused)?))
    }

    /// A layered network of an arch such as "12;cache:15,gaussian:4,identity:2,sin:1", every link
    /// free, with random weights by the scheme `init`.
    ///
    /// Parameters
    /// ----------
    /// arch : str
    ///     Layers; activations with the units of each in a layer.
    /// seed : int
    ///     Of the weights.
    /// init : str
    ///     As `--init` of `picloom train`.
    ///
    /// Returns
    /// -------
    /// Model
    ///
    /// Raises
    /// ------
    /// ValueError
    ///     No such arch or scheme.
    #[staticmethod]
    #[pyo3(signature = (arch, *, seed = 0, init = "lecun-truncated"))]
    fn from_arch(arch: &str, seed: u64, init: &str) -> PyResult<Model> {
        let network = parsed::<Arch>(arch)?.network();
        let mask = Mask::all(network.weight_count());
        let scheme = Init { scheme: parsed(init)?, ..Init::default() };
        let mut rng = SimRng::new(seed, "init", 0);
        let weights = self::init(&network, &mask, &scheme, &mut rng).map_err(refused)?;
        Ok(Model(picloom::network::Model { network, mask, weights }))
    }

    /// A layered network with given matrices, one a layer and the head, each (out, in). It keeps the
    /// non-zero weights.
    ///
    /// Parameters
    /// ----------
    /// arch : str
    ///     As in `from_arch`.
    /// layers : sequence of (out, in) array
    ///     Of finite numbers.
    ///
    /// Returns
    /// -------
    /// Model
    ///
    /// Raises
    /// ------
    /// ValueError
    ///     Another number of matrices, or another shape; the message has both.
    #[staticmethod]
    fn from_layers(
        arch: &str,
        layers: Vec<PyArrayLike2<'_, f32, numpy::AllowTypeChange>>,
    ) -> PyResult<Model> {
        let network = parsed::<Arch>(arch)?.network();
        let expected = format!("{} matrices, one a layer and the head", network.blocks.len());
        expect(layers.len() == network.blocks.len(), "", expected, layers.len())?;
        let mut weights = Vec::with_capacity(network.weight_count());
        for (i, (layer, block)) in layers.iter().zip(&network.blocks).enumerate() {
            let (expected, found) = ([block.targets.len(), block.sources.len()], layer.shape());
            let words = format!("shape {expected:?}");
            expect(found == expected, &format!("layer {i}"), words, format!("{found:?}"))?;
            weights.extend(layer.as_array().iter());
        }
        let weights = checked(&network, weights)?;
        Ok(Model(picloom::network::Model::new(network, weights)))
    }

    /// The network of a run's folder, or of a file of weights (.npz, .safetensors) of `arch`.
    ///
    /// Parameters
    /// ----------
    /// path : path
    ///     Folder of a run, or a file of weights.
    /// arch : str, optional
    ///     Of a file of weights; a .safetensors of this program names its own.
    ///
    /// Returns
    /// -------
    /// Model
    ///
    /// Raises
    /// ------
    /// FileNotFoundError
    ///     There is no such file or folder.
    /// ValueError
    ///     It holds something else.
    #[staticmethod]
    #[pyo3(signature = (path, arch = None))]
    fn load(path: PathBuf, arch: Option<&str>) -> PyResult<Model> {
        let arch: Arch = match arch {
            Some(arch) => parsed(arch)?,
            None if path.is_file() => read_arch(&path).map_err(|e| of_file(&path, e))?,
            None => return Ok(Model(load_run(&path).map_err(|e| of_file(&path, e))?.model)),
        };
        picloom::network::Model::read(&arch, &path).map(Model).map_err(|e| of_file(&path, e))
    }

    /// Writes the weights, whole or not at all, by extension: .npz (flax's order) or .safetensors
    /// (PyTorch's).
    ///
    /// Parameters
    /// ----------
    /// path : path
    ///     The file.
    ///
    /// Raises
    /// ------
    /// ValueError
    ///     Another extension, no layered network, or the file cannot be written.
    fn save(&self, path: PathBuf) -> PyResult<()> {
        write_weights(&path, self.network(), &self.0.weights).map_err(refused)
    }

    /// The same wiring with other weights (W,), and with `mask` (W,) if it is given. Weights outside
    /// the mask become 0.
    ///
    /// Parameters
    /// ----------
    /// weights : (W,) array
    ///     Of finite numbers.
    /// mask : (W,) array of bool, optional
    ///     Links that may be non-zero. Default: as it is.
    ///
    /// Returns
    /// -------
    /// Model
    ///
    /// Raises
    /// ------
    /// ValueError
    ///     Another length, or a number that is not finite.
    #[pyo3(signature = (weights, mask = None))]
    fn with_weights(
        &self,
        weights: Numbers<'_>,
        mask: Option<PyArrayLike1<'_, bool>>,
    ) -> PyResult<Model> {
        let mut weights = weights_of(self.network(), &weights)?;
        let mask = match mask {
            Some(mask) => mask_of(self.network(), mask)?,
            None => self.0.mask.clone(),
        };
        mask.apply(&mut weights);
        Ok(Model(picloom::network::Model { network: self.network().clone(), mask, weights }))
    }

    /// The network's picture: (rows, columns, 3), float32 in [0, 1], row 0 at the top.
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
    fn picture<'py>(
        &self,
        py: Python<'py>,
        size: Option<Bound<'py, PyAny>>,
        coords: &str,
        settings: Option<Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyArray3<f32>>> {
        drawn(py, (&self.0, Palette::Free), size, coords, settings)
    }

    /// The map of every unit, inputs first: (U, size, size), float32.
    ///
    /// Parameters
    /// ----------
    /// size : int
    ///     Side in pixels.
    /// coords : str
    ///     "fer" (-1 to 1 across the picture) or "picbreeder".
    ///
    /// Returns
    /// -------
    /// (U, size, size) array of float32
    ///
    /// Raises
    /// ------
    /// ValueError
    ///     No such size or coordinates.
    #[pyo3(signature = (size = 256, *, coords = "fer"))]
    fn maps<'py>(
        &self,
        py: Python<'py>,
        size: usize,
        coords: &str,
    ) -> PyResult<Bound<'py, PyArray3<f32>>> {
        let (size, coords) = (check_size(size)?, parsed(coords)?);
        let maps = py.detach(|| self.0.maps(size, coords));
        let shape = (maps.units, size, size);
        Ok(Array3::from_shape_vec(shape, maps.values).expect("U·P values").into_pyarray(py))
    }

    /// (W,) float32 weights, one a link; 0 outside the mask. A copy.
    #[getter]
    fn weights<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f32>> {
        self.0.weights.0.clone().into_pyarray(py)
    }

    /// (W,) bool: the links that may be non-zero. A copy.
    #[getter]
    fn mask<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<bool>> {
        self.0.mask.0.clone().into_pyarray(py)
    }

    /// (W,) bool: the links of the mask on a path from an input to an output.
    #[getter]
    fn alive<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<bool>> {
        alive(self.network(), &self.0.mask).0.into_pyarray(py)
    }

    /// (W, 2) int64: source and target unit of each link.
    #[getter]
    fn links<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray2<i64>> {
        let links = &self.network().links;
        let values = links.iter().flat_map(|l| [l.source as i64, l.target as i64]).collect();
        matrix(py, (links.len(), 2), values)
    }

    /// The matrices of a layered network, (out, in), first hidden layer to head; empty for a graph.
    #[getter]
    fn layers<'py>(&self, py: Python<'py>) -> Vec<Bound<'py, PyArray2<f32>>> {
        let block = |b: &picloom::network::DenseBlock| {
            let values = self.0.weights.0[b.weights()].to_vec();
            matrix(py, (b.targets.len(), b.sources.len()), values)
        };
        self.network().blocks.iter().map(block).collect()
    }

    /// The arch of a layered network; None for a graph.
    #[getter]
    fn arch(&self) -> Option<String> {
        self.network().arch.as_ref().map(ToString::to_string)
    }

    /// The wiring as plain data: inputs, units (activation, layer, range of its links), links, the
    /// units that draw hue, saturation and brightness.
    #[getter]
    fn network_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        plain(py, self.network())
    }

    fn __repr__(&self) -> String {
        let kind = match &self.network().arch {
            Some(arch) => format!("{:?}", arch.to_string()),
            None => "graph".into(),
        };
        let (links, kept) = (self.network().weight_count(), self.0.mask.kept());
        format!("Model({kind}, units={}, links={links}, kept={kept})", self.network().units.len())
    }
}

/// The values of the inputs x, y, d, bias at each pixel: (size, size, 4) float32.
///
/// Parameters
/// ----------
/// size : int
///     Side in pixels.
/// coords : str
///     "fer" (-1 to 1 across the picture) or "picbreeder".
///
/// Returns
/// -------
/// (size, size, 4) array of float32
///
/// Raises
/// ------
/// ValueError
///     No such size or coordinates.
#[pyfunction]
#[pyo3(signature = (size, *, coords = "fer"))]
pub(crate) fn coordinates<'py>(
    py: Python<'py>,
    size: usize,
    coords: &str,
) -> PyResult<Bound<'py, numpy::PyArrayDyn<f32>>> {
    let (size, coords) = (check_size(size)?, parsed::<Coords>(coords)?);
    let pixels = (0..size * size).flat_map(|p| coords.at(size, p / size, p % size));
    let values = pixels.map(|v| v as f32).collect();
    Ok(ArrayD::from_shape_vec(vec![size, size, 4], values).expect("four a pixel").into_pyarray(py))
}

/// A network for other programs, as the bytes of the file that `picloom export` writes.
///
/// Parameters
/// ----------
/// model : Model
///     The network; that of a run is `Model.load(folder)`.
/// format : str
///     "safetensors" or "npz", the weights alone; "onnx"; "glsl", a fragment shader; "dot", the graph.
/// coords : str
///     "fer" (-1 to 1 across the picture) or "picbreeder".
///
/// Returns
/// -------
/// bytes
///
/// Raises
/// ------
/// ValueError
///     No such format.
#[pyfunction]
#[pyo3(signature = (model, format, *, coords = "fer"))]
pub(crate) fn export<'py>(
    py: Python<'py>,
    model: &Model,
    format: &str,
    coords: &str,
) -> PyResult<Bound<'py, PyBytes>> {
    let bytes = write(&model.0, parsed(coords)?, Palette::Free, parsed(format)?);
    Ok(PyBytes::new(py, &bytes))
}
