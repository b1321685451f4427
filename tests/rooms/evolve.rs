//! Operators and searches over long random sequences: no invariant ever breaks.

use picloom::base::SimRng;
use picloom::evolve::{
    Axis, EvolveConfig, InnovationTracker, Judged, MapElites, MutationScheme, Novelty,
    NoveltyConfig, Open, Population, Preset, Search, align, compatibility_distance,
    crossover_aligned, crossover_union, first_genome, mutate,
};
use picloom::genome::{Genome, Role, from_json, to_json};
use proptest::prelude::*;

fn every_operator(preset: Preset) -> EvolveConfig {
    let mut config = EvolveConfig::preset(preset);
    config.mutation.delete_link = config.mutation.add_link * 0.6;
    config.mutation.delete_node = config.mutation.add_node * 0.4;
    config.mutation.max_hidden = 24;
    config.mutation.max_links = 90;
    config
}

/// Asserts the invariants of a genome, without rebuilding it: cheap enough after every operation.
fn assert_sound(genome: &Genome, limit: f64) {
    // Kahn's order is complete exactly if there is no cycle.
    assert_eq!(genome.topological_order().len(), genome.nodes().len());
    for c in genome.connections() {
        assert!(c.weight.abs() <= limit, "weight {}", c.weight);
        let target = genome.node(c.target).expect("target exists");
        assert!(!matches!(target.role, Role::Input(_)));
        assert!(genome.node(c.source).is_some());
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_operator_sequence_keeps_genomes_valid_and_files_exact(
        seed in any::<u64>(),
        neat in any::<bool>(),
        each in any::<bool>(),
        colour in any::<bool>(),
        slider in 0.0..=1.0f64,
        steps in 1usize..400,
    ) {
        let mut config = every_operator(if neat { Preset::Neat } else { Preset::Picbreeder });
        config.start.colour = colour;
        if each {
            config.mutation.scheme = MutationScheme::Each;
            for rate in [
                &mut config.mutation.weights,
                &mut config.mutation.add_link,
                &mut config.mutation.add_node,
                &mut config.mutation.activation,
                &mut config.mutation.delete_link,
                &mut config.mutation.delete_node,
            ] {
                *rate = 0.4;
            }
        }
        let mut rng = SimRng::new(seed, "test", 0);
        let mut a = first_genome(&config, &mut rng);
        let mut b = first_genome(&config, &mut rng);
        let mut tracker = InnovationTracker::after([&a, &b]);
        for _ in 0..steps {
            for genome in [&mut a, &mut b] {
                let before = genome.clone();
                match mutate(genome, &config, slider, &Open::All, &mut tracker, &mut rng) {
                    Ok(done) => prop_assert!(!done.is_empty()),
                    Err(reason) => prop_assert!(*genome == before, "{reason} but changed"),
                }
                assert_sound(genome, config.mutation.weight_limit);
            }
        }
        for child in [
            crossover_union(&[&a, &b], &mut rng).unwrap(),
            crossover_aligned(&a, &b, false, 0.75, &mut rng).unwrap(),
            crossover_aligned(&b, &a, true, 0.75, &mut rng).unwrap(),
            a.clone(),
        ] {
            prop_assert!(child.check().is_ok());
            let text = to_json(&child);
            prop_assert_eq!(to_json(&from_json(&text).unwrap()), text);
        }
        let species = &config.species;
        let d = compatibility_distance(&a, &b, species);
        prop_assert!(d >= 0.0 && d == compatibility_distance(&b, &a, species));
        let x = align(&a, &b);
        prop_assert_eq!(
            2 * x.matching + x.disjoint + x.excess,
            a.connections().len() + b.connections().len()
        );
    }
}

/// A toy world: fitness and descriptors from the genes alone.
fn judge(genome: &Genome) -> Judged {
    let sum: f64 = genome.connections().map(|c| c.weight).sum();
    Judged {
        fitness: -(sum - 4.0).abs(),
        descriptor: vec![genome.connections().len() as f64, sum],
        learned: None,
    }
}

fn searches(seed: u64) -> Vec<Search> {
    let config = EvolveConfig::preset(Preset::Picbreeder);
    let axis = |name: &str, low, high| Axis { descriptor: name.to_string(), low, high, cells: 6 };
    vec![
        Search::Target(Population::new(EvolveConfig::preset(Preset::Neat), seed, &[])),
        Search::Novelty(Novelty::new(NoveltyConfig::default(), config.clone(), seed, &[])),
        Search::MapElites(MapElites::new(
            vec![axis("links", 5.0, 25.0), axis("sum", -10.0, 10.0)],
            config,
            seed,
            &[],
        )),
    ]
}

fn step(search: &mut Search) -> usize {
    let judged = search.ask().iter().map(judge).collect();
    search.tell(judged).unwrap().len()
}

#[test]
fn lineage_names_only_parents_that_were_recorded_before() {
    for mut search in searches(9) {
        let mut known = std::collections::BTreeSet::new();
        for _ in 0..20 {
            let judged = search.ask().iter().map(judge).collect();
            let births = search.tell(judged).unwrap();
            for birth in births {
                assert!(birth.parents.iter().all(|p| known.contains(p)), "{birth:?}");
                assert!(known.insert(birth.id), "recorded twice: {birth:?}");
                assert_eq!(birth.parents.is_empty(), birth.generation == 0);
            }
        }
        assert!(known.len() > 20);
    }
}

#[test]
fn map_elites_fills_more_cells_and_novelty_spreads_further_than_the_first_generation() {
    let mut all = searches(31);
    for search in &mut all {
        for _ in 0..60 {
            step(search);
        }
    }
    let Search::MapElites(map) = &all[2] else { panic!("the third search is MAP-Elites") };
    assert!(map.coverage() > 0.5, "coverage {}", map.coverage());
    let Search::Novelty(novelty) = &all[1] else { panic!("the second search is novelty") };
    assert!(novelty.archive().len() >= 150);
    let links: Vec<f64> = novelty.archive().iter().map(|a| a.descriptor[0]).collect();
    let widest = links.iter().copied().fold(0.0, f64::max);
    assert!(widest > 20.0, "{widest}");
}
