//! One worker a cell, on a folder that machines share: a lease, kept alive by its holder.
//!
//! A cell's lease is a folder of numbered files, of which the highest counts. Each is made anew by an
//! exclusive creation, so that one worker makes it and no other; no lock of the system is needed. The
//! holder changes its file every few seconds. Whoever finds a file that has not changed for six such
//! beats **of its own steady clock** takes the cell over by making the next number: no two clocks are ever
//! compared. A dead process of this machine is noticed at once.
//!
//! The folder must guarantee exclusive creation, atomic renames, and that a file opened anew has
//! what was written before its writer closed it. A worker that was stopped for a minute and comes
//! back finds its file gone, or another's, writes nothing more and drops its work.
//!
//! A lease counts the workers that died with its cell. A worker that is only stopped does not count: on this machine
//! its process is seen, and elsewhere it says so by a note in the lease's folder once it goes on.

use picloom_base::files::{WriteError, create_folder, read_plain};
use picloom_base::hash::json_id;
use picloom_base::process::{began, host, lives, place};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::{Error, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Time between two beats. Default of [`Leases::new`]'s argument.
pub const BEAT: Duration = Duration::from_secs(10);

/// Beats that a living holder does not miss.
const SILENT: u32 = 6;

/// Longest time between two beats that is believed: nobody waits for hours because a file says so.
pub const LONGEST_BEAT: Duration = Duration::from_secs(600);

/// Largest file of a lease that is read, in bytes.
const LARGEST: u64 = 1 << 16;

/// Begin of the name of the note by which a worker says that it did not die; its token follows.
const NOTE: &str = "lives-";

/// Who holds a lease: what its file says.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Holder {
    /// The machine.
    pub host: String,
    /// Number of its process.
    pub process: u32,
    /// Where the number means something.
    place: String,
    /// When the process began there.
    began: Option<u64>,
    /// No other worker has it.
    token: String,
    /// Seconds between two beats.
    every: f64,
    /// Tokens of the workers that died with this cell, one after the other.
    dead: Vec<String>,
    /// Counts up.
    beat: u64,
}

impl Holder {
    /// The holder of the lease in `folder`, if it has one.
    pub(crate) fn of(folder: &Path) -> Option<Holder> {
        let last = *numbers(folder).ok()?.last()?;
        serde_json::from_slice(&read(&folder.join(last.to_string())).ok()?).ok()
    }

    /// True if it is certainly dead: a process of this machine that is gone.
    pub(crate) fn is_gone(&self) -> bool {
        self.lives() == Some(false)
    }

    /// Whether its process lives; `None` if that cannot be seen from here.
    fn lives(&self) -> Option<bool> {
        (self.place == place()).then(|| lives(self.process, self.began)).flatten()
    }

    /// Time between two beats; `None` if the file's value is no duration, or too long.
    fn every(&self) -> Option<Duration> {
        Duration::try_from_secs_f64(self.every).ok().filter(|every| *every <= LONGEST_BEAT)
    }
}

/// Reads a lease's file.
fn read(file: &Path) -> std::io::Result<Vec<u8>> {
    read_plain(file, LARGEST)
}

/// The leases of one worker: a process, or a part of one.
#[derive(Debug)]
pub struct Leases {
    me: Holder,
    held: Arc<Mutex<BTreeMap<PathBuf, Held>>>,
    /// The last content of others' files, and the time since which they have had it.
    seen: Mutex<BTreeMap<PathBuf, (Vec<u8>, Instant)>>,
    /// Closed at the end: that ends the beats.
    _beats: Sender<()>,
}

#[derive(Debug)]
struct Held {
    says: Holder,
    lost: Arc<AtomicBool>,
    /// The last beat that was written.
    last: Instant,
}

