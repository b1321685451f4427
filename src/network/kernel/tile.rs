//! The loops over the pixels of one tile, generic over [`Lanes`].
//!
//! Buffers are rows of `stride` blocks of 16 pixels, of which the first `used` (a multiple of 4) count.
//! a: (rows, stride) values; d: (rows + 3, stride) dL/dz, then dL/d(output); slope: (slopes, stride).
//! The sum over sources runs in row order, the sum over pixels by lane, whatever the block shapes.
// SAFETY of the unchecked indices: `Program` lays out rows, offsets and panels, and every function
// asserts the extent of what it was given before its loops.
#![allow(unsafe_code)]

use super::prepared::Prepared;
use super::program::{
    BLOCK_ROWS, Dense, OUTER, OUTPUTS, Program, Readers, Run, Single, Stage, part,
};
use crate::math::Activation;
use crate::math::lanes::activate::value_and_slope;
use crate::math::lanes::{Block, LANES, Lanes, ZERO};

/// Vectors that a tile's used part is a multiple of.
pub(super) const STEP: usize = 4;

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

/// out[r, v..v + C] = Σ_k panel[k, r] · sources[k, v..v + C] for R rows.
#[inline(always)]
fn dense_block<L: Lanes, const R: usize, const C: usize>(
    panel: &[f32],
    sources: &[Block],
    out: &mut [Block],
    n: usize,
    stride: usize,
    v: usize,
) {
    let mut sums = [[L::splat(0.0); C]; R];
    for k in 0..n {
        let mut x = [L::splat(0.0); C];
        for c in 0..C {
            x[c] = at(sources, k * stride + v + c);
        }
        for r in 0..R {
            debug_assert!(k * R + r < panel.len());
            // SAFETY: see the module.
            let w = L::splat(unsafe { *panel.get_unchecked(k * R + r) });
            for c in 0..C {
                sums[r][c] = w.fma(x[c], sums[r][c]);
            }
        }
    }
    for r in 0..R {
        for c in 0..C {
            put(out, r * stride + v + c, sums[r][c]);
        }
    }
}

/// out = panel · sources: (n_out, n_in) times (n_in, pixels). Forward with W, backward with Wᵀ.
#[inline(always)]
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
            macro_rules! shape {
                ($($r:literal)*) => { match rows.len() {
                    $($r => if L::WIDE {
                        dense_block::<L, $r, 4>(panel, sources, out, n_in, stride, v);
                    } else {
                        for c in 0..STEP {
                            dense_block::<L, $r, 1>(panel, sources, out, n_in, stride, v + c);
                        }
                    },)*
                    _ => unreachable!("at most BLOCK_ROWS rows"),
                } };
            }
            shape!(1 2 3 4 5 6);
        }
        v += STEP;
    }
}

/// I × K sums over the pixels of dz[i] · a[k], not yet reduced over lanes.
#[inline(always)]
fn outer_block<L: Lanes, const I: usize, const K: usize>(
    dz: &[Block],
    a: &[Block],
    stride: usize,
    used: usize,
    sums: &mut [L; LANES],
    (i, k): (usize, usize),
) {
    let mut block = [[L::splat(0.0); K]; I];
    for v in 0..used {
        let mut x = [L::splat(0.0); K];
        for c in 0..K {
            x[c] = at(a, (k + c) * stride + v);
        }
        for r in 0..I {
            let y: L = at(dz, (i + r) * stride + v);
            for c in 0..K {
                block[r][c] = y.fma(x[c], block[r][c]);
            }
        }
    }
    for r in 0..I {
        for c in 0..K {
            sums[OUTER * (i + r) + k + c] = block[r][c];
        }
    }
}

