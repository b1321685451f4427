//! `picloom page`: writes the page that needs no server.

use super::output::Output;
use crate::site::{Engine, Site};
use clap::Args;
use std::path::PathBuf;

#[derive(Args)]
pub(super) struct PageArgs {
    /// One file (.html), which opens from a disk, or a folder for any web server
    #[arg(long, value_name = "FILE|DIR", default_value = "picloom.html")]
    out: PathBuf,
    /// An engine that `crates/web/build` wrote [default: the one that comes with the program]
    #[arg(long, value_name = "FILE")]
    engine: Option<PathBuf>,
}

pub(super) fn run(args: PageArgs, out: &Output) -> anyhow::Result<()> {
    let engine = args.engine.map_or_else(|| Ok(Engine::own()), |file| Engine::read(&file))?;
    let done = Site::new(engine).write(&args.out)?;
    let (page, size) = (done.page.display(), done.bytes / 1000);
    out.result(&done, &format!("{page}  ({size} kB, engine {})", done.engine))
}
