//! The page's files, embedded as they lie in `src/studio/page/`.

use crate::base::hash::short_id;
use crate::site::with_words;
use axum::body::Body;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use std::borrow::Cow;

macro_rules! files {
    ($($name:literal),+ $(,)?) => {
        /// Name and text of every file of the page.
        pub(super) const FILES: &[(&str, &str)] = &[$(($name, include_str!(concat!("page/", $name)))),+];
    };
}

files! {
    "index.html", "style.css", "icon.svg", "dom.js", "route.js", "words.js", "api.js", "shader.js", "easel.js",
    "charts.js", "wiring.js", "tree.js", "sheet.js", "save.js", "large.js", "manage.js", "start.js", "breed.js", "look.js", "compare.js",
    "see.js", "open.js", "live.js", "judge.js", "study.js", "jobs.js", "pages.js", "main.js",
}

/// The text of a file of the page. A debug build reads it afresh, so that the page can be written
/// without building the program anew.
pub(super) fn text(name: &str) -> Option<Cow<'static, str>> {
    #[cfg(debug_assertions)]
    if name.chars().all(|c| c.is_ascii_lowercase() || c == '.' || c == '_') {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/src/studio/page/");
        if let Ok(text) = std::fs::read_to_string(format!("{path}{name}")) {
            return Some(with_words(&text).into_owned().into());
        }
    }
    FILES.iter().find(|(file, _)| *file == name).map(|(_, text)| with_words(text))
}

/// The file that a path names, or that the browser has it already.
pub(super) fn answer(path: &str, asked: &HeaderMap) -> Option<Response> {
    let name = match path.trim_start_matches('/') {
        "" => "index.html",
        name => name,
    };
    let text = text(name)?;
    let kind = match name.rsplit_once('.').map_or("", |(_, end)| end) {
        "html" => "text/html; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "js" => "text/javascript; charset=utf-8",
        "svg" => "image/svg+xml",
        _ => "text/plain; charset=utf-8",
    };
    let tag = format!("\"{}\"", short_id(text.as_bytes()));
    let has = asked.get(header::IF_NONE_MATCH).is_some_and(|known| *known == *tag);
    let headers = [
        (header::CONTENT_TYPE, kind.to_string()),
        (header::CACHE_CONTROL, "no-cache".into()),
        (header::ETAG, tag),
    ];
    let (status, body) = match has {
        true => (StatusCode::NOT_MODIFIED, Body::empty()),
        false => (StatusCode::OK, Body::from(text.into_owned())),
    };
    Some((status, headers, body).into_response())
}
