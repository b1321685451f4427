//! Network → ONNX, opset 17: `xy` (P, 2) to `rgb` (P, 3), P free; of a conditional network also `z` (P, factors).
//!
//! The file is a protocol buffer, written by hand: of its schema (onnx.proto) a dozen fields are needed.

use super::seen::seen;
use crate::genome::{Function, Input};
use crate::math::activation::{Activation, OnnxStep};
use crate::network::{Coords, DenseBlock, Model, Network};

/// The ONNX file of `model`.
pub(super) fn onnx(model: &Model, coords: Coords) -> Vec<u8> {
    let mut graph = Graph::default();
    let inputs = graph.inputs(coords, &model.network);
    let [h, s, v] = match model.network.is_layered() {
        true => layers(&mut graph, model, &inputs),
        false => units(&mut graph, model, &inputs),
    };
    graph.colours(h, s, v);
    graph.file(model)
}

/// Hue, saturation and brightness of a layered network: a product a layer.
fn layers(graph: &mut Graph, model: &Model, inputs: &[String]) -> [String; 3] {
    let network = &model.network;
    let mut a = graph.node("Concat", inputs, &[("axis", 1)]);
    for (i, block) in network.blocks.iter().enumerate() {
        let DenseBlock { sources, targets, .. } = block;
        let shape = [targets.len(), sources.len()];
        let weight =
            graph.floats(&format!("layers.{i}.weight"), &shape, &model.weights.0[block.weights()]);
        let z = graph.node("Gemm", &[a, weight], &[("transB", 1)]);
        let runs = runs(network, targets.clone());
        a = match runs.as_slice() {
            [(activation, _)] => graph.activate(*activation, z),
            _ => {
                let counts: Vec<i64> = runs.iter().map(|(_, count)| *count as i64).collect();
                let parts = graph.split(z, &counts);
                let active: Vec<String> = runs
                    .iter()
                    .zip(parts)
                    .map(|((activation, _), part)| graph.activate(*activation, part))
                    .collect();
                graph.node("Concat", &active, &[("axis", 1)])
            }
        };
    }
    // The head is linear: its columns are the outputs, in order.
    let columns = graph.split(a, &[1, 1, 1]);
    let first = network.blocks.last().expect("a layered network has a head").targets.start;
    network.outputs.map(|o| match o {
        Some(unit) => columns[unit - first].clone(),
        None => graph.zero(),
    })
}

/// Runs of equal activations among units.
fn runs(network: &Network, units: std::ops::Range<usize>) -> Vec<(Activation, usize)> {
    let mut runs: Vec<(Activation, usize)> = Vec::new();
    for unit in &network.units[units] {
        match runs.last_mut() {
            Some((activation, count)) if *activation == unit.activation => *count += 1,
            _ => runs.push((unit.activation, 1)),
        }
    }
    runs
}

/// Hue, saturation and brightness of a graph: a product a unit.
fn units(graph: &mut Graph, model: &Model, inputs: &[String]) -> [String; 3] {
    let network = &model.network;
    let seen = seen(model);
    let activated = inputs.iter().zip(&network.units);
    let mut values: Vec<String> =
        activated.map(|(input, unit)| graph.activate(unit.activation, input.clone())).collect();
    for (u, unit) in network.units.iter().enumerate().skip(inputs.len()) {
        let links: Vec<usize> =
            unit.links.clone().filter(|&link| model.weights.0[link] != 0.0).collect();
        let z = if links.is_empty() || !seen[u] {
            graph.zero()
        } else {
            let sources: Vec<String> =
                links.iter().map(|&link| values[network.links[link].source].clone()).collect();
            let weights: Vec<f32> = links.iter().map(|&link| model.weights.0[link]).collect();
            let all = graph.node("Concat", &sources, &[("axis", 1)]);
            let weights = graph.floats(&format!("units.{u}.weight"), &[weights.len(), 1], &weights);
            graph.node("MatMul", &[all, weights], &[])
        };
        values.push(graph.activate(unit.activation, z));
    }
    network.outputs.map(|o| match o {
        Some(unit) => values[unit].clone(),
        None => graph.zero(),
    })
}

/// The graph as it is written: nodes and tensors of constants, in order.
#[derive(Default)]
struct Graph {
    nodes: Message,
    tensors: Message,
    /// The bias, (P, 1) of ones.
    bias: String,
    named: usize,
}

