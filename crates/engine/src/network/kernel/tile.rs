//! The loops over the pixels of one tile, generic over [`Lanes`].
//!
//! Buffers are rows of `stride` blocks of 16 pixels, of which the first `used` (a multiple of 4) count.
//! a: (rows, stride) values; d: (places, stride) dL/dz and dL/d(output); slope: (slopes, stride).
//! The sum over sources runs in row order, the sum over pixels by lane, whatever the block shapes.
// SAFETY of the unchecked indices: `Program` lays out rows, offsets and panels, and every function
// asserts the extent of what it was given before its loops.
#![allow(unsafe_code)]
// Loops over register blocks index several arrays at once; iterators would hide the shape.
#![allow(clippy::needless_range_loop)]

use super::map_cost::Injection;
use super::prepared::Prepared;
use super::program::{BLOCK_ROWS, Dense, OUTER, PIECE, Program, Readers, Run, STEP, Stage, part};
use crate::math::Activation;
use crate::math::lanes::activate::value_and_slope;
use crate::math::lanes::{Block, LANES, Lanes, each, per_isa};

#[inline(always)]
fn at<L: Lanes>(blocks: &[Block], i: usize) -> L {
    debug_assert!(i < blocks.len());
    // SAFETY: see the module.
    L::load(unsafe { blocks.get_unchecked(i) })
}

#[inline(always)]
fn put<L: Lanes>(blocks: &mut [Block], i: usize, value: L) {
    debug_assert!(i < blocks.len());
    // SAFETY: see the module.
    value.store(unsafe { blocks.get_unchecked_mut(i) });
}

/// out[r, v..v + C] = Σ_k panel[k, first + r] · sources[k, v..v + C] for R rows; `panel` is (n, width).
///
/// # Safety
/// `first` + R ≤ `width`; `panel` has n · width weights, `sources` n rows and `out` R rows of `stride` ≥ v + C blocks.
#[inline(always)]
#[allow(clippy::too_many_arguments)]
unsafe fn dense_block<L: Lanes, const R: usize, const C: usize>(
    panel: &[f32],
    (first, width): (usize, usize),
    sources: &[Block],
    out: &mut [Block],
    n: usize,
    stride: usize,
    v: usize,
) {
    let mut sums = L::zeros::<R, C>();
    for k in 0..n {
        let [mut x] = L::zeros::<1, C>();
        each!(c < C of 4 => { x[c] = at(sources, k * stride + v + c); });
        each!(r < R of 6 => {
            let i = k * width + first + r;
            debug_assert!(i < panel.len());
            // SAFETY: the caller's promise.
            let w = L::splat(unsafe { *panel.get_unchecked(i) });
            each!(c < C of 4 => { sums[r][c] = w.fma(x[c], sums[r][c]); });
        });
    }
    each!(r < R of 6 => {
        each!(c < C of 4 => { put(out, r * stride + v + c, sums[r][c]); });
    });
}

/// out = panel · sources: (n_out, n_in) times (n_in, pixels). Forward with W, backward with Wᵀ.
#[cfg_attr(target_arch = "wasm32", inline(never))]
#[cfg_attr(not(target_arch = "wasm32"), inline(always))]
pub(super) fn dense<L: Lanes>(
    panel: &[f32],
    sources: &[Block],
    out: &mut [Block],
    n_in: usize,
    n_out: usize,
    stride: usize,
    used: usize,
) {
    assert!(panel.len() == n_in * n_out && used <= stride && used.is_multiple_of(STEP));
    assert!(sources.len() >= n_in * stride && out.len() >= n_out * stride);
    let blocks = n_out.div_ceil(BLOCK_ROWS);
    let mut v = 0;
    while v < used {
        for b in 0..blocks {
            let rows = part(n_out, blocks, b);
            let panel = &panel[rows.start * n_in..rows.end * n_in];
            let out = &mut out[rows.start * stride..rows.end * stride];
            let width = rows.len();
            // SAFETY, here and below: the asserts above, and the parts of this block.
            if L::HELD < 8 {
                for v in v..v + STEP {
                    for r in (0..width - width % 2).step_by(2) {
                        let (at, out) = ((r, width), &mut out[r * stride..]);
                        unsafe { dense_block::<L, 2, 1>(panel, at, sources, out, n_in, stride, v) };
                    }
                    if width % 2 == 1 {
                        let (at, out) = ((width - 1, width), &mut out[(width - 1) * stride..]);
                        unsafe { dense_block::<L, 1, 1>(panel, at, sources, out, n_in, stride, v) };
                    }
                }
                continue;
            }
            macro_rules! shape {
                ($($r:literal)*) => { match width {
                    $($r => unsafe { if L::HELD >= 32 {
                        dense_block::<L, $r, 4>(panel, (0, $r), sources, out, n_in, stride, v);
                    } else {
                        for v in v..v + STEP {
                            dense_block::<L, $r, 1>(panel, (0, $r), sources, out, n_in, stride, v);
                        }
                    } },)*
                    _ => unreachable!("at most BLOCK_ROWS rows"),
                } };
            }
            shape!(1 2 3 4 5 6);
        }
        v += STEP;
    }
}

