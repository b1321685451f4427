//! The plain f64 forward and backward pass on nalgebra matrices: slow, readable, the oracle of
//! the tile kernel.
//!
//! Every buffer is (P, U): one column a unit, so a unit's picture is contiguous.

use super::{Network, PixelInputs};
use crate::math::color::hsv_to_rgb_with_gradient;
use nalgebra::{DMatrix, DVector};

/// Post-activation values, (P, U), of every unit at every pixel. `weights` are (W,).
pub fn forward(network: &Network, weights: &[f64], inputs: &PixelInputs) -> DMatrix<f64> {
    passes(network, weights, inputs).0
}

/// The picture, (3, P): rgb in [0, 1] of every pixel.
pub fn render(network: &Network, weights: &[f64], inputs: &PixelInputs) -> DMatrix<f64> {
    let a = forward(network, weights, inputs);
    let mut rgb = DMatrix::zeros(3, inputs.pixels());
    for p in 0..inputs.pixels() {
        let (colour, _) = colour(network, &a, p);
        rgb.set_column(p, &colour.into());
    }
    rgb
}

/// Mean over pixels and channels of (rgb − target)², and its gradient (W,) with respect to the
/// weights, not normalised. `target` is (3, P).
pub fn loss_and_gradient(
    network: &Network,
    weights: &[f64],
    inputs: &PixelInputs,
    target: &DMatrix<f64>,
) -> (f64, Vec<f64>) {
    let pixels = inputs.pixels();
    let (a, z) = passes(network, weights, inputs);
    let mut errors = DMatrix::<f64>::zeros(3, pixels);
    let mut da = DMatrix::<f64>::zeros(pixels, network.units.len());
    let slope = 2.0 / (3 * pixels) as f64;
    for p in 0..pixels {
        let (rgb, jacobian) = colour(network, &a, p);
        for c in 0..3 {
            let error = rgb[c] - target[(c, p)];
            errors[(c, p)] = error;
            for (o, unit) in network.outputs.iter().enumerate() {
                if let Some(u) = *unit {
                    da[(p, u)] += slope * error * jacobian[c][o];
                }
            }
        }
    }
    let mut dw = vec![0.0; network.weight_count()];
    for (u, unit) in network.units.iter().enumerate().rev() {
        if unit.links.is_empty() {
            continue;
        }
        let dz = da.column(u).zip_map(&z.column(u), |da, z| da * unit.activation.derivative(z));
        for i in unit.links.clone() {
            let source = network.links[i].source;
            dw[i] = dz.dot(&a.column(source));
            da.column_mut(source).axpy(weights[i], &dz, 1.0);
        }
    }
    (errors.norm_squared() / (3 * pixels) as f64, dw)
}

/// (a, z): values after and before the activation, each (P, U).
fn passes(
    network: &Network,
    weights: &[f64],
    inputs: &PixelInputs,
) -> (DMatrix<f64>, DMatrix<f64>) {
    assert_eq!(weights.len(), network.weight_count(), "one weight a link");
    let pixels = inputs.pixels();
    let mut a = DMatrix::zeros(pixels, network.units.len());
    let mut z = DMatrix::zeros(pixels, network.units.len());
    for (u, unit) in network.units.iter().enumerate() {
        let plane = network.inputs.get(u).and_then(|&input| inputs.exact_plane(input));
        let mut sum = match plane {
            Some(plane) => DVector::from_column_slice(&plane),
            None => DVector::zeros(pixels),
        };
        for i in unit.links.clone() {
            sum.axpy(weights[i], &a.column(network.links[i].source), 1.0);
        }
        a.set_column(u, &sum.map(|z| unit.activation.value(z)));
        z.set_column(u, &sum);
    }
    (a, z)
}

fn colour(network: &Network, a: &DMatrix<f64>, pixel: usize) -> ([f64; 3], [[f64; 3]; 3]) {
    let [h, s, v] = network.outputs.map(|unit| unit.map_or(0.0, |u| a[(pixel, u)]));
    hsv_to_rgb_with_gradient(h, s, v)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::SimRng;
    use crate::evolve::{EvolveConfig, Preset, first_genome};
    use crate::network::{Arch, Coords, compile};

    #[test]
    fn gradient_matches_central_differences() {
        let arches = [
            "3;cache:2,cos:1,gaussian:2,identity:1,sigmoid:1,sin:1,tanh:1",
            "2;abs:2,sin:2,square:1;in:abs(x),sin(3y),x*d",
        ];
        let mut config = EvolveConfig::preset(Preset::Picbreeder);
        config.start.inputs = ["y", "square(x)", "cos(-2d)"].map(|v| v.parse().unwrap()).to_vec();
        let graph = compile(&first_genome(&config, &mut SimRng::new(11, "test", 1))).0;
        assert_eq!(graph.inputs.len(), 6);
        for network in
            arches.map(|arch| arch.parse::<Arch>().unwrap().network()).iter().chain([&graph])
        {
            let mut rng = SimRng::new(11, "test", 0);
            let weights: Vec<f64> =
                (0..network.weight_count()).map(|_| 0.4 * rng.normal()).collect();
            let inputs = PixelInputs::full(9, Coords::Fer);
            let target = DMatrix::from_fn(3, 81, |_, _| rng.uniform());
            let (_, gradient) = loss_and_gradient(network, &weights, &inputs, &target);
            let h = 1e-6;
            for i in (0..weights.len()).step_by(if weights.len() > 100 { 7 } else { 1 }) {
                let at = |w: f64| {
                    let mut moved = weights.clone();
                    moved[i] = w;
                    loss_and_gradient(network, &moved, &inputs, &target).0
                };
                let numeric = (at(weights[i] + h) - at(weights[i] - h)) / (2.0 * h);
                assert!(
                    (numeric - gradient[i]).abs() < 1e-7,
                    "weight {i}: {numeric} against {}",
                    gradient[i]
                );
            }
        }
    }
}
