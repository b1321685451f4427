//! The content of films: ways between genomes, a weight's travel, a zoom (METHODS §1) `[ours]`.
//!
//! In: networks. Out: the model and the part of the plane at each moment, and the frames of a film.

use super::film::{ColourTable, Ease, FilmFormat, FilmSettings, Reel};
use crate::base::memory;
use crate::base::real::pow;
use crate::base::refusal::Refusal;
use crate::genome::{Genome, Morph, Palette};
use crate::network::kernel::Renderer;
use crate::network::{Canvas, Coords, Model, Picture, Point, Size, Wiring};
use crate::probe::{Delta, View};
use std::borrow::Cow;
use std::io::Write;
use std::path::Path;

/// Side of the pictures on which the ends of a weight's travel are looked for.
const SEARCHED_AT: usize = 64;
/// Pixels of all small frames together, of which a GIF's colours are chosen.
const LOOKED_AT: usize = 1 << 18;

/// The content of a film.
pub(crate) enum Clip {
    /// The way from each genome to the next; all ways take the same time.
    Morph(Vec<Morph>),
    /// One network, one of whose weights goes from a value to another.
    Weight {
        /// The network.
        model: Model,
        /// The link.
        link: usize,
        /// Its weights at the start and at the end.
        weights: [f32; 2],
    },
    /// One network, seen ever nearer or from ever farther.
    Zoom {
        /// The network.
        model: Model,
        /// Middle and zoom at the start and at the end.
        views: [(Point, f64); 2],
    },
}

impl Clip {
    /// The way along these genomes.
    ///
    /// # Errors
    /// There are fewer than two, or two with different inputs.
    pub(crate) fn along(genomes: &[Genome]) -> Result<Self, Refusal> {
        Refusal::unless(genomes.len() > 1, "genomes", "at least two", genomes.len())?;
        let ways = genomes.windows(2).map(|two| Morph::new(&two[0], &two[1]));
        Ok(Clip::Morph(ways.collect::<Result<_, _>>()?))
    }

    /// The travel of a weight of `model` between the ends that are given. An end that is not given lies where the picture
    /// has changed by [`Delta::EFFECT`], the first below the network's own weight, the second above; where no change is so
    /// large, at its own weight.
    ///
    /// # Errors
    /// There is no such link, an end is not finite, or no weight of it changes the picture so much.
    pub(crate) fn travel(
        model: Model,
        link: usize,
        given: [Option<f32>; 2],
        coords: Coords,
    ) -> Result<Self, Refusal> {
        let links = model.weights.0.len();
        Refusal::unless(link < links, "link", format!("a number below {links}"), link)?;
        for (end, weight) in ["from", "to"].into_iter().zip(given) {
            let weight = weight.unwrap_or(0.0);
            Refusal::unless(weight.is_finite(), end, "a finite weight", weight)?;
        }
        let own = model.weights.0[link];
        let weights = match given {
            [Some(from), Some(to)] => [from, to],
            given => {
                let view = View::fitting(&model, SEARCHED_AT, coords)?;
                let swept = view.sweep(&[link], Delta::Effect(Delta::EFFECT), &|_| {});
                let end = |is_below: bool| {
                    let mut moved = swept.perturbations.iter().filter(|p| !p.silent);
                    let moved = moved.find(|p| (p.delta < 0.0) == is_below);
                    moved.map(|p| (f64::from(own) + p.delta) as f32)
                };
                let ends = [given[0].or(end(true)), given[1].or(end(false))];
                if ends == [None, None] {
                    let found = format!("{link}, which is silent");
                    let refusal = Refusal::new("link", "a weight that changes the picture", found);
                    return Err(refusal.advising("say both ends of its travel"));
                }
                ends.map(|end| end.unwrap_or(own))
            }
        };
        Ok(Clip::Weight { model, link, weights })
    }

    /// The way of a morph at `t` ∈ [0, 1], and the place on it. Each is eased by itself: every genome is rested at.
    fn way(ways: &[Morph], t: f64, ease: Ease) -> (&Morph, f64) {
        let place = t * ways.len() as f64;
        let way = (place as usize).min(ways.len() - 1);
        (&ways[way], ease.at(place - way as f64))
    }

    /// The palettes at `t` and how much of the second there is, where the clip and not the canvas says it.
    fn palettes(&self, t: f64, ease: Ease) -> Option<([Palette; 2], f32)> {
        let Clip::Morph(ways) = self else { return None };
        let (way, t) = Clip::way(ways, t, ease);
        Some((way.palettes(), t.clamp(0.0, 1.0) as f32))
    }

