//! `picloom bench`: how long a training step, a picture and a score take on this machine.

mod score;

use super::output::Output;
use super::source::{Usage, check_size};
use crate::experiment::evolution::bench_evolve;
use crate::experiment::{load_run, mask_from_json};
use crate::genome::{self, Genome};
use crate::math::SimRng;
use crate::math::lanes::Isa;
use crate::network::kernel::{Objective, render};
use crate::network::{Arch, Coords, Mask, Model, Network, PixelInputs, Weights, Wiring};
use crate::probe::{Delta, Selection};
use crate::prune::alive;
use clap::{Args, ValueEnum};
use serde::Serialize;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// What to time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum What {
    /// Loss and gradient over all pixels: one full-batch training step without its optimizer
    Step,
    /// A picture from a network
    Render,
    /// Every weight moved both ways until the picture changes, every such picture judged; and the
    /// same search drawing every picture afresh
    Score,
    /// A NEAT target search: population 150, pictures of 64² pixels, drawn, judged and bred
    Evolve,
}

/// Arguments of `picloom bench`.
#[derive(Args)]
pub struct BenchArgs {
    /// What to time
    what: What,
    /// Pictures are this many pixels wide and high [default: 256; evolve: 64; score: 96]
    #[arg(long)]
    size: Option<usize>,
    /// Seconds to spend on each case
    #[arg(long, default_value_t = 1.0)]
    seconds: f64,
    /// Genome of the evolved cases; default: one drawn at random with as many nodes, links, layers
    /// and relays as FER's skull
    #[arg(long, value_name = "FILE")]
    genome: Option<PathBuf>,
    /// Finished runs to time as well, a pruned one for example
    #[arg(long, value_name = "RUN")]
    run: Vec<PathBuf>,
    /// score: a layered network instead of the genome's; random weights without --params
    #[arg(long, conflicts_with = "genome")]
    arch: Option<Arch>,
    /// score: weights of --arch (.npz or .safetensors)
    #[arg(long, requires = "arch")]
    params: Option<PathBuf>,
    /// score: weights to move: all, a number (sampled within layers), or link numbers (0,17,42)
    #[arg(long, default_value = "all", value_name = "all|N|IDS")]
    weights: Selection,
    /// score: how far: effect:E (RMSE between the pictures) or fixed:D
    #[arg(long, default_value = "effect:0.18")]
    delta: Delta,
    /// score: weights that are swept both ways, incrementally and afresh
    #[arg(long, default_value_t = 24, value_name = "N")]
    compared: usize,
}

/// The architecture that layerizing FER's skull gives: 12 layers of 22 units, 5478 weights.
pub const SKULL: &str = "12;cache:15,gaussian:4,identity:2,sin:1";

/// A network to time.
pub struct Workload {
    /// `dense`, `sp-1404`, …
    pub name: String,
    /// Its mask are the links that train.
    pub model: Model,
}

impl Workload {
    /// A dense network with random weights of variance 1/fan-in.
    pub fn dense(name: &str, arch: &str) -> Self {
        let arch = arch.parse::<Arch>().expect("the benchmarks' arches are arches");
        Self::random(name, arch.network())
    }

    /// A network with random weights of variance 1/fan-in.
    pub fn random(name: &str, network: Network) -> Self {
        let mut rng = SimRng::new(0, "bench", 0);
        let weights = network
            .units
            .iter()
            .flat_map(|unit| std::iter::repeat_n(unit.links.len(), unit.links.len()))
            .map(|fan_in| (rng.normal() / (fan_in as f64).sqrt()) as f32)
            .collect();
        let mask = Mask::all(network.weight_count());
        Workload { name: name.into(), model: Model { network, mask, weights: Weights(weights) } }
    }

    /// A finished run.
    ///
    /// # Errors
    /// If the folder holds none.
    pub fn of_run(folder: &Path) -> anyhow::Result<Self> {
        let run = load_run(folder)?;
        Ok(Workload {
            name: folder.file_name().map_or("run".into(), |n| n.to_string_lossy().into_owned()),
            model: run.model,
        })
    }

