#!/usr/bin/env python3
"""A pruning method of one's own: keeps the links without which the loss would change most, |w dL/dw|.

picloom prune runs/dense --method cmd:examples/method.py --budget 400 --out runs/mine
"""

import json
import sys
from pathlib import Path

folder = Path(sys.argv[-1])
asked = json.loads((folder / "round.json").read_text())
# numpy.load(folder / "maps.npz")["maps"] has what each unit draws, an array of units x pixels.
scores = [abs(w * g) for w, g in zip(asked["weights"], asked["gradient"])]
(folder / "answer.json").write_text(json.dumps({"scores": scores}))
