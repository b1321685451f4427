"""Lamarck's ladder: target searches with more and more gradient steps a genome, at equal budgets.

    cargo build --release && nice python3 experiments/lamarck.py target/release/picloom runs/lamarck figures/lamarck

Each search ends when the genomes that it judged and the gradients that it computed are BUDGET together (`evolve
--budget`). The best genome is scored with every weight at 64 x 64 pixels. The table, OUT/rows.csv, has one row a
search: target, steps (rung; log_rung is log10(1 + rung)), seed, r2, fit, links, score with its interval, generations. `picloom contrast` and
`picloom plot` read it. Searches that are finished are not made again.
"""

import csv
import json
import math
import subprocess
import sys
from pathlib import Path

GENOMES = Path(__file__).parent.parent / "genomes"
TARGETS = ["novelty_goggles", "novelty_island", "target_letter_a", "unseen/novelty_1", "unseen/novelty_2", "unseen/elite_1"]
RUNGS = [0, 1, 10, 100, 1000]
SEEDS = [6000, 6001]
BUDGET = 300_000
COLUMNS = ["target", "arm", "rung", "log_rung", "seed", "r2", "fit", "links", "score", "score_low", "score_high", "generations"]


def main():
    picloom, store, out = (Path(argument).resolve() for argument in sys.argv[1:4])

    def ask(*line):
        done = subprocess.run([picloom, *map(str, line), "--json", "--quiet"], capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(f"{line}: {done.stderr}")
        return json.loads(done.stdout)

    rows = []
    for target in TARGETS:
        for seed in SEEDS:
            for rung in RUNGS:
                name = target.replace("/", "_")
                run, genome = store / f"{name}-{rung}-{seed}", GENOMES / f"{target}.json"
                line = ["evolve", "--target", genome, "--preset", "neat", "--seed", seed, "--size", 64]
                line += ["--budget", BUDGET, "--generations", 100_000, "--population", 150, "--out", run]
                line += ["--refine", "lamarck", "--refine-steps", rung] if rung else ["--refine", "none"]
                line += ["--resume"] if run.exists() else []
                found = ask(*line)
                score = ask("score", "--genome", run / "best.json", "--target", genome, "--size", 64)
                low, high = score["interval"] or (None, None)
                r2 = score["fit"]["r2"]
                rows.append([
                    name, f"lamarck-{rung}", rung, math.log10(1 + rung), seed, r2, str(r2 >= 0.95).lower(), score["links"],
                    score["score"], low, high, found["generations"],
                ])  # fmt: skip
                print(rows[-1], flush=True)
                out.mkdir(parents=True, exist_ok=True)
                with open(out / "rows.csv", "w", newline="") as file:
                    csv.writer(file).writerows([COLUMNS, *rows])


if __name__ == "__main__":
    main()
