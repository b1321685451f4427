//! `picloom bench score`: a sweep over the weights, every picture judged, against drawing each
//! changed network afresh.

use super::{BenchArgs, Workload, skull_sized};
use crate::cli::output::Output;
use crate::cli::source::{Usage, check_size};
use crate::cli::sweep::check_links;
use crate::genome;
use crate::math::SimRng;
use crate::network::kernel::Perturber;
use crate::network::weight_files::read_weights;
use crate::network::{Coords, Mask, Picture, PixelInputs, layerize};
use crate::probe::{Perturbation, sweep, sweep_afresh};
use crate::score::{DlJudge, Judge, score};
use serde::Serialize;
use std::time::Instant;

/// Most pictures that are judged one by one to time the judge alone.
const JUDGED: usize = 64;

/// What one network's sweep and score took.
#[derive(Clone, Debug, Serialize)]
pub struct ScoreTiming {
    /// Name of the network.
    pub case: String,
    /// Weights swept, both signs.
    pub weights: usize,
    /// Of the perturbations, those that had no effect.
    pub silent: usize,
    /// Wall-clock seconds of the sweep, all threads.
    pub sweep_s: f64,
    /// Wall-clock seconds of drawing and judging every perturbation that had an effect.
    pub score_s: f64,
    /// Sweep and score, in milliseconds a perturbation.
    pub perturbation_ms: f64,
    /// Weights of the comparison, evenly spread.
    pub compared: usize,
    /// Seconds of their sweep.
    pub incremental_s: f64,
    /// Seconds of the same sweep when every picture is drawn afresh.
    pub afresh_s: f64,
    /// `afresh_s / incremental_s`.
    pub ratio: f64,
    /// Milliseconds of the embedded judge alone, one thread, median picture; none if all are silent.
    pub judge_ms: Option<f64>,
}

#[derive(Serialize)]
struct Record {
    what: &'static str,
    size: usize,
    threads: usize,
    delta: String,
    judge: String,
    timings: Vec<ScoreTiming>,
}

/// The networks to sweep: --arch with --params, or the genome's evolved graph and its dense layers
/// with random weights; and the runs.
fn cases(args: &BenchArgs) -> anyhow::Result<Vec<Workload>> {
    let mut cases = match (&args.arch, &args.params) {
        (Some(arch), Some(params)) => {
            let network = arch.network();
            let weights = read_weights(params, &network)?;
            let mask = Mask::non_zero(&weights);
            vec![Workload { name: params.display().to_string(), network, weights, mask }]
        }
        (Some(arch), None) => vec![Workload::random("dense", arch.network())],
        _ => {
            let genome = match &args.genome {
                Some(path) => genome::read(path)?,
                None => skull_sized(),
            };
            let dense = Workload::random("dense", layerize(&genome).network);
            vec![Workload::graph(&genome), dense]
        }
    };
    for folder in &args.run {
        cases.push(Workload::of_run(folder)?);
    }
    Ok(cases)
}

/// Times the cases and prints a table.
pub fn run(args: &BenchArgs, out: &Output) -> anyhow::Result<()> {
    let size = check_size(args.size.unwrap_or(96))?;
    if args.compared == 0 {
        return Err(Usage("--compared: expected at least 1 weight, found 0".into()).into());
    }
    let judge = DlJudge::default();
    let mut timings = Vec::new();
    for case in cases(args)? {
        timings.push(time(&case, args, size, &judge, out)?);
    }
    let record = Record {
        what: "score",
        size,
        threads: rayon::current_num_threads(),
        delta: args.delta.to_string(),
        judge: judge.name(),
        timings,
    };
    let mut text = format!(
        "score at {}², {} threads, {}\n{:<18} {:>7} {:>7} {:>9} {:>9} {:>10} {:>9} {:>9}\n",
        record.size,
        record.threads,
        record.delta,
        "case",
        "weights",
        "silent",
        "sweep s",
        "score s",
        "ms/pert.",
        "afresh ×",
        "judge ms"
    );
    for t in &record.timings {
        let judge_ms = t.judge_ms.map_or("-".into(), |ms| format!("{ms:.3}"));
        text += &format!(
            "{:<18} {:>7} {:>7} {:>9.2} {:>9.2} {:>10.3} {:>9.2} {judge_ms:>9}\n",
            t.case, t.weights, t.silent, t.sweep_s, t.score_s, t.perturbation_ms, t.ratio
        );
    }
    out.result(&record, &text)
}

fn time(
    case: &Workload,
    args: &BenchArgs,
    size: usize,
    judge: &DlJudge,
    out: &Output,
) -> anyhow::Result<ScoreTiming> {
    let (network, weights) = (&case.network, &case.weights);
    let mut rng = SimRng::new(0, "sweep-sample", 0);
    let links = args.weights.links(network, weights, &mut rng);
    check_links(&links, network)?;
    let inputs = PixelInputs::full(size, Coords::Fer);
    let perturber = Perturber::new(network, weights, &inputs);

    let count = links.len().min(args.compared);
    let few: Vec<usize> = (0..count).map(|k| links[k * links.len() / count]).collect();
    let start = Instant::now();
    std::hint::black_box(sweep(network, weights, &perturber, size, &few, args.delta, &|_| {}));
    let incremental_s = start.elapsed().as_secs_f64();
    let start = Instant::now();
    std::hint::black_box(sweep_afresh(network, weights, &inputs, size, &few, args.delta));
    let afresh_s = start.elapsed().as_secs_f64();

    let bar = out.progress(links.len() as u64, "weights");
    let start = Instant::now();
    let swept = sweep(network, weights, &perturber, size, &links, args.delta, &|_| bar.inc(1));
    let sweep_s = start.elapsed().as_secs_f64();
    bar.finish_and_clear();
    let start = Instant::now();
    score(network, weights, &perturber, &swept, judge, None)?;
    let score_s = start.elapsed().as_secs_f64();
    let loud: Vec<&Perturbation> = swept.perturbations.iter().filter(|p| !p.silent).collect();
    Ok(ScoreTiming {
        case: case.name.clone(),
        weights: links.len(),
        silent: swept.perturbations.len() - loud.len(),
        sweep_s,
        score_s,
        perturbation_ms: (sweep_s + score_s) * 1e3 / swept.perturbations.len() as f64,
        compared: count,
        incremental_s,
        afresh_s,
        ratio: afresh_s / incremental_s,
        judge_ms: judge_ms(case, &perturber, size, &loud, judge)?,
    })
}

/// Median milliseconds of one verdict, over pictures evenly spread.
fn judge_ms(
    case: &Workload,
    perturber: &Perturber,
    size: usize,
    loud: &[&Perturbation],
    judge: &DlJudge,
) -> anyhow::Result<Option<f64>> {
    let mut picture = Picture::filled(size, size, [0.0; 3]);
    let base = Picture { rgb: perturber.base().to_vec(), ..picture.clone() };
    let reading = judge.read_base(&base);
    let mut scratch = perturber.scratch();
    let count = loud.len().min(JUDGED);
    let mut calls = Vec::with_capacity(count);
    for k in 0..count {
        let p = loud[k * loud.len() / count];
        let value = f64::from(case.weights.0[p.link]) + p.delta;
        perturber.with_weight(&mut scratch, p.link, value as f32, &mut picture.rgb);
        let start = Instant::now();
        std::hint::black_box(reading.judge(&picture)?);
        calls.push(start.elapsed().as_secs_f64() * 1e3);
    }
    calls.sort_by(f64::total_cmp);
    Ok(calls.get(count / 2).copied())
}
