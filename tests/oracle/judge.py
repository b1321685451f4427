"""Oracle of the embedded judge (crates/engine/src/score/dl): an independent numpy implementation of its measures and of
their references, in float64, run on drawings made by integer arithmetic.

Writes tests/oracle/judge.json, which tests/rooms/judge_dl.rs reads:  python tests/oracle/judge.py
The drawings are repeated in the test; nothing but our own numbers is committed.
"""
import json
import os
import numpy as np

N, M = 64, 32
GRID = [.06, .10, .14, .18, .22, .26, .30]


def shares(size, n):
    a = np.zeros((n, size))
    for i in range(n):
        lo, hi = i * size / n, (i + 1) * size / n
        for j in range(int(np.floor(lo)), min(size, int(np.ceil(hi)))):
            a[i, j] = max(0., min(hi, j + 1) - max(lo, j)) * n / size
    return a


def box(im, n):
    a, b = shares(im.shape[0], n), shares(im.shape[1], n)
    return np.stack([a @ im[..., c] @ b.T for c in range(3)], -1)


def opponent(im):
    r, g, b = im[..., 0], im[..., 1], im[..., 2]
    return np.stack([(r + g + b) / 3, (r - g) / 2, ((r + g) / 2 - b) / 2], -1)


def rms(x):
    return float(np.sqrt((x * x).mean()))


def gradients(a):
    gy, gx = np.zeros_like(a), np.zeros_like(a)
    gx[:, 1:-1] = (a[:, 2:] - a[:, :-2]) / 2
    gy[1:-1] = (a[2:] - a[:-2]) / 2
    return gy, gx


TAPS = np.exp(-np.arange(-2, 3) ** 2 / (2 * .7 ** 2))
TAPS /= TAPS.sum()


def blur(a):
    n, m = a.shape
    p = np.pad(a, ((2, 2), (0, 0)), mode='edge')
    a = sum(TAPS[i] * p[i:i + n] for i in range(5))
    p = np.pad(a, ((0, 0), (2, 2)), mode='edge')
    return sum(TAPS[i] * p[:, i:i + m] for i in range(5))


def bins(im):
    q = np.clip((im * 5.999).astype(int), 0, 5)
    return q[..., 0] * 36 + q[..., 1] * 6 + q[..., 2]


def field(k):
    line = np.linspace(-1, 1, N)
    y, x = np.meshgrid(line, line, indexing='ij')
    z = 0 * x
    for j in range(6):
        i = k * 6 + j + 1
        th = 2 * np.pi * ((i * .6180339887498949) % 1)
        ph = 2 * np.pi * ((i * .7548776662466927) % 1)
        fr = .6 + .8 * ((i * .5698402909980532) % 1)
        z += np.cos(np.pi * fr * (np.cos(th) * x + np.sin(th) * y) + ph)
    return z / np.sqrt(3)


def warp(b, dy, dx):
    yy, xx = np.meshgrid(np.arange(N), np.arange(N), indexing='ij')
    y, x = np.clip(yy + dy, 0, N - 1), np.clip(xx + dx, 0, N - 1)
    y0, x0 = np.minimum(y.astype(int), N - 2), np.minimum(x.astype(int), N - 2)
    fy, fx = (y - y0)[..., None], (x - x0)[..., None]
    return (b[y0, x0] * (1 - fy) * (1 - fx) + b[y0, x0 + 1] * (1 - fy) * fx
            + b[y0 + 1, x0] * fy * (1 - fx) + b[y0 + 1, x0 + 1] * fy * fx)


def solve(f, b, rmse):
    lo, hi = 0., 1.
    for _ in range(8):
        if rms(f(hi) - b) >= rmse:
            break
        hi *= 1.7
    for _ in range(9):
        m = (lo + hi) / 2
        if rms(f(m) - b) < rmse:
            lo = m
        else:
            hi = m
    return f(hi)


def references(b, rmse):
    fields = [(field(2 * k) * N / 32, field(2 * k + 1) * N / 32) for k in range(4)]
    return [solve(lambda a: warp(b, a * fy, a * fx), b, rmse) for fy, fx in fields]


