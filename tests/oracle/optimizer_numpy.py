"""Traces of our other optimizers, written in numpy from their formulas -> optimizer_numpy.json.

Run: python tests/oracle/optimizer_numpy.py   (numpy only)
Read by tests/rooms/optimizers.rs. The problem, its mask and the driver are those of
optimizer_traces.py, whose optimizers are torch's and optax's; these have no implementation there.

The evolution strategies draw from the streams that the engine names by (seed, purpose,
attempt << 48 | generation): ChaCha8, keyed by SplitMix64 of the seed, its stream number FNV-1a
of purpose, 0 and index; normals by Marsaglia's polar method, the second of a pair dropped.
"""

import json
import math
import pathlib

import numpy as np

N, STEPS, SEED, ATTEMPT = 21, 40, 11, 3
I = np.arange(N)
C = ((7 * I) % 11 - 5) / 10
H = 0.2 + ((5 * I) % 7) / 4
Q = 0.1 + ((3 * I) % 5) / 10
U = ((4 * I) % 9 - 4) / 10
START = C + ((2 * I) % 13 - 6) / 5
MASK = (I % 4 != 1).astype(float)


def loss_and_gradient(w):
    e = w - C
    ue = (U * e).sum()
    loss = (H * e * e).sum() / 2 + ue * ue / 2 + (Q * e**4).sum() / 4
    return loss, H * e + ue * U + Q * e**3


def ruled(g, rule):
    norm = np.sqrt((g * g).sum())
    if rule == "normalize":
        return g / norm
    if rule.startswith("clip-norm:"):
        return g * min(1.0, float(rule.split(":")[1]) / norm)
    return g


# The engine's random streams.

M64, M32 = (1 << 64) - 1, (1 << 32) - 1


class Stream:
    def __init__(self, seed, purpose, index):
        key, state = b"", seed
        for _ in range(4):
            state = (state + 0x9E3779B97F4A7C15) & M64
            z = state
            z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & M64
            z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & M64
            key += (z ^ (z >> 31)).to_bytes(8, "little")
        stream = 0xCBF29CE484222325
        for byte in purpose.encode() + b"\0" + index.to_bytes(8, "little"):
            stream = ((stream ^ byte) * 0x100000001B3) & M64
        self.key = [int.from_bytes(key[k : k + 4], "little") for k in range(0, 32, 4)]
        self.stream, self.block, self.words = stream, 0, []

    def word(self):
        if not self.words:
            counter = [self.block & M32, self.block >> 32, self.stream & M32, self.stream >> 32]
            first = [0x61707865, 0x3320646E, 0x79622D32, 0x6B206574] + self.key + counter
            x = first[:]

            def quarter(a, b, c, d):
                for p, q, r, turn in [(a, b, d, 16), (c, d, b, 12), (a, b, d, 8), (c, d, b, 7)]:
                    x[p] = (x[p] + x[q]) & M32
                    v = x[r] ^ x[p]
                    x[r] = ((v << turn) | (v >> (32 - turn))) & M32

            for _ in range(4):
                for k in range(4):
                    quarter(k, 4 + k, 8 + k, 12 + k)
                for k in range(4):
                    quarter(k, 4 + (k + 1) % 4, 8 + (k + 2) % 4, 12 + (k + 3) % 4)
            self.words = [(a + b) & M32 for a, b in zip(x, first)]
            self.block += 1
        return self.words.pop(0)

    def uniform(self):
        low = self.word()
        return (((self.word() << 32) | low) >> 11) / (1 << 53)

    def normal(self):
        while True:
            u, v = 2 * self.uniform() - 1, 2 * self.uniform() - 1
            s = u * u + v * v
            if 0 < s < 1:
                return u * math.sqrt(-2 * math.log(s) / s)

    def normals(self, rows, cols):
        return np.array([[self.normal() for _ in range(cols)] for _ in range(rows)])


# Each class below is begun with (mask, lr, rule, options); step(w) -> new w.


