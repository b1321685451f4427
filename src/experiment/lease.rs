//! One worker a cell, on a folder that machines share: a lease, kept alive by its holder.
//!
//! A cell's lease is a folder of numbered files, of which the highest counts. Each is made anew by an
//! exclusive creation, so that one worker makes it and no other; no lock of the system is needed. The
//! holder changes its file every few seconds. Whoever finds a file that has not changed for six such
//! beats **of its own steady clock** takes the cell over by making the next number: no two clocks are ever
//! compared. A process of this machine that is gone is told at once.
//!
//! What the folder must promise: exclusive creation, renames that are seen whole, and that a file opened
//! anew has what was written before its writer closed it. A worker that was stopped for a minute and
//! comes back finds its file gone, or another's, and drops what it did.

use crate::math::hash::json_id;
use crate::network::files::{WriteError, create_folder};
use crate::network::process::{began, host, lives, place};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs::OpenOptions;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Time between two beats. Default of [`Leases::new`]'s argument.
pub const BEAT: Duration = Duration::from_secs(10);

/// Beats that a living holder does not miss.
const SILENT: u32 = 6;

/// Who holds a lease: what its file says.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Holder {
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
    /// Workers that died with this cell, one after the other.
    pub deaths: u32,
    /// Counts up.
    beat: u64,
}

impl Holder {
    /// The holder of the lease in `folder`, if it has one.
    pub fn of(folder: &Path) -> Option<Holder> {
        let last = *numbers(folder).ok()?.last()?;
        serde_json::from_slice(&std::fs::read(folder.join(last.to_string())).ok()?).ok()
    }

    /// True if it is certainly dead: a process of this machine that is gone.
    pub fn is_gone(&self) -> bool {
        self.place == place() && lives(self.process, self.began) == Some(false)
    }
}

