//! Scripts that hand a plan's shares to a scheduler: many cells a task, as many tasks as fit the time limit.
//!
//! In: a plan and what a task may use, by the names Submitit has for it. Out: one script (or manifest) that
//! is read before it is run. No scheduler is asked anything here.

mod hq;
mod job;
mod k8s;
mod parallel;
mod slurm;

pub use job::{Places, Resources};

use super::Plan;
use crate::math::names::names;
use job::Job;

/// Who hands out the shares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scheduler {
    /// A job array of Slurm.
    Slurm,
    /// A HyperQueue job, submitted by its Python client.
    Hq,
    /// An Indexed Job of Kubernetes.
    K8s,
    /// GNU parallel on this machine or others reached by ssh.
    Parallel,
}

names! { Scheduler, "scheduler": Slurm "slurm", Hq "hq", K8s "k8s", Parallel "parallel" }

/// A script, and the number of its tasks.
#[derive(Clone, Debug, PartialEq)]
pub struct Script {
    /// Its text.
    pub text: String,
    /// Tasks: shares of the plan.
    pub tasks: usize,
}

/// The script of a scheduler for a plan. `name` is that of the job.
pub fn script(
    scheduler: Scheduler,
    plan: &Plan,
    name: &str,
    places: &Places,
    resources: &Resources,
) -> Script {
    let tasks = tasks(plan, resources);
    let job = Job { name, tasks, places, resources, plan };
    let text = match scheduler {
        Scheduler::Slurm => slurm::script(&job),
        Scheduler::Hq => hq::script(&job),
        Scheduler::K8s => k8s::manifest(&job),
        Scheduler::Parallel => parallel::script(&job),
    };
    Script { text, tasks }
}

/// So many that each has its cells, or takes half of its time by the estimate.
fn tasks(plan: &Plan, resources: &Resources) -> usize {
    let cells = plan.cells.max(1);
    let tasks = match resources.cells_per_task {
        Some(each) => cells.div_ceil(each.max(1)),
        None => {
            let half = 30.0 * resources.timeout_min as f64 * resources.cpus_per_task as f64;
            (plan.core_seconds / half.max(1.0)).ceil() as usize
        }
    };
    tasks.clamp(1, cells)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(cells: usize, core_seconds: f64) -> Plan {
        Plan {
            format: super::super::FORMAT.into(),
            version: super::super::VERSION.into(),
            cells,
            core_seconds,
            parts: Vec::new(),
            files: Vec::new(),
        }
    }

    fn emitted(scheduler: Scheduler, cells: usize, resources: &Resources) -> Script {
        let places = ["/opt/pic loom", "plan.jsonl", "runs"].map(String::from);
        let [program, plan_file, store] = places;
        let places = Places { command: vec![program], plan: plan_file, store };
        script(scheduler, &plan(cells, 36_000.0), "plan", &places, resources)
    }

    #[test]
    fn cells_are_packed_into_tasks_of_half_their_time_and_no_task_is_empty() {
        let resources = Resources { timeout_min: 60, cpus_per_task: 2, ..Resources::default() };
        // Ten core-hours; half an hour on two cores is one.
        assert_eq!(tasks(&plan(500, 36_000.0), &resources), 10);
        assert_eq!(tasks(&plan(4, 36_000.0), &resources), 4);
        assert_eq!(tasks(&plan(500, 0.0), &resources), 1);
        let packed = Resources { cells_per_task: Some(7), ..resources };
        assert_eq!(tasks(&plan(50, 36_000.0), &packed), 8);
    }

    #[test]
    fn an_array_above_the_limit_is_split_and_says_each_share_once() {
        let one = Resources { cells_per_task: Some(1), array_limit: 1000, ..Resources::default() };
        let text = emitted(Scheduler::Slurm, 900, &one).text;
        assert!(text.contains("--array=0-899") && text.contains("--index auto"), "{text}");
        let text = emitted(Scheduler::Slurm, 2500, &one).text;
        for array in ["submit 0 999", "submit 1000 999", "submit 2000 499"] {
            assert!(text.contains(array), "{array}: {text}");
        }
        assert!(text.contains("+ 1))/2500") && !text.contains("dependency"), "{text}");
        // Six at a time are six of all arrays: one waits for the other.
        let six = Resources { array_parallelism: Some(6), ..one };
        let text = emitted(Scheduler::Slurm, 2500, &six).text;
        assert!(text.contains("--dependency=afterany:\"$last\"} --export"), "{text}");
        assert!(text.contains("--array=\"0-$2%6\""), "{text}");
    }

    #[test]
    fn what_a_task_may_use_is_said_in_each_schedulers_words() {
        let resources = Resources {
            timeout_min: 90,
            mem_gb: 3,
            cpus_per_task: 4,
            array_parallelism: Some(6),
            partition: Some("short".into()),
            account: Some("art".into()),
            additional_parameters: vec![("constraint".into(), "avx512".into())],
            cells_per_task: Some(10),
            ..Resources::default()
        };
        let slurm = emitted(Scheduler::Slurm, 100, &resources).text;
        for line in [
            "--time=90",
            "--mem=3G",
            "--cpus-per-task=4",
            "--partition=short",
            "--account=art",
            "--constraint=avx512",
            "--array=0-9%6",
            "'/opt/pic loom' run",
            "scontrol requeue",
        ] {
            assert!(slurm.contains(line), "{line}: {slurm}");
        }
        let k8s = emitted(Scheduler::K8s, 100, &resources).text;
        for line in
            ["completions: 10", "parallelism: 6", "cpu: 4", "memory: 3G", "\"--shards\", \"10\""]
        {
            assert!(k8s.contains(line), "{line}: {k8s}");
        }
        let hq = emitted(Scheduler::Hq, 100, &resources).text;
        for line in ["range(10)", "ResourceRequest(cpus=4)", "\"/opt/pic loom\""] {
            assert!(hq.contains(line), "{line}: {hq}");
        }
        let parallel = emitted(Scheduler::Parallel, 100, &resources).text;
        assert!(parallel.contains("--jobs 6") && parallel.contains("seq 10"), "{parallel}");
    }
}
