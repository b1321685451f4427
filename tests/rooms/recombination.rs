//! Families of pictures: the hand-built network passes, the disconnected support fails (METHODS §11).

use crate::answers::hold;
use crate::refusals::assert_refused;
use picloom::base::SimRng;
use picloom::evolve::Preset;
use picloom::experiment::evolution::{
    EvolutionConfig, EvolutionJob, SearchKind, Unwatched, evolve,
};
use picloom::genome::{self, Composed};
use picloom::network::family::{Conditioned, Conditions, Family, Support};
use picloom::network::{Arch, Coords, Mask, Model, Weights, Wiring};
use picloom::run::{Target, TrainJob, load_run, train_run};
use picloom::score::measures::recombination::Recombination;
use picloom::train::schedule::Shape;
use picloom::train::{Init, Problem, Schedule, TrainConfig, Trainer};
use rayon::prelude::*;

const SIDE: usize = 16;

/// Seen and held-out pictures.
fn sets(
    conditions: Conditions,
    draw: impl Fn(&[f64]) -> picloom::network::Picture,
) -> [Conditioned; 2] {
    [conditions.seen, conditions.held_out].map(|set| Conditioned::of(set, &draw))
}

/// Trains on the seen conditions and asks for the others.
fn trained(
    model: Model,
    start: Option<Weights>,
    [seen, held_out]: &[Conditioned; 2],
    config: TrainConfig,
) -> (f64, Recombination) {
    let problem = Problem {
        network: model.network.clone(),
        mask: model.mask.clone(),
        inputs: seen.inputs(Coords::Fer),
        target: seen.pictures.clone(),
        start,
    };
    let mut trainer = Trainer::new(problem, config).unwrap();
    trainer.run(&mut ());
    let model = Model { weights: trainer.state().weights.clone(), ..model };
    let found = Recombination::of(&model, seen, held_out, Coords::Fer);
    (found.held_out_r2 + found.gap, found)
}

fn recipe(steps: u64, seed: u64) -> TrainConfig {
    TrainConfig {
        steps,
        seed,
        init: Init::default(),
        schedule: Schedule { shape: Shape::Cosine, ..Schedule::constant(0.01) },
        ..TrainConfig::default()
    }
}

#[test]
fn a_network_assembled_from_parts_recombines_from_the_fewest_conditions() {
    for &kind in Composed::ALL {
        let model = Model::of_genome(&kind.conditional(2), Wiring::Layerized);
        let draw = |z: &[f64]| model.at(z).picture(SIDE, Coords::Fer);
        let sets = sets(Support::Minimal.conditions(2, 5, 0), draw);
        // Its weights, each off by a tenth of itself, trained on the cross.
        let mut rng = SimRng::new(1, "test", 0);
        let off = |w: &f32| w * (1.0 + 0.1 * rng.normal() as f32);
        let start = Weights(model.weights.0.iter().map(off).collect());
        let (seen, found) = trained(model.clone(), Some(start), &sets, recipe(600, 0));
        assert!(seen > 0.98, "{kind}: R² {seen}");
        assert!(found.gap <= 0.02, "{kind}: {found:?}");
    }
}

/// On average: of single networks some draw the bridge that they never saw.
#[test]
fn without_a_bridge_between_its_halves_a_support_leaves_a_larger_gap() {
    let arch = "6;cache:2,cos:2,gaussian:2,identity:1,sigmoid:2,sin:2,tanh:2";
    let cases = [(Family::Rings, 5, 1), (Family::Rings, 5, 2), (Family::Lamps, 4, 2)];
    let mean_gap = |support: Support| {
        let gap = |&(family, values, seed): &(Family, usize, u64)| {
            let factors = family.factors().len();
            let draw = |z: &[f64]| family.picture(z, SIDE, Coords::Fer);
            let sets = sets(support.conditions(factors, values, 3), draw);
            let network = format!("{arch};z:{factors}").parse::<Arch>().unwrap().network();
            let count = network.weight_count();
            let model =
                Model { network, mask: Mask::all(count), weights: Weights(vec![0.0; count]) };
            let target_loss = Some(0.03 * sets[0].pictures.variance());
            let config = TrainConfig { target_loss, ..recipe(2500, seed) };
            trained(model, None, &sets, config).1.gap
        };
        cases.par_iter().map(gap).sum::<f64>() / cases.len() as f64
    };
    let [random, halves] = [Support::Random(0.6), Support::Disconnected].map(mean_gap);
    assert!(halves > random + 0.2, "random {random}, halves {halves}");
}

