//! The choices of a session (METHODS §2): colour, symmetry, background, palette; pictures that
//! differ; a limit on links.

use picloom::base::SimRng;
use picloom::evolve::{
    Background, Breeding, DISTINCT, EvolveConfig, Judged, Population, Preset, Search, Selection,
    Session, Sketch, Symmetry,
};
use picloom::experiment::evolution::draw;
use picloom::genome::{Genome, Palette, from_json, to_json};
use picloom::network::{Coords, Model, PixelInputs, Wiring, compile, reference, wirable};
use proptest::prelude::*;
use std::path::Path;

fn session(seed: u64, change: impl FnOnce(&mut EvolveConfig)) -> Session {
    let mut config = EvolveConfig::of_session(Preset::Picbreeder);
    change(&mut config);
    Session::new(config, seed, Vec::new())
}

/// A session that somebody chose in, all over the sheet.
fn bred(session: Session, selections: usize) -> Breeding {
    let mut breeding = Breeding::new(session, &[]).unwrap();
    for step in 0..selections {
        breeding.select(Selection::of(&[(step * 7) % 15, (step * 7 + 4) % 15])).unwrap();
    }
    breeding
}

/// Every genome of every sheet.
fn all(breeding: &Breeding) -> Vec<Genome> {
    (0..=breeding.last()).flat_map(|n| breeding.sheet(n).unwrap().genomes().to_vec()).collect()
}

#[test]
fn a_session_in_colour_begins_with_coloured_pictures_none_of_one_colour() {
    for seed in 0..6 {
        let first = bred(session(seed, |_| ()), 0);
        let genomes = first.now().genomes();
        let is_coloured = |genome: &&Genome| {
            let picture = draw(genome, 24, Coords::Fer);
            let mut pixels = picture.rgb.chunks_exact(3);
            pixels.any(|p| p.iter().any(|channel| (channel - p[0]).abs() > 0.2))
        };
        let coloured = genomes.iter().filter(is_coloured).count();
        assert!(coloured >= 14, "seed {seed}: {coloured} of 15");
        for genome in genomes {
            assert!(Sketch::of(genome).contrast() > DISTINCT, "seed {seed}");
        }
    }
}

#[test]
fn a_symmetry_lasts_however_long_one_breeds() {
    let n = 25;
    for &symmetry in Symmetry::ALL.iter().filter(|symmetry| !symmetry.is_none()) {
        for preset in [Preset::Picbreeder, Preset::Neat] {
            let mut config = EvolveConfig::of_session(preset);
            config.start.symmetry = symmetry;
            config.reproduction.population = 15;
            (config.mutation.delete_link, config.mutation.delete_node) = (0.1, 0.1);
            let breeding = bred(Session::new(config, 5, Vec::new()), 15);
            let begun = breeding.sheet(0).unwrap().genomes()[0].nodes().len();
            let mut grown = 0;
            for genome in all(&breeding) {
                let picture = draw(&genome, n, Coords::Fer);
                let at = |row: usize, column: usize| picture.at(row, column);
                for (row, column) in (0..n * n).map(|i| (i / n, i % n)) {
                    let others = match symmetry {
                        Symmetry::LeftRight => vec![at(row, n - 1 - column)],
                        Symmetry::TopBottom => vec![at(n - 1 - row, column)],
                        Symmetry::FourFold => {
                            vec![at(row, n - 1 - column), at(n - 1 - row, column)]
                        }
                        _ => {
                            vec![at(row, n - 1 - column), at(n - 1 - row, column), at(column, row)]
                        }
                    };
                    let own = at(row, column);
                    for other in others {
                        let far = own.iter().zip(other).map(|(a, b)| (a - b).abs());
                        let far = far.fold(0.0, f32::max);
                        assert!(far < 1e-4, "{symmetry} {preset}: {far} at {row}, {column}");
                    }
                }
                grown = grown.max(genome.nodes().len());
                // Studies can take it as layers, too.
                wirable(genome, Path::new("bred"), Wiring::Dense).unwrap();
            }
            assert!(grown > begun, "{symmetry} {preset}: {grown} nodes are not worth testing");
        }
    }
}

#[test]
fn first_pictures_fade_into_their_background() {
    for (background, expected) in [(Background::Dark, 0.0), (Background::Light, 1.0)] {
        for colour in [true, false] {
            let breeding = bred(
                session(3, |config| {
                    config.start.background = background;
                    config.start.colour = colour;
                }),
                0,
            );
            for genome in breeding.now().genomes() {
                let picture = draw(genome, 32, Coords::Fer);
                let corners = [(0, 0), (0, 31), (31, 0), (31, 31), (1, 1), (30, 1)];
                for (row, column) in corners {
                    for channel in picture.at(row, column) {
                        let far = (channel - expected).abs();
                        assert!(far < 0.1, "{background} {colour}: {channel} in a corner");
                    }
                }
                assert!(Sketch::of(genome).contrast() > DISTINCT);
            }
        }
    }
}

#[test]
fn a_palette_is_in_the_genomes_file_and_its_offspring_keep_it() {
    let breeding = bred(session(2, |config| config.start.palette = Palette::Ember), 8);
    let mut recoloured = 0;
    for genome in all(&breeding) {
        let text = to_json(&genome);
        assert!(text.contains("\n\"palette\": \"ember\",\n"), "{text}");
        assert_eq!(from_json(&text).unwrap(), genome);
        let picture = draw(&genome, 24, Coords::Fer);
        // All its colours are warm: red first, blue last.
        for pixel in picture.rgb.chunks_exact(3) {
            assert!(pixel[0] >= pixel[2] - 1e-5, "{pixel:?}");
        }
        // The network itself knows no palette: what trains on the genome sees every colour.
        let own = Model::of_genome(&genome, Wiring::Graph).picture(24, Coords::Fer);
        recoloured += usize::from(own != picture);
    }
    assert!(recoloured > 100, "{recoloured}");
    // A genome in every colour says nothing of a palette.
    let plain = bred(session(2, |_| ()), 0);
    assert!(!to_json(&plain.now().genomes()[0]).contains("palette"));
}

