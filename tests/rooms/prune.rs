//! Every pruning method on a network small enough to compute by hand.
//!
//! `1;cache:2`: inputs y, x, d, bias are units 0–3; hidden units 4 and 5; outputs h, s, v are 6, 7, 8.
//! Links 0–3 enter unit 4, 4–7 unit 5 (from 0–3); 8, 9 enter h (from 4, 5), 10, 11 s, 12, 13 v.

use crate::refusals::assert_refused;
use picloom::base::SimRng;
use picloom::network::kernel::{FeatureMaps, feature_maps, render};
use picloom::network::{Arch, Coords, Mask, Model, Network, PixelInputs, TrainedWiring, Weights};
use picloom::prune::methods::{
    Imp, Magnitude, Random, Sp, SpInverted, SpLayerCounts, SpMerge, SpPermuted, SpUntrained,
    SparseTraining,
};
use picloom::prune::similarity::{Reading, similarities};
use picloom::prune::{
    EdgeContext, Method, Orphans, Pattern, PruneError, Pruned, Rule, edge_scores, prune,
};

fn tiny() -> Network {
    "1;cache:2".parse::<Arch>().unwrap().network()
}

/// Maps of the nine units over two pixels.
fn maps(rows: [[f32; 2]; 9]) -> FeatureMaps {
    FeatureMaps { units: 9, pixels: 2, values: rows.concat() }
}

const INPUTS: [[f32; 2]; 4] = [[1.0, 0.0], [0.0, 1.0], [1.0, 1.0], [3.0, 4.0]];

fn with_inputs(rest: [[f32; 2]; 5]) -> FeatureMaps {
    let mut rows = [[0.0; 2]; 9];
    rows[..4].copy_from_slice(&INPUTS);
    rows[4..].copy_from_slice(&rest);
    maps(rows)
}

fn rng() -> SimRng {
    SimRng::new(3, "test", 0)
}

pub(crate) fn kept(mask: &Mask) -> Vec<usize> {
    (0..mask.0.len()).filter(|&i| mask.0[i]).collect()
}

/// Kept links of each layer.
fn counts(network: &Network, mask: &Mask) -> Vec<usize> {
    network.blocks.iter().map(|b| b.weights().filter(|&link| mask.0[link]).count()).collect()
}

fn run(method: Method, rule: Rule, context: &EdgeContext) -> Pruned {
    prune(method, rule, Orphans::Drop, context, &mut rng()).unwrap()
}

fn refused(method: Method, rule: Rule, context: &EdgeContext) -> PruneError {
    prune(method, rule, Orphans::Drop, context, &mut rng()).unwrap_err()
}

/// The method was not given what it needs.
#[track_caller]
fn assert_lacks(error: PruneError, name: &str) {
    let lacks = matches!(&error, PruneError::Rule(lack) if lack.at == name && lack.found == "none");
    assert!(lacks, "{name}: {error}");
}

/// Random weights, and the maps that they draw.
fn drawn(network: &Network, size: usize) -> (Weights, FeatureMaps) {
    let mut rng = rng();
    let weights = Weights((0..network.weight_count()).map(|_| rng.normal() as f32).collect());
    let maps = feature_maps(network, &weights, &PixelInputs::full(size, Coords::Fer));
    (weights, maps)
}

#[track_caller]
fn close(found: &[Option<f64>], expected: &[f64]) {
    for (i, (found, expected)) in found.iter().zip(expected).enumerate() {
        let found = found.expect("a live link has a score");
        assert!((found - expected).abs() < 1e-6, "link {i}: {found}, expected {expected}");
    }
}

