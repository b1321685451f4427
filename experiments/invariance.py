#!/usr/bin/env python3
"""What the score does not see: three tests of it (docs/JUDGES.md has the numbers).

    cargo build --release && experiments/invariance.py target/release/picloom

1. *Relays mixed*: every hidden layer's relays (units that pass their input on) are replaced by a random rotation of
   themselves, and the next layer's weights by its inverse. The picture stays what it is; every relay now carries a
   mixture of all. A measure of how a network represents its picture must fall; the score does not.
2. *Not trained*: networks with random weights, dense and with a share of their links. Their scores are the null.

3. *Directions*: single non-zero weights against random directions of all of them, each change as large as it takes to
   alter the picture by .18 RMSE; judged by the independent judge of tests/oracle/judge.py with the shipped model. If
   single weights stood for parts, changing one would damage less than moving all at random.

Needs numpy; CI does not run it (some minutes on two cores).
"""

import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests/oracle"))
import judge  # noqa: E402

PROGRAM = sys.argv[1] if len(sys.argv) > 1 else "target/release/picloom"
MIXED = "bred_moth bred_cat bred_face novelty_eye elite_dome novelty_goggles bred_lamp target_letter_a elite_bowl".split()
UNTRAINED = "bred_moth bred_face novelty_eye elite_dome bred_lamp".split()
DIRECTIONS = MIXED + ["target_car"]
DENSE = "bred_moth bred_face novelty_eye elite_dome".split()
FOLDER = Path(tempfile.mkdtemp())


def run(*words):
    done = subprocess.run([PROGRAM, *map(str, words)], capture_output=True, text=True, cwd=ROOT)
    if done.returncode:
        raise SystemExit(done.stderr)
    return done.stdout + done.stderr


def genome(name):
    return f"genomes/{name}.json"


def layered(name):
    """Arch and weights of an evolved genome as a layered network."""
    path = FOLDER / f"{name}.npz"
    said = run("genome", "layerize", genome(name), "--out", path)
    arch = re.search(r"(\d+;[a-z0-9:,]+):? ", said).group(1).rstrip(":")
    file = np.load(path)
    return arch, [file[f"Dense_{k}.kernel"].astype(float) for k in range(len(file.files))]


def units(arch):
    """Activation of every unit of a hidden layer."""
    blocks = [block.split(":") for block in arch.split(";")[1].split(",")]
    return [name for name, count in blocks for _ in range(int(count))]


def score(arch, weights, name, samples):
    path = FOLDER / "network.npz"
    np.savez(path, **{f"Dense_{k}.kernel": w.astype(np.float32) for k, w in enumerate(weights)})
    target = ("--target", genome(name), "--size", 64, "--samples", samples, "--seed", 0)
    return json.loads(run("score", "--arch", arch, "--params", path, *target, "--json", "--quiet"))


def mixed(arch, weights, rng):
    weights = [w.copy() for w in weights]
    relays = [i for i, name in enumerate(units(arch)) if name in ("cache", "identity")]
    for k in range(len(weights) - 1):
        turn = np.linalg.qr(rng.normal(size=(len(relays), len(relays))))[0]
        weights[k][:, relays] = weights[k][:, relays] @ turn
        weights[k + 1][relays, :] = turn.T @ weights[k + 1][relays, :]
    return weights


def untrained(arch, kept, rng):
    """LeCun normal, as the program begins; every unit keeps at least one input."""
    layers, width = int(arch.split(";")[0]), len(units(arch))
    weights = []
    for shape in [(4, width)] + [(width, width)] * (layers - 1) + [(width, 3)]:
        mask = rng.random(shape) < kept
        for column in np.flatnonzero(~mask.any(axis=0)):
            mask[rng.integers(shape[0]), column] = True
        draw = rng.normal(size=shape)
        while (np.abs(draw) > 2).any():
            draw = np.where(np.abs(draw) > 2, rng.normal(size=shape), draw)
        weights.append(draw / 0.87962566 * mask / np.sqrt(mask.sum(axis=0)))
    return weights


def picture(weights, names, size=64):
    """The picture of a layered network, (size, size, 3)."""
    shapes = {
        "cache": lambda z: z,
        "identity": lambda z: z,
        "cos": np.cos,
        "sin": np.sin,
        "tanh": np.tanh,
        "relu": lambda z: np.maximum(z, 0),
        "sigmoid": lambda z: np.tanh(z / 2),
        "gaussian": lambda z: 2 * np.exp(-z * z) - 1,
    }
    y, x = np.meshgrid(*2 * [np.linspace(-1, 1, size)], indexing="ij")
    a = np.stack([i.ravel() for i in (x, y, 1.4 * np.hypot(x, y), np.ones_like(x))], 1)
    for w in weights[:-1]:
        z = a @ w
        a = np.stack([shapes[name](z[:, i]) for i, name in enumerate(names)], 1)
    h, s, v = (a @ weights[-1]).T
    ramps = [np.clip(abs((6 * h - c + 3) % 6 - 3) - 1, 0, 1) for c in (0, 2, 4)]
    return np.stack([np.clip(abs(v), 0, 1) * (1 - np.clip(s, 0, 1) * q) for q in ramps], -1).reshape(size, size, 3)


