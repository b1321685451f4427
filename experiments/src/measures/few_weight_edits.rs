//! Few-weight edits: can a part of the picture be changed by a few weights, and a change that is no part's not?
//!
//! *Edits*: the picture is cut into parts, the connected regions of equal colour (three levels a channel) of 2 to 40 % of the
//! area, the largest region of all left out as background, the four largest taken. Each is recoloured (channels below .5
//! get .25 more, others .25 less), removed (the mean colour of the pixels around it) and moved sideways by two pixels,
//! to where there is more room; edits of mean square up to 1e-4 are left out. *Controls*: for every edit a random field
//! of the same spectrum and RMSE (its Fourier phases replaced by those of noise), cut to what a picture may be. Cutting
//! makes it smaller where colours are full: in three such networks controls had .73 to .79 of the edit's RMSE.
//!
//! *Reached*: R² of the edit, 1 − ‖picture − edited‖²/‖edit‖², after changing k = 1, 2, 4, 8 weights: chosen one by one by
//! orthogonal matching pursuit on the Jacobian of the picture, then refined together by Levenberg and Marquardt's
//! method on the pictures themselves, from where the network is (a far better place may be missed). At least 0, and at
//! least that of fewer weights. All at 32². The measure is the mean R² over edits less that over controls at k
//! = 4, in [−1, 1].
//!
//! In: a network at 32². Out: R² for each k, of edits and controls; `None` without parts or living
//! weights.
//! Cost: two drawings of 32² pixels a living weight (the Jacobian); for each of at most 12 edits and 12 controls eight
//! passes over the Jacobian and at most 376 drawings.
//!
//! Source: \[ours\]; matching pursuit: Pati, Rezaiifar & Krishnaprasad 1993.
//!
//! **What it does not mean:** a network of more weights has more to choose from, for edits and for controls.

use nalgebra::{DMatrix, DVector};
use picloom::base::{SimRng, real};
use picloom::network::Picture;
use picloom::probe::{Change, Painter, View};
use picloom::score::JudgeError;
use picloom::score::measures::living;
use picloom::score::measures::own::{Column, Measures, Numbers, Subject};
use picloom::score::measures::silencing::{SIDE, Silenced};
use rayon::prelude::*;
use std::f64::consts::TAU;

/// Numbers of weights that may be changed.
pub(crate) const COUNTS: [usize; 4] = [1, 2, 4, 8];
/// Parts of a picture that are edited, at most.
const PARTS: usize = 4;
/// Area of a part as a share of the picture.
const AREA: std::ops::RangeInclusive<f64> = 0.02..=0.4;
/// A recoloured part has this much more or less in each channel.
const RECOLOUR: f32 = 0.25;
/// Pixels that a part is moved by.
const MOVE: usize = 2;
/// Half the difference of a weight for the Jacobian.
const STEP: f64 = 1.0 / 128.0;
/// Rounds of refinement.
const ROUNDS: usize = 12;

/// The reach of a network: of edits to parts of its picture, or towards other pictures.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Edits {
    /// Mean R² over edits with 1, 2, 4 and 8 weights.
    pub parts: [f64; 4],
    /// The same over their controls.
    pub controls: [f64; 4],
}

/// Measures the reach of edits to a network's own picture. `None` if the picture has no parts, or
/// no weight is alive. The same bits at any thread count.
pub(crate) fn few_weight_edits(silenced: &Silenced, rng: &mut SimRng) -> Option<Edits> {
    let view = &silenced.view;
    let links = living(view);
    let edits = edits_of(view.picture());
    if edits.is_empty() || links.is_empty() {
        return None;
    }
    Some(reach(view, &links, &edits, rng))
}

