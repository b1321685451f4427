//! `picloom animate morph|lineage|weight|zoom`: films of networks.

use super::interrupt::{self, Interrupted};
use super::output::Output;
use super::settings::Laid;
use super::source::NetworkArgs;
use crate::base::files::{write_atomic_at, write_atomic_with};
use crate::experiment::evolution::{EvolutionError, ancestry};
use crate::figures::clip::{Clip, Film};
use crate::figures::film::{FASTEST_GIF, FilmFormat, FilmSettings};
use crate::genome::{self, Palette};
use crate::network::canvas::{Framing, Point};
use crate::network::{Coords, Size};
use clap::{Args, Subcommand};
use serde_json::json;
use std::io::{BufWriter, Write};
use std::path::PathBuf;

/// Side of a film without `--size`, in pixels.
const SIDE: usize = 512;

#[derive(Args)]
pub(super) struct AnimateArgs {
    #[command(subcommand)]
    command: AnimateCommand,
}

#[derive(Subcommand)]
enum AnimateCommand {
    /// Go from genome to genome: nodes and links of common descent stay, others fade
    Morph {
        /// Genome files (.json, .zip, .xml), two or more
        #[arg(required = true, num_args = 2..)]
        genomes: Vec<PathBuf>,
        /// Coordinate convention
        #[arg(long, default_value = "fer", value_parser = super::names::one_of::<Coords>())]
        coords: Coords,
        #[command(flatten)]
        film: FilmArgs,
    },
    /// Go from the first ancestor of a genome to itself
    Lineage {
        /// A breeding session, the folder of an evolution run, or a genome in its genomes/
        path: PathBuf,
        /// Sheet of the session [default: the one its last choice was made on]
        #[arg(long, value_name = "N")]
        sheet: Option<usize>,
        /// Place on the sheet, from 0 [default: what was chosen]
        #[arg(long, value_name = "N")]
        place: Option<usize>,
        /// Coordinate convention
        #[arg(long, default_value = "fer", value_parser = super::names::one_of::<Coords>())]
        coords: Coords,
        #[command(flatten)]
        film: FilmArgs,
    },
    /// Move one weight from a value to another
    Weight {
        #[command(flatten)]
        network: NetworkArgs,
        /// The link, by its number in `sweep` and in the studio
        #[arg(long, value_name = "N")]
        link: usize,
        /// Its first weight [default: where the picture has changed by 0.18 RMSE below its own weight]
        #[arg(long, value_name = "W", allow_hyphen_values = true)]
        from: Option<f32>,
        /// Its last weight [default: the same above]
        #[arg(long, value_name = "W", allow_hyphen_values = true)]
        to: Option<f32>,
        #[command(flatten)]
        film: FilmArgs,
    },
    /// Go nearer, or away: to --center and --zoom
    #[command(mut_arg("zoom", |arg| arg.required(true)))]
    Zoom {
        #[command(flatten)]
        network: NetworkArgs,
        /// The point in the middle at the start
        #[arg(long, value_name = "X,Y", default_value_t, allow_hyphen_values = true)]
        from_center: Point,
        /// The zoom at the start
        #[arg(long, value_name = "Z", default_value_t = 1.0, value_parser = positive)]
        from_zoom: f64,
        #[command(flatten)]
        film: FilmArgs,
    },
}

#[derive(Args)]
#[command(mut_arg("center", |arg| arg.allow_hyphen_values(true)))]
#[command(mut_arg("size", |arg| super::settings::with_default(arg, "512")))]
struct FilmArgs {
    #[command(flatten)]
    framing: Laid<Framing>,
    #[command(flatten)]
    settings: Laid<FilmSettings>,
    /// The film to write: .gif, .png (APNG), .mp4 or .webm (by ffmpeg)
    #[arg(long)]
    out: PathBuf,
}

fn positive(text: &str) -> Result<f64, String> {
    let zoom = text.parse().ok().filter(|zoom: &f64| (1e-3..=1e9).contains(zoom));
    zoom.ok_or_else(|| format!("expected a number from 0.001 to 1e9, found {text}"))
}