#[test]
fn sp_is_the_uncentred_cosine_of_the_two_maps() {
    let network = tiny();
    let weights = Weights(vec![1.0; 14]);
    let all = Mask::all(14);
    // Unit 4 draws (3, 4), unit 5 (−1, 0), h (6, 8), s (0, 0), v (0, −2).
    let maps = with_inputs([[3.0, 4.0], [-1.0, 0.0], [6.0, 8.0], [0.0, 0.0], [0.0, -2.0]]);
    let context = EdgeContext::new(&network, &weights, &all).with_maps(&maps);
    let half = 0.5f64.sqrt();
    let into_four = [0.6, 0.8, 7.0 * half / 5.0, 1.0];
    let into_five = [1.0, 0.0, half, 0.6];
    let head = [1.0, 0.6, 0.0, 0.0, 0.8, 0.0];
    let expected = [&into_four[..], &into_five, &head].concat();
    let pruned = run(Method::Sp(Sp::COSINE), Rule::Threshold(0.75), &context);
    close(&pruned.scores.0, &expected);
    // At least .75: 1, 2, 3, 4, 8 and 12. The output s, all black, gets its best path: every link into it
    // scores 0, so the tie goes to the path with the fewest new links, then the lower index: link 10.
    assert_eq!(kept(&pruned.mask), [1, 2, 3, 4, 8, 10, 12]);
    assert_eq!((pruned.guards.selected, pruned.guards.path_links), (6, 1));
    // Link 4 feeds unit 5, which feeds nothing: kept, not alive, not trained.
    assert_eq!((pruned.kept, pruned.alive), (7, 6));
    assert_eq!(kept(&pruned.live), [1, 2, 3, 8, 10, 12]);
    assert_eq!((pruned.weights.0[3], pruned.weights.0[4]), (1.0, 0.0));

    let scores = |m, c: &EdgeContext| edge_scores(m, Rule::Budget(5), c, &mut rng()).unwrap();
    let inverted = scores(Method::SpInverted(SpInverted {}), &context);
    close(&inverted.0, &expected.iter().map(|c| 1.0 - c).collect::<Vec<_>>());
    let untrained = context.with_untrained_maps(&maps);
    let untrained = scores(Method::SpUntrained(SpUntrained {}), &untrained);
    assert_eq!(untrained, scores(Method::Sp(Sp::COSINE), &context));
}

#[test]
fn sp_is_the_cosine_times_what_the_link_carries_and_may_keep_the_inputs() {
    let network = tiny();
    let mut weights = Weights(vec![1.0; 14]);
    weights.0[8] = -3.0;
    let all = Mask::all(14);
    let maps = with_inputs([[3.0, 4.0], [-1.0, 0.0], [6.0, 8.0], [0.0, 0.0], [0.0, -2.0]]);
    let context = EdgeContext::new(&network, &weights, &all).with_maps(&maps);
    let cosines = Sp::COSINE.link_scores(&context, &maps).0;
    let found = Sp::default().link_scores(&context, &maps).0;
    for (i, (found, cosine)) in found.iter().zip(&cosines).enumerate() {
        let map = maps.unit(network.links[i].source);
        let norm = (map.iter().map(|a| f64::from(a * a)).sum::<f64>() / 2.0).sqrt();
        let expected = f64::from(weights.0[i].abs()) * norm * cosine.unwrap();
        assert!((found.unwrap() - expected).abs() < 1e-6, "link {i}: {found:?} {expected}");
    }
    // Link 8 goes from unit 4, whose map has the norm 5 / √2, to h, which draws twice that map.
    assert!((found[8].unwrap() - 3.0 * 12.5f64.sqrt()).abs() < 1e-6);
    let kept = Sp { keep_inputs: true, ..Sp::default() }.link_scores(&context, &maps).0;
    let most = found.iter().flatten().copied().fold(1.0, f64::max);
    assert!(kept[..8].iter().all(|score| *score == Some(most)), "{kept:?}");
    assert_eq!(kept[8..], found[8..]);
}

#[test]
fn merging_two_equal_units_folds_one_into_the_other() {
    let network = tiny();
    let weights = Weights((1..=14).map(|i| i as f32).collect());
    let all = Mask::all(14);
    let maps = with_inputs([[1.0, 2.0], [-2.0, -4.0], [1.0, 0.0], [1.0, 0.0], [1.0, 0.0]]);
    let context = EdgeContext::new(&network, &weights, &all).with_maps(&maps);
    for rule in [Rule::Threshold(0.99), Rule::Budget(7), Rule::Budget(13)] {
        let pruned = run(Method::SpMerge(SpMerge {}), rule, &context);
        // Unit 5 draws the larger map and stays; a_4 = −½ a_5, so its weights out fold in with −½.
        assert_eq!(kept(&pruned.mask), [4, 5, 6, 7, 9, 11, 13]);
        let folded: Vec<f32> = [9, 11, 13].map(|i| pruned.weights.0[i]).to_vec();
        assert_eq!(folded, [10.0 - 4.5, 12.0 - 5.5, 14.0 - 6.5]);
        assert_eq!(pruned.scores.0[0], Some(0.0));
        assert_eq!((pruned.kept, pruned.alive), (7, 7));
    }
    let error = refused(Method::SpMerge(SpMerge {}), Rule::Budget(6), &context);
    assert!(matches!(error, PruneError::Unreachable { reached: 7, .. }), "{error}");
}

