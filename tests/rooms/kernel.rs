//! The fast kernel: against the plain f64 reference, against itself on other instruction sets and
//! thread counts, and perturbations against drawing afresh.

use crate::stop::on_threads;
use nalgebra::DMatrix;
use picloom::base::SimRng;
use picloom::genome::Inputs;
use picloom::math::Activation;
use picloom::network::kernel::{Isa, Objective, Perturber, feature_maps, render, render_on};
use picloom::network::{
    Arch, Coords, Link, Mask, Model, Network, PixelInputs, Unit, Weights, reference,
};
use proptest::prelude::*;

/// Four inputs: the default ones, or others.
fn inputs(rng: &mut SimRng) -> Inputs {
    let own = ["abs(x),sin(-2.5y),x*d,bias", "cos(3d),square(y),y,x*y"];
    let drawn = ["x,y,d,bias", own[0], own[1]];
    rng.choose(&drawn).unwrap().parse().unwrap()
}

/// A layered network of `layers` with up to two units of each activation, and a mask.
fn layered(rng: &mut SimRng, layers: usize, density: f64) -> (Network, Mask) {
    let mut block: Vec<(Activation, usize)> =
        Activation::ALL.iter().map(|&a| (a, rng.below(3))).filter(|(_, n)| *n > 0).collect();
    if block.is_empty() {
        block.push((Activation::Sin, 2));
    }
    let network = Arch { layers, block, inputs: inputs(rng), factors: 0 }.network();
    let mask = (0..network.weight_count()).map(|_| rng.chance(density)).collect();
    (network, Mask(mask))
}

/// A graph of `count` units, each reading up to four inputs or recent units; outputs may be missing.
pub(crate) fn graph(rng: &mut SimRng, count: usize) -> (Network, Mask) {
    let mut units: Vec<Unit> =
        (0..4).map(|_| Unit { activation: Activation::Identity, layer: 0, links: 0..0 }).collect();
    let mut links = Vec::new();
    for target in 4..4 + count {
        let first = links.len();
        let mut sources: Vec<usize> = (0..rng.below(5))
            .map(|_| {
                let recent = target.min(6);
                if rng.chance(0.3) { rng.below(4) } else { target - 1 - rng.below(recent) }
            })
            .collect();
        sources.sort_unstable();
        sources.dedup();
        let layer = 1 + sources.iter().map(|&s| units[s].layer).max().unwrap_or(0);
        links.extend(sources.into_iter().map(|source| Link { source, target }));
        units.push(Unit {
            activation: *rng.choose(Activation::ALL).unwrap(),
            layer,
            links: first..links.len(),
        });
    }
    let mut output = || rng.chance(0.9).then(|| units.len() - 1 - rng.below(count.min(5)));
    let outputs = [output(), output(), output()];
    let mask = Mask(links.iter().map(|_| rng.chance(0.9)).collect());
    let network = Network {
        inputs: inputs(rng).to_vec(),
        units,
        links,
        outputs,
        blocks: Vec::new(),
        arch: None,
    };
    (network, mask)
}

/// Normal weights with variance scale² / (live links into the unit).
fn weights(rng: &mut SimRng, network: &Network, mask: &Mask, scale: f64) -> Vec<f32> {
    let mut weights = vec![0.0; network.weight_count()];
    for unit in &network.units {
        let live = unit.links.clone().filter(|&i| mask.0[i]).count().max(1);
        for i in unit.links.clone() {
            weights[i] = (scale * rng.normal() / (live as f64).sqrt()) as f32;
        }
    }
    weights
}

fn wide(weights: &[f32], mask: &Mask) -> Vec<f64> {
    weights.iter().zip(&mask.0).map(|(&w, &keep)| if keep { f64::from(w) } else { 0.0 }).collect()
}

fn norm(v: &[f64]) -> f64 {
    v.iter().map(|x| x * x).sum::<f64>().sqrt()
}

