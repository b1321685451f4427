//! The listener, the routes, and what every request must be.

use super::answer::{Answer, Rejection, json_of};
use super::connections;
use super::files;
use super::jobs;
use super::library;
use super::networks;
use super::opened;
use super::page;
use super::saves::{self, AskedFile};
use super::sessions;
use super::state::Studio;
use super::study;
use super::thumbs;
use super::watched;
use super::workers::{HasLeft, Saving};
use crate::page::Way;
use axum::Router;
use axum::body::{Bytes, to_bytes};
use axum::extract::{Path as Named, Query, Request, State};
use axum::http::{HeaderMap, HeaderName, Method, StatusCode, Uri, header};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::{MethodRouter, get, post};
use serde::de::DeserializeOwned;
use std::net::{Ipv4Addr, TcpListener};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::OwnedSemaphorePermit;
use tokio::time::timeout;

/// Largest JSON document and largest file that is taken, in bytes.
const LARGEST_JSON: usize = 1 << 20;
const LARGEST_FILE: usize = 16 << 20;
/// Time for a body to come whole, and to wait until there is room for it.
const LONGEST_BODY: Duration = Duration::from_secs(30);

/// Nothing from elsewhere: the page's own scripts, styles and pictures, and no frame around it.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; \
    connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// The first free port of the loopback interface at or above `port`.
///
/// # Errors
/// None of the next hundred is free.
pub fn bind(port: u16) -> std::io::Result<TcpListener> {
    let last = port.saturating_add(100);
    let free = |port| TcpListener::bind((Ipv4Addr::LOCALHOST, port));
    (port..last).find_map(|port| free(port).ok()).map_or_else(|| free(last), Ok)
}

impl Studio {
    /// Answers on `listener` until `stopped` says so, which is asked now and then; work under way is
    /// stopped at its next checkpoint.
    ///
    /// # Errors
    /// The listener fails.
    pub fn serve(
        self: Arc<Self>,
        listener: TcpListener,
        stopped: impl Fn() -> bool,
    ) -> std::io::Result<()> {
        listener.set_nonblocking(true)?;
        let port = listener.local_addr()?.port();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        runtime.block_on(async {
            let listener = tokio::net::TcpListener::from_std(listener)?;
            jobs::found(&self);
            tokio::spawn(connections::serve(listener, self.clone().routes(port)));
            let studio = self.clone();
            let work = std::thread::spawn(move || jobs::work(&studio));
            while !stopped() {
                tokio::time::sleep(LOOK_EVERY).await;
            }
            self.jobs.end();
            while !work.is_finished() {
                tokio::time::sleep(LOOK_EVERY).await;
            }
            Ok(())
        })
    }

    fn routes(self: Arc<Self>, port: u16) -> Router {
        let names = ["127.0.0.1", "localhost", "[::1]"];
        let mut hosts = names.map(|host| format!("{host}:{port}")).to_vec();
        if port == 80 {
            // Who asks leaves the usual port out.
            hosts.extend(names.map(String::from));
        }
        Router::new()
            .route("/api/library", asked(|studio, asked, _| library::library(studio, asked)))
            .route("/api/thumb", asked(|studio, asked, _| thumbs::thumb(studio, asked)))
            .route("/api/network", asked(networks::network))
            .route("/api/picture", asked(networks::picture))
            .route("/api/maps", asked(networks::maps))
            .route("/api/matched", asked(networks::matched))
            .route("/api/ranked", asked(networks::ranked))
            .route("/api/genome", asked(|studio, asked, _| networks::genome(studio, asked)))
            .route("/api/saves", asked(|studio, asked, _| saves::limits(studio, asked)))
            .route("/api/download", saved(saves::picture))
            .route("/api/film", saved(saves::film))
            .route("/api/publish", told(sessions::publish_genome))
            .route("/api/rename", told(files::rename))
            .route("/api/remove", told(files::remove))
            .route("/api/choices", asked(|studio, asked, _| jobs::choices(studio, asked)))
            .route("/api/open", post(open))
            .route("/api/sessions", told(sessions::begin))
            .route("/api/sessions/{name}", asked_of(sessions::show))
            .route("/api/sessions/{name}/sheet", asked_of(sessions::sheet))
            .route("/api/sessions/{name}/genome", asked_of(sessions::genome))
            .route("/api/sessions/{name}/picture", asked_of(sessions::picture))
            .route("/api/sessions/{name}/breed", told_of(sessions::breed))
            .route("/api/sessions/{name}/foresee", told_of(sessions::foresee))
            .route(
                "/api/sessions/{name}/undo",
                told_of(|studio, name, way| sessions::go(studio, name, Way::Back, way)),
            )
            .route(
                "/api/sessions/{name}/redo",
                told_of(|studio, name, way| sessions::go(studio, name, Way::On, way)),
            )
            .route(
                "/api/sessions/{name}/goto",
                told_of(|studio, name, way| sessions::go(studio, name, Way::To, way)),
            )
            .route("/api/sessions/{name}/publish", told_of(sessions::publish))
            .route(
                "/api/jobs",
                asked(|studio, asked, _| jobs::list(studio, asked)).merge(told(jobs::begin)),
            )
            .route("/api/jobs/{name}", asked_of(jobs::show))
            .route("/api/jobs/{name}/stop", told_of(jobs::stop))
            .route("/api/jobs/{name}/resume", told_of(jobs::resume))
            .route("/api/watched/{ask}", post(watch))
            .route("/api/score", asked(|studio, asked, _| jobs::score(studio, asked)))
            .route("/api/study", asked(|studio, asked, _| study::study(studio, asked)))
            .route("/api/study/figure", asked(|studio, asked, _| study::figure(studio, asked)))
            .fallback(page_or_nothing)
            .layer(from_fn_with_state(Arc::new(hosts), guarded))
            .with_state(self)
    }
}

