//! `picloom studio`: serves the local page until it is stopped.

use super::interrupt::{self, Interrupted};
use super::output::Output;
use crate::studio::{Studio, bind};
use anyhow::Context;
use clap::Args;
use serde::Serialize;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::Arc;

#[derive(Args)]
pub(super) struct StudioArgs {
    /// Folder whose genomes, sessions, runs and studies are shown; what the page makes goes there too
    #[arg(default_value = ".", value_name = "FOLDER")]
    root: PathBuf,
    /// Port; the next free one if it is taken
    #[arg(long, default_value_t = 3000)]
    port: u16,
    /// Open the page in the browser
    #[arg(long)]
    open: bool,
    /// Instead of serving, write a site of chosen networks into this folder, for any web server or none: it
    /// breeds, looks inside, trains, prunes and scores in the browser
    #[arg(long, value_name = "DIR", conflicts_with_all = ["port", "open"])]
    export: Option<PathBuf>,
    /// What the site shows: paths of genomes and runs below FOLDER [default: all of its genomes/, and those
    /// that come with the program]
    #[arg(long, value_name = "ID", requires = "export", num_args = 1..)]
    ids: Vec<String>,
}

#[derive(Serialize)]
struct Serving {
    address: String,
    root: String,
}

pub(super) fn run(args: StudioArgs, out: &Output) -> anyhow::Result<()> {
    let studio = Arc::new(Studio::new(&args.root)?);
    if let Some(folder) = &args.export {
        let done = studio.export(&args.ids, folder)?;
        let text = format!(
            "{}  ({} networks, {} kB)",
            done.page.display(),
            done.networks,
            done.bytes / 1000
        );
        return out.result(&done, &text);
    }
    let listener = bind(args.port).with_context(|| format!("--port {}", args.port))?;
    let address = format!("http://127.0.0.1:{}/", listener.local_addr()?.port());
    let root = args.root.display().to_string();
    interrupt::saves();
    out.result(
        &Serving { address: address.clone(), root: root.clone() },
        &format!("{address}  (the folder {root}; Ctrl-C ends it)"),
    )?;
    if args.open {
        open(&address, out);
    }
    studio.serve(listener, interrupt::asked)?;
    Err(Interrupted.into())
}

/// Asks the system to show an address.
fn open(address: &str, out: &Output) {
    let (program, before): (&str, &[&str]) = match std::env::consts::OS {
        "macos" => ("open", &[]),
        "windows" => ("cmd", &["/c", "start", ""]),
        _ => ("xdg-open", &[]),
    };
    let mut command = Command::new(program);
    command.args(before).arg(address).stdin(Stdio::null()).stdout(Stdio::null());
    if let Err(error) = command.stderr(Stdio::null()).spawn() {
        out.note(&format!("cannot open a browser ({program}: {error}): open {address}"));
    }
}