fn distance(a: &[f64], b: impl IntoIterator<Item = f64>) -> f64 {
    norm(&a.iter().zip(b).map(|(a, b)| a - b).collect::<Vec<_>>())
}

/// A problem drawn from a seed.
struct Problem {
    network: Network,
    mask: Mask,
    weights: Vec<f32>,
    inputs: PixelInputs,
    target: Vec<f32>,
}

impl Problem {
    fn new(seed: u64, size: usize, depth: usize, is_graph: bool, density: f64, scale: f64) -> Self {
        let mut rng = SimRng::new(seed, "kernel", 0);
        let (network, mask) =
            if is_graph { graph(&mut rng, depth) } else { layered(&mut rng, depth, density) };
        let weights = weights(&mut rng, &network, &mask, scale);
        let inputs = PixelInputs::full(size, Coords::Fer);
        let target = (0..3 * inputs.pixels()).map(|_| rng.uniform() as f32).collect();
        Problem { network, mask, weights, inputs, target }
    }

    fn reference(&self, weights: &[f64]) -> (f64, Vec<f64>) {
        let target = DMatrix::from_iterator(
            3,
            self.inputs.pixels(),
            self.target.iter().map(|&t| f64::from(t)),
        );
        let (loss, mut gradient) =
            reference::loss_and_gradient(&self.network, weights, &self.inputs, &target);
        for (g, &keep) in gradient.iter_mut().zip(&self.mask.0) {
            if !keep {
                *g = 0.0;
            }
        }
        (loss, gradient)
    }

    /// The weights of the links that are kept.
    fn kept(&self) -> Weights {
        let mut kept = Weights(self.weights.clone());
        self.mask.apply(&mut kept);
        kept
    }

    fn objective(&self) -> Objective {
        Objective::new(&self.network, &self.mask, &self.inputs, &self.target)
    }

    /// Is every value of every unit so small that products of two fit into an f32? A chain of squares soon leaves it.
    fn fits(&self) -> bool {
        let a = reference::forward(&self.network, &wide(&self.weights, &self.mask), &self.inputs);
        a.iter().all(|a| a.abs() < 1e18)
    }

