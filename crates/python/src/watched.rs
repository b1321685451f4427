//! Long work beside a thread that listens: without the interpreter's lock, ended soon after Ctrl-C,
//! progress told by the thread that called.

use pyo3::prelude::*;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::time::Duration;

/// The work's side of the channel to its caller.
pub(crate) struct Caller<'a, News> {
    stop: &'a AtomicBool,
    news: Sender<News>,
    listens: bool,
}

impl<News> Caller<'_, News> {
    /// False once the caller wants the work to end.
    pub(crate) fn going_on(&self) -> bool {
        !self.stop.load(Ordering::Relaxed)
    }

    /// Tells how far the work is. Never waits: the caller hears the latest when it has time.
    pub(crate) fn tell(&self, news: News) {
        if self.listens {
            // An error: the caller is gone, and with it who wanted to know.
            let _ = self.news.send(news);
        }
    }
}

/// Does `work` on the threads of rayon's pool. The calling thread meanwhile hands the latest news to
/// `hear` (false: stop) and lets Python see its signals.
///
/// The work's own thread belongs to a pool of its own: two callers do not wait for each other, and
/// its parallel parts do not queue.
///
/// # Errors
/// Ctrl-C, what `hear` raised, or no threads can be started. The work has ended then.
pub(crate) fn watched<T: Send, News: Send>(
    py: Python<'_>,
    work: impl FnOnce(&Caller<News>) -> T + Send,
    mut hear: Option<impl FnMut(Python<'_>, News) -> PyResult<bool> + Send>,
) -> PyResult<T> {
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(rayon::current_num_threads())
        .build()
        .map_err(crate::errors::failed)?;
    let stop = AtomicBool::new(false);
    let (done, raised) = py.detach(|| {
        std::thread::scope(|scope| {
            let (sender, receiver) = channel();
            let (stop, pool) = (&stop, &pool);
            let caller = Caller { stop, news: sender, listens: hear.is_some() };
            // The sender goes with the work: once it is dropped, the work has ended.
            let worker = scope.spawn(move || {
                let caller = caller;
                pool.install(|| work(&caller))
            });
            let mut raised = None;
            loop {
                let news = receiver.recv_timeout(Duration::from_millis(50));
                if matches!(news, Err(RecvTimeoutError::Disconnected)) {
                    break;
                }
                if stop.load(Ordering::Relaxed) {
                    continue;
                }
                let latest = news.ok().map(|news| receiver.try_iter().last().unwrap_or(news));
                let wanted = Python::attach(|py| {
                    py.check_signals()?;
                    match (latest, &mut hear) {
                        (Some(news), Some(hear)) => hear(py, news),
                        _ => Ok(true),
                    }
                });
                match wanted {
                    Ok(true) => {}
                    Ok(false) => stop.store(true, Ordering::Relaxed),
                    Err(error) => {
                        raised = Some(error);
                        stop.store(true, Ordering::Relaxed);
                    }
                }
            }
            (worker.join(), raised)
        })
    });
    match (raised, done) {
        (Some(error), _) => Err(error),
        (None, Ok(found)) => Ok(found),
        (None, Err(panic)) => std::panic::resume_unwind(panic),
    }
}
