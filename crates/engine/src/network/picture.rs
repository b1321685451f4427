//! A square or rectangular RGB picture in floats, and its files.

use crate::base::files::read_plain;
use crate::base::names::names;
use crate::base::png::encode_png;
use crate::base::refusal::Refusal;
use image::error::ImageFormatHint;
use image::{DynamicImage, ImageDecoder, ImageError, ImageReader};
use serde::{Deserialize, Serialize};
use std::io::Cursor;
use std::path::Path;

/// Largest picture file that is read, in bytes.
const LARGEST_FILE: u64 = 64 << 20;

/// Longest side of a picture that is read, in pixels.
const LONGEST_SIDE: u32 = 8192;

/// RGB picture: `rgb[3 * (row * width + column) + channel]`, each in [0, 1].
#[derive(Clone, Debug, PartialEq)]
pub struct Picture {
    /// Columns.
    pub width: usize,
    /// Rows.
    pub height: usize,
    /// (height · width · 3,) values in [0, 1].
    pub rgb: Vec<f32>,
}

/// The way to make a picture square.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Squaring {
    /// The longer side is cut at both ends alike.
    Crop,
    /// White is laid beside it.
    Pad,
    /// It is distorted.
    Squash,
}

impl Squaring {
    /// The choices, for people.
    pub const CHOICES: &'static str =
        "crop (cuts the longer side), pad (lays white beside it) or squash (distorts it)";
}

names! { Squaring, "fit": Crop "crop", Pad "pad", Squash "squash" }

/// True for a JPEG that ends before its end is marked. Segments say how long they are; in the scans between
/// them 0xff stands before 0, or begins a restart. What follows the end (a phone's film, say) does not matter.
fn is_cut_jpeg(bytes: &[u8]) -> bool {
    if !bytes.starts_with(&[0xff, 0xd8]) {
        return false;
    }
    let mut at = 2;
    loop {
        let rest = bytes.get(at..).unwrap_or_default();
        let is_mark = |two: &[u8]| two[0] == 0xff && !matches!(two[1], 0 | 0xd0..=0xd7 | 0xff);
        let Some(place) = rest.windows(2).position(is_mark) else { return true };
        at += place + 2;
        match (rest[place + 1], rest.get(place + 2..place + 4)) {
            (0xd9, _) => return false,
            (_, Some(&[high, low])) => at += usize::from(u16::from_be_bytes([high, low])),
            _ => return true,
        }
    }
}

/// True if a JPEG without its end mark lacks pixels, too: what is put behind it then changes them.
fn lacks_pixels(bytes: &[u8]) -> bool {
    let body = &bytes[..bytes.iter().rposition(|byte| *byte != 0xff).map_or(0, |last| last + 1)];
    let read = |more: &[u8]| {
        let whole = [body, more, &[0xff, 0xd9]].concat();
        image::load_from_memory_with_format(&whole, image::ImageFormat::Jpeg).ok()
    };
    read(&[]) != read(&[0x5a; 64])
}

/// Endings of pictures that other programs can save as PNG.
const OTHER_PICTURES: [&str; 8] = ["avif", "heic", "heif", "jxl", "psd", "ppm", "svg", "tga"];

fn no_picture(found: &str) -> Refusal {
    Refusal::new("", "a PNG, JPEG, GIF, WebP, TIFF or BMP picture", found)
}

/// The problem of a file that no decoder reads.
fn problem_of(error: &ImageError, path: &Path, bytes: &[u8]) -> Refusal {
    let ending = path.extension().unwrap_or_default().to_ascii_lowercase();
    let ending = ending.to_str().unwrap_or_default();
    let format = |text: String| no_picture(&text);
    match error {
        ImageError::Limits(_) => {
            let reader = ImageReader::new(Cursor::new(bytes)).with_guessed_format();
            let size = reader.ok().and_then(|reader| reader.into_dimensions().ok());
            let found = size.map_or("more".into(), |(width, height)| format!("{width} × {height}"));
            let expected = format!("a picture of at most {LONGEST_SIDE} pixels a side");
            Refusal::new("", expected, found).advising("make it smaller")
        }
        ImageError::Unsupported(_) if ending == "npz" || ending == "safetensors" => {
            format("weights, which `picloom score --arch ARCH --params FILE` reads".into())
        }
        ImageError::Unsupported(kind)
            if !matches!(kind.format_hint(), ImageFormatHint::Unknown)
                || OTHER_PICTURES.contains(&ending) =>
        {
            format("another format; save it as PNG".into())
        }
        ImageError::Unsupported(_) => format("a file that is none of them".into()),
        other => format(other.to_string()),
    }
}

impl Picture {
    /// A picture of one colour.
    pub fn filled(width: usize, height: usize, colour: [f32; 3]) -> Self {
        Picture { width, height, rgb: colour.repeat(width * height) }
    }

