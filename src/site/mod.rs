//! The page that needs no server: its modules as one script, its engine, and networks that it brings.
//!
//! In: the modules of `page/` and of the studio, the engine as WebAssembly, networks as a page carries them. Out: one file,
//! or a folder for any file server. Knows nothing of where networks come from.

mod engine;

pub use engine::Engine;

use crate::base::files::{WriteError, write_atomic};
use crate::base::folder::FolderKind;
use crate::base::refusal::Refusal;
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde::Serialize;
use std::borrow::Cow;
use std::path::{Path, PathBuf};

macro_rules! texts {
    ($($name:literal),+ $(,)?) => {
        &[$(($name, include_str!($name))),+]
    };
}

/// Path and text of the page's modules, in the order of their dependence.
pub const MODULES: &[(&str, &str)] = texts![
    "../studio/page/dom.js",
    "../studio/page/route.js",
    "../studio/page/words.js",
    "page/plain.js",
    "page/engine.js",
    "page/link.js",
    "page/api.js",
    "../studio/page/shader.js",
    "../studio/page/easel.js",
    "../studio/page/large.js",
    "../studio/page/manage.js",
    "../studio/page/charts.js",
    "../studio/page/wiring.js",
    "../studio/page/tree.js",
    "../studio/page/sheet.js",
    "../studio/page/save.js",
    "../studio/page/start.js",
    "../studio/page/breed.js",
    "../studio/page/look.js",
    "../studio/page/compare.js",
    "../studio/page/see.js",
    "../studio/page/pages.js",
    "../studio/page/live.js",
    "../studio/page/open.js",
    "../studio/page/judge.js",
    "page/main.js",
];
const INDEX: &str = include_str!("page/index.html");
const WORKER: &str = include_str!("page/worker.js");
const ICON: &str = include_str!("../studio/page/icon.svg");
const STYLES: [&str; 2] = [include_str!("../studio/page/style.css"), include_str!("page/site.css")];

/// Lines of `page/index.html` that one file does without.
const LINKED_STYLE: &str = "<link rel=\"stylesheet\" href=\"style.css\">";
const LINKED_SCRIPT: &str = "<script defer src=\"page.js\"></script>";

/// A page and what it brings.
pub struct Site {
    engine: Engine,
    /// A script that tells the page its networks; empty if it has those of the engine only.
    networks: String,
}

/// Why a site was not written.
#[derive(Debug, thiserror::Error)]
pub enum SiteError {
    /// The folder holds something else.
    #[error(transparent)]
    Folder(#[from] Refusal),
    /// A file cannot be written.
    #[error(transparent)]
    Write(#[from] WriteError),
}

/// The page that was written.
#[derive(Debug, Serialize)]
pub struct WrittenSite {
    /// The file to open.
    #[serde(serialize_with = "crate::base::text::path_text")]
    pub page: PathBuf,
    /// Size of all files in bytes.
    pub bytes: usize,
    /// Version of the engine.
    pub engine: String,
}

impl Site {
    /// A page with this engine.
    pub fn new(engine: Engine) -> Self {
        Site { engine, networks: String::new() }
    }

    /// The same with networks: a JSON list of `{id, text, entry, scores}`, each text what a link would carry.
    pub fn with_networks(self, json: &str) -> Self {
        Site { networks: format!("window.PICLOOM_NETWORKS = {};\n", inside_script(json)), ..self }
    }

    /// The page as one file, which opens from a disk.
    pub fn page(&self) -> String {
        let script = |text: &str| match text.is_empty() {
            true => String::new(),
            false => format!("<script>\n{text}</script>\n"),
        };
        let worker = inside_script(&serde_json::to_string(WORKER).expect("a text"));
        let inside = format!(
            "window.PICLOOM_SITE = {{\n\"picloom.wasm\": \"{}\",\n\"worker.js\": {worker}\n}};\n",
            BASE64_STANDARD.encode(self.engine.gzip())
        );
        let main = joined_script().replace("</script", "\\x3c/script");
        let scripts = script(&self.networks) + &script(&inside) + &script(&main);
        let icon = format!("data:image/svg+xml;base64,{}", BASE64_STANDARD.encode(ICON));
        INDEX
            .replace(LINKED_STYLE, &format!("<style>\n{}</style>", STYLES.concat()))
            .replace(&format!("{LINKED_SCRIPT}\n"), "")
            .replace("icon.svg", &icon)
            .replace("</body>", &format!("{scripts}</body>"))
    }

    /// Name and content of the files of a folder, `picloom.html` among them, which is [`Site::page`].
    pub(crate) fn files(&self) -> Vec<(&'static str, Vec<u8>)> {
        let has_networks = !self.networks.is_empty();
        let linked = format!("<script defer src=\"networks.js\"></script>\n{LINKED_SCRIPT}");
        let index = if has_networks { INDEX.replace(LINKED_SCRIPT, &linked) } else { INDEX.into() };
        let mut files = vec![
            ("index.html", index),
            ("picloom.html", self.page()),
            ("page.js", joined_script()),
            ("style.css", STYLES.concat()),
            ("icon.svg", ICON.into()),
            ("worker.js", WORKER.into()),
        ];
        if has_networks {
            files.push(("networks.js", self.networks.clone()));
        }
        let mut files: Vec<_> =
            files.into_iter().map(|(name, text)| (name, text.into_bytes())).collect();
        files.push(("picloom.wasm", self.engine.wasm().into()));
        files
    }

    /// Writes one file where `out` ends in `.html`, else a folder.
    ///
    /// # Errors
    /// The folder holds something else, or a file cannot be written.
    pub fn write(&self, out: &Path) -> Result<WrittenSite, SiteError> {
        let engine = self.engine.version().to_string();
        if out.extension().is_some_and(|end| end == "html") {
            let page = self.page();
            write_atomic(out, page.as_bytes())?;
            return Ok(WrittenSite { page: out.into(), bytes: page.len(), engine });
        }
        FolderKind::Site.ensure(out)?;
        FolderKind::Site.mark(out)?;
        let files = self.files();
        for (name, content) in &files {
            write_atomic(&out.join(name), content)?;
        }
        let bytes = files.iter().map(|(_, content)| content.len()).sum();
        Ok(WrittenSite { page: out.join("index.html"), bytes, engine })
    }
}

/// A module's text, with the table of words where it asks for it.
pub(crate) fn with_words(text: &str) -> Cow<'_, str> {
    const ASKED: &str = "const MEANINGS = {};";
    let words = include_str!("../../assets/words.json").trim();
    match text.contains(ASKED) {
        true => text.replace(ASKED, &format!("const MEANINGS = {words};")).into(),
        false => text.into(),
    }
}

/// All modules as one script without imports. No two of them have a name in common.
fn joined_script() -> String {
    let mut script = String::from(
        "// Joined from the modules of the page and of the studio.\n(() => {\n\"use strict\";\n",
    );
    for (_, text) in MODULES {
        let mut importing = false;
        for line in with_words(text).lines() {
            importing |= line.starts_with("import {");
            if !importing {
                script += line.strip_prefix("export ").unwrap_or(line);
                script.push('\n');
            }
            importing &= !line.trim_end().ends_with("\";");
        }
    }
    script + "})();\n"
}

/// JSON as part of a script: no text in it can end the script.
fn inside_script(json: &str) -> String {
    json.replace('<', "\\u003c").replace('\u{2028}', "\\u2028").replace('\u{2029}', "\\u2029")
}