REFERENCES, WARPED = judge.references, {}


def remembered(base, rmse):
    """The judge warps the base afresh for every picture: once is enough."""
    key = (base.tobytes(), rmse)
    if key not in WARPED:
        WARPED[key] = REFERENCES(base, rmse)
    return WARPED[key]


judge.references = remembered
MODEL = json.loads((ROOT / "engine/src/score/dl/model.json").read_text())


def coherent(old, new):
    """P(coherent) of the shipped judge."""
    z = MODEL["intercept"]
    for term, feature in zip(MODEL["terms"], judge.features(old, new)):
        x = np.clip((feature - term["mean"]) / term["spread"], -2.5, 2.5)
        z += term["weight"] * x + sum(w * max(0, x - knot) for w, knot in zip(term["above"], (-0.5, 0.5)))
    return 1 - 1 / (1 + np.exp(-z))


def matched(draw, base, effect=0.18):
    """`draw(t)` at the t that alters `base` by `effect` ± 15 %; none if up to 16 none does."""
    low, high, t = 0.0, None, 0.01
    for _ in range(40):
        new = draw(t)
        found = judge.rms(new - base)
        if abs(found / effect - 1) <= 0.15:
            return new
        low, high = (t, high) if found < effect else (low, t)
        if high is None and t >= 16:
            return new if found >= 0.6 * effect else None
        t = min(16, 2 * t) if high is None else (low + high) / 2
    return None


def along(weights, names, base, count, rng, single):
    """Mean P(coherent) of changes of single weights, or of random directions of all of them."""
    places = [(k, *ij) for k, w in enumerate(weights) for ij in np.argwhere(w)]
    found = []
    for _ in range(count):
        step = [np.zeros_like(w) for w in weights]
        if single:
            k, i, j = places[rng.integers(len(places))]
            step[k][i, j] = 1
        else:
            step = [rng.normal(size=w.shape) * (w != 0) for w in weights]
        long = np.sqrt(sum((d**2).sum() for d in step))
        for sign in (1, -1):
            new = matched(lambda t: picture([w + sign * t * d / long for w, d in zip(weights, step)], names), base)
            found += [] if new is None else [coherent(base, new)]
    return np.mean(found)


def trained(name):
    """The dense twin of a genome, trained on its picture."""
    folder = FOLDER / f"dense-{name}"
    run("train", "--genome", genome(name), "--wiring", "dense", "--target", genome(name), "--size", 64, "--steps", 8000, "--out", folder, "--quiet")
    raw = (folder / "weights.safetensors").read_bytes()
    start = 8 + int.from_bytes(raw[:8], "little")
    head = json.loads(raw[8:start])

    def layer(k):
        at = head[f"layers.{k}.weight"]
        return np.frombuffer(raw[start:][slice(*at["data_offsets"])], "<f4").reshape(at["shape"]).astype(float).T

    weights = [layer(k) for k in range(sum(key.endswith(".weight") for key in head))]
    return head["__metadata__"]["arch"], weights


def directions(kind, names, network, count=25):
    gaps = []
    for name in names:
        arch, weights = network(name)
        base = picture(weights, units(arch))
        both = [along(weights, units(arch), base, count, np.random.default_rng(0), single) for single in (True, False)]
        gaps.append(both[1] - both[0])
        print(f"{kind} {name}: single weights {both[0]:.2f}, random directions {both[1]:.2f}", flush=True)
    print(f"{kind}, {len(gaps)} networks: random − single {min(gaps):+.2f} to {max(gaps):+.2f}, mean {np.mean(gaps):+.2f}", flush=True)


def relays_and_nothing_trained():
    changes = []
    for name in MIXED:
        arch, weights = layered(name)
        before = score(arch, weights, name, 300)
        after = score(arch, mixed(arch, weights, np.random.default_rng(1)), name, 300)
        changes.append(after["score"] - before["score"])
        counts = f"{before['non_zero']} → {after['non_zero']} non-zero weights"
        print(f"{name}: {before['score']:.3f} → {after['score']:.3f}, {counts}", flush=True)
    print(f"relays mixed, {len(changes)} genomes: mean change {np.mean(changes):+.3f}")
    for kept in (1.0, 0.5, 0.25, 0.12):
        means = []
        for name in UNTRAINED:
            arch, _ = layered(name)
            found = [score(arch, untrained(arch, kept, np.random.default_rng(s)), name, 40) for s in range(4)]
            means.append(np.mean([f["score"] for f in found if f.get("score") is not None]))
        print(f"not trained, {kept:.0%} of the links: " + ", ".join(f"{m:.2f}" for m in means) + f"; mean {np.mean(means):.2f}", flush=True)


if __name__ == "__main__":
    relays_and_nothing_trained()
    directions("evolved", DIRECTIONS, layered)
    directions("dense", DENSE, trained)
