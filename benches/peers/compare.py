"""Runs picloom, PyTorch and JAX in turn, several rounds, and prints the ratios.

Needs a release build (`cargo build --release`) and a Python with torch and jax.
Usage: compare.py [--rounds 5] [--threads 2] [--seconds 3] [--genome FILE] [--python PYTHON] [--json] [--out FILE]

Each ratio is formed within a round, from the medians of that round, and the median of the rounds is printed with
the range: a slow minute slows all of them. All are held to the same CPUs, as many as threads.
With --out the whole record is written: arguments, date, CPU, versions, the numbers of every round, and the table.
"""

import argparse
import datetime
import json
import os
import platform
import statistics
import subprocess
import sys
from pathlib import Path

from cpus import hold

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent


def output(command, threads):
    done = subprocess.run(command, capture_output=True, text=True, preexec_fn=lambda: hold(threads))
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))} failed:\n{done.stderr}")
    return json.loads(done.stdout if done.stdout.lstrip().startswith("{\n") else done.stdout.strip().splitlines()[-1])


def cpu():
    """The CPU's name, as the system tells it."""
    try:
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()


def said(command):
    """The first line that a program prints, none if it cannot be run."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
    except OSError:
        return None
    return done.stdout.strip().split("\n")[0] if done.returncode == 0 else None


def main():
    args = argparse.ArgumentParser()
    args.add_argument("--rounds", type=int, default=5)
    args.add_argument("--threads", type=int, default=2)
    args.add_argument("--seconds", type=float, default=3)
    args.add_argument("--genome", help="genome of the evolved cases, such as FER's skull.zip")
    args.add_argument("--python", default=sys.executable)
    args.add_argument("--json", action="store_true", help="print the table as JSON")
    args.add_argument("--out", type=Path, metavar="FILE", help="write the whole record as JSON")
    args = args.parse_args()
    cpus = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    if not 1 <= args.threads <= cpus:
        sys.exit(f"--threads: expected 1 to {cpus}, the CPUs allowed here, found {args.threads}")
    if args.rounds < 1 or not args.seconds > 0:
        sys.exit(f"expected at least 1 round of more than 0 s, found {args.rounds} of {args.seconds} s")
    if args.out and not args.out.resolve().parent.is_dir():
        sys.exit(f"{args.out}: expected a path in a folder that exists, found none")
    picloom = ROOT / "target" / "release" / "picloom"
    if not picloom.exists():
        sys.exit(f"{picloom} not found: run `cargo build --release` first")

    def ours(what, size, threads):
        command = [picloom, "bench", what, "--json", "--size", size, "--threads", threads]
        command += ["--seconds", args.seconds / 3]
        if args.genome:
            command += ["--genome", args.genome]
        record = output([str(c) for c in command], threads)
        versions["picloom"] = {"version": version, "checkout": checkout, "isa": record["isa"]}
        return {t["case"]: t["median_ms"] for t in record["timings"]}

    peer = ["--threads", str(args.threads), "--seconds", str(args.seconds)]
    version = said([str(picloom), "--version"]).removeprefix("picloom ")
    checkout = said(["git", "rev-parse", "--short=12", "HEAD"])
    versions = {"python": platform.python_version()}
    rounds = []
    for r in range(args.rounds):
        torch = output([args.python, HERE / "torch_step.py", *peer, "--eager"], args.threads)
        step = ours("step", 256, args.threads)
        jax = output([args.python, HERE / "jax_step.py", *peer], args.threads)
        render = ours("render", 256, args.threads)
        single = ours("step", 256, 1)
        large = ours("step", 512, args.threads)
        versions.update(torch=torch["version"], jax=jax["version"])
        compiled = torch["torch_compiled"]["median_ms"]
        rounds.append(
            {
                "dense step, ms": step["dense"],
                "compiled PyTorch, ms": compiled,
                "eager PyTorch, ms": torch["torch_eager"]["median_ms"],
                "JAX, ms": jax["jax_step"]["median_ms"],
                "JAX render, ms": jax["jax_render"]["median_ms"],
                "graph render, ms": render["evolved-graph"],
                "compiled PyTorch / dense step": compiled / step["dense"],
                "JAX / dense step": jax["jax_step"]["median_ms"] / step["dense"],
                "compiled PyTorch / evolved layerized": compiled / step["evolved-layerized"],
                "compiled PyTorch / 473 links": compiled / step["mask-473"],
                "1404 links of SP / 5478": step["sp-1404"] / step["dense"],
                "1404 random links / 5478": step["mask-1404"] / step["dense"],
                "512² / 256²": large["dense"] / step["dense"],
                "one thread / two": single["dense"] / step["dense"],
                "JAX render / graph render": jax["jax_render"]["median_ms"] / render["evolved-graph"],
            }
        )
        print(f"round {r + 1} of {args.rounds} done", file=sys.stderr)
    table = {
        name: {
            "median": statistics.median(r[name] for r in rounds),
            "low": min(r[name] for r in rounds),
            "high": max(r[name] for r in rounds),
        }
        for name in rounds[0]
    }
    if args.out:
        record = {
            "format": "picloom-peers/1",
            "date": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d"),
            "arguments": {
                "rounds": args.rounds,
                "threads": args.threads,
                "seconds": args.seconds,
                "genome": args.genome and Path(args.genome).name,
            },
            "cpu": {"model": cpu(), "allowed": cpus},
            "system": f"{platform.system()} {platform.machine()}",
            "versions": versions,
            "rounds": rounds,
            "table": table,
        }
        args.out.write_text(json.dumps(record, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    if args.json:
        print(json.dumps(table, indent=1))
        return
    for name, t in table.items():
        print(f"{name:<40} {t['median']:9.2f}   ({t['low']:.2f} to {t['high']:.2f})")


main()
