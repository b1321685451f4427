//! Our own target pictures, drawn by code: in → a name; out → an antialiased picture.
//!
//! Each figure is a function from a point to a colour, or to nothing where the background shows;
//! x to the right, y down, both in [−1, 1]. A pixel is the mean of 4 × 4 points. The committed
//! PNGs under `experiments/targets/` are [`write_all`]'s at 256²; a test compares them.
//! `\[ours\]`; METHODS §8 asks for drawings with and without background.

use picloom::base::files::{WriteError, create_folder, write_atomic};
use picloom::network::Picture;
use std::path::{Path, PathBuf};

type Colour = [f64; 3];
/// The part a point belongs to, and its colour.
type Figure = fn(f64, f64) -> Option<(usize, Colour)>;
type Ground = fn(f64, f64) -> Colour;

/// A target: its name, what it shows, what is behind it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TargetPicture {
    /// File name without extension; `_plain` = without background (white).
    pub name: &'static str,
    figure: Figure,
    ground: Ground,
}

/// Every target, in the order of their names.
pub(crate) const ALL: &[TargetPicture] = &[
    target("apple", apple, |x, y| table(x, y, [0.62, 0.78, 0.86], [0.70, 0.52, 0.34])),
    target("apple_plain", apple, white),
    target("butterfly", butterfly, meadow),
    target("butterfly_plain", butterfly, white),
    target("car", car, street),
    target("car_plain", car, white),
    target("cat", cat, |x, y| table(x, y, [0.93, 0.82, 0.66], [0.35, 0.52, 0.45])),
    target("cat_plain", cat, white),
    target("cube_sphere", cube_sphere, |x, y| table(x, y, [0.55, 0.63, 0.72], [0.42, 0.44, 0.48])),
    target("cube_sphere_plain", cube_sphere, white),
    target("face", face, |_, y| mix([0.20, 0.32, 0.50], [0.42, 0.58, 0.72], 0.5 + 0.5 * y)),
    target("face_plain", face, white),
    target("letter_a", letter_a, white),
    target("letter_b", letter_b, white),
    target("letter_s", letter_s, white),
];

const fn target(name: &'static str, figure: Figure, ground: Ground) -> TargetPicture {
    TargetPicture { name, figure, ground }
}

impl TargetPicture {
    /// The target at `size`² pixels.
    pub(crate) fn draw(&self, size: usize) -> Picture {
        let mut picture = Picture::filled(size, size, [0.0; 3]);
        for (pixel, out) in picture.rgb.chunks_exact_mut(3).enumerate() {
            let mut sum = [0.0; 3];
            for (x, y) in points(size, pixel) {
                let colour = (self.figure)(x, y).map_or_else(|| (self.ground)(x, y), |p| p.1);
                sum = [0, 1, 2].map(|c| sum[c] + colour[c]);
            }
            out.copy_from_slice(&sum.map(|sum| (sum / (SUB * SUB) as f64) as f32));
        }
        picture
    }

    /// Name and (P,) region of each part of this target at `size`² pixels, P = `size`² row by row; `None` for a
    /// target that is one part. A pixel belongs to the part that at least half of its 4 × 4 points show; no
    /// two regions overlap.
    pub(crate) fn parts(&self, size: usize) -> Option<Vec<(String, Vec<bool>)>> {
        let name = self.name.trim_end_matches("_plain");
        let (_, names) = PARTS.iter().find(|p| p.0 == name)?;
        let mut regions: Vec<_> =
            names.iter().map(|n| (n.to_string(), vec![false; size * size])).collect();
        for pixel in 0..size * size {
            let mut counts = vec![0; names.len()];
            for (part, _) in points(size, pixel).filter_map(|(x, y)| (self.figure)(x, y)) {
                counts[part] += 1;
            }
            for (count, (_, region)) in counts.iter().zip(&mut regions) {
                region[pixel] = 2 * count > SUB * SUB;
            }
        }
        Some(regions)
    }
}

/// Points across a pixel, and down.
const SUB: usize = 4;