impl Graph {
    /// The inputs, (P, 1) each.
    fn inputs(&mut self, coords: Coords, network: &Network) -> Vec<String> {
        let scale = match coords {
            Coords::Fer => 1.4,
            Coords::Picbreeder => std::f32::consts::SQRT_2,
        };
        let parts = self.split("xy".into(), &[1, 1]);
        let [x, y] = [parts[0].clone(), parts[1].clone()];
        let xx = self.node("Mul", &[x.clone(), x.clone()], &[]);
        let yy = self.node("Mul", &[y.clone(), y.clone()], &[]);
        let square = self.node("Add", &[xx, yy], &[]);
        let root = self.node("Sqrt", &[square], &[]);
        let d = self.with("Mul", root.clone(), scale);
        let nothing = self.with("Mul", root, 0.0);
        self.bias = self.with("Add", nothing, 1.0);
        let mut known = vec![x, y, d, self.bias.clone()];
        if network.factors() > 0 {
            known.extend(self.split("z".into(), &vec![1; network.factors()]));
        }
        let inputs = network.inputs.iter().map(|input| match (input, input.place()) {
            (_, Some(place)) => known[place].clone(),
            (Input::Of(function), _) => self.function(*function, &known),
            _ => unreachable!("every other input has a place"),
        });
        inputs.collect()
    }

    /// A function of the variables x, y and d.
    fn function(&mut self, function: Function, variables: &[String]) -> String {
        let product = |v: usize, w: usize| ("Mul", None, vec![v, w]);
        let call = |name, k, v| match name {
            "abs" => ("Abs", k, vec![v]),
            "sin" => ("Sin", k, vec![v]),
            "cos" => ("Cos", k, vec![v]),
            _ => ("Mul", k, vec![v, v]),
        };
        let (operator, k, of) = function.written(call, product);
        let mut of: Vec<String> = of.into_iter().map(|v| variables[v].clone()).collect();
        if let Some(k) = k {
            of = vec![self.with("Mul", of[0].clone(), k as f32)];
        }
        self.node(operator, &of, &[])
    }

    /// (P, 1) of zeros.
    fn zero(&mut self) -> String {
        self.with("Mul", self.bias.clone(), 0.0)
    }

    fn activate(&mut self, activation: Activation, z: String) -> String {
        activation.onnx().iter().fold(z, |value, step| match *step {
            OnnxStep::Op(operator) => self.node(operator, &[value], &[]),
            OnnxStep::By(operator, constant) => self.with(operator, value, constant),
            OnnxStep::Squared => self.node("Mul", &[value.clone(), value], &[]),
        })
    }

    /// The output: hue, saturation, brightness to red, green, blue, as `math::color` has it.
    fn colours(&mut self, h: String, s: String, v: String) {
        let whole = self.node("Floor", std::slice::from_ref(&h), &[]);
        let hue = self.node("Sub", &[h, whole], &[]);
        let sixths = self.with("Mul", hue, 6.0);
        // 6h - c + 3, wrapped into [0, 6).
        let shifts = self.floats("shifts", &[1, 3], &[3.0, 1.0, -1.0]);
        let shifted = self.node("Add", &[sixths, shifts], &[]);
        let turns = self.with("Div", shifted.clone(), 6.0);
        let turns = self.node("Floor", &[turns], &[]);
        let turns = self.with("Mul", turns, 6.0);
        let wrapped = self.node("Sub", &[shifted, turns], &[]);
        let distance = self.with("Sub", wrapped, 3.0);
        let distance = self.node("Abs", &[distance], &[]);
        let tooth = self.with("Sub", distance, 1.0);
        let tooth = self.clip(tooth);
        let saturation = self.clip(s);
        let absolute = self.node("Abs", &[v], &[]);
        let value = self.clip(absolute);
        let taken = self.node("Mul", &[saturation, tooth], &[]);
        let one = self.floats("one", &[], &[1.0]);
        let left = self.node("Sub", &[one, taken], &[]);
        self.write_node("Mul", &[value, left], &["rgb".into()], &[]);
    }

    /// `value` between 0 and 1.
    fn clip(&mut self, value: String) -> String {
        let name = self.name();
        let low = self.floats(&format!("{name}.low"), &[], &[0.0]);
        let high = self.floats(&format!("{name}.high"), &[], &[1.0]);
        self.node("Clip", &[value, low, high], &[])
    }

    /// An operator of two operands whose second is a number.
    fn with(&mut self, operator: &str, value: String, number: f32) -> String {
        let name = self.name();
        let number = self.floats(&name, &[], &[number]);
        self.node(operator, &[value, number], &[])
    }

    /// The columns of `value` in parts of these widths.
    fn split(&mut self, value: String, widths: &[i64]) -> Vec<String> {
        let sizes = self.name();
        let bytes: Vec<u8> = widths.iter().flat_map(|w| w.to_le_bytes()).collect();
        self.tensor(&sizes, INT64, &[widths.len()], &bytes);
        let outputs: Vec<String> = widths.iter().map(|_| self.name()).collect();
        self.write_node("Split", &[value, sizes], &outputs, &[("axis", 1)]);
        outputs
    }

