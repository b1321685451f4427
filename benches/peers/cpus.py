"""Holds this process, and the pools of threads it is about to start, to so many CPUs."""

import os
import sys


def hold(threads):
    """Call it before importing a framework: its pools are as large as the process may have CPUs."""
    if not hasattr(os, "sched_setaffinity"):
        print("this system cannot hold a process to CPUs: numbers of threads may differ", file=sys.stderr)
        return
    allowed = sorted(os.sched_getaffinity(0))
    if not 1 <= threads <= len(allowed):
        sys.exit(f"--threads: expected 1 to {len(allowed)}, the CPUs allowed here, found {threads}")
    os.sched_setaffinity(0, allowed[:threads])
