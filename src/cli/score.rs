//! `picloom score`: perturb the weights, judge the pictures.

use super::interrupt;
use super::judge::{JudgeChoice, usage_text};
use super::output::Output;
use super::source::SourceArgs;
use crate::math::SimRng;
use crate::network::PixelInputs;
use crate::network::kernel::Perturber;
use crate::probe::{Delta, Selection, sweep};
use crate::score::{CompositionalScore, JudgeUsage, Judged, score};
use clap::Args;
use serde::Serialize;

#[derive(Args)]
pub struct ScoreArgs {
    #[command(flatten)]
    source: SourceArgs,
    #[command(flatten)]
    judge: JudgeChoice,
    /// Weights to perturb: all, a number (sampled within layers), or link numbers (0,17,42)
    #[arg(long, default_value = "all", value_name = "all|N|IDS")]
    samples: Selection,
    /// How far: effect:E (RMSE between the pictures) or fixed:D
    #[arg(long, default_value = "effect:0.18")]
    delta: Delta,
    /// Seed of the sample
    #[arg(long, default_value_t = 0)]
    seed: u64,
}

#[derive(Serialize)]
struct Record {
    network: String,
    size: usize,
    links: usize,
    kept: usize,
    #[serde(flatten)]
    score: CompositionalScore,
    judge_usage: Option<JudgeUsage>,
    perturbations: Vec<Judged>,
}

pub fn run(args: ScoreArgs, out: &Output) -> anyhow::Result<()> {
    interrupt::listen();
    let judge = args.judge.build()?;
    let source = args.source.load()?;
    let mut rng = SimRng::new(args.seed, "sweep-sample", 0);
    let links = args
        .samples
        .links(&source.network, &source.weights, &mut rng);
    super::sweep::check_links(&links, &source.network)?;
    let perturber = Perturber::new(
        &source.network,
        &source.weights,
        &PixelInputs::full(source.size, source.coords),
    );
    let bar = out.progress(links.len() as u64, "weights");
    let swept = sweep(
        &source.network,
        &source.weights,
        &perturber,
        source.size,
        &links,
        args.delta,
        &|_| {
            bar.inc(1);
        },
    );
    bar.finish_and_clear();
    let (score, perturbations) = score(
        &source.network,
        &source.weights,
        &perturber,
        &swept,
        judge.as_ref(),
        source.target.as_ref(),
    )?;
    let text = table(&source.name, &score) + &usage_text(judge.usage().as_ref());
    let record = Record {
        network: source.name,
        size: source.size,
        links: source.network.weight_count(),
        kept: source.mask.kept(),
        score,
        judge_usage: judge.usage(),
        perturbations,
    };
    out.result(&record, &text)
}

/// The score as a table for people.
fn table(name: &str, score: &CompositionalScore) -> String {
    let mut text = format!("{name}\njudge   {}\ndelta   {}\n", score.judge, score.delta);
    match (score.score, score.interval) {
        (Some(value), Some((low, high))) => {
            text += &format!("score   {value:.3}  (95 % interval {low:.3} to {high:.3})\n");
        }
        _ => text += "score   none: no perturbation had an effect\n",
    }
    match score.fit {
        Some(fit) if score.counts => {
            text += &format!("fit     r2 {:.4}, mse {:.3e}\n", fit.r2, fit.mse)
        }
        Some(fit) => {
            text += &format!(
                "fit     r2 {:.4}, mse {:.3e}: UNFIT, the score does not count (r2 must reach {})\n",
                fit.r2,
                fit.mse,
                crate::score::FIT_GATE
            );
        }
        None => text += "fit     not measured: no target\n",
    }
    text += &format!(
        "weights {} of {} non-zero, {} coherent, {} fractured, {} silent\n",
        score.weights, score.non_zero, score.coherent, score.fractured, score.silent
    );
    text += "\nlayer  coherent  fractured  silent\n";
    for (i, (coherent, fractured, silent)) in score.layers.iter().enumerate() {
        text += &format!("{:>5}  {coherent:>8}  {fractured:>9}  {silent:>6}\n", i + 1);
    }
    text
}
