//! Networks for other programs: ONNX, GLSL, Graphviz, besides the two formats of weights.
//!
//! In: a [`Model`]. Out: bytes of a file. Each draws by the formulas of METHODS §1, in f32; the weights
//! are exact. `crates/python/tests/interop.py` draws them with those programs and compares.

mod dot;
mod glsl;
mod onnx;
mod seen;

pub use glsl::live_glsl;

use crate::base::names::names;
use crate::genome::Palette;
use crate::network::weight_files::{to_npz, to_safetensors};
use crate::network::{Coords, Model};
use serde::{Deserialize, Serialize};

/// A format that networks are exported to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Format {
    /// The weights alone, in PyTorch's order.
    Safetensors,
    /// The weights alone, in flax's order.
    Npz,
    /// The whole function: `xy`, (P, 2) in [-1, 1], to `rgb`, (P, 3) in [0, 1].
    Onnx,
    /// A fragment shader of WebGL 2 (GLSL ES 3.00), with its size in pixels as `uniform vec2 size`.
    Glsl,
    /// The units and links that draw, as a Graphviz digraph.
    Dot,
}

names! { Format, "format": Safetensors "safetensors", Npz "npz", Onnx "onnx", Glsl "glsl", Dot "dot" }

/// The file of `model` in a format. `coords` decides how `d` follows from x and y (ONNX, GLSL) and where
/// pixels lie (GLSL). A shader draws in `palette`; weights, ONNX and Graphviz know none.
pub fn export(model: &Model, coords: Coords, palette: Palette, format: Format) -> Vec<u8> {
    match format {
        Format::Safetensors => to_safetensors(&model.network, &model.weights),
        Format::Npz => to_npz(&model.network, &model.weights),
        Format::Onnx => onnx::onnx(model, coords),
        Format::Glsl => glsl::glsl(model, coords, palette).into_bytes(),
        Format::Dot => dot::dot(model).into_bytes(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::genome::from_json;
    use crate::network::Wiring;

    #[test]
    fn only_what_an_output_sees_is_written() {
        let genome = from_json(include_str!("../../../../../genomes/bred_moth.json")).unwrap();
        let mut model = Model::of_genome(&genome, Wiring::Layerized);
        let text = |model: &Model, format| {
            String::from_utf8(export(model, Coords::Fer, Palette::Free, format)).unwrap()
        };
        let links = |text: &str| text.matches(" -> ").count();
        let before = links(&text(&model, Format::Dot));
        assert!(before > 0 && before <= model.non_zero());
        // Without a link, what only it was seen by is gone too.
        let head = model.network.blocks.last().unwrap().weights();
        let last = head.clone().find(|&link| model.weights.0[link] != 0.0).unwrap();
        model.weights.0[last] = 0.0;
        assert!(links(&text(&model, Format::Dot)) < before);
        for link in head {
            model.weights.0[link] = 0.0;
        }
        assert_eq!(links(&text(&model, Format::Dot)), 0);
        // Nothing is left to compute but the three sums, which are 0.
        assert_eq!(text(&model, Format::Glsl).matches("= 0.0;").count(), 3);
        // A slider may give any link a weight: the page's shader has them all, and every unit's map.
        let live = live_glsl(&model, Coords::Fer, Palette::Free).unwrap();
        assert_eq!(live.matches("].").count(), model.network.links.len());
        assert_eq!(live.matches("colour = map(").count(), model.network.units.len());
        let large: crate::network::Arch = "12;cache:15,gaussian:7".parse().unwrap();
        let weights = crate::network::Weights(vec![1.0; large.dense_params()]);
        let large = Model::new(large.network(), weights);
        assert_eq!(live_glsl(&large, Coords::Fer, Palette::Free), None);
    }
}
