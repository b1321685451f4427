//! The timed workloads: training steps and pictures of the skull's networks, sweeps and scores.
//! (`picloom bench`; the criterion benches use the same workloads.)

mod score;

pub(crate) use score::{ScoreBench, time_score};

use crate::base::SimRng;
use crate::genome::{self, Genome};
use crate::network::family::Support;
use crate::network::kernel::{Isa, Objective, render};
use crate::network::{Arch, Coords, Mask, Model, Network, PixelInputs, Weights, Wiring};
use crate::prune::alive;
use crate::run::{RunError, load_run, mask_from_json};
use serde::Serialize;
use std::path::Path;
use std::time::Instant;

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
    pub(crate) fn random(name: &str, network: Network) -> Self {
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
    pub(crate) fn of_run(folder: &Path) -> Result<Self, RunError> {
        let run = load_run(folder)?;
        Ok(Workload {
            name: folder.file_name().map_or("run".into(), |n| n.to_string_lossy().into_owned()),
            model: run.model,
        })
    }

    /// The same with `kept` links, drawn at random.
    pub(crate) fn masked(mut self, kept: usize) -> Self {
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
    pub(crate) fn sp() -> Self {
        let mut workload = Self::dense("sp-1404", SKULL);
        let text = include_str!("../../../benches/sp_1404.json");
        let Model { network, mask, weights } = &mut workload.model;
        *mask = mask_from_json(text, "benches/sp_1404.json".as_ref(), network)
            .expect("the committed mask is one of this network");
        mask.apply(weights);
        workload
    }

    /// A genome as dense layers with relays, of which only its own weights train.
    pub(crate) fn layerized(genome: &Genome) -> Self {
        let model = Model::of_genome(genome, Wiring::Layerized);
        Workload { name: "evolved-layerized".into(), model }
    }

    /// A genome as the graph it is.
    pub(crate) fn graph(genome: &Genome) -> Self {
        Workload { name: "evolved-graph".into(), model: Model::of_genome(genome, Wiring::Graph) }
    }

    /// The problem of drawing a picture it does not draw yet, at `size`².
    /// A conditional network draws 16 pictures of a quarter of the side, so that as many pixels are evaluated.
    pub fn objective(&self, size: usize, isa: Isa) -> Objective {
        let inputs = match self.model.network.factors() {
            0 => PixelInputs::full(size, Coords::Fer),
            factors => {
                let conditions = Support::combinations(factors, 4);
                PixelInputs::full(size / 4, Coords::Fer).under(&conditions)
            }
        };
        let mut rng = SimRng::new(0, "bench-target", 0);
        let target: Vec<f32> = (0..3 * inputs.pixels()).map(|_| rng.uniform() as f32).collect();
        Objective::with_isa(&self.model.network, &self.model.mask, &inputs, &target, isa)
    }
}

/// A random genome with the counts of FER's skull: 23 nodes, 57 links, 12 layers when layerized
/// with 147 live weights.
pub fn skull_sized() -> Genome {
    genome::from_json(include_str!("../../../benches/skull_sized.json"))
        .expect("the committed genome is one")
}

/// The cases of the issue: the dense network of the skull, three masks of it (by similarity pruning and at
/// random), and the evolved wiring in both forms.
pub fn workloads(genome: &Genome) -> Vec<Workload> {
    vec![
        Workload::dense("dense", SKULL),
        Workload::dense("conditional", &format!("{SKULL};z:2")),
        Workload::sp(),
        Workload::dense("mask-1404", SKULL).masked(1404),
        Workload::dense("mask-473", SKULL).masked(473),
        Workload::layerized(genome),
        Workload::graph(genome),
    ]
}

/// Milliseconds of one case.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Timing {
    /// Name of the workload.
    pub case: String,
    /// Links of the mask.
    pub kept: usize,
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

/// Times one full-batch loss and gradient of each workload at `size`² with these vector instructions, about `seconds` each.
pub(crate) fn time_steps(
    workloads: &[Workload],
    size: usize,
    seconds: f64,
    isa: Isa,
) -> Vec<Timing> {
    let mut cases: Vec<Case<'_>> = Vec::new();
    for w in workloads {
        let weights = &w.model.weights.0;
        let (mut objective, mut gradient) = (w.objective(size, isa), vec![0.0; weights.len()]);
        let step = move || {
            std::hint::black_box(objective.loss_and_gradient(weights, &mut gradient));
        };
        cases.push((Timing::of(w), Box::new(step)));
    }
    time(cases, seconds)
}

/// Times drawing each workload's picture of `size`² pixels, about `seconds` each.
pub(crate) fn time_pictures(workloads: &[Workload], size: usize, seconds: f64) -> Vec<Timing> {
    let inputs = &PixelInputs::full(size, Coords::Fer);
    let mut cases: Vec<Case<'_>> = Vec::new();
    for w in workloads {
        let draw = || {
            std::hint::black_box(render(&w.model.network, &w.model.weights, inputs));
        };
        cases.push((Timing::of(w), Box::new(draw)));
    }
    time(cases, seconds)
}

impl Timing {
    /// Of a workload, before it is timed.
    fn of(workload: &Workload) -> Self {
        let Model { network, mask, .. } = &workload.model;
        Timing {
            case: workload.name.clone(),
            kept: mask.kept(),
            alive: alive(network, mask).kept(),
            calls: 0,
            min_ms: 0.0,
            median_ms: 0.0,
        }
    }
}

/// A timing to fill in, and what to call for it.
type Case<'a> = (Timing, Box<dyn FnMut() + 'a>);

/// Calls each of `cases` in turn, so that all of them see the same disturbances, for about
/// `seconds` each.
fn time(mut cases: Vec<Case<'_>>, seconds: f64) -> Vec<Timing> {
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
    let summary = |((timing, _), mut calls): (Case, Vec<f64>)| {
        calls.sort_by(f64::total_cmp);
        let (min_ms, median_ms) = (calls[0], calls[calls.len() / 2]);
        Timing { calls: calls.len(), min_ms, median_ms, ..timing }
    };
    cases.into_iter().zip(calls).map(summary).collect()
}
