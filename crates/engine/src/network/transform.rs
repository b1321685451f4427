//! Networks that draw the same picture and are organised otherwise, and two controls that draw another.
//!
//! A measure of organisation must not see the first four below (G1 of METHODS §7), and must fall along `mix`, `split` and
//! `mix-parts` (G2). All work on layered networks; where a layer grows, every hidden layer gets the same units, those in other
//! layers without weights.
//!
//! | text | what is done | picture |
//! |---|---|---|
//! | `permute` | units of one activation change places within their layer | the same |
//! | `duplicate:K` | every living relay becomes K, each with 1/K of the outgoing weights | the same |
//! | `insert:N` | N layers that only relay are put in, at random places | the same |
//! | `rescale` | a linear unit's inputs are multiplied by s, its outputs by 1/s, s in [½, 2] | the same |
//! | `mix:DEG` | living relays of a layer are rotated into each other, R = exp(t A), A skew and random of norm 1 | the same |
//! | `split:R` | every living non-linear unit becomes two with outgoing weights w/2 ± R, also where w is 0 | the same |
//! | `mix-parts:DEG` | relays of different parts are rotated into each other in pairs | the same |
//! | `shuffle` | the links stay, the weights of each layer change places among them | another |
//! | `redraw` | the links stay, their weights are drawn as before training: normal, variance 1/inputs | another |
//!
//! A rotation of two relays by 90° only exchanges them, so `mix` entangles two the most at 45°. `[ours]`

use super::{Arch, Layered, Mask, Model, Network, Weights};
use crate::base::refusal::Refusal;
use crate::base::settings::text_in_files;
use crate::base::{SimRng, real};
use crate::genome::Genome;
use crate::math::Activation;
use nalgebra::DMatrix;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;
use std::str::FromStr;

/// A change of a layered network. In files and on the command line a text, see the [module](self).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum Transform {
    /// Units of one activation change places within their layer.
    Permute,
    /// Every living relay becomes so many, 2 to 8.
    Duplicate(usize),
    /// So many layers that only relay are put in, 1 to 8.
    Insert(usize),
    /// Linear units are scaled, their outgoing weights by the reverse.
    Rescale,
    /// Living relays of a layer are rotated into each other by at most so many degrees, in [0, 90].
    Mix(f64),
    /// Every living non-linear unit becomes two with outgoing weights w/2 ± this, in [0, 2].
    Split(f64),
    /// Relays of different parts are rotated into each other in pairs, by so many degrees, in [0, 90].
    MixParts(f64),
    /// Weights of a layer change places among its links.
    Shuffle,
    /// Weights are drawn again.
    Redraw,
}

impl FromStr for Transform {
    type Err = Refusal;

    fn from_str(text: &str) -> Result<Self, Refusal> {
        let fail = || Refusal::new("", Transform::CHOICES, format!("{text:?}"));
        let (name, value) = text.split_once(':').map_or((text, None), |(n, v)| (n, Some(v)));
        let count = || value.and_then(|v| v.parse().ok()).filter(|n| (1..=8).contains(n));
        let number = |most: f64| {
            let number = value.and_then(|v| v.parse::<f64>().ok());
            number.filter(|n| (0.0..=most).contains(n)).ok_or_else(fail)
        };
        match (name, value) {
            ("permute", None) => Ok(Transform::Permute),
            ("rescale", None) => Ok(Transform::Rescale),
            ("shuffle", None) => Ok(Transform::Shuffle),
            ("redraw", None) => Ok(Transform::Redraw),
            ("duplicate", _) => {
                count().filter(|n| *n > 1).map(Transform::Duplicate).ok_or_else(fail)
            }
            ("insert", _) => count().map(Transform::Insert).ok_or_else(fail),
            ("mix", _) => number(90.0).map(Transform::Mix),
            ("mix-parts", _) => number(90.0).map(Transform::MixParts),
            ("split", _) => number(2.0).map(Transform::Split),
            _ => Err(fail()),
        }
    }
}

impl fmt::Display for Transform {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Transform::Permute => f.write_str("permute"),
            Transform::Duplicate(n) => write!(f, "duplicate:{n}"),
            Transform::Insert(n) => write!(f, "insert:{n}"),
            Transform::Rescale => f.write_str("rescale"),
            Transform::Mix(t) => write!(f, "mix:{t}"),
            Transform::Split(r) => write!(f, "split:{r}"),
            Transform::MixParts(t) => write!(f, "mix-parts:{t}"),
            Transform::Shuffle => f.write_str("shuffle"),
            Transform::Redraw => f.write_str("redraw"),
        }
    }
}

