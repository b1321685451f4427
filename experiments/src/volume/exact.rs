//! Pr that a random mask has a P-modular labelling, exactly.
//!
//! A labelling exists if and only if every layer is touched by at least P components (see
//! [`super`]). Layer by layer it is carried how the current layer's units are joined into
//! components, and for each earlier layer k how many finished components cover it, c_k, next to
//! the open components that reach back to it, o_k: the layer asks c_k + o_k ≥ P. Units of a new
//! layer are added one at a time: a unit joins a component with m units in the old layer with
//! probability 1 − q^m.
//!
//! Most layers can be forgotten \[ours\]: if j < k and c_j ≤ c_k, whatever reaches back to j also
//! covers k, so layer k asks nothing that layer j does not; and this stays so. What is left are
//! layers with strictly falling c < P, at most P of them, however deep the network is.

use super::{VolumeError, checked};
use std::collections::BTreeMap;

/// States the computation keeps at most.
const LIMIT: usize = 500_000;

/// A component that reaches the current layer: the first remembered layer it covers (their number,
/// if none), units in the old layer, units in the new layer.
type Open = (u8, u8, u8);

/// Finished components covering each remembered layer, falling, and the open components, sorted.
type State = (Vec<u8>, Vec<Open>);

/// Pr(a P-modular labelling exists) for `layers` × `width` units with iid edges of probability
/// `p`; relative error about 1e-12, also far in the tail. 0 when P > W.
///
/// Cost grows steeply with W (L 6, P 3: 0.1 s at W 5, a few seconds at W 6) and linearly with L.
///
/// # Errors
/// A parameter out of range, W > 7, or more than 500 000 states.
pub(crate) fn probability(
    width: usize,
    layers: usize,
    parts: usize,
    p: f64,
) -> Result<f64, VolumeError> {
    checked(width, layers, parts, p)?;
    if parts > width {
        return Ok(0.0);
    }
    let too_large = |found: usize| VolumeError::TooLarge {
        what: "exact Pr (states)",
        limit: LIMIT as u64,
        found: found as u64,
    };
    if width > 7 {
        return Err(VolumeError::TooLarge {
            what: "exact Pr (width)",
            limit: 7,
            found: width as u64,
        });
    }
    let need = parts as u8;
    let absent: Vec<f64> = (0..=width)
        .scan(1.0, |power, _| {
            let now = *power;
            *power *= 1.0 - p;
            Some(now)
        })
        .collect();
    let mut states: BTreeMap<State, f64> =
        BTreeMap::from([((vec![0], vec![(0, 0, 1); width]), 1.0)]);
    for _ in 1..layers {
        states = turn(states);
        for _ in 0..width {
            let mut next = BTreeMap::new();
            for ((closed, open), weight) in &states {
                add_unit(closed, open, *weight, need, &absent, &mut next);
            }
            states = next;
            if states.len() > LIMIT {
                return Err(too_large(states.len()));
            }
        }
        states = close(states, need);
    }
    Ok(states
        .iter()
        .filter(|((closed, open), _)| feasible(closed, open, need))
        .map(|(_, weight)| weight)
        .sum())
}

/// The new layer becomes the old one.
fn turn(states: BTreeMap<State, f64>) -> BTreeMap<State, f64> {
    let mut turned = BTreeMap::new();
    for ((closed, mut open), weight) in states {
        for component in &mut open {
            *component = (component.0, component.2, 0);
        }
        open.sort_unstable();
        *turned.entry((closed, open)).or_insert(0.0) += weight;
    }
    turned
}

