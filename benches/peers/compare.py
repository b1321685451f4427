"""Runs picloom, PyTorch and JAX in turn, several rounds, and prints the ratios.

Needs a release build (`cargo build --release`) and a Python with torch and jax.
Usage: compare.py [--rounds 5] [--threads 2] [--seconds 3] [--genome FILE] [--python PYTHON] [--json]

Each ratio is formed within a round, from the medians of that round, and the median of the rounds is printed with
the range: a slow minute slows all of them.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent


def output(command, **more):
    env = dict(os.environ, **more)
    done = subprocess.run(command, capture_output=True, text=True, env=env)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))} failed:\n{done.stderr}")
    return json.loads(done.stdout if done.stdout.lstrip().startswith("{\n") else done.stdout.strip().splitlines()[-1])


def main():
    args = argparse.ArgumentParser()
    args.add_argument("--rounds", type=int, default=5)
    args.add_argument("--threads", type=int, default=2)
    args.add_argument("--seconds", type=float, default=3)
    args.add_argument("--genome", help="genome of the evolved cases, such as FER's skull.zip")
    args.add_argument("--python", default=sys.executable)
    args.add_argument("--json", action="store_true")
    args = args.parse_args()
    picloom = ROOT / "target" / "release" / "picloom"
    if not picloom.exists():
        sys.exit(f"{picloom} not found: run `cargo build --release` first")

    def ours(what, size, threads):
        command = [picloom, "bench", what, "--json", "--size", size, "--threads", threads]
        command += ["--seconds", args.seconds / 3]
        if args.genome:
            command += ["--genome", args.genome]
        record = output([str(c) for c in command])
        return {t["case"]: t["median_ms"] for t in record["timings"]}

    peer = ["--threads", str(args.threads), "--seconds", str(args.seconds)]
    rounds = []
    for r in range(args.rounds):
        torch = output([args.python, HERE / "torch_step.py", *peer, "--eager"])
        step = ours("step", 256, args.threads)
        jax = output([args.python, HERE / "jax_step.py", *peer])
        render = ours("render", 256, args.threads)
        single = ours("step", 256, 1)
        large = ours("step", 512, args.threads)
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
                "1404 links / 5478": step["mask-1404"] / step["dense"],
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
    if args.json:
        print(json.dumps(table, indent=1))
        return
    for name, t in table.items():
        print(f"{name:<40} {t['median']:9.2f}   ({t['low']:.2f} to {t['high']:.2f})")


main()