#[test]
fn a_folded_network_draws_the_same_picture() {
    let network = "2;cache:2,gaussian:3".parse::<Arch>().unwrap().network();
    let mut rng = rng();
    let mut weights = Weights((0..network.weight_count()).map(|_| rng.normal() as f32).collect());
    // The second gaussian of each layer is a copy of the first, the relay 1 is −2 × relay 0.
    for block in &network.blocks[..2] {
        let n = block.sources.len();
        for s in 0..n {
            let at = |row: usize| block.offset + row * n + s;
            weights.0[at(3)] = weights.0[at(2)];
            weights.0[at(1)] = -2.0 * weights.0[at(0)];
        }
    }
    let inputs = PixelInputs::full(16, Coords::Fer);
    let maps = feature_maps(&network, &weights, &inputs);
    let all = Mask::all(network.weight_count());
    let context = EdgeContext::new(&network, &weights, &all).with_maps(&maps);
    let pruned = run(Method::SpMerge(SpMerge {}), Rule::Threshold(0.999_999), &context);
    // Two units a layer go: 5·4 + 5·5 + 3·5 = 60 → 3·4 + 3·3 + 3·3 = 30.
    assert_eq!(pruned.kept, 30);
    let before = render(&network, &weights, &inputs);
    let after = render(&network, &pruned.weights, &inputs);
    for (a, b) in before.iter().zip(&after) {
        assert!((a - b).abs() < 2e-4, "{a} {b}");
    }
}

#[test]
fn magnitude_keeps_the_largest_weights_and_ties_by_index() {
    let network = tiny();
    let all = Mask::all(14);
    let mut weights = Weights(vec![1.0; 14]);
    weights.0[3] = -5.0;
    weights.0[8..].copy_from_slice(&[2.0, 0.5, -2.0, 0.5, 2.0, 0.5]);
    let context = EdgeContext::new(&network, &weights, &all);
    for method in ["magnitude", "imp", "swarm"].map(|name| Method::named(name).unwrap()) {
        let pruned = run(method, Rule::Budget(6), &context);
        assert_eq!(kept(&pruned.mask), [0, 1, 3, 8, 10, 12]);
        assert_eq!((pruned.kept, pruned.alive), (6, 6));
    }
    // One global lottery-ticket round of 50 %: ⌊.5·13⌋ = 6 go.
    assert_eq!(run(Method::Imp(Imp {}), Rule::Fraction(0.5), &context).kept, 8);
    // Layerwise: round(.25·8) + 1 = 3 of 8 and round(.5·6) + 1 = 4 of 6 go; three outputs and two links:
    // the guards give every output its path and take the room from the first layer.
    let rule = Rule::Layerwise { hidden: 0.25, output: 0.5 };
    let pruned = run(Method::Imp(Imp {}), rule, &context);
    assert_eq!(kept(&pruned.mask), [0, 1, 2, 3, 8, 10, 12]);
    assert_eq!(pruned.guards.path_links, 1);
}

