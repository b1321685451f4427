//! Files of many genomes: a JSON map from ids to genomes of picbreeder-vlm, packed with gzip or not. Read entry by entry,
//! so that the largest archive takes the memory of one genome.

use super::Genome;
use super::vlm::from_vlm_json;
use crate::base::files::open_plain;
use crate::base::refusal::Refusal;
use flate2::read::MultiGzDecoder;
use serde::Deserialize;
use serde::de::IgnoredAny;
use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

/// Most bytes of a collection, unpacked.
const LARGEST: u64 = 64 << 30;
/// Most bytes of one genome in it.
const LARGEST_GENOME: usize = 16 << 20;
/// Most bytes of an id.
const LONGEST_ID: usize = 1024;
/// Ids that are listed.
pub(super) const LISTED: usize = 5;

/// The content of a collection, for people.
#[derive(Clone, Debug, PartialEq)]
pub struct Collection {
    /// Genomes in it.
    pub count: usize,
    /// The first few ids.
    pub ids: Vec<String>,
}

/// True if the name of this file is that of JSON packed with gzip.
pub(super) fn is_packed(path: &Path) -> bool {
    path.to_string_lossy().to_ascii_lowercase().ends_with(".json.gz")
}

/// Opens a JSON file, unpacking it if its name says so.
pub(super) fn open(path: &Path) -> std::io::Result<Box<dyn BufRead + Send>> {
    let file = BufReader::new(open_plain(path)?);
    Ok(match is_packed(path) {
        true => Box::new(BufReader::new(MultiGzDecoder::new(file).take(LARGEST))),
        false => Box::new(file.take(LARGEST)),
    })
}

/// Entries that are looked at to tell whether a file is a map of genomes: the first may be damaged.
const TRIED: usize = 8;

/// True if a file begins as a map of genomes does.
pub(super) fn holds_many(path: &Path) -> bool {
    #[derive(Deserialize)]
    struct Shape {
        #[serde(rename = "nodes")]
        _nodes: IgnoredAny,
        #[serde(rename = "connections")]
        _connections: IgnoredAny,
    }
    let found = || -> Result<bool, Refusal> {
        let mut entries = Entries::of(path)?;
        for _ in 0..TRIED {
            // Of win-Picbreeder the one genome stands under this name.
            let Some(_) = entries.id()?.filter(|id| id != "genome") else { break };
            if serde_json::from_slice::<Shape>(&entries.value(true)?).is_ok() {
                return Ok(true);
            }
        }
        Ok(false)
    };
    found().unwrap_or(false)
}

/// Counts the genomes of a map, and lists the first ids.
///
/// # Errors
/// It is damaged.
pub(super) fn counted(path: &Path, listed: usize) -> Result<Collection, Refusal> {
    let mut entries = Entries::of(path)?;
    let mut found = Collection { count: 0, ids: Vec::new() };
    while let Some(id) = entries.id()? {
        entries.value(false)?;
        found.count += 1;
        if found.ids.len() < listed {
            found.ids.push(id);
        }
    }
    Ok(found)
}

/// Genomes that a [`Cursor`] has passed and still knows: threads ask a little out of order.
const REMEMBERED: usize = 16;

/// A place in a collection, so that genomes asked for in its order are found in one pass.
pub(super) struct Cursor {
    path: PathBuf,
    entries: Entries,
    count: usize,
    first: String,
    passed: VecDeque<(String, Vec<u8>)>,
}

impl Cursor {
    fn of(path: &Path) -> Result<Self, Refusal> {
        let (path, entries) = (path.to_path_buf(), Entries::of(path)?);
        Ok(Cursor { path, entries, count: 0, first: String::new(), passed: VecDeque::new() })
    }

    /// The genome with this id, among the last that were passed or further on.
    fn find(&mut self, pick: &str) -> Result<Option<Genome>, Refusal> {
        if let Some((id, text)) = self.passed.iter().find(|(id, _)| id == pick) {
            return from_vlm_json(text, id).map(Some);
        }
        while let Some(id) = self.entries.id()? {
            let text = self.entries.value(true)?;
            self.count += 1;
            if self.count == 1 {
                self.first.clone_from(&id);
            }
            if self.passed.len() == REMEMBERED {
                self.passed.pop_front();
            }
            self.passed.push_back((id, text));
            let (id, text) = self.passed.back().expect("pushed");
            if id == pick {
                return from_vlm_json(text, id).map(Some);
            }
        }
        Ok(None)
    }
}

