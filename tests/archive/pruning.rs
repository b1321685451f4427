//! Pruning FER's own SGD networks.

use picloom::base::SimRng;
use picloom::network::kernel::{FeatureMaps, Objective, feature_maps, render};
use picloom::network::weight_files::read_weights;
use picloom::network::{Arch, Coords, Mask, Network, PixelInputs, Weights};
use picloom::prune::methods::{Evolved, Sp};
use picloom::prune::similarity::{Reading, similarities};
use picloom::prune::taylor::{Order, remove_units};
use picloom::prune::{EdgeContext, Method, Orphans, Pruned, Rule, alive, prune};
use std::path::Path;

const SKULL: &str = "12;cache:15,gaussian:4,identity:2,sin:1";
const BUTTERFLY: &str = "16;cache:17,gaussian:4,sigmoid:1,sin:1";

fn load(archive: &Path, name: &str, arch: &str) -> (Network, Weights) {
    let network = arch.parse::<Arch>().expect("a fixed arch").network();
    let weights = read_weights(&archive.join(format!("fer/{name}.npz")), &network).unwrap();
    (network, weights)
}

/// A network with the maps that it draws, and all of its links.
fn drawn(archive: &Path, name: &str, arch: &str) -> (Network, Weights, FeatureMaps, Mask) {
    let (network, weights) = load(archive, name, arch);
    let maps = feature_maps(&network, &weights, &PixelInputs::full(128, Coords::Fer));
    let all = Mask::all(network.weight_count());
    (network, weights, maps, all)
}

fn sp_at(archive: &Path, name: &str, arch: &str, rule: Rule, orphans: Orphans) -> Pruned {
    let (network, weights, maps, all) = drawn(archive, name, arch);
    let context = EdgeContext::new(&network, &weights, &all).with_maps(&maps);
    let mut rng = SimRng::new(0, "test", 0);
    prune(Method::Sp(Sp::COSINE), rule, orphans, &context, &mut rng).unwrap()
}

pub(crate) fn one_threshold_near_a_third_gives_the_captions_counts_on_fers_networks(
    archive: &Path,
) {
    let rule = Rule::Threshold(0.345);
    let skull = sp_at(archive, "skull_sgd", SKULL, rule, Orphans::Drop);
    assert!(skull.kept.abs_diff(1404) <= 30, "kept {}", skull.kept);
    assert_eq!(skull.guards.path_links, 0);
    let butterfly = sp_at(archive, "butterfly_sgd", BUTTERFLY, rule, Orphans::Drop);
    assert!((3000..=3900).contains(&butterfly.kept), "kept {}", butterfly.kept);
    // A budget of the same size is the same mask.
    let budget = Rule::Budget(skull.kept);
    let same = sp_at(archive, "skull_sgd", SKULL, budget, Orphans::Drop);
    assert!(same.mask == skull.mask);
}

/// Kept links of every reading on the butterfly at the threshold that keeps the caption's 1404 of the
/// skull; the caption of the butterfly says 3405. Centred readings are counted without the bias, which they
/// spare.
pub(crate) fn five_readings_of_similarity_lie_near_the_butterflys_count(archive: &Path) {
    // Similarities from high to low; centred readings are counted without the bias.
    let ranked = |name, arch, reading: Option<Reading>| -> Vec<f64> {
        let (network, weights, maps, all) = drawn(archive, name, arch);
        let context = EdgeContext::new(&network, &weights, &all).with_maps(&maps);
        let centred = matches!(reading, Some(Reading::CorrMaps | Reading::CorrSum));
        let scores = match reading {
            Some(reading) => similarities(&context, &maps, reading),
            None => Sp::default().link_scores(&context, &maps),
        };
        let counted = scores.0.into_iter().zip(&network.links);
        let counted = counted.filter(|(_, link)| !(centred && link.source == 3));
        let mut scores: Vec<f64> = counted.filter_map(|(score, _)| score).collect();
        scores.sort_by(|a, b| b.total_cmp(a));
        scores
    };
    let at_the_captions = |reading| {
        let tau = ranked("skull_sgd", SKULL, reading)[1403];
        ranked("butterfly_sgd", BUTTERFLY, reading).partition_point(|s| *s >= tau)
    };
    for (&reading, published) in Reading::ALL.iter().zip([3780, 3073, 3737, 3182, 3133]) {
        let kept = at_the_captions(Some(reading));
        let room = if matches!(reading, Reading::CorrMaps | Reading::CorrSum) { 12 } else { 0 };
        assert!(kept.abs_diff(published) <= room, "{reading:?}: {kept}, published {published}");
    }
    // The default weighs what a link carries, and comes nearest to the caption's 3405.
    assert_eq!(at_the_captions(None), 3479);
}