text_in_files!(Transform);

/// The part that each unit belongs to, (U,): the first label of its node; a relay has that of the unit it carries.
/// `None` for a unit without a label.
pub fn parts(genome: &Genome, layered: &Layered) -> Vec<Option<String>> {
    let network = &layered.network;
    let mut parts: Vec<Option<String>> = vec![None; network.units.len()];
    for (id, &unit) in &layered.units {
        parts[unit] = genome.node(*id).and_then(|node| node.labels.first().cloned());
    }
    for (u, unit) in network.units.iter().enumerate() {
        if unit.activation == Activation::Cache && parts[u].is_none() {
            let mut heard = unit.links.clone().filter(|&i| layered.weights.0[i] != 0.0);
            if let (Some(only), None) = (heard.next(), heard.next()) {
                parts[u] = parts[network.links[only].source].clone();
            }
        }
    }
    parts
}

impl Transform {
    /// The texts allowed, for messages.
    pub(crate) const CHOICES: &str = "permute, duplicate:K (2 to 8), insert:N (1 to 8), rescale, mix:DEG (0 to 90), \
        split:R (0 to 2), mix-parts:DEG (0 to 90), shuffle or redraw";

    /// The network after the change; its mask keeps the non-zero weights. `seed` decides what is random, `parts` is
    /// (U,) and read by `mix-parts` alone.
    ///
    /// # Errors
    /// `mix-parts` where no layer has relays of two parts.
    ///
    /// # Panics
    /// If the network is not layered.
    pub fn apply(
        self,
        model: &Model,
        parts: &[Option<String>],
        seed: u64,
    ) -> Result<Model, Refusal> {
        let rng = &mut SimRng::new(seed, "transform", 0);
        let mut layers = Layers::of(model);
        match self {
            Transform::Permute => layers.permute(rng),
            Transform::Duplicate(copies) => layers.duplicate(copies),
            Transform::Insert(count) => layers.insert(count, rng),
            Transform::Rescale => layers.rescale(rng),
            Transform::Mix(degrees) => layers.mix(degrees.to_radians(), rng),
            Transform::Split(r) => layers.split(r, rng),
            Transform::MixParts(degrees) => {
                let pairs = layers.mix_parts(degrees.to_radians(), parts, rng);
                let expected = "a layer with relays of two parts, as labels name them";
                Refusal::unless(pairs > 0, "mix-parts", expected, "none")?;
            }
            Transform::Shuffle => layers.each(|matrix| {
                let mut values: Vec<f64> = matrix.iter().copied().filter(|w| *w != 0.0).collect();
                rng.shuffle(&mut values);
                let links = matrix.iter_mut().filter(|w| **w != 0.0);
                links.zip(values).for_each(|(w, value)| *w = value);
            }),
            Transform::Redraw => layers.each(|matrix| {
                for mut row in matrix.row_iter_mut() {
                    let inputs = row.iter().filter(|w| **w != 0.0).count().max(1) as f64;
                    let drawn = row.iter_mut().filter(|w| **w != 0.0);
                    drawn.for_each(|w| *w = rng.normal() / inputs.sqrt());
                }
            }),
        }
        Ok(layers.model())
    }
}

/// The same links, the weights of each layer exchanged among them: [`Transform::Shuffle`] for graphs, too, by a draw of
/// its own.
pub(crate) fn shuffled(model: &Model, seed: u64) -> Model {
    let mut mixed = model.weights.clone();
    for layer in 1..=model.network.depth() {
        let is_there = |i: &usize| mixed.0[*i] != 0.0 && model.layer_of(*i) == layer;
        let places: Vec<usize> = (0..mixed.0.len()).filter(is_there).collect();
        let mut values: Vec<f32> = places.iter().map(|&i| mixed.0[i]).collect();
        SimRng::new(seed, "card-shuffle", layer as u64).shuffle(&mut values);
        for (&i, value) in places.iter().zip(values) {
            mixed.0[i] = value;
        }
    }
    Model::new(model.network.clone(), mixed)
}

/// A layered network as matrices in f64: (targets, sources) of each layer, first to head.
struct Layers {
    /// The arch of the network as it was.
    arch: Arch,
    /// (activation, count) of a hidden layer's units.
    block: Vec<(Activation, usize)>,
    matrices: Vec<DMatrix<f64>>,
}

