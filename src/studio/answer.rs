//! Answers of the server: JSON, pictures, raw pixels, rejections.

use crate::base::files::WriteError;
use crate::page::PageError;
use axum::body::Body;
use axum::http::{HeaderName, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// The answer to a request.
pub(super) type Answer = Result<Response, Rejection>;

/// A query without parameters, or a body without a word.
#[derive(Deserialize)]
pub(super) struct Nothing {}

/// A request that is rejected, with its status, what was expected and what was found.
#[derive(Debug)]
pub(crate) struct Rejection {
    status: StatusCode,
    body: Value,
}

impl Rejection {
    /// With a status of its own.
    pub(crate) fn new(status: StatusCode, why: impl ToString) -> Self {
        Rejection { status, body: json!({ "error": why.to_string() }) }
    }

    /// 400: what was asked for cannot be.
    pub(crate) fn bad(why: impl ToString) -> Self {
        Rejection::new(StatusCode::BAD_REQUEST, why)
    }

    /// 404: there is no such thing.
    pub(crate) fn none(why: impl ToString) -> Self {
        Rejection::new(StatusCode::NOT_FOUND, why)
    }

    /// 409: it has changed since the page saw it. `key` of the answer holds how it stands now.
    pub(crate) fn stale(why: impl ToString, key: &str, now: impl Serialize) -> Self {
        let mut rejection = Rejection::new(StatusCode::CONFLICT, why);
        rejection.body[key] = serde_json::to_value(now).expect("answers are plain data");
        rejection
    }

    /// 413: more than is taken or drawn.
    pub(crate) fn large(why: impl ToString) -> Self {
        Rejection::new(StatusCode::PAYLOAD_TOO_LARGE, why)
    }

    /// Nobody waits for the answer any more.
    pub(crate) fn left() -> Self {
        Rejection::new(StatusCode::REQUEST_TIMEOUT, "whoever asked has left")
    }

    /// Its message: expected and found.
    pub(crate) fn why(&self) -> String {
        self.body["error"].as_str().unwrap_or_default().to_string()
    }

    /// A file that cannot be written: 409 where something that is no file has its name, else the fault is the disk's.
    pub(crate) fn unwritten(error: WriteError) -> Self {
        match error.path.symlink_metadata() {
            Ok(found) if !found.is_file() => Rejection::new(StatusCode::CONFLICT, error),
            _ => Rejection::failed(error),
        }
    }

    /// 500: the fault is ours, or the disk's.
    pub(crate) fn failed(why: impl ToString) -> Self {
        Rejection::new(StatusCode::INTERNAL_SERVER_ERROR, why)
    }
}

impl From<PageError> for Rejection {
    fn from(error: PageError) -> Self {
        match error {
            PageError::Bad(why) => Rejection::bad(why),
            PageError::Missing(why) => Rejection::none(why),
            PageError::Large(why) => Rejection::large(why),
            PageError::Stale(why, now) => Rejection::stale(why, "session", now),
            PageError::Left => Rejection::left(),
            PageError::Failed(why) => Rejection::failed(why),
        }
    }
}

impl From<Rejection> for PageError {
    fn from(rejection: Rejection) -> Self {
        let why = rejection.why();
        match rejection.status {
            StatusCode::BAD_REQUEST => PageError::Bad(why),
            StatusCode::NOT_FOUND => PageError::Missing(why),
            StatusCode::PAYLOAD_TOO_LARGE => PageError::Large(why),
            StatusCode::CONFLICT => PageError::Stale(why, None),
            StatusCode::REQUEST_TIMEOUT => PageError::Left,
            _ => PageError::Failed(why),
        }
    }
}

impl IntoResponse for Rejection {
    fn into_response(self) -> Response {
        let mut response = of_bytes("application/json", self.body.to_string().into_bytes());
        *response.status_mut() = self.status;
        response
    }
}

/// Bytes of a type, not to be kept by the browser.
pub(super) fn of_bytes(kind: &'static str, bytes: Vec<u8>) -> Response {
    let headers = [(header::CONTENT_TYPE, kind), (header::CACHE_CONTROL, "no-store")];
    (headers, Body::from(bytes)).into_response()
}

/// A value as JSON.
pub(super) fn json_of(value: &impl Serialize) -> Answer {
    let text = serde_json::to_vec(value).map_err(Rejection::failed)?;
    Ok(of_bytes("application/json", text))
}

/// The same, of what was made just now: 201.
pub(super) fn made(value: &impl Serialize) -> Answer {
    let mut response = json_of(value)?;
    *response.status_mut() = StatusCode::CREATED;
    Ok(response)
}

/// A file to be saved by the browser under `name`, of which only plain characters are kept.
pub(super) fn attachment(mut response: Response, name: &str) -> Response {
    let plain = |c: char| if c.is_ascii_alphanumeric() || "-_.".contains(c) { c } else { '_' };
    let name: String = name.chars().map(plain).collect();
    let value = format!("attachment; filename=\"{name}\"");
    let value = value.parse().expect("plain characters make a header");
    response.headers_mut().insert(header::CONTENT_DISPOSITION, value);
    response
}

/// The same answer with a number in a header.
pub(super) fn with_number(mut response: Response, name: &'static str, number: usize) -> Response {
    response.headers_mut().insert(HeaderName::from_static(name), number.into());
    response
}
