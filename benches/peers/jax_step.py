"""The same training step, and the same picture, in JAX (jitted, CPU).

Prints one JSON line: {"version": jax's, "jax_step": {...}, "jax_render": {...}}.
JAX has no setting for its number of threads: it is held to N of the CPUs.
Usage: jax_step.py [--size 256] [--threads 2] [--seconds 4]
"""

import argparse
import json
import os
import statistics
import time

from cpus import hold

args = argparse.ArgumentParser()
args.add_argument("--size", type=int, default=256)
args.add_argument("--threads", type=int, default=2)
args.add_argument("--seconds", type=float, default=4)
args = args.parse_args()
hold(args.threads)
if args.threads == 1:
    os.environ["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"

import jax  # noqa: E402  (after the flags and the hold)
import jax.numpy as jnp  # noqa: E402
import numpy as np  # noqa: E402

LAYERS, CACHE, GAUSSIAN, IDENTITY, SIN = 12, 15, 4, 2, 1
WIDTH = CACHE + GAUSSIAN + IDENTITY + SIN


def inputs(size):
    y, x = np.meshgrid(np.linspace(-1, 1, size), np.linspace(-1, 1, size), indexing="ij")
    d = 1.4 * np.sqrt(x * x + y * y)
    return jnp.asarray(np.stack([y, x, d, np.ones_like(x)], -1).reshape(-1, 4), jnp.float32)


def hsv_to_rgb(h, s, v):
    h = jnp.mod(h + 1, 1) * 6
    s = jnp.clip(s, 0, 1)
    v = jnp.clip(jnp.abs(v), 0, 1)
    channels = []
    for n in (5, 3, 1):
        k = jnp.mod(n + h, 6)
        channels.append(v - v * s * jnp.clip(jnp.minimum(k, 4 - k), 0, 1))
    return jnp.stack(channels, -1)


def draw(weights, masks, x):
    for w, m in zip(weights[:-1], masks[:-1]):
        z = x @ (w * m)
        gaussian = 2 * jnp.exp(-(z[:, CACHE : CACHE + GAUSSIAN] ** 2)) - 1
        linear = z[:, CACHE + GAUSSIAN : CACHE + GAUSSIAN + IDENTITY]
        x = jnp.concatenate([z[:, :CACHE], gaussian, linear, jnp.sin(z[:, -SIN:])], -1)
    out = x @ (weights[-1] * masks[-1])
    return hsv_to_rgb(out[:, 0], out[:, 1], out[:, 2])


def measure(f):
    for _ in range(3):
        jax.block_until_ready(f())
    times, end = [], time.perf_counter() + args.seconds
    while time.perf_counter() < end or len(times) < 5:
        start = time.perf_counter()
        jax.block_until_ready(f())
        times.append((time.perf_counter() - start) * 1e3)
    return {"median_ms": statistics.median(times), "min_ms": min(times)}


rng = np.random.default_rng(0)
shapes = [(4, WIDTH)] + [(WIDTH, WIDTH)] * (LAYERS - 1) + [(WIDTH, 3)]
weights = [jnp.asarray(rng.normal(size=s) / s[0] ** 0.5, jnp.float32) for s in shapes]
masks = [jnp.ones(s, jnp.float32) for s in shapes]
assert sum(w.size for w in weights) == 5478
x = inputs(args.size)
target = jnp.asarray(rng.random((args.size**2, 3)), jnp.float32)
step = jax.jit(jax.value_and_grad(lambda w, m, x, t: jnp.mean((draw(w, m, x) - t) ** 2)))
picture = jax.jit(draw)
print(
    json.dumps(
        {
            "version": jax.__version__,
            "jax_step": measure(lambda: step(weights, masks, x, target)),
            "jax_render": measure(lambda: picture(weights, masks, x)),
        }
    )
)