    /// A node with one output, whose name it returns.
    fn node(&mut self, operator: &str, inputs: &[String], attributes: &[(&str, i64)]) -> String {
        let output = self.name();
        self.write_node(operator, inputs, std::slice::from_ref(&output), attributes);
        output
    }

    fn write_node(
        &mut self,
        operator: &str,
        inputs: &[String],
        outputs: &[String],
        attributes: &[(&str, i64)],
    ) {
        let mut node = Message::default();
        inputs.iter().for_each(|name| node.text(1, name));
        outputs.iter().for_each(|name| node.text(2, name));
        node.text(4, operator);
        for (name, value) in attributes {
            let mut attribute = Message::default();
            attribute.text(1, name);
            attribute.number(3, *value as u64);
            attribute.number(20, ATTRIBUTE_INT);
            node.message(5, attribute);
        }
        self.nodes.message(1, node);
    }

    /// A constant of floats, row-major; of no shape it is a scalar. Returns its name.
    fn floats(&mut self, name: &str, shape: &[usize], values: &[f32]) -> String {
        let bytes: Vec<u8> = values.iter().flat_map(|v| v.to_le_bytes()).collect();
        self.tensor(name, FLOAT, shape, &bytes);
        name.to_string()
    }

    fn tensor(&mut self, name: &str, kind: u64, shape: &[usize], bytes: &[u8]) {
        let mut tensor = Message::default();
        shape.iter().for_each(|&length| tensor.number(1, length as u64));
        tensor.number(2, kind);
        tensor.text(8, name);
        tensor.bytes(9, bytes);
        self.tensors.message(5, tensor);
    }

    fn name(&mut self) -> String {
        self.named += 1;
        format!("t{}", self.named)
    }

    /// The whole file.
    fn file(self, model: &Model) -> Vec<u8> {
        let mut graph = self.nodes;
        graph.text(2, "picture");
        graph.0.extend(self.tensors.0);
        graph.message(11, value("xy", 2));
        if model.network.factors() > 0 {
            graph.message(11, value("z", model.network.factors() as u64));
        }
        graph.message(12, value("rgb", 3));
        let mut opset = Message::default();
        opset.text(1, "");
        opset.number(2, 17);
        let mut file = Message::default();
        file.number(1, 8); // the IR version of ONNX 1.10 to 1.13
        file.text(2, "picloom");
        file.text(3, env!("CARGO_PKG_VERSION"));
        file.message(7, graph);
        file.message(8, opset);
        if let Some(arch) = &model.network.arch {
            let mut entry = Message::default();
            entry.text(1, "arch");
            entry.text(2, &arch.to_string());
            file.message(14, entry);
        }
        file.0
    }
}

/// An input or output of (P, `columns`) floats.
fn value(name: &str, columns: u64) -> Message {
    let (mut free, mut fixed) = (Message::default(), Message::default());
    free.text(2, "P");
    fixed.number(1, columns);
    let [mut shape, mut tensor, mut kind, mut value] = [(); 4].map(|()| Message::default());
    shape.message(1, free);
    shape.message(1, fixed);
    tensor.number(1, FLOAT);
    tensor.message(2, shape);
    kind.message(1, tensor);
    value.text(1, name);
    value.message(2, kind);
    value
}

/// `TensorProto.FLOAT` and `TensorProto.INT64`.
const FLOAT: u64 = 1;
const INT64: u64 = 7;
/// `AttributeProto.INT`.
const ATTRIBUTE_INT: u64 = 2;

/// A message of a protocol buffer: fields, each a number and a value.
#[derive(Default)]
struct Message(Vec<u8>);

impl Message {
    fn varint(&mut self, mut value: u64) {
        while value >= 0x80 {
            self.0.push(value as u8 | 0x80);
            value >>= 7;
        }
        self.0.push(value as u8);
    }

    /// A whole number.
    fn number(&mut self, field: u64, value: u64) {
        self.varint(field << 3);
        self.varint(value);
    }

    /// Bytes with their length.
    fn bytes(&mut self, field: u64, value: &[u8]) {
        self.varint(field << 3 | 2);
        self.varint(value.len() as u64);
        self.0.extend_from_slice(value);
    }

    fn text(&mut self, field: u64, value: &str) {
        self.bytes(field, value.as_bytes());
    }

    fn message(&mut self, field: u64, value: Message) {
        self.bytes(field, &value.0);
    }
}
