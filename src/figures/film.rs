//! Films as files: GIF and APNG by this program, MP4 and WebM by ffmpeg where it is installed.
//!
//! In: frames, one after another. Out: bytes. One frame is held at a time. GIF and APNG have the same bytes at any
//! thread count.

use crate::base::command::Running;
use crate::base::names::names;
use crate::base::refusal::Refusal;
use crate::base::settings::settings;
use crate::network::palette::{Rgb, common_palette, nearest};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::io::{Error, Read, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::OnceLock;

/// A format of films.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum FilmFormat {
    /// 256 colours for the whole film; plays everywhere.
    Gif,
    /// Exact; large files. Its names end in `.png`, too.
    Apng,
    /// H.264, by ffmpeg; plays everywhere.
    Mp4,
    /// VP9, by ffmpeg; for pages.
    Webm,
}

names! { FilmFormat, "film format": Gif "gif", Apng "apng", Mp4 "mp4", Webm "webm" }

impl FilmFormat {
    /// The format that the ending of a file name says.
    ///
    /// # Errors
    /// It says none of them.
    pub(crate) fn of(path: &Path) -> Result<Self, Refusal> {
        let end = path.extension().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
        match end.as_str() {
            "png" => Ok(FilmFormat::Apng),
            end => FilmFormat::ALL.iter().copied().find(|format| format.name() == end).ok_or_else(
                || {
                    let found = if end.is_empty() { "no ending".into() } else { format!(".{end}") };
                    let expected = "a film file ending in .gif, .png or .apng, .mp4 or .webm";
                    Refusal::new(path.display(), expected, found)
                },
            ),
        }
    }

    /// Its media type.
    pub(crate) fn media_type(self) -> &'static str {
        match self {
            FilmFormat::Gif => "image/gif",
            FilmFormat::Apng => "image/apng",
            FilmFormat::Mp4 => "video/mp4",
            FilmFormat::Webm => "video/webm",
        }
    }

    /// True of the formats that ffmpeg writes.
    pub(crate) fn is_video(self) -> bool {
        matches!(self, FilmFormat::Mp4 | FilmFormat::Webm)
    }

    /// The formats that can be written here.
    pub(crate) fn here() -> Vec<FilmFormat> {
        let all = FilmFormat::ALL.iter().copied();
        all.filter(|format| !format.is_video() || has_ffmpeg()).collect()
    }
}

/// True if ffmpeg can be run.
fn has_ffmpeg() -> bool {
    static FOUND: OnceLock<bool> = OnceLock::new();
    *FOUND.get_or_init(|| {
        let mut ffmpeg = Command::new("ffmpeg");
        ffmpeg.arg("-version").stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        ffmpeg.status().is_ok_and(|status| status.success())
    })
}

/// How a film goes from its start to its end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Ease {
    /// Slow at both ends: 3t² − 2t³.
    #[default]
    Smooth,
    /// At one speed.
    Linear,
}

names! { Ease, "ease": Smooth "smooth", Linear "linear" }

impl Ease {
    /// How far it is at the share `t` of the time, both in [0, 1].
    pub(crate) fn at(self, t: f64) -> f64 {
        match self {
            Ease::Smooth => t * t * (3.0 - 2.0 * t),
            Ease::Linear => t,
        }
    }
}

settings! {
    /// How a film plays.
    #[derive(Clone, Debug, PartialEq)]
    #[serde(deny_unknown_fields, default)]
    pub struct FilmSettings: flags "The film" {
        /// Pictures a second; a GIF has at most 50.
        fps: usize = 25, range: Range::between(1.0, 100.0), source: "ours";
        /// Seconds from the start to the end.
        seconds: f64 = 4.0, range: Range::between(0.04, 3600.0), source: "ours";
        /// Plays back to the start, too.
        back: bool = false;
        /// A GIF or APNG plays once and stops; else for ever.
        once: bool = false;
        /// smooth (slow at both ends) or linear.
        ease: Ease = Ease::Smooth, source: "ours";
    }
}

impl FilmSettings {
    /// The moments of the frames, from 0 to 1; with `back`, and back without doubling the turning points.
    pub(crate) fn moments(&self) -> Vec<f64> {
        let count = ((self.fps as f64 * self.seconds).round() as usize).max(2);
        let there = (0..count).map(|i| i as f64 / (count - 1) as f64);
        match self.back {
            true => there_and_back(there.collect()),
            false => there.collect(),
        }
    }
}

/// First to last and back, without doubling the turning points.
pub(crate) fn there_and_back<T: Clone>(frames: Vec<T>) -> Vec<T> {
    let mut all = frames;
    for i in (1..all.len().saturating_sub(1)).rev() {
        all.push(all[i].clone());
    }
    all
}

/// Most pictures a second of a GIF: browsers show a shorter one for a tenth of a second.
pub(crate) const FASTEST_GIF: usize = 50;