/// The leases of one worker: a process, or a part of one.
#[derive(Debug)]
pub struct Leases {
    me: Holder,
    held: Arc<Mutex<BTreeMap<PathBuf, Held>>>,
    /// What others' files said, and since when.
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
pub struct Lease {
    file: PathBuf,
    token: String,
    lost: Arc<AtomicBool>,
    deaths: u32,
    held: Arc<Mutex<BTreeMap<PathBuf, Held>>>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The numbers of the files in a lease's folder, ascending; none if it is not there.
fn numbers(folder: &Path) -> std::io::Result<Vec<u64>> {
    let entries = match std::fs::read_dir(folder) {
        Err(e) if e.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries?,
    };
    let number = |name: std::ffi::OsString| name.to_str()?.parse().ok();
    let mut numbers: Vec<u64> = entries.flatten().filter_map(|e| number(e.file_name())).collect();
    numbers.sort_unstable();
    Ok(numbers)
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
            deaths: 0,
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

    /// The lease of the cell whose leases are in `folder`; none if another worker has it.
    ///
    /// # Errors
    /// Nothing can be written there: then nothing is left there either.
    pub fn take(&self, folder: &Path) -> Result<Option<Lease>, WriteError> {
        let fail = |path: &Path, source| WriteError { path: path.to_path_buf(), source };
        let list = || numbers(folder).map_err(|e| fail(folder, e));
        let last = list()?.last().copied();
        let (mut deaths, mut stale) = (0, None);
        if let Some(last) = last {
            let file = folder.join(last.to_string());
            let Some(says) = self.stale(&file) else { return Ok(None) };
            let of = serde_json::from_slice::<Holder>(&says);
            deaths = of.map_or(0, |holder| holder.deaths) + 1;
            stale = Some((file, says));
        }
        create_folder(folder)?;
        let number = last.map_or(0, |last| last + 1);
        let path = folder.join(number.to_string());
        let mut file = match OpenOptions::new().write(true).create_new(true).open(&path) {
            Ok(file) => file,
            // Somebody else made it, or has just removed the folder.
            Err(e) if matches!(e.kind(), ErrorKind::AlreadyExists | ErrorKind::NotFound) => {
                return Ok(None);
            }
            Err(e) => return Err(fail(&path, e)),
        };
        let says = Holder { deaths, ..self.me.clone() };
        let json = serde_json::to_vec(&says).expect("a holder is plain data");
        if let Err(error) = file.write_all(&json) {
            remove(&path);
            return Err(fail(&path, error));
        }
        drop(file);
        // While this one looked, others may have taken over, and ended: then what it saw is not there.
        let overtaken = |list: &[u64]| list.last() != Some(&number);
        let same = |(file, says): &(PathBuf, _)| std::fs::read(file).ok().as_ref() == Some(says);
        if overtaken(&list()?) || !stale.iter().all(same) {
            remove(&path);
            return Ok(None);
        }
        for lower in list()?.into_iter().filter(|n| *n < number) {
            let file = folder.join(lower.to_string());
            let _ = std::fs::remove_file(&file);
            lock(&self.seen).remove(&file);
        }
        let lost = Arc::new(AtomicBool::new(false));
        let held = Held { says, lost: Arc::clone(&lost), last: Instant::now() };
        lock(&self.held).insert(path.clone(), held);
        let token = self.me.token.clone();
        Ok(Some(Lease { file: path, token, lost, deaths, held: Arc::clone(&self.held) }))
    }

    /// What the file of a holder says that has died, or has not been heard of for six beats.
    fn stale(&self, file: &Path) -> Option<Vec<u8>> {
        let says = std::fs::read(file).ok()?;
        let holder = serde_json::from_slice::<Holder>(&says).ok();
        if holder.as_ref().is_some_and(Holder::is_gone) {
            return Some(says);
        }
        let every = holder.map_or(BEAT, |h| Duration::try_from_secs_f64(h.every).unwrap_or(BEAT));
        let mut seen = lock(&self.seen);
        match seen.get(file) {
            Some((before, since)) if *before == says => {
                (since.elapsed() >= every * SILENT).then_some(says)
            }
            _ => {
                seen.insert(file.to_path_buf(), (says, Instant::now()));
                None
            }
        }
    }

    /// Gives all of them back at once, for a process that ends itself.
    pub fn release_all(&self) {
        let held = std::mem::take(&mut *lock(&self.held));
        held.keys().filter(|file| !is_lost(file, &self.me.token)).for_each(|file| remove(file));
    }
}

/// Removes a lease's file, and its folder if nothing else is in it.
fn remove(file: &Path) {
    let _ = std::fs::remove_file(file);
    if let Some(folder) = file.parent() {
        let _ = std::fs::remove_dir(folder);
    }
}

/// True if the lease's file is gone, or another worker's: after it was given back, numbers begin anew.
fn is_lost(file: &Path, token: &str) -> bool {
    match std::fs::read(file) {
        Ok(says) => serde_json::from_slice(&says).is_ok_and(|holder: Holder| holder.token != token),
        Err(e) => e.kind() == ErrorKind::NotFound,
    }
}

fn beat(file: &Path, held: &mut Held, every: Duration) {
    if is_lost(file, &held.says.token) {
        held.lost.store(true, Ordering::SeqCst);
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
    pub fn is_held(&self) -> bool {
        !self.lost.load(Ordering::SeqCst)
    }

    /// [`is_held`](Self::is_held) by a look at the file.
    pub fn confirm(&self) -> bool {
        if is_lost(&self.file, &self.token) {
            self.lost.store(true, Ordering::SeqCst);
        }
        self.is_held()
    }

    /// Workers that died with this cell before, one after the other.
    pub fn deaths(&self) -> u32 {
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
        let holder = Holder { place: "far".into(), every, beat, deaths: 1, ..leases.me.clone() };
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
    fn where_nothing_can_be_written_the_cell_stays_free() {
        let work = tempfile::tempdir().unwrap();
        std::fs::write(work.path().join("leases"), "a file").unwrap();
        let error = Leases::new(BEAT).take(&work.path().join("leases/cell")).unwrap_err();
        assert!(error.to_string().contains("leases/cell: cannot write"), "{error}");
    }
}
