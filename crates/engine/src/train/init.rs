//! Random weights to start from.
//!
//! fan_in of a link is the live in-degree of the unit it enters, fan_out the live out-degree of the
//! unit it leaves (live: kept by the mask); in a dense block these are its in and out [ours for masks
//! and graphs].

use crate::base::SimRng;
use crate::base::names::names;
use crate::base::refusal::Refusal;
use crate::base::settings::{Settings, settings};
use crate::network::{DenseBlock, Mask, Network, Weights};
use nalgebra::DMatrix;
use serde::{Deserialize, Serialize};

/// Standard deviation of a standard normal truncated to ±2.
const TRUNCATED_DEVIATION: f64 = 0.879_625_66;

settings! {
    /// How to draw initial weights.
    #[derive(Clone, Copy, Debug, PartialEq)]
    #[serde(default, deny_unknown_fields)]
    pub struct Init: keys "Initial weights" {
        /// Distribution of the initial weights.
        scheme as "init": Scheme = Scheme::LecunTruncated, value: "SCHEME", source: "FER";
        /// Factor on the initial weights.
        scale as "init_scale": f64 = 1.0, range: Range::POSITIVE, value: "FACTOR";
    }
}

macro_rules! schemes {
    ($( $(#[$doc:meta])* $variant:ident $name:literal; )*) => {
        /// A distribution of initial weights.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
        pub enum Scheme { $( $(#[$doc])* #[serde(rename = $name)] $variant, )* }

        names! { Scheme, "scheme of initial weights": $($variant $name),* }
    };
}

schemes! {
    /// Normal cut at ±2σ', its variance after the cut 1/fan_in [flax's lecun_normal; FER].
    LecunTruncated "lecun-truncated";
    /// N(0, 1/fan_in) [LeCun et al. 1998].
    LecunNormal "lecun-normal";
    /// N(0, 2/fan_in) [He et al. 2015].
    He "he";
    /// N(0, 2/(fan_in + fan_out)) [Glorot & Bengio 2010].
    Xavier "xavier";
    /// U(-1/√fan_in, 1/√fan_in) [torch's linear layer].
    Uniform "uniform";
    /// Each dense block a random matrix with orthonormal rows or columns, then masked; layered
    /// networks only [Saxe et al. 2014].
    Orthogonal "orthogonal";
}

/// Draws weights, (W,), in link order; those outside the mask are 0.
///
/// Removed links use up their draws too: with one seed, a link has the same underlying deviate
/// under every mask (for `xavier`, `he`, `lecun-*` and `uniform` only its factor changes).
///
/// # Errors
/// If the mask is not W long, or `orthogonal` is asked of
/// a graph.
///
/// ```
/// use picloom_engine::{base::SimRng, network::{Arch, Mask}, train::{Init, init}};
/// let network = "2;cache:3,sin:1".parse::<Arch>()?.network();
/// let mask = Mask::all(network.weight_count());
/// let weights = init(&network, &mask, &Init::default(), &mut SimRng::new(0, "init", 0))?;
/// assert!(weights.0.iter().all(|w| w.abs() <= 2.0 / 0.87962566 / 2.0)); // ±2σ', fan_in 4
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn init(
    network: &Network,
    mask: &Mask,
    config: &Init,
    rng: &mut SimRng,
) -> Result<Weights, Refusal> {
    let count = network.weight_count();
    if mask.0.len() != count {
        let expected = format!("a mask of {count} links");
        return Err(Refusal::new("init", expected, mask.0.len().to_string()));
    }
    config.check_ranges().map_err(|refusal| refusal.prefixed("init "))?;
    let mut weights = Weights(vec![0.0; count]);
    if config.scheme == Scheme::Orthogonal {
        if network.blocks.is_empty() {
            return Err(Refusal::new("init orthogonal", "a layered network", "a graph wiring")
                .advising("use another scheme"));
        }
        for block in &network.blocks {
            let matrix = orthogonal(block, rng);
            for (k, w) in weights.0[block.weights()].iter_mut().enumerate() {
                let place = (k / block.sources.len(), k % block.sources.len());
                *w = (config.scale * matrix[place]) as f32;
            }
        }
    } else {
        let (fan_in, fan_out) = live_degrees(network, mask);
        for (w, link) in weights.0.iter_mut().zip(&network.links) {
            let n_in = fan_in[link.target].max(1) as f64;
            let n_out = fan_out[link.source].max(1) as f64;
            let draw = match config.scheme {
                Scheme::LecunTruncated => {
                    rng.truncated_normal() / TRUNCATED_DEVIATION * (1.0 / n_in).sqrt()
                }
                Scheme::LecunNormal => rng.normal() * (1.0 / n_in).sqrt(),
                Scheme::He => rng.normal() * (2.0 / n_in).sqrt(),
                Scheme::Xavier => rng.normal() * (2.0 / (n_in + n_out)).sqrt(),
                Scheme::Uniform => rng.uniform_in(-1.0, 1.0) * (1.0 / n_in).sqrt(),
                Scheme::Orthogonal => unreachable!("drawn by blocks above"),
            };
            *w = (config.scale * draw) as f32;
        }
    }
    mask.apply(&mut weights);
    Ok(weights)
}

/// (in, out): kept links entering and leaving every unit, (U,) each.
fn live_degrees(network: &Network, mask: &Mask) -> (Vec<usize>, Vec<usize>) {
    let mut degrees = (vec![0; network.units.len()], vec![0; network.units.len()]);
    for (link, &keep) in network.links.iter().zip(&mask.0) {
        if keep {
            degrees.0[link.target] += 1;
            degrees.1[link.source] += 1;
        }
    }
    degrees
}

/// (out, in), uniformly distributed among those with orthonormal rows (out ≤ in) or columns: Q of a
/// normal matrix's QR, signs fixed so that R's diagonal is positive [Mezzadri 2007].
fn orthogonal(block: &DenseBlock, rng: &mut SimRng) -> DMatrix<f64> {
    let (rows, cols) = (block.targets.len(), block.sources.len());
    let normals: Vec<f64> = (0..rows * cols).map(|_| rng.normal()).collect();
    let normals = DMatrix::from_row_slice(rows, cols, &normals);
    let tall = if rows >= cols { normals } else { normals.transpose() };
    let (mut q, r) = tall.qr().unpack();
    for k in 0..r.ncols() {
        if r[(k, k)] < 0.0 {
            q.column_mut(k).neg_mut();
        }
    }
    if rows >= cols { q } else { q.transpose() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::network::Arch;

    fn network(arch: &str) -> Network {
        arch.parse::<Arch>().unwrap().network()
    }

    fn draw(network: &Network, mask: &Mask, scheme: Scheme, scale: f64) -> Weights {
        let config = Init { scheme, scale };
        init(network, mask, &config, &mut SimRng::new(3, "init", 0)).unwrap()
    }

    /// Mean and variance.
    fn moments(values: &[f32]) -> (f64, f64) {
        let n = values.len() as f64;
        let mean = values.iter().map(|&v| f64::from(v)).sum::<f64>() / n;
        let square = values.iter().map(|&v| f64::from(v).powi(2)).sum::<f64>() / n;
        (mean, square - mean * mean)
    }

    #[test]
    fn each_scheme_has_its_mean_variance_and_bounds() {
        let network = network("3;cache:100,sin:20");
        let mask = Mask::all(network.weight_count());
        let hidden = network.blocks[1].weights();
        let head = network.blocks[3].weights();
        let bound = |fan: f64| (2.0 / TRUNCATED_DEVIATION) / fan.sqrt();
        for (scheme, variance, limit, head_variance) in [
            (Scheme::LecunTruncated, 1.0 / 120.0, bound(120.0), 1.0 / 120.0),
            (Scheme::LecunNormal, 1.0 / 120.0, f64::MAX, 1.0 / 120.0),
            (Scheme::He, 2.0 / 120.0, f64::MAX, 2.0 / 120.0),
            (Scheme::Xavier, 2.0 / 240.0, f64::MAX, 2.0 / 123.0),
            (Scheme::Uniform, 1.0 / 360.0, (1.0f64 / 120.0).sqrt(), 1.0 / 360.0),
            (Scheme::Orthogonal, 1.0 / 120.0, 1.0, 1.0 / 120.0),
        ] {
            let weights = draw(&network, &mask, scheme, 1.0);
            let (mean, found) = moments(&weights.0[hidden.clone()]);
            // 14 400 draws: the standard error of the variance is about 1.2 % of it.
            assert!(mean.abs() < 4.0 * (variance / 14400.0f64).sqrt(), "{scheme}: mean {mean}");
            assert!((found / variance - 1.0).abs() < 0.05, "{scheme}: {found}");
            let worst = weights.0[hidden.clone()].iter().fold(0.0f32, |a, w| a.max(w.abs()));
            assert!(f64::from(worst) <= limit * (1.0 + 1e-6), "{scheme}: {worst} beyond {limit}");
            let (_, found) = moments(&weights.0[head.clone()]);
            assert!((found / head_variance - 1.0).abs() < 0.35, "{scheme}: head {found}");
        }
    }

    #[test]
    fn fan_in_is_counted_under_the_mask_and_removed_links_are_zero() {
        let network = network("2;cache:10");
        let mut mask = Mask::all(network.weight_count());
        // Unit 0 of layer 2 keeps two of its ten inputs.
        let first = network.blocks[1].offset;
        (first + 2..first + 10).for_each(|i| mask.0[i] = false);
        let full = draw(&network, &Mask::all(mask.0.len()), Scheme::LecunTruncated, 1.0);
        let weights = draw(&network, &mask, Scheme::LecunTruncated, 1.0);
        for i in 0..mask.0.len() {
            let factor = match i.wrapping_sub(first) {
                0 | 1 => (10.0f32 / 2.0).sqrt(),
                2..10 => 0.0,
                _ => 1.0,
            };
            assert!((weights.0[i] - factor * full.0[i]).abs() < 1e-6, "link {i}");
        }
    }

    #[test]
    fn orthogonal_blocks_are_orthonormal_on_their_shorter_side() {
        let network = network("3;cache:7,sin:2");
        let mask = Mask::all(network.weight_count());
        let weights = draw(&network, &mask, Scheme::Orthogonal, 2.0);
        for block in &network.blocks {
            let values = weights.0[block.weights()].iter().map(|&w| f64::from(w));
            let m = DMatrix::from_row_iterator(block.targets.len(), block.sources.len(), values);
            let gram = if m.nrows() < m.ncols() { &m * m.transpose() } else { m.transpose() * &m };
            let error = (gram
                - DMatrix::identity(m.nrows().min(m.ncols()), m.nrows().min(m.ncols())) * 4.0)
                .amax();
            assert!(error < 1e-5, "{error}");
        }
    }

    #[test]
    fn one_seed_gives_one_set_of_weights_and_names_parse_back() {
        let network = network("2;cache:3");
        let mask = Mask::all(network.weight_count());
        for &scheme in Scheme::ALL {
            assert_eq!(draw(&network, &mask, scheme, 1.0), draw(&network, &mask, scheme, 1.0));
            assert_eq!(scheme.name().parse(), Ok(scheme));
        }
    }

    #[test]
    fn wrong_requests_are_refused() {
        let layered = network("2;cache:3");
        let mut graph = layered.clone();
        graph.blocks.clear();
        graph.arch = None;
        let mask = Mask::all(layered.weight_count());
        let mut rng = SimRng::new(0, "init", 0);
        let orthogonal = Init { scheme: Scheme::Orthogonal, scale: 1.0 };
        assert!(init(&graph, &mask, &orthogonal, &mut rng).is_err());
        let zero = Init { scale: 0.0, ..Init::default() };
        assert!(init(&layered, &mask, &zero, &mut rng).is_err());
        assert!(init(&layered, &Mask::all(1), &Init::default(), &mut rng).is_err());
        assert!("lecun".parse::<Scheme>().is_err());
    }
}
