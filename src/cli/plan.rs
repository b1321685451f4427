//! `picloom plan`, `run`, `status`, `collect` and `emit`: studies on more than one machine. A program with
//! kinds of study of its own hands these in.

use super::interrupt::{self, Interrupted};
use super::names::one_of;
use super::output::Output;
use super::progress::duration;
use super::source::Usage;
use super::study::{Said, Watch};
use crate::experiment::cells::{TRIES, Worker};
use crate::experiment::kinds::Kind;
use crate::experiment::lease::{BEAT, Leases};
use crate::experiment::plan::emit::{Places, Resources, Scheduler, script};
use crate::experiment::plan::{self, Plan, Planned, Share};
use crate::experiment::record::{ROWS, STUDY};
use crate::experiment::single::{Settings, write_single};
use crate::math::text::word;
use crate::network::files::write_atomic;
use crate::run::folder::{FolderKind, ensure_file};
use clap::Args;
use serde_json::json;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// Which studies are planned, and where the plan is written.
#[derive(Args)]
pub struct PlanArgs {
    /// Specs (.toml); that of a whole study stands for its parts
    #[arg(required = true, value_name = "SPEC")]
    specs: Vec<PathBuf>,
    /// Profile: standard, or one of the specs'
    #[arg(long)]
    profile: Option<String>,
    /// The plan
    #[arg(long, default_value = "plan.jsonl")]
    out: PathBuf,
    /// Run store with records that decide cells of the plan
    #[arg(long, default_value = "runs")]
    runs: PathBuf,
    /// Measure cells of each study for so many seconds, and say how long all take
    #[arg(
        long,
        value_name = "SECONDS",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "5"
    )]
    estimate: Option<f64>,
}

/// Which share of which plan is worked through.
#[derive(Args)]
pub struct RunArgs {
    /// Plan (.jsonl)
    plan: PathBuf,
    /// Only share I of N, from 1/N to N/N; several workers with one share, or without, divide it as they go
    #[arg(long, value_name = "I/N", conflicts_with_all = ["index", "shards"])]
    shard: Option<Share>,
    /// auto: the share that Slurm, HyperQueue, Kubernetes, PBS or SGE says by its array's variables
    #[arg(long, value_name = "auto", value_parser = ["auto"])]
    index: Option<String>,
    /// Number of shares, where the scheduler does not say it
    #[arg(long, value_name = "N", requires = "index")]
    shards: Option<usize>,
    #[command(flatten)]
    store: StoreArgs,
    /// Seconds between two signs of life; a worker silent for six of them loses its cells
    #[arg(long, value_name = "SECONDS", default_value_t = BEAT.as_secs_f64())]
    beat: f64,
    /// Also try cells again that were set aside
    #[arg(long)]
    retry: bool,
}

/// The store of a plan.
#[derive(Args)]
pub struct StoreArgs {
    /// Folder of the run store, the same for all workers
    #[arg(long, default_value = "runs")]
    store: PathBuf,
}

/// Which plan is counted.
#[derive(Args)]
pub struct StatusArgs {
    /// Plan (.jsonl)
    plan: PathBuf,
    #[command(flatten)]
    store: StoreArgs,
}

/// Which plan's records are written.
#[derive(Args)]
pub struct CollectArgs {
    /// Plan (.jsonl)
    plan: PathBuf,
    #[command(flatten)]
    store: StoreArgs,
}

