//! The cost of the maps of hidden units, and its slope at every pixel: total variation, or overlap.
//!
//! Both are defined on whole maps, so a step with such a cost draws every tile twice: once for the
//! maps, once for the gradient, in which each hidden unit's slope is added to ∂L/∂a.
// SAFETY of the module: workers write tiles of the maps through `Cells`; see `keep`.
#![allow(unsafe_code)]

use super::cells::Cells;
use super::pixels::PixelTiles;
use super::program::Program;
use crate::math::lanes::{Block, Isa, LANES, Lanes, ZERO, floats, floats_mut, per_isa};
use crate::network::{Mask, Network};
use rayon::prelude::*;
use std::cell::UnsafeCell;
use std::ops::Range;

/// A cost of the maps of hidden units: those that are neither inputs nor outputs and reach an output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MapCost {
    /// Mean over hidden units and pixels of |∂h/∂x| + |∂h/∂y|: differences of neighbours over their
    /// distance, 2/(side − 1), on a picture of `side`² pixels, without neighbours beyond its edges.
    TotalVariation {
        /// Side of the picture in pixels.
        side: usize,
    },
    /// Mean over layers with at least two hidden units, then over their pairs, of cos²(hᵢ, hⱼ), uncentred.
    /// The cosine with a map that is 0 everywhere is 0.
    Overlap,
}

/// Hidden units whose maps are compared, and buffers for their maps and slopes.
#[derive(Debug)]
pub(super) struct MapCosts {
    cost: MapCost,
    /// Factor on the cost.
    strength: f64,
    /// (H,) program rows, those of one layer together.
    rows: Vec<usize>,
    /// Place in `rows` of each program row.
    of_row: Vec<Option<usize>>,
    layers: Vec<Range<usize>>,
    /// Blocks of a map.
    plane: usize,
    stride: usize,
    /// (H, plane), 0 beyond the last pixel.
    maps: Cells<Block>,
    slopes: Vec<Block>,
    /// (n, n) of the largest layer: dot products, then coefficients.
    gram: Vec<f32>,
}

/// The slopes that are added to ∂L/∂a in tile `t`.
#[derive(Clone, Copy)]
pub(super) struct Injection<'a> {
    costs: &'a MapCosts,
    tile: usize,
}

impl Injection<'_> {
    /// The slopes of a program row; `None` if the row is not that of a hidden unit.
    #[inline(always)]
    pub(super) fn row(&self, row: usize) -> Option<&[Block]> {
        let costs = self.costs;
        let first = costs.of_row[row]? * costs.plane + self.tile * costs.stride;
        Some(&costs.slopes[first..first + costs.stride])
    }
}

impl MapCosts {
    pub(super) fn new(
        cost: MapCost,
        strength: f64,
        (network, mask): (&Network, &Mask),
        program: &Program,
        pixels: &PixelTiles,
    ) -> Self {
        // A half-full layer is drawn whole: units without a way to an output too.
        let mut live = vec![false; network.units.len()];
        network.outputs.iter().flatten().for_each(|&u| live[u] = true);
        for (link, _) in network.links.iter().zip(&mask.0).rev().filter(|(_, kept)| **kept) {
            live[link.source] |= live[link.target];
        }
        let is_output = |u: usize| network.outputs.contains(&Some(u));
        let hidden =
            (network.inputs.len()..network.units.len()).filter(|&u| live[u] && !is_output(u));
        let mut hidden: Vec<(usize, usize)> = hidden
            .filter_map(|u| program.row_of[u].map(|row| (network.units[u].layer, row)))
            .collect();
        hidden.sort_unstable();
        let rows: Vec<usize> = hidden.iter().map(|&(_, row)| row).collect();
        let mut of_row = vec![None; program.rows];
        rows.iter().enumerate().for_each(|(h, &row)| of_row[row] = Some(h));
        let mut layers = Vec::new();
        for layer in hidden.chunk_by(|a, b| a.0 == b.0) {
            let first = layers.last().map_or(0, |range: &Range<usize>| range.end);
            layers.push(first..first + layer.len());
        }
        let plane = pixels.tiles() * program.stride;
        let largest = layers.iter().map(Range::len).max().unwrap_or(0);
        let maps = (0..rows.len() * plane).map(|_| UnsafeCell::new(ZERO)).collect();
        MapCosts {
            cost,
            strength,
            of_row,
            plane,
            stride: program.stride,
            maps: Cells(maps),
            slopes: vec![ZERO; rows.len() * plane],
            gram: vec![0.0; largest * largest],
            layers,
            rows,
        }
    }

