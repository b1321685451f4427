//! `picloom bench score`: a sweep over the weights, every picture judged, against drawing each
//! changed network afresh.

use super::{BenchArgs, Workload, skull_sized};
use crate::cli::output::Output;
use crate::cli::source::{Usage, check_size, chosen_links};
use crate::genome;
use crate::network::{Coords, Model, layerize};
use crate::probe::{Perturbation, View, spread};
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
            let model = Model::read(arch, params)?;
            vec![Workload { name: params.display().to_string(), model }]
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
    let links = chosen_links(&args.weights, &case.model, 0)?;
    let view = View::new(&case.model, size, Coords::Fer);
    let few: Vec<usize> = spread(&links, args.compared).copied().collect();
    let start = Instant::now();
    std::hint::black_box(view.sweep(&few, args.delta, &|_| {}));
    let incremental_s = start.elapsed().as_secs_f64();
    let start = Instant::now();
    std::hint::black_box(view.sweep_afresh(&few, args.delta));
    let afresh_s = start.elapsed().as_secs_f64();

    let bar = out.progress(links.len() as u64, "weights");
    let start = Instant::now();
    let swept = view.sweep(&links, args.delta, &|_| bar.inc(1));
    let sweep_s = start.elapsed().as_secs_f64();
    bar.finish_and_clear();
    let start = Instant::now();
    score(&view, &swept, judge, None)?;
    let score_s = start.elapsed().as_secs_f64();
    let loud: Vec<&Perturbation> = swept.perturbations.iter().filter(|p| !p.silent).collect();
    Ok(ScoreTiming {
        case: case.name.clone(),
        weights: links.len(),
        silent: swept.perturbations.len() - loud.len(),
        sweep_s,
        score_s,
        perturbation_ms: (sweep_s + score_s) * 1e3 / swept.perturbations.len() as f64,
        compared: few.len(),
        incremental_s,
        afresh_s,
        ratio: afresh_s / incremental_s,
        judge_ms: judge_ms(&view, &loud, judge)?,
    })
}

/// Median milliseconds of one verdict, over pictures evenly spread.
fn judge_ms(view: &View, loud: &[&Perturbation], judge: &DlJudge) -> anyhow::Result<Option<f64>> {
    let reading = judge.read_base(view.picture());
    let mut painter = view.painter();
    let mut calls = Vec::new();
    for p in spread(loud, JUDGED) {
        let picture = painter.draw(*p);
        let start = Instant::now();
        std::hint::black_box(reading.judge(picture)?);
        calls.push(start.elapsed().as_secs_f64() * 1e3);
    }
    calls.sort_by(f64::total_cmp);
    Ok(calls.get(calls.len() / 2).copied())
}
