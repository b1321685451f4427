//! Evolution runs: their settings, what judges pictures, and the sheets of a run.

use crate::answers::hold;
use picloom::base::SimRng;
use picloom::evolve::{EvolveConfig, InnovationTracker, Open, Preset, first_genome, mutate};
use picloom::experiment::evolution::{
    Descriptor, EvolutionConfig, Likeness, Measure, describe, draw, genome_sheet, grid_sheet,
    refine, side_of, ssim,
};
use picloom::genome::Genome;
use picloom::network::kernel::render;
use picloom::network::{Coords, Picture, PixelInputs, compile};

fn over(text: &str) -> Result<EvolutionConfig, String> {
    EvolutionConfig::over_defaults(Preset::Picbreeder, text.parse().unwrap())
}

#[test]
fn overrides_reach_every_depth_and_what_cannot_be_is_refused() {
    let config = over(
        "size = 32\n[evolve]\npreset = \"neat\"\n[evolve.mutation]\nadd_node = 0.1\n[fitness]\nmeasure = \"both\"",
    )
    .unwrap();
    assert_eq!((config.size, config.fitness.measure), (32, Measure::Both));
    assert_eq!(config.evolve.mutation.add_node, 0.1);
    assert_eq!(config.evolve.reproduction.population, 150);
    hold("refusals/searches", |text| match over(text) {
        Ok(config) => config.validate().unwrap_err().to_string(),
        Err(error) => error,
    });
}

fn painted(paint: impl Fn(usize, usize) -> [f32; 3]) -> Picture {
    let mut picture = Picture::filled(24, 24, [0.0; 3]);
    for row in 0..24 {
        for column in 0..24 {
            picture.rgb[3 * (row * 24 + column)..][..3].copy_from_slice(&paint(row, column));
        }
    }
    picture
}

fn of(picture: &Picture, descriptor: Descriptor) -> f64 {
    describe(picture, &[descriptor])[0]
}

#[test]
fn symmetry_knows_left_from_top() {
    let halves = painted(|_, column| [if column < 12 { 1.0 } else { 0.0 }; 3]);
    assert_eq!(of(&halves, Descriptor::Symmetry), 0.0);
    assert_eq!(of(&halves, Descriptor::SymmetryY), 1.0);
    let grey = painted(|_, _| [0.5; 3]);
    assert_eq!(of(&grey, Descriptor::Symmetry), 1.0);
    assert!((of(&halves, Descriptor::Contrast) - 1.0).abs() < 1e-12);
    assert!((of(&halves, Descriptor::Brightness) - 0.5).abs() < 1e-12);
    // One column pair of 22 inner ones sees the edge.
    assert!((of(&halves, Descriptor::EdgeDensity) - 2.0 / 22.0).abs() < 1e-12);
}

#[test]
fn colourfulness_of_half_red_half_cyan_is_as_computed_by_hand() {
    // rg = ±1, yb = ±0.5: σ² = 1 and 0.25, means 0.
    let picture = painted(|row, _| if row < 12 { [1.0, 0.0, 0.0] } else { [0.0, 1.0, 1.0] });
    let expected = 1.25f64.sqrt();
    assert!((of(&picture, Descriptor::Colourfulness) - expected).abs() < 1e-9);
    let grey = painted(|row, _| [row as f32 / 24.0; 3]);
    assert!(of(&grey, Descriptor::Colourfulness) < 1e-6);
}

#[test]
fn noise_is_complex_and_not_clear() {
    let mut rng = SimRng::new(1, "test", 0);
    let noise: Vec<f32> = (0..576).map(|_| rng.uniform() as f32).collect();
    let noisy = painted(|row, column| [noise[row * 24 + column]; 3]);
    let plain = painted(|row, _| [if row < 12 { 1.0 } else { 0.0 }; 3]);
    assert!(of(&noisy, Descriptor::Complexity) > 2.0 * of(&plain, Descriptor::Complexity));
    assert!(of(&plain, Descriptor::Clarity) > of(&noisy, Descriptor::Clarity));
    assert_eq!(describe(&plain, &[Descriptor::Thumbnail]).len(), 36);
}

#[test]
fn a_picture_is_wholly_similar_to_itself_and_less_to_its_negative() {
    let picture = painted(|_, column| [column as f32 / 24.0; 3]);
    assert!((ssim(&picture, &picture) - 1.0).abs() < 1e-12);
    let mut negative = picture.clone();
    negative.rgb.iter_mut().for_each(|v| *v = 1.0 - *v);
    assert!(ssim(&picture, &negative) < 0.0);
}

