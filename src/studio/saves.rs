//! Pictures and films to be saved: checked whole before they begin, then sent while they are drawn.
//!
//! The page asks with `check=1` first, so that a browser never begins a download that is refused.

use super::answer::{Answer, Rejection, json_of};
use super::networks::Files;
use super::root::place_of;
use super::state::Studio;
use super::workers::Saving;
use crate::figures::clip::{Clip, Film};
use crate::figures::film::{FilmFormat, FilmSettings};
use crate::genome::Genome;
use crate::network::canvas::{Framing, Point};
use crate::network::kernel::Renderer;
use crate::network::picture_file::{Bits, FileSettings, PictureFile, PictureFormat};
use crate::network::{Canvas, Coords, Model, Size, Wiring};
use crate::page::{self, NetworkRequest, PictureRequest, Shelf};
use serde::{Deserialize, Serialize};
use std::io::Write;
use std::str::FromStr;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Longest side of a picture, and most pixels of a film's frame.
const LONGEST: usize = 1 << 15;
const LARGEST_FRAME: usize = 1 << 22;
/// Non-zero links times pixels of one picture or film: a quarter of an hour of one core.
const MOST_WORK: usize = 1 << 42;
/// Links that take as long as the colour of a pixel and its place in the file, about.
const PIXEL: usize = 64;

#[derive(Serialize)]
struct Limits {
    /// Longest side of a picture, and most pixels of one, samples counted.
    side: usize,
    pixels: usize,
    /// The same of a film's frame; formats of films that can be written here.
    frame: usize,
    films: Vec<&'static str>,
}

/// `/api/saves`: how large pictures and films of a network may be.
pub(super) fn limits(studio: &Studio, asked: NetworkRequest) -> Answer {
    let loaded = studio.network(&asked)?;
    json_of(&Limits {
        side: LONGEST,
        pixels: most_pixels(&loaded.source.model).min(LONGEST * LONGEST),
        frame: LARGEST_FRAME,
        films: FilmFormat::here().into_iter().map(FilmFormat::name).collect(),
    })
}

fn most_pixels(model: &Model) -> usize {
    MOST_WORK / (model.non_zero() + PIXEL)
}

/// A request for a file: the network as in [`PictureRequest`], the file, the content of a film.
#[derive(Deserialize)]
pub(super) struct AskedFile {
    id: String,
    #[serde(default)]
    wiring: Wiring,
    #[serde(default)]
    set: String,
    #[serde(default)]
    frame: String,
    #[serde(default)]
    at: String,
    /// 1: only whether it can be had is asked.
    #[serde(default)]
    pub check: u8,
    format: Option<String>,
    /// `N` or `WIDTHxHEIGHT`.
    size: Option<String>,
    bits: Option<String>,
    #[serde(default = "one")]
    samples: usize,
    /// Of a film: a second genome, to which the first turns.
    with: Option<String>,
    /// Or the link, and its weights at both ends.
    link: Option<usize>,
    from: Option<f32>,
    to: Option<f32>,
    seconds: Option<f64>,
    #[serde(default)]
    back: u8,
}

fn one() -> usize {
    1
}

/// A word of a query.
fn read<T: FromStr<Err: ToString>>(
    key: &str,
    word: Option<&str>,
    otherwise: T,
) -> Result<T, Rejection> {
    let Some(word) = word else { return Ok(otherwise) };
    word.parse().map_err(|error: T::Err| Rejection::bad(format!("{key}: {}", error.to_string())))
}

impl AskedFile {
    fn network(&self) -> PictureRequest {
        let AskedFile { id, wiring, set, frame, at, .. } = self;
        let [id, set, frame, at] = [id, set, frame, at].map(String::clone);
        PictureRequest { id, wiring: *wiring, set, frame, at, ..PictureRequest::default() }
    }

    fn canvas(
        &self,
        network: &PictureRequest,
        own: usize,
        coords: Coords,
    ) -> Result<Canvas, Rejection> {
        let size = read("size", self.size.as_deref(), Size::square(own))?;
        if size.width.max(size.height) > LONGEST {
            let why = format!("size: expected at most {LONGEST} pixels a side, found {size}");
            return Err(Rejection::large(why));
        }
        if !(1..=8).contains(&self.samples) {
            let why = format!("samples: expected 1 to 8 a side of a pixel, found {}", self.samples);
            return Err(Rejection::bad(why));
        }
        let frame = network.frame()?;
        // The page shows a square; a picture of another shape shows more of its longer side.
        let center = Point { x: frame.x + frame.width / 2.0, y: frame.y + frame.height / 2.0 };
        let framing = Framing {
            size: Some(size),
            center,
            zoom: 2.0 / frame.width,
            supersample: self.samples,
        };
        Ok(framing.canvas(own, coords))
    }
}

