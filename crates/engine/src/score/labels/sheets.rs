//! Pairs to label without knowing the network: perturbations of several networks, shuffled and
//! numbered.
//!
//! Drawn evenly over a judge's P(damaged), they hold the hard cases that a plain sample has few of:
//! within each network the changes that could be shown are put into five [`STRATA`] by P, and picks
//! go round the strata. A pick stands for `weight` = (changes in its stratum)/(picks from it) of them, so
//! that shares of the network can still be estimated without bias.

use super::KeyRow;
use crate::base::SimRng;
use crate::base::files::{WriteError, create_folder, write_atomic};
use crate::base::hash::{sha256_hex, sha256_of_floats};
use crate::base::text;
use crate::network::{Coords, Model, Picture};
use crate::probe::{Delta, Perturbation, Selection, View};
use crate::score::judge::{Judge, JudgeError, Verdict};
use crate::score::{Exhibit, at_once};
use rayon::prelude::*;
use serde::Serialize;
use std::path::Path;

/// The viewer's question; the vision-language judge gets the same words.
const PROMPT: &str = include_str!("../../../assets/prompts/judge.txt");

/// Upper ends of the strata of P(damaged); the last is 1.
pub(crate) const STRATA: [f64; 5] = [0.1, 0.35, 0.65, 0.9, 1.0];
/// Changes looked at for each that is picked, with a judge to pick evenly over.
const POOL: usize = 5;

/// A network to draw pairs from.
#[derive(Clone, Debug)]
pub struct Drawer {
    /// Its target.
    pub target: String,
    /// Its own name.
    pub name: String,
    /// The network.
    pub model: Model,
    /// Coordinate convention.
    pub coords: Coords,
    /// The picture it should draw, at the size of the pairs; `None` if it has no target of its own.
    pub picture: Option<Picture>,
}

/// How pairs are drawn.
#[derive(Clone, Debug, PartialEq)]
pub struct PairSettings {
    /// Pairs in all, shared out equally among the networks.
    pub count: usize,
    /// How far a weight is moved; of several, each network's changes are shared out among them.
    pub deltas: Vec<Delta>,
    /// Side of the pictures in pixels; smaller ones are drawn at [`JUDGED_AT`](crate::score::JUDGED_AT).
    pub size: usize,
    /// Seed of the sample and of the shuffle.
    pub seed: u64,
}

/// One change to be labelled.
#[derive(Clone, Debug, PartialEq)]
pub struct Pair {
    /// Index of the network.
    pub network: usize,
    /// The change.
    pub perturbation: Perturbation,
    /// The picture then.
    pub picture: Picture,
    /// How it was picked; `None` if drawn plainly.
    pub pick: Option<Pick>,
}

/// How a change was picked evenly over a judge's P(damaged).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pick {
    /// The judge's P(damaged), in [0, 1].
    pub p: f64,
    /// Place in `STRATA`, from 0.
    pub stratum: usize,
    /// Changes of its network that it stands for, ≥ 1.
    pub weight: f64,
}

/// Numbered pairs, in the order of their numbers.
#[derive(Clone, Debug)]
pub struct NumberedPairs {
    /// The picture of each network.
    pub bases: Vec<Picture>,
    /// The record of each network.
    pub networks: Vec<DrawerRecord>,
    /// The pairs.
    pub pairs: Vec<Pair>,
}

/// One network of a set of pairs.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct DrawerRecord {
    /// Its target.
    pub target: String,
    /// Its own name.
    pub network: String,
    /// Links that may be non-zero.
    pub links: usize,
    /// SHA-256 of its weights.
    pub weights_sha256: String,
    /// R² at the size of the pairs; `None` if the network has no target of its own.
    pub fit: Option<f64>,
    /// Its pairs.
    pub pairs: usize,
}