#[test]
fn a_run_of_a_family_is_read_back_and_shown_under_its_first_condition() {
    let draw = |z: &[f64]| Family::Face.picture(z, SIDE, Coords::Fer);
    let conditions = Support::Minimal.conditions(2, 3, 0);
    let target = Target::of_family("face".into(), conditions, draw);
    let network = "2;gaussian:3,sin:3;z:2".parse::<Arch>().unwrap().network();
    let mask = Mask::all(network.weight_count());
    let job =
        TrainJob::new("dense", &target, Coords::Fer, (network, mask), None, None, recipe(20, 0));
    let folder = tempfile::tempdir().unwrap();
    let run = folder.path().join("run");
    let drawn = train_run(&run, job, false, &mut ()).unwrap();
    let read = load_run(&run).unwrap();
    assert_eq!((read.result.fit, read.config.conditions.len()), (drawn.fit, 5));
    let (model, picture) = read.shown_at(None).unwrap();
    assert_eq!(picture, Some(draw(&[0.0, 0.0])));
    assert_eq!(model, read.model.at(&[0.0, 0.0]));
    // One that it was not trained under is drawn, too, and has no picture to compare with.
    assert_eq!(read.shown_at(Some(&[0.3, 0.3])).unwrap().1, None);
    let short = read.shown_at(Some(&[0.3])).unwrap_err();
    assert_refused(&short, ["face, at", "2 values, one a factor", "1"]);
    let config = run.join("config.toml");
    let text = std::fs::read_to_string(&config).unwrap();
    std::fs::write(&config, text.replacen("conditions = [[0.0, 0.0]", "conditions = [[0.0]", 1))
        .unwrap();
    let said = load_run(&run).unwrap_err().to_string();
    assert!(said.contains("conditions of 2 numbers in [-1, 1]"), "{said}");
}

#[test]
fn a_search_breeds_one_genome_for_a_family_and_says_what_it_draws_of_the_rest() {
    let folder = tempfile::tempdir().unwrap();
    let mut config = EvolutionConfig::new(SearchKind::Target.stored().preset());
    (config.size, config.generations, config.seed) = (12, 6, 3);
    config.evolve.reproduction.population = 24;
    config.target = Some("family:face".into());
    config.support = Some(Support::Minimal);
    let job = EvolutionJob::new(config.clone()).unwrap();
    let [one, two] = ["one", "two"].map(|name| folder.path().join(name));
    let result = evolve(&job, &one, false, &mut Unwatched).unwrap();
    // What it says of its best genome is what the library says of that genome.
    let best = genome::read(&one.join(&result.genomes[0])).unwrap();
    assert_eq!(best.factors(), 2);
    let sets =
        sets(Support::Minimal.conditions(2, 5, 0), |z| Family::Face.picture(z, 12, Coords::Fer));
    let model = Model::of_genome(&best, Wiring::Graph);
    let found = Recombination::of(&model, &sets[0], &sets[1], Coords::Fer);
    assert!((result.best_held_out_r2.unwrap() - found.held_out_r2).abs() < 1e-9);
    assert!((result.best_r2.unwrap() - found.held_out_r2 - found.gap).abs() < 1e-9);
    assert!(result.best_r2.unwrap() > 0.0, "{result:?}");
    // From the folder that it left it goes on, with the pictures that lie there.
    let mut longer = config.clone();
    longer.generations = 3;
    evolve(&EvolutionJob::new(longer).unwrap(), &two, false, &mut Unwatched).unwrap();
    let again = EvolutionJob::of_file(config.clone(), &two.join("config.toml")).unwrap();
    assert_eq!(evolve(&again, &two, true, &mut Unwatched).unwrap(), result);

    hold("refusals/families", |text| {
        let config = EvolutionConfig::over_defaults(Preset::Neat, text.parse().unwrap()).unwrap();
        EvolutionJob::new(config).unwrap_err().to_string()
    });
}

#[test]
fn a_minibatch_of_conditions_is_of_whole_pictures_and_learns_them_all() {
    let sets =
        sets(Support::Minimal.conditions(2, 3, 0), |z| Family::Face.picture(z, SIDE, Coords::Fer));
    let seen = &sets[0];
    let arch: Arch = "4;gaussian:4,identity:2,sin:4,tanh:3;z:2".parse().unwrap();
    let model = || {
        let network = arch.network();
        let weights = Weights(vec![0.0; network.weight_count()]);
        Model { mask: Mask::all(network.weight_count()), network, weights }
    };
    let with = |count: Option<usize>, steps: u64| TrainConfig {
        batch_conditions: count,
        ..recipe(steps, 5)
    };
    // All conditions in every step is no minibatch: the same loss, and after some steps nearly the same weights.
    let problem = |start: Option<Weights>| {
        let Model { network, mask, .. } = model();
        let (inputs, target) = (seen.inputs(Coords::Fer), seen.pictures.clone());
        Problem { network, mask, inputs, target, start }
    };
    let all = seen.conditions.len();
    let weights = |config: TrainConfig| {
        let mut trainer = Trainer::new(problem(None), config).unwrap();
        trainer.run(&mut ());
        trainer.state().weights.0.clone()
    };
    let (whole, drawn) = (weights(with(None, 20)), weights(with(Some(all), 20)));
    let apart = whole.iter().zip(&drawn).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
    assert!(apart < 1e-3, "{apart}");
    // One condition a step learns the family, too.
    let (r2, _) = trained(model(), None, &sets, with(Some(1), 1500));
    assert!(r2 > 0.6, "{r2}");
    let both = TrainConfig { batch: Some(9), ..with(Some(1), 1) };
    for (config, said) in [
        (with(Some(all + 1), 1), "1 to 5, the pictures that training sees"),
        (both, "none beside batch or subsample"),
    ] {
        let refused = Trainer::new(problem(None), config).err().unwrap().to_string();
        assert!(refused.contains(said), "{refused}");
    }
}
