"""Oracle of the measures of how a network is organised (crates/engine/src/score/measures): an independent numpy
implementation in float64, from the definitions, on networks made by integer arithmetic.

Writes tests/oracle/organisation.json, which tests/common/organised.rs reads:  python tests/oracle/organisation.py
The test repeats the networks, the noise and the directions; nothing but our own numbers is committed.
"""
import json
import pathlib

import numpy as np

SIDE, STEP = 32, 1 / 128
# Arch, the numbers of its weights' formula, and what is done to them: `mirror` does not see x, of `dead` two units hear
# nothing (one is a constant then, one 0) and one is not heard, of `twins` each layer's first two units are the same.
NETWORKS = [
    {'arch': '2;cache:2,cos:1,gaussian:2,sin:1', 'a': 2, 'b': 4, 'c': 6, 'unit': 26, 'kind': 'mirror'},
    {'arch': '3;cache:3,gaussian:2,sigmoid:1,sin:1', 'a': 5, 'b': 4, 'c': 19, 'unit': 56, 'kind': 'dead'},
    {'arch': '4;gaussian:2,identity:1,relu:1,tanh:2', 'a': 7, 'b': 17, 'c': 12, 'unit': 20, 'kind': 'twins'},
]

ACTIVATIONS = {
    'cache': lambda z: z, 'identity': lambda z: z, 'cos': np.cos, 'sin': np.sin, 'tanh': np.tanh,
    'gaussian': lambda z: 2 * np.exp(-z * z) - 1, 'relu': lambda z: np.maximum(z, 0),
    'sigmoid': lambda z: 2 / (1 + np.exp(-z)) - 1,
}

axis = np.linspace(-1, 1, SIDE)
y, x = np.meshgrid(axis, axis, indexing='ij')
INPUTS = np.stack([x, y, 1.4 * np.hypot(x, y), np.ones_like(x)]).reshape(4, -1)


def hsv(h, s, v):
    """(P, 3) by sextants."""
    h, s, v = (h + 1) % 1 * 6, np.clip(s, 0, 1), np.clip(abs(v), 0, 1)
    sextant, f = np.floor(h).astype(int) % 6, h - np.floor(h)
    p, q, t = v * (1 - s), v * (1 - s * f), v * (1 - s * (1 - f))
    r = np.choose(sextant, [v, q, p, p, t, v])
    g = np.choose(sextant, [t, v, v, q, p, p])
    b = np.choose(sextant, [p, p, t, v, v, q])
    return np.stack([r, g, b], -1)