#[test]
fn genomes_from_files_take_the_palette_of_the_session_and_no_symmetry() {
    let ancestor = from_json(include_str!("../../genomes/elite_ember.json")).unwrap();
    let begin = |change: fn(&mut EvolveConfig)| {
        let mut config = EvolveConfig::of_session(Preset::Picbreeder);
        change(&mut config);
        let session = Session::new(config, 1, vec!["elite_ember.json".into()]);
        Breeding::new(session, std::slice::from_ref(&ancestor))
    };
    const OWN: &str = "e2725b,264653,f4e7c5";
    let breeding = begin(|config| config.start.palette = OWN.parse().unwrap()).unwrap();
    assert!(breeding.now().genomes().iter().all(|genome| genome.palette.to_string() == OWN));
    let refused = begin(|config| config.start.symmetry = Symmetry::Radial).unwrap_err().to_string();
    assert!(refused.contains("start.symmetry") && refused.contains("radial"), "{refused}");
}

#[test]
fn a_sketch_is_what_the_network_draws() {
    let own = |config: &mut EvolveConfig| {
        config.start.inputs = ["abs(x)", "x*y", "cos(3d)"].map(|name| name.parse().unwrap()).into();
    };
    let of_own = all(&bred(session(7, own), 4));
    assert!(of_own.iter().all(|genome| compile(genome).0.inputs.len() == 7));
    for genome in all(&bred(session(9, |_| ()), 6)).into_iter().chain(of_own) {
        let (network, weights) = compile(&genome);
        let weights: Vec<f64> = weights.0.iter().map(|&w| f64::from(w)).collect();
        let inputs = PixelInputs::full(24, Coords::Fer);
        let drawn = reference::render(&network, &weights, &inputs);
        let own = Sketch::of(&genome).rgb().to_vec();
        let far = drawn.iter().zip(own).filter(|(a, b)| (*a - f64::from(*b)).abs() > 1e-3).count();
        // Where hue turns around, a rounding can show.
        assert!(far < 20, "{far} channels differ");
    }
}

/// Pictures of sheets that draw their parent's picture, or that of one before them.
fn repeated(breeding: &Breeding) -> usize {
    let sheets = (1..=breeding.last()).map(|n| {
        let sheet = breeding.sheet(n).unwrap();
        let sketches: Vec<Sketch> = sheet.genomes().iter().map(Sketch::of).collect();
        let alike = |i: usize| sketches[..i].iter().any(|s| s.distance(&sketches[i]) <= DISTINCT);
        (2..sketches.len()).filter(|&i| alike(i)).count()
    });
    sheets.sum()
}

#[test]
fn children_that_draw_a_picture_already_on_the_sheet_are_drawn_again() {
    let (mut plain, mut distinct) = (0, 0);
    for seed in 0..4 {
        let session = session(seed, |_| ());
        plain += repeated(&bred(Session { distinct: None, ..session.clone() }, 15));
        let breeding = bred(session, 15);
        distinct += repeated(&breeding);
        // The file breeds the same sheets again.
        let again = Session::from_toml(&breeding.session().to_toml()).unwrap();
        let again = Breeding::new(again, &[]).unwrap();
        assert_eq!(all(&again), all(&breeding));
    }
    assert!(plain > 20 && distinct * 20 < plain, "{distinct} of {plain} are left");
}

#[test]
fn small_changes_stay_small() {
    let mut breeding = bred(session(4, |_| ()), 5);
    breeding.select(Selection { slider: Some(0.0), ..Selection::of(&[3]) }).unwrap();
    let sketches: Vec<Sketch> = breeding.now().genomes().iter().map(Sketch::of).collect();
    let near = sketches[1..].iter().filter(|s| s.distance(&sketches[0]) <= DISTINCT).count();
    assert!(near > 0, "a slider at 0 asks for children that resemble their parent");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn no_child_has_more_links_than_the_limit(
        seed in any::<u64>(),
        preset in 0usize..3,
        limit in 14usize..32,
        teaches in any::<bool>(),
    ) {
        let mut config = EvolveConfig::preset(Preset::ALL[preset]);
        config.mutation.max_links = limit;
        config.reproduction.population = 12;
        config.crossover.rate = 0.8;
        config.crossover.interspecies = 0.5;
        (config.mutation.add_link, config.mutation.add_node) = (1.0, 1.0);
        (config.mutation.delete_link, config.mutation.delete_node) = (0.0, 0.0);
        config.mutation.weights = 0.5;
        config.species.threshold = 1.0;
        let mut search = Search::Target(Population::new(config, seed, &[]));
        let mut rng = SimRng::new(seed, "test", 1);
        let mut largest = 0;
        for _ in 0..40 {
            for genome in search.ask() {
                let links = genome.connections().len();
                prop_assert!(links <= limit, "{links} of {limit}");
                prop_assert!(genome.check().is_ok());
                largest = largest.max(links);
            }
            // Ties make crossover take from both; the largest are the fittest.
            let judged = search.ask().iter().map(|genome| Judged {
                fitness: (genome.connections().len() / 4) as f64,
                learned: teaches.then(|| {
                    genome.connections().map(|c| (c.innovation, c.weight + rng.uniform_in(-0.1, 0.1))).collect()
                }),
                ..Judged::default()
            }).collect();
            search.tell(judged).unwrap();
        }
        prop_assert!(largest + 3 > limit, "{largest} of {limit}: the limit was not met");
    }
}
