//! What the scripts of all schedulers are written from.

use crate::experiment::plan::Plan;
use crate::math::text::word;
use std::path::PathBuf;

/// What a task may use. The names are Submitit's where it has one.
#[derive(Clone, Debug, PartialEq)]
pub struct Resources {
    /// Wall time of a task in minutes. Default: 240.
    pub timeout_min: u64,
    /// Memory of a task in GB. Default: 2.
    pub mem_gb: u64,
    /// Cores of a task, each of which works on a cell of its own. Default: 1.
    pub cpus_per_task: usize,
    /// Tasks at a time, at most; none: as many as the scheduler starts.
    pub array_parallelism: Option<usize>,
    /// Partition of Slurm.
    pub partition: Option<String>,
    /// Account of Slurm.
    pub account: Option<String>,
    /// More options of Slurm, as `constraint=avx512`.
    pub additional_parameters: Vec<(String, String)>,
    /// Cells of a task; none: as many as take half of its time.
    pub cells_per_task: Option<usize>,
    /// Tasks of an array, at most: `MaxArraySize` of Slurm. Default: 1000.
    pub array_limit: usize,
    /// Image of a container for Kubernetes.
    pub image: String,
    /// Claim of the volume that holds plan and store, for Kubernetes.
    pub volume: String,
    /// File of hosts for GNU parallel's `--sshloginfile`.
    pub hosts: Option<PathBuf>,
}

impl Default for Resources {
    fn default() -> Self {
        Resources {
            timeout_min: 240,
            mem_gb: 2,
            cpus_per_task: 1,
            array_parallelism: None,
            partition: None,
            account: None,
            additional_parameters: Vec::new(),
            cells_per_task: None,
            array_limit: 1000,
            image: "picloom".into(),
            volume: "picloom".into(),
            hosts: None,
        }
    }
}

/// Where things are, as the tasks see them.
#[derive(Clone, Debug, PartialEq)]
pub struct Places {
    /// The program, and what stands before `run PLAN` on its command line.
    pub command: Vec<String>,
    /// The plan.
    pub plan: String,
    /// The store.
    pub store: String,
}

/// What the scripts are written from.
pub(super) struct Job<'a> {
    pub(super) name: &'a str,
    pub(super) tasks: usize,
    pub(super) places: &'a Places,
    pub(super) resources: &'a Resources,
    pub(super) plan: &'a Plan,
}

/// A text within one line of a comment.
pub(super) fn one_line(text: &str) -> String {
    text.replace(char::is_control, " ")
}

impl Job<'_> {
    /// The head of a script's comment.
    pub(super) fn about(&self) -> String {
        let studies: Vec<&str> = self.plan.parts.iter().map(|part| part.study.as_str()).collect();
        format!(
            "{} cells of {} in {} tasks, about {:.1} core-hours by the estimate. Written by `picloom emit`.",
            self.plan.cells,
            one_line(&studies.join(", ")),
            self.tasks,
            self.plan.core_seconds / 3600.0
        )
    }

    /// `PROGRAM run PLAN --store STORE --threads N`, for a shell.
    pub(super) fn command(&self) -> String {
        let Places { command, plan, store } = self.places;
        let (plan, store) = (word(plan), word(store));
        let command: Vec<String> = command.iter().map(|part| word(part).to_string()).collect();
        let command = command.join(" ");
        format!("{command} run {plan} --store {store} --threads {}", self.resources.cpus_per_task)
    }
}