/// I × K sums over the pixels of dz[i] · a[k], not yet reduced over lanes, to `sums[OUTER * i + k]`. The registers of
/// a vector are summed one after the other: not every processor can hold I · K sums of whole vectors.
///
/// # Safety
/// `used` blocks from each of the I rows at `dz` and the K rows at `a`, `stride` apart, are readable; `sums` has a vector
/// for each sum.
// One pointer a side moves along the rows, STEP vectors a turn: with an index a row, the integer work
// of a turn takes longer than its multiply-adds. Of small registers one: more loads in flight would not fit them.
#[inline(always)]
unsafe fn outer_block<L: Lanes, const I: usize, const K: usize>(
    dz: *const Block,
    a: *const Block,
    stride: usize,
    used: usize,
    sums: *mut L,
) {
    let stride = stride * L::REGISTERS;
    let turn = if L::HELD < 8 { 1 } else { STEP };
    for part in 0..L::REGISTERS {
        // SAFETY: the caller's promise, here and below; a block and a vector are their registers, and zero bits are zeros.
        let mut block: [[L::Register; K]; I] = unsafe { std::mem::zeroed() };
        let mut dz = unsafe { dz.cast::<L::Register>().add(part) };
        let mut a = unsafe { a.cast::<L::Register>().add(part) };
        let end = dz.wrapping_add(used * L::REGISTERS);
        while dz < end {
            each!(v < turn of 4 => {
                let v = v * L::REGISTERS;
                let mut x: [L::Register; K] = unsafe { std::mem::zeroed() };
                each!(c < K of 4 => { x[c] = unsafe { *a.add(c * stride + v) }; });
                each!(r < I of 4 => {
                    let y = unsafe { *dz.add(r * stride + v) };
                    each!(c < K of 4 => { block[r][c] = L::fma_register(y, x[c], block[r][c]); });
                });
            });
            (dz, a) = (dz.wrapping_add(turn * L::REGISTERS), a.wrapping_add(turn * L::REGISTERS));
        }
        let sums = sums.cast::<L::Register>();
        each!(r < I of 4 => {
            each!(c < K of 4 => {
                unsafe { *sums.add((OUTER * r + c) * L::REGISTERS + part) = block[r][c] };
            });
        });
    }
}

