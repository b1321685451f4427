//! Connections: how many there are at once, and how long each may keep the server waiting.
//!
//! A place is given up by whoever sends no request, no body or takes no answer in time, so that silent
//! connections never shut others out. The number of places leaves most of the files that a process may have
//! open (256 on macOS) to the work.

use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use std::io::{Error, ErrorKind, IoSlice};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::time::{Sleep, sleep};

/// Connections at once; further ones wait for a place.
const MOST_CONNECTIONS: usize = 96;
/// Time for the head of a request: from the beginning, and between two requests.
const LONGEST_HEAD: Duration = Duration::from_secs(5);
/// Time in which a browser must take some more of its answer.
const LONGEST_STALL: Duration = Duration::from_secs(30);
/// Time before the next try where the system has no connection to give.
const PAUSE: Duration = Duration::from_millis(50);

/// Answers all connections of `listener`, for ever.
pub(super) async fn serve(listener: TcpListener, routes: Router) {
    let places = Arc::new(Semaphore::new(MOST_CONNECTIONS));
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(LONGEST_HEAD);
    loop {
        let Ok(place) = places.clone().acquire_owned().await else { return };
        let Ok((stream, _)) = listener.accept().await else {
            // Too many files are open: some will be closed.
            sleep(PAUSE).await;
            continue;
        };
        // What is written is sent: no answer waits for the browser's word on the one before.
        let _ = stream.set_nodelay(true);
        let stream = TokioIo::new(Watched { stream, stalled: None });
        let connection = http.serve_connection(stream, TowerToHyperService::new(routes.clone()));
        tokio::spawn(async move {
            // A connection that breaks is its browser's affair.
            let _ = connection.await;
            drop(place);
        });
    }
}

/// A connection that fails once its other end has taken nothing for [`LONGEST_STALL`].
struct Watched {
    stream: TcpStream,
    stalled: Option<Pin<Box<Sleep>>>,
}

impl Watched {
    /// The result of a write; a failure if it has waited for too long.
    fn in_time<T>(
        &mut self,
        context: &mut Context<'_>,
        written: Poll<std::io::Result<T>>,
    ) -> Poll<std::io::Result<T>> {
        if written.is_ready() {
            self.stalled = None;
            return written;
        }
        let stalled = self.stalled.get_or_insert_with(|| Box::pin(sleep(LONGEST_STALL)));
        ready!(stalled.as_mut().poll(context));
        Poll::Ready(Err(Error::from(ErrorKind::TimedOut)))
    }
}

impl AsyncRead for Watched {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<std::io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl AsyncWrite for Watched {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<std::io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.in_time(context, written)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        parts: &[IoSlice<'_>],
    ) -> Poll<std::io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(context, parts);
        self.in_time(context, written)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<std::io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<std::io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}