def asymmetry(x):
    height, column = 2 * np.arange(M) - (M - 1), np.arange(M)[None]
    least = np.inf
    for aside in (0, -1, 1, -2, 2, -4, 4, -6, 6, -8, 8):
        for lean in (0, -1, 1, -2, 2, -3, 3):
            other = (M - 1 + aside + (lean * height + 4) // 8)[:, None] - column
            inside = (other >= 0) & (other < M)
            d = x - x[np.arange(M)[:, None], np.clip(other, 0, M - 1)]
            least = min(least, ((d * d).sum(-1) * inside).sum() / (3 * inside.sum()))
    return np.sqrt(least) / 2


def spread(a, r):
    n = a.shape[0]
    p = np.pad(a, r, mode='edge')
    return np.max([p[i:i + n, j:j + n] for i in range(2 * r + 1) for j in range(2 * r + 1)], 0)


def strength(planes):
    """(corner, edge) of planes (n, n, c)."""
    gy, gx = gradients(planes)
    yy, xx, xy = (blur(z.sum(-1)) for z in (gy * gy, gx * gx, gy * gx))
    root = np.sqrt((yy - xx) ** 2 + 4 * xy ** 2)
    return np.sqrt(np.maximum((yy + xx - root) / 2, 0)), np.sqrt((yy + xx + root) / 2)


def largest(a, share):
    v = np.sort(a.ravel())
    return v[-int(v.size * share):].mean()


def halved(im):
    n = im.shape[0] // 2
    return im.reshape(n, 2, n, 2, 3).mean((1, 3))


def length(g):
    return np.sqrt((g[0] ** 2 + g[1] ** 2).sum(-1))


def disorder(corner, edge):
    return np.log((corner.mean() + 1e-4) / (edge.mean() + 5e-4))


def seen(im):
    """What is seen of one 64² picture."""
    o, c = opponent(im), opponent(halved(im))
    s = {'o': o, 'c': c, 'fine': strength(o), 'coarse': strength(c), 'grey': strength(c[..., :1]), 'bins': bins(im)}
    s['rise'] = [disorder(*s['fine']), disorder(*s['grey']), np.log(s['fine'][1].mean() + 1e-3),
                 np.log(s['coarse'][1].mean() + 1e-3), np.log(largest(length(gradients(o[..., 1:])), .02) + 3e-3),
                 np.log((length(gradients(o)) > .08).mean() + .01)]
    return s


def compared(old, new):
    def above(a, b):
        return np.maximum(a - b, 0)
    rise = [b - a for a, b in zip(old['rise'], new['rise'])]
    d, dc = new['o'] - old['o'], new['c'] - old['c']
    corner, edge = strength(d)
    flat = spread(old['coarse'][1], 1) < .03
    strange = ~np.isin(new['bins'], np.unique(old['bins']))
    return np.array([
        np.log(largest(above(new['fine'][0], spread(old['fine'][0], 3)), .03) + 3e-3),
        np.log(above(new['fine'][0], spread(old['fine'][0], 1)).mean() + 3e-4),
        np.log(above(new['grey'][0], spread(old['grey'][0], 1)).mean() + 3e-4),
        *rise[:4],
        np.log(above(old['coarse'][1], spread(new['coarse'][1], 1)).mean() + 3e-4),
        np.log(largest(above(new['grey'][1], spread(old['grey'][1], 1)), .03) + 3e-3),
        np.log(edge.mean() + 1e-3), disorder(corner, edge),
        np.log((strength(dc)[1] * flat).mean() + 1e-3),
        np.log(length(gradients(d[..., 1:])).mean() + 1e-3),
        rise[4], np.log(strange.mean() + .02), rise[5]])


def frayed(im):
    """ln of how much edges fade along their contours, of a 64² picture: the part of ∇edge along the direction of the
    tensor's lesser eigenvalue, found by numpy's eigenvectors; to the right where nothing changes at all."""
    gy, gx = gradients(opponent(im))
    yy, xx, xy = (blur(z.sum(-1)) for z in (gy * gy, gx * gx, gy * gx))
    value, vector = np.linalg.eigh(np.stack([np.stack([yy, xy], -1), np.stack([xy, xx], -1)], -1))
    edge = np.sqrt(np.maximum(value[..., 1], 0))
    slope = np.stack(gradients(edge), -1)
    along = np.where(value[..., 1] > 0, abs((slope * vector[..., 0]).sum(-1)), abs(slope[..., 1]))
    return np.log((along.mean() + 2e-4) / (edge.mean() + 5e-4))


def across(im):
    """(16, 16): colour gradients across those of brightness."""
    o = opponent(halved(halved(im)))
    gy, gx = gradients(o)
    cross = gy[..., 1:] * gx[..., :1] - gx[..., 1:] * gy[..., :1]
    return np.sqrt((cross ** 2).sum(-1)) / (strength(o)[1] + .02)


def features(base, new):
    b, p = box(base, N), box(new, N)
    old = seen(b)
    rmse = rms(p - b) + 1e-9
    e = min(max(rmse, GRID[0]), GRID[-1])
    i = min(int((e - GRID[0]) / .04), len(GRID) - 2)
    f = (e - GRID[i]) / (GRID[i + 1] - GRID[i])

    def clean(i):
        return np.mean([np.r_[compared(old, seen(x)), frayed(x)] for x in references(b, GRID[i])], 0)

    c = np.r_[compared(old, seen(p)), frayed(p)]
    beyond = c - ((1 - f) * clean(i) + f * clean(i + 1))
    was, now = halved(b), halved(p)
    weight = max(0, 1 - asymmetry(was) / (rms(was - was.mean((0, 1))) + 1e-9))
    mirror = weight * (asymmetry(now) - asymmetry(was)) / rmse
    surplus = np.maximum(across(p) - spread(across(b), 1), 0)
    stain = np.log(surplus.reshape(8, 2, 8, 2).mean((1, 3)).max() + 1e-3)
    places = [(0, 0), (1, 0), (2, 0), (3, 1), (4, 0), (5, 1), (6, 0), (7, 1), (8, 0), (9, 1), (10, 0), (11, 1),
              (12, 0), (12, 1), (13, 1), (14, 1), (15, 0)]
    measured = [beyond[k] if less else c[k] for k, less in places]
    return [float(v) for v in (*measured, mirror, beyond[16], stain)]


def drawing(width, height, kind):
    """A disc over a ramp, in bytes, by integers only; `kind` changes it."""
    row, column, c = np.meshgrid(np.arange(height), np.arange(width), np.arange(3), indexing='ij')
    y, x = row * 64 // height, column * 64 // width
    cx, r2 = (36, 200) if kind == 'moved' else (30, 330) if kind == 'grown' else (30, 200)
    inside = (x - cx) ** 2 + (y - 33) ** 2 < r2
    ink = np.array([230, 60, 40])[c]
    ground = np.array([30, 40, 90])[c] + np.array([1, 0, 0])[c] * x + np.array([0, 2, 1])[c] * y
    v = np.where(inside, ink, ground)
    if kind == 'smeared':
        v = v + np.where((x > 12) & (y > 20), (x * x // 7 + y * 5) % 90 - 30, 0)
    if kind == 'noisy':
        v = v + (row * 7919 + column * 10473 + c * 1301) % 97 - 48
    if kind == 'tinted':
        v = v * np.array([10, 7, 4])[c] // 10
    v = np.clip(v, 0, 255)
    # The program's pictures are f32.
    return (v.astype(np.float32) / np.float32(255)).astype(np.float64)


if __name__ == '__main__':
    rows = []
    for width, height in ((64, 64), (112, 112), (48, 48), (100, 70)):
        for kind in ('moved', 'grown', 'smeared', 'noisy', 'tinted'):
            pair = drawing(width, height, 'base'), drawing(width, height, kind)
            rows.append({'width': width, 'height': height, 'kind': kind, 'features': features(*pair)})
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'judge.json')
    with open(path, 'w') as f:
        f.write('[\n' + ',\n'.join('  ' + json.dumps(r) for r in rows) + '\n]\n')
