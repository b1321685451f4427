"""Networks as PyTorch modules, and back. PyTorch is imported when it is needed."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ._core import Model

if TYPE_CHECKING:
    from torch import Tensor, nn


def to_torch(model: Model) -> nn.Module:
    """The network as a differentiable module.

    Parameters
    ----------
    model : Model
        Of any wiring.

    Returns
    -------
    torch.nn.Module
        From x, y, d and bias (..., 4), as `coordinates` gives them, to colours (..., 3) in [0, 1].
        Its parameters are ``layers.{i}.weight`` (out, in) of a layered network, ``links`` (W,) of a graph:
        the names in Picloom's ``.safetensors``. Links outside the mask stay 0, whatever their parameter is.

    Raises
    ------
    ImportError
        PyTorch is not installed.
    """
    import torch
    from torch import nn

    network = model.network_dict
    activations = {
        "abs": torch.abs,
        "cache": lambda z: z,
        "cos": torch.cos,
        "gaussian": lambda z: 2 * torch.exp(-z * z) - 1,
        "identity": lambda z: z,
        "relu": torch.relu,
        "sigmoid": lambda z: torch.tanh(z / 2),
        "sin": torch.sin,
        "square": torch.square,
        "tanh": torch.tanh,
    }

    def tensor(values: Any, dtype: Any = torch.float32) -> Tensor:
        return torch.tensor(np.asarray(values).tolist(), dtype=dtype)

    def colours(hue: Tensor, saturation: Tensor, value: Tensor) -> Tensor:
        teeth = [
            torch.clamp(torch.abs(torch.remainder(6 * hue - centre + 3, 6) - 3) - 1, 0, 1)
            for centre in (0, 2, 4)
        ]
        value, saturation = torch.clamp(torch.abs(value), 0, 1), torch.clamp(saturation, 0, 1)
        return torch.stack([value * (1 - saturation * tooth) for tooth in teeth], -1)

    class Layered(nn.Module):  # type: ignore[misc, unused-ignore]
        def __init__(self) -> None:
            super().__init__()
            blocks = network["blocks"]
            self.layers = nn.ModuleList()
            for i, (block, weight) in enumerate(zip(blocks, model.layers)):
                kept = model.mask[block["offset"] :][: weight.size].reshape(weight.shape)
                layer = nn.Linear(weight.shape[1], weight.shape[0], bias=False)
                layer.weight = nn.Parameter(tensor(weight))
                self.layers.append(layer)
                self.register_buffer(f"mask_{i}", tensor(kept), persistent=False)
            units = network["units"]
            names = [units[u]["activation"] for u in range(*blocks[0]["targets"].values())]
            self.runs = runs(names)

        def forward(self, inputs: Tensor) -> Tensor:
            a = torch.stack(planes(network["inputs"], inputs.unbind(-1), torch), -1)
            for i, layer in enumerate(self.layers):
                a = nn.functional.linear(a, layer.weight * getattr(self, f"mask_{i}"))
                if i + 1 < len(self.layers):
                    parts = torch.split(a, [count for _, count in self.runs], -1)
                    a = torch.cat([activations[n](p) for (n, _), p in zip(self.runs, parts)], -1)
            return colours(*a.unbind(-1))

    class Graph(nn.Module):  # type: ignore[misc, unused-ignore]
        def __init__(self) -> None:
            super().__init__()
            self.links = nn.Parameter(tensor(model.weights))
            self.register_buffer("mask", tensor(model.mask), persistent=False)

        def forward(self, inputs: Tensor) -> Tensor:
            weights = self.links * self.mask
            a = planes(network["inputs"], inputs.unbind(-1), torch)
            zero = torch.zeros_like(a[0])
            for unit in network["units"][len(a) :]:
                span = range(unit["links"]["start"], unit["links"]["end"])
                z = zero + sum(weights[k] * a[network["links"][k]["source"]] for k in span)
                a.append(activations[unit["activation"]](z))
            return colours(*(zero if o is None else a[o] for o in network["outputs"]))

    module = Graph() if model.arch is None else Layered()
    # What from_torch goes back to; a plain attribute, so that state_dict has the weights alone.
    setattr(module, "picloom_model", model)
    return module


def planes(names: list[str], columns: Sequence[Any], xp: Any) -> list[Any]:
    """What a network reads, by the names of its inputs: of x, y, d, bias (and z1, …), with the functions of `xp`."""
    at: dict[str, Any] = dict(zip(("x", "y", "d", "bias", "z1", "z2", "z3", "z4"), columns))

    def plane(name: str) -> Any:
        call = re.fullmatch(r"(abs|square|sin|cos)\((.*)([xyd])\)", name)
        if call:
            return getattr(xp, call[1])(float(call[2] or 1) * at[call[3]])
        return math.prod(at[variable] for variable in name.split("*"))

    return [plane(name) for name in names]


def runs(names: list[str]) -> list[tuple[str, int]]:
    """Equal neighbours counted: [("sin", 2), ("tanh", 1)]."""
    found: list[tuple[str, int]] = []
    for name in names:
        if found and found[-1][0] == name:
            found[-1] = (name, found[-1][1] + 1)
        else:
            found.append((name, 1))
    return found


def from_torch(module: nn.Module) -> Model:
    """The network of a module made by `to_torch`, with its weights now.

    Parameters
    ----------
    module : torch.nn.Module
        As `to_torch` gave it, trained or not.

    Returns
    -------
    Model

    Raises
    ------
    ValueError
        The module is another, or a weight is not finite.
    """
    model: Model | None = getattr(module, "picloom_model", None)
    if model is None:
        raise ValueError(f"expected a module made by picloom.to_torch, found {type(module).__name__}")
    parameters = [p.detach().cpu().reshape(-1).tolist() for p in module.parameters()]
    flat = [value for parameter in parameters for value in parameter]
    return model.with_weights(np.array(flat, np.float32))