/// A cell that no other worker works on until this is dropped.
#[derive(Debug)]
pub(crate) struct Lease {
    file: PathBuf,
    token: String,
    lost: Arc<AtomicBool>,
    deaths: usize,
    held: Arc<Mutex<BTreeMap<PathBuf, Held>>>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The numbers of the files in a lease's folder, ascending; empty if it is not there.
fn numbers(folder: &Path) -> std::io::Result<Vec<u64>> {
    let entries = match std::fs::read_dir(folder) {
        Err(e) if e.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries?,
    };
    // Written as numbers are: no `+7` and no `07`.
    let number = |name: std::ffi::OsString| {
        let number = name.to_str()?.parse().ok()?;
        (name.to_str() == Some(&u64::to_string(&number))).then_some(number)
    };
    let mut numbers: Vec<u64> = entries.flatten().filter_map(|e| number(e.file_name())).collect();
    numbers.sort_unstable();
    Ok(numbers)
}

/// The notes of workers that did not die: their tokens.
fn notes(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let token = |name: std::ffi::OsString| Some(name.to_str()?.strip_prefix(NOTE)?.to_string());
    entries.filter_map(|entry| token(entry.file_name())).collect()
}

impl Leases {
    /// None yet; those taken are kept alive `every` so often.
    pub fn new(every: Duration) -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let (process, now) = (std::process::id(), std::time::SystemTime::now());
        let me = Holder {
            host: host(),
            process,
            place: place().into(),
            began: began(process),
            token: json_id(&(place(), process, now, NEXT.fetch_add(1, Ordering::Relaxed))),
            every: every.as_secs_f64(),
            dead: Vec::new(),
            beat: 0,
        };
        let held: Arc<Mutex<BTreeMap<PathBuf, Held>>> = Arc::default();
        let (ours, (stop, stopped)) = (Arc::clone(&held), channel());
        std::thread::spawn(move || {
            while stopped.recv_timeout(every) == Err(RecvTimeoutError::Timeout) {
                lock(&ours).iter_mut().for_each(|(file, held)| beat(file, held, every));
            }
        });
        Leases { me, held, seen: Mutex::default(), _beats: stop }
    }

    /// Takes the lease of the cell whose leases are in `folder`; `None` if another worker has it.
    ///
    /// # Errors
    /// If nothing can be written there: then nothing is left there. If a file there is no lease.
    pub(crate) fn take(&self, folder: &Path) -> Result<Option<Lease>, WriteError> {
        let fail = |path: &Path, source| WriteError { path: path.to_path_buf(), source };
        let list = || numbers(folder).map_err(|e| fail(folder, e));
        let last = list()?.last().copied();
        let (mut dead, mut stale, mut withdrawn) = (Vec::new(), None, Vec::new());
        let number = match last {
            None => 0,
            Some(last) => {
                let file = folder.join(last.to_string());
                let no_lease = |source| WriteError { path: file.clone(), source };
                let next = last.checked_add(1).ok_or_else(|| no_lease(too_high()))?;
                let Some(says) = self.stale(&file).map_err(no_lease)? else { return Ok(None) };
                let of = serde_json::from_slice::<Holder>(&says).ok();
                let is_stopped = of.as_ref().is_some_and(|holder| holder.lives() == Some(true));
                let (before, token) = of.map(|of| (of.dead, of.token)).unwrap_or_default();
                withdrawn = notes(folder);
                dead = before;
                dead.extend((!is_stopped).then_some(token));
                dead.retain(|token| !withdrawn.contains(token));
                stale = Some((file, says));
                next
            }
        };
        if let Err(error) = create_folder(folder) {
            // Somebody else made it, and has just removed it.
            let is_raced = error.source.kind() == ErrorKind::AlreadyExists
                && folder.symlink_metadata().map_or(true, |there| there.is_dir());
            return if is_raced { Ok(None) } else { Err(error) };
        }
        let path = folder.join(number.to_string());
        let mut file = match OpenOptions::new().write(true).create_new(true).open(&path) {
            Ok(file) => file,
            // Somebody else made it, or has just removed the folder.
            Err(e) if matches!(e.kind(), ErrorKind::AlreadyExists | ErrorKind::NotFound) => {
                return Ok(None);
            }
            Err(e) => return Err(fail(&path, e)),
        };
        let deaths = dead.len();
        let says = Holder { dead, ..self.me.clone() };
        let json = serde_json::to_vec(&says).expect("a holder is plain data");
        if let Err(error) = file.write_all(&json) {
            remove(&path);
            return Err(fail(&path, error));
        }
        drop(file);
        // While this one looked, others may have taken over, and ended: then what it saw is not there.
        let overtaken = |list: &[u64]| list.last() != Some(&number);
        let same = |(file, says): &(PathBuf, _)| read(file).ok().as_ref() == Some(says);
        if overtaken(&list()?) || !stale.iter().all(same) {
            remove(&path);
            return Ok(None);
        }
        for lower in list()?.into_iter().filter(|n| *n < number) {
            let file = folder.join(lower.to_string());
            let _ = std::fs::remove_file(&file);
            lock(&self.seen).remove(&file);
        }
        for token in withdrawn {
            let _ = std::fs::remove_file(folder.join(format!("{NOTE}{token}")));
        }
        let lost = Arc::new(AtomicBool::new(false));
        let held = Held { says, lost: Arc::clone(&lost), last: Instant::now() };
        lock(&self.held).insert(path.clone(), held);
        let token = self.me.token.clone();
        Ok(Some(Lease { file: path, token, lost, deaths, held: Arc::clone(&self.held) }))
    }

