"""Gradients of the penalties of training, by automatic differentiation in float64 -> penalties.json.

Run: python tests/oracle/penalties.py   (jax 0.10)
Read by tests/rooms/penalties.rs, which states the same problem in Rust:

  arch 2;cos:1,gaussian:1,sin:2 on 6 x 6 pixels, 44 weights w_i = ((7 i) mod 23 - 11) / 13 in the order of
  the program: layer by layer, (out, in) row-major; x, y = linspace(-1, 1, 6), d = 1.4 sqrt(x^2 + y^2), bias 1.
  Every penalty has the strength 0.7, length a step of 0.2.
"""

import json
import pathlib

import jax
import jax.numpy as jnp
import numpy as np

jax.config.update("jax_enable_x64", True)

SIDE, UNITS, STRENGTH, STEP = 6, 4, 0.7, 0.2
SHAPES = [(4, 4), (4, 4), (3, 4)]
COUNT = sum(rows * cols for rows, cols in SHAPES)
WEIGHTS = ((7 * np.arange(COUNT)) % 23 - 10.5) / 13

axis = np.linspace(-1, 1, SIDE)
y, x = np.meshgrid(axis, axis, indexing="ij")
INPUTS = np.stack([x, y, 1.4 * np.sqrt(x**2 + y**2), np.ones_like(x)]).reshape(4, -1)


def matrices(w):
    parts, first = [], 0
    for rows, cols in SHAPES:
        parts.append(w[first : first + rows * cols].reshape(rows, cols))
        first += rows * cols
    return parts


def maps(w):
    """(layer, unit, pixel) of the hidden units."""
    layers, below = [], INPUTS
    for matrix in matrices(w)[:-1]:
        z = matrix @ below
        below = jnp.stack([jnp.cos(z[0]), 2 * jnp.exp(-(z[1] ** 2)) - 1, jnp.sin(z[2]), jnp.sin(z[3])])
        layers.append(below)
    return jnp.stack(layers)


def variation(w):
    h = maps(w).reshape(-1, SIDE, SIDE)
    across = jnp.abs(jnp.diff(h, axis=2)).sum() + jnp.abs(jnp.diff(h, axis=1)).sum()
    return across / (2 / (SIDE - 1)) / h.size


def orthogonality(w):
    means = []
    for layer in maps(w):
        unit = layer / jnp.linalg.norm(layer, axis=1, keepdims=True)
        squares = (unit @ unit.T) ** 2
        means.append((squares.sum() - jnp.trace(squares)) / (UNITS * (UNITS - 1)))
    return sum(means) / len(means)


def length(w):
    cost = 0.0
    for matrix in matrices(w):
        rows, cols = matrix.shape
        place = lambda n: (np.arange(n) + 0.5) / n
        distance = np.abs(place(rows)[:, None] - place(cols)[None, :]) + STEP
        cost += (jnp.abs(matrix) * distance).sum()
    return cost


PENALTIES = {
    "l1": lambda w: jnp.abs(w).sum(),
    "l2": lambda w: (w**2).sum() / 2,
    "length": length,
    "tv": variation,
    "orthogonality": orthogonality,
}

out = {name: (STRENGTH * jax.grad(cost)(jnp.array(WEIGHTS))).tolist() for name, cost in PENALTIES.items()}
path = pathlib.Path(__file__).with_suffix(".json")
path.write_text(json.dumps(out, indent=1) + "\n")