/// Adds the weight gradient dz · aᵀ of one tile, in `OUTER`² blocks, one slot each.
#[inline(always)]
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
    assert!(dz.len() >= n_out * stride && a.len() >= n_in * stride && used <= stride);
    assert!(slots.len() >= bi * bk);
    for b in 0..bi {
        let rows = part(n_out, bi, b);
        let dz = &dz[rows.start * stride..rows.end * stride];
        for c in 0..bk {
            let columns = part(n_in, bk, c);
            let a = &a[columns.start * stride..columns.end * stride];
            let mut sums = [L::splat(0.0); LANES];
            macro_rules! shape {
                ($($i:literal $k:literal)*) => { match (rows.len(), columns.len()) {
                    $(($i, $k) => if L::WIDE {
                        outer_block::<L, $i, $k>(dz, a, stride, used, &mut sums, (0, 0));
                    } else {
                        for i in 0..$i {
                            for k in 0..$k {
                                outer_block::<L, 1, 1>(dz, a, stride, used, &mut sums, (i, k));
                            }
                        }
                    },)*
                    _ => unreachable!("at most OUTER rows and columns"),
                } };
            }
            shape!(1 1 1 2 1 3 1 4 2 1 2 2 2 3 2 4 3 1 3 2 3 3 3 4 4 1 4 2 4 3 4 4);
            let slot = &mut slots[b * bk + c];
            L::load(slot).add(L::reduce(&sums)).store(slot);
        }
    }
}

/// out = (add ? out : 0) + Σ_e weights[e] · rows[at[e]].
#[inline(always)]
pub(super) fn gather<L: Lanes>(
    offsets: &[u32],
    weights: &[f32],
    rows: &[Block],
    out: &mut [Block],
    used: usize,
    add: bool,
) {
    assert!(offsets.len() == weights.len() && out.len() >= used);
    assert!(
        offsets
            .iter()
            .all(|&offset| offset as usize + used <= rows.len())
    );
    let mut v = 0;
    while L::WIDE && v + 8 <= used {
        gather_block::<L, 8>(offsets, weights, rows, out, v, add);
        v += 8;
    }
    while v < used {
        gather_block::<L, 4>(offsets, weights, rows, out, v, add);
        v += 4;
    }
}

#[inline(always)]
fn gather_block<L: Lanes, const C: usize>(
    offsets: &[u32],
    weights: &[f32],
    rows: &[Block],
    out: &mut [Block],
    v: usize,
    add: bool,
) {
    let mut sums = [L::splat(0.0); C];
    if add {
        for c in 0..C {
            sums[c] = at(out, v + c);
        }
    }
    for (&offset, &w) in offsets.iter().zip(weights) {
        let w = L::splat(w);
        for c in 0..C {
            sums[c] = w.fma(at(rows, offset as usize + v + c), sums[c]);
        }
    }
    for c in 0..C {
        put(out, v + c, sums[c]);
    }
}

/// Sums over lanes waiting for their reduction, sixteen at a time.
struct Pending<'a, L> {
    sums: [L; LANES],
    count: usize,
    slots: &'a mut [Block],
    next: usize,
}

