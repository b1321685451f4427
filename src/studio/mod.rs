//! The local page: breed, look inside, compare, train, walk through a study.
//!
//! In: requests of a browser on this machine. Out: JSON, pictures, the page itself. What is asked for
//! lies in files below one folder (the root) and is computed by the rooms to the left. The server holds caches that can
//! be thrown away, and the trainings and scores that a page looks on at, which end with it unless they are kept. What it
//! writes is whole before it answers. Killed at any moment, it goes on from those files.
//!
//! | file | has |
//! |---|---|
//! | `server` | the listener, the routes, what every request must be |
//! | `connections` | how many connections there are, and how long each may keep the server waiting |
//! | `state` | what the server has at hand |
//! | `root` | ids ↔ paths: nothing outside the root is ever opened |
//! | `library` | what lies below the root; `builtin`: what comes with the program |
//! | `names` | what networks are called |
//! | `networks` | one network: its wiring, pictures, maps, matched changes; `thumbs`: anything, small |
//! | `sessions` | breeding |
//! | `jobs` | training, pruning, evolving in the background: one at a time |
//! | `watched` | trainings and scores that a page looks on at |
//! | `study` | a study: figures, verdicts, its networks |
//! | `opened` | files dropped on the page; `files`: things renamed, and put aside |
//! | `page` | the embedded page; `export` writes the site with an engine of its own |
//!
//! Pixels and numbers are computed on threads of their own, never on the one that answers.

mod answer;
mod builtin;
mod connections;
mod export;
mod files;
mod jobs;
mod library;
mod names;
mod networks;
mod opened;
mod page;
mod pixels;
mod root;
mod saves;
mod server;
mod sessions;
mod state;
mod study;
mod thumbs;
mod watched;
mod workers;

pub use export::{ExportError, Exported};
pub use server::bind;
pub use state::{Bred, MOST_GENES, Sessions, Slot, Studio};

/// Where breeding sessions, opened files and runs are put, as ids.
const SESSIONS: &str = "studio/sessions";
const OPENED: &str = "studio/opened";
const GENOMES: &str = "genomes";
/// Where things are put that somebody removed.
const REMOVED: &str = "studio/removed";
/// The beginning of the id of a network that a page has handed over.
const HELD: &str = "held/";
