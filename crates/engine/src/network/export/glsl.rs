//! Network → fragment shaders: one line per unit, one term per link. The only writer of GLSL: the exported
//! file has the weights as numbers, the studio's page has them in a block that its sliders write to.

use super::seen::seen;
use crate::genome::{Input, Palette};
use crate::math::Activation;
use crate::network::{Coords, Model};
use std::fmt::Write;

/// Most links of a [`live_glsl`] shader: more are over what every driver takes in a block, and over what
/// compiles in a reasonable time.
const MOST_LINKS: usize = 4096;

/// A tangent that every driver has.
const FUNCTIONS: &str = "
// Some drivers' tanh overflows.
float squash(float z) { return tanh(clamp(z, -20.0, 20.0)); }
";

/// The pure colour of a hue, less white: what saturation takes away.
fn lack(palette: Palette) -> String {
    let circle = palette.colours();
    if circle.is_empty() {
        return "  vec3 tooth = abs(mod(6.0 * fract(h) - vec3(0.0, 2.0, 4.0) + 3.0, 6.0) - 3.0) - 1.0;\n  \
                vec3 lack = clamp(tooth, 0.0, 1.0);\n"
            .into();
    }
    let colours = circle.iter().map(|[r, g, b]| format!("vec3({r}.0, {g}.0, {b}.0) / 255.0"));
    let (n, colours) = (circle.len(), colours.collect::<Vec<_>>().join(", "));
    format!(
        "  vec3 circle[{n}] = vec3[{n}]({colours});
  float place = {n}.0 * fract(h);
  int first = min(int(place), {last});
  vec3 lack = 1.0 - mix(circle[first], circle[(first + 1) % {n}], fract(place));
",
        last = n - 1
    )
}

/// The common beginning of our shaders: colours, and a function for each activation of the table.
fn functions(palette: Palette) -> String {
    let curved = Activation::ALL.iter().filter(|activation| !activation.is_linear());
    let lines = curved.map(|a| format!("float f_{a}(float z) {{ return {}; }}\n", a.glsl()));
    let colours = format!(
        "
// Hue, saturation, brightness to red, green, blue.
vec3 rgb(float h, float s, float v) {{
{}  return clamp(abs(v), 0.0, 1.0) * (1.0 - clamp(s, 0.0, 1.0) * lack);
}}
",
        lack(palette)
    );
    FUNCTIONS.to_string() + &colours + &lines.collect::<String>()
}

/// The value of an activation at the sum `z`.
fn activated(activation: Activation, z: &str) -> String {
    if activation.is_linear() { z.into() } else { format!("f_{activation}({z})") }
}

/// The lines that compute units from `vec2 xy`, each followed by what `after` adds. `term` writes the
/// product of a link, or nothing where the link is left out; `is_needed` says which units are computed.
fn units(
    model: &Model,
    coords: Coords,
    is_needed: &dyn Fn(usize) -> bool,
    term: &dyn Fn(usize) -> Option<String>,
    after: &dyn Fn(usize) -> String,
) -> String {
    let distance = match coords {
        Coords::Fer => "1.4 * length(xy)",
        Coords::Picbreeder => "1.4142135623730951 * length(xy)",
    };
    let variables = ["xy.x", "xy.y", distance];
    // Debug writes a float always as a float.
    let call = |name: &str, k: Option<f64>, v: usize| match (name, k) {
        ("square", _) => format!("{0} * {0}", variables[v]),
        (_, Some(k)) => format!("{name}({:?} * {})", k as f32, variables[v]),
        (_, None) => format!("{name}({})", variables[v]),
    };
    let product = |v: usize, w: usize| format!("{} * {}", variables[v], variables[w]);
    let written = |input: &Input| match input {
        Input::X => variables[0].into(),
        Input::Y => variables[1].into(),
        Input::D => distance.into(),
        Input::Bias => "1.0".into(),
        Input::Of(function) => function.written(call, product),
        factor => factor.to_string(),
    };
    let inputs: Vec<String> = model.network.inputs.iter().map(written).collect();
    let mut lines = String::new();
    let units = model.network.units.iter().enumerate();
    for (u, unit) in units.filter(|(u, _)| *u < inputs.len() || is_needed(*u)) {
        let value = match inputs.get(u) {
            Some(input) => activated(unit.activation, input),
            None => {
                let terms: Vec<String> = unit.links.clone().filter_map(term).collect();
                let sum = if terms.is_empty() { "0.0".into() } else { terms.join(" + ") };
                activated(unit.activation, &sum)
            }
        };
        let _ = writeln!(lines, "  float u{u} = {value};{}", after(u));
    }
    lines
}

