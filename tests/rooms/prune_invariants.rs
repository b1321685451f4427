//! Invariants of every method, network and rule.

use crate::kernel::graph;
use crate::stop::on_threads;
use picloom::base::SimRng;
use picloom::network::kernel::{FeatureMaps, feature_maps};
use picloom::network::{Arch, Coords, Mask, Network, PixelInputs, Weights};
use picloom::prune::guard::{reach, smallest_feeding};
use picloom::prune::methods::Need;
use picloom::prune::methods::{Imp, Random, SpSigned, SparseTraining, Wanda};
use picloom::prune::{EdgeContext, Method, Orphans, PruneError, Pruned, Rule, Scope, alive, prune};
use proptest::prelude::*;

struct Case {
    network: Network,
    weights: Weights,
    maps: FeatureMaps,
    untrained: FeatureMaps,
    gradient: Vec<f32>,
    mask: Mask,
    evolved: Mask,
}

impl Case {
    fn new(arch: &str, density: f64, seed: u64) -> Case {
        let network = arch.parse::<Arch>().unwrap().network();
        let mut rng = SimRng::new(seed, "case", 0);
        let w = network.weight_count();
        let mut draw = |n: usize| -> Vec<f32> { (0..n).map(|_| rng.normal() as f32).collect() };
        let (mut weights, fresh, gradient) = (Weights(draw(w)), Weights(draw(w)), draw(w));
        let mask = Mask((0..w).map(|_| rng.chance(density)).collect());
        alive(&network, &mask).apply(&mut weights);
        let evolved = Mask((0..w).map(|_| rng.chance(0.3)).collect());
        let inputs = PixelInputs::full(8, Coords::Fer);
        let maps = feature_maps(&network, &weights, &inputs);
        let untrained = feature_maps(&network, &fresh, &inputs);
        Case { network, weights, maps, untrained, gradient, mask, evolved }
    }

    fn context(&self) -> EdgeContext<'_> {
        EdgeContext::new(&self.network, &self.weights, &self.mask)
            .with_maps(&self.maps)
            .with_untrained_maps(&self.untrained)
            .with_gradient(&self.gradient)
            .with_evolved(&self.evolved)
    }

    fn try_prune(
        &self,
        method: Method,
        rule: Rule,
        orphans: Orphans,
    ) -> Result<Pruned, PruneError> {
        let mut rng = SimRng::new(9, "prune", 0);
        prune(method, rule, orphans, &self.context(), &mut rng)
    }

    fn prune(&self, method: Method, rule: Rule, orphans: Orphans) -> Pruned {
        self.try_prune(method, rule, orphans).unwrap_or_else(|e| panic!("{method}: {e}"))
    }
}

fn methods() -> impl Iterator<Item = Method> {
    // Those that copy another arm's masks, and those that somebody else answers for, have tests of their own.
    let is_plugged_in = |m: &Method| matches!(m, Method::Cmd(_) | Method::Own(_));
    let alone = move |m: &Method| !m.row().needs.contains(&Need::Pattern) && !is_plugged_in(m);
    Method::all()
        .into_iter()
        .filter(alone)
        .map(|m| match m {
            Method::SparseTraining(_) => Method::SparseTraining(SparseTraining { min_inputs: 0 }),
            m => m,
        })
        .chain([
            Method::SpSigned(SpSigned { absolute: true }),
            Method::Wanda(Wanda { scope: Scope::Layer, sequential: true }),
            Method::Wanda(Wanda { scope: Scope::Global, sequential: false }),
        ])
}

const ARCH: &str = "4;cache:3,gaussian:2,sin:2";

#[test]
fn budgets_are_exact_for_every_unstructured_method_and_every_output_is_fed() {
    for (density, seed) in [(1.0, 1), (0.7, 2), (0.4, 3)] {
        let case = Case::new(ARCH, density, seed);
        let left = case.mask.kept();
        let fed = reach(&case.network, &case.mask.0).from_input;
        for method in methods() {
            for budget in [left, left * 2 / 3, left / 3] {
                for orphans in [Orphans::Drop, Orphans::Refill] {
                    let name = format!("{method} density {density} budget {budget} {orphans:?}");
                    let pruned = match case.try_prune(method, Rule::Budget(budget), orphans) {
                        Err(PruneError::Unreachable { reached, .. }) => {
                            assert!(method.row().structured && reached > budget, "{name}");
                            continue;
                        }
                        pruned => pruned.unwrap_or_else(|e| panic!("{name}: {e}")),
                    };
                    assert_eq!(pruned.kept, pruned.mask.kept(), "{name}");
                    let on_paths = alive(&case.network, &pruned.mask);
                    assert_eq!(pruned.alive, on_paths.kept(), "{name}");
                    if matches!(method, Method::Evolved(_)) {
                        assert!(pruned.live == pruned.mask);
                        continue;
                    }
                    assert!(pruned.live == on_paths, "{name}");
                    if method.row().structured {
                        assert!(pruned.kept <= budget, "{name}");
                    } else {
                        assert_eq!(pruned.kept, budget, "{name}");
                        let inside = (0..left).all(|i| !pruned.mask.0[i] || case.mask.0[i]);
                        assert!(inside, "{name}");
                    }
                    let now = reach(&case.network, &pruned.mask.0).from_input;
                    for output in case.network.outputs.into_iter().flatten() {
                        assert_eq!(now[output], fed[output], "{name}");
                    }
                    for (i, &live) in pruned.live.0.iter().enumerate() {
                        assert!(live || pruned.weights.0[i] == 0.0, "{name}");
                    }
                }
            }
        }
    }
}