/// Time between two questions whether to stop.
const LOOK_EVERY: Duration = Duration::from_millis(50);

/// Parses a query.
fn query_of<Q: DeserializeOwned>(uri: &Uri) -> Result<Q, Rejection> {
    let query = Query::try_from_uri(uri).map_err(|e| Rejection::bad(e.body_text()))?;
    Ok(query.0)
}

/// A body, and the room that it takes of what all bodies may take together, until it is dropped.
struct Body {
    bytes: Bytes,
    _room: OwnedSemaphorePermit,
}

/// The body of a request, of at most `largest` bytes.
async fn body_of(studio: &Studio, request: Request, largest: usize) -> Result<Body, Rejection> {
    let why = || Rejection::large(format!("body: expected at most {largest} bytes, found more"));
    let said = request.headers().get(header::CONTENT_LENGTH).and_then(|n| n.to_str().ok());
    let said = said.and_then(|n| n.parse().ok()).unwrap_or(largest);
    if said > largest {
        return Err(why());
    }
    let read = async {
        let room = studio.bodies.clone().acquire_many_owned(said as u32);
        let room = room.await.map_err(Rejection::failed)?;
        let bytes = to_bytes(request.into_body(), largest).await.map_err(|_| why())?;
        Ok(Body { bytes, _room: room })
    };
    timeout(LONGEST_BODY, read).await.unwrap_or_else(|_| {
        let seconds = LONGEST_BODY.as_secs();
        let why = format!("body: expected all of it within {seconds} s, found less");
        Err(Rejection::new(StatusCode::REQUEST_TIMEOUT, why))
    })
}

/// Parses a JSON body.
fn said<B: DeserializeOwned>(body: &Body) -> Result<B, Rejection> {
    serde_json::from_slice(&body.bytes).map_err(|e| {
        Rejection::bad(format!("body: expected JSON of this address, found other text: {e}"))
    })
}

