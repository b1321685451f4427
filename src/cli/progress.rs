//! How far the work is: a bar on a terminal, elsewhere a line every ten seconds, with `--quiet`
//! neither.

use super::output::{Output, plain, tell};
use indicatif::{ProgressBar, ProgressStyle};
use std::io::IsTerminal;
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// Time between two lines where there is no terminal.
const EVERY: Duration = Duration::from_secs(10);

/// Shows how much of a total is done, on stderr.
pub struct Bar {
    bar: ProgressBar,
    unit: String,
    /// When the last line was written, where lines are.
    lines: Option<Mutex<Instant>>,
    quiet: bool,
    /// Whether the time that is left is that of units alike.
    estimates: bool,
}

impl Output {
    /// A bar on stderr, at 0 of `total`.
    pub(crate) fn progress(&self, total: u64, unit: &str) -> Bar {
        Bar::new(total, unit, self.quiet)
    }
}

impl Bar {
    /// A bar at 0 of `total` units.
    pub fn new(total: u64, unit: &str, quiet: bool) -> Self {
        let bar = if quiet { ProgressBar::hidden() } else { ProgressBar::new(0) };
        bar.set_length(total);
        let lines = !quiet && !std::io::stderr().is_terminal();
        let lines = lines.then(|| Mutex::new(Instant::now()));
        let bar = Bar { bar, unit: unit.into(), lines, quiet, estimates: true };
        bar.styled("{elapsed} < {eta}");
        bar
    }

    /// Without an estimate of its own, where units are unlike and what is said beside the bar has one.
    pub(crate) fn without_estimate(self) -> Self {
        self.styled("{elapsed}");
        Bar { estimates: false, ..self }
    }

    fn styled(&self, time: &str) {
        let style = format!("{{bar:30}} {{pos}}/{{len}} {}  {{msg}}  [{time}]", self.unit);
        self.bar.set_style(ProgressStyle::with_template(&style).expect("a fixed template"));
    }

    /// So many more are done.
    pub fn inc(&self, more: u64) {
        self.bar.inc(more);
        self.line();
    }

    /// So many are done.
    pub(crate) fn set_position(&self, done: u64) {
        self.bar.set_position(done);
        self.line();
    }

    /// There are so many in all.
    pub(crate) fn set_length(&self, total: u64) {
        self.bar.set_length(total);
    }

    /// So many of so many are done, and what is said beside the bar.
    pub(crate) fn set(&self, done: u64, total: u64, message: &str) {
        self.bar.set_length(total);
        self.bar.set_position(done);
        self.set_message(message);
    }

    /// Sets the text beside the bar.
    pub fn set_message(&self, message: impl Into<String>) {
        self.bar.set_message(plain(&message.into()));
        self.line();
    }

    /// A line that is worth a line, above the bar.
    pub(crate) fn say(&self, text: &str) {
        if !self.quiet {
            self.bar.suspend(|| tell(&plain(text)));
        }
    }

    /// Takes the bar away.
    pub(crate) fn finish_and_clear(&self) {
        self.bar.finish_and_clear();
    }

    fn line(&self) {
        let Some(lines) = &self.lines else { return };
        let mut last = lines.lock().expect("nobody panics with it");
        if last.elapsed() >= EVERY {
            *last = Instant::now();
            tell(&self.text());
        }
    }

    /// The bar as a line: `12/40 weights, loss 1e-3, 20 s, about 45 s left`.
    pub fn text(&self) -> String {
        let bar = &self.bar;
        let mut text = format!("{}/{} {}", bar.position(), bar.length().unwrap_or(0), self.unit);
        let message = bar.message();
        if !message.is_empty() {
            text += &format!(", {message}");
        }
        text += &format!(", {}", duration(bar.elapsed().as_secs_f64()));
        let left = bar.eta().as_secs_f64();
        if left > 0.0 && self.estimates {
            text += &format!(", about {} left", duration(left));
        }
        text
    }
}

/// Seconds for people: `45 s`, `1 min 30 s`, `12 min`, `3 h 20 min`.
pub fn duration(seconds: f64) -> String {
    let whole = seconds.round() as u64;
    // Below ten minutes in steps of five seconds, above in minutes.
    let (fives, minutes) = (5 * ((whole + 2) / 5), (whole + 30) / 60);
    match (whole, fives % 60) {
        (0..60, _) => format!("{whole} s"),
        (60..595, 0) => format!("{} min", fives / 60),
        (60..595, more) => format!("{} min {more} s", fives / 60),
        _ if minutes < 60 => format!("{minutes} min"),
        _ => format!("{} h {} min", minutes / 60, minutes % 60),
    }
}