    /// Sets the maps to 0 from tile `first` on: those of pixels that are not selected any more.
    pub(super) fn clear(&mut self, first: usize) {
        let (plane, first) = (self.plane, first * self.stride);
        for map in self.maps.0.chunks_exact_mut(plane.max(1)) {
            map[first..].iter_mut().for_each(|block| *block.get_mut() = ZERO);
        }
    }

    /// Takes the maps of tile `t` from its rows `a`; `count` pixels of it are the picture's.
    ///
    /// # Safety
    /// No two calls for one tile at the same time, and no read meanwhile.
    pub(super) unsafe fn keep(&self, t: usize, a: &[Block], count: usize) {
        for (h, row) in self.rows.iter().enumerate() {
            let from = &a[row * self.stride..][..self.stride];
            for (v, block) in from.iter().enumerate() {
                // SAFETY: the caller's promise; a block belongs to one tile.
                let to = unsafe { self.maps.get(h * self.plane + t * self.stride + v) };
                *to = *block;
                let left = count.saturating_sub(v * LANES).min(LANES);
                to.0[left..].fill(0.0);
            }
        }
    }

    /// The slopes of strength × cost, in units in which the tiles' slopes are: those of ½ Σ (rgb − target)².
    /// Every map is kept, of `pixels` pixels.
    pub(super) fn differentiate(&mut self, isa: Isa, pixels: usize) {
        let scale = self.strength * (3 * pixels) as f64 / 2.0;
        let (plane, maps) = (self.plane, self.maps.all());
        match self.cost {
            MapCost::TotalVariation { side } => {
                let step = scale * variation_unit(side, self.rows.len());
                self.slopes.par_chunks_mut(plane).zip(maps.par_chunks(plane)).for_each(
                    |(slopes, map)| {
                        variation_slopes(isa, floats(map), floats_mut(slopes), side, step as f32);
                    },
                );
            }
            MapCost::Overlap => {
                let pairs =
                    scale / self.layers.iter().filter(|l| l.len() > 1).count().max(1) as f64;
                for layer in &self.layers {
                    let n = layer.len();
                    let range = layer.start * plane..layer.end * plane;
                    let (maps, slopes) = (&maps[range.clone()], &mut self.slopes[range]);
                    if n < 2 {
                        slopes.fill(ZERO);
                        continue;
                    }
                    let gram = &mut self.gram[..n * n];
                    gram.par_chunks_mut(n).enumerate().for_each(|(i, row)| {
                        dots(isa, maps, plane, i, row);
                    });
                    coefficients(gram, n, 2.0 * pairs * 2.0 / (n * (n - 1)) as f64);
                    let gram = &*gram;
                    slopes.par_chunks_mut(plane).enumerate().for_each(|(i, slopes)| {
                        combine(isa, maps, plane, &gram[i * n..][..n], slopes);
                    });
                }
            }
        }
    }

