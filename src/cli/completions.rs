//! `picloom completions` and `picloom man`: what shells and `man` need, from the command line itself.

use super::output::Output;
use crate::base::files::{WriteError, create_folder, write_atomic_with};
use clap::{Args, Command};
use clap_complete::Shell;
use serde_json::json;
use std::io::Write;
use std::path::{Path, PathBuf};

#[derive(Args)]
pub(super) struct CompletionsArgs {
    /// The shell
    shell: Shell,
}

#[derive(Args)]
pub(super) struct ManArgs {
    /// Folder for picloom.1, picloom-train.1, …
    #[arg(long)]
    out: PathBuf,
}

/// Prints what a shell needs to complete `command`.
pub(super) fn print(args: CompletionsArgs, mut command: Command) -> anyhow::Result<()> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut command, "picloom", &mut script);
    Ok(std::io::stdout().write_all(&script)?)
}

/// Writes a page for `command` and every command below it.
pub(super) fn write_pages(args: &ManArgs, command: Command, out: &Output) -> anyhow::Result<()> {
    create_folder(&args.out)?;
    let mut command = command.disable_help_subcommand(true);
    command.build();
    write_page(command, &args.out)?;
    let text = format!("wrote {}", args.out.join("picloom.1").display());
    out.result(
        &json!({ "written": args.out.to_string_lossy() }),
        &format!("{text} and a page for every command below it"),
    )
}

/// Writes the pages of the commands below `command`, then its own.
fn write_page(command: Command, folder: &Path) -> Result<(), WriteError> {
    for below in command.get_subcommands().filter(|below| !below.is_hide_set()) {
        write_page(below.clone(), folder)?;
    }
    let page = clap_mangen::Man::new(command);
    write_atomic_with(&folder.join(page.get_filename()), |file| page.render(file))
}
