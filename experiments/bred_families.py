"""Breeds genomes with factors for ten families into genomes/families/, two of each, and says what they draw.

    cargo build --release && python3 experiments/bred_families.py target/release/picloom

Each is the best of a target search that saw the cross of its family's combinations (`--support minimal`) at 24², 500
generations with the preset `drawing` (25 Lamarckian gradient steps a genome a generation). Seeds 60 and 61; all are kept.
What is there already is left alone, so that it can be stopped. One takes a minute or two.
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

FOLDER = Path(__file__).parent.parent / "genomes" / "families"
FAMILIES = ["boat", "clock", "face", "fish", "flower", "house", "moth", "stripes", "sun", "tree"]


def main():
    FOLDER.mkdir(exist_ok=True)
    for seed in (60, 61):
        for family in FAMILIES:
            path = FOLDER / f"{family}_{seed}.json"
            if path.exists():
                continue
            with tempfile.TemporaryDirectory() as out:
                line = [sys.argv[1], "evolve", "--search", "target", "--target", f"family:{family}", "--support", "minimal"]
                line += ["--preset", "drawing", "--size", "24", "--generations", "500", "--seed", str(seed)]
                subprocess.run([*line, "--out", f"{out}/run", "--quiet"], check=True, stdout=subprocess.DEVNULL)
                genome = json.loads(Path(out, "run/best.json").read_text())
                result = json.loads(Path(out, "run/result.json").read_text())
            genome["provenance"]["name"] = path.stem
            path.write_text(json.dumps(genome, indent=2) + "\n")
            print(path.stem, result["best_links"], result["best_r2"], result["best_held_out_r2"], flush=True)


if __name__ == "__main__":
    main()
