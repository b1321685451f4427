//! Pictures of a network when a few weights change, from stored base activations.

// SAFETY of the two unsafe calls: see there.
#![allow(unsafe_code)]

use super::program::{BLOCK_ROWS, Program, STEP, Stage, part};
use super::{FeatureMaps, Prepared, Renderer, colours, interleave, tile, unit_rows};
use crate::math::Activation;
use crate::math::lanes::{Block, Isa, LANES, Lanes, ZERO, per_isa};
use crate::network::{Model, PixelInputs};
use std::ops::Range;

/// The base of a set of perturbations of one network: shared between threads.
///
/// Holds every unit's activation at every pixel (U · P floats). A perturbation recomputes only the
/// units between the changed links' targets and the outputs, and gives the bits that
/// [`super::render`] gives for the changed weights.
#[derive(Clone, Debug)]
pub struct Perturber {
    model: Model,
    program: Program,
    prepared: Prepared,
    isa: Isa,
    pixels: usize,
    /// (tiles, U, stride)
    values: Vec<Block>,
    /// (tiles, 3, stride)
    planes: Vec<Block>,
    base: Vec<f32>,
}

/// Buffers of one thread, from [`Perturber::scratch`].
#[derive(Clone, Debug, Default)]
pub struct PerturbScratch {
    /// (W,) current weights; equal to the base's between calls.
    weights: Vec<f32>,
    undo: Vec<(usize, f32)>,
    /// (U,) target of a changed link; to be recomputed; present in `a`.
    target: Vec<bool>,
    affected: Vec<bool>,
    needed: Vec<bool>,
    /// Rows copied from the base, then what to compute.
    copies: Vec<usize>,
    steps: Vec<Step>,
    /// Sources (in blocks) and weights of the changed units' edges.
    edge_at: Vec<u32>,
    edge: Vec<f32>,
    /// (U, stride) and (3, stride).
    a: Vec<Block>,
    rgb: Vec<Block>,
}

#[derive(Clone, Debug)]
enum Step {
    /// A row from the program's edges.
    Edges(usize, Range<usize>),
    /// A row from the scratch's edges.
    Changed(usize, Range<usize>),
    /// Rows of a dense panel: floats of the panel, first source row, sources, target rows.
    Panel(Range<usize>, usize, usize, Range<usize>),
    /// Applied to one row.
    Activate(usize, Activation),
}

impl Perturber {
    /// Stores what the units of `model` draw.
    ///
    /// # Panics
    /// If there is not one weight a link.
    pub fn new(model: &Model, inputs: &PixelInputs) -> Self {
        let pass = Renderer::on(&model.network, &model.weights, true, Isa::best());
        let (stride, rows) = (pass.program.stride, pass.program.rows);
        let cut = pass.tiles(inputs);
        let tiles = cut.tiles();
        let mut values = vec![ZERO; tiles * rows * stride];
        let mut planes = vec![ZERO; tiles * 3 * stride];
        let mut base = vec![0.0; 3 * inputs.pixels()];
        for (t, out) in base.chunks_mut(3 * stride * LANES).enumerate() {
            let a = &mut values[t * rows * stride..][..rows * stride];
            let rgb = &mut planes[t * 3 * stride..][..3 * stride];
            let used = pass.run(&cut, t, a);
            colours(pass.isa, &pass.program, &pass.prepared, a, rgb, used);
            interleave(rgb, out);
        }
        Perturber {
            model: model.clone(),
            isa: pass.isa,
            program: pass.program,
            prepared: pass.prepared,
            pixels: inputs.pixels(),
            values,
            planes,
            base,
        }
    }

    /// The unchanged network.
    pub(crate) fn model(&self) -> &Model {
        &self.model
    }

    /// (U, P) feature maps of the unchanged weights.
    pub(crate) fn maps(&self) -> FeatureMaps {
        let tile = (self.program.rows * self.program.stride).max(1);
        let tiles: Vec<&[Block]> = self.values.chunks(tile).collect();
        unit_rows(&tiles, self.model.network.units.len(), self.pixels, self.program.tile_pixels())
    }

    /// (P, 3) picture of the unchanged weights.
    pub fn base(&self) -> &[f32] {
        &self.base
    }

    /// Buffers for one thread.
    pub fn scratch(&self) -> PerturbScratch {
        let (units, stride) = (self.model.network.units.len(), self.program.stride);
        PerturbScratch {
            weights: self.model.weights.0.clone(),
            target: vec![false; units],
            affected: vec![false; units],
            needed: vec![false; units],
            a: vec![ZERO; units * stride],
            rgb: vec![ZERO; 3 * stride],
            ..Default::default()
        }
    }

