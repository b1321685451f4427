"""Reference numbers for tests/rooms/prune_oracle.rs, from NumPy and PyTorch alone.

Written from the publications (Frankle & Carbin 2019, Sun et al. 2023, Ma et al. 2023) and METHODS.md
section 5, not from the Rust code. Guards are left out here: the test prunes with `Orphans::Count`.

    python tests/oracle/prune_reference.py   # writes prune_reference.json
"""
import json
import pathlib

import numpy as np
import torch

LAYERS, BLOCK = 4, [("cache", 3), ("gaussian", 2), ("sigmoid", 1), ("sin", 2)]
ARCH = f"{LAYERS};" + ",".join(f"{a}:{n}" for a, n in BLOCK)
SIZE = 9
ACTIVATION = {
    "cache": lambda z: z,
    "gaussian": lambda z: 2 * torch.exp(-z * z) - 1,
    "sigmoid": lambda z: 2 / (1 + torch.exp(-z)) - 1,
    "sin": torch.sin,
}
acts = [a for a, n in BLOCK for _ in range(n)]
W = len(acts)
rng = np.random.default_rng(20261120)

shapes = [(W, 4)] + [(W, W)] * (LAYERS - 1) + [(3, W)]
weights = [rng.normal(0, 1.6 / np.sqrt(i), (o, i)).astype(np.float32).astype(float) for o, i in shapes]
line = np.linspace(-1, 1, SIZE)
y, x = (m.ravel() for m in np.meshgrid(line, line, indexing="ij"))
inputs = np.stack([x, y, 1.4 * np.sqrt(x * x + y * y), np.ones_like(x)])
target = rng.uniform(0, 1, (3, SIZE * SIZE)).astype(np.float32).astype(float)


def layer(i, w, below):
    z = w @ below
    if i == LAYERS:
        return z
    return torch.stack([ACTIVATION[a](row) for a, row in zip(acts, z)])


def maps_of(ws):
    out = [torch.tensor(inputs)]
    for i, w in enumerate(ws):
        out.append(layer(i, torch.as_tensor(w), out[-1]))
    return out


def hsv_to_rgb(h, s, v):
    h6, s, v = torch.remainder(h, 1) * 6, s.clamp(0, 1), v.abs().clamp(0, 1)
    channel = []
    for shift in (5.0, 3.0, 1.0):  # the textbook form: v - v s max(0, min(k, 4 - k, 1)), k = (shift + h6) mod 6
        k = torch.remainder(shift + h6, 6)
        channel.append(v - v * s * torch.minimum(k, 4 - k).clamp(0, 1))
    return torch.stack(channel)


def flat(ms):
    return np.concatenate([np.asarray(m, dtype=float).ravel() for m in ms])


maps = [m.numpy() for m in maps_of(weights)]
N = flat(weights).size

# SP, shares
norm = [np.linalg.norm(m, axis=1) for m in maps]
sp = [np.abs(b @ a.T) / np.outer(nb, na) for a, b, na, nb in zip(maps, maps[1:], norm, norm[1:])]
shares = []
for w, a in zip(weights, maps):
    z = w @ a
    shares.append(w * (z @ a.T) / (z * z).sum(1, keepdims=True))

# mRMR: relevance, greedy redundancy, refit after keeping score >= 0.3
RED, REL = 0.8, 0.3
mrmr, refit = [], []
for w, a in zip(weights, maps):
    z = w @ a
    n = np.linalg.norm(a, axis=1)
    rel = np.abs(z @ a.T) / np.outer(np.linalg.norm(z, axis=1), n)
    cos = np.abs(a @ a.T) / np.outer(n, n)
    score, new = rel.copy(), np.zeros_like(w)
    for i in range(len(w)):
        chosen = []
        for j in sorted(range(w.shape[1]), key=lambda j: (-rel[i, j], j)):
            if any(cos[j, k] >= RED for k in chosen):
                score[i, j] -= 1
            else:
                chosen.append(j)
        keep = np.flatnonzero(score[i] >= REL)
        if len(keep) == w.shape[1]:
            new[i] = w[i]
        elif len(keep):
            new[i, keep] = np.linalg.lstsq(a[keep].T, z[i], rcond=None)[0]
    mrmr.append(score)
    refit.append(new)


# Wanda
def shared(sizes, k):
    exact = [k * s / sum(sizes) for s in sizes]
    got = [int(np.floor(e)) for e in exact]
    for i in sorted(range(len(sizes)), key=lambda i: (-(k * sizes[i] % sum(sizes)), i))[: k - sum(got)]:
        got[i] += 1
    return got


def best(scores, k):
    keep = np.zeros(scores.size, bool)
    keep[np.argsort(-scores.ravel(), kind="stable")[:k]] = True
    return keep.reshape(scores.shape)


