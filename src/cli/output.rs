//! Where results and words go.

use indicatif::{ProgressBar, ProgressStyle};
use serde::Serialize;
use std::io::Write;

/// The two ways to print.
pub struct Output {
    /// JSON on stdout, text on stderr.
    pub json: bool,
}

impl Output {
    /// Prints a result: as JSON with `--json` (the text then goes to stderr), else as the text.
    pub fn result(&self, value: &impl Serialize, text: &str) -> anyhow::Result<()> {
        let mut stdout = std::io::stdout().lock();
        if self.json {
            eprintln!("{}", text.trim_end());
            serde_json::to_writer_pretty(&mut stdout, value)?;
            writeln!(stdout)?;
        } else {
            writeln!(stdout, "{}", text.trim_end())?;
        }
        Ok(())
    }

    /// A progress bar on stderr, shown only on a terminal.
    pub fn progress(&self, total: u64, unit: &str) -> ProgressBar {
        let bar = ProgressBar::new(total);
        let style = format!("{{bar:30}} {{pos}}/{{len}} {unit}  {{msg}}  [{{elapsed}} < {{eta}}]");
        bar.set_style(ProgressStyle::with_template(&style).expect("a fixed template"));
        bar
    }
}
