//! A conditional network under one condition: an ordinary network of one picture.
//!
//! At fixed z an input z_k is a constant, as the bias is: a link from it with weight w adds w·z_k, so it is added to the
//! target's link from the bias. The picture is the same up to rounding, and everything that knows networks of one picture
//! (scores, sweeps, exports, the studio) knows this one.

use super::{Link, Mask, Model, Network, Unit, Weights};
use crate::genome::Input;

impl Model {
    /// The network of the picture that this one draws where its factors have these values; itself without factors.
    ///
    /// A removed link from a factor adds nothing. A target's link from the bias is kept where it or one from a factor was.
    ///
    /// # Panics
    /// Another number of values than factors.
    pub fn at(&self, z: &[f64]) -> Model {
        let network = &self.network;
        let own = network.inputs.len() - network.factors();
        assert_eq!(z.len(), network.factors(), "one value a factor");
        if z.is_empty() {
            return self.clone();
        }
        let bias = network.inputs.iter().position(|input| *input == Input::Bias);
        let bias = bias.expect("a conditional network has a bias");
        let is_factor = |u: usize| (own..own + z.len()).contains(&u);
        let place = |u: usize| if u < own { u } else { u - z.len() };
        let (mut links, mut weights, mut mask) = (Vec::new(), Vec::new(), Vec::new());
        let mut units: Vec<Unit> = Vec::new();
        for (u, unit) in network.units.iter().enumerate().filter(|(u, _)| !is_factor(*u)) {
            let first = links.len();
            let (mut sum, mut keeps, mut folds) = (0.0f64, false, false);
            for i in unit.links.clone() {
                let source = network.links[i].source;
                let weight = f64::from(self.weights.0[i]);
                if is_factor(source) {
                    let activation = network.units[source].activation;
                    sum += weight * activation.value(z[source - own]);
                    (keeps, folds) = (keeps || self.mask.0[i], true);
                }
            }
            let mut push = |source: usize, weight: f64, kept: bool| {
                links.push(Link { source, target: place(u) });
                weights.push(weight as f32);
                mask.push(kept);
            };
            for i in unit.links.clone() {
                let source = network.links[i].source;
                let weight = f64::from(self.weights.0[i]);
                if is_factor(source) {
                    continue;
                }
                if folds && source > bias {
                    push(bias, sum, keeps);
                    folds = false;
                }
                match source == bias {
                    true => {
                        let constant = network.units[bias].activation.value(1.0);
                        push(bias, weight + sum / constant, self.mask.0[i] || keeps);
                        folds = false;
                    }
                    false => push(place(source), weight, self.mask.0[i]),
                }
            }
            if folds {
                push(bias, sum, keeps);
            }
            units.push(Unit { links: first..links.len(), ..unit.clone() });
        }
        let weights = Weights(weights);
        match &network.arch {
            // A layer's block has every link, the bias's too, so only the first block has lost columns.
            Some(arch) => {
                let network = super::Arch { factors: 0, ..arch.clone() }.network();
                debug_assert_eq!(network.links, links);
                Model { network, mask: Mask(mask), weights }
            }
            None => {
                let outputs = network.outputs.map(|unit| unit.map(place));
                let inputs = network.inputs[..own].to_vec();
                let network =
                    Network { inputs, units, links, outputs, blocks: Vec::new(), arch: None };
                Model { network, mask: Mask(mask), weights }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::base::SimRng;
    use crate::network::kernel::{Objective, render};
    use crate::network::{Arch, Coords, Mask, Model, PixelInputs, Weights, reference};
    use nalgebra::DMatrix;

    fn drawn(arch: &str) -> Model {
        let network = arch.parse::<Arch>().unwrap().network();
        let mut rng = SimRng::new(5, "test", 0);
        let weights = (0..network.weight_count()).map(|_| 0.5 * rng.normal() as f32).collect();
        Model { mask: Mask::all(network.weight_count()), network, weights: Weights(weights) }
    }

    #[test]
    fn a_network_under_a_condition_draws_what_the_conditional_one_draws_there() {
        let arches =
            ["3;cos:2,gaussian:2,identity:1,tanh:2;z:2", "2;sin:3,tanh:2;in:bias,abs(x),y;z:2"];
        for arch in arches {
            let model = drawn(arch);
            let conditions = [vec![0.3, -0.8], vec![0.0, 0.0], vec![-1.0, 1.0]];
            let inputs = PixelInputs::full(12, Coords::Fer);
            let all = render(&model.network, &model.weights, &inputs.under(&conditions));
            for (z, part) in conditions.iter().zip(all.chunks(3 * 144)) {
                let one = model.at(z);
                assert_eq!(one.network.factors(), 0);
                let alone = render(&one.network, &one.weights, &inputs);
                let worst = alone.iter().zip(part).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
                assert!(worst < 1e-5, "{worst}");
            }
            // Without values the factors are 0.
            assert_eq!(render(&model.network, &model.weights, &inputs), all[3 * 144..6 * 144]);
        }
    }

    #[test]
    fn gradients_under_conditions_are_those_of_the_reference_and_of_central_differences() {
        let model = drawn("2;gaussian:2,identity:1,sin:2;z:3");
        let conditions = [vec![0.3, -0.8, 0.1], vec![1.0, 0.5, -1.0], vec![-0.2, 1.0, 0.6]];
        let inputs = PixelInputs::full(9, Coords::Fer).under(&conditions);
        let mut rng = SimRng::new(6, "test", 0);
        let target: Vec<f32> = (0..3 * inputs.pixels()).map(|_| rng.uniform() as f32).collect();
        let (network, weights) = (&model.network, &model.weights);
        let mut gradient = vec![0.0f32; weights.0.len()];
        let mut objective = Objective::new(network, &model.mask, &inputs, &target);
        let loss = objective.loss_and_gradient(&weights.0, &mut gradient);
        let exact: Vec<f64> = weights.0.iter().map(|&w| f64::from(w)).collect();
        let as_matrix =
            DMatrix::from_iterator(3, inputs.pixels(), target.iter().map(|&v| f64::from(v)));
        let (of_reference, dw) = reference::loss_and_gradient(network, &exact, &inputs, &as_matrix);
        assert!((loss - of_reference).abs() < 1e-5 * of_reference);
        let scale = dw.iter().fold(0.0f64, |m, g| m.max(g.abs()));
        for i in 0..exact.len() {
            assert!((f64::from(gradient[i]) - dw[i]).abs() < 1e-4 * scale, "weight {i}");
            let at = |h: f64| {
                let mut moved = exact.clone();
                moved[i] += h;
                reference::loss_and_gradient(network, &moved, &inputs, &as_matrix).0
            };
            let numeric = (at(1e-6) - at(-1e-6)) / 2e-6;
            assert!((numeric - dw[i]).abs() < 1e-7, "weight {i}: {numeric} against {}", dw[i]);
        }
    }
}