/// Which script is written, and what its tasks may use.
#[derive(Args)]
pub struct EmitArgs {
    /// Who hands out the shares
    #[arg(value_parser = one_of::<Scheduler>())]
    scheduler: Scheduler,
    /// Plan (.jsonl)
    plan: PathBuf,
    /// The script [default: the plan's name with .slurm.sh, .hq.py, .k8s.yaml or .parallel.sh]
    #[arg(long)]
    out: Option<PathBuf>,
    #[command(flatten)]
    store: StoreArgs,
    /// The program, as the tasks find it [default: this one's name]
    #[arg(long)]
    program: Option<String>,
    /// Cells of a task [default: as many as take half of its time]
    #[arg(long, value_name = "N", value_parser = at_least_one)]
    cells_per_task: Option<usize>,
    /// Wall time of a task in minutes
    #[arg(long, alias = "timeout_min", value_name = "N", default_value_t = Resources::default().timeout_min, value_parser = clap::value_parser!(u64).range(1..))]
    timeout_min: u64,
    /// Memory of a task in GB
    #[arg(long, alias = "mem_gb", value_name = "N", default_value_t = Resources::default().mem_gb, value_parser = clap::value_parser!(u64).range(1..))]
    mem_gb: u64,
    /// Cores of a task, each with a cell of its own
    #[arg(long, alias = "cpus_per_task", value_name = "N", default_value_t = Resources::default().cpus_per_task, value_parser = at_least_one)]
    cpus_per_task: usize,
    /// Tasks at a time, at most
    #[arg(long, alias = "array_parallelism", value_name = "N", value_parser = at_least_one)]
    array_parallelism: Option<usize>,
    /// Slurm: partition
    #[arg(long)]
    partition: Option<String>,
    /// Slurm: account
    #[arg(long)]
    account: Option<String>,
    /// Slurm: one more option, as constraint=avx512; may be given again
    #[arg(long, alias = "additional_parameters", value_name = "KEY=VALUE", value_parser = pair)]
    additional_parameters: Vec<(String, String)>,
    /// Slurm: tasks of an array, at most (MaxArraySize)
    #[arg(long, value_name = "N", default_value_t = Resources::default().array_limit, value_parser = at_least_one)]
    array_limit: usize,
    /// Kubernetes: image of the container
    #[arg(long, default_value_t = Resources::default().image)]
    image: String,
    /// Kubernetes: claim of the volume with plan and store, seen as /work
    #[arg(long, default_value_t = Resources::default().volume)]
    volume: String,
    /// parallel: file of hosts to reach by ssh
    #[arg(long, value_name = "FILE")]
    hosts: Option<PathBuf>,
}

fn pair(text: &str) -> Result<(String, String), String> {
    let pair = text.split_once('=').filter(|(key, _)| !key.is_empty());
    let pair = pair.ok_or_else(|| format!("expected KEY=VALUE, found {text:?}"))?;
    Ok((pair.0.to_string(), pair.1.to_string()))
}

/// Writes the spec of a study of one picture or genome, instead of doing it.
pub(super) fn write_spec<S: Settings>(
    subject: &Path,
    settings: S,
    path: &Path,
) -> anyhow::Result<Said> {
    write_single(subject, settings, path)?;
    let text = format!(
        "{}
plan it with `picloom plan {}`",
        path.display(),
        word(path.display())
    );
    Ok((json!({ "spec": path, "kind": S::KIND }), text))
}

/// `340.5 core-hours`.
fn core_hours(core_seconds: f64) -> String {
    match core_seconds < 3600.0 {
        true => format!("{} of one core", duration(core_seconds)),
        false => format!("{:.1} core-hours", core_seconds / 3600.0),
    }
}

/// Writes a plan.
pub fn plan(args: PlanArgs, kinds: &[Kind], out: &Output) -> anyhow::Result<()> {
    ensure_file(&args.out, "an earlier plan", "\"picloom-plan/")?;
    let planned = Planned::new(kinds, &args.specs, args.profile.as_deref(), &args.runs)?;
    planned.write(&args.out)?;
    let plan = &planned.plan;
    let mut text = String::new();
    for part in &plan.parts {
        let after = part.after.as_ref().map_or(String::new(), |study| format!(", after {study}"));
        let costs = core_hours(part.core_seconds);
        text += &format!(
            "{} ({}): {} cells{after}, about {costs}\n",
            part.study, part.profile, part.cells
        );
    }
    text += &format!(
        "{} cells, about {} by the estimate: {}",
        plan.cells,
        core_hours(plan.core_seconds),
        args.out.display()
    );
    let mut json = json!({
        "plan": args.out, "id": plan.id(), "cells": plan.cells, "core_seconds": plan.core_seconds,
        "parts": plan.parts,
    });
    if let Some(seconds) = args.estimate {
        json["estimate"] = estimate(&planned, seconds, &mut text)?;
    }
    out.result(&json, &text)
}

