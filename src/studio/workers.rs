//! Threads for what costs time: pixels, files, scores. The thread that answers only waits for them.

use super::answer::{Answer, Rejection, attachment};
use axum::body::Body;
use axum::http::header;
use axum::response::IntoResponse;
use futures_core::Stream;
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::io::{BufWriter, Error, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use tokio::sync::Semaphore;
use tokio::sync::mpsc::{Receiver, channel};

/// True once whoever asked has left: long work asks now and then, and ends.
pub(super) type HasLeft<'a> = &'a (dyn Fn() -> bool + Sync);

/// Draws a file and writes it.
pub(super) type Draw = Box<dyn FnOnce(&mut (dyn Write + Send)) -> std::io::Result<()> + Send>;

/// A file that is sent while it is written.
pub(super) struct Saving {
    /// Its media type.
    pub media_type: &'static str,
    /// Its name.
    pub name: String,
    /// Draws and writes it.
    pub write: Draw,
}

/// A pool whose jobs end in an answer.
pub(super) struct Workers {
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
    pub(super) fn new(name: &'static str, most: usize) -> std::io::Result<Self> {
        let pool = ThreadPoolBuilder::new()
            .num_threads(rayon::current_num_threads())
            .thread_name(move |i| format!("{name}-{i}"))
            .build()
            .map_err(std::io::Error::other)?;
        Ok(Workers { pool, turns: Arc::new(Semaphore::new(most)) })
    }

    /// Runs long work on one of the threads, with the others to help, and returns its result.
    pub(super) fn run<T: Send>(
        &self,
        work: impl FnOnce() -> Result<T, String> + Send,
    ) -> Result<T, String> {
        let done = catch_unwind(AssertUnwindSafe(|| self.pool.install(work)));
        done.unwrap_or_else(|_| Err(broken().why()))
    }

    /// Runs `work` and returns its answer. A panic in it is an answer too: one request never takes
    /// the others down. It is not begun if the client has left, and can ask whether the client has
    /// left since.
    pub(super) async fn answer(
        &self,
        work: impl FnOnce(HasLeft<'_>) -> Answer + Send + 'static,
    ) -> Answer {
        let turn = self.turns.clone().acquire_owned().await.map_err(Rejection::failed)?;
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

    /// A file that is sent piece by piece while it is written on one of the threads. It is begun once `begin` has
    /// refused nothing, and given up once whoever asked has left.
    pub(super) async fn send(
        &self,
        begin: impl FnOnce() -> Result<Saving, Rejection> + Send + 'static,
    ) -> Answer {
        let turn = self.turns.clone().acquire_owned().await.map_err(Rejection::failed)?;
        let (tell, told) = tokio::sync::oneshot::channel();
        let (send, pieces) = channel(4);
        self.pool.spawn(move || {
            let _turn = turn;
            if tell.is_closed() {
                return;
            }
            let begun = catch_unwind(AssertUnwindSafe(begin)).unwrap_or_else(|_| Err(broken()));
            let Saving { media_type, name, write } = match begun {
                Ok(saving) => saving,
                Err(refusal) => return drop(tell.send(Err(refusal))),
            };
            if tell.send(Ok((media_type, name))).is_err() {
                return;
            }
            let mut out = BufWriter::with_capacity(PIECE, Sender(&send));
            let written =
                catch_unwind(AssertUnwindSafe(|| write(&mut out).and_then(|()| out.flush())));
            // The browser must not take the part for the whole.
            if !matches!(written, Ok(Ok(()))) {
                let _ = send.blocking_send(Err(Error::other("the file was not written whole")));
            }
        });
        let (media_type, name) = told.await.unwrap_or_else(|_| Err(broken()))?;
        let headers = [(header::CONTENT_TYPE, media_type), (header::CACHE_CONTROL, "no-store")];
        let body = Body::from_stream(Pieces(pieces));
        Ok(attachment((headers, body).into_response(), &name))
    }
}

/// Bytes of a piece of a file that is sent.
const PIECE: usize = 1 << 18;

/// Sends what is written to it.
struct Sender<'a>(&'a tokio::sync::mpsc::Sender<Result<Vec<u8>, Error>>);

impl Write for Sender<'_> {
    fn write(&mut self, bytes: &[u8]) -> Result<usize, Error> {
        let left = |_| Error::from(std::io::ErrorKind::BrokenPipe);
        self.0.blocking_send(Ok(bytes.to_vec())).map_err(left)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> Result<(), Error> {
        Ok(())
    }
}

/// The pieces of a file, as they come.
struct Pieces(Receiver<Result<Vec<u8>, Error>>);

impl Stream for Pieces {
    type Item = Result<Vec<u8>, Error>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.0.poll_recv(context)
    }
}

fn broken() -> Rejection {
    Rejection::failed("a fault of the program: its log says where")
}