/// Adds the weight gradient dz · aᵀ of one tile, in `OUTER`² blocks, one slot each.
#[cfg_attr(target_arch = "wasm32", inline(never))]
#[cfg_attr(not(target_arch = "wasm32"), inline(always))]
fn outer<L: Lanes>(
    dz: &[Block],
    a: &[Block],
    slots: &mut [Block],
    n_in: usize,
    n_out: usize,
    stride: usize,
    used: usize,
) {
    let (bi, bk) = (n_out.div_ceil(OUTER), n_in.div_ceil(OUTER));
    assert!(dz.len() >= n_out * stride && a.len() >= n_in * stride);
    assert!(slots.len() >= bi * bk && used <= stride && used.is_multiple_of(STEP));
    for b in 0..bi {
        let rows = part(n_out, bi, b);
        let dz = dz[rows.start * stride..rows.end * stride].as_ptr();
        for c in 0..bk {
            let columns = part(n_in, bk, c);
            let a = a[columns.start * stride..columns.end * stride].as_ptr();
            let [mut sums] = L::zeros::<1, LANES>();
            // Two rows at once where the registers do not hold the sums of four.
            let (all, mut i) = (L::HELD >= 32, 0);
            while i == 0 || (!all && i < rows.len()) {
                let high = if all { rows.len() } else { rows.len().saturating_sub(i).min(2) };
                macro_rules! shape {
                    ($($i:literal $k:literal)*) => { match (high, columns.len()) {
                        // SAFETY: rows and columns of this block; `used` ≤ `stride`; i · OUTER < LANES.
                        $(($i, $k) if all || $i <= 2 => unsafe {
                            let (dz, sums) = (dz.add(i * stride), sums.as_mut_ptr().add(i * OUTER));
                            outer_block::<L, $i, $k>(dz, a, stride, used, sums);
                        },)*
                        _ => unreachable!("at most OUTER rows and columns"),
                    } };
                }
                shape!(1 1 1 2 1 3 1 4 2 1 2 2 2 3 2 4 3 1 3 2 3 3 3 4 4 1 4 2 4 3 4 4);
                i += 2;
            }
            let slot = &mut slots[b * bk + c];
            L::load(slot).add(L::reduce(&sums)).store(slot);
        }
    }
}

/// out = (add ? out : 0) + Σ_e weights[e] · rows[offsets[e]..][..used].
///
/// # Safety
/// For every e, `rows + offsets[e]` and the `used` blocks from there are readable, and none of them is
/// among the `used` writable blocks at `out`.
#[cfg_attr(target_arch = "wasm32", inline(never))]
#[cfg_attr(not(target_arch = "wasm32"), inline(always))]
pub(super) unsafe fn gather<L: Lanes>(
    offsets: &[u32],
    weights: &[f32],
    rows: *const Block,
    out: *mut Block,
    used: usize,
    add: bool,
) {
    assert_eq!(offsets.len(), weights.len());
    let mut v = 0;
    while L::HELD >= 32 && v + 2 * PIECE <= used {
        // SAFETY: the caller's promise; v + 2 · PIECE ≤ used.
        unsafe { gather_block::<L, { 2 * PIECE }>(offsets, weights, rows.add(v), out.add(v), add) };
        v += 2 * PIECE;
    }
    while L::HELD >= 32 && v + PIECE <= used {
        // SAFETY: likewise.
        unsafe { gather_block::<L, PIECE>(offsets, weights, rows.add(v), out.add(v), add) };
        v += PIECE;
    }
    while v < used {
        // SAFETY: likewise; `used` is a multiple of STEP.
        unsafe {
            if L::HELD < 8 {
                gather_block::<L, 2>(offsets, weights, rows.add(v), out.add(v), add);
                gather_block::<L, 2>(offsets, weights, rows.add(v + 2), out.add(v + 2), add);
            } else {
                gather_block::<L, STEP>(offsets, weights, rows.add(v), out.add(v), add);
            }
        }
        v += STEP;
    }
}

/// `gather` of C vectors. Same promise, with C for `used`.
#[inline(always)]
unsafe fn gather_block<L: Lanes, const C: usize>(
    offsets: &[u32],
    weights: &[f32],
    rows: *const Block,
    out: *mut Block,
    add: bool,
) {
    let [mut sums] = L::zeros::<1, C>();
    // SAFETY: the caller's promise, here and below.
    if add {
        each!(c < C of 24 => { sums[c] = L::load(unsafe { &*out.add(c) }); });
    }
    for (&offset, &w) in offsets.iter().zip(weights) {
        let w = L::splat(w);
        each!(c < C of 24 => {
            let x = L::load(unsafe { &*rows.add(offset as usize + c) });
            sums[c] = w.fma(x, sums[c]);
        });
    }
    each!(c < C of 24 => { sums[c].store(unsafe { &mut *out.add(c) }); });
}

/// Sums over lanes waiting for their reduction, sixteen at a time.
struct Pending<'a> {
    /// At least 15 more than the readers in a stage.
    sums: &'a mut [Block],
    count: usize,
    slots: &'a mut [Block],
    next: usize,
}