/// `sheets.json`: how to draw the same sheets again.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SheetsRecord {
    /// The command.
    pub command: String,
    /// Version of this crate.
    pub picloom: &'static str,
    /// How far weights were moved; several, parted by commas.
    pub delta: String,
    /// The judge whose P(damaged) the pairs are spread over; `None` if they were drawn plainly.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub even_over: Option<String>,
    /// Side of the pictures in pixels.
    pub size: usize,
    /// Seed of the sample and of the shuffle.
    pub seed: u64,
    /// SHA-256 of what viewers are asked.
    pub prompt_sha256: String,
    /// The networks.
    pub networks: Vec<DrawerRecord>,
    /// Pairs in all.
    pub pairs: usize,
    /// Sheets they are on.
    pub sheets: usize,
}

impl NumberedPairs {
    /// Draws the pairs: distinct links while there are enough, either sign by a toss; a network
    /// with too few changes that have an effect gives fewer. With a judge, evenly over its strata.
    ///
    /// # Errors
    /// The judge gave no answer.
    pub fn draw(
        networks: &[Drawer],
        settings: &PairSettings,
        even_over: Option<&dyn Judge>,
    ) -> Result<Self, JudgeError> {
        let (n, count) = (networks.len(), settings.count);
        let mut all = NumberedPairs { bases: Vec::new(), networks: Vec::new(), pairs: Vec::new() };
        for (i, network) in networks.iter().enumerate() {
            let own = network.picture.as_ref();
            let exhibit = Exhibit::new(&network.model, settings.size, network.coords, own);
            let view = exhibit.view();
            let share = (i + 1) * count / n - i * count / n;
            let mut rng = SimRng::new(settings.seed, "judge-sheets", i as u64);
            let pool = if even_over.is_some() { POOL * share } else { share };
            let found = changed(view, pool, &settings.deltas, &mut rng);
            let found = match even_over {
                Some(judge) => {
                    let mut found = found;
                    rng.shuffle(&mut found);
                    evenly(view, found, share, judge)?
                }
                None => found.into_iter().map(|(p, picture)| (p, picture, None)).collect(),
            };
            let base = view.picture().clone();
            all.networks.push(DrawerRecord {
                target: network.target.clone(),
                network: network.name.clone(),
                links: network.model.mask.kept(),
                weights_sha256: sha256_of_floats(&network.model.weights.0),
                fit: exhibit.fit().map(|fit| fit.r2),
                pairs: found.len(),
            });
            all.bases.push(base);
            all.pairs.extend(found.into_iter().map(|(perturbation, picture, pick)| Pair {
                network: i,
                perturbation,
                picture,
                pick,
            }));
        }
        SimRng::new(settings.seed, "judge-sheets-shuffle", 0).shuffle(&mut all.pairs);
        Ok(all)
    }

    /// Writes the pictures, `key.csv` and an empty `answers.csv` into `folder`.
    ///
    /// # Errors
    /// The folder cannot be written.
    pub fn write(&self, folder: &Path) -> Result<(), WriteError> {
        create_folder(folder)?;
        let base_file = |index: usize| format!("base_{:02}.png", index + 1);
        let wide = self.pairs.len().to_string().len().max(3);
        for (i, base) in self.bases.iter().enumerate() {
            let png = base.to_png(&[("command", "picloom judge sheets")]);
            write_atomic(&folder.join(base_file(i)), &png)?;
        }
        let mut key = csv::Writer::from_writer(Vec::new());
        let mut blank = String::from("number,label\n");
        for (k, pair) in self.pairs.iter().enumerate() {
            let (network, p) = (&self.networks[pair.network], pair.perturbation);
            let row = KeyRow {
                number: k + 1,
                image: format!("{:0wide$}.png", k + 1),
                base: base_file(pair.network),
                target: text::cell(&network.target),
                network: text::cell(&network.network),
                link: p.link,
                layer: p.layer,
                delta: p.delta,
                rmse: p.rmse,
                stratum: pair.pick.map(|pick| pick.stratum),
                stands_for: pair.pick.map(|pick| pick.weight),
            };
            write_atomic(&folder.join(&row.image), &pair.picture.to_png(&[]))?;
            blank += &format!("{},\n", row.number);
            key.serialize(row).expect("a row is plain data, written to memory");
        }
        let key = key.into_inner().expect("written to memory");
        write_atomic(&folder.join("key.csv"), &key)?;
        write_atomic(&folder.join("answers.csv"), blank.as_bytes())
    }

