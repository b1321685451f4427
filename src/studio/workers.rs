//! Threads for what costs time: pixels, files, scores. The thread that answers only waits for them.

use super::answer::{Answer, Refusal};
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use tokio::sync::Semaphore;

/// True once whoever asked has left: long work asks now and then, and ends.
pub type HasLeft<'a> = &'a (dyn Fn() -> bool + Sync);

/// A pool whose jobs end in an answer.
pub struct Workers {
    pool: ThreadPool,
    /// Answers that are worked on at once. A thread that waits for others takes up more work meanwhile: without
    /// this limit it would begin every answer that is asked for before it ends one.
    turns: Arc<Semaphore>,
}

impl Workers {
    /// As many threads as the program's own pool has; they work on `most` answers at once.
    ///
    /// # Errors
    /// The system has no more threads to give.
    pub fn new(name: &'static str, most: usize) -> std::io::Result<Self> {
        let pool = ThreadPoolBuilder::new()
            .num_threads(rayon::current_num_threads())
            .thread_name(move |i| format!("{name}-{i}"))
            .build()
            .map_err(std::io::Error::other)?;
        Ok(Workers { pool, turns: Arc::new(Semaphore::new(most)) })
    }

    /// What long work comes to, done on one of the threads, with the others to help.
    pub fn run<T: Send>(
        &self,
        work: impl FnOnce() -> Result<T, String> + Send,
    ) -> Result<T, String> {
        let done = catch_unwind(AssertUnwindSafe(|| self.pool.install(work)));
        done.unwrap_or_else(|_| Err(broken().why()))
    }

    /// What `work` comes to. A panic in it is an answer too: one request never takes the others down. It is not
    /// begun if whoever asked has left, and is told when they leave.
    pub async fn answer(
        &self,
        work: impl FnOnce(HasLeft<'_>) -> Answer + Send + 'static,
    ) -> Answer {
        let turn = self.turns.clone().acquire_owned().await.map_err(Refusal::failed)?;
        let (tell, told) = tokio::sync::oneshot::channel();
        self.pool.spawn(move || {
            let has_left = || tell.is_closed();
            if has_left() {
                return;
            }
            let answer = catch_unwind(AssertUnwindSafe(|| work(&has_left)));
            drop(turn);
            let _ = tell.send(answer.unwrap_or_else(|_| Err(broken())));
        });
        told.await.unwrap_or_else(|_| Err(broken()))
    }
}

fn broken() -> Refusal {
    Refusal::failed("a fault of the program: its log says where")
}
