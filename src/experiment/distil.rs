//! The network with the fewest links that learned a picture, beside the usual ones.
//!
//! In: the record of a [`Template::Distil`](super::template::Template) study. Out: [`Distilled`].

use super::networks::record::{NetworkResult, NetworkRow, NetworksRecord};
use super::networks::spec::NetworksSpec;
use crate::base::text::fixed;
use serde::Serialize;
use std::path::PathBuf;

/// A network in numbers.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Told {
    /// The arm that it is of.
    pub arm: String,
    /// Seed; `None` for an evolved network.
    pub seed: Option<u64>,
    /// Links on a path from an input to an output.
    pub links: usize,
    /// Links whose removal alone changes the picture by an RMSE above .01.
    pub needed_links: Option<usize>,
    /// R² to the picture, ≤ 1.
    pub r2: f64,
    /// Whether it learned the picture, R² ≥ .95: only then the score counts.
    pub fit: bool,
    /// Compositional score, in [0, 1]; `None` for a network that did not learn the picture.
    pub score: Option<f64>,
    /// Changes judged clean over judged ones, in [0, 1]; `None` if it did not learn the picture.
    pub clean_share: Option<f64>,
    /// The score's 95 % interval.
    pub interval: Option<(f64, f64)>,
    /// Folder of its run, from the study's; `None` for the evolved network.
    #[serde(skip)]
    pub run: Option<PathBuf>,
}

/// The smallest network that was found, and what it is compared with.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Distilled {
    /// The network.
    #[serde(flatten)]
    pub found: Told,
    /// Of all networks with a penalty that learned the picture, dense or pruned, the one with the highest score.
    pub highest: Told,
    /// The dense network of its seed, trained with the same penalty.
    pub dense_penalty: Option<Told>,
    /// The dense network of its seed, trained without a penalty.
    pub dense: Option<Told>,
    /// The smallest network of iterative magnitude pruning that learned the picture, of all seeds.
    pub imp: Option<Told>,
    /// The evolved network, of a genome.
    pub evolved: Option<Told>,
    /// Networks with a penalty that learned the picture, and all.
    pub learned: (usize, usize),
}

impl Told {
    fn of(row: &NetworkRow, result: &NetworkResult) -> Self {
        Told {
            arm: row.arm.clone(),
            seed: row.seed,
            links: result.alive,
            needed_links: result.measures.needed_links,
            r2: result.r2,
            fit: result.fit,
            score: result.score().filter(|_| result.fit),
            clean_share: result.clean_share().filter(|_| result.fit),
            interval: result.interval().filter(|_| result.fit),
            run: result.path.as_ref().map(PathBuf::from),
        }
    }

    /// A line of a table: name, links, needed links, R², clean share, score with its interval.
    fn line(&self, name: &str) -> String {
        let score = self.score.map_or("-".into(), |score| fixed(score, 2));
        let interval = self.interval.map_or(String::new(), |(low, high)| {
            format!("[{}, {}]", fixed(low, 2), fixed(high, 2))
        });
        let needed = self.needed_links.map_or("-".into(), |needed| needed.to_string());
        let clean = self.clean_share.map_or("-".into(), |share| fixed(share, 2));
        let (links, r2) = (self.links, fixed(self.r2, 3));
        let line =
            format!("{name:<14} {links:>6} {needed:>7} {r2:>7} {clean:>6} {score:>6} {interval}");
        line.trim_end().into()
    }
}

/// The parts of a search, each more than the one before: the first seed with the first pruned arm, with the second …,
/// then seed after seed. Each says how many of the spec's arms it has, and its seeds.
pub fn parts(spec: &NetworksSpec) -> Vec<(usize, Vec<u64>)> {
    let pruned = (1..=spec.arms.len()).filter(|&arms| spec.arms[arms - 1].from.is_some());
    let first = pruned.map(|arms| (arms, spec.seeds.iter().take(1).copied().collect()));
    let more = (2..=spec.seeds.len()).map(|seeds| (spec.arms.len(), spec.seeds[..seeds].to_vec()));
    first.chain(more).collect()
}

