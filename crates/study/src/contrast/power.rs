//! How likely a design is to decide a contrast: power by simulation, before the runs.

use super::estimate::{Found, Verdict, verdict};
use super::spec::ContrastSpec;
use picloom_base::SimRng;
use picloom_base::stats::{random_groups, sign_flip_p};
use serde::{Deserialize, Serialize};

/// Studies that are simulated for one effect.
const STUDIES: u64 = 400;

/// Sign flips of each simulated study.
const FLIPS: u32 = 400;

/// The shares of simulated studies with each verdict, at one true effect.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Power {
    /// The true mean difference.
    pub effect: f64,
    /// Share of studies in which the contrast is supported.
    pub supported: f64,
    /// Share in which an effect of the margin is excluded or the effect has the other sign.
    pub excluded: f64,
}

/// Where differences come from: standard deviations between units and within one, and the share of seeds that can be
/// compared.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Variation {
    /// Standard deviation of a unit's true difference.
    pub between: f64,
    /// Standard deviation of a seed's difference about its unit's.
    pub within: f64,
    /// Share of seeds whose two networks can be compared, 0 to 1.
    pub kept: f64,
}

impl Variation {
    /// The variation that an earlier study of so many seeds found. `None` with fewer than two units.
    pub fn of(earlier: &Found, seeds: usize) -> Option<Self> {
        let kept: usize = earlier.units.iter().map(|unit| unit.count).sum();
        let asked = (earlier.units.len() + earlier.without.len()) * seeds;
        Some(Variation {
            between: earlier.between?,
            within: earlier.within.unwrap_or(0.0),
            kept: kept as f64 / asked as f64,
        })
    }
}

/// The power of a design with so many `units` and `seeds`, whose units and seeds vary so.
///
/// A unit's true difference is normal about the effect; a seed's is normal about its unit's. Seeds are lost as often as
/// `varies` says.
pub fn power(
    spec: &ContrastSpec,
    Variation { between, within, kept: share }: Variation,
    (units, seeds): (usize, usize),
    effect: f64,
    seed: u64,
) -> Power {
    let (mut supported, mut excluded) = (0, 0);
    for study in 0..STUDIES {
        let mut rng = SimRng::new(seed, "power", study);
        let groups: Vec<Vec<f64>> = (0..units)
            .map(|_| {
                let own = effect + between * rng.normal();
                let drawn = (0..seeds).map(|_| (own + within * rng.normal(), rng.uniform()));
                drawn.filter(|one| one.1 < share).map(|one| one.0).collect()
            })
            .collect();
        let interval = random_groups(&groups, 0.95).ok().map(|m| (m.mean.low, m.mean.high));
        let p = if spec.asks_p() {
            sign_flip_p(&groups.concat(), FLIPS, &mut rng).ok()
        } else {
            Some(0.0)
        };
        match verdict(spec.rule, spec.margin, interval, p) {
            Verdict::Supported => supported += 1,
            Verdict::SmallerThanMargin | Verdict::Contradicted => excluded += 1,
            Verdict::Inconclusive => {}
        }
    }
    let share = |count: u64| count as f64 / STUDIES as f64;
    Power { effect, supported: share(supported), excluded: share(excluded) }
}
