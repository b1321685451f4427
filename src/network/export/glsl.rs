//! Network → a fragment shader: one line a unit, one term a non-zero link.

use super::seen::seen;
use crate::math::Activation;
use crate::network::{Coords, Model};
use std::fmt::Write;

/// The shader of `model`. `vec3 picture(vec2 xy)` in it is the whole network and can be taken elsewhere.
pub fn glsl(model: &Model, coords: Coords) -> String {
    let network = &model.network;
    let seen = seen(model);
    let (scale, place) = match coords {
        Coords::Fer => ("1.4", "2.0 * pixel / (size - 1.0) - 1.0"),
        Coords::Picbreeder => ("1.4142135623730951", "(2.0 * pixel - (size - 1.0)) / size"),
    };
    let inputs = ["xy.x", "xy.y", &format!("{scale} * length(xy)"), "1.0"];
    let mut units = String::new();
    for (u, unit) in network.units.iter().enumerate().filter(|(u, _)| *u < 4 || seen[*u]) {
        let terms: Vec<String> = unit
            .links
            .clone()
            .filter(|&link| model.weights.0[link] != 0.0)
            // Debug writes a float so that it reads back to the same bits, and always as a float.
            .map(|link| format!("{:?} * u{}", model.weights.0[link], network.links[link].source))
            .collect();
        let sum = match inputs.get(u) {
            Some(input) => input.to_string(),
            None if terms.is_empty() => "0.0".into(),
            None => terms.join(" + "),
        };
        let value = match unit.activation {
            Activation::Cache | Activation::Identity => sum,
            Activation::Relu => format!("max({sum}, 0.0)"),
            // The names of GLSL's own functions, and of those below.
            Activation::Cos
            | Activation::Gaussian
            | Activation::Sigmoid
            | Activation::Sin
            | Activation::Tanh => format!("{}({sum})", unit.activation),
        };
        writeln!(units, "  float u{u} = {value};").expect("strings take text");
    }
    let [h, s, v] = network.outputs.map(|o| o.map_or("0.0".into(), |unit| format!("u{unit}")));
    format!(
        "#version 300 es
// A picture-drawing network of {links} non-zero weights, written by picloom {version}.
precision highp float;
uniform vec2 size; // of the picture, in pixels
out vec4 colour;

float gaussian(float z) {{ return 2.0 * exp(-z * z) - 1.0; }}
float sigmoid(float z) {{ return tanh(0.5 * z); }}

// Hue, saturation, brightness to red, green, blue.
vec3 rgb(float h, float s, float v) {{
  vec3 tooth = abs(mod(6.0 * fract(h) - vec3(0.0, 2.0, 4.0) + 3.0, 6.0) - 3.0) - 1.0;
  return clamp(abs(v), 0.0, 1.0) * (1.0 - clamp(s, 0.0, 1.0) * clamp(tooth, 0.0, 1.0));
}}

// xy: from -1 (left, top) to 1 (right, bottom).
vec3 picture(vec2 xy) {{
{units}  return rgb({h}, {s}, {v});
}}

void main() {{
  vec2 pixel = vec2(gl_FragCoord.x, size.y - gl_FragCoord.y) - 0.5;
  colour = vec4(picture({place}), 1.0);
}}
",
        links = model.non_zero(),
        version = env!("CARGO_PKG_VERSION"),
    )
}