    /// The cost of the maps that are kept, of `pixels` pixels, without its factor.
    #[cfg(test)]
    pub(super) fn cost(&mut self, pixels: usize) -> f64 {
        let plane = self.plane;
        let maps = self.maps.all();
        let map = |h: usize| &floats(&maps[h * plane..(h + 1) * plane])[..pixels];
        match self.cost {
            MapCost::TotalVariation { side } => {
                let sum: f64 = (0..self.rows.len()).map(|h| variation(map(h), side)).sum();
                sum * variation_unit(side, self.rows.len())
            }
            MapCost::Overlap => {
                let dot = |a: &[f32], b: &[f32]| -> f64 {
                    a.iter().zip(b).map(|(a, b)| f64::from(*a) * f64::from(*b)).sum()
                };
                let layers: Vec<&Range<usize>> =
                    self.layers.iter().filter(|l| l.len() > 1).collect();
                let overlap = |layer: &&Range<usize>| -> f64 {
                    let norm: Vec<f64> = (*layer).clone().map(|h| dot(map(h), map(h))).collect();
                    let mut sum = 0.0;
                    for i in 0..layer.len() {
                        for j in 0..i {
                            let product = norm[i] * norm[j];
                            if product > 0.0 {
                                let cross = dot(map(layer.start + i), map(layer.start + j));
                                sum += cross * cross / product;
                            }
                        }
                    }
                    2.0 * sum / (layer.len() * (layer.len() - 1)) as f64
                };
                layers.iter().map(overlap).sum::<f64>() / layers.len().max(1) as f64
            }
        }
    }

    /// The slopes of tile `tile`.
    pub(super) fn injection(&self, tile: usize) -> Injection<'_> {
        Injection { costs: self, tile }
    }
}

/// The mean over H units and pixels of a difference over its distance.
fn variation_unit(side: usize, units: usize) -> f64 {
    (side - 1) as f64 / 2.0 / (units.max(1) * side * side) as f64
}

/// Σ |differences of neighbours| of a map.
#[cfg(test)]
fn variation(map: &[f32], side: usize) -> f64 {
    let size = |a: f32, b: f32| f64::from((a - b).abs());
    let mut sum = 0.0;
    for (y, row) in map.chunks_exact(side).enumerate() {
        sum += row.windows(2).map(|pair| size(pair[0], pair[1])).sum::<f64>();
        if let Some(next) = map.get((y + 1) * side..(y + 2) * side) {
            sum += row.iter().zip(next).map(|(a, b)| size(*a, *b)).sum::<f64>();
        }
    }
    sum
}

per_isa! {
    /// Slopes of step × variation.
    fn variation_slopes(map: &[f32], slopes: &mut [f32], side: usize, step: f32) = variation_slopes_on
}

/// 1, 0 or −1.
#[inline(always)]
fn sign(x: f32) -> f32 {
    f32::from(u8::from(x > 0.0)) - f32::from(u8::from(x < 0.0))
}

#[inline(always)]
fn variation_slopes_on<L: Lanes>(map: &[f32], slopes: &mut [f32], side: usize, step: f32) {
    for y in 0..side {
        let row = &map[y * side..(y + 1) * side];
        let out = &mut slopes[y * side..(y + 1) * side];
        out[0] = -sign(row[1] - row[0]);
        for ((out, three), _) in out[1..].iter_mut().zip(row.windows(3)).zip(0..side) {
            *out = sign(three[1] - three[0]) - sign(three[2] - three[1]);
        }
        out[side - 1] = sign(row[side - 1] - row[side - 2]);
        if y > 0 {
            let above = &map[(y - 1) * side..y * side];
            for ((out, h), a) in out.iter_mut().zip(row).zip(above) {
                *out += sign(h - a);
            }
        }
        if y + 1 < side {
            let below = &map[(y + 1) * side..(y + 2) * side];
            for ((out, h), b) in out.iter_mut().zip(row).zip(below) {
                *out -= sign(b - h);
            }
        }
        for out in out {
            *out *= step;
        }
    }
}

per_isa! {
    /// Dot products of map `i` with maps i.. into `row`.
    fn dots(maps: &[Block], plane: usize, i: usize, row: &mut [f32]) = dots_on
}

/// Maps that are multiplied at once.
const AT_ONCE: usize = 8;