/// Measures the reach of the edits that lead from one picture to others: from a bred picture to its
/// relatives in the session. All networks that draw `from` get the same edits. `None` if every
/// picture is `from` (mean square of the difference up to 1e-4), or no weight is alive. Pictures of
/// any size are resampled to 32²; the same bits at any thread count.
pub(crate) fn towards(
    view: &View,
    from: &Picture,
    pictures: &[Picture],
    rng: &mut SimRng,
) -> Option<Edits> {
    let view = &View::new(view.model(), SIDE, view.coords());
    let links = living(view);
    let from = from.resized(SIDE);
    let edit = |picture: &Picture| -> Vec<f64> {
        let picture = picture.resized(SIDE);
        let pairs = picture.rgb.iter().zip(&from.rgb);
        pairs.map(|(a, b)| f64::from(*a) - f64::from(*b)).collect()
    };
    let edits: Vec<Vec<f64>> =
        pictures.iter().map(edit).filter(|edit| norm2(edit) > 1e-4 * edit.len() as f64).collect();
    (!edits.is_empty() && !links.is_empty()).then(|| reach(view, &links, &edits, rng))
}

/// The reach of edits that lead to the relatives of a target.
pub(crate) struct TowardsRelatives;

impl Measures for TowardsRelatives {
    fn key(&self) -> &'static str {
        "organisation"
    }

    fn columns(&self) -> &[Column] {
        const BEFORE: Option<&str> = Some("run_id");
        &[
            Column {
                name: "relative_edits",
                label: "relative edits",
                says: "R² of the way from the target to its relatives' pictures that four changed weights reach, less that of random fields of the same spectrum; of targets with `relatives`.",
                before: BEFORE,
            },
            Column {
                name: "relatives_reached",
                label: "relatives reached",
                says: "The same, nothing subtracted.",
                before: BEFORE,
            },
        ]
    }

    fn of(&self, network: &Subject<'_>) -> Result<Numbers, JudgeError> {
        let mut rng = SimRng::new(network.seed, "relatives", 0);
        let found = towards(network.view, network.target, network.relatives, &mut rng);
        Ok(found.map_or(Vec::new(), |Edits { parts, controls }| {
            vec![("relative_edits", parts[2] - controls[2]), ("relatives_reached", parts[2])]
        }))
    }
}

/// Mean R² of edits and of their controls, through these links.
fn reach(view: &View, links: &[usize], edits: &[Vec<f64>], rng: &mut SimRng) -> Edits {
    let controls: Vec<Vec<f64>> =
        edits.iter().map(|edit| control(view.picture(), edit, rng)).collect();
    let jacobian = jacobian(view, links);
    let mean = |edits: &[Vec<f64>]| {
        let reached: Vec<[f64; 4]> = edits
            .par_iter()
            .map_init(
                || view.painter(),
                |painter, edit| reached(view, painter, (links, &jacobian), edit),
            )
            .collect();
        let of = |k: usize| reached.iter().map(|r| r[k]).sum::<f64>() / reached.len() as f64;
        std::array::from_fn(of)
    };
    Edits { parts: mean(edits), controls: mean(&controls) }
}

/// (3P,) what each edit adds to a picture.
///
/// # Panics
/// If the picture has not 32² pixels.
pub(crate) fn edits_of(picture: &Picture) -> Vec<Vec<f64>> {
    let base = &picture.rgb;
    let mut edits = Vec::new();
    for part in parts_of(picture) {
        let around = around(&part, base);
        let mut recoloured = base.clone();
        let mut removed = base.clone();
        for (p, _) in part.iter().enumerate().filter(|(_, is)| **is) {
            for c in 3 * p..3 * p + 3 {
                recoloured[c] += if base[c] < 0.5 { RECOLOUR } else { -RECOLOUR };
                removed[c] = around[c % 3];
            }
        }
        let mut moved = removed.clone();
        // To the side that has more room.
        let columns: usize = (0..part.len()).filter(|&p| part[p]).map(|p| p % SIDE).sum();
        let right = columns < part.iter().filter(|is| **is).count() * SIDE / 2;
        for (p, _) in part.iter().enumerate().filter(|(_, is)| **is) {
            let x = p % SIDE;
            let to = if right { x + MOVE } else { x.wrapping_sub(MOVE) };
            if to < SIDE {
                let q = p - x + to;
                moved[3 * q..3 * q + 3].copy_from_slice(&base[3 * p..3 * p + 3]);
            }
        }
        for edited in [recoloured, removed, moved] {
            let pairs = edited.iter().zip(base);
            let edit: Vec<f64> = pairs.map(|(a, b)| f64::from(*a) - f64::from(*b)).collect();
            if norm2(&edit) > 1e-4 * edit.len() as f64 {
                edits.push(edit);
            }
        }
    }
    edits
}