    /// The record of these pairs on so many `sheets` of at most `page` pairs.
    pub fn record(
        &self,
        settings: &PairSettings,
        even_over: Option<&dyn Judge>,
        page: usize,
        sheets: usize,
    ) -> SheetsRecord {
        let names: Vec<&str> = self.networks.iter().map(|n| n.network.as_str()).collect();
        let PairSettings { count, deltas, size, seed } = settings;
        let delta = deltas.iter().map(Delta::to_string).collect::<Vec<_>>().join(",");
        let even_over = even_over.map(Judge::name);
        let judge = if even_over.is_some() { " --even-over JUDGE" } else { "" };
        SheetsRecord {
            command: format!(
                "picloom judge sheets {} --count {count} --delta {delta}{judge} --size {size} --page {page} --seed {seed}",
                names.join(" ")
            ),
            picloom: env!("CARGO_PKG_VERSION"),
            delta,
            even_over,
            size: *size,
            seed: *seed,
            prompt_sha256: sha256_hex(PROMPT),
            networks: self.networks.clone(),
            pairs: self.pairs.len(),
            sheets,
        }
    }
}

/// At most `count` perturbations with an effect, and the pictures then; as many of each of `deltas`.
fn changed(
    view: &View,
    count: usize,
    deltas: &[Delta],
    rng: &mut SimRng,
) -> Vec<(Perturbation, Picture)> {
    let mut found = Vec::new();
    for (d, &delta) in deltas.iter().enumerate() {
        let count = (d + 1) * count / deltas.len() - d * count / deltas.len();
        let links = Selection::Sample(4 * count).draw(view.model(), rng);
        let swept = view.sweep(&links, delta, &|_| {});
        let mut pairs: Vec<[Perturbation; 2]> = swept
            .perturbations
            .chunks_exact(2)
            .map(|pair| {
                let turn = usize::from(rng.chance(0.5));
                [pair[turn], pair[1 - turn]]
            })
            .collect();
        rng.shuffle(&mut pairs);
        let mut painter = view.painter();
        let first = pairs.iter().map(|pair| pair[0]);
        found.extend(
            first
                .chain(pairs.iter().map(|pair| pair[1]))
                .filter(|p| !p.silent)
                .take(count)
                .map(|p| (p, painter.draw(p).clone())),
        );
    }
    found
}