/// Measures, and says what came out.
fn estimate(
    planned: &Planned,
    seconds: f64,
    text: &mut String,
) -> anyhow::Result<serde_json::Value> {
    let time = Duration::try_from_secs_f64(seconds);
    let time =
        time.map_err(|e| Usage(format!("--estimate: expected seconds, found {seconds}: {e}")))?;
    let scratch = std::env::temp_dir().join(format!("picloom-estimate-{}", std::process::id()));
    let folder = scratch.clone();
    interrupt::saves_and(move || drop(std::fs::remove_dir_all(&folder)));
    let measured = planned.measure(time, &scratch, &mut || !interrupt::asked());
    let _ = std::fs::remove_dir_all(&scratch);
    let Some(estimates) = measured? else {
        return Err(Interrupted.into());
    };
    *text += "\n\nmeasured on this machine:\n";
    for e in &estimates {
        let factor =
            e.factor.map_or("not measured in time".into(), |f| format!("{f:.2} of the estimate"));
        let (all, longest) = (core_hours(e.core_seconds), duration(e.longest));
        *text += &format!(
            "{}: {} cells, about {all} ({factor}), the longest {longest}\n",
            e.study, e.cells
        );
    }
    let mut walls = serde_json::Map::new();
    for cores in [rayon::current_num_threads(), 100, 1000] {
        let wall = plan::wall(&estimates, cores);
        *text += &format!("on {cores} cores: about {}\n", duration(wall));
        walls.insert(cores.to_string(), wall.into());
    }
    let memory = estimates.iter().filter_map(|e| e.memory_mb).fold(0.0, f64::max);
    *text +=
        &format!("memory of a worker with one cell at a time: at most {memory:.0} MB until now");
    Ok(json!({ "studies": estimates, "wall_seconds": walls, "memory_mb": memory }))
}

/// Works through a share of a plan.
pub fn run(args: RunArgs, kinds: &[Kind], out: &Output) -> anyhow::Result<()> {
    let share = match (&args.shard, &args.index) {
        (Some(share), _) => *share,
        (None, Some(_)) => Share::auto(|name| std::env::var(name).ok(), args.shards)?,
        (None, None) => Share::default(),
    };
    let beat = Duration::try_from_secs_f64(args.beat).ok().filter(|beat| !beat.is_zero());
    let beat = beat
        .ok_or_else(|| Usage(format!("--beat: expected seconds above 0, found {}", args.beat)))?;
    let plan = Plan::read(&args.plan)?;
    let store = &args.store.store;
    FolderKind::ensure_store(store)?;
    let worker = Worker { leases: Arc::new(Leases::new(beat)), tries: Some(TRIES) };
    let leases = Arc::clone(&worker.leases);
    interrupt::saves_and(move || leases.release_all());
    if args.retry {
        plan.try_again(store)?;
    }
    let mut watch = Watch::new(out, 0, "cells", None);
    let ended = plan::work(kinds, &plan, store, share, &worker, &mut watch);
    watch.bar.finish_and_clear();
    let ended = ended?;
    if ended.is_stopped {
        return Err(Interrupted.into());
    }
    let json = json!({ "plan": args.plan, "done": ended.done, "set_aside": ended.aside });
    out.result(&json, &format!("{} cells done here, {} set aside", ended.done, ended.aside))?;
    if ended.aside > 0 {
        let line = said_again("status", &args.plan, store);
        anyhow::bail!(
            "{} cells failed {TRIES} times and were set aside; `{line}` says why",
            ended.aside
        );
    }
    Ok(())
}

/// `picloom COMMAND PLAN --store STORE`.
fn said_again(command: &str, plan: &Path, store: &Path) -> String {
    format!("picloom {command} {} --store {}", word(plan.display()), word(store.display()))
}

