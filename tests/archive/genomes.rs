//! Genomes of other people: every published count, and their pictures.

use picloom::genome::{self, Genome, GenomeInfo};
use picloom::network::{self, Coords, Picture, PixelInputs, layerize, reference};
use std::path::Path;

fn float_render(genome: &Genome, size: usize, coords: Coords) -> Vec<f64> {
    let (network, weights) = network::compile(genome);
    let weights: Vec<f64> = weights.0.iter().map(|&w| f64::from(w)).collect();
    reference::render(&network, &weights, &PixelInputs::full(size, coords)).as_slice().to_vec()
}

pub(crate) fn skull_and_butterfly_have_the_published_counts(archive: &Path) {
    for (name, nodes, links, depth, arch, dense, nonzero) in [
        ("skull", 23, 57, 11, "12;cache:15,gaussian:4,identity:2,sin:1", 5478, 147),
        ("butterfly", 34, 108, 16, "16;cache:17,gaussian:4,sigmoid:1,sin:1", 8096, 281),
    ] {
        let genome = genome::read(&archive.join(format!("fer/{name}.zip"))).unwrap();
        let info = GenomeInfo::of(&genome);
        assert_eq!((info.nodes, info.links, info.depth), (nodes, links, depth), "{name}");
        let layered = layerize(&genome);
        assert_eq!(layered.arch().to_string(), arch, "{name}");
        assert_eq!((layered.network.weight_count(), layered.nonzero()), (dense, nonzero), "{name}");
    }
}

pub(crate) fn every_picbreeder_file_imports_and_its_layered_network_draws_the_same(archive: &Path) {
    let mut files: Vec<_> = std::fs::read_dir(archive.join("picbreeder"))
        .unwrap()
        .map(|e| e.unwrap().path())
        .filter(|p| p.extension().is_some_and(|e| e == "xml"))
        .chain(["fer/skull.zip", "fer/butterfly.zip"].map(|f| archive.join(f)))
        .collect();
    files.sort();
    assert_eq!(files.len(), 11);
    for file in files {
        let genome = genome::read(&file).unwrap();
        genome.check().unwrap();
        let layered = layerize(&genome);
        let weights: Vec<f64> = layered.weights.0.iter().map(|&w| f64::from(w)).collect();
        let inputs = PixelInputs::full(24, Coords::Fer);
        let a = float_render(&genome, 24, Coords::Fer);
        let b = reference::render(&layered.network, &weights, &inputs);
        let worst = a.iter().zip(b.as_slice()).map(|(x, y)| (x - y).abs()).fold(0.0, f64::max);
        assert!(worst < 1e-5, "{}: layered and graph differ by {worst}", file.display());
        // Round trips: exact in our format, gene for gene in Picbreeder's.
        let json = genome::to_json(&genome);
        let again = genome::from_json(&json).unwrap();
        assert!(again == genome, "{}: JSON round trip", file.display());
        assert_eq!(genome::to_json(&again), json);
        let zipped =
            genome::from_picbreeder_zip(&genome::to_picbreeder_zip(&genome).unwrap()).unwrap();
        assert!(
            zipped
                .connections()
                .zip(genome.connections())
                .all(|(x, y)| x.weight == y.weight && x.marking == y.marking)
        );
        assert_eq!(zipped.nodes().len(), genome.nodes().len());
    }
}

pub(crate) fn renders_match_the_published_pictures_in_fer_coordinates_only(archive: &Path) {
    for (name, mean_limit, p999_limit, max_limit) in
        [("skull", 0.7, 8.0, 14.0), ("butterfly", 0.8, 16.0, 256.0)]
    {
        let genome = genome::read(&archive.join(format!("fer/{name}.zip"))).unwrap();
        let theirs = Picture::read(&archive.join(format!("fer/{name}_picbreeder.png"))).unwrap();
        let difference = |coords| {
            let ours = float_render(&genome, 256, coords);
            let mut d: Vec<f64> = ours
                .iter()
                .zip(&theirs.rgb)
                .map(|(a, b)| 255.0 * (a - f64::from(*b)).abs())
                .collect();
            d.sort_by(f64::total_cmp);
            (
                d.iter().sum::<f64>() / d.len() as f64,
                d[(0.999 * d.len() as f64) as usize],
                d[d.len() - 1],
            )
        };
        let (mean, p999, max) = difference(Coords::Fer);
        assert!(
            mean <= mean_limit && p999 <= p999_limit && max <= max_limit,
            "{name}: {mean} {p999} {max}"
        );
        assert!(
            difference(Coords::Picbreeder).0 > 2.0 * mean,
            "{name}: the other convention is far off"
        );
    }
}
