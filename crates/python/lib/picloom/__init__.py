"""Picloom: picture-drawing networks, evolved, retrained, pruned and scored.

Everything computes in the Rust crate of the same name; the same settings and seeds give the same bits as
the command ``picloom``. Pictures are float32 arrays (rows, columns, 3) in [0, 1], row 0 at the top; W is a
network's number of links, U of its units.

>>> import picloom
>>> genome = picloom.Genome.random(seed=7)
>>> genome.render(64).shape
(64, 64, 3)
"""

from ._core import (
    Breeding,
    Error,
    Genome,
    Model,
    PruneReport,
    Search,
    Trainer,
    TrainReport,
    __version__,
    conditions,
    coordinates,
    depth_sweep,
    export,
    families,
    family,
    predict_depth,
    prune,
    run_study,
    score,
    strip,
    study_status,
    sweep,
)
from .flax import from_flax, to_flax
from .formats import from_neat, read_vlm, write_vlm
from .notebook import widget
from .records import frame, load_run, read_rows, read_study
from .results import contrast, decide, plot, power, report
from .torch import from_torch, to_torch
from .training import train

__all__ = [
    "Breeding",
    "Error",
    "Genome",
    "Model",
    "PruneReport",
    "Search",
    "TrainReport",
    "Trainer",
    "__version__",
    "conditions",
    "contrast",
    "coordinates",
    "decide",
    "depth_sweep",
    "export",
    "families",
    "family",
    "frame",
    "from_flax",
    "from_neat",
    "from_torch",
    "load_run",
    "plot",
    "power",
    "predict_depth",
    "prune",
    "read_rows",
    "read_study",
    "read_vlm",
    "report",
    "run_study",
    "score",
    "strip",
    "study_status",
    "sweep",
    "to_flax",
    "to_torch",
    "train",
    "widget",
    "write_vlm",
]