impl Layers {
    fn of(model: &Model) -> Self {
        let network = &model.network;
        let arch = network.arch.as_ref().expect("a layered network");
        let matrix = |block: &super::DenseBlock| {
            let weights = model.weights.0[block.weights()].iter().map(|&w| f64::from(w));
            DMatrix::from_row_iterator(block.targets.len(), block.sources.len(), weights)
        };
        let matrices = network.blocks.iter().map(matrix).collect();
        Layers { arch: arch.clone(), block: arch.block.clone(), matrices }
    }

    fn model(self) -> Model {
        let layers = self.matrices.len() - 1;
        let network: Network = Arch { layers, block: self.block, ..self.arch }.network();
        let rows = self.matrices.iter().flat_map(|m| {
            m.row_iter().flat_map(|row| row.iter().map(|&w| w as f32).collect::<Vec<f32>>())
        });
        let weights = Weights(rows.collect());
        assert_eq!(weights.0.len(), network.weight_count(), "one weight a link");
        Model { mask: Mask::non_zero(&weights), network, weights }
    }

    fn width(&self) -> usize {
        self.block.iter().map(|(_, n)| n).sum()
    }

    /// Hidden layers.
    fn depth(&self) -> usize {
        self.matrices.len() - 1
    }

    /// Places of the units of an activation in a hidden layer.
    fn places(&self, activation: Activation) -> Range<usize> {
        let mut first = 0;
        for &(of, count) in &self.block {
            if of == activation {
                return first..first + count;
            }
            first += count;
        }
        0..0
    }

    fn activation(&self, place: usize) -> Activation {
        let mut left = place;
        for &(of, count) in &self.block {
            if left < count {
                return of;
            }
            left -= count;
        }
        unreachable!("a place within the width")
    }

    /// Units of hidden layer `layer`, from 0, that hear something and are heard.
    fn lives(&self, layer: usize, place: usize) -> bool {
        let hears = self.matrices[layer].row(place).iter().any(|w| *w != 0.0);
        hears && self.matrices[layer + 1].column(place).iter().any(|w| *w != 0.0)
    }

    /// Changes the non-zero weights of each matrix.
    fn each(&mut self, mut change: impl FnMut(&mut DMatrix<f64>)) {
        self.matrices.iter_mut().for_each(&mut change);
    }

    /// Puts hidden layers of another block: place i of the old stands at `to[i]`.
    fn widen(&mut self, block: Vec<(Activation, usize)>, to: &[usize]) {
        let width: usize = block.iter().map(|(_, n)| n).sum();
        let last = self.depth();
        for (k, matrix) in self.matrices.iter_mut().enumerate() {
            let rows = if k < last { width } else { matrix.nrows() };
            let columns = if k > 0 { width } else { matrix.ncols() };
            let mut wide = DMatrix::zeros(rows, columns);
            for i in 0..matrix.nrows() {
                for j in 0..matrix.ncols() {
                    let row = if k < last { to[i] } else { i };
                    let column = if k > 0 { to[j] } else { j };
                    wide[(row, column)] = matrix[(i, j)];
                }
            }
            *matrix = wide;
        }
        self.block = block;
    }

    /// A block with as many units of each activation as asked, and where the old places stand in it.
    fn with_units(
        &self,
        more: &BTreeMap<Activation, usize>,
    ) -> (Vec<(Activation, usize)>, Vec<usize>) {
        let mut counts: BTreeMap<Activation, usize> = self.block.iter().copied().collect();
        for (&activation, &count) in more {
            let known = counts.entry(activation).or_insert(0);
            *known = (*known).max(count);
        }
        let block: Vec<(Activation, usize)> = counts.into_iter().collect();
        let (mut to, mut first) = (Vec::new(), 0);
        for &(activation, count) in &block {
            to.extend(first..first + self.places(activation).len());
            first += count;
        }
        (block, to)
    }

    fn permute(&mut self, rng: &mut SimRng) {
        for layer in 0..self.depth() {
            for (activation, _) in self.block.clone() {
                let places: Vec<usize> = self.places(activation).collect();
                let mut order = places.clone();
                rng.shuffle(&mut order);
                let (from, to) = (self.matrices[layer].clone(), self.matrices[layer + 1].clone());
                for (&new, &old) in places.iter().zip(&order) {
                    self.matrices[layer].set_row(new, &from.row(old));
                    self.matrices[layer + 1].set_column(new, &to.column(old));
                }
            }
        }
    }

    /// Living relays of a hidden layer.
    fn relays(&self, layer: usize) -> Vec<usize> {
        self.places(Activation::Cache).filter(|&place| self.lives(layer, place)).collect()
    }