impl Pending<'_> {
    /// Reduces every sixteen that are complete; with `all`, the rest too.
    #[inline(always)]
    fn flush<L: Lanes>(&mut self, all: bool) {
        let mut done = 0;
        while self.count - done >= LANES || (all && self.count > done) {
            let [mut sums] = L::zeros::<1, LANES>();
            let count = (self.count - done).min(LANES);
            for (sum, block) in sums.iter_mut().zip(&self.sums[done..done + count]) {
                *sum = L::load(block);
            }
            let slot = &mut self.slots[self.next];
            L::load(slot).add(L::reduce(&sums)).store(slot);
            self.next += 1;
            done += count;
        }
        self.sums.copy_within(done..self.count, 0);
        self.count -= done;
    }

    /// For the readers of one row, at `offsets` of `d`, with `own` the row's values: adds weight · dz
    /// of each into `out` (if given), times `slope` (if given), and keeps ⟨dz, own⟩ of each. That is
    /// summed in pieces of 12, 8 or 4 vectors, each as the sum over even vectors plus that over odd
    /// ones (more sums in flight would not fit the registers).
    ///
    /// # Safety
    /// For every offset, the `used` blocks of `d` from there are readable, and none of them is among
    /// the `used` writable blocks at `out`; `used` blocks at `own` and at `slope` are readable.
    #[inline(always)]
    #[allow(clippy::too_many_arguments)]
    unsafe fn collect<L: Lanes>(
        &mut self,
        offsets: &[u32],
        weights: &[f32],
        d: *const Block,
        own: *const Block,
        slope: Option<*const Block>,
        out: Option<*mut Block>,
        used: usize,
        add: bool,
    ) {
        assert_eq!(offsets.len(), weights.len());
        let sums = &mut self.sums[self.count..self.count + offsets.len()];
        self.count += offsets.len();
        let fused = if L::HELD >= 32 { out } else { None };
        if let (Some(out), false) = (out, L::HELD >= 32) {
            // SAFETY: the caller's promise.
            unsafe {
                gather::<L>(offsets, weights, d, out, used, add);
                if let Some(slope) = slope {
                    for v in 0..used {
                        let (d, s) = (&mut *out.add(v), &*slope.add(v));
                        L::load(d).mul(L::load(s)).store(d);
                    }
                }
            }
        }
        let mut v = 0;
        while v < used {
            let left = used - v;
            if L::HELD < 8 {
                let piece = match left {
                    PIECE.. => PIECE,
                    8.. => 8,
                    _ => STEP,
                };
                // SAFETY: the caller's promise; v + piece ≤ used.
                unsafe { dots::<L>(offsets, d.add(v), own.add(v), sums, piece, v > 0) };
                v += piece;
                continue;
            }
            macro_rules! piece {
                ($c:expr, $later:literal) => {
                    // SAFETY: the caller's promise; v + C ≤ used.
                    unsafe {
                        let (d, own) = (d.add(v), own.add(v));
                        match fused {
                            Some(out) => {
                                let slope = slope.map(|slope| slope.add(v));
                                let out = out.add(v);
                                collect_block::<L, { $c }, $later>(
                                    offsets, weights, d, own, slope, out, sums, add,
                                );
                            }
                            None => dots_block::<L, { $c }, $later>(offsets, d, own, sums),
                        }
                        v += $c;
                    }
                };
            }
            match (left, v > 0) {
                (PIECE.., false) => piece!(PIECE, false),
                (PIECE.., true) => piece!(PIECE, true),
                (8.., false) => piece!(8, false),
                (8.., true) => piece!(8, true),
                (_, false) => piece!(STEP, false),
                (_, true) => piece!(STEP, true),
            }
        }
    }
}

