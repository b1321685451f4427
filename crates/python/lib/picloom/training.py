"""Training in one call."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ._core import Trainer, TrainReport

if TYPE_CHECKING:
    from numpy.typing import ArrayLike
    from typing_extensions import Unpack

    from ._core import Coords, Model, Progress, Squaring, Target, TrainSettings


def train(
    model: Model,
    target: Target,
    *,
    conditions: ArrayLike | None = None,
    size: int | None = None,
    coords: Coords = "fer",
    fit: Squaring | None = None,
    start: ArrayLike | None = None,
    progress: Progress | None = None,
    **settings: Unpack[TrainSettings],
) -> TrainReport:
    """Trains the links of `model` to draw `target`, from random weights of `seed` or from `start`.

    The same settings give the same bits as `picloom train`, at any number of threads.

    Parameters
    ----------
    model : Model
        Whose wiring and mask are trained; its weights are where training begins only if they are given as `start`.
    target : array, Genome or path
        (S, S, 3), floats in [0, 1] or bytes; a genome, or the path of one or of a picture, is drawn at `size`.
    conditions : (C, factors) array, optional
        Values of the factors of a conditional model, a row a picture. `target` is then (C, S, S, 3), or the name of a family
        (`families()`), which is drawn at `size`, 64 by default.
    size : int, optional
        Side of the picture in pixels. Default: that of the array, else 128.
    coords : str
        "fer" or "picbreeder".
    fit : str, optional
        What becomes of a picture that is not square: "crop", "pad" or "squash".
    start : (W,) array, optional
        Weights to begin from. There are no restarts after a collapse then.
    progress : callable or tqdm bar, optional
        Called now and then, from this thread, with (step, loss); ends the training by answering False. Of a bar
        `update` is called with the steps made since.
    **settings
        `steps`, `seed`, `optimizer`, `lr`, `log_every`, … as the options of `picloom train`, with its defaults.

    Returns
    -------
    TrainReport

    Raises
    ------
    ValueError
        A setting is unknown or outside its range, or the target is none.
    FileNotFoundError
        There is no such target.
    KeyboardInterrupt
        Ctrl-C, at the next step. With a `Trainer` the training can go on.
    """
    trainer = Trainer(model, target, conditions=conditions, size=size, coords=coords, fit=fit, start=start, **settings)
    return trainer.run(progress)
