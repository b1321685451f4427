//! Picture files of any size, written band by band: PNG, JPEG, TIFF.
//!
//! In: a network ready to draw, a canvas. Out: bytes, in order: nothing is sought, so that a file and a connection
//! are written alike. The same bytes at any thread count.

use super::canvas::{Canvas, Size};
use super::kernel::Renderer;
use super::picture::{byte, word};
use crate::base::names::names;
use crate::base::refusal::Refusal;
use crate::base::settings::settings;
use image::codecs::jpeg::{JpegEncoder, PixelDensity};
use image::{GenericImageView, Rgb};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::cell::{Cell, RefCell};
use std::io::{Error, Write};
use std::ops::Range;
use std::path::Path;

/// Longest side of a JPEG.
const LONGEST_JPEG: usize = 65_535;
/// Bytes of a chunk of a PNG, and of a strip of a TIFF, about.
const CHUNK: usize = 1 << 18;

/// A format of picture files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PictureFormat {
    /// Exact, compressed. 8 or 16 bits.
    Png,
    /// Small, with losses; at most 65 535 pixels a side. 8 bits.
    Jpeg,
    /// Exact, not compressed, for printers. 8 or 16 bits; BigTIFF above 4 GB.
    Tiff,
}

names! { PictureFormat, "picture format": Png "png", Jpeg "jpeg", Tiff "tiff" }

impl PictureFormat {
    /// The format that the ending of a file name says.
    ///
    /// # Errors
    /// It says none of them.
    pub fn of(path: &Path) -> Result<Self, Refusal> {
        let end = path.extension().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
        match end.as_str() {
            "png" => Ok(PictureFormat::Png),
            "jpg" | "jpeg" => Ok(PictureFormat::Jpeg),
            "tif" | "tiff" => Ok(PictureFormat::Tiff),
            _ => {
                let found = if end.is_empty() { "no ending".into() } else { format!(".{end}") };
                let expected = "a picture file ending in .png, .jpg, .jpeg, .tif or .tiff";
                Err(Refusal::new(path.display(), expected, found))
            }
        }
    }

    /// Its media type.
    pub fn media_type(self) -> &'static str {
        match self {
            PictureFormat::Png => "image/png",
            PictureFormat::Jpeg => "image/jpeg",
            PictureFormat::Tiff => "image/tiff",
        }
    }

    /// The usual ending of its files.
    pub fn ending(self) -> &'static str {
        match self {
            PictureFormat::Png => "png",
            PictureFormat::Jpeg => "jpg",
            PictureFormat::Tiff => "tif",
        }
    }
}

/// Bits of each colour channel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Bits {
    /// 256 levels.
    #[default]
    #[serde(rename = "8")]
    Eight,
    /// 65 536 levels: no bands in smooth colours of a large print.
    #[serde(rename = "16")]
    Sixteen,
}

names! { Bits, "number of bits": Eight "8", Sixteen "16" }

impl Bits {
    fn bytes(self) -> usize {
        match self {
            Bits::Eight => 1,
            Bits::Sixteen => 2,
        }
    }
}

settings! {
    /// How a picture file is written.
    #[derive(Clone, Debug, PartialEq)]
    #[serde(deny_unknown_fields, default)]
    pub struct FileSettings: flags "The file" {
        /// Bits of each colour channel (PNG and TIFF).
        bits: Bits = Bits::Eight, source: "ours";
        /// Quality of a JPEG: 100 is the best.
        quality: usize = 92, value: "Q", range: Range::between(1.0, 100.0), source: "ours";
        /// Pixels an inch, written into the file for printers. It changes no pixel.
        dpi: Option<f64>, range: Range::between(1.0, 65_535.0), unless: "none";
    }
}

/// A picture file that is to be written.
#[derive(Clone, Debug)]
pub struct PictureFile {
    /// The picture.
    pub canvas: Canvas,
    /// The format.
    pub format: PictureFormat,
    /// How it is written.
    pub settings: FileSettings,
    /// (keyword, text) of a PNG, in order; a TIFF has them as its description.
    pub texts: Vec<(&'static str, String)>,
}

/// Asked after every band, with the rows that are drawn: false stops the work.
pub(crate) type GoOn<'a> = &'a (dyn Fn(usize) -> bool + Sync);

impl PictureFile {
    /// Refuses what the format does not have, and more memory than there is.
    ///
    /// # Errors
    /// One of them.
    pub fn check(&self) -> Result<(), Refusal> {
        let Size { width, height } = self.canvas.size;
        if self.format == PictureFormat::Jpeg {
            if self.settings.bits != Bits::Eight {
                return Err(Refusal::new("bits", "8 for a JPEG", "16")
                    .advising("write a PNG or a TIFF instead"));
            }
            if width.max(height) > LONGEST_JPEG {
                let expected = format!("at most {LONGEST_JPEG} pixels a side for a JPEG");
                return Err(Refusal::new("size", expected, self.canvas.size.to_string())
                    .advising("write a PNG or a TIFF instead"));
            }
        }
        self.canvas.ensure("size")
    }