impl<L: Lanes> Pending<'_, L> {
    #[inline(always)]
    fn flush(&mut self) {
        for sum in &mut self.sums[self.count..] {
            *sum = L::splat(0.0);
        }
        let slot = &mut self.slots[self.next];
        L::load(slot).add(L::reduce(&self.sums)).store(slot);
        self.next += 1;
        self.count = 0;
    }

    /// ⟨dz, rows[at[e]]⟩ for each e.
    #[inline(always)]
    fn dots(&mut self, dz: &[Block], rows: &[Block], offsets: &[u32], used: usize) {
        assert!(dz.len() >= used);
        assert!(
            offsets
                .iter()
                .all(|&offset| offset as usize + used <= rows.len())
        );
        let mut e = 0;
        while e < offsets.len() {
            let n = (offsets.len() - e)
                .min(LANES - self.count)
                .min(if L::WIDE { 8 } else { 4 });
            let chunk = &offsets[e..e + n];
            macro_rules! shape {
                ($($n:literal)*) => { match n {
                    $($n => self.dots_block::<$n>(dz, rows, chunk, used),)*
                    _ => unreachable!("at most 8 edges"),
                } };
            }
            shape!(1 2 3 4 5 6 7 8);
            e += n;
            self.count += n;
            if self.count == LANES {
                self.flush();
            }
        }
    }

    #[inline(always)]
    fn dots_block<const N: usize>(
        &mut self,
        dz: &[Block],
        rows: &[Block],
        offsets: &[u32],
        used: usize,
    ) {
        let mut sums = [L::splat(0.0); N];
        for v in 0..used {
            let x: L = at(dz, v);
            for e in 0..N {
                sums[e] = x.fma(at(rows, offsets[e] as usize + v), sums[e]);
            }
        }
        self.sums[self.count..self.count + N].copy_from_slice(&sums);
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
#[inline(always)]
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
    each!(Cos Gaussian Relu Sigmoid Sin Tanh);
}

/// Forward pass of a tile: rows 4.. of `a` from rows 0..4; slopes where wanted.
#[inline(always)]
pub(super) fn forward<L: Lanes>(
    program: &Program,
    prepared: &Prepared,
    a: &mut [Block],
    mut slope: Option<&mut [Block]>,
    used: usize,
) {
    let stride = program.stride;
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
            Stage::Single(s) => {
                let (sources, out) = a.split_at_mut(s.row * stride);
                gather::<L>(
                    &program.edge_at[s.edges.clone()],
                    &prepared.edge[s.edges.clone()],
                    sources,
                    out,
                    used,
                    false,
                );
                if let Some(run) = &s.run {
                    activate::<L>(run, a, slope.as_deref_mut(), stride, used);
                }
            }
        }
    }
}

/// Backward pass of a tile: `d[rows..]` holds dL/d(output); fills the rest of `d`, adds into `slots`.
#[inline(always)]
pub(super) fn backward<L: Lanes>(
    program: &Program,
    prepared: &Prepared,
    a: &[Block],
    slope: &[Block],
    d: &mut [Block],
    slots: &mut [Block],
    used: usize,
) {
    let stride = program.stride;
    let (slots, edge_slots) = slots.split_at_mut(program.edge_slot);
    let mut pending = Pending::<L> {
        sums: [L::splat(0.0); LANES],
        count: 0,
        slots: edge_slots,
        next: 0,
    };
    for o in 0..OUTPUTS {
        let dz = &d[(program.rows + o) * stride..];
        pending.dots(dz, a, &program.edge_at[o..o + 1], used);
    }
    for stage in program.stages.iter().rev() {
        match stage {
            Stage::Dense(s) => {
                for readers in &s.readers {
                    collect::<L>(program, prepared, d, readers, used);
                }
                for run in &s.runs {
                    chain::<L>(run, d, slope, stride, used);
                }
                let Dense {
                    source,
                    target,
                    n_in,
                    n_out,
                    ..
                } = *s;
                let (before, dz) = d.split_at_mut(target * stride);
                outer::<L>(
                    dz,
                    &a[source * stride..],
                    &mut slots[s.slot..],
                    n_in,
                    n_out,
                    stride,
                    used,
                );
                if let Some(panel) = s.backward {
                    let panel = &prepared.panels[panel..panel + n_in * n_out];
                    let out = &mut before[source * stride..];
                    dense::<L>(panel, dz, out, n_out, n_in, stride, used);
                }
            }
            Stage::Single(Single {
                row,
                edges,
                run,
                readers,
            }) => {
                collect::<L>(program, prepared, d, readers, used);
                if let Some(run) = run {
                    chain::<L>(run, d, slope, stride, used);
                }
                pending.dots(&d[row * stride..], a, &program.edge_at[edges.clone()], used);
            }
        }
    }
    if pending.count > 0 {
        pending.flush();
    }
}

