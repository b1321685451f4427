//! The fast pass over pixels: rendering, losses and gradients, perturbations (METHODS §3, §6).
//!
//! In: a network, weights, pixel inputs. Out: pictures, feature maps, MSE losses with gradients,
//! pictures under changed weights. All f32, the same bits at any thread count. It does not know
//! about optimizers or runs. The slow f64 oracle is [`super::reference`].

mod cells;
mod colour;
mod map_cost;
mod objective;
mod perturb;
mod pixels;
mod prepared;
mod program;
mod tile;

pub use crate::math::lanes::Isa;
pub(crate) use map_cost::MapCost;
pub use objective::Objective;
pub use perturb::{PerturbScratch, Perturber};

use super::{Coords, Model, Network, Picture, PixelInputs, Weights};
use crate::math::lanes::{Block, LANES, Lanes, ZERO, floats, per_isa};
use pixels::PixelTiles;
use prepared::Prepared;
use program::{Options, Program};
use rayon::prelude::*;

/// Tiles that one task draws.
const TASK: usize = 2;

/// Post-activation values of every unit at every pixel, unit-major.
#[derive(Clone, Debug, PartialEq)]
pub struct FeatureMaps {
    /// Number of units, U (inputs included).
    pub units: usize,
    /// Number of pixels, P.
    pub pixels: usize,
    /// (U, P) values: `values[unit * pixels + pixel]`.
    pub values: Vec<f32>,
}

impl FeatureMaps {
    /// (P,) values of one unit.
    pub fn unit(&self, unit: usize) -> &[f32] {
        &self.values[unit * self.pixels..(unit + 1) * self.pixels]
    }
}

/// (P, 3) interleaved rgb in [0, 1] of every pixel. `weights` is (W,); links of weight 0 are skipped.
///
/// # Panics
/// If there is not one weight a link.
pub fn render(network: &Network, weights: &Weights, inputs: &PixelInputs) -> Vec<f32> {
    render_on(network, weights, inputs, Isa::best())
}

/// As [`render`], on a chosen instruction set: the bits are the same, which tests hold to.
pub fn render_on(network: &Network, weights: &Weights, inputs: &PixelInputs, isa: Isa) -> Vec<f32> {
    Renderer::on(network, weights, false, isa).render(inputs)
}

/// The `size`² picture of a network.
pub fn picture(network: &Network, weights: &Weights, size: usize, coords: Coords) -> Picture {
    Picture {
        width: size,
        height: size,
        rgb: render(network, weights, &PixelInputs::full(size, coords)),
    }
}

/// Post-activation values of every unit, inputs included. `weights` is (W,).
///
/// # Panics
/// If there is not one weight a link.
pub fn feature_maps(network: &Network, weights: &Weights, inputs: &PixelInputs) -> FeatureMaps {
    let renderer = Renderer::on(network, weights, true, Isa::best());
    let (units, pixels) = (network.units.len(), inputs.pixels());
    let tile = renderer.program.tile_pixels();
    let cut = renderer.tiles(inputs);
    let tiles: Vec<Vec<Block>> = (0..cut.tiles())
        .into_par_iter()
        .map(|t| {
            let mut a = renderer.buffer();
            renderer.run(&cut, t, &mut a);
            a
        })
        .collect();
    unit_rows(&tiles, units, pixels, tile)
}

impl Model {
    /// Draws its picture of `size`² pixels.
    pub fn picture(&self, size: usize, coords: Coords) -> Picture {
        picture(&self.network, &self.weights, size, coords)
    }

    /// (U, `size`²) what each of its units draws.
    pub fn maps(&self, size: usize, coords: Coords) -> FeatureMaps {
        feature_maps(&self.network, &self.weights, &PixelInputs::full(size, coords))
    }
}

/// The maps of all units from the (U, stride) rows of each tile.
fn unit_rows(
    tiles: &[impl AsRef<[Block]> + Sync],
    units: usize,
    pixels: usize,
    tile: usize,
) -> FeatureMaps {
    let mut values = vec![0.0; units * pixels];
    if pixels > 0 {
        values.par_chunks_mut(pixels).enumerate().for_each(|(u, row)| {
            for (a, out) in tiles.iter().zip(row.chunks_mut(tile)) {
                out.copy_from_slice(&floats(a.as_ref())[u * tile..][..out.len()]);
            }
        });
    }
    FeatureMaps { units, pixels, values }
}

