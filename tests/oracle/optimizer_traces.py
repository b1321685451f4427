"""Traces of other people's optimizers on one small problem, in float64 -> optimizer_traces.json.

Run: python tests/oracle/optimizer_traces.py   (torch 2.15, optax 0.2.8)
Read by tests/rooms/optimizers.rs, which states the same problem in Rust:

  21 weights = matrices (out, in) 3x2, 3x3, 2x3, row-major, one after the other;
  c_i = ((7 i) mod 11 - 5) / 10,  h_i = 0.2 + ((5 i) mod 7) / 4,  q_i = 0.1 + ((3 i) mod 5) / 10,
  u_i = ((4 i) mod 9 - 4) / 10,  start w_i = c_i + ((2 i) mod 13 - 6) / 5,  e = w - c,
  f = sum h e^2 / 2 + (u . e)^2 / 2 + sum q e^4 / 4;   the mask removes i mod 4 = 1.

Each trace: the loss before each of 40 steps (4 for muon with steps=20, where rounding shows
soon), and the weights after the last one.
"""

import json
import pathlib

import jax
import numpy as np
import torch

jax.config.update("jax_enable_x64", True)
import jax.numpy as jnp
import optax
import optax.contrib
import torch.optim._muon as torch_muon

N, STEPS = 21, 40
SHAPES = [(3, 2), (3, 3), (2, 3)]
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


def split(flat):
    parts, at = [], 0
    for rows, cols in SHAPES:
        parts.append(np.array(flat[at : at + rows * cols]).reshape(rows, cols))
        at += rows * cols
    return parts


def ruled(g, rule):
    norm = np.sqrt((g * g).sum())
    if rule == "normalize":
        return g / norm
    if rule.startswith("clip-norm:"):
        return g * min(1.0, float(rule.split(":")[1]) / norm)
    return g


def run(step, mask, rule, steps):
    """step(w, ruled gradient) -> new w; the driver around it is the same for all."""
    w, losses = START * mask, []
    for _ in range(steps):
        loss, g = loss_and_gradient(w)
        losses.append(float(loss))
        w = np.asarray(step(w, ruled(g * mask, rule))) * mask
    return losses, w


# Each `begin` below takes (mask, rule) and returns a `step`.


def with_torch(make, orthogonalize=None):
    """Torch optimizers (a list of them) on the three matrices."""

    def begin(_mask, _rule):
        params = [torch.nn.Parameter(torch.tensor(p)) for p in split(START)]
        optimizers = make(params)

        def step(w, g):
            torch_muon._zeropower_via_newtonschulz = orthogonalize
            for p, part, grad in zip(params, split(w), split(g)):
                p.data, p.grad = torch.tensor(part), torch.tensor(grad)
            for optimizer in optimizers:
                optimizer.step()
            return np.concatenate([p.detach().numpy().ravel() for p in params])

        return step

    return begin


def with_optax(opt):
    """An optax transformation. Its matrices are flax kernels, (in, out)."""

    def pack(flat):
        return {f"Dense_{k}": jnp.asarray(p.T) for k, p in enumerate(split(flat))}

    def begin(_mask, _rule):
        state = [opt.init(pack(START))]

        def step(w, g):
            params = pack(w)
            updates, state[0] = opt.update(pack(g), state[0], params)
            new = optax.apply_updates(params, updates)
            return np.concatenate([np.asarray(new[f"Dense_{k}"]).T.ravel() for k in range(3)])

        return step

    return begin


def with_optax_sam(rho, base):
    """optax.contrib.sam in opaque mode; the rule acts on the second gradient only."""

    def begin(mask, rule):
        def second(w, _i):
            return jnp.asarray(ruled(loss_and_gradient(np.asarray(w))[1] * mask, rule))

        adversary = optax.chain(optax.contrib.normalize(), optax.sgd(rho))
        opt = optax.contrib.sam(base, adversary, opaque_mode=True)
        state = [opt.init(jnp.asarray(START))]

        def step(w, _g):
            raw = jnp.asarray(loss_and_gradient(w)[1] * mask)
            updates, state[0] = opt.update(raw, state[0], jnp.asarray(w), grad_fn=second)
            return w + np.asarray(updates)

        return step

    return begin


def newton_schulz_f64(grad, coefficients, steps, eps):
    """In the place of torch.optim.Muon's own function, which works in bfloat16."""
    a, b, c = coefficients
    x = grad.T.clone() if grad.size(0) > grad.size(1) else grad.clone()
    x /= x.norm().clamp(min=eps)
    for _ in range(steps):
        gram = x @ x.T
        x = a * x + (b * gram + c * gram @ gram) @ x
    return x.T if grad.size(0) > grad.size(1) else x


def polar(grad, *_):
    u, _s, vt = torch.linalg.svd(grad, full_matrices=False)
    return u @ vt


T = torch.optim


def muon(params, **settings):
    return T.Muon(params, lr=0.05, weight_decay=0.0, **settings)


def torch_muon_with(orthogonalize, **settings):
    return with_torch(lambda p: [muon(p, **settings)], orthogonalize)


def torch_muon_hidden(p):
    """Muon on the middle matrix, Adam (at twice the rate) on the first and the last."""
    return [muon([p[1]]), T.Adam([p[0], p[2]], lr=0.1)]


def torch_one(make, *args, **settings):
    return with_torch(lambda p: [make(p, *args, **settings)])