#[test]
fn controls_keep_what_they_should_and_break_what_they_should() {
    let network = "3;cache:3,sin:3".parse::<Arch>().unwrap().network();
    let (weights, maps) = drawn(&network, 8);
    let all = Mask::all(network.weight_count());
    let context = EdgeContext::new(&network, &weights, &all).with_maps(&maps);
    let layers = |mask: &Mask| counts(&network, mask);
    for rule in [Rule::Budget(50), Rule::Threshold(0.6)] {
        let sp = run(Method::Sp(Sp::COSINE), rule, &context);
        let counts = run(Method::SpLayerCounts(SpLayerCounts {}), rule, &context);
        assert_eq!(layers(&counts.mask), layers(&sp.mask));
        assert!(counts.mask != sp.mask);
        assert_eq!(counts.kept, sp.kept);
    }
    // Permuted: every unit keeps the similarities it had, on other parents.
    let [sp, permuted] = [Method::Sp(Sp::COSINE), Method::SpPermuted(SpPermuted {})]
        .map(|method| edge_scores(method, Rule::Budget(50), &context, &mut rng()).unwrap());
    assert!(sp != permuted);
    for unit in network.units.iter().filter(|u| !u.links.is_empty()) {
        let sorted = |s: &picloom::prune::EdgeScores| {
            let mut row: Vec<f64> = unit.links.clone().map(|i| s.0[i].unwrap()).collect();
            row.sort_by(f64::total_cmp);
            row
        };
        assert_eq!(sorted(&sp), sorted(&permuted));
    }
    let random = |seed| {
        let (method, mut rng) = (Method::Random(Random {}), SimRng::new(seed, "x", 0));
        prune(method, Rule::Budget(50), Orphans::Drop, &context, &mut rng).unwrap()
    };
    assert_eq!(random(1), random(1));
    assert!(random(1).mask != random(2).mask);
}

#[test]
fn links_that_died_in_one_round_are_the_first_to_go_in_the_next() {
    let network = tiny();
    let weights = Weights(vec![1.0; 14]);
    // Unit 5 lost its way out; constant maps would give its inputs a cosine of 1.
    let mut mask = Mask::all(14);
    for i in [9, 11, 13] {
        mask.0[i] = false;
    }
    let maps = maps([[1.0, 1.0]; 9]);
    let context = EdgeContext::new(&network, &weights, &mask).with_maps(&maps);
    let pruned = run(Method::Sp(Sp::COSINE), Rule::Budget(8), &context);
    assert_eq!(kept(&pruned.mask), [0, 1, 2, 3, 4, 8, 10, 12]);
    assert_eq!(pruned.scores.0[4], None);
    assert_eq!((pruned.kept, pruned.alive), (8, 7));
}

#[test]
fn bad_input_is_refused_with_what_was_expected_and_found() {
    let network = tiny();
    let weights = Weights(vec![1.0; 14]);
    let all = Mask::all(14);
    let sp = Method::Sp(Sp::COSINE);
    let context = EdgeContext::new(&network, &weights, &all);
    let magnitude = Method::Magnitude(Magnitude {});
    let taylor = "taylor".parse::<Method>().unwrap();
    let sparse = Method::SparseTraining(SparseTraining { min_inputs: 2 });
    let layerwise = Rule::Layerwise { hidden: 0.2, output: 0.1 };
    for (method, rule, refusal) in [
        (magnitude, Rule::Budget(15), ["", "a budget of at most the 14 links", "15"]),
        (magnitude, Rule::Budget(3), ["", "a budget of at least 4 links", "3"]),
        (magnitude, Rule::Threshold(f64::NAN), ["a threshold", "a finite number", "NaN"]),
        (magnitude, Rule::Fraction(1.0), ["a fraction to remove", "a number in [0, 1)", "1"]),
        (taylor, layerwise, ["taylor", "a threshold, a budget or a fraction", "Layerwise"]),
        (sparse, Rule::Budget(9), ["", "a budget of at least 10 links", "9"]),
    ] {
        assert_refused(&refused(method, rule, &context), refusal);
    }
    let rule = Rule::Budget(5);
    let other = Mask::all(13);
    let error = refused(magnitude, rule, &EdgeContext::new(&network, &weights, &other));
    assert_refused(&error, ["", "14 flags of the mask for this network", "13"]);
    assert_lacks(refused(sp, rule, &context), "sp");
    assert_lacks(refused(taylor, rule, &context), "taylor");
    let short = FeatureMaps { units: 8, pixels: 2, values: vec![0.0; 16] };
    let error = refused(sp, rule, &context.with_maps(&short));
    assert_refused(&error, ["", "9 feature maps for this network", "8"]);
    let mut nan = with_inputs([[1.0; 2]; 5]);
    nan.values[8] = f32::NAN;
    let error = refused(sp, rule, &context.with_maps(&nan));
    assert!(matches!(error, PruneError::NotFinite { method: "sp", link: 0, .. }), "{error}");
}

