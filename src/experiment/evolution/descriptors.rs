//! Numbers that say what kind of picture it is: axes of MAP-Elites, space of novelty search.

use crate::base::names::names;
use crate::base::real;
use crate::network::Picture;
use crate::score::dl_threshold::png_length;
use serde::{Deserialize, Serialize};

/// A measure of a picture. Luminance L = 0.299 r + 0.587 g + 0.114 b.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Descriptor {
    /// Left–right mirror symmetry of luminance: 1 − MSE(L, flip L)/(2 Var L), cut at 0; 1 of a
    /// constant picture. In [0, 1]; unrelated halves have about 0.
    Symmetry,
    /// The same, top–bottom.
    SymmetryY,
    /// Bytes of the pinned PNG encoding at 16 levels a channel, of raw bytes. In (0, 1].
    Complexity,
    /// Hasler & Süsstrunk 2003 on channels in [0, 1]: √(σ²rg + σ²yb) + 0.3 √(μ²rg + μ²yb). In [0, 1.1].
    Colourfulness,
    /// Share of pixels whose luminance gradient (central differences) exceeds 0.05 a pixel. In [0, 1].
    EdgeDensity,
    /// 2 × standard deviation of luminance. In [0, 1].
    Contrast,
    /// Mean luminance. In [0, 1].
    Brightness,
    /// Contrast × exp(−8 · complexity) `\[ours\]`: strong shapes drawn with few lines. In [0, 1].
    Clarity,
    /// 6 × 6 block means of luminance, 36 numbers in [0, 1].
    Thumbnail,
}

impl Descriptor {
    /// True if it is one number.
    pub(crate) fn is_scalar(self) -> bool {
        self != Descriptor::Thumbnail
    }

    /// Its number, or numbers, appended to `out`.
    pub(crate) fn measure(self, picture: &Picture, out: &mut Vec<f64>) {
        let luminance = luminance(picture);
        let (w, h) = (picture.width, picture.height);
        match self {
            Descriptor::Symmetry => out.push(mirror(&luminance, |i| i / w * w + (w - 1 - i % w))),
            Descriptor::SymmetryY => {
                out.push(mirror(&luminance, |i| (h - 1 - i / w) * w + i % w));
            }
            Descriptor::Complexity => out.push(complexity(picture)),
            Descriptor::Colourfulness => out.push(colourfulness(picture)),
            Descriptor::EdgeDensity => out.push(edge_density(&luminance, w, h)),
            Descriptor::Contrast => out.push(2.0 * moments(&luminance).1.sqrt()),
            Descriptor::Brightness => out.push(moments(&luminance).0),
            Descriptor::Clarity => {
                let contrast = 2.0 * moments(&luminance).1.sqrt();
                out.push(contrast * real::exp(-8.0 * complexity(picture)));
            }
            Descriptor::Thumbnail => thumbnail(&luminance, w, h, out),
        }
    }
}

names! {
    Descriptor, "descriptor":
    Symmetry "symmetry", SymmetryY "symmetry_y", Complexity "complexity",
    Colourfulness "colourfulness", EdgeDensity "edge_density", Contrast "contrast",
    Brightness "brightness", Clarity "clarity", Thumbnail "thumbnail",
}

/// Values of several descriptors, one after the other.
pub fn describe(picture: &Picture, descriptors: &[Descriptor]) -> Vec<f64> {
    let mut out = Vec::new();
    for descriptor in descriptors {
        descriptor.measure(picture, &mut out);
    }
    out
}

fn luminance(picture: &Picture) -> Vec<f64> {
    picture
        .rgb
        .chunks_exact(3)
        .map(|p| 0.299 * f64::from(p[0]) + 0.587 * f64::from(p[1]) + 0.114 * f64::from(p[2]))
        .collect()
}

/// (mean, variance).
fn moments(values: &[f64]) -> (f64, f64) {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let variance = values.iter().map(|v| (v - mean) * (v - mean)).sum::<f64>() / n;
    (mean, variance)
}

fn mirror(values: &[f64], flipped: impl Fn(usize) -> usize) -> f64 {
    let (_, variance) = moments(values);
    if variance < 1e-12 {
        return 1.0;
    }
    let difference: f64 = values
        .iter()
        .enumerate()
        .map(|(i, v)| {
            let d = v - values[flipped(i)];
            d * d
        })
        .sum::<f64>()
        / values.len() as f64;
    (1.0 - difference / (2.0 * variance)).max(0.0)
}

fn complexity(picture: &Picture) -> f64 {
    png_length(picture) as f64 / picture.rgb.len() as f64
}

fn colourfulness(picture: &Picture) -> f64 {
    let opponent = |f: fn([f64; 3]) -> f64| -> Vec<f64> {
        picture.rgb.chunks_exact(3).map(|p| f([p[0], p[1], p[2]].map(f64::from))).collect()
    };
    let (mean_rg, var_rg) = moments(&opponent(|[r, g, _]| r - g));
    let (mean_yb, var_yb) = moments(&opponent(|[r, g, b]| 0.5 * (r + g) - b));
    (var_rg + var_yb).sqrt() + 0.3 * (mean_rg * mean_rg + mean_yb * mean_yb).sqrt()
}

fn edge_density(luminance: &[f64], width: usize, height: usize) -> f64 {
    let mut edges = 0;
    for y in 1..height - 1 {
        for x in 1..width - 1 {
            let at = |dx: usize, dy: usize| luminance[(y + dy - 1) * width + x + dx - 1];
            let gx = 0.5 * (at(2, 1) - at(0, 1));
            let gy = 0.5 * (at(1, 2) - at(1, 0));
            edges += usize::from(gx * gx + gy * gy > 0.05 * 0.05);
        }
    }
    edges as f64 / ((width - 2) * (height - 2)) as f64
}

fn thumbnail(luminance: &[f64], width: usize, height: usize, out: &mut Vec<f64>) {
    for row in 0..6 {
        for column in 0..6 {
            let (mut sum, mut count) = (0.0, 0.0);
            for y in row * height / 6..(row + 1) * height / 6 {
                for x in column * width / 6..(column + 1) * width / 6 {
                    sum += luminance[y * width + x];
                    count += 1.0;
                }
            }
            out.push(sum / count);
        }
    }
}
