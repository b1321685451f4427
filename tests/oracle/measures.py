"""Oracle of further measures (crates/engine/src/score/measures), on the networks of organisation.py and in its way: float64,
from the definitions. Writes tests/oracle/measures.json, which tests/rooms/measures_oracle.rs reads:

    python tests/oracle/measures.py

Where a measure has steps (which colour is nearest, which links are needed, which pair is more alike), it is asserted here
that no case lies so near to one that the program's f32 pictures could fall on its other side.
"""
import json
import pathlib

import numpy as np

from organisation import INPUTS, NETWORKS, SIDE, Net, doings, plain, sums

# How near to a step nothing may lie.
CLEAR = 2e-5
PIXEL = 3e-6  # For each of many pixels: above what colours are off by.
STEPS = 256  # Changes of weights are multiples of 1/256: exact in f32.


def nearest(palette, image):
    """(P,) index of the nearest colour, and how clear the nearest choice is."""
    far = np.linalg.norm(image[:, None] - palette[None], axis=2)
    ranked = np.sort(far, axis=1)
    return far.argmin(1), (ranked[:, 1] - ranked[:, 0]).min() if len(palette) > 1 else 1


class Rods:
    """What is measured on pictures, relative to `base` (P, 3)."""

    def __init__(self, base):
        border = np.ones((SIDE, SIDE), bool)
        border[1:-1, 1:-1] = False
        self.background = base[border.ravel()].mean(0)
        palette = self.background[None]
        while len(palette) < 4:
            gap = np.linalg.norm(base[:, None] - palette[None], axis=2).min(1)
            assert abs(gap.max() - .1) > CLEAR
            if gap.max() < .1:
                break
            # Pixels that are as far are of one colour, or else rounding would choose.
            chosen = base[gap.argmax()]
            assert abs(base[gap > gap.max() - CLEAR] - chosen).max() < 1e-12
            palette = np.vstack([palette, chosen])
        for _ in range(20):
            part, clear = nearest(palette, base)
            assert clear > PIXEL, clear
            palette = np.array([base[part == k].mean(0) if (part == k).any() else old for k, old in enumerate(palette)])
        self.palette = palette

    def clear(self, image):
        return nearest(self.palette, image)[1]

    def of_pixels(self, image):
        """(K, P): a mask of each part, the two of chroma, brightness."""
        part, clear = nearest(self.palette, image)
        assert clear > PIXEL
        r, g, b = image.T
        return np.stack([*(1. * (part == k) for k in range(len(self.palette))),
                         r - (g + b) / 2, np.sqrt(3) / 2 * (g - b), image.max(1)])

    def measure(self, image):
        square = image.reshape(SIDE, SIDE, 3)
        mirror = [np.sqrt(((square - other) ** 2).mean()) for other in (square[:, ::-1], square[::-1])]
        mass = np.linalg.norm(image - self.background, axis=1).reshape(SIDE, SIDE)
        # Middles of the pixels, from -1 to 1.
        at = (np.arange(SIDE) + .5) / SIDE * 2 - 1
        centre = [(mass.sum(0) @ at) / mass.sum(), (mass.sum(1) @ at) / mass.sum()]
        return np.array([*mirror, *self.of_pixels(image).mean(1), *centre])


def rms(a):
    return np.sqrt((a ** 2).mean())