/// The points of a pixel, counted row by row, of a picture of `size`².
fn points(size: usize, pixel: usize) -> impl Iterator<Item = (f64, f64)> {
    let place = move |i: usize| (2 * i + 1) as f64 / (size * SUB) as f64 - 1.0;
    let (row, column) = (pixel / size, pixel % size);
    (0..SUB * SUB).map(move |sub| (place(column * SUB + sub % SUB), place(row * SUB + sub / SUB)))
}

/// Names of the parts of the figures that have some.
const PARTS: &[(&str, &[&str])] = &[
    ("apple", &["fruit", "leaf and stem"]),
    ("butterfly", &["upper wings", "lower wings", "body"]),
    ("car", &["body", "windows", "wheels"]),
    ("cube_sphere", &["cube", "sphere"]),
    ("face", &["skin", "hair", "eyes", "mouth"]),
];

/// Writes every target as `NAME.png` at 256² into `folder`; returns the files.
///
/// # Errors
/// The folder cannot be written.
pub(crate) fn write_all(folder: &Path) -> Result<Vec<PathBuf>, WriteError> {
    create_folder(folder)?;
    ALL.iter()
        .map(|target| {
            let path = folder.join(format!("{}.png", target.name));
            let texts =
                [("Source", "drawn by picloom-experiments targets"), ("Title", target.name)];
            write_atomic(&path, &target.draw(256).to_png(&texts))?;
            Ok(path)
        })
        .collect()
}

fn white(_: f64, _: f64) -> Colour {
    [1.0; 3]
}

fn mix(a: Colour, b: Colour, t: f64) -> Colour {
    let t = t.clamp(0.0, 1.0);
    [0, 1, 2].map(|c| a[c] + (b[c] - a[c]) * t)
}

/// A wall above a table top.
fn table(_: f64, y: f64, wall: Colour, top: Colour) -> Colour {
    if y > 0.62 {
        mix(top, [0.0; 3], 0.25 * (y - 0.62))
    } else {
        mix(wall, [1.0; 3], 0.25 * (0.62 - y) / 1.62)
    }
}

fn meadow(x: f64, y: f64) -> Colour {
    if y > 0.45 + 0.08 * x * x {
        mix([0.42, 0.68, 0.28], [0.22, 0.45, 0.16], (y - 0.45) * 1.6)
    } else {
        mix([0.45, 0.70, 0.95], [0.82, 0.92, 1.0], 0.5 + 0.5 * y)
    }
}

fn street(x: f64, y: f64) -> Colour {
    if y > 0.52 {
        if (0.74..0.79).contains(&y) && (3.0 * x - (3.0 * x).floor()) < 0.55 {
            return [0.92, 0.90, 0.80];
        }
        [0.36, 0.36, 0.38]
    } else if y > 0.36 {
        [0.45, 0.62, 0.34]
    } else {
        mix([0.50, 0.74, 0.96], [0.88, 0.95, 1.0], 0.6 + 0.6 * y)
    }
}

/// (x−cx)²/rx² + (y−cy)²/ry²: below 1 inside the ellipse.
fn oval(x: f64, y: f64, cx: f64, cy: f64, rx: f64, ry: f64) -> f64 {
    let (u, v) = ((x - cx) / rx, (y - cy) / ry);
    u * u + v * v
}

/// The same, turned by the angle with this (cosine, sine).
fn turned(x: f64, y: f64, centre: (f64, f64), radii: (f64, f64), turn: (f64, f64)) -> f64 {
    let (u, v) = (x - centre.0, y - centre.1);
    let (a, b) = (u * turn.0 + v * turn.1, v * turn.0 - u * turn.1);
    oval(a, b, 0.0, 0.0, radii.0, radii.1)
}

/// True within half a `width` of the segment from `a` to `b`.
fn stroke(x: f64, y: f64, a: (f64, f64), b: (f64, f64), width: f64) -> bool {
    let (dx, dy) = (b.0 - a.0, b.1 - a.1);
    let t = (((x - a.0) * dx + (y - a.1) * dy) / (dx * dx + dy * dy)).clamp(0.0, 1.0);
    let (u, v) = (x - a.0 - t * dx, y - a.1 - t * dy);
    u * u + v * v < 0.25 * width * width
}