    /// The network at `t` ∈ [0, 1].
    fn model(&self, t: f64, ease: Ease) -> Cow<'_, Model> {
        match self {
            Clip::Morph(ways) => {
                let (way, t) = Clip::way(ways, t, ease);
                Cow::Owned(Model::of_genome(&way.at(t), Wiring::Graph))
            }
            Clip::Weight { model, link, weights: [from, to] } => {
                let mut model = model.clone();
                let t = ease.at(t);
                model.weights.0[*link] = ((1.0 - t) * f64::from(*from) + t * f64::from(*to)) as f32;
                Cow::Owned(model)
            }
            Clip::Zoom { model, .. } => Cow::Borrowed(model),
        }
    }

    /// The part of the plane at `t`. A zoom multiplies at an even rate, about the one point that stays where it is.
    fn canvas(&self, canvas: Canvas, t: f64, ease: Ease) -> Canvas {
        let Clip::Zoom { views: [(from, a), (to, b)], .. } = self else { return canvas };
        let t = ease.at(t);
        let zoom = pow(*a, 1.0 - t) * pow(*b, t);
        // The share of the way of the middle: that of the frame's width between both.
        let moved = match (a - b).abs() < 1e-12 {
            true => t,
            false => (1.0 / a - 1.0 / zoom) / (1.0 / a - 1.0 / b),
        };
        let between = |from: f64, to: f64| from + (to - from) * moved;
        let center = Point { x: between(from.x, to.x), y: between(from.y, to.y) };
        Canvas { center, zoom, ..canvas }
    }
}

/// A film of a clip.
pub(crate) struct Film {
    /// Its content.
    pub clip: Clip,
    /// Pixels, and the part of the plane where the clip does not say it.
    pub canvas: Canvas,
    /// How it plays.
    pub settings: FilmSettings,
    /// The format.
    pub format: FilmFormat,
}

/// Asked before every frame, with the frames that are done: false stops the work.
pub(crate) type GoOn<'a> = &'a (dyn Fn(usize) -> bool + Sync);

impl Film {
    /// Frames.
    pub(crate) fn frames(&self) -> usize {
        self.settings.moments().len()
    }

    fn reel(&self) -> Reel {
        let Size { width, height } = self.canvas.size;
        Reel {
            width,
            height,
            frames: self.frames(),
            delay: (1, self.settings.fps as u16),
            once: self.settings.once,
        }
    }

    /// Refuses what cannot be written here.
    ///
    /// # Errors
    /// As [`Reel::check`]; a frame does not fit the memory.
    pub(crate) fn check(&self) -> Result<(), Refusal> {
        self.reel().check(self.format)?;
        // As floats, as bytes, and in the encoder.
        memory::ensure("size", &[(self.canvas.size.pixels(), "pixels"), (2, "frames")], 24)?;
        self.canvas.ensure("size")
    }

    /// Draws and writes it, in order: GIF and APNG. `go_on` is asked before every frame.
    ///
    /// # Errors
    /// `out` cannot be written to, or the work is stopped.
    ///
    /// # Panics
    /// For videos: see [`write_video`](Self::write_video).
    pub(crate) fn write(
        &self,
        out: &mut (dyn Write + Send),
        texts: &[(&str, &str)],
        go_on: GoOn<'_>,
    ) -> std::io::Result<()> {
        let reel = self.reel();
        match self.format {
            FilmFormat::Apng => reel.write_apng(out, texts, self.drawn(go_on)),
            FilmFormat::Gif => reel.write_gif(out, &self.colours(), self.drawn(go_on)),
            FilmFormat::Mp4 | FilmFormat::Webm => panic!("videos are written by another program"),
        }
    }

    /// Draws it and has ffmpeg write it to `path`: MP4 and WebM.
    ///
    /// # Errors
    /// ffmpeg fails, or the work is stopped.
    pub(crate) fn write_video(&self, path: &Path, go_on: GoOn<'_>) -> std::io::Result<()> {
        self.reel().write_video(path, self.format, self.drawn(go_on))
    }

    /// Colours of the whole film, from small pictures of all its frames.
    fn colours(&self) -> ColourTable {
        let moments = self.settings.moments();
        let Size { width, height } = self.canvas.size;
        let wanted = LOOKED_AT as f64 / moments.len() as f64;
        let scale = (wanted / (width * height) as f64).sqrt().min(1.0);
        let side = |side: usize| ((side as f64 * scale) as usize).clamp(2, side);
        let size = Size { width: side(width), height: side(height) };
        let canvas = Canvas { size, samples: 1, ..self.canvas };
        let small = moments.iter().flat_map(|&t| self.frame(canvas, t));
        ColourTable::of(&small.collect::<Vec<_>>())
    }

    /// The frame at `t` on a canvas.
    fn frame(&self, canvas: Canvas, t: f64) -> Vec<u8> {
        let model = self.clip.model(t, self.settings.ease);
        let canvas = self.clip.canvas(canvas, t, self.settings.ease);
        let renderer = Renderer::new(&model.network, &model.weights);
        let Size { width, height } = canvas.size;
        let draw = |canvas: Canvas| canvas.draw(&renderer, 0..height);
        let rgb = match self.clip.palettes(t, self.settings.ease) {
            None => draw(canvas),
            Some(([from, to], _)) if from == to => draw(canvas.in_palette(from)),
            Some(([from, to], part)) => {
                let [a, b] = [from, to].map(|palette| draw(canvas.in_palette(palette)));
                a.iter().zip(b).map(|(a, b)| (1.0 - part) * a + part * b).collect()
            }
        };
        Picture { width, height, rgb }.to_bytes()
    }

    /// Draws the next frame with each call.
    fn drawn(&self, go_on: GoOn<'_>) -> impl FnMut() -> std::io::Result<Vec<u8>> {
        let mut moments = self.settings.moments().into_iter().enumerate();
        move || match moments.next() {
            Some((done, t)) if go_on(done) => Ok(self.frame(self.canvas, t)),
            _ => Err(std::io::Error::other("stopped")),
        }
    }
}