pub(super) fn run(args: AnimateArgs, out: &Output) -> anyhow::Result<()> {
    match args.command {
        AnimateCommand::Morph { genomes, coords, film } => {
            film.check()?;
            let read = genomes.iter().map(|path| genome::read(path));
            let genomes = read.collect::<Result<Vec<_>, _>>()?;
            film.write(Clip::along(&genomes)?, (coords, Palette::Free), out)
        }
        AnimateCommand::Lineage { path, sheet, place, coords, film } => {
            film.check()?;
            let bar = out.progress(0, "generations");
            let mut go_on = |done, of| {
                bar.set_length(of);
                bar.set_position(done);
                !interrupt::asked()
            };
            let line = ancestry(&path, (sheet, place), &mut go_on);
            bar.finish_and_clear();
            let line = match line {
                Err(EvolutionError::Stopped) => return Err(Interrupted.into()),
                line => line?,
            };
            film.write(Clip::along(&line)?, (coords, Palette::Free), out)
        }
        AnimateCommand::Weight { network, link, from, to, film } => {
            film.check()?;
            let source = network.load()?;
            let drawn = (source.coords, source.palette());
            let clip = Clip::travel(source.model, link, [from, to], source.coords);
            film.write(clip.map_err(|refusal| refusal.prefixed("--"))?, drawn, out)
        }
        AnimateCommand::Zoom { network, from_center, from_zoom, film } => {
            film.check()?;
            let source = network.load()?;
            let Framing { center, zoom, .. } = film.framing.over(&Framing::default())?;
            let views = [(from_center, from_zoom), (center, zoom)];
            let drawn = (source.coords, source.palette());
            film.write(Clip::Zoom { model: source.model, views }, drawn, out)
        }
    }
}

impl FilmArgs {
    /// Refuses a name before anything is read.
    fn check(&self) -> anyhow::Result<()> {
        FilmFormat::of(&self.out)?;
        Ok(())
    }

    /// Draws the film and writes it whole, or not at all.
    fn write(
        &self,
        clip: Clip,
        (coords, palette): (Coords, Palette),
        out: &Output,
    ) -> anyhow::Result<()> {
        let canvas =
            self.framing.over(&Framing::default())?.canvas(SIDE, coords).in_palette(palette);
        let mut settings = self.settings.over(&FilmSettings::default())?;
        let format = FilmFormat::of(&self.out)?;
        if format == FilmFormat::Gif && settings.fps > FASTEST_GIF {
            settings.fps = FASTEST_GIF;
            out.note(&format!(
                "--fps: {FASTEST_GIF} pictures a second, the most that browsers show of a GIF"
            ));
        }
        let film = Film { clip, canvas, settings, format };
        film.check().map_err(|refusal| match refusal.at.as_str() {
            "size" => refusal.prefixed("--"),
            _ => refusal,
        })?;
        let frames = film.frames();
        let bar = out.progress(frames as u64, "frames");
        let go_on = |done: usize| {
            bar.set_position(done as u64);
            !interrupt::asked()
        };
        let written = match film.format.is_video() {
            true => write_atomic_at(&self.out, |path| film.write_video(path, &go_on)),
            false => write_atomic_with(&self.out, |to| {
                let mut to = BufWriter::with_capacity(1 << 20, to);
                film.write(&mut to, &[("command", "picloom animate")], &go_on)?;
                to.flush()
            }),
        };
        bar.finish_and_clear();
        if written.is_err() && interrupt::asked() {
            return Err(Interrupted.into());
        }
        written?;
        let Size { width, height } = film.canvas.size;
        let (fps, written) = (film.settings.fps, self.out.display().to_string());
        let bytes = std::fs::metadata(&self.out)?.len();
        let text = format!(
            "{frames} frames of {width} × {height}, {:.1} s, {:.1} MB\nwrote {written}",
            frames as f64 / fps as f64,
            bytes as f64 / 1e6,
        );
        let json = json!({
            "frames": frames, "fps": fps, "width": width, "height": height, "bytes": bytes, "written": written,
        });
        out.result(&json, &text)
    }
}
