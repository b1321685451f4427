//! The state of the server: the root, threads, the line of jobs, and caches.

use super::jobs::job::Jobs;
use super::root::Root;
use super::workers::Workers;
use crate::base::refusal::Refusal;
use crate::evolve::Breeding;
use crate::genome::Genome;
use crate::network::Wiring;
use crate::page::Watched;
use crate::probe::View;
use crate::run::Source;
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;
use tokio::sync::Semaphore;

/// One folder, ready to be served.
pub struct Studio {
    pub(super) root: Root,
    pub(super) known: Known,
    pub(super) networks: Networks,
    pub(super) sessions: Sessions,
    pub(super) jobs: Jobs,
    pub(super) watched: Watched,
    /// For long work, so that requests never wait for it.
    pub(super) long_work: Workers,
    /// For answers.
    pub(super) requests: Workers,
    /// For large pictures to be saved, one at a time.
    pub(super) downloads: Workers,
    /// Bytes of bodies that there is room for.
    pub(super) bodies: Arc<Semaphore>,
}

impl Studio {
    /// The studio of the folder `root`.
    ///
    /// # Errors
    /// It is no folder.
    ///
    /// # Panics
    /// If the system has no threads to give.
    pub fn new(root: &Path) -> Result<Studio, Refusal> {
        let workers =
            |name, most| Workers::new(name, most).expect("threads of a process that just began");
        Ok(Studio {
            root: Root::new(root)?,
            known: Known::default(),
            networks: Networks::default(),
            sessions: Sessions::default(),
            jobs: Jobs::default(),
            watched: Watched::default(),
            long_work: workers("work", 1),
            requests: workers("studio", rayon::current_num_threads().max(4)),
            downloads: workers("save", 1),
            bodies: Arc::new(Semaphore::new(LARGEST_BODIES)),
        })
    }
}

/// Locks a mutex, even if a thread has panicked while it held it.
pub(super) fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Networks that were asked for, ready for the next request.
#[derive(Default)]
pub(super) struct Networks {
    pub loaded: Mutex<Vec<Arc<Loaded>>>,
    /// Those that a page has handed over.
    pub held: Mutex<Vec<Arc<Loaded>>>,
    pub views: Mutex<Vec<(Arc<Loaded>, Arc<View>)>>,
}

/// A network and where it was read from.
pub(super) struct Loaded {
    /// Its id.
    pub id: String,
    /// As it was asked for.
    pub wiring: Wiring,
    /// When its file was written.
    pub changed: Option<SystemTime>,
    /// The network.
    pub source: Source,
}

/// All bodies of requests that are held at once, in bytes.
const LARGEST_BODIES: usize = 64 << 20;

/// Genes of all sheets of the sessions that are kept ready together: about 200 MB.
pub const MOST_GENES: usize = 1 << 20;

/// Sessions that are open: what their files say, bred. The one that was used last comes last.
#[derive(Default)]
pub struct Sessions(Mutex<Vec<(String, Arc<Slot>)>>);

/// One of them.
#[derive(Default)]
pub struct Slot {
    /// `None` if its file is not read yet.
    pub bred: Mutex<Option<Bred>>,
    /// Genes of all its sheets.
    pub genes: AtomicUsize,
}

impl Sessions {
    /// Their names, the one that was used last at the end.
    pub fn names(&self) -> Vec<String> {
        locked(&self.0).iter().map(|(name, _)| name.clone()).collect()
    }

    /// The session of this name, as the one that is used last.
    pub fn slot(&self, name: &str) -> Arc<Slot> {
        let mut all = locked(&self.0);
        let known = all.iter().position(|(known, _)| known == name);
        let slot = known.map_or_else(Default::default, |at| all.remove(at).1);
        all.push((name.to_string(), slot.clone()));
        slot
    }

    /// Lets go of those that were not used for longest, until the others have at most [`MOST_GENES`].
    pub fn let_go(&self) {
        let mut all = locked(&self.0);
        let genes = |slot: &Slot| slot.genes.load(Ordering::Relaxed);
        let mut sum: usize = all.iter().map(|(_, slot)| genes(slot)).sum();
        let last = all.len().saturating_sub(1);
        let mut at = 0;
        all.retain(|(_, slot)| {
            // A session is never in two slots: who works with this one has it.
            let goes = sum > MOST_GENES && at < last && Arc::strong_count(slot) == 1;
            sum -= if goes { genes(slot) } else { 0 };
            at += 1;
            !goes
        });
    }
}

/// A session as it was read or last written.
pub struct Bred {
    /// Its sheets.
    pub tree: Breeding,
    /// Time and size of its file then.
    pub stamp: Option<(SystemTime, u64)>,
}

impl Bred {
    /// Genes of all its sheets.
    pub(crate) fn genes(&self) -> usize {
        let sheets = (0..=self.tree.last()).filter_map(|n| self.tree.sheet(n).ok());
        let genes = |genome: &Genome| genome.nodes().len() + genome.connections().len();
        sheets.flat_map(|sheet| sheet.genomes()).map(genes).sum()
    }
}

/// Caches of genomes, studies and the hashes of runs' networks by id, with the time and size of the
/// file that was read.
#[derive(Default)]
pub(super) struct Known {
    pub genomes: Seen<Result<FoundGenome, String>>,
    pub collections: Seen<Result<FoundCollection, String>>,
    pub studies: Seen<FoundStudy>,
    pub contents: Seen<String>,
}

type Stamp = (Option<SystemTime>, u64);

/// Things by id; `None` if the file was read and is no such thing.
pub(super) struct Seen<T>(Mutex<BTreeMap<String, (Stamp, Option<T>)>>);

impl<T> Default for Seen<T> {
    fn default() -> Self {
        Seen(Mutex::default())
    }
}

impl<T: Clone> Seen<T> {
    /// Reads the thing `id` from the file at `path`, or takes it from the cache if still current.
    pub(super) fn get(&self, id: &str, path: &Path, read: impl FnOnce() -> Option<T>) -> Option<T> {
        let data = path.metadata().ok()?;
        let stamp = (data.modified().ok(), data.len());
        let seen = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((at, found)) = seen.get(id)
            && *at == stamp
        {
            return found.clone();
        }
        drop(seen);
        let found = read();
        let mut seen = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        seen.insert(id.to_string(), (stamp, found.clone()));
        found
    }
}

/// A file of many genomes; the id of one is the file's with `#` and its name there.
#[derive(Clone, Serialize)]
pub(super) struct FoundCollection {
    pub id: String,
    pub name: String,
    /// Genomes in it.
    pub count: usize,
    /// The names of the first.
    pub ids: Vec<String>,
}

/// A genome file.
#[derive(Clone, Serialize)]
pub(super) struct FoundGenome {
    pub id: String,
    pub name: String,
    pub tags: Vec<String>,
    pub nodes: usize,
    pub links: usize,
    pub colour: bool,
    /// The breeding session it was published from, where its file says so.
    pub session: Option<String>,
    /// The search whose result it is, by id.
    pub search: Option<String>,
    /// True if it came with the program.
    pub builtin: bool,
}

/// A study, from its record.
#[derive(Clone, Serialize)]
pub(super) struct FoundStudy {
    pub id: String,
    pub name: String,
    pub question: String,
}
