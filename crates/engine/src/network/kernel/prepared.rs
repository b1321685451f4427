//! Once a step, outside the pixels: weights into the order the tiles read, sums into a gradient.

use super::program::{BLOCK_ROWS, Dense, OUTER, OUTPUTS, Program, Stage, part};
use crate::math::lanes::Block;
use crate::math::lanes::{LANES, floats};

/// The weights of a program, as its tiles read them.
#[derive(Clone, Debug)]
pub(super) struct Prepared {
    /// Packed weights of the dense stages.
    pub panels: Vec<f32>,
    /// Weight of each sparse edge, times the product along its relays.
    pub edge: Vec<f32>,
    /// The same, in the order of `Program::back_at`.
    pub back: Vec<f32>,
    /// Product of the weights from its root, for each unit; 1 where not a relay.
    product: Vec<f32>,
    /// Σ over readers of weight · ⟨dz, root⟩, for each relay.
    relay_sum: Vec<f64>,
}

/// Calls `f(row, column, place)` for each weight of an `n × m` matrix cut in panels of at most
/// `BLOCK_ROWS` rows; within a panel the rows of one column are together.
#[inline(always)]
fn panel_places(n: usize, m: usize, mut f: impl FnMut(usize, usize, usize)) {
    let blocks = n.div_ceil(BLOCK_ROWS);
    let mut place = 0;
    for b in 0..blocks {
        let rows = part(n, blocks, b);
        for k in 0..m {
            for r in rows.clone() {
                f(r, k, place);
                place += 1;
            }
        }
    }
}

impl Prepared {
    /// Buffers for the weights of `program`, all 0.
    pub(super) fn new(program: &Program) -> Self {
        Prepared {
            panels: vec![0.0; program.panel_floats],
            edge: vec![0.0; program.edges.len()],
            back: vec![0.0; program.back_edge.len()],
            product: vec![1.0; program.row_of.len()],
            relay_sum: vec![0.0; program.row_of.len()],
        }
    }

    /// Takes in `weights` (W,); links that `keep` refuses count as 0.
    pub(super) fn pack(
        &mut self,
        program: &Program,
        weights: &[f32],
        keep: impl Fn(usize) -> bool,
    ) {
        for relay in &program.relays {
            self.product[relay.unit] = weights[relay.link] * self.product[relay.source];
        }
        for (o, edge) in self.edge[..OUTPUTS].iter_mut().enumerate() {
            *edge = program.outputs[o].unit.map_or(0.0, |u| self.product[u]);
        }
        for (e, edge) in program.edges.iter().enumerate().skip(OUTPUTS) {
            let source = edge.source.expect("a link has a source");
            self.edge[e] = weights[edge.link] * self.product[source];
        }
        for (back, &edge) in self.back.iter_mut().zip(&program.back_edge) {
            *back = self.edge[edge as usize];
        }
        for stage in &program.stages {
            let Stage::Dense(Dense { offset, n_in, n_out, forward, backward, .. }) = *stage else {
                continue;
            };
            let weight = |i: usize, k: usize| {
                let link = offset + i * n_in + k;
                if keep(link) { weights[link] } else { 0.0 }
            };
            let panel = &mut self.panels[forward..forward + n_in * n_out];
            panel_places(n_out, n_in, |i, k, place| panel[place] = weight(i, k));
            if let Some(backward) = backward {
                let panel = &mut self.panels[backward..backward + n_in * n_out];
                panel_places(n_in, n_out, |k, i, place| panel[place] = weight(i, k));
            }
        }
    }

    /// Writes the gradient (W,) from the accumulated `sums` (slots,) times `scale`: 0 at links that
    /// `keep` refuses or that no output feels.
    ///
    /// For an edge c from relay k with root r, G_c = ⟨dz_c, r⟩ was accumulated. With P_k the product
    /// along k's chain and D_k = Σ_c w_c G_c + Σ_j w_j D_j over its readers c and next relays j,
    /// dL/dw_c = P_k G_c, and the link into k from s has dL/dw = P_s D_k.
    pub(super) fn unpack(
        &mut self,
        program: &Program,
        weights: &[f32],
        keep: impl Fn(usize) -> bool,
        sums: &[Block],
        scale: f64,
        gradient: &mut [f32],
    ) {
        gradient.fill(0.0);
        let all = floats(sums);
        for stage in &program.stages {
            let Stage::Dense(stage) = stage else { continue };
            let (n_in, n_out) = (stage.n_in, stage.n_out);
            let (bi, bk) = (n_out.div_ceil(OUTER), n_in.div_ceil(OUTER));
            let mut slot = stage.slot;
            for b in 0..bi {
                let rows = part(n_out, bi, b);
                for c in 0..bk {
                    let columns = part(n_in, bk, c);
                    for (y, i) in rows.clone().enumerate() {
                        for (x, k) in columns.clone().enumerate() {
                            let link = stage.offset + i * n_in + k;
                            if keep(link) {
                                let sum = all[slot * LANES + OUTER * y + x];
                                gradient[link] = (f64::from(sum) * scale) as f32;
                            }
                        }
                    }
                    slot += 1;
                }
            }
        }
        let sums = &all[program.edge_slot * LANES..];
        for relay in &program.relays {
            self.relay_sum[relay.unit] = 0.0;
        }
        for (&e, &sum) in program.back_edge.iter().zip(sums) {
            let edge = &program.edges[e as usize];
            let Some(source) = edge.source else { continue };
            let sum = f64::from(sum);
            let mut weight = 1.0;
            if e as usize >= OUTPUTS {
                gradient[edge.link] = (f64::from(self.product[source]) * sum * scale) as f32;
                weight = f64::from(weights[edge.link]);
            }
            if program.is_relay[source] {
                self.relay_sum[source] += weight * sum;
            }
        }
        for relay in program.relays.iter().rev() {
            let sum = self.relay_sum[relay.unit];
            gradient[relay.link] = (f64::from(self.product[relay.source]) * sum * scale) as f32;
            if program.is_relay[relay.source] {
                self.relay_sum[relay.source] += f64::from(weights[relay.link]) * sum;
            }
        }
    }
}
