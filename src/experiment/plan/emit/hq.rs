//! A Python script that submits a job to HyperQueue, by its client.

use super::job::{Job, Places, one_line};

/// A text as Python writes it; JSON's texts are Python's.
fn text(value: &str) -> String {
    serde_json::to_string(value).expect("a text is plain data")
}

pub(super) fn script(job: &Job<'_>) -> String {
    let Places { command, plan, store } = job.places;
    let r = job.resources;
    format!(
        r#"#!/usr/bin/env python3
# {about}
#
#     python3 {name}.hq.py [SERVER_DIR]
#
# Needs `pip install hyperqueue` in the version of the server. A task whose worker is lost is started again by
# HyperQueue, and goes on; run the script again after a task has failed: finished cells are skipped.

import os
import sys

from hyperqueue import Client, Job
from hyperqueue.ffi.protocol import ResourceRequest

job = Job(name={job_name}, default_workdir=os.getcwd(), max_fails=None)
for _ in range({tasks}):
    job.program(
        [
            {command}, "run", {plan}, "--store", {store},
            "--threads", "{cpus}", "--index", "auto", "--shards", "{tasks}",
        ],
        resources=ResourceRequest(cpus={cpus}),
    )
client = Client(sys.argv[1] if len(sys.argv) > 1 else None)
client.wait_for_jobs([client.submit(job)])
"#,
        about = job.about(),
        name = one_line(job.name),
        job_name = text(job.name),
        tasks = job.tasks,
        command = command.iter().map(|part| text(part)).collect::<Vec<_>>().join(", "),
        plan = text(plan),
        store = text(store),
        cpus = r.cpus_per_task,
    )
}
