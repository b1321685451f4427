//! Attributes of a picture: symmetry, areas of its parts, hue, centre of its mass.
//!
//! Everything is relative to a *base* picture: its background is the mean colour of its outermost
//! pixels; its parts are at most four colours, by k-means from a deterministic start (the background,
//! then always the pixel farthest from the colours chosen, while that is .1 or more; distances are
//! Euclidean in rgb), 20 rounds, a colour without pixels stays. Another picture's pixels are given to
//! the nearest of the base's colours, the first of equals.
//!
//! Of a picture: the root mean square differences from its two mirror images; the share of each part;
//! the means of r − (g + b)/2, of √¾ (g − b) and of the largest of r, g, b; and the mean place, in
//! [−1, 1] from edge to edge, of pixels that weigh what they are far from the background. All \[ours\].
//!
//! In: pictures (P, 3). Out: 8 to 11 numbers a picture, or 4 to 7 maps (P,).
//! Cost: no drawing; 20 rounds of k-means over P pixels once, then a pass a picture.
//!
//! **What it does not mean:** parts here are colours, not things; two eyes are one part.

use super::symmetry::{Axis, mirror_error};
use crate::network::Picture;

/// Most parts a picture is cut into.
const PARTS: usize = 4;
/// Colours nearer than this (Euclidean, rgb) are one part.
const NEAREST: f64 = 0.1;

/// The measuring rods of one base picture.
#[derive(Clone, Debug, PartialEq)]
pub struct Attributes {
    /// Main colours; the first is nearest the background.
    palette: Vec<[f64; 3]>,
    background: [f64; 3],
}

fn colour(picture: &Picture, pixel: usize) -> [f64; 3] {
    [0, 1, 2].map(|c| f64::from(picture.rgb[3 * pixel + c]))
}