    /// Puts a picture into this one, its upper left corner at column `left` of row `top`.
    ///
    /// # Panics
    /// It reaches out of this one.
    pub fn paste(&mut self, picture: &Picture, left: usize, top: usize) {
        for (row, line) in picture.rgb.chunks_exact(3 * picture.width).enumerate() {
            let at = 3 * ((top + row) * self.width + left);
            self.rgb[at..at + line.len()].copy_from_slice(line);
        }
    }

    /// Number of pixels, P.
    pub fn pixels(&self) -> usize {
        self.width * self.height
    }

    /// The pixel at `row`, `column`.
    pub fn at(&self, row: usize, column: usize) -> [f32; 3] {
        let i = 3 * (row * self.width + column);
        [self.rgb[i], self.rgb[i + 1], self.rgb[i + 2]]
    }

    /// Reads PNG, JPEG, GIF (first frame), WebP, TIFF (first page) or BMP, turned as its EXIF says. Transparent pixels
    /// are laid over white.
    ///
    /// # Errors
    /// The file cannot be read, is no picture, is too large, or is cut off.
    pub fn read(path: &Path) -> Result<Self, Refusal> {
        let bytes = read_plain(path, LARGEST_FILE)
            .map_err(|e| Refusal::unreadable(path, "a picture", &e))?;
        let of_image = |e: ImageError| problem_of(&e, path, &bytes).in_file(path);
        let problem = |found: &str| no_picture(found).in_file(path);
        let mut reader = ImageReader::new(Cursor::new(&bytes[..]))
            .with_guessed_format()
            .map_err(|e| problem(&e.to_string()))?;
        // A small file can say that it is a huge picture.
        let mut limits = image::Limits::default();
        (limits.max_image_width, limits.max_image_height) =
            (Some(LONGEST_SIDE), Some(LONGEST_SIDE));
        reader.limits(limits.clone());
        let mut decoder = reader.into_decoder().map_err(of_image)?;
        limits.reserve(decoder.total_bytes()).map_err(of_image)?;
        let orientation = decoder.orientation().map_err(of_image)?;
        let mut picture = DynamicImage::from_decoder(decoder).map_err(of_image)?;
        picture.apply_orientation(orientation);
        let picture = picture.to_rgba32f();
        // The decoder fills what is missing of a JPEG with grey.
        if is_cut_jpeg(&bytes) && lacks_pixels(&bytes) {
            return Err(problem("a JPEG that is cut off"));
        }
        if picture.iter().any(|value| !value.is_finite()) {
            return Err(problem("a picture with pixels that are no numbers"));
        }
        let (width, height) = (picture.width() as usize, picture.height() as usize);
        if width == 0 || height == 0 {
            return Err(problem(&format!("one of {width}×{height} pixels")));
        }
        let rgb = picture
            .pixels()
            .flat_map(|p| {
                let [r, g, b, a] = p.0;
                [r, g, b].map(|c| (c * a + (1.0 - a)).clamp(0.0, 1.0))
            })
            .collect();
        Ok(Picture { width, height, rgb })
    }

    /// 8 bits a channel, (height · width · 3,), rounded to nearest.
    pub fn to_bytes(&self) -> Vec<u8> {
        self.rgb.iter().map(|&v| byte(v)).collect()
    }

    /// (height, width, 4) bytes, opaque, as a canvas has them.
    pub fn to_rgba(&self) -> Vec<u8> {
        self.to_bytes().chunks_exact(3).flat_map(|rgb| [rgb[0], rgb[1], rgb[2], 255]).collect()
    }

    /// The picture as PNG bytes, with our pinned encoder settings (8-bit RGB, adaptive filter,
    /// balanced compression) and optional text chunks (keyword, text).
    pub fn to_png(&self, texts: &[(&str, &str)]) -> Vec<u8> {
        encode_png(self.width, self.height, &self.to_bytes(), texts)
    }

    /// The picture resampled to `size`² by averaging (box filter over the covered area).
    ///
    /// Exact identity when the size does not change; nearest pixel when it grows.
    pub fn resized(&self, size: usize) -> Picture {
        self.resampled(size, size)
    }

    /// Square `i` of several, one below the other: the pictures of a family.
    pub fn stacked(&self, i: usize) -> Picture {
        let side = self.width;
        let rgb = self.rgb[3 * side * side * i..][..3 * side * side].to_vec();
        Picture { width: side, height: side, rgb }
    }

