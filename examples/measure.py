#!/usr/bin/env python3
"""Measures of one's own: how unequal the living weights are, and how many of them are negative.

picloom score runs/dense --measure cmd:examples/measure.py
"""

import json
import sys
from pathlib import Path


def measure(network):
    """Numbers by their names; tables have them as own_gini and own_negative. Python may ask it, too: score(measure=measure)."""
    weights = [w for w, alive in zip(network["weights"], network["alive"]) if alive]
    if not weights:
        return {}
    sizes, n = sorted(map(abs, weights)), len(weights)
    gini = sum((2 * i - n + 1) * size for i, size in enumerate(sizes)) / (n * sum(sizes))
    return {"gini": gini, "negative": sum(w < 0 for w in weights) / n}


if __name__ == "__main__":
    folder = Path(sys.argv[-1])
    # numpy.load(folder / "arrays.npz") has pictures and maps, which are in `network` where Python asks.
    network = json.loads((folder / "network.json").read_text())
    (folder / "measures.json").write_text(json.dumps(measure(network)))
