//! The features of `dl` \[ours\]: a clean change leaves contours that bend softly and end nowhere;
//! a damaged picture has corners, spots, crossings and colours where there were none.
//!
//! In: base and perturbed picture of one size. Out: twenty numbers, from `tensor`s of
//! the opponent planes (brightness, red–green, yellow–blue) of 64² copies and of their 32² halves, old, new
//! and of the change D = new − old. ln is the natural logarithm with a floor that keeps it finite; "less
//! clean" means: less what smooth warps of *this* base do at the same RMSE (`references`), so that the
//! judge scales itself to the picture.
//!
//! | feature | what | less clean |
//! |---|---|---|
//! | `corners_top` | ln of the largest 3 % of new corners, more than 3 pixels from any old one | |
//! | `corners` | ln of the mean of new corners, within 1 pixel | |
//! | `corners_coarse` | the same of brightness at 32² | |
//! | `disorder` | rise of ln(Σ corner/Σ edge) | yes |
//! | `disorder_coarse` | the same of brightness at 32² | |
//! | `edges` | rise of ln(mean edge) | yes |
//! | `edges_coarse` | the same at 32² | |
//! | `edges_lost` | ln of the mean of old edges that are gone, within 1 pixel of 32² | yes |
//! | `edges_new` | ln of the largest 3 % of new edges of brightness at 32², within 1 pixel | |
//! | `change_edges` | ln(mean edge of D) | yes |
//! | `change_disorder` | ln(Σ corner/Σ edge) of D | |
//! | `change_flat` | ln(mean edge of D where the base was flat), 32² | yes |
//! | `tint`, `tint_beyond` | ln(mean colour gradient of D) | no; yes |
//! | `tint_edges` | rise of ln(largest 2 % of colour gradients) | yes |
//! | `colours` | ln of the share of pixels in colours (6³) that the base has nowhere | yes |
//! | `strong` | rise of ln of the share of pixels with a gradient above 0.08 | |
//! | `mirror` | loss of mirror symmetry, of `symmetry` | |
//! | `fray` | rise of the fading of contours along themselves, of `contours` | yes |
//! | `stain` | colour that runs across contours, of `contours` | |
//!
//! It sees nothing finer than a 64² copy shows, knows no objects, and calls a drawing that became richer in
//! corners damaged even where the corners are meant.

use super::canonical::{AreaAverage, COARSE, PIXELS, SIDE, opponent, rms};
use super::symmetry::OldSymmetry;
use super::tensor::{
    Strength, Tensor, dilate, gradient, halve, mean, mean_of_largest, strength, surplus,
};
use super::{contours, references};
use crate::base::real;
use crate::network::Picture;
use crate::score::judge::{JudgeError, check_size};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

/// Pictures nearer than this RMSE are the same picture: clean by definition.
const SAME: f64 = 1e-4;

/// Pixels of the coarse copy.
const COARSE_PIXELS: usize = COARSE * COARSE;
/// Edges weaker than this are flat ground.
const FLAT: f32 = 0.03;
/// Gradients above this are strong.
const STRONG: f32 = 0.08;
/// Colours that [`colour_bins`] tells apart.
const COLOURS: usize = 216;

/// How many numbers are compared.
const COMPARED: usize = 19;
type Compared = [f64; COMPARED];
const MIRROR: usize = 16;
const FRAY: usize = 17;
const STAIN: usize = 18;

/// The features: name, place in [`Compared`], less clean.
const FEATURES: [(&str, usize, bool); 20] = [
    ("corners_top", 0, false),
    ("corners", 1, false),
    ("corners_coarse", 2, false),
    ("disorder", 3, true),
    ("disorder_coarse", 4, false),
    ("edges", 5, true),
    ("edges_coarse", 6, false),
    ("edges_lost", 7, true),
    ("edges_new", 8, false),
    ("change_edges", 9, true),
    ("change_disorder", 10, false),
    ("change_flat", 11, true),
    ("tint", 12, false),
    ("tint_beyond", 12, true),
    ("tint_edges", 13, true),
    ("colours", 14, true),
    ("strong", 15, false),
    ("mirror", MIRROR, false),
    ("fray", FRAY, true),
    ("stain", STAIN, false),
];

/// The features' names, in order.
pub const NAMES: &[&str] = &{
    let mut names = [""; FEATURES.len()];
    let mut i = 0;
    while i < names.len() {
        names[i] = FEATURES[i].0;
        i += 1;
    }
    names
};