    /// Draws and writes it. `go_on` is asked after every band.
    ///
    /// # Errors
    /// `out` cannot be written to, or the work is stopped.
    pub fn write(
        &self,
        renderer: &Renderer<'_>,
        out: &mut (dyn Write + Send),
        go_on: GoOn<'_>,
    ) -> std::io::Result<()> {
        match self.format {
            PictureFormat::Png => self.write_png(renderer, out, go_on),
            PictureFormat::Jpeg => self.write_jpeg(renderer, out, go_on),
            PictureFormat::Tiff => self.write_tiff(renderer, out, go_on),
        }
    }

    fn write_png(
        &self,
        renderer: &Renderer<'_>,
        out: &mut (dyn Write + Send),
        go_on: GoOn<'_>,
    ) -> std::io::Result<()> {
        let Size { width, height } = self.canvas.size;
        let mut encoder = png::Encoder::new(out, width as u32, height as u32);
        encoder.set_color(png::ColorType::Rgb);
        encoder.set_depth(match self.settings.bits {
            Bits::Eight => png::BitDepth::Eight,
            Bits::Sixteen => png::BitDepth::Sixteen,
        });
        encoder.set_compression(png::Compression::Balanced);
        if let Some(dpi) = self.settings.dpi {
            let per_metre = (dpi / 0.0254).round() as u32;
            let unit = png::Unit::Meter;
            let dims = png::PixelDimensions { xppu: per_metre, yppu: per_metre, unit };
            encoder.set_pixel_dims(Some(dims));
        }
        for (keyword, text) in &self.texts {
            encoder.add_itxt_chunk((*keyword).to_string(), text.clone())?;
        }
        let mut writer = encoder.write_header()?;
        let mut stream = writer.stream_writer_with_size(CHUNK)?;
        self.push(renderer, go_on, |bytes| stream.write_all(&bytes))?;
        stream.finish()?;
        Ok(writer.finish()?)
    }

    /// An uncompressed TIFF, big-endian, its head first.
    fn write_tiff(
        &self,
        renderer: &Renderer<'_>,
        out: &mut (dyn Write + Send),
        go_on: GoOn<'_>,
    ) -> std::io::Result<()> {
        out.write_all(&self.tiff_head())?;
        self.push(renderer, go_on, |bytes| out.write_all(&bytes))
    }

