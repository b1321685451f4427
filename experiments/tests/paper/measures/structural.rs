//! Structural compositionality on pictures whose parts are known.

use crate::measures::structural::{
    MaskConfig, PartedPicture, StructuralCompositionality, StructuralError,
    structural_compositionality,
};
use picloom::base::SimRng;
use picloom::genome::Input;
use picloom::math::Activation;
use picloom::network::kernel::render;
use picloom::network::{Coords, Link, Mask, Network, PixelInputs, Unit, Weights};

/// Two white bars on black. `shared` false: each bar has its own two units; true: one unit
/// draws both (a gaussian of a cosine).
fn two_bars(shared: bool) -> (Network, Weights) {
    let mut units: Vec<Unit> =
        (0..4).map(|_| Unit { activation: Activation::Identity, layer: 0, links: 0..0 }).collect();
    let (mut links, mut weights) = (Vec::new(), Vec::new());
    let mut add = |activation, layer, from: &[(usize, f32)]| {
        let first = links.len();
        let target = units.len();
        for &(source, weight) in from {
            links.push(Link { source, target });
            weights.push(weight);
        }
        units.push(Unit { activation, layer, links: first..links.len() });
        target
    };
    // x is unit 0, bias 3. A bar at x = c: ½·gaussian(6(x − c)) + ½, 0 elsewhere.
    let output = if shared {
        let wave = add(Activation::Cos, 1, &[(0, 2.0 * std::f32::consts::PI)]);
        let bump = add(Activation::Gaussian, 2, &[(3, 3.0), (wave, 3.0)]);
        add(Activation::Identity, 3, &[(3, 0.5), (bump, 0.5)])
    } else {
        let left = add(Activation::Gaussian, 1, &[(0, 6.0), (3, 3.0)]);
        let right = add(Activation::Gaussian, 1, &[(0, 6.0), (3, -3.0)]);
        let a = add(Activation::Identity, 2, &[(3, 0.5), (left, 0.5)]);
        let b = add(Activation::Identity, 2, &[(3, 0.5), (right, 0.5)]);
        add(Activation::Identity, 3, &[(a, 1.0), (b, 1.0)])
    };
    let network = Network {
        inputs: Input::OF_PIXEL.to_vec(),
        units,
        links,
        outputs: [None, None, Some(output)],
        blocks: Vec::new(),
        arch: None,
    };
    (network, Weights(weights))
}

/// The measure of a network of two bars on a picture of `size`² in these parts.
fn of_picture(
    (network, weights): (Network, Weights),
    size: usize,
    picture: &PartedPicture,
) -> Result<StructuralCompositionality, StructuralError> {
    let (all, inputs) = (Mask::all(network.weight_count()), PixelInputs::full(size, Coords::Fer));
    let (config, mut rng) = (MaskConfig::default(), SimRng::new(1, "test", 0));
    structural_compositionality(&network, &weights, &all, &inputs, picture, &config, &mut rng)
}

fn measured(shared: bool) -> StructuralCompositionality {
    let (network, weights) = two_bars(shared);
    let rgb = render(&network, &weights, &PixelInputs::full(24, Coords::Fer));
    let side = |right: bool| (0..576).map(|p| (p % 24 >= 12) == right).collect();
    let parts = vec![("left".into(), side(false)), ("right".into(), side(true))];
    let picture = PartedPicture { rgb, background: [0.0; 3], parts };
    of_picture((network, weights), 24, &picture).unwrap()
}

#[test]
fn a_bar_with_a_path_of_its_own_is_found_and_cut_out() {
    let found = measured(false);
    assert!(found.whole.iter().all(|a| *a > 0.999), "{found:?}");
    assert!(found.sc > 0.9, "{found:?}");
    assert_eq!(found.compositional_parts, 2);
    assert!(found.control < 0.5, "{found:?}");
    // Left: links into unit 4 (0, 1), into unit 6 (4, 5) and of it to the output (8).
    let kept =
        |part: usize| -> Vec<usize> { (0..10).filter(|&i| found.parts[part].mask.0[i]).collect() };
    assert_eq!(kept(0), [0, 1, 4, 5, 8]);
    assert_eq!(kept(1), [2, 3, 6, 7, 9]);
}

#[test]
fn bars_drawn_by_one_unit_cannot_be_told_apart() {
    let found = measured(true);
    assert!(found.sc.abs() < 0.3, "{found:?}");
    assert_eq!(found.compositional_parts, 0);
}

#[test]
fn regions_that_make_no_sense_are_refused() {
    let base = PartedPicture {
        rgb: vec![1.0; 12],
        background: [0.0; 3],
        parts: vec![("a".into(), vec![true, true, false, false])],
    };
    let refused = |picture: &PartedPicture| of_picture(two_bars(false), 2, picture).unwrap_err();
    let with = |region: Vec<bool>| {
        let mut picture = base.clone();
        picture.parts.push(("b".into(), region));
        refused(&picture)
    };
    assert!(matches!(refused(&base), StructuralError::TooFewParts(1)));
    for region in [vec![true; 3], vec![false; 4], vec![true; 4]] {
        assert!(matches!(with(region), StructuralError::Region { .. }));
    }
    let mut white = base.clone();
    white.background = [1.0; 3];
    white.parts.push(("b".into(), vec![false, false, true, true]));
    assert!(matches!(refused(&white), StructuralError::Invisible(_)));
}
