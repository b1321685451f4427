//! A script for Slurm that submits itself as one or several job arrays.

use super::job::Job;
use crate::math::text::word;

/// Seconds before the time limit at which a task is told to end.
const WARNING: u64 = 60;

pub(super) fn script(job: &Job<'_>) -> String {
    let r = job.resources;
    let mut options = vec![
        format!("--job-name={}", word(job.name)),
        format!("--time={}", r.timeout_min),
        format!("--mem={}G", r.mem_gb),
        format!("--cpus-per-task={}", r.cpus_per_task),
        // The shell is told, which tells the worker and then queues the task again.
        format!("--signal=B:USR1@{WARNING}"),
        "--requeue".into(),
        "--open-mode=append".into(),
        format!("--output={}-%A_%a.log", word(job.name)),
    ];
    options.extend(r.partition.iter().map(|name| format!("--partition={}", word(name))));
    options.extend(r.account.iter().map(|name| format!("--account={}", word(name))));
    options.extend(r.additional_parameters.iter().map(|(k, v)| format!("--{k}={}", word(v))));
    let options: String = options.iter().map(|option| format!("#SBATCH {option}\n")).collect();
    let at_a_time = r.array_parallelism.map_or(String::new(), |n| format!("%{n}"));
    let (submit, share) = if job.tasks <= r.array_limit {
        let last = job.tasks - 1;
        (format!("  sbatch --array=0-{last}{at_a_time} \"$0\"\n"), "--index auto".to_string())
    } else {
        // With a limit on the tasks at a time one array waits for the one before: each has its own limit.
        let waits = match r.array_parallelism {
            Some(_) => "${last:+--dependency=afterany:\"$last\"} ",
            None => "",
        };
        let mut lines = format!(
            "  submit() {{\n    last=$(sbatch --parsable {waits}--export=ALL,PICLOOM_FIRST=\"$1\" --array=\"0-$2{at_a_time}\" \"$0\") || exit\n    echo \"Submitted batch job $last\"\n  }}\n"
        );
        for first in (0..job.tasks).step_by(r.array_limit.max(1)) {
            let last = r.array_limit.min(job.tasks - first) - 1;
            lines += &format!("  submit {first} {last}\n");
        }
        let share =
            format!("--shard \"$((PICLOOM_FIRST + SLURM_ARRAY_TASK_ID + 1))/{}\"", job.tasks);
        (lines, share)
    };
    format!(
        r#"#!/bin/bash
# {about}
# Run it where `sbatch` is: it submits itself.
{options}
if [ -z "${{SLURM_ARRAY_TASK_ID:-}}" ]; then
{submit}  exit
fi

{command} {share} &
worker=$!
# Near the time limit: the worker saves what it has and gives its cells back, and the task is queued again.
trap 'out_of_time=1; kill -USR1 "$worker"' USR1
# Cancelled or preempted: the same, and Slurm decides.
trap 'kill -TERM "$worker"' TERM
wait "$worker"
code=$?
while kill -0 "$worker" 2>/dev/null; do
  wait "$worker"
  code=$?
done
if [ -n "${{out_of_time:-}}" ] && [ "$code" -eq 130 ]; then
  scontrol requeue "${{SLURM_ARRAY_JOB_ID}}_$SLURM_ARRAY_TASK_ID"
fi
exit "$code"
"#,
        about = job.about(),
        command = job.command(),
    )
}