CASES = [
    # (from, our config, lr, rule, masked, begin)
    ("torch", "sgd", 0.1, "raw", False, torch_one(T.SGD, lr=0.1)),
    ("torch", "sgd:momentum=0.9", 0.02, "raw", True, torch_one(T.SGD, lr=0.02, momentum=0.9)),
    ("torch", "sgd:momentum=0.9,nesterov=true", 0.02, "clip-norm:0.5", False,
     torch_one(T.SGD, lr=0.02, momentum=0.9, nesterov=True)),
    ("torch", "adam", 0.05, "raw", False, torch_one(T.Adam, lr=0.05)),
    ("optax", "adam", 0.003, "normalize", True, with_optax(optax.adam(0.003))),
    ("optax", "adam:beta1=0.8,beta2=0.95,epsilon=0.001", 0.05, "normalize", False,
     with_optax(optax.adam(0.05, b1=0.8, b2=0.95, eps=1e-3))),
    ("torch", "adamw", 0.05, "raw", False, torch_one(T.AdamW, lr=0.05)),
    ("optax", "adamw:weight_decay=0.1", 0.05, "raw", True,
     with_optax(optax.adamw(0.05, weight_decay=0.1))),
    ("torch", "rmsprop", 0.01, "raw", False, torch_one(T.RMSprop, lr=0.01)),
    ("torch", "rmsprop:alpha=0.9,momentum=0.5", 0.01, "normalize", True,
     torch_one(T.RMSprop, lr=0.01, alpha=0.9, momentum=0.5)),
    ("optax", "lion", 0.02, "raw", False, with_optax(optax.lion(0.02, weight_decay=0.0))),
    ("optax", "lion:beta1=0.8,weight_decay=0.1", 0.02, "normalize", True,
     with_optax(optax.lion(0.02, b1=0.8, weight_decay=0.1))),
    ("optax", "sam", 0.02, "raw", False, with_optax_sam(0.05, optax.sgd(0.02, momentum=0.9))),
    ("optax", "sam:rho=0.2,base.name=adam", 0.02, "normalize", True,
     with_optax_sam(0.2, optax.adam(0.02))),
    ("torch", "muon", 0.05, "raw", False, torch_muon_with(newton_schulz_f64)),
    ("torch", "muon:steps=20", 0.05, "normalize", True,
     torch_muon_with(newton_schulz_f64, ns_steps=20)),
    ("torch", "muon:orthogonalizer=exact-polar", 0.05, "raw", False, torch_muon_with(polar)),
    ("torch", "muon:matrices=hidden,adam_rate=2", 0.05, "raw", False,
     with_torch(torch_muon_hidden, newton_schulz_f64)),
    ("optax", "muon:nesterov=false", 0.05, "raw", True,
     with_optax(optax.contrib.muon(0.05, eps=1e-300, nesterov=False))),
]


def rosenbrock(w):
    a, b = w[:-1], w[1:]
    g = np.zeros_like(w)
    g[:-1] += -400 * a * (b - a * a) - 2 * (1 - a)
    g[1:] += 200 * (b - a * a)
    return float((100 * (b - a * a) ** 2 + (1 - a) ** 2).sum()), g


def torch_lbfgs(f, start, tolerance):
    """What torch.optim.LBFGS (strong Wolfe) needs until the loss is below `tolerance`."""
    p = torch.nn.Parameter(torch.tensor(start, dtype=torch.float64))
    opt = T.LBFGS([p], max_iter=2000, history_size=10, line_search_fn="strong_wolfe",
                  tolerance_grad=0, tolerance_change=0)
    losses = []

    def closure():
        loss, g = f(p.detach().numpy())
        losses.append(loss)
        p.grad = torch.tensor(g)
        return torch.tensor(loss)

    opt.step(closure)
    evaluations = next(k for k, loss in enumerate(losses) if loss < tolerance) + 1
    return {"evaluations": evaluations, "weights": p.detach().tolist()}


def main():
    traces = []
    for source, config, lr, rule, masked, begin in CASES:
        mask = MASK if masked else np.ones(N)
        # Twenty Newton-Schulz steps amplify rounding by 3.4445^20 = 5.5e10 each time.
        steps = 4 if "steps=20" in config else STEPS
        losses, w = run(begin(mask, rule), mask, rule, steps)
        traces.append({"source": source, "config": config, "lr": lr, "rule": rule,
                       "masked": masked, "losses": losses, "weights": w.tolist()})
    warm = optax.warmup_cosine_decay_schedule(0.4 / 6, 0.4, 5, 20, end_value=0.04)
    out = {
        "versions": {"torch": torch.__version__, "optax": optax.__version__},
        "traces": traces,
        "rosenbrock": torch_lbfgs(rosenbrock, [-1.2, 1.0] * 5, 1e-12),
        "warmup_cosine": {"lr": 0.4, "warm_up": 5, "total": 20, "floor": 0.1,
                          "rates": [float(warm(k)) for k in range(24)]},
    }
    path = pathlib.Path(__file__).with_suffix(".json")
    lines = ",\n".join(f' "{key}": {json.dumps(value)}' for key, value in out.items())
    path.write_text("{\n" + lines.replace('{"source"', '\n  {"source"') + "\n}\n")
    print(path, path.stat().st_size, out["rosenbrock"]["evaluations"])


main()
