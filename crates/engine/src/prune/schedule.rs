//! Rounds: what each of R rounds of train → prune → retrain keeps.
//!
//! Frankle, Carbin, *The Lottery Ticket Hypothesis* (2019), in two published forms: `original`
//! prunes each layer, hidden 20 % and output 10 % a round, removing round(p·n) + 1; `global` prunes the whole
//! network, ⌊p·(n − 1)⌋ a round. With p = 5 % the global form gives the paper's captions exactly: 1452
//! of 5478 after 26 rounds, 3392 of 8096 after 17 and 468 after 56.

use super::guard::Orphans;
use super::methods::{Method, Need};
use super::plan::PrunePlan;
use super::retrain::Retrain;
use super::select::{Rule, global_removal, layer_of_links, layer_removal};
use crate::base::names::names;
use crate::base::refusal::Refusal;
use crate::base::settings::{Settings, settings};
use crate::network::Model;
use crate::train::TrainConfig;
use serde::{Deserialize, Serialize};

/// Default p of IMP `global`: the one that meets the captions.
pub const IMP_GLOBAL: f64 = 0.05;
/// Default p of IMP `original`, hidden layers and output (Frankle, Carbin 2019).
pub(crate) const IMP_ORIGINAL: (f64, f64) = (0.2, 0.1);

/// The two published forms of the lottery ticket: what IMP removes a round.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Lottery {
    /// [`IMP_GLOBAL`] of all links.
    #[default]
    Global,
    /// [`IMP_ORIGINAL`] of each hidden layer's and of the output's.
    Original,
}

names! { Lottery, "form of the lottery ticket": Global "global", Original "original" }

settings! {
    /// The goal of a pruning and the way to it: [`Aim::plan`] makes rounds of it.
    #[derive(Clone, Debug, PartialEq)]
    #[serde(deny_unknown_fields, default)]
    pub struct Aim: flags "Pruning" {
        /// Method; options as wanda:scope=layer,sequential=false.
        method: Method = Method::Sp(Default::default());
        /// Keep exactly this many links after the last round.
        #[serde(skip_serializing_if = "Option::is_none")]
        budget: Option<usize> = None, range: Range::at_least(1.0);
        /// Keep links that score at least this; one number, or one for each round (0.35,0.75).
        threshold: Vec<f64> = Vec::new();
        /// Rounds of pruning and retraining.
        #[serde(skip_serializing_if = "Option::is_none")]
        rounds: Option<usize> = None, range: Range::at_least(1.0),
            unless: "1; imp: as many as its shares take to the budget";
        /// What imp removes a round: global, 5 % of all links, or original, 20 % of each hidden layer and 10 % of
        /// the output's.
        lottery: Lottery = Lottery::Global;
        /// Where retraining starts: finetune, rewind (to the first weights), rewind:STEP, or reinit.
        #[serde(skip_serializing_if = "Option::is_none")]
        retrain: Option<Retrain> = None, unless: "finetune; imp and sparse-training: rewind";
        /// Under a budget, links on no path give their places to others, so that all that are kept live.
        refill: bool = false;
    }
}

impl Aim {
    /// The plan of a pruning of `parent`, retrained with the settings `train`.
    ///
    /// # Errors
    /// No rounds lead there.
    pub fn plan(&self, parent: &Model, train: TrainConfig) -> Result<PrunePlan, Refusal> {
        let mut plan = PrunePlan::new(self.method, self.rules(parent)?, train);
        if plan.rules.len() > 1 && self.method.row().needs.contains(&Need::Pattern) {
            return Err(Refusal::new("rounds", format!("1 with {}", self.method), "more"));
        }
        plan.retrain = self.retrain.unwrap_or(plan.retrain);
        if self.method.is_lottery() && plan.retrain == Retrain::Finetune {
            let refusal = Refusal::new("retrain", "rewind or reinit with imp", "finetune");
            return Err(refusal.advising("magnitude chooses the same links and is fine-tuned"));
        }
        if self.refill {
            if let Some(&threshold) = self.threshold.first() {
                let found = format!("a threshold of {threshold}");
                return Err(Refusal::new("refill", "a budget, which living links fill up", found));
            }
            plan.orphans = Orphans::Refill;
        }
        Ok(plan)
    }