pub(crate) fn budgets_of_the_captions_are_exact_and_alive_on_fers_networks(archive: &Path) {
    for (name, arch, budgets) in
        [("skull_sgd", SKULL, [1404, 470]), ("butterfly_sgd", BUTTERFLY, [3405, 470])]
    {
        for budget in budgets {
            let pruned = sp_at(archive, name, arch, Rule::Budget(budget), Orphans::Refill);
            assert_eq!((pruned.kept, pruned.alive), (budget, budget), "{name}");
            let counted = sp_at(archive, name, arch, Rule::Budget(budget), Orphans::Drop);
            assert_eq!(counted.kept, budget);
            assert!(counted.alive <= budget);
        }
    }
}

pub(crate) fn taylor_second_order_ranked_once_reaches_the_captions_1397_on_the_skull(
    archive: &Path,
) {
    let (network, weights) = load(archive, "skull_sgd", SKULL);
    let (_, evolved) = load(archive, "skull_picbreeder", SKULL);
    let inputs = PixelInputs::full(128, Coords::Fer);
    let all = Mask::all(network.weight_count());
    let target = render(&network, &evolved, &inputs);
    let mut gradient = vec![0.0; network.weight_count()];
    Objective::new(&network, &all, &inputs, &target).loss_and_gradient(&weights.0, &mut gradient);
    let context = EdgeContext::new(&network, &weights, &all).with_gradient(&gradient);
    let reached = |order, vectorize, update| {
        remove_units(&context, Rule::Budget(1404), vectorize, order, update, &all.0)
            .unwrap()
            .mask
            .kept()
    };
    assert_eq!(reached(Order::Second, false, false), 1397);
    for vectorize in [false, true] {
        for update in [false, true] {
            for order in [Order::First, Order::Second, Order::Mixed] {
                let count = reached(order, vectorize, update);
                assert!((1370..=1404).contains(&count));
            }
        }
    }
}

pub(crate) fn the_evolved_mask_is_147_and_281_links_and_keeps_the_evolved_weights(archive: &Path) {
    for (name, arch, count) in
        [("skull_picbreeder", SKULL, 147), ("butterfly_picbreeder", BUTTERFLY, 281)]
    {
        let (network, weights) = load(archive, name, arch);
        let all = Mask::all(network.weight_count());
        let evolved = Mask::non_zero(&weights);
        let context = EdgeContext::new(&network, &weights, &all).with_evolved(&evolved);
        let mut rng = SimRng::new(0, "test", 0);
        let rule = Rule::Budget(470);
        let pruned =
            prune(Method::Evolved(Evolved {}), rule, Orphans::Drop, &context, &mut rng).unwrap();
        assert_eq!((pruned.kept, pruned.live.kept()), (count, count));
        assert!(pruned.weights == weights);
    }
}

pub(crate) fn every_relay_link_of_the_evolved_networks_scores_one(archive: &Path) {
    for (name, arch) in [("skull_picbreeder", SKULL), ("butterfly_picbreeder", BUTTERFLY)] {
        let (network, weights) = load(archive, name, arch);
        let mask = Mask::non_zero(&weights);
        let maps = feature_maps(&network, &weights, &PixelInputs::full(64, Coords::Fer));
        let context = EdgeContext::new(&network, &weights, &mask).with_maps(&maps);
        let mut rng = SimRng::new(0, "test", 0);
        let pruned =
            prune(Method::Sp(Sp::COSINE), Rule::Threshold(1.0), Orphans::Drop, &context, &mut rng)
                .unwrap();
        let live = alive(&network, &mask);
        let mut relays = 0;
        for (i, link) in network.links.iter().enumerate().filter(|(i, _)| mask.0[*i]) {
            let unit = &network.units[link.target];
            let alone = unit.links.clone().filter(|&k| mask.0[k]).count() == 1;
            let drawn = maps.unit(link.source).iter().any(|&a| a != 0.0);
            let copies = unit.activation.is_linear() && weights.0[i] == 1.0;
            if copies && alone && drawn && live.0[i] {
                relays += 1;
                assert_eq!(pruned.scores.0[i], Some(1.0), "{name} link {i}");
                assert!(pruned.mask.0[i]);
            }
        }
        assert!(relays > 50);
    }
}