/// One more unit in the new layer: every set of old components it may join.
fn add_unit(
    closed: &[u8],
    open: &[Open],
    weight: f64,
    need: u8,
    absent: &[f64],
    next: &mut BTreeMap<State, f64>,
) {
    let joinable: Vec<usize> = (0..open.len()).filter(|&i| open[i].1 > 0).collect();
    for chosen in 0..1usize << joinable.len() {
        let mut chance = weight;
        let mut merged: Open = (closed.len() as u8, 0, 1);
        let mut rest = Vec::with_capacity(open.len() + 1);
        rest.extend(open.iter().filter(|c| c.1 == 0));
        for (bit, &i) in joinable.iter().enumerate() {
            let (first, old, new) = open[i];
            if chosen >> bit & 1 == 1 {
                chance *= 1.0 - absent[usize::from(old)];
                merged = (merged.0.min(first), merged.1 + old, merged.2 + new);
            } else {
                chance *= absent[usize::from(old)];
                rest.push(open[i]);
            }
        }
        if chance == 0.0 {
            continue;
        }
        rest.push(merged);
        rest.sort_unstable();
        if feasible(closed, &rest, need) {
            *next.entry((closed.to_vec(), rest)).or_insert(0.0) += chance;
        }
    }
}

/// Components without a unit in the new layer are finished; layers that ask nothing any more are
/// forgotten.
fn close(states: BTreeMap<State, f64>, need: u8) -> BTreeMap<State, f64> {
    let mut found = BTreeMap::new();
    for ((mut closed, open), weight) in states {
        for &(first, _, _) in open.iter().filter(|c| c.2 == 0) {
            for count in &mut closed[usize::from(first)..] {
                *count += 1;
            }
        }
        closed.push(0);
        let mut kept = Vec::with_capacity(closed.len());
        // `place[k]`: how many of the layers before k are still remembered.
        let mut place = Vec::with_capacity(closed.len() + 1);
        for &count in &closed {
            place.push(kept.len() as u8);
            if count < need && kept.last().is_none_or(|&last| count < last) {
                kept.push(count);
            }
        }
        place.push(kept.len() as u8);
        let mut open: Vec<Open> = open
            .into_iter()
            .filter(|c| c.2 > 0)
            .map(|c| (place[usize::from(c.0)], 0, c.2))
            .collect();
        open.sort_unstable();
        *found.entry((kept, open)).or_insert(0.0) += weight;
    }
    found
}

/// True while every layer of `closed` is covered by at least `need` components, finished or open:
/// joining components can only lower those numbers.
fn feasible(closed: &[u8], open: &[Open], need: u8) -> bool {
    closed.iter().enumerate().all(|(layer, &count)| {
        let reaching = open.iter().filter(|c| usize::from(c.0) <= layer).count();
        usize::from(count) + reaching >= usize::from(need)
    })
}

#[cfg(test)]
/// Pr by walking through all 2^((L−1)W²) masks: the oracle of [`probability`].
///
/// # Errors
/// A parameter out of range, or more than 22 edges.
pub(crate) fn by_enumeration(
    width: usize,
    layers: usize,
    parts: usize,
    p: f64,
) -> Result<f64, VolumeError> {
    checked(width, layers, parts, p)?;
    let edges = (layers - 1) * width * width;
    if edges > 22 {
        return Err(VolumeError::TooLarge {
            what: "enumeration (edges)",
            limit: 22,
            found: edges as u64,
        });
    }
    // Masks by number of edges: few sums of many equal terms keep the rounding small.
    let mut modular = vec![0u64; edges + 1];
    for mask in 0..1u32 << edges {
        let present = (0..edges).filter(|e| mask >> e & 1 == 1).map(|e| {
            let (gap, pair) = (e / (width * width), e % (width * width));
            (gap * width + pair / width, (gap + 1) * width + pair % width)
        });
        let components =
            picloom::score::measures::components::Components::of(layers, width, |_| true, present);
        if components.least_touching() >= parts {
            modular[mask.count_ones() as usize] += 1;
        }
    }
    let power = |base: f64, times: usize| (0..times).map(|_| base).product::<f64>();
    Ok(modular
        .iter()
        .enumerate()
        .map(|(k, &count)| count as f64 * power(p, k) * power(1.0 - p, edges - k))
        .sum())
}
