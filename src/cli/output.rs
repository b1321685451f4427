//! Where results and words go.

use anstyle::{AnsiColor, Style};
use serde::Serialize;
use std::io::Write;
use std::path::Path;

/// The ways to print.
pub struct Output {
    /// JSON on stdout, text on stderr.
    pub json: bool,
    /// Nothing on stderr but errors.
    pub quiet: bool,
}

impl Output {
    /// Prints a result: as JSON with `--json` (the text then goes to stderr), else as the text.
    pub fn result(&self, value: &impl Serialize, text: &str) -> anyhow::Result<()> {
        let mut stdout = std::io::stdout().lock();
        let text = plain(text);
        if self.json {
            self.note(text.trim_end());
            writeln!(stdout, "{}", ascii_controls(&serde_json::to_string_pretty(value)?))?;
        } else {
            writeln!(stdout, "{}", text.trim_end())?;
        }
        Ok(())
    }

    /// Says something beside the result, on stderr.
    pub(crate) fn note(&self, text: &str) {
        if !self.quiet {
            tell(&plain(text));
        }
    }
}

/// Says that a run begins where `--resume` was given with a folder that is not there: its name may be misspelled.
pub(super) fn tell_begins(folder: &Path, resume: bool, out: &Output) {
    if resume && !folder.exists() {
        out.note(&format!(
            "--resume: there is no folder {} yet, so a run begins",
            folder.display()
        ));
    }
}

/// Writes a line to stderr; nobody listening is no reason to fail.
pub(super) fn tell(text: &str) {
    let _ = writeln!(anstream::stderr().lock(), "{text}");
}

/// Writes an error to stderr.
pub(super) fn tell_error(text: &str) {
    let red: Style = AnsiColor::Red.on_default().bold();
    tell(&format!("{red}error:{red:#} {}", shortened(&plain(text))));
}

/// Whether a terminal obeys a character instead of showing it: control characters, and those that turn
/// the direction of writing.
fn is_order(c: char) -> bool {
    c.is_control() || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Text for a terminal: control characters, which names in files may hold, are written out.
pub fn plain(text: &str) -> String {
    let written = |c: char| match c {
        '\n' | '\t' => c.to_string(),
        c if is_order(c) => c.escape_default().to_string(),
        c => c.to_string(),
    };
    text.chars().map(written).collect()
}

/// JSON for a terminal: serde writes out the control characters of ASCII only.
pub fn ascii_controls(json: &str) -> String {
    let written = |c: char| match c {
        '\n' => c.to_string(),
        c if is_order(c) => format!("\\u{:04x}", c as u32),
        c => c.to_string(),
    };
    json.chars().map(written).collect()
}

/// Longest message, in characters: a file's content quoted in one can be as long as the file.
const LONGEST: usize = 1200;

/// A message with its middle left out if it is long.
pub fn shortened(text: &str) -> String {
    let count = text.chars().count();
    if count <= LONGEST {
        return text.to_string();
    }
    let (head, tail) = (LONGEST - 200, 160);
    let start: String = text.chars().take(head).collect();
    let end: String = text.chars().skip(count - tail).collect();
    format!("{start} … ({} characters left out) … {end}", count - head - tail)
}