    /// Returns the content of a holder's file if the holder has died, or was silent for six beats.
    fn stale(&self, file: &Path) -> std::io::Result<Option<Vec<u8>>> {
        let says = match read(file) {
            Ok(says) => says,
            // Given back or taken over since the folder was read.
            Err(e)
                if matches!(e.kind(), ErrorKind::NotFound | ErrorKind::StaleNetworkFileHandle) =>
            {
                return Ok(None);
            }
            Err(e) => return Err(Error::new(e.kind(), format!("expected a lease: {e}"))),
        };
        let holder = serde_json::from_slice::<Holder>(&says).ok();
        if holder.as_ref().is_some_and(Holder::is_gone) {
            return Ok(Some(says));
        }
        let every = holder.and_then(|holder| holder.every()).unwrap_or(BEAT);
        let mut seen = lock(&self.seen);
        Ok(match seen.get(file) {
            Some((before, since)) if *before == says => {
                (since.elapsed() >= every * SILENT).then_some(says)
            }
            _ => {
                seen.insert(file.to_path_buf(), (says, Instant::now()));
                None
            }
        })
    }

    /// Gives all of them back at once, for a process that ends itself.
    pub fn release_all(&self) {
        let held = std::mem::take(&mut *lock(&self.held));
        held.keys().filter(|file| !is_lost(file, &self.me.token)).for_each(|file| remove(file));
    }
}

/// Why no lease comes after the highest number.
fn too_high() -> Error {
    let text =
        "expected the number of a lease, found one that nothing comes after; remove the file";
    Error::new(ErrorKind::InvalidData, text)
}

/// Removes a lease's file, and its folder if no lease is left in it.
fn remove(file: &Path) {
    let _ = std::fs::remove_file(file);
    let Some(folder) = file.parent() else { return };
    if numbers(folder).is_ok_and(|numbers| numbers.is_empty()) {
        for token in notes(folder) {
            let _ = std::fs::remove_file(folder.join(format!("{NOTE}{token}")));
        }
        let _ = std::fs::remove_dir(folder);
    }
}

/// True if the lease's file is gone, or another worker's: after it was given back, numbers begin anew.
fn is_lost(file: &Path, token: &str) -> bool {
    match read(file) {
        Ok(says) => serde_json::from_slice(&says).is_ok_and(|holder: Holder| holder.token != token),
        Err(e) => e.kind() == ErrorKind::NotFound,
    }
}

