//! Weights in files, both ways: `.npz` in FER/flax order, `.safetensors` in PyTorch order; read, too: one vector of all
//! weights, as FER keeps it (`.npy`, `.npz`, `.pkl`).
//!
//! A layered network has `Dense_{i}.kernel`, shape in × out (npz), or `layers.{i}.weight`, shape
//! out × in (safetensors), for i = 0..=L; a graph network has one vector, `links`.

use super::npz::{Array, parse_npy, read_npz, write_npz};
use super::pickle::{Pickled, read_pickle};
use super::{Arch, Network, Weights};
use crate::base::files::{WriteError, read_plain, write_atomic};
use crate::base::refusal::Refusal;
use safetensors::tensor::{Dtype, SafeTensors, TensorView};
use std::collections::HashMap;
use std::path::Path;

/// Largest file of weights that is read, in bytes.
const LARGEST_FILE: u64 = 1 << 30;

/// Largest pickle of an arch, in bytes.
const LARGEST_ARCH: u64 = 1 << 16;

/// Reads weights of exactly this network: `.npz`, `.safetensors`, or one vector as `.npy`, `.npz` or `.pkl`.
///
/// # Errors
/// Unreadable file, missing or further layers, shapes that do not match the arch, values that are
/// not finite. The message has the path, what was expected and what was found.
pub fn read_weights(path: &Path, network: &Network) -> Result<Weights, Refusal> {
    read_weights_under(path, network, "")
}

/// As [`read_weights`], for arrays whose names begin with `prefix` (`"init."`, say) in an archive
/// that may hold others.
///
/// # Errors
/// As [`read_weights`].
pub fn read_weights_under(
    path: &Path,
    network: &Network,
    prefix: &str,
) -> Result<Weights, Refusal> {
    let refuse = |refusal: Refusal| refusal.in_file(path);
    let bytes = read_weight_file(path, LARGEST_FILE)?;
    let end = path.extension().and_then(|e| e.to_str()).unwrap_or("").to_ascii_lowercase();
    let arrays = match end.as_str() {
        "npz" => read_npz(&bytes)
            .map_err(refuse)?
            .into_iter()
            .filter_map(|(name, a)| {
                Some((name.strip_prefix(prefix)?.to_string(), a.shape, a.values))
            })
            .filter(|(name, _, _)| prefix.is_empty() || !name.contains('/'))
            .collect(),
        "safetensors" => read_safetensors(&bytes).map_err(refuse)?,
        "npy" => vec![unnamed(
            parse_npy(&bytes)
                .map_err(|(expected, found)| refuse(Refusal::new("", expected, found)))?,
        )],
        "pkl" | "pickle" => match read_pickle(&bytes).map_err(refuse)? {
            Pickled::Array(array) => vec![unnamed(array)],
            Pickled::Text(_) => return Err(refuse(Refusal::new("", "an array", "a text"))),
        },
        other => {
            let found = format!("extension {other:?}");
            let expected = "weights as .npz or .safetensors, or one vector as .npy or .pkl";
            return Err(refuse(Refusal::new("", expected, found)));
        }
    };
    assemble(network, arrays).map_err(refuse)
}

/// The weights of `network` in the bytes of a `.safetensors` file; errors name it `path`.
///
/// # Errors
/// As [`read_weights`].
pub fn from_safetensors(bytes: &[u8], path: &Path, network: &Network) -> Result<Weights, Refusal> {
    let refuse = |refusal: Refusal| refusal.in_file(path);
    assemble(network, read_safetensors(bytes).map_err(refuse)?).map_err(refuse)
}

fn read_weight_file(path: &Path, largest: u64) -> Result<Vec<u8>, Refusal> {
    read_plain(path, largest).map_err(|e| Refusal::unreadable(path, "weights", &e))
}

/// The arch that a file of weights names: `.safetensors` of layered networks do, `.npz` do not.
///
/// # Errors
/// The file cannot be read, or names none.
pub fn read_arch(path: &Path) -> Result<Arch, Refusal> {
    named_arch(&read_weight_file(path, LARGEST_FILE)?, path)
}