/// (P,) regions of equal colour, largest first, without the largest.
fn parts_of(picture: &Picture) -> Vec<Vec<bool>> {
    let level = |v: f32| (v.clamp(0.0, 0.999) * 3.0) as usize;
    let class: Vec<usize> = picture
        .rgb
        .chunks_exact(3)
        .map(|c| level(c[0]) * 9 + level(c[1]) * 3 + level(c[2]))
        .collect();
    let mut seen = vec![false; class.len()];
    let mut regions = Vec::new();
    for start in 0..class.len() {
        let mut left = vec![start];
        let mut region = Vec::new();
        while let Some(p) = left.pop() {
            if seen[p] || class[p] != class[start] {
                continue;
            }
            seen[p] = true;
            region.push(p);
            left.extend(neighbours(p));
        }
        regions.push(region);
    }
    regions.sort_by_key(|region| std::cmp::Reverse(region.len()));
    let share = |region: &Vec<usize>| region.len() as f64 / class.len() as f64;
    let chosen = regions.into_iter().skip(1).filter(|region| AREA.contains(&share(region)));
    let mask = |region: Vec<usize>| {
        let mut mask = vec![false; class.len()];
        region.into_iter().for_each(|p| mask[p] = true);
        mask
    };
    chosen.take(PARTS).map(mask).collect()
}

fn neighbours(p: usize) -> impl Iterator<Item = usize> {
    let (x, y) = (p % SIDE, p / SIDE);
    let sides = [
        (x > 0).then(|| p - 1),
        (x + 1 < SIDE).then_some(p + 1),
        (y > 0).then(|| p - SIDE),
        (y + 1 < SIDE).then_some(p + SIDE),
    ];
    sides.into_iter().flatten()
}

/// Mean colour of the pixels beside a region.
fn around(part: &[bool], rgb: &[f32]) -> [f32; 3] {
    let beside = |p: &usize| !part[*p] && neighbours(*p).any(|q| part[q]);
    let pixels: Vec<usize> = (0..part.len()).filter(beside).collect();
    let mean =
        |c: usize| pixels.iter().map(|p| rgb[3 * p + c]).sum::<f32>() / pixels.len().max(1) as f32;
    std::array::from_fn(mean)
}

/// A random field with the spectrum and the RMSE of an edit, within what a picture may be.
pub(crate) fn control(picture: &Picture, edit: &[f64], rng: &mut SimRng) -> Vec<f64> {
    let noise: Vec<f64> = (0..SIDE * SIDE).map(|_| rng.normal()).collect();
    control_of(picture, edit, &noise)
}