#[test]
fn twenty_six_rounds_of_five_percent_leave_1452_links_of_5478() {
    for (arch, rounds, count) in [
        ("12;cache:15,gaussian:4,identity:2,sin:1", 26, 1452),
        ("16;cache:17,gaussian:4,sigmoid:1,sin:1", 17, 3392),
        ("16;cache:17,gaussian:4,sigmoid:1,sin:1", 56, 468),
    ] {
        let network = arch.parse::<Arch>().unwrap().network();
        let mut rng = SimRng::new(1, "imp", 0);
        let mut weights =
            Weights((0..network.weight_count()).map(|_| rng.normal() as f32).collect());
        let mut mask = Mask::all(network.weight_count());
        for _ in 0..rounds {
            let context = EdgeContext::new(&network, &weights, &mask);
            let rule = Rule::Fraction(0.05);
            let pruned =
                prune(Method::Imp(Imp {}), rule, Orphans::Drop, &context, &mut rng).unwrap();
            (mask, weights) = (pruned.mask, pruned.weights);
        }
        assert_eq!(mask.kept(), count, "{arch} after {rounds} rounds");
    }
}

#[test]
fn refilled_masks_are_wholly_alive() {
    let case = Case::new(ARCH, 1.0, 5);
    for method in methods().filter(|m| !m.row().structured && m.name() != "evolved") {
        for budget in [150, 60, 25, 9, 7] {
            let pruned = case.prune(method, Rule::Budget(budget), Orphans::Refill);
            assert_eq!((pruned.kept, pruned.alive), (budget, budget), "{method}");
        }
    }
}

#[test]
fn masks_scores_and_weights_do_not_depend_on_threads() {
    let case = Case::new("5;cache:6,gaussian:4,sin:2", 0.8, 4);
    for method in methods() {
        for rule in [Rule::Budget(200), Rule::Threshold(0.3), Rule::Fraction(0.2)] {
            let at = |threads| on_threads(threads, || case.prune(method, rule, Orphans::Refill));
            let one = at(1);
            for threads in [2, 8] {
                assert!(one == at(threads), "{method} {rule:?} at {threads} threads");
            }
        }
    }
}

#[test]
fn every_method_stands_in_the_documented_table() {
    let page = include_str!("../../docs/PRUNING.md");
    for method in Method::all() {
        assert!(page.contains(&format!("| `{method}` |")), "docs/PRUNING.md lacks {method}");
    }
}

#[test]
fn a_dense_network_needs_one_link_a_layer_and_three_for_the_head() {
    for layers in [1, 3, 12] {
        let network = format!("{layers};cache:4").parse::<Arch>().unwrap().network();
        let all = vec![true; network.weight_count()];
        let smallest = smallest_feeding(&network, &all);
        assert_eq!(smallest.len(), layers + 3);
        let kept: Vec<bool> = (0..all.len()).map(|i| smallest.contains(&i)).collect();
        let reached = reach(&network, &kept).from_input;
        assert!(network.outputs.into_iter().flatten().all(|o| reached[o]));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]

    /// Against every subset of the 14 links of `1;cache:2`.
    #[test]
    fn the_smallest_feeding_set_is_the_smallest(flags in proptest::collection::vec(any::<bool>(), 14)) {
        let network = "1;cache:2".parse::<Arch>().unwrap().network();
        let fed = |kept: &[bool]| {
            let r = reach(&network, kept).from_input;
            network.outputs.map(|o| r[o.unwrap()])
        };
        let goal = fed(&flags);
        let mut best = usize::MAX;
        for set in 0u32..1 << 14 {
            let kept: Vec<bool> = (0..14).map(|i| flags[i] && set >> i & 1 == 1).collect();
            let size = kept.iter().filter(|&&k| k).count();
            if size < best && fed(&kept) == goal {
                best = size;
            }
        }
        let found = smallest_feeding(&network, &flags);
        let kept: Vec<bool> = (0..14).map(|i| found.contains(&i)).collect();
        prop_assert_eq!(fed(&kept), goal);
        prop_assert_eq!(found.len(), best);
    }

    /// Random graphs, where outputs feed units and links skip layers: a budget stays exact, refill only adds
    /// live links, and the outputs that could be fed are fed.
    #[test]
    fn guards_hold_on_random_graphs(seed in 0u64..1_000_000, budget_share in 0.05f64..1.0) {
        let mut rng = SimRng::new(seed, "graph", 0);
        let count = 3 + rng.below(6);
        let (network, _) = graph(&mut rng, count);
        let w = network.weight_count();
        prop_assume!(w > 0);
        let mask = Mask::all(w);
        let weights = Weights(vec![1.0; w]);
        let context = EdgeContext::new(&network, &weights, &mask);
        let need = smallest_feeding(&network, &mask.0).len();
        let budget = ((w as f64 * budget_share) as usize).max(need).min(w);
        let mut rng = SimRng::new(seed, "random", 0);
        let could = reach(&network, &mask.0).from_input;
        let mut kept = Vec::new();
        for orphans in [Orphans::Drop, Orphans::Refill] {
            let pruned = prune(Method::Random(Random {}), Rule::Budget(budget), orphans, &context, &mut rng.clone()).unwrap();
            prop_assert_eq!(pruned.kept, budget);
            let fed = reach(&network, &pruned.live.0).from_input;
            for o in network.outputs.into_iter().flatten() {
                prop_assert_eq!(fed[o], could[o]);
            }
            kept.push(pruned.alive);
        }
        prop_assert!(kept[1] >= kept[0]);
        let need_more = prune(Method::Random(Random {}), Rule::Budget(need.saturating_sub(1)), Orphans::Drop, &context, &mut rng);
        prop_assert!(need == 0 || need_more.is_err());
    }
}
