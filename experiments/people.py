"""G6 of the gate: do links with one label change the picture alike, and are links special in that?

    PICLOOM_ARCHIVE=... python3 experiments/people.py target/release/picloom figures/people

Genomes whose links people named (the archive's of Picbreeder, left out without PICLOOM_ARCHIVE), and those composed of
labelled parts. The table, OUT/rows.csv: genome, who labelled, links, labels, AUC with its interval, the AUC of the same
labels on random rotations of the links, permutation p.
"""

import csv
import json
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
COLUMNS = ["target", "labelled_by", "links", "labels", "auc", "auc_low", "auc_high", "rotated", "advantage", "p"]


def main():
    picloom, out = Path(sys.argv[1]).resolve(), Path(sys.argv[2])
    genomes = [(path, "parts") for path in sorted((ROOT / "genomes" / "composed").glob("*.json"))]
    if archive := os.environ.get("PICLOOM_ARCHIVE"):
        genomes += [(path, "people") for path in sorted((Path(archive) / "picbreeder").glob("*.xml"))]
    rows = []
    for path, who in genomes:
        line = [picloom, "score", "--genome", path, "--size", "64", "--samples", "4", "--all", "--json", "--quiet"]
        found = json.loads(subprocess.run(line, capture_output=True, text=True, check=True).stdout)["labels"]
        if found is None:
            continue
        auc = found["auc"]
        rows.append([
            path.stem, who, found["links"], found["labels"], auc["estimate"], auc["low"], auc["high"], found["rotated"],
            auc["estimate"] - found["rotated"], found["p"],
        ])  # fmt: skip
        print(*rows[-1], flush=True)
    out.mkdir(parents=True, exist_ok=True)
    with open(out / "rows.csv", "w", newline="") as file:
        csv.writer(file).writerows([COLUMNS, *rows])


if __name__ == "__main__":
    main()