/// True inside a convex polygon given in order.
fn inside(x: f64, y: f64, corners: &[(f64, f64)]) -> bool {
    let side = |i: usize| {
        let (a, b) = (corners[i], corners[(i + 1) % corners.len()]);
        (b.0 - a.0) * (y - a.1) - (b.1 - a.1) * (x - a.0)
    };
    let first = side(0) > 0.0;
    (1..corners.len()).all(|i| (side(i) > 0.0) == first)
}

fn face(x: f64, y: f64) -> Option<(usize, Colour)> {
    let m = x.abs();
    if oval(m, y, 0.27, -0.12, 0.055, 0.065) < 1.0 {
        return Some((2, [0.10, 0.10, 0.14]));
    }
    if oval(m, y, 0.27, -0.12, 0.15, 0.09) < 1.0 {
        return Some((2, [0.98, 0.98, 0.98]));
    }
    if oval(m, y, 0.27, -0.30, 0.19, 0.09) < 1.0 && oval(m, y, 0.27, -0.25, 0.22, 0.10) > 1.0 {
        return Some((1, [0.25, 0.15, 0.10]));
    }
    if oval(x, y, 0.0, 0.30, 0.30, 0.22) < 1.0 && y > 0.36 {
        let lips = oval(x, y, 0.0, 0.30, 0.25, 0.15) > 1.0;
        return Some((3, if lips { [0.75, 0.25, 0.25] } else { [0.45, 0.10, 0.12] }));
    }
    if oval(x, y, 0.0, 0.10, 0.09, 0.13) < 1.0 {
        return Some((0, [0.86, 0.62, 0.48]));
    }
    if oval(m, y, 0.42, 0.17, 0.13, 0.10) < 1.0 {
        return Some((0, [0.96, 0.64, 0.54]));
    }
    if y < -0.42 + 0.35 * m * m && oval(x, y, 0.0, -0.05, 0.68, 0.86) < 1.0 {
        return Some((1, [0.32, 0.19, 0.10]));
    }
    if oval(x, y, 0.0, 0.0, 0.60, 0.80) < 1.0 {
        return Some((0, [0.95, 0.76, 0.62]));
    }
    if oval(m, y, 0.61, 0.0, 0.10, 0.16) < 1.0 {
        return Some((0, [0.90, 0.68, 0.54]));
    }
    if oval(x, y, 0.0, -0.05, 0.68, 0.86) < 1.0 && y < 0.1 {
        return Some((1, [0.32, 0.19, 0.10]));
    }
    None
}

fn butterfly(x: f64, y: f64) -> Option<(usize, Colour)> {
    let m = x.abs();
    if oval(x, y, 0.0, 0.05, 0.065, 0.50) < 1.0 || oval(x, y, 0.0, -0.47, 0.08, 0.09) < 1.0 {
        return Some((2, [0.16, 0.11, 0.10]));
    }
    let antenna = stroke(m, y, (0.02, -0.52), (0.22, -0.85), 0.035)
        || oval(m, y, 0.23, -0.86, 0.045, 0.045) < 1.0;
    if antenna {
        return Some((2, [0.16, 0.11, 0.10]));
    }
    let upper = turned(m, y, (0.46, -0.26), (0.47, 0.33), (0.84, -0.54));
    let lower = turned(m, y, (0.36, 0.40), (0.38, 0.25), (0.72, 0.69));
    if upper < 1.0 {
        if oval(m, y, 0.56, -0.34, 0.13, 0.13) < 1.0 {
            return Some((0, [0.99, 0.86, 0.28]));
        }
        return Some((0, if upper > 0.74 { [0.20, 0.12, 0.10] } else { [0.95, 0.50, 0.12] }));
    }
    if lower < 1.0 {
        if oval(m, y, 0.42, 0.46, 0.09, 0.09) < 1.0 {
            return Some((1, [0.24, 0.36, 0.80]));
        }
        return Some((1, if lower > 0.70 { [0.20, 0.12, 0.10] } else { [0.97, 0.66, 0.20] }));
    }
    None
}

