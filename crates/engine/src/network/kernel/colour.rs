//! From the outputs' rows to colours, and from errors in colour back to the outputs.

use super::prepared::Prepared;
use super::program::{OUTPUTS, Program};
use crate::math::lanes::{Block, LANES, Lanes, ZERO, each};

/// Loss and its slope at the outputs, for one tile. `target`: (3, stride) planes. The first `count`
/// pixels count. Writes dL/d(output) to the outputs' places in `d` of L = ½ Σ (rgb − target)²; returns
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
        let [mut error] = L::zeros::<1, 3>();
        each!(c < 3 of 4 => {
            let e = colour.rgb(c).sub(L::load(&target[c * stride + v]));
            let e = if valid == LANES { e } else { counts.gt(zero, e, zero) };
            total = e.fma(e, total);
            error[c] = e;
        });
        if let Some(d) = d.as_deref_mut() {
            for (o, value) in colour.backward(error).into_iter().enumerate() {
                value.store(&mut d[program.place[program.rows + o] * stride + v]);
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
        each!(c < 3 of 4 => { colour.rgb(c).store(&mut rgb[c * stride + v]); });
    }
}

#[inline(always)]
fn read_outputs<L: Lanes>(program: &Program, prepared: &Prepared, a: &[Block], v: usize) -> [L; 3] {
    let [mut raw] = L::zeros::<1, 3>();
    each!(o < OUTPUTS of 4 => {
        let row = L::load(&a[program.outputs[o].row * program.stride + v]);
        raw[o] = row.mul(L::splat(prepared.edge[o]));
    });
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
        let [mut sums] = L::zeros::<1, 3>();
        each!(c < 3 of 4 => {
            sums[0] = error[c].fma(self.dk[c], sums[0]);
            sums[1] = error[c].fma(self.k[c], sums[1]);
            sums[2] = error[c].fma(self.pale(c), sums[2]);
        });
        let minus = self.val.mul(L::splat(-1.0));
        [
            minus.mul(self.sat).mul(L::splat(6.0)).mul(sums[0]),
            minus.mul(self.dsat).mul(sums[1]),
            self.dval.mul(sums[2]),
        ]
    }
}
