//! The place that the regime map of one picture recommends, and how sure that is.

use super::points::{LAYER_COUNTS, Networks, Place, Points, SP};
use crate::experiment::networks::record::NetworksRecord;
use crate::experiment::networks::spec::Variances;
use crate::math::SimRng;
use crate::math::stats::{Interval, mean, standard_error, student_quantile, variance};
use serde::Serialize;

/// The place a map recommends, and how sure that is.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Recommendation {
    /// Hidden layers.
    pub layers: usize,
    /// Share of the links kept; 1: dense.
    pub share: f64,
    /// Mean score over seeds there, 0 for a network that did not learn the picture.
    pub score: f64,
    /// Networks there that learned it, and all.
    pub fit: (usize, usize),
    /// Hidden layers that were predicted.
    pub predicted: usize,
    /// Score there less that of the dense network at the predicted depth, on the seeds that it was chosen by: what is
    /// best of many by chance too is flattered.
    pub chosen_over_dense: f64,
    /// The same of a place that is chosen on all seeds but one, on that one, averaged over seeds, with its 95 % interval; none
    /// with one seed.
    pub over_dense: Option<Interval>,
    /// The same against random links with the same count in every layer; none where a dense network was chosen.
    pub over_random: Option<Interval>,
    /// Chance that this place is the best of the map, given the errors of all scores.
    pub certainty: f64,
    /// Places (layers, share) that together hold 80 % of that chance, likeliest first.
    pub likely: Vec<(usize, f64)>,
}

/// Redrawn maps behind [`Recommendation::certainty`].
const REDRAWN: u64 = 2000;
/// Correlation of two seeds' differences in [`Recommendation::over_dense`] and `over_random`, for each had a part in the other's
/// choice: .05–.15 simulated with 2–5 seeds on maps of 10–35 places that are all alike. \[ours\]
const SHARED: f64 = 0.15;

