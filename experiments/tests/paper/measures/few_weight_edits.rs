//! Edits that a few weights reach, and their controls.

use crate::measures::few_weight_edits::{few_weight_edits, reached, refine, towards};
use picloom::base::SimRng;
use picloom::genome::Composed;
use picloom::network::{Coords, Model, Wiring};
use picloom::probe::View;
use picloom::score::measures::living;
use picloom::score::measures::silencing::{SIDE, Silenced};

fn norm2(values: &[f64]) -> f64 {
    values.iter().map(|v| v * v).sum()
}

#[test]
fn a_network_built_of_parts_edits_parts_with_few_weights_and_noise_less() {
    let model = Model::of_genome(&Composed::Face.genome(1), Wiring::Graph);
    let silenced = Silenced::of(&View::new(&model, 64, Coords::Fer));
    let found = few_weight_edits(&silenced, &mut SimRng::new(1, "test", 0)).unwrap();
    assert!(found.parts[2] > 2.0 * found.controls[2], "{found:?}");
    assert!(found.parts.is_sorted() && found.controls.is_sorted());
}

#[test]
fn of_a_network_whose_weights_do_nothing_no_edit_is_reached() {
    let genome = Composed::Face.genome(1);
    let mut model = Model::of_genome(&genome, Wiring::Graph);
    // Far beyond what may be drawn.
    model.weights.0.iter_mut().for_each(|w| *w *= 1e6);
    let view = View::new(&model, SIDE, Coords::Fer);
    let other = Model::of_genome(&genome, Wiring::Graph).picture(SIDE, Coords::Fer);
    let edit: Vec<f64> = other.rgb.iter().map(|v| f64::from(*v)).collect();
    assert_eq!(refine(&view, &mut view.painter(), &[], &edit), norm2(&edit));
    let still = vec![vec![0.0; edit.len()]];
    let found = reached(&view, &mut view.painter(), (&[0], &still), &edit);
    assert_eq!(found, [0.0; 4]);
}

#[test]
fn a_picture_that_four_weights_lead_to_is_reached_and_its_own_is_no_edit() {
    let model = Model::of_genome(&Composed::Face.genome(1), Wiring::Graph);
    let view = View::new(&model, 64, Coords::Fer);
    let own = model.picture(64, Coords::Fer);
    let mut moved = model.clone();
    let links = living(&View::new(&model, SIDE, Coords::Fer));
    for &link in links.iter().take(2) {
        moved.weights.0[link] += 0.3;
    }
    let relative = moved.picture(64, Coords::Fer);
    let mut rng = SimRng::new(1, "test", 0);
    let found = towards(&view, &own, &[relative, own.clone()], &mut rng).unwrap();
    assert!(found.parts[2] > 0.9, "{found:?}");
    assert!(found.parts[2] > found.controls[2] + 0.2, "{found:?}");
    assert_eq!(towards(&view, &own, std::slice::from_ref(&own), &mut rng), None);
}
