//! A script for GNU parallel: on this machine, or on hosts reached by ssh that share the folder.

use super::job::Job;
use crate::math::text::word;

pub(super) fn script(job: &Job<'_>) -> String {
    let r = job.resources;
    let mut options = match r.array_parallelism {
        Some(jobs) => format!(" --jobs {jobs}"),
        // As many as the cores have room for.
        None => {
            format!(" --jobs \"$(( $(nproc) / {} > 0 ? $(nproc) / {0} : 1 ))\"", r.cpus_per_task)
        }
    };
    if let Some(hosts) = &r.hosts {
        options += &format!(" --sshloginfile {} --workdir .", word(hosts.display()));
    }
    format!(
        r#"#!/bin/bash
# {about}
# Run it again after an interruption: finished cells are skipped.
set -euo pipefail
seq {tasks} | parallel{options} --joblog {log} --retries 3 --termseq TERM,5000,KILL,25 \
  {command} --shard '{{}}'/{tasks}
"#,
        about = job.about(),
        tasks = job.tasks,
        log = word(format!("{}.parallel.log", job.name)),
        command = job.command(),
    )
}
