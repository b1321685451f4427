//! The measures of the paper's studies on other people's networks.

use picloom::base::SimRng;
use picloom::genome::{self, Genome};
use picloom::network::kernel::picture;
use picloom::network::weight_files::read_weights;
use picloom::network::{Coords, Mask, PixelInputs, layerize};
use picloom::probe::{Delta, View};
use picloom::score::measures::attributes::Attributes;
use picloom_experiments::measures::label_agreement::{
    differences, label_agreement, labelled_links,
};
use picloom_experiments::measures::structural::{
    MaskConfig, PartedPicture, structural_compositionality,
};
use std::path::Path;

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

pub(crate) fn learned_masks_draw_a_tone_of_the_skull_better_than_random_ones(archive: &Path) {
    let size = 48;
    let genome = genome::read(&archive.join("fer/skull.zip")).unwrap();
    let layered = layerize(&genome);
    let (network, evolved) = (layered.network, layered.weights);
    let sgd = read_weights(&archive.join("fer/skull_sgd.npz"), &network).unwrap();
    let inputs = PixelInputs::full(size, Coords::Fer);
    let drawn = picture(&network, &evolved, size, Coords::Fer);
    let parts = Attributes::of(&drawn).parts(&drawn);
    let count = parts.iter().max().unwrap() + 1;
    let regions = (1..count)
        .map(|k| (format!("part {k}"), parts.iter().map(|&p| p == k).collect()))
        .collect();
    let picture = PartedPicture { background: drawn.at(0, 0), rgb: drawn.rgb, parts: regions };
    for (name, weights) in [("evolved", &evolved), ("SGD", &sgd)] {
        let mut rng = SimRng::new(1, "structural", 0);
        let found = structural_compositionality(
            &network,
            weights,
            &Mask::non_zero(weights),
            &inputs,
            &picture,
            &MaskConfig::default(),
            &mut rng,
        )
        .unwrap();
        // The tones of the evolved skull share everything; SGD's spare weights can be told apart.
        assert!(name == "evolved" || found.sc > found.control + 0.1, "{name}: {}", found.sc);
    }
}