    /// Is some pixel so near a kink of the colour map, of a relu or of an abs that f32 may fall on its other
    /// side? There the slope itself jumps, and nothing says which side is right.
    fn is_near_a_kink(&self) -> bool {
        let near = |x: f64| x != 0.0 && x.abs() < 2e-5;
        let a = reference::forward(&self.network, &wide(&self.weights, &self.mask), &self.inputs);
        let row = |o: usize| self.network.outputs[o].map(|u| a.column(u));
        let hue = row(0).is_some_and(|h| h.iter().any(|&h| near(6.0 * h - (6.0 * h).round())));
        let sat = row(1).is_some_and(|s| s.iter().any(|&s| near(s) || near(s - 1.0)));
        let val = row(2).is_some_and(|v| v.iter().any(|&v| near(v) || near(v.abs() - 1.0)));
        let relu = self.network.units.iter().enumerate().any(|(u, unit)| {
            matches!(unit.activation, Activation::Abs | Activation::Relu)
                && a.column(u).iter().any(|&a| near(a))
        });
        hue || sat || val || relu
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 120, max_global_rejects: 4096, failure_persistence: None, ..Default::default() })]

    /// Losses within 1e-5, gradients within 1e-4 of their norm, wherever the problem allows an f32
    /// answer: where rounding the weights at the 24th bit moves the reference's own gradient by
    /// more than 1e-5 of its norm, no f32 program can be asked for more.
    #[test]
    fn losses_and_gradients_agree_with_the_reference(
        seed in any::<u64>(),
        depth in 1usize..=40,
        is_graph in any::<bool>(),
        density in prop::sample::select(vec![0.15, 0.3, 0.6, 1.0]),
        scale in 0.4f64..1.1,
    ) {
        let p = Problem::new(seed, 19, depth, is_graph, density, scale);
        let exact = wide(&p.weights, &p.mask);
        let (loss, gradient) = p.reference(&exact);
        let size = norm(&gradient);
        let nudged: Vec<f64> = exact
            .iter()
            .enumerate()
            .map(|(i, w)| w * (1.0 + if i % 2 == 0 { 6e-8 } else { -6e-8 }))
            .collect();
        let (_, moved) = p.reference(&nudged);
        prop_assume!(p.fits() && !p.is_near_a_kink());
        prop_assume!(distance(&moved, gradient.iter().copied()) <= 1e-5 * size);

        let mut objective = p.objective();
        let mut found = vec![f32::NAN; gradient.len()];
        let fast = objective.loss_and_gradient(&p.weights, &mut found);
        prop_assert!((fast - loss).abs() <= 1e-5 * loss, "loss {} against {}", fast, loss);
        let error = distance(&gradient, found.iter().map(|&g| f64::from(g)));
        prop_assert!(error <= 1e-4 * size, "gradient off by {} of {}", error, size);
        for (i, &keep) in p.mask.0.iter().enumerate() {
            prop_assert!(keep || found[i] == 0.0);
        }
        prop_assert_eq!(objective.loss(&p.weights), fast);
    }

    /// A picture under changed weights has the bits of drawing the changed network afresh.
    #[test]
    fn perturbed_pictures_are_those_of_the_changed_weights(
        seed in any::<u64>(),
        depth in 1usize..=12,
        is_graph in any::<bool>(),
        density in prop::sample::select(vec![0.2, 0.7, 1.0]),
        count in 1usize..4,
    ) {
        let p = Problem::new(seed, 21, depth, is_graph, density, 0.9);
        prop_assume!(!p.weights.is_empty());
        let model = Model { network: p.network.clone(), mask: p.mask.clone(), weights: p.kept() };
        let weights = &model.weights;
        let perturber = Perturber::new(&model, &p.inputs);
        let base = render(&p.network, weights, &p.inputs);
        // Squares of squares may overflow.
        let is_drawn = |rgb: &[f32]| rgb.iter().all(|v| v.is_finite());
        prop_assume!(is_drawn(&base));
        prop_assert_eq!(perturber.base(), &base[..]);
        let mut scratch = perturber.scratch();
        let mut rng = SimRng::new(seed, "changes", 0);
        let mut out = vec![f32::NAN; base.len()];
        for _ in 0..6 {
            let changes: Vec<(usize, f32)> = (0..count)
                .map(|_| {
                    let value = if rng.chance(0.3) { 0.0 } else { rng.normal() as f32 };
                    (rng.below(weights.0.len()), value)
                })
                .collect();
            let mut changed = weights.clone();
            for &(link, value) in &changes {
                changed.0[link] = value;
            }
            let expected = render(&p.network, &changed, &p.inputs);
            if !is_drawn(&expected) {
                continue;
            }
            perturber.with_weights(&mut scratch, &changes, &mut out);
            prop_assert_eq!(&out, &expected);
            let squares: f64 = expected.iter().zip(&base).map(|(a, b)| f64::from(a - b).powi(2)).sum();
            let rmse = (squares / base.len() as f64).sqrt();
            let found = perturber.rmse_with_weights(&mut scratch, &changes);
            prop_assert!((found - rmse).abs() <= 1e-6 * rmse, "{} against {}", found, rmse);
        }
    }
}

#[test]
fn pictures_and_feature_maps_agree_with_the_reference() {
    for (seed, is_graph, density) in [(1, false, 1.0), (2, false, 0.3), (3, true, 1.0)] {
        let p = Problem::new(seed, 21, 5, is_graph, density, 0.7);
        let kept = p.kept();
        let exact = wide(&p.weights, &p.mask);
        let picture = reference::render(&p.network, &exact, &p.inputs);
        for (found, expected) in render(&p.network, &kept, &p.inputs).iter().zip(&picture) {
            assert!((f64::from(*found) - expected).abs() < 1e-5);
        }
        let maps = feature_maps(&p.network, &kept, &p.inputs);
        let expected = reference::forward(&p.network, &exact, &p.inputs);
        assert_eq!((maps.pixels, maps.units), expected.shape());
        for u in 0..maps.units {
            for (found, expected) in maps.unit(u).iter().zip(expected.column(u).iter()) {
                assert!((f64::from(*found) - expected).abs() < 1e-5, "unit {u}");
            }
        }
    }
}