/// Says how far a plan is.
pub fn status(args: &StatusArgs, kinds: &[Kind], out: &Output) -> anyhow::Result<()> {
    let plan = Plan::read(&args.plan)?;
    let status = plan::status(kinds, &plan, &args.plan, &args.store.store)?;
    let aside = status.failed.iter().filter(|cell| cell.is_set_aside).count();
    let mut text = format!(
        "{} of {} cells done, {} running, {} failed ({aside} set aside), {} waiting\nabout {} left",
        status.done,
        status.cells,
        status.running.len(),
        status.failed.len(),
        status.waiting,
        core_hours(status.core_seconds_left)
    );
    if let Some(seconds) = status.seconds_left {
        text += &format!(", {} as many at a time as now", duration(seconds));
    }
    text += "\n";
    for cell in &status.running {
        let dead = if cell.is_dead { ", which is dead: another worker takes over" } else { "" };
        text += &format!(
            "running: {}, {}: on {}, process {}{dead}\n",
            cell.study, cell.cell, cell.host, cell.process
        );
    }
    for cell in &status.failed {
        let state = if cell.is_set_aside { "set aside" } else { "failed" };
        text += &format!(
            "{state}: {}, {} ({}), tried {} times\n  {}\n",
            cell.study, cell.cell, cell.id, cell.tries, cell.error
        );
    }
    out.result(&status, &text)
}

/// Writes the records of a plan.
pub fn collect(args: &CollectArgs, kinds: &[Kind], out: &Output) -> anyhow::Result<()> {
    let plan = Plan::read(&args.plan)?;
    let (mut rows, mut text) = (Vec::new(), String::new());
    for (study, found) in plan::collect(kinds, &plan, &args.store.store)? {
        let rows_at = found.folder.join(ROWS);
        text += &format!("{}\nrows: {}\n", found.summary.trim_end(), rows_at.display());
        rows.push(json!({ "study": study, "rows": rows_at, "head": found.folder.join(STUDY) }));
    }
    out.result(&json!({ "plan": args.plan, "studies": rows }), &text)
}

/// Reads a count of which none makes no sense.
fn at_least_one(text: &str) -> Result<usize, String> {
    let found = text.parse().ok().filter(|count| *count > 0);
    found.ok_or_else(|| format!("expected a whole number of at least 1, found {text}"))
}

/// Writes a scheduler's script; tasks call the `program` and then these `words` before `run PLAN`.
pub fn emit(args: EmitArgs, (program, words): (&str, &[&str]), out: &Output) -> anyhow::Result<()> {
    let plan = Plan::read(&args.plan)?;
    let resources = Resources {
        timeout_min: args.timeout_min,
        mem_gb: args.mem_gb,
        cpus_per_task: args.cpus_per_task,
        array_parallelism: args.array_parallelism,
        partition: args.partition,
        account: args.account,
        additional_parameters: args.additional_parameters,
        cells_per_task: args.cells_per_task,
        array_limit: args.array_limit,
        image: args.image,
        volume: args.volume,
        hosts: args.hosts,
    };
    let extension = match args.scheduler {
        Scheduler::Slurm => "slurm.sh",
        Scheduler::Hq => "hq.py",
        Scheduler::K8s => "k8s.yaml",
        Scheduler::Parallel => "parallel.sh",
    };
    let stem = args.plan.file_stem().unwrap_or_default().to_string_lossy();
    let plain = |c: char| if c.is_ascii_alphanumeric() || c == '_' { c } else { '-' };
    let name: String = stem.chars().map(plain).collect();
    let places = Places {
        command: [args.program.as_deref().unwrap_or(program)]
            .into_iter()
            .chain(words.iter().copied())
            .map(String::from)
            .collect(),
        plan: args.plan.display().to_string(),
        store: args.store.store.display().to_string(),
    };
    let script = script(args.scheduler, &plan, &name, &places, &resources);
    let path = args.out.unwrap_or_else(|| args.plan.with_extension(extension));
    ensure_file(&path, "an earlier script", "Written by `picloom emit`")?;
    write_atomic(&path, script.text.as_bytes())?;
    let json = json!({ "script": path, "tasks": script.tasks, "cells": plan.cells });
    out.result(&json, &format!("{}: {} tasks", path.display(), script.tasks))
}
