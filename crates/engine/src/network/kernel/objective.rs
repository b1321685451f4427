//! Loss and gradient of a network against a target picture.
// SAFETY of the module: workers share the groups through `Cells`; see there.
#![allow(unsafe_code)]

use super::cells::Cells;
use super::map_cost::{Injection, MapCost, MapCosts};
use super::pixels::PixelTiles;
use super::prepared::Prepared;
use super::program::{Options, Program};
use super::{colour, tile};
use crate::math::lanes::{Block, Isa, Lanes, ZERO, per_isa};
use crate::network::{Mask, Network, PixelInputs};
use rayon::prelude::*;
use std::cell::UnsafeCell;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Most groups of tiles whose gradients are summed apart, so that the order of every sum is fixed
/// whatever the number of threads.
const GROUPS: usize = 32;
/// Most floats the groups' gradients may take together.
const GROUP_FLOATS: usize = 4 << 20;

/// A fixed problem: network, mask, pixels and target. Everything a step needs is allocated here,
/// except the buffers of [`Objective::select`], which are allocated at its first use.
///
/// A step called inside a rayon pool neither allocates nor locks. The bits of its result do not depend on
/// the number of threads, nor on the CPU's instruction set.
///
/// ```
/// use picloom_engine::network::kernel::Objective;
/// use picloom_engine::network::{Arch, Coords, Mask, PixelInputs};
///
/// let network = "2;gaussian:2,sin:1".parse::<Arch>().unwrap().network();
/// let inputs = PixelInputs::full(8, Coords::Fer);
/// let target = vec![0.5; 3 * inputs.pixels()];
/// let mut objective = Objective::new(&network, &Mask::all(network.weight_count()), &inputs, &target);
/// let weights = vec![0.3; network.weight_count()];
/// let mut gradient = vec![0.0; weights.len()];
/// let loss = objective.loss_and_gradient(&weights, &mut gradient);
/// assert_eq!(loss, objective.loss(&weights));
/// assert!(gradient.iter().any(|&g| g != 0.0));
/// ```
#[derive(Debug)]
pub struct Objective {
    isa: Isa,
    program: Program,
    prepared: Prepared,
    mask: Mask,
    full: PixelTiles,
    /// Buffers for selected pixels, and whether they are in use.
    part: Option<PixelTiles>,
    selected: bool,
    groups: Cells<Group>,
    workers: Vec<Worker>,
    total: Vec<Block>,
    costs: Option<Box<MapCosts>>,
}

/// Sums over some tiles.
#[derive(Clone, Debug)]
struct Group {
    loss: f64,
    slots: Vec<Block>,
}

/// Buffers of one worker: a tile's values, dL/dz, slopes.
#[derive(Clone, Debug)]
struct Worker {
    a: Vec<Block>,
    d: Vec<Block>,
    slope: Vec<Block>,
    /// Gradients of edges, not yet summed over lanes.
    pending: Vec<Block>,
}

impl Group {
    fn new(slots: usize) -> Self {
        Group { loss: 0.0, slots: vec![ZERO; slots] }
    }
}

impl Objective {
    /// `mask` is (W,), `target` is (P, 3) interleaved rgb in [0, 1].
    ///
    /// # Panics
    /// If the mask or the target has another length, or there are no pixels.
    pub fn new(network: &Network, mask: &Mask, inputs: &PixelInputs, target: &[f32]) -> Self {
        Self::with_isa(network, mask, inputs, target, Isa::best())
    }

    /// As [`Objective::new`], on a chosen instruction set: the bits are the same, which tests hold to.
    ///
    /// # Panics
    /// As [`Objective::new`].
    pub fn with_isa(
        network: &Network,
        mask: &Mask,
        inputs: &PixelInputs,
        target: &[f32],
        isa: Isa,
    ) -> Self {
        Self::build(network, mask, inputs, target, None, isa)
    }

    /// As [`Objective::new`]; every gradient is that of the loss and `strength` times a cost of the maps,
    /// losses are without it. A step takes two to three times as long: every unit is drawn, relays too, and twice.
    ///
    /// # Panics
    /// As [`Objective::new`]; or the side of a total variation is below 2 or not the picture's.
    pub(crate) fn with_map_cost(
        network: &Network,
        mask: &Mask,
        inputs: &PixelInputs,
        target: &[f32],
        cost: (MapCost, f64),
        isa: Isa,
    ) -> Self {
        if let MapCost::TotalVariation { side } = cost.0 {
            assert!(side > 1 && side * side == inputs.pixels(), "a square of more than one pixel");
        }
        Self::build(network, mask, inputs, target, Some(cost), isa)
    }

