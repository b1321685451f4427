//! The length of a change along a direction.

use picloom::network::{Arch, Coords, Model, Weights};
use picloom::probe::View;
use picloom_experiments::measures::axis_advantage::reach;

#[test]
fn the_length_of_a_grey_is_its_effect() {
    // Bias → relay → brightness: a grey of .5, one living weight into each.
    let network = "1;identity:1".parse::<Arch>().unwrap().network();
    let weights = Weights(vec![0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.5]);
    let view = View::new(&Model::new(network, weights), 8, Coords::Fer);
    let length = reach(&mut view.painter(), &vec![(6, 1.0)], -1.0).unwrap();
    assert!((length / 0.18 - 1.0).abs() < 0.16, "{length}");
    // Hue does nothing to a grey.
    assert_eq!(reach(&mut view.painter(), &vec![(4, 1.0)], 1.0), None);
}
