"""Renders two pictures that look like photographs: soft light, shadows, blur and grain.

    python3 experiments/photographs.py experiments/photographs

writes still_life.png and valley.png, 128 x 128 pixels, RGB. Needs numpy. The same call gives the same bytes.
"""

import struct
import sys
import zlib
from pathlib import Path

import numpy as np

SIDE = 128


def smooth_noise(rng, side, cells):
    """(side, side) noise in about [-1, 1]: random values on a coarse grid, cubic in between."""
    grid = rng.uniform(-1, 1, (cells + 1, cells + 1))
    at = np.linspace(0, cells, side, endpoint=False)
    low, part = at.astype(int), at % 1
    part = part * part * (3 - 2 * part)
    rows = grid[low] * (1 - part)[:, None] + grid[low + 1] * part[:, None]
    return rows[:, low] * (1 - part) + rows[:, low + 1] * part


def mountains(rng, side, height, rough):
    """(side,) heights of a ridge in [0, 1], sums of smooth noise."""
    line = np.zeros(side)
    for octave in range(6):
        cells = 3 * 2**octave
        line += smooth_noise(rng, side, cells)[0] * rough * 0.5**octave
    return height + line


def valley(rng):
    """Three ridges in haze under an evening sky, a sun behind them, and a lake."""
    y, x = np.mgrid[0:SIDE, 0:SIDE] / SIDE
    sky = np.stack([0.95 - 0.45 * (0.5 - y), 0.62 - 0.1 * (0.5 - y), 0.45 + 0.7 * (0.5 - y)], -1)
    sun = np.exp(-((x - 0.66) ** 2 + (y - 0.36) ** 2) / 0.008)
    picture = sky + sun[..., None] * np.array([0.5, 0.4, 0.25])
    for height, rough, colour in [
        (0.50, 0.10, (0.55, 0.44, 0.50)),
        (0.40, 0.10, (0.34, 0.30, 0.40)),
        (0.27, 0.08, (0.14, 0.15, 0.20)),
    ]:
        ridge = 1 - mountains(rng, SIDE, height, rough)
        inside = np.clip((y - ridge[None, :]) * SIDE, 0, 1)[..., None]
        picture = picture * (1 - inside) + np.array(colour) * inside
    mirror = picture[::-1][: SIDE // 5]
    ripple = 0.04 * smooth_noise(rng, SIDE, 24)[: SIDE // 5, :, None]
    picture[-(SIDE // 5) :] = 0.75 * mirror + 0.06 + ripple
    return picture


def still_life(rng):
    """Three lit balls on a table before a wall, their shadows soft."""
    y, x = np.mgrid[0:SIDE, 0:SIDE] / SIDE * 2 - 1
    wall = np.array([0.62, 0.60, 0.52]) * (0.75 - 0.25 * x[..., None] - 0.1 * y[..., None])
    table = np.array([0.45, 0.29, 0.17]) * (0.9 - 0.2 * x[..., None])
    grain = 0.05 * smooth_noise(rng, SIDE, 40)[..., None] * (1 + np.sin(60 * y))[..., None]
    edge = np.clip((y - 0.25) * 60, 0, 1)[..., None]
    picture = wall * (1 - edge) + (table + grain) * edge
    light = np.array([-0.5, -0.65, 0.57])
    for cx, cy, radius, colour in [
        (-0.42, 0.28, 0.36, (0.85, 0.25, 0.15)),
        (0.30, 0.34, 0.30, (0.90, 0.72, 0.20)),
        (0.02, 0.58, 0.20, (0.35, 0.55, 0.25)),
    ]:
        shadow = ((x - cx - 0.35 * radius) / (1.25 * radius)) ** 2
        shadow = shadow + ((y - cy - 0.85 * radius) / (0.4 * radius)) ** 2
        picture = picture * (1 - 0.55 * np.exp(-shadow * 1.2)[..., None])
        dx, dy = (x - cx) / radius, (y - cy) / radius
        depth = np.sqrt(np.clip(1 - dx * dx - dy * dy, 0, 1))
        lit = np.clip(dx * light[0] + dy * light[1] + depth * light[2], 0, 1)
        gloss = lit**30
        ball = np.array(colour) * (0.2 + 0.85 * lit)[..., None] + 0.6 * gloss[..., None]
        inside = np.clip((1 - np.hypot(dx, dy)) * radius * SIDE / 2, 0, 1)[..., None]
        picture = picture * (1 - inside) + ball * inside
    return picture


def blurred(picture):
    """A lens: each pixel with its neighbours, 1 2 1 both ways."""
    for axis in (0, 1):
        around = np.pad(picture, [(1, 1) if a == axis else (0, 0) for a in range(3)], mode="edge")
        ends = [np.take(around, range(k, k + SIDE), axis=axis) for k in range(3)]
        picture = (ends[0] + 2 * ends[1] + ends[2]) / 4
    return picture


def png(picture):
    """(H, W, 3) in [0, 1] as the bytes of a PNG."""
    rows = np.round(np.clip(picture, 0, 1) * 255).astype(np.uint8)
    raw = b"".join(b"\0" + row.tobytes() for row in rows)

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = struct.pack(">IIBBBBB", rows.shape[1], rows.shape[0], 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(raw, 9)) + chunk(b"IEND", b"")


def main():
    folder = Path(sys.argv[1] if len(sys.argv) == 2 else ".")
    for name, draw, seed in [("still_life", still_life, 1), ("valley", valley, 2)]:
        rng = np.random.default_rng(seed)
        picture = blurred(draw(rng)) + rng.normal(0, 0.015, (SIDE, SIDE, 3))
        (folder / f"{name}.png").write_bytes(png(picture))


if __name__ == "__main__":
    main()
