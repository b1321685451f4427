//! Invariances of a score, pictures that do not count, and the statement of a sample.

use picloom::base::SimRng;
use picloom::genome;
use picloom::network::{Arch, Coords, Model, Network, Picture, Weights, Wiring};
use picloom::probe::{Delta, Drawn, Selection, sampled_share};
use picloom::score::{DlJudge, DlThreshold, Exhibit, JUDGED_AT, Judge, Measurement, Protocol};
use std::path::Path;

fn random(network: Network, seed: u64) -> Model {
    let mut rng = SimRng::new(seed, "test", 0);
    let drawn = (0..network.weight_count()).map(|_| rng.normal() as f32);
    let weights = Weights(drawn.collect());
    Model::new(network, weights)
}

/// Score of all non-zero weights at `size`².
fn whole(
    model: &Model,
    size: usize,
    delta: Delta,
    judge: &dyn Judge,
    target: Option<&Picture>,
) -> Measurement {
    let exhibit = Exhibit::new(model, size, Coords::Fer, target);
    let protocol = Protocol { samples: Selection::All, delta, seed: 0 };
    protocol.measure(&exhibit, judge).unwrap()
}

/// The same network with the hidden units of each layer in another order: `arch` may list the
/// activations of `of`'s block in any order.
fn reordered(of: &Model, arch: &Arch, rng: &mut SimRng) -> Model {
    let Model { network: of, weights, .. } = of;
    let network = arch.network();
    assert_eq!(network.units.len(), of.units.len());
    let depth = of.depth();
    // place[u] is where unit u of the new network stood.
    let mut place: Vec<usize> = (0..of.units.len()).collect();
    for layer in 1..depth {
        let mut old: Vec<usize> =
            (0..of.units.len()).filter(|&u| of.units[u].layer == layer).collect();
        rng.shuffle(&mut old);
        for u in (0..network.units.len()).filter(|&u| network.units[u].layer == layer) {
            let at = old
                .iter()
                .position(|&o| of.units[o].activation == network.units[u].activation)
                .unwrap();
            place[u] = old.remove(at);
        }
    }
    let moved = network
        .links
        .iter()
        .map(|link| {
            let (source, target) = (place[link.source], place[link.target]);
            let old =
                of.links.iter().position(|l| (l.source, l.target) == (source, target)).unwrap();
            weights.0[old]
        })
        .collect();
    Model::new(network, Weights(moved))
}

#[test]
fn the_order_of_the_units_of_a_layer_does_not_matter() {
    // A layered network of several activations with clean, damaged and silent changes.
    let genome = genome::read(Path::new("bred_cat")).unwrap();
    let first = Model::of_genome(&genome, Wiring::Layerized);
    let judge = DlJudge::default();
    let delta = Delta::Effect(0.3);
    let expected = whole(&first, 32, delta, &judge, None).score;
    assert!(expected.clean > 10 && expected.damaged > 1 && expected.silent > 1, "{expected:?}");
    let arch = first.network.arch.clone().unwrap();
    let mut turned = arch.clone();
    turned.block.reverse();
    let mut rng = SimRng::new(8, "test", 0);
    for arch in [arch, turned] {
        let moved = reordered(&first, &arch, &mut rng);
        assert_ne!(moved.weights, first.weights, "something is in another place");
        let found = whole(&moved, 32, delta, &judge, None).score;
        assert_eq!(found.layers, expected.layers, "{arch:?}");
        // The pictures' last bits differ, and so P's.
        let off = found.score.unwrap() - expected.score.unwrap();
        assert!(off.abs() < 1e-6, "{arch:?}: {off}");
    }
}

#[test]
fn a_score_is_that_of_64_pixels_whatever_smaller_size_is_asked_for() {
    let genome = genome::read(Path::new("bred_moth")).unwrap();
    let model = Model::of_genome(&genome, Wiring::Layerized);
    let judge = DlJudge::default();
    let of = |size| {
        let target = model.picture(size, Coords::Fer);
        let found = whole(&model, size, Delta::default(), &judge, Some(&target)).score;
        assert_eq!(found.fit.unwrap().r2, 1.0, "the fit is that of {size}²");
        found
    };
    let usual = of(JUDGED_AT);
    for size in [16, 32, 48] {
        assert_eq!(of(size), usual, "at {size}²");
    }
    let (small, large) = (usual.score.unwrap(), of(256).score.unwrap());
    assert!((small - large).abs() < 0.05, "{small} at 64², {large} at 256²");
    // The fit gates by what was drawn at the network's own size.
    let other = Picture::filled(16, 16, [0.5; 3]);
    let found = whole(&model, 16, Delta::default(), &judge, Some(&other)).score;
    assert!(!found.counts && found.score == usual.score);
}

#[test]
fn the_sampling_error_is_that_of_repeated_samples_of_a_network_swept_fully() {
    let model = random("2;gaussian:4,sin:3".parse::<Arch>().unwrap().network(), 6);
    let network = &model.network;
    // Between the two: about as many pictures of noise get longer as get shorter.
    let judge = DlThreshold { threshold: 0.0 };
    let delta = Delta::Fixed(0.8);
    let full = whole(&model, 24, delta, &judge, None);
    let truth = full.score.score.unwrap();
    assert!((0.15..=0.85).contains(&truth), "something to estimate: {truth}");
    let mut population = vec![0; network.depth()];
    for link in &network.links {
        population[network.units[link.target].layer - 1] += 1;
    }
    let of = |link: usize| {
        let pair = &full.judged[2 * link..2 * link + 2];
        assert_eq!(pair[0].perturbation.link, link);
        let verdicts = pair.iter().filter_map(|j| j.verdict.as_ref());
        Drawn {
            layer: pair[0].perturbation.layer - 1,
            clean: verdicts.clone().map(|v| 1.0 - v.p_damaged).sum(),
            scored: verdicts.count(),
        }
    };
    let all: Vec<Drawn> = (0..network.weight_count()).map(of).collect();
    let swept = sampled_share(&population, &all).unwrap();
    assert_eq!(full.score.sampled, Some(swept));
    assert!((swept.share - truth).abs() < 1e-12 && swept.standard_error == 0.0);
    for count in [20, 60] {
        let mut rng = SimRng::new(count as u64, "test", 1);
        let (mut held, mut sum, mut squares, mut variances) = (0, 0.0, 0.0, 0.0);
        let repeats = 600;
        for _ in 0..repeats {
            let links = Selection::Sample(count).draw(&model, &mut rng);
            let drawn: Vec<Drawn> = links.into_iter().map(of).collect();
            let found = sampled_share(&population, &drawn).unwrap();
            assert_eq!((found.drawn, found.population), (count, network.weight_count()));
            held += usize::from(found.interval.0 <= truth && truth <= found.interval.1);
            sum += found.share - truth;
            squares += (found.share - truth) * (found.share - truth);
            variances += found.standard_error * found.standard_error;
        }
        let n = f64::from(repeats);
        let (bias, deviation) = (sum / n, (squares / n).sqrt());
        let claimed = (variances / n).sqrt();
        let coverage = held as f64 / n;
        assert!(bias.abs() < 4.0 * deviation / n.sqrt() + 0.005, "{count}: {bias} {deviation}");
        assert!((0.9..=1.1).contains(&(claimed / deviation)), "{count}: {claimed} {deviation}");
        assert!((0.92..=0.98).contains(&coverage), "{count}: {coverage}");
    }
}