    /// The whole picture or a part of it as a square of `size`².
    pub fn squared(&self, size: usize, how: Squaring) -> Picture {
        let (width, height) = (self.width, self.height);
        let short = width.min(height);
        match how {
            Squaring::Squash => self.resized(size),
            Squaring::Crop => {
                let (left, top) = ((width - short) / 2, (height - short) / 2);
                let mut cut = Picture::filled(short, short, [0.0; 3]);
                for (row, line) in cut.rgb.chunks_exact_mut(3 * short).enumerate() {
                    let from = 3 * ((top + row) * width + left);
                    line.copy_from_slice(&self.rgb[from..from + 3 * short]);
                }
                cut.resized(size)
            }
            Squaring::Pad => {
                let long = width.max(height);
                let side = |part: usize| ((size * part + long / 2) / long).max(1);
                let inner = self.resampled(side(width), side(height));
                let (left, top) = ((size - inner.width) / 2, (size - inner.height) / 2);
                let mut padded = Picture::filled(size, size, [1.0; 3]);
                for (row, line) in inner.rgb.chunks_exact(3 * inner.width).enumerate() {
                    let to = 3 * ((top + row) * size + left);
                    padded.rgb[to..to + line.len()].copy_from_slice(line);
                }
                padded
            }
        }
    }

    fn resampled(&self, width: usize, height: usize) -> Picture {
        if self.width == width && self.height == height {
            return self.clone();
        }
        let mut out = Picture::filled(width, height, [0.0; 3]);
        let spans = |from: usize, to: usize| -> Vec<Vec<(usize, f64)>> {
            let scale = from as f64 / to as f64;
            (0..to)
                .map(|i| {
                    let (a, b) = (i as f64 * scale, (i + 1) as f64 * scale);
                    if scale <= 1.0 {
                        return vec![((((a + b) / 2.0) as usize).min(from - 1), 1.0)];
                    }
                    (a.floor() as usize..(b.ceil() as usize).min(from))
                        .map(|k| (k, ((k + 1) as f64).min(b) - (k as f64).max(a)))
                        .filter(|(_, w)| *w > 1e-12)
                        .collect()
                })
                .collect()
        };
        let (columns, rows) = (spans(self.width, width), spans(self.height, height));
        for (row, ys) in rows.iter().enumerate() {
            for (column, xs) in columns.iter().enumerate() {
                let (mut sum, mut total) = ([0.0f64; 3], 0.0);
                for &(y, wy) in ys {
                    for &(x, wx) in xs {
                        let colour = self.at(y, x);
                        for (sum, value) in sum.iter_mut().zip(colour) {
                            *sum += wx * wy * f64::from(value);
                        }
                        total += wx * wy;
                    }
                }
                let place = 3 * (row * width + column);
                for (out, sum) in out.rgb[place..place + 3].iter_mut().zip(sum) {
                    *out = (sum / total) as f32;
                }
            }
        }
        out
    }

    /// Mean over pixels and channels of the squared difference.
    ///
    /// # Panics
    /// If the sizes differ.
    pub fn mse(&self, other: &Picture) -> f64 {
        assert_eq!((self.width, self.height), (other.width, other.height), "pictures of one size");
        let sum: f64 =
            self.rgb.iter().zip(&other.rgb).map(|(a, b)| f64::from(a - b) * f64::from(a - b)).sum();
        sum / self.rgb.len() as f64
    }

    /// Mean over channels of the variance about the best constant colour: the MSE of the best
    /// constant picture.
    pub fn variance(&self) -> f64 {
        let n = self.pixels() as f64;
        let mut mean = [0.0f64; 3];
        for pixel in self.rgb.chunks_exact(3) {
            for c in 0..3 {
                mean[c] += f64::from(pixel[c]) / n;
            }
        }
        let sum: f64 = self
            .rgb
            .chunks_exact(3)
            .map(|pixel| {
                (0..3)
                    .map(|c| (f64::from(pixel[c]) - mean[c]) * (f64::from(pixel[c]) - mean[c]))
                    .sum::<f64>()
            })
            .sum();
        sum / self.rgb.len() as f64
    }
}

/// A value in [0, 1] as 8 bits, rounded to nearest.
#[inline]
pub(super) fn byte(v: f32) -> u8 {
    // `round` without a call: what is cut off is exact.
    let v = v.clamp(0.0, 1.0) * 255.0;
    v as u8 + u8::from(v - f32::from(v as u8) >= 0.5)
}

/// A value in [0, 1] as 16 bits, rounded to nearest.
#[inline]
pub(super) fn word(v: f32) -> u16 {
    let v = v.clamp(0.0, 1.0) * 65535.0;
    v as u16 + u16::from(v - f32::from(v as u16) >= 0.5)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_rounded_to_nearest_with_halves_up() {
        let near = |n: u32| {
            let middle = (n as f32 / 2.0 / 255.0).to_bits();
            (middle.saturating_sub(3)..middle + 4).map(f32::from_bits)
        };
        let mut rgb: Vec<f32> = (0..=512).flat_map(near).collect();
        rgb.extend([-1.0, 0.0, 2.0, f32::INFINITY, f32::NAN]);
        let picture = Picture { width: rgb.len(), height: 1, rgb };
        let expected = picture.rgb.iter().map(|v| (v.clamp(0.0, 1.0) * 255.0).round() as u8);
        assert!(picture.to_bytes().into_iter().eq(expected));
    }
}
