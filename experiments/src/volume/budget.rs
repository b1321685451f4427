//! Volume ratio at a fixed edge budget \[ours\]: exactly K edges over the whole network, wherever
//! they fall.
//!
//! Slots: 4·W from the inputs, W² between neighbouring hidden layers, 3·W into the head. K of
//! them are chosen uniformly. What is not on a path from an input to an output is dead and
//! removed. Event: every output is driven, and at least P components of the alive hidden graph
//! cover *all* hidden layers. This has a genuine interior optimum in L: shallow networks are too
//! crowded (one component), deep ones too thin (paths break).

use super::sample::{Estimate, chunked, share};
use super::{VolumeError, checked};
use picloom::base::refusal::Refusal;

/// Slots of a network of `layers` hidden layers of `width` units: 4W + (L − 1)W² + 3W.
pub(crate) fn slots(width: usize, layers: usize) -> usize {
    4 * width + (layers - 1) * width * width + 3 * width
}

/// Units a layer has at most: bits of a word.
const WIDEST: usize = 64;

/// Probability of the event, by `samples` draws with Wilson's 95 % interval; `None` if the network
/// has fewer slots than the budget has edges. O(samples · (K + L·W)).
///
/// # Errors
/// A parameter out of range, more than 64 units a layer, no samples.
pub(crate) fn probability(
    width: usize,
    layers: usize,
    edges: usize,
    parts: usize,
    samples: usize,
    seed: u64,
) -> Result<Option<Estimate>, VolumeError> {
    checked(width, layers, parts, 0.0)?;
    if width > WIDEST {
        let expected = format!("1 to {WIDEST} with a budget of edges");
        return Err(Refusal::new("width", expected, width.to_string()).into());
    }
    let total = slots(width, layers);
    if edges > total {
        return Ok(None);
    }
    let purpose = format!("theory/budget {width} {layers} {edges} {parts}");
    let hits = chunked(samples, seed, &purpose, |rng, count| {
        let mut order: Vec<Wire> = (0..total).map(|slot| wire(slot, width, layers)).collect();
        let mut wiring = Wiring::new(width, layers);
        (0..count)
            .filter(|_| {
                // The first K steps of a Fisher–Yates shuffle; the order carries over.
                wiring.clear();
                for i in 0..edges {
                    order.swap(i, i + rng.below(total - i));
                    wiring.add(order[i]);
                }
                wiring.happens(parts)
            })
            .count()
    });
    share(hits.iter().sum(), samples).map(Some)
}

/// An edge.
#[derive(Clone, Copy)]
enum Wire {
    /// Into this unit of the first hidden layer.
    Input(usize),
    /// Out of this hidden unit, numbered through the layers, into this unit of the next.
    Hidden(usize, usize),
    /// Out of this unit of the last hidden layer into this output.
    Output(usize, usize),
}

/// The edge of a slot.
fn wire(slot: usize, width: usize, layers: usize) -> Wire {
    let first = 4 * width;
    let middle = (layers - 1) * width * width;
    if slot < first {
        Wire::Input(slot / 4)
    } else if slot < first + middle {
        Wire::Hidden((slot - first) / width, (slot - first) % width)
    } else {
        let pair = slot - first - middle;
        Wire::Output(pair % width, pair / width)
    }
}

/// The chosen edges, and what follows from them: units of a layer as bits.
struct Wiring {
    width: usize,
    /// Units of the first hidden layer that hear an input.
    heard: u64,
    /// (L − 1)·W, into the next layer.
    out: Vec<u64>,
    /// Units of the last hidden layer that each output hears.
    head: [u64; 3],
    /// (L,) units on a path from an input to an output.
    alive: Vec<u64>,
    /// (L,) units of the component that is looked at.
    seen: Vec<u64>,
}

/// The bits of a word, from the lowest.
fn bits(mut word: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let lowest = (word != 0).then(|| word.trailing_zeros() as usize);
        word &= word.wrapping_sub(1);
        lowest
    })
}

impl Wiring {
    fn new(width: usize, layers: usize) -> Self {
        let out = vec![0; (layers - 1) * width];
        let (alive, seen) = (vec![0; layers], vec![0; layers]);
        Wiring { width, heard: 0, out, head: [0; 3], alive, seen }
    }

    fn clear(&mut self) {
        (self.heard, self.head) = (0, [0; 3]);
        self.out.fill(0);
    }

    fn add(&mut self, wire: Wire) {
        match wire {
            Wire::Input(target) => self.heard |= 1 << target,
            Wire::Hidden(source, target) => self.out[source] |= 1 << target,
            Wire::Output(source, target) => self.head[target] |= 1 << source,
        }
    }

    /// Units of the next layer that units of this one lead to.
    fn led_to(&self, layer: usize, units: u64) -> u64 {
        bits(units).fold(0, |to, unit| to | self.out[layer * self.width + unit])
    }

    /// Those units of a layer that lead to units of the next one.
    fn leading(&self, layer: usize, units: u64, next: u64) -> u64 {
        let leads = |unit: &usize| self.out[layer * self.width + unit] & next != 0;
        bits(units).filter(leads).fold(0, |from, unit| from | 1 << unit)
    }

    /// The event.
    fn happens(&mut self, parts: usize) -> bool {
        let last = self.alive.len() - 1;
        self.alive[0] = self.heard;
        for layer in 0..last {
            self.alive[layer + 1] = self.led_to(layer, self.alive[layer]);
        }
        if self.head.iter().any(|from| from & self.alive[last] == 0) {
            return false;
        }
        self.alive[last] &= self.head[0] | self.head[1] | self.head[2];
        for layer in (0..last).rev() {
            self.alive[layer] = self.leading(layer, self.alive[layer], self.alive[layer + 1]);
        }
        let fewest = self.alive.iter().map(|units| units.count_ones() as usize).min();
        fewest.is_some_and(|fewest| fewest >= parts) && self.spanning() >= parts
    }

    /// Components of the alive hidden graph that cover every hidden layer. Each has a unit in the first, for what
    /// is alive hears an input.
    fn spanning(&mut self) -> usize {
        let (last, mut count) = (self.alive.len() - 1, 0);
        let mut left = self.alive[0];
        while left != 0 {
            self.seen.fill(0);
            self.seen[0] = left & left.wrapping_neg();
            loop {
                let mut grew = false;
                for layer in 0..last {
                    let next = self.led_to(layer, self.seen[layer]) & self.alive[layer + 1];
                    grew |= next & !self.seen[layer + 1] != 0;
                    self.seen[layer + 1] |= next;
                }
                for layer in (0..last).rev() {
                    let rest = self.alive[layer] & !self.seen[layer];
                    let from = self.leading(layer, rest, self.seen[layer + 1]);
                    grew |= from != 0;
                    self.seen[layer] |= from;
                }
                if !grew {
                    break;
                }
            }
            left &= !self.seen[0];
            count += usize::from(self.seen[last] != 0);
        }
        count
    }
}
