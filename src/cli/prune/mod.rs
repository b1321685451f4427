//! `picloom prune`: remove links of a finished run and retrain what is left.

mod pictures;

use super::interrupt::Interrupted;
use super::names::one_of;
use super::output::{Output, tell_begins};
use super::settings::Laid;
use super::source::{Usage, check_size, fit_help};
use super::train::{TrainProgress, TrainSettings, describe, diverged};
use crate::base::lock::FolderLock;
use crate::base::refusal::Refusal;
use crate::experiment::{PruneParent, prune_into};
use crate::network::weight_files::read_weights;
use crate::network::{Arch, Coords, Mask, Model, Squaring, Wiring, layerize, read_genome};
use crate::prune::schedule::Aim;
use crate::prune::{Method, Need, RoundRecord};
use crate::run::{load_mask, load_run, load_target};
use crate::train::StopReason;
use clap::Args;
use serde_json::json;
use std::path::{Path, PathBuf};

#[derive(Args)]
pub(super) struct PruneArgs {
    /// Folder of the finished run to prune (or --arch with --params and --target)
    run: Option<PathBuf>,
    /// Arch string of a layered network instead of a run, with --params and --target
    #[arg(long, conflicts_with = "run", requires_all = ["params", "target"])]
    arch: Option<Arch>,
    /// Trained weights of --arch (.npz or .safetensors)
    #[arg(long, requires = "arch", value_name = "FILE")]
    params: Option<PathBuf>,
    /// Weights before the training of --params, which rewinding goes back to
    #[arg(long, requires = "arch", value_name = "FILE")]
    initial: Option<PathBuf>,
    /// Links of --arch to prune from (mask.json of a run; default: all)
    #[arg(long, requires = "arch", value_name = "FILE")]
    mask: Option<PathBuf>,
    /// Picture or genome that --arch draws
    #[arg(long, requires = "arch", value_name = "IMG|GENOME")]
    target: Option<PathBuf>,
    #[arg(long, requires = "target", help = fit_help(), value_parser = one_of::<Squaring>())]
    fit: Option<Squaring>,
    /// Side of the picture in pixels, with --arch (default: 128)
    #[arg(long, requires = "arch")]
    size: Option<usize>,
    /// Coordinate convention, with --arch [default: fer]
    #[arg(long, requires = "arch", value_parser = one_of::<Coords>())]
    coords: Option<Coords>,
    /// Keep as many links as this finished run does; layer-counts, rewired and same-links also copy of its mask
    #[arg(long = "match", value_name = "RUN", conflicts_with_all = ["budget", "threshold"])]
    match_run: Option<PathBuf>,
    /// Genome whose layered wiring is the mask of --method evolved
    #[arg(long)]
    genome: Option<PathBuf>,
    /// Folder of the pruned run; earlier rounds go to OUT/round-K
    #[arg(long)]
    out: PathBuf,
    /// Go on from the folder's checkpoint
    #[arg(long)]
    resume: bool,
    /// Do not draw each round's wiring, change and feature maps
    #[arg(long)]
    no_pictures: bool,
    #[command(flatten)]
    aim: Laid<Aim>,
    #[command(flatten)]
    settings: TrainSettings,
}

/// Loads the network to prune.
fn parent(args: &PruneArgs) -> anyhow::Result<PruneParent> {
    let (arch, params, target) = match (&args.run, &args.arch, &args.params, &args.target) {
        (Some(folder), ..) => return Ok(PruneParent::of_run(&load_run(folder)?)),
        (None, Some(arch), Some(params), Some(target)) => (arch, params, target),
        _ => {
            let expected = "expected a RUN folder, or --arch A with --params X and --target T";
            return Err(Usage(format!("{expected}; found neither")).into());
        }
    };
    let network = arch.network();
    let mut weights = read_weights(params, &network)?;
    let mut initial = match &args.initial {
        Some(path) => Some(read_weights(path, &network)?),
        None => None,
    };
    let mask = match &args.mask {
        Some(path) => load_mask(path, &network)?,
        None => Mask::all(network.weight_count()),
    };
    mask.apply(&mut weights);
    initial.iter_mut().for_each(|initial| mask.apply(initial));
    let coords = args.coords.unwrap_or_default();
    let target = load_target(target, check_size(args.size.unwrap_or(128))?, coords, args.fit)?;
    Ok(PruneParent::given(Model { network, mask, weights }, initial, &target, coords))
}

/// The values taken from the run of `--match`.
struct Matched {
    /// Links to keep.
    kept: usize,
    /// The mask to copy, of methods that copy one.
    pattern: Vec<Mask>,
}

