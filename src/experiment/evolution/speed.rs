//! How many genomes a second the population judge draws: `picloom bench evolve`.

use super::config::EvolutionConfig;
use super::judge::PictureJudge;
use super::kind::SearchKind;
use crate::evolve::{EvolveConfig, Population, Preset, Search};
use crate::network::Picture;
use serde::{Deserialize, Serialize};
use std::time::Instant;

/// Speed of a target search.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct EvolveSpeed {
    /// Genomes a generation, N.
    pub population: usize,
    /// Side of the pictures in pixels.
    pub size: usize,
    /// Generations timed.
    pub generations: u64,
    /// Mean enabled links of the last generation's genomes.
    pub links: f64,
    /// Genomes drawn, judged (MSE) and bred a second.
    pub genomes_per_second: f64,
    /// Genomes drawn and judged a second, breeding left out.
    pub judged_per_second: f64,
    /// Threads.
    pub threads: usize,
}

/// Times a NEAT target search (colour pictures, MSE to a two-colour disc) for about `seconds`
/// after 20 generations of warm-up, which also grow structure.
///
/// # Panics
/// If `population` or `size` is not possible (see [`EvolutionConfig::validate`]).
pub(crate) fn bench_evolve(population: usize, size: usize, seconds: f64) -> EvolveSpeed {
    let mut config = EvolutionConfig::new(Preset::Neat);
    config.search = SearchKind::Target;
    config.size = size;
    config.target = Some(String::new());
    config.evolve = EvolveConfig::preset(Preset::Neat);
    config.evolve.reproduction.population = population;
    config.validate().expect("a population and size that can be");
    let mut target = Picture::filled(size, size, [0.1, 0.2, 0.6]);
    for pixel in 0..size * size {
        let at = |i: usize| (2 * i) as f32 / size as f32 - 1.0;
        let (x, y) = (at(pixel % size), at(pixel / size));
        if x * x + y * y < 0.4 {
            target.rgb[3 * pixel..3 * pixel + 3].copy_from_slice(&[0.9, 0.7, 0.2]);
        }
    }
    let judge = PictureJudge::new(&config, Some(&target));
    let mut search = Search::Target(Population::new(config.evolve.clone(), 1, &[]));
    let step = |search: &mut Search| {
        let begun = Instant::now();
        let judged = judge.judge(search.ask());
        let seconds = begun.elapsed().as_secs_f64();
        search.tell(judged).expect("finite judgements");
        seconds
    };
    for _ in 0..20 {
        step(&mut search);
    }
    let begun = Instant::now();
    let (mut generations, mut judging) = (0, 0.0);
    let total = loop {
        judging += step(&mut search);
        generations += 1;
        let so_far = begun.elapsed().as_secs_f64();
        if so_far >= seconds {
            break so_far;
        }
    };
    let genomes = (generations * population as u64) as f64;
    let links: usize =
        search.ask().iter().map(|g| g.connections().filter(|c| c.enabled).count()).sum();
    EvolveSpeed {
        population,
        size,
        generations,
        links: links as f64 / population as f64,
        genomes_per_second: genomes / total,
        judged_per_second: genomes / judging,
        threads: rayon::current_num_threads(),
    }
}
