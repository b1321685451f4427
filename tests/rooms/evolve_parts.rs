//! Breeding apart (METHODS §2): colour alone, everything but colour.

use picloom::evolve::{Breeding, EvolveConfig, Open, Parts, Preset, Selection, Session};
use picloom::genome::{Genome, to_json};
use picloom::network::{Coords, Model, Wiring};

/// The brightness of every pixel, in bits.
fn brightness(genome: &Genome) -> Vec<u32> {
    let model = Model::of_genome(genome, Wiring::Graph);
    let maps = model.maps(13, Coords::Fer);
    let unit = model.network.outputs[2].expect("every genome draws");
    maps.unit(unit).iter().map(|v| v.to_bits()).collect()
}

/// Genomes that have been bred for a while, so that there is something in every part.
fn bred(seed: u64, deletes: f64) -> Breeding {
    let mut config = EvolveConfig::preset(Preset::Picbreeder);
    config.mutation.delete_link = deletes;
    config.mutation.delete_node = deletes;
    let mut breeding = Breeding::new(Session::new(config, seed, Vec::new()), &[]).unwrap();
    for step in 0..25 {
        let chosen = [(step * 7 + seed as usize) % 15, (step * 4 + 1) % 15];
        let chosen = if chosen[0] == chosen[1] { &chosen[..1] } else { &chosen[..] };
        breeding.select(Selection::of(chosen)).unwrap();
    }
    breeding
}

#[test]
fn colour_alone_leaves_every_pixels_brightness_to_the_bit() {
    let mut changed = 0;
    for seed in 0..12 {
        let mut breeding = bred(seed, 2.0);
        for step in 0..6 {
            let mut parent = breeding.now().genomes()[step].clone();
            parent.provenance = Default::default();
            let (before, text) = (brightness(&parent), to_json(&parent));
            let selection = Selection { parts: Parts::Colour, ..Selection::of(&[step]) };
            breeding.select(selection).unwrap();
            for child in breeding.now().genomes() {
                assert_eq!(brightness(child), before, "seed {seed}, step {step}");
            }
            changed +=
                breeding.now().genomes().iter().filter(|child| to_json(child) != text).count();
        }
    }
    assert!(changed > 12 * 6 * 10, "{changed} children differ from their parent");
}

#[test]
fn structure_leaves_what_is_of_the_colour() {
    let genes_of_colour = |genome: &Genome, of: &Open| -> Vec<String> {
        let links = genome.connections().filter(|c| of.has(c.target)).map(|c| format!("{c:?}"));
        let nodes = genome.nodes().filter(|n| of.has(n.id)).map(|n| format!("{n:?}"));
        links.chain(nodes).collect()
    };
    for seed in 0..8 {
        // Nothing is deleted: a node takes its links along, into whatever part.
        let mut breeding = bred(seed, 0.0);
        let parent = breeding.now().genomes()[3].clone();
        let colour = Parts::Colour.open(&parent);
        let before = genes_of_colour(&parent, &colour);
        let selection = Selection { parts: Parts::Structure, ..Selection::of(&[3, 5]) };
        breeding.select(selection).unwrap();
        let [mother, father] = [0, 1].map(|place| breeding.now().births()[place].id);
        let mut of_first = 0;
        for (child, birth) in breeding.now().genomes().iter().zip(breeding.now().births()).skip(2) {
            assert!(birth.parents == [mother] || birth.parents == [father]);
            if birth.parents == [mother] {
                of_first += 1;
                assert_eq!(genes_of_colour(child, &colour), before);
            }
        }
        assert!(of_first > 0);
    }
}

/// That it has no colour to change is said in `tests/golden/studio.txt`.
#[test]
fn all_of_a_grey_genome_is_structure() {
    let mut config = EvolveConfig::preset(Preset::Picbreeder);
    config.start.colour = false;
    let breeding = Breeding::new(Session::new(config, 1, Vec::new()), &[]).unwrap();
    let all = breeding.now().genomes()[0].nodes().map(|n| n.id).collect();
    assert_eq!(Parts::Structure.open(&breeding.now().genomes()[0]), Open::Nodes(all));
}