/// Loss and gradient bits of a problem on an instruction set.
fn bits(p: &Problem, isa: Isa) -> (u64, Vec<u32>) {
    let mut objective = Objective::with_isa(&p.network, &p.mask, &p.inputs, &p.target, isa);
    let mut gradient = vec![0.0; p.weights.len()];
    let loss = objective.loss_and_gradient(&p.weights, &mut gradient);
    (loss.to_bits(), gradient.iter().map(|g| g.to_bits()).collect())
}

#[test]
fn every_instruction_set_gives_the_same_bits() {
    for seed in 0..12 {
        let density = [1.0, 0.6, 0.3][seed as usize % 3];
        let p = Problem::new(seed, 13, 6, seed % 4 == 3, density, 0.8);
        let kept = p.kept();
        let sets = Isa::available();
        let (first, rest) = sets.split_first().unwrap();
        let expected = bits(&p, *first);
        let picture = render_on(&p.network, &kept, &p.inputs, *first);
        for &isa in rest {
            assert!(
                bits(&p, isa) == expected,
                "seed {seed}: {} differs from {}",
                isa.name(),
                first.name()
            );
            let other = render_on(&p.network, &kept, &p.inputs, isa);
            let differs = picture.iter().zip(&other).position(|(a, b)| a.to_bits() != b.to_bits());
            assert_eq!(differs, None, "seed {seed}: {}", isa.name());
        }
    }
}

#[test]
fn the_number_of_threads_changes_no_bit() {
    for (seed, is_graph, density) in [(1, false, 1.0), (2, false, 0.3), (3, true, 1.0)] {
        let p = Problem::new(seed, 90, 8, is_graph, density, 0.8);
        let results: Vec<_> = [1, 2, 8]
            .into_iter()
            .map(|threads| on_threads(threads, || bits(&p, Isa::best())))
            .collect();
        assert!(results.iter().all(|r| *r == results[0]), "seed {seed}");
    }
}

#[test]
fn selected_pixels_are_a_problem_of_their_own() {
    let p = Problem::new(5, 40, 4, false, 1.0, 0.8);
    let mut rng = SimRng::new(5, "pixels", 0);
    let chosen: Vec<u32> = (0..700).map(|_| rng.below(1600) as u32).collect();
    let mut objective = p.objective();
    let mut gradient = vec![0.0; p.weights.len()];
    let whole = objective.loss_and_gradient(&p.weights, &mut gradient);
    let all = gradient.clone();
    objective.select(Some(&chosen));
    let found = objective.loss_and_gradient(&p.weights, &mut gradient);

    let target: Vec<f32> = chosen
        .iter()
        .flat_map(|&i| (0..3).map(move |c| 3 * i as usize + c))
        .map(|i| p.target[i])
        .collect();
    let inputs = p.inputs.gather(&chosen);
    let mut own = Objective::new(&p.network, &p.mask, &inputs, &target);
    let mut expected = vec![0.0; p.weights.len()];
    assert_eq!(own.loss_and_gradient(&p.weights, &mut expected), found);
    assert_eq!(gradient, expected);

    objective.select(None);
    assert_eq!(objective.loss_and_gradient(&p.weights, &mut gradient), whole);
    assert_eq!(gradient, all);
}

#[test]
fn a_weight_that_is_no_number_makes_the_loss_no_number() {
    let mut p = Problem::new(9, 12, 3, false, 1.0, 0.8);
    p.weights[5] = f32::NAN;
    assert!(p.objective().loss(&p.weights).is_nan());
}