/// The size, timing and texts of a film file, before its frames.
#[derive(Clone, Debug)]
pub(crate) struct Reel {
    /// Columns.
    pub width: usize,
    /// Rows.
    pub height: usize,
    /// Frames, at least one.
    pub frames: usize,
    /// Time of a frame as a fraction of a second.
    pub delay: (u16, u16),
    /// It stops at its end.
    pub once: bool,
}

impl Reel {
    /// Refuses what the format does not have.
    ///
    /// # Errors
    /// A side that is too long, or odd in a video; ffmpeg is not there.
    pub(crate) fn check(&self, format: FilmFormat) -> Result<(), Refusal> {
        let found = || format!("{}x{}", self.width, self.height);
        if format == FilmFormat::Gif && self.width.max(self.height) > 65_535 {
            return Err(Refusal::new("size", "at most 65535 pixels a side for a GIF", found()));
        }
        let (of, second) = (usize::from(self.delay.0), usize::from(self.delay.1));
        if format == FilmFormat::Gif && of * FASTEST_GIF < second {
            let expected = format!("at most {FASTEST_GIF} pictures a second of a GIF");
            return Err(Refusal::new("fps", expected, format!("{second}/{of}")));
        }
        if !format.is_video() {
            return Ok(());
        }
        if self.width % 2 + self.height % 2 > 0 {
            let expected = format!("an even width and height for .{format}");
            return Err(Refusal::new("size", expected, found()));
        }
        if !has_ffmpeg() {
            let expected = format!("the program ffmpeg on PATH, which writes .{format}");
            return Err(Refusal::new("ffmpeg", expected, "none")
                .advising(
                    "install it (Debian: apt-get install ffmpeg), or write .gif or .png (APNG)",
                )
                .as_failure());
        }
        Ok(())
    }

    /// Writes an animated PNG of the frames that `next` gives, (height · width · 3,) bytes each. Viewers that know
    /// only PNG show the first one. `texts` are written as iTXt.
    ///
    /// # Errors
    /// `out` cannot be written to, or `next` fails.
    pub(crate) fn write_apng(
        &self,
        out: &mut (dyn Write + Send),
        texts: &[(&str, &str)],
        mut next: impl FnMut() -> std::io::Result<Vec<u8>>,
    ) -> std::io::Result<()> {
        let mut encoder = png::Encoder::new(out, self.width as u32, self.height as u32);
        encoder.set_color(png::ColorType::Rgb);
        encoder.set_depth(png::BitDepth::Eight);
        encoder.set_compression(png::Compression::Balanced);
        if self.frames > 1 {
            encoder.set_animated(self.frames as u32, u32::from(self.once))?;
            encoder.set_frame_delay(self.delay.0, self.delay.1)?;
        }
        for (keyword, text) in texts {
            encoder.add_itxt_chunk((*keyword).to_string(), (*text).to_string())?;
        }
        let mut writer = encoder.write_header()?;
        for _ in 0..self.frames {
            writer.write_image_data(&next()?)?;
        }
        Ok(writer.finish()?)
    }

    /// Writes a GIF of the frames that `next` gives in these `colours`.
    ///
    /// # Errors
    /// As for an APNG.
    pub(crate) fn write_gif(
        &self,
        out: &mut (dyn Write + Send),
        colours: &ColourTable,
        mut next: impl FnMut() -> std::io::Result<Vec<u8>>,
    ) -> std::io::Result<()> {
        let fail = |error: gif::EncodingError| match error {
            gif::EncodingError::Io(error) => error,
            other => Error::other(other),
        };
        let (width, height) = (self.width as u16, self.height as u16);
        let mut encoder =
            gif::Encoder::new(out, width, height, colours.colours.as_flattened()).map_err(fail)?;
        if !self.once {
            encoder.set_repeat(gif::Repeat::Infinite).map_err(fail)?;
        }
        let mut indices = Indices::new(colours);
        // Hundredths of a second: the rounding does not add up.
        let end = |frames: usize| {
            let (of, second) = (usize::from(self.delay.0), usize::from(self.delay.1));
            (200 * frames * of + second) / (2 * second)
        };
        for i in 0..self.frames {
            let rgb = next()?;
            let frame = gif::Frame {
                width,
                height,
                delay: (end(i + 1) - end(i)) as u16,
                dispose: gif::DisposalMethod::Keep,
                buffer: Cow::Owned(indices.of(&rgb, self.width)),
                ..gif::Frame::default()
            };
            encoder.write_frame(&frame).map_err(fail)?;
        }
        encoder.into_inner().map(drop).map_err(fail)
    }

