"""The same training step in PyTorch: dense layers, weights times mask, HSV, MSE, backward.

Prints one JSON line: {"version": torch's, "compiled_by": ..., "torch_compiled": {...}, "torch_eager": {...}}.
Usage: torch_step.py [--size 256] [--threads 2] [--seconds 4] [--eager]
"""

import argparse
import json
import statistics
import time

from cpus import hold

args = argparse.ArgumentParser()
args.add_argument("--size", type=int, default=256)
args.add_argument("--threads", type=int, default=2)
args.add_argument("--seconds", type=float, default=4)
args.add_argument("--eager", action="store_true", help="also time without torch.compile")
args = args.parse_args()
hold(args.threads)

import torch  # noqa: E402  (after the hold)

# FER's skull: 12 hidden layers of 15 cache, 4 gaussian, 2 identity, 1 sin; 5478 weights.
LAYERS, CACHE, GAUSSIAN, IDENTITY, SIN = 12, 15, 4, 2, 1
WIDTH = CACHE + GAUSSIAN + IDENTITY + SIN


def inputs(size):
    line = torch.linspace(-1, 1, size)
    y, x = torch.meshgrid(line, line, indexing="ij")
    d = 1.4 * torch.sqrt(x * x + y * y)
    return torch.stack([y, x, d, torch.ones_like(x)], -1).reshape(-1, 4)


def hsv_to_rgb(h, s, v):
    h = torch.remainder(h + 1, 1) * 6
    s = s.clamp(0, 1)
    v = v.abs().clamp(0, 1)
    channels = []
    for n in (5, 3, 1):
        k = torch.remainder(n + h, 6)
        channels.append(v - v * s * torch.minimum(k, 4 - k).clamp(0, 1))
    return torch.stack(channels, -1)


def draw(weights, masks, x):
    for w, m in zip(weights[:-1], masks[:-1]):
        z = x @ (w * m)
        gaussian = 2 * torch.exp(-(z[:, CACHE : CACHE + GAUSSIAN] ** 2)) - 1
        linear = z[:, CACHE + GAUSSIAN : CACHE + GAUSSIAN + IDENTITY]
        x = torch.cat([z[:, :CACHE], gaussian, linear, torch.sin(z[:, -SIN:])], -1)
    out = x @ (weights[-1] * masks[-1])
    return hsv_to_rgb(out[:, 0], out[:, 1], out[:, 2])


def main():
    torch.set_num_threads(args.threads)
    torch.manual_seed(0)
    shapes = [(4, WIDTH)] + [(WIDTH, WIDTH)] * (LAYERS - 1) + [(WIDTH, 3)]
    weights = [(torch.randn(s) / s[0] ** 0.5).requires_grad_() for s in shapes]
    masks = [torch.ones(s) for s in shapes]
    assert sum(w.numel() for w in weights) == 5478
    x = inputs(args.size)
    target = torch.rand(args.size**2, 3)

    def loss(weights, masks, x, target):
        return ((draw(weights, masks, x) - target) ** 2).mean()

    def measure(f):
        def step():
            for w in weights:
                w.grad = None
            f(weights, masks, x, target).backward()

        for _ in range(3):
            step()
        times, end = [], time.perf_counter() + args.seconds
        while time.perf_counter() < end or len(times) < 5:
            start = time.perf_counter()
            step()
            times.append((time.perf_counter() - start) * 1e3)
        return statistics.median(times), min(times)

    # Before version 2 there was tracing only.
    by, compiled = "torch.compile", getattr(torch, "compile", lambda f: None)(loss)
    if compiled is None:
        by, compiled = "torch.jit.trace", torch.jit.trace(loss, (weights, masks, x, target))
    result = {"version": torch.__version__, "compiled_by": by}
    names = [("torch_compiled", compiled)]
    if args.eager:
        names.append(("torch_eager", loss))
    for name, f in names:
        median, fastest = measure(f)
        result[name] = {"median_ms": median, "min_ms": fastest}
    print(json.dumps(result))


main()