    /// The bytes before the pixels of a TIFF (TIFF 6.0; BigTIFF if offsets need more than 32 bits).
    fn tiff_head(&self) -> Vec<u8> {
        let Size { width, height } = self.canvas.size;
        let row = width * 3 * self.settings.bits.bytes();
        let rows = (CHUNK / row).clamp(1, height);
        let strips = height.div_ceil(rows);
        // With room for the head.
        let is_big = (row * height + 16 * strips + CHUNK) as u64 > u64::from(u32::MAX);
        let lengths = (0..strips).map(|i| row * rows.min(height - i * rows));
        let short = |value: usize| (3, vec![(value as u16).to_be_bytes().to_vec()]);
        let long = |value: usize| (4, vec![(value as u32).to_be_bytes().to_vec()]);
        let text = |text: String| (2, text.bytes().chain([0]).map(|byte| vec![byte]).collect());
        let offset = |at: u64| match is_big {
            true => at.to_be_bytes().to_vec(),
            false => (at as u32).to_be_bytes().to_vec(),
        };
        let density =
            self.settings.dpi.map_or((1u32, 1u32), |dpi| ((dpi * 1e4).round() as u32, 10_000));
        let density = || (5, vec![[density.0.to_be_bytes(), density.1.to_be_bytes()].concat()]);
        let said: Vec<String> =
            self.texts.iter().map(|(key, text)| format!("{key}: {text}")).collect();
        let bits = 8 * self.settings.bits.bytes() as u16;
        // (tag, (type, values)), in the order of the tags.
        type Field = (u16, (u16, Vec<Vec<u8>>));
        let mut fields: Vec<Field> = vec![
            (256, long(width)),
            (257, long(height)),
            (258, (3, vec![bits.to_be_bytes().to_vec(); 3])),
            (259, short(1)), // not compressed
            (262, short(2)), // RGB
            (270, text(said.join("; "))),
            (273, (if is_big { 16 } else { 4 }, vec![offset(0); strips])),
            (277, short(3)), // channels
            (278, long(rows)),
            (279, (4, lengths.map(|length| (length as u32).to_be_bytes().to_vec()).collect())),
            (282, density()),
            (283, density()),
            (284, short(1)), // interleaved
            (296, short(if self.settings.dpi.is_some() { 2 } else { 1 })), // inches, or none
            (305, text(format!("picloom {}", env!("CARGO_PKG_VERSION")))),
        ];
        // Values that do not fit their place stand after the directory.
        let place = offset(0).len();
        let head = if is_big { 16 } else { 8 };
        let directory = match is_big {
            true => 8 + 20 * fields.len() + 8,
            false => 2 + 12 * fields.len() + 4,
        };
        let length = |values: &[Vec<u8>]| values.iter().map(Vec::len).sum::<usize>();
        let apart = |values: &[Vec<u8>]| match length(values) {
            n if n <= place => 0,
            n => n.next_multiple_of(2),
        };
        let more: usize = fields.iter().map(|(_, (_, values))| apart(values)).sum();
        let pixels = (head + directory + more) as u64;
        for (tag, (_, values)) in &mut fields {
            if *tag == 273 {
                for (i, value) in values.iter_mut().enumerate() {
                    *value = offset(pixels + (i * rows * row) as u64);
                }
            }
        }
        let mut bytes = b"MM".to_vec();
        match is_big {
            true => bytes.extend([0, 43, 0, 8, 0, 0]),
            false => bytes.extend([0, 42]),
        }
        bytes.extend(offset(head as u64));
        match is_big {
            true => bytes.extend((fields.len() as u64).to_be_bytes()),
            false => bytes.extend((fields.len() as u16).to_be_bytes()),
        }
        let mut behind = Vec::new();
        for (tag, (kind, values)) in &fields {
            bytes.extend(tag.to_be_bytes());
            bytes.extend(kind.to_be_bytes());
            bytes.extend(offset(values.len() as u64));
            let mut own = values.concat();
            if own.len() > place {
                bytes.extend(offset((head + directory + behind.len()) as u64));
                behind.append(&mut own);
                behind.resize(behind.len().next_multiple_of(2), 0);
            } else {
                own.resize(place, 0);
                bytes.append(&mut own);
            }
        }
        bytes.extend(offset(0)); // no further directory
        bytes.append(&mut behind);
        bytes
    }

    /// Draws a band while the band before is taken.
    fn push(
        &self,
        renderer: &Renderer<'_>,
        go_on: GoOn<'_>,
        mut take: impl FnMut(Vec<u8>) -> std::io::Result<()> + Send,
    ) -> std::io::Result<()> {
        let (height, band) = (self.canvas.size.height, self.canvas.band(renderer.links()));
        let draw = |top: usize| self.bytes(renderer, top..(top + band).min(height));
        let (mut top, mut drawn) = (0, draw(0));
        while top < height {
            let end = (top + band).min(height);
            let (taken, next) = match end < height {
                true => rayon::join(|| take(drawn), || draw(end)),
                false => (take(drawn), Vec::new()),
            };
            taken?;
            if !go_on(end) {
                return Err(stopped());
            }
            (top, drawn) = (end, next);
        }
        Ok(())
    }

    /// Some rows as bytes, the higher one of a pair first.
    fn bytes(&self, renderer: &Renderer<'_>, rows: Range<usize>) -> Vec<u8> {
        let rgb = self.canvas.draw(renderer, rows);
        let wide = self.settings.bits.bytes();
        let mut bytes = vec![0; wide * rgb.len()];
        const PART: usize = 1 << 15;
        bytes.par_chunks_mut(wide * PART).zip(rgb.par_chunks(PART)).for_each(
            |(out, rgb)| match self.settings.bits {
                Bits::Eight => out.iter_mut().zip(rgb).for_each(|(out, &v)| *out = byte(v)),
                Bits::Sixteen => {
                    for (out, &v) in out.chunks_exact_mut(2).zip(rgb) {
                        out.copy_from_slice(&word(v).to_be_bytes());
                    }
                }
            },
        );
        bytes
    }

