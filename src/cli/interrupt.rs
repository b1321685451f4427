//! Ctrl-C, SIGTERM, SIGHUP or SIGUSR1 (of schedulers): every command ends within a second or two, leaves whole files, and says
//! how to go on.
//!
//! A command that keeps checkpoints says so ([`saves`]), asks now and then ([`asked`]) and ends with
//! [`Interrupted`]; if it is not that far in time, or keeps nothing before its end, the program ends
//! without it. That costs no file (all are written whole) and no more than the work since the last
//! checkpoint, as if it had been killed.

use super::output;
use crate::base::command::stop_all;
use crate::base::files::end_writes;
use crate::base::text::word_of;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, Once, PoisonError};
use std::time::{Duration, Instant};

/// Exit code after an interruption, as shells have it for Ctrl-C.
pub(super) const CODE: u8 = 130;

/// Time to reach a checkpoint.
const GRACE: Duration = Duration::from_millis(1400);

/// Time for files that are almost written, after that.
const WRITES: Duration = Duration::from_millis(300);

/// Time for the last words, which a stopped terminal does not take.
const WORDS: Duration = Duration::from_millis(200);

/// Somebody asked to stop, and what was to be kept is kept.
#[derive(Debug, thiserror::Error)]
#[error("interrupted")]
pub(super) struct Interrupted;

static ASKED: AtomicBool = AtomicBool::new(false);
static COMMAND: Mutex<Command> = Mutex::new(Command { line: Vec::new(), manner: Manner::Anew });

/// The command that is running.
struct Command {
    /// Its line, the program first.
    line: Vec<OsString>,
    manner: Manner,
}

/// How it goes on.
enum Manner {
    /// It does not: the same line begins again.
    Anew,
    /// The same line goes on.
    Same,
    /// The line with `--resume` goes on, if this exists; else the same line begins.
    Resume(PathBuf),
}

fn command() -> MutexGuard<'static, Command> {
    COMMAND.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Listens to the signals while the command of `line` runs.
pub(super) fn listen(line: &[OsString]) {
    static INSTALL: Once = Once::new();
    *command() = Command { line: line.to_vec(), manner: Manner::Anew };
    // Without a handler the signal just ends the program: files are whole all the same.
    INSTALL.call_once(|| {
        drop(ctrlc::set_handler(hear));
        #[cfg(unix)]
        {
            use signal_hook::consts::{SIGUSR1, SIGXFSZ};
            // SIGXFSZ says that a file would be longer than `ulimit -f` allows. Where it is listened to, the write fails
            // as on a full disk, and the command says so.
            if let Ok(mut signals) = signal_hook::iterator::Signals::new([SIGUSR1, SIGXFSZ]) {
                let asks = |signal: &i32| *signal == SIGUSR1;
                std::thread::spawn(move || signals.forever().filter(asks).for_each(|_| hear()));
            }
        }
    });
}

/// The work to do before the process ends without the command.
static LAST: Mutex<Option<Box<dyn Fn() + Send>>> = Mutex::new(None);

/// As [`saves`]; if the command does not reach a checkpoint in time, `last` is done before the end.
pub(super) fn saves_and(last: impl Fn() + Send + 'static) {
    saves();
    *LAST.lock().unwrap_or_else(PoisonError::into_inner) = Some(Box::new(last));
}

fn do_last() {
    if let Some(last) = &*LAST.lock().unwrap_or_else(PoisonError::into_inner) {
        last();
    }
}

/// From now on the command can be asked to stop at a checkpoint, from which the same line goes on.
pub(super) fn saves() {
    command().manner = Manner::Same;
}

/// As [`saves`]; what goes on is the line with `--resume`, once `begun` exists.
pub(super) fn saves_for_resume(begun: &Path) {
    command().manner = Manner::Resume(begun.to_path_buf());
}

/// True once somebody asked to stop.
pub(super) fn asked() -> bool {
    ASKED.load(Ordering::SeqCst)
}

/// A signal came. Other threads do what may have to wait, so that a second signal is heard.
fn hear() {
    let is_second = ASKED.swap(true, Ordering::SeqCst);
    std::thread::spawn(move || end(is_second));
}

/// Ends the process: at once, or as soon as a checkpoint could be kept.
fn end(at_once: bool) -> ! {
    let begun = Instant::now();
    // Programs that work for the command do not outlive it.
    stop_all();
    if !at_once && !matches!(command().manner, Manner::Anew) {
        std::thread::spawn(|| output::tell("stopping (Ctrl-C again to stop at once)"));
        std::thread::sleep(GRACE.saturating_sub(begun.elapsed()));
    }
    end_writes(if at_once { Duration::ZERO } else { WRITES });
    let (begun, last) = (Instant::now(), std::thread::spawn(|| (do_last(), tell())));
    while !last.is_finished() && begun.elapsed() < WORDS {
        std::thread::sleep(Duration::from_millis(1));
    }
    std::process::exit(CODE.into());
}

/// Says how to go on, once.
pub(super) fn tell() {
    static TOLD: Once = Once::new();
    TOLD.call_once(|| {
        let hint = hint(&command());
        output::tell(&hint);
    });
}

fn hint(Command { line, manner }: &Command) -> String {
    let mut line: Vec<String> = line.iter().map(|part| word_of(part)).collect();
    let says = match manner {
        Manner::Anew => "no file is half-written; again with",
        Manner::Same => "go on with",
        Manner::Resume(begun) => {
            if begun.exists() && !line.iter().any(|part| part == "--resume") {
                line.push("--resume".into());
            }
            "go on with"
        }
    };
    format!("interrupted: {says}\n  {}", line.join(" "))
}
