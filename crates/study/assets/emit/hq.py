#!/usr/bin/env python3
# {{tasks}} tasks, each with its share of the cells of a study: python3 FILE [SERVER_DIR]
# Needs `pip install hyperqueue` in the version of the server. HyperQueue starts a task again whose worker is lost. Run
# the script again after a task has failed: finished cells are skipped.

import os
import sys

from hyperqueue import Client, Job
from hyperqueue.ffi.protocol import ResourceRequest

COMMAND = r"""{{command}}"""

job = Job(name="{{name}}", default_workdir=os.getcwd(), max_fails=None)
for shard in range(1, {{tasks}} + 1):
    job.program(
        ["bash", "-c", f"exec {COMMAND} --shard {shard}/{{tasks}}"],
        resources=ResourceRequest(cpus={{cpus}}),
    )
client = Client(sys.argv[1] if len(sys.argv) > 1 else None)
client.wait_for_jobs([client.submit(job)])