def sweep(net, rods):
    """[link, delta, silent] of 24 non-zero weights, each down and up, near an RMSE of .18 where there is one."""
    base, on = net.picture(), np.flatnonzero(net.flat)
    rows = []
    for link in [int(on[len(on) * k // 24]) for k in range(24)]:
        for sign in (-1, 1):
            grid = 2. ** np.arange(-6, 4.5, .5)
            effects = np.array([rms(net.picture(net.one(link, sign * by)) - base) for by in grid])
            k = round(grid[int(np.argmin(abs(effects - .18)))] * STEPS)
            while rods.clear(net.picture(net.one(link, sign * k / STEPS))) < PIXEL:
                k += 1
            rows.append([link, sign * k / STEPS, bool(effects.max() < .6 * .18)])
    return rows


def concentration(rows):
    """1 - entropy of each row's shares, in base of their number; nan of a row of zeros."""
    total = rows.sum(1, keepdims=True)
    q = np.divide(rows, total, out=np.zeros_like(rows), where=total > 0)
    entropy = -np.where(q > 0, q * np.log(np.where(q > 0, q, 1)), 0).sum(1)
    return np.where(total[:, 0] > 0, 1 - entropy / np.log(rows.shape[1]), np.nan)


def student(level, freedom):
    """Quantile, by Simpson's rule and halving."""
    def below(t):
        grid = np.linspace(0, t, 4001)
        density = (1 + grid ** 2 / freedom) ** (-(freedom + 1) / 2)
        simpson = (density[0] + density[-1] + 4 * density[1:-1:2].sum() + 2 * density[2:-1:2].sum()) * t / 12000
        wide = np.linspace(-np.pi / 2, np.pi / 2, 200001)[1:-1]  # t = tan: all of the density.
        whole = ((1 + np.tan(wide) ** 2 / freedom) ** (-(freedom + 1) / 2) / np.cos(wide) ** 2).sum() * (wide[1] - wide[0])
        return .5 + simpson / whole
    low, high = 0, 20
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if below(middle) < level else (low, middle)
    return low


def jackknife(estimate, left_out):
    """Ends of the 95 % interval from the estimates with one left out, cut to [0, 1]."""
    n = len(left_out)
    half = student(.975, n - 1) * np.sqrt((n - 1) * np.var(left_out))
    return [max(0, estimate - half), min(1, estimate + half)]


def importance(net, rods, rows):
    rest, links = rods.measure(net.picture()), list(dict.fromkeys(row[0] for row in rows))
    moved = {link: [] for link in links}
    for link, delta, silent in rows:
        now = rest if silent else rods.measure(net.picture(net.one(link, delta)))
        moved[link].append(abs(now - rest))
    matrix = np.array([np.mean(moved[link], 0) for link in links])
    most = matrix.max(0)
    assert ((most < 1e-9) | (most > .02)).all(), most
    matrix = np.where(most > 1e-6, matrix / np.where(most > 1e-6, most, 1), 0)
    d, c = concentration(matrix), concentration(matrix.T)

    def of(matrix):
        return np.nansum(matrix.sum(1) / matrix.sum() * concentration(matrix))
    felt = matrix[~np.isnan(d)]
    out = [of(np.delete(felt, i, axis=0)) for i in range(len(felt))]
    return {'links': len(links), 'matrix': [sums(column) for column in matrix.T], 'weights': d, 'attributes': c,
            'disentanglement': of(matrix), 'completeness': np.nanmean(c), 'interval': jackknife(of(matrix), out)}


def symmetry(net, rows):
    base = net.picture().reshape(SIDE, SIDE, 3)
    error = [rms(base - base[:, ::-1]), rms(base - base[::-1])]
    assert abs(error[0] - error[1]) > CLEAR
    shares = []
    for link, delta, silent in rows:
        change = net.picture(net.one(link, delta)).reshape(SIDE, SIDE, 3) - base
        mirror = change[:, ::-1] if error[0] < error[1] else change[::-1]
        if not silent:
            shares.append((((change + mirror) / 2) ** 2).sum() / (change ** 2).sum())
    return {'vertical': bool(error[0] < error[1]), 'error': min(error), 'preservation': np.mean(shares), 'moved': len(shares)}


def agreement(net, rows):
    """Of links whose pairs are clearly more or less alike, with labels by a formula."""
    base, moved = net.picture(), {}
    for link, delta, silent in rows:
        if not silent:
            moved[link] = moved.get(link, 0) + np.sign(delta) * (net.picture(net.one(link, delta)) - base)
    names = {link: 'abc'[(k * k + k // 2) % 3] for k, link in enumerate(moved)}

    def alike(a, b):
        a, b = np.ravel(moved[a]), np.ravel(moved[b])
        return abs(a @ b) / np.sqrt((a @ a) * (b @ b))

    def pairs(links):
        both = [(a, b) for k, a in enumerate(links) for b in links[:k]]
        return np.array([alike(*pair) for pair in both]), np.array([names[a] == names[b] for a, b in both])

    def auc(links):
        cos, same = pairs(links)
        more = cos[same][:, None] - cos[~same][None]
        return ((more > 0) + .5 * (more == 0)).mean()
    links = []
    for link in moved:
        if len(links) < 2 or np.diff(np.sort(pairs([*links, link])[0]), prepend=-1).min() > 4e-6:
            links.append(link)
    estimate, (cos, same) = auc(links), pairs(links)
    out = [auc([other for other in links if other != link]) for link in links]
    return {'links': links, 'labels': [names[link] for link in links], 'within': int(same.sum()),
            'mean_within': cos[same].mean(), 'mean_between': cos[~same].mean(),
            'auc': [estimate, *jackknife(estimate, out)]}


def maps_of(net):
    """(U, P): inputs, hidden units by layer; outputs are heard by nothing."""
    maps = [INPUTS]
    net.picture(act=lambda _, a: maps.append(a) or a)
    return np.concatenate(maps)


def copies(maps):
    """Of each of the (n, P) maps the first that it repeats, itself too; cosines; norms."""
    norms = np.linalg.norm(maps, axis=1)
    assert ((norms == 0) | (norms > 1e-3)).all()
    unit = maps / np.where(norms > 0, norms, 1)[:, None]
    g = unit @ unit.T
    assert abs(abs(g) - .999).min() > CLEAR
    kind = []
    for i in range(len(maps)):
        same = [j for j in range(i) if kind[j] == j and (abs(g[i, j]) > .999 or norms[i] == norms[j] == 0)]
        kind.append(same[0] if same else i)
    return np.array(kind), g, norms


def share(maps):
    return (copies(maps)[0] != np.arange(len(maps))).mean()


def overlap(maps):
    """Interference of the maps that are no copies and not silent."""
    kind, g, norms = copies(maps)
    loud = np.flatnonzero((kind == np.arange(len(maps))) & (norms > 0))
    n, cos = len(loud), g[np.ix_(loud, loud)]
    values = np.linalg.eigvalsh(cos)
    assert not ((values > 1e-8 * n) & (values < 1e-5 * n)).any(), values
    d = int((values > 1e-6 * n).sum())
    return {'class': kind, 'share': share(maps), 'maps': n, 'silent': int((norms == 0).sum()), 'rank': d,
            'interference': (cos[~np.eye(n, dtype=bool)] ** 2).mean() if n > 1 else 0,
            'welch': max(0, (n - d) / (d * (n - 1))) if n > 1 else 0}


def wrinkles(maps):
    """Roughness of each map that varies."""
    square = maps[np.ptp(maps, axis=1) > 0].reshape(-1, SIDE, SIDE)
    return (abs(np.diff(square, axis=1)).mean((1, 2)) + abs(np.diff(square, axis=2)).mean((1, 2))) / 2


def decoded(maps, attributes):
    """Held-out R² of each attribute: ridge by least squares with rows for the penalty."""
    deviation = maps.std(1)
    assert ((deviation < 1e-12) | (deviation > 1e-3)).all()
    x = (maps - maps.mean(1, keepdims=True)) / np.where(deviation > 1e-9, deviation, np.inf)[:, None]
    row, column = np.divmod(np.arange(SIDE * SIDE), SIDE)
    fold = (column // 8 + 2 * (row // 8)) % 5
    guess = np.zeros_like(attributes)
    for f in range(5):
        seen = fold != f
        shrink = np.sqrt(1e-3 * seen.sum()) * np.eye(len(x))
        design = np.vstack([np.c_[x[:, seen].T, np.ones(seen.sum())], np.c_[shrink, np.zeros(len(x))]])
        target = np.vstack([attributes[:, seen].T, np.zeros((len(x), len(attributes)))])
        beta = np.linalg.lstsq(design, target, rcond=None)[0]
        guess[:, ~seen] = (np.c_[x[:, ~seen].T, np.ones((~seen).sum())] @ beta).T
    spread = attributes.var(1)
    assert ((spread < 1e-14) | (spread > 1e-7)).all()
    return np.where(spread > 1e-12, 1 - ((attributes - guess) ** 2).mean(1) / np.where(spread > 1e-12, spread, 1), np.nan)


def of_components(maps, attributes, count=8):
    """Mean R² from the principal components, by a singular value decomposition; nan where the last is not told clearly from
    the next, so that rounding mixes them."""
    _, values, right = np.linalg.svd(maps - maps.mean(1, keepdims=True), full_matrices=False)
    part = np.append(values ** 2 / (values ** 2).sum(), 0)
    assert not ((part > 1e-13) & (part < 1e-6))[:count].any(), part
    if len(values) > count and part[count - 1] - part[count] < 1e-4:
        return np.nan
    kept = part[:-1][:count] > 1e-9
    return np.nanmean(decoded((values[:, None] * right)[:count][kept], attributes))


def newman(a, module):
    """Q of a symmetric matrix of weights: what lies within modules, less what the degrees make one expect."""
    degree = a.sum(1)
    return ((a - np.outer(degree, degree) / a.sum()) * (module[:, None] == module[None])).sum() / a.sum()


def louvain(a, clear):
    """Modules, named by their first unit; every move is judged by Q itself."""
    belongs = np.arange(len(a))
    while True:
        groups = [np.flatnonzero(belongs == k) for k in range(belongs.max() + 1)]
        module, moved = belongs.copy(), True
        while moved:
            moved = False
            for group in groups:
                home = module[group[0]]
                near = set(module[a[group].sum(0) > 0]) | {home}
                q = {}
                for other in sorted(near):
                    tried = module.copy()
                    tried[group] = other
                    q[other] = newman(a, tried)
                most = max(q.values())
                assert all(most - v < 1e-11 or most - v > clear for v in q.values())
                if q[home] < most - 1e-12:
                    module[group], moved = min(k for k, v in q.items() if v > most - 1e-12), True
        names = {}
        module = np.array([names.setdefault(m, len(names)) for m in module])
        if len(names) == len(groups):
            return module
        belongs = module


def wires(net):
    """(U, U) |w| between hidden and output units."""
    width, count = len(net.block), len(net.block) * net.layers
    a = np.zeros((count + 3, count + 3))
    for layer, w in enumerate(net.w[1:]):
        first = (layer + 1) * width
        a[first:first + len(w), first - width:first] = abs(w)
    return a + a.T


def modularity(net):
    a = wires(net)
    joined = np.flatnonzero(a.sum(1) > 0)
    module = louvain(a[np.ix_(joined, joined)], 1e-9)
    named = np.full(len(a), np.nan)
    named[joined] = module
    return {'module': named, 'q': newman(a[np.ix_(joined, joined)], module)}


def function(net):
    """Modules of units that do the same; what the wiring's Q is with them, and with them shuffled within layers."""
    silenced, base, width = doings(net), net.picture(), len(net.block)
    units = []
    for unit in range(width * net.layers):
        def without(at, a):
            return np.where((np.arange(width) == unit % width)[:, None], 0, a) if at == unit // width else a
        if abs(net.picture(act=without) - base).max() > 1e-3:
            units.append(unit)
    assert len(units) == len(silenced)
    flat = silenced.reshape(len(units), -1)
    flat = flat / np.linalg.norm(flat, axis=1, keepdims=True)
    alike = abs(flat @ flat.T) * ~np.eye(len(units), dtype=bool)
    module, layer = louvain(alike, 2e-6), np.array(units) // width
    a = wires(net)[np.ix_(units, units)]
    draw, null = np.random.default_rng(0), []
    for _ in range(10000):
        other = module.copy()
        for k in set(layer):
            other[layer == k] = draw.permutation(other[layer == k])
        null.append(newman(a, other))
    spans = sum(set(layer[module == m]) == set(layer) for m in range(module.max() + 1))
    return {'units': units, 'module': module, 'spanning': spans, 'q': newman(alike, module), 'wiring_q': newman(a, module),
            'null_mean': np.mean(null), 'null_deviation': np.std(null)}


def hearing(net, maps):
    """Effective inputs of every hidden unit and output; nan for none."""
    loud, width, found = np.linalg.norm(maps, axis=1), len(net.block), []
    for layer, w in enumerate(net.w):
        first = 4 + (layer - 1) * width if layer else 0
        size = abs(w) * loud[first:first + w.shape[1]]
        total = size.sum(1, keepdims=True)
        s = size / np.where(total > 0, total, 1)
        found += [*np.where(total[:, 0] > 0, np.exp(-np.where(s > 0, s * np.log(np.where(s > 0, s, 1)), 0).sum(1)), np.nan)]
    return np.array(found)


def of_links(net):
    base, on, reach, width = net.picture(), np.zeros(len(net.flat), bool), net.reach(), len(net.block)
    on[net.living()] = True
    effects = np.array([rms(net.picture(net.one(k, -net.flat[k])) - base) for k in net.living()])
    assert abs(effects - .01).min() > CLEAR
    heard, readers = 0, np.zeros((net.layers, width))
    for layer, (w, lives) in enumerate(zip(net.split(net.flat), net.split(on))):
        p = w ** 2 * lives
        heard += sum(row.sum() ** 2 / (row ** 2).sum() for row in p if row.any())
        if layer:
            readers[layer - 1] = (lives != 0).sum(0)
    relay = np.array([name == 'cache' for name in net.block])[None] & (readers > 0)
    assert ((readers > 0) == np.array(reach[1:-1])).all()
    return {'needed': int((effects > .01).sum()), 'participation': heard, 'units': int((readers > 0).sum()),
            'reuse': readers[readers > 0].mean(), 'most': int(readers.max()),
            'without_relays': readers[(readers > 0) & ~relay].mean()}


def of_network(spec):
    net = Net(spec)
    image, maps, width = net.picture(), maps_of(net), len(net.block)
    rods = Rods(image)
    rows = sweep(net, rods)
    pixels = rods.of_pixels(image)
    hidden = [maps[4 + k * width:4 + (k + 1) * width] for k in range(net.layers)]
    alive = [layer[lives] for layer, lives in zip(hidden, net.reach()[1:-1])]
    found = [overlap(layer) for layer in alive if len(layer)]
    several = [of for of in found if of['maps'] > 1]
    fan_in, whole = hearing(net, maps), np.concatenate(alive)
    return {
        'kind': spec['kind'], 'rods': rods.measure(image), 'pixels': [sums(values) for values in pixels], 'sweep': rows,
        'importance': importance(net, rods, rows), 'symmetry': symmetry(net, rows), 'labels': agreement(net, rows),
        'layers': [{**overlap(layer), 'roughness': wrinkles(layer).mean(), 'decoded': decoded(layer, pixels)} for layer in hidden],
        'heard': overlap(maps[:4 + width]), 'fan_in': fan_in,
        'links': of_links(net), 'modularity': modularity(net), 'function': function(net),
        'summary': {
            'interference': np.mean([of['interference'] for of in several]),
            'excess': np.mean([of['interference'] - of['welch'] for of in several]),
            'roughness': wrinkles(whole).mean(), 'duplicates': share(whole), 'effective_fan_in': np.nanmean(fan_in),
            'decoded': np.nanmean(decoded([layer for layer in alive if len(layer)][-1], pixels)),
            'decoded_components': of_components(whole, pixels),
        },
    }


def null(value):
    """JSON has no nan."""
    if isinstance(value, dict):
        return {key: null(v) for key, v in value.items()}
    if isinstance(value, list):
        return [null(v) for v in value]
    if isinstance(value, np.generic):
        value = value.item()
    return None if value != value else value


if __name__ == '__main__':
    rows = [json.dumps(null(plain(of_network(spec)))) for spec in NETWORKS]
    pathlib.Path(__file__).with_suffix('.json').write_text('[\n ' + ',\n '.join(rows) + '\n]\n')
