#!/usr/bin/env python3
"""A judge of one's own: calls a picture damaged if neighbouring pixels differ more than they did.

picloom score runs/dense --judge cmd:examples/judge.py
"""

import array
import json
import sys
import zipfile
from pathlib import Path


def values(file, name):
    """The float32 numbers of an array, without NumPy: numpy.load(path)[name] has them with their shape."""
    data = file.read(name + ".npy")
    return array.array("f", data[10 + int.from_bytes(data[8:10], "little") :])


def roughness(picture, width):
    row = 3 * width
    steps = (abs(picture[i] - picture[i - 3]) for i in range(len(picture)) if i % row >= 3)
    return sum(steps) / len(picture)


folder = Path(sys.argv[-1])
task = json.loads((folder / "task.json").read_text())
with zipfile.ZipFile(folder / "pictures.npz") as file:
    base, pictures = values(file, "base"), values(file, "pictures")
before = max(roughness(base, task["width"]), 1e-9)
damaged = []
for k in range(task["pictures"]):
    picture = pictures[k * len(base) : (k + 1) * len(base)]
    # As rough as before: 0. Half as rough again, or more: 1.
    more = roughness(picture, task["width"]) / before - 1
    damaged.append(min(max(2 * more, 0.0), 1.0))
(folder / "verdicts.json").write_text(json.dumps({"damaged": damaged}))
