//! `picloom prune`: remove links of a finished run and retrain what is left.

use super::output::Output;
use super::source::Usage;
use super::train::{TrainProgress, TrainSettings, describe};
use crate::experiment::{PrunePlan, load_run, prune_run};
use crate::genome;
use crate::network::{Mask, layerize};
use crate::prune::schedule::{IMP_GLOBAL, geometric, imp_global};
use crate::prune::{Method, Retrain, Rule};
use crate::train::{Init, StopReason};
use clap::{Args, ValueEnum};
use serde::Serialize;
use std::path::PathBuf;

#[derive(Args)]
pub struct PruneArgs {
    /// Folder of the finished run to prune
    run: PathBuf,
    /// Method: sp, sp-signed, sp-mrmr, sp-merge, imp, wanda, taylor, magnitude, random,
    /// sparse-training, swarm, or a control (sp-layer-counts, sp-inverted, sp-untrained,
    /// sp-permuted, evolved); options as wanda:scope=layer,sequential=false
    #[arg(long, default_value = "sp")]
    method: Method,
    /// Keep exactly this many links after the last round
    #[arg(long, conflicts_with_all = ["threshold", "match_run"])]
    budget: Option<usize>,
    /// Keep links that score at least this; one number, or one for each round (0.35,0.75)
    #[arg(long, value_delimiter = ',', conflicts_with = "match_run")]
    threshold: Vec<f64>,
    /// Keep as many links as this finished run does
    #[arg(long = "match", value_name = "RUN")]
    match_run: Option<PathBuf>,
    /// Rounds of pruning and retraining (default: 1; imp: as many as removing 5 % a round takes)
    #[arg(long)]
    rounds: Option<usize>,
    /// Where retraining starts (default: finetune; imp: rewind)
    #[arg(long, value_enum)]
    retrain: Option<RetrainName>,
    /// Genome whose layered wiring is the mask of --method evolved
    #[arg(long)]
    genome: Option<PathBuf>,
    #[command(flatten)]
    settings: TrainSettings,
    /// Folder of the pruned run; earlier rounds go to OUT/round-K
    #[arg(long)]
    out: PathBuf,
    /// Go on from the folder's checkpoint
    #[arg(long)]
    resume: bool,
}

/// Where retraining starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum RetrainName {
    /// From the pruned weights
    Finetune,
    /// From the initial weights of the first training (lottery ticket)
    Rewind,
    /// From new random weights
    Reinit,
}

#[derive(Serialize)]
struct RoundSummary {
    round: usize,
    rule: String,
    kept: usize,
    alive: usize,
    removed: usize,
}

#[derive(Serialize)]
struct Summary {
    run: String,
    parent: String,
    method: String,
    rounds: Vec<RoundSummary>,
    final_loss: f64,
    r2: f64,
    out: String,
}

pub fn run(args: PruneArgs, out: &Output) -> anyhow::Result<()> {
    let parent = load_run(&args.run)?;
    let from = parent.mask.kept();
    if args.rounds == Some(0) {
        return Err(Usage("--rounds: expected at least 1, found 0".into()).into());
    }
    let rounds = args.rounds.unwrap_or(1);
    let lottery = matches!(args.method, Method::Imp {});
    let budget = match &args.match_run {
        Some(path) => {
            let other = load_run(path)?;
            Some(other.config.pruned.map_or(other.result.kept, |p| p.kept))
        }
        None => args.budget,
    };
    let rules: Vec<Rule> = match (budget, args.threshold.as_slice()) {
        (Some(k), _) => {
            if k == 0 || k > from {
                anyhow::bail!(
                    "--budget: expected 1 to {from} links (those kept by {}), found {k}",
                    args.run.display()
                );
            }
            match lottery && args.rounds.is_none() {
                true => imp_global(from, IMP_GLOBAL, k),
                false => geometric(from, k, rounds),
            }
        }
        (None, []) => {
            return Err(Usage(
                "expected --budget K, --threshold T or --match RUN, found none".into(),
            )
            .into());
        }
        (None, [one]) => vec![Rule::Threshold(*one); rounds],
        (None, many) if args.rounds.is_none_or(|r| r == many.len()) => {
            many.iter().map(|&t| Rule::Threshold(t)).collect()
        }
        (None, many) => {
            let found = many.len();
            return Err(Usage(format!(
                "expected one threshold or {rounds} (one a round), found {found}"
            ))
            .into());
        }
    };
    let evolved = match &args.genome {
        Some(path) => {
            let layered = layerize(&genome::read(path)?);
            if layered.network.arch != parent.network.arch {
                anyhow::bail!(
                    "{}: expected a genome whose layered network is that of {}, found arch {}",
                    path.display(),
                    args.run.display(),
                    layered.arch()
                );
            }
            Some(Mask::non_zero(&layered.weights))
        }
        None => None,
    };
    let plan = PrunePlan {
        method: args.method,
        rules,
        retrain: match args.retrain.unwrap_or(if lottery {
            RetrainName::Rewind
        } else {
            RetrainName::Finetune
        }) {
            RetrainName::Finetune => Retrain::Finetune,
            RetrainName::Rewind => Retrain::Rewind { step: 0 },
            RetrainName::Reinit => Retrain::Reinit,
        },
        train: args.settings.config(Init {
            scale: args.settings.init_scale,
            ..Init::default()
        }),
        evolved,
    };
    let mut progress = TrainProgress::new(out, args.settings.steps);
    let (result, rounds) = prune_run(&parent, &plan, &args.out, args.resume, &mut progress)?;
    progress.bar.finish_and_clear();
    let summary = Summary {
        run: result.run_id.clone(),
        parent: parent.result.run_id,
        method: plan.method.to_string(),
        rounds: rounds
            .iter()
            .map(|r| RoundSummary {
                round: r.round,
                rule: r.rule.clone(),
                kept: r.kept,
                alive: r.alive,
                removed: r.change.removed.len(),
            })
            .collect(),
        final_loss: result.train.final_loss,
        r2: result.fit.r2,
        out: args.out.display().to_string(),
    };
    let mut text = format!("{} from {from} links\n", summary.method);
    for r in &summary.rounds {
        text += &format!(
            "round {}: {} -> {} kept, {} alive\n",
            r.round, r.rule, r.kept, r.alive
        );
    }
    text += &format!(
        "{}: loss {:.4e}, r2 {:.4}\n{}",
        describe(&result.train.stop),
        summary.final_loss,
        summary.r2,
        summary.out
    );
    out.result(&summary, &text)?;
    if result.train.stop == StopReason::Interrupted {
        anyhow::bail!(
            "interrupted; go on with --resume --out {}",
            args.out.display()
        );
    }
    Ok(())
}