/// Gradients and other quantities of one picture.
#[derive(Clone, Debug, Default)]
struct Look {
    /// Gradients of the three opponent planes, (3, N²), and of their halves, (3, N²/4).
    down: Vec<f32>,
    right: Vec<f32>,
    coarse_down: Vec<f32>,
    coarse_right: Vec<f32>,
    fine: Strength,
    coarse: Strength,
    /// Of brightness alone.
    coarse_grey: Strength,
    bins: Vec<u16>,
    /// (3, N²/4).
    halved: Vec<f64>,
    /// ln of what rises and falls: disorder, coarse disorder, edges, coarse edges, tint edges, strong.
    one: [f64; 6],
    frayed: f64,
    across: contours::Across,
}

/// Working space.
#[derive(Default)]
struct Scratch {
    row: Vec<f64>,
    rgb: Vec<f64>,
    planes: Vec<f64>,
    plane: Vec<f32>,
    half: Vec<f32>,
    tensor: Tensor,
    change: Strength,
    a: Vec<f32>,
    b: Vec<f32>,
    look: Look,
}

/// ln(Σ corner/Σ edge), with floors.
fn disorder(of: &Strength) -> f64 {
    real::ln((mean(&of.corner) + 1e-4) / (mean(&of.edge) + 5e-4))
}

impl Look {
    /// Reads planes `rgb`, (3, N²), in [0, 1].
    fn read(&mut self, rgb: &[f64], planes: &mut Vec<f64>, s: &mut Space<'_>) {
        opponent(rgb, planes);
        colour_bins(rgb, &mut self.bins);
        self.halved.resize(3 * COARSE_PIXELS, 0.0);
        let pairs = rgb.chunks_exact(PIXELS).zip(self.halved.chunks_exact_mut(COARSE_PIXELS));
        for (plane, halved) in pairs {
            halve::<SIDE, f64>(plane, halved);
        }
        self.down.resize(3 * PIXELS, 0.0);
        self.right.resize(3 * PIXELS, 0.0);
        self.coarse_down.resize(3 * COARSE_PIXELS, 0.0);
        self.coarse_right.resize(3 * COARSE_PIXELS, 0.0);
        s.plane.resize(PIXELS, 0.0);
        s.half.resize(COARSE_PIXELS, 0.0);
        for (p, plane) in planes.chunks_exact(PIXELS).enumerate() {
            for (to, v) in s.plane.iter_mut().zip(plane) {
                *to = *v as f32;
            }
            let at = p * PIXELS..(p + 1) * PIXELS;
            gradient::<SIDE>(s.plane, &mut self.down[at.clone()], &mut self.right[at]);
            halve::<SIDE, f32>(s.plane, s.half);
            self.across.plane(p, s.half);
            let at = p * COARSE_PIXELS..(p + 1) * COARSE_PIXELS;
            gradient::<COARSE>(
                s.half,
                &mut self.coarse_down[at.clone()],
                &mut self.coarse_right[at],
            );
        }
        strength::<SIDE>(&self.down, &self.right, s.tensor, &mut self.fine);
        self.frayed = contours::frayed(s.tensor, &self.fine.edge, (s.a, s.b), s.plane);
        self.across.read(s.tensor);
        let (down, right) = (&self.coarse_down, &self.coarse_right);
        strength::<COARSE>(down, right, s.tensor, &mut self.coarse);
        let grey = COARSE_PIXELS;
        strength::<COARSE>(&down[..grey], &right[..grey], s.tensor, &mut self.coarse_grey);
        colour_gradients(&self.down, &self.right, s.a);
        let tint = mean_of_largest(s.a, PIXELS / 50);
        let strong = (0..PIXELS).filter(|&i| {
            let square = |of: &[f32], p: usize| of[p * PIXELS + i] * of[p * PIXELS + i];
            let of = |p| square(&self.down, p) + square(&self.right, p);
            of(0) + of(1) + of(2) > STRONG * STRONG
        });
        self.one = [
            disorder(&self.fine),
            disorder(&self.coarse_grey),
            real::ln(mean(&self.fine.edge) + 1e-3),
            real::ln(mean(&self.coarse.edge) + 1e-3),
            real::ln(tint + 3e-3),
            real::ln(strong.count() as f64 / PIXELS as f64 + 0.01),
        ];
    }
}

/// The parts of a scratch that reading and comparing need besides pictures.
struct Space<'a> {
    plane: &'a mut Vec<f32>,
    half: &'a mut Vec<f32>,
    tensor: &'a mut Tensor,
    change: &'a mut Strength,
    a: &'a mut Vec<f32>,
    b: &'a mut Vec<f32>,
}