    fn build(
        network: &Network,
        mask: &Mask,
        inputs: &PixelInputs,
        target: &[f32],
        cost: Option<(MapCost, f64)>,
        isa: Isa,
    ) -> Self {
        assert_eq!(mask.0.len(), network.weight_count(), "one flag a link");
        assert_eq!(target.len(), 3 * inputs.pixels(), "rgb of every pixel");
        assert!(inputs.pixels() > 0, "at least one pixel");
        // A relay without a row has no map to cost anything.
        let relays = cost.is_none();
        let program = Program::compile(
            network,
            &Options {
                keep: &|i| mask.0[i],
                relay: &|_| relays,
                everything: false,
                every_row: cost.is_some(),
            },
        );
        let full = PixelTiles::new(network, inputs, Some(target), program.stride);
        let stride = program.stride;
        let worker = Worker {
            a: vec![ZERO; program.rows * stride],
            d: vec![ZERO; program.places * stride],
            slope: vec![ZERO; program.slopes * stride],
            pending: vec![ZERO; program.widest() + 16],
        };
        let floats = (program.slots * 16).max(1);
        let groups = (GROUP_FLOATS / floats).clamp(4, GROUPS).min(full.tiles());
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        Objective {
            isa,
            prepared: Prepared::new(&program),
            mask: mask.clone(),
            part: None,
            selected: false,
            groups: Cells(
                (0..groups).map(|_| UnsafeCell::new(Group::new(program.slots))).collect(),
            ),
            workers: vec![worker; rayon::current_num_threads().max(threads).min(groups)],
            total: vec![ZERO; program.slots],
            costs: cost.map(|(cost, strength)| {
                Box::new(MapCosts::new(cost, strength, (network, mask), &program, &full))
            }),
            full,
            program,
        }
    }

    /// Uses only these pixels (indices into the full set, at most P of them) from now on; `None`:
    /// all of them again.
    ///
    /// # Panics
    /// If an index is not below P, or there are none or more than P.
    pub fn select(&mut self, pixels: Option<&[u32]>) {
        self.selected = pixels.is_some();
        if let Some(pixels) = pixels {
            let full = &self.full;
            self.part.get_or_insert_with(|| full.clone()).gather(full, pixels);
        }
    }

    /// Mean over pixels and channels of (rgb − target)². Weights of masked links count as 0.
    ///
    /// # Panics
    /// If there is not one weight a link.
    pub fn loss(&mut self, weights: &[f32]) -> f64 {
        self.pass(weights, false)
    }

    /// The cost of the maps, without its strength; 0 of an objective without.
    ///
    /// # Panics
    /// If there is not one weight a link.
    #[cfg(test)]
    pub(super) fn map_cost(&mut self, weights: &[f32]) -> f64 {
        self.pass(weights, true);
        let pixels = self.pixels().pixels();
        self.costs.as_mut().map_or(0.0, |costs| costs.cost(pixels))
    }

    /// The loss, and its gradient (W,), not normalised: 0 at masked links. With a cost of the maps the gradient is
    /// that of both, the loss is not.
    ///
    /// # Panics
    /// If there is not one weight, or one place in `gradient`, a link.
    pub fn loss_and_gradient(&mut self, weights: &[f32], gradient: &mut [f32]) -> f64 {
        assert_eq!(gradient.len(), self.mask.0.len(), "one slope a link");
        let loss = self.pass(weights, true);
        let groups = self.groups.0.len().min(self.pixels().tiles());
        let cells = &self.groups;
        let add_up = |first: usize, total: &mut [Block]| {
            total.fill(ZERO);
            for g in 0..groups {
                // SAFETY: the pass is over; the groups are only read here.
                let group = unsafe { cells.read(g) };
                let slots = &group.slots[first..first + total.len()];
                for (t, s) in total.iter_mut().zip(slots) {
                    for (t, s) in t.0.iter_mut().zip(&s.0) {
                        *t += s;
                    }
                }
            }
        };
        const CHUNK: usize = 128;
        if self.total.len() <= 2 * CHUNK {
            add_up(0, &mut self.total);
        } else {
            self.total
                .par_chunks_mut(CHUNK)
                .enumerate()
                .for_each(|(c, total)| add_up(c * CHUNK, total));
        }
        // The tiles' slopes are those of ½ Σ (rgb − target)².
        let scale = 2.0 / (3 * self.pixels().pixels()) as f64;
        let keep = &self.mask.0;
        self.prepared.unpack(&self.program, weights, |i| keep[i], &self.total, scale, gradient);
        loss
    }

    fn pixels(&self) -> &PixelTiles {
        match &self.part {
            Some(part) if self.selected => part,
            _ => &self.full,
        }
    }

