"""Checked by mypy and pyright, never run: the types that the package promises."""

# pyright: reportUnnecessaryTypeIgnoreComment=true
import numpy as np
from numpy.typing import NDArray

import picloom


def every_type(path: str) -> None:
    genome: picloom.Genome = picloom.Genome.load(path)
    picture: NDArray[np.float32] = genome.render(64, coords="picbreeder")
    model = picloom.Model.from_genome(genome, "dense")
    report: picloom.TrainReport = picloom.train(model, picture, steps=10, lr=1e-3, progress=lambda step, loss: None)
    loss: NDArray[np.float64] = report.history["loss"]
    pruned: picloom.PruneReport = picloom.prune(report, budget=10, rounds=2, steps=5)
    search = picloom.Search.neat(seed=1, population=10, mutation={"slider": 0.3})
    best: tuple[picloom.Genome, float] | None = search.best
    picloom.prune(report, method=lambda asked: abs(asked["weights"]), budget=10)
    found: dict[str, object] = picloom.score(model, judge=lambda base, all: [0.5] * len(all), measure=lambda asked: {"a": 1.0})
    plotted: bytes = picloom.export(model, "onnx")
    print(found, plotted, picloom.contrast([{"arm": "a"}], between="arm=a,arm=b"))
    picloom.train(model, picture, stepz=3)  # type: ignore[call-arg]
    picloom.Model.from_genome(genome, 3)  # type: ignore[arg-type]
    print(loss, pruned, best)