/// The colour of each pixel of planes `rgb`, (3, N²): 6 levels a channel.
fn colour_bins(rgb: &[f64], out: &mut Vec<u16>) {
    let (red, rest) = rgb.split_at(PIXELS);
    let (green, blue) = rest.split_at(PIXELS);
    // Truncation, negative values to 0: six equal cells with 1 in the last.
    let level = |v: f64| (v * 5.999).clamp(0.0, 5.0) as u16;
    out.clear();
    out.extend((0..PIXELS).map(|i| 36 * level(red[i]) + 6 * level(green[i]) + level(blue[i])));
}

/// Length of the gradient of the two colour planes at each pixel.
fn colour_gradients(down: &[f32], right: &[f32], out: &mut Vec<f32>) {
    out.clear();
    let (d1, d2) = down[PIXELS..].split_at(PIXELS);
    let (r1, r2) = right[PIXELS..].split_at(PIXELS);
    let squares = d1.iter().zip(d2).zip(r1.iter().zip(r2));
    out.extend(squares.map(|((a, b), (c, d))| ((a * a + b * b) + (c * c + d * d)).sqrt()));
}

/// A base picture that was read, and its references as far as they were needed.
pub struct Base {
    average: AreaAverage,
    /// (3, N²).
    rgb: Vec<f64>,
    look: Look,
    symmetry: OldSymmetry,
    /// The base's corners and edges, spread by so many pixels.
    corners_by_3: Vec<f32>,
    corners_by_1: Vec<f32>,
    coarse_corners_by_1: Vec<f32>,
    coarse_edges_by_1: Vec<f32>,
    across_by_1: Vec<f32>,
    /// True where the coarse base is flat.
    flat: Vec<bool>,
    palette: [bool; COLOURS],
    /// Means over the clean references at each RMSE of the grid.
    clean: [OnceLock<Compared>; references::GRID.len()],
    size: (usize, usize),
    /// Working space of pictures judged at the same time: taken, and given back.
    spare: Mutex<Vec<Scratch>>,
}

impl Base {
    /// Reads a base picture. References are made when a picture first needs them, at most seven
    /// times a base.
    pub fn new(base: &Picture) -> Self {
        let average = AreaAverage::new(base.width, base.height, SIDE);
        let mut s = Scratch::default();
        average.apply(base, &mut s.row, &mut s.rgb);
        let rgb = s.rgb.clone();
        let mut look = Look::default();
        let (planes, mut space) = s.space();
        look.read(&rgb, planes, &mut space);
        let mut spread = |plane: &[f32], radius, coarse: bool| {
            let mut out = Vec::new();
            if coarse {
                dilate::<COARSE>(plane, radius, space.a, &mut out);
            } else {
                dilate::<SIDE>(plane, radius, space.a, &mut out);
            }
            out
        };
        let mut palette = [false; COLOURS];
        for &bin in &look.bins {
            palette[usize::from(bin)] = true;
        }
        let near = spread(&look.coarse.edge, 1, true);
        Base {
            across_by_1: look.across.spread(),
            corners_by_3: spread(&look.fine.corner, 3, false),
            corners_by_1: spread(&look.fine.corner, 1, false),
            coarse_corners_by_1: spread(&look.coarse_grey.corner, 1, true),
            coarse_edges_by_1: spread(&look.coarse_grey.edge, 1, true),
            flat: near.iter().map(|&v| v < FLAT).collect(),
            palette,
            symmetry: OldSymmetry::new(&look.halved),
            average,
            rgb,
            look,
            clean: Default::default(),
            size: (base.width, base.height),
            spare: Mutex::new(vec![s]),
        }
    }

    /// The features of a perturbed picture, in the order of [`NAMES`]; `None` if it is the base
    /// itself (RMSE < 10⁻⁴).
    ///
    /// # Errors
    /// The picture has another size than the base.
    pub fn features(&self, perturbed: &Picture) -> Result<Option<Vec<f64>>, JudgeError> {
        check_size(self.size, perturbed)?;
        let taken = self.spare().pop();
        let mut scratch = taken.unwrap_or_default();
        let features = self.measure(perturbed, &mut scratch);
        self.spare().push(scratch);
        Ok(features)
    }

    fn spare(&self) -> MutexGuard<'_, Vec<Scratch>> {
        self.spare.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn measure(&self, perturbed: &Picture, s: &mut Scratch) -> Option<Vec<f64>> {
        let mut rgb = std::mem::take(&mut s.rgb);
        self.average.apply(perturbed, &mut s.row, &mut rgb);
        let rmse = rms(&rgb, &self.rgb);
        // No number is not the same either.
        let same = rmse < SAME;
        let features = (!same).then(|| {
            let mut compared = self.compare(&rgb, s);
            compared[MIRROR] = self.symmetry.lost(&s.look.halved, rmse + 1e-9);
            let clean = self.reference(rmse + 1e-9, s);
            let value = |&(_, i, less): &(&str, usize, bool)| {
                if less { compared[i] - clean[i] } else { compared[i] }
            };
            FEATURES.iter().map(value).collect()
        });
        s.rgb = rgb;
        features
    }