/// What `of` lacks of `whole`, in words; empty if nothing.
pub(crate) fn left_out(of: &NetworksSpec, whole: &NetworksSpec) -> Vec<String> {
    let arms = whole.arms.iter().filter(|arm| of.arms.iter().all(|other| other.name != arm.name));
    let seeds = whole.seeds.iter().filter(|seed| !of.seeds.contains(seed));
    arms.map(|arm| arm.name.clone()).chain(seeds.map(|seed| format!("seed {seed}"))).collect()
}

/// The arms that are pruned with a penalty.
const DISTILLED: &str = "distilled";
/// The dense arms with a penalty, by the same endings.
const PENALISED: &str = "l1";

/// The network of a record with the fewest living links among those that were pruned with a penalty and learned the
/// picture; of equal ones that with the higher R². None if none did.
pub fn distilled(record: &NetworksRecord) -> Option<Distilled> {
    let told: Vec<Told> =
        record.rows.iter().filter_map(|row| Some(Told::of(row, row.result.as_deref()?))).collect();
    let smallest = |is_of: &dyn Fn(&str) -> bool| {
        let learned = told.iter().filter(|one| one.fit && is_of(&one.arm));
        learned
            .min_by(|a, b| (a.links, b.r2).partial_cmp(&(b.links, a.r2)).expect("numbers"))
            .cloned()
    };
    let is_distilled = |arm: &str| arm.starts_with(DISTILLED);
    let found = smallest(&is_distilled)?;
    let all: Vec<&Told> = told.iter().filter(|one| is_distilled(&one.arm)).collect();
    let learned = (all.iter().filter(|one| one.fit).count(), all.len());
    let dense = told.iter().find(|one| one.arm == "dense" && one.seed == found.seed).cloned();
    let evolved = told.iter().find(|one| one.arm == "evolved").cloned();
    let parent = found.arm.replacen(DISTILLED, PENALISED, 1);
    let dense_penalty =
        told.iter().find(|one| one.arm == parent && one.seed == found.seed).cloned();
    let penalised = |one: &&Told| is_distilled(&one.arm) || one.arm.starts_with(PENALISED);
    let scored = told.iter().filter(|one| one.fit).filter(penalised);
    let highest = scored.max_by(|a, b| {
        let key = |one: &Told| (one.score.unwrap_or(f64::NEG_INFINITY), -(one.links as f64));
        key(a).partial_cmp(&key(b)).expect("numbers")
    });
    let highest = highest.cloned().unwrap_or_else(|| found.clone());
    Some(Distilled {
        found,
        highest,
        dense_penalty,
        dense,
        imp: smallest(&|arm| arm == "imp"),
        evolved,
        learned,
    })
}

impl Distilled {
    /// For people: a table, and how sure it is.
    pub fn text(&self) -> String {
        let head = format!(
            "{:<14} {:>6} {:>7} {:>7} {:>6} {:>6}",
            "network", "links", "needed", "R²", "clean", "score"
        );
        let others = [
            ("dense, L1", &self.dense_penalty),
            ("dense", &self.dense),
            ("IMP", &self.imp),
            ("evolved", &self.evolved),
        ];
        let others = others.iter().filter_map(|(name, told)| Some(told.as_ref()?.line(name)));
        let ends = [self.found.line("fewest links"), self.highest.line("highest score")];
        let mut lines = vec![head];
        lines.extend(ends);
        lines.extend(others);
        if let (Some(fewest), Some(highest)) = (self.found.interval, self.highest.interval)
            && self.found.run != self.highest.run
        {
            let touch = if fewest.1 >= highest.0 { "touch" } else { "do not touch" };
            lines.push(format!("the intervals of the two ends' scores {touch}"));
        }
        if self.imp.is_none() {
            lines.push("IMP learned the picture at none of its levels".into());
        }
        let (learned, all) = self.learned;
        lines.push(format!(
            "{learned} of {all} pruned networks learned the picture (R² of .95 or more)"
        ));
        lines.join("\n")
    }
}