/// The uniforms of the factors, 0 unless they are set.
fn factors(model: &Model) -> String {
    let factors = model.network.inputs.iter().filter(|input| input.is_factor());
    factors.map(|z| format!("uniform float {z}; // -1 to 1\n")).collect()
}

/// The three arguments of `rgb`.
fn outputs(model: &Model) -> String {
    model.network.outputs.map(|o| o.map_or("0.0".into(), |unit| format!("u{unit}"))).join(", ")
}

/// The shader of `model` as a file, in `palette`. `vec3 picture(vec2 xy)` in it is the whole network and can be taken elsewhere.
pub(super) fn glsl(model: &Model, coords: Coords, palette: Palette) -> String {
    let seen = seen(model);
    let place = match coords {
        Coords::Fer => "2.0 * pixel / (size - 1.0) - 1.0",
        Coords::Picbreeder => "(2.0 * pixel - (size - 1.0)) / size",
    };
    // Debug writes a float so that it reads back to the same bits, and always as a float.
    let term = |link: usize| {
        let weight = model.weights.0[link];
        let source = model.network.links[link].source;
        (weight != 0.0).then(|| format!("{weight:?} * u{source}"))
    };
    let units = units(model, coords, &|u| seen[u], &term, &|_| String::new());
    format!(
        "#version 300 es
// A picture-drawing network of {links} non-zero weights, written by picloom {version}.
precision highp float;
uniform vec2 size; // of the picture, in pixels
{factors}out vec4 colour;
{functions}
// xy: from -1 (left, top) to 1 (right, bottom).
vec3 picture(vec2 xy) {{
{units}  return rgb({outputs});
}}

void main() {{
  vec2 pixel = vec2(gl_FragCoord.x, size.y - gl_FragCoord.y) - 0.5;
  colour = vec4(picture({place}), 1.0);
}}
",
        outputs = outputs(model),
        factors = factors(model),
        functions = functions(palette),
        links = model.non_zero(),
        version = env!("CARGO_PKG_VERSION"),
    )
}

/// The shader of `model` for a page: it draws any part of the plane, into any square of a canvas, the picture
/// or the map of any unit. All weights stand in the uniform block `Weights`, four to a `vec4`, in the order
/// of the links, so that moving one writes one float. The picture is in `palette`. `None` for more than `MOST_LINKS` (4096) links.
pub fn live_glsl(model: &Model, coords: Coords, palette: Palette) -> Option<String> {
    let links = &model.network.links;
    if links.len() > MOST_LINKS {
        return None;
    }
    let place = match coords {
        Coords::Fer => "(pixel - 0.5) / max(place.z - 1.0, 1.0)",
        Coords::Picbreeder => "pixel / place.z",
    };
    let lane = ["x", "y", "z", "w"];
    let term = |i: usize| Some(format!("w[{}].{} * u{}", i / 4, lane[i % 4], links[i].source));
    let show = |u: usize| format!(" if (unit == {u}) {{ colour = map(u{u}); return; }}");
    Some(format!(
        "#version 300 es
precision highp float;
precision highp int;
uniform vec4 frame;  // x and y of the first pixel, width and height of what is drawn
uniform vec3 place;  // corner of the square on the canvas, its side in pixels
uniform int unit;    // whose map to draw; -1: the picture
{factors}layout(std140) uniform Weights {{ vec4 w[{vectors}]; }};
out vec4 colour;
{functions}
// Red -1, white 0, blue +1.
vec4 map(float a) {{
  vec3 end = a < 0.0 ? vec3(202.0, 44.0, 31.0) : vec3(21.0, 92.0, 178.0);
  return vec4(mix(vec3(1.0), end / 255.0, min(abs(a), 1.0)), 1.0);
}}

void main() {{
  vec2 pixel = vec2(gl_FragCoord.x - place.x, place.y + place.z - gl_FragCoord.y);
  vec2 xy = frame.xy + frame.zw * ({place});
{units}  colour = vec4(rgb({outputs}), 1.0);
}}
",
        factors = factors(model),
        vectors = links.len().div_ceil(4).max(1),
        units = units(model, coords, &|_| true, &term, &show),
        outputs = outputs(model),
        functions = functions(palette),
    ))
}