    /// The same with `kept` links, drawn at random.
    pub fn masked(mut self, kept: usize) -> Self {
        let Model { mask, weights, .. } = &mut self.model;
        let count = weights.0.len();
        let mut order: Vec<usize> = (0..count).collect();
        SimRng::new(0, "bench-mask", kept as u64).shuffle(&mut order);
        *mask = Mask(vec![false; count]);
        for &i in &order[..kept.min(count)] {
            mask.0[i] = true;
        }
        mask.apply(weights);
        self
    }

    /// The dense network of the skull, masked by similarity pruning: 1404 links, the paper's count.
    pub fn sp() -> Self {
        let mut workload = Self::dense("sp-1404", SKULL);
        let text = include_str!("../../benches/sp_1404.json");
        let Model { network, mask, weights } = &mut workload.model;
        *mask = mask_from_json(text, "benches/sp_1404.json".as_ref(), network)
            .expect("the committed mask is one of this network");
        mask.apply(weights);
        workload
    }

    /// A genome as dense layers with relays, of which only its own weights train.
    pub fn layerized(genome: &Genome) -> Self {
        let model = Model::of_genome(genome, Wiring::Layerized);
        Workload { name: "evolved-layerized".into(), model }
    }

    /// A genome as the graph it is.
    pub fn graph(genome: &Genome) -> Self {
        Workload { name: "evolved-graph".into(), model: Model::of_genome(genome, Wiring::Graph) }
    }

    /// The problem of drawing a picture it does not draw yet, at `size`².
    pub fn objective(&self, size: usize) -> Objective {
        let inputs = PixelInputs::full(size, Coords::Fer);
        let mut rng = SimRng::new(0, "bench-target", 0);
        let target: Vec<f32> = (0..3 * inputs.pixels()).map(|_| rng.uniform() as f32).collect();
        Objective::new(&self.model.network, &self.model.mask, &inputs, &target)
    }
}

/// A random genome with the counts of FER's skull: 23 nodes, 57 links, 12 layers when layerized
/// with 147 live weights.
pub fn skull_sized() -> Genome {
    genome::from_json(include_str!("../../benches/skull_sized.json"))
        .expect("the committed genome is one")
}

/// The cases of the issue: the dense network of the skull, three masks of it (by similarity pruning and at
/// random), and the evolved wiring in both forms.
pub fn workloads(genome: &Genome) -> Vec<Workload> {
    vec![
        Workload::dense("dense", SKULL),
        Workload::sp(),
        Workload::dense("mask-1404", SKULL).masked(1404),
        Workload::dense("mask-473", SKULL).masked(473),
        Workload::layerized(genome),
        Workload::graph(genome),
    ]
}

/// Milliseconds of one case.
#[derive(Clone, Debug, Serialize)]
pub struct Timing {
    /// Name of the workload.
    pub case: String,
    /// Links of the mask.
    pub kept: usize,
    /// The same under its older name.
    pub live: usize,
    /// Of the kept links, those on a path from an input to an output. Of the others a step computes
    /// only those that lead a unit without inputs, whose value is constant, to an output.
    pub alive: usize,
    /// Calls timed.
    pub calls: usize,
    /// Fastest call, in milliseconds.
    pub min_ms: f64,
    /// Median call, in milliseconds.
    pub median_ms: f64,
}

#[derive(Serialize)]
struct Record {
    what: String,
    size: usize,
    threads: usize,
    isa: &'static str,
    timings: Vec<Timing>,
}

/// A timing to fill in, and what to call for it.
type Case<'a> = (Timing, Box<dyn FnMut() + 'a>);

/// Calls each of `cases` in turn, so that all of them see the same disturbances, for about
/// `seconds` each.
fn time(cases: &mut [Case], seconds: f64) {
    const SLICES: usize = 10;
    let mut calls: Vec<Vec<f64>> = vec![Vec::new(); cases.len()];
    for (_, call) in cases.iter_mut() {
        call();
    }
    for _ in 0..SLICES {
        for ((_, call), calls) in cases.iter_mut().zip(&mut calls) {
            let slice = Instant::now();
            loop {
                let start = Instant::now();
                call();
                calls.push(start.elapsed().as_secs_f64() * 1e3);
                if slice.elapsed().as_secs_f64() * SLICES as f64 >= seconds {
                    break;
                }
            }
        }
    }
    for ((timing, _), mut calls) in cases.iter_mut().zip(calls) {
        calls.sort_by(f64::total_cmp);
        timing.calls = calls.len();
        timing.min_ms = calls[0];
        timing.median_ms = calls[calls.len() / 2];
    }
}