    fn duplicate(&mut self, copies: usize) {
        let relays = self.places(Activation::Cache).len();
        let (block, to) = self.with_units(&[(Activation::Cache, copies * relays)].into());
        self.widen(block, &to);
        let first = self.places(Activation::Cache).start;
        for layer in 0..self.depth() {
            for relay in first..first + relays {
                let into = self.matrices[layer].row(relay).clone_owned();
                let out = self.matrices[layer + 1].column(relay) / copies as f64;
                for copy in 0..copies {
                    self.matrices[layer].set_row(relay + copy * relays, &into);
                    self.matrices[layer + 1].set_column(relay + copy * relays, &out);
                }
            }
        }
    }

    fn insert(&mut self, count: usize, rng: &mut SimRng) {
        for _ in 0..count {
            let after = rng.below(self.depth());
            let living: Vec<usize> = (0..self.width()).filter(|&u| self.lives(after, u)).collect();
            let (block, to) = self.with_units(&[(Activation::Cache, living.len())].into());
            self.widen(block, &to);
            let (first, width) = (self.places(Activation::Cache).start, self.width());
            let mut relay = DMatrix::zeros(width, width);
            let next = &self.matrices[after + 1];
            let mut moved = DMatrix::zeros(next.nrows(), width);
            for (k, &unit) in living.iter().enumerate() {
                relay[(first + k, to[unit])] = 1.0;
                moved.set_column(first + k, &next.column(to[unit]));
            }
            self.matrices[after + 1] = moved;
            self.matrices.insert(after + 1, relay);
        }
    }

    fn rescale(&mut self, rng: &mut SimRng) {
        for layer in 0..self.depth() {
            for place in 0..self.width() {
                let s = real::exp(rng.uniform_in(-1.0, 1.0) * std::f64::consts::LN_2);
                if self.activation(place).is_linear() {
                    self.matrices[layer].row_mut(place).scale_mut(s);
                    self.matrices[layer + 1].column_mut(place).scale_mut(1.0 / s);
                }
            }
        }
    }

    /// Turns the values of these units of a hidden layer by an orthogonal matrix.
    fn turn(&mut self, layer: usize, units: &[usize], by: &DMatrix<f64>) {
        let n = units.len();
        let pick = |m: &DMatrix<f64>| DMatrix::from_fn(n, m.ncols(), |i, j| m[(units[i], j)]);
        let into = by * pick(&self.matrices[layer]);
        let out = by * pick(&self.matrices[layer + 1].transpose());
        for (i, &unit) in units.iter().enumerate() {
            self.matrices[layer].set_row(unit, &into.row(i));
            self.matrices[layer + 1].set_column(unit, &out.row(i).transpose());
        }
    }

    fn mix(&mut self, angle: f64, rng: &mut SimRng) {
        for layer in 0..self.depth() {
            let relays = self.relays(layer);
            let n = relays.len();
            if n > 1 && angle > 0.0 {
                let drawn = DMatrix::from_fn(n, n, |_, _| rng.normal());
                let skew = &drawn - drawn.transpose();
                let norm = skew.clone().svd(false, false).singular_values.max();
                self.turn(layer, &relays, &(skew * (angle / norm)).exp());
            }
        }
    }

    fn mix_parts(&mut self, angle: f64, parts: &[Option<String>], rng: &mut SimRng) -> usize {
        let mut mixed = 0;
        for layer in 0..self.depth() {
            let part = |place: usize| {
                parts.get(self.matrices[0].ncols() + layer * self.width() + place)?.as_deref()
            };
            let mut left: Vec<(usize, &str)> =
                self.relays(layer).into_iter().filter_map(|u| Some((u, part(u)?))).collect();
            rng.shuffle(&mut left);
            let mut pairs = Vec::new();
            while let Some((unit, name)) = left.pop() {
                if let Some(other) = left.iter().position(|(_, other)| *other != name) {
                    pairs.push([unit, left.remove(other).0]);
                }
            }
            let (sin, cos) = (real::sin(angle), real::cos(angle));
            let turn = DMatrix::from_row_slice(2, 2, &[cos, -sin, sin, cos]);
            pairs.iter().for_each(|pair| self.turn(layer, pair, &turn));
            mixed += pairs.len();
        }
        mixed
    }

