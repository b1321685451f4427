//! The further measures on other people's networks.

use picloom::base::SimRng;
use picloom::genome::{self, Genome};
use picloom::network::kernel::feature_maps;
use picloom::network::weight_files::read_weights;
use picloom::network::{Coords, Mask, Network, PixelInputs, Weights, compile, layerize};
use picloom::probe::{Delta, View};
use picloom::score::measures::label_agreement::{differences, label_agreement, labelled_links};
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

fn labelled(archive: &Path) -> Vec<(String, Genome)> {
    let mut found: Vec<(String, Genome)> = std::fs::read_dir(archive.join("picbreeder"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|e| e == "xml"))
        .map(|path| {
            let name = path.file_stem().unwrap().to_string_lossy().into_owned();
            (name, genome::read(&path).unwrap())
        })
        .collect();
    found.sort_by(|a, b| a.0.cmp(&b.0));
    found
}

pub(crate) fn links_with_one_human_label_change_the_picture_more_alike(archive: &Path) {
    let size = 64;
    let mut measured = 0;
    for (name, genome) in labelled(archive) {
        let (model, labels) = labelled_links(&genome);
        let links: Vec<usize> = (0..labels.len()).filter(|&i| labels[i].is_some()).collect();
        if links.is_empty() {
            continue;
        }
        let view = View::new(&model, size, Coords::Picbreeder);
        let swept = view.sweep(&links, Delta::Effect(0.18), &|_| {});
        let (links, moved): (Vec<usize>, Vec<Vec<f32>>) =
            differences(&view, &swept).into_iter().unzip();
        let names: Vec<&str> = links.iter().map(|&i| labels[i].as_deref().unwrap()).collect();
        let mut rng = SimRng::new(1, "label agreement", 0);
        let found = label_agreement(&moved, &names, 2000, &mut rng).unwrap();
        assert!(found.auc.estimate > 0.5, "{name}: {found:?}");
        measured += 1;
    }
    assert_eq!(measured, 8);
}
