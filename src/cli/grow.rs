//! `picloom grow`: a network that grows while it learns a picture.

use super::interrupt::{self, Interrupted};
use super::names::one_of;
use super::output::{Output, tell_begins};
use super::settings::{Laid, with_default};
use super::source::{check_size, fit_help};
use super::train::{TrainSettings, tell_palette};
use crate::base::lock::FolderLock;
use crate::network::{Coords, Squaring};
use crate::run::{GrowJob, RunResult, finished, grow_run, load_target};
use crate::train::grow::{GrowConfig, GrowState, Stage};
use crate::train::{StopReason, TrainObserver, TrainState};
use clap::Args;
use std::path::{Path, PathBuf};

#[derive(Args)]
#[command(mut_arg("lr", |arg| with_default(arg, "0.03")))]
#[command(mut_arg("schedule", |arg| with_default(arg, "cosine")))]
#[command(mut_arg("log_every", |arg| with_default(arg, "50")))]
// Growth has goals of its own and refuses these.
#[command(mut_arg("target_loss", |arg| arg.hide(true)))]
#[command(mut_arg("checkpoints", |arg| arg.hide(true)))]
#[command(mut_arg("subsample", |arg| arg.hide(true)))]
pub struct GrowArgs {
    /// Picture or genome to draw
    #[arg(long, value_name = "IMG|GENOME")]
    target: PathBuf,
    #[arg(long, help = fit_help(), value_parser = one_of::<Squaring>())]
    fit: Option<Squaring>,
    /// Side of the picture in pixels
    #[arg(long, default_value_t = 64)]
    size: usize,
    /// Coordinate convention
    #[arg(long, default_value = "fer", value_parser = one_of::<Coords>())]
    coords: Coords,
    /// Folder of the run
    #[arg(long)]
    out: PathBuf,
    /// Go on from the folder's last stage
    #[arg(long)]
    resume: bool,
    // First: --steps is that of a stage.
    #[command(flatten)]
    grow: Laid<GrowConfig>,
    #[command(flatten)]
    settings: TrainSettings,
}

pub fn run(args: GrowArgs, out: &Output) -> anyhow::Result<()> {
    let size = check_size(args.size)?;
    let target = load_target(&args.target, size, args.coords, args.fit)?;
    tell_palette(&args.target, out)?;
    let grow = args.grow.over(&GrowConfig::default())?;
    let train = args.settings.config_over(GrowConfig::recipe())?;
    let arm = format!("grown-{}", grow.by);
    let most = grow.most_links as u64;
    let job = GrowJob::new(&arm, &target, args.coords, grow, train)?;
    tell_begins(&args.out, args.resume, out);
    // A finished run is only read, perhaps where nothing can be written.
    let _lock = match finished(&args.out, &job.config, args.resume)? {
        Some(_) => None,
        None => Some(FolderLock::take(&args.out)?),
    };
    interrupt::saves_for_resume(&args.out);
    let bar = out.progress(most, "links").without_estimate();
    let told = &mut |state: &GrowState| {
        let leads = state.lead.as_ref().filter(|_| state.own.stages.is_empty());
        let Some(stage) = leads.unwrap_or(&state.own).stages.last() else { return };
        bar.set_position(stage.links as u64);
        bar.set_message(says(stage, leads.is_some()));
    };
    let result = grow_run(&args.out, &job, args.resume, &mut Asked, told)?;
    bar.finish_and_clear();
    match result {
        Some(result) => report(&args.out, &result, out),
        None => Err(Interrupted.into()),
    }
}

/// Stops a stage when asked to.
struct Asked;

impl TrainObserver for Asked {
    fn step_done(&mut self, _: &TrainState) -> bool {
        !interrupt::asked()
    }
}

fn says(stage: &Stage, leads: bool) -> String {
    let of = if leads { " (by gradient, for its counts)" } else { "" };
    format!("{} units, {} added, r2 {:.4}{of}", stage.units, stage.added.name(), stage.r2)
}

fn report(folder: &Path, result: &RunResult, out: &Output) -> anyhow::Result<()> {
    let stop = match result.train.stop {
        StopReason::TargetLoss => "the picture is learned",
        StopReason::Plateau => "nothing more helps",
        StopReason::StepLimit => "no more links may be added",
        _ => "its first network drew one colour",
    };
    let text = format!(
        "run {} ({}): {stop} after {} steps\n{} links\nloss {:.4e}, r2 {:.4}\n{}",
        result.run_id,
        result.arm,
        result.train.steps,
        result.links,
        result.train.final_loss,
        result.fit.r2,
        folder.display(),
    );
    out.result(result, &text)
}
