"""Networks as flax parameters in the layout of FER's code: plain dicts of arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._core import Model

Params = dict[str, Any]


def to_flax(model: Model) -> Params:
    """The parameters of a layered network.

    Parameters
    ----------
    model : Model
        A layered network with L hidden layers.

    Returns
    -------
    dict
        ``{"params": {"Dense_0": {"kernel": (in, out) float32}, ..., "Dense_L": ...}}``, without biases.

    Raises
    ------
    ValueError
        The model is a graph, which has no such layers.
    """
    if model.arch is None:
        raise ValueError("expected a layered network, found a graph; take wiring='layerized'")
    kernels = (np.ascontiguousarray(layer.T) for layer in model.layers)
    return {"params": {f"Dense_{i}": {"kernel": kernel} for i, kernel in enumerate(kernels)}}


def from_flax(params: Params, arch: str) -> Model:
    """The layered network of these parameters; it keeps the non-zero weights.

    Parameters
    ----------
    params : dict
        As `to_flax` gives it, with or without the outer ``"params"``. Anything that NumPy reads as an
        array may stand for a kernel.
    arch : str
        As ``"12;cache:15,gaussian:4,identity:2,sin:1"``.

    Returns
    -------
    Model

    Raises
    ------
    ValueError
        A layer is missing, has a bias, or has another shape than `arch` says.
    """
    layers = dict(params.get("params", params))
    expected = [f"Dense_{i}" for i in range(len(layers))]
    if sorted(layers) != sorted(expected):
        raise ValueError(f"expected layers {expected}, found {sorted(layers)}")
    for name, layer in layers.items():
        if set(layer) != {"kernel"}:
            raise ValueError(f"{name}: expected a kernel and nothing else, found {sorted(layer)}")
    return Model.from_layers(arch, [np.asarray(layers[name]["kernel"], np.float32).T for name in expected])