/// The genome with this id in a collection, else that of this number, from 1. The search begins at `cursor`, where that
/// is in this file, and leaves its place there.
///
/// # Errors
/// There is none, or it does not fit; the file cannot be read, or is damaged.
pub(super) fn chosen(
    path: &Path,
    pick: &str,
    cursor: &mut Option<Cursor>,
) -> Result<Genome, Refusal> {
    let ahead = cursor.take().filter(|cursor| cursor.path == path);
    for at in [ahead, Some(Cursor::of(path)?)].into_iter().flatten() {
        let at = cursor.insert(at);
        if let Some(genome) = at.find(pick)? {
            return Ok(genome);
        }
    }
    let Cursor { count, first, .. } = cursor.take().expect("inserted");
    let number = pick.parse().ok().filter(|number| (1..=count).contains(number));
    let number: usize = number.ok_or_else(|| {
        let expected = format!("an id or a number from 1 to {count}");
        Refusal::new("", expected, format!("{pick:?}")).advising(format!("the first is {first}"))
    })?;
    let mut entries = Entries::of(path)?;
    for _ in 1..number {
        entries.id()?;
        entries.value(false)?;
    }
    let id = entries.id()?.ok_or_else(|| damaged("fewer"))?;
    from_vlm_json(&entries.value(true)?, &id)
}

/// The entries of a JSON object.
struct Entries {
    file: Box<dyn BufRead + Send>,
    is_begun: bool,
}

impl Entries {
    fn of(path: &Path) -> Result<Self, Refusal> {
        let open = open(path);
        let file = open.map_err(|e| Refusal::new("", "a file that can be read", e.to_string()))?;
        Ok(Entries { file, is_begun: false })
    }

    fn byte(&mut self) -> Result<u8, Refusal> {
        let mut byte = [0];
        self.file.read_exact(&mut byte).map_err(damaged)?;
        Ok(byte[0])
    }

    /// The next byte that is no space.
    fn mark(&mut self) -> Result<u8, Refusal> {
        loop {
            match self.byte()? {
                b' ' | b'\t' | b'\n' | b'\r' => {}
                byte => return Ok(byte),
            }
        }
    }

    /// The id of the next entry; `None` at the end.
    fn id(&mut self) -> Result<Option<String>, Refusal> {
        let refuse = |found: String| Err(Refusal::new("", "an id of a genome", found));
        let before = std::mem::replace(&mut self.is_begun, true);
        match (before, self.mark()?) {
            (true, b'}') => return Ok(None),
            (true, b',') | (false, b'{') => {}
            (_, other) => return refuse(format!("{:?}", char::from(other))),
        }
        let mut text = vec![self.mark()?];
        if !before && text == b"}" {
            return Ok(None);
        }
        let mut is_escaped = false;
        while text.len() < LONGEST_ID && text[0] == b'"' {
            let byte = self.byte()?;
            text.push(byte);
            if byte == b'"' && !is_escaped {
                break;
            }
            is_escaped = byte == b'\\' && !is_escaped;
        }
        match (serde_json::from_slice(&text), self.mark()?) {
            (Ok(id), b':') => Ok(Some(id)),
            _ => refuse(format!("{:?}", String::from_utf8_lossy(&text[..text.len().min(40)]))),
        }
    }

    /// The text of the entry's value if it is kept, else nothing.
    fn value(&mut self, keep: bool) -> Result<Vec<u8>, Refusal> {
        let first = self.mark()?;
        if first != b'{' {
            let found = format!("{:?}", char::from(first));
            return Err(Refusal::new("", "a genome of each id", found));
        }
        let (mut text, mut depth, mut quote, mut is_escaped) = (vec![first], 1, false, false);
        while depth > 0 {
            let bytes = self.file.fill_buf().map_err(damaged)?;
            if bytes.is_empty() {
                return Err(damaged("an end before its end"));
            }
            let mut used = 0;
            while depth > 0 && used < bytes.len() {
                let byte = bytes[used];
                match byte {
                    b'"' if !is_escaped => quote = !quote,
                    b'{' | b'[' if !quote => depth += 1,
                    b'}' | b']' if !quote => depth -= 1,
                    _ => {}
                }
                is_escaped = quote && byte == b'\\' && !is_escaped;
                used += 1;
            }
            if keep {
                text.extend(&bytes[..used]);
            }
            self.file.consume(used);
            if text.len() > LARGEST_GENOME {
                let expected = format!("genomes of at most {LARGEST_GENOME} bytes");
                return Err(Refusal::new("", expected, "more"));
            }
        }
        Ok(text)
    }
}

fn damaged(found: impl std::fmt::Display) -> Refusal {
    Refusal::new("", "a whole map of genomes", found.to_string())
}
