//! Threads for what costs time: pixels, files, scores. The thread that answers only waits for them.

use super::answer::{Answer, Refusal};
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// A pool whose jobs end in an answer.
pub struct Workers(ThreadPool);

impl Workers {
    /// As many threads as the program's own pool has.
    ///
    /// # Errors
    /// The system has no more threads to give.
    pub fn new(name: &'static str) -> std::io::Result<Self> {
        ThreadPoolBuilder::new()
            .num_threads(rayon::current_num_threads())
            .thread_name(move |i| format!("{name}-{i}"))
            .build()
            .map(Workers)
            .map_err(std::io::Error::other)
    }

    /// What long work comes to, done on one of the threads, with the others to help.
    pub fn run<T: Send>(
        &self,
        work: impl FnOnce() -> Result<T, String> + Send,
    ) -> Result<T, String> {
        let done = catch_unwind(AssertUnwindSafe(|| self.0.install(work)));
        done.unwrap_or_else(|_| Err(broken().why()))
    }

    /// What `work` comes to. A panic in it is an answer too: one request never takes the others down.
    pub async fn answer(&self, work: impl FnOnce() -> Answer + Send + 'static) -> Answer {
        let (tell, told) = tokio::sync::oneshot::channel();
        self.0.spawn(move || {
            let answer = catch_unwind(AssertUnwindSafe(work));
            // Whoever asked may have left.
            let _ = tell.send(answer.unwrap_or_else(|_| Err(broken())));
        });
        told.await.unwrap_or_else(|_| Err(broken()))
    }
}

fn broken() -> Refusal {
    Refusal::failed("a fault of the program: its log says where")
}