#[test]
fn refill_puts_the_best_live_links_in_the_places_of_orphans() {
    let network = tiny();
    // The six heaviest: 0 into unit 4, 8, 10, 12 out of it, and 4, 5 into unit 5, which leads nowhere.
    let weights =
        Weights(vec![10.0, 1.0, 1.0, 2.0, 6.0, 5.0, 4.0, 0.3, 9.0, 0.5, 8.0, 0.7, 7.0, 0.6]);
    let refill = |mask: &Mask, budget| {
        let context = EdgeContext::new(&network, &weights, mask);
        [Orphans::Drop, Orphans::Refill].map(|orphans| {
            let (method, rule) = (Method::Magnitude(Magnitude {}), Rule::Budget(budget));
            prune(method, rule, orphans, &context, &mut rng()).unwrap()
        })
    };
    let [drop, refilled] = refill(&Mask::all(14), 6);
    assert_eq!(kept(&drop.mask), [0, 4, 5, 8, 10, 12]);
    assert_eq!(kept(&drop.live), [0, 8, 10, 12]);
    // Into unit 4 leads 3 with weight 2, then 1 before 2, which weighs the same.
    assert_eq!(kept(&refilled.mask), [0, 1, 3, 8, 10, 12]);
    assert_eq!((refilled.guards.orphan_links, refilled.guards.refilled), (2, 2));
    // Without links 1 to 3 no live unit has another link: the way round through unit 5 whose weakest
    // link is strongest, 4 (6.0) and 11 (0.7), makes it live, and 5 is the best link into it.
    let mut fewer = Mask::all(14);
    fewer.0[1..4].fill(false);
    let [drop, refilled] = refill(&fewer, 7);
    assert_eq!(kept(&drop.mask), [0, 4, 5, 6, 8, 10, 12]);
    assert_eq!(kept(&refilled.mask), [0, 4, 5, 8, 10, 11, 12]);
    assert_eq!((refilled.kept, refilled.alive), (7, 7));
    assert_eq!((refilled.guards.orphan_links, refilled.guards.refilled), (3, 3));
}

/// A chain of SP, all links alive, and the network it was pruned from.
fn sp_chain() -> (Network, Weights, Vec<Mask>) {
    let network = "4;cache:3,sin:3".parse::<Arch>().unwrap().network();
    let (weights, maps) = drawn(&network, 8);
    let mut rng = rng();
    let mut masks = vec![Mask::all(network.weight_count())];
    for budget in [90, 45, 24] {
        let last = masks.last().unwrap().clone();
        let context = EdgeContext::new(&network, &weights, &last).with_maps(&maps);
        let sp = Method::Sp(Sp::COSINE);
        let pruned = prune(sp, Rule::Budget(budget), Orphans::Refill, &context, &mut rng).unwrap();
        assert_eq!((pruned.kept, pruned.alive), (budget, budget));
        masks.push(pruned.mask);
    }
    (network, weights, masks.split_off(1))
}