/// Refuses more work than anybody waits for.
fn ensure_work(model: &Model, canvas: &Canvas, frames: usize) -> Result<(), Rejection> {
    let samples = canvas.size.pixels() * canvas.samples.pow(2);
    if samples.saturating_mul(frames) <= most_pixels(model) {
        return Ok(());
    }
    let most = (most_pixels(model) / frames / canvas.samples.pow(2)) as f64;
    Err(Rejection::large(format!(
        "size: expected at most {0} × {0} pixels for a network of {1} links, found {2} with {3} samples each; `picloom render` has no such limit",
        most.sqrt() as usize,
        model.non_zero(),
        canvas.size,
        canvas.samples.pow(2)
    )))
}

/// `/api/download`: the picture as a file.
pub(super) fn picture(studio: &Studio, asked: AskedFile) -> Result<Saving, Rejection> {
    let network = asked.network();
    let loaded = studio.network(&network.network())?;
    let source = &loaded.source;
    let format = read("format", asked.format.as_deref(), PictureFormat::Png)?;
    let settings = FileSettings {
        bits: read("bits", asked.bits.as_deref(), Bits::Eight)?,
        ..FileSettings::default()
    };
    let canvas =
        asked.canvas(&network, 1024, source.coords)?.in_palette(Files::parts(&loaded).palette);
    let model = network.model(&source.model)?;
    ensure_work(&model, &canvas, 1)?;
    let name = source.short_name();
    let texts = vec![("picloom", env!("CARGO_PKG_VERSION").into()), ("network", name.clone())];
    let file = PictureFile { canvas, format, settings, texts };
    file.check().map_err(Rejection::large)?;
    Ok(Saving {
        media_type: format.media_type(),
        name: format!("{name}-{}.{}", canvas.size, format.ending()),
        write: Box::new(move |out| {
            let renderer = Renderer::new(&model.network, &model.weights);
            file.write(&renderer, out, &|_| true)
        }),
    })
}

/// `/api/film`: the travel of a weight; without a link, of a picture on a sheet, the way from its first ancestor.
pub(super) fn film(studio: &Studio, asked: AskedFile) -> Result<Saving, Rejection> {
    let network = asked.network();
    let loaded = studio.network(&network.network())?;
    let source = &loaded.source;
    let canvas =
        asked.canvas(&network, 512, source.coords)?.in_palette(Files::parts(&loaded).palette);
    if canvas.size.pixels() > LARGEST_FRAME {
        let why = format!(
            "size: expected at most {LARGEST_FRAME} pixels of a film, found {}",
            canvas.size
        );
        return Err(Rejection::large(why));
    }
    let model = network.model(&source.model)?;
    let clip = match (asked.link, place_of(&network.id)) {
        _ if let Some(other) = &asked.with => {
            let files = &mut Files::of(studio);
            let read = |id: &str| Ok(page::genome(files, &PictureRequest::with(id, ""))?.0);
            let ends = [network.id.as_str(), other].map(read).into_iter();
            Clip::along(&ends.collect::<Result<Vec<Genome>, Rejection>>()?)
                .map_err(Rejection::bad)?
        }
        (Some(link), _) => {
            let ends = [asked.from, asked.to];
            Clip::travel(model, link, ends, source.coords).map_err(Rejection::bad)?
        }
        (None, Some((name, sheet, place))) => {
            let line = studio.session(name, |_, bred| {
                let line = bred.tree.ancestry(sheet, place).map_err(Rejection::none)?;
                Ok(line.into_iter().cloned().collect::<Vec<_>>())
            })?;
            Clip::along(&line).map_err(|_| {
                Rejection::bad(
                    "lineage: expected a picture with ancestors, found one of the first sheet",
                )
            })?
        }
        (None, None) => {
            return Err(Rejection::bad(
                "link: expected the number of a link, or a picture of a session; found neither",
            ));
        }
    };
    let mut settings = FilmSettings { back: asked.back == 1, ..FilmSettings::default() };
    let seconds = asked.seconds.unwrap_or(settings.seconds);
    if !(0.04..=120.0).contains(&seconds) {
        return Err(Rejection::bad(format!("seconds: expected 0.04 to 120, found {seconds}")));
    }
    settings.seconds = seconds;
    let format = read("format", asked.format.as_deref(), FilmFormat::Gif)?;
    let film = Film { clip, canvas, settings, format };
    ensure_work(&source.model, &canvas, film.frames())?;
    film.check().map_err(Rejection::bad)?;
    Ok(Saving {
        media_type: format.media_type(),
        name: format!("{}-{}.{format}", source.short_name(), canvas.size),
        write: Box::new(move |out| match format.is_video() {
            true => write_video(&film, out),
            false => film.write(out, &[("picloom", env!("CARGO_PKG_VERSION"))], &|_| true),
        }),
    })
}

/// ffmpeg seeks in what it writes: it is sent once it is whole.
fn write_video(film: &Film, out: &mut (dyn Write + Send)) -> std::io::Result<()> {
    static COUNT: AtomicUsize = AtomicUsize::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    let name = format!("picloom-film-{}-{count}.{}", std::process::id(), film.format);
    let path = std::env::temp_dir().join(name);
    let written = film.write_video(&path, &|_| true);
    let sent = written
        .and_then(|()| std::fs::File::open(&path))
        .and_then(|mut file| std::io::copy(&mut file, out));
    let _ = std::fs::remove_file(&path);
    sent.map(drop)
}
