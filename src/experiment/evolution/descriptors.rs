//! Numbers that say what kind of picture it is: axes of MAP-Elites, space of novelty search.

use crate::math::names::names;
use crate::math::real;
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
    pub fn is_scalar(self) -> bool {
        self != Descriptor::Thumbnail
    }

    /// Its number, or numbers, appended to `out`.
    pub fn measure(self, picture: &Picture, out: &mut Vec<f64>) {
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

#[cfg(test)]
mod tests {
    use super::*;

    fn painted(paint: impl Fn(usize, usize) -> [f32; 3]) -> Picture {
        let mut picture = Picture::filled(24, 24, [0.0; 3]);
        for row in 0..24 {
            for column in 0..24 {
                picture.rgb[3 * (row * 24 + column)..][..3].copy_from_slice(&paint(row, column));
            }
        }
        picture
    }

    fn of(picture: &Picture, descriptor: Descriptor) -> f64 {
        describe(picture, &[descriptor])[0]
    }

    #[test]
    fn symmetry_knows_left_from_top() {
        let halves = painted(|_, column| [if column < 12 { 1.0 } else { 0.0 }; 3]);
        assert_eq!(of(&halves, Descriptor::Symmetry), 0.0);
        assert_eq!(of(&halves, Descriptor::SymmetryY), 1.0);
        let grey = painted(|_, _| [0.5; 3]);
        assert_eq!(of(&grey, Descriptor::Symmetry), 1.0);
        assert!((of(&halves, Descriptor::Contrast) - 1.0).abs() < 1e-12);
        assert!((of(&halves, Descriptor::Brightness) - 0.5).abs() < 1e-12);
        // One column pair of 22 inner ones sees the edge.
        assert!((of(&halves, Descriptor::EdgeDensity) - 2.0 / 22.0).abs() < 1e-12);
    }

    #[test]
    fn colourfulness_of_half_red_half_cyan_is_as_computed_by_hand() {
        // rg = ±1, yb = ±0.5: σ² = 1 and 0.25, means 0.
        let picture = painted(|row, _| if row < 12 { [1.0, 0.0, 0.0] } else { [0.0, 1.0, 1.0] });
        let expected = 1.25f64.sqrt();
        assert!((of(&picture, Descriptor::Colourfulness) - expected).abs() < 1e-9);
        let grey = painted(|row, _| [row as f32 / 24.0; 3]);
        assert!(of(&grey, Descriptor::Colourfulness) < 1e-6);
    }

    #[test]
    fn noise_is_complex_and_not_clear() {
        let mut rng = crate::math::SimRng::new(1, "test", 0);
        let noise: Vec<f32> = (0..576).map(|_| rng.uniform() as f32).collect();
        let noisy = painted(|row, column| [noise[row * 24 + column]; 3]);
        let plain = painted(|row, _| [if row < 12 { 1.0 } else { 0.0 }; 3]);
        assert!(of(&noisy, Descriptor::Complexity) > 2.0 * of(&plain, Descriptor::Complexity));
        assert!(of(&plain, Descriptor::Clarity) > of(&noisy, Descriptor::Clarity));
        assert_eq!(describe(&plain, &[Descriptor::Thumbnail]).len(), 36);
    }

    #[test]
    fn names_parse_back() {
        for &d in Descriptor::ALL {
            assert_eq!(d.name().parse::<Descriptor>(), Ok(d));
            assert_eq!(serde_json::to_string(&d).unwrap(), format!("\"{}\"", d.name()));
        }
        assert!("smell".parse::<Descriptor>().unwrap_err().to_string().contains("symmetry"));
    }
}
