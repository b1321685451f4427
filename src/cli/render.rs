//! `picloom render`: what a network draws, as a picture file of any size.

use super::interrupt::{self, Interrupted};
use super::output::Output;
use super::settings::Laid;
use super::source::NetworkArgs;
use crate::base::files::write_atomic_with;
use crate::genome::Palette;
use crate::network::canvas::Framing;
use crate::network::kernel::Renderer;
use crate::network::picture_file::{FileSettings, PictureFile, PictureFormat};
use crate::network::{Coords, Model};
use clap::Args;
use serde_json::json;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

/// Options of a picture file.
#[derive(Args)]
#[command(mut_arg("center", |arg| arg.allow_hyphen_values(true)))]
pub(super) struct PictureArgs {
    #[command(flatten)]
    framing: Laid<Framing>,
    #[command(flatten)]
    settings: Laid<FileSettings>,
    /// The picture to write: .png, .jpg or .tif
    #[arg(long)]
    out: PathBuf,
}

#[derive(Args)]
pub(super) struct RenderArgs {
    #[command(flatten)]
    network: NetworkArgs,
    #[command(flatten)]
    picture: PictureArgs,
}

pub(super) fn run(args: RenderArgs, out: &Output) -> anyhow::Result<()> {
    // A wrong name is told before anything is read.
    PictureFormat::of(&args.picture.out)?;
    let source = args.network.load()?;
    let of = (source.name.as_str(), &source.model, source.coords, source.palette());
    args.picture.write(of, source.size, ("picloom render", "network"), out)
}

impl PictureArgs {
    /// Draws a network, with its name, into the file. `own` is the side without `--size`; `made_by` are the command
    /// and what it calls the network.
    pub(super) fn write(
        &self,
        (name, model, coords, palette): (&str, &Model, Coords, Palette),
        own: usize,
        made_by: (&'static str, &'static str),
        out: &Output,
    ) -> anyhow::Result<()> {
        let file = PictureFile {
            format: PictureFormat::of(&self.out)?,
            canvas: self.framing.over(&Framing::default())?.canvas(own, coords).in_palette(palette),
            settings: self.settings.over(&FileSettings::default())?,
            texts: vec![("command", made_by.0.into()), (made_by.1, name.into())],
        };
        file.check().map_err(|refusal| refusal.prefixed("--"))?;
        let bytes = write(&file, model, &self.out, out)?;
        let (size, written) = (file.canvas.size, self.out.display().to_string());
        let text = format!("{name} at {} × {}\nwrote {written}", size.width, size.height);
        let json = json!({
            "network": name, "width": size.width, "height": size.height, "bytes": bytes, "written": written,
        });
        out.result(&json, &text)
    }
}

/// Draws and writes the file whole, or not at all; its bytes.
fn write(file: &PictureFile, model: &Model, path: &Path, out: &Output) -> anyhow::Result<u64> {
    let renderer = Renderer::new(&model.network, &model.weights);
    let bar = out.progress(file.canvas.size.height as u64, "rows");
    let go_on = |rows: usize| {
        bar.set_position(rows as u64);
        !interrupt::asked()
    };
    let written = write_atomic_with(path, |to| {
        let mut to = BufWriter::with_capacity(1 << 20, to);
        file.write(&renderer, &mut to, &go_on)?;
        to.flush()
    });
    bar.finish_and_clear();
    match written {
        Err(_) if interrupt::asked() => Err(Interrupted.into()),
        written => {
            written?;
            Ok(std::fs::metadata(path)?.len())
        }
    }
}