/// How many links the run at `path` kept; for a method that copies its mask, how many live ones, and which.
fn matched(path: &Path, method: Method, parent: &Model) -> anyhow::Result<Matched> {
    let other = load_run(path)?;
    if !method.row().needs.contains(&Need::Pattern) {
        let kept = other.config.pruned.map_or(other.result.kept, |pruned| pruned.kept);
        return Ok(Matched { kept, pattern: Vec::new() });
    }
    let arch = |model: &Model| {
        model.network.arch.as_ref().map_or("a graph".to_string(), ToString::to_string)
    };
    let (expected, found) = (arch(parent), arch(&other.model));
    if expected != found {
        anyhow::bail!(
            "{}: expected a run of the same arch, for {method} copies its mask: {expected}, found {found}",
            path.display()
        );
    }
    let mask = other.model.mask;
    Ok(Matched { kept: mask.kept(), pattern: vec![mask] })
}

/// Makes a usage error of an aim that leads to no rounds, in terms of the options.
fn told(refusal: Refusal, match_run: Option<&Path>) -> Refusal {
    match (refusal.at.as_str(), refusal.found.as_str(), match_run) {
        ("budget", _, Some(path)) => {
            Refusal { at: format!("--match {}", path.display()), ..refusal }
        }
        ("", "none", _) => Refusal {
            expected: "--budget K, --threshold T or --match RUN (imp: or --rounds R)".into(),
            ..refusal
        },
        ("", ..) => refusal,
        _ => refusal.prefixed("--"),
    }
}

pub(super) fn run(args: PruneArgs, out: &Output) -> anyhow::Result<()> {
    let parent = parent(&args)?;
    let model = &parent.trained.model;
    let from = model.mask.kept();
    let mut aim = args.aim.over(&Aim::default())?;
    let matched = args.match_run.as_deref().map(|path| matched(path, aim.method, model));
    let matched = matched.transpose()?;
    aim.budget = matched.as_ref().map(|matched| matched.kept).or(aim.budget);
    let plan = aim.plan(model, args.settings.config()?);
    let mut plan = plan.map_err(|error| told(error, args.match_run.as_deref()))?;
    let evolved = match &args.genome {
        Some(path) => {
            let layered = layerize(&read_genome(path, Wiring::Layerized)?);
            if layered.network.arch != model.network.arch {
                anyhow::bail!(
                    "{}: expected a genome whose layered network is that of the run, {}, found arch {}",
                    path.display(),
                    model.network.arch.as_ref().map_or("a graph".to_string(), ToString::to_string),
                    layered.arch()
                );
            }
            Some(Mask::non_zero(&layered.weights))
        }
        None => None,
    };
    if let (Method::Evolved(_), None) = (aim.method, &evolved) {
        let why = "expected --genome, whose layered network has the mask; found none";
        return Err(Usage(format!("--method evolved: {why}")).into());
    }
    let pattern = matched.map_or(Vec::new(), |matched| matched.pattern);
    (plan.evolved, plan.pattern) = (evolved, pattern);
    plan.method = plan.method.found()?;
    tell_begins(&args.out, args.resume, out);
    let _lock = FolderLock::take(&args.out)?;
    let mut progress = TrainProgress::new(out, plan.train.steps, &args.out);
    let (result, rounds) = prune_into(&parent, &plan, &args.out, args.resume, &mut progress)?;
    progress.bar.finish_and_clear();
    let is_interrupted = result.train.stop == StopReason::Interrupted;
    if !args.no_pictures && !is_interrupted {
        pictures::draw(model, &args.out, &rounds, plan.rules.len())?;
    }
    let (method, loss, r2) = (plan.method.to_string(), result.train.final_loss, result.fit.r2);
    let (mut made, mut text) = (Vec::new(), format!("{method} from {from} links\n"));
    for RoundRecord { round, rule, kept, alive, change, cost, .. } in &rounds {
        let gradients = cost.choosing + cost.training;
        text += &format!(
            "round {round}: {rule} -> {kept} kept, {alive} alive, {gradients} gradients\n"
        );
        made.push(json!({
            "round": round, "rule": rule, "kept": kept, "alive": alive,
            "removed": change.removed.len(), "gradients": gradients,
        }));
    }
    let (stop, folder) = (describe(&result.train.stop), args.out.display().to_string());
    text += &format!("{stop}: loss {loss:.4e}, r2 {r2:.4}\n{folder}");
    let json = json!({
        "run": result.run_id, "parent": parent.trained.name, "method": method, "rounds": made,
        "final_loss": loss, "r2": r2, "out": folder,
    });
    out.result(&json, &text)?;
    if is_interrupted { Err(Interrupted.into()) } else { diverged(&result.train.stop) }
}