    /// Runs every tile: the loss, and (with `slopes`) each group's gradient sums.
    fn pass(&mut self, weights: &[f32], slopes: bool) -> f64 {
        assert_eq!(weights.len(), self.mask.0.len(), "one weight a link");
        let keep = &self.mask.0;
        self.prepared.pack(&self.program, weights, |i| keep[i]);
        let (isa, program, prepared, groups) =
            (self.isa, &self.program, &self.prepared, &self.groups);
        let pixels = match &self.part {
            Some(part) if self.selected => part,
            _ => &self.full,
        };
        let count = groups.0.len().min(pixels.tiles());
        let costs = match self.costs.as_deref_mut().filter(|_| slopes) {
            Some(costs) => {
                draw_maps(isa, program, prepared, pixels, costs, &mut self.workers);
                costs.clear(pixels.tiles());
                costs.differentiate(isa, pixels.pixels());
                Some(&*costs)
            }
            None => None,
        };
        let next = AtomicUsize::new(0);
        let work = |worker: &mut Worker| {
            loop {
                let g = next.fetch_add(1, Ordering::Relaxed);
                if g >= count {
                    break;
                }
                // SAFETY: `next` gives each index to one worker.
                let group = unsafe { groups.get(g) };
                group.loss = 0.0;
                if slopes {
                    group.slots.fill(ZERO);
                }
                for t in super::program::part(pixels.tiles(), count, g) {
                    let (valid, used) = pixels.extent(t);
                    pixels.prefetch(t);
                    group.loss += if slopes {
                        let Worker { a, d, slope, pending } = worker;
                        let (inputs, target) = (pixels.inputs(t), pixels.target(t));
                        step(
                            isa,
                            program,
                            prepared,
                            inputs,
                            target,
                            a,
                            d,
                            slope,
                            pending,
                            &mut group.slots,
                            costs.map(|costs| costs.injection(t)),
                            valid,
                            used,
                        )
                    } else {
                        let (inputs, target) = (pixels.inputs(t), pixels.target(t));
                        loss_only(
                            isa,
                            program,
                            prepared,
                            inputs,
                            target,
                            &mut worker.a,
                            valid,
                            used,
                        )
                    };
                }
            }
        };
        let threads = rayon::current_num_threads().min(count);
        if threads <= 1 {
            work(&mut self.workers[0]);
        } else {
            let busy = threads.min(self.workers.len());
            self.workers[..busy].par_iter_mut().with_max_len(1).for_each(work);
        }
        let mut loss = 0.0;
        for g in 0..count {
            // SAFETY: the workers are done.
            loss += unsafe { groups.read(g) }.loss;
        }
        loss / (3 * pixels.pixels()) as f64
    }
}

/// Keeps the maps of all hidden units.
fn draw_maps(
    isa: Isa,
    program: &Program,
    prepared: &Prepared,
    pixels: &PixelTiles,
    costs: &MapCosts,
    workers: &mut [Worker],
) {
    let next = AtomicUsize::new(0);
    let work = |worker: &mut Worker| {
        loop {
            let t = next.fetch_add(1, Ordering::Relaxed);
            if t >= pixels.tiles() {
                break;
            }
            let (valid, used) = pixels.extent(t);
            let inputs = pixels.inputs(t);
            worker.a[..inputs.len()].copy_from_slice(inputs);
            tile::draw(isa, program, prepared, &mut worker.a, used);
            // SAFETY: `next` gives each tile to one worker; nobody reads before all are done.
            unsafe { costs.keep(t, &worker.a, valid) };
        }
    };
    let busy = rayon::current_num_threads().min(workers.len()).min(pixels.tiles());
    if busy <= 1 {
        work(&mut workers[0]);
    } else {
        workers[..busy].par_iter_mut().with_max_len(1).for_each(work);
    }
}

per_isa! {
    /// Forward, loss and backward of one tile; returns Σ (rgb − target)².
    fn step(
        program: &Program,
        prepared: &Prepared,
        inputs: &[Block],
        target: &[Block],
        a: &mut [Block],
        d: &mut [Block],
        slope: &mut [Block],
        pending: &mut [Block],
        slots: &mut [Block],
        injection: Option<Injection<'_>>,
        count: usize,
        used: usize,
    ) -> f64 = step_on
}

#[inline(always)]
#[allow(clippy::too_many_arguments)]
fn step_on<L: Lanes>(
    program: &Program,
    prepared: &Prepared,
    inputs: &[Block],
    target: &[Block],
    a: &mut [Block],
    d: &mut [Block],
    slope: &mut [Block],
    pending: &mut [Block],
    slots: &mut [Block],
    injection: Option<Injection<'_>>,
    count: usize,
    used: usize,
) -> f64 {
    a[..inputs.len()].copy_from_slice(inputs);
    tile::forward::<L>(program, prepared, a, Some(slope), used);
    let loss = colour::loss::<L>(program, prepared, a, target, Some(d), count, used);
    tile::backward::<L>(program, prepared, a, slope, d, pending, slots, injection, used);
    loss
}

per_isa! {
    /// Forward and loss of one tile.
    fn loss_only(
        program: &Program,
        prepared: &Prepared,
        inputs: &[Block],
        target: &[Block],
        a: &mut [Block],
        count: usize,
        used: usize,
    ) -> f64 = loss_only_on
}

#[inline(always)]
fn loss_only_on<L: Lanes>(
    program: &Program,
    prepared: &Prepared,
    inputs: &[Block],
    target: &[Block],
    a: &mut [Block],
    count: usize,
    used: usize,
) -> f64 {
    a[..inputs.len()].copy_from_slice(inputs);
    tile::forward::<L>(program, prepared, a, None, used);
    colour::loss::<L>(program, prepared, a, target, None, count, used)
}