    /// Writes the (P, 3) picture when each `(link, value)` is set; later entries win.
    ///
    /// # Panics
    /// If there is no such link, `out` has another length, or the scratch is another perturber's.
    pub fn with_weights(
        &self,
        scratch: &mut PerturbScratch,
        changes: &[(usize, f32)],
        out: &mut [f32],
    ) {
        assert_eq!(out.len(), self.base.len(), "rgb of every pixel");
        if !self.plan(scratch, changes) {
            out.copy_from_slice(&self.base);
            return;
        }
        for (t, out) in out.chunks_mut(3 * self.program.tile_pixels()).enumerate() {
            self.tile(scratch, t);
            interleave(&scratch.rgb, out);
        }
    }

    /// Root mean squared difference, over pixels and channels, between the base picture and the
    /// one with each `(link, value)` set: the `effect` of the changes. Later entries win.
    ///
    /// # Panics
    /// If there is no such link, or the scratch is another perturber's.
    pub fn rmse_with_weights(&self, scratch: &mut PerturbScratch, changes: &[(usize, f32)]) -> f64 {
        if !self.plan(scratch, changes) || self.pixels == 0 {
            return 0.0;
        }
        let (tile, stride) = (self.program.tile_pixels(), self.program.stride);
        let mut sum = 0.0;
        for t in 0..self.pixels.div_ceil(tile) {
            self.tile(scratch, t);
            let base = &self.planes[t * 3 * stride..][..3 * stride];
            let count = (self.pixels - t * tile).min(tile);
            sum += squares(self.isa, &scratch.rgb, base, count);
        }
        (sum / (3 * self.pixels) as f64).sqrt()
    }

    /// Lists in `scratch` what the changes make necessary; false if no output feels them.
    fn plan(&self, scratch: &mut PerturbScratch, changes: &[(usize, f32)]) -> bool {
        let network = &self.model.network;
        let units = network.units.len();
        assert_eq!(scratch.target.len(), units, "a scratch of this perturber");
        let stride = self.program.stride;
        let PerturbScratch {
            weights,
            undo,
            target,
            affected,
            needed,
            copies,
            steps,
            edge_at,
            edge,
            ..
        } = scratch;
        copies.clear();
        steps.clear();
        edge_at.clear();
        edge.clear();
        target.fill(false);
        needed.fill(false);
        for &(link, value) in changes {
            undo.push((link, weights[link]));
            weights[link] = value;
        }
        for &(link, _) in changes {
            let (before, now) = (self.model.weights.0[link], weights[link]);
            if before.to_bits() != now.to_bits() {
                target[network.links[link].target] = true;
            }
        }
        // Downstream of a changed link, and upstream of an output.
        let live = |u: usize| {
            let links = network.units[u].links.clone();
            links.filter(|&i| weights[i] != 0.0).map(|i| network.links[i].source)
        };
        for u in 0..units {
            affected[u] = target[u] || live(u).any(|s| affected[s]);
        }
        for u in network.outputs.into_iter().flatten() {
            needed[u] = true;
        }
        let touched = network.outputs.into_iter().flatten().any(|u| affected[u]);
        if touched {
            for u in (network.inputs.len()..units).rev() {
                if needed[u] && affected[u] {
                    live(u).for_each(|s| needed[s] = true);
                }
            }
            for u in 0..units {
                affected[u] &= needed[u];
            }
            let activation = |u: usize| network.units[u].activation;
            let changed =
                |u: usize, steps: &mut Vec<Step>, edge_at: &mut Vec<u32>, edge: &mut Vec<f32>| {
                    let first = edge.len();
                    for i in network.units[u].links.clone() {
                        if weights[i] != 0.0 {
                            let source = network.links[i].source;
                            assert!(source < u, "units of a network are in topological order");
                            edge_at.push((source * stride) as u32);
                            edge.push(weights[i]);
                        }
                    }
                    steps.push(Step::Changed(u, first..edge.len()));
                    steps.push(Step::Activate(u, activation(u)));
                };
            for stage in &self.program.stages {
                match stage {
                    Stage::Sparse(s) => {
                        // All units are computed and none is a relay: rows are units.
                        for single in s.units.iter().filter(|s| affected[s.row]) {
                            let u = single.row;
                            if target[u] {
                                changed(u, steps, edge_at, edge);
                            } else {
                                steps.push(Step::Edges(u, single.edges.clone()));
                                steps.push(Step::Activate(u, activation(u)));
                            }
                        }
                    }
                    Stage::Dense(s) => {
                        let blocks = s.n_out.div_ceil(BLOCK_ROWS);
                        for b in 0..blocks {
                            let rows = part(s.n_out, blocks, b);
                            let first = s.target;
                            if !rows.clone().any(|r| affected[first + r] && !target[first + r]) {
                                continue;
                            }
                            // Every source is read, and every row of the panel is written.
                            needed[s.source..s.source + s.n_in].fill(true);
                            let panel =
                                s.forward + rows.start * s.n_in..s.forward + rows.end * s.n_in;
                            let rows = first + rows.start..first + rows.end;
                            steps.push(Step::Panel(panel, s.source, s.n_in, rows.clone()));
                            for u in rows {
                                affected[u] = true;
                                if !target[u] {
                                    steps.push(Step::Activate(u, activation(u)));
                                }
                            }
                        }
                        for u in s.target..s.target + s.n_out {
                            if target[u] && affected[u] {
                                changed(u, steps, edge_at, edge);
                            }
                        }
                    }
                }
            }
            copies.extend((0..units).filter(|&u| needed[u] && !affected[u]));
        }
        for (link, old) in undo.drain(..).rev() {
            weights[link] = old;
        }
        touched
    }

