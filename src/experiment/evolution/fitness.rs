//! Likeness to a target: MSE and SSIM.

use super::config::{FitnessConfig, Measure};
use crate::genome::Genome;
use crate::network::Picture;

const WINDOW: usize = 7;
const C1: f64 = 0.01 * 0.01;
const C2: f64 = 0.03 * 0.03;

/// A target, with what can be computed of it once.
#[derive(Clone, Debug)]
pub struct Likeness {
    config: FitnessConfig,
    target: Picture,
    variance: f64,
}

impl Likeness {
    /// Likeness to `target` as `config` measures it.
    pub fn new(config: &FitnessConfig, target: &Picture) -> Self {
        let variance = target.variance();
        Likeness {
            config: config.clone(),
            target: target.clone(),
            variance: if variance > 0.0 { variance } else { 1.0 },
        }
    }

    /// The target picture.
    pub(crate) fn target(&self) -> &Picture {
        &self.target
    }

    /// Fitness of a genome that draws `picture`; larger is better.
    ///
    /// # Panics
    /// If the picture has another size than the target.
    pub fn fitness(&self, genome: &Genome, picture: &Picture) -> f64 {
        let likeness = match self.config.measure {
            Measure::Mse => -self.target.mse(picture),
            Measure::Ssim => self.ssim(picture),
            Measure::Both => {
                let w = self.config.ssim_weight;
                (1.0 - w) * (1.0 - self.target.mse(picture) / self.variance)
                    + w * self.ssim(picture)
            }
        };
        let links = genome.connections().filter(|c| c.enabled).count() as f64;
        likeness - self.config.complexity_pressure * links
    }

    /// SSIM, of a family its mean over the pictures.
    fn ssim(&self, picture: &Picture) -> f64 {
        let pictures = picture.height / picture.width;
        let each = (0..pictures).map(|i| ssim(&self.target.stacked(i), &picture.stacked(i)));
        each.sum::<f64>() / pictures as f64
    }
}

/// Mean structural similarity over channels and all 7 × 7 windows, in [−1, 1]; constants
/// C1 = 0.01², C2 = 0.03², population moments. Wang et al. 2004 with a uniform window.
///
/// # Panics
/// If the sizes differ or a side is below 7.
pub fn ssim(a: &Picture, b: &Picture) -> f64 {
    assert_eq!((a.width, a.height), (b.width, b.height), "pictures of one size");
    assert!(a.width >= WINDOW && a.height >= WINDOW, "at least 7 pixels");
    let n = (WINDOW * WINDOW) as f64;
    let mut total = 0.0;
    for channel in 0..3 {
        let sums = [
            box_sums(a, |i| f64::from(a.rgb[3 * i + channel])),
            box_sums(a, |i| f64::from(b.rgb[3 * i + channel])),
            box_sums(a, |i| square(f64::from(a.rgb[3 * i + channel]))),
            box_sums(a, |i| square(f64::from(b.rgb[3 * i + channel]))),
            box_sums(a, |i| f64::from(a.rgb[3 * i + channel]) * f64::from(b.rgb[3 * i + channel])),
        ];
        let windows = sums[0].len();
        for w in 0..windows {
            let [ma, mb, aa, bb, ab] = sums.each_ref().map(|sums| sums[w] / n);
            let (va, vb, cov) = (aa - ma * ma, bb - mb * mb, ab - ma * mb);
            total += (2.0 * ma * mb + C1) * (2.0 * cov + C2)
                / ((ma * ma + mb * mb + C1) * (va + vb + C2));
        }
    }
    let windows = (a.width - WINDOW + 1) * (a.height - WINDOW + 1);
    total / (3 * windows) as f64
}

fn square(v: f64) -> f64 {
    v * v
}

/// Sums of `value` over every 7 × 7 window, by two running sums.
fn box_sums(shape: &Picture, value: impl Fn(usize) -> f64) -> Vec<f64> {
    let (w, h) = (shape.width, shape.height);
    let columns = w - WINDOW + 1;
    let mut rows = vec![0.0; columns * h];
    for y in 0..h {
        for x in 0..columns {
            rows[y * columns + x] = (x..x + WINDOW).map(|k| value(y * w + k)).sum();
        }
    }
    let mut sums = vec![0.0; columns * (h - WINDOW + 1)];
    for y in 0..h - WINDOW + 1 {
        for k in y..y + WINDOW {
            for x in 0..columns {
                sums[y * columns + x] += rows[k * columns + x];
            }
        }
    }
    sums
}