fn apple(x: f64, y: f64) -> Option<(usize, Colour)> {
    if stroke(x, y, (0.0, -0.40), (0.08, -0.78), 0.07) {
        return Some((1, [0.38, 0.24, 0.12]));
    }
    if turned(x, y, (0.30, -0.68), (0.24, 0.11), (0.90, -0.43)) < 1.0 {
        return Some((1, [0.32, 0.62, 0.20]));
    }
    let m = x.abs();
    let body = oval(m, y, 0.22, 0.12, 0.50, 0.62);
    let dent = oval(x, y, 0.0, -0.56, 0.24, 0.17);
    if body < 1.0 && dent > 1.0 {
        if turned(x, y, (-0.34, -0.14), (0.09, 0.20), (0.92, 0.38)) < 1.0 {
            return Some((0, [0.98, 0.78, 0.72]));
        }
        let shade = oval(x, y, -0.20, 0.0, 0.95, 0.95);
        return Some((0, mix([0.88, 0.16, 0.14], [0.46, 0.04, 0.08], shade - 0.25)));
    }
    None
}

fn car(x: f64, y: f64) -> Option<(usize, Colour)> {
    for wheel in [-0.46, 0.48] {
        let r = oval(x, y, wheel, 0.50, 0.185, 0.185);
        if r < 0.22 {
            return Some((2, [0.78, 0.80, 0.83]));
        }
        if r < 1.0 {
            return Some((2, [0.10, 0.10, 0.12]));
        }
    }
    if inside(x, y, &[(-0.30, -0.02), (-0.16, -0.26), (0.04, -0.26), (0.04, -0.02)])
        || inside(x, y, &[(0.11, -0.02), (0.11, -0.26), (0.24, -0.26), (0.44, -0.02)])
    {
        return Some((1, [0.72, 0.88, 0.96]));
    }
    let cabin = inside(x, y, &[(-0.42, 0.05), (-0.20, -0.36), (0.30, -0.36), (0.58, 0.05)]);
    let hood =
        inside(x, y, &[(-0.90, 0.48), (-0.88, 0.10), (-0.40, 0.0), (0.92, 0.03), (0.93, 0.48)]);
    if oval(x, y, -0.83, 0.20, 0.07, 0.06) < 1.0 {
        return Some((0, [1.0, 0.93, 0.55]));
    }
    if cabin || hood {
        return Some((0, if y > 0.34 { [0.08, 0.22, 0.52] } else { [0.13, 0.36, 0.78] }));
    }
    None
}

fn cat(x: f64, y: f64) -> Option<(usize, Colour)> {
    let m = x.abs();
    if oval(m, y, 0.27, -0.06, 0.045, 0.11) < 1.0 {
        return Some((0, [0.06, 0.08, 0.06]));
    }
    if oval(m, y, 0.27, -0.06, 0.13, 0.12) < 1.0 {
        return Some((0, [0.56, 0.80, 0.30]));
    }
    if inside(x, y, &[(-0.09, 0.15), (0.09, 0.15), (0.0, 0.26)]) {
        return Some((0, [0.90, 0.48, 0.52]));
    }
    let mouth = stroke(m, y, (0.0, 0.25), (0.0, 0.33), 0.03)
        || stroke(m, y, (0.0, 0.34), (0.14, 0.40), 0.03);
    let whiskers = stroke(m, y, (0.24, 0.24), (0.86, 0.12), 0.022)
        || stroke(m, y, (0.24, 0.30), (0.88, 0.32), 0.022)
        || stroke(m, y, (0.24, 0.36), (0.84, 0.50), 0.022);
    if mouth || whiskers {
        return Some((0, [0.20, 0.16, 0.14]));
    }
    if oval(m, y, 0.12, 0.30, 0.17, 0.14) < 1.0 {
        return Some((0, [0.98, 0.94, 0.88]));
    }
    let stripe = inside(x, y, &[(-0.05, -0.56), (0.05, -0.56), (0.0, -0.26)])
        || inside(m, y, &[(0.13, -0.54), (0.22, -0.50), (0.15, -0.28)]);
    let head = oval(x, y, 0.0, 0.08, 0.68, 0.62) < 1.0;
    if head && stripe {
        return Some((0, [0.55, 0.30, 0.12]));
    }
    if head {
        return Some((0, [0.86, 0.56, 0.26]));
    }
    if inside(m, y, &[(0.24, -0.44), (0.52, -0.74), (0.56, -0.26)]) {
        return Some((0, [0.94, 0.66, 0.62]));
    }
    if inside(m, y, &[(0.14, -0.44), (0.60, -0.88), (0.68, -0.10)]) {
        return Some((0, [0.78, 0.48, 0.20]));
    }
    None
}