    fn write_jpeg(
        &self,
        renderer: &Renderer<'_>,
        out: &mut (dyn Write + Send),
        go_on: GoOn<'_>,
    ) -> std::io::Result<()> {
        let is_stopped = Cell::new(false);
        let band = RefCell::new((0..0, Vec::new()));
        let drawn = Drawn { file: self, renderer, go_on, band, is_stopped: &is_stopped };
        let out = Stoppable { out, is_stopped: &is_stopped };
        let mut encoder = JpegEncoder::new_with_quality(out, self.settings.quality as u8);
        if let Some(dpi) = self.settings.dpi {
            encoder.set_pixel_density(PixelDensity::dpi(dpi.round() as u16));
        }
        encoder.encode_image(&drawn).map_err(|error| match error {
            image::ImageError::IoError(error) => error,
            other => Error::other(other),
        })
    }
}

fn stopped() -> Error {
    Error::other("stopped")
}

/// A picture that is drawn when the JPEG encoder asks for its rows, which it does in order, eight at a time.
struct Drawn<'a> {
    file: &'a PictureFile,
    renderer: &'a Renderer<'a>,
    go_on: GoOn<'a>,
    band: RefCell<(Range<usize>, Vec<u8>)>,
    is_stopped: &'a Cell<bool>,
}

impl GenericImageView for Drawn<'_> {
    type Pixel = Rgb<u8>;

    fn dimensions(&self) -> (u32, u32) {
        let Size { width, height } = self.file.canvas.size;
        (width as u32, height as u32)
    }

    fn get_pixel(&self, x: u32, y: u32) -> Rgb<u8> {
        let (column, row) = (x as usize, y as usize);
        let mut band = self.band.borrow_mut();
        if !band.0.contains(&row) {
            let canvas = &self.file.canvas;
            let height = canvas.band(self.renderer.links());
            let top = row - row % height;
            let rows = top..(top + height).min(canvas.size.height);
            if !self.is_stopped.get() {
                self.is_stopped.set(!(self.go_on)(top));
            }
            // What is stopped is written no further: any bytes will do.
            let bytes = match self.is_stopped.get() {
                true => vec![0; 3 * canvas.size.width * rows.len()],
                false => self.file.bytes(self.renderer, rows.clone()),
            };
            *band = (rows, bytes);
        }
        let at = 3 * ((row - band.0.start) * self.file.canvas.size.width + column);
        Rgb([band.1[at], band.1[at + 1], band.1[at + 2]])
    }
}

/// Takes nothing more once the work is stopped.
struct Stoppable<'a> {
    out: &'a mut (dyn Write + Send),
    is_stopped: &'a Cell<bool>,
}

impl Write for Stoppable<'_> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        if self.is_stopped.get() {
            return Err(stopped());
        }
        self.out.write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.out.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::network::Coords;

    /// Offsets and lengths of the strips that the head of a TIFF names, and whether it is a BigTIFF.
    fn strips(head: &[u8]) -> (Vec<u64>, Vec<u64>, bool) {
        let number = |at: usize, bytes: usize| {
            head[at..at + bytes].iter().fold(0u64, |sum, &byte| sum << 8 | u64::from(byte))
        };
        let is_big = number(2, 2) == 43;
        let (place, entry, count) = if is_big { (8, 20, 8) } else { (4, 12, 2) };
        let directory = number(if is_big { 8 } else { 4 }, place) as usize;
        let entries = number(directory, count) as usize;
        let list = |tag: u64| {
            let mut all = (0..entries).map(|i| directory + count + i * entry);
            let at = all.find(|&at| number(at, 2) == tag).unwrap();
            let size = match number(at + 2, 2) {
                3 => 2,
                4 => 4,
                16 => 8,
                other => panic!("type {other}"),
            };
            let values = number(at + 4, place) as usize;
            let begin = match values * size > place {
                true => number(at + 4 + place, place) as usize,
                false => at + 4 + place,
            };
            (0..values).map(|i| number(begin + i * size, size)).collect::<Vec<_>>()
        };
        (list(273), list(279), is_big)
    }

    #[test]
    fn the_head_of_a_tiff_names_every_byte_that_follows() {
        let file = |width, height, bits| PictureFile {
            canvas: Canvas::whole(Size { width, height }, Coords::Fer),
            format: PictureFormat::Tiff,
            settings: FileSettings { bits, dpi: Some(300.0), ..FileSettings::default() },
            texts: vec![("network", "moth".into())],
        };
        for (width, height, bits, big) in [
            (2, 2, Bits::Eight, false),
            (301, 999, Bits::Sixteen, false),
            (32_768, 32_768, Bits::Eight, false),
            (32_768, 32_768, Bits::Sixteen, true),
            (40_000, 40_000, Bits::Eight, true),
        ] {
            let head = file(width, height, bits).tiff_head();
            let (offsets, lengths, is_big) = strips(&head);
            assert_eq!(is_big, big, "{width} × {height}");
            let mut at = head.len() as u64;
            for (offset, length) in offsets.iter().zip(&lengths) {
                assert_eq!(*offset, at);
                at += length;
            }
            let pixels = (width * height * 3 * bits.bytes()) as u64;
            assert_eq!((at, offsets.len()), (head.len() as u64 + pixels, lengths.len()));
        }
    }
}