/// A network compiled for drawing: it draws any number of sets of pixels.
pub struct Renderer<'n> {
    network: &'n Network,
    links: usize,
    isa: Isa,
    program: Program,
    prepared: Prepared,
}

impl<'n> Renderer<'n> {
    /// Compiles a network. `weights` is (W,); links of weight 0 are skipped.
    ///
    /// # Panics
    /// If there is not one weight a link.
    pub fn new(network: &'n Network, weights: &Weights) -> Self {
        Renderer::on(network, weights, false, Isa::best())
    }

    /// With `everything`, row u is unit u. Else relays of weight exactly 1 are skipped: the same bits.
    fn on(network: &'n Network, weights: &Weights, everything: bool, isa: Isa) -> Self {
        let weights = &weights.0;
        assert_eq!(weights.len(), network.weight_count(), "one weight a link");
        let keep = |i: usize| weights[i] != 0.0;
        let program = Program::compile(
            network,
            &Options {
                keep: &keep,
                relay: &|i| !everything && weights[i] == 1.0,
                everything,
                every_row: false,
            },
        );
        let mut prepared = Prepared::new(&program);
        prepared.pack(&program, weights, keep);
        let links = weights.iter().filter(|weight| **weight != 0.0).count();
        Renderer { network, links, isa, program, prepared }
    }

    /// (P, 3) interleaved rgb in [0, 1] of every pixel.
    pub(crate) fn render(&self, inputs: &PixelInputs) -> Vec<f32> {
        let tiles = self.tiles(inputs);
        let mut rgb = vec![0.0; 3 * inputs.pixels()];
        let tile = 3 * self.program.tile_pixels();
        rgb.par_chunks_mut(TASK * tile).enumerate().for_each_init(
            || (self.buffer(), vec![ZERO; 3 * self.program.stride]),
            |(a, planes), (task, out)| {
                for (i, out) in out.chunks_mut(tile).enumerate() {
                    let used = self.run(&tiles, task * TASK + i, a);
                    colours(self.isa, &self.program, &self.prepared, a, planes, used);
                    interleave(planes, out);
                }
            },
        );
        rgb
    }

    /// Number of non-zero links.
    pub(crate) fn links(&self) -> usize {
        self.links
    }

    fn tiles(&self, inputs: &PixelInputs) -> PixelTiles {
        PixelTiles::new(self.network, inputs, None, self.program.stride)
    }

    /// Room for the rows of one tile.
    fn buffer(&self) -> Vec<Block> {
        vec![ZERO; self.program.rows * self.program.stride]
    }

    /// Computes tile `t` into `a` (rows, stride); returns the vectors used.
    fn run(&self, tiles: &PixelTiles, t: usize, a: &mut [Block]) -> usize {
        let used = tiles.extent(t).1;
        let inputs = tiles.inputs(t);
        a[..inputs.len()].copy_from_slice(inputs);
        tile::draw(self.isa, &self.program, &self.prepared, a, used);
        used
    }
}

per_isa! {
    /// The rgb planes (3, stride) of a computed tile.
    fn colours(program: &Program, prepared: &Prepared, a: &[Block], rgb: &mut [Block], used: usize) = colours_on
}

#[inline(always)]
fn colours_on<L: Lanes>(
    program: &Program,
    prepared: &Prepared,
    a: &[Block],
    rgb: &mut [Block],
    used: usize,
) {
    colour::colours::<L>(program, prepared, a, rgb, used);
}

/// (3, stride) planes → (n, 3) interleaved.
fn interleave(planes: &[Block], out: &mut [f32]) {
    let stride = planes.len() / 3;
    for (v, out) in out.chunks_mut(3 * LANES).enumerate() {
        let (r, g, b) = (&planes[v], &planes[stride + v], &planes[2 * stride + v]);
        for (i, pixel) in out.chunks_exact_mut(3).enumerate() {
            pixel[0] = r.0[i];
            pixel[1] = g.0[i];
            pixel[2] = b.0[i];
        }
    }
}