/// The arch that the bytes of a file of weights name; an error names the file `path`.
///
/// # Errors
/// They name none.
pub fn named_arch(bytes: &[u8], path: &Path) -> Result<Arch, Refusal> {
    let named = SafeTensors::read_metadata(bytes)
        .ok()
        .and_then(|(_, header)| header.metadata().as_ref()?.get("arch").cloned());
    let refuse = |found: String| {
        let expected = "weights that name their arch (.safetensors of this program)";
        Refusal::new("", expected, found).in_file(path)
    };
    let arch = named.ok_or_else(|| refuse("none".into()))?;
    arch.parse().map_err(|e: Refusal| refuse(e.to_string()))
}

/// Writes weights by extension, `.npz` or `.safetensors`, with the arch in the metadata of the
/// latter.
///
/// # Errors
/// The file cannot be written, or the extension is another.
pub fn write_weights(path: &Path, network: &Network, weights: &Weights) -> Result<(), WriteError> {
    let bytes = match path.extension().and_then(|e| e.to_str()).unwrap_or("") {
        "npz" => to_npz(network, weights),
        "safetensors" => to_safetensors(network, weights),
        other => {
            let problem = format!("expected extension .npz or .safetensors, found {other:?}");
            return Err(WriteError {
                path: path.to_path_buf(),
                source: std::io::Error::new(std::io::ErrorKind::InvalidInput, problem),
            });
        }
    };
    write_atomic(path, &bytes)
}

/// The weights as `.npz` bytes: `Dense_{i}.kernel`, in × out, or `links`.
pub fn to_npz(network: &Network, weights: &Weights) -> Vec<u8> {
    if !network.is_layered() {
        return write_npz(&[("links".into(), vec![weights.0.len()], weights.0.clone())]);
    }
    let arrays: Vec<_> = network
        .blocks
        .iter()
        .enumerate()
        .map(|(i, block)| {
            let (rows, columns) = (block.targets.len(), block.sources.len());
            let w = &weights.0[block.weights()];
            let kernel = (0..rows * columns).map(|k| w[(k % rows) * columns + k / rows]).collect();
            (format!("Dense_{i}.kernel"), vec![columns, rows], kernel)
        })
        .collect();
    write_npz(&arrays)
}

/// The weights as safetensors bytes: `layers.{i}.weight`, out × in, or `links`.
pub fn to_safetensors(network: &Network, weights: &Weights) -> Vec<u8> {
    let bytes: Vec<u8> = weights.0.iter().flat_map(|w| w.to_le_bytes()).collect();
    let view = |shape: Vec<usize>, range: std::ops::Range<usize>| {
        TensorView::new(Dtype::F32, shape, &bytes[4 * range.start..4 * range.end])
            .expect("shape and bytes agree")
    };
    let tensors: Vec<(String, TensorView)> = if network.is_layered() {
        network
            .blocks
            .iter()
            .enumerate()
            .map(|(i, b)| {
                (
                    format!("layers.{i}.weight"),
                    view(vec![b.targets.len(), b.sources.len()], b.weights()),
                )
            })
            .collect()
    } else {
        vec![("links".into(), view(vec![weights.0.len()], 0..weights.0.len()))]
    };
    // One entry only: the crate writes a hash map, and equal weights must give equal bytes.
    let metadata =
        network.arch.as_ref().map(|arch| HashMap::from([("arch".to_string(), arch.to_string())]));
    safetensors::serialize(tensors, metadata).expect("plain float tensors serialise")
}

/// Name, shape, values in C order.
type NamedArray = (String, Vec<usize>, Vec<f64>);

