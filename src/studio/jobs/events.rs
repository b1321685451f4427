//! How a job goes, as server-sent events.
//!
//! The stream is made of looks at the job's state, each numbered by the last step that it told: whoever
//! connects anew is told what it has missed by the next look.

use super::job::{Job, Work};
use crate::studio::answer::Refusal;
use crate::studio::state::{MOST_STREAMS, Studio};
use axum::extract::{Path, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use futures_core::Stream;
use serde_json::{Value, json};
use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::sync::OwnedSemaphorePermit;
use tokio::sync::mpsc::{Receiver, Sender, channel};
use tokio::time::timeout;

/// Time between two looks.
const LOOK_EVERY: Duration = Duration::from_millis(150);
/// Logged steps that one look tells at most.
const MOST_AT_ONCE: usize = 400;

/// The stream of a job's events, which fills a place among all streams.
struct Told {
    events: Receiver<Event>,
    _place: OwnedSemaphorePermit,
}

impl Stream for Told {
    type Item = Result<Event, Infallible>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.events.poll_recv(context).map(|event| event.map(Ok))
    }
}

/// `/api/jobs/JOB/events`.
pub(crate) async fn events(
    State(studio): State<Arc<Studio>>,
    Path(name): Path<String>,
    headers: HeaderMap,
) -> Response {
    let job = match studio.jobs.get(&name) {
        Ok(job) => job,
        Err(refusal) => return refusal.into_response(),
    };
    let Ok(place) = studio.streams.clone().try_acquire_owned() else {
        let why = format!("expected at most {MOST_STREAMS} streams of events at once");
        return Refusal::new(StatusCode::SERVICE_UNAVAILABLE, why).into_response();
    };
    let last = headers.get("last-event-id").and_then(|id| id.to_str().ok()?.parse().ok());
    let (tell, told) = channel(16);
    tokio::spawn(look(job, last, tell));
    Sse::new(Told { events: told, _place: place }).keep_alive(KeepAlive::default()).into_response()
}

fn event(kind: &str, data: &Value) -> Event {
    Event::default().event(kind).data(data.to_string())
}

/// Looks at the job until it is over or nobody listens.
async fn look(job: Arc<Job>, last: Option<u64>, tell: Sender<Event>) {
    let mut step = last;
    let mut drawings = 0;
    let mut status = None;
    loop {
        let mut events = Vec::new();
        let is_over = {
            let state = job.state();
            if status != Some(state.status) {
                status = Some(state.status);
                events.push(event("status", &json!({ "status": state.status })));
            }
            if let Work::Evolve { .. } = job.work {
                if step != Some(state.step) {
                    step = Some(state.step);
                    let data = json!({ "done": state.step, "total": state.steps });
                    events.push(event("evolve", &data).id(state.step.to_string()));
                }
            } else {
                // A curve that begins again is told from its beginning.
                if state.curve.last().is_none_or(|end| step.is_some_and(|step| end.0 < step)) {
                    step = None;
                }
                let new: Vec<_> =
                    state.curve.iter().filter(|p| step.is_none_or(|step| p.0 > step)).collect();
                let thin = new.len().div_ceil(MOST_AT_ONCE).max(1);
                let end = new.len().saturating_sub(1);
                let told = new.iter().enumerate().filter(|(i, _)| i % thin == 0 || *i == end);
                for (i, (at, loss)) in told {
                    let r2 = state.r2.filter(|_| i == end);
                    let data = json!({ "step": at, "steps": state.steps, "loss": loss, "r2": r2 });
                    events.push(event("train", &data).id(at.to_string()));
                }
                step = new.last().map(|point| point.0).or(step);
            }
            if drawings != state.drawings {
                drawings = state.drawings;
                events.push(event("picture", &json!({ "step": state.step })));
            }
            state.status.is_over()
        };
        if is_over {
            let end = serde_json::to_value(job.shown(false)).expect("plain data");
            events.push(event("end", &end));
        }
        for event in events {
            if tell.send(event).await.is_err() {
                return;
            }
        }
        if is_over {
            return;
        }
        // Whoever listened may leave while the job waits and there is nothing to send.
        if timeout(LOOK_EVERY, tell.closed()).await.is_ok() {
            return;
        }
    }
}
