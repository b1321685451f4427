//! `picloom experiment emit`: the script by which a scheduler starts the workers of a study.

use super::names::one_of;
use super::study::{Said, StudyArgs};
use crate::base::files::{LARGEST_CONFIG, read_text, write_atomic};
use crate::base::folder::ensure_file;
use crate::base::refusal::Refusal;
use crate::base::text::{word, word_of};
use crate::study::emit::{Scheduler, fill};
use crate::study::kinds::{Kind, read_study};
use crate::study::spec::Spec;
use crate::study::whole::{WholeSpec, parts};
use clap::Args;
use serde_json::json;
use std::path::PathBuf;

/// Words of the first line of every script, by which it is known again.
const MARK: &str = "each with its share of the cells of a study";

/// Which script is written, and what its tasks may use.
#[derive(Args)]
pub struct EmitArgs {
    /// Who starts the workers
    #[arg(value_parser = one_of::<Scheduler>())]
    scheduler: Scheduler,
    #[command(flatten)]
    study: StudyArgs,
    /// The script [default: the spec's name with .slurm.sh, .hq.py, .k8s.yaml or .parallel.sh]
    #[arg(long)]
    out: Option<PathBuf>,
    /// Tasks, each with its share of the cells
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..))]
    tasks: u32,
    /// Cores of a task, each with a cell of its own
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    cpus: u32,
    /// Wall time of a task in minutes
    #[arg(long, value_name = "N", default_value_t = 240, value_parser = clap::value_parser!(u32).range(1..))]
    minutes: u32,
    /// Memory of a task in GB
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u32).range(1..))]
    memory: u32,
    /// The program, as the tasks find it [default: this one's name]
    #[arg(long)]
    program: Option<String>,
    /// Kubernetes: image of the container
    #[arg(long, default_value = "picloom")]
    image: String,
    /// Kubernetes: claim of the volume with spec and store, seen as /work
    #[arg(long, default_value = "picloom")]
    volume: String,
    /// Template to fill instead of the one that comes with the program
    #[arg(long, value_name = "FILE")]
    template: Option<PathBuf>,
}

/// Writes the script. Its tasks call `words`, the program first, and then `run SPEC`.
pub(super) fn run(args: EmitArgs, kinds: &[Kind], words: &str) -> anyhow::Result<Said> {
    let StudyArgs { spec, profile, store, .. } = &args.study;
    parts(kinds, spec, profile.as_deref(), store)?;
    for (at, path) in [("SPEC", spec), ("--store", store)] {
        if path.to_str().is_none() {
            let found = word_of(path.as_os_str());
            let expected = "a path of UTF-8, as a script is text";
            return Err(Refusal::new(at, expected, found).advising("rename it").into());
        }
    }
    let (own, extension) = args.scheduler.template();
    let read = args.template.as_deref().map(|path| {
        read_text(path, LARGEST_CONFIG)
            .map_err(|e| anyhow::anyhow!("{}: expected a template: {e}", path.display()))
    });
    let read = read.transpose()?;
    let template = read.as_deref().unwrap_or(own);
    let stem = spec.file_stem().unwrap_or_default().to_string_lossy().to_lowercase();
    // As Kubernetes has names, which are the strictest.
    let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '-' };
    let name: String = stem.chars().take(40).map(plain).collect();
    let name = format!("picloom-{}", name.trim_matches('-')).trim_end_matches('-').to_string();
    let (program, rest) = words.split_once(' ').unwrap_or((words, ""));
    let program = word(args.program.as_deref().unwrap_or(program)).to_string();
    let mut command = format!("{program} {rest}").trim_end().to_string();
    command += &format!(" run {} --store {}", word(spec.display()), word(store.display()));
    if let Some(profile) = profile {
        command += &format!(" --profile {}", word(profile));
    }
    command += &format!(" --threads {}", args.cpus);
    let values = [
        ("command", command),
        ("name", name),
        ("tasks", args.tasks.to_string()),
        ("cpus", args.cpus.to_string()),
        ("minutes", args.minutes.to_string()),
        ("memory", args.memory.to_string()),
        ("image", args.image),
        ("volume", args.volume),
    ];
    let script = fill(template, &values)?;
    let path = args.out.unwrap_or_else(|| PathBuf::from(format!("{stem}.{extension}")));
    ensure_file(&path, "an earlier script", MARK)?;
    write_atomic(&path, script.as_bytes())?;
    let json = json!({ "script": path.to_string_lossy(), "tasks": args.tasks });
    let mut text = format!("{}: {} tasks", path.display(), args.tasks);
    let file = args.study.file()?;
    if file.kind() != WholeSpec::KIND {
        let cells = read_study(kinds, file, args.study.profile.as_deref(), &args.study.store)?;
        let cells = cells.count();
        if cells < args.tasks as usize {
            text += &format!(
                "\nthe study has {cells} cells: of more tasks the others find nothing to do"
            );
        }
    }
    Ok((json, text))
}