/// `Pending::collect` of C vectors; LATER adds to `sums`. Same promise, with C for `used`.
// LATER is no argument, nor is there any other branch in the loop: with one, the compiler moves the
// sums of `out` behind it and runs out of registers.
#[inline(always)]
#[allow(clippy::too_many_arguments)]
unsafe fn collect_block<L: Lanes, const C: usize, const LATER: bool>(
    offsets: &[u32],
    weights: &[f32],
    d: *const Block,
    own: *const Block,
    slope: Option<*const Block>,
    out: *mut Block,
    sums: &mut [Block],
    add: bool,
) {
    let [mut da, mut held] = L::zeros::<2, C>();
    for c in 0..C {
        // SAFETY: the caller's promise, here and below.
        held[c] = L::load(unsafe { &*own.add(c) });
        if add {
            da[c] = L::load(unsafe { &*out.add(c) });
        }
    }
    for ((&offset, &w), sum) in offsets.iter().zip(weights).zip(sums) {
        let w = L::splat(w);
        let [mut dots] = L::zeros::<1, 2>();
        for c in 0..C {
            let dz = L::load(unsafe { &*d.add(offset as usize + c) });
            da[c] = w.fma(dz, da[c]);
            dots[c % 2] = if c < 2 { dz.mul(held[c]) } else { dz.fma(held[c], dots[c % 2]) };
        }
        let dot = dots[0].add(dots[1]);
        let dot = if LATER { L::load(sum).add(dot) } else { dot };
        dot.store(sum);
    }
    if let Some(slope) = slope {
        for c in 0..C {
            da[c] = da[c].mul(L::load(unsafe { &*slope.add(c) }));
        }
    }
    for c in 0..C {
        da[c].store(unsafe { &mut *out.add(c) });
    }
}

/// The sums of `collect_block` alone. Same promise.
#[inline(always)]
unsafe fn dots_block<L: Lanes, const C: usize, const LATER: bool>(
    offsets: &[u32],
    d: *const Block,
    own: *const Block,
    sums: &mut [Block],
) {
    for (&offset, sum) in offsets.iter().zip(sums) {
        let [mut dots] = L::zeros::<1, 2>();
        for c in 0..C {
            // SAFETY: the caller's promise.
            let (dz, held) =
                unsafe { (L::load(&*d.add(offset as usize + c)), L::load(&*own.add(c))) };
            dots[c % 2] = if c < 2 { dz.mul(held) } else { dz.fma(held, dots[c % 2]) };
        }
        let dot = dots[0].add(dots[1]);
        let dot = if LATER { L::load(sum).add(dot) } else { dot };
        dot.store(sum);
    }
}

/// As `dots_block`, of `piece` vectors, an even number. Same promise.
#[cfg_attr(target_arch = "wasm32", inline(never))]
#[cfg_attr(not(target_arch = "wasm32"), inline(always))]
unsafe fn dots<L: Lanes>(
    offsets: &[u32],
    d: *const Block,
    own: *const Block,
    sums: &mut [Block],
    piece: usize,
    later: bool,
) {
    for (&offset, sum) in offsets.iter().zip(sums) {
        // SAFETY: the caller's promise, here and below.
        let (d, end) = unsafe { (d.add(offset as usize), own.add(piece)) };
        let pair = |d: *const Block, own: *const Block| unsafe {
            [(L::load(&*d), L::load(&*own)), (L::load(&*d.add(1)), L::load(&*own.add(1)))]
        };
        let [(d0, own0), (d1, own1)] = pair(d, own);
        let (mut even, mut odd) = (d0.mul(own0), d1.mul(own1));
        let (mut d, mut own) = unsafe { (d.add(2), own.add(2)) };
        while own < end {
            let [(d0, own0), (d1, own1)] = pair(d, own);
            (even, odd) = (d0.fma(own0, even), d1.fma(own1, odd));
            (d, own) = unsafe { (d.add(2), own.add(2)) };
        }
        let dot = even.add(odd);
        let dot = if later { L::load(sum).add(dot) } else { dot };
        dot.store(sum);
    }
}

/// z → f(z) in place, and f′(z), for consecutive rows.
#[inline(always)]
fn activate<L: Lanes>(
    run: &Run,
    a: &mut [Block],
    slope: Option<&mut [Block]>,
    stride: usize,
    used: usize,
) {
    let rows = &mut a[run.row * stride..(run.row + run.count) * stride];
    match slope {
        Some(slope) => {
            let slope = &mut slope[run.slope * stride..(run.slope + run.count) * stride];
            activate_rows::<L>(run.activation, rows, Some(slope), stride, used);
        }
        None => activate_rows::<L>(run.activation, rows, None, stride, used),
    }
}

