"""Times this tree's program against that of a fixed commit, in alternating pairs of one run, on one thread.

    python benches/against.py [COMMIT] [--pairs 5] [--slower 1.1]

Builds both. Prints this tree's time over the other's: median and range. Exits with 1 if a median is above --slower. The
commit stays the same from change to change: against the one before, each looks as fast as the last."""

import argparse
import json
import pathlib
import statistics
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
BENCHES = [["step", "--size", "128"], ["render", "--size", "128"], ["score"], ["evolve"]]


def build(source, target):
    subprocess.run(["cargo", "build", "--release", "--quiet", "--target-dir", target], cwd=source, check=True)
    return target / "release/picloom"


def times(program, bench):
    command = [program, "bench", *bench, "--seconds", "0.3", "--threads", "1", "--json", "--quiet"]
    found = json.loads(subprocess.run(command, check=True, capture_output=True, text=True, cwd=ROOT).stdout)
    if bench == ["evolve"]:
        return {"evolve": 1 / found["genomes_per_second"]}
    return {f"{bench[0]} {timing['case']}": timing.get("min_ms", timing.get("score_s")) for timing in found["timings"]}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("commit", nargs="?", default="b5a9059b")
    parser.add_argument("--pairs", type=int, default=5)
    parser.add_argument("--slower", type=float, default=1.1)
    asked = parser.parse_args()
    if asked.pairs < 1:
        parser.error(f"--pairs: expected at least 1, found {asked.pairs}")
    known = ["git", "rev-parse", "--quiet", "--verify", f"{asked.commit}^{{commit}}"]
    if subprocess.run(known, cwd=ROOT, capture_output=True).returncode:
        parser.error(f"expected a commit of this repository, found {asked.commit}")
    other = ROOT / "target/against/source"
    subprocess.run(["git", "worktree", "add", "--quiet", "--force", "--detach", other, asked.commit], cwd=ROOT, check=True)
    try:
        programs = [build(other, ROOT / "target/against"), build(ROOT, ROOT / "target")]
    finally:
        subprocess.run(["git", "worktree", "remove", "--force", other], cwd=ROOT, check=True)
    ratios = {}
    for bench in BENCHES:
        for pair in range(asked.pairs):
            turn = programs if pair % 2 == 0 else programs[::-1]
            found = {program: times(program, bench) for program in turn}
            before, now = (found[program] for program in programs)
            for case in before.keys() & now.keys():
                ratios.setdefault(case, []).append(now[case] / before[case])
    for case, found in sorted(ratios.items()):
        print(f"{case:<28}{statistics.median(found):6.2f}{min(found):9.2f} to {max(found):.2f}")
    sys.exit(any(statistics.median(found) > asked.slower for found in ratios.values()))


main()