#[inline(always)]
fn dots_on<L: Lanes>(maps: &[Block], plane: usize, i: usize, row: &mut [f32]) {
    let own = &maps[i * plane..(i + 1) * plane];
    let n = row.len();
    let mut j = i;
    while j < n {
        let count = (n - j).min(AT_ONCE);
        let mut sums = [L::splat(0.0); LANES];
        if count == AT_ONCE {
            for (v, own) in own.iter().enumerate() {
                let own = L::load(own);
                for (k, sum) in sums[..AT_ONCE].iter_mut().enumerate() {
                    *sum = own.fma(L::load(&maps[(j + k) * plane + v]), *sum);
                }
            }
        } else {
            for (k, sum) in sums[..count].iter_mut().enumerate() {
                for (own, other) in own.iter().zip(&maps[(j + k) * plane..][..plane]) {
                    *sum = L::load(own).fma(L::load(other), *sum);
                }
            }
        }
        let mut block = ZERO;
        L::reduce(&sums).store(&mut block);
        row[j..j + count].copy_from_slice(&block.0[..count]);
        j += count;
    }
}

/// Turns the upper half of dot products into the factors of the maps in the slope of each map:
/// c·cosᵢⱼ/(‖i‖‖j‖) of another, −c·Σⱼcos²ᵢⱼ/‖i‖² of its own.
fn coefficients(gram: &mut [f32], n: usize, c: f64) {
    let norms: Vec<f64> = (0..n).map(|i| f64::from(gram[i * n + i]).sqrt()).collect();
    for i in 0..n {
        gram[i * n + i] = 0.0;
    }
    let mut own = vec![0.0; n];
    for i in 0..n {
        for j in i + 1..n {
            let product = norms[i] * norms[j];
            let cosine = if product > 0.0 { f64::from(gram[i * n + j]) / product } else { 0.0 };
            let factor = if product > 0.0 { (c * cosine / product) as f32 } else { 0.0 };
            (gram[i * n + j], gram[j * n + i]) = (factor, factor);
            own[i] += cosine * cosine;
            own[j] += cosine * cosine;
        }
    }
    for i in 0..n {
        let square = norms[i] * norms[i];
        gram[i * n + i] = if square > 0.0 { (-c * own[i] / square) as f32 } else { 0.0 };
    }
}

per_isa! {
    /// Σⱼ factors[j] · map j.
    fn combine(maps: &[Block], plane: usize, factors: &[f32], out: &mut [Block]) = combine_on
}