/// The (3P,) control of an edit (3P,) with the phases of `noise`, (P,).
///
/// # Panics
/// If these have not 32² pixels.
pub(crate) fn control_of(picture: &Picture, edit: &[f64], noise: &[f64]) -> Vec<f64> {
    let phases: Vec<(f64, f64)> =
        fourier(&noise.iter().map(|&v| (v, 0.0)).collect::<Vec<_>>(), -1.0);
    let mut field = vec![0.0; edit.len()];
    for channel in 0..3 {
        let values: Vec<(f64, f64)> =
            edit.iter().skip(channel).step_by(3).map(|&v| (v, 0.0)).collect();
        let turned: Vec<(f64, f64)> = fourier(&values, -1.0)
            .iter()
            .zip(&phases)
            .map(|(of, phase)| {
                let (size, unit) = (of.0.hypot(of.1), phase.0.hypot(phase.1));
                (size * phase.0 / unit, size * phase.1 / unit)
            })
            .collect();
        for (p, (value, _)) in fourier(&turned, 1.0).into_iter().enumerate() {
            field[3 * p + channel] = value;
        }
    }
    let scale = (norm2(edit) / norm2(&field).max(1e-12)).sqrt();
    let within =
        |(v, base): (f64, &f32)| (f64::from(*base) + scale * v).clamp(0.0, 1.0) - f64::from(*base);
    field.into_iter().zip(&picture.rgb).map(within).collect()
}

/// Discrete Fourier transform of a square; `sign` −1 forwards, 1 backwards. Unitary.
fn fourier(values: &[(f64, f64)], sign: f64) -> Vec<(f64, f64)> {
    let turn: Vec<(f64, f64)> = (0..SIDE)
        .map(|k| sign * TAU * k as f64 / SIDE as f64)
        .map(|angle| (real::cos(angle), real::sin(angle)))
        .collect();
    let scale = 1.0 / (SIDE as f64).sqrt();
    let along = |values: &[(f64, f64)], step: usize, other: usize| -> Vec<(f64, f64)> {
        let mut out = vec![(0.0, 0.0); values.len()];
        for line in 0..SIDE {
            for k in 0..SIDE {
                let mut sum = (0.0, 0.0);
                for n in 0..SIDE {
                    let (a, b) = values[line * other + n * step];
                    let (c, d) = turn[k * n % SIDE];
                    sum = (sum.0 + a * c - b * d, sum.1 + a * d + b * c);
                }
                out[line * other + k * step] = (sum.0 * scale, sum.1 * scale);
            }
        }
        out
    };
    along(&along(values, 1, SIDE), SIDE, 1)
}

/// (links, 3P) change of the picture a unit of each weight.
///
/// # Panics
/// If there is no such link.
pub(crate) fn jacobian(view: &View, links: &[usize]) -> Vec<Vec<f32>> {
    links
        .par_iter()
        .map_init(
            || view.painter(),
            |painter, &link| {
                let up = painter.draw(Change::By { link, delta: STEP }).rgb.clone();
                let down = &painter.draw(Change::By { link, delta: -STEP }).rgb;
                up.iter().zip(down).map(|(a, b)| (a - b) / (2.0 * STEP) as f32).collect()
            },
        )
        .collect()
}

/// R² of an edit with so many weights as [`COUNTS`] says, each at least that of fewer.
pub(crate) fn reached(
    view: &View,
    painter: &mut Painter,
    (links, jacobian): (&[usize], &[Vec<f32>]),
    edit: &[f64],
) -> [f64; 4] {
    let (order, _) = pursue(jacobian, edit, COUNTS[3]);
    let total = norm2(edit);
    let mut best = 0.0f64;
    COUNTS.map(|count| {
        let chosen: Vec<usize> = order.iter().take(count).map(|&k| links[k]).collect();
        best = best.max(1.0 - refine(view, painter, &chosen, edit) / total);
        best
    })
}

/// Share of an edit (3P,) that the best `count` of these changes (N, 3P) explain, chosen one by one.
pub(crate) fn explained(changes: &[Vec<f32>], edit: &[f64], count: usize) -> f64 {
    1.0 - norm2(&pursue(changes, edit, count).1) / norm2(edit)
}

