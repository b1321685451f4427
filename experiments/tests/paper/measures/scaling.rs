//! Units made louder, and mixtures of them.

use crate::measures::scaling::Layers;
use picloom::base::SimRng;
use picloom::network::{Arch, Coords, Model, Weights};
use picloom::probe::{Change, View};

#[test]
fn a_louder_unit_is_its_outgoing_weights_scaled_and_a_mixture_keeps_what_it_does_not_hear() {
    let network = "2;gaussian:2,sin:2".parse::<Arch>().unwrap().network();
    let mut rng = SimRng::new(5, "test", 0);
    let drawn = (0..network.weight_count()).map(|_| rng.normal() as f32);
    let weights = Weights(drawn.collect());
    let view = View::new(&Model::new(network.clone(), weights.clone()), 32, Coords::Fer);
    let layers = Layers::of(&view).unwrap();
    assert_eq!(layers.units().len(), 8);
    let unit = layers.unit((0, 1));
    // Unit 5's four outgoing weights, each in proportion to itself.
    assert_eq!(unit.len(), 4);
    let share = unit[0].1 / f64::from(weights.0[unit[0].0]);
    for (link, change) in &unit {
        assert_eq!(network.links[*link].source, 5);
        assert!((change / f64::from(weights.0[*link]) / share - 1.0).abs() < 1e-6);
    }
    // A mixture has the sum of the squares of what it does along every unit: it moves all of them.
    let mixture = layers.mixture(1, &mut rng);
    assert_eq!(mixture.len(), 4 * 3);
    assert!((mixture.iter().map(|(_, v)| v * v).sum::<f64>() - 1.0).abs() < 1e-9);
    let changes = mixture.iter().map(|&(link, v)| Change::By { link, delta: 0.1 * v });
    assert!(view.painter().effect_of_all(changes.collect::<Vec<_>>()) > 0.0);
}