    /// Writes a video of the frames that `next` gives, by ffmpeg, to `path`.
    ///
    /// # Errors
    /// ffmpeg cannot be run or fails, or `next` fails.
    pub(crate) fn write_video(
        &self,
        path: &Path,
        format: FilmFormat,
        mut next: impl FnMut() -> std::io::Result<Vec<u8>>,
    ) -> std::io::Result<()> {
        let size = format!("{}x{}", self.width, self.height);
        let rate = format!("{}/{}", self.delay.1, self.delay.0);
        // The colours of a screen, as players expect those of a video.
        let colours = "scale=in_range=full:out_range=tv:out_color_matrix=bt709,format=yuv420p";
        let codec: &[&str] = match format {
            FilmFormat::Webm => {
                &["-c:v", "libvpx-vp9", "-crf", "24", "-b:v", "0", "-row-mt", "1", "-f", "webm"]
            }
            _ => &[
                "-c:v",
                "libx264",
                "-crf",
                "17",
                "-preset",
                "slow",
                "-movflags",
                "+faststart",
                "-f",
                "mp4",
            ],
        };
        let mut ffmpeg = Command::new("ffmpeg");
        ffmpeg
            .args(["-nostdin", "-loglevel", "error", "-y", "-f", "rawvideo", "-pix_fmt", "rgb24"])
            .args(["-s", &size, "-r", &rate, "-i", "pipe:0", "-an", "-vf", colours])
            .args([
                "-colorspace",
                "bt709",
                "-color_primaries",
                "bt709",
                "-color_trc",
                "iec61966-2-1",
            ])
            .args(codec)
            .arg(path)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::piped());
        let running = Running::start(&mut ffmpeg)?;
        let mut running = running.ok_or_else(|| Error::other("stopped"))?;
        let mut pipe = running.child.stdin.take().expect("it is piped");
        let sent = (0..self.frames).try_for_each(|_| pipe.write_all(&next()?));
        drop(pipe);
        if let Err(error) = &sent
            && error.kind() != std::io::ErrorKind::BrokenPipe
        {
            return sent;
        }
        let mut said = String::new();
        if let Some(mut stderr) = running.child.stderr.take() {
            let _ = stderr.read_to_string(&mut said);
        }
        match running.child.wait()?.success() {
            true => sent,
            false => Err(Error::other(format!("ffmpeg failed: {}", said.trim()))),
        }
    }
}

/// The colours of a GIF.
pub(crate) struct ColourTable {
    colours: Vec<Rgb>,
    /// How far colours lie apart, about, in levels; 0: every colour is there.
    spread: f32,
}

impl ColourTable {
    /// At most 256 colours for a film of which these are some pixels, (P · 3,) bytes.
    pub(crate) fn of(rgb: &[u8]) -> Self {
        let (pixels, _) = rgb.as_chunks::<3>();
        let colours = common_palette(pixels);
        let off = |pixel: &Rgb| {
            let near = colours[usize::from(nearest(&colours, *pixel))];
            let squares =
                pixel.iter().zip(near).map(|(&a, b)| (f32::from(a) - f32::from(b)).powi(2));
            squares.sum::<f32>().sqrt()
        };
        let some: Vec<f32> = pixels.iter().step_by((pixels.len() / 4096).max(1)).map(off).collect();
        let spread = some.iter().sum::<f32>() / some.len().max(1) as f32;
        ColourTable { colours, spread }
    }
}

/// Thresholds of ordered dithering, 0 to 63, by row and column modulo 8 (Bayer 1973).
fn bayer(row: usize, column: usize) -> u8 {
    let mut value = 0;
    for bit in 0..3 {
        let (x, y) = (column >> bit & 1, row >> bit & 1);
        value |= ((x ^ y) << 1 | y) << (2 * (2 - bit));
    }
    value as u8
}

/// The indices of colours, found as they come.
struct Indices<'a> {
    palette: &'a ColourTable,
    /// By red, green and blue: the index and 1; 0: not yet looked for.
    known: Vec<u16>,
    /// By place modulo 8: what dithering adds.
    offsets: Vec<i16>,
}

impl<'a> Indices<'a> {
    fn new(palette: &'a ColourTable) -> Self {
        // Dithering of an error of the palette's size; the same in every frame, so that nothing that rests flickers.
        let offset = |i: usize| {
            let threshold = (f32::from(bayer(i / 8, i % 8)) + 0.5) / 64.0 - 0.5;
            (2.0 * palette.spread * threshold).round() as i16
        };
        Indices { palette, known: vec![0; 1 << 24], offsets: (0..64).map(offset).collect() }
    }

    /// The indices of a frame.
    fn of(&mut self, rgb: &[u8], width: usize) -> Vec<u8> {
        let (pixels, _) = rgb.as_chunks::<3>();
        let mut indices = Vec::with_capacity(pixels.len());
        for (row, line) in pixels.chunks(width).enumerate() {
            for (column, pixel) in line.iter().enumerate() {
                let offset = self.offsets[row % 8 * 8 + column % 8];
                // Without `map` of arrays: in a program built for size that is a call for each pixel.
                let dithered = |v: u8| (i16::from(v) + offset).clamp(0, 255) as u8;
                let [r, g, b] = *pixel;
                let (r, g, b) = (dithered(r), dithered(g), dithered(b));
                let place = usize::from(r) << 16 | usize::from(g) << 8 | usize::from(b);
                let known = &mut self.known[place];
                if *known == 0 {
                    *known = u16::from(nearest(&self.palette.colours, [r, g, b])) + 1;
                }
                indices.push((*known - 1) as u8);
            }
        }
        indices
    }
}