#[test]
fn similarity_of_two_constants_is_the_luminance_term() {
    let (a, b) = (Picture::filled(9, 9, [0.25; 3]), Picture::filled(9, 9, [0.5; 3]));
    let expected = (2.0 * 0.25 * 0.5 + 1e-4) / (0.0625 + 0.25 + 1e-4);
    assert!((ssim(&a, &b) - expected).abs() < 1e-12);
}

#[test]
fn pressure_prefers_the_smaller_of_two_equal_pictures() {
    let mut config = EvolutionConfig::new(Preset::Neat).fitness;
    config.complexity_pressure = 0.01;
    let genome = first_genome(&EvolveConfig::preset(Preset::Neat), &mut SimRng::new(1, "test", 0));
    let picture = painted(|_, column| [column as f32 / 24.0; 3]);
    let fitness = Likeness::new(&config, &picture).fitness(&genome, &picture);
    assert!((fitness + 0.12).abs() < 1e-12);
}

#[test]
fn learning_lowers_the_loss_and_says_exactly_what_it_changed() {
    let evolve = EvolveConfig::preset(Preset::Picbreeder);
    let mut rng = SimRng::new(4, "test", 0);
    let mut genome = first_genome(&evolve, &mut rng);
    let mut tracker = InnovationTracker::after([&genome]);
    for _ in 0..25 {
        mutate(&mut genome, &evolve, 0.5, &Open::All, &mut tracker, &mut rng).unwrap();
    }
    let inputs = PixelInputs::full(16, Coords::Fer);
    let (network, weights) = compile(&genome);
    let mut moved = weights.clone();
    moved.0.iter_mut().for_each(|w| *w *= 0.9);
    let target = render(&network, &moved, &inputs);
    let mut config = EvolutionConfig::new(Preset::Picbreeder).refine;
    config.steps = 30;
    let refined = refine(&genome, &config, 3.0, &inputs, &target);
    assert!(refined.loss.1 < 0.5 * refined.loss.0, "{:?}", refined.loss);
    let mut told = genome.clone();
    for (id, w) in &refined.learned {
        told.set_weight(*id, *w).unwrap();
        assert!(w.abs() <= 3.0);
    }
    assert!(told == refined.genome);
    // The loss reported is the loss of the picture that the genome now draws.
    let (network, weights) = compile(&told);
    let picture = render(&network, &weights, &inputs);
    let mse =
        picture.iter().zip(&target).map(|(a, b)| f64::from(a - b) * f64::from(a - b)).sum::<f64>()
            / picture.len() as f64;
    assert!((mse - refined.loss.1).abs() < 1e-6, "{mse} {:?}", refined.loss);
}

#[test]
fn a_sheet_holds_each_picture_where_its_number_says() {
    let config = EvolveConfig::preset(Preset::Picbreeder);
    let genomes: Vec<Genome> =
        (0..7).map(|i| first_genome(&config, &mut SimRng::new(i, "test", 0))).collect();
    let sheet = genome_sheet(&genomes, 5, 20, Coords::Fer);
    assert_eq!((sheet.width, sheet.height), (6 + 5 * 26, 6 + 2 * 42));
    let sixth = draw(&genomes[6], 20, Coords::Fer);
    // Second row, second column.
    assert_eq!(sheet.at(6 + 42 + 16, 6 + 26), sixth.at(0, 0));
    assert_eq!(sheet.at(6 + 42 + 16 + 19, 6 + 26 + 19), sixth.at(19, 19));
}

#[test]
fn a_grid_of_very_many_cells_is_drawn_small_or_not_at_all() {
    for (cells, side) in [
        (400, Some(96)),
        (4_096, Some(48)),
        (65_536, Some(6)),
        (160_000, Some(1)),
        (1_000_000, None),
    ] {
        assert_eq!(side_of(cells, 96), side, "{cells}");
    }
    assert_eq!(side_of(4, 16), Some(16));
    let genome =
        first_genome(&EvolveConfig::preset(Preset::Picbreeder), &mut SimRng::new(0, "test", 0));
    let sheet = grid_sheet(&[(vec![1, 1], &genome)], &[1000, 1000], 96, Coords::Fer);
    assert_eq!(sheet.width, 6 + 102);
}
