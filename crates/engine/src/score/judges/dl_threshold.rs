//! The threshold form of the description-length judge, kept as a baseline \[ours\]: one number, one
//! threshold. It ranks well within a target, but no one threshold serves two (docs/JUDGES.md).
//!
//! K(picture) = bytes of a pinned PNG encoding of the picture quantised to 16 levels a channel;
//! a perturbed picture is clean if log K(perturbed)/K(base) ≤ threshold (METHODS §6.4).

use crate::base::choice::options;
use crate::base::png::encode_png;
use crate::base::real;
use crate::network::Picture;
use crate::score::judge::{BaseReading, Judge, JudgeError, Verdict, check_size};

options! {
    /// Clean if the picture's PNG grew by no more than a threshold. These are the options of `dl-threshold`, too.
    #[derive(Copy)]
    pub struct DlThreshold {
        /// Largest log K(perturbed)/K(base) that is still clean.
        ///
        /// Between the best thresholds on two labelled sets, about 0.05 (skull) and 0.15 (butterfly).
        threshold: f64 = 0.10, source: "ours";
    }
}

/// Bytes of the pinned PNG encoding of `picture` at 16 levels a channel.
pub fn png_length(picture: &Picture) -> usize {
    let levels: Vec<u8> =
        picture.rgb.iter().map(|&v| (v.clamp(0.0, 1.0) * 15.0).round() as u8 * 17).collect();
    encode_png(picture.width, picture.height, &levels, &[]).len()
}

impl Judge for DlThreshold {
    fn name(&self) -> String {
        format!("dl-threshold/1 log ratio <= {}", self.threshold)
    }

    fn read_base<'a>(&'a self, base: &'a Picture) -> Box<dyn BaseReading + 'a> {
        Box::new(Reading {
            judge: *self,
            size: (base.width, base.height),
            base: png_length(base) as f64,
        })
    }
}

struct Reading {
    judge: DlThreshold,
    size: (usize, usize),
    base: f64,
}

impl BaseReading for Reading {
    fn judge(&self, perturbed: &Picture) -> Result<Verdict, JudgeError> {
        check_size(self.size, perturbed)?;
        let evidence = real::ln(png_length(perturbed) as f64 / self.base);
        let distance = self.judge.threshold - evidence;
        // A logistic of the distance with the labelled sets' typical spread.
        let damaged = 1.0 / (1.0 + real::exp(distance / 0.08));
        Ok(Verdict { evidence, ..Verdict::from_probability(damaged) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::SimRng;
    use crate::score::Call;

    #[test]
    fn a_moved_disc_is_clean_and_a_noisy_one_is_damaged() {
        let disc = |cx: f64, noise: f64| {
            let mut rng = SimRng::new(1, "test", 0);
            let mut picture = Picture::filled(96, 96, [0.0; 3]);
            for row in 0..96 {
                for column in 0..96 {
                    let (x, y) = (column as f64 - cx, row as f64 - 48.0);
                    let value = if x * x + y * y < 600.0 { 1.0 } else { 0.1 };
                    for c in 0..3 {
                        picture.rgb[3 * (row * 96 + column) + c] =
                            (value + noise * rng.normal()).clamp(0.0, 1.0) as f32;
                    }
                }
            }
            picture
        };
        let judge = DlThreshold::default();
        let base = disc(48.0, 0.0);
        let reading = judge.read_base(&base);
        assert_eq!(reading.judge(&disc(58.0, 0.0)).unwrap().call, Call::Clean);
        let noisy = reading.judge(&disc(48.0, 0.1)).unwrap();
        assert_eq!(noisy.call, Call::Damaged);
        assert!(noisy.p_damaged > 0.99);
    }
}