    /// Compares the planes `rgb`, (3, N²), with the base. The loss of symmetry is 0 here and left
    /// to [`Base::measure`]: clean references do not need it.
    fn compare(&self, rgb: &[f64], scratch: &mut Scratch) -> Compared {
        let mut new = std::mem::take(&mut scratch.look);
        let (planes, mut space) = scratch.space();
        new.read(rgb, planes, &mut space);
        let compared = self.compare_looks(&new, &mut space);
        scratch.look = new;
        compared
    }

    fn compare_looks(&self, new: &Look, s: &mut Space<'_>) -> Compared {
        let old = &self.look;
        let (fine_few, coarse_few) = (PIXELS * 3 / 100, COARSE_PIXELS * 3 / 100);
        surplus(&new.fine.corner, &self.corners_by_3, s.a);
        let corners_top = mean_of_largest(s.a, fine_few);
        surplus(&new.fine.corner, &self.corners_by_1, s.a);
        let corners = mean(s.a);
        surplus(&new.coarse_grey.corner, &self.coarse_corners_by_1, s.a);
        let coarse = mean(s.a);
        surplus(&new.coarse_grey.edge, &self.coarse_edges_by_1, s.a);
        let edges_new = mean_of_largest(s.a, coarse_few);
        dilate::<COARSE>(&new.coarse.edge, 1, s.a, s.b);
        surplus(&old.coarse.edge, s.b, s.a);
        let edges_lost = mean(s.a);

        // The gradient of a difference is the difference of the gradients.
        let less = |new: &[f32], old: &[f32], out: &mut Vec<f32>| {
            out.clear();
            out.extend(new.iter().zip(old).map(|(new, old)| new - old));
        };
        less(&new.down, &old.down, s.a);
        less(&new.right, &old.right, s.b);
        strength::<SIDE>(s.a, s.b, s.tensor, s.change);
        let change_edges = mean(&s.change.edge);
        let change_disorder = disorder(s.change);
        colour_gradients(s.a, s.b, s.plane);
        let tint = mean(s.plane);
        less(&new.coarse_down, &old.coarse_down, s.a);
        less(&new.coarse_right, &old.coarse_right, s.b);
        strength::<COARSE>(s.a, s.b, s.tensor, s.change);
        for (edge, flat) in s.change.edge.iter_mut().zip(&self.flat) {
            if !flat {
                *edge = 0.0;
            }
        }
        let change_flat = mean(&s.change.edge);
        let strange = new.bins.iter().filter(|&&bin| !self.palette[usize::from(bin)]).count();
        let rise = |i: usize| new.one[i] - old.one[i];
        [
            real::ln(corners_top + 3e-3),
            real::ln(corners + 3e-4),
            real::ln(coarse + 3e-4),
            rise(0),
            rise(1),
            rise(2),
            rise(3),
            real::ln(edges_lost + 3e-4),
            real::ln(edges_new + 3e-3),
            real::ln(change_edges + 1e-3),
            change_disorder,
            real::ln(change_flat + 1e-3),
            real::ln(tint + 1e-3),
            rise(4),
            real::ln(strange as f64 / PIXELS as f64 + 0.02),
            rise(5),
            0.0,
            new.frayed - old.frayed,
            new.across.stain(&self.across_by_1),
        ]
    }

    /// The clean references' means at this RMSE, interpolated.
    fn reference(&self, rmse: f64, scratch: &mut Scratch) -> Compared {
        let (lower, share) = references::place(rmse);
        let (a, b) = (*self.node(lower, scratch), *self.node(lower + 1, scratch));
        std::array::from_fn(|i| (1.0 - share) * a[i] + share * b[i])
    }

    fn node(&self, index: usize, scratch: &mut Scratch) -> &Compared {
        self.clean[index].get_or_init(|| {
            let (mut sum, mut count) = ([0.0; COMPARED], 0.0);
            references::clean(&self.rgb, references::GRID[index], |rgb| {
                count += 1.0;
                for (sum, v) in sum.iter_mut().zip(self.compare(rgb, scratch)) {
                    *sum += v;
                }
            });
            sum.map(|sum| sum / count)
        })
    }
}

impl Scratch {
    fn space(&mut self) -> (&mut Vec<f64>, Space<'_>) {
        let Scratch { planes, plane, half, tensor, change, a, b, .. } = self;
        (planes, Space { plane, half, tensor, change, a, b })
    }
}