fn distance(a: [f64; 3], b: [f64; 3]) -> f64 {
    let d = [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
    (d[0] * d[0] + d[1] * d[1] + d[2] * d[2]).sqrt()
}

/// (α, β): the colour in the plane of hues, red at (1, 0); 0 for grey.
fn chroma([r, g, b]: [f64; 3]) -> [f64; 2] {
    [r - 0.5 * (g + b), 0.75f64.sqrt() * (g - b)]
}

impl Attributes {
    /// The rods of `base`.
    ///
    /// # Panics
    /// If the picture has no pixels.
    pub fn of(base: &Picture) -> Self {
        let (w, h) = (base.width, base.height);
        assert!(w * h > 0, "a picture with pixels");
        let border: Vec<usize> = (0..w * h)
            .filter(|p| p % w == 0 || p % w == w - 1 || p / w == 0 || p / w == h - 1)
            .collect();
        let mut background = [0.0; 3];
        for &p in &border {
            let here = colour(base, p);
            for c in 0..3 {
                background[c] += here[c] / border.len() as f64;
            }
        }
        let mut palette = vec![background];
        while palette.len() < PARTS {
            let gap = |p: usize| {
                let here = colour(base, p);
                palette.iter().map(|&k| distance(here, k)).fold(f64::INFINITY, f64::min)
            };
            let (mut far, mut most) = (0, -1.0);
            for p in 0..w * h {
                let gap = gap(p);
                if gap > most {
                    (far, most) = (p, gap);
                }
            }
            if most < NEAREST {
                break;
            }
            palette.push(colour(base, far));
        }
        for _ in 0..20 {
            let mut sums = vec![([0.0; 3], 0.0); palette.len()];
            for p in 0..w * h {
                let here = colour(base, p);
                let (sum, count) = &mut sums[nearest(&palette, here)];
                for c in 0..3 {
                    sum[c] += here[c];
                }
                *count += 1.0;
            }
            for (entry, (sum, count)) in palette.iter_mut().zip(sums) {
                if count > 0.0 {
                    *entry = sum.map(|s| s / count);
                }
            }
        }
        Attributes { palette, background }
    }

    /// Names of the values of [`Self::measure`], in order.
    pub fn names(&self) -> Vec<String> {
        let mut names =
            vec!["mirror error left-right".to_string(), "mirror error top-bottom".into()];
        names.extend((0..self.palette.len()).map(|k| format!("area of part {k}")));
        names.extend(
            ["hue red", "hue green-blue", "brightness", "centroid x", "centroid y"]
                .map(String::from),
        );
        names
    }

    /// Mirror errors (0…1), area share of each part (0…1, sum 1), mean chroma (α, β), mean
    /// brightness (max of rgb, 0…1), centroid x, y (−1…1) of the distance from the background.
    pub fn measure(&self, picture: &Picture) -> Vec<f64> {
        let n = picture.pixels() as f64;
        let mut areas = vec![0.0; self.palette.len()];
        let (mut hue, mut brightness, mut mass, mut moment) = ([0.0; 2], 0.0, 0.0, [0.0; 2]);
        let place = |i: usize, size: usize| (2 * i + 1) as f64 / size as f64 - 1.0;
        for p in 0..picture.pixels() {
            let here = colour(picture, p);
            areas[nearest(&self.palette, here)] += 1.0 / n;
            let [alpha, beta] = chroma(here);
            hue = [hue[0] + alpha / n, hue[1] + beta / n];
            brightness += here[0].max(here[1]).max(here[2]) / n;
            let weight = distance(here, self.background);
            mass += weight;
            moment[0] += weight * place(p % picture.width, picture.width);
            moment[1] += weight * place(p / picture.width, picture.height);
        }
        let centroid = moment.map(|m| if mass > 1e-9 * n { m / mass } else { 0.0 });
        let mut values =
            vec![mirror_error(picture, Axis::Vertical), mirror_error(picture, Axis::Horizontal)];
        values.extend(areas);
        values.extend([hue[0], hue[1], brightness, centroid[0], centroid[1]]);
        values
    }

    /// Per-pixel attributes of a picture, for linear probes: each part's mask (0 or 1), chroma
    /// (α, β) and brightness; (name, (P,) values).
    pub fn per_pixel(&self, picture: &Picture) -> Vec<(String, Vec<f32>)> {
        let pixels = || (0..picture.pixels()).map(|p| colour(picture, p));
        let mut found: Vec<(String, Vec<f32>)> = (0..self.palette.len())
            .map(|k| {
                let mask = pixels().map(|c| f32::from(u8::from(nearest(&self.palette, c) == k)));
                (format!("part {k}"), mask.collect())
            })
            .collect();
        for (i, name) in ["hue red", "hue green-blue"].into_iter().enumerate() {
            found.push((name.into(), pixels().map(|c| chroma(c)[i] as f32).collect()));
        }
        let brightness = pixels().map(|[r, g, b]| r.max(g).max(b) as f32);
        found.push(("brightness".into(), brightness.collect()));
        found
    }

    /// Which part each pixel of `picture` belongs to, (P,).
    pub fn parts(&self, picture: &Picture) -> Vec<usize> {
        (0..picture.pixels()).map(|p| nearest(&self.palette, colour(picture, p))).collect()
    }
}

/// Index of the nearest colour; the first of equals.
fn nearest(palette: &[[f64; 3]], here: [f64; 3]) -> usize {
    let (mut best, mut least) = (0, f64::INFINITY);
    for (k, &entry) in palette.iter().enumerate() {
        let d = distance(here, entry);
        if d < least {
            (best, least) = (k, d);
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 8 × 8, black, with a red square of 2 × 2 at rows 2–3, columns 4–5.
    fn red_square() -> Picture {
        let mut picture = Picture::filled(8, 8, [0.0; 3]);
        for p in [20, 21, 28, 29] {
            picture.rgb[3 * p] = 1.0;
        }
        picture
    }

    #[test]
    fn a_red_square_has_its_area_hue_and_place() {
        let picture = red_square();
        let rods = Attributes::of(&picture);
        let names = rods.names();
        let values = rods.measure(&picture);
        assert_eq!(names.len(), values.len());
        let value = |name: &str| values[names.iter().position(|n| n == name).unwrap()];
        assert!((value("area of part 0") - 60.0 / 64.0).abs() < 1e-12);
        assert!((value("area of part 1") - 4.0 / 64.0).abs() < 1e-12);
        assert_eq!(value("hue red"), 4.0 / 64.0);
        assert_eq!(value("hue green-blue"), 0.0);
        assert_eq!(value("brightness"), 4.0 / 64.0);
        // Columns 4, 5 lie at .125 and .375; rows 2, 3 at −.375 and −.125.
        assert!((value("centroid x") - 0.25).abs() < 1e-12);
        assert!((value("centroid y") + 0.25).abs() < 1e-12);
        // Eight of 64 pixels differ from their mirror image by 1 in one of three channels.
        assert!((value("mirror error left-right") - (8.0f64 / 192.0).sqrt()).abs() < 1e-12);
        assert_eq!(rods.parts(&picture).iter().filter(|&&k| k == 1).count(), 4);
        assert_eq!(rods.per_pixel(&picture)[1].1.iter().sum::<f32>(), 4.0);
    }

    #[test]
    fn a_plain_picture_has_one_part_and_no_centroid() {
        let plain = Picture::filled(4, 4, [0.2, 0.4, 0.6]);
        let rods = Attributes::of(&plain);
        let values = rods.measure(&plain);
        assert_eq!(rods.palette.len(), 1);
        assert!((values[2] - 1.0).abs() < 1e-12);
        assert_eq!(values[values.len() - 2..], [0.0, 0.0]);
    }
}