/// As `activate`, for rows that begin at `rows[0]`.
#[cfg_attr(target_arch = "wasm32", inline(never))]
#[cfg_attr(not(target_arch = "wasm32"), inline(always))]
pub(super) fn activate_rows<L: Lanes>(
    activation: Activation,
    rows: &mut [Block],
    mut slope: Option<&mut [Block]>,
    stride: usize,
    used: usize,
) {
    macro_rules! each {
        ($($kind:ident)*) => { match activation {
            $(Activation::$kind => {
                let mut first = 0;
                while first < rows.len() {
                    match &mut slope {
                        Some(slope) => for (z, s) in rows[first..first + used].iter_mut().zip(&mut slope[first..first + used]) {
                            let (value, d) = value_and_slope::<L>(Activation::$kind, L::load(z));
                            value.store(z);
                            d.store(s);
                        },
                        None => for z in &mut rows[first..first + used] {
                            value_and_slope::<L>(Activation::$kind, L::load(z)).0.store(z);
                        },
                    }
                    first += stride;
                }
            })*
            Activation::Cache | Activation::Identity => {}
        } };
    }
    each!(Abs Cos Gaussian Relu Sigmoid Sin Square Tanh);
}

per_isa! {
    /// Rows I.. of a tile from its inputs.
    pub(super) fn draw(program: &Program, prepared: &Prepared, a: &mut [Block], used: usize) = draw_on
}

#[inline(always)]
fn draw_on<L: Lanes>(program: &Program, prepared: &Prepared, a: &mut [Block], used: usize) {
    forward::<L>(program, prepared, a, None, used);
}

/// Forward pass of a tile: rows I.. of `a` from rows 0..I; slopes where wanted.
#[inline(always)]
pub(super) fn forward<L: Lanes>(
    program: &Program,
    prepared: &Prepared,
    a: &mut [Block],
    mut slope: Option<&mut [Block]>,
    used: usize,
) {
    let stride = program.stride;
    assert!(a.len() >= program.rows * stride && used <= stride && used.is_multiple_of(STEP));
    for stage in &program.stages {
        match stage {
            Stage::Dense(s) => {
                let (sources, out) = a.split_at_mut(s.target * stride);
                let panel = &prepared.panels[s.forward..s.forward + s.n_in * s.n_out];
                let sources = &sources[s.source * stride..];
                dense::<L>(panel, sources, out, s.n_in, s.n_out, stride, used);
                for run in &s.runs {
                    activate::<L>(run, a, slope.as_deref_mut(), stride, used);
                }
            }
            Stage::Sparse(s) => {
                for unit in &s.units {
                    let offsets = &program.edge_at[unit.edges.clone()];
                    let weights = &prepared.edge[unit.edges.clone()];
                    let rows = a.as_mut_ptr();
                    // SAFETY: sources are rows before this one (`Program::check`), all of them in
                    // `a`, whose extent is asserted above.
                    unsafe {
                        let out = rows.add(unit.row * stride);
                        gather::<L>(offsets, weights, rows, out, used, false);
                    }
                }
                for run in &s.runs {
                    activate::<L>(run, a, slope.as_deref_mut(), stride, used);
                }
            }
        }
    }
}