/// A GET whose answer is computed from its query, and given up when whoever asked leaves.
fn asked<Q>(answer: fn(&Studio, Q, HasLeft<'_>) -> Answer) -> MethodRouter<Arc<Studio>>
where
    Q: DeserializeOwned + Send + 'static,
{
    get(move |State(studio): State<Arc<Studio>>, uri: Uri| async move {
        let query = query_of(&uri)?;
        let own = studio.clone();
        studio.requests.answer(move |has_left| answer(&own, query, has_left)).await
    })
}

/// A file that is sent while it is drawn, on threads of its own: nobody else waits for it.
fn saved(answer: fn(&Studio, AskedFile) -> Result<Saving, Rejection>) -> MethodRouter<Arc<Studio>> {
    get(move |State(studio): State<Arc<Studio>>, uri: Uri| async move {
        let query: AskedFile = query_of(&uri)?;
        let own = studio.clone();
        match query.check {
            // It does not wait for the files that are written.
            1 => {
                studio
                    .requests
                    .answer(move |_| answer(&own, query).and_then(|_| json_of(&())))
                    .await
            }
            _ => studio.downloads.send(move || answer(&own, query)).await,
        }
    })
}

/// A GET of the thing that the path names.
fn asked_of<Q>(answer: fn(&Studio, &str, Q) -> Answer) -> MethodRouter<Arc<Studio>>
where
    Q: DeserializeOwned + Send + 'static,
{
    get(move |State(studio): State<Arc<Studio>>, Named(name): Named<String>, uri: Uri| async move {
        let query = query_of(&uri)?;
        let own = studio.clone();
        studio.requests.answer(move |_| answer(&own, &name, query)).await
    })
}

/// A POST whose answer follows from its body.
fn told<B>(answer: fn(&Studio, B) -> Answer) -> MethodRouter<Arc<Studio>>
where
    B: DeserializeOwned + Send + 'static,
{
    post(move |State(studio): State<Arc<Studio>>, request: Request| async move {
        let body = said(&body_of(&studio, request, LARGEST_JSON).await?)?;
        let own = studio.clone();
        studio.requests.answer(move |_| answer(&own, body)).await
    })
}

/// The same, of the thing that the path names.
fn told_of<B>(answer: fn(&Studio, &str, B) -> Answer) -> MethodRouter<Arc<Studio>>
where
    B: DeserializeOwned + Send + 'static,
{
    post(
        move |State(studio): State<Arc<Studio>>, Named(name): Named<String>, request: Request| async move {
            let body = said(&body_of(&studio, request, LARGEST_JSON).await?)?;
            let own = studio.clone();
            studio.requests.answer(move |_| answer(&own, &name, body)).await
        },
    )
}

/// `POST /api/open?name=FILE`: a file that was dropped on the page.
async fn open(State(studio): State<Arc<Studio>>, uri: Uri, request: Request) -> Answer {
    let asked = query_of(&uri)?;
    let body = body_of(&studio, request, LARGEST_FILE).await?;
    let own = studio.clone();
    studio.requests.answer(move |_| opened::open(&own, asked, &body.bytes)).await
}

/// `POST /api/watched/ASK`: about a training or a score that the page looks on at.
async fn watch(
    State(studio): State<Arc<Studio>>,
    Named(ask): Named<String>,
    request: Request,
) -> Answer {
    let body = body_of(&studio, request, LARGEST_JSON).await?;
    let own = studio.clone();
    let work = move |has_left: HasLeft<'_>| watched::answer(&own, &ask, &body.bytes, has_left);
    studio.requests.answer(work).await
}

async fn page_or_nothing(uri: Uri, headers: HeaderMap) -> Answer {
    let path: String = uri.path().chars().take(80).collect();
    page::answer(uri.path(), &headers)
        .ok_or_else(|| Rejection::none(format!("{path:?}: expected an address of this page")))
}

/// Lets through what our own page, or the address bar, can have sent.
async fn guarded(State(hosts): State<Arc<Vec<String>>>, request: Request, next: Next) -> Response {
    let mut response = match refused(&hosts, &request) {
        Some(refusal) => refusal.into_response(),
        None => next.run(request).await,
    };
    let headers = response.headers_mut();
    for (name, value) in [
        (header::CONTENT_SECURITY_POLICY, POLICY),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "no-referrer"),
        (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
        (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
    ] {
        if !headers.contains_key(&name) {
            headers.insert(name, header::HeaderValue::from_static(value));
        }
    }
    response
}

/// Why a request is none of ours: another page's, or one to a name that only leads here by a trick
/// with names.
fn refused(hosts: &[String], request: &Request) -> Option<Rejection> {
    let said = |name: &str| request.headers().get(name).map(|v| v.to_str().unwrap_or("?"));
    let host = said("host").or_else(|| request.uri().authority().map(|a| a.as_str()));
    if !host.is_some_and(|host| hosts.iter().any(|own| own == host)) {
        let why = format!("host: expected {}, found {}", hosts[0], host.unwrap_or("none"));
        return Some(Rejection::new(StatusCode::MISDIRECTED_REQUEST, why));
    }
    let foreign = |found: &str| {
        Some(Rejection::new(
            StatusCode::FORBIDDEN,
            format!("expected a request of this page, found one of {found}"),
        ))
    };
    if let Some(origin) = said("origin")
        && !hosts.iter().any(|own| origin.strip_prefix("http://") == Some(own))
    {
        return foreign(origin);
    }
    if let Some(site) =
        said("sec-fetch-site").filter(|site| !["same-origin", "none"].contains(site))
    {
        return foreign(&format!("another page ({site})"));
    }
    if request.method() == Method::POST {
        let wanted = match request.uri().path() {
            "/api/open" => "application/octet-stream",
            _ => "application/json",
        };
        let found = said("content-type").unwrap_or("none");
        if found.split(';').next().map(str::trim) != Some(wanted) {
            let why = format!("content-type: expected {wanted}, found {found}");
            return Some(Rejection::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, why));
        }
    }
    None
}