/// Of the changes of a `pool`, at most `count`, picked in turn from the strata of the judge's P.
fn evenly(
    view: &View,
    pool: Vec<(Perturbation, Picture)>,
    count: usize,
    judge: &dyn Judge,
) -> Result<Vec<(Perturbation, Picture, Option<Pick>)>, JudgeError> {
    let reading = judge.read_base(view.picture());
    let verdicts: Vec<Verdict> = match judge.takes_many() {
        true => {
            let pictures: Vec<Picture> = pool.iter().map(|(_, picture)| picture.clone()).collect();
            let parts = pictures.chunks(at_once(view.size() * view.size()));
            let parts =
                parts.map(|part| reading.judge_many(part)).collect::<Result<Vec<_>, _>>()?;
            parts.concat()
        }
        false => {
            let judged = pool.par_iter().map(|(_, picture)| reading.judge(picture));
            judged.collect::<Result<_, _>>()?
        }
    };
    let p: Vec<f64> = verdicts.iter().map(|verdict| verdict.p_damaged).collect();
    let mut strata: [Vec<usize>; STRATA.len()] = Default::default();
    for (i, p) in p.iter().enumerate() {
        strata[STRATA.iter().position(|end| p <= end).unwrap_or(STRATA.len() - 1)].push(i);
    }
    // The pool is in random order, so the first of a stratum are a random sample of it.
    let mut picked = [0; STRATA.len()];
    let mut left = count.min(pool.len());
    while left > 0 {
        for (picked, stratum) in picked.iter_mut().zip(&strata) {
            if left > 0 && *picked < stratum.len() {
                *picked += 1;
                left -= 1;
            }
        }
    }
    let mut picks = vec![None; pool.len()];
    for (s, (stratum, picked)) in strata.iter().zip(picked).enumerate() {
        for &i in &stratum[..picked] {
            let weight = stratum.len() as f64 / picked as f64;
            picks[i] = Some(Pick { p: p[i], stratum: s, weight });
        }
    }
    let kept = pool.into_iter().zip(picks).filter(|(_, pick)| pick.is_some());
    Ok(kept.map(|((p, picture), pick)| (p, picture, pick)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::genome::from_json;
    use crate::network::Wiring;

    #[test]
    fn pairs_are_shared_out_audible_and_the_same_for_a_seed() {
        let genome = from_json(include_str!("../../../../../genomes/bred_moth.json")).unwrap();
        let model = Model::of_genome(&genome, Wiring::Graph);
        let drawer = |name: &str, picture| Drawer {
            target: "moth".into(),
            name: name.into(),
            model: model.clone(),
            coords: Coords::Fer,
            picture,
        };
        let own = model.picture(16, Coords::Fer);
        let networks = [drawer("a", Some(own)), drawer("b", None)];
        let deltas = vec![Delta::Effect(0.18)];
        let settings = PairSettings { count: 5, deltas, size: 16, seed: 3 };
        let found = NumberedPairs::draw(&networks, &settings, None).unwrap();
        let counts: Vec<usize> = found.networks.iter().map(|n| n.pairs).collect();
        assert_eq!(counts, [2, 3]);
        assert_eq!((found.networks[0].fit, found.networks[1].fit), (Some(1.0), None));
        for Pair { network, perturbation: p, picture, pick } in &found.pairs {
            let rmse = picture.mse(&found.bases[*network]).sqrt();
            assert!(!p.silent && (rmse - p.rmse).abs() < 1e-5 && pick.is_none());
        }
        let again = NumberedPairs::draw(&networks, &settings, None).unwrap();
        assert_eq!(again.pairs, found.pairs);
        let record = found.record(&settings, None, 4, 2);
        assert_eq!((record.pairs, record.sheets), (5, 2));
        assert!(record.command.starts_with("picloom judge sheets a b --count 5 "));
    }

    #[test]
    fn picks_go_round_the_strata_and_weigh_what_they_stand_for() {
        let genome = from_json(include_str!("../../../../../genomes/bred_moth.json")).unwrap();
        let model = Model::of_genome(&genome, Wiring::Graph);
        let drawer = Drawer {
            target: "moth".into(),
            name: "a".into(),
            model,
            coords: Coords::Fer,
            picture: None,
        };
        let deltas = vec![Delta::Effect(0.12), Delta::Effect(0.24)];
        let settings = PairSettings { count: 6, deltas, size: 16, seed: 1 };
        // Tosses are spread evenly, so each of the five strata has members.
        let judge = crate::score::MockJudge { seed: 4 };
        let found =
            NumberedPairs::draw(std::slice::from_ref(&drawer), &settings, Some(&judge)).unwrap();
        assert_eq!(found.pairs.len(), 6);
        let picks: Vec<Pick> = found.pairs.iter().map(|p| p.pick.unwrap()).collect();
        for s in 0..STRATA.len() {
            let of: Vec<&Pick> = picks.iter().filter(|p| p.stratum == s).collect();
            assert!((1..=2).contains(&of.len()), "stratum {s}: {picks:?}");
            for pick in of {
                let low = if s == 0 { 0.0 } else { STRATA[s - 1] };
                assert!(low <= pick.p && pick.p <= STRATA[s] && pick.weight >= 1.0);
            }
        }
        let weights: f64 = picks.iter().map(|p| p.weight).sum();
        assert_eq!(weights, 30.0, "the picks stand for the whole pool");
        let many = PairSettings { count: 24, ..settings };
        let found =
            NumberedPairs::draw(std::slice::from_ref(&drawer), &many, Some(&judge)).unwrap();
        let large = found.pairs.iter().filter(|p| p.perturbation.rmse > 0.18).count();
        assert!((8..=16).contains(&large), "about as many of either effect: {large}");
    }
}
