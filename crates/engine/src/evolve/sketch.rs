//! Whether two genomes draw the same picture, to the eye.
//!
//! A sketch is the picture at 24 × 24 points, computed from the genes alone: a sheet or a gallery must be the same
//! whoever breeds it, and `evolve` knows no network. A test holds it to `network::reference`.

use super::{Birth, Breeder};
use crate::genome::{Genome, Input, NodeId, Output, Role};
use crate::math::color::hsv_to_rgb;
use std::collections::BTreeMap;

/// Two pictures are told apart from this distance on: the root of the mean squared difference of their channels, of
/// white and black 1 `[ours]`.
pub const DISTINCT: f64 = 0.03;

/// Tries of a picture that is not distinct from those beside it, the first among them `[ours]`.
const TRIES: u64 = 8;

/// Points of a sketch across, and down.
const SIDE: usize = 24;

/// A small picture.
#[derive(Clone, Debug, PartialEq)]
pub struct Sketch {
    /// Three channels a point, row by row.
    rgb: Vec<f32>,
}

impl Sketch {
    /// The picture of a genome in its palette, by FER's coordinates (METHODS §1).
    pub fn of(genome: &Genome) -> Self {
        let mut incoming: BTreeMap<NodeId, Vec<(NodeId, f64)>> = BTreeMap::new();
        for link in genome.connections().filter(|link| link.enabled) {
            incoming.entry(link.target).or_default().push((link.source, link.weight));
        }
        let mut values: BTreeMap<NodeId, Vec<f64>> = BTreeMap::new();
        for id in genome.topological_order() {
            let node = genome.node(id).expect("ids come from the genome");
            let mut sums = match node.role {
                Role::Input(input) => (0..SIDE * SIDE).map(|point| at(input, point)).collect(),
                _ => vec![0.0; SIDE * SIDE],
            };
            for (source, weight) in incoming.get(&id).into_iter().flatten() {
                for (sum, value) in sums.iter_mut().zip(&values[source]) {
                    *sum += weight * value;
                }
            }
            sums.iter_mut().for_each(|sum| *sum = node.activation.value(*sum));
            values.insert(id, sums);
        }
        let drawn = |output| genome.output(output).map(|node| &values[&node.id]);
        let bright = drawn(Output::Brightness).or_else(|| drawn(Output::Ink));
        let outputs = [drawn(Output::Hue), drawn(Output::Saturation), bright];
        let rgb = (0..SIDE * SIDE).flat_map(|point| {
            let [h, s, v] = outputs.map(|output| output.map_or(0.0, |values| values[point]));
            genome.palette.colour(hsv_to_rgb(h, s, v).map(|channel| channel as f32))
        });
        Sketch { rgb: rgb.collect() }
    }

    /// Its 24 × 24 points, three channels each, row by row.
    pub fn rgb(&self) -> &[f32] {
        &self.rgb
    }

    /// Root of the mean squared difference of the channels of two sketches, in [0, 1].
    pub fn distance(&self, other: &Sketch) -> f64 {
        let squares = self.rgb.iter().zip(&other.rgb).map(|(a, b)| f64::from(a - b).powi(2));
        (squares.sum::<f64>() / self.rgb.len() as f64).sqrt()
    }

    /// Distance to the nearest picture of one colour.
    pub fn contrast(&self) -> f64 {
        let n = self.rgb.len() as f64 / 3.0;
        let squares = (0..3).map(|channel| {
            let values = || self.rgb.iter().skip(channel).step_by(3).map(|v| f64::from(*v));
            let mean = values().sum::<f64>() / n;
            values().map(|v| (v - mean) * (v - mean)).sum::<f64>()
        });
        (squares.sum::<f64>() / (3.0 * n)).sqrt()
    }

    /// Root of the mean squared difference between the strongest and the weakest channel of a point: 0 of a grey picture.
    pub(crate) fn colour(&self) -> f64 {
        let spread = |point: &[f32]| {
            let [low, high] =
                [f32::min, f32::max].map(|end| point[1..].iter().copied().fold(point[0], end));
            f64::from(high - low).powi(2)
        };
        let points = self.rgb.chunks_exact(3);
        (points.map(spread).sum::<f64>() * 3.0 / self.rgb.len() as f64).sqrt()
    }

    /// Distance to the nearest of these pictures and of those of one colour.
    pub(crate) fn novelty<'a>(&self, others: impl IntoIterator<Item = &'a Sketch>) -> f64 {
        others.into_iter().map(|other| self.distance(other)).fold(self.contrast(), f64::min)
    }
}

/// The pictures of a sheet that is being filled.
pub(super) struct Shown {
    sketches: Vec<Sketch>,
    /// Least distance between two pictures. `None`: they may repeat.
    distinct: Option<f64>,
    /// Whether a grey picture is one to draw again.
    coloured: bool,
}

impl Shown {
    /// The sheet with these on it.
    pub(super) fn new<'a>(
        genomes: impl IntoIterator<Item = &'a Genome>,
        distinct: Option<f64>,
    ) -> Self {
        let mut shown = Shown { sketches: Vec::new(), distinct, coloured: false };
        genomes.into_iter().for_each(|genome| shown.add(genome));
        shown
    }

    /// The same sheet, on which new pictures are in colour.
    pub(super) fn in_colour(self, coloured: bool) -> Self {
        Shown { coloured, ..self }
    }

    /// One more picture that children must differ from.
    pub(super) fn add(&mut self, genome: &Genome) {
        if self.distinct.is_some() {
            self.sketches.push(Sketch::of(genome));
        }
    }

    /// Has `make` make a genome until its picture is distinct, [`TRIES`] times at most, and takes the most distant.
    /// `make` is told how often it was asked before; a try that is not taken leaves no trace in `breeder`.
    pub(super) fn another(
        &mut self,
        breeder: &mut Breeder,
        mut make: impl FnMut(&mut Breeder, u64) -> (Genome, Birth),
    ) -> (Genome, Birth) {
        let Some(distinct) = self.distinct else { return make(breeder, 0) };
        let mut best: Option<(f64, Sketch, Breeder, (Genome, Birth))> = None;
        for again in 0..TRIES {
            let mut after = breeder.clone();
            let made = make(&mut after, again);
            let sketch = Sketch::of(&made.0);
            let novelty = sketch.novelty(&self.sketches);
            // A trace of colour is not enough.
            let novelty = if self.coloured { novelty.min(0.3 * sketch.colour()) } else { novelty };
            if best.as_ref().is_none_or(|best| novelty > best.0) {
                best = Some((novelty, sketch, after, made));
            }
            if novelty > distinct {
                break;
            }
        }
        let (_, sketch, after, made) = best.expect("at least one try");
        *breeder = after;
        self.sketches.push(sketch);
        made
    }
}

/// An input at a point.
fn at(input: Input, point: usize) -> f64 {
    let place = |i: usize| 2.0 * i as f64 / (SIDE - 1) as f64 - 1.0;
    let (x, y) = (place(point % SIDE), place(point / SIDE));
    input.value([x, y, 1.4 * (x * x + y * y).sqrt(), 1.0])
}