class Net:
    def __init__(self, spec):
        layers, block = spec['arch'].split(';')
        self.block = [name for item in block.split(',') for name in [item.split(':')[0]] * int(item.split(':')[1])]
        width, self.layers = len(self.block), int(layers)
        self.shapes = [(width, 4)] + [(width, width)] * (self.layers - 1) + [(3, width)]
        i = np.arange(sum(r * c for r, c in self.shapes))
        flat = (((spec['a'] * i + spec['b']) * i + spec['c']) % 97 - 48) / spec['unit']
        # To the nearest 1/256, so that no weight and no change of it is rounded.
        flat = np.floor(flat * 256) / 256
        flat[(i * (i + 1) // 2 + spec['c']) % 6 == 0] = 0
        self.w = self.split(flat)
        if spec['kind'] == 'mirror':
            self.w[0][:, 0] = 0
        if spec['kind'] == 'dead':
            self.w[0][[0, 3]] = 0
            self.w[2][:, 5] = 0
        if spec['kind'] == 'twins':
            for k, m in enumerate(self.w):
                if k < self.layers:
                    m[1] = m[0]
                if k > 0:
                    m[:, 1] = m[:, 0]
        self.flat = np.concatenate([m.ravel() for m in self.w])

    def split(self, flat):
        ends = np.cumsum([r * c for r, c in self.shapes])[:-1]
        return [part.reshape(shape).copy() for part, shape in zip(np.split(flat, ends), self.shapes)]

    def picture(self, change=None, act=None):
        """(P, 3). `change`: what is added to the flat weights; `act(layer, maps)` what becomes of a layer's maps."""
        w = self.w if change is None else self.split(self.flat + change)
        a = INPUTS
        for layer in range(self.layers):
            z = w[layer] @ a
            a = np.stack([ACTIVATIONS[name](row) for name, row in zip(self.block, z)])
            if act is not None:
                a = act(layer, a)
        return hsv(*(w[-1] @ a))

    def reach(self):
        """Units of each layer, inputs and outputs too, on a path of non-zero weights from an input to an output."""
        forth = [np.ones(4, bool)]
        for m in self.w:
            forth.append((m != 0) @ forth[-1])
        back = [np.ones(3, bool)]
        for m in self.w[::-1]:
            back.append((m != 0).T @ back[-1])
        return [f & b for f, b in zip(forth, back[::-1])]

    def living(self):
        """Numbers of the links that live."""
        alive = self.reach()
        on = [(m != 0) & alive[k + 1][:, None] & alive[k][None] for k, m in enumerate(self.w)]
        return np.flatnonzero(np.concatenate([m.ravel() for m in on]))

    def one(self, link, by):
        change = np.zeros(self.flat.size)
        change[link] = by
        return change


def doings(net):
    """(N, P, 3): the picture with a unit's map at 0, less the picture."""
    base, found = net.picture(), []
    for layer in range(net.layers):
        for unit in range(len(net.block)):
            def without(at, a):
                return np.where(np.arange(len(a))[:, None] == unit, 0, a) if at == layer else a
            doing = net.picture(act=without) - base
            size = abs(doing).max()
            assert size < 1e-13 or size > 1e-3, size
            if size > 1e-3:
                found.append(doing)
    return np.array(found)


def gini(c):
    """Mean difference of all pairs by twice the mean."""
    return abs(c[:, None] - c[None]).mean() / (2 * c.mean())


def of_units(net, d):
    c = np.linalg.norm(d, axis=2)
    total = c.sum(0)
    assert abs(total - .01).min() > 1e-5
    hung = c[:, total > .01]
    q = c / c.sum(1, keepdims=True)
    entropy = -np.where(q > 0, q * np.log(np.where(q > 0, q, 1)), 0).sum(1)
    flat = d.reshape(len(d), -1)
    flat = flat / np.linalg.norm(flat, axis=1, keepdims=True)
    cosines = abs(flat @ flat.T)
    assert abs(cosines - .999).min() > 1e-5
    kept = []
    for i in range(len(flat)):
        if all(cosines[i, j] <= .999 for j in kept):
            kept.append(i)
    likeness = cosines[np.ix_(kept, kept)]
    off = ~np.eye(len(kept), dtype=bool)
    gradients = [(net.picture(net.one(k, STEP)) - net.picture(net.one(k, -STEP))) / (2 * STEP) for k in net.living()]
    slopes = np.array([np.sqrt((g ** 2).mean()) for g in gradients])
    return {
        'units': len(d), 'different': len(kept),
        'effective_units': (hung.sum(0) ** 2 / (hung ** 2).sum(0)).mean(),
        'contribution_gini': np.mean([gini(column) for column in hung.T]),
        'locality': (1 - np.exp(entropy) / c.shape[1]).mean(),
        'influence_orthogonality': 1 - (likeness[off] ** 2).mean(),
        'redundancy': np.where(off, likeness, 0).max(1).mean(),
        'brittleness': np.sqrt((slopes ** 2).mean()),
        'relative_brittleness': np.sqrt(((slopes * net.flat[net.living()]) ** 2).mean()),
    }


def interaction(net):
    living, base = net.living(), net.picture()
    links = [int(living[len(living) * k // 4]) for k in (1, 2, 3)]
    changes = [net.one(link, by) for link, by in zip(links, (.25, -.375, .5))]
    rows = []
    for i, j in ((0, 1), (0, 2), (1, 2)):
        a, b, both = (net.picture(c) - base for c in (changes[i], changes[j], changes[i] + changes[j]))
        rows.append(np.linalg.norm(both - a - b) / (np.linalg.norm(a) + np.linalg.norm(b)))
    return {'links': links, 'found': rows}


def overlap(a, b):
    return np.minimum(a, b).sum() / np.maximum(a, b).sum()


def unified(net, d):
    """U of the pair that is most alike (of each, where several are equally so), and the mean of U over all pairs."""
    image, d = net.picture().reshape(SIDE, SIDE, 3), d.reshape(-1, SIDE, SIDE, 3)
    windows = []
    for top in range(0, SIDE - 7, 2):
        for left in range(0, SIDE - 7, 2):
            cut = image[top:top + 8, left:left + 8]
            variance = cut.var((0, 1)).mean()
            assert abs(np.sqrt(variance) - .05) > 1e-6
            if np.sqrt(variance) >= .05:
                doing = d[:, top:top + 8, left:left + 8]
                windows.append((top, left, cut, variance, np.sqrt((doing ** 2).sum((1, 2, 3)))))
    rows = []
    for i, (t, l, cut, variance, effects) in enumerate(windows):
        for top, left, other, its, felt in windows[:i]:
            # Windows that share no pixel.
            if max(abs(t - top), abs(l - left)) >= 8:
                least = min(((cut - other) ** 2).mean(), ((cut - other[:, ::-1]) ** 2).mean())
                rows.append((least / np.sqrt(variance * its), overlap(effects, felt)))
    rows = np.array(rows).reshape(-1, 2)
    if not len(rows) or rows[:, 0].min() > .25:
        return {'windows': len(windows), 'pairs': len(rows), 'alike': [], 'mean': None}
    best = rows[:, 0].min()
    assert abs(best - .25) > 1e-4
    tied = rows[:, 0] < best + 1e-6
    assert best < 1e-12 or tied.sum() == 1
    return {'windows': len(windows), 'pairs': len(rows), 'alike': rows[tied, 1], 'mean': rows[:, 1].mean()}


def regions(level):
    """Masks of connected pixels of one class, by spreading the least number of a region until nothing changes."""
    number = np.arange(SIDE * SIDE).reshape(SIDE, SIDE)
    while True:
        new = number.copy()
        for a, b in ((np.s_[1:, :], np.s_[:-1, :]), (np.s_[:, 1:], np.s_[:, :-1])):
            same = level[a] == level[b]
            least = np.minimum(new[a], new[b])
            new[a] = np.where(same, least, new[a])
            least = np.minimum(new[a], new[b])
            new[b] = np.where(same, least, new[b])
        if (new == number).all():
            return [number == k for k in np.unique(number)]
        number = new


def edits(image):
    """What each edit of a part adds to a picture (32, 32, 3)."""
    thirds = np.minimum(np.floor(image * 3), 2)
    assert min(abs(image - 1 / 3).min(), abs(image - 2 / 3).min()) > 2e-6
    parts = sorted(regions(thirds @ [9, 3, 1]), key=lambda part: -part.sum())[1:]
    parts = [part for part in parts if .02 <= part.mean() <= .4]
    sizes = [part.sum() for part in parts[:5]]
    assert len(set(sizes)) == len(sizes)
    found = []
    for part in parts[:4]:
        wide = np.pad(part, 1)
        beside = (wide[2:, 1:-1] | wide[:-2, 1:-1] | wide[1:-1, 2:] | wide[1:-1, :-2]) & ~part
        inside = part[..., None]
        assert abs(image[part] - .5).min() > 2e-6
        recoloured = image + inside * np.where(image < .5, .25, -.25)
        removed = np.where(inside, image[beside].mean(0), image)
        # Two pixels to the side that has more room.
        by = 2 if np.nonzero(part)[1].mean() < SIDE / 2 else -2
        moved = removed.copy()
        for row, column in np.argwhere(part):
            if 0 <= column + by < SIDE:
                moved[row, column + by] = image[row, column]
        for edited in (recoloured, removed, moved):
            edit = edited - image
            size = (edit ** 2).mean()
            assert abs(size - 1e-4) > 1e-7
            if size > 1e-4:
                found.append(edit)
    return found


def noise():
    p = np.arange(SIDE * SIDE)
    return (((37 * p + 11) * p * p + 5) % 1009 - 504.) / 100


def control(image, edit):
    phase = np.fft.fft2(noise().reshape(SIDE, SIDE))
    assert abs(phase).min() > 1e-2
    turned = np.fft.ifft2(abs(np.fft.fft2(edit, axes=(0, 1))) * (phase / abs(phase))[..., None], axes=(0, 1))
    assert abs(turned.imag).max() < 1e-9
    field = turned.real
    assert abs((field ** 2).sum() / (edit ** 2).sum() - 1) < 1e-9
    return np.clip(image + field, 0, 1) - image


def sums(field):
    """Norm, and what it is along four patterns of length about 1."""
    field = np.ravel(field)
    i = np.arange(field.size)
    pattern = [((i * i * (2 * k + 1) + 3 * i) % 13 - 6) / 200 for k in range(4)]
    return [np.linalg.norm(field), *(field @ p for p in pattern)]


def pursue(changes, edit, count):
    """Numbers of the changes that are taken, and the share that they explain after each."""
    changes, edit = np.reshape(changes, (len(changes), -1)), np.ravel(edit)
    norms = np.linalg.norm(changes, axis=1)
    assert not ((norms > 1e-9) & (norms < 1e-3)).any()
    order, share, rest, clear = [], [], edit, np.inf
    while len(order) < count:
        gain = np.where(norms > 1e-6, abs(changes @ rest) / np.maximum(norms, 1e-9), -1)
        gain[order] = -1
        ranked = np.sort(gain)[::-1]
        if ranked[0] < 0:
            break
        # Twins gain the same, and by either the same is explained.
        clear = min(clear, (ranked[0] - ranked[1]) / ranked[0] if len(ranked) > 1 else 1)
        order.append(int(np.argmax(gain)))
        chosen = changes[order].T
        rest = edit - chosen @ np.linalg.lstsq(chosen, edit, rcond=None)[0]
        share.append(1 - (rest ** 2).sum() / (edit ** 2).sum())
    return order, share, clear


def best_of_one(net, link, edit):
    """Largest R² of an edit by moving one weight: over a grid, then over ever finer ones around its best."""
    base, total = net.picture(), (edit ** 2).sum()

    def of(by):
        return 1 - ((net.picture(net.one(link, by)) - base - edit.reshape(-1, 3)) ** 2).sum() / total
    grid = np.linspace(-8, 8, 3201)
    for _ in range(4):
        found = [of(by) for by in grid]
        at = grid[int(np.argmax(found))]
        grid = at + (grid[1] - grid[0]) * np.linspace(-1, 1, 41)
    return max(0, max(found)), at


def few_weights(net):
    image = net.picture().reshape(SIDE, SIDE, 3)
    found, links = edits(image), net.living()
    jacobian = [(net.picture(net.one(k, STEP)) - net.picture(net.one(k, -STEP))) / (2 * STEP) for k in links]
    rows = []
    for edit in found:
        order, share, clear = pursue(jacobian, edit, 8)
        single, at = best_of_one(net, links[order[0]], edit)
        assert clear < 1e-9 or clear > 2e-4
        rows.append({'edit': sums(edit), 'control': sums(control(image, edit)), 'order': [int(links[k]) for k in order],
                     'share': [share[k - 1] for k in (1, 2, 4, 8)], 'clear': clear, 'one': single, 'at': at})
    return rows, sums(np.sum(jacobian, 0))


def drawing():
    """Rectangles on a ground of less than two fifths: more than four parts, at both edges, two of one colour that meet
    at a corner only, two that are too small."""
    image = np.full((SIDE, SIDE, 3), 40)
    for left, top, width, height, colour in RECTANGLES:
        image[top:top + height, left:left + width] = colour
    p = np.arange(image.size).reshape(image.shape)
    # The program's pictures are f32.
    return ((image + p * p % 11).astype(np.float32) / np.float32(255)).astype(float)


RECTANGLES = [
    (0, 0, 15, 12, (230, 60, 40)), (18, 1, 14, 11, (40, 150, 60)), (1, 14, 9, 8, (110, 60, 220)),
    (20, 13, 8, 8, (230, 220, 60)), (12, 13, 7, 8, (120, 120, 120)), (2, 24, 6, 5, (230, 120, 230)),
    (8, 29, 5, 3, (230, 120, 230)), (24, 25, 8, 6, (100, 220, 220)), (15, 26, 3, 3, (20, 20, 220)),
]


def layers(net):
    """(layer, its living units, their root mean squares) of each hidden layer that lives."""
    maps = []
    net.picture(act=lambda _, a: maps.append(a) or a)
    found = []
    for layer, (a, alive) in enumerate(zip(maps, net.reach()[1:-1])):
        units = np.flatnonzero(alive)
        rms = np.sqrt((a[units] ** 2).mean(1))
        assert (rms > 1e-3).all()
        if len(units):
            found.append((layer, units, rms))
    return found


def direction(net, layer, units, rms, v):
    """(W,) change of the weights that read the layer for u <- u + (v.u) v, and its length. The weights of readers that
    reach no output change nothing and are left out."""
    scaled = np.zeros((len(net.block),) * 2)
    scaled[np.ix_(units, units)] = np.diag(rms) @ np.outer(v, v) @ np.diag(1 / rms)
    parts = [np.zeros(shape) for shape in net.shapes]
    parts[layer + 1] = net.w[layer + 1] @ scaled * net.reach()[layer + 2][:, None]
    flat = np.concatenate([m.ravel() for m in parts])
    return flat, np.linalg.norm(flat)


def louder(net, layer, units, rms, v, t):
    def act(at, a):
        if at != layer:
            return a
        a, u = a.copy(), a[units] / rms[:, None]
        a[units] = (u + t * np.outer(v, v @ u)) * rms[:, None]
        return a
    return net.picture(act=act)


def change(net, layer, units, rms, v):
    """Change of the picture a unit of the direction's length, by maps and not by weights."""
    t = STEP / direction(net, layer, units, rms, v)[1]
    return (louder(net, layer, units, rms, v, t) - louder(net, layer, units, rms, v, -t)) / (2 * STEP)


def mixture(count, shift):
    """(count,) of length 1."""
    raw = np.array([(7 * k * k + 3 * k + 4 * shift) % 11 - 4.5 for k in range(count)])
    return raw / np.linalg.norm(raw)


def scaling(net):
    rows, single, mixed = [], [], []
    for number, (layer, units, rms) in enumerate(layers(net)):
        one = np.eye(len(units))
        if len(units) > 1:
            single += [change(net, layer, units, rms, v) for v in one]
            mixed += [change(net, layer, units, rms, mixture(len(units), k)) for k in range(len(units))]
        for v in (one[-1], mixture(len(units), 1)):
            flat, length = direction(net, layer, units, rms, v)
            rows.append({'layer': number, 'v': v, 'weights': sums(flat / length),
                         'picture': sums(change(net, layer, units, rms, v))})
    found = edits(net.picture().reshape(SIDE, SIDE, 3))
    taken = [[pursue(changes, edit, 4) for edit in found] for changes in (single, mixed)]
    assert min(clear for row in taken for _, _, clear in row if clear > 1e-9) > 1e-3
    explained = [np.mean([share[-1] for _, share, _ in row]) for row in taken]
    return {'directions': rows, 'units': len(single), 'explained': explained}


def lengths(net):
    """For a direction among all living weights and its reverse: from where to where the effect is .18 ± 15 %."""
    living, base = net.living(), net.picture()
    k = np.arange(len(living))
    v = np.zeros(net.flat.size)
    v[living] = (31 * k * k + 7 * k) % 19 - 9.5
    v /= np.linalg.norm(v)
    found = []
    for sign in (1, -1):
        grid = np.arange(1, 16001) / 1000
        effect = np.array([np.sqrt(((net.picture(sign * at * v) - base) ** 2).mean()) for at in grid])
        within = np.r_[False, abs(effect / .18 - 1) <= .15, False]
        edges = np.flatnonzero(np.diff(within.astype(int))).reshape(-1, 2)
        found.append([[grid[a] - .001, grid[min(b, len(grid) - 1)]] for a, b in edges])
    return found


def directions_of_axes(net):
    """Flat (W,) directions of length 1, of each kind: single weights, weights into one unit, all living ones, one unit
    louder, a mixture of its layer louder."""
    living, starts = net.living(), np.cumsum([0] + [r * c for r, c in net.shapes])

    def spread(links, v):
        flat = np.zeros(net.flat.size)
        flat[links] = v
        return flat
    into = []
    for first, (rows, columns) in zip(starts, net.shapes):
        heard = [living[(living >= first + row * columns) & (living < first + (row + 1) * columns)] for row in range(rows)]
        into += [links for links in heard if len(links) > 1]
    every = [mixture(len(living), shift) for shift in range(8)]
    louder = {'scaled': [], 'mixed': []}
    for layer, units, rms in layers(net):
        for k in range(len(units) if len(units) > 1 else 0):
            for kind, v in (('scaled', np.eye(len(units))[k]), ('mixed', mixture(len(units), k))):
                flat, length = direction(net, layer, units, rms, v)
                louder[kind].append(flat / length)
    return {'weights': [spread([link], 1) for link in living[::5]],
            'units': [spread(links, mixture(len(links), k)) for k, links in enumerate(into)],
            'random': [spread(living, v) for v in every], **louder}


def far_enough(net, v):
    """How far along v the picture has changed by .18 ± 15 %, or as nearly as is found; None if not to 60 %. And how clear
    every choice on the way was."""
    most, base = max(16, np.sqrt(np.count_nonzero(v))), net.picture()
    below, above, at, tried, clear = 1 / 1024, None, 1 / 64, [], 1
    while len(tried) < 24:
        effect = np.sqrt(((net.picture(at * v) - base) ** 2).mean())
        off = abs(effect / .18 - 1)
        tried.append((off, at))
        clear = min(clear, abs(off - .15), abs(off))
        if off <= .15 or at == most and effect < .18:
            break
        if effect < .18:
            below = at
        else:
            above = at
        at = np.sqrt(below * above) if above else min(most, at * np.clip(.18 / max(effect, 1e-9), 1.2, 8))
    off, at = min(tried)
    return (at if off <= .4 else None), min(clear, abs(off - .4))


def axes(net):
    """Advantages by a judge of its own: how far to the end of the picture, in reading order, a change happens."""
    place, base = np.arange(SIDE * SIDE) / (SIDE * SIDE), net.picture()

    def clean(directions):
        found = []
        for v in [sign * v for v in directions for sign in (1, -1)]:
            at, clear = far_enough(net, v)
            assert clear > 2e-5, clear
            if at is not None:
                square = ((net.picture(at * v) - base) ** 2).sum(1)
                found.append(place @ square / square.sum())
        return np.mean(found), len(found)
    p = {kind: clean(directions) for kind, directions in directions_of_axes(net).items()}
    assert min(count for _, count in p.values()) >= 4
    return {'advantages': [p['weights'][0] - p['random'][0], p['units'][0] - p['random'][0], p['scaled'][0] - p['mixed'][0]],
            'reached': {kind: count for kind, (_, count) in p.items()}}


def of_network(spec):
    net = Net(spec)
    d = doings(net)
    return {**spec, 'weights': len(net.flat), 'living': len(net.living()), **of_units(net, d),
            'interaction': interaction(net), 'unified': unified(net, d),
            **dict(zip(('edits', 'jacobian'), few_weights(net))), 'scaling': scaling(net), 'lengths': lengths(net),
            'axes': axes(net)}


def plain(value):
    if isinstance(value, dict):
        return {key: plain(v) for key, v in value.items()}
    if isinstance(value, (list, tuple, np.ndarray)):
        return [plain(v) for v in value]
    return float(f'{value:.12g}') if isinstance(value, (float, np.floating)) else value


if __name__ == '__main__':
    out = {'networks': [of_network(spec) for spec in NETWORKS],
           'drawing': [sums(edit) for edit in edits(drawing())]}
    rows = ',\n'.join('  ' + json.dumps(plain(row)) for row in out['networks'])
    text = '{\n "drawing": ' + json.dumps(plain(out['drawing'])) + ',\n'
    text += ' "networks": [\n' + rows + '\n ]\n}\n'
    pathlib.Path(__file__).with_suffix('.json').write_text(text)
