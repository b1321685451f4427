//! Pixels cut into tiles: the inputs, and a target, in the order the kernel reads them.

use super::program::STEP;
use crate::math::lanes::{Block, LANES, ZERO, floats, floats_mut, prefetch};
use crate::network::{Network, PixelInputs};

/// Tiles of `stride` blocks of 16 pixels. The last tile is filled up with copies of the last pixel.
#[derive(Clone, Debug)]
pub(super) struct PixelTiles {
    stride: usize,
    pixels: usize,
    /// Inputs of the network, I.
    planes: usize,
    /// (tiles, I, stride): the input units' values.
    inputs: Vec<Block>,
    /// (tiles, 3, stride), or empty.
    target: Vec<Block>,
}

impl PixelTiles {
    /// `target`, where given, is (P, 3) interleaved.
    pub(super) fn new(
        network: &Network,
        inputs: &PixelInputs,
        target: Option<&[f32]>,
        stride: usize,
    ) -> Self {
        let pixels = inputs.pixels();
        let tiles = pixels.div_ceil(stride * LANES);
        let planes = network.inputs.len();
        let mut this = PixelTiles {
            stride,
            pixels,
            planes,
            inputs: vec![ZERO; tiles * planes * stride],
            target: vec![ZERO; target.map_or(0, |_| tiles * 3 * stride)],
        };
        for (u, &input) in network.inputs.iter().enumerate() {
            let activation = network.units[u].activation;
            let plane = inputs.plane(input);
            let out = floats_mut(&mut this.inputs);
            spread(pixels, planes, u, stride, out, |first, row| {
                match &plane {
                    Some(plane) => row.copy_from_slice(&plane[first..first + row.len()]),
                    None => row.fill(0.0),
                }
                if !activation.is_linear() {
                    for x in row {
                        *x = activation.value(f64::from(*x)) as f32;
                    }
                }
            });
        }
        if let Some(target) = target {
            let out = floats_mut(&mut this.target);
            for c in 0..3 {
                spread(pixels, 3, c, stride, out, |first, row| {
                    for (x, rgb) in row.iter_mut().zip(target[3 * first..].chunks_exact(3)) {
                        *x = rgb[c];
                    }
                });
            }
        }
        this
    }

    /// Refills these buffers with some pixels of `full`, from which this one was cloned.
    pub(super) fn gather(&mut self, full: &PixelTiles, pixels: &[u32]) {
        assert!(
            !pixels.is_empty() && pixels.len() <= full.pixels,
            "expected 1 to {} pixels, found {}",
            full.pixels,
            pixels.len()
        );
        if let Some(p) = pixels.iter().find(|&&p| p as usize >= full.pixels) {
            panic!("no pixel {p} of {}", full.pixels);
        }
        self.pixels = pixels.len();
        let tile = self.stride * LANES;
        for (planes, from, to) in
            [(self.planes, &full.inputs, &mut self.inputs), (3, &full.target, &mut self.target)]
        {
            let (from, to) = (floats(from), floats_mut(to));
            for plane in 0..planes {
                let value = |p: usize| from[(p / tile * planes + plane) * tile + p % tile];
                let fill = |first: usize, row: &mut [f32]| {
                    for (x, &p) in row.iter_mut().zip(&pixels[first..]) {
                        *x = value(p as usize);
                    }
                };
                spread(pixels.len(), planes, plane, self.stride, to, fill);
            }
        }
    }

    pub(super) fn pixels(&self) -> usize {
        self.pixels
    }

    pub(super) fn tiles(&self) -> usize {
        self.pixels.div_ceil(self.stride * LANES)
    }

    /// Pixels of tile `t`, and the vectors to compute for them.
    pub(super) fn extent(&self, t: usize) -> (usize, usize) {
        let tile = self.stride * LANES;
        let count = (self.pixels - t * tile).min(tile);
        (count, count.div_ceil(LANES * STEP) * STEP)
    }

    /// Asks for what tile `t` reads after its forward pass, and what the next one reads first.
    pub(super) fn prefetch(&self, t: usize) {
        prefetch(self.target(t));
        if t + 1 < self.tiles() {
            prefetch(self.inputs(t + 1));
        }
    }

    /// (I, stride) of tile `t`.
    pub(super) fn inputs(&self, t: usize) -> &[Block] {
        let rows = self.planes * self.stride;
        &self.inputs[t * rows..(t + 1) * rows]
    }

    /// (3, stride) of tile `t`.
    pub(super) fn target(&self, t: usize) -> &[Block] {
        &self.target[t * 3 * self.stride..(t + 1) * 3 * self.stride]
    }
}

/// Fills one plane of (tiles, planes, stride): `fill(first, row)` writes the values of the pixels from
/// `first` on. The last tile is filled up with its last value.
fn spread(
    pixels: usize,
    planes: usize,
    plane: usize,
    stride: usize,
    out: &mut [f32],
    fill: impl Fn(usize, &mut [f32]),
) {
    let tile = stride * LANES;
    for first in (0..pixels).step_by(tile) {
        let row = &mut out[(first / tile * planes + plane) * tile..][..tile];
        let (row, rest) = row.split_at_mut((pixels - first).min(tile));
        fill(first, row);
        rest.fill(row[row.len() - 1]);
    }
}