    fn split(&mut self, r: f64, rng: &mut SimRng) {
        let split = |activation: &Activation| !activation.is_linear();
        let old = self.block.clone();
        let more = old.iter().filter(|(a, _)| split(a)).map(|&(a, n)| (a, 2 * n)).collect();
        let (block, to) = self.with_units(&more);
        self.widen(block, &to);
        for layer in 0..self.depth() {
            // Who may hear the difference: living units of the next layer, or the outputs that hear anything.
            let next = &self.matrices[layer + 1];
            let hears = |row: &usize| next.row(*row).iter().any(|w| *w != 0.0);
            let hearers: Vec<usize> = (0..next.nrows()).filter(hears).collect();
            for &(activation, count) in old.iter().filter(|(a, _)| split(a)) {
                let first = self.places(activation).start;
                for unit in first..first + count {
                    if !self.lives(layer, unit) {
                        continue;
                    }
                    let twin = unit + count;
                    let into = self.matrices[layer].row(unit).clone_owned();
                    self.matrices[layer].set_row(twin, &into);
                    let next = &mut self.matrices[layer + 1];
                    for &hearer in &hearers {
                        let half = next[(hearer, unit)] / 2.0;
                        let off = if rng.chance(0.5) { r } else { -r };
                        next[(hearer, unit)] = half + off;
                        next[(hearer, twin)] = half - off;
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::genome::{Composed, from_json};
    use crate::network::{Coords, layerize};

    fn networks() -> Vec<(Model, Vec<Option<String>>)> {
        let bred = from_json(include_str!("../../../../genomes/bred_moth.json")).unwrap();
        let novelty = from_json(include_str!("../../../../genomes/novelty_goggles.json")).unwrap();
        let composed =
            [Composed::Face, Composed::Scene, Composed::Pattern].map(|kind| kind.genome(1));
        let genomes = [bred, novelty].into_iter().chain(composed);
        let network = |genome: Genome| {
            let layered = layerize(&genome);
            let parts = parts(&genome, &layered);
            (Model::new(layered.network, layered.weights), parts)
        };
        genomes.map(network).collect()
    }

    #[test]
    fn the_picture_stays_the_same_to_a_hundred_thousandth() {
        let all = "permute,duplicate:2,duplicate:3,insert:2,rescale,mix:15,mix:45,mix:90,split:0.5,mix-parts:45";
        for (model, parts) in networks() {
            let drawn = model.picture(32, Coords::Fer);
            for text in all.split(',') {
                let transform: Transform = text.parse().unwrap();
                assert_eq!(transform.to_string(), text);
                for seed in 0..3 {
                    let Ok(other) = transform.apply(&model, &parts, seed) else {
                        assert!(text == "mix-parts:45", "{text} is refused");
                        continue;
                    };
                    let off = other.picture(32, Coords::Fer).mse(&drawn).sqrt();
                    assert!(off < 1e-5, "{text} of {:?}: {off}", model.network.arch);
                    let same = other.weights == model.weights;
                    let may = matches!(transform, Transform::Duplicate(_));
                    assert!(!same || may, "{text} changed nothing");
                }
            }
        }
    }

    #[test]
    fn mixing_fills_the_links_between_relays_and_more_the_further_it_goes() {
        let (model, parts) = &networks()[0];
        let count = |text: &str| {
            text.parse::<Transform>().unwrap().apply(model, parts, 1).unwrap().non_zero()
        };
        assert_eq!(count("mix:0"), model.non_zero());
        assert!(count("mix:45") > 2 * model.non_zero());
        // How much of a relay's value stays its own.
        let own = |text: &str| {
            let mixed = text.parse::<Transform>().unwrap().apply(model, parts, 1).unwrap();
            let (a, b) = (&mixed.weights.0, &model.weights.0);
            a.iter().zip(b).map(|(a, b)| f64::from(a * b)).sum::<f64>()
        };
        assert!(own("mix:10") > own("mix:30") && own("mix:30") > own("mix:60"));
    }

    #[test]
    fn parts_are_mixed_with_other_parts_only() {
        let (model, parts) = &networks()[2];
        let mixed = Transform::MixParts(45.0).apply(model, parts, 1).unwrap();
        assert!(mixed.non_zero() > model.non_zero());
        // Without parts there is nothing to mix.
        let refused = Transform::MixParts(45.0).apply(model, &[], 1).unwrap_err();
        assert!(refused.to_string().contains("relays of two parts"), "{refused}");
    }

    #[test]
    fn controls_keep_the_links_and_lose_the_picture() {
        let (model, _) = &networks()[0];
        let drawn = model.picture(32, Coords::Fer);
        for text in ["shuffle", "redraw"] {
            let other = text.parse::<Transform>().unwrap().apply(model, &[], 4).unwrap();
            assert!(other.picture(32, Coords::Fer).mse(&drawn) > 1e-3, "{text}");
            assert_eq!(Mask::non_zero(&other.weights), model.mask, "{text}");
        }
    }
}