/// Notes that the lease is lost, and tells who has the cell now that this worker did not die.
fn lose(file: &Path, token: &str, lost: &AtomicBool) {
    let Some(folder) = file.parent() else { return };
    if !lost.swap(true, Ordering::SeqCst)
        && Holder::of(folder).is_some_and(|holder| holder.dead.iter().any(|dead| dead == token))
    {
        let _ = File::create_new(folder.join(format!("{NOTE}{token}")));
    }
}

fn beat(file: &Path, held: &mut Held, every: Duration) {
    if is_lost(file, &held.says.token) {
        lose(file, &held.says.token, &held.lost);
        return;
    }
    let says = Holder { beat: held.says.beat + 1, ..held.says.clone() };
    let json = serde_json::to_vec(&says).expect("a holder is plain data");
    // Written in place and never shorter: what others read is the old, the new, or something else new.
    // A file that is gone is not made again.
    match OpenOptions::new().write(true).open(file).and_then(|mut to| to.write_all(&json)) {
        Ok(()) => (held.says, held.last) = (says, Instant::now()),
        Err(e) if e.kind() == ErrorKind::NotFound => held.lost.store(true, Ordering::SeqCst),
        Err(_) if held.last.elapsed() > every * (SILENT - 1) => {
            held.lost.store(true, Ordering::SeqCst);
        }
        Err(_) => {}
    }
}

impl Lease {
    /// False once another worker has taken over, as far as the last beat saw.
    pub(crate) fn is_held(&self) -> bool {
        !self.lost.load(Ordering::SeqCst)
    }

    /// [`is_held`](Self::is_held) by a look at the file.
    pub(crate) fn confirm(&self) -> bool {
        if is_lost(&self.file, &self.token) {
            lose(&self.file, &self.token, &self.lost);
        }
        self.is_held()
    }