fn read_safetensors(bytes: &[u8]) -> Result<Vec<NamedArray>, Refusal> {
    let file = SafeTensors::deserialize(bytes)
        .map_err(|e| Refusal::new("", "a safetensors file", e.to_string()))?;
    let mut arrays = Vec::new();
    for (name, view) in file.tensors() {
        let values: Vec<f64> = match view.dtype() {
            Dtype::F32 => view
                .data()
                .chunks_exact(4)
                .map(|b| f64::from(f32::from_le_bytes(b.try_into().expect("4 bytes"))))
                .collect(),
            Dtype::F64 => view
                .data()
                .chunks_exact(8)
                .map(|b| f64::from_le_bytes(b.try_into().expect("8 bytes")))
                .collect(),
            other => {
                let at = format!("tensor {name:?}");
                return Err(Refusal::new(at, "F32 or F64", format!("{other:?}")));
            }
        };
        arrays.push((name, view.shape().to_vec(), values));
    }
    Ok(arrays)
}

/// The arch of a folder of FER, `arch.pkl` beside `params.pkl`; `None` if it is no such folder.
///
/// # Errors
/// The pickle holds no arch.
pub fn fer_arch(folder: &Path) -> Result<Option<Arch>, Refusal> {
    let path = folder.join("arch.pkl");
    if !path.is_file() || !folder.join("params.pkl").is_file() {
        return Ok(None);
    }
    let refuse = |refusal: Refusal| refusal.in_file(&path);
    let bytes = read_weight_file(&path, LARGEST_ARCH)?;
    let Pickled::Text(text) = read_pickle(&bytes).map_err(refuse)? else {
        return Err(refuse(Refusal::new("", "an arch", "an array")));
    };
    let arch = text.parse::<Arch>();
    arch.map(Some).map_err(|e| refuse(Refusal::new("", "an arch", e.to_string())))
}

fn unnamed(Array { shape, values }: Array) -> NamedArray {
    (String::new(), shape, values)
}

/// One vector of all weights as kernels, in flax's order: by names as texts, `Dense_10` before `Dense_2`.
fn split(network: &Network, values: &[f64]) -> Vec<NamedArray> {
    let blocks = network.blocks.iter().enumerate();
    let mut blocks: Vec<_> =
        blocks.map(|(i, block)| (format!("Dense_{i}.kernel"), block)).collect();
    blocks.sort_by(|(a, _), (b, _)| a.cmp(b));
    let mut rest = values;
    let kernels = blocks.into_iter().map(|(name, block)| {
        let shape = vec![block.sources.len(), block.targets.len()];
        let (own, others) = rest.split_at(shape[0] * shape[1]);
        rest = others;
        (name, shape, own.to_vec())
    });
    kernels.collect()
}

/// How a file names its arrays, and which axis of theirs comes first.
#[derive(Clone, Copy)]
enum Order {
    /// `Dense_{i}.kernel`, in × out.
    Flax,
    /// `layers.{i}.weight`, out × in.
    PyTorch,
}

impl Order {
    fn of(arrays: &[NamedArray]) -> Self {
        let is_flax = |name: &str| name.is_empty() || name.starts_with("Dense_");
        match arrays.iter().any(|(name, ..)| is_flax(name)) {
            true => Order::Flax,
            false => Order::PyTorch,
        }
    }

    fn name(self, layer: usize) -> String {
        match self {
            Order::Flax => format!("Dense_{layer}.kernel"),
            Order::PyTorch => format!("layers.{layer}.weight"),
        }
    }

    fn shape(self, inputs: usize, outputs: usize) -> Vec<usize> {
        match self {
            Order::Flax => vec![inputs, outputs],
            Order::PyTorch => vec![outputs, inputs],
        }
    }
}