/// Backward pass of a tile: `d` holds dL/d(output); fills the rest of `d`, adds into `slots`.
#[inline(always)]
#[allow(clippy::too_many_arguments)]
pub(super) fn backward<L: Lanes>(
    program: &Program,
    prepared: &Prepared,
    a: &[Block],
    slope: &[Block],
    d: &mut [Block],
    pending: &mut [Block],
    slots: &mut [Block],
    injection: Option<Injection<'_>>,
    used: usize,
) {
    let stride = program.stride;
    assert!(used <= stride && used.is_multiple_of(STEP));
    assert!(a.len() >= program.rows * stride && d.len() >= program.places * stride);
    let (slots, edge_slots) = slots.split_at_mut(program.edge_slot);
    let mut pending = Pending { sums: pending, count: 0, slots: edge_slots, next: 0 };
    for stage in program.stages.iter().rev() {
        match stage {
            Stage::Dense(s) => {
                for readers in &s.readers {
                    collect::<L>(program, prepared, a, slope, d, &mut pending, readers, used);
                }
                pending.flush::<L>(false);
                if let Some(injection) = injection {
                    for row in s.target..s.target + s.n_out {
                        inject::<L>(program, injection, row, d, true, used);
                    }
                }
                for run in &s.runs {
                    chain::<L>(program, run, d, slope, used);
                }
                let Dense { source, target, n_in, n_out, .. } = *s;
                let own = program.place[target] * stride;
                let own = own..own + n_out * stride;
                outer::<L>(
                    &d[own.clone()],
                    &a[source * stride..],
                    &mut slots[s.slot..],
                    n_in,
                    n_out,
                    stride,
                    used,
                );
                if let Some(panel) = s.backward {
                    let panel = &prepared.panels[panel..panel + n_in * n_out];
                    let first = program.place[source] * stride;
                    let [dz, out] = d
                        .get_disjoint_mut([own, first..first + n_in * stride])
                        .expect("a layer's places are not its sources'");
                    dense::<L>(panel, dz, out, n_out, n_in, stride, used);
                }
            }
            Stage::Sparse(s) => {
                for readers in &s.readers {
                    let Some(injection) = injection else {
                        collect::<L>(program, prepared, a, slope, d, &mut pending, readers, used);
                        continue;
                    };
                    let add = inject::<L>(program, injection, readers.row, d, readers.add, used);
                    let readers = &Readers { add: readers.add || add, ..readers.clone() };
                    collect::<L>(program, prepared, a, slope, d, &mut pending, readers, used);
                }
                pending.flush::<L>(false);
            }
        }
    }
    for (input, back) in program.input_readers.iter().enumerate() {
        let offsets = &program.back_at[back.clone()];
        let weights = &prepared.back[back.clone()];
        let own = a[input * stride..].as_ptr();
        // SAFETY: places are in `d` (`Program::check`), whose extent is asserted above, as is a's.
        unsafe { pending.collect::<L>(offsets, weights, d.as_ptr(), own, None, None, used, false) };
    }
    pending.flush::<L>(true);
}

/// Adds the slopes of a row's map to dL/da, or writes them if there is nothing to `add` to; false if it has none.
#[inline(always)]
fn inject<L: Lanes>(
    program: &Program,
    injection: Injection<'_>,
    row: usize,
    d: &mut [Block],
    add: bool,
    used: usize,
) -> bool {
    let Some(slopes) = injection.row(row) else { return false };
    let out = &mut d[program.place[row] * program.stride..][..used];
    for (d, s) in out.iter_mut().zip(slopes) {
        let s = L::load(s);
        let sum = if add { L::load(d).add(s) } else { s };
        sum.store(d);
    }
    true
}

/// dL/da of a row from its sparse readers (dL/dz where `readers` names its slopes), and the gradients
/// of their weights.
#[inline(always)]
#[allow(clippy::too_many_arguments)]
fn collect<L: Lanes>(
    program: &Program,
    prepared: &Prepared,
    a: &[Block],
    slope: &[Block],
    d: &mut [Block],
    pending: &mut Pending,
    readers: &Readers,
    used: usize,
) {
    let offsets = &program.back_at[readers.back.clone()];
    let weights = &prepared.back[readers.back.clone()];
    let own = a[readers.row * program.stride..].as_ptr();
    let slope = readers.slope.map(|row| slope[row * program.stride..][..used].as_ptr());
    let rows = d.as_mut_ptr();
    // SAFETY: readers' places are in `d` and are not this row's (`Program::check`); the caller
    // asserted the extents of `a` and `d`.
    unsafe {
        let out = rows.add(program.place[readers.row] * program.stride);
        pending.collect::<L>(offsets, weights, rows, own, slope, Some(out), used, readers.add);
    }
}

/// dL/dz = dL/da · f′(z) in place.
#[cfg_attr(target_arch = "wasm32", inline(never))]
#[cfg_attr(not(target_arch = "wasm32"), inline(always))]
fn chain<L: Lanes>(program: &Program, run: &Run, d: &mut [Block], slope: &[Block], used: usize) {
    let stride = program.stride;
    for r in 0..run.count {
        let d = &mut d[program.place[run.row + r] * stride..][..used];
        let slope = &slope[(run.slope + r) * stride..][..used];
        for (d, s) in d.iter_mut().zip(slope) {
            L::load(d).mul(L::load(s)).store(d);
        }
    }
}