    /// Workers that died with this cell before, one after the other.
    pub(crate) fn deaths(&self) -> usize {
        self.deaths
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        if lock(&self.held).remove(&self.file).is_some() && self.confirm() {
            remove(&self.file);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Files of a worker elsewhere, of whose process nothing is known here.
    fn elsewhere(folder: &Path, number: u64, beat: u64, every: f64) {
        let leases = Leases::new(BEAT);
        let dead = vec!["before".into()];
        let holder = Holder { place: "far".into(), every, beat, dead, ..leases.me.clone() };
        std::fs::create_dir_all(folder).unwrap();
        let json = serde_json::to_vec(&holder).unwrap();
        std::fs::write(folder.join(number.to_string()), json).unwrap();
    }

    fn sleep(seconds: f64) {
        std::thread::sleep(Duration::from_secs_f64(seconds));
    }

    #[test]
    fn a_cell_is_one_workers_until_it_is_given_back_and_leaves_nothing() {
        let work = tempfile::tempdir().unwrap();
        let cell = work.path().join("leases/cell");
        let [a, b] = [(); 2].map(|()| Leases::new(BEAT));
        let held = a.take(&cell).unwrap().expect("nobody has it");
        assert!(b.take(&cell).unwrap().is_none() && a.take(&cell).unwrap().is_none());
        assert_eq!(Holder::of(&cell).unwrap().process, std::process::id());
        drop(held);
        assert!(!cell.exists());
        let _held = b.take(&cell).unwrap().expect("given back");
        b.release_all();
        assert!(a.take(&cell).unwrap().is_some(), "given back at once");
    }

    #[test]
    fn who_asks_while_another_gives_back_gets_it_or_not() {
        let work = tempfile::tempdir().unwrap();
        let cell = work.path().join("leases/cell");
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    let leases = Leases::new(BEAT);
                    for _ in 0..20_000 {
                        drop(leases.take(&cell).expect("no error"));
                    }
                });
            }
        });
    }

    #[test]
    fn of_many_workers_that_ask_at_once_one_gets_it() {
        let work = tempfile::tempdir().unwrap();
        for round in 0..30 {
            let cell = work.path().join(round.to_string());
            // Half of the rounds take a dead worker's cell over.
            if round % 2 == 1 {
                elsewhere(&cell, 3, 0, 1e-9);
            }
            let gate = std::sync::Barrier::new(8);
            let took: Vec<Option<Lease>> = std::thread::scope(|scope| {
                let ask = || {
                    let leases = Leases::new(BEAT);
                    let first = leases.take(&cell).unwrap();
                    gate.wait();
                    first.or_else(|| leases.take(&cell).unwrap())
                };
                let workers: Vec<_> = (0..8).map(|_| scope.spawn(ask)).collect();
                workers.into_iter().map(|worker| worker.join().unwrap()).collect()
            });
            assert_eq!(took.iter().flatten().filter(|lease| lease.confirm()).count(), 1);
        }
    }

    #[test]
    fn a_holder_that_is_silent_for_six_beats_loses_the_cell_and_one_that_beats_does_not() {
        let work = tempfile::tempdir().unwrap();
        let cell = work.path().join("cell");
        let leases = Leases::new(BEAT);
        elsewhere(&cell, 7, 0, 0.05);
        assert!(leases.take(&cell).unwrap().is_none());
        sleep(0.2);
        // Heard of in time: the wait begins anew, whatever any clock says.
        elsewhere(&cell, 7, 1, 0.05);
        assert!(leases.take(&cell).unwrap().is_none());
        sleep(0.2);
        assert!(leases.take(&cell).unwrap().is_none());
        sleep(0.2);
        let lease = leases.take(&cell).unwrap().expect("silent for 0.3 s");
        assert_eq!((lease.deaths(), numbers(&cell).unwrap()), (2, vec![8]));
    }

    #[test]
    fn a_clock_that_jumps_does_not_break_a_lease() {
        let work = tempfile::tempdir().unwrap();
        let cell = work.path().join("cell");
        let [a, b] = [(); 2].map(|()| Leases::new(Duration::from_millis(20)));
        let lease = a.take(&cell).unwrap().unwrap();
        let file = std::fs::File::options().write(true).open(&lease.file).unwrap();
        for years in [-50i64, 50] {
            let then = std::time::UNIX_EPOCH + Duration::from_secs(1_800_000_000);
            let jump = Duration::from_secs(years.unsigned_abs() * 31_556_952);
            file.set_modified(if years < 0 { then - jump } else { then + jump }).unwrap();
            for _ in 0..10 {
                assert!(b.take(&cell).unwrap().is_none());
                sleep(0.02);
            }
        }
        assert!(lease.confirm());
    }

    #[test]
    fn a_holder_that_was_stopped_and_overtaken_notices_and_leaves_the_others_file_alone() {
        let work = tempfile::tempdir().unwrap();
        let cell = work.path().join("cell");
        let a = Leases::new(Duration::from_millis(20));
        let lease = a.take(&cell).unwrap().unwrap();
        std::fs::remove_file(&lease.file).unwrap();
        elsewhere(&cell, 1, 0, 10.0);
        sleep(0.2);
        assert!(!lease.is_held());
        drop(lease);
        assert_eq!(numbers(&cell).unwrap(), [1]);
    }

    #[test]
    fn a_holder_that_was_stopped_notices_whose_file_has_its_number_now() {
        let work = tempfile::tempdir().unwrap();
        let cell = work.path().join("cell");
        let a = Leases::new(Duration::from_millis(20));
        let lease = a.take(&cell).unwrap().unwrap();
        // Overtaken, given back, taken again: numbers have begun anew.
        elsewhere(&cell, 0, 0, 10.0);
        let says = std::fs::read(&lease.file).unwrap();
        sleep(0.2);
        assert!(!lease.is_held());
        a.release_all();
        drop(lease);
        assert_eq!(std::fs::read(cell.join("0")).unwrap(), says);
    }

    #[test]
    fn who_took_a_dead_workers_cell_and_ended_is_not_taken_for_the_dead_one() {
        let work = tempfile::tempdir().unwrap();
        let cell = work.path().join("cell");
        let leases = Leases::new(BEAT);
        elsewhere(&cell, 0, 0, 1e-9);
        assert!(leases.take(&cell).unwrap().is_none(), "seen once");
        // Between the look and the lease: another took over, ended, and a third began at 0.
        elsewhere(&cell, 0, 5, 10.0);
        assert!(leases.take(&cell).unwrap().is_none());
        assert_eq!(numbers(&cell).unwrap(), [0]);
    }

    #[test]
    fn a_worker_that_was_stopped_did_not_die() {
        let work = tempfile::tempdir().unwrap();
        let cell = work.path().join("cell");
        let every = Duration::from_millis(20);
        let take = |leases: &Leases| {
            assert!(leases.take(&cell).unwrap().is_none(), "seen once");
            sleep(0.2);
            leases.take(&cell).unwrap().expect("silent for ten beats")
        };
        // The holder's process is this one: it lives, whatever its lease says.
        let here =
            Holder { dead: vec!["before".into()], every: 0.02, ..Leases::new(BEAT).me.clone() };
        std::fs::create_dir_all(&cell).unwrap();
        std::fs::write(cell.join("3"), serde_json::to_vec(&here).unwrap()).unwrap();
        let [b, c] = [(); 2].map(|()| Leases::new(every));
        assert_eq!(take(&b).deaths(), 1);
        assert!(!cell.exists());

        // Of one elsewhere nothing is known, until it goes on and says so.
        let a = Leases::new(every);
        elsewhere(&cell, 3, 0, 0.02);
        let second = take(&b);
        assert_eq!(second.deaths(), 2);
        let lost = AtomicBool::new(false);
        let token = Holder::of(&cell).unwrap().dead[1].clone();
        lose(&cell.join("3"), &token, &lost);
        assert_eq!(notes(&cell), [token]);
        std::fs::remove_file(&second.file).unwrap();
        let silent =
            Holder { place: "far".into(), every: 0.02, ..lock(&b.held)[&second.file].says.clone() };
        std::fs::write(cell.join("7"), serde_json::to_vec(&silent).unwrap()).unwrap();
        let third = take(&c);
        assert_eq!(third.deaths(), 2, "one before, and the second");
        assert!(notes(&cell).is_empty() && third.confirm() && !second.confirm());
        drop((third, a));
        assert!(!cell.exists());
    }

    #[test]
    fn what_is_no_lease_is_refused_or_waited_for_as_any_other() {
        let work = tempfile::tempdir().unwrap();
        let cell = work.path().join("cell");
        let leases = Leases::new(BEAT);
        elsewhere(&cell, u64::MAX, 0, 0.0);
        let error = leases.take(&cell).unwrap_err().to_string();
        assert!(
            error.contains("18446744073709551615") && error.contains("remove the file"),
            "{error}"
        );
        std::fs::remove_dir_all(&cell).unwrap();
        for every in [4e18, f64::MAX, -1.0] {
            elsewhere(&cell, 0, 0, every);
            assert!(leases.take(&cell).unwrap().is_none(), "{every}");
            assert!(leases.take(&cell).unwrap().is_none(), "{every}");
            assert_eq!(Holder::of(&cell).unwrap().every(), None, "{every}");
        }
        // No lease has such a name.
        std::fs::rename(cell.join("0"), cell.join("07")).unwrap();
        assert!(leases.take(&cell).unwrap().is_some());
        std::fs::create_dir_all(cell.join("5")).unwrap();
        let error = leases.take(&cell).unwrap_err().to_string();
        assert!(error.contains("cell/5") && error.contains("expected a lease"), "{error}");
    }

    #[test]
    fn where_nothing_can_be_written_the_cell_stays_free() {
        let work = tempfile::tempdir().unwrap();
        std::fs::write(work.path().join("leases"), "a file").unwrap();
        let error = Leases::new(BEAT).take(&work.path().join("leases/cell")).unwrap_err();
        assert!(error.to_string().contains("leases/cell: cannot write"), "{error}");
    }
}