/// dL/da of a row from its sparse readers, all of which come after it.
#[inline(always)]
fn collect<L: Lanes>(
    program: &Program,
    prepared: &Prepared,
    d: &mut [Block],
    readers: &Readers,
    used: usize,
) {
    let first = (readers.row + 1) * program.stride;
    let (own, later) = d.split_at_mut(first);
    let own = &mut own[readers.row * program.stride..];
    let offsets = &program.back_at[readers.back.clone()];
    let weights = &prepared.back[readers.back.clone()];
    assert!(
        offsets
            .iter()
            .all(|&o| o as usize >= first && o as usize - first + used <= later.len())
    );
    let mut v = 0;
    while v < used {
        let mut sums = [L::splat(0.0); STEP];
        if readers.add {
            for c in 0..STEP {
                sums[c] = at(own, v + c);
            }
        }
        for (&offset, &w) in offsets.iter().zip(weights) {
            let w = L::splat(w);
            for c in 0..STEP {
                sums[c] = w.fma(at(later, offset as usize - first + v + c), sums[c]);
            }
        }
        for c in 0..STEP {
            put(own, v + c, sums[c]);
        }
        v += STEP;
    }
}

/// dL/dz = dL/da · f′(z) in place.
#[inline(always)]
fn chain<L: Lanes>(run: &Run, d: &mut [Block], slope: &[Block], stride: usize, used: usize) {
    for r in 0..run.count {
        let d = &mut d[(run.row + r) * stride..][..used];
        let slope = &slope[(run.slope + r) * stride..][..used];
        for (d, s) in d.iter_mut().zip(slope) {
            L::load(d).mul(L::load(s)).store(d);
        }
    }
}

/// Loss and its slope at the outputs, for one tile. `target`: (3, stride) planes. The first `count`
/// pixels count. Writes d[rows..rows + 3] = dL/d(output) of L = ½ Σ (rgb − target)²; returns
/// Σ (rgb − target)².
#[inline(always)]
pub(super) fn loss<L: Lanes>(
    program: &Program,
    prepared: &Prepared,
    a: &[Block],
    target: &[Block],
    mut d: Option<&mut [Block]>,
    count: usize,
    used: usize,
) -> f64 {
    let stride = program.stride;
    let zero = L::splat(0.0);
    let mut total = zero;
    assert!(target.len() >= 3 * stride && used <= stride);
    for v in 0..used {
        let raw = read_outputs::<L>(program, prepared, a, v);
        let colour = Colour::<L>::of(raw);
        // Pixels past the last one count 0.
        let valid = count.saturating_sub(v * LANES).min(LANES);
        let mut lanes = ZERO;
        lanes.0[..valid].fill(1.0);
        let counts = L::load(&lanes);
        let mut error = [zero; 3];
        for c in 0..3 {
            let e = colour.rgb(c).sub(L::load(&target[c * stride + v]));
            let e = if valid == LANES {
                e
            } else {
                counts.gt(zero, e, zero)
            };
            total = e.fma(e, total);
            error[c] = e;
        }
        if let Some(d) = d.as_deref_mut() {
            let first = program.rows * stride + v;
            for (o, value) in colour.backward(error).into_iter().enumerate() {
                value.store(&mut d[first + o * stride]);
            }
        }
    }
    let mut lanes = ZERO;
    total.store(&mut lanes);
    lanes.0.iter().map(|&x| f64::from(x)).sum()
}

/// The rgb planes (3, stride) of one tile.
#[inline(always)]
pub(super) fn colours<L: Lanes>(
    program: &Program,
    prepared: &Prepared,
    a: &[Block],
    rgb: &mut [Block],
    used: usize,
) {
    let stride = program.stride;
    assert!(rgb.len() >= 3 * stride && used <= stride);
    for v in 0..used {
        let colour = Colour::<L>::of(read_outputs::<L>(program, prepared, a, v));
        for c in 0..3 {
            colour.rgb(c).store(&mut rgb[c * stride + v]);
        }
    }
}