    /// One rule a round, for a method that begins from the links of `parent`.
    ///
    /// # Errors
    /// No rounds lead there.
    pub(crate) fn rules(&self, parent: &Model) -> Result<Vec<Rule>, Refusal> {
        self.check_ranges()?;
        let (from, method) = (parent.mask.kept(), self.method);
        let is_imp = method.is_lottery();
        if self.lottery == Lottery::Original && !is_imp {
            return Err(Refusal::new("lottery", "--method imp", method.to_string()));
        }
        let rounds = self.rounds.unwrap_or(1);
        let (hidden, output) = IMP_ORIGINAL;
        Ok(match (self.budget, self.threshold.as_slice()) {
            (Some(found), _) if found > from => {
                let expected = format!("1 to {from} links, those kept so far");
                return Err(Refusal::new("budget", expected, found.to_string()));
            }
            (Some(k), []) if self.lottery == Lottery::Original && self.rounds.is_none() => {
                or_at_once(imp_original(&sizes(parent), hidden, output, k), k)
            }
            (Some(k), []) => rounds_to(method, self.rounds, from, k),
            (Some(_), _) => return Err(Refusal::new("", "a budget or a threshold", "both")),
            (None, []) if is_imp && self.rounds.is_some() => match self.lottery {
                Lottery::Global => vec![Rule::Fraction(IMP_GLOBAL); rounds],
                Lottery::Original => vec![Rule::Layerwise { hidden, output }; rounds],
            },
            (None, []) => {
                let expected = "a budget or a threshold (of imp: or rounds)";
                return Err(Refusal::new("", expected, "none"));
            }
            (None, [one]) => vec![Rule::Threshold(*one); rounds],
            (None, many) if self.rounds.is_none_or(|r| r == many.len()) => {
                many.iter().map(|&t| Rule::Threshold(t)).collect()
            }
            (None, many) => {
                let expected = format!("one threshold or {rounds} (one a round)");
                return Err(Refusal::new("", expected, many.len().to_string()));
            }
        })
    }
}

/// The rounds of a method from `from` links to `budget`: so many in equal ratios. Without a number of rounds it is one;
/// a lottery ticket then has its published schedule, [`IMP_GLOBAL`] of the links a round.
pub fn rounds_to(method: Method, rounds: Option<usize>, from: usize, budget: usize) -> Vec<Rule> {
    match rounds {
        None if method.is_lottery() => or_at_once(imp_global(from, IMP_GLOBAL, budget), budget),
        rounds => geometric(from, budget, rounds.unwrap_or(1)),
    }
}

/// These rounds; if there are none, the budget in one round.
fn or_at_once(rules: Vec<Rule>, budget: usize) -> Vec<Rule> {
    if rules.is_empty() { vec![Rule::Budget(budget)] } else { rules }
}

/// Kept links of each layer.
fn sizes(parent: &Model) -> Vec<usize> {
    let layer = layer_of_links(&parent.network);
    let mut sizes = vec![0; layer.iter().max().map_or(0, |l| l + 1)];
    for (&l, _) in layer.iter().zip(&parent.mask.0).filter(|(_, kept)| **kept) {
        sizes[l] += 1;
    }
    sizes
}

/// Rounds of IMP `global` from `n` links down to exactly `budget`: fractions as long as they stay
/// above it, then the budget itself. Empty if `n` ≤ `budget`. A budget the fractions cannot reach
/// (they stop removing below 1/p + 1 links) is taken in the last round.
pub fn imp_global(n: usize, p: f64, budget: usize) -> Vec<Rule> {
    let mut rules = Vec::new();
    let mut left = n;
    while left > budget {
        let next = left - global_removal(left, p);
        if next <= budget || next == left {
            rules.push(Rule::Budget(budget));
            break;
        }
        rules.push(Rule::Fraction(p));
        left = next;
    }
    rules
}

/// Rounds of IMP `original` from layers of `sizes` links (the last one the output's) down to exactly
/// `budget`: layerwise rounds as long as they stay above it, then the budget itself.
pub(crate) fn imp_original(sizes: &[usize], hidden: f64, output: f64, budget: usize) -> Vec<Rule> {
    let mut rules = Vec::new();
    let mut left = sizes.to_vec();
    while left.iter().sum::<usize>() > budget {
        let last = left.len() - 1;
        for (l, n) in left.iter_mut().enumerate() {
            *n -= layer_removal(*n, if l == last { output } else { hidden });
        }
        if left.iter().sum::<usize>() <= budget {
            rules.push(Rule::Budget(budget));
            break;
        }
        rules.push(Rule::Layerwise { hidden, output });
    }
    rules
}