/// The `count` rows of the Jacobian that explain an edit, in the order of being chosen, and what they leave of it: of
/// (N, 3P) and (3P,), at most `count` numbers below N and (3P,).
pub(crate) fn pursue(jacobian: &[Vec<f32>], edit: &[f64], count: usize) -> (Vec<usize>, Vec<f64>) {
    let dot = |a: &[f32], b: &[f64]| a.iter().zip(b).map(|(a, b)| f64::from(*a) * b).sum::<f64>();
    let norms: Vec<f64> = jacobian
        .iter()
        .map(|row| row.iter().map(|v| f64::from(*v).powi(2)).sum::<f64>().sqrt())
        .collect();
    let (mut order, mut basis): (Vec<usize>, Vec<Vec<f64>>) = (Vec::new(), Vec::new());
    let mut rest = edit.to_vec();
    while order.len() < count {
        let gain = |k: usize| (dot(&jacobian[k], &rest) / norms[k]).abs();
        let free = (0..jacobian.len()).filter(|k| norms[*k] > 1e-6 && !order.contains(k));
        let Some(k) = free.max_by(|&a, &b| gain(a).total_cmp(&gain(b))) else { break };
        let mut own: Vec<f64> = jacobian[k].iter().map(|v| f64::from(*v)).collect();
        for known in &basis {
            let share: f64 = own.iter().zip(known).map(|(a, b)| a * b).sum();
            own.iter_mut().zip(known).for_each(|(a, b)| *a -= share * b);
        }
        let norm = norm2(&own).sqrt();
        order.push(k);
        if norm > 1e-6 * norms[k] {
            own.iter_mut().for_each(|v| *v /= norm);
            let share: f64 = own.iter().zip(&rest).map(|(a, b)| a * b).sum();
            rest.iter_mut().zip(&own).for_each(|(a, b)| *a -= share * b);
            basis.push(own);
        }
    }
    (order, rest)
}

/// Least ‖picture − edited‖² found by moving these weights; `edit` is (3P,).
///
/// # Panics
/// If there is no such link, or the edit is of another size.
pub(crate) fn refine(view: &View, painter: &mut Painter, links: &[usize], edit: &[f64]) -> f64 {
    // Of a network that draws one colour no weight may change anything.
    if links.is_empty() {
        return norm2(edit);
    }
    let base = &view.picture().rgb;
    let mut error = |moves: &[f64]| -> DVector<f64> {
        let changes = links.iter().zip(moves).map(|(&link, &delta)| Change::By { link, delta });
        let drawn = painter.draw_all(changes.collect::<Vec<_>>()).rgb.iter().zip(base);
        let left =
            drawn.zip(edit).map(|((now, base), edit)| f64::from(*now) - f64::from(*base) - edit);
        DVector::from_iterator(base.len(), left)
    };
    let mut at = vec![0.0; links.len()];
    let mut left = error(&at);
    let mut damping = 1e-3;
    for _ in 0..ROUNDS {
        let columns: Vec<DVector<f64>> = (0..links.len())
            .map(|k| {
                let mut moved = at.clone();
                moved[k] += STEP;
                (error(&moved) - &left) / STEP
            })
            .collect();
        let slopes = DMatrix::from_columns(&columns);
        let (normal, pull) = (slopes.tr_mul(&slopes), slopes.tr_mul(&left));
        let mut better = false;
        for _ in 0..4 {
            let mut damped = normal.clone();
            for k in 0..links.len() {
                damped[(k, k)] += damping * normal[(k, k)].max(1e-9);
            }
            let Some(step) = damped.cholesky().map(|c| c.solve(&pull)) else { break };
            let moved: Vec<f64> = at.iter().zip(step.iter()).map(|(a, s)| a - s).collect();
            let found = error(&moved);
            if found.norm_squared() < left.norm_squared() {
                better = found.norm_squared() < 0.9999 * left.norm_squared();
                (at, left) = (moved, found);
                damping = (damping / 4.0).max(1e-6);
                break;
            }
            damping *= 8.0;
        }
        if !better {
            break;
        }
    }
    left.norm_squared()
}

fn norm2(values: &[f64]) -> f64 {
    values.iter().map(|v| v * v).sum()
}