    /// The rgb planes of tile `t` under the planned changes, in `scratch.rgb`.
    fn tile(&self, scratch: &mut PerturbScratch, t: usize) {
        let (stride, rows) = (self.program.stride, self.program.rows);
        let base = &self.values[t * rows * stride..][..rows * stride];
        let PerturbScratch { copies, steps, edge_at, edge, a, rgb, .. } = scratch;
        for &u in copies.iter() {
            let row = u * stride..(u + 1) * stride;
            a[row.clone()].copy_from_slice(&base[row]);
        }
        let tile = self.program.tile_pixels();
        let count = (self.pixels - t * tile).min(tile);
        let used = count.div_ceil(LANES * STEP) * STEP;
        run_steps(self.isa, &self.program, &self.prepared, steps, edge_at, edge, a, used);
        colours(self.isa, &self.program, &self.prepared, a, rgb, used);
    }
}

per_isa! {
    /// Computes the listed rows of a tile.
    fn run_steps(
        program: &Program,
        prepared: &Prepared,
        steps: &[Step],
        edge_at: &[u32],
        edge: &[f32],
        a: &mut [Block],
        used: usize,
    ) = run_steps_on
}

#[inline(always)]
fn run_steps_on<L: Lanes>(
    program: &Program,
    prepared: &Prepared,
    steps: &[Step],
    edge_at: &[u32],
    edge: &[f32],
    a: &mut [Block],
    used: usize,
) {
    let stride = program.stride;
    assert!(a.len() >= program.rows * stride && used <= stride);
    for step in steps {
        match step {
            Step::Edges(u, edges) => {
                let (at, w) = (&program.edge_at[edges.clone()], &prepared.edge[edges.clone()]);
                let rows = a.as_mut_ptr();
                // SAFETY: sources are rows before this one (`Program::check`), all of them in `a`.
                unsafe { tile::gather::<L>(at, w, rows, rows.add(u * stride), used, false) };
            }
            Step::Changed(u, edges) => {
                let (at, w) = (&edge_at[edges.clone()], &edge[edges.clone()]);
                let rows = a.as_mut_ptr();
                // SAFETY: likewise (asserted in `plan`).
                unsafe { tile::gather::<L>(at, w, rows, rows.add(u * stride), used, false) };
            }
            Step::Panel(panel, source, n_in, rows) => {
                let (sources, out) = a.split_at_mut(rows.start * stride);
                let panel = &prepared.panels[panel.clone()];
                let sources = &sources[source * stride..];
                tile::dense::<L>(panel, sources, out, *n_in, rows.len(), stride, used);
            }
            Step::Activate(u, activation) => {
                let row = &mut a[u * stride..(u + 1) * stride];
                tile::activate_rows::<L>(*activation, row, None, stride, used);
            }
        }
    }
}

per_isa! {
    /// Σ (a − b)² over the first `count` pixels of three planes.
    fn squares(a: &[Block], b: &[Block], count: usize) -> f64 = squares_on
}

#[inline(always)]
fn squares_on<L: Lanes>(a: &[Block], b: &[Block], count: usize) -> f64 {
    let stride = a.len() / 3;
    let zero = L::splat(0.0);
    let mut sum = zero;
    for v in 0..count.div_ceil(LANES) {
        let valid = (count - v * LANES).min(LANES);
        let mut lanes = ZERO;
        lanes.0[..valid].fill(1.0);
        for c in 0..3 {
            let i = c * stride + v;
            let e = L::load(&a[i]).sub(L::load(&b[i]));
            let e = L::load(&lanes).gt(zero, e, zero);
            sum = e.fma(e, sum);
        }
    }
    let mut lanes = ZERO;
    sum.store(&mut lanes);
    lanes.0.iter().map(|&x| f64::from(x)).sum()
}