#[test]
fn controls_copy_the_counts_or_the_links_of_another_arm_round_by_round() {
    let (network, weights, masks) = sp_chain();
    let degrees = |mask: &Mask| -> Vec<usize> {
        let units = network.units.iter();
        units.map(|unit| unit.links.clone().filter(|&i| mask.0[i]).count()).collect()
    };
    let layers = |mask: &Mask| counts(&network, mask);
    for name in ["layer-counts", "rewired", "same-links"] {
        let method: Method = name.parse().unwrap();
        let mut left = Mask::all(network.weight_count());
        for (round, sp) in masks.iter().enumerate() {
            let pattern = Pattern { masks: &masks, round, seed: 3 };
            let context = EdgeContext::new(&network, &weights, &left).with_pattern(pattern);
            let rule = Rule::Budget(sp.kept());
            let mut rng = SimRng::new(3, "prune", round as u64);
            let pruned = prune(method, rule, Orphans::Refill, &context, &mut rng).unwrap();
            assert_eq!(pruned.kept, sp.kept(), "{name} {round}");
            if name == "same-links" {
                assert_eq!(pruned.mask, *sp, "round {round}");
            } else {
                assert!(round > 0 || pruned.mask != *sp, "{name}");
            }
            if name == "rewired" {
                assert_eq!(degrees(&pruned.mask), degrees(sp), "round {round}");
                assert_eq!(pruned.guards.orphan_links, 0, "no guard has to mend it");
            } else if pruned.guards.orphan_links == 0 {
                assert_eq!(layers(&pruned.mask), layers(sp), "round {round}");
            }
            let nested = pruned.mask.0.iter().zip(&left.0).all(|(now, before)| *before || !now);
            assert!(nested, "{name} {round}");
            left = pruned.mask;
        }
        let all = Mask::all(network.weight_count());
        let context = EdgeContext::new(&network, &weights, &all);
        assert_lacks(refused(method, Rule::Budget(45), &context), name);
    }
}

#[test]
fn every_reading_of_sp_is_what_it_says() {
    let network = "2;cache:2,sin:2".parse::<Arch>().unwrap().network();
    let (weights, maps) = drawn(&network, 6);
    let all = Mask::all(network.weight_count());
    let context = EdgeContext::new(&network, &weights, &all).with_maps(&maps);
    let map = |u: usize| -> Vec<f64> { maps.unit(u).iter().map(|&a| f64::from(a)).collect() };
    let sum = |u: usize| -> Vec<f64> {
        let mut z = vec![0.0; maps.pixels];
        for i in network.units[u].links.clone() {
            let a = map(network.links[i].source);
            z.iter_mut().zip(a).for_each(|(z, a)| *z += f64::from(weights.0[i]) * a);
        }
        z
    };
    let centred = |v: Vec<f64>| -> Vec<f64> {
        let mean = v.iter().sum::<f64>() / v.len() as f64;
        v.into_iter().map(|x| x - mean).collect()
    };
    let norm = |v: &[f64]| v.iter().map(|x| x * x).sum::<f64>().sqrt();
    let cos = |a: &[f64], b: &[f64]| {
        (a.iter().zip(b).map(|(x, y)| x * y).sum::<f64>() / (norm(a) * norm(b))).abs()
    };
    for &reading in Reading::ALL {
        let found = similarities(&context, &maps, reading);
        for (i, link) in network.links.iter().enumerate() {
            let (a, z, w) = (map(link.source), sum(link.target), f64::from(weights.0[i]));
            let child = map(link.target);
            let spared = link.source == 3;
            let expected = match reading {
                Reading::CorrMaps | Reading::CorrSum if spared => 1.0,
                Reading::CosMaps => cos(&a, &child),
                Reading::CorrMaps => cos(&centred(a), &centred(child)),
                Reading::CosSum => cos(&a, &z),
                Reading::CorrSum => cos(&centred(a), &centred(z)),
                Reading::Strength => w.abs() * norm(&a) / (maps.pixels as f64).sqrt(),
            };
            let score = found.0[i].unwrap();
            assert!((score - expected).abs() < 1e-4, "{reading:?} {link:?}: {score} {expected}");
        }
    }
}

#[test]
fn connected_links_are_as_many_in_each_layer_and_all_live() {
    for name in ["bred_moth", "elite_bowl", "novelty_goggles", "target_letter_a"] {
        let text = std::fs::read_to_string(format!("genomes/{name}.json")).unwrap();
        let genome = picloom::genome::from_json(&text).unwrap();
        let Model { network, mask: evolved, .. } =
            TrainedWiring::Layerized.model(&genome, 0).unwrap();
        let dead = evolved.kept() - picloom::prune::alive(&network, &evolved).kept();
        for seed in 0..8 {
            let wired = TrainedWiring::Connected(0).model(&genome, seed).unwrap().mask;
            assert_eq!(counts(&network, &wired), counts(&network, &evolved), "{name}");
            let alive = picloom::prune::alive(&network, &wired).kept();
            assert!(alive + dead >= wired.kept(), "{name}: {alive} of {}", wired.kept());
            assert_ne!(wired, evolved);
        }
    }
}