class FirstOrder:
    def __init__(self, mask, lr, rule, options):
        self.mask, self.lr, self.rule, self.o = mask, lr, rule, options
        self.m, self.v, self.t = np.zeros(N), 0.0, 0

    def step(self, w):
        return self.move(w, ruled(loss_and_gradient(w)[1] * self.mask, self.rule))

    def adam(self, w, g, squares):
        b1, b2 = self.o.get("beta1", 0.9), self.o.get("beta2", 0.999)
        self.t += 1
        self.m = b1 * self.m + (1 - b1) * g
        self.v = b2 * self.v + (1 - b2) * squares
        root = np.sqrt(self.v / (1 - b2**self.t)) + self.o.get("epsilon", 1e-8)
        return w - self.lr * self.m / (1 - b1**self.t) / root ** self.o.get("q", 1.0)


class AdamQ(FirstOrder):
    def move(self, w, g):
        self.o.setdefault("q", 0.5)
        return self.adam(w, g, g * g)


class AdamScalar(FirstOrder):
    def move(self, w, g):
        return self.adam(w, g, (g @ g) / self.mask.sum())


class NormalizedMomentum(FirstOrder):
    def move(self, w, g):
        mu = self.o.get("momentum", 0.9)
        self.m = mu * self.m + (1 - mu) * g
        return w - self.lr * self.m / np.linalg.norm(self.m)


class OpenAiEs(FirstOrder):
    def __init__(self, *args):
        super().__init__(*args)
        self.generation = 0

    def step(self, w):
        alive, pairs, sigma = np.flatnonzero(self.mask), self.o["population"], self.o["sigma"]
        index = (ATTEMPT << 48) | self.generation
        self.generation += 1
        e = np.zeros((pairs, N))
        e[:, alive] = Stream(SEED, "openai-es", index).normals(pairs, len(alive))
        both = np.stack([w + sigma * e, w - sigma * e])
        losses = np.array([[loss_and_gradient(x)[0] for x in side] for side in both])
        ranks = losses.ravel().argsort().argsort().reshape(2, pairs) / (2 * pairs - 1) - 0.5
        g = ((ranks[0] - ranks[1]) @ e) / (2 * pairs * sigma)
        return self.adam(w, ruled(g, self.rule), ruled(g, self.rule) ** 2)


class CmaEs:
    """Hansen's tutorial, arXiv:1604.00772, with C^(1/2) in the place of B·D."""

    def __init__(self, mask, _lr, _rule, options):
        self.alive = np.flatnonzero(mask)
        n = self.n = len(self.alive)
        lam = self.lam = options.get("population", 4 + math.floor(3 * math.log(n)))
        mu = self.mu = lam // 2
        raw = math.log((lam + 1) / 2) - np.log(np.arange(1, lam + 1))
        self.mueff = me = raw[:mu].sum() ** 2 / (raw[:mu] ** 2).sum()
        me_minus = raw[mu:].sum() ** 2 / (raw[mu:] ** 2).sum()
        self.cs = (me + 2) / (n + me + 5)
        self.ds = 1 + 2 * max(0, math.sqrt((me - 1) / (n + 1)) - 1) + self.cs
        self.cc = (4 + me / n) / (n + 4 + 2 * me / n)
        self.c1 = c1 = 2 / ((n + 1.3) ** 2 + me)
        self.cmu = cmu = min(1 - c1, 2 * (0.25 + me + 1 / me - 2) / ((n + 2) ** 2 + 2 * me / 2))
        least = min(1 + c1 / cmu, 1 + 2 * me_minus / (me + 2), (1 - c1 - cmu) / (n * cmu))
        plus, minus = raw[raw > 0].sum(), -raw[raw < 0].sum()
        self.w = np.where(raw >= 0, raw / plus, least * raw / minus)
        self.chi = math.sqrt(n) * (1 - 1 / (4 * n) + 1 / (21 * n * n))
        self.every = math.ceil(1 / ((c1 + cmu) * n * 10))
        self.sigma, self.C, self.root = options.get("sigma", 0.3), np.eye(n), np.eye(n)
        self.ps, self.pc, self.g, self.rooted = np.zeros(n), np.zeros(n), 0, 0

    def step(self, w):
        n = self.n
        if self.g - self.rooted >= self.every:
            values, vectors = np.linalg.eigh(self.C)
            self.root, self.rooted = vectors @ np.diag(np.sqrt(values)) @ vectors.T, self.g
        z = Stream(SEED, "cma-es", (ATTEMPT << 48) | self.g).normals(self.lam, n)
        y = z @ self.root

        def candidate(step):
            x = w.copy()
            x[self.alive] += self.sigma * step
            return x

        order = np.argsort([loss_and_gradient(candidate(step))[0] for step in y])
        z, y = z[order], y[order]
        zw, yw = self.w[: self.mu] @ z[: self.mu], self.w[: self.mu] @ y[: self.mu]
        new = candidate(yw)
        self.g += 1
        self.ps = (1 - self.cs) * self.ps + math.sqrt(self.cs * (2 - self.cs) * self.mueff) * zw
        length = np.linalg.norm(self.ps)
        h = length / math.sqrt(1 - (1 - self.cs) ** (2 * self.g)) < (1.4 + 2 / (n + 1)) * self.chi
        self.pc = (1 - self.cc) * self.pc + h * math.sqrt(self.cc * (2 - self.cc) * self.mueff) * yw
        inner = np.linalg.solve(self.root, y.T).T
        circle = np.where(self.w >= 0, self.w, self.w * n / (inner**2).sum(axis=1))
        delta = (1 - h) * self.cc * (2 - self.cc)
        self.C = ((1 + self.c1 * delta - self.c1 - self.cmu * self.w.sum()) * self.C
                  + self.c1 * np.outer(self.pc, self.pc)
                  + self.cmu * sum(c * np.outer(v, v) for c, v in zip(circle, y)))
        self.sigma *= math.exp(self.cs / self.ds * (length / self.chi - 1))
        return new


