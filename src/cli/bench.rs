//! `picloom bench`: how long a training step, a picture and a score take on this machine.

use super::output::Output;
use super::settings::Laid;
use super::source::{Usage, check_size, chosen_links};
use crate::experiment::bench::{
    ScoreBench, Workload, skull_sized, time_pictures, time_score, time_steps, workloads,
};
use crate::experiment::evolution::bench_evolve;
use crate::network::kernel::Isa;
use crate::network::{Arch, Model, Wiring, layerize, read_genome};

use crate::score::{DlJudge, Judge, Protocol};
use clap::{Args, ValueEnum};
use serde_json::json;
use std::path::PathBuf;

/// The thing to time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum What {
    /// Loss and gradient over all pixels: one full-batch training step without its optimizer
    Step,
    /// A picture from a network
    Render,
    /// Every weight moved both ways until the picture changes, every such picture judged; against
    /// the plain way
    Score,
    /// A NEAT target search: population 150, pictures of 64² pixels, drawn, judged and bred
    Evolve,
}

/// Arguments of `picloom bench`.
#[derive(Args)]
pub(crate) struct BenchArgs {
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
    /// step: vector instructions [default: the fastest that this processor has]
    #[arg(long, value_name = "NAME", value_parser = isa)]
    isa: Option<Isa>,
    /// score: a layered network instead of the genome's; random weights without --params
    #[arg(long, conflicts_with = "genome")]
    arch: Option<Arch>,
    /// score: weights of --arch (.npz or .safetensors)
    #[arg(long, requires = "arch", conflicts_with = "genome")]
    params: Option<PathBuf>,
    #[command(flatten)]
    protocol: Laid<Protocol>,
    /// score: weights that are also swept the plain way
    #[arg(long, default_value_t = 24, value_name = "N")]
    compared: usize,
}

fn isa(text: &str) -> Result<Isa, String> {
    let all = Isa::available();
    let found = all.iter().find(|isa| isa.name() == text).copied();
    found.ok_or_else(|| {
        let names: Vec<&str> = all.iter().map(|isa| isa.name()).collect();
        format!("expected one that this processor has, {}, found {text:?}", names.join(", "))
    })
}

/// Times the cases and prints a table.
pub(crate) fn run(args: BenchArgs, out: &Output) -> anyhow::Result<()> {
    if args.isa.is_some() && args.what != What::Step {
        return Err(Usage("--isa: expected with step only, found with another".into()).into());
    }
    let default = if args.what == What::Evolve { 64 } else { 256 };
    let size = check_size(args.size.unwrap_or(default))?;
    if !(args.seconds.is_finite() && args.seconds > 0.0) {
        let found = args.seconds;
        return Err(Usage(format!("--seconds: expected a number above 0, found {found}")).into());
    }
    if args.what == What::Evolve {
        if !(8..=1024).contains(&size) {
            return Err(Usage(format!("--size: expected 8 to 1024 pixels, found {size}")).into());
        }
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
        return run_score(&args, out);
    }
    let genome = match &args.genome {
        Some(path) => read_genome(path, Wiring::Dense)?,
        None => skull_sized(),
    };
    let mut workloads = workloads(&genome);
    for folder in &args.run {
        workloads.push(Workload::of_run(folder)?);
    }
    let isa = args.isa.unwrap_or(Isa::best());
    // The other two were answered above.
    let timings = match args.what {
        What::Step => time_steps(&workloads, size, args.seconds, isa),
        _ => time_pictures(&workloads, size, args.seconds),
    };
    let (what, isa) = (format!("{:?}", args.what).to_lowercase(), isa.name());
    let threads = rayon::current_num_threads();
    let mut text = format!(
        "{what} at {size}², {threads} threads, {isa}\n{:<18} {:>6} {:>6} {:>7} {:>10} {:>10}\n",
        "case", "kept", "alive", "calls", "min ms", "median ms"
    );
    for t in &timings {
        text += &format!(
            "{:<18} {:>6} {:>6} {:>7} {:>10.3} {:>10.3}\n",
            t.case, t.kept, t.alive, t.calls, t.min_ms, t.median_ms
        );
    }
    let json = json!({
        "what": what, "size": size, "threads": threads, "isa": isa, "timings": timings,
    });
    out.result(&json, &text)
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
                Some(path) => read_genome(path, Wiring::Dense)?,
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
fn run_score(args: &BenchArgs, out: &Output) -> anyhow::Result<()> {
    let size = check_size(args.size.unwrap_or(96))?;
    if args.compared == 0 {
        return Err(Usage("--compared: expected at least 1 weight, found 0".into()).into());
    }
    let protocol = args.protocol.over(&Protocol::default())?;
    let bench = ScoreBench { size, delta: protocol.delta, compared: args.compared };
    let judge = DlJudge::default();
    let mut timings = Vec::new();
    for case in cases(args)? {
        let links = chosen_links(&protocol, &case.model)?;
        let bar = out.progress(links.len() as u64, "weights");
        timings.push(time_score(&case, &links, &bench, &judge, &|_| bar.inc(1))?);
        bar.finish_and_clear();
    }
    let (threads, delta) = (rayon::current_num_threads(), protocol.delta.to_string());
    let mut text = format!(
        "score at {size}², {threads} threads, {delta}\n{:<18} {:>7} {:>7} {:>9} {:>9} {:>9} {:>10} {:>9} {:>9}\n",
        "case",
        "weights",
        "silent",
        "drawings",
        "sweep s",
        "score s",
        "ms/pert.",
        "afresh ×",
        "judge ms"
    );
    for t in &timings {
        let judge_ms = t.judge_ms.map_or("-".into(), |ms| format!("{ms:.3}"));
        text += &format!(
            "{:<18} {:>7} {:>7} {:>9.1} {:>9.2} {:>9.2} {:>10.3} {:>9.2} {judge_ms:>9}\n",
            t.case,
            t.weights,
            t.silent,
            t.drawings,
            t.sweep_s,
            t.score_s,
            t.perturbation_ms,
            t.ratio
        );
    }
    let json = json!({
        "what": "score", "size": size, "threads": threads, "delta": delta, "judge": judge.name(), "timings": timings,
    });
    out.result(&json, &text)
}
