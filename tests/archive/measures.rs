//! The further measures on other people's networks.

use picloom::genome;
use picloom::network::kernel::feature_maps;
use picloom::network::weight_files::read_weights;
use picloom::network::{Coords, Mask, Network, PixelInputs, Weights, compile, layerize};
use picloom::score::measures::orthogonality::orthogonality;
use picloom::score::measures::roughness::mean_roughness;
use picloom::score::measures::sparsity::compositional_sparsity;
use std::path::Path;

const TARGETS: [&str; 2] = ["skull", "butterfly"];

fn pair(archive: &Path, name: &str) -> (Network, Weights, Weights) {
    let genome = genome::read(&archive.join(format!("fer/{name}.zip"))).unwrap();
    let layered = layerize(&genome);
    let sgd = archive.join(format!("fer/{name}_sgd.npz"));
    let sgd = read_weights(&sgd, &layered.network).unwrap();
    (layered.network, layered.weights, sgd)
}

pub(crate) fn evolved_maps_are_smoother_than_those_of_sgd(archive: &Path) {
    for name in TARGETS {
        let (network, evolved, sgd) = pair(archive, name);
        for size in [64, 256] {
            let mean = |weights: &Weights| {
                let maps = feature_maps(&network, weights, &PixelInputs::full(size, Coords::Fer));
                let hidden: Vec<&[f32]> =
                    (4..network.units.len() - 3).map(|u| maps.unit(u)).collect();
                mean_roughness(&hidden, size, size).unwrap()
            };
            let (smooth, rough) = (mean(&evolved), mean(&sgd));
            assert!(smooth < 0.6 * rough, "{name}: {smooth} {rough}");
            if size == 64 {
                // METHODS §7 measured .02–.04 and .07–.12.
                assert!((0.02..=0.04).contains(&smooth) && (0.07..=0.12).contains(&rough));
            }
        }
    }
}

pub(crate) fn raw_orthogonality_ranks_sgd_above_the_evolved_networks(archive: &Path) {
    for name in TARGETS {
        let (network, evolved, sgd) = pair(archive, name);
        let inputs = PixelInputs::full(64, Coords::Fer);
        let interference = |weights: &Weights| {
            let maps = feature_maps(&network, weights, &inputs);
            let arch = network.arch.as_ref().unwrap();
            let layers: Vec<f64> = (0..arch.layers)
                .map(|l| {
                    let first = 4 + l * arch.width();
                    let layer: Vec<&[f32]> =
                        (first..first + arch.width()).map(|u| maps.unit(u)).collect();
                    orthogonality(&layer).interference
                })
                .collect();
            layers.iter().sum::<f64>() / layers.len() as f64
        };
        let (evolved, sgd) = (interference(&evolved), interference(&sgd));
        assert!(evolved > sgd, "{name}: the warning of METHODS §7");
    }
}

pub(crate) fn a_genome_and_its_layerized_twin_are_equally_sparse(archive: &Path) {
    for name in TARGETS {
        let genome = genome::read(&archive.join(format!("fer/{name}.zip"))).unwrap();
        let (graph, weights) = compile(&genome.with_colour_outputs());
        let layered = layerize(&genome);
        let a = compositional_sparsity(&graph, &Mask::non_zero(&weights));
        let b = compositional_sparsity(&layered.network, &Mask::non_zero(&layered.weights));
        assert_eq!(a.computing_depth, b.computing_depth);
        assert_eq!(a.max_in_degree, b.max_in_degree);
        assert_eq!(a.mean_in_degree, b.mean_in_degree);
    }
}