KINDS = {"adam-q": AdamQ, "adam-scalar": AdamScalar, "normalized-momentum": NormalizedMomentum,
         "cma-es": CmaEs, "openai-es": OpenAiEs}

CASES = [
    # (our config, lr, rule, masked)
    ("adam-q", 0.05, "raw", False),
    ("adam-q:q=0,beta1=0.8", 0.02, "clip-norm:0.5", True),
    ("adam-q:q=0.25", 0.02, "normalize", True),
    ("adam-scalar", 0.05, "raw", True),
    ("adam-scalar:beta1=0.8,beta2=0.95,epsilon=0.001", 0.05, "normalize", False),
    ("normalized-momentum", 0.05, "raw", False),
    ("normalized-momentum:momentum=0.5", 0.05, "clip-norm:0.5", True),
    ("cma-es", 1.0, "raw", True),
    ("cma-es:population=31,sigma=1", 1.0, "raw", False),
    ("openai-es:population=5,sigma=0.1", 0.05, "raw", True),
    ("openai-es:population=12,sigma=0.02", 0.02, "normalize", False),
]


def main():
    traces = []
    for config, lr, rule, masked in CASES:
        name, _, rest = config.partition(":")
        pairs = [pair.split("=") for pair in rest.split(",") if pair]
        options = {key: float(value) for key, value in pairs}
        if "population" in options:
            options["population"] = int(options["population"])
        mask = MASK if masked else np.ones(N)
        method = KINDS[name](mask, lr, rule, options)
        w, losses = START * mask, []
        for _ in range(STEPS):
            losses.append(float(loss_and_gradient(w)[0]))
            w = method.step(w) * mask
        print(config, losses[0], losses[-1])
        traces.append({"source": "numpy", "config": config, "lr": lr, "rule": rule,
                       "masked": masked, "losses": losses, "weights": w.tolist()})
    path = pathlib.Path(__file__).with_suffix(".json")
    lines = ",\n".join("  " + json.dumps(trace) for trace in traces)
    path.write_text(f'{{\n "seed": {SEED}, "attempt": {ATTEMPT},\n "traces": [\n{lines}]\n}}\n')
    print(path.name, path.stat().st_size)


main()