K = N * 2 // 5
wanda = {}
dense_scores = [np.abs(w) * n[None, :] for w, n in zip(weights, norm)]
wanda["global"] = {"scores": dense_scores, "mask": None}
for sequential in (True, False):
    for scope in ("row", "layer"):
        below, scores, masks = torch.tensor(inputs), [], []
        rows = shared([s[1] for s in shapes for _ in range(s[0])], K)
        layers = shared([w.size for w in weights], K)
        first = 0
        for i, w in enumerate(weights):
            s = np.abs(w) * np.linalg.norm(below.numpy(), axis=1)[None, :]
            if scope == "row":
                m = np.stack([best(s[r], rows[first + r]) for r in range(len(w))])
            else:
                m = best(s, layers[i])
            first += len(w)
            scores.append(s)
            masks.append(m)
            below = layer(i, torch.tensor(w * m if sequential else w), below)
        wanda[scope + ("" if sequential else "-parallel")] = {"scores": scores, "mask": masks}
g = best(flat(dense_scores), K)
wanda["global"]["mask"] = [g]

# Gradient and Taylor
leaves = [torch.tensor(w, requires_grad=True) for w in weights]
loss = ((hsv_to_rgb(*maps_of(leaves)[-1]) - torch.tensor(target)) ** 2).mean()
loss.backward()
grads = [w.grad.numpy() for w in leaves]


def taylor(order, vectorize, update, budget):
    sal = {
        "first": [w * g for w, g in zip(weights, grads)],
        "second": [w * w * g * g for w, g in zip(weights, grads)],
        "mixed": [w * g - 0.5 * w * w * g * g for w, g in zip(weights, grads)],
    }[order]
    mask = [np.ones(w.shape, bool) for w in weights]
    reduce = (lambda v: abs(v.sum())) if vectorize else (lambda v: np.abs(v).sum())

    def rank():
        return {
            (l, k): reduce((sal[l] * mask[l])[k]) + reduce((sal[l + 1] * mask[l + 1])[:, k])
            for l in range(LAYERS)
            for k in range(W)
        }

    first = importance = rank()
    gone, size = [], [W] * LAYERS
    while sum(int(m.sum()) for m in mask) > budget:
        if update:
            importance = rank()
        l, k = min((u for u in importance if u not in gone and size[u[0]] > 1), key=lambda u: (importance[u], u))
        gone.append((l, k))
        size[l] -= 1
        mask[l][k] = False
        mask[l + 1][:, k] = False
    return {
        "order": order,
        "vectorize": vectorize,
        "update": update,
        "budget": budget,
        "importance": [float(first[l, k]) for l in range(LAYERS) for k in range(W)],
        "removed": [4 + l * W + k for l, k in gone],
        "count": sum(int(m.sum()) for m in mask),
    }


# IMP on fixed weights: which links are left after each round
def imp_global(p, rounds):
    left, out = np.arange(N), []
    w = np.abs(flat(weights))
    for _ in range(rounds):
        drop = int(np.floor(p * (len(left) - 1)))
        left = np.delete(left, np.argsort(w[left], kind="stable")[:drop])
        out.append(left.tolist())
    return out


def imp_original(hidden, output, rounds):
    masks, out = [np.ones(w.shape, bool) for w in weights], []
    for _ in range(rounds):
        for i, (w, m) in enumerate(zip(weights, masks)):
            p = output if i == LAYERS else hidden
            alive = np.sort(np.abs(w[m]))
            cutoff = alive[np.round(p * alive.size).astype(int)]  # as published: everything <= cutoff goes
            m &= np.abs(w) > cutoff
        out.append(np.flatnonzero(flat(masks)).tolist())
    return out


def numbers(values):
    return [float(f"{v:.17g}") for v in np.asarray(values, dtype=float).ravel()]


kept = lambda masks: np.flatnonzero(flat(masks)).tolist()
result = {
    "arch": ARCH,
    "size": SIZE,
    "weights": numbers(flat(weights)),
    "target": numbers(target),
    "budget": K,
    "sp": numbers(flat(sp)),
    "shares": numbers(flat(shares)),
    "mrmr": {"redundancy": RED, "relevance": REL, "scores": numbers(flat(mrmr)), "refit": numbers(flat(refit))},
    "wanda": {k: {"scores": numbers(flat(v["scores"])), "kept": kept(v["mask"])} for k, v in wanda.items()},
    "loss": loss.item(),
    "gradient": numbers(flat(grads)),
    "taylor": [
        taylor(order, vectorize, update, N * 3 // 10)
        for order in ("first", "second", "mixed")
        for vectorize in (False, True)
        for update in (False, True)
    ],
    "imp_global": {"p": 0.05, "rounds": imp_global(0.05, 12)},
    "imp_original": {"hidden": 0.2, "output": 0.1, "rounds": imp_original(0.2, 0.1, 5)},
}
path = pathlib.Path(__file__).with_suffix(".json")
path.write_text(json.dumps(result) + "\n")
print(N, K, loss.item(), path.stat().st_size)