/// Times the cases and prints a table.
pub fn run(args: BenchArgs, out: &Output) -> anyhow::Result<()> {
    let default = if args.what == What::Evolve { 64 } else { 256 };
    let size = check_size(args.size.unwrap_or(default))?;
    if !(args.seconds.is_finite() && args.seconds > 0.0) {
        let found = args.seconds;
        return Err(Usage(format!("--seconds: expected a number above 0, found {found}")).into());
    }
    if args.what == What::Evolve {
        anyhow::ensure!((8..=1024).contains(&size), "expected 8 to 1024 pixels, found {size}");
        let speed = bench_evolve(150, size, args.seconds);
        let text = format!(
            "evolve at {size}², population {}, {} threads: {:.0} genomes/s ({:.0} drawn and judged), {:.1} links",
            speed.population,
            speed.threads,
            speed.genomes_per_second,
            speed.judged_per_second,
            speed.links
        );
        return out.result(&speed, &text);
    }
    if args.what == What::Score {
        return score::run(&args, out);
    }
    let genome = match &args.genome {
        Some(path) => genome::read(path)?,
        None => skull_sized(),
    };
    let mut workloads = workloads(&genome);
    for folder in &args.run {
        workloads.push(Workload::of_run(folder)?);
    }
    let inputs = PixelInputs::full(size, Coords::Fer);
    let mut cases: Vec<Case> = Vec::new();
    for w in &workloads {
        let timing = Timing {
            case: w.name.clone(),
            kept: w.model.mask.kept(),
            live: w.model.mask.kept(),
            alive: alive(&w.model.network, &w.model.mask).kept(),
            calls: 0,
            min_ms: 0.0,
            median_ms: 0.0,
        };
        let call: Box<dyn FnMut() + '_> = match args.what {
            What::Step => {
                let mut objective = w.objective(size);
                let mut gradient = vec![0.0; w.model.weights.0.len()];
                Box::new(move || {
                    std::hint::black_box(
                        objective.loss_and_gradient(&w.model.weights.0, &mut gradient),
                    );
                })
            }
            // The others were answered above.
            What::Render | What::Score | What::Evolve => Box::new(|| {
                std::hint::black_box(render(&w.model.network, &w.model.weights, &inputs));
            }),
        };
        cases.push((timing, call));
    }
    time(&mut cases, args.seconds);
    let record = Record {
        what: format!("{:?}", args.what).to_lowercase(),
        size,
        threads: rayon::current_num_threads(),
        isa: Isa::best().name(),
        timings: cases.into_iter().map(|(timing, _)| timing).collect(),
    };
    let mut text = format!(
        "{} at {}², {} threads, {}\n{:<18} {:>6} {:>6} {:>7} {:>10} {:>10}\n",
        record.what,
        record.size,
        record.threads,
        record.isa,
        "case",
        "kept",
        "alive",
        "calls",
        "min ms",
        "median ms"
    );
    for t in &record.timings {
        text += &format!(
            "{:<18} {:>6} {:>6} {:>7} {:>10.3} {:>10.3}\n",
            t.case, t.kept, t.alive, t.calls, t.min_ms, t.median_ms
        );
    }
    out.result(&record, &text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_workloads_have_the_sizes_of_the_skull() {
        let genome = skull_sized();
        let counts: Vec<(usize, usize, usize)> = workloads(&genome)
            .iter()
            .map(|w| {
                let alive = alive(&w.model.network, &w.model.mask).kept();
                (w.model.mask.kept(), alive, w.model.network.depth())
            })
            .collect();
        assert_eq!(
            counts,
            [
                (5478, 5478, 13),
                (1404, 1327, 13),
                (1404, 1317, 13),
                (473, 183, 13),
                (147, 147, 13),
                (57, 57, 12)
            ]
        );
    }
}
