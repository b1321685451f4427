//! Rounds: what each of R rounds of train → prune → retrain keeps.
//!
//! Frankle, Carbin, *The Lottery Ticket Hypothesis* (2019), in two published forms: `original`
//! prunes each layer, hidden 20 % and output 10 % a round, removing round(p·n) + 1; `global` prunes the whole
//! network, ⌊p·(n − 1)⌋ a round. With p = 5 % the global form gives the paper's captions exactly: 1452
//! of 5478 after 26 rounds, 3392 of 8096 after 17 and 468 after 56.

use super::select::{Rule, global_removal, layer_removal};

/// Default p of IMP `global`: the one that meets the captions.
pub const IMP_GLOBAL: f64 = 0.05;
/// Default p of IMP `original`, hidden layers and output (Frankle, Carbin 2019).
pub const IMP_ORIGINAL: (f64, f64) = (0.2, 0.1);

/// Links left after 0, 1, … `rounds` rounds of IMP `global` from `n`.
pub fn global_counts(n: usize, p: f64, rounds: usize) -> Vec<usize> {
    counts(n, rounds, |n| n - global_removal(n, p))
}

/// Links left in a layer of `n` after 0, 1, … `rounds` rounds of IMP `original`.
pub fn original_counts(n: usize, p: f64, rounds: usize) -> Vec<usize> {
    counts(n, rounds, |n| n - layer_removal(n, p))
}

fn counts(n: usize, rounds: usize, next: impl Fn(usize) -> usize) -> Vec<usize> {
    std::iter::successors(Some(n), |&n| Some(next(n))).take(rounds + 1).collect()
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
pub fn imp_original(sizes: &[usize], hidden: f64, output: f64, budget: usize) -> Vec<Rule> {
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
                let k = from * crate::math::real::pow(to / from, share);
                Rule::Budget(k.round() as usize)
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

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
    fn geometric_rounds_shrink_in_equal_ratios() {
        assert_eq!(
            geometric(800, 100, 3),
            [Rule::Budget(400), Rule::Budget(200), Rule::Budget(100)]
        );
    }
}