/// `rounds` budgets from `n` to `budget` in equal ratios, rounded; the last is exact. \[ours\]
pub fn geometric(n: usize, budget: usize, rounds: usize) -> Vec<Rule> {
    let (from, to) = (n as f64, (budget.max(1)) as f64);
    (1..=rounds)
        .map(|r| {
            if r == rounds {
                Rule::Budget(budget)
            } else {
                let share = r as f64 / rounds as f64;
                let k = from * crate::base::real::pow(to / from, share);
                Rule::Budget(k.round() as usize)
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::network::{Mask, Weights};

    /// Links left after 0, 1, … `rounds` rounds of IMP `global` from `n`.
    fn global_counts(n: usize, p: f64, rounds: usize) -> Vec<usize> {
        counts(n, rounds, |n| n - global_removal(n, p))
    }

    /// Links left in a layer of `n` after 0, 1, … `rounds` rounds of IMP `original`.
    fn original_counts(n: usize, p: f64, rounds: usize) -> Vec<usize> {
        counts(n, rounds, |n| n - layer_removal(n, p))
    }

    fn counts(n: usize, rounds: usize, next: impl Fn(usize) -> usize) -> Vec<usize> {
        std::iter::successors(Some(n), |&n| Some(next(n))).take(rounds + 1).collect()
    }

    #[test]
    fn global_five_percent_gives_the_counts_of_the_captions() {
        assert_eq!(global_counts(5478, IMP_GLOBAL, 26)[26], 1452);
        let butterfly = global_counts(8096, IMP_GLOBAL, 56);
        assert_eq!((butterfly[17], butterfly[56]), (3392, 468));
    }

    #[test]
    fn original_gives_the_published_counts_of_lenet() {
        // round(.2 · 235200) + 1 = 47041, round(.2 · 30000) + 1 = 6001, round(.1 · 1000) + 1 = 101.
        assert_eq!(original_counts(235_200, 0.2, 1)[1], 188_159);
        assert_eq!(original_counts(30_000, 0.2, 1)[1], 23_999);
        assert_eq!(original_counts(1_000, 0.1, 1)[1], 899);
        // Half to even: .1 · 25 = 2.5 → 2.
        assert_eq!(original_counts(25, 0.1, 1)[1], 22);
        assert_eq!(original_counts(1, 0.2, 2), [1, 0, 0]);
    }

    #[test]
    fn imp_rounds_end_at_the_budget() {
        let rules = imp_global(5478, 0.05, 1404);
        assert_eq!(rules.len(), 27);
        assert_eq!(rules[25], Rule::Fraction(0.05));
        assert_eq!(rules[26], Rule::Budget(1404));
        assert_eq!(imp_global(5478, 0.05, 1452).len(), 26);
        assert_eq!(imp_global(10, 0.05, 3), [Rule::Budget(3)]);
        assert!(imp_global(10, 0.05, 10).is_empty());
        let rules = imp_original(&[88, 484, 66], 0.2, 0.1, 400);
        // 638 → 69 + 386 + 58 = 513 → 54 + 308 + 51 = 413 → below 400.
        assert_eq!(rules.len(), 3);
        assert_eq!(rules[2], Rule::Budget(400));
    }

    #[test]
    fn an_aim_is_rounds_or_says_why_not() {
        let network = "2;cache:2,sin:2".parse::<crate::network::Arch>().unwrap().network();
        let (mask, weights) =
            (Mask::all(network.weight_count()), Weights(vec![0.0; network.weight_count()]));
        let (parent, sp, imp) =
            (Model { mask, weights, network }, "sp".parse().unwrap(), "imp".parse().unwrap());
        let from = parent.mask.kept();
        let budget = |k| Aim { budget: Some(k), ..Aim::default() };
        let rounds = |r| Aim { rounds: Some(r), ..Aim::default() };
        let to = |threshold: &[f64]| Aim { threshold: threshold.into(), ..Aim::default() };
        let original = Aim { lottery: Lottery::Original, ..rounds(2) };
        let works = |aim: &Aim, method| Aim { method, ..aim.clone() }.rules(&parent).unwrap();
        assert_eq!(works(&budget(9), sp), [Rule::Budget(9)]);
        assert_eq!(works(&budget(from), imp), [Rule::Budget(from)]);
        assert!(works(&budget(9), imp).len() > 3);
        assert_eq!(works(&Aim { rounds: Some(2), ..budget(9) }, imp)[1], Rule::Budget(9));
        assert_eq!(works(&rounds(3), imp), [Rule::Fraction(IMP_GLOBAL); 3]);
        assert_eq!(works(&original, imp), [Rule::Layerwise { hidden: 0.2, output: 0.1 }; 2]);
        assert_eq!(works(&Aim { rounds: Some(2), ..to(&[0.5]) }, sp), [Rule::Threshold(0.5); 2]);
        assert_eq!(works(&to(&[0.5, 0.25]), sp), [Rule::Threshold(0.5), Rule::Threshold(0.25)]);
        let fails = |aim: &Aim, text: &str| {
            let said = Aim { method: sp, ..aim.clone() }.rules(&parent).unwrap_err().to_string();
            assert!(said.contains(text), "{said}");
        };
        fails(&rounds(0), "rounds: expected a whole number of at least 1");
        fails(&budget(0), "budget: expected a whole number of at least 1");
        fails(&budget(from + 1), "budget: expected 1 to");
        fails(&Aim { budget: Some(9), ..to(&[0.5]) }, "found both");
        fails(&rounds(3), "found none");
        fails(&Aim { rounds: Some(3), ..to(&[0.5, 0.25]) }, "one threshold or 3");
        fails(&to(&[f64::NAN]), "threshold: expected a finite number");
        fails(&original, "lottery: expected --method imp, found sp");
        let tuned = Aim { method: imp, retrain: Some(Retrain::Finetune), ..budget(9) };
        let train = TrainConfig::default();
        assert_eq!(tuned.plan(&parent, train.clone()).unwrap_err().found, "finetune");
        let rewound = Aim { retrain: None, ..tuned };
        assert_eq!(rewound.plan(&parent, train).unwrap().retrain, Retrain::Rewind { step: 0 });
    }

    #[test]
    fn geometric_rounds_shrink_in_equal_ratios() {
        assert_eq!(
            geometric(800, 100, 3),
            [Rule::Budget(400), Rule::Budget(200), Rule::Budget(100)]
        );
    }
}