/// The best place of a map of one target, dense or pruned by similarity, by the mean score over seeds with
/// unfit = 0. Its error: what seeds differ by, and at least what the judge and the sample of weights make
/// uncertain in a network. None if no network learned the picture.
pub fn recommend(record: &NetworksRecord, variances: &Variances) -> Option<Recommendation> {
    let points = Points::of(record);
    let (_, seeds) = points.targets.first()?;
    let at = |networks: &Networks, place: &Place| networks.get(place)?.score;
    let of_place = |place: &Place| -> Vec<f64> {
        seeds.values().filter_map(|networks| at(networks, place)).collect()
    };
    let sampled = record.sample.unwrap_or(1000) as f64;
    // Of one network; one that does not fit has its 0 for certain, but another might have fitted.
    let network = variances.judge.powi(2) + variances.score * (1.0 - variances.score) / sampled;
    let error = |values: &[f64], networks: f64| -> f64 {
        let known = (networks * network / values.len().max(1) as f64).sqrt();
        standard_error(values).unwrap_or(0.0).max(known)
    };
    let mut places: Vec<Place> = seeds.values().flat_map(|n| n.keys().cloned()).collect();
    places.retain(|place| place.arm == SP || place.level == 0);
    places.sort();
    places.dedup();
    let cells: Vec<(Place, Vec<f64>)> = places
        .into_iter()
        .map(|place| (place.clone(), of_place(&place)))
        .filter(|(_, values)| !values.is_empty())
        .collect();
    let means: Vec<f64> = cells.iter().filter_map(|c| mean(&c.1).ok()).collect();
    let highest =
        |values: &[f64]| (0..values.len()).reduce(|a, b| if values[b] > values[a] { b } else { a });
    let best = highest(&means)?;
    if means[best] <= 0.0 {
        return None;
    }
    let mut won = vec![0u64; cells.len()];
    for k in 0..REDRAWN {
        let mut rng = SimRng::new(0, "redrawn-map", k);
        let drawn: Vec<f64> = cells
            .iter()
            .zip(&means)
            .map(|((_, values), mean)| mean + error(values, 1.0) * rng.normal())
            .collect();
        won[highest(&drawn)?] += 1;
    }
    let row = |place: &Place| {
        record.rows.iter().find(|row| {
            (row.offset, row.level) == (place.offset, place.level)
                && row.arm == place.arm
                && row.result.is_some()
        })
    };
    let stands = |place: &Place| {
        let row = row(place)?;
        let result = row.result.as_ref()?;
        Some((row.layers, result.kept as f64 / result.links as f64))
    };
    let mut order: Vec<usize> = (0..cells.len()).collect();
    order.sort_by_key(|&i| (std::cmp::Reverse(won[i]), i));
    let (mut likely, mut held) = (Vec::new(), 0);
    for i in order {
        if held * 10 < REDRAWN * 8 {
            held += won[i];
            likely.extend(stands(&cells[i].0));
        }
    }
    let dense = Place { offset: 0, arm: "dense".into(), level: 0 };
    let random = |place: &Place| Place { arm: LAYER_COUNTS[0].into(), ..place.clone() };
    // What a seed adds to a network, from all places of the map.
    let spreads = cells.iter().filter_map(|c| Some((c.1.len() - 1, variance(&c.1).ok()?)));
    let (freedom, squares) = spreads.fold((0, 0.0), |(n, sum), (k, v)| (n + k, sum + k as f64 * v));
    let spread = (squares / freedom.max(1) as f64).max(network).sqrt();
    // The place that the other seeds choose, against another one on the seed left out.
    let left_out = |other: &dyn Fn(&Place) -> Option<Place>| -> Option<Interval> {
        let of_seed = |seed: &u64| {
            let others = seeds.iter().filter(|(other, _)| *other != seed);
            let others: Vec<&Networks> = others.map(|(_, networks)| networks).collect();
            let of = |place: &Place| -> Vec<f64> {
                others.iter().filter_map(|networks| at(networks, place)).collect()
            };
            let means = cells.iter().filter_map(|c| Some((&c.0, mean(&of(&c.0)).ok()?)));
            let chosen = means.reduce(|a, b| if b.1 > a.1 { b } else { a })?.0;
            let own = &seeds[seed];
            Some(at(own, chosen)? - at(own, &other(chosen)?)?)
        };
        let differences: Vec<f64> = seeds.keys().filter_map(of_seed).collect();
        let estimate = mean(&differences).ok().filter(|_| freedom > 0)?;
        let seeds = differences.len() as f64;
        let error = spread * (2.0 / seeds * (1.0 + (seeds - 1.0) * SHARED)).sqrt();
        let half = student_quantile(0.975, freedom as f64) * error;
        Some(Interval { estimate, low: estimate - half, high: estimate + half })
    };
    let place = &cells[best].0;
    let (layers, share) = stands(place)?;
    let fits = seeds.values().filter_map(|n| n.get(place)).filter(|point| point.fit).count();
    Some(Recommendation {
        layers,
        share,
        score: means[best],
        fit: (fits, cells[best].1.len()),
        predicted: stands(&dense)?.0,
        chosen_over_dense: means[best] - mean(&of_place(&dense)).ok()?,
        over_dense: left_out(&|_| Some(dense.clone())),
        over_random: left_out(&|place| (place.level > 0).then(|| random(place)))
            .filter(|_| place.level > 0),
        certainty: won[best] as f64 / REDRAWN as f64,
        likely,
    })
}

impl Recommendation {
    /// In sentences.
    pub fn text(&self) -> String {
        let percent = |share: f64| format!("{:.0} %", 100.0 * share);
        let place = |layers: usize, share: f64| format!("{layers} layers, {}", percent(share));
        let span = |i: &Interval| format!("{:+.2} [{:+.2}, {:+.2}]", i.estimate, i.low, i.high);
        let mut text = format!(
            "recommended: {} hidden layers, {} of the links (score {:.2}, {} of {} networks learned the picture)\n",
            self.layers,
            percent(self.share),
            self.score,
            self.fit.0,
            self.fit.1
        );
        let dense = format!("the dense network at the predicted {} layers", self.predicted);
        text += &format!(
            "over {dense}: {:+.2} on the seeds that it was chosen by, which flatter it\n",
            self.chosen_over_dense
        );
        text += &match &self.over_dense {
            None => format!("whether it beats {dense} one seed cannot say\n"),
            Some(i) => {
                let beats = match i {
                    i if i.low > 0.0 => "beats",
                    i if i.high < 0.0 => "is worse than",
                    _ => "cannot be told from",
                };
                format!(
                    "a place chosen without the seed that it is tried on {beats} it: {}\n",
                    span(i)
                )
            }
        };
        if let Some(random) = &self.over_random {
            text += &format!("the same over random links with its counts: {}\n", span(random));
        }
        let likely: Vec<String> = self.likely.iter().map(|&(l, s)| place(l, s)).collect();
        text + &format!(
            "the best place of the map for certain by {}; 80 % of the chance lie on: {}",
            percent(self.certainty),
            likely.join("; ")
        )
    }
}
