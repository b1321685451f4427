//! The engine as WebAssembly, compressed as a page of one file holds it.

use crate::base::files::read_plain;
use crate::base::refusal::Refusal;
use flate2::read::GzDecoder;
use std::borrow::Cow;
use std::io::Read;
use std::path::Path;

/// The engine that comes with the program. `.ci/release` makes it, once a release.
const OWN: &[u8] = include_bytes!("../../assets/engine.wasm.gz");

/// Most bytes of an engine, compressed or not.
const LARGEST: u64 = 1 << 26;

/// The engine: gzip's name of the file inside is `picloom-VERSION.wasm`.
pub struct Engine {
    gzip: Cow<'static, [u8]>,
    wasm: Vec<u8>,
    version: String,
}

impl Engine {
    /// The engine that comes with the program.
    ///
    /// # Panics
    /// Never: a test reads it.
    pub fn own() -> Self {
        Engine::of(OWN.into()).expect("an engine")
    }

    /// An engine that `crates/web/build` wrote.
    ///
    /// # Errors
    /// The file is something else, or cannot be read.
    pub fn read(path: &Path) -> Result<Self, Refusal> {
        let refusal = |found: String| {
            Refusal::new(path.display(), "an engine that crates/web/build wrote", found)
        };
        let gzip = read_plain(path, LARGEST).map_err(|error| refusal(error.to_string()))?;
        Engine::of(gzip.into()).ok_or_else(|| refusal("something else".into()))
    }

    fn of(gzip: Cow<'static, [u8]>) -> Option<Self> {
        let mut unpacked = GzDecoder::new(&gzip[..]);
        let mut wasm = Vec::new();
        (&mut unpacked).take(LARGEST).read_to_end(&mut wasm).ok()?;
        let name = std::str::from_utf8(unpacked.header()?.filename()?).ok()?;
        let version = name.strip_prefix("picloom-")?.strip_suffix(".wasm")?.to_string();
        wasm.starts_with(b"\0asm").then_some(Engine { gzip, wasm, version })
    }

    /// Its file, compressed by gzip.
    pub fn gzip(&self) -> &[u8] {
        &self.gzip
    }

    /// The module of WebAssembly.
    pub fn wasm(&self) -> &[u8] {
        &self.wasm
    }

    /// Version of Picloom that it was built from.
    pub fn version(&self) -> &str {
        &self.version
    }
}
