//! The measures of the paper's studies on other people's networks.

use picloom::base::SimRng;
use picloom::genome;
use picloom::network::kernel::picture;
use picloom::network::weight_files::read_weights;
use picloom::network::{Coords, Mask, PixelInputs, layerize};
use picloom::score::measures::attributes::Attributes;
use picloom_experiments::measures::structural::{
    MaskConfig, PartedPicture, structural_compositionality,
};
use std::path::Path;

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
