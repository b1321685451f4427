//! Axis advantage: do single weights mean more than random directions of the same network?
//!
//! A = mean P(clean) of pictures after a change along an axis − that along random directions, every change as far as
//! RMSE .18, both ways. *Weight-wise* an axis is one non-zero weight; *unit-wise* it is a random direction among the
//! living weights into one unit (of at least two). A random direction is uniform on the sphere of all living weights.
//! *Of scaling*: an axis makes one unit louder, a random direction a mixture of the units of its layer ([`super::scaling`]).
//! In [−1, 1]. Judge, picture, size and fit cancel.
//!
//! In: a view, a judge. Out: three numbers, each none if too few changes reach that effect.
//! Cost: at most 150 directions, both ways, each with at most 24 drawings of P pixels to find its length, then one
//! drawing and one verdict: 7 500 drawings and 300 verdicts at most.
//!
//! Source: METHODS §7 \[ours\]; \[measured\] about 0 for evolved and for dense networks.
//!
//! **What it does not mean:** a direction of many weights moves the picture smoothly, which judges like; A below 0
//! does not say that the weights mean nothing.

use super::scaling::{Direction, Layers};
use picloom::base::{SimRng, real};
use picloom::probe::{Change, Delta, Painter, Selection, View, unit_vector};
use picloom::score::measures::living;
use picloom::score::{Judge, JudgeError};
use rayon::prelude::*;

/// Axes, and random directions.
const DIRECTIONS: usize = 30;

/// The directions in weight space along which a picture is changed, each of length 1.
pub(crate) struct Axes {
    /// Each is one non-zero weight.
    pub weights: Vec<Direction>,
    /// Each among the living weights into one unit. Empty if no unit has two.
    pub units: Vec<Direction>,
    /// Each among all living weights: what both are compared with.
    pub random: Vec<Direction>,
    /// Each makes one unit louder. Empty if the network is not layered.
    pub scaled: Vec<Direction>,
    /// Each makes a mixture of the same units louder: what `scaled` is compared with.
    pub mixed: Vec<Direction>,
}

impl Axes {
    /// At most 30 of each, at random.
    pub(crate) fn draw(view: &View, rng: &mut SimRng) -> Self {
        let (network, living) = (&view.model().network, living(view));
        let single = Selection::Sample(DIRECTIONS).draw(view.model(), rng);
        let weights = single.into_iter().map(|link| vec![(link, 1.0)]).collect();
        let into =
            |unit: usize| living.iter().copied().filter(move |&i| network.links[i].target == unit);
        let heard: Vec<usize> =
            (network.inputs.len()..network.units.len()).filter(|&u| into(u).count() > 1).collect();
        let mut units = Vec::new();
        for _ in 0..DIRECTIONS {
            let Some(&unit) = rng.choose(&heard) else { break };
            units.push(unit_vector(&into(unit).collect::<Vec<usize>>(), rng));
        }
        let random = (0..DIRECTIONS).map(|_| unit_vector(&living, rng)).collect();
        let (mut scaled, mut mixed) = (Vec::new(), Vec::new());
        if let Some(layers) = Layers::of(view) {
            let units = layers.units();
            for _ in 0..DIRECTIONS {
                let Some(&unit) = rng.choose(&units) else { break };
                scaled.push(layers.unit(unit));
                mixed.push(layers.mixture(unit.0, rng));
            }
        }
        Axes { weights, units, random, scaled, mixed }
    }

    /// The advantages of weights, units and scaling. `None` if fewer than four changes reach the
    /// effect.
    ///
    /// # Errors
    /// The judge could not judge a picture.
    ///
    /// # Panics
    /// If a direction has a link that the network has not.
    pub(crate) fn advantages(
        &self,
        view: &View,
        judge: &dyn Judge,
    ) -> Result<[Option<f64>; 3], JudgeError> {
        let of = |directions: &[Direction]| clean(view, judge, directions);
        let random = of(&self.random)?;
        let less = |axes: Option<f64>, others: Option<f64>| Some(axes? - others?);
        let scaling = less(of(&self.scaled)?, of(&self.mixed)?);
        Ok([less(of(&self.weights)?, random), less(of(&self.units)?, random), scaling])
    }
}

/// Mean P(clean) after changes along directions, both ways. `None` if fewer than four reach the
/// effect.
fn clean(
    view: &View,
    judge: &dyn Judge,
    directions: &[Direction],
) -> Result<Option<f64>, JudgeError> {
    let reading = judge.read_base(view.picture());
    let ways: Vec<(&Direction, f64)> =
        directions.iter().flat_map(|d| [(d, 1.0), (d, -1.0)]).collect();
    let verdicts: Vec<Option<f64>> = ways
        .par_iter()
        .map_init(
            || view.painter(),
            |painter, (direction, sign)| {
                let Some(length) = reach(painter, direction, *sign) else { return Ok(None) };
                let picture = painter.draw_all(along(direction, sign * length));
                Ok(Some(1.0 - reading.judge(picture)?.p_damaged))
            },
        )
        .collect::<Result<_, JudgeError>>()?;
    let found: Vec<f64> = verdicts.into_iter().flatten().collect();
    Ok((found.len() >= 4).then(|| found.iter().sum::<f64>() / found.len() as f64))
}

fn along(direction: &Direction, length: f64) -> impl Iterator<Item = Change> {
    direction.iter().map(move |&(link, u)| Change::By { link, delta: length * u })
}

/// How far one must go along a direction until the picture has changed by RMSE .18 ± 15 %: steps that grow by at most
/// eight, then the bracket is halved on a log scale. None if it is not reached, to 60 %, within a length of 16 or
/// what so many weights of ± 1 are long.
///
/// # Panics
/// If the direction has a link that the network has not.
pub(crate) fn reach(painter: &mut Painter, direction: &Direction, sign: f64) -> Option<f64> {
    let wanted = Delta::EFFECT;
    let most = Delta::LARGEST.max((direction.len() as f64).sqrt());
    let (mut low, mut high): (f64, Option<f64>) = (1.0 / 1024.0, None);
    let mut best: Option<(f64, f64)> = None;
    let mut length = 1.0 / 64.0;
    for _ in 0..24 {
        let effect = painter.effect_of_all(along(direction, sign * length));
        let off = (effect / wanted - 1.0).abs();
        if best.is_none_or(|(least, _)| off < least) {
            best = Some((off, length));
        }
        if off <= Delta::TOLERANCE || (length >= most && effect < wanted) {
            break;
        }
        if effect < wanted {
            low = length;
        } else {
            high = Some(length);
        }
        length = match high {
            Some(high) => real::exp(0.5 * (real::ln(low) + real::ln(high))),
            None => (length * (wanted / effect.max(1e-9)).clamp(1.2, 8.0)).min(most),
        };
    }
    best.filter(|(off, _)| *off <= 1.0 - Delta::SILENT_BELOW).map(|(_, length)| length)
}