fn cube_sphere(x: f64, y: f64) -> Option<(usize, Colour)> {
    let (cx, cy, r) = (0.42, 0.36, 0.40);
    let d = oval(x, y, cx, cy, r, r);
    if d < 1.0 {
        // Light from the upper left: brightness of a sphere's normal.
        let (u, v) = ((x - cx) / r, (y - cy) / r);
        let light = (-0.5 * u - 0.6 * v + 0.62 * (1.0 - d).sqrt()).clamp(0.0, 1.0);
        return Some((1, mix([0.48, 0.34, 0.02], [1.0, 0.90, 0.24], 1.15 * light)));
    }
    let (top, front, side) = ([0.95, 0.36, 0.30], [0.82, 0.12, 0.12], [0.52, 0.05, 0.08]);
    if inside(x, y, &[(-0.80, -0.30), (-0.48, -0.62), (0.32, -0.62), (0.02, -0.30)]) {
        return Some((0, top));
    }
    if inside(x, y, &[(-0.80, -0.30), (0.02, -0.30), (0.02, 0.52), (-0.80, 0.52)]) {
        return Some((0, front));
    }
    if inside(x, y, &[(0.02, -0.30), (0.32, -0.62), (0.32, 0.18), (0.02, 0.52)]) {
        return Some((0, side));
    }
    None
}

const INK: Colour = [0.05, 0.05, 0.08];

fn letter_a(x: f64, y: f64) -> Option<(usize, Colour)> {
    let m = x.abs();
    let leg = stroke(m, y, (0.0, -0.68), (0.50, 0.74), 0.24);
    let bar = m < 0.36 && (0.18..0.38).contains(&y);
    ((leg || bar) && y.abs() < 0.72).then_some((0, INK))
}

fn letter_b(x: f64, y: f64) -> Option<(usize, Colour)> {
    let stem = (-0.48..-0.24).contains(&x) && y.abs() < 0.72;
    let bowl = |cy: f64, rx: f64, ry: f64| {
        let outer = oval(x, y, -0.05, cy, rx, ry) < 1.0;
        let inner = oval(x, y, -0.05, cy, rx - 0.22, ry - 0.20) < 1.0;
        let round = x > -0.05 && outer && !inner;
        let straight = (-0.30..=-0.05).contains(&x) && {
            let d = (y - cy).abs();
            d < ry && d > ry - 0.20
        };
        round || straight
    };
    (stem || bowl(-0.34, 0.46, 0.38) || bowl(0.31, 0.54, 0.41)).then_some((0, INK))
}

fn letter_s(x: f64, y: f64) -> Option<(usize, Colour)> {
    let ring = |cy: f64, r: f64| {
        let d = oval(x, y, 0.0, cy, 1.0, 1.0).sqrt();
        d < r + 0.12 && d > r - 0.12
    };
    // Upper ring without its lower right quarter, lower ring without its upper left one.
    let upper = ring(-0.31, 0.31) && !(x > 0.0 && y > -0.31);
    let lower = ring(0.31, 0.31) && !(x < 0.0 && y < 0.31);
    (upper || lower).then_some((0, INK))
}