#[inline(always)]
fn read_outputs<L: Lanes>(program: &Program, prepared: &Prepared, a: &[Block], v: usize) -> [L; 3] {
    let mut raw = [L::splat(0.0); 3];
    for o in 0..OUTPUTS {
        let row = L::load(&a[program.outputs[o].row * program.stride + v]);
        raw[o] = row.mul(L::splat(prepared.edge[o]));
    }
    raw
}

/// x clipped to [0, 1]; NaN stays.
#[inline(always)]
fn clip<L: Lanes>(x: L) -> L {
    L::splat(1.0).min(L::splat(0.0).max(x))
}

/// A channel's distance from its centre, less 1, clipped to [0, 1]; and the slope of that.
#[inline(always)]
fn tooth<L: Lanes>(distance: L, slope: L) -> (L, L) {
    let (zero, one) = (L::splat(0.0), L::splat(1.0));
    let inside = L::splat(2.0).gt(distance, slope, zero);
    (clip(distance.sub(one)), distance.gt(one, inside, zero))
}

/// HSV → RGB of sixteen pixels with what its gradient needs (see [`crate::math::color`]).
struct Colour<L> {
    /// Distance from each channel's centre, clipped to [0, 1], and its slope in sixths of the hue.
    k: [L; 3],
    dk: [L; 3],
    sat: L,
    val: L,
    /// d sat / ds and d val / dv.
    dsat: L,
    dval: L,
}

impl<L: Lanes> Colour<L> {
    #[inline(always)]
    fn of([h, s, v]: [L; 3]) -> Self {
        let (zero, one, minus) = (L::splat(0.0), L::splat(1.0), L::splat(-1.0));
        let turn = h.add(one);
        let h6 = turn.sub(turn.floor()).mul(L::splat(6.0));
        let size = v.abs();
        let dsat = s.gt(zero, one.gt(s, one, zero), zero);
        let dval = v.gt(zero, one, zero.gt(v, minus, zero));
        let dval = one.gt(size, dval, zero);
        let upper = L::splat(3.0);
        let folded = h6.gt(upper, L::splat(6.0).sub(h6), h6);
        let red = tooth(folded, h6.gt(upper, minus, one));
        let (green, blue) = (h6.sub(L::splat(2.0)), h6.sub(L::splat(4.0)));
        let green = tooth(green.abs(), zero.gt(green, minus, one));
        let blue = tooth(blue.abs(), zero.gt(blue, minus, one));
        Colour {
            k: [red.0, green.0, blue.0],
            dk: [red.1, green.1, blue.1],
            sat: clip(s),
            val: clip(size),
            dsat,
            dval,
        }
    }

    /// 1 − sat · k
    #[inline(always)]
    fn pale(&self, c: usize) -> L {
        self.sat.mul(L::splat(-1.0)).fma(self.k[c], L::splat(1.0))
    }

    #[inline(always)]
    fn rgb(&self, c: usize) -> L {
        self.val.mul(self.pale(c))
    }

    /// Σ over channels of error · d rgb / d(h, s, v).
    #[inline(always)]
    fn backward(&self, error: [L; 3]) -> [L; 3] {
        let mut sums = [L::splat(0.0); 3];
        for c in 0..3 {
            sums[0] = error[c].fma(self.dk[c], sums[0]);
            sums[1] = error[c].fma(self.k[c], sums[1]);
            sums[2] = error[c].fma(self.pale(c), sums[2]);
        }
        let minus = self.val.mul(L::splat(-1.0));
        [
            minus.mul(self.sat).mul(L::splat(6.0)).mul(sums[0]),
            minus.mul(self.dsat).mul(sums[1]),
            self.dval.mul(sums[2]),
        ]
    }
}