#[inline(always)]
fn combine_on<L: Lanes>(maps: &[Block], plane: usize, factors: &[f32], out: &mut [Block]) {
    for (v, out) in out.iter_mut().enumerate() {
        let mut sum = L::splat(0.0);
        for (j, &factor) in factors.iter().enumerate() {
            sum = L::splat(factor).fma(L::load(&maps[j * plane + v]), sum);
        }
        sum.store(out);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::SimRng;
    use crate::genome::from_json;
    use crate::network::kernel::Objective;
    use crate::network::{Coords, Model, PixelInputs, Wiring, reference};
    use nalgebra::DMatrix;

    const SIDE: usize = 12;

    /// Loss and cost in f64, by their definitions.
    fn by_hand(model: &Model, weights: &[f64], target: &DMatrix<f64>, cost: MapCost) -> [f64; 2] {
        let (network, inputs) = (&model.network, PixelInputs::full(SIDE, Coords::Fer));
        let maps = reference::forward(network, weights, &inputs);
        let rgb = reference::render(network, weights, &inputs);
        let loss = (rgb - target).norm_squared() / (3 * SIDE * SIDE) as f64;
        // A unit counts if a path of kept links leads from it to an output.
        let mut live = vec![false; network.units.len()];
        network.outputs.iter().flatten().for_each(|&u| live[u] = true);
        for (i, link) in network.links.iter().enumerate().rev() {
            live[link.source] |= live[link.target] && model.mask.0[i];
        }
        let hidden = (network.inputs.len()..network.units.len())
            .filter(|u| !network.outputs.contains(&Some(*u)));
        let hidden: Vec<usize> = hidden.filter(|&u| live[u]).collect();
        let cost = match cost {
            MapCost::TotalVariation { .. } => {
                let mut sum = 0.0;
                for &u in &hidden {
                    let h = |x: usize, y: usize| maps[(y * SIDE + x, u)];
                    for (x, y) in (0..SIDE * SIDE).map(|p| (p % SIDE, p / SIDE)) {
                        if x + 1 < SIDE {
                            sum += (h(x + 1, y) - h(x, y)).abs();
                        }
                        if y + 1 < SIDE {
                            sum += (h(x, y + 1) - h(x, y)).abs();
                        }
                    }
                }
                sum * (SIDE - 1) as f64 / 2.0 / (hidden.len() * SIDE * SIDE) as f64
            }
            MapCost::Overlap => {
                let layers = hidden.iter().map(|&u| network.units[u].layer);
                let mut layers: Vec<usize> = layers.collect();
                layers.sort_unstable();
                layers.dedup();
                let mut means = Vec::new();
                for layer in layers {
                    let of = hidden.iter().filter(|&&u| network.units[u].layer == layer);
                    let of: Vec<_> = of.map(|&u| maps.column(u)).collect();
                    let mut all = Vec::new();
                    for (i, a) in of.iter().enumerate() {
                        for b in &of[..i] {
                            let norms = a.norm() * b.norm();
                            all.push(if norms > 0.0 { (a.dot(b) / norms).powi(2) } else { 0.0 });
                        }
                    }
                    if !all.is_empty() {
                        means.push(all.iter().sum::<f64>() / all.len() as f64);
                    }
                }
                means.iter().sum::<f64>() / means.len() as f64
            }
        };
        [loss, cost]
    }

    /// Dense, sparse in layers (relays and units without a way to the outputs), and a graph.
    fn models() -> Vec<Model> {
        let genome = from_json(include_str!("../../../../../genomes/bred_moth.json")).unwrap();
        let layered = Model::of_genome(&genome, Wiring::Layerized);
        let mut rng = SimRng::new(3, "test", 0);
        let mut models: Vec<Model> = ["3;cache:2,cos:1,gaussian:2,identity:1,sin:2,tanh:1"]
            .into_iter()
            .map(|arch| {
                let network = arch.parse::<crate::network::Arch>().unwrap().network();
                let count = network.weight_count();
                let weights = crate::network::Weights(vec![0.0; count]);
                Model { mask: Mask::all(count), network, weights }
            })
            .collect();
        // Blocks that run sparse, and half-full ones that run dense, with units that nobody reads.
        for share in [0.35, 0.55] {
            let mut thin = models[0].clone();
            for (kept, link) in thin.mask.0.iter_mut().zip(&thin.network.links) {
                *kept = rng.chance(share) && link.source % 8 != 0;
            }
            models.push(thin);
        }
        models.extend([layered, Model::of_genome(&genome, Wiring::Graph)]);
        for model in &mut models {
            for (w, kept) in model.weights.0.iter_mut().zip(&model.mask.0) {
                *w = if *kept { (0.5 * rng.normal()) as f32 } else { 0.0 };
            }
        }
        models
    }

    #[test]
    fn the_gradient_is_that_of_loss_and_cost_by_central_differences() {
        let inputs = PixelInputs::full(SIDE, Coords::Fer);
        let mut rng = SimRng::new(5, "test", 0);
        let target = DMatrix::from_fn(3, SIDE * SIDE, |_, _| rng.uniform());
        let rgb: Vec<f32> = target.iter().map(|&x| x as f32).collect();
        for cost in [MapCost::TotalVariation { side: SIDE }, MapCost::Overlap] {
            for model in models() {
                let Model { network, mask, weights } = &model;
                let mut objective = Objective::with_map_cost(
                    network,
                    mask,
                    &inputs,
                    &rgb,
                    (cost, 0.7),
                    Isa::best(),
                );
                let mut gradient = vec![0.0; weights.0.len()];
                let loss = objective.loss_and_gradient(&weights.0, &mut gradient);
                let exact: Vec<f64> = weights.0.iter().map(|&w| f64::from(w)).collect();
                let at = by_hand(&model, &exact, &target, cost);
                assert!((loss - at[0]).abs() < 1e-6, "{cost:?}: {loss} against {at:?}");
                let found = objective.map_cost(&weights.0);
                assert!((found - at[1]).abs() < 1e-5 * (1.0 + at[1]), "{cost:?}: {found} {at:?}");
                let mut largest = 0.0f64;
                for i in (0..exact.len()).filter(|&i| mask.0[i]).step_by(3) {
                    let total = |step: f64| {
                        let mut moved = exact.clone();
                        moved[i] += step;
                        let [loss, cost] = by_hand(&model, &moved, &target, cost);
                        loss + 0.7 * cost
                    };
                    let h = 1e-6;
                    let numeric = (total(h) - total(-h)) / (2.0 * h);
                    let error = (numeric - f64::from(gradient[i])).abs();
                    assert!(
                        error < 2e-4 * (1.0 + numeric.abs()),
                        "{cost:?} {i}: {numeric} {}",
                        gradient[i]
                    );
                    largest = largest.max(numeric.abs());
                }
                assert!(largest > 1e-3, "{cost:?}: a gradient that says nothing");
            }
        }
    }

    #[test]
    fn bits_do_not_depend_on_threads_and_instruction_set() {
        let inputs = PixelInputs::full(40, Coords::Fer);
        let rgb = vec![0.3; 3 * inputs.pixels()];
        for cost in [MapCost::TotalVariation { side: 40 }, MapCost::Overlap] {
            for Model { network, mask, weights } in models() {
                let run = |threads: usize, isa: Isa| {
                    let pool =
                        rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
                    pool.install(|| {
                        let mut objective = Objective::with_map_cost(
                            &network,
                            &mask,
                            &inputs,
                            &rgb,
                            (cost, 2.0),
                            isa,
                        );
                        let mut gradient = vec![0.0; weights.0.len()];
                        objective.loss_and_gradient(&weights.0, &mut gradient);
                        gradient
                    })
                };
                let first = run(1, Isa::best());
                for isa in Isa::available() {
                    assert_eq!(first, run(3, isa), "{cost:?} on {}", isa.name());
                }
            }
        }
    }

    #[test]
    fn selected_pixels_have_the_overlap_of_these_pixels() {
        let inputs = PixelInputs::full(40, Coords::Fer);
        let rgb = vec![0.3; 3 * inputs.pixels()];
        let some: Vec<u32> = (0..150).map(|p| 7 * p).collect();
        for Model { network, mask, weights } in models() {
            let gradient = |before: bool| {
                let cost = (MapCost::Overlap, 2.0);
                let mut objective =
                    Objective::with_map_cost(&network, &mask, &inputs, &rgb, cost, Isa::best());
                let mut gradient = vec![0.0; weights.0.len()];
                if before {
                    objective.loss_and_gradient(&weights.0, &mut gradient);
                }
                objective.select(Some(&some));
                objective.loss_and_gradient(&weights.0, &mut gradient);
                gradient
            };
            assert_eq!(gradient(true), gradient(false));
        }
    }

    #[test]
    fn the_gradient_leaves_out_nothing_of_the_loss() {
        let inputs = PixelInputs::full(SIDE, Coords::Fer);
        let rgb = vec![0.3; 3 * inputs.pixels()];
        for Model { network, mask, weights } in models() {
            let mut plain = Objective::new(&network, &mask, &inputs, &rgb);
            let cost = (MapCost::Overlap, 0.0);
            let mut penalised =
                Objective::with_map_cost(&network, &mask, &inputs, &rgb, cost, Isa::best());
            let [mut a, mut b] = [(); 2].map(|()| vec![0.0; weights.0.len()]);
            plain.loss_and_gradient(&weights.0, &mut a);
            penalised.loss_and_gradient(&weights.0, &mut b);
            for (a, b) in a.iter().zip(&b) {
                assert!((a - b).abs() < 1e-5 * (1.0 + a.abs()), "{a} {b}");
            }
        }
    }
}