/// Puts named arrays into the network's flat order.
fn assemble(network: &Network, mut arrays: Vec<NamedArray>) -> Result<Weights, Refusal> {
    let arch = network.arch.as_ref().map_or("the graph".to_string(), |a| format!("arch {a}"));
    let count = network.weight_count();
    match &arrays[..] {
        [(_, shape, values)] if network.is_layered() && *shape == [count] => {
            arrays = split(network, values);
        }
        [(name, shape, _)] if name.is_empty() && *shape != [count] => {
            let expected = format!("{count} weights for {arch}");
            return Err(Refusal::new("", expected, format!("shape {shape:?}")));
        }
        _ => {}
    }
    let order = Order::of(&arrays);
    let mut weights = Weights(vec![0.0; count]);
    let blocks = network.blocks.iter().enumerate();
    let mut wanted: Vec<(String, Vec<usize>)> = blocks
        .map(|(i, b)| (order.name(i), order.shape(b.sources.len(), b.targets.len())))
        .collect();
    if !network.is_layered() {
        wanted.push(("links".into(), vec![count]));
    }
    let names: Vec<&str> = wanted.iter().map(|(name, _)| name.as_str()).collect();
    if let Some((name, ..)) = arrays.iter().find(|(name, ..)| !names.contains(&name.as_str())) {
        let expected = format!("{} for {arch}", names.join(", "));
        let refusal = Refusal::new("", expected, format!("array {name:?}"));
        return Err(match name.ends_with("bias") {
            true => refusal.advising("there are no biases: the fourth input is 1"),
            false => refusal,
        });
    }
    for (i, (name, shape)) in wanted.iter().enumerate() {
        let (_, found, values) = arrays
            .iter()
            .find(|(n, _, _)| n == name)
            .ok_or_else(|| Refusal::new("", format!("array {name:?} for {arch}"), "none"))?;
        let at = format!("array {name:?}");
        if found != shape {
            let expected = format!("shape {shape:?} for {arch}");
            let refusal = Refusal::new(at, expected, format!("{found:?}"));
            return Err(match found.iter().eq(shape.iter().rev()) {
                true => refusal.advising("it is transposed"),
                false => refusal,
            });
        }
        if let Some(bad) = values.iter().find(|&&v| !(v as f32).is_finite()) {
            return Err(Refusal::new(at, "finite numbers (of 32 bits)", bad.to_string()));
        }
        let own = match network.is_layered() {
            true => &mut weights.0[network.blocks[i].weights()],
            false => &mut weights.0[..],
        };
        let rows = network.blocks.get(i).map_or(1, |block| block.targets.len());
        let columns = own.len() / rows.max(1);
        for (k, weight) in own.iter_mut().enumerate() {
            let at = match (order, network.is_layered()) {
                (Order::Flax, true) => (k % columns) * rows + k / columns,
                _ => k,
            };
            *weight = values[at] as f32;
        }
    }
    Ok(weights)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::network::Arch;

    #[test]
    fn both_formats_round_trip_and_transpose() {
        let network = "2;cos:1,sin:2".parse::<Arch>().unwrap().network();
        let weights = Weights((0..network.weight_count()).map(|i| i as f32 * 0.5 - 3.0).collect());
        let folder = tempfile::tempdir().unwrap();
        for name in ["w.npz", "w.safetensors"] {
            let path = folder.path().join(name);
            write_weights(&path, &network, &weights).unwrap();
            assert_eq!(read_weights(&path, &network).unwrap(), weights);
            let other = "2;cos:2,sin:2".parse::<Arch>().unwrap().network();
            let refusal = read_weights(&path, &other).unwrap_err();
            let expected = "shape [4, 4] for arch 2;cos:2,sin:2";
            let found = if name == "w.npz" { "[4, 3]" } else { "[3, 4]" };
            assert_eq!((refusal.expected.as_str(), refusal.found.as_str()), (expected, found));
        }
        let text = |arrays: Vec<NamedArray>| assemble(&network, arrays).unwrap_err().to_string();
        let zeros =
            |name: &str, shape: [usize; 2]| (name.to_string(), shape.to_vec(), vec![0.0; 12]);
        let transposed = text(vec![zeros("layers.0.weight", [4, 3])]);
        assert!(transposed.contains("\"layers.0.weight\": expected shape [3, 4]"), "{transposed}");
        assert!(transposed.contains("transposed"), "{transposed}");
        let biased = text(vec![zeros("layers.0.weight", [3, 4]), zeros("layers.0.bias", [3, 1])]);
        assert!(biased.contains("no biases"), "{biased}");
        let arrays = read_npz(&to_npz(&network, &weights)).unwrap();
        // Row-major out × in: weight (out 0, in 1) is number 1; in the kernel it is at [1, 0].
        assert_eq!(arrays["Dense_0.kernel"].values[3], -2.5);
    }
}
