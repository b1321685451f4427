//! Plasticity: what a few weights teach a conditional network.

use crate::measures::plasticity::{plasticity, spread};
use picloom::base::SimRng;
use picloom::network::family::{Conditioned, Support};
use picloom::network::{Arch, Coords, Mask, Model, Weights};

#[test]
fn what_a_network_lacks_is_learned_by_a_few_weights_and_noise_is_not() {
    let network = "2;cache:6,gaussian:3;z:2".parse::<Arch>().unwrap().network();
    let mut rng = SimRng::new(5, "test", 0);
    let weights: Vec<f32> =
        (0..network.weight_count()).map(|_| 0.6 * rng.normal() as f32).collect();
    let model = |weights: &[f32]| Model {
        mask: Mask::all(network.weight_count()),
        network: network.clone(),
        weights: Weights(weights.to_vec()),
    };
    let whole = model(&weights);
    let conditions = Support::Value.conditions(2, 4, 0);
    let draw = |z: &[f64]| whole.at(z).picture(16, Coords::Fer);
    let [seen, held_out] =
        [conditions.seen, conditions.held_out].map(|set| Conditioned::of(set, draw));
    assert_eq!(plasticity(&whole, &seen, &held_out, Coords::Fer), None);
    let mut other = weights.clone();
    other[3] += 0.2;
    other[40] -= 0.2;
    let [one, two, four, eight] =
        plasticity(&model(&other), &seen, &held_out, Coords::Fer).unwrap();
    assert!(0.0 <= one && one <= two && two <= four && four <= eight && eight <= 1.0);
    // Not all: with the two weights put right the seen pictures would not stay.
    assert!(one > 0.05 && eight > one && eight < 0.99, "{one} {eight}");
    // What has nothing to do with the network is not learned.
    let mut noise = held_out.clone();
    noise.pictures.rgb.iter_mut().for_each(|v| *v = rng.uniform() as f32);
    let strange = plasticity(&whole, &seen, &noise, Coords::Fer).unwrap();
    assert!(strange[3] < 0.5 * eight, "{strange:?} {eight}");
}

#[test]
fn places_are_spread_over_all() {
    assert_eq!(spread(5, 3).collect::<Vec<_>>(), [0, 2, 4]);
    assert_eq!(spread(2, 3).collect::<Vec<_>>(), [0, 1]);
    assert_eq!(spread(0, 3).count(), 0);
}
